/* Solving: from the description to the programme, through the solver, to the outcome. What its words promise: docs/verdicts.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "actio/simulate.h"
#include "math/math.h"
#include "optimize/judge/conflict.h"
#include "optimize/judge/doubts.h"
#include "optimize/judge/optimality.h"
#include "optimize/judge/reduce.h"
#include "optimize/judge/runaway.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "optimize/solve/conclude.h"
#include "optimize/solve/sizes.h"

static const double LARGE_TURN =
    0.9; /* of local coordinates, rad: beyond it the reference is moved and the solve repeated */
static const double AT_BOUND = 1e-3; /* rad: a turn so near to its bound is held by it */
enum { FAILED_ROUNDS = 5 };          /* so many rounds without a solution are enough */
enum { UNITS_TAKEN = 4 };            /* so often the units of a programme are changed */
/* Where an error is left, the search goes on for some iterations, to a tolerance that is so much smaller. */
static const double SHARP = 0.1, SHARPEST = 1e-15;
enum { LAST = 200 };
/* Times the tolerance: errors that are not the last digits; other units are tried. */
static const double ELSEWHERE = 1e3;

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- callbacks --- */

static bool objective(void *user, const double *x, double *f)
{
    ac_optimization *o = user;
    ac_evaluate_at(o, x);
    *f = ac_evaluate_objective(o, NULL);
    return isfinite(*f);
}

static bool gradient(void *user, const double *x, double *g)
{
    ac_optimization *o = user;
    ac_evaluate_at(o, x);
    ac_evaluate_objective(o, g);
    return true;
}

static bool all_finite(const double *x, int count)
{
    for (int i = 0; i < count; ++i)
        if (!isfinite(x[i])) return false;
    return true;
}

static bool rows(void *user, const double *x, double *c)
{
    ac_optimization *o = user;
    ac_evaluate_at(o, x);
    ac_evaluate_rows(o, c);
    return all_finite(c, o->layout.rows);
}

static bool jacobian(void *user, const double *x, double *values)
{
    ac_optimization *o = user;
    ac_evaluate_at(o, x);
    ac_evaluate_jacobian(o, values);
    return true;
}

static bool hessian(void *user, const double *x, double sigma, const double *mu, double *values)
{
    ac_optimization *o = user;
    ac_evaluate_at(o, x);
    ac_evaluate_hessian(o, sigma, mu, values);
    return true;
}

static bool iterate(void *user, int iteration, double f, double violation, double optimality)
{
    ac_optimization *o = user;
    (void)optimality;
    return !o->found.progress ||
           o->found.progress(o->found.progress_user, o->found.iterations_before + iteration,
                             ac_objective_asked(o, f), violation) == 0;
}

/* --- preparing --- */

static ac_status build_patterns(ac_optimization *o)
{
    AC_TRY(ac_parameters_generic(o, true));
    ac_pattern_begin(&o->layout.jacobian, o->ctx, o->layout.rows);
    ac_evaluate_jacobian(o, NULL);
    AC_TRY(ac_pattern_freeze(&o->layout.jacobian));
    ac_pattern_begin(&o->layout.hessian, o->ctx, o->layout.variables);
    ac_evaluate_hessian(o, 1.0, NULL, NULL);
    AC_TRY(ac_parameters_generic(o, false));
    return ac_pattern_freeze(&o->layout.hessian);
}

/* The whole of several phases: their guesses and patterns first. */
static ac_status prepare_phases(ac_optimization *o)
{
    AC_TRY(ac_guess_put(o));
    ac_evaluate_at(o, o->point.x);
    if (!o->layout.jacobian.frozen) {
        for (int k = 0; k < o->description.phases->count; ++k)
            AC_TRY(build_patterns(o->description.phases->list[k]));
        AC_TRY(build_patterns(o));
        AC_TRY(ac_phases_patterns(o));
    }
    return ac_leave_out_redundant(o);
}

/* Unknowns and equations, with values at the guess; no derivatives yet. */
ac_status ac_optimization_put_guess(ac_optimization *o)
{
    double **simulated[] = {&o->found.adjoint, &o->found.momenta};
    for (int k = 0; k < 2; ++k) {
        ac_release(o->ctx, *simulated[k]);
        *simulated[k] = NULL;
    }
    if (!o->layout.ready) {
        AC_TRY(ac_layout_build(o));
        AC_NEW(o->ctx, o->found.multipliers, o->layout.rows);
        AC_NEW(o->ctx, o->found.at_lower, o->layout.variables);
        AC_NEW(o->ctx, o->found.at_upper, o->layout.variables);
        AC_NEW(o->ctx, o->layout.unit.unknown, o->layout.variables);
        AC_NEW(o->ctx, o->layout.unit.row, o->layout.rows);
        ac_sizes_reset(o);
    }
    if (o->description.phases) return AC_OK;
    AC_TRY(ac_guess_put(o));
    ac_evaluate_at(o, o->point.x);
    ac_guess_stresses(o);
    ac_evaluate_at(o, o->point.x);
    return AC_OK;
}

static ac_status check_scheme(const ac_optimization *o)
{
    if (o->description.discrete.scheme != AC_ENERGY_MOMENTUM) return AC_OK;
    return ac_fail(o->ctx, AC_BAD_INPUT,
                   "the energy-momentum scheme has no discrete action whose conditions could be transcribed; "
                   "solve by shooting, or with midpoint or trapezoidal");
}

ac_status ac_optimization_prepare(ac_optimization *o)
{
    AC_TRY(check_scheme(o));
    AC_TRY(ac_optimization_put_guess(o));
    if (o->description.phases) return prepare_phases(o);
    if (!o->layout.jacobian.frozen) AC_TRY(build_patterns(o));
    AC_TRY(ac_find_spins(o));
    AC_TRY(ac_guess_inverse(o));
    AC_TRY(ac_reduce_dependent(o));
    return ac_leave_out_redundant(o);
}

/* --- outcome --- */

static void count_sizes(ac_optimization *o)
{
    ac_optimization_outcome *out = &o->found.outcome;
    ac_system_size size = ac_system_sizes(o->system);
    int N = o->layout.N, n = o->layout.n, m = size.independent, dof = size.freedoms;
    out->unknowns = out->constraints = 0;
    for (int i = 0; i < o->layout.variables; ++i)
        out->unknowns += o->layout.bounds.lower[i] != o->layout.bounds.upper[i];
    for (int r = 0; r < o->layout.rows; ++r)
        out->constraints += o->layout.bounds.low[r] == o->layout.bounds.high[r];
    out->limits = o->layout.rows - out->constraints;
    if (o->description.phases) return;
    out->full_unknowns = o->layout.charted ? (2 * N + 1) * dof : N * (2 * n + m) + n;
    out->full_constraints = o->layout.charted ? (N + 3) * dof : (N - 1) * (n + m) + 4 * n;
    if (o->layout.by_time) ++out->full_unknowns;
    out->full_unknowns += o->layout.parameters;
}

static void find_worst(ac_optimization *o, double *c)
{
    ac_optimization_outcome *out = &o->found.outcome;
    int worst = -1;
    out->violation = o->found.excess = 0.0;
    ac_evaluate_rows(o, c);
    ac_pose_exactly(o, true);
    for (int r = 0; r < o->layout.rows; ++r) {
        double excess = ac_max(o->layout.bounds.low[r] - c[r], c[r] - o->layout.bounds.high[r]),
               part = excess / o->layout.unit.row[r];
        out->violation = ac_max(out->violation, excess);
        if (!(part > o->found.excess)) continue;
        o->found.excess = part;
        worst = r;
    }
    ac_pose_exactly(o, false);
    snprintf(out->worst, sizeof out->worst, "none");
    if (worst >= 0) ac_row_name(o, worst, out->worst, sizeof out->worst);
}

/* --- rounds --- */

/* The largest middle turn of three, away from its reference; `margin`: the least that one has to its
 * bound. Other turns are not bounded. */
static double largest_turn(const ac_optimization *o, double *margin)
{
    double most = 0.0;
    *margin = INFINITY;
    for (int k = 0; o->description.phases && k < o->description.phases->count; ++k) {
        double own;
        most = ac_max(most, largest_turn(o->description.phases->list[k], &own));
        *margin = ac_min(*margin, own);
    }
    if (o->description.phases) return most;
    if (!o->layout.charted || ac_is_minimal(o)) return most;
    for (int f = 0; f < o->layout.freedoms; ++f) {
        double bound = o->layout.bounds.upper[ac_y(o, 0) + f];
        for (int n = 0; n <= o->layout.N && isfinite(bound); ++n) {
            double turn = fabs(o->point.x[ac_y(o, n) + f]);
            most = ac_max(most, turn);
            *margin = ac_min(*margin, bound - turn);
        }
    }
    return most;
}

/* Whether some three-axis turn has left the neighbourhood of its reference. */
static bool far_from_reference(const ac_optimization *o)
{
    double margin;
    return largest_turn(o, &margin) > LARGE_TURN;
}

/* Whether one cannot go on because of the bound that goes with the reference. */
static bool held_by_reference(const ac_optimization *o)
{
    double margin;
    largest_turn(o, &margin);
    return margin < AT_BOUND;
}

/* Parameters have units of their own: the power of ten of the present value is taken for one. */
static void choose_units(const ac_optimization *o, double *unit)
{
    memcpy(unit, o->layout.unit.unknown, (size_t)o->layout.variables * sizeof *unit);
    for (int i = o->layout.first.parameter; i < o->layout.variables; ++i) {
        double size = fabs(o->point.x[i]);
        unit[i] = size > 0.0 ? ac_pow(10.0, trunc((1.0 + 1e-9) * ac_log10(size))) : 1.0;
    }
}

/* How the solver is called: close to a solution or not, to which tolerance, for how long. */
typedef struct round_kind {
    bool close;
    double tolerance;
    int most;
} round_kind;

static ac_status one_round(ac_optimization *o, const round_kind *kind, ac_nlp_result *result)
{
    bool close = kind->close;
    const ac_nlp nlp = {
        .variables = o->layout.variables,
        .constraints = o->layout.rows,
        .lower = o->layout.bounds.lower,
        .upper = o->layout.bounds.upper,
        .low = o->layout.bounds.low,
        .high = o->layout.bounds.high,
        .jacobian_entries = o->layout.jacobian.entries,
        .hessian_entries = o->layout.hessian.entries,
        .jacobian_row = o->layout.jacobian.row,
        .jacobian_column = o->layout.jacobian.column,
        .hessian_row = o->layout.hessian.row,
        .hessian_column = o->layout.hessian.column,
        .user = o,
        .objective = objective,
        .gradient = gradient,
        .values = rows,
        .jacobian = jacobian,
        .hessian = hessian,
        .iterate = iterate,
    };
    const ac_nlp_options options = {
        .tolerance = kind->tolerance,
        .max_iterations = kind->most,
        .limited_memory = strcmp(o->settings.hessian, "limited-memory") == 0,
        .near_solution = close || o->description.guess.solves_other || o->description.guess.close,
        .small_barrier = close || (o->description.guess.close && !o->description.guess.solves_other),
        .print = o->settings.print,
    };
    double *x = ac_allocate(o->ctx, 2 * (size_t)o->layout.variables, sizeof *x),
           *unit = x + o->layout.variables;
    if (!x) return ac_out_of_memory(o->ctx);
    memcpy(x, o->point.x, (size_t)o->layout.variables * sizeof *x);
    choose_units(o, unit);
    const ac_nlp_units units = {unit, o->layout.unit.row, o->layout.unit.objective};
    ac_status status = ac_nlp_solve_scaled(o->ctx, &nlp, &units, &options, x, o->found.multipliers,
                                           o->found.at_lower, o->found.at_upper, result);
    if (status == AC_OK) ac_evaluate_at(o, x);
    ac_release(o->ctx, x);
    return status;
}

/* Moves the reference until the motion stays near it. A round after a solution begins there and stays
 * close, so that it is short and keeps what was found; when that fails, the next one searches anew. */
static ac_status all_rounds(ac_optimization *o, ac_nlp_result *result)
{
    ac_optimization_outcome *out = &o->found.outcome;
    bool close = false;
    int failed = 0;
    for (int round = 1;; ++round) {
        o->found.iterations_before = out->iterations;
        const round_kind kind = {close, o->settings.tolerance, o->settings.max_iterations};
        AC_TRY(one_round(o, &kind, result));
        out->iterations += result->iterations;
        out->functions_time += result->functions_time;
        out->rounds = round;
        bool solved = result->outcome == AC_NLP_SOLVED || result->outcome == AC_NLP_ACCEPTABLE;
        bool wanted = far_from_reference(o) || (close && !solved);
        failed += !solved;
        if (!wanted || result->outcome == AC_NLP_STOPPED || round >= o->settings.most_rounds ||
            failed >= FAILED_ROUNDS)
            return AC_OK;
        close = solved;
        ac_rebase(o);
        ac_update_near(o);
        ac_evaluate_at(o, o->point.x);
    }
}

/* --- is it an optimum? --- */

static double violation_of(ac_optimization *o, double *c)
{
    find_worst(o, c);
    return o->found.excess;
}

/* Goes on with a smaller barrier and tolerance where Newton steps on what is active do not help, because it is not clear what that is:
 * bounds whose multipliers vanish with the distances to them. What does not lower the error is taken back. */
static ac_status sharpen(ac_optimization *o, double *c, ac_nlp_result *result, ac_optimality *verdict)
{
    ac_optimization_outcome *out = &o->found.outcome;
    ac_kept_point *kept = NULL;
    ac_nlp_result again = {0};
    ac_optimality next = {.error = INFINITY};
    double limit = out->optimality_limit, violation = ac_max(violation_of(o, c), o->settings.tolerance);
    const round_kind kind = {true, ac_max(SHARPEST, SHARP * limit * limit / verdict->error),
                             o->settings.max_iterations < LAST ? o->settings.max_iterations : LAST};
    AC_TRY(ac_optimization_keep(o, &kept));
    o->found.iterations_before = out->iterations;
    ac_status status = one_round(o, &kind, &again);
    out->iterations += again.iterations;
    out->functions_time += again.functions_time;
    if (status == AC_OK) status = ac_judge_first_order(o, o->settings.tolerance, &next);
    if (status == AC_OK) status = ac_polish(o, &next);
    bool better = status == AC_OK && next.error < verdict->error && violation_of(o, c) <= violation;
    if (better) *verdict = next;
    if (status == AC_OK && !better) status = ac_optimization_restore_point(o, kept);
    if (again.outcome == AC_NLP_STOPPED) {
        result->outcome = AC_NLP_STOPPED;
        result->words = again.words;
    }
    ac_kept_point_free(kept);
    return status;
}

/* First order: an error above its limit is lowered, if it can be. */
static ac_status judge_first_order(ac_optimization *o, double *c, ac_nlp_result *result,
                                   ac_optimality *verdict)
{
    double *limit = &o->found.outcome.optimality_limit;
    AC_TRY(ac_judge_first_order(o, INFINITY, verdict));
    *limit = ac_optimality_limit(o, verdict);
    if (verdict->error <= *limit) return AC_OK;
    AC_TRY(ac_judge_first_order(o, *limit, verdict));
    AC_TRY(ac_polish(o, verdict));
    *limit = ac_optimality_limit(o, verdict);
    if (verdict->error <= *limit) return AC_OK;
    AC_TRY(sharpen(o, c, result, verdict));
    *limit = ac_optimality_limit(o, verdict);
    return AC_OK;
}

/* Tests the point reached, whatever the solver says about it; `c` is workspace. A feasible point that
 * satisfies the first-order conditions is solved, one that does not is not. */
static ac_status judge(ac_optimization *o, double *c, ac_nlp_result *result, ac_optimality *verdict)
{
    ac_optimization_outcome *out = &o->found.outcome;
    double tolerance = o->settings.tolerance;
    *verdict = (ac_optimality){.error = INFINITY};
    out->optimality_limit = tolerance;
    bool ended = result->outcome == AC_NLP_SOLVED || result->outcome == AC_NLP_ACCEPTABLE ||
                 result->outcome == AC_NLP_INFEASIBLE; /* at a feasible point: it stalled */
    if (ended && ac_ran_away(o)) {
        result->outcome = AC_NLP_DIVERGED;
        result->words = "the unknowns grew without bound";
        ended = false;
    }
    if (ended && (result->outcome == AC_NLP_SOLVED || violation_of(o, c) <= AC_FEASIBLE * tolerance)) {
        AC_TRY(judge_first_order(o, c, result, verdict));
        bool optimal = verdict->error <= out->optimality_limit;
        if (optimal || result->outcome == AC_NLP_SOLVED)
            result->outcome = optimal ? AC_NLP_SOLVED : AC_NLP_ACCEPTABLE;
        if (optimal) AC_TRY(ac_judge_second_order(o, out->optimality_limit, verdict));
        if (optimal) result->words = "solved: a local optimum to the tolerance";
    }
    out->optimality = verdict->error;
    out->second_order = verdict->second == AC_SECOND_HOLDS ? 1 : verdict->second == AC_SECOND_FAILS ? -1 : 0;
    return AC_OK;
}

/* The point beside a saddle: the motion changes by at most `size` (rad, m), and bounds are kept. */
static void step_aside(ac_optimization *o, const double *saddle, const double *direction, double size)
{
    double most = 0.0;
    for (int i = 0; i < ac_y(o, o->layout.N + 1); ++i) most = ac_max(most, fabs(direction[i]));
    double factor = most > 0.0 ? size / most : size;
    for (int i = 0; i < o->layout.variables; ++i)
        o->point.x[i] = ac_min(o->layout.bounds.upper[i],
                               ac_max(o->layout.bounds.lower[i], saddle[i] + factor * direction[i]));
    o->point.fresh = false;
    ac_evaluate_at(o, o->point.x);
}

/* From a stationary point without the second-order conditions the search goes on along negative curvature,
 * to both sides and further each time. What remains when all of them fail is the stationary point. */
static ac_status leave_saddle(ac_optimization *o, double *c, ac_nlp_result *result, ac_optimality *verdict,
                              ac_ending *end)
{
    static const double sizes[] = {0.1, -0.1, 0.5, -0.5};
    ac_optimization_outcome *out = &o->found.outcome;
    ac_kept_point *kept = NULL;
    double *saddle, *direction = verdict->direction, tried = result->objective;
    bool left = false;
    AC_NEW(o->ctx, saddle, o->layout.variables);
    memcpy(saddle, o->point.x, (size_t)o->layout.variables * sizeof *saddle);
    ac_status status = ac_optimization_keep(o, &kept);
    for (int k = 0; k < 4 && status == AC_OK && !left; ++k) {
        ac_optimality next = {0};
        if (k > 0) status = ac_optimization_restore_point(o, kept);
        if (status != AC_OK) break;
        step_aside(o, saddle, direction, sizes[k]);
        status = all_rounds(o, result);
        if (status == AC_OK) status = judge(o, c, result, &next);
        double gain = tried - ac_evaluate_objective(o, NULL);
        left = result->outcome == AC_NLP_SOLVED && next.second != AC_SECOND_FAILS &&
               gain > o->settings.tolerance * ac_max(o->layout.unit.objective, fabs(tried));
        ac_release(o->ctx, next.direction);
        if (result->outcome == AC_NLP_STOPPED) break;
        violation_of(o, c);
        out->objective = ac_objective_asked(o, ac_evaluate_objective(o, NULL));
        if (!left && ac_seems_unbounded(o, end->first_objective)) {
            end->endless = true;
            end->lowest = out->objective;
            break;
        }
    }
    int iterations = out->iterations, rounds = out->rounds;
    if (status == AC_OK && !left && result->outcome != AC_NLP_STOPPED) {
        status = ac_optimization_restore_point(o, kept);
        result->outcome = AC_NLP_SOLVED; /* but its second order fails */
        out->second_order = -1;
        out->optimality = verdict->error;
    }
    out->iterations = iterations;
    out->rounds = rounds;
    out->saddles_left = left;
    ac_kept_point_free(kept);
    ac_release(o->ctx, saddle);
    return status;
}

/* New units of momenta are those of the objective, too: forces that are large beside one make it large. */
static ac_status take_momenta(ac_optimization *o, bool *taken)
{
    double slope, bend;
    *taken = ac_sizes_take_momenta(o);
    if (!*taken) return AC_OK;
    AC_TRY(ac_objective_size(o, &slope, &bend));
    ac_sizes_take_objective(o, ac_max(slope, bend));
    return AC_OK;
}

/* The rounds and their judgement, in units in which what was found is neither tiny nor huge. */
static ac_status rounds_in_units(ac_optimization *o, double *c, ac_nlp_result *result, ac_optimality *verdict)
{
    bool changed;
    AC_TRY(take_momenta(o, &changed));
    for (int taken = 0;; ++taken) {
        AC_TRY(all_rounds(o, result));
        bool lost = result->outcome == AC_NLP_DIVERGED && ac_fell_endlessly(o), /* units do not help */
            again = taken < UNITS_TAKEN && result->outcome != AC_NLP_STOPPED && !lost;
        if (again) AC_TRY(take_momenta(o, &changed));
        if (again && changed) continue;
        AC_TRY(judge(o, c, result, verdict));
        again = again && verdict->error > ELSEWHERE * o->settings.tolerance &&
                ac_sizes_take_objective(o, verdict->size);
        if (!again) return AC_OK;
        ac_release(o->ctx, verdict->direction);
    }
}

static ac_status solve_and_leave(ac_optimization *o, double *c, ac_nlp_result *result, ac_ending *end)
{
    ac_optimality verdict = {0};
    ac_status status = rounds_in_units(o, c, result, &verdict);
    if (status == AC_OK && verdict.second == AC_SECOND_FAILS) {
        result->objective = ac_evaluate_objective(o, NULL);
        status = leave_saddle(o, c, result, &verdict, end);
    }
    ac_release(o->ctx, verdict.direction);
    return status;
}

/* The rounds and the tests of their result. Conditions that seemed to depend on others, and are not satisfied
 * with them, become equations of their own. */
static ac_status solve_and_judge(ac_optimization *o, double *c, ac_nlp_result *result, ac_ending *end)
{
    AC_TRY(solve_and_leave(o, c, result, end));
    bool alone = ac_has_dependent(o) && result->outcome != AC_NLP_STOPPED &&
                 violation_of(o, c) > AC_FEASIBLE * o->settings.tolerance;
    if (!alone) return AC_OK;
    ac_forget_dependent(o);
    return solve_and_leave(o, c, result, end);
}

/* One solve of the programme that the transcription makes of the problem. */
static ac_status solve_transcribed(ac_optimization *o)
{
    ac_optimization_outcome *out = &o->found.outcome;
    ac_nlp_result result = {0};
    AC_TRY(ac_optimization_prepare(o));
    if (ac_minimised_count(o) == 0 && !o->description.phases)
        return ac_fail(o->ctx, AC_BAD_INPUT, "there is nothing to minimise: no objective is given");
    count_sizes(o);
    ac_search_begins(o);
    ac_ending end = {.first_objective = o->found.first_objective};
    double *c = ac_allocate(o->ctx, (size_t)o->layout.rows + 1, sizeof *c);
    if (!c) return ac_out_of_memory(o->ctx);
    ac_status status = solve_and_judge(o, c, &result, &end);
    if (status != AC_OK) {
        ac_release(o->ctx, c);
        return status;
    }
    end.outcome = result.outcome;
    ac_note_left_out(o);
    end.held = held_by_reference(o);
    find_worst(o, c);
    end.violation = out->violation;
    ac_settle_turns(o);
    find_worst(o, c);
    ac_release(o->ctx, c);
    out->objective = ac_objective_asked(o, ac_evaluate_objective(o, NULL));
    out->duration = ac_optimization_duration(o);
    out->words = result.words;
    return ac_conclude(o, &end);
}

/* What a solve may overwrite: a further one begins at the guess again. */
typedef struct own_guess {
    double *motion, *controls, *velocities, duration, disturbance, *parameters;
    int nodes;
    bool inverse_dynamics, parameters_guessed;
} own_guess;

static ac_status put_aside(ac_optimization *o, own_guess *own)
{
    ac_optimization_description *d = &o->description;
    size_t numbers = (size_t)d->variation.count;
    *own = (own_guess){.motion = d->guess.motion,
                       .controls = d->guess.motion_controls,
                       .velocities = d->guess.motion_velocities,
                       .duration = d->guess.motion_duration,
                       .disturbance = d->guess.disturbance,
                       .nodes = d->guess.motion_nodes,
                       .inverse_dynamics = d->guess.inverse_dynamics,
                       .parameters_guessed = d->guess.has_parameters};
    AC_TRY(ac_guess_room(o));
    AC_NEW(o->ctx, own->parameters, numbers + 1);
    memcpy(own->parameters, d->guess.parameters, numbers * sizeof *own->parameters);
    return AC_OK;
}

static void take_back(ac_optimization *o, const own_guess *own)
{
    ac_optimization_description *d = &o->description;
    if (d->guess.motion != own->motion) {
        ac_release(o->ctx, d->guess.motion);
        ac_release(o->ctx, d->guess.motion_controls);
        ac_release(o->ctx, d->guess.motion_velocities);
    }
    if (own->parameters)
        memcpy(d->guess.parameters, own->parameters, (size_t)d->variation.count * sizeof *own->parameters);
    ac_release(o->ctx, own->parameters);
    d->guess.has_parameters = own->parameters_guessed;
    d->guess.motion = own->motion;
    d->guess.motion_controls = own->controls;
    d->guess.motion_velocities = own->velocities;
    d->guess.motion_duration = own->duration;
    d->guess.motion_nodes = own->nodes;
    d->guess.disturbance = own->disturbance;
    d->guess.inverse_dynamics = own->inverse_dynamics;
    d->guess.solves_other = false;
}

/* The problem, or one of its phases: the motions of a problem. */
static int motions(const ac_optimization *o)
{
    return o->description.phases ? o->description.phases->count : 1;
}

static ac_optimization *motion_of(ac_optimization *o, int k)
{
    return o->description.phases ? o->description.phases->list[k] : o;
}

static void transcribe(ac_optimization *o, ac_transcription transcription)
{
    for (int k = 0; k < motions(o); ++k) motion_of(o, k)->transcription = transcription;
    o->transcription = transcription;
}

static ac_status solve_both(ac_optimization *o)
{
    transcribe(o, AC_REDUCED);
    ac_status status = solve_transcribed(o);
    if (status != AC_OK && (status != AC_NOT_CONVERGED || o->found.endless)) return status;
    for (int k = 0; k < motions(o); ++k) { /* they are put aside */
        ac_optimization_description *d = &motion_of(o, k)->description;
        d->guess.motion = d->guess.motion_controls = d->guess.motion_velocities = NULL;
    }
    o->description.guess.solves_other = status == AC_OK;
    AC_TRY(ac_keep_motion(o));
    transcribe(o, AC_WITH_MULTIPLIERS);
    return solve_transcribed(o);
}

/* Large turns are hard for redundant coordinates, because a linearised step leaves the rotations. So the
 * search is made in local coordinates, and the redundant programme begins where that ends. */
static ac_status solve_reduced_first(ac_optimization *o)
{
    own_guess *own;
    double disturbance = o->description.guess.disturbance, *lengths;
    ac_status status = ac_phases_take_lengths(o, &lengths);
    AC_TRY(status);
    own = ac_allocate(o->ctx, (size_t)motions(o), sizeof *own);
    if (!own) status = ac_out_of_memory(o->ctx);
    for (int k = 0; k < motions(o) && status == AC_OK; ++k) status = put_aside(motion_of(o, k), &own[k]);
    if (status == AC_OK) status = solve_both(o);
    for (int k = 0; own && k < motions(o); ++k)
        if (own[k].parameters) take_back(motion_of(o, k), &own[k]);
    ac_phases_give_lengths(o, lengths);
    o->description.guess.disturbance = disturbance;
    o->description.guess.solves_other = false;
    ac_release(o->ctx, own);
    return status;
}

/* Beams of dual quaternions: what their chart does not know, and steps beyond their stability limit, which no simulation
 * takes. */
static ac_status check_duals(ac_optimization *o)
{
    double limit, h = o->settings.duration / o->settings.intervals;
    ac_chart chart;
    if (o->system->mesh.dual_nodes == 0) return AC_OK;
    ac_status status = ac_chart_create(o->ctx, o->system, &chart);
    bool swings = status == AC_OK && ac_chart_swings_dual(&chart);
    ac_chart_destroy(&chart);
    AC_TRY(status);
    if (swings)
        return ac_fail(o->ctx, AC_BAD_INPUT,
                       "the method transcription does not know beams of dual quaternions that hang on a "
                       "distance joint; use method: shooting");
    if (o->description.phases) return AC_OK; /* meshes of their own */
    AC_TRY(ac_step_limit(o->ctx, o->system, &limit));
    if (h <= limit) return AC_OK;
    return ac_fail(
        o->ctx, AC_BAD_INPUT,
        "the intervals of %.6g s are too long: with beams of dual quaternions they are stable up to "
        "%.6g s here; use at least %.0f intervals",
        h, limit, ceil(o->settings.duration / limit));
}

ac_status ac_optimization_solve(ac_optimization *o, ac_optimization_progress progress, void *user)
{
    ac_optimization_outcome *out = &o->found.outcome;
    double start = clock_now();
    memset(out, 0, sizeof *out);
    o->found.endless = o->found.symmetric = false;
    out->words = "not solved";
    o->found.progress = progress;
    o->found.progress_user = user;
    AC_TRY(check_duals(o));
    AC_TRY(ac_find_conserved(o));
    bool first_reduced = ac_wanted_transcription(o) == AC_WITH_MULTIPLIERS && !o->settings.direct;
    if (first_reduced || o->transcription != ac_wanted_transcription(o)) {
        ac_layout_destroy(o);
        transcribe(o, ac_wanted_transcription(o));
    }
    ac_status status = first_reduced ? solve_reduced_first(o) : solve_transcribed(o);
    out->time = clock_now() - start;
    return status;
}

ac_status ac_optimization_adopt(ac_optimization *o, double objective, int iterations,
                                const double *end_velocity, const char *words)
{
    ac_optimization_outcome *out = &o->found.outcome;
    memset(out, 0, sizeof *out);
    if (o->transcription != AC_REDUCED) {
        ac_layout_destroy(o);
        o->transcription = AC_REDUCED;
    }
    AC_TRY(ac_optimization_put_guess(
        o)); /* derivatives of the transcription are not needed, and would cost more than some runs */
    if (o->layout.first.velocity[1] >= 0 && o->layout.charted) {
        memcpy(o->point.x + o->layout.first.velocity[1], end_velocity,
               (size_t)o->layout.freedoms * sizeof *o->point.x);
        o->point.fresh = false;
        ac_evaluate_at(o, o->point.x);
    }
    count_sizes(o);
    double *c = ac_allocate(o->ctx, (size_t)o->layout.rows + 1, sizeof *c);
    if (!c) return ac_out_of_memory(o->ctx);
    ac_settle_turns(o);
    find_worst(o, c);
    ac_release(o->ctx, c);
    out->objective = ac_objective_asked(o, objective);
    out->duration = o->point.h * o->layout.N;
    out->iterations = iterations;
    out->rounds = 1;
    out->words = words;
    return AC_OK;
}

/* --- what was found --- */

const ac_optimization_outcome *ac_optimization_result(const ac_optimization *o)
{
    return &o->found.outcome;
}

const char *ac_optimization_formulation(const ac_optimization *o)
{
    return o->settings.formulation;
}

int ac_optimization_intervals(const ac_optimization *o)
{
    return o->settings.intervals;
}

int ac_optimization_controls(const ac_optimization *o)
{
    return o->description.control_count;
}

const ac_optimization_settings *ac_optimization_given(const ac_optimization *o)
{
    return &o->settings;
}

const char *ac_optimization_control_name(const ac_optimization *o, int control)
{
    return o->description.controls[control].name;
}

const double *ac_optimization_configuration(const ac_optimization *o, int node)
{
    return ac_q(o, node);
}

const double *ac_optimization_control_values(const ac_optimization *o, int interval)
{
    return o->point.tau + (size_t)interval * (size_t)o->description.discrete.input_count;
}

int ac_optimization_quantities(const ac_optimization *o)
{
    return o->description.quantities.count;
}

const char *ac_optimization_quantity_name(const ac_optimization *o, int quantity)
{
    return o->description.quantities.names[quantity];
}

double ac_optimization_quantity_value(const ac_optimization *o, int quantity, int node)
{
    int scalar = o->description.quantities.scalar[quantity];
    if (scalar < 0) return ac_signal_value(o->description.signals[-1 - scalar], node * o->point.h);
    if (o->description.scalars.list[scalar].motion) return ac_balance_near_node(o, scalar, node);
    double winding =
        o->point.scalar_windings[(size_t)node * (size_t)o->description.scalars.count + (size_t)scalar];
    return ac_scalar_evaluate(&o->description.scalars, scalar, ac_q(o, node), winding, NULL, NULL);
}

const char *ac_optimization_quantity_unit(const ac_optimization *o, int quantity)
{
    return o->description.quantities.units[quantity];
}
