/* A motion as a list of numbers, from which a search begins again: of phases with free lengths, durations and parameters, with
 * bounces and without phases. The second search needs a few iterations and finds the same optimum. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actio/problem.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

static ac_optimization *read_example(const char *path, ac_problem **problem)
{
    if (!ctx) ctx = ac_context_new(NULL);
    *problem = NULL;
    CHECK(ac_problem_read(ctx, path, NULL, 0, problem) == AC_OK);
    return *problem ? ac_problem_optimization(*problem) : NULL;
}

static double *numbers_of(ac_optimization *o, size_t *count)
{
    *count = ac_optimization_motion_size(o);
    double *numbers = calloc(*count, sizeof *numbers);
    if (numbers) ac_optimization_motion(o, numbers);
    CHECK(numbers != NULL);
    return numbers;
}

TEST(a_search_begins_again_from_the_numbers_of_its_motion)
{
    static const char *const paths[] = {"examples/walking/hopper.yaml", "examples/walking/spring-hip.yaml",
                                        "examples/control/ball-off-the-floor.yaml",
                                        "examples/control/crane.yaml"};
    for (size_t k = 0; k < sizeof paths / sizeof *paths; ++k) {
        ac_problem *first, *second;
        size_t count, again;
        ac_optimization *o = read_example(paths[k], &first), *other = read_example(paths[k], &second);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        double *numbers = numbers_of(o, &count), largest = 0.0, size = 0.0,
               objective = ac_optimization_result(o)->objective;
        CHECK(ac_optimization_guess_numbers(other, numbers, count) == AC_OK);
        ac_optimization_guess_near(other, true);
        CHECK(ac_optimization_solve(other, NULL, NULL) == AC_OK);
        CHECK_NEAR(ac_optimization_result(other)->objective, objective, 1e-7 * fmax(1.0, fabs(objective)));
        CHECK(ac_optimization_result(other)->iterations <= 12);
        double *found = numbers_of(other, &again);
        CHECK(again == count);
        for (size_t i = 0; i < count; ++i) {
            largest = fmax(largest, fabs(found[i] - numbers[i]));
            size = fmax(size, fabs(numbers[i]));
        }
        CHECK(largest < 1e-3 * size); /* optima are flat: the root of the tolerance */
        free(found);
        free(numbers);
        ac_problem_free(first);
        ac_problem_free(second);
    }
}

TEST(numbers_of_another_motion_are_refused)
{
    ac_problem *hopper, *ball;
    size_t count;
    ac_optimization *o = read_example("examples/walking/hopper.yaml", &hopper),
                    *other = read_example("examples/control/ball-off-the-floor.yaml", &ball);
    CHECK(ac_optimization_prepare(o) == AC_OK);
    double *numbers = numbers_of(o, &count);
    CHECK(ac_optimization_guess_numbers(other, numbers, count) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "another problem") != NULL);
    CHECK(ac_optimization_guess_numbers(o, numbers, count - 1) == AC_BAD_INPUT);
    CHECK(ac_optimization_guess_numbers(o, numbers, 1) == AC_BAD_INPUT);
    static const double wrong[] = {NAN, -1.0, 1e300};
    for (size_t k = 0; k < 3; ++k) { /* the number of intervals of the first phase */
        double kept = numbers[3];
        numbers[3] = wrong[k];
        CHECK(ac_optimization_guess_numbers(o, numbers, count) == AC_BAD_INPUT);
        numbers[3] = kept;
    }
    CHECK(ac_optimization_guess_numbers(o, numbers, count) == AC_OK);
    numbers[count - 1] = INFINITY;
    CHECK(ac_optimization_guess_numbers(o, numbers, count) == AC_BAD_INPUT);
    free(numbers);
    ac_problem_free(hopper);
    ac_problem_free(ball);
}

RUN_TESTS(CASE(a_search_begins_again_from_the_numbers_of_its_motion),
          CASE(numbers_of_another_motion_are_refused))
