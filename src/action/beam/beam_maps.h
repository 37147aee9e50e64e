/* Momentum maps along a beam in equilibrium: the symmetries of a rod keep them constant along it where it carries no load.
 *
 *   wrench      force n and moment m + r x n about the origin, which the rest of the beam exerts on the part before
 *               an element: exactly constant, as rigid motions do not change strains
 *   isotropy    <m, d3>: exactly constant for sections with equal stiffness about d1 and d2
 *   uniformity  H = <m, u> + <n, v> - W. In the continuum H' = -<f, r'> - <l, u> with the loads f, l per length; no
 *               motion of a fixed mesh belongs to it, so it is constant in the limit of short elements only, with
 *               order 2 where all of it is taken at one place
 *
 * Edge model: forces live on edges, moments at vertices. The balance of an edge with frame R is
 *   m_b - m_a + (r_b - r_a) x n + l = 0,
 * so that the spatial moments of its two vertices are those of the continuum at the vertices, also at the
 * ends, where the curvature is that of half an edge and belongs to a place h/4 away from the vertex. All maps
 * are therefore taken in the middle of the edge, from its force and the mean of both moments; the curvature
 * in H follows from the moment. There is one value for each edge, none for the frame at the first end.
 */
#ifndef ACTIO_ACTION_BEAM_MAPS_H
#define ACTIO_ACTION_BEAM_MAPS_H

#include "model/system.h"

enum { AC_BEAM_VARIATIONS = 3 };
/* Wrench (6 numbers) and isotropy at each of its AC_SITE_STRETCHES. */
void ac_beam_transmitted(const ac_system *system, const double *q, const ac_beam_data *beam, double *wrench,
                         double *isotropy);
/* Forces and moments at the nodes of a beam, 3 numbers each in the axes of the section there: what the stretches on both sides
 * transmit (their mean), taken at the place of the node. */
void ac_beam_at_nodes(const ac_system *system, const double *q, const ac_beam_data *beam, double *force,
                      double *moment);
/* Largest differences of force, moment and isotropy. */
void ac_beam_variation(const ac_beam_data *beam, const double *wrench, const double *isotropy,
                       double out[AC_BEAM_VARIATIONS]);
void ac_beam_uniformity(const ac_system *system, const double *q, const ac_beam_data *beam, double *out);

#endif
