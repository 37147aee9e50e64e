/* The motion found, simulated again under the controls found, and the difference of both.
 *
 * The equation of a step has several solutions when bodies turn far in it, and the simulator, which begins at
 * its own guess, may find another one than the optimisation. So where it leaves the motion found, it is led
 * along: each step begins at the next node of that motion, which shows whether the equations of the simulator
 * hold there. What the simulator does alone, and any difference that remains, is put into words.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "task/optimize.h"

static double largest_difference(size_t n, const double *a, const double *b)
{
    double most = 0.0;
    for (size_t i = 0; i < n; ++i) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* A difference beyond this, in parts of the typical length or rad, is worth a remark. */
static const double SAME = 1e-6;
/* Another solution of a step is so many times further away than the one near the motion found. */
static const double OTHER = 1e3;
/* Turns in one interval beyond this are named as the reason, rad. */
static const double WIDE_TURN = 0.3;

/* The same with places measured by the size of the motion. */
static double relative_difference(const ac_system *system, const double *a, const double *b)
{
    double most = 0.0, size = system->length_scale;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int places = node->dimension;
        for (int c = node->q; c < node->q + places; ++c) size = fmax(size, fabs(b[c]));
    }
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int places = node->dimension;
        for (int c = 0; c < node->size; ++c)
            most = fmax(most, fabs(a[node->q + c] - b[node->q + c]) / (c < places ? size : 1.0));
    }
    return most;
}

/* One way along the motion found, and where the simulator leaves it. */
typedef struct way {
    bool led;        /* each step begins at the next node of the motion found */
    bool recorded;   /* into a table of its own */
    int look_at;     /* a step whose difference is kept; -1: none */
    int left, steps; /* first step that ends elsewhere, from 0 on, -1: none; how many steps could be made */
    double leap, seen, most; /* relative differences: of that step, of the step looked at, the largest */
    double difference;       /* largest in coordinates */
} way;

/* The simulator at the first node, with its momentum. */
static ac_status begin_again(ac_optimize_run *run, bool led, ac_stepper *s)
{
    size_t n = (size_t)run->system->n;
    const double *q = ac_optimization_configuration(run->o, 0), *v0 = ac_optimization_first_velocity(run->o);
    bool drawn = largest_difference(n, q, run->system->q0) <=
                 1e-9; /* else joints are read from coordinates */
    AC_TRY(ac_replay_stepper(run, drawn && !led ? NULL : "null-space", s));
    memcpy(s->winding, ac_optimization_near(run->o, 0),
           (size_t)run->system->measure_count * sizeof *s->winding);
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

static void note_step(const ac_optimize_run *run, const ac_stepper *s, int k, way *w)
{
    const double *q = ac_optimization_configuration(run->o, k + 1);
    double relative = relative_difference(run->system, s->qb, q);
    w->difference = fmax(w->difference, largest_difference((size_t)run->system->n, s->qb, q));
    w->most = fmax(w->most, relative);
    if (k == w->look_at) w->seen = relative;
    if (w->left < 0 && relative > SAME) {
        w->left = k;
        w->leap = relative;
    }
    w->steps = k + 1;
}

static ac_status step_again(ac_optimize_run *run, ac_stepper *s, second_motion *second, way *w)
{
    int N = ac_optimization_intervals(run->o);
    for (int k = 0; k < N; ++k) {
        s->interval.tau = ac_optimization_input_values(run->o, k);
        if (k > 0) ac_stepper_advance(s);
        AC_TRY(w->led ? ac_stepper_solve_near(s, ac_optimization_configuration(run->o, k + 1))
                      : ac_stepper_solve(s));
        AC_TRY(put_second(s, second, false));
        note_step(run, s, k, w);
    }
    return put_second(s, second, true);
}

/* AC_OK even if not all steps could be made. */
static ac_status follow(ac_optimize_run *run, way *w)
{
    ac_stepper s;
    second_motion second;
    memset(&s, 0, sizeof s);
    memset(&second, 0, sizeof second);
    w->left = -1;
    ac_status status = begin_again(run, w->led, &s);
    if (status == AC_OK && w->recorded) status = open_second(run, &s, &second);
    if (status == AC_OK) status = step_again(run, &s, w->recorded ? &second : NULL, w);
    if (status == AC_NOT_CONVERGED || status == AC_SINGULAR) {
        w->difference = NAN; /* nothing to compare with */
        status = AC_OK;
    }
    ac_stream_close(&second.nodes);
    ac_monitor_destroy(&second.monitor);
    ac_stepper_destroy(&s);
    return status;
}

/* ---- in words ---- */

/* The body that turns furthest against what it hangs on, in one interval of the motion found. */
static const ac_node *widest_turn(const ac_optimize_run *run, int interval, double *turn)
{
    const ac_node *widest = NULL;
    *turn = 0.0;
    for (int i = 0; i < run->system->node_count; ++i) {
        const ac_node *node = &run->system->nodes[i];
        ac_joint_state a, b;
        if (ac_node_turns(node) == 0) continue;
        ac_joint_read_state(run->system, node, ac_optimization_configuration(run->o, interval), &a);
        ac_joint_read_state(run->system, node, ac_optimization_configuration(run->o, interval + 1), &b);
        double trace = 0.0;
        for (int k = 0; k < 9; ++k) trace += a.turn[k] * b.turn[k];
        double angle = acos(fmin(1.0, fmax(-1.0, 0.5 * (trace - 1.0))));
        if (angle <= *turn) continue;
        *turn = angle;
        widest = node;
    }
    return widest;
}

/* The simulator alone leaves the motion found in `step`, although that motion satisfies its equations. */
static void tell_other_solution(ac_optimize_run *run, int step, bool stops)
{
    double turn;
    const ac_node *node = widest_turn(run, step, &turn);
    char reason[AC_NODE_WORDS + 80] = "", words[AC_NODE_WORDS];
    if (node && turn > WIDE_TURN && node->joint >= 0)
        snprintf(reason, sizeof reason, ": joint '%s' turns by %.2f rad in one interval",
                 run->system->joints[node->joint].name, turn);
    else if (node && turn > WIDE_TURN)
        snprintf(reason, sizeof reason, ": %s turns by %.2f rad in one interval",
                 ac_node_words(run->system, (int)(node - run->system->nodes), words), turn);
    snprintf(run->remark, sizeof run->remark, "from step %d on the simulator alone %s%s; use more intervals",
             step + 1, stops ? "does not find this motion" : "takes another solution", reason);
}

/* What remains when the simulator is led along the motion found. */
static void tell_rest(ac_optimize_run *run, const way *led)
{
    size_t used = strlen(run->remark);
    char *to = run->remark + used;
    const char *link = used > 0 ? "; " : "";
    if (led->steps < ac_optimization_intervals(run->o)) {
        snprintf(
            to, sizeof run->remark - used,
            "%sthe motion could not be simulated again: the simulator finds no solution near it in step %d",
            link, led->steps + 1);
    } else if (led->most > SAME) {
        snprintf(to, sizeof run->remark - used,
                 "%ssimulated again, the motion is not quite the same: from step %d on it differs, at most "
                 "by %.2g of its size; small errors grow in it, or the tolerance is wide",
                 link, led->left + 1, led->most);
    }
}

/* From the first node with its momentum, by the simulator, under the controls found. */
ac_status ac_simulate_again(ac_optimize_run *run)
{
    bool wanted = run->plan->resimulated;
    int N = ac_optimization_intervals(run->o);
    way alone = {.look_at = -1}, led = {.led = true, .recorded = wanted};
    AC_TRY(follow(run, &alone));
    run->difference = alone.difference;
    bool stops = alone.left < 0 && alone.steps < N;
    if (!run->solved || (alone.left < 0 && !stops)) {
        way again = {.recorded = true, .look_at = -1};
        return wanted ? follow(run, &again) : AC_OK;
    }
    int step = stops ? alone.steps : alone.left;
    led.look_at = step;
    AC_TRY(follow(run, &led));
    run->difference = led.difference;
    if (led.steps > step && (stops || alone.leap > OTHER * led.seen)) tell_other_solution(run, step, stops);
    tell_rest(run, &led);
    return AC_OK;
}
