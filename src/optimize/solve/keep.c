/* A copy of the point reached, with its mesh and formulation, so that a later solve which fails or is
 * interrupted loses nothing. */
#include <string.h>

#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"

struct ac_kept_point {
    ac_context *ctx;
    int intervals, variables, rows;
    const char *formulation;
    ac_transcription transcription;
    double *numbers; /* x, bound multipliers, row multipliers */
    ac_joint_state *reference;
    ac_optimization_outcome outcome;
};

void ac_kept_point_free(ac_kept_point *kept)
{
    if (!kept) return;
    ac_release(kept->ctx, kept->numbers);
    ac_release(kept->ctx, kept->reference);
    ac_release(kept->ctx, kept);
}

/* The four lists of numbers, to be copied in either direction. */
static void lists_of(const ac_optimization *o, double *lists[4], size_t sizes[4])
{
    double *all[4] = {o->point.x, o->found.at_lower, o->found.at_upper, o->found.multipliers};
    for (int k = 0; k < 4; ++k) {
        lists[k] = all[k];
        sizes[k] = (size_t)(k < 3 ? o->layout.variables : o->layout.rows);
    }
}

ac_status ac_optimization_keep(const ac_optimization *o, ac_kept_point **kept)
{
    *kept = NULL;
    ac_kept_point *k;
    size_t states = o->description.phases ? ac_phases_states(o)
                                          : ((size_t)o->layout.N + 1) * (size_t)o->system->node_count;
    AC_NEW(o->ctx, k, 1);
    *k = (ac_kept_point){.ctx = o->ctx,
                         .intervals = o->layout.N,
                         .variables = o->layout.variables,
                         .rows = o->layout.rows,
                         .formulation = o->settings.formulation,
                         .transcription = o->transcription,
                         .outcome = o->found.outcome};
    k->numbers = ac_allocate(o->ctx, 3 * (size_t)o->layout.variables + (size_t)o->layout.rows + 1,
                             sizeof *k->numbers);
    k->reference = ac_allocate(o->ctx, states, sizeof *k->reference);
    if (!k->numbers || !k->reference) {
        ac_kept_point_free(k);
        return ac_out_of_memory(o->ctx);
    }
    double *lists[4], *to = k->numbers;
    size_t sizes[4];
    lists_of(o, lists, sizes);
    for (int i = 0; i < 4; ++i, to += sizes[i - 1]) memcpy(to, lists[i], sizes[i] * sizeof *to);
    if (o->description.phases) {
        ac_phases_copy_states(o, k->reference, false);
    } else {
        memcpy(k->reference, o->point.reference, states * sizeof *k->reference);
    }
    *kept = k;
    return AC_OK;
}

ac_status ac_optimization_restore_point(ac_optimization *o, const ac_kept_point *kept)
{
    if (o->layout.variables != kept->variables || o->layout.rows != kept->rows)
        return ac_fail(o->ctx, AC_BAD_INPUT, "the point was kept of another problem");
    double *lists[4];
    const double *from = kept->numbers;
    size_t sizes[4];
    lists_of(o, lists, sizes);
    for (int i = 0; i < 4; ++i, from += sizes[i - 1]) memcpy(lists[i], from, sizes[i] * sizeof *from);
    if (o->description.phases) {
        ac_phases_copy_states(o, kept->reference, true);
    } else {
        memcpy(o->point.reference, kept->reference,
               ((size_t)o->layout.N + 1) * (size_t)o->system->node_count * sizeof *kept->reference);
    }
    o->point.fresh = false;
    ac_layout_bound_rows(o);
    ac_evaluate_at(o, o->point.x);
    return AC_OK;
}

ac_status ac_optimization_restore(ac_optimization *o, const ac_kept_point *kept)
{
    bool same = o->layout.ready && o->layout.N == kept->intervals && o->transcription == kept->transcription;
    if (!same) ac_layout_destroy(o);
    o->settings.intervals = kept->intervals;
    o->settings.formulation = kept->formulation;
    o->transcription = kept->transcription;
    if (!same) AC_TRY(ac_optimization_prepare(o));
    AC_TRY(ac_optimization_restore_point(o, kept));
    ac_settle_turns(o);
    o->found.outcome = kept->outcome;
    return AC_OK;
}

const ac_optimization_outcome *ac_kept_outcome(const ac_kept_point *kept)
{
    return &kept->outcome;
}
