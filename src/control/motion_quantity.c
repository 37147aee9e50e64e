/* Momentum and energy as quantities of a problem: of one node, or of all of them, and what is refused. */
#include "control/motion.h"
#include "control/optimization.h"

/* Masses that are unknowns would make these maps depend on them. */
static bool mass_varies(const ac_optimization *o, int node, bool gravity)
{
    const ac_variation *v = &o->variation;
    if (v->count == 0) return false;
    bool varies = v->of_mass[node] >= 0;
    for (int c = 0; c < 6; ++c) varies = varies || v->of_inertia[6 * node + c] >= 0;
    for (int c = 0; c < 3; ++c) varies = varies || (gravity && v->of_gravity[c] >= 0);
    return varies;
}

/* - sum m g . x */
static ac_status add_potential(ac_optimization *o, int number, int *scalar)
{
    const ac_node *node = &o->system->nodes[number];
    int first = o->scalars.forms.count;
    AC_TRY(ac_forms_begin(o->ctx, &o->scalars.forms, 0.0));
    for (int i = node->q; i < node->q + node->size; ++i)
        if (o->system->gravity_force[i] != 0.0)
            AC_TRY(ac_forms_add_linear(o->ctx, &o->scalars.forms, i, -o->system->gravity_force[i]));
    return ac_scalars_close(&o->scalars, AC_MEASURE_VALUE, first, scalar);
}

static ac_status add_node(ac_optimization *o, const ac_quantity *q, int node, int *scalar)
{
    bool potential = q->type == AC_QUANTITY_POTENTIAL_ENERGY;
    if (mass_varies(o, node, potential))
        return ac_fail(
            o->ctx, AC_BAD_INPUT,
            "quantity '%s': momentum and energy of '%s', whose mass depends on a free parameter, are "
            "not available",
            q->name, o->system->nodes[node].name);
    if (potential) return add_potential(o, node, scalar);
    const ac_motion_source source = {
        .kind = q->type == AC_QUANTITY_MOMENTUM           ? AC_MOTION_MOMENTUM
                : q->type == AC_QUANTITY_ANGULAR_MOMENTUM ? AC_MOTION_ANGULAR
                                                          : AC_MOTION_KINETIC,
        .node = node,
        .along = {q->direction[0], q->direction[1], q->direction[2]},
        .about = q->about_centre ? NULL : q->place,
    };
    return ac_scalars_add_motion(&o->scalars, o->system, &source, scalar);
}

ac_status ac_motion_quantity(ac_optimization *o, const ac_quantity *q, int *scalar)
{
    int node = q->point.node, count = o->system->node_count, next;
    if (node == AC_WHOLE_SYSTEM) {
        if (q->about_centre)
            return ac_fail(o->ctx, AC_BAD_INPUT,
                           "quantity '%s': the angular momentum of the whole system is about a place",
                           q->name);
        AC_TRY(add_node(o, q, 0, scalar));
        for (int k = 1; k < count; ++k) AC_TRY(add_node(o, q, k, &next));
        return AC_OK;
    }
    if (node < 0 || node >= count)
        return ac_fail(o->ctx, AC_BAD_INPUT, "quantity '%s': only bodies and points have momentum and energy",
                       q->name);
    return add_node(o, q, node, scalar);
}

/* The velocity that belongs to the node: at the ends the one of the discrete Legendre transform where the
 * problem has it, else the mean of the intervals at its sides. */
double ac_motion_near_node(const ac_optimization *o, int scalar, int node)
{
    bool first = node == 0 && (o->settings.start_velocity || o->velocity_start[0] >= 0);
    bool last = node == o->N && (o->settings.end_rest || o->velocity_start[1] >= 0);
    const double *q = ac_q(o, node);
    if (first || last)
        return ac_motion_at_node(&o->scalars, scalar, q, o->velocity[first ? 0 : 1], NULL, NULL, 0);
    int a = node == 0 ? 0 : node - 1, b = node == o->N ? node : node + 1;
    const int *at = ac_scalar_coordinates(&o->scalars, scalar);
    double span = (b - a) * o->h;
    double z[AC_ELEMENT_MAX] = {0.0};
    for (int i = 0; i < o->scalars.list[scalar].count; ++i) {
        int c = at[i] - AC_MOTION_VELOCITY;
        z[i] = c < 0 ? q[at[i]] : (ac_q(o, b)[c] - ac_q(o, a)[c]) / span;
    }
    return ac_form_value(&o->scalars.forms, o->scalars.list[scalar].first_form, z);
}
