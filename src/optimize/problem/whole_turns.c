/* Conditions that ask an axis of a body to turn by more than half a turn.
 *
 * The angle of an axis is that of its image in a plane. An axis that passes over the normal of the plane
 * arrives at the other side without having turned: whole turns then are lost, and with them the solution,
 * which is best where it cannot be. So such a condition keeps the image of the axis from vanishing: on every
 * interval the mean of its images at both ends has a length of at least LEAST, which also means that it
 * turns by less than half a turn. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "optimize/problem/optimization.h"

static const double LEAST = 0.4;

/* The scalar that a condition asks for alone, -1: none. */
static int scalar_of(const ac_condition_data *c)
{
    const ac_term *term = &c->term;
    if (c->place != AC_AT_START && c->place != AC_AT_END) return -1;
    return term->leaf_count == 1 && term->leaves[0].kind == AC_LEAF_VALUE ? term->leaves[0].index : -1;
}

/* An angle whose two maps are components of an axis. */
static bool is_axis_angle(const ac_optimization *o, int scalar)
{
    const ac_scalar *s = &o->description.scalars.list[scalar];
    const ac_forms *f = &o->description.scalars.forms;
    if (s->outer.kind != AC_OUTER_ANGLE || s->varied || s->motion) return false;
    for (int k = s->first_form; k < s->first_form + 2; ++k)
        if (f->product_start[k + 1] > f->product_start[k] || f->linear_start[k + 1] == f->linear_start[k])
            return false;
    const int at = ac_scalar_coordinates(&o->description.scalars, scalar)[0];
    for (int i = 0; i < o->system->node_count; ++i) {
        const ac_node *node = &o->system->nodes[i];
        if (at >= node->q && at < node->q + node->size) return ac_node_turns(node) == 3;
    }
    return false;
}

/* Map k of a scalar as a scalar of its own. */
static ac_status add_component(ac_optimization *o, int scalar, int k, int *number)
{
    ac_forms *f = &o->description.scalars.forms;
    int from = o->description.scalars.list[scalar].first_form + k, first = f->count;
    AC_TRY(ac_forms_begin(o->ctx, f, f->constant[from]));
    for (int e = f->linear_start[from]; e < f->linear_start[from + 1]; ++e) {
        const ac_linear term = f->linears[e];
        AC_TRY(ac_forms_add_linear(o->ctx, f, ac_scalar_coordinates(&o->description.scalars, scalar)[term.i],
                                   term.b));
    }
    return ac_scalars_close(&o->description.scalars, AC_MEASURE_VALUE, first, number);
}

ac_status ac_keep_turns(ac_optimization *o, int condition)
{
    const double half_turn = ac_acos(-1.0);
    int scalar = scalar_of(&o->description.conditions[condition]);
    ac_name names[2];
    if (scalar < 0 || !is_axis_angle(o, scalar)) return AC_OK;
    if (o->description.conditions[condition].low <= half_turn &&
        o->description.conditions[condition].high >= -half_turn)
        return AC_OK;
    memset(names, 0, sizeof names);
    for (int k = 0; k < 2; ++k) {
        snprintf(names[k].text, sizeof names[k].text, "%s", k == 0 ? "c" : "s");
        AC_TRY(add_component(o, scalar, k, &names[k].index));
    }
    AC_TRY(ac_grow(o->ctx, (void **)&o->description.conditions, &o->description.condition_capacity,
                   o->description.condition_count + 1, sizeof *o->description.conditions));
    ac_condition_data *data = &o->description.conditions[o->description.condition_count];
    *data = (ac_condition_data){
        .place = AC_ON_INTERVALS, .low = LEAST * LEAST, .high = INFINITY, .hidden = true, .apart = -1};
    memcpy(data->name, o->description.conditions[condition].name, sizeof data->name);
    ac_status status = ac_term_create(o->ctx, "c*c + s*s", true, names, 2, &o->description.scalars, NULL,
                                      NULL, &data->term);
    if (status != AC_OK) {
        ac_term_destroy(&data->term);
        return status;
    }
    ++o->description.condition_count;
    return AC_OK;
}
