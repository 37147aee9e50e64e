/* Hyperelastic beams and potentials along beams at rest, against closed forms: a bar with a cubic law, pure bending, a rod in
 * a field, identities of momentum maps for energies that change along the rod. */
#include <stdio.h>

#include "actio/beam.h"
#include "actio/equilibrium.h"
#include "base/vector.h"
#include "model/system.h"
#include "support/beams.h"
#include "test.h"

static const double ORIGIN[3] = {0, 0, 0};

typedef struct held {
    ac_context *ctx;
    ac_system *system;
    int first, end;
    ac_equilibrium *equilibrium;
} held;

/* A beam along x, clamped at the origin, with these energies (NULL: none). */
static held clamped(ac_beam_model model, int order, int elements, const char *energy, const char *potential)
{
    beam_data d = {model, elements, 1.0, 200, 200, {1, 1}, 1, 1, 1e-3, 0, order};
    held h = {.ctx = ac_context_new(NULL)};
    CHECK(ac_system_new(h.ctx, &h.system) == AC_OK);
    h.first = add_straight(h.system, "rod", &d, NULL);
    h.end = h.first + last_node(&d);
    const char *const texts[2] = {energy, potential};
    for (int kind = 0; kind < 2; ++kind) {
        ac_expression *e = NULL;
        if (!texts[kind]) continue;
        CHECK(ac_beam_energy_parse(h.ctx, kind, texts[kind], NULL, NULL, NULL, &e) == AC_OK);
        CHECK(ac_system_add_beam_energy(h.system, 0, kind, e) == AC_OK);
        ac_expression_free(e);
    }
    hold(h.system, AC_FIXED, h.first, ORIGIN);
    return h;
}

static void solve(held *h, int steps)
{
    ac_equilibrium_settings settings;
    bool done = false;
    ac_equilibrium_defaults(&settings);
    settings.steps = steps;
    settings.tolerance = 1e-12;
    CHECK(ac_system_finish(h->system, NULL) == AC_OK);
    ac_status status = ac_equilibrium_new(h->ctx, h->system, &settings, &h->equilibrium);
    while (status == AC_OK && !done) status = ac_equilibrium_next(h->equilibrium, &done);
    CHECK(status == AC_OK);
    if (status != AC_OK) printf("%s\n", ac_context_message(h->ctx));
}

static const double *at(const held *h, int node)
{
    return ac_equilibrium_configuration(h->equilibrium) + h->system->nodes[node].q;
}

static void shut(held *h)
{
    ac_equilibrium_free(h->equilibrium);
    ac_system_free(h->system);
    ac_context_free(h->ctx);
}

static const struct {
    ac_beam_model model;
    int order;
} models[] = {{AC_BEAM_DIRECTOR, 1}, {AC_BEAM_DIRECTOR, 2}, {AC_BEAM_VERTEX, 1}};
enum { MODELS = 3 };

#define SOFT "(u1^2+u2^2+u3^2)/2+100*(v1^2+v2^2)"

/* A bar that hardens: 200 e + 4000 e^3 = F. */
TEST(a_bar_with_a_cubic_law)
{
    for (int m = 0; m < MODELS; ++m) {
        held h = clamped(models[m].model, models[m].order, 4, SOFT "+100*(v3-1)^2+1000*(v3-1)^4", NULL);
        const double e = 0.25, F = 200 * e + 4000 * e * e * e;
        push(h.ctx, h.system, AC_LOAD_FORCE, h.end, F, 0, 0);
        solve(&h, 5);
        CHECK_NEAR(at(&h, h.end)[0], 1 + e, 1e-12);
        shut(&h);
    }
}

/* Pure bending by a torque M: W'(u) = M with W = u^2/2 + u^4/8 in the director beam of order 1, whose strain is
 * sin(phi)/h; the rod with the Cayley strain u = 2/h tan(phi/2) has W'(u) (1 + t^2) = M, t = h u/2. */
TEST(pure_bending_with_a_hardening_law)
{
    const int elements = 8;
    const double h_ = 1.0 / elements, M = 2.0;
    for (int m = 0; m < MODELS; m += 2) {
        bool rod = models[m].model == AC_BEAM_VERTEX;
        held h = clamped(models[m].model, 1, elements, "u1^2/2+u2^2/2+u2^4/8+u3^2/2+1e4*(v1^2+v2^2+(v3-1)^2)",
                         NULL);
        push(h.ctx, h.system, AC_LOAD_TORQUE, h.end, 0, -M, 0);
        solve(&h, 5);
        double low = 0, high = 2; /* the angle of one element */
        for (int k = 0; k < 200; ++k) {
            double phi = 0.5 * (low + high), t = tan(0.5 * phi), u = rod ? 2 / h_ * t : sin(phi) / h_,
                   W = u + 0.5 * u * u * u, moment = rod ? W * (1 + t * t) : W * cos(phi);
            *(moment < M ? &low : &high) = phi;
        }
        double angle = elements * low, d3x = at(&h, h.end)[9], d3z = at(&h, h.end)[11];
        CHECK_NEAR(atan2(fabs(d3z), d3x), angle, 1e-10);
        shut(&h);
    }
}

/* U = -g x: the tension is g (1 - s), constant in each element of order 1; the end moves by g / 2 EA. */
TEST(a_potential_pulls_along_the_beam)
{
    for (int m = 0; m < MODELS; ++m) {
        held h = clamped(models[m].model, models[m].order, 4, NULL, "-7*x");
        solve(&h, 1);
        CHECK_NEAR(at(&h, h.end)[0], 1 + 7 / 400.0, 1e-12);
        shut(&h);
    }
}

/* The same energy as numbers and as an expression gives the same shape. */
TEST(a_quadratic_energy_is_the_stiffness)
{
    double tip[2][3];
    for (int m = 0; m < MODELS; ++m) {
        for (int k = 0; k < 2; ++k) {
            held h = clamped(models[m].model, models[m].order, 6, k ? SOFT "+100*(v3-1)^2" : NULL, NULL);
            push(h.ctx, h.system, AC_LOAD_FORCE, h.end, 0.2, 0.7, -1.5);
            push(h.ctx, h.system, AC_LOAD_TORQUE, h.end, 0.3, 0.1, 0.2);
            solve(&h, 4);
            copy3(at(&h, h.end), tip[k]);
            shut(&h);
        }
        for (int i = 0; i < 3; ++i) CHECK_NEAR(tip[0][i], tip[1][i], 1e-11);
    }
}

static const double *channel(const held *h, const char *name, int *width)
{
    static double row[12000];
    int count = 0, place = 0;
    const ac_channel *channels = ac_equilibrium_channels(h->equilibrium, &count);
    *width = 0;
    ac_equilibrium_row(h->equilibrium, row);
    for (int k = 0; k < count; place += channels[k++].width) {
        if (strcmp(channels[k].name, name) != 0) continue;
        *width = channels[k].width;
        return row + place;
    }
    return row;
}

/* Largest error of H(s_j) - H(s_0) = - integral of dW/ds between the middles of the first and the last element, for
 * W = (1 + s) u2^2/2 + ... : dW/ds = u2^2/2. */
static double identity_error(int elements)
{
    held h = clamped(AC_BEAM_VERTEX, 1, elements, "u1^2/2+(1+s)*u2^2/2+u3^2/2+1e3*(v1^2+v2^2+(v3-1)^2)",
                     NULL);
    double error = 0, sum = 0;
    int width;
    push(h.ctx, h.system, AC_LOAD_FORCE, h.end, 0, 0, -1.5);
    solve(&h, 4);
    double H[200], u[600];
    const double *x = channel(&h, "beam/rod/uniformity", &width);
    CHECK(width == elements);
    memcpy(H, x, (size_t)width * sizeof *H);
    x = channel(&h, "beam/rod/curvature", &width);
    memcpy(u, x, (size_t)width * sizeof *u);
    for (int k = 1; k < elements; ++k) {
        double a = u[3 * k - 2], b = u[3 * k + 1];
        sum += 0.25 * (a * a + b * b) / elements;
        error = fmax(error, fabs(H[k] - H[0] + sum));
    }
    shut(&h);
    return error;
}

/* Identity (7.23) of non-uniform rods: d/ds (<m, u> + <n, v> - W) = - dW/ds, with order 2. */
TEST(the_energy_identity_of_a_rod_that_changes_along_its_length)
{
    double error[4];
    for (int k = 0; k < 4; ++k) error[k] = identity_error(20 << k);
    printf("errors %g %g %g %g\n", error[0], error[1], error[2], error[3]);
    CHECK_NEAR(log2(error[2] / error[3]), 2.0, 0.04); /* 1.88, 1.94, 1.97: the limit is 2 */
    CHECK(log2(error[1] / error[2]) > log2(error[0] / error[1]));
}

/* Forces and moments along the rod are those of the energy: the wrench is the same everywhere without loads between the
 * ends, also with coupled strains. */
TEST(momentum_maps_of_a_coupled_energy)
{
    for (int m = 0; m < MODELS; ++m) {
        int width;
        held h = clamped(
            models[m].model, models[m].order, 6,
            "cosh(u1)+cosh(1.2*u2)+u3^2/2+0.1*u3^4+100*(v1^2+v2^2)+200*(v3-1-log(v3))+2*u1*v2*v1+"
            "3*u1*(v3-1)",
            NULL);
        push(h.ctx, h.system, AC_LOAD_FORCE, h.end, 0.2, 0.7, -1.5);
        solve(&h, 4);
        const double force[3] = {0.2, 0.7, -1.5}, *wrench = channel(&h, "beam/rod/wrench", &width);
        for (int k = 0; k < width; k += 6)
            for (int i = 0; i < 3; ++i) {
                CHECK_NEAR(wrench[k + i], force[i], 1e-11);
                CHECK_NEAR(wrench[k + 3 + i], wrench[3 + i], 1e-11);
            }
        shut(&h);
    }
}

static void refused(ac_beam_model model, ac_beam_energy kind, const char *text, const char *message)
{
    beam_data d = {model, 4, 1.0, 200, 200, {1, 1}, 1, 1, 1e-3, 0, 1};
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = NULL;
    ac_expression *e = NULL;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    add_straight(system, "rod", &d, NULL);
    CHECK(ac_beam_energy_parse(ctx, kind, text, NULL, NULL, NULL, &e) == AC_OK);
    CHECK(ac_system_add_beam_energy(system, 0, kind, e) == AC_BAD_INPUT);
    CHECK_TEXT(ac_context_message(ctx), message);
    ac_expression_free(e);
    ac_system_free(system);
    ac_context_free(ctx);
}

TEST(energies_that_are_refused)
{
    refused(
        AC_BEAM_EDGE, AC_BEAM_OF_STRAINS, "u1^2",
        "beam 'rod': rods of the edge model have bending and stretch at different places, so that one energy "
        "of both cannot be taken; use the vertex model");
    refused(AC_BEAM_DUAL_QUATERNION, AC_BEAM_OF_STRAINS, "u1^2",
            "beam 'rod': beams of dual quaternions have a quadratic energy of strains; use the director or "
            "the vertex model");
    refused(AC_BEAM_VERTEX, AC_BEAM_OF_STRAINS, "log(v3-1)",
            "beam 'rod': the energy is not finite without strain at s = 0.125");
}

RUN_TESTS(CASE(a_bar_with_a_cubic_law), CASE(pure_bending_with_a_hardening_law),
          CASE(a_potential_pulls_along_the_beam), CASE(a_quadratic_energy_is_the_stiffness),
          CASE(the_energy_identity_of_a_rod_that_changes_along_its_length),
          CASE(momentum_maps_of_a_coupled_energy), CASE(energies_that_are_refused))
