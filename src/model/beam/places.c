/* Beams as users count them: node k of a beam, and where along it a quantity is known.
 *
 * That is how the system has them, but for the edge model: its nodes 0 and 1 share the place of vertex 0 (the
 * frame at the end, and that of the first edge), node k + 1 is at vertex k, element k is the curvature at
 * vertex k with the stretch of the edge before it; element 0 has no edge. Frames belong to edges there; an
 * inner vertex has the rotation half way between those of its two edges, and the mean of their angular
 * velocities.
 */
#include <string.h>

#include "base/rotation.h"
#include "model/system.h"

static bool has_edges(const ac_beam_data *beam)
{
    return beam->model == AC_BEAM_EDGE;
}

int ac_beam_sites(const ac_beam_data *beam, ac_beam_site site)
{
    int points = ac_beam_points(beam), edges = has_edges(beam);
    switch (site) {
    case AC_SITE_NODES: return beam->nodes - edges;
    case AC_SITE_STRETCHES: return points - edges;
    case AC_SITE_BENDS: return points;
    case AC_SITE_EDGES: return edges ? points - edges : 0;
    }
    return 0;
}

int ac_beam_node(const ac_beam_data *beam, int k)
{
    return beam->first_node + k + (has_edges(beam) && k > 0);
}

int ac_system_beam_node(const ac_system *system, int beam, int k)
{
    return ac_beam_node(&system->beams[beam], k);
}

int ac_beam_edge_before(const ac_system *system, int node)
{
    int number = system->nodes[node].beam;
    if (number < 0 || system->beams[number].model != AC_BEAM_EDGE) return AC_GROUND;
    const ac_beam_data *beam = &system->beams[number];
    int k = node - beam->first_node;
    return k > 1 && k < beam->nodes - 1 ? node - 1 : AC_GROUND;
}

/* The rotation in the coordinates of a node, row by row. */
static void frame_of(const double *x, double rotation[9])
{
    for (int i = 0; i < 3; ++i)
        for (int I = 0; I < 3; ++I) rotation[3 * i + I] = x[3 + 3 * I + i];
}

void ac_beam_rotation(const ac_system *system, const ac_beam_data *beam, int k, const double *q,
                      double rotation[9])
{
    int node = ac_beam_node(beam, k);
    int before = has_edges(beam) ? ac_beam_edge_before(system, node) : AC_GROUND;
    double first[9], second[9], relative[9], turn[3], half[9];
    frame_of(q + system->nodes[node].q, rotation);
    if (before == AC_GROUND) return;
    frame_of(q + system->nodes[before].q, first);
    memcpy(second, rotation, sizeof second);
    transposed_multiply3(first, second, relative);
    ac_rotation_log(relative, turn);
    for (int i = 0; i < 3; ++i) turn[i] *= 0.5;
    ac_rotation_exp(turn, half);
    multiply3(first, half, rotation);
}

void ac_beam_spin(const ac_system *system, const ac_beam_data *beam, int k, const double *twists,
                  double spin[3])
{
    int node = ac_beam_node(beam, k);
    int before = has_edges(beam) ? ac_beam_edge_before(system, node) : AC_GROUND;
    copy3(twists + 6 * node + 3, spin);
    for (int i = 0; i < 3 && before != AC_GROUND; ++i) spin[i] = 0.5 * (spin[i] + twists[6 * before + 3 + i]);
}

double *ac_beam_put_frames(const ac_system *system, const ac_beam_data *beam, const double *q, double *at)
{
    int count = ac_beam_sites(beam, AC_SITE_NODES);
    for (int k = 0; k < count; ++k, at += 3) copy3(q + system->nodes[ac_beam_node(beam, k)].q, at);
    for (int k = 0; k < count; ++k, at += 9) ac_beam_rotation(system, beam, k, q, at);
    for (int k = 0; k < ac_beam_sites(beam, AC_SITE_EDGES); ++k, at += 9)
        frame_of(q + system->nodes[beam->first_node + k + 1].q, at);
    return at;
}

double *ac_beam_put_strains(const ac_system *system, const ac_beam_data *beam, const double *q, double *at)
{
    int stretches = ac_beam_sites(beam, AC_SITE_STRETCHES), bends = ac_beam_sites(beam, AC_SITE_BENDS),
        skip = bends - stretches;
    double *curvature = at + 3 * stretches, *force = curvature + 3 * bends, *moment = force + 3 * stretches;
    for (int k = 0; k < bends; ++k) {
        double strain[6], stress[6];
        ac_beam_at_point(system, beam, k, q, strain, stress, NULL);
        copy3(strain + 3, curvature + 3 * k);
        copy3(stress + 3, moment + 3 * k);
        if (k < skip) continue;
        copy3(strain, at + 3 * (k - skip));
        copy3(stress, force + 3 * (k - skip));
    }
    return moment + 3 * bends;
}
