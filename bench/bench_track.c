/* Tracking: cost of a step, its worst case, and how late a loop of 1 kHz is on this machine.
 *
 *   chain of 10 bodies on revolute joints, its end follows samples every 20 ms: a step below 50 us (goal 10)
 *   worst case over a million steps, and lateness of a loop of 1 kHz: told, they belong to the machine
 */
#include <string.h>

#include "actio/actio.h"
#include "bench.h"

static double wall(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(ac_context *ctx, ac_status status)
{
    if (status == AC_OK) return;
    fprintf(stderr, "bench_track: %s\n", ac_context_message(ctx));
    exit(1);
}

/* Links of 0.2 m that hang in a row, axes turned by a right angle from joint to joint. */
static ac_system *chain(ac_context *ctx, int links)
{
    ac_system *system;
    must(ctx, ac_system_new(ctx, &system));
    must(ctx, ac_system_set_gravity(system, (const double[3]){0, 0, -9.81}));
    int before = AC_GROUND;
    for (int k = 0; k < links; ++k) {
        ac_body body = {.name = "link", .mass = 1, .inertia = {0.004, 0.004, 0.001, 0, 0, 0}};
        char name[16];
        snprintf(name, sizeof name, "link%d", k);
        body.name = name;
        body.placed = true;
        body.pose = ac_pose_identity();
        body.pose.position[2] = -0.1 - 0.2 * k;
        int node;
        must(ctx, ac_system_add_body(system, &body, &node));
        ac_joint joint = {.name = name, .type = AC_REVOLUTE, .a = before, .b = node};
        joint.frame_a = joint.frame_b = ac_pose_identity();
        const double about_x[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, about_y[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
        memcpy(joint.frame_a.rotation, k % 2 ? about_x : about_y, sizeof about_x);
        memcpy(joint.frame_b.rotation, k % 2 ? about_x : about_y, sizeof about_x);
        if (k > 0) joint.frame_a.position[2] = -0.1;
        joint.frame_b.position[2] = 0.1;
        must(ctx, ac_system_add_joint(system, &joint, NULL));
        before = node;
    }
    must(ctx, ac_system_finish(system, NULL));
    return system;
}

static void place(ac_track *track, int target, long k)
{
    double t = 0.02 * (double)(k / 20);
    ac_track_place at = {.position = {0.5 * sin(2.0 * t), 0.4 * sin(2.5 * t), -1.6 + 0.3 * sin(3.0 * t)},
                         .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    ac_track_set_place(track, target, &at);
}

static ac_track *start(ac_context *ctx, const ac_system *system, ac_track_method method, int links,
                       int *target)
{
    ac_track_settings settings;
    ac_track *track;
    ac_track_defaults(&settings);
    settings.method = method;
    must(ctx, ac_track_new(ctx, system, &settings, &track));
    ac_track_target wanted = {.node = links - 1, .position = {true, true, true}, .max_force = 500};
    *target = ac_track_add_target(track, &wanted);
    return track;
}

/* Best time per step of several thousand. */
static double time_step(ac_track *track, int target, long steps)
{
    double best = 1.0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        double begun = bench_now();
        for (long k = 0; k < steps; ++k) {
            place(track, target, k);
            ac_track_step(track);
        }
        best = fmin(best, (bench_now() - begun) / (double)steps);
    }
    return best;
}

static void loop(ac_track *track, int target, ac_deadlines *late)
{
    const double period = 1e-3;
    double next = wall() + period;
    ac_deadlines_start(late, period);
    for (long k = 0; k < 3000; ++k, next += period) {
        double rest = next - wall();
        if (rest > 0.0) {
            struct timespec t = {0, (long)(1e9 * rest)};
            nanosleep(&t, NULL);
        }
        place(track, target, k);
        ac_track_step(track);
        ac_deadlines_add(late, wall() - next);
    }
}

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    const int links = 10;
    int failed = 0, target;
    ac_system *system = chain(ctx, links);
    for (int m = 0; ac_track_methods()[m]; ++m) {
        char name[80];
        ac_track *track = start(ctx, system, (ac_track_method)m, links, &target);
        snprintf(name, sizeof name, "10 bodies, %s: time per step", ac_track_methods()[m]);
        failed += bench_report(name, 1e6 * time_step(track, target, 4000), "us", 50.0);
        ac_track_free(track);
    }
    double sizes[3] = {10, 40, 160}, times[3];
    for (int k = 0; k < 3; ++k) {
        ac_system *longer = chain(ctx, (int)sizes[k]);
        ac_track *track = start(ctx, longer, AC_TRACK_DISCRETE, (int)sizes[k], &target);
        times[k] = time_step(track, target, 16000 / (long)sizes[k]);
        ac_track_free(track);
        ac_system_free(longer);
    }
    failed += bench_report("exponent of the time per step, 10 to 160 bodies", bench_exponent(3, sizes, times),
                           "", 1.3);
    ac_track *track = start(ctx, system, AC_TRACK_DISCRETE, links, &target);
    ac_deadlines steps, late;
    ac_deadlines_start(&steps, 1e-3);
    for (long k = 0; k < 1000000; ++k) {
        place(track, target, k);
        double begun = wall();
        ac_track_step(track);
        ac_deadlines_add(&steps, wall() - begun);
    }
    bench_report("a million steps: mean", 1e6 * steps.sum / (double)steps.count, "us", 0);
    bench_report("a million steps: 99.9 % below", 1e6 * ac_deadlines_quantile(&steps, 0.999), "us", 0);
    bench_report("a million steps: worst", 1e6 * steps.worst, "us", 0);
    bench_report("a million steps: longer than 1 ms", (double)steps.missed, "", 0);
    bench_report("a million steps: residual of the joints", ac_track_residual(track), "m", 1e-3);
    loop(track, target, &late);
    bench_report("loop of 1 kHz, 3 s: mean lateness", 1e6 * late.sum / (double)late.count, "us", 0);
    bench_report("loop of 1 kHz, 3 s: worst", 1e6 * late.worst, "us", 0);
    bench_report("loop of 1 kHz, 3 s: missed", (double)late.missed, "", 0);
    ac_track_free(track);
    ac_system_free(system);
    ac_context_free(ctx);
    return failed > 0;
}
