/* Beam elements of order 2: derivatives against differences, objectivity, discrete derivatives, masses, bad
 * input. */
#include <stdlib.h>

#include "base/rotation.h"
#include "action/inertia.h"
#include "base/vector.h"
#include "action/element.h"
#include "action/momentum.h"
#include "model/beam/beam.h"
#include "support/beams.h"
#include "test.h"

extern const ac_element_kind ac_element_high_beam;

static const ac_element_kind *const KIND = &ac_element_high_beam;

enum { SIZE = AC_ELEMENT_MAX, ELEMENTS = 2, NODES_MAX = ELEMENTS * AC_BEAM_ORDER_MAX + 1 };

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

/* A curved, twisted beam with two elements, unlike stiffnesses, damping and a precurvature. */
static ac_beam draw(int order, ac_pose frames[NODES_MAX])
{
    for (int k = 0; k <= ELEMENTS * order; ++k) {
        for (int i = 0; i < 3; ++i)
            frames[k].position[i] = 0.05 * random_number() + (i == 2 ? 0.5 * k / order : 0.0);
        random_rotation(0.2, frames[k].rotation);
    }
    return (ac_beam){.name = "rod",
                     .order = order,
                     .elements = ELEMENTS,
                     .frames = frames,
                     .shear = {30, 40},
                     .axial = 50,
                     .bending = {3, 4},
                     .torsion = 5,
                     .mass = 1,
                     .inertia = {0.1, 0.2},
                     .precurvature = {0.1, 0.2, 0.3},
                     .damping = 0.01};
}

static ac_system *make_beam(ac_context *ctx, int order)
{
    ac_pose frames[NODES_MAX];
    ac_beam beam = draw(order, frames);
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    return system;
}

static void random_state(int order, double *x)
{
    for (int e = 0; e <= order; ++e) {
        double R[9];
        random_rotation(0.5, R);
        for (int i = 0; i < 3; ++i) x[12 * e + i] = 0.2 * random_number() + (i == 2 ? 0.5 * e / order : 0.0);
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) x[12 * e + 3 + 3 * I + i] = R[3 * i + I] + 0.05 * random_number();
    }
}

static const double STEP = 1e-5;

TEST(gradient_and_hessian_agree_with_differences)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 2; order <= AC_BEAM_ORDER_MAX; ++order) {
        ac_system *system = make_beam(ctx, order);
        int size = 12 * (order + 1);
        CHECK(KIND->count(system) == ELEMENTS);
        for (int k = 0; k < ELEMENTS; ++k) {
            double x[SIZE], g[SIZE], H[SIZE * SIZE], up[SIZE], down[SIZE];
            random_state(order, x);
            KIND->gradient(system, k, x, NULL, g);
            KIND->hessian(system, k, x, NULL, H);
            for (int j = 0; j < size; ++j) {
                double keep = x[j];
                x[j] = keep + STEP;
                double above = KIND->energy(system, k, x, NULL);
                KIND->gradient(system, k, x, NULL, up);
                x[j] = keep - STEP;
                double below = KIND->energy(system, k, x, NULL);
                KIND->gradient(system, k, x, NULL, down);
                x[j] = keep;
                CHECK_NEAR((above - below) / (2 * STEP), g[j], 2e-7);
                for (int i = 0; i < size; ++i)
                    CHECK_NEAR((up[i] - down[i]) / (2 * STEP), H[i * size + j], 1e-5);
            }
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(discrete_derivative_gives_the_energy_difference)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 2; order <= AC_BEAM_ORDER_MAX; ++order) {
        ac_system *system = make_beam(ctx, order);
        int size = 12 * (order + 1);
        for (int k = 0; k < ELEMENTS; ++k) {
            double xa[SIZE], xb[SIZE], D[SIZE], S[SIZE * SIZE], up[SIZE], down[SIZE], product = 0.0;
            random_state(order, xa);
            random_state(order, xb);
            KIND->discrete(system, k, xa, xb, NULL, D, S);
            for (int i = 0; i < size; ++i) product += D[i] * (xb[i] - xa[i]);
            double difference = KIND->energy(system, k, xb, NULL) - KIND->energy(system, k, xa, NULL);
            CHECK_NEAR(product, difference, 1e-12 * (1 + fabs(difference)));
            for (int j = 0; j < size; ++j) {
                double keep = xb[j];
                xb[j] = keep + STEP;
                KIND->discrete(system, k, xa, xb, NULL, up, NULL);
                xb[j] = keep - STEP;
                KIND->discrete(system, k, xa, xb, NULL, down, NULL);
                xb[j] = keep;
                for (int i = 0; i < size; ++i)
                    CHECK_NEAR((up[i] - down[i]) / (2 * STEP), S[i * size + j], 5e-6);
            }
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(damping_agrees_with_differences_and_takes_energy)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 2; order <= AC_BEAM_ORDER_MAX; ++order) {
        ac_system *system = make_beam(ctx, order);
        int size = 12 * (order + 1);
        double x[SIZE], v[SIZE], f[SIZE], by_x[SIZE * SIZE], by_v[SIZE * SIZE], up[SIZE], down[SIZE],
            power = 0.0;
        random_state(order, x);
        for (int i = 0; i < size; ++i) v[i] = random_number();
        CHECK(KIND->dissipative(system, 1));
        KIND->force(system, 1, x, v, NULL, f, by_x, by_v);
        for (int i = 0; i < size; ++i) power += f[i] * v[i];
        CHECK(power < 0.0);
        for (int j = 0; j < size; ++j) {
            double keep = x[j];
            x[j] = keep + STEP;
            KIND->force(system, 1, x, v, NULL, up, NULL, NULL);
            x[j] = keep - STEP;
            KIND->force(system, 1, x, v, NULL, down, NULL, NULL);
            x[j] = keep;
            for (int i = 0; i < size; ++i)
                CHECK_NEAR((up[i] - down[i]) / (2 * STEP), by_x[i * size + j], 1e-6);
            keep = v[j];
            v[j] = keep + 1.0;
            KIND->force(system, 1, x, v, NULL, up, NULL, NULL);
            v[j] = keep;
            for (int i = 0; i < size; ++i) CHECK_NEAR(up[i] - f[i], by_v[i * size + j], 1e-12);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(rigid_motions_leave_strains_unchanged)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 2; order <= AC_BEAM_ORDER_MAX; ++order) {
        ac_system *system = make_beam(ctx, order);
        const ac_beam_data *beam = &system->beams[0];
        double q[12 * NODES_MAX], turned[12 * NODES_MAX];
        CHECK(beam->nodes == ELEMENTS * order + 1 && ac_beam_points(beam) == ELEMENTS * order);
        for (int trial = 0; trial < 20; ++trial) {
            double R[9], shift[3];
            random_state(beam->nodes - 1, q);
            random_rotation(3.0, R);
            for (int i = 0; i < 3; ++i) shift[i] = 10.0 * random_number();
            for (int part = 0; part < 4 * beam->nodes; ++part) apply3(R, q + 3 * part, turned + 3 * part);
            for (int k = 0; k < beam->nodes; ++k) add3(turned + 12 * k, shift, turned + 12 * k);
            for (int p = 0; p < ac_beam_points(beam); ++p) {
                double before[6], after[6], stress[6];
                ac_beam_at_point(system, beam, p, q, before, stress, NULL);
                ac_beam_at_point(system, beam, p, turned, after, stress, NULL);
                for (int i = 0; i < 6; ++i) CHECK_NEAR(after[i], before[i], 1e-12);
            }
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(the_drawn_shape_is_free_of_stress)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 2; order <= AC_BEAM_ORDER_MAX; ++order) {
        ac_system *system = make_beam(ctx, order);
        const ac_beam_data *beam = &system->beams[0];
        for (int p = 0; p < ac_beam_points(beam); ++p) {
            static const double stiffness[6] = {30, 40, 50, 3, 4, 5};
            double strain[6], stress[6];
            ac_beam_at_point(system, beam, p, system->initial.q, strain, stress, NULL);
            for (int i = 0; i < 3; ++i) CHECK_NEAR(stress[i], 0.0, 1e-12);
            for (int i = 0; i < 3; ++i) CHECK_NEAR(stress[3 + i], -stiffness[3 + i] * 0.1 * (i + 1), 1e-12);
        }
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* With one point on two nodes the fields give the strains of the element of order 1. */
TEST(order_one_is_the_element_with_two_nodes)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_pose frames[NODES_MAX];
    ac_system *system;
    ac_beam beam = draw(1, frames);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
    ac_beam_point point = {0};
    double x[24], y[AC_BEAM_FIELDS], strain[6], known[6];
    random_state(1, x);
    ac_beam_shapes(1, 0.0, point.N, point.dN);
    for (int a = 0; a < 2; ++a) point.dN[a] *= 2.0 / system->mesh.elements[0].length;
    ac_beam_fields(&point, 1, x, y);
    ac_beam_field_strains(y, strain);
    ac_beam_strains(system, 0, x, known);
    for (int i = 0; i < 6; ++i) CHECK_NEAR(strain[i], known[i], 1e-14);
    ac_system_free(system);
    ac_context_free(ctx);
}

TEST(shapes_and_quadrature_are_exact_for_polynomials)
{
    for (int order = 1; order <= AC_BEAM_ORDER_MAX; ++order) {
        const ac_gauss *rule = ac_gauss_rule(order + 1);
        for (int power = 0; power <= 2 * order + 1; ++power) {
            double sum = 0.0;
            for (int g = 0; g < rule->count; ++g) sum += rule->weight[g] * pow(rule->at[g], power);
            CHECK_NEAR(sum, power % 2 ? 0.0 : 2.0 / (power + 1), 1e-15);
        }
        double N[AC_ELEMENT_NODES], dN[AC_ELEMENT_NODES], value = 0.0, slope = 0.0;
        ac_beam_shapes(order, 0.3, N, dN);
        for (int a = 0; a <= order; ++a) {
            value += N[a] * pow(-1.0 + 2.0 * a / order, order);
            slope += dN[a] * pow(-1.0 + 2.0 * a / order, order);
        }
        CHECK_NEAR(value, pow(0.3, order), 1e-15);
        CHECK_NEAR(slope, order * pow(0.3, order - 1), 1e-15);
    }
}

static void linear_profile(const void *data, double s, ac_beam_values *values)
{
    const double *slope = data;
    for (int i = 0; i < 6; ++i) values->stiffness[i] = 10.0 + i + *slope * s;
    values->mass = 2.0 + *slope * s;
    values->inertia[0] = 0.1 + 0.1 * *slope * s;
    values->inertia[1] = 0.2 + 0.1 * *slope * s;
}

/* Total mass, first and second moment of a straight beam whose mass grows linearly are integrals of
 * polynomials. */
TEST(masses_of_a_profile_are_exact)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 1; order <= AC_BEAM_ORDER_MAX; ++order) {
        ac_pose frames[NODES_MAX];
        ac_system *system;
        double slope = 3.0, ones[12 * NODES_MAX], Mv[12 * NODES_MAX], back[12 * NODES_MAX];
        ac_beam beam = draw(order, frames);
        for (int k = 0; k <= ELEMENTS * order; ++k)
            frames[k] = (ac_pose){{0, 0, 0.5 * k / order}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        beam.profile = linear_profile;
        beam.profile_data = &slope;
        CHECK(ac_system_new(ctx, &system) == AC_OK);
        CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        CHECK_NEAR(system->beams[0].mass, 2.0 + 1.5, 1e-14);
        CHECK_NEAR(ac_system_beam(system, 0).end.mass, 5.0, 1e-15);
        for (int power = 0; power <= 1; ++power) { /* momentum and kinetic energy of the velocity z^power */
            double sum = 0.0, twice = 0.0;
            for (int i = 0; i < system->n; ++i)
                ones[i] = i % 12 == 0 ? pow(frames[i / 12].position[2], power) : 0.0;
            ac_mass_apply(system, ones, Mv);
            for (int i = 0; i < system->n; ++i) {
                sum += i % 12 == 0 ? Mv[i] : 0.0;
                twice += Mv[i] * ones[i];
            }
            CHECK_NEAR(sum, 2.0 / (power + 1) + 3.0 / (power + 2), 1e-14);
            CHECK_NEAR(twice, 2.0 / (2 * power + 1) + 3.0 / (2 * power + 2), 1e-14);
        }
        ac_legendre legendre = {0};
        CHECK(ac_legendre_create(ctx, system, false, &legendre) == AC_OK);
        for (int i = 0; i < system->n; ++i) ones[i] = i % 12 < 9 ? random_number() : 0.0;
        ac_mass_apply(system, ones, Mv);
        ac_coupled_inverse_apply(&legendre, Mv, back);
        for (int i = 0; i < system->n; ++i) CHECK_NEAR(back[i], ones[i], 1e-12);
        ac_legendre_destroy(&legendre);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

TEST(bad_beams_are_refused)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_pose frames[NODES_MAX];
    ac_beam good = draw(2, frames), bad = good;
    bad.order = 3;
    expect_bad_beam(ctx, &bad, "beam 'rod': the order must be 1 or 2");
    bad = good;
    bad.model = AC_BEAM_VERTEX;
    expect_bad_beam(ctx, &bad, "beam 'rod': rods (vertex and edge model) have order 1");
    bad = good;
    ac_pose keep = frames[1];
    frames[1].position[2] = 0.49; /* the tangent at the end turns back */
    frames[2].position[2] = 0.1;
    expect_bad_beam(ctx, &bad, "beam 'rod': the nodes of element 0 coincide, are not in a row or turn back");
    frames[1] = keep;
    frames[2].position[2] = 0.5;
    double slope = -3.0;
    bad = good;
    bad.profile = linear_profile;
    bad.profile_data = &slope;
    expect_bad_beam(ctx, &bad, "beam 'rod': mass per length must be positive, it is not at 1 of the length");
    const int corners[2] = {1, 2};
    bad = good;
    bad.corners = corners;
    bad.corner_count = 1;
    expect_bad_beam(ctx, &bad, "beam 'rod': node 1 is no place for a corner");
    bad.corners = corners + 1;
    bad.elements = 1;
    expect_bad_beam(ctx, &bad, "beam 'rod': node 2 is no place for a corner");
    bad.model = AC_BEAM_EDGE;
    bad.order = 1;
    bad.elements = 4;
    expect_bad_beam(ctx, &bad, "beam 'rod': a rod of the edge model has no sharp corners");
    bad.model = AC_BEAM_VERTEX;
    bad.elements = 3;
    expect_bad_beam(ctx, &bad, "beam 'rod': the two nodes of a corner must stand at the same place");
    ac_context_free(ctx);
}

/* What all elements give at once is what they give one after another. */
TEST(all_elements_at_once)
{
    enum { MOST = 12 * NODES_MAX };
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 2; order <= AC_BEAM_ORDER_MAX; ++order) {
        ac_system *system = make_beam(ctx, order);
        int size = 12 * (order + 1);
        double qa[MOST], qb[MOST], mean[MOST], v[MOST], once[3][MOST], sum[3][MOST];
        for (int i = 0; i < system->n; ++i) {
            qa[i] = system->initial.q[i] + 0.05 * random_number();
            qb[i] = system->initial.q[i] + 0.05 * random_number();
            mean[i] = 0.5 * (qa[i] + qb[i]);
            v[i] = random_number();
            for (int t = 0; t < 3; ++t) once[t][i] = sum[t][i] = random_number();
        }
        KIND->add_gradients(system, qa, 0.7, once[0]);
        KIND->add_discretes(system, qa, NULL, qb, mean, 0.6, once[1]);
        KIND->add_forces(system, mean, v, 0.5, once[2]);
        for (int k = 0; k < ELEMENTS; ++k) {
            double g[SIZE], D[SIZE], f[SIZE];
            int at = 12 * order * k;
            KIND->gradient(system, k, qa + at, NULL, g);
            KIND->discrete(system, k, qa + at, qb + at, NULL, D, NULL);
            KIND->force(system, k, mean + at, v + at, NULL, f, NULL, NULL);
            for (int i = 0; i < size; ++i) {
                sum[0][at + i] += 0.7 * g[i];
                sum[1][at + i] += 0.6 * D[i];
                sum[2][at + i] += 0.5 * f[i];
            }
        }
        for (int t = 0; t < 3; ++t)
            for (int i = 0; i < system->n; ++i) CHECK_NEAR(once[t][i], sum[t][i], 1e-12);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(all_elements_at_once), CASE(gradient_and_hessian_agree_with_differences),
          CASE(discrete_derivative_gives_the_energy_difference),
          CASE(damping_agrees_with_differences_and_takes_energy), CASE(rigid_motions_leave_strains_unchanged),
          CASE(the_drawn_shape_is_free_of_stress), CASE(order_one_is_the_element_with_two_nodes),
          CASE(shapes_and_quadrature_are_exact_for_polynomials), CASE(masses_of_a_profile_are_exact),
          CASE(bad_beams_are_refused))
