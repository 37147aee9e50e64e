/* Does a step leave a beam within what its elements can say? Beyond a quarter turn between two nodes it
 * folds over and stretches without limit. That is the mesh and not the material, so a run ends there; and
 * it reports the largest turn, as elements of order 1 yield from an eighth turn on (action/beam/beam_turn.c),
 * and tension that kinks elements (action/beam/beam_kink.c). */
#include <stdio.h>

#include "integrate/stepper.h"
#include "action/beam/beam_trouble.h"
#include "action/beam/beam_turn.h"
#include "math/math.h"

bool ac_stepper_beam_trouble(const ac_stepper *s, char *text, size_t size)
{
    ac_kink worst = s->bends.kink, start = ac_beam_kink(s->system, s->system->initial.q, false),
            now = ac_beam_kink(s->system, s->qa, false);
    now.moves = true;
    if (now.ratio > worst.ratio) worst = now;
    if (start.ratio >= worst.ratio) worst = start;
    char kink[400];
    if (s->scheme->at_mean || start.ratio > 1.0 || !ac_seen_kink_text(s->system, &worst, kink, sizeof kink))
        return ac_beam_trouble(s->system, &worst, true, text, size);
    /* the energy that a scheme gains stretches beams, too */
    snprintf(text, size, "try the energy-momentum scheme or a smaller step; if that does not help: %s", kink);
    return true;
}

/* Keeps the largest tension under which a kink was seen, that of the start included. */
static void watch_tension(ac_stepper *s)
{
    ac_kink kink = ac_beam_kink(s->system, s->qb, true);
    if (!(kink.ratio > s->bends.kink.ratio)) return;
    ac_kink start = ac_beam_kink(s->system, s->system->initial.q, false);
    kink.moves = true;
    s->bends.kink = start.ratio > kink.ratio ? start : kink;
}

ac_status ac_stepper_check_bend(ac_stepper *s)
{
    const ac_node *nodes = s->system->nodes;
    int node;
    char trouble[512];
    double turn = ac_beam_largest_turn(s->system, s->qb, AC_BEAM_DIRECTOR, &node);
    s->bends.yielding = ac_max(s->bends.yielding, turn);
    s->bends.largest = ac_max(s->bends.largest, ac_beam_largest_turn(s->system, s->qb, AC_BEAM_EDGE, NULL));
    if (turn <= ac_beam_fold()) {
        watch_tension(s);
        return AC_OK;
    }
    return ac_fail(
        s->ctx, AC_NOT_CONVERGED,
        "step %ld, t = %.9g s: beam '%s' bends by more than a quarter turn between its nodes '%s' and "
        "'%s', where it resists no longer; %s",
        s->step + 1, s->t, s->system->beams[nodes[node].beam].name, nodes[node].name, nodes[node + 1].name,
        ac_stepper_beam_trouble(s, trouble, sizeof trouble) ? trouble : "give it more elements");
}
