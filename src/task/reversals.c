/* Motions that reverse from step to step.
 *
 * A damper with the force f = - D v, alone on what it moves, multiplies the velocity by (1 - x / 2) / (1 + x / 2) in a step
 * of length h, x = h lambda, lambda = f . M^{-1} f / (- f . v) with the inertia that it can move. Beyond x = 2 the velocity
 * alternates; from x = 10 on it does so with two thirds of its size and more. A damper is named if the changes of its rate
 * alternate three times and x is that large: one that holds a motor, or rests, does not ring. The mean velocity of an interval
 * is 2 / x of that at its nodes. Where x is so large that the damper answers to rounding, it can only be told from x.
 *
 * The midpoint rule turns an oscillation of frequency w by theta = 2 atan(h w / 2) in a step. The mean of cos(theta) over a
 * motion, weighted with the kinetic energy, is sum v_a . M v_b / sum v_b . M v_b over consecutive intervals.
 */
#include "task/reversals.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "action/inertia.h"
#include "action/momentum.h"
#include "math/math.h"
#include "observe/simulation.h"

enum { FEW_STEPS = 20, LEAST_STEPS = 8, MANY_NODES = 500, SELDOM = 16, FIRST_ASKED = 16, OFTEN = 1024 };
static const double PI = 3.14159265358979323846;
static const double RINGS = 10.0; /* damping rate times step from which a damper rings visibly */
static const double BLIND = 1e8;  /* ... and from which rounding moves it */
static const double PART = 1e-3;  /* of the velocity: less is not seen */
static const double SEEN = 1e-9;  /* of the typical length, in a step: less is not seen */
static const double NOISE = 64.0; /* times the rounding of a place */

extern const ac_element_kind ac_element_spring;

/* Is the element a part of one beam? */
static bool of_a_beam(const ac_system *system, const ac_element_place *place)
{
    int beam = system->nodes[place->nodes[0]].beam;
    for (int i = 1; i < place->node_count; ++i)
        if (system->nodes[place->nodes[i]].beam != beam) return false;
    return beam >= 0;
}

/* Is element k a damper between bodies, points or the ground? */
static bool is_damper(const ac_system *system, const ac_element_kind *kind, int k)
{
    if (!ac_element_dissipative(kind, system, k)) return false;
    ac_element_place place = ac_element_where(system, kind, k);
    return !of_a_beam(system, &place);
}

static bool has_dampers(const ac_system *system)
{
    for (int t = 0; t < ac_element_kind_count(); ++t)
        for (int k = 0; k < ac_element_kinds[t]->count(system); ++k)
            if (is_damper(system, ac_element_kinds[t], k)) return true;
    return false;
}

ac_status ac_reversals_open(ac_reversals *r, ac_context *ctx, const ac_system *system)
{
    size_t n = (size_t)system->n, beams = (size_t)system->beam_count;
    *r = (ac_reversals){.ctx = ctx, .system = system, .dampers = has_dampers(system)};
    if (!r->dampers && beams == 0) return AC_OK;
    AC_NEW(ctx, r->velocity, 4 * n + 3 * beams);
    r->change = r->velocity + n;
    r->before = r->change + n;
    r->scratch = r->before + n;
    r->along = r->scratch + n;
    r->size = r->along + beams;
    r->last = r->size + beams;
    return AC_OK;
}

void ac_reversals_close(ac_reversals *r)
{
    if (r->ctx) ac_release(r->ctx, r->velocity);
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* ---- dampers ---- */

/* Finds lambda of the force f on the whole system, whose power with the velocity v is negative. */
static ac_status find_rate(const ac_reversals *r, const double *q, const double *f, const double *v,
                           double *lambda)
{
    ac_legendre legendre = {0};
    int n = r->system->n;
    ac_status status = ac_legendre_create(r->ctx, r->system, false, &legendre);
    if (status == AC_OK) status = ac_legendre_project(&legendre, q, f);
    if (status == AC_OK) *lambda = -dot(n, f, legendre.velocity) / dot(n, f, v);
    ac_legendre_destroy(&legendre);
    return status;
}

/* Do the last three changes of the rate of damper k alternate, visibly? Leaves its force at the newest one in f. */
static bool alternates(const ac_reversals *r, const ac_simulation *simulation, const ac_element_kind *kind,
                       int k, const double *q, double f[AC_ELEMENT_MAX])
{
    const ac_system *system = r->system;
    const ac_stepper *s = &simulation->stepper;
    ac_element_place place = ac_element_where(system, kind, k);
    double x[AC_ELEMENT_MAX], now[AC_ELEMENT_MAX], last[AC_ELEMENT_MAX], first[AC_ELEMENT_MAX];
    double most = 0.0, far = system->length_scale;
    ac_element_gather(system, &place, r->change, now);
    ac_element_gather(system, &place, r->before, last);
    ac_element_gather(system, &place, r->scratch, first);
    ac_element_gather(system, &place, q, x);
    for (int i = 0; i < place.size; ++i) most = ac_max(most, fabs(now[i]));
    for (int i = 0; i < place.size; ++i) far = ac_max(far, fabs(x[i]));
    if (!(most * s->h > NOISE * DBL_EPSILON * far)) return false;
    ac_element_force(kind, system, k, x, last, s->winding, f, NULL, NULL);
    if (!(dot(place.size, f, first) > 0.0) || !(dot(place.size, f, now) > 0.0)) return false;
    ac_element_force(kind, system, k, x, now, s->winding, f, NULL, NULL);
    return true;
}

/* x of damper k with the force f at a velocity of the system. */
static ac_status find_product(ac_reversals *r, const ac_simulation *simulation, const ac_element_kind *kind,
                              int k, const double *q, const double *f, const double *v, double *x)
{
    const ac_system *system = r->system;
    ac_element_place place = ac_element_where(system, kind, k);
    double *whole = r->scratch;
    memset(whole, 0, (size_t)system->n * sizeof *whole);
    ac_element_scatter(system, &place, f, 1.0, whole);
    ac_status status = find_rate(r, q, whole, v, x);
    *x *= simulation->stepper.h;
    return status;
}

/* Is damper k, whose rate alternates with the force f, the reason, and does what it moves show it? */
static ac_status consider(ac_reversals *r, const ac_simulation *simulation, const ac_element_kind *kind,
                          int k, const double *q, const double *f)
{
    const ac_system *system = r->system;
    ac_element_place place = ac_element_where(system, kind, k);
    double x = 0.0, change[AC_ELEMENT_MAX], velocity[AC_ELEMENT_MAX], rings = 0.0, moves = 0.0;
    ac_status status = find_product(r, simulation, kind, k, q, f, r->change, &x);
    ++r->asked;
    ac_element_gather(system, &place, r->change, change);
    ac_element_gather(system, &place, r->velocity, velocity);
    for (int i = 0; i < place.size; ++i) {
        rings = ac_max(rings, 0.5 * x * fabs(change[i]));
        moves = ac_max(moves, fabs(velocity[i]));
    }
    if (status == AC_OK && x > RINGS && rings > PART * moves &&
        rings * simulation->stepper.h > SEEN * system->length_scale) {
        r->kind = kind;
        r->damper = k;
    }
    return status == AC_NO_MEMORY ? status : AC_OK; /* where no rate is found no advice is given */
}

/* The changes of the last three intervals are in change, before and scratch. */
static ac_status watch_dampers(ac_reversals *r, const ac_simulation *simulation)
{
    const ac_system *system = r->system;
    const double *q = ac_simulation_previous(simulation);
    double f[AC_ELEMENT_MAX];
    bool due = (system->node_count <= MANY_NODES || r->steps % SELDOM == 0) &&
               (r->asked < FIRST_ASKED || r->steps % OFTEN == 0);
    if (!r->dampers || r->kind || r->steps < 4 || !due) return AC_OK;
    for (int t = 0; t < ac_element_kind_count(); ++t)
        for (int k = 0; k < ac_element_kinds[t]->count(system); ++k) {
            const ac_element_kind *kind = ac_element_kinds[t];
            if (is_damper(system, kind, k) && alternates(r, simulation, kind, k, q, f))
                return consider(r, simulation, kind, k, q, f);
        }
    return AC_OK;
}

void ac_reversals_search(ac_reversals *r, const ac_simulation *simulation)
{
    const ac_system *system = r->system;
    const double *q = ac_simulation_configuration(simulation);
    double largest = BLIND;
    for (int t = 0; t < ac_element_kind_count() && r->dampers && !r->kind; ++t)
        for (int k = 0; k < ac_element_kinds[t]->count(system); ++k) {
            const ac_element_kind *kind = ac_element_kinds[t];
            double x[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX], product = 0.0;
            if (!is_damper(system, kind, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, q, x);
            ac_element_gather(system, &place, r->velocity, v);
            ac_element_force(kind, system, k, x, v, simulation->stepper.winding, f, NULL, NULL);
            ac_status status = find_product(r, simulation, kind, k, q, f, r->velocity, &product);
            if (status != AC_OK || !(product > largest)) continue;
            largest = product;
            r->kind = kind;
            r->damper = k;
        }
}

bool ac_reversals_damper(const ac_reversals *r, char *text, size_t size)
{
    if (!r->kind) return false;
    const char *name = r->kind == &ac_element_spring ? r->system->springs[r->damper].name : "";
    ac_element_place place = ac_element_where(r->system, r->kind, r->damper);
    char node[AC_NODE_WORDS], who[AC_NODE_WORDS + 100];
    if (name[0])
        snprintf(who, sizeof who, "the damper '%.80s'", name);
    else
        snprintf(who, sizeof who, "a damper at %s",
                 ac_node_words(r->system, place.nodes[place.node_count - 1], node));
    snprintf(text, size,
             "%s stops its motion within far less than a step, which then rings from step to step: use a "
             "smaller step or less damping",
             who);
    return true;
}

/* ---- beams ---- */

/* Adds v_a . M v_b of each beam, and the mean of both squares; v_a is r->velocity, v_b is in r->scratch, M v_b in `momentum`. */
static void watch_beams(ac_reversals *r, const double *momentum)
{
    const ac_system *system = r->system;
    for (int b = 0; b < system->beam_count; ++b) {
        double along = 0.0, square = 0.0;
        const ac_beam_data *beam = &system->beams[b];
        for (int k = 0; k < beam->nodes; ++k) {
            const ac_node *node = &system->nodes[beam->first_node + k];
            along += dot(node->size, r->velocity + node->q, momentum + node->q);
            square += dot(node->size, r->scratch + node->q, momentum + node->q);
        }
        if (r->steps > 0) {
            r->along[b] += along;
            r->size[b] += 0.5 * (r->last[b] + square);
        }
        r->last[b] = square;
    }
}

static void remark_beam(const ac_reversals *r, int b, double h, ac_summary *summary)
{
    const ac_beam_data *beam = &r->system->beams[b];
    double cosine = ac_max(-1.0, r->along[b] / r->size[b]), theta = ac_acos(ac_min(cosine, 1.0));
    if (r->steps < 3 || !(r->size[b] > 0.0) || !(theta > 2.0 * PI / LEAST_STEPS)) return;
    double period = PI * h / ac_tan(0.5 * theta);
    ac_summary_note(
        summary, AC_NOTE_REMARK,
        "most of the motion of beam '%.80s' reverses within %.2g steps: oscillations or turns with a period "
        "of about %.2g s, which the step does not resolve; a step of %.2g s makes %d",
        beam->name, PI / theta, period, period / FEW_STEPS, FEW_STEPS);
}

void ac_reversals_remarks(const ac_reversals *r, double h, ac_summary *summary)
{
    for (int b = 0; b < r->system->beam_count && r->velocity; ++b) remark_beam(r, b, h, summary);
}

/* ---- both ---- */

ac_status ac_reversals_watch(ac_reversals *r, const ac_simulation *simulation)
{
    if (!r->velocity) return AC_OK;
    const double *a = ac_simulation_previous(simulation), *b = ac_simulation_configuration(simulation);
    int n = r->system->n;
    for (int i = 0; i < n; ++i) r->scratch[i] = (b[i] - a[i]) / simulation->stepper.h;
    /* the oldest change gives way to the newest one, the newest velocity to the one before */
    double *momentum = simulation->stepper.scratch[0], *oldest = r->before;
    if (r->system->beam_count > 0) {
        ac_mass_apply(r->system, r->scratch, momentum);
        watch_beams(r, momentum);
    }
    for (int i = 0; i < n; ++i) {
        double now = r->scratch[i];
        r->scratch[i] = oldest[i];
        oldest[i] = now - r->velocity[i];
        r->velocity[i] = now;
    }
    r->before = r->change;
    r->change = oldest;
    ++r->steps;
    return watch_dampers(r, simulation);
}
