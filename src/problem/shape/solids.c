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

static ac_num times(ac_graph *s, ac_num a, ac_num b)
{
    return ac_num_multiply(s, a, b);
}

static ac_num plus(ac_graph *s, ac_num a, ac_num b)
{
    return ac_num_add(s, a, b);
}

static ac_num scaled(ac_graph *s, double factor, ac_num a)
{
    return ac_num_scale(s, factor, a);
}

static ac_num part(ac_graph *s, ac_num a, double divisor)
{
    return ac_num_divide(s, a, ac_num_of(divisor));
}

static ac_num square(ac_graph *s, ac_num a)
{
    return ac_num_multiply(s, a, a);
}

ac_num ac_volume_formula(ac_graph *s, ac_shape shape, const ac_sizes *z)
{
    ac_num r2 = square(s, z->radius), cone = times(s, scaled(s, PI, r2), z->length);
    switch (shape) {
    case AC_SHAPE_BOX: return times(s, times(s, z->size[0], z->size[1]), z->size[2]);
    case AC_SHAPE_SPHERE: return times(s, scaled(s, 4.0 / 3.0 * PI, r2), z->radius);
    case AC_SHAPE_CYLINDER:
        return times(s, scaled(s, PI, ac_num_subtract(s, r2, square(s, z->inner_radius))), z->length);
    case AC_SHAPE_CONE: return part(s, cone, 3.0);
    case AC_SHAPE_DOUBLE_CONE: return part(s, scaled(s, 2.0, cone), 3.0);
    case AC_SHAPE_PYRAMID: return part(s, times(s, square(s, z->edge), z->length), 3.0);
    default: return ac_num_of(0.0);
    }
}

static ac_sizes sizes_of(const ac_solid *solid)
{
    ac_sizes z = {.mass = ac_num_of(solid->mass),
                  .radius = ac_num_of(solid->radius),
                  .inner_radius = ac_num_of(solid->inner_radius),
                  .length = ac_num_of(solid->length),
                  .edge = ac_num_of(solid->edge)};
    for (int k = 0; k < 3; ++k) z.size[k] = ac_num_of(solid->size[k]);
    return z;
}

double ac_solid_volume(const ac_solid *solid)
{
    ac_sizes z = sizes_of(solid);
    if (solid->shape == AC_SHAPE_TETRAHEDRON) return tetrahedron_volume(solid);
    return ac_volume_formula(NULL, solid->shape, &z).v;
}

/* ---- mass, centre, inertia ---- */

/* m (sum of the squares of the two other sides) / 12 */
static void box_moments(ac_graph *s, const ac_sizes *z, ac_num moments[3])
{
    ac_num squares[3], m = part(s, z->mass, 12.0);
    for (int k = 0; k < 3; ++k) squares[k] = square(s, z->size[k]);
    for (int k = 0; k < 3; ++k) moments[k] = times(s, m, plus(s, squares[(k + 1) % 3], squares[(k + 2) % 3]));
}

void ac_inertia_formula(ac_graph *s, ac_shape shape, const ac_sizes *z, ac_num *height, ac_num moments[3])
{
    ac_num m = z->mass, l = z->length, l2 = square(s, l), r2 = square(s, z->radius), a2 = square(s, z->edge);
    ac_num ring = plus(s, r2, square(s, z->inner_radius)), across = ac_num_of(0.0), along = across;
    *height = ac_num_of(0.0);
    switch (shape) {
    case AC_SHAPE_BOX: box_moments(s, z, moments); return;
    case AC_SHAPE_SPHERE: across = along = times(s, scaled(s, 0.4, m), r2); break;
    case AC_SHAPE_CYLINDER:
        *height = part(s, l, 2.0);
        across = part(s, times(s, m, plus(s, scaled(s, 3.0, ring), l2)), 12.0);
        along = part(s, times(s, m, ring), 2.0);
        break;
    case AC_SHAPE_CONE:
        *height = part(s, l, 4.0);
        across = times(s, scaled(s, 3.0 / 80.0, m), plus(s, scaled(s, 4.0, r2), l2));
        along = times(s, scaled(s, 0.3, m), r2);
        break;
    case AC_SHAPE_DOUBLE_CONE:
        *height = l;
        across = times(s, m, plus(s, part(s, scaled(s, 3.0, r2), 20.0), part(s, l2, 10.0)));
        along = times(s, scaled(s, 0.3, m), r2);
        break;
    case AC_SHAPE_PYRAMID:
        *height = part(s, l, 4.0);
        across = times(s, m, plus(s, part(s, a2, 20.0), part(s, scaled(s, 3.0, l2), 80.0)));
        along = part(s, times(s, m, a2), 10.0);
        break;
    case AC_SHAPE_ROD:
        *height = part(s, l, 2.0);
        across = part(s, times(s, m, l2), 12.0);
        break;
    default:
        across = part(s, times(s, m, r2), 4.0);
        along = part(s, times(s, m, r2), 2.0);
        break;
    }
    moments[0] = moments[1] = across;
    moments[2] = along;
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

ac_mass_properties ac_solid_properties(const ac_solid *solid)
{
    ac_sizes z = sizes_of(solid);
    ac_num height, moments[3];
    if (solid->shape == AC_SHAPE_TETRAHEDRON) return tetrahedron_properties(solid);
    ac_inertia_formula(NULL, solid->shape, &z, &height, moments);
    return (ac_mass_properties){
        solid->mass, {0, 0, height.v}, {moments[0].v, 0, 0, 0, moments[1].v, 0, 0, 0, moments[2].v}};
}

/* ---- named points ---- */

typedef struct axis_point {
    const char *name;
    double share; /* of the length, along the axis */
} axis_point;

static bool axis_points(ac_graph *s, const axis_point *points, int count, int k, ac_num length,
                        const char **name, ac_num place[3])
{
    if (k >= count) return false;
    *name = points[k].name;
    place[2] = scaled(s, points[k].share, length);
    return true;
}

bool ac_point_formula(ac_graph *s, ac_shape shape, const ac_sizes *z, int k, const char **name,
                      ac_num place[3])
{
    static const axis_point ends[] = {{"start", 0}, {"middle", 0.5}, {"end", 1}};
    static const axis_point cone_points[] = {{"base", 0}, {"apex", 1}};
    static const char *const faces[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
    for (int i = 0; i < 3; ++i) place[i] = ac_num_of(0.0);
    switch (shape) {
    case AC_SHAPE_ROD:
    case AC_SHAPE_CYLINDER: return axis_points(s, ends, 3, k, z->length, name, place);
    case AC_SHAPE_DOUBLE_CONE: return axis_points(s, ends, 3, k, scaled(s, 2.0, z->length), name, place);
    case AC_SHAPE_CONE:
    case AC_SHAPE_PYRAMID: return axis_points(s, cone_points, 2, k, z->length, name, place);
    case AC_SHAPE_BOX:
        if (k >= 6) return false;
        *name = faces[k];
        place[k / 2] = scaled(s, k % 2 == 0 ? 0.5 : -0.5, z->size[k / 2]);
        return true;
    default: return false;
    }
}

bool ac_solid_point(const ac_solid *s, int k, const char **name, double place[3])
{
    static const char *const corners[] = {"corner1", "corner2", "corner3", "corner4"};
    ac_num at[3];
    if (s->shape == AC_SHAPE_TETRAHEDRON) {
        if (k >= 4) return false;
        *name = corners[k];
        copy3(s->corners[k], place);
        return true;
    }
    ac_sizes z = sizes_of(s);
    bool found = ac_point_formula(NULL, s->shape, &z, k, name, at);
    for (int i = 0; i < 3; ++i) place[i] = at[i].v;
    return found;
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

static const double ALIKE = 1e-12;

/* One Jacobi rotation that makes A[p][q] zero; V collects the rotations. */
static void jacobi_rotation(double A[9], double V[9], int p, int q)
{
    double apq = A[3 * p + q];
    if (apq == 0) return;
    double theta = (A[3 * q + q] - A[3 * p + p]) / (2 * apq);
    /* the smaller root; of two that are alike the positive one, which rounding does not decide */
    double root = sqrt(theta * theta + 1), t = theta < -ALIKE ? -1 / (root - theta) : 1 / (root + theta);
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
