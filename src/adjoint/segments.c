/* Shooting in segments: controls and the starts of all segments but the first are unknowns, and each start must match the
 * end before it.
 *
 * A step closes the gaps to first order whatever the controls do: dx of the starts follows from du and the gaps by the
 * tangent of the motion (second/tangent.c). What is left is a quadratic model in du alone (condensing): its gradient is that of
 * the objective plus second derivatives times the motion that the gaps cause. The merit is the objective plus a penalty
 * times the gaps, raised until a step must lower it. One segment: no gaps, the merit is the objective.
 */
#include "adjoint/segments.h"

#include <math.h>
#include <string.h>

#include "action/inertia.h"

#include "math/math.h"
#include "tree/kinematics.h"

enum { CLOSING = 30 };

static const double CLOSED = 1e-13, RANK_TOLERANCE = 1e-9;
/* Gaps that count as closed, in parts of the sizes of configuration and momentum. */
static const double MATCHED = 1e-8;
/* Where a search in one segment takes over, which converges faster: the merit of gaps rejects good steps close to the end. */
static const double JOINED = 1e-5, ROUGH = 1e-3;

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

/* --- starts --- */

/* Loops of a start that was moved are closed by the shortest corrections of the tree's freedoms. */
static ac_status close_loops(ac_segments *s, double *q)
{
    const ac_system *system = s->shooting->o->system;
    const ac_constraints *c = &system->constraints;
    int rows = c->count - c->closure, freedoms = system->tree.freedoms;
    if (rows == 0) return AC_OK;
    double *columns = s->closing, *J = columns + 6 * freedoms, *g = J + rows * freedoms, *x = g + rows;
    for (int k = 0; k < CLOSING; ++k) {
        double most = 0.0;
        ac_constraints_value(system, q, c->closure, g);
        for (int r = 0; r < rows; ++r) most = ac_max(most, fabs(g[r]));
        if (most <= CLOSED * system->length_scale) return AC_OK;
        ac_tree_columns(system, s->to, q, columns);
        ac_closure_jacobian(system, columns, q, J);
        ac_row_space_factor(&s->space, J, RANK_TOLERANCE, rows);
        ac_row_space_solve(&s->space, g, x);
        for (int j = 0; j < freedoms; ++j) x[j] = -x[j];
        memcpy(s->from, s->to, (size_t)system->node_count * sizeof *s->to);
        ac_tree_move(system, x, s->from, s->to, q);
    }
    return ac_fail(s->ctx, AC_NOT_CONVERGED, "the loops of a segment's start do not close");
}

/* Starts of all segments: the base moved by a part of the announced step. */
static ac_status move_starts(ac_segments *s, double part)
{
    const ac_system *system = s->shooting->o->system;
    int n = system->n, freedoms = system->tree.freedoms;
    for (int k = 1; k < s->second->segments; ++k) {
        double *q = s->second->start_q + k * n, *p = s->second->start_p + k * n, *x = s->closing;
        memcpy(q, s->base_q + k * n, (size_t)n * sizeof *q);
        for (int i = 0; i < n; ++i) p[i] = s->base_p[k * n + i] + part * s->push[k * n + i];
        if (part == 0.0) continue;
        for (int j = 0; j < freedoms; ++j) x[j] = part * s->turn[k * freedoms + j];
        for (int i = 0; i < system->node_count; ++i)
            ac_joint_read_state(system, &system->nodes[i], q, &s->from[i]);
        ac_tree_move(system, x, s->from, s->to, q);
        AC_TRY(close_loops(s, q));
    }
    return AC_OK;
}

/* The sum of all gaps, in parts of the sizes of configuration and momentum. What constraint forces at the start of a step can
 * close is no gap; those of energy-momentum act at the mean and cannot. */
static ac_status measure_gaps(ac_segments *s)
{
    ac_second *second = s->second;
    int n = second->d->system->n;
    bool all = second->d->discrete.scheme == AC_ENERGY_MOMENTUM;
    double *gap_q = second->vectors[5], *gap_p = second->vectors[6];
    s->gap = 0.0;
    for (int k = 1; k < second->segments; ++k) {
        AC_TRY(ac_second_gap(second, k, gap_q, gap_p));
        AC_TRY(ac_legendre_project(&second->d->legendre, second->start_q + k * n, gap_p));
        s->gap += norm(n, gap_q) / second->d->system->length_scale +
                  norm(n, all ? gap_p : second->d->legendre.projected) / s->momentum;
    }
    return AC_OK;
}

/* --- the function --- */

static ac_status simulate(ac_segments *s, const double *u)
{
    ac_shooting *shooting = s->shooting;
    memcpy(shooting->adjoint->controls, u, (size_t)shooting->size * sizeof *u);
    shooting->objective.status = AC_OK;
    ++shooting->evaluations;
    ac_status status = ac_second_simulate(s->second, &shooting->objective.functional, &s->value);
    return shooting->objective.status != AC_OK ? shooting->objective.status : status;
}

static ac_status attempt(void *user, const double *u, double part, double *merit)
{
    ac_segments *s = user;
    ac_status status = move_starts(s, part);
    if (status == AC_OK) status = simulate(s, u);
    if (status == AC_OK) status = measure_gaps(s);
    *merit = status == AC_OK ? s->value + s->penalty * s->gap : INFINITY;
    return status == AC_NOT_CONVERGED ? AC_OK
                                      : status; /* a simulation that fails is no better than anything */
}

static size_t starts_bytes(const ac_segments *s)
{
    return (size_t)s->second->segments * (size_t)s->second->d->system->n * sizeof(double);
}

static void accept(void *user)
{
    ac_segments *s = user;
    memcpy(s->base_q, s->second->start_q, starts_bytes(s));
    memcpy(s->base_p, s->second->start_p, starts_bytes(s));
    s->base_value = s->value;
    s->base_gap = s->gap;
}

static void remember(void *user)
{
    ac_segments *s = user;
    memcpy(s->kept_q, s->base_q, starts_bytes(s));
    memcpy(s->kept_p, s->base_p, starts_bytes(s));
}

static void recall(void *user)
{
    ac_segments *s = user;
    memcpy(s->base_q, s->kept_q, starts_bytes(s));
    memcpy(s->base_p, s->kept_p, starts_bytes(s));
}

static const double *spread(ac_segments *s, const double *v)
{
    const ac_adjoint *d = s->second->d;
    for (long k = 0; k < d->steps; ++k)
        for (int c = 0; c < d->control_count; ++c)
            s->inputs[k * d->input_count + c] = v[k * d->control_count + c];
    return s->inputs;
}

static void gather(const ac_segments *s, const double *from, double *v)
{
    const ac_adjoint *d = s->second->d;
    for (long k = 0; k < d->steps; ++k)
        for (int c = 0; c < d->control_count; ++c) v[k * d->control_count + c] = from[k * d->input_count + c];
}

static ac_status take_status(const ac_segments *s, ac_status status)
{
    return s->shooting->objective.status != AC_OK ? s->shooting->objective.status : status;
}

static ac_status linearise(void *user, double *gradient)
{
    ac_segments *s = user;
    AC_TRY(take_status(s, ac_second_linearise(s->second)));
    gather(s, s->second->gradient, gradient);
    if (!(s->base_gap > 0.0)) return AC_OK;
    AC_TRY(take_status(s, ac_second_multiply(s->second, &(ac_second_direction){.gaps = true})));
    gather(s, s->second->product, s->shared);
    for (int k = 0; k < s->shooting->size; ++k) gradient[k] += s->shared[k];
    return AC_OK;
}

static ac_status multiply(void *user, const double *v, double *product)
{
    ac_segments *s = user;
    AC_TRY(take_status(s, ac_second_multiply(s->second, &(ac_second_direction){.inputs = spread(s, v)})));
    gather(s, s->second->product, product);
    return AC_OK;
}

/* How the starts move with a step of the controls; the derivative of the merit, the penalty being no less than it takes. */
static ac_status announce(void *user, const double *step, bool fresh, double *slope, double *merit)
{
    ac_segments *s = user;
    ac_second *second = s->second;
    const ac_system *system = second->d->system;
    int n = system->n;
    if (second->segments == 1) {
        *merit = s->base_value;
        gather(s, second->gradient, s->shared);
        *slope = 0.0;
        for (int k = 0; k < s->shooting->size; ++k) *slope += s->shared[k] * step[k];
        return AC_OK;
    }
    AC_TRY(take_status(
        s, ac_second_follow(second, &(ac_second_direction){.inputs = spread(s, step), .gaps = true})));
    for (int k = 1; k < second->segments; ++k) {
        long row = second->first[k] + k;
        ac_mass_apply(system, second->dq + row * n, second->vectors[5]);
        AC_TRY(ac_legendre_project(&second->d->legendre, second->q + row * n, second->vectors[5]));
        memcpy(s->turn + k * system->tree.freedoms, second->d->legendre.u,
               (size_t)system->tree.freedoms * sizeof *s->turn);
        memcpy(s->push + k * n, second->dp + row * n, (size_t)n * sizeof *s->push);
    }
    if (fresh) {
        bool rises = s->base_gap > MATCHED && second->slope > 0.0;
        double adjoint = ac_max(second->match[0] * system->length_scale, second->match[1] * s->momentum);
        s->penalty = ac_max(2.0 * adjoint, rises ? 2.0 * second->slope / s->base_gap : 0.0);
    }
    *slope = second->slope - s->penalty * s->base_gap;
    *merit = s->base_value + s->penalty * s->base_gap;
    return AC_OK;
}

static double open_gaps(const void *user)
{
    const ac_segments *s = user;
    return s->base_gap / JOINED;
}

/* --- what a search that goes on must know --- */

typedef struct memory_parts {
    double *starts[4];
    size_t each; /* numbers of one */
    int size;    /* of penalty, momentum and all of them */
} memory_parts;

static memory_parts parts_of(const ac_segments *s)
{
    size_t each = starts_bytes(s) / sizeof(double);
    return (memory_parts){{s->base_q, s->base_p, s->kept_q, s->kept_p}, each, (int)(2 + 4 * each)};
}

/* Adds it to what newton.c knows; without memory nothing is reported. */
static void compose_memory(ac_segments *s, ac_shooting_progress *now)
{
    const memory_parts parts = parts_of(s);
    int whole = now->search_size + parts.size;
    if (ac_grow(s->ctx, (void **)&s->memory, &s->memory_capacity, whole, sizeof *s->memory) != AC_OK) {
        now->search = NULL;
        return;
    }
    double *next = s->memory + now->search_size;
    memcpy(s->memory, now->search, (size_t)now->search_size * sizeof *next);
    *next++ = s->penalty;
    *next++ = s->momentum;
    for (int k = 0; k < 4; ++k, next += parts.each) memcpy(next, parts.starts[k], parts.each * sizeof *next);
    now->search = s->memory;
    now->search_size = whole;
}

ac_status ac_segments_resume(ac_segments *s, ac_shooting_settings *settings)
{
    const memory_parts parts = parts_of(s);
    int size = settings->search_size - parts.size;
    if (size < 0)
        return ac_fail(s->ctx, AC_BAD_INPUT, "the search that is to go on is of another method or problem");
    const double *next = settings->search + size;
    s->penalty = *next++;
    s->momentum = *next++;
    for (int k = 0; k < 4; ++k, next += parts.each) memcpy(parts.starts[k], next, parts.each * sizeof *next);
    settings->search_size = size;
    return AC_OK;
}

static int report(void *user, const ac_shooting_progress *now)
{
    ac_segments *s = user;
    const ac_second *second = s->second;
    long last = second->d->steps + second->segments - 1;
    int n = second->d->system->n;
    ac_shooting_progress full = *now;
    full.value = s->base_value;
    full.gap = s->base_gap;
    if (second->segments > 1) compose_memory(s, &full);
    return ac_shooting_report(s->shooting, s->settings, &full, second->q + last * n, second->p + last * n);
}

/* --- making --- */

static ac_status create(ac_segments *s, int segments, bool exact)
{
    ac_adjoint *d = s->shooting->adjoint;
    const ac_system *system = d->system;
    const ac_constraints *c = &system->constraints;
    size_t n = (size_t)system->n, count = (size_t)segments, freedoms = (size_t)system->tree.freedoms,
           rows = (size_t)(c->count - c->closure);
    AC_TRY(ac_second_create(d, segments, &s->second));
    s->second->curved = exact;
    s->shooting->objective.gauss_newton = !exact;
    AC_NEW(s->ctx, s->inputs, (size_t)d->steps * (size_t)d->input_count + 1);
    AC_NEW(s->ctx, s->shared, s->shooting->size + 1);
    AC_NEW(s->ctx, s->base_q, count * n);
    AC_NEW(s->ctx, s->base_p, count * n);
    AC_NEW(s->ctx, s->kept_q, count * n);
    AC_NEW(s->ctx, s->kept_p, count * n);
    AC_NEW(s->ctx, s->turn, count * freedoms + 1);
    AC_NEW(s->ctx, s->push, count * n);
    AC_NEW(s->ctx, s->from, system->node_count);
    AC_NEW(s->ctx, s->to, system->node_count);
    size_t space = ac_row_space_doubles((int)rows, (int)freedoms);
    AC_NEW(s->ctx, s->closing, 7 * freedoms + rows * (freedoms + 1) + space + 1);
    AC_NEW(s->ctx, s->closing_ints, ac_row_space_ints((int)rows, (int)freedoms) + 1);
    if (rows > 0)
        ac_row_space_place(&s->space, (int)rows, (int)freedoms,
                           s->closing + 7 * freedoms + rows * (freedoms + 1), s->closing_ints);
    return AC_OK;
}

/* In how many directions the curvature is looked for: a product costs about four gradients, and a proof should not cost more than
 * what it proves. Motions of many steps and coordinates get fewer. */
static int looks_of(const ac_shooting *shooting)
{
    const double ENOUGH = 2e6, FEWEST = 6.0, MOST = 40.0;
    const ac_adjoint *d = shooting->adjoint;
    return (int)ac_max(FEWEST, ac_min(MOST, ENOUGH / ((double)d->steps * d->system->n)));
}

ac_status ac_segments_open(ac_shooting *shooting, const ac_shooting_settings *settings, int segments,
                           bool exact, ac_segments *s)
{
    *s = (ac_segments){.shooting = shooting, .ctx = shooting->ctx, .settings = settings, .momentum = 1.0};
    s->problem = (ac_newton_problem){.ctx = s->ctx,
                                     .n = shooting->size,
                                     .low = shooting->low,
                                     .high = shooting->high,
                                     .judged = segments == 1 && exact,
                                     .looks = looks_of(shooting),
                                     .rough = segments == 1 ? 0.0 : ROUGH,
                                     .user = s,
                                     .attempt = attempt,
                                     .accept = accept,
                                     .remember = remember,
                                     .recall = recall,
                                     .linearise = linearise,
                                     .multiply = multiply,
                                     .announce = announce,
                                     .open = open_gaps,
                                     .report = report};
    ac_status status = create(s, segments, exact);
    if (status != AC_OK) ac_segments_close(s);
    return status;
}

void ac_segments_close(ac_segments *s)
{
    if (!s->ctx) return;
    ac_second_free(s->second);
    void *blocks[] = {s->inputs, s->kept_q, s->kept_p, s->shared,  s->base_q,       s->base_p, s->turn,
                      s->push,   s->from,   s->to,     s->closing, s->closing_ints, s->memory};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    *s = (ac_segments){0};
}

/* The size of momenta: of the motion at the starts, and no less than that of the system moving by its length in the whole time; a
 * motion that begins at rest has momenta of the size of rounding. */
static void measure_momenta(ac_segments *s)
{
    const ac_adjoint *d = s->second->d;
    int n = d->system->n;
    s->momentum = ac_total_mass(d->system) * d->system->length_scale / ((double)d->steps * d->h);
    for (int k = 1; k < s->second->segments; ++k)
        s->momentum = ac_max(s->momentum, norm(n, s->base_p + k * n));
}

static ac_status begin_simulated(ac_segments *s, const double *u)
{
    ac_second *second = s->second;
    ac_adjoint *d = second->d;
    size_t n = (size_t)d->system->n;
    double value;
    AC_TRY(ac_shooting_evaluate(s->shooting, u, &value, NULL));
    for (int k = 1; k < second->segments; ++k) {
        memcpy(s->base_q + (size_t)k * n, d->stored.q + (size_t)second->first[k] * n, n * sizeof(double));
        memcpy(s->base_p + (size_t)k * n, d->stored.p + (size_t)second->first[k] * n, n * sizeof(double));
    }
    return AC_OK;
}

static void begin_guessed(ac_segments *s, const double *motion)
{
    const ac_second *second = s->second;
    const ac_adjoint *d = second->d;
    size_t n = (size_t)d->system->n;
    for (int k = 1; k < second->segments; ++k) {
        const double *here = motion + (size_t)second->first[k] * n;
        for (size_t i = 0; i < n; ++i) second->vectors[5][i] = (here[n + i] - here[i - n]) / (2.0 * d->h);
        memcpy(s->base_q + (size_t)k * n, here, n * sizeof *here);
        ac_mass_apply(d->system, second->vectors[5], s->base_p + (size_t)k * n);
    }
}

ac_status ac_segments_begin(ac_segments *s, const double *u, const double *motion)
{
    if (s->second->segments > 1 && motion)
        begin_guessed(s, motion);
    else if (s->second->segments > 1)
        AC_TRY(begin_simulated(s, u));
    measure_momenta(s);
    return AC_OK;
}

ac_status ac_segments_linearise(ac_segments *s, const double *u, double *value, double *gradient)
{
    AC_TRY(simulate(s, u));
    *value = s->value;
    return linearise(s, gradient);
}

ac_status ac_segments_multiply(ac_segments *s, const double *v, double *product)
{
    return multiply(s, v, product);
}
