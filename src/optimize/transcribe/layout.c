/* The layout: where unknowns and conditions stand, and their bounds. */
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "action/load.h"
#include "optimize/problem/optimization.h"
#include "optimize/problem/prepare.h"
#include "optimize/phases/phases.h"
#include "linalg/dense.h"

static const double RANK_TOLERANCE = 1e-9;
static const double HALF_TURN = 3.141592653589793;

/* --- which equations --- */

/* Independent closure rows in the assembled configuration. */
static ac_status independent_closure(ac_optimization *o, bool *kept)
{
    const ac_system *system = o->system;
    const ac_constraints *c = &system->constraints;
    int rows = c->count - c->closure, columns = system->tree.freedoms;
    for (int k = 0; k < c->count; ++k) kept[k] = true;
    if (rows == 0) return AC_OK;
    ac_row_space space;
    double *block = ac_allocate(
        o->ctx, ac_row_space_doubles(rows, columns) + (size_t)(rows + 6) * (size_t)columns, sizeof *block);
    int *ints = ac_allocate(o->ctx, ac_row_space_ints(rows, columns), sizeof *ints);
    if (!block || !ints) {
        ac_release(o->ctx, block);
        ac_release(o->ctx, ints);
        return ac_out_of_memory(o->ctx);
    }
    double *S = block + ac_row_space_doubles(rows, columns), *J = S + 6 * columns;
    ac_row_space_place(&space, rows, columns, block, ints);
    ac_tree_columns(system, system->initial.state, system->initial.q, S);
    ac_closure_jacobian(system, S, system->initial.q, J);
    ac_row_space_factor(&space, J, RANK_TOLERANCE, rows);
    for (int k = 0; k < rows; ++k) kept[c->closure + space.order[k]] = k < space.rank;
    ac_release(o->ctx, block);
    ac_release(o->ctx, ints);
    return AC_OK;
}

static ac_status choose_constraints(ac_optimization *o)
{
    const ac_constraints *c = &o->system->constraints;
    bool *kept;
    AC_NEW(o->ctx, kept, c->count);
    ac_status status = independent_closure(o, kept);
    o->layout.constraint_rows = ac_allocate(o->ctx, (size_t)c->count, sizeof *o->layout.constraint_rows);
    if (status == AC_OK && !o->layout.constraint_rows) status = ac_out_of_memory(o->ctx);
    for (int k = o->layout.charted ? c->closure : 0; status == AC_OK && k < c->count; ++k)
        if (kept[k]) {
            if (k < c->closure) ++o->layout.closures;
            o->layout.constraint_rows[o->layout.used_constraints++] = k;
        }
    ac_release(o->ctx, kept);
    return status;
}

/* --- blocks of rows --- */

static ac_status add_block(ac_optimization *o, ac_row_kind kind, int place, int item, int count)
{
    if (count == 0) return AC_OK;
    AC_TRY(ac_grow(o->ctx, (void **)&o->layout.blocks, &o->layout.block_capacity, o->layout.block_count + 1,
                   sizeof *o->layout.blocks));
    o->layout.blocks[o->layout.block_count++] = (ac_row_block){kind, place, item, o->layout.rows, count};
    o->layout.rows += count;
    return AC_OK;
}

int ac_condition_copies(const ac_optimization *o, const ac_condition_data *c)
{
    if (c->conserved) return 0;
    switch (c->place) {
    case AC_AT_NODES: return o->layout.N + 1;
    case AC_ON_INTERVALS: return o->layout.N;
    case AC_AT_INNER_NODES: return o->layout.N - 1;
    default: return 1;
    }
}

int ac_condition_at(const ac_optimization *o, const ac_condition_data *c, int copy)
{
    if (c->place == AC_AT_INNER_NODES) return copy + 1;
    return c->place == AC_AT_START ? 0 : c->place == AC_AT_END ? o->layout.N : copy;
}

/* A velocity that is given is a number in sums over the motion, but nothing that a condition or objective could ask for.
 * `where`: the term that needs it as an unknown in the problem file, "" when there is none or it was not read. */
static bool uses_velocities(const ac_optimization *o, bool end, const char **where)
{
    bool used = false, given = end ? o->settings.end_rest : o->settings.start_velocity;
    *where = "";
    for (int k = 0; k < o->description.condition_count; ++k) {
        const ac_condition_data *c = &o->description.conditions[k];
        if (c->place != (end ? AC_AT_END : AC_AT_START) || c->conserved || !c->term.velocities) continue;
        if (!used && c->where) *where = c->where;
        used = true;
    }
    for (int k = 0; k < o->description.objective_count; ++k) {
        const ac_objective_data *c = &o->description.objectives[k];
        if (c->type != (end ? AC_OBJECTIVE_END : AC_OBJECTIVE_START) || !c->term.velocities) continue;
        if (given && c->total >= 0) continue;
        if (!used && c->where) *where = c->where;
        used = true;
    }
    return used;
}

/* Energy-momentum has no discrete action; its motions come from simulation (shooting), and none of their equations is posed. */
static ac_status dynamics_blocks(ac_optimization *o)
{
    bool simulated = o->description.discrete.scheme == AC_ENERGY_MOMENTUM;
    bool first = o->settings.start_velocity || o->layout.first.velocity[0] >= 0;
    bool last = o->settings.end_rest || o->layout.first.velocity[1] >= 0;
    AC_NEW(o->ctx, o->layout.dynamics_row, o->layout.N + 1);
    for (int n = 0; n <= o->layout.N; ++n) {
        o->layout.dynamics_row[n] = -1;
        bool posed = n == 0 ? first : n == o->layout.N ? last : true;
        if (!posed || simulated) continue;
        o->layout.dynamics_row[n] = o->layout.rows;
        AC_TRY(add_block(o, AC_ROW_DYNAMICS, n, 0,
                         n == o->layout.N ? o->layout.end.row_count : o->layout.width));
    }
    return AC_OK;
}

static ac_status collocation_blocks(ac_optimization *o)
{
    AC_NEW(o->ctx, o->layout.dynamics_row, o->layout.N + 1);
    for (int n = 0; n <= o->layout.N; ++n) o->layout.dynamics_row[n] = -1;
    for (int n = 0; n < o->layout.N; ++n) AC_TRY(add_block(o, AC_ROW_MOMENTUM, n, 0, 2 * o->layout.width));
    bool first = o->settings.start_velocity || o->layout.first.velocity[0] >= 0;
    bool last = o->settings.end_rest || o->layout.first.velocity[1] >= 0;
    if (first) AC_TRY(add_block(o, AC_ROW_VELOCITY, 0, 0, o->layout.width));
    return last ? add_block(o, AC_ROW_VELOCITY, o->layout.N, 0, o->layout.width) : AC_OK;
}

/* The freedom of a node by which the angle of motion `number` of its joint turns. */
static int turn_freedom(const ac_node *node, int number)
{
    for (int k = 0; k < node->walk.count; ++k)
        if (node->walk.step[k].number == number) return node->walk.step[k].freedom;
    return 0;
}

/* Joint angles that have a name count full turns, which the configurations do not show: a change by more than
 * half a turn in one interval would be a turn that nobody makes. */
static ac_status step_blocks(ac_optimization *o, int n)
{
    if (!o->layout.charted || ac_is_minimal(o) || o->settings.turn_limit <= 0.0) return AC_OK;
    for (int k = 0; k < o->description.quantities.count; ++k) {
        int measure = o->description.quantities.measure[k],
            node = measure < 0 ? -1 : o->layout.turning[measure];
        if (node < 0) continue;
        bool again = false;
        for (int l = 0; l < k; ++l) again = again || o->description.quantities.measure[l] == measure;
        const ac_node *data = &o->system->nodes[node];
        int number = measure - o->system->joints[data->joint].first_measure;
        if (!again) AC_TRY(add_block(o, AC_ROW_STEP, n, data->u + turn_freedom(data, number), 1));
    }
    return AC_OK;
}

static ac_status limit_blocks(ac_optimization *o)
{
    bool limited = o->settings.turn_limit > 0.0 && !ac_is_minimal(o);
    AC_NEW(o->ctx, o->layout.stress_row, o->layout.N);
    for (int n = 0; n < o->layout.N; ++n) {
        for (int i = 0; limited && i < o->system->node_count; ++i)
            if (ac_node_turns(&o->system->nodes[i]) > 0) AC_TRY(add_block(o, AC_ROW_TURN, n, i, 1));
        AC_TRY(step_blocks(o, n));
        o->layout.stress_row[n] = o->layout.rows;
        if (o->description.discrete.stress_count > 0)
            AC_TRY(add_block(o, AC_ROW_STRESS, n, 0, o->description.discrete.stress_count));
        for (int k = 0; k < o->description.control_count; ++k)
            if (n > 0 && isfinite(o->description.controls[k].given.rate))
                AC_TRY(add_block(o, AC_ROW_RATE, n, k, o->layout.by_time ? 2 : 1));
        for (int k = 0; k < o->description.objective_count; ++k)
            if (o->description.objectives[k].slack >= 0) AC_TRY(add_block(o, AC_ROW_ABSOLUTE, n, k, 2));
    }
    return AC_OK;
}

static ac_status build_blocks(ac_optimization *o)
{
    bool constrained = o->layout.used_constraints > 0;
    int loops = o->point.start.closes ? o->layout.used_constraints - o->layout.closures : 0;
    if (o->settings.start_fixed) AC_TRY(add_block(o, AC_ROW_START, 0, 0, ac_start_row_count(o, 0)));
    AC_TRY(add_block(o, AC_ROW_CONSTRAINT, 0, o->layout.closures, loops));
    if (constrained)
        for (int n = 0; n <= o->layout.N; ++n) {
            if (n == 0 && (o->settings.start_fixed || o->description.phase.meets[0])) continue;
            if (n == o->layout.N && o->settings.periodic) continue;
            AC_TRY(add_block(o, AC_ROW_CONSTRAINT, n, 0, o->layout.used_constraints));
        }
    if (o->settings.periodic) AC_TRY(add_block(o, AC_ROW_PERIODIC, o->layout.N, 0, o->layout.width));
    if (o->transcription >= AC_COLLOCATION_QP) {
        AC_TRY(collocation_blocks(o));
    } else {
        AC_TRY(dynamics_blocks(o));
    }
    for (int e = 0; e < 2; ++e) {
        if (o->layout.first.velocity[e] < 0) continue;
        if (e == 0 && o->point.start.moves) {
            AC_TRY(add_block(o, AC_ROW_START, 0, 1, ac_start_row_count(o, 1)));
            AC_TRY(add_block(o, AC_ROW_VELOCITY, 0, o->layout.closures, loops));
        } else if (constrained && !(e == 1 && o->settings.periodic))
            AC_TRY(add_block(o, AC_ROW_VELOCITY, e == 0 ? 0 : o->layout.N, 0, o->layout.used_constraints));
    }
    if (o->settings.periodic && o->layout.first.velocity[1] >= 0)
        AC_TRY(add_block(o, AC_ROW_PERIODIC, o->layout.N, 1, o->layout.width));
    for (int n = 0; n < o->layout.N; ++n)
        AC_TRY(add_block(o, AC_ROW_HOLD, n, 0, o->description.phase.hold_count));
    for (int e = 0; e < 2; ++e)
        if (o->layout.first.velocity[e] >= 0)
            AC_TRY(
                add_block(o, AC_ROW_HOLD_RATE, e == 0 ? 0 : o->layout.N, 0, o->description.phase.hold_count));
    for (int n = 0; n <= o->layout.N; ++n)
        if (ac_has_dynamics(o, n))
            AC_TRY(add_block(o, AC_ROW_FRICTION, n, 0, o->description.phase.cone_count));
    for (int k = 0; k < o->description.condition_count; ++k)
        for (int i = 0; i < ac_condition_copies(o, &o->description.conditions[k]); ++i)
            AC_TRY(
                add_block(o, AC_ROW_CONDITION, ac_condition_at(o, &o->description.conditions[k], i), k, 1));
    for (int k = 0; k < o->description.total_count; ++k) AC_TRY(add_block(o, AC_ROW_TOTAL, 0, k, 1));
    return limit_blocks(o);
}

/* --- unknowns --- */

static ac_status place_unknowns(ac_optimization *o)
{
    const ac_optimization_settings *s = &o->settings;
    int next = (o->layout.N + 1) * o->layout.width;
    o->layout.first.multiplier = next;
    if (o->transcription < AC_COLLOCATION_QP) next += (o->layout.N + 1) * o->layout.used_constraints;
    o->layout.first.velocity[0] = o->layout.first.velocity[1] = o->layout.first.momentum = -1;
    for (int e = 0; e < 2; ++e) {
        const char *where;
        bool used = uses_velocities(o, e == 1, &where) || s->periodic || o->description.phase.meets[e];
        if (e == 0 && o->point.start.moves && !used) {
            o->layout.first.velocity[0] = next;
            next += o->layout.width;
        }
        if (!used) continue;
        if (ac_is_minimal(o) && s->periodic)
            return ac_fail(
                o->ctx, AC_BAD_INPUT, "%s%speriodicity needs the formulation reduced or multipliers",
                o->formulation_where ? o->formulation_where : "", o->formulation_where ? ": " : "");
        if (e == 0 ? s->start_velocity : s->end_rest)
            return ac_fail(
                o->ctx, AC_BAD_INPUT,
                "%s%sthe velocity at the %s is given; it cannot be in a condition or objective too, unless "
                "%s_velocity is free",
                where, where[0] ? ": " : "", e == 0 ? "start" : "end", e == 0 ? "start" : "end");
        o->layout.first.velocity[e] = next;
        next += o->layout.width;
    }
    for (int e = 0; e < 2; ++e) {
        bool own = ac_start_follows(o) && !o->layout.charted && (e == 0 || o->point.start.moves);
        o->layout.first.start[e] = own ? next : ac_start_follows(o) && o->layout.charted && !e ? 0 : -1;
        if (own) next += o->layout.freedoms;
    }
    if (o->layout.charted && o->point.start.moves) o->layout.first.start[1] = o->layout.first.velocity[0];
    if (o->transcription >= AC_COLLOCATION_QP) {
        o->layout.first.momentum = next;
        next += (o->layout.N + 1) * o->layout.width;
    }
    o->layout.first.hold = next;
    next += (o->layout.N + 1) * o->description.phase.hold_count;
    o->layout.first.control = next;
    next += o->layout.N * o->description.control_count;
    o->layout.first.slack = next;
    next += o->layout.N * o->layout.slack_count;
    o->layout.first.helper = next;
    next += (o->layout.N + 1) * o->description.shapes.helper_count;
    o->layout.first.stress = next;
    next += o->layout.N * o->description.discrete.stress_count;
    o->layout.first.time = o->layout.by_time ? next++ : -1;
    o->layout.first.parameter = next;
    next += o->layout.parameters;
    o->layout.variables = next;
    return AC_OK;
}

static void bound_unknowns(ac_optimization *o)
{
    for (int i = 0; i < o->layout.variables; ++i) {
        o->layout.bounds.lower[i] = -INFINITY;
        o->layout.bounds.upper[i] = INFINITY;
    }
    for (int n = 0; n <= o->layout.N && o->transcription < AC_COLLOCATION_QP; ++n)
        for (int k = 0; k < o->layout.used_constraints; ++k)
            if (!ac_has_multiplier(o, n, k))
                o->layout.bounds.lower[ac_multiplier(o, n) + k] =
                    o->layout.bounds.upper[ac_multiplier(o, n) + k] = 0.0;
    for (int n = 0; n <= o->layout.N && o->description.phase.pushes;
         ++n) /* the force is minus the multiplier */
        for (int k = 0; k < o->description.phase.hold_count; ++k)
            if (o->description.phase.pushes[k]) o->layout.bounds.upper[ac_hold_variable(o, n) + k] = 0.0;
    for (int e = 0; e < 2; ++e) /* no force where no dynamics is posed */
        for (int k = 0; k < o->description.phase.hold_count && !ac_has_dynamics(o, e * o->layout.N); ++k)
            o->layout.bounds.lower[ac_hold_variable(o, e * o->layout.N) + k] =
                o->layout.bounds.upper[ac_hold_variable(o, e * o->layout.N) + k] = 0.0;
    for (int n = 0; n < o->layout.N; ++n) {
        for (int k = 0; k < o->description.control_count; ++k) {
            o->layout.bounds.lower[ac_control_variable(o, n) + k] = o->description.controls[k].given.low;
            o->layout.bounds.upper[ac_control_variable(o, n) + k] = o->description.controls[k].given.high;
        }
    }
    ac_apart_bound(o);
    if (o->layout.by_time) {
        const ac_optimization_settings *s = &o->settings;
        o->layout.bounds.lower[o->layout.first.time] = s->least_duration;
        o->layout.bounds.upper[o->layout.first.time] = s->most_duration;
    }
    for (int j = 0; j < o->layout.parameters; ++j) {
        o->layout.bounds.lower[o->layout.first.parameter + j] = o->description.variation.parameters[j].low;
        o->layout.bounds.upper[o->layout.first.parameter + j] = o->description.variation.parameters[j].high;
    }
}

/* Turns about three axes stay away from the place where their middle one makes them dependent. */
static void bound_turns(ac_optimization *o)
{
    static const double reach = 1.2;
    if (!o->layout.charted || ac_is_minimal(o)) return;
    for (int f = 0; f + 2 < o->layout.freedoms; ++f) {
        const ac_node *node = &o->system->nodes[o->description.chart.holder[f]];
        const ac_walk_step *step = ac_walk_at(node, f - node->u);
        if (step->kind != AC_MOTION_BALL || step->freedoms < 3) continue;
        for (int n = 0; n <= o->layout.N; ++n) {
            o->layout.bounds.lower[ac_y(o, n) + f + 1] = -reach;
            o->layout.bounds.upper[ac_y(o, n) + f + 1] = reach;
        }
        f += 2;
    }
}

static double reference_angle(const ac_optimization *o, int n, int freedom)
{
    int node = o->description.chart.holder[freedom];
    const ac_walk_step *step = ac_walk_at(&o->system->nodes[node], freedom - o->system->nodes[node].u);
    return o->point.reference[(size_t)n * (size_t)o->system->node_count + (size_t)node]
        .coordinate[step->number];
}

void ac_layout_ease(ac_optimization *o)
{
    for (int r = 0; o->layout.left_out && r < o->layout.rows; ++r) {
        if (!o->layout.left_out[r]) continue;
        o->layout.bounds.low[r] -= o->layout.room;
        o->layout.bounds.high[r] += o->layout.room;
    }
}

void ac_layout_bound_rows(ac_optimization *o)
{
    if (o->description.phases) {
        ac_phases_bound_rows(o);
        return;
    }
    const ac_optimization_settings *s = &o->settings;
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        double *low = o->layout.bounds.low + block->first, *high = o->layout.bounds.high + block->first;
        for (int i = 0; i < block->count; ++i) low[i] = high[i] = 0.0;
        if (block->kind == AC_ROW_CONDITION) {
            const ac_condition_data *c = &o->description.conditions[block->item];
            bool start = block->place == 0, end = block->place == o->layout.N;
            bool roomy = (c->dependent && (start || end)) || (c->eased[0] && start) || (c->eased[1] && end);
            low[0] = c->low - (roomy ? o->layout.room : 0.0);
            high[0] = c->high + (roomy ? o->layout.room : 0.0);
        } else if (block->kind == AC_ROW_DYNAMICS && block->place == o->layout.N && o->layout.end.spin) {
            for (int i = 0; i < block->count; ++i)
                if (o->layout.end.spin[o->layout.end.rows[i]]) {
                    low[i] = -o->layout.room;
                    high[i] = o->layout.room;
                }
        } else if (block->kind == AC_ROW_TURN) {
            bool planar = ac_node_turns(&o->system->nodes[block->item]) == 1;
            low[0] = planar ? ac_cos(s->turn_limit) : 1.0 + 2.0 * ac_cos(s->turn_limit);
            high[0] = INFINITY;
        } else if (block->kind == AC_ROW_STEP) {
            double already = reference_angle(o, block->place + 1, block->item) -
                             reference_angle(o, block->place, block->item);
            low[0] = -HALF_TURN - already;
            high[0] = HALF_TURN - already;
        } else if (block->kind == AC_ROW_RATE) {
            double most = o->description.controls[block->item].given.rate;
            if (block->count == 1) {
                high[0] = most * s->duration / o->layout.N;
                low[0] = -high[0];
            } else {
                low[0] = low[1] = -INFINITY;
            }
        } else if (block->kind == AC_ROW_ABSOLUTE) {
            high[0] = high[1] = INFINITY;
        } else if (block->kind == AC_ROW_TOTAL) {
            low[0] = o->description.totals[block->item].low;
            high[0] = o->description.totals[block->item].high;
        } else if (block->kind == AC_ROW_FRICTION) {
            for (int i = 0; i < block->count; ++i) high[i] = INFINITY;
        }
    }
    ac_layout_ease(o);
}

/* --- the whole --- */

static ac_status allocate_point(ac_optimization *o)
{
    size_t nodes = (size_t)o->layout.N + 1, n = (size_t)o->layout.n, T = (size_t)o->layout.freedoms,
           W = (size_t)o->layout.span;
    AC_NEW(o->ctx, o->point.x, o->layout.variables);
    AC_NEW(o->ctx, o->point.q, nodes * (size_t)o->layout.extended);
    AC_NEW(o->ctx, o->point.R, nodes * n);
    AC_NEW(o->ctx, o->point.G, nodes * n);
    AC_NEW(o->ctx, o->point.v, nodes * n);
    AC_NEW(o->ctx, o->point.tau, (size_t)o->layout.N * (size_t)(o->description.discrete.input_count + 1));
    size_t loads = o->layout.by_time &&
                           o->description.discrete.input_count > o->description.discrete.control_count
                       ? (size_t)o->layout.N * (size_t)o->description.discrete.input_count
                       : 0;
    if (loads > 0) {
        AC_NEW(o->ctx, o->point.tau_h, loads);
        AC_NEW(o->ctx, o->point.tau_hh, loads);
    }
    AC_NEW(o->ctx, o->point.left, n);
    AC_NEW(o->ctx, o->point.right, n);
    AC_NEW(o->ctx, o->point.work, 4 * n);
    AC_NEW(o->ctx, o->point.Gw, 2 * n);
    if (o->description.total_count > 0) AC_NEW(o->ctx, o->point.total_gradient, o->layout.variables);
    AC_NEW(o->ctx, o->point.velocity[0], n);
    AC_NEW(o->ctx, o->point.velocity[1], n);
    AC_NEW(o->ctx, o->point.measure_windings, nodes * (size_t)o->system->measure_count);
    AC_NEW(o->ctx, o->point.scalar_windings, nodes * (size_t)o->description.scalars.count);
    AC_NEW(o->ctx, o->point.reference, nodes * (size_t)o->system->node_count);
    AC_NEW(o->ctx, o->point.state, (size_t)o->system->node_count);
    size_t most = 8 * W * W +
                  4 * W * (size_t)(o->description.control_count + o->description.discrete.stress_count + 2);
    if (ac_is_minimal(o)) most += ac_minimal_room(o->layout.freedoms);
    AC_NEW(o->ctx, o->point.local, most);
    if (o->layout.parameters > 0) {
        AC_NEW(o->ctx, o->point.pairs, (size_t)o->layout.parameters * (size_t)o->layout.parameters);
        AC_NEW(o->ctx, o->point.by_moving, (size_t)o->layout.extended - n + 1);
    }
    AC_NEW(o->ctx, o->point.selection, (size_t)o->description.control_count * T);
    if (!o->layout.charted) return AC_OK;
    for (int k = 0; k < 4; ++k)
        AC_TRY(ac_row_sums_create(o->ctx, o->layout.extended, o->layout.span, &o->point.row_sums[k]));
    o->point.panel.width = o->layout.span;
    AC_NEW(o->ctx, o->point.panel.values, AC_SCALAR_MAX * W);
    AC_NEW(o->ctx, o->point.D, nodes * (size_t)o->layout.extended * W);
    AC_NEW(o->ctx, o->point.axis, nodes * 3 * T);
    AC_NEW(o->ctx, o->point.V, nodes * n * W);
    AC_NEW(o->ctx, o->point.Vn, 2 * (size_t)o->layout.extended * W);
    AC_NEW(o->ctx, o->point.blocks_d, nodes * W * W);
    AC_NEW(o->ctx, o->point.blocks_o, nodes * W * W);
    return AC_OK;
}

static ac_status copy_where(ac_context *ctx, const char *where, char **copy)
{
    ac_release(ctx, *copy);
    *copy = where ? ac_copy_text(ctx, where) : NULL;
    return where && !*copy ? ac_out_of_memory(ctx) : AC_OK;
}

ac_status ac_optimization_settings_from(ac_optimization *o, const char *formulation, const char *end_velocity)
{
    AC_TRY(copy_where(o->ctx, formulation, &o->formulation_where));
    return copy_where(o->ctx, end_velocity, &o->end_where);
}

/* Its generalised force does not depend on the configuration: that of a joint coordinate, of a torque in the plane, of a
 * force on what does not turn. */
static bool is_constant(const ac_optimization *o, int k)
{
    const ac_control *control = &o->description.controls[k].given;
    if (control->type == AC_LOAD_JOINT) return o->description.discrete.inputs[k].scalar >= 0;
    int count, node = control->point.node;
    if (control->type == AC_LOAD_TORQUE) return o->system->nodes[node].dimension == 2;
    const int *path = ac_chart_path(&o->description.chart, node, &count);
    for (int i = 0; i < count; ++i)
        if (o->description.chart.motion[path[i]] != AC_MOTION_SHIFT) return false;
    return true;
}

static ac_status check_settings(const ac_optimization *o)
{
    const ac_system *system = o->system;
    const char *where = o->formulation_where ? o->formulation_where : "", *colon = where[0] ? ": " : "";
    bool loops = system->constraints.count > system->constraints.closure;
    if (ac_is_minimal(o)) {
        bool damped = false;
        for (int k = 0; k < o->description.discrete.spring_count; ++k)
            damped = damped || o->description.discrete.springs[k].damping != 0.0;
        if (loops || damped || system->beam_count > 0 || ac_is_loaded(system))
            return ac_fail(o->ctx, AC_BAD_INPUT,
                           "%s%sminimal coordinates and collocation are for comparison: open trees of rigid "
                           "bodies, gravity, springs without damping and controls in joints; use reduced or "
                           "multipliers",
                           where, colon);
        for (int k = 0; k < o->description.control_count; ++k)
            if (!is_constant(o, k))
                return ac_fail(o->ctx, AC_BAD_INPUT,
                               "%s%sminimal coordinates take controls in joint coordinates and torques in "
                               "the plane only, not '%s'",
                               where, colon, o->description.controls[k].name);
    }
    return AC_OK;
}

/* Angles of tree joints are known with their full turns from the states of the joints. */
static ac_status find_turning(ac_optimization *o)
{
    const ac_system *system = o->system;
    AC_NEW(o->ctx, o->layout.turning, system->measure_count);
    AC_NEW(o->ctx, o->layout.full_turns, system->measure_count);
    for (int k = 0; k < system->measure_count; ++k) o->layout.turning[k] = -1;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->joint < 0 || ac_node_turns(node) == 0) continue;
        const ac_joint_data *joint = &system->joints[node->joint];
        if (joint->first_measure < 0) continue;
        for (int c = 0; c < ac_row_coordinates(joint->row); ++c)
            if (system->measures[joint->first_measure + c].kind == AC_MEASURE_ANGLE) {
                int measure = joint->first_measure + c;
                double angle = (joint->reversed ? -1.0 : 1.0) * system->initial.state[i].coordinate[c];
                o->layout.turning[measure] = i;
                o->layout.full_turns[measure] =
                    2.0 * HALF_TURN * round((system->measures[measure].initial - angle) / (2.0 * HALF_TURN));
            }
    }
    return AC_OK;
}

static bool in_jets(const ac_jet *jets, int count, int parameter)
{
    for (int k = 0; k < count; ++k)
        if (ac_jet_place(jets[k].by, jets[k].count, parameter) >= 0) return true;
    return false;
}

/* Whether places of a node depend on a parameter: a joint or beam between it and the ground does. Directors never do. */
static bool is_shifted_by(const ac_optimization *o, int node, int parameter)
{
    const ac_variation *v = &o->description.variation;
    for (; node != AC_GROUND; node = o->description.chart.parent[node]) {
        const ac_node *at = &o->system->nodes[node];
        if (v->node_shifts[node] && in_jets(v->node_shift + 3 * node, 3, parameter)) return true;
        if (at->beam >= 0 && in_jets(&v->length_ratio[at->beam], 1, parameter)) return true;
        if (at->joint < 0 || !v->joint_moves[at->joint]) continue;
        int length = v->of.joint[7 * at->joint + 6];
        if (in_jets(v->joint_place + 6 * at->joint, 6, parameter)) return true;
        if (length >= 0 && in_jets(&v->dependents[length].jet, 1, parameter)) return true;
    }
    return false;
}

/* Does list i have a parameter? The lists are those of build_paths. */
static bool path_has(const ac_optimization *o, int i, int parameter)
{
    int nodes = o->system->node_count;
    if (i >= 2 * nodes) return in_jets(ac_moving_jet(o, o->layout.n + i - 2 * nodes), 1, parameter);
    return i >= nodes && is_shifted_by(o, i - nodes, parameter);
}

/* Freedoms between a node and the ground; the same and the parameters that shift it; the parameters of moving data. */
static ac_status build_paths(ac_optimization *o)
{
    int nodes = o->system->node_count, moving = o->layout.extended - o->layout.n, used = 0;
    AC_NEW(o->ctx, o->layout.paths.start, 2 * nodes + moving + 1);
    AC_NEW(o->ctx, o->layout.paths.list,
           2 * o->description.chart.path_start[nodes] + (nodes + moving) * o->layout.parameters + 1);
    AC_NEW(o->ctx, o->layout.paths.of, o->layout.extended);
    AC_NEW(o->ctx, o->layout.paths.low, 2 * nodes + moving);
    AC_NEW(o->ctx, o->layout.paths.high, 2 * nodes + moving);
    for (int i = 0; i < 2 * nodes + moving; ++i) {
        int count = 0;
        const int *own = i < 2 * nodes ? ac_chart_path(&o->description.chart, i % nodes, &count) : NULL;
        for (int k = 0; k < count; ++k) o->layout.paths.list[used++] = own[k];
        for (int j = 0; i >= nodes && j < o->layout.parameters; ++j)
            if (path_has(o, i, j)) o->layout.paths.list[used++] = o->layout.freedoms + j;
        o->layout.paths.start[i + 1] = used;
        o->layout.paths.low[i] = o->layout.span;
        o->layout.paths.high[i] = -1;
        for (int k = o->layout.paths.start[i]; k < used; ++k) {
            if (o->layout.paths.list[k] < o->layout.paths.low[i])
                o->layout.paths.low[i] = o->layout.paths.list[k];
            if (o->layout.paths.list[k] > o->layout.paths.high[i])
                o->layout.paths.high[i] = o->layout.paths.list[k];
        }
    }
    for (int i = 0; i < nodes; ++i) {
        const ac_node *node = &o->system->nodes[i];
        const int *start = o->layout.paths.start + i;
        bool shifted = start[nodes + 1] - start[nodes] > start[1] - start[0];
        for (int k = 0; k < node->size; ++k)
            o->layout.paths.of[node->q + k] = shifted && ac_chart_shifts(node, k) ? nodes + i : i;
    }
    for (int j = 0; j < moving; ++j) o->layout.paths.of[o->layout.n + j] = 2 * nodes + j;
    return AC_OK;
}

ac_status ac_layout_build(ac_optimization *o)
{
    if (o->description.phases) return ac_phases_layout(o);
    const ac_system *system = o->system;
    o->layout.N = o->settings.intervals;
    o->layout.n = system->n;
    o->layout.charted = o->transcription != AC_WITH_MULTIPLIERS;
    o->layout.by_time = o->settings.free_duration;
    o->layout.freedoms = system->tree.freedoms;
    o->layout.width = o->layout.charted ? o->layout.freedoms : o->layout.n;
    o->layout.rows = o->layout.block_count = 0;
    AC_TRY(ac_discrete_add_loads(&o->description.discrete));
    o->description.discrete.projected = o->layout.charted;
    AC_TRY(ac_chart_create(o->ctx, system, &o->description.chart));
    AC_TRY(ac_parameters_begin(o));
    AC_TRY(ac_discrete_bundle(&o->description.discrete, ac_wants_stresses(o)));
    AC_TRY(check_settings(o));
    AC_TRY(ac_find_conserved(o));
    AC_NEW(o->ctx, o->layout.owner, o->layout.extended);
    for (int i = 0; i < system->node_count; ++i)
        for (int k = 0; k < system->nodes[i].size; ++k) o->layout.owner[system->nodes[i].q + k] = i;
    for (int i = o->layout.n; i < o->layout.extended; ++i) o->layout.owner[i] = system->node_count;
    AC_TRY(build_paths(o));
    AC_TRY(ac_stress_reach(o));
    AC_TRY(find_turning(o));
    AC_TRY(choose_constraints(o));
    AC_TRY(ac_choose_end_rows(o));
    AC_TRY(ac_start_begin(o));
    AC_TRY(place_unknowns(o));
    AC_TRY(build_blocks(o));
    AC_NEW(o->ctx, o->layout.bounds.lower, o->layout.variables);
    AC_NEW(o->ctx, o->layout.bounds.upper, o->layout.variables);
    AC_NEW(o->ctx, o->layout.bounds.low, o->layout.rows);
    AC_NEW(o->ctx, o->layout.bounds.high, o->layout.rows);
    bound_unknowns(o);
    bound_turns(o);
    AC_TRY(allocate_point(o));
    if (ac_is_minimal(o)) {
        AC_TRY(ac_minimal_create(o->ctx, &o->description.chart, system->initial.state, &o->point.minimal));
        o->point.minimal.discrete = &o->description.discrete;
        ac_minimal_select(o);
    }
    o->layout.ready = true;
    return AC_OK;
}

void ac_layout_destroy(ac_optimization *o)
{
    if (o->description.phases) ac_phases_layout_destroy(o);
    double **numbers[] = {&o->point.x,
                          &o->layout.full_turns,
                          &o->point.selection,
                          &o->point.q,
                          &o->point.R,
                          &o->point.G,
                          &o->point.v,
                          &o->point.tau,
                          &o->point.tau_h,
                          &o->point.tau_hh,
                          &o->point.left,
                          &o->point.right,
                          &o->point.work,
                          &o->point.Gw,
                          &o->point.total_gradient,
                          &o->point.velocity[0],
                          &o->point.velocity[1],
                          &o->point.measure_windings,
                          &o->point.scalar_windings,
                          &o->point.local,
                          &o->point.panel.values,
                          &o->point.D,
                          &o->point.axis,
                          &o->point.V,
                          &o->point.Vn,
                          &o->point.pairs,
                          &o->point.by_moving,
                          &o->point.blocks_d,
                          &o->point.blocks_o,
                          &o->layout.bounds.lower,
                          &o->layout.bounds.upper,
                          &o->layout.bounds.low,
                          &o->layout.bounds.high,
                          &o->layout.unit.unknown,
                          &o->layout.unit.row,
                          &o->found.multipliers,
                          &o->found.at_lower,
                          &o->found.at_upper,
                          &o->found.adjoint,
                          &o->found.momenta};
    int **whole[] = {&o->layout.turning,    &o->layout.owner,        &o->layout.constraint_rows,
                     &o->layout.end.rows,   &o->layout.dynamics_row, &o->layout.paths.start,
                     &o->layout.paths.list, &o->layout.paths.of,     &o->layout.paths.low,
                     &o->layout.paths.high, &o->layout.stress_row,   &o->layout.stress_low,
                     &o->layout.stress_high};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        ac_release(o->ctx, *numbers[k]);
        *numbers[k] = NULL;
    }
    for (size_t k = 0; k < sizeof whole / sizeof *whole; ++k) {
        ac_release(o->ctx, *whole[k]);
        *whole[k] = NULL;
    }
    ac_parameters_destroy(o);
    for (int k = 0; k < 4; ++k) ac_row_sums_destroy(&o->point.row_sums[k]);
    ac_release(o->ctx, o->point.reference);
    ac_release(o->ctx, o->point.state);
    ac_release(o->ctx, o->layout.end.multiplier);
    ac_release(o->ctx, o->layout.end.spin);
    ac_release(o->ctx, o->layout.left_out);
    ac_release(o->ctx, o->layout.blocks);
    o->point.reference = o->point.state = NULL;
    o->layout.end.multiplier = NULL;
    o->layout.end.spin = NULL;
    o->layout.left_out = NULL;
    o->layout.blocks = NULL;
    o->layout.block_capacity = o->layout.block_count = o->layout.rows = o->layout.used_constraints =
        o->layout.end.row_count = 0;
    ac_pattern_end(&o->layout.jacobian);
    ac_pattern_end(&o->layout.hessian);
    ac_chart_destroy(&o->description.chart);
    ac_minimal_destroy(&o->point.minimal);
    o->layout.ready = o->point.fresh = false;
    o->found.dependent_count = 0; /* rows by their numbers */
}
