/* The formulation in joint coordinates: a pendulum against its recurrence, trees and the wedge against the formulation with directors
 * in the limit of small steps, momenta of a free chain, what is refused. */
#include <math.h>
#include <stdlib.h>

#include "actio/problem.h"
#include "problem/build/build.h"
#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

/* Configuration at the end of a number of steps; the caller frees it. */
static double *end_of(const rig *r, const char *formulation, double h, int steps)
{
    record run;
    ac_simulation_settings settings = record_settings("trapezoidal", formulation, h);
    int n = ac_system_sizes(r->system).coordinates;
    double *end = calloc((size_t)n, sizeof *end);
    CHECK(record_open(&run, r->ctx, r->system, &settings) == AC_OK);
    CHECK(record_steps(&run, steps) == AC_OK);
    if (run.status != AC_OK) printf("  %s: %s\n", formulation, ac_context_message(r->ctx));
    memcpy(end, ac_simulation_configuration(run.simulation), (size_t)n * sizeof *end);
    record_close(&run);
    return end;
}

/* J (theta'' - 2 theta' + theta) = -h^2 m g l sin theta': its inertia is constant. */
TEST(a_pendulum_follows_its_recurrence)
{
    enum { STEPS = 200 };
    const double o[3] = {0, 0, 0}, z[3] = {0, 0, 1}, h = 0.02, J = 0.3 + 2.0 * 0.25, g = 9.81;
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, -g, 0);
    int body = rig_planar(&r, "bob", 2.0, 0.3, 0.5, 0.0, 0.0);
    rig_joint(&r, "pivot", AC_REVOLUTE, AC_GROUND, body, o, z, NULL);
    CHECK(rig_finish(&r) == AC_OK);
    double a = 0.0, b = -0.5 * h * h * 2.0 * g * 0.5 / J; /* from rest, horizontal */
    for (int k = 1; k < STEPS; ++k) {
        double next = 2.0 * b - a - h * h * 2.0 * g * 0.5 * cos(b) / J;
        a = b;
        b = next;
    }
    double *end = end_of(&r, "minimal", h, STEPS);
    CHECK_NEAR(end[2], cos(b), 1e-11);
    CHECK_NEAR(end[3], sin(b), 1e-11);
    free(end);
    rig_close(&r);
}

/* Turns, slides, balls, swings and springs: the difference falls with the square of the step. */
TEST(trees_agree_with_directors_in_the_limit)
{
    int compared = 0;
    for (int k = 0; k < mechanism_count; ++k) {
        const mechanism *m = &mechanisms[k];
        double off[2] = {0.0, 0.0};
        rig r;
        rig_open(&r, NULL);
        m->draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        bool takes = m->conservative && ac_system_sizes(r.system).loops == 0;
        for (int fine = 0; fine < 2 && takes; ++fine) {
            double h = 0.5 * m->h / (1 + fine);
            int steps = 40 * (1 + fine);
            double *own = end_of(&r, "minimal", h, steps), *other = end_of(&r, "reduced", h, steps);
            off[fine] = largest_difference(ac_system_sizes(r.system).coordinates, own, other);
            free(own);
            free(other);
        }
        if (takes) {
            CHECK(off[0] < 0.05);
            CHECK_NEAR(log2(off[0] / off[1]), 2.0, 0.2);
            if (fabs(log2(off[0] / off[1]) - 2.0) > 0.2) printf("  %s: %g %g\n", m->name, off[0], off[1]);
            ++compared;
        }
        rig_close(&r);
    }
    CHECK(compared >= 3);
}

/* A point does not turn the body that hangs on it with the body that carries it. */
TEST(bodies_behind_a_point_agree_in_the_limit)
{
    static const double inertia[3] = {0.1, 0.2, 0.25}, first[3] = {0.4, 0, 0}, origin[3] = {0, 0, 0},
                        y[3] = {0, 1, 0.3}, end[3] = {0.8, 0, 0}, knot[3] = {1.1, 0.2, -0.3},
                        last[3] = {1.4, 0.3, -0.8}, at[3] = {1.4, 0.3, -0.6};
    double off[2];
    rig r;
    rig_open(&r, NULL);
    rig_gravity(&r, 0, 0, -9.81);
    int a = rig_body(&r, "a", 1.0, inertia, first, NULL),
        p = rig_point(&r, "p", 0.3, 3, knot[0], knot[1], knot[2]),
        b = rig_body(&r, "b", 1.0, inertia, last, NULL);
    int pin = rig_joint(&r, "pin", AC_REVOLUTE, AC_GROUND, a, origin, y, NULL);
    rig_rates(&r, pin, 8.0, 0, 0);
    rig_distance(&r, "rope", a, p, end, knot);
    rig_distance(&r, "thread", p, b, knot, at);
    CHECK(rig_finish(&r) == AC_OK);
    for (int fine = 0; fine < 2; ++fine) {
        double h = 0.002 / (1 + fine);
        int steps = 100 * (1 + fine);
        double *own = end_of(&r, "minimal", h, steps), *other = end_of(&r, "reduced", h, steps);
        off[fine] = largest_difference(ac_system_sizes(r.system).coordinates, own, other);
        free(own);
        free(other);
    }
    CHECK(off[0] < 0.05);
    CHECK_NEAR(log2(off[0] / off[1]), 2.0, 0.2);
    rig_close(&r);
}

#define CHAIN(more)                                                                                     \
    "title: chain\n"                                                                                    \
    "planar_bodies:\n"                                                                                  \
    "  a: {mass: 1, inertia: 0.1, position: [0, 0], velocity: [0.3, -0.2], angular_velocity: 1.5}\n"    \
    "  b: {mass: 2, inertia: 0.3}\n"                                                                    \
    "joints: [{revolute: [a, b], at: {a: [0.5, 0], b: [-0.4, 0.1]}, angle: 0.7, angle_rate: -4, name: " \
    "j}]\n" more

static ac_status open_problem(ac_context *ctx, const char *text, ac_problem **problem, record *run)
{
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, problem);
    return status == AC_OK
               ? record_open(run, ctx, ac_problem_system(*problem), ac_problem_simulation(*problem))
               : status;
}

/* Nothing holds it and nothing acts on it: its linear and angular momenta are kept to rounding. */
TEST(a_free_chain_keeps_its_momenta)
{
    static const char text[] = CHAIN(
        "simulate: {step: 0.01, steps: 300, scheme: trapezoidal, formulation: minimal}\n");
    static const char *const channels[] = {"momentum/linear", "momentum/angular"};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    record run = {0};
    double first[2][3] = {{0}};
    CHECK(open_problem(ctx, text, &problem, &run) == AC_OK);
    for (int k = 0; k < 300; ++k) {
        CHECK(record_steps(&run, 1) == AC_OK && record_node(&run, true) == AC_OK);
        for (int c = 0; c < 2; ++c)
            for (int i = 0; i < 3; ++i) {
                double now = record_at(&run, channels[c])[i];
                if (k == 0) first[c][i] = now;
                CHECK_NEAR(now, first[c][i], 1e-12);
            }
    }
    CHECK(fabs(first[0][0]) > 0.1 && fabs(first[1][2]) > 0.1);
    record_close(&run);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* The time of impact and the angle afterwards of an independent programme with the same discrete Lagrangian. */
TEST(the_wedge_strikes_when_its_angle_says)
{
    static const char *const sets[] = {"simulate.formulation=minimal", "simulate.duration=0.24 s"};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    CHECK(ac_problem_read(ctx, "examples/contact/wedge.yaml", sets, 2, &problem) == AC_OK);
    CHECK(ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim) == AC_OK);
    while (ac_simulation_time(sim) < 0.24 - 1e-9) CHECK(ac_simulation_step(sim) == AC_OK);
    const ac_contact_event *event = ac_simulation_contact_event(sim, 0);
    CHECK_NEAR(event->time, 0.158037231388, 1e-11);
    CHECK_NEAR(event->interval_energy, 3.622967955, 1e-9);
    CHECK_NEAR(asin(ac_simulation_configuration(sim)[3]), -0.087275776, 1e-9);
    ac_simulation_free(sim);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static double first_impact(ac_context *ctx, const char *file, const char *step)
{
    const char *const sets[] = {"simulate.formulation=minimal", "simulate.scheme=trapezoidal", step};
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    double time = NAN;
    CHECK(ac_problem_read(ctx, file, sets, 3, &problem) == AC_OK);
    ac_status status = ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem),
                                         &sim);
    for (int k = 0; k < 200 && status == AC_OK && isnan(time); ++k) {
        status = ac_simulation_step(sim);
        for (int e = 0; e < ac_simulation_contact_events(sim) && isnan(time); ++e)
            if (ac_simulation_contact_event(sim, e)->kind != AC_EVENT_OPENS)
                time = ac_simulation_contact_event(sim, e)->time;
    }
    if (status != AC_OK) printf("%s: %s\n", file, ac_context_message(ctx));
    ac_simulation_free(sim);
    ac_problem_free(problem);
    return time;
}

/* A knee that locks, a wall that throws back, a foot that takes over: against the exact times. */
TEST(times_of_impacts_are_of_order_two)
{
    static const struct {
        const char *file;
        double time;
    } cases[] = {{"examples/contact/knee-lock.yaml", 0.3813942384},
                 {"examples/contact/pendulum-at-wall.yaml", 0.6370636282},
                 {"examples/contact/biped-passive.yaml", 0.2623766839}};
    ac_context *ctx = ac_context_new(NULL);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double coarse = first_impact(ctx, cases[k].file, "simulate.step=0.01") - cases[k].time,
               fine = first_impact(ctx, cases[k].file, "simulate.step=0.005") - cases[k].time;
        CHECK(fabs(coarse) > 1e-6);
        CHECK_NEAR(log2(coarse / fine), 2.0, 0.1);
    }
    ac_context_free(ctx);
}

/* The end of a crate that falls on a corner, which sticks or slides, and of a ball that rolls. */
static void end_of_contact(const char *solid, const char *contact, const char *formulation, double h,
                           double *end)
{
    char text[600];
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    record run = {0};
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbodies: {body: {solid: {%s}, position: [0, 0, 0.9], rotation: [0.2, "
             "0.7, 0.3], "
             "velocity: [1, 0, 0], angular_velocity: [1, 2, 3]}}\n"
             "contacts: [{body: body, %s}]\n"
             "simulate: {step: %g, duration: 0.56, scheme: trapezoidal, formulation: %s}\n",
             solid, contact, h, formulation);
    CHECK(open_problem(ctx, text, &problem, &run) == AC_OK);
    while (run.status == AC_OK && ac_simulation_time(run.simulation) < 0.56 - 1e-9) record_steps(&run, 1);
    if (run.status != AC_OK) printf("  %s: %s\n", formulation, ac_context_message(ctx));
    CHECK(run.status == AC_OK && ac_simulation_contact_events(run.simulation) > 0);
    memcpy(end, ac_simulation_configuration(run.simulation), 12 * sizeof *end);
    record_close(&run);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* Closed contacts of bodies that turn about several axes: angles of the chart are not the angular velocities of the tree. */
TEST(bodies_in_space_stick_slide_and_roll)
{
    static const char *const cases[][2] = {
        {"box: {size: [1, 0.2, 0.1], mass: 1}", "at: [0.5, 0.1, -0.05], behaviour: sticking, keep: true"},
        {"box: {size: [1, 0.2, 0.1], mass: 1}", "at: [0.5, 0.1, -0.05], behaviour: sliding"},
        {"sphere: {radius: 0.1, mass: 1}", "behaviour: sticking"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double off[2];
        for (int fine = 0; fine < 2; ++fine) {
            double h = 0.001 / (1 + fine), own[12], other[12];
            end_of_contact(cases[k][0], cases[k][1], "minimal", h, own);
            end_of_contact(cases[k][0], cases[k][1], "reduced", h, other);
            off[fine] = largest_difference(12, own, other);
        }
        CHECK(off[0] < 0.01);
        CHECK(off[1] < 0.35 * off[0] || off[0] < 1e-9);
        if (!(off[1] < 0.35 * off[0])) printf("  %s: %g %g\n", cases[k][1], off[0], off[1]);
    }
}

/* The kinetic energy of a box that spins freely is kept. Runs that pass the singular place of its three turns faster than the step
 * resolves gained half their energy and more; they end there, with the reason. */
TEST(turns_that_are_lost_near_their_singular_place_end_the_run)
{
    int ended = 0, solved = 0;
    for (int k = 0; k < 12; ++k) {
        char text[400];
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        record run = {0};
        double first = 0.0, worst = 0.0;
        snprintf(
            text, sizeof text,
            "bodies: {box: {solid: {box: {size: [1, 0.6, 0.4], mass: 2}}, angular_velocity: [%g, %g, %g]}}\n"
            "simulate: {step: 10 ms, duration: 1 s, scheme: trapezoidal, formulation: minimal}\n",
            8.0 * sin(1.0 + k), 12.0 * cos(3.0 * k), 8.0 * sin(2.0 + 5.0 * k));
        CHECK(open_problem(ctx, text, &problem, &run) == AC_OK);
        for (int n = 0; n < 100 && run.status == AC_OK; ++n) {
            record_steps(&run, 1);
            if (run.status != AC_OK || record_node(&run, false) != AC_OK) break;
            double now = *record_at(&run, "energy/kinetic");
            if (n == 0) first = now;
            worst = fmax(worst, fabs(now / first - 1.0));
        }
        if (run.status == AC_OK) CHECK(worst < 0.1);
        if (run.status == AC_OK && worst >= 0.1) printf("  spin %d: energy off by %g\n", k, worst);
        if (run.status != AC_OK) CHECK(strstr(ac_context_message(ctx), "these turns are not unique") != NULL);
        ++*(run.status == AC_OK ? &solved : &ended);
        record_close(&run);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
    CHECK(ended > 0 && solved > 0);
}

static void refused(ac_context *ctx, const char *text, const char *part)
{
    ac_problem *problem = NULL;
    record run = {0};
    CHECK(open_problem(ctx, text, &problem, &run) == AC_BAD_INPUT);
    bool there = strstr(ac_context_message(ctx), part) != NULL;
    if (!there) printf("\"%s\" instead of \"%s\"\n", ac_context_message(ctx), part);
    CHECK(there);
    record_close(&run);
    ac_problem_free(problem);
}

TEST(what_it_has_no_equations_for_is_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    refused(ctx, CHAIN("simulate: {step: 0.01, steps: 3, scheme: midpoint, formulation: minimal}\n"),
            "with the trapezoidal scheme");
    refused(ctx,
            CHAIN("dampers: [{joint: j, damping: 1}]\n"
                  "simulate: {step: 0.01, steps: 3, scheme: trapezoidal, formulation: minimal}\n"),
            "springs without damping");
    refused(ctx,
            CHAIN("loads: [{joint: j, value: 1}]\n"
                  "simulate: {step: 0.01, steps: 3, scheme: trapezoidal, formulation: minimal}\n"),
            "use reduced");
    ac_context_free(ctx);
}

/* Named alone, the formulation takes the only scheme it has: the same bits as with the scheme named. */
TEST(its_scheme_is_its_default)
{
    static const char text[] = "gravity: [0, -9.81]\n"
                               "planar_bodies: {rod: {solid: {rod: {length: 1, mass: 1}}}}\n"
                               "joints: [{revolute: [ground, rod], at: {rod: start}, angle: 0.3, name: j}]\n"
                               "simulate: {step: 1 ms, steps: 20, formulation: minimal%s}\n";
    static const char *const schemes[] = {", scheme: trapezoidal", ", scheme: auto", ""};
    double angle[3] = {0};
    for (int k = 0; k < 3; ++k) {
        char file[512];
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        record run = {0};
        snprintf(file, sizeof file, text, schemes[k]);
        CHECK(open_problem(ctx, file, &problem, &run) == AC_OK);
        record_steps(&run, 20);
        CHECK(run.status == AC_OK && record_node(&run, false) == AC_OK);
        angle[k] = *record_at(&run, "joint/j/angle");
        record_close(&run);
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
    CHECK(angle[0] != 0.3 && angle[1] == angle[0] && angle[2] == angle[0]);
}

RUN_TESTS(CASE(a_pendulum_follows_its_recurrence), CASE(trees_agree_with_directors_in_the_limit),
          CASE(bodies_behind_a_point_agree_in_the_limit), CASE(a_free_chain_keeps_its_momenta),
          CASE(the_wedge_strikes_when_its_angle_says), CASE(times_of_impacts_are_of_order_two),
          CASE(bodies_in_space_stick_slide_and_roll),
          CASE(turns_that_are_lost_near_their_singular_place_end_the_run),
          CASE(what_it_has_no_equations_for_is_refused), CASE(its_scheme_is_its_default))
