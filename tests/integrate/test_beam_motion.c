/* Beams in motion: exact momenta, energy, frequencies, order, formulations, the rigid limit, no allocation
 * in a step. */
#include <complex.h>

#include "actio/equilibrium.h"
#include "actio/simulate.h"
#include "base/vector.h"
#include "model/system.h"
#include "support/beams.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};
static const double PI = 3.14159265358979323846;

static ac_system *flying(ac_context *ctx, ac_beam_model model)
{
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    add_noodle(system, model, (const double[3]){0.1, 0.2, 0.3});
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

TEST(a_free_beam_keeps_its_momenta)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 2; ++m) {
        ac_system *system = flying(ctx, m == 0 ? AC_BEAM_DIRECTOR : AC_BEAM_VERTEX);
        check_momenta(ctx, system);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(formulations_of_a_beam_agree)
{
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = flying(ctx, AC_BEAM_DIRECTOR);
    for (int s = 0; s < 3; ++s) check_formulations(ctx, system, schemes[s], 40);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* First bending frequency of a cantilever: (1.8751)^2 / L^2 sqrt(EI / rho A), from the period of the tip
 * under a sudden load. */
TEST(a_cantilever_swings_with_its_frequency)
{
    ac_context *ctx = ac_context_new(NULL);
    beam_data d = {AC_BEAM_DIRECTOR, 24, 1.0, 1e5, 2e5, {30, 10}, 10, 1, 1e-4, 0, 1};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "arm", &d, NULL);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, first + 24, 0, 0, 1e-3);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    double expected = 1.875104068711961 * 1.875104068711961 * sqrt(10.0), period = 2 * PI / expected,
           h = period / 400;
    ac_simulation *sim = start(ctx, system, "midpoint", "auto", h);
    /* the load excites mostly the first mode: crossings of the static deflection F L^3 / 3EI are half a
     * period apart */
    double level = 1e-3 / 30.0, before = 0.0, crossing[5] = {0};
    int count = 0;
    for (int n = 1; n <= 1100 && count < 5; ++n) {
        CHECK(ac_simulation_step(sim) == AC_OK);
        double z = ac_simulation_configuration(sim)[system->nodes[first + 24].q + 2];
        if ((z - level) * (before - level) < 0.0)
            crossing[count++] = h * (n - 1 + (level - before) / (z - before));
        before = z;
    }
    CHECK(count == 5);
    CHECK_NEAR((crossing[4] - crossing[0]) / 2.0, period, 0.01 * period);
    ac_simulation_free(sim);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* An arm that is held at one end and loaded at the other, which is node `tip`. */
static ac_system *loaded_arm(ac_context *ctx, int elements, double damping, int *tip)
{
    beam_data d = {AC_BEAM_DIRECTOR, elements, 1.0, 50, 100, {0.5, 0.5}, 0.5, 1, 0.02, damping, 1};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "arm", &d, NULL);
    *tip = first + elements;
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, *tip, 0, 0.1, 0.3);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static void tip_after(ac_context *ctx, int elements, double step, int steps, double damping, double tip[3])
{
    int node;
    ac_system *system = loaded_arm(ctx, elements, damping, &node);
    ac_simulation *sim = start(ctx, system, "midpoint", "auto", step);
    for (int n = 0; n < steps; ++n) CHECK(ac_simulation_step(sim) == AC_OK);
    copy3(ac_simulation_configuration(sim) + system->nodes[node].q, tip);
    ac_simulation_free(sim);
    ac_system_free(system);
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    sub3(a, b, d);
    return norm3(d);
}

TEST(order_two_in_space_and_time)
{
    ac_context *ctx = ac_context_new(NULL);
    double x[3][3];
    for (int k = 0; k < 3; ++k) tip_after(ctx, 6, 1e-3 / (1 << k), 500 << k, 0.02, x[k]);
    CHECK_NEAR(log2(distance(x[0], x[1]) / distance(x[1], x[2])), 2.0, 0.1);
    for (int k = 0; k < 3; ++k) tip_after(ctx, 8 << k, 2e-3, 250, 0.05, x[k]);
    CHECK_NEAR(log2(distance(x[0], x[1]) / distance(x[1], x[2])), 2.0, 0.2);
    ac_context_free(ctx);
}

/* A pendulum of one element, or a rigid body of the same mass, centre and inertia (stiffness 0); its free
 * end after 0.4 s. */
static void pendulum_end(ac_context *ctx, const char *scheme, int steps, double stiffness, double end[3])
{
    const double gravity[3] = {0, 0, -9.81};
    const double about_y[9] = {1, 0, 0, 0, 0, 1, 0, -1, 0}; /* z axis along y */
    bool rigid = !(stiffness > 0);
    ac_system *system;
    ac_joint pin = {.name = "pin", .type = AC_REVOLUTE, .a = AC_GROUND, .b = 0};
    pin.frame_a = pin.frame_b = ac_pose_identity();
    memcpy(pin.frame_a.rotation, about_y, sizeof about_y);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    if (rigid) {
        ac_body body = {.name = "rod",
                        .mass = 2,
                        .inertia = {2e-3, 2.0 / 12 + 1e-3, 2.0 / 12 + 1e-3},
                        .centre = {0.5, 0, 0},
                        .placed = true,
                        .pose = ac_pose_identity()};
        CHECK(ac_system_add_body(system, &body, NULL) == AC_OK);
        memcpy(pin.frame_b.rotation, about_y, sizeof about_y);
    } else {
        double bending = 0.1 * stiffness;
        beam_data d = {.model = AC_BEAM_DIRECTOR,
                       .elements = 1,
                       .length = 1,
                       .shear = stiffness,
                       .axial = stiffness,
                       .bending = {bending, bending},
                       .torsion = bending,
                       .mass = 2,
                       .inertia = 1e-3,
                       .damping = 1e-2};
        add_straight(system, "rod", &d, NULL);
        transposed_multiply3(ALONG_X, about_y, pin.frame_b.rotation);
    }
    CHECK(ac_system_add_joint(system, &pin, NULL) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_simulation *sim = start(ctx, system, scheme, "auto", 0.4 / steps);
    for (int n = 0; n < steps; ++n) CHECK(ac_simulation_step(sim) == AC_OK);
    const double *q = ac_simulation_configuration(sim);
    for (int i = 0; i < 3; ++i) end[i] = rigid ? q[i] + 0.5 * q[3 + i] : q[system->nodes[1].q + i];
    ac_simulation_free(sim);
    ac_system_free(system);
}

static double off_the_rigid(ac_context *ctx, const char *scheme, int steps, double stiffness)
{
    double rigid[3], end[3];
    pendulum_end(ctx, scheme, steps, 0, rigid);
    pendulum_end(ctx, scheme, steps, stiffness, end);
    return distance(rigid, end);
}

/* What a beam gives way is in inverse proportion to its stiffness. Damping takes away the vibrations that the
 * release excites, so that their phase is not in the way. */
TEST(a_stiff_beam_swings_as_a_rigid_body)
{
    ac_context *ctx = ac_context_new(NULL);
    double off[4];
    for (int k = 0; k < 4; ++k) off[k] = off_the_rigid(ctx, "energy-momentum", 400, 1e4 * pow(10, k));
    CHECK(off[3] < 5e-6);
    CHECK_NEAR(off[0] / off[1], 10, 0.1);
    CHECK_NEAR(off[1] / off[2], 10, 0.01);
    CHECK_NEAR(off[2] / off[3], 10, 0.001);
    /* the midpoint rule holds a stiff beam straight in the middle of a step and not at its ends: that
     * differs from the rigid body by the square of the step, which is left when the stiffness has no part
     * any more */
    for (int k = 0; k < 3; ++k) off[k] = off_the_rigid(ctx, "midpoint", 200 << k, 1e9);
    CHECK(off[2] < 1e-5);
    CHECK_NEAR(log2(off[0] / off[1]), 2, 0.05);
    CHECK_NEAR(log2(off[1] / off[2]), 2, 0.05);
    ac_context_free(ctx);
}

/* --- one mode that rings down --------------------------------------------------------------------------- */

/* Frequency and damping of the one mode that is left, from samples e^(zt) + c with a pair of complex z:
 * differences of samples `stride` apart fulfil y_2 = a y_1 - b y_0. The midpoint rule has z where the beam
 * has s = (2/h) tanh(z h/2), so that its error is taken out. With damping in proportion to the stiffness,
 * s^2 + eta omega^2 s + omega^2 = 0. */
static void one_mode(const double *x, int count, int stride, double h, double *omega, double *eta)
{
    double S[2][2] = {{0}}, right[2] = {0};
    for (int n = 0; n + 3 * stride < count; ++n) {
        double y[3];
        for (int i = 0; i < 3; ++i) y[i] = x[n + (i + 1) * stride] - x[n + i * stride];
        S[0][0] += y[1] * y[1];
        S[0][1] += y[0] * y[1];
        S[1][1] += y[0] * y[0];
        right[0] += y[1] * y[2];
        right[1] += y[0] * y[2];
    }
    double det = S[0][0] * S[1][1] - S[0][1] * S[0][1];
    double a = (S[1][1] * right[0] - S[0][1] * right[1]) / det;
    double b = (S[0][1] * right[0] - S[0][0] * right[1]) / det;
    double complex root = 0.5 * a + I * sqrt(b - 0.25 * a * a);
    double complex s = 2 / h * ctanh(0.5 * clog(root) / stride);
    *omega = cabs(s);
    *eta = -2 * creal(s) / (*omega * *omega);
}

/* Kelvin-Voigt damping brings a beam to rest where the statics says. */
TEST(damping_brings_a_beam_to_rest)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_equilibrium_settings settings;
    ac_equilibrium *rest = NULL;
    ac_system *system;
    double tip[3];
    bool done = false;
    int node;
    tip_after(ctx, 6, 2e-2, 1000, 0.5, tip);
    system = loaded_arm(ctx, 6, 0.5, &node);
    ac_equilibrium_defaults(&settings);
    CHECK(ac_equilibrium_new(ctx, system, &settings, &rest) == AC_OK);
    for (int k = 0; k < 100 && !done; ++k) CHECK(ac_equilibrium_next(rest, &done) == AC_OK);
    CHECK(done && ac_equilibrium_at(rest)->factor == 1);
    const double *at_rest = ac_equilibrium_configuration(rest) + system->nodes[node].q;
    CHECK(fabs(at_rest[2]) > 0.1); /* far from where it started */
    CHECK_NEAR(distance(tip, at_rest), 0.0, 1e-9);
    ac_equilibrium_free(rest);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* A cantilever under a small sudden load: its higher modes die first, the last one with eta omega / 2. */
TEST(damping_follows_the_material)
{
    enum { SKIPPED = 600, STEPS = 1200 };
    ac_context *ctx = ac_context_new(NULL);
    beam_data d = {.model = AC_BEAM_DIRECTOR,
                   .elements = 6,
                   .length = 1,
                   .shear = 50,
                   .axial = 100,
                   .bending = {0.5, 0.5},
                   .torsion = 0.5,
                   .mass = 1,
                   .inertia = 0.02};
    static const double etas[] = {0.02, 0.08};
    double omega[2];
    for (int k = 0; k < 2; ++k) {
        ac_system *system;
        double z[STEPS], eta;
        d.damping = etas[k];
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        int first = add_straight(system, "arm", &d, NULL);
        hold(system, AC_FIXED, first, ORIGIN);
        push(ctx, system, AC_LOAD_FORCE, first + 6, 0, 0, 1e-4);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_simulation *sim = start(ctx, system, "midpoint", "auto", 1e-2);
        for (int n = 0; n < STEPS; ++n) {
            CHECK(ac_simulation_step(sim) == AC_OK);
            z[n] = ac_simulation_configuration(sim)[system->nodes[first + 6].q + 2];
        }
        one_mode(z + SKIPPED, STEPS - SKIPPED, 60, 1e-2, &omega[k], &eta);
        CHECK_NEAR(eta / d.damping, 1, 1e-5);
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    CHECK_NEAR(omega[0], omega[1], 1e-6); /* of the beam without damping */
    ac_context_free(ctx);
}

/* The same with the root z of the trapezoidal rule: (z - 2 + 1/z) / h^2 + eta omega^2 (z - 1/z) / 2h + omega^2 = 0. */
static void one_mode_at_nodes(const double *x, int count, int stride, double h, double *omega, double *eta)
{
    one_mode(x, count, stride, h, omega, eta);
    double half = 0.5 * *eta * *omega * *omega;
    double complex s = -half + I * sqrt(*omega * *omega - half * half), z = cexp(2 * catanh(0.5 * h * s));
    double complex A = (z - 2 + 1 / z) / (h * h), B = (z - 1 / z) / (2 * h);
    double damper = -cimag(A) / cimag(B), spring = -creal(A) - damper * creal(B);
    *omega = sqrt(spring);
    *eta = damper / spring;
}

/* Viscosities damp each motion by their own relaxation time, s^2 + eta_i omega^2 s + omega^2 = 0: a small load at the tip
 * that stretches, twists or bends a cantilever. */
static double ring_down(ac_context *ctx, ac_beam_model model, int order, const char *scheme, int motion)
{
    enum { SKIPPED = 900, STEPS = 1500 };
    const bool stiff = motion == 2; /* against shear, which bends with it */
    const int elements = order > 1 ? 3 : 6;
    beam_data d = {.model = model,
                   .elements = elements,
                   .length = 1,
                   .shear = stiff ? 5e3 : 50,
                   .axial = stiff ? 1e4 : 2,
                   .bending = {0.2, 0.2},
                   .torsion = 0.02,
                   .mass = 1,
                   .inertia = stiff ? 1e-3 : 0.005,
                   .order = order,
                   .damping = 0.01};
    const double h = stiff ? 2e-3 : 1e-2, load[3][3] = {{1e-4, 0, 0}, {1e-5, 0, 0}, {0, 0, 1e-5}};
    ac_system *system;
    double x[STEPS], omega, eta;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_viscous(system, "arm", &d, (const double[2]){0.06, 0.09}, NULL),
        tip = first + last_node(&d);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, motion == 1 ? AC_LOAD_TORQUE : AC_LOAD_FORCE, tip, load[motion][0], load[motion][1],
         load[motion][2]);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    ac_simulation *sim = start(ctx, system, scheme, "auto", h);
    for (int n = 0; n < STEPS; ++n) {
        CHECK(ac_simulation_step(sim) == AC_OK);
        const double *q = ac_simulation_configuration(sim) + system->nodes[tip].q;
        x[n] = motion == 0 ? q[0] : motion == 1 ? q[4] : q[2];
    }
    bool nodes = strcmp(scheme, "trapezoidal") == 0;
    (nodes ? one_mode_at_nodes : one_mode)(x + SKIPPED, STEPS - SKIPPED, 30, h, &omega, &eta);
    ac_simulation_free(sim);
    ac_system_free(system);
    return eta;
}

TEST(viscosities_follow_the_material)
{
    static const char *const schemes[] = {"midpoint", "energy-momentum", "trapezoidal"};
    static const double wanted[3] = {0.1, 0.07, 0.1};
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 4; ++m)
        for (int motion = 0; motion < 3; ++motion)
            for (int s = 0; s < (motion < 2 && m < 3 ? 3 : 1); ++s) {
                static const ac_beam_model models[] = {AC_BEAM_DIRECTOR, AC_BEAM_VERTEX, AC_BEAM_EDGE,
                                                       AC_BEAM_DIRECTOR};
                double eta = ring_down(ctx, models[m], m < 3 ? 1 : 2, schemes[s], motion);
                CHECK_NEAR(eta / wanted[motion], 1, motion < 2 ? 1e-4 : 1e-2);
            }
    ac_context_free(ctx);
}

/* Energy-momentum: each step loses what the viscosities take, h sum l D_i eta_i (ds_i/dt)^2 with the strains of the
 * results. */
TEST(viscosities_take_what_is_lost)
{
    enum { N = 4 };
    const double D[6] = {50, 50, 100, 0.5, 0.5, 0.4}, relaxation[2] = {0.004, 0.01}, h = 5e-3;
    beam_data d = {.model = AC_BEAM_DIRECTOR,
                   .elements = N,
                   .length = 1,
                   .shear = D[0],
                   .axial = D[2],
                   .bending = {D[3], D[4]},
                   .torsion = D[5],
                   .mass = 1,
                   .inertia = 0.02};
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_viscous(system, "rod", &d, relaxation, NULL);
    push(ctx, system, AC_LOAD_FORCE, first + N, 0, 0, 0);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    for (int k = 0; k <= N; ++k) { /* not a rigid motion */
        const double twist[6] = {0.3 * k, -0.2, 0.1 * k * k, 0.5, 0.4 * k, -0.3 * k};
        const ac_node *node = &system->nodes[first + k];
        memcpy(system->initial.u + node->u, twist, sizeof twist);
        ac_node_tangent(node, system->initial.q + node->q, twist, system->initial.v + node->q);
    }
    ac_simulation *sim = start(ctx, system, "energy-momentum", "auto", h);
    double *row = calloc((size_t)row_width(sim), sizeof *row), before[6 * N] = {0}, H = 0.0, lost = 0.0;
    int stretch = channel_at(sim, true, "beam/rod/strain"),
        bend = channel_at(sim, true, "beam/rod/curvature"),
        energy = channel_at(sim, true, "energy/hamiltonian");
    for (int n = 0; n < 100; ++n) {
        double taken = 0.0;
        CHECK(ac_simulation_step(sim) == AC_OK);
        CHECK(ac_simulation_node_row(sim, false, row) == AC_OK);
        for (int k = 0; k < N; ++k)
            for (int i = 0; i < 6; ++i) {
                double s = row[(i < 3 ? stretch + 3 * k + i : bend + 3 * k + i - 3)],
                       *last = &before[6 * k + i], eta = relaxation[i < 2 || i == 5 ? 0 : 1];
                taken += h * 0.25 * D[i] * eta * (s - *last) * (s - *last) / (h * h);
                *last = s;
            }
        if (n > 0) CHECK_NEAR(H - row[energy], taken, 1e-11);
        if (n > 0) lost += taken;
        H = row[energy];
    }
    CHECK(lost > 0.1);
    free(row);
    ac_simulation_free(sim);
    ac_system_free(system);
    ac_context_free(ctx);
}

/* --- frequencies ---------------------------------------------------------------------------------------- */

/* First torsional frequency of a rod that is held at one end: pi c / 2L with c^2 = GJ / (M_1 + M_2). Linear
 * interpolation with consistent mass has (k l)^2 replaced by 6 (1 - cos kl) / (2 + cos kl), kl = pi / 2N. */
TEST(a_rod_twists_with_its_frequency)
{
    enum { SKIPPED = 500, STEPS = 1000 };
    ac_context *ctx = ac_context_new(NULL);
    double relative[2];
    for (int m = 0; m < 2; ++m) {
        int N = 6 << m;
        beam_data d = {.model = AC_BEAM_DIRECTOR,
                       .elements = N,
                       .length = 2,
                       .shear = 100,
                       .axial = 100,
                       .bending = {1, 1},
                       .torsion = 0.5,
                       .mass = 1,
                       .inertia = 0.03,
                       .damping = 0.1};
        ac_system *system;
        double twist[STEPS], omega, eta, kl = PI / (2 * N), c = sqrt(0.5 / 0.06);
        double analytic = PI * c / 4, meshed = c * N / 2 * sqrt(6 * (1 - cos(kl)) / (2 + cos(kl)));
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        int first = add_straight(system, "rod", &d, NULL);
        hold(system, AC_FIXED, first, ORIGIN);
        push(ctx, system, AC_LOAD_TORQUE, first + N, 1e-4, 0, 0);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_simulation *sim = start(ctx, system, "midpoint", "auto", 2e-2);
        for (int n = 0; n < STEPS; ++n) {
            CHECK(ac_simulation_step(sim) == AC_OK);
            const double *d1 = ac_simulation_configuration(sim) + system->nodes[first + N].q + 3;
            twist[n] = d1[1]; /* it was along z */
        }
        one_mode(twist + SKIPPED, STEPS - SKIPPED, 30, 2e-2, &omega, &eta);
        CHECK_NEAR(omega / meshed, 1, 1e-7);
        CHECK_NEAR(eta, d.damping, 1e-7);
        relative[m] = omega / analytic - 1;
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    CHECK_NEAR(relative[0] / relative[1], 4, 0.01);
    CHECK_NEAR((4 * relative[1] - relative[0]) / 3, 0, 2e-6);
    ac_context_free(ctx);
}

/* First bending frequency of a free beam, (4.7300)^2 / L^2 sqrt(EI / rho A): three forces without
 * resultant bend it, and the middle swings against the ends. */
TEST(a_free_beam_bends_with_its_frequency)
{
    enum { SKIPPED = 200, STEPS = 600 };
    ac_context *ctx = ac_context_new(NULL);
    double off[3];
    const double root = 4.730040744862704, analytic = root * root * sqrt(0.5);
    for (int m = 0; m < 3; ++m) {
        int N = 8 << m;
        beam_data d = {.model = AC_BEAM_DIRECTOR,
                       .elements = N,
                       .length = 1,
                       .shear = 1e7,
                       .axial = 1e7,
                       .bending = {0.5, 0.5},
                       .torsion = 0.5,
                       .mass = 1,
                       .inertia = 1e-8,
                       .damping = 0.005};
        ac_system *system;
        double bend[STEPS], omega, eta, h = 1e-2;
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        int first = add_straight(system, "rod", &d, NULL);
        push(ctx, system, AC_LOAD_FORCE, first, 0, 0, 1e-4);
        push(ctx, system, AC_LOAD_FORCE, first + N, 0, 0, 1e-4);
        push(ctx, system, AC_LOAD_FORCE, first + N / 2, 0, 0, -2e-4);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_simulation *sim = start(ctx, system, "midpoint", "auto", h);
        for (int n = 0; n < STEPS; ++n) {
            CHECK(ac_simulation_step(sim) == AC_OK);
            const double *q = ac_simulation_configuration(sim) + 2;
            bend[n] = q[system->nodes[first + N / 2].q] -
                      0.5 * (q[system->nodes[first].q] + q[system->nodes[first + N].q]);
        }
        one_mode(bend + SKIPPED, STEPS - SKIPPED, 10, h, &omega, &eta);
        off[m] = omega / analytic - 1;
        CHECK_NEAR(eta, d.damping, 1e-8);
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    /* order two in the mesh; without what is left of order two and four it is the frequency of the slender
     * beam */
    CHECK_NEAR(log2(off[1] / off[2]), 2, 0.02);
    double coarse = (4 * off[1] - off[0]) / 3, fine = (4 * off[2] - off[1]) / 3;
    CHECK_NEAR((16 * fine - coarse) / 15, 0, 3e-6);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_free_beam_keeps_its_momenta), CASE(formulations_of_a_beam_agree),
          CASE(a_cantilever_swings_with_its_frequency), CASE(order_two_in_space_and_time),
          CASE(a_stiff_beam_swings_as_a_rigid_body), CASE(damping_brings_a_beam_to_rest),
          CASE(damping_follows_the_material), CASE(viscosities_follow_the_material),
          CASE(viscosities_take_what_is_lost), CASE(a_rod_twists_with_its_frequency),
          CASE(a_free_beam_bends_with_its_frequency))
