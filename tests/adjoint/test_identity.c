/* The adjoint is the transpose of the tangent: the derivative of a functional along a direction by the tangent of the motion, forwards, is
 * that by the sweep backwards, for every mechanism, joint and kind of beam, scheme and formulation. Neither knows the other's
 * solves: one has the matrix of the step, the other its transpose. */
#include <math.h>
#include <string.h>

#include "adjoint/second/second.h"
#include "support/subject.h"
#include "test.h"

enum { STEPS = 20, MOST = SUBJECT_MOST };

/* The sweep at every node. */
static double swept_q[STEPS + 1][MOST], swept_p[STEPS + 1][MOST];

static void keep(void *user, long node, double t, const double *q, const double *by_q, const double *by_p)
{
    size_t bytes = (size_t) * (const int *)user * sizeof(double);
    (void)t, (void)q;
    memcpy(swept_q[node], by_q, bytes);
    memcpy(swept_p[node], by_p, bytes);
}

/* The largest size of what the products of tangent and adjoint cancel at a node: rounding is relative to it. */
static double largest_size(const ac_second *second, int n)
{
    double most = 0.0;
    for (int k = 0; k <= STEPS; ++k)
        most = fmax(most, dot_size(n, swept_q[k], second->dq + k * n) +
                              dot_size(n, swept_p[k], second->dp + k * n));
    return most;
}

static void check(const subject *of, const char *scheme, const char *formulation)
{
    static double v[MOST], w[MOST], u[MOST];
    subject x = *of;
    functional_data f;
    ac_adjoint *adjoint = NULL;
    ac_second *second = NULL;
    double value, speed = 0.0, size = 0.0;
    dice d = {3};
    rig *r = subject_open(&x);
    admissible(r, 17, &speed, NULL, w); /* it moves */
    add_to(r->system->n, 0.3, w, r->system->initial.v);
    admissible(r, 11, &size, NULL, v);
    ac_status status = subject_adjoint(&x, scheme, formulation, STEPS, 0, &adjoint);
    if (status == AC_OK) status = ac_second_create(adjoint, 1, &second);
    const ac_functional functional = functional_of(&f, adjoint, STEPS);
    int inputs = STEPS * f.inputs;
    CHECK(inputs <= MOST);
    dice_vector(&d, inputs, 1.0, u);
    ac_adjoint_watch(adjoint, keep, &f.n);
    if (status == AC_OK) status = ac_adjoint_run(adjoint, &functional, &value);
    if (status == AC_OK) {
        second->curved = false; /* first derivatives alone, which every scheme has */
        status = ac_second_simulate(second, &functional, &value);
    }
    if (status == AC_OK) status = ac_second_linearise(second);
    if (status == AC_OK)
        status = ac_second_follow(second,
                                  &(ac_second_direction){.inputs = u, .configuration = v, .velocity = w});
    if (status != AC_OK)
        printf("  %s, %s, %s: %s\n", x.name, scheme, formulation, ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        const double *by_q = ac_adjoint_by_configuration(adjoint), *by_v = ac_adjoint_by_velocity(adjoint),
                     *by_u = ac_adjoint_by_input(adjoint, 0);
        double swept = dot(f.n, by_q, v) + dot(f.n, by_v, w) + dot(inputs, by_u, u),
               parts = largest_size(second, f.n) + dot_size(inputs, by_u, u);
        if (!(fabs(second->slope - swept) <= 1e-12 * parts))
            printf("  %s, %s, %s: tangent %.15g, adjoint %.15g, %.2g of %.3g\n", x.name, scheme, formulation,
                   second->slope, swept, fabs(second->slope - swept) / parts, parts);
        CHECK(fabs(second->slope - swept) <= 1e-12 * parts);
    }
    ac_second_free(second);
    ac_adjoint_free(adjoint);
    subject_close(&x);
}

TEST(the_adjoint_is_the_transposed_tangent)
{
    static const char *const formulations[] = {"reduced", "null-space", "multipliers"};
    const subject *x;
    for (int k = 0; (x = subject_number(k)); ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            for (int f = 0; f < 3; ++f)
                if (subject_has(x, *scheme, formulations[f])) check(x, *scheme, formulations[f]);
}

RUN_TESTS(CASE(the_adjoint_is_the_transposed_tangent))
