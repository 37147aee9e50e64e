/* Free parameters as unknowns of an optimal control problem: describing them, following them, refusing
 * what cannot be. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/signal.h"
#include "math/math.h"
#include "optimize/problem/optimization.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/prepare.h"

/* --- describing --- */

static ac_status add_name(ac_optimization *o, const char *text, int index)
{
    static const char *const taken[] = {"t", "T", "pi"};
    for (int k = 0; text && k < 3; ++k)
        if (strcmp(text, taken[k]) == 0)
            return ac_fail(o->ctx, AC_BAD_INPUT,
                           "a free parameter cannot be called '%s', which has a meaning in expressions",
                           text);
    if (!text || text[0] == '\0' || strlen(text) >= AC_LABEL_SIZE)
        return ac_fail(o->ctx, AC_BAD_INPUT, "a parameter needs a name of less than %d characters",
                       AC_LABEL_SIZE);
    for (int k = 0; k < o->description.name_count; ++k)
        if (strcmp(o->description.names[k].text, text) == 0)
            return ac_fail(o->ctx, AC_BAD_INPUT, "the name '%s' of a parameter is taken", text);
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.names, &o->description.name_capacity,
                   o->description.name_count + 1, sizeof *o->description.names));
    ac_name *name = &o->description.names[o->description.name_count++];
    memset(name, 0, sizeof *name);
    snprintf(name->text, sizeof name->text, "%s", text);
    name->is_parameter = true;
    name->index = index;
    return AC_OK;
}

static ac_status update(ac_optimization *o)
{
    ac_variation *v = &o->description.variation;
    return o->gathering ? AC_OK : ac_variation_update(v, v->value);
}

void ac_optimization_gather(ac_optimization *o)
{
    o->gathering = true;
}

ac_status ac_optimization_gathered(ac_optimization *o)
{
    o->gathering = false;
    return o->description.variation.count > 0 ? update(o) : AC_OK;
}

ac_status ac_optimization_add_parameter(ac_optimization *o, const ac_parameter *parameter)
{
    const ac_system *given = o->description.variation.ctx ? o->description.variation.given : o->system;
    if (ac_is_minimal(o))
        return ac_fail(o->ctx, AC_BAD_INPUT, "free parameters need the formulation reduced or multipliers");
    if (o->description.control_count + o->description.quantities.count + o->description.condition_count +
            o->description.objective_count >
        0)
        return ac_fail(
            o->ctx, AC_BAD_INPUT,
            "parameter '%s': add parameters before controls, quantities, conditions and objectives",
            parameter->name ? parameter->name : "");
    AC_TRY(add_name(o, parameter->name, o->description.variation.count));
    ac_status status = ac_variation_add(o->ctx, given, parameter, &o->description.variation);
    if (status != AC_OK) {
        --o->description.name_count;
        return status;
    }
    o->system = &o->description.variation.system;
    o->description.discrete.system = o->system;
    o->description.discrete.vary = &o->description.variation;
    return update(o);
}

static ac_status check_order(const ac_optimization *o, const char *text)
{
    if (o->description.variation.count == 0)
        return ac_fail(o->ctx, AC_BAD_INPUT, "add a parameter before what depends on it");
    if (o->description.control_count + o->description.quantities.count + o->description.condition_count +
            o->description.objective_count >
        0)
        return ac_fail(
            o->ctx, AC_BAD_INPUT,
            "\"%s\": say what depends on parameters before controls, quantities, conditions and objectives",
            text);
    return AC_OK;
}

ac_status ac_optimization_add_number(ac_optimization *o, const ac_dependence *d, const char *name)
{
    ac_variation *v = &o->description.variation;
    ac_expression *expression;
    AC_TRY(check_order(o, d->expression));
    AC_TRY(ac_variation_parse(v, name, NULL, NULL, &expression));
    AC_TRY(ac_variation_depend(v, d, expression));
    return update(o);
}

ac_status ac_optimization_add_dependence(ac_optimization *o, const ac_dependence *d,
                                         ac_constant_lookup lookup, void *user)
{
    ac_variation *v = &o->description.variation;
    ac_expression *expression;
    AC_TRY(check_order(o, d->expression));
    AC_TRY(ac_variation_parse(v, d->expression, lookup, user, &expression));
    AC_TRY(ac_variation_depend(v, d, expression));
    return update(o);
}

void ac_optimization_find_numbers(ac_optimization *o, ac_number_finder find, void *user)
{
    for (int k = 0; k < ac_optimization_phases(o); ++k)
        ac_optimization_find_numbers(ac_optimization_phase(o, k), find, user);
    o->description.variation.find = find;
    o->description.variation.finder = user;
}

ac_status ac_guess_room(ac_optimization *o)
{
    int count = o->description.variation.count;
    if (!o->description.guess.parameters) AC_NEW(o->ctx, o->description.guess.parameters, count + 1);
    return AC_OK;
}

const ac_optimization *ac_parameter_holder(const ac_optimization *o)
{
    return o->description.phases && o->description.phases->count > 0 ? o->description.phases->list[0] : o;
}

static const ac_parameter_data *data_of(const ac_optimization *o, int parameter)
{
    return &ac_parameter_holder(o)->description.variation.parameters[parameter];
}

ac_status ac_optimization_guess_parameter(ac_optimization *o, int parameter, double value)
{
    const ac_variation *v = &o->description.variation;
    if (o->description.phases)
        return ac_optimization_guess_parameter(o->description.phases->list[0], parameter, value);
    if (parameter < 0 || parameter >= v->count || !isfinite(value))
        return ac_fail(o->ctx, AC_BAD_INPUT, "there is no such parameter to guess");
    AC_TRY(ac_guess_room(o));
    for (int j = 0; j < v->count && !o->description.guess.has_parameters; ++j)
        o->description.guess.parameters[j] = v->parameters[j].start;
    o->description.guess.has_parameters = true;
    o->description.guess.parameters[parameter] = ac_min(v->parameters[parameter].high,
                                                        ac_max(v->parameters[parameter].low, value));
    return AC_OK;
}

int ac_optimization_parameters(const ac_optimization *o)
{
    return ac_parameter_holder(o)->description.variation.count;
}

const char *ac_optimization_parameter_name(const ac_optimization *o, int parameter)
{
    return data_of(o, parameter)->name;
}

double ac_optimization_parameter_value(const ac_optimization *o, int parameter)
{
    const ac_parameter_data *data = data_of(o, parameter);
    double value = o->layout.ready ? o->point.x[o->layout.first.parameter + parameter] : data->start;
    return ac_min(data->high, ac_max(data->low, value)); /* solvers may leave bounds by rounding */
}

void ac_optimization_parameter_bounds(const ac_optimization *o, int parameter, double *low, double *high)
{
    *low = data_of(o, parameter)->low;
    *high = data_of(o, parameter)->high;
}

ac_status ac_optimization_settle(ac_optimization *o)
{
    ac_variation *v = &o->description.variation;
    if (v->count == 0) return AC_OK;
    AC_TRY(ac_variation_update(v, v->value));
    if (o->description.discrete.springs_vary) AC_TRY(ac_discrete_update(&o->description.discrete));
    return ac_scalars_update(&o->description.scalars, v);
}

int ac_optimization_pushed_node(const ac_optimization *o, int control, int *component, bool *follows)
{
    const ac_control *c = &o->description.controls[control].given;
    *component = c->coordinate;
    *follows = c->follows;
    return c->type == AC_LOAD_FORCE ? c->point.node : -1;
}

/* --- quantities --- */

static ac_status point_source(ac_optimization *o, const ac_point *point, const char *const expression[3],
                              ac_place_source *source)
{
    source->node = point->node;
    for (int c = 0; c < 3; ++c) {
        double centre = point->node == AC_GROUND
                            ? 0.0
                            : o->description.variation.given->nodes[point->node].centre[c];
        source->given[c] = point->place[c] - centre;
        source->dependent[c] = -1;
        if (expression[c])
            AC_TRY(ac_variation_expression(&o->description.variation, expression[c], &source->dependent[c]));
    }
    return ac_variation_update(&o->description.variation, o->description.variation.value);
}

static bool centre_varies(const ac_optimization *o, int node)
{
    bool varies = false;
    for (int c = 0; node != AC_GROUND && c < 3; ++c)
        varies = varies || o->description.variation.of.centre[3 * node + c] >= 0;
    return varies;
}

/* Are derivatives at the present values of the parameters all that is wanted? Then they have no bounds. */
bool ac_parameters_are_still(const ac_optimization *o)
{
    const ac_variation *v = &o->description.variation;
    bool still = true;
    for (int k = 0; k < v->count; ++k)
        still = still && isinf(v->parameters[k].low) && isinf(v->parameters[k].high);
    return still;
}

ac_status ac_parameters_quantity(ac_optimization *o, const ac_quantity *q, int *scalar, int *measure,
                                 bool *done)
{
    ac_gap gap = {.factor = 1.0, .along_node = AC_GROUND, .length = -1};
    ac_measure_kind kind = AC_MEASURE_VALUE;
    *done = false;
    if (o->description.variation.count == 0) return AC_OK;
    if (q->type == AC_QUANTITY_JOINT) {
        const ac_joint_data *joint = &o->system->joints[q->joint];
        int own = joint->first_measure + q->coordinate;
        if (joint->first_measure < 0 || q->coordinate < 0 || q->coordinate >= ac_row_coordinates(joint->row))
            return AC_OK;
        if (!ac_measure_gap(&o->description.variation, own, &gap)) return AC_OK;
        *measure = own;
    } else if (q->type == AC_QUANTITY_POINT || q->type == AC_QUANTITY_DISTANCE) {
        static const ac_point origin = {AC_GROUND, {0.0, 0.0, 0.0}};
        static const char *const none[3] = {NULL, NULL, NULL};
        bool two = q->type == AC_QUANTITY_DISTANCE;
        AC_TRY(point_source(o, two ? &q->second_point : &origin, two ? q->place_expression[1] : none,
                            &gap.side[0]));
        AC_TRY(point_source(o, &q->point, q->place_expression[0], &gap.side[1]));
        memcpy(gap.along, q->direction, sizeof gap.along);
        gap.square = two;
        kind = two ? AC_MEASURE_LENGTH : AC_MEASURE_VALUE;
    } else {
        if (q->type == AC_QUANTITY_CLEARANCE && !ac_parameters_are_still(o) &&
            (centre_varies(o, q->hull[0].node) || centre_varies(o, q->hull[1].node)))
            return ac_fail(o->ctx, AC_BAD_INPUT,
                           "quantity '%s': a clearance from a body whose centre of mass depends on a free "
                           "parameter is not available",
                           q->name);
        return AC_OK;
    }
    if (!ac_gap_varies(&o->description.variation, &gap)) return AC_OK;
    *done = true;
    return ac_scalars_add_varied(&o->description.scalars, &o->description.variation, kind, &gap, scalar);
}

ac_status ac_parameters_control(ac_optimization *o, const ac_control *c, const double place[3], int *input,
                                ac_place_source *source, bool *done)
{
    bool away = place[0] != 0.0 || place[1] != 0.0 || place[2] != 0.0, given = false;
    double along[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) given = given || c->place_expression[k];
    *done = false;
    if (o->description.variation.count == 0 || (!given && !(away && centre_varies(o, c->point.node))))
        return AC_OK;
    if (c->follows && ac_parameters_are_still(o)) return AC_OK; /* its speed follows from numbers */
    AC_TRY(point_source(o, &c->point, c->place_expression, source));
    along[c->coordinate] = 1.0;
    *done = true;
    return ac_discrete_push_place(&o->description.discrete, source, along, c->follows, input);
}

/* --- layout --- */

static bool in_term(const ac_term *term, int parameter)
{
    for (int k = 0; k < term->leaf_count; ++k)
        if (term->leaves[k].kind == AC_LEAF_PARAMETER && term->leaves[k].index == parameter) return true;
    return false;
}

bool ac_optimization_parameter_used(const ac_optimization *o, int parameter)
{
    bool used = false;
    for (int k = 0; k < ac_optimization_phases(o); ++k)
        used = used || ac_optimization_parameter_used(ac_optimization_phase(o, k), parameter);
    if (o->description.phases) return used;
    used = o->description.variation.used[parameter];
    for (int k = 0; k < o->description.condition_count; ++k)
        used = used || in_term(&o->description.conditions[k].term, parameter);
    for (int k = 0; k < o->description.objective_count; ++k)
        used = used || in_term(&o->description.objectives[k].term, parameter);
    return used;
}

static ac_status check_used(const ac_optimization *o)
{
    for (int j = 0; j < ac_optimization_parameters(o); ++j)
        if (!ac_optimization_parameter_used(o, j))
            return ac_fail(o->ctx, AC_BAD_INPUT, "nothing depends on the free parameter '%s'",
                           data_of(o, j)->name);
    return AC_OK;
}

static bool same_parameter(const ac_parameter_data *a, const ac_parameter_data *b)
{
    return strcmp(a->name, b->name) == 0 && a->low == b->low && a->high == b->high && a->start == b->start;
}

ac_status ac_phases_check_parameters(const ac_optimization *o)
{
    const ac_phases *p = o->description.phases;
    const ac_variation *all = &p->list[0]->description.variation;
    for (int k = 1; k < p->count; ++k) {
        const ac_variation *own = &p->list[k]->description.variation;
        bool same = own->count == all->count;
        for (int j = 0; j < all->count && same; ++j)
            same = same_parameter(&all->parameters[j], &own->parameters[j]);
        if (!same)
            return ac_fail(o->ctx, AC_BAD_INPUT,
                           "phases share their free parameters, but those of '%s' and '%s' differ; add the "
                           "same ones to every phase, in the same order",
                           p->names[0], p->names[k]);
    }
    return check_used(o);
}

/* Loads by parameters: those of each interval, with room for derivatives by the step. */
static ac_status allocate_loads(ac_optimization *o)
{
    const ac_variation *v = &o->description.variation;
    const ac_discrete *d = &o->description.discrete;
    size_t loads = (size_t)(d->input_count - d->control_count), N = (size_t)o->layout.N, numbers = 0,
           used = 0;
    bool varies = false;
    for (int k = 0; k < 3 * v->given->load_count; ++k) varies = varies || v->of.load[k] >= 0;
    if (!varies) return AC_OK;
    AC_NEW(o->ctx, o->point.loads, N * loads);
    ac_jets_reset(&o->point.load_jets, o->ctx);
    for (size_t k = 0; k < N * loads; ++k) {
        const ac_input *input = &d->inputs[(size_t)d->control_count + k % loads];
        const ac_jet *list = ac_variation_load_list(v, input->load_number, input->component);
        if (!list) continue;
        o->point.loads[k].value = ac_jet_of(&o->point.load_jets, 0.0, list->by, list->count,
                                            list->dd != NULL);
        numbers += 2 * (size_t)list->count;
    }
    AC_TRY(ac_jets_check(&o->point.load_jets));
    if (!o->layout.by_time) return AC_OK;
    AC_NEW(o->ctx, o->point.load_by_step, numbers + 1);
    for (size_t k = 0; k < N * loads; ++k) {
        o->point.loads[k].by_step = o->point.load_by_step + used;
        used += 2 * (size_t)o->point.loads[k].value.count;
    }
    return AC_OK;
}

ac_status ac_parameters_begin(ac_optimization *o)
{
    ac_variation *v = &o->description.variation;
    o->layout.parameters = v->count;
    o->layout.extended = o->layout.n;
    o->layout.span = o->layout.freedoms + v->count;
    if (v->count == 0) return AC_OK;
    if (ac_is_minimal(o))
        return ac_fail(o->ctx, AC_BAD_INPUT, "free parameters need the formulation reduced or multipliers");
    if (!o->description.phase.part) AC_TRY(check_used(o));
    AC_TRY(ac_chart_follow(&o->description.chart, o->layout.span, v->geometry ? v : NULL));
    AC_TRY(ac_discrete_vary(&o->description.discrete));
    for (int j = 0; j < v->count; ++j)
        v->value[j] = v->parameters[j].start; /* the layout is that of the given system */
    AC_TRY(ac_variation_settle(v));
    v->current = false;
    o->layout.extended += v->moving_count;
    AC_TRY(ac_discrete_widen(&o->description.discrete));
    return allocate_loads(o);
}

void ac_parameters_destroy(ac_optimization *o)
{
    ac_release(o->ctx, o->point.loads);
    ac_release(o->ctx, o->point.load_by_step);
    ac_jets_free(&o->point.load_jets);
    o->point.load_by_step = NULL;
    ac_start_destroy(&o->point.start);
    o->point.loads = NULL;
}

/* --- following --- */

bool ac_parameters_update(ac_optimization *o, const double *x)
{
    ac_variation *v = &o->description.variation;
    const double *value = x + o->layout.first.parameter;
    if (v->current && memcmp(value, v->value, (size_t)v->count * sizeof *value) == 0) return true;
    v->current = false;
    if (ac_variation_update(v, value) != AC_OK || ac_discrete_update(&o->description.discrete) != AC_OK ||
        ac_scalars_update(&o->description.scalars, v) != AC_OK)
        return false;
    v->current = true;
    return true;
}

void ac_parameters_extend(const ac_optimization *o, double *q, double *D)
{
    int W = o->layout.span;
    for (int i = o->layout.n; i < o->layout.extended; ++i) {
        const ac_jet *jet = ac_moving_jet(o, i);
        q[i] = jet->v;
        for (int a = 0; D && a < jet->count; ++a)
            D[(size_t)i * (size_t)W + (size_t)(o->layout.freedoms + jet->by[a])] = jet->d[a];
    }
}

ac_status ac_parameters_generic(ac_optimization *o, bool on)
{
    if (o->layout.parameters == 0) return AC_OK;
    for (int k = 0; k < ac_optimization_phases(o); ++k)
        AC_TRY(ac_parameters_generic(ac_optimization_phase(o, k), on));
    if (o->description.phases) {
        o->point.fresh = false;
        return AC_OK;
    }
    o->description.variation.generic = on;
    o->description.variation.current = false;
    if (!ac_parameters_update(o, o->point.x)) return AC_NO_MEMORY;
    o->description.variation.current = !on;
    o->point.fresh = false;
    if (!on) ac_evaluate_at(o, o->point.x);
    return AC_OK;
}

void ac_parameters_loads(ac_optimization *o)
{
    int controls = o->description.discrete.control_count,
        loads = o->description.discrete.input_count - controls;
    const ac_variation *v = &o->description.variation;
    for (int n = 0; n < o->layout.N; ++n)
        for (int k = 0; k < loads; ++k) {
            const ac_input *input = &o->description.discrete.inputs[controls + k];
            ac_load_jet *load = &o->point.loads[n * loads + k];
            if (!ac_variation_load_list(v, input->load_number, input->component)) continue;
            ac_variation_load_jet(v, input->load_number, input->component, n * o->point.h, o->point.h,
                                  &load->value);
            if (load->by_step)
                ac_variation_load_mixed(v, input->load_number, input->component, n, o->point.h, &load->value,
                                        load->by_step);
        }
}

/* --- comparing with a system that was made for other values --- */

static bool differ(double a, double b)
{
    return !(fabs(a - b) <= 1e-9 * ac_max(1.0, ac_max(fabs(a), fabs(b))));
}

static bool differ_all(const double *a, const double *b, int count)
{
    bool found = false;
    for (int i = 0; i < count; ++i) found = found || differ(a[i], b[i]);
    return found;
}

static const char *different_node(const ac_node *a, const ac_node *b)
{
    if (differ(a->mass, b->mass)) return "mass";
    if (differ_all(a->euler, b->euler, 9) || differ_all(a->ambient, b->ambient, 2)) return "inertia";
    return differ_all(a->centre, b->centre, 3) ? "centre of mass" : NULL;
}

static const char *different_joint(const ac_joint_data *a, const ac_joint_data *b)
{
    if (differ_all(a->a.place, b->a.place, 3) || differ_all(a->b.place, b->b.place, 3)) return "place";
    if (differ_all(a->a.axes, b->a.axes, 9) || differ_all(a->b.axes, b->b.axes, 9)) return "axes";
    return differ(a->length, b->length) ? "length" : NULL;
}

static const char *different_spring(const ac_variation *v, int k, const ac_spring_data *other)
{
    const ac_spring_data *given = &v->given->springs[k];
    const double old[3] = {given->stiffness, given->damping, given->rest},
                 wanted[3] = {other->stiffness, other->damping, other->rest};
    static const char *const words[] = {"stiffness", "damping", "rest value"};
    for (int e = 0; e < 3; ++e) {
        int number = v->of.spring[9 * k + e];
        if (differ(number < 0 ? old[e] : v->dependents[number].jet.v, wanted[e])) return words[e];
    }
    ac_place_source side[2];
    for (int s = 0; given->between_points && s < 2; ++s) {
        double place[3];
        ac_spring_places(v, k, side);
        ac_place_values(v, &side[s], place);
        if (differ_all(place, other->end_place[s], 3)) return "place";
    }
    return NULL;
}

static bool different_load(const ac_variation *v, int k, const ac_load_data *other)
{
    static const double times[] = {0.0, 0.37, 1.7};
    ac_place_source source;
    double place[3];
    ac_load_place(v, k, &source);
    ac_place_values(v, &source, place);
    if (other->type == AC_LOAD_FORCE && differ_all(place, other->place, 3)) return true;
    for (int c = 0; c < 3; ++c)
        for (int e = 0; other->value[c] && e < 3; ++e)
            if (differ(ac_variation_load(v, k, c, times[e], 0.0), ac_signal_value(other->value[c], times[e])))
                return true;
    return false;
}

/* The first difference in words; empty: none. */
static void find_difference(const ac_optimization *o, const double *start, const ac_system *other,
                            char *words, size_t size)
{
    const ac_variation *v = &o->description.variation;
    const ac_system *own = &v->system;
    const char *what = NULL;
    words[0] = '\0';
    for (int i = 0; !what && i < own->node_count; ++i) {
        what = different_node(&own->nodes[i], &other->nodes[i]);
        if (what) snprintf(words, size, "the %s of '%s'", what, own->nodes[i].name);
    }
    for (int j = 0; !what && j < own->joint_count; ++j) {
        what = different_joint(&own->joints[j], &other->joints[j]);
        if (what) snprintf(words, size, "the %s of joint '%s'", what, own->joints[j].name);
    }
    for (int k = 0; !what && k < own->spring_count; ++k) {
        what = different_spring(v, k, &other->springs[k]);
        if (what) snprintf(words, size, "the %s of spring %d", what, k + 1);
    }
    for (int k = 0; !what && k < own->load_count; ++k) {
        if (different_load(v, k, &other->loads[k])) what = "load";
        if (what) snprintf(words, size, "load %d", k + 1);
    }
    for (int k = 0; !what && k < own->beam_count; ++k) {
        what = ac_variation_beam_difference(v, k, other);
        if (what) snprintf(words, size, "the %s of beam '%s'", what, own->beams[k].name);
    }
    if (!what && differ_all(own->gravity, other->gravity, 3)) snprintf(words, size, "%s", what = "gravity");
    if (!what && o->settings.start_fixed && differ_all(start, other->initial.q, own->n))
        snprintf(words, size, "%s", what = "the initial configuration");
    if (!what && o->settings.start_velocity && differ_all(start + own->n, other->initial.v, own->n))
        snprintf(words, size, "the velocity at the start");
}

/* Configuration and velocity at the start (2 n) for the present values. */
static ac_status start_of(ac_optimization *o, double *start)
{
    ac_variation *v = &o->description.variation;
    ac_start s = {0};
    double *xi = NULL;
    bool found = true;
    memcpy(start, v->system.initial.q, (size_t)v->system.n * sizeof *start);
    memcpy(start + v->system.n, v->given->initial.v, (size_t)v->system.n * sizeof *start);
    if (!o->settings.start_fixed || ac_is_minimal(o) || !(v->geometry || v->starts)) return AC_OK;
    ac_status status = ac_start_create(o->ctx, v, o->settings.start_velocity, &s);
    if (status == AC_OK) xi = ac_allocate(o->ctx, 2 * (size_t)s.chart.freedoms + 1, sizeof *xi);
    if (status == AC_OK && !xi) status = ac_out_of_memory(o->ctx);
    if (status == AC_OK) status = ac_start_find(&s, xi, xi + s.chart.freedoms, &found);
    if (status == AC_OK && ac_start_gap(&s) > 1e-9) {
        status = ac_start_close(&s);
        if (status == AC_OK) status = ac_start_find(&s, xi, xi + s.chart.freedoms, &found);
    }
    if (status == AC_OK && !found)
        status = ac_fail(o->ctx, AC_BAD_INPUT,
                         "within its bounds loops cannot be closed at the coordinates that are given for the "
                         "start; narrow the bounds, or let the start be free and give conditions for it");
    if (status == AC_OK) {
        memcpy(start, s.point.q, (size_t)v->system.n * sizeof *start);
        if (s.moves) ac_start_velocity(&s, xi + s.chart.freedoms, start + v->system.n);
    }
    ac_release(o->ctx, xi);
    ac_start_destroy(&s);
    return status;
}

ac_status ac_optimization_compare(ac_optimization *o, const double *values, const ac_system *other)
{
    ac_variation *v = &o->description.variation;
    char words[160] = "";
    for (int k = 0; k < ac_optimization_phases(o); ++k)
        AC_TRY(ac_optimization_compare(ac_optimization_phase(o, k), values, other));
    if (o->description.phases) return AC_OK;
    v->current = false;
    if (other->node_count != v->given->node_count || other->joint_count != v->given->joint_count ||
        other->spring_count != v->given->spring_count || other->load_count != v->given->load_count ||
        other->beam_count != v->given->beam_count ||
        other->mesh.mass_pair_count != v->given->mesh.mass_pair_count)
        return ac_fail(o->ctx, AC_BAD_INPUT, "it changes what the system consists of");
    double *before, *start;
    AC_NEW(o->ctx, before, v->count + 2 * other->n + 1);
    start = before + v->count;
    memcpy(before, v->value, (size_t)v->count * sizeof *before);
    ac_status status = ac_variation_update(v, values);
    if (status == AC_OK) status = start_of(o, start);
    if (status == AC_OK) find_difference(o, start, other, words, sizeof words);
    if (status == AC_OK) status = ac_variation_update(v, before);
    ac_release(o->ctx, before);
    AC_TRY(status);
    if (words[0] == '\0') return AC_OK;
    return ac_fail(o->ctx, AC_BAD_INPUT, "%s changes with it in a way that cannot be followed", words);
}
