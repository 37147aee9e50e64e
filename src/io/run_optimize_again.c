/* The motion found, simulated again under the controls found, and the difference of both. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "io/run_optimize.h"

static double largest_difference(size_t n, const double *a, const double *b)
{
    double most = 0.0;
    for (size_t i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* The simulator at the first node, with its momentum. */
static ac_status begin_again(ac_optimize_run *run, ac_stepper *s)
{
    size_t n = (size_t)run->system->n;
    const double *q = ac_optimization_configuration(run->o, 0), *v0 = ac_optimization_first_velocity(run->o);
    bool drawn = largest_difference(n, q, run->system->q0) <=
                 1e-9; /* else joints are read from coordinates */
    AC_TRY(ac_replay_stepper(run, drawn ? NULL : "null-space", s));
    run->interval = 0;
    memcpy(s->memory, ac_optimization_near(run->o, 0),
           (size_t)run->system->measure_count * sizeof *s->memory);
    memcpy(s->qa, q, n * sizeof *q);
    memcpy(s->qb, ac_optimization_configuration(run->o, 1), n * sizeof *q);
    memcpy(s->before, q, n * sizeof *q);
    if (v0) {
        ac_mass_apply(run->system, v0, s->p);
        return AC_OK;
    }
    /* the momentum that starts the motion found */
    s->interval.t = 0.0;
    s->scheme->begin(&s->interval);
    ac_stepper_evaluate(s);
    for (size_t i = 0; i < n; ++i) s->p[i] = -s->left[i];
    return AC_OK;
}

/* The second motion goes into a table of its own, row by row; NULL: it is not wanted. */
typedef struct second_motion {
    ac_monitor monitor;
    ac_stream nodes;
} second_motion;

static ac_status open_second(const ac_optimize_run *run, const ac_stepper *s, second_motion *second)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.forces = run->plan->forces;
    AC_TRY(ac_monitor_create(&second->monitor, s, &settings));
    return ac_stream_open(&second->nodes, run->job, "resimulated", second->monitor.node_channels,
                          second->monitor.node_count);
}

static ac_status put_second(ac_stepper *s, second_motion *second, bool last)
{
    if (!second) return AC_OK;
    AC_TRY(last ? ac_monitor_last_node(&second->monitor, s, true, second->nodes.row)
                : ac_monitor_node(&second->monitor, s, second->nodes.row));
    return ac_stream_put(&second->nodes);
}

static ac_status step_again(ac_optimize_run *run, ac_stepper *s, second_motion *second)
{
    size_t n = (size_t)run->system->n;
    int N = ac_optimization_intervals(run->o);
    for (int k = 0; k < N; ++k) {
        run->interval = k;
        if (k > 0) ac_stepper_advance(s);
        AC_TRY(ac_stepper_solve(s));
        AC_TRY(put_second(s, second, false));
        run->difference = fmax(run->difference,
                               largest_difference(n, s->qb, ac_optimization_configuration(run->o, k + 1)));
    }
    return put_second(s, second, true);
}

/* From the first node with its momentum, by the simulator, under the controls found. */
ac_status ac_simulate_again(ac_optimize_run *run)
{
    ac_stepper s;
    second_motion second;
    memset(&s, 0, sizeof s);
    memset(&second, 0, sizeof second);
    bool wanted = run->plan->resimulated;
    run->difference = 0.0;
    ac_status status = begin_again(run, &s);
    if (status == AC_OK && wanted) status = open_second(run, &s, &second);
    if (status == AC_OK) status = step_again(run, &s, wanted ? &second : NULL);
    if (status == AC_NOT_CONVERGED || status == AC_SINGULAR) {
        run->difference = NAN; /* nothing to compare with */
        status = AC_OK;
    }
    ac_stream_close(&second.nodes);
    ac_monitor_destroy(&second.monitor);
    ac_stepper_destroy(&s);
    return status;
}
