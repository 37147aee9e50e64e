/* Beams in equilibrium under a tension for which their elements are too long: that a state is unstable, or that
 * none is found, is then said of the mesh and not of the beam. How many elements are enough is stated for
 * the full load: a count for the load at which the search ends would only bring it a little further. */

#include "equilibrium/solver.h"
#include "action/beam/beam_trouble.h"
#include "action/beam/beam_turn.h"
#include "math/math.h"

/* Beams that bend less between two nodes show no softness, rad. */
static const double BENT = 1e-2;

/* What the tension grows by from a state on if the load does from there to this factor: by a line through
 * that and the initial state. */
static double growth(const ac_equilibrium *e, const ac_kink *kink, double from, double to)
{
    ac_kink initial = ac_beam_kink(e->system, e->system->initial.q, false);
    double start = initial.beam == kink->beam ? ac_min(initial.ratio, kink->ratio) : 0.0;
    if (e->settings.follow || !(kink->ratio > 0.0) || !(from > 0.0) || !(to > from)) return 1.0;
    return 1.0 + (kink->ratio - start) / kink->ratio * (to - from) / from;
}

static ac_kink kink_at(const ac_equilibrium *e, const double *q, double factor)
{
    ac_kink kink = ac_beam_kink(e->system, q, false);
    kink.full = growth(e, &kink, factor, 1.0);
    return kink;
}

bool ac_equilibrium_kink(const ac_equilibrium *e, char *text, size_t size)
{
    char unread[1];
    if (!text || size == 0) {
        text = unread;
        size = sizeof unread;
    }
    ac_kink kink = kink_at(e, e->now.q, e->now.factor);
    if (kink.ratio > 1.0) return ac_kink_text(e->system, &kink, text, size);
    *text = '\0';
    if (kink.beam < 0) return false;
    bool dual = e->system->beams[kink.beam].model == AC_BEAM_DUAL_QUATERNION; /* such beams are alone */
    ac_beam_model last = dual ? AC_BEAM_DUAL_QUATERNION : AC_BEAM_VERTEX;
    return ac_beam_largest_turn(e->system, e->now.q, last, NULL) > BENT &&
           ac_near_kink_text(e->system, &kink, text, size);
}

/* A search that fails leaves beams anyhow: the last state that was found, in `other`, says more. */
static bool goes_to_kink(const ac_equilibrium *e, ac_kink *kink)
{
    if (e->settings.follow) return false;
    *kink = kink_at(e, e->other.q, e->other.factor);
    return kink->ratio * growth(e, kink, e->other.factor, e->now.factor) > 1.0;
}

const char *ac_equilibrium_advice(const ac_equilibrium *e, const double *q, const char *otherwise,
                                  char text[AC_REST_ADVICE])
{
    ac_kink kink;
    if (!goes_to_kink(
            e,
            &kink)) { /* where a failed search stands, forces are no tensions, if there is a better state */
        const bool lost = q == e->now.q && !e->settings.follow && e->other.factor > 0.0;
        kink = lost ? (ac_kink){.beam = -1} : ac_beam_kink(e->system, q, false);
    }
    return ac_beam_trouble(e->system, &kink, false, text, AC_REST_ADVICE) ? text : otherwise;
}
