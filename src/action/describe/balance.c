/* Momentum and energy as functions of configuration, velocity and parameters. The velocity of the first
 * and the last node is the one that the discrete Legendre transform ties to the motion, so M w is the
 * discrete momentum there.
 *
 * All that has mass is a sum of pieces m c x w_j, with m an entry of the mass matrix, c a constant and x
 * one of 1, q_i and w_i. */
#include "action/describe/balance.h"

#include <string.h>

#include "base/vector.h"

ac_status ac_scalars_add_balance(ac_scalars *set, const ac_balance_source *source, int *number)
{
    AC_TRY(ac_grow(set->ctx, (void **)&set->list, &set->capacity, set->count + 1, sizeof *set->list));
    ac_scalar *scalar = &set->list[set->count];
    memset(scalar, 0, sizeof *scalar);
    scalar->start = set->coordinate_count;
    scalar->first_form = set->forms.count;
    scalar->joint = -1;
    AC_NEW(set->ctx, scalar->motion, 1);
    *scalar->motion = *source;
    *number = set->count++;
    return AC_OK;
}

/* --- pieces with mass --- */

typedef struct summing {
    const ac_balance_source *source;
    const ac_discrete *discrete;
    const ac_balance_point *point;
    const ac_balance_sink *sink;
    double sum;
} summing;

static void slope(const summing *s, ac_balance_by by, int i, double value)
{
    if (s->sink && s->sink->slope) s->sink->slope(s->sink->user, by, i, value);
}

static void curve(const summing *s, ac_balance_by by1, int i, ac_balance_by by2, int j, double value)
{
    if (s->sink && s->sink->curve) s->sink->curve(s->sink->user, by1, i, by2, j, value);
}

/* value times the second derivatives of a datum */
static void bend(const summing *s, const ac_jet *jet, double value)
{
    for (int a = 0; jet->dd && a < jet->count; ++a)
        for (int b = 0; b <= a; ++b)
            curve(s, AC_BALANCE_BY_P, jet->by[a], AC_BALANCE_BY_P, jet->by[b],
                  value * jet->dd[a * jet->count + b]);
}

typedef enum other { ONE, PLACE, VELOCITY } other;

/* c x w_j times an entry of the mass matrix, or times what parameters change of it */
typedef struct mass_piece {
    double c;
    other x;
    int i, j;
} mass_piece;

static double other_factor(const summing *s, const mass_piece *p)
{
    return p->x == ONE ? 1.0 : p->x == PLACE ? s->point->q[p->i] : s->point->w[p->i];
}

static void add_fixed(summing *s, const mass_piece *p, double mass)
{
    double x = other_factor(s, p), w = s->point->w[p->j], m = mass * p->c;
    ac_balance_by by = p->x == PLACE ? AC_BALANCE_BY_Q : AC_BALANCE_BY_W;
    s->sum += m * x * w;
    slope(s, AC_BALANCE_BY_W, p->j, m * x);
    if (p->x == ONE) return;
    slope(s, by, p->i, m * w);
    curve(s, by, p->i, AC_BALANCE_BY_W, p->j, p->x == VELOCITY && p->i == p->j ? 2.0 * m : m);
}

/* The value is in add_fixed already. */
static void add_varied(summing *s, const mass_piece *p, const ac_jet *mass)
{
    double x = other_factor(s, p), w = s->point->w[p->j];
    ac_balance_by by = p->x == PLACE ? AC_BALANCE_BY_Q : AC_BALANCE_BY_W;
    for (int a = 0; a < mass->count; ++a) {
        double m = p->c * mass->d[a];
        int j = mass->by[a];
        slope(s, AC_BALANCE_BY_P, j, m * x * w);
        curve(s, AC_BALANCE_BY_W, p->j, AC_BALANCE_BY_P, j, m * x);
        if (p->x != ONE) curve(s, by, p->i, AC_BALANCE_BY_P, j, m * w);
    }
    bend(s, mass, p->c * x * w);
}

/* One block of the mass matrix: its number, or what parameters make of it (jet not NULL). */
typedef struct mass_block {
    int row, column, dimension;
    double value;
    const ac_jet *jet;
} mass_block;

static void add_piece(summing *s, const mass_block *block, double c, other x, int i, int j)
{
    const mass_piece piece = {c, x, i, j};
    if (block->jet) {
        add_varied(s, &piece, block->jet);
    } else {
        add_fixed(s, &piece, block->value);
    }
}

/* e . (m w) */
static void add_along(summing *s, const mass_block *block, const double e[3])
{
    for (int i = 0; i < block->dimension; ++i)
        if (e[i] != 0.0) add_piece(s, block, e[i], ONE, 0, block->column + i);
}

/* e . ((x - o) X m w) = e . (x X m w) - (e X o) . m w; about the own centre places do not count. */
static void add_angular(summing *s, const mass_block *block, bool place)
{
    const double *e = s->source->along;
    double arm[3];
    if (place && s->source->about_centre) return;
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        if (e[k] == 0.0 || i >= block->dimension || j >= block->dimension) continue;
        add_piece(s, block, e[k], PLACE, block->row + i, block->column + j);
        add_piece(s, block, -e[k], PLACE, block->row + j, block->column + i);
    }
    if (!place) return;
    cross3(s->source->about, e, arm);
    add_along(s, block, arm);
}

static void add_block(summing *s, const mass_block *block)
{
    const ac_system *system = s->discrete->system;
    const ac_node *node = &system->nodes[s->source->first], *last = &system->nodes[s->source->last];
    if (block->row < node->q || block->row >= last->q + last->size) return;
    while (block->row >= node->q + node->size) ++node;
    bool place = block->row == node->q;
    switch (s->source->kind) {
    case AC_BALANCE_MOMENTUM:
        if (place) add_along(s, block, s->source->along);
        break;
    case AC_BALANCE_ANGULAR: add_angular(s, block, place); break;
    case AC_BALANCE_KINETIC:
    case AC_BALANCE_ENERGY:
        for (int i = 0; i < block->dimension; ++i)
            add_piece(s, block, 0.5, VELOCITY, block->row + i, block->column + i);
        break;
    case AC_BALANCE_POTENTIAL: break;
    }
}

static void add_masses(summing *s)
{
    const ac_system *system = s->discrete->system;
    const ac_variation *v = s->discrete->vary;
    for (int k = 0; k < system->inertia.count; ++k) {
        const ac_mass_entry *m = &system->inertia.entries[k];
        const mass_block block = {m->row, m->column, m->dimension, m->coefficient, NULL};
        add_block(s, &block);
    }
    for (int k = 0; v && k < v->inertia.count; ++k) {
        const ac_mass_jet *m = &v->inertia.entries[k];
        const mass_block block = {m->row, m->column, m->dimension, 0.0, &m->jet};
        add_block(s, &block);
    }
}

/* --- potential --- */

/* -sum m g . x */
static void add_gravity(summing *s)
{
    const ac_system *system = s->discrete->system;
    const ac_variation *v = s->discrete->vary;
    for (int n = s->source->first; n <= s->source->last; ++n)
        for (int i = system->nodes[n].q; i < system->nodes[n].q + system->nodes[n].dimension; ++i) {
            double force = system->gravity_force[i], x = s->point->q[i];
            s->sum -= force * x;
            if (v || force != 0.0) slope(s, AC_BALANCE_BY_Q, i, -force);
            const ac_jet *jet = v ? &v->gravity_force[i] : NULL;
            for (int a = 0; jet && a < jet->count; ++a) {
                slope(s, AC_BALANCE_BY_P, jet->by[a], -jet->d[a] * x);
                curve(s, AC_BALANCE_BY_Q, i, AC_BALANCE_BY_P, jet->by[a], -jet->d[a]);
            }
            if (jet) bend(s, jet, -x);
        }
}

/* W(y) by the numbers of the law; g: gradient of y */
static void add_spring_data(const summing *s, int number, double y, const double *g)
{
    const ac_discrete *d = s->discrete;
    const int scalar = d->springs[number].scalar, *at = ac_scalar_coordinates(&d->scalars, scalar);
    ac_law_jets jets;
    if (!d->vary || !ac_discrete_law_jets(d, number, y, &jets)) return;
    for (int a = 0; a < jets.count; ++a) {
        int j = jets.by[a];
        slope(s, AC_BALANCE_BY_P, j, jets.energy[a]);
        for (int i = 0; i < d->scalars.list[scalar].count; ++i)
            curve(s, AC_BALANCE_BY_Q, at[i], AC_BALANCE_BY_P, j, g[i] * jets.pull[a]);
        for (int b = 0; b <= a; ++b)
            curve(s, AC_BALANCE_BY_P, j, AC_BALANCE_BY_P, jets.by[b], jets.energy2[a * jets.count + b]);
    }
}

static void add_spring(summing *s, int number)
{
    const ac_discrete *d = s->discrete;
    const ac_discrete_spring *spring = &d->springs[number];
    const int *at = ac_scalar_coordinates(&d->scalars, spring->scalar);
    int count = d->scalars.list[spring->scalar].count;
    bool curved = s->sink && s->sink->curve;
    double V1[AC_SCALAR_MAX], V2[AC_SCALAR_MAX * AC_SCALAR_MAX], g[AC_SCALAR_MAX], y;
    s->sum += ac_discrete_energy(d, number, s->point->q,
                                 ac_spring_winding(spring, s->point->measure_windings), V1,
                                 curved ? V2 : NULL, &y, g);
    for (int i = 0; i < count; ++i) {
        slope(s, AC_BALANCE_BY_Q, at[i], V1[i]);
        for (int j = 0; curved && j <= i; ++j)
            curve(s, AC_BALANCE_BY_Q, at[i], AC_BALANCE_BY_Q, at[j], V2[i * count + j]);
    }
    add_spring_data(s, number, y, g);
}

static void add_potential(summing *s)
{
    int own = s->source->beam;
    add_gravity(s);
    for (int k = 0; own != AC_NO_SPRINGS && k < s->discrete->spring_count; ++k)
        if (own == AC_ALL_SPRINGS || own == ac_part_beam(s->discrete, k)) add_spring(s, k);
}

double ac_balance_evaluate(const ac_balance_source *source, const ac_discrete *discrete,
                           const ac_balance_point *point, const ac_balance_sink *sink)
{
    summing s = {source, discrete, point, sink, 0.0};
    if (source->kind != AC_BALANCE_POTENTIAL) add_masses(&s);
    if (source->kind >= AC_BALANCE_POTENTIAL) add_potential(&s);
    return s.sum;
}

/* --- of a momentum --- */

static double node_momentum(const ac_balance_source *source, const ac_node *node, const double *q,
                            const double *p)
{
    double sum = 0.0, x[3] = {0.0, 0.0, 0.0}, f[3] = {0.0, 0.0, 0.0}, moment[3];
    for (int i = 0; i < node->dimension; ++i) {
        x[i] = q[node->q + i] - source->about[i];
        f[i] = p[node->q + i];
    }
    if (source->kind == AC_BALANCE_MOMENTUM) return dot3(source->along, f);
    if (!source->about_centre) {
        for (int i = node->dimension; i < 3; ++i) x[i] = -source->about[i];
        cross3(x, f, moment);
        sum = dot3(source->along, moment);
    }
    for (int at = node->q + node->dimension; at < node->q + node->size; at += node->dimension) {
        for (int i = 0; i < 3; ++i) {
            x[i] = i < node->dimension ? q[at + i] : 0.0;
            f[i] = i < node->dimension ? p[at + i] : 0.0;
        }
        cross3(x, f, moment);
        sum += dot3(source->along, moment);
    }
    return sum;
}

double ac_balance_of_momentum(const ac_balance_source *source, const ac_discrete *discrete,
                              const ac_balance_point *point, const double *p)
{
    const ac_system *system = discrete->system;
    summing s = {source, discrete, point, NULL, 0.0};
    for (int n = source->first; n <= source->last && source->kind <= AC_BALANCE_ANGULAR; ++n)
        s.sum += node_momentum(source, &system->nodes[n], point->q, p);
    int from = system->nodes[source->first].q,
        to = system->nodes[source->last].q + system->nodes[source->last].size;
    bool kinetic = source->kind == AC_BALANCE_KINETIC || source->kind == AC_BALANCE_ENERGY;
    for (int i = from; kinetic && i < to; ++i) s.sum += 0.5 * p[i] * point->w[i];
    if (source->kind >= AC_BALANCE_POTENTIAL) add_potential(&s);
    return s.sum;
}
