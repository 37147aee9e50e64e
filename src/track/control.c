/* The control of one step: forces mu at the rows P of all targets.
 *
 * With W = P K^-1 P^T (how far a force at one row moves another) and the weight Q of the residuals:
 *   published   lambda_v = h K^-1 P^T Q (r_k+1 + h r_k),  f0 = -P lambda_v,  mu = a mu_k + (b/rho0) f0
 *   discrete    min over mu of |r + h^2 W mu|_Q^2/2 + h rho0 |mu|^2/2, r: residual at q_k+1 without control
 *   exact       the same over all mu(s) on the step; mu(s) = -(h - s) W Q e/rho0 with (I + h^3/(3 rho0) W W Q) e = r
 */
#include <math.h>
#include <string.h>

#include "track/track.h"

static const double DEPENDENT = 1e-10;

/* y = A x */
static void apply(int n, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int k = 0; k < n; ++k) y[i] += A[i * n + k] * x[k];
    }
}

static void residuals(ac_track *t, const double *q, double *r)
{
    for (int i = 0; i < t->control.count;) {
        int goal, component;
        ac_track_goal_of(t, i, &goal, &component);
        double error[6];
        ac_track_goal_error(t, &t->goals[goal], q, error);
        for (int k = 0; k < t->goals[goal].rows; ++k) r[i++] = error[t->goals[goal].component[k]];
    }
}

/* P f of the known forces on the tracked nodes themselves. */
static void own_loads(const ac_track *t, double *out)
{
    for (int i = 0; i < t->control.count; ++i)
        out[i] = ac_track_row_rate(&t->control.rows[i], t->forces.known);
}

/* x <- W^-1 x */
static void solve_W(ac_track *t, double *x)
{
    int n = t->control.count;
    memcpy(t->control.factor, t->control.W, (size_t)(n * n) * sizeof *t->control.factor);
    int rank = ac_track_cholesky(n, t->control.factor, n, t->control.order, DEPENDENT);
    ac_track_cholesky_solve(n, t->control.factor, n, t->control.order, rank, x, t->control.work);
}

void ac_track_cancel_known(ac_track *t)
{
    int n = t->control.count;
    if (t->settings.cancel == AC_CANCEL_NONE || n == 0) {
        memset(t->control.u, 0, (size_t)n * sizeof *t->control.u);
        return;
    }
    if (t->settings.cancel != AC_CANCEL_PROJECTED) {
        own_loads(t, t->control.u);
    } else {
        for (int i = 0; i < n; ++i) {
            const double *column = t->control.columns + (size_t)i * 6 * (size_t)t->nodes;
            t->control.u[i] = 0.0;
            for (int j = 0; j < 6 * t->nodes; ++j) t->control.u[i] += column[j] * t->forces.known[j];
        }
        solve_W(t, t->control.u);
    }
    for (int i = 0; i < n; ++i) t->control.u[i] = -t->control.u[i];
}

/* f0 = -P lambda_v, with the term of the velocities. */
static void drive(ac_track *t, const double *residual, double *f0)
{
    int n = t->control.count;
    double h = t->settings.step, by_velocity = t->settings.weights.velocity;
    double *sum = t->control.work;
    apply(n, t->control.weight, residual, sum);
    for (int i = 0; i < n; ++i)
        sum[i] = h * sum[i] +
                 by_velocity * (ac_track_row_rate(&t->control.rows[i], t->twists) - t->control.rate[i]);
    apply(n, t->control.W, sum, f0);
    for (int i = 0; i < n; ++i) f0[i] = -f0[i];
}

void ac_track_choose_published(ac_track *t, const double *q_new)
{
    int n = t->control.count;
    double h = t->settings.step, rho0 = t->settings.weights.rho0, *f0 = t->control.r + t->control.capacity;
    bool perturbed = t->settings.cancel == AC_CANCEL_PERTURBED;
    residuals(t, q_new, t->control.r);
    for (int i = 0; i < n; ++i) {
        int g, c;
        ac_track_goal_of(t, i, &g, &c);
        double before = t->goals[g].before[c];
        if (t->goals[g].fresh) {
            double error[6];
            ac_track_goal_error(t, &t->goals[g], t->q, error);
            before = error[c];
        }
        t->goals[g].before[c] = t->control.r[i];
        t->control.r[i] += t->settings.weights.running * h * before;
    }
    drive(t, t->control.r, f0);
    ac_track_cancel_known(t);
    for (int i = 0; i < n; ++i) {
        int g, c;
        ac_track_goal_of(t, i, &g, &c);
        double *winding = &t->goals[g].winding[c], known = t->control.u[i];
        if (perturbed && t->goals[g].fresh) *winding = known;
        double mu = t->gain.a * *winding + t->gain.b / rho0 * f0[i] + (perturbed ? t->gain.c * known : 0.0);
        *winding = mu;
        t->control.u[i] = perturbed ? mu : mu + known;
    }
}

/* Discrete: (h rho0 + h^4 W Q W + w h^2 W W) mu = -h^2 W Q r - h w W (P v - v_c) */
static void solve_discrete(ac_track *t, const double *r, double *mu)
{
    int n = t->control.count;
    double h = t->settings.step, w = t->settings.weights.velocity,
           *sum = t->control.r + 2 * t->control.capacity;
    double *QW = t->control.factor + (size_t)t->control.capacity * (size_t)t->control.capacity;
    for (int i = 0; i < n; ++i) /* h^4 Q W + w h^2 W */
        for (int k = 0; k < n; ++k) {
            double s = 0.0;
            for (int j = 0; j < n; ++j) s += t->control.weight[i * n + j] * t->control.W[j * n + k];
            QW[i * n + k] = h * h * h * h * s + w * h * h * t->control.W[i * n + k];
        }
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            double s = i == k ? h * t->settings.weights.rho0 : 0.0;
            for (int j = 0; j < n; ++j) s += t->control.W[i * n + j] * QW[j * n + k];
            t->control.factor[i * n + k] = s;
        }
    apply(n, t->control.weight, r, sum);
    for (int i = 0; i < n; ++i)
        sum[i] = -h * h * sum[i] -
                 h * w * (ac_track_row_rate(&t->control.rows[i], t->trial.free) - t->control.rate[i]);
    apply(n, t->control.W, sum, mu);
    int rank = ac_track_cholesky(n, t->control.factor, n, t->control.order, 0.0);
    ac_track_cholesky_solve(n, t->control.factor, n, t->control.order, rank, mu, t->control.work);
}

/* Exact: the mean of mu(s) is -h/(2 rho0) W Q e. */
static void solve_exact(ac_track *t, const double *r, double *mu)
{
    int n = t->control.count;
    double h = t->settings.step, rho0 = t->settings.weights.rho0,
           *sum = t->control.r + 2 * t->control.capacity;
    /* e = r + (h^3/(3 rho0)) W m with m = -W Q e, so (I + (h^3/(3 rho0)) W Q W) m = -W Q r */
    double *QW = t->control.factor + (size_t)t->control.capacity * (size_t)t->control.capacity;
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            QW[i * n + k] = 0.0;
            for (int j = 0; j < n; ++j)
                QW[i * n + k] += t->control.weight[i * n + j] * t->control.W[j * n + k];
        }
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k) {
            double s = 0.0;
            for (int j = 0; j < n; ++j) s += t->control.W[i * n + j] * QW[j * n + k];
            t->control.factor[i * n + k] = (i == k ? 1.0 : 0.0) + h * h * h / (3.0 * rho0) * s;
        }
    apply(n, t->control.weight, r, sum);
    apply(n, t->control.W, sum, mu);
    int rank = ac_track_cholesky(n, t->control.factor, n, t->control.order, 0.0);
    ac_track_cholesky_solve(n, t->control.factor, n, t->control.order, rank, mu, t->control.work);
    for (int i = 0; i < n; ++i) mu[i] *= -0.5 * h / rho0;
}

void ac_track_choose_damped(ac_track *t, const double *q_free)
{
    double *mu = t->control.r + t->control.capacity;
    residuals(t, q_free, t->control.r);
    if (t->settings.method == AC_TRACK_EXACT)
        solve_exact(t, t->control.r, mu);
    else
        solve_discrete(t, t->control.r, mu);
    for (int i = 0; i < t->control.count; ++i) t->control.u[i] += mu[i];
}

/* --- limits --- */

/* Cuts force and torque of every target; returns whether anything was cut. */
static bool cut_forces(ac_track *t)
{
    bool cut = false;
    for (int i = 0; i < t->control.count;) {
        int g, c;
        ac_track_goal_of(t, i, &g, &c);
        ac_track_goal *goal = &t->goals[g];
        double square[2] = {0.0, 0.0}, share[2] = {1.0, 1.0};
        const double limit[2] = {goal->target.max_force, goal->target.max_torque};
        for (int k = 0; k < goal->rows; ++k)
            square[goal->component[k] / 3] += t->control.u[i + k] * t->control.u[i + k];
        for (int s = 0; s < 2; ++s)
            if (limit[s] > 0.0 && square[s] > limit[s] * limit[s]) share[s] = limit[s] / sqrt(square[s]);
        for (int k = 0; k < goal->rows; ++k) t->control.u[i + k] *= share[goal->component[k] / 3];
        cut |= share[0] < 1.0 || share[1] < 1.0;
        i += goal->rows;
    }
    return cut;
}

/* Rows whose point would be too fast get the control that holds it to its limit. */
static bool cut_speeds(ac_track *t, const double *twists)
{
    int n = t->control.count;
    double h = t->settings.step, *missing = t->control.r + 2 * t->control.capacity;
    bool cut = false;
    memset(missing, 0, (size_t)n * sizeof *missing);
    for (int i = 0; i < n;) {
        int g, c;
        ac_track_goal_of(t, i, &g, &c);
        ac_track_goal *goal = &t->goals[g];
        double rate[6], square = 0.0, limit = goal->target.max_speed;
        for (int k = 0; k < goal->rows && limit > 0.0; ++k) {
            rate[k] = ac_track_row_rate(&t->control.rows[i + k], twists);
            for (int j = 0; j < n; ++j) rate[k] += h * t->control.W[(i + k) * n + j] * t->control.u[j];
            if (goal->component[k] < 3) square += rate[k] * rate[k];
        }
        if (limit > 0.0 && square > limit * limit * (1.0 + 1e-12)) {
            double over = 1.0 - limit / sqrt(square);
            for (int k = 0; k < goal->rows; ++k)
                if (goal->component[k] < 3) missing[i + k] = -over * rate[k] / h;
            cut = true;
        }
        i += goal->rows;
    }
    if (!cut) return false;
    solve_W(t, missing);
    for (int i = 0; i < n; ++i) t->control.u[i] += missing[i];
    return true;
}

unsigned ac_track_limit(ac_track *t, const double *twists)
{
    unsigned what = 0;
    if (t->control.count == 0) return 0;
    if (cut_forces(t)) what |= AC_TRACK_FORCE_LIMITED;
    if (cut_speeds(t, twists)) {
        what |= AC_TRACK_SPEED_LIMITED;
        if (cut_forces(t)) what |= AC_TRACK_FORCE_LIMITED;
    }
    return what;
}
