/* Beams at rest under a tension for which their elements are too long: that a state is unstable, or that none is found, is
 * then said of the mesh and not of the beam. */
#include "equilibrium/solver.h"
#include "mechanics/beam_trouble.h"

bool ac_equilibrium_kink(const ac_equilibrium *e, char *text, size_t size)
{
    ac_kink kink = ac_beam_kink(e->system, e->now.q, false);
    return ac_kink_text(e->system, &kink, text, size);
}

const char *ac_rest_advice(const ac_equilibrium *e, const double *q, const char *otherwise,
                           char text[AC_REST_ADVICE])
{
    ac_kink kink = ac_beam_kink(e->system, q, false);
    return ac_beam_trouble(e->system, &kink, text, AC_REST_ADVICE) ? text : otherwise;
}
