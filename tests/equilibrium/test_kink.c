/* Tension kinks beams whose elements are too long: the count of elements that the warning asks for is the
 * one from which on a taut string is stable, in every model. */
#include <stdio.h>
#include <stdlib.h>

#include "actio/actio.h"
#include "support/beam_text.h"

/* A strip stretched by 0.3 % between two ball joints, at rest. */
static ac_problem *strip(ac_context *ctx, int elements, const char *kind, const char *section)
{
    ac_problem *problem = NULL;
    char text[1000];
    snprintf(
        text, sizeof text,
        "beams:\n  strip:\n    straight: {from: [0, 0, 0], to: [0.65, 0, 0]}\n    rest_length: =0.65/1.003\n"
        "    elements: %d\n    %s\n    section: {rectangle: {%s}}\n"
        "    material: {young: 200 GPa, density: 7850}\n"
        "joints:\n  - {spherical: [ground, strip.start]}\n  - {spherical: [ground, strip.end]}\n"
        "equilibrium: {}\n",
        elements, kind, section);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    return problem;
}

/* How many elements the warning about the drawn beam asks for; 0: there is none. */
static int asked_for(const ac_problem *problem)
{
    char text[AC_REMARK_SIZE];
    static const char *const ask = "take at least ";
    if (!ac_system_warning(ac_problem_system(problem), 0, text, sizeof text)) {
        CHECK_TEXT(text, "");
        return 0;
    }
    CHECK(strstr(text, "beam 'strip' is pulled with") && strstr(text, "model: edge"));
    const char *count = strstr(text, ask);
    CHECK(count);
    int wanted = count ? atoi(count + strlen(ask)) : 0;
    CHECK(!ac_system_warning(ac_problem_system(problem), 1, text, sizeof text));
    CHECK_TEXT(text, "");
    CHECK(ac_system_warning(ac_problem_system(problem), 0, NULL, 0));
    return wanted;
}

static int asked_by(ac_context *ctx, int elements, const char *kind, const char *section)
{
    ac_problem *problem = strip(ctx, elements, kind, section);
    int count = asked_for(problem);
    ac_problem_free(problem);
    return count;
}

/* Is it stable at rest? Then it must not be called kinked, and the other way round. */
static bool is_stable(ac_context *ctx, int elements, const char *kind)
{
    ac_problem *problem = strip(ctx, elements, kind, "width: 4 mm, height: 2 mm");
    ac_equilibrium *rest = NULL;
    bool done;
    char text[AC_REMARK_SIZE];
    CHECK(ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem), &rest) ==
          AC_OK);
    CHECK(ac_equilibrium_next(rest, &done) == AC_OK);
    int negative = ac_equilibrium_at(rest)->negative;
    CHECK(negative >= 0);
    CHECK(ac_equilibrium_kink(rest, text, sizeof text) == (text[0] != '\0'));
    CHECK((strstr(text, "too long and kink") != NULL) == (negative > 0));
    CHECK(ac_equilibrium_kink(rest, NULL, 0) == (text[0] != '\0'));
    ac_equilibrium_free(rest);
    ac_problem_free(problem);
    return negative == 0;
}

TEST(it_is_stable_from_the_count_on_that_is_asked_for)
{
    static const char *const kinds[] = {"order: 1", "model: vertex", "order: 2"};
    /* l^2 N s = c EI with c = 4 and 24; N = 0.003 E b h and EI = E b h^3 / 12 */
    const double rest = 0.65 / 1.003, shape = 12.0 * 0.003 * 1.003 / (0.002 * 0.002);
    const double limits[] = {4.0, 4.0, 24.0};
    ac_context *ctx = ac_context_new(NULL);
    for (int k = 0; k < 3; ++k) {
        int needed = asked_by(ctx, 8, kinds[k], "width: 4 mm, height: 2 mm");
        CHECK(needed == (int)ceil(rest * sqrt(shape / limits[k])));
        CHECK(!is_stable(ctx, needed - 2, kinds[k]));
        CHECK(is_stable(ctx, needed, kinds[k]));
        CHECK(asked_by(ctx, needed, kinds[k], "width: 4 mm, height: 2 mm") == 0);
    }
    ac_context_free(ctx);
}

TEST(the_weaker_plane_decides)
{
    ac_context *ctx = ac_context_new(NULL);
    int flat = asked_by(ctx, 8, "order: 1", "width: 4 mm, height: 2 mm");
    CHECK(flat > 8);
    CHECK(asked_by(ctx, 8, "order: 1", "width: 2 mm, height: 4 mm") == flat);
    CHECK(asked_by(ctx, 8, "order: 1", "width: 2 mm, height: 2 mm") == flat);
    CHECK(asked_by(ctx, 8, "order: 1", "width: 4 mm, height: 4 mm") < flat);
    ac_context_free(ctx);
}

TEST(edges_do_not_kink)
{
    ac_context *ctx = ac_context_new(NULL);
    CHECK(asked_by(ctx, 8, "model: edge", "width: 4 mm, height: 2 mm") == 0);
    CHECK(is_stable(ctx, 8, "model: edge"));
    ac_context_free(ctx);
}

/* A beam of dual quaternions on a clamp, pulled at its end: EI = GJ = 1 N m^2 unless given, elements of 0.1 m. Its frames keep
 * their length when they bend; a twist of +a and -a shortens them, unless alpha_4 resists: (N s - alpha_4 s^2) l^2 = 4 GJ. */
typedef struct pulled {
    int negative;
    bool kinks, near;
    char text[AC_REMARK_SIZE];
} pulled;

static pulled pull_dual(ac_context *ctx, const char *numbers, double force, double torque)
{
    ac_problem *problem = NULL;
    ac_equilibrium *rest = NULL;
    bool done;
    char text[1000];
    pulled p = {0};
    snprintf(text, sizeof text,
             "beams:\n  line:\n    model: dual_quaternion\n    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
             "    elements: 10\n    stiffness: {shear: [1e4, 1e4], axial: 1e4, %s\n"
             "    inertia: {mass: 0.1, rotary: [1e-4, 1e-4]}\n"
             "joints: [{fixed: [ground, line.start]}]\n"
             "loads: [{force: [%g, 0, 0], on: line.end}, {torque: [%g, 0, 0], on: line.end}]\n"
             "equilibrium: {}\n",
             numbers, force, torque);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    CHECK(ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem), &rest) ==
          AC_OK);
    CHECK(ac_equilibrium_next(rest, &done) == AC_OK);
    p.negative = ac_equilibrium_at(rest)->negative;
    if (!ac_equilibrium_kink(rest, p.text, sizeof p.text)) *p.text = '\0';
    p.kinks = strstr(p.text, "too long and kink") != NULL;
    p.near = strstr(p.text, "it twists too easily") != NULL;
    ac_equilibrium_free(rest);
    ac_problem_free(problem);
    return p;
}

TEST(dual_quaternions_kink_by_twist)
{
    ac_context *ctx = ac_context_new(NULL);
    const char *soft_bending = "bending: [1e-3, 1e-3], torsion: 1}",
               *soft_torsion = "bending: [1, 1], torsion: 1e-2}";
    pulled p = pull_dual(ctx, soft_bending, 50.0, 0.0); /* 4 EI / l^2 = 0.4 N */
    CHECK(p.negative == 0 && *p.text == '\0');
    p = pull_dual(ctx, soft_torsion, 1.9, 0.0); /* 4 GJ / l^2 = 4 N */
    CHECK(p.negative == 0 && *p.text == '\0');
    p = pull_dual(ctx, soft_torsion, 3.9, 0.0);
    CHECK(p.negative == 0 && *p.text == '\0');
    p = pull_dual(ctx, soft_torsion, 2.5, 1e-3); /* the twist of an element is felt */
    CHECK(!p.kinks && p.near);
    p = pull_dual(ctx, soft_torsion, 4.1, 0.0);
    CHECK(p.negative > 0 && p.kinks && !p.near);
    CHECK(strstr(p.text, "at least 11 elements, or ambient_stiffness: [0, 1e+04]"));
    /* alpha_4 = 3 N leaves 4 N of 7 N */
    p = pull_dual(ctx, "bending: [1, 1], torsion: 1e-2}\n    ambient_stiffness: [0, 3]", 6.95, 0.0);
    CHECK(p.negative == 0 && *p.text == '\0');
    p = pull_dual(ctx, "bending: [1, 1], torsion: 1e-2}\n    ambient_stiffness: [0, 3]", 7.05, 0.0);
    CHECK(p.negative > 0 && p.kinks);
    ac_context_free(ctx);
}

/* A line of 101 m between two poles 100 m apart, in ten load steps. Returns the load factor that it comes
 * to. */
static double hang(ac_context *ctx, int elements)
{
    ac_problem *problem = NULL;
    ac_equilibrium *rest = NULL;
    bool done = false;
    char text[1000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nbeams:\n  line: {straight: {from: [0, 0, 0], to: [100, 0, 0]}, "
             "rest_length: 101, elements: %d, section: {circle: {radius: 1 cm}}, material: {young: 70 GPa, "
             "density: 2700}}\n"
             "joints:\n  - {spherical: [ground, line.start]}\n  - {spherical: [ground, line.end]}\n"
             "equilibrium: {steps: 10}\n",
             elements);
    CHECK(parse(ctx, text, &problem) == AC_OK);
    CHECK(ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem), &rest) ==
          AC_OK);
    double reached = 0.0;
    while (!done && ac_equilibrium_next(rest, &done) == AC_OK) reached = ac_equilibrium_at(rest)->factor;
    ac_equilibrium_free(rest);
    ac_problem_free(problem);
    return reached;
}

/* 4 EI / l^2 are 776 N, which is less than half of what it comes to: 1.7 kN. */
TEST(a_search_that_fails_asks_for_what_bears_the_full_load)
{
    static const char *const ask = "take at least ";
    ac_context *ctx = ac_context_new(NULL);
    CHECK(hang(ctx, 60) < 0.5);
    const char *message = ac_context_message(ctx), *asked = strstr(message, ask);
    CHECK(strstr(message, "no equilibrium found at load factor 0.5") &&
          strstr(message, "beam 'line' is pulled with 7"));
    CHECK(strstr(message, " N, under the full load with about 1.7") && strstr(message, ", or model: edge"));
    int count = asked ? atoi(asked + strlen(ask)) : 0;
    CHECK(count >= 90 && count <= 110);
    CHECK_NEAR(hang(ctx, count), 1.0, 1e-12);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(it_is_stable_from_the_count_on_that_is_asked_for), CASE(the_weaker_plane_decides),
          CASE(dual_quaternions_kink_by_twist), CASE(edges_do_not_kink),
          CASE(a_search_that_fails_asks_for_what_bears_the_full_load))
