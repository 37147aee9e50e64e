/* Targets: their rows, residuals and places. */
#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "track/track.h"

static const double FAR = 1e9; /* m: no target is farther away */

void ac_track_goal_error(const ac_track *t, const ac_track_goal *goal, const double *q, double error[6])
{
    const ac_node *node = &t->system->nodes[goal->target.node];
    double x[3], R[9], arm[3], between[9], theta[3];
    ac_node_get_pose(node, q + node->q, x, R);
    apply3(R, goal->place, arm);
    multiply_transposed3(R, goal->at.rotation, between);
    ac_rotation_log(between, theta);
    for (int k = 0; k < 3; ++k) {
        double gap = x[k] + arm[k] - goal->at.position[k];
        error[k] = goal->target.position[k] ? ac_max(-FAR, ac_min(FAR, gap)) : 0.0;
        error[3 + k] = goal->target.rotation[k] ? theta[k] : 0.0;
    }
}

static void component_row(const ac_track *t, const ac_track_goal *goal, const double *q, int component,
                          ac_track_row *row)
{
    const ac_node *node = &t->system->nodes[goal->target.node];
    double x[3], R[9], arm[3], e[3] = {0.0};
    *row = (ac_track_row){.node = {goal->target.node, AC_GROUND}};
    if (component >= 3) {
        row->by[0][component] = 1.0;
        return;
    }
    ac_node_get_pose(node, q + node->q, x, R);
    apply3(R, goal->place, arm);
    e[component] = 1.0;
    row->by[0][component] = 1.0;
    if (ac_node_turns(node) > 0) cross3(arm, e, row->by[0] + 3);
}

bool ac_track_goal_active(const ac_track *t, const ac_track_goal *goal)
{
    return goal->used && goal->placed && !goal->idle && t->present[goal->target.node];
}

static double wanted_rate(const ac_track_goal *goal, int component)
{
    return component < 3 ? goal->at.velocity[component] : goal->at.spin[component - 3];
}

/* P M P^T between two rows of one node; K is not yet factorised. */
static double row_mass(const ac_track *t, const ac_track_row *a, const ac_track_row *b)
{
    if (a->node[0] != b->node[0]) return 0.0;
    const ac_track_link *link = &t->links[a->node[0]];
    double turned[3];
    apply3(link->inertia, b->by[0] + 3, turned);
    return link->mass * dot3(a->by[0], b->by[0]) + dot3(a->by[0] + 3, turned);
}

void ac_track_goal_rows(ac_track *t, const double *q)
{
    t->control.count = 0;
    for (int g = 0; g < t->goal_count; ++g) {
        ac_track_goal *goal = &t->goals[g];
        if (!ac_track_goal_active(t, goal)) continue;
        for (int k = 0; k < goal->rows; ++k) {
            ac_track_row row;
            component_row(t, goal, q, goal->component[k], &row);
            t->control.rate[t->control.count] = wanted_rate(goal, goal->component[k]);
            ac_track_add_row(t->control.rows, &t->control.count, &row);
        }
    }
    int n = t->control.count;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            t->control.weight[i * n + j] = !t->settings.weights.by_mass
                                               ? (i == j ? 1.0 : 0.0)
                                               : row_mass(t, &t->control.rows[i], &t->control.rows[j]);
}

void ac_track_goal_of(const ac_track *t, int i, int *goal, int *component)
{
    *goal = *component = -1;
    for (int g = 0; g < t->goal_count; ++g) {
        if (!ac_track_goal_active(t, &t->goals[g])) continue;
        if (i < t->goals[g].rows) {
            *goal = g;
            *component = t->goals[g].component[i];
            return;
        }
        i -= t->goals[g].rows;
    }
}

void ac_track_servo_rows(ac_track *t, const double *q, const bool *given_up)
{
    double alpha = t->settings.servo_stabilisation / t->settings.step;
    for (int g = 0; g < t->goal_count; ++g) {
        ac_track_goal *goal = &t->goals[g];
        if (!ac_track_goal_active(t, goal) || given_up[g]) continue;
        double error[6], speed = 0.0, wanted[6];
        ac_track_goal_error(t, goal, q, error);
        for (int k = 0; k < goal->rows; ++k) {
            int c = goal->component[k];
            wanted[k] = wanted_rate(goal, c) - alpha * error[c];
            if (c < 3) speed += wanted[k] * wanted[k];
        }
        double limit = goal->target.max_speed;
        double share = limit > 0.0 && speed > limit * limit ? limit / sqrt(speed) : 1.0;
        for (int k = 0; k < goal->rows; ++k) {
            ac_track_row row;
            component_row(t, goal, q, goal->component[k], &row);
            row.value = (goal->component[k] < 3 ? share : 1.0) * wanted[k] -
                        ac_track_row_rate(&row, t->twists);
            ac_track_add_row(t->border.rows, &t->border.count, &row);
        }
        if (share < 1.0) ++t->counts.speed_limited;
    }
}
