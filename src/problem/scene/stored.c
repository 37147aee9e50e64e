/* The scene in a result: one list for each kind of thing, a row for each thing. What a row holds is written once, in a
 * function that either puts it or takes it back. A result may come from anywhere: what does not fit is refused. */
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem/build/beams.h"
#include "problem/scene/scene.h"

enum { NUMBERS_MAX = 100000000, WIDTH_MAX = 32 };

/* A row on its way to the result or back; its word is the kind of the thing. */
typedef struct scene_row {
    double *at;
    const char *word;
    bool loading, understood;
} scene_row;

typedef struct scene_list {
    const char *name, *labels;
    int width;
    size_t size, items, count; /* of an item; where the scene keeps the items and their number */
    void (*pass)(scene_row *row, void *item);
} scene_list;

static void pass_numbers(scene_row *row, double *numbers, int count)
{
    for (int k = 0; k < count; ++k, ++row->at) {
        if (row->loading)
            numbers[k] = *row->at;
        else
            *row->at = numbers[k];
        row->understood = row->understood && isfinite(*row->at);
    }
}

static void pass_integer(scene_row *row, int *number)
{
    double value = *number;
    pass_numbers(row, &value, 1);
    bool good = row->understood && value == floor(value) && value >= AC_GROUND && value < NUMBERS_MAX;
    row->understood = good;
    if (row->loading) *number = good ? (int)value : 0;
}

static int pass_word(scene_row *row, int number, const char *const *words, int count)
{
    if (!row->loading) {
        row->word = words[number];
        return number;
    }
    for (int k = 0; k < count; ++k) {
        if (strcmp(words[k], row->word) == 0) return k;
    }
    row->understood = false;
    return 0;
}

static void pass_pose(scene_row *row, ac_pose *pose)
{
    pass_numbers(row, pose->position, 3);
    pass_numbers(row, pose->rotation, 9);
}

static void pass_world(scene_row *row, void *item)
{
    ac_scene_world *world = item;
    pass_numbers(row, world->gravity, 3);
}

static void pass_node(scene_row *row, void *item)
{
    ac_scene_node *node = item;
    node->kind = (ac_built_kind)pass_word(row, (int)node->kind, ac_built_kind_names, AC_BUILT_GROUND);
    pass_integer(row, &node->dimension);
    pass_integer(row, &node->number);
}

static void pass_solid(scene_row *row, void *item)
{
    ac_scene_solid *scene_solid = item;
    ac_solid *solid = &scene_solid->solid;
    solid->shape = (ac_shape)pass_word(row, (int)solid->shape, ac_shape_names, AC_SHAPE_COUNT);
    pass_integer(row, &scene_solid->node);
    pass_numbers(row, solid->size, 3);
    pass_numbers(row, &solid->radius, 1);
    pass_numbers(row, &solid->inner_radius, 1);
    pass_numbers(row, &solid->length, 1);
    pass_numbers(row, &solid->edge, 1);
    for (int k = 0; k < 4; ++k) pass_numbers(row, solid->corners[k], 3);
    pass_pose(row, &solid->pose);
}

static void pass_point(scene_row *row, void *item)
{
    ac_scene_point *point = item;
    pass_integer(row, &point->node);
    pass_numbers(row, point->place, 3);
}

static void pass_joint(scene_row *row, void *item)
{
    ac_scene_joint *joint = item;
    joint->type = (ac_joint_type)pass_word(row, (int)joint->type, ac_joint_type_names, AC_JOINT_TYPE_COUNT);
    for (int k = 0; k < 2; ++k) {
        pass_integer(row, &joint->node[k]);
        pass_pose(row, &joint->frame[k]);
    }
}

static void pass_spring(scene_row *row, void *item)
{
    ac_scene_spring *spring = item;
    for (int k = 0; k < 2; ++k) {
        pass_integer(row, &spring->node[k]);
        pass_numbers(row, spring->place[k], 3);
    }
}

static void pass_beam(scene_row *row, void *item)
{
    ac_scene_beam *beam = item;
    pass_integer(row, &beam->first);
    pass_integer(row, &beam->elements);
    pass_integer(row, &beam->first_station);
    pass_integer(row, &beam->station_count);
}

static void pass_station(scene_row *row, void *item)
{
    ac_scene_station *station = item;
    ac_beam_section *s = &station->section;
    s->shape = (ac_beam_shape)pass_word(row, (int)s->shape, ac_beam_shape_names, AC_BEAM_I_SECTION + 1);
    double *numbers[] = {&station->at, &s->width,  &s->height, &s->radius,  &s->inner_radius,
                         &s->web,      &s->flange, &s->area,   &s->torsion, &station->values.mass};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) pass_numbers(row, numbers[k], 1);
    pass_numbers(row, s->moment, 2);
    pass_numbers(row, s->shear_factor, 2);
    pass_numbers(row, station->values.stiffness, 6);
    pass_numbers(row, station->values.inertia, 2);
}

static void pass_surface(scene_row *row, void *item)
{
    static const char *const words[] = {
        [AC_SURFACE_PLANE] = "plane", [AC_SURFACE_SPHERE] = "sphere", [AC_SURFACE_ELLIPSOID] = "ellipsoid"};
    ac_scene_surface *surface = item;
    surface->kind = (ac_surface)pass_word(row, (int)surface->kind, words, 3);
    pass_integer(row, &surface->node);
    pass_integer(row, &surface->inside);
    pass_numbers(row, surface->place, 3);
    pass_numbers(row, surface->normal, 3);
    pass_numbers(row, surface->axes, 3);
    pass_numbers(row, &surface->radius, 1);
}

#define ITEMS(member, number) \
    sizeof *((ac_scene *)NULL)->member, offsetof(ac_scene, member), offsetof(ac_scene, number)
#define POSE "x y z xx xy xz yx yy yz zx zy zz"

static const scene_list lists[] = {
    {"scene/world", "gravity.x gravity.y gravity.z", 3, ITEMS(world, world_count), pass_world},
    {"scene/nodes", "dimension number", 2, ITEMS(nodes, node_count), pass_node},
    {"scene/solids",
     "node size.x size.y size.z radius inner_radius length edge corner1.x corner1.y corner1.z corner2.x "
     "corner2.y corner2.z corner3.x corner3.y corner3.z corner4.x corner4.y corner4.z " POSE,
     32, ITEMS(solids, solid_count), pass_solid},
    {"scene/points", "node x y z", 4, ITEMS(points, point_count), pass_point},
    {"scene/joints", "node " POSE " node " POSE, 26, ITEMS(joints, joint_count), pass_joint},
    {"scene/springs", "node x y z node x y z", 8, ITEMS(springs, spring_count), pass_spring},
    {"scene/beams", "first_node elements first_station stations", 4, ITEMS(beams, beam_count), pass_beam},
    {"scene/stations",
     "at width height radius inner_radius web flange area torsion mass moment1 moment2 shear_factor1 "
     "shear_factor2 GA1 GA2 EA EI1 EI2 GJ inertia1 inertia2",
     22, ITEMS(stations, station_count), pass_station},
    {"scene/surfaces", "node inside x y z normal.x normal.y normal.z axis.x axis.y axis.z radius", 12,
     ITEMS(surfaces, surface_count), pass_surface},
};
enum { LISTS = sizeof lists / sizeof *lists };

static int *count_in(const ac_scene *scene, const scene_list *list)
{
    return (int *)((char *)scene + list->count);
}

static char **items_in(const ac_scene *scene, const scene_list *list)
{
    return (char **)((char *)scene + list->items);
}

static void *item_in(const ac_scene *scene, const scene_list *list, int k)
{
    return *items_in(scene, list) + (size_t)k * list->size;
}

/* Every item begins with its name. */
static const char **name_in(const ac_scene *scene, const scene_list *list, int k)
{
    return item_in(scene, list, k);
}

static ac_status take_items(ac_scene *scene, const scene_list *list, int count)
{
    *items_in(scene, list) = ac_arena_take(&scene->arena, (size_t)count, list->size);
    if (!*items_in(scene, list)) return AC_NO_MEMORY;
    *count_in(scene, list) = count;
    return AC_OK;
}

static ac_status keep_name(ac_scene *scene, const scene_list *list, int k, const char *name)
{
    const char *kept = ac_arena_text(&scene->arena, name, strlen(name));
    *name_in(scene, list, k) = kept;
    return kept ? AC_OK : AC_NO_MEMORY;
}

/* ---- copies ---- */

static ac_status copy_list(const ac_scene *scene, const scene_list *list, ac_scene *copy)
{
    int count = *count_in(scene, list);
    AC_TRY(take_items(copy, list, count));
    if (count > 0) memcpy(*items_in(copy, list), *items_in(scene, list), (size_t)count * list->size);
    for (int k = 0; k < count; ++k) AC_TRY(keep_name(copy, list, k, *name_in(scene, list, k)));
    return AC_OK;
}

ac_status ac_scene_copy(ac_context *ctx, const ac_scene *scene, ac_scene *copy)
{
    *copy = (ac_scene){.node_count = 0};
    ac_arena_begin(&copy->arena, ctx);
    for (int k = 0; k < LISTS; ++k) AC_TRY(copy_list(scene, &lists[k], copy));
    return AC_OK;
}

ac_status ac_scene_names_kept(const ac_scene *scene)
{
    for (int k = 0; k < LISTS; ++k) {
        for (int i = 0; i < *count_in(scene, &lists[k]); ++i)
            if (!*name_in(scene, &lists[k], i)) return AC_NO_MEMORY;
    }
    return AC_OK;
}

/* ---- into a result ---- */

static ac_status store_rows(ac_result_writer *writer, const ac_scene *scene, const scene_list *list,
                            const char **names, const char **words, double *values)
{
    int count = *count_in(scene, list);
    for (int k = 0; k < count; ++k) {
        scene_row row = {.at = values + (size_t)k * (size_t)list->width, .word = "", .understood = true};
        list->pass(&row, item_in(scene, list, k));
        names[k] = *name_in(scene, list, k);
        words[k] = row.word;
    }
    ac_result_list rows = {names, words, values, count, list->width};
    return ac_result_put_list(writer, list->name, list->labels, &rows);
}

static ac_status store_list(ac_context *ctx, ac_result_writer *writer, const ac_scene *scene,
                            const scene_list *list)
{
    size_t count = (size_t)*count_in(scene, list);
    const char **names = ac_allocate(ctx, count, sizeof *names),
               **words = ac_allocate(ctx, count, sizeof *words);
    double *values = ac_allocate(ctx, count, (size_t)list->width * sizeof *values);
    ac_status status = names && words && values ? store_rows(writer, scene, list, names, words, values)
                                                : ac_out_of_memory(ctx);
    ac_release(ctx, names);
    ac_release(ctx, words);
    ac_release(ctx, values);
    return status;
}

ac_status ac_scene_store(ac_context *ctx, ac_result_writer *writer, const ac_scene *scene)
{
    for (int k = 0; k < LISTS; ++k) {
        if (*count_in(scene, &lists[k]) > 0) AC_TRY(store_list(ctx, writer, scene, &lists[k]));
    }
    return AC_OK;
}

/* ---- and back ---- */

static ac_status not_understood(ac_context *ctx, const char *list)
{
    return ac_fail(ctx, AC_BAD_INPUT, "the scene in the result cannot be understood: %s", list);
}

static ac_status load_rows(ac_scene *scene, const scene_list *list, const ac_result_list *rows)
{
    ac_context *ctx = scene->arena.ctx;
    double values[WIDTH_MAX];
    if (rows->count > 0 && rows->width != list->width) return not_understood(ctx, list->name);
    AC_TRY(take_items(scene, list, (int)rows->count));
    for (int k = 0; k < rows->count; ++k) {
        memcpy(values, rows->values + (size_t)k * (size_t)list->width, (size_t)list->width * sizeof *values);
        scene_row row = {.at = values, .word = rows->words[k], .loading = true, .understood = true};
        list->pass(&row, item_in(scene, list, k));
        if (!row.understood) return not_understood(ctx, list->name);
        AC_TRY(keep_name(scene, list, k, rows->names[k]));
    }
    return AC_OK;
}

static ac_status load_list(ac_result *result, ac_scene *scene, const scene_list *list)
{
    ac_result_list rows;
    AC_TRY(ac_result_read_list(result, list->name, &rows));
    ac_status status = load_rows(scene, list, &rows);
    ac_result_free_list(result, &rows);
    return status;
}

/* Do the numbers by which the lists refer to each other exist? */
static ac_status check_references(const ac_scene *scene)
{
    ac_context *ctx = scene->arena.ctx;
    for (int k = 0; k < scene->solid_count; ++k)
        if (scene->solids[k].node >= scene->node_count) return not_understood(ctx, "scene/solids");
    for (int k = 0; k < scene->point_count; ++k)
        if (scene->points[k].node >= scene->node_count) return not_understood(ctx, "scene/points");
    for (int k = 0; k < scene->beam_count; ++k) {
        const ac_scene_beam *beam = &scene->beams[k];
        if (beam->first < 0 || beam->elements < 0 || beam->first_station < 0 || beam->station_count < 1 ||
            beam->first_station + beam->station_count > scene->station_count)
            return not_understood(ctx, "scene/beams");
    }
    if (scene->node_count > 0 && scene->world_count != 1) return not_understood(ctx, "scene/world");
    return AC_OK;
}

ac_status ac_scene_load(ac_context *ctx, ac_result *result, ac_scene *scene)
{
    *scene = (ac_scene){.node_count = 0};
    ac_arena_begin(&scene->arena, ctx);
    ac_status status = AC_OK;
    for (int k = 0; k < LISTS && status == AC_OK; ++k) status = load_list(result, scene, &lists[k]);
    if (status == AC_OK) status = check_references(scene);
    if (status != AC_OK) ac_scene_free(scene);
    return status;
}
