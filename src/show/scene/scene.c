/* The scene: what the viewer draws, as JSON.
 *
 * Everything of a node is given in its node frame: origin in the centre of mass, axes along the simulated
 * directors, so that a recorded configuration places it without further knowledge. */
#include "actio/json.h"
#include "base/base.h"
#include "base/vector.h"
#include "problem/build/beams.h"

static const char *const kind_names[] = {"body", "planar", "point", "ground"};

static void put_vector(ac_json *json, const char *key, const double *x, int count)
{
    ac_json_open_array(json, key);
    for (int k = 0; k < count; ++k) ac_json_number(json, NULL, x[k]);
    ac_json_close_array(json);
}

/* From the body frame to the node frame. */
static void to_node_frame(const ac_drawn_node *node, const double place[3], double out[3])
{
    double relative[3];
    sub3(place, node->centre, relative);
    ac_to_directors(node, relative, out);
}

static void put_place(ac_json *json, const char *key, const ac_drawn_node *node, const double place[3])
{
    double x[3];
    to_node_frame(node, place, x);
    put_vector(json, key, x, 3);
}

static void put_pose(ac_json *json, const char *key, const ac_drawn_node *node, const ac_pose *pose)
{
    double rotation[9];
    if (key) ac_json_open_object(json, key);
    put_place(json, "position", node, pose->position);
    transposed_multiply3(node->axes, pose->rotation, rotation);
    put_vector(json, "rotation", rotation, 9);
    if (key) ac_json_close_object(json);
}

static void put_solid(ac_json *json, const ac_drawn_node *node, const ac_solid *solid)
{
    ac_json_open_object(json, NULL);
    ac_json_text(json, "shape", ac_shape_names[solid->shape]);
    if (solid->name) ac_json_text(json, "name", solid->name);
    if (solid->shape == AC_SHAPE_BOX) put_vector(json, "size", solid->size, 3);
    if (solid->radius > 0) ac_json_number(json, "radius", solid->radius);
    if (solid->inner_radius > 0) ac_json_number(json, "inner_radius", solid->inner_radius);
    if (solid->length > 0) ac_json_number(json, "length", solid->length);
    if (solid->edge > 0) ac_json_number(json, "edge", solid->edge);
    if (solid->shape == AC_SHAPE_TETRAHEDRON) {
        ac_json_open_array(json, "corners");
        for (int k = 0; k < 4; ++k) put_vector(json, NULL, solid->corners[k], 3);
        ac_json_close_array(json);
    }
    put_pose(json, NULL, node, &solid->pose);
    ac_json_close_object(json);
}

static void put_points(ac_json *json, const ac_drawn_node *node)
{
    ac_json_open_object(json, "points");
    for (const ac_drawn_place *p = node->places; p; p = p->next) put_place(json, p->name, node, p->place);
    ac_json_close_object(json);
}

static void put_node(ac_json *json, const ac_drawn_node *node)
{
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", node->name);
    ac_json_text(json, "kind", kind_names[node->kind]);
    if (node->kind == AC_DRAWN_POINT) ac_json_integer(json, "dimension", node->dimension);
    ac_json_open_array(json, "solids");
    for (const ac_solid *s = node->solids; s; s = s->next) put_solid(json, node, s);
    ac_json_close_array(json);
    put_points(json, node);
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

static void put_joint(ac_json *json, const ac_builder *b, const ac_drawn_joint *joint)
{
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", joint->name);
    ac_json_text(json, "kind", ac_joint_type_names[joint->type]);
    put_motions(json, joint->type);
    ac_json_open_array(json, "nodes");
    ac_json_integer(json, NULL, ac_scene_node(b, joint->a));
    ac_json_integer(json, NULL, ac_scene_node(b, joint->b));
    ac_json_close_array(json);
    put_pose(json, "frame_a", ac_drawn(b, joint->a), &joint->frame_a);
    put_pose(json, "frame_b", ac_drawn(b, joint->b), &joint->frame_b);
    ac_json_close_object(json);
}

static void put_spring(ac_json *json, const ac_builder *b, const ac_drawn_spring *spring)
{
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", spring->name);
    ac_json_open_array(json, "nodes");
    ac_json_integer(json, NULL, ac_scene_node(b, spring->a.node));
    ac_json_integer(json, NULL, ac_scene_node(b, spring->b.node));
    ac_json_close_array(json);
    put_place(json, "a", ac_drawn(b, spring->a.node), spring->a.place);
    put_place(json, "b", ac_drawn(b, spring->b.node), spring->b.place);
    ac_json_close_object(json);
}

static void put_scene(ac_json *json, const ac_builder *b)
{
    ac_json_open_object(json, NULL);
    ac_json_text(json, "title", b->root.title.at ? b->root.title.text : "");
    put_vector(json, "gravity", b->gravity, 3);
    ac_json_open_object(json, "ground");
    put_points(json, &b->ground);
    ac_json_open_array(json, "solids");
    for (const ac_solid *solid = b->ground.solids; solid; solid = solid->next)
        put_solid(json, &b->ground, solid);
    ac_json_close_array(json);
    ac_json_close_object(json);
    ac_json_open_array(json, "nodes");
    for (int k = 0; k < b->node_count; ++k)
        if (!b->nodes[k].of_beam) put_node(json, &b->nodes[k]);
    ac_json_close_array(json);
    ac_beams_write(json, b);
    ac_json_open_array(json, "joints");
    for (int k = 0; k < b->joint_count; ++k) put_joint(json, b, &b->joints[k]);
    ac_json_close_array(json);
    ac_json_open_array(json, "springs");
    for (int k = 0; k < b->spring_count; ++k) put_spring(json, b, &b->springs[k]);
    ac_json_close_array(json);
    ac_json_close_object(json);
}

ac_status ac_scene_write(const ac_builder *b, char **scene)
{
    ac_json *json;
    const char *text;
    AC_TRY(ac_json_new(b->ctx, &json));
    put_scene(json, b);
    ac_status status = ac_json_finish(json, &text);
    if (status == AC_OK) {
        *scene = ac_copy_text(b->ctx, text);
        if (!*scene) status = ac_out_of_memory(b->ctx);
    }
    ac_json_free(json);
    return status;
}
