/* Parts of a system that nothing connects move as if each were alone: a free beam keeps its momenta beside
 * one that the ground holds, and a rigid body beside both. */
#include <float.h>

#include "actio/simulate.h"
#include "base/vector.h"
#include "observe/simulation.h"
#include "tree/kinematics.h"
#include "support/beams.h"
#include "support/memory.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};
static const double SPIN[3] = {1, 2, 3};
enum { ELEMENTS = 4 };

/* Whom the free beam has for company. */
typedef enum company { ALONE, HELD_BEAM, HELD_BEAM_FIRST, FREE_BEAM, ALL } company;

static void add_held(ac_context *ctx, ac_system *system)
{
    beam_data d = {AC_BEAM_DIRECTOR, ELEMENTS, 1.0, 500, 1000, {1, 1}, 1, 1, 1e-3, 0, 1};
    int first = add_straight(system, "arm", &d, NULL);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, first + ELEMENTS, 0, 0.1, 0.5);
}

static void add_body(ac_system *system)
{
    ac_body body = {.name = "stone", .mass = 2, .inertia = {0.1, 0.2, 0.25}, .placed = true, .moving = true};
    body.pose = ac_pose_identity();
    memcpy(body.angular_velocity, SPIN, sizeof SPIN);
    CHECK(ac_system_add_body(system, &body, NULL) == AC_OK);
}

/* A free beam that turns; returns its first node. */
static int add_free(ac_system *system, const char *name)
{
    beam_data d = {AC_BEAM_DIRECTOR, ELEMENTS, 1.0, 50, 100, {0.2, 0.1}, 0.1, 1, 0.01, 0, 1};
    return add_straight(system, name, &d, SPIN);
}

static ac_system *beam_in(ac_context *ctx, company who, int *first)
{
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    if (who == HELD_BEAM_FIRST) add_held(ctx, system);
    *first = add_free(system, "noodle");
    if (who == HELD_BEAM || who == ALL) add_held(ctx, system);
    if (who == FREE_BEAM || who == ALL) add_free(system, "other");
    if (who == ALL) add_body(system);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

/* Linear momentum, and angular momentum about the origin, of a few nodes in a row. */
static void momentum_of(const ac_simulation *sim, int first, int count, double total[6])
{
    const ac_stepper *s = &sim->stepper;
    const double *q = sim->solved ? s->qb : s->qa, *p = sim->solved ? s->right : s->p;
    memset(total, 0, 6 * sizeof *total);
    for (int i = first; i < first + count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        double w[6], x[3];
        ac_node_wrench(node, q + node->q, p + node->q, w);
        ac_reference(node, q, x);
        add_cross3(x, w, w + 3);
        for (int k = 0; k < 6; ++k) total[k] += w[k];
    }
}

/* The largest change of a momentum on the way. */
static double run(ac_simulation *sim, int first, int count, int steps)
{
    double start_momentum[6], now[6], worst = 0.0;
    momentum_of(sim, first, count, start_momentum);
    for (int n = 0; n < steps; ++n) {
        ac_status status = ac_simulation_step(sim);
        CHECK(status == AC_OK);
        if (status != AC_OK) return INFINITY;
        momentum_of(sim, first, count, now);
        for (int k = 0; k < 6; ++k) worst = fmax(worst, fabs(now[k] - start_momentum[k]));
    }
    return worst;
}

TEST(a_free_beam_moves_in_company_as_alone)
{
    enum { STEPS = 800, NUMBERS = 12 * (ELEMENTS + 1) };
    ac_context *ctx = ac_context_new(NULL);
    double alone[NUMBERS];
    for (company who = ALONE; who <= ALL; ++who) {
        int first;
        ac_system *system = beam_in(ctx, who, &first);
        ac_simulation *sim = start(ctx, system, "energy-momentum", "auto", 5e-3);
        double drift = run(sim, first, ELEMENTS + 1, STEPS / 4);
        const double *q = ac_simulation_configuration(sim) + system->nodes[first].q;
        if (who == ALONE) memcpy(alone, q, sizeof alone);
        for (int i = 0; i < NUMBERS; ++i) CHECK_NEAR(q[i], alone[i], 2e-12);
        drift = fmax(drift, run(sim, first, ELEMENTS + 1, STEPS));
        CHECK_NEAR(drift, 0.0, 4e-14);
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* The same with the other formulations, which leave larger rests. */
TEST(every_formulation_keeps_the_momenta_of_a_part)
{
    static const char *const formulations[] = {"multipliers", "null-space"};
    ac_context *ctx = ac_context_new(NULL);
    for (int f = 0; f < 2; ++f) {
        int first;
        ac_system *system = beam_in(ctx, HELD_BEAM, &first);
        ac_simulation *sim = start(ctx, system, "energy-momentum", formulations[f], 5e-3);
        CHECK_NEAR(run(sim, first, ELEMENTS + 1, 300), 0.0, 4e-14);
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* A rigid body has no beam in its part: it keeps its momenta beside beams as well as alone. */
TEST(a_body_beside_beams_keeps_its_momenta)
{
    ac_context *ctx = ac_context_new(NULL);
    int first;
    ac_system *system = beam_in(ctx, ALL, &first);
    ac_simulation *sim = start(ctx, system, "energy-momentum", "auto", 5e-3);
    CHECK_NEAR(run(sim, system->node_count - 1, 1, 400), 0.0, 4e-15);
    ac_simulation_free(sim);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* Two beams that only a spring connects are one part: the total is kept, and the spring carries momentum
 * from one to the other. A clamp on one of them holds both. */
TEST(springs_and_joints_make_one_part)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int held = 0; held < 2; ++held) {
        ac_system *system;
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        int a = add_free(system, "a"), b = add_free(system, "b");
        ac_spring spring = {.name = "line",
                            .stiffness = 0.3,
                            .length = 0.3,
                            .a = (ac_point){.node = a},
                            .b = (ac_point){.node = b + ELEMENTS}};
        CHECK(ac_system_add_spring(system, &spring) == AC_OK);
        if (held) hold(system, AC_FIXED, a, ORIGIN);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_simulation *sim = start(ctx, system, "energy-momentum", "auto", 5e-3);
        CHECK(sim->stepper.carry.parts == 1);
        CHECK(ac_stepper_carries(&sim->stepper) == !held);
        if (!held) {
            double before[6], after[6];
            momentum_of(sim, a, ELEMENTS + 1, before);
            /* 400 roundings of a momentum of 3 N s, at random */
            CHECK_NEAR(run(sim, a, 2 * (ELEMENTS + 1), 400), 0.0, sqrt(400.0) * 3.0 * DBL_EPSILON);
            momentum_of(sim, a, ELEMENTS + 1, after);
            CHECK(fabs(after[0] - before[0]) > 1e-4);
        }
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* What a support leaves free is kept: momentum about a ball joint (all of it without gravity, about the
 * vertical with it), about the axis of a hinge, along a rail. */
TEST(supports_leave_what_they_do_not_hold)
{
    static const struct {
        ac_joint_type type;
        bool heavy;
        bool kept[6];
    } cases[] = {
        {AC_SPHERICAL, false, {false, false, false, true, true, true}},
        {AC_SPHERICAL, true, {false, false, false, false, false, true}},
        {AC_REVOLUTE, false, {false, false, false, false, false, true}},
        {AC_PRISMATIC, false, {false, false, true, false, false, false}},
        {AC_CYLINDRICAL, true, {false, false, false, false, false, true}},
        {AC_PLANAR, false, {true, true, false, false, false, true}},
    };
    const double gravity[3] = {0, 0, -9.81}, turn[3] = {0, 0, 3};
    ac_context *ctx = ac_context_new(NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        beam_data d = {AC_BEAM_DIRECTOR, ELEMENTS, 1.0, 8000, 20000, {6, 5}, 4, 3, 6e-4, 0, 1};
        ac_system *system;
        double before[6], after[6];
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        int first = add_straight(system, "rod", &d, cases[k].type == AC_PRISMATIC ? NULL : turn);
        ac_joint joint = {.name = "support", .type = cases[k].type, .a = AC_GROUND, .b = first};
        joint.frame_a = joint.frame_b = ac_pose_identity();
        transposed_multiply3(ALONG_X, joint.frame_a.rotation, joint.frame_b.rotation);
        CHECK(ac_system_add_joint(system, &joint, NULL) == AC_OK);
        if (cases[k].heavy) CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_simulation *sim = start(ctx, system, "energy-momentum", "auto", 2e-3);
        CHECK(ac_stepper_carries(&sim->stepper));
        momentum_of(sim, first, ELEMENTS + 1, before);
        for (int n = 0; n < 1000; ++n) CHECK(ac_simulation_step(sim) == AC_OK);
        momentum_of(sim, first, ELEMENTS + 1, after);
        for (int i = 0; i < 6; ++i)
            if (cases[k].kept[i]) CHECK_NEAR(after[i], before[i], 4e-14);
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* The whole way of a simulation, with every allocation of it failing once. */
static ac_status build_and_step(memory *m, long fail_after_build)
{
    ac_context *ctx = memory_context(m);
    ac_simulation_settings settings;
    ac_simulation *sim = NULL;
    int first;
    ac_system *system = beam_in(ctx, ALL, &first);
    m->calls = 0;
    m->fail_at = fail_after_build;
    ac_simulation_defaults(&settings);
    settings.step = 5e-3;
    ac_status status = ac_simulation_new(ctx, system, &settings, &sim);
    if (status == AC_OK) status = ac_simulation_step(sim);
    ac_simulation_free(sim);
    ac_system_free(system);
    ac_context_free(ctx);
    return status;
}

TEST(every_allocation_of_a_system_in_parts_may_fail)
{
    memory m = {0};
    CHECK(build_and_step(&m, 0) == AC_OK);
    CHECK(m.held == 0);
    long calls = m.calls;
    CHECK(calls > 20);
    for (long k = 1; k <= calls; ++k) {
        m = (memory){0};
        CHECK(build_and_step(&m, k) == AC_NO_MEMORY);
        CHECK(m.held == 0);
    }
}

RUN_TESTS(CASE(a_free_beam_moves_in_company_as_alone), CASE(every_formulation_keeps_the_momenta_of_a_part),
          CASE(a_body_beside_beams_keeps_its_momenta), CASE(springs_and_joints_make_one_part),
          CASE(supports_leave_what_they_do_not_hold), CASE(every_allocation_of_a_system_in_parts_may_fail))
