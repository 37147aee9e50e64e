/* Measures: lengths, slides and angles as functions of quadratic maps, with exact derivatives.
 *
 *   value    y = kappa
 *   length   y = sqrt(kappa),            kappa = |x_b - x_a|^2
 *   angle    y = atan2(sine, cosine),    sine = a_y . b_x, cosine = a_x . b_x, continued over full turns
 */
#include <math.h>
#include <string.h>

#include "model/system.h"

int ac_measure_size(const ac_system *system, const ac_measure *measure)
{
    int size = 0;
    for (int k = 0; k < measure->node_count; ++k) size += system->nodes[measure->nodes[k]].size;
    return size;
}

void ac_measure_gather(const ac_system *system, const ac_measure *measure, const double *q, double *x)
{
    int place = 0;
    for (int k = 0; k < measure->node_count; ++k) {
        const ac_node *node = &system->nodes[measure->nodes[k]];
        memcpy(x + place, q + node->q, (size_t)node->size * sizeof *x);
        place += node->size;
    }
}

/* psi(kappa), its gradient and Hessian; two maps for angles, one otherwise. */
static double outer(const ac_measure *m, const double kappa[2], double near_value, double d[2], double dd[3])
{
    if (m->kind == AC_MEASURE_VALUE) {
        d[0] = 1.0;
        dd[0] = 0.0;
        return kappa[0];
    }
    if (m->kind == AC_MEASURE_LENGTH) {
        double y = sqrt(kappa[0]);
        d[0] = 0.5 / y;
        dd[0] = -0.25 / (y * kappa[0]);
        return y;
    }
    double c = kappa[0], s = kappa[1], r2 = c * c + s * s;
    double cn = cos(near_value), sn = sin(near_value);
    d[0] = -s / r2;
    d[1] = c / r2;
    dd[0] = 2.0 * c * s / (r2 * r2);
    dd[1] = (s * s - c * c) / (r2 * r2);
    dd[2] = -dd[0];
    return near_value + atan2(s * cn - c * sn, c * cn + s * sn);
}

double ac_measure_evaluate(const ac_system *system, const ac_measure *m, const double *x, double near_value,
                           double *gradient, double *hessian)
{
    const ac_forms *forms = &system->measure_forms;
    int maps = m->kind == AC_MEASURE_ANGLE ? 2 : 1, n = ac_measure_size(system, m);
    double kappa[2] = {0.0, 0.0}, d[2] = {0.0, 0.0}, dd[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < maps; ++k) kappa[k] = ac_form_value(forms, m->first_form + k, x);
    double y = outer(m, kappa, near_value, d, dd);
    if (gradient) {
        memset(gradient, 0, (size_t)n * sizeof *gradient);
        for (int k = 0; k < maps; ++k) ac_form_add_gradient(forms, m->first_form + k, x, d[k], gradient);
    }
    if (hessian) {
        double J[2][AC_ELEMENT_MAX] = {{0.0}};
        for (int k = 0; k < maps; ++k) ac_form_add_gradient(forms, m->first_form + k, x, 1.0, J[k]);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                hessian[i * n + j] = dd[0] * J[0][i] * J[0][j] +
                                     dd[1] * (J[0][i] * J[1][j] + J[1][i] * J[0][j]) +
                                     dd[2] * J[1][i] * J[1][j];
        for (int k = 0; k < maps; ++k) ac_form_add_hessian(forms, m->first_form + k, d[k], n, hessian);
    }
    return y;
}

/* w(d) = (d/2) / sin(d/2) and its derivative. */
static double angle_factor(double difference, double *slope)
{
    double half = 0.5 * difference;
    if (fabs(half) < 1e-4) {
        *slope = difference / 12.0;
        return 1.0 + difference * difference / 24.0;
    }
    double s = sin(half);
    *slope = 0.5 * (s - half * cos(half)) / (s * s);
    return half / s;
}

/* Angle: with d = yb - ya and m = (ya + yb) / 2 the differences of sine and cosine are 2 cos(m) sin(d/2) and
 * -2 sin(m) sin(d/2), and those of quadratic maps are their gradients at the mean times xb - xa, hence
 *   D = w(d) (cos(m) grad sine - sin(m) grad cosine)(mean). */
static void angle_discrete(const ac_system *system, const ac_measure *m, const double *mean,
                           const double *end, double ya, double yb, double *D, double *slope)
{
    const ac_forms *forms = &system->measure_forms;
    int n = ac_measure_size(system, m), cosine = m->first_form, sine = m->first_form + 1;
    double middle = 0.5 * (ya + yb), c = cos(middle), s = sin(middle), dw, w = angle_factor(yb - ya, &dw);
    double across[AC_ELEMENT_MAX] = {0.0}; /* derivative of D / w by the middle angle */
    memset(D, 0, (size_t)n * sizeof *D);
    ac_form_add_gradient(forms, sine, mean, c, D);
    ac_form_add_gradient(forms, cosine, mean, -s, D);
    if (slope) {
        ac_form_add_gradient(forms, sine, mean, -s, across);
        ac_form_add_gradient(forms, cosine, mean, -c, across);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) slope[i * n + j] = (0.5 * w * across[i] + dw * D[i]) * end[j];
        ac_form_add_hessian(forms, sine, 0.5 * w * c, n, slope);
        ac_form_add_hessian(forms, cosine, -0.5 * w * s, n, slope);
    }
    for (int i = 0; i < n; ++i) D[i] *= w;
}

void ac_measure_discrete(const ac_system *system, const ac_measure *m, const double *xa, const double *xb,
                         double near_value, double *ya, double *yb, double *D, double *slope)
{
    int n = ac_measure_size(system, m);
    double mean[AC_ELEMENT_MAX], end[AC_ELEMENT_MAX];
    for (int i = 0; i < n; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    *ya = ac_measure_evaluate(system, m, xa, near_value, NULL, NULL);
    *yb = ac_measure_evaluate(system, m, xb, near_value, end, NULL);
    if (m->kind == AC_MEASURE_LENGTH) {
        double sum = *ya + *yb;
        memset(D, 0, (size_t)n * sizeof *D);
        ac_form_add_gradient(&system->measure_forms, m->first_form, mean, 1.0 / sum, D);
        if (!slope) return;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) slope[i * n + j] = -D[i] * end[j] / sum;
        ac_form_add_hessian(&system->measure_forms, m->first_form, 0.5 / sum, n, slope);
        return;
    }
    if (m->kind == AC_MEASURE_ANGLE) {
        angle_discrete(system, m, mean, end, *ya, *yb, D, slope);
        return;
    }
    ac_measure_evaluate(system, m, mean, near_value, D, slope);
    if (slope)
        for (int i = 0; i < n * n; ++i) slope[i] *= 0.5;
}
