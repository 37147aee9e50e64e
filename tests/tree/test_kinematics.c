/* Motion of nodes and trees: recursions against dense matrices, transposed maps against each other, gradients
 * against differences. */
#include "tree/kinematics.h"

#include <stdlib.h>

#include "base/vector.h"
#include "support/mechanisms.h"
#include "test.h"

/* --- nodes ----------------------------------------------------------------------------------- */

/* One node of every kind, with coordinates that need not satisfy anything. */
static void draw_kinds(rig *r)
{
    dice d = {71};
    double R[9];
    const double x[3] = {0.1, 0.2, 0.3};
    dice_rotation(&d, R);
    rig_odd_body(r, "body", &d, x, R, false);
    rig_planar(r, "planar", 1.0, 0.2, 0.3, 0.4, 0.5);
    for (int k = 1; k < 4; ++k) rig_point(r, "point", 1.0, k, 0.1, 0.2, 0.3);
    CHECK(rig_finish(r) == AC_OK);
}

/* (A twist) . f = twist . (A^T f) */
TEST(wrench_is_the_transpose_of_tangent)
{
    rig r;
    rig_open(&r, NULL);
    draw_kinds(&r);
    dice d = {72};
    for (int i = 0; i < r.system->node_count; ++i) {
        const ac_node *node = &r.system->nodes[i];
        double q[12], f[12], dq[12], twist[6], wrench[6], sum = 0.0;
        dice_vector(&d, 12, 1.0, q);
        dice_vector(&d, 12, 1.0, f);
        dice_vector(&d, 6, 1.0, twist);
        ac_node_tangent(node, q, twist, dq);
        ac_node_wrench(node, q, f, wrench);
        for (int c = 0; c < node->size; ++c) sum += dq[c] * f[c];
        CHECK_NEAR(dot6(twist, wrench), sum, 1e-14);
        CHECK(fabs(sum) > 1e-3);
    }
    rig_close(&r);
}

TEST(poses_and_coordinates)
{
    rig r;
    rig_open(&r, NULL);
    draw_kinds(&r);
    dice d = {74};
    for (int i = 0; i < r.system->node_count; ++i) {
        const ac_node *node = &r.system->nodes[i];
        double R[9], x[3], q[12], again[12], position[3], rotation[9];
        dice_rotation(&d, R);
        dice_vector(&d, 3, 1.0, x);
        if (node->kind == AC_NODE_PLANAR) {
            const double turned[9] = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1};
            memcpy(R, turned, sizeof R);
        }
        ac_node_set_pose(node, x, R, q);
        ac_node_get_pose(node, q, position, rotation);
        ac_node_set_pose(node, position, rotation, again);
        CHECK_NEAR(largest_difference(node->size, q, again), 0.0, 0.0);
        CHECK_NEAR(largest_difference(node->dimension, position, x), 0.0, 0.0);
        if (node->kind != AC_NODE_POINT) CHECK_NEAR(largest_difference(9, rotation, R), 0.0, 1e-15);
    }
    rig_close(&r);
}

/* --- trees ----------------------------------------------------------------------------------- */

/* P u . f = u . P^T f on every mechanism, at a configuration off the constraints as means are. */
TEST(projection_is_the_transpose_of_motion)
{
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        const ac_system *system = r.system;
        dice d = {75};
        double q[160], f[160], v[160], u[64], projected[64], columns[6 * 64], twists[6 * 16], left = 0.0,
                                                                                              right = 0.0;
        for (int i = 0; i < system->n; ++i) q[i] = system->initial.q[i] + dice_between(&d, -0.05, 0.05);
        dice_vector(&d, system->n, 1.0, f);
        dice_vector(&d, system->tree.freedoms, 1.0, u);
        ac_tree_columns(system, system->initial.state, q, columns);
        ac_tree_twists(system, columns, q, u, twists);
        ac_tree_velocity(system, q, twists, v);
        ac_tree_project(system, columns, q, f, twists, projected);
        for (int i = 0; i < system->n; ++i) left += v[i] * f[i];
        for (int i = 0; i < system->tree.freedoms; ++i) right += u[i] * projected[i];
        CHECK_NEAR(left, right, 1e-13);
        CHECK(fabs(left) > 1e-3);
        rig_close(&r);
    }
}

/* P(mean) is a null space matrix of G(mean) for averaged configurations too: the energy-momentum scheme needs
 * that. */
TEST(tangent_at_averaged_configurations)
{
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        const ac_system *system = r.system;
        const ac_constraints *c = &system->constraints;
        dice d = {76};
        double q[160], mean[160], v[160], u[64], columns[6 * 64], twists[6 * 16], gradient[AC_ELEMENT_MAX],
            most = 0.0;
        ac_joint_state *state = calloc((size_t)system->node_count, sizeof *state);
        memcpy(q, system->initial.q, (size_t)system->n * sizeof *q);
        dice_vector(&d, system->tree.freedoms, 0.4, u);
        ac_tree_move(system, u, system->initial.state, state, q);
        for (int i = 0; i < system->n; ++i) mean[i] = 0.5 * (q[i] + system->initial.q[i]);
        for (int i = 0; i < system->node_count; ++i)
            ac_joint_read_state(system, &system->nodes[i], mean, &state[i]);
        ac_tree_columns(system, state, mean, columns);
        dice_vector(&d, system->tree.freedoms, 1.0, u);
        ac_tree_twists(system, columns, mean, u, twists);
        ac_tree_velocity(system, mean, twists, v);
        for (int row = 0; row < c->closure; ++row) {
            double sum = 0.0;
            ac_constraint_gradient(system, row, mean, gradient);
            for (int e = c->start[row]; e < c->start[row + 1]; ++e)
                sum += gradient[e - c->start[row]] * v[c->coordinate[e]];
            most = fmax(most, fabs(sum));
        }
        CHECK_NEAR(most, 0.0, 1e-14);
        CHECK(largest_entry(system->n, v) > 0.1);
        free(state);
        rig_close(&r);
    }
}

static void all_rows(void *user, const double *q, double *g)
{
    ac_constraints_value(user, q, 0, g);
}

/* Gradients of all rows of all mechanisms, and the force G^T lambda. */
TEST(constraint_gradients)
{
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        ac_system *system = r.system;
        const ac_constraints *c = &system->constraints;
        dice d = {78};
        int n = system->n, m = c->count;
        double q[160], lambda[160], force[160] = {0}, gradient[AC_ELEMENT_MAX],
                                    *G = calloc((size_t)(n * m), sizeof *G);
        for (int i = 0; i < n; ++i) q[i] = system->initial.q[i] + dice_between(&d, -0.2, 0.2);
        dice_vector(&d, m, 1.0, lambda);
        for (int row = 0; row < m; ++row) {
            ac_constraint_gradient(system, row, q, gradient);
            for (int e = c->start[row]; e < c->start[row + 1]; ++e)
                G[row * n + c->coordinate[e]] = gradient[e - c->start[row]];
        }
        CHECK_NEAR(jacobian_error(all_rows, system, n, m, q, G), 0.0, 1e-11);
        ac_constraints_add_force(system, q, lambda, 0, m, 2.0, force);
        for (int i = 0; i < n; ++i)
            for (int row = 0; row < m; ++row) force[i] -= 2.0 * G[row * n + i] * lambda[row];
        CHECK_NEAR(largest_entry(n, force), 0.0, 1e-14);
        free(G);
        rig_close(&r);
    }
}

RUN_TESTS(CASE(wrench_is_the_transpose_of_tangent), CASE(poses_and_coordinates),
          CASE(projection_is_the_transpose_of_motion), CASE(tangent_at_averaged_configurations),
          CASE(constraint_gradients))
