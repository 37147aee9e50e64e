/* Second derivative of the start along two changes of its data: what a slope of a slope has as q and v.
 *
 * A pose is a number with derivatives in three directions, time and both changes (start_jets.h), so that places, velocities and all their
 * derivatives come from the same composition along the tree:
 *   child = parent . side of the parent . motion of the joint . inverse side of the child.
 * With loops the motion of a joint begins at the assembled state, with increments that keep them closed (start_bend_loops.c).
 *
 * Joints that are read off the initial poses of bodies need the derivative of an inverse function; they are refused.
 */
#include <math.h>
#include <string.h>

#include "assembly/start_jets.h"
#include "base/rotation.h"
#include "base/vector.h"

/* --- data with their derivatives --- */

/* The frame of a side of a joint in its node. */
static void side_frame(const ac_system_slope *slope, int number, int side, ac_bend_pose *out)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const ac_side *own = side == 0 ? &joint->a : &joint->b;
    ac_bend_vector turn = {{{0}}}, still = {{{0}}};
    memset(out, 0, sizeof *out);
    copy3(own->place, out->x.at[0]);
    for (int s = AC_BEND_OF; s < AC_BEND_LEVELS; s += AC_BEND_OF) {
        const ac_joint_slope *by = &ac_bend_slope(slope, s)->joints[number];
        copy3(by->place[side], out->x.at[s]);
        copy3(by->turn[side], turn.at[s]);
    }
    ac_bend_turned(&turn, &still, own->axes, &out->R);
}

/* Coordinates and rates of a joint; those that are not given are zero and stay so. */
static void joint_numbers(const ac_system_slope *slope, int number, ac_bend_vector *c, ac_bend_vector *rates,
                          double length[AC_BEND_LEVELS])
{
    const ac_joint_data *joint = &slope->system->joints[number];
    for (int s = 0; s < AC_BEND_LEVELS; s += AC_BEND_OF) {
        const ac_system_slope *own = ac_bend_slope(slope, s);
        if (joint->has_coordinates)
            copy3(own ? own->joints[number].coordinates : joint->coordinates, c->at[s]);
        if (joint->has_rates) copy3(own ? own->joints[number].rates : joint->rates, rates->at[s]);
        length[s] = own ? own->joints[number].length : joint->length;
    }
}

/* The motion from the frame of side a to that of side b; see ac_joint_from_coordinates. */
static void joint_motion(const ac_system_slope *slope, int number, ac_bend_pose *out)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ac_bend_vector c = {{{0}}}, rates = {{{0}}};
    double length[AC_BEND_LEVELS] = {0.0};
    memset(out, 0, sizeof *out);
    identity3(out->R.at[0]);
    joint_numbers(slope, number, &c, &rates, length);
    for (int k = 0; joint->row->motion[k].kind != AC_MOTION_NONE; ++k) {
        const ac_motion *motion = &joint->row->motion[k];
        ac_bend_matrix before, own;
        ac_bend_vector turn = {{{0}}};
        for (int s = 0; s < AC_BEND_LEVELS; ++s) {
            double value = k > 2 ? 0.0 : s & AC_BEND_TIME ? rates.at[s ^ AC_BEND_TIME][k] : c.at[s][k];
            if (motion->kind == AC_MOTION_SHIFT) out->x.at[s][motion->axis] = value;
            if (motion->kind == AC_MOTION_SWING) out->x.at[s][0] = length[s];
            turn.at[s][motion->axis] = value;
        }
        if (motion->kind == AC_MOTION_BALL && motion->name) ac_bend_turned(&c, &rates, one, &out->R);
        if (motion->kind != AC_MOTION_TURN) continue;
        before = out->R;
        ac_bend_exponential(&turn, &own); /* about one axis time is as any other direction */
        ac_bend_multiply(&before, &own, &out->R);
    }
    if (joint->reversed) ac_bend_invert(out);
}

static void add_scaled(double out[3], double factor, const double x[3])
{
    for (int i = 0; i < 3; ++i) out[i] += factor * x[i];
}

/* (1 + time [spin]) exp(left) R exp(right) */
static void turn_between(const ac_bend_vector *left, const ac_bend_vector *spin, const double R[9],
                         const ac_bend_vector *right, ac_bend_matrix *out)
{
    ac_bend_matrix before, behind;
    ac_bend_turned(left, spin, R, &before);
    ac_bend_exponential(right, &behind);
    ac_bend_multiply(&before, &behind, out);
}

/* A shift on a sphere whose radius varies. */
static void swing_shift(const ac_system_slope *slope, int number, const double shift[3],
                        const ac_bend_vector *swing, const ac_bend_vector *spin, ac_bend_vector *out)
{
    const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, length = slope->system->joints[number].length;
    ac_bend_matrix turn;
    ac_bend_vector longer = {{{0}}};
    for (int s = 0; s < AC_BEND_LEVELS; s += AC_BEND_OF) {
        double share = s == 0 ? 1.0 : ac_bend_slope(slope, s)->joints[number].length / length;
        add_scaled(longer.at[s], share, shift);
    }
    ac_bend_turned(swing, spin, one, &turn);
    ac_bend_apply(&turn, &longer, out);
}

/* Shifts along axes of the parent; of a joint that is gone backwards along those of the child. */
static void slide_shift(const ac_node *node, const ac_joint_state *state, const ac_bend_vector *slide,
                        const ac_bend_matrix *R, ac_bend_vector *out)
{
    ac_bend_vector own = *slide;
    double from[3];
    copy3(state->shift, from);
    if (node->walk.backward) apply_transposed3(state->turn, state->shift, from);
    add3(own.at[0], from, own.at[0]);
    if (node->walk.backward)
        ac_bend_apply(R, &own, out);
    else
        *out = own;
}

/* The same from the frame of the parent to that of the child, by increments beside the assembled state: turns about axes of the parent come
 * before it, those about axes of the child behind it; see ac_walk. */
static void based_motion(const ac_system_slope *slope, const ac_bend_loops *loops, int number,
                         ac_bend_pose *out)
{
    const ac_node *node = &slope->system->nodes[number];
    const ac_joint_state *state = &slope->system->initial.state[number];
    static const double up[3] = {0.0, 0.0, 1.0};
    ac_bend_vector left = {{{0}}}, right = {{{0}}}, spin = {{{0}}}, slide = {{{0}}}, swing = {{{0}}},
                   swing_spin = {{{0}}};
    bool swings = false;
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        swings = swings || step->kind == AC_MOTION_SWING;
        for (int f = 0; f < step->freedoms; ++f)
            for (int s = 0; s < AC_BEND_LEVELS; ++s) {
                double by = loops->increment[node->u + step->freedom + f][s];
                bool moves = s & AC_BEND_TIME;
                int config = s & ~AC_BEND_TIME;
                if (step->kind == AC_MOTION_SHIFT) slide.at[s][step->axis] += by;
                if (step->kind == AC_MOTION_TURN) (step->in_child ? &right : &left)->at[s][step->axis] += by;
                if (step->kind == AC_MOTION_BALL)
                    (moves ? &spin : &left)->at[config][step->freedoms == 1 ? 2 : f] += by;
                if (step->kind == AC_MOTION_SWING)
                    add_scaled((moves ? &swing_spin : &swing)->at[config], by,
                               step->freedoms == 1 ? up : state->basis + 3 * f);
            }
    }
    turn_between(&left, &spin, state->turn, &right, &out->R);
    if (swings)
        swing_shift(slope, node->joint, state->shift, &swing, &swing_spin, &out->x);
    else
        slide_shift(node, state, &slide, &out->R, &out->x);
}

/* The initial pose of a node that no joint holds: reference point x + R c and its velocity v + w x R c, each with derivatives of x,
 * R, c, v and w. The slopes have them as sums of single changes; what two changes do together is added here. */
static void initial_pose(const ac_system_slope *slope, int number, ac_bend_pose *out)
{
    const ac_node *node = &slope->system->nodes[number];
    ac_bend_vector turn = {{{0}}}, spin = {{{0}}}, centre = {{{0}}}, arm;
    memset(out, 0, sizeof *out);
    copy3(node->centre, centre.at[0]);
    if (node->moving) copy3(node->spin, spin.at[0]);
    copy3(node->pose.position, out->x.at[0]);
    if (node->moving) copy3(node->velocity, out->x.at[AC_BEND_TIME]);
    for (int s = AC_BEND_OF; s < AC_BEND_LEVELS; s += AC_BEND_OF) {
        const ac_node_slope *by = &ac_bend_slope(slope, s)->nodes[number];
        copy3(by->turn, turn.at[s]);
        copy3(by->centre, centre.at[s]);
        copy3(by->place, out->x.at[s]);
        if (!node->moving) continue;
        copy3(by->spin, spin.at[s]);
        copy3(by->velocity, out->x.at[s | AC_BEND_TIME]);
    }
    ac_bend_turned(&turn, &spin, node->pose.rotation, &out->R);
    ac_bend_apply(&out->R, &centre, &arm);
    double linear[3], by[3], value[3], rate[3], by_rate[3] = {0.0, 0.0, 0.0};
    const int both = AC_BEND_OF | AC_BEND_ALONG;
    apply3(node->pose.rotation, node->centre, value); /* R c'' + t'' x R c, and its part of the velocity */
    apply3(node->pose.rotation, centre.at[both], linear);
    add_cross3(turn.at[both], value, linear);
    sub3(arm.at[both], linear, by);
    add3(out->x.at[both], by, out->x.at[both]);
    if (!node->moving || node->spin_follows) return;
    cross3(spin.at[both], value, by_rate);
    add_cross3(spin.at[0], linear, by_rate);
    sub3(arm.at[both | AC_BEND_TIME], by_rate, rate);
    add3(out->x.at[both | AC_BEND_TIME], rate, out->x.at[both | AC_BEND_TIME]);
}

/* --- the tree --- */

static ac_status refuse(const ac_system_slope *slope, const char *what)
{
    return ac_fail(slope->ctx, AC_BAD_INPUT, "%s", what);
}

/* Do data of this node and joint stay, to both orders? */
static bool stays(const ac_system_slope *slope, int number)
{
    const ac_node *node = &slope->system->nodes[number];
    const ac_system_slope *all[3] = {slope, slope->of, slope->along};
    bool still = true;
    for (int k = 0; k < 3; ++k) {
        const ac_node_slope *by = &all[k]->nodes[number];
        for (int i = 0; i < 3; ++i) still = still && by->place[i] == 0.0 && by->turn[i] == 0.0;
        still = still && !ac_joint_varies(all[k], node->joint);
    }
    return still;
}

static bool is_at_rest(const ac_bend_pose *pose)
{
    for (int s = 1; s < AC_BEND_LEVELS; ++s) {
        for (int i = 0; i < 3; ++i)
            if (pose->x.at[s][i] != 0.0) return false;
        for (int i = 0; i < 9; ++i)
            if (pose->R.at[s][i] != 0.0) return false;
    }
    return true;
}

static bool is_read(const ac_system *system, const ac_node *node)
{
    return node->placed && !system->joints[node->joint].has_coordinates;
}

/* Do loops determine all freedoms of a node? */
static bool is_closed(const ac_bend_loops *loops, const ac_node *node)
{
    for (int j = node->u; j < node->u + node->freedoms; ++j)
        if (!loops || !loops->unknown[0][j]) return false;
    return true;
}

static ac_status check_node(const ac_system_slope *slope, const ac_bend_loops *loops, int number,
                            const ac_bend_pose *parent)
{
    const ac_node *node = &slope->system->nodes[number];
    const ac_joint_data *joint = node->joint < 0 ? NULL : &slope->system->joints[node->joint];
    if (!joint) return AC_OK;
    if (node->moving && !joint->has_rates)
        return refuse(slope, "a joint begins with the velocity that its body is given");
    if (!is_read(slope->system, node) || is_closed(loops, node)) return AC_OK;
    if (joint->has_rates || !stays(slope, number) || !is_at_rest(parent))
        return refuse(slope, "a joint begins where its body is placed");
    return AC_OK;
}

static void move_child(const ac_system_slope *slope, const ac_bend_loops *loops, int number,
                       const ac_bend_pose *parent, ac_bend_pose *out)
{
    const ac_node *node = &slope->system->nodes[number];
    const ac_joint_data *joint = &slope->system->joints[node->joint];
    bool based = ac_bend_is_based(slope, loops, node);
    ac_bend_pose side, at, motion;
    side_frame(slope, node->joint, joint->reversed ? 1 : 0, &side);
    ac_bend_compose(parent, &side, &at);
    if (based)
        based_motion(slope, loops, number, &motion);
    else
        joint_motion(slope, node->joint, &motion);
    if (!based && is_read(slope->system, node)) { /* it stays as the initial state has it */
        const ac_joint_state *state = &slope->system->initial.state[number];
        copy3(state->shift, motion.x.at[0]);
        memcpy(motion.R.at[0], state->turn, sizeof motion.R.at[0]);
    }
    ac_bend_compose(&at, &motion, out);
    if (ac_node_turns(node) == 0) return;
    side_frame(slope, node->joint, joint->reversed ? 0 : 1, &side);
    ac_bend_invert(&side);
    at = *out;
    ac_bend_compose(&at, &side, out);
}

ac_status ac_bend_nodes(const ac_system_slope *slope, const ac_bend_loops *loops, ac_bend_pose *poses,
                        double *q)
{
    const ac_system *system = slope->system;
    ac_bend_pose ground = {0};
    identity3(ground.R.at[0]);
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        const ac_bend_pose *parent = node->parent == AC_GROUND ? &ground : &poses[node->parent];
        AC_TRY(check_node(slope, loops, i, parent));
        if (node->joint < 0)
            initial_pose(slope, i, &poses[i]);
        else
            move_child(slope, loops, i, parent, &poses[i]);
        ac_bend_coordinates(system, i, &poses[i], q);
    }
    return AC_OK;
}

static ac_status check_system(const ac_system_slope *slope)
{
    const ac_system *system = slope->system;
    for (int k = 0; k < system->spring_count; ++k) {
        const ac_measure *m = &system->measures[system->springs[k].measure];
        if (system->springs[k].rest_initial && m->kind != AC_MEASURE_LENGTH)
            return refuse(slope, "a rest length is that of the start");
    }
    return AC_OK;
}

/* --- springs whose rest length is that of the start --- */

/* A set of directions of the square of a length. */
static ac_status square_level(const ac_system_slope *slope, const ac_measure *m, const double *q, int level,
                              double *out)
{
    const ac_system *system = slope->system;
    double own[AC_BEND_LEVELS * AC_ELEMENT_MAX];
    int size = ac_measure_size(system, m);
    for (int s = 0; s < AC_BEND_LEVELS; ++s) ac_measure_gather(system, m, q + s * system->n, own + s * size);
    *out = ac_bend_map(&system->measure_forms, m->first_form, NULL, own, size, level);
    for (int change = AC_BEND_OF; change < AC_BEND_LEVELS; change += AC_BEND_OF) {
        ac_forms forms = {0};
        bool varies;
        if ((change & level) != change) continue;
        ac_status status = ac_measure_slope(ac_bend_slope(slope, change), (int)(m - system->measures),
                                            slope->ctx, &forms, &varies);
        if (status == AC_OK && varies) *out += ac_bend_map(&forms, 0, NULL, own, size, level ^ change);
        ac_forms_free(slope->ctx, &forms);
        AC_TRY(status);
    }
    return AC_OK;
}

/* y^2 = s: y'' = (s'' - 2 y' y') / (2 y) */
static ac_status rest_lengths(ac_system_slope *slope, const double *q)
{
    const ac_system *system = slope->system;
    static const int LEVEL[4] = {0, AC_BEND_OF, AC_BEND_ALONG, AC_BEND_OF | AC_BEND_ALONG};
    for (int k = 0; k < system->spring_count; ++k) {
        double s[4];
        if (!system->springs[k].rest_initial) continue;
        for (int e = 0; e < 4; ++e)
            AC_TRY(square_level(slope, &system->measures[system->springs[k].measure], q, LEVEL[e], &s[e]));
        if (!(s[0] > 0.0)) return refuse(slope, "a rest length is that of the start, which is zero");
        slope->springs[k].rest = (s[3] - 0.5 * s[1] * s[2] / s[0]) / (2.0 * sqrt(s[0]));
    }
    return AC_OK;
}

ac_status ac_bend_start(const ac_system_slope *slope, ac_bend_pose *poses, double *q)
{
    const ac_system *system = slope->system;
    ac_bend_loops loops = {.m = system->constraints.count - system->constraints.closure,
                           .n = system->tree.freedoms};
    if (loops.m == 0) return ac_bend_nodes(slope, NULL, poses, q);
    ac_status status = ac_bend_loops_close(slope, &loops, poses, q);
    ac_bend_loops_free(slope->ctx, &loops);
    return status;
}

static ac_status bend(ac_system_slope *slope, ac_bend_pose *poses, double *q)
{
    const ac_system *system = slope->system;
    const size_t n = (size_t)system->n;
    if (system->initial.unbent) {
        AC_TRY(ac_unbent_bends(slope, poses));
        for (int i = 0; i < system->node_count; ++i) ac_bend_coordinates(system, i, &poses[i], q);
    } else {
        AC_TRY(ac_bend_start(slope, poses, q));
    }
    memcpy(slope->q, q + (AC_BEND_OF | AC_BEND_ALONG) * n, n * sizeof *q);
    memcpy(slope->v, q + (AC_BEND_LEVELS - 1) * n, n * sizeof *q);
    return rest_lengths(slope, q);
}

ac_status ac_start_bends(ac_system_slope *slope)
{
    ac_bend_pose *poses;
    double *q = NULL;
    AC_TRY(check_system(slope));
    AC_NEW(slope->ctx, poses, slope->system->node_count + 1);
    q = ac_allocate(slope->ctx, AC_BEND_LEVELS * (size_t)slope->system->n + 1, sizeof *q);
    ac_status status = q ? bend(slope, poses, q) : ac_out_of_memory(slope->ctx);
    ac_release(slope->ctx, poses);
    ac_release(slope->ctx, q);
    return status;
}
