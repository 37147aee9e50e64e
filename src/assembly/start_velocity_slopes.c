/* Derivative of the velocity at the start.
 *
 * Twists of the motion follow the tree, eta_c = carried eta_p + S u; along a change of the configuration (twists xi)
 *   eta_c' = carried eta_p' + (w_p x (x_c - x_p)', 0) + S' u + S u'.
 * Rates of joints and velocities of free bodies are given, u' with them. The other tree velocities are the shortest ones for which
 * the loops stay closed and bodies on joints have their velocity, B u = c; then
 *   u' = B^+ (c' - B' u) + (1 - B^+ B) B'^T (B^+)^T u.
 */
#include <math.h>
#include <string.h>

#include "assembly/start_slopes.h"
#include "base/vector.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9;
static const double MET = 1e-8;

/* --- joint twists --- */

/* (a x r)' of a turn about an axis, with the axis behind it */
static void bend_turn(const double axis[3], const double by_axis[3], const double r[3], const double by_r[3],
                      double column[6])
{
    cross3(by_axis, r, column);
    add_cross3(axis, by_r, column);
    copy3(by_axis, column + 3);
}

/* An axis of a swing stays perpendicular to the gap. */
static void bend_swing(const double axes[9], const double basis[3], const double turn[3], const double gap[3],
                       const double by_gap[3], double column[6])
{
    double axis[3], by_axis[3], carried[3], own[3];
    apply3(axes, basis, axis);
    cross3(turn, axis, by_axis);
    cross3(turn, gap, carried);
    sub3(by_gap, carried, own);
    double share = dot3(axis, own) / dot3(gap, gap);
    for (int i = 0; i < 3; ++i) by_axis[i] -= share * gap[i];
    cross3(by_axis, gap, column);
    add_cross3(axis, by_gap, column);
    memset(column + 3, 0, 3 * sizeof *column);
}

static void bend_columns(const ac_start_pass *p, int number)
{
    static const double still[6] = {0};
    const ac_system *system = p->system;
    const ac_node *node = &system->nodes[number];
    double *out = p->bent + 6 * node->u;
    memset(out, 0, 6 * (size_t)node->freedoms * sizeof *out);
    if (node->joint < 0) return;
    const ac_joint_data *joint = &system->joints[node->joint];
    const ac_joint_slope *by = &p->slope->joints[node->joint];
    const double *parent = node->parent == AC_GROUND ? still : p->xi + 6 * node->parent,
                 *own = p->xi + 6 * number;
    double x_a[3], axes[9], x_b[3], axes_b[9], by_a[3], by_b[3], here[3], r[3], by_r[3], gap[3], by_gap[3],
        frame_a[3], frame_b[3];
    ac_start_frame(p, ac_parent_side(joint), by->turn[joint->reversed], parent, frame_a);
    ac_start_frame(p, ac_child_side(joint), by->turn[!joint->reversed], own, frame_b);
    ac_side_frame(system, ac_parent_side(joint), system->initial.q, x_a, axes);
    ac_side_frame(system, ac_child_side(joint), system->initial.q, x_b, axes_b);
    ac_start_side(p, ac_parent_side(joint), by->place[joint->reversed], parent, by_a);
    ac_start_side(p, ac_child_side(joint), by->place[!joint->reversed], own, by_b);
    ac_reference(node, system->initial.q, here);
    sub3(here, node->walk.backward ? x_a : x_b, r);
    sub3(own, node->walk.backward ? by_a : by_b, by_r);
    sub3(x_b, x_a, gap);
    sub3(by_b, by_a, by_gap);
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        const double *frame = step->in_child ? axes_b : axes, *turn = step->in_child ? frame_b : frame_a;
        for (int f = 0; f < step->freedoms; ++f) {
            double *column = out + 6 * (step->freedom + f), axis[3], by_axis[3];
            int about = step->kind != AC_MOTION_BALL ? step->axis : step->freedoms == 1 ? 2 : f;
            for (int i = 0; i < 3; ++i) axis[i] = frame[3 * i + about];
            cross3(turn, axis, by_axis);
            if (step->kind == AC_MOTION_SHIFT) copy3(by_axis, column);
            if (step->kind == AC_MOTION_TURN || step->kind == AC_MOTION_BALL)
                bend_turn(axis, by_axis, r, by_r, column);
            if (step->kind == AC_MOTION_SWING && step->freedoms == 1) {
                column[0] = -axes[8] * by_gap[1];
                column[1] = axes[8] * by_gap[0];
            } else if (step->kind == AC_MOTION_SWING) {
                bend_swing(axes, system->initial.state[number].basis + 3 * f, frame_a, gap, by_gap, column);
            }
        }
    }
}

/* --- the motion along tree velocities u that change by u' --- */

static void move(const ac_start_pass *p, const double *u, const double *by_u)
{
    for (int k = 0; k < p->system->node_count; ++k) {
        int i = p->system->tree.order[k];
        const ac_node *node = &p->system->nodes[i];
        double *eta = p->eta + 6 * i, *by = p->eta_slope + 6 * i;
        ac_start_carry(p, node, p->eta, eta);
        ac_start_carry(p, node, p->eta_slope, by);
        if (node->parent != AC_GROUND) {
            double arm[3];
            sub3(p->xi + 6 * i, p->xi + 6 * node->parent, arm);
            add_cross3(p->eta + 6 * node->parent + 3, arm, by);
        }
        for (int j = node->u; j < node->u + node->freedoms; ++j)
            for (int c = 0; c < 6; ++c) {
                eta[c] += p->columns[6 * j + c] * u[j];
                by[c] += p->bent[6 * j + c] * u[j] + p->columns[6 * j + c] * by_u[j];
            }
    }
}

/* v = A(q) eta and its derivative A(q) eta' + (A' along q') eta; A is at most quadratic in q, so that half the difference of its
 * values at q + q' and q - q' is that derivative. */
static void spread(const ac_start_pass *p, double *v, double *v_slope)
{
    for (int i = 0; i < p->system->node_count; ++i) {
        const ac_node *node = &p->system->nodes[i];
        const double *q = p->system->initial.q + node->q, *by = p->slope->q + node->q;
        double ends[2][AC_NODE_MAX], x[AC_NODE_MAX];
        ac_node_tangent(node, q, p->eta + 6 * i, v + node->q);
        ac_node_tangent(node, q, p->eta_slope + 6 * i, v_slope + node->q);
        for (int e = 0; e < 2; ++e) {
            for (int c = 0; c < node->size; ++c) x[c] = q[c] + (e == 0 ? by[c] : -by[c]);
            ac_node_tangent(node, x, p->eta + 6 * i, ends[e]);
        }
        for (int c = 0; c < node->size; ++c) v_slope[node->q + c] += 0.5 * (ends[0][c] - ends[1][c]);
    }
}

/* --- given rates and velocities --- */

/* Rates of a joint that is gone from its other side: see ac_joint_from_rates. */
static void rates_from_behind(const ac_start_pass *p, int number, double *by_u)
{
    const ac_node *node = &p->system->nodes[number];
    const ac_joint_data *joint = &p->system->joints[node->joint];
    const ac_joint_state *state = &p->system->initial.state[number];
    const double *moved = p->w + node->u;
    double turn[3] = {0}, shift[3] = {0}, slide[3] = {0}, w[3] = {0}, back[3], change[3], second[3];
    if (ac_row_is_ball(joint->row)) { /* -Q omega, Q' = turn Q */
        apply3(state->turn, joint->rates, back);
        cross3(moved, back, change);
        for (int j = 0; joint->reversed && j < node->freedoms; ++j) by_u[j] -= change[j];
        return;
    }
    if (node->walk.aligned) return;
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        bool turns = step->kind == AC_MOTION_TURN;
        (turns ? w : slide)[step->axis] = joint->rates[step->number];
        (turns ? turn : shift)[step->axis] = moved[step->freedom];
    }
    apply3(state->turn, slide, back);
    cross3(turn, back, change);
    cross3(w, shift, second);
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        if (step->kind == AC_MOTION_SHIFT) by_u[step->freedom] -= change[step->axis] + second[step->axis];
    }
}

/* Marks freedoms whose velocity is given by itself, with its derivative. */
static void take_given(ac_start_pass *p)
{
    memset(p->by_u, 0, (size_t)p->n * sizeof *p->by_u);
    memset(p->fixed, 0, (size_t)p->n * sizeof *p->fixed);
    for (int i = 0; i < p->system->node_count; ++i) {
        const ac_node *node = &p->system->nodes[i];
        const ac_node_slope *by = &p->slope->nodes[i];
        double *u = p->by_u + node->u;
        int turns = ac_node_turns(node);
        if (node->joint >= 0 && p->system->joints[node->joint].has_rates) {
            ac_joint_from_rates(p->system, node, p->slope->joints[node->joint].rates,
                                &p->system->initial.state[i], u);
            rates_from_behind(p, i, u);
            for (int j = 0; j < node->freedoms; ++j) p->fixed[node->u + j] = true;
        } else if (node->joint < 0 && node->moving) {
            for (int c = 0; c < node->freedoms; ++c) {
                bool turn = c >= node->dimension;
                bool follows = turn ? node->spin_follows : node->velocity_follows;
                if (follows && p->m > 0) continue; /* loops alone make it follow anything */
                u[c] = turn ? by->spin[turns == 1 ? 2 : c - node->dimension] : by->velocity[c];
                p->fixed[node->u + c] = true;
            }
        }
    }
}

/* --- conditions on the other tree velocities --- */

typedef struct conditions {
    int rows, unknowns;
    int *at;              /* unknowns: numbers of freedoms */
    double *B, *bent, *r; /* rows x unknowns, its derivative; right side */
    double *x, *y, *z, *u, *none, *block;
    int *ints;
} conditions;

/* Velocity (of the origin, if the spin follows) and spin of a moving node on a joint, and their derivatives; returns how many. */
static int seen(const ac_start_pass *p, int number, double value[6], double slope[6])
{
    const ac_node *node = &p->system->nodes[number];
    const double *eta = p->eta + 6 * number, *by = p->eta_slope + 6 * number, *turn = p->xi + 6 * number + 3;
    double v[3], by_v[3];
    int count = 0;
    copy3(eta, v);
    copy3(by, by_v);
    if (node->spin_follows) {
        double position[3], R[9], arm[3], by_arm[3];
        ac_node_get_pose(node, p->system->initial.q + node->q, position, R);
        apply3(R, node->centre, arm);
        apply3(R, p->slope->nodes[number].centre, by_arm);
        add_cross3(turn, arm, by_arm);
        for (int i = 0; i < 3; ++i) {
            arm[i] = -arm[i];
            by_arm[i] = -by_arm[i];
        }
        add_cross3(eta + 3, arm, v);
        add_cross3(by + 3, arm, by_v);
        add_cross3(eta + 3, by_arm, by_v);
    }
    for (int c = 0; c < node->dimension && !node->velocity_follows; ++c, ++count) {
        value[count] = v[c];
        slope[count] = by_v[c];
    }
    for (int c = 0; c < 3 && !node->spin_follows && ac_node_turns(node) > 0; ++c, ++count) {
        value[count] = eta[3 + c];
        slope[count] = by[3 + c];
    }
    return count;
}

static bool is_led(const ac_system *system, const ac_node *node)
{
    return node->moving && node->joint >= 0 && !system->joints[node->joint].has_rates;
}

/* Values and derivatives of all conditions along the motion that was made last; NULL: they are counted. */
static int evaluate(const ac_start_pass *p, double *value, double *slope)
{
    int rows = 0;
    for (int i = 0; i < p->system->node_count; ++i) {
        double own[6], by[6];
        if (!is_led(p->system, &p->system->nodes[i])) continue;
        int count = seen(p, i, own, by);
        if (value) memcpy(value + rows, own, (size_t)count * sizeof *own);
        if (value) memcpy(slope + rows, by, (size_t)count * sizeof *by);
        rows += count;
    }
    if (value) {
        spread(p, p->v, p->v_slope);
        ac_start_row_rates(p, p->v, p->v_slope, slope + rows);
        for (int k = 0; k < p->m; ++k) value[rows + k] = 0.0;
        for (int k = 0; k < p->m; ++k) { /* G v */
            const ac_constraints *c = &p->system->constraints;
            int row = c->closure + k;
            double gradient[2 * AC_ELEMENT_MAX];
            ac_constraint_gradient(p->system, row, p->system->initial.q, gradient);
            for (int s = c->start[row]; s < c->start[row + 1]; ++s)
                value[rows + k] += gradient[s - c->start[row]] * p->v[c->coordinate[s]];
        }
    }
    return rows + p->m;
}

/* Derivatives of what the conditions ask for. */
static void demands(const ac_start_pass *p, double *value, double *slope)
{
    int rows = 0;
    for (int i = 0; i < p->system->node_count; ++i) {
        const ac_node *node = &p->system->nodes[i];
        const ac_node_slope *by = &p->slope->nodes[i];
        if (!is_led(p->system, node)) continue;
        for (int c = 0; c < node->dimension && !node->velocity_follows; ++c, ++rows) {
            value[rows] = node->velocity[c];
            slope[rows] = by->velocity[c];
        }
        for (int c = 0; c < 3 && !node->spin_follows && ac_node_turns(node) > 0; ++c, ++rows) {
            value[rows] = node->spin[c];
            slope[rows] = by->spin[c];
        }
    }
    for (int k = 0; k < p->m; ++k) value[rows + k] = slope[rows + k] = 0.0;
}

/* The node that a condition is about. */
static const char *led_by(const ac_start_pass *p, int row)
{
    int rows = 0;
    for (int i = 0; i < p->system->node_count; ++i) {
        double own[6], by[6];
        if (!is_led(p->system, &p->system->nodes[i])) continue;
        rows += seen(p, i, own, by);
        if (row < rows) return p->system->nodes[i].name;
    }
    return NULL;
}

static ac_status not_met(const ac_start_pass *p, int row)
{
    const char *name = led_by(p, row);
    if (!name)
        return ac_fail(p->ctx, AC_BAD_INPUT, "the velocities at the start do not keep the loops closed");
    return ac_fail(p->ctx, AC_BAD_INPUT,
                   "the start does not have the velocity that is given to '%s'; give it one that its joints "
                   "permit, or none",
                   name);
}

static ac_status make_room(const ac_start_pass *p, conditions *c)
{
    size_t rows = (size_t)c->rows, n = (size_t)p->n;
    int longest = c->rows > p->n ? c->rows : p->n;
    AC_NEW(p->ctx, c->at, n + 1);
    for (int j = 0; j < p->n; ++j)
        if (!p->fixed[j]) c->at[c->unknowns++] = j;
    AC_NEW(p->ctx, c->B, rows * (size_t)c->unknowns + 1);
    AC_NEW(p->ctx, c->bent, rows * (size_t)c->unknowns + 1);
    double **vectors[] = {&c->r, &c->x, &c->y, &c->z, &c->u, &c->none};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        AC_NEW(p->ctx, *vectors[k], 2 * (size_t)longest + 2);
    AC_NEW(p->ctx, c->block, ac_row_space_doubles(c->rows, c->unknowns) + 1);
    AC_NEW(p->ctx, c->ints, ac_row_space_ints(c->rows, c->unknowns) + 1);
    return AC_OK;
}

/* B and its derivative, column by column. */
static void fill_matrix(ac_start_pass *p, conditions *c)
{
    memset(c->none, 0, (size_t)p->n * sizeof *c->none);
    memset(c->u, 0, (size_t)p->n * sizeof *c->u);
    for (int k = 0; k < c->unknowns; ++k) {
        c->u[c->at[k]] = 1.0;
        move(p, c->u, c->none);
        evaluate(p, c->x, c->y);
        c->u[c->at[k]] = 0.0;
        for (int r = 0; r < c->rows; ++r) {
            c->B[r * c->unknowns + k] = c->x[r];
            c->bent[r * c->unknowns + k] = c->y[r];
        }
    }
}

/* (1 - B^+ B) B'^T y with B^T y = u */
static void turn_null_space(const ac_row_space *space, const ac_start_pass *p, conditions *c, double *out)
{
    int n = c->unknowns;
    double *u = c->u, *z = c->z, *b = c->x, *part = c->none;
    for (int k = 0; k < n; ++k) u[k] = p->system->initial.u[c->at[k]];
    ac_row_space_solve_transposed(space, u, c->y);
    for (int k = 0; k < n; ++k) {
        z[k] = 0.0;
        for (int r = 0; r < c->rows; ++r) z[k] += c->bent[r * n + k] * c->y[r];
    }
    for (int r = 0; r < c->rows; ++r) {
        b[r] = 0.0;
        for (int k = 0; k < n; ++k) b[r] += c->B[r * n + k] * z[k];
    }
    ac_row_space_solve(space, b, part);
    for (int k = 0; k < n; ++k) out[k] += z[k] - part[k];
}

static ac_status solve(ac_start_pass *p, conditions *c)
{
    ac_row_space space;
    int n = c->unknowns, worst = 0;
    double *delta = c->z, most = 0.0, off = 0.0, *given = c->x, *slope = c->y;
    fill_matrix(p, c);
    ac_row_space_place(&space, c->rows, n, c->block, c->ints);
    ac_row_space_factor(&space, c->B, RANK_TOLERANCE, c->rows);
    /* with u' of the given ones alone: what is missing */
    move(p, p->system->initial.u, p->by_u);
    evaluate(p, c->u, c->r);
    demands(p, given, slope);
    for (int r = 0; r < c->rows; ++r) {
        most = ac_max(most, ac_max(fabs(given[r]), fabs(c->u[r])));
        if (fabs(given[r] - c->u[r]) > off) worst = r;
        off = ac_max(off, fabs(given[r] - c->u[r]));
        c->r[r] = slope[r] - c->r[r];
    }
    for (int j = 0; j < p->n; ++j) most = ac_max(most, fabs(p->system->initial.u[j]));
    if (off > MET * (1.0 + most)) return not_met(p, worst);
    ac_row_space_solve(&space, c->r, delta);
    for (int k = 0; k < n; ++k) p->by_u[c->at[k]] = delta[k];
    memset(c->r, 0, (size_t)(n + 1) * sizeof *c->r);
    turn_null_space(&space, p, c, c->r);
    for (int k = 0; k < n; ++k) p->by_u[c->at[k]] += c->r[k];
    return AC_OK;
}

static ac_status meet_conditions(ac_start_pass *p)
{
    conditions c = {.rows = evaluate(p, NULL, NULL)};
    if (c.rows == 0) return AC_OK;
    ac_status status = make_room(p, &c);
    if (status == AC_OK && c.unknowns > 0) status = solve(p, &c);
    void *blocks[] = {c.at, c.B, c.bent, c.r, c.x, c.y, c.z, c.u, c.none, c.block, c.ints};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(p->ctx, blocks[k]);
    return status;
}

static bool rests(const ac_start_pass *p)
{
    for (int j = 0; j < p->n; ++j)
        if (p->system->initial.u[j] != 0.0 || p->by_u[j] != 0.0) return false;
    return true;
}

ac_status ac_start_velocity_slopes(ac_start_pass *p)
{
    for (int i = 0; i < p->system->node_count; ++i) bend_columns(p, i);
    take_given(p);
    bool asked = false;
    for (int i = 0; i < p->system->node_count; ++i) asked |= is_led(p->system, &p->system->nodes[i]);
    if (asked || !rests(p)) AC_TRY(meet_conditions(p));
    move(p, p->system->initial.u, p->by_u);
    spread(p, p->v, p->slope->v);
    return AC_OK;
}
