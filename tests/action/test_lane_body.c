/* Bodies in lanes against the interval of the action: left and right sides with weight and loads, and the slope of the left side
 * between twists, in four systems with different numbers, to 1e-13 of the largest entry. */
#include "action/lane/lane_body.h"

#include "action/inertia.h"
#include "action/interval.h"
#include "base/vector.h"
#include "support/rig.h"
#include "test.h"

enum { N = 12, LOADS = 4 };

/* A free body with every kind of load on a body. */
static void draw(rig *r, dice *d)
{
    double x[3], rotation[9], place[3];
    dice_vector(d, 3, 1.0, x);
    dice_vector(d, 3, 0.4, place);
    dice_rotation(d, rotation);
    rig_open(r, NULL);
    rig_gravity(r, dice_between(d, -2, 2), dice_between(d, -2, 2), dice_between(d, -9, -8));
    int body = rig_odd_body(r, "body", d, x, rotation, true);
    rig_force(r, body, place, false, "3+t", "-1", "2*t");
    rig_force(r, body, place, true, "-2", "1+t", "0.5");
    rig_torque(r, body, false, "0.4", "t", "-0.3");
    rig_torque(r, body, true, "0.1*t", "0.7", "-1");
    CHECK(rig_finish(r) == AC_OK);
}

/* One lane beside the interval of its system. */
typedef struct side {
    rig r;
    ac_discrete interval;
    double a[N], b[N], tau[3 * LOADS], left[N], right[N], by_b[N * N];
} side;

static void put_entry(void *user, int ends, int row, ac_by by, int column, double value)
{
    side *s = user;
    if (ends == 0 && by == AC_BY_B) s->by_b[N * row + column] += value;
}

static void put_block(void *user, const ac_slope_block *block)
{
    (void)user, (void)block;
    CHECK(false); /* there are no elements */
}

static void pose(dice *d, double *q)
{
    double rotation[9];
    dice_rotation(d, rotation);
    dice_vector(d, 3, 1.0, q);
    for (int i = 0; i < 3; ++i)
        for (int I = 0; I < 3; ++I) q[3 + 3 * I + i] = rotation[3 * i + I];
}

static void open_side(side *s, dice *d, double t, double h)
{
    *s = (side){0};
    draw(&s->r, d);
    pose(d, s->a);
    pose(d, s->b);
    CHECK(ac_interval_open(s->r.ctx, s->r.system, "midpoint", NULL, NULL, &s->interval) == AC_OK);
    CHECK(s->interval.input_count == 3 * LOADS);
    ac_discrete_load_values(&s->interval, t, h, s->tau);
    const ac_discrete_point point = {.a = s->a, .b = s->b, .tau = s->tau, .h = h};
    ac_discrete_values(&s->interval, &point, s->left, s->right);
    ac_discrete_slopes(&s->interval, &point, false, &(ac_slope_sinks){put_entry, put_block}, s);
}

static void put_pose(const double *q, int lane, ac_lane *x, ac_lane *R)
{
    for (int i = 0; i < 3; ++i) {
        x[i][lane] = q[i];
        for (int I = 0; I < 3; ++I) R[3 * i + I][lane] = q[3 + 3 * I + i];
    }
}

static void same(const ac_lane *lanes, int lane, int n, const double *expected)
{
    double found[36];
    for (int i = 0; i < n; ++i) found[i] = lanes[i][lane];
    CHECK(largest_entry(n, expected) > 0.0);
    CHECK_NEAR(largest_difference(n, found, expected) / largest_entry(n, expected), 0.0, 1e-13);
}

/* A(a)^T (-d left/d b) A(b), about the centres of mass. */
static void twist_slope(const side *s, double out[36])
{
    const ac_node *node = &s->r.system->nodes[0];
    for (int j = 0; j < 6; ++j) {
        double unit[6] = {0}, v[N], f[N] = {0}, wrench[6];
        unit[j] = 1.0;
        ac_node_tangent(node, s->b, unit, v);
        for (int i = 0; i < N; ++i)
            for (int k = 0; k < N; ++k) f[i] -= s->by_b[N * i + k] * v[k];
        ac_node_wrench(node, s->a, f, wrench);
        for (int i = 0; i < 6; ++i) out[6 * i + j] = wrench[i];
    }
}

/* The same by the numbers in lanes, about a reference point: twists and wrenches are moved to and from the centres of mass. */
static void lane_slope(const ac_lane *B, const side *s, const double *reference, int lane, bool transposed,
                       double out[36])
{
    const double *from = transposed ? s->a : s->b, *to = transposed ? s->b : s->a;
    for (int j = 0; j < 6; ++j) {
        double unit[6] = {0}, arm[3], wrench[6];
        ac_lane twist[6], result[6];
        unit[j] = 1.0;
        for (int i = 0; i < 3; ++i) arm[i] = reference[i] - from[i];
        add_cross3(unit + 3, arm, unit);
        for (int i = 0; i < 6; ++i) lane_fill(unit[i], &twist[i]);
        (transposed ? ac_lane_slope_apply_transposed : ac_lane_slope_apply)(B, twist, result);
        for (int i = 0; i < 6; ++i) wrench[i] = result[i][lane];
        for (int i = 0; i < 3; ++i) arm[i] = reference[i] - to[i];
        add_cross3(arm, wrench, wrench + 3);
        for (int i = 0; i < 6; ++i) out[transposed ? 6 * j + i : 6 * i + j] = wrench[i];
    }
}

static void compare_slopes(const ac_lane_body *body, double h, const side *s)
{
    static const double reference[3] = {0.3, -0.8, 0.5};
    ac_lane B[AC_LANE_SLOPE], at[3];
    double expected[36], found[36];
    for (int i = 0; i < 3; ++i) lane_fill(reference[i], &at[i]);
    ac_lane_body_slope(body, h, at, B);
    for (int l = 0; l < AC_LANES; ++l) {
        twist_slope(&s[l], expected);
        for (int transposed = 0; transposed < 2; ++transposed) {
            lane_slope(B, &s[l], reference, l, transposed, found);
            CHECK_NEAR(largest_difference(36, found, expected) / largest_entry(36, expected), 0.0, 1e-13);
        }
    }
}

TEST(lanes_are_the_interval_of_the_action)
{
    const double t = 0.7, h = 0.03;
    dice d = {41};
    static side s[AC_LANES];
    ac_lane_body body;
    ac_lane_load loads[LOADS];
    ac_lane wrench[6], left[6], right[6];
    for (int l = 0; l < AC_LANES; ++l) {
        open_side(&s[l], &d, t, h);
        ac_lane_body_take(s[l].r.system, 0, l, &body, wrench);
        put_pose(s[l].a, l, body.x_b, body.R_b);
    }
    for (int k = 0; k < LOADS; ++k) {
        ac_lane_load_take(s[0].r.system, k, &loads[k]);
        for (int l = 0; l < AC_LANES; ++l) {
            ac_lane_load_place(s[l].r.system, l, &loads[k]);
            ac_lane_load_value(s[l].r.system, l, t, h, &loads[k]);
        }
    }
    for (int i = 0; i < 6; ++i) lane_fill(0.0, &wrench[i]);
    for (int k = 0; k < LOADS; ++k) ac_lane_load_add(&loads[k], &body, h, wrench);
    ac_lane_body_add_weight(&body, h, wrench);
    ac_lane_body_advance(&body);
    for (int l = 0; l < AC_LANES; ++l) put_pose(s[l].b, l, body.x_b, body.R_b);
    ac_lane_body_left(&body, h, wrench, left);
    ac_lane_body_right(&body, h, right);
    for (int k = 0; k < LOADS; ++k) ac_lane_load_add(&loads[k], &body, h, right);
    for (int l = 0; l < AC_LANES; ++l) {
        const ac_node *node = &s[l].r.system->nodes[0];
        double expected[6];
        ac_node_wrench(node, s[l].a, s[l].left, expected);
        same(left, l, 6, expected);
        ac_node_wrench(node, s[l].b, s[l].right, expected);
        same(right, l, 6, expected);
    }
    compare_slopes(&body, h, s);
    for (int l = 0; l < AC_LANES; ++l) {
        ac_discrete_destroy(&s[l].interval);
        rig_close(&s[l].r);
    }
}

/* The momentum that lanes start with is P^T M v. */
TEST(lanes_start_with_the_momentum_of_the_system)
{
    dice d = {43};
    for (int l = 0; l < AC_LANES; ++l) {
        rig r;
        ac_lane_body body;
        ac_lane wrench[6];
        double p[N], expected[6];
        draw(&r, &d);
        ac_mass_apply(r.system, r.system->initial.v, p);
        ac_node_wrench(&r.system->nodes[0], r.system->initial.q, p, expected);
        ac_lane_body_take(r.system, 0, l, &body, wrench);
        same(wrench, l, 6, expected);
        rig_close(&r);
    }
}

RUN_TESTS(CASE(lanes_are_the_interval_of_the_action), CASE(lanes_start_with_the_momentum_of_the_system))
