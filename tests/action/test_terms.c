/* Every term of the action alone, a row of its table after another: left and right are derivatives of its part of the discrete
 * Lagrangian; first derivatives by a, b, inputs and step against differences; transposed products against them; second
 * derivatives along weights against differences of transposed products. */
#include <stdlib.h>

#include "action/interval.h"
#include "action/scheme/scheme.h"
#include "action/term.h"
#include "support/beams.h"
#include "support/rig.h"
#include "test.h"

/* A body and a point with springs, dampers, loads of every kind and gravity. */
static void draw_bodies(rig *r)
{
    const double x[3] = {0.3, -0.2, 0.5}, at[3] = {0.1, 0.6, -0.3}, J[3] = {0.05, 0.11, 0.08},
                 far[3] = {0.5, 0.8, 1.4}, z[3] = {0, 0, 1};
    int body = rig_body(r, "body", 1.2, J, x, NULL), other = rig_body(r, "other", 0.7, J, at, NULL),
        point = rig_point(r, "point", 0.4, 3, 1, 2, 3);
    rig_gravity(r, 0.3, -9.81, 0.7);
    int pin = rig_joint(r, "pin", AC_REVOLUTE, body, other, at, z, NULL);
    rig_spring(r, body, point, x, far, 30.0, 0.9, 0.4);
    rig_spring(r, body, AC_GROUND, x, x, 40.0, 0.0, 0.0);
    rig_joint_spring(r, pin, 0, 3.0, 0.2, 0.1);
    rig_force(r, body, at, false, "1.2", "-0.5", "2*t");
    rig_force(r, body, at, true, "0.7", "1-t", "0.4");
    rig_torque(r, body, false, "0.3", "-1.1", "0.6");
    rig_torque(r, body, true, "0.8", "0.2", "-0.9");
    rig_joint_load(r, pin, 0, "-0.3+t");
}

static void draw_beam(rig *r, ac_beam_model model, int order)
{
    const beam_data data = {.model = model,
                            .elements = order == 1 ? 2 : 1,
                            .length = 1.0,
                            .shear = 40.0,
                            .axial = 70.0,
                            .bending = {3.0, 2.0},
                            .torsion = 1.5,
                            .mass = 0.8,
                            .inertia = 0.02,
                            .damping = 0.05,
                            .order = order};
    rig_gravity(r, 0.2, 0.4, -9.81);
    add_straight(r->system, "beam", &data, NULL);
}

enum { BODIES, BEAM, HIGH_BEAM, ROD, DUAL_BEAM, SYSTEMS };

static void draw(int k, rig *r)
{
    rig_open(r, NULL);
    if (k == BODIES) draw_bodies(r);
    if (k == BEAM) draw_beam(r, AC_BEAM_DIRECTOR, 1);
    if (k == HIGH_BEAM) draw_beam(r, AC_BEAM_DIRECTOR, 2);
    if (k == ROD) draw_beam(r, AC_BEAM_VERTEX, 1);
    if (k == DUAL_BEAM) draw_beam(r, AC_BEAM_DUAL_QUATERNION, 1);
    CHECK(rig_finish(r) == AC_OK);
}

/* One term on an interval with the variables z = (a, b, inputs, step). */
typedef struct bench {
    rig r;
    ac_discrete interval;
    ac_discrete_point point;
    const ac_term *term;
    int n, inputs, size;
    double *z, *winding, *w, *J, *H;
} bench;

static void open_bench(bench *b, int k, const char *scheme, dice *d)
{
    const double h = 0.1;
    *b = (bench){0};
    draw(k, &b->r);
    CHECK(ac_interval_open(b->r.ctx, b->r.system, scheme, NULL, NULL, &b->interval) == AC_OK);
    b->n = b->r.system->n;
    b->inputs = b->interval.input_count;
    b->size = 2 * b->n + b->inputs + 1;
    b->z = numbers(b->size);
    b->w = numbers(2 * b->n);
    b->J = numbers(2 * b->n * b->size);
    b->H = numbers(b->size * b->size);
    b->winding = numbers(b->r.system->measure_count);
    for (int i = 0; i < b->r.system->measure_count; ++i) b->winding[i] = b->r.system->measures[i].initial;
    rig_moved(d, b->r.system, b->z);
    rig_moved(d, b->r.system, b->z + b->n);
    ac_discrete_load_values(&b->interval, 0.0, h, b->z + 2 * b->n);
    b->z[b->size - 1] = h;
    dice_vector(d, 2 * b->n, 1.0, b->w);
    for (int i = 0; i < b->inputs; ++i) b->interval.inputs[i].load = NULL; /* all are controls now */
}

static void close_bench(bench *b)
{
    double *const all[] = {b->z, b->winding, b->w, b->J, b->H};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) free(all[k]);
    ac_discrete_destroy(&b->interval);
    rig_close(&b->r);
}

static const ac_discrete_point *at(bench *b, const double *z)
{
    b->point = (ac_discrete_point){
        .a = z, .b = z + b->n, .tau = z + 2 * b->n, .winding = b->winding, .h = z[b->size - 1]};
    ac_discrete_take_mean(&b->interval, &b->point);
    return &b->point;
}

static void values(void *user, const double *z, double *out)
{
    bench *b = user;
    double *const side[2] = {out, out + b->n};
    memset(out, 0, 2 * (size_t)b->n * sizeof *out);
    if (b->term->values) b->term->values(&b->interval, at(b, z), side);
}

static double action(bench *b, const double *z)
{
    return b->term->action(&b->interval, at(b, z));
}

static int place_of(const bench *b, ac_by by, int i)
{
    return by == AC_BY_A ? i : by == AC_BY_B ? b->n + i : by == AC_BY_TAU ? 2 * b->n + i : b->size - 1;
}

static void put(void *user, int side, int row, ac_by by, int column, double value)
{
    bench *b = user;
    b->J[(side * b->n + row) * b->size + place_of(b, by, column)] += value;
}

static void put_block(void *user, const ac_slope_block *block)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; (block->sides & (1 << side)) && i < block->rows; ++i)
            for (int j = 0; j < block->size; ++j) {
                int e = i * block->size + j;
                if (block->by_a) put(user, side, block->at[i], AC_BY_A, block->at[j], block->by_a[e]);
                if (block->by_b) put(user, side, block->at[i], AC_BY_B, block->at[j], block->by_b[e]);
            }
}

static void slopes(bench *b, const double *z)
{
    const ac_slope_sinks sinks = {put, put_block};
    double *sides = numbers(2 * b->n);
    double *const side[2] = {sides, sides + b->n};
    memset(b->J, 0, (size_t)(2 * b->n) * (size_t)b->size * sizeof *b->J);
    const ac_discrete_point *p = at(b, z);
    if (b->term->slopes) b->term->slopes(&b->interval, p, &sinks, b);
    if (b->term->by_step) b->term->by_step(&b->interval, p, side);
    for (int i = 0; i < 2 * b->n; ++i) b->J[i * b->size + b->size - 1] += sides[i];
    free(sides);
}

/* (wl, wr)^T d(left, right)/dz */
static void pulled(void *user, const double *z, double *out)
{
    bench *b = user;
    slopes(b, z);
    for (int j = 0; j < b->size; ++j) {
        out[j] = 0.0;
        for (int i = 0; i < 2 * b->n; ++i) out[j] += b->w[i] * b->J[i * b->size + j];
    }
}

static void put_pair(void *user, ac_by by1, int i, ac_by by2, int j, double value)
{
    bench *b = user;
    int k = place_of(b, by1, i), l = place_of(b, by2, j);
    b->H[k * b->size + l] += value;
    if (k != l) b->H[l * b->size + k] += value;
}

static void put_curvature_block(void *user, const ac_curvature_block *block)
{
    for (int i = 0; i < block->size; ++i)
        for (int j = 0; j < block->size; ++j) {
            int e = i * block->size + j;
            if (block->aa && j <= i)
                put_pair(user, AC_BY_A, block->at[i], AC_BY_A, block->at[j], block->aa[e]);
            if (block->bb && j <= i)
                put_pair(user, AC_BY_B, block->at[i], AC_BY_B, block->at[j], block->bb[e]);
            if (block->ab) put_pair(user, AC_BY_A, block->at[i], AC_BY_B, block->at[j], block->ab[e]);
        }
}

/* --- checks; each says whether the term does something here --- */

static bool check_first(bench *b)
{
    int rows = 2 * b->n;
    double *J = numbers(rows * b->size), *numeric = numbers(rows * b->size);
    slopes(b, b->z);
    memcpy(J, b->J, (size_t)(rows * b->size) * sizeof *J);
    difference_jacobian(values, b, b->size, rows, b->z, numeric);
    double size = largest_entry(rows * b->size, J);
    CHECK_NEAR(largest_difference(rows * b->size, J, numeric) / fmax(size, 1.0), 0.0, 1e-10);
    free(J);
    free(numeric);
    return size > 0.0;
}

static void check_pull(bench *b)
{
    double *expected = numbers(b->size), *found = numbers(2 * b->n);
    const ac_pullback out = {.a = found, .b = found + b->n};
    pulled(b, b->z, expected);
    b->term->pull(&b->interval, at(b, b->z), b->w, b->w + b->n, &out);
    CHECK_NEAR(largest_difference(2 * b->n, expected, found) / fmax(largest_entry(2 * b->n, expected), 1.0),
               0.0, 1e-12);
    free(expected);
    free(found);
}

static void check_second(bench *b)
{
    const ac_curvature_sinks sinks = {put_pair, put_curvature_block};
    double *numeric = numbers(b->size * b->size);
    memset(b->H, 0, (size_t)b->size * (size_t)b->size * sizeof *b->H);
    if (b->term->curvature) b->term->curvature(&b->interval, at(b, b->z), true, b->w, b->w + b->n, &sinks, b);
    difference_jacobian(pulled, b, b->size, b->size, b->z, numeric);
    double size = fmax(largest_entry(b->size * b->size, b->H), 1.0);
    CHECK_NEAR(largest_difference(b->size * b->size, b->H, numeric) / size, 0.0, 1e-9);
    free(numeric);
}

/* left and right are the gradient of the part of L_d, where nothing is damped. */
static void check_action(bench *b)
{
    const double e = 1e-5;
    double *sides = numbers(2 * b->n);
    for (int k = 0; k < b->interval.spring_count; ++k) b->interval.springs[k].damping = 0.0;
    values(b, b->z, sides);
    for (int i = 0; i < 2 * b->n; ++i) {
        double kept = b->z[i];
        b->z[i] = kept + e;
        double up = action(b, b->z);
        b->z[i] = kept - e;
        double down = action(b, b->z);
        b->z[i] = kept;
        CHECK_NEAR((up - down) / (2.0 * e), sides[i], 1e-6 * fmax(largest_entry(2 * b->n, sides), 1.0));
    }
    free(sides);
}

TEST(every_term_alone)
{
    dice d = {29};
    for (int t = 0; ac_terms[t]; ++t) {
        bool acts = false;
        for (int k = 0; k < SYSTEMS; ++k)
            for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
                bench b;
                bool secant = strcmp(*scheme, "energy-momentum") == 0;
                if (ac_scheme_find(*scheme)->stations == AC_NO_STATIONS) continue; /* for simulation only */
                if (k == DUAL_BEAM && strcmp(*scheme, "trapezoidal") != 0) continue;
                open_bench(&b, k, *scheme, &d);
                b.term = ac_terms[t];
                acts |= check_first(&b);
                if (b.term->pull) check_pull(&b);
                if (!secant) check_second(&b);
                if (!secant && b.term->action) check_action(&b);
                close_bench(&b);
            }
        if (!acts) printf("%s\n", ac_terms[t]->name);
        CHECK(acts);
    }
}

/* The functions of the interval are the sums over the rows. */
TEST(the_interval_is_their_sum)
{
    dice d = {31};
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
        bench b;
        if (ac_scheme_find(*scheme)->stations == AC_NO_STATIONS) continue;
        open_bench(&b, BODIES, *scheme, &d);
        double *whole = numbers(2 * b.n), *sum = numbers(2 * b.n), *own = numbers(2 * b.n), L = 0.0;
        ac_discrete_values(&b.interval, at(&b, b.z), whole, whole + b.n);
        for (int t = 0; ac_terms[t]; ++t) {
            b.term = ac_terms[t];
            values(&b, b.z, own);
            if (b.term->action) L += action(&b, b.z);
            for (int i = 0; i < 2 * b.n; ++i) sum[i] += own[i];
        }
        CHECK_NEAR(largest_difference(2 * b.n, whole, sum) / largest_entry(2 * b.n, whole), 0.0, 1e-14);
        CHECK_NEAR(ac_discrete_action(&b.interval, at(&b, b.z)) / L, 1.0, 1e-14);
        free(whole);
        free(sum);
        free(own);
        close_bench(&b);
    }
}

RUN_TESTS(CASE(every_term_alone), CASE(the_interval_is_their_sum))
