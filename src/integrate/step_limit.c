/* The stability limit of explicit steps, before a run.
 *
 * With trapezoidal quadrature the potential acts at time nodes only, as in the method of Stoermer and Verlet: an
 * oscillation of the frequency omega is stable for h omega < 2. omega^2 is the largest eigenvalue of (P^T M P)^-1 P^T H P,
 *
 *   H = V'' + sum lambda g'',   G^T lambda = f - M a,
 *
 * with the supports and joints of the system, so that shear and rotation of a beam's nodes are coupled as they are on the
 * grid; the usual estimate from one wave speed is too large. lambda are the constraint forces of the start, with f = -V', gravity
 * and loads, and the acceleration a of the start: by them the stress of a beam that is under strain, or the weight of a
 * body that hangs on it, makes the grid stiffer or softer. The eigenvalue is found by the method of Lanczos, in the inner
 * product of the masses, which approaches it from below: a last bit of the limit is given away for what is missing.
 */
#include <math.h>
#include <string.h>

#include "actio/simulate.h"
#include "action/inertia.h"
#include "action/interval.h"
#include "action/momentum.h"
#include "math/math.h"

enum { MOST_ITERATIONS = 1000, ENOUGH = 8, BLOCK = AC_ELEMENT_MAX * AC_ELEMENT_MAX };

static const double SETTLED = 1e-9, LEFT = 1e-6, ROUNDING = 1e-13, MARGIN = 1e-3;

/* A motion: velocities u and momenta P^T M P u of the freedoms, velocities P u of the coordinates. */
typedef struct motion {
    double *u, *momentum, *direction;
} motion;

typedef struct grid {
    ac_context *ctx;
    const ac_system *system;
    ac_legendre legendre;
    int elements;
    double *hessians; /* of all elements that have energy */
    double *force, *lambda, *winding;
    motion now, before, next;
    double *diagonal, *beside; /* of the tridiagonal matrix; beside[k]: between k - 1 and k */
} grid;

/* --- the linearised grid --- */

static void count_elements(grid *g)
{
    for (int t = 0; t < ac_element_kind_count(); ++t)
        for (int k = 0; k < ac_element_kinds[t]->count(g->system); ++k)
            g->elements += ac_element_conservative(ac_element_kinds[t], g->system, k);
}

/* Hessians at the start. */
static void find_hessians(grid *g)
{
    double x[AC_ELEMENT_MAX], *at = g->hessians;
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(g->system); ++k) {
            if (!ac_element_conservative(kind, g->system, k)) continue;
            const ac_element_place place = ac_element_where(g->system, kind, k);
            ac_element_gather(g->system, &place, g->system->initial.q, x);
            ac_element_hessian(kind, g->system, k, x, g->winding, at);
            at += BLOCK;
        }
    }
}

/* Constraint forces at the start, held: what the joints and the nodes' own constraints carry of the forces. */
static ac_status find_multipliers(grid *g)
{
    const ac_system *system = g->system;
    const double *q = system->initial.q;
    memset(g->force, 0, (size_t)system->n * sizeof *g->force);
    ac_potential_add_gradient(system, q, g->winding, -1.0, g->force);
    ac_gravity_add(system, 1.0, g->force);
    ac_loads_add(system, 0.0, 0.0, q, g->winding, 1.0, g->force);
    AC_TRY(ac_legendre_project(&g->legendre, q, g->force));
    for (int i = 0; i < system->n; ++i) g->force[i] -= g->legendre.projected[i];
    return ac_legendre_multipliers(&g->legendre, q, g->force, g->lambda);
}

/* force = H direction */
static void stretch(grid *g, const double *direction)
{
    double x[AC_ELEMENT_MAX], y[AC_ELEMENT_MAX];
    const double *H = g->hessians;
    memset(g->force, 0, (size_t)g->system->n * sizeof *g->force);
    ac_constraints_pull(g->system, g->lambda, direction, 1.0, g->force);
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(g->system); ++k) {
            if (!ac_element_conservative(kind, g->system, k)) continue;
            const ac_element_place place = ac_element_where(g->system, kind, k);
            ac_element_gather(g->system, &place, direction, x);
            for (int i = 0; i < place.size; ++i) {
                y[i] = 0.0;
                for (int j = 0; j < place.size; ++j) y[i] += H[i * place.size + j] * x[j];
            }
            ac_element_scatter(g->system, &place, y, 1.0, g->force);
            H += BLOCK;
        }
    }
}

/* --- its largest eigenvalue --- */

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* next = (P^T M P)^-1 P^T force */
static ac_status accelerate(grid *g)
{
    const ac_legendre *l = &g->legendre;
    AC_TRY(ac_legendre_project(&g->legendre, g->system->initial.q, g->force));
    memcpy(g->next.u, l->u, (size_t)g->system->tree.freedoms * sizeof *l->u);
    memcpy(g->next.momentum, l->reduced, (size_t)g->system->tree.freedoms * sizeof *l->reduced);
    memcpy(g->next.direction, l->velocity, (size_t)g->system->n * sizeof *l->velocity);
    return AC_OK;
}

static void subtract(const grid *g, double factor, const motion *from)
{
    for (int i = 0; i < g->system->tree.freedoms; ++i) {
        g->next.u[i] -= factor * from->u[i];
        g->next.momentum[i] -= factor * from->momentum[i];
    }
    for (int i = 0; i < g->system->n; ++i) g->next.direction[i] -= factor * from->direction[i];
}

/* next becomes now, of length 1 in the inner product of the masses */
static void go_on(grid *g, double length)
{
    motion oldest = g->before;
    g->before = g->now;
    g->now = g->next;
    g->next = oldest;
    for (int i = 0; i < g->system->tree.freedoms; ++i) {
        g->now.u[i] /= length;
        g->now.momentum[i] /= length;
    }
    for (int i = 0; i < g->system->n; ++i) g->now.direction[i] /= length;
}

/* All eigenvalues of the tridiagonal matrix are below x: all its pivots are negative. */
static bool all_below(const grid *g, int n, double x)
{
    double pivot = -1.0;
    for (int k = 0; k < n && pivot < 0.0; ++k)
        pivot = g->diagonal[k] - x - (k > 0 ? g->beside[k] * g->beside[k] / pivot : 0.0);
    return pivot < 0.0;
}

/* The largest eigenvalue of n rows of it, which is not below that of fewer rows. */
static double largest_of(const grid *g, int n, double low)
{
    double high = low;
    for (int k = 0; k < n; ++k) {
        low = ac_max(low, g->diagonal[k]);
        high = ac_max(high,
                      g->diagonal[k] + (k > 0 ? g->beside[k] : 0.0) + (k + 1 < n ? g->beside[k + 1] : 0.0));
    }
    while (high - low > ROUNDING * ac_max(fabs(low), fabs(high))) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if (all_below(g, n, middle))
            high = middle;
        else
            low = middle;
    }
    return low;
}

static ac_status iterate(grid *g, double *largest)
{
    const int freedoms = g->system->tree.freedoms;
    int settled = 0;
    *largest = -INFINITY;
    for (int i = 0; i < g->system->n; ++i) /* a start with a part of every mode */
        g->force[i] = ac_sin(1.0 + 12.9898 * i) + 0.1 * ac_cos(0.37 * i);
    AC_TRY(accelerate(g));
    for (int k = 0; k < MOST_ITERATIONS && settled < ENOUGH; ++k) {
        double square = dot(freedoms, g->next.u, g->next.momentum), last = *largest;
        /* the rest is rounding: the modes of the start are found, and the eigenvalue is as near as LEFT says */
        if (!(square > 0.0) || (k > 0 && sqrt(square) <= LEFT * fabs(last))) break;
        g->beside[k] = sqrt(square);
        go_on(g, g->beside[k]);
        stretch(g, g->now.direction);
        AC_TRY(accelerate(g));
        g->diagonal[k] = dot(freedoms, g->now.u, g->next.momentum);
        subtract(g, g->diagonal[k], &g->now);
        if (k > 0) subtract(g, g->beside[k], &g->before);
        *largest = largest_of(g, k + 1, last);
        settled = *largest - last <= SETTLED * fabs(*largest) ? settled + 1 : 0;
    }
    return AC_OK;
}

/* --- the limit --- */

/* As messages print it: a step that is copied from one is not refused. */
static double six_digits(double x)
{
    double scale = ac_pow(10.0, 5.0 - floor(ac_log10(x)));
    return round(x * scale) / scale;
}

static ac_status find(grid *g, double *limit)
{
    double largest;
    for (int k = 0; k < g->system->measure_count; ++k) g->winding[k] = g->system->measures[k].initial;
    AC_TRY(ac_legendre_create(g->ctx, g->system, true, &g->legendre));
    find_hessians(g);
    AC_TRY(find_multipliers(g));
    AC_TRY(iterate(g, &largest));
    if (largest > 0.0) *limit = six_digits(2.0 / sqrt(largest) * (1.0 - MARGIN));
    return AC_OK;
}

static double *take(double **block, int count)
{
    double *own = *block;
    *block += count;
    return own;
}

static void place(grid *g, double *block)
{
    const ac_system *system = g->system;
    motion *motions[] = {&g->now, &g->before, &g->next};
    for (int k = 0; k < 3; ++k) {
        motions[k]->u = take(&block, system->tree.freedoms);
        motions[k]->momentum = take(&block, system->tree.freedoms);
        motions[k]->direction = take(&block, system->n);
    }
    g->force = take(&block, system->n);
    g->lambda = take(&block, system->constraints.count);
    g->winding = take(&block, system->measure_count);
    g->diagonal = take(&block, MOST_ITERATIONS);
    g->beside = take(&block, MOST_ITERATIONS);
}

ac_status ac_step_limit(ac_context *ctx, const ac_system *system, double *limit)
{
    grid g = {.ctx = ctx, .system = system};
    *limit = INFINITY;
    if (system->mesh.dual_nodes == 0) return AC_OK;
    count_elements(&g);
    if (g.elements == 0 || system->tree.freedoms == 0) return AC_OK;
    size_t size = 6 * (size_t)system->tree.freedoms + 4 * (size_t)system->n + 2 * MOST_ITERATIONS +
                  (size_t)system->constraints.count + (size_t)system->measure_count;
    double *block = ac_allocate(ctx, size, sizeof *block);
    g.hessians = ac_allocate(ctx, (size_t)g.elements * BLOCK, sizeof *g.hessians);
    if (block) place(&g, block);
    ac_status status = block && g.hessians ? find(&g, limit) : ac_out_of_memory(ctx);
    ac_legendre_destroy(&g.legendre);
    ac_release(ctx, block);
    ac_release(ctx, g.hessians);
    return status;
}
