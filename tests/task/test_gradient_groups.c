/* Gradients by many parameters: they are followed in groups, which changes neither a derivative nor a refusal. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "test.h"

enum { LINKS = 20 };

typedef struct opened {
    ac_context *ctx;
    ac_problem *problem;
    ac_gradient *gradient;
} opened;

static opened open_gradient(const char *text, const char *const *names, int count)
{
    opened o = {.ctx = ac_context_new(NULL)};
    CHECK(ac_problem_parse(o.ctx, "f.yaml", text, strlen(text), NULL, 0, &o.problem) == AC_OK);
    CHECK(ac_gradient_new(o.ctx, o.problem, names, count, 0, &o.gradient) == AC_OK);
    CHECK(ac_gradient_run(o.gradient, NULL) == AC_OK);
    return o;
}

static void close_gradient(opened *o)
{
    ac_gradient_free(o->gradient);
    ac_problem_free(o->problem);
    ac_context_free(o->ctx);
}

/* A chain with a length and a mass for each link; a few of its parameters stand in the functional, in a signal and in a load. `odd` are
 * two parameters without a gradient, in the middle. */
static void write_chain(char *text, size_t size)
{
    size_t used = 0;
#define ADD(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    ADD("parameters: {");
    for (int k = 1; k <= LINKS; ++k) ADD("l%d: %.17g, ", k, 0.1 + 0.004 * k);
    ADD("odd: 1e-3, word: 1e-15, ");
    for (int k = 1; k <= LINKS; ++k) ADD("m%d: %.17g, ", k, 0.5 + 0.01 * k);
    ADD("f: 0.3}\ngravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 1; k <= LINKS; ++k) ADD("  b%d: {solid: {rod: {length: =l%d, mass: =m%d}}}\n", k, k, k);
    ADD("joints:\n  - {name: j1, revolute: [ground, b1], at: {b1: start}, axis: [0, 1, 0], angle_rate: "
        "=l2}\n");
    for (int k = 2; k <= LINKS; ++k)
        ADD("  - {name: j%d, revolute: [b%d, b%d], at: {b%d: end, b%d: start}, axis: [0, 1, 0.1], angle: "
            "0.05}\n",
            k, k - 1, k, k - 1, k);
    ADD("loads: [{joint: j3, value: =f*sin(m1*t)}]\n"
        "simulate:\n  step: =odd\n  steps: 40\n  tolerance: =word\n"
        "  quantities:\n    x: {point: end, of: b20, along: x}\n    goal: {signal: =l3*t}\n"
        "    E: {energy: system}\n"
        "  functional: [{running: m2*(x - goal)^2}, {end: x_rate*l4 + 0.01*E}]\n");
#undef ADD
    CHECK(used < size);
}

TEST(groups_give_the_gradient_of_each_parameter)
{
    static char text[16384];
    write_chain(text, sizeof text);
    opened all = open_gradient(text, NULL, 0);
    CHECK(ac_gradient_parameters(all.gradient) == 2 * LINKS + 1);
    for (int j = 0; j < ac_gradient_parameters(all.gradient); ++j) {
        char expected[16];
        const char *name = ac_gradient_parameter(all.gradient, j, NULL);
        int number = j < LINKS ? j + 1 : j - LINKS + 1;
        snprintf(expected, sizeof expected, "%c%d", j < LINKS ? 'l' : 'm', number);
        CHECK(strcmp(name, j < 2 * LINKS ? expected : "f") == 0); /* in the order of the file */
        opened one = open_gradient(text, &name, 1);
        double by = ac_gradient_by_parameter(one.gradient, 0);
        CHECK(by != 0.0);
        CHECK_NEAR(ac_gradient_by_parameter(all.gradient, j), by, 1e-11 * fabs(by));
        close_gradient(&one);
    }
    close_gradient(&all);
}

TEST(groups_name_the_parameter_that_has_no_gradient)
{
    static char text[16384];
    write_chain(text, sizeof text);
    opened all = open_gradient(text, NULL, 0);
    CHECK(strstr(ac_gradient_skipped(all.gradient, 0), "'odd': the step or the duration changes"));
    CHECK(strstr(ac_gradient_skipped(all.gradient, 1), "the parameter 'word' stands here"));
    CHECK(!ac_gradient_skipped(all.gradient, 2));
    close_gradient(&all);
}

/* Both change in the same ratio: together they leave the step as it is, each by itself does not. */
TEST(ratios_of_parameters_are_noticed)
{
    static const char RATIO[] = "parameters: {a: 2, b: 200, m: 1}\n"
                                "points: {p: {mass: =m, position: [1], velocity: [1]}}\n"
                                "springs: [{between: [ground, p], stiffness: 3, length: 0.5}]\n"
                                "simulate: {step: =a/b, steps: 20, quantities: {x: {point: centre, of: p, "
                                "along: x}}, functional: [{end: x}]}\n";
    opened all = open_gradient(RATIO, NULL, 0);
    CHECK(ac_gradient_parameters(all.gradient) == 1);
    CHECK(strstr(ac_gradient_skipped(all.gradient, 0), "'a'"));
    CHECK(strstr(ac_gradient_skipped(all.gradient, 1), "'b'"));
    close_gradient(&all);
}

/* Three rods close a loop, which does not permit the velocity that is given: the start has another one. Masses, stiffness and the load
 * do not touch it; the length does. */
TEST(what_leaves_the_start_alone_needs_no_derivative_of_it)
{
    static const char LOOP[] =
        "parameters: {m: 1, k: 200, f: 3, l: 0.5}\n"
        "points:\n  p: {mass: =m, position: [0.35, 0.36], velocity: [0, 0.8]}\n"
        "  q: {mass: 0.6, position: [0.95, 0.1]}\n"
        "joints: [{distance: [ground, p], length: =l}, {distance: [p, q], length: 0.7}, {distance: [q, "
        "ground], at: {ground: [1, 0]}}]\n"
        "springs: [{between: [p, ground], at: {ground: [0, 1]}, stiffness: =k, length: 0.2}]\n"
        "loads: [{force: [=f, 0], on: q}]\n"
        "simulate: {step: 1e-3, steps: 100, quantities: {x: {point: centre, of: q, along: x}}, "
        "functional: [{end: x_rate}]}\n";
    opened all = open_gradient(LOOP, NULL, 0);
    CHECK(ac_gradient_parameters(all.gradient) == 3);
    for (int j = 0; j < ac_gradient_parameters(all.gradient); ++j) {
        double slope = NAN;
        CHECK(ac_gradient_difference(all.gradient, j, &slope, NULL) == AC_OK);
        CHECK(ac_gradient_error(all.gradient, j, slope) < 1e-7);
    }
    CHECK(strstr(ac_gradient_skipped(all.gradient, 0), "'l': the start does not have the velocity"));
    close_gradient(&all);
}

/* --- what the set-up costs --- */

static void *count_allocation(void *user, size_t size)
{
    ++*(long *)user;
    return malloc(size);
}

static void count_release(void *user, void *block)
{
    (void)user;
    free(block);
}

/* Allocations of a gradient by parameters of the chain that have one. */
static long allocations(const char *text, int wanted)
{
    long count = 0, before;
    const ac_allocator counting = {count_allocation, count_release, &count};
    ac_context *ctx = ac_context_new(&counting);
    ac_problem *problem = NULL;
    ac_gradient *gradient = NULL;
    char names[LINKS][16];
    const char *list[LINKS];
    for (int k = 0; k < LINKS; ++k) {
        snprintf(names[k], sizeof names[k], "l%d", k + 1);
        list[k] = names[k];
    }
    CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem) == AC_OK);
    before = count;
    CHECK(ac_gradient_new(ctx, problem, list, wanted, 0, &gradient) == AC_OK);
    before = count - before;
    ac_gradient_free(gradient);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return before;
}

/* The system of the functional is evaluated once for a group, not at each parameter and dependence that is added. */
TEST(many_parameters_cost_little_more_than_one)
{
    static char text[8192];
    write_chain(text, sizeof text);
    long one = allocations(text, 1), all = allocations(text, LINKS);
    if (!(2 * all <= 5 * one)) printf("  allocations: %ld, of one %ld\n", all, one);
    CHECK(2 * all <= 5 * one);
}

/* A parameter that is a formula of numbers is a number; one that follows from another parameter is not. */
TEST(formulas_without_other_parameters_count_as_numbers)
{
    static const char file[] =
        "parameters: {a: %s, b: =2*a, c: %s, m: 1}\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies: {rod: {solid: {rod: {length: =c, mass: =m}}}}\n"
        "joints: [{revolute: [ground, rod], at: {rod: start}, angle: =a, angle_rate: =b, name: j}]\n"
        "simulate: {step: 1 ms, duration: 0.05 s, quantities: {x: {joint: j}}, functional: [{end: x*c}]}\n";
    static const char *const formulas[][2] = {
        {"=-pi/2 + 0.4", "=sqrt(2)"}, {"=3", "=1/3"}, {"=cos(2) - 1e-1", "=exp(-1)"}};
    static const double numbers[][2] = {{-1.17079632679489655, 1.41421356237309515},
                                        {3.0, 1.0 / 3.0},
                                        {-0.516146836547142359, 0.367879441171442334}};
    for (int k = 0; k < 3; ++k) {
        char text[2][1024], value[2][32];
        for (int i = 0; i < 2; ++i) snprintf(value[i], sizeof value[i], "%.17g", numbers[k][i]);
        snprintf(text[0], sizeof text[0], file, formulas[k][0], formulas[k][1]);
        snprintf(text[1], sizeof text[1], file, value[0], value[1]);
        opened by_formula = open_gradient(text[0], NULL, 0), by_number = open_gradient(text[1], NULL, 0);
        CHECK(ac_gradient_parameters(by_formula.gradient) == 3 &&
              ac_gradient_parameters(by_number.gradient) == 3);
        for (int j = 0; j < 3; ++j) {
            double slope = ac_gradient_by_parameter(by_number.gradient, j);
            CHECK(strcmp(ac_gradient_parameter(by_formula.gradient, j, NULL),
                         ac_gradient_parameter(by_number.gradient, j, NULL)) == 0);
            CHECK_NEAR(ac_gradient_by_parameter(by_formula.gradient, j), slope, 1e-12 * (1.0 + fabs(slope)));
        }
        close_gradient(&by_formula);
        close_gradient(&by_number);
    }
}

RUN_TESTS(CASE(groups_give_the_gradient_of_each_parameter),
          CASE(groups_name_the_parameter_that_has_no_gradient), CASE(ratios_of_parameters_are_noticed),
          CASE(what_leaves_the_start_alone_needs_no_derivative_of_it),
          CASE(many_parameters_cost_little_more_than_one),
          CASE(formulas_without_other_parameters_count_as_numbers))
