/* Force maps: description and evaluation. */
#include "action/force_map.h"

#include <string.h>

#include "action/torque.h"

/* --- describing --- */

ac_force_map ac_force_map_begin(const ac_force_maps *set)
{
    return (ac_force_map){.first = set->entry_count, .first_torque = set->torque_count};
}

/* A force on one coordinate; terms are then added to its map. */
static ac_status new_entry(ac_context *ctx, ac_force_maps *set, ac_force_map *map, int coordinate,
                           bool torque)
{
    AC_TRY(ac_forms_begin(ctx, &set->forms, 0.0));
    AC_TRY(ac_grow(ctx, (void **)&set->entries, &set->entry_capacity, set->entry_count + 1,
                   sizeof *set->entries));
    set->entries[set->entry_count++] = (ac_force_entry){coordinate, set->forms.count - 1, torque};
    ++map->count;
    return AC_OK;
}

/* x_i = sum A_ij q_j gives f_j = sum A_ij F_i */
ac_status ac_force_map_add_force(ac_context *ctx, const ac_system *system, ac_force_maps *set, int number,
                                 const double place[3], const ac_affine3 *direction, double factor,
                                 ac_force_map *map)
{
    if (number == AC_GROUND) return AC_OK;
    const ac_node *node = &system->nodes[number];
    ac_affine3 point = ac_node_point(node, node->q, place);
    for (int i = 0; i < node->dimension; ++i)
        for (int k = 0; k < point.part[i].count; ++k) {
            AC_TRY(new_entry(ctx, set, map, point.part[i].index[k], false));
            AC_TRY(ac_forms_add_affine(ctx, &set->forms, &direction->part[i],
                                       factor * point.part[i].coefficient[k]));
        }
    return AC_OK;
}

/* x = r + sum over c of place_c d_c, with d_c affine in q: f_j = sum of place_c dd_c,i/dq_j F_i */
ac_status ac_force_map_add_moving_force(ac_context *ctx, const ac_system *system, ac_force_maps *set,
                                        int number, const double place[3], const int moving[3],
                                        const ac_affine3 *direction, ac_force_map *map)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    const ac_node *node = &system->nodes[number];
    AC_TRY(ac_force_map_add_force(ctx, system, set, number, origin, direction, 1.0, map));
    for (int c = 0; c < node->dimension; ++c) {
        double unit[3] = {0.0, 0.0, 0.0};
        unit[c] = 1.0;
        ac_affine3 d = ac_node_direction(node, node->q, unit);
        ac_affine arm = {.constant = moving[c] < 0 ? place[c] : 0.0, .count = moving[c] >= 0};
        if (moving[c] >= 0) arm.index[0] = moving[c];
        if (moving[c] >= 0) arm.coefficient[0] = 1.0;
        for (int i = 0; i < node->dimension; ++i)
            for (int k = 0; k < d.part[i].count; ++k) {
                AC_TRY(new_entry(ctx, set, map, d.part[i].index[k], false));
                AC_TRY(ac_forms_add_affine_product(ctx, &set->forms, &direction->part[i], &arm,
                                                   d.part[i].coefficient[k]));
            }
    }
    return AC_OK;
}

/* f_d = T perpendicular(d) */
static ac_status add_planar_entries(ac_context *ctx, ac_force_maps *set, const ac_node *node,
                                    const ac_affine3 *T, double factor, ac_force_map *map)
{
    ac_affine y = {.count = 1, .index = {node->q + 3}, .coefficient = {1.0}}, x = y;
    x.index[0] = node->q + 2;
    AC_TRY(new_entry(ctx, set, map, node->q + 2, true));
    AC_TRY(ac_forms_add_affine_product(ctx, &set->forms, &T->part[2], &y, -factor));
    AC_TRY(new_entry(ctx, set, map, node->q + 3, true));
    return ac_forms_add_affine_product(ctx, &set->forms, &T->part[2], &x, factor);
}

/* f_I = T x d_I / 2 */
static ac_status add_torque_entries(ac_context *ctx, ac_force_maps *set, const ac_node *node,
                                    const ac_affine3 *T, double factor, ac_force_map *map)
{
    if (ac_node_turns(node) == 1) return add_planar_entries(ctx, set, node, T, factor, map);
    for (int I = 0; I < 3; ++I) {
        double unit[3] = {0.0, 0.0, 0.0};
        unit[I] = 1.0;
        ac_affine3 dI = ac_node_direction(node, node->q, unit);
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            AC_TRY(new_entry(ctx, set, map, node->q + 3 + 3 * I + i, true));
            AC_TRY(ac_forms_add_affine_product(ctx, &set->forms, &T->part[j], &dI.part[k], 0.5 * factor));
            AC_TRY(ac_forms_add_affine_product(ctx, &set->forms, &T->part[k], &dI.part[j], -0.5 * factor));
        }
    }
    return AC_OK;
}

ac_status ac_force_map_add_torque(ac_context *ctx, const ac_system *system, ac_force_maps *set, int number,
                                  const ac_affine3 *direction, double factor, ac_force_map *map)
{
    if (number == AC_GROUND || ac_node_turns(&system->nodes[number]) == 0) return AC_OK;
    AC_TRY(ac_grow(ctx, (void **)&set->torques, &set->torque_capacity, set->torque_count + 1,
                   sizeof *set->torques));
    ac_force_torque *torque = &set->torques[set->torque_count++];
    *torque = (ac_force_torque){number, *direction};
    for (int i = 0; i < 3; ++i) {
        torque->direction.part[i].constant *= factor;
        for (int k = 0; k < direction->part[i].count; ++k) torque->direction.part[i].coefficient[k] *= factor;
    }
    ++map->torque_count;
    return add_torque_entries(ctx, set, &system->nodes[number], direction, factor, map);
}

/* Direction i of the world, or of the frame of a node. */
static ac_affine3 axis_of(const ac_node *node, int i)
{
    double unit[3] = {0.0, 0.0, 0.0};
    unit[i] = 1.0;
    return ac_node_direction(node, node ? node->q : 0, unit);
}

ac_status ac_force_map_add_node_torque(ac_context *ctx, const ac_system *system, ac_force_maps *set,
                                       int number, bool follows, int axis, ac_force_map *map)
{
    const int nodes[2] = {number, ac_beam_edge_before(system, number)};
    double share = nodes[1] == AC_GROUND ? 1.0 : 0.5;
    for (int e = 0; e < 2; ++e) {
        if (nodes[e] == AC_GROUND) continue;
        ac_affine3 direction = axis_of(follows ? &system->nodes[nodes[e]] : NULL, axis);
        AC_TRY(ac_force_map_add_torque(ctx, system, set, nodes[e], &direction, share, map));
    }
    return AC_OK;
}

ac_status ac_force_map_add_load(ac_context *ctx, const ac_system *system, ac_force_maps *set,
                                const ac_load_data *load, int axis, ac_force_map *map)
{
    if (load->node == AC_GROUND) return AC_OK;
    const ac_node *node = &system->nodes[load->node];
    bool follows = load->follows && ac_node_turns(node) > 0;
    if (load->type == AC_LOAD_TORQUE)
        return ac_force_map_add_node_torque(ctx, system, set, load->node, follows, axis, map);
    ac_affine3 direction = axis_of(follows ? node : NULL, axis);
    return ac_force_map_add_force(ctx, system, set, load->node, load->place, &direction, 1.0, map);
}

void ac_force_maps_free(ac_context *ctx, ac_force_maps *set)
{
    ac_release(ctx, set->entries);
    ac_release(ctx, set->torques);
    ac_forms_free(ctx, &set->forms);
    memset(set, 0, sizeof *set);
}

/* --- evaluation --- */

static bool acts(const ac_force_entry *entry, ac_input_place place)
{
    return place == AC_AT_TIME_NODE || !entry->torque;
}

static double affine_value(const ac_affine *s, const double *q)
{
    double sum = s->constant;
    for (int k = 0; k < s->count; ++k) sum += s->coefficient[k] * q[s->index[k]];
    return sum;
}

static void torque_at(const ac_force_torque *t, const double *q, double T[3])
{
    for (int i = 0; i < 3; ++i) T[i] = affine_value(&t->direction.part[i], q);
}

static void torque_force(const ac_system *system, const ac_force_torque *t, const double *q,
                         ac_input_force_sink sink, void *user)
{
    const ac_node *node = &system->nodes[t->node];
    double T[3], f[AC_NODE_MAX] = {0.0};
    torque_at(t, q, T);
    ac_torque_add(node, q + node->q, T, 1.0, f);
    for (int i = node->dimension; i < node->size; ++i) sink(user, node->q + i, f[i]);
}

void ac_force_map_value(const ac_system *system, const ac_force_maps *set, const ac_force_map *map,
                        ac_input_place place, const double *q, ac_input_force_sink sink, void *user)
{
    for (int e = map->first; e < map->first + map->count; ++e)
        if (acts(&set->entries[e], place))
            sink(user, set->entries[e].coordinate, ac_form_value(&set->forms, set->entries[e].form, q));
    for (int t = 0; place == AC_AT_MEAN && t < map->torque_count; ++t)
        torque_force(system, &set->torques[map->first_torque + t], q, sink, user);
}

static void torque_slopes(const ac_system *system, const ac_force_torque *t, const double *q,
                          ac_input_slope_sink sink, void *user)
{
    const ac_node *node = &system->nodes[t->node];
    double T[3], by_x[AC_NODE_MAX * AC_NODE_MAX], by_T[AC_NODE_MAX * 3];
    int n = node->size;
    torque_at(t, q, T);
    ac_torque_slopes(node, q + node->q, T, by_x, by_T);
    for (int r = node->dimension; r < n; ++r) {
        for (int c = node->dimension; c < n; ++c) sink(user, node->q + r, node->q + c, by_x[r * n + c]);
        for (int i = 0; i < 3; ++i) {
            const ac_affine *part = &t->direction.part[i];
            for (int k = 0; k < part->count; ++k)
                sink(user, node->q + r, part->index[k], by_T[r * 3 + i] * part->coefficient[k]);
        }
    }
}

void ac_force_map_slopes(const ac_system *system, const ac_force_maps *set, const ac_force_map *map,
                         ac_input_place place, const double *q, ac_input_slope_sink sink, void *user)
{
    const ac_forms *forms = &set->forms;
    for (int e = map->first; e < map->first + map->count; ++e) {
        int row = set->entries[e].coordinate, form = set->entries[e].form;
        if (!acts(&set->entries[e], place)) continue;
        for (int t = forms->linear_start[form]; t < forms->linear_start[form + 1]; ++t)
            sink(user, row, forms->linears[t].i, forms->linears[t].b);
        for (int t = forms->product_start[form]; t < forms->product_start[form + 1]; ++t) {
            const ac_product *product = &forms->products[t];
            sink(user, row, product->i, product->a * q[product->j]);
            sink(user, row, product->j, product->a * q[product->i]);
        }
    }
    for (int t = 0; place == AC_AT_MEAN && t < map->torque_count; ++t)
        torque_slopes(system, &set->torques[map->first_torque + t], q, sink, user);
}

static void torque_curvature(const ac_system *system, const ac_force_torque *t, const double *q,
                             const double *w, ac_input_slope_sink sink, void *user)
{
    const ac_node *node = &system->nodes[t->node];
    double T[3], xx[AC_NODE_MAX * AC_NODE_MAX], xT[AC_NODE_MAX * 3];
    int n = node->size;
    torque_at(t, q, T);
    ac_torque_curvature(node, q + node->q, T, w + node->q, xx, xT);
    for (int r = node->dimension; r < n; ++r) {
        int row = node->q + r;
        for (int c = node->dimension; c <= r; ++c) sink(user, row, node->q + c, xx[r * n + c]);
        for (int i = 0; i < 3; ++i) {
            const ac_affine *part = &t->direction.part[i];
            for (int k = 0; k < part->count; ++k)
                sink(user, row, part->index[k],
                     (part->index[k] == row ? 2.0 : 1.0) * xT[r * 3 + i] * part->coefficient[k]);
        }
    }
}

void ac_force_map_curvature(const ac_system *system, const ac_force_maps *set, const ac_force_map *map,
                            ac_input_place place, const double *q, const double *w, ac_input_slope_sink sink,
                            void *user)
{
    for (int e = map->first; e < map->first + map->count; ++e) {
        int form = set->entries[e].form;
        double weight = w[set->entries[e].coordinate];
        if (!acts(&set->entries[e], place)) continue;
        for (int t = set->forms.product_start[form]; t < set->forms.product_start[form + 1]; ++t) {
            const ac_product *term = &set->forms.products[t];
            sink(user, term->i, term->j, weight * term->a * (term->i == term->j ? 2.0 : 1.0));
        }
    }
    for (int t = 0; place == AC_AT_MEAN && t < map->torque_count; ++t)
        torque_curvature(system, &set->torques[map->first_torque + t], q, w, sink, user);
}
