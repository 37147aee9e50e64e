/* Directional second derivatives: the adjoint equations of the motion, differentiated along a direction.
 *
 * In redundant coordinates the constraints are quadratic, so that their second derivatives are constant, and the tangent
 * space of the tree needs none. With the Lagrangian of sweep.c, eta the multipliers of g(q_n+1) = 0, H(x) = sum x_k g_k'':
 *   w_n:    G(q_n) w_n = 0                             dw = s + P dy,  G s = -(H dq_n) w
 *   q_n+1:  R = J_q + left_b^T w_n + right_b^T pi + .. = -G^T eta,
 *           P(q_n+1)^T (dR + H(eta) dq_n+1) = 0        K^T dy = P^T (.. + left_b^T s + H(eta) dq_n+1)
 *   q_n:    .. - H(lambda) w                           .. - H(lambda) dw - H(dlambda) w
 * where dR has the second derivatives of w . left + pi . right along (dq_n, dq_n+1, du) (discrete_along.c). Gauss-Newton
 * leaves out what is curved: s, H(eta), H(dlambda) and these.
 *
 * Segments: the adjoint of a start passes to the end before it by the transpose of the projection in tangent.c.
 */
#include "adjoint/second/second.h"

#include <math.h>
#include <string.h>

#include "action/inertia.h"

#include "integrate/reduced.h"
#include "math/math.h"

/* --- making --- */

static ac_status create_motion(ac_second *s)
{
    const ac_adjoint *d = s->d;
    size_t n = (size_t)d->system->n, N = (size_t)s->memory.room, rows = N + (size_t)s->segments,
           constraints = (size_t)d->system->constraints.count,
           times = (size_t)((d->steps + s->memory.stretch - 1) / s->memory.stretch);
    AC_NEW(s->ctx, s->q, rows * n);
    AC_NEW(s->ctx, s->p, rows * n);
    AC_NEW(s->ctx, s->winding, rows * (size_t)d->system->measure_count + 1);
    AC_NEW(s->ctx, s->dq, rows * n);
    AC_NEW(s->ctx, s->dp, rows * n);
    AC_NEW(s->ctx, s->w, N * n);
    AC_NEW(s->ctx, s->pi, N * n);
    AC_NEW(s->ctx, s->lambda, N * constraints + 1);
    AC_NEW(s->ctx, s->eta, N * constraints + 1);
    AC_NEW(s->ctx, s->dlambda, N * constraints + 1);
    AC_NEW(s->ctx, s->gradient, times * (size_t)d->input_count + 1);
    AC_NEW(s->ctx, s->product, times * (size_t)d->input_count + 1);
    if (s->memory.limited) AC_NEW(s->ctx, s->memory.kept, 2 * n * (size_t)(d->checkpoint_count + 1));
    return AC_OK;
}

enum { LEAST_ROOM = 4 };

/* Where the motion does not fit into the memory of the adjoint, a quarter as much again is for what is kept here. */
static void choose_room(ac_second *s)
{
    const ac_adjoint *d = s->d;
    size_t numbers = 6 * (size_t)d->system->n + 3 * (size_t)d->system->constraints.count +
                     (size_t)d->system->measure_count;
    s->memory = (ac_second_memory){.room = d->steps, .stretch = 1};
    if (d->stored.capacity >= d->steps || s->segments > 1) return;
    long room = (long)(d->memory / 4 / (numbers * sizeof(double)));
    if (room < LEAST_ROOM) room = LEAST_ROOM;
    s->memory.limited = true;
    s->memory.room = room < d->stored.capacity ? room : d->stored.capacity;
    s->memory.stretch = d->stretch;
}

static ac_status create(ac_second *s)
{
    ac_adjoint *d = s->d;
    size_t n = (size_t)d->system->n, segments = (size_t)s->segments;
    choose_room(s);
    AC_TRY(create_motion(s));
    double **vectors[] = {&s->by_q, &s->by_p, &s->second_q, &s->second_p, &s->velocity, &s->second_velocity};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) AC_NEW(s->ctx, *vectors[k], n);
    for (size_t k = 0; k < sizeof s->vectors / sizeof *s->vectors; ++k) AC_NEW(s->ctx, s->vectors[k], n);
    for (int k = 0; k < 2; ++k) AC_NEW(s->ctx, s->rows[k], d->system->constraints.count + 1);
    double **inputs[] = {&s->inputs.slope, &s->inputs.change, &s->inputs.by, &s->inputs.second};
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; ++k)
        AC_NEW(s->ctx, *inputs[k], d->input_count + 1);
    AC_NEW(s->ctx, s->first, segments + 1);
    AC_NEW(s->ctx, s->start_q, segments * n);
    AC_NEW(s->ctx, s->start_p, segments * n);
    AC_NEW(s->ctx, s->match_q, segments * n);
    for (int k = 0; k <= s->segments; ++k) s->first[k] = d->steps * k / s->segments;
    return ac_stepper_new_state(s->ctx, &d->forward, false, &s->state);
}

ac_status ac_second_create(ac_adjoint *adjoint, int segments, ac_second **second)
{
    ac_second *s;
    *second = NULL;
    if (adjoint->chart)
        return ac_fail(
            adjoint->ctx, AC_BAD_INPUT,
            "second derivatives are those of the equations of places and directors; the formulation "
            "'%s' has first derivatives alone: choose the formulation reduced",
            adjoint->forward.formulation->name);
    if (adjoint->path)
        return ac_fail(
            adjoint->ctx, AC_BAD_INPUT,
            "there are no second derivatives of a motion with contacts, because those of the times of "
            "impacts are not known");
    const char *law = ac_discrete_lacks_second(&adjoint->discrete);
    if (law)
        return ac_fail(
            adjoint->ctx, AC_BAD_INPUT,
            "there are no second derivatives with the energy-momentum scheme, because those of the secant of "
            "the law '%s' are not known",
            law);
    AC_NEW(adjoint->ctx, s, 1);
    s->d = adjoint;
    s->ctx = adjoint->ctx;
    s->segments = segments;
    s->curved = true;
    ac_status status = create(s);
    if (status != AC_OK)
        ac_second_free(s);
    else
        *second = s;
    return status;
}

void ac_second_free(ac_second *s)
{
    if (!s) return;
    ac_second_free_parameters(s);
    ac_state_free(s->state);
    void *blocks[] = {s->first,
                      s->start_q,
                      s->start_p,
                      s->q,
                      s->p,
                      s->winding,
                      s->w,
                      s->pi,
                      s->lambda,
                      s->eta,
                      s->match_q,
                      s->dq,
                      s->dp,
                      s->dlambda,
                      s->gradient,
                      s->product,
                      s->by_q,
                      s->by_p,
                      s->second_q,
                      s->second_p,
                      s->velocity,
                      s->second_velocity,
                      s->rows[0],
                      s->rows[1],
                      s->inputs.slope,
                      s->inputs.change,
                      s->inputs.by,
                      s->inputs.second,
                      s->memory.kept};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    for (size_t k = 0; k < sizeof s->vectors / sizeof *s->vectors; ++k) ac_release(s->ctx, s->vectors[k]);
    ac_release(s->ctx, s);
}

/* --- the gradient --- */

static void clear(int n, double *x)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

static void take_node(ac_second *s, long node, long row)
{
    const ac_functional *f = s->functional;
    int n = s->d->system->n;
    if (f->node)
        f->node(f->user, node, (double)node * s->d->h, s->q + row * n, s->p + row * n, s->by_q, s->by_p);
}

/* eta with G(q_b)^T eta = -R, R the variation by q_b; by_q has it without left_b^T w. */
static ac_status find_eta(ac_second *s, long interval, const ac_discrete_point *point, const double *w,
                          const double *lambda)
{
    ac_adjoint *d = s->d;
    const int n = d->system->n, rows = d->system->constraints.count;
    double *R = s->vectors[1], *none = s->vectors[2], *eta = s->eta + (interval - s->memory.base) * rows;
    memcpy(R, s->by_q, (size_t)n * sizeof *R);
    for (int k = 1; k < s->segments;
         ++k) /* the part that no motion of the next start feels belongs to it, too */
        for (int i = 0; interval + 1 == s->first[k] && i < n; ++i) R[i] += s->match_q[k * n + i];
    clear(n, none);
    ac_discrete_pullback(&d->discrete, point, w, none, &(ac_pullback){.b = R});
    if (d->at_mean) ac_constraints_pull(d->system, lambda, w, -0.5, R);
    AC_TRY(ac_legendre_multipliers(&d->legendre, point->b, R, eta));
    for (int k = 0; k < rows; ++k) eta[k] = -eta[k];
    return AC_OK;
}

/* What is given over time. */
static double *row_of(const ac_second *s, long interval, double *rows)
{
    return rows + interval / s->memory.stretch * s->d->input_count;
}

static void clear_rows(const ac_second *s, double *rows)
{
    long count = (s->d->steps + s->memory.stretch - 1) / s->memory.stretch;
    memset(rows, 0, (size_t)count * (size_t)s->d->input_count * sizeof *rows);
}

static void add_row(const ac_second *s, long interval, const double *by, double *rows)
{
    double *row = row_of(s, interval, rows);
    for (int k = 0; k < s->d->input_count; ++k) row[k] += by[k];
}

/* The adjoint of interval `interval`; by_q, by_p pass from its end to its start. */
static ac_status back_interval(ac_second *s, long interval, int segment)
{
    ac_adjoint *d = s->d;
    const ac_functional *f = s->functional;
    const int n = d->system->n, rows = d->system->constraints.count;
    const long place = interval - s->memory.base;
    double *w = s->w + place * n, *pi = s->pi + place * n, *lambda = s->lambda + place * rows,
           *out_a = s->vectors[0], *wl = s->vectors[3], *by_inputs = s->inputs.by;
    ac_discrete_point point;
    ac_second_place(s, interval, segment, &point);
    memcpy(pi, s->by_p, (size_t)n * sizeof *pi);
    clear(n, out_a);
    clear(d->input_count, by_inputs);
    if (f->interval)
        f->interval(f->user, interval, (double)interval * d->h, d->h, point.a, point.b, d->workspace.inputs,
                    out_a, s->by_q, by_inputs);
    for (int i = 0; i < n; ++i) wl[i] = d->at_mean ? -pi[i] : 0.0;
    ac_discrete_pullback(&d->discrete, &point, wl, pi, &(ac_pullback){.b = s->by_q});
    ac_reduced_project(&d->backward, s->by_q, d->workspace.reduced);
    AC_TRY(ac_reduced_solve_transposed(&d->backward, d->workspace.reduced, d->workspace.y));
    ac_reduced_spread(&d->backward, d->workspace.y, w);
    if (rows > 0) {
        AC_TRY(ac_second_find_lambda(s, &point, lambda));
        if (s->curved) AC_TRY(find_eta(s, interval, &point, w, lambda));
        ac_constraints_pull(d->system, lambda, w, d->at_mean ? -0.5 : -1.0, out_a);
    }
    for (int i = 0; i < n; ++i) wl[i] = d->at_mean ? w[i] - pi[i] : w[i];
    ac_discrete_pullback(&d->discrete, &point, wl, pi, &(ac_pullback){.a = out_a, .inputs = by_inputs});
    memcpy(s->by_q, out_a, (size_t)n * sizeof *out_a);
    memcpy(s->by_p, wl, (size_t)n * sizeof *wl);
    add_row(s, interval, by_inputs, s->gradient);
    take_node(s, interval, place + segment);
    return AC_OK;
}

/* Adjoint of the start of a segment: x becomes that of the end before it; rest (may be NULL): what is lost. */
static ac_status leave_segment(ac_second *s, int segment, double *x, double *rest)
{
    int n = s->d->system->n;
    long row = s->first[segment] + segment;
    AC_TRY(ac_legendre_project(&s->d->legendre, s->q + row * n, x));
    const double *projected = s->d->legendre.projected;
    for (int i = 0; rest && i < n; ++i) rest[i] = x[i] - projected[i];
    memcpy(x, projected, (size_t)n * sizeof *x);
    return AC_OK;
}

ac_status ac_second_linearise(ac_second *s)
{
    ac_adjoint *d = s->d;
    const int n = d->system->n;
    clear(n, s->by_q);
    clear(n, s->by_p);
    clear_rows(s, s->gradient);
    s->match[0] = s->match[1] = 0.0;
    take_node(s, d->steps, d->steps + s->segments - 1);
    for (int segment = s->segments - 1; segment >= 0; --segment) {
        for (long k = s->first[segment + 1] - 1; k >= s->first[segment]; --k)
            AC_TRY(back_interval(s, k, segment));
        if (segment == 0) break;
        AC_TRY(leave_segment(s, segment, s->by_q, s->match_q + segment * n));
        s->match[0] = ac_max(s->match[0], norm(n, s->by_q));
        s->match[1] = ac_max(s->match[1], norm(n, s->by_p));
    }
    ac_mass_apply(d->system, s->by_p, s->velocity);
    s->linearised = true;
    return AC_OK;
}

/* --- products --- */

static void bend_node(ac_second *s, long node, long row)
{
    const ac_functional *f = s->functional;
    int n = s->d->system->n;
    if (f->node)
        f->node_along(f->user, node, (double)node * s->d->h, s->q + row * n, s->p + row * n, s->dq + row * n,
                      s->dp + row * n, s->second_q, s->second_p);
}

/* What is curved on an interval: shift = s with G s = -(H dq) w where constraint forces act, by_b and by_a. */
static ac_status bend_interval(ac_second *s, long interval, const ac_discrete_point *point,
                               const ac_interval_change *change, double *shift, double *by_a,
                               double *by_inputs)
{
    ac_adjoint *d = s->d;
    const int n = d->system->n, rows = d->system->constraints.count;
    const long place = interval - s->memory.base;
    const double *w = s->w + place * n, *pi = s->pi + place * n, *lambda = s->lambda + place * rows,
                 *dlambda = s->dlambda + place * rows, share = d->at_mean ? -0.5 : -1.0;
    double *wl = s->vectors[2], *turned = s->rows[0], *moved = s->vectors[5];
    for (int i = 0; i < n; ++i) wl[i] = d->at_mean ? w[i] - pi[i] : w[i];
    ac_discrete_bend(&d->discrete, point, wl, pi, change,
                     &(ac_pullback){.a = by_a, .b = s->second_q, .inputs = by_inputs});
    if (s->by_parameters) ac_second_bend_numbers(s, interval, point, change, wl, by_a, by_inputs);
    if (rows == 0) return AC_OK;
    ac_constraints_pull(d->system, s->eta + place * rows, change->b, 1.0, s->second_q);
    ac_constraints_pull(d->system, dlambda, w, share, by_a);
    if (d->at_mean) ac_constraints_pull(d->system, dlambda, w, share, s->second_q);
    for (int i = 0; i < n; ++i) moved[i] = d->at_mean ? 0.5 * (change->a[i] + change->b[i]) : change->a[i];
    const double *x = d->at_mean ? d->backward.interval.mean : point->a;
    ac_constraints_curve(d->system, moved, w, turned);
    if (s->by_parameters)
        ac_numbers_rates(&s->by_parameters->varying, s->by_parameters->change, x, w, turned);
    for (int k = 0; k < rows; ++k) turned[k] = -turned[k];
    AC_TRY(ac_legendre_lift(&d->legendre, x, turned, shift));
    clear(n, wl);
    ac_discrete_pullback(&d->discrete, point, shift, wl, &(ac_pullback){.b = s->second_q});
    if (d->at_mean) ac_constraints_pull(d->system, lambda, shift, share, s->second_q);
    return AC_OK;
}

static ac_status multiply_interval(ac_second *s, long interval, int segment)
{
    ac_adjoint *d = s->d;
    const ac_functional *f = s->functional;
    const int n = d->system->n, rows = d->system->constraints.count;
    const long place = interval - s->memory.base, row = place + segment;
    const double *inputs = ac_second_inputs(s, interval);
    double *out_a = s->vectors[0], *dw = s->vectors[1], *wl = s->vectors[3], *shift = s->vectors[4],
           *by_inputs = s->inputs.second;
    const ac_interval_change change = {s->dq + row * n, s->dq + (row + 1) * n, inputs};
    ac_discrete_point point;
    ac_second_place(s, interval, segment, &point);
    clear(n, out_a);
    clear(n, shift);
    clear(d->input_count, by_inputs);
    if (f->interval)
        f->interval_along(f->user, interval, (double)interval * d->h, d->h, point.a, point.b,
                          d->workspace.inputs, change.a, change.b, inputs, out_a, s->second_q, by_inputs);
    for (int i = 0; i < n; ++i) wl[i] = d->at_mean ? -s->second_p[i] : 0.0;
    ac_discrete_pullback(&d->discrete, &point, wl, s->second_p, &(ac_pullback){.b = s->second_q});
    if (s->curved) AC_TRY(bend_interval(s, interval, &point, &change, shift, out_a, by_inputs));
    ac_reduced_project(&d->backward, s->second_q, d->workspace.reduced);
    AC_TRY(ac_reduced_solve_transposed(&d->backward, d->workspace.reduced, d->workspace.y));
    ac_reduced_spread(&d->backward, d->workspace.y, dw);
    for (int i = 0; i < n; ++i) dw[i] += shift[i];
    if (s->by_parameters) AC_TRY(ac_second_take_parameters(s, interval, &point, &change, dw, shift));
    ac_constraints_pull(d->system, s->lambda + place * rows, dw, d->at_mean ? -0.5 : -1.0, out_a);
    for (int i = 0; i < n; ++i) wl[i] = d->at_mean ? dw[i] - s->second_p[i] : dw[i];
    ac_discrete_pullback(&d->discrete, &point, wl, s->second_p,
                         &(ac_pullback){.a = out_a, .inputs = by_inputs});
    memcpy(s->second_q, out_a, (size_t)n * sizeof *out_a);
    memcpy(s->second_p, wl, (size_t)n * sizeof *wl);
    add_row(s, interval, by_inputs, s->product);
    if (s->by_parameters) ac_second_take_loads(s, interval);
    bend_node(s, interval, row);
    return AC_OK;
}

static ac_status sweep_back(ac_second *s)
{
    ac_adjoint *d = s->d;
    const int n = d->system->n;
    clear(n, s->second_q);
    clear(n, s->second_p);
    bend_node(s, d->steps, d->steps + s->segments - 1);
    for (int segment = s->segments - 1; segment >= 0; --segment) {
        for (long k = s->first[segment + 1] - 1; k >= s->first[segment]; --k) {
            memcpy(s->inputs.by, row_of(s, k, s->gradient), (size_t)d->input_count * sizeof(double));
            AC_TRY(multiply_interval(s, k, segment));
        }
        if (segment > 0) AC_TRY(leave_segment(s, segment, s->second_q, NULL));
    }
    return AC_OK;
}

void ac_second_begin_back(ac_second *s)
{
    const int n = s->d->system->n;
    double *const vectors[] = {s->by_q, s->by_p, s->second_q, s->second_p};
    for (int k = 0; k < 4; ++k) clear(n, vectors[k]);
    clear_rows(s, s->gradient);
    s->slope = 0.0;
    take_node(s, s->d->steps, s->d->steps - s->memory.base);
    bend_node(s, s->d->steps, s->d->steps - s->memory.base);
}

ac_status ac_second_back(ac_second *s, long interval)
{
    AC_TRY(back_interval(s, interval, 0));
    const double *change = ac_second_inputs(s, interval);
    for (int k = 0; change && k < s->d->input_count; ++k) s->slope += s->inputs.by[k] * change[k];
    return multiply_interval(s, interval, 0);
}

ac_status ac_second_multiply(ac_second *s, const ac_second_direction *direction)
{
    ac_second_direction all = *direction;
    if ((s->functional->node && !s->functional->node_along) ||
        (s->functional->interval && !s->functional->interval_along))
        return ac_fail(s->ctx, AC_BAD_INPUT, "the functional has no second derivatives");
    AC_TRY(ac_second_begin_parameters(s, &all));
    clear_rows(s, s->product);
    s->direction = &all;
    ac_status status = s->memory.limited ? ac_second_multiply_limited(s) : ac_second_follow(s, &all);
    if (status == AC_OK && !s->memory.limited) status = sweep_back(s);
    ac_mass_apply(s->d->system, s->second_p, s->second_velocity);
    if (s->by_parameters) ac_second_finish_parameters(s);
    s->direction = NULL;
    s->d->parameters.along = NULL;
    return status;
}

/* --- the public face --- */

static ac_status linearise(ac_adjoint *d, const ac_functional *functional, double *value)
{
    ac_second *s = d->second;
    double found = 0.0;
    if (!s->memory.limited) {
        AC_TRY(ac_second_simulate(s, functional, value));
        return ac_second_linearise(s);
    }
    s->functional = functional; /* products linearise as they go back */
    AC_TRY(ac_adjoint_value(d, functional, &found));
    if (value) *value = found;
    s->linearised = true;
    return AC_OK;
}

ac_status ac_adjoint_linearise(ac_adjoint *d, const ac_functional *functional, double *value)
{
    if (d->times)
        return ac_fail(d->ctx, AC_BAD_INPUT,
                       "there are no second derivatives of a motion whose steps are unknowns (free_step)");
    if (!d->second) AC_TRY(ac_second_create(d, 1, &d->second));
    d->parameters.idle = true;
    ac_status status = linearise(d, functional, value);
    d->parameters.idle = false;
    return status;
}

ac_status ac_adjoint_bend(ac_adjoint *d, const ac_second_direction *direction, double *slope)
{
    if (!d->second || !d->second->linearised)
        return ac_fail(d->ctx, AC_BAD_INPUT, "the motion has not been linearised");
    d->parameters.idle = true;
    ac_status status = ac_second_multiply(d->second, direction);
    d->parameters.idle = false;
    if (slope) *slope = d->second->slope;
    return status;
}

ac_status ac_adjoint_second(ac_adjoint *d, const ac_adjoint_direction *direction, double *slope)
{
    return ac_adjoint_bend(d,
                           &(ac_second_direction){.inputs = direction->inputs,
                                                  .configuration = direction->configuration,
                                                  .velocity = direction->velocity},
                           slope);
}

const double *ac_adjoint_second_by_input(const ac_adjoint *d, long interval)
{
    return row_of(d->second, interval, d->second->product);
}

const double *ac_adjoint_second_by_configuration(const ac_adjoint *d)
{
    return d->second->second_q;
}

const double *ac_adjoint_second_by_velocity(const ac_adjoint *d)
{
    return d->second->second_velocity;
}
