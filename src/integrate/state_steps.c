/* The part of a state that steps of changing length need: which contacts are closed and where, what impacts balance, the
 * lengths of steps, and what was counted so far. It stands behind the history of the formulation, as numbers. */
#include <math.h>
#include <string.h>

#include "integrate/extended.h"
#include "integrate/impacts/impacts.h"
#include "integrate/relations.h"
#include "integrate/state.h"
#include "math/math.h"

/* A closed contact whose rows are violated by more than this part of the size of the system is opened. */
static const double HELD = 1e-6;

typedef struct steps_head {
    double h, h_before, energy;
    double shortest, longest;
    long mesh_step, at_this_step, found, missed;
    ac_event_totals totals;
    ac_violation_sum violations[AC_VIOLATION_COUNT];
} steps_head;

static size_t numbers_of(size_t bytes)
{
    return (bytes + sizeof(double) - 1) / sizeof(double);
}

size_t ac_steps_history(const ac_stepper *s)
{
    if (s->extended) return numbers_of(sizeof(steps_head));
    if (!s->impacts) return ac_relations_history(s);
    return numbers_of(sizeof(steps_head)) + (size_t)s->system->contact_count * numbers_of(sizeof(ac_touch));
}

double ac_steps_nominal(const ac_stepper *s)
{
    return s->impacts ? s->impacts->mesh_h : s->extended ? s->extended->nominal : s->h;
}

double ac_steps_time(const ac_stepper *s, bool solved, double regular)
{
    if (!s->impacts && !s->extended) return regular;
    return solved ? s->end : s->t;
}

static void save_impacts(const ac_stepper *s, bool solved, steps_head *head, double *at)
{
    const ac_impacts *im = s->impacts;
    bool reached = solved && im->to_mesh;
    head->energy = im->energy;
    head->mesh_step = im->mesh_step + (reached ? 1 : 0);
    head->at_this_step = reached ? 0 : im->at_this_step;
    head->totals = ac_impacts_totals(im);
    memcpy(head->violations, im->violations, sizeof head->violations);
    for (int c = 0; c < s->system->contact_count; ++c, at += numbers_of(sizeof(ac_touch))) {
        ac_touch touch = im->touches[c];
        if (reached) touch.bounces = 0;
        memcpy(at, &touch, sizeof touch);
    }
}

void ac_steps_save(const ac_stepper *s, bool solved, double *at)
{
    steps_head head;
    if (s->relations) ac_relations_save(s, solved, at);
    if (s->relations || ac_steps_history(s) == 0) return;
    memset(&head, 0, sizeof head);
    head.h = s->h;
    head.h_before = solved ? s->h : s->h_before;
    if (s->impacts) save_impacts(s, solved, &head, at + numbers_of(sizeof head));
    if (s->extended) {
        head.energy = s->extended->energy;
        head.found = s->extended->found;
        head.missed = s->extended->missed;
        head.shortest = s->extended->shortest;
        head.longest = s->extended->longest;
    }
    memcpy(at, &head, sizeof head);
}

/* Contacts whose partners are elsewhere now, because values of the system were changed meanwhile, are open. */
static void open_violated(ac_stepper *s)
{
    ac_impacts *im = s->impacts;
    double size = s->system->length_scale;
    for (int i = 0; i < s->system->n; ++i) size = ac_max(size, fabs(s->qa[i]));
    ac_touch_count(im);
    ac_touch_values(im, s->qa, im->lambda);
    const double *g = im->lambda;
    for (int c = 0; c < s->system->contact_count; ++c) {
        int rows = !im->touches[c].closed ? 0 : im->touches[c].rows > 0 ? im->touches[c].rows : 1;
        double most = 0.0;
        for (int k = 0; k < rows; ++k) most = ac_max(most, fabs(*g++));
        if (most > HELD * size) im->touches[c].closed = false;
    }
    ac_touch_count(im);
}

void ac_steps_load(ac_stepper *s, const double *at)
{
    steps_head head;
    if (s->relations) ac_relations_load(s, at);
    if (s->relations || ac_steps_history(s) == 0) return;
    memcpy(&head, at, sizeof head);
    s->h = head.h;
    s->h_before = head.h_before;
    if (s->impacts) {
        ac_impacts *im = s->impacts;
        const double *touch = at + numbers_of(sizeof head);
        im->energy = head.energy;
        im->energy_known = true;
        im->mesh_step = head.mesh_step;
        im->at_this_step = (int)head.at_this_step;
        im->earlier = head.totals;
        memcpy(im->violations, head.violations, sizeof im->violations);
        for (int c = 0; c < s->system->contact_count; ++c, touch += numbers_of(sizeof(ac_touch)))
            memcpy(&im->touches[c], touch, sizeof im->touches[c]);
        open_violated(s);
    }
    if (s->extended) {
        s->extended->energy = head.energy;
        s->extended->found = head.found;
        s->extended->missed = head.missed;
        s->extended->shortest = head.shortest;
        s->extended->longest = head.longest;
    }
}

/* Contacts stay as they are in the state; with another configuration or momentum only those that stay closed also when they pull:
 * others that are pressed come to rest again. */
static void keep_contacts(ac_impacts *im, const double *numbers, bool other)
{
    const ac_system *system = im->stepper->system;
    const double *at = numbers + numbers_of(sizeof(steps_head));
    for (int c = 0; c < system->contact_count; ++c, at += numbers_of(sizeof(ac_touch))) {
        ac_touch touch;
        memcpy(&touch, at, sizeof touch);
        if (!other || (touch.closed && system->contacts[c].keep)) im->touches[c] = touch;
    }
    open_violated(im->stepper);
}

void ac_steps_enter(ac_stepper *s, const double *numbers, bool other, bool known)
{
    ac_impacts *im = s->impacts;
    steps_head head = {0};
    if (!im) return;
    for (int c = 0; c < s->system->contact_count; ++c) {
        double gap = ac_gap_value(s->system, &s->system->contacts[c], s->qa, s->winding, NULL);
        im->touches[c] = (ac_touch){.armed = gap > -im->touch, .gap = gap};
    }
    ac_touch_count(im);
    if (numbers) keep_contacts(im, numbers, other);
    if (numbers) memcpy(&head, numbers, sizeof head);
    im->energy = head.energy;
    im->energy_known = numbers && known && s->step > 0;
    if (im->energy_known) s->h_before = head.h_before;
    im->mesh_step = (long)floor(s->t / im->mesh_h * (1.0 + 1e-12) + 1e-9);
}
