/* The scene as JSON, for the viewer. */
#include "base/base.h"
#include "problem/build/beams.h"
#include "problem/scene/scene.h"

static void put_numbers(ac_json *json, const char *key, const double *x, int count)
{
    ac_json_open_array(json, key);
    for (int k = 0; k < count; ++k) ac_json_number(json, NULL, x[k]);
    ac_json_close_array(json);
}

static void put_size(ac_json *json, const char *key, double size)
{
    if (size > 0) ac_json_number(json, key, size);
}

static void put_name(ac_json *json, const char *name)
{
    ac_json_text(json, "name", name[0] ? name : NULL);
}

static void put_pose(ac_json *json, const ac_pose *pose)
{
    put_numbers(json, "position", pose->position, 3);
    put_numbers(json, "rotation", pose->rotation, 9);
}

static void put_solid(ac_json *json, const ac_scene_solid *scene_solid)
{
    const ac_solid *solid = &scene_solid->solid;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "shape", ac_shape_names[solid->shape]);
    if (scene_solid->name[0]) put_name(json, scene_solid->name);
    if (solid->shape == AC_SHAPE_BOX) put_numbers(json, "size", solid->size, 3);
    put_size(json, "radius", solid->radius);
    put_size(json, "inner_radius", solid->inner_radius);
    put_size(json, "length", solid->length);
    put_size(json, "edge", solid->edge);
    if (solid->shape == AC_SHAPE_TETRAHEDRON) {
        ac_json_open_array(json, "corners");
        for (int k = 0; k < 4; ++k) put_numbers(json, NULL, solid->corners[k], 3);
        ac_json_close_array(json);
    }
    put_pose(json, &solid->pose);
    ac_json_close_object(json);
}

/* How far the writer is in the lists that are ordered by node. */
typedef struct scene_place {
    int solid, point;
} scene_place;

static void put_solids(ac_json *json, const ac_scene *scene, int node, scene_place *at)
{
    ac_json_open_array(json, "solids");
    for (; at->solid < scene->solid_count && scene->solids[at->solid].node == node; ++at->solid)
        put_solid(json, &scene->solids[at->solid]);
    ac_json_close_array(json);
}

static void put_points(ac_json *json, const ac_scene *scene, int node, scene_place *at)
{
    ac_json_open_object(json, "points");
    for (; at->point < scene->point_count && scene->points[at->point].node == node; ++at->point)
        put_numbers(json, scene->points[at->point].name, scene->points[at->point].place, 3);
    ac_json_close_object(json);
}

static void put_node(ac_json *json, const ac_scene *scene, int number, scene_place *at)
{
    const ac_scene_node *node = &scene->nodes[number];
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", node->name);
    ac_json_text(json, "kind", ac_built_kind_names[node->kind]);
    if (node->kind == AC_BUILT_POINT) ac_json_integer(json, "dimension", node->dimension);
    put_solids(json, scene, number, at);
    put_points(json, scene, number, at);
    ac_json_close_object(json);
}

static void put_section(ac_json *json, const ac_beam_section *s)
{
    ac_json_open_object(json, "section");
    ac_json_text(json, "shape", ac_beam_shape_names[s->shape]);
    put_size(json, "width", s->width);
    put_size(json, "height", s->height);
    put_size(json, "radius", s->radius);
    put_size(json, "inner_radius", s->inner_radius);
    put_size(json, "web", s->web);
    put_size(json, "flange", s->flange);
    if (s->shape != AC_BEAM_NO_SHAPE) {
        ac_json_number(json, "area", s->area);
        put_numbers(json, "moments", s->moment, 2);
        ac_json_number(json, "torsion", s->torsion);
        put_numbers(json, "shear_factors", s->shear_factor, 2);
    }
    ac_json_close_object(json);
}

static void put_station(ac_json *json, const ac_scene_station *station, bool with_place)
{
    if (with_place) ac_json_number(json, "at", station->at);
    put_section(json, &station->section);
    put_numbers(json, "stiffness", station->values.stiffness, 6);
    ac_json_number(json, "mass", station->values.mass);
    put_numbers(json, "inertia", station->values.inertia, 2);
}

/* Section and values are those at the start, and at all stations when there are several. */
static void put_beam(ac_json *json, const ac_scene *scene, const ac_scene_beam *beam)
{
    const ac_scene_station *stations = scene->stations + beam->first_station;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", beam->name);
    ac_json_integer(json, "first_node", beam->first);
    ac_json_integer(json, "elements", beam->elements);
    put_station(json, stations, false);
    if (beam->station_count > 1) {
        ac_json_open_array(json, "stations");
        for (int k = 0; k < beam->station_count; ++k) {
            ac_json_open_object(json, NULL);
            put_station(json, &stations[k], true);
            ac_json_close_object(json);
        }
        ac_json_close_array(json);
    }
    ac_json_close_object(json);
}

/* Shifts and turns of a joint with their axes, from the first node to the second. */
static void put_motions(ac_json *json, ac_joint_type type)
{
    const char *axis;
    ac_json_open_array(json, "motions");
    for (int k = 0; (axis = ac_joint_axis(type, k)); ++k) {
        ac_json_open_object(json, NULL);
        ac_json_text(json, ac_joint_coordinate_turns(type, k) ? "turn" : "shift", axis);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

static void put_pair(ac_json *json, const int node[2])
{
    ac_json_open_array(json, "nodes");
    ac_json_integer(json, NULL, node[0]);
    ac_json_integer(json, NULL, node[1]);
    ac_json_close_array(json);
}

static void put_joint(ac_json *json, const ac_scene_joint *joint)
{
    static const char *const frames[2] = {"frame_a", "frame_b"};
    ac_json_open_object(json, NULL);
    put_name(json, joint->name);
    ac_json_text(json, "kind", ac_joint_type_names[joint->type]);
    put_motions(json, joint->type);
    put_pair(json, joint->node);
    for (int k = 0; k < 2; ++k) {
        ac_json_open_object(json, frames[k]);
        put_pose(json, &joint->frame[k]);
        ac_json_close_object(json);
    }
    ac_json_close_object(json);
}

static void put_spring(ac_json *json, const ac_scene_spring *spring)
{
    ac_json_open_object(json, NULL);
    put_name(json, spring->name);
    put_pair(json, spring->node);
    put_numbers(json, "a", spring->place[0], 3);
    put_numbers(json, "b", spring->place[1], 3);
    ac_json_close_object(json);
}

static void put_surface(ac_json *json, const ac_scene_surface *surface)
{
    static const char *const words[] = {
        [AC_SURFACE_PLANE] = "plane", [AC_SURFACE_SPHERE] = "sphere", [AC_SURFACE_ELLIPSOID] = "ellipsoid"};
    ac_json_open_object(json, NULL);
    put_name(json, surface->name);
    ac_json_text(json, "kind", words[surface->kind]);
    ac_json_integer(json, "node", surface->node);
    ac_json_bool(json, "inside", surface->inside != 0);
    put_numbers(json, "place", surface->place, 3);
    if (surface->kind == AC_SURFACE_PLANE) put_numbers(json, "normal", surface->normal, 3);
    if (surface->kind == AC_SURFACE_SPHERE) ac_json_number(json, "radius", surface->radius);
    if (surface->kind == AC_SURFACE_ELLIPSOID) put_numbers(json, "axes", surface->axes, 3);
    ac_json_close_object(json);
}

static void put_scene(ac_json *json, const ac_scene *scene)
{
    scene_place at = {0, 0};
    ac_json_open_object(json, NULL);
    ac_json_text(json, "title", scene->world_count > 0 ? scene->world->name : "");
    if (scene->world_count > 0) put_numbers(json, "gravity", scene->world->gravity, 3);
    ac_json_open_object(json, "ground");
    put_points(json, scene, AC_GROUND, &at);
    put_solids(json, scene, AC_GROUND, &at);
    ac_json_close_object(json);
    ac_json_open_array(json, "nodes");
    for (int k = 0; k < scene->node_count; ++k) put_node(json, scene, k, &at);
    ac_json_close_array(json);
    ac_json_open_array(json, "beams");
    for (int k = 0; k < scene->beam_count; ++k) put_beam(json, scene, &scene->beams[k]);
    ac_json_close_array(json);
    ac_json_open_array(json, "joints");
    for (int k = 0; k < scene->joint_count; ++k) put_joint(json, &scene->joints[k]);
    ac_json_close_array(json);
    ac_json_open_array(json, "springs");
    for (int k = 0; k < scene->spring_count; ++k) put_spring(json, &scene->springs[k]);
    ac_json_close_array(json);
    if (scene->surface_count > 0) {
        ac_json_open_array(json, "surfaces");
        for (int k = 0; k < scene->surface_count; ++k) put_surface(json, &scene->surfaces[k]);
        ac_json_close_array(json);
    }
    ac_json_close_object(json);
}

ac_status ac_scene_text(ac_context *ctx, const ac_scene *scene, char **scene_text)
{
    ac_json *json;
    const char *text;
    *scene_text = NULL;
    AC_TRY(ac_json_new(ctx, &json));
    put_scene(json, scene);
    ac_status status = ac_json_finish(json, &text);
    if (status == AC_OK) {
        *scene_text = ac_copy_text(ctx, text);
        if (!*scene_text) status = ac_out_of_memory(ctx);
    }
    ac_json_free(json);
    return status;
}
