/* The scheme that is taken by default depends on the system. Where constraint forces act at time nodes, as with midpoint,
 * the joints of long chains and heavily loaded links swing faster than a step can follow, and the motion would grow
 * without bound; energy-momentum has no such limit. One step on trial finds this out. */
#include "observe/choice.h"

#include <string.h>

#include "observe/fastest.h"
#include "observe/simulation.h"

const double ac_most_swing =
    1.4; /* step times frequency; beyond sqrt 2 resonances of order four and three, limit 2 */

static ac_status probe(ac_context *ctx, const ac_system *system, const ac_simulation_settings *settings,
                       ac_fastest *fastest)
{
    ac_simulation *trial = NULL;
    AC_TRY(ac_simulation_new(ctx, system, settings, &trial));
    ac_status status = ac_simulation_step(trial);
    if (status == AC_OK) status = ac_simulation_fastest(trial, fastest);
    ac_simulation_free(trial);
    return status == AC_NO_MEMORY ? status : AC_OK; /* what fails now fails again */
}

ac_status ac_choose_scheme(ac_context *ctx, const ac_system *system, ac_simulation_settings *settings,
                           double *joints)
{
    bool automatic = strcmp(settings->scheme, "auto") == 0 &&
                     strcmp(ac_scheme_for(system, settings->scheme), "midpoint") == 0;
    ac_fastest fastest = {0};
    *joints = 0.0;
    if (automatic && !settings->free_step && system->contact_count == 0 && settings->steps > 0)
        AC_TRY(probe(ctx, system, settings, &fastest));
    if (fastest.joints * settings->step <= ac_most_swing) return AC_OK;
    settings->scheme = "energy-momentum";
    *joints = fastest.joints;
    return AC_OK;
}
