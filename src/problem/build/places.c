/* Names, points, rotations and directions of a problem file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "problem/build/beams.h"
#include "problem/build/parameters.h"

enum { KEY_SIZE = 2 * AC_NAME_SIZE, LIST_SIZE = 400 };

static const double ROTATION_TOLERANCE = 1e-6; /* of matrices written by hand */

const char *const ac_built_kind_names[] = {"body", "planar", "point", "ground"};

const ac_built_node *ac_built(const ac_builder *builder, int node)
{
    return node == AC_GROUND ? &builder->ground : &builder->nodes[node];
}

/* ---- nodes and joints by name ---- */

ac_status ac_add_built_node(ac_builder *b, const ac_value *entry, ac_built_kind kind, int *number)
{
    const char *name;
    bool fresh;
    if (strcmp(entry->key, "ground") == 0)
        return ac_fail_at(b->ctx, entry->key_place,
                          "'ground' is the name of what does not move; choose another name");
    AC_TRY(
        ac_check_name(&b->reader, entry->key, entry->key_place, kind == AC_BUILT_POINT ? "point" : "body"));
    AC_TRY(ac_copy_name(&b->reader, entry->key, &name));
    AC_TRY(ac_grow(b->ctx, (void **)&b->nodes, &b->node_capacity, b->node_count + 1, sizeof *b->nodes));
    AC_TRY(ac_names_add(&b->node_names, name, b->node_count, &fresh));
    if (!fresh)
        return ac_fail_at(b->ctx, entry->key_place,
                          "the name '%s' is taken; bodies, planar bodies and points need different names",
                          name);
    ac_built_node *node = &b->nodes[b->node_count];
    *node = (ac_built_node){.name = name, .kind = kind, .dimension = kind == AC_BUILT_BODY ? 3 : 2};
    node->pose = ac_pose_identity();
    identity3(node->axes);
    *number = b->node_count++;
    return AC_OK;
}

static ac_status no_such_name(ac_builder *b, const ac_names *names, const char *name, ac_place place,
                              const char *what)
{
    char shown[AC_SHOWN_SIZE];
    const char *nearest = ac_names_nearest(names, name);
    ac_show(shown, name);
    if (nearest)
        return ac_fail_at(b->ctx, place, "there is no %s called '%s'; did you mean '%s'?", what, shown,
                          nearest);
    return ac_fail_at(b->ctx, place, "there is no %s called '%s'", what, shown);
}

ac_status ac_find_node(ac_builder *b, const char *text, ac_place place, int *node)
{
    char name[AC_NAME_SIZE];
    if (strcmp(text, "ground") == 0) {
        *node = AC_GROUND;
        return AC_OK;
    }
    bool of_beam;
    AC_TRY(ac_find_beam_node(b, text, place, &of_beam, node));
    if (of_beam) return AC_OK;
    AC_TRY(ac_read_reference(&b->reader, text, place, name));
    *node = ac_names_find(&b->node_names, name);
    if (*node >= 0) return AC_OK;
    if (ac_names_find(&b->beam_names, name) >= 0)
        return ac_fail_at(
            b->ctx, place,
            "'%s' is a beam: name one of its nodes, '%s.start', '%s.middle', '%s.end' or '%s[0]'", name, name,
            name, name, name);
    return no_such_name(b, &b->node_names, name, place, "body or point");
}

ac_status ac_find_joint(ac_builder *b, const ac_given_word *word, int *joint)
{
    char name[AC_NAME_SIZE];
    AC_TRY(ac_read_reference(&b->reader, word->text, word->at->place, name));
    *joint = ac_names_find(&b->joint_names, name);
    return *joint >= 0 ? AC_OK : no_such_name(b, &b->joint_names, name, word->at->place, "joint");
}

ac_status ac_read_pair(ac_builder *b, const ac_value *pair, const char *what, int nodes[2])
{
    if (pair->kind != AC_LIST || pair->count != 2 || pair->first->kind != AC_SCALAR ||
        pair->last->kind != AC_SCALAR)
        return ac_fail_at(b->ctx, pair->place, "%s must name two nodes: [first, second]", what);
    AC_TRY(ac_find_node(b, pair->first->text, pair->first->place, &nodes[0]));
    AC_TRY(ac_find_node(b, pair->last->text, pair->last->place, &nodes[1]));
    if (nodes[0] == nodes[1])
        return ac_fail_at(b->ctx, pair->place, "%s must name two different nodes, not '%s' twice", what,
                          ac_built(b, nodes[0])->name);
    return AC_OK;
}

/* ---- named points ---- */

static void place_key(int node, const char *name, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "%d/%.140s", node, name);
}

ac_status ac_add_place(ac_builder *b, int node, const char *name, const double place[3], bool *fresh)
{
    char key[KEY_SIZE];
    place_key(node, name, key);
    const char *kept = ac_arena_text(&b->reader.arena, key, strlen(key));
    ac_built_place *added = ac_arena_take(&b->reader.arena, 1, sizeof *added);
    if (!kept || !added) return AC_NO_MEMORY;
    AC_TRY(ac_names_add(&b->place_names, kept, b->place_count, fresh));
    if (!*fresh) return AC_OK;
    AC_TRY(ac_grow(b->ctx, (void **)&b->places, &b->place_capacity, b->place_count + 1, sizeof *b->places));
    copy3(place, b->places[b->place_count++]);

    added->name = name;
    copy3(place, added->place);
    ac_built_node *built = node == AC_GROUND ? &b->ground : &b->nodes[node];
    if (built->last_place)
        built->last_place->next = added;
    else
        built->places = added;
    built->last_place = added;
    return AC_OK;
}

ac_status ac_add_places(ac_builder *b, int node, const ac_value *map)
{
    if (!map) return AC_OK;
    if (map->kind != AC_MAP) return ac_fail_at(b->ctx, map->place, "points must be a map of names to places");
    int dimension = ac_built(b, node)->dimension, count;
    for (const ac_value *value = map->first; value; value = value->next) {
        double place[3] = {0};
        bool fresh;
        char what[AC_NAME_SIZE];
        AC_TRY(ac_check_name(&b->reader, value->key, value->key_place, "point"));
        snprintf(what, sizeof what, "point %s", value->key);
        AC_TRY(ac_read_numbers(&b->reader, value, what, AC_DIM_LENGTH, node == AC_GROUND ? 1 : dimension,
                               dimension, place, &count));
        AC_TRY(ac_add_place(b, node, value->key, place, &fresh));
        if (!fresh)
            return ac_fail_at(b->ctx, value->key_place, "'%s' has a point '%s' already; choose another name",
                              ac_built(b, node)->name, value->key);
        ac_nodes nodes;
        AC_TRY(ac_follow_list(b, value, &nodes));
        AC_TRY(ac_set_place_nodes(b, &nodes));
    }
    return AC_OK;
}

/* A node of a beam is where its frame is; both names mean that. */
static bool is_own_place(const char *name)
{
    return strcmp(name, "origin") == 0 || strcmp(name, "centre") == 0;
}

static ac_status no_such_place(ac_builder *b, const ac_value *value, const ac_built_node *node)
{
    char list[LIST_SIZE] = "", shown[AC_SHOWN_SIZE];
    if (node->of_beam) snprintf(list, sizeof list, "origin, centre");
    for (const ac_built_place *p = node->places; p; p = p->next) {
        size_t used = strlen(list);
        if (used + strlen(p->name) + 8 > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", p->name);
    }
    return ac_fail_at(b->ctx, value->place, "'%s' has no point '%s'; it has: %s", node->name,
                      ac_show(shown, value->text), list);
}

ac_status ac_read_place(ac_builder *b, const ac_value *value, int node, double place[3])
{
    const ac_built_node *built = ac_built(b, node);
    memset(place, 0, 3 * sizeof *place);
    if (value->kind == AC_SCALAR && built->of_beam && is_own_place(value->text)) return AC_OK;
    if (value->kind == AC_SCALAR) {
        char key[KEY_SIZE];
        place_key(node, value->text, key);
        int number = ac_names_find(&b->place_names, key);
        if (number < 0 || strlen(value->text) > AC_NAME_SIZE) return no_such_place(b, value, built);
        copy3(b->places[number], place);
        return ac_note_place(b, value, number);
    }
    if (built->kind == AC_BUILT_POINT)
        return ac_fail_at(b->ctx, value->place,
                          "the mass point '%s' has no points of its own; leave this out, or write centre",
                          built->name);
    char what[AC_NAME_SIZE + 16];
    int count;
    snprintf(what, sizeof what, "the place on '%s'", built->name);
    return ac_read_numbers(&b->reader, value, what, AC_DIM_LENGTH, node == AC_GROUND ? 1 : built->dimension,
                           built->dimension, place, &count);
}

/* Which of the two nodes a key means. */
static ac_status side_of(ac_builder *b, const ac_value *value, const int nodes[2], int *side)
{
    char shown[AC_SHOWN_SIZE];
    int node;
    AC_TRY(ac_find_node(b, value->key, value->key_place, &node));
    if (node != nodes[0] && node != nodes[1])
        return ac_fail_at(b->ctx, value->key_place, "'%s' is not joined here; the nodes are '%s' and '%s'",
                          ac_show(shown, value->key), ac_built(b, nodes[0])->name,
                          ac_built(b, nodes[1])->name);
    *side = node == nodes[0] ? 0 : 1;
    return AC_OK;
}

ac_status ac_read_sides(ac_builder *b, const ac_value *map, const int nodes[2], bool known[2],
                        double places[2][3])
{
    for (const ac_value *value = map->first; value; value = value->next) {
        int side = 0;
        AC_TRY(side_of(b, value, nodes, &side));
        AC_TRY(ac_read_place(b, value, nodes[side], places[side]));
        known[side] = true;
    }
    return AC_OK;
}

void ac_to_directors(const ac_built_node *node, const double place[3], double out[3])
{
    apply_transposed3(node->axes, place, out);
}

/* ---- rotations and directions ---- */

ac_status ac_read_direction(ac_builder *b, const ac_value *value, const char *what, int least,
                            double direction[3])
{
    int count;
    memset(direction, 0, 3 * sizeof *direction);
    AC_TRY(ac_read_numbers(&b->reader, value, what, AC_DIM_NUMBER, least, 3, direction, &count));
    double largest = ac_max(fabs(direction[0]), ac_max(fabs(direction[1]), fabs(direction[2])));
    if (!(largest > 0))
        return ac_fail_at(b->ctx, value->place, "%s must not be zero; it is a direction", what);
    for (int i = 0; i < 3; ++i) direction[i] /= largest;
    double length = norm3(direction);
    for (int i = 0; i < 3; ++i) direction[i] /= length;
    return AC_OK;
}

/* three vectors of three numbers: the rows, or the columns, of a rotation */
static ac_status read_matrix(ac_builder *b, const ac_value *value, const char *what, bool columns,
                             double rotation[9])
{
    int row = 0, count;
    for (const ac_value *child = value->first; child; child = child->next, ++row) {
        double x[3];
        char part[64];
        snprintf(part, sizeof part, "%s %d of %s", columns ? "vector" : "row", row + 1, what);
        AC_TRY(ac_read_numbers(&b->reader, child, part, AC_DIM_NUMBER, 3, 3, x, &count));
        for (int k = 0; k < 3; ++k) rotation[columns ? 3 * k + row : 3 * row + k] = x[k];
    }
    if (!ac_rotation_check(rotation, ROTATION_TOLERANCE))
        return ac_fail_at(
            b->ctx, value->place,
            "%s must be orthonormal and right handed; use a rotation vector or expressions for exact values",
            what);
    ac_rotation_polish(rotation);
    ac_rotation_polish(rotation);
    return AC_OK;
}

static ac_status read_axis_angle(ac_builder *b, const ac_value *value, double rotation[9])
{
    ac_rotation_input input;
    double vector[3];
    AC_TRY(ac_section_read(&b->reader, &ac_section_rotation, value, &input, sizeof input));
    AC_TRY(ac_read_direction(b, input.axis.at, "axis", 3, vector));
    double turns = fmod(input.angle.value, 2 * 3.14159265358979323846);
    for (int i = 0; i < 3; ++i) vector[i] *= turns;
    ac_rotation_exp(vector, rotation);
    return AC_OK;
}

static ac_status read_rotation_vector(ac_builder *b, const ac_value *value, double rotation[9])
{
    double vector[3];
    int count;
    AC_TRY(ac_read_numbers(&b->reader, value, "rotation", AC_DIM_ANGLE, 3, 3, vector, &count));
    if (!(norm3(vector) < 1e6))
        return ac_fail_at(b->ctx, value->place, "rotation is too large; a rotation vector is in rad");
    ac_rotation_exp(vector, rotation);
    return AC_OK;
}

ac_status ac_read_rotation(ac_builder *b, const ac_value *value, double rotation[9])
{
    if (value->kind == AC_MAP) return read_axis_angle(b, value, rotation);
    if (value->kind == AC_LIST && value->count == 3 && value->first->kind == AC_LIST)
        return read_matrix(b, value, "rotation", false, rotation);
    if (value->kind == AC_LIST && value->count == 3) return read_rotation_vector(b, value, rotation);
    return ac_fail_at(
        b->ctx, value->place,
        "rotation must be a rotation vector [x, y, z], {axis: [x, y, z], angle: a}, or three rows");
}

ac_status ac_read_directors(ac_builder *b, const ac_value *value, double rotation[9])
{
    if (value->kind != AC_LIST || value->count != 3 || value->first->kind != AC_LIST)
        return ac_fail_at(b->ctx, value->place,
                          "directors must be three vectors [[x, y, z], [x, y, z], [x, y, z]]");
    return read_matrix(b, value, "directors", true, rotation);
}
