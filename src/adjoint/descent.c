/* Descent within bounds.
 *
 * The step is x(a) = clip(x - a H g) with H of the method:
 *   BB1, BB2   H = s.s/s.y or s.y/y.y, s and y the last changes of x and g (Barzilai and Borwein); where s.y <= 0 the last
 *              length is taken again
 *   L-BFGS     the two-loop recursion over the last pairs with s.y > 0, on the variables that no bound holds
 * A step is halved until f falls below the largest of the last ten values (BB) or the last one (L-BFGS) by a part of the
 * decrease that the gradient predicts. What cannot be evaluated counts as infinitely high.
 *
 * Near the minimum the decrease drowns in the rounding of f, while the gradient still has digits. Where f is within rounding
 * of the best value, a step s of L-BFGS counts as a decrease of s.(g + g')/2, g' the gradient at its end (Hager and Zhang:
 * approximate Wolfe condition); a step of BB needs no decrease there, since it has none to show in most iterations anyway.
 */
#include "adjoint/descent.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

enum { PAIRS = 12, BEFORE = 10, HALVINGS = 50 };

/* Numbers of a search, in this order; behind them the last values, inverse products, s and y. */
enum {
    METHOD,
    ITERATION,
    STORED_PAIRS,
    NEWEST,
    LENGTH,
    MOVED,
    VALUES,
    LIMIT,
    BEST,
    LAST,
    INVERSE = LAST + BEFORE,
    ROWS = INVERSE + PAIRS
};

static const double SUFFICIENT = 1e-4;
static const double FAINT = 1e-4;     /* tolerances are relative below it */
static const double ROUNDING = 1e-10; /* of a simulated objective, in parts of it: an upper bound */

typedef struct descent {
    const ac_descent_problem *problem;
    const ac_shooting_settings *settings;
    double *x, *g, *trial, *trial_g, *direction;
    double *memory;                 /* what a search that goes on must know */
    double *last, *inverse, *s, *y; /* in it; s and y: PAIRS rows */
    double share[PAIRS];
    int pairs, newest;
    double value, trial_value, length, moved; /* moved: length of the last step */
    double limit;                             /* gradient that counts as zero */
    double best;                              /* least value so far */
    int values;
} descent;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

static double clip(const ac_descent_problem *p, int i, double x)
{
    return ac_min(p->high[i], ac_max(p->low[i], x));
}

/* Is x held by a bound against which the gradient pushes? */
static bool is_held(const descent *d, int i)
{
    const ac_descent_problem *p = d->problem;
    return (d->x[i] <= p->low[i] && d->g[i] > 0.0) || (d->x[i] >= p->high[i] && d->g[i] < 0.0);
}

/* Largest component of the gradient that no bound stops. */
static double free_gradient(const descent *d)
{
    double most = 0.0;
    for (int i = 0; i < d->problem->n; ++i)
        if (!is_held(d, i)) most = ac_max(most, fabs(d->g[i]));
    return most;
}

/* direction = H g */
static void lbfgs_direction(descent *d)
{
    int n = d->problem->n;
    for (int i = 0; i < n; ++i) d->direction[i] = is_held(d, i) ? 0.0 : d->g[i];
    for (int k = 0; k < d->pairs; ++k) {
        int at = (d->newest - k + PAIRS) % PAIRS;
        d->share[at] = d->inverse[at] * dot(n, d->s + at * n, d->direction);
        for (int i = 0; i < n; ++i) d->direction[i] -= d->share[at] * d->y[at * n + i];
    }
    double scale = d->length;
    if (d->pairs > 0) {
        const double *s = d->s + d->newest * n, *y = d->y + d->newest * n;
        scale = dot(n, s, y) / dot(n, y, y);
    }
    for (int i = 0; i < n; ++i) d->direction[i] *= scale;
    for (int k = d->pairs - 1; k >= 0; --k) {
        int at = (d->newest - k + PAIRS) % PAIRS;
        double back = d->inverse[at] * dot(n, d->y + at * n, d->direction);
        for (int i = 0; i < n; ++i) d->direction[i] += (d->share[at] - back) * d->s[at * n + i];
    }
    for (int i = 0; i < n; ++i)
        if (is_held(d, i)) d->direction[i] = 0.0;
    if (!(dot(n, d->direction, d->g) > 0.0)) { /* no way down: begin anew */
        d->pairs = 0;
        for (int i = 0; i < n; ++i) d->direction[i] = is_held(d, i) ? 0.0 : d->length * d->g[i];
    }
}

static void bb_direction(descent *d)
{
    for (int i = 0; i < d->problem->n; ++i) d->direction[i] = d->length * d->g[i];
}

/* The value that a step must stay below. */
static double reference(const descent *d)
{
    if (d->settings->method == AC_SHOOT_LBFGS) return d->value;
    double most = d->value;
    int count = d->values < BEFORE ? d->values : BEFORE;
    for (int k = 0; k < count; ++k) most = ac_max(most, d->last[k]);
    return most;
}

/* Does the trial, at which the gradient predicts this change of the value, go down? */
static bool goes_down(const descent *d, double most, double change)
{
    const ac_descent_problem *p = d->problem;
    if (!isfinite(d->trial_value) || !(change < 0.0)) return false;
    if (d->trial_value <= most + SUFFICIENT * change) return true;
    if (d->trial_value > d->best + ROUNDING * fabs(d->best)) return false;
    if (d->settings->method != AC_SHOOT_LBFGS) return true;
    double after = 0.0;
    for (int i = 0; i < p->n; ++i) after += d->trial_g[i] * (d->trial[i] - d->x[i]);
    return 0.5 * (change + after) <= SUFFICIENT * change;
}

/* Halves the step until it goes down; false: it never does. */
static ac_status search(descent *d, double *step, bool *found)
{
    const ac_descent_problem *p = d->problem;
    double most = reference(d);
    *found = false;
    *step = 1.0;
    for (int k = 0; k < HALVINGS; ++k, *step *= 0.5) {
        double change = 0.0;
        for (int i = 0; i < p->n; ++i) {
            d->trial[i] = clip(p, i, d->x[i] - *step * d->direction[i]);
            change += d->g[i] * (d->trial[i] - d->x[i]);
        }
        AC_TRY(p->evaluate(p->user, d->trial, &d->trial_value, d->trial_g));
        *found = goes_down(d, most, change);
        if (*found) return AC_OK;
    }
    return AC_OK;
}

/* The step becomes the present point; the pair of changes is kept. */
static void accept(descent *d)
{
    int n = d->problem->n, at = (d->newest + 1) % PAIRS;
    double *s = d->s + at * n, *y = d->y + at * n;
    for (int i = 0; i < n; ++i) {
        s[i] = d->trial[i] - d->x[i];
        y[i] = d->trial_g[i] - d->g[i];
    }
    double sy = dot(n, s, y), ss = dot(n, s, s), yy = dot(n, y, y);
    d->moved = sqrt(ss);
    if (sy > 1e-12 * sqrt(ss * yy)) {
        d->length = d->settings->method == AC_SHOOT_BB1 ? ss / sy : sy / yy;
        d->inverse[at] = 1.0 / sy;
        d->newest = at;
        if (d->pairs < PAIRS) ++d->pairs;
    } else if (yy > 0.0) {
        d->length = sqrt(ss / yy);
    }
    memcpy(d->x, d->trial, (size_t)n * sizeof *d->x);
    memcpy(d->g, d->trial_g, (size_t)n * sizeof *d->g);
    d->value = d->trial_value;
    d->best = ac_min(d->best, d->value);
    d->last[d->values++ % BEFORE] = d->value;
}

static int memory_size(const ac_descent_problem *p)
{
    return ROWS + 2 * PAIRS * p->n;
}

static void write_memory(const descent *d, int iteration)
{
    const double head[] = {d->settings->method, iteration, d->pairs, d->newest, d->length, d->moved,
                           d->values,           d->limit,  d->best};
    memcpy(d->memory, head, sizeof head);
}

/* The search goes on where an earlier one stood, at the same x; the iteration that it had reached. */
static ac_status read_memory(descent *d, int *iteration)
{
    const ac_shooting_settings *settings = d->settings;
    const double *m = settings->search;
    if (settings->search_size != memory_size(d->problem) || m[METHOD] != (double)settings->method)
        return ac_fail(d->problem->ctx, AC_BAD_INPUT,
                       "the search to continue is of another method or problem");
    memcpy(d->memory, m, (size_t)settings->search_size * sizeof *m);
    *iteration = (int)m[ITERATION];
    d->pairs = (int)m[STORED_PAIRS];
    d->newest = (int)m[NEWEST];
    d->length = m[LENGTH];
    d->moved = m[MOVED];
    d->values = (int)m[VALUES];
    d->limit = m[LIMIT];
    d->best = m[BEST];
    return AC_OK;
}

static int report(const descent *d, ac_shooting_outcome *outcome, int iteration)
{
    write_memory(d, iteration);
    outcome->iterations = iteration;
    outcome->value = d->value;
    outcome->gradient = free_gradient(d);
    outcome->limit = d->limit;
    return d->problem->report(d->problem->user,
                              &(ac_shooting_progress){.iteration = iteration,
                                                      .value = d->value,
                                                      .gradient = outcome->gradient,
                                                      .step = d->moved,
                                                      .controls = d->x,
                                                      .search = d->memory,
                                                      .search_size = memory_size(d->problem)});
}

double ac_descent_limit(double tolerance, double value, double gradient)
{
    double size = ac_max(fabs(value), gradient);
    return size > 0.0 && size < FAINT ? tolerance * size : tolerance;
}

static ac_status iterate(descent *d, ac_shooting_outcome *outcome)
{
    const ac_descent_problem *p = d->problem;
    const ac_shooting_settings *settings = d->settings;
    AC_TRY(p->evaluate(p->user, d->x, &d->value, d->g));
    if (!isfinite(d->value)) return ac_fail(p->ctx, AC_NOT_CONVERGED, "the simulation of the guess failed");
    double first = free_gradient(d), step = 0.0;
    int begin = 0;
    d->best = d->value;
    d->length = first > 0.0 ? settings->first_step / first : 1.0;
    d->limit = ac_descent_limit(settings->tolerance, d->value, first);
    if (settings->search) AC_TRY(read_memory(d, &begin));
    for (int k = begin;; ++k) {
        bool found;
        if (report(d, outcome, k) != 0)
            return ac_fail(p->ctx, AC_INTERRUPTED, "interrupted after iteration %d", k);
        if (outcome->gradient <= d->limit) return AC_OK;
        if (k == settings->max_iterations)
            return ac_fail(p->ctx, AC_NOT_CONVERGED,
                           "the gradient is %.3g after %d iterations (tolerance %.3g)", outcome->gradient, k,
                           d->limit);
        if (settings->method == AC_SHOOT_LBFGS)
            lbfgs_direction(d);
        else
            bb_direction(d);
        AC_TRY(search(d, &step, &found));
        if (!found && d->pairs > 0 && settings->method == AC_SHOOT_LBFGS) { /* once more, without the past */
            d->pairs = 0;
            d->length = settings->first_step / outcome->gradient;
            lbfgs_direction(d);
            AC_TRY(search(d, &step, &found));
        }
        if (!found && outcome->gradient <= settings->tolerance) { /* the rest is rounding */
            outcome->limit = settings->tolerance;
            return AC_OK;
        }
        if (!found)
            return ac_fail(
                p->ctx, AC_NOT_CONVERGED,
                "no step goes further down after %d iterations; the gradient is %.3g (tolerance %.3g)", k,
                outcome->gradient, d->limit);
        accept(d);
    }
}

ac_status ac_descend(const ac_descent_problem *problem, const ac_shooting_settings *settings, double *x,
                     ac_shooting_outcome *outcome)
{
    descent d = {.problem = problem, .settings = settings, .x = x, .newest = PAIRS - 1};
    size_t n = (size_t)problem->n;
    double *block = ac_allocate(problem->ctx, 4 * n + (size_t)memory_size(problem), sizeof *block);
    if (!block) return ac_out_of_memory(problem->ctx);
    d.g = block;
    d.trial = block + n;
    d.trial_g = block + 2 * n;
    d.direction = block + 3 * n;
    d.memory = block + 4 * n;
    d.last = d.memory + LAST;
    d.inverse = d.memory + INVERSE;
    d.s = d.memory + ROWS;
    d.y = d.s + PAIRS * n;
    for (int i = 0; i < problem->n; ++i) x[i] = clip(problem, i, x[i]);
    ac_status status = iterate(&d, outcome);
    ac_release(problem->ctx, block);
    return status;
}
