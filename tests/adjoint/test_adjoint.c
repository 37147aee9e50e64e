/* Gradients by the discrete adjoint against differences of whole runs: every mechanism, joint and kind of beam, every scheme and
 * formulation; loads; checkpoints. */
#include <math.h>
#include <string.h>

#include "support/subject.h"
#include "test.h"

enum { STEPS = 12, MOST = SUBJECT_MOST };

typedef struct setting {
    const char *scheme, *formulation;
    size_t memory;
    double speed; /* of a motion that is added to the start */
} setting;

static rig *open_moving(subject *x, const setting *s)
{
    double w[MOST], size = 0.0;
    rig *r = subject_open(x);
    if (s->speed == 0.0) return r;
    admissible(r, 17, &size, NULL, w);
    add_to(r->system->n, s->speed, w, r->system->initial.v);
    return r;
}

static ac_status run(subject *x, const setting *s, functional_data *f, ac_adjoint **adjoint, double *value)
{
    ac_status status = subject_adjoint(x, s->scheme, s->formulation, STEPS, s->memory, adjoint);
    if (status != AC_OK) return status;
    const ac_functional functional = functional_of(f, *adjoint, STEPS);
    return ac_adjoint_run(*adjoint, &functional, value);
}

static double value_of(subject *x, const setting *s)
{
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value = NAN;
    ac_status status = run(x, s, &f, &adjoint, &value);
    if (status != AC_OK) printf("  %s\n", ac_context_message(x->r.ctx));
    CHECK(status == AC_OK);
    ac_adjoint_free(adjoint);
    return value;
}

static double moved_value(const subject *of, const setting *s, const double *u, const double *v, double by,
                          bool velocity)
{
    subject x = *of;
    rig *r = open_moving(&x, s);
    if (velocity)
        add_to(r->system->n, by, v, r->system->initial.v);
    else
        move_start(r, u, by);
    double value = value_of(&x, s);
    subject_close(&x);
    return value;
}

/* Central differences with one Richardson step. */
static double difference(const subject *x, const setting *s, const double *u, const double *v, bool velocity)
{
    double h = velocity ? 1e-2 : 1e-4, d[2];
    for (int k = 0; k < 2; ++k) {
        double step = k == 0 ? h : 0.5 * h;
        d[k] = (moved_value(x, s, u, v, step, velocity) - moved_value(x, s, u, v, -step, velocity)) /
               (2.0 * step);
    }
    return (4.0 * d[1] - d[0]) / 3.0;
}

static void check_start(const subject *of, const setting *s)
{
    subject x = *of;
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double u[MOST], v[MOST], value, size = 0.0;
    rig *r = open_moving(&x, s);
    admissible(r, 11, &size, u, v);
    ac_status status = run(&x, s, &f, &adjoint, &value);
    if (status != AC_OK) printf("  %s, %s: %s\n", x.name, s->scheme, ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        const double *by_v = ac_adjoint_by_velocity(adjoint), *by_q = ac_adjoint_by_configuration(adjoint);
        double by_velocity = dot(f.n, by_v, v), velocity = difference(of, s, u, v, true),
               by_place = dot(f.n, by_q, v), place = difference(of, s, u, v, false);
        bool good = fabs(by_velocity - velocity) <= 1e-7 * dot_size(f.n, by_v, v) &&
                    fabs(by_place - place) <= 1e-7 * dot_size(f.n, by_q, v);
        if (!good)
            printf("  %s, %s, %s: velocity %.12g %.12g, place %.12g %.12g\n", x.name, s->scheme,
                   s->formulation, by_velocity, velocity, by_place, place);
        CHECK(good);
    }
    ac_adjoint_free(adjoint);
    subject_close(&x);
}

TEST(gradients_by_the_start_agree_with_differences)
{
    const subject *x;
    for (int k = 0; (x = subject_number(k)); ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
            if (subject_has(x, *scheme, "reduced"))
                check_start(x, &(setting){.scheme = *scheme, .formulation = "reduced"});
}

/* Joint coordinates are another discrete Lagrangian, whose coordinates are counted from the start that is moved here. */
TEST(gradients_in_joint_coordinates_agree_with_differences)
{
    const subject *x;
    int count = 0;
    for (int k = 0; (x = subject_number(k)); ++k) {
        if (!subject_has(x, "trapezoidal", "minimal")) continue;
        check_start(x, &(setting){.scheme = "trapezoidal", .formulation = "minimal", .speed = 3.0});
        ++count;
    }
    CHECK(count >= 11); /* every joint, and the mechanisms that are open trees */
}

/* Gradients by the start and by inputs, one after another; their number. */
static int gradient_of(const subject *of, const setting *s, double *by)
{
    subject x = *of;
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value;
    int count = 0;
    rig *r = subject_open(&x);
    ac_status status = run(&x, s, &f, &adjoint, &value);
    if (status != AC_OK)
        printf("  %s, %s, %s: %s\n", x.name, s->scheme, s->formulation, ac_context_message(r->ctx));
    CHECK(status == AC_OK);
    if (status == AC_OK) {
        memcpy(by, ac_adjoint_by_velocity(adjoint), (size_t)f.n * sizeof *by);
        count = f.n;
        for (long k = 0; k < STEPS; ++k, count += f.inputs)
            memcpy(by + count, ac_adjoint_by_input(adjoint, k), (size_t)f.inputs * sizeof *by);
    }
    ac_adjoint_free(adjoint);
    subject_close(&x);
    return count;
}

/* All formulations give the same motion, so their gradients agree as far as the motions do. */
TEST(the_formulation_does_not_matter)
{
    static const char *const formulations[] = {"null-space", "multipliers"};
    static double first[2 * MOST], other[2 * MOST];
    const subject *x;
    for (int k = 0; (x = subject_number(k)); ++k)
        for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
            if (!subject_has(x, *scheme, "multipliers")) continue;
            int count = gradient_of(x, &(setting){.scheme = *scheme, .formulation = "reduced"}, first);
            for (int f = 0; f < 2; ++f) {
                CHECK(gradient_of(x, &(setting){.scheme = *scheme, .formulation = formulations[f]}, other) ==
                      count);
                double error = largest_difference(count, first, other), size = largest_entry(count, first);
                if (!(error <= 1e-8 * size))
                    printf("  %s, %s, %s: %.3g of %.3g\n", x->name, *scheme, formulations[f], error, size);
                CHECK(error <= 1e-8 * size);
            }
        }
}

/* A pendulum with loads of a given amplitude: a force in the world, one that follows, a torque, one in the joint. */
static double driven(const char *scheme, double amplitude, int which, double *gradient)
{
    static const char *const profile = "0.7 + sin(31*t)";
    static const double inertia[3] = {0.1, 0.2, 0.25}, along[3] = {0.5, 0, 0}, origin[3] = {0, 0, 0},
                        axis[3] = {0, 1, 0}, end[3] = {1, 0, 0};
    char text[4][64];
    subject x = {.name = "driven", .h = 0.01};
    functional_data f;
    ac_adjoint *adjoint = NULL;
    double value = NAN;
    for (int k = 0; k < 4; ++k)
        snprintf(text[k], sizeof text[k], "%.17g*(%s)", k == which ? amplitude : 1.0, profile);
    rig_open(&x.r, NULL);
    rig_gravity(&x.r, 0, 0, -9.81);
    int body = rig_body(&x.r, "arm", 1.0, inertia, along, NULL);
    int joint = rig_joint(&x.r, "hinge", AC_REVOLUTE, AC_GROUND, body, origin, axis, NULL);
    rig_rates(&x.r, joint, 1.0, 0, 0);
    rig_force(&x.r, body, end, false, text[0], NULL, NULL);
    rig_force(&x.r, body, end, true, NULL, NULL, text[1]);
    rig_torque(&x.r, body, true, NULL, text[2], NULL);
    rig_joint_load(&x.r, joint, 0, text[3]);
    CHECK(rig_finish(&x.r) == AC_OK);
    CHECK(run(&x, &(setting){.scheme = scheme, .formulation = "reduced"}, &f, &adjoint, &value) == AC_OK);
    if (gradient && adjoint) *gradient = ac_adjoint_by_amplitude(adjoint, which);
    ac_adjoint_free(adjoint);
    rig_close(&x.r);
    return value;
}

TEST(gradients_by_loads_agree_with_differences)
{
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme)
        for (int which = 0; which < 4; ++which) {
            double exact = NAN, h = 1e-3;
            driven(*scheme, 1.0, which, &exact);
            double d = (driven(*scheme, 1.0 + h, which, NULL) - driven(*scheme, 1.0 - h, which, NULL)) /
                       (2.0 * h);
            double fine = (driven(*scheme, 1.0 + 0.5 * h, which, NULL) -
                           driven(*scheme, 1.0 - 0.5 * h, which, NULL)) /
                          h;
            d = (4.0 * fine - d) / 3.0;
            if (!(fabs(exact - d) <= 1e-8 * fabs(d)))
                printf("  %s, load %d: %.12g %.12g\n", *scheme, which, exact, d);
            CHECK(fabs(exact - d) <= 1e-8 * fabs(d));
        }
}

/* From the smallest memory up to all: the same gradient; every step is taken again only where it must be. */
static void check_memory(const char *name, const char *scheme, const char *formulation)
{
    static const size_t memories[] = {0, 1, 3000, 6000, 12000};
    double first[MOST], by_input[2] = {0.0, 0.0};
    for (int k = 0; k < 5; ++k) {
        subject x = *subject_named(name);
        functional_data f;
        ac_adjoint *adjoint = NULL;
        double value;
        setting s = {.scheme = scheme, .formulation = formulation, .memory = memories[k]};
        subject_open(&x);
        CHECK(run(&x, &s, &f, &adjoint, &value) == AC_OK);
        const double *by = ac_adjoint_by_configuration(adjoint);
        if (k == 0) memcpy(first, by, (size_t)f.n * sizeof *by);
        CHECK(memcmp(by, first, (size_t)f.n * sizeof *by) == 0);
        CHECK(ac_adjoint_steps_taken(adjoint) >= STEPS);
        if (k == 0) CHECK(ac_adjoint_steps_taken(adjoint) == STEPS);
        if (k == 1) CHECK(ac_adjoint_steps_taken(adjoint) > STEPS);
        if (f.inputs > 0 && k == 0) by_input[0] = ac_adjoint_by_input(adjoint, 5)[0];
        if (f.inputs > 0) by_input[1] = ac_adjoint_by_input(adjoint, 5)[0];
        CHECK(by_input[0] == by_input[1]);
        ac_adjoint_free(adjoint);
        subject_close(&x);
    }
}

TEST(checkpoints_change_nothing)
{
    check_memory("sprung chain", "midpoint", "reduced");
    check_memory("free tree", "trapezoidal", "minimal");
    check_memory("pair: distance", "trapezoidal", "minimal");
}

RUN_TESTS(CASE(gradients_by_the_start_agree_with_differences),
          CASE(gradients_in_joint_coordinates_agree_with_differences), CASE(the_formulation_does_not_matter),
          CASE(gradients_by_loads_agree_with_differences), CASE(checkpoints_change_nothing))
