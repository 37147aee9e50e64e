/* The chart of a tree in which bodies hang on a point, which does not turn with the body that carries it: derivatives of every order
 * against differences of those below. */
#include "action/chart/chart.h"

#include <stdlib.h>
#include <string.h>

#include "support/rig.h"
#include "test.h"

enum { MOST = 48, FREEDOMS = 16 };

static void draw(rig *r)
{
    dice d = {37};
    static const double origin[3] = {0, 0, 0}, first[3] = {0.5, 0.1, 0}, end[3] = {0.9, 0.2, 0.1},
                        place[3] = {1.2, 0.1, 0.4}, last[3] = {1.6, 0.3, 0.2}, far[3] = {1.5, 0.2, 0.3},
                        next[3] = {2.1, 0.1, 0.2}, axis[3] = {0.3, 1, 0.2};
    double turned[3][9];
    rig_open(r, NULL);
    for (int k = 0; k < 3; ++k) dice_rotation(&d, turned[k]);
    rig_gravity(r, 0.5, 0, -9.81);
    int a = rig_odd_body(r, "first", &d, first, turned[0], false);
    int p = rig_point(r, "knot", 0.4, 3, place[0], place[1], place[2]);
    int b = rig_odd_body(r, "last", &d, last, turned[1], false);
    int c = rig_odd_body(r, "tail", &d, next, turned[2], false);
    rig_joint(r, "shoulder", AC_SPHERICAL, AC_GROUND, a, origin, axis, NULL);
    rig_distance(r, "rope", a, p, end, place);
    rig_distance(r, "thread", p, b, place, far);
    rig_joint(r, "knee", AC_REVOLUTE, b, c, next, axis, NULL);
    CHECK(rig_finish(r) == AC_OK);
}

typedef struct bench {
    rig r;
    ac_chart chart;
    ac_chart_point point;
    ac_joint_state state[8];
    double q[MOST], D[MOST * FREEDOMS], axis[3 * FREEDOMS];
    double xi[FREEDOMS], mu[FREEDOMS], nu[FREEDOMS], f[MOST];
    int n, T;
} bench;

/* A derivative at the present point, and how many numbers it has. */
typedef enum order { Q, COLUMNS, ALONG, SECOND_ALONG, THIRD_ALONG, SECOND, THIRD, FOURTH } order;

static int evaluate(bench *b, order which, double *out)
{
    const int n = b->n, T = b->T;
    const int sizes[] = {n, n * T, n * T, n, n * T, T * T, T * T, T * T};
    ac_chart_evaluate(&b->chart, b->r.system->initial.state, b->xi, b->state, &b->point);
    memset(out, 0, (size_t)sizes[which] * sizeof *out);
    switch (which) {
    case Q: memcpy(out, b->q, (size_t)n * sizeof *out); break;
    case COLUMNS: memcpy(out, b->D, (size_t)(n * T) * sizeof *out); break;
    case ALONG: ac_chart_along(&b->chart, &b->point, b->mu, out); break;
    case SECOND_ALONG: ac_chart_second_along(&b->chart, &b->point, b->mu, b->nu, out); break;
    case THIRD_ALONG: ac_chart_third_along(&b->chart, &b->point, b->mu, b->nu, out); break;
    case SECOND: ac_chart_second(&b->chart, &b->point, b->f, out); break;
    case THIRD: ac_chart_third(&b->chart, &b->point, b->f, b->mu, out); break;
    case FOURTH: ac_chart_fourth(&b->chart, &b->point, b->f, b->mu, b->nu, out); break;
    }
    return sizes[which];
}

/* Derivative along `step` of a quantity, by Richardson's differences. */
static void differentiate(bench *b, order which, const double *step, double *out)
{
    static double up[MOST * FREEDOMS], down[MOST * FREEDOMS];
    double kept[FREEDOMS];
    memcpy(kept, b->xi, sizeof kept);
    for (int e = 0; e < 2; ++e) {
        const double h = e == 0 ? 2e-3 : 1e-3;
        int count = 0;
        for (int j = 0; j < b->T; ++j) b->xi[j] = kept[j] + h * step[j];
        evaluate(b, which, up);
        for (int j = 0; j < b->T; ++j) b->xi[j] = kept[j] - h * step[j];
        count = evaluate(b, which, down);
        for (int i = 0; i < count; ++i) {
            double d = (up[i] - down[i]) / (2.0 * h);
            out[i] = e == 0 ? d : (4.0 * d - out[i]) / 3.0;
        }
    }
    memcpy(b->xi, kept, sizeof kept);
}

static void compare(const char *what, int count, const double *found, const double *expected)
{
    double off = largest_difference(count, found, expected), size = largest_entry(count, expected);
    if (!(off <= 1e-9 * size)) printf("  %s: %g of %g\n", what, off, size);
    CHECK(off <= 1e-9 * size);
}

/* out (rows) = A x */
static void product(const bench *b, int rows, const double *A, const double *x, double *out)
{
    for (int i = 0; i < rows; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < b->T; ++j) out[i] += A[i * b->T + j] * x[j];
    }
}

/* out (T) = f A, A with n rows */
static void weigh(const bench *b, const double *A, double *out)
{
    for (int j = 0; j < b->T; ++j) out[j] = 0.0;
    for (int i = 0; i < b->n; ++i)
        for (int j = 0; j < b->T; ++j) out[j] += b->f[i] * A[i * b->T + j];
}

TEST(what_hangs_on_a_point_is_shifted_with_it)
{
    static bench b;
    static double A[MOST * FREEDOMS], expected[MOST * FREEDOMS], rows[MOST * FREEDOMS];
    dice d = {5};
    double found[MOST], x[FREEDOMS], weights[FREEDOMS];
    draw(&b.r);
    b.n = b.r.system->n;
    b.T = b.r.system->tree.freedoms;
    b.point = (ac_chart_point){b.q, b.D, b.axis};
    CHECK(b.n <= MOST && b.T <= FREEDOMS && b.r.system->node_count <= 8);
    CHECK(ac_chart_create(b.r.ctx, b.r.system, &b.chart) == AC_OK);
    double *const vectors[] = {b.xi, b.mu, b.nu, x};
    for (int k = 0; k < 4; ++k) dice_vector(&d, b.T, k == 0 ? 0.5 : 1.0, vectors[k]);
    dice_vector(&d, b.n, 1.0, b.f);

    evaluate(&b, COLUMNS, A);
    differentiate(&b, Q, x, expected);
    product(&b, b.n, A, x, found);
    compare("first", b.n, found, expected);

    evaluate(&b, ALONG, A);
    differentiate(&b, COLUMNS, x, rows);
    product(&b, b.n, rows, b.mu, expected);
    product(&b, b.n, A, x, found);
    compare("along", b.n, found, expected);

    evaluate(&b, SECOND, A);
    weigh(&b, rows, expected);
    product(&b, b.T, A, x, found);
    compare("second", b.T, found, expected);

    evaluate(&b, THIRD, A);
    differentiate(&b, ALONG, x, rows);
    weigh(&b, rows, expected);
    product(&b, b.T, A, x, found);
    compare("third", b.T, found, expected);

    evaluate(&b, SECOND_ALONG, found);
    evaluate(&b, ALONG, A);
    product(&b, b.n, A, b.nu, expected);
    compare("second along", b.n, found, expected);

    evaluate(&b, THIRD_ALONG, A);
    differentiate(&b, SECOND_ALONG, x, expected);
    product(&b, b.n, A, x, found);
    compare("third along", b.n, found, expected);

    evaluate(&b, FOURTH, A);
    differentiate(&b, THIRD_ALONG, x, rows);
    weigh(&b, rows, expected);
    product(&b, b.T, A, x, weights);
    compare("fourth", b.T, weights, expected);
    ac_chart_destroy(&b.chart);
    rig_close(&b.r);
}

RUN_TESTS(CASE(what_hangs_on_a_point_is_shifted_with_it))
