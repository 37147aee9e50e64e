/* Making the scene from what a problem file describes. */
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "model/system.h"
#include "problem/build/beams.h"
#include "problem/scene/scene.h"

/* From the body frame to the node frame. */
static void place_in_node(const ac_built_node *node, const double place[3], double out[3])
{
    double relative[3];
    sub3(place, node->centre, relative);
    ac_to_directors(node, relative, out);
}

static ac_pose pose_in_node(const ac_built_node *node, const ac_pose *pose)
{
    ac_pose out;
    place_in_node(node, pose->position, out.position);
    transposed_multiply3(node->axes, pose->rotation, out.rotation);
    return out;
}

static const char *keep_name(ac_scene *scene, const char *name)
{
    return name ? ac_arena_text(&scene->arena, name, strlen(name)) : "";
}

/* ---- sizes ---- */

static void count_of_node(ac_scene *scene, const ac_built_node *node)
{
    for (const ac_solid *s = node->solids; s; s = s->next) ++scene->solid_count;
    for (const ac_built_place *p = node->places; p; p = p->next) ++scene->point_count;
}

static bool same3(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Whether contact c is the first that strikes its surface. */
static bool strikes_first(const ac_system *system, int c)
{
    const ac_contact *own = &system->contacts[c];
    if (own->surface == AC_SURFACE_LIMIT) return false;
    for (int k = 0; k < c; ++k) {
        const ac_contact *other = &system->contacts[k];
        if (other->surface == own->surface && other->other.node == own->other.node &&
            same3(other->other.place, own->other.place) && same3(other->normal, own->normal) &&
            same3(other->axes, own->axes) && other->other_radius == own->other_radius &&
            other->inside == own->inside)
            return false;
    }
    return true;
}

static void count_all(const ac_builder *b, ac_scene *scene)
{
    for (int c = 0; c < b->system->contact_count; ++c) scene->surface_count += strikes_first(b->system, c);
    scene->world_count = 1;
    scene->joint_count = b->joint_count;
    scene->spring_count = b->spring_count;
    scene->beam_count = b->beam_count;
    for (int k = 0; k < b->beam_count; ++k) scene->station_count += ac_profile_stations(b->beams[k].profile);
    count_of_node(scene, &b->ground);
    for (int k = 0; k < b->node_count; ++k) {
        if (b->nodes[k].of_beam) continue;
        ++scene->node_count;
        count_of_node(scene, &b->nodes[k]);
    }
}

static void *take(ac_scene *scene, int count, size_t size)
{
    return ac_arena_take(&scene->arena, (size_t)count, size);
}

static ac_status take_all(ac_scene *scene)
{
    scene->world = take(scene, scene->world_count, sizeof *scene->world);
    scene->nodes = take(scene, scene->node_count, sizeof *scene->nodes);
    scene->solids = take(scene, scene->solid_count, sizeof *scene->solids);
    scene->points = take(scene, scene->point_count, sizeof *scene->points);
    scene->joints = take(scene, scene->joint_count, sizeof *scene->joints);
    scene->springs = take(scene, scene->spring_count, sizeof *scene->springs);
    scene->beams = take(scene, scene->beam_count, sizeof *scene->beams);
    scene->stations = take(scene, scene->station_count, sizeof *scene->stations);
    scene->surfaces = take(scene, scene->surface_count, sizeof *scene->surfaces);
    bool done = scene->world && scene->surfaces && scene->nodes && scene->solids && scene->points &&
                scene->joints && scene->springs && scene->beams && scene->stations;
    return done ? AC_OK : AC_NO_MEMORY;
}

/* ---- contents ---- */

typedef struct scene_ends { /* of the lists that are filled node by node */
    ac_scene_solid *solid;
    ac_scene_point *point;
} scene_ends;

static void fill_of_node(ac_scene *scene, scene_ends *ends, const ac_built_node *node, int number)
{
    for (const ac_solid *s = node->solids; s; s = s->next) {
        ac_scene_solid *solid = ends->solid++;
        *solid = (ac_scene_solid){.name = keep_name(scene, s->name), .node = number, .solid = *s};
        solid->solid.name = NULL;
        solid->solid.pose = pose_in_node(node, &s->pose);
        solid->solid.next = NULL;
        solid->solid.sizes = NULL;
    }
    for (const ac_built_place *p = node->places; p; p = p->next) {
        ac_scene_point *point = ends->point++;
        point->name = keep_name(scene, p->name);
        point->node = number;
        place_in_node(node, p->place, point->place);
    }
}

static void fill_nodes(const ac_builder *b, ac_scene *scene)
{
    scene_ends ends = {scene->solids, scene->points};
    int number = 0;
    fill_of_node(scene, &ends, &b->ground, AC_GROUND);
    for (int k = 0; k < b->node_count; ++k) {
        const ac_built_node *node = &b->nodes[k];
        if (node->of_beam) continue;
        scene->nodes[number] = (ac_scene_node){.name = keep_name(scene, node->name),
                                               .kind = node->kind,
                                               .dimension = node->dimension,
                                               .number = ac_recorded_node(b, k)};
        fill_of_node(scene, &ends, node, number++);
    }
}

static void fill_links(const ac_builder *b, ac_scene *scene)
{
    for (int k = 0; k < b->joint_count; ++k) {
        const ac_built_joint *joint = &b->joints[k];
        scene->joints[k] = (ac_scene_joint){
            .name = keep_name(scene, joint->name),
            .type = joint->type,
            .node = {ac_recorded_node(b, joint->a), ac_recorded_node(b, joint->b)},
            .frame = {pose_in_node(ac_built(b, joint->a), &joint->frame_a),
                      pose_in_node(ac_built(b, joint->b), &joint->frame_b)}};
    }
    for (int k = 0; k < b->spring_count; ++k) {
        const ac_built_spring *from = &b->springs[k];
        ac_scene_spring *spring = &scene->springs[k];
        const ac_point *ends[2] = {&from->a, &from->b};
        spring->name = keep_name(scene, from->name);
        for (int e = 0; e < 2; ++e) {
            spring->node[e] = ac_recorded_node(b, ends[e]->node);
            place_in_node(ac_built(b, ends[e]->node), ends[e]->place, spring->place[e]);
        }
    }
}

static void fill_beams(const ac_builder *b, ac_scene *scene)
{
    int first = 0;
    for (int k = 0; k < b->beam_count; ++k) {
        const ac_built_beam *from = &b->beams[k];
        ac_scene_beam *beam = &scene->beams[k];
        *beam = (ac_scene_beam){.name = keep_name(scene, from->name),
                                .first = ac_recorded_node(b, from->first_node),
                                .elements = ac_beam_pieces(from),
                                .first_station = first,
                                .station_count = ac_profile_stations(from->profile)};
        for (int s = 0; s < beam->station_count; ++s) {
            ac_scene_station *station = &scene->stations[first++];
            station->name = beam->name;
            ac_profile_station(from->profile, s, &station->at, &station->section, &station->values);
        }
    }
}

static void fill_surfaces(const ac_builder *b, ac_scene *scene)
{
    ac_scene_surface *surface = scene->surfaces;
    for (int c = 0; c < b->system->contact_count; ++c) {
        const ac_contact *contact = &b->system->contacts[c];
        if (!strikes_first(b->system, c)) continue;
        *surface = (ac_scene_surface){.name = keep_name(scene, contact->name),
                                      .kind = contact->surface,
                                      .node = ac_recorded_node(b, contact->other.node),
                                      .inside = contact->inside,
                                      .radius = contact->other_radius};
        copy3(contact->other.place, surface->place);
        copy3(contact->normal, surface->normal);
        copy3(contact->axes, surface->axes);
        ++surface;
    }
}

ac_status ac_scene_make(const ac_builder *b, ac_scene *scene)
{
    *scene = (ac_scene){.node_count = 0};
    ac_arena_begin(&scene->arena, b->ctx);
    count_all(b, scene);
    AC_TRY(take_all(scene));
    scene->world->name = keep_name(scene, b->root.title.at ? b->root.title.text : "");
    copy3(b->gravity, scene->world->gravity);
    fill_nodes(b, scene);
    fill_links(b, scene);
    fill_beams(b, scene);
    fill_surfaces(b, scene);
    return ac_scene_names_kept(scene);
}

void ac_scene_free(ac_scene *scene)
{
    if (scene->arena.ctx) ac_arena_end(&scene->arena);
    *scene = (ac_scene){.node_count = 0};
}

const ac_scene_solid *ac_scene_solids(const ac_scene *scene, int node, int *count)
{
    int first = 0;
    while (first < scene->solid_count && scene->solids[first].node != node) ++first;
    *count = 0;
    while (first + *count < scene->solid_count && scene->solids[first + *count].node == node) ++*count;
    return scene->solids + first;
}
