/* Products of second derivatives where the motion does not fit into memory: the tangent is found with the motion, from checkpoints,
 * and both adjoints go back together through each stretch, so that nothing is kept but that. Every product simulates again.
 */
#include <string.h>

#include "action/inertia.h"
#include "adjoint/second/second.h"

/* dq and dp at a checkpoint, or at the present node behind them. */
static double *kept(const ac_second *s, int checkpoint)
{
    return s->memory.kept + 2 * (size_t)checkpoint * (size_t)s->d->system->n;
}

static double *present(const ac_second *s)
{
    return kept(s, s->d->checkpoint_count);
}

static void copy(const ac_second *s, const double *from, double *to)
{
    memcpy(to, from, 2 * (size_t)s->d->system->n * sizeof *to);
}

static void keep(void *user, int checkpoint)
{
    const ac_second *s = user;
    copy(s, present(s), kept(s, checkpoint));
}

static void go_back(void *user, int checkpoint)
{
    ac_second *s = user;
    copy(s, kept(s, checkpoint), present(s));
    s->memory.storing = false;
}

/* The present node becomes the first row. */
static void put_first(ac_second *s)
{
    const size_t n = (size_t)s->d->system->n;
    s->memory.base = s->d->forward.step;
    ac_second_store(s, 0);
    memcpy(s->dq, present(s), n * sizeof *s->dq);
    memcpy(s->dp, present(s) + n, n * sizeof *s->dp);
}

static void begin(void *user, long first)
{
    ac_second *s = user;
    (void)first;
    s->memory.storing = true;
    put_first(s);
}

static void before_step(void *user)
{
    ac_second *s = user;
    if (!s->memory.storing) put_first(s);
}

static ac_status after_step(void *user)
{
    ac_second *s = user;
    const size_t n = (size_t)s->d->system->n;
    const long row = s->d->forward.step - s->memory.base;
    ac_second_store(s, row);
    AC_TRY(ac_second_follow_interval(s, s->d->forward.step - 1, 0, false));
    memcpy(present(s), s->dq + (size_t)row * n, n * sizeof *s->dq);
    memcpy(present(s) + n, s->dp + (size_t)row * n, n * sizeof *s->dp);
    return AC_OK;
}

static ac_status sweep(void *user, long first, long count)
{
    ac_second *s = user;
    if (first + count == s->d->steps) ac_second_begin_back(s);
    for (long k = first + count - 1; k >= first; --k) AC_TRY(ac_second_back(s, k));
    return AC_OK;
}

ac_status ac_second_multiply_limited(ac_second *s)
{
    const size_t n = (size_t)s->d->system->n;
    const ac_follower follower = {s, begin, before_step, after_step, keep, go_back, sweep};
    ac_second_begin_tangent(s, present(s), present(s) + n);
    s->memory.storing = false;
    ac_status status = ac_adjoint_sweep_with(s->d, &follower, s->memory.room);
    s->memory.base = 0;
    ac_mass_apply(s->d->system, s->by_p, s->velocity);
    ac_second_begin_tangent(s, s->vectors[0], s->vectors[1]);
    for (size_t i = 0; i < n; ++i) s->slope += s->by_q[i] * s->vectors[0][i] + s->by_p[i] * s->vectors[1][i];
    return status;
}
