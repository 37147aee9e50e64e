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
        for (int c = 0; c < 3; ++c) side[s].dependent[c] = v->of.joint[7 * joint + 3 * s + c];
    }
}

void ac_spring_places(const ac_variation *v, int spring, ac_place_source side[2])
{
    const ac_spring_data *data = &v->given->springs[spring];
    for (int s = 0; s < 2; ++s) {
        side[s].node = data->end_node[s];
        copy3(data->end_place[s], side[s].given);
        for (int c = 0; c < 3; ++c) side[s].dependent[c] = v->of.spring[9 * spring + 3 + 3 * s + c];
    }
}

void ac_load_place(const ac_variation *v, int load, ac_place_source *place)
{
    const ac_load_data *data = &v->given->loads[load];
    place->node = data->node;
    copy3(data->place, place->given);
    for (int c = 0; c < 3; ++c) place->dependent[c] = v->of.load_place[3 * load + c];
}

static bool is_point(const ac_variation *v, int node)
{
    return node != AC_GROUND && ac_node_turns(&v->given->nodes[node]) == 0;
}

/* One component relative to the reference point: the place in the user's frame less the centre of mass. */
static ac_jet component_jet(ac_variation *v, const ac_place_source *source, int c)
{
    const ac_jet fixed = {.v = source->given[c]};
    if (is_point(v, source->node)) return fixed;
    if (source->node == AC_GROUND)
        return source->dependent[c] < 0 ? fixed : v->dependents[source->dependent[c]].jet;
    double given_centre = v->given->nodes[source->node].centre[c];
    int centre = v->of.centre[3 * source->node + c];
    ac_jet place = fixed;
    if (source->dependent[c] >= 0) {
        place = v->dependents[source->dependent[c]].jet;
        place.v -= given_centre;
    }
    if (centre < 0) return place;
    ac_jet shift = v->dependents[centre].jet;
    shift.v -= given_centre;
    return ac_jet_sum(&v->jets, &place, 1.0, &shift, -1.0);
}

void ac_place_jets(ac_variation *v, const ac_place_source *source, ac_jet place[3])
{
    for (int c = 0; c < 3; ++c) place[c] = component_jet(v, source, c);
}

void ac_place_values(const ac_variation *v, const ac_place_source *source, double place[3])
{
    for (int c = 0; c < 3; ++c) {
        int own = source->dependent[c];
        place[c] = source->given[c];
        if (is_point(v, source->node)) continue;
        double given = source->node == AC_GROUND ? 0.0 : v->given->nodes[source->node].centre[c];
        int centre = source->node == AC_GROUND ? -1 : v->of.centre[3 * source->node + c];
        if (own >= 0) place[c] = v->dependents[own].jet.v - given;
        if (centre >= 0) place[c] -= v->dependents[centre].jet.v - given;
    }
}

static bool component_varies(const ac_variation *v, const ac_place_source *source, int c)
{
    return !is_point(v, source->node) &&
           (source->dependent[c] >= 0 ||
            (source->node != AC_GROUND && v->of.centre[3 * source->node + c] >= 0));
}

bool ac_place_varies(const ac_variation *v, const ac_place_source *source)
{
    return component_varies(v, source, 0) || component_varies(v, source, 1) || component_varies(v, source, 2);
}

bool ac_gap_varies(const ac_variation *v, const ac_gap *gap)
{
    return ac_place_varies(v, &gap->side[0]) || ac_place_varies(v, &gap->side[1]) || gap->length >= 0;
}

static void shift_node(ac_variation *v, int number, ac_jet shift[3])
{
    const ac_node *node = &v->given->nodes[number];
    for (int c = 0; c < 3; ++c) {
        int position = v->of.position[3 * number + c], centre = v->of.centre[3 * number + c];
        if (position >= 0) {
            double given = node->pose.position[c];
            for (int k = 0; ac_node_turns(node) > 0 && k < 3; ++k)
                given -= node->pose.rotation[3 * c + k] * node->centre[k];
            shift[c] = ac_jet_sum(&v->jets, &shift[c], 1.0, &v->dependents[position].jet, 1.0);
            shift[c].v -= given;
        }
        for (int k = 0; centre >= 0 && k < node->dimension; ++k) {
            double along = node->pose.rotation[3 * k + c];
            shift[k] = ac_jet_sum(&v->jets, &shift[k], 1.0, &v->dependents[centre].jet, along);
            shift[k].v -= along * node->centre[c];
        }
    }
}

void ac_variation_shift_nodes(ac_variation *v)
{
    for (int i = 0; i < v->given->node_count; ++i) {
        const ac_node *node = &v->given->nodes[i];
        bool varies = false;
        for (int c = 0; c < 3; ++c)
            varies = varies || v->of.position[3 * i + c] >= 0 || v->of.centre[3 * i + c] >= 0;
        v->node_shifts[i] = varies && node->joint < 0 && node->beam < 0;
        memset(v->node_shift + 3 * i, 0, 3 * sizeof *v->node_shift);
        if (v->node_shifts[i]) shift_node(v, i, v->node_shift + 3 * i);
    }
}

/* --- moving data --- */

static ac_status add_moving(ac_variation *v, const ac_moving *moving, int *number)
{
    AC_TRY(ac_grow(v->ctx, (void **)&v->moving, &v->moving_capacity, v->moving_count + 1, sizeof *v->moving));
    v->moving[v->moving_count] = *moving;
    *number = v->moving_count++;
    return AC_OK;
}

/* Which of its numbers vary. */
static void list_data(const ac_variation *v, ac_gap *gap)
{
    gap->count = 0;
    for (int s = 0; s < 2; ++s)
        for (int c = 0; c < 3; ++c)
            if (component_varies(v, &gap->side[s], c))
                gap->data[gap->count++] = (struct ac_gap_datum){s, c, -1};
    if (gap->length >= 0) gap->data[gap->count++] = (struct ac_gap_datum){2, 0, -1};
}

ac_status ac_gap_follow(ac_variation *v, ac_gap *gap)
{
    list_data(v, gap);
    for (int k = 0; k < gap->count; ++k) {
        struct ac_gap_datum *datum = &gap->data[k];
        ac_moving moving = {.length = datum->side == 2 ? gap->length : -1, .component = datum->component};
        if (datum->side < 2) moving.place = gap->side[datum->side];
        AC_TRY(add_moving(v, &moving, &datum->moving));
    }
    ac_variation_move(v);
    return ac_jets_check(&v->jets);
}

ac_status ac_place_follow(ac_variation *v, const ac_place_source *place, int moving[3])
{
    ac_gap gap = {.length = -1};
    gap.side[0] = *place;
    gap.side[1] = (ac_place_source){AC_GROUND, {0.0, 0.0, 0.0}, {-1, -1, -1}};
    AC_TRY(ac_gap_follow(v, &gap));
    for (int c = 0; c < 3; ++c) moving[c] = -1;
    for (int k = 0; k < gap.count; ++k) moving[gap.data[k].component] = gap.data[k].moving;
    return AC_OK;
}

void ac_variation_move(ac_variation *v)
{
    for (int k = 0; k < v->moving_count; ++k) {
        ac_moving *m = &v->moving[k];
        m->jet = m->length >= 0 ? v->dependents[m->length].jet : component_jet(v, &m->place, m->component);
    }
}

/* --- maps --- */

/* The gap itself (datum -1), or its derivative by one of its data. */
static ac_affine3 gap_of(const ac_variation *v, const ac_gap *gap, const double place[2][3], int datum)
{
    ac_affine3 end[2];
    memset(end, 0, sizeof end);
    for (int s = 0; s < 2; ++s) {
        int number = gap->side[s].node;
        const ac_node *node = number == AC_GROUND ? NULL : &v->given->nodes[number];
        if (datum < 0) end[s] = ac_node_point(node, node ? node->q : 0, place[s]);
        if (datum < 0 || gap->data[datum].side != s) continue;
        double unit[3] = {0.0, 0.0, 0.0};
        unit[gap->data[datum].component] = 1.0;
        end[s] = ac_node_direction(node, node ? node->q : 0, unit);
    }
    return ac_affine_difference(&end[1], &end[0]);
}

/* u . gap is linear in its data. */
static ac_status along_map(const ac_variation *v, const ac_gap *gap, const double place[2][3], int j, int k,
                           ac_forms *forms)
{
    const ac_node *node = gap->along_node == AC_GROUND ? NULL : &v->given->nodes[gap->along_node];
    AC_TRY(ac_forms_begin(v->ctx, forms, 0.0));
    if (k >= 0) return AC_OK;
    ac_affine3 u = ac_node_direction(node, node ? node->q : 0, gap->along), w = gap_of(v, gap, place, j);
    return ac_forms_add_dot(v->ctx, forms, &u, &w, gap->factor);
}

static bool is_length(const ac_gap *gap, int datum)
{
    return datum >= 0 && gap->data[datum].side == 2;
}

/* factor |gap|^2 - length^2 / 2 */
static ac_status square_map(const ac_variation *v, const ac_gap *gap, const double place[2][3], int j, int k,
                            ac_forms *forms)
{
    double length = gap->length >= 0 ? v->dependents[gap->length].jet.v : gap->given_length;
    bool by_length = is_length(gap, j) || is_length(gap, k);
    double constant = j < 0                                    ? -0.5 * length * length
                      : k < 0 && by_length                     ? -length
                      : is_length(gap, j) && is_length(gap, k) ? -1.0
                                                               : 0.0;
    AC_TRY(ac_forms_begin(v->ctx, forms, constant));
    if (by_length) return AC_OK;
    ac_affine3 w = gap_of(v, gap, place, k), wj = gap_of(v, gap, place, j);
    return ac_forms_add_dot(v->ctx, forms, &w, &wj, (j < 0 ? 1.0 : 2.0) * gap->factor);
}

ac_status ac_gap_forms(const ac_variation *v, const ac_gap *gap, ac_forms *forms)
{
    double numbers[2][3];
    const double(*place)[3] = (const double(*)[3])numbers;
    ac_status (*map)(const ac_variation *, const ac_gap *, const double[2][3], int, int,
                     ac_forms *) = gap->square ? square_map : along_map;
    for (int s = 0; s < 2; ++s) ac_place_values(v, &gap->side[s], numbers[s]);
    AC_TRY(map(v, gap, place, -1, -1, forms));
    for (int j = 0; j < gap->count; ++j) AC_TRY(map(v, gap, place, j, -1, forms));
    for (int j = 0; j < gap->count; ++j)
        for (int k = 0; k <= j; ++k) AC_TRY(map(v, gap, place, j, k, forms));
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

/* Rows keep their moving data from the first time on. */
static ac_status row_map(ac_variation *v, int row, ac_gap *gap)
{
    ac_row_data *data = &v->rows[row];
    if (data->first < 0) {
        AC_TRY(ac_gap_follow(v, gap));
    } else {
        list_data(v, gap);
        for (int k = 0; k < gap->count; ++k) gap->data[k].moving = data->moving[k];
    }
    data->first = v->forms.count;
    data->count = gap->count;
    for (int k = 0; k < gap->count; ++k) data->moving[k] = gap->data[k].moving;
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
        gap.length = v->of.joint[7 * number + 6];
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
