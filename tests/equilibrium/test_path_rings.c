/* Paths with motions that cost nothing: rings that were bent from straight rods, round columns on ball
 * joints, twisted shafts. Two eigenvalues vanish at once at their bifurcations, and branches have more of
 * these motions than the path that they leave. */
#include <stdio.h>

#include "actio/actio.h"
#include "problem/build/build.h"
#include "model/system.h"
#include "test.h"

enum { EVENTS = 8 };

typedef struct story {
    ac_status status;
    ac_equilibrium_point first, last, told; /* told: what is known after the end */
    double place, told_place;               /* first coordinate of the last node */
    int points, limits, bifurcations, unexplained;
    double limit[EVENTS], bifurcation[EVENTS], within[EVENTS];
    double left;    /* length of the path at the first bifurcation */
    bool explained; /* the last point was an event */
    bool falls;     /* the load factor, behind the first bifurcation */
    char message[256];
} story;

static void note(story *s, const ac_equilibrium_point *p)
{
    bool changed = s->points > 0 && p->negative != s->last.negative;
    if (s->points == 0) s->first = *p;
    if (changed && p->event == AC_EVENT_NONE && !s->explained) ++s->unexplained;
    s->explained = p->event != AC_EVENT_NONE;
    if (s->bifurcations > 0) s->falls = s->falls && p->factor < s->last.factor;
    if (p->event == AC_EVENT_LIMIT && s->limits < EVENTS) s->limit[s->limits++] = p->factor;
    if (p->event == AC_EVENT_BIFURCATION && s->bifurcations < EVENTS) {
        if (s->bifurcations == 0) s->left = p->path;
        s->within[s->bifurcations] = p->within;
        s->bifurcation[s->bifurcations++] = p->factor;
    }
    s->last = *p;
    ++s->points;
}

static double last_place(const ac_problem *problem, const ac_equilibrium *e)
{
    const ac_system *system = ac_problem_system(problem);
    return ac_equilibrium_configuration(e)[system->nodes[system->node_count - 1].q];
}

/* Solves the problem with some replaced values, up to so many bifurcations. */
static story tell(const char *text, int enough, const char *const *settings, int count)
{
    story s = {.falls = true};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_equilibrium *e = NULL;
    s.status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), settings, count, &problem);
    CHECK(s.status == AC_OK);
    if (s.status == AC_OK)
        s.status = ac_equilibrium_new(ctx, ac_problem_system(problem), ac_problem_equilibrium(problem), &e);
    for (bool done = false; s.status == AC_OK && !done && s.bifurcations < enough;) {
        s.status = ac_equilibrium_next(e, &done);
        if (s.status == AC_OK && !done) note(&s, ac_equilibrium_at(e));
        if (s.status == AC_OK) s.place = last_place(problem, e);
    }
    if (e) s.told = *ac_equilibrium_at(e);
    if (e) s.told_place = last_place(problem, e);
    snprintf(s.message, sizeof s.message, "%s", s.status == AC_OK ? "" : ac_context_message(ctx));
    ac_equilibrium_free(e);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return s;
}

/* A straight rod bent to a ring of radius one and twisted. */
static const char RING[] = "title: ring\n"
                           "parameters: {n: 80, step: 3}\n"
                           "beams:\n"
                           "  rod:\n"
                           "    model: vertex\n"
                           "    arc: {from: [1, 0, 0], centre: [0, 0, 0], axis: [0, 0, 1], angle: 360 deg}\n"
                           "    d1: [0, 0, 1]\n"
                           "    rest_length: =2*pi\n"
                           "    elements: =n\n"
                           "    stiffness: {shear: [1e5, 1e5], axial: 1e5, bending: [1, 1], torsion: 0.77}\n"
                           "    inertia: {mass: 1, rotary: [1e-4, 1e-4]}\n"
                           "joints:\n"
                           "  - {fixed: [ground, rod.start]}\n"
                           "  - {revolute: [ground, rod.end], axis: [0, 1, 0], name: grip}\n"
                           "loads: [{joint: grip, value: 1}]\n"
                           "equilibrium: {path: {step: =step, points: 150}}\n";

static story twist_ring(int n, double step)
{
    char elements[32], length[32];
    snprintf(elements, sizeof elements, "parameters.n=%d", n);
    snprintf(length, sizeof length, "parameters.step=%g", step);
    return tell(RING, 1, (const char *const[]){elements, length}, 2);
}

/* Michell: the ring leaves its plane at the twisting moment sqrt(3) EI / R. The error falls with the
 * square of the number of elements. */
TEST(a_twisted_ring_leaves_its_plane)
{
    story coarse = twist_ring(40, 3), fine = twist_ring(80, 3);
    CHECK(coarse.status == AC_OK && fine.status == AC_OK);
    CHECK(coarse.bifurcations == 1 && fine.bifurcations == 1);
    CHECK(coarse.limits == 0 && fine.limits == 0);
    CHECK(fine.first.negative == 0 && fine.first.neutral == 1);
    CHECK_NEAR(fine.bifurcation[0], 1.76315, 5e-5);
    CHECK_NEAR((4 * fine.bifurcation[0] - coarse.bifurcation[0]) / 3, sqrt(3.0), 3e-3);
}

TEST(its_bifurcation_does_not_depend_on_the_step)
{
    static const double steps[] = {0.7, 1.7};
    for (int k = 0; k < 2; ++k) {
        story s = twist_ring(40, steps[k]);
        CHECK(s.status == AC_OK && s.bifurcations == 1);
        CHECK_NEAR(s.bifurcation[0], 1.86095, fmax(5e-5, s.within[0]));
        CHECK(s.within[0] < 1e-3);
    }
}

/* Bent to a ring without stress, and soft: the corrector must not go over to the branch that leaves. */
TEST(a_soft_ring_is_followed_past_its_bifurcation)
{
    static const char *const settings[] = {
        "beams.rod={model: vertex, arc: {from: [1, 0, 0], centre: [0, 0, 0], axis: [0, 0, 1], angle: 360 "
        "deg}, "
        "d1: [0, 0, 1], precurvature: [-1, 0, 0], elements: 40, stiffness: {shear: [1e3, 1e3], axial: 1e3, "
        "bending: [1, 1], torsion: 0.77}, inertia: {mass: 1, rotary: [1e-4, 1e-4]}}",
        "equilibrium.path.points=25"};
    story s = tell(RING, EVENTS, settings, 2);
    CHECK(s.status == AC_OK);
    CHECK(s.limits == 0 && s.bifurcations == 1 && s.unexplained == 0);
    CHECK_NEAR(s.bifurcation[0], 0.795712, 1e-5);
    CHECK(s.last.negative == 1 && s.last.factor > 1.0);
}

/* The ring turns about its clamp at no cost; a load across its plane pushes it there, and it hangs before
 * the load can grow. */
TEST(a_path_starts_from_a_rod_that_is_held_bent)
{
    static const char *const models[] = {"beams.rod.model=edge", "beams.rod.model=vertex"};
    static const char *const loads[] = {"loads=[{force: [0, 0, -0.1], on: rod.middle}]",
                                        "loads=[{force: [-0.1, 0, 0], on: rod.middle}]",
                                        "loads=[{force: [0, 0, 1e-6], on: rod.middle}]"};
    for (int k = 0; k < 3; ++k) {
        const char *const settings[] = {"joints=[{fixed: [ground, rod.start]}, {fixed: [ground, rod.end]}]",
                                        models[k % 2], loads[k], "equilibrium.path={step: 0.2, points: 3}",
                                        "parameters.n=40"};
        story s = tell(RING, EVENTS, settings, 5);
        CHECK(s.status == AC_OK && s.points >= 3);
        CHECK(s.first.factor == 0.0 && s.first.negative == 0 && s.first.neutral == 1);
        CHECK_NEAR(s.first.energy, acos(-1.0), 0.02); /* EI L / 2 R^2 */
    }
}

/* A torque turns it for ever. */
TEST(a_load_that_never_stops_pushing_has_no_path)
{
    static const char *const settings[] = {
        "joints=[{fixed: [ground, rod.start]}, {fixed: [ground, rod.end]}]",
        "loads=[{torque: [0, 0.1, 0], on: rod.middle}]", "parameters.n=20"};
    story s = tell(RING, EVENTS, settings, 3);
    CHECK(s.status == AC_NOT_CONVERGED && s.points == 0);
    CHECK(strstr(s.message, "the path has no start: however small it is, the load acts along a "
                            "motion that costs nothing") != NULL);
}

/* --- branches ------------------------------------------------------------------------------------------- */

static const char COLUMN[] = "title: round column on ball joints\n"
                             "parameters: {step: 1e-3}\n"
                             "beams:\n"
                             "  rod:\n"
                             "    model: vertex\n"
                             "    straight: {from: [0, 0, 0], to: [0, 0, 1]}\n"
                             "    d1: [1, 0, 0]\n"
                             "    elements: 20\n"
                             "    stiffness: {shear: [1e5, 1e5], axial: 1e5, bending: [1, 1], torsion: 1}\n"
                             "    inertia: {mass: 1, rotary: [1e-4, 1e-4]}\n"
                             "bodies: {slider: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
                             "joints:\n"
                             "  - {spherical: [ground, rod.start]}\n"
                             "  - {prismatic: [ground, slider], at: [0, 0, 1], axis: [0, 0, 1]}\n"
                             "  - {spherical: [slider, rod.end]}\n"
                             "loads: [{force: [0, 0, -1], on: slider}]\n"
                             "equilibrium: {path: {step: =step, points: 50, branch: 1}}\n";

/* The load grows with the square of the deflection, which is how far the branch has been followed. */
TEST(a_branch_may_have_more_motions_that_cost_nothing)
{
    static const double steps[] = {1e-4, 1e-3, 0.005};
    double curve[3];
    for (int k = 0; k < 3; ++k) {
        char step[32];
        snprintf(step, sizeof step, "parameters.step=%g", steps[k]);
        story s = tell(COLUMN, EVENTS, (const char *const[]){step}, 1);
        CHECK(s.status == AC_OK && s.bifurcations == 1);
        CHECK_NEAR(s.bifurcation[0], 9.97210, 1e-4); /* pi^2 and 1 % for 20 elements */
        CHECK(s.last.negative == 0 && s.last.neutral == 2);
        double length = s.last.path - s.left;
        curve[k] = (s.last.factor - s.bifurcation[0]) / (length * length);
    }
    CHECK(curve[1] > 0.0);
    CHECK_NEAR(curve[0] / curve[1], 1, 0.2); /* the load differs by 1e-5 only: rounding shows */
    CHECK_NEAR(curve[2] / curve[1], 1, 0.05);
}

/* Greenhill: a shaft between clamps, one of which may slide and turn, buckles at 8.987 EI / L. The load
 * falls on the branch. */
TEST(a_twisted_shaft_has_no_limit_on_its_branch)
{
    static const char shaft[] =
        "title: shaft\n"
        "beams:\n"
        "  rod:\n"
        "    model: vertex\n"
        "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
        "    d1: [0, 1, 0]\n"
        "    elements: 60\n"
        "    stiffness: {shear: [1e7, 1e7], axial: 1e7, bending: [1, 1], torsion: 0.77}\n"
        "    inertia: {mass: 1, rotary: [1e-4, 1e-4]}\n"
        "joints:\n"
        "  - {fixed: [ground, rod.start]}\n"
        "  - {cylindrical: [ground, rod.end], axis: [1, 0, 0], name: grip}\n"
        "loads: [{joint: grip, coordinate: angle, value: 1}]\n"
        "equilibrium: {path: {step: 0.1, points: 110, branch: 1}}\n";
    story s = tell(shaft, EVENTS, NULL, 0);
    CHECK(s.status == AC_OK);
    CHECK(s.bifurcations == 1 && s.limits == 0);
    CHECK_NEAR(s.bifurcation[0], 8.987, 0.11); /* 60 elements */
    CHECK(s.falls && s.last.factor < 8.0);
    CHECK(s.last.negative == 1 && s.last.neutral == 1);
}

/* A path that ends tells of its last point, not of those that were tried after it. */
TEST(what_is_told_of_a_path_that_ends_is_its_last_point)
{
    static const char text[] =
        "title: rolled up\n"
        "beams:\n"
        "  b:\n"
        "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
        "    d1: [0, 0, 1]\n"
        "    elements: 5\n"
        "    stiffness: {shear: [1e6, 1e6], axial: 1e6, bending: [100, 1], torsion: 100}\n"
        "    inertia: {mass: 1, rotary: [1e-3, 1e-3]}\n"
        "joints: [{revolute: [ground, b.start], axis: [0, 1, 0], name: h}]\n"
        "springs: [{joint: h, stiffness: 100}]\n"
        "loads: [{torque: [0, =2*pi, 0], on: b.end}]\n"
        "equilibrium: {path: {step: 0.2, points: 400}}\n";
    story s = tell(text, EVENTS, NULL, 0);
    CHECK(s.status != AC_OK && s.points > 2);
    CHECK(s.told.factor == s.last.factor && s.told.path == s.last.path);
    CHECK(s.told.negative == s.last.negative && s.told.neutral == s.last.neutral);
    CHECK(s.told.residual == s.last.residual && s.told.iterations == s.last.iterations);
    CHECK(s.told.event == s.last.event);
    CHECK(s.told_place == s.place);
}

RUN_TESTS(CASE(a_twisted_ring_leaves_its_plane), CASE(its_bifurcation_does_not_depend_on_the_step),
          CASE(a_soft_ring_is_followed_past_its_bifurcation),
          CASE(a_path_starts_from_a_rod_that_is_held_bent), CASE(a_load_that_never_stops_pushing_has_no_path),
          CASE(a_branch_may_have_more_motions_that_cost_nothing),
          CASE(a_twisted_shaft_has_no_limit_on_its_branch),
          CASE(what_is_told_of_a_path_that_ends_is_its_last_point))
