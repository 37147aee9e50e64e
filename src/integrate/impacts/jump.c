/* Algebra of jumps of the momentum at a configuration; what contacts make of it is in strike.c.
 *
 * With the tree's P, the active rows J = G P (loops and closed contacts), N their null space and M_r = P^T M P:
 *
 *   projection   p+ = M P w,  w = A P^T p,  A = N (N^T M_r N)^-1 N^T           (p+ = Q p)
 *   impulse      w+ = w- + A J_c^T Lambda,  Lambda = (J_c A J_c^T)^-1 (v+ - v-)  at contact rows J_c
 *
 * The same projection removes what the old constraints carry of the right momentum of the last interval before the
 * constraints change: without it a transfer is not of second order.
 */
#include <string.h>

#include "base/vector.h"
#include "action/inertia.h"
#include "integrate/impacts/impacts.h"
#include "action/momentum.h"

static const double RANK_TOLERANCE = 1e-9;

ac_status ac_jump_create(ac_stepper *s, int most, ac_jump *j)
{
    const ac_system *system = s->system;
    size_t n = (size_t)system->tree.freedoms, nodes = (size_t)system->node_count;
    j->freedoms = system->tree.freedoms;
    j->most_rows = system->constraints.count - system->constraints.closure + most;
    AC_NEW(s->ctx, j->state, nodes);
    AC_NEW(s->ctx, j->columns, 6 * n);
    AC_NEW(s->ctx, j->inertia, 36 * nodes);
    AC_NEW(s->ctx, j->twists, 6 * nodes);
    AC_NEW(s->ctx, j->full, system->n);
    AC_NEW(s->ctx, j->mass, n * n);
    AC_NEW(s->ctx, j->J, (size_t)j->most_rows * n);
    AC_NEW(s->ctx, j->N, n * n);
    AC_NEW(s->ctx, j->MN, n * n);
    AC_NEW(s->ctx, j->K, n * n);
    AC_NEW(s->ctx, j->z, n);
    AC_NEW(s->ctx, j->pivot, n);
    AC_NEW(s->ctx, j->space_block, ac_row_space_doubles(j->most_rows, j->freedoms));
    AC_NEW(s->ctx, j->space_ints, ac_row_space_ints(j->most_rows, j->freedoms));
    AC_NEW(s->ctx, j->wrenches, 6 * nodes);
    AC_NEW(s->ctx, j->weight, n);
    j->recursive = system->constraints.count == system->constraints.closure && system->beam_count == 0;
    return ac_tree_solver_create(s->ctx, system, false, &j->solver);
}

void ac_jump_destroy(ac_context *ctx, ac_jump *j)
{
    void *blocks[] = {j->state,      j->columns, j->inertia,  j->twists, j->full, j->mass,
                      j->J,          j->N,       j->MN,       j->K,      j->z,    j->space_block,
                      j->space_ints, j->pivot,   j->wrenches, j->weight};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    ac_tree_solver_destroy(ctx, &j->solver);
}

/* --- projected masses and active rows --- */

static void find_columns(ac_impacts *im, const double *q)
{
    ac_jump *j = &im->jump;
    const ac_system *system = im->stepper->system;
    for (int i = 0; i < system->node_count; ++i)
        ac_joint_read_state(system, &system->nodes[i], q, &j->state[i]);
    ac_tree_columns(system, j->state, q, j->columns);
    j->pair = (ac_tree_pair){system, q, q, j->columns, j->columns};
}

static void find_masses(ac_impacts *im, const double *q)
{
    ac_jump *j = &im->jump;
    find_columns(im, q);
    memset(j->mass, 0, (size_t)j->freedoms * (size_t)j->freedoms * sizeof *j->mass);
    ac_inertia_nodes(&j->pair, 1.0, j->inertia);
    ac_tree_matrix(&j->pair, j->inertia, j->mass);
    ac_inertia_dense_pairs(&j->pair, 1.0, j->mass);
}

ac_status ac_jump_activate(ac_impacts *im, const double *q)
{
    ac_jump *j = &im->jump;
    const ac_system *system = im->stepper->system;
    int n = j->freedoms, loops = system->constraints.count - system->constraints.closure;
    j->rows = loops + im->stepper->more.count;
    ac_closure_jacobian(system, j->columns, q, j->J);
    ac_touch_jacobian(im, j->columns, q, j->J + (size_t)loops * (size_t)n);
    ac_row_space_place(&j->space, j->rows, n, j->space_block, j->space_ints);
    ac_row_space_factor(&j->space, j->J, RANK_TOLERANCE, j->rows);
    ac_row_space_null(&j->space, j->N);
    int k = j->kept = n - j->space.rank;
    for (int i = 0; i < n; ++i)
        for (int c = 0; c < k; ++c) {
            double sum = 0.0;
            for (int l = 0; l < n; ++l) sum += j->mass[i * n + l] * j->N[l * k + c];
            j->MN[i * k + c] = sum;
        }
    for (int a = 0; a < k; ++a)
        for (int c = 0; c < k; ++c) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += j->N[i * k + a] * j->MN[i * k + c];
            j->K[a * k + c] = sum;
        }
    if (ac_lu_factor(k, j->K, j->pivot)) return AC_OK;
    return ac_fail(im->stepper->ctx, AC_NOT_CONVERGED,
                   "t = %.9g s: a motion of the system has no inertia, so impacts have no unique outcome",
                   im->stepper->t);
}

ac_status ac_jump_open(ac_impacts *im, const double *q)
{
    find_masses(im, q);
    im->jump.open = q == im->stepper->qa;
    return ac_jump_activate(im, q);
}

void ac_jump_solve(const ac_jump *j, const double *r, double *x)
{
    int n = j->freedoms, k = j->kept;
    for (int c = 0; c < k; ++c) {
        j->z[c] = 0.0;
        for (int i = 0; i < n; ++i) j->z[c] += j->N[i * k + c] * r[i];
    }
    ac_lu_solve(k, j->K, j->pivot, j->z);
    for (int i = 0; i < n; ++i) {
        x[i] = 0.0;
        for (int c = 0; c < k; ++c) x[i] += j->N[i * k + c] * j->z[c];
    }
}

void ac_jump_rates(ac_impacts *im, const double *q, const double *p, double *rates)
{
    ac_tree_project(im->stepper->system, im->jump.columns, q, p, im->jump.twists, im->work);
    ac_jump_solve(&im->jump, im->work, rates);
}

void ac_jump_momentum(ac_impacts *im, const double *q, const double *rates, double *p)
{
    const ac_system *system = im->stepper->system;
    ac_tree_twists(system, im->jump.columns, q, rates, im->jump.twists);
    ac_tree_velocity(system, q, im->jump.twists, im->jump.full);
    ac_mass_apply(system, im->jump.full, p);
}

void ac_jump_node_rates(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    ac_tree_project(s->system, im->jump.columns, s->qa, s->p, im->jump.twists, im->work);
    for (int i = 0; i < im->jump.freedoms; ++i) im->work[i] += im->carried[i];
    ac_jump_solve(&im->jump, im->work, im->rates);
}

/* Rates of the momentum p at q by recursion along the tree, without matrices: nothing is closed. False: some motion has no
 * inertia. */
static bool find_tree_rates(ac_impacts *im, const double *q, const double *p, const double *carried,
                            double *rates)
{
    const ac_system *system = im->stepper->system;
    ac_jump *j = &im->jump;
    if (!j->recursive || im->stepper->more.count > 0) return false;
    find_columns(im, q);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        ac_node_wrench(node, q + node->q, p + node->q, j->wrenches + 6 * i);
    }
    ac_inertia_nodes(&j->pair, 1.0, j->solver.inertia);
    return ac_tree_solve(&j->pair, &j->solver, j->wrenches, carried, false, rates, j->weight) == AC_GROUND;
}

ac_status ac_jump_look(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    im->jump.open = false;
    if (!find_tree_rates(im, s->qa, s->p, im->carried, im->rates)) {
        AC_TRY(ac_jump_open(im, s->qa));
        ac_jump_node_rates(im);
    }
    memcpy(im->p_before, s->p, (size_t)s->system->n * sizeof *s->p);
    memcpy(im->rates_before, im->rates, (size_t)im->jump.freedoms * sizeof *im->rates);
    return AC_OK;
}

void ac_jump_speeds(ac_impacts *im, const double *q, const double *rates, double *speeds)
{
    const ac_system *system = im->stepper->system;
    ac_tree_twists(system, im->jump.columns, q, rates, im->jump.twists);
    ac_tree_velocity(system, q, im->jump.twists, speeds);
}

void ac_jump_carried(ac_impacts *im, const double *q, const double *p, const double *rates, double *lambda)
{
    ac_jump *j = &im->jump;
    int n = j->freedoms;
    if (j->rows == 0) return;
    ac_tree_project(im->stepper->system, j->columns, q, p, j->twists, im->work);
    for (int i = 0; i < n; ++i)
        for (int l = 0; l < n; ++l) im->work[i] -= j->mass[i * n + l] * rates[l];
    ac_row_space_solve_transposed(&j->space, im->work, lambda);
}

/* The same with matrices, and what the rows carry; those of spheres that roll are made anew at q_b for it. In schemes at the mean
 * `right` has constraint forces in it. */
static ac_status look_ahead(ac_impacts *im, double *rates)
{
    const ac_stepper *s = im->stepper;
    size_t bytes = (size_t)s->system->contact_count * sizeof *im->touches;
    memcpy(im->ahead.kept, im->touches, bytes);
    ac_touch_roll(im, s->qb);
    ac_status status = ac_jump_open(im, s->qb);
    if (status == AC_OK) {
        ac_jump_rates(im, s->qb, s->right, rates);
        for (int i = 0; i < s->system->n; ++i)
            im->gradient[i] = s->scheme->at_mean ? s->left[i] + 2.0 * s->interval.momentum[i] : s->right[i];
        ac_jump_carried(im, s->qb, im->gradient, rates, im->ahead.arriving);
        ac_jump_speeds(im, s->qb, rates, im->ahead.speeds);
    }
    memcpy(im->touches, im->ahead.kept, bytes);
    AC_TRY(status);
    return ac_jump_open(im, s->qa);
}

ac_status ac_jump_ahead(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    double *rates = im->before;
    im->jump.open = false;
    memset(im->work, 0, (size_t)im->jump.freedoms * sizeof *im->work);
    if (!find_tree_rates(im, s->qb, s->right, im->work, rates)) return look_ahead(im, rates);
    ac_jump_speeds(im, s->qb, rates, im->ahead.speeds);
    return AC_OK;
}

double ac_jump_kinetic(const ac_jump *j, const double *w)
{
    double sum = 0.0;
    for (int a = 0; a < j->freedoms; ++a)
        for (int b = 0; b < j->freedoms; ++b) sum += w[a] * j->mass[a * j->freedoms + b] * w[b];
    return 0.5 * sum;
}

/* In schemes at the mean the momentum of a node
 * has a part that constraints do not allow, with an energy of its own: there the impulses alone are added. */
void ac_jump_restart(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    size_t bytes = (size_t)s->system->n * sizeof *s->p;
    ac_jump_momentum(im, s->qa, im->rates, s->p);
    memcpy(im->speeds, im->jump.full, bytes);
    if (s->scheme->at_mean) {
        for (int i = 0; i < im->jump.freedoms; ++i) im->work[i] = im->rates[i] - im->rates_before[i];
        ac_jump_momentum(im, s->qa, im->work, s->p);
        for (int i = 0; i < s->system->n; ++i) s->p[i] += im->p_before[i];
    }
    memcpy(im->p, s->p, bytes);
    memset(im->carried, 0, (size_t)im->jump.freedoms * sizeof *im->carried);
    s->past = 0;
    s->h_before = 0.0; /* constraint forces of the interval before are not in the momentum any more */
}
