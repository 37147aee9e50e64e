/* Cross-sections: properties against integrals, series and limits that share no formula with the library;
 * values with a material; messages. */
#include "actio/beam.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static ac_beam_section computed(ac_beam_section section, double poisson)
{
    ac_context *ctx = ac_context_new(NULL);
    CHECK(ac_beam_section_compute(ctx, &section, poisson) == AC_OK);
    ac_context_free(ctx);
    return section;
}

/* Prandtl's stress function as a double sine series: J = sum 256 a b / (pi^6 m^2 n^2 (m^2/a^2 + n^2/b^2)). */
static double torsion_by_series(double a, double b)
{
    double sum = 0;
    for (int m = 1; m < 2000; m += 2)
        for (int n = 1; n < 2000; n += 2)
            sum += 1 / ((double)m * m * n * n * ((double)m * m / (a * a) + (double)n * n / (b * b)));
    return 256 * a * b / pow(PI, 6) * sum;
}

TEST(rectangles)
{
    static const double sizes[][2] = {{1, 1}, {0.02, 0.01}, {0.01, 0.05}};
    for (int k = 0; k < 3; ++k) {
        double w = sizes[k][0], h = sizes[k][1], J = torsion_by_series(w, h);
        ac_beam_section s = computed((ac_beam_section){AC_BEAM_RECTANGLE, .width = w, .height = h}, 0.3);
        CHECK_NEAR(s.torsion, J, 1e-6 * J);
        CHECK_NEAR(s.area, w * h, 1e-15);
        CHECK_NEAR(s.moment[0], w * pow(h, 3) / 12, 1e-15);
        CHECK_NEAR(s.moment[1], h * pow(w, 3) / 12, 1e-15);
        CHECK(s.shear_factor[0] == 5.0 / 6.0 && s.shear_factor[1] == 5.0 / 6.0);
    }
    /* a thin strip twists as its thickness cubed, less what is missing at its ends */
    ac_beam_section strip = computed((ac_beam_section){AC_BEAM_RECTANGLE, .width = 100, .height = 1}, 0.3);
    CHECK_NEAR(strip.torsion, (100 - 0.630249) / 3, 1e-6);
}

/* Integrals over the area in polar coordinates: the radius by Simpson's rule, which is exact for r^3. */
TEST(circles_and_tubes)
{
    static const double inner[] = {0, 0.3, 0.9};
    for (int k = 0; k < 3; ++k) {
        ac_beam_shape shape = k == 0 ? AC_BEAM_CIRCLE : AC_BEAM_TUBE;
        double r = inner[k], R = 1.1, m = 0.5 * (r + R);
        ac_beam_section s = computed((ac_beam_section){shape, .radius = R, .inner_radius = r}, 0.25);
        CHECK_NEAR(s.area, 2 * PI * (R - r) * m, 1e-14);
        double polar = 2 * PI * (R - r) / 6 * (pow(r, 3) + 4 * pow(m, 3) + pow(R, 3));
        CHECK_NEAR(s.torsion, polar, 1e-14);
        CHECK_NEAR(s.moment[0], polar / 2, 1e-14);
        CHECK_NEAR(s.moment[1], polar / 2, 1e-14);
    }
}

/* A tube with a small hole is a circle; one with a thin wall has 2 pi R t, pi R^3 t, 2 pi R^3 t, and Cowper's
 * factor (2 + 2 nu) / (4 + 3 nu). The difference falls with the square of the hole, and with the wall. */
TEST(limits_of_a_tube)
{
    const double nu = 0.3, circle = 6 * (1 + nu) / (7 + 6 * nu), thin = 2 * (1 + nu) / (4 + 3 * nu);
    double hole[2], wall[2];
    for (int k = 0; k < 2; ++k) {
        double small = k == 0 ? 1e-3 : 1e-4;
        ac_beam_section s = computed((ac_beam_section){AC_BEAM_TUBE, .radius = 1, .inner_radius = small}, nu);
        hole[k] = fabs(s.shear_factor[0] - circle);
        CHECK_NEAR(s.moment[0], PI / 4, 2 * small * small);
        s = computed((ac_beam_section){AC_BEAM_TUBE, .radius = 1, .inner_radius = 1 - small}, nu);
        wall[k] = fabs(s.shear_factor[1] - thin);
        CHECK_NEAR(s.area / (2 * PI * small), 1, small);
        CHECK_NEAR(s.moment[1] / (PI * small), 1, 2 * small);
        CHECK_NEAR(s.torsion / (2 * PI * small), 1, 2 * small);
    }
    CHECK_NEAR(hole[0] / hole[1], 100, 0.1);
    CHECK_NEAR(wall[0] / wall[1], 100, 1); /* m^2 / (1 + m^2)^2 is largest at m = 1 */
}

/* The integral over d2 of width(x2) and of width(x2) x2^2, flange by flange, Simpson's rule being exact;
 * about d2 that of width^3 / 12. */
static void integrate_i(const ac_beam_section *s, double *area, double moment[2])
{
    double cut = s->height / 2 - s->flange;
    const double from[3] = {-s->height / 2, -cut, cut}, to[3] = {-cut, cut, s->height / 2};
    *area = moment[0] = moment[1] = 0;
    for (int k = 0; k < 3; ++k) {
        double wide = k == 1 ? s->web : s->width, l = to[k] - from[k], m = 0.5 * (from[k] + to[k]);
        *area += wide * l;
        moment[0] += wide * l / 6 * (from[k] * from[k] + 4 * m * m + to[k] * to[k]);
        moment[1] += pow(wide, 3) / 12 * l;
    }
}

TEST(i_sections)
{
    ac_beam_section ipe = {AC_BEAM_I_SECTION, .width = 0.1, .height = 0.2, .web = 0.0056, .flange = 0.0085};
    double area, moment[2];
    ac_beam_section s = computed(ipe, 0.3);
    integrate_i(&s, &area, moment);
    CHECK_NEAR(s.area, area, 1e-15);
    CHECK_NEAR(s.moment[0], moment[0], 1e-18);
    CHECK_NEAR(s.moment[1], moment[1], 1e-18);
    /* three strips; the shear goes through the web, and through both flanges */
    CHECK_NEAR(s.torsion, (2 * 0.1 * pow(0.0085, 3) + (0.2 - 0.0085) * pow(0.0056, 3)) / 3, 1e-20);
    CHECK_NEAR(s.shear_factor[0] * s.area, 5.0 / 6.0 * 2 * 0.1 * 0.0085, 1e-16);
    CHECK_NEAR(s.shear_factor[1] * s.area, 0.2 * 0.0056, 1e-16);
    /* the rolled profile IPE 200 has fillets besides: 28.5 cm^2, 1943 cm^4, 142 cm^4 */
    CHECK(s.area < 28.5e-4 && s.area > 0.94 * 28.5e-4);
    CHECK(s.moment[0] < 1943e-8 && s.moment[0] > 0.94 * 1943e-8);
    CHECK(s.moment[1] < 142.4e-8 && s.moment[1] > 0.99 * 142.4e-8);
    /* a web as wide as the flanges makes a rectangle */
    s = computed((ac_beam_section){AC_BEAM_I_SECTION, .width = 3, .height = 2, .web = 3, .flange = 0.4}, 0.3);
    CHECK_NEAR(s.area, 6, 1e-14);
    CHECK_NEAR(s.moment[0], 3 * 8 / 12.0, 1e-14);
    CHECK_NEAR(s.moment[1], 2 * 27 / 12.0, 1e-14);
}

TEST(a_section_with_a_material)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_beam_section s = computed((ac_beam_section){AC_BEAM_RECTANGLE, .width = 0.02, .height = 0.01}, 0.25);
    ac_beam_material steel = {.young = 2e11, .poisson = 0.25, .density = 7800};
    ac_beam_values v;
    ac_beam beam = {.name = "bar", .damping = 1};
    CHECK(ac_beam_section_values(ctx, &s, &steel, &v) == AC_OK);
    ac_beam_set_values(&beam, &v);
    CHECK_NEAR(beam.shear[0], 8e10 * 2e-4 * 5 / 6, 1e-6);
    CHECK_NEAR(beam.shear[1], 8e10 * 2e-4 * 5 / 6, 1e-6);
    CHECK_NEAR(beam.axial, 2e11 * 2e-4, 1e-6);
    CHECK_NEAR(beam.bending[0], 2e11 * 0.02 * 1e-6 / 12, 1e-9); /* about d1, over the height along d2 */
    CHECK_NEAR(beam.bending[1], 2e11 * 0.01 * 8e-6 / 12, 1e-9);
    CHECK_NEAR(beam.torsion, 8e10 * s.torsion, 1e-9);
    CHECK_NEAR(beam.mass, 1.56, 1e-14);
    CHECK_NEAR(beam.inertia[0], 7800 * 0.01 * 8e-6 / 12, 1e-16); /* of d1: integral of x_1^2 */
    CHECK_NEAR(beam.inertia[1], 7800 * 0.02 * 1e-6 / 12, 1e-16);
    CHECK(beam.damping == 1);
    steel.shear = 7e10;
    s.shear_factor[1] = 0.5;
    CHECK(ac_beam_section_values(ctx, &s, &steel, &v) == AC_OK);
    CHECK_NEAR(v.stiffness[0], 7e10 * 2e-4 * 5 / 6, 1e-6);
    CHECK_NEAR(v.stiffness[1], 7e10 * 2e-4 / 2, 1e-6);
    ac_context_free(ctx);
}

static void expect_bad_section(ac_beam_section section, double poisson, const char *message)
{
    ac_context *ctx = ac_context_new(NULL);
    CHECK(ac_beam_section_compute(ctx, &section, poisson) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), message);
    ac_context_free(ctx);
}

TEST(sections_that_cannot_be)
{
    expect_bad_section((ac_beam_section){0}, 0.3, "the section has no shape");
    expect_bad_section((ac_beam_section){AC_BEAM_RECTANGLE, .width = 1}, 0.3, "height must be positive");
    expect_bad_section((ac_beam_section){AC_BEAM_RECTANGLE, .width = NAN, .height = 1}, 0.3,
                       "width must be positive");
    expect_bad_section((ac_beam_section){AC_BEAM_CIRCLE, .radius = -1}, 0.3, "radius must be positive");
    expect_bad_section((ac_beam_section){AC_BEAM_CIRCLE, .radius = 1, .inner_radius = 0.5}, 0.3,
                       "a circle has no inner radius; it would be a tube");
    expect_bad_section((ac_beam_section){AC_BEAM_TUBE, .radius = 1}, 0.3, "inner_radius must be positive");
    expect_bad_section((ac_beam_section){AC_BEAM_TUBE, .radius = 1, .inner_radius = 1}, 0.3,
                       "inner_radius must be smaller than radius");
    expect_bad_section((ac_beam_section){AC_BEAM_I_SECTION, .width = 1, .height = 1, .web = 0.1}, 0.3,
                       "flange must be positive");
    expect_bad_section(
        (ac_beam_section){AC_BEAM_I_SECTION, .width = 1, .height = 1, .web = 0.1, .flange = 0.5}, 0.3,
        "the flanges and the web must fit into height and width");
    expect_bad_section((ac_beam_section){AC_BEAM_CIRCLE, .radius = 1}, 0.6,
                       "poisson must be above -1 and at most 0.5");
}

static void expect_bad_material(ac_beam_material material, double area, const char *message)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_beam_section s = {.area = area, .moment = {1, 1}, .torsion = 1, .shear_factor = {1, 1}};
    ac_beam_values values;
    CHECK(ac_beam_section_values(ctx, &s, &material, &values) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), message);
    ac_context_free(ctx);
}

TEST(materials_that_cannot_be)
{
    expect_bad_material((ac_beam_material){.poisson = 0.3, .density = 1}, 1, "young must be positive");
    expect_bad_material((ac_beam_material){.young = 1, .poisson = -1, .density = 1}, 1,
                        "poisson must be above -1 and at most 0.5");
    expect_bad_material((ac_beam_material){.young = 1, .shear = -1, .density = 1}, 1,
                        "shear must be positive");
    expect_bad_material((ac_beam_material){.young = 1, .poisson = 0.3}, 1, "density must be positive");
    expect_bad_material((ac_beam_material){.young = 1, .poisson = 0.3, .density = 1}, 0,
                        "area must be positive");
}

RUN_TESTS(CASE(rectangles), CASE(circles_and_tubes), CASE(limits_of_a_tube), CASE(i_sections),
          CASE(a_section_with_a_material), CASE(sections_that_cannot_be), CASE(materials_that_cannot_be))
