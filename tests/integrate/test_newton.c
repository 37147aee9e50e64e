/* Newton's method: the slopes that the schemes give, and the iteration matrix of every formulation, which
 * must be exact. */
#include <stdlib.h>

#include "integrate/stepper.h"
#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

/* --- slopes of the schemes ------------------------------------------------------------------- */

static void left(void *user, const double *qb, double *out)
{
    ac_stepper *s = user;
    memcpy(s->qb, qb, (size_t)s->system->n * sizeof *qb);
    ac_stepper_evaluate(s);
    for (int i = 0; i < s->system->n; ++i) out[i] = -s->left[i];
}

typedef struct dense {
    const ac_system *system;
    double *B;
} dense;

static void add_block(void *target, const int *nodes, int count, const double *block, int size)
{
    const dense *t = target;
    int row = 0;
    for (int a = 0; a < count; ++a) {
        const ac_node *left_node = &t->system->nodes[nodes[a]];
        int column = 0;
        for (int b = 0; b < count; ++b) {
            const ac_node *right_node = &t->system->nodes[nodes[b]];
            for (int i = 0; i < left_node->size; ++i)
                for (int j = 0; j < right_node->size; ++j)
                    t->B[(left_node->q + i) * t->system->n + right_node->q + j] +=
                        block[(row + i) * size + column + j];
            column += right_node->size;
        }
        row += left_node->size;
    }
}

/* B = -d left / d q_b = M/h + slopes of elements and loads, with springs, dampers and loads of all kinds. The
 * step is large so that they are a good part of B. */
TEST(slopes_of_schemes)
{
    static const char *const names[] = {"mixed chain", "planar tree", "slider-crank", "spatial loop",
                                        "free tree"};
    const double h = 0.3;
    for (int k = 0; k < 5; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            rig r;
            rig_open(&r, NULL);
            mechanism_named(names[k])->draw(&r);
            CHECK(rig_finish(&r) == AC_OK);
            record run;
            ac_simulation_settings settings = record_settings(*scheme, "multipliers", h);
            CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
            ac_stepper *s = &run.simulation->stepper;
            int n = r.system->n;
            dice d = {61};
            double *B = calloc((size_t)(n * n), sizeof *B), *at = calloc((size_t)n, sizeof *at),
                   elements = 0.0;
            for (int i = 0; i < n; ++i) at[i] = s->qa[i] + dice_between(&d, -0.1, 0.1);
            s->interval.t = 0.7;
            s->scheme->begin(&s->interval);
            left(s, at, s->right);
            dense target = {r.system, B};
            ac_stepper_slopes(s, add_block, &target);
            elements = largest_entry(n * n, B);
            CHECK(*scheme == ac_scheme_names()[1] ||
                  elements > 0.1); /* the trapezoidal rule has no stiffness here */
            for (int e = 0; e < r.system->inertia.count; ++e) {
                const ac_mass_entry *m = &r.system->inertia.entries[e];
                for (int i = 0; i < m->dimension; ++i)
                    B[(m->row + i) * n + m->column + i] += m->coefficient / h;
            }
            CHECK_NEAR(jacobian_error(left, s, n, n, at, B), 0.0, 1e-10);
            free(B);
            free(at);
            record_close(&run);
            rig_close(&r);
        }
}

/* --- the iteration matrix -------------------------------------------------------------------- */

static double distance(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

/* Error after one correction from a point on the way from rest to the first iterate, and the error before. */
static void one_correction(ac_stepper *s, double factor, const double *solution, double *before,
                           double *after)
{
    double size;
    s->formulation->guess(s, AC_GUESS_RESTING);
    s->formulation->residual(s);
    CHECK(s->formulation->correct(s, &size) == AC_OK);
    s->formulation->apply(s, factor);
    s->formulation->residual(s);
    *before = distance(s->system->n, s->qb, solution);
    CHECK(s->formulation->correct(s, &size) == AC_OK);
    s->formulation->apply(s, 1.0);
    s->formulation->residual(s);
    *after = distance(s->system->n, s->qb, solution);
}

/* With an exact matrix the error after a correction is quadratic in the error before. Springs and dampers are
 * so stiff that a wrong slope of one of them would show as order one; the inertia of rotation, constraints
 * and retraction are in it anyway. */
static double measured_order(const mechanism *mech, const char *scheme, const char *formulation, double h,
                             long steps)
{
    rig r;
    rig_open(&r, NULL);
    mech->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    record run;
    ac_simulation_settings settings = record_settings(scheme, formulation, h);
    CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
    CHECK(record_steps(&run, steps) == AC_OK);
    ac_stepper *s = &run.simulation->stepper;
    int n = r.system->n;
    double *solution = calloc((size_t)n, sizeof *solution), best = 0.0;
    memcpy(solution, s->qb, (size_t)n * sizeof *solution);
    static const double factors[2][2] = {{0.8, 0.9}, {0.95, 0.975}};
    for (int pair = 0; pair < 2;
         ++pair) { /* a cubic part may hide the quadratic one at one distance, not at both */
        double before[2], after[2];
        for (int k = 0; k < 2; ++k) one_correction(s, factors[pair][k], solution, &before[k], &after[k]);
        best = fmax(best, log(after[0] / after[1]) / log(before[0] / before[1]));
        if (!(after[1] > 1e-13))
            printf("  %s, %s, %s: nothing to measure (%g %g)\n", mech->name, scheme, formulation, before[1],
                   after[1]);
        CHECK(after[1] > 1e-13);
        CHECK(before[0] > 1.5 * before[1]);
    }
    free(solution);
    record_close(&run);
    rig_close(&r);
    return best;
}

TEST(newton_is_quadratic)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    for (int k = 0; k < mechanism_count; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            for (int f = 0; f < 3; ++f) {
                double order = measured_order(&mechanisms[k], *scheme, formulations[f], mechanisms[k].h / 2.0,
                                              3);
                if (!(order > 1.85)) printf("  %s, %s, %s\n", mechanisms[k].name, *scheme, formulations[f]);
                CHECK(order > 1.85); /* three where symmetry takes the quadratic part away */
            }
}

RUN_TESTS(CASE(slopes_of_schemes), CASE(newton_is_quadratic))
