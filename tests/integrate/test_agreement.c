/* The three formulations give the same motion, for every scheme, on every mechanism. */
#include <stdlib.h>

#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

enum { STEPS = 100 };

/* Configurations of all nodes of a run, and the number of steps that were taken. */
static double *trajectory(const rig *r, const char *scheme, const char *formulation, double h, int n)
{
    record run;
    ac_simulation_settings settings = record_settings(scheme, formulation, h);
    double *path = calloc((size_t)(STEPS * n), sizeof *path);
    CHECK(record_open(&run, r->ctx, r->system, &settings) == AC_OK);
    for (int k = 0; k < STEPS; ++k) {
        if (record_steps(&run, 1) != AC_OK) {
            printf("  %s, %s: %s\n", scheme, formulation, ac_context_message(r->ctx));
            CHECK(run.status == AC_OK);
            break;
        }
        memcpy(path + (size_t)(k * n), ac_simulation_configuration(run.simulation), (size_t)n * sizeof *path);
    }
    record_close(&run);
    return path;
}

TEST(formulations_agree)
{
    static const char *const others[] = {"null-space", "multipliers"};
    for (int k = 0; k < mechanism_count; ++k) {
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            rig r;
            rig_open(&r, NULL);
            mechanisms[k].draw(&r);
            CHECK(rig_finish(&r) == AC_OK);
            if (r.status != AC_OK) printf("  %s: %s\n", mechanisms[k].name, ac_context_message(r.ctx));
            int n = ac_system_sizes(r.system).coordinates;
            double *reference = trajectory(&r, *scheme, "reduced", mechanisms[k].h, n);
            double travelled = largest_difference(n, reference, reference + (size_t)((STEPS - 1) * n));
            CHECK(travelled > 0.05); /* it moved */
            for (int f = 0; f < 2; ++f) {
                double *path = trajectory(&r, *scheme, others[f], mechanisms[k].h, n);
                double off = largest_difference(STEPS * n, reference, path);
                if (!(off <= 1e-9)) printf("  %s, %s: %s is off\n", mechanisms[k].name, *scheme, others[f]);
                CHECK_NEAR(off, 0.0, 1e-9);
                free(path);
            }
            free(reference);
            rig_close(&r);
        }
    }
}

/* Sizes of the catalogue: coordinates, equations, rank and freedoms counted by hand (6 per body, joints as in
 * the manual). */
TEST(sizes_are_as_counted)
{
    static const struct {
        const char *name;
        int coordinates, constraints, freedoms, loops;
    } expected[] = {
        {"point pendulum", 2, 1, 1, 0},
        {"body pendulum", 12, 11, 1, 0},
        {"mixed chain", 84, 42 + 26 + 1, 15, 0},
        {"sprung chain", 48, 24 + 17, 7, 0},
        {"free tree", 72, 36 + 22, 14, 0},
        {"points and rods", 24, 6 + 5 + 3, 10, 1},
        {"planar tree", 10, 2 + 2 + 2 + 1, 3, 0},
        {"four-bar in space", 36, 18 + 20, 1, 1},
        {"four-bar in the plane", 12, 3 + 8, 1, 1},
        {"slider-crank", 12, 3 + 8, 1, 1},
        {"six-body linkage", 72, 36 + 6 + 30, 1, 1},
        {"spatial loop", 36, 18 + 15, 3, 1},
    };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanism_named(expected[k].name)->draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        ac_system_size size = ac_system_sizes(r.system);
        CHECK(size.coordinates == expected[k].coordinates);
        CHECK(size.constraints == expected[k].constraints);
        CHECK(size.freedoms == expected[k].freedoms);
        CHECK(size.loops == expected[k].loops);
        CHECK(size.independent == size.coordinates - size.freedoms);
        rig_close(&r);
    }
}

RUN_TESTS(CASE(sizes_are_as_counted), CASE(formulations_agree))
