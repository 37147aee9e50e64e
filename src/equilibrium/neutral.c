/* Motions that cost nothing: the tangent is singular along them, and whether a factorisation notices is a
 * matter of rounding. Newton's method therefore knows which they are, and leaves them alone: the rest of
 * the system comes to rest where it can, and a load that pushes along such a motion is detected (push.c). */
#include <math.h>
#include <string.h>

#include "equilibrium/solver.h"
#include "math/math.h"

static const double SOFT = 1e-12;    /* beside the stiffness: worth counting */
static const double SUPPORT = 1e-13; /* beside the stiffness: makes the tangent regular */
enum { GUESSES = 2, ITERATIONS = 4, SWEEPS = 6 };

double ac_equilibrium_dot(const ac_equilibrium *e, const double *weight, const double *a, const double *b)
{
    double sum = 0.0;
    for (int j = 0; j < e->freedoms; ++j) sum += weight[j] * a[j] * b[j];
    return sum;
}

ac_status ac_equilibrium_invert(ac_equilibrium *e, const double *weight, double *x)
{
    for (int j = 0; j < e->freedoms; ++j) x[j] *= weight[j];
    for (int c = e->freedoms; c < e->size; ++c) x[c] = 0.0;
    return ac_equilibrium_solve(e, x);
}

/* Motions are held apart with `weight`, like all displacements; how much they cost is measured with `grain`. x
 * <- K^{-1} W x, made perpendicular to the first `count` vectors and of length one; returns by how much it
 * grew. */
static ac_status iterate(ac_equilibrium *e, double *x, int count, double *growth)
{
    double before = sqrt(ac_equilibrium_dot(e, e->metric.grain, x, x));
    AC_TRY(ac_equilibrium_invert(e, e->metric.grain, x));
    *growth = sqrt(ac_equilibrium_dot(e, e->metric.grain, x, x)) / before;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < count; ++k) {
            const double *z = e->neutral.motions + (size_t)k * (size_t)e->size;
            double part = ac_equilibrium_dot(e, e->metric.weight, z, x);
            for (int j = 0; j < e->freedoms; ++j) x[j] -= part * z[j];
        }
        double unit = 1.0 / sqrt(ac_equilibrium_dot(e, e->metric.weight, x, x));
        for (int j = 0; j < e->freedoms; ++j) x[j] *= unit;
    }
    return AC_OK;
}

static void begin(const ac_equilibrium *e, double *x, int number)
{
    for (int j = 0; j < e->freedoms; ++j)
        x[j] = ac_cos(1.0 + 0.7 * number + (3.0 + 0.37 * number) * j) / sqrt(e->metric.weight[j]);
}

/* Could the factorised tangent have a neutral motion? */
static ac_status suspect(ac_equilibrium *e, double stiffness, bool *soft)
{
    double growth = 0.0;
    begin(e, e->newton.by_load, 0);
    for (int it = 0; it < GUESSES; ++it) AC_TRY(iterate(e, e->newton.by_load, 0, &growth));
    *soft = !(growth * SOFT * stiffness < 1.0);
    return AC_OK;
}

static void support(ac_equilibrium *e, double stiffness)
{
    for (int j = 0; j < e->freedoms; ++j)
        ac_sparse_add(e->tangent.matrix, j, j, stiffness * e->metric.grain[j]);
}

static ac_status find(ac_equilibrium *e, double stiffness)
{
    support(e, SUPPORT * stiffness);
    ac_status status = ac_sparse_factor(e->tangent.matrix);
    support(e, -SUPPORT * stiffness); /* in the factors only */
    if (status != AC_OK) return status;
    ac_release(e->ctx, e->neutral.motions);
    e->neutral.motions = NULL;
    AC_NEW(e->ctx, e->neutral.motions, (size_t)e->neutral.count * (size_t)e->size);
    for (int k = 0; k < e->neutral.count; ++k) begin(e, e->neutral.motions + (size_t)k * (size_t)e->size, k);
    for (int it = 0; it < ITERATIONS; ++it)
        for (int k = 0; k < e->neutral.count; ++k) {
            double growth;
            AC_TRY(iterate(e, e->neutral.motions + (size_t)k * (size_t)e->size, k, &growth));
        }
    return AC_OK;
}

ac_status ac_equilibrium_factor_freely(ac_equilibrium *e)
{
    return ac_equilibrium_factor_holding(e, 0);
}

ac_status ac_equilibrium_factor_holding(ac_equilibrium *e, int least)
{
    bool soft = true;
    int negative, count = 0;
    e->neutral.count = 0;
    AC_TRY(ac_equilibrium_assemble(e));
    double stiffness = ac_equilibrium_stiffness(e);
    ac_status status = ac_sparse_factor(e->tangent.matrix);
    if (status != AC_OK && status != AC_SINGULAR) return status;
    if (status == AC_OK) AC_TRY(suspect(e, stiffness, &soft));
    if (!soft && least == 0) return AC_OK;
    if (soft) AC_TRY(ac_equilibrium_signs(e, &negative, &count));
    if (count < least) count = least;
    e->neutral.count = count;
    if (count > 0) {
        status = find(e, stiffness);
        if (status != AC_OK) e->neutral.count = 0; /* none were found that could be left alone */
        return status;
    }
    return status == AC_OK ? AC_OK : ac_fail(e->ctx, AC_SINGULAR, "the tangent is singular");
}

void ac_equilibrium_ignore_push(const ac_equilibrium *e, double *force)
{
    for (int k = 0; k < e->neutral.count; ++k) {
        const double *z = e->neutral.motions + (size_t)k * (size_t)e->size;
        double part = 0.0;
        for (int j = 0; j < e->freedoms; ++j) part += z[j] * force[j];
        for (int j = 0; j < e->freedoms; ++j) force[j] -= part * e->metric.weight[j] * z[j];
    }
}

void ac_equilibrium_hold_neutral(const ac_equilibrium *e, double *delta)
{
    for (int k = 0; k < e->neutral.count; ++k) {
        const double *z = e->neutral.motions + (size_t)k * (size_t)e->size;
        double part = ac_equilibrium_dot(e, e->metric.weight, z, delta);
        for (int j = 0; j < e->freedoms; ++j) delta[j] -= part * z[j];
    }
}

/* (a, b) <- (c a + s b, c b - s a) */
static void turn(double *a, double *b, size_t count, double c, double s)
{
    for (size_t j = 0; j < count; ++j) {
        double old = a[j];
        a[j] = c * old + s * b[j];
        b[j] = c * b[j] - s * old;
    }
}

/* a . K b; `scratch`: as long as the tangent. */
static double cost(ac_equilibrium *e, const double *a, const double *b, double *scratch)
{
    double sum = 0.0;
    ac_equilibrium_apply(e, b, scratch);
    for (int j = 0; j < e->freedoms; ++j) sum += a[j] * scratch[j];
    return sum;
}

double ac_equilibrium_costliest(ac_equilibrium *e, double *motion)
{
    size_t n = (size_t)e->size;
    double most = 0.0;
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (int k = 1; k < e->neutral.count; ++k)
            for (int l = 0; l < k; ++l) {
                double *a = e->neutral.motions + (size_t)k * n, *b = e->neutral.motions + (size_t)l * n;
                double mixed = 0.5 * (cost(e, a, b, motion) + cost(e, b, a, motion));
                double angle = 0.5 * ac_atan2(2.0 * mixed, cost(e, a, a, motion) - cost(e, b, b, motion));
                turn(a, b, n, ac_cos(angle), ac_sin(angle));
            }
    const double *found = e->neutral.motions;
    for (int k = 0; k < e->neutral.count; ++k) {
        const double *z = e->neutral.motions + (size_t)k * n;
        double own = cost(e, z, z, motion);
        if (fabs(own) <= fabs(most)) continue;
        most = own;
        found = z;
    }
    memcpy(motion, found, n * sizeof *motion);
    return most;
}

/* Turns the neutral motions so that the last takes the whole push. */
static double gather_push(ac_equilibrium *e, const double *force)
{
    size_t n = (size_t)e->size;
    double *last = e->neutral.motions + (size_t)(e->neutral.count - 1) * n, push = 0.0;
    for (int j = 0; j < e->freedoms; ++j) push += last[j] * force[j];
    for (int k = 0; k < e->neutral.count - 1; ++k) {
        double *z = e->neutral.motions + (size_t)k * n, part = 0.0;
        for (int j = 0; j < e->freedoms; ++j) part += z[j] * force[j];
        double both = ac_hypot(push, part), c = both > 0.0 ? push / both : 1.0,
               s = both > 0.0 ? part / both : 0.0;
        turn(last, z, n, c, s);
        push = both;
    }
    return fabs(push);
}

void ac_equilibrium_release_along(ac_equilibrium *e, const double *force)
{
    gather_push(e, force);
    --e->neutral.count;
}

ac_status ac_equilibrium_release_pushed(ac_equilibrium *e)
{
    bool pushed;
    if (e->neutral.count == 0) return AC_OK;
    AC_TRY(ac_equilibrium_is_pushed(e, &pushed));
    if (!pushed) return AC_OK;
    ac_tree_project(e->system, e->columns, e->now.q, e->balance.load, e->wrenches, e->newton.by_load);
    ac_equilibrium_release_along(e, e->newton.by_load);
    return AC_OK;
}
