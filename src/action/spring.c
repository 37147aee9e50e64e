/* Springs and dampers on a measure y (distance of two points, angle or slide of a joint):
 * potential stiffness/2 (y - rest)^2, force -damping y' grad y with y' = grad y . v.
 *
 * A spring between two points whose length at rest is zero has the potential stiffness/2 kappa with the quadratic map
 * kappa = y^2, which is smooth also where the points meet and y is not. */
#include <string.h>

#include "action/element.h"

static int spring_count(const ac_system *system)
{
    return system->spring_count;
}

static const ac_measure *measure_of(const ac_system *system, int k)
{
    return &system->measures[system->springs[k].measure];
}

static int spring_nodes(const ac_system *system, int k, int nodes[2])
{
    const ac_measure *m = measure_of(system, k);
    for (int i = 0; i < m->node_count; ++i) nodes[i] = m->nodes[i];
    return m->node_count;
}

static bool spring_conservative(const ac_system *system, int k)
{
    return system->springs[k].stiffness != 0.0;
}

static bool spring_dissipative(const ac_system *system, int k)
{
    return system->springs[k].damping != 0.0;
}

static double near_value(const ac_system *system, int k, const double *memory)
{
    return memory[system->springs[k].measure];
}

/* Is the potential stiffness/2 kappa? */
static bool is_quadratic(const ac_spring_data *s, const ac_measure *m)
{
    return m->kind == AC_MEASURE_LENGTH && s->rest == 0.0;
}

static void quadratic_gradient(const ac_system *system, const ac_spring_data *s, const ac_measure *m,
                               const double *x, double *gradient)
{
    memset(gradient, 0, (size_t)ac_measure_size(system, m) * sizeof *gradient);
    ac_form_add_gradient(&system->measure_forms, m->first_form, x, 0.5 * s->stiffness, gradient);
}

static void quadratic_hessian(const ac_system *system, const ac_spring_data *s, const ac_measure *m,
                              double factor, double *hessian)
{
    int n = ac_measure_size(system, m);
    memset(hessian, 0, (size_t)(n * n) * sizeof *hessian);
    ac_form_add_hessian(&system->measure_forms, m->first_form, 0.5 * factor * s->stiffness, n, hessian);
}

static double spring_energy(const ac_system *system, int k, const double *x, const double *memory)
{
    const ac_spring_data *s = &system->springs[k];
    double y = ac_measure_evaluate(system, measure_of(system, k), x, near_value(system, k, memory), NULL,
                                   NULL);
    return 0.5 * s->stiffness * (y - s->rest) * (y - s->rest);
}

static void spring_gradient(const ac_system *system, int k, const double *x, const double *memory,
                            double *gradient)
{
    const ac_spring_data *s = &system->springs[k];
    const ac_measure *m = measure_of(system, k);
    if (is_quadratic(s, m)) {
        quadratic_gradient(system, s, m, x, gradient);
        return;
    }
    double y = ac_measure_evaluate(system, m, x, near_value(system, k, memory), gradient, NULL);
    int n = ac_measure_size(system, m);
    for (int i = 0; i < n; ++i) gradient[i] *= s->stiffness * (y - s->rest);
}

static void spring_hessian(const ac_system *system, int k, const double *x, const double *memory,
                           double *hessian)
{
    const ac_spring_data *s = &system->springs[k];
    const ac_measure *m = measure_of(system, k);
    if (is_quadratic(s, m)) {
        quadratic_hessian(system, s, m, 1.0, hessian);
        return;
    }
    double gradient[AC_ELEMENT_MAX];
    double y = ac_measure_evaluate(system, m, x, near_value(system, k, memory), gradient, hessian);
    int n = ac_measure_size(system, m);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            hessian[i * n + j] = s->stiffness *
                                 ((y - s->rest) * hessian[i * n + j] + gradient[i] * gradient[j]);
}

static void spring_discrete(const ac_system *system, int k, const double *xa, const double *xb,
                            const double *memory, double *gradient, double *slope)
{
    const ac_spring_data *s = &system->springs[k];
    const ac_measure *m = measure_of(system, k);
    double ya, yb, near = near_value(system, k, memory);
    int n = ac_measure_size(system, m);
    if (is_quadratic(s, m)) { /* the gradient at the mean is the discrete derivative */
        double mean[AC_ELEMENT_MAX];
        for (int i = 0; i < n; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
        quadratic_gradient(system, s, m, mean, gradient);
        if (slope) quadratic_hessian(system, s, m, 0.5, slope);
        return;
    }
    ac_measure_discrete(system, m, xa, xb, near, &ya, &yb, gradient, slope);
    double pull = s->stiffness * (0.5 * (ya + yb) - s->rest);
    if (slope) {
        double end[AC_ELEMENT_MAX];
        ac_measure_evaluate(system, m, xb, near, end, NULL);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                slope[i * n + j] = pull * slope[i * n + j] + 0.5 * s->stiffness * gradient[i] * end[j];
    }
    for (int i = 0; i < n; ++i) gradient[i] *= pull;
}

static void spring_force(const ac_system *system, int k, const double *x, const double *v,
                         const double *memory, double *f, double *by_x, double *by_v)
{
    const ac_spring_data *s = &system->springs[k];
    const ac_measure *m = measure_of(system, k);
    int n = ac_measure_size(system, m);
    double gradient[AC_ELEMENT_MAX], hessian[AC_ELEMENT_MAX * AC_ELEMENT_MAX], rate = 0.0;
    ac_measure_evaluate(system, m, x, near_value(system, k, memory), gradient, by_x ? hessian : NULL);
    for (int i = 0; i < n; ++i) rate += gradient[i] * v[i];
    for (int i = 0; i < n; ++i) f[i] = -s->damping * rate * gradient[i];
    if (!by_x) return;
    for (int j = 0; j < n; ++j) {
        double hv = 0.0;
        for (int i = 0; i < n; ++i) hv += hessian[j * n + i] * v[i];
        for (int i = 0; i < n; ++i) {
            by_x[i * n + j] = -s->damping * (hv * gradient[i] + rate * hessian[i * n + j]);
            by_v[i * n + j] = -s->damping * gradient[i] * gradient[j];
        }
    }
}

extern const ac_element_kind ac_element_spring;
const ac_element_kind ac_element_spring = {
    .name = "spring",
    .count = spring_count,
    .nodes = spring_nodes,
    .conservative = spring_conservative,
    .dissipative = spring_dissipative,
    .energy = spring_energy,
    .gradient = spring_gradient,
    .hessian = spring_hessian,
    .discrete = spring_discrete,
    .force = spring_force,
};
