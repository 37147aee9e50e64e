/* Equilibria: residual, exact tangent, Newton's method with line search. */
#include "equilibrium/solver.h"
#include "action/spin.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "action/beam/beam_turn.h"
#include "action/element.h"
#include "action/inertia.h"
#include "action/load.h"
#include "math/math.h"

static const double LARGEST_TURN = 0.5;  /* of one correction, rad */
static const double LARGEST_MIXED = 1.0; /* the same where stresses are unknowns */
static const double ROUNDING = 1e-9;     /* corrections below this need not become smaller */
static const double STAYS = 0.25;        /* of the last correction: Newton's method has come to its end */
static const double SMALL = 1e-5;        /* nor those that forces of rounding make, if they are below this */
static const double CANCELLED = 1e-15;   /* rounding of forces beside stiffness times typical length */
static const double LOST = 1e-2;         /* of the loads: a residual that is no equilibrium */
/* Settling: the first step moves so much of the typical length; a step may not move more than the second,
 * rad; below the last the rest is left to Newton's method. */
static const double FIRST_CREEP = 0.02, LARGEST_CREEP = 0.3, NEARLY = 1e-4;
enum { MOST_HALVINGS = 12, MOST_CREEPS = 2000, MOST_INVERSE = 40 };

/* --- states --- */

ac_status ac_equilibrium_state_create(ac_equilibrium *e, ac_equilibrium_state *s)
{
    AC_NEW(e->ctx, s->state, e->system->node_count);
    AC_NEW(e->ctx, s->q, e->system->n);
    AC_NEW(e->ctx, s->tangent, e->freedoms);
    return AC_OK;
}

void ac_equilibrium_state_destroy(ac_equilibrium *e, ac_equilibrium_state *s)
{
    ac_release(e->ctx, s->state);
    ac_release(e->ctx, s->q);
    ac_release(e->ctx, s->tangent);
}

void ac_equilibrium_state_copy(const ac_equilibrium *e, const ac_equilibrium_state *from,
                               ac_equilibrium_state *to)
{
    memcpy(to->state, from->state, (size_t)e->system->node_count * sizeof *to->state);
    memcpy(to->q, from->q, (size_t)e->system->n * sizeof *to->q);
    memcpy(to->tangent, from->tangent, (size_t)e->freedoms * sizeof *to->tangent);
    to->tangent_factor = from->tangent_factor;
    to->factor = from->factor;
    to->path = from->path;
    to->share = from->share;
    to->flipped = from->flipped;
}

void ac_equilibrium_move(ac_equilibrium *e, const double *delta, double factor)
{
    for (int j = 0; j < e->freedoms; ++j) e->newton.move[j] = factor * delta[j];
    ac_tree_move(e->system, e->newton.move, e->now.state, e->now.state, e->now.q);
}

double ac_equilibrium_size(const ac_equilibrium *e, const double *delta)
{
    double most = 0.0, unit = 1.0 / e->system->length_scale;
    for (int j = 0; j < e->freedoms; ++j)
        most = ac_max(most, fabs(delta[j]) * sqrt(e->metric.weight[j]) * unit);
    return most;
}

/* --- residual --- */

double ac_equilibrium_level(const ac_equilibrium *e, int load)
{
    return e->system->loads[load].constant ? e->now.share : e->now.factor;
}

static void add_loads(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    size_t bytes = (size_t)system->n * sizeof *e->balance.load;
    memset(e->balance.constant, 0, bytes);
    memset(e->balance.load, 0, bytes);
    ac_gravity_add(system, 1.0, e->settings.constant_gravity ? e->balance.constant : e->balance.load);
    for (int k = 0; k < system->load_count; ++k)
        ac_load_add(system, k, e->settings.time, 0.0, e->now.q, e->winding, 1.0,
                    system->loads[k].constant ? e->balance.constant : e->balance.load);
}

void ac_equilibrium_balance(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    const double *q = e->now.q;
    int n = system->n;
    memset(e->balance.gradient, 0, (size_t)n * sizeof *e->balance.gradient);
    ac_potential_add_gradient(e->elastic, q, e->winding, 1.0, e->balance.gradient);
    ac_spin_add_centrifugal(system, e->settings.spin, q, -1.0, e->balance.gradient);
    add_loads(e);
    for (int i = 0; i < n; ++i)
        e->balance.total[i] = e->balance.gradient[i] - e->now.share * e->balance.constant[i] -
                              e->now.factor * e->balance.load[i];
}

void ac_equilibrium_evaluate(ac_equilibrium *e)
{
    const ac_system *system = e->system;
    const double *q = e->now.q;
    ac_equilibrium_balance(e);
    ac_tree_columns(system, e->now.state, q, e->columns);
    ac_tree_project(system, e->columns, q, e->balance.total, e->wrenches, e->balance.r);
    if (e->closures > 0) ac_constraints_value(system, q, system->constraints.closure, e->balance.g);
}

double ac_equilibrium_force(ac_equilibrium *e)
{
    const ac_constraints *c = &e->system->constraints;
    double sum = 0.0;
    memcpy(e->newton.move, e->balance.r, (size_t)e->freedoms * sizeof *e->newton.move);
    if (e->closures > 0) {
        memcpy(e->scratch, e->balance.total, (size_t)e->system->n * sizeof *e->scratch);
        ac_constraints_add_force(e->system, e->now.q, e->balance.mu, c->closure, c->count, 1.0, e->scratch);
        ac_tree_project(e->system, e->columns, e->now.q, e->scratch, e->wrenches, e->newton.move);
    }
    for (int j = 0; j < e->freedoms; ++j) sum += e->newton.move[j] * e->newton.move[j] / e->metric.weight[j];
    return sqrt(sum);
}

/* --- Newton's method --- */

ac_status ac_equilibrium_correction(ac_equilibrium *e, double *delta, double *by_load)
{
    for (int c = 0; c < e->closures; ++c)
        delta[e->freedoms + c] = e->newton.omitted[c] ? 0.0 : -e->balance.g[c];
    AC_TRY(ac_equilibrium_yield(e, e->balance.r, e->settings.follow ? NULL : e->balance.total, delta));
    if (!by_load) return AC_OK;
    memset(by_load, 0, (size_t)e->size * sizeof *by_load);
    ac_tree_project(e->system, e->columns, e->now.q, e->balance.load, e->wrenches, by_load);
    ac_equilibrium_ignore_push(e, by_load);
    AC_TRY(ac_equilibrium_solve(e, by_load));
    ac_equilibrium_hold_neutral(e, by_load);
    return AC_OK;
}

/* Moves along delta as far as the next correction, estimated with the same matrix, becomes smaller (the
 * natural monotonicity test: it does not care how stiff the directions are). Returns false if it never
 * does. */
static ac_status search_line(ac_equilibrium *e, double size, bool *fell)
{
    double largest = ac_mixed_is_on(e) ? LARGEST_MIXED : LARGEST_TURN,
           factor = size > largest ? largest / size : 1.0;
    *fell = true;
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    ac_mixed_leave(e, e->newton.delta);
    for (int half = 0; half < MOST_HALVINGS; ++half, factor *= 0.5) {
        ac_equilibrium_move(e, e->newton.delta, factor);
        ac_equilibrium_evaluate(e);
        ac_equilibrium_force(e); /* leaves what is not carried in `move` */
        ac_mixed_arrive(e, factor);
        for (int c = 0; c < e->closures; ++c)
            e->newton.by_load[e->freedoms + c] = e->newton.omitted[c] ? 0.0 : -e->balance.g[c];
        AC_TRY(ac_equilibrium_yield(e, e->newton.move, NULL, e->newton.by_load));
        double next = ac_equilibrium_size(e, e->newton.by_load);
        if (next <= (1.0 - 0.25 * factor) * size || (size < ROUNDING && isfinite(next))) {
            ac_mixed_accept(e);
            return AC_OK;
        }
        ac_equilibrium_state_copy(e, &e->before, &e->now);
    }
    ac_equilibrium_evaluate(e);
    *fell = false;
    return AC_OK;
}

/* AC_NOT_CONVERGED if a beam bends further than this between two nodes. */
static ac_status check_turn(const ac_equilibrium *e, double limit)
{
    int node;
    char advice[AC_REST_ADVICE];
    const ac_node *nodes = e->system->nodes;
    double turn = ac_beam_largest_turn(e->system, e->now.q, AC_BEAM_VERTEX, &node);
    if (turn < limit) return AC_OK;
    return ac_fail(
        e->ctx, AC_NOT_CONVERGED,
        "%s at load factor %.6g: beam '%s' bends by %.0f degrees between its nodes '%s' and '%s', more than "
        "its elements can follow; %s",
        e->settings.follow && e->path.started ? "the path ends" : "no equilibrium found", e->now.factor,
        e->system->beams[nodes[node].beam].name, turn / (ac_beam_fold() / 90.0), nodes[node].name,
        nodes[node + 1].name, ac_equilibrium_advice(e, e->now.q, "give it more elements", advice));
}

ac_status ac_equilibrium_check_fold(const ac_equilibrium *e)
{
    return check_turn(e, ac_beam_fold());
}

bool ac_equilibrium_is_kinked(const ac_equilibrium *e)
{
    return ac_beam_largest_turn(e->system, e->now.q, AC_BEAM_VERTEX, NULL) >= 0.5 * ac_beam_fold();
}

ac_status ac_equilibrium_not_found(const ac_equilibrium *e)
{
    char advice[AC_REST_ADVICE];
    const char *otherwise = e->settings.follow ? "draw the system closer to rest" : "try more load steps";
    AC_TRY(check_turn(e, 0.5 * ac_beam_fold()));
    return ac_fail(
        e->ctx, AC_NOT_CONVERGED,
        "no equilibrium found at load factor %.6g: a force of %.3g N remains after %d iterations; %s",
        e->now.factor, e->point.residual, e->point.iterations,
        ac_equilibrium_advice(e, e->now.q, otherwise, advice));
}

bool ac_equilibrium_is_rounding(ac_equilibrium *e, double size)
{
    return size < SMALL &&
           ac_equilibrium_force(e) <= CANCELLED * ac_equilibrium_stiffness(e) * e->system->length_scale;
}

bool ac_equilibrium_is_unbalanced(ac_equilibrium *e)
{
    double loads = ac_equilibrium_full_loads(e);
    return loads > 0.0 && !(e->point.residual <= LOST * loads);
}

/* Is a correction that small the last? Not where the forces are far from balance and corrections still fall. */
static bool is_last(ac_equilibrium *e, double size, double last)
{
    return size <= e->settings.tolerance && (size > STAYS * last || !ac_equilibrium_is_unbalanced(e));
}

static ac_status iterate(ac_equilibrium *e)
{
    ac_equilibrium_evaluate(e);
    ac_mixed_begin(e);
    e->point.iterations = 0;
    double last = INFINITY; /* correction */
    for (int it = 0; it < e->settings.max_iterations; ++it) {
        bool fell;
        AC_TRY(ac_mixed_factor(e));
        AC_TRY(ac_equilibrium_correction(e, e->newton.delta, NULL));
        memcpy(e->balance.mu, e->newton.delta + e->freedoms, (size_t)e->closures * sizeof *e->balance.mu);
        double size = ac_equilibrium_size(e, e->newton.delta);
        ++e->point.iterations;
        ++e->effort.corrections;
        if (!isfinite(size)) break;
        AC_TRY(search_line(e, size, &fell));
        e->point.residual = ac_equilibrium_force(e);
        if (is_last(e, size, last)) return ac_equilibrium_check_push(e);
        bool stays = !fell || (e->tangent.twists > 0 && size < ROUNDING && size > STAYS * last);
        if (stays && ac_equilibrium_is_rounding(e, size)) return ac_equilibrium_check_push(e);
        if (!fell) break;
        last = size;
    }
    AC_TRY(ac_equilibrium_check_push(e));
    return ac_equilibrium_not_found(e);
}

ac_status ac_equilibrium_newton(ac_equilibrium *e)
{
    ac_status status = e->redundant ? ac_redundant_newton(e) : iterate(e);
    e->neutral.count = 0;
    return status;
}

/* --- settling --- */

ac_status ac_equilibrium_count_descent(ac_equilibrium *e)
{
    ++e->effort.descent;
    if (!e->effort.watch || e->effort.watch(e->effort.user, e->now.factor, e->effort.descent) == 0)
        return AC_OK;
    return ac_fail(e->ctx, AC_INTERRUPTED, "interrupted at load factor %g, on the way down", e->now.factor);
}

/* One implicit step of the motion with friction only, W dq/dt = -r; returns the force that is left. */
static ac_status creep(ac_equilibrium *e, bool downhill, double *size, double *force)
{
    int negative = 0, neutral;
    AC_TRY(ac_equilibrium_factor(e));
    if (downhill) AC_TRY(ac_equilibrium_signs(e, &negative, &neutral));
    if (negative > 0) return AC_NOT_CONVERGED; /* more friction */
    AC_TRY(ac_equilibrium_correction(e, e->newton.delta, NULL));
    *size = ac_equilibrium_size(e, e->newton.delta);
    if (!isfinite(*size)) return AC_NOT_CONVERGED;
    memcpy(e->balance.mu, e->newton.delta + e->freedoms, (size_t)e->closures * sizeof *e->balance.mu);
    ac_equilibrium_move(e, e->newton.delta, *size > LARGEST_TURN ? LARGEST_TURN / *size : 1.0);
    ac_equilibrium_evaluate(e);
    *force = ac_equilibrium_force(e);
    return AC_OK;
}

ac_status ac_equilibrium_settle(ac_equilibrium *e, bool downhill)
{
    ac_status status = AC_OK;
    memset(e->balance.mu, 0, (size_t)e->closures * sizeof *e->balance.mu);
    ac_equilibrium_evaluate(e);
    double force = ac_equilibrium_force(e), size = INFINITY;
    e->newton.shift = force / (FIRST_CREEP * e->system->length_scale);
    for (int it = 0; it < MOST_CREEPS && status == AC_OK && size > NEARLY && e->newton.shift > 0.0; ++it) {
        double left = force;
        AC_TRY(ac_equilibrium_count_descent(e));
        ac_equilibrium_state_copy(e, &e->now, &e->before);
        status = creep(e, downhill, &size, &left);
        if (status != AC_OK ||
            size > LARGEST_CREEP) { /* too far, or past a singular tangent: more friction */
            ac_equilibrium_state_copy(e, &e->before, &e->now);
            ac_equilibrium_evaluate(e);
            e->newton.shift *= 4.0;
            if (status == AC_NOT_CONVERGED || status == AC_SINGULAR) status = AC_OK;
            size = INFINITY;
            continue;
        }
        e->newton.shift *= ac_min(ac_max(left / force, 0.1), 2.0); /* longer steps as the force falls */
        force = left;
    }
    e->newton.shift = 0.0;
    return status == AC_OK ? ac_equilibrium_newton(e) : status;
}

/* --- the softest direction --- */

ac_status ac_equilibrium_softest(ac_equilibrium *e, double *x, double *eigenvalue)
{
    int n = e->freedoms;
    for (int j = 0; j < e->size; ++j) x[j] = j < n ? ac_cos(1.0 + 3.0 * j) / sqrt(e->metric.weight[j]) : 0.0;
    *eigenvalue = 0.0;
    for (int it = 0; it < MOST_INVERSE;
         ++it) { /* x <- K^{-1} W x; x . W x_old / x . W x tends to the eigenvalue */
        double last = *eigenvalue;
        memcpy(e->newton.travelled, x, (size_t)n * sizeof *x);
        AC_TRY(ac_equilibrium_invert(e, e->metric.weight, x));
        ac_equilibrium_hold_neutral(e, x);
        double mixed = ac_equilibrium_dot(e, e->metric.weight, x, e->newton.travelled),
               square = ac_equilibrium_dot(e, e->metric.weight, x, x);
        if (!(square > 0.0) || !isfinite(square))
            return ac_fail(e->ctx, AC_SINGULAR, "the tangent is singular");
        *eigenvalue = mixed / square;
        for (int j = 0; j < n; ++j) x[j] /= sqrt(square);
        if (it > 1 && fabs(*eigenvalue - last) <= 1e-6 * fabs(*eigenvalue)) break;
    }
    return AC_OK;
}
