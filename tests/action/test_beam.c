/* Beam elements of all models: derivatives against differences, objectivity, discrete derivatives, bad
 * input. */
#include <stdlib.h>

#include "actio/model.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "action/element.h"
#include "support/beams.h"
#include "test.h"

extern const ac_element_kind ac_element_beam;

static const ac_beam_model MODELS[] = {AC_BEAM_DIRECTOR, AC_BEAM_VERTEX, AC_BEAM_EDGE};

static double random_number(void)
{
    return 2.0 * rand() / RAND_MAX - 1.0;
}

static void random_rotation(double size, double R[9])
{
    double theta[3];
    for (int i = 0; i < 3; ++i) theta[i] = size * random_number();
    ac_rotation_exp(theta, R);
}

/* A curved, twisted beam with four elements, five unlike stiffnesses, damping and a precurvature. */
static ac_system *make_beam(ac_context *ctx, ac_beam_model model)
{
    ac_pose frames[5];
    ac_system *system;
    for (int k = 0; k < 5; ++k) {
        int place = model == AC_BEAM_EDGE && k > 0 ? k - 1 : k;
        for (int i = 0; i < 3; ++i)
            frames[k].position[i] = 0.1 * random_number() + (i == 2 ? 0.5 * place : 0.0);
        random_rotation(0.2, frames[k].rotation);
    }
    if (model == AC_BEAM_EDGE) copy3(frames[0].position, frames[1].position);
    ac_beam beam = {.name = "rod",
                    .model = model,
                    .elements = model == AC_BEAM_EDGE ? 3 : 4,
                    .frames = frames,
                    .shear = {30, 40},
                    .axial = 50,
                    .bending = {3, 4},
                    .torsion = 5,
                    .mass = 1,
                    .inertia = {0.1, 0.2},
                    .precurvature = {0.1, 0.2, 0.3},
                    .damping = 0.01};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static void random_state(double x[24])
{
    for (int e = 0; e < 2; ++e) {
        double R[9];
        random_rotation(0.5, R);
        for (int i = 0; i < 3; ++i) x[12 * e + i] = 0.2 * random_number() + (i == 2 ? 0.5 * e : 0.0);
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) x[12 * e + 3 + 3 * I + i] = R[3 * i + I] + 0.05 * random_number();
    }
}

static const double STEP = 1e-5;

TEST(gradient_and_hessian_agree_with_differences)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        for (int k = 0; k < 4; ++k) {
            double x[24], g[24], H[576], up[24], down[24];
            random_state(x);
            ac_element_beam.gradient(system, k, x, NULL, g);
            ac_element_beam.hessian(system, k, x, NULL, H);
            for (int j = 0; j < 24; ++j) {
                double keep = x[j];
                x[j] = keep + STEP;
                double above = ac_element_beam.energy(system, k, x, NULL);
                ac_element_beam.gradient(system, k, x, NULL, up);
                x[j] = keep - STEP;
                double below = ac_element_beam.energy(system, k, x, NULL);
                ac_element_beam.gradient(system, k, x, NULL, down);
                x[j] = keep;
                CHECK_NEAR((above - below) / (2 * STEP), g[j], 1e-7);
                for (int i = 0; i < 24; ++i) CHECK_NEAR((up[i] - down[i]) / (2 * STEP), H[i * 24 + j], 2e-6);
            }
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(discrete_derivative_gives_the_energy_difference)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        for (int k = 0; k < 4; ++k) {
            double xa[24], xb[24], D[24], S[576], up[24], down[24], product = 0.0;
            random_state(xa);
            random_state(xb);
            ac_element_beam.discrete(system, k, xa, xb, NULL, D, S);
            for (int i = 0; i < 24; ++i) product += D[i] * (xb[i] - xa[i]);
            double difference = ac_element_beam.energy(system, k, xb, NULL) -
                                ac_element_beam.energy(system, k, xa, NULL);
            CHECK_NEAR(product, difference, 1e-12);
            for (int j = 0; j < 24; ++j) {
                double keep = xb[j];
                xb[j] = keep + STEP;
                ac_element_beam.discrete(system, k, xa, xb, NULL, up, NULL);
                xb[j] = keep - STEP;
                ac_element_beam.discrete(system, k, xa, xb, NULL, down, NULL);
                xb[j] = keep;
                for (int i = 0; i < 24; ++i) CHECK_NEAR((up[i] - down[i]) / (2 * STEP), S[i * 24 + j], 1e-6);
            }
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(damping_agrees_with_differences_and_takes_energy)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        double x[24], v[24], f[24], by_x[576], by_v[576], up[24], down[24], power = 0.0;
        random_state(x);
        for (int i = 0; i < 24; ++i) v[i] = random_number();
        CHECK(ac_element_beam.dissipative(system, 1));
        ac_element_beam.force(system, 1, x, v, NULL, f, by_x, by_v);
        for (int i = 0; i < 24; ++i) power += f[i] * v[i];
        CHECK(power < 0.0);
        for (int j = 0; j < 24; ++j) {
            double keep = x[j];
            x[j] = keep + STEP;
            ac_element_beam.force(system, 1, x, v, NULL, up, NULL, NULL);
            x[j] = keep - STEP;
            ac_element_beam.force(system, 1, x, v, NULL, down, NULL, NULL);
            x[j] = keep;
            for (int i = 0; i < 24; ++i) CHECK_NEAR((up[i] - down[i]) / (2 * STEP), by_x[i * 24 + j], 1e-7);
            keep = v[j];
            v[j] = keep + 1.0;
            ac_element_beam.force(system, 1, x, v, NULL, up, NULL, NULL);
            v[j] = keep;
            for (int i = 0; i < 24; ++i) CHECK_NEAR(up[i] - f[i], by_v[i * 24 + j], 1e-12);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(rigid_motions_leave_strains_unchanged)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        for (int trial = 0; trial < 20; ++trial) {
            double x[24], y[24], R[9], shift[3], before[6], after[6];
            random_state(x);
            random_rotation(3.0, R);
            for (int i = 0; i < 3; ++i) shift[i] = 10.0 * random_number();
            for (int part = 0; part < 8; ++part) apply3(R, x + 3 * part, y + 3 * part);
            for (int e = 0; e < 2; ++e) add3(y + 12 * e, shift, y + 12 * e);
            ac_beam_strains(system, 2, x, before);
            ac_beam_strains(system, 2, y, after);
            for (int i = 0; i < 6; ++i) CHECK_NEAR(after[i], before[i], 2e-14);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(the_drawn_shape_is_free_of_stress)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        for (int k = 0; k < 4; ++k) {
            const ac_beam_element *e = &system->mesh.elements[k];
            double strain[6], stress[6];
            ac_beam_strains(system, k, system->initial.q + system->nodes[e->node].q, strain);
            ac_beam_stresses(system, k, strain, stress);
            for (int i = 0; i < 3; ++i) CHECK_NEAR(stress[i], 0.0, 1e-12);
            for (int i = 0; i < 3; ++i)
                CHECK_NEAR(stress[3 + i], -e->stiffness[3 + i] * 0.1 * (i + 1), 1e-12);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(bad_beams_are_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_pose frames[3] = {ac_pose_identity(), ac_pose_identity(), ac_pose_identity()};
    frames[1].position[2] = 1;
    frames[2].position[2] = 2;
    const ac_beam good = {.name = "b",
                          .elements = 2,
                          .frames = frames,
                          .shear = {1, 1},
                          .axial = 1,
                          .bending = {1, 1},
                          .torsion = 1,
                          .mass = 1,
                          .inertia = {1, 1}};
    ac_beam bad = good;
    bad.axial = 0;
    expect_bad_beam(ctx, &bad, "beam 'b': axial stiffness must be positive");
    bad = good;
    bad.bending[1] = -1;
    expect_bad_beam(ctx, &bad, "beam 'b': bending stiffness must be positive");
    bad = good;
    bad.mass = NAN;
    expect_bad_beam(ctx, &bad, "beam 'b': mass per length must be positive");
    bad = good;
    bad.elements = 0;
    expect_bad_beam(ctx, &bad, "beam 'b' needs at least 1 element");
    bad = good;
    bad.damping = -1;
    expect_bad_beam(ctx, &bad, "beam 'b': damping must not be negative");
    frames[2].position[2] = 1;
    expect_bad_beam(ctx, &good, "beam 'b': nodes 1 and 2 coincide");
    frames[2].position[2] = 2;
    frames[1].rotation[0] = 1.1;
    expect_bad_beam(ctx, &good, "beam 'b': the frame of node 1 is not orthonormal and right handed");
    ac_context_free(ctx);
}

/* The slopes between twists are the projected slopes by coordinates. */
static void check_projection(const ac_system *system, const double *left, const double *right, double factor,
                             const double *slope, const double *block)
{
    double scale = 0.0;
    for (int k = 0; k < 144; ++k) scale = fmax(scale, fabs(block[k]));
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            double projected[36];
            ac_node_project(&system->nodes[0], left + 12 * i, &system->nodes[0], right + 12 * j,
                            slope + 24 * 12 * i + 12 * j, 24, projected);
            for (int r = 0; r < 6; ++r)
                for (int c = 0; c < 6; ++c)
                    CHECK_NEAR(block[12 * (6 * i + r) + 6 * j + c], factor * projected[6 * r + c],
                               1e-13 * scale);
        }
}

/* slope = factor slope - by_x df/dx - by_v df/dv at x */
static void add_damping(const ac_system *system, int k, const double *x, const ac_damping_slope *damping,
                        double factor, double *slope)
{
    double f[24], by_x[576], by_v[576];
    ac_element_beam.force(system, k, x, damping->v, NULL, f, by_x, by_v);
    for (int i = 0; i < 576; ++i)
        slope[i] = factor * slope[i] - damping->by_x * by_x[i] - damping->by_v * by_v[i];
}

TEST(slopes_between_twists_are_projected_slopes)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        for (int k = 0; k < 4; ++k) {
            double x[24], y[24], mean[24], left[24], right[24], g[24], v[24], slope[576], block[144];
            const ac_damping_slope damping = {v, 7.0, 11.0};
            random_state(x);
            random_state(y);
            random_state(left);
            random_state(right);
            for (int i = 0; i < 24; ++i) v[i] = random_number();
            for (int i = 0; i < 24; ++i) mean[i] = 0.5 * (x[i] + y[i]);
            ac_element_beam.twist_hessian(system, k, x, left, right, 0.3, NULL, block);
            ac_element_beam.hessian(system, k, x, NULL, slope);
            check_projection(system, left, right, 0.3, slope, block);
            ac_element_beam.twist_hessian(system, k, x, left, right, 0.3, &damping, block);
            add_damping(system, k, x, &damping, 0.3, slope);
            check_projection(system, left, right, 1.0, slope, block);
            ac_element_beam.twist_discrete(system, k, x, y, left, 0.3, NULL, block);
            ac_element_beam.discrete(system, k, x, y, NULL, g, slope);
            check_projection(system, left, y, 0.3, slope, block);
            ac_element_beam.twist_discrete(system, k, x, y, left, 0.3, &damping, block);
            add_damping(system, k, mean, &damping, 0.3, slope);
            check_projection(system, left, y, 1.0, slope, block);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* Discrete derivatives and forces of all elements at once are those one after another. */
TEST(all_discrete_derivatives_and_forces_at_once)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        double qa[60], qb[60], mean[60], v[60], stress[24], discrete[60], forces[60], sum[60], push[60];
        for (int i = 0; i < 60; ++i) {
            qa[i] = system->initial.q[i] + 0.05 * random_number();
            qb[i] = system->initial.q[i] + 0.05 * random_number();
            mean[i] = 0.5 * (qa[i] + qb[i]);
            v[i] = random_number();
            discrete[i] = sum[i] = random_number();
            forces[i] = push[i] = random_number();
        }
        ac_element_beam.stresses(system, qa, stress);
        ac_element_beam.add_discretes(system, qa, stress, qb, mean, 0.7, discrete);
        ac_element_beam.add_forces(system, mean, v, 0.6, forces);
        for (int k = 0; k < 4; ++k) {
            double g[24], f[24];
            ac_element_beam.discrete(system, k, qa + 12 * k, qb + 12 * k, NULL, g, NULL);
            ac_element_beam.force(system, k, mean + 12 * k, v + 12 * k, NULL, f, NULL, NULL);
            for (int i = 0; i < 24; ++i) sum[12 * k + i] += 0.7 * g[i];
            for (int i = 0; i < 24; ++i) push[12 * k + i] += 0.6 * f[i];
        }
        for (int i = 0; i < 60; ++i) CHECK_NEAR(discrete[i], sum[i], 1e-12);
        for (int i = 0; i < 60; ++i) CHECK_NEAR(forces[i], push[i], 1e-12);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* The force of damping is - extent eta D_i (ds_i/dt) grad s_i: rates and gradients here by differences of the
 * strains. */
TEST(damping_is_a_multiple_of_the_strain_rates)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        for (int k = 0; k < 4; ++k) {
            const ac_beam_element *e = &system->mesh.elements[k];
            double x[24], v[24], f[24], sum[24] = {0}, gradient[24][6], rate[6] = {0};
            random_state(x);
            for (int i = 0; i < 24; ++i) v[i] = random_number();
            for (int j = 0; j < 24; ++j) {
                double keep = x[j], up[6], down[6];
                x[j] = keep + STEP;
                ac_beam_strains(system, k, x, up);
                x[j] = keep - STEP;
                ac_beam_strains(system, k, x, down);
                x[j] = keep;
                for (int i = 0; i < 6; ++i) gradient[j][i] = (up[i] - down[i]) / (2 * STEP);
                for (int i = 0; i < 6; ++i) rate[i] += gradient[j][i] * v[j];
            }
            for (int j = 0; j < 24; ++j)
                for (int i = 0; i < 6; ++i)
                    sum[j] -= (i < 3 ? e->length : e->bend) * 0.01 * e->stiffness[i] * rate[i] *
                              gradient[j][i];
            ac_element_beam.force(system, k, x, v, NULL, f, NULL, NULL);
            for (int j = 0; j < 24; ++j) CHECK_NEAR(f[j], sum[j], 1e-7);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* All gradients at once are the gradients one after another, and all energies. */
TEST(all_elements_at_once)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int m = 0; m < 3; ++m) {
        ac_system *system = make_beam(ctx, MODELS[m]);
        double q[60], once[60], sum[60];
        for (int i = 0; i < 60; ++i) q[i] = system->initial.q[i] + 0.05 * random_number();
        for (int i = 0; i < 60; ++i) once[i] = sum[i] = random_number();
        ac_element_beam.add_gradients(system, q, 0.7, once);
        for (int k = 0; k < 4; ++k) {
            double g[24];
            ac_element_beam.gradient(system, k, q + 12 * k, NULL, g);
            for (int i = 0; i < 24; ++i) sum[12 * k + i] += 0.7 * g[i];
        }
        for (int i = 0; i < 60; ++i) CHECK_NEAR(once[i], sum[i], 1e-12);
        double energy = 0.3;
        for (int k = 0; k < 4; ++k) energy += ac_element_beam.energy(system, k, q + 12 * k, NULL);
        CHECK(ac_element_beam.add_energies(system, q, 0.3) == energy);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(slopes_between_twists_are_projected_slopes), CASE(all_elements_at_once),
          CASE(all_discrete_derivatives_and_forces_at_once), CASE(damping_is_a_multiple_of_the_strain_rates),
          CASE(gradient_and_hessian_agree_with_differences),
          CASE(discrete_derivative_gives_the_energy_difference),
          CASE(damping_agrees_with_differences_and_takes_energy), CASE(rigid_motions_leave_strains_unchanged),
          CASE(the_drawn_shape_is_free_of_stress), CASE(bad_beams_are_refused))
