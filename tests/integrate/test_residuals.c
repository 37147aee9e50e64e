/* Residuals of the constraints, whose director rows are written out: the same bits as the general quadratic
 * maps give, at configurations and velocities that violate all of them. */
#include <stdlib.h>

#include "actio/context.h"
#include "observe/monitor_residuals.h"
#include "action/momentum.h"
#include "tree/kinematics.h"
#include "support/beams.h"
#include "support/mechanisms.h"
#include "test.h"

static double plain_violation(const ac_system *system, const double *q, double *g)
{
    double most = 0.0;
    ac_constraints_value(system, q, 0, g);
    for (int row = 0; row < system->constraints.count; ++row) most = fmax(most, fabs(g[row]));
    return most;
}

static double plain_rate(const ac_system *system, const double *q, const double *v, const bool *skip)
{
    const ac_constraints *c = &system->constraints;
    double most = 0.0, gradient[AC_ELEMENT_MAX];
    for (int row = 0; row < c->count; ++row) {
        double sum = 0.0;
        bool skipped = false;
        ac_constraint_gradient(system, row, q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
            sum += gradient[e - c->start[row]] * v[c->coordinate[e]];
            skipped |= skip && skip[c->coordinate[e]];
        }
        if (!skipped) most = fmax(most, fabs(sum));
    }
    return most;
}

/* One node after the other is moved much, so that each has the largest residual once. */
static void compare(const ac_system *system, const bool *skip)
{
    dice d = {5};
    size_t n = (size_t)system->n;
    double *q = calloc(n, sizeof *q), *v = calloc(n, sizeof *v),
           *g = calloc((size_t)system->constraints.count + 1, sizeof *g);
    int nonzero = 0, different = 0;
    for (int k = 0; q && v && g && k < 20 * system->node_count; ++k) {
        const ac_node *node = &system->nodes[k % system->node_count];
        for (int i = 0; i < system->n; ++i) {
            bool own = i >= node->q && i < node->q + node->size && dice_between(&d, 0, 1) < 0.5;
            q[i] = system->initial.q[i] + (own ? 0.3 : 1e-9) * dice_between(&d, -1, 1);
            v[i] = (own ? 1.0 : 1e-9) * dice_between(&d, -1, 1);
        }
        double most = ac_largest_violation(system, q, g);
        nonzero += most > 0.0;
        different += most != plain_violation(system, q, g);
        different += ac_largest_rate(system, q, v, NULL) != plain_rate(system, q, v, NULL);
        different += ac_largest_rate(system, q, v, skip) != plain_rate(system, q, v, skip);
    }
    CHECK(system->constraints.count == 0 || nonzero == 20 * system->node_count);
    CHECK(different == 0);
    free(q);
    free(v);
    free(g);
}

static void compare_massive(ac_context *ctx, const ac_system *system)
{
    ac_legendre legendre = {0};
    CHECK(ac_legendre_create(ctx, system, false, &legendre) == AC_OK);
    compare(system, legendre.massless);
    ac_legendre_destroy(&legendre);
}

TEST(mechanisms_have_the_same_bits)
{
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        int before = test_failures;
        compare_massive(r.ctx, r.system);
        if (test_failures > before) printf("  %s\n", mechanisms[k].name);
        rig_close(&r);
    }
}

TEST(beams_have_the_same_bits)
{
    static const ac_beam_model models[] = {AC_BEAM_DIRECTOR, AC_BEAM_VERTEX, AC_BEAM_EDGE};
    for (int m = 0; m < 4; ++m) {
        ac_context *ctx = ac_context_new(NULL);
        ac_system *system = NULL;
        const beam_data data = {.model = models[m % 3],
                                .elements = 5,
                                .length = 1,
                                .shear = 1e3,
                                .axial = 1e3,
                                .bending = {1, 2},
                                .torsion = 1,
                                .mass = 0.3,
                                .inertia = 1e-4,
                                .order = m == 3 ? 2 : 1};
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        int first = add_straight(system, "arm", &data, NULL);
        hold(system, AC_FIXED, first, (double[3]){0, 0, 0});
        hold(system, AC_SPHERICAL, first + last_node(&data), (double[3]){1, 0, 0});
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        compare_massive(ctx, system);
        ac_system_free(system);
        ac_context_free(ctx);
    }
}

RUN_TESTS(CASE(mechanisms_have_the_same_bits), CASE(beams_have_the_same_bits))
