/* Slopes of beams with and without damping in every scheme: by coordinates against differences, between
 * twists against those by coordinates; and steps that use either of them end at the same place. */
#include "observe/simulation.h"
#include "integrate/stepper.h"
#include "support/beams.h"
#include "support/numeric.h"

enum { NODES = 6, MOST = 6 * NODES };

static const ac_beam_model MODELS[] = {AC_BEAM_DIRECTOR, AC_BEAM_VERTEX, AC_BEAM_EDGE};

/* A soft clamped beam that falls and is pushed to the side; order 2: of two elements. */
static ac_system *make_beam(ac_context *ctx, ac_beam_model model, int order, double damping)
{
    const double gravity[3] = {1, 2, -9.81}, origin[3] = {0};
    beam_data d = {model, order > 1 ? 2 : 4, 1.0, 50, 100, {0.5, 0.7}, 0.4, 1, 0.02, damping, order};
    const double viscous[2] = {0.2 * damping, 0.7 * damping};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int first = add_viscous(system, "rod", &d, viscous, NULL);
    hold(system, AC_FIXED, first, origin);
    push(ctx, system, AC_LOAD_TORQUE, first + last_node(&d), 0.1, 0.2, 0.3);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

/* Sums of the slopes between twists of all nodes. */
typedef struct twists {
    const ac_stepper *stepper;
    double sum[MOST * MOST];
} twists;

static void add_twists(void *target, int left, int right, const double block[36])
{
    twists *t = target;
    for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) t->sum[(6 * left + r) * MOST + 6 * right + c] += block[6 * r + c];
}

static void add_projected(void *target, const int *nodes, int count, const double *block, int size)
{
    twists *t = target;
    const ac_stepper *s = t->stepper;
    const double *rows = s->scheme->at_mean ? s->interval.mean : s->qa;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            const ac_node *left = &s->system->nodes[nodes[i]], *right = &s->system->nodes[nodes[j]];
            double projected[36];
            ac_node_project(left, rows + left->q, right, s->qb + right->q, block + 12 * i * size + 12 * j,
                            size, projected);
            add_twists(t, nodes[i], nodes[j], projected);
        }
}

static void compare(ac_simulation *sim)
{
    ac_stepper *s = &sim->stepper;
    static twists by_twists, by_coordinates;
    memset(&by_twists, 0, sizeof by_twists);
    memset(&by_coordinates, 0, sizeof by_coordinates);
    by_twists.stepper = by_coordinates.stepper = s;
    for (int i = 0; i < s->system->n; ++i) s->qb[i] = s->qa[i] + 0.02 * sin(3.0 * i);
    s->scheme->begin(&s->interval);
    ac_stepper_evaluate(s);
    ac_stepper_twist_slopes(s, add_projected, add_twists, &by_twists);
    ac_stepper_slopes(s, add_projected, &by_coordinates);
    double scale = fmax(1.0, largest_entry(MOST * MOST, by_coordinates.sum));
    for (int i = 0; i < MOST * MOST; ++i) CHECK_NEAR(by_twists.sum[i], by_coordinates.sum[i], 1e-13 * scale);
}

TEST(slopes_of_schemes)
{
    static const double dampings[] = {0.0, 0.05};
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 4; ++m)
        for (int d = 0; d < 2; ++d) {
            ac_system *system = make_beam(ctx, m < 3 ? MODELS[m] : AC_BEAM_DIRECTOR, m < 3 ? 1 : 2,
                                          dampings[d]);
            for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
                ac_simulation *sim = start(ctx, system, *scheme, "reduced", 0.01);
                for (int n = 0; n < 3; ++n) CHECK(ac_simulation_step(sim) == AC_OK);
                compare(sim);
                ac_simulation_free(sim);
                ac_simulation_settings settings;
                double step_error = 1.0, constraint_error = 1.0;
                ac_simulation_defaults(&settings);
                settings.scheme = *scheme;
                settings.step = 0.01;
                CHECK(ac_simulation_check_derivatives(ctx, system, &settings, &step_error,
                                                      &constraint_error) == AC_OK);
                CHECK(step_error < 1e-8);
            }
            ac_system_free(system);
        }
    ac_context_free(ctx);
}

/* The reduced formulation takes slopes between twists and keeps its factors, the one with multipliers
 * slopes by coordinates. */
TEST(formulations_agree_with_damping)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m], 1, 0.02);
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            ac_simulation *one = start(ctx, system, *scheme, "reduced", 1e-3);
            ac_simulation *other = start(ctx, system, *scheme, "multipliers", 1e-3);
            for (int n = 0; n < 50; ++n) {
                CHECK(ac_simulation_step(one) == AC_OK);
                CHECK(ac_simulation_step(other) == AC_OK);
            }
            for (int i = 0; i < system->n; ++i)
                CHECK_NEAR(ac_simulation_configuration(one)[i], ac_simulation_configuration(other)[i], 1e-11);
            ac_simulation_free(one);
            ac_simulation_free(other);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(slopes_of_schemes), CASE(formulations_agree_with_damping))
