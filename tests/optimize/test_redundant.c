/* Random conditions that follow from others, added to problems that are linear and quadratic: at an end, along the motion, on both
 * sides of a junction, in a cycle. The optimum stays what it was, to the last digits, and the condition is named. */
#include <math.h>
#include <stdlib.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "optimize/judge/optimality.h"
#include "optimize/judge/reduce.h"
#include "support/scratch.h"
#include "test.h"

static ac_context *ctx;

static double random_between(double low, double high)
{
    static unsigned long state = 26111920;
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

typedef struct outcome {
    ac_status status;
    double objective, second_order;
    int named, counted; /* after the solve; before, by the check */
    char first[128];
} outcome;

static ac_problem *read_text(const char *text)
{
    ac_problem *problem = NULL;
    char path[SCRATCH_SIZE];
    if (!ctx) ctx = ac_context_new(NULL);
    FILE *file = fopen(scratch_path(path, "redundant.yaml"), "w");
    CHECK(file != NULL);
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    ac_status status = ac_problem_read(ctx, path, NULL, 0, &problem);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    remove(path);
    return problem;
}

static int names(const ac_optimization *o, char first[128])
{
    char name[128];
    int count = 0;
    for (; ac_optimization_dependent_name(o, count, name); ++count)
        if (count == 0) memcpy(first, name, sizeof name);
    return count;
}

static outcome solve(const char *text)
{
    outcome out = {.status = AC_BAD_INPUT};
    ac_summary summary = {.count = 0};
    double differences[3];
    ac_problem *problem = read_text(text);
    if (!problem) return out;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(ac_optimization_check(o, differences, &out.counted, out.first) == AC_OK);
    out.first[0] = '\0';
    out.status = ac_run(ctx, problem, NULL, NULL, NULL, &summary);
    out.objective = out.second_order = NAN;
    for (int k = 0; k < summary.count; ++k) {
        if (strcmp(summary.entry[k].name, "objective") == 0) out.objective = summary.entry[k].value;
        if (strcmp(summary.entry[k].name, "second_order") == 0) out.second_order = summary.entry[k].value;
    }
    out.named = names(o, out.first);
    ac_problem_free(problem);
    return out;
}

/* Two bodies in a row on a rail, with a spring between them, pushed at both joints. */
typedef struct rail {
    char head[1600];
    double a, b, c, d; /* where both begin, where both end */
    int intervals;
} rail;

static rail random_rail(const char *formulation)
{
    rail r = {.a = random_between(-1.0, 1.0),
              .b = random_between(-1.0, 1.0),
              .c = random_between(-1.0, 1.0),
              .d = random_between(-1.0, 1.0),
              .intervals = 6 + (int)random_between(0.0, 20.0)};
    snprintf(
        r.head, sizeof r.head,
        "title: two bodies on a rail\n"
        "gravity: [0, 0]\n"
        "planar_bodies: {front: {mass: %.6f, inertia: 1}, rear: {mass: %.6f, inertia: 1}}\n"
        "joints:\n"
        "  - {prismatic: [ground, front], at: {ground: [0, 0], front: origin}, axis: [1, 0], slide: 0.1, "
        "name: rail}\n"
        "  - {prismatic: [front, rear], at: {front: origin, rear: origin}, axis: [1, 0], slide: %.6f, "
        "name: link}\n"
        "springs: [{joint: link, stiffness: %.6f, rest: %.6f}]\n"
        "loads: [{force: [%.6f, 0], on: rear}]\n"
        "optimize:\n"
        "  formulation: %s\n"
        "  intervals: %d\n"
        "  duration: %.6f\n"
        "  start: free\n"
        "  start_velocity: free\n"
        "  controls: [{joint: rail, name: u}, {joint: link, name: w}]\n"
        "  quantities: {x: {joint: rail}, y: {joint: link}, want: {signal: \"=%.6f+t*%.6f\"}}\n"
        "  objective: [{effort: 1}]\n",
        random_between(0.3, 3.0), random_between(0.3, 3.0), random_between(-0.5, 0.5),
        random_between(1.0, 100.0), random_between(-0.5, 0.5), random_between(-5.0, 5.0), formulation,
        r.intervals, random_between(0.3, 1.5), r.a, r.b);
    return r;
}

/* f x + g y = f a + g b */
static void combination(char *text, size_t size, double a, double b, const char *place)
{
    double f = random_between(-2.0, 2.0), g = random_between(-2.0, 2.0);
    snprintf(text, size, "{expression: \"%.12f*x + %.12f*y\", equals: %.17g, at: %s}", f, g, f * a + g * b,
             place);
}

static void compare(const char *plain, const char *redundant, int more, const char *name)
{
    outcome one = solve(plain), other = solve(redundant);
    CHECK(one.status == AC_OK && other.status == AC_OK);
    CHECK(one.named == 0 && one.counted == 0);
    CHECK(one.second_order == 1.0 && other.second_order == 1.0);
    CHECK_NEAR(other.objective, one.objective, 1e-8 * (1.0 + fabs(one.objective)));
    CHECK(other.counted == more);
    CHECK(other.named == (more < 32 ? more : 32));
    CHECK(strstr(other.first, name) != NULL);
}

static const char *formulation_of(int k)
{
    return k % 2 == 0 ? "reduced" : "multipliers";
}

/* ---- ends ---- */

TEST(a_combination_of_places_at_an_end_changes_nothing)
{
    for (int k = 0; k < 8; ++k) {
        rail r = random_rail(formulation_of(k));
        bool end = k % 4 < 2;
        char plain[3000], redundant[3000], both[600], more[200];
        snprintf(both, sizeof both,
                 "{expression: x, equals: %.17g, at: start}, {expression: y, equals: %.17g, at: start}, "
                 "{expression: x, equals: %.17g, at: end}, {expression: y, equals: %.17g, at: end}",
                 r.a, r.b, r.c, r.d);
        combination(more, sizeof more, end ? r.c : r.a, end ? r.d : r.b, end ? "end" : "start");
        snprintf(plain, sizeof plain, "%s  conditions: [%s]\n", r.head, both);
        snprintf(redundant, sizeof redundant, "%s  conditions: [%s, %s]\n", r.head, both, more);
        compare(plain, redundant, 1, end ? "at the end" : "at the start");
    }
}

/* ---- along the motion ---- */

TEST(a_path_that_is_asked_for_twice_changes_nothing)
{
    for (int k = 0; k < 8; ++k) {
        rail r = random_rail(formulation_of(k));
        double f = random_between(0.5, 3.0);
        char plain[3000], redundant[3000];
        static const char end[] =
            "{expression: y, equals: 0.2, at: end}, {expression: y, equals: 0, at: start}";
        snprintf(plain, sizeof plain, "%s  conditions: [{expression: x - want, equals: 0, at: path}, %s]\n",
                 r.head, end);
        snprintf(redundant, sizeof redundant,
                 "%s  conditions: [{expression: x - want, equals: 0, at: path}, %s, {expression: "
                 "\"%.9f*(want - x) + %.9f*y\", equals: %.17g, at: end}]\n",
                 r.head, end, f, f, 0.2 * f);
        compare(plain, redundant, 1, "at the end");
        snprintf(redundant, sizeof redundant,
                 "%s  conditions: [{expression: x - want, equals: 0, at: path}, %s, {expression: x, equals: "
                 "%.6f, at: start}]\n",
                 r.head, end, r.a);
        compare(plain, redundant, 1, "condition '");
        snprintf(redundant, sizeof redundant,
                 "%s  conditions: [{expression: x - want, equals: 0, at: path}, %s, {expression: "
                 "\"%.9f*(x - want)\", equals: 0, at: path}]\n",
                 r.head, end, f);
        compare(plain, redundant, r.intervals + 1, "condition '");
    }
}

/* Both ends are given by the path. */
TEST(a_start_that_is_given_and_on_the_path_is_one_condition)
{
    static const char text[] =
        "title: a motion prescribed at every node\n"
        "planar_bodies: {arm: {solid: {rod: {length: 1, mass: 1.5}}}}\n"
        "joints: [{revolute: [ground, arm], at: {arm: start}, angle: %.17g, angle_rate: %.17g, name: pin}]\n"
        "optimize:\n"
        "  intervals: %d\n"
        "  duration: 1\n"
        "  controls: [{joint: pin, name: u}]\n"
        "  quantities: {phi: {joint: pin}, want: {signal: \"=%.17g + sin(3*t)\"}}\n"
        "  objective: [{effort: 0}]\n"
        "  conditions: [{expression: phi - want, equals: 0, at: path}]\n";
    for (int k = 0; k < 6; ++k) {
        char problem[1200];
        double angle = random_between(-1.0, 1.0);
        snprintf(problem, sizeof problem, text, angle, 3.0, 10 + 10 * k, angle);
        outcome out = solve(problem);
        CHECK(out.status == AC_OK);
        CHECK(out.named == 1 && strstr(out.first, "phi - want") != NULL);
        snprintf(problem, sizeof problem, text, angle, 3.0, 10 + 10 * k, angle + 0.01);
        out = solve(problem);
        CHECK(out.status == AC_NOT_CONVERGED);
        CHECK(strstr(ac_context_message(ctx), "phi - want") != NULL);
    }
}

/* ---- multipliers ---- */

static const char TWICE[] =
    "title: a place that is asked for twice\n"
    "points: {a: {mass: %.6f, position: [0, 0]}}\n"
    "optimize:\n"
    "  intervals: 12\n"
    "  duration: 1\n"
    "  controls: [{force: a, component: x, name: u}, {force: a, component: y, name: v}]\n"
    "  quantities: {x: {of: a, point: centre, along: x}, y: {of: a, point: centre, along: y}}\n"
    "  objective: [{effort: 1}, {end: \"(y-1)^2\"}]\n"
    "  conditions: [{expression: x, equals: 1, at: end}, {expression: \"%.17g*x + %.17g*y\", equals: %.17g, "
    "at: "
    "end}]\n";

/* Two equal rows take any multipliers, one against the other. With huge ones the optimum is not verified by them, but by others. */
TEST(multipliers_of_rounding_are_replaced)
{
    for (int k = 0; k < 6; ++k) {
        char text[1200];
        snprintf(text, sizeof text, TWICE, random_between(0.5, 2.0), 1.0, 0.0, 1.0);
        ac_problem *problem = read_text(text);
        if (!problem) return;
        ac_optimization *o = ac_problem_optimization(problem);
        ac_optimality verdict = {0};
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        ac_forget_dependent(o);
        int last = o->layout.rows - 1;
        while (o->layout.bounds.low[last] != 1.0) --last;
        double *mu = o->found.multipliers, huge = pow(10.0, random_between(12.0, 18.0));
        CHECK(o->layout.bounds.low[last - 1] == 1.0);
        mu[last] = huge;
        mu[last - 1] = -huge;
        CHECK(ac_judge_first_order(o, 1e-6, &verdict) == AC_OK);
        CHECK(verdict.replaced);
        CHECK(verdict.error <= 1e-6);
        CHECK(fabs(mu[last]) < 1e6 && fabs(mu[last - 1]) < 1e6);
        ac_problem_free(problem);
    }
}

/* f x + w y = f, where w is rounding: it says nothing of y. */
TEST(what_rounding_leaves_of_a_condition_is_none)
{
    for (int k = 0; k < 6; ++k) {
        char text[1200];
        double mass = random_between(0.5, 2.0), f = random_between(0.5, 2.0),
               w = pow(10.0, random_between(-18.0, -12.0));
        snprintf(text, sizeof text, TWICE, mass, f, 0.0, f);
        outcome plain = solve(text);
        snprintf(text, sizeof text, TWICE, mass, f, w, f);
        outcome other = solve(text);
        CHECK(plain.status == AC_OK && other.status == AC_OK && other.named == 1);
        CHECK_NEAR(other.objective, plain.objective, 1e-8);
    }
}

/* ---- phases ---- */

static void write_phases(char *text, size_t size, const rail *r, const char *first, const char *second,
                         const char *more)
{
    snprintf(text, size,
             "%s  phases:\n"
             "    - {name: one, conditions: [%s]}\n"
             "    - {name: two, duration: 0.43, conditions: [%s]}\n%s",
             r->head, first, second, more);
}

TEST(the_same_place_on_both_sides_of_a_junction_is_one_condition)
{
    for (int k = 0; k < 8; ++k) {
        rail r = random_rail(formulation_of(k));
        char plain[3000], redundant[3000], before[500], after[500], end[200], again[200];
        combination(again, sizeof again, r.a, r.b, "start");
        combination(end, sizeof end, r.c, r.d, "end");
        snprintf(before, sizeof before,
                 "{expression: x, equals: 0, at: start}, {expression: x, equals: %.17g, at: end}, "
                 "{expression: y, equals: %.17g, at: end}",
                 r.a, r.b);
        snprintf(after, sizeof after, "%s, %s", end, again);
        write_phases(plain, sizeof plain, &r, before, end, "");
        write_phases(redundant, sizeof redundant, &r, before, after, "");
        compare(plain, redundant, 1, "phase 'two'");
    }
}

TEST(both_ends_of_a_cycle_are_one_condition)
{
    for (int k = 0; k < 8; ++k) {
        rail r = random_rail(formulation_of(k));
        char plain[3000], redundant[3000], start[200], end[500], middle[100];
        double f = random_between(0.5, 2.0);
        snprintf(start, sizeof start, "{expression: x, equals: %.17g, at: start}", r.a);
        snprintf(middle, sizeof middle, "{expression: x, equals: %.17g, at: start}", r.c);
        snprintf(end, sizeof end, "%s, {expression: \"%.9f*x\", equals: %.17g, at: end}", middle, f, f * r.a);
        write_phases(plain, sizeof plain, &r, start, middle, "  cycle: {}\n");
        write_phases(redundant, sizeof redundant, &r, start, end, "  cycle: {}\n");
        compare(plain, redundant, 1, "condition '");
    }
}

/* A rigid foot in the plane is held by three of the four places of its heel and toe. */
TEST(a_hold_that_follows_from_the_others_changes_nothing)
{
    static const char text[] =
        "title: a foot held at heel and toe\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  foot: {mass: 1, inertia: 0.02, points: {heel: [-0.1, 0], toe: [0.1, 0]}, position: [0, 0], angle: "
        "%.6f}\n"
        "  leg: {mass: %.6f, inertia: 0.2, points: {low: [0, -0.3]}}\n"
        "joints: [{revolute: [foot, leg], at: {foot: origin, leg: low}, angle: 0.1, name: ankle}]\n"
        "optimize:\n"
        "  formulation: %s\n"
        "  intervals: %d\n"
        "  duration: 0.4\n"
        "  controls: [{joint: ankle, name: u}]\n"
        "  quantities:\n"
        "    heel_x: {of: foot, point: heel, along: x}\n"
        "    heel_y: {of: foot, point: heel, along: y}\n"
        "    toe_x: {of: foot, point: toe, along: x}\n"
        "    toe_y: {of: foot, point: toe, along: y}\n"
        "    q: {joint: ankle}\n"
        "  objective: [{effort: 1}]\n"
        "  conditions: [{expression: q, equals: %.6f, at: end}]\n"
        "  phases: [{name: stand, hold: [%s]}]\n"
        "  end_velocity: rest\n";
    for (int k = 0; k < 8; ++k) {
        char three[2000], four[2000];
        double angle = k < 2 ? 0.0 : random_between(-0.7, 0.7), mass = random_between(1.0, 5.0),
               goal = random_between(0.2, 0.5);
        int intervals = 10 + (int)random_between(0.0, 30.0);
        snprintf(three, sizeof three, text, angle, mass, formulation_of(k), intervals, goal,
                 "heel_x, heel_y, toe_y");
        snprintf(four, sizeof four, text, angle, mass, formulation_of(k), intervals, goal,
                 k % 4 < 2 ? "heel_x, heel_y, toe_x, toe_y" : "toe_y, heel_y, toe_x, heel_x");
        outcome one = solve(three), other = solve(four);
        CHECK(one.status == AC_OK && other.status == AC_OK);
        CHECK_NEAR(other.objective, one.objective, 1e-7 * one.objective);
        CHECK(other.second_order == 1.0 && other.counted > 0);
    }
    ac_context_free(ctx);
    ctx = NULL;
}

RUN_TESTS(CASE(a_combination_of_places_at_an_end_changes_nothing),
          CASE(a_path_that_is_asked_for_twice_changes_nothing),
          CASE(a_start_that_is_given_and_on_the_path_is_one_condition),
          CASE(multipliers_of_rounding_are_replaced), CASE(what_rounding_leaves_of_a_condition_is_none),
          CASE(the_same_place_on_both_sides_of_a_junction_is_one_condition),
          CASE(both_ends_of_a_cycle_are_one_condition),
          CASE(a_hold_that_follows_from_the_others_changes_nothing))
