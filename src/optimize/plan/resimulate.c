/* The motion found, re-simulated under the controls found, and the difference of both.
 *
 * The equation of a step has several solutions when bodies turn far in it, and the simulator, which begins at
 * its own guess, may find another one than the optimisation. So where it leaves the motion found, it is led
 * along: each step begins at the next node of that motion, which shows whether the equations of the simulator
 * hold there. What the simulator does alone, and any difference that remains, is put into words.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "optimize/plan/replay.h"
#include "actio/simulate.h"
#include "action/inertia.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"

/* One re-simulation: the motion found, and what is written about it. */
typedef struct again_run {
    ac_optimization *o;
    const ac_system *system;
    const ac_replay_observer *observer; /* may be NULL */
    char *remark;                       /* AC_PLAN_REMARK_SIZE characters */
} again_run;

static double largest_difference(size_t n, const double *a, const double *b)
{
    double most = 0.0;
    for (size_t i = 0; i < n; ++i) most = ac_max(most, fabs(a[i] - b[i]));
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
        for (int c = node->q; c < node->q + places; ++c) size = ac_max(size, fabs(b[c]));
    }
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int places = node->dimension;
        for (int c = 0; c < node->size; ++c)
            most = ac_max(most, fabs(a[node->q + c] - b[node->q + c]) / (c < places ? size : 1.0));
    }
    return most;
}

/* One way along the motion found, and where the simulator leaves it. */
typedef struct way {
    bool led;        /* each step begins at the next node of the motion found */
    bool recorded;   /* shown to the observer */
    int look_at;     /* a step whose difference is kept; -1: none */
    int left, steps; /* first step that ends elsewhere, from 0 on, -1: none; how many steps could be made */
    double leap, seen, most; /* relative differences: of that step, of the step looked at, the largest */
    double difference;       /* largest in coordinates */
} way;

ac_status ac_replay_stepper(const ac_optimization *o, const ac_system *system, const char *formulation,
                            ac_stepper *stepper)
{
    ac_simulation_settings settings;
    ac_simulation_defaults(&settings);
    settings.scheme = ac_optimization_scheme(o); /* that of the transcription */
    if (formulation) settings.formulation = formulation;
    settings.step = ac_optimization_duration(o) / ac_optimization_intervals(o);
    stepper->interval.controls = ac_optimization_inputs(o);
    stepper->interval.tau = ac_optimization_input_values(o, 0);
    return ac_stepper_create(stepper, o->ctx, system, &settings);
}

/* The simulator at the first node, with its momentum. */
static ac_status begin_again(const again_run *run, bool led, ac_stepper *s)
{
    size_t n = (size_t)run->system->n;
    const double *q = ac_optimization_configuration(run->o, 0), *v0 = ac_optimization_first_velocity(run->o);
    bool initial = largest_difference(n, q, run->system->initial.q) <=
                   1e-9; /* else joints are read from coordinates */
    bool reduced = (initial && !led) || run->system->mesh.dual_nodes > 0;
    AC_TRY(ac_replay_stepper(run->o, run->system, reduced ? NULL : "null-space", s));
    memcpy(s->winding, ac_optimization_near(run->o, 0),
           (size_t)run->system->measure_count * sizeof *s->winding);
    memcpy(s->qa, q, n * sizeof *q);
    memcpy(s->qb, ac_optimization_configuration(run->o, 1), n * sizeof *q);
    memcpy(s->before, q, n * sizeof *q);
    if (reduced && !initial) s->formulation->enter(s);
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

static ac_status show_node(const again_run *run, ac_stepper *s, const way *w, bool last)
{
    return w->recorded ? run->observer->node(run->observer->user, s, last) : AC_OK;
}

static void note_step(const again_run *run, const ac_stepper *s, int k, way *w)
{
    const double *q = ac_optimization_configuration(run->o, k + 1);
    double relative = relative_difference(run->system, s->qb, q);
    w->difference = ac_max(w->difference, largest_difference((size_t)run->system->n, s->qb, q));
    w->most = ac_max(w->most, relative);
    if (k == w->look_at) w->seen = relative;
    if (w->left < 0 && relative > SAME) {
        w->left = k;
        w->leap = relative;
    }
    w->steps = k + 1;
}

static ac_status step_again(const again_run *run, ac_stepper *s, way *w)
{
    int N = ac_optimization_intervals(run->o);
    for (int k = 0; k < N; ++k) {
        s->interval.tau = ac_optimization_input_values(run->o, k);
        if (k > 0) ac_stepper_advance(s);
        AC_TRY(w->led && run->system->mesh.dual_nodes == 0
                   ? ac_stepper_solve_near(s, ac_optimization_configuration(run->o, k + 1))
                   : ac_stepper_solve(s));
        AC_TRY(show_node(run, s, w, false));
        note_step(run, s, k, w);
    }
    return show_node(run, s, w, true);
}

/* AC_OK even if not all steps could be made. */
static ac_status follow(const again_run *run, way *w)
{
    ac_stepper s;
    memset(&s, 0, sizeof s);
    w->left = -1;
    ac_status status = begin_again(run, w->led, &s);
    if (status == AC_OK && w->recorded) status = run->observer->begin(run->observer->user, &s);
    if (status == AC_OK) status = step_again(run, &s, w);
    if (status == AC_NOT_CONVERGED || status == AC_SINGULAR) {
        w->difference = NAN; /* nothing to compare with */
        status = AC_OK;
    }
    ac_stepper_destroy(&s);
    return status;
}

/* ---- in words ---- */

/* The body that turns furthest against what it hangs on, in one interval of the motion found. */
static const ac_node *widest_turn(const again_run *run, int interval, double *turn)
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
        double angle = ac_acos(ac_min(1.0, ac_max(-1.0, 0.5 * (trace - 1.0))));
        if (angle <= *turn) continue;
        *turn = angle;
        widest = node;
    }
    return widest;
}

/* The simulator alone leaves the motion found in `step`, although that motion satisfies its equations. */
static void tell_other_solution(const again_run *run, int step, bool stops)
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
    snprintf(run->remark, AC_PLAN_REMARK_SIZE, "from step %d on the simulator alone %s%s; use more intervals",
             step + 1, stops ? "does not find this motion" : "takes another solution", reason);
}

/* What remains when the simulator is led along the motion found. */
static void tell_rest(const again_run *run, const way *led)
{
    size_t used = strlen(run->remark);
    char *to = run->remark + used;
    const char *link = used > 0 ? "; " : "";
    if (led->steps < ac_optimization_intervals(run->o)) {
        snprintf(to, AC_PLAN_REMARK_SIZE - used,
                 "%sthe motion could not be re-simulated: the simulator finds no solution near it in step %d",
                 link, led->steps + 1);
    } else if (led->most > SAME) {
        snprintf(to, AC_PLAN_REMARK_SIZE - used,
                 "%sre-simulated, the motion is not quite the same: from step %d on it differs, at most "
                 "by %.2g of its size; small errors grow in it, or the tolerance is wide",
                 link, led->left + 1, led->most);
    }
}

/* Free parameters and a free duration may lead to where beams of dual quaternions are not stable; the simulator makes no such step. */
static ac_status judge_stability(ac_optimization *o, const ac_system *system, bool *stable, char *remark)
{
    double limit, T = ac_optimization_duration(o), h = T / ac_optimization_intervals(o);
    *stable = true;
    AC_TRY(ac_step_limit(o->ctx, system, &limit));
    *stable = h <= limit;
    if (!*stable)
        snprintf(
            remark, AC_PLAN_REMARK_SIZE,
            "the intervals of %.6g s are too long for the solution: its beams of dual quaternions are stable "
            "up to %.6g s, so it is not re-simulated; use at least %.0f intervals",
            h, limit, ceil(T / limit));
    return AC_OK;
}

ac_status ac_replay_motion(ac_optimization *o, const ac_system *system, bool solved,
                           const ac_replay_observer *observer, ac_resimulation *again)
{
    bool stable;
    *again = (ac_resimulation){.difference = NAN};
    AC_TRY(judge_stability(o, system, &stable, again->remark));
    if (!stable) return AC_OK;
    const again_run run = {o, system, observer, again->remark};
    int N = ac_optimization_intervals(o);
    way alone = {.look_at = -1}, led = {.led = true, .recorded = observer != NULL};
    AC_TRY(follow(&run, &alone));
    again->difference = alone.difference;
    again->steps = alone.steps;
    again->alone = alone.steps == N;
    bool stops = alone.left < 0 && alone.steps < N;
    if (!solved || (alone.left < 0 && !stops)) {
        way shown = {.recorded = true, .look_at = -1};
        return observer ? follow(&run, &shown) : AC_OK;
    }
    int step = stops ? alone.steps : alone.left;
    led.look_at = step;
    AC_TRY(follow(&run, &led));
    again->difference = led.difference;
    again->steps = led.steps;
    bool other = led.steps > step && (stops || alone.leap > OTHER * led.seen);
    again->alone = led.steps == N && !other;
    if (other) tell_other_solution(&run, step, stops);
    tell_rest(&run, &led);
    return AC_OK;
}

bool ac_replay_possible(const ac_optimization *o)
{
    const char *formulation = ac_optimization_formulation(o);
    if (ac_optimization_phases(o) > 0) return false; /* what phases hold is unknown to the simulator */
    return strcmp(formulation, "reduced") == 0 || strcmp(formulation, "multipliers") == 0;
}

ac_status ac_optimization_resimulate(ac_optimization *o, const ac_system *system, ac_resimulation *again)
{
    if (!ac_replay_possible(o))
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "the formulation '%s' does not have the dynamics of the simulator; nothing is "
                       "re-simulated",
                       ac_optimization_formulation(o));
    if (!system && ac_optimization_parameters(o) > 0)
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "parameters are free: give the system with the parameters found");
    return ac_replay_motion(o, system ? system : o->system, true, NULL, again);
}
