/* Columns of stiff links: the load does not move them before they buckle, so that nothing but the load
 * factor changes along the first path. And mechanisms at whose dead points the load grows without bound. */
#include "model/system.h"
#include "support/path.h"

enum { EVENTS = 12, POINTS = 256 };

typedef struct story {
    ac_status status;
    int limits, bifurcations, levels, points, unexplained;
    double limit[EVENTS], bifurcation[EVENTS], level[EVENTS];
    double factor[POINTS], angle[POINTS]; /* of the first joint, from the initial state */
    int negative;
    bool explained; /* the last point was an event */
    char message[256];
} story;

static double first_angle(const double *q)
{
    return atan2(q[3], q[2]);
}

static bool note(void *user, const ac_problem *problem, const ac_equilibrium *equilibrium)
{
    story *s = user;
    const ac_equilibrium_point *p = ac_equilibrium_at(equilibrium);
    const double *q = ac_equilibrium_configuration(equilibrium);
    double initial = first_angle(ac_problem_system(problem)->initial.q);
    bool changed = s->points > 0 && p->negative != s->negative;
    if (changed && p->event == AC_EVENT_NONE && !s->explained) ++s->unexplained;
    s->explained = p->event != AC_EVENT_NONE;
    s->negative = p->negative;
    if (p->event == AC_EVENT_LIMIT && s->limits < EVENTS) s->limit[s->limits++] = p->factor;
    if (p->event == AC_EVENT_BIFURCATION && s->bifurcations < EVENTS)
        s->bifurcation[s->bifurcations++] = p->factor;
    if (p->event == AC_EVENT_LEVEL && s->levels < EVENTS) s->level[s->levels++] = p->factor;
    if (s->points == POINTS) return true;
    s->angle[s->points] = remainder(first_angle(q) - initial, 2 * acos(-1.0));
    s->factor[s->points++] = p->factor;
    return true;
}

static story tell(const char *text, const char *one, const char *two)
{
    const char *const settings[2] = {one, two};
    story s = {0};
    s.status = follow_path(text, settings, one ? two ? 2 : 1 : 0, note, &s, s.message, sizeof s.message);
    return s;
}

/* An inverted pendulum with a spring in its joint: k a = m g l sin a */
static const char PENDULUM[] = "title: inverted pendulum\n"
                               "gravity: [0, -10]\n"
                               "planar_bodies: {p: {mass: 1, inertia: 0.1}}\n"
                               "joints: [{name: h, revolute: [ground, p], at: {p: [0, -1]}}]\n"
                               "springs: [{joint: h, stiffness: 5}]\n"
                               "equilibrium: {path: {step: 0.05, points: 60}}\n";

TEST(an_inverted_pendulum_loses_its_stability)
{
    story s = tell(PENDULUM, NULL, NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.bifurcations == 1 && s.limits == 0);
    CHECK_NEAR(s.bifurcation[0], 0.5, 1e-10);
    CHECK(s.negative == 1);
    for (int k = 0; k < s.points; ++k) CHECK(fabs(s.angle[k]) < 1e-12);
}

/* How large the load is at factor 1 does not matter: steps are those of what it would move. */
TEST(steps_do_not_depend_on_the_size_of_the_load)
{
    story heavy = tell(PENDULUM, "gravity=[0, -10000]", NULL), light = tell(PENDULUM, NULL, NULL);
    CHECK(heavy.status == AC_OK && heavy.bifurcations == 1);
    CHECK_NEAR(heavy.bifurcation[0], 0.5e-3, 1e-13);
    CHECK(heavy.points == light.points);
    CHECK_NEAR(heavy.factor[heavy.points - 1] * 1000, light.factor[light.points - 1], 1e-9);
}

TEST(the_branch_of_the_pendulum_is_known)
{
    static const char *const sides[] = {"equilibrium.path.other_side=false",
                                        "equilibrium.path.other_side=true"};
    double end[2];
    for (int k = 0; k < 2; ++k) {
        story s = tell(PENDULUM, "equilibrium.path.branch=1", sides[k]);
        CHECK(s.status == AC_OK && s.points > 40 && s.negative == 0);
        end[k] = s.angle[s.points - 1];
        for (int i = 0; i < s.points; ++i)
            if (fabs(s.angle[i]) > 1e-6) CHECK_NEAR(s.factor[i], s.angle[i] / (2 * sin(s.angle[i])), 1e-9);
        CHECK(fabs(end[k]) > 1.0);
    }
    CHECK_NEAR(end[0], -end[1], 1e-9);
}

TEST(the_step_may_hit_the_bifurcation)
{
    double first = tell(PENDULUM, NULL, NULL).factor[1];
    char set[64];
    for (int k = 1; k < 4; ++k) {
        snprintf(set, sizeof set, "equilibrium.path.step=%.17g", 0.05 * 0.5 / first / k);
        story s = tell(PENDULUM, set, NULL);
        CHECK(s.status == AC_OK);
        CHECK(s.bifurcations == 1);
        CHECK_NEAR(s.bifurcation[0], 0.5, 1e-9);
    }
}

/* Two links of length one: [2 -1; -1 1] has the squares of the golden ratio as eigenvalues. */
static const char TWO_LINKS[] = "title: two links\n"
                                "planar_bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 1, inertia: 0.1}}\n"
                                "joints:\n"
                                "  - {name: h1, revolute: [ground, a], at: {a: [0, 0]}}\n"
                                "  - {name: h2, revolute: [a, b], at: {a: [0, 1], b: [0, 0]}}\n"
                                "springs: [{joint: h1, stiffness: 1}, {joint: h2, stiffness: 1}]\n"
                                "loads: [{force: [0, -1], on: b, at: [0, 1], frame: world}]\n"
                                "equilibrium: {path: {step: 0.02, points: 100}}\n";

TEST(both_loads_of_two_links_are_found)
{
    static const char *const steps[] = {"equilibrium.path.step=0.02", "equilibrium.path.step=0.05",
                                        "equilibrium.path.step=1"};
    double golden = 0.5 * (1 + sqrt(5));
    for (int k = 0; k < 3; ++k) {
        story s = tell(TWO_LINKS, steps[k], NULL);
        CHECK(s.status == AC_OK && s.bifurcations == 2 && s.unexplained == 0);
        CHECK_NEAR(s.bifurcation[0], 1 / (golden * golden), 1e-9);
        CHECK_NEAR(s.bifurcation[1], golden * golden, 1e-9);
    }
}

/* However they start, the load along links pushes them with what rounding leaves of it. Next to the
 * bifurcation that is enough to move them, which makes it no limit point. */
TEST(links_may_be_drawn_at_any_angle)
{
    static const char text[] = "title: two links\n"
                               "parameters: {a: 90 deg}\n"
                               "planar_bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 1, inertia: 0.1}}\n"
                               "joints:\n"
                               "  - {name: h1, revolute: [ground, a], at: {a: [-0.5, 0]}, angle: =a}\n"
                               "  - {name: h2, revolute: [a, b], at: {a: [0.5, 0], b: [-0.5, 0]}, angle: 0}\n"
                               "springs: [{joint: h1, stiffness: 1, rest: =a}, {joint: h2, stiffness: 1}]\n"
                               "loads: [{force: [=-cos(a), =-sin(a)], on: b, at: [0.5, 0]}]\n"
                               "equilibrium: {path: {step: 0.02, points: 100}}\n";
    static const char *const angles[] = {"parameters.a=90 deg", "parameters.a=30 deg",
                                         "parameters.a=135 deg"};
    static const char *const steps[] = {"equilibrium.path.step=0.01", "equilibrium.path.step=0.02",
                                        "equilibrium.path.step=0.05"};
    double golden = 0.5 * (1 + sqrt(5));
    for (int k = 0; k < 9; ++k) {
        story s = tell(text, angles[k / 3], steps[k % 3]);
        CHECK(s.status == AC_OK && s.bifurcations == 2 && s.limits == 0 && s.unexplained == 0);
        CHECK_NEAR(s.bifurcation[0], 1 / (golden * golden), 1e-9);
        CHECK_NEAR(s.bifurcation[1], golden * golden, 1e-9);
    }
}

TEST(an_upright_pendulum_buckles_at_any_stiffness)
{
    static const char text[] = "title: upright pendulum\n"
                               "parameters: {k: 5}\n"
                               "gravity: [0, -9.81]\n"
                               "planar_bodies: {p: {solid: {rod: {length: 1, mass: 1}}}}\n"
                               "joints: [{name: h, revolute: [ground, p], at: {p: start}, angle: 90 deg}]\n"
                               "springs: [{joint: h, stiffness: =k, rest: 90 deg}]\n"
                               "equilibrium: {path: {step: 0.05, points: 60}}\n";
    char set[64];
    for (int k = 3; k <= 8; ++k) {
        snprintf(set, sizeof set, "parameters.k=%d", k);
        story s = tell(text, set, NULL);
        CHECK(s.status == AC_OK && s.bifurcations == 1 && s.limits == 0 && s.unexplained == 0);
        CHECK_NEAR(s.bifurcation[0], k / 4.905, 1e-9);
        s = tell(text, set, "equilibrium.path.branch=1");
        CHECK(s.status == AC_OK && s.bifurcations == 1);
        for (int i = 0; i < s.points; ++i)
            if (fabs(s.angle[i]) > 1e-4)
                CHECK_NEAR(s.factor[i], k * s.angle[i] / (4.905 * sin(s.angle[i])), 1e-8);
        CHECK(fabs(s.angle[s.points - 1]) > 1.0);
    }
}

/* det [2 - P, P - 1; -1, 1] = 1 for every P: such a column begins to swing, but has no second state of
 * rest. */
TEST(two_links_under_a_load_that_follows_stay_straight)
{
    story s = tell(TWO_LINKS, "loads=[{force: [0, -1], on: b, at: [0, 1], frame: body}]", NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.bifurcations == 0 && s.limits == 0);
    CHECK(s.negative == AC_NOT_JUDGED);
    CHECK(s.factor[s.points - 1] > 2.7);
}

/* Of n links the j-th load is 2 - 2 cos((2 j - 1) pi / (2 n + 1)), here 1 for the second. Beyond it the
 * links turn by a, a, 0 and -a. */
TEST(the_second_branch_of_four_links_is_known)
{
    static const char text[] =
        "title: four links\n"
        "planar_bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1}, "
        "d: {mass: 1, inertia: 1}}\n"
        "joints:\n"
        "  - {name: h1, revolute: [ground, a], at: {a: [0, 0]}}\n"
        "  - {name: h2, revolute: [a, b], at: {a: [0, 1], b: [0, 0]}}\n"
        "  - {name: h3, revolute: [b, c], at: {b: [0, 1], c: [0, 0]}}\n"
        "  - {name: h4, revolute: [c, d], at: {c: [0, 1], d: [0, 0]}}\n"
        "springs: [{joint: h1, stiffness: 3}, {joint: h2, stiffness: 3}, {joint: h3, stiffness: 3}, "
        "{joint: h4, stiffness: 3}]\n"
        "loads: [{force: [0, -3], on: d, at: [0, 1]}]\n"
        "equilibrium: {path: {step: 0.05, points: 120}}\n";
    story s = tell(text, NULL, NULL);
    CHECK(s.status == AC_OK && s.bifurcations == 4);
    for (int j = 1; j <= 4 && j <= s.bifurcations; ++j)
        CHECK_NEAR(s.bifurcation[j - 1], 2 - 2 * cos((2 * j - 1) * acos(-1.0) / 9), 1e-9);
    s = tell(text, "equilibrium.path.branch=2", NULL);
    CHECK(s.status == AC_OK && s.bifurcations >= 2);
    for (int i = s.points - 20; i > 0 && i < s.points; ++i)
        CHECK_NEAR(s.factor[i], s.angle[i] / sin(s.angle[i]), 1e-8);
    CHECK(fabs(s.angle[s.points - 1]) > 0.5);
}

/* A mast on a ball joint that springs hold: it spins about its axis at no cost, and buckles at 2 k l. Away
 * from rest the spin costs as much as the forces that are left; it is held all the same, so that steps on
 * the branch stay long. */
TEST(a_mast_that_spins_freely_is_followed)
{
    static const char text[] =
        "title: mast\n"
        "bodies: {p: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}}\n"
        "joints: [{spherical: [ground, p], at: {p: [0, 0, -1]}}]\n"
        "springs:\n"
        "  - {between: [ground, p], at: {ground: [5, 0, 1], p: [0, 0, 0]}, stiffness: 2}\n"
        "  - {between: [ground, p], at: {ground: [-5, 0, 1], p: [0, 0, 0]}, stiffness: 2}\n"
        "  - {between: [ground, p], at: {ground: [0, 5, 1], p: [0, 0, 0]}, stiffness: 2}\n"
        "  - {between: [ground, p], at: {ground: [0, -5, 1], p: [0, 0, 0]}, stiffness: 2}\n"
        "loads: [{force: [0, 0, -1], on: p}]\n"
        "equilibrium: {path: {step: 0.05, points: 60, branch: 1}}\n";
    story s = tell(text, NULL, NULL);
    CHECK(s.status == AC_OK && s.bifurcations == 1 && s.limits == 0);
    CHECK_NEAR(s.bifurcation[0], 4, 1e-9);
    CHECK(s.negative == 1);
    CHECK(s.factor[s.points - 1] < 1.0); /* nearly flat */
}

TEST(links_that_nothing_holds_have_no_path)
{
    story s = tell(TWO_LINKS, "springs=[]", NULL);
    CHECK(s.status != AC_OK);
    CHECK(strstr(s.message, "nothing in it resists them; there is no path to follow") != NULL);
}

/* A slider crank whose slider is on a spring. Where the crank points along the load, the load has no
 * leverage: its factor goes to infinity and comes back from the other side. */
static const char TOGGLE[] = "title: toggle\n"
                             "planar_bodies:\n"
                             "  c: {solid: {rod: {length: 1, mass: 1}}}\n"
                             "  r: {solid: {rod: {length: 1, mass: 1}}}\n"
                             "  s: {mass: 1, inertia: 0.1, position: [=2*cos(0.3), 0]}\n"
                             "joints:\n"
                             "  - {name: A, revolute: [ground, c], at: {c: start}, angle: 0.3}\n"
                             "  - {name: B, revolute: [c, r], at: {c: end, r: start}, angle: -0.6}\n"
                             "  - {name: C, revolute: [r, s], at: {r: end, s: [0, 0]}, angle: 0.3}\n"
                             "  - {name: D, prismatic: [ground, s], at: [=2*cos(0.3), 0], axis: [1, 0]}\n"
                             "springs: [{joint: D, stiffness: 100}]\n"
                             "loads: [{force: [0, -1], on: c, at: end}]\n"
                             "equilibrium: {path: {step: 0.02, points: 100}}\n";

/* With the crank at the angle a the work of load and spring gives 400 (cos b - cos a) sin a = factor cos
 * a, b = 0.3, which vanishes at a = b, 0 and -b and has its pole at a quarter turn. */
static double toggle_limit(void)
{
    double most = 0.0;
    for (int k = 0; k <= 300000; ++k) {
        double a = 1e-6 * k;
        most = fmax(most, 400 * (cos(a) - cos(0.3)) * tan(a));
    }
    return most;
}

TEST(a_pole_of_the_load_is_neither_level_nor_limit)
{
    static const char *const paths[] = {"equilibrium.path={step: 0.02, points: 100, levels: [0]}",
                                        "equilibrium.path={step: 0.033, points: 60, levels: [0]}",
                                        "equilibrium.path={step: 0.07, points: 28, levels: [0]}"};
    for (int k = 0; k < 3; ++k) {
        story s = tell(TOGGLE, paths[k], NULL);
        double least = 0.0, most = 0.0;
        CHECK(s.status == AC_OK);
        CHECK(s.levels == 2 && s.bifurcations == 0);
        for (int i = 0; i < s.levels; ++i) CHECK(fabs(s.level[i]) < 1e-9);
        CHECK(s.limits == 2);
        CHECK_NEAR(fabs(s.limit[0]), toggle_limit(), 1e-6);
        CHECK_NEAR(s.limit[1], -s.limit[0], 1e-6);
        for (int i = 0; i < s.points; ++i) {
            least = fmin(least, s.factor[i]);
            most = fmax(most, s.factor[i]);
        }
        CHECK(most > 1e3 && least < -1e3); /* it has been passed */
    }
}

TEST(levels_on_both_sides_of_a_pole_are_found)
{
    story s = tell(TOGGLE, "equilibrium.path.levels=[50000, -50000]", NULL);
    CHECK(s.status == AC_OK);
    CHECK(s.levels == 2);
    CHECK_NEAR(s.level[0], 5e4, 1e-3);
    CHECK_NEAR(s.level[1], -5e4, 1e-3);
}

RUN_TESTS(CASE(an_inverted_pendulum_loses_its_stability), CASE(steps_do_not_depend_on_the_size_of_the_load),
          CASE(the_branch_of_the_pendulum_is_known), CASE(the_step_may_hit_the_bifurcation),
          CASE(both_loads_of_two_links_are_found), CASE(links_may_be_drawn_at_any_angle),
          CASE(an_upright_pendulum_buckles_at_any_stiffness),
          CASE(two_links_under_a_load_that_follows_stay_straight),
          CASE(the_second_branch_of_four_links_is_known), CASE(a_mast_that_spins_freely_is_followed),
          CASE(links_that_nothing_holds_have_no_path), CASE(a_pole_of_the_load_is_neither_level_nor_limit),
          CASE(levels_on_both_sides_of_a_pole_are_found))
