/* Quadratic maps whose coefficients depend on parameters: gaps between places, with the maps of their
 * derivatives. */
#include <string.h>

#include "base/vector.h"
#include "action/parameters/vary.h"

/* --- places --- */

void ac_joint_places(const ac_variation *v, int joint, ac_place_source side[2])
{
    const ac_joint_data *data = &v->given->joints[joint];
    const ac_side *sides[2] = {&data->a, &data->b};
    for (int s = 0; s < 2; ++s) {
        side[s].node = sides[s]->node;
        copy3(sides[s]->place, side[s].given);
        for (int c = 0; c < 3; ++c) side[s].dependent[c] = v->of_joint[7 * joint + 3 * s + c];
    }
}

void ac_spring_places(const ac_variation *v, int spring, ac_place_source side[2])
{
    const ac_spring_data *data = &v->given->springs[spring];
    for (int s = 0; s < 2; ++s) {
        side[s].node = data->end_node[s];
        copy3(data->end_place[s], side[s].given);
        for (int c = 0; c < 3; ++c) side[s].dependent[c] = v->of_spring[9 * spring + 3 + 3 * s + c];
    }
}

void ac_load_place(const ac_variation *v, int load, ac_place_source *place)
{
    const ac_load_data *data = &v->given->loads[load];
    place->node = data->node;
    copy3(data->place, place->given);
    for (int c = 0; c < 3; ++c) place->dependent[c] = v->of_load_place[3 * load + c];
}

static bool is_point(const ac_variation *v, int node)
{
    return node != AC_GROUND && ac_node_turns(&v->given->nodes[node]) == 0;
}

/* Relative to the reference point: the place in the user's frame less the centre of mass. */
void ac_place_jets(const ac_variation *v, const ac_place_source *source, ac_jet place[3])
{
    for (int c = 0; c < 3; ++c) {
        int centre = source->node == AC_GROUND ? -1 : v->of_centre[3 * source->node + c];
        double given_centre = source->node == AC_GROUND ? 0.0 : v->given->nodes[source->node].centre[c];
        place[c] = (ac_jet){.v = source->given[c]};
        if (is_point(v, source->node)) continue;
        if (source->dependent[c] >= 0) {
            place[c] = v->dependents[source->dependent[c]].jet;
            place[c].v -= given_centre;
        }
        if (centre < 0) continue;
        const ac_jet *jet = &v->dependents[centre].jet;
        place[c].v -= jet->v - given_centre;
        for (int j = 0; j < v->count; ++j) {
            place[c].d[j] -= jet->d[j];
            for (int k = 0; k < v->count; ++k) place[c].dd[j][k] -= jet->dd[j][k];
        }
    }
}

bool ac_place_varies(const ac_variation *v, const ac_place_source *source)
{
    bool varies = false;
    for (int c = 0; c < 3 && !is_point(v, source->node); ++c)
        varies = varies || source->dependent[c] >= 0 ||
                 (source->node != AC_GROUND && v->of_centre[3 * source->node + c] >= 0);
    return varies;
}

bool ac_gap_varies(const ac_variation *v, const ac_gap *gap)
{
    return ac_place_varies(v, &gap->side[0]) || ac_place_varies(v, &gap->side[1]) || gap->length >= 0;
}

bool ac_node_shift(const ac_variation *v, int number, ac_jet shift[3])
{
    const ac_node *node = &v->given->nodes[number];
    bool varies = false;
    memset(shift, 0, 3 * sizeof *shift);
    if (node->joint >= 0 || node->beam >= 0) return false;
    for (int c = 0; c < 3; ++c) {
        int position = v->of_position[3 * number + c], centre = v->of_centre[3 * number + c];
        varies = varies || position >= 0 || centre >= 0;
        if (position >= 0) {
            double given = node->pose.position[c];
            for (int k = 0; ac_node_turns(node) > 0 && k < 3; ++k)
                given -= node->pose.rotation[3 * c + k] * node->centre[k];
            ac_jet_add(&shift[c], &v->dependents[position].jet, 1.0);
            shift[c].v -= given;
        }
        for (int k = 0; centre >= 0 && k < node->dimension; ++k) {
            ac_jet_add(&shift[k], &v->dependents[centre].jet, node->pose.rotation[3 * k + c]);
            shift[k].v -= node->pose.rotation[3 * k + c] * node->centre[c];
        }
    }
    return varies;
}

/* --- maps --- */

/* A place as affine function of q: the point itself, or one of its derivatives by parameters. */
static ac_affine3 affine_of(const ac_variation *v, int node_number, const ac_jet place[3], int j, int k)
{
    const ac_node *node = node_number == AC_GROUND ? NULL : &v->given->nodes[node_number];
    double r[3];
    for (int c = 0; c < 3; ++c) r[c] = j < 0 ? place[c].v : k < 0 ? place[c].d[j] : place[c].dd[j][k];
    if (j < 0) return ac_node_point(node, node ? node->q : 0, r);
    if (is_point(v, node_number)) return (ac_affine3){0};
    return ac_node_direction(node, node ? node->q : 0, r);
}

static ac_affine3 gap_of(const ac_variation *v, const ac_gap *gap, const ac_jet place[2][3], int j, int k)
{
    ac_affine3 a = affine_of(v, gap->side[0].node, place[0], j, k),
               b = affine_of(v, gap->side[1].node, place[1], j, k);
    return ac_affine_difference(&b, &a);
}

static ac_status along_map(const ac_variation *v, const ac_gap *gap, const ac_jet place[2][3], int j, int k,
                           ac_forms *forms)
{
    const ac_node *node = gap->along_node == AC_GROUND ? NULL : &v->given->nodes[gap->along_node];
    ac_affine3 u = ac_node_direction(node, node ? node->q : 0, gap->along), w = gap_of(v, gap, place, j, k);
    AC_TRY(ac_forms_begin(v->ctx, forms, 0.0));
    return ac_forms_add_dot(v->ctx, forms, &u, &w, gap->factor);
}

static ac_status square_map(const ac_variation *v, const ac_gap *gap, const ac_jet place[2][3], int j, int k,
                            ac_forms *forms)
{
    ac_jet length = {.v = gap->given_length};
    if (gap->length >= 0) length = v->dependents[gap->length].jet;
    ac_affine3 w = gap_of(v, gap, place, -1, -1);
    double constant = j < 0   ? -0.5 * length.v * length.v
                      : k < 0 ? -length.v * length.d[j]
                              : -length.v * length.dd[j][k] - length.d[j] * length.d[k];
    AC_TRY(ac_forms_begin(v->ctx, forms, constant));
    if (j < 0) return ac_forms_add_dot(v->ctx, forms, &w, &w, gap->factor);
    ac_affine3 wj = gap_of(v, gap, place, j, -1);
    if (k < 0) return ac_forms_add_dot(v->ctx, forms, &w, &wj, 2.0 * gap->factor);
    ac_affine3 wk = gap_of(v, gap, place, k, -1), wjk = gap_of(v, gap, place, j, k);
    AC_TRY(ac_forms_add_dot(v->ctx, forms, &wj, &wk, 2.0 * gap->factor));
    return ac_forms_add_dot(v->ctx, forms, &w, &wjk, 2.0 * gap->factor);
}

ac_status ac_gap_forms(const ac_variation *v, const ac_gap *gap, ac_forms *forms)
{
    ac_jet place[2][3];
    ac_status (*map)(const ac_variation *, const ac_gap *, const ac_jet[2][3], int, int,
                     ac_forms *) = gap->square ? square_map : along_map;
    for (int s = 0; s < 2; ++s) ac_place_jets(v, &gap->side[s], place[s]);
    AC_TRY(map(v, gap, (const ac_jet(*)[3])place, -1, -1, forms));
    for (int j = 0; j < v->count; ++j) AC_TRY(map(v, gap, (const ac_jet(*)[3])place, j, -1, forms));
    for (int j = 0; j < v->count; ++j)
        for (int k = 0; k <= j; ++k) AC_TRY(map(v, gap, (const ac_jet(*)[3])place, j, k, forms));
    return AC_OK;
}

double ac_form_along(const ac_forms *forms, int map, const double *q, const double *w)
{
    double sum = 0.0;
    for (int e = forms->linear_start[map]; e < forms->linear_start[map + 1]; ++e)
        sum += forms->linears[e].b * w[forms->linears[e].i];
    for (int e = forms->product_start[map]; e < forms->product_start[map + 1]; ++e) {
        const ac_product *p = &forms->products[e];
        sum += p->a * (q[p->i] * w[p->j] + w[p->i] * q[p->j]);
    }
    return sum;
}

/* --- constraints and measures --- */

/* The gap from the parent's to the child's side. */
static void tree_gap(const ac_variation *v, int joint, ac_gap *gap)
{
    ac_place_source side[2];
    ac_joint_places(v, joint, side);
    bool reversed = v->given->joints[joint].reversed;
    *gap = (ac_gap){.factor = 1.0, .along_node = AC_GROUND, .length = -1};
    gap->side[0] = side[reversed ? 1 : 0];
    gap->side[1] = side[reversed ? 0 : 1];
}

static ac_status row_map(ac_variation *v, int row, const ac_gap *gap)
{
    v->row_forms[row] = v->forms.count;
    return ac_gap_forms(v, gap, &v->forms);
}

/* The rows that ac_joint_constraints makes of the gap. */
static ac_status joint_rows(ac_variation *v, int number)
{
    const ac_joint_data *joint = &v->system.joints[number];
    ac_gap gap;
    tree_gap(v, number, &gap);
    int row = joint->first_row;
    if (ac_row_has(joint->row, AC_MOTION_SWING)) {
        gap.square = true;
        gap.factor = 0.5;
        gap.length = v->of_joint[7 * number + 6];
        gap.given_length = joint->length;
        return ac_gap_varies(v, &gap) ? row_map(v, row, &gap) : AC_OK;
    }
    if (!ac_gap_varies(v, &gap)) return AC_OK;
    bool locked[3];
    ac_row_locked(joint->row, locked);
    const ac_side *side = ac_joint_slide_side(joint);
    int a = gap.side[0].node, b = gap.side[1].node;
    int dimension = a != AC_GROUND   ? v->given->nodes[a].dimension
                    : b != AC_GROUND ? v->given->nodes[b].dimension
                                     : 3;
    bool all = locked[0] && locked[1] && locked[2];
    for (int k = 0; k < (all ? dimension : 3); ++k) {
        if (!locked[k]) continue;
        for (int i = 0; i < 3; ++i) gap.along[i] = all ? (i == k ? 1.0 : 0.0) : side->axes[3 * i + k];
        if (!all && dimension < 3 && gap.along[2] * gap.along[2] > 0.25) continue;
        gap.along_node = all ? AC_GROUND : side->node;
        AC_TRY(row_map(v, row++, &gap));
    }
    return AC_OK;
}

ac_status ac_variation_constraint_forms(ac_variation *v)
{
    v->forms.count = 0;
    for (int r = 0; r < v->given->constraints.count; ++r) v->row_forms[r] = -1;
    if (!v->geometry) return AC_OK;
    for (int j = 0; j < v->given->joint_count; ++j) AC_TRY(joint_rows(v, j));
    return AC_OK;
}

static bool slide_gap(const ac_variation *v, int measure, ac_gap *gap)
{
    for (int j = 0; j < v->given->joint_count; ++j) {
        const ac_joint_data *joint = &v->given->joints[j];
        int c = measure - joint->first_measure;
        if (joint->first_measure < 0 || c < 0 || c >= ac_row_coordinates(joint->row)) continue;
        if (joint->row->motion[c].kind != AC_MOTION_SHIFT) return false;
        int k = joint->row->motion[c].axis;
        *gap = (ac_gap){.factor = 1.0, .along_node = joint->a.node, .length = -1};
        ac_joint_places(v, j, gap->side);
        for (int i = 0; i < 3; ++i) gap->along[i] = joint->a.axes[3 * i + k];
        return true;
    }
    return false;
}

bool ac_measure_gap(const ac_variation *v, int measure, ac_gap *gap)
{
    for (int s = 0; s < v->given->spring_count; ++s) {
        if (v->given->springs[s].measure != measure || !v->given->springs[s].between_points) continue;
        *gap = (ac_gap){.square = true, .factor = 1.0, .along_node = AC_GROUND, .length = -1};
        ac_spring_places(v, s, gap->side);
        return ac_gap_varies(v, gap);
    }
    return slide_gap(v, measure, gap) && ac_gap_varies(v, gap);
}
