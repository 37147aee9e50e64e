/* Parameters in the gradient of a measure: how they act on the system, on its start and loads (problem/build/slopes.h), and on
 * the measure itself, whose points may move in their bodies. */
#include <string.h>

#include "adjoint/adjoint.h"
#include "base/base.h"
#include "base/expression.h"
#include "model/system.h"
#include "observe/quantity.h"
#include "problem/build/slopes.h"
#include "task/certify/runner_data.h"

typedef struct parameter {
    const ac_runner *r;
    int number;
    ac_system_slope *slope;
} parameter;

struct ac_runner_parameters {
    parameter *list;
    ac_parameter_action *actions;
    double *by_measure; /* derivatives of the measure at fixed configurations */
};

/* ---- loads ---- */

/* Loads that inputs or controls set depend on no parameter. */
static bool is_driven(const ac_runner *r, int load, int component)
{
    for (int k = 0; k < r->drive_count; ++k)
        if (r->drives[k].load == load && r->drives[k].component == component) return true;
    return false;
}

static bool load_varies(void *user, int load, int component)
{
    const parameter *p = user;
    return !is_driven(p->r, load, component) &&
           ac_values_load_varies(p->r->values, p->number, load, component);
}

static double load_slope(void *user, int load, int component, double t, double h)
{
    const parameter *p = user;
    return is_driven(p->r, load, component)
               ? 0.0
               : ac_values_load_slope(p->r->values, p->number, load, component, t, h);
}

/* ---- the measure ---- */

/* Coordinates of joints follow from q alone, if they are angles. */
static bool measure_is_known(const ac_runner *r)
{
    for (int k = 0; k < r->own->quantity_count; ++k) {
        const ac_quantity *quantity = &r->own->quantities[k];
        switch (quantity->type) {
        case AC_QUANTITY_POINT:
        case AC_QUANTITY_DISTANCE:
        case AC_QUANTITY_DIRECTION: break;
        default: {
            int measure = r->system->joints[quantity->joint].first_measure + quantity->coordinate;
            if (r->system->measures[measure].kind != AC_MEASURE_ANGLE) return false;
        }
        }
    }
    return true;
}

/* How the places of a quantity move in their nodes, relative to the centres of mass. */
static void place_slopes(const ac_runner *r, const parameter *p, int k, double by[2][3])
{
    const ac_point *const points[2] = {&r->own->quantities[k].point, &r->own->quantities[k].second_point};
    for (int e = 0; e < 2; ++e)
        for (int i = 0; i < 3; ++i) {
            const ac_expression *place = r->places[k][e][i];
            double second;
            by[e][i] = 0.0;
            if (place) ac_expression_along(place, r->numbers, p->number, p->number, &by[e][i], &second);
            if (points[e]->node >= 0) by[e][i] -= p->slope->nodes[points[e]->node].centre[i];
        }
}

void ac_runner_measure_by_parameters(ac_runner *r, const double *q, double weight, const double *slopes)
{
    struct ac_runner_parameters *own = r->varied;
    int first = r->own->quantity_count + r->own->channel_count;
    for (int j = 0; own && j < r->parameters; ++j) {
        own->by_measure[j] += weight * slopes[first + j];
        for (int k = 0; k < r->own->quantity_count; ++k) {
            double by[2][3];
            ac_quantity_type type = r->own->quantities[k].type;
            if (type != AC_QUANTITY_POINT && type != AC_QUANTITY_DISTANCE) continue;
            place_slopes(r, &own->list[j], k, by);
            own->by_measure[j] += weight * slopes[k] *
                                  ac_quantity_by_places(r->system, &r->own->quantities[k], q, by);
        }
    }
}

/* ---- making and freeing ---- */

void ac_runner_end_parameters(ac_runner *r)
{
    struct ac_runner_parameters *own = r->varied;
    if (!own) return;
    if (r->adjoint) ac_adjoint_end_parameters(r->adjoint);
    for (int j = 0; j < r->parameters && own->list; ++j) ac_system_slope_free(own->list[j].slope);
    ac_release(r->ctx, own->list);
    ac_release(r->ctx, own->actions);
    ac_release(r->ctx, own->by_measure);
    ac_release(r->ctx, own);
    r->varied = NULL;
}

static ac_status begin(ac_runner *r)
{
    struct ac_runner_parameters *own;
    AC_NEW(r->ctx, own, 1);
    r->varied = own;
    AC_NEW(r->ctx, own->list, r->parameters);
    AC_NEW(r->ctx, own->actions, r->parameters);
    AC_NEW(r->ctx, own->by_measure, r->parameters);
    for (int j = 0; j < r->parameters; ++j) {
        parameter *p = &own->list[j];
        *p = (parameter){.r = r, .number = j};
        AC_TRY(ac_values_slope(r->values, j, &p->slope));
        own->actions[j] = (ac_parameter_action){.name = ac_values_name(r->values, j),
                                                .slope = p->slope,
                                                .user = p,
                                                .load_varies = load_varies,
                                                .load = load_slope};
    }
    return ac_adjoint_set_parameters(r->adjoint, own->actions, r->parameters);
}

ac_status ac_runner_begin_parameters(ac_runner *r)
{
    ac_runner_end_parameters(r);
    if (r->parameters == 0) return AC_OK;
    ac_status status = r->values && measure_is_known(r) ? begin(r) : AC_BAD_INPUT;
    if (status != AC_OK) ac_runner_end_parameters(r);
    return status;
}

double ac_runner_by_parameter(const ac_runner *r, int number)
{
    return ac_adjoint_by_parameters(r->adjoint)[number] + r->varied->by_measure[number];
}
