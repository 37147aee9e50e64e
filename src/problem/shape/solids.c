/* Mass properties of the solids; every formula is tested against quadrature. */
#include "problem/shape/solids.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

static const double PI = 3.14159265358979323846;

/* ---- volumes ---- */

static double tetrahedron_volume(const ac_solid *s)
{
    double a[3], b[3], c[3], normal[3];
    sub3(s->corners[1], s->corners[0], a);
    sub3(s->corners[2], s->corners[0], b);
    sub3(s->corners[3], s->corners[0], c);
    cross3(a, b, normal);
    return fabs(dot3(normal, c)) / 6;
}

double ac_solid_volume(const ac_solid *s)
{
    double r2 = s->radius * s->radius;
    switch (s->shape) {
    case AC_SHAPE_BOX: return s->size[0] * s->size[1] * s->size[2];
    case AC_SHAPE_SPHERE: return 4.0 / 3.0 * PI * r2 * s->radius;
    case AC_SHAPE_CYLINDER: return PI * (r2 - s->inner_radius * s->inner_radius) * s->length;
    case AC_SHAPE_CONE: return PI * r2 * s->length / 3;
    case AC_SHAPE_DOUBLE_CONE: return 2 * PI * r2 * s->length / 3;
    case AC_SHAPE_PYRAMID: return s->edge * s->edge * s->length / 3;
    case AC_SHAPE_TETRAHEDRON: return tetrahedron_volume(s);
    default: return 0;
    }
}

/* ---- mass, centre, inertia ---- */

/* centre on the axis at height z, principal moments across (twice) and along the axis */
static ac_mass_properties axial(double mass, double z, double across, double along)
{
    return (ac_mass_properties){mass, {0, 0, z}, {across, 0, 0, 0, across, 0, 0, 0, along}};
}

static ac_mass_properties box_properties(const ac_solid *s)
{
    double x2 = s->size[0] * s->size[0], y2 = s->size[1] * s->size[1], z2 = s->size[2] * s->size[2],
           m = s->mass / 12;
    return (ac_mass_properties){
        s->mass, {0, 0, 0}, {m * (y2 + z2), 0, 0, 0, m * (z2 + x2), 0, 0, 0, m * (x2 + y2)}};
}

/* E = m/20 sum c c^T over the corners relative to the centroid, J = tr(E) I - E */
static ac_mass_properties tetrahedron_properties(const ac_solid *s)
{
    ac_mass_properties p = {.mass = s->mass};
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i) p.centre[i] += s->corners[k][i] / 4;
    double euler[9] = {0};
    for (int k = 0; k < 4; ++k) {
        double c[3];
        sub3(s->corners[k], p.centre, c);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) euler[3 * i + j] += s->mass / 20 * c[i] * c[j];
    }
    double trace = euler[0] + euler[4] + euler[8];
    for (int i = 0; i < 9; ++i) p.inertia[i] = (i % 4 == 0 ? trace : 0) - euler[i];
    return p;
}

ac_mass_properties ac_solid_properties(const ac_solid *s)
{
    double m = s->mass, r2 = s->radius * s->radius, l = s->length, l2 = l * l, a2 = s->edge * s->edge;
    double ring = r2 + s->inner_radius * s->inner_radius;
    switch (s->shape) {
    case AC_SHAPE_BOX: return box_properties(s);
    case AC_SHAPE_SPHERE: return axial(m, 0, 0.4 * m * r2, 0.4 * m * r2);
    case AC_SHAPE_CYLINDER: return axial(m, l / 2, m * (3 * ring + l2) / 12, m * ring / 2);
    case AC_SHAPE_CONE: return axial(m, l / 4, 3.0 / 80.0 * m * (4 * r2 + l2), 0.3 * m * r2);
    case AC_SHAPE_DOUBLE_CONE: return axial(m, l, m * (3 * r2 / 20 + l2 / 10), 0.3 * m * r2);
    case AC_SHAPE_PYRAMID: return axial(m, l / 4, m * (a2 / 20 + 3 * l2 / 80), m * a2 / 10);
    case AC_SHAPE_TETRAHEDRON: return tetrahedron_properties(s);
    case AC_SHAPE_ROD: return axial(m, l / 2, m * l2 / 12, 0);
    default: return axial(m, 0, m * r2 / 4, m * r2 / 2);
    }
}

/* ---- named points ---- */

typedef struct axis_point {
    const char *name;
    double share; /* of the length, along the axis */
} axis_point;

static bool axis_points(const axis_point *points, int count, int k, double length, const char **name,
                        double place[3])
{
    if (k >= count) return false;
    *name = points[k].name;
    place[2] = points[k].share * length;
    return true;
}

bool ac_solid_point(const ac_solid *s, int k, const char **name, double place[3])
{
    static const axis_point ends[] = {{"start", 0}, {"middle", 0.5}, {"end", 1}};
    static const axis_point cone_points[] = {{"base", 0}, {"apex", 1}};
    static const char *const faces[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
    static const char *const corners[] = {"corner1", "corner2", "corner3", "corner4"};
    memset(place, 0, 3 * sizeof *place);
    switch (s->shape) {
    case AC_SHAPE_ROD:
    case AC_SHAPE_CYLINDER: return axis_points(ends, 3, k, s->length, name, place);
    case AC_SHAPE_DOUBLE_CONE: return axis_points(ends, 3, k, 2 * s->length, name, place);
    case AC_SHAPE_CONE:
    case AC_SHAPE_PYRAMID: return axis_points(cone_points, 2, k, s->length, name, place);
    case AC_SHAPE_BOX:
        if (k >= 6) return false;
        *name = faces[k];
        place[k / 2] = (k % 2 == 0 ? 0.5 : -0.5) * s->size[k / 2];
        return true;
    case AC_SHAPE_TETRAHEDRON:
        if (k >= 4) return false;
        *name = corners[k];
        copy3(s->corners[k], place);
        return true;
    default: return false;
    }
}

/* ---- composition ---- */

ac_mass_properties ac_mass_moved(const ac_mass_properties *part, const ac_pose *pose)
{
    ac_mass_properties moved = {.mass = part->mass};
    double turned[9];
    apply3(pose->rotation, part->centre, moved.centre);
    add3(moved.centre, pose->position, moved.centre);
    multiply3(pose->rotation, part->inertia, turned);
    multiply_transposed3(turned, pose->rotation, moved.inertia);
    return moved;
}

/* J += m (|d|^2 I - d d^T) */
static void shift_inertia(double inertia[9], double mass, const double d[3])
{
    double d2 = dot3(d, d);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) inertia[3 * i + j] += mass * ((i == j ? d2 : 0) - d[i] * d[j]);
}

void ac_mass_add(ac_mass_properties *total, const ac_mass_properties *part)
{
    double mass = total->mass + part->mass, centre[3], d[3];
    for (int i = 0; i < 3; ++i)
        centre[i] = (total->mass * total->centre[i] + part->mass * part->centre[i]) / mass;
    sub3(total->centre, centre, d);
    shift_inertia(total->inertia, total->mass, d);
    sub3(part->centre, centre, d);
    shift_inertia(total->inertia, part->mass, d);
    for (int i = 0; i < 9; ++i) total->inertia[i] += part->inertia[i];
    total->mass = mass;
    copy3(centre, total->centre);
}

/* ---- principal axes ---- */

/* One Jacobi rotation that makes A[p][q] zero; V collects the rotations. */
static void jacobi_rotation(double A[9], double V[9], int p, int q)
{
    double apq = A[3 * p + q];
    if (apq == 0) return;
    double theta = (A[3 * q + q] - A[3 * p + p]) / (2 * apq);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        double akp = A[3 * k + p], akq = A[3 * k + q];
        A[3 * k + p] = c * akp - s * akq;
        A[3 * k + q] = s * akp + c * akq;
    }
    for (int k = 0; k < 3; ++k) {
        double apk = A[3 * p + k], aqk = A[3 * q + k];
        A[3 * p + k] = c * apk - s * aqk;
        A[3 * q + k] = s * apk + c * aqk;
        double vkp = V[3 * k + p], vkq = V[3 * k + q];
        V[3 * k + p] = c * vkp - s * vkq;
        V[3 * k + q] = s * vkp + c * vkq;
    }
}

void ac_principal_axes(const double matrix[9], double moments[3], double axes[9])
{
    enum { SWEEPS = 30 };
    double A[9], V[9];
    memcpy(A, matrix, sizeof A);
    identity3(V);
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        jacobi_rotation(A, V, 0, 1);
        jacobi_rotation(A, V, 0, 2);
        jacobi_rotation(A, V, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2 - i; ++j)
            if (A[4 * order[j]] < A[4 * order[j + 1]]) {
                int first = order[j];
                order[j] = order[j + 1];
                order[j + 1] = first;
            }
    double x[3], y[3], z[3];
    for (int i = 0; i < 3; ++i) {
        moments[i] = A[4 * order[i]];
        x[i] = V[3 * i + order[0]];
        y[i] = V[3 * i + order[1]];
    }
    cross3(x, y, z);
    for (int i = 0; i < 3; ++i) {
        axes[3 * i] = x[i];
        axes[3 * i + 1] = y[i];
        axes[3 * i + 2] = z[i];
    }
}
