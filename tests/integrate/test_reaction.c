/* Where constraint forces act at the mean, the projection depends on the right end, too: the Newton matrix
 * of the reduced formulation is exact away from the solution as well. */
#include <math.h>
#include <stdlib.h>

#include "integrate/stepper.h"
#include "support/beams.h"
#include "support/mechanisms.h"
#include "support/numeric.h"
#include "test.h"

enum { MOST = 64 };

/* P(mean)^T (p + left) with q_b moved by `increment` from the states `base`. */
static void project(ac_stepper *s, const ac_joint_state *base, const ac_joint_state *state_a,
                    const double *increment, double *r)
{
    const ac_system *system = s->system;
    size_t nodes = (size_t)system->node_count;
    ac_joint_state *state = calloc(nodes, sizeof *state);
    double *columns = calloc(6 * (size_t)system->tree.freedoms, sizeof *columns);
    double *wrenches = calloc(6 * nodes, sizeof *wrenches), *f = calloc((size_t)system->n, sizeof *f);
    ac_tree_move(system, increment, base, state, s->qb);
    ac_stepper_evaluate(s);
    ac_tree_columns(system, state_a, s->interval.mean, columns);
    for (int i = 0; i < system->n; ++i) f[i] = s->p[i] + s->left[i];
    ac_tree_project(system, columns, s->interval.mean, f, wrenches, r);
    free(state);
    free(columns);
    free(wrenches);
    free(f);
}

/* The matrix against central differences of the projection, at a right end that is not the solution. */
static double matrix_error(ac_stepper *s)
{
    const ac_system *system = s->system;
    int n = system->tree.freedoms, size = 0;
    size_t nodes = (size_t)system->node_count;
    double *K = NULL, most = 0.0, scale = 0.0, increment[MOST] = {0.0}, high[MOST], low[MOST];
    dice d = {7};
    ac_joint_state *base = calloc(nodes, sizeof *base);
    for (int i = 0; i < system->n; ++i) s->p[i] += dice_between(&d, -0.1, 0.1);
    s->scheme->begin(&s->interval);
    s->formulation->prepare(s);
    s->formulation->guess(s, AC_GUESS_EXTRAPOLATED); /* h u0 */
    for (int j = 0; j < n; ++j) increment[j] = s->h * system->initial.u[j];
    ac_tree_move(system, increment, system->initial.state, base, s->qb);
    CHECK(isfinite(s->formulation->residual(s)));
    CHECK(s->formulation->matrix(s, &K, &size) == AC_OK);
    CHECK(size == n);
    memset(increment, 0, sizeof increment);
    for (int j = 0; j < n; ++j) {
        const double step = 1e-5;
        increment[j] = step;
        project(s, base, system->initial.state, increment, high);
        increment[j] = -step;
        project(s, base, system->initial.state, increment, low);
        increment[j] = 0.0;
        for (int i = 0; i < n; ++i) {
            most = fmax(most, fabs(K[i * n + j] + (high[i] - low[i]) / (2.0 * step)));
            scale = fmax(scale, fabs(K[i * n + j]));
        }
    }
    ac_release(s->ctx, K);
    free(base);
    return most / scale;
}

static double error_of(rig *r, double h)
{
    ac_stepper stepper = {0};
    ac_simulation_settings settings;
    dice d = {3};
    ac_simulation_defaults(&settings);
    for (int j = 0; j < r->system->tree.freedoms; ++j) r->system->initial.u[j] = dice_between(&d, -6.0, 6.0);
    settings.scheme = "energy-momentum";
    settings.formulation = "reduced";
    settings.step = h;
    CHECK(ac_stepper_create(&stepper, r->ctx, r->system, &settings) == AC_OK);
    double error = matrix_error(&stepper);
    ac_stepper_destroy(&stepper);
    return error;
}

TEST(reduced_matrix_at_the_mean_is_exact)
{
    static const char *const names[] = {"point pendulum", "body pendulum", "mixed chain",
                                        "sprung chain",   "free tree",     "planar tree"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanism_named(names[k])->draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        double error = error_of(&r, 0.05);
        if (!(error < 1e-8)) printf("  %s: %.2e\n", names[k], error);
        CHECK(error < 1e-8);
        rig_close(&r);
    }
}

RUN_TESTS(CASE(reduced_matrix_at_the_mean_is_exact))
