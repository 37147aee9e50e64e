/* A beam with too few elements folds over where it should bend: the run ends there and says so. */
#include "actio/simulate.h"
#include "observe/simulation.h"
#include "model/system.h"
#include "support/beams.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};

/* A rubber rod of 1 m, clamped so that it lies, is let go. Returns the status and how many steps went
 * well. */
static ac_status drop(ac_context *ctx, ac_beam_model model, int elements, int order, const char *scheme,
                      int steps, int *taken)
{
    const double gravity[3] = {0, 0, -9.81};
    beam_data d = {model, elements, 1.0, 900, 3000, {0.08, 0.08}, 0.05, 0.3, 8e-6, 0, order};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "rod", &d, NULL);
    hold(system, AC_FIXED, first, ORIGIN);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_simulation *sim = start(ctx, system, scheme, "auto", 1e-3);
    ac_status status = AC_OK;
    CHECK(ac_simulation_largest_bend(sim) == 0.0);
    for (*taken = 0; *taken < steps && status == AC_OK; *taken += status == AC_OK)
        status = ac_simulation_step(sim);
    double bend = ac_simulation_largest_bend(sim), quarter = acos(0.0);
    CHECK(bend > 0.1 && (model == AC_BEAM_EDGE || (bend > quarter) == (status != AC_OK)));
    CHECK_NEAR(ac_simulation_yielding_bend(sim), model == AC_BEAM_DIRECTOR ? bend : 0.0, 0.0);
    ac_simulation_free(sim);
    ac_system_free(system);
    return status;
}

TEST(a_coarse_beam_that_folds_ends_the_run)
{
    static const char *const schemes[] = {"midpoint", "energy-momentum"};
    ac_context *ctx = ac_context_new(NULL);
    for (int s = 0; s < 2; ++s)
        for (int order = 1; order <= 2; ++order) {
            int taken;
            CHECK(drop(ctx, AC_BEAM_DIRECTOR, 8 / order, order, schemes[s], 1000, &taken) ==
                  AC_NOT_CONVERGED);
            CHECK(taken > 300 && taken < 700);
            CHECK(strstr(ac_context_message(ctx),
                         "beam 'rod' bends by more than a quarter turn between its nodes "
                         "'rod[0]' and 'rod[1]', where it resists no longer; give it more "
                         "elements") != NULL);
        }
    ac_context_free(ctx);
}

TEST(with_more_elements_it_passes)
{
    ac_context *ctx = ac_context_new(NULL);
    int taken;
    CHECK(drop(ctx, AC_BEAM_DIRECTOR, 32, 1, "energy-momentum", 1000, &taken) == AC_OK);
    ac_context_free(ctx);
}

/* The curvature of Cayley's transform grows without bounds towards half a turn. */
TEST(rods_of_vertices_do_not_fold)
{
    ac_context *ctx = ac_context_new(NULL);
    int taken;
    CHECK(drop(ctx, AC_BEAM_VERTEX, 8, 1, "energy-momentum", 1000, &taken) == AC_OK);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_coarse_beam_that_folds_ends_the_run), CASE(with_more_elements_it_passes),
          CASE(rods_of_vertices_do_not_fold))
