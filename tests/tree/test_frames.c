/* What tree joints carry when their places, lengths and frames change while their states are held: against poses that are found again
 * from changed joints, for every joint; derivatives along motions against differences, which are exact for quadratic functions. */
#include "tree/frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "support/subject.h"
#include "test.h"

enum { MOST = SUBJECT_MOST, NODES = 20, NUMBERS = sizeof(ac_frame_pull) / sizeof(double) };

typedef struct scene {
    ac_system *system;
    int n;
    double q[MOST], u[MOST], v[MOST], du[MOST], f[MOST];
    double work[6 * NODES];
} scene;

static ac_side *side_of(ac_joint_data *joint, int side)
{
    return side == (joint->reversed ? 1 : 0) ? &joint->a : &joint->b;
}

static void turn_axes(ac_side *side, int k, double by)
{
    double turn[3] = {0.0, 0.0, 0.0}, R[9], old[9];
    turn[k] = by;
    ac_rotation_exp(turn, R);
    memcpy(old, side->axes, sizeof old);
    multiply3(R, old, side->axes);
}

/* Number k of ac_frame_pull: places of both sides, turns of both, the turn of the gap, the length. */
static void change(ac_joint_data *joint, ac_joint_state *state, int k, double by)
{
    const ac_side *parent = side_of(joint, 0);
    if (k < 6) {
        side_of(joint, k / 3)->place[k % 3] += by;
    } else if (k < 12) {
        turn_axes(side_of(joint, (k - 6) / 3), k % 3, by);
    } else if (k < 15) {
        double turn[3] = {0.0, 0.0, 0.0}, local[3], R[9], moved[3];
        turn[k - 12] = by;
        apply_transposed3(parent->axes, turn, local);
        ac_rotation_exp(local, R);
        apply3(R, state->shift, moved);
        copy3(moved, state->shift);
    } else {
        for (int i = 0; i < 3; ++i) state->shift[i] *= 1.0 + by / joint->length;
    }
}

static double moved_product(const scene *s, int node, int k, double by)
{
    ac_joint_data *joint = &s->system->joints[s->system->nodes[node].joint], kept = *joint;
    ac_joint_state *state = malloc((size_t)s->system->node_count * sizeof *state);
    double q[MOST];
    memcpy(state, s->system->initial.state, (size_t)s->system->node_count * sizeof *state);
    change(joint, &state[node], k, by);
    ac_tree_forward(s->system, state, q);
    *joint = kept;
    free(state);
    return dot(s->n, s->f, q);
}

/* In the plane places and lengths act within it, and turns about z. */
static bool counts(const scene *s, int node, int k)
{
    const ac_joint_data *joint = &s->system->joints[s->system->nodes[node].joint];
    bool flat = s->system->nodes[node].dimension == 2;
    if (k >= 12 && !ac_row_has(joint->row, AC_MOTION_SWING)) return false;
    if (ac_node_turns(&s->system->nodes[node]) == 0 && (k / 3 == 1 || k / 3 == 3)) return false;
    return !flat || k == 15 || (k < 6 ? k % 3 != 2 : k % 3 == 2);
}

static void compare_value(scene *s)
{
    ac_frame_pull by[NODES] = {0};
    const double h = 1e-3;
    ac_tree_pull_frames(s->system, s->q, s->f, 1.0, s->work, by);
    for (int node = 0; node < s->system->node_count; ++node)
        for (int k = 0; s->system->nodes[node].joint >= 0 && k < NUMBERS; ++k) {
            if (!counts(s, node, k)) continue;
            double found = ((const double *)&by[node])[k], d[2];
            for (int e = 0; e < 2; ++e) {
                double step = e == 0 ? h : 0.5 * h;
                d[e] = (moved_product(s, node, k, step) - moved_product(s, node, k, -step)) / (2.0 * step);
            }
            CHECK_NEAR(found, (4.0 * d[1] - d[0]) / 3.0, 1e-10 * (1.0 + fabs(found)));
        }
}

/* At q + t v with u + t du. */
static void pull_at(scene *s, double t, bool along, ac_frame_pull *by)
{
    double q[MOST], u[MOST];
    for (int i = 0; i < s->n; ++i) {
        q[i] = s->q[i] + t * (along ? s->v[i] : s->u[i]);
        u[i] = s->u[i] + t * s->du[i];
    }
    memset(by, 0, NODES * sizeof *by);
    if (along)
        ac_tree_pull_frames_along(s->system, q, u, s->f, 1.0, s->work, by);
    else
        ac_tree_pull_frames(s->system, q, s->f, 1.0, s->work, by);
}

static void compare_along(scene *s, bool along)
{
    ac_frame_pull found[NODES] = {0}, up[NODES], down[NODES];
    if (along)
        ac_tree_pull_frames_bent(s->system, s->q, s->u, s->v, s->du, s->f, 1.0, s->work, found);
    else
        ac_tree_pull_frames_along(s->system, s->q, s->u, s->f, 1.0, s->work, found);
    pull_at(s, 0.5, along, up);
    pull_at(s, -0.5, along, down);
    for (int k = 0; k < s->system->node_count * NUMBERS; ++k) {
        double difference = ((const double *)up)[k] - ((const double *)down)[k];
        CHECK_NEAR(((const double *)found)[k], difference, 1e-12 * (10.0 + fabs(difference)));
    }
}

TEST(joints_carry_what_is_behind_them)
{
    const subject *of;
    int count = 0;
    for (int k = 0; (of = subject_number(k)); ++k) {
        static scene s;
        subject x = *of;
        dice d = {7};
        if (x.beam) continue;
        s = (scene){.system = subject_open(&x)->system};
        s.n = s.system->n;
        CHECK(s.system->node_count <= NODES);
        memcpy(s.q, s.system->initial.q, (size_t)s.n * sizeof *s.q);
        double *const vectors[] = {s.u, s.v, s.du, s.f};
        for (int i = 0; i < 4; ++i) dice_vector(&d, s.n, 1.0, vectors[i]);
        int failed = test_failures;
        compare_value(&s);
        compare_along(&s, false);
        compare_along(&s, true);
        if (test_failures > failed) printf("  %s\n", x.name);
        subject_close(&x);
        ++count;
    }
    CHECK(count >= 20);
}

RUN_TESTS(CASE(joints_carry_what_is_behind_them))
