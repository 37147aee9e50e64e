/* The fastest oscillation, by Lanczos' method in the metric of the mass: a dozen products with the stiffness and as many
 * projections on the motions that the constraints allow, each at the cost of a part of a step.
 */
#include "observe/fastest.h"

#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "action/element.h"
#include "math/math.h"
#include "observe/simulation.h"

enum { MOST = 16 }; /* products */

typedef struct lanczos {
    ac_stepper *stepper;
    ac_legendre legendre;
    double *q, *lambda, *force, *vectors; /* configuration, per row, n, MOST + 1 times n */
    double alpha[MOST], beta[MOST + 1];
    int size;
    bool springs;
} lanczos;

static double *vector(const lanczos *l, int k)
{
    return l->vectors + (size_t)k * (size_t)l->stepper->system->n;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* f += sum lambda g'' x */
static void add_joints(const lanczos *l, const double *x, double *f)
{
    const ac_constraints *c = &l->stepper->system->constraints;
    for (int row = 0; row < c->count; ++row) {
        const int *at = c->coordinate + c->start[row];
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *p = &c->forms.products[e];
            f[at[p->i]] += l->lambda[row] * p->a * x[at[p->j]];
            f[at[p->j]] += l->lambda[row] * p->a * x[at[p->i]];
        }
    }
}

/* f += V'' x of the elements that are no beams */
static void add_springs(const lanczos *l, const double *x, double *f)
{
    const ac_system *system = l->stepper->system;
    double at[AC_ELEMENT_MAX], hessian[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    int where[AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(system); ++k) {
            ac_element_place place = ac_element_where(system, kind, k);
            if (system->nodes[place.nodes[0]].beam >= 0 || !ac_element_conservative(kind, system, k))
                continue;
            ac_element_gather(system, &place, l->q, at);
            ac_element_hessian(kind, system, k, at, l->stepper->winding, hessian);
            ac_block_coordinates(system, place.nodes, place.node_count, where);
            for (int r = 0; r < place.size; ++r)
                for (int c = 0; c < place.size; ++c) f[where[r]] += hessian[r * place.size + c] * x[where[c]];
        }
    }
}

/* The multipliers of the step that was solved; p + left = c h G^T lambda. */
static ac_status find_multipliers(lanczos *l)
{
    ac_stepper *s = l->stepper;
    int n = s->system->n;
    double factor = ac_stepper_multiplier_factor(s) * s->h;
    memcpy(l->q, s->scheme->at_mean ? s->interval.mean : s->qa, (size_t)n * sizeof *l->q);
    for (int i = 0; i < n; ++i) l->force[i] = (s->p[i] + s->left[i]) / factor;
    return ac_legendre_multipliers(&l->legendre, l->q, l->force, l->lambda);
}

/* A first vector that no symmetry of the system excludes. */
static ac_status begin(lanczos *l)
{
    const ac_system *system = l->stepper->system;
    int n = system->n;
    double *first = vector(l, 0);
    for (int i = 0; i < n; ++i) first[i] = ac_sin(1.0 + 2.7 * i) + 0.3 * ac_cos(0.9 * i);
    ac_mass_apply(system, first, l->force);
    AC_TRY(ac_legendre_project(&l->legendre, l->q, l->force));
    double size = sqrt(dot(n, l->legendre.velocity, l->legendre.projected));
    for (int i = 0; i < n; ++i) first[i] = size > 0.0 ? l->legendre.velocity[i] / size : 0.0;
    l->size = 0;
    l->beta[0] = 0.0;
    return AC_OK;
}

/* The next vector: the projection of the stiffness times the last one, orthogonal to all before. */
static ac_status extend(lanczos *l)
{
    const ac_system *system = l->stepper->system;
    int n = system->n, k = l->size;
    const double *x = vector(l, k);
    double *next = vector(l, k + 1), *mass = l->legendre.projected;
    memset(l->force, 0, (size_t)n * sizeof *l->force);
    add_joints(l, x, l->force);
    if (l->springs) add_springs(l, x, l->force);
    l->alpha[k] = dot(n, x, l->force);
    AC_TRY(ac_legendre_project(&l->legendre, l->q, l->force));
    memcpy(next, l->legendre.velocity, (size_t)n * sizeof *next);
    ac_mass_apply(system, next, mass);
    for (int j = 0; j <= k; ++j) {
        double part = dot(n, vector(l, j), mass);
        for (int i = 0; i < n; ++i) next[i] -= part * vector(l, j)[i];
    }
    ac_mass_apply(system, next, mass);
    double size = sqrt(ac_max(0.0, dot(n, next, mass)));
    for (int i = 0; i < n; ++i) next[i] = size > 0.0 ? next[i] / size : 0.0;
    l->beta[k + 1] = size;
    ++l->size;
    return AC_OK;
}

/* How many eigenvalues of the tridiagonal matrix are below x, by the signs of its pivots. */
static int below(const lanczos *l, double x)
{
    int count = 0;
    double pivot = 1.0;
    for (int k = 0; k < l->size; ++k) {
        double b = k > 0 ? l->beta[k] : 0.0;
        pivot = l->alpha[k] - x - (k > 0 ? b * b / pivot : 0.0);
        if (pivot == 0.0) pivot = -1e-300;
        count += pivot < 0.0;
    }
    return count;
}

static double largest_eigenvalue(const lanczos *l)
{
    double high = 0.0, low;
    for (int k = 0; k < l->size; ++k)
        high = ac_max(high, fabs(l->alpha[k]) + l->beta[k] + (k + 1 < l->size ? l->beta[k + 1] : 0.0));
    low = -high;
    for (int bisection = 0; bisection < 60; ++bisection) {
        double middle = 0.5 * (low + high);
        if (below(l, middle) < l->size) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* The node with most of the kinetic energy in the Ritz vector of an eigenvalue, which the recursion gives. */
static int busiest(const lanczos *l, double value)
{
    const ac_system *system = l->stepper->system;
    double y[MOST + 1] = {1.0}, *mode = l->force, most = 0.0;
    int node = AC_GROUND;
    for (int k = 0; k + 1 < l->size; ++k) {
        double before = k > 0 ? l->beta[k] * y[k - 1] : 0.0;
        if (!(l->beta[k + 1] > 0.0)) break;
        y[k + 1] = ((value - l->alpha[k]) * y[k] - before) / l->beta[k + 1];
    }
    memset(mode, 0, (size_t)system->n * sizeof *mode);
    for (int k = 0; k < l->size; ++k)
        for (int i = 0; i < system->n; ++i) mode[i] += y[k] * vector(l, k)[i];
    ac_mass_apply(system, mode, l->legendre.projected);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *own = &system->nodes[i];
        double energy = dot(own->size, mode + own->q, l->legendre.projected + own->q);
        if (!(energy > most)) continue;
        most = energy;
        node = i;
    }
    return node;
}

static ac_status frequency(lanczos *l, bool springs, double *omega, int *node)
{
    l->springs = springs;
    AC_TRY(begin(l));
    double before = 0.0, value = 0.0;
    while (l->size < MOST) {
        AC_TRY(extend(l));
        value = largest_eigenvalue(l);
        bool settled = l->size > 4 && fabs(value - before) <= 1e-3 * fabs(value);
        before = value;
        if (settled || !(l->beta[l->size] > 1e-9 * fabs(value))) break;
    }
    *omega = value > 0.0 && isfinite(value) ? sqrt(value) : 0.0;
    if (node) *node = busiest(l, value);
    return AC_OK;
}

static ac_status find(lanczos *l, ac_fastest *fastest)
{
    ac_stepper *s = l->stepper;
    size_t n = (size_t)s->system->n;
    AC_TRY(ac_legendre_create(s->ctx, s->system, true, &l->legendre));
    AC_NEW(s->ctx, l->q, n);
    AC_NEW(s->ctx, l->force, n);
    AC_NEW(s->ctx, l->lambda, s->system->constraints.count);
    AC_NEW(s->ctx, l->vectors, (MOST + 1) * n);
    AC_TRY(find_multipliers(l));
    AC_TRY(frequency(l, true, &fastest->all, &fastest->node));
    fastest->joints = fastest->all;
    return ac_element_count(s->system) > 0 ? frequency(l, false, &fastest->joints, NULL) : AC_OK;
}

ac_status ac_simulation_fastest(ac_simulation *sim, ac_fastest *fastest)
{
    ac_context *ctx = sim->ctx;
    *fastest = (ac_fastest){.node = AC_GROUND};
    if (!sim->solved || sim->stepper.system->n == 0) return AC_OK;
    lanczos *l = ac_allocate(ctx, 1, sizeof *l);
    if (!l) return ac_out_of_memory(ctx);
    l->stepper = &sim->stepper;
    ac_status status = find(l, fastest);
    void *blocks[] = {l->q, l->lambda, l->force, l->vectors};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    ac_legendre_destroy(&l->legendre);
    ac_release(ctx, l);
    return status == AC_NO_MEMORY ? status : AC_OK; /* where none is found no advice is needed */
}
