/* Nodes: how coordinates move under a twist, and the reverse for forces. */
#include "base/rotation.h"
#include "base/vector.h"
#include "model/system.h"

void ac_node_tangent(const ac_node *node, const double *q, const double twist[6], double *dq)
{
    const double *v = twist, *w = twist + 3;
    switch (node->kind) {
    case AC_NODE_BODY:
        copy3(v, dq);
        for (int i = 1; i < 4; ++i) cross3(w, q + 3 * i, dq + 3 * i);
        break;
    case AC_NODE_PLANAR:
        dq[0] = v[0];
        dq[1] = v[1];
        dq[2] = -w[2] * q[3];
        dq[3] = w[2] * q[2];
        break;
    case AC_NODE_POINT:
        for (int i = 0; i < node->size; ++i) dq[i] = v[i];
        break;
    }
}

void ac_node_wrench(const ac_node *node, const double *q, const double *f, double wrench[6])
{
    for (int i = 0; i < 6; ++i) wrench[i] = 0.0;
    switch (node->kind) {
    case AC_NODE_BODY:
        copy3(f, wrench);
        for (int i = 1; i < 4; ++i) add_cross3(q + 3 * i, f + 3 * i, wrench + 3);
        break;
    case AC_NODE_PLANAR:
        wrench[0] = f[0];
        wrench[1] = f[1];
        wrench[5] = q[2] * f[3] - q[3] * f[2];
        break;
    case AC_NODE_POINT:
        for (int i = 0; i < node->size; ++i) wrench[i] = f[i];
        break;
    }
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

void ac_node_inertia(const ac_node *node, const double *q_left, const double *q_right, double factor,
                     double block[36])
{
    double m = factor * node->mass;
    for (int i = 0; i < node->dimension; ++i) block[7 * i] += m;
    if (node->kind == AC_NODE_PLANAR) {
        double inertia = factor * node->euler[0];
        block[35] += inertia * (q_left[2] * q_right[2] + q_left[3] * q_right[3]);
    }
    if (node->kind != AC_NODE_BODY) return;
    /* sum E_IJ hat(d_I)^T hat(d'_J) = sum E_IJ [(d_I . d'_J) I - d'_J d_I^T] */
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

void ac_node_set_pose(const ac_node *node, const double position[3], const double rotation[9], double *q)
{
    switch (node->kind) {
    case AC_NODE_BODY:
        copy3(position, q);
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) q[3 + 3 * I + i] = rotation[3 * i + I];
        break;
    case AC_NODE_PLANAR:
        q[0] = position[0];
        q[1] = position[1];
        q[2] = rotation[0];
        q[3] = rotation[3];
        break;
    case AC_NODE_POINT:
        for (int i = 0; i < node->size; ++i) q[i] = position[i];
        break;
    }
}

void ac_node_get_pose(const ac_node *node, const double *q, double position[3], double rotation[9])
{
    identity3(rotation);
    position[0] = position[1] = position[2] = 0.0;
    switch (node->kind) {
    case AC_NODE_BODY:
        copy3(q, position);
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) rotation[3 * i + I] = q[3 + 3 * I + i];
        break;
    case AC_NODE_PLANAR:
        position[0] = q[0];
        position[1] = q[1];
        rotation[0] = rotation[4] = q[2];
        rotation[3] = q[3];
        rotation[1] = -q[3];
        break;
    case AC_NODE_POINT:
        for (int i = 0; i < node->size; ++i) position[i] = q[i];
        break;
    }
}

ac_affine3 ac_node_direction(const ac_node *node, int q, const double direction[3])
{
    ac_affine3 d = {0};
    if (!node || node->kind == AC_NODE_POINT) {
        for (int i = 0; i < 3; ++i) d.part[i].constant = direction[i];
    } else if (node->kind == AC_NODE_BODY) {
        for (int i = 0; i < 3; ++i)
            for (int I = 0; I < 3; ++I) ac_affine_add(&d.part[i], q + 3 + 3 * I + i, direction[I]);
    } else {
        ac_affine_add(&d.part[0], q + 2, direction[0]);
        ac_affine_add(&d.part[0], q + 3, -direction[1]);
        ac_affine_add(&d.part[1], q + 3, direction[0]);
        ac_affine_add(&d.part[1], q + 2, direction[1]);
        d.part[2].constant = direction[2];
    }
    return d;
}

ac_affine3 ac_node_point(const ac_node *node, int q, const double place[3])
{
    if (node && node->kind == AC_NODE_POINT) {
        ac_affine3 x = {0};
        for (int i = 0; i < node->size; ++i) ac_affine_add(&x.part[i], q + i, 1.0);
        return x;
    }
    ac_affine3 x = ac_node_direction(node, q, place);
    if (node)
        for (int i = 0; i < node->dimension; ++i) ac_affine_add(&x.part[i], q + i, 1.0);
    return x;
}
