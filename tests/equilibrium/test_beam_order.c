/* Beams of order 2, with values that change along them and with sharp corners, at rest against known
 * solutions. */
#include "actio/equilibrium.h"
#include "base/vector.h"
#include "model/system.h"
#include "support/beams.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};
static const double PI = 3.14159265358979323846;

/* Solves at the full load. */
static void rest(ac_context *ctx, const ac_system *system, int steps, double *q)
{
    ac_equilibrium_settings settings;
    ac_equilibrium *equilibrium = NULL;
    bool done = false;
    ac_equilibrium_defaults(&settings);
    settings.steps = steps;
    settings.tolerance = 1e-12;
    ac_status status = ac_equilibrium_new(ctx, system, &settings, &equilibrium);
    while (status == AC_OK && !done) status = ac_equilibrium_next(equilibrium, &done);
    CHECK(status == AC_OK);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    if (equilibrium) memcpy(q, ac_equilibrium_configuration(equilibrium), (size_t)system->n * sizeof *q);
    ac_equilibrium_free(equilibrium);
}

/* Solves and returns the place of a node. */
static void place_at_rest(ac_context *ctx, ac_system *system, int steps, int node, double place[3])
{
    CHECK(ac_system_finish(system, NULL) == AC_OK);
    double *q = calloc((size_t)system->n, sizeof *q);
    rest(ctx, system, steps, q);
    copy3(q + system->nodes[node].q, place);
    free(q);
    ac_system_free(system);
}

/* Tip of a clamped slender beam of length 1 and EI = 1 along x under its weight and loads of its tip. */
static void bend(ac_context *ctx, int order, int elements, double weight, double force, double torque,
                 double tip[3])
{
    beam_data d = {AC_BEAM_DIRECTOR, elements, 1.0, 1e4, 1e4, {1, 1}, 1, 1, 0.01, 0, order};
    const double gravity[3] = {0, 0, -weight};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    int first = add_straight(system, "arm", &d, NULL), end = first + last_node(&d);
    hold(system, AC_FIXED, first, ORIGIN);
    if (force != 0) push(ctx, system, AC_LOAD_FORCE, end, 0, 0, force);
    if (torque != 0) push(ctx, system, AC_LOAD_TORQUE, end, 0, -torque, 0);
    place_at_rest(ctx, system, 10, end, tip);
}

/* Timoshenko: w = F L^3 / 3EI + F L / GA. Two elements are enough. */
TEST(a_small_load_at_the_tip_is_exact)
{
    ac_context *ctx = ac_context_new(NULL);
    double tip[3], F = 1e-5;
    bend(ctx, 2, 2, 0, F, 0, tip);
    CHECK_NEAR(tip[2], F / 3 + F / 1e4, 1e-7 * F);
    ac_context_free(ctx);
}

/* Small weight: w = q L^4 / 8EI + q L^2 / 2GA, less 1.6e-9 because it turns; the error falls with the
 * fourth power, that of order 1 with the second. */
TEST(a_cantilever_under_its_weight_converges_with_order_four)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 1; order <= 2; ++order) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            double tip[3], q = 1e-2;
            bend(ctx, order, 4 << k, q, 0, 0, tip);
            error[k] = fabs(tip[2] + q / 8 + q / 2e4 - 1.5625e-9) / (q / 8);
        }
        CHECK_NEAR(log2(error[0] / error[1]), 2.0 * order, 0.1);
        CHECK(error[1] < (order == 1 ? 1e-5 : 2e-8));
    }
    ac_context_free(ctx);
}

/* Large deflection, F L^2 / EI = 10; inextensible: (0.44500, 0.81061) by elliptic integrals (Mattiasson
 * 1981); with shear and stretch of 1e-3 here (0.445004, 0.811609) from 192 nodes. */
TEST(a_large_deflection_needs_few_elements)
{
    ac_context *ctx = ac_context_new(NULL);
    double error[2];
    for (int k = 0; k < 2; ++k) {
        double tip[3];
        bend(ctx, 2, 8 << k, 0, 10, 0, tip);
        error[k] = hypot(tip[0] - 0.445004397434, tip[2] - 0.811609035685);
    }
    CHECK(error[0] < 4e-4);
    CHECK_NEAR(log2(error[0] / error[1]), 4.0, 0.2);
    ac_context_free(ctx);
}

/* M = 2 pi EI / L closes the circle. */
TEST(a_full_circle_closes_with_order_four)
{
    ac_context *ctx = ac_context_new(NULL);
    double gap[2];
    for (int k = 0; k < 2; ++k) {
        double tip[3];
        bend(ctx, 2, 8 << k, 0, 0, 2 * PI, tip);
        gap[k] = norm3(tip);
    }
    CHECK(gap[0] < 5e-3);
    CHECK_NEAR(log2(gap[0] / gap[1]), 4.0, 0.15);
    ac_context_free(ctx);
}

/* The strip of the Princeton experiment (508 x 12.77 x 3.2 mm, aluminium) with 13.345 N at 45 degrees to
 * its section: it bends both ways and twists, its stiffness in the two directions differs by 16. */
static void strip(ac_context *ctx, int order, int elements, double tip[3])
{
    const double b = 12.77e-3, h = 3.2024e-3, E = 71.7e9, G = E / 2.62, A = b * h, F = 13.345 * sqrt(0.5);
    const double torsion = b * h * h * h / 3 * (1 - 0.63 * h / b);
    beam_data d = {AC_BEAM_DIRECTOR,
                   elements,
                   0.508,
                   5.0 / 6 * G * A,
                   E * A,
                   {E * b * h * h * h / 12, E * h * b * b * b / 12},
                   G * torsion,
                   2700 * A,
                   1e-6,
                   0,
                   order};
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int first = add_straight(system, "strip", &d, NULL), end = first + last_node(&d);
    hold(system, AC_FIXED, first, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, end, 0, F, F);
    place_at_rest(ctx, system, 4, end, tip);
}

TEST(six_elements_of_order_two_are_better_than_32_of_order_one)
{
    ac_context *ctx = ac_context_new(NULL);
    double limit[3], tip[3], gap[3], error[2];
    strip(ctx, 2, 32, limit);
    CHECK(limit[1] > 0.1 && limit[2] > 0.01); /* far beyond small deflections */
    for (int k = 0; k < 2; ++k) {
        strip(ctx, 2 - k, k == 0 ? 6 : 32, tip);
        sub3(tip, limit, gap);
        error[k] = norm3(gap);
    }
    CHECK(error[0] < 0.5 * error[1] && error[1] < 1e-3);
    ac_context_free(ctx);
}

static void bent_cantilever(ac_context *ctx, int elements, double tip[3])
{
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    int last = add_bend(ctx, system, AC_BEAM_DIRECTOR, 2, elements);
    CHECK_NEAR(ac_system_beam(system, 0).length, 25 * PI, 1e-3);
    place_at_rest(ctx, system, 6, last, tip);
}

/* Bathe and Bolourchi (1979): an eighth of a circle under a load across its plane. Published tip (15.79,
 * 47.23, 53.37) by Simo and Vu-Quoc (1986) with eight elements; the limit of fine meshes is (15.6848,
 * 47.1504, 53.4749). */
TEST(few_curved_elements_give_the_bent_cantilever)
{
    static const double limit[3] = {15.68481, 47.15045, 53.47484};
    ac_context *ctx = ac_context_new(NULL);
    double error[2];
    for (int k = 0; k < 2; ++k) {
        double tip[3], gap[3];
        bent_cantilever(ctx, 4 << k, tip);
        sub3(tip, limit, gap);
        error[k] = norm3(gap);
        CHECK_NEAR(tip[0], 15.79, 0.15);
        CHECK_NEAR(tip[1], 47.23, 0.15);
        CHECK_NEAR(tip[2], 53.37, 0.25);
    }
    CHECK(error[1] < 0.01);
    CHECK_NEAR(log2(error[0] / error[1]), 4.0, 0.2);
    ac_context_free(ctx);
}

/* A beam whose height shrinks linearly from 1 to `thin`: EI_2 goes with its third power, all else with the
 * first. */
static void tapered(const void *data, double s, ac_beam_values *values)
{
    double thin = *(const double *)data, h = 1.0 + (thin - 1.0) * s;
    *values = (ac_beam_values){
        {500 * h, 500 * h, 1000 * h, 300 * h, 30 * h * h * h, 20 * h}, h, {0.01 * h, 0.01 * h}};
}

/* w = F L^3 / E I0 [ln(1/a) + 2a - a^2/2 - 3/2] / (1 - a)^3 + F L / G A0 ln(1/a) / (1 - a) for the ratio a
 * of the heights. */
TEST(a_tapered_cantilever_bends_as_the_integral_says)
{
    ac_context *ctx = ac_context_new(NULL);
    const double a = 0.7, L = 2.0, F = 1e-3;
    double bending = F * L * L * L / 30 * (log(1 / a) + 2 * a - a * a / 2 - 1.5) / pow(1 - a, 3);
    double shear = F * L / 500 * log(1 / a) / (1 - a);
    for (int order = 1; order <= 2; ++order) {
        double error[2];
        for (int k = 0; k < 2; ++k) {
            ac_pose frames[40] = {0};
            ac_system *system;
            int elements = 8 << k, last = order * elements;
            for (int i = 0; i <= last; ++i) {
                frames[i].position[0] = L * i / last;
                memcpy(frames[i].rotation, ALONG_X, sizeof ALONG_X);
            }
            ac_beam beam = {
                .name = "arm", .order = order, .elements = elements, .frames = frames, .profile = tapered};
            beam.profile_data = &a;
            double tip[3];
            CHECK(ac_system_new(ctx, &system) == AC_OK);
            CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
            CHECK_NEAR(ac_system_beam(system, 0).mass, L * (1 + a) / 2, 1e-13);
            hold(system, AC_FIXED, 0, ORIGIN);
            push(ctx, system, AC_LOAD_FORCE, last, 0, 0, F);
            place_at_rest(ctx, system, 1, last, tip);
            error[k] = fabs(tip[2] / (bending + shear) - 1.0);
        }
        CHECK_NEAR(log2(error[0] / error[1]), 2.0 * order, 0.15);
        CHECK(error[1] < (order == 1 ? 5e-3 : 1e-6));
    }
    ac_context_free(ctx);
}

static ac_pose frame_at(double x, double z, double cosine, double sine)
{
    ac_pose frame = {{x, 0, z},
                     {-sine, 0, cosine, 0, -1, 0, cosine, 0, sine}}; /* d3 = (cosine, 0, sine), d2 = -y */
    return frame;
}

/* A bracket: along x, then up. As one beam with a corner, and as two beams with a fixed joint. */
static void bracket(ac_context *ctx, int order, bool joined, double tip[3])
{
    enum { EACH = 3 };
    ac_pose frames[2 * (2 * EACH + 1)];
    ac_system *system;
    int half = order * EACH, count = half + 1, first[2] = {0, 0};
    for (int k = 0; k <= half; ++k) {
        frames[k] = frame_at(1.0 * k / half, 0, 1, 0);
        frames[count + k] = frame_at(1, 0.5 * k / half, 0, 1);
    }
    ac_beam beam = {.name = "bracket",
                    .order = order,
                    .elements = 2 * EACH,
                    .frames = frames,
                    .corners = &half,
                    .corner_count = 1,
                    .shear = {500, 500},
                    .axial = 1000,
                    .bending = {3, 2},
                    .torsion = 1,
                    .mass = 1,
                    .inertia = {0.01, 0.01}};
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    if (joined) {
        beam.elements = EACH;
        beam.corner_count = 0;
        for (int p = 0; p < 2; ++p, beam.frames += count)
            CHECK(ac_system_add_beam(system, &beam, &first[p]) == AC_OK);
        ac_joint corner = {.name = "corner", .type = AC_FIXED, .a = half, .b = count};
        corner.frame_a = corner.frame_b = ac_pose_identity();
        transposed_multiply3(frames[half].rotation, frames[count].rotation, corner.frame_a.rotation);
        CHECK(ac_system_add_joint(system, &corner, NULL) == AC_OK);
    } else {
        CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
        CHECK_NEAR(ac_system_beam(system, 0).length, 1.5, 1e-14);
    }
    hold(system, AC_FIXED, 0, ORIGIN);
    push(ctx, system, AC_LOAD_FORCE, 2 * count - 1, 0.5, 0.2, -1.0);
    place_at_rest(ctx, system, 4, 2 * count - 1, tip);
}

TEST(a_sharp_corner_is_two_beams_with_a_fixed_joint)
{
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 1; order <= 2; ++order) {
        double one[3], two[3];
        bracket(ctx, order, false, one);
        bracket(ctx, order, true, two);
        for (int i = 0; i < 3; ++i) CHECK_NEAR(one[i], two[i], 1e-11);
        CHECK(fabs(one[2] - 0.5) > 0.02);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_small_load_at_the_tip_is_exact),
          CASE(a_cantilever_under_its_weight_converges_with_order_four),
          CASE(a_large_deflection_needs_few_elements), CASE(a_full_circle_closes_with_order_four),
          CASE(six_elements_of_order_two_are_better_than_32_of_order_one),
          CASE(few_curved_elements_give_the_bent_cantilever),
          CASE(a_tapered_cantilever_bends_as_the_integral_says),
          CASE(a_sharp_corner_is_two_beams_with_a_fixed_joint))
