/* Measures (lengths, slides, angles): gradients, Hessians and discrete derivatives of all of them. */
#include "tree/kinematics.h"
#include "support/mechanisms.h"
#include "test.h"

typedef struct one_measure {
    const ac_system *system;
    const ac_measure *m;
    double winding;
    const double *xa;
} one_measure;

static void value(void *user, const double *x, double *y)
{
    const one_measure *f = user;
    y[0] = ac_measure_evaluate(f->system, f->m, x, f->winding, NULL, NULL);
}

static void gradient(void *user, const double *x, double *y)
{
    const one_measure *f = user;
    ac_measure_evaluate(f->system, f->m, x, f->winding, y, NULL);
}

static void discrete(void *user, const double *xb, double *D)
{
    const one_measure *f = user;
    double ya, yb;
    ac_measure_discrete(f->system, f->m, f->xa, xb, f->winding, &ya, &yb, D, NULL);
}

/* Runs over all measures of a mechanism at the assembled configuration, a little off the constraints. */
static void check_measures(const mechanism *mech, int seen[3])
{
    rig r;
    rig_open(&r, NULL);
    mech->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    dice d = {9};
    for (int k = 0; k < r.system->measure_count; ++k) {
        const ac_measure *m = &r.system->measures[k];
        int n = ac_measure_size(r.system, m);
        double x[AC_ELEMENT_MAX], xb[AC_ELEMENT_MAX], g[AC_ELEMENT_MAX], H[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
        ac_measure_gather(r.system, m, r.system->initial.q, x);
        for (int i = 0; i < n; ++i) {
            x[i] += dice_between(&d, -0.05, 0.05);
            xb[i] = x[i] + dice_between(&d, -0.15, 0.15);
        }
        one_measure f = {r.system, m, m->initial, x};
        ac_measure_evaluate(r.system, m, x, m->initial, g, H);
        CHECK_NEAR(jacobian_error(value, &f, n, 1, x, g), 0.0, 1e-10);
        bool linear = largest_entry(n * n, H) == 0.0; /* a slide on the ground */
        if (linear) {
            difference_jacobian(gradient, &f, n, n, x, H);
            CHECK_NEAR(largest_entry(n * n, H), 0.0, 1e-12);
        } else {
            CHECK_NEAR(jacobian_error(gradient, &f, n, n, x, H), 0.0, 1e-10);
        }
        double ya, yb, D[AC_ELEMENT_MAX], slope[AC_ELEMENT_MAX * AC_ELEMENT_MAX], product = 0.0;
        ac_measure_discrete(r.system, m, x, xb, m->initial, &ya, &yb, D, slope);
        if (!linear) CHECK_NEAR(jacobian_error(discrete, &f, n, n, xb, slope), 0.0, 1e-10);
        for (int i = 0; i < n; ++i) product += D[i] * (xb[i] - x[i]);
        if (m->kind != AC_MEASURE_ANGLE)
            CHECK_NEAR(product, yb - ya, 4e-15); /* angles: only on the constraints, below */
        CHECK(fabs(yb - ya) > 1e-4);
        ++seen[m->kind];
    }
    rig_close(&r);
}

TEST(derivatives)
{
    int seen[3] = {0, 0, 0};
    for (int k = 0; k < mechanism_count; ++k) check_measures(&mechanisms[k], seen);
    CHECK(seen[AC_MEASURE_VALUE] >= 6);
    CHECK(seen[AC_MEASURE_LENGTH] >= 3);
    CHECK(seen[AC_MEASURE_ANGLE] >= 10);
}

/* On the constraints D . (xb - xa) = y(xb) - y(xa) for angles too, for steps from small to almost half a
 * turn. The small angle branch meets the other one. */
TEST(discrete_angle)
{
    static const double turns[] = {1e-9, 1e-5, 1.9e-4, 2.1e-4, 1e-2, 0.5, 1.5, 3.0};
    dice d = {13};
    rig r;
    double R[9];
    const double x[3] = {0.2, 0.1, 0.4}, axis[3] = {1, -0.5, 0.3}, at[3] = {0, 0.3, 0.1};
    rig_open(&r, NULL);
    dice_rotation(&d, R);
    int first = rig_odd_body(&r, "first", &d, at, R, false),
        second = rig_odd_body(&r, "second", &d, x, R, false);
    int joint = rig_joint(&r, "hinge", AC_REVOLUTE, first, second, at, axis, NULL);
    CHECK(rig_finish(&r) == AC_OK);
    const ac_system *system = r.system;
    const ac_measure *m = &system->measures[system->joints[joint].first_measure];
    for (size_t k = 0; k < sizeof turns / sizeof *turns; ++k) {
        double u[7] = {0.1, -0.2, 0.3, 0.4, -0.5, 0.2, 0}, q[24], xa[24], xb[24], ya, yb, D[24],
               product = 0.0;
        ac_joint_state state[2];
        u[6] = turns[k];
        memcpy(q, system->initial.q, sizeof q);
        ac_measure_gather(system, m, q, xa);
        ac_tree_move(system, u, system->initial.state, state, q);
        ac_measure_gather(system, m, q, xb);
        ac_measure_discrete(system, m, xa, xb, 0.0, &ya, &yb, D, NULL);
        for (int i = 0; i < 24; ++i) product += D[i] * (xb[i] - xa[i]);
        CHECK_NEAR(yb - ya, turns[k], 1e-15 + 2e-15 * turns[k]);
        CHECK_NEAR(product, yb - ya, 2e-15);
    }
    rig_close(&r);
}

/* Angles are continued from a value nearby, over any number of turns. */
TEST(angles_count_turns)
{
    rig r;
    rig_open(&r, NULL);
    const double J[3] = {1, 1, 1}, x[3] = {1, 0, 0}, origin[3] = {0, 0, 0}, z[3] = {0, 0, 1};
    int body = rig_body(&r, "body", 1.0, J, x, NULL);
    int joint = rig_joint(&r, "hinge", AC_REVOLUTE, AC_GROUND, body, origin, z, NULL);
    rig_given(&r, joint, 20.0, 0, 0);
    CHECK(rig_finish(&r) == AC_OK);
    const ac_measure *m = &r.system->measures[r.system->joints[joint].first_measure];
    double q[12];
    ac_measure_gather(r.system, m, r.system->initial.q, q);
    CHECK_NEAR(ac_measure_evaluate(r.system, m, q, 19.0, NULL, NULL), 20.0, 1e-14);
    CHECK_NEAR(ac_measure_evaluate(r.system, m, q, 20.0 - 8.0, NULL, NULL),
               20.0 - 2.0 * 3.14159265358979323846, 1e-14);
    CHECK_NEAR(ac_measure_evaluate(r.system, m, q, 1000.0, NULL, NULL),
               20.0 + 156.0 * 2.0 * 3.14159265358979323846, 1e-12);
    rig_close(&r);
}

RUN_TESTS(CASE(derivatives), CASE(discrete_angle), CASE(angles_count_turns))
