/* The stability limit of explicit steps, before a run.
 *
 * With trapezoidal quadrature the potential acts at time nodes only, as in the method of Stoermer and Verlet: an
 * oscillation of the frequency omega is stable for h omega < 2. The largest frequency is found by power iteration on
 * (P^T M P)^-1 P^T V'' P, with the supports and joints of the system, so that shear and rotation of a beam's nodes are coupled
 * as they are on the grid; the usual estimate from one wave speed is too large. The power iteration approaches the largest
 * eigenvalue from below: a last bit of the limit is given away for what is missing.
 */
#include "integrate/step_limit.h"

#include <math.h>
#include <string.h>

#include "action/element.h"
#include "action/momentum.h"

enum { MOST_ITERATIONS = 2000, BLOCK = AC_ELEMENT_MAX * AC_ELEMENT_MAX };

static const double SETTLED = 1e-7, MARGIN = 1e-3;

typedef struct grid {
    ac_context *ctx;
    const ac_system *system;
    ac_legendre legendre;
    int elements;
    double *hessians; /* of all elements that have energy */
    double *force, *direction;
} grid;

static void count_elements(grid *g)
{
    for (int t = 0; t < ac_element_kind_count(); ++t)
        for (int k = 0; k < ac_element_kinds[t]->count(g->system); ++k)
            g->elements += ac_element_conservative(ac_element_kinds[t], g->system, k);
}

/* Hessians at q0 where windings are those of the start. */
static void find_hessians(grid *g, const double *winding)
{
    double x[AC_ELEMENT_MAX], *at = g->hessians;
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(g->system); ++k) {
            if (!ac_element_conservative(kind, g->system, k)) continue;
            const ac_element_place place = ac_element_where(g->system, kind, k);
            ac_element_gather(g->system, &place, g->system->initial.q, x);
            ac_element_hessian(kind, g->system, k, x, winding, at);
            at += BLOCK;
        }
    }
}

/* force = V'' direction */
static void stretch(grid *g)
{
    double x[AC_ELEMENT_MAX], y[AC_ELEMENT_MAX];
    const double *H = g->hessians;
    memset(g->force, 0, (size_t)g->system->n * sizeof *g->force);
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(g->system); ++k) {
            if (!ac_element_conservative(kind, g->system, k)) continue;
            const ac_element_place place = ac_element_where(g->system, kind, k);
            ac_element_gather(g->system, &place, g->direction, x);
            for (int i = 0; i < place.size; ++i) {
                y[i] = 0.0;
                for (int j = 0; j < place.size; ++j) y[i] += H[i * place.size + j] * x[j];
            }
            ac_element_scatter(g->system, &place, y, 1.0, g->force);
            H += BLOCK;
        }
    }
}

/* One product; size: the largest entry of (P^T M P)^-1 P^T V'' P u for u of size 1. */
static ac_status multiply(grid *g, double *u, double *size)
{
    const ac_system *system = g->system;
    stretch(g);
    AC_TRY(ac_legendre_project(&g->legendre, system->initial.q, g->force));
    double dot = 0.0, square = 0.0, most = 0.0;
    for (int i = 0; i < system->tree.freedoms; ++i) {
        dot += u[i] * g->legendre.u[i];
        square += u[i] * u[i];
        most = fmax(most, fabs(g->legendre.u[i]));
    }
    *size = square > 0.0 ? dot / square : 0.0;
    if (!(most > 0.0)) return AC_OK;
    for (int i = 0; i < system->tree.freedoms; ++i) u[i] = g->legendre.u[i] / most;
    for (int i = 0; i < system->n; ++i) g->direction[i] = g->legendre.velocity[i] / most;
    return AC_OK;
}

static ac_status iterate(grid *g, double *u, double *largest)
{
    const ac_system *system = g->system;
    double last = 0.0;
    int settled = 0;
    *largest = 0.0;
    for (int i = 0; i < system->n; ++i) /* a start with a part of every mode */
        g->direction[i] = sin(1.0 + 12.9898 * i) + 0.1 * cos(0.37 * i);
    for (int it = 0; it < MOST_ITERATIONS && settled < 5; ++it) {
        double size;
        AC_TRY(multiply(g, u, &size));
        if (it > 0) *largest = fmax(*largest, size);
        settled = fabs(size - last) <= SETTLED * fabs(size) ? settled + 1 : 0;
        last = size;
    }
    return AC_OK;
}

static ac_status find(grid *g, double *u, double *winding, double *limit)
{
    double largest;
    for (int k = 0; k < g->system->measure_count; ++k) winding[k] = g->system->measures[k].initial;
    AC_TRY(ac_legendre_create(g->ctx, g->system, false, &g->legendre));
    find_hessians(g, winding);
    AC_TRY(iterate(g, u, &largest));
    *limit = largest > 0.0 ? 2.0 / sqrt(largest) * (1.0 - MARGIN) : INFINITY;
    return AC_OK;
}

ac_status ac_step_limit(ac_context *ctx, const ac_system *system, double *limit)
{
    grid g = {.ctx = ctx, .system = system};
    *limit = INFINITY;
    count_elements(&g);
    if (g.elements == 0 || system->tree.freedoms == 0) return AC_OK;
    double *u = ac_allocate(ctx, (size_t)system->tree.freedoms + (size_t)system->measure_count + 1,
                            sizeof *u);
    g.hessians = ac_allocate(ctx, (size_t)g.elements * BLOCK, sizeof *g.hessians);
    g.force = ac_allocate(ctx, 2 * (size_t)system->n, sizeof *g.force);
    g.direction = g.force ? g.force + system->n : NULL;
    ac_status status = u && g.hessians && g.force ? find(&g, u, u ? u + system->tree.freedoms : NULL, limit)
                                                  : ac_out_of_memory(ctx);
    ac_legendre_destroy(&g.legendre);
    ac_release(ctx, u);
    ac_release(ctx, g.hessians);
    ac_release(ctx, g.force);
    return status;
}
