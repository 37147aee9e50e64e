/* How far the elements of beams bend.
 *
 * Between the nodes of a beam of the director model the directors are interpolated, so the curvature of an
 * element is the sine of the angle between two nodes over their distance, and its energy the square of that.
 * An element of order 1 resists most at an eighth turn, less beyond, and not at all at a quarter turn, where
 * it folds over and stretches without limit. That is the mesh and not the material. Rods of the vertex model
 * resist any bend, but their edges are stretched along the mean of two directors, so that a tension can kink
 * them too.
 */
#include "action/beam/beam_turn.h"

#include "base/vector.h"
#include "math/math.h"

static const double QUARTER_TURN = 1.57079632679489661923;

/* The angle between the frames of the nodes k and k + 1. */
static double turn(const ac_system *system, const double *q, int k)
{
    const double *a = q + system->nodes[k].q + 3, *b = q + system->nodes[k + 1].q + 3;
    double cosine = 0.5 * (dot3(a, b) + dot3(a + 3, b + 3) + dot3(a + 6, b + 6) - 1.0);
    return ac_acos(ac_max(-1.0, ac_min(1.0, cosine)));
}

static void take(const ac_system *system, const double *q, int k, double *most, int *node)
{
    double angle = turn(system, q, k);
    if (!(angle > *most)) return;
    *most = angle;
    if (node) *node = k;
}

double ac_beam_largest_turn(const ac_system *system, const double *q, ac_beam_model last, int *node)
{
    double most = 0.0;
    if (node) *node = -1;
    for (int k = 0; k < system->mesh.element_count; ++k) {
        const ac_beam_element *e = &system->mesh.elements[k];
        if (system->beams[e->beam].model <= last) take(system, q, e->node, &most, node);
    }
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *e = &system->mesh.high[k];
        for (int i = 0; i < e->order; ++i) take(system, q, e->node + i, &most, node);
    }
    return most;
}

double ac_beam_fold(void)
{
    return QUARTER_TURN;
}
