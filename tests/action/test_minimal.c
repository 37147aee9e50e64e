/* The Lagrangian in minimal coordinates: its mass matrix and generalised forces are those of the action pulled back by the chart,
 * to 1e-13 of the largest entry; all further tensors are their derivatives, against differences. */
#include "action/chart/minimal.h"

#include <stdlib.h>

#include "action/inertia.h"
#include "action/interval.h"
#include "support/rig.h"
#include "test.h"

enum { T = 5, N = 36, ORDER = 3 };

/* A turn, a slide and three turns of a ball, with a spring in a joint and one between points. */
static void draw(rig *r)
{
    const double o[3] = {0, 0, 0}, e[3] = {1, 0, 0}, f[3] = {1.5, 0.3, 0.2}, y[3] = {0, 1, 0};
    dice d = {5};
    double rotation[3][9];
    int body[3];
    rig_open(r, NULL);
    rig_gravity(r, 0.4, -1.0, -9.0);
    for (int k = 0; k < 3; ++k) {
        const char name[] = {(char)('a' + k), 0};
        dice_rotation(&d, rotation[k]);
        body[k] = rig_odd_body(r, name, &d, k == 0 ? o : k == 1 ? e : f, rotation[k], false);
    }
    int turn = rig_joint(r, "turn", AC_REVOLUTE, AC_GROUND, body[0], o, y, NULL);
    rig_joint(r, "slide", AC_PRISMATIC, body[0], body[1], e, e, NULL);
    rig_joint(r, "ball", AC_SPHERICAL, body[1], body[2], f, y, NULL);
    rig_joint_spring(r, turn, 0, 3.0, 0.2, 0.0);
    rig_spring(r, AC_GROUND, body[2], y, f, 7.0, 0.5, 0.0);
    CHECK(rig_finish(r) == AC_OK);
}

typedef struct bench {
    rig r;
    ac_chart chart;
    ac_discrete interval;
    ac_minimal minimal;
    double theta[T];
} bench;

static void open_bench(bench *b)
{
    dice d = {11};
    *b = (bench){0};
    draw(&b->r);
    CHECK(b->r.system->n == N && b->r.system->tree.freedoms == T && b->r.system->spring_count == 2);
    CHECK(ac_chart_create(b->r.ctx, b->r.system, &b->chart) == AC_OK);
    CHECK(ac_interval_open(b->r.ctx, b->r.system, "midpoint", NULL, NULL, &b->interval) == AC_OK);
    CHECK(ac_minimal_create(b->r.ctx, &b->chart, b->r.system->initial.state, &b->minimal) == AC_OK);
    b->minimal.discrete = &b->interval;
    dice_vector(&d, T, 0.3, b->theta);
}

static void close_bench(bench *b)
{
    ac_minimal_destroy(&b->minimal);
    ac_discrete_destroy(&b->interval);
    ac_chart_destroy(&b->chart);
    rig_close(&b->r);
}

static void near_of(const bench *b, double *winding)
{
    for (int k = 0; k < b->r.system->measure_count; ++k) {
        winding[k] = b->r.system->measures[k].initial;
        if (b->r.system->measures[k].kind == AC_MEASURE_ANGLE) winding[k] += b->theta[0];
    }
}

TEST(inertia_and_forces_are_those_of_the_action)
{
    bench b;
    open_bench(&b);
    const ac_system *system = b.r.system;
    double MD[N * T], pulled[T * T] = {0}, force[N], V[T] = {0}, winding[16];
    ac_minimal_at(&b.minimal, b.theta, 1);
    const double *D = b.minimal.point.D;
    near_of(&b, winding);
    ac_mass_apply_rows(system, T, D, MD);
    for (int i = 0; i < N; ++i) force[i] = -system->gravity_force[i];
    ac_potential_add_gradient(system, b.minimal.point.q, winding, 1.0, force);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < T; ++j) {
            V[j] += D[i * T + j] * force[i];
            for (int k = 0; k < T; ++k) pulled[j * T + k] += D[i * T + j] * MD[i * T + k];
        }
    CHECK(largest_entry(T, V) > 0.1);
    CHECK_NEAR(largest_difference(T * T, b.minimal.m, pulled) / largest_entry(T * T, pulled), 0.0, 1e-13);
    CHECK_NEAR(largest_difference(T, b.minimal.V1, V) / largest_entry(T, V), 0.0, 1e-13);
    close_bench(&b);
}

/* x[l][..] is the derivative of the tensor before by theta_l; the new index comes first for m. */
static void check_next(bench *b, const double *tensor, const double *slopes, int size)
{
    const double h = 1e-5;
    double *expected = malloc((size_t)size * T * sizeof *expected),
           *above = malloc((size_t)size * sizeof *above);
    if (!expected || !above) abort();
    memcpy(expected, slopes, (size_t)size * T * sizeof *expected);
    for (int l = 0; l < T; ++l) {
        double theta[T];
        memcpy(theta, b->theta, sizeof theta);
        theta[l] += h;
        ac_minimal_at(&b->minimal, theta, ORDER);
        memcpy(above, tensor, (size_t)size * sizeof *above);
        theta[l] -= 2.0 * h;
        ac_minimal_at(&b->minimal, theta, ORDER);
        for (int i = 0; i < size; ++i) above[i] = (above[i] - tensor[i]) / (2.0 * h);
        CHECK_NEAR(largest_difference(size, above, expected + l * size) / largest_entry(size * T, expected),
                   0.0, 1e-8);
    }
    ac_minimal_at(&b->minimal, b->theta, ORDER);
    free(expected);
    free(above);
}

TEST(tensors_are_derivatives)
{
    bench b;
    open_bench(&b);
    ac_minimal *m = &b.minimal;
    ac_minimal_at(m, b.theta, ORDER);
    check_next(&b, m->m, m->m1, T * T);
    check_next(&b, m->m1, m->m2, T * T * T);
    check_next(&b, m->m2, m->m3, T * T * T * T);
    check_next(&b, m->V1, m->V2, T);
    check_next(&b, m->V2, m->V3, T * T);
    close_bench(&b);
}

RUN_TESTS(CASE(inertia_and_forces_are_those_of_the_action), CASE(tensors_are_derivatives))
