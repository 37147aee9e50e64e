/* The tangent of the equilibrium equations: its terms, the loops that border it, solves and products.
 *
 * Trees that are short have a sparse matrix by their freedoms. In long chains that matrix is dense, and many loops border it
 * with as many rows again: such systems take the extended form (tree/extended.h), whose cost is nearly linear in the number
 * of nodes, and choose independent closure equations from sparse rows. */
#include <math.h>
#include <string.h>

#include "action/element.h"
#include "action/load.h"
#include "equilibrium/solver.h"
#include "action/spin.h"
#include "math/math.h"
#include "tree/extended.h"

static const double RANK_TOLERANCE = 1e-9;
enum {
    MANY = 8,   /* closure equations for fewer freedoms than this each are many */
    FEW = 10,   /* freedoms of open chains that are few, ... */
    SMALL = 30, /* ... and with loops: below this the dense form costs less */
};

/* --- making and freeing --- */

static bool takes_extended_form(const ac_equilibrium *e)
{
    if (e->freedoms > FEW && e->closures == 0) return !ac_tree_sparse_pays(e->system);
    return e->freedoms > SMALL && (e->closures > e->freedoms / MANY || !ac_tree_sparse_pays(e->system));
}

static ac_status create_dense_loops(ac_equilibrium *e)
{
    AC_NEW(e->ctx, e->balance.J, (size_t)e->closures * (size_t)e->freedoms);
    AC_NEW(e->ctx, e->space_block, ac_row_space_doubles(e->closures, e->freedoms));
    AC_NEW(e->ctx, e->space_ints, ac_row_space_ints(e->closures, e->freedoms));
    ac_row_space_place(&e->space, e->closures, e->freedoms, e->space_block, e->space_ints);
    return AC_OK;
}

ac_status ac_equilibrium_tangent_create(ac_equilibrium *e)
{
    AC_NEW(e->ctx, e->newton.omitted, (size_t)e->closures);
    if (!takes_extended_form(e)) {
        AC_TRY(create_dense_loops(e));
        return ac_tree_sparse_create_bordered(e->ctx, e->system, &e->tangent);
    }
    AC_TRY(ac_tree_extended_create(e->ctx, e->system, &e->tangent));
    AC_NEW(e->ctx, e->whole,
           2 * ((size_t)e->size + 12 * (size_t)e->system->node_count + (size_t)e->freedoms));
    return ac_loop_rows_create(e->ctx, e->system, &e->loops);
}

void ac_equilibrium_tangent_destroy(ac_equilibrium *e)
{
    void *blocks[] = {e->balance.J, e->newton.omitted, e->space_block, e->space_ints, e->whole};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(e->ctx, blocks[k]);
    ac_tree_sparse_destroy(&e->tangent);
    ac_loop_rows_destroy(&e->loops);
}

/* --- solves and products --- */

ac_status ac_equilibrium_solve(ac_equilibrium *e, double *x)
{
    if (e->tangent.twists == 0) return ac_sparse_solve(e->tangent.matrix, x);
    memset(e->whole, 0, ((size_t)e->size + 12 * (size_t)e->system->node_count) * sizeof *e->whole);
    memcpy(e->whole, x, (size_t)e->size * sizeof *x);
    AC_TRY(ac_sparse_solve(e->tangent.matrix, e->whole));
    memcpy(x, e->whole, (size_t)e->size * sizeof *x);
    return AC_OK;
}

ac_status ac_equilibrium_yield(ac_equilibrium *e, const double *r, const double *f, double *x)
{
    const ac_system *system = e->system;
    if (!f || e->tangent.twists == 0 || e->neutral.count > 0) {
        for (int j = 0; j < e->freedoms; ++j) x[j] = -r[j];
        ac_equilibrium_ignore_push(e, x);
        AC_TRY(ac_equilibrium_solve(e, x));
        ac_equilibrium_hold_neutral(e, x);
        return AC_OK;
    }
    memset(e->whole, 0, ((size_t)e->size + 12 * (size_t)system->node_count) * sizeof *e->whole);
    memcpy(e->whole + e->freedoms, x + e->freedoms, (size_t)e->closures * sizeof *x);
    for (int i = 0; i < system->node_count; ++i) {
        double w[6];
        ac_node_wrench(&system->nodes[i], e->now.q + system->nodes[i].q, f + system->nodes[i].q, w);
        for (int k = 0; k < 6; ++k) e->whole[ac_tree_extended_twist(&e->tangent, i, k)] = -w[k];
    }
    AC_TRY(ac_sparse_solve(e->tangent.matrix, e->whole));
    memcpy(x, e->whole, (size_t)e->size * sizeof *x);
    return AC_OK;
}

void ac_equilibrium_apply(ac_equilibrium *e, const double *x, double *y)
{
    size_t size = (size_t)e->size + 12 * (size_t)e->system->node_count;
    if (e->tangent.twists == 0) {
        memcpy(e->newton.delta, x, (size_t)e->freedoms * sizeof *x);
        for (int c = e->freedoms; c < e->size; ++c) e->newton.delta[c] = 0.0;
        ac_sparse_multiply(e->tangent.matrix, e->newton.delta, y);
        return;
    }
    double *in = e->whole, *out = in + size, *twists = e->wrenches;
    memset(in, 0, size * sizeof *in);
    memcpy(in, x, (size_t)e->freedoms * sizeof *x);
    ac_tree_twists(e->system, e->columns, e->now.q, x, twists);
    for (int k = 0; k < 6 * e->system->node_count; ++k)
        in[ac_tree_extended_twist(&e->tangent, k / 6, k % 6)] = twists[k];
    ac_sparse_multiply(e->tangent.matrix, in, out); /* the recursion holds: forces are left */
    for (int k = 0; k < 6 * e->system->node_count; ++k)
        twists[k] = out[ac_tree_extended_twist(&e->tangent, k / 6, k % 6)];
    ac_tree_collect(e->system, e->columns, e->now.q, twists, y);
    for (int j = 0; j < e->freedoms; ++j) y[j] += out[j];
}

/* --- terms --- */

/* The largest stiffness that enters the tangent: its terms may cancel, their rounding does not. */
static void note_terms(ac_equilibrium *e, int left, int right, const double block[36], double factor)
{
    for (int k = 0; k < 36; ++k) {
        double arm = (k / 6 < 3 ? 1.0 : e->metric.arm[left]) * (k % 6 < 3 ? 1.0 : e->metric.arm[right]);
        e->largest_term = ac_max(e->largest_term, fabs(factor * block[k]) / arm);
    }
}

static void add_block(ac_equilibrium *e, const ac_tree_pair *pair, const int *nodes, int count,
                      const double *block, int size, double factor)
{
    const ac_system *system = e->system;
    int row = 0;
    for (int i = 0; i < count; ++i) {
        const ac_node *left = &system->nodes[nodes[i]];
        int column = 0;
        for (int j = 0; j < count; ++j) {
            const ac_node *right = &system->nodes[nodes[j]];
            double projected[36];
            ac_node_project(left, pair->qa + left->q, right, pair->qb + right->q, block + row * size + column,
                            size, projected);
            note_terms(e, nodes[i], nodes[j], projected, factor);
            for (int k = 0; k < 36; ++k) projected[k] *= factor;
            ac_tree_sparse_add(&e->tangent, pair, nodes[i], nodes[j], projected);
            column += right->size;
        }
        row += left->size;
    }
}

static void add_elements(ac_equilibrium *e, const ac_tree_pair *pair)
{
    const ac_system *system = e->system;
    double x[AC_ELEMENT_MAX], block[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(system);
        for (int k = 0; k < count; ++k) {
            if (!ac_element_conservative(kind, system, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, e->now.q, x);
            ac_element_hessian(kind, e->elastic, k, x, e->winding, block);
            add_block(e, pair, place.nodes, place.node_count, block, place.size, 1.0);
        }
    }
    for (int k = 0; k < system->load_count; ++k) {
        int nodes[2], size = 0;
        int count = ac_load_slope(system, k, e->settings.time, 0.0, e->now.q, e->winding, nodes, block);
        for (int i = 0; i < count; ++i) size += system->nodes[nodes[i]].size;
        if (count > 0) add_block(e, pair, nodes, count, block, size, -ac_equilibrium_level(e, k));
    }
}

/* What visits the blocks of a steady rotation. */
typedef struct spin_blocks {
    ac_equilibrium *e;
    const ac_tree_pair *pair;
} spin_blocks;

static void add_spin_block(void *user, const int *nodes, int count, const double *block, int size)
{
    const spin_blocks *to = user;
    add_block(to->e, to->pair, nodes, count, block, size, 1.0);
}

/* lambda g'' of the rows of one owner (a node, or the two sides of a joint). */
static void add_rows(ac_equilibrium *e, const ac_tree_pair *pair, int first, int rows, const int *nodes,
                     int count)
{
    const ac_system *system = e->system;
    const ac_constraints *c = &system->constraints;
    double block[AC_ELEMENT_MAX * AC_ELEMENT_MAX] = {0};
    int size = 0;
    for (int i = 0; i < count; ++i) size += system->nodes[nodes[i]].size;
    for (int row = first; row < first + rows; ++row) {
        const int *coordinate = c->coordinate + c->start[row];
        for (int p = c->forms.product_start[row]; p < c->forms.product_start[row + 1]; ++p) {
            int place[2] = {coordinate[c->forms.products[p].i], coordinate[c->forms.products[p].j]};
            for (int s = 0; s < 2; ++s) {
                const ac_node *node = &system->nodes[nodes[0]];
                bool own = place[s] >= node->q && place[s] < node->q + node->size;
                place[s] = own ? place[s] - node->q
                               : place[s] - system->nodes[nodes[count - 1]].q + node->size;
            }
            double value = e->balance.lambda[row] * c->forms.products[p].a;
            block[place[0] * size + place[1]] += value;
            block[place[1] * size + place[0]] += value;
        }
    }
    add_block(e, pair, nodes, count, block, size, 1.0);
}

static void add_constraints(ac_equilibrium *e, const ac_tree_pair *pair)
{
    const ac_system *system = e->system;
    const ac_constraints *c = &system->constraints;
    for (int row = 0; row < c->internal;) {
        int node = -1 - c->owner[row], rows = 1;
        while (row + rows < c->internal && c->owner[row + rows] == c->owner[row]) ++rows;
        add_rows(e, pair, row, rows, &node, 1);
        row += rows;
    }
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        int nodes[2], count = 0;
        if (joint->a.node != AC_GROUND) nodes[count++] = joint->a.node;
        if (joint->b.node != AC_GROUND) nodes[count++] = joint->b.node;
        if (joint->rows > 0) add_rows(e, pair, joint->first_row, joint->rows, nodes, count);
    }
}

/* The part of the slope that is not symmetric: turning a body that feels a torque turns the torque against
 * it, -1/2 hat(torque). It vanishes in equilibrium and makes Newton's method exact before. */
static void add_torques(ac_equilibrium *e, const ac_tree_pair *pair)
{
    const ac_system *system = e->system;
    memcpy(e->scratch, e->balance.total, (size_t)system->n * sizeof *e->scratch);
    ac_constraints_add_force(system, e->now.q, e->balance.lambda, 0, system->constraints.count, 1.0,
                             e->scratch);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double w[6], block[36] = {0};
        if (ac_node_turns(node) < 3) continue;
        ac_node_wrench(node, e->now.q + node->q, e->scratch + node->q, w);
        for (int k = 0; k < 3; ++k) {
            int a = 3 + (k + 1) % 3, b = 3 + (k + 2) % 3;
            block[6 * a + b] = 0.5 * w[3 + k];
            block[6 * b + a] = -0.5 * w[3 + k];
        }
        ac_tree_sparse_add(&e->tangent, pair, i, i, block);
    }
}

/* Which closure equations are independent. */
ac_status ac_equilibrium_choose_closures(ac_equilibrium *e)
{
    if (e->closures == 0) return AC_OK;
    if (e->tangent.twists == 0) {
        ac_closure_jacobian(e->system, e->columns, e->now.q, e->balance.J);
        ac_row_space_factor(&e->space, e->balance.J, RANK_TOLERANCE, e->closures);
        for (int k = 0; k < e->closures; ++k) e->newton.omitted[e->space.order[k]] = k >= e->space.rank;
        return AC_OK;
    }
    ac_loop_rows *l = &e->loops;
    ac_loop_rows_evaluate(l, e->columns, e->now.q);
    AC_TRY(ac_row_choice_find(&l->choice, l->start, l->column, l->value, RANK_TOLERANCE));
    memcpy(e->newton.omitted, l->choice.dependent, (size_t)e->closures * sizeof *e->newton.omitted);
    return AC_OK;
}

static void put_closure(ac_equilibrium *e, int c)
{
    int n = e->freedoms;
    for (int j = 0; j < n; ++j) {
        double value = e->balance.J[(size_t)c * (size_t)n + (size_t)j];
        if (value == 0.0) continue;
        ac_sparse_add(e->tangent.matrix, n + c, j, value);
        ac_sparse_add(e->tangent.matrix, j, n + c, value);
    }
}

/* J and its transpose on independent rows; the others get a one on the diagonal. */
static ac_status add_closures(ac_equilibrium *e, const ac_tree_pair *pair)
{
    AC_TRY(ac_equilibrium_choose_closures(e));
    for (int c = 0; c < e->closures; ++c) {
        if (e->newton.omitted[c])
            ac_sparse_add(e->tangent.matrix, e->freedoms + c, e->freedoms + c, 1.0);
        else if (e->tangent.twists > 0)
            ac_tree_extended_closure(&e->tangent, pair, c);
        else
            put_closure(e, c);
    }
    return AC_OK;
}

/* While going downhill, steps that bend single elements count more: kinks would stay for good. */
static void add_pair(ac_equilibrium *e, const ac_tree_pair *pair, int node, double stiffness)
{
    double block[36] = {0};
    for (int k = 3; k < 6; ++k) block[7 * k] = stiffness;
    for (int i = 0; i < 2; ++i) ac_tree_sparse_add(&e->tangent, pair, node + i, node + i, block);
    for (int k = 3; k < 6; ++k) block[7 * k] = -stiffness;
    for (int i = 0; i < 2; ++i) ac_tree_sparse_add(&e->tangent, pair, node + i, node + 1 - i, block);
}

double ac_equilibrium_kink_weight(const ac_equilibrium *e, int beam)
{
    double count = e->system->beams[beam].elements, scale = e->system->length_scale;
    return count * count * scale * scale;
}

static void add_kinks(ac_equilibrium *e, const ac_tree_pair *pair)
{
    const ac_system *system = e->system;
    for (int k = 0; k < system->mesh.element_count; ++k) {
        const ac_beam_element *element = &system->mesh.elements[k];
        add_pair(e, pair, element->node, e->newton.shift * ac_equilibrium_kink_weight(e, element->beam));
    }
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *element = &system->mesh.high[k];
        for (int i = 0; i < element->order; ++i)
            add_pair(e, pair, element->node + i,
                     e->newton.shift * ac_equilibrium_kink_weight(e, element->beam));
    }
}

ac_status ac_equilibrium_multipliers(ac_equilibrium *e)
{
    for (int i = 0; i < e->system->n; ++i) e->scratch[i] = -e->balance.total[i];
    return ac_legendre_multipliers(&e->legendre, e->now.q, e->scratch, e->balance.lambda);
}

ac_status ac_equilibrium_assemble(ac_equilibrium *e)
{
    ac_tree_pair pair = {e->system, e->now.q, e->now.q, e->columns, e->columns};
    AC_TRY(ac_equilibrium_multipliers(e));
    ac_sparse_clear(e->tangent.matrix);
    e->largest_term = 0.0;
    add_elements(e, &pair);
    ac_spin_blocks(e->system, e->settings.spin, add_spin_block, &(spin_blocks){e, &pair});
    add_constraints(e, &pair);
    if (!e->newton.upright) add_torques(e, &pair);
    AC_TRY(add_closures(e, &pair));
    if (e->tangent.twists > 0) ac_tree_extended_joints(&e->tangent, &pair);
    if (e->newton.upright && e->newton.shift > 0.0) add_kinks(e, &pair);
    for (int j = 0; j < e->freedoms && e->newton.shift > 0.0; ++j)
        ac_sparse_add(e->tangent.matrix, j, j, e->newton.shift * e->metric.weight[j]);
    return AC_OK;
}

ac_status ac_equilibrium_factor(ac_equilibrium *e)
{
    AC_TRY(ac_equilibrium_assemble(e));
    ac_status status = ac_sparse_factor(e->tangent.matrix);
    if (status != AC_SINGULAR) return status;
    return ac_fail(
        e->ctx, AC_SINGULAR,
        "the system can move without a change of its potential: it needs more supports or springs");
}
