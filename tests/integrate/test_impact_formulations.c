/* Impacts in every formulation and scheme: the formulations find the same motion and the same events, the energy-momentum
 * scheme keeps the energy of elastic impacts to round-off, also with beams; second derivatives of gaps. */
#include <stdlib.h>

#include "actio/actio.h"
#include "integrate/impacts/impacts.h"
#include "observe/simulation.h"
#include "problem/build/build.h"
#include "support/numeric.h"
#include "support/trial.h"
#include "test.h"

static trial begin(const char *text, const char *choice)
{
    char whole[4096];
    int length = snprintf(whole, sizeof whole, text, choice);
    CHECK(length > 0 && (size_t)length < sizeof whole);
    return begin_trial(whole);
}

static void run(trial *r)
{
    long steps = r->status == AC_OK ? ac_problem_simulation(r->problem)->steps : 0;
    while (r->status == AC_OK && ac_simulation_mesh_steps(r->sim) < steps)
        r->status = ac_simulation_step(r->sim);
    if (r->status != AC_OK) printf("%s\n", ac_context_message(r->ctx));
    CHECK(r->status == AC_OK);
}

static int events_of(const trial *r)
{
    return r->sim ? ac_simulation_contact_events(r->sim) : 0;
}

static double energy_of(const trial *r)
{
    double *row = calloc(4096, sizeof *row);
    CHECK(row && ac_simulation_node_row(r->sim, true, row) == AC_OK);
    double energy = row ? row[1] : NAN;
    free(row);
    return energy;
}

/* --- the same motion --- */

static const char *const mechanisms[] = {
    /* a rod that bounces with loss on both ends, then rests */
    "gravity: [0, 0, -9.81]\nbodies: {rod: {solid: {cylinder: {length: 0.5, radius: 0.05, mass: 1}}, "
    "position: [0, 0, 0.6], rotation: [0.1, 1.2, 0]}}\n"
    "contacts: [{body: rod, at: ends, radius: 2 cm, restitution: 0.4, tangential: 0.3}]\n"
    "simulate: {step: 4 ms, duration: 0.6%s}\n",
    /* sticking and sliding in the plane */
    "gravity: [0, -9.81]\nplanar_bodies: {rod: {mass: 1, inertia: =1/12, points: {e: [-0.5, 0], f: [0.5, "
    "0]}, "
    "position: [0, 1], angle: 0.7}}\n"
    "contacts: [{body: rod, at: e, behaviour: sticking}, {body: rod, at: f, behaviour: sliding}]\n"
    "simulate: {step: 5 ms, duration: 0.8%s}\n",
    /* a knee that locks, and a pendulum of it at a wall */
    "gravity: [0, -9.81]\nplanar_bodies:\n  thigh: {mass: 1, inertia: 0.1, points: {hip: [0, 1]}}\n"
    "  shank: {mass: 1, inertia: 0.1, points: {knee: [0, 1]}}\n"
    "joints:\n  - {revolute: [ground, thigh], at: {thigh: hip}, angle: 0.3, name: hip}\n"
    "  - {revolute: [thigh, shank], at: {thigh: centre, shank: knee}, angle: -1.2, name: knee}\n"
    "contacts: [{joint: knee, upper: 0, behaviour: latch}, {body: shank, at: centre, plane: {through: [-0.5, "
    "0], "
    "normal: [1, 0]}}]\nsimulate: {step: 5 ms, duration: 1.2%s}\n",
    /* a four-bar that meets stops */
    "gravity: [0, 0, -9.81]\nbodies:\n  crank: {solid: {rod: {length: 1, mass: 1}}}\n"
    "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n  rocker: {solid: {rod: {length: 2.5, mass: 2.5}}}\n"
    "joints:\n"
    "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], name: motor, angle_rate: 1}\n"
    "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0], angle: -55 deg, "
    "hint: true}\n"
    "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
    "  - {revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: end}, axis: [0, 1, 0], angle: 1.4, "
    "hint: true}\n"
    "contacts: [{joint: motor, upper: 1.0}, {joint: motor, lower: -0.5, behaviour: latch}]\n"
    "simulate: {step: 5 ms, duration: 2%s}\n",
    /* bodies between themselves: a sphere on a tilting plane, a sphere within another */
    "gravity: [0, 0, -9.81]\nbodies:\n"
    "  plate: {solid: {box: {size: [2, 1, 0.1], mass: 4}}}\n"
    "  ball: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0.5, 0.1, 0.7]}\n"
    "  bead: {solid: {sphere: {radius: 0.05, mass: 0.3}}, position: [0.52, 0.1, 1.2]}\n"
    "joints: [{revolute: [ground, plate], at: {plate: centre}, axis: [0, 1, 0]}]\n"
    "contacts: [{body: ball, plane: {on: plate, through: [0, 0, 0.05], normal: [0, 0, 1]}, behaviour: "
    "sliding},\n"
    "  {body: bead, sphere: {on: ball}, restitution: 0.5}]\nsimulate: {step: 4 ms, duration: 0.7%s}\n",
    /* one foot sticks, the other is released */
    "gravity: [0, -9.81]\nparameters: {rho: =sqrt(0.0164), phi: =atan(0.8)}\n"
    "planar_bodies: {wedge: {mass: 2, inertia: 0.0216, points: {l: [-0.1, -0.08], r: [0.1, -0.08]}, "
    "position: [\"=rho*cos(0.4+phi)\", \"=rho*sin(0.4+phi)\"], angle: 0.4}}\n"
    "contacts: [{body: wedge, at: l, name: left, behaviour: sticking, closed: true},\n"
    "  {body: wedge, at: r, release: left}]\nsimulate: {step: 5 ms, duration: 0.4%s}\n",
};

static void compare(const trial *a, const trial *b, double within)
{
    CHECK(events_of(a) > 0 && events_of(a) == events_of(b));
    for (int k = 0; k < events_of(a) && k < events_of(b); ++k) {
        const ac_contact_event *x = ac_simulation_contact_event(a->sim, k),
                               *y = ac_simulation_contact_event(b->sim, k);
        CHECK(x->kind == y->kind && x->contact == y->contact);
        CHECK_NEAR(x->time, y->time, within);
        CHECK_NEAR(x->energy_after, y->energy_after, 10.0 * within);
    }
    int n = ac_problem_system(a->problem)->n;
    for (int i = 0; i < n; ++i)
        CHECK_NEAR(ac_simulation_configuration(a->sim)[i], ac_simulation_configuration(b->sim)[i], within);
}

TEST(formulations_find_the_same_motion)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; ++m)
        for (int k = 0; k < 3; ++k) {
            char choice[128];
            snprintf(choice, sizeof choice, ", scheme: %s", schemes[k]);
            trial reduced = begin(mechanisms[m], choice);
            run(&reduced);
            static const char *const others[] = {"multipliers", "null-space"};
            for (int o = 0; o < 2; ++o) {
                snprintf(choice, sizeof choice, ", scheme: %s, formulation: %s", schemes[k], others[o]);
                trial other = begin(mechanisms[m], choice);
                run(&other);
                if (reduced.status == AC_OK && other.status == AC_OK) compare(&reduced, &other, 1e-8);
                end_trial(&other);
            }
            end_trial(&reduced);
        }
}

/* --- energy-momentum --- */

TEST(energy_of_elastic_impacts_is_kept_to_round_off_at_the_nodes)
{
    static const char *const texts[] = {
        "gravity: [0, -9.81]\npoints: {bob: {mass: 1, position: [=sin(pi/3), =-cos(pi/3)]}}\n"
        "joints: [{distance: [ground, bob]}]\n"
        "contacts: [{body: bob, plane: {through: [-0.3, 0], normal: [1, 0]}}]\n"
        "simulate: {step: 10 ms, duration: 20, scheme: energy-momentum%s}\n",
        "gravity: [0, 0, -9.81]\nbodies: {ball: {solid: {sphere: {radius: 0.1, mass: 0.1}}, position: [0.9, "
        "0, "
        "0.5]}}\n"
        "beams: {b: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, elements: 3, d1: [0, 0, 1], section: "
        "{rectangle: "
        "{width: 4 cm, height: 1 cm}}, material: {young: 1e9, poisson: 0.3, density: 1000}}}\n"
        "joints: [{fixed: [ground, b.start]}]\n"
        "contacts: [{body: ball, plane: {on: b.end, normal: [1, 0, 0]}}]\n"
        "simulate: {step: 1 ms, duration: 0.5%s}\n"};
    static const int least[] = {10, 3};
    for (int k = 0; k < 2; ++k) {
        trial r = begin(texts[k], "");
        double before = r.status == AC_OK ? energy_of(&r) : NAN;
        run(&r);
        CHECK(events_of(&r) >= least[k]);
        if (r.status == AC_OK) CHECK_NEAR(energy_of(&r), before, 1e-10);
        end_trial(&r);
    }
}

/* The pendulum at a wall of the digest, 3.2: t_j = 0.6370636282 and x(1.2) = 0.85414736, with order 2. */
TEST(energy_momentum_is_of_second_order_through_an_impact)
{
    double time[2], x[2];
    for (int k = 0; k < 2; ++k) {
        trial r = begin("gravity: [0, -9.81]\npoints: {bob: {mass: 1, position: [=sin(pi/3), =-cos(pi/3)]}}\n"
                        "joints: [{distance: [ground, bob]}]\n"
                        "contacts: [{body: bob, plane: {through: [-0.3, 0], normal: [1, 0]}}]\n"
                        "simulate: {duration: 1.2, scheme: energy-momentum, step: %s}\n",
                        k == 0 ? "0.01" : "0.005");
        run(&r);
        time[k] = events_of(&r) > 0 ? ac_simulation_contact_event(r.sim, 0)->time - 0.6370636282 : NAN;
        x[k] = r.sim ? ac_simulation_configuration(r.sim)[0] - 0.85414736 : NAN;
        end_trial(&r);
    }
    CHECK_NEAR(order_of(time[0], time[1]), 2.0, 0.1);
    CHECK_NEAR(order_of(x[0], x[1]), 2.0, 0.2);
    CHECK(fabs(x[1]) < 1e-3);
}

/* --- states --- */

/* Steps one by one; every `apart` of them a state is taken, and another simulation goes on from it with the same bits. */
static void check_states(const char *text, const char *choice, int apart)
{
    trial a = begin(text, choice), b = begin(text, choice);
    CHECK(a.status == AC_OK && b.status == AC_OK);
    long steps = a.status == AC_OK ? ac_problem_simulation(a.problem)->steps : 0;
    int n = a.status == AC_OK ? ac_problem_system(a.problem)->n : 0, events = 0;
    for (int k = 1; a.status == AC_OK && b.status == AC_OK && ac_simulation_mesh_steps(a.sim) < steps; ++k) {
        a.status = ac_simulation_step(a.sim);
        if (k > 1) b.status = ac_simulation_step(b.sim);
        if (k > 1) {
            CHECK(ac_simulation_time(a.sim) == ac_simulation_time(b.sim));
            CHECK(ac_simulation_mesh_steps(a.sim) == ac_simulation_mesh_steps(b.sim));
            const double *x = ac_simulation_configuration(a.sim), *y = ac_simulation_configuration(b.sim);
            bool same = memcmp(x, y, (size_t)n * sizeof *x) == 0;
            CHECK(same);
            if (!same) break;
        }
        if (k % apart != 1) continue;
        ac_state *state = NULL;
        CHECK(ac_state_new(a.ctx, a.sim, &state) == AC_OK);
        ac_state *read = through_bytes(b.ctx, state);
        CHECK(ac_simulation_set_state(b.sim, read) == AC_OK);
        events += events_of(&a) > 0;
        ac_state_free(state);
        ac_state_free(read);
    }
    CHECK(a.status == AC_OK && b.status == AC_OK);
    if (events_of(&a) > 0) {
        ac_event_totals x = ac_impacts_totals(a.sim->stepper.impacts),
                        y = ac_impacts_totals(b.sim->stepper.impacts);
        CHECK(events > 0 && x.events == y.events && x.impacts == y.impacts && x.first == y.first);
        CHECK_NEAR(x.loss, y.loss, 1e-12);
    }
    end_trial(&a);
    end_trial(&b);
}

TEST(a_state_with_closed_contacts_goes_on_with_the_same_bits)
{
    static const char *const choices[] = {"", ", formulation: multipliers", ", formulation: null-space",
                                          ", scheme: energy-momentum"};
    for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; ++m)
        for (int k = 0; k < 4; ++k) check_states(mechanisms[m], choices[k], 13);
    check_states("gravity: [0, -9.81]\nplanar_bodies: {arm: {solid: {rod: {length: 1, mass: 1}}}}\n"
                 "joints: [{revolute: [ground, arm], at: {arm: start}, angle: 60 deg}]\n"
                 "simulate: {step: 20 ms, duration: 4 s, free_step: true%s}\n",
                 "", 13);
}

/* Another configuration has no closed contacts; what is pressed comes to rest again. */
TEST(a_state_that_was_put_finds_its_contacts)
{
    trial r = begin(
        "gravity: [0, 0, -9.81]\nbodies: {ball: {solid: {sphere: {radius: 0.1, mass: 1}}, position: "
        "[0, 0, 0.1]}}\ncontacts: [{body: ball, restitution: 0.5}]\nsimulate: {step: 1 ms, steps: "
        "1000%s}\n",
        "");
    ac_state *state = NULL;
    for (int k = 0; k < 20; ++k) CHECK(ac_simulation_step(r.sim) == AC_OK);
    CHECK(ac_state_new(r.ctx, r.sim, &state) == AC_OK);
    double q[12], p[12] = {1.0};
    memcpy(q, ac_simulation_configuration(r.sim), sizeof q);
    for (int k = 0; k < 2; ++k) { /* on the floor, and above it */
        q[2] = k == 0 ? 0.1 : 0.2;
        CHECK(ac_state_put(state, 0.02, q, p, NULL) == AC_OK);
        CHECK(ac_simulation_set_state(r.sim, state) == AC_OK);
        while (ac_simulation_mesh_steps(r.sim) < 1000) CHECK(ac_simulation_step(r.sim) == AC_OK);
        CHECK_NEAR(ac_simulation_time(r.sim), 1.0, 1e-12);
        CHECK_NEAR(ac_simulation_configuration(r.sim)[0], 0.98, 1e-9);
        CHECK_NEAR(ac_simulation_configuration(r.sim)[2], 0.1, 1e-9);
    }
    ac_state_free(state);
    end_trial(&r);
}

/* Configuration, momentum, time and winding of a state and its contacts are enough: its past makes a difference of rounding only, in
 * the middle of the motion and at impacts; so do other formulations. Whichever contacts are closed stay closed, latches too. */
TEST(without_its_past_a_state_goes_on_to_round_off)
{
    static const char *const choices[] = {"", ", formulation: multipliers", ", scheme: energy-momentum"};
    for (size_t m = 0; m < sizeof mechanisms / sizeof *mechanisms; ++m)
        for (int k = 0; k < 3; ++k) {
            trial a = begin(mechanisms[m], choices[k]), b = begin(mechanisms[m], choices[k == 1 ? 0 : k]);
            CHECK(a.status == AC_OK && b.status == AC_OK);
            long steps = ac_problem_simulation(a.problem)->steps;
            int n = ac_problem_system(a.problem)->n, count;
            for (int i = 0; a.status == AC_OK && b.status == AC_OK && ac_simulation_mesh_steps(a.sim) < steps;
                 ++i) {
                a.status = ac_simulation_step(a.sim);
                if (i > 0) b.status = ac_simulation_step(b.sim);
                if (i > 0) CHECK(ac_simulation_mesh_steps(a.sim) == ac_simulation_mesh_steps(b.sim));
                const double *x = ac_simulation_configuration(a.sim), *y = ac_simulation_configuration(b.sim);
                for (int c = 0; i > 0 && c < n; ++c) CHECK_NEAR(x[c], y[c], 1e-8);
                if (i % 7 != 0) continue;
                ac_state *state = NULL;
                CHECK(ac_state_new(a.ctx, a.sim, &state) == AC_OK);
                CHECK(ac_state_put(state, ac_state_time(state), ac_state_configuration(state),
                                   ac_state_momentum(state), ac_state_winding(state, &count)) == AC_OK);
                CHECK(ac_simulation_set_state(b.sim, state) == AC_OK);
                ac_state_free(state);
            }
            CHECK(a.status == AC_OK && b.status == AC_OK && events_of(&a) > 0);
            end_trial(&a);
            end_trial(&b);
        }
}

/* A ball that is put on the floor at another speed bounces with the energy of this speed, not with that of the fall before. */
TEST(a_state_that_was_put_has_its_own_energy)
{
    trial r = begin("gravity: [0, -9.81]\npoints: {ball: {mass: 2, position: [0, 1]}}\n"
                    "contacts: [{body: ball}]\nsimulate: {step: 1 ms, steps: 700%s}\n",
                    "");
    ac_state *state = NULL;
    for (int k = 0; k < 20; ++k) CHECK(ac_simulation_step(r.sim) == AC_OK);
    CHECK(ac_state_new(r.ctx, r.sim, &state) == AC_OK);
    CHECK(ac_state_put(state, 0.02, (double[2]){0.0, 0.0}, (double[2]){0.0, -6.0}, NULL) == AC_OK);
    CHECK(ac_simulation_set_state(r.sim, state) == AC_OK);
    double highest = 0.0;
    for (int k = 0; k < 500; ++k) {
        CHECK(ac_simulation_step(r.sim) == AC_OK);
        highest = fmax(highest, ac_simulation_configuration(r.sim)[1]);
    }
    CHECK_NEAR(highest, 9.0 / (2.0 * 9.81), 1e-5); /* 3 m/s */
    ac_state_free(state);
    end_trial(&r);
}

/* --- second derivatives --- */

typedef struct gap_case {
    const ac_system *system;
    int contact;
    double q[32], winding[8];
} gap_case;

static void gradient_of(void *user, const double *x, double *y)
{
    gap_case *g = user;
    double q[32], gradient[32];
    int nodes[AC_ELEMENT_NODES], count = ac_gap_nodes(g->system, &g->system->contacts[g->contact], nodes),
                                 at = 0;
    memcpy(q, g->q, sizeof q);
    for (int e = 0; e < count; ++e)
        for (int i = 0; i < g->system->nodes[nodes[e]].size; ++i)
            q[g->system->nodes[nodes[e]].q + i] = x[at++];
    ac_gap_value(g->system, &g->system->contacts[g->contact], q, g->winding, gradient);
    at = 0;
    for (int e = 0; e < count; ++e)
        for (int i = 0; i < g->system->nodes[nodes[e]].size; ++i)
            y[at++] = gradient[g->system->nodes[nodes[e]].q + i];
}

TEST(second_derivatives_of_gaps)
{
    trial r = begin(
        "bodies:\n  a: {solid: {box: {size: [1, 2, 3], mass: 1}}, position: [0, 0, 5], rotation: [0.3, 0.2, "
        "0]}\n"
        "  b: {solid: {box: {size: [1, 2, 3], mass: 1}}, position: [0, 1, 0], rotation: [0.1, 0.2, 0.7]}\n"
        "joints: [{revolute: [ground, b], at: [0, 1, 0], axis: [0, 0, 1], name: hinge}]\n"
        "contacts: [{body: a, at: [0.1, 0.2, 0.3], plane: {on: b, normal: [1, 2, 5], through: [0, 0, 1]}},\n"
        "  {body: a, at: [0.1, 0.2, 0.3], radius: 0.1, sphere: {on: b, radius: 0.2, at: [0.1, 0, 0]}},\n"
        "  {body: a, at: [0.1, 0.2, 0.3], ellipsoid: {on: b, axes: [1, 2, 3]}},\n"
        "  {body: a, at: [0.1, 0.2, 0.3], sphere: {at: [0, 0, 5], radius: 3, inside: true}},\n"
        "  {joint: hinge, upper: 2}]\nsimulate: {step: 1 ms, steps: 1%s}\n",
        "");
    CHECK(r.status == AC_OK);
    for (int c = 0; r.status == AC_OK && c < 5; ++c) {
        gap_case g = {.system = ac_problem_system(r.problem), .contact = c};
        int nodes[AC_ELEMENT_NODES], size = 0;
        double x[32], block[32 * 32];
        memcpy(g.q, g.system->initial.q, (size_t)g.system->n * sizeof *g.q);
        for (int k = 0; k < g.system->measure_count && k < 8; ++k)
            g.winding[k] = g.system->measures[k].initial;
        int count = ac_gap_nodes(g.system, &g.system->contacts[c], nodes);
        for (int e = 0; e < count; ++e)
            for (int i = 0; i < g.system->nodes[nodes[e]].size; ++i)
                x[size++] = g.q[g.system->nodes[nodes[e]].q + i];
        ac_gap_curvature(g.system, &g.system->contacts[c], g.q, g.winding, block);
        CHECK(jacobian_error(gradient_of, &g, size, size, x, block) < 1e-9);
    }
    end_trial(&r);
}

RUN_TESTS(CASE(formulations_find_the_same_motion),
          CASE(energy_of_elastic_impacts_is_kept_to_round_off_at_the_nodes),
          CASE(energy_momentum_is_of_second_order_through_an_impact),
          CASE(a_state_with_closed_contacts_goes_on_with_the_same_bits),
          CASE(a_state_that_was_put_finds_its_contacts), CASE(without_its_past_a_state_goes_on_to_round_off),
          CASE(a_state_that_was_put_has_its_own_energy), CASE(second_derivatives_of_gaps))
