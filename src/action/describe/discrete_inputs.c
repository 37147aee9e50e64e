/* Inputs of the action: controls, and loads over time as inputs with known values. One number tau acts by B(q)^T tau:
 * grad y of a joint coordinate y or of another scalar, or a force map (force_map.h). */
#include <string.h>

#include "action/describe/discrete.h"
#include "actio/signal.h"

/* --- making --- */

ac_status ac_discrete_new_input(ac_discrete *d, int *number)
{
    AC_TRY(ac_grow(d->ctx, (void **)&d->inputs, &d->input_capacity, d->input_count + 1, sizeof *d->inputs));
    d->inputs[d->input_count] = (ac_input){
        .scalar = -1, .sign = 1.0, .map = ac_force_map_begin(&d->forces), .load_number = -1, .freedom = -1};
    *number = d->input_count++;
    d->control_count = d->input_count;
    return AC_OK;
}

/* Slides and angles of joints of the tree are themselves freedoms, unless the joint is a group of motions that
 * do not commute and is seen from its other side. */
static void find_freedom(const ac_discrete *d, int measure, ac_input *input)
{
    for (int i = 0; i < d->system->node_count; ++i) {
        const ac_node *node = &d->system->nodes[i];
        if (node->joint < 0 || ac_node_turns(node) == 0) continue;
        const ac_joint_data *joint = &d->system->joints[node->joint];
        int coordinate = measure - joint->first_measure, count = ac_row_coordinates(joint->row);
        if (joint->first_measure < 0 || coordinate < 0 || coordinate >= count) continue;
        const ac_walk_step *step = ac_walk_coordinate(node, coordinate);
        if (!step || node->freedoms != count) continue;
        input->freedom = node->u + step->freedom;
        input->push = (joint->reversed ? -1.0 : 1.0) * input->sign;
    }
}

ac_status ac_discrete_add_joint_input(ac_discrete *d, int measure, double sign, int *number)
{
    int scalar;
    AC_TRY(ac_discrete_measure(d, measure, &scalar));
    AC_TRY(ac_discrete_new_input(d, number));
    d->inputs[*number].scalar = scalar;
    d->inputs[*number].sign = sign;
    find_freedom(d, measure, &d->inputs[*number]);
    return AC_OK;
}

ac_status ac_discrete_add_scalar_input(ac_discrete *d, int scalar, int *number)
{
    AC_TRY(ac_discrete_new_input(d, number));
    d->inputs[*number].scalar = scalar;
    return AC_OK;
}

ac_status ac_discrete_add_force(ac_discrete *d, int node, const double place[3], const ac_affine3 *direction,
                                double factor, int *number)
{
    if (*number < 0) AC_TRY(ac_discrete_new_input(d, number));
    return ac_force_map_add_force(d->ctx, d->system, &d->forces, node, place, direction, factor,
                                  &d->inputs[*number].map);
}

ac_status ac_discrete_add_torque(ac_discrete *d, int node, const ac_affine3 *direction, double factor,
                                 int *number)
{
    if (*number < 0) AC_TRY(ac_discrete_new_input(d, number));
    return ac_force_map_add_torque(d->ctx, d->system, &d->forces, node, direction, factor,
                                   &d->inputs[*number].map);
}

ac_status ac_discrete_add_node_torque(ac_discrete *d, int node, bool follows, int axis, int *number)
{
    if (*number < 0) AC_TRY(ac_discrete_new_input(d, number));
    return ac_force_map_add_node_torque(d->ctx, d->system, &d->forces, node, follows, axis,
                                        &d->inputs[*number].map);
}

/* Component i of a load. */
static ac_status add_component(ac_discrete *d, const ac_load_data *load, int i, int *number)
{
    if (load->type == AC_LOAD_JOINT) return ac_discrete_add_joint_input(d, load->measure, 1.0, number);
    double unit[3] = {0.0, 0.0, 0.0};
    bool moves = false;
    unit[i] = 1.0;
    if (load->type == AC_LOAD_FORCE && d->vary)
        AC_TRY(ac_discrete_vary_load(d, (int)(load - d->system->loads), unit, number, &moves));
    if (moves) return AC_OK; /* it is made */
    AC_TRY(ac_discrete_new_input(d, number));
    return ac_force_map_add_load(d->ctx, d->system, &d->forces, load, i, &d->inputs[*number].map);
}

static ac_status add_load(ac_discrete *d, const ac_load_data *load)
{
    for (int i = 0; i < 3; ++i) {
        if (!load->value[i]) continue;
        int number = -1;
        AC_TRY(add_component(d, load, i, &number));
        d->inputs[number].load = load->value[i];
        d->inputs[number].load_number = (int)(load - d->system->loads);
        d->inputs[number].component = i;
    }
    return AC_OK;
}

ac_status ac_discrete_add_loads(ac_discrete *d)
{
    int controls = d->control_count;
    if (d->input_count > controls) return AC_OK; /* they are there */
    for (int k = 0; k < d->system->load_count; ++k) AC_TRY(add_load(d, &d->system->loads[k]));
    d->control_count = controls;
    return AC_OK;
}

void ac_discrete_load_values(const ac_discrete *d, double t, double h, double *tau)
{
    for (int k = d->control_count; k < d->input_count; ++k) {
        const ac_input *input = &d->inputs[k];
        tau[k] = d->vary ? ac_variation_load(d->vary, input->load_number, input->component, t, h)
                         : ac_signal_mean(input->load, t, h);
    }
}

void ac_discrete_load_slopes(const ac_discrete *d, double n, double h, double *tau_h, double *tau_hh)
{
    for (int k = d->control_count; k < d->input_count; ++k) {
        if (d->vary) {
            ac_variation_load_rates(d->vary, d->inputs[k].load_number, d->inputs[k].component, n, h,
                                    &tau_h[k], &tau_hh[k]);
        } else {
            ac_signal_mean_slopes(d->inputs[k].load, n, h, &tau_h[k], &tau_hh[k]);
        }
    }
}

/* --- a unit of one input --- */

void ac_input_force(const ac_discrete *d, ac_input_place place, int number, const double *q,
                    ac_input_force_sink sink, void *user)
{
    const ac_input *input = &d->inputs[number];
    if (input->scalar >= 0) {
        double g[AC_SCALAR_MAX];
        const int *at = ac_scalar_coordinates(&d->scalars, input->scalar);
        ac_scalar_evaluate(&d->scalars, input->scalar, q, 0.0, g, NULL);
        for (int i = 0; i < d->scalars.list[input->scalar].plain; ++i) sink(user, at[i], input->sign * g[i]);
        return;
    }
    ac_force_map_value(d->system, &d->forces, &input->map, place, q, sink, user);
}

void ac_input_slopes(const ac_discrete *d, ac_input_place place, int number, const double *q,
                     ac_input_slope_sink sink, void *user)
{
    const ac_input *input = &d->inputs[number];
    if (input->scalar >= 0) {
        const int *at = ac_scalar_coordinates(&d->scalars, input->scalar);
        int n = d->scalars.list[input->scalar].count;
        double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX];
        ac_scalar_evaluate(&d->scalars, input->scalar, q, 0.0, g, H);
        for (int i = 0; i < d->scalars.list[input->scalar].plain; ++i)
            for (int j = 0; j < n; ++j) sink(user, at[i], at[j], input->sign * H[i * n + j]);
        return;
    }
    ac_force_map_slopes(d->system, &d->forces, &input->map, place, q, sink, user);
}

void ac_input_curvature(const ac_discrete *d, ac_input_place place, int number, const double *q,
                        const double *w, ac_input_slope_sink sink, void *user)
{
    const ac_input *input = &d->inputs[number];
    if (input->scalar >= 0) {
        const int *at = ac_scalar_coordinates(&d->scalars, input->scalar);
        int n = d->scalars.list[input->scalar].count;
        double T[AC_SCALAR_MAX * AC_SCALAR_MAX];
        ac_scalar_third(&d->scalars, input->scalar, q, w, T);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) sink(user, at[i], at[j], input->sign * T[i * n + j]);
        return;
    }
    ac_force_map_curvature(d->system, &d->forces, &input->map, place, q, w, sink, user);
}

/* --- sums, and derivatives in an interval --- */

typedef struct adding {
    double factor, *out;
} adding;

static void add_force(void *user, int row, double value)
{
    const adding *to = user;
    to->out[row] += to->factor * value;
}

/* out += factor B(q)^T tau over the first `count` inputs */
static void add_some(const ac_discrete *d, ac_input_place place, int count, bool projected, const double *q,
                     const double *tau, double factor, double *out)
{
    for (int k = 0; k < count; ++k) {
        adding to = {factor * tau[k], out};
        if (to.factor == 0.0 || (projected && d->inputs[k].freedom >= 0)) continue;
        ac_input_force(d, place, k, q, add_force, &to);
    }
}

void ac_discrete_add_inputs(const ac_discrete *d, ac_input_place place, const double *q, const double *tau,
                            double factor, double *out)
{
    add_some(d, place, d->input_count, d->projected, q, tau, factor, out);
}

void ac_discrete_add_controls(const ac_discrete *d, ac_input_place place, const double *q, const double *tau,
                              double factor, double *out)
{
    add_some(d, place, d->control_count, false, q, tau, factor, out);
}

typedef struct sloping {
    const ac_station *station;
    ac_slope_sink sink;
    void *user;
    double factor;
    int input;
} sloping;

static void put_by_input(void *user, int row, double value)
{
    const sloping *s = user;
    for (int side = 0; side < 2; ++side)
        if (s->station->sides & (1 << side))
            s->sink(s->user, side, row, AC_BY_TAU, s->input, s->factor * value);
}

static void put_by_place(void *user, int row, int column, double value)
{
    const sloping *s = user;
    for (int side = 0; side < 2; ++side)
        for (int end = 0; end < 2; ++end)
            if ((s->station->sides & (1 << side)) && s->station->by[end] != 0.0)
                s->sink(s->user, side, row, end == 0 ? AC_BY_A : AC_BY_B, column,
                        s->station->by[end] * s->factor * value);
}

void ac_discrete_input_slopes(const ac_discrete *d, const ac_discrete_point *p, const ac_station *station,
                              int k, ac_slope_sink sink, void *user)
{
    sloping s = {station, sink, user, 0.5 * p->h, k};
    if (!d->inputs[k].load || d->by_loads)
        ac_input_force(d, ac_station_place(station), k, station->x, put_by_input, &s);
    s.factor *= p->tau[k];
    ac_input_slopes(d, ac_station_place(station), k, station->x, put_by_place, &s);
}

/* Second derivatives of phi = h/2 tau B(q) . w */
typedef struct bending {
    ac_curvature_sink sink;
    void *user;
    ac_by by;
    const double *w;
    double half, tau, by_step; /* by_step: of h/2 tau */
    int input;
    bool by_input, by_h;
    double work;
} bending;

static void put_pair(void *user, int i, int j, double value)
{
    const bending *s = user;
    s->sink(s->user, s->by, i, s->by, j, s->half * s->tau * value);
}

static void put_mixed(void *user, int row, int column, double value)
{
    const bending *s = user;
    double slope = s->w[row] * value;
    if (s->by_input) s->sink(s->user, s->by, column, AC_BY_TAU, s->input, s->half * slope);
    if (s->by_h) s->sink(s->user, s->by, column, AC_BY_H, 0, s->by_step * slope);
}

static void sum_work(void *user, int row, double value)
{
    bending *s = user;
    s->work += s->w[row] * value;
}

void ac_discrete_input_curvature(const ac_discrete *d, const ac_discrete_point *p, int side, int k, bool by_h,
                                 const double *w, ac_curvature_sink sink, void *user)
{
    const double *q = side == 0 ? p->a : p->b, half = 0.5 * p->h, tau = p->tau[k];
    bool control = d->inputs[k].load == NULL;
    bending s = {sink,
                 user,
                 side == 0 ? AC_BY_A : AC_BY_B,
                 w,
                 half,
                 tau,
                 0.5 * tau + (p->tau_h ? half * p->tau_h[k] : 0.0),
                 k,
                 control || d->by_loads,
                 by_h,
                 0.0};
    ac_input_curvature(d, AC_AT_TIME_NODE, k, q, w, put_pair, &s);
    ac_input_slopes(d, AC_AT_TIME_NODE, k, q, put_mixed, &s);
    if (!by_h) return;
    ac_input_force(d, AC_AT_TIME_NODE, k, q, sum_work, &s);
    if (control) sink(user, AC_BY_TAU, k, AC_BY_H, 0, 0.5 * s.work);
    if (!control && p->tau_h)
        sink(user, AC_BY_H, 0, AC_BY_H, 0, (p->tau_h[k] + half * p->tau_hh[k]) * s.work);
}
