/* The scene of a result, read back. A result may come from anywhere: what does not fit is refused. */
#include "show/scene/scene_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "base/vector.h"
#include "problem/text/document.h"
#include "problem/keys/schema.h"

enum { NUMBERS_MAX = 100000000 };

static ac_status not_understood(ac_context *ctx, const char *what)
{
    return ac_fail(ctx, AC_BAD_INPUT, "the scene in the result cannot be understood: %s", what);
}

static bool number_of(const ac_value *value, double *number)
{
    const char *end;
    if (!value || value->kind != AC_SCALAR) return false;
    bool negative = value->text[0] == '-';
    if (!ac_read_decimal(value->text + negative, number, &end) || *end || !isfinite(*number)) return false;
    if (negative) *number = -*number;
    return true;
}

static bool numbers_of(const ac_value *list, int count, double *numbers)
{
    if (!list || list->kind != AC_LIST || list->count != count) return false;
    for (const ac_value *v = list->first; v; v = v->next) {
        if (!number_of(v, numbers++)) return false;
    }
    return true;
}

/* Texts are quoted in JSON; null, for what has no name, is not. */
static const char *text_of(const ac_value *value)
{
    return value && value->kind == AC_SCALAR && value->quoted ? value->text : "";
}

static bool is_list(const ac_value *value)
{
    return value && value->kind == AC_LIST;
}

static const ac_value *map_in(const ac_value *value)
{
    return value && value->kind == AC_MAP ? value : NULL;
}

static int shape_of(const ac_value *entry)
{
    const char *name = text_of(ac_value_find(entry, "shape"));
    for (int k = 0; k < AC_SHAPE_COUNT; ++k) {
        if (strcmp(ac_shape_names[k], name) == 0) return k;
    }
    return -1;
}

static bool read_corners(const ac_value *entry, ac_solid *solid)
{
    const ac_value *corners = ac_value_find(entry, "corners");
    int k = 0;
    if (!is_list(corners) || corners->count != 4) return false;
    for (const ac_value *v = corners->first; v; v = v->next, ++k) {
        if (!numbers_of(v, 3, solid->corners[k])) return false;
    }
    return true;
}

static bool read_solid(const ac_value *entry, ac_solid *solid)
{
    int shape = map_in(entry) ? shape_of(entry) : -1;
    if (shape < 0) return false;
    solid->shape = (ac_shape)shape;
    (void)number_of(ac_value_find(entry, "radius"), &solid->radius);
    (void)number_of(ac_value_find(entry, "inner_radius"), &solid->inner_radius);
    (void)number_of(ac_value_find(entry, "length"), &solid->length);
    (void)number_of(ac_value_find(entry, "edge"), &solid->edge);
    if (shape == AC_SHAPE_BOX && !numbers_of(ac_value_find(entry, "size"), 3, solid->size)) return false;
    if (shape == AC_SHAPE_TETRAHEDRON && !read_corners(entry, solid)) return false;
    return numbers_of(ac_value_find(entry, "position"), 3, solid->pose.position) &&
           numbers_of(ac_value_find(entry, "rotation"), 9, solid->pose.rotation);
}

static ac_status read_node(ac_scene *scene, const ac_value *entry, ac_scene_node *node)
{
    ac_context *ctx = scene->arena.ctx;
    if (!map_in(entry)) return not_understood(ctx, "a node is not a map");
    node->name = text_of(ac_value_find(entry, "name"));
    const ac_value *solids = ac_value_find(entry, "solids");
    ac_solid **next = &node->solids;
    for (const ac_value *v = is_list(solids) ? solids->first : NULL; v; v = v->next) {
        *next = ac_arena_take(&scene->arena, 1, sizeof **next);
        if (!*next) return AC_NO_MEMORY;
        if (!read_solid(v, *next)) return not_understood(ctx, "a solid is incomplete");
        next = &(*next)->next;
    }
    return AC_OK;
}

static void read_outline(const ac_value *entry, ac_outline *outline)
{
    if (!map_in(entry)) return;
    const char *shape = text_of(ac_value_find(entry, "shape"));
    (void)number_of(ac_value_find(entry, "width"), &outline->width);
    (void)number_of(ac_value_find(entry, "height"), &outline->height);
    (void)number_of(ac_value_find(entry, "web"), &outline->web);
    (void)number_of(ac_value_find(entry, "flange"), &outline->flange);
    (void)number_of(ac_value_find(entry, "radius"), &outline->radius);
    (void)number_of(ac_value_find(entry, "inner_radius"), &outline->inner_radius);
    bool flat = outline->width > 0 && outline->height > 0;
    if (flat && strcmp(shape, "rectangle") == 0) outline->shape = AC_OUTLINE_RECTANGLE;
    if (flat && strcmp(shape, "i_section") == 0) outline->shape = AC_OUTLINE_I_SECTION;
}

static ac_status read_beam(ac_scene *scene, const ac_value *entry, ac_scene_beam *beam)
{
    double first = 0, elements = 0;
    if (!map_in(entry) || !number_of(ac_value_find(entry, "first_node"), &first) ||
        !number_of(ac_value_find(entry, "elements"), &elements) || first < 0 || elements < 0 ||
        first + elements >= NUMBERS_MAX)
        return not_understood(scene->arena.ctx, "a beam is incomplete");
    *beam = (ac_scene_beam){
        .name = text_of(ac_value_find(entry, "name")), .first = (int)first, .count = (int)elements + 1};
    const ac_value *list = ac_value_find(entry, "stations");
    int count = is_list(list) ? list->count : 0;
    beam->stations = ac_arena_take(&scene->arena, (size_t)count + 1, sizeof *beam->stations);
    if (!beam->stations) return AC_NO_MEMORY;
    for (const ac_value *v = count > 0 ? list->first : NULL; v; v = v->next) {
        if (!map_in(v) || !number_of(ac_value_find(v, "at"), &beam->stations[beam->station_count].at))
            return not_understood(scene->arena.ctx, "a station of a beam is incomplete");
        read_outline(ac_value_find(v, "section"), &beam->stations[beam->station_count++].outline);
    }
    if (beam->station_count == 0)
        read_outline(ac_value_find(entry, "section"), &beam->stations[beam->station_count++].outline);
    return AC_OK;
}

/* Nodes that are listed have the numbers that the beams leave, in order. */
static void number_nodes(ac_scene *scene)
{
    int number = 0;
    for (int i = 0; i < scene->node_count; ++i, ++number) {
        for (int k = 0; k < scene->beam_count; ++k) {
            const ac_scene_beam *beam = &scene->beams[k];
            if (number < beam->first || number >= beam->first + beam->count) continue;
            number = beam->first + beam->count;
            k = -1; /* the next number may belong to another beam */
        }
        scene->nodes[i].number = number;
    }
}

static bool read_link(const ac_value *entry, bool spring, ac_scene_link *link)
{
    double nodes[2];
    const ac_value *ends[2] = {ac_value_find(entry, spring ? "a" : "frame_a"),
                               ac_value_find(entry, spring ? "b" : "frame_b")};
    if (!numbers_of(ac_value_find(entry, "nodes"), 2, nodes)) return false;
    link->name = text_of(ac_value_find(entry, "name"));
    link->spring = spring;
    for (int k = 0; k < 2; ++k) {
        if (!(nodes[k] >= AC_GROUND && nodes[k] < NUMBERS_MAX)) return false;
        link->node[k] = (int)nodes[k];
        if (!spring && !map_in(ends[k])) return false;
        if (!numbers_of(spring ? ends[k] : ac_value_find(ends[k], "position"), 3, link->place[k]))
            return false;
    }
    return true;
}

/* What has no name is called after its kind and its number in the list, from 1 on. */
static ac_status name_link(ac_scene *scene, int number, ac_scene_link *link)
{
    char name[40];
    if (link->name[0]) return AC_OK;
    int length = snprintf(name, sizeof name, "%s %d", link->spring ? "spring" : "distance", number);
    link->name = ac_arena_text(&scene->arena, name, (size_t)length);
    return link->name ? AC_OK : AC_NO_MEMORY;
}

static ac_status read_links(ac_scene *scene, const ac_value *list, bool springs)
{
    int number = 0;
    for (const ac_value *v = is_list(list) ? list->first : NULL; v; v = v->next) {
        ++number;
        if (!map_in(v)) return not_understood(scene->arena.ctx, "a joint or spring is not a map");
        if (!springs && strcmp(text_of(ac_value_find(v, "kind")), "distance") != 0) continue;
        ac_scene_link *link = &scene->links[scene->link_count++];
        if (!read_link(v, springs, link))
            return not_understood(scene->arena.ctx, "a joint or spring is incomplete");
        AC_TRY(name_link(scene, number, link));
    }
    return AC_OK;
}

static ac_status read_parts(ac_scene *scene, const ac_value *root)
{
    if (!map_in(root)) return not_understood(scene->arena.ctx, "it is not a map");
    const ac_value *nodes = ac_value_find(root, "nodes"), *joints = ac_value_find(root, "joints");
    const ac_value *springs = ac_value_find(root, "springs"), *beams = ac_value_find(root, "beams");
    (void)numbers_of(ac_value_find(root, "gravity"), 3, scene->gravity);
    int count = is_list(nodes) ? nodes->count : 0;
    int links = (is_list(joints) ? joints->count : 0) + (is_list(springs) ? springs->count : 0);
    scene->nodes = ac_arena_take(&scene->arena, (size_t)count, sizeof *scene->nodes);
    scene->links = ac_arena_take(&scene->arena, (size_t)links, sizeof *scene->links);
    scene->beams = ac_arena_take(&scene->arena, is_list(beams) ? (size_t)beams->count : 0,
                                 sizeof *scene->beams);
    if (!scene->nodes || !scene->links || !scene->beams) return AC_NO_MEMORY;
    if (map_in(ac_value_find(root, "ground")))
        AC_TRY(read_node(scene, ac_value_find(root, "ground"), &scene->ground));
    for (const ac_value *v = count > 0 ? nodes->first : NULL; v; v = v->next)
        AC_TRY(read_node(scene, v, &scene->nodes[scene->node_count++]));
    for (const ac_value *v = is_list(beams) ? beams->first : NULL; v; v = v->next)
        AC_TRY(read_beam(scene, v, &scene->beams[scene->beam_count++]));
    number_nodes(scene);
    AC_TRY(read_links(scene, joints, false));
    return read_links(scene, springs, true);
}

ac_status ac_scene_read(ac_context *ctx, const ac_result *result, ac_scene *scene)
{
    const char *text = ac_result_text(result, "scene");
    ac_value *root = NULL;
    *scene = (ac_scene){.node_count = 0};
    ac_arena_begin(&scene->arena, ctx);
    if (!text || !*text) return AC_OK;
    ac_status status = ac_document_parse(&scene->arena, "scene", text, strlen(text), &root);
    if (status == AC_OK) status = read_parts(scene, root);
    if (status != AC_OK) ac_scene_end(scene);
    return status;
}

void ac_scene_end(ac_scene *scene)
{
    ac_arena_end(&scene->arena);
}

int ac_scene_find(const ac_scene *scene, const char *name)
{
    for (int i = 0; i < scene->node_count; ++i) {
        if (strcmp(scene->nodes[i].name, name) == 0) return i;
    }
    return -1;
}
