/* What a phase holds, and what strikes at its end, as contacts of the collision integrator.
 *
 * Places of one point along all directions: the point sticks. Along one direction: it slides on a plane. A joint coordinate: the
 * joint is locked. The value of a place is a linear form of the configuration, n . (c + sum x_J d_J): normal and point are read
 * from it, also where bodies swap and mirror at the junction. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "optimize/replay/replay.h"

static const double SAME = 1e-9;

/* A place along a direction, or a joint coordinate. */
typedef struct anchor {
    int node;
    double place[3], normal[3];
    int joint, coordinate; /* joint -1: it is a place */
} anchor;

static bool same_point(const anchor *a, const anchor *b)
{
    if (a->joint >= 0 || b->joint >= 0) return a->joint == b->joint && a->coordinate == b->coordinate;
    double gap[3];
    sub3(a->place, b->place, gap);
    return a->node == b->node && norm3(gap) <= SAME;
}

/* x of n . (c + sum x_J d_J) from the coefficients of the directors; false: it is not of that form. */
static bool read_place(const ac_node *node, const double *at, anchor *a)
{
    const double *n = a->normal, *d = at + node->dimension;
    memset(a->place, 0, sizeof a->place);
    if (node->kind == AC_NODE_POINT) return true;
    if (node->kind == AC_NODE_PLANAR) {
        a->place[0] = d[0] * n[0] + d[1] * n[1];
        a->place[1] = d[0] * n[1] - d[1] * n[0];
        return true;
    }
    if (node->kind != AC_NODE_BODY) return false;
    for (int J = 0; J < 3; ++J) {
        a->place[J] = dot3(d + 3 * J, n);
        for (int k = 0; k < 3; ++k)
            if (fabs(d[3 * J + k] - a->place[J] * n[k]) > SAME) return false;
    }
    return true;
}

/* A linear form of one node. */
static bool read_form(const ac_system *system, const double *gradient, anchor *a)
{
    *a = (anchor){.node = -1, .joint = -1};
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        bool touched = false;
        for (int c = node->q; c < node->q + node->size; ++c) touched = touched || fabs(gradient[c]) > SAME;
        if (!touched) continue;
        if (a->node >= 0) return false;
        a->node = i;
        for (int c = 0; c < node->dimension; ++c) a->normal[c] = gradient[node->q + c];
        if (fabs(norm3(a->normal) - 1.0) > SAME || !read_place(node, gradient + node->q, a)) return false;
    }
    return a->node >= 0;
}

static bool read_measure(const ac_system *system, int measure, anchor *a)
{
    *a = (anchor){.node = -1, .joint = -1};
    for (int j = 0; j < system->joint_count; ++j) {
        int first = system->joints[j].first_measure;
        if (first >= 0 && measure >= first &&
            (a->joint < 0 || first > system->joints[a->joint].first_measure)) {
            a->joint = j;
            a->coordinate = measure - first;
        }
    }
    return a->joint >= 0;
}

/* Is the quantity the same function before the map of a junction? */
static bool is_unmoved(const ac_strike_end *end)
{
    const ac_junction_data *j = end->junction;
    for (int e = 0; e < j->map_count; ++e)
        if (j->map[e].to != j->map[e].from) return false;
    return !j->shift;
}

typedef struct builder {
    const ac_replay_phase *r;
    ac_contact *contacts;
    int count;
    double *gradient;
    anchor anchors[AC_REPLAY_CONTACTS]; /* of the contacts that are closed */
} builder;

static bool refuse(const builder *b, const char *what, const char *name)
{
    snprintf(b->r->remark, AC_REPLAY_REMARK_SIZE, "%s '%.80s'", what, name);
    return false;
}

static const char UNKNOWN_HOLD[] = "the collision integrator has no contact that holds";

static bool held_anchor(const builder *b, int hold, anchor *a)
{
    const ac_optimization *phase = b->r->phase;
    const ac_scalars *scalars = &phase->description.scalars;
    int scalar = phase->description.phase.holds[hold];
    double own[AC_SCALAR_MAX], hessian[AC_SCALAR_MAX * AC_SCALAR_MAX];
    if (scalars->list[scalar].measure >= 0 && read_measure(phase->system, scalars->list[scalar].measure, a))
        return true;
    ac_scalar_evaluate(scalars, scalar, b->r->point->q, phase->point.scalar_windings[scalar], own, hessian);
    int count = scalars->list[scalar].plain;
    memset(b->gradient, 0, (size_t)phase->system->n * sizeof *b->gradient);
    for (int i = 0; i < count; ++i) b->gradient[ac_scalar_coordinates(scalars, scalar)[i]] = own[i];
    bool linear = true;
    for (int i = 0; i < count; ++i)
        for (int l = 0; l < count; ++l)
            linear = linear && hessian[i * scalars->list[scalar].count + l] == 0.0;
    return linear && read_form(phase->system, b->gradient, a);
}

static double along_normal(const ac_system *system, const anchor *a, const double *q)
{
    const ac_node *node = &system->nodes[a->node];
    const double *x = q + node->q, *d = x + node->dimension;
    double place[3] = {0.0};
    for (int c = 0; c < node->dimension; ++c) place[c] = x[c];
    if (node->kind == AC_NODE_PLANAR) {
        place[0] += a->place[0] * d[0] - a->place[1] * d[1];
        place[1] += a->place[0] * d[1] + a->place[1] * d[0];
    }
    for (int J = 0; node->kind == AC_NODE_BODY && J < 3; ++J)
        for (int c = 0; c < 3; ++c) place[c] += a->place[J] * d[3 * J + c];
    return dot3(a->normal, place);
}

/* A plane where the point is at q. */
static void put_plane(const ac_system *system, const anchor *a, const double *q, ac_contact *c)
{
    c->surface = AC_SURFACE_PLANE;
    c->point.node = a->node;
    memcpy(c->point.place, a->place, sizeof a->place);
    c->other.node = AC_GROUND;
    double level = along_normal(system, a, q);
    for (int k = 0; k < 3; ++k) {
        c->normal[k] = a->normal[k];
        c->other.place[k] = level * a->normal[k];
    }
}

/* Of the directions in which a point is held: the one that pushes, or the one that points upwards. */
static double claim(const ac_optimization *phase, int hold, const anchor *a)
{
    const bool *pushes = phase->description.phase.pushes;
    double weight = norm3(phase->system->gravity);
    return (pushes && pushes[hold] ? 2.0 : 0.0) +
           (weight > 0.0 ? fabs(dot3(phase->system->gravity, a->normal)) / weight : 0.0);
}

/* All quantities of one point that the phase holds, `hold` being the first of them. */
static bool add_held(builder *b, int hold, anchor *first)
{
    const ac_optimization *phase = b->r->phase;
    const ac_system *system = phase->system;
    const char *name = ac_optimization_hold_name(phase, hold);
    if (b->count == AC_REPLAY_CONTACTS - 1) return refuse(b, "there are too many contacts from", name);
    ac_contact *c = &b->contacts[b->count];
    *c = ac_contact_default();
    c->name = name;
    c->closed = c->keep = true;
    b->anchors[b->count++] = *first;
    if (first->joint >= 0) {
        int scalar = phase->description.phase.holds[hold];
        c->surface = AC_SURFACE_LIMIT;
        c->behaviour = AC_LATCH;
        c->joint = first->joint;
        c->coordinate = first->coordinate;
        c->limit = ac_scalar_evaluate(&phase->description.scalars, scalar, b->r->point->q,
                                      phase->point.scalar_windings[scalar], NULL, NULL);
        return true;
    }
    int directions = 0;
    double best = -1.0;
    anchor other;
    for (int k = 0; k < phase->description.phase.hold_count; ++k) {
        if (!held_anchor(b, k, &other) || !same_point(first, &other)) continue;
        ++directions;
        if (claim(phase, k, &other) <= best) continue;
        best = claim(phase, k, &other);
        memcpy(first->normal, other.normal, sizeof other.normal);
        c->name = ac_optimization_hold_name(phase, k);
    }
    put_plane(system, first, b->r->point->q, c);
    c->behaviour = directions == 1 ? AC_SLIDING : AC_STICKING;
    if (directions != 1 && directions != system->nodes[first->node].dimension)
        return refuse(b, "the collision integrator has no contact along two of three directions, as at",
                      name);
    return true;
}

static bool add_all_held(builder *b)
{
    const ac_optimization *phase = b->r->phase;
    for (int k = 0; k < phase->description.phase.hold_count; ++k) {
        anchor a;
        bool known = false;
        if (!held_anchor(b, k, &a)) return refuse(b, UNKNOWN_HOLD, ac_optimization_hold_name(phase, k));
        for (int l = 0; l < b->count; ++l) known = known || same_point(&b->anchors[l], &a);
        if (!known && !add_held(b, k, &a)) return false;
    }
    return true;
}

/* --- what strikes --- */

static const char *strike_name(const ac_strike_end *end, int k)
{
    int scalar = ac_strike_end_scalar(end, k);
    const ac_optimization_description *d = &end->next->description;
    for (int q = 0; q < d->quantities.count; ++q)
        if (d->quantities.scalar[q] == scalar) return d->quantities.names[q];
    return "";
}

static bool strike_anchor(const builder *b, int k, anchor *a)
{
    const ac_strike_end *end = b->r->end;
    const ac_system *system = end->phase->system;
    const ac_scalar *scalar = &end->next->description.scalars.list[ac_strike_end_scalar(end, k)];
    if (scalar->measure >= 0) return is_unmoved(end) && read_measure(system, scalar->measure, a);
    /* linear: the same gradient at two configurations */
    const double *q[2] = {ac_q(end->phase, end->phase->layout.N), ac_q(end->phase, 0)};
    anchor other;
    ac_strike_end_gap(end, k, q[1], b->gradient);
    if (!read_form(system, b->gradient, &other)) return false;
    ac_strike_end_gap(end, k, q[0], b->gradient);
    if (!read_form(system, b->gradient, a) || !same_point(a, &other)) return false;
    sub3(a->normal, other.normal, other.normal);
    return norm3(other.normal) <= SAME;
}

/* Does the next phase go on holding this contact? */
static bool is_kept(const builder *b, int contact)
{
    const ac_strike_end *end = b->r->end;
    for (int k = 0; k < end->count; ++k) {
        anchor a;
        if (!end->fresh[k] && strike_anchor(b, k, &a) && same_point(&a, &b->anchors[contact])) return true;
    }
    return false;
}

/* A quantity that bounces, or along which velocity is lost. */
static bool put_bounce(builder *b, int k, ac_contact *c)
{
    const ac_strike_end *end = b->r->end;
    const ac_bounce_data *own = &end->junction->bounce[k - end->next->description.phase.hold_count];
    if (own->normal >= 0) return true; /* the other says how much */
    if (k != end->trigger)
        return refuse(b, "the collision integrator bounces along one direction only, not also that of",
                      strike_name(end, k));
    c->behaviour = AC_LOSSY;
    c->restitution = own->restitution;
    c->loss = own->loss;
    c->tangential = own->tangential;
    return true;
}

/* How what strikes goes on: it bounces, or it is stopped along some directions. */
static bool put_behaviour(builder *b, const anchor *first, ac_contact *c)
{
    const ac_strike_end *end = b->r->end;
    int stopped = 0, bouncing = 0, held = end->next->description.phase.hold_count;
    anchor other;
    for (int k = 0; k < end->count; ++k) {
        if (!end->fresh[k]) continue;
        if (!strike_anchor(b, k, &other) || !same_point(first, &other))
            return refuse(b,
                          "the collision integrator takes one point that strikes at a time, not also that of",
                          strike_name(end, k));
        ++*(k < held ? &stopped : &bouncing);
        if (k >= held && !put_bounce(b, k, c)) return false;
    }
    c->nodal = true; /* junctions balance the energies of the node */
    int dimension = first->joint >= 0 ? 1 : end->phase->system->nodes[first->node].dimension;
    if (bouncing > 0 && (stopped > 0 || (c->tangential != 0.0 && bouncing < dimension)))
        return refuse(b, "the collision integrator has no impact like that of",
                      strike_name(end, end->trigger));
    if (bouncing > 0) return true;
    if (first->joint >= 0) {
        c->behaviour = AC_LATCH;
        return true;
    }
    if (stopped != 1 && stopped != dimension)
        return refuse(b, "the collision integrator has no contact along two of three directions, as at",
                      strike_name(end, end->trigger));
    c->behaviour = stopped == 1 ? AC_SLIDING : AC_STICKING;
    return true;
}

static bool put_releases(builder *b, ac_contact *c)
{
    for (int k = 0; k < b->count; ++k) {
        if (is_kept(b, k)) continue;
        if (c->behaviour == AC_STICKING) c->behaviour = AC_TRANSFER;
        if (c->behaviour != AC_TRANSFER || c->release_count == AC_CONTACT_RELEASES)
            return refuse(b, "the collision integrator releases contacts where a point sticks, not at",
                          c->name);
        c->release[c->release_count++] = k;
    }
    return true;
}

static bool add_strike(builder *b)
{
    const ac_strike_end *end = b->r->end;
    anchor a;
    ac_contact *c = &b->contacts[b->count];
    *c = ac_contact_default();
    c->name = strike_name(end, end->trigger);
    if (!strike_anchor(b, end->trigger, &a))
        return refuse(b, "the collision integrator has no contact that strikes like", c->name);
    if (a.joint >= 0) {
        c->surface = AC_SURFACE_LIMIT;
        c->joint = a.joint;
        c->coordinate = a.coordinate;
        c->upper = end->side < 0.0;
        c->limit = ac_scalar_evaluate(
            &end->next->description.scalars, ac_strike_end_scalar(end, end->trigger), ac_q(end->next, 0),
            end->next->point.scalar_windings[ac_strike_end_scalar(end, end->trigger)], NULL, NULL);
    } else {
        put_plane(end->phase->system, &a, ac_q(end->phase, end->phase->layout.N), c);
        for (int k = 0; end->side < 0.0 && k < 3; ++k) c->normal[k] = -c->normal[k];
    }
    c->until_open = true;
    c->window_count = 1;
    c->windows[0][1] = end->from * ac_optimization_duration(end->phase);
    if (!put_behaviour(b, &a, c) || !put_releases(b, c)) return false;
    ++b->count;
    return true;
}

bool ac_replay_contacts(const ac_replay_phase *r, ac_contact contacts[AC_REPLAY_CONTACTS], int *count)
{
    builder b = {.r = r, .contacts = contacts, .gradient = r->after}; /* not used yet */
    bool known = add_all_held(&b) && (r->end->trigger < 0 || add_strike(&b));
    *count = b.count;
    return known;
}
