/* Free parameters: their dependents, and the system at their present values. */
#include "action/parameters/vary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/signal.h"
#include "action/chart/chart.h"
#include "action/inertia.h"
#include "base/expression.h"
#include "base/quadrature.h"
#include "base/signal.h"
#include "math/math.h"
#include "tree/kinematics.h"

/* --- beginning --- */

ac_status ac_variation_no_numbers(ac_context *ctx, int count, int **numbers)
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
    own->inertia.entries = NULL;
    own->gravity_force = own->initial.q = NULL;
    own->mesh.mass_pairs = NULL;
    memset(&own->constraints, 0, sizeof own->constraints);
    own->inertia.count = own->inertia.capacity = 0;
    AC_NEW(v->ctx, own->nodes, from->node_count);
    AC_NEW(v->ctx, own->joints, from->joint_count + 1);
    AC_NEW(v->ctx, own->gravity_force, from->n);
    AC_NEW(v->ctx, own->initial.q, from->n);
    memcpy(own->nodes, from->nodes, (size_t)from->node_count * sizeof *own->nodes);
    if (from->joint_count > 0)
        memcpy(own->joints, from->joints, (size_t)from->joint_count * sizeof *own->joints);
    AC_NEW(v->ctx, own->inertia.entries,
           10 * from->node_count + from->inertia.count + 8 * from->mesh.mass_pair_count);
    AC_NEW(v->ctx, v->inertia.entries, 10 * from->node_count + 8 * from->mesh.mass_pair_count);
    AC_NEW(v->ctx, v->gravity_force, from->n);
    AC_NEW(v->ctx, v->inertia.nodes, 10 * from->node_count);
    AC_NEW(v->ctx, v->inertia.node_varies, 10 * from->node_count);
    AC_NEW(v->ctx, v->inertia.pairs, 4 * from->mesh.mass_pair_count + 1);
    AC_NEW(v->ctx, v->inertia.pair_varies, 4 * from->mesh.mass_pair_count + 1);
    if (from->mesh.dual_nodes > 0) AC_NEW(v->ctx, v->inertia.relative, 8 * from->node_count);
    AC_NEW(v->ctx, v->rows, from->constraints.count + 1);
    for (int r = 0; r <= from->constraints.count; ++r) v->rows[r].first = -1;
    AC_NEW(v->ctx, v->joint_place, 6 * from->joint_count + 1);
    AC_NEW(v->ctx, v->joint_moves, from->joint_count + 1);
    AC_NEW(v->ctx, v->node_shift, 3 * from->node_count + 1);
    AC_NEW(v->ctx, v->node_shifts, from->node_count + 1);
    AC_NEW(v->ctx, v->length_ratio, from->beam_count + 1);
    AC_TRY(ac_variation_begin_beams(v));
    AC_TRY(ac_variation_link(v));
    return ac_system_build_constraints(own);
}

static ac_status begin(ac_context *ctx, const ac_system *system, ac_variation *v)
{
    memset(v, 0, sizeof *v);
    v->ctx = ctx;
    v->given = system;
    for (int i = 0; i < 3; ++i) v->of.gravity[i] = -1;
    AC_TRY(ac_variation_no_numbers(ctx, system->node_count, &v->of.mass));
    AC_TRY(ac_variation_no_numbers(ctx, 6 * system->node_count, &v->of.inertia));
    AC_TRY(ac_variation_no_numbers(ctx, 3 * system->node_count, &v->of.centre));
    AC_TRY(ac_variation_no_numbers(ctx, 3 * system->node_count, &v->of.position));
    AC_TRY(ac_variation_no_numbers(ctx, 7 * system->joint_count, &v->of.joint));
    AC_TRY(ac_variation_no_numbers(ctx, 6 * system->joint_count, &v->of.start));
    AC_TRY(ac_variation_no_numbers(ctx, 9 * system->spring_count, &v->of.spring));
    AC_TRY(ac_variation_no_numbers(ctx, 3 * system->load_count, &v->of.load));
    AC_TRY(ac_variation_no_numbers(ctx, 3 * system->load_count, &v->of.load_place));
    v->system.tree.loops = 0;
    AC_TRY(copy_system(v));
    v->system.tree.loops = system->tree.loops;
    return AC_OK;
}

void ac_variation_end(ac_variation *v)
{
    if (!v->ctx) return;
    for (int k = 0; k < v->dependent_count; ++k) {
        ac_expression_free(v->dependents[k].expression);
        ac_release(v->ctx, v->dependents[k].jet.d); /* one block with its lists */
    }
    ac_jets_free(&v->jets);
    ac_constraints_free(v->ctx, &v->system.constraints);
    ac_forms_free(v->ctx, &v->forms);
    ac_variation_unlink(v);
    void *blocks[] = {v->inertia.nodes,
                      v->inertia.node_varies,
                      v->inertia.pairs,
                      v->inertia.pair_varies,
                      v->inertia.relative,
                      v->of.position,
                      v->of.load_place,
                      v->of.beam,
                      v->of.strain,
                      v->of.mass_point,
                      v->inertia.carried,
                      v->inertia.points,
                      v->system.mesh.mass_pairs,
                      v->dependents,
                      v->of.mass,
                      v->of.inertia,
                      v->of.centre,
                      v->of.joint,
                      v->of.start,
                      v->of.spring,
                      v->of.load,
                      v->inertia.entries,
                      v->gravity_force,
                      v->rows,
                      v->joint_place,
                      v->joint_moves,
                      v->node_shift,
                      v->node_shifts,
                      v->length_ratio,
                      v->moving,
                      v->parameters,
                      v->value,
                      v->used,
                      v->point,
                      v->system.nodes,
                      v->system.initial.q,
                      v->system.joints,
                      v->system.gravity_force,
                      v->system.inertia.entries};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(v->ctx, blocks[k]);
    memset(v, 0, sizeof *v);
}

static ac_status grow_parameters(ac_variation *v)
{
    int count = v->count + 1;
    AC_TRY(ac_grow(v->ctx, (void **)&v->parameters, &v->capacity, count, sizeof *v->parameters));
    AC_TRY(ac_grow(v->ctx, (void **)&v->value, &v->value_capacity, count, sizeof *v->value));
    AC_TRY(ac_grow(v->ctx, (void **)&v->used, &v->used_capacity, count, sizeof *v->used));
    return ac_grow(v->ctx, (void **)&v->point, &v->point_capacity, count + 1, sizeof *v->point);
}

ac_status ac_variation_add(ac_context *ctx, const ac_system *system, const ac_parameter *p, ac_variation *v)
{
    const char *name = p->name ? p->name : "";
    if (v->count == 0 && !v->ctx) AC_TRY(begin(ctx, system, v));
    if (v->dependent_count > 0)
        return ac_fail(ctx, AC_BAD_INPUT, "parameter '%s': add all parameters before what depends on them",
                       name);
    if (!(p->low < p->high))
        return ac_fail(ctx, AC_BAD_INPUT,
                       "parameter '%s': its lower bound %g must be below its upper bound %g", name, p->low,
                       p->high);
    if (!(p->low <= p->value && p->value <= p->high))
        return ac_fail(ctx, AC_BAD_INPUT, "parameter '%s': its value %g is outside its bounds %g and %g",
                       name, p->value, p->low, p->high);
    AC_TRY(grow_parameters(v));
    ac_parameter_data *data = &v->parameters[v->count];
    v->used[v->count] = false;
    snprintf(data->name, sizeof data->name, "%s", name);
    data->start = p->value;
    data->low = p->low;
    data->high = p->high;
    v->value[v->count++] = p->value;
    return AC_OK;
}

/* --- dependents --- */

/* Lists and derivatives of a dependent, in one block. */
static ac_status list_parameters(const ac_variation *v, ac_dependent *d)
{
    size_t count = 0;
    bool bends = false;
    for (int j = 0; j < v->count; ++j) count += ac_expression_has(d->expression, j);
    for (int j = 0; j < v->count; ++j)
        for (int k = 0; k <= j; ++k) bends = bends || ac_expression_bends(d->expression, j, k);
    size_t pairs = bends ? count * count : 0, numbers = (count + pairs) * sizeof(double);
    char *block = ac_allocate(v->ctx, numbers + (count + 1) * sizeof(int) + pairs * sizeof(bool), 1);
    if (!block) return ac_out_of_memory(v->ctx);
    int *by = (int *)(void *)(block + numbers);
    d->jet = (ac_jet){.by = by, .d = (double *)(void *)block};
    if (bends) d->jet.dd = d->jet.d + count;
    for (int j = 0; j < v->count; ++j)
        if (ac_expression_has(d->expression, j)) by[d->jet.count++] = j;
    d->bends = (bool *)(by + count + 1);
    for (size_t a = 0; bends && a < count; ++a)
        for (size_t b = 0; b <= a; ++b)
            d->bends[a * count + b] = ac_expression_bends(d->expression, by[a], by[b]);
    return AC_OK;
}

/* Parameters away from zeros of derivatives. */
static void note_used(ac_variation *v, const ac_dependent *d)
{
    double *x = v->point, first, second;
    for (int j = 0; j < v->count; ++j) x[j] = v->parameters[j].start * 1.0009765625 + 0.0001220703125;
    x[v->count] = 0.0;
    for (int a = 0; a < d->jet.count; ++a) {
        int j = d->jet.by[a];
        ac_expression_along(d->expression, x, j, j, &first, &second);
        v->used[j] = v->used[j] || first != 0.0;
    }
}

/* Keeps an expression that is complete; it is freed on failure. */
static ac_status keep(ac_variation *v, ac_expression *expression, int *number)
{
    ac_dependent d = {.expression = expression};
    ac_status status = ac_grow(v->ctx, (void **)&v->dependents, &v->dependent_capacity,
                               v->dependent_count + 1, sizeof *v->dependents);
    if (status == AC_OK) status = list_parameters(v, &d);
    if (status != AC_OK) {
        ac_expression_free(d.expression);
        return status;
    }
    *number = v->dependent_count++;
    v->dependents[*number] = d;
    note_used(v, &d);
    return AC_OK;
}

ac_status ac_variation_parse(const ac_variation *v, const char *text, ac_constant_lookup lookup, void *user,
                             ac_expression **expression)
{
    const char **names;
    *expression = NULL;
    if (v->find) AC_TRY(v->find(v->finder, text, v->count, expression));
    if (*expression) return AC_OK;
    AC_NEW(v->ctx, names, v->count + 1);
    for (int j = 0; j < v->count; ++j) names[j] = v->parameters[j].name;
    names[v->count] = "t";
    ac_status status = ac_expression_parse(v->ctx, text, names, v->count + 1, lookup, user, NULL, expression);
    ac_release(v->ctx, names);
    return status;
}

ac_status ac_variation_expression(ac_variation *v, const char *text, int *number)
{
    ac_expression *expression;
    AC_TRY(ac_variation_parse(v, text, NULL, NULL, &expression));
    return keep(v, expression, number);
}

static int *inertia_place(ac_variation *v, const ac_node *node, const ac_dependence *d, double *given)
{
    static const int entry[6] = {0, 4, 8, 1, 5, 2};
    const double *e = node->euler;
    int c = d->component;
    if (ac_node_turns(node) == 1) {
        *given = e[0];
        return c == 0 ? &v->of.inertia[6 * d->object] : NULL;
    }
    if (c < 0 || c > 5) return NULL;
    *given = c < 3 ? e[0] + e[4] + e[8] - e[entry[c]] : -e[entry[c]];
    return &v->of.inertia[6 * d->object + c];
}

static bool is_component(const ac_dependence *d)
{
    return d->component >= 0 && d->component < 3;
}

static int *node_place(ac_variation *v, const ac_dependence *d, double *given)
{
    int at = d->object, c = d->component;
    if (at < 0 || at >= v->given->node_count) return NULL;
    const ac_node *node = &v->given->nodes[at];
    bool turns = ac_node_turns(node) > 0;
    if (d->datum == AC_DATUM_MASS) {
        if (node->beam >= 0) return ac_variation_beam_place(v, d, given);
        *given = node->mass;
        return &v->of.mass[at];
    }
    if (node->beam >= 0) return NULL;
    if (d->datum == AC_DATUM_INERTIA) return turns ? inertia_place(v, node, d, given) : NULL;
    if (!is_component(d)) return NULL;
    if (d->datum == AC_DATUM_CENTRE) {
        *given = node->centre[c];
        return turns ? &v->of.centre[3 * at + c] : NULL;
    }
    if (c >= node->dimension || node->joint >= 0) return NULL; /* its position */
    *given = node->pose.position[c];
    for (int k = 0; turns && k < 3; ++k) *given -= node->pose.rotation[3 * c + k] * node->centre[k];
    return &v->of.position[3 * at + c];
}

/* A place in a node, as the file gives it: `place` counts from the centre of mass. False: it cannot depend on anything. */
static bool given_place(const ac_system *s, int node, double place, int component, double *given)
{
    if (node != AC_GROUND && ac_node_turns(&s->nodes[node]) == 0) return false;
    *given = place + (node == AC_GROUND ? 0.0 : s->nodes[node].centre[component]);
    return true;
}

static int *joint_place(ac_variation *v, const ac_dependence *d, double *given)
{
    int at = d->object, c = d->component;
    if (at < 0 || at >= v->given->joint_count) return NULL;
    const ac_joint_data *joint = &v->given->joints[at];
    if (d->datum == AC_DATUM_JOINT_LENGTH) {
        *given = joint->length;
        return ac_row_has(joint->row, AC_MOTION_SWING) ? &v->of.joint[7 * at + 6] : NULL;
    }
    if (!is_component(d) || d->side < 0 || d->side > 1) return NULL;
    const ac_side *side = d->side == 0 ? &joint->a : &joint->b;
    if (!given_place(v->given, side->node, side->place[c], c, given)) return NULL;
    return &v->of.joint[7 * at + 3 * d->side + c];
}

static int *spring_place(ac_variation *v, const ac_dependence *d, double *given)
{
    int at = d->object, c = d->component;
    if (at < 0 || at >= v->given->spring_count) return NULL;
    const ac_spring_data *spring = &v->given->springs[at];
    if (d->datum != AC_DATUM_SPRING_PLACE) {
        const double data[3] = {spring->stiffness, spring->damping, spring->rest};
        int which = (int)d->datum - (int)AC_DATUM_STIFFNESS;
        *given = data[which];
        return &v->of.spring[9 * at + which];
    }
    if (!is_component(d) || d->side < 0 || d->side > 1 || !spring->between_points) return NULL;
    if (!given_place(v->given, spring->end_node[d->side], spring->end_place[d->side][c], c, given))
        return NULL;
    return &v->of.spring[9 * at + 3 + 3 * d->side + c];
}

static int *load_place(ac_variation *v, const ac_dependence *d, double *given)
{
    int at = d->object, c = d->component;
    if (at < 0 || at >= v->given->load_count || !is_component(d)) return NULL;
    const ac_load_data *load = &v->given->loads[at];
    if (d->datum == AC_DATUM_LOAD) {
        if (!load->value[c]) return NULL;
        *given = ac_signal_value(load->value[c], 0.0);
        return &v->of.load[3 * at + c];
    }
    if (load->type != AC_LOAD_FORCE || load->node == AC_GROUND) return NULL;
    if (!given_place(v->given, load->node, load->place[c], c, given)) return NULL;
    return &v->of.load_place[3 * at + c];
}

/* Where the number of a dependent is kept and what the system has there; NULL when there is no such thing. */
static int *place_of(ac_variation *v, const ac_dependence *d, double *given)
{
    switch (d->datum) {
    case AC_DATUM_START_COORDINATE:
    case AC_DATUM_START_RATE: return ac_variation_start_place(v, d, given);
    case AC_DATUM_MASS:
    case AC_DATUM_INERTIA:
    case AC_DATUM_CENTRE:
    case AC_DATUM_POSITION: return node_place(v, d, given);
    case AC_DATUM_GRAVITY:
        if (!is_component(d)) return NULL;
        *given = v->given->gravity[d->component];
        return &v->of.gravity[d->component];
    case AC_DATUM_JOINT_PLACE:
    case AC_DATUM_JOINT_LENGTH: return joint_place(v, d, given);
    case AC_DATUM_STIFFNESS:
    case AC_DATUM_DAMPING:
    case AC_DATUM_REST:
    case AC_DATUM_SPRING_PLACE: return spring_place(v, d, given);
    case AC_DATUM_LOAD:
    case AC_DATUM_LOAD_PLACE: return load_place(v, d, given);
    case AC_DATUM_BEAM_STIFFNESS:
    case AC_DATUM_BEAM_MASS:
    case AC_DATUM_BEAM_INERTIA:
    case AC_DATUM_BEAM_DAMPING:
    case AC_DATUM_BEAM_LENGTH:
    case AC_DATUM_BEAM_RELAXATION: return ac_variation_beam_place(v, d, given);
    }
    return NULL;
}

/* Where the number is kept, and what the system has there. */
static ac_status find_place(ac_variation *v, const ac_dependence *d, int **place, double *given)
{
    const char *refusal = ac_variation_start_refusal(v, d);
    if (refusal)
        return ac_fail(v->ctx, AC_BAD_INPUT, "\"%s\" cannot be %s at the start: %s", d->expression,
                       d->datum == AC_DATUM_START_RATE ? "a rate" : "a coordinate", refusal);
    *place = place_of(v, d, given);
    if (!*place)
        return ac_fail(v->ctx, AC_BAD_INPUT, "there is nothing in the system that \"%s\" could be",
                       d->expression);
    if (**place >= 0)
        return ac_fail(v->ctx, AC_BAD_INPUT,
                       "two expressions are given for the same datum; the second is \"%s\"", d->expression);
    return AC_OK;
}

ac_status ac_variation_depend(ac_variation *v, const ac_dependence *d, ac_expression *expression)
{
    double given = 0.0, *x = v->point;
    int *place, number;
    ac_status status = find_place(v, d, &place, &given);
    if (status != AC_OK) {
        ac_expression_free(expression);
        return status;
    }
    AC_TRY(keep(v, expression, &number));
    for (int j = 0; j < v->count; ++j) x[j] = v->parameters[j].start;
    x[v->count] = 0.0;
    double value = ac_expression_value(v->dependents[number].expression, x);
    if (!(fabs(value - given) <= 1e-9 * ac_max(1.0, fabs(given))))
        return ac_fail(v->ctx, AC_BAD_INPUT, "\"%s\" is %.12g at the start, but the system has %.12g",
                       d->expression, value, given);
    *place = number;
    v->geometry = v->geometry || d->datum == AC_DATUM_POSITION || d->datum == AC_DATUM_CENTRE ||
                  d->datum == AC_DATUM_JOINT_PLACE || d->datum == AC_DATUM_JOINT_LENGTH ||
                  d->datum == AC_DATUM_BEAM_LENGTH;
    v->starts = v->starts || d->datum == AC_DATUM_START_COORDINATE || d->datum == AC_DATUM_START_RATE;
    return AC_OK;
}

/* --- the system at the present values --- */

/* Every derivative and every value that can be there. */
static void make_generic(int number, ac_jet *jet)
{
    jet->v += 0.731 + 0.0137 * number;
    for (int a = 0; a < jet->count; ++a) {
        jet->d[a] = 1.17 + 0.0731 * number + 0.193 * jet->by[a];
        for (int b = 0; jet->dd && b < jet->count; ++b)
            jet->dd[a * jet->count + b] = 0.37 + 0.0913 * number + 0.0717 * (jet->by[a] + jet->by[b]);
    }
}

/* jet += weight times the dependent at a time; the jet has its lists */
static void add_at_time(const ac_variation *v, int number, double t, double weight, ac_jet *jet)
{
    const ac_dependent *d = &v->dependents[number];
    double *x = v->point, first, second;
    int n = jet->count;
    memcpy(x, v->value, (size_t)v->count * sizeof *x);
    x[v->count] = t;
    jet->v += weight * ac_expression_value(d->expression, x);
    for (int a = 0; a < n; ++a) {
        ac_expression_along(d->expression, x, jet->by[a], jet->by[a], &first, &second);
        jet->d[a] += weight * first;
        for (int b = a; jet->dd && b >= 0; --b) {
            if (!d->bends[a * n + b]) continue;
            if (b < a) ac_expression_along(d->expression, x, jet->by[a], jet->by[b], &first, &second);
            jet->dd[a * n + b] += weight * second;
            if (b < a) jet->dd[b * n + a] += weight * second;
        }
    }
}

static void clear(ac_jet *jet)
{
    size_t n = (size_t)jet->count;
    jet->v = 0.0;
    if (n > 0) memset(jet->d, 0, n * sizeof *jet->d);
    if (jet->dd) memset(jet->dd, 0, n * n * sizeof *jet->dd);
}

/* --- loads --- */

/* Where a load is evaluated on [t, t + h], and with which weights. */
typedef struct load_points {
    int count;
    double at[AC_GAUSS], weight[AC_GAUSS];
} load_points;

static load_points points_of(const ac_variation *v, int load, int component, double t, double h)
{
    load_points p = {.count = 1, .at = {t + 0.5 * h}, .weight = {1.0}};
    if (ac_signal_is_sampled(v->given->loads[load].value[component])) return p;
    p.count = AC_GAUSS;
    for (int k = 0; k < AC_GAUSS; ++k) {
        p.at[k] = t + ac_gauss_point[k] * h;
        p.weight[k] = ac_gauss_weight[k];
    }
    return p;
}

const ac_jet *ac_variation_load_list(const ac_variation *v, int load, int component)
{
    int number = v->of.load[3 * load + component];
    return number < 0 ? NULL : &v->dependents[number].jet;
}

double ac_variation_load(const ac_variation *v, int load, int component, double t, double h)
{
    int number = v->of.load[3 * load + component];
    double sum = 0.0, *x = v->point;
    if (number < 0) return ac_signal_mean(v->given->loads[load].value[component], t, h);
    load_points p = points_of(v, load, component, t, h);
    memcpy(x, v->value, (size_t)v->count * sizeof *x);
    for (int k = 0; k < p.count; ++k) {
        x[v->count] = p.at[k];
        sum += p.weight[k] * ac_expression_value(v->dependents[number].expression, x);
    }
    return sum;
}

void ac_variation_load_jet(const ac_variation *v, int load, int component, double t, double h, ac_jet *jet)
{
    int number = v->of.load[3 * load + component];
    load_points p = points_of(v, load, component, t, h);
    clear(jet);
    for (int k = 0; k < p.count; ++k) add_at_time(v, number, p.at[k], p.weight[k], jet);
    if (v->generic) make_generic(number, jet);
}

/* The value of a load at a time and its first two derivatives by time; mixed (may be NULL): by time and the parameters
 * of its list. by (may be NULL): by these parameters. */
static double load_at(const ac_variation *v, int number, double t, double *rate, double *bend, double *by,
                      double *mixed)
{
    const ac_dependent *d = &v->dependents[number];
    double *x = v->point, first, second;
    memcpy(x, v->value, (size_t)v->count * sizeof *x);
    x[v->count] = t;
    double value = ac_expression_along(d->expression, x, v->count, v->count, rate, bend);
    for (int a = 0; (by || mixed) && a < d->jet.count; ++a) {
        ac_expression_along(d->expression, x, d->jet.by[a], v->count, &first, &second);
        if (by) by[a] = first;
        if (mixed) mixed[a] = second;
    }
    return value;
}

/* The mean is I / h with I' = (n + 1) f(b) - n f(a), as in ac_signal_mean_slopes; sampled loads are f((n + 1/2) h). */
void ac_variation_load_rates(const ac_variation *v, int load, int component, double n, double h,
                             double *first, double *second)
{
    int number = v->of.load[3 * load + component];
    double a_t, b_t, bend;
    if (number < 0) {
        ac_signal_mean_slopes(v->given->loads[load].value[component], n, h, first, second);
        return;
    }
    if (ac_signal_is_sampled(v->given->loads[load].value[component])) {
        double share = n + 0.5;
        load_at(v, number, share * h, first, second, NULL, NULL);
        *first *= share;
        *second *= share * share;
        return;
    }
    double mean = ac_variation_load(v, load, component, n * h, h);
    double a = load_at(v, number, n * h, &a_t, &bend, NULL, NULL),
           b = load_at(v, number, (n + 1.0) * h, &b_t, &bend, NULL, NULL);
    *first = ((n + 1.0) * b - n * a - mean) / h;
    *second = ((n + 1.0) * (n + 1.0) * b_t - n * n * a_t - 2.0 * *first) / h;
}

void ac_variation_load_mixed(const ac_variation *v, int load, int component, double n, double h,
                             const ac_jet *mean, double *mixed)
{
    int number = v->of.load[3 * load + component], count = mean->count;
    double rate, bend, share = n + 0.5, *by = mixed + count; /* room for twice as many */
    if (ac_signal_is_sampled(v->given->loads[load].value[component])) {
        load_at(v, number, share * h, &rate, &bend, NULL, mixed);
        for (int a = 0; a < count; ++a) mixed[a] *= share;
        return;
    }
    load_at(v, number, n * h, &rate, &bend, by, NULL);
    for (int a = 0; a < count; ++a) mixed[a] = -n * by[a] - mean->d[a];
    load_at(v, number, (n + 1.0) * h, &rate, &bend, by, NULL);
    for (int a = 0; a < count; ++a) mixed[a] = (mixed[a] + (n + 1.0) * by[a]) / h;
}

/* --- masses and gravity --- */

static const ac_jet *jet_of(const ac_variation *v, int number)
{
    static const ac_jet none = {0};
    return number < 0 ? &none : &v->dependents[number].jet;
}

static ac_jet gravity_jet(const ac_variation *v, int k)
{
    if (v->of.gravity[k] >= 0) return *jet_of(v, v->of.gravity[k]);
    return (ac_jet){.v = v->given->gravity[k]};
}

static void add(ac_variation *v, ac_jet *sum, const ac_jet *jet, double factor)
{
    *sum = ac_jet_sum(&v->jets, sum, 1.0, jet, factor);
}

/* The Euler tensor of a body, E = tr(J)/2 - J, changed by what varies of J. */
static void update_euler(ac_variation *v, int i, ac_jet euler[9])
{
    static const int entry[6] = {0, 4, 8, 1, 5, 2};
    const double *E = v->given->nodes[i].euler;
    for (int c = 0; c < 6; ++c) {
        if (v->of.inertia[6 * i + c] < 0) continue;
        ac_jet change = *jet_of(v, v->of.inertia[6 * i + c]);
        change.v -= c < 3 ? E[0] + E[4] + E[8] - E[entry[c]] : -E[entry[c]];
        int e = entry[c], mirror = 3 * (e % 3) + e / 3;
        for (int k = 0; c < 3 && k < 3; ++k) add(v, &euler[4 * k], &change, 0.5);
        add(v, &euler[e], &change, -1.0);
        if (mirror != e) add(v, &euler[mirror], &change, -1.0);
    }
}

/* Mass and Euler tensor (planar: inertia) of a node: 10 jets, and which of them vary. */
static void update_node_mass(ac_variation *v, int i)
{
    ac_node *node = &v->system.nodes[i];
    ac_jet *mass = &v->inertia.nodes[10 * i], *euler = mass + 1, turning[2];
    bool *varies = v->inertia.node_varies + 10 * i, turns = false;
    *mass = (ac_jet){.v = v->given->nodes[i].mass};
    for (int e = 0; e < 9; ++e) euler[e] = (ac_jet){.v = v->given->nodes[i].euler[e]};
    varies[0] = v->of.mass[i] >= 0;
    if (node->beam >= 0) {
        ac_jet own;
        varies[0] = turns = ac_variation_beam_node(v, i, &own, turning);
        if (turns) *mass = own;
        for (int e = 0; turns && e < 2; ++e) euler[4 * e] = turning[e];
    } else if (varies[0]) {
        *mass = *jet_of(v, v->of.mass[i]);
    }
    for (int c = 0; c < 6; ++c) turns = turns || v->of.inertia[6 * i + c] >= 0;
    if (ac_node_turns(node) == 1 && turns) euler[0] = *jet_of(v, v->of.inertia[6 * i]);
    if (ac_node_turns(node) == 3) update_euler(v, i, euler);
    node->mass = mass->v;
    for (int e = 0; e < 9; ++e) { /* directors of beams are not coupled within a node */
        varies[1 + e] = turns && (node->beam < 0 || e == 0 || e == 4);
        node->euler[e] = euler[e].v;
    }
    if (v->inertia.relative && node->kind == AC_NODE_DUAL) ac_variation_relative(v, i);
}

/* Masses that couple nodes of beams: 4 jets, and which of them vary. */
static void update_pair(ac_variation *v, int number)
{
    ac_mass_pair *pair = &v->system.mesh.mass_pairs[number];
    const ac_mass_pair *given = &v->given->mesh.mass_pairs[number];
    ac_jet *part = v->inertia.pairs + 4 * number;
    bool varies = ac_variation_beam_pair(v, number, part);
    for (int k = 0; k < 4; ++k) {
        double fixed = k == 0 ? given->mass : given->euler[k - 1];
        if (!varies) part[k] = (ac_jet){.v = fixed};
        v->inertia.pair_varies[4 * number + k] = varies && fixed != 0.0;
        if (k > 0) pair->euler[k - 1] = part[k].v;
    }
    pair->mass = part[0].v;
}

/* A block of the mass matrix, and the gravity that pulls it. */
static ac_status take_block(void *user, const ac_mass_block *block)
{
    ac_variation *v = user;
    ac_system *own = &v->system;
    int at = block->node >= 0 ? 10 * block->node + block->part : 4 * block->pair + block->part;
    const ac_jet *jet = (block->node >= 0 ? v->inertia.nodes : v->inertia.pairs) + at;
    bool varies = (block->node >= 0 ? v->inertia.node_varies : v->inertia.pair_varies)[at];
    for (int k = 0; block->part == 0 && k < block->dimension; ++k) {
        ac_jet g = gravity_jet(v, k), force = ac_jet_product(&v->jets, jet, &g);
        own->gravity[k] = g.v;
        add(v, &v->gravity_force[block->row + k], &force, 1.0);
        own->gravity_force[block->row + k] = v->gravity_force[block->row + k].v;
    }
    if (jet->v == 0.0 && !varies) return AC_OK;
    own->inertia.entries[own->inertia.count++] = (ac_mass_entry){block->row, block->column, block->dimension,
                                                                 jet->v, block->relative};
    if (varies)
        v->inertia.entries[v->inertia.count++] = (ac_mass_jet){block->row, block->column, block->dimension,
                                                               *jet, block->relative};
    return AC_OK;
}

static void update_places(ac_variation *v)
{
    for (int i = 0; i < v->system.node_count; ++i)
        for (int c = 0; c < 3; ++c)
            if (v->of.centre[3 * i + c] >= 0)
                v->system.nodes[i].centre[c] = jet_of(v, v->of.centre[3 * i + c])->v;
    for (int j = 0; j < v->system.joint_count; ++j) {
        ac_joint_data *joint = &v->system.joints[j];
        ac_side *sides[2] = {&joint->a, &joint->b};
        ac_gap gap = {.length = v->of.joint[7 * j + 6]};
        ac_joint_places(v, j, gap.side);
        v->joint_moves[j] = ac_gap_varies(v, &gap);
        for (int s = 0; s < 2; ++s) {
            ac_jet *place = v->joint_place + 6 * j + 3 * s;
            ac_place_jets(v, &gap.side[s], place);
            for (int c = 0; c < 3; ++c) sides[s]->place[c] = place[c].v;
        }
        if (v->of.joint[7 * j + 6] >= 0) joint->length = jet_of(v, v->of.joint[7 * j + 6])->v;
    }
}

/* The first configuration: joints keep their states, but for given coordinates that vary and the lengths of distance joints
 * and beams. Loops that open are closed by those who need it (optimize/problem/start.h). */
static void update_start(ac_variation *v)
{
    ac_system *own = &v->system;
    ac_chart links = *v->links;
    const ac_joint_state *start = ac_variation_starts(v);
    links.system = own;
    links.vary = v;
    memcpy(own->initial.q, v->given->initial.q,
           (size_t)own->n * sizeof *start->shift); /* signs of quaternions */
    for (int k = 0; k < own->node_count; ++k) {
        int i = links.order[k];
        const ac_node *node = &own->nodes[i];
        ac_joint_state state = start[i];
        if (node->joint >= 0 && v->of.joint[7 * node->joint + 6] >= 0) {
            double scale = own->joints[node->joint].length / v->given->joints[node->joint].length;
            for (int c = 0; c < 3; ++c) state.shift[c] *= scale;
        }
        if (v->starts && node->joint >= 0) {
            double more[6], axes[18];
            ac_variation_start_increments(v, node, false, more);
            if (node->freedoms > 0) ac_joint_move_in_turns(node, more, &state, axes);
        }
        ac_chart_node_forward(&links, i, &state, own->initial.q);
    }
}

/* The old ones stay when there is no memory for new ones. */
static ac_status update_constraints(ac_variation *v)
{
    ac_system fresh = v->system;
    memset(&fresh.constraints, 0, sizeof fresh.constraints);
    ac_status status = ac_system_build_constraints(&fresh);
    if (status != AC_OK) {
        ac_constraints_free(v->ctx, &fresh.constraints);
        return status;
    }
    ac_constraints_free(v->ctx, &v->system.constraints);
    v->system.constraints = fresh.constraints;
    return AC_OK;
}

ac_status ac_variation_update(ac_variation *v, const double *value)
{
    ac_system *own = &v->system;
    memcpy(v->value, value, (size_t)v->count * sizeof *value);
    ac_jets_reset(&v->jets, v->ctx);
    for (int k = 0; k < v->dependent_count; ++k) {
        clear(&v->dependents[k].jet);
        add_at_time(v, k, 0.0, 1.0, &v->dependents[k].jet);
        if (v->generic) make_generic(k, &v->dependents[k].jet);
    }
    ac_variation_beam_lengths(v);
    ac_variation_shift_nodes(v);
    own->inertia.count = v->inertia.count = 0;
    memset(v->gravity_force, 0, (size_t)own->n * sizeof *v->gravity_force);
    for (int i = 0; i < own->node_count; ++i) update_node_mass(v, i);
    for (int k = 0; k < own->mesh.mass_pair_count; ++k) update_pair(v, k);
    AC_TRY(ac_inertia_blocks(own, take_block, v));
    if (v->geometry) {
        update_places(v);
        AC_TRY(update_constraints(v));
    }
    if (v->geometry || v->starts) {
        update_start(v);
    } else {
        memcpy(own->initial.q, v->given->initial.q, (size_t)own->n * sizeof *own->initial.q);
    }
    ac_variation_move(v);
    AC_TRY(ac_jets_check(&v->jets));
    return v->settled ? ac_variation_constraint_forms(v) : AC_OK;
}

ac_status ac_variation_settle(ac_variation *v)
{
    v->settled = true;
    return ac_variation_update(v, v->value);
}

void ac_variation_masses(const ac_variation *v, ac_mass_jet_sink sink, void *user)
{
    for (int k = 0; k < v->inertia.count; ++k) {
        const ac_mass_jet *m = &v->inertia.entries[k];
        for (int i = 0; i < m->dimension; ++i) sink(user, m->row + i, m->column + i, &m->jet);
    }
}
