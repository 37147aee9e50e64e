/* Derivatives of data, and of the maps that follow from places.
 *
 * A gap between two points, x_b + R_b r_b - x_a - R_a r_a, is linear in the places r; rows and measures are linear in it, or
 * its square.
 */
#include "model/slope.h"

#include "base/vector.h"

static ac_status allocate(ac_system_slope *s)
{
    const ac_system *system = s->system;
    AC_NEW(s->ctx, s->nodes, system->node_count + 1);
    AC_NEW(s->ctx, s->joints, system->joint_count + 1);
    AC_NEW(s->ctx, s->springs, system->spring_count + 1);
    AC_NEW(s->ctx, s->loads, system->load_count + 1);
    AC_NEW(s->ctx, s->beams, system->beam_count + 1);
    AC_NEW(s->ctx, s->q, system->n + 1);
    AC_NEW(s->ctx, s->v, system->n + 1);
    return AC_OK;
}

ac_status ac_system_slope_new(ac_context *ctx, const ac_system *system, ac_system_slope **slope)
{
    ac_system_slope *s;
    *slope = NULL;
    AC_NEW(ctx, s, 1);
    s->ctx = ctx;
    s->system = system;
    ac_status status = allocate(s);
    if (status != AC_OK) {
        ac_system_slope_free(s);
        return status;
    }
    *slope = s;
    return AC_OK;
}

void ac_system_slope_free(ac_system_slope *s)
{
    if (!s) return;
    void *blocks[] = {s->nodes, s->joints, s->springs, s->loads, s->controls, s->beams, s->q, s->v};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, s);
}

static bool any3(const double x[3])
{
    return x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0;
}

bool ac_joint_varies(const ac_system_slope *slope, int joint)
{
    const ac_joint_slope *s = &slope->joints[joint];
    bool swings = ac_row_has(slope->system->joints[joint].row, AC_MOTION_SWING);
    return any3(s->place[0]) || any3(s->place[1]) || (swings && s->length != 0.0);
}

static const ac_node *node_of(const ac_system *system, int node)
{
    return node == AC_GROUND ? NULL : &system->nodes[node];
}

ac_status ac_joint_row_slopes(const ac_system_slope *slope, int number, ac_context *ctx, ac_forms *forms)
{
    const ac_system *system = slope->system;
    const ac_joint_data *joint = &system->joints[number];
    const ac_joint_slope *s = &slope->joints[number];
    const ac_side *a = ac_parent_side(joint), *b = ac_child_side(joint);
    const double *place_a = s->place[joint->reversed], *place_b = s->place[!joint->reversed];
    const ac_node *node_a = node_of(system, a->node), *node_b = node_of(system, b->node);
    int q_a = node_a ? node_a->q : 0, q_b = node_b ? node_b->q : 0;
    ac_affine3 u_a = ac_node_direction(node_a, q_a, place_a), u_b = ac_node_direction(node_b, q_b, place_b),
               by = ac_affine_difference(&u_b, &u_a);
    int first = forms->count, dimension = node_a ? node_a->dimension : node_b ? node_b->dimension : 3;
    if (ac_row_has(joint->row, AC_MOTION_SWING)) {
        ac_affine3 x_a = ac_node_point(node_a, q_a, a->place), x_b = ac_node_point(node_b, q_b, b->place),
                   gap = ac_affine_difference(&x_b, &x_a);
        AC_TRY(ac_forms_begin(ctx, forms, -joint->length * s->length));
        return ac_forms_add_dot(ctx, forms, &gap, &by, 1.0);
    }
    AC_TRY(ac_joint_gap_rows(system, joint, &by, dimension, ctx, forms));
    while (forms->count < first + joint->rows) AC_TRY(ac_forms_begin(ctx, forms, 0.0)); /* turns */
    return AC_OK;
}

/* --- measures --- */

/* The gap of two points on the coordinates of a measure, and its derivative. */
static void measure_gap(const ac_system *system, const int nodes[2], const double *const place[2],
                        const double *const by_place[2], ac_affine3 *gap, ac_affine3 *by)
{
    ac_affine3 x[2], u[2];
    int q = 0;
    for (int e = 0; e < 2; ++e) {
        const ac_node *node = node_of(system, nodes[e]);
        x[e] = ac_node_point(node, q, place[e]);
        u[e] = ac_node_direction(node, q, by_place[e]);
        if (node) q += node->size;
    }
    *gap = ac_affine_difference(&x[1], &x[0]);
    *by = ac_affine_difference(&u[1], &u[0]);
}

static ac_status length_slope(const ac_system_slope *slope, const ac_spring_data *spring,
                              const ac_spring_slope *s, ac_context *ctx, ac_forms *forms)
{
    const double *const place[2] = {spring->end_place[0], spring->end_place[1]}, *const by_place[2] = {
                                                                                     s->place[0],
                                                                                     s->place[1]};
    ac_affine3 gap, by;
    measure_gap(slope->system, spring->end_node, place, by_place, &gap, &by);
    AC_TRY(ac_forms_begin(ctx, forms, 0.0));
    return ac_forms_add_dot(ctx, forms, &gap, &by, 2.0);
}

static ac_status slide_slope(const ac_system_slope *slope, int number, int motion, ac_context *ctx,
                             ac_forms *forms)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const int nodes[2] = {joint->a.node, joint->b.node};
    const ac_joint_slope *s = &slope->joints[number];
    const double *const place[2] = {joint->a.place, joint->b.place}, *const by_place[2] = {s->place[0],
                                                                                           s->place[1]};
    double axis[3];
    ac_affine3 gap, by;
    measure_gap(slope->system, nodes, place, by_place, &gap, &by);
    for (int i = 0; i < 3; ++i) axis[i] = joint->a.axes[3 * i + joint->row->motion[motion].axis];
    ac_affine3 direction = ac_node_direction(node_of(slope->system, joint->a.node), 0, axis);
    AC_TRY(ac_forms_begin(ctx, forms, 0.0));
    return ac_forms_add_dot(ctx, forms, &direction, &by, 1.0);
}

ac_status ac_measure_slope(const ac_system_slope *slope, int measure, ac_context *ctx, ac_forms *forms,
                           bool *varies)
{
    const ac_system *system = slope->system;
    const ac_measure *m = &system->measures[measure];
    *varies = false;
    for (int k = 0; m->kind == AC_MEASURE_LENGTH && k < system->spring_count; ++k) {
        const ac_spring_slope *s = &slope->springs[k];
        if (system->springs[k].measure != measure) continue;
        *varies = any3(s->place[0]) || any3(s->place[1]);
        return *varies ? length_slope(slope, &system->springs[k], s, ctx, forms) : AC_OK;
    }
    for (int j = 0; m->kind == AC_MEASURE_VALUE && j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        int c = measure - joint->first_measure;
        if (joint->first_measure < 0 || c < 0 || c >= ac_row_coordinates(joint->row)) continue;
        *varies = any3(slope->joints[j].place[0]) || any3(slope->joints[j].place[1]);
        return *varies ? slide_slope(slope, j, c, ctx, forms) : AC_OK;
    }
    return AC_OK;
}
