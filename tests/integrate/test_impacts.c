/* What impacts keep: energy and momentum of elastic ones, gaps that never become negative, rest after ever smaller
 * bounces, contacts that open when they pull; in the plane and in space, on trees, loops and between bodies. */
#include <stdlib.h>

#include "actio/actio.h"
#include "action/inertia.h"
#include "integrate/impacts/impacts.h"
#include "observe/simulation.h"
#include "problem/build/build.h"
#include "support/numeric.h"
#include "support/record.h"
#include "support/trial.h"
#include "test.h"

/* The smallest gap of contacts that count. */
static double smallest_gap(const trial *r)
{
    const ac_system *system = ac_problem_system(r->problem);
    double least = INFINITY;
    for (int c = 0; c < system->contact_count; ++c)
        least = fmin(least, ac_gap_value(system, &system->contacts[c], ac_simulation_configuration(r->sim),
                                         r->sim->stepper.winding, NULL));
    return least;
}

/* Runs to the end; returns the smallest gap that was seen. */
static double run(trial *r)
{
    double least = INFINITY;
    long steps = r->status == AC_OK ? ac_problem_simulation(r->problem)->steps : 0;
    while (r->status == AC_OK && ac_simulation_mesh_steps(r->sim) < steps) {
        r->status = ac_simulation_step(r->sim);
        if (r->status == AC_OK) least = fmin(least, smallest_gap(r));
    }
    if (r->status != AC_OK) printf("%s\n", ac_context_message(r->ctx));
    return least;
}

static int events_of(const trial *r)
{
    return r->sim ? ac_simulation_contact_events(r->sim) : 0;
}

static const ac_contact_event *event(const trial *r, int k)
{
    static const ac_contact_event none;
    const ac_contact_event *e = r->sim ? ac_simulation_contact_event(r->sim, k) : NULL;
    return e ? e : &none;
}

static int count(const trial *r, ac_contact_event_kind kind)
{
    int found = 0;
    for (int k = 0; k < events_of(r); ++k) found += event(r, k)->kind == kind;
    return found;
}

/* --- elastic --- */

#define POINT_BALL(more, steps)                                                                         \
    "gravity: [0, -9.81]\npoints: {ball: {mass: 1, position: [0, 1], velocity: [0.5, 0]}}\ncontacts:\n" \
    "  - {body: ball" more "}\nsimulate: {step: 10 ms, steps: " steps "}\n"

/* Energy after the first bounce, E + m g^2 (h_2^2 - h_1^2)/8 (3.2 of the digest). */
TEST(energies_of_intervals_agree_at_an_elastic_impact)
{
    trial r = begin_trial(POINT_BALL("", "60"));
    double least = run(&r), g = 9.81, h1 = 0.001523640986, h2 = 0.01 - h1;
    CHECK(r.status == AC_OK && events_of(&r) == 1);
    CHECK(least > -1e-12);
    const ac_contact_event *e = event(&r, 0);
    CHECK_NEAR(e->time, 0.451523640985731, 1e-13);
    CHECK_NEAR(e->interval_energy, 9.935 - g * g * h1 * h1 / 8.0, 1e-12);
    double *row = calloc(64, sizeof *row);
    CHECK(ac_simulation_node_row(r.sim, true, row) == AC_OK);
    CHECK_NEAR(row[1], 9.935 + g * g * (h2 * h2 - h1 * h1) / 8.0, 1e-11);
    CHECK_NEAR(row[5], 0.5, 1e-13); /* tangential momentum */
    free(row);
    end_trial(&r);
}

/* Loads work between the middles of intervals: a wind along the floor leaves the bounces as they are. Closed form: impacts of
 * speed sqrt(2 g) e^k, heights e^2k. */
TEST(a_wind_along_the_floor_changes_no_bounce)
{
    static const char *const steps[] = {"10 ms", "3 ms"};
    for (int k = 0; k < 2; ++k) {
        char text[512];
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\npoints: {ball: {mass: 1, position: [0, 1]}}\ncontacts:\n"
                 "  - {body: ball, restitution: 0.8}\nloads: [{on: ball, force: [20, 0]}]\n"
                 "simulate: {step: %s, duration: 1.5}\n",
                 steps[k]);
        trial r = begin_trial(text);
        run(&r);
        double fall = sqrt(2.0 / 9.81), up = sqrt(2.0 * 9.81), left = 1.5 - fall - 2.0 * 0.8 * fall;
        CHECK(r.status == AC_OK && events_of(&r) == 2);
        CHECK_NEAR(event(&r, 1)->time, 2.6 * fall, 1e-12);
        const double *q = ac_simulation_configuration(r.sim);
        CHECK_NEAR(q[0], 0.5 * 20.0 * 1.5 * 1.5, 1e-11);
        CHECK_NEAR(q[1], 0.64 * up * left - 0.5 * 9.81 * left * left, 1e-11);
        end_trial(&r);
    }
}

TEST(ten_thousand_bounces_without_drift)
{
    static const char *const words[] = {", energy: nodes", ""};
    for (int k = 0; k < 2; ++k) {
        char text[512];
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\npoints: {ball: {mass: 1, position: [0, 1], velocity: [0.5, "
                 "0]}}\ncontacts:\n"
                 "  - {body: ball%s}\nsimulate: {step: 20 ms, duration: 9040 s}\n",
                 words[k]);
        trial r = begin_trial(text);
        double least = run(&r);
        CHECK(r.status == AC_OK);
        CHECK(least > -1e-12);
        CHECK(events_of(&r) >= (k == 0 ? 10000 : 9900));
        const ac_contact_event *last = event(&r, events_of(&r) - 1);
        /* energies of intervals differ by up to m g^2 h^2/8 = 4.8e-3 at each bounce, at random */
        CHECK_NEAR(last->energy_after, 9.935, k == 0 ? 1e-9 : 100.0 * 4.8e-3);
        CHECK_NEAR(last->momentum_after[0], 0.5, 1e-9);
        end_trial(&r);
    }
}

TEST(an_elliptic_billiard_is_exact)
{
    trial r = begin_trial(
        "points: {ball: {mass: 1, position: [0.3, 0.2], velocity: [0.9, 0.7]}}\ncontacts:\n"
        "  - {body: ball, ellipsoid: {axes: [2, 1], inside: true}}\nsimulate: {step: 0.1, duration: 370}\n");
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) >= 200);
    for (int k = 0; k < events_of(&r); ++k) {
        const ac_contact_event *e = event(&r, k);
        double c = sqrt(3.0), vx = e->momentum_after[0], vy = e->momentum_after[1];
        double left = (e->place[0] + c) * vy - e->place[1] * vx,
               right = (e->place[0] - c) * vy - e->place[1] * vx;
        CHECK_NEAR(e->energy_after, 0.65, 1e-12);
        CHECK_NEAR(left * right, -1.4691, 1e-10);
    }
    end_trial(&r);
}

TEST(spheres_exchange_momentum)
{
    trial r = begin_trial(
        "bodies:\n"
        "  a: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 0], velocity: [1, 0, 0]}\n"
        "  b: {solid: {sphere: {radius: 0.2, mass: 3}}, position: [1, 0.1, 0.05], velocity: [-1, 0, 0.1]}\n"
        "contacts: [{body: a, sphere: {on: b}}]\nsimulate: {step: 10 ms, duration: 1}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK && events_of(&r) == 1);
    CHECK(least > -1e-12);
    const ac_contact_event *e = event(&r, 0);
    CHECK_NEAR(e->energy_after, e->energy_before, 1e-14);
    CHECK_NEAR(e->separation, -e->approach, 1e-14);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(e->momentum_after[i], e->momentum_before[i], 1e-14);
        CHECK_NEAR(e->angular_after[i], e->angular_before[i], 1e-14);
    }
    end_trial(&r);
}

/* Newton's cradle of three: the sequence of impacts hands the momentum on. */
TEST(impacts_at_one_instant_follow_one_another)
{
    trial r = begin_trial(
        "bodies:\n"
        "  a: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 0], velocity: [1, 0, 0]}\n"
        "  b: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [1, 0, 0]}\n"
        "  c: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [1.2, 0, 0]}\n"
        "contacts: [{body: a, sphere: {on: b}}, {body: b, sphere: {on: c}}]\n"
        "simulate: {step: 10 ms, duration: 1.5}\n");
    run(&r);
    CHECK(r.status == AC_OK && count(&r, AC_EVENT_IMPACT) == 2);
    const double *q = ac_simulation_configuration(r.sim);
    CHECK_NEAR(q[0], 0.8, 1e-10);
    CHECK_NEAR(q[12], 1.0, 1e-10);
    CHECK_NEAR(q[24], 1.2 + 0.7, 1e-10);
    end_trial(&r);
}

/* A ball falls on another one that sticks to the floor: balancing the energies of the intervals must not tear that one off. */
TEST(what_is_struck_from_above_stays_on_the_floor)
{
    trial r = begin_trial(
        "gravity: [0, 0, -9.81]\nbodies:\n"
        "  low: {solid: {sphere: {radius: 0.1, mass: 0.001}}, position: [0, 0, 0.1]}\n"
        "  high: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 1]}\n"
        "contacts: [{body: low, behaviour: sticking, closed: true}, {body: high, sphere: {on: low}}]\n"
        "simulate: {step: 3 ms, duration: 4.5}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK && least > -1e-11);
    CHECK(count(&r, AC_EVENT_OPENS) == 0 && count(&r, AC_EVENT_IMPACT) >= 5);
    if (r.sim) CHECK_NEAR(ac_simulation_configuration(r.sim)[2], 0.1, 1e-12);
    end_trial(&r);
}

/* --- lossy --- */

TEST(tangential_velocity_and_given_energy_are_lost)
{
    trial r = begin_trial(POINT_BALL(", restitution: 0.5, tangential: 0.4", "50"));
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) == 1);
    CHECK_NEAR(event(&r, 0)->separation, -0.5 * event(&r, 0)->approach, 1e-13);
    CHECK_NEAR(event(&r, 0)->momentum_after[0], 0.3, 1e-14);
    CHECK_NEAR(event(&r, 0)->impulse[0], -0.2, 1e-14);
    end_trial(&r);
    r = begin_trial(POINT_BALL(", loss: 2 J", "50"));
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) == 1);
    CHECK_NEAR(event(&r, 0)->energy_before - event(&r, 0)->energy_after, 2.0, 1e-13);
    end_trial(&r);
}

/* A rod that falls obliquely: normal and tangential motion are coupled. Laws of docs/contacts.md, with the inverse masses
 * of a rod of mass 1, inertia J = 1/12, struck at its end at (x, y) from its centre:
 * W_nn = 1 + x^2/J, W_nt = -x y/J, W_tt = 1 + y^2/J. */
TEST(the_law_of_tangential_loss_where_motions_are_coupled)
{
    trial r = begin_trial(
        "gravity: [0, -9.81]\nplanar_bodies: {rod: {mass: 1, inertia: =1/12, points: {e: [-0.5, 0]}, "
        "position: [0, 1], angle: 1, velocity: [1.5, 0]}}\n"
        "contacts: [{body: rod, at: e, restitution: 0.7, tangential: 0.4}]\n"
        "simulate: {step: 5 ms, duration: 0.4, scheme: trapezoidal}\n");
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) == 1);
    const ac_contact_event *at = event(&r, 0);
    double x = -0.5 * cos(1.0), y = -0.5 * sin(1.0), J = 1.0 / 12.0, e = 0.7, f = 0.4;
    double vn = at->momentum_before[1], vt = at->momentum_before[0]; /* it does not turn before */
    double Wnn = 1.0 + x * x / J, Wnt = -x * y / J, Wtt = 1.0 + y * y / J;
    double S = Wtt - Wnt * Wnt / Wnn, left = vt - Wnt * vn / Wnn, along = -left / S;
    double tangential = f * along, normal = -(1.0 + e) * vn / Wnn - f * Wnt * along / Wnn;
    CHECK_NEAR(at->approach, vn, 1e-12);
    CHECK_NEAR(at->separation, -e * vn, 1e-12);
    CHECK_NEAR(at->normal_impulse, normal, 1e-12);
    CHECK_NEAR(at->impulse[0], tangential, 1e-12);
    CHECK_NEAR(at->energy_before - at->energy_after,
               0.5 * (1.0 - e * e) * vn * vn / Wnn + (f - 0.5 * f * f) * left * left / S, 1e-12);
    end_trial(&r);
}

/* The end of a chain of hinges cannot move across the plane of its motion: that direction takes no impulse. */
TEST(tangential_loss_where_joints_leave_no_motion)
{
    trial r = begin_trial(
        "gravity: [0, 0, -9.81]\nbodies: {a: {solid: {cylinder: {length: 0.6, radius: 0.05, mass: 1}}}}\n"
        "joints: [{revolute: [ground, a], at: {ground: [0, 0, 0.4], a: start}, axis: [0, 1, 0], angle: "
        "0.2}]\n"
        "contacts: [{body: a, at: end, restitution: 0.4, tangential: 0.5}]\n"
        "simulate: {step: 2 ms, duration: 1}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK && count(&r, AC_EVENT_IMPACT) > 0);
    CHECK(least > -1e-11);
    for (int k = 0; k < events_of(&r); ++k)
        CHECK(event(&r, k)->energy_after <= event(&r, k)->energy_before + 1e-12);
    end_trial(&r);
}

/* A ball that slides onto a floor on which it sticks rolls on with 5/7 of its speed; down an incline it gets 5/7 of
 * g sin(angle), with 2/7 m g sin(angle) of friction. */
TEST(spheres_that_stick_roll)
{
    trial r = begin_trial(
        "gravity: [0, 0, -9.81]\nbodies: {ball: {solid: {sphere: {radius: 0.1, mass: 2}}, position: [0, 0, "
        "0.6], velocity: [0.7, 0, 0]}}\ncontacts: [{body: ball, behaviour: sticking}]\n"
        "simulate: {step: 5 ms, duration: 3}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK && events_of(&r) == 1 && least > -1e-12);
    double t = sqrt(2.0 * 0.5 / 9.81);
    CHECK_NEAR(event(&r, 0)->momentum_after[0], 2.0 * 0.5, 1e-12);
    CHECK_NEAR(ac_simulation_configuration(r.sim)[0], 0.7 * t + 0.5 * (3.0 - t), 1e-4);
    end_trial(&r);
    r = begin_trial(
        "gravity: [0, 0, -9.81]\nbodies: {ball: {solid: {sphere: {radius: 0.1, mass: 2}}, position: [0, 0, "
        "\"=0.1/cos(pi/6)\"]}}\ncontacts: [{body: ball, plane: {normal: [\"=sin(pi/6)\", 0, "
        "\"=cos(pi/6)\"]}, "
        "behaviour: sticking, friction: 0.164}]\nsimulate: {step: 5 ms, duration: 2}\n");
    run(&r);
    CHECK(r.status == AC_OK);
    CHECK_NEAR(ac_simulation_configuration(r.sim)[0],
               0.5 * 4.0 * 5.0 / 7.0 * 9.81 * 0.5 * cos(acos(-1.0) / 6.0), 1e-11);
    CHECK(ac_simulation_contact_violations(r.sim) == 1); /* 2/7 tan 30 deg = 0.16496 */
    CHECK_NEAR(ac_simulation_contact_violation(r.sim, 0).worst, 2.0 / 7.0 * tan(acos(-1.0) / 6.0), 1e-9);
    end_trial(&r);
}

/* A ball on a turntable rolls on a circle with 2/7 of its angular velocity, whatever it spins: the place is of second order. */
static double off_the_circle(const char *scheme, double step)
{
    char text[800];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, -9.81]\nbodies:\n"
        "  ball: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0.5, 0, 0.1], velocity: [0.2, 0.1, 0], "
        "angular_velocity: [14, 2, 0.5]}\n" /* v + w x r = 3 z x x */
        "  disc: {solid: {cylinder: {radius: 2, length: 0.1, mass: 1e9}}, position: [0, 0, -0.1]}\n"
        "joints: [{revolute: [ground, disc], at: {ground: [0, 0, 0], disc: end}, axis: [0, 0, 1], "
        "angle_rate: 3}]\n"
        "contacts: [{body: ball, plane: {on: disc, through: [0, 0, 0.1], normal: [0, 0, 1]}, behaviour: "
        "sticking, "
        "closed: true}]\nsimulate: {step: %g, duration: 1, scheme: %s}\n",
        step, scheme);
    trial r = begin_trial(text);
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) == 0);
    const double rate = 3.0 * 2.0 / 7.0, s = sin(rate) / rate, c = (1.0 - cos(rate)) / rate;
    const double *q = ac_simulation_configuration(r.sim);
    double off = hypot(q[0] - (0.5 + 0.2 * s - 0.1 * c), q[1] - (0.1 * s + 0.2 * c));
    end_trial(&r);
    return off;
}

TEST(spheres_that_spin_roll_to_second_order)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    for (int k = 0; k < 3; ++k) {
        double coarse = off_the_circle(schemes[k], 0.01), fine = off_the_circle(schemes[k], 0.005);
        CHECK(fine < 2e-3 && coarse > 1e-6);
        CHECK_NEAR(log2(coarse / fine), 2.0, 0.15);
    }
}

/* The largest error of many runs with nearly the same steps, so that the time of opening lies anywhere in a step. */
static double worst_error(const char *format, const char *scheme, const char *formulation, double duration,
                          int steps, double (*error)(const trial *))
{
    enum { RUNS = 12 };
    double worst = 0.0;
    for (int k = 0; k < RUNS; ++k) {
        char text[1000];
        snprintf(text, sizeof text, format, duration / (steps + k), steps + k, scheme, formulation);
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK);
        CHECK(count(&r, AC_EVENT_OPENS) > 0);
        worst = fmax(worst, error(&r));
        end_trial(&r);
    }
    return worst;
}

static const ac_contact_event *first_opening(const trial *r)
{
    int k = 0;
    while (k < events_of(r) && event(r, k)->kind != AC_EVENT_OPENS) ++k;
    return event(r, k);
}

/* The spin grows by F/(1.4 m r) = 12.5 rad/s^2 until the load of 40 t^2 carries the weight. */
static double spin_error(const trial *r)
{
    const ac_contact_event *e = first_opening(r);
    double opens = sqrt(2.0 * 9.81 / 40.0), spin = e->momentum_after[0] / (2.0 * 0.2);
    return fmax(fabs(e->time - opens), fabs(spin / 12.5 - opens));
}

/* Time at which the rod that turns about its end, after an impact at sqrt(2 h/g), pulls: m g + m z'' = 0 of the centre;
 * Runge-Kutta with steps of 1e-5 s. */
static double rod_error(const trial *r)
{
    return fabs(first_opening(r)->time - 0.3901240102969803);
}

/* The friction force is not small where the normal force vanishes. A ratio of 16 is second order, 4 would be first order. */
TEST(sticking_contacts_open_within_the_step_to_second_order)
{
    static const char *const methods[][2] = {{"midpoint", "reduced"},    {"midpoint", "multipliers"},
                                             {"midpoint", "null-space"}, {"trapezoidal", "reduced"},
                                             {"trapezoidal", "minimal"}, {"energy-momentum", "reduced"}};
    static const char *const rolling =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {ball: {solid: {sphere: {radius: 0.2, mass: 2}}, position: [0, 0, 0.2]}}\n"
        "contacts: [{body: ball, behaviour: sticking}]\n"
        "loads: [{force: [7, 0, \"=40*t^2\"], on: ball}]\n"
        "simulate: {step: %.17g, steps: %d, scheme: %s, formulation: %s}\n";
    static const char *const rod = "gravity: [0, -9.81]\nplanar_bodies: {rod: {mass: 1, inertia: =1/12, "
                                   "points: {end: [-0.5, 0]}, position: "
                                   "[0, =0.5 + 0.5*sin(pi/4)], angle: 45 deg}}\n"
                                   "contacts: [{body: rod, at: end, behaviour: sticking}]\n"
                                   "simulate: {step: %.17g, steps: %d, scheme: %s, formulation: %s}\n";
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        const char *scheme = methods[k][0], *formulation = methods[k][1];
        double coarse = worst_error(rod, scheme, formulation, 0.43, 43, rod_error),
               fine = worst_error(rod, scheme, formulation, 0.43, 172, rod_error);
        CHECK(coarse > 1e-9 && coarse < 2e-3 && coarse > 10.0 * fine);
        if (strcmp(formulation, "minimal") == 0) continue; /* takes no loads */
        coarse = worst_error(rolling, scheme, formulation, 0.9, 45, spin_error);
        fine = worst_error(rolling, scheme, formulation, 0.9, 180, spin_error);
        CHECK(coarse > 1e-9 && coarse < 2e-3 && coarse > 10.0 * fine);
    }
}

TEST(bounces_end_in_rest_that_ends_when_it_is_pulled)
{
    trial r = begin_trial(
        "gravity: [0, 0, -10]\n"
        "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 0.6]}}\n"
        "loads: [{force: [0, 0, {table: [[0, 0], [3, 0], [3.001, 15], [4, 15]]}], on: ball}]\n"
        "contacts: [{body: ball, restitution: 0.5}]\nsimulate: {step: 2 ms, duration: 4}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK);
    CHECK(least > -1e-12);
    CHECK(count(&r, AC_EVENT_RESTS) == 1);
    CHECK(count(&r, AC_EVENT_OPENS) == 1);
    for (int k = 0; k < events_of(&r); ++k) {
        const ac_contact_event *e = event(&r, k);
        /* all bounces take sqrt(2 h/g) (1 + e)/(1 - e) = 0.949 s */
        if (e->kind == AC_EVENT_RESTS) CHECK_NEAR(e->time, 0.316227766 * 3.0, 4e-3);
        if (e->kind == AC_EVENT_OPENS) CHECK_NEAR(e->time, 3.0, 4e-3);
    }
    CHECK_NEAR(ac_simulation_configuration(r.sim)[2], 0.1 + 0.5 * 5.0, 0.02);
    end_trial(&r);
}

TEST(what_lies_on_the_floor_stays)
{
    trial r = begin_trial(
        "gravity: [0, 0, -9.81]\n"
        "bodies: {crate: {solid: {box: {size: [1, 1, 1], mass: 2}}, position: [0, 0, 0.5]}}\n"
        "contacts: [{body: crate, at: corners, restitution: 0.3}]\nsimulate: {step: 5 ms, duration: 1}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK);
    CHECK(least > -1e-11);
    CHECK(count(&r, AC_EVENT_OPENS) == 0 && count(&r, AC_EVENT_RESTS) == 4);
    CHECK_NEAR(ac_simulation_configuration(r.sim)[2], 0.5, 1e-11);
    for (int c = 0; r.status == AC_OK && c < 4; ++c) /* four corners share the weight */
        CHECK_NEAR(r.sim->stepper.impacts->touches[c].normal_force, 2.0 * 9.81 / 4.0, 1e-9);
    end_trial(&r);
}

/* A load near one corner: of the ways in which four corners can hold it one lets all of them push, so none opens; three
 * corners alone would need one that pulls. */
TEST(four_corners_hold_what_three_cannot)
{
    static const char *const formulations[] = {"reduced", "multipliers", "null-space"};
    for (int f = 0; f < 3; ++f) {
        char text[512];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: {crate: {solid: {box: {size: [1, 1, 1], mass: 2}}, position: [0, 0, 0.5]}}\n"
                 "contacts: [{body: crate, at: corners, restitution: 0.3}]\n"
                 "loads: [{force: [0, 0, \"=-12*sin(7*t)\"], on: crate, at: [-0.3, 0.3, 0.5]}]\n"
                 "simulate: {step: 5 ms, duration: 0.44, formulation: %s}\n",
                 formulations[f]);
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK);
        CHECK(count(&r, AC_EVENT_OPENS) == 0 && count(&r, AC_EVENT_RESTS) == 4);
        double sum = 0.0, t = 0.435;
        for (int c = 0; r.status == AC_OK && c < 4; ++c) {
            sum += r.sim->stepper.impacts->touches[c].normal_force;
            CHECK(r.sim->stepper.impacts->touches[c].normal_force > -1e-9);
        }
        CHECK_NEAR(sum, 2.0 * 9.81 + 12.0 * sin(7.0 * t), 0.01);
        end_trial(&r);
    }
}

/* A crate that falls flat strikes with four corners at once: it opens at e times its speed and does not turn. With two edges at
 * different heights each pair of corners strikes together, so what is symmetric about y = 0 stays so. The corners share the loss. */
TEST(contacts_at_one_instant_strike_together)
{
    trial r = begin_trial("gravity: [0, 0, -9.81]\nbodies: {crate: {solid: {box: {size: [1, 0.6, 0.4], mass: "
                          "2}}, position: [0, 0, 0.6]}}\n"
                          "contacts: [{body: crate, at: corners, restitution: 0.5, tangential: 0.2}]\n"
                          "simulate: {step: 1 ms, duration: 0.4}\n");
    run(&r);
    CHECK(r.status == AC_OK && count(&r, AC_EVENT_IMPACT) == 4);
    const double fall = sqrt(2.0 * 0.4 / 9.81), left = 0.4 - fall, up = 0.5 * 9.81 * fall;
    double loss = 0.0;
    for (int k = 0; k < events_of(&r); ++k) {
        CHECK_NEAR(event(&r, k)->time, fall, 1e-9);
        CHECK_NEAR(event(&r, k)->separation, up, 1e-9);
        CHECK_NEAR(event(&r, k)->normal_impulse, 2.0 * 3.0 * up / 4.0, 1e-9);
        loss += event(&r, k)->energy_before - event(&r, k)->energy_after;
    }
    CHECK_NEAR(loss, 0.75 * 2.0 * 9.81 * 0.4, 1e-9);
    const double *q = ac_simulation_configuration(r.sim);
    CHECK_NEAR(q[2], 0.2 + up * left - 0.5 * 9.81 * left * left, 1e-4);
    CHECK_NEAR(q[3], 1.0, 1e-12);
    CHECK_NEAR(q[11], 1.0, 1e-12);
    end_trial(&r);
    r = begin_trial("gravity: [0, 0, -9.81]\nbodies: {crate: {solid: {box: {size: [1, 0.6, 0.4], mass: 2}}, "
                    "position: [0, 0, 0.9],"
                    " rotation: [0, 0.4, 0]}}\n"
                    "contacts: [{body: crate, at: corners, behaviour: sticking}]\nsimulate: {step: 1 ms, "
                    "duration: 1.5}\n");
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) > 4);
    q = ac_simulation_configuration(r.sim);
    CHECK_NEAR(q[1], 0.0, 1e-12);
    CHECK_NEAR(q[4], 0.0, 1e-12); /* y of the first director */
    CHECK_NEAR(q[2], 0.2, 1e-9);
    end_trial(&r);
}

/* Balls that land at one instant have nothing to do with one another: each loses what its own law says. */
TEST(balls_that_land_together_lose_their_own_energy)
{
    static const char *const laws[] = {"loss: 2", "restitution: 0.5, tangential: 0.4"};
    const double fall = 10.0 * 1.0; /* g times height */
    for (int k = 0; k < 2; ++k) {
        char text[600];
        snprintf(text, sizeof text,
                 "gravity: [0, -10]\npoints: {a: {mass: 1, position: [0, 1], velocity: [3, 0]}, b: {mass: 3, "
                 "position: [9, 1]}}\n"
                 "contacts: [{body: a, %s}, {body: b, %s}]\nsimulate: {step: 1 ms, duration: 0.5}\n",
                 laws[k], laws[k]);
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK && count(&r, AC_EVENT_IMPACT) == 2);
        for (int i = 0; i < events_of(&r); ++i) {
            const ac_contact_event *e = event(&r, i);
            double mass = e->contact == 0 ? 1.0 : 3.0, slides = e->contact == 0 ? 9.0 : 0.0,
                   expected = k == 0 ? 2.0 : 0.75 * mass * fall + 0.64 * 0.5 * mass * slides;
            CHECK_NEAR(e->energy_before - e->energy_after, expected, 1e-9);
            CHECK_NEAR(e->separation, sqrt(2.0 * fall - 2.0 * (k == 0 ? 2.0 / mass : 0.75 * fall)), 1e-9);
        }
        end_trial(&r);
    }
}

TEST(a_crate_falls_on_its_corners_and_comes_to_rest)
{
    trial r = begin_trial(
        "gravity: [0, 0, -9.81]\nbodies: {crate: {solid: {box: {size: [1, 0.6, 0.4], mass: 2}}, position: "
        "[0, 0, 1.2], rotation: [0.4, 0.3, 0.1]}}\n"
        "contacts: [{body: crate, at: corners, restitution: 0.3, tangential: 0.5}]\n"
        "simulate: {step: 2 ms, duration: 4}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK);
    CHECK_NEAR(fmin(least, 0.0), 0.0, 1e-9);
    CHECK_NEAR(ac_simulation_configuration(r.sim)[2], 0.2, 1e-6); /* flat */
    end_trial(&r);
}

/* --- constraints --- */

TEST(a_four_bar_meets_a_stop)
{
    trial r = begin_trial(
        "gravity: [0, 0, -9.81]\nbodies:\n"
        "  crank: {solid: {rod: {length: 1, mass: 1}}}\n"
        "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"
        "  rocker: {solid: {rod: {length: 2.5, mass: 2.5}}}\n"
        "joints:\n"
        "  - {revolute: [ground, crank], at: {crank: start}, axis: [0, 1, 0], name: motor, angle_rate: 1}\n"
        "  - {revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, 1, 0], angle: -55 "
        "deg, hint: true}\n"
        "  - {revolute: [coupler, rocker], at: {coupler: end, rocker: start}, axis: [0, 1, 0]}\n"
        "  - {revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: end}, axis: [0, 1, 0], angle: "
        "1.4, hint: true}\n"
        "contacts: [{joint: motor, upper: 1.0}, {joint: motor, lower: -1.5, restitution: 0.5}]\n"
        "simulate: {step: 5 ms, duration: 3}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK && events_of(&r) >= 2);
    CHECK(least > -1e-11);
    for (int k = 0; k < events_of(&r); ++k) {
        const ac_contact_event *e = event(&r, k);
        if (e->kind != AC_EVENT_IMPACT) continue;
        CHECK_NEAR(e->separation, -(e->contact == 0 ? 1.0 : 0.5) * e->approach, 1e-10);
        if (e->contact == 0) CHECK_NEAR(e->energy_after, e->energy_before, 1e-11);
    }
    end_trial(&r);
}

TEST(a_contact_is_ignored_in_its_window_and_until_it_opens)
{
    trial r = begin_trial("points: {a: {mass: 1, position: [-0.5, 0], velocity: [1, 0]}}\n"
                          "contacts: [{body: a, plane: {normal: [-1, 0]}, name: once, ignore: [0.4, 0.6]},\n"
                          "  {body: a, plane: {normal: [1, 0]}, name: later, until_open: true},\n"
                          "  {body: a, plane: {through: [1, 0], normal: [-1, 0]}, name: wall}]\n"
                          "simulate: {step: 10 ms, duration: 3}\n");
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) == 2);
    CHECK_TEXT(ac_system_contact_name(ac_problem_system(r.problem), event(&r, 0)->contact), "wall");
    CHECK_TEXT(ac_system_contact_name(ac_problem_system(r.problem), event(&r, 1)->contact), "later");
    char text[512];
    CHECK(ac_simulation_contact_remark(r.sim, 0, text, sizeof text));
    CHECK(strstr(text, "is ignored while its gap is negative") != NULL);
    end_trial(&r);
}

/* A small fast ball passes a thin bar between two nodes; both ends of the step are open. */
TEST(a_fast_body_is_not_missed)
{
    trial r = begin_trial(
        "bodies:\n"
        "  shot: {solid: {sphere: {radius: 0.01, mass: 1}}, position: [-1, 0, 0], velocity: [10, 0, 0]}\n"
        "  post: {solid: {sphere: {radius: 0.02, mass: 1e6}}, position: [0.05, 0, 0]}\n"
        "contacts: [{body: shot, sphere: {on: post}}]\nsimulate: {step: 20 ms, duration: 0.2}\n");
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) == 1);
    CHECK_NEAR(event(&r, 0)->time, (1.05 - 0.03) / 10.0, 1e-12);
    char text[512];
    CHECK(ac_simulation_contact_remark(r.sim, 0, text, sizeof text));
    CHECK(strstr(text, "motion within a step is larger than the bodies") != NULL);
    end_trial(&r);
}

/* Windows that begin or end within a step: what closes in them is ignored, what closes just outside counts. */
TEST(windows_begin_and_end_within_steps)
{
    static const char *const windows[] = {"[0.4, 0.506]", "[0.505, 0.6]", "[0.4, 0.502]", "[0.5029, 0.5031]"};
    for (int k = 0; k < 4; ++k) {
        char text[300];
        snprintf(text, sizeof text,
                 "points: {a: {mass: 1, position: [-0.503, 0], velocity: [1, 0]}}\n"
                 "contacts: [{body: a, plane: {normal: [-1, 0]}, ignore: %s}]\n"
                 "simulate: {step: 10 ms, duration: 1}\n",
                 windows[k]);
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK);
        CHECK(events_of(&r) == (k == 1 || k == 2));
        if (events_of(&r) > 0) CHECK_NEAR(event(&r, 0)->time, 0.503, 1e-12);
        CHECK(ac_simulation_contact_violations(r.sim) == (events_of(&r) > 0 ? 0 : 1));
        end_trial(&r);
    }
}

/* Shots that pass several sizes of their target in a step, wherever the step ends. */
TEST(straight_shots_never_miss)
{
    static const char *const targets[] = {"sphere: {at: [0.05, 0, 0], radius: 0.02}",
                                          "ellipsoid: {at: [0.05, 0, 0], axes: [0.01, 0.03, 0.05]}"};
    static const double reach[] = {0.02, 0.01};
    for (int k = 0; k < 2; ++k)
        for (int place = 0; place < 40; ++place) {
            char text[300];
            snprintf(text, sizeof text,
                     "points: {shot: {mass: 1, position: [%g, 0, 0], velocity: [100, 0, 0]}}\n"
                     "contacts: [{body: shot, %s}]\nsimulate: {step: 20 ms, duration: 0.1}\n",
                     -1.0 - 0.05 * place, targets[k]);
            trial r = begin_trial(text);
            run(&r);
            CHECK(r.status == AC_OK && events_of(&r) == 1);
            CHECK_NEAR(event(&r, 0)->time, (0.05 - reach[k] + 1.0 + 0.05 * place) / 100.0, 1e-12);
            end_trial(&r);
        }
}

/* Flights whose only contact with a plane begins and ends within one step: the gap is a/2 (t - t1)(t - t2). In every third case
 * a ball rolls beside it, so that closed contacts hold something while the dip is looked for. */
TEST(parabolic_dips_within_a_step_are_never_missed)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    dice d = {20261};
    int missed = 0;
    for (int k = 0; k < 300; ++k) {
        double n[3], g[3], x[3], v[3], size = 0.0, a = 0.0, h = exp(dice_between(&d, log(1e-3), log(0.2)));
        dice_vector(&d, 3, 1.0, n);
        dice_vector(&d, 3, 10.0, g);
        dice_vector(&d, 3, 1.0, x);
        dice_vector(&d, 3, 2.0, v);
        for (int i = 0; i < 3; ++i) size = hypot(size, n[i]);
        for (int i = 0; i < 3; ++i) a += (n[i] /= size) * g[i];
        for (int i = 0; a < 0.0 && i < 3; ++i) n[i] = -n[i];
        a = fabs(a);
        int step = (int)dice_between(&d, 1.0, 6.0);
        double width = exp(dice_between(&d, log(0.02), log(0.9))), from = dice_between(&d, 0.0, 0.95 - width),
               t1 = (step + 0.02 + from) * h, t2 = t1 + width * h, normal = 0.0, through[3];
        for (int i = 0; i < 3; ++i) normal += n[i] * v[i];
        for (int i = 0; i < 3; ++i) {
            v[i] += (-0.5 * a * (t1 + t2) - normal) * n[i];
            through[i] = x[i] - 0.5 * a * t1 * t2 * n[i];
        }
        char text[1000];
        snprintf(text, sizeof text,
                 "gravity: [%.17g, %.17g, %.17g]\nbodies:\n"
                 "  p: {solid: {sphere: {radius: 1 cm, mass: 1}}, position: [%.17g, %.17g, %.17g],\n"
                 "      velocity: [%.17g, %.17g, %.17g]}\n"
                 "  b: {solid: {sphere: {radius: 5, mass: 2}}, position: [%.17g, %.17g, %.17g]}\n"
                 "contacts:\n  - {body: p, at: origin, plane: {through: [%.17g, %.17g, %.17g], normal: "
                 "[%.17g, %.17g, %.17g]}}\n%s"
                 "simulate: {step: %.17g, steps: 8, scheme: %s}\n",
                 g[0], g[1], g[2], x[0], x[1], x[2], v[0], v[1], v[2], 5.0 * n[0], 5.0 * n[1], 5.0 * n[2],
                 through[0], through[1], through[2], n[0], n[1], n[2],
                 k % 3 == 0 ? "  - {body: b, behaviour: sticking, closed: true, keep: true, plane: {}}\n"
                            : "",
                 h, schemes[k / 3 % 3]);
        if (k % 3 ==
            0) { /* the ball rolls on the plane through the origin that gravity presses it away from */
            char plane[200], *at = strstr(text, "plane: {}}");
            snprintf(plane, sizeof plane, "plane: {normal: [%.17g, %.17g, %.17g]}}\n", n[0], n[1], n[2]);
            memmove(at + strlen(plane), at + strlen("plane: {}}\n"), strlen(at + strlen("plane: {}}\n")) + 1);
            memcpy(at, plane, strlen(plane));
        }
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK);
        missed += events_of(&r) == 0;
        if (events_of(&r) > 0) CHECK_NEAR(event(&r, 0)->time, t1, 1e-12 / (0.5 * a * (t2 - t1)) + 1e-14);
        end_trial(&r);
    }
    CHECK(missed == 0);
}

/* The gap of an ellipsoid is no distance; speeds and impulses are those of the momentum all the same. */
TEST(impulses_at_an_ellipsoid_are_those_of_the_momentum)
{
    trial r = begin_trial("points: {a: {mass: 3, position: [0, 0.1], velocity: [1, 0.2]}}\n"
                          "contacts: [{body: a, ellipsoid: {axes: [2, 1], inside: true}, restitution: 0.5}]\n"
                          "simulate: {step: 10 ms, duration: 6}\n");
    run(&r);
    CHECK(r.status == AC_OK && events_of(&r) > 2);
    for (int k = 0; k < events_of(&r); ++k) {
        const ac_contact_event *e = event(&r, k);
        double speed = 0.0;
        for (int i = 0; i < 2; ++i) {
            CHECK_NEAR(e->impulse[i], e->momentum_after[i] - e->momentum_before[i], 1e-13);
            speed += e->normal[i] * e->momentum_before[i] / 3.0;
        }
        CHECK_NEAR(e->approach, speed, 1e-13);
        CHECK_NEAR(e->separation, -0.5 * speed, 1e-13);
        CHECK_NEAR(e->normal_impulse, -3.0 * 1.5 * speed, 1e-12);
    }
    end_trial(&r);
}

/* A corner that is released because it pulls, and goes into the plate at once, is pressed: it has no time of impact. */
TEST(a_contact_that_returns_at_once_is_pressed)
{
    trial r = begin_trial(
        "gravity: [0, 0, -9.81]\nbodies:\n"
        "  c0: {solid: {box: {size: [0.41, 0.48, 0.41], mass: 0.81}}, position: [0, 0, 0.73], rotation: "
        "[0.594, -0.971, "
        "-0.675], velocity: [-0.774, -0.543, 0.359], angular_velocity: [4.878, 0.981, 4.518]}\n"
        "  c1: {solid: {box: {size: [0.54, 0.10, 0.36], mass: 2.49}}, position: [1.2, 0, 1.19], rotation: "
        "[0.376, 1.417, "
        "0.363], velocity: [-0.537, 0.409, 0.478], angular_velocity: [-2.141, 3.765, -0.634]}\n"
        "  plate: {solid: {box: {size: [3, 3, 0.05], mass: 11.8}}, position: [0.5, 0, 0]}\n"
        "joints: [{revolute: [ground, plate], at: {ground: [0.5, 0, 0], plate: [0, 0, 0]}, axis: [0, 1, 0], "
        "name: hinge}]\n"
        "springs: [{joint: hinge, stiffness: 129.581, damping: 3.40483}]\ncontacts:\n"
        "  - {body: c0, at: corners, plane: {on: plate, through: [0, 0, 0.025], normal: [0, 0, 1]}, "
        "behaviour: sliding}\n"
        "  - {body: c1, at: corners, plane: {on: plate, through: [0, 0, 0.025], normal: [0, 0, 1]}, "
        "behaviour: sticking}\n"
        "simulate: {step: 10 ms, duration: 0.6, scheme: energy-momentum}\n");
    double least = run(&r);
    CHECK(r.status == AC_OK && least > -1e-10);
    end_trial(&r);
}

/* --- checks --- */

/* A rod that stands on its end, which is kept: turning fast it pulls, falling from rest it needs friction. */
static void check_doubt(const char *rate, ac_contact_violation_kind kind, const char *words)
{
    char text[1024], said[512], all[8192] = "";
    snprintf(
        text, sizeof text,
        "gravity: [0, -9.81]\nplanar_bodies:\n"
        "  rod: {mass: 1, inertia: =1/12, points: {end: [-0.5, 0]}, position: [\"=0.5*cos(1)\", "
        "\"=0.5*sin(1)\"], angle: 1 rad, velocity: [\"=-0.5*sin(1)*w\", \"=0.5*cos(1)*w\"], "
        "angular_velocity: =w}\nparameters: {w: %s}\n"
        "contacts: [{body: rod, at: end, behaviour: sticking, closed: true, keep: true, friction: 0.1}]\n"
        "simulate: {step: 1 ms, duration: 0.1}\n",
        rate);
    trial r = begin_trial(text);
    run(&r);
    CHECK(r.status == AC_OK);
    for (int k = 0; ac_simulation_contact_remark(r.sim, k, said, sizeof said); ++k) strcat(all, said);
    CHECK(strstr(all, words) != NULL);
    /* from the first node to the last, as one violation */
    CHECK(ac_simulation_contact_violations(r.sim) == 1);
    ac_contact_violation v = ac_simulation_contact_violation(r.sim, 0);
    CHECK(v.kind == kind && v.contact == 0 && v.nodes == 100 && isfinite(v.worst) && v.worst > 0.0);
    CHECK_NEAR(v.from, 0.0, 1e-15);
    CHECK_NEAR(v.until, 0.099, 1e-12);
    CHECK(ac_simulation_contact_violation(r.sim, 1).contact == -1);
    end_trial(&r);
}

static int violations_of(const trial *r, ac_contact_violation_kind kind)
{
    int found = 0;
    for (int k = 0; r->sim && k < ac_simulation_contact_violations(r->sim); ++k)
        found += ac_simulation_contact_violation(r->sim, k).kind == kind;
    return found;
}

static bool says(const trial *r, const char *words)
{
    char text[512];
    for (int k = 0; r->sim && ac_simulation_contact_remark(r->sim, k, text, sizeof text); ++k)
        if (strstr(text, words)) return true;
    return false;
}

/* A box of width w and height h whose last corner carries slides without a unique force where mu > (4 w^2 + h^2)/(3 w h); what its
 * other corners hold does not count. In space the corners of one side carry together. */
TEST(painleve_of_boxes_on_their_corners)
{
    static const char *const behaviours[] = {"behaviour: sticking", "behaviour: sliding", "restitution: 0"};
    dice d = {4711};
    for (int k = 0; k < 60; ++k) {
        double w = dice_between(&d, 0.1, 1.0), h = w * exp(dice_between(&d, -1.0, 2.0)),
               limit = (4.0 * w * w + h * h) / (3.0 * w * h), mu = limit * (k % 2 ? 1.01 : 0.99);
        char text[600];
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\nplanar_bodies:\n"
                 "  crate: {solid: {box: {size: [%.17g, %.17g, 0.1], mass: 2}}, position: [0, %.17g]}\n"
                 "contacts: [{body: crate, at: corners, %s, friction: %.17g}]\n"
                 "simulate: {step: 1 ms, duration: 5 ms}\n",
                 w, h, 0.5 * h, behaviours[k % 3], mu);
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK);
        CHECK((violations_of(&r, AC_VIOLATION_PAINLEVE) > 0) == (mu > limit));
        CHECK(says(&r, "friction has no effect") == (k % 3 > 0));
        end_trial(&r);
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\nbodies:\n"
                 "  crate: {solid: {box: {size: [%.17g, %.17g, %.17g], mass: 2}}, position: [0, 0, %.17g]}\n"
                 "contacts: [{body: crate, at: corners, %s, friction: 0.6}]\n"
                 "simulate: {step: 1 ms, duration: 5 ms}\n",
                 w, dice_between(&d, 0.1, 1.0), h, 0.5 * h, behaviours[k % 3]);
        r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK && violations_of(&r, AC_VIOLATION_PAINLEVE) == 0);
        end_trial(&r);
    }
}

/* A ball that strikes with the slip u and sticks: L_t/L_n = 2 u/(7 v). */
TEST(impulses_of_impacts_are_compared_with_friction)
{
    dice d = {815};
    for (int k = 0; k < 20; ++k) {
        double u = dice_between(&d, 1.0, 6.0), v = dice_between(&d, 1.0, 3.0), needed = 2.0 * u / (7.0 * v);
        char text[400];
        snprintf(
            text, sizeof text,
            "bodies: {ball: {solid: {sphere: {radius: 0.15, mass: 2}}, position: [0, 0, 0.2], velocity: "
            "[%.17g, 0, %.17g]}}\n"
            "contacts: [{body: ball, plane: {normal: [0, 0, 1]}, behaviour: sticking, friction: %.17g}]\n"
            "simulate: {step: 1 ms, duration: 0.1}\n",
            u, -v, needed * (k % 2 ? 1.001 : 0.999));
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK && violations_of(&r, AC_VIOLATION_SLIPS) == (k % 2 == 0));
        if (k % 2 == 0) CHECK_NEAR(ac_simulation_contact_violation(r.sim, 0).worst, needed, 1e-9);
        end_trial(&r);
    }
}

/* What lies on the floor and sticks at once loses the velocity of its touching point; what slides or rolls does not. */
TEST(start_velocities_that_a_contact_removes_are_reported)
{
    static const struct {
        const char *behaviour, *spin;
        double removed;
    } cases[] = {{"behaviour: sticking", "0", 1.5},
                 {"behaviour: sticking", "7.5", 0.0},
                 {"behaviour: sliding", "0", 0.0},
                 {"restitution: 0", "0", 0.0},
                 {"restitution: 0.5", "3", 0.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[400];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, -9.81]\n"
                 "bodies: {ball: {solid: {sphere: {radius: 0.2, mass: 3}}, position: [0, 0, 0.2], velocity: "
                 "[1.5, 0, 0], angular_velocity: [0, %s, 0]}}\n"
                 "contacts: [{body: ball, %s}]\nsimulate: {step: 1 ms, duration: 0.01}\n",
                 cases[k].spin, cases[k].behaviour);
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK && violations_of(&r, AC_VIOLATION_START) == (cases[k].removed > 0.0));
        if (cases[k].removed > 0.0) {
            CHECK_NEAR(ac_simulation_contact_violation(r.sim, 0).worst, cases[k].removed, 1e-9);
            CHECK(says(&r, "velocities of the start"));
        }
        end_trial(&r);
    }
}

TEST(friction_and_pull_are_reported)
{
    check_doubt("8", AC_VIOLATION_PULLS, "although it pulls");
    check_doubt("0", AC_VIOLATION_SLIPS, "more friction than its coefficient");
}

/* A rod that flies up at 3 m/s while its end starts stuck: the contact takes that motion, and says so. */
TEST(velocities_that_a_closed_contact_stops_are_reported)
{
    for (int k = 0; k < 2; ++k) {
        char text[512], said[512] = "";
        snprintf(text, sizeof text,
                 "gravity: [0, -9.81]\nplanar_bodies:\n"
                 "  rod: {mass: 1, inertia: =1/12, points: {end: [-0.5, 0]}, position: [0.5, 0], velocity: "
                 "[0, %s], "
                 "angular_velocity: 6}\n"
                 "contacts: [{body: rod, at: end, behaviour: sticking, closed: true}]\n"
                 "simulate: {step: 1 ms, duration: 0.01}\n",
                 k == 0 ? "3" : "6");
        trial r = begin_trial(text);
        run(&r);
        CHECK(r.status == AC_OK);
        bool any = ac_simulation_contact_remark(r.sim, 0, said, sizeof said);
        CHECK(any == (k == 1));
        if (any) {
            ac_contact_violation v = ac_simulation_contact_violation(r.sim, 0);
            CHECK(strstr(said, "starts closed, but the velocities of the start move it") != NULL);
            CHECK(v.kind == AC_VIOLATION_START && v.contact == 0 && v.nodes == 1);
            CHECK_NEAR(v.worst, 3.0, 1e-12);
        }
        end_trial(&r);
    }
}

/* A node is recorded with the momentum after its impact, and the next one, between steps of different lengths, with its own: a
 * ball that stays on the floor has none, a knee that locks turns both links at one speed. */
static void check_at_rest(const char *text, const char *const channels[2], double tolerance)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    record run = {0};
    int seen = 0;
    CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem) == AC_OK);
    CHECK(record_open(&run, ctx, ac_problem_system(problem), ac_problem_simulation(problem)) == AC_OK);
    while (seen < 4 && record_steps(&run, 1) == AC_OK && record_node(&run, false) == AC_OK) {
        if (ac_simulation_contact_events(run.simulation) == 0) continue;
        double other = channels[1] ? *record_at(&run, channels[1]) : 0.0;
        CHECK_NEAR(record_at(&run, channels[0])[channels[1] ? 0 : 2], other, tolerance);
        ++seen;
    }
    CHECK(seen == 4);
    record_close(&run);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(nodes_are_recorded_with_the_momentum_after_their_impact)
{
    static const char ball[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies: {ball: {solid: {sphere: {radius: 0.1, mass: 1}}, position: [0, 0, 0.6], velocity: [1, 0, "
        "0]}}\n"
        "contacts: [{body: ball, restitution: 0, tangential: 1}]\nsimulate: {step: 1 ms, duration: 1}\n";
    static const char knee[] =
        "gravity: [0, -9.81]\nplanar_bodies:\n  upper: {solid: {rod: {length: 1, mass: 1}}}\n"
        "  lower: {solid: {rod: {length: 1, mass: 1}}}\njoints:\n"
        "  - {revolute: [ground, upper], at: {upper: start}, angle: =-pi/2+0.9, name: hip}\n"
        "  - {revolute: [upper, lower], at: {upper: end, lower: start}, angle: 0.7, name: knee}\n"
        "contacts: [{joint: knee, lower: 0, behaviour: latch}]\nsimulate: {step: 1 ms, duration: 1}\n";
    check_at_rest(ball, (const char *const[2]){"body/ball/velocity", NULL}, 1e-12);
    check_at_rest(knee, (const char *const[2]){"body/upper/angular_velocity", "body/lower/angular_velocity"},
                  2e-5);
}

/* Both feet of a walker take over from each other. The second touches down so softly that it comes to rest, and the first is pressed
 * all the same: both stay, which is reported. Each used to release the other for ever. */
TEST(a_foot_that_is_pressed_after_its_release_stays)
{
    trial r = begin_trial(
        "gravity: [0.069, -9.81]\nparameters: {a: 0.1284, L: 0.626, w: -1.890}\nplanar_bodies:\n"
        "  st: {mass: 1, inertia: 0.02, points: {foot: [0, =-L/2], hip: [0, =L/2]}, position: "
        "[\"=-L/2*sin(a)\", "
        "\"=L/2*cos(a)\"], angle: =a, velocity: [\"=-w*L/2*cos(a)\", \"=-w*L/2*sin(a)\"], angular_velocity: "
        "=w}\n"
        "  sw: {mass: 1, inertia: 0.02, points: {foot: [0, =-L/2], hip: [0, =L/2]}}\n"
        "joints: [{revolute: [st, sw], at: {st: hip, sw: hip}, angle: -0.257, angle_rate: 0.61}]\ncontacts:\n"
        "  - {body: st, at: foot, plane: {normal: [0, 1]}, name: A, release: B, closed: true}\n"
        "  - {body: sw, at: foot, plane: {normal: [0, 1]}, name: B, release: A, until_open: true}\n"
        "simulate: {step: 10 ms, duration: 0.5, scheme: energy-momentum}\n");
    run(&r);
    CHECK(r.status == AC_OK);
    const ac_touch *touches = r.sim->stepper.impacts->touches;
    CHECK(touches[0].closed && touches[1].closed);
    char text[512] = "", all[2048] = "";
    for (int k = 0; ac_simulation_contact_remark(r.sim, k, text, sizeof text); ++k) strcat(all, text);
    CHECK(strstr(all, "was to be released but does not move away") != NULL);
    end_trial(&r);
}

/* What starts in the ground and is ignored there is reported from the first node on; the remark counts all contacts. */
TEST(penetration_at_the_start_is_reported)
{
    trial r = begin_trial(
        "points:\n  a: {mass: 1, position: [0, -0.01], velocity: [0, 3]}\n"
        "  b: {mass: 1, position: [1, -0.002], velocity: [0, 3]}\n"
        "contacts:\n  - {body: a, plane: {normal: [0, 1]}, until_open: true}\n"
        "  - {body: b, plane: {normal: [0, 1]}, until_open: true}\nsimulate: {step: 10 ms, duration: 0.1}\n");
    run(&r);
    CHECK(r.status == AC_OK && ac_simulation_contact_violations(r.sim) == 2);
    for (int k = 0; k < 2; ++k) {
        ac_contact_violation v = ac_simulation_contact_violation(r.sim, k);
        CHECK(v.kind == AC_VIOLATION_PENETRATION && v.from == 0.0 && v.nodes == 1);
        CHECK_NEAR(v.worst, v.contact == 0 ? 0.01 : 0.002, 1e-15);
    }
    char text[512] = "";
    CHECK(ac_simulation_contact_remark(r.sim, 0, text, sizeof text));
    CHECK(strstr(text, "'a-ground'") != NULL && strstr(text, "with 1 other contact") != NULL);
    end_trial(&r);
}

/* --- derivatives --- */

TEST(gradients_of_gaps)
{
    trial r = begin_trial(
        "bodies:\n  a: {solid: {box: {size: [1, 2, 3], mass: 1}}, position: [0, 0, 5], rotation: [0.3, 0.2, "
        "0]}\n"
        "  b: {solid: {box: {size: [1, 2, 3], mass: 1}}, position: [0, 1, 0], rotation: [0.1, 0.2, 0.7]}\n"
        "contacts: [{body: a, at: [0.1, 0.2, 0.3], plane: {on: b, normal: [1, 2, 5], through: [0, 0, 1]}},\n"
        "  {body: a, at: [0.1, 0.2, 0.3], radius: 0.1, sphere: {on: b, radius: 0.2, at: [0.1, 0, 0]}},\n"
        "  {body: a, at: [0.1, 0.2, 0.3], ellipsoid: {on: b, axes: [1, 2, 3]}}]\n"
        "simulate: {step: 1 ms, steps: 1}\n");
    CHECK(r.status == AC_OK);
    const ac_system *system = ac_problem_system(r.problem);
    double q[24], gradient[24];
    for (int c = 0; r.status == AC_OK && c < 3; ++c) {
        memcpy(q, system->initial.q, sizeof q);
        ac_gap_value(system, &system->contacts[c], q, NULL, gradient);
        for (int i = 0; i < 24; ++i) {
            double h = 1e-5, kept = q[i];
            q[i] = kept + h;
            double up = ac_gap_value(system, &system->contacts[c], q, NULL, NULL);
            q[i] = kept - h;
            double down = ac_gap_value(system, &system->contacts[c], q, NULL, NULL);
            q[i] = kept;
            CHECK_NEAR(gradient[i], (up - down) / (2.0 * h), 1e-8);
        }
    }
    end_trial(&r);
}

/* Both forms of the projection: M P (P^T M P)^-1 P^T and 1 - G^T (G M^-1 G^T)^-1 G M^-1, idempotent. */
TEST(projection_in_null_space_and_multiplier_form)
{
    trial r = begin_trial(
        "gravity: [0, -9.81]\nplanar_bodies:\n"
        "  rod: {mass: 2, inertia: 0.3, points: {end: [-0.5, 0]}, position: [0.5, 0], angle: 0}\n"
        "contacts: [{body: rod, at: end, behaviour: sticking, closed: true}]\n"
        "simulate: {step: 1 ms, steps: 1}\n");
    CHECK(r.status == AC_OK);
    if (r.status == AC_OK) {
        ac_stepper *s = &r.sim->stepper;
        /* velocities (vx, vy, w) of the free rod; G = [1 0 0; 0 1 -1/2] at its end */
        const double v[3] = {0.7, -0.4, 1.1}, M[3] = {2.0, 2.0, 0.3};
        double twist[6] = {v[0], v[1], 0, 0, 0, v[2]}, dq[4], p[4], projected[4], again[4];
        ac_node_tangent(&s->system->nodes[0], s->qa, twist, dq);
        ac_mass_apply(s->system, dq, p);
        CHECK(ac_impacts_project(s, s->qa, p, projected) == AC_OK);
        CHECK(ac_impacts_project(s, s->qa, projected, again) == AC_OK);
        for (int i = 0; i < 4; ++i) CHECK_NEAR(again[i], projected[i], 1e-15);
        double W = 1.0 / M[1] + 0.25 / M[2], lambda = -(v[1] - 0.5 * v[2]) / W;
        CHECK_NEAR(projected[0], 0.0, 1e-15);
        CHECK_NEAR(projected[1], M[1] * v[1] + lambda, 1e-14);
        CHECK_NEAR(projected[3], M[2] * v[2] - 0.5 * lambda,
                   1e-14); /* d = (1, 0): the director's y carries it */
    }
    end_trial(&r);
}

/* --- many mechanisms --- */

static const char *const behaviours[] = {
    "behaviour: elastic",  "restitution: 0.6",   "restitution: 0.4, tangential: 0.5",
    "behaviour: sticking", "behaviour: sliding", "loss: 0.1"};

/* A chain of planar links that falls, with contacts at its ends, joints with stops, now and then a free body. */
static void random_mechanism(dice *d, char *text, size_t size)
{
    int links = 1 + (int)(3.0 * dice_between(d, 0, 1));
    bool hangs = dice_between(d, 0, 1) < 0.5;
    size_t used = (size_t)snprintf(text, size, "gravity: [0, -9.81]\nplanar_bodies:\n");
    for (int k = 1; k <= links; ++k)
        used += (size_t)snprintf(
            text + used, size - used,
            "  l%d: {mass: %.3f, inertia: %.4f, points: {s: [-0.5, 0], e: [0.5, 0]}%s}\n", k,
            dice_between(d, 0.5, 2), dice_between(d, 0.05, 0.2),
            k == 1 && !hangs ? ", position: [0, 4], angle: 0.4, angular_velocity: 1" : "");
    used += (size_t)snprintf(text + used, size - used, "joints:\n");
    if (hangs)
        used += (size_t)snprintf(
            text + used, size - used,
            "  - {revolute: [ground, l1], at: {ground: [0, 2.2], l1: s}, angle: %.3f, name: j1}\n",
            dice_between(d, -0.5, 1));
    else
        used += (size_t)snprintf(text + used, size - used, "  []\n");
    if (!hangs && links > 1) used -= 5;
    for (int k = 2; k <= links; ++k)
        used += (size_t)snprintf(text + used, size - used,
                                 "  - {revolute: [l%d, l%d], at: {l%d: e, l%d: s}, angle: %.3f, name: j%d}\n",
                                 k - 1, k, k - 1, k, dice_between(d, -0.5, 0.5), k);
    used += (size_t)snprintf(text + used, size - used, "contacts:\n");
    for (int k = 1; k <= links; ++k) {
        const char *how = behaviours[(int)(5.999 * dice_between(d, 0, 1))];
        used += (size_t)snprintf(text + used, size - used, "  - {body: l%d, at: e, %s}\n", k, how);
        if (k > 1)
            used += (size_t)snprintf(text + used, size - used,
                                     "  - {joint: j%d, upper: 1.5}\n  - {joint: j%d, lower: "
                                     "-1.5, restitution: 0.3}\n",
                                     k, k);
    }
    snprintf(text + used, size - used, "simulate: {step: 4 ms, duration: 1.5}\n");
}

TEST(a_hundred_random_mechanisms)
{
    dice d = {.state = 7};
    int solved = 0;
    long events = 0;
    for (int k = 0; k < 100; ++k) {
        char text[4096];
        random_mechanism(&d, text, sizeof text);
        trial r = begin_trial(text);
        if (r.status != AC_OK) {
            printf("%s\n%s", ac_context_message(r.ctx), text);
            CHECK(false);
        } else {
            double least = run(&r);
            CHECK_NEAR(fmin(least, 0.0), 0.0, 1e-8);
            if (least < -1e-8) printf("%s\n", text);
            solved += r.status == AC_OK;
            CHECK(r.status == AC_OK || strlen(ac_context_message(r.ctx)) > 20);
            events += events_of(&r);
        }
        end_trial(&r);
    }
    printf("  %d of 100 to the end, %ld events\n", solved, events);
    CHECK(solved >= 97);
}

/* --- bad input --- */

static void check_refused(const char *contact, const char *message)
{
    char text[1024];
    snprintf(text, sizeof text,
             "gravity: [0, -9.81]\nplanar_bodies: {a: {mass: 1, inertia: 1, position: [0, -1], points: {tip: "
             "[0, 2]}}, b: {mass: 1, inertia: 1, position: [5, 5]}}\n"
             "joints: [{revolute: [ground, a], at: [0, -1], name: hinge}]\n"
             "contacts:\n  - %s\nsimulate: {step: 1 ms, steps: 1}\n",
             contact);
    trial r = begin_trial(text);
    CHECK(r.status == AC_BAD_INPUT);
    const char *said = ac_context_message(r.ctx);
    if (!strstr(said, message) || strncmp(said, "test.yaml:5:", 12) != 0)
        printf("%s\n  -> %s\n", contact, said);
    CHECK(strstr(said, message) != NULL);
    CHECK(strncmp(said, "test.yaml:5:", 12) == 0);
    end_trial(&r);
}

TEST(a_free_step_is_refused_with_contacts)
{
    trial r = begin_trial(
        "gravity: [0, -9.81]\npoints: {p: {mass: 1, position: [0, 1]}}\ncontacts: [{body: p}]\n"
        "simulate: {step: 1 ms, steps: 1, free_step: true}\n");
    CHECK(r.status == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(r.ctx), "test.yaml:4:34: a free step cannot be combined with contacts");
    end_trial(&r);
}

TEST(bad_contacts_are_refused_with_their_place)
{
    check_refused("{body: a, at: centre}", "starts in penetration: its gap is -1");
    check_refused("{body: a, at: tip, closed: true}", "is closed at the start, but its gap is 1");
    check_refused("{body: a}", "say where 'a' is struck");
    check_refused("{body: a, at: corners}", "has no box");
    check_refused("{body: ground, at: origin}", "the ground does not strike");
    check_refused("{body: a, at: tip, behaviour: latch}", "only a joint limit can be a latch");
    check_refused("{body: a, at: tip, behaviour: sticking, restitution: 0.5}",
                  "belongs to the behaviour lossy");
    check_refused("{body: a, at: tip, restitution: 1.5}", "must be between 0 and 1");
    check_refused("{body: a, at: tip, restitution: 0.5, loss: 1}", "either restitution or loss");
    check_refused("{body: a, at: tip, behaviour: transfer}", "a transfer needs release");
    check_refused("{body: a, at: tip, release: b}", "there is no contact 'b'");
    check_refused("{body: a, at: tip, release: me, name: me}", "cannot release itself");
    check_refused("{body: a, at: tip, plane: {}, sphere: {}}", "not several");
    check_refused("{body: a, at: tip, lower: 1}", "belong to the limit of a joint");
    check_refused("{joint: hinge}", "exactly one of lower and upper");
    check_refused("{joint: hinge, lower: -1, tangential: 0.5}", "no tangential direction");
    check_refused("{joint: hinge, lower: -1, at: tip}", "belongs to a contact of a body");
    check_refused("{at: tip}", "either body or joint");
    check_refused("{body: a, at: tip, ignore: 3}", "ignore must be");
    check_refused("{body: a, at: tip, ignore: [0.2, 0.1]}", "ends before it begins");
    check_refused("{body: a, at: tip, ignore: [[0, 0.1], [0.5, 0.4]]}", "ends before it begins");
    check_refused("{body: a, at: tip, sphere: {radius: 0}}", "the two radii");
    check_refused("{body: a, at: tip, radius: 0.1, sphere: {on: b}}", "'b' is not one sphere");
    check_refused("{body: a, at: tip, behaviour: sliding, energy: nodes}",
                  "belongs to the behaviours elastic and lossy");
    check_refused("{body: a, at: tip, plane: {on: a, normal: [1, 0]}}", "cannot strike itself");
}

RUN_TESTS(CASE(energies_of_intervals_agree_at_an_elastic_impact),
          CASE(a_wind_along_the_floor_changes_no_bounce), CASE(ten_thousand_bounces_without_drift),
          CASE(an_elliptic_billiard_is_exact), CASE(spheres_exchange_momentum),
          CASE(impacts_at_one_instant_follow_one_another), CASE(contacts_at_one_instant_strike_together),
          CASE(balls_that_land_together_lose_their_own_energy),
          CASE(what_is_struck_from_above_stays_on_the_floor),
          CASE(tangential_velocity_and_given_energy_are_lost),
          CASE(the_law_of_tangential_loss_where_motions_are_coupled),
          CASE(tangential_loss_where_joints_leave_no_motion), CASE(spheres_that_stick_roll),
          CASE(spheres_that_spin_roll_to_second_order), CASE(windows_begin_and_end_within_steps),
          CASE(straight_shots_never_miss), CASE(parabolic_dips_within_a_step_are_never_missed),
          CASE(impulses_at_an_ellipsoid_are_those_of_the_momentum),
          CASE(a_contact_that_returns_at_once_is_pressed),
          CASE(sticking_contacts_open_within_the_step_to_second_order),
          CASE(bounces_end_in_rest_that_ends_when_it_is_pulled), CASE(what_lies_on_the_floor_stays),
          CASE(four_corners_hold_what_three_cannot), CASE(a_crate_falls_on_its_corners_and_comes_to_rest),
          CASE(a_four_bar_meets_a_stop), CASE(a_contact_is_ignored_in_its_window_and_until_it_opens),
          CASE(a_fast_body_is_not_missed), CASE(friction_and_pull_are_reported),
          CASE(painleve_of_boxes_on_their_corners), CASE(impulses_of_impacts_are_compared_with_friction),
          CASE(start_velocities_that_a_contact_removes_are_reported),
          CASE(velocities_that_a_closed_contact_stops_are_reported),
          CASE(nodes_are_recorded_with_the_momentum_after_their_impact),
          CASE(a_foot_that_is_pressed_after_its_release_stays), CASE(penetration_at_the_start_is_reported),
          CASE(gradients_of_gaps), CASE(projection_in_null_space_and_multiplier_form),
          CASE(a_hundred_random_mechanisms), CASE(a_free_step_is_refused_with_contacts),
          CASE(bad_contacts_are_refused_with_their_place))
