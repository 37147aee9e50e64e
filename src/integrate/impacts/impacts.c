/* The stepper of a system with contacts: making it, one interval, moving on. */
#include "integrate/impacts/impacts.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

/* Gaps below this part of the size of the system are closed. */
static const double TOUCH = 1e-12;

static ac_status refuse_what_cannot_be(ac_stepper *s)
{
    const ac_system *system = s->system;
    for (int c = 0; c < system->contact_count; ++c)
        for (int k = 0; k < system->contacts[c].release_count; ++k) {
            int other = system->contacts[c].release[k];
            if (other < 0 || other >= system->contact_count || other == c)
                return ac_fail(s->ctx, AC_BAD_INPUT, "contact '%s' releases a contact that does not exist",
                               system->contacts[c].name);
        }
    return AC_OK;
}

/* Are contacts that start closed closed, and the others open? */
static ac_status begin(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    const ac_system *system = s->system;
    double size = system->length_scale;
    for (int i = 0; i < system->n; ++i) size = ac_max(size, fabs(system->initial.q[i]));
    im->touch = TOUCH * size;
    for (int c = 0; c < system->contact_count; ++c) {
        const ac_contact *contact = &system->contacts[c];
        ac_touch *touch = &im->touches[c];
        touch->gap = ac_gap_value(system, contact, s->qa, s->winding, NULL);
        bool shut = fabs(touch->gap) <= 1e3 * im->touch; /* as well as places are written */
        touch->armed = !contact->until_open || touch->gap > im->touch;
        if (contact->closed && fabs(touch->gap) > 1e-6 * size)
            return ac_fail(s->ctx, AC_BAD_INPUT, "contact '%s' must start closed, but its gap is %.6g",
                           contact->name, touch->gap);
        if (contact->closed) {
            bool slides = contact->behaviour == AC_SLIDING || contact->behaviour == AC_ELASTIC ||
                          contact->behaviour == AC_LOSSY;
            ac_touch_close(im, c, s->qa, !slides);
            continue;
        }
        if (touch->gap < 0.0 && !shut && touch->armed && ac_resolve_watched(im, c, 0.0))
            return ac_fail(
                s->ctx, AC_BAD_INPUT,
                "contact '%s' starts in penetration: its gap is %.6g; move the bodies apart, or let the "
                "contact be ignored at the start (until_open, ignore)",
                contact->name, touch->gap);
        if (shut) im->touch = ac_max(im->touch, 2.0 * fabs(touch->gap));
        if (touch->gap < 0.0 && !shut) ac_impacts_flag(im, AC_VIOLATION_PENETRATION, c, s->t, -touch->gap);
    }
    return AC_OK;
}

/* Closed contacts that the velocities of the start would move. */
static void check_start(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    const double *v = s->system->initial.v;
    double fastest = 0.0;
    for (int i = 0; i < s->system->n; ++i) fastest = ac_max(fastest, fabs(v[i]));
    for (int c = 0, row = 0; c < s->system->contact_count; ++c) {
        double square = 0.0;
        int rows = im->touches[c].rows > 0 ? im->touches[c].rows : 1;
        if (!im->touches[c].closed) continue;
        for (int k = 0; k < rows; ++k, ++row) {
            double rate = 0.0;
            ac_touch_gradient(im, row, s->qa, im->gradient);
            for (int i = 0; i < s->system->n; ++i) rate += im->gradient[i] * v[i];
            if (k == 0) rate /= ac_gap_steepness(s->system, &s->system->contacts[c], s->qa);
            square += rate * rate;
        }
        if (sqrt(square) > AC_SLOW_START * fastest)
            ac_impacts_flag(im, AC_VIOLATION_START, c, s->t, sqrt(square));
    }
}

/* Velocities of the start that closed contacts allow. */
static ac_status begin_momentum(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    if (s->more.count == 0) return AC_OK;
    check_start(im);
    return ac_impacts_project(s, s->qa, s->p, s->p);
}

ac_status ac_impacts_create(ac_stepper *s, const ac_simulation_settings *settings)
{
    const ac_system *system = s->system;
    ac_impacts *im;
    AC_TRY(refuse_what_cannot_be(s));
    AC_NEW(s->ctx, im, 1);
    s->impacts = im;
    im->stepper = s;
    im->mesh_h = settings->step;
    int most = AC_TOUCH_ROWS * system->contact_count;
    s->more = (ac_more_rows){.most = most,
                             .user = im,
                             .values = ac_touch_values,
                             .jacobian = ac_touch_jacobian,
                             .slot = ac_touch_slot,
                             .nodes = ac_touch_nodes,
                             .gradient = ac_touch_gradient,
                             .curvature = ac_touch_curvature};
    AC_NEW(s->ctx, im->touches, system->contact_count);
    AC_NEW(s->ctx, im->were_closed, system->contact_count);
    AC_NEW(s->ctx, im->resting, system->contact_count);
    AC_NEW(s->ctx, im->striking, system->contact_count);
    AC_TRY(ac_jump_create(s, most, &im->jump));
    AC_TRY(ac_spread_create(s, im->jump.most_rows, im->jump.freedoms, &im->spread));
    size_t n = (size_t)system->tree.freedoms;
    AC_NEW(s->ctx, im->p, system->n);
    AC_NEW(s->ctx, im->push, system->n);
    AC_NEW(s->ctx, im->gradient, system->n);
    AC_NEW(s->ctx, im->speeds, system->n);
    AC_NEW(s->ctx, im->ahead.speeds, system->n);
    AC_NEW(s->ctx, im->p_before, system->n);
    AC_NEW(s->ctx, im->rates_before, n);
    AC_NEW(s->ctx, im->rates, n);
    AC_NEW(s->ctx, im->work, n);
    AC_NEW(s->ctx, im->before, n);
    AC_NEW(s->ctx, im->carried, n);
    AC_NEW(s->ctx, im->rows, (2 * AC_TOUCH_ROWS + 1) * n);
    AC_NEW(s->ctx, im->lambda, im->jump.most_rows);
    AC_NEW(s->ctx, im->ahead.leaving, im->jump.most_rows);
    AC_NEW(s->ctx, im->ahead.arriving, im->jump.most_rows);
    AC_NEW(s->ctx, im->ahead.forces[0], system->contact_count);
    AC_NEW(s->ctx, im->ahead.forces[1], system->contact_count);
    AC_NEW(s->ctx, im->ahead.kept, system->contact_count);
    s->rates = im->rates;
    s->speeds = im->speeds;
    AC_TRY(begin(im));
    return begin_momentum(im);
}

ac_status ac_impacts_restart(ac_stepper *s)
{
    ac_impacts *im = s->impacts;
    if (!im) return AC_OK;
    s->h = im->mesh_h;
    s->more.count = 0;
    memset(im->touches, 0, (size_t)s->system->contact_count * sizeof *im->touches);
    memset(im->violations, 0, sizeof im->violations);
    im->mesh_step = 0;
    im->event_count = im->ended_count = im->at_this_step = 0;
    im->earlier = (ac_event_totals){0};
    im->balance = im->to_mesh = im->energy_known = false;
    AC_TRY(begin(im));
    return begin_momentum(im);
}

void ac_impacts_destroy(ac_stepper *s)
{
    ac_impacts *im = s->impacts;
    if (!im) return;
    void *blocks[] = {im->touches,
                      im->p,
                      im->push,
                      im->gradient,
                      im->rates,
                      im->work,
                      im->rows,
                      im->before,
                      im->lambda,
                      im->carried,
                      im->events,
                      im->speeds,
                      im->p_before,
                      im->rates_before,
                      im->ahead.speeds,
                      im->ahead.leaving,
                      im->ahead.arriving,
                      im->ahead.forces[0],
                      im->ahead.forces[1],
                      im->ahead.kept};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, im->were_closed);
    ac_release(s->ctx, im->resting);
    ac_release(s->ctx, im->striking);
    ac_spread_destroy(s->ctx, &im->spread);
    ac_release(s->ctx, im->ended);
    ac_jump_destroy(s->ctx, &im->jump);
    ac_release(s->ctx, im);
    s->impacts = NULL;
}

ac_status ac_impacts_solve(ac_stepper *s)
{
    ac_impacts *im = s->impacts;
    const double *carried = s->formulation->carried(s);
    size_t bytes = (size_t)im->jump.freedoms * sizeof *im->carried;
    if (carried) memcpy(im->carried, carried, bytes);
    AC_TRY(ac_strike_all(im));
    for (int c = 0; c < s->system->contact_count; ++c) {
        im->touches[c].left = im->touches[c].leaving;
        bool opens = im->touches[c].opens && im->touches[c].closed;
        im->touches[c].opens = false;
        if (opens) AC_TRY(ac_strike_open(im, c));
    }
    AC_TRY(ac_resolve_next(im));
    return ac_impacts_check(im);
}

void ac_impacts_advance(ac_stepper *s)
{
    ac_impacts *im = s->impacts;
    if (!im || !im->to_mesh) return;
    ++im->mesh_step;
    im->at_this_step = 0;
    for (int c = 0; c < s->system->contact_count; ++c) im->touches[c].bounces = 0;
}

long ac_impacts_mesh_steps(const ac_stepper *s, bool solved)
{
    return s->impacts->mesh_step + (solved && s->impacts->to_mesh ? 1 : 0);
}

ac_status ac_impacts_project(ac_stepper *s, const double *q, const double *p, double *projected)
{
    ac_impacts *im = s->impacts;
    ac_touch_roll(im, q);
    AC_TRY(ac_jump_open(im, q));
    ac_jump_rates(im, q, p, im->before);
    ac_jump_momentum(im, q, im->before, projected);
    return AC_OK;
}

ac_event_totals ac_impacts_totals(const ac_impacts *im)
{
    ac_event_totals t = im->earlier;
    t.events += im->event_count;
    for (int k = 0; k < im->event_count; ++k) {
        const ac_contact_event *e = &im->events[k];
        t.loss += e->energy_before - e->energy_after;
        if (e->kind > AC_EVENT_TRANSFER) continue;
        if (t.impacts++ == 0) t.first = e->time;
    }
    return t;
}

const char *ac_contact_event_name(ac_contact_event_kind kind)
{
    static const char *const names[] = {"impact", "closes", "transfer", "rests", "opens"};
    return (int)kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}
