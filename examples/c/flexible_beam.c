/* A bent spring of rectangular steel wire, clamped at one end, that swings under a weight on the other:
 * section and curve of a beam through the C interface, without a problem file.
 *
 *   cc flexible_beam.c $(pkg-config --cflags --libs actio) -lm -o flexible_beam
 */
#include <actio/actio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 500 };

/* Three quarters of a circle of 10 cm in the plane of x and z; the wire is 20 mm wide across it and 2 mm
 * thick. */
static ac_status add_spring(ac_context *ctx, ac_system *system, int *first, int *last)
{
    const ac_curve_shape circle = {.type = AC_CURVE_ARC,
                                   .from = {0.1, 0, 0},
                                   .axis = {0, -1, 0},
                                   .angle = 4.71238898038469,
                                   .d1 = {0, 1, 0},
                                   .elements = 30};
    const ac_beam_material steel = {.young = 210e9, .poisson = 0.3, .density = 7850};
    ac_beam_section wire = {.shape = AC_BEAM_RECTANGLE, .width = 0.02, .height = 0.002};
    ac_beam_values values;
    ac_beam spring = {.name = "spring"};
    ac_curve *curve = NULL;
    ac_status status = ac_beam_section_compute(ctx, &wire, steel.poisson);
    if (status == AC_OK) status = ac_beam_section_values(ctx, &wire, &steel, &values);
    if (status == AC_OK) status = ac_curve_new(ctx, &circle, &curve);
    if (status == AC_OK) {
        double weight[31] = {0};
        ac_beam_set_values(&spring, &values);
        ac_curve_fill(curve, &spring);
        *last = ac_curve_node(curve, 30);
        weight[*last] = 0.5;
        spring.point_masses = weight;
        printf("bending stiffness %.4f N m^2, %.4f kg/m\n", values.stiffness[3], values.mass);
        status = ac_system_add_beam(system, &spring, first);
        *last += *first;
    }
    ac_curve_free(curve); /* the system has its own copy */
    return status;
}

static ac_status describe(ac_context *ctx, ac_system *system, int *last)
{
    const double gravity[3] = {0, 0, -9.81};
    int first = 0;
    ac_status status = ac_system_set_gravity(system, gravity);
    if (status == AC_OK) status = add_spring(ctx, system, &first, last);
    if (status != AC_OK) return status;
    /* held as it is drawn: the frame of the ground is put where the first node is: d1 = y, d2 = -x, d3 = z */
    ac_joint clamp = {.name = "clamp", .type = AC_FIXED, .a = AC_GROUND, .b = first};
    clamp.frame_a = (ac_pose){{0.1, 0, 0}, {0, -1, 0, 1, 0, 0, 0, 0, 1}};
    clamp.frame_b = ac_pose_identity();
    status = ac_system_add_joint(system, &clamp, NULL);
    return status == AC_OK ? ac_system_finish(system, NULL) : status;
}

/* The total energy, from the channel of that name. */
static ac_status energy_now(ac_simulation *simulation, double *energy)
{
    int count = 0, at = -1, width = 0;
    const ac_channel *channels = ac_simulation_node_channels(simulation, &count);
    for (int c = 0; c < count; width += channels[c].width, ++c)
        if (strcmp(channels[c].name, "energy/hamiltonian") == 0) at = width;
    double *row = calloc((size_t)width, sizeof *row);
    ac_status status = row ? ac_simulation_node_row(simulation, false, row) : AC_NO_MEMORY;
    if (status == AC_OK) *energy = at < 0 ? NAN : row[at];
    free(row);
    return status;
}

static ac_status simulate(ac_context *ctx, const ac_system *system, int last)
{
    ac_simulation_settings settings;
    ac_simulation *simulation = NULL;
    double lowest = 0, start = 0, end = 0;
    ac_simulation_defaults(&settings);
    settings.step = 1e-3;
    ac_status status = ac_simulation_new(ctx, system, &settings, &simulation);
    for (int k = 0; k < STEPS && status == AC_OK; ++k) {
        status = ac_simulation_step(simulation);
        /* a node of a beam has twelve coordinates: its place and its directors */
        const double *tip = ac_simulation_configuration(simulation) + 12 * (ptrdiff_t)last;
        lowest = fmin(lowest, tip[2]);
        if (k == 0 && status == AC_OK) status = energy_now(simulation, &start);
    }
    if (status == AC_OK) status = energy_now(simulation, &end);
    if (status == AC_OK) {
        printf("the weight comes down to z = %.4f m\n", lowest);
        if (!(fabs(end - start) < 1e-9)) status = AC_NOT_CONVERGED; /* the scheme keeps the energy */
    }
    ac_simulation_free(simulation);
    return status;
}

int main(void)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_system *system = NULL;
    int last = 0;
    if (!ctx) return 1;
    ac_status status = ac_system_new(ctx, &system);
    if (status == AC_OK) status = describe(ctx, system, &last);
    if (status == AC_OK) status = simulate(ctx, system, last);
    if (status != AC_OK)
        fprintf(stderr, "flexible_beam: %s: %s\n", ac_status_text(status), ac_context_message(ctx));
    ac_system_free(system);
    ac_context_free(ctx);
    return status == AC_OK ? 0 : 1;
}
