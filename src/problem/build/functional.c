/* The functional of a problem as a function of parameters too: it is read once more with the builder of an object of values,
 * whose parameters then have names in expressions and whose dependences become those of its quantities. */
#include "base/base.h"
#include "base/expression.h"
#include "optimize/problem/prepare.h"
#include "problem/build/beams.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"
#include "problem/build/slopes.h"

/* Slopes of the places where forces of controls act, as they are written. */
typedef struct control_places {
    ac_values *values;
    int parameter;
    ac_control_slope *controls;
} control_places;

static ac_status parse(const ac_values *v, const char *text, ac_expression **expression)
{
    return ac_expression_parse(v->ctx, text, v->builder.aliases, v->count, NULL, NULL, NULL, expression);
}

static ac_status take_place(void *user, const ac_dependence *what, ac_place place)
{
    const control_places *own = user;
    ac_values *v = own->values;
    ac_expression *expression = NULL;
    double slope, second;
    (void)place;
    if ((int)what->datum != AC_CONTROL_PLACE) return AC_OK;
    AC_TRY(parse(v, what->expression, &expression));
    ac_expression_along(expression, v->x, own->parameter, own->parameter, &slope, &second);
    own->controls[what->object].place[what->component] += slope;
    ac_expression_free(expression);
    return AC_OK;
}

/* Relative to the reference points of their nodes. */
static ac_status slope_controls(ac_values *v, const ac_optimization *o, int parameter, ac_system_slope *slope)
{
    int count = ac_optimization_controls(o);
    AC_NEW(slope->ctx, slope->controls, count + 1);
    slope->control_count = count;
    for (int k = 0; k < count; ++k) {
        ac_control_slope *own = &slope->controls[k];
        own->node = ac_optimization_pushed_node(o, k, &own->component, &own->follows);
    }
    control_places places = {v, parameter, slope->controls};
    AC_TRY(ac_each_dependence(&v->builder, take_place, &places));
    for (int k = 0; k < count; ++k)
        if (slope->controls[k].node >= 0)
            ac_slope_off_centre(slope, slope->controls[k].node, slope->controls[k].place);
    return AC_OK;
}

/* Energies and momenta follow lengths of straight beams; of other curves they would need every element. */
static ac_status check_beams(const ac_values *v, const ac_optimization *o)
{
    bool bends = false;
    for (int k = 0; k < v->slot_count; ++k) {
        const ac_slot *slot = &v->slots[k];
        bool curve = slot->datum == AC_BEAM_CURVE &&
                     v->builder.beams[slot->object].drawn->shape.type != AC_CURVE_STRAIGHT;
        bends = bends || curve || slot->datum == AC_BEAM_REST || slot->datum == AC_BEAM_PRECURVATURE;
    }
    if (!bends || !ac_optimization_weighs(o)) return AC_OK;
    return ac_fail(v->ctx, AC_BAD_INPUT,
                   "energies and momenta by the curve of a beam that is not straight are not followed");
}

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
    AC_TRY(check_beams(v, *functional));
    return ac_optimization_settle(*functional);
}

ac_status ac_values_functional(ac_values *v, int parameter, ac_system_slope *slope,
                               ac_optimization **functional)
{
    *functional = NULL;
    ac_status status = build(v, functional);
    if (status == AC_OK) status = slope_controls(v, *functional, parameter, slope);
    if (status == AC_OK) return AC_OK;
    ac_optimization_free(*functional);
    *functional = NULL;
    return status;
}
