/* Handing on what rounding left of a step equation.
 *
 * Added to the momentum of the next node it makes up for itself: momentum errors do not add up. Schemes
 * that keep the energy need more care where there are beams: a stiff beam changes the momentum of a node
 * by much more than the node has, and the rest e, seen as momentum, costs the energy (p_next - p) . M^{-1}
 * e instead of 2 v . e. There only the total force and torque of the rest are handed on, as the momentum
 * of a rigid motion of all nodes that hang together: that keeps linear and angular momentum and costs
 * nothing. Where the ground holds them only motions that the supports allow count, such as turns about a
 * ball joint; where it holds them fast there is no momentum to keep.
 *
 * Parts of the system that nothing connects know nothing of each other, so each part is treated as if it
 * were alone.
 */
#include <string.h>

#include "base/vector.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"

enum { TWIST = 6, INERTIA = 36, CENTRE = 3, PER_PART = INERTIA + CENTRE + TWIST };

/* Supports hold a motion when it moves them by more than this part of the motion that moves them most. */
static const double HELD = 1e-9;

/* --- rigid motions of a part ------------------------------------------------------------------------------- */

static double *inertia_of(const ac_rest *rest, int part)
{
    return rest->work + PER_PART * (size_t)part;
}

static double *centre_of(const ac_rest *rest, int part)
{
    return inertia_of(rest, part) + INERTIA;
}

static double *total_of(const ac_rest *rest, int part)
{
    return centre_of(rest, part) + CENTRE;
}

/* The first node of a part is its centre. */
static void find_centres(const ac_rest *rest, const ac_system *system, const double *q)
{
    for (int i = system->node_count - 1; i >= 0; --i)
        ac_reference(&system->nodes[i], q, centre_of(rest, rest->part[i]));
}

/* Force, and torque about the centre of its part, of f on a node at q. */
static void node_wrench(const ac_rest *rest, const ac_system *system, int i, const double *q, const double *f,
                        double w[TWIST])
{
    const ac_node *node = &system->nodes[i];
    double x[3], arm[3];
    ac_node_wrench(node, q + node->q, f + node->q, w);
    ac_reference(node, q, x);
    sub3(x, centre_of(rest, rest->part[i]), arm);
    add_cross3(arm, w, w + 3);
}

/* Velocity of the coordinates of a node, from `v` on, in a rigid motion of its part. */
static void node_velocity(const ac_rest *rest, const ac_system *system, int i, const double *q,
                          const double twist[TWIST], double *v)
{
    const ac_node *node = &system->nodes[i];
    double own[TWIST], x[3], arm[3];
    memcpy(own, twist, sizeof own);
    ac_reference(node, q, x);
    sub3(x, centre_of(rest, rest->part[i]), arm);
    add_cross3(twist + 3, arm, own);
    ac_node_tangent(node, q + node->q, own, v);
}

/* --- supports ---------------------------------------------------------------------------------------------- */

/* The node that a joint holds on the ground; AC_GROUND if it is no support. */
static int supported_node(const ac_joint_data *joint)
{
    if (joint->a.node == AC_GROUND) return joint->b.node;
    return joint->b.node == AC_GROUND ? joint->a.node : AC_GROUND;
}

/* Rates of the equations of a support in the six rigid motions, row by row. */
static void support_rates(const ac_rest *rest, const ac_system *system, const ac_joint_data *joint,
                          const double *q, double *J)
{
    const ac_constraints *c = &system->constraints;
    int i = supported_node(joint);
    for (int k = 0; k < TWIST; ++k) {
        double unit[TWIST] = {0.0}, v[AC_NODE_MAX], gradient[AC_ELEMENT_MAX];
        unit[k] = 1.0;
        node_velocity(rest, system, i, q, unit, v);
        for (int r = 0; r < joint->rows; ++r) {
            int row = joint->first_row + r, first = c->start[row];
            double *rate = &J[TWIST * r + k];
            ac_constraint_gradient(system, row, q, gradient);
            *rate = 0.0;
            for (int e = first; e < c->start[row + 1]; ++e)
                *rate += gradient[e - first] * v[c->coordinate[e] - system->nodes[i].q];
        }
    }
}

/* N (6 x answer): the rigid motions that the supports of a part allow. */
static int allowed_motions(const ac_rest *rest, const ac_system *system, int part, const double *q,
                           double N[INERTIA])
{
    int rows = 0;
    for (int k = rest->first_support[part]; k < rest->first_support[part + 1]; ++k) {
        const ac_joint_data *joint = &system->joints[rest->supports[k]];
        support_rates(rest, system, joint, q, rest->rates + TWIST * (size_t)rows);
        rows += joint->rows;
    }
    if (rows == 0) {
        for (int k = 0; k < INERTIA; ++k) N[k] = k % (TWIST + 1) == 0 ? 1.0 : 0.0;
        return TWIST;
    }
    ac_row_space space;
    ac_row_space_place(&space, rows, TWIST, rest->space, rest->order);
    ac_row_space_factor(&space, rest->rates, HELD, rows < TWIST ? rows : TWIST);
    ac_row_space_null(&space, N);
    return TWIST - space.rank;
}

/* The part that a joint holds on the ground, if it has beams; -1: none. */
static int part_held(const ac_rest *rest, const ac_joint_data *joint)
{
    int node = supported_node(joint);
    if (node == AC_GROUND || rest->way[rest->part[node]] != AC_HAND_ON_TOTAL) return -1;
    return rest->part[node];
}

/* The supports of every part with beams, one part after another. */
static ac_status list_supports(ac_context *ctx, const ac_system *system, ac_rest *rest)
{
    int rows = 0, *first;
    AC_NEW(ctx, rest->first_support, rest->parts + 2);
    AC_NEW(ctx, rest->supports, system->joint_count);
    first = rest->first_support + 1; /* moves on to the end of its part while joints are listed */
    for (int j = 0; j < system->joint_count; ++j) {
        int part = part_held(rest, &system->joints[j]);
        if (part < 0) continue;
        ++first[part + 1];
        rows += system->joints[j].rows;
    }
    for (int k = 0; k < rest->parts; ++k) first[k + 1] += first[k];
    for (int j = 0; j < system->joint_count; ++j) {
        int part = part_held(rest, &system->joints[j]);
        if (part >= 0) rest->supports[first[part]++] = j;
    }
    AC_NEW(ctx, rest->rates, TWIST * (size_t)rows);
    AC_NEW(ctx, rest->space, ac_row_space_doubles(rows, TWIST));
    AC_NEW(ctx, rest->order, ac_row_space_ints(rows, TWIST));
    return AC_OK;
}

/* --- making and freeing ------------------------------------------------------------------------------------ */

static void find_ways(const ac_system *system, ac_rest *rest)
{
    double N[INERTIA];
    find_centres(rest, system, system->q0);
    for (int k = 0; k < rest->parts; ++k) {
        if (rest->way[k] == AC_HAND_ON_TOTAL && allowed_motions(rest, system, k, system->q0, N) == 0)
            rest->way[k] = AC_HAND_ON_NOTHING;
        rest->nothing &= rest->way[k] == AC_HAND_ON_NOTHING;
        rest->totals |= rest->way[k] == AC_HAND_ON_TOTAL;
        rest->wholes |= rest->way[k] == AC_HAND_ON_WHOLE;
    }
}

ac_status ac_rest_create(ac_context *ctx, const ac_system *system, const ac_scheme *scheme, ac_rest *rest)
{
    if (!scheme->at_mean || system->beam_count == 0) return AC_OK;
    AC_NEW(ctx, rest->part, system->node_count);
    rest->parts = ac_find_parts(system, rest->part);
    AC_NEW(ctx, rest->way, rest->parts);
    AC_NEW(ctx, rest->work, PER_PART * (size_t)rest->parts);
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].beam >= 0) rest->way[rest->part[i]] = AC_HAND_ON_TOTAL;
    AC_TRY(list_supports(ctx, system, rest));
    rest->nothing = true;
    find_ways(system, rest);
    return AC_OK;
}

void ac_rest_destroy(ac_context *ctx, ac_rest *rest)
{
    void *blocks[] = {rest->part,     rest->way,   rest->work,  rest->first_support,
                      rest->supports, rest->rates, rest->space, rest->order};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
}

/* --- totals ------------------------------------------------------------------------------------------------- */

/* Inertia of every part as one rigid body. */
static void find_inertia(ac_stepper *s)
{
    const ac_system *system = s->system;
    const ac_rest *rest = &s->rest;
    double *velocity = s->scratch[0], *momentum = s->scratch[1];
    for (int k = 0; k < rest->parts; ++k) memset(inertia_of(rest, k), 0, INERTIA * sizeof(double));
    for (int c = 0; c < TWIST; ++c) {
        double unit[TWIST] = {0.0}, w[TWIST];
        unit[c] = 1.0;
        for (int i = 0; i < system->node_count; ++i)
            node_velocity(rest, system, i, s->qb, unit, velocity + system->nodes[i].q);
        ac_mass_apply(system, velocity, momentum);
        for (int i = 0; i < system->node_count; ++i) {
            double *inertia = inertia_of(rest, rest->part[i]);
            node_wrench(rest, system, i, s->qb, momentum, w);
            for (int r = 0; r < TWIST; ++r) inertia[TWIST * r + c] += w[r];
        }
    }
}

/* total <- N z, the allowed motion whose momentum is the total: N^T inertia N z = N^T total; zero if a motion
 * has no inertia. */
static void solve_motion(int k, const double *N, const double *inertia, double total[TWIST])
{
    double reduced[INERTIA] = {0.0}, z[TWIST] = {0.0};
    int pivot[TWIST];
    for (int i = 0; i < TWIST; ++i)
        for (int a = 0; a < k; ++a) {
            z[a] += N[i * k + a] * total[i];
            for (int j = 0; j < TWIST; ++j)
                for (int b = 0; b < k; ++b)
                    reduced[a * k + b] += N[i * k + a] * inertia[TWIST * i + j] * N[j * k + b];
        }
    memset(total, 0, TWIST * sizeof *total);
    if (!ac_lu_factor(k, reduced, pivot)) return;
    ac_lu_solve(k, reduced, pivot, z);
    for (int i = 0; i < TWIST; ++i)
        for (int a = 0; a < k; ++a) total[i] += N[i * k + a] * z[a];
}

/* Totals of the parts, and the twists that have them as momentum. */
static void find_twists(ac_stepper *s, const double *f)
{
    const ac_system *system = s->system;
    const ac_rest *rest = &s->rest;
    find_centres(rest, system, s->interval.mean);
    for (int k = 0; k < rest->parts; ++k) memset(total_of(rest, k), 0, TWIST * sizeof(double));
    for (int i = 0; i < system->node_count; ++i) {
        double w[TWIST], *total = total_of(rest, rest->part[i]);
        if (rest->way[rest->part[i]] != AC_HAND_ON_TOTAL) continue;
        node_wrench(rest, system, i, s->interval.mean, f, w);
        for (int r = 0; r < TWIST; ++r) total[r] += w[r];
    }
    find_inertia(s);
    for (int k = 0; k < rest->parts; ++k) {
        double N[INERTIA];
        if (rest->way[k] != AC_HAND_ON_TOTAL) continue;
        int motions = allowed_motions(rest, system, k, s->qb, N);
        solve_motion(motions, N, inertia_of(rest, k), total_of(rest, k));
    }
}

static void hand_on_totals(ac_stepper *s, double factor, const double *f)
{
    const ac_system *system = s->system;
    const ac_rest *rest = &s->rest;
    double *velocity = s->scratch[0], *momentum = s->scratch[1];
    find_twists(s, f);
    for (int i = 0; i < system->node_count; ++i)
        node_velocity(rest, system, i, s->qb, total_of(rest, rest->part[i]), velocity + system->nodes[i].q);
    ac_mass_apply(system, velocity, momentum);
    for (int i = 0; i < system->n; ++i) s->right[i] += factor * momentum[i];
}

/* --- for formulations ------------------------------------------------------------------------------------------ */

bool ac_stepper_hands_on(const ac_stepper *s)
{
    return s->rest.parts == 0 || !s->rest.nothing;
}

bool ac_stepper_hands_on_totals(const ac_stepper *s)
{
    return s->rest.totals && !s->rest.wholes;
}

void ac_stepper_hand_on(ac_stepper *s, double factor, const double *rest)
{
    const ac_system *system = s->system;
    if (!ac_stepper_hands_on(s)) return;
    if (s->rest.totals) hand_on_totals(s, factor, rest);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (s->rest.parts > 0 && s->rest.way[s->rest.part[i]] != AC_HAND_ON_WHOLE) continue;
        for (int c = node->q; c < node->q + node->size; ++c) s->right[c] += factor * rest[c];
    }
}
