/* Solids: volume, centre and inertia against Gauss quadrature that is exact for these shapes. */
#include "base/vector.h"
#include "problem/shape/solids.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

/* A point of the solid for (u, v, w) in the unit cube, and the element of volume (area, length) there. */
static double map_point(const ac_solid *s, double u, double v, double w, double x[3])
{
    double R = s->radius, L = s->length, r, phi = 2 * PI * v, full = 2 * PI;
    switch (s->shape) {
    case AC_SHAPE_BOX:
        x[0] = (u - 0.5) * s->size[0], x[1] = (v - 0.5) * s->size[1], x[2] = (w - 0.5) * s->size[2];
        return s->size[0] * s->size[1] * s->size[2];
    case AC_SHAPE_SPHERE: {
        double c = 2 * w - 1, ring = R * u * sqrt(1 - c * c);
        x[0] = ring * cos(phi), x[1] = ring * sin(phi), x[2] = R * u * c;
        return R * R * u * u * R * full * 2;
    }
    case AC_SHAPE_CYLINDER:
        r = s->inner_radius + u * (R - s->inner_radius);
        x[0] = r * cos(phi), x[1] = r * sin(phi), x[2] = w * L;
        return r * (R - s->inner_radius) * full * L;
    case AC_SHAPE_CONE:
        r = u * R * (1 - w);
        x[0] = r * cos(phi), x[1] = r * sin(phi), x[2] = w * L;
        return r * R * (1 - w) * full * L;
    case AC_SHAPE_DOUBLE_CONE: { /* u < 0 stands for the lower half */
        double half = u < 0 ? -1 : 1;
        r = fabs(u) * R * (1 - w);
        x[0] = r * cos(phi), x[1] = r * sin(phi), x[2] = L + half * w * L;
        return r * R * (1 - w) * full * L;
    }
    case AC_SHAPE_PYRAMID:
        x[0] = (u - 0.5) * s->edge * (1 - w), x[1] = (v - 0.5) * s->edge * (1 - w), x[2] = w * L;
        return s->edge * s->edge * (1 - w) * (1 - w) * L;
    case AC_SHAPE_TETRAHEDRON: {
        double b[4] = {0, u, (1 - u) * v, (1 - u) * (1 - v) * w};
        b[0] = 1 - b[1] - b[2] - b[3];
        for (int i = 0; i < 3; ++i) {
            x[i] = 0;
            for (int k = 0; k < 4; ++k) x[i] += b[k] * s->corners[k][i];
        }
        return 6 * ac_solid_volume(s) * (1 - u) * (1 - u) * (1 - v);
    }
    case AC_SHAPE_ROD: x[0] = x[1] = 0, x[2] = w * L; return L;
    default: x[0] = u * R * cos(phi), x[1] = u * R * sin(phi), x[2] = 0; return u * R * R * full;
    }
}

static void add_sample(const ac_solid *s, double u, double v, double w, double weight, double moments[10])
{
    double x[3], dV = weight * map_point(s, u, v, w, x);
    moments[0] += dV;
    for (int i = 0; i < 3; ++i) moments[1 + i] += dV * x[i];
    moments[4] += dV * x[0] * x[0], moments[5] += dV * x[1] * x[1], moments[6] += dV * x[2] * x[2];
    moments[7] += dV * x[0] * x[1], moments[8] += dV * x[1] * x[2], moments[9] += dV * x[2] * x[0];
}

/* Five Gauss points in u and w; in v too, or twelve equal steps where v is an angle. */
static ac_mass_properties integrate(const ac_solid *s, double *volume)
{
    static const double node[5] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052842,
                                   0.953089922969332};
    static const double weight[5] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                     0.239314335249683, 0.118463442528095};
    bool angular = s->radius > 0;
    double m[10] = {0};
    int steps = angular ? 12 : 5, halves = s->shape == AC_SHAPE_DOUBLE_CONE ? 2 : 1;
    for (int half = 0; half < halves; ++half)
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < steps; ++j)
                for (int k = 0; k < 5; ++k)
                    add_sample(s, half ? -node[i] : node[i], angular ? (double)j / steps : node[j], node[k],
                               weight[i] * weight[k] * (angular ? 1.0 / steps : weight[j]), m);
    *volume = m[0];
    ac_mass_properties p = {.mass = s->mass};
    for (int i = 0; i < 10; ++i) m[i] *= s->mass / *volume;
    for (int i = 0; i < 3; ++i) p.centre[i] = m[1 + i] / s->mass;
    const double E[9] = {m[4], m[7], m[9], m[7], m[5], m[8], m[9], m[8], m[6]};
    double trace = 0, euler[9];
    for (int i = 0; i < 9; ++i) euler[i] = E[i] - s->mass * p.centre[i / 3] * p.centre[i % 3];
    trace = euler[0] + euler[4] + euler[8];
    for (int i = 0; i < 9; ++i) p.inertia[i] = (i % 4 == 0 ? trace : 0) - euler[i];
    return p;
}

static void check_solid(const ac_solid *s)
{
    double volume;
    ac_mass_properties exact = integrate(s, &volume), p = ac_solid_properties(s);
    if (s->shape != AC_SHAPE_ROD && s->shape != AC_SHAPE_DISC)
        CHECK_NEAR(ac_solid_volume(s), volume, 1e-12 * volume);
    CHECK(p.mass == s->mass);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(p.centre[i], exact.centre[i], 1e-12);
    for (int i = 0; i < 9; ++i) CHECK_NEAR(p.inertia[i], exact.inertia[i], 1e-12);
}

TEST(every_shape_agrees_with_quadrature)
{
    ac_solid s[] = {
        {.shape = AC_SHAPE_BOX, .size = {0.3, 0.5, 0.7}},
        {.shape = AC_SHAPE_SPHERE, .radius = 0.4},
        {.shape = AC_SHAPE_CYLINDER, .radius = 0.4, .length = 0.9},
        {.shape = AC_SHAPE_CYLINDER, .radius = 0.4, .length = 0.9, .inner_radius = 0.3},
        {.shape = AC_SHAPE_CONE, .radius = 0.4, .length = 0.9},
        {.shape = AC_SHAPE_DOUBLE_CONE, .radius = 0.4, .length = 0.9},
        {.shape = AC_SHAPE_PYRAMID, .edge = 0.4, .length = 0.9},
        {.shape = AC_SHAPE_TETRAHEDRON,
         .corners = {{0.1, 0, 0}, {1, 0.2, 0}, {0, 0.9, 0.1}, {0.2, 0.1, 0.8}}},
        {.shape = AC_SHAPE_ROD, .length = 0.9},
        {.shape = AC_SHAPE_DISC, .radius = 0.4},
    };
    for (size_t k = 0; k < sizeof s / sizeof *s; ++k) {
        s[k].mass = 1.7;
        s[k].pose = ac_pose_identity();
        check_solid(&s[k]);
    }
}

/* Two halves of a cylinder make the whole; a cone and its mirror image make a double cone. */
TEST(parts_make_the_whole)
{
    ac_solid half = {.shape = AC_SHAPE_CYLINDER, .radius = 0.2, .length = 0.5, .mass = 1};
    ac_solid whole = {.shape = AC_SHAPE_CYLINDER, .radius = 0.2, .length = 1, .mass = 2};
    ac_pose upper = ac_pose_identity(), lower = ac_pose_identity();
    upper.position[2] = 0.5;
    ac_mass_properties part = ac_solid_properties(&half), total = {0}, moved = ac_mass_moved(&part, &lower);
    ac_mass_add(&total, &moved);
    moved = ac_mass_moved(&part, &upper);
    ac_mass_add(&total, &moved);
    ac_mass_properties wanted = ac_solid_properties(&whole);
    CHECK_NEAR(total.mass, wanted.mass, 1e-15);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(total.centre[i], wanted.centre[i], 1e-15);
    for (int i = 0; i < 9; ++i) CHECK_NEAR(total.inertia[i], wanted.inertia[i], 1e-15);

    ac_solid cone = {.shape = AC_SHAPE_CONE, .radius = 0.2, .length = 0.5, .mass = 1};
    ac_solid both = {.shape = AC_SHAPE_DOUBLE_CONE, .radius = 0.2, .length = 0.5, .mass = 2};
    const double turn[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
    memcpy(lower.rotation, turn, sizeof turn);
    lower.position[2] = 0.5;
    total = (ac_mass_properties){0};
    part = ac_solid_properties(&cone);
    moved = ac_mass_moved(&part, &upper);
    ac_mass_add(&total, &moved);
    moved = ac_mass_moved(&part, &lower);
    ac_mass_add(&total, &moved);
    wanted = ac_solid_properties(&both);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(total.centre[i], wanted.centre[i], 1e-15);
    for (int i = 0; i < 9; ++i) CHECK_NEAR(total.inertia[i], wanted.inertia[i], 1e-15);
}

/* Tetrahedron of the six-body linkage: published principal moments. */
TEST(principal_axes_of_a_tetrahedron)
{
    const double l = 0.1, a = tan(0.16 * PI);
    ac_solid s = {.shape = AC_SHAPE_TETRAHEDRON,
                  .corners = {{0, 0, 0}, {a * l, 0, 0}, {0, l, 0}, {0, l, -a * l}}};
    s.mass = 1000 * ac_solid_volume(&s);
    CHECK_NEAR(s.mass, 0.0503716962679, 1e-13);
    ac_mass_properties p = ac_solid_properties(&s);
    double m[3], R[9], S[9], back[9], diagonal[9] = {0};
    ac_principal_axes(p.inertia, m, R);
    CHECK_NEAR(m[0], 3.3360343644e-5, 1e-14);
    CHECK_NEAR(m[1], 3.2797771489e-5, 1e-14);
    CHECK_NEAR(m[2], 7.0493511997e-6, 1e-14);
    for (int i = 0; i < 3; ++i) diagonal[4 * i] = m[i];
    multiply3(R, diagonal, S);
    multiply_transposed3(S, R, back);
    for (int i = 0; i < 9; ++i) CHECK_NEAR(back[i], p.inertia[i], 1e-19);
    const double x[3] = {R[0], R[3], R[6]}, y[3] = {R[1], R[4], R[7]}, z[3] = {R[2], R[5], R[8]};
    double normal[3];
    cross3(x, y, normal);
    for (int i = 0; i < 3; ++i) CHECK_NEAR(normal[i], z[i], 1e-15);
}

TEST(named_points)
{
    const char *name;
    double place[3];
    ac_solid cone = {.shape = AC_SHAPE_DOUBLE_CONE, .radius = 1, .length = 2};
    CHECK(ac_solid_point(&cone, 2, &name, place) && strcmp(name, "end") == 0 && place[2] == 4);
    CHECK(!ac_solid_point(&cone, 3, &name, place));
    ac_solid box = {.shape = AC_SHAPE_BOX, .size = {1, 2, 3}};
    CHECK(ac_solid_point(&box, 3, &name, place) && strcmp(name, "y-") == 0 && place[1] == -1);
    ac_solid disc = {.shape = AC_SHAPE_DISC, .radius = 1};
    CHECK(!ac_solid_point(&disc, 0, &name, place));
}

RUN_TESTS(CASE(every_shape_agrees_with_quadrature), CASE(parts_make_the_whole),
          CASE(principal_axes_of_a_tetrahedron), CASE(named_points))
