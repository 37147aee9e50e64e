/* Free parameters of beams: exact derivatives for every datum and kind of element in both formulations,
 * the same system as one that was described with other values, and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "actio/optimize.h"
#include "action/inertia.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "support/beams.h"
#include "test.h"

static ac_context *ctx;

static const beam_data KINDS[] = {
    {AC_BEAM_DIRECTOR, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.02, 1},
    {AC_BEAM_DIRECTOR, 1, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.01, 2},
    {AC_BEAM_VERTEX, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.02, 1},
    {AC_BEAM_EDGE, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.02, 1},
    {AC_BEAM_DUAL_QUATERNION, 2, 1.0, 40, 60, {2, 3}, 1.5, 0.3, 0.01, 0.02, 1},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS, DUAL = KIND_COUNT - 1 };

/* A hub on a hinge carries a beam with a body at its end. */
static ac_system *arm(const beam_data *kind)
{
    ac_system *system = NULL;
    const double gravity[3] = {0.1, -0.3, -2.0};
    int hub = -1, hand = -1;
    if (!ctx) ctx = ac_context_new(NULL);
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_set_gravity(system, gravity) == AC_OK);
    const double ambient[4] = {0.03, 0.05, 0.7, 0.9}, none[4] = {0.0};
    int first = add_ambient(system, "rod", kind, (const double[2]){0.003, 0.005},
                            kind->model == AC_BEAM_DUAL_QUATERNION ? ambient : none, NULL);
    ac_body body = {.name = "hub", .mass = 0.5, .inertia = {0.1, 0.2, 0.3, 0, 0, 0}};
    body.pose = ac_pose_identity();
    CHECK(ac_system_add_body(system, &body, &hub) == AC_OK);
    body = (ac_body){.name = "hand", .mass = 0.2, .inertia = {0.01, 0.02, 0.03, 0, 0, 0}};
    body.pose = ac_pose_identity();
    CHECK(ac_system_add_body(system, &body, &hand) == AC_OK);
    ac_joint hinge = {.name = "hinge",
                      .type = AC_REVOLUTE,
                      .a = AC_GROUND,
                      .b = hub,
                      .frame_a = ac_pose_identity(),
                      .frame_b = ac_pose_identity(),
                      .has_coordinates = true};
    hinge.frame_a.position[0] = -0.1;
    ac_joint root = {.name = "root",
                     .type = AC_FIXED,
                     .a = hub,
                     .b = first,
                     .frame_a = ac_pose_identity(),
                     .frame_b = ac_pose_identity()};
    memcpy(root.frame_a.rotation, ALONG_X, sizeof ALONG_X);
    root.frame_a.position[0] = 0.1;
    ac_joint wrist = {.name = "wrist",
                      .type = AC_REVOLUTE,
                      .a = first + last_node(kind),
                      .b = hand,
                      .frame_a = ac_pose_identity(),
                      .frame_b = ac_pose_identity(),
                      .has_coordinates = true};
    wrist.frame_b.position[0] = -0.1;
    CHECK(ac_system_add_joint(system, &hinge, NULL) == AC_OK);
    CHECK(ac_system_add_joint(system, &root, NULL) == AC_OK);
    CHECK(ac_system_add_joint(system, &wrist, NULL) == AC_OK);
    ac_status status = ac_system_finish(system, NULL);
    if (status != AC_OK) printf("%s\n", ac_context_message(ctx));
    CHECK(status == AC_OK);
    return system;
}

/* At r = 1 and l = 1 these are what the system has. */
static const ac_dependence ON[] = {
    {AC_DATUM_BEAM_STIFFNESS, 0, 0, 0, "40*r^2"},
    {AC_DATUM_BEAM_STIFFNESS, 0, 0, 1, "40*r*l"},
    {AC_DATUM_BEAM_STIFFNESS, 0, 0, 2, "60*r^2"},
    {AC_DATUM_BEAM_STIFFNESS, 0, 0, 3, "2*r^4"},
    {AC_DATUM_BEAM_STIFFNESS, 0, 0, 4, "3*r^3*l"},
    {AC_DATUM_BEAM_STIFFNESS, 0, 0, 5, "1.5*exp(r - 1)"},
    {AC_DATUM_BEAM_MASS, 0, 0, 0, "0.3*r^2"},
    {AC_DATUM_BEAM_INERTIA, 0, 0, 0, "0.01*r^4"},
    {AC_DATUM_BEAM_INERTIA, 0, 0, 1, "0.01*r^3*l^2"},
    {AC_DATUM_MASS, 1, 0, 0, "0.05*(r*l - 1)"},
    {AC_DATUM_BEAM_LENGTH, 0, 0, 0, "l*sqrt(r)"},
    {AC_DATUM_JOINT_PLACE, 1, 0, 0, "0.1*l^2"},
    {AC_DATUM_GRAVITY, 0, 0, 2, "-2*r"},
    {AC_DATUM_MASS, 0, 0, 0, "0.0"},
};
enum { ALL = 13, LENGTH = 10, DAMPING_AT = ALL };

static void must(ac_status status, const char *what)
{
    if (status != AC_OK) printf("%s: %s\n", what, ac_context_message(ctx));
    CHECK(status == AC_OK);
}

static ac_optimization *problem(const ac_system *system, const char *formulation, const char *stresses,
                                bool free_time)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    static const ac_parameter parameters[] = {{"r", 1.0, 0.5, 2.0}, {"l", 1.0, 0.5, 2.0}};
    ac_optimization_defaults(&s);
    s.formulation = formulation;
    if (system->mesh.dual_nodes > 0) s.scheme = "trapezoidal";
    s.stresses = stresses;
    s.intervals = 2;
    s.duration = 0.4;
    s.free_duration = free_time;
    must(ac_optimization_new(ctx, system, &s, &o), "new");
    for (int k = 0; k < 2; ++k) must(ac_optimization_add_parameter(o, &parameters[k]), "parameter");
    return o;
}

static void describe(ac_optimization *o, const beam_data *kind)
{
    for (int j = 0; j < 3; j += 2) {
        const ac_control c = {.name = j == 0 ? "u" : "v",
                              .type = AC_LOAD_JOINT,
                              .joint = j,
                              .low = -9,
                              .high = 9,
                              .rate = INFINITY,
                              .guess = 0.2};
        must(ac_optimization_add_control(o, &c), "control");
    }
    int end = last_node(kind);
    const ac_quantity tip = {
        .name = "tip", .type = AC_QUANTITY_POINT, .point = {end, {0}}, .direction = {0, 0.6, 0.8}};
    const ac_quantity energy = {.name = "E", .type = AC_QUANTITY_ENERGY, .point = {AC_WHOLE_SYSTEM, {0}}};
    const ac_quantity own = {
        .name = "L", .type = AC_QUANTITY_ANGULAR_MOMENTUM, .whole_beam = true, .direction = {0, 0.6, 0.8}};
    must(ac_optimization_add_quantity(o, &tip), "tip");
    must(ac_optimization_add_quantity(o, &energy), "E");
    must(ac_optimization_add_quantity(o, &own), "L");
    const ac_condition at_end = {.expression = "tip + tip_rate^2 + 0.1*E",
                                 .place = AC_AT_END,
                                 .low = 0.1,
                                 .high = 0.1},
                       on_way = {.expression = "L*r + E", .place = AC_ON_INTERVALS, .low = -9, .high = 9};
    must(ac_optimization_add_condition(o, &at_end, NULL, NULL), "condition");
    must(ac_optimization_add_condition(o, &on_way, NULL, NULL), "condition");
    const ac_objective aims[] = {{.type = AC_OBJECTIVE_EFFORT, .weight = 1.0},
                                 {.type = AC_OBJECTIVE_ENERGY, .weight = 0.3},
                                 {.type = AC_OBJECTIVE_END, .weight = 0.7, .expression = "tip*l*r"}};
    for (int k = 0; k < 3; ++k) must(ac_optimization_add_objective(o, &aims[k], NULL, NULL), "objective");
}

/* The system in the initial state is taken for a motion that was found: its stresses then belong to the disturbed one. */
static void guess_drawn(ac_optimization *o, const ac_system *system)
{
    double *q = malloc(3 * (size_t)system->n * sizeof *q);
    const double controls[4] = {0.2, -0.1, 0.1, 0.3}; /* of two intervals */
    for (size_t k = 0; q && k < 3; ++k)
        memcpy(q + k * (size_t)system->n, system->initial.q, (size_t)system->n * sizeof *q);
    CHECK(q && ac_optimization_guess_motion(o, 3, q, controls, 0.4) == AC_OK);
    free(q);
}

/* Largest stress among the unknowns; how far the stiffness is from that of the first values, to which
 * conditions on stresses are scaled. */
static void look_at_stresses(const ac_optimization *o, double *stress, double *change)
{
    *stress = *change = 0.0;
    for (int i = 0; i < o->layout.N * o->description.discrete.stress_count; ++i)
        *stress = fmax(*stress, fabs(o->point.x[o->layout.first.stress + i]));
    for (int k = 0; k < o->description.discrete.spring_count; ++k) {
        const ac_discrete_spring *s = &o->description.discrete.springs[k];
        if (s->stress >= 0) *change = fmax(*change, fabs(s->root * s->root / s->data[0] - 1.0));
    }
}

static void check_with(const ac_system *system, const beam_data *kind, const char *formulation,
                       const char *stresses, bool free_time, int first, int last)
{
    ac_optimization *o = problem(system, formulation, stresses, free_time);
    double differences[3] = {NAN, NAN, NAN}, stress, change;
    bool unknown = strcmp(stresses, "unknown") == 0 && system->mesh.dual_nodes == 0;
    int dependent, before = test_failures;
    char name[128];
    const ac_dependence damping = {AC_DATUM_BEAM_DAMPING, 0, 0, 0,
                                   kind->damping == 0.02 ? "0.02*r*l" : "0.01*r*l"};
    for (int k = first; k <= last; ++k)
        must(ac_optimization_add_dependence(o, k == DAMPING_AT ? &damping : &ON[k], NULL, NULL),
             ON[k].expression);
    describe(o, kind);
    guess_drawn(o, system);
    ac_optimization_disturb(o, 5, 0.1);
    must(ac_optimization_check(o, differences, &dependent, name), "check");
    look_at_stresses(o, &stress, &change);
    CHECK((stress > 1e-3) == unknown);
    CHECK((change > 1e-3) == (unknown && (first < 3 || (first <= LENGTH && last >= LENGTH))));
    CHECK_NEAR(differences[0], 0.0, 2e-6);
    CHECK_NEAR(differences[1], 0.0, 2e-6);
    CHECK_NEAR(differences[2], 0.0, 3e-5);
    if (test_failures > before)
        printf("  %s, %s, from %d to %d, %g %g %g, stress %g, change %g\n", formulation, stresses, first,
               last, differences[0], differences[1], differences[2], stress, change);
    ac_optimization_free(o);
}

static void check(const ac_system *system, const beam_data *kind, const char *formulation, bool free_time,
                  int first, int last)
{
    for (int k = 0; k < 2; ++k)
        check_with(system, kind, formulation, ac_optimization_stresses()[k], free_time, first, last);
}

TEST(every_datum_has_exact_derivatives)
{
    const char *words[] = {"reduced", "multipliers"};
    ac_system *system = arm(&KINDS[0]);
    for (int w = 0; w < 2; ++w)
        for (int k = 0; k <= DAMPING_AT; ++k) check(system, &KINDS[0], words[w], false, k, k);
    ac_system_free(system);
}

/* The same for beams of dual quaternions, whose inertia and damping are functions of both ends of an interval. */
TEST(every_datum_of_dual_quaternions_has_exact_derivatives)
{
    const char *words[] = {"reduced", "multipliers"};
    ac_system *system = arm(&KINDS[DUAL]);
    for (int w = 0; w < 2; ++w) {
        for (int k = 0; k <= DAMPING_AT; ++k)
            check_with(system, &KINDS[DUAL], words[w], "eliminated", k % 2 == 0, k, k);
        check_with(system, &KINDS[DUAL], words[w], "eliminated", true, 0, DAMPING_AT);
    }
    ac_system_free(system);
}

TEST(all_of_them_at_once_for_every_kind_of_element)
{
    const char *words[] = {"reduced", "multipliers"};
    for (int k = 0; k < KIND_COUNT; ++k) {
        ac_system *system = arm(&KINDS[k]);
        for (int w = 0; w < 2; ++w) check(system, &KINDS[k], words[w], k % 2 == 1, 0, DAMPING_AT);
        ac_system_free(system);
    }
}

/* The system that follows the parameters is the one that is described with these values. */
TEST(the_followed_system_is_the_described_one)
{
    static const double values[2] = {1.3, 0.8};
    for (int k = 0; k < KIND_COUNT; ++k) {
        beam_data other = KINDS[k];
        ac_system *system = arm(&KINDS[k]);
        ac_optimization *o = problem(system, "reduced", "unknown", false);
        static const ac_dependence on[] = {
            {AC_DATUM_BEAM_LENGTH, 0, 0, 0, "l"},         {AC_DATUM_BEAM_MASS, 0, 0, 0, "0.3*r"},
            {AC_DATUM_BEAM_INERTIA, 0, 0, 0, "0.01*r*l"}, {AC_DATUM_BEAM_INERTIA, 0, 0, 1, "0.01*r*l"},
            {AC_DATUM_BEAM_STIFFNESS, 0, 0, 2, "60*r"},
        };
        for (int d = 0; d < 5; ++d)
            must(ac_optimization_add_dependence(o, &on[d], NULL, NULL), on[d].expression);
        other.length = values[1];
        other.mass = 0.3 * values[0];
        other.inertia = 0.01 * values[0] * values[1];
        other.axial = 60 * values[0];
        ac_system *described = arm(&other);
        must(ac_optimization_compare(o, values, described), "compare");
        ac_variation *v = &o->description.variation;
        must(ac_variation_update(v, values), "update");
        for (int i = 0; i < system->n; ++i) {
            CHECK_NEAR(v->system.initial.q[i], described->initial.q[i], 1e-12);
            CHECK_NEAR(v->system.gravity_force[i], described->gravity_force[i], 1e-12);
        }
        double x[200], one[200], two[200];
        CHECK(system->n <= 200);
        for (int i = 0; i < system->n; ++i) x[i] = sin(1.0 + i);
        ac_mass_apply(&v->system, x, one);
        ac_mass_apply(described, x, two);
        for (int i = 0; i < system->n; ++i) CHECK_NEAR(one[i], two[i], 1e-12);
        ac_system_free(described);
        other.axial = 60;
        described = arm(&other);
        CHECK(ac_optimization_compare(o, values, described) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(ctx), "beam 'rod'") != NULL);
        ac_system_free(described);
        ac_optimization_free(o);
        ac_system_free(system);
    }
}

TEST(what_is_refused)
{
    ac_system *system = arm(&KINDS[0]);
    ac_optimization *o = problem(system, "reduced", "unknown", false);
    const ac_dependence wrong[] = {{AC_DATUM_BEAM_STIFFNESS, 0, 0, 6, "r"},
                                   {AC_DATUM_BEAM_STIFFNESS, 1, 0, 0, "r"},
                                   {AC_DATUM_BEAM_MASS, 0, 0, 0, "r"},
                                   {AC_DATUM_INERTIA, 0, 0, 0, "r"}};
    for (int k = 0; k < 4; ++k)
        CHECK(ac_optimization_add_dependence(o, &wrong[k], NULL, NULL) == AC_BAD_INPUT);
    ac_optimization_free(o);
    ac_system_free(system);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(every_datum_has_exact_derivatives),
          CASE(every_datum_of_dual_quaternions_has_exact_derivatives),
          CASE(all_of_them_at_once_for_every_kind_of_element), CASE(the_followed_system_is_the_described_one),
          CASE(what_is_refused))
