/* A four-bar linkage built and simulated through the C interface alone: no problem file.
 *
 *   cc four_bar.c $(pkg-config --cflags --libs actio) -o four_bar
 */
#include <actio/actio.h>
#include <math.h>
#include <stdio.h>

/* A joint frame at x on a bar: z, the axis of the hinge, is the bar's y axis. */
static ac_pose hinge_at(double x)
{
    ac_pose frame = {{x, 0, 0}, {1, 0, 0, 0, 0, 1, 0, -1, 0}};
    return frame;
}

/* A thin bar along x that starts in the origin of its frame. */
static ac_status add_bar(ac_system *system, const char *name, double length, double mass, int *node)
{
    double J = mass * length * length / 12.0;
    ac_body bar = {.name = name, .mass = mass, .inertia = {0, J, J, 0, 0, 0}, .centre = {length / 2, 0, 0}};
    return ac_system_add_body(system, &bar, node);
}

static ac_status add_hinge(ac_system *system, const char *name, int a, double at_a, int b, double at_b)
{
    ac_joint hinge = {.name = name,
                      .type = AC_REVOLUTE,
                      .a = a,
                      .b = b,
                      .frame_a = hinge_at(at_a),
                      .frame_b = hinge_at(at_b)};
    if (a == AC_GROUND && at_a == 0.0) { /* the crank starts upright */
        hinge.has_coordinates = true;
        hinge.coordinates[0] = -1.5707963267948966;
    }
    return ac_system_add_joint(system, &hinge, NULL);
}

static ac_status describe(ac_system *system)
{
    const double gravity[3] = {0, 0, -9.81};
    int crank = 0, coupler = 0, rocker = 0;
    ac_status status = ac_system_set_gravity(system, gravity);
    if (status == AC_OK) status = add_bar(system, "crank", 0.7, 0.7, &crank);
    if (status == AC_OK) status = add_bar(system, "coupler", 1.8, 1.8, &coupler);
    if (status == AC_OK) status = add_bar(system, "rocker", 1.3, 1.3, &rocker);
    if (status == AC_OK) status = add_hinge(system, "crank hinge", AC_GROUND, 0, crank, 0);
    if (status == AC_OK) status = add_hinge(system, "rocker hinge", AC_GROUND, 2, rocker, 0);
    if (status == AC_OK) status = add_hinge(system, "elbow", crank, 0.7, coupler, 0);
    if (status == AC_OK) status = add_hinge(system, "wrist", coupler, 1.8, rocker, 1.3);
    if (status == AC_OK) status = ac_system_finish(system, NULL);
    return status;
}

static ac_status simulate(ac_context *ctx, const ac_system *system)
{
    enum { STEPS = 1000 };
    ac_simulation_settings settings;
    ac_simulation *simulation = NULL;
    ac_simulation_defaults(&settings);
    settings.step = 0.01;
    ac_status status = ac_simulation_new(ctx, system, &settings, &simulation);
    for (int k = 0; k < STEPS && status == AC_OK; ++k) status = ac_simulation_step(simulation);
    if (status == AC_OK) {
        const double *q = ac_simulation_configuration(
            simulation); /* centre of mass and directors of each bar */
        printf("t = %g s: middle of the crank at (%.6f, %.6f, %.6f)\n", ac_simulation_time(simulation), q[0],
               q[1], q[2]);
        /* it stays on its circle */
        if (fabs(hypot(q[0], q[2]) - 0.35) > 1e-14) status = AC_NOT_CONVERGED;
    }
    ac_simulation_free(simulation);
    return status;
}

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = NULL;
    if (!ctx) return 1;
    ac_status status = ac_system_new(ctx, &system);
    if (status == AC_OK) status = describe(system);
    if (status == AC_OK) status = simulate(ctx, system);
    if (status != AC_OK)
        fprintf(stderr, "four_bar: %s: %s\n", ac_status_text(status), ac_context_message(ctx));
    ac_system_free(system);
    ac_context_free(ctx);
    return status == AC_OK ? 0 : 1;
}
