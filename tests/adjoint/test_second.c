/* Directional second derivatives: against differences of adjoint gradients, and symmetry; every mechanism, joint and kind of beam, in every
 * scheme. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adjoint/adjoint.h"
#include "support/subject.h"
#include "test.h"

enum { STEPS = 10, MOST = SUBJECT_MOST, INPUTS = 16 };

enum { FIELD = 23 };

/* The derivative along the field x (of admissible motions) and y at the start moved by `by`; x there, too. */
static double slope_at(const subject *s, const char *scheme, const double *u, const double *v,
                       const double *y, double by, double size, double *x)
{
    subject there = *s;
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value, slope = NAN;
    rig *r = subject_open(&there);
    move_start(r, u, by);
    add_to(r->system->n, by, v, r->system->initial.v);
    admissible(r, FIELD, &size, NULL, x);
    CHECK(subject_adjoint(&there, scheme, "reduced", STEPS, 0, &adjoint) == AC_OK);
    const ac_functional functional = functional_of(&f, adjoint, STEPS);
    ac_status status = ac_adjoint_run(adjoint, &functional, &value);
    if (status != AC_OK) printf("  %s\n", ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK)
        slope = dot(f.n, x, ac_adjoint_by_configuration(adjoint)) +
                dot(f.n, y, ac_adjoint_by_velocity(adjoint));
    ac_adjoint_free(adjoint);
    subject_close(&there);
    return slope;
}

/* d/ds of the slope along the field, and of the field, by central differences with one Richardson step. */
static double difference(const subject *s, const char *scheme, const double *u, const double *v,
                         const double *y, double h, double field, int n, double *dx)
{
    static double x[4][MOST];
    const double at[4] = {h, -h, 0.5 * h, -0.5 * h};
    double slope[4];
    for (int k = 0; k < 4; ++k) slope[k] = slope_at(s, scheme, u, v, y, at[k], field, x[k]);
    for (int i = 0; i < n; ++i)
        dx[i] = (4.0 * (x[2][i] - x[3][i]) / h - (x[0][i] - x[1][i]) / (2.0 * h)) / 3.0;
    return (4.0 * (slope[2] - slope[3]) / h - (slope[0] - slope[1]) / (2.0 * h)) / 3.0;
}

static void check(const subject *given, const char *scheme)
{
    static double u[MOST], v[MOST], x[MOST], y[MOST], w[MOST], dx[MOST], du[STEPS * INPUTS],
        eu[STEPS * INPUTS], Hq[MOST], Hv[MOST], Hu[STEPS * INPUTS];
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value, run_value, h = 2e-4;
    subject own = *given, *s = &own;
    rig *r = subject_open(s);
    dice d = {3};
    double sizes[3] = {0.0};
    admissible(r, 11, &sizes[0], u, v);
    admissible(r, FIELD, &sizes[1], NULL, x);
    admissible(r, 5, &sizes[2], NULL, w);
    dice_vector(&d, r->system->n, 0.3, y);
    CHECK(subject_adjoint(s, scheme, "reduced", STEPS, 0, &adjoint) == AC_OK);
    const ac_functional functional = functional_of(&f, adjoint, STEPS);
    CHECK(f.inputs <= INPUTS);
    ac_status status = ac_adjoint_linearise(adjoint, &functional, &value);
    if (status == AC_OK) status = ac_adjoint_second(adjoint, &(ac_adjoint_direction){NULL, v, w}, NULL);
    if (status != AC_OK) printf("  %s, %s: %s\n", s->name, scheme, ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    CHECK(ac_adjoint_run(adjoint, &functional, &run_value) == AC_OK);
    if (status == AC_OK) {
        const double *second_q = ac_adjoint_second_by_configuration(adjoint),
                     *second_v = ac_adjoint_second_by_velocity(adjoint),
                     *by_q = ac_adjoint_by_configuration(adjoint);
        CHECK_NEAR(value, run_value, 1e-12 * fabs(value));
        double exact = dot(f.n, x, second_q) + dot(f.n, y, second_v),
               near = difference(s, scheme, u, w, y, h, sizes[1], f.n, dx), size;
        exact += dot(f.n, dx, by_q);
        size = fabs(dot(f.n, x, second_q)) + fabs(dot(f.n, y, second_v)) + fabs(dot(f.n, dx, by_q));
        if (!(fabs(exact - near) <= 1e-7 * size))
            printf("  %s, %s: second derivative %.12g, differences %.12g, size %.3g\n", s->name, scheme,
                   exact, near, size);
        CHECK(fabs(exact - near) <= 1e-7 * size);

        /* symmetry, inputs included */
        int inputs = STEPS * f.inputs;
        dice_vector(&d, inputs, 1.0, du);
        dice_vector(&d, inputs, 1.0, eu);
        CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){du, v, w}, NULL) == AC_OK);
        memcpy(Hq, second_q, (size_t)f.n * sizeof *Hq);
        memcpy(Hv, second_v, (size_t)f.n * sizeof *Hv);
        memcpy(Hu, ac_adjoint_second_by_input(adjoint, 0), (size_t)inputs * sizeof *Hu);
        double one = dot(f.n, x, Hq) + dot(f.n, y, Hv) + dot(inputs, eu, Hu),
               scale = fabs(dot(f.n, x, Hq)) + fabs(dot(f.n, y, Hv)) + fabs(dot(inputs, eu, Hu));
        CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){eu, x, y}, NULL) == AC_OK);
        double other = dot(f.n, v, second_q) + dot(f.n, w, second_v) +
                       dot(inputs, du, ac_adjoint_second_by_input(adjoint, 0));
        if (!(fabs(one - other) <= 1e-10 * scale))
            printf("  %s, %s: u.Hv %.15g, v.Hu %.15g, size %.3g\n", s->name, scheme, one, other, scale);
        CHECK(fabs(one - other) <= 1e-10 * scale);
    }
    ac_adjoint_free(adjoint);
    subject_close(s);
}

/* Trees, loops and beams. */
TEST(every_subject_has_second_derivatives)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    const subject *s;
    for (int k = 0; (s = subject_number(k)); ++k)
        for (int e = 0; e < 3; ++e)
            if (subject_has(s, schemes[e], "reduced") && (!s->beam || s->scheme || e != 1))
                check(s, schemes[e]);
}

/* A product with little memory, from checkpoints, is the same to rounding. */
static void check_memory(const subject *given, const char *scheme)
{
    static double v[MOST], w[MOST], du[STEPS * INPUTS], H[2][2 * MOST + STEPS * INPUTS];
    double value[2], slope[2], size = 0.0;
    int count = 0;
    for (int e = 0; e < 2; ++e) {
        functional_data f;
        ac_adjoint *adjoint = NULL;
        subject own = *given;
        rig *r = subject_open(&own);
        dice d = {3};
        double sizes[2] = {0.0};
        admissible(r, 11, &sizes[0], NULL, v);
        admissible(r, 5, &sizes[1], NULL, w);
        dice_vector(&d, STEPS * INPUTS, 1.0, du);
        CHECK(subject_adjoint(&own, scheme, "reduced", STEPS, e == 0 ? 0 : 1, &adjoint) == AC_OK);
        const ac_functional functional = functional_of(&f, adjoint, STEPS);
        CHECK(ac_adjoint_linearise(adjoint, &functional, &value[e]) == AC_OK);
        CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){du, v, w}, &slope[e]) == AC_OK);
        count = 2 * f.n;
        memcpy(H[e], ac_adjoint_second_by_configuration(adjoint), (size_t)f.n * sizeof(double));
        memcpy(H[e] + f.n, ac_adjoint_second_by_velocity(adjoint), (size_t)f.n * sizeof(double));
        for (int k = 0; k < STEPS; k += (int)ac_adjoint_stretch(adjoint)) /* the last: of all intervals */
            for (int i = 0; e == 1 && ac_adjoint_stretch(adjoint) == STEPS && i < f.inputs; ++i)
                H[1][count + i] = ac_adjoint_second_by_input(adjoint, k)[i];
        for (int k = 0; e == 0 && k < STEPS; ++k)
            for (int i = 0; i < f.inputs; ++i)
                H[0][count + i] = (k == 0 ? 0.0 : H[0][count + i]) +
                                  ac_adjoint_second_by_input(adjoint, k)[i];
        if (e == 1) CHECK(f.inputs == 0 || ac_adjoint_stretch(adjoint) == STEPS);
        if (e == 1) CHECK(ac_adjoint_steps_taken(adjoint) > STEPS);
        count += f.inputs;
        ac_adjoint_free(adjoint);
        subject_close(&own);
    }
    for (int k = 0; k < count; ++k) size = fmax(size, fabs(H[0][k]));
    for (int k = 0; k < count; ++k) {
        if (!(fabs(H[0][k] - H[1][k]) <= 1e-11 * size))
            printf("  %s, %s, entry %d of %d: %.15g with all, %.15g with little memory\n", given->name,
                   scheme, k, count, H[0][k], H[1][k]);
        CHECK(fabs(H[0][k] - H[1][k]) <= 1e-11 * size);
    }
    CHECK_NEAR(value[0], value[1], 1e-12 * fabs(value[0]));
    CHECK_NEAR(slope[0], slope[1], 1e-10 * (fabs(slope[0]) + 1.0));
}

TEST(little_memory_gives_the_same)
{
    static const char *const schemes[] = {"midpoint", "energy-momentum", "trapezoidal"};
    const subject *s;
    for (int k = 0; (s = subject_number(k)); ++k)
        for (int e = 0; e < 3; ++e)
            if ((k + e) % 3 == 0 && subject_has(s, schemes[e], "reduced") && (!s->beam || s->scheme || e < 2))
                check_memory(s, schemes[e]);
}

/* What has none is refused with the reason. */
TEST(refusals_name_their_reason)
{
    subject s = *subject_named("mixed chain");
    functional_data f;
    ac_adjoint *adjoint = NULL;
    rig *r = subject_open(&s);
    CHECK(subject_adjoint(&s, "midpoint", "reduced", STEPS, 0, &adjoint) == AC_OK);
    ac_functional functional = functional_of(&f, adjoint, STEPS);
    double value;
    CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){0}, NULL) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(r->ctx), "linearised") != NULL);
    functional.node_along = NULL;
    CHECK(ac_adjoint_linearise(adjoint, &functional, &value) == AC_OK);
    CHECK(ac_adjoint_second(adjoint, &(ac_adjoint_direction){0}, NULL) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(r->ctx), "no second derivatives") != NULL);
    ac_adjoint_free(adjoint);
    subject_close(&s);
}

RUN_TESTS(CASE(every_subject_has_second_derivatives), CASE(little_memory_gives_the_same),
          CASE(refusals_name_their_reason))
