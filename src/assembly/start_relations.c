/* Relations of joint coordinates at the start: their rates, which velocities must meet, and their sums, which must be what is
 * prescribed there. */
#include <math.h>
#include <string.h>

#include "assembly/assemble.h"
#include "tree/kinematics.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9;
/* Parts of the typical length, rad, and the same per second, by which a relation may miss what it should be. */
static const double MET = 1e-9;

ac_status ac_assembly_relation_rows(ac_system *system, ac_assembling *w)
{
    size_t n = (size_t)w->n, rows = (size_t)system->relations.count;
    if (rows == 0) return AC_OK;
    double *gradient, *winding;
    AC_NEW(system->ctx, w->relations, rows * n);
    AC_NEW(system->ctx, w->relation_rates, rows);
    AC_NEW(system->ctx, gradient, system->n);
    winding = ac_allocate(system->ctx, (size_t)system->measure_count, sizeof *winding);
    for (size_t k = 0; winding && k < rows; ++k) {
        const ac_relation_data *relation = &system->relations.list[k];
        ac_relation_gradient(system, relation, system->initial.q, winding, gradient);
        ac_tree_project(system, w->columns, system->initial.q, gradient, w->twists, w->relations + k * n);
        w->relation_rates[k] = ac_relation_rate(relation, 0.0);
    }
    ac_release(system->ctx, gradient);
    bool made = winding != NULL;
    ac_release(system->ctx, winding);
    return made ? AC_OK : ac_out_of_memory(system->ctx);
}

/* By how much the velocities of the start miss the rate of a relation. */
static double missed(const ac_system *system, const ac_assembling *w, int relation)
{
    double rate = -w->relation_rates[relation];
    for (int j = 0; j < w->n; ++j)
        rate += w->relations[(size_t)relation * (size_t)w->n + (size_t)j] * system->initial.u[j];
    return rate;
}

bool ac_assembly_relations_met(const ac_system *system, const ac_assembling *w)
{
    for (int k = 0; k < system->relations.count; ++k)
        if (fabs(missed(system, w, k)) > MET * (1.0 + fabs(w->relation_rates[k]))) return false;
    return true;
}

/* How many freedoms the relations take beyond the loops. */
static ac_status find_rank(ac_system *system, ac_assembling *w)
{
    int rows = w->m + system->relations.count;
    size_t n = (size_t)w->n, own = (size_t)w->m * n, more = (size_t)system->relations.count * n;
    ac_row_space space;
    system->initial.relation_rank = system->relations.count;
    if (w->large || w->n > AC_ASSEMBLY_DENSE) return AC_OK;
    double *J, *block;
    int *ints;
    AC_NEW(system->ctx, J, own + more);
    block = ac_allocate(system->ctx, ac_row_space_doubles(rows, w->n), sizeof *block);
    ints = ac_allocate(system->ctx, ac_row_space_ints(rows, w->n), sizeof *ints);
    if (block && ints) {
        if (own > 0) memcpy(J, w->J, own * sizeof *J);
        memcpy(J + own, w->relations, more * sizeof *J);
        ac_row_space_place(&space, rows, w->n, block, ints);
        ac_row_space_factor(&space, J, RANK_TOLERANCE, rows);
        system->initial.relation_rank = space.rank - system->initial.closure_rank;
    }
    bool made = block && ints;
    ac_release(system->ctx, J);
    ac_release(system->ctx, block);
    ac_release(system->ctx, ints);
    return made ? AC_OK : ac_out_of_memory(system->ctx);
}

ac_status ac_assembly_check_relations(ac_system *system, ac_assembling *w)
{
    if (system->relations.count == 0) return AC_OK;
    for (int k = 0; k < system->relations.count; ++k) {
        const ac_relation_data *relation = &system->relations.list[k];
        double gap = missed(system, w, k);
        if (fabs(gap) <= MET * (1.0 + fabs(w->relation_rates[k]))) continue;
        return ac_fail(
            system->ctx, AC_BAD_INPUT,
            "%s '%s' has the rate %.9g at the start, but the joints and the velocities given leave it "
            "%.9g; give less, or what fits",
            relation->kind == AC_RELATION_CONSTANT ? "the coupling" : "the prescribed motion of",
            relation->name, relation->unit * w->relation_rates[k],
            relation->unit * (w->relation_rates[k] + gap));
    }
    return find_rank(system, w);
}

ac_status ac_assembly_relation_sums(ac_system *system)
{
    for (int k = 0; k < system->relations.count; ++k) {
        ac_relation_data *relation = &system->relations.list[k];
        double sum = 0.0, wanted, unit = ac_max(1.0, system->length_scale);
        for (int i = 0; i < relation->count; ++i) {
            double y = system->measures[relation->measures[i]].initial;
            sum += relation->factors[i] * y;
            unit = ac_max(unit, fabs(relation->factors[i]) * (1.0 + fabs(y)));
        }
        bool own = relation->kind == AC_RELATION_RATE ||
                   (relation->kind == AC_RELATION_CONSTANT && !relation->equals_given);
        if (own) relation->equals = sum;
        wanted = relation->kind == AC_RELATION_VALUE ? ac_signal_value(relation->signal, 0.0)
                                                     : relation->equals;
        if (fabs(sum - wanted) <= MET * unit) continue;
        if (relation->kind == AC_RELATION_VALUE)
            return ac_fail(system->ctx, AC_BAD_INPUT,
                           "'%s' is prescribed to be %.9g at the start, but it is %.9g there", relation->name,
                           wanted, sum);
        return ac_fail(
            system->ctx, AC_BAD_INPUT,
            "the coupling '%s' equals %.9g at the start, not %.9g; give coordinates that fit, or leave "
            "equals out",
            relation->name, relation->unit * sum, relation->unit * wanted);
    }
    return AC_OK;
}
