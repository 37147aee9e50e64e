/* Random mechanisms with contacts: bodies in space that fall on the ground, on each other and on plates, chains with
 * stops, closed loops, rocking bodies that change their foot; in every scheme and formulation. A run ends with a result or
 * with a message that says why not; no gap becomes negative, no event gains energy. And every allocation of a run may
 * fail. */
#include <stdarg.h>
#include <stdlib.h>

#include "actio/actio.h"
#include "integrate/impacts/impacts.h"
#include "observe/simulation.h"
#include "problem/build/build.h"
#include "support/memory.h"
#include "support/numeric.h"
#include "test.h"

typedef struct writer {
    dice *d;
    char *text;
    size_t size, used;
} writer;

static void put(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(w->text + w->used, w->size - w->used, format, list);
    va_end(list);
    if (length > 0) w->used += (size_t)length;
}

static double between(const writer *w, double low, double high)
{
    return dice_between(w->d, low, high);
}

static int one_of(const writer *w, int count)
{
    int k = (int)((double)count * between(w, 0.0, 1.0));
    return k < count ? k : count - 1;
}

static const char *behaviour(const writer *w, bool limit)
{
    static const char *const words[] = {
        "behaviour: elastic", "restitution: 0.6",    "restitution: 0.3, energy: nodes",  "loss: 0.2",
        "behaviour: sliding", "behaviour: sticking", "restitution: 0.4, tangential: 0.5"};
    return limit && one_of(w, 4) == 0 ? "behaviour: latch" : words[one_of(w, limit ? 4 : 7)];
}

static void put_methods(writer *w)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"},
                             *const formulations[] = {"reduced", "multipliers", "null-space"};
    put(w, "simulate: {step: 3 ms, duration: 1.2, scheme: %s, formulation: %s}\n", schemes[one_of(w, 3)],
        formulations[one_of(w, 3)]);
}

/* Boxes and balls over each other, in space. */
static void falling_bodies(writer *w)
{
    int boxes = 1 + one_of(w, 2), balls = one_of(w, 3);
    put(w, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 0; k < boxes; ++k)
        put(w,
            "  box%d: {solid: {box: {size: [%.2f, %.2f, %.2f], mass: %.2f}}, position: [%d, 0, 1], rotation: "
            "[%.2f, %.2f, %.2f], velocity: [%.2f, 0, 0]}\n",
            k, between(w, 0.2, 0.5), between(w, 0.2, 0.5), between(w, 0.2, 0.5), between(w, 0.5, 3.0), 2 * k,
            between(w, -1, 1), between(w, -1, 1), between(w, -1, 1), between(w, -1, 1));
    for (int k = 0; k < balls; ++k)
        put(w, "  ball%d: {solid: {sphere: {radius: 0.1, mass: %.2f}}, position: [%.2f, %.2f, %.1f]}\n", k,
            between(w, 0.1, 1.0), between(w, -0.1, 0.1), between(w, -0.1, 0.1), 2.0 + 0.5 * k);
    put(w, "contacts:\n");
    for (int k = 0; k < boxes; ++k) put(w, "  - {body: box%d, at: corners, %s}\n", k, behaviour(w, false));
    for (int k = 0; k < balls; ++k) {
        put(w, "  - {body: ball%d, %s}\n", k, behaviour(w, false));
        put(w, "  - {body: ball%d, sphere: {on: box0, radius: 0.3}, restitution: 0.5}\n", k);
    }
    if (balls == 2) put(w, "  - {body: ball0, sphere: {on: ball1}, %s}\n", behaviour(w, false));
}

/* A chain in space with stops, whose end strikes the ground and a swinging plate. */
static void chain_with_stops(writer *w)
{
    static const char *const kinds[] = {"revolute", "revolute", "universal", "spherical"};
    int links = 1 + one_of(w, 3);
    put(w, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int k = 1; k <= links; ++k)
        put(w, "  l%d: {solid: {cylinder: {length: 0.6, radius: 0.05, mass: %.2f}}}\n", k,
            between(w, 0.5, 2.0));
    put(w, "  plate: {solid: {box: {size: [0.05, 1, 1], mass: 2}}, position: [-0.8, 0, 1]}\njoints:\n");
    put(w, "  - {revolute: [ground, plate], at: [-0.8, 0, 1.5], axis: [0, 1, 0]}\n");
    put(w,
        "  - {revolute: [ground, l1], at: {ground: [0, 0, %.2f], l1: start}, axis: [0, 1, 0], angle: %.2f, "
        "name: "
        "j1}\n",
        between(w, 0.9, 1.8), between(w, 0.0, 1.0));
    for (int k = 2; k <= links; ++k) {
        const char *kind = kinds[one_of(w, 4)];
        put(w, "  - {%s: [l%d, l%d], at: {l%d: end, l%d: start}, %sname: j%d}\n", kind, k - 1, k, k - 1, k,
            strcmp(kind, "revolute") == 0    ? "axis: [0, 1, 0], "
            : strcmp(kind, "universal") == 0 ? "axis: [0, 1, 0], x_axis: [1, 0, 0], "
                                             : "",
            k);
    }
    put(w, "contacts:\n  - {joint: j1, upper: 1.9, %s}\n  - {joint: j1, lower: -1, %s}\n", behaviour(w, true),
        behaviour(w, true));
    put(w, "  - {body: l%d, at: end, radius: 0.05, %s}\n", links, behaviour(w, false));
    put(w,
        "  - {body: l%d, at: end, radius: 0.05, plane: {on: plate, through: [0.025, 0, 0], normal: [1, 0, "
        "0]}, %s}\n",
        links, behaviour(w, false));
}

/* A planar four-bar between stops; a point of its coupler strikes the ground. */
static void four_bar(writer *w)
{
    double crank = between(w, 0.7, 1.1);
    put(w, "gravity: [0, -9.81]\nplanar_bodies:\n");
    put(w, "  crank: {solid: {rod: {length: %.3f, mass: 1}}}\n", crank);
    put(w, "  coupler: {solid: {rod: {length: 3, mass: %.2f}}, points: {tip: [1.5, -%.2f]}}\n",
        between(w, 1, 4), between(w, 0.1, 0.8));
    put(w, "  rocker: {solid: {rod: {length: 2.5, mass: 2}}}\njoints:\n");
    put(w, "  - {revolute: [ground, crank], at: {crank: start}, name: motor, angle: 1, angle_rate: %.2f}\n",
        between(w, -2, 2));
    put(w, "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, angle: -0.5, hint: true}\n");
    put(w, "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}}\n");
    put(w, "  - {revolute: [ground, rocker], at: {ground: [3, 0], rocker: end}, angle: 1.4, hint: true}\n"
           "contacts:\n");
    put(w, "  - {joint: motor, upper: %.2f, %s}\n", between(w, 1.1, 1.6), behaviour(w, true));
    put(w, "  - {joint: motor, lower: %.2f, %s}\n", between(w, -0.5, 0.9), behaviour(w, true));
    put(w, "  - {body: coupler, at: tip, plane: {through: [0, -0.2]}, until_open: true, %s}\n",
        behaviour(w, false));
}

/* A body on two feet that rocks from one to the other. */
static void rocking(writer *w)
{
    double half = between(w, 0.05, 0.2), height = between(w, 0.1, 0.3), angle = between(w, 0.05, 0.5);
    put(w, "gravity: [0, -9.81]\nparameters: {a: %.6f, b: %.6f, tilt: %.6f}\n", half, height, angle);
    put(w, "planar_bodies:\n  block: {mass: 2, inertia: %.4f, points: {l: [=-a, =-b], r: [=a, =-b]}, ",
        between(w, 0.01, 0.05));
    put(w,
        "position: [\"=a*cos(tilt)-b*sin(tilt)\", \"=a*sin(tilt)+b*cos(tilt)\"], angle: =tilt}\ncontacts:\n");
    put(w, "  - {body: block, at: l, name: left, behaviour: sticking, closed: true}\n");
    put(w, "  - {body: block, at: r, name: right, release: left}\n");
}

static void random_mechanism(writer *w, int number)
{
    void (*const kinds[])(writer *) = {falling_bodies, chain_with_stops, four_bar, rocking};
    w->used = 0;
    kinds[number % 4](w);
    put_methods(w);
}

/* --- runs --- */

typedef struct outcome {
    bool read, solved;
    int events;
    double least,
        gained; /* smallest gap that counts; largest gain of energy at an event, in parts of the first */
    char message[512];
} outcome;

static double smallest_gap(const ac_system *system, const ac_simulation *sim)
{
    double least = INFINITY;
    for (int c = 0; c < system->contact_count; ++c) {
        if (!sim->stepper.impacts->touches[c].armed) continue;
        least = fmin(least, ac_gap_value(system, &system->contacts[c], ac_simulation_configuration(sim),
                                         sim->stepper.winding, NULL));
    }
    return least;
}

static void judge_events(const ac_simulation *sim, outcome *o)
{
    o->events = ac_simulation_contact_events(sim);
    for (int k = 0; k < o->events; ++k) {
        const ac_contact_event *e = ac_simulation_contact_event(sim, k);
        double scale = fabs(ac_simulation_contact_event(sim, 0)->energy_before) + 1.0;
        o->gained = fmax(o->gained, (e->energy_after - e->energy_before) / scale);
        CHECK(isfinite(e->energy_after) && isfinite(e->normal_impulse) && isfinite(e->separation));
    }
}

static outcome run_text(const char *text)
{
    outcome o = {.least = 0.0};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    ac_status status = ac_problem_parse(ctx, "test.yaml", text, strlen(text), NULL, 0, &problem);
    if (status == AC_OK)
        status = ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem), &sim);
    o.read = status == AC_OK;
    long steps = o.read ? ac_problem_simulation(problem)->steps : 0;
    while (status == AC_OK && ac_simulation_mesh_steps(sim) < steps) {
        status = ac_simulation_step(sim);
        if (status == AC_OK) o.least = fmin(o.least, smallest_gap(ac_problem_system(problem), sim));
    }
    o.solved = status == AC_OK;
    if (o.read) judge_events(sim, &o);
    if (!o.solved) snprintf(o.message, sizeof o.message, "%s", ac_context_message(ctx));
    ac_simulation_free(sim);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return o;
}

TEST(a_hundred_random_mechanisms)
{
    dice d = {.state = 20};
    char text[8192];
    writer w = {&d, text, sizeof text, 0};
    int solved = 0;
    long events = 0;
    for (int k = 0; k < 100; ++k) {
        random_mechanism(&w, k);
        outcome o = run_text(text);
        bool good = o.read && o.least > -1e-8 && o.gained < 1e-9;
        if (!good || !o.solved) printf("%d: %s, gap %.2e, gain %.2e\n", k, o.message, o.least, o.gained);
        if (!good) printf("%s\n", text);
        CHECK(good);
        CHECK(o.solved || strstr(o.message, "t = ") != NULL);
        solved += o.solved;
        events += o.events;
    }
    printf("  %d of 100 to the end, %ld events\n", solved, events);
    CHECK(solved >= 97 && events > 1000);
}

/* --- memory --- */

/* Bounces, rest, opening, a violation that ends. */
static const char SMALL[] = "gravity: [0, -9.81]\n"
                            "planar_bodies: {rod: {mass: 1, inertia: 0.08, points: {e: [-0.5, 0], f: [0.5, "
                            "0]}, position: [0, 0.6], angle: 0.7}}\n"
                            "contacts: [{body: rod, at: e, behaviour: sticking, friction: 0.01, name: e},\n"
                            "  {body: rod, at: f, restitution: 0.3, ignore: [0.1, 0.2]}]\n"
                            "simulate: {step: 5 ms, duration: 1, scheme: %s, formulation: %s}\n";

static bool run_failing(const char *text, long fail_after)
{
    memory m = {0};
    ac_context *ctx = memory_context(&m);
    ac_problem *problem = NULL;
    ac_simulation *sim = NULL;
    CHECK(ac_problem_parse(ctx, "test.yaml", text, strlen(text), NULL, 0, &problem) == AC_OK);
    m.fail_at = m.calls + fail_after;
    ac_status status = ac_simulation_new(ctx, ac_problem_system(problem), ac_problem_simulation(problem),
                                         &sim);
    while (status == AC_OK && ac_simulation_mesh_steps(sim) < ac_problem_simulation(problem)->steps)
        status = ac_simulation_step(sim);
    CHECK(status == AC_OK || status == AC_NO_MEMORY);
    CHECK((status == AC_OK) == (m.calls < m.fail_at));
    ac_simulation_free(sim);
    ac_problem_free(problem);
    ac_context_free(ctx);
    CHECK(m.held == 0);
    return status == AC_OK;
}

TEST(every_allocation_may_fail)
{
    static const char *const formulations[] = {"reduced", "multipliers", "null-space"};
    for (int f = 0; f < 3; ++f) {
        char text[1024];
        long calls = 1;
        snprintf(text, sizeof text, SMALL, f == 0 ? "energy-momentum" : "midpoint", formulations[f]);
        while (calls < 1000 && !run_failing(text, calls)) ++calls;
        CHECK(calls > 20 && calls < 1000);
    }
}

RUN_TESTS(CASE(a_hundred_random_mechanisms), CASE(every_allocation_may_fail))
