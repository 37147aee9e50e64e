/* The same input gives the same bits, run after run. */
#include <stdlib.h>

#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

enum { STEPS = 40 };

/* All rows of a run, one after another. */
static double *all_rows(const mechanism *mech, const char *scheme, const char *formulation, size_t *size)
{
    rig r;
    record run;
    rig_open(&r, NULL);
    mech->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_simulation_settings settings = record_settings(scheme, formulation, mech->h);
    CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
    int count;
    size_t nodes = 0, intervals = 0;
    const ac_channel *channels = ac_simulation_node_channels(run.simulation, &count);
    for (int k = 0; k < count; ++k) nodes += (size_t)channels[k].width;
    channels = ac_simulation_interval_channels(run.simulation, &count);
    for (int k = 0; k < count; ++k) intervals += (size_t)channels[k].width;
    *size = STEPS * (nodes + intervals) * sizeof(double);
    double *rows = malloc(*size), *at = rows;
    for (int k = 0; k < STEPS; ++k) {
        CHECK(record_steps(&run, 1) == AC_OK);
        CHECK(record_node(&run, false) == AC_OK);
        CHECK(record_interval(&run) == AC_OK);
        memcpy(at, run.node, nodes * sizeof *at);
        memcpy(at + nodes, run.interval, intervals * sizeof *at);
        at += nodes + intervals;
    }
    record_close(&run);
    rig_close(&r);
    return rows;
}

TEST(two_runs_are_equal)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    for (int k = 0; k < mechanism_count; ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            for (int f = 0; f < 3; ++f) {
                size_t size[2];
                double *rows[2];
                for (int i = 0; i < 2; ++i)
                    rows[i] = all_rows(&mechanisms[k], *scheme, formulations[f], &size[i]);
                CHECK(size[0] == size[1] && size[0] > 1000);
                CHECK(memcmp(rows[0], rows[1], size[0]) == 0);
                for (int i = 0; i < 2; ++i) free(rows[i]);
            }
}

/* Reading rows does not change the motion, and a step that was refused can be tried again. */
TEST(looking_does_not_disturb)
{
    const mechanism *mech = mechanism_named("spatial loop");
    double end[2][64];
    int n = 0;
    for (int look = 0; look < 2; ++look) {
        rig r;
        record run;
        rig_open(&r, NULL);
        mech->draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        n = r.system->n;
        ac_simulation_settings settings = record_settings("midpoint", "multipliers", mech->h);
        settings.condition = true;
        CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
        for (int k = 0; k < STEPS; ++k) {
            CHECK(record_steps(&run, 1) == AC_OK);
            if (!look) continue;
            CHECK(record_node(&run, true) == AC_OK);
            CHECK(record_node(&run, false) == AC_OK);
            CHECK(record_interval(&run) == AC_OK);
        }
        memcpy(end[look], ac_simulation_configuration(run.simulation), (size_t)n * sizeof(double));
        record_close(&run);
        rig_close(&r);
    }
    CHECK(memcmp(end[0], end[1], (size_t)n * sizeof(double)) == 0);
}

/* A step so long that the body would turn by more than the limit is refused with a message; the state stays,
 * as often as it is tried. */
TEST(a_refused_step_leaves_the_state)
{
    rig r;
    record run;
    const double J[3] = {0.1, 0.2, 0.25}, origin[3] = {0, 0, 0}, w[3] = {0, 0, 30.0};
    rig_open(&r, NULL);
    int body = rig_body(&r, "wheel", 1.0, J, origin, NULL);
    rig_moving(&r, body, origin, w);
    CHECK(rig_finish(&r) == AC_OK);
    for (int f = 0; f < 3; ++f) {
        static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
        ac_simulation_settings settings = record_settings("midpoint", formulations[f], 0.2);
        CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
        for (int k = 0; k < 3; ++k) {
            CHECK(ac_simulation_step(run.simulation) == AC_NOT_CONVERGED);
            CHECK(strstr(ac_context_message(r.ctx), "step 1, t = 0 s") != NULL);
            CHECK(ac_simulation_steps_taken(run.simulation) == 0);
            CHECK(memcmp(ac_simulation_configuration(run.simulation), r.system->initial.q,
                         12 * sizeof(double)) == 0);
            CHECK(ac_simulation_node_row(run.simulation, true, run.node) == AC_OK);
            CHECK_NEAR(*record_at(&run, "energy/hamiltonian"), 0.5 * 0.25 * 900.0, 1e-12);
        }
        record_close(&run);
    }
    rig_close(&r);
}

RUN_TESTS(CASE(two_runs_are_equal), CASE(looking_does_not_disturb), CASE(a_refused_step_leaves_the_state))
