/* One interval of a motion with contacts, backwards.
 *
 * Beside the equations of the step (sweep.c) an interval [t_a, t_a + h] has up to two more, with the unknowns h and Lambda, the impulse
 * of the impact at its left end, p + Lambda grad g(a):
 *
 *   gap(b) = 0                      bounded: h is free, else t_a + h is given
 *   E(a, b, h) = E_before - loss    balanced: Lambda is free, else it follows from the momentum that arrives (bounce.c)
 *
 * with the multipliers zeta and chi, E the energy of the interval. The variation by b is then
 *   K^T y = P(b)^T (J_q + right_b^T pi + zeta grad gap + chi E_b),
 * so that y is a sum of three solutions, and those by h and by Lambda give zeta and chi:
 *   J_t + J_h + w . left_h + pi . right_h + chi E_h = 0,    w . grad g(a) = 0.
 * Loads are means over [t_a, t_a + h], so that they change with both times, too.
 */
#include <math.h>
#include <string.h>

#include "action/describe/balance.h"
#include "action/inertia.h"
#include "adjoint/impacts/path.h"
#include "base/signal.h"
#include "integrate/impacts/impacts.h"
#include "integrate/reduced.h"

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

static void clear(int n, double *x)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

static void add(int n, double factor, const double *x, double *to)
{
    for (int i = 0; i < n; ++i) to[i] += factor * x[i];
}

/* --- what an interval is made of --- */

double ac_path_functional(ac_adjoint *d, int k, ac_path_slopes *to)
{
    const ac_functional *f = d->functional;
    const ac_path_node *node = &d->path->nodes[k];
    const double *a = ac_path_q(d->path, k), *b = ac_path_q(d->path, k + 1), *inputs = d->workspace.inputs;
    d->path->present = k;
    ac_adjoint_set_part_inputs(d, node->number, node->t, node->h);
    if (!f->interval) return 0.0;
    if (!to) return f->interval(f->user, node->number, node->t, node->h, a, b, inputs, NULL, NULL, NULL);
    if (f->by_time) f->by_time(f->user, node->number, node->t, node->h, a, b, &to->by_t, &to->by_h);
    return f->interval(f->user, node->number, node->t, node->h, a, b, inputs, to->by_a, to->by_b,
                       to->by_inputs);
}

/* T = v . M v / 2 with v = (b - a) / h, and the potential where the scheme takes it. */
static void find_energy(ac_adjoint *d, const ac_discrete_point *point)
{
    const int n = d->system->n;
    const ac_stepper *s = &d->backward;
    const bool mean = d->discrete.scheme == AC_MIDPOINT;
    ac_path_energy *e = &d->path->energy;
    for (int i = 0; i < n; ++i) e->by_a[i] = (point->b[i] - point->a[i]) / point->h;
    ac_mass_apply(d->system, e->by_a, e->by_b);
    e->by_h = -dot(n, e->by_a, e->by_b) / point->h;
    for (int i = 0; i < n; ++i) {
        e->by_b[i] /= point->h;
        e->by_a[i] = -e->by_b[i];
    }
    ac_gravity_add(d->system, -0.5, e->by_a);
    ac_gravity_add(d->system, -0.5, e->by_b);
    ac_potential_add_gradient(d->system, mean ? s->interval.mean : point->a, s->winding, 0.5, e->by_a);
    ac_potential_add_gradient(d->system, mean ? s->interval.mean : point->b, s->winding, 0.5, e->by_b);
}

/* total += factor derivative of the energy of the interval by each parameter, at given ends and length */
static void take_energy_parameters(ac_adjoint *d, const ac_discrete_point *point, double factor)
{
    ac_adjoint_parameters *p = &d->parameters;
    const int n = d->system->n;
    const bool mean = d->discrete.scheme == AC_MIDPOINT;
    const double *velocity = d->path->by_p;
    ac_balance_source kinetic = {.kind = AC_BALANCE_KINETIC,
                                 .last = d->system->node_count - 1,
                                 .beam = AC_ALL_SPRINGS},
                      potential = kinetic;
    potential.kind = AC_BALANCE_POTENTIAL;
    for (int i = 0; i < n; ++i) d->path->by_p[i] = (point->b[i] - point->a[i]) / point->h;
    for (int j = 0; j < p->count; ++j) {
        clear(p->varying.count, d->path->slopes);
        for (int k = 0; k < p->slope_count; ++k)
            if (p->slopes[k].parameter == j) d->path->slopes[p->slopes[k].number] += p->slopes[k].slope;
        const ac_balance_point ends[] = {
            {mean ? d->backward.interval.mean : point->a, velocity, point->winding},
            {mean ? d->backward.interval.mean : point->b, velocity, point->winding}};
        double sum = ac_balance_by_numbers(&kinetic, &d->discrete, &ends[0], &p->varying, d->path->slopes);
        for (int e = 0; e < 2; ++e)
            sum += 0.5 *
                   ac_balance_by_numbers(&potential, &d->discrete, &ends[e], &p->varying, d->path->slopes);
        p->total[j] += factor * sum;
    }
}

/* Loads by the time at which the interval begins and by its length. */
static void find_load_times(ac_adjoint *d, const ac_path_node *node)
{
    ac_path *path = d->path;
    for (int k = 0; k < d->input_count; ++k) {
        path->tau_t[k] = path->tau_h[k] = 0.0;
        if (d->loads[k].load < 0) continue;
        const ac_signal *signal = d->system->loads[d->loads[k].load].value[d->loads[k].component];
        if (signal) ac_signal_mean_by_times(signal, node->t, node->h, &path->tau_t[k], &path->tau_h[k]);
    }
}

/* (wl . left + wr . right) by h, loads being those of the interval; by_tau: by the inputs. */
static double by_length(ac_adjoint *d, const ac_discrete_point *point, const double *wl, const double *wr)
{
    double by_h = 0.0;
    clear(d->input_count, d->path->by_tau);
    ac_discrete_pullback(&d->discrete, point, wl, wr,
                         &(ac_pullback){.step = &by_h, .inputs = d->path->by_tau});
    return by_h + dot(d->input_count, d->path->by_tau, d->path->tau_h);
}

/* --- the transposed step --- */

/* y and w for the right-hand side P(b)^T f, with what waits on the tree for the plain one. */
static ac_status solve(ac_adjoint *d, const double *f, bool plain, ac_path_weight *to)
{
    ac_stepper *s = &d->backward;
    ac_reduced_project(s, f, d->workspace.reduced);
    for (int j = 0; plain && j < d->system->tree.freedoms; ++j)
        d->workspace.reduced[j] += d->workspace.turned[j];
    AC_TRY(ac_reduced_solve_transposed(s, d->workspace.reduced, to->y));
    ac_reduced_spread(s, to->y, to->w);
    return AC_OK;
}

/* The two multipliers from A (zeta, chi) = b; what is not wanted is zero. */
static bool solve_pair(bool first, bool second, const double A[4], const double b[2], double x[2])
{
    x[0] = x[1] = 0.0;
    if (first && second) {
        double det = A[0] * A[3] - A[1] * A[2];
        x[0] = (b[0] * A[3] - b[1] * A[1]) / det;
        x[1] = (b[1] * A[0] - b[0] * A[2]) / det;
    } else if (first) {
        x[0] = b[0] / A[0];
    } else if (second) {
        x[1] = b[1] / A[3];
    }
    return isfinite(x[0]) && isfinite(x[1]);
}

static ac_status refuse_grazing(ac_adjoint *d, int k)
{
    const ac_path_node *node = &d->path->nodes[k];
    int contact = node->bounded ? node[1].closes : node->bounces;
    return ac_fail(
        d->ctx, AC_BAD_INPUT,
        "there is no gradient of this motion with contacts: the impact of contact '%s' near t = %.9g s "
        "does not determine its time",
        d->system->contacts[contact].name, node->t + (node->bounded ? node->h : 0.0));
}

/* The weights of the step with the equations that it has beside it: w and y in the workspace; by_q gets their part by b. */
static ac_status find_weights(ac_adjoint *d, int k, const ac_discrete_point *point, double by_h, double *zeta,
                              double *chi)
{
    ac_path *path = d->path;
    const ac_path_node *node = &path->nodes[k];
    const int n = d->system->n, freedoms = d->system->tree.freedoms;
    const bool bounded = node->bounded, balanced = node->balanced;
    ac_path_weight *plain = &path->weights[AC_PATH_PLAIN], *gap = &path->weights[AC_PATH_GAP],
                   *energy = &path->weights[AC_PATH_ENERGY];
    const double *none = path->by_p, *normal = path->bounce.gradient;
    double A[4] = {0.0}, b[2] = {0.0}, x[2];
    clear(n, path->by_p);
    AC_TRY(solve(d, d->by_q, true, plain));
    if (bounded) AC_TRY(solve(d, path->gap, false, gap));
    if (balanced) AC_TRY(solve(d, path->energy.by_b, false, energy));
    if (bounded) {
        b[0] = -(path->by_t + by_h + by_length(d, point, plain->w, d->by_p));
        A[0] = by_length(d, point, gap->w, none);
        if (balanced) A[1] = by_length(d, point, energy->w, none) + path->energy.by_h;
    }
    if (balanced) {
        b[1] = -dot(n, normal, plain->w);
        if (bounded) A[2] = dot(n, normal, gap->w);
        A[3] = dot(n, normal, energy->w);
    }
    if (!solve_pair(bounded, balanced, A, b, x)) return refuse_grazing(d, k);
    memcpy(d->workspace.y, plain->y, (size_t)freedoms * sizeof *plain->y);
    memcpy(d->workspace.w, plain->w, (size_t)n * sizeof *plain->w);
    if (bounded) {
        add(freedoms, x[0], gap->y, d->workspace.y);
        add(n, x[0], gap->w, d->workspace.w);
        add(n, x[0], path->gap, d->by_q);
    }
    if (balanced) {
        add(freedoms, x[1], energy->y, d->workspace.y);
        add(n, x[1], energy->w, d->workspace.w);
        add(n, x[1], path->energy.by_b, d->by_q);
    }
    *zeta = x[0];
    *chi = x[1];
    return AC_OK;
}

/* --- one interval --- */

static ac_status place(ac_adjoint *d, int k, ac_discrete_point *point)
{
    ac_path *path = d->path;
    const ac_path_node *node = &path->nodes[k];
    const int n = d->system->n;
    ac_stepper *s = &d->backward;
    const double *a = ac_path_q(path, k), *b = ac_path_q(path, k + 1), *winding = ac_path_winding(d, k);
    memcpy(path->p, ac_path_arriving(d, k), (size_t)n * sizeof *path->p);
    if (node->bounces != AC_NO_CONTACT) {
        AC_TRY(ac_bounce_open(d, k));
        add(n, path->bounce.lambda, path->bounce.gradient, path->p);
    }
    if (node->opens) {
        AC_TRY(ac_held_velocity(d, k, ac_path_arriving(d, k), path->velocity));
        ac_mass_apply(d->system, path->velocity, path->p);
    }
    ac_held_set(d, k);
    s->h = s->interval.h = node->h;
    ac_adjoint_set_part_inputs(d, node->number, node->t, node->h);
    ac_reduced_place(s, k, node->t, a, b, path->p, winding);
    *point = (ac_discrete_point){
        .a = a, .b = b, .tau = d->workspace.inputs, .winding = winding, .h = node->h};
    if (node->bounded) ac_gap_value(d->system, &d->system->contacts[node[1].closes], b, winding, path->gap);
    find_load_times(d, node);
    find_energy(d, point);
    return AC_OK;
}

/* The derivative by the time of the left node: bounded, the interval moves; otherwise it gets shorter. */
static double by_beginning(const ac_adjoint *d, const ac_path_node *node, double by_t, double by_h,
                           const double *by_inputs)
{
    double moved = by_t + dot(d->input_count, by_inputs, d->path->tau_t);
    return node->bounded ? d->path->by_t + moved : moved - by_h;
}

/* Adjoint of the functional and of the energy that the next interval takes over: by both ends and by h. */
static void take_functional(ac_adjoint *d, int k, ac_path_slopes *slopes)
{
    const int n = d->system->n;
    const ac_path *path = d->path;
    clear(n, d->workspace.out_a);
    clear(d->input_count, d->workspace.by_inputs);
    *slopes = (ac_path_slopes){d->workspace.out_a, d->by_q, d->workspace.by_inputs, 0.0, 0.0};
    d->value += ac_path_functional(d, k, slopes);
    slopes->by_h += dot(d->input_count, d->workspace.by_inputs, path->tau_h);
    if (path->by_energy == 0.0) return;
    add(n, path->by_energy, path->energy.by_a, d->workspace.out_a);
    add(n, path->by_energy, path->energy.by_b, d->by_q);
    slopes->by_h += path->by_energy * path->energy.by_h;
}

/* The functional at a node of the mesh; while contacts are closed it has the momentum that they allow. */
static ac_status take_node(ac_adjoint *d, int k)
{
    ac_path *path = d->path;
    const ac_path_node *node = &path->nodes[k];
    const ac_functional *f = d->functional;
    double *by = path->by_p;
    path->present = k;
    if (!node->on_mesh) return AC_OK;
    if (!(k == 0 ? node : node - 1)->holds || !f->node) {
        ac_adjoint_take_node(d, node->number, ac_path_q(path, k), ac_path_arriving(d, k));
        return AC_OK;
    }
    clear(d->system->n, by);
    d->value += f->node(f->user, node->number, node->t, ac_path_q(path, k), ac_path_shown(d, k), d->by_q, by);
    memcpy(path->p, by, (size_t)d->system->n * sizeof *by);
    AC_TRY(ac_held_pull(d, k, path->p, d->by_q, d->by_p));
    if (d->watch) d->watch(d->watch_user, node->number, node->t, ac_path_q(path, k), d->by_q, d->by_p);
    return AC_OK;
}

static ac_status pull_opening(ac_adjoint *d, int k)
{
    const int n = d->system->n;
    memcpy(d->path->p, d->by_p, (size_t)n * sizeof *d->by_p);
    clear(n, d->by_p);
    return ac_held_pull(d, k, d->path->p, d->by_q, d->by_p);
}

static ac_status step_back(ac_adjoint *d, int k)
{
    ac_path *path = d->path;
    const ac_path_node *node = &path->nodes[k];
    const int n = d->system->n;
    ac_discrete_point point;
    ac_path_slopes slopes;
    double zeta = 0.0, chi = 0.0, *w = d->workspace.w, *out = d->workspace.out_a;
    AC_TRY(place(d, k, &point));
    take_functional(d, k, &slopes);
    const bool varies = ac_adjoint_geometry_varies(d);
    double *by_b = varies ? d->parameters.residual : node->holds ? path->residual : NULL;
    clear(n, w);
    if (by_b) memcpy(by_b, d->by_q, (size_t)n * sizeof *by_b);
    ac_discrete_pullback(&d->discrete, &point, w, d->by_p, &(ac_pullback){.b = d->by_q});
    if (by_b) add(n, -1.0, d->by_q, by_b); /* what is added from here on, as a difference */
    AC_TRY(find_weights(d, k, &point, slopes.by_h, &zeta, &chi));
    if (by_b) { /* by b without the pullback, which is added again with all weights */
        add(n, 1.0, d->by_q, by_b);
    }
    if (varies) {
        memcpy(d->parameters.turned, d->workspace.turned,
               (size_t)d->system->tree.freedoms * sizeof *d->workspace.turned);
    }
    clear(d->system->tree.freedoms, d->workspace.turned);
    const double by_energy = path->by_energy + chi; /* of this interval */
    if (chi != 0.0) add(n, chi, path->energy.by_a, out);
    ac_held_turn(d, k, w, out);
    AC_TRY(ac_adjoint_turn_forces(d, out, by_b));
    double by_h = slopes.by_h + by_length(d, &point, w, d->by_p) + chi * path->energy.by_h;
    ac_discrete_pullback(&d->discrete, &point, w, d->by_p,
                         &(ac_pullback){.a = out, .b = by_b, .inputs = d->workspace.by_inputs});
    ac_held_take_gaps(d, k, by_b);
    AC_TRY(ac_adjoint_take_parameters(d, node->number, node->t, &point, w));
    if (zeta != 0.0) ac_path_take_gap(d, node[1].closes, point.b, ac_path_winding(d, k), zeta);
    if (by_energy != 0.0) take_energy_parameters(d, &point, by_energy);
    ac_adjoint_keep_inputs(d, node->number, d->workspace.by_inputs);
    path->by_t = by_beginning(d, node, slopes.by_t, by_h, d->workspace.by_inputs);
    path->by_energy = -chi;
    memcpy(d->by_q, out, (size_t)n * sizeof *out);
    memcpy(d->by_p, w, (size_t)n * sizeof *w);
    if (node->bounces != AC_NO_CONTACT) AC_TRY(ac_bounce_pull(d, k, chi, d->by_q, d->by_p));
    if (node->holds) ac_held_take_anchors(d, k, d->by_q);
    if (node->opens) AC_TRY(pull_opening(d, k));
    return take_node(d, k);
}

/* A functional with terms on intervals must know their derivatives by times where impacts divide them. */
static ac_status check_functional(const ac_adjoint *d)
{
    const ac_functional *f = d->functional;
    bool divided = false;
    for (int k = 0; k + 1 < d->path->count; ++k) divided = divided || d->path->nodes[k].bounded;
    if (!divided || !f->interval || f->by_time) return AC_OK;
    return ac_fail(
        d->ctx, AC_BAD_INPUT,
        "impacts divide the intervals of this motion: the functional needs derivatives by their times "
        "(by_time)");
}

ac_status ac_path_sweep(ac_adjoint *d)
{
    ac_path *path = d->path;
    const int last = path->count - 1;
    AC_TRY(check_functional(d));
    if (!path->slopes) AC_NEW(d->ctx, path->slopes, d->parameters.varying.count + 1);
    clear(d->system->n, d->by_q);
    clear(d->system->n, d->by_p);
    clear(d->system->tree.freedoms, d->workspace.turned);
    clear(3 * d->system->contact_count, path->anchors);
    path->by_t = path->by_energy = 0.0;
    AC_TRY(take_node(d, last));
    for (int k = last - 1; k >= 0; --k) AC_TRY(step_back(d, k));
    return AC_OK;
}
