/* A shallow arch of steel under a load on its crown: its equilibria along the load path, through two
 * limit points, and then the same arch in motion, with a load that grows slowly to more than the arch bears.
 *
 *   cc snap_through.c $(pkg-config --cflags --libs actio) -lm -o snap_through
 */
#include <actio/actio.h>
#include <math.h>
#include <stdio.h>

enum { ELEMENTS = 24, POINTS = 200, STEPS = 3000 };
static const double SPAN = 1.0, RISE = 0.02; /* m */
static const double LOAD = 430.0;            /* N */

typedef struct arch {
    ac_system *system;
    int first, crown, last; /* nodes */
} arch;

/* The strip, 40 mm wide and 5 mm thick, along an arc through (0, 0, 0) and (SPAN, 0, 0). */
static ac_status add_strip(ac_context *ctx, arch *a, ac_pose ends[2])
{
    const double radius = (SPAN * SPAN / 4.0 + RISE * RISE) / (2.0 * RISE);
    const ac_curve_shape arc = {.type = AC_CURVE_ARC,
                                .from = {0, 0, 0},
                                .centre = {SPAN / 2.0, 0, RISE - radius},
                                .axis = {0, 1, 0},
                                .angle = 2.0 * asin(SPAN / 2.0 / radius),
                                .d1 = {0, 1, 0},
                                .elements = ELEMENTS};
    const ac_beam_material steel = {.young = 210e9, .poisson = 0.3, .density = 7850};
    ac_beam_section section = {.shape = AC_BEAM_RECTANGLE, .width = 0.04, .height = 0.005};
    ac_beam_values values;
    ac_beam strip = {.name = "strip", .damping = 1e-3};
    ac_curve *curve = NULL;
    ac_status status = ac_beam_section_compute(ctx, &section, steel.poisson);
    if (status == AC_OK) status = ac_beam_section_values(ctx, &section, &steel, &values);
    if (status == AC_OK) status = ac_curve_new(ctx, &arc, &curve);
    if (status == AC_OK) {
        ac_beam_set_values(&strip, &values);
        ac_curve_fill(curve, &strip);
        status = ac_system_add_beam(a->system, &strip, &a->first);
        a->crown = a->first + ac_curve_node(curve, ELEMENTS / 2);
        a->last = a->first + ac_curve_node(curve, ELEMENTS);
        ends[0] = ac_curve_frame(curve, 0);
        ends[1] = ac_curve_frame(curve, ac_curve_node(curve, ELEMENTS));
    }
    ac_curve_free(curve);
    return status;
}

/* The arch, clamped at both ends as it is drawn; `load`: the force on its crown, an expression of t. */
static ac_status build(ac_context *ctx, const char *load, arch *a)
{
    ac_pose ends[2];
    ac_status status = ac_system_new(ctx, &a->system);
    if (status == AC_OK) status = add_strip(ctx, a, ends);
    for (int k = 0; k < 2 && status == AC_OK; ++k) {
        ac_joint clamp = {.name = k == 0 ? "left clamp" : "right clamp", .type = AC_FIXED, .a = AC_GROUND};
        clamp.b = k == 0 ? a->first : a->last;
        clamp.frame_a = ends[k];
        clamp.frame_b = ac_pose_identity();
        status = ac_system_add_joint(a->system, &clamp, NULL);
    }
    if (status == AC_OK) {
        ac_load push = {.name = "push", .type = AC_LOAD_FORCE, .point = {.node = a->crown}};
        status = ac_signal_expression(ctx, load, &push.value[2]);
        if (status == AC_OK) status = ac_system_add_load(a->system, &push);
    }
    return status == AC_OK ? ac_system_finish(a->system, NULL) : status;
}

/* The height of the crown; a node of a beam has twelve coordinates: its place and its directors. */
static double height(const arch *a, const double *configuration)
{
    return configuration[12 * (ptrdiff_t)a->crown + 2];
}

/* Follows the load path up to the first state beyond a limit point that bears the whole load; answers the
 * height of the crown there. */
static ac_status follow(ac_context *ctx, double *rest)
{
    arch a = {0};
    char load[32];
    ac_equilibrium_settings settings;
    ac_equilibrium *path = NULL;
    bool done = false;
    snprintf(load, sizeof load, "-%g", LOAD);
    ac_equilibrium_defaults(&settings);
    settings.follow = true;
    settings.arc_step = 1e-3; /* of all nodes, root mean square, m */
    settings.points = POINTS;
    settings.level_count = 1;
    settings.levels[0] = 1.0; /* the load factor of the whole load */
    ac_status status = build(ctx, load, &a);
    if (status == AC_OK) status = ac_equilibrium_new(ctx, a.system, &settings, &path);
    while (status == AC_OK && !done) {
        status = ac_equilibrium_next(path, &done);
        const ac_equilibrium_point *now = ac_equilibrium_at(path);
        if (status != AC_OK || now->event == AC_EVENT_NONE) continue;
        *rest = height(&a, ac_equilibrium_configuration(path));
        done = now->event == AC_EVENT_LEVEL;
        printf("%s %6.1f N: crown at %6.2f mm\n", done ? "whole load" : "limit     ", LOAD * now->factor,
               1e3 * *rest);
    }
    ac_equilibrium_free(path);
    ac_system_free(a.system);
    return status;
}

/* Lets the load grow in a second, and waits; answers where the crown is then. */
static ac_status move(ac_context *ctx, double *rest)
{
    arch a = {0};
    char load[32];
    ac_simulation_settings settings;
    ac_simulation *simulation = NULL;
    double snap = -1.0;
    snprintf(load, sizeof load, "-%g*min(t, 1)", LOAD);
    ac_simulation_defaults(&settings);
    settings.step = 1e-3;
    ac_status status = build(ctx, load, &a);
    if (status == AC_OK) status = ac_simulation_new(ctx, a.system, &settings, &simulation);
    for (int k = 0; k < STEPS && status == AC_OK; ++k) {
        status = ac_simulation_step(simulation);
        *rest = height(&a, ac_simulation_configuration(simulation));
        if (snap < 0.0 && *rest < 0.0) snap = ac_simulation_time(simulation);
    }
    if (status == AC_OK)
        printf("in motion: snaps at t = %.2f s, comes to rest at %.2f mm\n", snap, 1e3 * *rest);
    ac_simulation_free(simulation);
    ac_system_free(a.system);
    return status;
}

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    double still = 0.0, moved = 0.0;
    if (!ctx) return 1;
    ac_status status = follow(ctx, &still);
    if (status == AC_OK) status = move(ctx, &moved);
    if (status != AC_OK)
        fprintf(stderr, "snap_through: %s: %s\n", ac_status_text(status), ac_context_message(ctx));
    ac_context_free(ctx);
    return status == AC_OK && still < 0.0 && fabs(moved - still) < 1e-5 ? 0 : 1;
}
