/* Beams in motion and at rest when memory runs out: every allocation fails once; nothing leaks, nothing
 * crashes. */
#include "actio/actio.h"
#include "problem/build/build.h"
#include "support/memory.h"
#include "test.h"

static const char *const MOTION =
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  a: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 6, section: {circle: {radius: 0.01}},\n"
    "      material: {young: 1e7, density: 1000}, damping: 1e-3, masses: [{at: end, mass: 0.1}]}\n"
    "  b: {polyline: [[0, 0, 0], [0, 1, 0], [0, 1, 1]], elements: 4, order: 2,\n"
    "      section: [{at: 0, circle: {radius: 0.02}}, {at: 1, circle: {radius: 0.01}}],\n"
    "      material: {young: 1e7, density: 1000}, damping: 1e-3, masses: [{at: corner1, mass: 0.1}]}\n"
    "joints: [{fixed: [ground, a.start]}, {spherical: [ground, b.start]}]\n"
    "simulate: {step: 1e-3, steps: 2}\n";
static const char *const REST =
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  a: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 3, model: edge,\n"
    "      section: {circle: {radius: 0.01}}, material: {young: 1e7, density: 1000}}\n"
    "joints: [{fixed: [ground, a.start]}]\n"
    "equilibrium: {path: {step: 0.01, points: 2}}\n";

static const char *const FUNCTIONS =
    "beams:\n"
    "  a: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 3, model: vertex, inertia: {mass: 1, "
    "rotary: [1, 1]},\n"
    "      energy: 'u1^2+u2^2+u3^2+9*(v1^2+v2^2+(v3-1)^2)', potential: '0.1*z'}\n"
    "joints: [{fixed: [ground, a.start]}]\n"
    "equilibrium: {formulation: multipliers}\n";
static const char *const REFUSED =
    "beams:\n"
    "  a: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 3, section: {circle: {radius: 0.01}},\n"
    "      material: {young: 1e7, density: 1000}}\n"
    "loads: [{force: [0, 0.01, 0], on: a.end, constant: true}]\n"
    "equilibrium: {}\n";
static const char *const LOOP =
    "bodies:\n"
    "  crank: {solid: {rod: {length: 1, mass: 1}}}\n"
    "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"
    "  rocker: {solid: {rod: {length: 1, mass: 1}}}\n"
    "beams:\n"
    "  b: {straight: {from: [0, 0, 1], to: [3, 0, 1]}, elements: 34, section: {circle: {radius: 0.01}},\n"
    "      material: {young: 2e8, density: 1000}}\n"
    "joints:\n"
    "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, -1, 0], angle: 90 deg}\n"
    "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, -1, 0], angle: -90 deg}\n"
    "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, -1, 0], angle: 90 deg}\n"
    "  - {revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: start}, axis: [0, -1, 0]}\n"
    "  - {fixed: [coupler, b.start], at: {coupler: start, b.start: origin}}\n"
    "springs:\n"
    "  - {between: [ground, crank], at: {ground: [0, 0, 2.5], crank: end}, stiffness: 40, length: 1}\n"
    "equilibrium: {}\n";

static ac_status run(ac_context *ctx, const char *text)
{
    ac_problem *problem = NULL;
    ac_summary summary;
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem);
    if (status == AC_OK) status = ac_run(ctx, problem, NULL, NULL, NULL, &summary);
    ac_problem_free(problem);
    return status;
}

static void fail_everywhere(const char *text, ac_status expected)
{
    memory m = {0};
    ac_context *ctx = memory_context(&m);
    long before = m.calls;
    ac_status status = run(ctx, text);
    CHECK(status == expected);
    if (status != expected) printf("%s\n", ac_context_message(ctx));
    long calls = m.calls - before;
    long held = m.held;
    for (long k = 1; k <= calls; ++k) {
        m.fail_at = m.calls + k;
        status = run(ctx, text);
        CHECK(status == AC_NO_MEMORY || status == expected);
        CHECK(m.held <= held + 2); /* the context may keep a message */
        m.fail_at = 0;
    }
    ac_context_free(ctx);
    CHECK(m.held == 0);
}

TEST(beams_in_motion_survive_lack_of_memory)
{
    fail_everywhere(MOTION, AC_OK);
}

TEST(rods_at_rest_survive_lack_of_memory)
{
    fail_everywhere(REST, AC_OK);
    fail_everywhere(REFUSED, AC_NOT_CONVERGED);
    fail_everywhere(FUNCTIONS, AC_OK);
    fail_everywhere(LOOP, AC_OK);
}

RUN_TESTS(CASE(beams_in_motion_survive_lack_of_memory), CASE(rods_at_rest_survive_lack_of_memory))
