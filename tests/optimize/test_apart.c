/* Shapes kept apart by planes: exact derivatives, distances that hold, the same optimum as by distances. */
#include <stdlib.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "base/rotation.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

static const ac_hull BLOCK = {.type = AC_HULL_BOX,
                              .node = 0,
                              .size = {0.4, 0.3, 0.2},
                              .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                              .radius = 0.01};
static const ac_hull WALL = {.type = AC_HULL_BOX,
                             .node = AC_GROUND,
                             .place = {1, 0, -0.4},
                             .size = {0.1, 2, 0.8},
                             .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const ac_hull ROD = {
    .type = AC_HULL_CAPSULE, .node = 0, .place = {-0.3, 0, 0}, .end = {0.3, 0, 0.1}, .radius = 0.05};
static const ac_hull BEAM = {.type = AC_HULL_BOX, /* without end */
                             .node = AC_GROUND,
                             .place = {1, 0, -0.2},
                             .size = {0.2, 0.3, 0},
                             .rotation = {1, 0, 0, 0, 0, -1, 0, 1, 0}};
static const ac_hull BALL = {.type = AC_HULL_SPHERE, .node = 0, .radius = 0.2};
static const ac_hull FLOOR = {
    .type = AC_HULL_HALF_SPACE, .node = AC_GROUND, .place = {0, 0, -0.6}, .normal = {0, 0, 1}};

/* A free body, driven by forces and torques, on its way past the origin. */
static ac_system *free_body(void)
{
    ac_system *system = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    ac_body body = {
        .name = "block", .mass = 1.0, .inertia = {0.02, 0.03, 0.025, 0, 0, 0}, .pose = ac_pose_identity()};
    CHECK(ac_system_add_body(system, &body, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static void quantity(ac_optimization *o, const char *name, const ac_hull *a, const ac_hull *b)
{
    ac_quantity q = {.name = name, .type = AC_QUANTITY_CLEARANCE, .hull = {*a, *b}};
    CHECK(ac_optimization_add_quantity(o, &q) == AC_OK);
}

static ac_optimization *crossing(const ac_system *system, const char *formulation, const ac_hull *a,
                                 const ac_hull *b)
{
    static const char *const words[] = {"x", "y", "z"};
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.formulation = formulation;
    s.intervals = 16;
    s.duration = 2.0;
    s.end_rest = true;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    for (int k = 0; k < 6; ++k) {
        char name[16];
        snprintf(name, sizeof name, "u%d", k);
        ac_control c = {.name = name,
                        .type = k < 3 ? AC_LOAD_FORCE : AC_LOAD_TORQUE,
                        .point = {0, {0}},
                        .coordinate = k % 3,
                        .low = -INFINITY,
                        .high = INFINITY,
                        .rate = INFINITY};
        CHECK(ac_optimization_add_control(o, &c) == AC_OK);
    }
    ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1.0};
    CHECK(ac_optimization_add_objective(o, &effort, NULL, NULL) == AC_OK);
    for (int k = 0; k < 3; ++k) { /* two metres along x */
        ac_quantity q = {.name = words[k], .type = AC_QUANTITY_POINT, .point = {0, {0}}};
        q.direction[k] = 1.0;
        CHECK(ac_optimization_add_quantity(o, &q) == AC_OK);
        double to = k == 0 ? 2.0 : 0.0;
        ac_condition c = {.expression = words[k], .place = AC_AT_END, .low = to, .high = to};
        CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_OK);
    }
    quantity(o, "gap", a, b);
    return o;
}

static ac_status keep_apart(ac_optimization *o, const ac_hull *a, const ac_hull *b, double low)
{
    const ac_hull hull[2] = {*a, *b};
    const ac_condition c = {.name = "apart", .place = AC_AT_NODES, .low = low};
    return ac_optimization_add_clearance(o, &c, hull);
}

/* Places over time of the free body that lead over an obstacle. */
static void guess_over(ac_optimization *o)
{
    const double s[3] = {0.0, 0.5, 1.0}, places[9] = {0, 0, 0, 1, 0.1, 0.6, 2, 0, 0};
    const ac_point point = {0, {0}};
    CHECK(ac_optimization_guess_place(o, &point, 3, s, places) == AC_OK);
}

TEST(planes_have_exact_derivatives)
{
    const ac_hull *pairs[][2] = {{&BLOCK, &WALL}, {&ROD, &WALL},   {&BLOCK, &BEAM}, {&FLOOR, &BLOCK},
                                 {&ROD, &FLOOR},  {&WALL, &BLOCK}, {&BALL, &WALL}};
    const char *words[] = {"reduced", "multipliers"};
    ac_system *system = free_body();
    for (size_t k = 0; k < 2 * sizeof pairs / sizeof *pairs; ++k) {
        ac_optimization *o = crossing(system, words[k % 2], pairs[k / 2][0], pairs[k / 2][1]);
        double differences[3];
        int dependent;
        char name[128];
        CHECK(keep_apart(o, pairs[k / 2][0], pairs[k / 2][1], 0.02) == AC_OK);
        guess_over(o);
        ac_optimization_disturb(o, 5, 0.2);
        CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
        CHECK_NEAR(differences[0], 0.0, 1e-6);
        CHECK_NEAR(differences[1], 0.0, 1e-6);
        CHECK_NEAR(differences[2], 0.0, 1e-5);
        ac_optimization_free(o);
    }
    ac_system_free(system);
}

static double gap_at(const ac_optimization *o, int node)
{
    int last = ac_optimization_quantities(o) - 1;
    return ac_optimization_quantity_value(o, last, node);
}

/* Minus the sum of the multipliers of a condition over all nodes. */
static double price_of(const ac_optimization *o, int condition)
{
    double sum = 0.0;
    for (int b = 0; b < o->layout.block_count; ++b)
        if (o->layout.blocks[b].kind == AC_ROW_CONDITION && o->layout.blocks[b].item == condition)
            sum -= o->found.multipliers[o->layout.blocks[b].first];
    return sum;
}

static double solved_cost(const ac_system *system, const char *formulation, const ac_hull *a,
                          const ac_hull *b, double low, double *price)
{
    ac_optimization *o = crossing(system, formulation, a, b);
    CHECK(keep_apart(o, a, b, low) == AC_OK);
    guess_over(o);
    ac_status status = ac_optimization_solve(o, NULL, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    double least = INFINITY;
    for (int n = 0; n <= ac_optimization_intervals(o); ++n) least = fmin(least, gap_at(o, n));
    CHECK_NEAR(least, low, 1e-6); /* it holds, and it is what stops the motion from being cheaper */
    CHECK(ac_optimization_conditions(o) == 4);
    CHECK(strcmp(ac_optimization_condition_name(o, 3), "apart") == 0);
    if (price) *price = price_of(o, o->description.condition_count - 1);
    double cost = ac_optimization_result(o)->objective;
    ac_optimization_free(o);
    return cost;
}

TEST(distances_are_kept_and_no_more)
{
    ac_system *system = free_body();
    solved_cost(system, "reduced", &BLOCK, &WALL, 0.03, NULL);
    solved_cost(system, "reduced", &WALL, &BLOCK, 0.03, NULL);
    solved_cost(system, "reduced", &ROD, &WALL, 0.03, NULL);
    solved_cost(system, "reduced", &BLOCK, &BEAM, 0.0, NULL);
    solved_cost(system, "reduced", &BALL, &WALL, 0.05, NULL);
    ac_system_free(system);
}

TEST(both_formulations_give_the_same_way_around)
{
    ac_system *system = free_body();
    double reduced = solved_cost(system, "reduced", &BLOCK, &WALL, 0.03, NULL),
           redundant = solved_cost(system, "multipliers", &BLOCK, &WALL, 0.03, NULL);
    CHECK_NEAR(redundant, reduced, 1e-5 * reduced);
    ac_system_free(system);
}

/* The body lies on the floor and stands up while it moves: its corners would go down first. */
static double standing_up(const ac_system *system, bool kept)
{
    ac_hull floor = FLOOR;
    floor.place[2] = -0.13; /* 0.02 below the block, rounding included */
    ac_optimization *o = crossing(system, "reduced", &BLOCK, &floor);
    ac_quantity q = {.name = "up",
                     .type = AC_QUANTITY_DIRECTION,
                     .point = {0, {0}},
                     .axis = {1, 0, 0},
                     .direction = {0, 0, 1}};
    CHECK(ac_optimization_add_quantity(o, &q) == AC_OK);
    ac_condition c = {.expression = "up", .place = AC_AT_END, .low = 0.9999, .high = INFINITY};
    CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_OK);
    o->description.conditions[2].low = o->description.conditions[2].high = 0.15; /* it ends higher */
    if (kept) CHECK(keep_apart(o, &BLOCK, &floor, 0.02) == AC_OK);
    CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
    double least = INFINITY;
    for (int n = 0; n <= ac_optimization_intervals(o); ++n)
        least = fmin(least, ac_optimization_quantity_value(o, 3, n));
    CHECK(kept ? least >= 0.02 - 1e-7 : least < 0.015);
    double cost = ac_optimization_result(o)->objective;
    ac_optimization_free(o);
    return cost;
}

TEST(heights_are_kept_corner_by_corner)
{
    ac_system *system = free_body();
    CHECK(standing_up(system, true) > standing_up(system, false));
    ac_system_free(system);
}

/* Summed over all nodes, the multipliers of the distance are what it costs. */
TEST(multipliers_are_the_price_of_distance)
{
    ac_system *system = free_body();
    const ac_hull *first[] = {&BALL, &BLOCK};
    const double step = 1e-4;
    for (int k = 0; k < 2; ++k) {
        double price, up = solved_cost(system, "reduced", first[k], &WALL, 0.05 + step, NULL),
                      down = solved_cost(system, "reduced", first[k], &WALL, 0.05 - step, NULL);
        solved_cost(system, "reduced", first[k], &WALL, 0.05, &price);
        CHECK_NEAR(price, (up - down) / (2.0 * step), 1e-3 * price);
    }
    ac_system_free(system);
}

/* A lower bound on a named clearance is kept by a plane; other bounds are bounds on the distance. */
TEST(bounds_on_a_named_clearance_become_planes)
{
    ac_system *system = free_body();
    ac_optimization *o = crossing(system, "reduced", &BLOCK, &WALL);
    ac_condition c = {.expression = "gap", .place = AC_AT_NODES, .low = 0.02, .high = INFINITY};
    CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_OK);
    CHECK(o->description.shapes.apart_count == 1);
    CHECK(strcmp(ac_optimization_condition_name(o, 3), "gap") == 0);
    c.high = 5.0;
    CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_OK);
    c.high = INFINITY;
    c.expression = "2*gap";
    CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_OK);
    c.expression = "gap";
    c.place = AC_ON_INTERVALS;
    CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_OK);
    CHECK(o->description.shapes.apart_count == 1);
    CHECK(ac_optimization_conditions(o) == 7);
    ac_optimization_free(o);
    ac_system_free(system);
}

/* --- from problem files --- */

static ac_problem *solved_example(const char *path)
{
    ac_problem *problem = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_problem_read(ctx, path, NULL, 0, &problem) == AC_OK);
    if (!problem) return NULL;
    CHECK(ac_optimization_solve(ac_problem_optimization(problem), NULL, NULL) == AC_OK);
    return problem;
}

/* Crate and wall are boxes; what the file calls their gap is never smaller than asked for, and just so
 * small. */
TEST(a_crate_is_lifted_over_a_wall)
{
    ac_problem *problem = solved_example("examples/control/over-the-wall.yaml");
    if (!problem) return;
    const ac_optimization *o = ac_problem_optimization(problem);
    double least = INFINITY;
    for (int n = 0; n <= o->layout.N; ++n) least = fmin(least, ac_optimization_quantity_value(o, 0, n));
    CHECK_NEAR(least, 0.02, 1e-6);
    ac_problem_free(problem);
}

/* Every place between two nodes of the rod, against the post of the file. */
TEST(a_whole_rod_is_kept_away_from_a_post)
{
    enum { PLACES = 200 };
    static const double centre[3] = {0.6, 0.6, -0.4}, half[3] = {0.05, 0.05, 0.45};
    ac_problem *problem = solved_example("examples/control/rod-past-a-post.yaml");
    if (!problem) return;
    const ac_optimization *o = ac_problem_optimization(problem);
    double least = INFINITY;
    for (int n = 0; n <= o->layout.N; ++n)
        for (int k = 0; k + 1 < o->system->node_count; ++k)
            for (int s = 0; s <= PLACES; ++s) {
                const double *a = ac_q(o, n) + o->system->nodes[k].q,
                             *b = ac_q(o, n) + o->system->nodes[k + 1].q;
                double square = 0.0;
                for (int i = 0; i < 3; ++i) {
                    double x = a[i] + s * (b[i] - a[i]) / PLACES - centre[i],
                           out = fmax(0.0, fabs(x) - half[i]);
                    square += out * out;
                }
                least = fmin(least, sqrt(square));
            }
    CHECK(least >= 0.03 - 1e-6); /* 2 cm and the radius */
    CHECK_NEAR(least, 0.03, 1e-3);
    ac_problem_free(problem);
}

TEST(what_cannot_be_kept_is_refused)
{
    ac_system *system = free_body();
    ac_optimization *o = crossing(system, "reduced", &BLOCK, &WALL);
    CHECK(keep_apart(o, &WALL, &FLOOR, 0.0) == AC_BAD_INPUT);
    CHECK(keep_apart(o, &BLOCK, &WALL, -INFINITY) == AC_BAD_INPUT);
    const ac_hull hull[2] = {BLOCK, WALL};
    const ac_condition on_intervals = {.name = "apart", .place = AC_ON_INTERVALS, .low = 0.0};
    CHECK(ac_optimization_add_clearance(o, &on_intervals, hull) == AC_BAD_INPUT);
    ac_optimization_free(o);
    ac_system_free(system);
    ac_context_free(ctx);
    ctx = NULL;
}

RUN_TESTS(CASE(planes_have_exact_derivatives), CASE(distances_are_kept_and_no_more),
          CASE(both_formulations_give_the_same_way_around), CASE(heights_are_kept_corner_by_corner),
          CASE(multipliers_are_the_price_of_distance), CASE(bounds_on_a_named_clearance_become_planes),
          CASE(a_crate_is_lifted_over_a_wall), CASE(a_whole_rod_is_kept_away_from_a_post),
          CASE(what_cannot_be_kept_is_refused))
