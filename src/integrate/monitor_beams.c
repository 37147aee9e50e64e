/* The channels of beams. Rotations are row by row, columns are directors; strains are beyond the reference,
 * as the stress
 * resultants are; both are in the director frame. */
#include "integrate/monitor_beams.h"

#include <string.h>

const ac_beam_channel ac_beam_channels[AC_BEAM_CHANNELS] = {
    {"position", "m", "x y z", 3, 0},   {"rotation", "1", "xx xy xz yx yy yz zx zy zz", 9, 0},
    {"velocity", "m/s", "x y z", 3, 0}, {"angular_velocity", "rad/s", "x y z", 3, 0},
    {"strain", "1", "1 2 3", 0, 3},     {"curvature", "1/m", "1 2 3", 0, 3},
    {"force", "N", "1 2 3", 0, 3},      {"moment", "N m", "1 2 3", 0, 3},
};

int ac_beam_channel_width(const ac_beam_data *beam, int channel)
{
    return ac_beam_channels[channel].per_node * beam->nodes +
           ac_beam_channels[channel].per_element * ac_beam_points(beam);
}

static double *put_nodes(const ac_system *system, const ac_beam_data *beam, const double *q,
                         const double *twists, double *at)
{
    const double *x = q + system->nodes[beam->first_node].q;
    int nodes = beam->nodes;
    for (int k = 0; k < nodes; ++k, at += 3) memcpy(at, x + 12 * k, 3 * sizeof *at);
    for (int k = 0; k < nodes; ++k)
        for (int i = 0; i < 3; ++i)
            for (int I = 0; I < 3; ++I) *at++ = x[12 * k + 3 + 3 * I + i];
    const double *twist = twists + 6 * beam->first_node;
    for (int half = 0; half < 2; ++half)
        for (int k = 0; k < nodes; ++k, at += 3) memcpy(at, twist + 6 * k + 3 * half, 3 * sizeof *at);
    return at;
}

double *ac_beam_put_row(const ac_system *system, const ac_beam_data *beam, const double *q,
                        const double *twists, double *at)
{
    at = put_nodes(system, beam, q, twists, at);
    int points = ac_beam_points(beam), stride = 3 * points; /* between strain, curvature, force and moment */
    for (int k = 0; k < points; ++k, at += 3) {
        double strain[6], stress[6];
        ac_beam_at_point(system, beam, k, q, strain, stress, NULL);
        for (int i = 0; i < 3; ++i) {
            at[i] = strain[i];
            at[stride + i] = strain[3 + i];
            at[2 * stride + i] = stress[i];
            at[3 * stride + i] = stress[3 + i];
        }
    }
    return at + 3 * stride;
}
