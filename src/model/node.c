/* Nodes: one table of kinds. How coordinates move under a twist, and the reverse for forces; poses, points and
 * directions, inner constraints, channels.
 *
 *   rigid body    place, directors d1, d2, d3                 12 numbers, turns about all axes
 *   planar body   place, director d                            4 numbers, turns about z
 *   point         place                                        1 to 3 numbers, does not turn
 *   dual          place, directors, unit dual quaternion      20 numbers, turns about all axes
 *
 * The configuration of a dual node is its unit dual quaternion: eight numbers, two constraints (|q_r| = 1, q_r . q_e = 0),
 * the null space matrix 8 x 6. Place and directors stand beside it as the quadratic functions of it that they are, so that
 * joints, loads and springs, which are affine in a pose, take such a node as any body.
 */
#include "base/dual_quaternion.h"
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
static void body_wrench_slope(const double *q, const double *f, const double twist[6], double wrench[6])
{
    const double *w = twist + 3;
    double *torque = wrench + 3;
    for (int i = 1; i < 4; ++i) {
        double inner[3];
        cross3(f + 3 * i, w, inner);
        add_cross3(q + 3 * i, inner, torque);
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

static void planar_wrench_slope(const double *q, const double *f, const double twist[6], double wrench[6])
{
    wrench[5] -= twist[5] * (q[2] * f[2] + q[3] * f[3]);
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

/* --- unit dual quaternions ----------------------------------------------------------------------------------------- */

/* The sign stays that of what was there; it is continued along a motion, over any number of turns. */
static void dual_fill(const ac_node *node, const double place[3], const double rotation[9], double *own)
{
    bool fresh = own[0] == 0.0 && own[1] == 0.0 && own[2] == 0.0 && own[3] == 0.0;
    for (int i = 0; fresh && i < 4; ++i) own[i] = node->unit[i];
    ac_dual_from_pose(place, rotation, own);
}

static void dual_complete(const ac_node *node, double *q)
{
    double rotation[9];
    body_get_pose(NULL, q, q, rotation);
    dual_fill(node, q, rotation, q + AC_DUAL_AT);
}

void ac_system_align_duals(ac_system *system, double *q, double *v)
{
    for (int i = 0; system->mesh.dual_nodes > 0 && i < system->node_count; ++i) {
        ac_node *node = &system->nodes[i];
        if (node->kind != AC_NODE_DUAL) continue;
        double *own = q + node->q + AC_DUAL_AT, side = 0.0;
        bool follows = i > 0 && node[-1].beam == node->beam;
        for (int k = 0; follows && k < 4; ++k) side += own[k] * node[-1].unit[k];
        for (int k = 0; side < 0.0 && k < 8; ++k) {
            own[k] = -own[k];
            if (v) v[node->q + AC_DUAL_AT + k] = -v[node->q + AC_DUAL_AT + k];
        }
        for (int k = 0; k < 4; ++k) node->unit[k] = own[k];
    }
}

static void dual_tangent(const ac_node *node, const double *q, const double twist[6], double *dq)
{
    body_tangent(node, q, twist, dq);
    ac_dual_move(q + AC_DUAL_AT, q, twist, dq + AC_DUAL_AT);
}

static void dual_wrench(const ac_node *node, const double *q, const double *f, double wrench[6])
{
    double x[3];
    copy3(q, x);
    body_wrench(node, q, f, wrench);
    ac_dual_add_wrench(q + AC_DUAL_AT, x, f + AC_DUAL_AT, wrench);
}

/* 1/2 (w + eps v_0) q~ . f with v_0 = v - w x x: its derivative by q~ is the force g = -1/2 (w f_r + v_0 f_e, w f_e), that
 * by x the force w x B, B the force that f exerts at x. */
static void dual_wrench_slope(const double *q, const double *f, const double twist[6], double wrench[6])
{
    const double *own = q + AC_DUAL_AT, *load = f + AC_DUAL_AT, *w = twist + 3;
    double origin[3], g[8], second[4], force[6] = {0.0};
    const double turn[4] = {0.0, -0.5 * w[0], -0.5 * w[1], -0.5 * w[2]};
    body_wrench_slope(q, f, twist, wrench);
    cross3(q, w, origin);
    add3(twist, origin, origin);
    const double shift[4] = {0.0, -0.5 * origin[0], -0.5 * origin[1], -0.5 * origin[2]};
    ac_quaternion_multiply(turn, load, g);
    ac_quaternion_multiply(shift, load + 4, second);
    ac_quaternion_multiply(turn, load + 4, g + 4);
    for (int i = 0; i < 4; ++i) g[i] += second[i];
    ac_dual_add_wrench(own, q, g, wrench);
    ac_dual_add_wrench(own, q, load, force);
    add_cross3(w, force, wrench);
}

static void dual_set_pose(const ac_node *node, const double position[3], const double rotation[9], double *q)
{
    body_set_pose(node, position, rotation, q);
    dual_fill(node, position, rotation, q + AC_DUAL_AT);
}

/* One row: target - sum of products = 0. */
typedef struct dual_product {
    int i, j;
    double a;
} dual_product;

static ac_status add_row(ac_system *system, int target, double constant, const dual_product *p, int count)
{
    ac_forms *forms = &system->constraints.forms;
    AC_TRY(ac_forms_begin(system->ctx, forms, constant));
    if (target >= 0) AC_TRY(ac_forms_add_linear(system->ctx, forms, target, 1.0));
    for (int k = 0; k < count; ++k) AC_TRY(ac_forms_add_product(system->ctx, forms, p[k].i, p[k].j, p[k].a));
    return AC_OK;
}

/* The two constraints of a unit dual quaternion (halved, as those of directors), then x = 2 q_e conj(q_r) and the columns
 * of the rotation. */
static ac_status dual_constraints(ac_system *system, const ac_node *node)
{
    const int r = node->q + AC_DUAL_AT, e = r + 4;
    dual_product length[4], unit[4];
    for (int i = 0; i < 4; ++i) {
        length[i] = (dual_product){r + i, r + i, 0.5};
        unit[i] = (dual_product){r + i, e + i, 1.0};
    }
    AC_TRY(add_row(system, -1, -0.5, length, 4));
    AC_TRY(add_row(system, -1, 0.0, unit, 4));
    for (int i = 0; i < 3; ++i) {
        int u = 1 + i, v = 1 + (i + 1) % 3, w = 1 + (i + 2) % 3;
        const dual_product place[4] = {
            {e, r + u, 2.0}, {e + u, r, -2.0}, {e + v, r + w, 2.0}, {e + w, r + v, -2.0}};
        AC_TRY(add_row(system, node->q + i, 0.0, place, 4));
    }
    for (int I = 0; I < 3; ++I) {
        int u = 1 + I, v = 1 + (I + 1) % 3, w = 1 + (I + 2) % 3, d = node->q + 3 + 3 * I;
        const dual_product own[4] = {
            {r, r, -1.0}, {r + u, r + u, -1.0}, {r + v, r + v, 1.0}, {r + w, r + w, 1.0}};
        const dual_product next[2] = {{r + u, r + v, -2.0}, {r, r + w, -2.0}};
        const dual_product last[2] = {{r + u, r + w, -2.0}, {r, r + v, 2.0}};
        AC_TRY(add_row(system, d + I, 0.0, own, 4));
        AC_TRY(add_row(system, d + (I + 1) % 3, 0.0, next, 2));
        AC_TRY(add_row(system, d + (I + 2) % 3, 0.0, last, 2));
    }
    return AC_OK;
}

/* --- the table ----------------------------------------------------------------------------------------------------- */

/* A pose in space, with three directors beside the place. */
#define POSE_IN_SPACE                                                                                     \
    .word = "body", .turns = 3, .directors = 3, .channel = "rotation",                                    \
    .components = "xx xy xz yx yy yz zx zy zz", .width = 9, .get_pose = body_get_pose, .spin = body_spin, \
    .direction = body_direction

const ac_node_type ac_node_types[] = {
    [AC_NODE_BODY] = {POSE_IN_SPACE, .rows = 6, .tangent = body_tangent, .wrench = body_wrench,
                      .wrench_slope = body_wrench_slope, .set_pose = body_set_pose},
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
                        .set_pose = planar_set_pose,
                        .get_pose = planar_get_pose,
                        .spin = planar_spin,
                        .direction = planar_direction},
    [AC_NODE_POINT] = {.word = "point",
                       .tangent = point_tangent,
                       .wrench = point_wrench,
                       .set_pose = point_set_pose,
                       .get_pose = point_get_pose},
    [AC_NODE_DUAL] = {POSE_IN_SPACE, .rows = 14, .tangent = dual_tangent, .wrench = dual_wrench,
                      .wrench_slope = dual_wrench_slope, .relative = true, .complete = dual_complete,
                      .constraints = dual_constraints, .set_pose = dual_set_pose},
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
    if (type->wrench_slope) type->wrench_slope(q, f, twist, wrench);
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
    if (left->kind == AC_NODE_BODY && right->kind == AC_NODE_BODY) {
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

void ac_node_add_force(const ac_node *node, const double place[3], const double F[3], double factor,
                       double *f)
{
    ac_affine3 x = ac_node_point(node, 0, place);
    for (int i = 0; i < node->dimension; ++i)
        for (int k = 0; k < x.part[i].count; ++k)
            f[x.part[i].index[k]] += factor * x.part[i].coefficient[k] * F[i];
}

/* --- inner constraints --------------------------------------------------------------------------------------------- */

/* |d_I|^2 = 1 (halved), then d1.d2, d2.d3, d3.d1. */
ac_status ac_node_constraints(ac_system *system, const ac_node *node)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ac_forms *forms = &system->constraints.forms;
    const ac_node_type *type = ac_node_type_of(node);
    if (type->constraints) return type->constraints(system, node);
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
