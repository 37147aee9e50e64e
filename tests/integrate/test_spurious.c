/* Example 4.3.1 of Leyendecker's habilitation thesis (2011): on the unit circle, without forces, the discrete equations
 * u_{i+1} + u_{i-1} parallel to u_i have solutions that are no motions. The step must take the root with an increment of
 * order h; the spurious ones solve the same equation and show by their discrete energy, 2 / h^2 instead of 1/2. */
#include <math.h>

#include "actio/actio.h"
#include "integrate/stepper.h"
#include "test.h"

static const double H = 0.1;

/* A mass of 1 kg at (1, 0) with the momentum of u_{-1} = (cos h, -sin h). */
static ac_system *circle(ac_context *ctx)
{
    ac_system *system = NULL;
    int node = 0;
    ac_point_mass bob = {.name = "bob",
                         .mass = 1.0,
                         .dimension = 2,
                         .placed = true,
                         .position = {1.0, 0.0},
                         .moving = true,
                         .velocity = {0.0, sin(H) / H}};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_point_mass(system, &bob, &node) == AC_OK);
    ac_joint rod = {.name = "rod", .type = AC_DISTANCE, .a = AC_GROUND, .b = node, .length = 1.0};
    rod.frame_a = rod.frame_b = ac_pose_identity();
    CHECK(ac_system_add_joint(system, &rod, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static ac_stepper open(ac_context *ctx, const ac_system *system)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.step = H;
    settings.formulation = "multipliers";
    ac_stepper s = {0};
    CHECK(ac_stepper_create(&s, ctx, system, &settings) == AC_OK);
    return s;
}

static double energy(const ac_stepper *s)
{
    double dx = s->qb[0] - s->qa[0], dy = s->qb[1] - s->qa[1];
    return 0.5 * (dx * dx + dy * dy) / (H * H);
}

static void expect(const ac_stepper *s, double x, double y)
{
    CHECK_NEAR(s->qb[0], x, 1e-12);
    CHECK_NEAR(s->qb[1], y, 1e-12);
}

TEST(the_step_takes_the_root_of_order_h)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = circle(ctx);
    ac_stepper s = open(ctx, system);
    for (int i = 1; i <= 40; ++i) {
        CHECK(ac_stepper_solve(&s) == AC_OK);
        expect(&s, cos(i * H), sin(i * H));
        CHECK_NEAR(energy(&s), (1.0 - cos(H)) / (H * H), 1e-10);
        ac_stepper_advance(&s);
    }
    ac_stepper_destroy(&s);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* (b) jumps once to the other side and goes on there; (c) jumps in every second step, with period four. */
TEST(spurious_roots_solve_the_equation_and_show_by_their_energy)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = circle(ctx);
    for (int again = 0; again < 2; ++again) {
        ac_stepper s = open(ctx, system);
        const double across[2] = {-cos(H), sin(H)}, next[2] = {again ? cos(H) : -cos(H), -sin(H)};
        CHECK(ac_stepper_solve_near(&s, across) == AC_OK);
        expect(&s, -cos(H), sin(H));
        CHECK(energy(&s) > 100.0 * 0.5);
        ac_stepper_advance(&s);
        const double rest[2] = {-1.0, 0.0};
        CHECK(ac_stepper_solve_near(&s, rest) == AC_OK);
        expect(&s, -1.0, 0.0);
        CHECK_NEAR(energy(&s), (1.0 - cos(H)) / (H * H), 1e-9);
        ac_stepper_advance(&s);
        CHECK(ac_stepper_solve_near(&s, next) == AC_OK);
        expect(&s, next[0], next[1]);
        CHECK(again == (energy(&s) > 100.0 * 0.5));
        ac_stepper_destroy(&s);
    }
    ac_system_free(system);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(the_step_takes_the_root_of_order_h),
          CASE(spurious_roots_solve_the_equation_and_show_by_their_energy))
