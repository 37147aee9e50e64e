/* One step of the reduced midpoint scheme in all lanes.
 *
 *   r = P(q_a)^T (p + D1 L_d(q_a, q_b) + f) = 0,    q_b = F(u, q_a),    K = P(q_a)^T B P(q_b),   B = -d D1 L_d / d q_b
 *
 * as in integrate/reduced.c. Inertia, weight and loads of a body are loops of the action (action/lane/lane_body.h). Twists and moments of
 * a tree are taken about one reference point, so that wrenches and B of a subtree are sums over its bodies. Loads act at time
 * nodes: K has no part of them. K is eliminated from the leaves to the ground, which fills nothing in (a freedom couples with
 * those that carry it).
 *
 * Newton's method is that of integrate/stepper.c from its first guess: the residual must fall, a correction is halved until
 * it does. Lanes that have converged stay where they are.
 */
#include <float.h>
#include <math.h>

#include "base/rotation.h"
#include "ensemble/lanes_data.h"
#include "math/math.h"

/* As in integrate/stepper.c. */
enum { MOST_HALVINGS = 12 };
static const double ROUNDING = 1e-9, NEAR = 1e-4;

/* --- motion -------------------------------------------------------------------------------------------------------- */

/* The columns i and j of axes turn about the third by an angle. */
static void turn_columns(const ac_lane *angle, int k, ac_lane *axes)
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    ac_lane s, c;
    ac_four_sincos(angle, &s, &c);
    for (int row = 0; row < 9; row += 3) {
        const ac_lane u = axes[row + i], v = axes[row + j];
        axes[row + i] = c * u + s * v;
        axes[row + j] = c * v - s * u;
    }
}

/* Axis of the freedom in the world, in the joint frame that its walk has reached. */
static void put_axis(const ac_lane *axes, int k, ac_lane *axis)
{
    for (int i = 0; i < 3; ++i) axis[i] = axes[3 * i + k];
}

/* Pose of a body from that of its parent: shifts and turns along the walk, then a ball. */
static void move_body(ac_lanes *lanes, ac_lane_link *body)
{
    const ac_lane_link *carrier = body->parent < 0 ? NULL : &lanes->bodies[body->parent];
    ac_lane axes[9], turned[9], offset[3], *x = body->joint_b, *R = body->body.R_b;
    if (carrier) {
        lane_apply(carrier->body.R_b, body->place, x);
        for (int i = 0; i < 3; ++i) x[i] += carrier->body.x_b[i];
        lane_multiply(carrier->body.R_b, body->axes, axes);
    } else {
        for (int i = 0; i < 3; ++i) x[i] = body->place[i];
        for (int i = 0; i < 9; ++i) axes[i] = body->axes[i];
    }
    for (int f = body->first; f < body->first + body->count; ++f) {
        ac_lane_freedom *freedom = &lanes->freedoms[f];
        put_axis(axes, freedom->axis, freedom->axis_b);
        if (freedom->step.kind == AC_MOTION_SHIFT)
            for (int i = 0; i < 3; ++i) x[i] += freedom->b * freedom->axis_b[i];
        if (freedom->step.kind == AC_MOTION_TURN) turn_columns(&freedom->b, freedom->axis, axes);
    }
    if (body->ball) {
        lane_multiply(axes, body->turn_b, turned);
        lane_multiply_transposed(turned, body->own_axes, R);
    } else {
        lane_multiply_transposed(axes, body->own_axes, R);
    }
    lane_apply(R, body->own_place, offset);
    for (int i = 0; i < 3; ++i) body->body.x_b[i] = x[i] - offset[i];
}

static void move_bodies(ac_lanes *lanes)
{
    for (int k = 0; k < lanes->body_count; ++k) move_body(lanes, &lanes->bodies[k]);
}

/* R <- R (3 - R^T R)/2: orthonormal up to rounding, if it was nearly. */
static void polish(ac_lane *R)
{
    ac_lane square[9], better[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            square[3 * i + j] = -0.5 * (R[i] * R[j] + R[3 + i] * R[3 + j] + R[6 + i] * R[6 + j]);
            if (i == j) square[3 * i + j] += 1.5;
        }
    lane_multiply(R, square, better);
    for (int i = 0; i < 9; ++i) R[i] = better[i];
}

/* turn <- exp(theta) from in the lanes of the mask */
static void turn_ball(const ac_lane *theta, const ac_lane *from, const ac_lane_mask *mask, ac_lane *turn)
{
    ac_lane R[9], product[9];
    for (int l = 0; l < AC_LANES; ++l) {
        double own[3] = {theta[0][l], theta[1][l], theta[2][l]}, turned[9];
        ac_rotation_exp(own, turned);
        for (int i = 0; i < 9; ++i) R[i][l] = turned[i];
    }
    lane_multiply(R, from, product);
    polish(product);
    for (int i = 0; i < 9; ++i) lane_pick(mask, &product[i], &turn[i]);
}

/* The lanes of the mask to `from` moved by factor times delta. */
static void move_lanes(ac_lanes *lanes, const ac_lane_mask *mask, const ac_lane *factor)
{
    for (int k = 0; k < lanes->body_count; ++k) {
        ac_lane_link *body = &lanes->bodies[k];
        ac_lane theta[3];
        for (int f = body->first; f < body->first + body->count; ++f) {
            ac_lane_freedom *freedom = &lanes->freedoms[f];
            const ac_lane by = *factor * freedom->delta, moved = freedom->from + by;
            if (freedom->step.kind == AC_MOTION_BALL)
                theta[freedom->axis] = by;
            else
                lane_pick(mask, &moved, &freedom->b);
        }
        if (body->ball) turn_ball(theta, body->turn_from, mask, body->turn_b);
    }
    move_bodies(lanes);
}

/* The present iterate is what the next correction starts from. */
static void start_from_here(ac_lanes *lanes)
{
    for (int f = 0; f < lanes->freedom_count; ++f) lanes->freedoms[f].from = lanes->freedoms[f].b;
    for (int k = 0; k < lanes->body_count; ++k)
        for (int i = 0; i < 9 && lanes->bodies[k].ball; ++i)
            lanes->bodies[k].turn_from[i] = lanes->bodies[k].turn_b[i];
}

/* --- loads --------------------------------------------------------------------------------------------------------- */

/* Their values on the present interval. */
static void find_loads(ac_lanes *lanes)
{
    double t = (double)lanes->step * lanes->h;
    for (int k = 0; k < lanes->load_count; ++k)
        for (int l = 0; l < AC_LANES; ++l)
            ac_lane_load_value(lanes->systems[l], l, t, lanes->h, &lanes->loads[k].load);
}

/* h/2 times the loads of the present interval, at the newest configuration. */
static void push(ac_lanes *lanes)
{
    for (int k = 0; k < lanes->load_count; ++k) {
        const ac_lane_push *own = &lanes->loads[k];
        ac_lane_link *link = &lanes->bodies[own->body];
        if (own->freedom >= 0)
            lanes->freedoms[own->freedom].pushed += 0.5 * lanes->h * own->sign * own->load.value[0];
        else
            ac_lane_load_add(&own->load, &link->body, lanes->h, link->wrench);
    }
}

/* --- the step equation --------------------------------------------------------------------------------------------- */

/* Twist about the reference point of a turn or shift along an axis. */
static void put_twist(bool shift, const ac_lane *axis, const ac_lane *x, const ac_lane *reference,
                      ac_lane *twist)
{
    ac_lane r[3];
    for (int i = 0; i < 3; ++i) {
        twist[i] = axis[i];
        r[i] = x[i] - reference[i];
        twist[3 + i] = shift ? (ac_lane){0} : axis[i];
    }
    if (!shift) lane_cross(r, axis, twist);
}

static void put_twists_b(ac_lanes *lanes)
{
    for (int f = 0; f < lanes->freedom_count; ++f) {
        ac_lane_freedom *freedom = &lanes->freedoms[f];
        const ac_lane_link *body = &lanes->bodies[freedom->body];
        put_twist(freedom->step.kind == AC_MOTION_SHIFT, freedom->axis_b, body->joint_b,
                  lanes->bodies[body->root].reference, freedom->twist_b);
    }
}

/* The wrench of the residual on one body, about the reference point. */
static void body_residual(double h, const ac_lane *reference, ac_lane_link *link)
{
    ac_lane arm[3], *sum = link->sum;
    ac_lane_body_left(&link->body, h, link->wrench, sum);
    for (int i = 0; i < 3; ++i) arm[i] = link->body.x_a[i] - reference[i];
    lane_add_cross(arm, sum, sum + 3);
}

/* r and its size. */
static void residual(ac_lanes *lanes, ac_lane *size)
{
    lane_fill(0.0, size);
    for (int k = 0; k < lanes->body_count; ++k) {
        ac_lane_link *body = &lanes->bodies[k];
        body_residual(lanes->h, lanes->bodies[body->root].reference, body);
    }
    for (int k = lanes->body_count - 1; k >= 0; --k) {
        const ac_lane_link *body = &lanes->bodies[k];
        for (int f = body->first; f < body->first + body->count; ++f) {
            ac_lane_freedom *freedom = &lanes->freedoms[f];
            const ac_lane *S = freedom->twist_a, *w = body->sum;
            freedom->r = freedom->carried + freedom->pushed + S[0] * w[0] + S[1] * w[1] + S[2] * w[2] +
                         S[3] * w[3] + S[4] * w[4] + S[5] * w[5];
            const ac_lane weighted = freedom->r * freedom->weight;
            lane_raise(&weighted, size);
        }
        if (body->parent >= 0)
            for (int i = 0; i < 6; ++i) lanes->bodies[body->parent].sum[i] += body->sum[i];
    }
}

/* --- the matrix ---------------------------------------------------------------------------------------------------- */

LANE_INLINE void dot(const ac_lane *a, const ac_lane *b, ac_lane *out)
{
    *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* Entries of a freedom with itself and with those that carry it. */
static void put_entries(ac_lanes *lanes, int f)
{
    const ac_lane_freedom *own = &lanes->freedoms[f];
    const ac_lane_link *body = &lanes->bodies[own->body];
    ac_lane down[6], up[6], *K = lanes->matrix;
    int n = lanes->freedom_count;
    ac_lane_slope_apply(body->slope, own->twist_b, down);
    ac_lane_slope_apply_transposed(body->slope, own->twist_a, up);
    dot(own->twist_a, down, &K[f * n + f]);
    for (int g = own->before; g >= 0; g = lanes->freedoms[g].before) {
        dot(lanes->freedoms[g].twist_a, down, &K[g * n + f]);
        dot(lanes->freedoms[g].twist_b, up, &K[f * n + g]);
    }
}

static void put_matrix(ac_lanes *lanes)
{
    for (int k = 0; k < lanes->body_count; ++k) {
        ac_lane_link *body = &lanes->bodies[k];
        ac_lane_body_slope(&body->body, lanes->h, lanes->bodies[body->root].reference, body->slope);
    }
    for (int k = lanes->body_count - 1; k >= 0; --k) {
        const ac_lane_link *body = &lanes->bodies[k];
        for (int f = body->first; f < body->first + body->count; ++f) put_entries(lanes, f);
        if (body->parent >= 0)
            for (int i = 0; i < AC_LANE_SLOPE; ++i) lanes->bodies[body->parent].slope[i] += body->slope[i];
    }
}

/* The residual counts in units of the configuration. */
static void weigh(ac_lanes *lanes)
{
    int n = lanes->freedom_count;
    for (int f = 0; f < n; ++f) {
        ac_lane_freedom *freedom = &lanes->freedoms[f];
        freedom->weight = freedom->unit / lanes->matrix[f * n + f];
    }
}

/* delta with K delta = r, from the leaves to the ground and back. */
static void solve(ac_lanes *lanes)
{
    ac_lane *K = lanes->matrix;
    ac_lane_freedom *u = lanes->freedoms;
    int n = lanes->freedom_count;
    for (int f = 0; f < n; ++f) u[f].delta = u[f].r;
    for (int f = n - 1; f >= 0; --f) {
        for (int g = u[f].before; g >= 0; g = u[g].before) {
            const ac_lane factor = K[g * n + f] / K[f * n + f];
            for (int k = u[f].before; k >= 0; k = u[k].before) K[g * n + k] -= factor * K[f * n + k];
            u[g].delta -= factor * u[f].delta;
        }
    }
    for (int f = 0; f < n; ++f) {
        for (int g = u[f].before; g >= 0; g = u[g].before) u[f].delta -= K[f * n + g] * u[g].delta;
        u[f].delta /= K[f * n + f];
    }
}

/* --- Newton's method ----------------------------------------------------------------------------------------------- */

/* The first increment: as the last ones go on. */
static void guess(ac_lanes *lanes)
{
    for (int f = 0; f < lanes->freedom_count; ++f) {
        ac_lane_freedom *freedom = &lanes->freedoms[f];
        const ac_lane *past = freedom->past;
        if (lanes->step > 2)
            freedom->delta = 3.0 * past[0] - 3.0 * past[1] + past[2];
        else if (lanes->step == 2)
            freedom->delta = 2.0 * past[0] - past[1];
        else
            freedom->delta = past[0];
        freedom->increment = freedom->delta;
    }
    const ac_lane_mask all = ~(ac_lane_mask){0};
    const ac_lane one = (ac_lane){0} + 1.0;
    start_from_here(lanes);
    move_lanes(lanes, &all, &one);
}

/* The size of a correction, and the part of it that does not exceed the limit of turns. */
static void limit(const ac_lanes *lanes, ac_lane *size, ac_lane *factor)
{
    *size = (ac_lane){0};
    *factor = (ac_lane){0} + 1.0;
    for (int f = 0; f < lanes->freedom_count; ++f) {
        const ac_lane weighted = lanes->freedoms[f].delta * lanes->freedoms[f].unit;
        lane_raise(&weighted, size);
    }
    const ac_lane share = lanes->turn_limit / *size;
    const ac_lane_mask large = *size > lanes->turn_limit;
    lane_pick(&large, &share, factor);
}

static bool any(const ac_lane_mask *mask)
{
    int64_t sum = 0;
    for (int l = 0; l < AC_LANES; ++l) sum |= (*mask)[l];
    return sum != 0;
}

/* What rounding of the coordinates of q_a is worth as a correction, at least ROUNDING. */
static void find_rounding(const ac_lanes *lanes, ac_lane *rounding)
{
    ac_lane most = lanes->length;
    for (int k = 0; k < lanes->body_count; ++k)
        for (int i = 0; i < 3; ++i) lane_raise(&lanes->bodies[k].body.x_a[i], &most);
    lane_fill(ROUNDING, rounding);
    const ac_lane own = 4.0 * DBL_EPSILON * most / lanes->length;
    lane_raise(&own, rounding);
}

static void put_system(ac_lanes *lanes)
{
    put_twists_b(lanes);
    put_matrix(lanes);
    weigh(lanes);
}

/* Takes the correction, or a part of it with which the residual falls; lanes without one have failed. */
static void search(ac_lanes *lanes, const ac_lane_mask *active, const ac_lane_mask *near, ac_lane *factor,
                   ac_lane *size)
{
    const ac_lane before = *size;
    ac_lane_mask searching = *active;
    for (int half = 0; half < MOST_HALVINGS && any(&searching); ++half) {
        move_lanes(lanes, &searching, factor);
        residual(lanes, size);
        searching &= ~((*size < before) | (*size <= lanes->goal) | (*near & (*size < INFINITY)));
        const ac_lane halved = 0.5 * *factor;
        lane_pick(&searching, &halved, factor);
    }
    lanes->failed |= searching;
    for (int f = 0; f < lanes->freedom_count; ++f) {
        ac_lane_freedom *freedom = &lanes->freedoms[f];
        const ac_lane sum = freedom->increment + *factor * freedom->delta;
        lane_pick(active, &sum, &freedom->increment);
    }
}

/* The larger of the last correction and ROUNDING, twice. */
static void twice_of(const ac_lane *last, ac_lane *twice)
{
    *twice = (ac_lane){0} + ROUNDING;
    lane_raise(last, twice);
    *twice *= 2.0;
}

static void newton(ac_lanes *lanes)
{
    ac_lane size, last = (ac_lane){0} + INFINITY, left, factor, rounding, twice;
    ac_lane_mask active = ~lanes->failed;
    find_rounding(lanes, &rounding);
    put_system(lanes);
    residual(lanes, &left);
    for (int it = 0; it < lanes->max_iterations && any(&active); ++it) {
        if (it > 0) put_system(lanes);
        solve(lanes);
        limit(lanes, &size, &factor);
        twice_of(&last, &twice);
        const ac_lane_mask near = (size <= NEAR) & (size <= twice);
        start_from_here(lanes);
        search(lanes, &active, &near, &factor, &left);
        active &= ~(lanes->failed |
                    ((factor == 1.0) & ((left <= lanes->goal) | (size <= rounding)) & (left < INFINITY)));
        last = size;
    }
    lanes->failed |= active;
}

/* A root with large turns is not the physical one; turns near the limit are counted. */
static void check_turns(ac_lanes *lanes)
{
    const double most = lanes->most_turned;
    for (int k = 0; k < lanes->body_count; ++k) {
        const ac_lane *a = lanes->bodies[k].body.R_a, *b = lanes->bodies[k].body.R_b;
        ac_lane trace = a[0] * b[0];
        for (int i = 1; i < 9; ++i) trace += a[i] * b[i];
        const ac_lane cosine = 0.5 * (trace - 1.0);
        lanes->failed |= ~(1.0 - cosine <= most);
        const ac_lane below = lanes->near_limit - cosine, square = below * below;
        const ac_lane_mask near = below > 0.0;
        ac_lane own = {0};
        lane_pick(&near, &square, &own);
        lanes->tight += own;
    }
}

/* --- from step to step --------------------------------------------------------------------------------------------- */

/* The momentum of a body at q_b, about its centre of mass; q_b becomes q_a. */
static void advance_body(double h, bool moved, ac_lane_link *link)
{
    if (moved) ac_lane_body_right(&link->body, h, link->wrench);
    ac_lane_body_advance(&link->body);
    for (int i = 0; i < 3; ++i) {
        link->joint_a[i] = link->joint_b[i];
        link->reference[i] = link->joint_b[i];
    }
}

/* Without full turns, which would cost digits. */
static void fold(ac_lane_freedom *freedom)
{
    if (freedom->step.kind != AC_MOTION_TURN) return;
    for (int l = 0; l < AC_LANES; ++l)
        if (fabs(freedom->b[l]) > M_PI) freedom->b[l] = remainder(freedom->b[l], 2.0 * M_PI);
}

static void advance_freedom(bool moved, ac_lane_freedom *freedom)
{
    fold(freedom);
    for (int i = 0; i < 3; ++i) freedom->axis_a[i] = freedom->axis_b[i];
    freedom->pushed = (ac_lane){0};
    freedom->carried = moved ? freedom->r : freedom->pushed;
    if (!moved) return;
    for (int k = LANE_PAST - 1; k > 0; --k) freedom->past[k] = freedom->past[k - 1];
    freedom->past[0] = freedom->increment;
}

/* q_b becomes q_a. */
static void advance(ac_lanes *lanes, bool moved)
{
    for (int f = 0; f < lanes->freedom_count; ++f) advance_freedom(moved, &lanes->freedoms[f]);
    for (int k = 0; k < lanes->body_count; ++k) advance_body(lanes->h, moved, &lanes->bodies[k]);
    for (int f = 0; f < lanes->freedom_count; ++f) {
        ac_lane_freedom *freedom = &lanes->freedoms[f];
        const ac_lane_link *body = &lanes->bodies[freedom->body];
        put_twist(freedom->step.kind == AC_MOTION_SHIFT, freedom->axis_a, body->joint_a,
                  lanes->bodies[body->root].reference, freedom->twist_a);
    }
}

void ac_lanes_restart(ac_lanes *lanes)
{
    lanes->step = 0;
    lanes->failed = (ac_lane_mask){0};
    lanes->tight = (ac_lane){0};
    move_bodies(lanes);
    advance(lanes, false);
}

bool ac_lanes_step(ac_lanes *lanes)
{
    if (lanes->step > 0) {
        advance(lanes, true);
        push(lanes); /* right ends: the loads of the last interval */
    }
    find_loads(lanes);
    push(lanes);
    for (int k = 0; k < lanes->body_count; ++k)
        ac_lane_body_add_weight(&lanes->bodies[k].body, lanes->h, lanes->bodies[k].wrench);
    guess(lanes);
    newton(lanes);
    check_turns(lanes);
    ++lanes->step;
    const ac_lane_mask alive = ~lanes->failed;
    return any(&alive);
}
