/* What ends a phase: the quantity of the next one that comes to where that phase begins.
 *
 * Of what the next phase holds, and of what bounces, everything is fresh that this phase does not hold. The trigger is one of the fresh ones: the one that must push, the one that bounces, or the one that points upwards. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "optimize/replay/replay.h"

/* Gradients that differ by less are those of the same quantity. */
static const double SAME = 1e-9;

int ac_strike_end_scalar(const ac_strike_end *end, int k)
{
    int held = end->next->description.phase.hold_count;
    return k < held ? end->next->description.phase.holds[k] : end->junction->bounce[k - held].scalar;
}

/* S^T of a gradient by the next configuration. */
static void pull_back(const ac_strike_end *end, int count, const int *at, const double *own, double *gradient)
{
    const ac_junction_data *j = end->junction;
    memset(gradient, 0, (size_t)end->phase->system->n * sizeof *gradient);
    for (int e = 0; e < j->map_count; ++e)
        for (int i = 0; i < count; ++i)
            if (at[i] == j->map[e].to) gradient[j->map[e].from] += j->map[e].factor * own[i];
}

double ac_strike_end_gap(const ac_strike_end *end, int k, const double *q, double *gradient)
{
    const ac_scalars *scalars = &end->next->description.scalars;
    int scalar = ac_strike_end_scalar(end, k);
    double own[AC_SCALAR_MAX], near = end->next->point.scalar_windings[scalar];
    double there = ac_scalar_evaluate(scalars, scalar, ac_q(end->next, 0), near, NULL, NULL);
    for (int i = 0; i < end->phase->system->n; ++i) end->work[i] = 0.0;
    const ac_junction_data *j = end->junction;
    for (int e = 0; e < j->map_count; ++e) end->work[j->map[e].to] += j->map[e].factor * q[j->map[e].from];
    for (int i = 0; j->shift && i < end->phase->system->n; ++i) end->work[i] -= end->length * j->shift[i];
    double value = ac_scalar_evaluate(scalars, scalar, end->work, near, own, NULL);
    if (gradient)
        pull_back(end, scalars->list[scalar].plain, ac_scalar_coordinates(scalars, scalar), own, gradient);
    return value - there;
}

static double found_gap(const ac_strike_end *end, int k, int node)
{
    return ac_strike_end_gap(end, k, ac_q(end->phase, node), NULL);
}

/* Is hold `held` of this phase the quantity whose gradient by q is given, or, in a mirror, minus it? */
static bool is_same(const ac_strike_end *end, int held, const double *q, const double *gradient)
{
    const ac_scalars *scalars = &end->phase->description.scalars;
    int scalar = end->phase->description.phase.holds[held], count = scalars->list[scalar].plain;
    const int *at = ac_scalar_coordinates(scalars, scalar);
    double own[AC_SCALAR_MAX];
    ac_scalar_evaluate(scalars, scalar, q, end->phase->point.scalar_windings[scalar], own, NULL);
    bool same = true, opposite = true;
    for (int c = 0; c < end->phase->system->n; ++c) {
        double there = 0.0;
        for (int i = 0; i < count; ++i) there += at[i] == c ? own[i] : 0.0;
        same = same && fabs(gradient[c] - there) <= SAME;
        opposite = opposite && fabs(gradient[c] + there) <= SAME;
    }
    return same || opposite;
}

/* Not held by this phase, before the map of the junction; looked at from both ends. */
static bool is_fresh(const ac_strike_end *end, int k, double *gradient)
{
    if (k >= end->next->description.phase.hold_count) return true;
    for (int held = 0; held < end->phase->description.phase.hold_count; ++held) {
        bool same = true;
        for (int e = 0; e < 2 && same; ++e) {
            const double *q = ac_q(end->phase, e == 0 ? 0 : end->phase->layout.N);
            ac_strike_end_gap(end, k, q, gradient);
            same = is_same(end, held, q, gradient);
        }
        if (same) return false;
    }
    return true;
}

/* How much the value of a quantity rises with all bodies against gravity. */
static double upwards(const ac_strike_end *end, int k, double *gradient)
{
    const ac_system *system = end->phase->system;
    double sum = 0.0, weight = norm3(system->gravity);
    ac_strike_end_gap(end, k, ac_q(end->phase, end->phase->layout.N), gradient);
    for (int i = 0; i < system->node_count && weight > 0.0; ++i)
        for (int c = 0; c < system->nodes[i].dimension; ++c)
            sum -= gradient[system->nodes[i].q + c] * system->gravity[c] / weight;
    return fabs(sum);
}

static double claim(const ac_strike_end *end, int k, double *gradient)
{
    const ac_optimization_description *d = &end->next->description;
    if (!end->fresh[k]) return -1.0;
    if (k >= d->phase.hold_count && end->junction->bounce[k - d->phase.hold_count].normal >= 0) return -1.0;
    if (k >= d->phase.hold_count)
        return 4.0 + ac_junction_restitution(end->whole, end->junction, k - d->phase.hold_count);
    return (d->phase.pushes && d->phase.pushes[k] ? 2.0 : 0.0) + upwards(end, k, gradient);
}

static ac_status choose_trigger(ac_strike_end *end)
{
    double best = -0.5, *gradient;
    AC_NEW(end->phase->ctx, gradient, end->phase->system->n);
    end->trigger = -1;
    for (int k = 0; k < end->count; ++k) end->fresh[k] = is_fresh(end, k, gradient);
    for (int k = 0; k < end->count; ++k) {
        double own = claim(end, k, gradient);
        if (own <= best) continue;
        best = own;
        end->trigger = k;
    }
    ac_release(end->phase->ctx, gradient);
    return AC_OK;
}

/* The last time at which the value is furthest from its end: what touches before that only grazes. */
static void find_window(ac_strike_end *end)
{
    int N = end->phase->layout.N, top = N - 1;
    double value = fabs(found_gap(end, end->trigger, top));
    while (top > 0) {
        double before = fabs(found_gap(end, end->trigger, top - 1));
        if (before < value) break;
        value = before;
        --top;
    }
    end->side = found_gap(end, end->trigger, top) < 0.0 ? -1.0 : 1.0;
    end->from = (double)top / N;
}

ac_status ac_strike_end_open(ac_optimization *whole, int phase, ac_strike_end *end)
{
    *end = (ac_strike_end){.whole = whole, .phase = ac_optimization_phase(whole, phase), .trigger = -1};
    end->junction = ac_junction_from(whole, phase);
    if (!end->junction) return AC_OK;
    const ac_junction_data *j = end->junction;
    end->next = ac_optimization_phase(whole, j->to);
    end->length = j->length >= 0 ? whole->point.x[j->length] : 0.0;
    end->count = j->impulse_count;
    AC_NEW(whole->ctx, end->fresh, end->count + 1);
    AC_NEW(whole->ctx, end->work, whole->system->n);
    AC_TRY(choose_trigger(end));
    if (end->trigger >= 0) find_window(end);
    return AC_OK;
}

void ac_strike_end_close(ac_context *ctx, ac_strike_end *end)
{
    ac_release(ctx, end->fresh);
    ac_release(ctx, end->work);
    *end = (ac_strike_end){0};
}
