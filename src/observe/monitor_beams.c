/* The channels of beams. Rotations are row by row, columns are directors; strains are beyond the
 * reference, as the stress resultants are; both are in the director frame. */
#include "observe/monitor_beams.h"

#include <string.h>

#include "action/beam/beam_maps.h"

#define ROTATION "xx xy xz yx yy yz zx zy zz"

const ac_beam_channel ac_beam_channels[AC_BEAM_CHANNELS] = {
    {"position", "m", "x y z", AC_SITE_NODES, 3},
    {"rotation", "1", ROTATION, AC_SITE_NODES, 9},
    {"edge_rotation", "1", ROTATION, AC_SITE_EDGES, 9},
    {"velocity", "m/s", "x y z", AC_SITE_NODES, 3},
    {"angular_velocity", "rad/s", "x y z", AC_SITE_NODES, 3},
    {"strain", "1", "1 2 3", AC_SITE_STRETCHES, 3},
    {"curvature", "1/m", "1 2 3", AC_SITE_BENDS, 3},
    {"force", "N", "1 2 3", AC_SITE_STRETCHES, 3},
    {"moment", "N m", "1 2 3", AC_SITE_BENDS, 3},
    {"node_force", "N", "1 2 3", AC_SITE_NODES, 3},
    {"node_moment", "N m", "1 2 3", AC_SITE_NODES, 3},
};

int ac_beam_channel_width(const ac_beam_data *beam, int channel)
{
    return ac_beam_channels[channel].numbers * ac_beam_sites(beam, ac_beam_channels[channel].site);
}

double *ac_beam_put_row(const ac_system *system, const ac_beam_data *beam, const double *q,
                        const double *twists, double *at)
{
    int nodes = ac_beam_sites(beam, AC_SITE_NODES);
    at = ac_beam_put_frames(system, beam, q, at);
    for (int k = 0; k < nodes; ++k, at += 3) memcpy(at, twists + 6 * ac_beam_node(beam, k), 3 * sizeof *at);
    for (int k = 0; k < nodes; ++k, at += 3) ac_beam_spin(system, beam, k, twists, at);
    at = ac_beam_put_strains(system, beam, q, at);
    ac_beam_at_nodes(system, q, beam, at, at + 3 * nodes);
    return at + 6 * nodes;
}
