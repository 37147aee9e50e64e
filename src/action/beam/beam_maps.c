/* Momentum maps along a beam, from the gradients of its elements. */
#include "action/beam/beam_maps.h"

#include <string.h>

#include "action/element.h"
#include "base/vector.h"
#include "math/math.h"

extern const ac_element_kind ac_element_beam, ac_element_high_beam, ac_element_dual_beam, ac_element_function;

/* The kind of the elements of a beam, and the number of its element k among those of this kind. */
static const ac_element_kind *kind_of(const ac_system *system, const ac_beam_data *beam, int k, int *number)
{
    const ac_beam_mesh *mesh = &system->mesh;
    bool dual = beam->model == AC_BEAM_DUAL_QUATERNION;
    *number = beam->first_element + k - (dual ? mesh->element_count - mesh->dual_elements : 0);
    return dual ? &ac_element_dual_beam : beam->order > 1 ? &ac_element_high_beam : &ac_element_beam;
}

/* The gradient of the energy of element k of the beam, also of one that is given as a function; its nodes. */
static ac_element_place element_gradient(const ac_system *system, const ac_beam_data *beam, int k,
                                         const double *q, double *gradient)
{
    int number;
    const ac_element_kind *kind = kind_of(system, beam, k, &number);
    ac_element_place place = ac_element_where(system, kind, number);
    const double *x = q + system->nodes[place.nodes[0]].q;
    kind->gradient(system, number, x, NULL, gradient);
    for (int p = 0; beam->energy && p < beam->order; ++p) {
        double more[AC_ELEMENT_MAX];
        int function = beam->first_function + beam->order * k + p;
        ac_element_gradient(&ac_element_function, system, function, x, NULL, more);
        for (int i = 0; i < place.size; ++i) gradient[i] += more[i];
    }
    return place;
}

/* What the beam transmits behind each node of element k: minus the forces on the nodes up to there, as a
 * wrench about the origin; and minus the torques on them, each about the d3 of its own node, because the symmetry turns
 * every section about its own axis. One pair of them for each node. */
static void transmit(const ac_system *system, const double *q, const ac_beam_data *beam, int k,
                     double *wrench, double *isotropy)
{
    double gradient[AC_ELEMENT_MAX], sum[6] = {0}, turning = 0.0;
    ac_element_place place = element_gradient(system, beam, k, q, gradient);
    for (int a = 0; a < beam->order; ++a) {
        double own[6];
        const ac_node *node = &system->nodes[place.nodes[a]];
        const double *here = q + node->q;
        ac_node_wrench(node, here, gradient + node->size * a, own);
        isotropy[a] = turning -= dot3(own + 3, here + 9);
        add_cross3(here, own, own + 3);
        for (int i = 0; i < 6; ++i) wrench[6 * a + i] = -(sum[i] += own[i]);
    }
}

/* The moment at the vertex where element k of the edge model ends, world axes. */
static void vertex_moment(const ac_system *system, const double *q, int element, double moment[3])
{
    const ac_beam_element *e = &system->mesh.elements[element];
    double gradient[AC_ELEMENT_MAX], wrench[6];
    ac_element_beam.gradient(system, element, q + system->nodes[e->node].q, NULL, gradient);
    ac_node_wrench(&system->nodes[e->node + 1], q + system->nodes[e->node + 1].q, gradient + 12, wrench);
    copy3(wrench + 3, moment);
}

/* Edge k: its element knows the moment where it ends, the one before it where it begins. */
static void transmit_edge(const ac_system *system, const double *q, const ac_beam_data *beam, int k,
                          double wrench[6], double *isotropy)
{
    const double *x = q + system->nodes[beam->first_node + k + 1].q;
    double start[3];
    transmit(system, q, beam, k + 1, wrench, isotropy);
    vertex_moment(system, q, beam->first_element + k, start);
    *isotropy = 0.5 * (*isotropy + dot3(start, x + 9));
    add_cross3(x, wrench, start);
    for (int i = 0; i < 3; ++i) wrench[3 + i] = 0.5 * (wrench[3 + i] + start[i]);
}

void ac_beam_transmitted(const ac_system *system, const double *q, const ac_beam_data *beam, double *wrench,
                         double *isotropy)
{
    bool edges = beam->model == AC_BEAM_EDGE;
    for (int k = 0; k < beam->elements - edges; ++k) {
        int point = beam->order * k;
        (edges ? transmit_edge : transmit)(system, q, beam, k, wrench + 6 * point, isotropy + point);
    }
}

/* The node of the beam, as users count, where element k begins (edge model: the vertex where edge k does). */
static int first_place(const ac_system *system, const ac_beam_data *beam, int k)
{
    int number;
    const ac_element_kind *kind = kind_of(system, beam, k, &number);
    return beam->model == AC_BEAM_EDGE ? k
                                       : ac_element_where(system, kind, number).nodes[0] - beam->first_node;
}

/* Wrenches about the origin become the force and moment at a node, in the axes of the section there. */
static void see_at_node(const ac_system *system, const double *q, const ac_beam_data *beam, int node,
                        const double wrench[6], double *force, double *moment)
{
    double rotation[9], about[3];
    ac_beam_rotation(system, beam, node, q, rotation);
    copy3(wrench + 3, about);
    add_cross3(wrench, q + system->nodes[ac_beam_node(beam, node)].q, about); /* m - r x n */
    apply_transposed3(rotation, wrench, force);
    apply_transposed3(rotation, about, moment);
}

void ac_beam_at_nodes(const ac_system *system, const double *q, const ac_beam_data *beam, double *force,
                      double *moment)
{
    int nodes = ac_beam_sites(beam, AC_SITE_NODES), edges = beam->model == AC_BEAM_EDGE, ready = -1;
    double last[6] = {0.0}; /* what the stretch before the next node transmits */
    for (int k = 0; k < beam->elements - edges; ++k) {
        double wrench[6 * AC_ELEMENT_NODES], isotropy[AC_ELEMENT_NODES];
        int first = first_place(system, beam, k);
        (edges ? transmit_edge : transmit)(system, q, beam, k, wrench, isotropy);
        for (int a = 0; a < beam->order; ++a) {
            const double *now = wrench + 6 * a;
            int node = first + a;
            bool between = node == ready;
            if (!between && ready >= 0)
                see_at_node(system, q, beam, ready, last, force + 3 * ready, moment + 3 * ready);
            for (int i = 0; i < 6; ++i) last[i] = between ? 0.5 * (last[i] + now[i]) : now[i];
            see_at_node(system, q, beam, node, last, force + 3 * node, moment + 3 * node);
            memcpy(last, now, sizeof last);
            ready = node + 1;
        }
    }
    see_at_node(system, q, beam, nodes - 1, last, force + 3 * (nodes - 1), moment + 3 * (nodes - 1));
}

void ac_beam_variation(const ac_beam_data *beam, const double *wrench, const double *isotropy,
                       double out[AC_BEAM_VARIATIONS])
{
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 1; k < ac_beam_sites(beam, AC_SITE_STRETCHES); ++k) {
        for (int i = 0; i < 6; ++i) out[i / 3] = ac_max(out[i / 3], fabs(wrench[6 * k + i] - wrench[i]));
        out[2] = ac_max(out[2], fabs(isotropy[k] - isotropy[0]));
    }
}

/* --- uniformity ------------------------------------------------------------------------------------------- */

static double edge_uniformity(const ac_system *system, const double *q, const ac_beam_data *beam, int k)
{
    int number = beam->first_element + k;
    const ac_beam_element *e = &system->mesh.elements[number], *before = e - 1;
    const double *x = q + system->nodes[e->node].q;
    double strain[6], stress[6], moment[2][3], sum = 0.0;
    ac_beam_strains(system, number, x, strain);
    ac_beam_stresses(system, number, strain, stress);
    for (int i = 0; i < 3; ++i) sum += 0.5 * stress[i] * (strain[i] + e->reference[i]);
    vertex_moment(system, q, number - 1, moment[0]);
    vertex_moment(system, q, number, moment[1]);
    /* the frames between which a reference curvature is given are half of `bend` away from where it
     * belongs */
    double share = before->bend / (before->bend + e->bend);
    for (int i = 0; i < 3; ++i) {
        const double *d = x + 3 + 3 * i;
        double m = 0.5 * (dot3(d, moment[0]) + dot3(d, moment[1]));
        double stiffness = 0.5 * (before->stiffness[3 + i] + e->stiffness[3 + i]);
        double rest = (1.0 - share) * before->reference[3 + i] + share * e->reference[3 + i];
        sum += m * (rest + 0.5 * m / stiffness);
    }
    return sum;
}

void ac_beam_uniformity(const ac_system *system, const double *q, const ac_beam_data *beam, double *out)
{
    int edges = beam->model == AC_BEAM_EDGE;
    for (int k = 0; k < ac_beam_sites(beam, AC_SITE_STRETCHES); ++k) {
        double strain[6], stress[6];
        if (edges)
            out[k] = edge_uniformity(system, q, beam, k + 1);
        else
            ac_beam_at_point(system, beam, k, q, strain, stress, &out[k]);
    }
}
