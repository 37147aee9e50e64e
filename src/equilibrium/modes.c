/* Small motions about the present point: M u'' + (C + G) u' + K u = 0 on the motions that the constraints allow.
 *
 * K is the tangent, M = P^T M P, C the damping of elements, G = 2 P^T M S P the gyroscopic matrix of a system that
 * turns (spin.c). Up to `DENSE` freedoms the matrices are projected onto the null space of the loops and solved as a
 * whole (linalg/pencil.h). Larger systems are projected onto a block Krylov space of (K - d M)^-1 M, bordered by the
 * loops; blocks find equal frequencies, and the space grows until the residual of all modes is small. */

#include <math.h>
#include <string.h>

#include "action/element.h"
#include "action/inertia.h"
#include "equilibrium/solver.h"
#include "action/spin.h"
#include "linalg/dense.h"
#include "linalg/pencil.h"
#include "math/math.h"

enum { DENSE = 300, BLOCK = 8, MOST_BLOCKS = 32 };
static const double RANK_TOLERANCE = 1e-9;
static const double SHIFT = 1e-8;     /* d beside the Rayleigh quotient of a rough motion */
static const double RESIDUAL = 1e-8;  /* of shapes: the space is large enough ... */
static const double STEADY = 1e-9;    /* ... or |s| moves less from block to block */
static const double ROUNDING = 2e-14; /* of an eigenvalue, beside the largest */
static const double PI = 3.14159265358979323846;

/* The projection onto the columns of N, as rows here: `count` vectors of `freedoms` numbers. */
typedef struct projection {
    int freedoms, count;
    double *N, *M, *C, *K;
    double *twists, *v, *f, *y, *z; /* workspace of the products */
    double shift;                   /* d: the tangent is K - d M */
    double stiffness;               /* what eigenvalues of K are compared with, in the metric of `grain` */
} projection;

/* --- products with one motion u of the freedoms --- */

static void to_freedoms(ac_equilibrium *e, const projection *p, double *y)
{
    ac_tree_project(e->system, e->columns, e->now.q, p->f, p->twists, y);
}

static void velocities(ac_equilibrium *e, const projection *p, const double *u)
{
    ac_tree_twists(e->system, e->columns, e->now.q, u, p->twists);
    ac_tree_velocity(e->system, e->now.q, p->twists, p->v);
}

/* y = P^T M P u */
static void apply_mass(ac_equilibrium *e, const projection *p, const double *u, double *y)
{
    velocities(e, p, u);
    ac_mass_apply(e->system, p->v, p->f);
    to_freedoms(e, p, y);
}

/* y = P^T (C + G) P u */
static void apply_damping(ac_equilibrium *e, const projection *p, const double *u, double *y)
{
    const ac_system *system = e->system;
    double x[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX], by_x[AC_ELEMENT_MAX * AC_ELEMENT_MAX],
        by_v[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    static const double none[AC_ELEMENT_MAX] = {0.0};
    velocities(e, p, u);
    memset(p->f, 0, (size_t)system->n * sizeof *p->f);
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(system); ++k) {
            if (!ac_element_dissipative(kind, system, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, e->now.q, x);
            ac_element_gather(system, &place, p->v, v);
            memset(f, 0, sizeof f);
            ac_element_force(kind, system, k, x, none, e->winding, f, by_x, by_v);
            for (int i = 0; i < place.size; ++i) {
                f[i] = 0.0;
                for (int j = 0; j < place.size; ++j) f[i] -= by_v[i * place.size + j] * v[j];
            }
            ac_element_scatter(system, &place, f, 1.0, p->f);
        }
    }
    ac_spin_add_gyroscopic(system, e->settings.spin, p->v, p->f);
    to_freedoms(e, p, y);
}

static bool is_damped(const ac_equilibrium *e)
{
    for (int t = 0; t < ac_element_kind_count(); ++t)
        for (int k = 0; k < ac_element_kinds[t]->count(e->system); ++k)
            if (ac_element_dissipative(ac_element_kinds[t], e->system, k)) return true;
    return ac_spins(e->settings.spin);
}

/* --- bases --- */

/* All motions that the loops allow. */
static ac_status span_all(ac_equilibrium *e, projection *p)
{
    int n = p->freedoms, m = e->closures;
    double *J, *doubles, *basis;
    int *ints;
    ac_row_space space;
    AC_NEW(e->ctx, p->N, (size_t)n * (size_t)n);
    p->count = n;
    for (int i = 0; i < n; ++i) p->N[(size_t)i * (size_t)(n + 1)] = 1.0;
    if (m == 0) return AC_OK;
    J = ac_allocate(e->ctx, (size_t)m * (size_t)n, sizeof *J);
    basis = ac_allocate(e->ctx, (size_t)n * (size_t)n, sizeof *basis);
    doubles = ac_allocate(e->ctx, ac_row_space_doubles(m, n), sizeof *doubles);
    ints = ac_allocate(e->ctx, ac_row_space_ints(m, n), sizeof *ints);
    ac_status status = J && basis && doubles && ints ? AC_OK : ac_out_of_memory(e->ctx);
    if (status == AC_OK) {
        ac_closure_jacobian(e->system, e->columns, e->now.q, J);
        ac_row_space_place(&space, m, n, doubles, ints);
        ac_row_space_factor(&space, J, RANK_TOLERANCE, m);
        ac_row_space_null(&space, basis);
        p->count = n - space.rank;
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < p->count; ++k)
                p->N[(size_t)k * (size_t)n + (size_t)i] = basis[(size_t)i * (size_t)p->count + (size_t)k];
    }
    ac_release(e->ctx, J);
    ac_release(e->ctx, basis);
    ac_release(e->ctx, doubles);
    ac_release(e->ctx, ints);
    return status;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* Makes vector k orthogonal to those before it in the metric of M, twice, and of length one; false: nothing is left of it. */
static bool make_orthonormal(ac_equilibrium *e, const projection *p, int k)
{
    int n = p->freedoms;
    double *x = p->N + (size_t)k * (size_t)n, first = 0.0;
    for (int pass = 0; pass < 3; ++pass) {
        apply_mass(e, p, x, p->y);
        double square = dot(n, x, p->y);
        if (pass == 0) first = square;
        if (!(square > 1e-20 * first) || !isfinite(square)) return false;
        if (pass == 2) {
            for (int i = 0; i < n; ++i) x[i] /= sqrt(square);
            return true;
        }
        for (int j = 0; j < k; ++j) {
            const double *other = p->N + (size_t)j * (size_t)n;
            double part = dot(n, other, p->y);
            for (int i = 0; i < n; ++i) x[i] -= part * other[i];
        }
    }
    return true;
}

/* K - d M, factorised. */
static ac_status factor_shifted(ac_equilibrium *e, double d)
{
    ac_tree_pair pair = {e->system, e->now.q, e->now.q, e->columns, e->columns};
    AC_TRY(ac_equilibrium_assemble(e));
    if (d != 0.0) ac_inertia_add_sparse(&pair, -d, &e->tangent);
    ac_sparse_forget(e->tangent.matrix);
    ac_status status = ac_sparse_factor(e->tangent.matrix);
    if (status != AC_SINGULAR) return status;
    return ac_fail(e->ctx, AC_SINGULAR, "some motion has no inertia, and no stiffness holds it");
}

/* A shift near which the matrix is regular: at the wanted frequency, a little below zero where motions have no resistance. */
static double choose_shift(ac_equilibrium *e, const projection *p, double near)
{
    double *u = p->N;
    if (near > 0.0) return near * near;
    if (e->point.negative == 0 && e->point.neutral == 0) return 0.0;
    for (int i = 0; i < p->freedoms; ++i) u[i] = ac_cos(1.0 + 3.0 * i);
    ac_equilibrium_apply(e, u, p->y);
    double k = fabs(dot(p->freedoms, u, p->y));
    apply_mass(e, p, u, p->y);
    double m = dot(p->freedoms, u, p->y);
    return m > 0.0 ? -SHIFT * k / m : -1.0;
}

/* One more block of the Krylov space: (K - d M)^-1 M times the last one, or the first, rough one. */
static ac_status add_block(ac_equilibrium *e, projection *p, int first)
{
    int n = p->freedoms, last = p->count;
    for (int b = 0; b < BLOCK; ++b) {
        double *x = p->N + (size_t)p->count * (size_t)n;
        memset(e->newton.by_load, 0, (size_t)e->size * sizeof *x);
        if (last == 0) {
            for (int i = 0; i < n; ++i) p->y[i] = ac_cos(1.0 + (3.0 + b) * i + b * b);
            apply_mass(e, p, p->y, e->newton.by_load);
        } else {
            if (first + b >= last) break;
            apply_mass(e, p, p->N + (size_t)(first + b) * (size_t)n, e->newton.by_load);
        }
        AC_TRY(ac_equilibrium_solve(e, e->newton.by_load));
        memcpy(x, e->newton.by_load, (size_t)n * sizeof *x);
        if (make_orthonormal(e, p, p->count)) ++p->count;
    }
    return AC_OK;
}

/* --- matrices --- */

/* out = N^T A N for the product A; rows of N are vectors. */
static void project(ac_equilibrium *e, const projection *p, double *out,
                    void (*apply)(ac_equilibrium *e, const projection *p, const double *u, double *y))
{
    for (int j = 0; j < p->count; ++j) {
        apply(e, p, p->N + (size_t)j * (size_t)p->freedoms, p->y);
        for (int i = 0; i < p->count; ++i)
            out[(size_t)i * (size_t)p->count + (size_t)j] = dot(p->freedoms,
                                                                p->N + (size_t)i * (size_t)p->freedoms, p->y);
    }
}

/* y = P^T K P u; the matrix at hand may be K - d M. */
static void apply_stiffness(ac_equilibrium *e, const projection *p, const double *u, double *y)
{
    ac_equilibrium_apply(e, u, y);
    if (p->shift == 0.0) return;
    apply_mass(e, p, u, p->z);
    for (int i = 0; i < p->freedoms; ++i) y[i] += p->shift * p->z[i];
}

static void make_symmetric(int n, double *A)
{
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) {
            double mean = 0.5 * (A[(size_t)i * (size_t)n + (size_t)j] + A[(size_t)j * (size_t)n + (size_t)i]);
            A[(size_t)i * (size_t)n + (size_t)j] = A[(size_t)j * (size_t)n + (size_t)i] = mean;
        }
}

/* The modes of the projected system; shapes in its freedoms. */
static ac_status solve_projected(ac_equilibrium *e, projection *p, bool general, double near, int count,
                                 ac_exponent *modes, int *found)
{
    size_t entries = (size_t)p->count * (size_t)p->count;
    double *block = ac_allocate(e->ctx, 3 * entries, sizeof *block);
    if (!block) return ac_out_of_memory(e->ctx);
    p->M = block;
    p->K = block + entries;
    p->C = block + 2 * entries;
    project(e, p, p->M, apply_mass);
    project(e, p, p->K, apply_stiffness);
    if (general) project(e, p, p->C, apply_damping);
    make_symmetric(p->count, p->M);
    if (!general) make_symmetric(p->count, p->K);
    ac_pencil pencil = {p->count, p->M, general ? p->C : NULL, p->K};
    ac_status status = ac_pencil_modes(e->ctx, &pencil, near, count, modes, found);
    ac_release(e->ctx, block);
    return status;
}

/* Shapes in all freedoms, real and imaginary parts, so long that the largest turn of a node is 1 rad, or its largest
 * displacement one typical length. */
static void expand(ac_equilibrium *e, const projection *p, const ac_exponent *mode, double *shape)
{
    int n = p->freedoms;
    double most = 0.0, unit = 1.0 / e->system->length_scale;
    memset(shape, 0, 2 * (size_t)n * sizeof *shape);
    for (int part = 0; part < 2; ++part) {
        for (int k = 0; k < p->count; ++k) {
            const double *vector = p->N + (size_t)k * (size_t)n;
            double x = mode->x[part * p->count + k];
            for (int i = 0; x != 0.0 && i < n; ++i) shape[part * n + i] += x * vector[i];
        }
        velocities(e, p, shape + part * n);
        for (int i = 0; i < 6 * e->system->node_count; ++i)
            most = ac_max(most, fabs(p->twists[i]) * (i % 6 < 3 ? unit : 1.0));
    }
    for (int i = 0; i < 2 * n && most > 0.0; ++i) shape[i] /= most;
}

/* A mode whose stiffness is the rounding of the tangent, as stability counts it (stability.c), has no resistance. */
static void settle_free(ac_equilibrium *e, const projection *p, const double *shape, ac_exponent *mode)
{
    double mass = 0.0, grain = 0.0;
    for (int part = 0; part < 2; ++part) {
        apply_mass(e, p, shape + part * p->freedoms, p->y);
        mass += dot(p->freedoms, shape + part * p->freedoms, p->y);
        grain += ac_equilibrium_dot(e, e->metric.grain, shape + part * p->freedoms,
                                    shape + part * p->freedoms);
    }
    if ((mode->re * mode->re + mode->im * mode->im) * mass <= ROUNDING * p->stiffness * grain)
        mode->re = mode->im = 0.0;
}

/* How far (K - d M)^-1 Q(s) x is from zero beside x: loops carry what is across to them. */
static ac_status residual(ac_equilibrium *e, const projection *p, const ac_exponent *mode,
                          const double *shape, bool general, double *most)
{
    int n = p->freedoms;
    double re = mode->re, im = mode->im, square_re = re * re - im * im, square_im = 2.0 * re * im;
    for (int side = 0; side < 2; ++side) { /* real and imaginary part of Q(s) x */
        double *sum = e->newton.by_load;
        memset(sum, 0, (size_t)e->size * sizeof *sum);
        for (int part = 0; part < 2; ++part)
            for (int term = 0; term < (general ? 3 : 2); ++term) {
                const double factor[3][2] = {{1.0, 0.0}, {square_re, square_im}, {re, im}};
                double a = side == part ? factor[term][0] : (side == 0 ? -factor[term][1] : factor[term][1]);
                if (a == 0.0) continue;
                if (term == 0) apply_stiffness(e, p, shape + part * n, p->y);
                if (term == 1) apply_mass(e, p, shape + part * n, p->y);
                if (term == 2) apply_damping(e, p, shape + part * n, p->y);
                for (int i = 0; i < n; ++i) sum[i] += a * p->y[i];
            }
        AC_TRY(ac_equilibrium_solve(e, sum));
        *most = ac_max(*most, ac_equilibrium_size(e, sum));
    }
    return AC_OK;
}

/* --- small and large systems --- */

static ac_status find_small(ac_equilibrium *e, projection *p, bool general, double near, int count,
                            ac_exponent *modes, int *found)
{
    AC_TRY(ac_equilibrium_assemble(e));
    p->stiffness = ac_equilibrium_stiffness(e);
    AC_TRY(span_all(e, p));
    AC_NEW(e->ctx, modes[0].x, 2 * (size_t)p->count * (size_t)count);
    for (int k = 1; k < count; ++k) modes[k].x = modes[0].x + 2 * (size_t)p->count * (size_t)k;
    AC_TRY(solve_projected(e, p, general, near, count, modes, found));
    for (int k = 0; k < *found; ++k) {
        double *shape = e->modes.shape + 2 * (size_t)p->freedoms * (size_t)k;
        expand(e, p, &modes[k], shape);
        settle_free(e, p, shape, &modes[k]);
    }
    return AC_OK;
}

/* The worst residual of the modes in the present space, and how far their |s| moved since the last one. */
static ac_status judge_space(ac_equilibrium *e, projection *p, bool general, const ac_exponent *modes,
                             int found, double *size, double *worst, double *moved)
{
    *worst = *moved = 0.0;
    for (int k = 0; k < found; ++k) {
        double now = ac_hypot(modes[k].re, modes[k].im);
        if (now > 0.0) {
            const double *shape = e->modes.shape + 2 * (size_t)p->freedoms * (size_t)k;
            AC_TRY(residual(e, p, &modes[k], shape, general, worst));
            *moved = ac_max(*moved, fabs(now - size[k]) / now);
        }
        size[k] = now;
    }
    return AC_OK;
}

/* Adds blocks until all modes that are wanted fit. size: `count` numbers of workspace. */
static ac_status find_large(ac_equilibrium *e, projection *p, bool general, double near, int count,
                            ac_exponent *modes, int *found, double *size)
{
    int most = BLOCK * (MOST_BLOCKS + (2 * count + BLOCK - 1) / BLOCK), first = 0;
    double worst = INFINITY, moved;
    if (most > p->freedoms + BLOCK) most = p->freedoms + BLOCK;
    AC_NEW(e->ctx, p->N, (size_t)(most + BLOCK) * (size_t)p->freedoms);
    AC_NEW(e->ctx, modes[0].x, 2 * (size_t)(most + BLOCK) * (size_t)count);
    for (int k = 1; k < count; ++k) modes[k].x = modes[0].x + 2 * (size_t)(most + BLOCK) * (size_t)k;
    AC_TRY(ac_equilibrium_assemble(e));
    p->stiffness = ac_equilibrium_stiffness(e);
    p->shift = choose_shift(e, p, near);
    AC_TRY(factor_shifted(e, p->shift));
    do {
        int before = p->count;
        AC_TRY(add_block(e, p, first));
        first = before;
        if (p->count == before) break; /* all motions that have inertia are in it */
        if (p->count < 2 * count + BLOCK) continue;
        AC_TRY(solve_projected(e, p, general, near, count, modes, found));
        for (int k = 0; k < *found; ++k) {
            double *shape = e->modes.shape + 2 * (size_t)p->freedoms * (size_t)k;
            expand(e, p, &modes[k], shape);
            settle_free(e, p, shape, &modes[k]);
        }
        AC_TRY(judge_space(e, p, general, modes, *found, size, &worst, &moved));
        if (worst <= RESIDUAL || moved <= STEADY) return AC_OK;
    } while (p->count + BLOCK <= most);
    return ac_fail(e->ctx, AC_NOT_CONVERGED,
                   "the shapes of the %d modes are known to %.1e only, beside %.0e: ask for fewer modes",
                   *found, worst, RESIDUAL);
}

/* --- the public functions --- */

static void describe(const ac_exponent *from, ac_mode *to)
{
    double size = ac_hypot(from->re, from->im);
    to->frequency = from->im / (2.0 * PI);
    to->growth = from->re;
    to->damping = from->re != 0.0 ? -from->re / size : 0.0;
    to->free = size == 0.0;
}

static ac_status find(ac_equilibrium *e, double near, int count, projection *p, ac_exponent *modes,
                      int *found)
{
    size_t n = (size_t)e->system->n, u = (size_t)e->freedoms;
    bool general = is_damped(e);
    ac_equilibrium_evaluate(e);
    if (!general) AC_TRY(ac_equilibrium_assemble(e));
    if (!general) {
        bool potential;
        AC_TRY(ac_equilibrium_has_potential(e, &potential));
        general = !potential;
    }
    p->freedoms = e->freedoms;
    AC_NEW(e->ctx, p->twists, 6 * (size_t)e->system->node_count + 2 * n + 2 * u);
    p->v = p->twists + 6 * (size_t)e->system->node_count;
    p->f = p->v + n;
    p->y = p->f + n;
    p->z = p->y + u;
    ac_release(e->ctx, e->modes.shape);
    e->modes.count = 0;
    AC_NEW(e->ctx, e->modes.shape, 2 * u * (size_t)count);
    if (e->freedoms <= DENSE) return find_small(e, p, general, near, count, modes, found);
    double *size = ac_allocate(e->ctx, (size_t)count, sizeof *size);
    if (!size) return ac_out_of_memory(e->ctx);
    ac_status status = find_large(e, p, general, near, count, modes, found, size);
    ac_release(e->ctx, size);
    return status;
}

ac_status ac_equilibrium_modes(ac_equilibrium *e, int count, double near, ac_mode *modes, int *found)
{
    projection p = {0};
    *found = 0;
    if (count > e->freedoms) count = e->freedoms;
    if (count < 1) return ac_fail(e->ctx, AC_BAD_INPUT, "at least one mode must be asked for");
    ac_exponent *list = ac_allocate(e->ctx, (size_t)count, sizeof *list);
    ac_status status = list ? find(e, 2.0 * PI * near, count, &p, list, found) : ac_out_of_memory(e->ctx);
    for (int k = 0; k < *found; ++k) describe(&list[k], &modes[k]);
    e->modes.count = *found;
    if (list) ac_release(e->ctx, list[0].x);
    ac_release(e->ctx, list);
    ac_release(e->ctx, p.N);
    ac_release(e->ctx, p.twists);
    return status;
}

/* The shortest corrections that close the loops again, where these are few. */
static void close_loops(ac_equilibrium *e)
{
    if (e->closures == 0 || !e->space_block) return;
    for (int pass = 0; pass < 4; ++pass) {
        ac_tree_columns(e->system, e->now.state, e->now.q, e->columns);
        ac_constraints_value(e->system, e->now.q, e->system->constraints.closure, e->balance.g);
        for (int c = 0; c < e->closures; ++c) e->balance.g[c] = -e->balance.g[c];
        ac_closure_jacobian(e->system, e->columns, e->now.q, e->balance.J);
        ac_row_space_factor(&e->space, e->balance.J, RANK_TOLERANCE, e->closures);
        ac_row_space_solve(&e->space, e->balance.g, e->newton.delta);
        ac_equilibrium_move(e, e->newton.delta, 1.0);
    }
}

void ac_equilibrium_mode_row(ac_equilibrium *e, int mode, double amplitude, double phase, double *row)
{
    const double *re = e->modes.shape + 2 * (size_t)e->freedoms * (size_t)mode, *im = re + e->freedoms;
    double sine, cosine;
    ac_sincos(phase, &sine, &cosine);
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    for (int j = 0; j < e->freedoms; ++j) e->newton.delta[j] = amplitude * (re[j] * cosine - im[j] * sine);
    ac_equilibrium_move(e, e->newton.delta, 1.0);
    close_loops(e);
    ac_equilibrium_row(e, row);
    ac_equilibrium_state_copy(e, &e->before, &e->now);
    ac_equilibrium_evaluate(e);
}
