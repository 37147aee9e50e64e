/* The solves of a plan: several starts, formulations, finer meshes; what a failed solve leaves. */
#include <stdio.h>
#include <string.h>

#include "optimize/plan/plan.h"
#include "optimize/plan/replay.h"
#include "optimize/problem/optimization.h"

static const double ASIDE = 0.3; /* disturbance of a guess that is symmetric, in parts */

void ac_optimization_plan_defaults(ac_optimization_plan *plan)
{
    *plan = (ac_optimization_plan){.starts = 1, .seed = 1, .disturbance = 1.0};
}

static int note_iteration(void *user, int iteration, double objective, double violation)
{
    const ac_plan_run *run = user;
    if (!run->hooks.progress) return 0;
    const ac_plan_outcome *out = run->outcome;
    const ac_plan_progress now = {.solving = run->solving,
                                  .on_the_way = run->solving != run->o,
                                  .round = out->rounds,
                                  .rounds = run->plan->starts + run->plan->refine_count + 1,
                                  .iteration = out->iterations + iteration,
                                  .objective = objective,
                                  .violation = violation};
    return run->hooks.progress(run->hooks.user, &now);
}

static ac_status solve_once(ac_plan_run *run, ac_optimization *o)
{
    run->solving = o;
    ac_status status = ac_optimization_solve(o, note_iteration, run);
    const ac_optimization_outcome *solve = ac_optimization_result(o);
    run->outcome->iterations += solve->iterations;
    run->outcome->time += solve->time;
    run->outcome->functions_time += solve->functions_time;
    return status;
}

/* Once more beside a symmetric motion that failed; if that fails, too, the first failure remains. */
static ac_status solve_beside(ac_plan_run *run, ac_optimization *o, const char *message)
{
    ac_kept_point *first = NULL;
    AC_TRY(ac_optimization_keep(o, &first));
    ac_optimization_disturb(o, run->plan->seed, ASIDE);
    ac_status status = solve_once(run, o);
    ac_optimization_disturb(o, run->plan->seed, 0.0);
    run->outcome->beside = run->outcome->beside || status == AC_OK;
    if (status == AC_NOT_CONVERGED) {
        ac_status restored = ac_optimization_restore(o, first);
        status = restored == AC_OK ? ac_fail(run->ctx, AC_NOT_CONVERGED, "%s", message) : restored;
    }
    ac_kept_point_free(first);
    return status;
}

ac_status ac_plan_solve(ac_plan_run *run, ac_optimization *o)
{
    ac_status status = solve_once(run, o);
    if (status != AC_NOT_CONVERGED || !o->found.symmetric || o->description.guess.disturbance > 0.0)
        return status;
    char *message = ac_copy_text(run->ctx, ac_context_message(run->ctx));
    if (!message) return ac_out_of_memory(run->ctx);
    status = solve_beside(run, o, message);
    ac_release(run->ctx, message);
    return status;
}

/* The same guess with the barrier that was not tried; if that fails, too, the first failure remains. */
static ac_status solve_otherwise(ac_plan_run *run, ac_optimization *o, const char *message)
{
    ac_kept_point *first = NULL;
    bool near = ac_optimization_guessed_near(o);
    AC_TRY(ac_optimization_keep(o, &first));
    ac_optimization_guess_near(o, !near);
    ac_status status = ac_plan_solve(run, o);
    ac_optimization_guess_near(o, near);
    if (status == AC_NOT_CONVERGED) {
        ac_status restored = ac_optimization_restore(o, first);
        status = restored == AC_OK ? ac_fail(run->ctx, AC_NOT_CONVERGED, "%s", message) : restored;
    }
    ac_kept_point_free(first);
    return status;
}

ac_status ac_plan_solve_from_similar(ac_plan_run *run, ac_optimization *o)
{
    ac_status status = ac_plan_solve(run, o);
    if (status != AC_NOT_CONVERGED || ac_optimization_result(o)->unknowns == 0) return status;
    char *message = ac_copy_text(run->ctx, ac_context_message(run->ctx));
    if (!message) return ac_out_of_memory(run->ctx);
    status = solve_otherwise(run, o, message);
    ac_release(run->ctx, message);
    return status;
}

/* Keeps the point reached instead of the one kept before. */
static ac_status keep_point(ac_plan_run *run, bool solved)
{
    ac_kept_point *point;
    AC_TRY(ac_optimization_keep(run->o, &point));
    ac_kept_point_free(run->kept);
    run->kept = point;
    run->kept_solved = solved;
    return AC_OK;
}

/* Why a solution is none of the continuous problem; NULL: nothing is known against it. Bodies that turn far in an interval are
 * cheap to move there, so that the lowest of several objectives is often one of these. */
static ac_status find_flaw(const ac_plan_run *run, const char **flaw)
{
    ac_optimization *o = run->o;
    ac_resimulation again;
    int intervals = 0;
    *flaw = NULL;
    AC_TRY(ac_optimization_tight_turns(o, &intervals));
    if (intervals > 0) {
        *flaw = "lies on the limit of turns";
        return AC_OK;
    }
    if (!ac_replay_possible(o) || ac_optimization_parameters(o) > 0) return AC_OK;
    AC_TRY(ac_replay_motion(o, o->system, true, NULL, &again));
    if (!again.alone) *flaw = "is not the one that the simulator finds";
    return AC_OK;
}

/* How much better the present objective is than another one. */
static double gain_over(const ac_plan_run *run, double objective)
{
    double gain = objective - ac_optimization_result(run->o)->objective;
    return ac_optimization_maximises(run->o) ? -gain : gain;
}

/* Notes the best of the starts with a flaw. */
static void note_flawed(ac_plan_run *run, int start, const char *flaw)
{
    ac_plan_outcome *out = run->outcome;
    if (out->passed_start > 0 && !(gain_over(run, out->passed_objective) > 0.0)) return;
    out->passed_start = start;
    out->passed_objective = ac_optimization_result(run->o)->objective;
    out->passed_reason = flaw;
}

/* Keeps the point reached if it is the best of the starts: solved without a flaw and cheap, else solved and cheap, else little
 * violated. */
static ac_status keep_better(ac_plan_run *run, int start, bool solved)
{
    const char *flaw = NULL;
    if (solved) AC_TRY(find_flaw(run, &flaw));
    if (flaw) note_flawed(run, start, flaw);
    const ac_optimization_outcome *now = ac_optimization_result(run->o),
                                  *before = run->kept ? ac_kept_outcome(run->kept) : NULL;
    int rank = solved ? flaw ? 1 : 2 : 0, rank_before = run->kept_solved ? run->kept_sound ? 2 : 1 : 0;
    bool better = !before || rank > rank_before ||
                  (rank == rank_before &&
                   (solved ? gain_over(run, before->objective) > 0.0 : now->violation < before->violation));
    run->outcome->starts_solved += solved;
    if (!better) return AC_OK;
    run->outcome->best_start = start;
    run->kept_sound = !flaw;
    return keep_point(run, solved);
}

/* What was passed over is worth a word only if it is better than what is taken. */
static void settle_passed(ac_plan_run *run)
{
    ac_plan_outcome *out = run->outcome;
    bool passed = out->passed_start > 0 && run->kept_solved && run->kept_sound &&
                  gain_over(run, out->passed_objective) < 0.0;
    if (!passed) out->passed_start = 0;
}

/* A solve that failed or was interrupted leaves the solution that was kept before, and says so. */
static ac_status fall_back(ac_plan_run *run, ac_status status, const char *where)
{
    ac_context *ctx = run->ctx;
    if ((status != AC_NOT_CONVERGED && status != AC_INTERRUPTED) || !run->kept || !run->kept_solved)
        return status;
    char *message = ac_copy_text(ctx, ac_context_message(ctx));
    if (!message) return ac_out_of_memory(ctx);
    ac_status restored = ac_optimization_restore(run->o, run->kept);
    if (restored == AC_OK)
        restored = ac_fail(
            ctx, status, "%s: %s; the solution found before (objective %.8g, %d intervals) is kept", where,
            message, ac_optimization_result(run->o)->objective, ac_optimization_intervals(run->o));
    ac_release(ctx, message);
    return restored;
}

static bool may_go_on(ac_status status)
{
    return status == AC_OK || status == AC_NOT_CONVERGED;
}

/* A problem on the way of the continuation is not the result any more. */
static void forget_reached(ac_plan_run *run)
{
    ac_optimization *on_the_way = run->outcome->reached;
    run->outcome->reached = run->o;
    if (on_the_way != run->o && run->hooks.release) run->hooks.release(run->hooks.user, on_the_way);
}

/* One start: along the continuation, unless it goes on from a motion of an earlier run. */
static ac_status solve_start(ac_plan_run *run, int start)
{
    const ac_optimization_plan *plan = run->plan;
    forget_reached(run);
    if (plan->value_count > 0 && (start > 0 || !plan->resumed)) AC_TRY(ac_plan_continue(run));
    ac_status status = plan->value_count > 0 ? ac_plan_solve_from_similar(run, run->o)
                                             : ac_plan_solve(run, run->o);
    ++run->outcome->rounds;
    return status;
}

/* None is solved: what remains is the best point, or where the last continuation ended. */
static ac_status refuse_starts(ac_plan_run *run)
{
    int starts = run->plan->starts;
    if (!run->kept) {
        char *message = ac_copy_text(run->ctx, ac_context_message(run->ctx));
        if (!message) return ac_out_of_memory(run->ctx);
        ac_fail(run->ctx, AC_NOT_CONVERGED, "none of %d starts was solved; the last: %s", starts, message);
        ac_release(run->ctx, message);
        return AC_NOT_CONVERGED;
    }
    const ac_optimization_outcome *out = ac_optimization_result(run->o);
    return ac_fail(run->ctx, AC_NOT_CONVERGED,
                   "none of %d starts was solved; the best: %s%s%s; largest "
                   "violation %.3g: %s",
                   starts, out->words, out->conflict[0] ? ": " : "", out->conflict, out->violation,
                   out->worst);
}

/* Starts from disturbed guesses; the best point is what remains. */
static ac_status solve_starts(ac_plan_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    ac_status status = AC_OK;
    if (plan->starts <= 1) return solve_start(run, 0);
    for (int k = 0; k < plan->starts && may_go_on(status); ++k) {
        if (k > 0) ac_optimization_disturb(run->o, plan->seed + (unsigned long)k, plan->disturbance);
        status = solve_start(run, k);
        if (may_go_on(status) && run->outcome->reached == run->o)
            AC_TRY(keep_better(run, k + 1, status == AC_OK));
    }
    ac_optimization_disturb(run->o, plan->seed, 0.0);
    if (run->kept && (may_go_on(status) || run->kept_solved)) forget_reached(run);
    if (!may_go_on(status)) {
        status = fall_back(run, status, "further starts");
        settle_passed(run);
        return status;
    }
    if (run->kept) AC_TRY(ac_optimization_restore(run->o, run->kept));
    settle_passed(run);
    return run->kept_solved ? AC_OK : refuse_starts(run);
}

/* Each finer mesh begins with the motion of the one before. */
static ac_status refine(ac_plan_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    ac_status status = AC_OK;
    for (int k = 0; k < plan->refine_count && status == AC_OK; ++k) {
        char where[48];
        snprintf(where, sizeof where, "with %d intervals", plan->refine[k]);
        AC_TRY(keep_point(run, true));
        AC_TRY(ac_optimization_remesh(run->o, plan->refine[k]));
        status = fall_back(run, ac_plan_solve_from_similar(run, run->o), where);
        ++run->outcome->rounds;
    }
    return status;
}

/* In the reduced formulation first, unless that is what the formulation does by itself. */
static ac_status solve_from_reduced(ac_plan_run *run)
{
    const char *wanted = ac_optimization_formulation(run->o);
    bool first = run->plan->reduced_guess && strcmp(wanted, "reduced") != 0 &&
                 strcmp(wanted, "multipliers") != 0;
    if (first) AC_TRY(ac_optimization_reformulate(run->o, "reduced"));
    ac_status status = solve_starts(run);
    if (!first || status != AC_OK) return status;
    AC_TRY(keep_point(run, true));
    AC_TRY(ac_optimization_reformulate(run->o, wanted));
    status = ac_plan_solve(run, run->o);
    ++run->outcome->rounds;
    return fall_back(run, status, wanted);
}

/* An orientation is given by sines of the turn from it, which half turns satisfy too. */
static ac_status check_orientations(const ac_plan_run *run)
{
    for (int k = 0; k < run->plan->orientation_count; ++k) {
        int number = run->plan->orientations[k].node;
        const ac_node *node = &run->system->nodes[number];
        char words[AC_NODE_WORDS];
        bool start = run->plan->orientations[k].at_start;
        const double *q = ac_optimization_configuration(run->o,
                                                        start ? 0 : ac_optimization_intervals(run->o)),
                     *R = run->plan->orientations[k].rotation;
        double trace = 0.0;
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) trace += q[node->q + 3 + 3 * I + i] * R[3 * i + I];
        if (trace < 1.0)
            return ac_fail(run->ctx, AC_NOT_CONVERGED,
                           "%s %s half a turn away from the orientation asked for; give another guess",
                           ac_node_words(run->system, number, words), start ? "starts" : "ends");
    }
    return AC_OK;
}

static ac_status solve_plan(ac_plan_run *run)
{
    const ac_optimization_plan *plan = run->plan;
    if (plan->simulated_guess && !plan->resumed) AC_TRY(ac_plan_simulate_guess(run));
    AC_TRY(solve_from_reduced(run));
    AC_TRY(refine(run));
    return check_orientations(run);
}

ac_status ac_optimization_run_plan(ac_optimization *o, const ac_optimization_plan *plan,
                                   const ac_plan_hooks *hooks, ac_plan_outcome *outcome)
{
    ac_plan_run run = {.ctx = o->ctx, .system = o->system, .o = o, .plan = plan, .outcome = outcome};
    if (hooks) run.hooks = *hooks;
    *outcome = (ac_plan_outcome){.reached = o};
    if (plan->value_count > 0 && !plan->resumed && !run.hooks.problem_at)
        return ac_fail(o->ctx, AC_BAD_INPUT, "a plan with continuation needs the hook problem_at");
    ac_status status = solve_plan(&run);
    ac_kept_point_free(run.kept);
    outcome->solved = status == AC_OK;
    outcome->tried = status != AC_SINGULAR && ac_optimization_result(outcome->reached)->unknowns > 0;
    return status;
}
