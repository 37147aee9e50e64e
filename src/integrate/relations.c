/* Relations of joint coordinates in a step.
 *
 * A relation is a constraint row g = sum of factor_k (y_k(q_b) - y_k(q_a)) - change, where `change` is how far it goes on the
 * interval, and what rounding left of the interval before: written with differences, a wheel that has turned a million times is
 * held as exactly as one at the start. The
 * force that holds it is the multiplier of the row, like that of a joint: J = -Lambda at the node q_a, with
 * p + left = G^T Lambda. Its work at a node,
 *
 *   w_n = J_n grad g(q_n) . (q_n+1 - q_n-1) / (h_n-1 + h_n),
 *
 * is the difference of the interval energies exactly, where masses and gravity are constant; half of it belongs to each side
 * of the node. In schemes at the mean the force acts on the interval, and the gradient at the mean makes the work exact.
 */
#include "integrate/relations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/signal.h"
#include "linalg/dense.h"

static const double RANK_TOLERANCE = 1e-9;

/* Value of a measure at q; an angle without its full turns. */
static double bare(const ac_system *system, int measure, const double *q, double near)
{
    double x[AC_ELEMENT_MAX];
    const ac_measure *m = &system->measures[measure];
    ac_measure_gather(system, m, q, x);
    return ac_measure_evaluate(system, m, x, near, NULL, NULL);
}

static void values(const void *user, const double *q, double *g)
{
    const ac_relations *r = user;
    const ac_system *system = r->stepper->system;
    for (int k = 0; k < system->relations.count; ++k) {
        const ac_relation_data *relation = &system->relations.list[k];
        g[k] = -r->change[k];
        for (int i = 0; i < relation->count; ++i) {
            double base = r->base[relation->measures[i]];
            g[k] += relation->factors[i] * (bare(system, relation->measures[i], q, base) - base);
        }
    }
}

static void gradient_of(void *user, int row, const double *q, double *gradient)
{
    const ac_relations *r = user;
    const ac_system *system = r->stepper->system;
    ac_relation_gradient(system, &system->relations.list[row], q, r->stepper->winding, gradient);
}

static void jacobian(void *user, const double *columns, const double *q, double *J)
{
    const ac_relations *r = user;
    const ac_system *system = r->stepper->system;
    for (int k = 0; k < system->relations.count; ++k) {
        gradient_of(user, k, q, r->gradient);
        ac_tree_project(system, columns, q, r->gradient, r->twists,
                        J + (size_t)k * (size_t)system->tree.freedoms);
    }
}

static int slot_of(const void *user, int row)
{
    (void)user;
    return row;
}

static int nodes_of(const void *user, int slot, int nodes[AC_MORE_NODES])
{
    const ac_relations *r = user;
    return ac_relation_nodes(r->stepper->system, &r->stepper->system->relations.list[slot], nodes);
}

static void curvature_of(const void *user, int row, const double *q, double *block)
{
    const ac_relations *r = user;
    const ac_system *system = r->stepper->system;
    ac_relation_curvature(system, &system->relations.list[row], q, r->stepper->winding, block);
}

ac_status ac_relations_create(ac_stepper *s)
{
    const ac_system *system = s->system;
    int rows = system->relations.count;
    ac_relations *r;
    if (rows == 0) return AC_OK;
    if (system->contact_count > 0)
        return ac_fail(s->ctx, AC_BAD_INPUT,
                       "coordinates that are coupled or prescribed cannot meet contacts yet: '%s'",
                       system->relations.list[0].name);
    if (s->extended)
        return ac_fail(s->ctx, AC_BAD_INPUT,
                       "coordinates that are coupled or prescribed need equal steps, not free ones: '%s'",
                       system->relations.list[0].name);
    AC_NEW(s->ctx, r, 1);
    s->relations = r;
    r->stepper = s;
    AC_NEW(s->ctx, r->base, system->measure_count);
    AC_NEW(s->ctx, r->change, rows);
    AC_NEW(s->ctx, r->missed, rows);
    AC_NEW(s->ctx, r->lambda, system->constraints.count + rows);
    AC_NEW(s->ctx, r->impulse, rows);
    AC_NEW(s->ctx, r->work, rows);
    AC_NEW(s->ctx, r->now, rows);
    AC_NEW(s->ctx, r->last, rows);
    AC_NEW(s->ctx, r->gradient, system->n);
    AC_NEW(s->ctx, r->twists, 6 * (size_t)system->node_count);
    AC_NEW(s->ctx, r->moved, (size_t)rows * (size_t)system->n);
    AC_NEW(s->ctx, r->S, (size_t)rows * (size_t)rows);
    AC_NEW(s->ctx, r->wanted, rows);
    AC_NEW(s->ctx, r->space, ac_row_space_doubles(rows, rows));
    AC_NEW(s->ctx, r->ints, ac_row_space_ints(rows, rows));
    s->more = (ac_more_rows){.most = rows,
                             .count = rows,
                             .user = r,
                             .values = values,
                             .jacobian = jacobian,
                             .slot = slot_of,
                             .nodes = nodes_of,
                             .gradient = gradient_of,
                             .curvature = curvature_of};
    ac_relations_restart(s);
    return AC_OK;
}

void ac_relations_destroy(ac_stepper *s)
{
    ac_relations *r = s->relations;
    if (!r) return;
    void *blocks[] = {r->base,  r->change, r->lambda, r->impulse, r->work, r->now,  r->gradient, r->twists,
                      r->moved, r->S,      r->wanted, r->space,   r->ints, r->last, r->missed};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, r);
    s->relations = NULL;
}

void ac_relations_restart(ac_stepper *s)
{
    ac_relations *r = s->relations;
    if (!r) return;
    size_t bytes = (size_t)s->system->relations.count * sizeof(double);
    memset(r->impulse, 0, bytes);
    memset(r->missed, 0, bytes);
    memset(r->work, 0, bytes);
    memset(r->now, 0, bytes);
}

ac_status ac_relations_look(ac_stepper *s)
{
    for (int k = 0; s->relations && k < s->system->relations.count; ++k) {
        const ac_relation_data *relation = &s->system->relations.list[k];
        double at;
        if (relation->kind != AC_RELATION_VALUE || !ac_signal_jumps(relation->signal, s->t, s->end, &at))
            continue;
        return ac_fail(
            s->ctx, AC_BAD_INPUT,
            "the prescribed motion of '%s' jumps at %.9g s; a position cannot: give a ramp, or its rate",
            relation->name, at);
    }
    return AC_OK;
}

void ac_relations_begin(ac_stepper *s)
{
    ac_relations *r = s->relations;
    const ac_system *system = s->system;
    for (int k = 0; r && k < system->relations.count; ++k) {
        const ac_relation_data *relation = &system->relations.list[k];
        double end = s->interval.h == s->h ? s->end : s->t + s->interval.h;
        for (int i = 0; i < relation->count; ++i)
            r->base[relation->measures[i]] = bare(system, relation->measures[i], s->qa, 0.0);
        r->change[k] = ac_relation_change(relation, s->t, end) - r->missed[k];
    }
}

/* grad g . (q_b - q) of a relation at `at`. */
static double moved_by(const ac_stepper *s, int relation, const double *at, const double *q)
{
    ac_relations *r = s->relations;
    double sum = 0.0;
    ac_relation_gradient(s->system, &s->system->relations.list[relation], at, s->winding, r->gradient);
    for (int i = 0; i < s->system->n; ++i) sum += r->gradient[i] * (s->qb[i] - q[i]);
    return sum;
}

void ac_relations_solved(ac_stepper *s)
{
    ac_relations *r = s->relations;
    if (!r) return;
    int loops = s->system->constraints.count - s->system->constraints.closure;
    bool mean = s->scheme->at_mean;
    s->formulation->impulses(s, r->lambda);
    for (int k = 0; k < s->system->relations.count; ++k) {
        const double *at = mean ? s->interval.mean : s->qa, *from = mean ? s->qa : s->before;
        double time = mean ? 0.5 * s->h : s->h_before + s->h;
        r->impulse[k] = -r->lambda[loops + k];
        r->now[k] = r->impulse[k] * moved_by(s, k, at, from) / time;
    }
}

void ac_relations_accept(ac_stepper *s)
{
    ac_relations *r = s->relations;
    if (!r) return;
    values(r, s->qb, r->missed);
    for (int k = 0; k < s->system->relations.count; ++k) r->work[k] += r->now[k];
}

double ac_relations_force(const ac_stepper *s, int relation, bool last)
{
    const ac_relations *r = s->relations;
    if (last && !s->scheme->at_mean) return 2.0 * r->last[relation] / s->h;
    return r->impulse[relation] / (ac_stepper_multiplier_factor(s) * s->h);
}

double ac_relations_work(const ac_stepper *s, bool last)
{
    const ac_relations *r = s->relations;
    bool mean = s->scheme->at_mean;
    double sum = 0.0;
    for (int k = 0; k < s->system->relations.count; ++k) {
        if (s->system->relations.list[k].kind == AC_RELATION_CONSTANT) continue;
        sum += r->work[k];
        if (last) {
            sum += r->now[k] + (mean ? 0.0 : r->last[k] * moved_by(s, k, s->qb, s->qa) / s->h);
        } else if (!mean && s->step > 0) {
            sum += 0.5 * r->now[k];
        }
    }
    return sum;
}

void ac_relations_take_off(const ac_stepper *s, const double *q, bool last, double factor, double *f)
{
    const ac_relations *r = s->relations;
    for (int k = 0; r && k < s->system->relations.count; ++k) {
        double impulse = last && !s->scheme->at_mean ? r->last[k] : r->impulse[k];
        ac_relation_gradient(s->system, &s->system->relations.list[k], q, s->winding, r->gradient);
        for (int i = 0; i < s->system->n; ++i) f[i] += factor * impulse * r->gradient[i];
    }
}

/* With M_k = Q grad g_k, the momentum that a unit of impulse gives, and v_k its velocity: p += sum Lambda_k M_k, where
 * S Lambda = rate - J v, S_jk = grad g_j . v_k. */
ac_status ac_relations_project(ac_stepper *s, ac_legendre *legendre, const double *q, double t, double *p)
{
    ac_relations *r = s->relations;
    const ac_system *system = s->system;
    int rows = system->relations.count, n = system->n;
    ac_row_space space;
    for (int k = 0; k < rows; ++k) {
        const ac_relation_data *relation = &system->relations.list[k];
        ac_relation_gradient(system, relation, q, s->winding, r->gradient);
        r->wanted[k] = ac_relation_rate(relation, t);
        AC_TRY(ac_legendre_project(legendre, q, p));
        for (int i = 0; i < n; ++i) r->wanted[k] -= r->gradient[i] * legendre->velocity[i];
        AC_TRY(ac_legendre_project(legendre, q, r->gradient));
        memcpy(r->moved + (size_t)k * (size_t)n, legendre->projected, (size_t)n * sizeof *r->moved);
        for (int j = 0; j < rows; ++j) {
            double sum = 0.0;
            ac_relation_gradient(system, &system->relations.list[j], q, s->winding, r->gradient);
            for (int i = 0; i < n; ++i) sum += r->gradient[i] * legendre->velocity[i];
            r->S[j * rows + k] = sum;
        }
    }
    ac_row_space_place(&space, rows, rows, r->space, r->ints);
    ac_least_squares(&space, r->S, r->wanted, RANK_TOLERANCE, r->last);
    for (int k = 0; k < rows; ++k)
        for (int i = 0; i < n; ++i) p[i] += r->last[k] * r->moved[(size_t)k * (size_t)n + (size_t)i];
    return AC_OK;
}

bool ac_relations_trouble(const ac_stepper *s, char *text, size_t size)
{
    int used = 0, shown = 0;
    text[0] = '\0';
    for (int k = 0; s->relations && k < s->system->relations.count && shown < 3; ++k) {
        const ac_relation_data *r = &s->system->relations.list[k];
        if (r->kind == AC_RELATION_CONSTANT) continue;
        double sum = s->relations->change[k], y = 0.0;
        for (int i = 0; i < r->count; ++i)
            y += r->factors[i] * bare(s->system, r->measures[i], s->qa, s->winding[r->measures[i]]);
        used += snprintf(text + used, size - (size_t)used, "%s'%.60s' is prescribed to go from %.6g to %.6g",
                         shown++ ? ", " : "", r->name, y, y + sum);
    }
    return shown > 0;
}

size_t ac_relations_history(const ac_stepper *s)
{
    return s->relations ? 2 * (size_t)s->system->relations.count : 0;
}

void ac_relations_save(const ac_stepper *s, bool solved, double *at)
{
    const ac_relations *r = s->relations;
    int rows = s->system->relations.count;
    for (int k = 0; k < rows; ++k) at[k] = r->work[k] + (solved ? r->now[k] : 0.0);
    memcpy(at + rows, r->missed, (size_t)rows * sizeof *at);
    if (solved) values(r, s->qb, at + rows);
}

void ac_relations_load(ac_stepper *s, const double *at)
{
    size_t rows = (size_t)s->system->relations.count;
    memcpy(s->relations->work, at, rows * sizeof *at);
    memcpy(s->relations->missed, at + rows, rows * sizeof *at);
}
