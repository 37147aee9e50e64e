/* The re-simulated motion, as a table of its own. */
#include <string.h>

#include "base/base.h"
#include "optimize/plan/replay.h"
#include "task/optimize.h"

typedef struct second_motion {
    const ac_optimize_run *run;
    ac_monitor monitor;
    ac_stream nodes;
} second_motion;

static ac_status open_second(void *user, const ac_stepper *s)
{
    second_motion *second = user;
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.forces = second->run->options->forces;
    AC_TRY(ac_monitor_create(&second->monitor, s, &settings));
    return ac_stream_open(&second->nodes, second->run->job, "resimulated", second->monitor.node_channels,
                          second->monitor.node_count);
}

static ac_status put_second(void *user, ac_stepper *s, bool last)
{
    second_motion *second = user;
    AC_TRY(last ? ac_monitor_last_node(&second->monitor, s, true, second->nodes.row)
                : ac_monitor_node(&second->monitor, s, second->nodes.row));
    return ac_stream_put(&second->nodes);
}

ac_status ac_simulate_again(ac_optimize_run *run)
{
    second_motion second;
    memset(&second, 0, sizeof second);
    second.run = run;
    const ac_replay_observer observer = {&second, open_second, put_second};
    ac_status status = ac_replay_motion(run->o, run->system, run->solved,
                                        run->options->resimulated ? &observer : NULL, &run->again);
    ac_stream_close(&second.nodes);
    ac_monitor_destroy(&second.monitor);
    return status;
}
