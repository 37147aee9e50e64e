/* The programme of several phases: unknowns and rows of the phases one after another, then those of the junctions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "optimize/phases/phases.h"

/* --- layout --- */

static ac_status allocate_lists(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    AC_NEW(o->ctx, p->first_variable, p->count + 1);
    AC_NEW(o->ctx, p->first_row, p->count + 1);
    AC_NEW(o->ctx, p->jacobian_entry, p->count);
    AC_NEW(o->ctx, p->hessian_entry, p->count);
    AC_NEW(o->ctx, p->work, ac_junction_doubles(o));
    return AC_OK;
}

/* Unknowns of a phase without the parameters, which stand behind them. */
static int own_unknowns(const ac_optimization *phase)
{
    return phase->layout.first.parameter;
}

int ac_phases_unknown(const ac_optimization *o, int k, int i)
{
    const ac_phases *p = o->description.phases;
    int own = own_unknowns(p->list[k]);
    return i < own ? p->first_variable[k] + i : o->layout.first.parameter + i - own;
}

/* The unknowns of a phase, from those of the whole. */
static void take_unknowns(const ac_optimization *o, int k)
{
    const ac_optimization *phase = o->description.phases->list[k];
    int own = own_unknowns(phase);
    memcpy(phase->point.x, o->point.x + o->description.phases->first_variable[k],
           (size_t)own * sizeof *o->point.x);
    memcpy(phase->point.x + own, o->point.x + o->layout.first.parameter,
           (size_t)o->layout.parameters * sizeof *o->point.x);
}

void ac_phases_give_unknowns(ac_optimization *o, int k)
{
    const ac_optimization *phase = o->description.phases->list[k];
    int own = own_unknowns(phase);
    memcpy(o->point.x + o->description.phases->first_variable[k], phase->point.x,
           (size_t)own * sizeof *o->point.x);
    memcpy(o->point.x + o->layout.first.parameter, phase->point.x + own,
           (size_t)o->layout.parameters * sizeof *o->point.x);
}

/* Unknowns and rows at the end of compression. */
static void place_compression(ac_optimization *o, ac_junction_data *j, int width)
{
    if (!ac_has_compression(j)) return;
    j->ended = o->layout.variables;
    j->pressures = j->ended + width;
    o->layout.variables += width + j->strikes - j->along_count;
    j->compressions = o->layout.rows;
    o->layout.rows += width;
    j->rate_count += j->strikes - j->along_count;
}

static void place_junctions(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    for (int k = 0; k < p->junction_count; ++k) {
        ac_junction_data *j = &p->junctions[k];
        const ac_optimization *next = p->list[j->to];
        int width = next->layout.width, bounces = j->bounce_count + j->along_count;
        j->length = j->shift ? o->layout.variables++ : -1;
        j->impulses = o->layout.variables;
        j->impulse_count = next->description.phase.hold_count + bounces;
        j->strikes = j->impulse_count + next->layout.used_constraints;
        j->restitutions = j->impulses + j->strikes;
        o->layout.variables += j->strikes + j->lossy_count;
        j->places = o->layout.rows;
        j->jumps = j->places + width;
        o->layout.rows += 2 * width;
        j->rate_count = bounces + j->lossy_count;
        place_compression(o, j, width);
        j->rates = o->layout.rows;
        o->layout.rows += j->rate_count;
    }
}

static ac_status check(const ac_optimization *o)
{
    const ac_phases *p = o->description.phases;
    int objectives = 0;
    for (int k = 0; k < p->count; ++k) {
        objectives += ac_minimised_count(p->list[k]);
        bool ends = k + 1 == p->count || p->list[k]->description.phase.meets[1];
        if (!ends)
            return ac_fail(o->ctx, AC_BAD_INPUT, "phase '%s' has no end: join it with the next one",
                           p->names[k]);
    }
    return objectives > 0
               ? AC_OK
               : ac_fail(o->ctx, AC_BAD_INPUT, "there is nothing to minimise: no phase has an objective");
}

/* Unknowns and rows: of the phases, of the junctions, the parameters. */
static ac_status place(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    o->layout.variables = o->layout.rows = 0;
    for (int k = 0; k < p->count; ++k) {
        ac_optimization *phase = p->list[k];
        if (!phase->layout.ready) AC_TRY(ac_layout_build(phase));
        p->first_variable[k] = o->layout.variables;
        p->first_row[k] = o->layout.rows;
        o->layout.variables += own_unknowns(phase);
        o->layout.rows += phase->layout.rows;
    }
    p->first_variable[p->count] = o->layout.variables;
    p->first_row[p->count] = o->layout.rows;
    AC_TRY(ac_shared_place(o));
    place_junctions(o);
    o->layout.first.parameter = o->layout.variables;
    o->layout.variables += o->layout.parameters;
    return AC_OK;
}

static ac_status bound_unknowns(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    AC_NEW(o->ctx, o->layout.bounds.lower, o->layout.variables);
    AC_NEW(o->ctx, o->layout.bounds.upper, o->layout.variables);
    for (int i = p->first_variable[p->count]; i < o->layout.variables; ++i) {
        o->layout.bounds.lower[i] = -INFINITY;
        o->layout.bounds.upper[i] = INFINITY;
    }
    for (int k = 0; k < p->count; ++k)
        for (int i = 0; i < p->list[k]->layout.variables; ++i) {
            int at = ac_phases_unknown(o, k, i);
            o->layout.bounds.lower[at] = p->list[k]->layout.bounds.lower[i];
            o->layout.bounds.upper[at] = p->list[k]->layout.bounds.upper[i];
        }
    for (int k = 0; k < p->junction_count; ++k) {
        const ac_junction_data *j = &p->junctions[k];
        for (int l = 0; l < j->lossy_count; ++l) o->layout.bounds.lower[j->restitutions + l] = 0.0;
        if (j->length < 0) continue;
        o->layout.bounds.lower[j->length] = j->low;
        o->layout.bounds.upper[j->length] = j->high;
    }
    return AC_OK;
}

ac_status ac_phases_layout(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    if (p->first_variable) ac_layout_destroy(o); /* of an attempt that failed */
    o->layout.parameters = ac_optimization_parameters(o);
    AC_TRY(ac_phases_check_parameters(o));
    AC_TRY(allocate_lists(o));
    AC_TRY(place(o));
    AC_TRY(check(o));
    AC_NEW(o->ctx, o->point.x, o->layout.variables);
    AC_NEW(o->ctx, o->layout.bounds.low, o->layout.rows);
    AC_NEW(o->ctx, o->layout.bounds.high, o->layout.rows);
    AC_TRY(bound_unknowns(o));
    o->layout.ready = true;
    return AC_OK;
}

void ac_phases_layout_destroy(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    for (int k = 0; k < p->count; ++k) {
        ac_layout_destroy(p->list[k]);
        if (p->jacobian_entry) ac_release(o->ctx, p->jacobian_entry[k]);
        if (p->hessian_entry) ac_release(o->ctx, p->hessian_entry[k]);
    }
    void **lists[] = {(void **)&p->first_variable, (void **)&p->first_row, (void **)&p->jacobian_entry,
                      (void **)&p->hessian_entry,  (void **)&p->scratch,   (void **)&p->work};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k) {
        ac_release(o->ctx, *lists[k]);
        *lists[k] = NULL;
    }
}

void ac_phases_bound_rows(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    for (int k = 0; k < p->count; ++k) {
        ac_optimization *phase = p->list[k];
        ac_layout_bound_rows(phase);
        memcpy(o->layout.bounds.low + p->first_row[k], phase->layout.bounds.low,
               (size_t)phase->layout.rows * sizeof *o->layout.bounds.low);
        memcpy(o->layout.bounds.high + p->first_row[k], phase->layout.bounds.high,
               (size_t)phase->layout.rows * sizeof *o->layout.bounds.high);
    }
    for (int r = p->first_row[p->count]; r < o->layout.rows; ++r)
        o->layout.bounds.low[r] = o->layout.bounds.high[r] = 0.0;
    ac_shared_bound_rows(o);
    ac_layout_ease(o);
}

static const char *junction_row(const ac_junction_data *j, int row)
{
    int along = j->rates + j->bounce_count, losses = along + j->along_count, ended = losses + j->lossy_count;
    return row < j->jumps   ? "configuration"
           : row < j->rates ? "momentum"
           : row < along    ? "restitution"
           : row < losses   ? "tangential loss"
           : row < ended    ? "loss"
                            : "end of compression";
}

void ac_phases_row_name(const ac_optimization *o, int row, char *text, size_t size)
{
    const ac_phases *p = o->description.phases;
    for (int k = 0; k < p->count; ++k) {
        if (row >= p->first_row[k + 1]) continue;
        char own[128];
        ac_row_name(p->list[k], row - p->first_row[k], own, sizeof own);
        snprintf(text, size, "phase '%.40s': %.80s", p->names[k], own);
        return;
    }
    if (row < p->sums + p->shared_count) {
        snprintf(text, size, "'%.80s' over all phases", p->shared[row - p->sums].bounds.name);
        return;
    }
    int k = 0;
    while (k + 1 < p->junction_count && row >= p->junctions[k + 1].places) ++k;
    const ac_junction_data *j = &p->junctions[k];
    snprintf(text, size, "%s from phase '%.40s' to '%.40s'", junction_row(j, row), p->names[j->from],
             p->names[j->to]);
}

void ac_phases_rebase(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    for (int k = 0; k < p->count; ++k) {
        ac_rebase(p->list[k]);
        ac_phases_give_unknowns(o, k);
    }
    ac_phases_bound_rows(o);
    o->point.fresh = false;
}

size_t ac_phases_states(const ac_optimization *o)
{
    size_t count = 0;
    for (int k = 0; k < o->description.phases->count; ++k)
        count += ((size_t)o->description.phases->list[k]->layout.N + 1) * (size_t)o->system->node_count;
    return count;
}

void ac_phases_copy_states(const ac_optimization *o, ac_joint_state *list, bool back)
{
    for (int k = 0; k < o->description.phases->count; ++k) {
        const ac_optimization *phase = o->description.phases->list[k];
        size_t count = ((size_t)phase->layout.N + 1) * (size_t)o->system->node_count;
        memcpy(back ? phase->point.reference : list, back ? list : phase->point.reference,
               count * sizeof *list);
        list += count;
    }
}

/* --- evaluation --- */

void ac_phases_evaluate_at(ac_optimization *o, const double *x)
{
    ac_phases *p = o->description.phases;
    if (x != o->point.x) memcpy(o->point.x, x, (size_t)o->layout.variables * sizeof *x);
    for (int k = 0; k < p->count; ++k) {
        take_unknowns(o, k);
        p->list[k]->point.fresh = false;
        ac_evaluate_at(p->list[k], p->list[k]->point.x);
    }
    o->point.fresh = true;
}

static double length_of(const ac_optimization *o)
{
    const ac_phases *p = o->description.phases;
    return p->per_length < 0 ? 1.0 : o->point.x[p->junctions[p->per_length].length];
}

double ac_phases_objective(ac_optimization *o, double *gradient)
{
    ac_phases *p = o->description.phases;
    double sum = 0.0, length = length_of(o);
    if (gradient) memset(gradient, 0, (size_t)o->layout.variables * sizeof *gradient);
    for (int k = 0; k < p->count; ++k) {
        sum += ac_evaluate_objective(p->list[k], gradient ? p->scratch : NULL);
        for (int i = 0; gradient && i < p->list[k]->layout.variables; ++i)
            gradient[ac_phases_unknown(o, k, i)] += p->scratch[i] / length;
    }
    if (p->per_length < 0) return sum;
    if (gradient) gradient[p->junctions[p->per_length].length] = -sum / (length * length);
    return sum / length;
}

void ac_phases_rows(ac_optimization *o, double *c)
{
    ac_phases *p = o->description.phases;
    for (int k = 0; k < p->count; ++k) ac_evaluate_rows(p->list[k], c + p->first_row[k]);
    ac_shared_rows(o, c);
    ac_junction_rows(o, c);
}

void ac_phases_jacobian(ac_optimization *o, double *values)
{
    ac_phases *p = o->description.phases;
    if (values) memset(values, 0, (size_t)o->layout.jacobian.entries * sizeof *values);
    for (int k = 0; k < p->count; ++k) {
        const ac_pattern *own = &p->list[k]->layout.jacobian;
        if (values) ac_evaluate_jacobian(p->list[k], p->scratch);
        for (int e = 0; e < own->entries; ++e) {
            if (values) {
                values[p->jacobian_entry[k][e]] += p->scratch[e];
            } else {
                ac_pattern_mark(&o->layout.jacobian, own->row[e] + p->first_row[k],
                                ac_phases_unknown(o, k, own->column[e]));
            }
        }
    }
    ac_shared_jacobian(o, values);
    ac_junction_jacobian(o, values);
}

/* Entries of the lower triangle. */
static int hessian_entry(const ac_optimization *o, int i, int j)
{
    return ac_pattern_find(&o->layout.hessian, i > j ? i : j, i > j ? j : i);
}

static void mark_hessian(ac_optimization *o, int i, int j)
{
    ac_pattern_mark(&o->layout.hessian, i > j ? i : j, i > j ? j : i);
}

/* The objective divided by a length: second derivatives by that length. */
static void length_hessian(ac_optimization *o, double sigma, double *values)
{
    ac_phases *p = o->description.phases;
    if (p->per_length < 0) return;
    int at = p->junctions[p->per_length].length;
    double length = length_of(o), sum = 0.0;
    for (int k = 0; k < p->count; ++k) {
        if (values) sum += ac_evaluate_objective(p->list[k], p->scratch);
        for (int i = 0; i < p->list[k]->layout.variables; ++i) {
            if (values) {
                values[hessian_entry(o, at, ac_phases_unknown(o, k, i))] -= sigma * p->scratch[i] /
                                                                            (length * length);
            } else {
                mark_hessian(o, at, ac_phases_unknown(o, k, i));
            }
        }
    }
    if (values) {
        values[ac_pattern_find(&o->layout.hessian, at, at)] += 2.0 * sigma * sum / (length * length * length);
    } else {
        ac_pattern_mark(&o->layout.hessian, at, at);
    }
}

void ac_phases_hessian(ac_optimization *o, double sigma, const double *mu, double *values)
{
    ac_phases *p = o->description.phases;
    if (values) memset(values, 0, (size_t)o->layout.hessian.entries * sizeof *values);
    for (int k = 0; k < p->count; ++k) {
        const ac_pattern *own = &p->list[k]->layout.hessian;
        if (values) ac_evaluate_hessian(p->list[k], sigma / length_of(o), mu + p->first_row[k], p->scratch);
        for (int e = 0; e < own->entries; ++e) {
            if (values) {
                values[p->hessian_entry[k][e]] += p->scratch[e];
            } else {
                mark_hessian(o, ac_phases_unknown(o, k, own->row[e]),
                             ac_phases_unknown(o, k, own->column[e]));
            }
        }
    }
    ac_junction_hessian(o, values ? mu : NULL, values);
    length_hessian(o, sigma, values);
}

/* Where the entries of the phases are among those of the whole. */
ac_status ac_phases_patterns(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    size_t most = 1;
    for (int k = 0; k < p->count; ++k) {
        const ac_optimization *phase = p->list[k];
        const ac_pattern *jacobian = &phase->layout.jacobian, *hessian = &phase->layout.hessian;
        AC_NEW(o->ctx, p->jacobian_entry[k], jacobian->entries + 1);
        for (int e = 0; e < jacobian->entries; ++e)
            p->jacobian_entry[k][e] = ac_pattern_find(&o->layout.jacobian, jacobian->row[e] + p->first_row[k],
                                                      ac_phases_unknown(o, k, jacobian->column[e]));
        AC_NEW(o->ctx, p->hessian_entry[k], hessian->entries + 1);
        for (int e = 0; e < hessian->entries; ++e)
            p->hessian_entry[k][e] = hessian_entry(o, ac_phases_unknown(o, k, hessian->row[e]),
                                                   ac_phases_unknown(o, k, hessian->column[e]));
        if ((size_t)jacobian->entries > most) most = (size_t)jacobian->entries;
        if ((size_t)hessian->entries > most) most = (size_t)hessian->entries;
        if ((size_t)phase->layout.variables > most) most = (size_t)phase->layout.variables;
    }
    AC_NEW(o->ctx, p->scratch, most);
    return AC_OK;
}
