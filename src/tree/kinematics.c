/* Motion of the tree by recursion, and the constraints at a configuration. */
#include "tree/kinematics.h"

#include <math.h>

#include "base/rotation.h"
#include "base/triple.h"
#include "base/vector.h"

static const double ROUNDED = 1e-9; /* of the size of a closure row, as in choices of independent rows */

void ac_tree_forward(const ac_system *system, const ac_joint_state *state, double *q)
{
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        ac_joint_forward(system, &system->nodes[i], &state[i], q);
    }
}

void ac_tree_columns(const ac_system *system, const ac_joint_state *state, const double *q, double *columns)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->freedoms > 0) ac_joint_tangent(system, node, &state[i], q, columns + 6 * node->u);
    }
}

void ac_tree_joint_columns(const ac_system *system, const ac_joint_state *state, const double *q,
                           double *columns)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->freedoms > 0 && !ac_node_is_free(node))
            ac_joint_tangent(system, node, &state[i], q, columns + 6 * node->u);
    }
}

void ac_tree_twists(const ac_system *system, const double *columns, const double *q, const double *u,
                    double *twists)
{
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        double *twist = twists + 6 * i;
        for (int j = 0; j < 6; ++j) twist[j] = 0.0;
        if (node->parent != AC_GROUND) {
            const double *carrier = twists + 6 * node->parent;
            double here[3], there[3], r[3];
            ac_reference(node, q, here);
            ac_reference(&system->nodes[node->parent], q, there);
            sub3(here, there, r);
            memcpy(twist, carrier, 6 * sizeof *twist);
            add_cross3(carrier + 3, r, twist);
        }
        for (int f = 0; f < node->freedoms; ++f) {
            const double *column = columns + 6 * (node->u + f);
            for (int j = 0; j < 6; ++j) twist[j] += column[j] * u[node->u + f];
        }
    }
}

void ac_tree_velocity(const ac_system *system, const double *q, const double *twists, double *v)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        ac_node_tangent(node, q + node->q, twists + 6 * i, v + node->q);
    }
}

void ac_tree_project(const ac_system *system, const double *columns, const double *q, const double *f,
                     double *wrenches, double *r)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        ac_node_wrench(node, q + node->q, f + node->q, wrenches + 6 * i);
    }
    ac_tree_collect(system, columns, q, wrenches, r);
}

void ac_tree_collect(const ac_system *system, const double *columns, const double *q, double *wrenches,
                     double *r)
{
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        const double *w = wrenches + 6 * i;
        for (int j = node->u; j < node->u + node->freedoms; ++j) r[j] = dot6(columns + 6 * j, w);
        if (node->parent == AC_GROUND) continue;
        double *carrier = wrenches + 6 * node->parent;
        double here[3], there[3], arm[3];
        ac_reference(node, q, here);
        ac_reference(&system->nodes[node->parent], q, there);
        sub3(here, there, arm);
        for (int j = 0; j < 6; ++j) carrier[j] += w[j];
        add_cross3(arm, w, carrier + 3);
    }
}

/* Turns below this leave a rotation as orthonormal as it was. */
static const double POLISH = 1e-6;

/* What ac_joint_move and ac_joint_forward do for a body without joint. */
static void move_free(const double increment[6], const ac_joint_state *from, ac_joint_state *state,
                      double *restrict q)
{
    const double *turn = increment + 3;
    const ac_triple place = ac_triple_sum(ac_triple_of(from->shift), ac_triple_of(increment));
    ac_triple R[3] = {ac_triple_of(from->turn), ac_triple_of(from->turn + 3), ac_triple_of(from->turn + 6)};
    ac_rotation_turn_rows(turn, R);
    if (dot3(turn, turn) > POLISH * POLISH) ac_rotation_polish_rows(R);
    ac_triple_put(place, state->shift);
    ac_triple_put(place, q);
    for (int i = 0; i < 3; ++i) ac_triple_put(R[i], state->turn + 3 * i);
    ac_triple_put((ac_triple){{R[0].xy[0], R[1].xy[0]}, R[2].xy[0]}, q + 3);
    ac_triple_put((ac_triple){{R[0].xy[1], R[1].xy[1]}, R[2].xy[1]}, q + 6);
    ac_triple_put((ac_triple){{R[0].z, R[1].z}, R[2].z}, q + 9);
}

void ac_tree_move(const ac_system *system, const double *increment, const ac_joint_state *from,
                  ac_joint_state *state, double *q)
{
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        if (ac_node_is_free(node)) {
            move_free(increment + node->u, &from[i], &state[i], q + node->q);
            if (ac_node_type_of(node)->complete) ac_node_type_of(node)->complete(node, q + node->q);
            continue;
        }
        ac_joint_move(node, increment + node->u, &from[i], &state[i]);
        ac_joint_forward(system, node, &state[i], q);
    }
}

/* The coordinates that a row touches, places measured from their origin. */
static int gather_row(const ac_constraints *c, int row, const double *q, double *x)
{
    int start = c->start[row], count = c->start[row + 1] - start;
    for (int s = 0; s < count; ++s) {
        int origin = c->origin[start + s];
        x[s] = q[c->coordinate[start + s]] - (origin < 0 ? 0.0 : q[origin]);
    }
    return count;
}

void ac_constraints_value(const ac_system *system, const double *q, int first, double *g)
{
    const ac_constraints *c = &system->constraints;
    double x[AC_ELEMENT_MAX];
    for (int row = first; row < c->count; ++row) {
        gather_row(c, row, q, x);
        g[row - first] = ac_form_value(&c->forms, row, x);
    }
}

void ac_constraint_gradient(const ac_system *system, int row, const double *q, double *gradient)
{
    const ac_constraints *c = &system->constraints;
    double x[AC_ELEMENT_MAX];
    int count = c->start[row + 1] - c->start[row];
    if (c->forms.product_start[row] < c->forms.product_start[row + 1]) gather_row(c, row, q, x);
    for (int s = 0; s < count; ++s) gradient[s] = 0.0;
    ac_form_add_gradient(&c->forms, row, x, 1.0, gradient);
}

/* Adds the pull of a wrench on node i along all freedoms between it and the ground. */
static void pull(const ac_system *system, const double *columns, const double *q, int i,
                 const double wrench[6], double *row)
{
    double w[6];
    memcpy(w, wrench, sizeof w);
    while (i != AC_GROUND) {
        const ac_node *node = &system->nodes[i];
        for (int j = node->u; j < node->u + node->freedoms; ++j) row[j] += dot6(columns + 6 * j, w);
        if (node->parent != AC_GROUND) {
            double here[3], there[3], arm[3];
            ac_reference(node, q, here);
            ac_reference(&system->nodes[node->parent], q, there);
            sub3(here, there, arm);
            add_cross3(arm, w, w + 3);
        }
        i = node->parent;
    }
}

void ac_closure_jacobian(const ac_system *system, const double *columns, const double *q, double *J)
{
    const ac_constraints *c = &system->constraints;
    int width = system->tree.freedoms;
    memset(J, 0, (size_t)(c->count - c->closure) * (size_t)width * sizeof *J);
    for (int row = c->closure; row < c->count; ++row) {
        double gradient[AC_ELEMENT_MAX];
        ac_constraint_gradient(system, row, q, gradient);
        const ac_joint_data *joint = &system->joints[c->owner[row]];
        const int ends[2] = {joint->a.node, joint->b.node};
        for (int e = 0; e < 2; ++e) {
            if (ends[e] == AC_GROUND) continue;
            const ac_node *node = &system->nodes[ends[e]];
            double f[AC_NODE_MAX] = {0.0}, wrench[6];
            for (int s = c->start[row]; s < c->start[row + 1]; ++s) {
                int place = c->coordinate[s] - node->q;
                if (place >= 0 && place < node->size) f[place] = gradient[s - c->start[row]];
            }
            ac_node_wrench(node, q + node->q, f, wrench);
            pull(system, columns, q, ends[e], wrench, J + (size_t)(row - c->closure) * (size_t)width);
        }
        ac_closure_clear(system, row, width, J + (size_t)(row - c->closure) * (size_t)width);
    }
}

void ac_closure_clear(const ac_system *system, int row, int count, double *values)
{
    for (int j = 0; j < count; ++j)
        if (!(fabs(values[j]) <= ROUNDED * system->constraints.size[row])) return;
    memset(values, 0, (size_t)count * sizeof *values);
}

void ac_constraint_wrench(const ac_system *system, int row, const double *gradient, int end, const double *q,
                          double wrench[6])
{
    const ac_constraints *c = &system->constraints;
    const ac_node *node = &system->nodes[end];
    double f[AC_NODE_MAX] = {0.0};
    for (int s = c->start[row]; s < c->start[row + 1]; ++s) {
        int place = c->coordinate[s] - node->q;
        if (place >= 0 && place < node->size) f[place] = gradient[s - c->start[row]];
    }
    ac_node_wrench(node, q + node->q, f, wrench);
}

void ac_constraints_add_force(const ac_system *system, const double *q, const double *lambda, int first,
                              int last, double factor, double *out)
{
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    for (int row = first; row < last; ++row) {
        double scaled = factor * lambda[row - first];
        if (scaled == 0.0) continue;
        ac_constraint_gradient(system, row, q, gradient);
        for (int s = c->start[row]; s < c->start[row + 1]; ++s)
            out[c->coordinate[s]] += scaled * gradient[s - c->start[row]];
    }
}
