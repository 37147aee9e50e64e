/* The chain rule for functions of quadratic maps. */
#include "base/chain.h"

#include <string.h>

typedef double map_gradients[AC_OUTER_MAX][AC_CHAIN_MAX];

/* J_a: gradients of the maps */
static void gradients_of_maps(const ac_chain *c, const double *x, map_gradients J)
{
    for (int a = 0; a < c->outer.maps; ++a) {
        memset(J[a], 0, (size_t)c->n * sizeof J[a][0]);
        ac_form_add_gradient(c->forms, c->first + a, x, 1.0, J[a]);
    }
}

static void values_of_maps(const ac_chain *c, const double *x, double *kappa)
{
    for (int a = 0; a < c->outer.maps; ++a) kappa[a] = ac_form_value(c->forms, c->first + a, x);
}

/* out += sum_ab weight_ab L_a R_b^T */
static void add_products(const ac_chain *c, double weight[AC_OUTER_MAX][AC_OUTER_MAX], map_gradients L,
                         map_gradients R, double *out)
{
    int n = c->n;
    for (int a = 0; a < c->outer.maps; ++a) {
        double K[AC_CHAIN_MAX] = {0.0};
        for (int b = 0; b < c->outer.maps; ++b)
            for (int i = 0; weight[a][b] != 0.0 && i < n; ++i) K[i] += weight[a][b] * R[b][i];
        for (int i = 0; i < n; ++i)
            for (int j = 0; L[a][i] != 0.0 && j < n; ++j) out[i * n + j] += L[a][i] * K[j];
    }
}

static void put_slopes(const ac_chain *c, const double *x, ac_outer_value *v, double *gradient,
                       double *hessian)
{
    const ac_forms *forms = c->forms;
    int maps = c->outer.maps, n = c->n;
    if (gradient) {
        memset(gradient, 0, (size_t)n * sizeof *gradient);
        for (int a = 0; a < maps; ++a) ac_form_add_gradient(forms, c->first + a, x, v->d[a], gradient);
    }
    if (hessian) {
        memset(hessian, 0, (size_t)n * (size_t)n * sizeof *hessian);
        if (c->outer.kind != AC_OUTER_VALUE) {
            map_gradients J;
            gradients_of_maps(c, x, J);
            add_products(c, v->dd, J, J, hessian);
        }
        for (int a = 0; a < maps; ++a) ac_form_add_hessian(forms, c->first + a, v->d[a], n, hessian);
    }
}

double ac_chain_evaluate(const ac_chain *c, const double *x, double winding, double *gradient,
                         double *hessian)
{
    double kappa[AC_OUTER_MAX] = {0.0};
    ac_outer_value v;
    values_of_maps(c, x, kappa);
    ac_outer_evaluate(&c->outer, kappa, winding, &v);
    put_slopes(c, x, &v, gradient, hessian);
    return v.y;
}

void ac_chain_slopes(const ac_chain *c, const double *x, double *gradient, double *hessian)
{
    double kappa[AC_OUTER_MAX] = {0.0};
    ac_outer_value v;
    values_of_maps(c, x, kappa);
    ac_outer_slopes(&c->outer, kappa, &v);
    put_slopes(c, x, &v, gradient, hessian);
}

/* out_i = second derivative of map a along v */
static void map_bend(const ac_forms *forms, int a, const double *v, double *out)
{
    for (int e = forms->product_start[a]; e < forms->product_start[a + 1]; ++e) {
        const ac_product *p = &forms->products[e];
        out[p->i] += p->a * v[p->j];
        out[p->j] += p->a * v[p->i];
    }
}

/* With phi = grad y . w = sum psi_a s_a, s_a = J_a . w:
 *   phi'' = sum psi_abc s_a J_b J_c + sum psi_ab s_a A_b + sum psi_ab (J_b (A_a w)^T + (A_a w) J_b^T) */
void ac_chain_third(const ac_chain *c, const double *x, const double *w, double *third)
{
    int maps = c->outer.maps, n = c->n;
    memset(third, 0, (size_t)n * (size_t)n * sizeof *third);
    if (c->outer.kind == AC_OUTER_VALUE) return;
    double kappa[AC_OUTER_MAX] = {0.0}, s[AC_OUTER_MAX] = {0.0}, cube[AC_OUTER_MAX][AC_OUTER_MAX];
    map_gradients J, Aw = {{0.0}};
    ac_outer_value value;
    values_of_maps(c, x, kappa);
    gradients_of_maps(c, x, J);
    for (int a = 0; a < maps; ++a) {
        map_bend(c->forms, c->first + a, w, Aw[a]);
        for (int i = 0; i < n; ++i) s[a] += J[a][i] * w[i];
    }
    ac_outer_evaluate(&c->outer, kappa, 0.0, &value);
    ac_outer_third(&c->outer, kappa, s, cube);
    add_products(c, cube, J, J, third);
    for (int b = 0; b < maps; ++b) {
        double K[AC_CHAIN_MAX] = {0.0}, weight = 0.0;
        for (int a = 0; a < maps; ++a) {
            weight += value.dd[a][b] * s[a];
            for (int i = 0; i < n; ++i) K[i] += value.dd[a][b] * Aw[a][i];
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) third[i * n + j] += J[b][i] * K[j] + K[i] * J[b][j];
        ac_form_add_hessian(c->forms, c->first + b, weight, n, third);
    }
}

/* by = sum D_a A_a / 2 + sum over maps of (grad kappa_a at the mean) (dD_a)^T */
static void secant_slope(const ac_chain *c, const double *end, double by[AC_OUTER_MAX][AC_OUTER_MAX],
                         map_gradients J, const double *D, double *out)
{
    map_gradients at_end;
    memset(out, 0, (size_t)c->n * (size_t)c->n * sizeof *out);
    for (int a = 0; a < c->outer.maps; ++a)
        ac_form_add_hessian(c->forms, c->first + a, 0.5 * D[a], c->n, out);
    if (c->outer.kind == AC_OUTER_VALUE) return;
    gradients_of_maps(c, end, at_end);
    add_products(c, by, J, at_end, out);
}

void ac_chain_secant(const ac_chain *c, const double *xa, const double *xb, double winding, double ends[2],
                     double *D, double *by_a, double *by_b)
{
    int n = c->n;
    double a[AC_OUTER_MAX] = {0.0}, b[AC_OUTER_MAX] = {0.0}, mean[AC_CHAIN_MAX];
    ac_outer_secant s;
    map_gradients J;
    values_of_maps(c, xa, a);
    values_of_maps(c, xb, b);
    ac_outer_secant_between(&c->outer, a, b, winding, &s);
    ends[0] = s.ya;
    ends[1] = s.yb;
    for (int i = 0; i < n; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    memset(D, 0, (size_t)n * sizeof *D);
    for (int m = 0; m < c->outer.maps; ++m) ac_form_add_gradient(c->forms, c->first + m, mean, s.D[m], D);
    if (!by_a && !by_b) return;
    gradients_of_maps(c, mean, J);
    if (by_a) secant_slope(c, xa, s.by_a, J, s.D, by_a);
    if (by_b) secant_slope(c, xb, s.by_b, J, s.D, by_b);
}
