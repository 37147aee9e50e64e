/* Inputs of the action: controls, and loads over time as inputs with known values. One number tau acts by B(q)^T tau:
 *
 *   joint coordinate y    grad y
 *   force at a place      A^T F(q), the place being affine in q with the matrix A
 *   torque on a node      torque.h
 */
#include <string.h>

#include "action/describe/discrete.h"
#include "action/torque.h"
#include "actio/signal.h"

/* --- making --- */

static ac_status new_input(ac_discrete *d, int *number)
{
    AC_TRY(ac_grow(d->ctx, (void **)&d->inputs, &d->input_capacity, d->input_count + 1, sizeof *d->inputs));
    d->inputs[d->input_count] = (ac_input){.scalar = -1,
                                           .sign = 1.0,
                                           .first = d->entry_count,
                                           .first_torque = d->torque_count,
                                           .load_number = -1,
                                           .freedom = -1};
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
    AC_TRY(new_input(d, number));
    d->inputs[*number].scalar = scalar;
    d->inputs[*number].sign = sign;
    find_freedom(d, measure, &d->inputs[*number]);
    return AC_OK;
}

ac_status ac_discrete_add_scalar_input(ac_discrete *d, int scalar, int *number)
{
    AC_TRY(new_input(d, number));
    d->inputs[*number].scalar = scalar;
    return AC_OK;
}

/* A force on one coordinate that belongs to the newest input. */
static ac_status new_entry(ac_discrete *d, int number, int coordinate)
{
    AC_TRY(ac_forms_begin(d->ctx, &d->forms, 0.0));
    AC_TRY(ac_grow(d->ctx, (void **)&d->entries, &d->entry_capacity, d->entry_count + 1, sizeof *d->entries));
    d->entries[d->entry_count++] = (ac_input_entry){coordinate, d->forms.count - 1, false};
    ++d->inputs[number].count;
    return AC_OK;
}

ac_status ac_discrete_add_force(ac_discrete *d, int node_number, const double place[3],
                                const ac_affine3 *direction, double factor, int *number)
{
    if (*number < 0) AC_TRY(new_input(d, number));
    if (node_number == AC_GROUND) return AC_OK;
    const ac_node *node = &d->system->nodes[node_number];
    ac_affine3 point = ac_node_point(node, node->q, place);
    for (int i = 0; i < node->dimension; ++i) { /* x_i = sum A_ij q_j gives f_j = sum A_ij F_i */
        for (int k = 0; k < point.part[i].count; ++k) {
            AC_TRY(new_entry(d, *number, point.part[i].index[k]));
            AC_TRY(ac_forms_add_affine(d->ctx, &d->forms, &direction->part[i],
                                       factor * point.part[i].coefficient[k]));
        }
    }
    return AC_OK;
}

static ac_status new_torque_entry(ac_discrete *d, int number, int coordinate)
{
    AC_TRY(new_entry(d, number, coordinate));
    d->entries[d->entry_count - 1].torque = true;
    return AC_OK;
}

/* f_I = T x d_I / 2, or f_d = T perpendicular(d) */
static ac_status add_torque_entries(ac_discrete *d, const ac_node *node, const ac_affine3 *T, double factor,
                                    int number)
{
    if (ac_node_turns(node) == 1) {
        ac_affine y = {.count = 1, .index = {node->q + 3}, .coefficient = {1.0}}, x = y;
        x.index[0] = node->q + 2;
        AC_TRY(new_torque_entry(d, number, node->q + 2));
        AC_TRY(ac_forms_add_affine_product(d->ctx, &d->forms, &T->part[2], &y, -factor));
        AC_TRY(new_torque_entry(d, number, node->q + 3));
        return ac_forms_add_affine_product(d->ctx, &d->forms, &T->part[2], &x, factor);
    }
    for (int I = 0; I < 3; ++I) {
        double unit[3] = {0.0, 0.0, 0.0};
        unit[I] = 1.0;
        ac_affine3 dI = ac_node_direction(node, node->q, unit);
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            AC_TRY(new_torque_entry(d, number, node->q + 3 + 3 * I + i));
            AC_TRY(ac_forms_add_affine_product(d->ctx, &d->forms, &T->part[j], &dI.part[k], 0.5 * factor));
            AC_TRY(ac_forms_add_affine_product(d->ctx, &d->forms, &T->part[k], &dI.part[j], -0.5 * factor));
        }
    }
    return AC_OK;
}

ac_status ac_discrete_add_torque(ac_discrete *d, int node_number, const ac_affine3 *direction, double factor,
                                 int *number)
{
    if (*number < 0) AC_TRY(new_input(d, number));
    if (node_number == AC_GROUND) return AC_OK;
    AC_TRY(
        ac_grow(d->ctx, (void **)&d->torques, &d->torque_capacity, d->torque_count + 1, sizeof *d->torques));
    ac_input_torque *torque = &d->torques[d->torque_count++];
    *torque = (ac_input_torque){node_number, *direction};
    for (int i = 0; i < 3; ++i) {
        torque->direction.part[i].constant *= factor;
        for (int k = 0; k < direction->part[i].count; ++k) torque->direction.part[i].coefficient[k] *= factor;
    }
    ++d->inputs[*number].torque_count;
    return add_torque_entries(d, &d->system->nodes[node_number], direction, factor, *number);
}

/* Direction i of the world, or of the frame of a node. */
static ac_affine3 axis_of(const ac_node *node, int i)
{
    double unit[3] = {0.0, 0.0, 0.0};
    unit[i] = 1.0;
    return ac_node_direction(node, node ? node->q : 0, unit);
}

ac_status ac_discrete_add_node_torque(ac_discrete *d, int number, bool follows, int axis, int *input)
{
    const int nodes[2] = {number, ac_beam_edge_before(d->system, number)};
    double share = nodes[1] == AC_GROUND ? 1.0 : 0.5;
    for (int e = 0; e < 2; ++e) {
        if (nodes[e] == AC_GROUND) continue;
        ac_affine3 direction = axis_of(follows ? &d->system->nodes[nodes[e]] : NULL, axis);
        AC_TRY(ac_discrete_add_torque(d, nodes[e], &direction, share, input));
    }
    return AC_OK;
}

static ac_status add_load(ac_discrete *d, const ac_load_data *load)
{
    const ac_node *node = load->node == AC_GROUND ? NULL : &d->system->nodes[load->node];
    for (int i = 0; i < 3; ++i) {
        if (!load->value[i]) continue;
        int number = -1;
        if (load->type == AC_LOAD_JOINT) {
            AC_TRY(ac_discrete_add_joint_input(d, load->measure, 1.0, &number));
        } else {
            double unit[3] = {0.0, 0.0, 0.0};
            unit[i] = 1.0;
            bool turns = load->follows && node && ac_node_turns(node) > 0;
            ac_affine3 direction = axis_of(turns ? node : NULL, i);
            bool moves = false;
            if (load->type == AC_LOAD_FORCE && d->vary)
                AC_TRY(ac_discrete_vary_load(d, (int)(load - d->system->loads), unit, &number, &moves));
            if (moves) {
                /* it is made */
            } else if (load->type == AC_LOAD_FORCE) {
                AC_TRY(ac_discrete_add_force(d, load->node, load->place, &direction, 1.0, &number));
            } else {
                AC_TRY(ac_discrete_add_node_torque(d, load->node, turns, i, &number));
            }
        }
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

static bool acts(const ac_input_entry *entry, ac_input_place place)
{
    return place == AC_AT_TIME_NODE || !entry->torque;
}

static double affine_value(const ac_affine *s, const double *q)
{
    double sum = s->constant;
    for (int k = 0; k < s->count; ++k) sum += s->coefficient[k] * q[s->index[k]];
    return sum;
}

static void torque_at(const ac_input_torque *t, const double *q, double T[3])
{
    for (int i = 0; i < 3; ++i) T[i] = affine_value(&t->direction.part[i], q);
}

static void torque_force(const ac_discrete *d, const ac_input_torque *t, const double *q,
                         ac_input_force_sink sink, void *user)
{
    const ac_node *node = &d->system->nodes[t->node];
    double T[3], f[AC_NODE_MAX] = {0.0};
    torque_at(t, q, T);
    ac_torque_add(node, q + node->q, T, 1.0, f);
    for (int i = node->dimension; i < node->size; ++i) sink(user, node->q + i, f[i]);
}

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
    for (int e = input->first; e < input->first + input->count; ++e)
        if (acts(&d->entries[e], place))
            sink(user, d->entries[e].coordinate, ac_form_value(&d->forms, d->entries[e].form, q));
    for (int t = input->first_torque; place == AC_AT_MEAN && t < input->first_torque + input->torque_count;
         ++t)
        torque_force(d, &d->torques[t], q, sink, user);
}

static void torque_slopes(const ac_discrete *d, const ac_input_torque *t, const double *q,
                          ac_input_slope_sink sink, void *user)
{
    const ac_node *node = &d->system->nodes[t->node];
    double T[3], by_x[AC_NODE_MAX * AC_NODE_MAX], by_T[AC_NODE_MAX * 3];
    int n = node->size;
    torque_at(t, q, T);
    ac_torque_slopes(node, q + node->q, T, by_x, by_T);
    for (int r = node->dimension; r < n; ++r) {
        for (int c = node->dimension; c < n; ++c) sink(user, node->q + r, node->q + c, by_x[r * n + c]);
        for (int i = 0; i < 3; ++i) {
            const ac_affine *part = &t->direction.part[i];
            for (int k = 0; k < part->count; ++k)
                sink(user, node->q + r, part->index[k], by_T[r * 3 + i] * part->coefficient[k]);
        }
    }
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
    for (int e = input->first; e < input->first + input->count; ++e) {
        int row = d->entries[e].coordinate, form = d->entries[e].form;
        if (!acts(&d->entries[e], place)) continue;
        for (int t = d->forms.linear_start[form]; t < d->forms.linear_start[form + 1]; ++t)
            sink(user, row, d->forms.linears[t].i, d->forms.linears[t].b);
        for (int t = d->forms.product_start[form]; t < d->forms.product_start[form + 1]; ++t) {
            const ac_product *product = &d->forms.products[t];
            sink(user, row, product->i, product->a * q[product->j]);
            sink(user, row, product->j, product->a * q[product->i]);
        }
    }
    for (int t = input->first_torque; place == AC_AT_MEAN && t < input->first_torque + input->torque_count;
         ++t)
        torque_slopes(d, &d->torques[t], q, sink, user);
}

static void torque_curvature(const ac_discrete *d, const ac_input_torque *t, const double *q, const double *w,
                             ac_input_slope_sink sink, void *user)
{
    const ac_node *node = &d->system->nodes[t->node];
    double T[3], xx[AC_NODE_MAX * AC_NODE_MAX], xT[AC_NODE_MAX * 3];
    int n = node->size;
    torque_at(t, q, T);
    ac_torque_curvature(node, q + node->q, T, w + node->q, xx, xT);
    for (int r = node->dimension; r < n; ++r) {
        int row = node->q + r;
        for (int c = node->dimension; c <= r; ++c) sink(user, row, node->q + c, xx[r * n + c]);
        for (int i = 0; i < 3; ++i) {
            const ac_affine *part = &t->direction.part[i];
            for (int k = 0; k < part->count; ++k)
                sink(user, row, part->index[k],
                     (part->index[k] == row ? 2.0 : 1.0) * xT[r * 3 + i] * part->coefficient[k]);
        }
    }
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
    for (int e = input->first; e < input->first + input->count; ++e) {
        int form = d->entries[e].form;
        double weight = w[d->entries[e].coordinate];
        if (!acts(&d->entries[e], place)) continue;
        for (int t = d->forms.product_start[form]; t < d->forms.product_start[form + 1]; ++t) {
            const ac_product *term = &d->forms.products[t];
            sink(user, term->i, term->j, weight * term->a * (term->i == term->j ? 2.0 : 1.0));
        }
    }
    for (int t = input->first_torque; place == AC_AT_MEAN && t < input->first_torque + input->torque_count;
         ++t)
        torque_curvature(d, &d->torques[t], q, w, sink, user);
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
    bool control, by_h;
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
    if (s->control) s->sink(s->user, s->by, column, AC_BY_TAU, s->input, s->half * slope);
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
                 control,
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
