/* Checking derivatives: what the step's Newton matrix and the constraint gradients say about a direction,
 * against differences of the functions themselves. For users who doubt a result, and for `actio check`. */
#include <math.h>
#include <string.h>

#include "action/relative.h"
#include "action/inertia.h"
#include "integrate/stepper.h"
#include "math/math.h"

typedef struct product {
    const ac_system *system;
    const double *x;
    double *y; /* += block x */
} product;

static void multiply(void *target, const int *nodes, int count, const double *block, int size)
{
    const product *t = target;
    int at[AC_ELEMENT_MAX];
    ac_block_coordinates(t->system, nodes, count, at);
    for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) t->y[at[r]] += block[r * size + c] * t->x[at[c]];
}

/* A direction with components between -1 and 1, the same in every run. */
static void direction(int n, double *x)
{
    unsigned state = 12345;
    for (int i = 0; i < n; ++i) {
        state = state * 1103515245u + 12345u;
        x[i] = (double)(state >> 16 & 0x7fff) / 16383.5 - 1.0;
    }
}

/* y = central difference of `left` along x, with one step of Richardson's extrapolation. */
static void difference_left(ac_stepper *s, const double *q, const double *x, double size, double *y)
{
    int n = s->system->n;
    memset(y, 0, (size_t)n * sizeof *y);
    static const double shift[4] = {1.0, -1.0, 2.0, -2.0},
                        weight[4] = {8.0 / 12.0, -8.0 / 12.0, -1.0 / 12.0, 1.0 / 12.0};
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < n; ++i) s->qb[i] = q[i] + shift[k] * size * x[i];
        ac_stepper_evaluate(s);
        for (int i = 0; i < n; ++i) y[i] += weight[k] * s->left[i] / size;
    }
}

static double relative_error(int n, const double *a, const double *b)
{
    double most = 0.0, scale = 0.0;
    for (int i = 0; i < n; ++i) {
        most = ac_max(most, fabs(a[i] - b[i]));
        scale = ac_max(scale, fabs(b[i]));
    }
    return scale > 0.0 ? most / scale : most;
}

/* -d left / d q_b along x: mass over h and the slopes of all elements and loads. */
static double check_step(ac_stepper *s, const double *q, const double *x, double *exact, double *differences)
{
    int n = s->system->n;
    double size = 1e-3 * s->system->length_scale;
    s->scheme->begin(&s->interval);
    difference_left(s, q, x, size, differences);
    memcpy(s->qb, q, (size_t)n * sizeof *q);
    ac_stepper_evaluate(s);
    ac_mass_apply(s->system, x, exact);
    ac_relative_clear(s->system, exact);
    for (int i = 0; i < n; ++i) exact[i] /= s->h;
    ac_relative_add_slope(s->system, s->interval.qa, s->qb, s->h, x, exact);
    product target = {s->system, x, exact};
    ac_stepper_slopes(s, multiply, &target);
    for (int i = 0; i < n; ++i) differences[i] = -differences[i];
    return relative_error(n, exact, differences);
}

/* G x against (g(q + x) - g(q - x)) / 2, which is exact for quadratic constraints. */
static double check_constraints(ac_stepper *s, const double *q, const double *x, double *exact,
                                double *differences)
{
    const ac_system *system = s->system;
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    memset(differences, 0, (size_t)c->count * sizeof *differences);
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < system->n; ++i) s->qb[i] = q[i] + side * x[i];
        ac_constraints_value(system, s->qb, 0, exact);
        for (int row = 0; row < c->count; ++row) differences[row] += 0.5 * side * exact[row];
    }
    for (int row = 0; row < c->count; ++row) {
        exact[row] = 0.0;
        ac_constraint_gradient(system, row, q, gradient);
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            exact[row] += gradient[e - c->start[row]] * x[c->coordinate[e]];
    }
    return relative_error(c->count, exact, differences);
}

ac_status ac_simulation_check_derivatives(ac_context *ctx, const ac_system *system,
                                          const ac_simulation_settings *settings, double *step_error,
                                          double *constraint_error)
{
    ac_stepper stepper = {0};
    size_t n = (size_t)system->n, m = (size_t)system->constraints.count, longest = n > m ? n : m;
    double *work = ac_allocate(ctx, 2 * n + 2 * longest, sizeof *work);
    if (!work) return ac_out_of_memory(ctx);
    ac_status status = ac_stepper_create(&stepper, ctx, system, settings);
    if (status == AC_OK) {
        double *q = work, *x = work + n, *exact = work + 2 * n, *differences = exact + longest;
        direction(system->n, x);
        for (int i = 0; i < system->n; ++i)
            q[i] = system->initial.q[i] + settings->step * system->initial.v[i] +
                   1e-2 * x[i] * system->length_scale;
        *step_error = check_step(&stepper, q, x, exact, differences);
        *constraint_error = check_constraints(&stepper, q, x, exact, differences);
    }
    ac_stepper_destroy(&stepper);
    ac_release(ctx, work);
    return status;
}
