/* Gradients by named parameters.
 *
 * Parameters act through the numbers of the system (action/describe/numbers.h) and through its start. The derivatives of both
 * follow from those of the data of the system (model/slope.h) by exact rules. The sweep gathers the derivative of the functional by
 * each number that varies; one sparse product at its end gives the gradient, whatever the number of parameters.
 *
 * With the Lagrangian of sweep.c, and eta_n the multipliers of g(q_n+1) = 0,
 *   dJ = sum_n  w_n . d left + pi_n+1 . d right - w_n . dG^T mu_n + eta_n . dg(q_n+1)
 *        + J_q0 . dq_0 + J_p0 . (M dv_0 + dM v_0),
 * where G^T eta_n is what is left of the variation by q_n+1.
 */
#include "adjoint/parameters.h"

#include <stdlib.h>
#include <string.h>

#include "adjoint/adjoint.h"
#include "adjoint/impacts/path.h"
#include "base/vector.h"
#include "integrate/reduced.h"
#include "math/math.h"
#include "tree/places.h"

/* --- derivatives of the numbers --- */

static int compare_changes(const void *left, const void *right)
{
    const ac_number_change *a = left, *b = right;
    int order = ac_number_compare(&a->key, &b->key);
    return order ? order : a->parameter - b->parameter;
}

ac_status ac_number_changes_add(ac_number_changes *to, const ac_number_key *key, int parameter, double share)
{
    if (share == 0.0) return AC_OK;
    AC_TRY(ac_grow(to->ctx, (void **)&to->list, &to->capacity, to->count + 1, sizeof *to->list));
    to->list[to->count++] = (ac_number_change){*key, parameter, share};
    return AC_OK;
}

typedef struct adding {
    ac_number_changes *to;
    int parameter;
} adding;

static ac_status add_slope(void *user, const ac_number_key *key, double slope)
{
    const adding *own = user;
    return ac_number_changes_add(own->to, key, own->parameter, slope);
}

static ac_status gather_changes(ac_adjoint *d, ac_number_changes *to)
{
    for (int j = 0; j < d->parameters.count; ++j) {
        const ac_parameter_action *action = &d->parameters.actions[j];
        adding own = {to, j};
        AC_TRY(ac_number_slopes(&d->discrete, action->slope, add_slope, &own));
    }
    return AC_OK;
}

/* The numbers that vary, and their slopes. */
static ac_status list_numbers(ac_adjoint *d, const ac_number_changes *from)
{
    ac_adjoint_parameters *p = &d->parameters;
    ac_number_key *keys;
    int numbers = 0;
    AC_NEW(d->ctx, keys, from->count + 1);
    p->slopes = ac_allocate(d->ctx, (size_t)from->count + 1, sizeof *p->slopes);
    if (!p->slopes) {
        ac_release(d->ctx, keys);
        return ac_out_of_memory(d->ctx);
    }
    for (int k = 0; k < from->count; ++k) {
        const ac_number_change *c = &from->list[k];
        bool known = numbers > 0 && ac_number_compare(&keys[numbers - 1], &c->key) == 0;
        if (!known) keys[numbers++] = c->key;
        bool same = known && p->slopes[p->slope_count - 1].parameter == c->parameter;
        if (!same) p->slopes[p->slope_count++] = (ac_number_slope){numbers - 1, c->parameter, 0.0};
        p->slopes[p->slope_count - 1].slope += c->share;
    }
    AC_TRY(ac_varying_create(&d->discrete, keys, numbers, &p->varying));
    AC_TRY(ac_number_groups_create(d->ctx, p->slopes, p->slope_count, numbers, &p->groups));
    return ac_varying_find_scales(&d->discrete, &p->varying, ac_number_groups_proportional, &p->groups);
}

static ac_status find_numbers(ac_adjoint *d)
{
    ac_number_changes all = {.ctx = d->ctx};
    ac_status status = gather_changes(d, &all);
    if (status == AC_OK && all.count > 0)
        ac_sort(all.list, (size_t)all.count, sizeof *all.list, compare_changes);
    if (status == AC_OK) status = list_numbers(d, &all);
    ac_release(d->ctx, all.list);
    return status;
}

/* dq_0 and dv_0 by each parameter */
static void differentiate_start(ac_adjoint *d)
{
    const size_t n = (size_t)d->system->n;
    ac_adjoint_parameters *p = &d->parameters;
    for (int j = 0; j < p->count; ++j) {
        double *q = p->start + 2 * (size_t)j * n, *v = q + n;
        const ac_system_slope *slope = p->actions[j].slope;
        memcpy(q, slope->q, n * sizeof *q);
        memcpy(v, slope->v, n * sizeof *v);
    }
}

/* Tree joints whose places vary. */
static ac_status find_joints(ac_adjoint *d)
{
    ac_adjoint_parameters *p = &d->parameters;
    AC_NEW(d->ctx, p->joints, (size_t)d->system->node_count * (size_t)p->count + 1);
    for (int i = 0; i < d->system->node_count; ++i)
        for (int j = 0; j < p->count; ++j) {
            const ac_system_slope *slope = p->actions[j].slope;
            int joint = d->system->nodes[i].joint;
            if (joint >= 0 && ac_frames_turn(slope, joint)) p->by_rows = true;
            if (joint < 0 || !ac_joint_varies(slope, joint)) continue;
            const ac_joint_slope *by = &slope->joints[joint];
            int reversed = d->system->joints[joint].reversed;
            ac_moved_joint *own = &p->joints[p->joint_count++];
            *own = (ac_moved_joint){.child = i, .parameter = j, .length = by->length};
            memcpy(own->a, by->place[reversed], sizeof own->a);
            memcpy(own->b, by->place[!reversed], sizeof own->b);
            memcpy(own->turn[0], by->turn[reversed], sizeof own->turn[0]);
            memcpy(own->turn[1], by->turn[!reversed], sizeof own->turn[1]);
        }
    return AC_OK;
}

/* Equations in joint coordinates have no dampers, so a number of one that is zero must stay so. */
static ac_status refuse_damping(ac_adjoint *d)
{
    const ac_adjoint_parameters *p = &d->parameters;
    for (int k = 0; d->chart && k < p->slope_count; ++k) {
        if (p->varying.keys[p->slopes[k].number].kind != AC_NUMBER_DAMPING) continue;
        return ac_fail(d->ctx, AC_BAD_INPUT,
                       "there is no gradient by the parameter '%s': the formulation '%s' has no dampers; use "
                       "reduced",
                       p->actions[p->slopes[k].parameter].name, d->forward.formulation->name);
    }
    return AC_OK;
}

static bool load_varies(const ac_adjoint *d, int parameter, int input)
{
    const ac_adjoint_load *of = &d->loads[input];
    const ac_parameter_action *action = &d->parameters.actions[parameter];
    return action->load_varies && action->load_varies(action->user, of->load, of->component);
}

/* Which loads are other functions of time. */
static ac_status find_loads(ac_adjoint *d)
{
    ac_adjoint_parameters *p = &d->parameters;
    AC_NEW(d->ctx, p->driven, (size_t)p->count * (size_t)d->input_count + 1);
    for (int j = 0; j < p->count; ++j)
        for (int i = d->control_count; i < d->input_count; ++i)
            if (load_varies(d, j, i)) p->driven[p->driven_count++] = (ac_driven_input){j, i};
    return AC_OK;
}

ac_status ac_adjoint_set_parameters(ac_adjoint *d, const ac_parameter_action *actions, int count)
{
    ac_adjoint_parameters *p = &d->parameters;
    size_t n = (size_t)d->system->n;
    for (int j = 0; j < count; ++j) AC_TRY(ac_path_check_parameter(d, actions[j].slope));
    p->actions = actions;
    p->count = count;
    AC_TRY(find_numbers(d));
    AC_TRY(refuse_damping(d));
    AC_NEW(d->ctx, p->by, p->varying.count + 1);
    AC_NEW(d->ctx, p->start, 2 * n * (size_t)count + 1);
    AC_NEW(d->ctx, p->total, count + 1);
    AC_TRY(ac_adjoint_create_rows(d));
    AC_NEW(d->ctx, p->residual, n);
    AC_NEW(d->ctx, p->eta, d->system->constraints.count + 1);
    AC_NEW(d->ctx, p->turned, d->system->tree.freedoms + 1);
    AC_NEW(d->ctx, p->forces, 6 * (size_t)d->system->node_count + 1);
    AC_TRY(find_joints(d));
    differentiate_start(d);
    return find_loads(d);
}

void ac_adjoint_end_parameters(ac_adjoint *d)
{
    ac_adjoint_parameters *p = &d->parameters;
    void *blocks[] = {p->slopes, p->by,     p->start,  p->total,  p->over_time, p->residual,
                      p->eta,    p->driven, p->turned, p->forces, p->joints};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(d->ctx, blocks[k]);
    ac_varying_destroy(d->ctx, &p->varying);
    ac_number_groups_destroy(d->ctx, &p->groups);
    *p = (ac_adjoint_parameters){0};
}

/* --- the sweep --- */

void ac_adjoint_begin_parameters(ac_adjoint *d)
{
    ac_adjoint_parameters *p = &d->parameters;
    if (p->count == 0) return;
    memset(p->by, 0, (size_t)p->varying.count * sizeof *p->by);
    memset(p->total, 0, (size_t)p->count * sizeof *p->total);
    memset(p->over_time, 0, (size_t)p->count * (size_t)ac_adjoint_rows(d) * sizeof *p->over_time);
}

void ac_adjoint_hand_over(ac_adjoint *d, double *to)
{
    ac_adjoint_parameters *p = &d->parameters;
    ac_number_groups_add(&p->groups, p->slopes, p->by, to);
    memset(p->by, 0, (size_t)p->varying.count * sizeof *p->by);
}

void ac_adjoint_take_frames(ac_adjoint *d, const ac_frame_pull *by, double *to)
{
    const ac_adjoint_parameters *p = &d->parameters;
    for (int k = 0; k < p->joint_count; ++k) {
        const ac_moved_joint *own = &p->joints[k];
        const ac_frame_pull *frames = &by[own->child];
        to[own->parameter] += dot3(own->a, frames->place[0]) + dot3(own->b, frames->place[1]) +
                              dot3(own->turn[0], frames->turn[0]) + dot3(own->turn[1], frames->turn[1]) +
                              own->length * frames->length;
    }
}

/* eta with G(q_b)^T eta = -residual, where the residual is the variation by q_b without it. */
static ac_status take_rows(ac_adjoint *d, const double *qb)
{
    ac_adjoint_parameters *p = &d->parameters;
    AC_TRY(ac_legendre_multipliers(&d->legendre, qb, p->residual, p->eta));
    ac_numbers_pull_rows(&p->varying, 0, qb, p->eta, -1.0, p->by);
    return AC_OK;
}

/* The same by tree freedoms: eta of closed loops alone, the residual is then without them and weighs on what places of
 * tree joints shift; its sums are in `forces`. */
static void take_rows_of_tree(ac_adjoint *d, const double *qb)
{
    ac_adjoint_parameters *p = &d->parameters;
    const ac_constraints *c = &d->system->constraints;
    if (c->count > c->closure) {
        ac_reduced_project(&d->backward, p->residual, d->workspace.reduced);
        for (int j = 0; j < d->system->tree.freedoms; ++j) d->workspace.reduced[j] += p->turned[j];
        ac_reduced_closure_rows(&d->backward, d->workspace.reduced, p->eta + c->closure);
        ac_constraints_add_force(d->system, qb, p->eta + c->closure, c->closure, c->count, -1.0, p->residual);
        ac_numbers_pull_rows(&p->varying, c->closure, qb, p->eta, -1.0, p->by);
    }
    if (p->joint_count > 0) ac_tree_sum_forces(d->system, qb, p->residual, p->forces);
}

/* Places of tree joints: everything behind them is shifted at q_b, and the constraint forces are turned at q_a (`turns`). */
static void take_places(ac_adjoint *d, const ac_discrete_point *point, bool turns, double *to)
{
    ac_adjoint_parameters *p = &d->parameters;
    const ac_system *system = d->system;
    double *bent = turns && system->mesh.dual_nodes > 0 ? p->forces + 3 * system->node_count : NULL;
    if (bent && p->joint_count > 0)
        ac_tree_sum_bent(system, point->a, d->workspace.force, d->workspace.work, bent);
    ac_place_pull pull = {.length = 0.0};
    for (int k = 0; k < p->joint_count; ++k) {
        const ac_moved_joint *own = &p->joints[k];
        if (k == 0 || own->child != own[-1].child) {
            pull = (ac_place_pull){.length = 0.0};
            ac_tree_pull_place(system, own->child, point->b, p->forces, &pull);
            if (turns)
                ac_tree_pull_place_motion(system, own->child, point->a, ac_reduced_columns(&d->backward),
                                          d->workspace.y, d->workspace.work, bent, &pull);
        }
        to[own->parameter] += dot3(own->a, pull.a) + dot3(own->b, pull.b) + own->length * pull.length;
    }
}

/* What constraints do that vary: their forces at x, where they act, and g(q_b) = 0. */
static ac_status take_geometry(ac_adjoint *d, const ac_discrete_point *point, const double *x, double *to)
{
    ac_adjoint_parameters *p = &d->parameters;
    bool turns = ac_adjoint_in_tree(d, d->backward.step);
    int first = turns ? d->system->constraints.closure : 0;
    ac_numbers_pull_forces(&p->varying, first, x, d->workspace.lambda, d->workspace.w, -1.0, p->by);
    if (!ac_adjoint_in_tree(d, d->backward.step + 1)) return take_rows(d, point->b);
    take_rows_of_tree(d, point->b);
    take_places(d, point, turns, to);
    return AC_OK;
}

double ac_adjoint_load_slope(const ac_adjoint *d, int parameter, int input, double t, double h)
{
    const ac_adjoint_load *of = &d->loads[input];
    const ac_parameter_action *action = &d->parameters.actions[parameter];
    return action->load ? action->load(action->user, of->load, of->component, t, h) : 0.0;
}

/* Loads over time that depend on parameters. */
static void take_loads(ac_adjoint *d, double t, double h, double *to)
{
    const double *by_inputs = d->workspace.by_inputs;
    for (int k = 0; k < d->parameters.driven_count; ++k) {
        const ac_driven_input *own = &d->parameters.driven[k];
        to[own->parameter] += by_inputs[own->input] *
                              ac_adjoint_load_slope(d, own->parameter, own->input, t, h);
    }
}

ac_status ac_adjoint_take_parameters(ac_adjoint *d, long number, double t, const ac_discrete_point *point,
                                     const double *wl)
{
    ac_adjoint_parameters *p = &d->parameters;
    const double *x = d->at_mean ? d->backward.interval.mean : point->a;
    if (p->count == 0) return AC_OK;
    ac_numbers_pull(&d->discrete, point, &p->varying, wl, d->by_p, p->by);
    double *now = ac_adjoint_parameters_over_time(d, number);
    if (ac_adjoint_geometry_varies(d)) AC_TRY(take_geometry(d, point, x, now));
    ac_adjoint_hand_over(d, now);
    take_loads(d, t, point->h, now);
    return AC_OK;
}

void ac_adjoint_finish_parameters(ac_adjoint *d)
{
    const int n = d->system->n;
    ac_adjoint_parameters *p = &d->parameters;
    if (p->count == 0) return;
    ac_numbers_pull_mass(&p->varying, d->by_p, d->system->initial.v, 1.0, p->by);
    ac_adjoint_hand_over(d, p->total);
    for (int j = 0; j < p->count; ++j) {
        const double *q = p->start + 2 * j * n, *v = q + n;
        for (int i = 0; i < n; ++i) p->total[j] += d->by_q[i] * q[i] + d->workspace.by_velocity[i] * v[i];
        for (long k = 0; k < ac_adjoint_rows(d); ++k) p->total[j] += p->over_time[k * p->count + j];
    }
}

const double *ac_adjoint_by_parameters(const ac_adjoint *d)
{
    return d->parameters.total;
}

double *ac_adjoint_parameters_over_time(const ac_adjoint *d, long interval)
{
    return d->parameters.over_time + interval / d->stretch * d->parameters.count;
}
