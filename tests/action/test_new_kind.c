/* A kind of element is one file and one line of the table. This program brings a table of its own: the kinds of the library
 * and springs with a cubic force between a place on a node and a place of the world,
 *
 *   W = k/2 u^2 + c/4 u^4,   u = length - rest
 *
 * and runs them in simulation, equilibrium and optimal control. Outside of the action stand the balance of energy, the
 * weight that such a spring carries at rest, and the equation of motion of a mass on it. */
#include <stdlib.h>

#include "actio/adjoint.h"
#include "actio/equilibrium.h"
#include "actio/optimize.h"
#include "actio/simulate.h"
#include "action/interval.h"
#include "optimize/problem/prepare.h"
#include "support/numeric.h"
#include "support/record.h"
#include "support/rig.h"
#include "test.h"

/* --- the kind --------------------------------------------------------------------------------------------- */

static void cubic_value(const double data[AC_LAW_DATA], double y, double w[4])
{
    double k = data[0], u = y - data[1], c = data[2];
    w[0] = 0.5 * k * u * u + 0.25 * c * u * u * u * u;
    w[1] = k * u + c * u * u * u;
    w[2] = k + 3.0 * c * u * u;
    w[3] = 6.0 * c * u;
}

static void cubic_by_data(const double data[AC_LAW_DATA], double y, ac_law_slopes *s)
{
    double u = y - data[1], w[4];
    cubic_value(data, y, w);
    for (int i = 0; i < 3; ++i) s->one[1][i] = -w[i + 1];
    s->one[0][0] = 0.5 * u * u;
    s->one[0][1] = u;
    s->one[0][2] = 1.0;
    s->one[2][0] = 0.25 * u * u * u * u;
    s->one[2][1] = u * u * u;
    s->one[2][2] = 3.0 * u * u;
}

/* (u_b^2 - u_a^2) / (u_b - u_a) and (u_b^4 - u_a^4) / (u_b - u_a), written out */
static double cubic_secant(const double data[AC_LAW_DATA], double ya, double yb, ac_law_secant *s)
{
    double a = ya - data[1], b = yb - data[1], k = data[0], c = data[2];
    double sum = a + b, squares = a * a + b * b, one = 0.5 * sum, three = 0.25 * sum * squares;
    s->by_a = 0.5 * k + 0.25 * c * (squares + 2.0 * a * sum);
    s->by_b = 0.5 * k + 0.25 * c * (squares + 2.0 * b * sum);
    s->by_data[0] = one;
    s->by_data[1] = -s->by_a - s->by_b;
    s->by_data[2] = three;
    return k * one + c * three;
}

static const ac_law cubic_law = {
    .name = "cubic", .value = cubic_value, .by_data = cubic_by_data, .secant = cubic_secant};

/* The springs of this program: on every first node, if they are switched on. */
static struct {
    bool on;
    double place[3], anchor[3], data[AC_LAW_DATA], damping;
} cubic;

static int cubic_count(const ac_system *system)
{
    return cubic.on && system->node_count > 0 ? 1 : 0;
}

static int cubic_nodes(const ac_system *system, int k, int nodes[AC_ELEMENT_NODES])
{
    (void)system;
    (void)k;
    nodes[0] = 0;
    return 1;
}

static ac_status cubic_describe(const ac_system *system, int k, ac_describing *to)
{
    const ac_node *node = &system->nodes[0];
    ac_affine3 here = ac_node_point(node, node->q, cubic.place), there = ac_node_point(NULL, 0, cubic.anchor);
    ac_affine3 gap = ac_affine_difference(&here, &there);
    const ac_part part = {.measure = -1, .outer = {.kind = AC_OUTER_LENGTH}, .beam = -1, .element = -1};
    int first = to->forms->count;
    (void)k;
    AC_TRY(ac_forms_begin(to->ctx, to->forms, 0.0));
    AC_TRY(ac_forms_add_dot(to->ctx, to->forms, &gap, &gap, 1.0));
    return to->part(to, &part, first);
}

static void cubic_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers)
{
    (void)system;
    (void)k;
    (void)part;
    *numbers = (ac_law_numbers){.law = &cubic_law, .damping = cubic.damping, .elastic = true};
    memcpy(numbers->data, cubic.data, sizeof numbers->data);
}

static const ac_element_kind cubic_spring = {.name = "cubic spring",
                                             .count = cubic_count,
                                             .nodes = cubic_nodes,
                                             .describe = cubic_describe,
                                             .numbers = cubic_numbers};

/* --- the table -------------------------------------------------------------------------------------------- */

extern const ac_element_kind ac_element_spring, ac_element_beam, ac_element_high_beam;

const ac_element_kind *const ac_element_kinds[] = {&ac_element_spring, &ac_element_beam,
                                                   &ac_element_high_beam, &cubic_spring, NULL};

/* --- a body that hangs on one ----------------------------------------------------------------------------- */

enum { STIFFNESS = 6, CUBIC = 4 };

static void hang(rig *r, bool turning, double damping)
{
    const double J[3] = {0.05, 0.11, 0.08}, centre[3] = {0.3, 0.1, -1.2}, velocity[3] = {0.4, -0.3, 0.2},
                 spin[3] = {0.5, 1.1, -0.7}, place[3] = {0.1, -0.2, 0.05};
    rig_open(r, NULL);
    rig_gravity(r, 0, 0, -10);
    if (turning) {
        int body = rig_body(r, "body", 1.0, J, centre, NULL);
        rig_moving(r, body, velocity, spin);
    } else {
        rig_point(r, "mass", 1.0, 3, 0.0, 0.0, -1.2);
    }
    memset(&cubic, 0, sizeof cubic);
    cubic.on = true;
    for (int i = 0; turning && i < 3; ++i) cubic.place[i] = place[i];
    cubic.data[0] = STIFFNESS;
    cubic.data[1] = 0.5;
    cubic.data[2] = CUBIC;
    cubic.damping = damping;
    CHECK(rig_finish(r) == AC_OK);
}

/* --- its derivatives -------------------------------------------------------------------------------------- */

typedef struct at_element {
    const ac_system *system;
    const double *fixed; /* velocity, or the other end */
    int what;
} at_element;

enum { ENERGY, GRADIENT, DISCRETE, DAMPING };

static void element_function(void *user, const double *x, double *out)
{
    const at_element *e = user;
    switch (e->what) {
    case ENERGY: out[0] = ac_element_energy(&cubic_spring, e->system, 0, x, NULL); break;
    case GRADIENT: ac_element_gradient(&cubic_spring, e->system, 0, x, NULL, out); break;
    case DISCRETE: ac_element_discrete(&cubic_spring, e->system, 0, e->fixed, x, NULL, out, NULL); break;
    default: ac_element_force(&cubic_spring, e->system, 0, x, e->fixed, NULL, out, NULL, NULL); break;
    }
}

TEST(derivatives_of_the_element)
{
    rig r;
    dice d = {3};
    double a[12], b[12], v[12], g[12], H[144], V[144], D[12];
    hang(&r, true, 0.3);
    for (int i = 0; i < 12; ++i) {
        a[i] = r.system->initial.q[i] + dice_between(&d, -0.1, 0.1);
        b[i] = r.system->initial.q[i] + dice_between(&d, -0.1, 0.1);
        v[i] = dice_between(&d, -1.0, 1.0);
    }
    at_element e = {r.system, v, ENERGY};
    ac_element_gradient(&cubic_spring, r.system, 0, a, NULL, g);
    CHECK_NEAR(jacobian_error(element_function, &e, 12, 1, a, g), 0.0, 1e-9);
    ac_element_hessian(&cubic_spring, r.system, 0, a, NULL, H);
    e.what = GRADIENT;
    CHECK_NEAR(jacobian_error(element_function, &e, 12, 12, a, H), 0.0, 1e-9);
    ac_element_discrete(&cubic_spring, r.system, 0, a, b, NULL, D, H);
    e.what = DISCRETE;
    e.fixed = a;
    CHECK_NEAR(jacobian_error(element_function, &e, 12, 12, b, H), 0.0, 1e-9);
    double way = 0.0;
    for (int i = 0; i < 12; ++i) way += D[i] * (b[i] - a[i]);
    CHECK_NEAR(way,
               ac_element_energy(&cubic_spring, r.system, 0, b, NULL) -
                   ac_element_energy(&cubic_spring, r.system, 0, a, NULL),
               1e-13);
    ac_element_force(&cubic_spring, r.system, 0, a, v, NULL, g, H, V);
    e.what = DAMPING;
    e.fixed = v;
    CHECK_NEAR(jacobian_error(element_function, &e, 12, 12, a, H), 0.0, 1e-9);
    rig_close(&r);
}

/* --- tasks ------------------------------------------------------------------------------------------------ */

/* Energy of the body by hand. */
static double energy_of(const ac_system *system, const double *q, const double *p)
{
    const double *m = cubic.data;
    double v[12], x[3], sum = 0.0, length = 0.0;
    for (int i = 0; i < 3; ++i) v[i] = p[i] / system->nodes[0].mass;
    for (int i = 0; i < 3; ++i) sum += 0.5 * p[i] * v[i];
    for (int i = 0; i < 3; ++i) x[i] = q[i] - cubic.anchor[i];
    for (int i = 0; i < 3; ++i) length += x[i] * x[i];
    double u = sqrt(length) - m[1];
    return sum + 10.0 * q[2] + 0.5 * m[0] * u * u + 0.25 * m[2] * u * u * u * u;
}

TEST(simulation_keeps_its_energy)
{
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
        rig r;
        record run;
        hang(&r, false, 0.0);
        ac_simulation_settings settings = record_settings(*scheme, "multipliers", 0.01);
        CHECK(record_open(&run, r.ctx, r.system, &settings) == AC_OK);
        ac_stepper *s = &run.simulation->stepper;
        double before = energy_of(r.system, s->qa, s->p), most = 0.0, far = 0.0;
        for (int k = 0; k < 300; ++k) {
            if (k > 0) ac_stepper_advance(s);
            CHECK(ac_stepper_solve(s) == AC_OK);
            far = fmax(far, fabs(s->qb[2] + 1.2));
            most = fmax(most, fabs(energy_of(r.system, s->qb, s->right) - before));
        }
        CHECK(far > 0.5); /* it moves */
        CHECK_NEAR(most, 0.0, strcmp(*scheme, "energy-momentum") == 0 ? 1e-11 : 2e-2);
        record_close(&run);
        rig_close(&r);
    }
}

/* A turning body with a damper: the Newton matrix is exact. */
TEST(steps_have_exact_derivatives)
{
    for (const char *const *scheme = ac_scheme_names(); *scheme; ++scheme) {
        rig r;
        double step, constraints;
        hang(&r, true, 0.3);
        ac_simulation_settings settings = record_settings(*scheme, "auto", 0.05);
        CHECK(ac_simulation_check_derivatives(r.ctx, r.system, &settings, &step, &constraints) == AC_OK);
        CHECK_NEAR(step, 0.0, 1e-9);
        rig_close(&r);
    }
}

/* k u + c u^3 = m g: 6 + 4 = 10 at u = 1. */
TEST(equilibrium_carries_the_weight)
{
    rig r;
    ac_equilibrium_settings settings;
    ac_equilibrium *e = NULL;
    bool done = false;
    hang(&r, false, 0.0);
    ac_equilibrium_defaults(&settings);
    CHECK(ac_equilibrium_new(r.ctx, r.system, &settings, &e) == AC_OK);
    while (e && !done)
        if (ac_equilibrium_next(e, &done) != AC_OK) break;
    CHECK(done);
    if (e) CHECK_NEAR(ac_equilibrium_configuration(e)[2], -1.5, 1e-9);
    ac_equilibrium_free(e);
    rig_close(&r);
}

static ac_optimization *pull_up(rig *r, const char *scheme, bool check)
{
    ac_optimization_settings s;
    ac_optimization *o = NULL;
    ac_optimization_defaults(&s);
    s.scheme = scheme;
    s.intervals = check ? 3 : 20;
    s.duration = check ? 0.3 : 0.8;
    CHECK(ac_optimization_new(r->ctx, r->system, &s, &o) == AC_OK);
    ac_control control = {.name = "u",
                          .type = AC_LOAD_FORCE,
                          .point = {0, {0}},
                          .coordinate = 2,
                          .low = -INFINITY,
                          .high = INFINITY,
                          .rate = INFINITY};
    ac_quantity height = {.name = "z", .type = AC_QUANTITY_POINT, .point = {0, {0}}, .direction = {0, 0, 1}};
    ac_condition end = {.expression = "z", .place = AC_AT_END, .low = -1.0, .high = -1.0};
    ac_objective effort = {.type = AC_OBJECTIVE_EFFORT, .weight = 1.0},
                 energy = {.type = AC_OBJECTIVE_ENERGY, .weight = 0.2};
    CHECK(ac_optimization_add_control(o, &control) == AC_OK);
    CHECK(ac_optimization_add_quantity(o, &height) == AC_OK);
    CHECK(ac_optimization_add_condition(o, &end, NULL, NULL) == AC_OK);
    CHECK(ac_optimization_add_objective(o, &effort, NULL, NULL) == AC_OK);
    if (check) CHECK(ac_optimization_add_objective(o, &energy, NULL, NULL) == AC_OK);
    return o;
}

TEST(optimal_control_has_exact_derivatives)
{
    for (int k = 0; k < 2; ++k) {
        rig r;
        double differences[3];
        int dependent;
        char name[128];
        hang(&r, true, 0.3);
        ac_optimization *o = pull_up(&r, k == 0 ? "midpoint" : "trapezoidal", true);
        ac_optimization_disturb(o, 7, 0.2);
        CHECK(ac_optimization_check(o, differences, &dependent, name) == AC_OK);
        CHECK_NEAR(differences[0], 0.0, 2e-6);
        CHECK_NEAR(differences[1], 0.0, 2e-6);
        CHECK_NEAR(differences[2], 0.0, 2e-5);
        ac_optimization_free(o);
        rig_close(&r);
    }
}

static double pull_at(double z)
{
    double u = fabs(z) - cubic.data[1];
    return cubic.data[0] * u + cubic.data[2] * u * u * u;
}

/* The motion found satisfies the discrete equations of a mass on this spring, written by hand: z moves on the negative
 * axis, the spring pulls up. */
TEST(optimal_control_moves_as_the_mass_must)
{
    for (int k = 0; k < 2; ++k) {
        rig r;
        hang(&r, false, 0.0);
        ac_optimization *o = pull_up(&r, k == 0 ? "midpoint" : "trapezoidal", false);
        CHECK(ac_optimization_solve(o, NULL, NULL) == AC_OK);
        int N = ac_optimization_intervals(o);
        double h = 0.8 / N, most = 0.0;
        for (int n = 1; n < N; ++n) {
            double z[3], u = 0.0;
            for (int i = 0; i < 3; ++i) z[i] = ac_optimization_configuration(o, n - 1 + i)[2];
            for (int i = 0; i < 2; ++i) u += 0.5 * ac_optimization_control_values(o, n - 1 + i)[0];
            double pull = k == 0 ? 0.5 * (pull_at(0.5 * (z[0] + z[1])) + pull_at(0.5 * (z[1] + z[2])))
                                 : pull_at(z[1]);
            most = fmax(most, fabs((z[2] - 2.0 * z[1] + z[0]) / (h * h) - (pull - 10.0 + u)));
        }
        CHECK_NEAR(most, 0.0, 1e-6);
        CHECK_NEAR(ac_optimization_configuration(o, N)[2], -1.0, 1e-8);
        ac_optimization_free(o);
        rig_close(&r);
    }
}

/* A law that is not quadratic has second derivatives in the schemes that take its own; the secant of energy-momentum has none here,
 * which is refused with the name of the law. */
TEST(second_derivatives_are_exact_or_refused)
{
    enum { CONTROLS = 3 };
    static const char *const schemes[] = {"midpoint", "trapezoidal", "energy-momentum"};
    static const double along[CONTROLS] = {0.7, -0.4, 1.1};
    for (int k = 0; k < 3; ++k) {
        rig r;
        double u[CONTROLS] = {1.0, -2.0, 0.5}, side[2][CONTROLS], product[CONTROLS], value, h = 1e-4;
        hang(&r, true, 0.3);
        ac_optimization *o = pull_up(&r, schemes[k], true);
        ac_objective end = {.type = AC_OBJECTIVE_END, .weight = 1.0, .expression = "z^2"};
        CHECK(ac_optimization_add_objective(o, &end, NULL, NULL) == AC_OK);
        ac_status status = ac_optimization_second(o, u, along, &value, product);
        if (k == 2) {
            CHECK(status == AC_BAD_INPUT && strstr(ac_context_message(r.ctx), "law 'cubic'") != NULL);
        } else {
            CHECK(status == AC_OK);
            for (int e = 0; e < 2; ++e) {
                for (int i = 0; i < CONTROLS; ++i) u[i] += (e == 0 ? h : -2.0 * h) * along[i];
                CHECK(ac_optimization_gradient(o, u, &value, side[e]) == AC_OK);
            }
            for (int i = 0; i < CONTROLS; ++i)
                CHECK_NEAR(product[i], (side[0][i] - side[1][i]) / (2.0 * h), 1e-6);
        }
        ac_optimization_free(o);
        rig_close(&r);
    }
}

RUN_TESTS(CASE(derivatives_of_the_element), CASE(simulation_keeps_its_energy),
          CASE(steps_have_exact_derivatives), CASE(equilibrium_carries_the_weight),
          CASE(optimal_control_has_exact_derivatives), CASE(optimal_control_moves_as_the_mass_must),
          CASE(second_derivatives_are_exact_or_refused))
