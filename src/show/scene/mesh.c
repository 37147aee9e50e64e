/* The surfaces of solids as triangles, each in its own frame (problem/shape/solids.h) and then moved to its pose. */
#include "show/scene/mesh.h"

#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"

enum { ROUND = 32, PROFILE_MAX = 40 };

static const double pi = 3.14159265358979323846;

void ac_mesh_free(ac_mesh *mesh)
{
    ac_release(mesh->ctx, mesh->points);
    ac_release(mesh->ctx, mesh->normals);
    ac_release(mesh->ctx, mesh->corners);
    *mesh = (ac_mesh){.ctx = mesh->ctx};
}

/* ---- pieces ---- */

ac_status ac_mesh_add_point(ac_mesh *m, const double place[3], const double normal[3])
{
    int count = 3 * (m->point_count + 1);
    AC_TRY(ac_grow(m->ctx, (void **)&m->points, &m->point_capacity, count, sizeof *m->points));
    AC_TRY(ac_grow(m->ctx, (void **)&m->normals, &m->normal_capacity, count, sizeof *m->normals));
    copy3(place, m->points + 3 * m->point_count);
    copy3(normal, m->normals + 3 * m->point_count);
    ++m->point_count;
    return AC_OK;
}

ac_status ac_mesh_add_triangle(ac_mesh *m, int a, int b, int c)
{
    AC_TRY(
        ac_grow(m->ctx, (void **)&m->corners, &m->corner_capacity, m->corner_count + 3, sizeof *m->corners));
    m->corners[m->corner_count++] = a;
    m->corners[m->corner_count++] = b;
    m->corners[m->corner_count++] = c;
    return AC_OK;
}

/* A flat polygon, its corners in order around the normal; a triangle fan. */
static ac_status add_polygon(ac_mesh *m, const double (*places)[3], const int *order, int count)
{
    double u[3], v[3], normal[3];
    sub3(places[order[1]], places[order[0]], u);
    sub3(places[order[2]], places[order[0]], v);
    cross3(u, v, normal);
    double size = norm3(normal);
    for (int k = 0; k < 3; ++k) normal[k] = size > 0 ? normal[k] / size : 0;
    int first = m->point_count;
    for (int i = 0; i < count; ++i) AC_TRY(ac_mesh_add_point(m, places[order[i]], normal));
    for (int i = 1; i + 1 < count; ++i) AC_TRY(ac_mesh_add_triangle(m, first, first + i, first + i + 1));
    return AC_OK;
}

/* A profile (r, z) turned around z, the outside on its right. `smooth`: normals are those of a ball. */
static ac_status add_turned(ac_mesh *m, const double (*profile)[2], int count, bool smooth)
{
    for (int i = 0; i + 1 < count; ++i) {
        double dr = profile[i + 1][0] - profile[i][0], dz = profile[i + 1][1] - profile[i][1],
               size = ac_hypot(dr, dz);
        if (!(size > 0)) continue;
        int first = m->point_count;
        for (int k = 0; k <= ROUND; ++k) {
            double c = ac_cos(2 * pi * k / ROUND), s = ac_sin(2 * pi * k / ROUND);
            for (int end = 0; end < 2; ++end) {
                double r = profile[i + end][0], z = profile[i + end][1], ball = ac_hypot(r, z);
                double out = smooth ? r / ball : dz / size, up = smooth ? z / ball : -dr / size;
                const double place[3] = {r * c, r * s, z}, normal[3] = {out * c, out * s, up};
                AC_TRY(ac_mesh_add_point(m, place, normal));
            }
        }
        for (int k = 0; k < ROUND; ++k) {
            int a = first + 2 * k;
            if (profile[i][0] > 0) AC_TRY(ac_mesh_add_triangle(m, a, a + 2, a + 1));
            if (profile[i + 1][0] > 0) AC_TRY(ac_mesh_add_triangle(m, a + 1, a + 2, a + 3));
        }
    }
    return AC_OK;
}

/* ---- shapes ---- */

static ac_status add_box(ac_mesh *m, const double size[3])
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    double corners[8][3];
    for (int i = 0; i < 8; ++i) {
        for (int k = 0; k < 3; ++k) corners[i][k] = (i >> k & 1 ? 0.5 : -0.5) * size[k];
    }
    for (int f = 0; f < 6; ++f) AC_TRY(add_polygon(m, (const double(*)[3])corners, faces[f], 4));
    return AC_OK;
}

static ac_status add_tetrahedron(ac_mesh *m, const double corners[4][3])
{
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    double u[3], v[3], w[3], normal[3];
    sub3(corners[1], corners[0], u);
    sub3(corners[2], corners[0], v);
    sub3(corners[3], corners[0], w);
    cross3(u, v, normal);
    bool right = dot3(normal, w) > 0;
    for (int f = 0; f < 4; ++f) {
        const int order[3] = {faces[f][0], faces[f][right ? 1 : 2], faces[f][right ? 2 : 1]};
        AC_TRY(add_polygon(m, corners, order, 3));
    }
    return AC_OK;
}

static ac_status add_pyramid(ac_mesh *m, double edge, double height)
{
    static const int sides[4][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}, base[4] = {0, 3, 2, 1};
    double h = 0.5 * edge;
    const double corners[5][3] = {{-h, -h, 0}, {h, -h, 0}, {h, h, 0}, {-h, h, 0}, {0, 0, height}};
    AC_TRY(add_polygon(m, corners, base, 4));
    for (int f = 0; f < 4; ++f) AC_TRY(add_polygon(m, corners, sides[f], 3));
    return AC_OK;
}

static ac_status add_tube(ac_mesh *m, double radius, double inner, double from, double to)
{
    const double profile[5][2] = {{inner, from}, {radius, from}, {radius, to}, {inner, to}, {inner, from}};
    return add_turned(m, profile, inner > 0 ? 5 : 4, false);
}

ac_status ac_mesh_add_ball(ac_mesh *mesh, double radius)
{
    double profile[ROUND / 2 + 1][2];
    for (int k = 0; k <= ROUND / 2; ++k) {
        double angle = pi * (k / (ROUND / 2.0) - 0.5);
        bool pole = k == 0 || k == ROUND / 2;
        profile[k][0] = pole ? 0 : radius * ac_cos(angle);
        profile[k][1] = radius * ac_sin(angle);
    }
    return add_turned(mesh, (const double(*)[2])profile, ROUND / 2 + 1, true);
}

ac_status ac_mesh_add_bar(ac_mesh *mesh, double radius, double length)
{
    return add_tube(mesh, radius, 0, 0, length);
}

static ac_status add_shape(ac_mesh *m, const ac_solid *s, double thin)
{
    const double cone[3][2] = {{0, 0}, {s->radius, 0}, {0, s->length}};
    const double twice[3][2] = {{0, 0}, {s->radius, s->length}, {0, 2 * s->length}};
    switch (s->shape) {
    case AC_SHAPE_BOX: return add_box(m, s->size);
    case AC_SHAPE_SPHERE: return ac_mesh_add_ball(m, s->radius);
    case AC_SHAPE_CYLINDER: return add_tube(m, s->radius, s->inner_radius, 0, s->length);
    case AC_SHAPE_CONE: return add_turned(m, cone, 3, false);
    case AC_SHAPE_DOUBLE_CONE: return add_turned(m, twice, 3, false);
    case AC_SHAPE_PYRAMID: return add_pyramid(m, s->edge, s->length);
    case AC_SHAPE_TETRAHEDRON: return add_tetrahedron(m, s->corners);
    case AC_SHAPE_ROD: return add_tube(m, thin, 0, 0, s->length);
    case AC_SHAPE_DISC: return add_tube(m, s->radius, 0, -0.5 * thin, 0.5 * thin);
    }
    return AC_OK;
}

ac_status ac_mesh_add_solid(ac_mesh *mesh, const ac_solid *solid, double thin)
{
    int first = mesh->point_count;
    AC_TRY(add_shape(mesh, solid, thin));
    for (int i = first; i < mesh->point_count; ++i) {
        double *point = mesh->points + 3 * i, *normal = mesh->normals + 3 * i, turned[3];
        apply3(solid->pose.rotation, point, turned);
        add3(turned, solid->pose.position, point);
        apply3(solid->pose.rotation, normal, turned);
        copy3(turned, normal);
    }
    return AC_OK;
}
