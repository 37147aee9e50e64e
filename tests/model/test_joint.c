/* Joints: constraints, null space matrix and retraction belong together, for every kind of joint, in trees
 * and as loop closures, free pairs and grounded ones, in both directions, for bodies, planar bodies and
 * points. */
#include <stdlib.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "tree/kinematics.h"
#include "support/joints.h"
#include "support/rig.h"
#include "test.h"

/* Freedoms of the child relative to its parent: six minus the rows. In the order of the table; a new joint adds its number. */
static const int FREEDOMS[] = {3, 2, 1, 1, 3, 0, 5, 2};
_Static_assert(sizeof FREEDOMS / sizeof *FREEDOMS == TYPE_COUNT, "one number for each joint of the table");
enum { LIMIT = 64 };

/* --- what is checked of any finished tree ---------------------------------------------------- */

typedef struct tree {
    const ac_system *system;
    ac_joint_state *moved;
} tree;

/* F(u): the configuration after moving all joints by u. */
static void retract(void *user, const double *u, double *q)
{
    tree *t = user;
    memcpy(q, t->system->initial.q, (size_t)t->system->n * sizeof *q);
    ac_tree_move(t->system, u, t->system->initial.state, t->moved, q);
}

/* P, column by column, from the twists of the joints. */
static void null_space_matrix(const ac_system *system, const ac_joint_state *state, const double *q,
                              double *P)
{
    int n = system->n, k = system->tree.freedoms;
    double columns[6 * LIMIT], twists[6 * LIMIT], v[12 * LIMIT], u[LIMIT];
    ac_tree_columns(system, state, q, columns);
    for (int j = 0; j < k; ++j) {
        for (int i = 0; i < k; ++i) u[i] = i == j ? 1.0 : 0.0;
        ac_tree_twists(system, columns, q, u, twists);
        ac_tree_velocity(system, q, twists, v);
        for (int i = 0; i < n; ++i) P[i * k + j] = v[i];
    }
}

/* G P of the first `rows` equations, largest entry. */
static double largest_GP(const ac_system *system, const double *q, const double *P, int rows)
{
    const ac_constraints *c = &system->constraints;
    int k = system->tree.freedoms;
    double most = 0.0, gradient[AC_ELEMENT_MAX];
    for (int row = 0; row < rows; ++row) {
        ac_constraint_gradient(system, row, q, gradient);
        for (int j = 0; j < k; ++j) {
            double sum = 0.0;
            for (int e = c->start[row]; e < c->start[row + 1]; ++e)
                sum += gradient[e - c->start[row]] * P[c->coordinate[e] * k + j];
            most = fabs(sum) <= most ? most : fabs(sum);
        }
    }
    return most;
}

static int gradient_rank(const ac_system *system, const double *q, int rows)
{
    const ac_constraints *c = &system->constraints;
    double *G = calloc((size_t)(rows * system->n), sizeof *G), gradient[AC_ELEMENT_MAX];
    for (int row = 0; row < rows; ++row) {
        ac_constraint_gradient(system, row, q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            G[row * system->n + c->coordinate[e]] = gradient[e - c->start[row]];
    }
    int rank = numerical_rank(rows, system->n, G, 1e-10);
    free(G);
    return rank;
}

/* G P = 0, both of full rank, dF/du(0) = P, and g(F(u)) = 0 for large u; P stays tangent there. */
static void check_tree(const ac_system *system)
{
    const ac_constraints *c = &system->constraints;
    int n = system->n, k = system->tree.freedoms;
    double *P = calloc((size_t)(n * k + 1), sizeof *P), *q = calloc((size_t)n, sizeof *q), g[6 * LIMIT],
           u[LIMIT];
    tree t = {system, calloc((size_t)system->node_count, sizeof *t.moved)};
    memset(u, 0, sizeof u);
    null_space_matrix(system, system->initial.state, system->initial.q, P);
    CHECK(c->closure + k == n);
    CHECK(gradient_rank(system, system->initial.q, c->closure) == c->closure);
    CHECK(numerical_rank(n, k, P, 1e-10) == k);
    CHECK_NEAR(largest_GP(system, system->initial.q, P, c->closure), 0.0, 2e-15);
    if (k > 0) CHECK_NEAR(jacobian_error(retract, &t, k, n, u, P), 0.0, 1e-11);
    dice d = {3};
    for (int trial = 0; trial < 5; ++trial) {
        dice_vector(&d, k, 2.5, u);
        retract(&t, u, q);
        ac_constraints_value(system, q, 0, g);
        CHECK_NEAR(largest_entry(c->closure, g), 0.0, 4e-15);
        if (k > 0) CHECK(largest_difference(n, q, system->initial.q) > 0.1);
        null_space_matrix(system, t.moved, q, P);
        CHECK_NEAR(largest_GP(system, q, P, c->closure), 0.0, 6e-15);
        CHECK(numerical_rank(n, k, P, 1e-10) == k);
        /* the state can be read back from the poses */
        for (int i = 0; i < system->node_count; ++i) {
            ac_joint_state state;
            double again[12 * LIMIT];
            memcpy(again, q, (size_t)n * sizeof *q);
            ac_joint_read_state(system, &system->nodes[i], q, &state);
            ac_joint_forward(system, &system->nodes[i], &state, again);
            CHECK_NEAR(largest_difference(n, again, q), 0.0, 4e-15);
        }
    }
    free(P);
    free(q);
    free(t.moved);
}

/* --- pairs ----------------------------------------------------------------------------------- */

/* Two bodies anywhere, joined in any direction; or one body and the ground. */
static int draw_pair(rig *r, ac_joint_type type, bool grounded, bool reversed, uint64_t seed)
{
    dice d = {seed};
    double R[9], x[3], axis[3], at[3], other[3], c[3];
    int first = AC_GROUND;
    if (!grounded) {
        dice_rotation(&d, R);
        dice_vector(&d, 3, 1.0, x);
        first = rig_odd_body(r, "first", &d, x, R, false);
    }
    dice_rotation(&d, R);
    dice_vector(&d, 3, 1.0, x);
    int second = rig_odd_body(r, "second", &d, x, R, false);
    dice_vector(&d, 3, 1.0, axis);
    dice_vector(&d, 3, 1.0, at);
    dice_vector(&d, 3, 1.0, other);
    dice_vector(&d, 3, 1.0, c);
    int a = reversed ? second : first, b = reversed ? first : second;
    if (type == AC_DISTANCE) return rig_distance(r, "pair", a, b, at, other);
    return rig_joint(r, "pair", type, a, b, at, axis, c);
}

TEST(pairs_of_bodies)
{
    for (int t = 0; t < TYPE_COUNT; ++t)
        for (int variant = 0; variant < 4; ++variant) {
            bool grounded = variant & 1, reversed = variant & 2;
            rig r;
            rig_open(&r, NULL);
            int joint = draw_pair(&r, TYPES[t], grounded, reversed, 11);
            CHECK(rig_finish(&r) == AC_OK);
            CHECK(r.system->joints[joint].reversed == reversed);
            CHECK(r.system->joints[joint].rows == 6 - FREEDOMS[t]);
            CHECK(ac_system_sizes(r.system).freedoms == FREEDOMS[t] + (grounded ? 0 : 6));
            CHECK_NEAR(r.assembly.moved, 0.0, 1e-14); /* drawn consistently */
            CHECK_NEAR(r.assembly.turned, 0.0,
                       3e-8); /* from an arc cosine-like logarithm of a rotation by round-off */
            check_tree(r.system);
            rig_close(&r);
        }
}

TEST(pairs_in_the_plane)
{
    static const ac_joint_type types[] = {AC_REVOLUTE, AC_PRISMATIC, AC_FIXED, AC_DISTANCE, AC_PLANAR};
    static const int rows[] = {2, 2, 3, 1, 0};
    const double z[3] = {0, 0, 1}, slide[3] = {0.6, -0.8, 0}, at[3] = {0.4, 0.3, 0},
                 other[3] = {-0.2, 0.9, 0};
    const double c[3] = {0.7, 0, 0};
    for (int t = 0; t < 5; ++t)
        for (int variant = 0; variant < 4; ++variant) {
            bool grounded = variant & 1, reversed = variant & 2;
            rig r;
            rig_open(&r, NULL);
            int first = grounded ? AC_GROUND : rig_planar(&r, "first", 1.0, 0.2, 0.1, -0.3, 0.8);
            int second = rig_planar(&r, "second", 2.0, 0.3, 0.9, 0.5, -1.1);
            int a = reversed ? second : first, b = reversed ? first : second;
            int joint = types[t] == AC_DISTANCE ? rig_distance(&r, "pair", a, b, at, other)
                                                : rig_joint(&r, "pair", types[t], a, b, at,
                                                            types[t] == AC_PRISMATIC ? slide : z, c);
            CHECK(rig_finish(&r) == AC_OK);
            CHECK(r.system->joints[joint].rows == rows[t]);
            CHECK(ac_system_sizes(r.system).freedoms == 3 - rows[t] + (grounded ? 0 : 3));
            check_tree(r.system);
            rig_close(&r);
        }
}

TEST(joints_of_points)
{
    static const ac_joint_type types[] = {AC_SPHERICAL, AC_PRISMATIC, AC_PLANAR, AC_FIXED, AC_DISTANCE};
    static const int rows[] = {3, 2, 1, 3, 1};
    dice d = {5};
    const double x[3] = {0.5, -0.2, 0.7}, axis[3] = {1, 0.5, -0.3}, at[3] = {-0.4, 0.3, 0.2};
    for (int t = 0; t < 5; ++t)
        for (int variant = 0; variant < 4; ++variant) {
            bool grounded = variant & 1, reversed = variant & 2;
            double R[9];
            rig r;
            rig_open(&r, NULL);
            dice_rotation(&d, R);
            int first = grounded ? AC_GROUND : rig_odd_body(&r, "body", &d, at, R, false);
            int point = rig_point(&r, "point", 0.7, 3, x[0], x[1], x[2]);
            int a = reversed ? point : first, b = reversed ? first : point;
            /* a slide along the axis through the point itself, so that it is drawn consistently */
            int joint = types[t] == AC_DISTANCE
                            ? rig_distance(&r, "pair", a, b, reversed ? x : at, reversed ? at : x)
                            : rig_joint(&r, "pair", types[t], a, b, x, axis, NULL);
            CHECK(rig_finish(&r) == AC_OK);
            CHECK(r.system->joints[joint].rows == rows[t]);
            CHECK(ac_system_sizes(r.system).freedoms == 3 - rows[t] + (grounded ? 0 : 6));
            check_tree(r.system);
            rig_close(&r);
        }
}

/* Points of one and two dimensions, and bodies that nothing holds. */
TEST(free_nodes)
{
    dice d = {17};
    double R[9];
    const double x[3] = {0.3, 0.1, -0.6};
    rig r;
    rig_open(&r, NULL);
    dice_rotation(&d, R);
    rig_odd_body(&r, "body", &d, x, R, false);
    rig_planar(&r, "planar", 1.0, 0.1, 0.4, 0.2, 1.0);
    for (int k = 1; k < 4; ++k) rig_point(&r, "point", 1.0, k, 0.2, 0.4, 0.6);
    CHECK(rig_finish(&r) == AC_OK);
    CHECK(r.system->tree.freedoms == 6 + 3 + 1 + 2 + 3);
    check_tree(r.system);
    rig_close(&r);
}

/* --- chains, and joints that close loops ----------------------------------------------------- */

TEST(long_mixed_tree)
{
    dice d = {29};
    rig r;
    rig_open(&r, NULL);
    int nodes[TYPE_COUNT], freedoms = 0;
    for (int k = 0; k < TYPE_COUNT; ++k) freedoms += FREEDOMS[k];
    for (int k = 0; k < TYPE_COUNT; ++k) {
        double R[9], x[3], axis[3], at[3], other[3], c[3];
        dice_rotation(&d, R);
        dice_vector(&d, 3, 1.0, x);
        nodes[k] = rig_odd_body(&r, "part", &d, x, R, false);
        dice_vector(&d, 3, 1.0, axis);
        dice_vector(&d, 3, 1.0, at);
        dice_vector(&d, 3, 1.0, other);
        dice_vector(&d, 3, 1.0, c);
        int parent = k == 0 ? AC_GROUND : nodes[(k - 1) / 2]; /* a binary tree */
        int a = k % 2 ? nodes[k] : parent, b = k % 2 ? parent : nodes[k];
        if (TYPES[k] == AC_DISTANCE)
            rig_distance(&r, "rod", a, b, at, other);
        else
            rig_joint(&r, "joint", TYPES[k], a, b, at, axis, c);
    }
    CHECK(rig_finish(&r) == AC_OK);
    CHECK(r.system->tree.freedoms == freedoms);
    check_tree(r.system);
    rig_close(&r);
}

/* A joint that closes a loop: its rows are those of the joint, its Jacobian J = G P agrees with differences
 * of g(F(u)). */
static void closure_rows(void *user, const double *u, double *g)
{
    tree *t = user;
    double q[12 * LIMIT];
    retract(t, u, q);
    ac_constraints_value(t->system, q, t->system->constraints.closure, g);
}

TEST(every_joint_closes_a_loop)
{
    for (int t = 0; t < TYPE_COUNT; ++t) {
        if (TYPES[t] == AC_FIXED) continue; /* would be taken into the tree first */
        for (int turned = 0; turned < 2; ++turned) {
            dice d = {41};
            double R[9], x[3], at[3], other[3], c[3] = {0.3, -0.4, 0.5}, axis[3];
            int nodes[2];
            rig r;
            rig_open(&r, NULL);
            for (int k = 0; k < 2; ++k) {
                dice_rotation(&d, R);
                dice_vector(&d, 3, 1.0, x);
                dice_vector(&d, 3, 1.0, at);
                nodes[k] = rig_odd_body(&r, "part", &d, x, R, false);
                /* a chain of distances is looser than any other joint, hence the tree would not take it: give
                 * the chain tight joints when a distance shall close the loop */
                rig_joint(&r, "chain", k == 0 ? AC_REVOLUTE : AC_CYLINDRICAL, k == 0 ? AC_GROUND : nodes[0],
                          nodes[k], at, x, NULL);
            }
            dice_vector(&d, 3, 1.0, at);
            dice_vector(&d, 3, 1.0, other);
            dice_vector(&d, 3, 1.0, axis);
            int a = turned ? nodes[1] : AC_GROUND, b = turned ? AC_GROUND : nodes[1];
            int closing = TYPES[t] == AC_DISTANCE ? rig_distance(&r, "closing", a, b, at, other)
                                                  : rig_joint(&r, "closing", TYPES[t], a, b, at, axis, c);
            CHECK(rig_finish(&r) == AC_OK);
            const ac_system *system = r.system;
            CHECK(system->tree.loops == 1);
            int loose = -1;
            for (int j = 0; j < system->joint_count; ++j)
                if (!system->joints[j].in_tree) loose = j;
            CHECK(system->joints[loose].rows == system->constraints.count - system->constraints.closure);
            if (TYPES[t] == AC_SPHERICAL || TYPES[t] == AC_PLANAR || TYPES[t] == AC_DISTANCE)
                CHECK(loose == closing);
            int k = system->tree.freedoms, rows = system->joints[loose].rows;
            double columns[6 * LIMIT], J[6 * LIMIT], u[LIMIT] = {0};
            tree moving = {system, calloc((size_t)system->node_count, sizeof *moving.moved)};
            ac_tree_columns(system, system->initial.state, system->initial.q, columns);
            ac_closure_jacobian(system, columns, system->initial.q, J);
            CHECK_NEAR(jacobian_error(closure_rows, &moving, k, rows, u, J), 0.0, 1e-11);
            check_tree(system);
            free(moving.moved);
            rig_close(&r);
        }
    }
}

/* Coordinates of a joint that are measured. */
static int measured(const ac_system *system, int joint)
{
    const ac_joint_data *data = &system->joints[joint];
    return data->first_measure < 0 ? 0 : ac_row_coordinates(data->row);
}

/* The coordinates that a joint is given are those that are measured, also for reversed joints and beyond full
 * turns. */
TEST(coordinates_are_measured_as_given)
{
    const double given[][3] = {{0.4, -0.7, 0.9}, {0.3, 7.5, 0}, {-8.2, 0, 0}, {1.3, 0, 0},
                               {0.6, -0.4, 9.0}, {0, 0, 0},     {0, 0, 0},    {-7.4, 8.3, 0}};
    for (int t = 0; t < TYPE_COUNT; ++t)
        for (int variant = 0; variant < 4; ++variant) {
            rig r;
            rig_open(&r, NULL);
            int joint = draw_pair(&r, TYPES[t], variant & 1, variant & 2, 19);
            if (TYPES[t] != AC_FIXED && TYPES[t] != AC_DISTANCE)
                rig_given(&r, joint, given[t][0], given[t][1], given[t][2]);
            CHECK(rig_finish(&r) == AC_OK);
            const ac_system *system = r.system;
            for (int c = 0; c < measured(system, joint); ++c)
                CHECK_NEAR(system->measures[system->joints[joint].first_measure + c].initial, given[t][c],
                           4e-15);
            rig_close(&r);
        }
}

/* The rates that a joint is given are the rates of its coordinates, also for reversed joints: y' = grad y .
 * v. */
TEST(rates_are_rates_of_the_coordinates)
{
    for (int t = 0; t < TYPE_COUNT; ++t)
        for (int variant = 0; variant < 4; ++variant) {
            if (TYPES[t] == AC_SPHERICAL || TYPES[t] == AC_FIXED || TYPES[t] == AC_DISTANCE) continue;
            const double rates[3] = {0.7, -1.1, 0.4};
            rig r;
            rig_open(&r, NULL);
            int joint = draw_pair(&r, TYPES[t], variant & 1, variant & 2, 23);
            rig_rates(&r, joint, rates[0], rates[1], rates[2]);
            if (!(variant & 1)) {
                const double v[3] = {0.2, 0.3, -0.4}, w[3] = {0.5, -0.6, 0.7};
                rig_moving(&r, 0, v, w);
            }
            CHECK(rig_finish(&r) == AC_OK);
            const ac_system *system = r.system;
            for (int c = 0; c < measured(system, joint); ++c) {
                const ac_measure *m = &system->measures[system->joints[joint].first_measure + c];
                double x[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX], rate = 0.0;
                ac_measure_gather(system, m, system->initial.q, x);
                ac_measure_gather(system, m, system->initial.v, v);
                ac_measure_evaluate(system, m, x, m->initial, gradient, NULL);
                for (int i = 0; i < ac_measure_size(system, m); ++i) rate += gradient[i] * v[i];
                CHECK_NEAR(rate, rates[c], 2e-14);
            }
            CHECK_NEAR(r.assembly.velocity_change, 0.0, 1e-14);
            rig_close(&r);
        }
}

/* Spherical: the rotation vector that is given turns frame b in frame a, also reversed; rates are the angular
 * velocity of b relative to a in the axes of a. */
TEST(spherical_coordinates_and_rates)
{
    const double theta[3] = {0.4, -0.7, 0.9}, rates[3] = {0.7, -1.1, 0.4};
    for (int variant = 0; variant < 4; ++variant) {
        rig r;
        rig_open(&r, NULL);
        int joint = draw_pair(&r, AC_SPHERICAL, variant & 1, variant & 2, 37);
        rig_given(&r, joint, theta[0], theta[1], theta[2]);
        rig_rates(&r, joint, rates[0], rates[1], rates[2]);
        CHECK(rig_finish(&r) == AC_OK);
        const ac_joint_data *data = &r.system->joints[joint];
        const ac_side *side[2] = {&data->a, &data->b};
        double axes[2][9], spin[2][3] = {{0}}, relative[9], got[3], difference[3], in_a[3];
        for (int e = 0; e < 2; ++e) {
            memcpy(axes[e], side[e]->axes, sizeof axes[e]);
            if (side[e]->node == AC_GROUND) continue;
            const ac_node *node = &r.system->nodes[side[e]->node];
            double x[3], R[9];
            ac_node_get_pose(node, r.system->initial.q + node->q, x, R);
            multiply3(R, side[e]->axes, axes[e]);
            /* omega = 1/2 sum d_I x d_I' */
            for (int I = 1; I < 4; ++I)
                add_cross3(r.system->initial.q + node->q + 3 * I, r.system->initial.v + node->q + 3 * I,
                           spin[e]);
            for (int i = 0; i < 3; ++i) spin[e][i] *= 0.5;
        }
        transposed_multiply3(axes[0], axes[1], relative);
        ac_rotation_log(relative, got);
        CHECK_NEAR(largest_difference(3, got, theta), 0.0, 4e-15);
        sub3(spin[1], spin[0], difference);
        apply_transposed3(axes[0], difference, in_a);
        CHECK_NEAR(largest_difference(3, in_a, rates), 0.0, 4e-15);
        rig_close(&r);
    }
}

/* The rules of the table (joint_rows.h), and that this file goes through all of it. */
TEST(rows_follow_the_rules_of_the_table)
{
    for (int type = 0; ac_joint_find((ac_joint_type)type); ++type) {
        const ac_joint_row *row = ac_joint_find((ac_joint_type)type);
        bool known = false, turned = false;
        for (int k = 0; k < TYPE_COUNT; ++k) known = known || (int)TYPES[k] == type;
        CHECK(known);
        for (int m = 0; m < AC_ROW_MAX && row->motion[m].kind != AC_MOTION_NONE; ++m) {
            ac_motion_kind kind = row->motion[m].kind;
            bool turn = kind == AC_MOTION_TURN || kind == AC_MOTION_BALL;
            bool alone = m == 0 && row->motion[1].kind == AC_MOTION_NONE;
            CHECK(turn || !turned); /* shifts come first */
            CHECK(kind != AC_MOTION_BALL || !row->motion[m].name || alone);
            turned = turned || turn;
        }
    }
}

RUN_TESTS(CASE(pairs_of_bodies), CASE(pairs_in_the_plane), CASE(joints_of_points), CASE(free_nodes),
          CASE(long_mixed_tree), CASE(every_joint_closes_a_loop), CASE(coordinates_are_measured_as_given),
          CASE(rates_are_rates_of_the_coordinates), CASE(spherical_coordinates_and_rates),
          CASE(rows_follow_the_rules_of_the_table))
