/* The verdict on a tracked motion. A target that is far away is an error of the tracking, which the results show; a joint
 * that is open, or a step without finite numbers, makes the motion none of the mechanism: such a run is not solved. */
#include "task/track/verdict.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/system.h"

static const double REACHED = 0.05; /* of the typical length */
static const double STILL = 1e-9;   /* of the typical length: a target that stands */
static const double PASSED = 0.25;  /* of a jump: worth a remark */
static const double DAMPING = 0.7;  /* of the closed loop of a free body, with the weight that is proposed */

ac_status ac_track_verdict_start(ac_context *ctx, const ac_system *system, int targets, ac_track_verdict *v)
{
    *v = (ac_track_verdict){.joint = -1, .length = system->length_scale};
    AC_NEW(ctx, v->jump, targets + 1);
    AC_NEW(ctx, v->nearest, targets + 1);
    for (int k = 0; k < targets; ++k) v->nearest[k] = INFINITY;
    return AC_OK;
}

void ac_track_verdict_free(ac_context *ctx, ac_track_verdict *v)
{
    ac_release(ctx, v->nearest);
    ac_release(ctx, v->jump);
    v->nearest = NULL;
    v->jump = NULL;
}

void ac_track_verdict_step(ac_track_verdict *v, const ac_track *track, unsigned what)
{
    if (what & AC_TRACK_FAULT && ac_track_counted(track).faults == 1) v->fault_time = ac_track_time(track);
    if (!(what & AC_TRACK_APART) || ac_track_residual(track) <= v->gap) return;
    v->gap = ac_track_residual(track);
    v->gap_time = ac_track_time(track);
    v->joint = ac_track_loosest(track);
}

void ac_track_verdict_error(ac_track_verdict *v, int target, const double place[3], const double error[3])
{
    ac_track_jump *jump = &v->jump[target];
    double gap[3], first = norm3(jump->error);
    v->nearest[target] = ac_min(v->nearest[target], norm3(error));
    sub3(place, jump->place, gap);
    if (!jump->seen || norm3(gap) > STILL * v->length) {
        bool jumps = !jump->seen || norm3(gap) > REACHED * v->length; /* else it moves */
        for (int c = 0; c < 3; ++c) jump->error[c] = jumps ? error[c] : 0.0;
        copy3(place, jump->place);
        jump->seen = true;
    } else if (first > REACHED * v->length) {
        jump->past = ac_max(jump->past, -dot3(error, jump->error) / (first * first));
    }
}

ac_status ac_track_verdict_give(ac_context *ctx, const ac_track_verdict *v, const ac_track *track,
                                const ac_system *system)
{
    ac_track_counts counts = ac_track_counted(track);
    if (counts.apart > 0)
        return ac_fail(
            ctx, AC_NOT_CONVERGED,
            "joint '%s' could not be closed: it is open by %.3g at t = %g s, the widest of %ld steps; "
            "joint_tolerance permits %.3g",
            v->joint < 0 ? "?" : ac_system_joint_name(system, v->joint), v->gap, v->gap_time, counts.apart,
            ac_track_current(track)->joint_tolerance * system->length_scale);
    if (counts.faults > 0)
        return ac_fail(
            ctx, AC_NOT_CONVERGED,
            "%ld steps gave no finite numbers and were not taken, the first at t = %g s: forces or targets "
            "are too large for the step",
            counts.faults, v->fault_time);
    return AC_OK;
}

/* m x'' = -(h e + w v) / (rho0 m) is the closed loop of a free body under the damped controls. */
static void note_past(const ac_track_verdict *v, const ac_track_data *data, const ac_system *system, int k,
                      ac_summary *summary)
{
    const ac_track_settings *s = &data->settings;
    double past = v->jump[k].past, mass = system->nodes[data->targets[k].target.node].mass;
    double weight = 2.0 * DAMPING * mass * sqrt(s->step * s->weights.rho0);
    char proposed[64] = "";
    if (!(past > PASSED)) return;
    if (s->method < AC_TRACK_L2 && s->method != AC_TRACK_SERVO && weight > s->weights.velocity)
        snprintf(proposed, sizeof proposed, ", for a free body about %.2g", weight);
    ac_summary_note(
        summary, AC_NOTE_REMARK,
        "target '%s' jumped, and the motion went past it by %.0f %% of the way: a %svelocity_weight damps%s",
        data->targets[k].name, 100.0 * past, s->weights.velocity > 0.0 ? "larger " : "", proposed);
}

void ac_track_verdict_note(const ac_track_verdict *v, const ac_track_data *data, const ac_system *system,
                           ac_summary *summary)
{
    double least = 0.0;
    for (int k = 0; k < data->target_count; ++k) {
        double nearest = v->nearest[k];
        if (!isfinite(nearest)) continue;
        note_past(v, data, system, k, summary);
        least = ac_max(least, nearest);
        if (nearest > REACHED * system->length_scale)
            ac_summary_note(summary, AC_NOTE_REMARK,
                            "target '%s' was not reached: it was never nearer than %.3g m",
                            data->targets[k].name, nearest);
    }
    ac_summary_add(summary, "error_nearest", least, "m");
}
