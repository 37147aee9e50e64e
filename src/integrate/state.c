/* The state of a stepper as a value.
 *
 * A state is that of a node between two intervals. Where the last interval is solved but not left yet, the
 * state is written as it will be once it is left, so that taking it changes nothing but kept factors.
 */
#include "integrate/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Times that differ by less than this part of a step are equal. */
static const double SAME_TIME = 1e-9;

size_t ac_state_numbers(const ac_state_head *head)
{
    return 3 * (size_t)head->n + (size_t)head->measures + head->history + head->steps;
}

static double *momentum_of(const ac_state *state)
{
    return state->numbers + state->head.n;
}

static double *winding_of(const ac_state *state)
{
    return momentum_of(state) + state->head.n;
}

static double *before_of(const ac_state *state)
{
    return winding_of(state) + state->head.measures;
}

static double *history_of(const ac_state *state)
{
    return before_of(state) + state->head.n;
}

static double *steps_of(const ac_state *state)
{
    return history_of(state) + state->head.history;
}

/* --- making and freeing ------------------------------------------------------------------------------------ */

ac_status ac_state_create(ac_context *ctx, const ac_state_head *head, ac_state **state)
{
    ac_state *made;
    AC_NEW(ctx, made, 1);
    made->ctx = ctx;
    made->head = *head;
    made->numbers = ac_allocate(ctx, ac_state_numbers(head), sizeof *made->numbers);
    if (!made->numbers) {
        ac_state_free(made);
        return ac_out_of_memory(ctx);
    }
    *state = made;
    return AC_OK;
}

void ac_state_free(ac_state *state)
{
    if (!state) return;
    ac_release(state->ctx, state->numbers);
    ac_release(state->ctx, state);
}

ac_status ac_state_copy(const ac_state *from, ac_state *to)
{
    size_t count = ac_state_numbers(&from->head);
    if (count != ac_state_numbers(&to->head) || from->head.n != to->head.n)
        return ac_fail(to->ctx, AC_BAD_INPUT, "a state of %d coordinates cannot be copied into one of %d",
                       from->head.n, to->head.n);
    to->head = from->head;
    memcpy(to->numbers, from->numbers, count * sizeof *to->numbers);
    return AC_OK;
}

/* --- from and into a stepper ------------------------------------------------------------------------------- */

static ac_state_head head_of(const ac_stepper *s, bool solved)
{
    ac_state_head head;
    memset(&head, 0, sizeof head); /* also between the fields: heads are written as they are */
    snprintf(head.scheme, sizeof head.scheme, "%s", s->scheme->name);
    snprintf(head.formulation, sizeof head.formulation, "%s", s->formulation->name);
    head.h = ac_steps_nominal(s);
    head.t0 = s->t0;
    head.step = s->step + (solved ? 1 : 0);
    head.t = ac_steps_time(s, solved, s->t0 + (double)head.step * s->h);
    head.past = solved && s->past < 3 ? s->past + 1 : s->past;
    head.n = s->system->n;
    head.measures = s->system->measure_count;
    head.history = s->formulation->history(s);
    head.steps = ac_steps_history(s);
    head.largest_bend = s->bends.largest;
    head.yielding_bend = s->bends.yielding;
    head.kink.beam = s->bends.kink.beam;
    head.kink.tension = s->bends.kink.tension;
    head.kink.ratio = s->bends.kink.ratio;
    head.kink.full = s->bends.kink.full;
    head.kink.moves = s->bends.kink.moves;
    return head;
}

static void fill(ac_stepper *s, bool solved, ac_state *state)
{
    size_t bytes = (size_t)s->system->n * sizeof(double);
    memcpy(state->numbers, solved ? s->qb : s->qa, bytes);
    memcpy(momentum_of(state), solved ? s->right : s->p, bytes);
    memcpy(winding_of(state), s->winding, (size_t)s->system->measure_count * sizeof(double));
    if (solved) ac_stepper_wind(s, s->qb, winding_of(state));
    memcpy(before_of(state), solved ? s->qa : s->before, bytes);
    s->formulation->save(s, solved, history_of(state));
    ac_steps_save(s, solved, steps_of(state));
}

ac_status ac_stepper_new_state(ac_context *ctx, ac_stepper *s, bool solved, ac_state **state)
{
    ac_state_head head = head_of(s, solved);
    AC_TRY(ac_state_create(ctx, &head, state));
    fill(s, solved, *state);
    return AC_OK;
}

/* AC_BAD_INPUT if the state is one of another system. */
static ac_status check_system(const ac_stepper *s, const ac_state *state)
{
    if (state->head.n == s->system->n && state->head.measures == s->system->measure_count) return AC_OK;
    return ac_fail(s->ctx, AC_BAD_INPUT,
                   "the state has %d coordinates and %d lengths and angles, the system has %d and %d",
                   state->head.n, state->head.measures, s->system->n, s->system->measure_count);
}

ac_status ac_stepper_get_state(ac_stepper *s, bool solved, ac_state *state)
{
    AC_TRY(check_system(s, state));
    ac_state_head head = head_of(s, solved);
    if (head.history != state->head.history)
        return ac_fail(s->ctx, AC_BAD_INPUT, "the state was made for the formulation '%s', not for '%s'",
                       state->head.formulation, head.formulation);
    if (head.steps != state->head.steps)
        return ac_fail(s->ctx, AC_BAD_INPUT,
                       "the state was made for other contacts, or for another kind of step");
    state->head = head;
    fill(s, solved, state);
    return AC_OK;
}

static bool same_intervals(const ac_stepper *s, const ac_state_head *head)
{
    return strcmp(head->scheme, s->scheme->name) == 0 && head->h == ac_steps_nominal(s);
}

static bool same_methods(const ac_stepper *s, const ac_state_head *head)
{
    return same_intervals(s, head) && head->steps == ac_steps_history(s) &&
           strcmp(head->formulation, s->formulation->name) == 0 &&
           head->history == s->formulation->history(s);
}

/* Steps are counted from t = 0, if the time is a whole number of them. */
static void set_time(ac_stepper *s, double t)
{
    s->step = lround(t / s->h);
    if (s->step < 1 && t != 0.0) s->step = 1;
    double rest = t - (double)s->step * s->h;
    s->t0 = fabs(rest) <= SAME_TIME * s->h ? 0.0 : rest;
    s->t = t;
}

ac_status ac_stepper_set_state(ac_stepper *s, const ac_state *state)
{
    const ac_state_head *head = &state->head;
    size_t bytes = (size_t)s->system->n * sizeof(double);
    AC_TRY(check_system(s, state));
    AC_TRY(ac_stepper_restart(s));
    memcpy(s->qa, state->numbers, bytes);
    memcpy(s->qb, state->numbers, bytes);
    memcpy(s->p, momentum_of(state), bytes);
    memcpy(s->winding, winding_of(state), (size_t)s->system->measure_count * sizeof(double));
    memcpy(s->before, before_of(state), bytes);
    s->bends.largest = head->largest_bend;
    s->bends.yielding = head->yielding_bend;
    s->bends.kink = head->kink;
    if (head->past >= 0 && same_methods(s, head)) {
        s->t = head->t;
        s->t0 = head->t0;
        s->step = head->step;
        s->past = head->past;
        s->h_before = s->step > 0 ? s->h : 0.0;
        s->formulation->load(s, history_of(state));
        ac_steps_load(s, steps_of(state));
        return AC_OK;
    }
    set_time(s, head->t);
    s->h_before = s->step > 0 ? s->h : 0.0;
    ac_stepper_wind(s, s->qa, s->winding);
    s->formulation->enter(s);
    bool other = head->past == AC_PAST_OTHER;
    ac_steps_enter(s, head->steps == ac_steps_history(s) ? steps_of(state) : NULL, other,
                   !other && same_intervals(s, head));
    return AC_OK;
}

/* --- for users --------------------------------------------------------------------------------------------- */

double ac_state_time(const ac_state *state)
{
    return state->head.t;
}

int ac_state_size(const ac_state *state)
{
    return state->head.n;
}

const double *ac_state_configuration(const ac_state *state)
{
    return state->numbers;
}

const double *ac_state_momentum(const ac_state *state)
{
    return momentum_of(state);
}

const double *ac_state_winding(const ac_state *state, int *count)
{
    *count = state->head.measures;
    return winding_of(state);
}

ac_status ac_state_put(ac_state *state, double time, const double *configuration, const double *momentum,
                       const double *winding)
{
    const struct {
        const double *from;
        double *to;
        int count;
    } parts[] = {{configuration, state->numbers, state->head.n},
                 {momentum, momentum_of(state), state->head.n},
                 {winding, winding_of(state), state->head.measures}};
    bool finite = isfinite(time);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; parts[k].from && i < parts[k].count; ++i)
            finite = finite && isfinite(parts[k].from[i]);
    if (!finite) return ac_fail(state->ctx, AC_BAD_INPUT, "a number of the state is not finite");
    bool other = state->head.past == AC_PAST_OTHER;
    for (int k = 0; k < 3; ++k) {
        size_t bytes = (size_t)parts[k].count * sizeof(double);
        if (!parts[k].from) continue;
        other = other || (k < 2 && memcmp(parts[k].to, parts[k].from, bytes) != 0);
        memmove(parts[k].to, parts[k].from, bytes);
    }
    state->head.t = time;
    state->head.past = other ? AC_PAST_OTHER : AC_PAST_DROPPED;
    return AC_OK;
}
