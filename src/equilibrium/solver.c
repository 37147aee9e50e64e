/* Equilibria: residual, exact tangent, Newton's method with line search. */
#include "equilibrium/solver.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "action/beam/beam_turn.h"
#include "action/element.h"
#include "action/inertia.h"
#include "action/load.h"

static const double RANK_TOLERANCE = 1e-9;
static const double LARGEST_TURN = 0.5; /* of one correction, rad */
static const double ROUNDING = 1e-9;    /* corrections below this need not become smaller */
static const double SMALL = 1e-5;       /* nor those that forces of rounding make, if they are below this */
static const double CANCELLED = 1e-15;  /* rounding of forces beside stiffness times typical length */
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
        most = fmax(most, fabs(delta[j]) * sqrt(e->metric.weight[j]) * unit);
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
    ac_potential_add_gradient(system, q, e->winding, 1.0, e->balance.gradient);
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
    double sum = 0.0;
    memcpy(e->newton.move, e->balance.r, (size_t)e->freedoms * sizeof *e->newton.move);
    if (e->closures > 0) {
        ac_closure_jacobian(e->system, e->columns, e->now.q, e->balance.J);
        for (int c = 0; c < e->closures; ++c)
            for (int j = 0; j < e->freedoms; ++j)
                e->newton.move[j] += e->balance.mu[c] *
                                     e->balance.J[(size_t)c * (size_t)e->freedoms + (size_t)j];
    }
    for (int j = 0; j < e->freedoms; ++j) sum += e->newton.move[j] * e->newton.move[j] / e->metric.weight[j];
    return sqrt(sum);
}

/* --- tangent --- */

/* The largest stiffness that enters the tangent: its terms may cancel, their rounding does not. */
static void note_terms(ac_equilibrium *e, int left, int right, const double block[36], double factor)
{
    for (int k = 0; k < 36; ++k) {
        double arm = (k / 6 < 3 ? 1.0 : e->metric.arm[left]) * (k % 6 < 3 ? 1.0 : e->metric.arm[right]);
        e->largest_term = fmax(e->largest_term, fabs(factor * block[k]) / arm);
    }
}

static void add_block(ac_equilibrium *e, const ac_tree_pair *pair, const int *nodes, int count,
                      const double *block, int size, double factor)
{
    const ac_system *system = e->system;
    int row = 0;
    for (int i = 0; i < count; ++i) {
        const ac_node *left = &system->nodes[nodes[i]];
        int column = 0;
        for (int j = 0; j < count; ++j) {
            const ac_node *right = &system->nodes[nodes[j]];
            double projected[36];
            ac_node_project(left, pair->qa + left->q, right, pair->qb + right->q, block + row * size + column,
                            size, projected);
            note_terms(e, nodes[i], nodes[j], projected, factor);
            for (int k = 0; k < 36; ++k) projected[k] *= factor;
            ac_tree_sparse_add(&e->tangent, pair, nodes[i], nodes[j], projected);
            column += right->size;
        }
        row += left->size;
    }
}

static void add_elements(ac_equilibrium *e, const ac_tree_pair *pair)
{
    const ac_system *system = e->system;
    double x[AC_ELEMENT_MAX], block[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(system);
        for (int k = 0; k < count; ++k) {
            if (!ac_element_conservative(kind, system, k)) continue;
            ac_element_place place = ac_element_where(system, kind, k);
            ac_element_gather(system, &place, e->now.q, x);
            ac_element_hessian(kind, system, k, x, e->winding, block);
            add_block(e, pair, place.nodes, place.node_count, block, place.size, 1.0);
        }
    }
    for (int k = 0; k < system->load_count; ++k) {
        int nodes[2], size = 0;
        int count = ac_load_slope(system, k, e->settings.time, 0.0, e->now.q, e->winding, nodes, block);
        for (int i = 0; i < count; ++i) size += system->nodes[nodes[i]].size;
        if (count > 0) add_block(e, pair, nodes, count, block, size, -ac_equilibrium_level(e, k));
    }
}

/* lambda g'' of the rows of one owner (a node, or the two sides of a joint). */
static void add_rows(ac_equilibrium *e, const ac_tree_pair *pair, int first, int rows, const int *nodes,
                     int count)
{
    const ac_system *system = e->system;
    const ac_constraints *c = &system->constraints;
    double block[AC_ELEMENT_MAX * AC_ELEMENT_MAX] = {0};
    int size = 0;
    for (int i = 0; i < count; ++i) size += system->nodes[nodes[i]].size;
    for (int row = first; row < first + rows; ++row) {
        const int *coordinate = c->coordinate + c->start[row];
        for (int p = c->forms.product_start[row]; p < c->forms.product_start[row + 1]; ++p) {
            int place[2] = {coordinate[c->forms.products[p].i], coordinate[c->forms.products[p].j]};
            for (int s = 0; s < 2; ++s) {
                const ac_node *node = &system->nodes[nodes[0]];
                bool own = place[s] >= node->q && place[s] < node->q + node->size;
                place[s] = own ? place[s] - node->q
                               : place[s] - system->nodes[nodes[count - 1]].q + node->size;
            }
            double value = e->balance.lambda[row] * c->forms.products[p].a;
            block[place[0] * size + place[1]] += value;
            block[place[1] * size + place[0]] += value;
        }
    }
    add_block(e, pair, nodes, count, block, size, 1.0);
}

static void add_constraints(ac_equilibrium *e, const ac_tree_pair *pair)
{
    const ac_system *system = e->system;
    const ac_constraints *c = &system->constraints;
    for (int row = 0; row < c->internal;) {
        int node = -1 - c->owner[row], rows = 1;
        while (row + rows < c->internal && c->owner[row + rows] == c->owner[row]) ++rows;
        add_rows(e, pair, row, rows, &node, 1);
        row += rows;
    }
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        int nodes[2], count = 0;
        if (joint->a.node != AC_GROUND) nodes[count++] = joint->a.node;
        if (joint->b.node != AC_GROUND) nodes[count++] = joint->b.node;
        if (joint->rows > 0) add_rows(e, pair, joint->first_row, joint->rows, nodes, count);
    }
}

/* The part of the slope that is not symmetric: turning a body that feels a torque turns the torque against
 * it, -1/2 hat(torque). It vanishes in equilibrium and makes Newton's method exact before. */
static void add_torques(ac_equilibrium *e, const ac_tree_pair *pair)
{
    const ac_system *system = e->system;
    memcpy(e->scratch, e->balance.total, (size_t)system->n * sizeof *e->scratch);
    ac_constraints_add_force(system, e->now.q, e->balance.lambda, 0, system->constraints.count, 1.0,
                             e->scratch);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double w[6], block[36] = {0};
        if (ac_node_turns(node) < 3) continue;
        ac_node_wrench(node, e->now.q + node->q, e->scratch + node->q, w);
        for (int k = 0; k < 3; ++k) {
            int a = 3 + (k + 1) % 3, b = 3 + (k + 2) % 3;
            block[6 * a + b] = 0.5 * w[3 + k];
            block[6 * b + a] = -0.5 * w[3 + k];
        }
        ac_tree_sparse_add(&e->tangent, pair, i, i, block);
    }
}

/* J and its transpose on independent rows; the others get a one on the diagonal. */
static void add_closure(ac_equilibrium *e)
{
    int n = e->freedoms;
    ac_closure_jacobian(e->system, e->columns, e->now.q, e->balance.J);
    ac_row_space_factor(&e->space, e->balance.J, RANK_TOLERANCE, e->closures);
    for (int k = 0; k < e->closures; ++k) e->newton.omitted[e->space.order[k]] = k >= e->space.rank;
    for (int c = 0; c < e->closures; ++c) {
        if (e->newton.omitted[c]) ac_sparse_add(e->tangent.matrix, n + c, n + c, 1.0);
        for (int j = 0; j < n && !e->newton.omitted[c]; ++j) {
            double value = e->balance.J[(size_t)c * (size_t)n + (size_t)j];
            if (value == 0.0) continue;
            ac_sparse_add(e->tangent.matrix, n + c, j, value);
            ac_sparse_add(e->tangent.matrix, j, n + c, value);
        }
    }
}

/* While going downhill, steps that bend single elements count more: kinks would stay for good. */
static void add_pair(ac_equilibrium *e, const ac_tree_pair *pair, int node, double stiffness)
{
    double block[36] = {0};
    for (int k = 3; k < 6; ++k) block[7 * k] = stiffness;
    for (int i = 0; i < 2; ++i) ac_tree_sparse_add(&e->tangent, pair, node + i, node + i, block);
    for (int k = 3; k < 6; ++k) block[7 * k] = -stiffness;
    for (int i = 0; i < 2; ++i) ac_tree_sparse_add(&e->tangent, pair, node + i, node + 1 - i, block);
}

double ac_equilibrium_kink_weight(const ac_equilibrium *e, int beam)
{
    double count = e->system->beams[beam].elements, scale = e->system->length_scale;
    return count * count * scale * scale;
}

static void add_kinks(ac_equilibrium *e, const ac_tree_pair *pair)
{
    const ac_system *system = e->system;
    for (int k = 0; k < system->mesh.element_count; ++k) {
        const ac_beam_element *element = &system->mesh.elements[k];
        add_pair(e, pair, element->node, e->newton.shift * ac_equilibrium_kink_weight(e, element->beam));
    }
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *element = &system->mesh.high[k];
        for (int i = 0; i < element->order; ++i)
            add_pair(e, pair, element->node + i,
                     e->newton.shift * ac_equilibrium_kink_weight(e, element->beam));
    }
}

ac_status ac_equilibrium_multipliers(ac_equilibrium *e)
{
    for (int i = 0; i < e->system->n; ++i) e->scratch[i] = -e->balance.total[i];
    return ac_legendre_multipliers(&e->legendre, e->now.q, e->scratch, e->balance.lambda);
}

ac_status ac_equilibrium_assemble(ac_equilibrium *e)
{
    ac_tree_pair pair = {e->system, e->now.q, e->now.q, e->columns, e->columns};
    AC_TRY(ac_equilibrium_multipliers(e));
    ac_sparse_clear(e->tangent.matrix);
    e->largest_term = 0.0;
    add_elements(e, &pair);
    add_constraints(e, &pair);
    if (!e->newton.upright) add_torques(e, &pair);
    if (e->closures > 0) add_closure(e);
    if (e->newton.upright && e->newton.shift > 0.0) add_kinks(e, &pair);
    for (int j = 0; j < e->freedoms && e->newton.shift > 0.0; ++j)
        ac_sparse_add(e->tangent.matrix, j, j, e->newton.shift * e->metric.weight[j]);
    return AC_OK;
}

ac_status ac_equilibrium_factor(ac_equilibrium *e)
{
    AC_TRY(ac_equilibrium_assemble(e));
    ac_status status = ac_sparse_factor(e->tangent.matrix);
    if (status != AC_SINGULAR) return status;
    return ac_fail(
        e->ctx, AC_SINGULAR,
        "the system can move without a change of its potential: it needs more supports or springs");
}

/* --- Newton's method --- */

ac_status ac_equilibrium_correction(ac_equilibrium *e, double *delta, double *by_load)
{
    for (int j = 0; j < e->freedoms; ++j) delta[j] = -e->balance.r[j];
    for (int c = 0; c < e->closures; ++c)
        delta[e->freedoms + c] = e->newton.omitted[c] ? 0.0 : -e->balance.g[c];
    ac_equilibrium_ignore_push(e, delta);
    AC_TRY(ac_sparse_solve(e->tangent.matrix, delta));
    ac_equilibrium_hold_neutral(e, delta);
    if (!by_load) return AC_OK;
    memset(by_load, 0, (size_t)e->size * sizeof *by_load);
    ac_tree_project(e->system, e->columns, e->now.q, e->balance.load, e->wrenches, by_load);
    ac_equilibrium_ignore_push(e, by_load);
    AC_TRY(ac_sparse_solve(e->tangent.matrix, by_load));
    ac_equilibrium_hold_neutral(e, by_load);
    return AC_OK;
}

/* Moves along delta as far as the next correction, estimated with the same matrix, becomes smaller (the
 * natural monotonicity test: it does not care how stiff the directions are). Returns false if it never
 * does. */
static ac_status search_line(ac_equilibrium *e, double size, bool *fell)
{
    double factor = size > LARGEST_TURN ? LARGEST_TURN / size : 1.0;
    *fell = true;
    ac_equilibrium_state_copy(e, &e->now, &e->before);
    for (int half = 0; half < MOST_HALVINGS; ++half, factor *= 0.5) {
        ac_equilibrium_move(e, e->newton.delta, factor);
        ac_equilibrium_evaluate(e);
        ac_equilibrium_force(e); /* leaves what is not carried in `move` */
        for (int j = 0; j < e->freedoms; ++j) e->newton.by_load[j] = -e->newton.move[j];
        for (int c = 0; c < e->closures; ++c)
            e->newton.by_load[e->freedoms + c] = e->newton.omitted[c] ? 0.0 : -e->balance.g[c];
        ac_equilibrium_ignore_push(e, e->newton.by_load);
        AC_TRY(ac_sparse_solve(e->tangent.matrix, e->newton.by_load));
        ac_equilibrium_hold_neutral(e, e->newton.by_load);
        double next = ac_equilibrium_size(e, e->newton.by_load);
        if (next <= (1.0 - 0.25 * factor) * size || (size < ROUNDING && isfinite(next))) return AC_OK;
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

static ac_status iterate(ac_equilibrium *e)
{
    ac_equilibrium_evaluate(e);
    e->point.iterations = 0;
    for (int it = 0; it < e->settings.max_iterations; ++it) {
        bool fell;
        AC_TRY(ac_equilibrium_factor_freely(e));
        AC_TRY(ac_equilibrium_correction(e, e->newton.delta, NULL));
        memcpy(e->balance.mu, e->newton.delta + e->freedoms, (size_t)e->closures * sizeof *e->balance.mu);
        double size = ac_equilibrium_size(e, e->newton.delta);
        ++e->point.iterations;
        if (!isfinite(size)) break;
        AC_TRY(search_line(e, size, &fell));
        e->point.residual = ac_equilibrium_force(e);
        if (size <= e->settings.tolerance) return ac_equilibrium_check_push(e);
        if (!fell && ac_equilibrium_is_rounding(e, size)) return ac_equilibrium_check_push(e);
        if (!fell) break;
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
        e->newton.shift *= fmin(fmax(left / force, 0.1), 2.0); /* longer steps as the force falls */
        force = left;
    }
    e->newton.shift = 0.0;
    return status == AC_OK ? ac_equilibrium_newton(e) : status;
}

/* --- the softest direction --- */

ac_status ac_equilibrium_softest(ac_equilibrium *e, double *x, double *eigenvalue)
{
    int n = e->freedoms;
    for (int j = 0; j < e->size; ++j) x[j] = j < n ? cos(1.0 + 3.0 * j) / sqrt(e->metric.weight[j]) : 0.0;
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
