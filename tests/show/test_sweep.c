/* Swept cross-sections: closed surfaces that look outwards. */
#include "show/scene/sweep.h"

#include <math.h>

#include "base/base.h"
#include "base/vector.h"
#include "test.h"

static const double pi = 3.14159265358979323846;
enum { RINGS = 5 };

/* The place of a point when the rings stand one behind another along z, `step` apart. */
static void place_of(const ac_swept_surface *s, int k, double step, double out[3])
{
    copy3(s->mesh.points + 3 * k, out);
    out[2] += step * s->ring[k];
}

/* The volume inside by the theorem of Gauss, and that no triangle looks inwards. */
static double volume_of(const ac_swept_surface *s, double step)
{
    double volume = 0.0;
    for (int t = 0; t < s->mesh.corner_count; t += 3) {
        double x[3][3], u[3], v[3], normal[3];
        for (int c = 0; c < 3; ++c) place_of(s, s->mesh.corners[t + c], step, x[c]);
        sub3(x[1], x[0], u);
        sub3(x[2], x[0], v);
        cross3(u, v, normal);
        volume += dot3(x[0], normal) / 6.0;
        for (int c = 0; c < 3; ++c) {
            const double *given = s->mesh.normals + 3 * s->mesh.corners[t + c];
            CHECK_NEAR(norm3(given), 1.0, 1e-12);
            CHECK(dot3(given, normal) > 0.0);
        }
    }
    return volume;
}

/* The vector area of a closed surface vanishes. */
static void check_closed(const ac_swept_surface *s, double step)
{
    double area[3] = {0, 0, 0};
    for (int t = 0; t < s->mesh.corner_count; t += 3) {
        double x[3][3], u[3], v[3], normal[3];
        for (int c = 0; c < 3; ++c) place_of(s, s->mesh.corners[t + c], step, x[c]);
        sub3(x[1], x[0], u);
        sub3(x[2], x[0], v);
        cross3(u, v, normal);
        add3(area, normal, area);
    }
    CHECK_NEAR(norm3(area), 0.0, 1e-12);
}

static void check_outline(const ac_outline *outline, double area)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_swept_surface s;
    double step = 0.3;
    ac_outline all[RINGS];
    for (int k = 0; k < RINGS; ++k) all[k] = *outline;
    CHECK(ac_swept_surface_make(ctx, all, RINGS, &s) == AC_OK);
    CHECK_NEAR(volume_of(&s, step), area * step * (RINGS - 1), 1e-12);
    check_closed(&s, step);
    for (int k = 0; k < s.mesh.point_count; ++k) CHECK(s.ring[k] >= 0 && s.ring[k] < RINGS);
    for (int t = 0; t < s.mesh.corner_count / 3; ++t) {
        CHECK(s.cell[t] >= 0 && s.cell[t] < RINGS - 1);
        for (int c = 0; c < 3; ++c) { /* the triangle is in its cell */
            int ring = s.ring[s.mesh.corners[3 * t + c]];
            CHECK(ring == s.cell[t] || ring == s.cell[t] + 1);
        }
    }
    ac_swept_surface_free(&s);
    ac_context_free(ctx);
}

TEST(rectangle)
{
    const ac_outline o = {.shape = AC_OUTLINE_RECTANGLE, .width = 0.2, .height = 0.5};
    check_outline(&o, 0.1);
}

TEST(i_section)
{
    const ac_outline o = {
        .shape = AC_OUTLINE_I_SECTION, .width = 0.4, .height = 0.5, .web = 0.1, .flange = 0.05};
    check_outline(&o, 2 * 0.4 * 0.05 + 0.1 * 0.4);
}

/* A polygon of 24 corners stands for the circle. */
static double polygon(double radius)
{
    return 12 * radius * radius * sin(2 * pi / 24);
}

TEST(circle)
{
    const ac_outline o = {.shape = AC_OUTLINE_ROUND, .radius = 0.3};
    check_outline(&o, polygon(0.3));
}

TEST(tube)
{
    const ac_outline o = {.shape = AC_OUTLINE_ROUND, .radius = 0.3, .inner_radius = 0.2};
    check_outline(&o, polygon(0.3) - polygon(0.2));
}

/* A frustum of a pyramid: the volume of h/3 (A + sqrt(A B) + B). */
TEST(tapered)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_outline all[RINGS];
    ac_swept_surface s;
    double step = 0.3, first = 0.4 * 0.2, last = 0.2 * 0.1;
    for (int k = 0; k < RINGS; ++k)
        all[k] = (ac_outline){.shape = AC_OUTLINE_RECTANGLE,
                              .width = 0.4 - 0.2 * k / (RINGS - 1),
                              .height = 0.2 - 0.1 * k / (RINGS - 1)};
    CHECK(ac_swept_surface_make(ctx, all, RINGS, &s) == AC_OK);
    CHECK_NEAR(volume_of(&s, step), step * (RINGS - 1) / 3 * (first + sqrt(first * last) + last), 1e-12);
    check_closed(&s, step);
    ac_swept_surface_free(&s);
    /* other shapes than the first cannot be joined to it */
    all[2].shape = AC_OUTLINE_ROUND;
    all[2].radius = 0.1;
    CHECK(ac_swept_surface_make(ctx, all, RINGS, &s) == AC_OK);
    CHECK_NEAR(volume_of(&s, step), step * (RINGS - 1) * first, 1e-12);
    ac_swept_surface_free(&s);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(tapered), CASE(rectangle), CASE(i_section), CASE(circle), CASE(tube))
