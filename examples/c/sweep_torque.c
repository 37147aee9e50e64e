/* A problem file run again and again with another number in it: how far does the spring of a slider-crank
 * let the motor get? Reads, runs and looks at results through the C interface.
 *
 *   cc sweep_torque.c $(pkg-config --cflags --libs actio) -o sweep_torque
 *   ./sweep_torque slider-crank.yaml torque.svg
 */
#include <actio/actio.h>
#include <stdio.h>
#include <string.h>

enum { RUNS = 3 };

static double summary_value(const ac_summary *summary, const char *name)
{
    for (int i = 0; i < summary->count; ++i)
        if (strcmp(summary->entry[i].name, name) == 0) return summary->entry[i].value;
    return 0.0;
}

/* Runs the file with one torque of the motor; the result file stays for the plot. */
static ac_status run_once(ac_context *ctx, const char *file, double torque, const char *result)
{
    char setting[64];
    const char *settings[] = {setting, "simulate.duration=1"};
    ac_problem *problem = NULL;
    ac_summary summary;
    memset(&summary, 0, sizeof summary);
    snprintf(setting, sizeof setting, "parameters.torque=%g", torque);
    ac_status status = ac_problem_read(ctx, file, settings, 2, &problem);
    if (status == AC_OK) status = ac_run(ctx, problem, result, NULL, NULL, &summary);
    if (status == AC_OK)
        printf("torque %g N m: energy up to %.4g J, loop closed to %.1e m\n", torque,
               summary_value(&summary, "energy_hamiltonian_max"),
               summary_value(&summary, "residual_constraints_max"));
    ac_problem_free(problem);
    return status;
}

/* The slider of all runs in one plot. */
static ac_status plot(ac_context *ctx, char names[RUNS][32], const char *path)
{
    static const char *const quantity[] = {"joint/guide/slide"};
    ac_report_source sources[RUNS] = {{0}};
    ac_plot_settings settings = ac_plot_defaults();
    ac_plot *drawn = NULL;
    ac_status status = AC_OK;
    settings.width = 720;
    settings.height = 300;
    for (int k = 0; k < RUNS && status == AC_OK; ++k) {
        sources[k].label = names[k];
        status = ac_result_open(ctx, names[k], &sources[k].result);
    }
    if (status == AC_OK) status = ac_plot_new(ctx, sources, RUNS, quantity, 1, &settings, &drawn);
    if (status == AC_OK) status = ac_plot_write_svg(drawn, path);
    ac_plot_free(drawn);
    for (int k = 0; k < RUNS; ++k) ac_result_close(sources[k].result);
    return status;
}

int main(int argc, char **argv)
{
    const char *file = argc > 1 ? argv[1] : "examples/linkages/slider-crank.yaml",
               *path = argc > 2 ? argv[2] : NULL;
    char names[RUNS][32];
    ac_context *ctx = ac_context_new(NULL);
    if (!ctx) return 1;
    ac_status status = AC_OK;
    for (int k = 0; k < RUNS && status == AC_OK; ++k) {
        snprintf(names[k], sizeof names[k], "torque-%d.h5", k + 1);
        status = run_once(ctx, file, k + 1, path ? names[k] : NULL);
    }
    if (status == AC_OK && path) status = plot(ctx, names, path);
    if (status != AC_OK) fprintf(stderr, "sweep_torque: %s\n", ac_context_message(ctx));
    ac_context_free(ctx);
    return status == AC_OK ? 0 : 1;
}
