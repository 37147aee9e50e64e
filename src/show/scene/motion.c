/* What moves in a result. */
#include "show/scene/motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"

const char *const ac_mover_kind_names[] = {"body", "planar", "point", "beam", "arrow"};
const char *const ac_stress_names[AC_STRESSES] = {"force", "moment", "strain", "curvature"};

/* ---- finding ---- */

/* The owner in "group/owner/quantity"; false when the name is of another form. */
static bool split_name(const char *name, const char *group, const char *quantity, char *owner, size_t size)
{
    size_t front = strlen(group), back = strlen(quantity), length = strlen(name);
    if (length < front + back + 3 || strncmp(name, group, front) != 0 || name[front] != '/') return false;
    if (name[length - back - 1] != '/' || strcmp(name + length - back, quantity) != 0) return false;
    size_t count = length - front - back - 2;
    if (count >= size) return false;
    memcpy(owner, name + front + 1, count);
    owner[count] = '\0';
    return true;
}

static int width_of(const ac_recorded_motion *motion, int channel)
{
    int count = 0;
    return channel < 0 ? 0 : ac_result_channels(motion->result, motion->table, &count)[channel].width;
}

enum { ANY_WIDTH = -1 };

/* Another channel of the same owner; it stands behind the position as a rule, so the search starts there. */
static int sibling(const ac_recorded_motion *motion, const ac_mover *mover, const char *group,
                   const char *quantity, int width)
{
    char name[AC_MOVER_NAME_SIZE + 64];
    int count = 0;
    snprintf(name, sizeof name, "%s/%s/%s", group, mover->name, quantity);
    const ac_channel *channels = ac_result_channels(motion->result, motion->table, &count);
    for (int i = 1; i < count; ++i) {
        int channel = (mover->position + i) % count;
        if (strcmp(channels[channel].name, name) != 0) continue;
        return width == ANY_WIDTH || channels[channel].width == width ? channel : -1;
    }
    return -1;
}

static bool as_body(const ac_recorded_motion *motion, int width, ac_mover *mover)
{
    if (width == 3) mover->rotation = sibling(motion, mover, "body", "rotation", 9);
    if (width == 2) mover->rotation = sibling(motion, mover, "body", "director", 2);
    mover->kind = width == 2 ? AC_MOVER_PLANAR : AC_MOVER_BODY;
    return mover->rotation >= 0;
}

static bool as_beam(const ac_recorded_motion *motion, int width, ac_mover *mover)
{
    if (width % 3 != 0) return false;
    mover->kind = AC_MOVER_BEAM;
    mover->places = width / 3;
    mover->rotation = sibling(motion, mover, "beam", "rotation", 3 * width);
    mover->stress[0] = sibling(motion, mover, "beam", ac_stress_names[0], ANY_WIDTH);
    int stations = width_of(motion, mover->stress[0]) / 3;
    for (int k = 1; k < AC_STRESSES && stations > 0; ++k) {
        mover->stress[k] = sibling(motion, mover, "beam", ac_stress_names[k], 3 * stations);
        if (mover->stress[k] < 0)
            mover->stress[k] = sibling(motion, mover, "beam", ac_stress_names[k], 3 * (stations + 1));
    }
    if (stations == 0 || mover->stress[1] < 0 || width_of(motion, mover->stress[0]) % 3 != 0)
        for (int k = 0; k < AC_STRESSES; ++k) mover->stress[k] = -1;
    mover->stations = mover->stress[0] >= 0 ? stations : 0;
    mover->resultants[0] = sibling(motion, mover, "beam", "node_force", width);
    mover->resultants[1] = sibling(motion, mover, "beam", "node_moment", width);
    return true;
}

static ac_mover nothing_yet(int position)
{
    return (ac_mover){.position = position,
                      .rotation = -1,
                      .places = 1,
                      .stress = {-1, -1, -1, -1},
                      .resultants = {-1, -1},
                      .group = ""};
}

/* The arrow of a place and its force or torque; false when it is not that. */
static bool as_arrow(const ac_recorded_motion *motion, const ac_channel *channel, bool torque,
                     ac_mover *mover)
{
    static const char *const groups[] = {"load", "spring", "actuator", "reaction", "contact"};
    mover->kind = AC_MOVER_ARROW;
    mover->torque = torque;
    for (size_t g = 0; g < sizeof groups / sizeof *groups && channel->width == 3; ++g) {
        if (!split_name(channel->name, groups[g], "place", mover->name, sizeof mover->name)) continue;
        mover->group = groups[g];
        mover->rotation = sibling(motion, mover, groups[g], torque ? "torque" : "force", 3);
    }
    return mover->rotation >= 0;
}

static bool recognise(const ac_recorded_motion *motion, const ac_channel *channel, int number,
                      ac_mover *mover)
{
    const char *name = channel->name;
    int width = channel->width;
    *mover = nothing_yet(number);
    if (split_name(name, "body", "position", mover->name, sizeof mover->name))
        return as_body(motion, width, mover);
    if (split_name(name, "beam", "position", mover->name, sizeof mover->name))
        return as_beam(motion, width, mover);
    mover->kind = AC_MOVER_POINT;
    return split_name(name, "point", "position", mover->name, sizeof mover->name) && width <= 3;
}

static ac_status keep(ac_recorded_motion *motion, const ac_mover *mover)
{
    AC_TRY(
        ac_grow(motion->ctx, (void **)&motion->movers, &motion->capacity, motion->count + 1, sizeof *mover));
    motion->movers[motion->count++] = *mover;
    return AC_OK;
}

ac_status ac_recorded_find(ac_context *ctx, ac_result *result, int table, ac_recorded_motion *motion)
{
    *motion = (ac_recorded_motion){.ctx = ctx, .result = result, .table = table};
    motion->time = ac_table_channel(result, table, "time");
    int count = 0;
    const ac_channel *channels = ac_result_channels(result, table, &count);
    ac_status status = AC_OK;
    for (int c = 0; c < count && status == AC_OK; ++c) {
        ac_mover mover;
        if (recognise(motion, &channels[c], c, &mover)) status = keep(motion, &mover);
        for (int torque = 0; torque < 2 && status == AC_OK; ++torque) {
            mover = nothing_yet(c);
            if (as_arrow(motion, &channels[c], torque == 1, &mover)) status = keep(motion, &mover);
        }
    }
    if (status != AC_OK) ac_recorded_free(motion);
    return status;
}

void ac_recorded_free(ac_recorded_motion *motion)
{
    if (motion->ctx) ac_release(motion->ctx, motion->movers);
    *motion = (ac_recorded_motion){0};
}

ac_status ac_recorded_first(ac_context *ctx, ac_result *result, ac_recorded_motion *motion)
{
    for (int t = 0; t < ac_result_table_count(result); ++t) {
        AC_TRY(ac_recorded_find(ctx, result, t, motion));
        if (motion->count > 0 && ac_result_rows(result, t) > 0) return AC_OK;
        ac_recorded_free(motion);
    }
    return ac_fail(ctx, AC_BAD_INPUT, "the result holds no positions of bodies or points over time");
}

/* ---- poses ---- */

/* From the largest of the four squares, so that nothing small is divided by (Shepperd). */
void ac_quaternion_of(const double R[9], double q[4])
{
    double trace = R[0] + R[4] + R[8];
    double square[4] = {R[0] - R[4] - R[8], R[4] - R[8] - R[0], R[8] - R[0] - R[4], trace};
    int most = 3;
    for (int k = 0; k < 3; ++k) {
        if (square[k] > square[most]) most = k;
    }
    double root = sqrt(ac_max(0, 1 + square[most])), half = root > 0 ? 0.5 / root : 0;
    int i = most, j = (i + 1) % 3, k = (i + 2) % 3;
    q[most] = 0.5 * root;
    if (most == 3) {
        q[0] = (R[7] - R[5]) * half;
        q[1] = (R[2] - R[6]) * half;
        q[2] = (R[3] - R[1]) * half;
        return;
    }
    q[j] = (R[3 * j + i] + R[3 * i + j]) * half;
    q[k] = (R[3 * k + i] + R[3 * i + k]) * half;
    q[3] = (R[3 * k + j] - R[3 * j + k]) * half;
}

static void planar_quaternion(const double director[2], double q[4])
{
    double half = 0.5 * ac_atan2(director[1], director[0]);
    q[0] = q[1] = 0;
    q[2] = ac_sin(half);
    q[3] = ac_cos(half);
}

int ac_mover_size(const ac_mover *mover)
{
    return mover->kind == AC_MOVER_ARROW ? 6 : mover->places * AC_POSE_SIZE;
}

static void place_poses(const ac_recorded_motion *motion, const ac_mover *mover, long rows,
                        const double *positions, double *poses)
{
    int width = width_of(motion, mover->position) / mover->places,
        size = ac_mover_size(mover) / mover->places;
    for (long i = 0; i < rows * mover->places; ++i) {
        double *pose = poses + i * size;
        memset(pose, 0, (size_t)size * sizeof *pose);
        memcpy(pose, positions + i * width, (size_t)width * sizeof *pose);
        if (size == AC_POSE_SIZE) pose[6] = 1;
    }
}

static void turn_poses(const ac_mover *mover, long rows, const double *turns, double *poses)
{
    for (long i = 0; i < rows * mover->places; ++i) {
        if (mover->kind == AC_MOVER_ARROW)
            memcpy(poses + 6 * i + 3, turns + 3 * i, 3 * sizeof *poses);
        else if (mover->kind == AC_MOVER_PLANAR)
            planar_quaternion(turns + 2 * i, poses + AC_POSE_SIZE * i + 3);
        else
            ac_quaternion_of(turns + 9 * i, poses + AC_POSE_SIZE * i + 3);
    }
}

ac_status ac_recorded_poses(const ac_recorded_motion *motion, const ac_mover *mover,
                            const ac_row_choice *choice, double *poses)
{
    int position = width_of(motion, mover->position), rotation = width_of(motion, mover->rotation);
    double *block;
    AC_NEW(motion->ctx, block, choice->count * (position > rotation ? position : rotation));
    ac_status status = ac_read_chosen(motion->result, motion->table, mover->position, choice, block);
    if (status == AC_OK) place_poses(motion, mover, choice->count, block, poses);
    if (status == AC_OK && rotation > 0) {
        status = ac_read_chosen(motion->result, motion->table, mover->rotation, choice, block);
        if (status == AC_OK) turn_poses(mover, choice->count, block, poses);
    }
    ac_release(motion->ctx, block);
    return status;
}

ac_status ac_recorded_stress(const ac_recorded_motion *motion, const ac_mover *mover, int kind,
                             const ac_row_choice *choice, double *values)
{
    int stations = mover->stations, width = width_of(motion, mover->stress[kind]);
    if (width == 3 * stations)
        return ac_read_chosen(motion->result, motion->table, mover->stress[kind], choice, values);
    double *block;
    AC_NEW(motion->ctx, block, choice->count * width);
    ac_status status = ac_read_chosen(motion->result, motion->table, mover->stress[kind], choice, block);
    for (long row = 0; row < choice->count && status == AC_OK; ++row) {
        const double *at = block + row * width;
        for (int i = 0; i < 3 * stations; ++i) values[row * 3 * stations + i] = 0.5 * (at[i] + at[i + 3]);
    }
    ac_release(motion->ctx, block);
    return status;
}

/* Does the beam have no length between these places of its first row? */
static bool is_corner(const double *poses, int place)
{
    const double *a = poses + AC_POSE_SIZE * place, *b = a + AC_POSE_SIZE;
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

void ac_mover_stations(const ac_mover *mover, const double *poses, int *station)
{
    int pieces = mover->places - 1, corners = 0, count = mover->stations;
    for (int k = 0; k < pieces; ++k) corners += is_corner(poses, k);
    bool skip = count == pieces - corners && corners > 0;
    for (int k = 0, next = 0; k < pieces; ++k) {
        station[k] = skip ? next : (int)((long)k * count / pieces);
        if (skip && !is_corner(poses, k) && next + 1 < count) ++next;
    }
}

ac_status ac_recorded_times(const ac_recorded_motion *motion, const ac_row_choice *choice, double *times)
{
    if (motion->time >= 0) return ac_read_chosen(motion->result, motion->table, motion->time, choice, times);
    for (long i = 0; i < choice->count; ++i) times[i] = (double)(choice->first + i * choice->stride);
    if (choice->count > 0) times[choice->count - 1] = (double)choice->last;
    return AC_OK;
}
