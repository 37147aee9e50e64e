/* Legendre transforms: projected and reduced momenta, the velocity that belongs to them, multipliers; solvers
 * of the tree. */
#include "action/momentum.h"

#include <stdlib.h>

#include "action/inertia.h"
#include "base/vector.h"
#include "support/mechanisms.h"
#include "test.h"

/* P, n x tree freedoms, dense, at q. */
static double *dense_P(const ac_system *system, const double *q, double *columns)
{
    int n = system->n, k = system->tree.freedoms;
    double twists[6 * 16], v[160], u[64], *P = calloc((size_t)(n * k), sizeof *P);
    ac_joint_state *state = calloc((size_t)system->node_count, sizeof *state);
    for (int i = 0; i < system->node_count; ++i) ac_joint_read_state(system, &system->nodes[i], q, &state[i]);
    ac_tree_columns(system, state, q, columns);
    for (int j = 0; j < k; ++j) {
        for (int i = 0; i < k; ++i) u[i] = i == j ? 1.0 : 0.0;
        ac_tree_twists(system, columns, q, u, twists);
        ac_tree_velocity(system, q, twists, v);
        for (int i = 0; i < n; ++i) P[i * k + j] = v[i];
    }
    free(state);
    return P;
}

/* Q p is tangent (G v = 0 with v its velocity), Q(Q p) = Q p, and p - Q p does no work on any admissible
 * motion; P^T p is kept. */
TEST(projected_momentum)
{
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        const ac_system *system = r.system;
        const ac_constraints *c = &system->constraints;
        int n = system->n, freedoms = system->tree.freedoms;
        ac_legendre l = {0};
        dice d = {91};
        double p[160], once[160], velocity[160], Mv[160], gradient[AC_ELEMENT_MAX], columns[6 * 64],
            most = 0.0, power = 0.0;
        CHECK(ac_legendre_create(r.ctx, system, true, &l) == AC_OK);
        dice_vector(&d, n, 1.0, p);
        CHECK(ac_legendre_project(&l, system->initial.q, p) == AC_OK);
        memcpy(once, l.projected, (size_t)n * sizeof *once);
        memcpy(velocity, l.velocity, (size_t)n * sizeof *velocity);
        CHECK(largest_entry(n, velocity) > 1e-2);
        for (int row = 0; row < c->count; ++row) {
            double sum = 0.0;
            ac_constraint_gradient(system, row, system->initial.q, gradient);
            for (int e = c->start[row]; e < c->start[row + 1]; ++e)
                sum += gradient[e - c->start[row]] * velocity[c->coordinate[e]];
            most = fmax(most, fabs(sum));
        }
        double size = largest_entry(n, velocity);
        CHECK_NEAR(most / size, 0.0, 1e-13);
        ac_mass_apply(system, velocity, Mv);
        CHECK_NEAR(largest_difference(n, Mv, once) / largest_entry(n, once), 0.0, 1e-14);
        for (int i = 0; i < n; ++i) power += (p[i] - once[i]) * velocity[i];
        CHECK_NEAR(power / size, 0.0, 1e-12);
        /* reduced momentum = P^T p */
        double *P = dense_P(system, system->initial.q, columns), off = 0.0;
        for (int j = 0; j < freedoms; ++j) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += P[i * freedoms + j] * p[i];
            off = fmax(off, fabs(sum - l.reduced[j]));
        }
        CHECK_NEAR(off, 0.0, 1e-13);
        free(P);
        /* projecting again changes nothing */
        CHECK(ac_legendre_project(&l, system->initial.q, once) == AC_OK);
        CHECK_NEAR(largest_difference(n, l.projected, once) / largest_entry(n, once), 0.0, 1e-11);
        /* a momentum of the constraints, G^T lambda, has no projection, and its multipliers are found again
         */
        double lambda[160], found[160], b[160] = {0}, again[160] = {0};
        dice_vector(&d, c->count, 1.0, lambda);
        ac_constraints_add_force(system, system->initial.q, lambda, 0, c->count, 1.0, b);
        CHECK(ac_legendre_project(&l, system->initial.q, b) == AC_OK);
        CHECK_NEAR(largest_entry(n, l.velocity) / size, 0.0, 1e-11);
        CHECK(ac_legendre_multipliers(&l, system->initial.q, b, found) == AC_OK);
        ac_constraints_add_force(system, system->initial.q, found, 0, c->count, 1.0, again);
        CHECK_NEAR(largest_difference(n, again, b), 0.0, 1e-12);
        if (ac_system_sizes(system).independent == c->count)
            CHECK_NEAR(largest_difference(c->count, found, lambda), 0.0, 1e-10);
        ac_legendre_destroy(&l);
        rig_close(&r);
    }
}

/* v = M^{-1} p on bodies with a full inertia tensor, and the pseudo-inverse of thin rods. */
TEST(inverse_mass)
{
    rig r;
    rig_open(&r, NULL);
    dice d = {92};
    double R[9];
    const double x[3] = {0.1, 0.2, 0.3}, end[3] = {1.1, 0.7, -0.2};
    dice_rotation(&d, R);
    rig_odd_body(&r, "body", &d, x, R, false);
    rig_planar(&r, "planar", 1.5, 0.2, 0, 0, 0.4);
    rig_point(&r, "point", 0.7, 3, 0, 0, 0);
    int rod = rig_rod(&r, "rod", x, end, 2.0);
    CHECK(rig_finish(&r) == AC_OK);
    ac_legendre l = {0};
    double v[64], p[64], back[64];
    CHECK(ac_legendre_create(r.ctx, r.system, false, &l) == AC_OK);
    dice_vector(&d, r.system->n, 1.0, v);
    for (int i = 0; i < 6; ++i)
        v[r.system->nodes[rod].q + 6 + i] = 0.0; /* directors across a thin rod have no mass */
    ac_mass_apply(r.system, v, p);
    ac_inverse_mass_apply(&l, p, back);
    CHECK_NEAR(largest_difference(r.system->n, back, v), 0.0, 1e-13);
    ac_legendre_destroy(&l);
    rig_close(&r);
}

/* The recursion, the composite matrix and the dense product agree: P(q_a)^T M P(q_b) x = P(q_a)^T f for two
 * different configurations. */
TEST(tree_solvers_agree)
{
    static const char *const names[] = {"body pendulum", "mixed chain", "free tree", "planar tree",
                                        "sprung chain"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanism_named(names[k])->draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        const ac_system *system = r.system;
        int n = system->n, u = system->tree.freedoms, pivot[64];
        dice d = {93};
        double qb[160], increment[64], f[160], columns_a[6 * 64], columns_b[6 * 64], wrenches[6 * 16], x[64],
            weight[64], rhs[64];
        double dense[64 * 64], composite[64 * 64] = {0}, v[160], p[160];
        ac_joint_state *state = calloc((size_t)system->node_count, sizeof *state);
        memcpy(qb, system->initial.q, (size_t)n * sizeof *qb);
        dice_vector(&d, u, 0.1, increment);
        ac_tree_move(system, increment, system->initial.state, state, qb);
        dice_vector(&d, n, 1.0, f);
        double *Pa = dense_P(system, system->initial.q, columns_a), *Pb = dense_P(system, qb, columns_b);
        for (int j = 0; j < u; ++j) {
            for (int i = 0; i < n; ++i) v[i] = Pb[i * u + j];
            ac_mass_apply(system, v, p);
            for (int i = 0; i < u; ++i) {
                dense[i * u + j] = 0.0;
                for (int l = 0; l < n; ++l) dense[i * u + j] += Pa[l * u + i] * p[l];
            }
        }
        ac_tree_solver solver = {0};
        CHECK(ac_tree_solver_create(r.ctx, system, false, &solver) == AC_OK);
        ac_tree_pair pair = {system, system->initial.q, qb, columns_a, columns_b};
        ac_inertia_nodes(&pair, 1.0, solver.inertia);
        ac_tree_matrix(&pair, solver.inertia, composite);
        CHECK_NEAR(largest_difference(u * u, composite, dense), 0.0, 1e-12);
        for (int i = 0; i < system->node_count; ++i) {
            const ac_node *node = &system->nodes[i];
            ac_node_wrench(node, system->initial.q + node->q, f + node->q, wrenches + 6 * i);
        }
        ac_inertia_nodes(&pair, 1.0, solver.inertia);
        CHECK(ac_tree_solve(&pair, &solver, wrenches, NULL, false, x, weight) == AC_GROUND);
        for (int i = 0; i < u; ++i) {
            rhs[i] = 0.0;
            for (int l = 0; l < n; ++l) rhs[i] += Pa[l * u + i] * f[l];
        }
        CHECK(ac_lu_factor(u, dense, pivot));
        ac_lu_solve(u, dense, pivot, rhs);
        CHECK_NEAR(largest_difference(u, x, rhs) / largest_entry(u, rhs), 0.0, 1e-10);
        ac_tree_solver_destroy(r.ctx, &solver);
        free(Pa);
        free(Pb);
        free(state);
        rig_close(&r);
    }
}

/* A body without inertia about the axis about which it can turn, and on which a torque acts: the message names it. */
TEST(missing_inertia_is_named)
{
    rig r;
    rig_open(&r, NULL);
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    int rod = rig_rod(&r, "thin rod", a, b, 1.0);
    rig_joint(&r, "ball", AC_SPHERICAL, AC_GROUND, rod, a, z, NULL);
    rig_torque(&r, rod, false, "1", "0", "0");
    CHECK(rig_finish(&r) == AC_OK);
    ac_legendre l = {0};
    double p[12] = {0};
    CHECK(ac_legendre_create(r.ctx, r.system, false, &l) == AC_OK);
    CHECK(ac_legendre_project(&l, r.system->initial.q, p) == AC_SINGULAR);
    CHECK(strstr(ac_context_message(r.ctx), "'thin rod' has no inertia") != NULL);
    ac_legendre_destroy(&l);
    rig_close(&r);
}

/* Momentum maps by hand: a point of 2 kg at (1, 2, 0) with velocity (3, 0, 0) has L = (0, 0, -12) about the
 * origin, and about (1, 2, 0) none. */
TEST(momentum_maps_by_hand)
{
    rig r;
    rig_open(&r, NULL);
    rig_point(&r, "point", 2.0, 3, 1, 2, 0);
    CHECK(rig_finish(&r) == AC_OK);
    const double p[3] = {6, 0, 0}, origin[3] = {0, 0, 0}, itself[3] = {1, 2, 0};
    double linear[3], angular[3];
    ac_momentum_maps(r.system, r.system->initial.q, p, origin, linear, angular);
    CHECK_NEAR(linear[0], 6.0, 0.0);
    CHECK_NEAR(angular[2], -12.0, 0.0);
    ac_momentum_maps(r.system, r.system->initial.q, p, itself, linear, angular);
    CHECK_NEAR(largest_entry(3, angular), 0.0, 0.0);
    rig_close(&r);
}

RUN_TESTS(CASE(projected_momentum), CASE(inverse_mass), CASE(tree_solvers_agree),
          CASE(missing_inertia_is_named), CASE(momentum_maps_by_hand))
