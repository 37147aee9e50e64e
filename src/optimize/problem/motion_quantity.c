/* Momentum and energy as quantities of a problem: of one node, of a beam, or of everything, and what is
 * refused. */
#include <string.h>

#include "action/describe/balance.h"
#include "optimize/problem/optimization.h"
#include "action/momentum.h"

static bool is_energy(const ac_balance_source *source)
{
    return source->kind == AC_BALANCE_KINETIC || source->kind == AC_BALANCE_ENERGY;
}

static ac_balance_kind kind_of(ac_quantity_type type)
{
    switch (type) {
    case AC_QUANTITY_MOMENTUM: return AC_BALANCE_MOMENTUM;
    case AC_QUANTITY_ANGULAR_MOMENTUM: return AC_BALANCE_ANGULAR;
    case AC_QUANTITY_KINETIC_ENERGY: return AC_BALANCE_KINETIC;
    case AC_QUANTITY_POTENTIAL_ENERGY: return AC_BALANCE_POTENTIAL;
    default: return AC_BALANCE_ENERGY;
    }
}

/* The nodes that it is about, and the springs. */
static ac_status find_nodes(ac_optimization *o, const ac_quantity *q, ac_balance_source *source)
{
    const ac_system *system = o->system;
    int node = q->point.node, count = system->node_count;
    if (node == AC_WHOLE_SYSTEM) {
        source->first = 0;
        source->last = count - 1;
        source->beam = AC_ALL_SPRINGS;
        return AC_OK;
    }
    if (node < 0 || node >= count)
        return ac_fail(o->ctx, AC_BAD_INPUT, "quantity '%s': only bodies and points have momentum and energy",
                       q->name);
    source->first = source->last = node;
    source->beam = AC_NO_SPRINGS;
    if (system->nodes[node].beam < 0) return AC_OK;
    if (!q->whole_beam)
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "quantity '%s': '%s' belongs to a beam and shares its mass with its neighbours, so it "
                       "has no momentum or energy of its own; name the beam",
                       q->name, system->nodes[node].name);
    source->beam = system->nodes[node].beam;
    source->first = system->beams[source->beam].first_node;
    source->last = source->first + system->beams[source->beam].nodes - 1;
    return AC_OK;
}

ac_status ac_balance_quantity(ac_optimization *o, const ac_quantity *q, int *scalar)
{
    ac_balance_source source = {.kind = kind_of(q->type), .about_centre = q->about_centre};
    AC_TRY(find_nodes(o, q, &source));
    if (q->about_centre && source.first < source.last)
        return ac_fail(
            o->ctx, AC_BAD_INPUT,
            "quantity '%s': the angular momentum of a beam or of the whole system is about a place", q->name);
    memcpy(source.along, q->direction, sizeof source.along);
    if (!q->about_centre) memcpy(source.about, q->place, sizeof source.about);
    if (o->description.discrete.vary)
        AC_TRY(ac_discrete_vary(&o->description.discrete)); /* its springs then are what they will be */
    return ac_scalars_add_balance(&o->description.scalars, &source, scalar);
}

/* --- values at nodes --- */

/* The momentum of a node as simulations record it: that of the scheme where it has one of its own (energy-momentum), otherwise
 * (D2 L_d - D1 L_d) / 2 inside, at an end that of the interval there. */
static void discrete_momentum(const ac_optimization *o, int node, double *p)
{
    ac_discrete discrete = o->description.discrete; /* shares its workspace */
    double *left = o->point.work, *right = o->point.work + o->layout.n;
    bool inside = node > 0 && node < o->layout.N;
    discrete.projected = false;
    if (discrete.scheme == AC_ENERGY_MOMENTUM && o->found.momenta) {
        memcpy(p, o->found.momenta + (size_t)node * (size_t)o->layout.n, (size_t)o->layout.n * sizeof *p);
        return;
    }
    memset(p, 0, (size_t)o->layout.n * sizeof *p);
    if (node > 0) {
        ac_discrete_point before = ac_interval_point(o, node - 1);
        ac_discrete_values(&discrete, &before, left, right);
        for (int i = 0; i < o->layout.n; ++i) p[i] = inside ? 0.5 * right[i] : right[i];
    }
    if (node < o->layout.N) {
        ac_discrete_point after = ac_interval_point(o, node);
        ac_discrete_values(&discrete, &after, left, right);
        for (int i = 0; i < o->layout.n; ++i) p[i] -= inside ? 0.5 * left[i] : left[i];
    }
}

/* w = M^-1 p; at the ends p is made consistent with the constraints first. */
static ac_status velocity_of(const ac_optimization *o, const double *q, bool project, double *p, double *w)
{
    ac_legendre legendre = {0};
    ac_status status = ac_legendre_create(o->ctx, o->system, false, &legendre);
    if (status == AC_OK && project) status = ac_legendre_project(&legendre, q, p);
    if (status == AC_OK && project) memcpy(p, legendre.projected, (size_t)o->layout.n * sizeof *p);
    if (status == AC_OK) ac_inverse_mass_apply(&legendre, p, w);
    ac_legendre_destroy(&legendre);
    return status;
}

/* The mean velocity of the intervals at both sides, where there is no discrete momentum. */
static double with_mean_velocity(const ac_optimization *o, const ac_balance_source *source, int node,
                                 ac_balance_point *point)
{
    int a = node == 0 ? 0 : node - 1, b = node == o->layout.N ? node : node + 1;
    double *w = o->point.work;
    for (int i = 0; i < o->layout.n; ++i) w[i] = (ac_q(o, b)[i] - ac_q(o, a)[i]) / ((b - a) * o->point.h);
    point->w = w;
    return ac_balance_evaluate(source, &o->description.discrete, point, NULL);
}

double ac_balance_near_node(const ac_optimization *o, int scalar, int node)
{
    const ac_balance_source *source = o->description.scalars.list[scalar].motion;
    bool first = node == 0 && (o->settings.start_velocity || o->layout.first.velocity[0] >= 0);
    bool last = node == o->layout.N && (o->settings.end_rest || o->layout.first.velocity[1] >= 0);
    ac_balance_point point = {ac_q(o, node), o->point.velocity[first ? 0 : 1],
                              o->point.measure_windings + (size_t)node * (size_t)o->system->measure_count};
    if (first || last || !ac_balance_moves(source))
        return ac_balance_evaluate(source, &o->description.discrete, &point, NULL);
    if (ac_is_minimal(o)) return with_mean_velocity(o, source, node, &point);
    bool end = node == 0 || node == o->layout.N;
    double *p = o->point.work + 2 * o->layout.n, *w = o->point.work + 3 * o->layout.n;
    discrete_momentum(o, node, p);
    point.w = w;
    if ((end || is_energy(source)) && velocity_of(o, point.q, end, p, w) != AC_OK)
        return with_mean_velocity(o, source, node, &point);
    return ac_balance_of_momentum(source, &o->description.discrete, &point, p);
}
