/* The decoupled convention of joint motions: the same motions in another basis, finite motions that keep the joints, and
 * the generalised forces of actuated pairs as printed (Leyendecker 2011, section 5.5). */
#include "tree/decoupled.h"

#include "action/torque.h"
#include "base/vector.h"
#include "support/mechanisms.h"
#include "test.h"

enum { MOST = 160 };

static const double H = 1e-5;

/* f . P u is the same in both bases, and the derivative of the finite motion is P. */
TEST(both_bases_span_the_same_motions)
{
    dice d = {5};
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        double columns[6 * MOST], twists[6 * MOST], u[MOST], own[MOST], v[MOST], f[MOST], projected[MOST];
        double plus[MOST], minus[MOST], step[MOST];
        ac_joint_state state[MOST];
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        const ac_system *system = r.system;
        int n = system->n, freedoms = system->tree.freedoms;
        const double *q = system->initial.q;
        dice_vector(&d, freedoms, 1.0, u);
        dice_vector(&d, n, 1.0, f);
        ac_tree_columns(system, system->initial.state, q, columns);
        ac_decoupled_rates(system, columns, q, u, twists, own);
        ac_tree_velocity(system, q, twists, v);
        ac_decoupled_project(system, columns, q, f, twists, projected);
        double work = 0.0, same = 0.0;
        for (int i = 0; i < n; ++i) work += f[i] * v[i];
        for (int j = 0; j < freedoms; ++j) same += projected[j] * own[j];
        CHECK_NEAR(same, work, 1e-12 * (1.0 + fabs(work)));

        for (int side = 0; side < 2; ++side) {
            for (int j = 0; j < freedoms; ++j) step[j] = (side ? -H : H) * own[j];
            ac_decoupled_move(system, columns, step, system->initial.state, q, state, side ? minus : plus);
        }
        for (int i = 0; i < n; ++i)
            CHECK_NEAR((plus[i] - minus[i]) / (2.0 * H), v[i], 1e-8 * (1.0 + fabs(v[i])));
        rig_close(&r);
    }
}

/* Tree joints hold after large increments, to rounding. */
TEST(large_motions_keep_the_joints)
{
    dice d = {6};
    for (int k = 0; k < mechanism_count; ++k) {
        rig r;
        double columns[6 * MOST], u[MOST], q[MOST], g[MOST];
        ac_joint_state state[MOST];
        rig_open(&r, NULL);
        mechanisms[k].draw(&r);
        CHECK(rig_finish(&r) == AC_OK);
        const ac_system *system = r.system;
        dice_vector(&d, system->tree.freedoms, 0.9, u);
        ac_tree_columns(system, system->initial.state, system->initial.q, columns);
        ac_decoupled_move(system, columns, u, system->initial.state, system->initial.q, state, q);
        ac_constraints_value(system, q, 0, g);
        CHECK_NEAR(largest_entry(system->constraints.closure, g), 0.0, 2e-14);
        rig_close(&r);
    }
}

/* --- pairs ----------------------------------------------------------------------------------------------------------- */

typedef struct pair {
    rig r;
    double columns[72], r2[3], axes[3][3]; /* of the joint: m1, m2, n */
} pair;

static void open_pair(pair *p, ac_joint_type type)
{
    static const double inertia[3] = {0.1, 0.2, 0.25}, at[3] = {0.2, 0.1, -0.1}, axis[3] = {1.0, 2.0, 3.0};
    static const double first[3] = {0.0, 0.0, 0.0}, second[3] = {0.5, -0.3, 0.4};
    rig_open(&p->r, NULL);
    int a = rig_body(&p->r, "first", 3.0, inertia, first, NULL),
        b = rig_body(&p->r, "second", 2.0, inertia, second, NULL);
    rig_joint(&p->r, "pair", type, a, b, at, axis, NULL);
    CHECK(rig_finish(&p->r) == AC_OK);
    const ac_system *system = p->r.system;
    double x[3], frame[9];
    CHECK(system->nodes[b].parent == a);
    ac_side_frame(system, &system->joints[0].a, system->initial.q, x, frame);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) p->axes[k][i] = frame[3 * i + k];
    sub3(x, second, p->r2);
    ac_tree_columns(system, system->initial.state, system->initial.q, p->columns);
}

/* Force t on the centre of mass of the second body and torque m on it; on the first body minus both, and the moment
 * (phi1 - phi2) x t, so that the total vanishes. Returns P^T f. */
static void actuate(const pair *p, const double t[3], const double m[3], double r[12])
{
    const ac_system *system = p->r.system;
    const double *q = system->initial.q;
    double f[24] = {0.0}, wrenches[12], between[3], moment[3], back[3];
    sub3(q, q + 12, between);
    cross3(between, t, moment);
    for (int i = 0; i < 3; ++i) {
        f[i] = -t[i];
        f[12 + i] = t[i];
        back[i] = moment[i] - m[i];
    }
    ac_torque_add(&system->nodes[0], q, back, 1.0, f);
    ac_torque_add(&system->nodes[1], q + 12, m, 1.0, f + 12);
    ac_decoupled_project(system, p->columns, q, f, wrenches, r);
}

static void check_vector(const double *r, const double expected[3])
{
    for (int i = 0; i < 3; ++i) CHECK_NEAR(r[i], expected[i], 1e-14);
}

static void combine(const pair *p, double a, double b, double c, double out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = a * p->axes[0][i] + b * p->axes[1][i] + c * p->axes[2][i];
}

TEST(actuation_is_as_printed)
{
    static const double zero[3] = {0, 0, 0};
    double t[3], m[3], expected[3], r[12];
    pair p;

    open_pair(&p, AC_SPHERICAL); /* 0; -tau; tau */
    combine(&p, 0.3, -0.5, 0.7, m);
    actuate(&p, zero, m, r);
    check_vector(r, zero);
    for (int i = 0; i < 3; ++i) expected[i] = -m[i];
    check_vector(r + 3, expected);
    CHECK_NEAR(r[6], 0.3, 1e-14);
    CHECK_NEAR(r[7], -0.5, 1e-14);
    CHECK_NEAR(r[8], 0.7, 1e-14);
    rig_close(&p.r);

    open_pair(&p, AC_REVOLUTE); /* 0; -tau n; tau */
    combine(&p, 0, 0, 0.7, m);
    actuate(&p, zero, m, r);
    check_vector(r, zero);
    combine(&p, 0, 0, -0.7, expected);
    check_vector(r + 3, expected);
    CHECK_NEAR(r[6], 0.7, 1e-14);
    rig_close(&p.r);

    open_pair(&p, AC_PRISMATIC); /* -t n; 0; t */
    combine(&p, 0, 0, 0.4, t);
    actuate(&p, t, zero, r);
    combine(&p, 0, 0, -0.4, expected);
    check_vector(r, expected);
    check_vector(r + 3, zero);
    CHECK_NEAR(r[6], 0.4, 1e-14);
    rig_close(&p.r);

    open_pair(&p, AC_CYLINDRICAL); /* (5.36): -t1 n; -t2 n; t1; t2 */
    combine(&p, 0, 0, 0.4, t);
    combine(&p, 0, 0, 0.7, m);
    actuate(&p, t, m, r);
    combine(&p, 0, 0, -0.4, expected);
    check_vector(r, expected);
    combine(&p, 0, 0, -0.7, expected);
    check_vector(r + 3, expected);
    CHECK_NEAR(r[6], 0.4, 1e-14);
    CHECK_NEAR(r[7], 0.7, 1e-14);
    rig_close(&p.r);

    open_pair(&p,
              AC_PLANAR); /* -t1 m1 - t2 m2; (w - t3) n; t1; t2; t3 - w with w = n . (r2 x (t1 m1 + t2 m2)) */
    combine(&p, 0.4, -0.6, 0, t);
    combine(&p, 0, 0, 0.7, m);
    actuate(&p, t, m, r);
    double arm[3];
    cross3(p.r2, t, arm);
    double w = dot3(p.axes[2], arm);
    combine(&p, -0.4, 0.6, 0, expected);
    check_vector(r, expected);
    combine(&p, 0, 0, w - 0.7, expected);
    check_vector(r + 3, expected);
    CHECK_NEAR(r[6], 0.4, 1e-14);
    CHECK_NEAR(r[7], -0.6, 1e-14);
    CHECK_NEAR(r[8], 0.7 - w, 1e-14);
    CHECK(fabs(w) > 0.05);
    rig_close(&p.r);
}

/* The first body turns about the axis by 2 rad and slides along it by 0.8 m: the second body of a cylindrical pair stays
 * where it is. */
TEST(the_second_body_stays)
{
    pair p;
    open_pair(&p, AC_CYLINDRICAL);
    const ac_system *system = p.r.system;
    double u[8] = {0.0}, q[24];
    ac_joint_state state[2];
    for (int i = 0; i < 3; ++i) {
        u[i] = 0.8 * p.axes[2][i];
        u[3 + i] = 2.0 * p.axes[2][i];
    }
    ac_decoupled_move(system, p.columns, u, system->initial.state, system->initial.q, state, q);
    CHECK_NEAR(largest_difference(9, q + 15, system->initial.q + 15), 0.0, 1e-14);
    CHECK(largest_difference(12, q, system->initial.q) > 0.5);
    /* its centre turns with the line, which passes the first centre at a distance: along the axis it does not move */
    double moved[3];
    sub3(q + 12, system->initial.q + 12, moved);
    CHECK_NEAR(dot3(moved, p.axes[2]), 0.0, 1e-14);
    rig_close(&p.r);
}

RUN_TESTS(CASE(both_bases_span_the_same_motions), CASE(large_motions_keep_the_joints),
          CASE(actuation_is_as_printed), CASE(the_second_body_stays))
