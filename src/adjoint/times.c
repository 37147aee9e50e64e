/* The adjoint of steps whose length is an unknown (integrate/extended.h).
 *
 * Such a step has the row E(q_n, q_n+1, h) = E_0 beside p + left = G^T mu, with E = -dL_d/dh and E_0 the energy of the first interval,
 * and t_n+1 = t_n + h. With y = y_1 + eta y_2, w = P y, the multiplier eta of the energy and that of the times, s,
 *   K^T y_1 = P(q_n+1)^T (...) as in sweep.c,   K^T y_2 = P(q_n+1)^T E_b,
 *   eta (E_h + w_2 . left_h) = -(w_1 . left_h + pi . right_h + s_n+1 + J_h)
 * is the variation by h. Left and right have no other terms than the derivatives of L_d, so E_a = -left_h, E_b = -right_h, and E_h = -2 T/h
 * with the kinetic energy T of the interval. The first interval has the weight -sum eta on its energy. Steps without a root have the
 * given length; the last one ends at a given time, so that its length is less where it begins later.
 */
#include "adjoint/times.h"

#include <math.h>
#include <string.h>

#include "adjoint/adjoint.h"
#include "integrate/extended.h"
#include "integrate/reduced.h"

bool ac_adjoint_steps_are_free(const ac_adjoint *d)
{
    return d->times && d->times->found;
}

bool ac_adjoint_times_alike(const ac_adjoint *a, const ac_adjoint *b)
{
    if (!ac_adjoint_steps_are_free(a) || !ac_adjoint_steps_are_free(b))
        return ac_adjoint_steps_are_free(a) == ac_adjoint_steps_are_free(b);
    return a->steps == b->steps &&
           memcmp(a->times->found, b->times->found, (size_t)a->steps * sizeof(bool)) == 0;
}

void ac_adjoint_end_times(ac_adjoint *d)
{
    ac_adjoint_times *x = d->times;
    if (!x) return;
    void *blocks[] = {x->t, x->h, x->found, x->left, x->right, x->y, x->w, x->reduced, x};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(d->ctx, blocks[k]);
    d->times = NULL;
}

/* One step of the counting simulation, and room for it. */
static ac_status note_step(ac_adjoint *d, long *room)
{
    ac_stepper *s = &d->forward;
    ac_adjoint_times *x = d->times;
    const long before = s->extended->found;
    AC_TRY(ac_extended_solve(s));
    if (s->step + 2 > *room) {
        const long more = 2 * *room;
        double *t = ac_allocate(d->ctx, (size_t)more, sizeof *t),
               *h = ac_allocate(d->ctx, (size_t)more, sizeof *h);
        bool *found = ac_allocate(d->ctx, (size_t)more, sizeof *found);
        bool made = t && h && found;
        if (made) {
            memcpy(t, x->t, (size_t)*room * sizeof *t);
            memcpy(h, x->h, (size_t)*room * sizeof *h);
            memcpy(found, x->found, (size_t)*room * sizeof *found);
        }
        ac_release(d->ctx, made ? x->t : t);
        ac_release(d->ctx, made ? x->h : h);
        ac_release(d->ctx, made ? x->found : found);
        if (!made) return ac_out_of_memory(d->ctx);
        x->t = t;
        x->h = h;
        x->found = found;
        *room = more;
    }
    x->h[s->step] = s->h;
    x->t[s->step + 1] = s->end;
    x->found[s->step] = s->extended->found > before;
    ac_stepper_advance(s);
    return AC_OK;
}

ac_status ac_adjoint_find_times(ac_adjoint *d)
{
    ac_stepper *s = &d->forward;
    size_t n = (size_t)d->system->n, freedoms = (size_t)d->system->tree.freedoms + 1;
    long room = d->steps + 2;
    AC_NEW(d->ctx, d->times, 1);
    ac_adjoint_times *x = d->times;
    AC_NEW(d->ctx, x->t, room);
    AC_NEW(d->ctx, x->h, room);
    AC_NEW(d->ctx, x->found, room);
    AC_NEW(d->ctx, x->left, n);
    AC_NEW(d->ctx, x->right, n);
    AC_NEW(d->ctx, x->w, n);
    AC_NEW(d->ctx, x->y, freedoms);
    AC_NEW(d->ctx, x->reduced, freedoms);
    x->until = s->extended->until;
    AC_TRY(ac_stepper_restart(s));
    while (s->t < x->until) AC_TRY(note_step(d, &room));
    d->steps = s->step;
    return AC_OK;
}

void ac_adjoint_begin_times(ac_adjoint *d)
{
    if (d->times) d->times->by_t = d->times->by_energy = 0.0;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}

static void add_to(int n, double factor, const double *x, double *to)
{
    for (int i = 0; i < n; ++i) to[i] += factor * x[i];
}

void ac_adjoint_open_length(ac_adjoint *d, long number, const ac_discrete_point *point)
{
    const ac_functional *f = d->functional;
    ac_adjoint_times *x = d->times;
    x->by_start = x->by_step = 0.0;
    if (f->by_time)
        f->by_time(f->user, number, ac_adjoint_time(d, number), point->h, point->a, point->b, &x->by_start,
                   &x->by_step);
    ac_discrete_by_step(&d->discrete, point, x->left, x->right);
    x->by_step += dot(d->system->n, d->by_p, x->right) + x->by_t;
    x->weight = number == 0 ? x->by_energy : 0.0;
    if (number == 0) add_to(d->system->n, -x->weight, x->right, d->by_q);
}

ac_status ac_adjoint_solve_length(ac_adjoint *d, long number, const ac_discrete_point *point, double *by_b)
{
    ac_adjoint_times *x = d->times;
    ac_stepper *s = &d->backward;
    const int n = d->system->n;
    if (!x->found[number]) return AC_OK;
    for (int i = 0; i < n; ++i) x->w[i] = -x->right[i];
    ac_reduced_project(s, x->w, x->reduced);
    AC_TRY(ac_reduced_solve_transposed(s, x->reduced, x->y));
    ac_reduced_spread(s, x->y, x->w);
    ac_reduced_spread(s, d->workspace.y, d->workspace.w);
    double by_length = -2.0 * ac_interval_kinetic(&s->interval) / point->h + dot(n, x->w, x->left);
    x->weight = -(x->by_step + dot(n, d->workspace.w, x->left)) / by_length;
    if (!isfinite(x->weight))
        return ac_fail(d->ctx, AC_SINGULAR,
                       "step %ld, t = %.9g s: the length of the step does not follow from the energy",
                       number + 1, s->t);
    x->by_energy -= x->weight;
    add_to(d->system->tree.freedoms, x->weight, x->y, d->workspace.y);
    if (by_b) add_to(n, -x->weight, x->right, by_b);
    return AC_OK;
}

void ac_adjoint_take_length(ac_adjoint *d, long number, const ac_discrete_point *point)
{
    ac_adjoint_times *x = d->times;
    const int n = d->system->n;
    if (number == d->steps - 1) x->by_t -= x->by_step + dot(n, d->workspace.w, x->left);
    x->by_t += x->by_start;
    add_to(n, -x->weight, x->left, d->workspace.out_a);
    if (d->parameters.count > 0 && !d->parameters.idle)
        ac_numbers_pull_energy(&d->discrete, point, &d->parameters.varying, x->weight, d->parameters.by);
}
