/* What is reported of an equilibrium: its stability with loops and neutral motions, all events of a path,
 * what is left of the forces, and that nothing is passed over in silence. */
#include "support/story.h"

static const char ARCH[] = "title: arch\n" HINGED_ARCH "equilibrium: {path: {step: 0.02, points: 60}}\n";

/* An arch bends before it sways: the bifurcation lies on a path that is not straight. */
TEST(an_arch_sways_at_the_same_load_whatever_the_step)
{
    static const char *const steps[] = {"equilibrium.path.step=0.02", "equilibrium.path.step=0.013",
                                        "equilibrium.path.step=0.03"};
    for (int k = 0; k < 3; ++k) {
        story s = story_of(ARCH, steps[k], NULL);
        CHECK(s.status == AC_OK);
        CHECK(s.bifurcations >= 1);
        CHECK_NEAR(s.bifurcation[0], 8.36725, 1e-5);
    }
    story s = story_of(ARCH, "equilibrium.path.branch=1", NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.last.factor < 8.0); /* the arch that sways carries less */
    CHECK(s.limits == 0);
}

/* A steep truss of two springs: sideways K_xx = 2 k (1 - l0 / l + l0 / l^3), along the load K_zz vanishes
 * at l^3 = l0. The second zero of K_xx and the limit point lie within one step, and the number of negative
 * eigenvalues is the same before and behind both. */
TEST(a_bifurcation_beside_a_limit_point_is_found)
{
    static const char text[] =
        "title: truss\n"
        "gravity: [0, -1]\n"
        "points: {top: {mass: 1, position: [0, 2.5]}}\n"
        "springs:\n"
        "  - {between: [ground, top], at: {ground: [-1, 0]}, stiffness: 100, length: =sqrt(7.25)}\n"
        "  - {between: [ground, top], at: {ground: [1, 0]}, stiffness: 100, length: =sqrt(7.25)}\n"
        "equilibrium: {path: {step: 0.4, points: 6}}\n";
    double l0 = sqrt(7.25), expected[2];
    for (int k = 0; k < 2; ++k) { /* roots of l^3 - l0 l^2 + l0 by Newton's method */
        double l = k == 0 ? 2.05 : 1.5;
        for (int it = 0; it < 20; ++it) l -= (l * l * l - l0 * l * l + l0) / (3 * l * l - 2 * l0 * l);
        expected[k] = 200 * sqrt(l * l - 1) * (l0 / l - 1);
    }
    double l = cbrt(l0), limit = 200 * sqrt(l * l - 1) * (l0 / l - 1);
    story s = story_of(text, NULL, NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.limits == 1 && s.bifurcations == 2);
    CHECK_NEAR(s.limit[0], limit, 1e-7);
    for (int k = 0; k < 2; ++k) CHECK_NEAR(s.bifurcation[k], expected[k], 1e-5);
}

static const char LINKAGE[] =
    "title: parallelogram\n"
    "parameters: {x: 0, y: 2.5, k: 40, l: 1}\n"
    "planar_bodies:\n"
    "  crank:   {solid: {rod: {length: 1, mass: 1}}}\n"
    "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"
    "  rocker:  {solid: {rod: {length: 1, mass: 1}}}\n"
    "joints:\n"
    "  - {name: A, revolute: [ground, crank], at: {crank: start}, angle: 90 deg}\n"
    "  - {name: B, revolute: [crank, coupler], at: {crank: end, coupler: start}, angle: -90 deg}\n"
    "  - {name: C, revolute: [coupler, rocker], at: {coupler: end, rocker: end}, angle: 90 deg}\n"
    "  - {name: D, revolute: [ground, rocker], at: {ground: [3, 0], rocker: start}}\n"
    "springs:\n"
    "  - {between: [ground, crank], at: {ground: [=x, =y], crank: end}, stiffness: =k, length: =l}\n"
    "equilibrium: {}\n";

/* One freedom, the angle of the crank: the spring from (0, a) pulls the crank up with V'' = k (d - l) / d
 * a with d = a - 1, and pushes it away when it is longer than d. At d = l it is neutral. */
TEST(a_closed_linkage_is_judged_by_its_one_freedom)
{
    static const char *const lengths[] = {"parameters.l=1", "parameters.l=1.4999", "parameters.l=1.5",
                                          "parameters.l=1.5001", "parameters.l=2"};
    static const int negative[] = {0, 0, 0, 1, 1}, neutral[] = {0, 0, 1, 0, 0};
    static const char *const stiffness[] = {"parameters.k=40", "parameters.k=1e-3"};
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 5; ++k) {
            story s = story_of(LINKAGE, lengths[k], stiffness[i]);
            CHECK(s.status == AC_OK);
            CHECK(s.last.negative == negative[k] && s.last.neutral == neutral[k]);
        }
    }
}

#define ROD                                            \
    "beams:\n"                                         \
    "  b:\n"                                           \
    "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n" \
    "    elements: 20\n"                               \
    "    section: {circle: {radius: 1 cm}}\n"          \
    "    material: {young: 10 MPa, poisson: 0.5, density: 1100}\n"

/* A beam on a hinge turns, on a ball joint it turns three ways, free it moves in six: neither instability
 * nor an error, whatever the mesh. */
TEST(motions_without_resistance_are_neutral)
{
    static const char *const texts[] = {
        "title: t\n" ROD "joints: [{revolute: [ground, b.start], axis: [0, 1, 0]}]\nequilibrium: {}\n",
        "title: t\n" ROD "joints: [{spherical: [ground, b.start]}]\nequilibrium: {}\n",
        "title: t\n" ROD "equilibrium: {}\n"};
    static const int neutral[] = {1, 3, 6};
    static const char *const meshes[] = {"beams.b.elements=3", "beams.b.elements=20", "beams.b.elements=34",
                                         "beams.b.elements=60", "beams.b.elements=300"};
    static const char *const models[] = {"beams.b.model=director", "beams.b.model=edge"};
    for (int t = 0; t < 3; ++t) {
        for (int m = 0; m < 10; ++m) {
            story s = story_of(texts[t], meshes[m / 2], models[m % 2]);
            CHECK(s.status == AC_OK);
            CHECK(s.last.negative == 0 && s.last.neutral == neutral[t]);
        }
    }
}

TEST(a_free_beam_under_its_weight_is_told_that_nothing_holds_it)
{
    static const char *const meshes[] = {"beams.b.elements=3", "beams.b.elements=20", "beams.b.elements=34"};
    for (int m = 0; m < 3; ++m) {
        story s = story_of("title: t\ngravity: [0, 0, -9.81]\n" ROD "equilibrium: {}\n", meshes[m], NULL);
        CHECK(s.status == AC_SINGULAR);
        CHECK(strstr(s.message, "nothing holds the system") != NULL);
        s = story_of("title: t\ngravity: [0, 0, -9.81]\n" ROD "equilibrium: {path: {step: 0.1, points: 3}}\n",
                     meshes[m], NULL);
        CHECK(s.status == AC_SINGULAR);
        CHECK(strstr(s.message, "nothing holds the system") != NULL);
    }
    story s = story_of("title: t\ngravity: [0, 0, -9.81]\n" ROD
                       "joints: [{spherical: [ground, b.start]}]\nequilibrium: {}\n",
                       NULL, NULL);
    CHECK(s.status == AC_OK); /* hangs down; only the turning about its own axis is left */
    CHECK(s.last.negative == 0 && s.last.neutral == 1);
}

/* Which motion, and how strong: at once, not after the fall. */
TEST(a_push_without_resistance_is_described)
{
    static const struct {
        const char *held, *load, *told;
    } cases[] = {
        {"", "{force: [0, 0.3, 0.4], on: b.end}", "'b' can move along (0, 0.6, 0.8)"},
        {"", "{force: [0, 0.3, 0.4], on: b.end}", "push it with 0.5 N;"},
        {"joints: [{prismatic: [ground, b.start], axis: [0, 1, 0]}]\n", "{force: [0, 0.2, 0.1], on: b.end}",
         "'b' can move along (0, 1, 0) without resistance, and the loads push it with 0.2 N;"},
    };
    for (int k = 0; k < 6; ++k) {
        char text[1000];
        snprintf(text, sizeof text, "title: t\n" ROD "%sloads: [%s]\nequilibrium: %s\n", cases[k / 2].held,
                 cases[k / 2].load, k % 2 ? "{path: {step: 0.1, points: 3}}" : "{}");
        story s = story_of(text, NULL, NULL);
        CHECK(s.status == AC_SINGULAR);
        CHECK(strstr(s.message, cases[k / 2].told) != NULL);
    }
    static const char *const turned[] = {
        "title: t\n" ROD "joints: [{revolute: [ground, b.start], axis: [0, 1, 0]}]\n"
        "loads: [{torque: [0, 0.2, 0], on: b.end}]\nequilibrium: {path: {step: 0.1, points: 3}}\n",
        "title: t\n" ROD "joints: [{revolute: [ground, b.start], axis: [0, 1, 0]}]\n"
        "loads: [{torque: [0, 0.2, 0], on: b.end}]\nequilibrium: {}\n"};
    for (int k = 0; k < 2; ++k) {
        story s = story_of(turned[k], NULL, NULL);
        CHECK(s.status == AC_SINGULAR);
        CHECK(strstr(s.message, "'b' can turn about (0, 1, 0)") != NULL);
        CHECK(strstr(s.message, "push it with 0.2 N m;") != NULL);
    }
}

/* Two opposite moments bend a rod as one moment bends it in a clamp; on a hinge it can still turn as a
 * whole. */
TEST(a_path_goes_on_where_the_load_does_not_push_the_neutral_motion)
{
    static const char task[] = "equilibrium: {path: {step: 0.05, points: 40, levels: [0.5]}}\n";
    char text[1000];
    snprintf(text, sizeof text,
             "title: t\n" ROD "joints: [{fixed: [ground, b.start]}]\n"
             "loads: [{torque: [0, 0.2, 0], on: b.end}]\n%s",
             task);
    story held = story_of(text, NULL, NULL);
    snprintf(text, sizeof text,
             "title: t\n" ROD "joints: [{revolute: [ground, b.start], axis: [0, 1, 0]}]\n"
             "loads: [{torque: [0, 0.2, 0], on: b.end}, {torque: [0, -0.2, 0], on: b.start}]\n%s",
             task);
    story turning = story_of(text, NULL, NULL);
    CHECK(held.status == AC_OK && turning.status == AC_OK);
    CHECK(held.levels == 1 && turning.levels == 1);
    CHECK_NEAR(turning.level.energy, held.level.energy, 1e-9 * held.level.energy);
    CHECK(held.level.energy > 1e-3);
    /* a torque that keeps its direction has no potential where the rod can turn in space */
    CHECK(held.level.negative == AC_NOT_JUDGED && turning.level.negative == AC_NOT_JUDGED);
}

/* Two opposite forces on a free rod: pulled apart only spinning and shifting are left; pushed together it
 * wants to turn round at once, and buckles at pi^2 EI / L^2. */
TEST(a_free_rod_between_two_forces)
{
    static const char text[] = "title: t\nparameters: {f: 1}\n" ROD
                               "loads: [{force: [=f, 0, 0], on: b.end}, {force: [=-f, 0, 0], on: b.start}]\n"
                               "equilibrium: {path: {step: 2e-4, points: 8}}\n";
    double euler = 9.8696 * 1e7 * 0.25 * 3.14159265358979 * 1e-8;
    story s = story_of(text, NULL, NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.last.negative == 0 && s.last.neutral == 4);
    s = story_of(text, "parameters.f=-1", NULL);
    CHECK(s.status == AC_OK && s.bifurcations >= 2);
    CHECK_NEAR(s.bifurcation[1], euler, 0.02 * euler);
}

/* The linkage above with a long rod on its coupler: the same signs, counted within the envelope with the
 * loop as its border, or densely when the rod is short. */
TEST(a_loop_beside_many_elements_is_judged_like_a_small_one)
{
    static const char text[] =
        "title: four-bar with a rod\n"
        "parameters: {l: 1}\n"
        "bodies:\n"
        "  crank:   {solid: {rod: {length: 1, mass: 1}}}\n"
        "  coupler: {solid: {rod: {length: 3, mass: 3}}}\n"
        "  rocker:  {solid: {rod: {length: 1, mass: 1}}}\n"
        "beams:\n"
        "  b:\n"
        "    straight: {from: [0, 0, 1], to: [3, 0, 1]}\n"
        "    d1: [0, 0, 1]\n"
        "    elements: 10\n"
        "    section: {circle: {radius: 1 cm}}\n"
        "    material: {young: 200 MPa, density: 1000}\n"
        "joints:\n"
        "  - {name: A, revolute: [ground, crank], at: {crank: start}, axis: [0, -1, 0], angle: 90 deg}\n"
        "  - {name: B, revolute: [crank, coupler], at: {crank: end, coupler: start}, axis: [0, -1, 0], "
        "angle: -90 deg}\n"
        "  - {name: C, revolute: [coupler, rocker], at: {coupler: end, rocker: end}, axis: [0, -1, 0], "
        "angle: 90 deg}\n"
        "  - {name: D, revolute: [ground, rocker], at: {ground: [3, 0, 0], rocker: start}, axis: [0, -1, "
        "0]}\n"
        "  - {fixed: [coupler, b.start], at: {coupler: start, b.start: origin}}\n"
        "springs:\n"
        "  - {between: [ground, crank], at: {ground: [0, 0, 2.5], crank: end}, stiffness: 40, length: =l}\n"
        "equilibrium: {}\n";
    static const char *const lengths[] = {"parameters.l=1", "parameters.l=1.4999", "parameters.l=1.5",
                                          "parameters.l=1.5001", "parameters.l=2"};
    static const int negative[] = {0, 0, 0, 1, 1}, neutral[] = {0, 0, 1, 0, 0};
    static const char *const meshes[] = {"beams.b.elements=10", "beams.b.elements=60",
                                         "beams.b.elements=200"};
    for (int m = 0; m < 3; ++m) {
        for (int k = 0; k < 5; ++k) {
            story s = story_of(text, lengths[k], meshes[m]);
            CHECK(s.status == AC_OK);
            CHECK(s.last.negative == negative[k] && s.last.neutral == neutral[k]);
        }
    }
}

#define CANTILEVER                                                          \
    "title: t\n"                                                            \
    "gravity: [0, 0, -9.81]\n" ROD "joints: [{fixed: [ground, b.start]}]\n" \
    "loads: [{force: [-0.1, 0, 0], on: b.end}]\n"

TEST(the_residual_along_a_path_is_measured)
{
    story s = story_of(CANTILEVER "equilibrium: {path: {step: 0.02, points: 5}}\n", NULL, NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.residual_max > 0.0 && s.residual_max < 1e-8);
}

TEST(a_branch_that_is_not_reached_is_reported)
{
    story s = story_of(CANTILEVER "equilibrium: {path: {step: 0.02, points: 5, branch: 7}}\n", NULL, NULL);
    CHECK(s.status == AC_NOT_CONVERGED);
    CHECK(strstr(s.message, "bifurcation 7 was not reached") != NULL);
    CHECK(s.points == 5);
}

TEST(a_level_given_twice_is_one_point)
{
    story s = story_of(CANTILEVER "equilibrium: {path: {step: 0.02, points: 5, levels: [0.01, 0.01, 1e9]}}\n",
                       NULL, NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.levels == 1);
}

/* A spline much shorter than the rod: Newton's method alone ends in a saddle with an energy of 428 J. */
TEST(a_start_under_stress_leads_to_a_stable_state)
{
    static const char text[] =
        "title: spline\n"
        "beams:\n"
        "  r:\n"
        "    spline: {from: {position: [0, 0, 0], rotation: [0, 0, 0]},\n"
        "             to: {position: [0.5, 0, 0.3], rotation: {axis: [0, 1, 0], angle: 90 deg}}}\n"
        "    rest_length: 1\n"
        "    model: vertex\n"
        "    elements: 20\n"
        "    stiffness: {shear: [1e4, 1e4], axial: 1e4, bending: [1, 1], torsion: 1}\n"
        "    inertia: {mass: 1, rotary: [1e-3, 1e-3]}\n"
        "joints: [{fixed: [ground, r.start]}, {fixed: [ground, r.end]}]\n"
        "equilibrium: {}\n";
    story s = story_of(text, NULL, NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.last.negative == 0 && s.last.neutral == 0);
    CHECK(s.last.energy < 10.0);
}

RUN_TESTS(CASE(an_arch_sways_at_the_same_load_whatever_the_step),
          CASE(a_bifurcation_beside_a_limit_point_is_found),
          CASE(a_closed_linkage_is_judged_by_its_one_freedom), CASE(motions_without_resistance_are_neutral),
          CASE(a_free_beam_under_its_weight_is_told_that_nothing_holds_it),
          CASE(a_push_without_resistance_is_described),
          CASE(a_path_goes_on_where_the_load_does_not_push_the_neutral_motion),
          CASE(a_free_rod_between_two_forces), CASE(a_loop_beside_many_elements_is_judged_like_a_small_one),
          CASE(the_residual_along_a_path_is_measured), CASE(a_branch_that_is_not_reached_is_reported),
          CASE(a_level_given_twice_is_one_point), CASE(a_start_under_stress_leads_to_a_stable_state))
