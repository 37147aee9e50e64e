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
    AC_NEW(s->ctx, s->strains, ac_strain_points(system) + 1);
    AC_NEW(s->ctx, s->mass_points, system->mesh.mass_point_count + 1);
    AC_NEW(s->ctx, s->pairs, system->mesh.mass_pair_count + 1);
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
    void *blocks[] = {s->nodes,   s->joints,      s->springs, s->loads, s->controls, s->beams,
                      s->strains, s->mass_points, s->pairs,   s->q,     s->v};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, s);
}

static bool any3(const double x[3])
{
    return x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0;
}

bool ac_frames_turn(const ac_system_slope *slope, int joint)
{
    return any3(slope->joints[joint].turn[0]) || any3(slope->joints[joint].turn[1]);
}

bool ac_joint_varies(const ac_system_slope *slope, int joint)
{
    const ac_joint_slope *s = &slope->joints[joint];
    bool swings = ac_row_has(slope->system->joints[joint].row, AC_MOTION_SWING);
    return any3(s->place[0]) || any3(s->place[1]) || ac_frames_turn(slope, joint) ||
           (swings && s->length != 0.0);
}

static const ac_node *node_of(const ac_system *system, int node)
{
    return node == AC_GROUND ? NULL : &system->nodes[node];
}

/* Each row is linear in the gap and in the axes: one factor after another has its derivative. */
ac_status ac_joint_row_slopes(const ac_system_slope *slope, int number, ac_context *ctx, ac_forms *forms)
{
    static const double *const still[2] = {NULL, NULL};
    const ac_system *system = slope->system;
    const ac_joint_data *joint = &system->joints[number];
    const ac_joint_slope *s = &slope->joints[number];
    const ac_side *a = ac_parent_side(joint), *b = ac_child_side(joint);
    const double *place_a = s->place[joint->reversed], *place_b = s->place[!joint->reversed];
    const ac_node *node_a = node_of(system, a->node), *node_b = node_of(system, b->node);
    int q_a = node_a ? node_a->q : 0, q_b = node_b ? node_b->q : 0;
    ac_affine3 u_a = ac_node_direction(node_a, q_a, place_a), u_b = ac_node_direction(node_b, q_b, place_b),
               by = ac_affine_difference(&u_b, &u_a), x_a = ac_node_point(node_a, q_a, a->place),
               x_b = ac_node_point(node_b, q_b, b->place), gap = ac_affine_difference(&x_b, &x_a);
    ac_equation_list list;
    ac_joint_list_rows(system, joint, &list);
    for (int r = 0; r < list.count; ++r) {
        const ac_joint_equation *row = &list.row[r];
        bool length = row->kind == AC_EQUATION_LENGTH, placed = row->kind <= AC_EQUATION_ALONG;
        AC_TRY(ac_forms_begin(ctx, forms, length ? -joint->length * s->length : 0.0));
        if (length) AC_TRY(ac_forms_add_dot(ctx, forms, &gap, &by, 1.0));
        if (length) continue;
        if (placed) AC_TRY(ac_joint_row_form(system, joint, row, &by, still, ctx, forms));
        for (int e = 0; e < 2 && row->kind != AC_EQUATION_COMPONENT; ++e) {
            const double *turn[2] = {NULL, NULL};
            const ac_side *side = e == 0 ? a : b;
            if (row->kind == AC_EQUATION_ALONG && side != ac_joint_slide_side(joint)) continue;
            turn[e] = s->turn[e == 0 ? joint->reversed : !joint->reversed];
            if (any3(turn[e])) AC_TRY(ac_joint_row_form(system, joint, row, &gap, turn, ctx, forms));
        }
    }
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

/* Axis k of a side of a joint on the coordinates of a measure, or its derivative. */
static ac_affine3 measured_axis(const ac_system_slope *slope, int number, int side, int k, bool slopes)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const ac_side *own = side == 0 ? &joint->a : &joint->b;
    const ac_node *first = node_of(slope->system, joint->a.node), *node = node_of(slope->system, own->node);
    double axis[3], by[3];
    for (int i = 0; i < 3; ++i) axis[i] = own->axes[3 * i + k];
    cross3(slope->joints[number].turn[side], axis, by);
    return ac_node_direction(node, side == 1 && first ? first->size : 0, slopes ? by : axis);
}

/* a . gap */
static ac_status slide_slope(const ac_system_slope *slope, int number, int motion, ac_context *ctx,
                             ac_forms *forms)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const int nodes[2] = {joint->a.node, joint->b.node}, k = joint->row->motion[motion].axis;
    const ac_joint_slope *s = &slope->joints[number];
    const double *const place[2] = {joint->a.place, joint->b.place}, *const by_place[2] = {s->place[0],
                                                                                           s->place[1]};
    ac_affine3 gap, by, direction = measured_axis(slope, number, 0, k, false),
                        turned = measured_axis(slope, number, 0, k, true);
    measure_gap(slope->system, nodes, place, by_place, &gap, &by);
    AC_TRY(ac_forms_begin(ctx, forms, 0.0));
    AC_TRY(ac_forms_add_dot(ctx, forms, &direction, &by, 1.0));
    return ac_forms_add_dot(ctx, forms, &turned, &gap, 1.0);
}

static ac_status angle_slope(const ac_system_slope *slope, int number, int motion, ac_context *ctx,
                             ac_forms *forms)
{
    ac_axis_pair pair[2];
    ac_joint_angle_axes(slope->system->joints[number].row, motion, pair);
    for (int m = 0; m < 2; ++m) {
        AC_TRY(ac_forms_begin(ctx, forms, 0.0));
        for (int e = 0; e < 2; ++e) {
            ac_affine3 a = measured_axis(slope, number, 0, pair[m].a, e == 0),
                       b = measured_axis(slope, number, 1, pair[m].b, e == 1);
            AC_TRY(ac_forms_add_dot(ctx, forms, &a, &b, pair[m].factor));
        }
    }
    return AC_OK;
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
    for (int j = 0; m->kind != AC_MEASURE_LENGTH && j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        int c = measure - joint->first_measure;
        bool angle = m->kind == AC_MEASURE_ANGLE;
        if (joint->first_measure < 0 || c < 0 || c >= ac_row_coordinates(joint->row)) continue;
        *varies = ac_frames_turn(slope, j) ||
                  (!angle && (any3(slope->joints[j].place[0]) || any3(slope->joints[j].place[1])));
        if (!*varies) return AC_OK;
        return angle ? angle_slope(slope, j, c, ctx, forms) : slide_slope(slope, j, c, ctx, forms);
    }
    return AC_OK;
}
