/* Rows of adjoint variables, written by a watcher of the sweep backwards. */
#include "task/gradient/kept_impulses.h"

#include "base/base.h"

static void keep_node(void *user, long node, double t, const double *q, const double *by_q,
                      const double *by_p)
{
    ac_kept_impulses *kept = user;
    (void)by_q;
    if (node % kept->stretch != 0 && node != kept->steps) return;
    long row = node == kept->steps ? kept->count - 1 : node / kept->stretch;
    ac_impulses_put(&kept->impulses, t, q, by_p, kept->rows + row * kept->impulses.width);
}

ac_status ac_kept_impulses_open(ac_adjoint *adjoint, ac_kept_impulses *kept)
{
    kept->steps = adjoint->steps;
    kept->stretch = ac_adjoint_stretch(adjoint);
    kept->count = (kept->steps + kept->stretch - 1) / kept->stretch + 1;
    AC_TRY(ac_impulses_create(adjoint->ctx, adjoint->system, &kept->impulses));
    AC_NEW(adjoint->ctx, kept->rows, (size_t)kept->count * (size_t)kept->impulses.width);
    ac_adjoint_watch(adjoint, keep_node, kept);
    return AC_OK;
}

void ac_kept_impulses_close(ac_kept_impulses *kept)
{
    if (kept->impulses.ctx) ac_release(kept->impulses.ctx, kept->rows);
    kept->rows = NULL;
    ac_impulses_destroy(&kept->impulses);
}

const double *ac_kept_impulses_row(const ac_kept_impulses *kept, long row)
{
    return kept->rows && row < kept->count ? kept->rows + row * kept->impulses.width : NULL;
}
