/* Beams of unit dual quaternions: their nodes, the discrete action with all derivatives, conserved quantities, orders, the
 * stability limit, and values that were computed independently. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "action/interval.h"
#include "action/relative.h"
#include "base/vector.h"
#include "integrate/stepper.h"
#include "support/numeric.h"
#include "support/record.h"
#include "test.h"

enum { MOST = 6 };

/* The square section of the reference: side 0.05, E = 5e4, nu = 0.35, density 1000. */
typedef struct setup {
    int elements;
    double young, poisson, density, side;
    double shear_viscosity, bulk_viscosity;
    double ambient[4];
    double direction; /* of the axis in the plane of z and x, from z */
    bool flying;      /* free, with the velocities of the reference */
    bool hinged;
    double gravity;
} setup;

static const setup SOFT = {.elements = 4, .young = 5e4, .poisson = 0.35, .density = 1000, .side = 0.05};

/* In the axes of the reference (axis along e1) d3 = e1, d1 = e2, d2 = e3. */
static void reference_frame(double angle, double R[9])
{
    double e1[3] = {cos(angle), sin(angle), 0}, e2[3] = {-sin(angle), cos(angle), 0}, e3[3] = {0, 0, 1};
    for (int i = 0; i < 3; ++i) {
        R[3 * i] = e2[i];
        R[3 * i + 1] = e3[i];
        R[3 * i + 2] = e1[i];
    }
}

static void planar_frame(double angle, double R[9])
{
    const double own[9] = {cos(angle), 0, sin(angle), 0, 1, 0, -sin(angle), 0, cos(angle)};
    memcpy(R, own, sizeof own);
}

/* Velocities of the reference, node by node: not those of a rigid motion. */
static void fly(ac_system *system, double angle)
{
    double c = cos(angle), s = sin(angle);
    for (int a = 0; a < system->node_count; ++a) {
        const ac_node *node = &system->nodes[a];
        double V[3] = {0.2, 0.1 * (a - 2), 0.2 * (0.8 * (a - 1.5) * (a - 1.5) - 0.5)};
        double W[3] = {0.2 * (a - 2), 0.4, -0.6};
        double twist[6] = {c * V[0] - s * V[1], s * V[0] + c * V[1], V[2],
                           c * W[0] - s * W[1], s * W[0] + c * W[1], W[2]};
        memcpy(system->initial.u + node->u, twist, sizeof twist);
        ac_node_tangent(node, system->initial.q + node->q, twist, system->initial.v + node->q);
    }
}

static ac_system *build(ac_context *ctx, const setup *s)
{
    ac_system *system = NULL;
    double A = s->side * s->side, I = A * A / 12.0, E = s->young, G = E / (2.0 * (1.0 + s->poisson));
    double ratio = E / G,
           extension = s->bulk_viscosity * (3 - ratio) * (3 - ratio) + s->shear_viscosity * ratio * ratio / 3;
    ac_pose frames[2 * MOST + 1];
    for (int k = 0; k <= s->elements; ++k) {
        double at = (double)k / s->elements, angle = s->flying ? 0.3 : s->direction;
        frames[k] = ac_pose_identity();
        if (s->flying) {
            reference_frame(angle, frames[k].rotation);
            frames[k].position[0] = at * cos(angle);
            frames[k].position[1] = at * sin(angle);
        } else {
            planar_frame(angle, frames[k].rotation);
            frames[k].position[0] = at * sin(angle);
            frames[k].position[2] = at * cos(angle);
        }
    }
    ac_beam beam = {.name = "rod",
                    .model = AC_BEAM_DUAL_QUATERNION,
                    .elements = s->elements,
                    .frames = frames,
                    .shear = {G * A, G * A},
                    .axial = E * A,
                    .bending = {E * I, E * I},
                    .torsion = 2 * G * I,
                    .mass = s->density * A,
                    .inertia = {s->density * I, s->density * I},
                    .relaxation = {s->shear_viscosity / G, extension / E},
                    .ambient = {s->ambient[0], s->ambient[1], s->ambient[2], s->ambient[3]}};
    int first = -1;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_beam(system, &beam, &first) == AC_OK);
    if (!s->flying) {
        const double g[3] = {-s->gravity, 0, 0};
        ac_joint joint = {
            .name = "support", .type = s->hinged ? AC_REVOLUTE : AC_FIXED, .a = AC_GROUND, .b = first};
        joint.frame_a = joint.frame_b = ac_pose_identity();
        if (s->hinged) { /* the axis of a hinge is z of its frames: y of the world */
            const double y_up[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0};
            memcpy(joint.frame_a.rotation, y_up, sizeof y_up);
            memcpy(joint.frame_b.rotation, y_up, sizeof y_up);
        } else {
            memcpy(joint.frame_a.rotation, frames[0].rotation, sizeof joint.frame_a.rotation);
        }
        CHECK(ac_system_set_gravity(system, g) == AC_OK);
        CHECK(ac_system_add_joint(system, &joint, NULL) == AC_OK);
    }
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    if (s->flying) fly(system, 0.3);
    return system;
}

/* --- nodes --- */

static void numbers_of(dice *d, const ac_system *system, double size, double *q)
{
    double increment[6 * (MOST + 1)];
    ac_joint_state state[MOST + 1];
    dice_vector(d, system->tree.freedoms, size, increment);
    memcpy(q, system->initial.q, (size_t)system->n * sizeof *q);
    ac_tree_move(system, increment, system->initial.state, state, q);
}

typedef struct pushed {
    const ac_system *system;
    double q[AC_NODE_MAX * (MOST + 1)], f[AC_NODE_MAX], twist[6];
} pushed;

/* (A(q) twist) . f of node 1 after a small motion e */
static void work_of(void *user, const double *e, double *y)
{
    const pushed *p = user;
    const ac_node *node = &p->system->nodes[1];
    ac_joint_state from[MOST + 1], state[MOST + 1];
    double q[AC_NODE_MAX * (MOST + 1)], increment[6 * (MOST + 1)] = {0}, dq[AC_NODE_MAX];
    memcpy(q, p->q, sizeof q);
    for (int i = 0; i < p->system->node_count; ++i)
        ac_joint_read_state(p->system, &p->system->nodes[i], q, &from[i]);
    memcpy(increment + node->u, e, 6 * sizeof *e);
    ac_tree_move(p->system, increment, from, state, q);
    ac_node_tangent(node, q + node->q, p->twist, dq);
    *y = 0.0;
    for (int i = 0; i < node->size; ++i) *y += dq[i] * p->f[i];
}

TEST(a_node_moves_on_its_constraints)
{
    ac_context *ctx;
    dice d = {11};
    setup s = SOFT;
    s.flying = true;
    ctx = ac_context_new(NULL);
    ac_system *system = build(ctx, &s);
    pushed p = {.system = system};
    double g[14 * (MOST + 1)], twist[6], v[AC_NODE_MAX * (MOST + 1)], along[14 * (MOST + 1)], wrench[6],
        zero[6] = {0};
    CHECK(system->constraints.count == 14 * system->node_count);
    numbers_of(&d, system, 0.4, p.q);
    ac_constraints_value(system, p.q, 0, g);
    CHECK(largest_entry(system->constraints.count, g) < 1e-15);
    dice_vector(&d, 6, 1.0, twist);
    for (int i = 0; i < system->node_count; ++i)
        ac_node_tangent(&system->nodes[i], p.q + system->nodes[i].q, twist, v + system->nodes[i].q);
    ac_constraints_along(system, p.q, v, along);
    CHECK(largest_entry(system->constraints.count, along) < 1e-14);
    dice_vector(&d, AC_NODE_MAX, 1.0, p.f);
    dice_vector(&d, 6, 1.0, p.twist);
    const ac_node *node = &system->nodes[1];
    ac_node_wrench_slope(node, p.q + node->q, p.f, p.twist, wrench);
    CHECK(jacobian_error(work_of, &p, 6, 1, zero, wrench) < 1e-9);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* --- the interval --- */

typedef struct interval {
    ac_discrete discrete;
    ac_discrete_point point;
    const ac_system *system;
    const double *wl, *wr; /* gradients of wl . left + wr . right instead of both */
} interval;

static const double STEP = 0.01;

/* z = (a, b, h over STEP): left and right, or the transposed product by z */
static void values_at(void *user, const double *z, double *y)
{
    interval *x = user;
    int n = x->system->n;
    x->point.a = z;
    x->point.b = z + n;
    x->point.h = STEP * z[2 * n];
    if (!x->wl) {
        ac_discrete_values(&x->discrete, &x->point, y, y + n);
        return;
    }
    for (int i = 0; i <= 2 * n; ++i) y[i] = 0.0;
    ac_discrete_pullback(&x->discrete, &x->point, x->wl, x->wr,
                         &(ac_pullback){.a = y, .b = y + n, .step = y + 2 * n});
    y[2 * n] *= STEP;
}

typedef struct matrix_sink {
    double *entries;
    int n, columns;
    bool second;
} matrix_sink;

/* by h: of derivatives by h over STEP */
static double factor_of(ac_by by)
{
    return by == AC_BY_H ? STEP : 1.0;
}

static int column_of(const matrix_sink *m, ac_by by, int i)
{
    return by == AC_BY_A ? i : by == AC_BY_B ? m->n + i : 2 * m->n;
}

static void put_slope(void *user, int side, int row, ac_by by, int column, double value)
{
    matrix_sink *m = user;
    if (by != AC_BY_TAU)
        m->entries[(side * m->n + row) * m->columns + column_of(m, by, column)] += factor_of(by) * value;
}

static void put_slopes(void *user, const ac_slope_block *b)
{
    for (int side = 0; side < 2; ++side)
        for (int i = 0; (b->sides & (1 << side)) && i < b->rows; ++i)
            for (int j = 0; j < b->size; ++j) {
                if (b->by_a) put_slope(user, side, b->at[i], AC_BY_A, b->at[j], b->by_a[i * b->size + j]);
                if (b->by_b) put_slope(user, side, b->at[i], AC_BY_B, b->at[j], b->by_b[i * b->size + j]);
            }
}

static void put_pair(matrix_sink *m, int i, int j, double value)
{
    m->entries[i * m->columns + j] += value;
}

static void put_curve(void *user, ac_by by1, int i, ac_by by2, int j, double value)
{
    matrix_sink *m = user;
    if (by1 == AC_BY_TAU || by2 == AC_BY_TAU) return;
    int a = column_of(m, by1, i), b = column_of(m, by2, j);
    value *= factor_of(by1) * factor_of(by2);
    put_pair(m, a, b, value);
    if (a != b) put_pair(m, b, a, value);
}

static void put_curves(void *user, const ac_curvature_block *b)
{
    matrix_sink *m = user;
    for (int i = 0; i < b->size; ++i)
        for (int j = 0; j < b->size; ++j) {
            int e = i * b->size + j, a = b->at[i], c = b->at[j];
            if (b->aa) put_pair(m, a, c, b->aa[e]);
            if (b->bb) put_pair(m, m->n + a, m->n + c, b->bb[e]);
            if (b->ab) put_pair(m, a, m->n + c, b->ab[e]);
            if (b->ab) put_pair(m, m->n + c, a, b->ab[e]);
        }
}

static void check_interval(const setup *s)
{
    ac_context *ctx;
    dice d = {21};
    ctx = ac_context_new(NULL);
    ac_system *system = build(ctx, s);
    int n = system->n, size = 2 * n + 1;
    interval x = {.system = system};
    ac_stepper stepper = {0};
    ac_simulation_settings settings = record_settings("trapezoidal", "reduced", 1e-4);
    double *z = numbers(size), *right = numbers(n), *J = numbers(size * size), *w = numbers(2 * n);
    CHECK(ac_stepper_create(&stepper, ctx, system, &settings) == AC_OK);
    CHECK(ac_interval_open(ctx, system, "trapezoidal", NULL, NULL, &x.discrete) == AC_OK);
    x.point.winding = stepper.winding;
    numbers_of(&d, system, 0.1, z);
    numbers_of(&d, system, 0.1, z + n);
    z[2 * n] = 1.0;
    /* the same numbers as the simulator */
    memcpy(stepper.qa, z, (size_t)n * sizeof *z);
    memcpy(stepper.qb, z + n, (size_t)n * sizeof *z);
    stepper.interval.h = STEP;
    stepper.scheme->begin(&stepper.interval);
    ac_stepper_evaluate(&stepper);
    stepper.scheme->right(&stepper.interval, NULL, right);
    x.point.a = z;
    x.point.b = z + n;
    x.point.h = STEP;
    double *mine = numbers(2 * n);
    ac_discrete_values(&x.discrete, &x.point, mine, mine + n);
    double scale = largest_entry(2 * n, mine);
    CHECK(largest_difference(n, mine, stepper.left) < 1e-13 * scale);
    CHECK(largest_difference(n, mine + n, right) < 1e-13 * scale);
    /* first and second derivatives */
    matrix_sink m = {J, n, size, false};
    const ac_slope_sinks slopes = {put_slope, put_slopes};
    ac_discrete_slopes(&x.discrete, &x.point, true, &slopes, &m);
    CHECK(jacobian_error(values_at, &x, size, 2 * n, z, J) < 1e-8);
    dice_vector(&d, 2 * n, 1.0, w);
    x.wl = w;
    x.wr = w + n;
    memset(J, 0, (size_t)size * (size_t)size * sizeof *J);
    const ac_curvature_sinks curves = {put_curve, put_curves};
    x.point.a = z;
    x.point.b = z + n;
    x.point.h = STEP;
    ac_discrete_curvature(&x.discrete, &x.point, true, w, w + n, &curves, &m);
    CHECK(jacobian_error(values_at, &x, size, size, z, J) < 1e-8);
    /* the transposed product that adjoints take */
    double *fast = numbers(2 * n), *slow = numbers(2 * n + 1), step = 0.0;
    x.point.a = z;
    x.point.b = z + n;
    x.point.h = STEP;
    ac_discrete_pullback(&x.discrete, &x.point, w, w + n, &(ac_pullback){.a = fast, .b = fast + n});
    ac_discrete_pullback(&x.discrete, &x.point, w, w + n,
                         &(ac_pullback){.a = slow, .b = slow + n, .step = &step});
    CHECK(largest_difference(2 * n, fast, slow) < 1e-13 * largest_entry(2 * n, slow));
    free(fast);
    free(slow);
    free(z);
    free(right);
    free(J);
    free(w);
    free(mine);
    ac_discrete_destroy(&x.discrete);
    ac_stepper_destroy(&stepper);
    ac_system_free(system);
    ac_context_free(ctx);
}

TEST(the_interval_has_exact_derivatives)
{
    setup s = SOFT;
    s.elements = 2;
    s.gravity = 9.81;
    check_interval(&s);
    s.hinged = true;
    s.shear_viscosity = 10;
    s.bulk_viscosity = 1;
    s.ambient[0] = 1e-3;
    s.ambient[1] = 2.5;
    s.ambient[2] = 0.02;
    s.ambient[3] = 125;
    check_interval(&s);
}

/* --- motions --- */

typedef struct run {
    ac_context *ctx;
    ac_system *system;
    ac_stepper stepper;
} run;

static void start_run(run *r, const setup *s, double h)
{
    ac_simulation_settings settings = record_settings("trapezoidal", "auto", h);
    memset(r, 0, sizeof *r);
    r->ctx = ac_context_new(NULL);
    r->system = build(r->ctx, s);
    CHECK(ac_stepper_create(&r->stepper, r->ctx, r->system, &settings) == AC_OK);
}

static void end_run(run *r)
{
    ac_stepper_destroy(&r->stepper);
    ac_system_free(r->system);
    ac_context_free(r->ctx);
}

static void step(run *r, int count)
{
    for (int k = 0; k < count; ++k) {
        CHECK(ac_stepper_solve(&r->stepper) == AC_OK);
        ac_stepper_advance(&r->stepper);
    }
}

static double interval_energy(const run *r)
{
    const ac_interval *iv = &r->stepper.interval;
    return ac_relative_energy(r->system, iv->qa, iv->qb, iv->h, NULL) + r->stepper.scheme->potential(iv);
}

static const double LINEAR[3] = {0.4776682446, 0.1477601033, 0.45},
                    ANGULAR[3] = {0.1107585108, -0.358052155, 0.0934375};

TEST(a_free_beam_keeps_its_momenta_and_energy)
{
    setup s = SOFT;
    run r;
    double origin[3] = {0, 0, 0}, linear[3], angular[3], low = INFINITY, high = -INFINITY;
    s.flying = true;
    start_run(&r, &s, 1e-3);
    for (int k = 0; k < 1000; ++k) {
        CHECK(ac_stepper_solve(&r.stepper) == AC_OK);
        double H = interval_energy(&r);
        low = fmin(low, H);
        high = fmax(high, H);
        ac_stepper_advance(&r.stepper);
    }
    ac_momentum_maps(r.system, r.stepper.qa, r.stepper.p, origin, linear, angular);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(linear[i], LINEAR[i], 1e-9);
        CHECK_NEAR(angular[i], ANGULAR[i], 1e-9);
    }
    CHECK(low > 0.22941 && high < 0.22948); /* 0.22942 to 0.22947 in 5000 steps */
    end_run(&r);
}

TEST(viscosity_takes_energy_and_no_momentum)
{
    setup s = SOFT;
    run r;
    double origin[3] = {0, 0, 0}, linear[3], angular[3], last = INFINITY;
    s.flying = true;
    s.shear_viscosity = 10;
    s.bulk_viscosity = 1;
    start_run(&r, &s, 1e-3);
    for (int k = 0; k < 500; ++k) {
        CHECK(ac_stepper_solve(&r.stepper) == AC_OK);
        double H = interval_energy(&r);
        CHECK(H < last + 1e-9);
        last = H;
        ac_stepper_advance(&r.stepper);
    }
    CHECK(last < 0.2294);
    ac_momentum_maps(r.system, r.stepper.qa, r.stepper.p, origin, linear, angular);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(linear[i], LINEAR[i], 1e-9);
        CHECK_NEAR(angular[i], ANGULAR[i], 1e-9);
    }
    end_run(&r);
}

TEST(order_two_in_time_towards_the_reference)
{
    static const double x2[3] = {0.5213309675, 0.1614451108, -0.0111956012},
                        x4[3] = {0.9538694829, 0.3355296336, 0.1694724483};
    double error[3];
    for (int n = 0; n < 3; ++n) {
        setup s = SOFT;
        run r;
        int steps = 200 << n;
        s.flying = true;
        start_run(&r, &s, 0.2 / steps);
        step(&r, steps);
        error[n] = fmax(largest_difference(3, r.stepper.qa + r.system->nodes[2].q, x2),
                        largest_difference(3, r.stepper.qa + r.system->nodes[4].q, x4));
        end_run(&r);
    }
    CHECK(error[2] < 1e-4);
    CHECK(fabs(order_of(error[0], error[1]) - 2.0) < 0.2);
    CHECK(fabs(order_of(error[1], error[2]) - 2.0) < 0.1);
}

TEST(the_cantilever_of_the_reference)
{
    setup s = SOFT;
    run r;
    s.elements = 5;
    s.gravity = 9.81;
    start_run(&r, &s, 1.0 / 2400);
    step(&r, 1200);
    const double *tip = r.stepper.qa + r.system->nodes[5].q;
    CHECK_NEAR(tip[2], 0.3378500505, 1e-9);
    CHECK_NEAR(tip[0], -1.1922537795, 1e-9);
    end_run(&r);
    s.shear_viscosity = 1000;
    s.bulk_viscosity = 100;
    start_run(&r, &s, 1.0 / 2400);
    step(&r, 1200);
    tip = r.stepper.qa + r.system->nodes[5].q;
    CHECK_NEAR(tip[2], 0.2781123649, 1e-9);
    CHECK_NEAR(tip[0], -1.186216537, 1e-9);
    end_run(&r);
}

/* --- what is refused --- */

TEST(the_step_has_a_limit)
{
    setup s = {.elements = 10,
               .young = 2.1e5,
               .poisson = 0.3,
               .density = 7.85,
               .side = 0.1,
               .hinged = true,
               .gravity = 9.81};
    ac_context *ctx;
    double limit = 0.0;
    ctx = ac_context_new(NULL);
    ac_system *system = build(ctx, &s);
    CHECK(ac_step_limit(ctx, system, &limit) == AC_OK);
    CHECK_NEAR(2.0 / 3000 / limit, 1.26, 0.005); /* h omega of the example with 3000 steps per second */
    ac_stepper stepper = {0};
    ac_simulation_settings settings = record_settings("trapezoidal", "auto", 1.02 * limit);
    CHECK(ac_stepper_create(&stepper, ctx, system, &settings) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "is stable up to") != NULL);
    ac_stepper_destroy(&stepper);
    memset(&stepper, 0, sizeof stepper);
    settings = record_settings("midpoint", "auto", 1e-4);
    CHECK(ac_stepper_create(&stepper, ctx, system, &settings) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "trapezoidal scheme only") != NULL);
    ac_stepper_destroy(&stepper);
    memset(&stepper, 0, sizeof stepper);
    settings = record_settings("trapezoidal", "multipliers", 1e-4);
    CHECK(ac_stepper_create(&stepper, ctx, system, &settings) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "reduced formulation only") != NULL);
    ac_stepper_destroy(&stepper);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* Just below the limit a motion stays bounded, a little above it explodes: the eigenvalue is the limit. */
TEST(the_limit_is_sharp)
{
    setup s = {.elements = 4, .young = 2.1e5, .poisson = 0.3, .density = 7.85, .side = 0.1, .gravity = 0.1};
    for (int above = 0; above < 2; ++above) {
        ac_context *ctx;
        double limit = 0.0;
        run r;
        ctx = ac_context_new(NULL);
        ac_system *system = build(ctx, &s);
        CHECK(ac_step_limit(ctx, system, &limit) == AC_OK);
        ac_system_free(system);
        ac_context_free(ctx);
        start_run(&r, &s, 0.999 * limit);
        double h = above ? 1.03 * limit : 0.999 * limit, most = 0.0;
        r.stepper.h = h;
        for (int k = 0; k < 600 && most < 10.0; ++k) {
            r.stepper.interval.h = h;
            if (ac_stepper_solve(&r.stepper) != AC_OK) {
                most = INFINITY;
                break;
            }
            most = fmax(most, fabs(interval_energy(&r)));
            ac_stepper_advance(&r.stepper);
        }
        CHECK(above ? most > 1.0 : most < 1e-3);
        end_run(&r);
    }
}

RUN_TESTS(CASE(a_node_moves_on_its_constraints), CASE(the_interval_has_exact_derivatives),
          CASE(a_free_beam_keeps_its_momenta_and_energy), CASE(viscosity_takes_energy_and_no_momentum),
          CASE(order_two_in_time_towards_the_reference), CASE(the_cantilever_of_the_reference),
          CASE(the_step_has_a_limit), CASE(the_limit_is_sharp))
