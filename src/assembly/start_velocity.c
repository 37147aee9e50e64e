/* Velocities at the start that joints have to make: a body is given a velocity, and what carries it is not.
 *
 * From the ground outwards each joint can give its own child a velocity only. When that leaves a given
 * velocity unmet, all tree velocities are found together: those of least size that give every moving node its
 * velocity, every joint its rate and keep the loops closed. They count only if they do so to rounding.
 */
#include <math.h>

#include "assembly/assemble.h"
#include "base/vector.h"
#include "linalg/dense.h"
#include "math/math.h"
#include "tree/kinematics.h"

static const double RANK_TOLERANCE = 1e-9;
static const double MET = 1e-9;

/* Rows A u = b; without room (NULL) they are only counted. */
typedef struct equations {
    int n, rows;
    double *A, *b;
} equations;

static void add_row(equations *e, const double *row, double value)
{
    if (e->A) {
        memcpy(e->A + (size_t)e->rows * (size_t)e->n, row, (size_t)e->n * sizeof *row);
        e->b[e->rows] = value;
    }
    ++e->rows;
}

/* u_j = value for the joint rates that are given. */
static void add_rates(const ac_system *system, const double *rates, equations *e, double *row)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->joint < 0 || !system->joints[node->joint].has_rates) continue;
        for (int j = node->u; j < node->u + node->freedoms; ++j) {
            memset(row, 0, (size_t)e->n * sizeof *row);
            row[j] = 1.0;
            add_row(e, row, rates[j]);
        }
    }
}

/* The given velocities of moving nodes. `twists` holds those of all nodes for each unit of a freedom. */
static void add_moving(const ac_system *system, const double *twists, equations *e, double *row)
{
    static const double none[6] = {0};
    size_t stride = 6 * (size_t)system->node_count;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double at_rest[6], made[6];
        if (!node->moving) continue;
        ac_node_velocity_gap(node, system->initial.q, none, at_rest);
        for (int c = 0; c < 6; ++c) {
            if (c < 3 ? c >= node->dimension || node->velocity_follows
                      : node->spin_follows || ac_node_turns(node) == 0)
                continue;
            for (int j = 0; j < e->n; ++j) {
                ac_node_velocity_made(node, system->initial.q, twists + (size_t)j * stride + 6 * (size_t)i,
                                      made);
                row[j] = made[c];
            }
            add_row(e, row, at_rest[c]);
        }
    }
}

static void add_loops(const double *J, int closures, equations *e)
{
    for (int r = 0; r < closures; ++r) add_row(e, J + (size_t)r * (size_t)e->n, 0.0);
}

/* The shortest solution; false if there is none. */
static bool solve(const equations *e, double *block, int *ints, double *x, double *met)
{
    ac_row_space space;
    double most = 0.0, off = 0.0;
    ac_row_space_place(&space, e->n, e->rows, block, ints);
    ac_least_squares(&space, e->A, e->b, RANK_TOLERANCE, x);
    for (int r = 0; r < e->rows; ++r) {
        met[r] = 0.0;
        for (int j = 0; j < e->n; ++j) met[r] += e->A[(size_t)r * (size_t)e->n + (size_t)j] * x[j];
        most = ac_max(most, fabs(e->b[r]));
        off = ac_max(off, fabs(met[r] - e->b[r]));
    }
    if (off > MET * most) return false;
    ac_row_space_place(&space, e->rows, e->n, block, ints);
    ac_row_space_factor(&space, e->A, RANK_TOLERANCE, e->rows);
    ac_row_space_solve(&space, met, x);
    return true;
}

static void add_relations(const ac_system *system, const ac_assembling *w, equations *e)
{
    for (int k = 0; k < system->relations.count; ++k)
        add_row(e, w->relations + (size_t)k * (size_t)e->n, w->relation_rates[k]);
}

typedef struct room {
    double *twists, *row, *block, *x, *met;
    int *ints;
} room;

static ac_status find(ac_system *system, const ac_assembling *w, room *m, equations *e)
{
    ac_context *ctx = system->ctx;
    size_t n = (size_t)e->n, stride = 6 * (size_t)system->node_count;
    AC_NEW(ctx, m->twists, n * stride);
    AC_NEW(ctx, m->row, n);
    AC_NEW(ctx, m->x, n);
    for (size_t j = 0; j < n; ++j) {
        memset(m->row, 0, n * sizeof *m->row);
        m->row[j] = 1.0;
        ac_tree_twists(system, w->columns, system->initial.q, m->row, m->twists + j * stride);
    }
    for (int pass = 0; pass < 2; ++pass) {
        e->rows = 0;
        add_rates(system, w->delta, e, m->row);
        add_moving(system, m->twists, e, m->row);
        add_loops(w->J, w->m, e);
        add_relations(system, w, e);
        if (pass > 0) break;
        size_t rows = (size_t)e->rows;
        AC_NEW(ctx, e->A, rows * n);
        AC_NEW(ctx, e->b, rows);
        AC_NEW(ctx, m->met, rows);
        AC_NEW(ctx, m->block, ac_row_space_doubles(e->n, e->rows) + ac_row_space_doubles(e->rows, e->n));
        AC_NEW(ctx, m->ints, ac_row_space_ints(e->n, e->rows) + ac_row_space_ints(e->rows, e->n));
    }
    if (solve(e, m->block, m->ints, m->x, m->met)) memcpy(system->initial.u, m->x, n * sizeof *m->x);
    return AC_OK;
}

ac_status ac_system_infer_velocities(ac_system *system, const ac_assembling *w)
{
    room m = {0};
    equations e = {.n = system->tree.freedoms};
    if (e.n == 0 || e.n > AC_ASSEMBLY_DENSE) return AC_OK;
    ac_status status = find(system, w, &m, &e);
    void *blocks[] = {m.twists, m.row, m.block, m.x, m.met, m.ints, e.A, e.b};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(system->ctx, blocks[k]);
    return status;
}
