/* Looking at a solved problem: forces of the controls, angles, balance of momentum; and changing its mesh. */
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"

const ac_discrete *ac_optimization_inputs(const ac_optimization *o)
{
    return &o->description.discrete;
}

const char *ac_optimization_scheme(const ac_optimization *o)
{
    return o->settings.scheme;
}

const double *ac_optimization_input_values(const ac_optimization *o, int interval)
{
    return o->point.tau + (size_t)interval * (size_t)o->description.discrete.input_count;
}

bool ac_optimization_maximises(const ac_optimization *o)
{
    if (o->description.phases) return false;
    for (int k = 0; k < o->description.objective_count; ++k)
        if (o->description.objectives[k].total < 0 && !o->description.objectives[k].maximise) return false;
    return ac_minimised_count(o) > 0;
}

int ac_optimization_conditions(const ac_optimization *o)
{
    int count = 0;
    for (int k = 0; k < o->description.condition_count; ++k) count += !o->description.conditions[k].hidden;
    return count;
}

/* Its number among all that there are. */
static int seen_condition(const ac_optimization *o, int condition)
{
    int k = 0;
    while (o->description.conditions[k].hidden || condition-- > 0) ++k;
    return k;
}

const char *ac_optimization_condition_name(const ac_optimization *o, int condition)
{
    return o->description.conditions[seen_condition(o, condition)].name;
}

double ac_optimization_multiplier(const ac_optimization *o, int condition)
{
    double most = 0.0;
    int number = seen_condition(o, condition);
    if (o->description.conditions[number].shared) return NAN;
    for (int b = 0; b < o->layout.block_count && o->found.multipliers; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        if (block->kind != AC_ROW_CONDITION || block->item != number) continue;
        double value = o->found.multipliers[block->first];
        if (fabs(value) > fabs(most)) most = value;
    }
    return ac_objective_asked(o, most);
}

void ac_optimization_go_directly(ac_optimization *o, bool on)
{
    o->settings.direct = on;
}

double ac_optimization_duration(const ac_optimization *o)
{
    double sum = 0.0;
    for (int k = 0; o->description.phases && k < o->description.phases->count; ++k)
        sum += ac_optimization_duration(o->description.phases->list[k]);
    if (o->description.phases) return sum;
    return o->point.h * o->layout.N;
}

const double *ac_optimization_near(const ac_optimization *o, int node)
{
    return o->point.measure_windings + (size_t)node * (size_t)o->system->measure_count;
}

const double *ac_optimization_first_velocity(const ac_optimization *o)
{
    return o->settings.start_velocity || o->layout.first.velocity[0] >= 0 ? o->point.velocity[0] : NULL;
}

const double *ac_optimization_last_velocity(const ac_optimization *o)
{
    return o->settings.end_rest || o->layout.first.velocity[1] >= 0 ? o->point.velocity[1] : NULL;
}

/* How close to a bound counts as being at it: what the interior point leaves. */
static const double TIGHT = 1e-5;

ac_status ac_optimization_tight_turns(ac_optimization *o, int *intervals)
{
    int last = -1;
    for (int k = *intervals = 0; o->description.phases && k < o->description.phases->count; ++k) {
        int more = 0;
        AC_TRY(ac_optimization_tight_turns(o->description.phases->list[k], &more));
        *intervals += more;
    }
    if (o->description.phases) return AC_OK;
    double *c = ac_allocate(o->ctx, (size_t)o->layout.rows, sizeof *c);
    *intervals = 0;
    if (!c) return ac_out_of_memory(o->ctx);
    ac_evaluate_rows(o, c);
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        int r = block->first;
        if ((block->kind != AC_ROW_TURN && block->kind != AC_ROW_STEP) || block->place == last) continue;
        if (c[r] - o->layout.bounds.low[r] > TIGHT && o->layout.bounds.high[r] - c[r] > TIGHT) continue;
        last = block->place;
        ++*intervals;
    }
    ac_release(o->ctx, c);
    return AC_OK;
}

int ac_optimization_tight_duration(const ac_optimization *o)
{
    double T = ac_optimization_duration(o), room = TIGHT * T;
    if (!o->layout.by_time) return 0;
    return T - o->settings.least_duration < room ? -1 : o->settings.most_duration - T < room ? 1 : 0;
}

double ac_optimization_momentum_defect(ac_optimization *o)
{
    double worst = 0.0;
    for (int k = 0; o->description.phases && k < o->description.phases->count; ++k)
        worst = ac_max(worst, ac_optimization_momentum_defect(o->description.phases->list[k]));
    if (o->description.phases) return worst;
    if (o->transcription >= AC_COLLOCATION_QP) return ac_minimal_defect(o);
    if (o->description.discrete.scheme == AC_ENERGY_MOMENTUM) return NAN;
    double most = 0.0, *c = ac_allocate(o->ctx, (size_t)o->layout.rows, sizeof *c);
    if (!c) return NAN;
    ac_evaluate_rows(o, c);
    for (int n = 1; n < o->layout.N; ++n)
        for (int r = 0; r < o->layout.width; ++r) most = ac_max(most, fabs(c[o->layout.dynamics_row[n] + r]));
    ac_release(o->ctx, c);
    return most;
}

/* Keeps motion and controls as the guess and takes the layout down. */
ac_status ac_keep_motion(ac_optimization *o)
{
    if (o->description.phases) return ac_phases_keep_motion(o);
    if (o->layout.ready) {
        int controls = o->description.control_count;
        AC_TRY(ac_guess_room(o));
        double *u = ac_allocate(o->ctx, (size_t)o->layout.N * (size_t)(controls + 1), sizeof *u);
        if (!u) return ac_out_of_memory(o->ctx);
        for (int n = 0; n < o->layout.N; ++n)
            for (int k = 0; k < controls; ++k)
                u[n * controls + k] = o->point.tau[n * o->description.discrete.input_count + k];
        for (int n = 1; n <= o->layout.N; ++n) /* without the data behind the coordinates */
            memmove(o->point.q + (size_t)n * (size_t)o->layout.n, ac_q(o, n),
                    (size_t)o->layout.n * sizeof *o->point.q);
        for (int j = 0; j < o->layout.parameters; ++j)
            o->description.guess.parameters[j] = o->point.x[o->layout.first.parameter + j];
        o->description.guess.has_parameters = o->layout.parameters > 0;
        ac_status status = ac_optimization_guess_motion(o, o->layout.N + 1, o->point.q, u,
                                                        o->point.h * o->layout.N);
        ac_release(o->ctx, u);
        if (status != AC_OK) return status;
        o->description.guess.disturbance = 0.0;
        o->description.guess.inverse_dynamics = false; /* its controls are known */
        ac_layout_destroy(o);
    }
    return AC_OK;
}

ac_status ac_optimization_remesh(ac_optimization *o, int intervals)
{
    if (o->description.phases) return ac_phases_remesh(o, intervals);
    AC_TRY(ac_keep_motion(o));
    o->settings.intervals = intervals;
    return AC_OK;
}

ac_status ac_optimization_reformulate(ac_optimization *o, const char *formulation)
{
    const char *const *names = ac_optimization_formulations();
    for (int k = 0; names[k]; ++k) {
        if (strcmp(names[k], formulation) != 0) continue;
        AC_TRY(ac_keep_motion(o));
        for (int p = 0; p < ac_optimization_phases(o); ++p)
            AC_TRY(ac_optimization_reformulate(ac_optimization_phase(o, p), formulation));
        o->transcription = (ac_transcription)k;
        o->settings.formulation = names[k];
        return AC_OK;
    }
    return ac_fail(o->ctx, AC_BAD_INPUT, "the formulation \"%s\" is not known", formulation);
}

ac_transcription ac_wanted_transcription(const ac_optimization *o)
{
    const char *const *names = ac_optimization_formulations();
    int k = 0;
    while (names[k] && strcmp(names[k], o->settings.formulation) != 0) ++k;
    return (ac_transcription)k;
}
