/* Certification: runs of the robot arm (15 steps of 0.1 s) with new lengths in each.
 *
 *   manoeuvres per second of one core, parameters set on the finished system: at least 30 000 are wanted
 *   speed-up with two threads: at least 1.8
 *   runs of the diameter search from starts against the published annealing: at most a tenth
 */
#include <string.h>

#include "actio/actio.h"
#include "bench.h"

static void must(ac_context *ctx, ac_status status)
{
    if (status == AC_OK) return;
    fprintf(stderr, "bench_certify: %s\n", ac_context_message(ctx));
    exit(1);
}

static double number(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

/* Wall time and CPU time of a run with these overrides; the shortest of a few. */
static double seconds_of(ac_context *ctx, const char *path, const char *const *settings, int count,
                         int workers, ac_summary *summary, double *cpu)
{
    double least = INFINITY;
    *cpu = INFINITY;
    for (int k = 0; k < 3; ++k) {
        ac_problem *problem = NULL;
        must(ctx, ac_problem_read(ctx, path, settings, count, &problem));
        ac_problem_certify_work(problem)->workers = workers;
        double start = bench_now();
        must(ctx, ac_run(ctx, problem, NULL, NULL, NULL, summary));
        *cpu = fmin(*cpu, bench_now() - start);
        least = fmin(least, number(summary, "wall_time"));
        ac_problem_free(problem);
    }
    return least;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "examples/certify/robot-arm-geometry.yaml";
    const char *const few[] = {"certify.mean_samples=0", "certify.samples=100"};
    const char *const many[] = {"certify.mean_samples=0", "certify.samples=20100"};
    ac_context *ctx = ac_context_new(NULL);
    ac_summary *summary = calloc(1, sizeof *summary);
    if (!ctx || !summary) return 1;
    double cpu[4], base = seconds_of(ctx, path, few, 2, 1, summary, &cpu[0]);
    double one = seconds_of(ctx, path, many, 2, 1, summary, &cpu[1]) - base;
    double two = seconds_of(ctx, path, many, 2, 2, summary, &cpu[2]) - base;
    printf("manoeuvres per second, one core   %10.0f  (CPU time)\n", 20000 / (cpu[1] - cpu[0]));
    printf("speed-up with two threads         %10.2f  (wall time)\n", one / two);
    double starts = number(summary, "runs_search"), diameter = number(summary, "diameter");
    const char *const annealed[] = {"certify.mean_samples=0", "certify.samples=100",
                                    "certify.search={method: annealing}"};
    seconds_of(ctx, path, annealed, 3, 1, summary, &cpu[3]);
    printf("runs for the diameter: starts     %10.0f  diameter %.7f\n", starts, diameter);
    printf("runs for the diameter: annealing  %10.0f  diameter %.7f\n", number(summary, "runs_search"),
           number(summary, "diameter"));
    const char *wind = argc > 2 ? argv[2] : "examples/certify/robot-arm-wind.yaml";
    const char *const windy[] = {"certify.samples=100"};
    seconds_of(ctx, wind, windy, 1, 1, summary, &cpu[3]);
    printf("the same, 92 inputs, adjoint      %10.0f  diameter %.7f  (annealing 356108, 0.0691074)\n",
           number(summary, "runs_search"), number(summary, "diameter"));
    free(summary);
    ac_context_free(ctx);
    return 0;
}
