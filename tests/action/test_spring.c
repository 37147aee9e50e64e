/* Springs and dampers: energy, gradient, Hessian, discrete derivative, force and its slopes. */
#include "action/element.h"
#include "support/mechanisms.h"
#include "test.h"

typedef struct one_spring {
    const ac_system *system;
    const ac_element_kind *kind;
    int k;
    const double *winding, *other;
} one_spring;

static void energy(void *user, const double *x, double *y)
{
    const one_spring *s = user;
    y[0] = ac_element_energy(s->kind, s->system, s->k, x, s->winding);
}

static void gradient(void *user, const double *x, double *y)
{
    const one_spring *s = user;
    ac_element_gradient(s->kind, s->system, s->k, x, s->winding, y);
}

static void discrete(void *user, const double *xb, double *y)
{
    const one_spring *s = user;
    ac_element_discrete(s->kind, s->system, s->k, s->other, xb, s->winding, y, NULL);
}

static void force_at(void *user, const double *x, double *y)
{
    const one_spring *s = user;
    ac_element_force(s->kind, s->system, s->k, x, s->other, s->winding, y, NULL, NULL);
}

static void force_moving(void *user, const double *v, double *y)
{
    const one_spring *s = user;
    ac_element_force(s->kind, s->system, s->k, s->other, v, s->winding, y, NULL, NULL);
}

static const ac_element_kind *spring_kind(void)
{
    for (int t = 0; t < ac_element_kind_count(); ++t)
        if (strcmp(ac_element_kinds[t]->name, "spring") == 0) return ac_element_kinds[t];
    return NULL;
}

static void check_springs(const mechanism *mech, int *seen)
{
    const ac_element_kind *kind = spring_kind();
    rig r;
    rig_open(&r, NULL);
    mech->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    const ac_system *system = r.system;
    dice d = {31};
    double winding[64];
    for (int k = 0; k < system->measure_count; ++k) winding[k] = system->measures[k].initial;
    for (int k = 0; k < kind->count(system); ++k) {
        ac_element_place place = ac_element_where(system, kind, k);
        int n = place.size;
        double x[AC_ELEMENT_MAX], xb[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], g[AC_ELEMENT_MAX], product = 0.0,
                                                                                            power = 0.0;
        double H[AC_ELEMENT_MAX * AC_ELEMENT_MAX], V[AC_ELEMENT_MAX * AC_ELEMENT_MAX], e[2];
        ac_element_gather(system, &place, system->initial.q, x);
        for (int i = 0; i < n; ++i) x[i] += dice_between(&d, -0.1, 0.1);
        dice_vector(&d, n, 1.0, v);
        for (int i = 0; i < n; ++i) xb[i] = x[i] + 0.2 * v[i];
        one_spring s = {system, kind, k, winding, x};
        ac_element_gradient(kind, system, k, x, winding, g);
        ac_element_hessian(kind, system, k, x, winding, H);
        CHECK_NEAR(jacobian_error(energy, &s, n, 1, x, g), 0.0, 1e-10);
        CHECK_NEAR(jacobian_error(gradient, &s, n, n, x, H), 0.0, 1e-10);
        ac_element_discrete(kind, system, k, x, xb, winding, g, H);
        CHECK_NEAR(jacobian_error(discrete, &s, n, n, xb, H), 0.0, 1e-10);
        for (int i = 0; i < n; ++i) product += g[i] * (xb[i] - x[i]);
        energy(&s, x, &e[0]);
        energy(&s, xb, &e[1]);
        if (system->measures[system->springs[k].measure].kind != AC_MEASURE_ANGLE)
            CHECK_NEAR((product - (e[1] - e[0])) / (e[0] + e[1]), 0.0, 1e-14);
        if (ac_element_dissipative(kind, system, k)) {
            ac_element_force(kind, system, k, x, v, winding, g, H, V);
            s.other = v;
            if (largest_entry(n * n, H) > 0.0) {
                CHECK_NEAR(jacobian_error(force_at, &s, n, n, x, H), 0.0, 1e-10);
            } else { /* a slide on the ground is linear in the coordinates */
                difference_jacobian(force_at, &s, n, n, x, H);
                CHECK_NEAR(largest_entry(n * n, H), 0.0, 1e-12);
            }
            s.other = x;
            CHECK_NEAR(jacobian_error(force_moving, &s, n, n, v, V), 0.0, 1e-10);
            for (int i = 0; i < n; ++i) power += g[i] * v[i];
            CHECK(power < 0.0);
        }
        ++*seen;
    }
    rig_close(&r);
}

TEST(derivatives)
{
    int seen = 0;
    for (int k = 0; k < mechanism_count; ++k) check_springs(&mechanisms[k], &seen);
    CHECK(seen >= 15);
}

static void whole_potential(void *user, const double *q, double *y)
{
    const one_spring *s = user;
    y[0] = ac_potential_energy(s->system, q, s->winding);
}

/* The sum over all elements and gravity: gradient of ac_potential_energy = ac_potential_add_gradient -
 * gravity_force. */
TEST(whole_potential_and_its_gradient)
{
    rig r;
    rig_open(&r, NULL);
    mechanism_named("mixed chain")->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    double winding[64], g[128];
    for (int k = 0; k < r.system->measure_count; ++k) winding[k] = r.system->measures[k].initial;
    for (int i = 0; i < r.system->n; ++i) g[i] = -r.system->gravity_force[i];
    ac_potential_add_gradient(r.system, r.system->initial.q, winding, 1.0, g);
    one_spring s = {r.system, NULL, 0, winding, NULL};
    CHECK_NEAR(jacobian_error(whole_potential, &s, r.system->n, 1, r.system->initial.q, g), 0.0, 1e-10);
    rig_close(&r);
}

/* By hand: a spring of 3 N/m and 1 m at rest, pulled to 1.5 m, holds 3/8 J and pulls with 1.5 N; its damper
 * of 0.4 N s/m resists a speed of 2 m/s along it with 0.8 N, and motion across it not at all. */
TEST(values_by_hand)
{
    rig r;
    rig_open(&r, NULL);
    const double origin[3] = {0, 0, 0}, x[3] = {1.5, 0, 0};
    int point = rig_point(&r, "point", 1.0, 3, x[0], x[1], x[2]);
    rig_spring(&r, AC_GROUND, point, origin, x, 3.0, 0.4, 1.0);
    CHECK(rig_finish(&r) == AC_OK);
    const ac_element_kind *kind = spring_kind();
    const double winding[1] = {0}, v[3] = {2.0, 5.0, -3.0};
    double g[3], f[3];
    CHECK_NEAR(ac_element_energy(kind, r.system, 0, x, winding), 0.375, 1e-16);
    ac_element_gradient(kind, r.system, 0, x, winding, g);
    CHECK_NEAR(g[0], 1.5, 1e-16);
    CHECK_NEAR(g[1], 0.0, 0.0);
    ac_element_force(kind, r.system, 0, x, v, winding, f, NULL, NULL);
    CHECK_NEAR(f[0], -0.8, 1e-16);
    CHECK_NEAR(f[1], 0.0, 0.0);
    rig_close(&r);
}

RUN_TESTS(CASE(derivatives), CASE(whole_potential_and_its_gradient), CASE(values_by_hand))
