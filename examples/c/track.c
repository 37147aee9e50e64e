/* A pendulum of two links whose tip follows a target that jumps, in a loop of 1 kHz; how late the loop was.
 *
 *   example_track [seconds]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actio/actio.h"

static int fail(ac_context *ctx)
{
    fprintf(stderr, "track: %s\n", ac_context_message(ctx));
    ac_context_free(ctx);
    return 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ac_status build(ac_system *system)
{
    static const double about_y[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0}; /* z of the joint is y of the world */
    ac_status status = ac_system_set_gravity(system, (const double[3]){0, 0, -9.81});
    for (int k = 0; k < 2 && status == AC_OK; ++k) {
        ac_body body = {.name = k ? "lower" : "upper",
                        .mass = 1,
                        .inertia = {0.083, 0.083, 0.001, 0, 0, 0},
                        .placed = true,
                        .pose = ac_pose_identity()};
        body.pose.position[2] = -0.5 - k;
        ac_joint joint = {.name = k ? "elbow" : "shoulder",
                          .type = AC_REVOLUTE,
                          .a = k - 1, /* the ground, then the upper link */
                          .b = k,
                          .frame_a = ac_pose_identity(),
                          .frame_b = ac_pose_identity()};
        memcpy(joint.frame_a.rotation, about_y, sizeof about_y);
        memcpy(joint.frame_b.rotation, about_y, sizeof about_y);
        if (k > 0) joint.frame_a.position[2] = -0.5;
        joint.frame_b.position[2] = 0.5;
        status = ac_system_add_body(system, &body, NULL);
        if (status == AC_OK) status = ac_system_add_joint(system, &joint, NULL);
    }
    return status == AC_OK ? ac_system_finish(system, NULL) : status;
}

/* One period of the loop at its time. */
static void wait_until(double due)
{
    double rest = due - now();
    if (rest <= 0.0) return;
    struct timespec t = {(time_t)rest, (long)(1e9 * (rest - floor(rest)))};
    nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1.0;
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system;
    ac_track *track;
    ac_track_settings settings;
    ac_track_defaults(&settings);
    if (!ctx || ac_system_new(ctx, &system) != AC_OK || build(system) != AC_OK ||
        ac_track_new(ctx, system, &settings, &track) != AC_OK)
        return fail(ctx);
    ac_track_target tip = {
        .node = 1, .place = {0, 0, -0.5}, .position = {true, false, true}, .max_force = 100};
    int target = ac_track_add_target(track, &tip);
    ac_deadlines late;
    ac_deadlines_start(&late, settings.step);
    double due = now(), error[6];
    for (long k = 0; k < lround(seconds / settings.step); ++k) {
        double t = 0.02 * (double)(k / 20); /* a new place every 20 ms */
        ac_track_place place = {.position = {0.8 * sin(2 * t), 0, -1.7 + 0.2 * cos(3 * t)},
                                .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        wait_until(due += settings.step);
        ac_track_set_place(track, target, &place);
        ac_track_step(track);
        ac_deadlines_add(&late, now() - due);
    }
    ac_track_error(track, target, error);
    printf("error %.3g m, joints %.3g m; late by %.0f us in the mean, %.0f us at worst, %ld of %ld steps "
           "missed\n",
           hypot(error[0], error[2]), ac_track_residual(track), 1e6 * late.sum / (double)late.count,
           1e6 * late.worst, late.missed, late.count);
    ac_track_free(track);
    ac_system_free(system);
    ac_context_free(ctx);
    return 0;
}
