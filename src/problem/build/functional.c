/* The functional of a problem as a function of parameters too: it is read once more with the builder of an object of values,
 * whose parameters then have names in expressions and whose dependences become those of its quantities. */
#include "problem/build/functional.h"

#include <string.h>

#include "base/base.h"
#include "base/expression.h"
#include "base/signal.h"
#include "optimize/problem/prepare.h"
#include "optimize/problem/quantity_slope.h"
#include "problem/build/beams.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"
#include "problem/build/slopes.h"

/* --- places of forces of controls --- */

/* Relative to the reference points of their nodes. */
static ac_status slope_controls(const ac_values *v, const ac_optimization *o, ac_system_slope *slope)
{
    int count = ac_optimization_controls(o);
    AC_NEW(slope->ctx, slope->controls, count + 1);
    slope->control_count = count;
    for (int k = 0; k < count; ++k) {
        ac_control_slope *own = &slope->controls[k];
        own->node = ac_optimization_pushed_node(o, k, &own->component, &own->follows);
    }
    for (const ac_functional_number *t = v->numbers.first; t; t = t->next) {
        if (t->part == AC_PART_CONTROL) slope->controls[t->object].place[t->at] += v->work.d[t->node];
    }
    for (int k = 0; k < count; ++k)
        if (slope->controls[k].node >= 0)
            ac_slope_off_centre(slope, slope->controls[k].node, slope->controls[k].place);
    return AC_OK;
}

/* --- quantities --- */

/* Shapes are placed from centres of mass. */
static void take_off_centres(const ac_system_slope *slope, ac_hull *change, const ac_hull *given)
{
    int end = given->stretched ? given->end_node : given->node;
    ac_slope_off_centre(slope, given->node, change->place);
    if (given->type == AC_HULL_CAPSULE) ac_slope_off_centre(slope, end, change->end);
}

static ac_status slope_quantity(const ac_values *v, ac_optimization *o, int parameter,
                                const ac_system_slope *slope, const ac_functional_quantity *own)
{
    ac_quantity change = {.type = own->quantity.type};
    for (const ac_functional_number *t = v->numbers.first; t; t = t->next) {
        double by, old;
        char *at = (char *)&change + t->at;
        if (t->part != AC_PART_NUMBER || t->object != own->number) continue;
        memcpy(&old, at, sizeof old);
        by = v->work.d[t->node] + old;
        memcpy(at, &by, sizeof by);
    }
    for (int k = 0; own->quantity.type == AC_QUANTITY_CLEARANCE && k < 2; ++k)
        take_off_centres(slope, &change.hull[k], &own->quantity.hull[k]);
    return ac_quantity_slopes_add(o, parameter, own->number, &own->quantity, &change);
}

/* A signal by a parameter: an expression of time, or points of a table, each with its slope. */
typedef struct signal_slope {
    ac_expression *expression; /* NULL: a table */
    int parameter, time;       /* variables of it */
    double *x;
    const ac_signal *signal;
    int count;
    struct {
        int point;
        bool by_time;
        double slope;
    } points[];
} signal_slope;

static double signal_slope_at(void *user, double t)
{
    signal_slope *s = user;
    double first = 0.0, second;
    if (s->expression) {
        s->x[s->time] = t;
        ac_expression_along(s->expression, s->x, s->parameter, s->parameter, &first, &second);
    }
    for (int k = 0; k < s->count; ++k)
        first += s->points[k].slope *
                 ac_signal_mean_by_point(s->signal, s->points[k].point, s->points[k].by_time, t, 0.0);
    return first;
}

static void free_signal_slope(ac_context *ctx, void *user)
{
    signal_slope *s = user;
    ac_expression_free(s->expression);
    ac_release(ctx, s->x);
    ac_release(ctx, s);
}

static bool is_of_signal(const ac_functional_number *t, int number)
{
    return t->object == number &&
           (t->part == AC_PART_SIGNAL || t->part == AC_PART_TIME || t->part == AC_PART_POINT);
}

static ac_status fill_signal(const ac_values *v, int parameter, int number, signal_slope *s)
{
    const size_t room = (size_t)v->inputs;
    AC_NEW(v->ctx, s->x, room);
    memcpy(s->x, v->x, room * sizeof *s->x);
    s->parameter = parameter;
    s->time = v->count;
    for (const ac_functional_number *t = v->numbers.first; t; t = t->next) {
        if (!is_of_signal(t, number)) continue;
        if (t->part == AC_PART_SIGNAL) {
            AC_TRY(ac_values_expression(v, t->node, &s->expression));
            continue;
        }
        s->points[s->count].point = (int)t->at;
        s->points[s->count].by_time = t->part == AC_PART_TIME;
        s->points[s->count++].slope = v->work.d[t->node];
    }
    return AC_OK;
}

/* How many numbers a signal has; whether one of them depends on the parameter. */
static ac_status count_numbers(const ac_values *v, int parameter, int number, size_t *points, bool *depends)
{
    *points = 0;
    *depends = false;
    for (const ac_functional_number *t = v->numbers.first; t; t = t->next) {
        ac_expression *expression = NULL;
        if (!is_of_signal(t, number)) continue;
        AC_TRY(ac_values_expression(v, t->node, &expression));
        *depends = *depends || ac_expression_has(expression, parameter);
        ac_expression_free(expression);
        ++*points;
    }
    return AC_OK;
}

static ac_status slope_signal(const ac_values *v, ac_optimization *o, int parameter, int number)
{
    size_t points;
    bool depends;
    AC_TRY(count_numbers(v, parameter, number, &points, &depends));
    if (!depends) return AC_OK;
    signal_slope *s = ac_allocate(v->ctx, 1, sizeof *s + points * sizeof *s->points);
    if (!s) return ac_out_of_memory(v->ctx);
    s->signal = ac_optimization_quantity_signal(o, number);
    ac_status status = fill_signal(v, parameter, number, s);
    if (status != AC_OK) {
        free_signal_slope(v->ctx, s);
        return status;
    }
    return ac_quantity_slopes_add_signal(o, parameter, number,
                                         &(ac_signal_slope){s, signal_slope_at, free_signal_slope});
}

static ac_status slope_quantities(const ac_values *v, ac_optimization *o, int parameter,
                                  const ac_system_slope *slope)
{
    for (const ac_functional_quantity *own = v->numbers.quantities; own; own = own->next)
        AC_TRY(own->quantity.type == AC_QUANTITY_SIGNAL ? slope_signal(v, o, parameter, own->number)
                                                        : slope_quantity(v, o, parameter, slope, own));
    return AC_OK;
}

/* --- all --- */

static ac_status build(ac_values *v, ac_optimization **functional)
{
    ac_builder *b = &v->builder;
    const ac_value *section = b->root.task[AC_TASK_simulate];
    const ac_simulation_settings *settings = ac_problem_simulation(v->problem);
    if (settings)
        AC_TRY(ac_build_functional(b, section, settings, functional));
    else
        AC_TRY(ac_build_objective(b, b->root.task[AC_TASK_optimize], functional));
    AC_TRY(ac_check_followed(&b->reader));
    return ac_optimization_settle(*functional);
}

ac_status ac_values_functional(ac_values *v, ac_optimization **functional)
{
    *functional = NULL;
    v->numbers = (ac_functional_numbers){NULL, NULL};
    v->builder.functional = &v->numbers;
    ac_status status = build(v, functional);
    v->builder.functional = NULL;
    if (status == AC_OK) return AC_OK;
    ac_optimization_free(*functional);
    *functional = NULL;
    return status;
}

ac_status ac_values_functional_slope(ac_values *v, ac_optimization *functional, int parameter,
                                     ac_system_slope *slope)
{
    AC_TRY(ac_values_tangent(v, parameter));
    AC_TRY(slope_controls(v, functional, slope));
    return slope_quantities(v, functional, parameter, slope);
}

bool ac_values_weigh_curves(const ac_values *v, const ac_optimization *functional)
{
    bool bends = false;
    for (int k = 0; k < v->slot_count; ++k) {
        const ac_slot *slot = &v->slots[k];
        bool curve = slot->datum == AC_BEAM_CURVE &&
                     v->builder.beams[slot->object].drawn->shape.type != AC_CURVE_STRAIGHT;
        bends = bends || curve || slot->datum == AC_BEAM_REST || slot->datum == AC_BEAM_PRECURVATURE;
    }
    return bends && ac_optimization_weighs(functional);
}
