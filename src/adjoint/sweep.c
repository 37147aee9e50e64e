/* One step of the sweep backwards.
 *
 * With the step equations (interval.h) and the Lagrangian
 *   J + sum_n w_n . (p_n + left_n - c h G^T lambda_n) + sum_n pi_n+1 . (right_n - p_n+1),   w_n in the kernel of G
 * the variations by q_n+1, p_n, lambda_n give, with P the null space matrix where constraint forces act,
 *   K^T y = P(q_n+1)^T (J_q + right_b^T pi_n+1 + terms of interval n + 1),   w_n = P y,   pi_n = w_n + J_p
 * and at q_n the terms left_a^T w_n + right_a^T pi_n+1 - (d/dq) (w_n . G^T mu), G^T mu = p_n + left_n: constraint forces
 * are large, so that the change of their direction must not be left out.
 *
 * Energy-momentum carries over p_n+1 = right - (p_n + left): the weight of left is w - pi_n+1 then, pi_n = w_n - pi_n+1 + J_p,
 * and G belongs to the mean, half of whose change is that of q_n.
 *
 * Where the length of a step is an unknown, times.c adds its row.
 */
#include <string.h>

#include "adjoint/adjoint.h"
#include "adjoint/impacts/path.h"
#include "integrate/reduced.h"

void ac_adjoint_take_node(ac_adjoint *d, long number, const double *q, const double *p)
{
    const ac_functional *f = d->functional;
    const double t = ac_adjoint_time(d, number);
    if (f->node) d->value += f->node(f->user, number, t, q, p, d->by_q, d->by_p);
    if (d->watch) d->watch(d->watch_user, number, t, q, d->by_q, d->by_p);
}

void ac_adjoint_set_part_inputs(ac_adjoint *d, long number, double t, double h)
{
    const double *controls = d->controls + number * d->control_count;
    memcpy(d->workspace.inputs, controls, (size_t)d->control_count * sizeof *controls);
    d->backward.interval.tau = controls;
    for (int k = d->control_count; k < d->input_count; ++k) {
        const ac_adjoint_load *input = &d->loads[k];
        double tau[3];
        ac_load_values(&d->system->loads[input->load], t, h, tau);
        d->workspace.inputs[k] = tau[input->component];
    }
}

void ac_adjoint_set_inputs(ac_adjoint *d, long number, double t)
{
    ac_adjoint_set_part_inputs(d, number, t, ac_adjoint_length(d, number));
}

static void take_interval(ac_adjoint *d, long number, const ac_discrete_point *point, double *by_inputs)
{
    const ac_functional *f = d->functional;
    if (!f->interval) return;
    d->value += f->interval(f->user, number, ac_adjoint_time(d, number), point->h, point->a, point->b,
                            d->workspace.inputs, d->workspace.out_a, d->by_q, by_inputs);
}

static void clear(int n, double *x)
{
    memset(x, 0, (size_t)n * sizeof *x);
}

bool ac_adjoint_in_tree(const ac_adjoint *d, long node)
{
    if (d->path && d->path->held) return false;
    bool rows = d->parameters.by_rows && ac_adjoint_geometry_varies(d);
    return !d->at_mean && node > 0 && !rows && ac_reduced_knows_loops(&d->backward);
}

/* f -= G^T lambda and out -= (d/dq) (w . G^T lambda) of closed loops, whose multipliers stand behind those of the tree, which
 * are zero. */
static void turn_closures(ac_adjoint *d, double *out)
{
    const ac_constraints *c = &d->system->constraints;
    if (c->count == c->closure) return;
    memset(d->workspace.lambda, 0, (size_t)c->count * sizeof *d->workspace.lambda);
    ac_reduced_closure_forces(&d->backward, d->workspace.force, d->workspace.lambda + c->closure);
    ac_constraints_add_force(d->system, d->backward.qa, d->workspace.lambda + c->closure, c->closure,
                             c->count, -1.0, d->workspace.force);
    ac_constraints_pull(d->system, d->workspace.lambda, d->workspace.w, -1.0, out);
}

/* mu with G^T mu = p + left where constraint forces act; then out -= factor (d/dq) (w . G^T mu), and the same by q_b if
 * they act at the mean and `by_b` is not NULL. In a tree the change of their direction is that of P, -w . dG^T mu = (dP y) .
 * (p + left), by freedoms and without multipliers; derivatives by the start are wanted by coordinates. */
ac_status ac_adjoint_turn_forces(ac_adjoint *d, double *out, double *by_b)
{
    const ac_stepper *s = &d->backward;
    if (d->system->constraints.count == 0) return AC_OK;
    for (int i = 0; i < d->system->n; ++i) d->workspace.force[i] = s->p[i] + s->left[i];
    if (ac_adjoint_in_tree(d, s->step)) {
        turn_closures(d, out);
        ac_reduced_pull(&d->backward, d->workspace.y, d->workspace.force, d->workspace.work,
                        d->workspace.turned);
        return AC_OK;
    }
    if (d->at_mean && !ac_adjoint_geometry_varies(d)) { /* then nobody else asks for the multipliers */
        ac_reduced_turn_mean(&d->backward, d->workspace.y, d->workspace.w, d->workspace.force,
                             d->workspace.lambda, out);
        return AC_OK;
    }
    AC_TRY(ac_legendre_multipliers(&d->legendre, d->at_mean ? s->interval.mean : s->qa, d->workspace.force,
                                   d->workspace.lambda));
    ac_constraints_pull(d->system, d->workspace.lambda, d->workspace.w, d->at_mean ? -0.5 : -1.0, out);
    if (d->at_mean && by_b) ac_constraints_pull(d->system, d->workspace.lambda, d->workspace.w, -0.5, by_b);
    return AC_OK;
}

void ac_adjoint_keep_inputs(ac_adjoint *d, long number, const double *by_inputs)
{
    double *row = d->by_input + number / d->stretch * d->input_count;
    for (int j = 0; j < d->input_count; ++j) row[j] += by_inputs[j];
    for (int j = d->control_count; j < d->input_count; ++j)
        d->amplitude[d->loads[j].load] += by_inputs[j] * d->workspace.inputs[j];
}

ac_status ac_adjoint_step_back(ac_adjoint *d, long first, long k)
{
    const int n = d->system->n, measures = d->system->measure_count;
    const ac_stored_motion *m = &d->stored;
    const long number = first + k;
    const double t = ac_adjoint_time(d, number), h = ac_adjoint_length(d, number);
    const bool free_steps = ac_adjoint_steps_are_free(d);
    const double *qa = m->q + k * n, *qb = qa + n, *p = m->p + k * n, *winding = m->winding + k * measures;
    ac_stepper *s = &d->backward;
    double *by_inputs = d->workspace.by_inputs;

    ac_adjoint_set_inputs(d, number, t);
    s->h = s->interval.h = h;
    ac_reduced_place(s, number, t, qa, qb, p, winding);
    ac_discrete_point point = {.a = qa, .b = qb, .tau = d->workspace.inputs, .winding = winding, .h = h};
    clear(n, d->workspace.out_a);
    clear(d->input_count, by_inputs);
    take_interval(d, number, &point, by_inputs);
    if (free_steps) ac_adjoint_open_length(d, number, &point);
    double *by_b = ac_adjoint_geometry_varies(d) ? d->parameters.residual : NULL;
    if (by_b) memcpy(by_b, d->by_q, (size_t)n * sizeof *by_b);

    /* what weighs on q_b: w_l = 0, or -pi where the momentum carried over contains left */
    clear(n, d->workspace.w);
    if (d->at_mean)
        for (int i = 0; i < n; ++i) d->workspace.w[i] = -d->by_p[i];
    ac_discrete_pullback(&d->discrete, &point, d->workspace.w, d->by_p, &(ac_pullback){.b = d->by_q});
    ac_reduced_project(s, d->by_q, d->workspace.reduced);
    for (int j = 0; j < d->system->tree.freedoms; ++j) d->workspace.reduced[j] += d->workspace.turned[j];
    if (by_b)
        memcpy(d->parameters.turned, d->workspace.turned,
               (size_t)d->system->tree.freedoms * sizeof *d->workspace.turned);
    clear(d->system->tree.freedoms, d->workspace.turned);
    AC_TRY(ac_reduced_solve_transposed(s, d->workspace.reduced, d->workspace.y));
    if (free_steps) AC_TRY(ac_adjoint_solve_length(d, number, &point, by_b));
    ac_reduced_spread(s, d->workspace.y, d->workspace.w);
    if (free_steps) ac_adjoint_take_length(d, number, &point);

    AC_TRY(ac_adjoint_turn_forces(d, d->workspace.out_a, by_b));
    for (int i = 0; d->at_mean && i < n; ++i) d->workspace.force[i] = d->workspace.w[i] - d->by_p[i];
    const double *wl = d->at_mean ? d->workspace.force : d->workspace.w;
    ac_discrete_pullback(&d->discrete, &point, wl, d->by_p,
                         &(ac_pullback){.a = d->workspace.out_a, .b = by_b, .inputs = by_inputs});
    AC_TRY(ac_adjoint_take_parameters(d, number, t, &point, wl));
    ac_adjoint_keep_inputs(d, number, by_inputs);
    memcpy(d->by_q, d->workspace.out_a, (size_t)n * sizeof *d->by_q);
    for (int i = 0; i < n; ++i) d->by_p[i] = d->at_mean ? d->workspace.w[i] - d->by_p[i] : d->workspace.w[i];
    ac_adjoint_take_node(d, number, qa, p);
    return AC_OK;
}
