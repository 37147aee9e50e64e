/* Values at a point: configurations, residuals of the dynamics, objective and conditions. */
#include <math.h>
#include <string.h>

#include "action/relative.h"
#include "action/inertia.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"

/* --- the point --- */

ac_discrete_point ac_interval_point(const ac_optimization *o, int n)
{
    ac_discrete_point p = {.a = ac_q(o, n),
                           .b = ac_q(o, n + 1),
                           .tau = o->point.tau + (size_t)n * (size_t)o->description.discrete.input_count,
                           .winding = o->point.measure_windings +
                                      (size_t)n * (size_t)o->system->measure_count,
                           .h = o->point.h,
                           .stress = o->point.x + ac_stress_variable(o, n)};
    if (o->point.tau_h) p.tau_h = o->point.tau_h + (size_t)n * (size_t)o->description.discrete.input_count;
    if (o->point.tau_h) p.tau_hh = o->point.tau_hh + (size_t)n * (size_t)o->description.discrete.input_count;
    if (o->point.loads)
        p.loads = o->point.loads + (size_t)n * (size_t)(o->description.discrete.input_count -
                                                        o->description.discrete.control_count);
    return p;
}

ac_term_point ac_term_place(const ac_optimization *o, const ac_term *term, int place)
{
    size_t scalars = (size_t)o->description.scalars.count, n = (size_t)place;
    ac_term_point p = {.a = ac_q(o, place),
                       .winding_a = o->point.scalar_windings + n * scalars,
                       .h = o->point.h,
                       .count = o->layout.N};
    p.measure_windings = o->point.measure_windings + n * (size_t)o->system->measure_count;
    p.parameters = o->point.x + o->layout.first.parameter;
    p.steps = term->interval ? place + 0.5 : place;
    if (term->interval) {
        p.b = ac_q(o, place + 1);
        p.winding_b = p.winding_a + scalars;
        p.tau = o->point.tau + n * (size_t)o->description.discrete.input_count;
    } else {
        p.velocity = o->point.velocity[place == 0 ? 0 : 1];
        p.helpers = o->point.x + ac_helper(o, place);
    }
    return p;
}

/* R += factor h c G^T lambda */
static void add_constraint_force(ac_optimization *o, int node, double factor, double *R)
{
    double gradient[AC_ELEMENT_MAX];
    const ac_constraints *c = &o->system->constraints;
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        if (!ac_has_multiplier(o, node, k)) continue;
        int row = o->layout.constraint_rows[k];
        double scale = factor * o->point.x[ac_multiplier(o, node) + k];
        if (scale == 0.0) continue;
        ac_constraint_gradient(o->system, row, ac_q(o, node), gradient);
        for (int s = c->start[row]; s < c->start[row + 1]; ++s)
            R[c->coordinate[s]] += scale * gradient[s - c->start[row]];
    }
}

static void evaluate_velocity(ac_optimization *o, int e)
{
    if (o->layout.first.velocity[e] < 0) return;
    int node = e == 0 ? 0 : o->layout.N, T = o->layout.freedoms;
    const double *w = o->point.x + o->layout.first.velocity[e];
    if (!o->layout.charted) {
        memcpy(o->point.velocity[e], w, (size_t)o->layout.n * sizeof *w);
        return;
    }
    const double *D = ac_point_of(o, node).D;
    for (int i = 0; i < o->layout.n; ++i) {
        o->point.velocity[e][i] = 0.0;
        for (int f = 0; f < T; ++f) o->point.velocity[e][i] += D[i * o->layout.span + f] * w[f];
    }
}

/* In minimal coordinates they have what is held alone; energy-momentum has none. */
static void evaluate_residuals(ac_optimization *o)
{
    size_t n = (size_t)o->layout.n;
    memset(o->point.R, 0, ((size_t)o->layout.N + 1) * n * sizeof *o->point.R);
    if (o->description.discrete.scheme == AC_ENERGY_MOMENTUM) return;
    for (int k = 0; k < o->layout.N && !ac_is_minimal(o); ++k) {
        ac_discrete_point p = ac_interval_point(o, k);
        ac_discrete_values(&o->description.discrete, &p, o->point.left, o->point.right);
        double *Ra = ac_residual(o, k), *Rb = ac_residual(o, k + 1);
        for (size_t i = 0; i < n; ++i) {
            Ra[i] += o->point.left[i];
            Rb[i] += o->point.right[i];
        }
    }
    for (int k = 0; k <= o->layout.N; ++k)
        if (ac_has_dynamics(o, k))
            add_constraint_force(o, k, -ac_multiplier_factor(o, k) * o->point.h, ac_residual(o, k));
    ac_hold_residuals(o);
    for (int e = 0; e < 2 && !ac_is_minimal(o); ++e) {
        double *R = ac_residual(o, e == 0 ? 0 : o->layout.N);
        ac_mass_apply(o->system, o->point.velocity[e], o->point.work);
        for (size_t i = 0; i < n; ++i) R[i] += e == 0 ? o->point.work[i] : -o->point.work[i];
    }
}

/* Angles of tree joints stay continuous, whatever the unknowns do. */
static void follow_turns(ac_optimization *o, int n)
{
    const ac_system *system = o->system;
    double *measures = o->point.measure_windings + (size_t)n * (size_t)system->measure_count;
    double *scalars = o->point.scalar_windings + (size_t)n * (size_t)o->description.scalars.count;
    for (int k = 0; k < system->measure_count; ++k) {
        int i = o->layout.turning[k];
        if (i < 0) continue;
        double angle = o->point.state[i].coordinate[k - system->joints[system->nodes[i].joint].first_measure];
        measures[k] = system->joints[system->nodes[i].joint].reversed ? -angle : angle;
        measures[k] += o->layout.full_turns[k];
    }
    for (int k = 0; k < o->description.quantities.count; ++k) {
        int m = o->description.quantities.measure[k];
        if (m >= 0 && o->layout.turning[m] >= 0) scalars[o->description.quantities.scalar[k]] = measures[m];
    }
}

void ac_evaluate_at(ac_optimization *o, const double *x)
{
    if (o->point.fresh && memcmp(o->point.x, x, (size_t)o->layout.variables * sizeof *x) == 0) return;
    if (o->description.phases) {
        ac_phases_evaluate_at(o, x);
        return;
    }
    if (x != o->point.x) memcpy(o->point.x, x, (size_t)o->layout.variables * sizeof *x);
    o->point.fresh = true;
    o->point.h = (o->layout.by_time ? x[o->layout.first.time] : o->settings.duration) / o->layout.N;
    if (o->layout.parameters > 0 && !ac_parameters_update(o, x)) o->point.h = NAN;
    for (int n = 0; n <= o->layout.N; ++n) {
        if (o->layout.parameters > 0) ac_parameters_extend(o, ac_q(o, n), ac_point_of(o, n).D);
        if (o->layout.charted) {
            ac_chart_point p = ac_point_of(o, n);
            const ac_joint_state *reference = o->point.reference + (size_t)n * (size_t)o->system->node_count;
            if (n > 0) ac_relative_follow(o->system, ac_q(o, n - 1), ac_q(o, n));
            ac_chart_evaluate(&o->description.chart, reference, x + ac_y(o, n), o->point.state, &p);
            follow_turns(o, n);
        } else {
            memcpy(ac_q(o, n), x + ac_y(o, n), (size_t)o->layout.n * sizeof *x);
        }
    }
    for (int n = 0; n < o->layout.N; ++n) {
        double *tau = o->point.tau + (size_t)n * (size_t)o->description.discrete.input_count;
        for (int k = 0; k < o->description.control_count; ++k) tau[k] = x[ac_control_variable(o, n) + k];
        ac_discrete_load_values(&o->description.discrete, n * o->point.h, o->point.h, tau);
        size_t at = (size_t)n * (size_t)o->description.discrete.input_count;
        if (o->point.tau_h)
            ac_discrete_load_slopes(&o->description.discrete, n, o->point.h, o->point.tau_h + at,
                                    o->point.tau_hh + at);
    }
    if (o->point.loads) ac_parameters_loads(o);
    ac_start_evaluate(o);
    evaluate_velocity(o, 0);
    evaluate_velocity(o, 1);
    evaluate_residuals(o);
}

/* --- gradients of terms --- */

/* gradient of all unknowns += factor times the derivative by one local variable of a term */
static void spread(ac_optimization *o, const ac_ref *ref, int place, double value, double *gradient)
{
    int T = o->layout.freedoms, i = ref->index, node = place;
    double *out;
    switch (ref->kind) {
    case AC_REF_P: gradient[o->layout.first.parameter + i] += value; return;
    case AC_REF_HELPER: gradient[ac_helper(o, place) + i] += value; return;
    case AC_REF_TAU: gradient[ac_control_variable(o, place) + i] += value; return;
    case AC_REF_H:
        if (o->layout.by_time) gradient[o->layout.first.time] += value / o->layout.N;
        return;
    case AC_REF_VELOCITY: {
        int e = place == 0 ? 0 : 1;
        if (o->layout.first.velocity[e] < 0) return;
        out = gradient + o->layout.first.velocity[e];
        if (!o->layout.charted) {
            out[i] += value;
            return;
        }
        o->point.Gw[(size_t)e * (size_t)o->layout.n + (size_t)i] += value;
        return;
    }
    case AC_REF_B: node = place + 1; break;
    case AC_REF_A: break;
    }
    out = gradient + ac_y(o, node);
    if (!o->layout.charted && i < o->layout.n) {
        out[i] += value;
        return;
    }
    if (!o->layout.charted) {
        const ac_jet *jet = ac_moving_jet(o, i);
        for (int a = 0; a < jet->count; ++a)
            gradient[o->layout.first.parameter + jet->by[a]] += value * jet->d[a];
        return;
    }
    const double *D = ac_point_of(o, node).D + (size_t)i * (size_t)o->layout.span;
    for (int f = 0; f < T; ++f) out[f] += value * D[f];
    for (int j = 0; j < o->layout.parameters; ++j)
        gradient[o->layout.first.parameter + j] += value * D[T + j];
}

/* Velocities depend on the local coordinates of their node and on the unknown rates. */
static void spread_velocities(ac_optimization *o, double *gradient)
{
    int T = o->layout.freedoms;
    for (int e = 0; e < 2 && o->layout.charted; ++e) {
        if (o->layout.first.velocity[e] < 0) continue;
        int node = e == 0 ? 0 : o->layout.N;
        ac_chart_point p = ac_point_of(o, node);
        const double *Gw = o->point.Gw + (size_t)e * (size_t)o->layout.n;
        ac_chart_along(&o->description.chart, &p, o->point.x + o->layout.first.velocity[e], o->point.Vn);
        for (int i = 0; i < o->layout.n; ++i) {
            if (Gw[i] == 0.0) continue;
            for (int f = 0; f < T; ++f) {
                gradient[o->layout.first.velocity[e] + f] += Gw[i] * p.D[i * o->layout.span + f];
                gradient[ac_y(o, node) + f] += Gw[i] * o->point.Vn[i * o->layout.span + f];
            }
            for (int j = 0; j < o->layout.parameters; ++j)
                gradient[o->layout.first.parameter + j] += Gw[i] * o->point.Vn[i * o->layout.span + T + j];
        }
    }
}

/* --- objective --- */

static double effort(ac_optimization *o, double weight, double *gradient)
{
    double sum = 0.0, scale = weight * o->point.h;
    for (int n = 0; n < o->layout.N; ++n) {
        int at = ac_control_variable(o, n);
        for (int k = 0; k < o->description.control_count; ++k) {
            double u = o->point.x[at + k];
            sum += u * u;
            if (gradient) gradient[at + k] += scale * u;
        }
    }
    if (gradient && o->layout.by_time) gradient[o->layout.first.time] += 0.5 * weight * sum / o->layout.N;
    return 0.5 * scale * sum;
}

static double term_objective(ac_optimization *o, const ac_objective_data *objective, int place,
                             double *gradient)
{
    const ac_term *term = &objective->term;
    bool running = objective->type == AC_OBJECTIVE_RUNNING;
    ac_term_point p = ac_term_place(o, term, place);
    double value = ac_term_evaluate(term, &o->description.scalars, &p, gradient ? 1 : 0);
    double weight = objective->weight * (running ? o->point.h : 1.0);
    if (gradient) {
        for (int i = 0; i < term->ref_count; ++i)
            spread(o, &term->refs[i], place, weight * term->gradient[i], gradient);
        if (running && o->layout.by_time)
            gradient[o->layout.first.time] += objective->weight * value / o->layout.N;
    }
    return weight * value;
}

static double slack_objective(ac_optimization *o, const ac_objective_data *objective, double *gradient)
{
    double sum = 0.0;
    for (int n = 0; n < o->layout.N; ++n) {
        int at = o->layout.first.slack + n * o->layout.slack_count + objective->slack;
        sum += o->point.x[at];
        if (gradient) gradient[at] += objective->weight;
    }
    return objective->weight * sum;
}

/* Number -1: the sum that is minimised. */
double ac_evaluate_total(ac_optimization *o, int total, double *gradient)
{
    double sum = 0.0;
    if (gradient) memset(gradient, 0, (size_t)o->layout.variables * sizeof *gradient);
    memset(o->point.Gw, 0, 2 * (size_t)o->layout.n * sizeof *o->point.Gw);
    for (int k = 0; k < o->description.objective_count; ++k) {
        const ac_objective_data *objective = &o->description.objectives[k];
        if (objective->total != total) continue;
        switch (objective->type) {
        case AC_OBJECTIVE_EFFORT: sum += effort(o, objective->weight, gradient); break;
        case AC_OBJECTIVE_DURATION:
            sum += objective->weight * o->point.h * o->layout.N;
            if (gradient && o->layout.by_time) gradient[o->layout.first.time] += objective->weight;
            break;
        case AC_OBJECTIVE_START: sum += term_objective(o, objective, 0, gradient); break;
        case AC_OBJECTIVE_END: sum += term_objective(o, objective, o->layout.N, gradient); break;
        case AC_OBJECTIVE_ENERGY: /* a running one */
        case AC_OBJECTIVE_RUNNING:
            for (int n = 0; n < o->layout.N; ++n) sum += term_objective(o, objective, n, gradient);
            break;
        case AC_OBJECTIVE_ABSOLUTE: sum += slack_objective(o, objective, gradient); break;
        }
    }
    if (gradient) spread_velocities(o, gradient);
    return sum;
}

double ac_evaluate_objective(ac_optimization *o, double *gradient)
{
    return o->description.phases ? ac_phases_objective(o, gradient) : ac_evaluate_total(o, -1, gradient);
}

/* --- conditions --- */

/* Generalised force of inputs on single freedoms at a node, from its two intervals. */
static double direct_force(const ac_optimization *o, int node, int f)
{
    double sum = 0.0;
    int inputs = o->description.discrete.input_count;
    for (int k = 0; k < inputs; ++k) {
        const ac_input *input = &o->description.discrete.inputs[k];
        if (input->freedom != f) continue;
        if (node > 0) sum += input->push * o->point.tau[(node - 1) * inputs + k];
        if (node < o->layout.N) sum += input->push * o->point.tau[node * inputs + k];
    }
    return 0.5 * o->point.h * sum;
}

static void dynamics_rows(ac_optimization *o, int node, int count, double *c)
{
    const double *R = ac_residual(o, node);
    int W = o->layout.span;
    const double *D = o->layout.charted ? ac_point_of(o, node).D : NULL;
    for (int r = 0; r < count; ++r) {
        int f = node == o->layout.N ? o->layout.end.rows[r] : r;
        if (!o->layout.charted) {
            c[r] = R[f];
            continue;
        }
        c[r] = direct_force(o, node, f);
        for (int i = 0; i < o->layout.n; ++i) c[r] += D[i * W + f] * R[i];
    }
}

static void constraint_rows(const ac_optimization *o, const ac_row_block *block, double *c)
{
    const ac_constraints *g = &o->system->constraints;
    const double *q = ac_q(o, block->place);
    double x[AC_ELEMENT_MAX];
    c -= block->item;
    for (int k = block->item; k < o->layout.used_constraints; ++k) {
        int row = o->layout.constraint_rows[k];
        for (int s = g->start[row]; s < g->start[row + 1]; ++s) x[s - g->start[row]] = q[g->coordinate[s]];
        c[k] = ac_form_value(&g->forms, row, x);
    }
}

static void velocity_rows(const ac_optimization *o, const ac_row_block *block, double *c)
{
    const ac_constraints *g = &o->system->constraints;
    double gradient[AC_ELEMENT_MAX];
    const double *w = o->point.velocity[block->place == 0 ? 0 : 1];
    c -= block->item;
    for (int k = block->item; k < o->layout.used_constraints; ++k) {
        int row = o->layout.constraint_rows[k];
        ac_constraint_gradient(o->system, row, ac_q(o, block->place), gradient);
        c[k] = 0.0;
        for (int s = g->start[row]; s < g->start[row + 1]; ++s)
            c[k] += gradient[s - g->start[row]] * w[g->coordinate[s]];
    }
}

static double turn_row(const ac_optimization *o, int interval, int body)
{
    int first, count = ac_director_numbers(&o->system->nodes[body], &first);
    const double *a = ac_q(o, interval) + first, *b = ac_q(o, interval + 1) + first;
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += a[i] * b[i];
    return sum;
}

static double condition_row(const ac_optimization *o, const ac_condition_data *condition, int place)
{
    ac_term_point p = ac_term_place(o, &condition->term, place);
    return ac_term_evaluate(&condition->term, &o->description.scalars, &p, 0);
}

static void absolute_rows(const ac_optimization *o, const ac_objective_data *objective, int interval,
                          double c[2])
{
    ac_term_point p = ac_term_place(o, &objective->term, interval);
    double value = o->point.h * ac_term_evaluate(&objective->term, &o->description.scalars, &p, 0);
    double slack = o->point.x[o->layout.first.slack + interval * o->layout.slack_count + objective->slack];
    c[0] = slack - value;
    c[1] = slack + value;
}

static void rate_rows(const ac_optimization *o, const ac_row_block *block, double *c)
{
    int at = ac_control_variable(o, block->place) + block->item;
    double step = o->point.x[at] - o->point.x[at - o->description.control_count],
           most = o->description.controls[block->item].given.rate * o->point.h;
    c[0] = step;
    if (block->count == 1) return;
    c[0] = step - most;
    c[1] = -step - most;
}

static void take_stress(void *user, int number, const ac_stress_slope *row)
{
    double *out = user;
    out[number] = row->value;
}

void ac_evaluate_rows(ac_optimization *o, double *c)
{
    if (o->description.phases) {
        ac_phases_rows(o, c);
        return;
    }
    if (ac_is_minimal(o)) ac_minimal_rows(o, c);
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        double *out = c + block->first;
        switch (block->kind) {
        case AC_ROW_START: ac_start_row_values(o, block, out); break;
        case AC_ROW_PERIODIC: {
            int first = block->item ? o->layout.first.velocity[0] : 0,
                last = block->item ? o->layout.first.velocity[1] : ac_y(o, o->layout.N);
            for (int i = 0; i < block->count; ++i) out[i] = o->point.x[last + i] - o->point.x[first + i];
            break;
        }
        case AC_ROW_CONSTRAINT: constraint_rows(o, block, out); break;
        case AC_ROW_VELOCITY:
            if (!ac_is_minimal(o)) velocity_rows(o, block, out);
            break;
        case AC_ROW_DYNAMICS:
            if (!ac_is_minimal(o)) dynamics_rows(o, block->place, block->count, out);
            break;
        case AC_ROW_MOMENTUM: break;
        case AC_ROW_CONDITION:
            out[0] = condition_row(o, &o->description.conditions[block->item], block->place);
            break;
        case AC_ROW_TURN: out[0] = turn_row(o, block->place, block->item); break;
        case AC_ROW_STEP:
            out[0] = o->point.x[ac_y(o, block->place + 1) + block->item] -
                     o->point.x[ac_y(o, block->place) + block->item];
            break;
        case AC_ROW_RATE: rate_rows(o, block, out); break;
        case AC_ROW_STRESS: ac_stress_rows(o, block->place, take_stress, out); break;
        case AC_ROW_ABSOLUTE:
            absolute_rows(o, &o->description.objectives[block->item], block->place, out);
            break;
        case AC_ROW_TOTAL: out[0] = ac_evaluate_total(o, block->item, NULL); break;
        case AC_ROW_HOLD:
        case AC_ROW_HOLD_RATE:
        case AC_ROW_FRICTION: ac_hold_rows(o, block, out); break;
        }
    }
}
