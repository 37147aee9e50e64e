/* Loads, springs and joints as forces and torques at places: they do the work that the forces on coordinates
 * do. */
#include "observe/actions.h"

#include "actio/simulate.h"
#include "base/vector.h"
#include "action/element.h"
#include "action/load.h"
#include "support/rig.h"
#include "test.h"

enum { MOST = 256 };
extern const ac_element_kind ac_element_spring;

/* Every kind of load and spring, on every kind of node that can take it. */
static void draw(rig *r)
{
    dice d = {71};
    double R[9];
    const double x[3] = {0.3, -0.2, 0.5}, y[3] = {-0.4, 0.1, 0.2}, at[3] = {0.1, 0.6, -0.3},
                 axis[3] = {0.2, 1, -0.4}, z[3] = {0, 0, 1}, far[3] = {1.5, 0.4, 0.3};
    const double c[3] = {0.3, -0.2, 0.4}, flat[3] = {0.2, 0.5, 0};
    int nodes[3];
    for (int k = 0; k < 3; ++k) {
        dice_rotation(&d, R);
        nodes[k] = rig_odd_body(r, "body", &d, k % 2 ? x : y, R, false);
    }
    int planar = rig_planar(r, "planar", 1.0, 0.3, 0.4, 0.1, 0.9);
    int point = rig_point(r, "point", 1.0, 3, 1, 2, 3);
    rig_force(r, nodes[0], at, false, "1.2", "-0.5", "2*t");
    rig_force(r, nodes[0], at, true, "0.7", "1-t", "0.4");
    rig_torque(r, nodes[0], false, "0.3", "-1.1", "0.6");
    rig_torque(r, nodes[0], true, "0.8", "0.2", "-0.9");
    rig_force(r, planar, flat, false, "0.4", "1.3", NULL);
    rig_torque(r, planar, false, NULL, NULL, "0.7");
    rig_force(r, point, at, false, "1", "2", "3");
    int revolute = rig_joint(r, "r", AC_REVOLUTE, nodes[0], nodes[1], at, axis, c);
    int prismatic = rig_joint(r, "p", AC_PRISMATIC, nodes[1], nodes[2], at, axis, c);
    int pin = rig_joint(r, "z", AC_REVOLUTE, AC_GROUND, planar, flat, z, c);
    rig_joint_load(r, revolute, 0, "0.9");
    rig_joint_load(r, prismatic, 0, "1.4");
    rig_joint_load(r, pin, 0, "-0.3");
    rig_spring(r, nodes[0], nodes[2], at, far, 7, 0.4, 0.2);
    rig_spring(r, AC_GROUND, nodes[1], far, at, 5, 0.3, 0);
    rig_spring(r, nodes[1], AC_GROUND, at, far, 3, 0.2, 0.1);
    rig_spring(r, nodes[0], point, at, (const double[3]){1, 2, 3}, 2, 0.1, 0.4);
    rig_joint_spring(r, revolute, 0, 2, 0.5, 0.1);
    rig_joint_spring(r, prismatic, 0, 3, 0.6, -0.2);
}

/* The power of a generalised force on node `number` that moves by `twist`, and that of the action on it. */
static void compare_power(const ac_system *system, int number, const double *q, const double *f,
                          const ac_action *action, const double twist[6])
{
    const ac_node *node = &system->nodes[number];
    const double none[3] = {0, 0, 0};
    double dq[AC_NODE_MAX], centre[3], arm[3], v[3], inner = 0.0;
    ac_node_tangent(node, q + node->q, twist, dq);
    for (int i = 0; i < node->size; ++i) inner += f[node->q + i] * dq[i];
    ac_node_world(system, number, q, none, centre);
    sub3(action->place, centre, arm);
    cross3(twist + 3, arm, v);
    for (int i = 0; i < 3; ++i) v[i] += twist[i];
    CHECK_NEAR(dot3(action->force, v) + dot3(action->torque, twist + 3), inner, 1e-12);
    CHECK(inner != 0.0);
}

/* A twist that the node can have. */
static void random_twist(dice *d, const ac_node *node, double twist[6])
{
    dice_vector(d, 6, 1.0, twist);
    if (node->kind == AC_NODE_PLANAR) twist[2] = twist[3] = twist[4] = 0.0;
    if (node->kind == AC_NODE_POINT) twist[3] = twist[4] = twist[5] = 0.0;
}

static int node_of_load(const ac_system *system, int k)
{
    const ac_load_data *load = &system->loads[k];
    return load->measure < 0 ? load->node : system->measures[load->measure].end;
}

TEST(loads_do_the_same_work)
{
    rig r;
    rig_open(&r, NULL);
    draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    ac_system *system = r.system;
    double memory[64], f[MOST], twist[6];
    dice d = {73};
    for (int k = 0; k < system->measure_count; ++k) memory[k] = system->measures[k].initial;
    int count = system->load_count, turning = 0;
    for (int k = 0; k < count; ++k) {
        memset(f, 0, sizeof f);
        ac_load_add(system, k, 0.3, 0.0, system->initial.q, memory, 1.0, f);
        ac_action action;
        int node = node_of_load(system, k);
        ac_load_action(system, k, 0.3, system->initial.q, memory, 1.0, &action);
        random_twist(&d, &system->nodes[node], twist);
        compare_power(system, node, system->initial.q, f, &action, twist);
        /* what is not told is nothing */
        CHECK_NEAR(norm3(ac_load_turns(system, k) ? action.force : action.torque), 0.0, 1e-12);
        turning += ac_load_turns(system, k);
    }
    CHECK(turning == 5);
    rig_close(&r);
}

TEST(springs_do_the_same_work)
{
    rig r;
    rig_open(&r, NULL);
    draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    const ac_system *system = r.system;
    double memory[64], v[MOST], f[MOST], twist[6];
    dice d = {77};
    for (int k = 0; k < system->measure_count; ++k) memory[k] = system->measures[k].initial;
    for (int i = 0; i < system->node_count; ++i) {
        random_twist(&d, &system->nodes[i], twist);
        ac_node_tangent(&system->nodes[i], system->initial.q + system->nodes[i].q, twist,
                        v + system->nodes[i].q);
    }
    CHECK(system->spring_count == 6);
    for (int k = 0; k < system->spring_count; ++k) {
        ac_element_place place = ac_element_where(system, &ac_element_spring, k);
        double x[AC_ELEMENT_MAX], rate[AC_ELEMENT_MAX], local[AC_ELEMENT_MAX];
        memset(f, 0, sizeof f);
        ac_element_gather(system, &place, system->initial.q, x);
        ac_element_gather(system, &place, v, rate);
        ac_element_gradient(&ac_element_spring, system, k, x, memory, local);
        ac_element_scatter(system, &place, local, -1.0, f);
        ac_element_force(&ac_element_spring, system, k, x, rate, memory, local, NULL, NULL);
        ac_element_scatter(system, &place, local, 1.0, f);
        ac_action action;
        int measure = system->springs[k].measure, node = system->measures[measure].end;
        ac_spring_action(system, k, system->initial.q, v, memory, &action);
        random_twist(&d, &system->nodes[node], twist);
        compare_power(system, node, system->initial.q, f, &action, twist);
        CHECK_NEAR(norm3(ac_measure_turns(system, measure) ? action.force : action.torque), 0.0, 1e-12);
    }
    rig_close(&r);
}

static int channel_place(const ac_channel *channels, int count, const char *name)
{
    int place = 0;
    for (int c = 0; c < count; place += channels[c++].width)
        if (strcmp(channels[c].name, name) == 0) return place;
    return -1;
}

/* The step equation of the centre of mass: m (x_{n+1} - 2 x_n + x_{n-1}) / h^2 = m g + load + reaction, to
 * rounding. */
TEST(reactions_balance_the_step_equation)
{
    rig r;
    rig_open(&r, NULL);
    dice d = {79};
    double R[9], row[512], before[3] = {0}, now[3] = {0}, after[3], reaction[3] = {0}, h = 0.01;
    const double place[3] = {0.4, 0.3, -0.2}, pivot[3] = {0, 0, 0}, axis[3] = {0.3, 1, 0.2};
    rig_gravity(&r, 0, 0, -9.81);
    dice_rotation(&d, R);
    int body = rig_odd_body(&r, "body", &d, place, R, false);
    rig_joint(&r, "hinge", AC_REVOLUTE, AC_GROUND, body, pivot, axis, NULL);
    rig_force(&r, body, place, false, "1.5", "-2.5", "3.5");
    CHECK(rig_finish(&r) == AC_OK);
    double mass = r.system->nodes[body].mass;
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.step = h;
    settings.reactions = true;
    ac_simulation *simulation = NULL;
    CHECK(ac_simulation_new(r.ctx, r.system, &settings, &simulation) == AC_OK);
    int count = 0;
    const ac_channel *channels = ac_simulation_node_channels(simulation, &count);
    int x = channel_place(channels, count, "body/body/position"),
        force = channel_place(channels, count, "reaction/hinge/force"),
        load = channel_place(channels, count, "load/force/force");
    CHECK(x >= 0 && force >= 0 && load >= 0 && channel_place(channels, count, "reaction/hinge/torque") >= 0);
    for (int n = 0; n < 30; ++n) {
        CHECK(ac_simulation_step(simulation) == AC_OK);
        CHECK(ac_simulation_node_row(simulation, false, row) == AC_OK);
        CHECK_NEAR(row[load + 1], -2.5, 1e-13);
        memcpy(after, row + x, sizeof after);
        for (int i = 0; i < 3 && n > 1; ++i) {
            const double given[3] = {1.5, -2.5, 3.5 - 9.81 * mass};
            double inertia = mass * (after[i] - 2 * now[i] + before[i]) / (h * h);
            CHECK_NEAR(given[i] + reaction[i], inertia, 1e-8);
        }
        memcpy(before, now, sizeof now);
        memcpy(now, after, sizeof after);
        memcpy(reaction, row + force, sizeof reaction);
    }
    CHECK(norm3(reaction) > 1.0);
    ac_simulation_free(simulation);
    rig_close(&r);
}

/* Without a name the number; where a name is shared, both. */
TEST(labels)
{
    ac_load_data loads[4] = {{.name = ""}, {.name = "push"}, {.name = "push"}, {.name = ""}};
    ac_system system = {.loads = loads, .load_count = 4};
    char label[AC_ACTION_LABEL_SIZE];
    CHECK_TEXT(ac_load_label(&system, 0, label), "1");
    CHECK_TEXT(ac_load_label(&system, 1, label), "push");
    CHECK_TEXT(ac_load_label(&system, 2, label), "push:3");
    CHECK_TEXT(ac_load_label(&system, 3, label), "4");
}

RUN_TESTS(CASE(loads_do_the_same_work), CASE(springs_do_the_same_work),
          CASE(reactions_balance_the_step_equation), CASE(labels))
