/* Prints checksums of a run: of every channel of every table, of the numbers of its summary, and one over all. The same program is built
 * for every target of `make test-targets`; where the bits of two targets differ, --rows tells the numbers one by one.
 *
 *   checksum [--gradient] [--rows] RESULT FILE [KEY=VALUE...]     RESULT: where the result is written */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actio/actio.h"
#include "base/checksum.h"

typedef struct print {
    bool rows;
    uint64_t sum; /* of all that was printed */
} print;

/* Times of the clock differ from run to run. */
static bool is_of_the_clock(const char *name)
{
    static const char *const words[] = {"wall_time",      "cpu_time",    "time_per_step",   "solve_time",
                                        "functions_time", "sample/time", "deadlines_missed"};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        if (strstr(name, words[k])) return true;
    return false;
}

/* The numbers of one channel, row by row. */
static void put(print *p, const char *table, const char *name, const double *x, long rows, int width)
{
    uint64_t sum = AC_CHECKSUM_START;
    for (long k = 0; k < rows; ++k) sum = ac_checksum_numbers(sum, x + k * width, width);
    p->sum = ac_checksum(p->sum, name, strlen(name));
    p->sum = ac_checksum(p->sum, &sum, sizeof sum);
    if (!p->rows) printf("%s %s %ld %d %016" PRIx64 "\n", table, name, rows, width, sum);
    for (long k = 0; p->rows && k < rows * width; ++k) {
        uint64_t bits;
        memcpy(&bits, x + k, sizeof bits);
        printf("%ld %s %s %ld %016" PRIx64 " %.17g\n", k / width, table, name, k % width, bits, x[k]);
    }
}

static ac_status put_tables(print *p, ac_result *result)
{
    ac_status status = AC_OK;
    for (int t = 0; t < ac_result_table_count(result); ++t) {
        int count;
        long rows = ac_result_rows(result, t);
        const ac_channel *channels = ac_result_channels(result, t, &count);
        for (int c = 0; c < count && status == AC_OK; ++c) {
            int width = channels[c].width;
            double *x = malloc(((size_t)rows * (size_t)width + 1) * sizeof *x);
            status = x ? ac_result_read(result, t, c, 0, 1, rows, x) : AC_NO_MEMORY;
            if (status == AC_OK && !is_of_the_clock(channels[c].name))
                put(p, ac_result_table_name(result, t), channels[c].name, x, rows, width);
            free(x);
        }
    }
    return status;
}

static void put_numbers(print *p, const ac_result *result)
{
    for (int k = 0; k < ac_result_number_count(result); ++k) {
        double value;
        const char *unit, *name = ac_result_number_name(result, k, &value, &unit);
        if (!is_of_the_clock(name)) put(p, "summary", name, &value, 1, 1);
    }
}

/* Solves the problem; what was reached counts, too. */
static ac_status put_run(print *p, ac_context *ctx, const ac_problem *problem, const char *path)
{
    static ac_summary summary;
    ac_result *result = NULL;
    ac_status status = ac_run(ctx, problem, path, NULL, NULL, &summary);
    if (status != AC_OK) return status;
    printf("status %s\n", summary.status);
    p->sum = ac_checksum(p->sum, summary.status, strlen(summary.status));
    status = ac_result_open(ctx, path, &result);
    if (status != AC_OK) return status;
    put_numbers(p, result);
    status = put_tables(p, result);
    ac_result_close(result);
    return status;
}

/* The functional, its gradient by parameters, and their shares over time. */
static ac_status put_gradient(print *p, ac_context *ctx, const ac_problem *problem)
{
    ac_gradient *gradient = NULL;
    double value, step;
    ac_status status = ac_gradient_new(ctx, problem, NULL, 0, 0, &gradient);
    if (status == AC_OK) status = ac_gradient_run(gradient, &value);
    if (status == AC_OK) put(p, "functional", "value", &value, 1, 1);
    for (int k = 0; status == AC_OK && k < ac_gradient_parameters(gradient); ++k) {
        const char *name = ac_gradient_parameter(gradient, k, NULL);
        long steps = ac_gradient_steps(gradient, &step);
        double by = ac_gradient_by_parameter(gradient, k);
        put(p, "gradient", name, &by, 1, 1);
        double *over = malloc(((size_t)steps + 1) * sizeof *over);
        if (!over) status = AC_NO_MEMORY;
        for (long n = 0; over && n < steps; ++n) over[n] = ac_gradient_over_time(gradient, n, k);
        if (over) put(p, "gradient_over_time", name, over, steps, 1);
        free(over);
    }
    ac_gradient_free(gradient);
    return status;
}

int main(int argc, char **argv)
{
    print p = {.sum = AC_CHECKSUM_START};
    bool gradient = false;
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; ++at) {
        p.rows = p.rows || strcmp(argv[at], "--rows") == 0;
        gradient = gradient || strcmp(argv[at], "--gradient") == 0;
    }
    ac_context *ctx = ac_context_new(NULL);
    if (!ctx || argc < at + 2) return 2;
    ac_problem *problem = NULL;
    const char *const *settings = (const char *const *)argv + at + 2;
    ac_status status = ac_problem_read(ctx, argv[at + 1], settings, argc - at - 2, &problem);
    if (status == AC_OK && gradient) status = put_gradient(&p, ctx, problem);
    if (status == AC_OK && !gradient) status = put_run(&p, ctx, problem, argv[at]);
    if (status == AC_OK)
        printf("checksum %016" PRIx64 "\n", p.sum);
    else
        fprintf(stderr, "%s: %s\n", argv[at + 1], ac_context_message(ctx));
    ac_problem_free(problem);
    ac_context_free(ctx);
    return status == AC_OK ? 0 : 1;
}
