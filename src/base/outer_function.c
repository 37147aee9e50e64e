/* Functions of the user as outer functions: energies per length W(v, u, s) of strains, potentials of a place.
 *
 * The maps kappa give the variables x of the expression: x_i = kappa_i, and for rods x_3, x_4, x_5 = 4 kappa_i / t with the
 * last map t (curvature by the Cayley transform). The expression takes X_i = x_i - reference_i + base_i and at last the
 * place s. What the linear law of the element gives already is taken off:
 *
 *   psi(kappa) = f(X, s) - sum stiffness_i / 2 (x_i - reference_i)^2
 *
 * The chain rule to third derivatives needs those of x by kappa, which couple only kappa_i and t.
 */
#include <stddef.h>
#include <string.h>

#include "base/expression.h"
#include "base/outer.h"
#include "base/quadrature.h"

enum { MOST = AC_FUNCTION_MAX, CURVATURES = 3 };

/* Which variables depend on t. */
static bool turns(const ac_outer_function *f, int i)
{
    return f->cayley && i >= CURVATURES;
}

/* x by kappa, with dx_i/dkappa_i and dx_i/dt */
typedef struct strain {
    double x[MOST], own[MOST], by_t[MOST];
} strain;

static strain strain_of(const ac_outer_function *f, const double *kappa)
{
    strain s;
    const double t = f->cayley ? kappa[f->variables] : 1.0;
    for (int i = 0; i < f->variables; ++i) {
        s.own[i] = turns(f, i) ? 4.0 / t : 1.0;
        s.x[i] = s.own[i] * kappa[i];
        s.by_t[i] = turns(f, i) ? -s.x[i] / t : 0.0;
    }
    return s;
}

/* The function with its first two derivatives by x; `second` is n x n. */
static double value_of(const ac_outer_function *f, const double *x, double *first, double *second)
{
    const int n = f->variables, all = n + 1;
    double X[MOST + 1], gradient[MOST + 1], hessian[(MOST + 1) * (MOST + 1)];
    for (int i = 0; i < n; ++i) X[i] = x[i] - f->reference[i] + f->base[i];
    X[n] = f->at;
    double y = ac_expression_derivatives(f->expression, X, gradient, second ? hessian : NULL);
    for (int i = 0; i < n; ++i) {
        double beyond = x[i] - f->reference[i];
        y -= 0.5 * f->stiffness[i] * beyond * beyond;
        first[i] = gradient[i] - f->stiffness[i] * beyond;
        for (int j = 0; second && j < n; ++j)
            second[i * n + j] = hessian[i * all + j] - (i == j ? f->stiffness[i] : 0.0);
    }
    return y;
}

double ac_function_value(const ac_outer_function *f, const double *x, double *first)
{
    return value_of(f, x, first, NULL);
}

void ac_function_evaluate(const ac_outer *o, const double *kappa, ac_outer_value *v)
{
    const ac_outer_function *f = o->function;
    const int n = f->variables, t = n;
    const strain s = strain_of(f, kappa);
    double first[MOST], second[MOST * MOST];
    v->y = value_of(f, s.x, first, second);
    for (int i = 0; i < n; ++i) {
        v->d[i] = first[i] * s.own[i];
        for (int j = 0; j < n; ++j) v->dd[i][j] = second[i * n + j] * s.own[i] * s.own[j];
    }
    for (int i = 0; f->cayley && i < n; ++i) {
        double mixed = 0.0;
        for (int j = 0; j < n; ++j) mixed += second[i * n + j] * s.by_t[j];
        v->d[t] += first[i] * s.by_t[i];
        v->dd[t][t] += s.by_t[i] * mixed;
        v->dd[i][t] = s.own[i] * mixed;
        if (!turns(f, i)) continue;
        v->dd[i][t] -= first[i] * s.own[i] / kappa[t];
        v->dd[t][t] -= 2.0 * first[i] * s.by_t[i] / kappa[t];
    }
    for (int i = 0; f->cayley && i < n; ++i) v->dd[t][i] = v->dd[i][t];
}

/* Rows of third derivatives along s: by two variables x, from those of the expression. */
static void third_by_x(const ac_outer_function *f, const double *x, const double *along, double *third)
{
    const int n = f->variables, all = n + 1;
    double X[MOST + 1], direction[MOST + 1] = {0.0}, whole[(MOST + 1) * (MOST + 1)];
    for (int i = 0; i < n; ++i) {
        X[i] = x[i] - f->reference[i] + f->base[i];
        direction[i] = along[i];
    }
    X[n] = f->at;
    ac_expression_third(f->expression, X, direction, whole);
    for (int i = 0; i < n; ++i)
        memcpy(third + (ptrdiff_t)i * n, whole + (ptrdiff_t)i * all, (size_t)n * sizeof *third);
}

/* cube_bc = f_ijk x_i,w x_j,b x_k,c + f_ij (x_i,wb x_j,c + x_i,wc x_j,b + x_i,w x_j,bc) + f_i x_i,wbc, where ,w is along the
 * weights; b and c are kappa_i or t. */
void ac_function_third(const ac_outer *o, const double *kappa, const double *w,
                       double cube[AC_OUTER_MAX][AC_OUTER_MAX])
{
    const ac_outer_function *f = o->function;
    const int n = f->variables, t = n;
    const strain s = strain_of(f, kappa);
    double first[MOST], second[MOST * MOST], third[MOST * MOST], along[MOST], bent[MOST],
        wt = f->cayley ? w[t] : 0.0;
    /* of x_i: along w by kappa_i and by t, then along w by (kappa_i, t) and by (t, t) */
    double w_own[MOST] = {0.0}, w_t[MOST] = {0.0}, w_own_t[MOST] = {0.0}, w_tt[MOST] = {0.0};
    value_of(f, s.x, first, second);
    for (int i = 0; i < n; ++i) {
        along[i] = s.own[i] * w[i] + s.by_t[i] * wt;
        if (!turns(f, i)) continue;
        double over = 1.0 / kappa[t], by = s.own[i] * over;
        w_own[i] = -by * wt;
        w_t[i] = -by * w[i] - 2.0 * s.by_t[i] * over * wt;
        w_own_t[i] = 2.0 * by * over * wt;
        w_tt[i] = 2.0 * by * over * w[i] + 6.0 * s.by_t[i] * over * over * wt;
    }
    third_by_x(f, s.x, along, third);
    for (int i = 0; i < n; ++i) {
        bent[i] = 0.0;
        for (int j = 0; j < n; ++j) bent[i] += second[i * n + j] * along[j];
    }
    for (int b = 0; b < n; ++b)
        for (int c = 0; c < n; ++c)
            cube[b][c] = third[b * n + c] * s.own[b] * s.own[c] +
                         second[b * n + c] * (w_own[b] * s.own[c] + s.own[b] * w_own[c]);
    for (int b = 0; f->cayley && b < n; ++b) {
        double over = 1.0 / kappa[t], row = 0.0;
        for (int j = 0; j < n; ++j)
            row += third[b * n + j] * s.own[b] * s.by_t[j] +
                   second[b * n + j] * (w_own[b] * s.by_t[j] + s.own[b] * w_t[j]);
        if (turns(f, b)) row += bent[b] * -s.own[b] * over + first[b] * w_own_t[b];
        cube[b][t] = cube[t][b] = row;
        double corner = 0.0;
        for (int j = 0; j < n; ++j)
            corner += third[b * n + j] * s.by_t[b] * s.by_t[j] + 2.0 * second[b * n + j] * w_t[b] * s.by_t[j];
        if (turns(f, b)) corner += bent[b] * -2.0 * s.by_t[b] * over + first[b] * w_tt[b];
        cube[t][t] += corner;
    }
}

/* Of the expression by variable `by` beyond those of the function, with mixed derivatives by these. */
static double by_variable(const ac_expression *e, const double *X, int n, int by, double *mixed)
{
    double first = 0.0;
    for (int i = 0; i < n; ++i) ac_expression_along(e, X, by, i, &first, &mixed[i]);
    return first;
}

double ac_function_by_number(const ac_outer_function *f, const double *kappa, int number,
                             double d[AC_OUTER_MAX])
{
    const int n = f->variables;
    const strain s = strain_of(f, kappa);
    double X[MOST + 1 + AC_FUNCTION_NAMES], first[MOST], second[MOST * MOST], mixed[MOST] = {0.0}, y;
    for (int i = 0; i < n; ++i) X[i] = s.x[i] - f->reference[i] + f->base[i];
    X[n] = f->at;
    for (int k = 0; k < f->names; ++k) X[n + 1 + k] = f->values[k];
    if (number == AC_FUNCTION_PLACE) {
        y = by_variable(f->expression, X, n, n, mixed);
    } else if (number < AC_FUNCTION_STIFFNESS) {
        int j = number - AC_FUNCTION_REFERENCE;
        value_of(f, s.x, first, second);
        y = -first[j];
        for (int i = 0; i < n; ++i) mixed[i] = -second[i * n + j];
    } else if (number < AC_FUNCTION_NAME) {
        int j = number - AC_FUNCTION_STIFFNESS;
        double beyond = s.x[j] - f->reference[j];
        y = -0.5 * beyond * beyond;
        mixed[j] = -beyond;
    } else {
        y = by_variable(f->whole, X, n, n + 1 + number - AC_FUNCTION_NAME, mixed);
    }
    memset(d, 0, AC_OUTER_MAX * sizeof *d);
    for (int i = 0; i < n; ++i) {
        d[i] = mixed[i] * s.own[i];
        if (f->cayley) d[n] += mixed[i] * s.by_t[i];
    }
    return y;
}

void ac_function_secant_by_number(const ac_outer *o, const double *a, const double *b, int number,
                                  double D[AC_OUTER_MAX])
{
    memset(D, 0, AC_OUTER_MAX * sizeof *D);
    for (int g = 0; g < AC_GAUSS; ++g) {
        double kappa[AC_OUTER_MAX], d[AC_OUTER_MAX];
        for (int m = 0; m < o->maps; ++m) kappa[m] = a[m] + ac_gauss_point[g] * (b[m] - a[m]);
        ac_function_by_number(o->function, kappa, number, d);
        for (int m = 0; m < o->maps; ++m) D[m] += ac_gauss_weight[g] * d[m];
    }
}

/* The mean of the gradient along the straight line between both ends, by Gauss quadrature: exact for energies that are
 * polynomials to degree 10, otherwise as accurate as rounding for the changes of a time step. */
void ac_function_secant(const ac_outer *o, const double *a, const double *b, ac_outer_secant *s)
{
    for (int g = 0; g < AC_GAUSS; ++g) {
        const double tau = ac_gauss_point[g], weight = ac_gauss_weight[g];
        double kappa[AC_OUTER_MAX];
        ac_outer_value v = {0};
        for (int m = 0; m < o->maps; ++m) kappa[m] = a[m] + tau * (b[m] - a[m]);
        ac_function_evaluate(o, kappa, &v);
        for (int m = 0; m < o->maps; ++m) {
            s->D[m] += weight * v.d[m];
            for (int k = 0; k < o->maps; ++k) {
                s->by_a[m][k] += weight * (1.0 - tau) * v.dd[m][k];
                s->by_b[m][k] += weight * tau * v.dd[m][k];
            }
        }
    }
}

void ac_function_bend_secant(const ac_outer *o, const double *a, const double *b, const double *along_a,
                             const double *along_b, ac_outer_secant *change)
{
    for (int g = 0; g < AC_GAUSS; ++g) {
        const double tau = ac_gauss_point[g], weight = ac_gauss_weight[g];
        double kappa[AC_OUTER_MAX], along[AC_OUTER_MAX], cube[AC_OUTER_MAX][AC_OUTER_MAX] = {{0.0}};
        for (int m = 0; m < o->maps; ++m) {
            kappa[m] = a[m] + tau * (b[m] - a[m]);
            along[m] = along_a[m] + tau * (along_b[m] - along_a[m]);
        }
        ac_function_third(o, kappa, along, cube);
        for (int m = 0; m < o->maps; ++m)
            for (int k = 0; k < o->maps; ++k) {
                change->by_a[m][k] += weight * (1.0 - tau) * cube[m][k];
                change->by_b[m][k] += weight * tau * cube[m][k];
            }
    }
}
