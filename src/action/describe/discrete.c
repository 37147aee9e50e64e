/* Discrete mechanics of an interval: inertia, gravity, springs, dampers, inputs. */
#include "action/describe/discrete.h"

#include <string.h>

#include "actio/signal.h"
#include "action/element.h"

/* --- making --- */

static ac_status check_elements(ac_context *ctx, const ac_system *system)
{
    static const char *const known[] = {"spring", "beam", "beam of higher order"};
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        bool found = kind->count(system) == 0;
        for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
            found = found || strcmp(kind->name, known[k]) == 0;
        if (!found)
            return ac_fail(ctx, AC_BAD_INPUT,
                           "systems with elements of kind \"%s\" can be simulated but not optimised",
                           kind->name);
    }
    return AC_OK;
}

ac_status ac_discrete_create(ac_context *ctx, const ac_system *system, ac_discrete *d)
{
    memset(d, 0, sizeof *d);
    d->ctx = ctx;
    d->system = system;
    ac_scalars_begin(&d->scalars, ctx);
    AC_TRY(check_elements(ctx, system));
    size_t room = (size_t)system->n + AC_PARAMETERS_MAX; /* parameters stand behind the coordinates */
    AC_NEW(ctx, d->mean, room);
    AC_NEW(ctx, d->momentum, room);
    AC_NEW(ctx, d->common, room);
    AC_NEW(ctx, d->weights, room);
    AC_NEW(ctx, d->springs, system->spring_count + ac_discrete_beam_springs(system));
    for (int k = 0; k < system->spring_count; ++k) {
        const ac_spring_data *from = &system->springs[k];
        ac_discrete_spring *s = &d->springs[d->spring_count++];
        *s = (ac_discrete_spring){.measure = from->measure,
                                  .stiffness = from->stiffness,
                                  .damping = from->damping,
                                  .rest = from->rest,
                                  .beam = -1,
                                  .element = -1,
                                  .stress = -1};
        AC_TRY(ac_scalars_add_measure(&d->scalars, system, from->measure, &s->scalar));
    }
    return ac_discrete_add_beams(d);
}

void ac_discrete_destroy(ac_discrete *d)
{
    if (!d->ctx) return;
    ac_scalars_end(&d->scalars);
    ac_release(d->ctx, d->springs);
    ac_release(d->ctx, d->strain_jets);
    ac_release(d->ctx, d->strain_varies);
    ac_release(d->ctx, d->bundles);
    ac_release(d->ctx, d->bundle_at);
    ac_release(d->ctx, d->slots);
    ac_release(d->ctx, d->slot_start);
    ac_release(d->ctx, d->inputs);
    ac_release(d->ctx, d->entries);
    ac_forms_free(d->ctx, &d->forms);
    ac_release(d->ctx, d->mean);
    ac_release(d->ctx, d->momentum);
    ac_release(d->ctx, d->common);
    ac_release(d->ctx, d->weights);
    memset(d, 0, sizeof *d);
}

static ac_status new_input(ac_discrete *d, int *number)
{
    AC_TRY(ac_grow(d->ctx, (void **)&d->inputs, &d->input_capacity, d->input_count + 1, sizeof *d->inputs));
    d->inputs[d->input_count] = (ac_input){-1, 1.0, d->entry_count, 0, NULL, -1, 0, -1, 0.0};
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
        if (node->joint < 0 || node->kind == AC_NODE_POINT) continue;
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
    d->entries[d->entry_count++] = (ac_input_entry){coordinate, d->forms.count - 1};
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

ac_status ac_discrete_add_torque(ac_discrete *d, int node_number, const ac_affine3 *T, double factor,
                                 int *number)
{
    if (*number < 0) AC_TRY(new_input(d, number));
    if (node_number == AC_GROUND) return AC_OK;
    const ac_node *node = &d->system->nodes[node_number];
    if (node->kind == AC_NODE_PLANAR) {
        ac_affine y = {.count = 1, .index = {node->q + 3}, .coefficient = {1.0}}, x = y;
        x.index[0] = node->q + 2;
        AC_TRY(new_entry(d, *number, node->q + 2));
        AC_TRY(ac_forms_add_affine_product(d->ctx, &d->forms, &T->part[2], &y, -factor));
        AC_TRY(new_entry(d, *number, node->q + 3));
        return ac_forms_add_affine_product(d->ctx, &d->forms, &T->part[2], &x, factor);
    }
    for (int I = 0; I < 3; ++I) { /* f_I = T x d_I / 2 */
        double unit[3] = {0.0, 0.0, 0.0};
        unit[I] = 1.0;
        ac_affine3 dI = ac_node_direction(node, node->q, unit);
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            AC_TRY(new_entry(d, *number, node->q + 3 + 3 * I + i));
            AC_TRY(ac_forms_add_affine_product(d->ctx, &d->forms, &T->part[j], &dI.part[k], 0.5 * factor));
            AC_TRY(ac_forms_add_affine_product(d->ctx, &d->forms, &T->part[k], &dI.part[j], -0.5 * factor));
        }
    }
    return AC_OK;
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
            bool turns = load->follows && node && node->kind != AC_NODE_POINT;
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

void ac_discrete_load_values(const ac_discrete *d, double t, double *tau)
{
    for (int k = d->control_count; k < d->input_count; ++k) {
        tau[k] = ac_signal_value(d->inputs[k].load, t);
        if (!d->vary || d->vary->of_load[3 * d->inputs[k].load_number + d->inputs[k].component] < 0) continue;
        ac_jet jet;
        ac_variation_load(d->vary, d->inputs[k].load_number, d->inputs[k].component, t, &jet);
        tau[k] = jet.v;
    }
}

void ac_discrete_load_slopes(const ac_discrete *d, double steps, double h, double *tau_h, double *tau_hh)
{
    for (int k = d->control_count; k < d->input_count; ++k) {
        double mixed[AC_PARAMETERS_MAX];
        if (d->vary) {
            ac_variation_load_rates(d->vary, d->inputs[k].load_number, d->inputs[k].component, steps * h,
                                    &tau_h[k], &tau_hh[k], mixed);
        } else {
            ac_signal_derivatives(d->inputs[k].load, steps * h, &tau_h[k], &tau_hh[k]);
        }
        tau_h[k] *= steps;
        tau_hh[k] *= steps * steps;
    }
}

/* --- values --- */

/* out += factor B(q)^T tau over the first `count` inputs */
static void add_some(const ac_discrete *d, int count, bool projected, const double *q, const double *tau,
                     double factor, double *out)
{
    for (int k = 0; k < count; ++k) {
        const ac_input *input = &d->inputs[k];
        double scale = factor * tau[k];
        if (scale == 0.0 || (projected && input->freedom >= 0)) continue;
        if (input->scalar >= 0) {
            double g[AC_SCALAR_MAX];
            const int *at = ac_scalar_coordinates(&d->scalars, input->scalar);
            ac_scalar_evaluate(&d->scalars, input->scalar, q, 0.0, g, NULL);
            for (int i = 0; i < d->scalars.list[input->scalar].plain; ++i)
                out[at[i]] += scale * input->sign * g[i];
            continue;
        }
        for (int e = input->first; e < input->first + input->count; ++e)
            out[d->entries[e].coordinate] += scale * ac_form_value(&d->forms, d->entries[e].form, q);
    }
}

static void add_inputs(const ac_discrete *d, const double *q, const double *tau, double factor, double *out)
{
    add_some(d, d->input_count, d->projected, q, tau, factor, out);
}

void ac_discrete_add_controls(const ac_discrete *d, const double *q, const double *tau, double factor,
                              double *out)
{
    add_some(d, d->control_count, false, q, tau, factor, out);
}

/* common = force of gravity and springs at the mean; out += impulse of the dampers / 2, which does not
 * depend on h */
static void common_force(ac_discrete *d, const ac_discrete_point *p, double *damping)
{
    const ac_system *system = d->system;
    for (int i = 0; i < system->n; ++i) {
        d->mean[i] = 0.5 * (p->a[i] + p->b[i]);
        d->common[i] = system->gravity_force[i];
    }
    for (int k = 0; k < d->spring_count; ++k) {
        const ac_discrete_spring *s = &d->springs[k];
        const int *at = ac_scalar_coordinates(&d->scalars, s->scalar);
        int count = d->scalars.list[s->scalar].plain;
        double g[AC_SCALAR_MAX], rate = 0.0;
        double y = ac_scalar_evaluate(&d->scalars, s->scalar, d->mean, ac_spring_near(s, p->near), g, NULL);
        double pull = s->stress < 0 ? s->stiffness * (y - s->rest) : s->root * p->stress[s->stress];
        for (int i = 0; i < count; ++i) d->common[at[i]] -= pull * g[i];
        if (!damping || s->damping == 0.0 || s->stress >= 0) continue;
        for (int i = 0; i < count; ++i) rate += g[i] * (p->b[at[i]] - p->a[at[i]]);
        for (int i = 0; i < count; ++i) damping[at[i]] -= 0.5 * s->damping * rate * g[i];
    }
}

static void momentum(ac_discrete *d, const ac_discrete_point *p)
{
    int n = d->system->n;
    for (int i = 0; i < n; ++i) d->weights[i] = (p->b[i] - p->a[i]) / p->h;
    ac_mass_apply(d->system, d->weights, d->momentum);
}

void ac_discrete_values(ac_discrete *d, const ac_discrete_point *p, double *left, double *right)
{
    int n = d->system->n;
    momentum(d, p);
    memset(left, 0, (size_t)n * sizeof *left);
    common_force(d, p, left);
    for (int i = 0; i < n; ++i) {
        double shared = left[i] + 0.5 * p->h * d->common[i];
        left[i] = shared - d->momentum[i];
        right[i] = shared + d->momentum[i];
    }
    add_inputs(d, p->a, p->tau, 0.5 * p->h, left);
    add_inputs(d, p->b, p->tau, 0.5 * p->h, right);
}

/* --- first derivatives --- */

static void input_slopes(const ac_discrete *d, const ac_discrete_point *p, int side, int k,
                         ac_slope_sink sink, void *user)
{
    const ac_input *input = &d->inputs[k];
    const double *q = side == 0 ? p->a : p->b;
    ac_by by = side == 0 ? AC_BY_A : AC_BY_B;
    double half = 0.5 * p->h, scale = half * p->tau[k];
    if (input->scalar >= 0) {
        const int *at = ac_scalar_coordinates(&d->scalars, input->scalar);
        int n = d->scalars.list[input->scalar].count;
        double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX];
        ac_scalar_evaluate(&d->scalars, input->scalar, q, 0.0, g, H);
        for (int i = 0; i < d->scalars.list[input->scalar].plain; ++i) {
            if (!input->load) sink(user, side, at[i], AC_BY_TAU, k, half * input->sign * g[i]);
            for (int j = 0; j < n; ++j)
                sink(user, side, at[i], by, at[j], scale * input->sign * H[i * n + j]);
        }
        return;
    }
    for (int e = input->first; e < input->first + input->count; ++e) {
        int row = d->entries[e].coordinate, form = d->entries[e].form;
        if (!input->load) sink(user, side, row, AC_BY_TAU, k, half * ac_form_value(&d->forms, form, q));
        for (int t = d->forms.linear_start[form]; t < d->forms.linear_start[form + 1]; ++t)
            sink(user, side, row, by, d->forms.linears[t].i, scale * d->forms.linears[t].b);
        for (int t = d->forms.product_start[form]; t < d->forms.product_start[form + 1]; ++t) {
            const ac_product *product = &d->forms.products[t];
            sink(user, side, row, by, product->i, scale * product->a * q[product->j]);
            sink(user, side, row, by, product->j, scale * product->a * q[product->i]);
        }
    }
}

static void step_slopes(ac_discrete *d, const ac_discrete_point *p, ac_slope_sink sink, void *user)
{
    int n = d->system->n;
    momentum(d, p);
    common_force(d, p, NULL);
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < n; ++i)
            d->weights[i] = 0.5 * d->common[i] + (side == 0 ? d->momentum[i] : -d->momentum[i]) / p->h;
        add_inputs(d, side == 0 ? p->a : p->b, p->tau, 0.5, d->weights);
        if (p->tau_h) add_inputs(d, side == 0 ? p->a : p->b, p->tau_h, 0.5 * p->h, d->weights);
        for (int i = 0; i < n; ++i) sink(user, side, i, AC_BY_H, 0, d->weights[i]);
    }
}

void ac_discrete_slopes(ac_discrete *d, const ac_discrete_point *p, bool by_h, const ac_slope_sinks *sinks,
                        void *user)
{
    const ac_system *system = d->system;
    const ac_slope_sink sink = sinks->entry;
    for (int i = 0; i < system->n; ++i) d->mean[i] = 0.5 * (p->a[i] + p->b[i]);
    if (d->vary) ac_discrete_parameter_slopes(d, p, sink, user);
    for (int k = 0; k < system->mass_count; ++k) {
        const ac_mass_entry *e = &system->mass[k];
        double m = e->coefficient / p->h;
        for (int i = 0; i < e->dimension; ++i) {
            sink(user, 0, e->row + i, AC_BY_A, e->column + i, m);
            sink(user, 0, e->row + i, AC_BY_B, e->column + i, -m);
            sink(user, 1, e->row + i, AC_BY_A, e->column + i, -m);
            sink(user, 1, e->row + i, AC_BY_B, e->column + i, m);
        }
    }
    ac_discrete_spring_slopes(d, p, sinks, user);
    for (int k = 0; k < d->input_count; ++k) {
        if (d->projected && d->inputs[k].freedom >= 0) continue;
        input_slopes(d, p, 0, k, sink, user);
        input_slopes(d, p, 1, k, sink, user);
    }
    if (by_h) step_slopes(d, p, sink, user);
}

/* --- second derivatives --- */

/* phi = h/2 tau B(q) . w */
static void input_curvature(const ac_discrete *d, const ac_discrete_point *p, int side, int k, bool by_h,
                            const double *w, ac_curvature_sink sink, void *user)
{
    const ac_input *input = &d->inputs[k];
    const double *q = side == 0 ? p->a : p->b;
    ac_by by = side == 0 ? AC_BY_A : AC_BY_B;
    double half = 0.5 * p->h, tau = p->tau[k], by_step = 0.5 * tau + (p->tau_h ? half * p->tau_h[k] : 0.0);
    double twice_by_step = p->tau_h ? p->tau_h[k] + half * p->tau_hh[k] : 0.0;
    bool control = input->load == NULL, bent = by_h && p->tau_h && !control;
    if (input->scalar >= 0) {
        const int *at = ac_scalar_coordinates(&d->scalars, input->scalar);
        int n = d->scalars.list[input->scalar].count, plain = d->scalars.list[input->scalar].plain;
        double g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX], T[AC_SCALAR_MAX * AC_SCALAR_MAX], gw = 0.0;
        ac_scalar_evaluate(&d->scalars, input->scalar, q, 0.0, g, H);
        ac_scalar_third(&d->scalars, input->scalar, q, w, T);
        for (int i = 0; i < n; ++i) {
            double Hw = 0.0;
            if (i < plain) gw += g[i] * w[at[i]];
            for (int j = 0; j < plain; ++j) Hw += H[i * n + j] * w[at[j]];
            Hw *= input->sign;
            for (int j = 0; j <= i; ++j)
                sink(user, by, at[i], by, at[j], half * tau * input->sign * T[i * n + j]);
            if (control) sink(user, by, at[i], AC_BY_TAU, k, half * Hw);
            if (by_h) sink(user, by, at[i], AC_BY_H, 0, by_step * Hw);
        }
        if (by_h && control) sink(user, AC_BY_TAU, k, AC_BY_H, 0, 0.5 * input->sign * gw);
        if (bent) sink(user, AC_BY_H, 0, AC_BY_H, 0, twice_by_step * input->sign * gw);
        return;
    }
    for (int e = input->first; e < input->first + input->count; ++e) {
        int form = d->entries[e].form;
        double weight = w[d->entries[e].coordinate];
        for (int t = d->forms.linear_start[form]; t < d->forms.linear_start[form + 1]; ++t) {
            const ac_linear *term = &d->forms.linears[t];
            if (control) sink(user, by, term->i, AC_BY_TAU, k, half * weight * term->b);
            if (by_h) sink(user, by, term->i, AC_BY_H, 0, by_step * weight * term->b);
        }
        for (int t = d->forms.product_start[form]; t < d->forms.product_start[form + 1]; ++t) {
            const ac_product *term = &d->forms.products[t];
            double a = weight * term->a, twice = term->i == term->j ? 2.0 : 1.0;
            sink(user, by, term->i, by, term->j, half * tau * a * twice);
            if (control) {
                sink(user, by, term->i, AC_BY_TAU, k, half * a * q[term->j]);
                sink(user, by, term->j, AC_BY_TAU, k, half * a * q[term->i]);
            }
            if (by_h) {
                sink(user, by, term->i, AC_BY_H, 0, by_step * a * q[term->j]);
                sink(user, by, term->j, AC_BY_H, 0, by_step * a * q[term->i]);
            }
        }
        if (by_h && control)
            sink(user, AC_BY_TAU, k, AC_BY_H, 0, 0.5 * weight * ac_form_value(&d->forms, form, q));
        if (bent)
            sink(user, AC_BY_H, 0, AC_BY_H, 0, twice_by_step * weight * ac_form_value(&d->forms, form, q));
    }
}

static void inertia_curvature(ac_discrete *d, const ac_discrete_point *p, const double *wl, const double *wr,
                              ac_curvature_sink sink, void *user)
{
    int n = d->system->n;
    double h = p->h, sum = 0.0;
    for (int i = 0; i < n; ++i) d->weights[i] = wr[i] - wl[i];
    ac_mass_apply(d->system, d->weights, d->momentum);
    for (int i = 0; i < n; ++i) {
        sum += d->momentum[i] * (p->b[i] - p->a[i]);
        sink(user, AC_BY_A, i, AC_BY_H, 0, d->momentum[i] / (h * h));
        sink(user, AC_BY_B, i, AC_BY_H, 0, -d->momentum[i] / (h * h));
    }
    sink(user, AC_BY_H, 0, AC_BY_H, 0, 2.0 * sum / (h * h * h));
}

void ac_discrete_curvature(ac_discrete *d, const ac_discrete_point *p, bool by_h, const double *wl,
                           const double *wr, const ac_curvature_sinks *sinks, void *user)
{
    int n = d->system->n;
    const ac_curvature_sink sink = sinks->entry;
    for (int i = 0; i < n; ++i) d->mean[i] = 0.5 * (p->a[i] + p->b[i]);
    if (d->vary) ac_discrete_parameter_curvature(d, p, by_h, wl, wr, sink, user);
    if (by_h) inertia_curvature(d, p, wl, wr, sink, user);
    for (int i = 0; i < n; ++i) {
        d->weights[i] = wl[i] + wr[i];
        d->common[i] = p->b[i] - p->a[i];
    }
    ac_discrete_spring_curvature(d, p, by_h, sinks, user);
    for (int k = 0; k < d->input_count; ++k) {
        if (d->projected && d->inputs[k].freedom >= 0) continue;
        input_curvature(d, p, 0, k, by_h, wl, sink, user);
        input_curvature(d, p, 1, k, by_h, wr, sink, user);
    }
}
