/* One action: the interval that optimal control differentiates is the one that the simulator steps with. For the
 * mechanisms of the tests, beams of every kind and the examples, at arbitrary configurations: left, right and the slopes
 * of left by q_b in every scheme; then all first derivatives against differences, and second ones against differences of
 * transposed products. */
#include <glob.h>
#include <stdlib.h>

#include "actio/beam.h"
#include "actio/problem.h"
#include "action/interval.h"
#include "action/scheme/scheme.h"
#include "integrate/stepper.h"
#include "support/beams.h"
#include "support/mechanisms.h"
#include "support/record.h"
#include "test.h"

/* --- both sides of the comparison ------------------------------------------------------------------------- */

typedef struct both {
    const ac_system *system;
    ac_stepper stepper;
    ac_discrete discrete;
    ac_discrete_point point;
    double *a, *b, *tau, *near;
} both;

static bool open_both(both *x, ac_context *ctx, const ac_system *system, const char *scheme, double h,
                      dice *d)
{
    ac_simulation_settings settings = record_settings(scheme, "multipliers", h);
    memset(x, 0, sizeof *x);
    if (ac_scheme_find(scheme)->stations == AC_NO_STATIONS) return false; /* for simulation only */
    x->system = system;
    CHECK(ac_stepper_create(&x->stepper, ctx, system, &settings) == AC_OK);
    CHECK(ac_interval_open(ctx, system, scheme, NULL, NULL, &x->discrete) == AC_OK);
    if (!x->discrete.ctx) return false;
    x->a = numbers(system->n);
    x->b = numbers(system->n);
    x->tau = numbers(x->discrete.input_count);
    x->near = numbers(system->measure_count);
    rig_moved(d, system, x->a);
    rig_moved(d, system, x->b);
    memcpy(x->near, x->stepper.winding, (size_t)system->measure_count * sizeof *x->near);
    ac_discrete_load_values(&x->discrete, 0.0, h, x->tau);
    x->point = (ac_discrete_point){.a = x->a, .b = x->b, .tau = x->tau, .winding = x->near, .h = h};
    return true;
}

static void close_both(both *x)
{
    ac_stepper_destroy(&x->stepper);
    ac_discrete_destroy(&x->discrete);
    free(x->a);
    free(x->b);
    free(x->tau);
    free(x->near);
}

typedef struct dense {
    const ac_system *system;
    double *by[2][2]; /* side, end: n x n; NULL: not asked for */
    double *inputs[2], *step[2];
    int input_count;
} dense;

static void put_node_block(void *target, const int *nodes, int count, const double *block, int size)
{
    const dense *t = target;
    int at[AC_ELEMENT_MAX];
    ac_block_coordinates(t->system, nodes, count, at);
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) t->by[0][1][at[i] * t->system->n + at[j]] -= block[i * size + j];
}

static void put_entry(void *user, int side, int row, ac_by by, int column, double value)
{
    const dense *t = user;
    if (by <= AC_BY_B) t->by[side][by][row * t->system->n + column] += value;
    if (by == AC_BY_TAU) t->inputs[side][row * t->input_count + column] += value;
    if (by == AC_BY_H) t->step[side][row] += value;
}

static void put_block(void *user, const ac_slope_block *b)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; (b->sides & (1 << side)) && i < b->rows; ++i)
            for (int j = 0; j < b->size; ++j) {
                if (b->by_a) put_entry(user, side, b->at[i], AC_BY_A, b->at[j], b->by_a[i * b->size + j]);
                if (b->by_b) put_entry(user, side, b->at[i], AC_BY_B, b->at[j], b->by_b[i * b->size + j]);
            }
}

static void open_dense(dense *t, const both *x)
{
    int n = x->system->n;
    *t = (dense){.system = x->system, .input_count = x->discrete.input_count};
    for (int side = 0; side < 2; ++side) {
        for (int end = 0; end < 2; ++end) t->by[side][end] = numbers(n * n);
        t->inputs[side] = numbers(n * t->input_count);
        t->step[side] = numbers(n);
    }
}

static void close_dense(dense *t)
{
    for (int side = 0; side < 2; ++side) {
        for (int end = 0; end < 2; ++end) free(t->by[side][end]);
        free(t->inputs[side]);
        free(t->step[side]);
    }
}

/* Largest difference relative to the largest number. */
static double off(int n, const double *x, const double *y)
{
    double size = fmax(largest_entry(n, x), largest_entry(n, y));
    return size > 0.0 ? largest_difference(n, x, y) / size : 0.0;
}

/* left and right of the simulator; for energy-momentum its right is 2 M v - p. */
static void simulate(both *x, double *left, double *right)
{
    ac_stepper *s = &x->stepper;
    size_t bytes = (size_t)x->system->n * sizeof *left;
    memcpy(s->qa, x->a, bytes);
    memcpy(s->qb, x->b, bytes);
    s->interval.t = 0.0;
    s->scheme->begin(&s->interval);
    ac_stepper_evaluate(s);
    memcpy(left, s->left, bytes);
    for (int i = 0; i < x->system->n; ++i) s->p[i] = -left[i];
    s->scheme->right(&s->interval, s->p, right);
}

static void compare(ac_context *ctx, const ac_system *system, const char *scheme, double h, dice *d,
                    double tolerance)
{
    both x;
    if (!open_both(&x, ctx, system, scheme, h, d)) return;
    int n = system->n;
    double *left[2] = {numbers(n), numbers(n)}, *right[2] = {numbers(n), numbers(n)};
    dense own, simulated;
    open_dense(&own, &x);
    open_dense(&simulated, &x);
    simulate(&x, left[0], right[0]);
    ac_discrete_values(&x.discrete, &x.point, left[1], right[1]);
    CHECK_NEAR(off(n, left[0], left[1]), 0.0, tolerance);
    CHECK_NEAR(off(n, right[0], right[1]), 0.0, tolerance);
    ac_discrete_slopes(&x.discrete, &x.point, false, &(ac_slope_sinks){put_entry, put_block}, &own);
    ac_stepper_slopes(&x.stepper, put_node_block, &simulated);
    for (int k = 0; k < system->inertia.count; ++k)
        for (int i = 0; i < system->inertia.entries[k].dimension; ++i)
            simulated.by[0][1][(system->inertia.entries[k].row + i) * n + system->inertia.entries[k].column +
                               i] -= system->inertia.entries[k].coefficient / h;
    CHECK_NEAR(off(n * n, own.by[0][1], simulated.by[0][1]), 0.0, tolerance);
    for (int k = 0; k < 2; ++k) {
        free(left[k]);
        free(right[k]);
    }
    close_dense(&own);
    close_dense(&simulated);
    close_both(&x);
}

/* --- systems ---------------------------------------------------------------------------------------------- */

static void beam_of(rig *r, ac_beam_model model, int order)
{
    const beam_data data = {.model = model,
                            .elements = 2,
                            .length = 1.0,
                            .shear = 40.0,
                            .axial = 70.0,
                            .bending = {3.0, 2.0},
                            .torsion = 1.5,
                            .mass = 0.8,
                            .inertia = 0.02,
                            .damping = 0.05,
                            .order = order};
    rig_gravity(r, 0.2, 0, -9.81);
    add_viscous(r->system, "beam", &data, (const double[2]){0.02, 0.07}, NULL);
}

static void director_beam(rig *r)
{
    beam_of(r, AC_BEAM_DIRECTOR, 1);
}

static void high_beam(rig *r)
{
    beam_of(r, AC_BEAM_DIRECTOR, 2);
}

static void vertex_rod(rig *r)
{
    beam_of(r, AC_BEAM_VERTEX, 1);
}

static void edge_rod(rig *r)
{
    beam_of(r, AC_BEAM_EDGE, 1);
}

/* An energy of strains and a potential along the beam, both given as functions. */
static void hyperelastic(rig *r, ac_beam_model model, int order)
{
    static const char *const texts[2] = {"(1+s)*cosh(u1)+exp(0.3*u2)-0.3*u2+u3^2/"
                                         "2+0.1*u3^4+40*(v1^2+v2^2)+90*(v3-1-log(v3))+2*u1*v2*v1+3*u2*(v3-1)",
                                         "3*z+2*sin(x)*y+x*z^2+s*y"};
    beam_of(r, model, order);
    for (int kind = 0; kind < 2; ++kind) {
        ac_expression *energy = NULL;
        CHECK(ac_beam_energy_parse(r->ctx, kind, texts[kind], NULL, NULL, NULL, &energy) == AC_OK);
        CHECK(ac_system_add_beam_energy(r->system, 0, kind, energy) == AC_OK);
        ac_expression_free(energy);
    }
}

static void hyperelastic_beam(rig *r)
{
    hyperelastic(r, AC_BEAM_DIRECTOR, 1);
}

static void hyperelastic_high_beam(rig *r)
{
    hyperelastic(r, AC_BEAM_DIRECTOR, 2);
}

static void hyperelastic_rod(rig *r)
{
    hyperelastic(r, AC_BEAM_VERTEX, 1);
}

/* Springs of length zero: one whose ends meet, one with a damper whose ends do not. */
static void meeting_springs(rig *r)
{
    const double J[3] = {0.05, 0.11, 0.08}, centre[3] = {0.5, 0.2, -0.1}, there[3] = {0.9, 0.1, 0.3};
    rig_gravity(r, 0, 0, -9.81);
    int body = rig_body(r, "bob", 1.7, J, centre, NULL);
    rig_spring(r, body, AC_GROUND, centre, centre, 40.0, 0.0, 0.0);
    rig_spring(r, body, AC_GROUND, centre, there, 30.0, 2.0, 0.0);
    rig_torque(r, body, false, "0.3", "-0.2+t", "0.7");
    rig_torque(r, body, true, "0.1", "0.2", "-0.4");
}

/* Every kind of load on every kind of node that takes it, and on joint coordinates. */
static void all_loads(rig *r)
{
    const double x[3] = {0.3, -0.2, 0.5}, at[3] = {0.1, 0.6, -0.3}, flat[3] = {0.2, 0.5, 0}, z[3] = {0, 0, 1},
                 J[3] = {0.05, 0.11, 0.08};
    int body = rig_body(r, "body", 1.2, J, x, NULL),
        planar = rig_planar(r, "planar", 1.0, 0.3, 0.4, 0.1, 0.9),
        point = rig_point(r, "point", 1.0, 3, 1, 2, 3);
    rig_gravity(r, 0.3, -9.81, 0);
    rig_force(r, body, at, false, "1.2", "-0.5", "2*t");
    rig_force(r, body, at, true, "0.7", "1-t", "0.4");
    rig_torque(r, body, false, "0.3", "-1.1", "0.6");
    rig_torque(r, body, true, "0.8", "0.2", "-0.9");
    rig_force(r, planar, flat, false, "0.4", "1.3", NULL);
    rig_force(r, planar, flat, true, "-0.6", "0.9", NULL);
    rig_torque(r, planar, false, NULL, NULL, "0.7");
    rig_torque(r, planar, true, NULL, NULL, "-0.4");
    rig_force(r, point, at, false, "1", "2", "3");
    int pin = rig_joint(r, "pin", AC_REVOLUTE, AC_GROUND, planar, flat, z, flat);
    rig_joint_load(r, pin, 0, "-0.3+t");
}

static const mechanism more[] = {
    {"director beam", director_beam, 0.01, true, false},
    {"beam of order 2", high_beam, 0.01, true, false},
    {"rod with strains at vertices", vertex_rod, 0.01, true, false},
    {"rod with strains on edges", edge_rod, 0.01, true, false},
    {"hyperelastic beam", hyperelastic_beam, 0.01, true, false},
    {"hyperelastic beam of order 2", hyperelastic_high_beam, 0.01, true, false},
    {"hyperelastic rod", hyperelastic_rod, 0.01, true, false},
    {"loads", all_loads, 0.01, false, false},
    {"springs of length zero", meeting_springs, 0.01, false, false},
};
enum { MORE = sizeof more / sizeof *more, MOST = 60 }; /* coordinates, where matrices are dense */

static int systems(void)
{
    return mechanism_count + MORE;
}

static void draw(int k, rig *r)
{
    rig_open(r, NULL);
    (k < mechanism_count ? &mechanisms[k] : &more[k - mechanism_count])->draw(r);
    CHECK(rig_finish(r) == AC_OK);
}

/* What the derivative tests below have gone through: kinds of the table, and loads and controls on everything. */
enum { KINDS_MAX = 16, ACTIONS = 7 };
static bool kinds_seen[2][KINDS_MAX], loads_seen[2][ACTIONS];

static void note(const ac_system *system, int order)
{
    for (int t = 0; ac_element_kinds[t] && t < KINDS_MAX; ++t)
        kinds_seen[order][t] = kinds_seen[order][t] || ac_element_kinds[t]->count(system) > 0;
    for (int k = 0; k < system->load_count; ++k) {
        const ac_load_data *load = &system->loads[k];
        int flat = load->node != AC_GROUND && ac_node_turns(&system->nodes[load->node]) == 1;
        int what = load->measure >= 0            ? 0
                   : load->type == AC_LOAD_FORCE ? 1 + (load->follows ? 1 : 0)
                                                 : 3 + 2 * flat + (load->follows ? 1 : 0);
        loads_seen[order][what] = true;
    }
}

TEST(simulator_and_optimiser_have_the_same_interval)
{
    dice d = {3};
    for (int k = 0; k < systems(); ++k) {
        rig r;
        draw(k, &r);
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            compare(r.ctx, r.system, *scheme, 0.1, &d, 1e-12);
        rig_close(&r);
    }
}

/* Ends of a spring of length zero that meet exactly, at both ends of the interval. */
TEST(springs_whose_ends_meet)
{
    dice d = {5};
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
        rig r;
        both x;
        double left[2][12], right[2][12];
        draw(systems() - 1, &r);
        if (!open_both(&x, r.ctx, r.system, *scheme, 0.1, &d)) {
            rig_close(&r);
            continue;
        }
        memcpy(x.a, r.system->initial.q, 12 * sizeof *x.a);
        memcpy(x.b, r.system->initial.q, 12 * sizeof *x.b);
        simulate(&x, left[0], right[0]);
        ac_discrete_values(&x.discrete, &x.point, left[1], right[1]);
        CHECK_NEAR(off(12, left[0], left[1]), 0.0, 1e-13);
        CHECK_NEAR(off(12, right[0], right[1]), 0.0, 1e-13);
        close_both(&x);
        rig_close(&r);
    }
}

TEST(the_examples_too)
{
    enum { MOST_COORDINATES = 150 }; /* the matrices compared are dense */
    glob_t found;
    dice d = {7};
    int read = 0;
    CHECK(glob("examples/*/*.yaml", 0, NULL, &found) == 0);
    for (size_t k = 0; k < found.gl_pathc; ++k) {
        if (strstr(found.gl_pathv[k], "/reproduce/"))
            continue; /* experiments, whose systems are among the others */
        ac_context *ctx = ac_context_new(NULL);
        ac_problem *problem = NULL;
        CHECK(ac_problem_read(ctx, found.gl_pathv[k], NULL, 0, &problem) == AC_OK);
        const ac_system *system = problem ? ac_problem_system(problem) : NULL;
        bool compared = system && system->n <= MOST_COORDINATES && system->contact_count == 0 &&
                        system->mesh.dual_nodes == 0; /* test_dual_beam.c */
        for (const char *const *scheme = ac_scheme_names(); compared && *scheme; ++scheme)
            compare(ctx, system, *scheme, 0.01, &d, 1e-11);
        read += compared;
        ac_problem_free(problem);
        ac_context_free(ctx);
    }
    CHECK(read >= 20);
    globfree(&found);
}

/* --- derivatives ------------------------------------------------------------------------------------------ */

enum { BY_A, BY_B, BY_INPUTS, BY_STEP };

typedef struct moving {
    both *x;
    int by;
    const double *w[2]; /* NULL: values, else their transposed products by `pulled` */
    int pulled;
} moving;

static double *moved(const moving *m)
{
    both *x = m->x;
    return m->by == BY_A ? x->a : m->by == BY_B ? x->b : m->by == BY_INPUTS ? x->tau : &x->point.h;
}

static int width_of(const both *x, int by)
{
    return by == BY_STEP ? 1 : by == BY_INPUTS ? x->discrete.input_count : x->system->n;
}

static void pull_at(both *x, const double *const w[2], int by, double *out)
{
    ac_pullback pull = {0};
    double *to[4] = {0};
    memset(out, 0, (size_t)width_of(x, by) * sizeof *out);
    to[by] = out;
    pull.a = to[BY_A];
    pull.b = to[BY_B];
    pull.inputs = to[BY_INPUTS];
    pull.step = to[BY_STEP];
    ac_discrete_pullback(&x->discrete, &x->point, w[0], w[1], &pull);
}

static void evaluate(void *user, const double *at, double *out)
{
    const moving *m = user;
    int n = m->x->system->n, width = width_of(m->x, m->by);
    double *own = moved(m), *kept = numbers(width);
    memcpy(kept, own, (size_t)width * sizeof *own);
    memcpy(own, at, (size_t)width * sizeof *own);
    if (m->w[0])
        pull_at(m->x, m->w, m->pulled, out);
    else
        ac_discrete_values(&m->x->discrete, &m->x->point, out, out + n);
    memcpy(own, kept, (size_t)width * sizeof *own);
    free(kept);
}

/* Slopes by one variable as a (2 n) x width matrix. */
static void gather(const dense *t, int by, int width, double *J)
{
    int n = t->system->n;
    for (int side = 0; side < 2; ++side) {
        const double *from = by == BY_STEP     ? t->step[side]
                             : by == BY_INPUTS ? t->inputs[side]
                                               : t->by[side][by];
        memcpy(J + side * n * width, from, (size_t)(n * width) * sizeof *J);
    }
}

static void check_first(both *x)
{
    int n = x->system->n;
    dense t;
    open_dense(&t, x);
    for (int k = 0; k < x->discrete.input_count; ++k)
        x->discrete.inputs[k].load = NULL; /* all are controls now */
    ac_discrete_slopes(&x->discrete, &x->point, true, &(ac_slope_sinks){put_entry, put_block}, &t);
    for (int by = BY_A; by <= BY_STEP; ++by) {
        int width = width_of(x, by);
        if (width == 0) continue;
        double *J = numbers(2 * n * width);
        moving m = {x, by, {NULL, NULL}, 0};
        gather(&t, by, width, J);
        double *at = numbers(width);
        memcpy(at, moved(&m), (size_t)width * sizeof *at);
        CHECK_NEAR(jacobian_error(evaluate, &m, width, 2 * n, at, J), 0.0, 1e-9);
        free(at);
        free(J);
    }
    close_dense(&t);
}

TEST(first_derivatives_by_everything)
{
    dice d = {11};
    for (int k = 0; k < systems(); ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            rig r;
            both x;
            draw(k, &r);
            if (r.system->n <= MOST && open_both(&x, r.ctx, r.system, *scheme, 0.1, &d)) {
                check_first(&x);
                note(r.system, 0);
                close_both(&x);
            }
            rig_close(&r);
        }
}

typedef struct second {
    int width[4], start[4], size;
    double *H;
} second;

static int place_of(const second *s, ac_by by, int i)
{
    return s->start[by == AC_BY_A ? BY_A : by == AC_BY_B ? BY_B : by == AC_BY_TAU ? BY_INPUTS : BY_STEP] + i;
}

static void put_pair(void *user, ac_by by1, int i, ac_by by2, int j, double value)
{
    const second *s = user;
    int a = place_of(s, by1, i), b = place_of(s, by2, j);
    s->H[a * s->size + b] += value;
    if (a != b) s->H[b * s->size + a] += value;
}

static void put_curvature_block(void *user, const ac_curvature_block *b)
{
    for (int i = 0; i < b->size; ++i)
        for (int j = 0; j < b->size; ++j) {
            int e = i * b->size + j;
            if (b->aa && j <= i) put_pair(user, AC_BY_A, b->at[i], AC_BY_A, b->at[j], b->aa[e]);
            if (b->bb && j <= i) put_pair(user, AC_BY_B, b->at[i], AC_BY_B, b->at[j], b->bb[e]);
            if (b->ab) put_pair(user, AC_BY_A, b->at[i], AC_BY_B, b->at[j], b->ab[e]);
        }
}

/* Second derivatives along weights against differences of transposed products. */
static void check_second(both *x, dice *d)
{
    int n = x->system->n;
    second s = {.size = 0};
    for (int by = 0; by < 4; ++by) {
        s.width[by] = width_of(x, by);
        s.start[by] = s.size;
        s.size += s.width[by];
    }
    s.H = numbers(s.size * s.size);
    double *w[2] = {numbers(n), numbers(n)};
    dice_vector(d, n, 1.0, w[0]);
    dice_vector(d, n, 1.0, w[1]);
    for (int k = 0; k < x->discrete.input_count; ++k) x->discrete.inputs[k].load = NULL;
    ac_discrete_curvature(&x->discrete, &x->point, true, w[0], w[1],
                          &(ac_curvature_sinks){put_pair, put_curvature_block}, &s);
    for (int by = 0; by < 4; ++by)
        for (int pulled = 0; pulled < 4; ++pulled) {
            int width = s.width[by], rows = s.width[pulled];
            if (width == 0 || rows == 0) continue;
            moving m = {x, by, {w[0], w[1]}, pulled};
            double *J = numbers(rows * width), *numeric = numbers(rows * width), *at = numbers(width);
            for (int i = 0; i < rows; ++i)
                for (int j = 0; j < width; ++j)
                    J[i * width + j] = s.H[(s.start[pulled] + i) * s.size + s.start[by] + j];
            memcpy(at, moved(&m), (size_t)width * sizeof *at);
            difference_jacobian(evaluate, &m, width, rows, at, numeric);
            double size = fmax(largest_entry(s.size * s.size, s.H), 1.0);
            CHECK_NEAR(largest_difference(rows * width, J, numeric) / size, 0.0, 1e-8);
            free(J);
            free(numeric);
            free(at);
        }
    free(w[0]);
    free(w[1]);
    free(s.H);
}

TEST(second_derivatives_along_weights)
{
    dice d = {13};
    for (int k = 0; k < systems(); ++k)
        for (int scheme = 0; scheme < 2; ++scheme) {
            rig r;
            both x;
            draw(k, &r);
            if (r.system->n <= MOST &&
                open_both(&x, r.ctx, r.system, scheme == 0 ? "midpoint" : "trapezoidal", 0.1, &d)) {
                check_second(&x, &d);
                note(r.system, 1);
                close_both(&x);
            }
            rig_close(&r);
        }
}

/* A kind that joins the table must come to the tests above; beams of dual quaternions have a file of their own. */
TEST(the_whole_table_is_differentiated)
{
    extern const ac_element_kind ac_element_dual_beam;
    CHECK(ac_element_kind_count() <= KINDS_MAX);
    for (int order = 0; order < 2; ++order) {
        for (int t = 0; ac_element_kinds[t]; ++t)
            CHECK(kinds_seen[order][t] || ac_element_kinds[t] == &ac_element_dual_beam);
        for (int k = 0; k < ACTIONS; ++k) CHECK(loads_seen[order][k]);
    }
}

/* left and right are the derivatives of the discrete Lagrangian where nothing is damped and no input acts. */
TEST(momenta_are_derivatives_of_the_action)
{
    dice d = {17};
    for (int k = 0; k < mechanism_count; ++k)
        for (int scheme = 0; scheme < 2; ++scheme) {
            rig r;
            both x;
            draw(k, &r);
            if (mechanisms[k].conservative && r.system->load_count == 0 &&
                open_both(&x, r.ctx, r.system, scheme == 0 ? "midpoint" : "trapezoidal", 0.1, &d)) {
                double *left = numbers(r.system->n), *right = numbers(r.system->n);
                ac_discrete_values(&x.discrete, &x.point, left, right);
                for (int i = 0; i < r.system->n; i += 5) {
                    const double e = 1e-5, at = x.a[i];
                    x.a[i] = at + e;
                    double up = ac_discrete_action(&x.discrete, &x.point);
                    x.a[i] = at - e;
                    double down = ac_discrete_action(&x.discrete, &x.point);
                    x.a[i] = at;
                    CHECK_NEAR((up - down) / (2.0 * e), left[i],
                               1e-7 * (1.0 + largest_entry(r.system->n, left)));
                }
                free(left);
                free(right);
                close_both(&x);
            }
            rig_close(&r);
        }
}

RUN_TESTS(CASE(simulator_and_optimiser_have_the_same_interval), CASE(springs_whose_ends_meet),
          CASE(the_examples_too), CASE(first_derivatives_by_everything),
          CASE(second_derivatives_along_weights), CASE(the_whole_table_is_differentiated),
          CASE(momenta_are_derivatives_of_the_action))
