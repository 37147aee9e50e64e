/* Second derivatives of the objective of an optimal control problem along a direction of its motion, and of parameters: then terms
 * that depend on them are those of the objective as a function of all parameters together (joint), whose data that move points stand
 * behind the coordinates and are functions of the parameters themselves. */
#include <string.h>

#include "adjoint/objective.h"
#include "adjoint/second/second.h"

/* Where changes come from and where products go; NULL: nothing. */
typedef struct along {
    const double *change[4]; /* a, b, inputs, velocity */
    double *to[4];
    int n;
} along;

static int place_of(const ac_ref *ref)
{
    switch (ref->kind) {
    case AC_REF_A: return 0;
    case AC_REF_B: return 1;
    case AC_REF_TAU: return 2;
    case AC_REF_VELOCITY: return 3;
    default: return -1; /* step and parameters are given */
    }
}

static void add_pair(const along *s, const ac_ref *row, const ac_ref *column, double value)
{
    int i = place_of(row), j = place_of(column);
    if (i < 0 || j < 0 || (i != 2 && row->index >= s->n) || (j != 2 && column->index >= s->n)) return;
    if (s->to[i] && s->change[j]) s->to[i][row->index] += value * s->change[j][column->index];
}

/* How a variable of a joint term changes. */
static double change_of(const ac_marked_objective *m, const ac_ref *ref, const along *s,
                        const double *direction)
{
    const ac_variation *v = &m->o->description.variation;
    int place = place_of(ref);
    double sum = 0.0;
    if (ref->kind == AC_REF_P) return direction[ref->index];
    if (place < 0) return 0.0;
    if (place >= 2 || ref->index < s->n) return s->change[place] ? s->change[place][ref->index] : 0.0;
    const ac_jet *jet = &v->moving[ref->index - s->n].jet;
    for (int a = 0; a < jet->count; ++a) sum += jet->d[a] * direction[jet->by[a]];
    return sum;
}

/* A derivative by a variable of a joint term and its change go where they belong. */
static void give_joint(const ac_marked_objective *m, const ac_ref *ref, const along *s, double slope,
                       double change, ac_second_parameters *by)
{
    const ac_variation *v = &m->o->description.variation;
    int place = place_of(ref);
    if (ref->kind == AC_REF_P) {
        by->gradient[ref->index] += slope;
        by->product[ref->index] += change;
    }
    if (place < 0) return;
    if (place >= 2 || ref->index < s->n) {
        if (s->to[place]) s->to[place][ref->index] += change;
        return;
    }
    const ac_jet *jet = &v->moving[ref->index - s->n].jet;
    for (int a = 0; a < jet->count; ++a) {
        by->gradient[jet->by[a]] += slope * jet->d[a];
        by->product[jet->by[a]] += change * jet->d[a];
        for (int b = 0; jet->dd && b < jet->count; ++b)
            by->product[jet->by[a]] += slope * jet->dd[a * jet->count + b] * by->direction[jet->by[b]];
    }
}

static void bend_joint(const ac_marked_objective *m, const ac_term *term, const ac_term_point *point,
                       double weight, const along *s, ac_second_parameters *by)
{
    const ac_term_point own = ac_marked_point(m, point);
    ac_term_evaluate(term, &m->o->description.scalars, &own, 2);
    for (int i = 0; i < term->ref_count; ++i)
        give_joint(m, &term->refs[i], s, weight * term->gradient[i], 0.0, by);
    for (int k = 0; k < term->pair_count; ++k) {
        const ac_ref *row = &term->refs[term->pairs[k].row], *column = &term->refs[term->pairs[k].column];
        double value = weight * term->hessian[k];
        give_joint(m, row, s, 0.0, value * change_of(m, column, s, by->direction), by);
        if (row != column) give_joint(m, column, s, 0.0, value * change_of(m, row, s, by->direction), by);
    }
}

/* The objective as a function of parameters, where it is one and they change; NULL: it is not. */
static const ac_objective_data *joint_of(const ac_objective_functional *f, int objective)
{
    const ac_marked_objective *m = &f->joint;
    if (!f->adjoint->parameters.along || !m->o) return NULL;
    const ac_objective_data *own = &m->o->description.objectives[objective];
    return ac_term_is_marked(m, &own->term) ? own : NULL;
}

static void bend_term(const ac_objective_functional *f, const ac_term *term, const ac_term_point *point,
                      double weight, const along *s)
{
    ac_term_evaluate(term, &f->o->description.scalars, point, 2);
    for (int k = 0; k < term->pair_count; ++k) {
        const ac_ref *row = &term->refs[term->pairs[k].row], *column = &term->refs[term->pairs[k].column];
        double value = weight * term->hessian[k];
        add_pair(s, row, column, value);
        if (term->pairs[k].row != term->pairs[k].column) add_pair(s, column, row, value);
    }
}

/* by_v += derivatives of a term by the velocities */
static void pull_rates(const ac_term *term, double weight, double *by_v)
{
    for (int i = 0; i < term->ref_count; ++i)
        if (term->refs[i].kind == AC_REF_VELOCITY) by_v[term->refs[i].index] += weight * term->gradient[i];
}

/* weight/2 (quantity - target)^2: the products of first derivatives, and second ones times the distance */
static void bend_approach(ac_objective_functional *f, const double *q, const double *p, const double *dq,
                          const double *dp, bool *velocities, double *by_q)
{
    const ac_term *term = &f->o->description.aim.term;
    const long node = f->adjoint->steps;
    const double weight = f->approach_weight;
    if (term->velocities && !*velocities) {
        f->status = ac_adjoint_velocity_along(f->adjoint, q, p, dq, dp, &f->work);
        *velocities = true;
    }
    ac_term_point point = ac_objective_point(f, node);
    point.a = q;
    point.velocity = f->work.v;
    point.steps = (double)node;
    double away = ac_term_evaluate(term, &f->o->description.scalars, &point, 1) - f->approach_target,
           slope = 0.0;
    const along s = {{dq, NULL, NULL, f->work.dv}, {by_q, NULL, NULL, f->dby_v}, f->adjoint->system->n};
    for (int i = 0; i < term->ref_count; ++i) {
        int place = place_of(&term->refs[i]);
        if (place >= 0 && s.change[place] && term->refs[i].index < s.n)
            slope += term->gradient[i] * s.change[place][term->refs[i].index];
    }
    for (int i = 0; i < term->ref_count; ++i) {
        int place = place_of(&term->refs[i]);
        if (place >= 0 && s.to[place] && term->refs[i].index < s.n)
            s.to[place][term->refs[i].index] += weight * slope * term->gradient[i];
    }
    bend_term(f, term, &point, weight * away, &s);
    pull_rates(term, weight * away, f->by_v);
}

void ac_objective_node_along(void *user, long node, double t, const double *q, const double *p,
                             const double *dq, const double *dp, double *by_q, double *by_p)
{
    ac_objective_functional *f = user;
    const int n = f->adjoint->system->n;
    bool velocities = false;
    (void)t;
    if (node != 0 && node != f->adjoint->steps) return;
    memset(f->by_v, 0, (size_t)n * sizeof *f->by_v);
    memset(f->dby_v, 0, (size_t)n * sizeof *f->dby_v);
    for (int k = 0; k < f->o->description.objective_count && f->status == AC_OK; ++k) {
        const ac_objective_data *objective = &f->o->description.objectives[k];
        bool here = (objective->type == AC_OBJECTIVE_START && node == 0) ||
                    (objective->type == AC_OBJECTIVE_END && node == f->adjoint->steps);
        if (!here) continue;
        if (objective->term.velocities && !velocities) {
            f->status = ac_adjoint_velocity_along(f->adjoint, q, p, dq, dp, &f->work);
            velocities = true;
        }
        ac_term_point point = ac_objective_point(f, node);
        point.a = q;
        point.velocity = f->work.v;
        point.steps = (double)node;
        const along s = {{dq, NULL, NULL, f->work.dv}, {by_q, NULL, NULL, f->dby_v}, n};
        const ac_objective_data *joint = joint_of(f, k);
        const ac_term *term = joint ? &joint->term : &objective->term;
        double weight = f->sign * (joint ? joint : objective)->weight;
        if (joint)
            bend_joint(&f->joint, term, &point, weight, &s, f->adjoint->parameters.along);
        else
            bend_term(f, term, &point, weight, &s);
        pull_rates(term, weight, f->by_v);
    }
    if (node == f->adjoint->steps && f->approach_weight > 0.0)
        bend_approach(f, q, p, dq, dp, &velocities, by_q);
    if (!velocities || f->status != AC_OK) return;
    f->status = f->gauss_newton
                    ? ac_adjoint_pull_velocity(f->adjoint, q, p, f->dby_v, by_q, by_p)
                    : ac_adjoint_bend_velocity(f->adjoint, q, dq, f->by_v, f->dby_v, &f->work, by_q, by_p);
}

void ac_objective_interval_along(void *user, long interval, double t, double h, const double *qa,
                                 const double *qb, const double *inputs, const double *da, const double *db,
                                 const double *dinputs, double *by_a, double *by_b, double *by_inputs)
{
    const ac_objective_functional *f = user;
    (void)t;
    for (int k = 0; k < f->o->description.objective_count; ++k) {
        const ac_objective_data *objective = &f->o->description.objectives[k], *joint = joint_of(f, k);
        const double weight = f->sign * h * (joint ? joint : objective)->weight;
        const along s = {{da, db, dinputs, NULL}, {by_a, by_b, by_inputs, NULL}, f->adjoint->system->n};
        ac_term_point point = ac_objective_point(f, interval);
        point.a = qa;
        point.b = qb;
        point.tau = inputs;
        point.steps = (double)interval + 0.5;
        if (objective->type == AC_OBJECTIVE_START || objective->type == AC_OBJECTIVE_END) continue;
        if (joint) {
            bend_joint(&f->joint, &joint->term, &point, weight, &s, f->adjoint->parameters.along);
        } else if (objective->type == AC_OBJECTIVE_EFFORT) {
            for (int c = 0; dinputs && c < f->adjoint->control_count; ++c)
                by_inputs[c] += weight * dinputs[c];
        } else if (objective->type == AC_OBJECTIVE_RUNNING) {
            bend_term(f, &objective->term, &point, weight, &s);
        }
    }
}
