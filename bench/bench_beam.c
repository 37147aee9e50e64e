/* Beams: cost of a step.
 *
 *   cantilevers of 10 to 10 000 elements under their weight, elements of 5 mm, step 1 ms: time per step and
 *     element, and the exponent of the time per step, at most 1.1
 *   clamped rod of 50 elements, E = 10 MPa, 1 m long, radius 1 cm, which falls from rest under its weight for
 *     one second with a step of 1 ms, each step solved to rounding: CPU time per simulated second, at most a
 *     tenth of the 0.6 s that an explicit rod code (PyElastica, step 6e-5 s, measured on another machine of
 *     this kind) needs; with the energy-momentum scheme, which beams take unless told otherwise, and with the
 *     midpoint rule
 *   the same rod of 10 and 50 elements with steps of 50 us, which beams of unit dual quaternions take, too: time per node and step of them
 *     and of director beams in each scheme
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actio/actio.h"
#include "bench.h"

static const double EXPLICIT_SECONDS = 0.6, PI = 3.14159265358979323846;

static void must(ac_context *ctx, ac_status status)
{
    if (status == AC_OK) return;
    fprintf(stderr, "bench_beam: %s\n", ac_context_message(ctx));
    exit(1);
}

/* A rubber rod along x, clamped at the origin. */
static ac_system *make_rod(ac_context *ctx, ac_beam_model model, int elements, double length)
{
    ac_system *system;
    const double gravity[3] = {0, 0, -9.81}, along[9] = {0, 0, 1, 0, -1, 0, 1, 0, 0};
    const double E = 1e7, G = E / 3, rho = 1000, radius = 0.01, A = PI * radius * radius,
                 I = A * radius * radius / 4;
    ac_pose *frames = calloc((size_t)elements + 1, sizeof *frames);
    for (int k = 0; frames && k <= elements; ++k) {
        frames[k].position[0] = length * k / elements;
        for (int i = 0; i < 9; ++i) frames[k].rotation[i] = along[i];
    }
    if (!frames) exit(1);
    ac_beam beam = {.name = "rod",
                    .model = model,
                    .elements = elements,
                    .frames = frames,
                    .shear = {0.9 * G * A, 0.9 * G * A},
                    .axial = E * A,
                    .bending = {E * I, E * I},
                    .torsion = 2 * G * I,
                    .mass = rho * A,
                    .inertia = {rho * I, rho * I}};
    int first;
    must(ctx, ac_system_new(ctx, &system));
    must(ctx, ac_system_set_gravity(system, gravity));
    must(ctx, ac_system_add_beam(system, &beam, &first));
    ac_joint clamp = {.name = "clamp",
                      .type = AC_FIXED,
                      .a = AC_GROUND,
                      .b = first,
                      .frame_a = frames[0],
                      .frame_b = ac_pose_identity()};
    must(ctx, ac_system_add_joint(system, &clamp, NULL));
    must(ctx, ac_system_finish(system, NULL));
    free(frames);
    return system;
}

/* Seconds of a step, the least of the repeats. */
static double time_steps(ac_context *ctx, const ac_system *system, const char *scheme, double step, int steps,
                         int repeats)
{
    double least = INFINITY;
    for (int r = 0; r < repeats; ++r) {
        ac_simulation_settings settings;
        ac_simulation *sim;
        ac_simulation_defaults(&settings);
        settings.step = step;
        settings.scheme = scheme;
        must(ctx, ac_simulation_new(ctx, system, &settings, &sim));
        double start = bench_now();
        for (int n = 0; n < steps; ++n) must(ctx, ac_simulation_step(sim));
        least = fmin(least, (bench_now() - start) / steps);
        ac_simulation_free(sim);
    }
    return least;
}

static int lengths(ac_context *ctx, const char *scheme)
{
    static const int sizes[] = {10, 30, 100, 300, 1000, 3000, 10000};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    enum {
        ROUNDS = 7
    }; /* all sizes in turn, so that each meets the fast and the slow hours of the machine */
    double x[COUNT], y[COUNT];
    char name[100];
    for (int round = 0; round < ROUNDS; ++round)
        for (int k = 0; k < COUNT; ++k) {
            ac_system *system = make_rod(ctx, AC_BEAM_DIRECTOR, sizes[k], 0.005 * sizes[k]);
            double seconds = time_steps(ctx, system, scheme, 1e-3, 40, sizes[k] <= 1000 ? 3 : 1);
            x[k] = sizes[k];
            y[k] = round == 0 ? seconds : fmin(y[k], seconds);
            ac_system_free(system);
        }
    for (int k = 0; k < COUNT; ++k) {
        snprintf(name, sizeof name, "beam of %d elements, %s, time per step and element", sizes[k], scheme);
        bench_report(name, 1e6 * y[k] / x[k], "us", 0.0);
    }
    snprintf(name, sizeof name, "exponent of the time per step, 10 to 10 000 elements, %s", scheme);
    return bench_report(name, bench_exponent(COUNT, x, y), "", 1.1);
}

static int against_explicit(ac_context *ctx)
{
    static const char *const schemes[] = {"energy-momentum", "midpoint"};
    ac_system *system = make_rod(ctx, AC_BEAM_DIRECTOR, 50, 1.0);
    int exceeded = 0;
    for (int k = 0; k < 2; ++k) {
        char name[100];
        double seconds = 1000 * time_steps(ctx, system, schemes[k], 1e-3, 1000, 15);
        snprintf(name, sizeof name, "clamped rod, 50 elements, 10 MPa, 1 ms, %s: CPU s per second",
                 schemes[k]);
        bench_report(name, seconds, "s", 0.0);
        snprintf(name, sizeof name, "the same over an explicit rod code, %s", schemes[k]);
        exceeded += bench_report(name, seconds / EXPLICIT_SECONDS, "", 0.1);
    }
    ac_system_free(system);
    return exceeded;
}

/* Nodes of unit dual quaternions and of directors, with the same step. */
static void kinds_of_nodes(ac_context *ctx)
{
    static const struct {
        const char *what, *scheme;
        ac_beam_model model;
    } kinds[] = {{"dual quaternions", "trapezoidal", AC_BEAM_DUAL_QUATERNION},
                 {"directors", "trapezoidal", AC_BEAM_DIRECTOR},
                 {"directors", "midpoint", AC_BEAM_DIRECTOR},
                 {"directors", "energy-momentum", AC_BEAM_DIRECTOR}};
    static const int sizes[] = {10, 50};
    for (int n = 0; n < 2; ++n)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
            char name[100];
            ac_system *system = make_rod(ctx, kinds[k].model, sizes[n], 1.0);
            double seconds = time_steps(ctx, system, kinds[k].scheme, 5e-5, 500, 7);
            snprintf(name, sizeof name, "rod of %d elements of %s, %s, 50 us, time per node and step",
                     sizes[n], kinds[k].what, kinds[k].scheme);
            bench_report(name, 1e6 * seconds / (sizes[n] + 1), "us", 0.0);
            ac_system_free(system);
        }
}

/* An argument "nodes": the last part alone. */
int main(int argc, char **argv)
{
    ac_context *ctx = ac_context_new(NULL);
    if (!ctx) return 1;
    int exceeded = 0;
    if (argc < 2 || strcmp(argv[1], "nodes") != 0) {
        exceeded += lengths(ctx, "midpoint") + lengths(ctx, "energy-momentum");
        exceeded += against_explicit(ctx);
    }
    kinds_of_nodes(ctx);
    ac_context_free(ctx);
    return exceeded > 0;
}
