/* When a gap closes: the length of the interval is the unknown.
 *
 * The interval to the next node of the mesh is solved first. If a gap is negative at its end, or a cubic through
 * both ends, with the rates of these nodes, dips below zero, the length h_1 is sought for which the smallest of these gaps vanishes: regula falsi
 * (Illinois), each evaluation being a solved step of that length. The projected step equation has the form
 * a/h_1 + b h_1 = c; the root in (0, h] is bracketed, the other one never met. A gap that was zero at q_a and opens
 * has a root there, too: the bracket then begins where a parabola through its ends is highest.
 *
 * Bounces that grow ever shorter end: when all that are left would take less than a step, T/(1 - e) < h with the
 * next flight T, the contact comes to rest. So does one that has bounced MOST_BOUNCES times within a step: elastic
 * bounces off light or flexible bodies may accumulate, too.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/impacts/impacts.h"
#include "math/math.h"

/* Flights of elastic bounces below this part of a step are rest. */
static const double RESTING = 1e-6;
static const double PULL = 1e-9;
/* A gap that approaches its surface can be lost in a step only if it is smaller than so many times its way at the first rate. */
static const double FAR = 2.0;
/* Coordinates are known to so many rounding errors. */
static const double ULPS = 4.0;
enum {
    MOST_EVALUATIONS = 100,
    MOST_IMPACTS = 1000,
    MOST_BALANCES = 30,
    MOST_BOUNCES = 100,
    MOST_RESTS = 100
};

static double interval_energy(const ac_stepper *s)
{
    return ac_stepper_kinetic(s) + s->scheme->potential(&s->interval);
}

static ac_status solve_plain(ac_impacts *im, double h)
{
    ac_stepper *s = im->stepper;
    double *carried = s->formulation->carried(s);
    if (carried) memcpy(carried, im->carried, (size_t)im->jump.freedoms * sizeof *carried);
    if (h != s->h) s->past = 0;
    s->h = h;
    s->end = s->t + h;
    im->ahead.known = false;
    return ac_stepper_solve(s);
}

/* What rounding of the coordinates does to the energy of the interval: dE = p . dq / h. */
static double energy_rounding(const ac_stepper *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->system->n; ++i) sum += fabs(s->interval.momentum[i] * s->qb[i]);
    return ULPS * DBL_EPSILON * sum / s->h;
}

/* Scales the normal impulse by 1 + x until the energies of both intervals agree. */
static ac_status solve_balanced(ac_impacts *im, double h)
{
    ac_stepper *s = im->stepper;
    int n = s->system->n;
    double x = 0.0, last_x = 0.0, last = 0.0, slope = im->slope;
    double scale = fabs(im->target) + im->slope;
    for (int k = 0; k < MOST_BALANCES; ++k) {
        for (int i = 0; i < n; ++i) s->p[i] = im->p[i] + x * im->push[i];
        AC_TRY(solve_plain(im, h));
        double error = interval_energy(s) - im->target;
        if (k > 0 && x != last_x && error != last) slope = (error - last) / (x - last_x);
        if (fabs(error) <= 4e-16 * scale ||
            (k > 0 && fabs(error) >= fabs(last) && fabs(error) < 1e-13 * scale))
            return AC_OK;
        last_x = x;
        last = error;
        x -= error / slope;
        if (!(fabs(x) < 0.5) || !(slope > 0.0)) break;
        if (x == last_x) return AC_OK;
    }
    if (fabs(last) < ac_max(1e-12 * scale, energy_rounding(s))) return AC_OK;
    ac_impacts_flag(im, AC_VIOLATION_ENERGY, im->events[im->event_count - 1].contact, s->t, fabs(last));
    im->balance = false;
    memcpy(s->p, im->p, (size_t)n * sizeof *s->p);
    return solve_plain(im, h);
}

ac_status ac_resolve_interval(ac_impacts *im, double h)
{
    ac_touch_spin(im);
    if (im->balance) return solve_balanced(im, h);
    memcpy(im->stepper->p, im->p, (size_t)im->stepper->system->n * sizeof *im->p);
    return solve_plain(im, h);
}

bool ac_resolve_watched(const ac_impacts *im, int contact, double t)
{
    const ac_contact *c = &im->stepper->system->contacts[contact];
    for (int k = 0; k < c->window_count; ++k)
        if (t >= c->windows[k][0] && t <= c->windows[k][1]) return false;
    return true;
}

/* --- gaps on a solved interval --- */

static double gap_at_end(const ac_impacts *im, int contact)
{
    const ac_stepper *s = im->stepper;
    return ac_gap_value(s->system, &s->system->contacts[contact], s->qb, s->winding, NULL);
}

/* Is a contact ignored from q_a to the next node of the mesh? */
static bool ignored_throughout(const ac_impacts *im, int contact)
{
    const ac_contact *c = &im->stepper->system->contacts[contact];
    for (int k = 0; k < c->window_count; ++k)
        if (im->stepper->t >= c->windows[k][0] && im->mesh_end <= c->windows[k][1]) return true;
    return false;
}

static bool counts(const ac_impacts *im, int contact)
{
    const ac_touch *touch = &im->touches[contact];
    return !touch->closed && touch->armed && !touch->passes && !ignored_throughout(im, contact);
}

/* Neither opens nor closes: its neighbour holds it. */
static bool touches_throughout(const ac_impacts *im, int contact, double gap)
{
    const ac_touch *touch = &im->touches[contact];
    return touch->gap <= im->touch && fabs(gap) <= im->touch &&
           fabs(touch->rate) * im->mesh_h <= 100.0 * im->touch;
}

/* The smallest gap at q_b of those that count, and whose it is. */
static double smallest_gap(const ac_impacts *im, int *contact)
{
    const ac_stepper *s = im->stepper;
    double least = INFINITY;
    *contact = AC_NOT_MOVING;
    for (int c = 0; c < s->system->contact_count; ++c) {
        if (!counts(im, c)) continue;
        double gap = gap_at_end(im, c);
        if (gap >= least) continue;
        if (touches_throughout(im, c, gap)) continue;
        least = gap;
        *contact = c;
    }
    return least;
}

/* Rate of a gap at q_b. */
static ac_status rate_at_end(ac_impacts *im, int contact, double *rate)
{
    const ac_stepper *s = im->stepper;
    if (!im->ahead.known) AC_TRY(ac_jump_ahead(im));
    im->ahead.known = true;
    ac_gap_value(s->system, &s->system->contacts[contact], s->qb, s->winding, im->gradient);
    *rate = 0.0;
    for (int i = 0; i < s->system->n; ++i) *rate += im->gradient[i] * im->ahead.speeds[i];
    return AC_OK;
}

/* Where the cubic through both ends of a gap, with its rates, is lowest, as a part of h; 0 if it stays positive:
 * a + m0 x + c x^2 + d x^3 at x = -m0 / (c + sqrt(c^2 - 3 d m0)). */
static double dip(double a, double va, double b, double vb, double h)
{
    if (!(va < 0.0 && vb > 0.0)) return 0.0;
    double m0 = h * va, m1 = h * vb, c = 3.0 * (b - a) - 2.0 * m0 - m1, d = 2.0 * (a - b) + m0 + m1;
    double x = -m0 / (c + sqrt(ac_max(0.0, c * c - 3.0 * d * m0)));
    if (!(x > 0.0 && x < 1.0)) return 0.0;
    return a + x * (m0 + x * (c + x * d)) < 0.0 ? x : 0.0;
}

/* A length after which a gap seems to be negative although both ends of the interval are open; 0: it does not. A gap that is far
 * larger than its way in the interval is not looked at. */
static ac_status suspect(ac_impacts *im, int contact, double h, double *length)
{
    const ac_stepper *s = im->stepper;
    const ac_touch *touch = &im->touches[contact];
    double x = 0.0, rate;
    *length = 0.0;
    if (!counts(im, contact) || touch->gap <= im->touch) return AC_OK;
    if (ac_gap_crossed(s->system, &s->system->contacts[contact], s->qa, s->qb, &x)) {
        *length = x * h;
        return AC_OK;
    }
    if (touch->gap + FAR * touch->rate * h > 0.0) return AC_OK;
    AC_TRY(rate_at_end(im, contact, &rate));
    *length = h * dip(touch->gap, touch->rate, gap_at_end(im, contact), rate, h);
    return AC_OK;
}

/* A length below h after which a gap is negative although both ends of the interval are open; 0 if there is none. What is
 * suspected is tried, the first first; `tried` is the length up to which all are refuted. */
static ac_status find_dip(ac_impacts *im, double h, double *length)
{
    double tried = 0.0, first = INFINITY;
    *length = 0.0;
    while (first > tried) {
        int contact;
        first = INFINITY;
        for (int c = 0; c < im->stepper->system->contact_count; ++c) {
            double at;
            AC_TRY(suspect(im, c, h, &at));
            if (at > tried) first = ac_min(first, at);
        }
        if (!isfinite(first)) return AC_OK;
        AC_TRY(ac_resolve_interval(im, first));
        if (smallest_gap(im, &contact) < 0.0) {
            *length = first;
            return AC_OK;
        }
        tried = first;
        AC_TRY(ac_resolve_interval(im, h));
    }
    return AC_OK;
}

/* --- the root --- */

/* Between lengths with a positive and a negative smallest gap; leaves the interval that ends at the impact. A gap that was zero
 * at q_a and is negative from then on has no root: that contact is pressed. */
static ac_status find_root(ac_impacts *im, double low, double f_low, double high, double f_high, int *pressed)
{
    ac_stepper *s = im->stepper;
    double goal = 1e-2 * im->touch;
    int side = 0, below = AC_NOT_MOVING;
    *pressed = AC_NOT_MOVING;
    for (int k = 0; k < MOST_EVALUATIONS; ++k) {
        double h = (f_low * high - f_high * low) / (f_low - f_high);
        bool slow = k > 12 && k % 3 == 0;
        if (slow || !(h > low && h < high)) h = 0.5 * (low + high);
        if (!(h > low && h < high)) break;
        int contact;
        AC_TRY(ac_resolve_interval(im, h));
        double f = smallest_gap(im, &contact);
        if (fabs(f) <= goal) return AC_OK;
        if (f > 0.0) {
            if (side > 0) f_high *= 0.5;
            low = h;
            f_low = f;
            side = 1;
        } else {
            if (side < 0) f_low *= 0.5;
            high = h;
            f_high = f;
            side = -1;
            below = contact;
        }
    }
    int contact;
    double f = smallest_gap(im, &contact);
    if (fabs(f) <= im->touch) return AC_OK;
    if (below >= 0 && im->touches[below].gap <= im->touch) {
        *pressed = below;
        return AC_OK;
    }
    return ac_fail(
        s->ctx, AC_NOT_CONVERGED,
        "step %ld, t = %.9g s: the time at which contact '%s' closes was not found; try a smaller step",
        s->step + 1, s->t, contact >= 0 ? s->system->contacts[contact].name : "");
}

/* A gap that is closed at q_a and negative at q_b: does it fly in between? The length at which it is highest, or 0:
 * it is pressed. */
static double flight(const ac_impacts *im, int contact, double gap, double h)
{
    const ac_touch *touch = &im->touches[contact];
    double v = touch->rate, a = 2.0 * (gap - touch->gap - v * h) / (h * h);
    if (!(v > 0.0) || !(a < 0.0)) return 0.0;
    return ac_min(-v / a, 0.5 * h);
}

/* Does what is left of the bounces count as rest? */
static bool rests(const ac_impacts *im, int contact, double highest)
{
    const ac_contact *c = &im->stepper->system->contacts[contact];
    double e = c->behaviour == AC_LOSSY ? c->restitution : 1.0;
    if (highest <= RESTING * im->mesh_h || im->touches[contact].bounces >= MOST_BOUNCES) return true;
    if (c->behaviour == AC_ELASTIC) return false;
    if (c->behaviour != AC_LOSSY || c->loss >= 0.0) return 2.0 * highest < 0.5 * im->mesh_h;
    return e < 1.0 && 2.0 * highest < (1.0 - e) * im->mesh_h;
}

/* Contacts that are closed at q_a but do not count as such, and are pressed, come to rest; false: there are none. Of the
 * others the time at which the gap is highest. */
static bool pressed(ac_impacts *im, double h, double *bracket)
{
    const ac_stepper *s = im->stepper;
    bool any = false;
    *bracket = 0.0;
    for (int c = 0; c < s->system->contact_count; ++c) {
        const ac_touch *touch = &im->touches[c];
        im->resting[c] = false;
        if (!counts(im, c) || touch->gap > im->touch) continue;
        double gap = gap_at_end(im, c);
        if (gap >= -im->touch) continue;
        double highest = flight(im, c, gap, h);
        im->resting[c] = rests(im, c, highest);
        any = any || im->resting[c];
        if (!im->resting[c]) *bracket = *bracket > 0.0 ? ac_min(*bracket, highest) : highest;
    }
    return any;
}

static ac_status rest_all(ac_impacts *im)
{
    for (int c = 0; c < im->stepper->system->contact_count; ++c)
        if (im->resting[c]) AC_TRY(ac_strike_rest(im, c));
    return AC_OK;
}

/* Shortens the lower end of the bracket until all gaps are open there; 0: a contact is pressed after all. */
static ac_status open_bracket(ac_impacts *im, double *low, double *f_low)
{
    int contact;
    for (; *low > AC_SHORT_INTERVAL * im->mesh_h; *low *= 0.5) {
        AC_TRY(ac_resolve_interval(im, *low));
        *f_low = smallest_gap(im, &contact);
        if (*f_low > 0.0) return AC_OK;
    }
    *low = 0.0;
    return AC_OK;
}

static double gap_at_start(const ac_impacts *im)
{
    double least = INFINITY;
    for (int c = 0; c < im->stepper->system->contact_count; ++c)
        if (counts(im, c) && im->touches[c].gap > im->touch) least = ac_min(least, im->touches[c].gap);
    return least;
}

/* A contact that closes at q_b in a window in which it is ignored does not count in this step; false: there is none. */
static bool pass_ignored(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    bool any = false;
    for (int c = 0; c < s->system->contact_count; ++c) {
        if (!counts(im, c) || ac_resolve_watched(im, c, s->end) || gap_at_end(im, c) > im->touch) continue;
        any = im->touches[c].passes = true;
    }
    return any;
}

/* The first impact on the interval of length h, whose end is q_b now. `again`: a contact has come to rest instead, or is ignored
 * from then on. */
static ac_status find_impact(ac_impacts *im, double h, bool *hit, bool *again)
{
    int contact;
    double bracket = 0.0, low = 0.0, f_low = gap_at_start(im), high = h, f_high = smallest_gap(im, &contact);
    *hit = *again = false;
    if (pressed(im, h, &bracket)) {
        *again = true;
        return rest_all(im);
    }
    if (f_high >= -im->touch) {
        AC_TRY(find_dip(im, h, &high));
        if (high == 0.0) return AC_OK;
        f_high = smallest_gap(im, &contact);
    }
    if (bracket > 0.0) {
        low = bracket;
        AC_TRY(open_bracket(im, &low, &f_low));
        if (low == 0.0) {
            AC_TRY(ac_resolve_interval(im, high));
            smallest_gap(im, &contact);
            *again = true;
            return ac_strike_rest(im, contact);
        }
    }
    for (int tries = 0; tries < 8; ++tries) { /* another gap may dip before the one that was found */
        int rests;
        AC_TRY(find_root(im, low, f_low, high, f_high, &rests));
        if (rests >= 0) {
            *again = true;
            return ac_strike_rest(im, rests);
        }
        double h1 = im->stepper->h, length = 0.0;
        AC_TRY(find_dip(im, h1, &length));
        *again = length == 0.0 && pass_ignored(im);
        *hit = !*again;
        if (length == 0.0) return AC_OK;
        high = length;
        f_high = smallest_gap(im, &contact);
        low = ac_min(low, 0.5 * high);
        if (low > 0.0) AC_TRY(open_bracket(im, &low, &f_low));
    }
    return AC_OK;
}

/* --- contacts that pull --- */

/* The closed contact that pulls most on the solved interval; AC_NOT_MOVING if none does. */
static int pulling(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    double most = 0.0, least = 0.0, *lambda = im->lambda;
    int found = AC_NOT_MOVING;
    if (s->more.count == 0) return found;
    s->formulation->impulses(s, lambda);
    ac_spread_impulses(im, -1.0, lambda);
    for (int k = 0; k < im->jump.rows; ++k) most = ac_max(most, fabs(lambda[k]));
    for (int c = 0; c < s->system->contact_count; ++c) {
        const ac_contact *contact = &s->system->contacts[c];
        if (!im->touches[c].closed) continue;
        double own = im->touches[c].impulse = -lambda[ac_touch_first_row(im, c)];
        if (contact->keep || contact->behaviour == AC_LATCH) continue;
        if (im->touches[c].released >= AC_MOST_RELEASES) continue;
        if (im->touches[c].opening > 0.0 && isfinite(im->touches[c].opening)) continue;
        if (im->touches[c].opening == 0.0) own = ac_min(own, -2.0 * PULL * most);
        if (own < least && own < -PULL * most) {
            least = own;
            found = c;
        }
    }
    return found;
}

/* Solves the interval of length h; contacts that pull open, one after the other. `length`: a sticking contact opens before. */
static ac_status solve_pushing(ac_impacts *im, double h, double *length)
{
    int contact, first = AC_NOT_MOVING;
    do {
        AC_TRY(ac_resolve_interval(im, h));
        AC_TRY(ac_opening_find(im, h));
        contact = pulling(im);
        if (contact != AC_NOT_MOVING) AC_TRY(ac_strike_open(im, contact));
    } while (contact != AC_NOT_MOVING);
    *length = h;
    for (int c = 0; c < im->stepper->system->contact_count; ++c) {
        ac_touch *touch = &im->touches[c];
        touch->opens = false;
        if (!touch->closed || !(touch->opening > 0.0 && touch->opening < *length)) continue;
        *length = touch->opening;
        first = c;
    }
    if (first == AC_NOT_MOVING) return AC_OK;
    im->touches[first].opens = true;
    return ac_resolve_interval(im, *length);
}

ac_status ac_resolve_next(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    double end = (double)(im->mesh_step + 1) * im->mesh_h, h = end - s->t, length = h;
    bool on_mesh = s->t == (double)im->mesh_step * im->mesh_h;
    if (on_mesh) h = im->mesh_h;
    if (im->at_this_step > MOST_IMPACTS)
        return ac_fail(
            s->ctx, AC_NOT_CONVERGED,
            "step %ld, t = %.9g s: more than %d impacts in one step; a smaller step, or a little loss "
            "in contact '%s', lets them end",
            s->step + 1, s->t, MOST_IMPACTS,
            s->system->contacts[im->event_count > 0 ? im->events[im->event_count - 1].contact : 0].name);
    bool hit = false, again = true;
    im->mesh_end = end;
    for (int rests = 0; again;
         ++rests) { /* a contact is released a few times only, and rests only when it is open */
        if (rests > MOST_RESTS + 3 * s->system->contact_count)
            return ac_fail(
                s->ctx, AC_NOT_CONVERGED,
                "step %ld, t = %.9g s: which contacts are closed was not found; try a smaller step",
                s->step + 1, s->t);
        AC_TRY(solve_pushing(im, h, &length));
        AC_TRY(find_impact(im, length, &hit, &again));
    }
    for (int c = 0; hit && c < s->system->contact_count; ++c) im->touches[c].opens = false;
    bool whole = !hit && length == h;
    im->to_mesh = whole || end - s->end <= AC_SHORT_INTERVAL * im->mesh_h;
    if (whole) s->end = end;
    im->energy = interval_energy(s);
    im->energy_known = true;
    return AC_OK;
}
