/* The objective of an optimal control problem as a functional of a simulated motion: its expressions at the first and the
 * last node and on the intervals, and the effort.
 *
 * Angles are continued along the motion: values near which they are taken escort it, those of scalars and then of measures.
 */
#include "adjoint/objective.h"

#include <math.h>
#include <string.h>

typedef struct taking { /* where derivatives by the variables of a term go; NULL: nowhere */
    double *a, *b, *velocity, *inputs;
    int n;
} taking;

/* Value of a term times its weight, with derivatives. */
static double take_term(const ac_objective_functional *f, const ac_term *term, const ac_term_point *point,
                        double weight, const taking *to)
{
    bool slopes = to->a != NULL;
    double value = ac_term_evaluate(term, &f->o->description.scalars, point, slopes ? 1 : 0);
    if (!isfinite(value) && !f->adjoint->lost.text) {
        f->adjoint->lost.text = term->text;
        f->adjoint->lost.t = point->steps * point->h;
    }
    for (int i = 0; slopes && i < term->ref_count; ++i) {
        const ac_ref *ref = &term->refs[i];
        double *target = NULL;
        switch (ref->kind) {
        case AC_REF_A: target = to->a; break;
        case AC_REF_B: target = to->b; break;
        case AC_REF_TAU: target = to->inputs; break;
        case AC_REF_VELOCITY: target = to->velocity; break;
        default: break; /* step and parameters are given */
        }
        if (target && (ref->kind == AC_REF_TAU || ref->index < to->n))
            target[ref->index] += weight * term->gradient[i];
    }
    return weight * value;
}

/* A configuration with the moving data behind it. */
static const double *extend(const ac_optimization *o, const double *q, double *to)
{
    const ac_variation *v = &o->description.variation;
    if (!q) return NULL;
    memcpy(to, q, (size_t)o->system->n * sizeof *q);
    for (int k = 0; k < v->moving_count; ++k) to[o->system->n + k] = v->moving[k].jet.v;
    return to;
}

ac_term_point ac_marked_point(const ac_marked_objective *m, const ac_term_point *point)
{
    ac_term_point own = *point;
    own.a = extend(m->o, point->a, m->a);
    own.b = extend(m->o, point->b, m->b);
    own.parameters = m->o->description.variation.value;
    return own;
}

/* Objective k by the parameters that stand in it. */
static void take_marked(const ac_objective_functional *f, int objective, const ac_term_point *point,
                        double factor, double *by_parameters)
{
    for (int k = 0; by_parameters && k < f->marked_count; ++k) {
        const ac_marked_objective *m = &f->marked[k];
        const ac_objective_data *own = &m->o->description.objectives[objective];
        if (ac_term_is_marked(m, &own->term))
            by_parameters[m->parameter] += f->sign * own->weight * factor *
                                           ac_marked_slope(m, &own->term, point);
    }
}

ac_term_point ac_objective_point(const ac_objective_functional *f, long node)
{
    const ac_optimization *o = f->o;
    const ac_adjoint *d = f->adjoint;
    const double *a = ac_adjoint_escorted(d, node);
    return (ac_term_point){.winding_a = a,
                           .winding_b = ac_adjoint_escorted_after(d, node),
                           .measure_windings = a + o->description.scalars.count,
                           .h = d->h,
                           .count = d->times ? d->times->until / d->h : (double)d->steps,
                           .parameters = f->parameters};
}

/* weight/2 (quantity - target)^2 */
static double take_approach(ac_objective_functional *f, const double *q, const double *p, bool *velocities,
                            double *by_q)
{
    const ac_term *term = &f->o->description.aim.term;
    const long node = f->adjoint->steps;
    if (term->velocities && !*velocities) {
        if (f->status == AC_OK) f->status = ac_adjoint_velocity(f->adjoint, q, p, f->v);
        *velocities = true;
    }
    ac_term_point point = ac_objective_point(f, node);
    point.a = q;
    point.velocity = f->v;
    point.steps = (double)node;
    double away = ac_term_evaluate(term, &f->o->description.scalars, &point, 0) - f->approach_target;
    if (by_q)
        take_term(f, term, &point, f->approach_weight * away,
                  &(taking){by_q, NULL, f->by_v, NULL, f->adjoint->system->n});
    return 0.5 * f->approach_weight * away * away;
}

static double at_node(void *user, long node, double t, const double *q, const double *p, double *by_q,
                      double *by_p)
{
    ac_objective_functional *f = user;
    const int n = f->adjoint->system->n;
    double sum = 0.0;
    bool velocities = false;
    if (node != 0 && node != f->adjoint->steps) return 0.0;
    memset(f->by_v, 0, (size_t)n * sizeof *f->by_v);
    for (int k = 0; k < f->o->description.objective_count; ++k) {
        const ac_objective_data *objective = &f->o->description.objectives[k];
        bool here = (objective->type == AC_OBJECTIVE_START && node == 0) ||
                    (objective->type == AC_OBJECTIVE_END && node == f->adjoint->steps);
        if (!here) continue;
        if (objective->term.velocities && !velocities) {
            if (f->status == AC_OK) f->status = ac_adjoint_velocity(f->adjoint, q, p, f->v);
            velocities = true;
        }
        ac_term_point point = ac_objective_point(f, node);
        point.a = q;
        point.velocity = f->v;
        point.steps = f->adjoint->times ? t / point.h : (double)node;
        double value = take_term(f, &objective->term, &point, f->sign * objective->weight,
                                 &(taking){by_q, NULL, f->by_v, NULL, n});
        double *by_parameters = by_q && !f->adjoint->parameters.idle ? f->adjoint->parameters.total : NULL;
        take_marked(f, k, &point, 1.0, by_parameters);
        sum += value;
    }
    if (node == f->adjoint->steps && f->approach_weight > 0.0)
        sum += take_approach(f, q, p, &velocities, by_q);
    if (velocities && by_q && f->status == AC_OK)
        f->status = ac_adjoint_pull_velocity(f->adjoint, q, p, f->by_v, by_q, by_p);
    return f->status == AC_OK ? sum : NAN;
}

/* On an interval, whose steps may have lengths of their own. */
static ac_term_point on_point(const ac_objective_functional *f, long interval, double t, double h,
                              const double *qa, const double *qb, const double *inputs)
{
    ac_term_point point = ac_objective_point(f, interval);
    point.a = qa;
    point.b = qb;
    point.tau = inputs;
    point.steps = (double)interval + 0.5;
    if (f->adjoint->times || f->adjoint->path) {
        point.count *= point.h / h;
        point.h = h;
        point.steps = t / h + 0.5;
    }
    return point;
}

static double on_interval(void *user, long interval, double t, double h, const double *qa, const double *qb,
                          const double *inputs, double *by_a, double *by_b, double *by_inputs)
{
    ac_objective_functional *f = user;
    const ac_adjoint_parameters *p = &f->adjoint->parameters;
    double sum = 0.0, *by_parameters = NULL;
    if (p->count > 0 && by_a && !p->idle)
        by_parameters = ac_adjoint_parameters_over_time(f->adjoint, interval);
    for (int k = 0; k < f->o->description.objective_count; ++k) {
        const ac_objective_data *objective = &f->o->description.objectives[k];
        const double weight = f->sign * objective->weight;
        const ac_term_point point = on_point(f, interval, t, h, qa, qb, inputs);
        if (objective->type != AC_OBJECTIVE_START && objective->type != AC_OBJECTIVE_END)
            take_marked(f, k, &point, h, by_parameters);
        if (objective->type == AC_OBJECTIVE_EFFORT) {
            double squares = 0.0;
            for (int c = 0; c < f->adjoint->control_count; ++c) {
                squares += 0.5 * h * inputs[c] * inputs[c];
                if (by_inputs) by_inputs[c] += weight * h * inputs[c];
            }
            sum += weight * squares;
        } else if (objective->type == AC_OBJECTIVE_DURATION) {
            sum += weight * h;
        } else if (objective->type == AC_OBJECTIVE_RUNNING) {
            sum += take_term(f, &objective->term, &point, weight * h,
                             &(taking){by_a, by_b, NULL, by_inputs, f->adjoint->system->n});
        }
    }
    return sum;
}

/* By the time at which the interval begins, and by its length: the terms are those of its middle. */
static void by_time(void *user, long interval, double t, double h, const double *qa, const double *qb,
                    double *by_t, double *by_h)
{
    const ac_objective_functional *f = user;
    for (int k = 0; k < f->o->description.objective_count; ++k) {
        const ac_objective_data *objective = &f->o->description.objectives[k];
        const double weight = f->sign * objective->weight;
        double first, length;
        if (objective->type == AC_OBJECTIVE_DURATION) *by_h += weight;
        if (objective->type != AC_OBJECTIVE_RUNNING) continue;
        const ac_term_point point = on_point(f, interval, t, h, qa, qb, NULL);
        *by_h += weight * ac_term_evaluate(&objective->term, &f->o->description.scalars, &point, 1);
        ac_term_by_time(&objective->term, &point, &first, &length);
        *by_t += weight * h * first;
        *by_h += weight * h * (length + 0.5 * first);
    }
}

ac_status ac_objective_open(ac_optimization *o, ac_adjoint *adjoint, ac_objective_functional *f)
{
    const ac_system *system = adjoint->system;
    *f = (ac_objective_functional){.o = o, .adjoint = adjoint, .ctx = adjoint->ctx, .sign = 1.0};
    f->functional = (ac_functional){
        f, at_node, on_interval, ac_objective_node_along, ac_objective_interval_along, by_time};
    for (int k = 0; k < o->description.objective_count; ++k)
        if (o->description.objectives[k].type == AC_OBJECTIVE_ABSOLUTE)
            return ac_fail(f->ctx, AC_BAD_INPUT,
                           "gradients of a simulated motion know objectives of effort, duration, energy, at "
                           "the start, at the end and running ones; write the absolute value as a smooth "
                           "running expression");
    AC_NEW(f->ctx, f->v, system->n);
    AC_NEW(f->ctx, f->by_v, system->n);
    AC_NEW(f->ctx, f->dby_v, system->n);
    AC_TRY(ac_adjoint_velocity_work(adjoint, &f->work_block, &f->work));
    AC_NEW(f->ctx, f->parameters, o->description.variation.count + 1);
    for (int k = 0; k < o->description.variation.count; ++k)
        f->parameters[k] = o->description.variation.value[k];
    return AC_OK;
}

void ac_objective_close(ac_objective_functional *f)
{
    if (!f->ctx) return;
    for (int k = 0; k < f->marked_count; ++k) {
        ac_marked_close_numbers(f->ctx, &f->marked[k]);
        ac_release(f->ctx, f->marked[k].a);
    }
    ac_release(f->ctx, f->joint.a);
    void *blocks[] = {f->marked, f->v, f->by_v, f->parameters, f->dby_v, f->work_block};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(f->ctx, blocks[k]);
    memset(f, 0, sizeof *f);
}

static void wind(void *user, const double *q, const double *winding, const double *before, double *now)
{
    const ac_optimization *o = user;
    memcpy(now + o->description.scalars.count, winding, (size_t)o->system->measure_count * sizeof *winding);
    for (int k = 0; k < o->description.quantities.count; ++k) {
        int at = o->description.quantities.scalar[k], measure = o->description.quantities.measure[k];
        if (at < 0) continue; /* a signal */
        double near = before ? before[at] : measure >= 0 ? o->system->measures[measure].initial : 0.0;
        now[at] = ac_scalar_evaluate(&o->description.scalars, at, q, near, NULL, NULL);
    }
}

ac_escort ac_objective_escort(ac_optimization *o)
{
    return (ac_escort){o, o->description.scalars.count + o->system->measure_count, wind};
}

/* --- parameters --- */

static ac_status open_marked(ac_objective_functional *f, ac_optimization *o, ac_marked_objective *own)
{
    const size_t size = (size_t)o->system->n + (size_t)o->description.variation.moving_count + 1;
    if (o->description.objective_count != f->o->description.objective_count ||
        o->description.scalars.count != f->o->description.scalars.count)
        return ac_fail(f->ctx, AC_BAD_INPUT, "a parameter changes the terms of the functional");
    own->o = o;
    AC_NEW(f->ctx, own->a, 2 * size);
    own->b = own->a + size;
    return AC_OK;
}

ac_status ac_objective_mark(ac_objective_functional *f, const ac_marked_objective *marked)
{
    AC_TRY(ac_grow(f->ctx, (void **)&f->marked, &f->marked_capacity, f->marked_count + 1, sizeof *f->marked));
    ac_marked_objective *own = &f->marked[f->marked_count];
    *own = *marked;
    ++f->marked_count;
    AC_TRY(open_marked(f, marked->o, own));
    return ac_marked_open_numbers(&f->adjoint->discrete, own);
}

ac_status ac_objective_join(ac_objective_functional *f, ac_optimization *o)
{
    ac_release(f->ctx, f->joint.a);
    f->joint = (ac_marked_objective){.own = -1, .parameter = -1};
    return open_marked(f, o, &f->joint);
}
