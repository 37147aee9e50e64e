/* Joint motions that are counted from the ground are other coordinates of the same step: the motion does not change, for
 * every scheme and mechanism. */
#include <stdlib.h>

#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

enum { STEPS = 30 };

static double *trajectory(const rig *r, const char *scheme, bool decoupled, double h, int n)
{
    record run;
    ac_simulation_settings settings = record_settings(scheme, "reduced", h);
    double *path = calloc((size_t)(STEPS * n), sizeof *path);
    settings.decoupled = decoupled;
    CHECK(record_open(&run, r->ctx, r->system, &settings) == AC_OK);
    for (int k = 0; k < STEPS; ++k) {
        CHECK(record_steps(&run, 1) == AC_OK);
        memcpy(path + (size_t)(k * n), ac_simulation_configuration(run.simulation), (size_t)n * sizeof *path);
    }
    record_close(&run);
    return path;
}

TEST(the_motion_is_the_same)
{
    for (int k = 0; k < mechanism_count; ++k) {
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            rig r;
            rig_open(&r, NULL);
            mechanisms[k].draw(&r);
            CHECK(rig_finish(&r) == AC_OK);
            int n = ac_system_sizes(r.system).coordinates;
            double *following = trajectory(&r, *scheme, false, mechanisms[k].h, n);
            double *decoupled = trajectory(&r, *scheme, true, mechanisms[k].h, n);
            double off = largest_difference(STEPS * n, following, decoupled);
            if (!(off <= 1e-10)) printf("  %s, %s is off\n", mechanisms[k].name, *scheme);
            CHECK_NEAR(off, 0.0, 1e-10);
            free(following);
            free(decoupled);
            rig_close(&r);
        }
    }
}

TEST(other_formulations_have_no_joint_motions)
{
    static const char *const others[] = {"null-space", "multipliers"};
    rig r;
    rig_open(&r, NULL);
    mechanism_named("body pendulum")->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    for (int k = 0; k < 2; ++k) {
        ac_simulation_settings settings = record_settings("midpoint", others[k], 0.01);
        ac_simulation *simulation = NULL;
        settings.decoupled = true;
        CHECK(ac_simulation_new(r.ctx, r.system, &settings, &simulation) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(r.ctx), "reduced formulation only") != NULL);
        ac_simulation_free(simulation);
    }
    rig_close(&r);
}

RUN_TESTS(CASE(the_motion_is_the_same), CASE(other_formulations_have_no_joint_motions))
