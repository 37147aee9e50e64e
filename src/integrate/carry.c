/* Carry-over of the residual that rounding leaves in a step equation.
 *
 * Added to the momentum of the next node the residual compensates itself: momentum errors do not add up. Schemes that
 * keep the energy need more care where there are beams. A stiff beam changes the momentum of a node by much more than
 * the node has, and the residual e, seen as momentum, costs the energy (p_next - p) . M^{-1} e instead of 2 v . e.
 * There only the total force and torque of the residual are carried over, as the momentum of a rigid motion of all
 * nodes that are connected: that keeps linear and angular momentum and costs no energy. Where the ground holds the
 * nodes only motions that the supports allow count, such as turns about a ball joint; where it holds them fast there is
 * no momentum to keep.
 *
 * Parts of the system that are not connected are treated separately. */
#include <string.h>

#include "base/vector.h"
#include "action/inertia.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"

enum { TWIST = 6, INERTIA = 36, CENTRE = 3, PER_PART = INERTIA + CENTRE + TWIST };

/* Supports hold a motion when it moves them by more than this part of the motion that moves them most. */
static const double HELD = 1e-9;

/* --- rigid motions of a part ------------------------------------------------------------------------------- */

static double *inertia_of(const ac_carry *carry, int part)
{
    return carry->work + PER_PART * (size_t)part;
}

static double *centre_of(const ac_carry *carry, int part)
{
    return inertia_of(carry, part) + INERTIA;
}

static double *total_of(const ac_carry *carry, int part)
{
    return centre_of(carry, part) + CENTRE;
}

/* The first node of a part is its centre. */
static void find_centres(const ac_carry *carry, const ac_system *system, const double *q)
{
    for (int i = system->node_count - 1; i >= 0; --i)
        ac_reference(&system->nodes[i], q, centre_of(carry, carry->part[i]));
}

/* Force, and torque about the centre of its part, of f on a node at q. */
static void node_wrench(const ac_carry *carry, const ac_system *system, int i, const double *q,
                        const double *f, double w[TWIST])
{
    const ac_node *node = &system->nodes[i];
    double x[3], arm[3];
    ac_node_wrench(node, q + node->q, f + node->q, w);
    ac_reference(node, q, x);
    sub3(x, centre_of(carry, carry->part[i]), arm);
    add_cross3(arm, w, w + 3);
}

/* Velocity of the coordinates of a node, from `v` on, in a rigid motion of its part. */
static void node_velocity(const ac_carry *carry, const ac_system *system, int i, const double *q,
                          const double twist[TWIST], double *v)
{
    const ac_node *node = &system->nodes[i];
    double own[TWIST], x[3], arm[3];
    memcpy(own, twist, sizeof own);
    ac_reference(node, q, x);
    sub3(x, centre_of(carry, carry->part[i]), arm);
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
static void support_rates(const ac_carry *carry, const ac_system *system, const ac_joint_data *joint,
                          const double *q, double *J)
{
    const ac_constraints *c = &system->constraints;
    int i = supported_node(joint);
    for (int k = 0; k < TWIST; ++k) {
        double unit[TWIST] = {0.0}, v[AC_NODE_MAX], gradient[AC_ELEMENT_MAX];
        unit[k] = 1.0;
        node_velocity(carry, system, i, q, unit, v);
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

/* N (6 x returned count): the rigid motions that the supports of a part allow. */
static int allowed_motions(const ac_carry *carry, const ac_system *system, int part, const double *q,
                           double N[INERTIA])
{
    int rows = 0;
    for (int k = carry->first_support[part]; k < carry->first_support[part + 1]; ++k) {
        const ac_joint_data *joint = &system->joints[carry->supports[k]];
        support_rates(carry, system, joint, q, carry->rates + TWIST * (size_t)rows);
        rows += joint->rows;
    }
    if (rows == 0) {
        for (int k = 0; k < INERTIA; ++k) N[k] = k % (TWIST + 1) == 0 ? 1.0 : 0.0;
        return TWIST;
    }
    ac_row_space space;
    ac_row_space_place(&space, rows, TWIST, carry->space, carry->order);
    ac_row_space_factor(&space, carry->rates, HELD, rows < TWIST ? rows : TWIST);
    ac_row_space_null(&space, N);
    return TWIST - space.rank;
}

/* The part that a joint holds on the ground, if it has beams; -1: none. */
static int part_held(const ac_carry *carry, const ac_joint_data *joint)
{
    int node = supported_node(joint);
    if (node == AC_GROUND || carry->way[carry->part[node]] != AC_CARRY_TOTAL) return -1;
    return carry->part[node];
}

/* The supports of every part with beams, one part after another. */
static ac_status list_supports(ac_context *ctx, const ac_system *system, ac_carry *carry)
{
    int rows = 0, *first;
    AC_NEW(ctx, carry->first_support, carry->parts + 2);
    AC_NEW(ctx, carry->supports, system->joint_count);
    first = carry->first_support + 1; /* moves on to the end of its part while joints are listed */
    for (int j = 0; j < system->joint_count; ++j) {
        int part = part_held(carry, &system->joints[j]);
        if (part < 0) continue;
        ++first[part + 1];
        rows += system->joints[j].rows;
    }
    for (int k = 0; k < carry->parts; ++k) first[k + 1] += first[k];
    for (int j = 0; j < system->joint_count; ++j) {
        int part = part_held(carry, &system->joints[j]);
        if (part >= 0) carry->supports[first[part]++] = j;
    }
    AC_NEW(ctx, carry->rates, TWIST * (size_t)rows);
    AC_NEW(ctx, carry->space, ac_row_space_doubles(rows, TWIST));
    AC_NEW(ctx, carry->order, ac_row_space_ints(rows, TWIST));
    return AC_OK;
}

/* --- making and freeing ------------------------------------------------------------------------------------ */

static void find_ways(const ac_system *system, ac_carry *carry)
{
    double N[INERTIA];
    find_centres(carry, system, system->initial.q);
    for (int k = 0; k < carry->parts; ++k) {
        if (carry->way[k] == AC_CARRY_TOTAL && allowed_motions(carry, system, k, system->initial.q, N) == 0)
            carry->way[k] = AC_CARRY_NOTHING;
        carry->nothing &= carry->way[k] == AC_CARRY_NOTHING;
        carry->totals |= carry->way[k] == AC_CARRY_TOTAL;
        carry->wholes |= carry->way[k] == AC_CARRY_WHOLE;
    }
}

ac_status ac_carry_create(ac_context *ctx, const ac_system *system, const ac_scheme *scheme, ac_carry *carry)
{
    if (!scheme->at_mean || system->beam_count == 0) return AC_OK;
    AC_NEW(ctx, carry->part, system->node_count);
    carry->parts = ac_find_parts(system, carry->part);
    AC_NEW(ctx, carry->way, carry->parts);
    AC_NEW(ctx, carry->work, PER_PART * (size_t)carry->parts);
    for (int i = 0; i < system->node_count; ++i)
        if (system->nodes[i].beam >= 0) carry->way[carry->part[i]] = AC_CARRY_TOTAL;
    AC_TRY(list_supports(ctx, system, carry));
    carry->nothing = true;
    find_ways(system, carry);
    return AC_OK;
}

void ac_carry_destroy(ac_context *ctx, ac_carry *carry)
{
    void *blocks[] = {carry->part,     carry->way,   carry->work,  carry->first_support,
                      carry->supports, carry->rates, carry->space, carry->order};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
}

/* --- totals ------------------------------------------------------------------------------------------------- */

/* Inertia of every part as one rigid body. */
static void find_inertia(ac_stepper *s)
{
    const ac_system *system = s->system;
    const ac_carry *carry = &s->carry;
    double *velocity = s->scratch[0], *momentum = s->scratch[1];
    for (int k = 0; k < carry->parts; ++k) memset(inertia_of(carry, k), 0, INERTIA * sizeof(double));
    for (int c = 0; c < TWIST; ++c) {
        double unit[TWIST] = {0.0}, w[TWIST];
        unit[c] = 1.0;
        for (int i = 0; i < system->node_count; ++i)
            node_velocity(carry, system, i, s->qb, unit, velocity + system->nodes[i].q);
        ac_mass_apply(system, velocity, momentum);
        for (int i = 0; i < system->node_count; ++i) {
            double *inertia = inertia_of(carry, carry->part[i]);
            node_wrench(carry, system, i, s->qb, momentum, w);
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
    const ac_carry *carry = &s->carry;
    find_centres(carry, system, s->interval.mean);
    for (int k = 0; k < carry->parts; ++k) memset(total_of(carry, k), 0, TWIST * sizeof(double));
    for (int i = 0; i < system->node_count; ++i) {
        double w[TWIST], *total = total_of(carry, carry->part[i]);
        if (carry->way[carry->part[i]] != AC_CARRY_TOTAL) continue;
        node_wrench(carry, system, i, s->interval.mean, f, w);
        for (int r = 0; r < TWIST; ++r) total[r] += w[r];
    }
    find_inertia(s);
    for (int k = 0; k < carry->parts; ++k) {
        double N[INERTIA];
        if (carry->way[k] != AC_CARRY_TOTAL) continue;
        int motions = allowed_motions(carry, system, k, s->qb, N);
        solve_motion(motions, N, inertia_of(carry, k), total_of(carry, k));
    }
}

static void carry_totals(ac_stepper *s, double factor, const double *f)
{
    const ac_system *system = s->system;
    const ac_carry *carry = &s->carry;
    double *velocity = s->scratch[0], *momentum = s->scratch[1];
    find_twists(s, f);
    for (int i = 0; i < system->node_count; ++i)
        node_velocity(carry, system, i, s->qb, total_of(carry, carry->part[i]),
                      velocity + system->nodes[i].q);
    ac_mass_apply(system, velocity, momentum);
    for (int i = 0; i < system->n; ++i) s->right[i] += factor * momentum[i];
}

/* --- for formulations ------------------------------------------------------------------------------------------ */

bool ac_stepper_carries(const ac_stepper *s)
{
    return s->carry.parts == 0 || !s->carry.nothing;
}

bool ac_stepper_carries_totals(const ac_stepper *s)
{
    return s->carry.totals && !s->carry.wholes;
}

void ac_stepper_carry_over(ac_stepper *s, double factor, const double *carry)
{
    const ac_system *system = s->system;
    if (!ac_stepper_carries(s)) return;
    if (s->carry.totals) carry_totals(s, factor, carry);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (s->carry.parts > 0 && s->carry.way[s->carry.part[i]] != AC_CARRY_WHOLE) continue;
        for (int c = node->q; c < node->q + node->size; ++c) s->right[c] += factor * carry[c];
    }
}
