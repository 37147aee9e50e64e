/* A study of weights: rows are the combinations, and the numbers of a row follow from a motion that is known. */
#include "track/study.h"

#include <stdlib.h>

#include "actio/actio.h"
#include "model/system.h"
#include "support/numeric.h"
#include "test.h"

TEST(rows_are_all_combinations)
{
    double rho0[] = {1e-5, 1e-6, 1e-7}, servo[] = {0.2, 0.8};
    ac_study study = {.values = {[AC_STUDY_RHO0] = rho0, [AC_STUDY_SERVO] = servo},
                      .count = {[AC_STUDY_RHO0] = 3, [AC_STUDY_SERVO] = 2}};
    CHECK(ac_study_rows(&study) == 6);
    CHECK(ac_study_rows(&(ac_study){.count = {0}}) == 0);
    for (long row = 0; row < 6; ++row) {
        ac_track_settings settings;
        ac_track_defaults(&settings);
        double rho1 = settings.weights.rho1;
        ac_study_settings(&study, row, &settings);
        CHECK(settings.weights.rho0 == rho0[row / 2]);
        CHECK(settings.servo_stabilisation == servo[row % 2]);
        CHECK(settings.weights.rho1 == rho1);
    }
}

/* A body of mass m that nothing but the target holds, gravity not cancelled. With the published L2 control and the
 * weight 1 of the running error its static sag is m^2 g rho0 / (h (1 + h)), and its frequency sqrt(h / rho0) / m. */
TEST(sag_and_frequency_of_the_published_control)
{
    static const double h = 1e-3, g = 9.81, rho0[] = {1e-5, 1e-6};
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = NULL;
    int node = -1;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    ac_system_set_gravity(system, (double[3]){0, 0, -g});
    ac_body body = {.name = "ball",
                    .mass = 1,
                    .inertia = {0.4, 0.4, 0.4, 0, 0, 0},
                    .pose = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    CHECK(ac_system_add_body(system, &body, &node) == AC_OK && ac_system_finish(system, NULL) == AC_OK);
    ac_tracked target = {.target = {.node = node, .position = {true, true, true}},
                         .course = {.kind = AC_COURSE_SMOOTH}};
    for (int k = 0; k < 2; ++k) {
        ac_track_settings settings;
        ac_track_defaults(&settings);
        settings.step = h;
        settings.method = AC_TRACK_L2;
        settings.cancel = AC_CANCEL_NONE;
        settings.weights.rho0 = rho0[k];
        ac_study_row row;
        CHECK(ac_study_run(ctx, system, &settings, &target, 1, 12000, &row) == AC_OK);
        double sag = g * rho0[k] / (h * (1.0 + h)), frequency = sqrt(h / rho0[k]) / 6.283185307179586;
        CHECK_NEAR(row.sag / sag, 1.0, 0.05); /* the last third holds no whole number of periods */
        CHECK_NEAR(row.frequency / frequency, 1.0, 0.02);
        CHECK_NEAR(row.growth, 1.0, 0.05); /* undamped */
        CHECK(row.error_max > 1.9 * sag && row.error_max < 2.1 * sag);
        CHECK(row.error_rms > sag && row.error_rms < row.error_max);
    }
    ac_system_free(system);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(rows_are_all_combinations), CASE(sag_and_frequency_of_the_published_control))
