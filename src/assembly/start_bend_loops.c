/* Second derivative of a start with closed loops.
 *
 * The rows that close loops are quadratic, with coefficients that vary. Along each set of directions (start_jets.h) the equation of a row is
 * linear in the newest increments, with the same matrix: J times them is minus what the row has without them. Configurations come
 * first, then velocities, each set after its subsets.
 *
 * That is a function of the data where loops determine every freedom in them that is not given. Where they leave some free, the start
 * depends on the path of the assembly; this is refused.
 */
#include <math.h>
#include <string.h>

#include "assembly/start_jets.h"
#include "base/vector.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9;
static const double OPEN = 1e-8;    /* of the largest change of a row: a loop that cannot follow */
static const double NOTHING = 1e-9; /* of the largest entry: a freedom that does not move any row */
static const int CHANGES[3] = {AC_BEND_OF, AC_BEND_ALONG, AC_BEND_OF | AC_BEND_ALONG};

typedef struct closing {
    ac_context *ctx;
    const ac_system_slope *slope;
    ac_bend_loops *loops;
    double *columns, *scale, *J, *g, *delta, *q;
    ac_forms rows[3]; /* derivatives of rows by CHANGES; one map for each row of each joint that varies */
    int *row[3];      /* per closure row: its map, -1: it does not vary */
    ac_row_space space[2];
    double *block[2];
    int *ints[2], count[2]; /* unknowns */
} closing;

static ac_status refuse(const closing *c, const char *what)
{
    return ac_fail(c->ctx, AC_BAD_INPUT, "%s", what);
}

/* --- rows --- */

static ac_status list_rows(closing *c, int k)
{
    const ac_system *system = c->slope->system;
    const ac_system_slope *slope = ac_bend_slope(c->slope, CHANGES[k]);
    AC_NEW(c->ctx, c->row[k], c->loops->m + 1);
    for (int r = 0; r < c->loops->m; ++r) c->row[k][r] = -1;
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        int first = c->rows[k].count;
        if (joint->in_tree || !ac_joint_varies(slope, j)) continue;
        AC_TRY(ac_joint_row_slopes(slope, j, c->ctx, &c->rows[k]));
        for (int r = 0; r < joint->rows; ++r)
            c->row[k][joint->first_row + r - system->constraints.closure] = first + r;
    }
    return AC_OK;
}

static void evaluate_rows(closing *c, int level)
{
    const ac_system *system = c->slope->system;
    const ac_constraints *all = &system->constraints;
    for (int r = 0; r < c->loops->m; ++r) {
        int row = all->closure + r;
        c->g[r] = ac_bend_map(&all->forms, row, all->coordinate + all->start[row], c->q, system->n, level);
        for (int k = 0; k < 3; ++k)
            if (c->row[k][r] >= 0 && (CHANGES[k] & level) == CHANGES[k])
                c->g[r] += ac_bend_map(&c->rows[k], c->row[k][r], NULL, c->q, system->n, level ^ CHANGES[k]);
    }
}

/* --- what is given --- */

static bool has_place(const ac_joint_data *joint)
{
    return joint->has_coordinates && !joint->hint;
}

bool ac_bend_is_based(const ac_system_slope *slope, const ac_bend_loops *loops, const ac_node *node)
{
    if (!loops || node->joint < 0 || node->freedoms == 0) return false;
    const ac_joint_data *joint = &slope->system->joints[node->joint];
    return (node->walk.aligned && !ac_row_is_ball(joint->row)) || (!has_place(joint) && !joint->has_rates);
}

/* Does no joint move, whatever the data? */
static bool rests(const ac_system_slope *slope)
{
    const ac_system *system = slope->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->joint < 0) continue;
        for (int j = node->u; j < node->u + node->freedoms; ++j)
            if (system->initial.u[j] != 0.0) return false;
        for (int k = 0; k < 3; ++k)
            if (norm3(ac_bend_slope(slope, CHANGES[k])->joints[node->joint].rates) != 0.0) return false;
    }
    return true;
}

/* Coordinates and rates that are given to a joint as increments of its freedoms, which they are but for the sign; velocities that are not
 * given are those of the start. */
static void take_given(closing *c, const ac_node *node)
{
    const ac_system *system = c->slope->system;
    const ac_joint_data *joint = &system->joints[node->joint];
    const double sign = joint->reversed ? -1.0 : 1.0;
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        for (int f = 0; f < step->freedoms; ++f) {
            int j = node->u + step->freedom + f;
            double *out = c->loops->increment[j];
            out[AC_BEND_TIME] = system->initial.u[j];
            for (int e = 0; e < 3; ++e) {
                const ac_joint_slope *by = &ac_bend_slope(c->slope, CHANGES[e])->joints[node->joint];
                if (has_place(joint)) out[CHANGES[e]] = sign * by->coordinates[step->number];
                if (joint->has_rates) out[AC_BEND_TIME | CHANGES[e]] = sign * by->rates[step->number];
            }
        }
    }
}

static ac_status check_joint(const closing *c, const ac_node *node)
{
    const ac_joint_data *joint = &c->slope->system->joints[node->joint];
    if (ac_bend_is_based(c->slope, c->loops, node) || node->freedoms == 0) return AC_OK;
    if (has_place(joint) && (joint->has_rates || c->loops->rests)) return AC_OK;
    return refuse(
        c, "a joint in a system with loops is given its turn without its rate, or its rate without its turn");
}

static ac_status take_joints(closing *c)
{
    const ac_system *system = c->slope->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->joint < 0 && node->moving && (node->spin_follows || node->velocity_follows))
            return refuse(c, "a body in a system with loops is given a part of its velocity");
        if (node->joint < 0) continue;
        AC_TRY(check_joint(c, node));
        if (ac_bend_is_based(c->slope, c->loops, node)) take_given(c, node);
    }
    return AC_OK;
}

/* --- unknowns --- */

static void mark_unknowns(closing *c)
{
    const ac_system *system = c->slope->system;
    const int n = c->loops->n, m = c->loops->m;
    double most = 0.0;
    for (int k = 0; k < m * n; ++k) most = ac_max(most, fabs(c->J[k]));
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        const ac_joint_data *joint = node->joint < 0 ? NULL : &system->joints[node->joint];
        for (int j = node->u; joint && j < node->u + node->freedoms; ++j) {
            double own = 0.0;
            for (int r = 0; r < m; ++r) own = ac_max(own, fabs(c->J[r * n + j]));
            c->loops->unknown[0][j] = own > NOTHING * most && !has_place(joint);
            c->loops->unknown[1][j] = own > NOTHING * most && !joint->has_rates;
        }
    }
}

/* J of the unknowns of configuration (0) or velocity (1). */
static ac_status factor(closing *c, int which)
{
    const int n = c->loops->n, m = c->loops->m;
    double *J;
    AC_NEW(c->ctx, J, (size_t)m * (size_t)n + 1);
    for (int j = 0; j < n; ++j) {
        c->count[which] += c->loops->unknown[which][j];
        for (int r = 0; r < m; ++r) J[r * n + j] = c->loops->unknown[which][j] ? c->J[r * n + j] : 0.0;
    }
    ac_row_space_place(&c->space[which], m, n, c->block[which], c->ints[which]);
    ac_row_space_factor(&c->space[which], J, RANK_TOLERANCE, m);
    ac_release(c->ctx, J);
    if (c->space[which].rank == c->count[which]) return AC_OK;
    return refuse(c, which == 0 ? "loops leave coordinates free that are not given"
                                : "loops leave rates free that are not given");
}

static ac_status allocate(closing *c)
{
    const ac_system *system = c->slope->system;
    ac_bend_loops *loops = c->loops;
    const size_t m = (size_t)loops->m, n = (size_t)loops->n;
    AC_NEW(c->ctx, c->columns, 6 * n + 1);
    AC_NEW(c->ctx, c->scale, n + 1);
    AC_NEW(c->ctx, c->J, m * n + 1);
    AC_NEW(c->ctx, c->g, m + 1);
    AC_NEW(c->ctx, c->delta, n + 1);
    for (int k = 0; k < 2; ++k) {
        AC_NEW(c->ctx, loops->unknown[k], n + 1);
        AC_NEW(c->ctx, c->block[k], ac_row_space_doubles(loops->m, loops->n) + 1);
        AC_NEW(c->ctx, c->ints[k], ac_row_space_ints(loops->m, loops->n) + 1);
    }
    AC_NEW(c->ctx, loops->increment, n + 1);
    for (int k = 0; k < 3; ++k) AC_TRY(list_rows(c, k));
    ac_tree_columns(system, system->initial.state, system->initial.q, c->columns);
    AC_TRY(ac_assembly_scales(c->ctx, system, c->columns, c->scale));
    ac_closure_jacobian(system, c->columns, system->initial.q, c->J);
    for (size_t k = 0; k < m * n; ++k) c->J[k] *= c->scale[k % n];
    return AC_OK;
}

/* --- levels --- */

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = ac_max(most, fabs(x[i]));
    return most;
}

static ac_status close_level(closing *c, int level)
{
    const int which = level & AC_BEND_TIME ? 1 : 0, n = c->loops->n, m = c->loops->m;
    evaluate_rows(c, level);
    double before = largest(c->g, m), size = largest(c->q + level * c->slope->system->n, c->slope->system->n);
    ac_row_space_solve(&c->space[which], c->g, c->delta);
    for (int j = 0; j < n; ++j)
        if (c->loops->unknown[which][j]) c->loops->increment[j][level] -= c->scale[j] * c->delta[j];
    for (int r = 0; r < m; ++r)
        for (int j = 0; j < n; ++j)
            if (c->loops->unknown[which][j]) c->g[r] -= c->J[r * n + j] * c->delta[j];
    double left = largest(c->g, m);
    if (left > OPEN * before && left > OPEN * OPEN * size)
        return refuse(
            c, "the loops cannot stay closed at given coordinates, or the rank of the constraints changes");
    return AC_OK;
}

static ac_status close_levels(closing *c, ac_bend_pose *poses)
{
    for (int time = 0; time < (c->loops->rests ? 1 : 2); ++time)
        for (int k = 0; k < 3; ++k) {
            AC_TRY(ac_bend_nodes(c->slope, c->loops, poses, c->q));
            AC_TRY(close_level(c, CHANGES[k] | (time ? AC_BEND_TIME : 0)));
        }
    return ac_bend_nodes(c->slope, c->loops, poses, c->q);
}

ac_status ac_bend_loops_close(const ac_system_slope *slope, ac_bend_loops *loops, ac_bend_pose *poses,
                              double *q)
{
    closing c = {.ctx = slope->ctx, .slope = slope, .loops = loops, .q = q};
    loops->rests = rests(slope);
    ac_status status = allocate(&c);
    if (status == AC_OK) status = take_joints(&c);
    if (status == AC_OK) {
        mark_unknowns(&c);
        status = factor(&c, 0);
    }
    if (status == AC_OK && !loops->rests) status = factor(&c, 1);
    if (status == AC_OK) status = close_levels(&c, poses);
    void *blocks[] = {c.columns, c.scale,  c.J,        c.g,        c.delta,   c.row[0],
                      c.row[1],  c.row[2], c.block[0], c.block[1], c.ints[0], c.ints[1]};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(c.ctx, blocks[k]);
    for (int k = 0; k < 3; ++k) ac_forms_free(c.ctx, &c.rows[k]);
    return status;
}

void ac_bend_loops_free(ac_context *ctx, ac_bend_loops *loops)
{
    void *blocks[] = {loops->increment, loops->unknown[0], loops->unknown[1]};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
}
