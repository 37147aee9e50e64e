/* Contacts: cost of a step with an impact beside a step without one, and of a contact that is only watched.
 *
 *   four mechanisms that strike something often: the step that meets an impact (two intervals, the search for the time
 *     of impact, the jump) as a multiple of the other steps of the same run
 *   chains of 10 and 100 hinges with a contact at the tip that never closes, against the same chains without:
 *     at most 1.6 times the cost of a step
 * All ratios are of times taken in this run.
 */
#include <string.h>

#include "actio/actio.h"
#include "bench.h"
#include "problem/build/build.h"

static void must(ac_context *ctx, ac_status status)
{
    if (status == AC_OK) return;
    fprintf(stderr, "bench_contacts: %s\n", ac_context_message(ctx));
    exit(1);
}

static ac_problem *read_text(ac_context *ctx, const char *text)
{
    ac_problem *problem;
    must(ctx, ac_problem_parse(ctx, "bench.yaml", text, strlen(text), NULL, 0, &problem));
    return problem;
}

/* --- with impacts --- */

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, compare_double);
    return count > 0 ? x[count / 2] : NAN;
}

/* The time of a step of the mesh, which is all intervals up to its end; medians of those with impacts and of those
 * without. */
static int strike(ac_context *ctx, const char *name, const char *text, double bound)
{
    enum { MOST = 200000 };
    ac_problem *problem = read_text(ctx, text);
    ac_simulation *sim;
    static double with[MOST], without[MOST];
    int counts[2] = {0, 0};
    char line[100];
    must(ctx, ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim));
    long steps = ac_problem_simulation(problem)->steps;
    for (long k = 0; k < steps; ++k) {
        int events = ac_simulation_contact_events(sim);
        double begun = bench_now();
        while (ac_simulation_mesh_steps(sim) <= k) must(ctx, ac_simulation_step(sim));
        double time = bench_now() - begun;
        bool struck = ac_simulation_contact_events(sim) > events;
        double *into = struck ? with : without;
        if (counts[struck] < MOST) into[counts[struck]++] = time;
    }
    double smooth = median(without, counts[0]), collision = median(with, counts[1]);
    snprintf(line, sizeof line, "%s, step without impact", name);
    bench_report(line, 1e6 * smooth, "us", 0.0);
    snprintf(line, sizeof line, "%s, step with one of %d impacts", name, ac_simulation_contact_events(sim));
    bench_report(line, 1e6 * collision, "us", 0.0);
    snprintf(line, sizeof line, "%s, ratio", name);
    int bad = bench_report(line, collision / smooth, "", bound);
    ac_simulation_free(sim);
    ac_problem_free(problem);
    return bad;
}

/* --- watched --- */

static double time_chain(ac_context *ctx, int links, bool contact)
{
    enum { STEPS = 200, REPEATS = 7 };
    size_t size = 400 + 220 * (size_t)links, used = 0;
    char *text = malloc(size);
    if (!text) exit(1);
#define PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    PUT("gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 1; k <= links; ++k) PUT("  l%d: {solid: {rod: {length: 1, mass: 1}}}\n", k);
    PUT("joints:\n  - {revolute: [ground, l1], at: {l1: start}, axis: [0, 1, 0], angle: 0.5}\n");
    for (int k = 2; k <= links; ++k)
        PUT("  - {revolute: [l%d, l%d], at: {l%d: end, l%d: start}, axis: [0, 1, 0]}\n", k - 1, k, k - 1, k);
    if (contact) PUT("contacts: [{body: l%d, at: end, plane: {through: [0, 0, -1000]}}]\n", links);
    PUT("simulate: {step: 1 ms, steps: %d, scheme: midpoint}\n", STEPS);
#undef PUT
    ac_problem *problem = read_text(ctx, text);
    ac_simulation *sim;
    double best = 1e9;
    must(ctx, ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim));
    for (int r = 0; r < REPEATS; ++r) {
        must(ctx, ac_simulation_restart(sim));
        double begun = bench_now();
        for (int k = 0; k < STEPS; ++k) must(ctx, ac_simulation_step(sim));
        best = fmin(best, (bench_now() - begun) / STEPS);
    }
    ac_simulation_free(sim);
    ac_problem_free(problem);
    free(text);
    return best;
}

static int watched(ac_context *ctx, int links)
{
    char line[100];
    double without = time_chain(ctx, links, false), with = time_chain(ctx, links, true);
    snprintf(line, sizeof line, "chain of %d, time per step", links);
    bench_report(line, 1e6 * without, "us", 0.0);
    snprintf(line, sizeof line, "chain of %d with a contact that stays open, ratio", links);
    return bench_report(line, with / without, "", 1.6);
}

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    int bad = 0;
    if (!ctx) return 1;
    bad += strike(ctx, "thrown ball",
                  "gravity: [0, -9.81]\npoints: {ball: {mass: 1, position: [0, 1], velocity: [0.5, 0]}}\n"
                  "contacts: [{body: ball}]\nsimulate: {step: 10 ms, steps: 50000}\n",
                  0.0);
    bad += strike(
        ctx, "double pendulum with stops",
        "gravity: [0, -9.81]\nplanar_bodies:\n  upper: {solid: {rod: {length: 1, mass: 1}}}\n"
        "  lower: {solid: {rod: {length: 1, mass: 1}}}\njoints:\n"
        "  - {revolute: [ground, upper], at: {upper: start}, angle: 30 deg, name: hip}\n"
        "  - {revolute: [upper, lower], at: {upper: end, lower: start}, angle: 60 deg, name: knee}\n"
        "contacts: [{joint: knee, lower: 0}, {joint: knee, upper: 2}, {joint: hip, upper: 1}]\n"
        "simulate: {step: 2 ms, steps: 50000}\n",
        0.0);
    bad += strike(
        ctx, "four-bar between stops",
        "gravity: [0, 0, -9.81]\nbodies:\n  crank: {solid: {rod: {length: 1, mass: 1}}}\n"
        "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"
        "  rocker: {solid: {rod: {length: 2.5, mass: 2.5}}}\njoints:\n"
        "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], name: motor, "
        "angle_rate: 1}\n"
        "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0], angle: "
        "-55 deg, hint: true}\n"
        "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: end}, axis: [0, 1, 0], "
        "angle: 1.4, hint: true}\n"
        "contacts: [{joint: motor, upper: 1.0}, {joint: motor, lower: -1.5}]\n"
        "simulate: {step: 2 ms, steps: 20000}\n",
        0.0);
    bad += strike(ctx, "crate that settles",
                  "gravity: [0, 0, -9.81]\nbodies: {crate: {solid: {box: {size: [1, 0.6, 0.4], mass: 2}}, "
                  "position: [0, 0, 1.2], rotation: [0.4, 0.3, 0.1]}}\n"
                  "contacts: [{body: crate, at: corners, restitution: 0.7, tangential: 0.1}]\n"
                  "simulate: {step: 2 ms, steps: 2000}\n",
                  0.0);
    bad += watched(ctx, 10);
    bad += watched(ctx, 100);
    ac_context_free(ctx);
    return bad ? 1 : 0;
}
