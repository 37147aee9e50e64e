/* Triangles with normals: the surfaces of solids, for other programs. */
#ifndef ACTIO_SHOW_SCENE_MESH_H
#define ACTIO_SHOW_SCENE_MESH_H

#include "problem/shape/solids.h"

typedef struct ac_mesh {
    ac_context *ctx;
    double *points, *normals; /* three each */
    int *corners;             /* three per triangle */
    int point_count, point_capacity, normal_capacity;
    int corner_count, corner_capacity;
} ac_mesh;

void ac_mesh_free(ac_mesh *mesh);

ac_status ac_mesh_add_point(ac_mesh *mesh, const double place[3], const double normal[3]);
ac_status ac_mesh_add_triangle(ac_mesh *mesh, int a, int b, int c);

/* Adds a solid at its pose; rods and discs get the thickness `thin`. */
ac_status ac_mesh_add_solid(ac_mesh *mesh, const ac_solid *solid, double thin);
/* A ball around the origin. */
ac_status ac_mesh_add_ball(ac_mesh *mesh, double radius);
/* A cylinder around z from 0 to `length`. */
ac_status ac_mesh_add_bar(ac_mesh *mesh, double radius, double length);

#endif
