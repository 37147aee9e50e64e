/* Does a step leave a beam within what its elements can say? Beyond a quarter turn between two nodes it folds over and
 * stretches without limit. That is the mesh and not the material, so a run ends there; and it tells the largest turn, as
 * elements of order 1 yield from an eighth turn on (mechanics/beam_turn.c). */
#include "integrate/stepper.h"
#include "mechanics/beam_turn.h"

ac_status ac_stepper_check_bend(ac_stepper *s)
{
    const ac_node *nodes = s->system->nodes;
    int node;
    double turn = ac_beam_largest_turn(s->system, s->qb, false, &node);
    if (turn > s->largest_bend) s->largest_bend = turn;
    if (turn <= ac_beam_fold()) return AC_OK;
    return ac_fail(
        s->ctx, AC_NOT_CONVERGED,
        "step %ld, t = %.9g s: beam '%s' bends by more than a quarter turn between its nodes '%s' and "
        "'%s', where it resists no longer; give it more elements",
        s->step + 1, s->t, s->system->beams[nodes[node].beam].name, nodes[node].name, nodes[node + 1].name);
}
