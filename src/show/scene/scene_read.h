/* The scene of a result, read back: what has which shape (src/show/scene/scene.c wrote it). */
#ifndef ACTIO_SHOW_SCENE_SCENE_READ_H
#define ACTIO_SHOW_SCENE_SCENE_READ_H

#include "actio/result.h"
#include "problem/text/arena.h"
#include "show/scene/sweep.h"

typedef struct ac_scene_node {
    const char *name;
    int number;       /* in the system; the nodes of beams are counted there, too, but not listed here */
    ac_solid *solids; /* poses in the node frame */
} ac_scene_node;

/* A straight connection of two places: a distance joint or a spring. */
typedef struct ac_scene_link {
    const char *name;
    int node[2]; /* numbers in the system; AC_GROUND for the ground */
    double place[2][3];
    bool spring;
} ac_scene_link;

/* A beam has the nodes first, first + 1, ..., as many as it has places. */
typedef struct ac_scene_beam {
    const char *name;
    int first, count;
    /* its sections at shares of the length, rising; round without radius where there is no shape */
    struct {
        double at;
        ac_outline outline;
    } * stations;
    int station_count; /* at least one */
} ac_scene_beam;

typedef struct ac_scene {
    ac_arena arena;
    double gravity[3];
    ac_scene_node ground; /* what stands on it */
    ac_scene_node *nodes;
    ac_scene_beam *beams;
    ac_scene_link *links;
    int node_count, beam_count, link_count;
} ac_scene;

/* An empty scene when the result holds none; AC_BAD_INPUT when it cannot be understood. */
ac_status ac_scene_read(ac_context *ctx, const ac_result *result, ac_scene *scene);
void ac_scene_end(ac_scene *scene);
/* The number of a node, -1 when there is none of that name. */
int ac_scene_find(const ac_scene *scene, const char *name);

#endif
