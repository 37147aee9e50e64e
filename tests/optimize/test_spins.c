/* Legs between two spherical joints spin about their own axes, and nothing changes that: rest at the end
 * follows from rest at the start. */
#include <unistd.h>

#include "actio/problem.h"
#include "actio/run.h"
#include "optimize/judge/reduce.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

typedef struct text {
    char words[16384];
    size_t used;
} text;

#define ADD(t, ...) \
    ((t)->used += (size_t)snprintf((t)->words + (t)->used, sizeof(t)->words - (t)->used, __VA_ARGS__))

/* Where leg k stands on the ground (0) and holds the plate (1); angles of the pairs in degrees. */
static void foot(int k, int plate, double place[3])
{
    static const double at[2][6] = {{-15, 15, 105, 135, -135, -105}, {-45, 45, 75, 165, -165, -75}};
    double angle = at[plate][k] * acos(-1.0) / 180.0, radius = plate ? 0.6 : 1.0;
    place[0] = radius * cos(angle);
    place[1] = radius * sin(angle);
    place[2] = plate ? 0.9 : 0.0;
}

static void add_leg(text *t, int k)
{
    double a[3], b[3], d[3], length = 0.0;
    foot(k, 0, a);
    foot(k, 1, b);
    for (int i = 0; i < 3; ++i) length += (b[i] - a[i]) * (b[i] - a[i]);
    length = sqrt(length);
    for (int i = 0; i < 3; ++i) d[i] = (b[i] - a[i]) / length;
    for (int part = 0; part < 2; ++part) {
        double shift = part ? length - 0.6 : 0.0;
        ADD(t,
            "  %s%d: {solid: {cylinder: {radius: %g, length: 0.6, along: x, mass: %g}}, position: [%.9f, "
            "%.9f, %.9f], "
            "rotation: {axis: [0, %.9f, %.9f], angle: %.12f}}\n",
            part ? "rod" : "cyl", k, part ? 0.025 : 0.04, part ? 2.0 : 4.0, a[0] + shift * d[0],
            a[1] + shift * d[1], a[2] + shift * d[2], -d[2], d[1], acos(d[0]));
    }
}

/* A 6-SPS platform: six spins. */
static void platform(text *t)
{
    t->used = 0;
    ADD(t, "title: t\ngravity: [0, 0, -9.81]\nbodies:\n"
           "  plate: {solid: {cylinder: {radius: 0.65, length: 0.05, mass: 50}}, position: [0, 0, 0.9]}\n");
    for (int k = 0; k < 6; ++k) add_leg(t, k);
    ADD(t, "joints:\n");
    for (int k = 0; k < 6; ++k) {
        double a[3], b[3];
        foot(k, 0, a);
        foot(k, 1, b);
        ADD(t,
            "  - {name: foot%d, spherical: [ground, cyl%d], at: {ground: [%.9f, %.9f, 0], cyl%d: start}}\n"
            "  - {name: leg%d, prismatic: [cyl%d, rod%d], at: {cyl%d: start, rod%d: start}, axis: [1, 0, "
            "0]}\n"
            "  - {name: top%d, spherical: [rod%d, plate], at: {rod%d: end, plate: [%.9f, %.9f, 0]}}\n",
            k, k, a[0], a[1], k, k, k, k, k, k, k, k, k, b[0], b[1]);
    }
    ADD(t, "optimize:\n  intervals: 8\n  duration: 1 s\n  controls:\n");
    for (int k = 0; k < 6; ++k) ADD(t, "    - {joint: leg%d, name: f%d, limit: 800}\n", k, k);
    ADD(t, "  objective: [{effort: 1e-4}]\n  conditions:\n"
           "    - {orientation: plate, rotation: {axis: [1, 1, 0], angle: 12 deg}, at: end}\n"
           "    - {point: origin, of: plate, place: [0.1, 0.05, 1.0], at: end}\n"
           "  end_velocity: rest\n");
}

static ac_problem *read_words(const char *words)
{
    ac_problem *problem = NULL;
    char path[64];
    if (!ctx) ctx = ac_context_new(NULL);
    snprintf(path, sizeof path, "/tmp/actio-test-spins-%ld.yaml", (long)getpid());
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return NULL;
    fputs(words, file);
    fclose(file);
    ac_status status = ac_problem_read(ctx, path, NULL, 0, &problem);
    remove(path);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return problem;
}

static int count_spins(const ac_problem *problem)
{
    ac_optimization *o = ac_problem_optimization(problem);
    int count = 0;
    CHECK(ac_optimization_prepare(o) == AC_OK);
    for (int f = 0; o->layout.end.spin && f < o->layout.freedoms; ++f) count += o->layout.end.spin[f];
    return count;
}

TEST(a_platform_on_six_legs_is_solved)
{
    static text t;
    platform(&t);
    ac_problem *problem = read_words(t.words);
    if (!problem) return;
    CHECK(count_spins(problem) == 6);
    ac_summary summary = {0};
    CHECK(ac_run(ctx, problem, NULL, NULL, NULL, &summary) == AC_OK);
    for (int k = 0; k < summary.count; ++k) {
        if (strcmp(summary.entry[k].name, "iterations") == 0) CHECK(summary.entry[k].value <= 30);
        if (strcmp(summary.entry[k].name, "violation") == 0) CHECK(summary.entry[k].value < 1e-8);
        if (strcmp(summary.entry[k].name, "second_order") == 0) CHECK(summary.entry[k].value == 1.0);
    }
    ac_problem_free(problem);
}

/* Spins that something holds, or whose body is not the same all around, are no such spins. */
TEST(only_spins_that_nothing_changes_count)
{
    static const struct {
        const char *inertia, *control;
        int spins;
    } cases[] = {{"[1, 1, 0.2]", "{joint: slide, name: u}", 1},
                 {"[1, 1.1, 0.2]", "{joint: slide, name: u}", 0},
                 {"[1, 1, 0.2]", "{torque: top, name: u}", 0}};
    for (int k = 0; k < 3; ++k) {
        char words[1024];
        snprintf(words, sizeof words,
                 "title: t\nbodies:\n"
                 "  base: {mass: 1, inertia: [1, 2, 3]}\n"
                 "  top: {mass: 1, inertia: %s, points: {p: [0, 0, -1]}, position: [0, 0, 1]}\n"
                 "joints:\n"
                 "  - {prismatic: [ground, base], at: {base: [0, 0, 0]}, axis: [1, 0, 0], name: slide}\n"
                 "  - {spherical: [base, top], at: {base: [0, 0, 0], top: p}, name: ball}\n"
                 "optimize: {intervals: 4, duration: 1, controls: [%s], objective: [{effort: 1}], "
                 "end_velocity: rest}\n",
                 cases[k].inertia, cases[k].control);
        ac_problem *problem = read_words(words);
        if (!problem) continue;
        CHECK(count_spins(problem) == cases[k].spins);
        ac_problem_free(problem);
    }
    ac_context_free(ctx);
    ctx = NULL;
}

RUN_TESTS(CASE(a_platform_on_six_legs_is_solved), CASE(only_spins_that_nothing_changes_count))
