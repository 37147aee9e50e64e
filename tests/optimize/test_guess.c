/* Guesses: inverse dynamics recovers the controls of a motion that was made by controls; work of all
 * controls; ends that conditions ask for, guessed positions. */
#include <math.h>
#include <stdlib.h>

#include "actio/optimize.h"
#include "actio/problem.h"
#include "actio/run.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "support/scratch.h"
#include "test.h"

static ac_context *ctx;

static ac_problem *read_text(const char *text)
{
    ac_problem *problem = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    char scratch[SCRATCH_SIZE];
    const char *path = scratch_path(scratch, "guess.yaml");
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return NULL;
    fputs(text, file);
    fclose(file);
    ac_status status = ac_problem_read(ctx, path, NULL, 0, &problem);
    remove(path);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

/* Body forces in body and world axes, a torque in a spherical joint, a force in a slide: more than enough
 * to move all. */
static const char FLYER[] = "title: flyer\n"
                            "gravity: [0, 0, -9.81]\n"
                            "bodies:\n"
                            "  hull: {mass: 2, inertia: [0.2, 0.3, 0.4], position: [0, 0, 0]}\n"
                            "  tail: {mass: 1, inertia: [0.1, 0.1, 0.05], position: [1, 0, 0]}\n"
                            "joints:\n"
                            "  - {spherical: [hull, tail], at: [0.5, 0, 0], name: ball}\n"
                            "optimize:\n"
                            "  intervals: 12\n"
                            "  duration: 1\n"
                            "  controls:\n"
                            "    - {force: hull, name: lift}\n"
                            "    - {torque: hull, name: turn, frame: body}\n"
                            "    - {joint: ball, name: bend, frame: body}\n"
                            "  objective:\n"
                            "    - {effort: 1}\n"
                            "  conditions:\n"
                            "    - {point: [0, 0, 0], of: hull, place: [1, 0.5, 0.2], at: end}\n"
                            "    - {orientation: tail, rotation: [0.3, 0.2, 0.4], at: end}\n"
                            "  end_velocity: rest\n";

/* The solution as a motion without controls: inverse dynamics finds controls that make it. */
static void check_recovery(const char *formulation)
{
    ac_problem *problem = read_text(FLYER);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(ac_optimization_reformulate(o, formulation) == AC_OK);
    ac_status status = ac_optimization_solve(o, NULL, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    int N = o->layout.N, n = o->layout.n, controls = o->description.control_count;
    double *q = calloc((size_t)(N + 1) * (size_t)n, sizeof *q),
           *u = calloc((size_t)(N * controls), sizeof *u);
    for (int k = 0; k <= N; ++k)
        memcpy(q + k * n, ac_optimization_configuration(o, k), (size_t)n * sizeof *q);
    for (int k = 0; k < N; ++k)
        memcpy(u + k * controls, ac_optimization_control_values(o, k), (size_t)controls * sizeof *u);
    CHECK(ac_optimization_guess_motion(o, N + 1, q, NULL, 1.0) == AC_OK);
    ac_optimization_guess_inverse(o, true);
    CHECK(ac_optimization_prepare(o) == AC_OK);
    for (int k = 1; k < N - 1; ++k)
        for (int c = 0; c < controls; ++c) {
            /* the mean of what two nodes need: the controls themselves, smoothed */
            double smooth = 0.25 * (u[(k - 1) * controls + c] + 2.0 * u[k * controls + c] +
                                    u[(k + 1) * controls + c]);
            CHECK_NEAR(ac_optimization_control_values(o, k)[c], smooth, 1e-7);
        }
    free(q);
    free(u);
    ac_problem_free(problem);
}

TEST(inverse_dynamics_finds_controls_of_every_kind)
{
    check_recovery("reduced");
    check_recovery("multipliers");
}

static double summary_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

/* At the same motion and controls an objective with work is larger by what the run tells of the work. */
TEST(work_of_body_forces_and_spherical_joints)
{
    char text[sizeof FLYER + 64];
    const char *effort = "{effort: 1}", *at = strstr(FLYER, effort);
    CHECK(at != NULL);
    if (!at) return;
    snprintf(text, sizeof text, "%.*s%s\n    - {work: 0.5}%s", (int)(at - FLYER), FLYER, effort,
             at + strlen(effort));
    ac_problem *plain = read_text(FLYER), *with_work = read_text(text);
    if (!plain || !with_work) return;
    ac_summary summary;
    CHECK(ac_run(ctx, plain, NULL, NULL, NULL, &summary) == AC_OK);
    ac_optimization *from = ac_problem_optimization(plain), *to = ac_problem_optimization(with_work);
    int N = from->layout.N, n = from->layout.n, controls = from->description.control_count;
    double *q = calloc((size_t)(N + 1) * (size_t)n, sizeof *q),
           *u = calloc((size_t)(N * controls), sizeof *u);
    for (int k = 0; k <= N; ++k)
        memcpy(q + k * n, ac_optimization_configuration(from, k), (size_t)n * sizeof *q);
    for (int k = 0; k < N; ++k)
        memcpy(u + k * controls, ac_optimization_control_values(from, k), (size_t)controls * sizeof *u);
    CHECK(ac_optimization_guess_motion(to, N + 1, q, u, 1.0) == AC_OK);
    CHECK(ac_optimization_prepare(to) == AC_OK);
    double work = summary_of(&summary, "work");
    CHECK(fabs(work) > 1.0);
    CHECK_NEAR(ac_evaluate_objective(to, NULL), summary_of(&summary, "objective") + 0.5 * work, 1e-9);
    free(q);
    free(u);
    ac_problem_free(plain);
    ac_problem_free(with_work);
    ac_context_free(ctx);
    ctx = NULL;
}

/* --- ends that conditions ask for --- */

static const char ARM[] =
    "title: arm\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  u: {solid: {rod: {length: 0.5, mass: 2}}}\n"
    "  l: {solid: {rod: {length: 0.4, mass: 1}}}\n"
    "joints:\n"
    "  - {name: sh, revolute: [ground, u], at: {u: start}, axis: [0, 0, 1], angle: -90 deg}\n"
    "  - {name: el, revolute: [u, l], at: {u: end, l: start}, axis: [0, 0, 1], "
    "angle: %s}\n"
    "optimize:\n"
    "  intervals: 20\n"
    "  duration: 1\n"
    "  controls:\n"
    "    - {joint: sh, name: a}\n"
    "    - {joint: el, name: b}\n"
    "  objective:\n"
    "    - {effort: 1}\n"
    "  conditions:\n"
    "    - %s\n"
    "  end_velocity: rest\n";

/* Largest violation of the conditions at one end of the guess. */
static double open_at(ac_optimization *o, bool start)
{
    double worst = 0.0;
    CHECK(ac_optimization_prepare(o) == AC_OK);
    double *c = calloc((size_t)o->layout.rows, sizeof *c);
    ac_evaluate_rows(o, c);
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        if (block->kind != AC_ROW_CONDITION || block->place != (start ? 0 : o->layout.N)) continue;
        worst = fmax(worst, fmax(o->layout.bounds.low[block->first] - c[block->first],
                                 c[block->first] - o->layout.bounds.high[block->first]));
    }
    free(c);
    return worst;
}

static double open_at_the_end(ac_optimization *o)
{
    return open_at(o, false);
}

/* The guess satisfies the conditions at the end, and the problem is solved from it. */
static ac_problem *solved(const char *text)
{
    ac_problem *problem = read_text(text);
    if (!problem) return NULL;
    CHECK(open_at_the_end(ac_problem_optimization(problem)) < 1e-7);
    ac_summary summary;
    ac_status status = ac_run(ctx, problem, NULL, NULL, NULL, &summary);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static void finish(ac_problem *problem)
{
    ac_problem_free(problem);
    ac_context_free(ctx);
    ctx = NULL;
}

/* Half turns satisfy the sines of an orientation too; the run refuses them. */
TEST(jointed_links_turn_to_any_orientation)
{
    const int degrees[] = {20, 90, 100, 120, 170, -170, -100};
    for (size_t k = 0; k < sizeof degrees / sizeof *degrees; ++k) {
        char text[sizeof ARM + 200], condition[120];
        snprintf(condition, sizeof condition,
                 "{orientation: l, rotation: {axis: [0, 0, 1], angle: =%d*pi/180}, at: end}", degrees[k]);
        snprintf(text, sizeof text, ARM, "10 deg", condition);
        ac_problem *problem = solved(text);
        if (!problem) continue;
        const ac_optimization *o = ac_problem_optimization(problem);
        const ac_node *link = &o->system->nodes[1];
        double position[3], R[9], angle = degrees[k] * acos(-1.0) / 180.0;
        ac_node_get_pose(link, ac_q(o, o->layout.N) + link->q, position, R);
        double first[9];
        ac_node_get_pose(link, ac_q(o, 0) + link->q, position, first); /* drawn at -80 degrees */
        double now = atan2(R[3] * first[0] - R[0] * first[3], R[0] * first[0] + R[3] * first[3]);
        CHECK_NEAR(cos(now - angle - 80.0 * acos(-1.0) / 180.0), 1.0, 1e-9);
        finish(problem);
    }
}

/* Also from the stretched arm, which cannot begin to fold along the shortest way. */
TEST(points_are_guessed_where_they_end)
{
    const char *angles[] = {"10 deg", "0 deg"},
               *places[] = {"[0.5, 0.3, 0]", "[0, -0.6, 0]", "[-0.2, 0.5, 0]"};
    for (int k = 0; k < 6; ++k) {
        char text[sizeof ARM + 200], condition[120];
        snprintf(condition, sizeof condition, "{point: end, of: l, place: %s, at: end}", places[k % 3]);
        snprintf(text, sizeof text, ARM, angles[k / 3], condition);
        finish(solved(text));
    }
}

/* What cannot be reached leaves the guess as it is, and the message does not say more than is known. */
TEST(what_is_out_of_reach_is_told_with_care)
{
    char text[sizeof ARM + 200];
    snprintf(text, sizeof text, ARM, "10 deg", "{point: end, of: l, place: [2, 0, 0], at: end}");
    ac_problem *problem = read_text(text);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(open_at_the_end(o) > 1.0);
    for (int i = 0; i < o->layout.n; ++i) CHECK_NEAR(ac_q(o, o->layout.N)[i], ac_q(o, 0)[i], 1e-14);
    ac_summary summary;
    CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_NOT_CONVERGED);
    CHECK(strstr(ac_context_message(ctx), "contradict each other near") == NULL);
    finish(problem);
}

/* An angle beyond half a turn, followed along the guess. */
TEST(angles_are_guessed_by_their_turns)
{
    static const char text[] = "title: disc\n"
                               "planar_bodies:\n"
                               "  b: {mass: 1, inertia: 0.5}\n"
                               "optimize:\n"
                               "  intervals: 20\n"
                               "  duration: 1\n"
                               "  controls:\n"
                               "    - {torque: b, name: u}\n"
                               "    - {force: b, name: f}\n"
                               "  quantities:\n"
                               "    a: {of: b, axis: x, from: x, to: y}\n"
                               "  objective:\n"
                               "    - {effort: 1}\n"
                               "  conditions:\n"
                               "    - {expression: a, equals: 4, at: end}\n"
                               "  end_velocity: rest\n";
    ac_problem *problem = solved(text);
    if (!problem) return;
    const ac_optimization *o = ac_problem_optimization(problem);
    CHECK_NEAR(ac_optimization_quantity_value(o, 0, o->layout.N), 4.0, 1e-7);
    finish(problem);
}

/* The slope of a swing is not defined where it is zero. */
TEST(swings_are_guessed_from_where_they_are_singular)
{
    static const char text[] = "title: swing\n"
                               "bodies:\n"
                               "  a: {mass: 1, inertia: [0.1, 0.2, 0.2], points: {start: [-0.5, 0, 0]}}\n"
                               "joints:\n"
                               "  - {spherical: [ground, a], at: {a: start}, name: j}\n"
                               "optimize:\n"
                               "  intervals: 20\n"
                               "  duration: 1\n"
                               "  controls:\n"
                               "    - {joint: j, name: u}\n"
                               "  quantities: {sw: {joint: j, coordinate: swing, axis: x}}\n"
                               "  objective:\n"
                               "    - {effort: 1}\n"
                               "  conditions:\n"
                               "    - {joint: j, coordinate: swing, axis: x, equals: 1, at: end}\n"
                               "  end_velocity: rest\n";
    ac_problem *problem = solved(text);
    if (!problem) return;
    const ac_optimization *o = ac_problem_optimization(problem);
    CHECK_NEAR(ac_optimization_quantity_value(o, 0, o->layout.N), 1.0, 1e-6);
    finish(problem);
}

/* Round the obstacle that the straight way goes through. */
TEST(points_and_bodies_have_guessed_positions)
{
    static const char text[] =
        "title: positions\n"
        "points:\n"
        "  p: {mass: 1, position: [0, 0, 0]}\n"
        "bodies:\n"
        "  b: {mass: 1, inertia: [0.1, 0.2, 0.3], centre: [0.1, 0, 0], position: [0, 0, 5]}\n"
        "optimize:\n"
        "  intervals: 20\n"
        "  duration: 1\n"
        "  controls:\n"
        "    - {force: p, name: f}\n"
        "    - {force: b, name: g}\n"
        "    - {torque: b, name: h}\n"
        "  objective:\n"
        "    - {effort: 1}\n"
        "  conditions:\n"
        "    - {clearance: [{of: p, radius: 0.1}, {of: ground, at: [0.5, 0.05, 0], radius: 0.2}], at_least: "
        "0.02}\n"
        "    - {point: centre, of: p, place: [1, 0, 0], at: end}\n"
        "  end_velocity: rest\n"
        "  guess:\n"
        "    positions:\n"
        "      p: [[0, 0, 0, 0], [0.5, 0.5, 0.6, 0], [1, 1, 0, 0]]\n"
        "      b: [[0, 0, 0, 5], [1, 2, 1, 5]]\n"
        "    turns:\n"
        "      b: [[0, 0, 0, 0], [1, 0, 0, =pi/2]]\n";
    ac_problem *problem = read_text(text);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(ac_optimization_prepare(o) == AC_OK);
    const double *middle = NULL, *end = NULL; /* stay where they are as the values change */
    for (int i = 0; i < o->system->node_count; ++i) {
        if (o->system->nodes[i].kind == AC_NODE_POINT)
            middle = ac_q(o, o->layout.N / 2) + o->system->nodes[i].q;
        if (o->system->nodes[i].kind == AC_NODE_BODY) end = ac_q(o, o->layout.N) + o->system->nodes[i].q;
    }
    CHECK_NEAR(middle[0], 0.5, 1e-14);
    CHECK_NEAR(middle[1], 0.6, 1e-14);
    CHECK_NEAR(end[0], 2.0, 1e-13); /* the centre of mass, turned about the frame */
    CHECK_NEAR(end[1], 1.1, 1e-13);
    CHECK_NEAR(end[2], 5.0, 1e-13);
    ac_summary summary;
    CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_OK);
    /* above the ball the motion in the plane is a saddle: the search slides off and ends below */
    CHECK(middle[1] < -0.2);
    finish(problem);
}

/* A point on a rod goes the way that its guess goes, as near to it as the rod allows. */
TEST(points_on_rods_have_guessed_positions)
{
    static const char *const sides[] = {"[0.5, 1, 0]", "[0.5, -2, 0]"};
    double cost[2];
    for (int k = 0; k < 2; ++k) {
        char text[1024];
        snprintf(text, sizeof text,
                 "title: t\n"
                 "gravity: [0, -9.81]\n"
                 "points:\n"
                 "  bob: {mass: 1, position: [0, -1]}\n"
                 "joints:\n"
                 "  - {distance: [ground, bob], name: pole}\n"
                 "optimize:\n"
                 "  intervals: 40\n"
                 "  duration: 1.5\n"
                 "  controls: [{force: bob, name: f}]\n"
                 "  objective: [{effort: 1}]\n"
                 "  conditions: [{point: centre, of: bob, place: [0, 1], at: end}]\n"
                 "  end_velocity: rest\n"
                 "  guess: {positions: {bob: [[0, 0, -1], %s, [1, 0, 1]]}}\n",
                 sides[k]);
        ac_problem *problem = read_text(text);
        if (!problem) return;
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(ac_optimization_prepare(o) == AC_OK);
        CHECK_NEAR(ac_q(o, 20)[0], k == 0 ? 1.0 : -1.0, 1e-12);
        CHECK_NEAR(ac_q(o, 20)[1], 0.0, 1e-12);
        ac_summary summary;
        CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_OK);
        CHECK(k == 0 ? ac_q(o, 20)[0] > 0.5 : ac_q(o, 20)[0] < -0.5);
        cost[k] = summary.entry[0].value;
        finish(problem);
    }
    CHECK_NEAR(cost[0], cost[1], 1e-7);
}

/* A point of a closed linkage: its loop is closed all along the guess. */
TEST(loops_stay_closed_on_the_way)
{
    static const char text[] =
        "title: four-bar\n"
        "planar_bodies:\n"
        "  crank: {mass: 0.7, inertia: 0.03, points: {start: [-0.35, 0], end: [0.35, 0]}}\n"
        "  coupler: {mass: 1.8, inertia: 0.5, points: {start: [-0.9, 0], end: [0.9, 0]}}\n"
        "  rocker: {mass: 1.3, inertia: 0.2, points: {start: [-0.65, 0], end: [0.65, 0]}}\n"
        "joints:\n"
        "  - {name: motor, revolute: [ground, crank], at: {crank: start}, angle: 90 deg}\n"
        "  - {revolute: [ground, rocker], at: {ground: [2, 0], rocker: start}}\n"
        "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}}\n"
        "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: end}}\n"
        "optimize:\n"
        "  intervals: 20\n"
        "  duration: 1\n"
        "  controls: [{joint: motor, name: torque}]\n"
        "  quantities: {x: {point: end, of: crank, along: x}}\n"
        "  objective: [{effort: 1}]\n"
        "  conditions:\n"
        "    - {expression: x, equals: -0.5, at: end}\n"
        "  end_velocity: rest\n";
    ac_problem *problem = read_text(text);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(open_at_the_end(o) < 1e-7);
    int loops = o->system->constraints.count - o->system->constraints.closure;
    CHECK(loops > 0);
    double *g = calloc((size_t)loops, sizeof *g);
    for (int n = 0; n <= o->layout.N; ++n) {
        ac_constraints_value(o->system, ac_q(o, n), o->system->constraints.closure, g);
        for (int k = 0; k < loops; ++k) CHECK_NEAR(g[k], 0.0, 1e-9);
    }
    free(g);
    finish(problem);
}

/* --- starts that conditions ask for --- */

/* Both ends are assembled, and the way between them is even. */
TEST(a_free_start_is_guessed_where_conditions_want_it)
{
    static const char *const starts[] = {
        "{point: end, of: l, place: [0.3, -0.5, 0], at: start}",
        "{orientation: l, rotation: {axis: [0, 0, 1], angle: 100 deg}, at: start}",
        "{joint: el, equals: 70 deg, at: start}",
        "{expression: x + 2*y, equals: -0.5, at: start}",
    };
    for (size_t k = 0; k < sizeof starts / sizeof *starts; ++k) {
        char text[sizeof ARM + 600], conditions[500];
        snprintf(conditions, sizeof conditions,
                 "%s\n    - {point: end, of: l, place: [0.5, 0.3, 0], at: end}\n  start: free\n"
                 "  quantities:\n    x: {of: l, point: end, along: x}\n    y: {of: l, point: end, along: y}",
                 starts[k]);
        snprintf(text, sizeof text, ARM, "10 deg", conditions);
        ac_problem *problem = read_text(text);
        if (!problem) continue;
        ac_optimization *o = ac_problem_optimization(problem);
        CHECK(open_at(o, true) < 1e-7);
        CHECK(open_at(o, false) < 1e-7);
        ac_problem_free(problem);
        finish(solved(text));
    }
}

/* A start that is drawn stays as drawn. */
TEST(a_drawn_start_is_not_moved)
{
    char text[sizeof ARM + 300];
    snprintf(text, sizeof text, ARM, "10 deg", "{point: end, of: l, place: [0.3, -0.5, 0], at: start}");
    ac_problem *problem = read_text(text);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(open_at(o, true) > 0.1);
    for (int i = 0; i < o->layout.n; ++i) CHECK_NEAR(ac_q(o, 0)[i], o->system->initial.q[i], 1e-12);
    finish(problem);
}

/* A periodic motion begins as a whole where its start is wanted. */
TEST(a_periodic_guess_moves_to_its_start)
{
    char text[sizeof ARM + 400];
    snprintf(text, sizeof text, ARM, "10 deg", "{point: end, of: l, place: [0.3, -0.5, 0], at: start}");
    char *rest = strstr(text, "  end_velocity: rest\n");
    CHECK(rest != NULL);
    if (!rest) return;
    strcpy(rest, "  periodic: true\n");
    ac_problem *problem = read_text(text);
    if (!problem) return;
    ac_optimization *o = ac_problem_optimization(problem);
    CHECK(open_at(o, true) < 1e-7);
    for (int i = 0; i < o->layout.n; ++i) CHECK_NEAR(ac_q(o, o->layout.N)[i], ac_q(o, 0)[i], 1e-12);
    finish(problem);
}

RUN_TESTS(CASE(jointed_links_turn_to_any_orientation), CASE(points_are_guessed_where_they_end),
          CASE(what_is_out_of_reach_is_told_with_care), CASE(angles_are_guessed_by_their_turns),
          CASE(swings_are_guessed_from_where_they_are_singular),
          CASE(points_and_bodies_have_guessed_positions), CASE(points_on_rods_have_guessed_positions),
          CASE(loops_stay_closed_on_the_way), CASE(a_free_start_is_guessed_where_conditions_want_it),
          CASE(a_drawn_start_is_not_moved), CASE(a_periodic_guess_moves_to_its_start),
          CASE(inverse_dynamics_finds_controls_of_every_kind), CASE(work_of_body_forces_and_spherical_joints))
