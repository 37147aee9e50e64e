/* Gathering what other programs draw of a result. */
#include "show/scene/animation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "show/scene/sweep.h"

const unsigned ac_animation_palette[AC_ANIMATION_COLOURS] = {0x3f78c9, 0xe08a3c, 0x49a37b, 0xb75d69,
                                                             0x8a6fc0, 0xc9a93f, 0x4fa3b8, 0x8d8f94};
const unsigned ac_animation_link_colour = 0x59616d;

void ac_animation_free(ac_animation *animation)
{
    for (int i = 0; i < animation->count; ++i) {
        ac_animation_part *part = &animation->parts[i];
        ac_mesh_free(&part->mesh);
        void *blocks[] = {part->poses, part->lengths,    part->ring,
                          part->cell,  part->ring_poses, part->station};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(animation->ctx, blocks[k]);
        for (int k = 0; k < AC_STRESSES; ++k) ac_release(animation->ctx, part->stress[k]);
    }
    ac_release(animation->ctx, animation->parts);
    ac_release(animation->ctx, animation->times);
    ac_scene_free(&animation->scene);
    ac_recorded_free(&animation->motion);
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

void ac_animation_point(const ac_animation_part *part, long frame, int k, bool place, double out[3])
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
        box[0][k] = ac_min(box[0][k], x[k]);
        box[1][k] = ac_max(box[1][k], x[k]);
    }
}

static double reach_of(const ac_solid *solid)
{
    double reach = 0.5 * norm3(solid->size) + solid->radius + 2 * solid->length + solid->edge;
    for (int k = 0; k < 4; ++k) reach = ac_max(reach, norm3(solid->corners[k]));
    return reach;
}

/* The size of the motion: places of all parts, and the largest solid. */
static void measure(ac_animation *animation)
{
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, solid = 0,
           span[3];
    for (int i = 0; i < animation->count; ++i) {
        const ac_animation_part *part = &animation->parts[i];
        long count = animation->choice.count * (part->rings > 0 ? part->rings : 1);
        const double *poses = part->rings > 0 ? part->ring_poses : part->poses;
        for (long f = 0; f < count; ++f) widen(box, poses + AC_POSE_SIZE * f);
    }
    for (int i = 0; i < animation->scene.solid_count; ++i) {
        const ac_scene_solid *s = &animation->scene.solids[i];
        if (s->node != AC_GROUND) solid = ac_max(solid, reach_of(&s->solid));
    }
    sub3(box[1], box[0], span);
    animation->size = norm3(span) + solid;
    if (!(animation->size > 0) || !isfinite(animation->size)) animation->size = 1;
    animation->mark = 0.008 * animation->size;
    static const double nowhere[3] = {0, 0, 0};
    const double *g = animation->scene.world_count > 0 ? animation->scene.world->gravity : nowhere;
    double weight = norm3(g);
    for (int k = 0; k < 3; ++k) animation->up[k] = weight > 0 ? -g[k] / weight : k == 2;
}

/* ---- parts ---- */

static ac_status new_part(ac_animation *animation, const char *name, ac_animation_part **part)
{
    AC_TRY(ac_grow(animation->ctx, (void **)&animation->parts, &animation->capacity, animation->count + 1,
                   sizeof **part));
    *part = &animation->parts[animation->count];
    **part = (ac_animation_part){.name = name, .mesh = {.ctx = animation->ctx}, .colour = -1};
    ++animation->count;
    AC_NEW(animation->ctx, (*part)->poses, animation->choice.count * AC_POSE_SIZE);
    return AC_OK;
}

static ac_status add_rigid(ac_animation *animation, const ac_mover *mover)
{
    ac_animation_part *part;
    AC_TRY(new_part(animation, mover->name, &part));
    part->colour = (animation->count - 1) % AC_ANIMATION_COLOURS;
    return ac_recorded_poses(&animation->motion, mover, &animation->choice, part->poses);
}

static ac_status add_solids(const ac_animation *animation, int node, ac_animation_part *part, int *count)
{
    const ac_scene_solid *solids = ac_scene_solids(&animation->scene, node, count);
    for (int k = 0; k < *count; ++k)
        AC_TRY(ac_mesh_add_solid(&part->mesh, &solids[k].solid, animation->mark));
    return AC_OK;
}

static ac_status add_surface(ac_animation *animation, ac_animation_part *part)
{
    int count = 0;
    for (int i = 0; i < animation->scene.node_count; ++i) {
        if (strcmp(animation->scene.nodes[i].name, part->name) != 0) continue;
        AC_TRY(add_solids(animation, i, part, &count));
        break;
    }
    return count > 0 ? AC_OK : ac_mesh_add_ball(&part->mesh, 2.5 * animation->mark);
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

static ac_status new_bar(ac_animation *animation, const char *name, double radius, ac_animation_part **part)
{
    AC_TRY(new_part(animation, name, part));
    (*part)->stretched = true;
    AC_NEW(animation->ctx, (*part)->lengths, animation->choice.count);
    return ac_mesh_add_bar(&(*part)->mesh, radius, 1);
}

static const ac_animation_part *part_of_node(const ac_animation *animation, int rigid, int node)
{
    const char *name = NULL;
    for (int i = 0; i < animation->scene.node_count; ++i) {
        if (animation->scene.nodes[i].number == node) name = animation->scene.nodes[i].name;
    }
    for (int i = 0; name && i < rigid; ++i) {
        if (strcmp(animation->parts[i].name, name) == 0) return &animation->parts[i];
    }
    return NULL;
}

/* Where an end of a link is attached: to a rigid part, a place of a beam, or neither: the ground. */
typedef struct attachment {
    const double *poses;
    long stride;
} attachment;

static attachment attach(const ac_animation *animation, int rigid, int node)
{
    const ac_animation_part *part = node >= 0 ? part_of_node(animation, rigid, node) : NULL;
    return part ? (attachment){part->poses, AC_POSE_SIZE} : (attachment){NULL, 0};
}

/* The poses of the place of a beam that is this node, if it is one. The caller releases them. */
static ac_status beam_poses(const ac_animation *animation, int node, double **poses, attachment *at)
{
    for (int k = 0; k < animation->scene.beam_count; ++k) {
        const ac_scene_beam *beam = &animation->scene.beams[k];
        if (node < beam->first || node > beam->first + beam->elements) continue;
        for (int m = 0; m < animation->motion.count; ++m) {
            const ac_mover *mover = &animation->motion.movers[m];
            if (mover->kind != AC_MOVER_BEAM || strcmp(mover->name, beam->name) != 0) continue;
            if (mover->places != beam->elements + 1) continue;
            AC_NEW(animation->ctx, *poses, animation->choice.count * ac_mover_size(mover));
            *at = (attachment){*poses + (long)(node - beam->first) * AC_POSE_SIZE, ac_mover_size(mover)};
            return ac_recorded_poses(&animation->motion, mover, &animation->choice, *poses);
        }
    }
    return AC_OK;
}

/* A straight connection of two places: a distance joint or a spring. */
typedef struct scene_link {
    const char *name, *kind;
    int node[2];
    const double *place[2];
    double radius;
} scene_link;

static void lay_link(const ac_animation *animation, const scene_link *link, const attachment *at,
                     ac_animation_part *bar)
{
    for (long f = 0; f < animation->choice.count; ++f) {
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

/* What has no name is called after its kind and its number in the list, from 1 on. */
static ac_status name_link(ac_animation *animation, const scene_link *link, int number, const char **name)
{
    char text[40];
    *name = link->name;
    if (link->name[0]) return AC_OK;
    int length = snprintf(text, sizeof text, "%s %d", link->kind, number);
    *name = ac_arena_text(&animation->scene.arena, text, (size_t)length);
    return *name ? AC_OK : AC_NO_MEMORY;
}

static ac_status add_link(ac_animation *animation, int rigid, const scene_link *link, int number)
{
    const char *name;
    ac_animation_part *bar;
    double *own[2] = {NULL, NULL};
    attachment at[2];
    AC_TRY(name_link(animation, link, number, &name));
    AC_TRY(new_bar(animation, name, link->radius, &bar));
    ac_status status = AC_OK;
    for (int k = 0; k < 2; ++k) {
        at[k] = attach(animation, rigid, link->node[k]);
        if (!at[k].poses && status == AC_OK) status = beam_poses(animation, link->node[k], &own[k], &at[k]);
    }
    if (status == AC_OK) lay_link(animation, link, at, bar);
    ac_release(animation->ctx, own[0]);
    ac_release(animation->ctx, own[1]);
    return status;
}

static ac_status add_links(ac_animation *animation, int rigid)
{
    for (int i = 0; i < animation->scene.joint_count; ++i) {
        const ac_scene_joint *joint = &animation->scene.joints[i];
        scene_link link = {joint->name,
                           "distance",
                           {joint->node[0], joint->node[1]},
                           {joint->frame[0].position, joint->frame[1].position},
                           0.5 * animation->mark};
        if (joint->type == AC_DISTANCE) AC_TRY(add_link(animation, rigid, &link, i + 1));
    }
    for (int i = 0; i < animation->scene.spring_count; ++i) {
        const ac_scene_spring *spring = &animation->scene.springs[i];
        scene_link link = {spring->name,
                           "spring",
                           {spring->node[0], spring->node[1]},
                           {spring->place[0], spring->place[1]},
                           0.8 * animation->mark};
        AC_TRY(add_link(animation, rigid, &link, i + 1));
    }
    return AC_OK;
}

/* ---- beams ---- */

/* Without recorded frames a section stands across the line to the next place. */
static void align_rings(ac_animation_part *part, long frames)
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

static ac_status read_stress(ac_animation *animation, const ac_mover *mover, ac_animation_part *part)
{
    part->stations = mover->stations;
    AC_NEW(animation->ctx, part->station, mover->places);
    if (mover->stations == 0) return AC_OK;
    ac_mover_stations(mover, part->ring_poses, part->station);
    for (int k = 0; k < AC_STRESSES; ++k) {
        if (mover->stress[k] < 0) continue;
        AC_NEW(animation->ctx, part->stress[k], 3 * animation->choice.count * mover->stations);
        AC_TRY(ac_recorded_stress(&animation->motion, mover, k, &animation->choice, part->stress[k]));
    }
    return AC_OK;
}

static ac_status add_beam(ac_animation *animation, const ac_mover *mover)
{
    ac_animation_part *part;
    AC_TRY(new_part(animation, mover->name, &part));
    part->colour = (animation->count - 1) % AC_ANIMATION_COLOURS;
    AC_NEW(animation->ctx, part->ring_poses, animation->choice.count * ac_mover_size(mover));
    part->rings = mover->places;
    AC_TRY(ac_recorded_poses(&animation->motion, mover, &animation->choice, part->ring_poses));
    if (mover->rotation < 0) align_rings(part, animation->choice.count);
    for (long f = 0; f < animation->choice.count; ++f) {
        double *pose = part->poses + AC_POSE_SIZE * f; /* the part itself rests */
        memset(pose, 0, AC_POSE_SIZE * sizeof *pose);
        pose[6] = 1;
    }
    return read_stress(animation, mover, part);
}

static ac_outline outline_of(const ac_beam_section *s)
{
    bool flat = s->width > 0 && s->height > 0;
    ac_outline outline = {.width = s->width,
                          .height = s->height,
                          .web = s->web,
                          .flange = s->flange,
                          .radius = s->radius,
                          .inner_radius = s->inner_radius};
    if (flat && s->shape == AC_BEAM_RECTANGLE) outline.shape = AC_OUTLINE_RECTANGLE;
    if (flat && s->shape == AC_BEAM_I_SECTION) outline.shape = AC_OUTLINE_I_SECTION;
    return outline;
}

static double between(double a, double b, double part)
{
    return a + part * (b - a);
}

/* The section at a share of the length: between two stations its dimensions change linearly. */
static ac_outline outline_at(const ac_scene_station *stations, int count, double share)
{
    int next = 0;
    while (next < count && stations[next].at <= share + 1e-6) ++next;
    if (next == 0 || next == count) return outline_of(&stations[next == 0 ? 0 : count - 1].section);
    const ac_outline first = outline_of(&stations[next - 1].section),
                     second = outline_of(&stations[next].section), *a = &first, *b = &second;
    double from = stations[next - 1].at, to = stations[next].at,
           part = ac_max(0.0, (share - from) / (to - from));
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
static void find_outlines(const ac_animation *animation, const ac_animation_part *part, ac_outline *outlines)
{
    const ac_scene_beam *beam = beam_named(&animation->scene, part->name);
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
            if (beam)
                outlines[k] = outline_at(animation->scene.stations + beam->first_station, beam->station_count,
                                         whole > 0 ? along / whole : 0);
            if (outlines[k].shape != AC_OUTLINE_ROUND || outlines[k].radius > outlines[k].inner_radius)
                continue;
            outlines[k].radius = animation->mark;
            outlines[k].inner_radius = 0;
        }
    }
}

static ac_status add_beam_surface(ac_animation *animation, ac_animation_part *part)
{
    ac_outline *outlines;
    ac_swept_surface sweep;
    AC_NEW(animation->ctx, outlines, part->rings);
    find_outlines(animation, part, outlines);
    ac_status status = ac_swept_surface_make(animation->ctx, outlines, part->rings, &sweep);
    ac_release(animation->ctx, outlines);
    AC_TRY(status);
    part->mesh = sweep.mesh; /* handed over */
    part->ring = sweep.ring;
    part->cell = sweep.cell;
    return AC_OK;
}

/* What stands on the ground, at rest. */
static ac_status add_ground(ac_animation *animation)
{
    ac_animation_part *part;
    int count = 0;
    (void)ac_scene_solids(&animation->scene, AC_GROUND, &count);
    if (count == 0) return AC_OK;
    AC_TRY(new_part(animation, "ground", &part));
    for (long f = 0; f < animation->choice.count; ++f) part->poses[AC_POSE_SIZE * f + 6] = 1;
    return add_solids(animation, AC_GROUND, part, &count);
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

static void keep_all_signs(ac_animation *animation)
{
    for (int i = 0; i < animation->count; ++i) {
        ac_animation_part *part = &animation->parts[i];
        keep_signs(part->poses, animation->choice.count, AC_POSE_SIZE);
        for (int k = 0; k < part->rings; ++k)
            keep_signs(part->ring_poses + AC_POSE_SIZE * (long)k, animation->choice.count,
                       AC_POSE_SIZE * (long)part->rings);
    }
}

static ac_status add_movers(ac_animation *animation, bool beams)
{
    for (int m = 0; m < animation->motion.count; ++m) {
        const ac_mover *mover = &animation->motion.movers[m];
        bool beam = mover->kind == AC_MOVER_BEAM && mover->places > 1;
        if (beams && beam) AC_TRY(add_beam(animation, mover));
        if (!beams && mover->kind < AC_MOVER_BEAM) AC_TRY(add_rigid(animation, mover));
    }
    return AC_OK;
}

static ac_status gather(ac_animation *animation, const ac_report_window *window, long limit)
{
    const ac_recorded_motion *motion = &animation->motion;
    long first = 0, count = 0;
    AC_TRY(ac_rows_between(motion->result, motion->table, window->from, window->to, &first, &count));
    if (count < 1) return ac_fail(animation->ctx, AC_BAD_INPUT, "there are no rows in this range of time");
    animation->choice = ac_choose_rows(first, count, window->frames > 0 ? window->frames : limit);
    AC_NEW(animation->ctx, animation->times, animation->choice.count);
    AC_TRY(ac_recorded_times(motion, &animation->choice, animation->times));
    AC_TRY(add_movers(animation, false));
    int rigid = animation->count;
    AC_TRY(add_movers(animation, true));
    measure(animation);
    for (int i = 0; i < animation->count; ++i)
        AC_TRY(i < rigid ? add_surface(animation, &animation->parts[i])
                         : add_beam_surface(animation, &animation->parts[i]));
    AC_TRY(add_links(animation, rigid));
    AC_TRY(add_ground(animation));
    keep_all_signs(animation);
    return AC_OK;
}

ac_status ac_animation_make(ac_context *ctx, ac_result *result, const ac_report_window *window, long limit,
                            ac_animation *animation)
{
    *animation = (ac_animation){.ctx = ctx};
    AC_TRY(ac_scene_load(ctx, result, &animation->scene));
    ac_status status = ac_recorded_first(ctx, result, &animation->motion);
    if (status == AC_OK) status = gather(animation, window, limit);
    if (status != AC_OK) ac_animation_free(animation);
    return status;
}
