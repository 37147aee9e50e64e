/* Checkpoints of an optimisation: the best motion so far, as the guess of the run that goes on.
 *
 * A point is better if it violates the conditions less, or hardly at all; the objective is a matter of the solver. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "task/checkpoint.h"
#include "task/optimize.h"

static const double SECONDS = 2.0;
static const double HARDLY = 1e-4; /* a violation */

typedef struct motion_head { /* behind it the motion as numbers */
    char mark[8];
    double violation;
} motion_head;

static const char MARK[8] = "motion", CONTROLS_MARK[8] = "shoot";

void ac_checkpoint_motion(ac_optimize_run *run, double violation)
{
    ac_checkpoint *c = run->job->checkpoint;
    motion_head h;
    if (!c) return;
    memset(&h, 0, sizeof h);
    memcpy(h.mark, MARK, sizeof MARK);
    h.violation = violation;
    size_t count = ac_optimization_motion_size(run->o), size = sizeof h + count * sizeof(double);
    double *numbers = ac_allocate(run->job->ctx, count, sizeof *numbers);
    unsigned char *bytes = numbers ? ac_allocate(run->job->ctx, size, 1) : NULL;
    if (bytes) { /* without memory there is no checkpoint */
        ac_optimization_motion(run->o, numbers);
        memcpy(bytes, &h, sizeof h);
        memcpy(bytes + sizeof h, numbers, count * sizeof *numbers);
        ac_checkpoint_write(c, ac_checkpoint_position(c), bytes, size);
    }
    ac_release(run->job->ctx, bytes);
    ac_release(run->job->ctx, numbers);
}

void ac_consider_motion(ac_optimize_run *run, double violation, double now)
{
    const ac_checkpoint *c = run->job->checkpoint;
    bool better = violation <= HARDLY || !(violation > run->least_violation);
    if (!c || !isfinite(violation) || !better || now - c->last < SECONDS) return;
    run->least_violation = violation;
    ac_checkpoint_motion(run, violation);
}

static ac_status use_motion(ac_optimize_run *run, double violation, const double *numbers, size_t count)
{
    AC_TRY(ac_optimization_guess_numbers(run->o, numbers, count));
    if (violation <= HARDLY) ac_optimization_guess_near(run->o, true);
    run->plan.resumed = true;
    run->least_violation = violation;
    ac_summary_note(
        run->job->summary, AC_NOTE_VERDICT,
        "resumed: the search begins with the motion of the checkpoint, whose violation is %.1e, and "
        "may end at another optimum than a search from the guess",
        violation);
    return AC_OK;
}

ac_status ac_resume_motion(ac_optimize_run *run)
{
    const ac_checkpoint *c = run->job->checkpoint;
    motion_head h;
    double *numbers;
    run->least_violation = INFINITY;
    if (!c || !c->found) return AC_OK;
    bool is_motion = c->found_size >= sizeof h;
    if (is_motion) memcpy(&h, c->found, sizeof h);
    if (!is_motion || memcmp(h.mark, MARK, sizeof MARK) != 0)
        return ac_fail(run->job->ctx, AC_BAD_INPUT, "%s: the checkpoint is of another task", c->path);
    size_t count = (c->found_size - sizeof h) / sizeof *numbers;
    AC_NEW(run->job->ctx, numbers, count + 1);
    memcpy(numbers, c->found + sizeof h, count * sizeof *numbers);
    ac_status status = use_motion(run, h.violation, numbers, count);
    ac_release(run->job->ctx, numbers);
    return status;
}

/* --- shooting: the motion follows from the controls --- */

typedef struct
    shooting_head { /* behind it controls, what the search knows, and the history before this iteration */
    char mark[8];
    int intervals, controls, search, history;
    double gradient;
} shooting_head;

static size_t shooting_numbers(const shooting_head *h)
{
    return (size_t)h->intervals * (size_t)h->controls + (size_t)h->search +
           (size_t)h->history * AC_HISTORY_WIDTH;
}

/* Copies numbers and goes on behind them. */
static double *append(double *to, const double *from, size_t count)
{
    if (count > 0) memcpy(to, from, count * sizeof *to);
    return to + count;
}

void ac_consider_controls(ac_optimize_run *run, const ac_shooting_progress *now, bool last)
{
    ac_checkpoint *c = run->job->checkpoint;
    double at = ac_wall_seconds();
    shooting_head h;
    if (!c || (!last && at - c->last < SECONDS && now->iteration > 0)) return;
    memset(&h, 0, sizeof h);
    memcpy(h.mark, CONTROLS_MARK, sizeof CONTROLS_MARK);
    h.intervals = ac_optimization_intervals(run->o);
    h.controls = ac_optimization_controls(run->o);
    h.search = now->search ? now->search_size : 0;
    h.history = now->search ? run->history_count - 1 : 0;
    h.gradient = now->gradient;
    size_t size = sizeof h + shooting_numbers(&h) * sizeof(double);
    double *numbers = ac_allocate(run->job->ctx, shooting_numbers(&h) + 1, sizeof *numbers);
    unsigned char *bytes = numbers ? ac_allocate(run->job->ctx, size, 1) : NULL;
    if (bytes) { /* without memory there is no checkpoint */
        double *next = append(numbers, now->controls, (size_t)h.intervals * (size_t)h.controls);
        next = append(next, now->search, (size_t)h.search);
        append(next, run->history, (size_t)h.history * AC_HISTORY_WIDTH);
        memcpy(bytes, &h, sizeof h);
        memcpy(bytes + sizeof h, numbers, shooting_numbers(&h) * sizeof *numbers);
        ac_checkpoint_write(c, ac_checkpoint_position(c), bytes, size);
    }
    ac_release(run->job->ctx, bytes);
    ac_release(run->job->ctx, numbers);
}

static bool shooting_fits(const ac_optimize_run *run, const ac_checkpoint *c, shooting_head *h)
{
    if (c->found_size < sizeof *h) return false;
    memcpy(h, c->found, sizeof *h);
    return memcmp(h->mark, CONTROLS_MARK, sizeof h->mark) == 0 &&
           h->intervals == ac_optimization_intervals(run->o) &&
           h->controls == ac_optimization_controls(run->o) && h->search >= 0 && h->history >= 0 &&
           c->found_size == sizeof *h + shooting_numbers(h) * sizeof(double);
}

/* What the search knew, and the history so far. */
static ac_status resume_search(ac_optimize_run *run, const shooting_head *h, const unsigned char *numbers)
{
    size_t search = (size_t)h->search * sizeof(double),
           history = (size_t)h->history * AC_HISTORY_WIDTH * sizeof(double);
    if (h->search == 0) return AC_OK;
    AC_NEW(run->job->ctx, run->search, h->search);
    memcpy(run->search, numbers, search);
    run->search_size = h->search;
    AC_TRY(ac_grow(run->job->ctx, (void **)&run->history, &run->history_capacity, h->history + 1,
                   AC_HISTORY_WIDTH * sizeof *run->history));
    if (history > 0) memcpy(run->history, numbers + search, history);
    run->history_count = h->history;
    return AC_OK;
}

ac_status ac_resume_controls(ac_optimize_run *run, double *u)
{
    const ac_checkpoint *c = run->job->checkpoint;
    shooting_head h;
    if (!c || !c->found) return AC_OK;
    if (!shooting_fits(run, c, &h))
        return ac_fail(run->job->ctx, AC_BAD_INPUT, "%s: the checkpoint is of another task", c->path);
    size_t controls = (size_t)h.intervals * (size_t)h.controls * sizeof *u;
    memcpy(u, c->found + sizeof h, controls);
    AC_TRY(resume_search(run, &h, c->found + sizeof h + controls));
    ac_summary_note(run->job->summary, AC_NOTE_CHOICE,
                    "the search begins with the controls of the checkpoint, whose gradient is %.1e",
                    h.gradient);
    return AC_OK;
}
