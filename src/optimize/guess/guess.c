/* The first guess, and moving the reference of the local coordinates. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"
#include "action/momentum.h"

static const double RIGID = 1e-14; /* error of an orthonormal matrix */

static ac_joint_state *reference_at(const ac_optimization *o, int n)
{
    return o->point.reference + (size_t)n * (size_t)o->system->node_count;
}

/* --- states over time --- */

static void interpolate(const ac_guess_data *g, double s, double out[3])
{
    int k = 0;
    while (k + 1 < g->count && g->s[k + 1] < s) ++k;
    double share = 0.0;
    if (k + 1 < g->count) share = ac_min(1.0, ac_max(0.0, (s - g->s[k]) / (g->s[k + 1] - g->s[k])));
    for (int i = 0; i < 3; ++i)
        out[i] = (1.0 - share) * g->values[3 * k + i] +
                 (share > 0.0 ? share * g->values[3 * (k + 1) + i] : 0.0);
}

/* Full turns are continued from the node before. */
static void continue_turns(const ac_optimization *o, int n)
{
    const ac_system *system = o->system;
    ac_joint_state *state = reference_at(o, n);
    const ac_joint_state *before = n == 0 ? ac_chart_start(&o->description.chart) : reference_at(o, n - 1);
    for (int i = 0; i < system->node_count; ++i)
        for (int k = 0; k < 3; ++k) {
            double turns = (before[i].coordinate[k] - state[i].coordinate[k]) / (2.0 * ac_acos(-1.0));
            state[i].coordinate[k] += 2.0 * ac_acos(-1.0) * round(turns);
        }
}

/* What a distance joint holds goes as near to a place as its length allows. */
static void swing_to(const ac_optimization *o, int n, int number, const double place[3])
{
    const ac_node *node = &o->system->nodes[number];
    ac_joint_state *states = reference_at(o, n), old = states[number];
    double *q = ac_q(o, n), length = norm3(old.shift);
    ac_chart_forward(&o->description.chart, states, q);
    memcpy(q + node->q, place, (size_t)node->dimension * sizeof *q);
    ac_chart_read_state(&o->description.chart, number, q, &states[number]);
    double size = norm3(states[number].shift);
    if (!(size > 1e-9 * length)) {
        states[number] = old; /* in the middle: no direction is nearer than another */
        return;
    }
    for (int i = 0; i < 3; ++i) states[number].shift[i] *= length / size;
}

/* Free bodies go to where their points are wanted, as they are turned. */
static void place_points(const ac_optimization *o, int n)
{
    for (int k = 0; k < o->description.guess.count; ++k) {
        const ac_guess_data *g = &o->description.guess.list[k];
        ac_joint_state *state = &reference_at(o, n)[g->node];
        double place[3], arm[3];
        if (g->kind != AC_GUESS_PLACE) continue;
        interpolate(g, (double)n / o->layout.N, place);
        if (o->system->nodes[g->node].joint >= 0) {
            swing_to(o, n, g->node, place);
            continue;
        }
        apply3(state->turn, g->point, arm);
        double longer[3];
        ac_chart_lengthening(&o->description.chart, g->node, longer);
        for (int i = 0; i < o->system->nodes[g->node].dimension; ++i)
            state->shift[i] = place[i] - arm[i] - longer[i];
    }
}

static void initial_states(ac_optimization *o, int n)
{
    const ac_system *system = o->system;
    ac_joint_state *state = reference_at(o, n);
    memcpy(state, ac_chart_start(&o->description.chart), (size_t)system->node_count * sizeof *state);
    for (int k = 0; k < o->description.guess.count; ++k) {
        const ac_guess_data *g = &o->description.guess.list[k];
        double values[3], R[9], old[9];
        interpolate(g, (double)n / o->layout.N, values);
        if (g->kind == AC_GUESS_PLACE) continue;
        if (g->kind == AC_GUESS_JOINT) {
            ac_joint_from_coordinates(system, &system->nodes[g->node], values, &state[g->node]);
            continue;
        }
        ac_rotation_exp(values, R);
        memcpy(old, system->initial.state[g->node].turn, sizeof old);
        multiply3(R, old, state[g->node].turn);
    }
    place_points(o, n);
    ac_guess_carry_beams(&o->description.chart, state, ac_q(o, n));
    continue_turns(o, n);
}

/* Between two configurations the directors of a body are shorter than one: bodies are rigid again. */
static void make_rigid(const ac_system *system, double *q)
{
    enum { MOST = 60 };
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double x[3], R[9];
        if (ac_node_turns(node) == 0) continue;
        ac_node_get_pose(node, q + node->q, x, R);
        if (ac_rotation_check(R, RIGID)) continue;
        for (int k = 0; k < MOST && !ac_rotation_check(R, RIGID); ++k) ac_rotation_polish(R);
        ac_node_set_pose(node, x, R, q + node->q);
    }
}

static void earlier_states(ac_optimization *o, int n)
{
    const ac_system *system = o->system;
    double at = (double)n / o->layout.N * (o->description.guess.motion_nodes - 1);
    int k = (int)ac_min(floor(at), o->description.guess.motion_nodes - 2);
    double share = at - k;
    const double *qa = o->description.guess.motion + (size_t)k * (size_t)o->layout.n, *qb = qa + o->layout.n;
    for (int i = 0; i < o->layout.n; ++i) o->point.work[i] = (1.0 - share) * qa[i] + share * qb[i];
    make_rigid(system, o->point.work);
    ac_joint_state *state = reference_at(o, n);
    for (int i = 0; i < system->node_count; ++i)
        ac_chart_read_state(&o->description.chart, i, o->point.work, &state[i]);
    continue_turns(o, n);
}

/* --- the guess --- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* Uniform in -1 to 1. */
static double signed_random(uint64_t *state)
{
    return 2.0 * ((double)(next_random(state) >> 11) / 9007199254740992.0) - 1.0;
}

/* Smooth waves on every freedom, zero at the first node. */
static void disturb(ac_optimization *o, double *xi)
{
    enum { WAVES = 3 };
    uint64_t state = o->description.guess.seed;
    for (int f = 0; f < o->layout.freedoms; ++f) {
        double wave[WAVES];
        for (int k = 0; k < WAVES; ++k) wave[k] = signed_random(&state) / (k + 1);
        double end = signed_random(&state);
        for (int n = 0; n <= o->layout.N; ++n) {
            double s = (double)n / o->layout.N, sum = 0.2 * end * s;
            for (int k = 0; k < WAVES; ++k) sum += wave[k] * ac_sin(ac_acos(-1.0) * (k + 1) * s);
            xi[n * o->layout.freedoms + f] = o->description.guess.disturbance * sum;
        }
    }
}

/* Free parameters move within their bounds, by a share of the room that they have on that side. */
static void disturb_parameters(ac_optimization *o)
{
    uint64_t state = o->description.guess.seed ^ 0x5bf03635f0935ad1ULL;
    for (int j = 0; j < o->layout.parameters; ++j) {
        const ac_parameter_data *p = &o->description.variation.parameters[j];
        double *value = &o->point.x[o->layout.first.parameter + j],
               share = ac_min(1.0, o->description.guess.disturbance) * signed_random(&state);
        *value += share * (share < 0.0 ? *value - p->low : p->high - *value);
        *value = ac_min(p->high, ac_max(p->low, *value));
    }
}

static void guess_parameters(ac_optimization *o)
{
    const ac_first_guess *guess = &o->description.guess;
    for (int j = 0; j < o->layout.parameters; ++j)
        o->point.x[o->layout.first.parameter + j] = guess->shared ? guess->shared[j]
                                                    : guess->has_parameters
                                                        ? guess->parameters[j]
                                                        : o->description.variation.parameters[j].start;
    if (guess->disturbance > 0.0 && !guess->shared) disturb_parameters(o);
}

static ac_status apply_disturbance(ac_optimization *o)
{
    if (o->description.guess.disturbance == 0.0) return AC_OK;
    double *xi = ac_allocate(o->ctx, (size_t)(o->layout.N + 1) * (size_t)o->layout.freedoms, sizeof *xi);
    if (!xi) return ac_out_of_memory(o->ctx);
    disturb(o, xi);
    for (int n = 0; n <= o->layout.N; ++n)
        ac_chart_move(&o->description.chart, xi + n * o->layout.freedoms, reference_at(o, n));
    ac_release(o->ctx, xi);
    return AC_OK;
}

/* The guess of the controls of interval n of N. */
static void guess_controls_of(const ac_optimization *o, int n, int N, double *u)
{
    const int count = o->description.control_count;
    double at = (n + 0.5) / N * (o->description.guess.motion_nodes - 1);
    int k = o->description.guess.motion ? (int)ac_min(floor(at), o->description.guess.motion_nodes - 2) : 0;
    for (int c = 0; c < count; ++c) {
        const ac_control *given = &o->description.controls[c].given;
        double value = o->description.guess.motion ? o->description.guess.motion_controls[k * count + c]
                                                   : given->guess;
        u[c] = ac_min(given->high, ac_max(given->low, value));
    }
}

static void guess_controls(ac_optimization *o)
{
    for (int n = 0; n < o->layout.N; ++n)
        guess_controls_of(o, n, o->layout.N, o->point.x + ac_control_variable(o, n));
}

void ac_optimization_guessed_controls(const ac_optimization *o, double *controls)
{
    const int N = o->settings.intervals;
    for (int n = 0; n < N; ++n)
        guess_controls_of(o, n, N, controls + (size_t)n * (size_t)o->description.control_count);
}

void ac_update_near(ac_optimization *o)
{
    for (int k = 0; o->description.phases && k < o->description.phases->count; ++k)
        ac_update_near(o->description.phases->list[k]);
    if (o->description.phases) return;
    const ac_system *system = o->system;
    double x[AC_ELEMENT_MAX];
    int measures = system->measure_count, scalars = o->description.scalars.count;
    for (int n = 0; n <= o->layout.N; ++n) {
        double *m = o->point.measure_windings + (size_t)n * (size_t)measures,
               *s = o->point.scalar_windings + (size_t)n * (size_t)scalars;
        for (int k = 0; k < measures; ++k) {
            const ac_measure *measure = &system->measures[k];
            ac_measure_gather(system, measure, ac_q(o, n), x);
            m[k] = ac_measure_evaluate(system, measure, x, n == 0 ? measure->initial : m[k - measures], NULL,
                                       NULL);
        }
        for (int k = 0; k < o->description.quantities.count; ++k) {
            int at = o->description.quantities.scalar[k], measure = o->description.quantities.measure[k];
            if (at < 0) continue; /* a signal */
            double winding = n > 0 ? s[at - scalars] : measure >= 0 ? system->measures[measure].initial : 0.0;
            s[at] = ac_scalar_evaluate(&o->description.scalars, at, ac_q(o, n), winding, NULL, NULL);
        }
    }
}

void ac_settle_turns(ac_optimization *o)
{
    ac_update_near(o);
    if (!ac_is_minimal(o)) return;
    o->point.fresh = false;
    ac_evaluate_at(o, o->point.x);
}

static void guess_velocities(ac_optimization *o)
{
    double h = o->settings.duration / o->layout.N;
    for (int e = 0; e < 2 && !o->layout.charted; ++e) {
        if (o->layout.first.velocity[e] < 0) continue;
        const double *a = ac_q(o, e == 0 ? 0 : o->layout.N - 1), *b = a + o->layout.extended;
        for (int i = 0; i < o->layout.n; ++i) o->point.x[o->layout.first.velocity[e] + i] = (b[i] - a[i]) / h;
    }
    if (o->transcription < AC_COLLOCATION_QP) return;
    for (int n = 0; n < o->layout.N; ++n) {
        double *v = o->point.local, *own = o->point.x + o->layout.first.momentum + n * o->layout.freedoms;
        for (int f = 0; f < o->layout.freedoms; ++f)
            v[f] = (o->point.x[ac_y(o, n + 1) + f] - o->point.x[ac_y(o, n) + f]) / h;
        memcpy(own, v, (size_t)o->layout.freedoms * sizeof *v);
        if (o->transcription == AC_COLLOCATION_QV) continue;
        ac_minimal_at(&o->point.minimal, o->point.x + ac_y(o, n));
        ac_minimal_momentum(&o->point.minimal, v, own, NULL, NULL);
    }
}

/* Multipliers of the guess: what of the residual the constraints can carry. */
static ac_status guess_multipliers(ac_optimization *o)
{
    ac_legendre legendre = {0};
    if (o->layout.charted || o->layout.used_constraints == 0) return AC_OK;
    double *lambda = ac_allocate(o->ctx, (size_t)o->system->constraints.count, sizeof *lambda);
    if (!lambda) return ac_out_of_memory(o->ctx);
    ac_status status = ac_legendre_create(o->ctx, o->system, true, &legendre);
    o->point.fresh = false;
    ac_evaluate_at(o, o->point.x);
    for (int n = 0; n <= o->layout.N && status == AC_OK; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        status = ac_legendre_multipliers(&legendre, ac_q(o, n), ac_residual(o, n), lambda);
        for (int k = 0; k < o->layout.used_constraints && status == AC_OK; ++k)
            if (ac_has_multiplier(o, n, k))
                o->point.x[ac_multiplier(o, n) + k] = lambda[o->layout.constraint_rows[k]] /
                                                      (ac_multiplier_factor(o, n) * o->point.h);
    }
    if (status == AC_SINGULAR) status = AC_OK; /* they stay zero */
    ac_legendre_destroy(&legendre);
    ac_release(o->ctx, lambda);
    return status;
}

/* The start at the guessed parameters. Loops that cannot be closed with them are left open. */
static ac_status guess_start(ac_optimization *o)
{
    ac_start *s = &o->point.start;
    double *xi, *u;
    bool found;
    AC_NEW(o->ctx, xi, 2 * o->layout.freedoms + 1);
    u = xi + o->layout.freedoms;
    ac_status status = ac_start_find(s, xi, u, &found);
    if (status == AC_OK) ac_start_guess(o, xi, u);
    if (status == AC_OK && !o->layout.charted)
        memcpy(o->point.x, s->point.q, (size_t)o->layout.n * sizeof *xi);
    if (status == AC_OK && !o->layout.charted && s->moves)
        ac_start_velocity(s, u, o->point.x + o->layout.first.velocity[0]);
    ac_release(o->ctx, xi);
    return status;
}

ac_status ac_guess_put(ac_optimization *o)
{
    if (o->description.phases) return ac_phases_guess(o);
    const ac_system *system = o->system;
    size_t states = (size_t)system->node_count;
    memset(o->point.x, 0,
           (size_t)o->layout.variables * sizeof *o->point.x); /* of what an earlier solve left */
    guess_parameters(o);
    if (o->layout.parameters > 0 && !ac_parameters_update(o, o->point.x)) return AC_NO_MEMORY;
    for (int n = 0; n <= o->layout.N; ++n) {
        if (o->description.guess.motion) {
            earlier_states(o, n);
        } else {
            initial_states(o, n);
        }
    }
    AC_TRY(ac_guess_close(o));
    AC_TRY(ac_guess_reach(o));
    AC_TRY(apply_disturbance(o));
    if (o->settings.start_fixed)
        memcpy(o->point.reference, ac_chart_start(&o->description.chart),
               states * sizeof *o->point.reference);
    for (int n = 0; n <= o->layout.N; ++n) {
        double *y = o->point.x + ac_y(o, n);
        ac_chart_forward(&o->description.chart, reference_at(o, n), ac_q(o, n));
        if (!o->layout.charted) memcpy(y, ac_q(o, n), (size_t)o->layout.n * sizeof *y);
        bool fixed = ac_is_minimal(o), round = o->settings.periodic && n == o->layout.N;
        if (!o->layout.charted || !(fixed || round)) continue;
        const ac_joint_state *base = fixed ? ac_chart_start(&o->description.chart) : o->point.reference;
        ac_chart_between(&o->description.chart, base, reference_at(o, n), y);
        memcpy(reference_at(o, n), base, states * sizeof *base);
    }
    for (int i = 0; i < o->layout.n; ++i)
        o->point.velocity[0][i] = o->settings.start_velocity ? system->initial.v[i] : 0.0;
    guess_controls(o);
    guess_velocities(o);
    if (ac_start_follows(o)) AC_TRY(guess_start(o));
    if (o->layout.by_time) {
        double T = o->description.guess.motion && o->description.guess.motion_duration > 0.0
                       ? o->description.guess.motion_duration
                       : o->settings.duration;
        o->point.x[o->layout.first.time] = ac_min(o->settings.most_duration,
                                                  ac_max(o->settings.least_duration, T));
    }
    ac_update_near(o);
    ac_apart_guess(o);
    ac_layout_bound_rows(o);
    AC_TRY(guess_multipliers(o));
    o->point.fresh = false;
    return AC_OK;
}

void ac_rebase(ac_optimization *o)
{
    if (o->description.phases) {
        ac_phases_rebase(o);
        return;
    }
    if (!o->layout.charted || ac_is_minimal(o)) return;
    for (int n = 0; n <= o->layout.N; ++n) {
        double *y = o->point.x + ac_y(o, n);
        bool last = o->settings.periodic && n == o->layout.N;
        if (n == 0 && ac_start_follows(o)) continue; /* its freedoms count from the given start */
        if (last)
            memcpy(reference_at(o, n), o->point.reference,
                   (size_t)o->system->node_count * sizeof *o->point.reference);
        if (!last) ac_chart_move(&o->description.chart, y, reference_at(o, n));
        memset(y, 0, (size_t)o->layout.freedoms * sizeof *y);
    }
    ac_layout_bound_rows(o);
    o->point.fresh = false;
}
