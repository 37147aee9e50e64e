/* One step of a tracker.
 *
 * Published methods and servo constraints move first: x_k+1 = x_k + h K v_k, then everything at x_k+1 gives v_k+1 by one
 * linear solve. The damped methods choose the velocity first: everything at x_k gives v_k+1, then x_k+1 = x_k + h K v_k+1.
 * Gyroscopic forces enter as the change of the inertia tensor, so that the angular momentum of a free body is kept
 * to round-off whatever the step. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "math/math.h"
#include "track/track.h"
#include "tree/kinematics.h"

static size_t twist_bytes(const ac_track *t)
{
    return 6 * (size_t)t->nodes * sizeof(double);
}

/* g = -G v - (eps/h) Phi for the joints of the tree; before K is factorised. */
static void joint_right(ac_track *t)
{
    double alpha = t->settings.joint_stabilisation / t->settings.step;
    for (int i = 0; i < t->nodes; ++i) {
        const ac_track_link *l = &t->links[i];
        for (int k = 0; k < l->rows; ++k) {
            double rate = dot6(l->G + 6 * k, t->twists + 6 * i);
            if (l->parent != AC_GROUND) rate += dot6(l->H + 6 * k, t->twists + 6 * l->parent);
            t->sides.rows[l->first_row + k] = -rate - alpha * t->phi[l->first_row + k];
        }
    }
}

/* b = h f + (momentum of the step before - momentum of v_k here). */
static void start_load(ac_track *t)
{
    double h = t->settings.step;
    for (int i = 0; i < t->nodes; ++i) {
        double now[3];
        apply3(t->links[i].inertia, t->twists + 6 * i + 3, now);
        for (int k = 0; k < 6; ++k) t->sides.load[6 * i + k] = h * t->forces.all[6 * i + k];
        for (int k = 0; k < 3; ++k) t->sides.load[6 * i + 3 + k] += t->turning.momentum[3 * i + k] - now[k];
        if (!t->present[i]) memset(t->sides.load + 6 * i, 0, 6 * sizeof(double));
    }
}

static void add_control(ac_track *t, const double *u)
{
    double h = t->settings.step;
    for (int i = 0; i < t->control.count; ++i) {
        double *b = t->sides.load + 6 * t->control.rows[i].node[0];
        for (int k = 0; k < 6; ++k) b[k] += h * u[i] * t->control.rows[i].by[0][k];
    }
}

static void add_twists(const ac_track *t, const double *a, const double *b, double *sum)
{
    for (int k = 0; k < 6 * t->nodes; ++k) sum[k] = a[k] + b[k];
}

/* twists += factor K^-1 P^T u */
static void add_columns(const ac_track *t, const double *u, double factor, double *twists)
{
    for (int i = 0; i < t->control.count; ++i) {
        const double *column = t->control.columns + (size_t)i * 6 * (size_t)t->nodes;
        for (int k = 0; k < 6 * t->nodes; ++k) twists[k] += factor * u[i] * column[k];
    }
}

static void keep_controls(ac_track *t)
{
    for (int i = 0; i < t->control.count; ++i) {
        int g, c;
        ac_track_goal_of(t, i, &g, &c);
        t->goals[g].control[c] = t->control.u[i];
    }
}

/* New twists from their change, reactions from the multipliers. */
static void finish_solve(ac_track *t)
{
    double h = t->settings.step;
    add_twists(t, t->twists, t->trial.change, t->trial.new);
    t->largest_reaction = 0.0;
    for (int i = 0; i < t->nodes; ++i)
        for (int k = 0; k < t->links[i].rows; ++k) {
            double *rho = &t->reaction[t->links[i].first_row + k];
            *rho /= -h;
            if (fabs(*rho) > t->largest_reaction) t->largest_reaction = fabs(*rho);
        }
}

/* The solution without control, and columns of the control: into change, reaction, base_twists. */
static void solve_base(ac_track *t)
{
    ac_track_solve_control(t, t->sides.load, t->sides.rows, t->trial.change, t->reaction);
    add_twists(t, t->twists, t->trial.change, t->trial.base);
}

/* The equations are linear: the control adds its columns. */
static void add_control_solution(ac_track *t)
{
    double h = t->settings.step;
    add_columns(t, t->control.u, h, t->trial.change);
    for (int i = 0; i < t->control.count; ++i) {
        const double *rows = t->control.multipliers + (size_t)i * (size_t)t->rows;
        for (int k = 0; k < t->rows; ++k) t->reaction[k] += h * t->control.u[i] * rows[k];
    }
    finish_solve(t);
}

/* --- the target as a constraint --- */

/* Forces of the servo constraints from the border; returns whether one is beyond its limit. */
static bool servo_forces(ac_track *t, int first)
{
    double h = t->settings.step;
    bool beyond = false;
    for (int g = 0, k = first; g < t->goal_count; ++g) {
        ac_track_goal *goal = &t->goals[g];
        if (!ac_track_goal_active(t, goal) || t->given_up[g]) continue;
        double square[2] = {0.0, 0.0}, share[2] = {1.0, 1.0};
        const double limit[2] = {goal->target.max_force, goal->target.max_torque};
        for (int c = 0; c < goal->rows; ++c) {
            double mu = -t->border.forces[k++] / h;
            goal->control[goal->component[c]] = mu;
            square[goal->component[c] / 3] += mu * mu;
        }
        for (int s = 0; s < 2; ++s)
            if (limit[s] > 0.0 && square[s] > limit[s] * limit[s]) share[s] = limit[s] / sqrt(square[s]);
        if (share[0] == 1.0 && share[1] == 1.0) continue;
        for (int c = 0; c < 6; ++c) goal->control[c] *= share[c / 3];
        t->given_up[g] = beyond = true;
    }
    return beyond;
}

static void given_up_forces(ac_track *t)
{
    for (int i = 0; i < t->control.count; ++i) {
        int g, c;
        ac_track_goal_of(t, i, &g, &c);
        t->control.u[i] = t->given_up[g] ? t->goals[g].control[c] : 0.0;
    }
}

static unsigned step_servo(ac_track *t, double time)
{
    unsigned what = 0;
    long speeds = t->counts.speed_limited;
    memset(t->given_up, 0, (size_t)t->goal_count * sizeof *t->given_up);
    for (int pass = 0; pass < 2; ++pass) {
        ac_track_assemble(t, t->q_new, time, t->settings.step);
        joint_right(t);
        ac_track_goal_rows(t, t->q_new);
        int first = t->border.count;
        ac_track_servo_rows(t, t->q_new, t->given_up);
        ac_track_factor(t);
        start_load(t);
        given_up_forces(t);
        add_control(t, t->control.u);
        ac_track_solve(t, t->sides.load, t->sides.rows, t->trial.change, t->reaction, t->border.forces);
        finish_solve(t);
        if (!servo_forces(t, first)) break;
        what |= AC_TRACK_FORCE_LIMITED;
    }
    if (t->counts.speed_limited > speeds) {
        t->counts.speed_limited = speeds;
        what |= AC_TRACK_SPEED_LIMITED;
    }
    return what;
}

/* --- the published methods --- */

static unsigned step_published(ac_track *t, double time)
{
    ac_track_assemble(t, t->q_new, time, t->settings.step);
    joint_right(t);
    ac_track_goal_rows(t, t->q_new);
    ac_track_factor(t);
    start_load(t);
    solve_base(t);
    ac_track_choose_published(t, t->q_new);
    unsigned what = ac_track_limit(t, t->trial.base);
    keep_controls(t);
    add_control_solution(t);
    return what;
}

/* --- the damped methods --- */

static unsigned step_damped(ac_track *t, double time)
{
    double h = t->settings.step;
    bool exact = t->settings.method == AC_TRACK_EXACT;
    ac_track_assemble(t, t->q, time, h);
    joint_right(t);
    ac_track_goal_rows(t, t->q);
    ac_track_factor(t);
    start_load(t);
    solve_base(t);
    unsigned what = 0;
    if (t->control.count > 0) {
        ac_track_cancel_known(t);
        memcpy(t->control.known, t->control.u, (size_t)t->control.count * sizeof *t->control.u);
        memcpy(t->trial.free, t->trial.base, twist_bytes(t));
        add_columns(t, t->control.u, h, t->trial.free);
        if (exact) {
            double *here = t->trial.new; /* is free until the control is known */
            ac_track_twists_here(t, here);
            for (int k = 0; k < 6 * t->nodes; ++k) t->trial.free[k] = 0.5 * (t->trial.free[k] + here[k]);
        }
        ac_track_goals_move(t, t->trial.free, h, t->q_new);
        ac_track_choose_damped(t, t->q_new);
        what = ac_track_limit(t, t->trial.base);
        keep_controls(t);
    }
    add_control_solution(t);
    if (exact && t->control.count > 0) { /* the displacement under the falling control */
        for (int i = 0; i < t->control.count; ++i) t->control.u[i] -= t->control.known[i];
        add_columns(t, t->control.u, 2.0 / 3.0 * h, t->trial.free);
        ac_track_advance(t, t->q, t->trial.free, h, t->q_new);
    }
    return what;
}

/* --- after the step --- */

/* Slows down what is too fast to be followed by one step. */
static bool slow_down(ac_track *t)
{
    double h = t->settings.step, moves = 0.0, turns = 0.0; /* squares */
    for (int i = 0; i < t->nodes; ++i) {
        const double *v = t->trial.new + 6 * i;
        double move = dot3(v, v), turn = dot3(v + 3, v + 3);
        if (move > moves) moves = move;
        if (turn > turns) turns = turn;
    }
    double most = h * ac_max(sqrt(moves) / t->settings.move_limit, sqrt(turns) / t->settings.turn_limit);
    if (!(most > 1.0)) return false;
    for (int k = 0; k < 6 * t->nodes; ++k) t->trial.new[k] /= most;
    return true;
}

static bool all_finite(const double *x, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) sum += 0.0 * x[k]; /* NaN as soon as one is not finite */
    return sum == 0.0;
}

static void keep_momentum(ac_track *t)
{
    for (int i = 0; i < t->nodes; ++i)
        apply3(t->links[i].inertia, t->twists + 6 * i + 3, t->turning.momentum + 3 * i);
}

double ac_track_largest_gap(ac_track *t)
{
    double most = 0.0;
    t->loosest = -1;
    ac_constraints_value(t->system, t->q, t->system->constraints.internal, t->phi);
    t->phi_known = true;
    for (int k = 0; k < t->rows; ++k) {
        int joint = t->system->constraints.owner[t->system->constraints.internal + k];
        if (!ac_track_holds(t, joint) || !(fabs(t->phi[k]) > most)) continue;
        most = fabs(t->phi[k]);
        t->loosest = joint;
    }
    return most;
}

enum {
    ROUNDS = 8,        /* for what a step leaves open */
    ROUNDS_ACROSS = 64 /* for joints that a user closes across a gap: outside the loop of steps */
};

/* Joints that came apart are put together. */
static unsigned put_together(ac_track *t, int rounds)
{
    const double most = t->settings.joint_tolerance * t->system->length_scale;
    t->residual = ac_track_largest_gap(t);
    if (t->residual <= most) return 0;
    t->residual = ac_track_project(t, rounds);
    for (int i = 0; i < t->nodes; ++i)
        ac_track_find_momentum(t, i); /* bodies were turned under their momentum */
    return AC_TRACK_PROJECTED | (t->residual <= most ? 0 : AC_TRACK_APART);
}

/* Joints that a user has closed, wherever their bodies are. */
static unsigned put_across(ac_track *t)
{
    unsigned what = ac_track_turn_back(t) ? AC_TRACK_PROJECTED : 0;
    what |= put_together(t, ROUNDS_ACROSS);
    int turned = ac_track_turned_joint(t);
    if (turned < 0) return what;
    t->residual = ac_max(t->residual, 1.0); /* the cosine between directions that should be one */
    t->loosest = turned;
    return what | AC_TRACK_APART;
}

static unsigned accept(ac_track *t, bool moved_first)
{
    unsigned what = 0;
    bool good = all_finite(t->trial.new, 6 * t->nodes) && all_finite(t->q_new, t->system->n);
    if (!good) {
        memset(t->twists, 0, twist_bytes(t));
        memset(t->turning.momentum, 0, 3 * (size_t)t->nodes * sizeof(double));
        ++t->steps;
        return AC_TRACK_FAULT;
    }
    if (slow_down(t)) {
        what |= AC_TRACK_SLOWED;
        if (!moved_first) ac_track_advance(t, t->q, t->trial.new, t->settings.step, t->q_new);
    } else if (!moved_first && (t->settings.method != AC_TRACK_EXACT || t->control.count == 0)) {
        ac_track_advance(t, t->q, t->trial.new, t->settings.step, t->q_new);
    }
    memcpy(t->q, t->q_new, (size_t)t->system->n * sizeof *t->q);
    memcpy(t->twists, t->trial.new, twist_bytes(t));
    keep_momentum(t);
    ++t->steps;
    ac_track_remember(t);
    return what | put_together(t, ROUNDS);
}

static void count(ac_track *t, unsigned what)
{
    t->counts.force_limited += (what & AC_TRACK_FORCE_LIMITED) != 0;
    t->counts.speed_limited += (what & AC_TRACK_SPEED_LIMITED) != 0;
    t->counts.slowed += (what & AC_TRACK_SLOWED) != 0;
    t->counts.projected += (what & AC_TRACK_PROJECTED) != 0;
    t->counts.faults += (what & AC_TRACK_FAULT) != 0;
    t->counts.apart += (what & AC_TRACK_APART) != 0;
}

unsigned ac_track_step(ac_track *t)
{
    double h = t->settings.step;
    unsigned what = 0;
    bool moved_first = t->settings.method >= AC_TRACK_SERVO;
    if (t->altered) what = put_across(t); /* before their gap becomes a force */
    t->altered = false;
    if (t->settings.acceleration_level != 0.0) {
        ac_track_runge_kutta(t);
        moved_first = true;
    } else if (moved_first) {
        ac_track_advance(t, t->q, t->twists, h, t->q_new);
        double time = (double)(t->steps + 1) * h;
        what |= t->settings.method == AC_TRACK_SERVO ? step_servo(t, time) : step_published(t, time);
    } else {
        what |= step_damped(t, (double)t->steps * h);
    }
    what |= accept(t, moved_first);
    memset(t->forces.next, 0, twist_bytes(t));
    for (int g = 0; g < t->goal_count; ++g) t->goals[g].fresh &= !t->goals[g].placed;
    count(t, what);
    return what;
}
