/* Clearances and the coordinates of spherical joints: values against plain geometry, derivatives against
 * differences. */
#include <stdlib.h>

#include "actio/optimize.h"
#include "base/rotation.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "test.h"

static ac_context *ctx;

/* Always the same numbers between -1 and 1. */
static double number(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return 2.0 * (*state >> 8) / 16777216.0 - 1.0;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* --- the functions themselves --- */

static void check_slopes(const ac_outer *o, const double *kappa, double winding, double size)
{
    ac_outer_value v, up, down;
    double x[AC_OUTER_MAX], cube[AC_OUTER_MAX][AC_OUTER_MAX], s[AC_OUTER_MAX];
    const double e = 1e-5;
    ac_outer_evaluate(o, kappa, winding, &v);
    for (int a = 0; a < o->maps; ++a) {
        memcpy(x, kappa, sizeof x);
        x[a] += e;
        ac_outer_evaluate(o, x, winding, &up);
        x[a] -= 2.0 * e;
        ac_outer_evaluate(o, x, winding, &down);
        CHECK_NEAR((up.y - down.y) / (2.0 * e), v.d[a], 1e-7 * size);
        for (int b = 0; b < o->maps; ++b)
            CHECK_NEAR((up.d[b] - down.d[b]) / (2.0 * e), v.dd[a][b], 1e-6 * size);
        memset(s, 0, sizeof s);
        s[a] = 1.0;
        ac_outer_third(o, kappa, s, cube);
        for (int b = 0; b < o->maps; ++b)
            for (int c = 0; c < o->maps; ++c)
                CHECK_NEAR((up.dd[b][c] - down.dd[b][c]) / (2.0 * e), cube[b][c], 1e-5 * size);
    }
}

/* Gram matrix of p, u, v in the order of the maps. */
static void gram(const double p[3], const double u[3], const double v[3], const bool segment[2],
                 double *kappa)
{
    int k = 0;
    kappa[k++] = dot(p, p);
    if (segment[0]) {
        kappa[k++] = dot(p, u);
        kappa[k++] = dot(u, u);
    }
    if (segment[1]) {
        kappa[k++] = dot(p, v);
        kappa[k++] = dot(v, v);
    }
    if (segment[0] && segment[1]) kappa[k++] = dot(u, v);
}

TEST(distances_of_segments_are_the_least_over_both)
{
    enum { GRID = 200 };
    unsigned state = 7;
    for (int trial = 0; trial < 60; ++trial) {
        double p[3], u[3], v[3], kappa[AC_OUTER_MAX] = {0.0}, least = 1e300;
        bool segment[2] = {trial % 4 != 1, trial % 4 != 2};
        if (trial % 8 == 7) segment[0] = segment[1] = false;
        for (int i = 0; i < 3; ++i) {
            p[i] = 2.0 * number(&state);
            u[i] = number(&state);
            v[i] = trial % 5 == 4 ? 0.7 * u[i] : number(&state); /* parallel ones too */
        }
        gram(p, u, v, segment, kappa);
        for (int a = 0; a <= (segment[0] ? GRID : 0); ++a)
            for (int b = 0; b <= (segment[1] ? GRID : 0); ++b) {
                double w[3];
                for (int i = 0; i < 3; ++i) w[i] = p[i] + u[i] * a / GRID - v[i] * b / GRID;
                least = fmin(least, sqrt(dot(w, w)));
            }
        ac_outer o = {.kind = AC_OUTER_SEGMENTS,
                      .maps = segment[0] && segment[1]   ? 6
                              : segment[0] || segment[1] ? 3
                                                         : 1,
                      .factor = 1.0,
                      .segment = {segment[0], segment[1]},
                      .offset = -0.1};
        ac_outer_value value;
        ac_outer_evaluate(&o, kappa, 0.0, &value);
        CHECK(value.y + 0.1 <= least + 1e-12);
        CHECK_NEAR(value.y + 0.1, least, 2e-2 * (least + 0.1));
        if (trial % 5 != 4 && least > 0.2) check_slopes(&o, kappa, 0.0, 30.0);
    }
}

/* Squares that overflow leave no place that is nearest: the distance is infinite, and nothing is read that
 * was not set (valgrind and the sanitizers see that). */
TEST(distances_that_overflow_are_infinite)
{
    ac_outer o = {.kind = AC_OUTER_SEGMENTS, .maps = 3, .factor = 1.0, .segment = {true, false}};
    const double kappa[AC_OUTER_MAX] = {INFINITY, -INFINITY, 1.0};
    ac_outer_value value;
    ac_outer_evaluate(&o, kappa, 0.0, &value);
    CHECK(!isfinite(value.y));
}

TEST(other_functions_have_exact_derivatives)
{
    const double c[AC_OUTER_MAX] = {0.3, -0.4}, near_one[AC_OUTER_MAX] = {0.02, 0.999},
                 turned[AC_OUTER_MAX] = {0.3, -0.5}, middle[AC_OUTER_MAX] = {0.4, 0.6},
                 outside[AC_OUTER_MAX] = {1.5, -0.9, 0.2}, corner[AC_OUTER_MAX] = {-1.5, 1.2, 0.9},
                 inside[AC_OUTER_MAX] = {0.1, -0.35, 0.2};
    ac_outer o = {.kind = AC_OUTER_ANGLE, .maps = 2, .factor = 2.0};
    check_slopes(&o, c, 6.0, 300.0);
    o = (ac_outer){.kind = AC_OUTER_LOG, .maps = 2, .factor = 1.0};
    check_slopes(&o, near_one, 0.0, 10.0);
    check_slopes(&o, turned, 0.0, 30.0);
    check_slopes(&o, middle, 0.0, 10.0);
    o = (ac_outer){.kind = AC_OUTER_ARC, .maps = 1, .factor = 1.0};
    check_slopes(&o, c, 0.0, 10.0);
    o = (ac_outer){.kind = AC_OUTER_LEAST, .maps = 3, .factor = 1.0, .offset = -0.2};
    check_slopes(&o, c, 0.0, 1.0);
    o = (ac_outer){.kind = AC_OUTER_BOX, .maps = 3, .factor = 1.0, .half = {0.5, 0.4, 0.6}};
    check_slopes(&o, outside, 0.0, 10.0);
    check_slopes(&o, corner, 0.0, 10.0);
    check_slopes(&o, inside, 0.0, 1.0);
    ac_outer_value v;
    ac_outer_evaluate(&o, inside, 0.0, &v);
    CHECK_NEAR(v.y, -0.05, 1e-15);
    ac_outer_evaluate(&o, corner, 0.0, &v);
    CHECK_NEAR(v.y, sqrt(1.0 + 0.64 + 0.09), 1e-15);
}

/* --- boxes --- */

typedef struct shapes {
    double c[3], r[3][3]; /* the other shape in the axes of the box */
    ac_outer outer;
} shapes;

static void random_shapes(unsigned *state, int sides, double apart, shapes *s)
{
    double turn[3], R[9];
    memset(s, 0, sizeof *s);
    s->outer = (ac_outer){.kind = AC_OUTER_BOX, .maps = 3 + 3 * sides, .factor = 1.0, .sides = sides};
    for (int i = 0; i < 3; ++i) {
        turn[i] = 2.0 * number(state);
        s->c[i] = apart * number(state);
        s->outer.half[i] = 0.5 + 0.3 * number(state);
    }
    ac_rotation_exp(turn, R);
    for (int k = 0; k < sides; ++k) {
        double half = 0.5 + 0.4 * number(state);
        for (int i = 0; i < 3; ++i) s->r[k][i] = half * R[3 * i + k];
    }
}

static void maps_of(const shapes *s, double kappa[AC_OUTER_MAX])
{
    memset(kappa, 0, AC_OUTER_MAX * sizeof *kappa);
    memcpy(kappa, s->c, sizeof s->c);
    memcpy(kappa + 3, s->r, (size_t)s->outer.sides * 3 * sizeof *kappa);
}

/* The least over all places of both, by alternating projections on two convex sets with ever more of a
 * step. */
static double least_distance(const shapes *s)
{
    double z[3] = {0.0}, before[3] = {0.0}, best = 1e300, rate = 0.0;
    for (int k = 0; k < s->outer.sides; ++k) rate += 2.0 * dot(s->r[k], s->r[k]);
    for (int step = 0; step < 20000; ++step) {
        double w[3], e[3], y[3];
        for (int k = 0; k < 3; ++k) y[k] = z[k] + step / (step + 3.0) * (z[k] - before[k]);
        for (int i = 0; i < 3; ++i) {
            w[i] = s->c[i];
            for (int k = 0; k < s->outer.sides; ++k) w[i] += y[k] * s->r[k][i];
            e[i] = w[i] - fmax(-s->outer.half[i], fmin(s->outer.half[i], w[i]));
        }
        memcpy(before, z, sizeof z);
        for (int k = 0; k < s->outer.sides; ++k)
            z[k] = fmax(-1.0, fmin(1.0, y[k] - 2.0 * dot(e, s->r[k]) / rate));
        bool inside = true;
        for (int k = 0; k < 3; ++k) inside = inside && fabs(y[k]) <= 1.0;
        if (inside) best = fmin(best, sqrt(dot(e, e)));
    }
    return best;
}

/* All differences of corners; how far the origin is inside their convex hull is how far the shapes
 * overlap. */
enum { CORNERS = 64 };
static int corner_differences(const shapes *s, double x[CORNERS][3])
{
    int count = 8 << s->outer.sides;
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i) {
            x[k][i] = s->c[i] + (k >> i & 1 ? 1.0 : -1.0) * s->outer.half[i];
            for (int side = 0; side < s->outer.sides; ++side)
                x[k][i] += (k >> (3 + side) & 1 ? 1.0 : -1.0) * s->r[side][i];
        }
    return count;
}

/* The least distance of the origin from planes through three points that have all others on one side. */
static double depth_of(const shapes *s)
{
    double x[CORNERS][3], least = 1e300;
    int count = corner_differences(s, x);
    for (int a = 0; a < count; ++a)
        for (int b = a + 1; b < count; ++b)
            for (int c = b + 1; c < count; ++c) {
                double u[3], v[3], n[3];
                for (int i = 0; i < 3; ++i) {
                    u[i] = x[b][i] - x[a][i];
                    v[i] = x[c][i] - x[a][i];
                }
                for (int i = 0; i < 3; ++i)
                    n[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
                double size = sqrt(dot(n, n)), level = dot(n, x[a]) / size;
                if (size < 1e-8) continue;
                bool above = false, below = false;
                for (int k = 0; k < count && !(above && below); ++k) {
                    double height = dot(n, x[k]) / size - level;
                    above = above || height > 1e-9;
                    below = below || height < -1e-9;
                }
                if (!(above && below)) least = fmin(least, fabs(level));
            }
    return least;
}

TEST(distances_from_boxes_are_the_least_over_all_places)
{
    unsigned state = 11;
    int apart = 0, overlapping = 0;
    for (int trial = 0; trial < 400; ++trial) {
        shapes s;
        double kappa[AC_OUTER_MAX];
        ac_outer_value v;
        random_shapes(&state, trial % 3 == 0 ? 1 : 3, trial % 2 ? 1.0 : 2.2, &s);
        maps_of(&s, kappa);
        ac_outer_evaluate(&s.outer, kappa, 0.0, &v);
        if (v.y > 0.0) {
            CHECK_NEAR(v.y, least_distance(&s), 1e-6);
            ++apart;
        } else {
            CHECK_NEAR(v.y, -depth_of(&s), 1e-9);
            ++overlapping;
        }
    }
    CHECK(apart > 100);
    CHECK(overlapping > 100);
}

TEST(distances_from_boxes_have_exact_derivatives)
{
    unsigned state = 3;
    int apart = 0, overlapping = 0;
    for (int trial = 0; trial < 300; ++trial) {
        shapes s;
        double kappa[AC_OUTER_MAX], x[AC_OUTER_MAX];
        ac_outer_value v, other;
        random_shapes(&state, trial % 3 == 0 ? 1 : 3, trial % 2 ? 1.0 : 2.5, &s);
        maps_of(&s, kappa);
        /* the sides of what moves are not at right angles any more: functions of all numbers */
        for (int k = 0; k < s.outer.maps; ++k) kappa[k] += 1e-4 * number(&state);
        ac_outer_evaluate(&s.outer, kappa, 0.0, &v);
        bool smooth = fabs(v.y) > 0.1;
        for (int k = 0; k < 2 * s.outer.maps && smooth; ++k) { /* another feature close by */
            memcpy(x, kappa, sizeof x);
            x[k / 2] += k % 2 ? 2e-3 : -2e-3;
            ac_outer_evaluate(&s.outer, x, 0.0, &other);
            double bound = v.y + (k % 2 ? 2e-3 : -2e-3) * v.d[k / 2] + 2e-6 * v.dd[k / 2][k / 2];
            smooth = fabs(other.y - bound) < 1e-6;
        }
        if (!smooth) continue;
        if (v.y > 0.0) ++apart;
        if (v.y < 0.0) ++overlapping;
        check_slopes(&s.outer, kappa, 0.0, 30.0);
    }
    CHECK(apart > 50);
    CHECK(overlapping > 50);
}

TEST(boxes_without_end_are_flat_ones)
{
    /* in the plane: a square of side 1, and one turned by 45 degrees */
    const double root = sqrt(0.5);
    ac_outer o = {.kind = AC_OUTER_BOX,
                  .maps = 12,
                  .factor = 1.0,
                  .half = {0.5, 0.5, INFINITY},
                  .sides = 3,
                  .endless = true};
    double kappa[AC_OUTER_MAX] = {2.0,         0.1,        0.0, 0.5 * root, 0.5 * root, 0.0,
                                  -0.5 * root, 0.5 * root, 0.0, 0.0,        0.0,        1.0};
    ac_outer_value v;
    ac_outer_evaluate(&o, kappa, 0.0, &v);
    CHECK_NEAR(v.y, 2.0 - 0.5 - root, 1e-12);
    kappa[1] = 2.0; /* edges that face each other would be parallel only by chance: corner against edge */
    ac_outer_evaluate(&o, kappa, 0.0, &v);
    CHECK_NEAR(v.y, (3.0 * root) - 0.5, 1e-12);
    kappa[0] = 1.0;
    kappa[1] = 0.05; /* overlap: the face of the first parts them */
    ac_outer_evaluate(&o, kappa, 0.0, &v);
    CHECK_NEAR(v.y, 1.0 - 0.5 - root, 1e-12);
    o.half[2] = 0.3; /* one box with an end, the other a bar across it */
    kappa[0] = 2.0;
    ac_outer_evaluate(&o, kappa, 0.0, &v);
    CHECK_NEAR(v.y, 2.0 - 0.5 - root, 1e-9);
}

/* --- in a problem --- */

/* A body on a spherical joint and a second one on it. */
static ac_system *two_balls(const double turn[3])
{
    ac_system *system = NULL;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    for (int k = 0; k < 2; ++k) {
        ac_body body = {
            .name = k == 0 ? "upper" : "lower", .mass = 1.0 + k, .inertia = {0.2, 0.3, 0.4, 0.01, 0, 0}};
        body.pose = ac_pose_identity();
        CHECK(ac_system_add_body(system, &body, NULL) == AC_OK);
        ac_joint joint = {.name = k == 0 ? "shoulder" : "elbow",
                          .type = AC_SPHERICAL,
                          .a = k == 0 ? AC_GROUND : 0,
                          .b = k,
                          .frame_a = ac_pose_identity(),
                          .frame_b = ac_pose_identity()};
        joint.frame_a.position[2] = k == 0 ? 0.0 : 0.5;
        joint.frame_b.position[2] = -0.5;
        joint.has_coordinates = true;
        memcpy(joint.coordinates, turn, sizeof joint.coordinates);
        CHECK(ac_system_add_joint(system, &joint, NULL) == AC_OK);
    }
    ac_status status = ac_system_finish(system, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return system;
}

static void quantity(ac_optimization *o, ac_quantity q)
{
    ac_status status = ac_optimization_add_quantity(o, &q);
    if (status != AC_OK) printf("%s: %s\n", q.name, ac_context_message(ctx));
    CHECK(status == AC_OK);
}

static void condition(ac_optimization *o, const char *text, ac_condition_place place)
{
    ac_condition c = {.expression = text, .place = place, .low = -100, .high = 100};
    CHECK(ac_optimization_add_condition(o, &c, NULL, NULL) == AC_OK);
}

static const ac_hull UPPER = {
    .type = AC_HULL_CAPSULE, .node = 0, .place = {0, 0, -0.5}, .end = {0, 0, 0.5}, .radius = 0.1};
static const ac_hull LOWER = {
    .type = AC_HULL_CAPSULE, .node = 1, .place = {0.3, 0, 0}, .end = {0.4, 0, 0.7}, .radius = 0.05};
static const ac_hull BALL = {.type = AC_HULL_SPHERE, .node = 1, .place = {0, 0.1, 0.6}, .radius = 0.07};
static const ac_hull PILLAR = {
    .type = AC_HULL_CAPSULE, .node = AC_GROUND, .place = {2, 0, 0}, .end = {2, 0.3, 3}, .radius = 0.2};
static const ac_hull FLOOR = {
    .type = AC_HULL_HALF_SPACE, .node = AC_GROUND, .place = {0, 0, -1}, .normal = {0, 0.6, 0.8}};
static const ac_hull CRATE = {.type = AC_HULL_BOX,
                              .node = AC_GROUND,
                              .place = {1, 1, 1},
                              .size = {0.5, 0.6, 0.7},
                              .rotation = {1, 0, 0, 0, 0.8, -0.6, 0, 0.6, 0.8},
                              .radius = 0.02};
static const ac_hull TRAY = {.type = AC_HULL_BOX,
                             .node = 0,
                             .place = {-1, 0.2, 0.3},
                             .size = {0.2, 0.3, 0.1},
                             .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static const ac_hull CHEST = {.type = AC_HULL_BOX,
                              .node = 1,
                              .place = {0.2, -0.3, 0.4},
                              .size = {0.2, 0.4, 0.3},
                              .rotation = {0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1},
                              .radius = 0.03};
static const ac_hull LATH = {.type = AC_HULL_BOX,
                             .node = AC_GROUND,
                             .place = {-1, -1, 0},
                             .size = {0.3, 0.2, 0},
                             .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const ac_hull SLING = {.type = AC_HULL_CAPSULE,
                              .node = 0,
                              .place = {0, 0.2, 0.3},
                              .stretched = true,
                              .end_node = 1,
                              .end = {0, 0.4, 0.2},
                              .radius = 0.01};

static void all_quantities(ac_optimization *o)
{
    const ac_hull *pairs[][2] = {{&UPPER, &LOWER}, {&BALL, &UPPER},  {&PILLAR, &LOWER}, {&BALL, &PILLAR},
                                 {&BALL, &FLOOR},  {&FLOOR, &LOWER}, {&BALL, &CRATE},   {&BALL, &TRAY},
                                 {&TRAY, &FLOOR},  {&LOWER, &CRATE}, {&TRAY, &PILLAR},  {&TRAY, &CRATE},
                                 {&CHEST, &TRAY},  {&SLING, &CRATE}, {&CHEST, &LATH}};
    char name[16], text[32];
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
        snprintf(name, sizeof name, "gap%d", (int)k);
        quantity(o, (ac_quantity){
                        .name = name, .type = AC_QUANTITY_CLEARANCE, .hull = {*pairs[k][0], *pairs[k][1]}});
        condition(o, name, AC_AT_NODES);
        snprintf(text, sizeof text, "%s_rate", name);
        condition(o, text, AC_AT_END);
    }
    for (int k = 0; k < 3; ++k) {
        snprintf(name, sizeof name, "v%d", k);
        quantity(o, (ac_quantity){.name = name, .type = AC_QUANTITY_JOINT, .joint = 1, .coordinate = k});
        condition(o, name, AC_AT_NODES);
        snprintf(text, sizeof text, "%s_rate", name);
        condition(o, text, AC_AT_END);
    }
    quantity(o, (ac_quantity){.name = "swing", .type = AC_QUANTITY_SWING, .joint = 0});
    quantity(o, (ac_quantity){.name = "cosine", .type = AC_QUANTITY_SWING_COSINE, .joint = 0});
    quantity(o, (ac_quantity){.name = "twist", .type = AC_QUANTITY_TWIST, .joint = 1, .axis = {0, 3, 4}});
    condition(o, "swing*twist + cosine", AC_AT_NODES);
    condition(o, "swing_rate*twist_rate + cosine_rate", AC_AT_END);
}

static ac_optimization *problem_of(const ac_system *system, const char *formulation)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.formulation = formulation;
    s.intervals = 2;
    CHECK(ac_optimization_new(ctx, system, &s, &o) == AC_OK);
    for (int k = 0; k < 3; ++k) {
        char name[16];
        snprintf(name, sizeof name, "u%d", k);
        ac_control c = {.name = name,
                        .type = AC_LOAD_JOINT,
                        .joint = 1,
                        .coordinate = k,
                        .low = -9,
                        .high = 9,
                        .rate = INFINITY};
        CHECK(ac_optimization_add_control(o, &c) == AC_OK);
    }
    ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1.0};
    CHECK(ac_optimization_add_objective(o, &effort, NULL, NULL) == AC_OK);
    all_quantities(o);
    return o;
}

TEST(conditions_on_clearances_have_exact_derivatives)
{
    const double turn[3] = {0.5, -0.4, 0.6};
    ac_system *system = two_balls(turn);
    const char *words[] = {"reduced", "multipliers"};
    for (int k = 0; k < 2; ++k) {
        ac_optimization *o = problem_of(system, words[k]);
        double differences[3];
        int dependent;
        char name[128];
        ac_optimization_disturb(o, 5, 0.1);
        CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
        CHECK_NEAR(differences[0], 0.0, 2e-6);
        CHECK_NEAR(differences[1], 0.0, 2e-6);
        CHECK_NEAR(differences[2], 0.0, 2e-5);
        ac_optimization_free(o);
    }
    ac_system_free(system);
}

static double value_of(const ac_optimization *o, const char *name)
{
    for (int k = 0; k < ac_optimization_quantities(o); ++k)
        if (strcmp(ac_optimization_quantity_name(o, k), name) == 0)
            return ac_optimization_quantity_value(o, k, 0);
    return NAN;
}

TEST(spherical_joints_have_the_coordinates_that_they_were_given)
{
    const double turn[3] = {0.5, -0.4, 0.6};
    ac_system *system = two_balls(turn);
    ac_optimization *o = problem_of(system, "reduced");
    CHECK(ac_optimization_prepare(o) == AC_OK);
    for (int k = 0; k < 3; ++k) {
        char name[16];
        snprintf(name, sizeof name, "v%d", k);
        CHECK_NEAR(value_of(o, name), turn[k], 1e-12);
    }
    double R[9], axis[3] = {0, 0.6, 0.8};
    ac_rotation_exp(turn, R);
    CHECK_NEAR(value_of(o, "swing"), acos(R[8]), 1e-12);
    CHECK_NEAR(value_of(o, "cosine"), R[8], 1e-12);
    /* twist about an axis: the part of the quaternion along it */
    double angle = sqrt(dot(turn, turn)), along = dot(turn, axis) / angle * sin(angle / 2.0);
    CHECK_NEAR(value_of(o, "twist"), 2.0 * atan2(along, cos(angle / 2.0)), 1e-12);
    ac_optimization_free(o);
    ac_system_free(system);
}

TEST(clearances_drawn_upright_are_what_one_sees)
{
    const double none[3] = {0, 0, 0};
    ac_system *system = two_balls(none); /* upper: centre at z = 0.5, lower at z = 1.5 */
    ac_optimization *o = problem_of(system, "reduced");
    CHECK(ac_optimization_prepare(o) == AC_OK);
    CHECK_NEAR(value_of(o, "gap4"), (0.1 * 0.6 + (1.5 + 0.6 + 1.0) * 0.8) - 0.07, 1e-12);
    CHECK_NEAR(value_of(o, "gap0"), sqrt(0.3 * 0.3 + 0.5 * 0.5) - 0.15, 1e-8);
    CHECK_NEAR(value_of(o, "gap1"), sqrt(0.1 * 0.1 + 1.1 * 1.1) - 0.17, 1e-8);
    ac_optimization_free(o);
    ac_system_free(system);
}

TEST(bad_shapes_are_refused)
{
    const double none[3] = {0, 0, 0};
    ac_system *system = two_balls(none);
    ac_optimization *o = problem_of(system, "reduced");
    ac_quantity q = {.name = "bad", .type = AC_QUANTITY_CLEARANCE, .hull = {LOWER, BALL}};
    CHECK(ac_optimization_add_quantity(o, &q) == AC_BAD_INPUT); /* the same body */
    q.hull[0] = q.hull[1] = FLOOR;
    q.hull[1].node = 0;
    CHECK(ac_optimization_add_quantity(o, &q) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "two half-spaces") != NULL);
    q.hull[0] = SLING;
    q.hull[1] = BALL; /* the far end of the sling is on the same body */
    CHECK(ac_optimization_add_quantity(o, &q) == AC_BAD_INPUT);
    q.hull[0] = FLOOR;
    q.hull[0].normal[1] = q.hull[0].normal[2] = 0.0;
    CHECK(ac_optimization_add_quantity(o, &q) == AC_BAD_INPUT);
    q.hull[0] = BALL;
    q.hull[0].radius = -1.0;
    CHECK(ac_optimization_add_quantity(o, &q) == AC_BAD_INPUT);
    q = (ac_quantity){.name = "bad", .type = AC_QUANTITY_CLEARANCE, .hull = {UPPER, BALL}};
    memcpy(q.hull[0].end, q.hull[0].place, sizeof q.hull[0].end);
    CHECK(ac_optimization_add_quantity(o, &q) == AC_BAD_INPUT);
    ac_optimization_free(o);
    ac_system_free(system);
    ac_context_free(ctx);
    ctx = NULL;
}

RUN_TESTS(CASE(distances_of_segments_are_the_least_over_both), CASE(distances_that_overflow_are_infinite),
          CASE(other_functions_have_exact_derivatives),
          CASE(distances_from_boxes_are_the_least_over_all_places),
          CASE(distances_from_boxes_have_exact_derivatives), CASE(boxes_without_end_are_flat_ones),
          CASE(conditions_on_clearances_have_exact_derivatives),
          CASE(spherical_joints_have_the_coordinates_that_they_were_given),
          CASE(clearances_drawn_upright_are_what_one_sees), CASE(bad_shapes_are_refused))
