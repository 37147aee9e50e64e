/* A Gaussian process with constant mean (ordinary kriging).
 *
 * Correlation  (1 + r + r^2/3) exp(-r), r^2 = 5 sum ((x_i - y_i)/length_i)^2       (Matern 5/2)
 * R = correlation + nugget, y standardised; mean = 1^T R^-1 y / 1^T R^-1 1, variance = (y - mean)^T R^-1 (y - mean)/n.
 * Lengths and nugget maximise the likelihood, -n/2 log variance - 1/2 log det R.
 */
#include <math.h>
#include <string.h>

#include "design/surrogate.h"
#include "math/math.h"

static const double LENGTH_LOW = 0.03, LENGTH_HIGH = 10.0;
static const double NUGGET_LOW = 1e-10, NUGGET_HIGH = 1e-2;

static double correlation(const ac_gaussian *g, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < g->variables; ++i) {
        double d = (a[i] - b[i]) / g->length[i];
        sum += d * d;
    }
    double r = sqrt(5.0 * sum);
    return (1.0 + r + r * r / 3.0) * ac_exp(-r);
}

static const double *sample(const ac_gaussian *g, int k)
{
    return g->x + (size_t)k * (size_t)g->variables;
}

/* R = L L^T; false when it is not positive definite. `log_det` of R. */
static bool factorise(ac_gaussian *g, double *log_det)
{
    size_t n = (size_t)g->count;
    double *L = g->factor;
    *log_det = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j) {
            double sum = correlation(g, sample(g, (int)i), sample(g, (int)j)) + (i == j ? g->nugget : 0.0);
            for (size_t k = 0; k < j; ++k) sum -= L[i * n + k] * L[j * n + k];
            if (i > j) {
                L[i * n + j] = sum / L[j * n + j];
                continue;
            }
            if (!(sum > 0.0)) return false;
            L[i * n + i] = sqrt(sum);
            *log_det += ac_log(sum);
        }
    return true;
}

static void forward(const ac_gaussian *g, double *b)
{
    size_t n = (size_t)g->count;
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < i; ++k) b[i] -= g->factor[i * n + k] * b[k];
        b[i] /= g->factor[i * n + i];
    }
}

static void backward(const ac_gaussian *g, double *b)
{
    size_t n = (size_t)g->count;
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; ++k) b[i] -= g->factor[k * n + i] * b[k];
        b[i] /= g->factor[i * n + i];
    }
}

/* Mean, variance and weights for the present lengths and nugget; the logarithm of the likelihood. */
static double likelihood(ac_gaussian *g)
{
    int n = g->count;
    double log_det, top = 0.0, sum = 0.0;
    if (!factorise(g, &log_det)) return -INFINITY;
    for (int k = 0; k < n; ++k) g->ones[k] = 1.0;
    forward(g, g->ones);
    backward(g, g->ones);
    g->one_weight = 0.0;
    for (int k = 0; k < n; ++k) {
        g->one_weight += g->ones[k];
        top += g->ones[k] * g->y[k];
    }
    g->mean = top / g->one_weight;
    for (int k = 0; k < n; ++k) g->weights[k] = g->y[k] - g->mean;
    forward(g, g->weights);
    for (int k = 0; k < n; ++k) sum += g->weights[k] * g->weights[k];
    g->variance = ac_max(sum / n, 1e-300);
    backward(g, g->weights);
    return -0.5 * (n * ac_log(g->variance) + log_det);
}

/* Lengths and nugget from a point of the unit cube, on logarithmic scales. */
static double likelihood_at(void *user, const double *u)
{
    ac_gaussian *g = user;
    for (int i = 0; i < g->variables; ++i) g->length[i] = LENGTH_LOW * ac_pow(LENGTH_HIGH / LENGTH_LOW, u[i]);
    g->nugget = NUGGET_LOW * ac_pow(NUGGET_HIGH / NUGGET_LOW, u[g->variables]);
    return likelihood(g);
}

static void standardise(ac_gaussian *g, const double *y)
{
    double sum = 0.0, square = 0.0;
    for (int k = 0; k < g->count; ++k) sum += y[k];
    g->offset = sum / g->count;
    for (int k = 0; k < g->count; ++k) square += (y[k] - g->offset) * (y[k] - g->offset);
    g->scale = square > 0.0 ? sqrt(square / g->count) : 1.0;
    for (int k = 0; k < g->count; ++k) g->y[k] = (y[k] - g->offset) / g->scale;
}

ac_status ac_gaussian_fit(ac_context *ctx, int count, int variables, const double *x, const double *y,
                          ac_gaussian *g)
{
    static const double starts[][2] = {{0.6, 0.1}, {0.35, 0.1}, {0.85, 0.5}}; /* lengths, nugget */
    size_t n = (size_t)count;
    double best[AC_DESIGN_VARIABLES_MAX + 1] = {0}, most = -INFINITY;
    *g = (ac_gaussian){.count = count, .variables = variables, .x = x};
    AC_NEW(ctx, g->factor, n * n + 4 * n);
    g->weights = g->factor + n * n;
    g->ones = g->weights + n;
    g->y = g->ones + n;
    g->work = g->y + n;
    standardise(g, y);
    for (size_t s = 0; s < sizeof starts / sizeof *starts; ++s) {
        double u[AC_DESIGN_VARIABLES_MAX + 1];
        for (int i = 0; i < variables; ++i) u[i] = starts[s][0];
        u[variables] = starts[s][1];
        double reached = ac_climb(likelihood_at, g, variables + 1, 0.1, 0.01, u);
        if (s > 0 && !(reached > most)) continue;
        most = reached;
        memcpy(best, u, sizeof best);
    }
    if (isfinite(likelihood_at(g, best))) return AC_OK;
    ac_gaussian_clear(ctx, g);
    return ac_fail(ctx, AC_SINGULAR, "the Gaussian process has no positive definite correlation");
}

void ac_gaussian_clear(ac_context *ctx, ac_gaussian *g)
{
    ac_release(ctx, g->factor);
    *g = (ac_gaussian){0};
}

void ac_gaussian_predict(const ac_gaussian *g, const double *x, double *mean, double *deviation)
{
    double sum = g->mean, left = 1.0, one = 1.0, *r = g->work;
    for (int k = 0; k < g->count; ++k) {
        r[k] = correlation(g, x, sample(g, k));
        sum += r[k] * g->weights[k];
        one -= r[k] * g->ones[k];
    }
    forward(g, r);
    for (int k = 0; k < g->count; ++k) left -= r[k] * r[k];
    double variance = g->variance * (ac_max(left, 0.0) + one * one / g->one_weight);
    *mean = g->offset + g->scale * sum;
    *deviation = g->scale * sqrt(ac_max(variance, 0.0));
}

double ac_gaussian_improvement(const ac_gaussian *g, double best, const double *x)
{
    double mean, deviation;
    ac_gaussian_predict(g, x, &mean, &deviation);
    if (!(deviation > 0.0)) return ac_max(best - mean, 0.0);
    double z = (best - mean) / deviation;
    double density = ac_exp(-0.5 * z * z) / sqrt(2.0 * ac_acos(-1.0)), below = 0.5 * ac_erfc(-z / sqrt(2.0));
    return (best - mean) * below + deviation * density;
}
