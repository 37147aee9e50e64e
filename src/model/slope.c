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
    AC_NEW(s->ctx, s->contacts, system->contact_count + 1);
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
    void *blocks[] = {s->nodes, s->joints,  s->springs,     s->loads, s->contacts, s->controls,
                      s->beams, s->strains, s->mass_points, s->pairs, s->q,        s->v};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, s);
}

static bool any3(const double x[3])
{
    return x[0] != 0.0 || x[1] != 0.0 || x[2] != 0.0;
}

/* Some datum of joint or spring, in a slope of a slope also that of both slopes. */
typedef bool (*changes)(const ac_system_slope *slope, int number);

static bool varies_with(const ac_system_slope *slope, int number, changes changes_by)
{
    return changes_by(slope, number) ||
           (slope->of && changes_by(slope->of, number) && changes_by(slope->along, number));
}

static bool frames_change(const ac_system_slope *slope, int joint)
{
    return any3(slope->joints[joint].turn[0]) || any3(slope->joints[joint].turn[1]);
}

static bool joint_changes(const ac_system_slope *slope, int joint)
{
    const ac_joint_slope *s = &slope->joints[joint];
    bool swings = ac_row_has(slope->system->joints[joint].row, AC_MOTION_SWING);
    return any3(s->place[0]) || any3(s->place[1]) || frames_change(slope, joint) ||
           (swings && s->length != 0.0);
}

static bool spring_changes(const ac_system_slope *slope, int spring)
{
    return any3(slope->springs[spring].place[0]) || any3(slope->springs[spring].place[1]);
}

bool ac_frames_turn(const ac_system_slope *slope, int joint)
{
    return varies_with(slope, joint, frames_change);
}

bool ac_joint_varies(const ac_system_slope *slope, int joint)
{
    return varies_with(slope, joint, joint_changes);
}

static const ac_node *node_of(const ac_system *system, int node)
{
    return node == AC_GROUND ? NULL : &system->nodes[node];
}

/* --- factors with their derivatives --- */

/* A vector that is affine in q, with its derivatives: [0] the vector, [1] by the parameter; of a slope of a slope [1] and [2] by each
 * of both, [3] by both. */
enum { MOST_LEVELS = 4 };

typedef struct factor {
    ac_affine3 at[MOST_LEVELS];
} factor;

static int top_of(const ac_system_slope *slope)
{
    return slope->of ? 3 : 1;
}

static const ac_system_slope *slope_at(const ac_system_slope *slope, int level)
{
    return !slope->of || level == 3 ? slope : level == 1 ? slope->of : slope->along;
}

/* Adds factor times the derivative of u . v: all parts of the derivation go to one or the other. */
static ac_status add_product(ac_context *ctx, ac_forms *forms, const factor *u, const factor *v, int top,
                             double weight)
{
    for (int part = 0; part <= top; ++part)
        AC_TRY(ac_forms_add_dot(ctx, forms, &u->at[part], &v->at[top - part], weight));
    return AC_OK;
}

/* Where the coordinates of two nodes are: in q, or one after another, as those of a measure. */
typedef struct node_pair {
    const ac_node *node[2];
    int q[2];
} node_pair;

static node_pair pair_of(const ac_system *system, int a, int b, bool of_measure)
{
    node_pair p = {{node_of(system, a), node_of(system, b)}, {0, 0}};
    for (int e = 0; e < 2; ++e) p.q[e] = p.node[e] && !of_measure ? p.node[e]->q : 0;
    if (of_measure && p.node[0]) p.q[1] = p.node[0]->size;
    return p;
}

/* x_b + R_b r_b - x_a - R_a r_a; places by level and end. */
static void find_gap(const node_pair *p, const double *place[MOST_LEVELS][2], int top, factor *gap)
{
    for (int level = 0; level <= top; ++level) {
        ac_affine3 x[2];
        for (int e = 0; e < 2; ++e)
            x[e] = level == 0 ? ac_node_point(p->node[e], p->q[e], place[0][e])
                              : ac_node_direction(p->node[e], p->q[e], place[level][e]);
        gap->at[level] = ac_affine_difference(&x[1], &x[0]);
    }
}

/* The gap of a joint from side `first` to the other one. */
static void joint_gap(const ac_system_slope *slope, int number, int first, const node_pair *p, factor *gap)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const double *place[MOST_LEVELS][2];
    for (int e = 0; e < 2; ++e) {
        int side = e == 0 ? first : !first;
        place[0][e] = side == 0 ? joint->a.place : joint->b.place;
        for (int level = 1; level <= top_of(slope); ++level)
            place[level][e] = slope_at(slope, level)->joints[number].place[side];
    }
    find_gap(p, place, top_of(slope), gap);
}

/* Axis k of a side (0: a) of a joint, in the coordinates of end e of a pair; `flat`: turned by 90 degrees in the plane. */
static void joint_axis(const ac_system_slope *slope, int number, int side, int k, bool flat,
                       const node_pair *p, int e, factor *out)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const double *axes = side == 0 ? joint->a.axes : joint->b.axes;
    double axis[MOST_LEVELS][3];
    for (int i = 0; i < 3; ++i) axis[0][i] = axes[3 * i + k];
    for (int level = 1; level <= top_of(slope); ++level)
        cross3(slope_at(slope, level)->joints[number].turn[side], axis[0], axis[level]);
    for (int level = 1; slope->of && level < 3; ++level) { /* ([a][b] + [b][a]) / 2 */
        double twice[3];
        cross3(slope_at(slope, level)->joints[number].turn[side], axis[3 - level], twice);
        for (int i = 0; i < 3; ++i) axis[3][i] += 0.5 * twice[i];
    }
    for (int level = 0; level <= top_of(slope); ++level) {
        const double across[3] = {-axis[level][1], axis[level][0], 0.0};
        out->at[level] = ac_node_direction(p->node[e], p->q[e], flat ? across : axis[level]);
    }
}

/* --- rows --- */

/* A row of a joint is a product of two factors, or one of them. */
static ac_status row_slope(const ac_system_slope *slope, int number, const ac_joint_equation *row,
                           ac_context *ctx, ac_forms *forms)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const int parent = joint->reversed ? 1 : 0, top = top_of(slope);
    const node_pair p = pair_of(slope->system, ac_parent_side(joint)->node, ac_child_side(joint)->node,
                                false);
    bool length = row->kind == AC_EQUATION_LENGTH, flat = row->kind == AC_EQUATION_FLAT;
    factor gap, u, v;
    double constant = length ? -joint->length * slope->joints[number].length : 0.0;
    if (length && slope->of)
        constant -= slope->of->joints[number].length * slope->along->joints[number].length;
    AC_TRY(ac_forms_begin(ctx, forms, constant));
    if (row->kind <= AC_EQUATION_ALONG || length) joint_gap(slope, number, parent, &p, &gap);
    if (length) return add_product(ctx, forms, &gap, &gap, top, 0.5);
    if (row->kind == AC_EQUATION_COMPONENT)
        return ac_forms_add_affine(ctx, forms, &gap.at[top].part[row->k], 1.0);
    if (row->kind == AC_EQUATION_ALONG) {
        int side = ac_joint_slide_side(joint) == &joint->a ? 0 : 1;
        joint_axis(slope, number, side, row->k, false, &p, side == parent ? 0 : 1, &u);
        return add_product(ctx, forms, &u, &gap, top, 1.0);
    }
    joint_axis(slope, number, parent, row->k, false, &p, 0, &u);
    joint_axis(slope, number, !parent, flat ? row->k : row->l, flat, &p, 1, &v);
    return add_product(ctx, forms, &u, &v, top, 1.0);
}

ac_status ac_joint_row_slopes(const ac_system_slope *slope, int number, ac_context *ctx, ac_forms *forms)
{
    ac_equation_list list;
    ac_joint_list_rows(slope->system, &slope->system->joints[number], &list);
    for (int r = 0; r < list.count; ++r) AC_TRY(row_slope(slope, number, &list.row[r], ctx, forms));
    return AC_OK;
}

/* --- measures --- */

static ac_status length_slope(const ac_system_slope *slope, int number, ac_context *ctx, ac_forms *forms)
{
    const ac_spring_data *spring = &slope->system->springs[number];
    const node_pair p = pair_of(slope->system, spring->end_node[0], spring->end_node[1], true);
    const double *place[MOST_LEVELS][2];
    factor gap;
    for (int e = 0; e < 2; ++e) {
        place[0][e] = spring->end_place[e];
        for (int level = 1; level <= top_of(slope); ++level)
            place[level][e] = slope_at(slope, level)->springs[number].place[e];
    }
    find_gap(&p, place, top_of(slope), &gap);
    AC_TRY(ac_forms_begin(ctx, forms, 0.0));
    return add_product(ctx, forms, &gap, &gap, top_of(slope), 1.0);
}

/* a . gap */
static ac_status slide_slope(const ac_system_slope *slope, int number, int motion, ac_context *ctx,
                             ac_forms *forms)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const node_pair p = pair_of(slope->system, joint->a.node, joint->b.node, true);
    factor gap, axis;
    joint_gap(slope, number, 0, &p, &gap);
    joint_axis(slope, number, 0, joint->row->motion[motion].axis, false, &p, 0, &axis);
    AC_TRY(ac_forms_begin(ctx, forms, 0.0));
    return add_product(ctx, forms, &axis, &gap, top_of(slope), 1.0);
}

static ac_status angle_slope(const ac_system_slope *slope, int number, int motion, ac_context *ctx,
                             ac_forms *forms)
{
    const ac_joint_data *joint = &slope->system->joints[number];
    const node_pair p = pair_of(slope->system, joint->a.node, joint->b.node, true);
    ac_axis_pair pair[2];
    ac_joint_angle_axes(joint->row, motion, pair);
    for (int m = 0; m < 2; ++m) {
        factor a, b;
        joint_axis(slope, number, 0, pair[m].a, false, &p, 0, &a);
        joint_axis(slope, number, 1, pair[m].b, false, &p, 1, &b);
        AC_TRY(ac_forms_begin(ctx, forms, 0.0));
        AC_TRY(add_product(ctx, forms, &a, &b, top_of(slope), pair[m].factor));
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
        if (system->springs[k].measure != measure) continue;
        *varies = varies_with(slope, k, spring_changes);
        return *varies ? length_slope(slope, k, ctx, forms) : AC_OK;
    }
    for (int j = 0; m->kind != AC_MEASURE_LENGTH && j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        int c = measure - joint->first_measure;
        bool angle = m->kind == AC_MEASURE_ANGLE;
        if (joint->first_measure < 0 || c < 0 || c >= ac_row_coordinates(joint->row)) continue;
        *varies = ac_frames_turn(slope, j) || (!angle && ac_joint_varies(slope, j));
        if (!*varies) return AC_OK;
        return angle ? angle_slope(slope, j, c, ctx, forms) : slide_slope(slope, j, c, ctx, forms);
    }
    return AC_OK;
}
