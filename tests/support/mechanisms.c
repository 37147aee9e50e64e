/* The mechanisms that tests run through. */
#include "support/mechanisms.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"

static const double X[3] = {1, 0, 0}, Y[3] = {0, 1, 0}, Z[3] = {0, 0, 1}, ORIGIN[3] = {0, 0, 0};

/* --- open ------------------------------------------------------------------------------------ */

static void point_pendulum(rig *r)
{
    rig_gravity(r, 0, -9.81, 0);
    int mass = rig_point(r, "mass", 1.3, 2, 0.8, 0.3, 0);
    const double x[3] = {0.8, 0.3, 0}, v[3] = {0.3, -0.8, 0};
    rig_distance(r, "string", AC_GROUND, mass, ORIGIN, x);
    rig_moving(r, mass, v, NULL);
}

static void body_pendulum(rig *r)
{
    const double J[3] = {0.05, 0.11, 0.08}, centre[3] = {0.5, 0.2, -0.1}, axis[3] = {0.2, 1, 0.1};
    rig_gravity(r, 0, 0, -9.81);
    int body = rig_body(r, "bob", 1.7, J, centre, NULL);
    int hinge = rig_joint(r, "hinge", AC_REVOLUTE, body, AC_GROUND, ORIGIN, axis, NULL);
    rig_rates(r, hinge, 1.5, 0, 0);
}

/* A chain with every kind of joint, springs, dampers and all kinds of loads. */
static void mixed_chain(rig *r)
{
    static const struct {
        ac_joint_type type;
        double axis[3], coordinates[3], rates[3];
    } links[] = {
        {AC_REVOLUTE, {0, 1, 0.2}, {0.3, 0, 0}, {0.7, 0, 0}},
        {AC_SPHERICAL, {0, 0, 1}, {0.1, 0.2, -0.3}, {0.3, -0.2, 0.4}},
        {AC_CYLINDRICAL, {1, 0, 0.3}, {0.1, 0.4, 0}, {0.2, -0.5, 0}},
        {AC_PRISMATIC, {0.4, 1, 0}, {-0.2, 0, 0}, {0.3, 0, 0}},
        {AC_PLANAR, {0, 0.3, 1}, {0.1, -0.1, 0.5}, {0.1, 0.2, -0.3}},
        {AC_FIXED, {1, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {AC_DISTANCE, {0, 0, 1}, {0, 0, 0}, {0, 0, 0}},
    };
    dice d = {7};
    int before = AC_GROUND, joints[7], nodes[7];
    rig_gravity(r, 0.5, 0, -9.81);
    for (int k = 0; k < 7; ++k) {
        double R[9];
        const double centre[3] = {0.5 * k + 0.3, 0.1 * k, -0.05 * k},
                     at[3] = {0.5 * k, 0.1 * k - 0.05, -0.05 * k};
        const double far[3] = {0.5 * k + 0.2, 0.1 * k + 0.1, -0.05 * k + 0.2};
        dice_rotation(&d, R);
        nodes[k] = rig_odd_body(r, "link", &d, centre, R, false);
        bool turned = k % 2 == 1; /* the child first in half of the joints */
        int a = turned ? nodes[k] : before, b = turned ? before : nodes[k];
        if (links[k].type == AC_DISTANCE) {
            joints[k] = rig_distance(r, "rod", a, b, turned ? far : at, turned ? at : far);
        } else {
            joints[k] = rig_joint(r, "joint", links[k].type, a, b, at, links[k].axis, links[k].coordinates);
            rig_rates(r, joints[k], links[k].rates[0], links[k].rates[1], links[k].rates[2]);
        }
        before = nodes[k];
    }
    rig_joint_spring(r, joints[0], 0, 8.0, 0.3, 0.1);
    rig_joint_spring(r, joints[2], 0, 60.0, 1.5, 0.0);
    rig_joint_spring(r, joints[2], 1, 5.0, 0.2, 0.2);
    rig_joint_spring(r, joints[3], 0, 90.0, 2.0, 0.1);
    rig_joint_spring(r, joints[4], 0, 70.0, 1.0, 0.0);
    rig_joint_spring(r, joints[4], 1, 80.0, 1.0, 0.05);
    rig_joint_load(r, joints[0], 0, "2*sin(3*t)");
    rig_joint_load(r, joints[4], 2, "0.4*cos(5*t)");
    rig_joint_load(r, joints[3], 0, "1.5");
    const double hook[3] = {1, 1, 1}, tip[3] = {3.1, 0.7, -0.2}, middle[3] = {1.4, 0.3, 0.1};
    rig_spring(r, AC_GROUND, nodes[6], hook, tip, 20.0, 0.7, 1.0);
    rig_spring(r, nodes[1], nodes[4], middle, hook, 15.0, 0.4, -1.0);
    rig_force(r, nodes[2], tip, false, "1", "sin(t)", NULL);
    rig_force(r, nodes[5], tip, true, NULL, "0.5", "t");
    rig_torque(r, nodes[3], false, "0.2", NULL, "0.1*t");
    rig_torque(r, nodes[6], true, "0.1", "0.05", NULL);
}

/* Springs and dampers in the joints only, so that the recursion along the tree takes them. */
static void sprung_chain(rig *r)
{
    static const ac_joint_type types[] = {AC_REVOLUTE, AC_CYLINDRICAL, AC_PLANAR, AC_PRISMATIC};
    static const int coordinates[] = {1, 2, 3, 1};
    const double c[3] = {0.2, -0.1, 0.3};
    dice d = {77};
    int before = AC_GROUND;
    rig_gravity(r, 0, 0, -9.81);
    for (int k = 0; k < 4; ++k) {
        double R[9], axis[3];
        const double centre[3] = {0.4 * k + 0.2, 0.1, -0.1 * k}, at[3] = {0.4 * k, 0.05, -0.1 * k};
        dice_rotation(&d, R);
        dice_vector(&d, 3, 1.0, axis);
        int node = rig_odd_body(r, "link", &d, centre, R, false);
        int a = k % 2 ? node : before, b = k % 2 ? before : node;
        int joint = rig_joint(r, "joint", types[k], a, b, at, axis, c);
        for (int i = 0; i < coordinates[k]; ++i) rig_joint_spring(r, joint, i, 200.0, 3.0, 0.1 * i);
        rig_rates(r, joint, 0.5, -0.6, 0.4);
        rig_spring(r, a, b, centre, at, 80.0, 1.0, 0.2);
        before = node;
    }
}

/* Crosses gone in both directions, with springs, dampers and loads on both of their angles. */
static void cross_chain(rig *r)
{
    const double c[3] = {0.5, -0.6, 0.0};
    dice d = {83};
    int before = AC_GROUND;
    rig_gravity(r, 0, 1.0, -9.81);
    for (int k = 0; k < 3; ++k) {
        double R[9], axis[3];
        const double centre[3] = {0.5 * k + 0.3, -0.1, 0.1 * k}, at[3] = {0.5 * k, 0.05, -0.05 * k};
        dice_rotation(&d, R);
        dice_vector(&d, 3, 1.0, axis);
        int node = rig_odd_body(r, "link", &d, centre, R, false);
        int a = k % 2 ? node : before, b = k % 2 ? before : node;
        int joint = rig_joint(r, "cross", AC_UNIVERSAL, a, b, at, axis, c);
        rig_rates(r, joint, 0.8, -0.9, 0.0);
        rig_joint_spring(r, joint, 0, 6.0, 0.2, 0.3);
        if (k > 0) rig_joint_spring(r, joint, 1, 9.0, 0.1, -0.2);
        rig_joint_load(r, joint, 1, "0.5*sin(4*t)");
        before = node;
    }
}

/* A free base with two arms that branch; springs inside, nothing outside. */
static void free_tree(rig *r)
{
    dice d = {21};
    double R[9];
    const double base[3] = {0, 0, 0}, a1[3] = {1, 0, 0}, a2[3] = {2, 0.3, 0}, b1[3] = {-1, 0.2, 0},
                 b2[3] = {-1.5, 1, 0.5}, b3[3] = {-1.6, -1, 0.2};
    const double p1[3] = {0.5, 0, 0}, p2[3] = {1.5, 0, 0}, p3[3] = {-0.5, 0, 0.1}, p4[3] = {-1.2, 0.6, 0.2},
                 p5[3] = {-1.3, -0.4, 0}, skew[3] = {1, 2, -1};
    const double c1[3] = {0.4, 0, 0}, c2[3] = {0.2, -0.3, 0.1}, c3[3] = {0.1, 0.5, 0}, c4[3] = {0.2, 0, 0};
    int node[6];
    const double *at[6] = {base, a1, a2, b1, b2, b3};
    for (int k = 0; k < 6; ++k) {
        dice_rotation(&d, R);
        node[k] = rig_odd_body(r, "part", &d, at[k], R, k == 0);
    }
    int j1 = rig_joint(r, "j1", AC_REVOLUTE, node[0], node[1], p1, Z, c1);
    int j2 = rig_joint(r, "j2", AC_SPHERICAL, node[2], node[1], p2, Y, c2);
    int j3 = rig_joint(r, "j3", AC_CYLINDRICAL, node[0], node[3], p3, skew, c3);
    int j4 = rig_joint(r, "j4", AC_PRISMATIC, node[3], node[4], p4, Y, c4);
    int j5 = rig_joint(r, "j5", AC_REVOLUTE, node[5], node[3], p5, X, c1);
    rig_rates(r, j1, 1.0, 0, 0);
    rig_rates(r, j2, 0.5, -0.6, 0.3);
    rig_rates(r, j3, 0.2, 1.0, 0);
    rig_rates(r, j4, 0.4, 0, 0);
    rig_rates(r, j5, -1.2, 0, 0);
    rig_joint_spring(r, j4, 0, 50.0, 0, 0);
    rig_joint_spring(r, j3, 0, 40.0, 0, 0);
    rig_spring(r, node[2], node[4], a2, b2, 12.0, 0.0, 3.0);
}

/* Points held by rods only: a hanging triangle with a tail, and a body at its end. */
static void points_and_rods(rig *r)
{
    const double J[3] = {0.02, 0.03, 0.04};
    const double x[4][3] = {{0.6, 0, -0.5}, {0.1, 0.7, -0.9}, {-0.5, 0.1, -1.0}, {-0.9, 0.4, -1.6}},
                 end[3] = {-0.8, 0.2, -2.0};
    const double v[3] = {0.5, 0.4, -0.2};
    int node[5];
    rig_gravity(r, 0, 0, -9.81);
    for (int k = 0; k < 4; ++k) node[k] = rig_point(r, "knot", 0.5 + 0.2 * k, 3, x[k][0], x[k][1], x[k][2]);
    node[4] = rig_body(r, "weight", 0.8, J, end, NULL);
    rig_distance(r, "r0", AC_GROUND, node[0], ORIGIN, x[0]);
    rig_distance(r, "r1", node[0], node[1], x[0], x[1]);
    rig_distance(r, "r2", node[1], node[2], x[1], x[2]);
    rig_distance(r, "r3", node[2], node[0], x[2], x[0]);
    rig_distance(r, "r4", node[2], node[3], x[2], x[3]);
    rig_joint(r, "ball", AC_SPHERICAL, node[3], node[4], x[3], Z, NULL);
    rig_moving(r, node[2], v, NULL);
}

static void planar_tree(rig *r)
{
    rig_gravity(r, 0, -9.81, 0);
    int cart = rig_planar(r, "cart", 2.0, 0.3, 0.2, 0.1, 0.3),
        arm = rig_planar(r, "arm", 1.0, 0.1, 0.5, -0.4, -0.8);
    int bob = rig_point(r, "bob", 0.4, 2, 1.0, -0.9, 0);
    const double slope[3] = {1, 0.3, 0}, pin[3] = {0.3, 0, 0}, eye[3] = {0.7, -0.7, 0},
                 tip[3] = {1.0, -0.9, 0}, wall[3] = {-1, 0, 0};
    int rail = rig_joint(r, "rail", AC_PRISMATIC, cart, AC_GROUND, ORIGIN, slope, NULL);
    int hinge = rig_joint(r, "pin", AC_REVOLUTE, cart, arm, pin, Z, NULL);
    rig_distance(r, "string", arm, bob, eye, tip);
    rig_rates(r, rail, 0.4, 0, 0);
    rig_rates(r, hinge, -1.1, 0, 0);
    rig_spring(r, AC_GROUND, cart, wall, pin, 30.0, 0.5, 1.0);
    rig_joint_spring(r, rail, 0, 25.0, 0.4, 0.1);
    rig_joint_load(r, hinge, 0, "0.5*sin(4*t)");
    rig_torque(r, arm, false, NULL, NULL, "0.2");
    rig_force(r, arm, eye, true, "0.3", "-0.2*t", NULL);
}

/* --- loops ----------------------------------------------------------------------------------- */

void four_bar_points(const four_bar *bar, double p[4][3])
{
    memset(p, 0, 12 * sizeof(double));
    p[1][0] = bar->crank * cos(bar->angle);
    p[1][1] = bar->crank * sin(bar->angle);
    p[3][0] = bar->base;
    double dx = p[3][0] - p[1][0], dy = p[3][1] - p[1][1], d = sqrt(dx * dx + dy * dy);
    double along = (d * d + bar->coupler * bar->coupler - bar->rocker * bar->rocker) / (2.0 * d);
    double across = bar->branch * sqrt(bar->coupler * bar->coupler - along * along);
    p[2][0] = p[1][0] + (along * dx - across * dy) / d;
    p[2][1] = p[1][1] + (along * dy + across * dx) / d;
}

void draw_four_bar(rig *r, const four_bar *bar)
{
    double p[4][3];
    four_bar_points(bar, p);
    rig_gravity(r, 0, -9.81, 0);
    int crank = rig_rod(r, "crank", p[0], p[1], 1.0), coupler = rig_rod(r, "coupler", p[1], p[2], 1.0);
    int rocker = rig_rod(r, "rocker", p[2], p[3], 1.0);
    rig_joint(r, "A", AC_REVOLUTE, AC_GROUND, crank, p[0], Z, NULL);
    rig_joint(r, "B", AC_REVOLUTE, crank, coupler, p[1], Z, NULL);
    rig_joint(r, "C", AC_REVOLUTE, coupler, rocker, p[2], Z, NULL);
    rig_joint(r, "D", AC_REVOLUTE, rocker, AC_GROUND, p[3], Z, NULL);
}

void draw_planar_four_bar(rig *r, const four_bar *bar)
{
    double p[4][3];
    four_bar_points(bar, p);
    rig_gravity(r, 0, -9.81, 0);
    int crank = rig_planar_rod(r, "crank", p[0], p[1], 1.0),
        coupler = rig_planar_rod(r, "coupler", p[1], p[2], 1.0);
    int rocker = rig_planar_rod(r, "rocker", p[2], p[3], 1.0);
    rig_joint(r, "A", AC_REVOLUTE, AC_GROUND, crank, p[0], Z, NULL);
    rig_joint(r, "B", AC_REVOLUTE, crank, coupler, p[1], Z, NULL);
    rig_joint(r, "C", AC_REVOLUTE, coupler, rocker, p[2], Z, NULL);
    rig_joint(r, "D", AC_REVOLUTE, rocker, AC_GROUND, p[3], Z, NULL);
}

static const four_bar CRANK_ROCKER = {0.7, 1.8, 1.3, 2.0, 1.5707963267948966, 1.0};

static void space_four_bar(rig *r)
{
    draw_four_bar(r, &CRANK_ROCKER);
}

static void plane_four_bar(rig *r)
{
    draw_planar_four_bar(r, &CRANK_ROCKER);
}

static void slider_crank(rig *r)
{
    const double o[2] = {0, 0}, a[2] = {0.3, 0.4}, b[2] = {1.2, 0.1};
    const double origin[3] = {0, 0, 0}, pin_a[3] = {0.3, 0.4, 0}, pin_b[3] = {1.2, 0.1, 0},
                 along[3] = {1, 0.05, 0};
    rig_gravity(r, 0, -9.81, 0);
    int crank = rig_planar_rod(r, "crank", o, a, 2.0), rod = rig_planar_rod(r, "rod", a, b, 1.0);
    int slider = rig_planar(r, "slider", 0.7, 0.05, 1.2, 0.1, 0.0);
    int hinge = rig_joint(r, "O", AC_REVOLUTE, AC_GROUND, crank, origin, Z, NULL);
    rig_joint(r, "A", AC_REVOLUTE, crank, rod, pin_a, Z, NULL);
    rig_joint(r, "B", AC_REVOLUTE, rod, slider, pin_b, Z, NULL);
    int rail = rig_joint(r, "rail", AC_PRISMATIC, AC_GROUND, slider, pin_b, along, NULL);
    rig_rates(r, hinge, 6.0, 0, 0);
    rig_joint_spring(r, rail, 0, 30.0, 0.6, -0.2);
    rig_joint_load(r, hinge, 0, "1-0.2*t");
}

/* Six tetrahedra in a ring; 72 equations of rank 71 (Leyendecker, Marsden, Ortiz 2008, section 5.5). */
static void six_body(rig *r)
{
    static const double corner[6][3] = {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 1, -1}, {1, 0, -1}, {0, 0, -1}};
    static const double axis[6][3] = {{1, 0, 0}, {0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    const double l = 0.1, a = tan(0.16 * 3.14159265358979323846), mass = 1000.0 * a * a * l * l * l / 6.0;
    int node[6], joint[7];
    rig_gravity(r, 0, 0, -9.81);
    for (int k = 0; k < 6; ++k) {
        int next = (k + 1) % 6;
        double c[4][3], centre[3] = {0, 0, 0}, E[9] = {0};
        for (int i = 0; i < 3; ++i) {
            c[0][i] = l * corner[k][i];
            c[1][i] = c[0][i] + a * l * axis[k][i];
            c[2][i] = l * corner[next][i];
            c[3][i] = c[2][i] + a * l * axis[next][i];
            for (int v = 0; v < 4; ++v) centre[i] += 0.25 * c[v][i];
        }
        for (int v = 0; v < 4; ++v) /* E = m/20 sum c c^T about the centre of mass */
            for (int i = 0; i < 9; ++i)
                E[i] += mass / 20.0 * (c[v][i / 3] - centre[i / 3]) * (c[v][i % 3] - centre[i % 3]);
        double trace = E[0] + E[4] + E[8];
        ac_body body = {.name = "tetrahedron", .mass = mass, .placed = true, .pose = ac_pose_identity()};
        const double J[6] = {trace - E[0], trace - E[4], trace - E[8], -E[1], -E[5], -E[2]};
        memcpy(body.inertia, J, sizeof J);
        copy3(centre, body.pose.position);
        node[k] = AC_GROUND;
        if (r->status == AC_OK) r->status = ac_system_add_body(r->system, &body, &node[k]);
    }
    joint[0] = rig_joint(r, "support", AC_FIXED, AC_GROUND, node[0], ORIGIN, Z, NULL);
    for (int k = 1; k <= 6; ++k) {
        double at[3];
        for (int i = 0; i < 3; ++i) at[i] = l * corner[k % 6][i];
        joint[k] = rig_joint(r, "hinge", AC_REVOLUTE, node[k - 1], node[k % 6], at, axis[k % 6], NULL);
        if (k < 6) rig_rates(r, joint[k], 30.0, 0, 0);
    }
    (void)joint;
}

/* Crank, coupler between two balls, slider that may turn: a loop in space with three freedoms. */
static void spatial_loop(rig *r)
{
    const double J[3] = {0.02, 0.03, 0.025}, c0[3] = {0.2, 0, 0.1}, c1[3] = {0.8, 0.3, 0.3},
                 c2[3] = {1.3, 0.6, 0.5};
    const double a[3] = {0.4, 0, 0.2}, b[3] = {1.2, 0.6, 0.4}, rail[3] = {0.2, 0.1, 1},
                 tilt[3] = {0.1, 1, 0.2};
    rig_gravity(r, 0, 0, -9.81);
    int crank = rig_body(r, "crank", 1.0, J, c0, NULL), rod = rig_body(r, "rod", 0.6, J, c1, NULL);
    int slider = rig_body(r, "slider", 1.4, J, c2, NULL);
    int hinge = rig_joint(r, "hinge", AC_REVOLUTE, AC_GROUND, crank, ORIGIN, tilt, NULL);
    rig_joint(r, "ball1", AC_SPHERICAL, crank, rod, a, Z, NULL);
    rig_joint(r, "ball2", AC_SPHERICAL, slider, rod, b, Z, NULL);
    int guide = rig_joint(r, "guide", AC_CYLINDRICAL, slider, AC_GROUND, c2, rail, NULL);
    rig_rates(r, hinge, 2.0, 0, 0);
    rig_joint_spring(r, guide, 0, 200.0, 1.0, 0.1);
    rig_joint_spring(r, guide, 1, 2.0, 0.05, 0.0);
    rig_joint_load(r, hinge, 0, "0.5*sin(2*t)");
}

/* Two shafts whose axes meet at an angle: the cross closes the loop and leaves one freedom. */
static void cardan_shaft(rig *r)
{
    const double J[3] = {0.02, 0.05, 0.06}, x[2][3] = {{-0.5, 0, 0}, {0.4, 0.3, 0}};
    const double way[3] = {0.8, 0.6, 0.0};
    int shaft[2], bearing[2];
    for (int k = 0; k < 2; ++k) {
        shaft[k] = rig_body(r, k ? "driven" : "driving", 1.0 + k, J, x[k], NULL);
        bearing[k] = rig_joint(r, k ? "out" : "in", AC_REVOLUTE, AC_GROUND, shaft[k], x[k], k ? way : X,
                               NULL);
    }
    int cross = rig_joint(r, "cross", AC_UNIVERSAL, shaft[0], shaft[1], ORIGIN, Z, NULL);
    rig_rates(r, bearing[0], 3.0, 0, 0);
    rig_joint_spring(r, cross, 1, 2.0, 0.02, 0.1);
    rig_joint_load(r, bearing[0], 0, "0.3*sin(2*t)");
}

const mechanism mechanisms[] = {
    {"point pendulum", point_pendulum, 0.01, false, true},
    {"body pendulum", body_pendulum, 0.01, false, true},
    {"mixed chain", mixed_chain, 0.005, false, false},
    {"sprung chain", sprung_chain, 0.005, false, false},
    {"free tree", free_tree, 0.01, true, true},
    {"points and rods", points_and_rods, 0.005, false, true},
    {"planar tree", planar_tree, 0.01, false, false},
    {"four-bar in space", space_four_bar, 0.01, false, true},
    {"four-bar in the plane", plane_four_bar, 0.01, false, true},
    {"slider-crank", slider_crank, 0.005, false, false},
    {"six-body linkage", six_body, 0.001, false, true},
    {"spatial loop", spatial_loop, 0.005, false, false},
    {"chain of crosses", cross_chain, 0.005, false, false},
    {"cardan shaft", cardan_shaft, 0.005, false, false},
};
const int mechanism_count = (int)(sizeof mechanisms / sizeof *mechanisms);

const mechanism *mechanism_named(const char *name)
{
    for (int k = 0; k < mechanism_count; ++k)
        if (strcmp(mechanisms[k].name, name) == 0) return &mechanisms[k];
    return NULL;
}
