/* Events of paths where they are hard to tell: limit points whose eigenvalue is lost in rounding,
 * bifurcations next to them, and loads without a potential, for which the signs of eigenvalues say
 * nothing. */
#include <stdlib.h>

#include "support/story.h"

/* A deep arch, clamped and hinged: shear and axial stiffness are 1e8, the eigenvalue that vanishes changes
 * by 1e-4 in a step, and so counts as zero for a part of it that is much longer than the limit point is
 * exact. */
static const char DEEP_ARCH[] =
    "title: deep arch\n"
    "parameters: {a: =107.5*pi/180, side: 1e8, twist: 1e8}\n"
    "beams:\n"
    "  b:\n"
    "    arc: {from: [=100*sin(a), 0, =100*cos(a)], centre: [0, 0, 0], axis: [0, -1, 0], angle: 215 deg}\n"
    "    elements: 80\n"
    "    stiffness: {shear: [1e8, 1e8], axial: 1e8, bending: [=side, 1e6], torsion: =twist}\n"
    "    inertia: {mass: 1, rotary: [1, 1]}\n"
    "    d1: [0, 0, 1]\n"
    "joints:\n"
    "  - {fixed: [ground, b.start]}\n"
    "  - {revolute: [ground, b.end], axis: [0, 1, 0]}\n"
    "loads:\n"
    "  - {force: [0, 0, -1], on: b.middle}\n"
    "equilibrium: {path: {step: 8, points: 60}}\n";

TEST(a_limit_point_is_no_bifurcation)
{
    static const char *const steps[] = {"equilibrium.path.step=8", "equilibrium.path.step=9.3"};
    for (int k = 0; k < 2; ++k) {
        story s = story_of(DEEP_ARCH, steps[k], NULL);
        CHECK(s.status == AC_OK);
        CHECK(s.limits == 1 && s.bifurcations == 0);
        CHECK_NEAR(s.limit[0], 874.55401, 1e-4);
        CHECK(s.last.negative == 1);
    }
}

/* Soft sideways; the places are those of the zeros, not those at which eigenvalues are large enough to
 * count. */
TEST(bifurcations_before_a_limit_point_are_kept)
{
    static const double expected[] = {24.709776, 132.307882, 273.589740, 588.020787, 872.014644};
    static const char *const soft = "parameters={a: =107.5*pi/180, side: 1e5, twist: 1e6}";
    static const char *const steps[] = {"equilibrium.path.step=8", "equilibrium.path.step=9.3"};
    for (int i = 0; i < 2; ++i) {
        story s = story_of(DEEP_ARCH, soft, steps[i]);
        CHECK(s.status == AC_OK);
        CHECK(s.limits == 1 && s.bifurcations >= 5);
        CHECK_NEAR(s.limit[0], 874.55401, 1e-4);
        for (int k = 0; k < 5; ++k) CHECK_NEAR(s.bifurcation[k], expected[k], 1e-5);
    }
}

/* A truss of two springs k in a plane that two more, c, hold sideways, unstrained at h = 0: with l^2 = 1 +
 * h^2, m^2 = 4 + h^2
 *
 *   V_hh = 2 k (1 - l0 / l + l0 h^2 / l^3) + 2 c (1 - 2 / m + 2 h^2 / m^3)
 *   V_zz = 2 k (1 - l0 / l) + 2 c (1 - 2 / m + 8 / m^3)
 *
 * c is chosen so that V_zz vanishes at the height `sways`. */
static double hold_sideways(double sways)
{
    double l0 = sqrt(1.25), l = sqrt(1 + sways * sways), m = sqrt(4 + sways * sways);
    return 100 * (l0 / l - 1) / (1 - 2 / m + 8 / (m * m * m));
}

static double truss_load(double h, double c)
{
    double l0 = sqrt(1.25), l = sqrt(1 + h * h), m = sqrt(4 + h * h);
    return 200 * h * (l0 / l - 1) - 2 * c * h * (1 - 2 / m);
}

static double limit_height(double c)
{
    double low = 0.05, high = 0.45, l0 = sqrt(1.25);
    for (int it = 0; it < 80; ++it) {
        double h = 0.5 * (low + high), l = sqrt(1 + h * h), m = sqrt(4 + h * h);
        double slope = 100 * (1 - l0 / l + l0 * h * h / (l * l * l)) +
                       c * (1 - 2 / m + 2 * h * h / (m * m * m));
        if (slope > 0)
            high = h;
        else
            low = h;
    }
    return 0.5 * (low + high);
}

TEST(a_bifurcation_at_a_limit_point_is_found)
{
    static const char text[] =
        "title: truss\n"
        "parameters: {c: 1}\n"
        "gravity: [0, -1, 0]\n"
        "points: {top: {mass: 1, position: [0, 0.5, 0]}}\n"
        "springs:\n"
        "  - {between: [ground, top], at: {ground: [-1, 0, 0]}, stiffness: 100, length: =sqrt(1.25)}\n"
        "  - {between: [ground, top], at: {ground: [1, 0, 0]}, stiffness: 100, length: =sqrt(1.25)}\n"
        "  - {between: [ground, top], at: {ground: [0, 0, -2]}, stiffness: =c, length: 2}\n"
        "  - {between: [ground, top], at: {ground: [0, 0, 2]}, stiffness: =c, length: 2}\n"
        "equilibrium: {path: {step: 0.1, points: 4}}\n";
    static const double apart[] = {1e-2, 1e-3, 3e-5, -3e-5, -1e-3, -1e-2};
    for (int k = 0; k < 6; ++k) {
        double h = 0.3, c = 1;
        char set[64];
        for (int it = 0; it < 60; ++it) { /* sways `apart` before the limit point */
            c = hold_sideways(h);
            h = limit_height(c) + apart[k];
        }
        snprintf(set, sizeof set, "parameters.c=%.17g", c);
        story s = story_of(text, set, NULL);
        CHECK(s.status == AC_OK);
        CHECK(s.limits == 1);
        CHECK(s.bifurcations >= 1);
        CHECK_NEAR(s.limit[0], truss_load(limit_height(c), c), 1e-8);
        CHECK_NEAR(s.bifurcation[0], truss_load(h, c), 1e-6);
    }
}

/* --- loads without a potential ------------------------------------------------------------------------------- */

static const char ROD[] = "title: rod\n"
                          "beams:\n"
                          "  b:\n"
                          "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
                          "    d1: [0, 0, 1]\n"
                          "    elements: 20\n"
                          "    stiffness: {shear: [1e6, 1e6], axial: 1e6, bending: [100, 1], torsion: 100}\n"
                          "    inertia: {mass: 1, rotary: [1e-3, 1e-3]}\n"
                          "joints:\n"
                          "  - {fixed: [ground, b.start]}\n"
                          "loads:\n";

static story tell_rod(const char *rest)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", ROD, rest);
    return story_of(text, NULL, NULL);
}

TEST(a_torque_that_keeps_its_direction_is_not_judged)
{
    story s = tell_rod(
        "  - {torque: [0, =2*pi, 0], on: b.end}\nequilibrium: {path: {step: 0.05, points: 100}}\n");
    CHECK(s.status == AC_OK);
    CHECK(s.last.negative == AC_NOT_JUDGED && s.last.neutral == AC_NOT_JUDGED);
    CHECK(s.limits == 0 && s.bifurcations == 0);
    CHECK(s.last.factor > 1.0); /* rolled up more than once */
    s = tell_rod("  - {torque: [0, 1, 0], on: b.end}\nequilibrium: {}\n");
    CHECK(s.status == AC_OK);
    CHECK(s.last.negative == AC_NOT_JUDGED);
}

TEST(a_force_that_follows_its_body_is_not_judged)
{
    story s = tell_rod(
        "  - {force: [0, 0, -1], on: b.end, frame: body}\nequilibrium: {path: {step: 1e-5, points: 4}}\n");
    CHECK(s.status == AC_OK);
    CHECK(s.last.factor > 15.0); /* beyond Euler's load */
    CHECK(s.last.negative == AC_NOT_JUDGED);
    CHECK(s.bifurcations == 0);
}

/* A torque about the column changes its critical load with the square of its size only; without it all is
 * judged. */
TEST(a_bifurcation_is_found_by_the_determinant)
{
    static const char plain[] =
        "  - {force: [-1, 0, 0], on: b.end}\nequilibrium: {path: {step: 3e-6, points: 3}}\n";
    static const char twisted[] = "  - {force: [-1, 0, 0], on: b.end}\n"
                                  "  - {torque: [1e-3, 0, 0], on: b.end, constant: true}\n"
                                  "equilibrium: {path: {step: 3e-6, points: 3}}\n";
    story judged = tell_rod(plain), blind = tell_rod(twisted);
    CHECK(judged.status == AC_OK && blind.status == AC_OK);
    CHECK(judged.bifurcations == 1 && judged.last.negative == 1);
    CHECK(blind.bifurcations == 1 && blind.last.negative == AC_NOT_JUDGED);
    CHECK_NEAR(judged.bifurcation[0], 2.473, 2e-3);
    CHECK_NEAR(blind.bifurcation[0], judged.bifurcation[0], 1e-5);
}

/* The same with loops: the arch sways at the same load, and its limit point is none the more a
 * bifurcation. */
TEST(loops_are_followed_by_the_determinant)
{
    static const char arch[] = "title: arch\n"
                               "parameters: {twist: 0}\n" HINGED_ARCH
                               "  - {torque: [0, 0, =twist], on: b.middle, constant: true}\n"
                               "equilibrium: {path: {step: 0.02, points: 60}}\n";
    story judged = story_of(arch, NULL, NULL), blind = story_of(arch, "parameters.twist=1e-3", NULL);
    CHECK(judged.status == AC_OK && blind.status == AC_OK);
    CHECK(judged.last.negative == 2 && blind.last.negative == AC_NOT_JUDGED);
    CHECK(judged.limits == 1 && judged.bifurcations == 1);
    CHECK(blind.limits == 1 && blind.bifurcations == 1);
    CHECK_NEAR(blind.limit[0], judged.limit[0], 1e-6);
    CHECK_NEAR(blind.bifurcation[0], judged.bifurcation[0], 1e-6);
}

TEST(the_summary_says_that_stability_is_not_judged)
{
    char text[2048];
    ac_context *ctx = ac_context_new(NULL);
    for (int k = 0; k < 2; ++k) {
        ac_problem *problem = NULL;
        ac_summary summary;
        bool counted = false;
        snprintf(text, sizeof text, "%s  - {force: [0, 0, 1], on: b.end, frame: %s}\nequilibrium: {}\n", ROD,
                 k == 0 ? "body" : "world");
        CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem) == AC_OK);
        CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_OK);
        for (int i = 0; i < summary.count; ++i)
            counted = counted || strcmp(summary.entry[i].name, "negative_eigenvalues") == 0;
        CHECK(counted == (k == 1));
        CHECK((strstr(summary.remark, "the loads have no potential") != NULL) == (k == 0));
        ac_problem_free(problem);
    }
    ac_context_free(ctx);
}

/* A torque about a fixed axis is the slope of a potential: on a hinge, on a loop that turns about one
 * axis, in the plane. */
TEST(a_torque_about_a_fixed_axis_is_judged)
{
    static const char hinge[] =
        "title: flap\n"
        "bodies: {flap: {solid: {rod: {length: 1, mass: 1}}}}\n"
        "joints: [{name: h, revolute: [ground, flap], at: {flap: start}, axis: [0, 1, 0]}]\n"
        "springs: [{joint: h, stiffness: 3}]\n"
        "loads: [{torque: [0, 1, 0.3], on: flap}]\n"
        "equilibrium: {}\n";
    static const char plane[] = "title: plane flap\n"
                                "planar_bodies: {flap: {solid: {rod: {length: 1, mass: 1}}}}\n"
                                "joints: [{name: h, revolute: [ground, flap], at: {flap: start}}]\n"
                                "springs: [{joint: h, stiffness: 3}]\n"
                                "loads: [{torque: 1, on: flap}]\n"
                                "equilibrium: {}\n";
    story s = story_of(hinge, NULL, NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.last.negative == 0 && s.last.neutral == 0);
    s = story_of(plane, NULL, NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.last.negative == 0 && s.last.neutral == 0);
    s = story_of(DEEP_ARCH, "loads=[{torque: [0, 100, 0], on: b.end}]", "equilibrium={}");
    CHECK(s.status == AC_OK);
    CHECK(s.last.negative == 0 && s.last.neutral == 0);
}

/* A strip on edge that tips sideways under the load on its end. Beyond the bifurcation the motion along the
 * branch costs less than rounding leaves of the stiffness of short elements; the path is no rougher for
 * that, and its steps are no shorter. */
TEST(branches_of_fine_meshes_are_smooth)
{
    static const char text[] =
        "title: strip\n"
        "parameters: {n: 10}\n"
        "beams:\n"
        "  f: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 0, 1], elements: =n, order: 2,\n"
        "      section: {rectangle: {width: 5 cm, height: 2 mm}},\n"
        "      material: {young: 200 GPa, poisson: 0.3, density: 7800}}\n"
        "joints: [{fixed: [ground, f.start]}]\n"
        "loads: [{force: [0, 0, -1], on: f.end}]\n"
        "equilibrium: {path: {step: 0.02, points: 8, branch: 1}}\n";
    story coarse = story_of(text, NULL, NULL), fine = story_of(text, "parameters.n=80", NULL);
    CHECK(coarse.status == AC_OK && fine.status == AC_OK);
    CHECK(coarse.bifurcations == 1 && fine.bifurcations == 1 && coarse.limits == 0 && fine.limits == 0);
    CHECK_NEAR(fine.last.path, coarse.last.path, 1e-4);
    CHECK_NEAR(fine.last.factor - fine.bifurcation[0], coarse.last.factor - coarse.bifurcation[0], 2e-3);
    fine = story_of(text, "parameters.n=80", "equilibrium.path.step=0.005");
    CHECK(fine.status == AC_OK && fine.bifurcations == 1 && fine.limits == 0);
    CHECK(fine.last.path > 0.03);
    fine = story_of(text, "parameters.n=80", "equilibrium.path={step: 1e-4, points: 44, branch: 1}");
    CHECK(fine.status == AC_OK && fine.bifurcations == 1 && fine.limits == 0);
}

/* A shallow arch sways to one side at 4.57, is symmetric again at -2.52, and comes back swaying to the other
 * side: the load factor turns round at both places, but the load does no work on the swaying. */
TEST(a_branch_that_comes_back_ends_at_a_bifurcation)
{
    static const char text[] =
        "title: shallow arch\n"
        "beams:\n"
        "  arch:\n"
        "    arc: {from: [-1, 0, 0], centre: [0, 0, -2.4], axis: [0, 1, 0], angle: =2*asin(1/2.6)}\n"
        "    d1: [0, 1, 0]\n"
        "    elements: 20\n"
        "    stiffness: {shear: [1e6, 1e6], axial: 1e5, bending: [1, 100], torsion: 100}\n"
        "    inertia: {mass: 1, rotary: [1e-4, 1e-4]}\n"
        "joints:\n"
        "  - {revolute: [ground, arch.start], axis: [0, 1, 0]}\n"
        "  - {revolute: [ground, arch.end], axis: [0, 1, 0]}\n"
        "loads: [{force: [0, 0, -1], on: arch.middle}]\n"
        "equilibrium: {path: {step: 0.023, points: 45}}\n";
    story path = story_of(text, NULL, NULL),
          branch = story_of(text, "equilibrium.path={step: 0.023, points: 150, branch: 1}", NULL);
    CHECK(path.status == AC_OK && branch.status == AC_OK);
    CHECK(path.limits == 1 && path.bifurcations == 1);
    CHECK(branch.limits == 0 && branch.bifurcations == 3);
    CHECK_NEAR(branch.bifurcation[1], -2.515701, 1e-5);
    CHECK_NEAR(branch.bifurcation[2], path.bifurcation[0], 1e-6);
}

/* Stops the search at step 50 downhill. */
static int stop_downhill(void *user, double done, const char *words)
{
    const char *step = strstr(words, "step ");
    CHECK(done >= 0.0 && done <= 1.0);
    if (step && strstr(words, "downhill")) *(int *)user = atoi(step + 5);
    return *(int *)user == 50;
}

/* A chain of 40 links that is drawn in zigzag between two points falls far: the way down is shown, and can be stopped. */
TEST(the_way_down_is_shown)
{
    static const char text[] =
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  k: {repeat: 40, solid: {rod: {length: 0.05, mass: 0.025}}, angle: \"=1.2*cos(pi*(i-1))\",\n"
        "      position: [\"=0.05*cos(1.2)*(i-1)\", \"=0.05*sin(1.2)*(0.5-0.5*cos(pi*(i-1)))\"]}\n"
        "joints:\n"
        "  - {revolute: [ground, k(1)], at: {k(1): start}}\n"
        "  - {revolute: [k(i), k(i+1)], at: {k(i): end, k(i+1): start}, repeat: 39}\n"
        "  - {revolute: [ground, k(40)], at: {ground: [\"=2*cos(1.2)\", 0], k(40): end}}\n"
        "equilibrium: {}\n";
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_summary summary;
    int step = 0;
    CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem) == AC_OK);
    CHECK(ac_run(ctx, problem, NULL, stop_downhill, &step, &summary) == AC_INTERRUPTED);
    CHECK(step == 50 && strstr(ac_context_message(ctx), "on the way down") != NULL);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_limit_point_is_no_bifurcation), CASE(bifurcations_before_a_limit_point_are_kept),
          CASE(a_bifurcation_at_a_limit_point_is_found),
          CASE(a_torque_that_keeps_its_direction_is_not_judged),
          CASE(a_force_that_follows_its_body_is_not_judged), CASE(a_bifurcation_is_found_by_the_determinant),
          CASE(loops_are_followed_by_the_determinant), CASE(the_summary_says_that_stability_is_not_judged),
          CASE(a_torque_about_a_fixed_axis_is_judged), CASE(branches_of_fine_meshes_are_smooth),
          CASE(a_branch_that_comes_back_ends_at_a_bifurcation), CASE(the_way_down_is_shown))
