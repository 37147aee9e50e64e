/* How configurations move by twists, and how joints that came apart are put together. */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "base/rotation.h"
#include "math/math.h"
#include "track/track.h"

static void turn_kardan(const ac_track *t, int i, const double omega[3], double h, double R[9])
{
    double w[3], rate[3];
    ac_kardan_angles(R, t->kardan + 3 * i, w);
    ac_kardan_rates(w, omega, rate);
    for (int k = 0; k < 3; ++k) w[k] += h * rate[k];
    ac_kardan_rotation(w, R);
}

/* The turn of a step: that of a free body where no joint holds a direction. */
static void find_turn(const ac_track *t, int i, const double R[9], const double omega[3], double h,
                      double theta[3])
{
    double inertia[9];
    ac_node_own_inertia(&t->system->nodes[i], inertia);
    for (int k = 0; k < 3; ++k) inertia[4 * k] += t->turning.lacking[i];
    ac_track_free_turn(inertia, omega, h, R, theta);
}

static void move_body(const ac_track *t, int i, const double *from, const double *twist, double h, bool step,
                      double *to)
{
    const ac_node *node = &t->system->nodes[i];
    double x[3], R[9];
    ac_node_get_pose(node, from, x, R);
    for (int k = 0; k < 3; ++k) x[k] += h * twist[k];
    if (t->settings.chart == AC_CHART_KARDAN) {
        turn_kardan(t, i, twist + 3, h, R);
    } else {
        double theta[3] = {h * twist[3], h * twist[4], h * twist[5]};
        if (step && t->turning.freely[i]) find_turn(t, i, R, twist + 3, h, theta);
        ac_rotation_turn(theta, R);
        ac_rotation_polish(R);
    }
    ac_node_set_pose(node, x, R, to);
}

static void move_planar(const double *from, const double *twist, double h, double *to)
{
    double c, s, x = from[2], y = from[3];
    ac_sincos(h * twist[5], &s, &c);
    to[0] = from[0] + h * twist[0];
    to[1] = from[1] + h * twist[1];
    double a = c * x - s * y, b = s * x + c * y, length = ac_hypot(a, b);
    to[2] = a / length;
    to[3] = b / length;
}

static void move_node(const ac_track *t, int i, const double *from, const double *twists, double h, bool step,
                      double *to)
{
    const ac_node *node = &t->system->nodes[i];
    const double *a = from + node->q, *twist = twists + 6 * i;
    double *b = to + node->q;
    if (ac_node_turns(node) == 3)
        move_body(t, i, a, twist, h, step, b);
    else if (ac_node_turns(node) == 1)
        move_planar(a, twist, h, b);
    else
        for (int k = 0; k < node->size; ++k) b[k] = a[k] + h * twist[k];
}

void ac_track_move(ac_track *t, const double *from, const double *twists, double h, double *to)
{
    for (int i = 0; i < t->nodes; ++i) move_node(t, i, from, twists, h, false, to);
}

void ac_track_advance(ac_track *t, const double *from, const double *twists, double h, double *to)
{
    for (int i = 0; i < t->nodes; ++i) move_node(t, i, from, twists, h, true, to);
}

void ac_track_goals_move(ac_track *t, const double *twists, double h, double *to)
{
    for (int g = 0; g < t->goal_count; ++g)
        if (ac_track_goal_active(t, &t->goals[g]))
            move_node(t, t->goals[g].target.node, t->q, twists, h, true, to);
}

/* Angles are continued from their present values. */
void ac_track_remember(ac_track *t)
{
    double x[AC_ELEMENT_MAX], R[9], place[3];
    for (int k = 0; k < t->system->measure_count; ++k) {
        const ac_measure *m = &t->system->measures[k];
        if (m->kind != AC_MEASURE_ANGLE || !t->wound[k]) continue;
        ac_measure_gather(t->system, m, t->q, x);
        t->winding[k] = ac_measure_evaluate(t->system, m, x, t->winding[k], NULL, NULL);
    }
    if (t->settings.chart != AC_CHART_KARDAN) return;
    for (int i = 0; i < t->nodes; ++i) {
        const ac_node *node = &t->system->nodes[i];
        if (ac_node_turns(node) < 3) continue;
        double w[3];
        ac_node_get_pose(node, t->q + node->q, place, R);
        ac_kardan_angles(R, t->kardan + 3 * i, w);
        memcpy(t->kardan + 3 * i, w, sizeof w);
    }
}

/* One Newton step of the joints, shortest in the norm of the mass matrix. */
static void pull_together(ac_track *t)
{
    const ac_constraints *c = &t->system->constraints;
    memset(t->sides.load, 0, 6 * (size_t)t->nodes * sizeof *t->sides.load);
    ac_track_assemble(t, t->q, (double)t->steps * t->settings.step, 1.0);
    for (int k = 0; k < t->rows; ++k) t->sides.rows[k] = -t->phi[k];
    for (int k = 0, row = c->closure; k < t->border.count; ++k) {
        if (t->border.rows[k].soft > 0.0) continue;
        while (!ac_track_holds(t, c->owner[row])) ++row;
        t->border.rows[k].value = -t->phi[row++ - c->internal];
    }
    ac_track_factor(t);
    ac_track_solve(t, t->sides.load, t->sides.rows, t->trial.change, NULL, NULL);
    double most = 0.0;
    for (int i = 0; i < t->nodes; ++i)
        for (int k = 3; k < 6; ++k) most = ac_max(most, fabs(t->trial.change[6 * i + k]));
    ac_track_move(t, t->q, t->trial.change, most > 0.5 ? 0.5 / most : 1.0, t->q_new);
    bool good = true;
    for (int k = 0; k < t->system->n; ++k) good &= isfinite(t->q_new[k]);
    t->phi_known = false;
    if (good) memcpy(t->q, t->q_new, (size_t)t->system->n * sizeof *t->q);
}

double ac_track_project(ac_track *t, int rounds)
{
    static const double CLOSED =
        1e-6; /* of the typical length: the square of the last correction is rounding */
    double gap = INFINITY,
           closed = ac_min(CLOSED, 0.01 * t->settings.joint_tolerance) * t->system->length_scale;
    for (int k = 0; k < rounds && gap > closed; ++k) {
        pull_together(t);
        gap = ac_track_largest_gap(t);
    }
    return gap;
}
