/* The Lagrangian in joint coordinates: its mass matrix and generalised forces are those of the action pulled back by the chart,
 * to 1e-13 of the largest entry; slopes and second derivatives of momentum, force and bias against differences. */
#include "action/chart/minimal.h"

#include <stdlib.h>

#include "action/inertia.h"
#include "action/interval.h"
#include "support/rig.h"
#include "test.h"

enum { T = 5, N = 36 };

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
    double p[T], b0[T], m[T * T], square[T * T], zero[T] = {0};
    ac_minimal_at(&b.minimal, b.theta);
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
    ac_minimal_momentum(&b.minimal, zero, p, square, m);
    ac_minimal_bias(&b.minimal, zero, b0, NULL, NULL);
    CHECK_NEAR(largest_difference(T * T, m, pulled) / largest_entry(T * T, pulled), 0.0, 1e-13);
    CHECK_NEAR(largest_difference(T, b0, V) / largest_entry(T, V), 0.0, 1e-13);
    close_bench(&b);
}

typedef void (*function)(ac_minimal *m, const double *v, double *out, double *by_theta, double *by_v);
typedef void (*second)(ac_minimal *m, const double *v, const double *w, double factor, double *tt, double *tv,
                       double *vv);

static void momentum_second(ac_minimal *m, const double *v, const double *w, double factor, double *tt,
                            double *tv, double *vv)
{
    (void)vv;
    ac_minimal_momentum_second(m, v, w, factor, tt, tv);
}

static const function FUNCTIONS[] = {ac_minimal_momentum, ac_minimal_force, ac_minimal_bias};
static const second SECONDS[] = {momentum_second, ac_minimal_force_second, ac_minimal_bias_second};

/* Differences of w . function (one number), or of its slopes (T numbers), by theta or v. */
static void difference(bench *b, int k, const double *v, const double *w, bool of_slope, bool slope_by_v,
                       bool by_v, double *out)
{
    const double h = 1e-5;
    double theta[T], u[T], f[T], t[T * T], s[T * T];
    for (int l = 0; l < T; ++l)
        for (int side = 1; side >= -1; side -= 2) {
            memcpy(theta, b->theta, sizeof theta);
            memcpy(u, v, sizeof u);
            (by_v ? u : theta)[l] += side * h;
            ac_minimal_at(&b->minimal, theta);
            FUNCTIONS[k](&b->minimal, u, f, t, s);
            for (int i = 0; i < (of_slope ? T : 1); ++i) {
                double sum = 0.0;
                for (int j = 0; j < T; ++j) sum += w[j] * (of_slope ? (slope_by_v ? s : t)[j * T + i] : f[j]);
                double *to = of_slope ? out + i * T + l : out + l;
                *to = side > 0 ? sum : (*to - sum) / (2.0 * h);
            }
        }
    ac_minimal_at(&b->minimal, b->theta);
}

TEST(slopes_and_second_derivatives_are_those_of_differences)
{
    bench b;
    dice d = {3};
    open_bench(&b);
    double v[T], w[T], f[T], t[T * T], s[T * T], expected[T * T], own[T];
    dice_vector(&d, T, 1.0, v);
    dice_vector(&d, T, 1.0, w);
    for (int k = 0; k < 3; ++k) {
        ac_minimal_at(&b.minimal, b.theta);
        FUNCTIONS[k](&b.minimal, v, f, t, s);
        for (int by_v = 0; by_v < 2; ++by_v) {
            difference(&b, k, v, w, false, false, by_v, expected);
            for (int l = 0; l < T; ++l) {
                own[l] = 0.0;
                for (int j = 0; j < T; ++j) own[l] += w[j] * (by_v ? s : t)[j * T + l];
            }
            CHECK(largest_entry(T, expected) > 0.01);
            CHECK_NEAR(largest_difference(T, own, expected) / largest_entry(T, expected), 0.0, 1e-8);
        }
        double part[3][T * T] = {{0}};
        SECONDS[k](&b.minimal, v, w, 0.7, part[0], part[1], part[2]);
        for (int kind = 0; kind < 3; ++kind) {
            difference(&b, k, v, w, true, kind == 2, kind > 0, expected);
            for (int i = 0; i < T * T; ++i) expected[i] *= 0.7;
            CHECK_NEAR(largest_difference(T * T, part[kind], expected), 0.0,
                       1e-8 * (1.0 + largest_entry(T * T, expected)));
        }
    }
    close_bench(&b);
}

RUN_TESTS(CASE(inertia_and_forces_are_those_of_the_action),
          CASE(slopes_and_second_derivatives_are_those_of_differences))
