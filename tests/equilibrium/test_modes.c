/* Natural frequencies, damping and flutter against closed forms. */
#include "actio/actio.h"

#include <math.h>
#include <string.h>

#include "equilibrium/solver.h"
#include "task/modes.h"
#include "problem/tasks.h"
#include "support/numeric.h"
#include "test.h"

enum { MOST = 20 };
static const double PI = 3.14159265358979323846;

/* The modes of a problem file with up to one value replaced. */
static int modes_of(const char *text, const char *setting, ac_mode mode[MOST])
{
    int found = 0;
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_equilibrium *e = NULL;
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), &setting, setting ? 1 : 0,
                                        &problem);
    if (status == AC_OK) {
        const ac_modes_data *data = ac_problem_data(problem, &ac_task_modes);
        status = ac_equilibrium_new(ctx, ac_problem_system(problem), &data->equilibrium, &e);
        for (bool done = data->initial; status == AC_OK && !done;) status = ac_equilibrium_next(e, &done);
        if (status == AC_OK) status = ac_equilibrium_modes(e, data->count, data->near, mode, &found);
    }
    CHECK(status == AC_OK);
    if (status != AC_OK) puts(ac_context_message(ctx));
    ac_equilibrium_free(e);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return found;
}

/* The reason why a problem has no modes. */
static void refusal(const char *text, char message[512])
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_equilibrium *e = NULL;
    ac_status status = ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem);
    if (status == AC_OK) {
        const ac_modes_data *data = ac_problem_data(problem, &ac_task_modes);
        status = ac_equilibrium_new(ctx, ac_problem_system(problem), &data->equilibrium, &e);
    }
    CHECK(status == AC_BAD_INPUT);
    snprintf(message, 512, "%s", ac_context_message(ctx));
    ac_equilibrium_free(e);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

/* A mass on a spring with a damper: s^2 + 2 z w s + w^2 = 0, on both sides of critical damping. */
TEST(an_oscillator)
{
    static const char text[] =
        "title: t\n"
        "parameters: {c: 4}\n"
        "points: {mass: {mass: 2, position: [1]}}\n"
        "springs: [{between: [ground, mass], stiffness: 200, length: 1, damping: =c}]\n"
        "modes: {}\n";
    ac_mode m[MOST];
    CHECK(modes_of(text, NULL, m) == 1);
    CHECK_NEAR(m[0].frequency, 10.0 * sqrt(1.0 - 0.01) / (2.0 * PI), 1e-12);
    CHECK_NEAR(m[0].damping, 0.1, 1e-12);
    CHECK_NEAR(m[0].growth, -1.0, 1e-12);
    CHECK(modes_of(text, "parameters.c=50", m) == 1); /* one freedom: one mode is shown of the two */
    CHECK_NEAR(m[0].growth, -(50.0 - sqrt(2500.0 - 1600.0)) / 4.0, 1e-10);
    CHECK(m[0].frequency == 0.0 && m[0].damping == 1.0);
}

/* N equal masses on massless strings of equal length: w^2 l / g are the zeros of the Laguerre polynomial L_N. Rods without
 * inertia about their ends take the trees through their recursion, long ones in extended form. */
static double laguerre(int n, double x)
{
    double a = 1.0, b = 1.0 - x;
    for (int k = 1; k < n; ++k) {
        double c = ((2 * k + 1 - x) * b - k * a) / (k + 1);
        a = b;
        b = c;
    }
    return n == 0 ? a : b;
}

TEST(chains_of_pendulums)
{
    static const char text[] =
        "title: chain\n"
        "parameters: {n: 1}\n"
        "gravity: [0, -9.81]\n"
        "planar_bodies:\n"
        "  p: {repeat: =n, mass: 1, inertia: 1e-9, points: {top: [0, 0.5]}}\n"
        "joints:\n"
        "  - {revolute: [ground, p(1)], at: {p(1): top}, angle: 0}\n"
        "  - {repeat: =n-1, revolute: [p(i), p(i+1)], at: {p(i): origin, p(i+1): top}, angle: 0}\n"
        "modes: {count: 20}\n";
    for (int n = 2; n <= 18; n += 8) {
        ac_mode m[MOST];
        char setting[32];
        snprintf(setting, sizeof setting, "parameters.n=%d", n);
        CHECK(modes_of(text, setting, m) == n);
        for (int k = 0; k < n; ++k) { /* a change of sign beside the root */
            double w = 2.0 * PI * m[k].frequency, x = w * w * 0.5 / 9.81;
            CHECK(laguerre(n, x * (1.0 - 1e-6)) * laguerre(n, x * (1.0 + 1e-6)) < 0.0);
        }
    }
}

/* Hermitian beams: (k L)^2 sqrt(EI / rho A) / (2 pi L^2); the error is of second order in the elements, also where the
 * system is large (60 elements: 360 freedoms, the Krylov space) and where a loop closes it. */
static const char STRIP[] = "title: strip\n"
                            "parameters: {n: 20}\n"
                            "beams:\n"
                            "  strip:\n"
                            "    straight: {from: [0, 0, 0], to: [1, 0, 0]}\n"
                            "    d1: [0, 0, 1]\n"
                            "    elements: =n\n"
                            "    stiffness: {shear: [1e9, 1e9], axial: 1e9, bending: [1, 2], torsion: 100}\n"
                            "    inertia: {mass: 1, rotary: [1e-9, 1e-9]}\n";

static double mesh_order(const char *text, int mode, double exact, double *finest)
{
    double error[3];
    for (int k = 0; k < 3; ++k) {
        ac_mode m[MOST];
        char setting[32];
        snprintf(setting, sizeof setting, "parameters.n=%d", 15 << k);
        CHECK(modes_of(text, setting, m) > mode);
        error[k] = m[mode].frequency / exact - 1.0;
    }
    *finest = error[2];
    CHECK_NEAR(log2(error[0] / error[1]), 2.0, 0.1);
    return log2(error[1] / error[2]);
}

TEST(beams_have_their_frequencies)
{
    static const struct {
        const char *supports;
        int mode;
        double root;
    } cases[] = {
        {"joints: [{fixed: [ground, strip.start]}]\nmodes: {count: 6}\n", 0, 1.87510406871196},
        {"joints: [{fixed: [ground, strip.start]}]\nmodes: {count: 6}\n", 2, 4.69409113297418},
        {"modes: {count: 8}\n", 6, 4.73004074486270},
        {"joints: [{fixed: [ground, strip.start]}, {fixed: [ground, strip.end]}]\nmodes: {count: 2}\n", 0,
         4.73004074486270},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[1024];
        double finest;
        snprintf(text, sizeof text, "%s%s", STRIP, cases[k].supports);
        CHECK_NEAR(mesh_order(text, cases[k].mode, cases[k].root * cases[k].root / (2.0 * PI), &finest), 2.0,
                   0.1);
        CHECK_NEAR(finest, 0.0, 3e-3);
    }
}

TEST(free_bodies_have_six_zeros)
{
    static const char *const sizes[] = {"parameters.n=10", "parameters.n=60"};
    for (int k = 0; k < 2; ++k) {
        char text[1024];
        ac_mode m[MOST];
        snprintf(text, sizeof text, "%smodes: {count: 8}\n", STRIP);
        CHECK(modes_of(text, sizes[k], m) == 8);
        for (int i = 0; i < 8; ++i) CHECK(m[i].free == (i < 6));
    }
}

/* In axes that turn with rate W: w^4 - (a + b + 2 W^2) w^2 + (a - W^2)(b - W^2) = 0 for springs a and b across. */
TEST(a_turning_table)
{
    static const char text[] =
        "title: t\n"
        "parameters: {w: 3}\n"
        "planar_bodies: {disc: {mass: 2, inertia: 1}}\n"
        "joints: [{planar: [ground, disc], at: {disc: centre}}]\n"
        "springs:\n"
        "  - {between: [ground, disc], at: {disc: centre, ground: [1, 0]}, stiffness: 50, length: 1}\n"
        "  - {between: [ground, disc], at: {disc: centre, ground: [-1, 0]}, stiffness: 50, length: 1}\n"
        "  - {between: [ground, disc], at: {disc: centre, ground: [0, 1]}, stiffness: 80, length: 1}\n"
        "  - {between: [ground, disc], at: {disc: centre, ground: [0, -1]}, stiffness: 80, length: 1}\n"
        "modes: {count: 3, about: {spin: {axis: [0, 0, 2], rate: =w}}}\n";
    ac_mode m[MOST];
    CHECK(modes_of(text, NULL, m) == 3);
    double sum = 50.0 + 80.0 + 18.0, root = sqrt(sum * sum - 4.0 * 41.0 * 71.0);
    CHECK(m[0].free);
    CHECK_NEAR(m[1].frequency, sqrt((sum - root) / 2.0) / (2.0 * PI), 1e-10);
    CHECK_NEAR(m[2].frequency, sqrt((sum + root) / 2.0) / (2.0 * PI), 1e-10);
    CHECK(modes_of(text, "parameters.w=8", m) == 3); /* between both critical speeds: one motion grows */
    sum = 130.0 + 128.0;
    root = sqrt(sum * sum - 4.0 * (50.0 - 64.0) * (80.0 - 64.0));
    CHECK_NEAR(m[1].growth, sqrt((root - sum) / 2.0), 1e-9);
}

/* A mass on a spring along a turning rod: rest at k l0 / (k - m W^2), and k / m - W^2 in the guide, whose walls carry the rest. */
TEST(a_bead_that_is_thrown_out)
{
    static const char text[] =
        "title: t\n"
        "planar_bodies: {bead: {mass: 2, inertia: 1}}\n"
        "joints: [{prismatic: [ground, bead], at: {bead: origin}, axis: [1, 0], slide: 1}]\n"
        "springs: [{between: [ground, bead], at: {bead: centre}, stiffness: 100, length: 1}]\n"
        "modes: {count: 1, about: {spin: {axis: [0, 0, 1], rate: 5}}}\n";
    ac_mode m[MOST];
    CHECK(modes_of(text, NULL, m) == 1);
    CHECK_NEAR(m[0].frequency, sqrt(50.0 - 25.0) / (2.0 * PI), 1e-10);
}

/* Euler: the frequency falls with the load and is zero at pi^2 EI / 4. Beck: a load that follows the end does not lower it to zero;
 * two modes meet at 20.05 EI (Beck 1952), known here to the mesh. */
TEST(columns_buckle_or_flutter)
{
    static const char text[] =
        "title: t\n"
        "parameters: {P: 1, n: 20}\n"
        "beams:\n"
        "  c:\n"
        "    straight: {from: [0, 0, 0], to: [0, 0, 1]}\n"
        "    d1: [1, 0, 0]\n"
        "    elements: =n\n"
        "    stiffness: {shear: [1e7, 1e7], axial: 1e7, bending: [1, 16], torsion: 10}\n"
        "    inertia: {mass: 1, rotary: [1e-7, 1e-7]}\n"
        "joints: [{fixed: [ground, c.start]}]\n"
        "loads: [{force: [0, 0, =-P], on: c.end%s}]\n"
        "modes: {count: 2}\n";
    char dead[1024], follower[1024], setting[48];
    ac_mode m[MOST];
    snprintf(dead, sizeof dead, text, "");
    snprintf(follower, sizeof follower, text, ", frame: body");
    CHECK(modes_of(dead, "parameters.P=2.44", m) == 2); /* pi^2 / 4 = 2.467 */
    CHECK(m[0].growth == 0.0 && m[0].frequency < 0.1);
    CHECK(modes_of(dead, "parameters.P=2.50", m) == 2);
    CHECK(m[0].growth > 0.0 && m[0].frequency == 0.0);
    double meet[2];
    for (int k = 0; k < 2; ++k) {
        double low = 19.0, high = 23.0;
        while (high - low > 0.004) {
            double P = 0.5 * (low + high);
            const char *format = k == 0 ? "parameters={P: %.9g, n: 12}" : "parameters={P: %.9g, n: 24}";
            snprintf(setting, sizeof setting, format, P);
            CHECK(modes_of(follower, setting, m) == 2);
            if (fabs(m[0].growth) > 1e-6)
                high = P;
            else
                low = P;
        }
        meet[k] = low;
    }
    CHECK_NEAR((4.0 * meet[1] - meet[0]) / 3.0, 20.05, 0.05);
}

TEST(what_cannot_turn_is_refused)
{
    char message[512];
    refusal("title: t\ngravity: [0, -9.81]\nplanar_bodies: {b: {mass: 1, inertia: 1}}\n"
            "modes: {about: {spin: {axis: [0, 0, 1], rate: 3}}}\n",
            message);
    CHECK(strstr(message, "gravity along its axis"));
    refusal("title: t\nplanar_bodies: {b: {mass: 1, inertia: 1}}\nmodes: {about: {spin: {axis: [0, 1, 0], "
            "rate: 3}}}\n",
            message);
    CHECK(strstr(message, "cannot leave its plane"));
}

RUN_TESTS(CASE(an_oscillator), CASE(chains_of_pendulums), CASE(beams_have_their_frequencies),
          CASE(free_bodies_have_six_zeros), CASE(a_turning_table), CASE(a_bead_that_is_thrown_out),
          CASE(columns_buckle_or_flutter), CASE(what_cannot_turn_is_refused))
