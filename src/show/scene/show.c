/* Gathering what other programs draw of a result. */
#include "show/scene/show.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"

const unsigned ac_show_palette[AC_SHOW_COLOURS] = {0x3f78c9, 0xe08a3c, 0x49a37b, 0xb75d69,
                                                   0x8a6fc0, 0xc9a93f, 0x4fa3b8, 0x8d8f94};
const unsigned ac_show_link_colour = 0x59616d;

void ac_show_free(ac_show *show)
{
    for (int i = 0; i < show->count; ++i) {
        ac_show_part *part = &show->parts[i];
        ac_mesh_free(&part->mesh);
        void *blocks[] = {part->poses, part->lengths,    part->ring,
                          part->cell,  part->ring_poses, part->station};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(show->ctx, blocks[k]);
        for (int k = 0; k < AC_STRESSES; ++k) ac_release(show->ctx, part->stress[k]);
    }
    ac_release(show->ctx, show->parts);
    ac_release(show->ctx, show->times);
    ac_scene_end(&show->scene);
    ac_recorded_free(&show->motion);
}

void ac_pose_apply(const double pose[AC_POSE_SIZE], const double x[3], bool place, double out[3])
{
    /* x + 2 w (q x x) + 2 q x (q x x) */
    const double *q = pose + 3;
    double first[3], second[3];
    cross3(q, x, first);
    cross3(q, first, second);
    for (int k = 0; k < 3; ++k) out[k] = x[k] + 2 * (q[3] * first[k] + second[k]) + (place ? pose[k] : 0);
}

void ac_show_point(const ac_show_part *part, long frame, int k, bool place, double out[3])
{
    const double *x = (place ? part->mesh.points : part->mesh.normals) + 3 * (long)k;
    const double *pose = part->poses + AC_POSE_SIZE * frame;
    if (part->rings > 0) pose = part->ring_poses + AC_POSE_SIZE * (frame * part->rings + part->ring[k]);
    double own[3] = {x[0], x[1], part->stretched && place ? x[2] * part->lengths[frame] : x[2]};
    ac_pose_apply(pose, own, place, out);
}

/* ---- sizes ---- */

static void widen(double box[2][3], const double x[3])
{
    for (int k = 0; k < 3; ++k) {
        box[0][k] = fmin(box[0][k], x[k]);
        box[1][k] = fmax(box[1][k], x[k]);
    }
}

static double reach_of(const ac_solid *solid)
{
    double reach = 0.5 * norm3(solid->size) + solid->radius + 2 * solid->length + solid->edge;
    for (int k = 0; k < 4; ++k) reach = fmax(reach, norm3(solid->corners[k]));
    return reach;
}

/* The size of the motion: places of all parts, and the largest solid. */
static void measure(ac_show *show)
{
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, solid = 0,
           span[3];
    for (int i = 0; i < show->count; ++i) {
        const ac_show_part *part = &show->parts[i];
        long count = show->choice.count * (part->rings > 0 ? part->rings : 1);
        const double *poses = part->rings > 0 ? part->ring_poses : part->poses;
        for (long f = 0; f < count; ++f) widen(box, poses + AC_POSE_SIZE * f);
    }
    for (int i = 0; i < show->scene.node_count; ++i) {
        for (const ac_solid *s = show->scene.nodes[i].solids; s; s = s->next)
            solid = fmax(solid, reach_of(s));
    }
    sub3(box[1], box[0], span);
    show->size = norm3(span) + solid;
    if (!(show->size > 0) || !isfinite(show->size)) show->size = 1;
    show->mark = 0.008 * show->size;
    const double *g = show->scene.gravity;
    double weight = norm3(g);
    for (int k = 0; k < 3; ++k) show->up[k] = weight > 0 ? -g[k] / weight : k == 2;
}

/* ---- parts ---- */

static ac_status new_part(ac_show *show, const char *name, ac_show_part **part)
{
    AC_TRY(ac_grow(show->ctx, (void **)&show->parts, &show->capacity, show->count + 1, sizeof **part));
    *part = &show->parts[show->count];
    **part = (ac_show_part){.name = name, .mesh = {.ctx = show->ctx}, .colour = -1};
    ++show->count;
    AC_NEW(show->ctx, (*part)->poses, show->choice.count * AC_POSE_SIZE);
    return AC_OK;
}

static ac_status add_rigid(ac_show *show, const ac_mover *mover)
{
    ac_show_part *part;
    AC_TRY(new_part(show, mover->name, &part));
    part->colour = (show->count - 1) % AC_SHOW_COLOURS;
    return ac_recorded_poses(&show->motion, mover, &show->choice, part->poses);
}

static ac_status add_surface(ac_show *show, ac_show_part *part)
{
    int node = ac_scene_find(&show->scene, part->name);
    const ac_solid *solids = node >= 0 ? show->scene.nodes[node].solids : NULL;
    if (!solids) return ac_mesh_add_ball(&part->mesh, 2.5 * show->mark);
    for (const ac_solid *s = solids; s; s = s->next) AC_TRY(ac_mesh_add_solid(&part->mesh, s, show->mark));
    return AC_OK;
}

/* The pose of a bar between two places, and its length. */
static void lay_bar(const double a[3], const double b[3], double pose[AC_POSE_SIZE], double *length)
{
    double d[3];
    sub3(b, a, d);
    *length = norm3(d);
    copy3(a, pose);
    double z = *length > 0 ? d[2] / *length : 1;
    /* half-way between z and d */
    double q[4] = {*length > 0 ? -d[1] / *length : 0, *length > 0 ? d[0] / *length : 0, 0, 1 + z};
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[3] * q[3]);
    if (size < 1e-9) {
        q[0] = size = 1;
        q[1] = q[3] = 0;
    }
    for (int k = 0; k < 4; ++k) pose[3 + k] = q[k] / size;
}

static ac_status new_bar(ac_show *show, const char *name, double radius, ac_show_part **part)
{
    AC_TRY(new_part(show, name, part));
    (*part)->stretched = true;
    AC_NEW(show->ctx, (*part)->lengths, show->choice.count);
    return ac_mesh_add_bar(&(*part)->mesh, radius, 1);
}

static const ac_show_part *part_of_node(const ac_show *show, int rigid, int node)
{
    const char *name = NULL;
    for (int i = 0; i < show->scene.node_count; ++i) {
        if (show->scene.nodes[i].number == node) name = show->scene.nodes[i].name;
    }
    for (int i = 0; name && i < rigid; ++i) {
        if (strcmp(show->parts[i].name, name) == 0) return &show->parts[i];
    }
    return NULL;
}

/* Where an end of a link is attached: to a rigid part, a place of a beam, or neither: the ground. */
typedef struct attachment {
    const double *poses;
    long stride;
} attachment;

static attachment attach(const ac_show *show, int rigid, int node)
{
    const ac_show_part *part = node >= 0 ? part_of_node(show, rigid, node) : NULL;
    return part ? (attachment){part->poses, AC_POSE_SIZE} : (attachment){NULL, 0};
}

/* The poses of the place of a beam that is this node, if it is one. The caller releases them. */
static ac_status beam_poses(const ac_show *show, int node, double **poses, attachment *at)
{
    for (int k = 0; k < show->scene.beam_count; ++k) {
        const ac_scene_beam *beam = &show->scene.beams[k];
        if (node < beam->first || node >= beam->first + beam->count) continue;
        for (int m = 0; m < show->motion.count; ++m) {
            const ac_mover *mover = &show->motion.movers[m];
            if (mover->kind != AC_MOVER_BEAM || strcmp(mover->name, beam->name) != 0) continue;
            if (mover->places != beam->count) continue;
            AC_NEW(show->ctx, *poses, show->choice.count * ac_mover_size(mover));
            *at = (attachment){*poses + (long)(node - beam->first) * AC_POSE_SIZE, ac_mover_size(mover)};
            return ac_recorded_poses(&show->motion, mover, &show->choice, *poses);
        }
    }
    return AC_OK;
}

static void lay_link(const ac_show *show, const ac_scene_link *link, const attachment *at, ac_show_part *bar)
{
    for (long f = 0; f < show->choice.count; ++f) {
        double end[2][3];
        for (int k = 0; k < 2; ++k) {
            if (at[k].poses)
                ac_pose_apply(at[k].poses + at[k].stride * f, link->place[k], true, end[k]);
            else
                copy3(link->place[k], end[k]);
        }
        lay_bar(end[0], end[1], bar->poses + AC_POSE_SIZE * f, &bar->lengths[f]);
    }
}

static ac_status add_link(ac_show *show, int rigid, const ac_scene_link *link)
{
    ac_show_part *bar;
    double *own[2] = {NULL, NULL};
    attachment at[2];
    AC_TRY(new_bar(show, link->name, link->spring ? 0.8 * show->mark : 0.5 * show->mark, &bar));
    ac_status status = AC_OK;
    for (int k = 0; k < 2; ++k) {
        at[k] = attach(show, rigid, link->node[k]);
        if (!at[k].poses && status == AC_OK) status = beam_poses(show, link->node[k], &own[k], &at[k]);
    }
    if (status == AC_OK) lay_link(show, link, at, bar);
    ac_release(show->ctx, own[0]);
    ac_release(show->ctx, own[1]);
    return status;
}

/* ---- beams ---- */

/* Without recorded frames a section stands across the line to the next place. */
static void align_rings(ac_show_part *part, long frames)
{
    for (long f = 0; f < frames; ++f) {
        double *row = part->ring_poses + AC_POSE_SIZE * f * part->rings;
        for (int k = 0; k < part->rings; ++k) {
            const double *a = row + AC_POSE_SIZE * (k > 0 ? k - 1 : 0),
                         *b = row + AC_POSE_SIZE * (k + 1 < part->rings ? k + 1 : k);
            double pose[AC_POSE_SIZE], length;
            lay_bar(a, b, pose, &length);
            memcpy(row + AC_POSE_SIZE * k + 3, pose + 3, 4 * sizeof *pose);
        }
    }
}

static ac_status read_stress(ac_show *show, const ac_mover *mover, ac_show_part *part)
{
    part->stations = mover->stations;
    AC_NEW(show->ctx, part->station, mover->places);
    if (mover->stations == 0) return AC_OK;
    ac_mover_stations(mover, part->ring_poses, part->station);
    for (int k = 0; k < AC_STRESSES; ++k) {
        if (mover->stress[k] < 0) continue;
        AC_NEW(show->ctx, part->stress[k], 3 * show->choice.count * mover->stations);
        AC_TRY(ac_recorded_stress(&show->motion, mover, k, &show->choice, part->stress[k]));
    }
    return AC_OK;
}

static ac_status add_beam(ac_show *show, const ac_mover *mover)
{
    ac_show_part *part;
    AC_TRY(new_part(show, mover->name, &part));
    part->colour = (show->count - 1) % AC_SHOW_COLOURS;
    AC_NEW(show->ctx, part->ring_poses, show->choice.count * ac_mover_size(mover));
    part->rings = mover->places;
    AC_TRY(ac_recorded_poses(&show->motion, mover, &show->choice, part->ring_poses));
    if (mover->rotation < 0) align_rings(part, show->choice.count);
    for (long f = 0; f < show->choice.count; ++f) {
        double *pose = part->poses + AC_POSE_SIZE * f; /* the part itself rests */
        memset(pose, 0, AC_POSE_SIZE * sizeof *pose);
        pose[6] = 1;
    }
    return read_stress(show, mover, part);
}

static double between(double a, double b, double part)
{
    return a + part * (b - a);
}

/* The section at a share of the length: between two stations its dimensions change linearly. */
static ac_outline outline_at(const ac_scene_beam *beam, double share)
{
    int next = 0;
    while (next < beam->station_count && beam->stations[next].at <= share + 1e-6) ++next;
    if (next == 0 || next == beam->station_count)
        return beam->stations[next == 0 ? 0 : beam->station_count - 1].outline;
    const ac_outline *a = &beam->stations[next - 1].outline, *b = &beam->stations[next].outline;
    double from = beam->stations[next - 1].at, to = beam->stations[next].at,
           part = fmax(0.0, (share - from) / (to - from));
    return (ac_outline){.shape = a->shape,
                        .width = between(a->width, b->width, part),
                        .height = between(a->height, b->height, part),
                        .web = between(a->web, b->web, part),
                        .flange = between(a->flange, b->flange, part),
                        .radius = between(a->radius, b->radius, part),
                        .inner_radius = between(a->inner_radius, b->inner_radius, part)};
}

static const ac_scene_beam *beam_named(const ac_scene *scene, const char *name)
{
    for (int k = 0; k < scene->beam_count; ++k)
        if (strcmp(scene->beams[k].name, name) == 0) return &scene->beams[k];
    return NULL;
}

/* The outlines of all rings, by their places in the first row. */
static void find_outlines(const ac_show *show, const ac_show_part *part, ac_outline *outlines)
{
    const ac_scene_beam *beam = beam_named(&show->scene, part->name);
    double whole = 0.0, along = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < part->rings; ++k) {
            const double *x = part->ring_poses + AC_POSE_SIZE * k;
            double step[3] = {0, 0, 0};
            if (k > 0) sub3(x, x - AC_POSE_SIZE, step);
            if (pass == 0) {
                whole += norm3(step);
                continue;
            }
            along += norm3(step);
            outlines[k] = (ac_outline){.shape = AC_OUTLINE_ROUND};
            if (beam) outlines[k] = outline_at(beam, whole > 0 ? along / whole : 0);
            if (outlines[k].shape != AC_OUTLINE_ROUND || outlines[k].radius > outlines[k].inner_radius)
                continue;
            outlines[k].radius = show->mark;
            outlines[k].inner_radius = 0;
        }
    }
}

static ac_status add_beam_surface(ac_show *show, ac_show_part *part)
{
    ac_outline *outlines;
    ac_swept_surface sweep;
    AC_NEW(show->ctx, outlines, part->rings);
    find_outlines(show, part, outlines);
    ac_status status = ac_swept_surface_make(show->ctx, outlines, part->rings, &sweep);
    ac_release(show->ctx, outlines);
    AC_TRY(status);
    part->mesh = sweep.mesh; /* handed over */
    part->ring = sweep.ring;
    part->cell = sweep.cell;
    return AC_OK;
}

/* What stands on the ground, at rest. */
static ac_status add_ground(ac_show *show)
{
    ac_show_part *part;
    if (!show->scene.ground.solids) return AC_OK;
    AC_TRY(new_part(show, "ground", &part));
    for (long f = 0; f < show->choice.count; ++f) part->poses[AC_POSE_SIZE * f + 6] = 1;
    for (const ac_solid *s = show->scene.ground.solids; s; s = s->next)
        AC_TRY(ac_mesh_add_solid(&part->mesh, s, show->mark));
    return AC_OK;
}

/* Neighbouring quaternions are given the same sign, so that what lies between them is a short turn. */
static void keep_signs(double *poses, long frames, long stride)
{
    for (long f = 1; f < frames; ++f) {
        double *now = poses + stride * f + 3, *before = now - stride;
        if (dot3(now, before) + now[3] * before[3] >= 0) continue;
        for (int k = 0; k < 4; ++k) now[k] = -now[k];
    }
}

static void keep_all_signs(ac_show *show)
{
    for (int i = 0; i < show->count; ++i) {
        ac_show_part *part = &show->parts[i];
        keep_signs(part->poses, show->choice.count, AC_POSE_SIZE);
        for (int k = 0; k < part->rings; ++k)
            keep_signs(part->ring_poses + AC_POSE_SIZE * (long)k, show->choice.count,
                       AC_POSE_SIZE * (long)part->rings);
    }
}

static ac_status add_movers(ac_show *show, bool beams)
{
    for (int m = 0; m < show->motion.count; ++m) {
        const ac_mover *mover = &show->motion.movers[m];
        bool beam = mover->kind == AC_MOVER_BEAM && mover->places > 1;
        if (beams && beam) AC_TRY(add_beam(show, mover));
        if (!beams && mover->kind < AC_MOVER_BEAM) AC_TRY(add_rigid(show, mover));
    }
    return AC_OK;
}

static ac_status gather(ac_show *show, const ac_report_window *window, long limit)
{
    const ac_recorded_motion *motion = &show->motion;
    long first = 0, count = 0;
    AC_TRY(ac_rows_between(motion->result, motion->table, window->from, window->to, &first, &count));
    if (count < 1) return ac_fail(show->ctx, AC_BAD_INPUT, "there are no rows in this range of time");
    show->choice = ac_choose_rows(first, count, window->frames > 0 ? window->frames : limit);
    AC_NEW(show->ctx, show->times, show->choice.count);
    AC_TRY(ac_recorded_times(motion, &show->choice, show->times));
    AC_TRY(add_movers(show, false));
    int rigid = show->count;
    AC_TRY(add_movers(show, true));
    measure(show);
    for (int i = 0; i < show->count; ++i)
        AC_TRY(i < rigid ? add_surface(show, &show->parts[i]) : add_beam_surface(show, &show->parts[i]));
    for (int i = 0; i < show->scene.link_count; ++i) AC_TRY(add_link(show, rigid, &show->scene.links[i]));
    AC_TRY(add_ground(show));
    keep_all_signs(show);
    return AC_OK;
}

ac_status ac_show_make(ac_context *ctx, ac_result *result, const ac_report_window *window, long limit,
                       ac_show *show)
{
    *show = (ac_show){.ctx = ctx};
    AC_TRY(ac_scene_read(ctx, result, &show->scene));
    ac_status status = ac_recorded_first(ctx, result, &show->motion);
    if (status == AC_OK) status = gather(show, window, limit);
    if (status != AC_OK) ac_show_free(show);
    return status;
}
