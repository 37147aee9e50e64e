/* Sweeping a cross-section along the places of a beam. */
#include "show/scene/sweep.h"

#include "base/base.h"
#include "math/math.h"

enum { ROUND = 24, CORNERS_MAX = 24 };

static const double pi = 3.14159265358979323846;

typedef struct profile { /* corners against the clock */
    int count;
    bool smooth;
    double place[CORNERS_MAX][2];
} profile;

void ac_swept_surface_free(ac_swept_surface *sweep)
{
    if (!sweep->mesh.ctx) return;
    ac_release(sweep->mesh.ctx, sweep->ring);
    ac_release(sweep->mesh.ctx, sweep->cell);
    ac_mesh_free(&sweep->mesh);
    *sweep = (ac_swept_surface){.mesh = sweep->mesh};
}

/* ---- profiles ---- */

static profile circle(double radius)
{
    profile p = {.count = ROUND, .smooth = true};
    for (int k = 0; k < ROUND; ++k) {
        p.place[k][0] = radius * ac_cos(2 * pi * k / ROUND);
        p.place[k][1] = radius * ac_sin(2 * pi * k / ROUND);
    }
    return p;
}

static profile corners_of(const ac_outline *o)
{
    double a = 0.5 * o->width, b = 0.5 * o->height, w = 0.5 * o->web, f = b - o->flange;
    if (o->shape == AC_OUTLINE_RECTANGLE)
        return (profile){.count = 4, .place = {{a, b}, {-a, b}, {-a, -b}, {a, -b}}};
    if (o->shape == AC_OUTLINE_I_SECTION)
        return (profile){.count = 12,
                         .place = {{a, b},
                                   {-a, b},
                                   {-a, f},
                                   {-w, f},
                                   {-w, -f},
                                   {-a, -f},
                                   {-a, -b},
                                   {a, -b},
                                   {a, -f},
                                   {w, -f},
                                   {w, f},
                                   {a, f}}};
    return circle(o->radius);
}

/* ---- pieces ---- */

static ac_status add_point(ac_swept_surface *s, int ring, const double place[2], const double normal[3],
                           int *number)
{
    const double x[3] = {place[0], place[1], 0};
    AC_TRY(
        ac_grow(s->mesh.ctx, (void **)&s->ring, &s->ring_capacity, s->mesh.point_count + 1, sizeof *s->ring));
    s->ring[s->mesh.point_count] = ring;
    *number = s->mesh.point_count;
    return ac_mesh_add_point(&s->mesh, x, normal);
}

static ac_status add_triangle(ac_swept_surface *s, int cell, int a, int b, int c)
{
    int count = s->mesh.corner_count / 3;
    AC_TRY(ac_grow(s->mesh.ctx, (void **)&s->cell, &s->cell_capacity, count + 1, sizeof *s->cell));
    s->cell[count] = cell;
    return ac_mesh_add_triangle(&s->mesh, a, b, c);
}

/* The outward normal of the side from corner k, or of a round section at the corner `at` itself. */
static void normal_of(const profile *p, int k, int at, double sign, double normal[3])
{
    const double *a = p->place[k], *b = p->place[(k + 1) % p->count], *x = p->place[at];
    double n[2] = {b[1] - a[1], a[0] - b[0]};
    if (p->smooth) {
        n[0] = x[0];
        n[1] = x[1];
    }
    double size = ac_hypot(n[0], n[1]);
    normal[0] = sign * n[0] / size;
    normal[1] = sign * n[1] / size;
    normal[2] = 0;
}

/* One strip along the beam for every side; p: profiles of the rings; `sign` -1: seen from inside. */
static ac_status add_sides(ac_swept_surface *s, const profile *profiles, int rings, double sign)
{
    for (int k = 0; k < profiles->count; ++k) {
        const int ends[2] = {k, (k + 1) % profiles->count};
        int before[2] = {0, 0};
        for (int i = 0; i < rings; ++i) {
            const profile *p = &profiles[i];
            int now[2];
            for (int e = 0; e < 2; ++e) {
                double normal[3];
                normal_of(p, k, ends[e], sign, normal);
                AC_TRY(add_point(s, i, p->place[ends[e]], normal, &now[e]));
            }
            int a = sign > 0 ? 0 : 1, b = 1 - a;
            if (i > 0) AC_TRY(add_triangle(s, i - 1, before[a], before[b], now[a]));
            if (i > 0) AC_TRY(add_triangle(s, i - 1, before[b], now[b], now[a]));
            before[0] = now[0];
            before[1] = now[1];
        }
    }
    return AC_OK;
}

/* The closed end: `last` with its normal along d3, the first one against it. `inner`: a hole, or NULL. */
static ac_status add_end(ac_swept_surface *s, const profile *p, const profile *inner, int ring, int cell,
                         bool last)
{
    static const int i_section[6][3] = {{0, 1, 2}, {0, 2, 11}, {10, 3, 4}, {10, 4, 9}, {8, 5, 6}, {8, 6, 7}};
    const double normal[3] = {0, 0, last ? 1 : -1};
    int first = s->mesh.point_count, number;
    for (int k = 0; k < p->count; ++k) AC_TRY(add_point(s, ring, p->place[k], normal, &number));
    for (int k = 0; inner && k < p->count; ++k) AC_TRY(add_point(s, ring, inner->place[k], normal, &number));
    int triangles = inner ? 2 * p->count : p->count == 12 ? 6 : p->count - 2;
    for (int t = 0; t < triangles; ++t) {
        int k = t / 2, next = (k + 1) % p->count, in = p->count, corner[3] = {0, t + 1, t + 2};
        if (inner) { /* outer k, outer next, inner k; outer next, inner next, inner k */
            corner[0] = t % 2 ? next : k;
            corner[1] = t % 2 ? in + next : next;
            corner[2] = in + k;
        } else if (p->count == 12) {
            for (int c = 0; c < 3; ++c) corner[c] = i_section[t][c];
        }
        AC_TRY(add_triangle(s, cell, first + corner[0], first + corner[last ? 1 : 2],
                            first + corner[last ? 2 : 1]));
    }
    return AC_OK;
}

static ac_status sweep_profiles(ac_swept_surface *s, const profile *outer, const profile *inner, int rings)
{
    int last = rings - 1;
    AC_TRY(add_sides(s, outer, rings, 1));
    if (inner) AC_TRY(add_sides(s, inner, rings, -1));
    AC_TRY(add_end(s, outer, inner, 0, 0, false));
    return add_end(s, outer + last, inner ? inner + last : NULL, last, last - 1, true);
}

static bool is_hollow(const ac_outline *o)
{
    return o->shape == AC_OUTLINE_ROUND && o->inner_radius > 0;
}

ac_status ac_swept_surface_make(ac_context *ctx, const ac_outline *outlines, int rings,
                                ac_swept_surface *sweep)
{
    *sweep = (ac_swept_surface){.mesh = {.ctx = ctx}};
    profile *outer;
    AC_NEW(ctx, outer, 2 * rings);
    bool alike = true;
    for (int k = 1; k < rings; ++k)
        alike &= outlines[k].shape == outlines->shape && is_hollow(&outlines[k]) == is_hollow(outlines);
    for (int k = 0; k < rings; ++k) {
        outer[k] = corners_of(&outlines[alike ? k : 0]);
        outer[rings + k] = circle(outlines[alike ? k : 0].inner_radius);
    }
    ac_status status = sweep_profiles(sweep, outer, is_hollow(outlines) ? outer + rings : NULL, rings);
    ac_release(ctx, outer);
    if (status != AC_OK) ac_swept_surface_free(sweep);
    return status;
}
