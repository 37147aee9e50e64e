/* Forward: the simulation of a system with contacts, recorded.
 *
 * For a given sequence of events the motion is a smooth function of its start, of loads and of parameters. Where the sequence itself
 * hangs by a thread, or where its derivative is not known, there is no gradient, and the reason names the contact and the time.
 */
#include "adjoint/impacts/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/impacts/impacts.h"

double *ac_path_arriving(const ac_adjoint *d, int node)
{
    return ac_path_q(d->path, node) + d->system->n;
}

double *ac_path_leaving(const ac_adjoint *d, int node)
{
    return ac_path_arriving(d, node) + d->system->n;
}

double *ac_path_shown(const ac_adjoint *d, int node)
{
    return ac_path_leaving(d, node) + d->system->n;
}

double *ac_path_winding(const ac_adjoint *d, int node)
{
    return ac_path_shown(d, node) + d->system->n;
}

double *ac_path_escort(const ac_adjoint *d, int node)
{
    return ac_path_winding(d, node) + d->system->measure_count;
}

double *ac_path_closed(const ac_adjoint *d, int node)
{
    return ac_path_escort(d, node) + d->escort.count;
}

/* --- making --- */

static ac_status create_vectors(ac_adjoint *d)
{
    ac_path *path = d->path;
    const size_t n = (size_t)d->system->n, inputs = (size_t)d->input_count + 1;
    double **vectors[] = {&path->bounce.gradient,
                          &path->bounce.a,
                          &path->bounce.v,
                          &path->energy.by_a,
                          &path->energy.by_b,
                          &path->gap,
                          &path->p,

                          &path->by_p,
                          &path->mass,
                          &path->velocity,
                          &path->rest,
                          &path->residual,
                          &path->pulled,
                          &path->weights[0].w,
                          &path->weights[1].w,
                          &path->weights[2].w};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) AC_NEW(d->ctx, *vectors[k], n);
    for (int k = 0; k < AC_PATH_SIDES; ++k) AC_NEW(d->ctx, path->weights[k].y, d->system->tree.freedoms + 1);
    AC_NEW(d->ctx, path->rows, d->system->constraints.count + AC_TOUCH_ROWS * d->system->contact_count + 1);
    AC_NEW(d->ctx, path->anchors, 3 * d->system->contact_count + 1);
    AC_NEW(d->ctx, path->tau_h, inputs);
    AC_NEW(d->ctx, path->tau_t, inputs);
    AC_NEW(d->ctx, path->by_tau, inputs);
    return AC_OK;
}

ac_status ac_path_create(ac_adjoint *d)
{
    const ac_system *system = d->system;
    if (d->at_mean)
        return ac_fail(
            d->ctx, AC_BAD_INPUT,
            "there is no gradient of a motion with contacts in the scheme energy-momentum; choose midpoint "
            "or trapezoidal");
    if (d->chart)
        return ac_fail(
            d->ctx, AC_BAD_INPUT,
            "there is no gradient of a motion with contacts in the formulation '%s'; choose reduced",
            d->forward.formulation->name);
    AC_NEW(d->ctx, d->path, 1);
    d->path->stride = 4 * (size_t)system->n + (size_t)system->measure_count + (size_t)d->escort.count +
                      (size_t)system->contact_count;
    return create_vectors(d);
}

void ac_path_destroy(ac_adjoint *d)
{
    ac_path *path = d->path;
    if (!path) return;
    void *blocks[] = {path->nodes,        path->numbers,      path->bounce.gradient,
                      path->bounce.a,     path->bounce.v,     path->energy.by_a,
                      path->energy.by_b,  path->gap,          path->p,
                      path->by_p,         path->tau_h,        path->tau_t,
                      path->by_tau,       path->weights[0].w, path->weights[1].w,
                      path->weights[2].w, path->weights[0].y, path->weights[1].y,
                      path->weights[2].y, path->slopes,       path->rows,
                      path->mass,         path->velocity,     path->rest,
                      path->residual,     path->anchors,      path->pulled};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(d->ctx, blocks[k]);
    ac_release(d->ctx, path);
    d->path = NULL;
}

/* --- what has no derivative --- */

static const char *name_of(const ac_adjoint *d, int contact)
{
    return d->system->contacts[contact].name;
}

static ac_status refuse(const ac_adjoint *d, int contact, double t, const char *what)
{
    return ac_fail(d->ctx, AC_BAD_INPUT,
                   "there is no gradient of this motion with contacts: contact '%s' %s at t = %.9g s",
                   name_of(d, contact), what, t);
}

/* Where a point sticks to the ground, its rows are linear; elsewhere they are made of more than its place. */
static bool sticks_simply(const ac_contact *c)
{
    return c->surface == AC_SURFACE_LIMIT ||
           (c->surface == AC_SURFACE_PLANE && c->other.node == AC_GROUND && c->radius == 0.0);
}

static const char *unknown_event(const ac_contact *c, ac_contact_event_kind kind)
{
    const bool slides = c->behaviour == AC_SLIDING || c->behaviour == AC_ELASTIC || c->behaviour == AC_LOSSY;
    if (kind == AC_EVENT_IMPACT) return c->tangential > 0.0 ? "strikes with a tangential loss" : NULL;
    if (kind == AC_EVENT_OPENS) return NULL;
    if (c->behaviour == AC_LOSSY && c->tangential > 0.0) return "closes with a tangential loss";
    return slides || sticks_simply(c) ? NULL : "sticks and is no point on the ground";
}

static ac_status refuse_unknown(const ac_adjoint *d, int first)
{
    const ac_impacts *im = d->forward.impacts;
    for (int k = first; k < im->event_count; ++k) {
        const ac_contact_event *own = &im->events[k];
        const char *unknown = unknown_event(&d->system->contacts[own->contact], own->kind);
        char what[160];
        if (!unknown) continue;
        snprintf(what, sizeof what, "%s, whose derivative is not known,", unknown);
        return refuse(d, own->contact, own->time, what);
    }
    return AC_OK;
}

/* Do all events belong to one contact? Are all of them openings, but for a first one that takes over? */
static bool of_one(const ac_impacts *im, int first)
{
    for (int k = first; k < im->event_count; ++k)
        if (im->events[k].contact != im->events[first].contact || im->events[k].kind == AC_EVENT_OPENS)
            return false;
    return true;
}

static bool all_open(const ac_impacts *im, int first)
{
    for (int k = first + (im->events[first].kind == AC_EVENT_TRANSFER); k < im->event_count; ++k)
        if (im->events[k].kind != AC_EVENT_OPENS) return false;
    return true;
}

/* Which contacts are closed on the interval just solved; how many of them changed. */
static int take_closed(ac_adjoint *d, ac_path_node *node)
{
    const int k = d->path->count - 1;
    double *closed = ac_path_closed(d, k);
    int changes = 0;
    for (int c = 0; c < d->system->contact_count; ++c) {
        const ac_touch *touch = &d->forward.impacts->touches[c];
        const double before = k > 0 ? ac_path_closed(d, k - 1)[c] : 0.0,
                     from = touch->rows > 0 ? -1.0 - k : 1.0 + k;
        closed[c] = !touch->closed ? 0.0 : before != 0.0 ? before : from;
        if (k > 0) changes += (closed[c] != 0.0) != (before != 0.0);
        node->holds = node->holds || closed[c] != 0.0;
    }
    d->path->held = d->path->held || node->holds;
    return changes;
}

/* Several contacts, or closing and opening, at one instant. */
static ac_status refuse_order(const ac_adjoint *d, int first)
{
    const ac_impacts *im = d->forward.impacts;
    const ac_contact_event *e = &im->events[first];
    int other = first;
    while (other < im->event_count && im->events[other].contact == e->contact) ++other;
    if (other == im->event_count) return refuse(d, e->contact, e->time, "closes and opens at one instant,");
    return ac_fail(
        d->ctx, AC_BAD_INPUT,
        "there is no gradient of this motion with contacts: what happens at contacts '%s' and '%s' at "
        "t = %.9g s depends on which is the first",
        name_of(d, e->contact), name_of(d, im->events[other].contact), e->time);
}

/* What happened at the node from which the interval just solved begins: nothing; one contact bounces, or closes; some open. */
static ac_status take_events(ac_adjoint *d, int first, ac_path_node *node)
{
    const ac_impacts *im = d->forward.impacts;
    const ac_contact_event *e = &im->events[first];
    const int count = im->event_count - first, changes = take_closed(d, node);
    if (count == 0) {
        if (node->closes == AC_NO_CONTACT && changes == 0) return AC_OK;
        return node->closes == AC_NO_CONTACT ? AC_OK
                                             : refuse(d, node->closes, node->t, "touches without an impact");
    }
    AC_TRY(refuse_unknown(d, first));
    if (all_open(im, first)) { /* the momentum is what contacts before allow, then what those behind do */
        const int closes = e->kind == AC_EVENT_TRANSFER ? e->contact : AC_NO_CONTACT;
        if (node->closes != closes)
            return refuse(d, node->closes != AC_NO_CONTACT ? node->closes : closes, node->t,
                          "touches at a time that is not that of its impact");
        if (changes != count) return refuse(d, e->contact, e->time, "opens and closes");
        node->opens = true;
        return AC_OK;
    }
    if (!of_one(im, first)) return refuse_order(d, first);
    if (node->closes != e->contact)
        return refuse(d, e->contact, e->time,
                      "strikes at a time that is not free: it is closed at a node of the mesh");
    if (changes == 1 && node->holds)
        return AC_OK; /* closed from then on: the momentum along its gap does not count */
    if (count > 1 || changes > 0) return refuse(d, e->contact, e->time, "strikes more than once");
    node->bounces = e->contact;
    node->balanced = im->balance;
    return AC_OK;
}

/* The contact that closes where a bounded interval ends. */
static ac_status find_closing(ac_adjoint *d, int *contact)
{
    const ac_stepper *s = &d->forward;
    const ac_impacts *im = s->impacts;
    *contact = AC_NO_CONTACT;
    for (int c = 0; c < d->system->contact_count; ++c) {
        double gap = ac_gap_value(d->system, &d->system->contacts[c], s->qb, s->winding, NULL);
        if (im->touches[c].closed || fabs(gap) > im->touch) continue;
        if (*contact != AC_NO_CONTACT)
            return ac_fail(
                d->ctx, AC_BAD_INPUT,
                "there is no gradient of this motion with contacts: contacts '%s' and '%s' close together "
                "at t = %.9g s",
                name_of(d, *contact), name_of(d, c), s->end);
        *contact = c;
    }
    if (*contact != AC_NO_CONTACT) return AC_OK;
    return ac_fail(
        d->ctx, AC_NOT_CONVERGED,
        "there is no gradient of this motion with contacts: the gap that closes at t = %.9g s was not found "
        "to rounding",
        s->end);
}

/* Fallbacks of the simulator, after which its equations are other ones. */
static ac_status refuse_fallback(ac_adjoint *d, long unbalanced)
{
    const ac_impacts *im = d->forward.impacts;
    const ac_violation_sum *v = &im->violations[AC_VIOLATION_ENERGY];
    if (v->count == unbalanced) return AC_OK;
    return refuse(d, im->events[im->event_count - 1].contact, d->forward.t,
                  "strikes where the energies of the intervals cannot be balanced,");
}

static ac_status refuse_closed(ac_adjoint *d)
{
    const ac_impacts *im = d->forward.impacts;
    const ac_violation_sum *moved = &im->violations[AC_VIOLATION_START];
    if (moved->count > 0)
        return refuse(d, moved->contact, d->forward.t,
                      "is closed, but moved by the velocities of the start,");
    for (int c = 0; c < d->system->contact_count; ++c)
        if (im->touches[c].closed && im->touches[c].rows > 0 && !sticks_simply(&d->system->contacts[c]))
            return refuse(d, c, d->forward.t,
                          "sticks and is no point on the ground, whose derivative is not known,");
    return AC_OK;
}

/* --- recording --- */

static ac_status add_node(ac_adjoint *d, int closes, ac_path_node **node)
{
    ac_path *path = d->path;
    const ac_stepper *s = &d->forward;
    const size_t n = (size_t)d->system->n * sizeof(double);
    int k = path->count;
    AC_TRY(ac_grow(d->ctx, (void **)&path->nodes, &path->capacity, k + 1, sizeof *path->nodes));
    AC_TRY(ac_grow(d->ctx, (void **)&path->numbers, &path->number_capacity, k + 1,
                   path->stride * sizeof(double)));
    if (d->memory > 0 && (size_t)k * path->stride * sizeof(double) > d->memory)
        return ac_fail(
            d->ctx, AC_BAD_INPUT,
            "a motion with contacts is stored whole for its gradient, which needs more than the memory "
            "allowed, %.3g MB",
            (double)d->memory * 1e-6);
    ++path->count;
    *node = &path->nodes[k];
    **node = (ac_path_node){.t = s->t, .closes = closes, .bounces = AC_NO_CONTACT};
    (*node)->number = s->impacts->mesh_step;
    (*node)->on_mesh = k == 0 || s->impacts->to_mesh;
    memcpy(ac_path_q(path, k), s->qa, n);
    memcpy(ac_path_arriving(d, k), s->p, n);
    memcpy(ac_path_leaving(d, k), s->p, n);
    memcpy(ac_path_shown(d, k), s->p, n);
    memcpy(ac_path_winding(d, k), s->winding, (size_t)d->system->measure_count * sizeof(double));
    if (d->escort.count > 0)
        d->escort.pass(d->escort.user, s->qa, s->winding, k > 0 ? ac_path_escort(d, k - 1) : NULL,
                       ac_path_escort(d, k));
    return s->more.count > 0 ? ac_impacts_project(&d->forward, s->qa, s->p, ac_path_shown(d, k)) : AC_OK;
}

/* One interval from the newest node. */
static ac_status record_interval(ac_adjoint *d, ac_path_node *node, int *closes)
{
    ac_stepper *s = &d->forward;
    ac_impacts *im = s->impacts;
    const int events = im->event_count;
    const long unbalanced = im->violations[AC_VIOLATION_ENERGY].count;
    s->interval.tau = d->controls + im->mesh_step * d->control_count;
    AC_TRY(ac_impacts_solve(s));
    ++d->steps_taken;
    AC_TRY(take_events(d, events, node));
    AC_TRY(refuse_fallback(d, unbalanced));
    memcpy(ac_path_leaving(d, d->path->count - 1), s->p, (size_t)d->system->n * sizeof *s->p);
    node->h = s->h;
    node->bounded = s->end != im->mesh_end;
    *closes = AC_NO_CONTACT;
    for (int c = 0; c < d->system->contact_count; ++c)
        if (im->touches[c].opens)
            return refuse(d, c, s->end, "opens while it sticks, whose time has no derivative,");
    return node->bounded ? find_closing(d, closes) : AC_OK;
}

ac_status ac_path_record(ac_adjoint *d)
{
    ac_stepper *s = &d->forward;
    int closes = AC_NO_CONTACT;
    ac_path_node *node;
    d->path->count = 0;
    d->path->held = false;
    d->steps_taken = 0;
    AC_TRY(ac_stepper_restart(s));
    AC_TRY(refuse_closed(d));
    AC_TRY(add_node(d, AC_NO_CONTACT, &node));
    while (s->impacts->mesh_step < d->steps) {
        AC_TRY(record_interval(d, node, &closes));
        ac_impacts_advance(s);
        ac_stepper_advance(s);
        AC_TRY(add_node(d, closes, &node));
    }
    if (closes == AC_NO_CONTACT) return AC_OK;
    return refuse(d, closes, s->t, "strikes at the end of the motion,");
}

bool ac_paths_alike(const ac_adjoint *first, const ac_adjoint *second)
{
    const ac_path *a = first->path, *b = second->path;
    if (!a || !b) return !a && !b;
    if (a->count != b->count) return false;
    for (int k = 0; k < a->count; ++k) {
        const ac_path_node *x = &a->nodes[k], *y = &b->nodes[k];
        if (x->number != y->number || x->on_mesh != y->on_mesh || x->bounded != y->bounded ||
            x->balanced != y->balanced || x->closes != y->closes || x->bounces != y->bounces ||
            x->opens != y->opens || x->holds != y->holds)
            return false;
    }
    return true;
}

/* The coordinate of a joint limit must be measured as it was. */
ac_status ac_path_check_parameter(const ac_adjoint *d, const ac_system_slope *slope)
{
    for (int c = 0; d->path && c < d->system->contact_count; ++c) {
        const ac_contact *contact = &d->system->contacts[c];
        ac_forms forms = {0};
        bool moves = false;
        if (contact->surface != AC_SURFACE_LIMIT) continue;
        int measure = d->system->joints[contact->joint].first_measure + contact->coordinate;
        ac_status status = ac_measure_slope(slope, measure, d->ctx, &forms, &moves);
        ac_forms_free(d->ctx, &forms);
        AC_TRY(status);
        if (moves)
            return ac_fail(
                d->ctx, AC_BAD_INPUT,
                "it moves the joint whose coordinate contact '%s' limits, and the derivative of that is not "
                "known",
                contact->name);
    }
    return AC_OK;
}

void ac_path_value(ac_adjoint *d)
{
    const ac_functional *f = d->functional;
    ac_path *path = d->path;
    d->value = 0.0;
    for (int k = 0; k < path->count; ++k) {
        const ac_path_node *node = &path->nodes[k];
        path->present = k;
        if (f->node && node->on_mesh)
            d->value += f->node(f->user, node->number, node->t, ac_path_q(path, k), ac_path_shown(d, k), NULL,
                                NULL);
        if (k + 1 < path->count) d->value += ac_path_functional(d, k, NULL);
    }
}
