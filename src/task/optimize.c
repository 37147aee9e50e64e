/* The task "optimize": solves, writes the motion found as the simulator would, simulates it again with the
 * controls found. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "optimize/plan/replay.h"
#include "problem/build/parameters.h"
#include "optimize/judge/doubts.h"
#include "task/optimize.h"

/* The system with the parameters found is what the motion is written and simulated with. */
static ac_status take_optimum(ac_optimize_run *run)
{
    const ac_problem *shown = run->problem;
    if (ac_optimization_parameters(run->o) == 0 && shown == run->job->problem) return AC_OK;
    if (ac_optimization_parameters(run->o) > 0) {
        AC_TRY(ac_problem_at_optimum(run->problem, &run->optimum));
        shown = run->optimum;
        run->system = ac_problem_system(shown);
    }
    if (!run->job->scene) return AC_OK;
    ac_scene_free(run->job->scene);
    return ac_scene_copy(run->job->ctx, ac_problem_scene_data(shown), run->job->scene);
}

/* Conditions that come from one entry, such as the components of a place, have the same name and are counted. */
static void summarise_multipliers(const ac_optimize_run *run)
{
    for (int k = 0; k < ac_optimization_conditions(run->o); ++k) {
        const char *name = ac_optimization_condition_name(run->o, k);
        char text[96];
        int number = 0, all = 0;
        for (int l = 0; l < ac_optimization_conditions(run->o); ++l) {
            bool same = strcmp(ac_optimization_condition_name(run->o, l), name) == 0;
            all += same;
            number += same && l <= k;
        }
        if (all == 1) {
            snprintf(text, sizeof text, "multiplier of %.40s", name);
        } else {
            snprintf(text, sizeof text, "multiplier of %.40s (%d of %d)", name, number, all);
        }
        double value = ac_optimization_multiplier(run->o, k);
        if (isfinite(value)) ac_summary_add(run->job->summary, text, value, "1"); /* it is unique */
    }
}

/* A duration at one of its bounds; of a phase if it has a name. */
static void note_duration(const ac_optimization *o, const char *phase, ac_summary *summary)
{
    int duration = ac_optimization_tight_duration(o);
    if (duration == 0) return;
    ac_summary_note(summary, AC_NOTE_VERDICT, "the duration%s%s%s is the %s", phase ? " of phase '" : "",
                    phase ? phase : "", phase ? "'" : "",
                    duration < 0 ? "least that is allowed: bound the controls, or give least_duration"
                                 : "most that is allowed: give most_duration");
}

/* Bounds that the user may not have thought of. */
static void note_bounds(const ac_optimize_run *run, ac_summary *summary)
{
    if (run->tight_turns > 0)
        ac_summary_note(summary, AC_NOTE_VERDICT,
                        "the limit of turns is reached in %d %s: use more intervals (or another turn_limit)",
                        run->tight_turns, run->tight_turns == 1 ? "interval" : "intervals");
    note_duration(run->o, NULL, summary);
    for (int k = 0; k < ac_optimization_phases(run->o); ++k)
        note_duration(ac_optimization_phase(run->o, k), ac_optimization_phase_name(run->o, k), summary);
}

/* Conditions that make the motion jump within one interval. */
static void note_jumps(const ac_optimize_run *run, ac_summary *summary)
{
    ac_jumping_condition c;
    for (int k = 0; ac_optimization_jumping(run->o, k, &c); ++k)
        ac_summary_note(
            summary, AC_NOTE_VERDICT,
            "condition '%s' holds at inner nodes, but at the %s%s%s%s it is %.6g instead of %.6g: the motion "
            "must go there within one interval, so the objective depends on their number; let the bound "
            "begin and end where the motion does",
            c.name, c.at_end ? "end" : "start", c.phase ? " of phase '" : "", c.phase ? c.phase : "",
            c.phase ? "'" : "", c.value, c.bound);
}

/* Corners that the motion cuts between nodes. */
static void note_corners(const ac_optimize_run *run, ac_summary *summary)
{
    ac_cut_corner c;
    for (int k = 0; run->solved && ac_optimization_cut_corner(run->o, k, &c); ++k)
        ac_summary_note(
            summary, AC_NOTE_VERDICT,
            "condition '%s' holds at the nodes, but has a kink: on the straight way within interval "
            "%d%s%s%s it is %.6g instead of %.6g; use more intervals, or a bound with room",
            c.name, c.interval + 1, c.phase ? " of phase '" : "", c.phase ? c.phase : "", c.phase ? "'" : "",
            c.value, c.bound);
}

/* Conditions that were no equations of their own. */
static void note_left_out(const ac_optimize_run *run, ac_summary *summary)
{
    enum { NAMED = 3 };
    char names[512] = "", name[128];
    size_t used = 0;
    int count = 0;
    for (; ac_optimization_dependent_name(run->o, count, name); ++count)
        if (count < NAMED)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", count > 0 ? ", " : "", name);
    if (count > NAMED) snprintf(names + used, sizeof names - used, " and more");
    if (count > 0)
        ac_summary_note(summary, AC_NOTE_VERDICT,
                        "%s from the rest of the problem and %s left out of the equations: %s",
                        count == 1 ? "one condition follows" : "some conditions follow",
                        count == 1 ? "is" : "are", names);
}

/* Controls that pass an error on from interval to interval. */
static void note_ringing(const ac_optimize_run *run, ac_summary *summary)
{
    ac_ringing_control c;
    for (int k = 0; run->solved && ac_optimization_ringing(run->o, k, &c); ++k)
        ac_summary_note(
            summary, AC_NOTE_REMARK,
            "control '%s'%s%s%s alternates from interval to interval by %.3g %s about the mean of its "
            "neighbours: what is prescribed leaves it no choice, and the velocity at the start is not that "
            "of "
            "the discrete motion (an error of first order); the mean of two intervals is accurate",
            c.name, c.phase ? " of phase '" : "", c.phase ? c.phase : "", c.phase ? "'" : "", c.size, c.unit);
}

/* Forces of a motion that are not unique. */
static void note_holds(const ac_optimize_run *run, ac_summary *summary)
{
    char text[512];
    if (run->solved && ac_name_dependent_holds(run->o, text, sizeof text) == AC_OK && text[0])
        ac_summary_note(summary, AC_NOTE_VERDICT, "the forces of what is held are not unique: %s", text);
    if (run->solved && ac_name_pulling_hold(run->o, text, sizeof text) == AC_OK)
        ac_summary_note(summary, AC_NOTE_REMARK, "%s", text);
}

/* Which optimality was verified, and to which tolerance. */
static void note_optimality(const ac_optimize_run *run, ac_summary *summary)
{
    const ac_optimization_outcome *out = ac_optimization_result(run->o);
    if (!isfinite(out->optimality)) return;
    bool first = out->optimality <= out->optimality_limit;
    ac_summary_add(summary, "optimality", out->optimality, "1");
    ac_summary_add(summary, "optimality_limit", out->optimality_limit, "1");
    ac_summary_add(summary, "second_order", out->second_order, "1");
    ac_summary_note(summary, AC_NOTE_VERDICT,
                    "%s: first-order conditions %s to %.2g (limit %.2g), second-order conditions %s",
                    run->solved ? "local optimum" : "no optimum", first ? "verified" : "satisfied only",
                    out->optimality, out->optimality_limit,
                    out->second_order > 0   ? "verified"
                    : out->second_order < 0 ? "violated"
                                            : "not decided");
    if (out->saddles_left > 0)
        ac_summary_note(summary, AC_NOTE_VERDICT,
                        "the search first ended at a stationary point that is no optimum, and left it along "
                        "negative curvature");
}

static void summarise_starts(const ac_optimize_run *run)
{
    ac_summary *summary = run->job->summary;
    if (run->plan.outcome.beside)
        ac_summary_note(
            summary, AC_NOTE_VERDICT,
            "the guess is symmetric with respect to a condition in its way, so the search began beside it; "
            "the other side may have another optimum");
    int starts = ac_problem_plan(run->job->problem)->starts;
    if (starts <= 1 || run->options->shooting) return;
    ac_summary_add(summary, "starts", starts, "1");
    ac_summary_add(summary, "starts_solved", run->plan.outcome.starts_solved, "1");
    if (run->plan.outcome.best_start > 0)
        ac_summary_add(summary, "best_start", run->plan.outcome.best_start, "1");
    if (run->plan.outcome.passed_start > 0)
        ac_summary_note(
            summary, AC_NOTE_VERDICT,
            "start %d ended at a better objective, %.8g, but its motion %s: use more intervals; start %d "
            "is taken",
            run->plan.outcome.passed_start, run->plan.outcome.passed_objective,
            run->plan.outcome.passed_reason, run->plan.outcome.best_start);
}

static void summarise(const ac_optimize_run *run)
{
    ac_summary *summary = run->job->summary;
    const ac_optimization_outcome *out = ac_optimization_result(run->o);
    if (isfinite(out->objective)) ac_summary_add(summary, "objective", out->objective, "1");
    ac_summary_add(summary, "duration", out->duration, "s");
    for (int k = 0; k < ac_optimization_parameters(run->o); ++k) {
        char name[AC_NAME_SIZE + 16];
        snprintf(name, sizeof name, "parameter_%s", ac_optimization_parameter_name(run->o, k));
        ac_summary_add(summary, name, ac_optimization_parameter_value(run->o, k), "1");
    }
    if (ac_optimization_phases(run->o) == 0)
        ac_summary_add(summary, "intervals", ac_optimization_intervals(run->o), "1");
    ac_summary_add(summary, "unknowns", out->unknowns, "1");
    ac_summary_add(summary, "constraints", out->constraints, "1");
    ac_summary_add(summary, "limits", out->limits, "1");
    if (out->full_unknowns > 0) {
        ac_summary_add(summary, "full_unknowns", out->full_unknowns, "1");
        ac_summary_add(summary, "full_constraints", out->full_constraints, "1");
    }
    ac_summary_add(summary, "iterations", run->iterations, "1");
    ac_summary_add(summary, "rounds", out->rounds, "1");
    summarise_starts(run);
    ac_summary_add(summary, "violation", out->violation, "1");
    note_optimality(run, summary);
    if (run->tight_turns > 0) ac_summary_add(summary, "turn_limit_intervals", run->tight_turns, "1");
    int tight = ac_optimization_tight_duration(run->o);
    if (tight != 0) ac_summary_add(summary, tight < 0 ? "duration_is_least" : "duration_is_most", 1.0, "1");
    double defect = ac_optimization_momentum_defect(run->o);
    if (isfinite(defect)) ac_summary_add(summary, "momentum_defect", defect, "1");
    ac_summary_add(summary, "work", run->transport.work, "J");
    ac_summarise_phases(run);
    ac_summarise_replays(run);
    if (isfinite(run->again.difference))
        ac_summary_add(summary, "resimulation_error", run->again.difference, "1");
    ac_summary_add(summary, "solve_time",
                   run->options->shooting ? run->shooting_time : run->plan.outcome.time, "s");
    ac_summary_add(summary, "functions_time",
                   run->options->shooting ? out->functions_time : run->plan.outcome.functions_time, "s");
    ac_summary_add(summary, "wall_time", ac_wall_seconds() - run->start, "s");
    summarise_multipliers(run);
    note_bounds(run, summary);
    note_jumps(run, summary);
    note_corners(run, summary);
    note_ringing(run, summary);
    note_left_out(run, summary);
    note_holds(run, summary);
    char across[320];
    ac_summary_add_energy(summary, &run->energy);
    if (ac_energy_across_remark(&run->energy, across, sizeof across))
        ac_summary_note(summary, AC_NOTE_REMARK, "%s", across);
    ac_summary_note(summary, AC_NOTE_REMARK, "%s", run->again.remark);
}

static ac_status write_results(void *user)
{
    ac_optimize_run *run = user;
    AC_TRY(take_optimum(run));
    AC_TRY(ac_write_motion(run));
    AC_TRY(ac_write_phases(run));
    AC_TRY(ac_write_adjoint(run));
    AC_TRY(ac_write_replays(run));
    run->again.difference = NAN;
    if (ac_replay_possible(run->o)) AC_TRY(ac_simulate_again(run));
    AC_TRY(ac_write_history(run));
    AC_TRY(ac_optimization_tight_turns(run->o, &run->tight_turns));
    AC_TRY(ac_optimization_transport(run->o, &run->transport));
    summarise(run);
    return AC_OK;
}

static ac_status solve(ac_optimize_run *run)
{
    if (run->options->shooting) return ac_solve_shooting(run);
    ac_status status = ac_problem_run_plan(&run->plan);
    run->iterations = run->plan.outcome.iterations;
    run->problem = run->plan.reached;
    run->o = run->plan.outcome.reached;
    run->system = ac_problem_system(run->problem);
    return status;
}

static ac_status optimize(ac_optimize_run *run)
{
    if (!run->options->shooting) AC_TRY(ac_resume_motion(run));
    ac_status status = solve(run);
    run->solved = status == AC_OK;
    if (status == AC_INTERRUPTED && run->solving == run->o)
        ac_checkpoint_motion(run, ac_optimization_result(run->o)->violation);
    if (status == AC_SINGULAR || ac_optimization_result(run->o)->unknowns == 0)
        return status; /* it did not come to the solve that was meant */
    return ac_finish_run(run->job->ctx, status, write_results, run);
}

static ac_status run_optimization(const ac_run_job *job)
{
    const ac_optimize_data *data = ac_problem_data(job->problem, &ac_task_optimize);
    ac_optimize_run run = {.job = job,
                           .options = &data->options,
                           .o = data->optimization,
                           .system = ac_problem_system(job->problem),
                           .problem = job->problem};
    run.plan = (ac_problem_plan_run){.problem = job->problem, .user = &run, .progress = ac_note_plan};
    run.start = ac_wall_seconds();
    ac_status status = optimize(&run);
    ac_monitor_destroy(&run.monitor);
    ac_stepper_destroy(&run.stepper);
    ac_problem_free(run.optimum);
    ac_problem_plan_release(&run.plan);
    ac_stream_close(&run.nodes);
    ac_stream_close(&run.intervals);
    ac_release(job->ctx, run.channels[0]);
    ac_release(job->ctx, run.channels[1]);
    ac_release(job->ctx, run.names);
    ac_release(job->ctx, run.shown);
    ac_release(job->ctx, run.holds);
    ac_release(job->ctx, run.history);
    ac_release(job->ctx, run.search);
    for (int k = 0; k < 2; ++k) ac_release(job->ctx, run.replays[k].rows);
    return status;
}

static ac_status finish_optimize(ac_builder *b, const ac_value *section, void *data)
{
    ac_optimize_data *optimize = data;
    return ac_build_optimization(b, section, &optimize->optimization, &optimize->plan, &optimize->options);
}

static void release_optimize(void *data)
{
    ac_optimization_free(((ac_optimize_data *)data)->optimization);
}

const ac_task ac_task_optimize = {
    .name = "optimize",
    .purpose = "optimize",
    .size = sizeof(ac_optimize_data),
    .finish = finish_optimize,
    .release = release_optimize,
    .run = run_optimization,
};
