/* Nodes: one table of kinds. How coordinates move under a twist, and the reverse for forces; inertia, poses, points
 * and directions, inner constraints, channels.
 *
 *   rigid body    place, directors d1, d2, d3                 12 numbers, turns about all axes
 *   planar body   place, director d                            4 numbers, turns about z
 *   point         place                                        1 to 3 numbers, does not turn
 */
#include "base/rotation.h"
#include "base/vector.h"
#include "model/system.h"

/* --- rigid bodies -------------------------------------------------------------------------------------------------- */

static void body_tangent(const ac_node *node, const double *q, const double twist[6], double *dq)
{
    (void)node;
    copy3(twist, dq);
    for (int i = 1; i < 4; ++i) cross3(twist + 3, q + 3 * i, dq + 3 * i);
}

static void body_wrench(const ac_node *node, const double *q, const double *f, double wrench[6])
{
    (void)node;
    copy3(f, wrench);
    for (int i = 1; i < 4; ++i) add_cross3(q + 3 * i, f + 3 * i, wrench + 3);
}

/* (w x d) . f changes by e . (d x (f x w)) when the director turns by e x d */
static void body_wrench_slope(const double *q, const double *f, const double w[3], double torque[3])
{
    for (int i = 1; i < 4; ++i) {
        double inner[3];
        cross3(f + 3 * i, w, inner);
        add_cross3(q + 3 * i, inner, torque);
    }
}

/* sum E_IJ hat(d_I)^T hat(d'_J) = sum E_IJ [(d_I . d'_J) I - d'_J d_I^T] */
static void body_inertia(const ac_node *node, const double *q_left, const double *q_right, double factor,
                         double block[36])
{
    for (int I = 0; I < 3; ++I) {
        for (int J = 0; J < 3; ++J) {
            double e = factor * node->euler[3 * I + J];
            if (e == 0.0) continue;
            const double *a = q_left + 3 + 3 * I, *b = q_right + 3 + 3 * J;
            double d = e * dot3(a, b);
            for (int i = 0; i < 3; ++i) {
                double eb = e * b[i];
                double *row = block + 6 * (3 + i) + 3;
                row[0] -= eb * a[0];
                row[1] -= eb * a[1];
                row[2] -= eb * a[2];
                row[i] += d;
            }
        }
    }
}

static void body_set_pose(const ac_node *node, const double position[3], const double rotation[9], double *q)
{
    (void)node;
    copy3(position, q);
    for (int I = 0; I < 3; ++I)
        for (int i = 0; i < 3; ++i) q[3 + 3 * I + i] = rotation[3 * i + I];
}

static void body_get_pose(const ac_node *node, const double *q, double position[3], double rotation[9])
{
    (void)node;
    copy3(q, position);
    for (int I = 0; I < 3; ++I)
        for (int i = 0; i < 3; ++i) rotation[3 * i + I] = q[3 + 3 * I + i];
}

/* omega = 1/2 sum of d_i x d_i' */
static void body_spin(const double *q, const double *v, double spin[3])
{
    for (int i = 1; i < 4; ++i) {
        double part[3];
        cross3(q + 3 * i, v + 3 * i, part);
        for (int c = 0; c < 3; ++c) spin[c] += 0.5 * part[c];
    }
}

static ac_affine3 body_direction(int q, const double direction[3])
{
    ac_affine3 d = {0};
    for (int i = 0; i < 3; ++i)
        for (int I = 0; I < 3; ++I) ac_affine_add(&d.part[i], q + 3 + 3 * I + i, direction[I]);
    return d;
}

/* --- planar bodies ------------------------------------------------------------------------------------------------- */

static void planar_tangent(const ac_node *node, const double *q, const double twist[6], double *dq)
{
    (void)node;
    dq[0] = twist[0];
    dq[1] = twist[1];
    dq[2] = -twist[5] * q[3];
    dq[3] = twist[5] * q[2];
}

static void planar_wrench(const ac_node *node, const double *q, const double *f, double wrench[6])
{
    (void)node;
    wrench[0] = f[0];
    wrench[1] = f[1];
    wrench[5] = q[2] * f[3] - q[3] * f[2];
}

static void planar_wrench_slope(const double *q, const double *f, const double w[3], double torque[3])
{
    torque[2] -= w[2] * (q[2] * f[2] + q[3] * f[3]);
}

static void planar_inertia(const ac_node *node, const double *q_left, const double *q_right, double factor,
                           double block[36])
{
    block[35] += factor * node->euler[0] * (q_left[2] * q_right[2] + q_left[3] * q_right[3]);
}

static void planar_set_pose(const ac_node *node, const double position[3], const double rotation[9],
                            double *q)
{
    (void)node;
    q[0] = position[0];
    q[1] = position[1];
    q[2] = rotation[0];
    q[3] = rotation[3];
}

static void planar_get_pose(const ac_node *node, const double *q, double position[3], double rotation[9])
{
    (void)node;
    position[0] = q[0];
    position[1] = q[1];
    rotation[0] = rotation[4] = q[2];
    rotation[3] = q[3];
    rotation[1] = -q[3];
}

static void planar_spin(const double *q, const double *v, double spin[3])
{
    spin[2] = q[2] * v[3] - q[3] * v[2];
}

static ac_affine3 planar_direction(int q, const double direction[3])
{
    ac_affine3 d = {0};
    ac_affine_add(&d.part[0], q + 2, direction[0]);
    ac_affine_add(&d.part[0], q + 3, -direction[1]);
    ac_affine_add(&d.part[1], q + 3, direction[0]);
    ac_affine_add(&d.part[1], q + 2, direction[1]);
    d.part[2].constant = direction[2];
    return d;
}

/* --- points -------------------------------------------------------------------------------------------------------- */

static void point_tangent(const ac_node *node, const double *q, const double twist[6], double *dq)
{
    (void)q;
    for (int i = 0; i < node->size; ++i) dq[i] = twist[i];
}

static void point_wrench(const ac_node *node, const double *q, const double *f, double wrench[6])
{
    (void)q;
    for (int i = 0; i < node->size; ++i) wrench[i] = f[i];
}

static void point_set_pose(const ac_node *node, const double position[3], const double rotation[9], double *q)
{
    (void)rotation;
    for (int i = 0; i < node->size; ++i) q[i] = position[i];
}

static void point_get_pose(const ac_node *node, const double *q, double position[3], double rotation[9])
{
    (void)rotation;
    for (int i = 0; i < node->size; ++i) position[i] = q[i];
}

/* --- the table ----------------------------------------------------------------------------------------------------- */

const ac_node_type ac_node_types[] = {
    [AC_NODE_BODY] = {.word = "body",
                      .turns = 3,
                      .directors = 3,
                      .rows = 6,
                      .channel = "rotation",
                      .components = "xx xy xz yx yy yz zx zy zz",
                      .width = 9,
                      .tangent = body_tangent,
                      .wrench = body_wrench,
                      .wrench_slope = body_wrench_slope,
                      .inertia = body_inertia,
                      .set_pose = body_set_pose,
                      .get_pose = body_get_pose,
                      .spin = body_spin,
                      .direction = body_direction},
    [AC_NODE_PLANAR] = {.word = "body",
                        .turns = 1,
                        .directors = 1,
                        .rows = 1,
                        .channel = "director",
                        .components = "x y",
                        .width = 2,
                        .tangent = planar_tangent,
                        .wrench = planar_wrench,
                        .wrench_slope = planar_wrench_slope,
                        .inertia = planar_inertia,
                        .set_pose = planar_set_pose,
                        .get_pose = planar_get_pose,
                        .spin = planar_spin,
                        .direction = planar_direction},
    [AC_NODE_POINT] = {.word = "point",
                       .tangent = point_tangent,
                       .wrench = point_wrench,
                       .set_pose = point_set_pose,
                       .get_pose = point_get_pose},
};

/* --- twists and wrenches ------------------------------------------------------------------------------------------- */

void ac_node_tangent(const ac_node *node, const double *q, const double twist[6], double *dq)
{
    ac_node_type_of(node)->tangent(node, q, twist, dq);
}

void ac_node_wrench(const ac_node *node, const double *q, const double *f, double wrench[6])
{
    for (int i = 0; i < 6; ++i) wrench[i] = 0.0;
    ac_node_type_of(node)->wrench(node, q, f, wrench);
}

void ac_node_wrench_slope(const ac_node *node, const double *q, const double *f, const double twist[6],
                          double wrench[6])
{
    const ac_node_type *type = ac_node_type_of(node);
    for (int i = 0; i < 6; ++i) wrench[i] = 0.0;
    if (type->wrench_slope) type->wrench_slope(q, f, twist + 3, wrench + 3);
}

/* Torque of the forces on three directors: sum d_I x f_I. */
static inline void director_torque(const double *restrict d, const double *restrict f, int stride,
                                   double *restrict out, int out_stride)
{
    double t0 = 0.0, t1 = 0.0, t2 = 0.0;
    for (int I = 0; I < 9; I += 3) {
        double f0 = f[I * stride], f1 = f[(I + 1) * stride], f2 = f[(I + 2) * stride];
        t0 += d[I + 1] * f2 - d[I + 2] * f1;
        t1 += d[I + 2] * f0 - d[I] * f2;
        t2 += d[I] * f1 - d[I + 1] * f0;
    }
    out[0] = t0;
    out[out_stride] = t1;
    out[2 * out_stride] = t2;
}

/* ac_node_project for two bodies, written out: beams spend their time here. */
static void project_bodies(const double *q_left, const double *q_right, const double *B, int stride,
                           double block[36])
{
    double half[12][6];
    for (int i = 0; i < 12; ++i) {
        const double *row = B + i * stride;
        for (int j = 0; j < 3; ++j) half[i][j] = row[j];
        director_torque(q_right + 3, row + 3, 1, half[i] + 3, 1);
    }
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 3; ++i) block[6 * i + j] = half[i][j];
        director_torque(q_left + 3, &half[3][j], 6, block + 18 + j, 6);
    }
}

void ac_node_project(const ac_node *left, const double *q_left, const ac_node *right, const double *q_right,
                     const double *B, int stride, double block[36])
{
    if (ac_node_turns(left) == 3 && ac_node_turns(right) == 3) {
        project_bodies(q_left, q_right, B, stride, block);
        return;
    }
    double half[AC_NODE_MAX][6]; /* B A(q_right): each row of B is a force on the right node */
    for (int i = 0; i < left->size; ++i) ac_node_wrench(right, q_right, B + i * stride, half[i]);
    for (int j = 0; j < 6; ++j) {
        double column[AC_NODE_MAX], wrench[6];
        for (int i = 0; i < left->size; ++i) column[i] = half[i][j];
        ac_node_wrench(left, q_left, column, wrench);
        for (int i = 0; i < 6; ++i) block[6 * i + j] = wrench[i];
    }
}

void ac_node_inertia(const ac_node *node, const double *q_left, const double *q_right, double factor,
                     double block[36])
{
    const ac_node_type *type = ac_node_type_of(node);
    double m = factor * node->mass;
    for (int i = 0; i < node->dimension; ++i) block[7 * i] += m;
    if (type->inertia) type->inertia(node, q_left, q_right, factor, block);
}

void ac_pair_inertia(const ac_mass_pair *mass, const double *q_left, const double *q_right, double factor,
                     double block[36])
{
    for (int i = 0; i < 3; ++i) block[7 * i] += factor * mass->mass;
    for (int I = 0; I < 3; ++I) { /* hat(d_I)^T hat(d'_I) = (d_I . d'_I) I - d'_I d_I^T */
        double e = factor * mass->euler[I];
        if (e == 0.0) continue;
        const double *a = q_left + 3 + 3 * I, *b = q_right + 3 + 3 * I;
        double d = e * dot3(a, b);
        for (int i = 0; i < 3; ++i) {
            double *row = block + 6 * (3 + i) + 3;
            for (int j = 0; j < 3; ++j) row[j] -= e * b[i] * a[j];
            row[i] += d;
        }
    }
}

/* --- poses, points, directions ------------------------------------------------------------------------------------- */

void ac_node_set_pose(const ac_node *node, const double position[3], const double rotation[9], double *q)
{
    ac_node_type_of(node)->set_pose(node, position, rotation, q);
}

void ac_node_get_pose(const ac_node *node, const double *q, double position[3], double rotation[9])
{
    identity3(rotation);
    position[0] = position[1] = position[2] = 0.0;
    ac_node_type_of(node)->get_pose(node, q, position, rotation);
}

void ac_node_spin(const ac_node *node, const double *q, const double *v, double spin[3])
{
    const ac_node_type *type = ac_node_type_of(node);
    for (int i = 0; i < 3; ++i) spin[i] = 0.0;
    if (type->spin) type->spin(q, v, spin);
}

double *ac_node_put_orientation(const ac_node *node, const double *q, double *at)
{
    const ac_node_type *type = ac_node_type_of(node);
    double position[3], rotation[9];
    if (!type->channel) return at;
    ac_node_get_pose(node, q, position, rotation);
    for (int i = 0; i < type->width; ++i) /* a planar body shows its director, the first column */
        at[i] = rotation[type->turns == 1 ? 3 * i : i];
    return at + type->width;
}

ac_affine3 ac_node_direction(const ac_node *node, int q, const double direction[3])
{
    if (node && ac_node_type_of(node)->direction) return ac_node_type_of(node)->direction(q, direction);
    ac_affine3 d = {0};
    for (int i = 0; i < 3; ++i) d.part[i].constant = direction[i];
    return d;
}

ac_affine3 ac_node_point(const ac_node *node, int q, const double place[3])
{
    static const double nowhere[3] = {0.0, 0.0, 0.0};
    bool turns = !node || ac_node_turns(node) > 0;
    ac_affine3 x = ac_node_direction(node, q, turns ? place : nowhere);
    if (node)
        for (int i = 0; i < node->dimension; ++i) ac_affine_add(&x.part[i], q + i, 1.0);
    return x;
}

/* --- inner constraints --------------------------------------------------------------------------------------------- */

/* |d_I|^2 = 1 (halved), then d1.d2, d2.d3, d3.d1. */
ac_status ac_node_constraints(ac_system *system, const ac_node *node)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ac_forms *forms = &system->constraints.forms;
    const ac_node_type *type = ac_node_type_of(node);
    for (int row = 0; row < type->rows; ++row) {
        bool length = row < type->directors;
        int I = row % 3, J = length ? I : (I + 1) % 3;
        ac_affine3 a = ac_node_direction(node, node->q, axes[I]);
        ac_affine3 b = ac_node_direction(node, node->q, axes[J]);
        AC_TRY(ac_forms_begin(system->ctx, forms, length ? -0.5 : 0.0));
        AC_TRY(ac_forms_add_dot(system->ctx, forms, &a, &b, length ? 0.5 : 1.0));
    }
    return AC_OK;
}
