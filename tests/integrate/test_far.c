/* Beams far from the origin, where coordinates are rounded more coarsely than anything else: Newton's method
 * must neither wait for digits that are not there nor take for rounding what is not. */
#include <float.h>

#include "observe/simulation.h"
#include "support/beams.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

/* A round stick of 1 m from `place` on. */
static ac_system *stick(ac_context *ctx, int order, double young, const double place[3], const double spin[3])
{
    enum { ELEMENTS = 10 };
    const double radius = 0.01, area = PI * radius * radius, bend = 0.25 * area * radius * radius;
    ac_pose frames[2 * ELEMENTS + 1] = {0};
    for (int k = 0; k <= order * ELEMENTS; ++k) {
        memcpy(frames[k].position, place, 3 * sizeof *place);
        memcpy(frames[k].rotation, ALONG_X, sizeof ALONG_X);
        frames[k].position[0] += (double)k / (order * ELEMENTS);
    }
    ac_beam beam = {.name = "stick",
                    .order = order,
                    .elements = ELEMENTS,
                    .frames = frames,
                    .shear = {young * area / 3, young * area / 3},
                    .axial = young * area,
                    .bending = {young * bend, young * bend},
                    .torsion = young * bend * 2 / 3,
                    .mass = 1000 * area,
                    .inertia = {1000 * bend, 1000 * bend},
                    .moving = true};
    memcpy(beam.angular_velocity, spin, 3 * sizeof *spin);
    ac_system *system;
    CHECK(ac_system_new(ctx, &system) == AC_OK);
    CHECK(ac_system_add_beam(system, &beam, NULL) == AC_OK);
    return system;
}

static ac_simulation *run(ac_context *ctx, const ac_system *system, const char *scheme,
                          const char *formulation, double step, int steps)
{
    ac_simulation *sim = start(ctx, system, scheme, formulation, step);
    ac_status status = AC_OK;
    for (int n = 0; n < steps && status == AC_OK; ++n) status = ac_simulation_step(sim);
    CHECK(status == AC_OK);
    if (status != AC_OK) printf("  %s, %s: %s\n", scheme, formulation, ac_context_message(ctx));
    return sim;
}

/* The largest difference between the motions of a stick at the origin and at `place`. */
static double difference(ac_context *ctx, int order, const double place[3], const char *formulation,
                         int steps)
{
    static const double origin[3] = {0, 0, 0}, spin[3] = {3, 20, 10};
    ac_system *near = stick(ctx, order, 1e9, origin, spin), *far = stick(ctx, order, 1e9, place, spin);
    CHECK(ac_system_finish(near, NULL) == AC_OK && ac_system_finish(far, NULL) == AC_OK);
    ac_simulation *a = run(ctx, near, "energy-momentum", "auto", 1e-3, steps);
    ac_simulation *b = run(ctx, far, "energy-momentum", formulation, 1e-3, steps);
    const double *qa = ac_simulation_configuration(a), *qb = ac_simulation_configuration(b);
    double worst = 0.0;
    for (int i = 0; i < near->n; ++i)
        worst = fmax(worst, fabs(qb[i] - qa[i] - (i % 12 < 3 ? place[i % 12] : 0.0)));
    ac_simulation_free(a);
    ac_simulation_free(b);
    ac_system_free(near);
    ac_system_free(far);
    return worst;
}

/* All that differs comes from the rounding of coordinates. It is a random push in every step, so
 * differences grow with the number of steps to the power 3/2; directors see it over the distance of two
 * nodes, a twentieth of the length. */
TEST(a_beam_moves_far_away_as_it_does_near)
{
    static const double away[4][3] = {{100, 0, 0}, {1000, -2000, 3000}, {10000, 0, 0}, {0, 1e7, 0}};
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 1; order <= 2; ++order)
        for (int k = 0; k < 6; ++k) {
            static const char *const formulations[] = {"auto", "auto",       "auto",
                                                       "auto", "null-space", "multipliers"};
            const double *place = away[k < 4 ? k : 2];
            int steps = k < 4 ? 60 : 10;
            double size = 0.0, nodes = 20.0;
            for (int i = 0; i < 3; ++i) size = fmax(size, fabs(place[i]));
            double worst = difference(ctx, order, place, formulations[k], steps);
            CHECK_NEAR(worst, 0.0, 4 * pow(steps, 1.5) * nodes * DBL_EPSILON * size);
        }
    ac_context_free(ctx);
}

/* A rubber stick falls for 4 s, 80 m, and turns on its way. */
TEST(a_falling_beam_goes_on_falling)
{
    static const double place[3] = {0, 0, 0}, spin[3] = {0, 3, 1}, gravity[3] = {0, 0, -9.81};
    enum { STEPS = 4000 };
    const double h = 1e-3;
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 1; order <= 2; ++order) {
        ac_system *system = stick(ctx, order, 1e7, place, spin);
        ac_system_set_gravity(system, gravity);
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_simulation *sim = start(ctx, system, "auto", "auto", h);
        double *row = calloc((size_t)row_width(sim), sizeof *row), first = 0.0, worst = 0.0;
        int H = channel_at(sim, true, "energy/hamiltonian");
        for (int n = 0; n < STEPS; ++n) {
            ac_status status = ac_simulation_step(sim);
            CHECK(status == AC_OK);
            if (status != AC_OK) break;
            CHECK(ac_simulation_node_row(sim, false, row) == AC_OK);
            if (n == 0) first = row[H];
            worst = fmax(worst, fabs(row[H] - first));
        }
        CHECK_NEAR(worst, 0.0, 3e-10); /* of 240 J of motion that it has by then */
        free(row);
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

/* What does not converge is refused far away as well: too few iterations, and a step that the midpoint rule
 * cannot follow. */
TEST(what_does_not_converge_is_refused)
{
    static const double place[3] = {10000, 0, 0}, spin[3] = {3, 20, 10};
    ac_context *ctx = ac_context_new(NULL);
    for (int order = 1; order <= 2; ++order) {
        ac_system *system = stick(ctx, order, 1e9, place, spin);
        ac_simulation_settings settings;
        ac_simulation *sim;
        CHECK(ac_system_finish(system, NULL) == AC_OK);
        ac_simulation_defaults(&settings);
        settings.scheme = "energy-momentum";
        settings.step = 1e-3;
        settings.max_iterations = 1;
        CHECK(ac_simulation_new(ctx, system, &settings, &sim) == AC_OK);
        CHECK(ac_simulation_step(sim) == AC_NOT_CONVERGED);
        CHECK(strstr(ac_context_message(ctx), "did not converge"));
        ac_simulation_free(sim);

        sim = start(ctx, system, "midpoint", "auto", 1e-2);
        ac_status status = AC_OK;
        for (int n = 0; n < 50 && status == AC_OK; ++n) status = ac_simulation_step(sim);
        CHECK(status == AC_NOT_CONVERGED);
        CHECK(sim->stepper.last.residual > 1e-6);
        ac_simulation_free(sim);
        ac_system_free(system);
    }
    ac_context_free(ctx);
}

RUN_TESTS(CASE(a_beam_moves_far_away_as_it_does_near), CASE(a_falling_beam_goes_on_falling),
          CASE(what_does_not_converge_is_refused))
