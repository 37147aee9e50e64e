/* Newton's method within bounds.
 *
 * The step minimises g . s + s . H s / 2 in a ball, on the variables that no bound holds, by conjugate gradients
 * (Steihaug): they stop at a forcing term, at the ball, or at negative curvature, along which they go to the ball.
 * Variables that reach a bound are fixed there, and the others are found anew. The ball follows the ratio of the merit's
 * change to the model's. H is known by products only.
 *
 * Terms with large weights make curved valleys: a long step along one leaves it sideways, and the merit rises though the
 * next step would return to its floor. So a step that does not pay is kept for once; if the one after it does not pay
 * either, the search goes back to where it left (watchdog of Chamberlain and others) with a smaller ball. After two such
 * returns, and where the function is not defined, the step is halved until it pays.
 *
 * Where the gradient vanishes the least curvature is found (curvature.c). If it is negative, the point is no minimum: the
 * search goes on along its direction.
 */
#include "adjoint/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "adjoint/descent.h"
#include "math/math.h"

enum { HALVINGS = 40, SHRINKINGS = 30, PATIENCE = 2 };

static const double SHORTEST = 1e-14; /* ball, in parts of its first size */

static const double SUFFICIENT = 1e-4;
static const double FORCING = 0.1; /* of the first iterations; later the root of the gradient's fall */
static const double ROUNDING = 8.0 * DBL_EPSILON;
/* A curvature counts as negative below this part of the largest. */
static const double NEGATIVE = 1e-12;

/* Numbers of a search that goes on, in this order; behind them the point that it may go back to. */
enum {
    METHOD,
    ITERATION,
    RADIUS,
    FIRST,
    LAST,
    RELAXED,
    RETURNS,
    MERIT,
    SLOPE,
    MODEL,
    LENGTH,
    EDGE,
    PRODUCTS,
    SADDLES,
    LIMIT,
    KEPT
};

typedef struct newton {
    const ac_newton_problem *problem;
    const ac_shooting_settings *settings;
    double *x, *g, *step, *trial;
    double *r, *p, *Hp, *Hs; /* of conjugate gradients */
    bool *held, *fixed;      /* by bounds: at the present point, in the model */
    double merit, radius, first;
    double limit;     /* gradient that counts as zero */
    double model;     /* change that the quadratic model predicts for the step */
    bool at_edge;     /* the step ended at the ball */
    double free_most; /* largest component of the gradient that no bound stops */
    double last;      /* length of the last step */
    int products;
    /* where the search goes back to: the point, its merit, slope and model of the step taken from it */
    double *memory, *kept; /* kept: in the memory */
    bool relaxed;          /* the last step did not pay */
    int returns;           /* to this point, in a row */
    struct {
        double merit, slope, model, length;
        bool at_edge;
    } left;
} newton;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* Held: at a bound, or so near that the gradient would push it there at once. */
static void find_held(newton *s)
{
    const ac_newton_problem *p = s->problem;
    s->free_most = 0.0;
    for (int i = 0; i < p->n; ++i) {
        s->held[i] = (s->x[i] <= p->low[i] && s->g[i] > 0.0) || (s->x[i] >= p->high[i] && s->g[i] < 0.0);
        if (!s->held[i]) s->free_most = ac_max(s->free_most, fabs(s->g[i]));
    }
}

/* tau >= 0 with |z + tau p| = radius */
static double to_edge(int n, const double *z, const double *p, double radius)
{
    double zz = dot(n, z, z), zp = dot(n, z, p), pp = dot(n, p, p),
           inside = ac_max(0.0, radius * radius - zz);
    return inside / (zp + sqrt(zp * zp + pp * inside));
}

static double dot_free(const newton *s, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < s->problem->n; ++i)
        if (!s->fixed[i]) sum += a[i] * b[i];
    return sum;
}

/* step += alpha p, and its product with it */
static void advance(newton *s, double alpha)
{
    for (int i = 0; i < s->problem->n; ++i) {
        s->step[i] += alpha * s->p[i];
        s->Hs[i] += alpha * s->Hp[i];
        s->r[i] = s->g[i] + s->Hs[i];
    }
}

/* Conjugate gradients from the present step on, on the variables that are not fixed. */
static ac_status conjugate_gradients(newton *s, double goal, int most)
{
    const int n = s->problem->n;
    double rr = dot_free(s, s->r, s->r);
    s->at_edge = false;
    for (int i = 0; i < n; ++i) s->p[i] = s->fixed[i] ? 0.0 : -s->r[i];
    for (int k = 0; k < most && sqrt(rr) > goal; ++k) {
        AC_TRY(s->problem->multiply(s->problem->user, s->p, s->Hp));
        ++s->products;
        double curvature = dot(n, s->p, s->Hp), alpha = rr / curvature,
               tau = to_edge(n, s->step, s->p, s->radius);
        s->at_edge = !(curvature > 0.0) || alpha >= tau;
        advance(s, s->at_edge ? tau : alpha);
        if (s->at_edge) return AC_OK;
        double next = dot_free(s, s->r, s->r), beta = next / rr;
        for (int i = 0; i < n; ++i) s->p[i] = s->fixed[i] ? 0.0 : -s->r[i] + beta * s->p[i];
        rr = next;
    }
    return AC_OK;
}

/* The step stays within the bounds; variables that would leave them are fixed there. How many. */
static int clip_step(newton *s)
{
    const ac_newton_problem *p = s->problem;
    int count = 0;
    for (int i = 0; i < p->n; ++i) {
        double to = ac_min(p->high[i], ac_max(p->low[i], s->x[i] + s->step[i])) - s->x[i];
        if (fabs(to - s->step[i]) <= ROUNDING * fabs(s->x[i])) continue;
        s->step[i] = to;
        s->fixed[i] = true;
        ++count;
    }
    return count;
}

/* step: minimiser of the model in the ball and within the bounds, as far as conjugate gradients go: variables that reach
 * a bound stay there, and the others are found anew. */
static ac_status solve_model(newton *s)
{
    const int n = s->problem->n;
    size_t bytes = (size_t)n * sizeof *s->step;
    double goal = ac_min(FORCING, sqrt(s->free_most / s->first));
    int most = s->settings->max_products > 0 ? s->settings->max_products : n, from = s->products;
    memset(s->step, 0, bytes);
    memset(s->Hs, 0, bytes);
    memcpy(s->r, s->g, bytes);
    memcpy(s->fixed, s->held, (size_t)n * sizeof *s->held);
    goal *= sqrt(dot_free(s, s->r, s->r));
    for (;;) {
        AC_TRY(conjugate_gradients(s, goal, most - (s->products - from)));
        if (clip_step(s) == 0) break;
        AC_TRY(s->problem->multiply(s->problem->user, s->step, s->Hs));
        ++s->products;
        for (int i = 0; i < n; ++i) s->r[i] = s->g[i] + s->Hs[i];
    }
    s->model = dot(n, s->g, s->step) + 0.5 * dot(n, s->step, s->Hs);
    return AC_OK;
}

/* A step that goes down: the ball shrinks until the clipped step does. */
static ac_status find_step(newton *s, double *slope, bool *found)
{
    const ac_newton_problem *p = s->problem;
    *found = false;
    for (int k = 0; k < SHRINKINGS && !*found; ++k) {
        AC_TRY(solve_model(s));
        AC_TRY(p->announce(p->user, s->step, !s->relaxed, slope, &s->merit));
        *found = *slope < 0.0 || s->relaxed; /* the second of two steps is judged by the point before both */
        if (!*found) s->radius = 0.25 * ac_min(s->radius, sqrt(dot(p->n, s->step, s->step)));
    }
    return AC_OK;
}

static bool pays(double merit, double from, double slope)
{
    return merit <= from + SUFFICIENT * slope + ROUNDING * fabs(from);
}

/* The trial becomes the present point. */
static void take(newton *s, double merit, double length)
{
    memcpy(s->x, s->trial, (size_t)s->problem->n * sizeof *s->x);
    s->merit = merit;
    s->last = length;
    s->problem->accept(s->problem->user);
}

/* The ball grows and shrinks with what a step, or two of them, brought of what the model of the first promised. */
static void resize(newton *s, double change)
{
    double ratio = s->left.model < 0.0 ? change / s->left.model : 0.0;
    if (ratio < 0.25)
        s->radius = 0.5 * s->left.length;
    else if (s->left.at_edge)
        s->radius = ac_max(s->radius, (ratio > 0.75 ? 2.0 : 1.0) * s->left.length);
}

/* Halves the step until the function is defined and the merit falls. */
static ac_status search(newton *s, double slope, bool *found)
{
    const ac_newton_problem *p = s->problem;
    double length = sqrt(dot(p->n, s->step, s->step)), part = 0.5, merit = INFINITY;
    *found = false;
    for (int k = 0; k < HALVINGS && !*found; ++k, part *= 0.5) {
        for (int i = 0; i < p->n; ++i) s->trial[i] = s->x[i] + part * s->step[i];
        AC_TRY(p->attempt(p->user, s->trial, part, &merit));
        *found = isfinite(merit) && pays(merit, s->merit, part * slope);
        if (*found) take(s, merit, part * length);
    }
    if (*found) s->radius = s->last;
    s->returns = 0;
    return AC_OK;
}

/* Back to where the search left the descent. */
static ac_status go_back(newton *s)
{
    const ac_newton_problem *p = s->problem;
    memcpy(s->x, s->kept, (size_t)p->n * sizeof *s->x);
    p->recall(p->user);
    s->relaxed = false;
    ++s->returns;
    s->radius = 0.25 * s->left.length;
    AC_TRY(p->attempt(p->user, s->x, 0.0, &s->merit));
    p->accept(p->user);
    return AC_OK;
}

/* Tries the step; kept once if it does not pay. */
static ac_status follow(newton *s, double slope, bool *moved)
{
    const ac_newton_problem *p = s->problem;
    double length = sqrt(dot(p->n, s->step, s->step)), merit;
    *moved = true;
    if (!s->relaxed) {
        memcpy(s->kept, s->x, (size_t)p->n * sizeof *s->x);
        p->remember(p->user);
        s->left.merit = s->merit;
        s->left.slope = slope;
        s->left.model = s->model;
        s->left.length = length;
        s->left.at_edge = s->at_edge;
    }
    for (int i = 0; i < p->n; ++i) s->trial[i] = s->x[i] + s->step[i];
    AC_TRY(p->attempt(p->user, s->trial, 1.0, &merit));
    if (!isfinite(merit)) return s->relaxed ? go_back(s) : search(s, slope, moved);
    bool paid = pays(merit, s->left.merit, s->left.slope),
         well = paid && merit - s->left.merit <= 0.25 * s->left.model;
    if (s->relaxed && !paid) return go_back(s);
    if (s->returns >= PATIENCE && !paid) return search(s, slope, moved);
    take(s, merit, length);
    if (paid) s->returns = 0;
    if (well || s->relaxed) resize(s, merit - s->left.merit);
    s->relaxed = !well && !s->relaxed;
    return AC_OK;
}

/* The gradient vanishes: is it a minimum? If curvature is negative along a direction, the step becomes this direction. */
static ac_status judge(newton *s, ac_shooting_outcome *outcome, bool *leave)
{
    const ac_newton_problem *p = s->problem;
    ac_curvature_found found;
    *leave = false;
    AC_TRY(ac_least_curvature(p, s->held, s->step, &found));
    s->products += found.products;
    outcome->least_curvature = found.least;
    bool negative = found.least < -NEGATIVE * found.most;
    outcome->second_order = negative ? -1 : found.least - found.error > NEGATIVE * found.most ? 1 : 0;
    if (!negative) return AC_OK;
    double sign = dot(p->n, s->step, s->g) > 0.0 ? -1.0 : 1.0, scale = sign * s->radius;
    for (int i = 0; i < p->n; ++i) s->step[i] *= scale;
    clip_step(s);
    s->model = 0.5 * found.least * dot(p->n, s->step, s->step);
    s->at_edge = true;
    *leave = true;
    return AC_OK;
}

static void write_memory(const newton *s, int iteration, int saddles)
{
    const double head[] = {s->settings->method, iteration,       s->radius,     s->first,      s->last,
                           s->relaxed,          s->returns,      s->left.merit, s->left.slope, s->left.model,
                           s->left.length,      s->left.at_edge, s->products,   saddles,       s->limit};
    memcpy(s->memory, head, sizeof head);
}

/* The search goes on where an earlier one stood, at the same x; the iteration that it had reached. */
static ac_status read_memory(newton *s, ac_shooting_outcome *outcome, int *iteration)
{
    const double *m = s->settings->search;
    if (s->settings->search_size != KEPT + s->problem->n || m[METHOD] != (double)s->settings->method)
        return ac_fail(s->problem->ctx, AC_BAD_INPUT,
                       "the search to continue is of another method or problem");
    memcpy(s->memory, m, (size_t)s->settings->search_size * sizeof *m);
    *iteration = (int)m[ITERATION];
    s->radius = m[RADIUS];
    s->first = m[FIRST];
    s->last = m[LAST];
    s->relaxed = m[RELAXED] != 0.0;
    s->returns = (int)m[RETURNS];
    s->left.merit = m[MERIT];
    s->left.slope = m[SLOPE];
    s->left.model = m[MODEL];
    s->left.length = m[LENGTH];
    s->left.at_edge = m[EDGE] != 0.0;
    s->products = (int)m[PRODUCTS];
    outcome->saddles_left = (int)m[SADDLES];
    s->limit = m[LIMIT];
    return AC_OK;
}

static int report(newton *s, ac_shooting_outcome *outcome, int iteration)
{
    write_memory(s, iteration, outcome->saddles_left);
    const ac_newton_problem *p = s->problem;
    outcome->iterations = iteration;
    outcome->gradient = s->free_most;
    outcome->limit = s->limit;
    outcome->products = s->products;
    return p->report(p->user, &(ac_shooting_progress){.iteration = iteration,
                                                      .gradient = s->free_most,
                                                      .step = s->last,
                                                      .controls = s->x,
                                                      .search = s->memory,
                                                      .search_size = KEPT + p->n});
}

/* One step: by the model, or away from a saddle; false through `moved`: there is none. */
static ac_status move(newton *s, bool leave, bool *moved)
{
    const ac_newton_problem *p = s->problem;
    double slope = 0.0;
    *moved = true;
    if (leave) {
        s->relaxed = false;
        AC_TRY(p->announce(p->user, s->step, true, &slope, &s->merit));
        slope = ac_min(slope, 0.0) + s->model;
    } else {
        AC_TRY(find_step(s, &slope, moved));
    }
    if (*moved) AC_TRY(leave ? search(s, slope, moved) : follow(s, slope, moved));
    if (*moved && s->radius > SHORTEST * s->settings->first_step) return AC_OK;
    *moved = false;
    double merit;
    return p->attempt(p->user, s->x, 0.0, &merit); /* back at the base */
}

static ac_status no_minimum(const newton *s, const ac_shooting_outcome *outcome)
{
    return ac_fail(s->problem->ctx, AC_NOT_CONVERGED,
                   "the gradient vanishes at a point that is no minimum: the curvature along a direction is "
                   "%.3g",
                   outcome->least_curvature);
}

/* No step goes further down, and the gradient is within the tolerance: the rest is rounding. */
static ac_status end_in_rounding(newton *s, ac_shooting_outcome *outcome)
{
    bool leave = false;
    outcome->limit = s->settings->tolerance;
    if (s->problem->judged) AC_TRY(judge(s, outcome, &leave));
    outcome->products = s->products;
    return leave ? no_minimum(s, outcome) : AC_OK;
}

static ac_status iterate(newton *s, ac_shooting_outcome *outcome)
{
    const ac_newton_problem *p = s->problem;
    const ac_shooting_settings *settings = s->settings;
    AC_TRY(p->attempt(p->user, s->x, 0.0, &s->merit));
    if (!isfinite(s->merit)) return ac_fail(p->ctx, AC_NOT_CONVERGED, "the simulation of the guess failed");
    p->accept(p->user);
    int begin = 0;
    if (settings->search) AC_TRY(read_memory(s, outcome, &begin));
    for (int k = begin;; ++k) {
        bool leave = false, moved;
        AC_TRY(p->linearise(p->user, s->g));
        find_held(s);
        if (k == 0)
            s->limit = p->limit > 0.0 ? p->limit
                                      : ac_descent_limit(settings->tolerance, s->merit, s->free_most);
        if (k == 0) s->first = ac_max(s->free_most, s->limit);
        if (report(s, outcome, k) != 0)
            return ac_fail(p->ctx, AC_INTERRUPTED, "interrupted after iteration %d", k);
        double enough = ac_max(s->limit, p->rough * s->first);
        bool flat = s->free_most <= enough && p->open(p->user) <= 1.0;
        if (flat) s->relaxed = false;
        if (flat && p->judged) AC_TRY(judge(s, outcome, &leave));
        outcome->products = s->products;
        if (flat && !leave) return AC_OK;
        outcome->saddles_left += leave;
        if (k == settings->max_iterations)
            return ac_fail(p->ctx, AC_NOT_CONVERGED,
                           "the gradient is %.3g after %d iterations (tolerance %.3g)", s->free_most, k,
                           s->limit);
        AC_TRY(move(s, leave, &moved));
        if (!moved && leave) return no_minimum(s, outcome); /* curvature that the merit does not feel */
        if (!moved && s->free_most <= settings->tolerance && p->open(p->user) <= 1.0)
            return end_in_rounding(s, outcome);
        if (!moved)
            return ac_fail(
                p->ctx, AC_NOT_CONVERGED,
                "no step goes further down after %d iterations; the gradient is %.3g (tolerance %.3g)", k,
                s->free_most, s->limit);
    }
}

ac_status ac_newton(const ac_newton_problem *problem, const ac_shooting_settings *settings, double *x,
                    ac_shooting_outcome *outcome)
{
    size_t n = (size_t)problem->n;
    newton s = {.problem = problem, .settings = settings, .x = x};
    double *block = ac_allocate(problem->ctx, 8 * n + KEPT, sizeof *block);
    s.held = ac_allocate(problem->ctx, 2 * n + 1, sizeof *s.held);
    ac_status status = block && s.held ? AC_OK : ac_out_of_memory(problem->ctx);
    if (status == AC_OK) {
        s.fixed = s.held + n;
        double **parts[] = {&s.g, &s.step, &s.trial, &s.r, &s.p, &s.Hp, &s.Hs};
        for (size_t k = 0; k < 7; ++k) *parts[k] = block + k * n;
        s.memory = block + 7 * n;
        s.kept = s.memory + KEPT;
        for (int i = 0; i < problem->n; ++i) x[i] = ac_min(problem->high[i], ac_max(problem->low[i], x[i]));
        s.radius = settings->first_step * sqrt((double)n);
        status = iterate(&s, outcome);
    }
    ac_release(problem->ctx, block);
    ac_release(problem->ctx, s.held);
    return status;
}
