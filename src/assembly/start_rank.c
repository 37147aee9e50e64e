/* Starts in a singular configuration, such as bars that all lie in one line: there the loops have more motions than
 * beside it, and more than one motion leads on.
 *
 * The rank of the closure at the start is compared with that of a neighbour: the start moved a little along all its
 * motions at once, with the loops closed again. Where no such neighbour closes, the bars may be stretched out.
 */
#include <math.h>
#include <string.h>

#include "assembly/assemble.h"
#include "math/math.h"

static const double STEP = 1e-3, RANK_TOLERANCE = 1e-7;
static const double COARSE = 1e-5; /* what a few digits of axes and lengths leave */

static int rank_here(ac_system *system, ac_assembling *w)
{
    ac_tree_columns(system, system->initial.state, system->initial.q, w->columns);
    ac_closure_jacobian(system, w->columns, system->initial.q, w->J);
    ac_row_space_factor(&w->space, w->J, RANK_TOLERANCE, w->m);
    return w->space.rank;
}

/* Moves the start along all columns of N, with lengths that are not simple multiples of each other. */
static void move_a_little(ac_system *system, ac_assembling *w, const double *N, int k, double step)
{
    for (int j = 0; j < w->n; ++j) {
        w->z[j] = 0.0;
        for (int c = 0; c < k; ++c) w->z[j] += step * ac_cos(1.0 + 2.3 * c) * N[j * k + c];
    }
    memcpy(w->trial, system->initial.state, (size_t)system->node_count * sizeof *w->trial);
    ac_tree_move(system, w->z, w->trial, system->initial.state, system->initial.q);
}

/* Where only the start itself closes, the neighbour is pulled back to it. */
static bool came_back(const ac_system *system, const double *start)
{
    double most = 0.0;
    for (int i = 0; i < system->n; ++i) most = ac_max(most, fabs(system->initial.q[i] - start[i]));
    return most < 0.1 * STEP * ac_min(1.0, system->length_scale);
}

ac_status ac_assembly_extra_motions(ac_system *system, ac_assembling *w)
{
    ac_assembly *assembly = &system->initial.assembly;
    ac_context *ctx = system->ctx;
    double *q = NULL, *N = NULL;
    ac_joint_state *state = NULL;
    assembly->extra_motions = 0;
    assembly->alone = false;
    if (w->large) return AC_OK; /* it would cost too much */
    int rank = rank_here(system, w), k = w->n - rank, iterations = system->initial.assembly.iterations;
    if (rank == w->m || rank == w->n) return AC_OK; /* it cannot grow */
    size_t nodes = (size_t)system->node_count;
    q = ac_allocate(ctx, (size_t)system->n, sizeof *q);
    N = ac_allocate(ctx, (size_t)w->n * (size_t)k, sizeof *N);
    state = ac_allocate(ctx, nodes, sizeof *state);
    ac_status status = q && N && state ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK) {
        ac_row_space_null(&w->space, N);
        memcpy(q, system->initial.q, (size_t)system->n * sizeof *q);
        memcpy(state, system->initial.state, nodes * sizeof *state);
        assembly->alone = true;
        for (int side = 1; side >= -1 && assembly->alone;
             side -= 2) { /* limits and dead points may have one side */
            memcpy(system->initial.state, state, nodes * sizeof *state);
            move_a_little(system, w, N, k, side * STEP);
            assembly->alone = !(ac_assembly_close(system, w, false) <= ac_assembly_limit(system)) ||
                              came_back(system, q);
        }
        int there = assembly->alone ? rank : rank_here(system, w);
        assembly->extra_motions = there > rank ? there - rank : 0;
        memcpy(system->initial.q, q, (size_t)system->n * sizeof *q);
        memcpy(system->initial.state, state, nodes * sizeof *state);
        ac_tree_columns(system, system->initial.state, system->initial.q, w->columns);
    }
    system->initial.assembly.iterations = iterations;
    ac_release(ctx, q);
    ac_release(ctx, N);
    ac_release(ctx, state);
    return status;
}

/* --- motions that only the last digits hold --- */

static ac_status rank_with(ac_system *system, double tolerance, int *rank)
{
    ac_context *ctx = system->ctx;
    int n = system->tree.freedoms, m = system->constraints.count - system->constraints.closure;
    size_t doubles = ac_row_space_doubles(m, n), columns = 6 * (size_t)n;
    ac_row_space space;
    double *block = ac_allocate(ctx, doubles + columns + (size_t)m * (size_t)n, sizeof *block);
    int *ints = ac_allocate(ctx, ac_row_space_ints(m, n), sizeof *ints);
    bool made = block && ints;
    if (made) {
        double *c = block + doubles, *J = c + columns;
        ac_row_space_place(&space, m, n, block, ints);
        ac_tree_columns(system, system->initial.state, system->initial.q, c);
        ac_closure_jacobian(system, c, system->initial.q, J);
        ac_row_space_factor(&space, J, tolerance, m);
        *rank = space.rank;
    }
    ac_release(ctx, block);
    ac_release(ctx, ints);
    return made ? AC_OK : ac_out_of_memory(ctx);
}

ac_status ac_assembly_almost_moves(ac_system *system, int *motions)
{
    int rank = system->initial.closure_rank;
    *motions = 0;
    if (system->tree.freedoms == 0 || system->tree.freedoms > AC_ASSEMBLY_DENSE) return AC_OK;
    if (system->constraints.count == system->constraints.closure) return AC_OK;
    AC_TRY(rank_with(system, COARSE, &rank));
    *motions = system->tree.freedoms - rank;
    return AC_OK;
}
