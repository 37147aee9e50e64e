/* Values of an objective along a motion: its functional is that of the adjoint, at nodes and on intervals as they pass. */
#include "adjoint/following.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static ac_status create(ac_optimization *o, double until, ac_following *f)
{
    ac_adjoint *d = f->adjoint;
    d->ctx = o->ctx;
    d->system = o->system;
    d->h = until;
    d->steps = LONG_MAX; /* the last node is not known yet */
    d->escort = ac_objective_escort(o);
    AC_NEW(d->ctx, d->stored.escort, 2 * (size_t)d->escort.count + 1);
    f->escort = d->stored.escort;
    AC_NEW(d->ctx, d->times, 1);
    AC_NEW(d->ctx, d->times->t, 2);
    AC_NEW(d->ctx, d->times->h, 1);
    d->times->until = until;
    AC_TRY(ac_legendre_create(d->ctx, d->system, true, &d->legendre));
    AC_TRY(ac_objective_open(o, d, &f->objective));
    f->objective.sign = ac_optimization_maximises(o) ? -1.0 : 1.0;
    return AC_OK;
}

ac_status ac_following_open(ac_optimization *o, double until, ac_following *f)
{
    *f = (ac_following){.value = 0.0};
    AC_NEW(o->ctx, f->adjoint, 1);
    f->adjoint->ctx = o->ctx;
    ac_status status = create(o, until, f);
    if (status != AC_OK) ac_following_close(f);
    return status;
}

void ac_following_close(ac_following *f)
{
    if (!f->adjoint) return;
    ac_objective_close(&f->objective);
    ac_adjoint_free(f->adjoint);
    f->adjoint = NULL;
}

static void take_node(ac_following *f, long node, double t, const double *q, const double *p)
{
    const ac_functional *functional = &f->objective.functional;
    f->value += functional->node(functional->user, node, t, q, p, NULL, NULL);
}

void ac_following_begin(ac_following *f, const double *q, const double *p, const double *winding)
{
    const ac_escort *escort = &f->adjoint->escort;
    f->value = 0.0;
    f->adjoint->stored.first = f->adjoint->times->first = 0;
    escort->pass(escort->user, q, winding, NULL, f->escort);
    take_node(f, 0, 0.0, q, p);
}

void ac_following_pass(ac_following *f, double t, double h, const double *a, const double *b,
                       const double *winding)
{
    const ac_functional *functional = &f->objective.functional;
    const ac_escort *escort = &f->adjoint->escort;
    ac_adjoint_times *times = f->adjoint->times;
    double *next = f->escort + escort->count;
    times->t[0] = t;
    times->t[1] = t + h;
    times->h[0] = h;
    escort->pass(escort->user, b, winding, f->escort, next);
    f->value += functional->interval(functional->user, times->first, t, h, a, b, NULL, NULL, NULL, NULL);
    memmove(f->escort, next, (size_t)escort->count * sizeof *next);
    f->adjoint->stored.first = ++times->first;
}

ac_status ac_following_end(ac_following *f, const double *b, const double *p, double *value)
{
    ac_adjoint *d = f->adjoint;
    d->steps = d->times->first;
    take_node(f, d->steps, d->times->until, b, p);
    d->steps = LONG_MAX;
    *value = f->value;
    return f->objective.status;
}

size_t ac_following_bytes(const ac_following *f)
{
    return f->adjoint ? (2 + (size_t)f->adjoint->escort.count) * sizeof(double) : 0;
}

void ac_following_save(const ac_following *f, unsigned char *bytes)
{
    if (!f->adjoint) return;
    const double head[2] = {f->value, (double)f->adjoint->times->first};
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + sizeof head, f->escort, ac_following_bytes(f) - sizeof head);
}

void ac_following_load(ac_following *f, const unsigned char *bytes)
{
    double head[2];
    if (!f->adjoint) return;
    memcpy(head, bytes, sizeof head);
    memcpy(f->escort, bytes + sizeof head, ac_following_bytes(f) - sizeof head);
    f->value = head[0];
    f->adjoint->stored.first = f->adjoint->times->first = (long)head[1];
}
