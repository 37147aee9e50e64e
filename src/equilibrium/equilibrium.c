/* Equilibria: the public functions. Load steps first, the path by its length in path.c. */
#include <math.h>
#include <string.h>

#include "equilibrium/solver.h"
#include "action/spin.h"
#include "action/beam/beam_turn.h"
#include "action/element.h"
#include "action/inertia.h"
#include "math/math.h"

enum { MOST_HALVINGS = 8 };

static const double STRESSED = 1e-6; /* first correction, rad or m over the typical length */

void ac_equilibrium_defaults(ac_equilibrium_settings *settings)
{
    *settings = (ac_equilibrium_settings){
        .steps = 1,
        .tolerance = 1e-10,
        .max_iterations = 60,
        .points = 100,
        .forces = true,
    };
}

/* --- making and freeing --- */

static ac_status check_settings(ac_context *ctx, const ac_equilibrium_settings *s)
{
    if (s->steps < 1) return ac_fail(ctx, AC_BAD_INPUT, "at least one load step is needed");
    if (!(s->tolerance > 0.0)) return ac_fail(ctx, AC_BAD_INPUT, "the tolerance must be positive");
    if (s->max_iterations < 1) return ac_fail(ctx, AC_BAD_INPUT, "at least one iteration is needed");
    if (s->follow && (!(s->arc_step != 0.0) || !isfinite(s->arc_step)))
        return ac_fail(ctx, AC_BAD_INPUT, "the step along the path must not be zero");
    return AC_OK;
}

static ac_status allocate(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    size_t n = (size_t)system->n, u = (size_t)e->freedoms, m = (size_t)e->closures, all = (size_t)e->size;
    const struct {
        double **vector;
        size_t size;
    } vectors[] = {
        {&e->winding, (size_t)system->measure_count},
        {&e->columns, 6 * u},
        {&e->wrenches, 6 * (size_t)system->node_count},
        {&e->balance.gradient, n},
        {&e->balance.load, n},
        {&e->balance.constant, n},
        {&e->balance.total, n},
        {&e->scratch, n},
        {&e->balance.r, all},
        {&e->balance.g, m},
        {&e->balance.mu, m},
        {&e->balance.lambda, (size_t)system->constraints.count},
        {&e->metric.weight, u},
        {&e->metric.grain, u},
        {&e->metric.arm, (size_t)system->node_count},
        {&e->newton.delta, all},
        {&e->newton.by_load, all},
        {&e->newton.move, u},
        {&e->newton.travelled, u},
        {&e->path.bend, u},
    };
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        AC_NEW(e->ctx, *vectors[k].vector, vectors[k].size);
    AC_TRY(ac_equilibrium_state_create(e, &e->now));
    AC_TRY(ac_equilibrium_state_create(e, &e->before));
    AC_TRY(ac_equilibrium_state_create(e, &e->other));
    AC_TRY(ac_equilibrium_tangent_create(e));
    AC_TRY(ac_legendre_create(e->ctx, system, true, &e->legendre));
    return ac_equilibrium_make_channels(e);
}

static void go_to_initial(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    memcpy(e->now.state, system->initial.state, (size_t)system->node_count * sizeof *e->now.state);
    memcpy(e->now.q, system->initial.q, (size_t)system->n * sizeof *e->now.q);
}

static ac_status create(ac_equilibrium *e, const ac_equilibrium_settings *settings)
{
    const ac_system *system = e->system;
    if (!system->finished) return ac_fail(e->ctx, AC_BAD_INPUT, "the system is not finished");
    AC_TRY(ac_refuse_relations(e->ctx, system, "an equilibrium"));
    AC_TRY(check_settings(e->ctx, settings));
    if (ac_spins(settings->spin)) AC_TRY(ac_spin_check(system, settings->spin));
    if (system->tree.freedoms - system->initial.closure_rank < 1)
        return ac_fail(e->ctx, AC_BAD_INPUT,
                       "the supports hold the whole system: nothing is left that could move");
    e->settings = *settings;
    e->elastic = system;
    e->freedoms = system->tree.freedoms;
    e->closures = system->constraints.count - system->constraints.closure;
    e->size = e->freedoms + e->closures;
    AC_TRY(allocate(e));
    go_to_initial(e);
    for (int k = 0; k < system->measure_count; ++k) e->winding[k] = system->measures[k].initial;
    ac_equilibrium_set_weights(e);
    e->now.share = 1.0;
    e->balance.has_constant = settings->constant_gravity;
    for (int k = 0; k < system->load_count; ++k)
        e->balance.has_constant = e->balance.has_constant || system->loads[k].constant;
    AC_TRY(ac_redundant_create(e));
    return ac_mixed_create(e);
}

ac_status ac_equilibrium_new(ac_context *ctx, const ac_system *system,
                             const ac_equilibrium_settings *settings, ac_equilibrium **equilibrium)
{
    ac_equilibrium *e;
    AC_NEW(ctx, e, 1);
    e->ctx = ctx;
    e->system = system;
    ac_status status = create(e, settings);
    if (status != AC_OK) {
        ac_equilibrium_free(e);
        return status;
    }
    *equilibrium = e;
    return AC_OK;
}

void ac_equilibrium_free(ac_equilibrium *e)
{
    if (!e) return;
    void *blocks[] = {e->winding,      e->columns,        e->wrenches,        e->balance.gradient,
                      e->balance.load, e->balance.total,  e->scratch,         e->balance.r,
                      e->balance.g,    e->balance.mu,     e->balance.lambda,  e->metric.weight,
                      e->newton.delta, e->newton.by_load, e->newton.move,     e->newton.travelled,
                      e->channels,     e->names,          e->neutral.motions, e->balance.constant,
                      e->path.bend,    e->metric.grain,   e->metric.arm,      e->modes.shape};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(e->ctx, blocks[k]);
    ac_equilibrium_state_destroy(e, &e->now);
    ac_equilibrium_state_destroy(e, &e->before);
    ac_equilibrium_state_destroy(e, &e->other);
    ac_equilibrium_tangent_destroy(e);
    ac_legendre_destroy(&e->legendre);
    ac_redundant_destroy(e);
    ac_mixed_destroy(e);
    ac_release(e->ctx, e);
}

/* --- points --- */

/* AC_NOT_CONVERGED where a small correction left a large force: something is so stiff that places, rounded to their
 * last digit, cannot carry the loads. */
static ac_status check_residual(ac_equilibrium *e)
{
    if (!ac_equilibrium_is_unbalanced(e)) return AC_OK;
    return ac_fail(
        e->ctx, AC_NOT_CONVERGED,
        "no equilibrium found at load factor %.6g: a force of %.3g N of loads of %.3g N remains, and "
        "rounding of the places in their last digit changes the forces by %.3g N; what is that stiff is "
        "better a rigid joint",
        e->now.factor, e->point.residual, ac_equilibrium_full_loads(e), ac_equilibrium_rounding(e));
}

/* Completes what is known of the present point; angles are continued from here. */
static ac_status describe(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    double x[AC_ELEMENT_MAX];
    e->point.factor = e->now.factor;
    e->point.path = e->now.path;
    if (!e->settings.follow) e->point.iterations = e->effort.corrections;
    e->point.descent = e->effort.descent;
    double energy = ac_potential_energy(system, e->now.q, e->winding);
    if (!e->settings.constant_gravity) energy -= (1.0 - e->now.factor) * ac_gravity_energy(system, e->now.q);
    e->point.energy = energy;
    for (int k = 0; k < system->measure_count; ++k) {
        const ac_measure *m = &system->measures[k];
        if (m->kind != AC_MEASURE_ANGLE) continue;
        ac_measure_gather(system, m, e->now.q, x);
        e->winding[k] = ac_measure_evaluate(system, m, x, e->winding[k], NULL, NULL);
    }
    double bend = ac_beam_largest_turn(system, e->now.q, AC_BEAM_EDGE, NULL);
    double yielding = ac_beam_largest_turn(system, e->now.q, AC_BEAM_DIRECTOR, NULL);
    e->largest_bend = ac_max(e->largest_bend, bend);
    e->yielding_bend = ac_max(e->yielding_bend, yielding);
    ac_equilibrium_evaluate(e); /* the point may have been found before others that were looked at */
    AC_TRY(check_residual(e));
    return ac_equilibrium_multipliers(e);
}

/* From the present state, of which `start` is a copy but for the levels of the loads: downhill if that can
 * be, else, or if it does not end, by creeping. */
static ac_status settle(ac_equilibrium *e, const ac_equilibrium_state *start, bool downhill)
{
    double factor = e->now.factor, share = e->now.share;
    bool can;
    AC_TRY(ac_equilibrium_can_descend(e, &can));
    if (can) {
        ac_status status = ac_equilibrium_descend(e);
        if (status == AC_OK) return ac_equilibrium_check_fold(e);
        if (status != AC_NOT_CONVERGED || downhill || ac_equilibrium_is_kinked(e)) return status;
        ac_equilibrium_state_copy(e, start, &e->now);
        e->now.factor = factor;
        e->now.share = share;
    }
    AC_TRY(ac_equilibrium_settle(e, downhill));
    return ac_equilibrium_check_fold(e);
}

/* AC_SINGULAR, and a message, if the loads that are raised from the state in `other`, where the system
 * goes back to, push along a motion without resistance there: however small they are, there is no rest
 * nearby. */
static ac_status check_start(ac_equilibrium *e, bool constant)
{
    ac_equilibrium_state_copy(e, &e->other, &e->now);
    ac_equilibrium_evaluate(e);
    ac_status status = ac_equilibrium_factor_freely(e);
    if (status == AC_OK) status = ac_equilibrium_check_growing(e, constant);
    e->neutral.count = 0;
    return status;
}

/* Where Newton's method finds no rest. If the system settles nowhere because the loads push along a motion
 * without resistance, this is the reason to report. */
static ac_status settle_elsewhere(ac_equilibrium *e, bool flies)
{
    bool constant = e->now.share > e->other.share;
    if (flies) AC_TRY(ac_equilibrium_refuse_flight(e));
    ac_status status = settle(e, &e->other, false);
    if (status != AC_NOT_CONVERGED) return status;
    ac_status pushed = check_start(e, constant);
    return pushed == AC_OK ? status : pushed;
}

static bool no_rest(ac_status status)
{
    return status == AC_NOT_CONVERGED || status == AC_SINGULAR;
}

static ac_status starts_pushed(ac_equilibrium *e, bool constant, bool *pushed)
{
    ac_status status = check_start(e, constant);
    *pushed = status == AC_SINGULAR;
    return no_rest(status) ? AC_OK : status;
}

/* Is a beam strained at the present configuration? */
static bool is_strained(const ac_equilibrium *e)
{
    const ac_system *system = e->system;
    for (int b = 0; b < system->beam_count; ++b) {
        const ac_beam_data *beam = &system->beams[b];
        for (int k = 0; k < ac_beam_points(beam); ++k) {
            double strain[6], stress[6];
            ac_beam_at_point(system, beam, k, e->now.q, strain, stress, NULL);
            for (int i = 0; i < 6; ++i)
                if (fabs(strain[i]) * (i < 3 ? 1.0 : system->length_scale) > STRESSED) return true;
        }
    }
    return false;
}

static bool is_initially_strained(const ac_equilibrium *e)
{
    size_t bytes = (size_t)e->system->n * sizeof *e->now.q;
    return memcmp(e->now.q, e->system->initial.q, bytes) == 0 && is_strained(e);
}

/* Raises what `level` (of e->now) scales, in smaller steps if Newton's method does not manage it at once.
 * Where that does not help either, the equilibrium has come to its end, or the initial one was far from
 * any: the system settles elsewhere. It does so at once where smaller steps cannot help: from an initial state
 * under stress, and where the loads push along a motion without resistance, however small they are. */
static ac_status raise_level(ac_equilibrium *e, double *level, double goal)
{
    double part = goal - *level;
    int halvings = 0;
    bool at_once = e->closures == 0 && is_initially_strained(e);
    ac_equilibrium_state_copy(e, &e->now, &e->other);
    for (;;) {
        double next = *level + part;
        if (next > goal - 1e-9 * part) next = goal;
        *level = next;
        ac_status status = ac_equilibrium_newton(e);
        if (status == AC_OK) status = ac_equilibrium_check_fold(e);
        if (status == AC_OK) {
            ac_equilibrium_state_copy(e, &e->now, &e->other);
            if (next >= goal) return AC_OK;
            continue;
        }
        if (!no_rest(status)) return status;
        bool singular = status == AC_SINGULAR;
        if (++halvings == 1 && !singular && !at_once)
            AC_TRY(starts_pushed(e, level == &e->now.share, &at_once));
        ac_equilibrium_state_copy(e, &e->other, &e->now);
        part *= 0.5;
        if (!singular && !at_once && halvings <= MOST_HALVINGS) continue;
        *level = goal;
        return settle_elsewhere(e, singular);
    }
}

ac_status ac_equilibrium_raise_constant(ac_equilibrium *e)
{
    e->now.factor = e->now.share = 0.0;
    if (e->balance.has_constant) return raise_level(e, &e->now.share, 1.0);
    e->now.share = 1.0;
    return AC_OK;
}

static ac_status load_step(ac_equilibrium *e, double factor)
{
    AC_TRY(raise_level(e, &e->now.factor, factor));
    AC_TRY(ac_equilibrium_assemble(e));
    e->now.path = e->path.points + 1;
    e->point.event = AC_EVENT_NONE;
    return ac_equilibrium_stability(e, &e->point.negative, &e->point.neutral);
}

/* Is the initial configuration far from rest even without load, or held in balance against the stiffness of
 * a beam? */
static ac_status starts_under_stress(ac_equilibrium *e, bool *stressed)
{
    go_to_initial(e);
    *stressed = is_strained(e);
    if (*stressed) return AC_OK;
    e->now.factor = e->now.share = 0.0;
    ac_equilibrium_evaluate(e);
    ac_status status = ac_equilibrium_factor(e);
    if (status == AC_OK) status = ac_equilibrium_correction(e, e->newton.delta, NULL);
    if (status == AC_OK) *stressed = ac_equilibrium_size(e, e->newton.delta) > STRESSED;
    return status == AC_SINGULAR ? AC_OK : status;
}

/* Newton's method may have gone from a configuration under stress to a saddle: then another attempt,
 * downhill all the way. What it finds counts if fewer directions leave it. */
static ac_status try_downhill(ac_equilibrium *e)
{
    bool stressed;
    double goal = e->now.factor;
    ac_equilibrium_point saddle = e->point;
    ac_equilibrium_state_copy(e, &e->now, &e->other);
    AC_TRY(starts_under_stress(e, &stressed));
    ac_status status = AC_NOT_CONVERGED;
    if (stressed) {
        go_to_initial(e);
        e->now.factor = goal;
        e->now.share = 1.0;
        status = settle(e, NULL, true);
        if (status == AC_OK) status = ac_equilibrium_assemble(e);
        if (status == AC_OK) status = ac_equilibrium_stability(e, &e->point.negative, &e->point.neutral);
        if (status == AC_OK && e->point.negative >= 0 && e->point.negative < saddle.negative) {
            e->now.path = e->other.path;
            return AC_OK;
        }
    }
    ac_equilibrium_state_copy(e, &e->other, &e->now);
    e->point = saddle;
    return status == AC_NOT_CONVERGED || status == AC_SINGULAR ? AC_OK : status;
}

ac_status ac_equilibrium_first(ac_equilibrium *e, double factor)
{
    AC_TRY(ac_equilibrium_raise_constant(e));
    AC_TRY(load_step(e, factor));
    return e->point.negative > 0 ? try_downhill(e) : AC_OK;
}

static ac_status next_point(ac_equilibrium *e)
{
    double factor = (double)(e->path.points + 1) / e->settings.steps;
    if (e->settings.follow) return e->path.started ? ac_path_next(e) : ac_path_start(e);
    return e->path.points == 0 ? ac_equilibrium_first(e, factor) : load_step(e, factor);
}

ac_status ac_equilibrium_next(ac_equilibrium *e, bool *done)
{
    int wanted = e->settings.follow ? e->settings.points : e->settings.steps;
    *done = e->path.points >= wanted && !e->events.pending;
    if (*done && e->settings.follow && e->settings.branch > 0 && !e->path.branched)
        return ac_fail(
            e->ctx, AC_NOT_CONVERGED,
            "bifurcation %d was not reached: the path has %d up to load factor %.6g; more points or longer "
            "steps go further",
            e->settings.branch, e->path.bifurcations, e->now.factor);
    if (*done) return AC_OK;
    e->effort.corrections = e->effort.descent = 0;
    AC_TRY(next_point(e));
    e->path.started = true;
    if (e->point.event == AC_EVENT_NONE) ++e->path.points;
    return describe(e);
}

const ac_equilibrium_point *ac_equilibrium_at(const ac_equilibrium *e)
{
    return &e->point;
}

const double *ac_equilibrium_configuration(const ac_equilibrium *e)
{
    return e->now.q;
}

double ac_equilibrium_largest_bend(const ac_equilibrium *e)
{
    return e->largest_bend;
}

int ac_equilibrium_unknowns(const ac_equilibrium *e)
{
    return e->redundant ? e->system->n + e->system->constraints.count
                        : e->freedoms - e->system->initial.closure_rank;
}
