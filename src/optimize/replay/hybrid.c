/* A phase in the hybrid reference: the differential equations of the same mechanism, with what the phase holds, by the classical
 * Runge-Kutta method, the instant of the strike by bisection, and the continuous jump. Nothing of the discrete action is used. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "action/inertia.h"
#include "action/interval.h"
#include "action/scheme/scheme.h"
#include "integrate/stepper.h"
#include "math/math.h"
#include "optimize/replay/replay.h"

/* Steps of the reference in an interval of the transcription. */
enum { SUBSTEPS = 4, BISECTIONS = 60, LOSS_PASSES = 100, STRIKES_MOST = 64 };
/* Rates after given losses that change by less than this part do not change. */
static const double SETTLED = 1e-13;
/* Length of the interval that stands for an instant, s: dampers of beams are secants of one. */
static const double INSTANT = 1e-6;

typedef struct hybrid {
    ac_replay_phase *r;
    ac_system system;   /* without contacts */
    ac_stepper stepper; /* for its interval: forces of elements, loads and controls */
    ac_equations held;
    double *x, *rate[4], *stage, *force; /* (q, v): 2 n each; n */
} hybrid;

/* Forces at an instant, then accelerations. */
static ac_status rates(hybrid *h, double t, const double *x, double *out)
{
    int n = h->system.n;
    ac_interval *iv = &h->stepper.interval;
    const double *q = x, *v = x + n;
    iv->t = t - 0.5 * INSTANT;
    iv->h = INSTANT;
    for (int i = 0; i < n; ++i) {
        h->stepper.qa[i] = q[i] - 0.5 * INSTANT * v[i];
        h->stepper.qb[i] = q[i] + 0.5 * INSTANT * v[i];
        iv->velocity[i] = v[i];
        h->force[i] = 0.0;
    }
    ac_gravity_add(&h->system, 1.0, h->force);
    ac_potential_add_gradient(&h->system, q, iv->winding, -1.0, h->force);
    ac_interval_add_damping(iv, q, 1.0, h->force);
    ac_interval_add_inputs(iv, AC_AT_TIME_NODE, q, 1.0, h->force);
    AC_TRY(ac_equations_factor(&h->held, q));
    memcpy(out, v, (size_t)n * sizeof *out);
    return ac_equations_solve(&h->held, q, h->force, NULL, v, out + n);
}

/* From (q, v) at time t over a step, into h->x. */
static ac_status runge_kutta(hybrid *h, double t, double step, const double *from)
{
    static const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    int n = 2 * h->system.n;
    for (int s = 0; s < 4; ++s) {
        for (int i = 0; i < n; ++i)
            h->stage[i] = from[i] + (s > 0 ? part[s] * step * h->rate[s - 1][i] : 0.0);
        AC_TRY(rates(h, t + part[s] * step, h->stage, h->rate[s]));
    }
    for (int i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int s = 0; s < 4; ++s) sum += weight[s] * h->rate[s][i];
        h->x[i] = from[i] + step / 6.0 * sum;
    }
    return AC_OK;
}

static double gap(const hybrid *h)
{
    const ac_strike_end *end = h->r->end;
    return end->side * ac_strike_end_gap(end, end->trigger, h->x, NULL);
}

/* The length of the last step, at whose end the gap closes. */
static ac_status bisect(hybrid *h, double t, double step, const double *from, double *length)
{
    double low = 0.0, high = step;
    for (int k = 0; k < BISECTIONS; ++k) {
        double middle = 0.5 * (low + high);
        AC_TRY(runge_kutta(h, t, middle, from));
        *(gap(h) < 0.0 ? &high : &low) = middle;
    }
    *length = high;
    return runge_kutta(h, t, high, from);
}

static ac_status walk(hybrid *h, double *from, bool *struck)
{
    ac_replay_phase *r = h->r;
    int N = r->phase->layout.N;
    double T = ac_optimization_duration(r->phase), step = T / N / SUBSTEPS;
    bool open = false;
    size_t bytes = 2 * (size_t)h->system.n * sizeof *from;
    *struck = false;
    for (long k = 0;; ++k) {
        long interval = k / SUBSTEPS;
        double t = (double)k * step, length = step;
        r->duration = t;
        if (r->end->trigger < 0 && interval == N) return ac_replay_show(r, N, t, h->x);
        if (t > AC_REPLAY_PATIENCE * T) return AC_OK;
        if (k % SUBSTEPS == 0) AC_TRY(ac_replay_show(r, (int)interval, t, h->x));
        h->stepper.interval.tau = ac_optimization_input_values(r->phase,
                                                               interval < N ? (int)interval : N - 1);
        memcpy(from, h->x, bytes);
        AC_TRY(runge_kutta(h, t, step, from));
        bool watched = r->end->trigger >= 0 && t + step >= r->end->from * T;
        if (watched && open && gap(h) < 0.0) {
            AC_TRY(bisect(h, t, step, from, &length));
            r->duration = t + length;
            *struck = true;
        }
        open = open || (watched && gap(h) > 0.0);
        ac_stepper_wind(&h->stepper, h->x, h->stepper.winding);
        if (*struck) return ac_replay_show(r, -1, r->duration, h->x);
    }
}

/* One interval from every node of the motion found. */
static ac_status find_defect(hybrid *h, double *from)
{
    ac_optimization *phase = h->r->phase;
    int n = h->system.n, N = phase->layout.N;
    double step = ac_optimization_duration(phase) / N / SUBSTEPS;
    ac_found found;
    ac_status status = ac_found_open(phase, h->r->system, &found);
    h->r->defect = 0.0;
    for (int k = 0; k < N && status == AC_OK; ++k) {
        memcpy(h->x, ac_q(phase, k), (size_t)n * sizeof *h->x);
        status = ac_found_velocity(&found, k, h->x + n);
        h->stepper.interval.tau = ac_optimization_input_values(phase, k);
        memcpy(h->stepper.winding, ac_optimization_near(phase, k),
               (size_t)h->system.measure_count * sizeof *h->x);
        for (int s = 0; s < SUBSTEPS && status == AC_OK; ++s) {
            memcpy(from, h->x, 2 * (size_t)n * sizeof *from);
            status = runge_kutta(h, (SUBSTEPS * k + s) * step, step, from);
        }
        h->r->defect = ac_max(h->r->defect, ac_replay_difference(n, h->x, ac_q(phase, k + 1)));
    }
    ac_found_close(&found);
    return status;
}

/* The rate r with which a quantity bounces that came with the rate `before`, if the impulse a + b r on it takes the energy
 * `loss`: (a + b r) (r + before) / 2 = -loss. It stops where the energy is not there. */
static double rate_after_loss(double a, double b, double before, double loss)
{
    double half = 0.5 * (a / b - before), square = half * half - 2.0 * loss / b;
    if (!(square >= 0.0)) return 0.0;
    double after = -0.5 * (a / b + before) + (before < 0.0 ? sqrt(square) : -sqrt(square));
    return after * before < 0.0 ? after : 0.0;
}

/* The impulse on what strikes, number k, if the rates behind are `rate`; p: momentum before, v: velocity behind. */
static ac_status impulse(ac_equations *next, const double *q, const double *p, const double *rate, int k,
                         double *v, double *size)
{
    AC_TRY(ac_equations_solve(next, q, p, rate, NULL, v));
    *size = -next->right[next->system->n + next->constraints + k];
    return AC_OK;
}

/* What strikes, and its rates: what the next phase holds, what bounces, what is along the surface. */
typedef struct strike_rates {
    int scalars[STRIKES_MOST];
    double before[STRIKES_MOST], behind[STRIKES_MOST];
    double restitution[STRIKES_MOST];
} strike_rates;

/* Rates behind of what bounces with given losses: one after the other until they stay. */
static ac_status settle_losses(const ac_strike_end *end, ac_equations *next, const double *q, const double *p,
                               strike_rates *s, double *v)
{
    const ac_junction_data *j = end->junction;
    int held = end->next->description.phase.hold_count;
    double *rate = s->behind;
    bool settled = j->lossy_count == 0;
    for (int pass = 0; pass < LOSS_PASSES && !settled; ++pass) {
        settled = true;
        for (int k = held; k < end->count; ++k) {
            double last = rate[k], a, slope;
            if (j->bounce[k - held].lossy < 0) continue;
            rate[k] = 0.0;
            AC_TRY(impulse(next, q, p, rate, k, v, &a));
            rate[k] = 1.0;
            AC_TRY(impulse(next, q, p, rate, k, v, &slope));
            rate[k] = rate_after_loss(a, slope - a, s->before[k], j->bounce[k - held].loss);
            settled = settled && fabs(rate[k] - last) <= SETTLED * fabs(s->before[k]);
        }
    }
    return settled ? AC_OK
                   : ac_fail(end->phase->ctx, AC_NOT_CONVERGED,
                             "given losses of several quantities that strike at once have no common bounce");
}

/* The rate of a quantity of the next phase. */
static double rate_of(const ac_strike_end *end, int scalar, const double *q, const double *v)
{
    const ac_scalars *list = &end->next->description.scalars;
    double own[AC_SCALAR_MAX], rate = 0.0;
    ac_scalar_evaluate(list, scalar, q, end->next->point.scalar_windings[scalar], own, NULL);
    for (int i = 0; i < list->list[scalar].plain; ++i)
        rate += own[i] * v[ac_scalar_coordinates(list, scalar)[i]];
    return rate;
}

static ac_status factor(const ac_strike_end *end, ac_equations *next, const double *q)
{
    ac_status status = ac_equations_factor(next, q);
    if (status != AC_SINGULAR) return status;
    return ac_fail(end->phase->ctx, AC_NOT_CONVERGED,
                   "quantities that strike depend on one another, so that their impulses are not unique");
}

/* Velocity v at the end of compression: what bounces has no rate, and nothing acts along the surface. The impulses show the energy
 * of the motion that has ended, of which given losses are a part. */
static ac_status compress(const ac_strike_end *end, ac_equations *next, const double *q, const double *p,
                          strike_rates *s, double *v)
{
    const ac_junction_data *j = end->junction;
    int held = end->next->description.phase.hold_count;
    AC_TRY(factor(end, next, q));
    AC_TRY(ac_equations_solve(next, q, p, NULL, NULL, v));
    for (int k = 0; k < j->bounce_count; ++k) {
        double pressure = -next->right[next->system->n + next->constraints + held + k],
               energy = -0.5 * pressure * s->before[held + k], loss = j->bounce[k].loss;
        if (j->bounce[k].lossy >= 0) s->restitution[k] = loss < energy ? sqrt(1.0 - loss / energy) : 0.0;
    }
    return AC_OK;
}

/* Rates behind, as of contacts. v: velocity before, or at the end of compression where there is one. */
static void find_rates(const ac_strike_end *end, const double *q, const double *v, strike_rates *s)
{
    const ac_junction_data *j = end->junction;
    int held = end->next->description.phase.hold_count;
    for (int k = 0; k < j->bounce_count + j->along_count; ++k) {
        const ac_bounce_data *b = &j->bounce[k];
        double e = s->restitution[b->normal < 0 ? k : b->normal];
        s->behind[held + k] = -e * s->before[held + k];
        if (b->normal >= 0)
            s->behind[held + k] += (1.0 + e - j->bounce[b->normal].tangential) *
                                   rate_of(end, b->scalar, q, v);
    }
}

/* Velocity after the impulses of the next phase, in its coordinates; v is the one before. */
static ac_status strike(const ac_strike_end *end, const double *q, const double *p, double *v)
{
    const ac_junction_data *j = end->junction;
    int held = end->next->description.phase.hold_count;
    bool compression = ac_has_compression(j);
    ac_equations next = {0};
    strike_rates s = {.restitution = {0.0}};
    for (int k = 0; k < end->count; ++k) {
        s.scalars[k] = ac_strike_end_scalar(end, k);
        s.before[k] = k < held ? 0.0 : rate_of(end, s.scalars[k], q, v);
        if (k >= held) s.restitution[k - held] = j->bounce[k - held].restitution;
    }
    ac_status status = AC_OK;
    if (compression) {
        status = ac_equations_open(end->next, held + j->bounce_count, s.scalars, &next);
        if (status == AC_OK) status = compress(end, &next, q, p, &s, v);
        ac_equations_close(end->phase->ctx, &next);
        AC_TRY(status);
    }
    find_rates(end, q, v, &s);
    status = ac_equations_open(end->next, end->count, s.scalars, &next);
    if (status == AC_OK) status = factor(end, &next, q);
    if (status == AC_OK && !compression) status = settle_losses(end, &next, q, p, &s, v);
    if (status == AC_OK) status = ac_equations_solve(&next, q, p, s.behind, NULL, v);
    ac_equations_close(end->phase->ctx, &next);
    return status;
}

/* The velocity after the impulses, seen from this phase again, in r->after. */
static ac_status jump(hybrid *h)
{
    const ac_strike_end *end = h->r->end;
    const ac_junction_data *j = end->junction;
    int n = h->system.n;
    double *q = h->stage, *v = h->stage + n;
    if (end->count > STRIKES_MOST) return ac_fail(end->phase->ctx, AC_BAD_INPUT, "too much strikes at once");
    ac_junction_apply(h->r->whole, j, h->x, true, q);
    ac_junction_apply(h->r->whole, j, h->x + n, false, v);
    ac_mass_apply(&h->system, v, h->force);
    AC_TRY(strike(end, q, h->force, v));
    memset(h->r->after, 0, (size_t)n * sizeof *h->r->after);
    for (int e = 0; e < j->map_count; ++e) h->r->after[j->map[e].from] += j->map[e].factor * v[j->map[e].to];
    return AC_OK;
}

static ac_status open_hybrid(ac_replay_phase *r, hybrid *h)
{
    ac_context *ctx = r->phase->ctx;
    size_t n = (size_t)r->phase->system->n;
    ac_simulation_settings settings;
    h->r = r;
    h->system = *r->system;
    h->system.contact_count = 0;
    ac_simulation_defaults(&settings);
    settings.scheme = "midpoint";
    settings.formulation = "reduced";
    settings.step = ac_optimization_duration(r->phase) / r->phase->layout.N;
    h->stepper.interval.controls = ac_optimization_inputs(r->phase);
    h->stepper.interval.tau = ac_optimization_input_values(r->phase, 0);
    AC_TRY(ac_stepper_create(&h->stepper, ctx, &h->system, &settings));
    double **blocks[] = {&h->x, &h->rate[0], &h->rate[1], &h->rate[2], &h->rate[3], &h->stage};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) AC_NEW(ctx, *blocks[k], 2 * n);
    AC_NEW(ctx, h->force, n);
    return ac_equations_open(r->phase, r->phase->description.phase.hold_count,
                             r->phase->description.phase.holds, &h->held);
}

/* Where the phase begins. */
static void start(hybrid *h)
{
    const ac_replay_point *point = h->r->point;
    size_t n = (size_t)h->system.n;
    memcpy(h->x, point->q, n * sizeof *h->x);
    memcpy(h->x + n, point->v, n * sizeof *h->x);
    memcpy(h->stepper.winding, point->winding, (size_t)h->system.measure_count * sizeof *h->x);
}

static void close_hybrid(ac_context *ctx, hybrid *h)
{
    double *blocks[] = {h->x, h->rate[0], h->rate[1], h->rate[2], h->rate[3], h->stage, h->force};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    ac_equations_close(ctx, &h->held);
    ac_stepper_destroy(&h->stepper);
    ac_release(ctx, h);
}

static ac_status run(ac_replay_phase *r, hybrid *h)
{
    double *from = NULL;
    bool struck = false;
    size_t n = (size_t)r->phase->system->n;
    AC_TRY(open_hybrid(r, h));
    AC_NEW(r->phase->ctx, from, 2 * n);
    ac_status status = r->cycle == 0 ? find_defect(h, from) : AC_OK; /* it is the same in all cycles */
    if (status == AC_OK) start(h);
    if (status == AC_OK) status = walk(h, from, &struck);
    ac_release(r->phase->ctx, from);
    AC_TRY(status);
    memcpy(r->point->q, h->x, n * sizeof *h->x);
    memcpy(r->point->v, h->x + n, n * sizeof *h->x);
    memcpy(r->point->winding, h->stepper.winding, (size_t)h->system.measure_count * sizeof(double));
    memcpy(r->after, r->point->v, n * sizeof *h->x);
    if (r->end->trigger >= 0 && !struck) {
        snprintf(
            r->remark, AC_REPLAY_REMARK_SIZE, "'%s' does not strike in cycle %d",
            ac_optimization_impulse_name(
                r->whole, (int)(r->end->junction - r->whole->description.phases->junctions), r->end->trigger),
            r->cycle + 1);
        return AC_NOT_CONVERGED;
    }
    return r->end->junction ? jump(h) : AC_OK;
}

ac_status ac_replay_hybrid(ac_replay_phase *r)
{
    hybrid *h;
    if (r->phase->system->mesh.dual_nodes > 0) {
        snprintf(r->remark, AC_REPLAY_REMARK_SIZE,
                 "the hybrid reference does not have beams of dual quaternions");
        return AC_NOT_CONVERGED;
    }
    AC_NEW(r->phase->ctx, h, 1);
    ac_status status = run(r, h);
    close_hybrid(r->phase->ctx, h);
    return status;
}
