/* Loads: what they do to a node, and their slopes. */
#include "action/load.h"

#include "base/vector.h"
#include "observe/actions.h"
#include "support/rig.h"
#include "test.h"

/* A rod of two edges: four nodes, the inner vertex at the third. Returns its first node. */
static int add_edges(rig *r, dice *d)
{
    ac_pose frames[4];
    int first = -1;
    for (int k = 0; k < 4; ++k) {
        frames[k] = (ac_pose){.position = {0.5 * (k > 0 ? k - 1 : 0), 0.2, -0.3}};
        dice_rotation(d, frames[k].rotation);
    }
    ac_beam rod = {.name = "rod",
                   .model = AC_BEAM_EDGE,
                   .elements = 2,
                   .frames = frames,
                   .shear = {1, 1},
                   .axial = 1,
                   .bending = {1, 1},
                   .torsion = 1,
                   .mass = 1,
                   .inertia = {0.1, 0.1}};
    CHECK(ac_system_add_beam(r->system, &rod, &first) == AC_OK);
    return first;
}

/* Every kind of load on every kind of node that can take it. */
static void draw(rig *r)
{
    dice d = {51};
    double R[9];
    const double x[3] = {0.3, -0.2, 0.5}, y[3] = {-0.4, 0.1, 0.2}, at[3] = {0.1, 0.6, -0.3},
                 axis[3] = {0.2, 1, -0.4}, z[3] = {0, 0, 1};
    const double c[3] = {0.3, -0.2, 0.4}, flat[3] = {0.2, 0.5, 0}, slide[3] = {0.8, 0.6, 0};
    int nodes[5];
    for (int k = 0; k < 5; ++k) {
        dice_rotation(&d, R);
        nodes[k] = rig_odd_body(r, "body", &d, k % 2 ? x : y, R, false);
    }
    int planar = rig_planar(r, "planar", 1.0, 0.3, 0.4, 0.1, 0.9),
        other = rig_planar(r, "other", 1.0, 0.3, -0.4, 0.6, -0.5);
    int point = rig_point(r, "point", 1.0, 3, 1, 2, 3);
    rig_force(r, nodes[0], at, false, "1.2", "-0.5", "2*t");
    rig_force(r, nodes[0], at, true, "0.7", "1-t", "0.4");
    rig_torque(r, nodes[0], false, "0.3", "-1.1", "0.6");
    rig_torque(r, nodes[0], true, "0.8", "0.2", "-0.9");
    rig_force(r, planar, flat, false, "0.4", "1.3", NULL);
    rig_force(r, planar, flat, true, "-0.6", "0.9", NULL);
    rig_torque(r, planar, false, NULL, NULL, "0.7");
    rig_torque(r, planar, true, NULL, NULL, "-0.4");
    rig_force(r, point, at, false, "1", "2", "3");
    int revolute = rig_joint(r, "r", AC_REVOLUTE, nodes[0], nodes[1], at, axis, c);
    int cylindrical = rig_joint(r, "c", AC_CYLINDRICAL, nodes[2], nodes[1], at, axis, c);
    int prismatic = rig_joint(r, "p", AC_PRISMATIC, nodes[2], nodes[3], at, axis, c);
    int flat_joint = rig_joint(r, "e", AC_PLANAR, nodes[3], nodes[4], at, axis, c);
    int rail = rig_joint(r, "s", AC_PRISMATIC, planar, other, flat, slide, c);
    int pin = rig_joint(r, "z", AC_REVOLUTE, AC_GROUND, planar, flat, z, c);
    rig_joint_load(r, revolute, 0, "0.9");
    rig_joint_load(r, cylindrical, 0, "0.4");
    rig_joint_load(r, cylindrical, 1, "-0.7");
    rig_joint_load(r, prismatic, 0, "1.4");
    for (int k = 0; k < 3; ++k) rig_joint_load(r, flat_joint, k, "0.6+t");
    rig_joint_load(r, rail, 0, "0.5");
    rig_joint_load(r, pin, 0, "-0.3");
    int rod = add_edges(r, &d);
    for (int k = 0; k < 4; ++k) rig_torque(r, rod + k, false, "0.3", "-1.1", "0.6");
    rig_torque(r, rod + 2, true, "0.8", "0.2", "-0.9");
}

/* The force of one load alone, on all coordinates. */
typedef struct one_load {
    ac_system *system;
    int k;
    const double *winding;
} one_load;

static void force(void *user, const double *q, double *f)
{
    const one_load *l = user;
    memset(f, 0, (size_t)l->system->n * sizeof *f);
    ac_load_add(l->system, l->k, 0.3, 0.0, q, l->winding, 1.0, f);
}

TEST(slopes)
{
    rig r;
    rig_open(&r, NULL);
    draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_system *system = r.system;
    int n = system->n, constant = 0;
    double q[128], winding[64], block[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    dice d = {53};
    for (int i = 0; i < n; ++i)
        q[i] = system->initial.q[i] + dice_between(&d, -0.1, 0.1); /* off the constraints, as means are */
    for (int k = 0; k < system->measure_count; ++k) winding[k] = system->measures[k].initial;
    for (int k = 0; k < system->load_count; ++k) {
        one_load l = {system, k, winding};
        double J[128 * 128], size;
        int nodes[2], count = ac_load_slope(system, k, 0.3, 0.0, q, winding, nodes, block), width = 0,
                      row = 0;
        if (count == 0) { /* constant: differences vanish too */
            difference_jacobian(force, &l, n, n, q, J);
            size = largest_entry(n * n, J);
            CHECK_NEAR(size, 0.0, 1e-12);
            ++constant;
            continue;
        }
        memset(J, 0, sizeof J);
        for (int e = 0; e < count; ++e) width += system->nodes[nodes[e]].size;
        for (int a = 0; a < count; ++a) {
            int column = 0;
            for (int b = 0; b < count; ++b) {
                const ac_node *left = &system->nodes[nodes[a]], *right = &system->nodes[nodes[b]];
                for (int i = 0; i < left->size; ++i)
                    for (int j = 0; j < right->size; ++j)
                        J[(left->q + i) * n + right->q + j] = block[(row + i) * width + column + j];
                column += right->size;
            }
            row += system->nodes[nodes[a]].size;
        }
        CHECK_NEAR(jacobian_error(force, &l, n, n, q, J), 0.0, 1e-10);
    }
    CHECK(constant == 3);
    rig_close(&r);
}

/* Total force and torque about the origin of a generalised force: sum f_phi, sum phi x f_phi + sum d_I x f_I.
 */
static void resultant(const ac_system *system, const double *q, const double *f, double total[6])
{
    memset(total, 0, 6 * sizeof *total);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double wrench[6], x[3] = {0, 0, 0};
        ac_node_wrench(node, q + node->q, f + node->q, wrench);
        for (int c = 0; c < node->dimension; ++c) x[c] = q[node->q + c];
        add_cross3(x, wrench, wrench + 3);
        for (int c = 0; c < 6; ++c) total[c] += wrench[c];
    }
}

/* Joint loads between two bodies have no resultant: action equals reaction, also at averaged configurations.
 */
TEST(joint_loads_have_no_resultant)
{
    rig r;
    rig_open(&r, NULL);
    draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_system *system = r.system;
    double q[128], winding[64], f[128], total[6];
    dice d = {57};
    int seen = 0;
    for (int i = 0; i < system->n; ++i) q[i] = system->initial.q[i] + dice_between(&d, -0.1, 0.1);
    for (int k = 0; k < system->measure_count; ++k) winding[k] = system->measures[k].initial;
    for (int k = 0; k < system->load_count; ++k) {
        one_load l = {system, k, winding};
        if (system->loads[k].measure < 0 || system->measures[system->loads[k].measure].node_count < 2)
            continue;
        force(&l, q, f);
        CHECK(largest_entry(system->n, f) > 0.1);
        resultant(system, q, f, total);
        CHECK_NEAR(largest_entry(6, total), 0.0, 2e-15);
        ++seen;
    }
    CHECK(seen == 8);
    rig_close(&r);
}

/* A torque is that torque and nothing else, a force has its arm; follower components turn with the body. */
TEST(resultants_by_hand)
{
    rig r;
    rig_open(&r, NULL);
    draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_system *system = r.system;
    double f[128], total[6], winding[64], R[9], x[3], q[128];
    const double world[3] = {0.3, -1.1, 0.6}, follower[3] = {0.8, 0.2, -0.9}, push[3] = {1.2, -0.5, 0.6};
    dice d = {59};
    for (int k = 0; k < system->measure_count; ++k) winding[k] = system->measures[k].initial;
    ac_node_get_pose(&system->nodes[0], system->initial.q, x, R);
    double turned[3], arm[3], moment[3];
    apply3(R, follower, turned);
    force(&(one_load){system, 2, winding}, system->initial.q, f);
    resultant(system, system->initial.q, f, total);
    CHECK_NEAR(largest_entry(3, total), 0.0, 0.0);
    CHECK_NEAR(largest_difference(3, total + 3, world), 0.0, 1e-15);
    force(&(one_load){system, 3, winding}, system->initial.q, f);
    resultant(system, system->initial.q, f, total);
    CHECK_NEAR(largest_difference(3, total + 3, turned), 0.0, 1e-15);
    force(&(one_load){system, 0, winding}, system->initial.q, f);
    resultant(system, system->initial.q, f, total);
    const double at[3] = {0.1, 0.6, -0.3}; /* where it was drawn */
    copy3(at, arm);
    cross3(arm, push, moment);
    CHECK_NEAR(largest_difference(3, total, push), 0.0, 1e-15);
    CHECK_NEAR(largest_difference(3, total + 3, moment), 0.0, 2e-15);
    /* averaged directors, which are not orthonormal, carry the whole torque too */
    for (int i = 0; i < system->n; ++i) q[i] = system->initial.q[i] + dice_between(&d, -0.2, 0.2);
    force(&(one_load){system, 2, winding}, q, f);
    resultant(system, q, f, total);
    CHECK_NEAR(largest_difference(3, total + 3, world), 0.0, 2e-15);
    force(&(one_load){system, 6, winding}, q, f);
    resultant(system, q, f, total);
    CHECK_NEAR(total[5], 0.7, 1e-15);
    rig_close(&r);
}

/* A torque on an inner vertex of an edge rod: half on the frame of each of its edges, each in its own
 * axes; the ends keep it, and so does the node of the first edge. */
TEST(two_edges_share_a_torque)
{
    rig r;
    rig_open(&r, NULL);
    draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_system *system = r.system;
    int rod = system->beams[0].first_node, load = system->load_count - 5;
    double f[128], wrench[6], winding[64], R[9], x[3], turned[3], total[3] = {0, 0, 0};
    const double world[3] = {0.3, -1.1, 0.6}, follower[3] = {0.8, 0.2, -0.9};
    for (int k = 0; k < system->measure_count; ++k) winding[k] = system->measures[k].initial;
    for (int k = 0; k < 4; ++k) {
        force(&(one_load){system, load + k, winding}, system->initial.q, f);
        for (int i = 0; i < 4; ++i) {
            const ac_node *node = &system->nodes[rod + i];
            double share = k == 2 ? 0.5 * (i == 1 || i == 2) : 1.0 * (i == k);
            ac_node_wrench(node, system->initial.q + node->q, f + node->q, wrench);
            CHECK_NEAR(largest_entry(3, wrench), 0.0, 0.0);
            for (int c = 0; c < 3; ++c) CHECK_NEAR(wrench[3 + c], share * world[c], 1e-15);
        }
    }
    force(&(one_load){system, load + 4, winding}, system->initial.q, f);
    for (int i = 1; i < 3; ++i) {
        const ac_node *node = &system->nodes[rod + i];
        ac_node_wrench(node, system->initial.q + node->q, f + node->q, wrench);
        ac_node_get_pose(node, system->initial.q + node->q, x, R);
        apply3(R, follower, turned);
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(wrench[3 + c], 0.5 * turned[c], 1e-15);
            total[c] += wrench[3 + c];
        }
    }
    ac_action action; /* what is shown of it is all of it, at the vertex */
    ac_load_action(system, load + 4, 0.3, system->initial.q, winding, 1.0, &action);
    CHECK_NEAR(largest_difference(3, action.torque, total), 0.0, 1e-15);
    CHECK_NEAR(largest_difference(3, action.place, system->initial.q + system->nodes[rod + 2].q), 0.0, 0.0);
    CHECK_NEAR(largest_entry(3, action.force), 0.0, 0.0);
    rig_close(&r);
}

RUN_TESTS(CASE(slopes), CASE(joint_loads_have_no_resultant), CASE(resultants_by_hand),
          CASE(two_edges_share_a_torque))
