/* The scene: what a picture of a system shows, as data. It is made once from a problem file and written twice: as
 * JSON for the viewer of the page, and as lists into a result, from which pages and exports take it back.
 *
 * Everything of a node is given in its node frame: origin in the centre of mass, axes along the simulated directors,
 * so that a recorded configuration places it without further knowledge. */
#ifndef ACTIO_PROBLEM_SCENE_SCENE_H
#define ACTIO_PROBLEM_SCENE_SCENE_H

#include "actio/beam.h"
#include "actio/json.h"
#include "actio/problem.h"
#include "actio/result.h"
#include "problem/build/build.h"
#include "problem/text/arena.h"

/* Items of all lists begin with their name, "" if they have none. Nodes are counted as in the recorded motion, where
 * those of beams have numbers, too; AC_GROUND is the ground. */

typedef struct ac_scene_node {
    const char *name;
    ac_built_kind kind;
    int dimension; /* of a mass point */
    int number;
} ac_scene_node;

typedef struct ac_scene_solid {
    const char *name;
    int node; /* place in the list of nodes, AC_GROUND for the ground; solids of a node follow each other */
    ac_solid solid; /* without name and successor */
} ac_scene_solid;

typedef struct ac_scene_point {
    const char *name;
    int node; /* as for solids */
    double place[3];
} ac_scene_point;

typedef struct ac_scene_joint {
    const char *name;
    ac_joint_type type;
    int node[2];
    ac_pose frame[2];
} ac_scene_joint;

typedef struct ac_scene_spring {
    const char *name;
    int node[2];
    double place[2][3];
} ac_scene_spring;

/* A beam has the nodes first, first + 1, ..., first + elements. */
typedef struct ac_scene_beam {
    const char *name;
    int first, elements;
    int first_station, station_count; /* at least one */
} ac_scene_beam;

/* Section and values of a beam at a share of its length, rising. */
typedef struct ac_scene_station {
    const char *name;
    double at;
    ac_beam_section section;
    ac_beam_values values;
} ac_scene_station;

/* What contacts strike; each surface once. */
typedef struct ac_scene_surface {
    const char *name;
    ac_surface kind;
    int node, inside;
    double place[3], normal[3], axes[3], radius;
} ac_scene_surface;

typedef struct ac_scene_world {
    const char *name; /* the title */
    double gravity[3];
} ac_scene_world;

typedef struct ac_scene {
    ac_arena arena;
    ac_scene_world *world; /* one; none in an empty scene */
    ac_scene_node *nodes;
    ac_scene_solid *solids;
    ac_scene_point *points;
    ac_scene_joint *joints;
    ac_scene_spring *springs;
    ac_scene_beam *beams;
    ac_scene_station *stations;
    ac_scene_surface *surfaces;
    int world_count, node_count, solid_count, point_count, joint_count, spring_count, beam_count,
        station_count, surface_count;
} ac_scene;

/* The scene of a problem that is being read. Released by ac_scene_free, also after a failure. */
ac_status ac_scene_make(const ac_builder *builder, ac_scene *scene);
void ac_scene_free(ac_scene *scene);
ac_status ac_scene_copy(ac_context *ctx, const ac_scene *scene, ac_scene *copy);
/* The scene of a problem. */
const ac_scene *ac_problem_scene_data(const ac_problem *problem);

/* Fails when memory was short for a name. */
ac_status ac_scene_names_kept(const ac_scene *scene);

/* As JSON; the caller releases the text. */
ac_status ac_scene_text(ac_context *ctx, const ac_scene *scene, char **text);

/* Into a result, and back: an empty scene when the result holds none, AC_BAD_INPUT when it cannot be understood. */
ac_status ac_scene_store(ac_context *ctx, ac_result_writer *writer, const ac_scene *scene);
ac_status ac_scene_load(ac_context *ctx, ac_result *result, ac_scene *scene);

/* The first solid of an entry of the list of nodes (AC_GROUND: the ground) and how many it has. */
const ac_scene_solid *ac_scene_solids(const ac_scene *scene, int node, int *count);

#endif
