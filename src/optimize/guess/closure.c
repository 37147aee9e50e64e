/* Closing the loops of a guess: joints that are guessed keep their coordinates, the others follow. */
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "optimize/problem/optimization.h"
#include "linalg/dense.h"

enum { ITERATIONS = 40 };
static const double CLOSED = 1e-10, RANK_TOLERANCE = 1e-9, LONGEST = 0.3;

typedef struct closing {
    ac_optimization *o;
    int rows, columns;
    double *block, *S, *J, *g, *xi;
    int *ints;
    bool *held; /* freedoms of guessed joints */
    ac_row_space space;
} closing;

static ac_status create(ac_optimization *o, closing *c)
{
    const ac_constraints *g = &o->system->constraints;
    c->o = o;
    c->rows = g->count - g->closure;
    c->columns = o->layout.freedoms;
    size_t space = ac_row_space_doubles(c->rows, c->columns), width = (size_t)c->columns;
    AC_NEW(o->ctx, c->block, space + 6 * width + (size_t)c->rows * width + (size_t)c->rows + width);
    AC_NEW(o->ctx, c->ints, ac_row_space_ints(c->rows, c->columns));
    AC_NEW(o->ctx, c->held, width);
    c->S = c->block + space;
    c->J = c->S + 6 * width;
    c->g = c->J + (size_t)c->rows * width;
    c->xi = c->g + c->rows;
    ac_row_space_place(&c->space, c->rows, c->columns, c->block, c->ints);
    for (int k = 0; k < o->description.guess.count; ++k) {
        const ac_node *node = &o->system->nodes[o->description.guess.list[k].node];
        for (int f = 0; f < node->freedoms; ++f) c->held[node->u + f] = true;
    }
    return AC_OK;
}

static void destroy(closing *c)
{
    ac_release(c->o->ctx, c->block);
    ac_release(c->o->ctx, c->ints);
    ac_release(c->o->ctx, c->held);
}

/* Newton's method on the closure, shortest corrections of the freedoms that are not held. */
static void close_node(closing *c, ac_joint_state *state, double *q)
{
    const ac_system *system = c->o->system;
    for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
        double size = 0.0, most = 0.0;
        ac_tree_forward(system, state, q);
        ac_constraints_value(system, q, system->constraints.closure, c->g);
        for (int r = 0; r < c->rows; ++r) size = ac_max(size, fabs(c->g[r]));
        if (size < CLOSED) return;
        ac_tree_columns(system, state, q, c->S);
        ac_closure_jacobian(system, c->S, q, c->J);
        for (int r = 0; r < c->rows; ++r)
            for (int f = 0; f < c->columns; ++f)
                if (c->held[f]) c->J[r * c->columns + f] = 0.0;
        ac_row_space_factor(&c->space, c->J, RANK_TOLERANCE, c->rows);
        ac_row_space_solve(&c->space, c->g, c->xi);
        for (int f = 0; f < c->columns; ++f) most = ac_max(most, fabs(c->xi[f]));
        double scale = most > LONGEST ? LONGEST / most : 1.0;
        for (int f = 0; f < c->columns; ++f) c->xi[f] *= -scale;
        ac_chart_move(&c->o->description.chart, c->xi, state);
    }
}

static bool has_loops(const ac_system *system)
{
    return system->constraints.count > system->constraints.closure;
}

ac_status ac_guess_close_each(ac_optimization *o)
{
    size_t states = (size_t)o->system->node_count;
    if (!has_loops(o->system)) return AC_OK;
    closing c = {0};
    ac_status status = create(o, &c);
    for (int f = 0; f < c.columns && c.held; ++f) c.held[f] = false;
    for (int n = 1; n <= o->layout.N && status == AC_OK; ++n)
        close_node(&c, o->point.reference + (size_t)n * states, ac_q(o, n));
    c.o = o;
    destroy(&c);
    return status;
}

ac_status ac_guess_close(ac_optimization *o)
{
    const ac_system *system = o->system;
    size_t states = (size_t)system->node_count;
    if (!has_loops(system) || o->description.guess.motion) return AC_OK;
    closing c = {0};
    ac_status status = create(o, &c);
    for (int n = o->settings.start_fixed ? 1 : 0; n <= o->layout.N && status == AC_OK; ++n) {
        ac_joint_state *state = o->point.reference + (size_t)n * states;
        const ac_joint_state *before = n > 0 ? state - states : o->description.guess.before;
        for (int i = 0; i < system->node_count && before; ++i) {
            const ac_node *node = &system->nodes[i];
            if (node->freedoms > 0 && !c.held[node->u]) state[i] = before[i];
        }
        close_node(&c, state, ac_q(o, n));
    }
    c.o = o;
    destroy(&c);
    return status;
}
