/* Does a step leave a beam within what its elements can say?
 *
 * Between the nodes of a beam the directors are interpolated and the curvature is the sine of the angle between two
 * nodes over their distance. Beyond a quarter turn a beam resists less the more it bends, and at half a turn not at
 * all: it folds over and stretches without limit. That is the mesh and not the material, so a run ends there.
 */
#include "base/vector.h"
#include "integrate/stepper.h"

/* Do the frames of the nodes k and k + 1 differ by more than a quarter turn? */
static bool is_folded(const ac_stepper *s, int k)
{
    const double *a = s->qb + s->system->nodes[k].q + 3, *b = s->qb + s->system->nodes[k + 1].q + 3;
    return dot3(a, b) + dot3(a + 3, b + 3) + dot3(a + 6, b + 6) < 1.0;
}

static ac_status report_fold(const ac_stepper *s, int node)
{
    const ac_node *nodes = s->system->nodes;
    return ac_fail(
        s->ctx, AC_NOT_CONVERGED,
        "step %ld, t = %.9g s: beam '%s' bends by more than a quarter turn between its nodes '%s' and "
        "'%s', where it resists no longer; give it more elements",
        s->step + 1, s->t, s->system->beams[nodes[node].beam].name, nodes[node].name, nodes[node + 1].name);
}

ac_status ac_stepper_check_bend(const ac_stepper *s)
{
    const ac_system *system = s->system;
    for (int k = 0; k < system->beam_element_count; ++k) {
        const ac_beam_element *e = &system->beam_elements[k];
        if (system->beams[e->beam].model == AC_BEAM_DIRECTOR && is_folded(s, e->node))
            return report_fold(s, e->node);
    }
    for (int k = 0; k < system->high_element_count; ++k) {
        const ac_high_element *e = &system->high_elements[k];
        for (int i = 0; i < e->order; ++i)
            if (is_folded(s, e->node + i)) return report_fold(s, e->node + i);
    }
    return AC_OK;
}
