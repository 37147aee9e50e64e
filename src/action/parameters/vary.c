/* Free parameters: their dependents, and the system at their present values. */
#include "action/parameters/vary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/signal.h"
#include "action/chart/chart.h"
#include "base/quadrature.h"
#include "base/signal.h"
#include "tree/kinematics.h"

/* --- beginning --- */

static ac_status no_numbers(ac_context *ctx, int count, int **numbers)
{
    AC_NEW(ctx, *numbers, count + 1);
    for (int i = 0; i <= count; ++i) (*numbers)[i] = -1;
    return AC_OK;
}

/* Nodes, joints, mass, gravity and the first configuration are its own; constraints are when geometry
 * varies. */
static ac_status copy_system(ac_variation *v)
{
    const ac_system *from = v->given;
    v->system = *from;
    ac_system *own = &v->system;
    own->nodes = NULL;
    own->joints = NULL;
    own->mass = NULL;
    own->gravity_force = own->q0 = NULL;
    own->mass_pairs = NULL;
    memset(&own->constraints, 0, sizeof own->constraints);
    own->mass_count = own->mass_capacity = 0;
    AC_NEW(v->ctx, own->nodes, from->node_count);
    AC_NEW(v->ctx, own->joints, from->joint_count + 1);
    AC_NEW(v->ctx, own->gravity_force, from->n);
    AC_NEW(v->ctx, own->q0, from->n);
    memcpy(own->nodes, from->nodes, (size_t)from->node_count * sizeof *own->nodes);
    if (from->joint_count > 0)
        memcpy(own->joints, from->joints, (size_t)from->joint_count * sizeof *own->joints);
    AC_NEW(v->ctx, own->mass, 10 * from->node_count + from->mass_count + 8 * from->mass_pair_count);
    AC_NEW(v->ctx, v->mass, 10 * from->node_count + 8 * from->mass_pair_count);
    AC_NEW(v->ctx, v->gravity_force, from->n);
    AC_NEW(v->ctx, v->row_forms, from->constraints.count + 1);
    AC_NEW(v->ctx, v->joint_place, 6 * from->joint_count + 1);
    AC_NEW(v->ctx, v->joint_moves, from->joint_count + 1);
    AC_TRY(ac_variation_begin_beams(v));
    AC_TRY(ac_variation_link(v));
    return ac_system_build_constraints(own);
}

static ac_status begin(ac_context *ctx, const ac_system *system, ac_variation *v)
{
    memset(v, 0, sizeof *v);
    v->ctx = ctx;
    v->given = system;
    for (int i = 0; i < 3; ++i) v->of_gravity[i] = -1;
    AC_TRY(no_numbers(ctx, system->node_count, &v->of_mass));
    AC_TRY(no_numbers(ctx, 6 * system->node_count, &v->of_inertia));
    AC_TRY(no_numbers(ctx, 3 * system->node_count, &v->of_centre));
    AC_TRY(no_numbers(ctx, 3 * system->node_count, &v->of_position));
    AC_TRY(no_numbers(ctx, 7 * system->joint_count, &v->of_joint));
    AC_TRY(no_numbers(ctx, 9 * system->spring_count, &v->of_spring));
    AC_TRY(no_numbers(ctx, 3 * system->load_count, &v->of_load));
    AC_TRY(no_numbers(ctx, 3 * system->load_count, &v->of_load_place));
    v->system.loops = 0;
    AC_TRY(copy_system(v));
    v->system.loops = system->loops;
    return AC_OK;
}

static void free_constraints(ac_context *ctx, ac_constraints *c)
{
    ac_forms_free(ctx, &c->forms);
    ac_release(ctx, c->start);
    ac_release(ctx, c->coordinate);
    ac_release(ctx, c->origin);
    ac_release(ctx, c->owner);
    memset(c, 0, sizeof *c);
}

void ac_variation_end(ac_variation *v)
{
    if (!v->ctx) return;
    for (int k = 0; k < v->dependent_count; ++k) ac_expression_free(v->dependents[k].expression);
    free_constraints(v->ctx, &v->system.constraints);
    ac_forms_free(v->ctx, &v->forms);
    ac_variation_unlink(v);
    void *blocks[] = {v->of_position,  v->of_load_place, v->of_beam,
                      v->mass_share,   v->turning_share, v->system.mass_pairs,
                      v->dependents,   v->of_mass,       v->of_inertia,
                      v->of_centre,    v->of_joint,      v->of_spring,
                      v->of_load,      v->mass,          v->gravity_force,
                      v->row_forms,    v->joint_place,   v->joint_moves,
                      v->system.nodes, v->system.joints, v->system.gravity_force,
                      v->system.q0,    v->system.mass};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(v->ctx, blocks[k]);
    memset(v, 0, sizeof *v);
}

ac_status ac_variation_add(ac_context *ctx, const ac_system *system, const ac_parameter *p, ac_variation *v)
{
    const char *name = p->name ? p->name : "";
    if (v->count == 0 && !v->ctx) AC_TRY(begin(ctx, system, v));
    if (v->dependent_count > 0)
        return ac_fail(ctx, AC_BAD_INPUT, "parameter '%s': add all parameters before what depends on them",
                       name);
    if (v->count == AC_PARAMETERS_MAX)
        return ac_fail(ctx, AC_BAD_INPUT, "at most %d parameters can be free", AC_PARAMETERS_MAX);
    if (!(p->low < p->high))
        return ac_fail(ctx, AC_BAD_INPUT,
                       "parameter '%s': its lower bound %g must be below its upper bound %g", name, p->low,
                       p->high);
    if (!(p->low <= p->value && p->value <= p->high))
        return ac_fail(ctx, AC_BAD_INPUT, "parameter '%s': its value %g is outside its bounds %g and %g",
                       name, p->value, p->low, p->high);
    ac_parameter_data *data = &v->parameters[v->count];
    snprintf(data->name, sizeof data->name, "%s", name);
    data->start = p->value;
    data->low = p->low;
    data->high = p->high;
    v->value[v->count++] = p->value;
    return AC_OK;
}

/* --- dependents --- */

ac_status ac_variation_expression(ac_variation *v, const char *text, ac_constant_lookup lookup, void *user,
                                  int *number)
{
    const char *names[AC_PARAMETERS_MAX + 1];
    double x[AC_PARAMETERS_MAX + 1], gradient[AC_PARAMETERS_MAX + 1];
    for (int j = 0; j < v->count; ++j) {
        names[j] = v->parameters[j].name;
        x[j] = v->parameters[j].start * 1.0009765625 + 0.0001220703125;
    }
    names[v->count] = "t";
    x[v->count] = 0.0;
    AC_TRY(ac_grow(v->ctx, (void **)&v->dependents, &v->dependent_capacity, v->dependent_count + 1,
                   sizeof *v->dependents));
    ac_dependent *d = &v->dependents[v->dependent_count];
    memset(d, 0, sizeof *d);
    AC_TRY(ac_expression_parse(v->ctx, text, names, v->count + 1, lookup, user, NULL, &d->expression));
    *number = v->dependent_count++;
    ac_expression_derivatives(d->expression, x, gradient, NULL);
    for (int j = 0; j < v->count; ++j) v->used[j] = v->used[j] || gradient[j] != 0.0;
    return AC_OK;
}

/* Where the number of a dependent is kept and what the system has there; NULL when there is no such thing. */
static int *place_of(ac_variation *v, const ac_dependence *d, double *given)
{
    const ac_system *s = v->given;
    int at = d->object, c = d->component;
    bool node = at >= 0 && at < s->node_count, joint = at >= 0 && at < s->joint_count,
         spring = at >= 0 && at < s->spring_count, component = c >= 0 && c < 3,
         side = d->side == 0 || d->side == 1;
    switch (d->datum) {
    case AC_DATUM_MASS:
        if (!node) return NULL;
        if (s->nodes[at].beam >= 0) return ac_variation_beam_place(v, d, given);
        *given = s->nodes[at].mass;
        return &v->of_mass[at];
    case AC_DATUM_INERTIA: {
        if (!node || ac_node_turns(&s->nodes[at]) == 0 || s->nodes[at].beam >= 0) return NULL;
        const double *e = s->nodes[at].euler;
        static const int entry[6] = {0, 4, 8, 1, 5, 2};
        if (ac_node_turns(&s->nodes[at]) == 1) {
            *given = e[0];
            return c == 0 ? &v->of_inertia[6 * at] : NULL;
        }
        if (c < 0 || c > 5) return NULL;
        *given = c < 3 ? e[0] + e[4] + e[8] - e[entry[c]] : -e[entry[c]];
        return &v->of_inertia[6 * at + c];
    }
    case AC_DATUM_CENTRE:
        if (!node || !component || ac_node_turns(&s->nodes[at]) == 0 || s->nodes[at].beam >= 0) return NULL;
        *given = s->nodes[at].centre[c];
        return &v->of_centre[3 * at + c];
    case AC_DATUM_POSITION: {
        if (!node || !component || c >= s->nodes[at].dimension) return NULL;
        if (s->nodes[at].joint >= 0 || s->nodes[at].beam >= 0) return NULL;
        const ac_pose *pose = &s->nodes[at].pose;
        *given = pose->position[c];
        for (int k = 0; ac_node_turns(&s->nodes[at]) > 0 && k < 3; ++k)
            *given -= pose->rotation[3 * c + k] * s->nodes[at].centre[k];
        return &v->of_position[3 * at + c];
    }
    case AC_DATUM_GRAVITY:
        if (!component) return NULL;
        *given = s->gravity[c];
        return &v->of_gravity[c];
    case AC_DATUM_JOINT_PLACE: {
        if (!joint || !component || !side) return NULL;
        const ac_side *data = d->side == 0 ? &s->joints[at].a : &s->joints[at].b;
        if (data->node != AC_GROUND && ac_node_turns(&s->nodes[data->node]) == 0) return NULL;
        *given = data->place[c] + (data->node == AC_GROUND ? 0.0 : s->nodes[data->node].centre[c]);
        return &v->of_joint[7 * at + 3 * d->side + c];
    }
    case AC_DATUM_JOINT_LENGTH:
        if (!joint || !ac_row_has(s->joints[at].row, AC_MOTION_SWING)) return NULL;
        *given = s->joints[at].length;
        return &v->of_joint[7 * at + 6];
    case AC_DATUM_STIFFNESS:
    case AC_DATUM_DAMPING:
    case AC_DATUM_REST: {
        if (!spring) return NULL;
        const double data[3] = {s->springs[at].stiffness, s->springs[at].damping, s->springs[at].rest};
        int which = (int)d->datum - (int)AC_DATUM_STIFFNESS;
        *given = data[which];
        return &v->of_spring[9 * at + which];
    }
    case AC_DATUM_SPRING_PLACE: {
        if (!spring || !component || !side || !s->springs[at].between_points) return NULL;
        int end = s->springs[at].end_node[d->side];
        if (end != AC_GROUND && ac_node_turns(&s->nodes[end]) == 0) return NULL;
        *given = s->springs[at].end_place[d->side][c] + (end == AC_GROUND ? 0.0 : s->nodes[end].centre[c]);
        return &v->of_spring[9 * at + 3 + 3 * d->side + c];
    }
    case AC_DATUM_LOAD:
        if (at < 0 || at >= s->load_count || !component || !s->loads[at].value[c]) return NULL;
        *given = ac_signal_value(s->loads[at].value[c], 0.0);
        return &v->of_load[3 * at + c];
    case AC_DATUM_LOAD_PLACE: {
        if (at < 0 || at >= s->load_count || !component || s->loads[at].type != AC_LOAD_FORCE) return NULL;
        const ac_load_data *load = &s->loads[at];
        if (load->follows || load->node == AC_GROUND || ac_node_turns(&s->nodes[load->node]) == 0)
            return NULL;
        *given = load->place[c] + s->nodes[load->node].centre[c];
        return &v->of_load_place[3 * at + c];
    }
    case AC_DATUM_BEAM_STIFFNESS:
    case AC_DATUM_BEAM_MASS:
    case AC_DATUM_BEAM_INERTIA:
    case AC_DATUM_BEAM_DAMPING:
    case AC_DATUM_BEAM_LENGTH: return ac_variation_beam_place(v, d, given);
    }
    return NULL;
}

ac_status ac_variation_depend(ac_variation *v, const ac_dependence *d, ac_constant_lookup lookup, void *user)
{
    double given = 0.0, x[AC_PARAMETERS_MAX + 1] = {0.0};
    if (v->count == 0)
        return ac_fail(v->ctx, AC_BAD_INPUT, "no parameter is free; \"%s\" depends on none", d->expression);
    int *place = place_of(v, d, &given), number;
    if (!place)
        return ac_fail(v->ctx, AC_BAD_INPUT, "there is nothing in the system that \"%s\" could be",
                       d->expression);
    if (*place >= 0)
        return ac_fail(v->ctx, AC_BAD_INPUT,
                       "two expressions are given for the same datum; the second is \"%s\"", d->expression);
    AC_TRY(ac_variation_expression(v, d->expression, lookup, user, &number));
    for (int j = 0; j < v->count; ++j) x[j] = v->parameters[j].start;
    double value = ac_expression_value(v->dependents[number].expression, x);
    if (!(fabs(value - given) <= 1e-9 * fmax(1.0, fabs(given))))
        return ac_fail(v->ctx, AC_BAD_INPUT, "\"%s\" is %.12g at the start, but the system has %.12g",
                       d->expression, value, given);
    *place = number;
    v->geometry = v->geometry || d->datum == AC_DATUM_POSITION || d->datum == AC_DATUM_CENTRE ||
                  d->datum == AC_DATUM_JOINT_PLACE || d->datum == AC_DATUM_JOINT_LENGTH ||
                  d->datum == AC_DATUM_BEAM_LENGTH;
    return AC_OK;
}

/* --- the system at the present values --- */

/* Every derivative and every value that can be there. */
static void make_generic(const ac_variation *v, int number, ac_jet *jet)
{
    jet->v += 0.731 + 0.0137 * number;
    for (int j = 0; j < v->count; ++j) {
        jet->d[j] = 1.17 + 0.0731 * number + 0.193 * j;
        for (int k = 0; k < v->count; ++k) jet->dd[j][k] = 0.37 + 0.0913 * number + 0.0717 * (j + k);
    }
}

static void evaluate_at_time(const ac_variation *v, int number, double t, ac_jet *jet)
{
    enum { MOST = AC_PARAMETERS_MAX + 1 };
    double x[MOST], gradient[MOST], hessian[MOST * MOST];
    int size = v->count + 1;
    for (int j = 0; j < v->count; ++j) x[j] = v->value[j];
    x[v->count] = t;
    memset(jet, 0, sizeof *jet);
    jet->v = ac_expression_derivatives(v->dependents[number].expression, x, gradient, hessian);
    for (int j = 0; j < v->count; ++j) {
        jet->d[j] = gradient[j];
        for (int k = 0; k < v->count; ++k) jet->dd[j][k] = hessian[j * size + k];
    }
    if (v->generic) make_generic(v, number, jet);
}

/* jet += weight other */
static void add_jet(const ac_variation *v, double weight, const ac_jet *other, ac_jet *jet)
{
    jet->v += weight * other->v;
    for (int j = 0; j < v->count; ++j) {
        jet->d[j] += weight * other->d[j];
        for (int k = 0; k < v->count; ++k) jet->dd[j][k] += weight * other->dd[j][k];
    }
}

void ac_variation_load(const ac_variation *v, int load, int component, double t, double h, ac_jet *jet)
{
    int number = v->of_load[3 * load + component];
    memset(jet, 0, sizeof *jet);
    if (number < 0) {
        jet->v = ac_signal_mean(v->given->loads[load].value[component], t, h);
        return;
    }
    if (ac_signal_is_sampled(v->given->loads[load].value[component])) {
        evaluate_at_time(v, number, t + 0.5 * h, jet);
        return;
    }
    for (int k = 0; k < AC_GAUSS; ++k) {
        ac_jet one;
        evaluate_at_time(v, number, t + ac_gauss_point[k] * h, &one);
        add_jet(v, ac_gauss_weight[k], &one, jet);
    }
}

/* The value of a load at a time, its derivatives by time, and those by a parameter. */
static double load_at(const ac_variation *v, int number, double t, double *by_time, double *by_parameter)
{
    enum { MOST = AC_PARAMETERS_MAX + 1 };
    double x[MOST], gradient[MOST];
    memcpy(x, v->value, (size_t)v->count * sizeof *x);
    x[v->count] = t;
    double value = ac_expression_derivatives(v->dependents[number].expression, x, gradient, NULL);
    *by_time = gradient[v->count];
    memcpy(by_parameter, gradient, (size_t)v->count * sizeof *gradient);
    return value;
}

/* Derivatives by h of the value at t = share h: first and second, and by a parameter and h. */
static void sampled_rates(const ac_variation *v, int number, double share, double h, double *first,
                          double *second, double *mixed)
{
    enum { MOST = AC_PARAMETERS_MAX + 1 };
    double x[MOST], gradient[MOST], hessian[MOST * MOST];
    int last = v->count;
    memcpy(x, v->value, (size_t)last * sizeof *x);
    x[last] = share * h;
    ac_expression_derivatives(v->dependents[number].expression, x, gradient, hessian);
    *first = share * gradient[last];
    *second = share * share * hessian[last * (last + 1) + last];
    for (int j = 0; j < last; ++j) mixed[j] = share * hessian[last * (last + 1) + j];
}

void ac_variation_load_rates(const ac_variation *v, int load, int component, double n, double h,
                             double *first, double *second, double *mixed)
{
    int number = v->of_load[3 * load + component];
    double a_p[AC_PARAMETERS_MAX], b_p[AC_PARAMETERS_MAX], a_t, b_t;
    ac_jet mean;
    memset(mixed, 0, (size_t)v->count * sizeof *mixed);
    if (number < 0) {
        ac_signal_mean_slopes(v->given->loads[load].value[component], n, h, first, second);
        return;
    }
    if (ac_signal_is_sampled(v->given->loads[load].value[component])) {
        sampled_rates(v, number, n + 0.5, h, first, second, mixed);
        return;
    }
    /* mean = I / h with I' = (n + 1) f(b) - n f(a), as in ac_signal_mean_slopes */
    ac_variation_load(v, load, component, n * h, h, &mean);
    double a = load_at(v, number, n * h, &a_t, a_p), b = load_at(v, number, (n + 1.0) * h, &b_t, b_p);
    *first = ((n + 1.0) * b - n * a - mean.v) / h;
    *second = ((n + 1.0) * (n + 1.0) * b_t - n * n * a_t - 2.0 * *first) / h;
    for (int j = 0; j < v->count; ++j) mixed[j] = ((n + 1.0) * b_p[j] - n * a_p[j] - mean.d[j]) / h;
}

static const ac_jet *jet_of(const ac_variation *v, int number)
{
    static const ac_jet none = {0};
    return number < 0 ? &none : &v->dependents[number].jet;
}

void ac_jet_add(ac_jet *sum, const ac_jet *jet, double factor)
{
    sum->v += factor * jet->v;
    for (int j = 0; j < AC_PARAMETERS_MAX; ++j) {
        sum->d[j] += factor * jet->d[j];
        for (int k = 0; k < AC_PARAMETERS_MAX; ++k) sum->dd[j][k] += factor * jet->dd[j][k];
    }
}

ac_jet ac_jet_product(const ac_jet *a, const ac_jet *b)
{
    ac_jet c = {.v = a->v * b->v};
    for (int j = 0; j < AC_PARAMETERS_MAX; ++j) {
        c.d[j] = a->d[j] * b->v + a->v * b->d[j];
        for (int k = 0; k < AC_PARAMETERS_MAX; ++k)
            c.dd[j][k] = a->dd[j][k] * b->v + a->d[j] * b->d[k] + a->d[k] * b->d[j] + a->v * b->dd[j][k];
    }
    return c;
}

ac_jet ac_jet_inverse(const ac_jet *a)
{
    double r = 1.0 / a->v;
    ac_jet c = {.v = r};
    for (int j = 0; j < AC_PARAMETERS_MAX; ++j) {
        c.d[j] = -r * r * a->d[j];
        for (int k = 0; k < AC_PARAMETERS_MAX; ++k)
            c.dd[j][k] = r * r * (2.0 * r * a->d[j] * a->d[k] - a->dd[j][k]);
    }
    return c;
}

/* Does a coordinate belong to a node whose inertia on an interval is another function? */
static bool is_relative(const ac_system *system, int coordinate)
{
    for (int i = 0; system->dual_nodes > 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (coordinate >= node->q && coordinate < node->q + node->size)
            return ac_node_type_of(node)->relative;
    }
    return false;
}

static void put_mass(ac_variation *v, int row, int column, int dimension, const ac_jet *jet, bool varies)
{
    ac_system *own = &v->system;
    if (jet->v == 0.0 && !varies) return;
    own->mass[own->mass_count++] = (ac_mass_entry){row, column, dimension, jet->v, is_relative(own, row)};
    if (varies) v->mass[v->mass_count++] = (ac_mass_jet){row, column, dimension, *jet};
}

static ac_jet gravity_jet(const ac_variation *v, int k)
{
    if (v->of_gravity[k] >= 0) return *jet_of(v, v->of_gravity[k]);
    return (ac_jet){.v = v->given->gravity[k]};
}

/* Mass times gravity, added to what is there. */
static void pull(ac_variation *v, int q, int dimension, const ac_jet *mass)
{
    for (int k = 0; k < dimension; ++k) {
        ac_jet g = gravity_jet(v, k), force = ac_jet_product(mass, &g);
        v->system.gravity[k] = g.v;
        ac_jet_add(&v->gravity_force[q + k], &force, 1.0);
        v->system.gravity_force[q + k] = v->gravity_force[q + k].v;
    }
}

/* The Euler tensor of a body, E = tr(J)/2 - J, changed by what varies of J. */
static void update_euler(ac_variation *v, int i, ac_jet euler[9])
{
    static const int entry[6] = {0, 4, 8, 1, 5, 2};
    const double *E = v->given->nodes[i].euler;
    for (int c = 0; c < 6; ++c) {
        if (v->of_inertia[6 * i + c] < 0) continue;
        ac_jet change = *jet_of(v, v->of_inertia[6 * i + c]);
        change.v -= c < 3 ? E[0] + E[4] + E[8] - E[entry[c]] : -E[entry[c]];
        int e = entry[c], mirror = 3 * (e % 3) + e / 3;
        for (int k = 0; c < 3 && k < 3; ++k) ac_jet_add(&euler[4 * k], &change, 0.5);
        ac_jet_add(&euler[e], &change, -1.0);
        if (mirror != e) ac_jet_add(&euler[mirror], &change, -1.0);
    }
}

/* Mass and Euler tensor (planar: inertia) of a node. */
static void update_node_mass(ac_variation *v, int i)
{
    ac_node *node = &v->system.nodes[i];
    ac_jet mass = {.v = v->given->nodes[i].mass}, euler[9], turning[2];
    bool turns = false, varies = v->of_mass[i] >= 0;
    for (int e = 0; e < 9; ++e) euler[e] = (ac_jet){.v = v->given->nodes[i].euler[e]};
    if (node->beam >= 0) {
        varies = turns = ac_variation_beam_node(v, i, &mass, turning);
        for (int e = 0; varies && e < 2; ++e) euler[4 * e] = turning[e];
        if (!varies) mass = (ac_jet){.v = v->given->nodes[i].mass};
    } else if (varies) {
        mass = *jet_of(v, v->of_mass[i]);
    }
    node->mass = mass.v;
    put_mass(v, node->q, node->q, node->dimension, &mass, varies);
    pull(v, node->q, node->dimension, &mass);
    for (int c = 0; c < 6; ++c) turns = turns || v->of_inertia[6 * i + c] >= 0;
    if (ac_node_turns(node) == 1) {
        if (turns) euler[0] = *jet_of(v, v->of_inertia[6 * i]);
        node->euler[0] = euler[0].v;
        put_mass(v, node->q + 2, node->q + 2, 2, &euler[0], turns);
    }
    if (ac_node_turns(node) < 3) return;
    update_euler(v, i, euler);
    for (int e = 0; e < 9; ++e) {
        bool own = node->beam < 0 || e == 0 || e == 4; /* directors of beams are not coupled within a node */
        node->euler[e] = euler[e].v;
        put_mass(v, node->q + 3 + 3 * (e / 3), node->q + 3 + 3 * (e % 3), 3, &euler[e], turns && own);
    }
}

/* Masses that couple nodes of beams. */
static void update_pair(ac_variation *v, int number)
{
    ac_mass_pair *pair = &v->system.mass_pairs[number];
    const ac_mass_pair *given = &v->given->mass_pairs[number];
    int a = v->system.nodes[pair->a].q, b = v->system.nodes[pair->b].q;
    ac_jet part[4];
    bool varies = ac_variation_beam_pair(v, number, part);
    for (int k = 0; k < 4; ++k) {
        double fixed = k == 0 ? given->mass : given->euler[k - 1];
        if (!varies) part[k] = (ac_jet){.v = fixed};
        put_mass(v, a + 3 * k, b + 3 * k, 3, &part[k], varies && fixed != 0.0);
        put_mass(v, b + 3 * k, a + 3 * k, 3, &part[k], varies && fixed != 0.0);
        if (k > 0) pair->euler[k - 1] = part[k].v;
    }
    pair->mass = part[0].v;
    pull(v, a, 3, &part[0]);
    pull(v, b, 3, &part[0]);
}

static void update_places(ac_variation *v)
{
    for (int i = 0; i < v->system.node_count; ++i)
        for (int c = 0; c < 3; ++c)
            if (v->of_centre[3 * i + c] >= 0)
                v->system.nodes[i].centre[c] = jet_of(v, v->of_centre[3 * i + c])->v;
    for (int j = 0; j < v->system.joint_count; ++j) {
        ac_joint_data *joint = &v->system.joints[j];
        ac_side *sides[2] = {&joint->a, &joint->b};
        ac_gap gap = {.length = v->of_joint[7 * j + 6]};
        ac_joint_places(v, j, gap.side);
        v->joint_moves[j] = ac_gap_varies(v, &gap);
        for (int s = 0; s < 2; ++s) {
            ac_jet *place = v->joint_place + 6 * j + 3 * s;
            ac_place_jets(v, &gap.side[s], place);
            for (int c = 0; c < 3; ++c) sides[s]->place[c] = place[c].v;
        }
        if (v->of_joint[7 * j + 6] >= 0) joint->length = jet_of(v, v->of_joint[7 * j + 6])->v;
    }
}

/* The first configuration: joints keep their states, but for the lengths of distance joints and beams. */
static void update_start(ac_variation *v)
{
    ac_system *own = &v->system;
    ac_chart links = *v->links;
    const ac_joint_state *start = ac_variation_starts(v);
    links.system = own;
    links.vary = v;
    for (int k = 0; k < own->node_count; ++k) {
        int i = links.order[k];
        const ac_node *node = &own->nodes[i];
        ac_joint_state state = start[i];
        if (node->joint >= 0 && v->of_joint[7 * node->joint + 6] >= 0) {
            double scale = own->joints[node->joint].length / v->given->joints[node->joint].length;
            for (int c = 0; c < 3; ++c) state.shift[c] *= scale;
        }
        ac_chart_node_forward(&links, i, &state, own->q0);
    }
}

/* The old ones stay when there is no memory for new ones. */
static ac_status update_constraints(ac_variation *v)
{
    ac_system fresh = v->system;
    memset(&fresh.constraints, 0, sizeof fresh.constraints);
    ac_status status = ac_system_build_constraints(&fresh);
    if (status != AC_OK) {
        free_constraints(v->ctx, &fresh.constraints);
        return status;
    }
    free_constraints(v->ctx, &v->system.constraints);
    v->system.constraints = fresh.constraints;
    return AC_OK;
}

ac_status ac_variation_update(ac_variation *v, const double *value)
{
    ac_system *own = &v->system;
    memcpy(v->value, value, (size_t)v->count * sizeof *value);
    for (int k = 0; k < v->dependent_count; ++k) evaluate_at_time(v, k, 0.0, &v->dependents[k].jet);
    own->mass_count = v->mass_count = 0;
    memset(v->gravity_force, 0, (size_t)own->n * sizeof *v->gravity_force);
    for (int i = 0; i < own->node_count; ++i) update_node_mass(v, i);
    for (int k = 0; k < own->mass_pair_count; ++k) update_pair(v, k);
    if (v->geometry) {
        update_places(v);
        AC_TRY(update_constraints(v));
        update_start(v);
    } else {
        memcpy(own->q0, v->given->q0, (size_t)own->n * sizeof *own->q0);
    }
    return ac_variation_constraint_forms(v);
}

void ac_variation_mass(const ac_variation *v, int j, int k, const double *x, double *y)
{
    memset(y, 0, (size_t)v->system.n * sizeof *y);
    for (int e = 0; e < v->mass_count; ++e) {
        const ac_mass_jet *m = &v->mass[e];
        double value = k < 0 ? m->jet.d[j] : m->jet.dd[j][k];
        for (int i = 0; i < m->dimension; ++i) y[m->row + i] += value * x[m->column + i];
    }
}
