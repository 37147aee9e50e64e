/* The first guess of several phases: their own guesses, the velocities where they meet, lengths and impulses.
 *
 * Without an earlier motion the velocities at the ends are those of the first and the last interval, and there are no impulses.
 * With one its velocities are known, and the impulses follow: min | D_0^T (M v_0 - M S v_N - G^T I) |. So do restitutions that
 * are unknown. Where a loss is given and no motion there are impulses, too: without rates and impulses its row has no slope. */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "linalg/dense.h"
#include "math/math.h"
#include "optimize/phases/phases.h"

static const double RANK_TOLERANCE = 1e-9;

/* A least-squares problem A x = b with `rows` rows. */
typedef struct fit {
    ac_optimization *o;
    int rows, columns;
    double *A, *b, *x, *work;
    int *ints;
    ac_row_space space;
} fit;

static void fit_end(fit *s)
{
    void *blocks[] = {s->A, s->b, s->x, s->work, s->ints};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->o->ctx, blocks[k]);
}

static ac_status fit_begin(ac_optimization *o, int rows, int columns, fit *s)
{
    *s = (fit){.o = o, .rows = rows, .columns = columns};
    AC_NEW(o->ctx, s->A, (size_t)rows * (size_t)columns);
    AC_NEW(o->ctx, s->b, rows);
    AC_NEW(o->ctx, s->x, columns);
    AC_NEW(o->ctx, s->work, ac_row_space_doubles(columns, rows));
    AC_NEW(o->ctx, s->ints, ac_row_space_ints(columns, rows));
    ac_row_space_place(&s->space, columns, rows, s->work, s->ints);
    return AC_OK;
}

/* --- velocities --- */

/* D w = v at an end of a phase, whose configurations are known. */
static ac_status fit_rates(ac_optimization *phase, int e)
{
    fit s;
    int T = phase->layout.freedoms, n = phase->layout.n, first = phase->layout.first.velocity[e];
    const double *D = ac_point_of(phase, e == 0 ? 0 : phase->layout.N).D;
    ac_status status = fit_begin(phase, n, T, &s);
    for (int i = 0; i < n && status == AC_OK; ++i) {
        s.b[i] = phase->description.guess.motion_velocities[e * n + i];
        for (int f = 0; f < T; ++f) s.A[i * T + f] = D[i * phase->layout.span + f];
    }
    if (status == AC_OK) {
        ac_least_squares(&s.space, s.A, s.b, RANK_TOLERANCE, s.x);
        memcpy(phase->point.x + first, s.x, (size_t)T * sizeof *s.x);
    }
    fit_end(&s);
    return status;
}

/* Those of an earlier motion. */
static ac_status known_rates(ac_optimization *phase)
{
    size_t n = (size_t)phase->layout.n;
    if (!phase->description.guess.motion || !phase->description.guess.motion_velocities) return AC_OK;
    phase->point.fresh = false;
    ac_evaluate_at(phase, phase->point.x);
    for (int e = 0; e < 2; ++e) {
        int first = phase->layout.first.velocity[e];
        if (first < 0) continue;
        if (phase->layout.charted) {
            AC_TRY(fit_rates(phase, e));
        } else {
            memcpy(phase->point.x + first, phase->description.guess.motion_velocities + (size_t)e * n,
                   n * sizeof *phase->point.x);
        }
    }
    phase->point.fresh = false;
    return AC_OK;
}

static ac_status keep_velocities(ac_optimization *phase)
{
    size_t n = (size_t)phase->layout.n;
    ac_release(phase->ctx, phase->description.guess.motion_velocities);
    phase->description.guess.motion_velocities = NULL;
    AC_NEW(phase->ctx, phase->description.guess.motion_velocities, 2 * n);
    for (size_t e = 0; e < 2; ++e)
        memcpy(phase->description.guess.motion_velocities + e * n, phase->point.velocity[e],
               n * sizeof *phase->point.x);
    return AC_OK;
}

/* Rates at the ends of a phase: those of its first and last interval. */
static void guess_rates(ac_optimization *phase)
{
    double h = phase->settings.duration / phase->layout.N;
    size_t states = (size_t)phase->system->node_count;
    for (int e = 0; e < 2; ++e) {
        if (phase->layout.first.velocity[e] < 0 || !phase->layout.charted) continue;
        const ac_joint_state *a = phase->point.reference +
                                  (size_t)(e == 0 ? 0 : phase->layout.N - 1) * states;
        double *w = phase->point.x + phase->layout.first.velocity[e];
        ac_chart_between(&phase->description.chart, a, a + states, w);
        const double *y = phase->point.x + ac_y(phase, e == 0 ? 0 : phase->layout.N - 1);
        for (int f = 0; f < phase->layout.freedoms && ac_is_minimal(phase); ++f)
            w[f] = y[phase->layout.width + f] - y[f];
        for (int f = 0; f < phase->layout.freedoms; ++f) w[f] /= h;
    }
}

/* --- impulses --- */

/* out_f, `stride` numbers apart, = D_0f . force */
static void project(const ac_meeting *m, int count, const int *at, const double *force, double *out,
                    int stride)
{
    for (int i = 0; i < count; ++i) {
        int row = at ? at[i] : i;
        if (!m->charted) out[row * stride] += force[i];
        for (int f = 0; f < m->T && m->charted; ++f)
            out[f * stride] += m->start.D[row * m->b->layout.span + f] * force[i];
    }
}

static ac_status fit_impulses(ac_optimization *o, const ac_junction_data *j)
{
    ac_meeting m;
    ac_strike strike;
    fit s;
    ac_status status = fit_begin(o, o->description.phases->list[j->to]->layout.width, j->strikes, &s);
    if (status == AC_OK) {
        ac_meet(o, j, &m);
        project(&m, m.n, NULL, m.behind[AC_AFTER].P, s.b, 1);
        for (int k = 0; k < j->strikes; ++k) {
            ac_strike_evaluate(&m, k, &strike);
            project(&m, strike.plain, strike.at, strike.gradient, s.A + k, j->strikes);
        }
        ac_least_squares(&s.space, s.A, s.b, RANK_TOLERANCE, s.x);
        memcpy(o->point.x + j->impulses, s.x, (size_t)j->strikes * sizeof *s.x);
    }
    fit_end(&s);
    return status;
}

/* The velocity at the end of compression and its impulses: the rows that they are in, which are linear in them. */
static ac_status fit_compression(ac_optimization *o, const ac_junction_data *j)
{
    ac_meeting m;
    ac_strike strike;
    fit s;
    int width = o->description.phases->list[j->to]->layout.width, impulses = j->strikes - j->along_count,
        columns = width + impulses;
    AC_TRY(fit_begin(o, columns, columns, &s));
    ac_meet(o, j, &m);
    double *momentum = ac_meeting_vector(o, &m, 1), *unit = ac_meeting_vector(o, &m, 2);
    ac_mass_apply(m.b->system, m.Sv, momentum);
    project(&m, m.n, NULL, momentum, s.b, 1);
    for (int f = 0; f < width; ++f) {
        for (int i = 0; i < m.n; ++i) unit[i] = m.charted ? m.start.D[i * m.W + f] : i == f;
        ac_mass_apply(m.b->system, unit, momentum);
        project(&m, m.n, NULL, momentum, s.A + f, columns);
    }
    for (int k = 0; k < j->strikes; ++k) {
        int at = ac_strike_unknown(&m, AC_ENDED, k) - j->ended;
        if (at < 0) continue;
        ac_strike_evaluate(&m, k, &strike);
        project(&m, strike.plain, strike.at, strike.gradient, s.A + at, columns);
        for (int f = 0; f < width; ++f) {
            s.A[at * columns + f] = s.A[f * columns + at];
            s.A[f * columns + at] *= -1.0;
        }
    }
    ac_least_squares(&s.space, s.A, s.b, RANK_TOLERANCE, s.x);
    memcpy(o->point.x + j->ended, s.x, (size_t)columns * sizeof *s.x);
    fit_end(&s);
    return AC_OK;
}

static void fit_restitutions(ac_optimization *o, const ac_junction_data *j)
{
    static const ac_rate_sum FIRST = {{0.0, 0.0}, 1.0}, THEN = {{1.0, 0.0}, 0.0};
    ac_meeting m;
    ac_strike strike;
    ac_meet(o, j, &m);
    for (int k = 0; k < j->bounce_count; ++k) {
        if (j->bounce[k].lossy < 0) continue;
        ac_strike_evaluate(&m, m.b->description.phase.hold_count + k, &strike);
        double before = ac_rate_sum_value(&m, &strike, FIRST), behind = ac_rate_sum_value(&m, &strike, THEN);
        if (before * behind < 0.0) o->point.x[j->restitutions + j->bounce[k].lossy] = -behind / before;
    }
}

/* The whole mass loses the energy with the restitution 1/2, L = I^2 / 6 m; the impulse is against the rate, and positive where
 * there is none: quantities grow away from what they strike. Two thirds of it are compression. */
static void assume_losses(ac_optimization *o, const ac_junction_data *j)
{
    static const ac_rate_sum FIRST = {{0.0, 0.0}, 1.0};
    ac_meeting m;
    ac_strike strike;
    ac_meet(o, j, &m);
    for (int k = 0; k < j->bounce_count; ++k) {
        int number = m.b->description.phase.hold_count + k;
        if (j->bounce[k].lossy < 0) continue;
        ac_strike_evaluate(&m, number, &strike);
        double size = sqrt(6.0 * ac_total_mass(o->system) * j->bounce[k].loss),
               impulse = ac_rate_sum_value(&m, &strike, FIRST) > 0.0 ? -size : size;
        o->point.x[j->restitutions + j->bounce[k].lossy] = 0.5;
        o->point.x[ac_strike_unknown(&m, AC_AFTER, number)] = impulse;
        if (ac_has_compression(j)) o->point.x[ac_strike_unknown(&m, AC_ENDED, number)] = impulse / 1.5;
    }
}

static ac_status guess_impulses(ac_optimization *o)
{
    const ac_phases *p = o->description.phases;
    o->point.fresh = false;
    ac_evaluate_at(o, o->point.x);
    for (int k = 0; k < p->junction_count; ++k) {
        const ac_junction_data *j = &p->junctions[k];
        bool known = p->list[j->from]->description.guess.motion_velocities &&
                     p->list[j->to]->description.guess.motion_velocities;
        assume_losses(o, j);
        if (known && j->strikes > 0) AC_TRY(fit_impulses(o, j));
        if (known) fit_restitutions(o, j);
        if (known && ac_has_compression(j)) AC_TRY(fit_compression(o, j));
    }
    o->point.fresh = false;
    return AC_OK;
}

/* --- the whole --- */

ac_status ac_phases_guess(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    for (int k = 0; k < p->count; ++k) {
        ac_optimization *phase = p->list[k];
        phase->description.guess.seed = o->description.guess.seed + 7919u * (unsigned long)k;
        phase->description.guess.disturbance = o->description.guess.disturbance;
        const ac_optimization *last = k > 0 ? p->list[k - 1] : NULL;
        phase->description.guess.before =
            last ? last->point.reference + (size_t)last->layout.N * (size_t)o->system->node_count : NULL;
        phase->description.guess.shared = k > 0 ? o->point.x + o->layout.first.parameter : NULL;
        AC_TRY(ac_guess_put(phase));
        guess_rates(phase);
        AC_TRY(known_rates(phase));
        AC_TRY(ac_guess_holds(phase));
        ac_phases_give_unknowns(o, k);
    }
    for (int i = p->first_variable[p->count]; i < o->layout.first.parameter; ++i) o->point.x[i] = 0.0;
    for (int k = 0; k < p->junction_count; ++k) {
        const ac_junction_data *j = &p->junctions[k];
        if (j->length >= 0) o->point.x[j->length] = ac_min(j->high, ac_max(j->low, j->guess));
    }
    AC_TRY(guess_impulses(o));
    ac_shared_guess(o);
    ac_phases_bound_rows(o);
    return AC_OK;
}

void ac_phases_guess_lengths(ac_optimization *o, const ac_optimization *from)
{
    for (int k = 0; k < o->description.phases->junction_count; ++k) {
        const ac_junction_data *j = &from->description.phases->junctions[k];
        if (j->length >= 0) o->description.phases->junctions[k].guess = from->point.x[j->length];
    }
}

ac_status ac_phases_take_lengths(const ac_optimization *o, double **lengths)
{
    *lengths = NULL;
    if (ac_optimization_junctions(o) == 0) return AC_OK;
    AC_NEW(o->ctx, *lengths, ac_optimization_junctions(o));
    for (int k = 0; k < ac_optimization_junctions(o); ++k)
        (*lengths)[k] = o->description.phases->junctions[k].guess;
    return AC_OK;
}

void ac_phases_give_lengths(ac_optimization *o, double *lengths)
{
    for (int k = 0; lengths && k < ac_optimization_junctions(o); ++k)
        o->description.phases->junctions[k].guess = lengths[k];
    ac_release(o->ctx, lengths);
}

ac_status ac_phases_keep_motion(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    if (o->layout.ready) ac_phases_guess_lengths(o, o);
    for (int k = 0; k < p->count; ++k) {
        if (o->layout.ready) AC_TRY(keep_velocities(p->list[k]));
        AC_TRY(ac_keep_motion(p->list[k]));
    }
    o->description.guess.disturbance = 0.0;
    if (o->layout.ready) ac_layout_destroy(o);
    return AC_OK;
}

ac_status ac_phases_remesh(ac_optimization *o, int intervals)
{
    ac_phases *p = o->description.phases;
    AC_TRY(ac_phases_keep_motion(o));
    for (int k = 0; k < p->count; ++k) {
        ac_optimization_settings *s = &p->list[k]->settings;
        double share = (double)s->intervals / o->settings.intervals;
        s->intervals = (int)ac_max(1.0, round(share * intervals));
    }
    o->settings.intervals = intervals;
    return AC_OK;
}
