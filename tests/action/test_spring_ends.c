/* Springs and dampers whose points meet: which of them cannot act there, and that a failing step names
 * them. */
#include <math.h>
#include <unistd.h>

#include "action/spring_ends.h"
#include "support/beam_text.h"
#include "support/scratch.h"

/* Two points at the same place or apart, and what is between them. */
static ac_problem *two_points(ac_context *ctx, const char *second, const char *spring)
{
    ac_problem *problem = NULL;
    char text[1000];
    snprintf(text, sizeof text,
             "points:\n  a: {mass: 1, position: [0, 0, 0]}\n  b: {mass: 1, %s}\nsprings:\n"
             "  - {between: [ground, b], at: {ground: [0, 5, 0]}, stiffness: 1, damping: 1}\n"
             "  - {between: [a, b], %s}\n"
             "simulate: {step: 10 ms, duration: 1 s, forces: false}\n",
             second, spring);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    if (!problem) printf("%s\n", ac_context_message(ctx));
    return problem;
}

static void expect_found(const char *second, const char *spring, int moving, int resting)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = two_points(ctx, second, spring);
    if (problem) {
        const ac_system *system = ac_problem_system(problem);
        CHECK(ac_spring_without_direction(system, system->initial.q, system->initial.q, true) == moving);
        CHECK(ac_spring_without_direction(system, system->initial.q, system->initial.q, false) == resting);
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(what_needs_a_direction_is_found)
{
    const char *here = "position: [0, 0, 0]", *there = "position: [1, 0, 0]";
    expect_found(here, "stiffness: 1, length: 0", -1, -1);
    expect_found(here, "stiffness: 1", -1, -1); /* the drawn length, which is 0 */
    expect_found(here, "stiffness: 1, length: 0, damping: 1", 1, -1);
    expect_found(here, "stiffness: 1, length: 1", 1, 1);
    expect_found(here, "stiffness: 1, length: 1, damping: 1", 1, 1);
    expect_found(there, "stiffness: 1, length: 0.5, damping: 1", -1, -1);
    expect_found("position: [1e-9, 0, 0]", "stiffness: 1, length: 1, damping: 1", -1, -1);
}

/* Points that pass through one another meet half way; names and words. */
TEST(points_may_meet_between_two_places)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = two_points(ctx, "position: [1, 0, 0]", "damping: 1, stiffness: 0, name: strut");
    const ac_system *system = ac_problem_system(problem);
    double qa[6] = {0, 0, 0, 1, 0, 0}, qb[6] = {2, 0, 0, 1, 0, 0}, lost[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    char text[1024];
    CHECK(ac_spring_without_direction(system, qa, qb, true) == 1);
    CHECK(ac_spring_trouble(system, qa, qb, text, sizeof text));
    CHECK_TEXT(text,
               "the two points of spring 'strut', on point 'a' and on point 'b', coincide: a damper has no "
               "direction there; attach it to points that stay apart");
    CHECK(!ac_spring_trouble(system, qa, lost, text, sizeof text));
    CHECK_TEXT(text, "");
    qb[0] = 1;
    CHECK(ac_spring_trouble(system, qa, qb, text, sizeof text));
    CHECK(ac_spring_trouble(system, qb, lost, text, sizeof text));
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static ac_status run(ac_context *ctx, const ac_problem *problem)
{
    ac_summary summary = {.count = 0};
    char scratch[SCRATCH_SIZE];
    const char *path = scratch_path(scratch, "springs.h5");
    ac_status status = ac_run(ctx, problem, path, NULL, NULL, &summary);
    unlink(path);
    return status;
}

/* Points that only begin together are apart within the first step; those that a joint holds together are
 * not. */
TEST(the_failing_step_names_the_spring)
{
    static const char joined[] = "bodies:\n"
                                 "  a: {solid: {rod: {length: 1, mass: 1}}}\n"
                                 "  b: {solid: {rod: {length: 1, mass: 1}}, angular_velocity: [0, 0, 1]}\n"
                                 "joints: [{spherical: [a, b], at: {a: end, b: start}}]\n"
                                 "dampers: [{between: [a, b], at: {a: end, b: start}, damping: 1}]\n"
                                 "simulate: {step: 1 ms, steps: 2, forces: false}\n";
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = two_points(ctx, "position: [0, 0, 0], velocity: [1, 0, 0]",
                                     "stiffness: 1, length: 0, damping: 0.2");
    CHECK(run(ctx, problem) == AC_OK);
    ac_problem_free(problem);
    CHECK(parse(ctx, joined, &problem) == AC_OK);
    CHECK(run(ctx, problem) == AC_NOT_CONVERGED);
    CHECK_TEXT(
        ac_context_message(ctx),
        "step 1, t = 0 s: the two points of spring '1', on body 'a' and on body 'b', coincide: a damper has "
        "no direction there; attach it to points that stay apart");
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(what_needs_a_direction_is_found), CASE(points_may_meet_between_two_places),
          CASE(the_failing_step_names_the_spring))
