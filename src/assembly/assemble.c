/* Assembly: the consistent configuration and velocity nearest to what was given.
 *
 * Trees are consistent by construction: each joint takes the coordinates it was given, or those nearest to
 * the initial poses. Loops are then closed by Newton's method with the shortest correction (in the mean
 * displacement of the bodies it moves), with all given joint coordinates kept: from the initial state; if that is
 * stuck, from the initial state a little disturbed. Given coordinates that are hints only choose where this begins and
 * the branch (hints.c); the others hold exactly, or the description is refused (start_conflict.c).
 */
#include <math.h>
#include <string.h>

#include "assembly/assemble.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9;
static const double CLOSED = 1e-13;  /* times the length scale */
static const double MISSED = 1e-10;  /* a given velocity, m/s or rad/s */
static const double ROUNDED = 1e-12; /* of the largest velocity that a unit of a freedom can make */
enum { MOST_ITERATIONS = 200, MOST_HALVINGS = 30, MOST_ATTEMPTS = 24 };

/* --- configuration ------------------------------------------------------------------------------------------------- */

void ac_assembly_guess(ac_system *system)
{
    static const double zero[3] = {0, 0, 0};
    double *q = system->initial.q;
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        ac_joint_state *state = &system->initial.state[i];
        const ac_joint_data *joint = node->joint < 0 ? NULL : &system->joints[node->joint];
        if (!joint || (node->placed && !joint->has_coordinates)) {
            ac_node_set_pose(node, node->pose.position, node->pose.rotation, q + node->q);
            ac_joint_read_state(system, node, q, state);
        } else {
            ac_joint_from_coordinates(system, node, joint->has_coordinates ? joint->coordinates : zero,
                                      state);
        }
        ac_joint_forward(system, node, state, q);
    }
}

/* What hangs behind a joint, as seen from its node: how many nodes, the sum of their arms r and of r r^T. */
typedef struct behind {
    double count, arm[3], square[9];
} behind;

/* Adds the nodes behind a child at the distance d: r -> r + d. */
static void add_behind(const behind *child, const double d[3], behind *out)
{
    out->count += child->count;
    for (int a = 0; a < 3; ++a) {
        out->arm[a] += child->arm[a] + child->count * d[a];
        for (int b = 0; b < 3; ++b)
            out->square[3 * a + b] += child->square[3 * a + b] + child->arm[a] * d[b] + d[a] * child->arm[b] +
                                      child->count * d[a] * d[b];
    }
}

/* Sum of |v + w x r|^2 + length^2 |w|^2 over the nodes behind a joint. */
static double motion_behind(const behind *all, const double twist[6], double length)
{
    const double *v = twist, *w = twist + 3;
    double moved[3], turned[3];
    cross3(w, all->arm, moved);
    apply3(all->square, w, turned);
    double trace = all->square[0] + all->square[4] + all->square[8];
    return all->count * (dot3(v, v) + length * length * dot3(w, w)) + 2.0 * dot3(v, moved) +
           dot3(w, w) * trace - dot3(w, turned);
}

ac_status ac_assembly_scales(ac_context *ctx, const ac_system *system, const double *columns, double *scale)
{
    behind *all;
    AC_NEW(ctx, all, system->node_count);
    for (int k = system->node_count - 1; k >= 0; --k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        double here[3], there[3], arm[3];
        all[i].count += 1.0;
        ac_reference(node, system->initial.q, here);
        for (int j = node->u; j < node->u + node->freedoms; ++j) {
            double sum = motion_behind(&all[i], columns + 6 * j, system->length_scale);
            scale[j] = sum > 0.0 ? 1.0 / sqrt(sum) : 1.0;
        }
        if (node->parent == AC_GROUND) continue;
        ac_reference(&system->nodes[node->parent], system->initial.q, there);
        sub3(here, there, arm);
        add_behind(&all[i], arm, &all[node->parent]);
    }
    ac_release(ctx, all);
    return AC_OK;
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = ac_max(most, fabs(x[i]));
    return most;
}

/* The shortest delta, scaled, with J delta = b. */
static void find_correction(ac_system *system, ac_assembling *w, bool frozen)
{
    ac_closure_jacobian(system, w->columns, system->initial.q, w->J);
    for (int r = 0; r < w->m; ++r)
        for (int j = 0; j < w->n; ++j) w->J[r * w->n + j] *= frozen && w->given[j] ? 0.0 : w->scale[j];
    ac_row_space_factor(&w->space, w->J, w->rank_tolerance, w->m);
    ac_row_space_solve(&w->space, w->b, w->delta);
}

/* One Newton correction of the loops; `frozen` freedoms stay. False when no step makes the gaps smaller. */
static bool close_step(ac_system *system, ac_assembling *w, bool frozen)
{
    double before = 0.0;
    for (int r = 0; r < w->m; ++r) {
        before += w->g[r] * w->g[r];
        w->b[r] = -w->g[r];
    }
    ac_tree_columns(system, system->initial.state, system->initial.q, w->columns);
    if (w->large) {
        w->status = ac_large_correction(system, w, frozen);
        if (w->status != AC_OK) return false;
    } else {
        find_correction(system, w, frozen);
    }
    double turn = 0.0;
    for (int j = 0; j < w->n; ++j) {
        w->delta[j] *= frozen && w->given[j] ? 0.0 : w->scale[j];
        turn = ac_max(turn, fabs(w->delta[j]));
    }
    double factor = turn > 0.5 ? 0.5 / turn : 1.0;
    for (int half = 0; half < MOST_HALVINGS; ++half, factor *= 0.5) {
        for (int j = 0; j < w->n; ++j) w->z[j] = factor * w->delta[j];
        ac_tree_move(system, w->z, system->initial.state, w->trial, w->trial_q);
        ac_constraints_value(system, w->trial_q, system->constraints.closure, w->g);
        double after = 0.0;
        for (int r = 0; r < w->m; ++r) after += w->g[r] * w->g[r];
        if (after < before) {
            memcpy(system->initial.state, w->trial, (size_t)system->node_count * sizeof *w->trial);
            memcpy(system->initial.q, w->trial_q, (size_t)system->n * sizeof *w->trial_q);
            return true;
        }
    }
    ac_constraints_value(system, system->initial.q, system->constraints.closure, w->g);
    return false;
}

/* Closes all loops; returns the remaining gap. */
double ac_assembly_close(ac_system *system, ac_assembling *w, bool frozen)
{
    double good = CLOSED * system->length_scale;
    ac_constraints_value(system, system->initial.q, system->constraints.closure, w->g);
    for (int it = 0; it < MOST_ITERATIONS; ++it) {
        if (largest(w->g, w->m) <= 0.01 * good || !close_step(system, w, frozen)) break;
        ++system->initial.assembly.iterations;
    }
    return largest(w->g, w->m);
}

/* Moves the free joints a little, each attempt further: away from initial states in which Newton's method is
 * stuck, such as bars that all lie on one line. */
void ac_assembly_disturb(ac_system *system, ac_assembling *w, int attempt)
{
    double size = 0.1 * attempt;
    for (int j = 0; j < w->n; ++j) {
        double sign = ((j * 7 + attempt * (j + 1)) % 5) -
                      2.0; /* a fixed pattern, different in every attempt */
        w->z[j] = w->given[j] ? 0.0
                              : size * 0.5 * sign * ac_min(1.0, w->scale[j] * system->length_scale * 2.0);
    }
    memcpy(w->trial, system->initial.state, (size_t)system->node_count * sizeof *w->trial);
    ac_tree_move(system, w->z, w->trial, system->initial.state, system->initial.q);
}

double ac_assembly_limit(const ac_system *system)
{
    return 100.0 * CLOSED * system->length_scale;
}

static ac_status assemble_loops(ac_system *system, ac_assembling *w)
{
    double limit = ac_assembly_limit(system);
    ac_system_mark_given(system, false, w->given);
    ac_tree_columns(system, system->initial.state, system->initial.q, w->columns);
    AC_TRY(ac_assembly_scales(system->ctx, system, w->columns, w->scale));
    double gap = ac_assembly_close(system, w, true);
    for (int attempt = 1; gap > limit && attempt <= MOST_ATTEMPTS; ++attempt) {
        ac_assembly_guess(system);
        ac_assembly_disturb(system, w, attempt);
        gap = ac_assembly_close(system, w, true);
    }
    if (w->status == AC_NO_MEMORY) return w->status;
    return gap > limit ? ac_assembly_conflict(system, w, gap) : ac_assembly_follow_hints(system, w);
}

/* What assembly moved, compared with the initial configuration. */
static void report_moves(ac_system *system, const ac_assembling *w)
{
    ac_assembly *a = &system->initial.assembly;
    if (a->moved == 0.0) a->moved_node = AC_GROUND; /* else what was moved before: ac_system_unbend */
    if (a->turned == 0.0) a->turned_node = AC_GROUND;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double from[3], initial[9], to[3], rotation[9], shift[3], relative[9], theta[3];
        ac_node_get_pose(node, w->initial + node->q, from, initial);
        ac_node_get_pose(node, system->initial.q + node->q, to, rotation);
        sub3(to, from, shift);
        transposed_multiply3(initial, rotation, relative);
        ac_rotation_log(relative, theta);
        double moved = ac_hypot(ac_hypot(shift[0], shift[1]),
                                shift[2]); /* of numbers whose squares overflow, too */
        if (moved > a->moved) {
            a->moved = moved;
            a->moved_node = i;
        }
        if (ac_node_turns(node) > 0 && norm3(theta) > a->turned) {
            a->turned = norm3(theta);
            a->turned_node = i;
        }
    }
}

/* How far given coordinates were changed: hints, and those that cannot be reached. */
static void report_coordinates(ac_system *system)
{
    double x[AC_ELEMENT_MAX];
    system->initial.assembly.coordinate_joint = -1;
    system->initial.assembly.coordinate_change = 0.0;
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        if (!joint->has_coordinates || joint->first_measure < 0) continue;
        for (int c = 0; c < ac_row_coordinates(joint->row); ++c) {
            const ac_measure *m = &system->measures[joint->first_measure + c];
            ac_measure_gather(system, m, system->initial.q, x);
            double now = ac_measure_evaluate(system, m, x, joint->coordinates[c], NULL, NULL);
            double change = now - joint->coordinates[c];
            if (!(fabs(change) > fabs(system->initial.assembly.coordinate_change))) continue;
            system->initial.assembly.coordinate_change = change;
            system->initial.assembly.coordinate_given = joint->coordinates[c];
            system->initial.assembly.coordinate_joint = j;
        }
    }
}

/* --- velocity ------------------------------------------------------------------------------------------------------ */

void ac_node_velocity_made(const ac_node *node, const double *q, const double twist[6], double made[6])
{
    double position[3], rotation[9], arm[3] = {0, 0, 0}, velocity[3];
    memset(made, 0, 6 * sizeof *made);
    copy3(twist, velocity);
    if (node->spin_follows) { /* the velocity is that of the body's origin */
        ac_node_get_pose(node, q + node->q, position, rotation);
        apply3(rotation, node->centre, arm);
        for (int c = 0; c < 3; ++c) arm[c] = -arm[c];
        add_cross3(twist + 3, arm, velocity);
    }
    for (int c = 0; c < node->dimension && !node->velocity_follows; ++c) made[c] = velocity[c];
    for (int c = 3; c < 6 && !node->spin_follows && ac_node_turns(node) > 0; ++c) made[c] = twist[c];
}

void ac_node_velocity_gap(const ac_node *node, const double *q, const double twist[6], double gap[6])
{
    double made[6];
    ac_node_velocity_made(node, q, twist, made);
    memset(gap, 0, 6 * sizeof *gap);
    for (int c = 0; c < node->dimension && !node->velocity_follows; ++c) gap[c] = node->velocity[c] - made[c];
    for (int c = 3; c < 6 && !node->spin_follows && ac_node_turns(node) > 0; ++c)
        gap[c] = node->spin[c - 3] - made[c];
}

/* The shortest least-squares solution u of S u = (given velocities) - carried, for the few freedoms of one joint. A
 * freedom that moves what is given by rounding only, such as a turn about the body's own origin, does not count. */
static void freedoms_from_velocity(const ac_node *node, const double *q, const double *columns, double length,
                                   const double carried[6], double *u)
{
    int n = node->freedoms, ints[6];
    double target[6], A[36], block[64], x[6], met[6];
    ac_row_space space;
    if (n == 0) return;
    ac_node_velocity_gap(node, q, carried, target);
    for (int j = 0; j < n; ++j) {
        double made[6];
        ac_node_velocity_made(node, q, columns + 6 * j, made);
        double reach = norm3(columns + 6 * j) + length * norm3(columns + 6 * j + 3);
        for (int c = 0; c < 6; ++c) A[c * n + j] = fabs(made[c]) > ROUNDED * reach ? made[c] : 0.0;
    }
    ac_row_space_place(&space, n, 6, block, ints);
    ac_least_squares(&space, A, target, RANK_TOLERANCE, x);
    for (int c = 0; c < 6; ++c) {
        met[c] = 0.0;
        for (int j = 0; j < n; ++j) met[c] += A[c * n + j] * x[j];
    }
    ac_row_space_place(&space, 6, n, block, ints);
    ac_row_space_factor(&space, A, RANK_TOLERANCE, 6);
    ac_row_space_solve(&space, met, u);
}

/* Velocities of the tree: rates where given, then velocities of bodies, else none. */
static void tree_velocities(ac_system *system, ac_assembling *w)
{
    const double *q = system->initial.q;
    memset(system->initial.u, 0, (size_t)w->n * sizeof *system->initial.u);
    ac_tree_columns(system, system->initial.state, q, w->columns);
    for (int k = 0; k < system->node_count; ++k) {
        int i = system->tree.order[k];
        const ac_node *node = &system->nodes[i];
        const ac_joint_data *joint = node->joint < 0 ? NULL : &system->joints[node->joint];
        double *u = system->initial.u + node->u, *twist = w->twists + 6 * i, carried[6] = {0};
        if (node->parent != AC_GROUND) {
            const double *carrier = w->twists + 6 * node->parent;
            double here[3], there[3], arm[3];
            ac_reference(node, q, here);
            ac_reference(&system->nodes[node->parent], q, there);
            sub3(here, there, arm);
            memcpy(carried, carrier, sizeof carried);
            add_cross3(carrier + 3, arm, carried);
        }
        if (joint && joint->has_rates) {
            ac_joint_from_rates(system, node, joint->rates, &system->initial.state[i], u);
        } else if (node->moving) {
            ac_node all = *node; /* what no joint holds rests where nothing is given */
            if (node->joint < 0) all.velocity_follows = all.spin_follows = false;
            freedoms_from_velocity(&all, q, w->columns + 6 * node->u, system->length_scale, carried, u);
        }
        memcpy(twist, carried, sizeof carried);
        for (int j = 0; j < node->freedoms; ++j)
            for (int c = 0; c < 6; ++c) twist[c] += w->columns[6 * (node->u + j) + c] * u[j];
    }
}

static bool any_speed(const ac_assembling *w, const double *u)
{
    for (int j = 0; j < w->n; ++j)
        if (w->given[j] && u[j] != 0.0) return true;
    return false;
}

/* J on its independent rows, the columns of given or of other freedoms alone; what is rounding beside the largest
 * entry is zero. */
static void select_columns(const ac_assembling *w, bool given, double *out)
{
    size_t n = (size_t)w->n;
    double most = largest(w->J, w->m * w->n);
    for (int r = 0; r < w->space.rank; ++r) {
        const double *row = w->J + (size_t)w->space.order[r] * n;
        for (size_t j = 0; j < n; ++j)
            out[(size_t)r * n + j] = w->given[j] == given && fabs(row[j]) > ROUNDED * most ? row[j] : 0.0;
    }
}

/* u -= the part of u in the row space of A (rows x n), which has full rank. */
static void remove_part(const ac_assembling *w, int rows, const double *A, ac_row_space *space, double *u)
{
    for (int c = 0; c < rows; ++c) {
        w->b[c] = 0.0;
        for (int j = 0; j < w->n; ++j) w->b[c] += A[(size_t)c * (size_t)w->n + (size_t)j] * u[j];
    }
    ac_row_space_factor(space, A, 0.0, rows);
    ac_row_space_solve(space, w->b, w->z);
    for (int j = 0; j < w->n; ++j) u[j] -= w->z[j];
}

/* The velocities nearest to the given ones that keep the loops closed, J u = 0, and of these the shortest.
 *
 * With J = [A B] for given and other freedoms, and C a basis of what B cannot reach (C^T B = 0), the given ones are
 * projected on C^T A u = 0, and the others are the shortest solution of B u = -A u_given. */
static void fit_velocities(const ac_system *system, ac_assembling *w, double *block, int *ints)
{
    int m = w->space.rank, n = w->n;
    size_t width = (size_t)n;
    ac_row_space space;
    double *A = w->A, *B = w->A + (size_t)w->m * width, *u = system->initial.u;
    for (int j = 0; j < n; ++j)
        if (!w->given[j]) u[j] = 0.0;
    select_columns(w, true, A);
    select_columns(w, false, B);
    for (int r = 0; r < m; ++r) /* B^T: its null space is C */
        for (size_t j = 0; j < width; ++j) w->N[j * (size_t)m + (size_t)r] = B[(size_t)r * width + j];
    ac_row_space_place(&space, n, m, block, ints);
    ac_row_space_factor(&space, w->N, RANK_TOLERANCE, n);
    int left = m - space.rank;
    double *C = w->J; /* no longer needed: the rows are in A and B */
    ac_row_space_null(&space, C);
    memset(w->N, 0, (size_t)left * width * sizeof *w->N);
    for (int c = 0; c < left; ++c)
        for (int r = 0; r < m; ++r) {
            double own = C[r * left + c];
            for (size_t j = 0; j < width && own != 0.0; ++j)
                w->N[(size_t)c * width + j] += own * A[(size_t)r * width + j];
        }
    ac_row_space_place(&space, left, n, block, ints);
    if (left > 0) remove_part(w, left, w->N, &space, u);
    for (int r = 0; r < m; ++r) {
        w->b[r] = 0.0;
        for (size_t j = 0; j < width; ++j) w->b[r] -= A[(size_t)r * width + j] * u[j];
    }
    ac_row_space_place(&space, m, n, block, ints);
    ac_row_space_factor(&space, B, RANK_TOLERANCE, m);
    ac_row_space_solve(&space, w->b, w->z);
    for (int j = 0; j < n; ++j)
        if (!w->given[j]) u[j] = w->z[j];
    ac_closure_jacobian(system, w->columns, system->initial.q, w->J);
}

/* Velocities that the loops allow, as near as possible to those given. */
static ac_status loop_velocities(ac_system *system, ac_assembling *w)
{
    ac_context *ctx = system->ctx;
    size_t m = (size_t)w->m, n = (size_t)w->n;
    ac_system_mark_given(system, true, w->given);
    int rank = system->initial.closure_rank;
    if (!any_speed(w, system->initial.u) || rank == 0) {
        for (int j = 0; j < w->n; ++j) /* rest fits every loop */
            if (!w->given[j] || rank > 0) system->initial.u[j] = 0.0;
        return AC_OK;
    }
    if (w->large) return ac_large_velocities(system, w);
    AC_NEW(ctx, w->N, m * n);
    AC_NEW(ctx, w->A, 2 * m * n);
    double *block = ac_allocate(ctx, ac_row_space_doubles(w->n, w->m), sizeof *block);
    int *ints = ac_allocate(ctx, ac_row_space_ints(w->n, w->m) + ac_row_space_ints(w->m, w->n), sizeof *ints);
    if (block && ints) fit_velocities(system, w, block, ints);
    bool made = block && ints;
    ac_release(ctx, block);
    ac_release(ctx, ints);
    return made ? AC_OK : ac_out_of_memory(ctx);
}

/* Keeps the largest change: of the rate of a joint, or of the velocity of a node (joint -1). */
static void keep_velocity(ac_assembly *a, double change, int node, int joint, double given, double start)
{
    if (!(change > a->velocity_change)) return;
    a->velocity_change = change;
    a->velocity_node = node;
    a->velocity_joint = joint;
    a->velocity_given = given;
    a->velocity_start = start;
}

/* Largest change of a given velocity or rate. */
static void report_velocities(ac_system *system, const ac_assembling *w)
{
    ac_assembly *a = &system->initial.assembly;
    ac_tree_twists(system, w->columns, system->initial.q, system->initial.u, w->twists);
    a->velocity_change = a->velocity_given = a->velocity_start = 0.0;
    a->velocity_node = AC_GROUND;
    a->velocity_joint = -1;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->moving) {
            double gap[6];
            ac_node_velocity_gap(node, system->initial.q, w->twists + 6 * i, gap);
            keep_velocity(a, largest(gap, 3), i, -1, norm3(node->velocity), 0.0);
            keep_velocity(a, largest(gap + 3, 3), i, -1, norm3(node->spin), 0.0);
        }
        if (node->joint < 0 || !system->joints[node->joint].has_rates) continue;
        double u[6] = {0};
        ac_joint_from_rates(system, node, system->joints[node->joint].rates, &system->initial.state[i], u);
        for (int j = 0; j < node->freedoms; ++j) {
            double now = system->initial.u[node->u + j];
            keep_velocity(a, fabs(now - u[j]), i, node->joint, u[j], now);
        }
    }
}

/* The rates that joints are given, as tree velocities; zero elsewhere. */
static void given_rates(const ac_system *system, double *u)
{
    memset(u, 0, (size_t)system->tree.freedoms * sizeof *u);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->joint < 0 || !system->joints[node->joint].has_rates) continue;
        ac_joint_from_rates(system, node, system->joints[node->joint].rates, &system->initial.state[i],
                            u + node->u);
    }
}

/* --- all together -------------------------------------------------------------------------------------------------- */

static void release(ac_context *ctx, ac_assembling *w)
{
    void *blocks[] = {w->columns, w->twists, w->J,     w->g,    w->delta,     w->scale,
                      w->N,       w->A,      w->b,     w->z,    w->trial_q,   w->initial,
                      w->given,   w->trial,  w->block, w->ints, w->relations, w->relation_rates};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    if (w->large) ac_large_destroy(w, ctx);
}

static ac_status prepare(ac_system *system, ac_assembling *w)
{
    ac_context *ctx = system->ctx;
    size_t m = (size_t)w->m, n = (size_t)w->n, nodes = (size_t)system->node_count, longest = m > n ? m : n;
    AC_NEW(ctx, w->columns, 6 * n);
    AC_NEW(ctx, w->twists, 6 * nodes);
    AC_NEW(ctx, w->given, n);
    AC_NEW(ctx, w->delta, longest);
    AC_NEW(ctx, w->initial, system->n);
    if (m == 0) return AC_OK;
    AC_NEW(ctx, w->g, m);
    AC_NEW(ctx, w->scale, n);
    AC_NEW(ctx, w->b, longest);
    AC_NEW(ctx, w->z, longest);
    AC_NEW(ctx, w->trial_q, system->n);
    AC_NEW(ctx, w->trial, nodes);
    w->large = w->n > AC_ASSEMBLY_DENSE;
    if (w->large) return ac_large_create(system, w);
    AC_NEW(ctx, w->J, m * n);
    AC_NEW(ctx, w->block, ac_row_space_doubles(w->m, w->n));
    AC_NEW(ctx, w->ints, ac_row_space_ints(w->m, w->n));
    ac_row_space_place(&w->space, w->m, w->n, w->block, w->ints);
    return AC_OK;
}

static ac_status find_rank(ac_system *system, ac_assembling *w)
{
    ac_tree_columns(system, system->initial.state, system->initial.q, w->columns);
    if (w->large) return ac_large_rank(system, w, &system->initial.closure_rank);
    ac_closure_jacobian(system, w->columns, system->initial.q, w->J);
    ac_row_space_factor(&w->space, w->J, RANK_TOLERANCE, w->m);
    system->initial.closure_rank = w->space.rank;
    return AC_OK;
}

static ac_status find_state(ac_system *system, ac_assembling *w)
{
    AC_TRY(prepare(system, w));
    ac_assembly_guess(system);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        memcpy(w->initial + node->q, system->initial.q + node->q, (size_t)node->size * sizeof *w->initial);
        if (node->placed)
            ac_node_set_pose(node, node->pose.position, node->pose.rotation, w->initial + node->q);
    }
    if (w->m > 0) {
        AC_TRY(assemble_loops(system, w));
        AC_TRY(find_rank(system, w));
    }
    report_coordinates(system);
    report_moves(system, w);
    ac_system_report_strain(system, w->initial);
    tree_velocities(system, w);
    if (w->m > 0) AC_TRY(loop_velocities(system, w));
    ac_tree_columns(system, system->initial.state, system->initial.q, w->columns);
    AC_TRY(ac_assembly_relation_rows(system, w));
    report_velocities(system, w);
    if (system->initial.assembly.velocity_change > MISSED || !ac_assembly_relations_met(system, w)) {
        given_rates(system, w->delta);
        AC_TRY(ac_system_infer_velocities(system, w));
        report_velocities(system, w);
    }
    AC_TRY(ac_assembly_check_rates(system));
    AC_TRY(ac_assembly_check_relations(system, w));
    ac_tree_velocity(system, system->initial.q, w->twists, system->initial.v);
    return w->m > 0 ? ac_assembly_extra_motions(system, w) : AC_OK;
}

/* Lengths and angles in the assembled configuration; springs without a rest length take it from here. */
static void start_measures(ac_system *system)
{
    double x[AC_ELEMENT_MAX];
    for (int k = 0; k < system->measure_count; ++k) {
        ac_measure *m = &system->measures[k];
        ac_measure_gather(system, m, system->initial.q, x);
        m->initial = ac_measure_evaluate(system, m, x, 0.0, NULL, NULL);
    }
    for (int j = 0; j < system->joint_count; ++j) { /* full turns of given angles */
        const ac_joint_data *joint = &system->joints[j];
        if (joint->first_measure < 0 || !joint->has_coordinates) continue;
        for (int c = 0; c < ac_row_coordinates(joint->row); ++c) {
            ac_measure *m = &system->measures[joint->first_measure + c];
            if (m->kind != AC_MEASURE_ANGLE) continue;
            ac_measure_gather(system, m, system->initial.q, x);
            m->initial = ac_measure_evaluate(system, m, x, joint->coordinates[c], NULL, NULL);
        }
    }
    for (int s = 0; s < system->spring_count; ++s) {
        ac_spring_data *spring = &system->springs[s];
        const ac_measure *m = &system->measures[spring->measure];
        if (m->kind != AC_MEASURE_LENGTH || !(spring->rest < 0.0)) continue;
        spring->rest = m->initial;
        spring->rest_initial = true;
    }
}

ac_status ac_system_assemble(ac_system *system)
{
    ac_context *ctx = system->ctx;
    ac_assembling w = {.m = system->constraints.count - system->constraints.closure,
                       .n = system->tree.freedoms,
                       .rank_tolerance = RANK_TOLERANCE};
    AC_NEW(ctx, system->initial.q, system->n);
    AC_NEW(ctx, system->initial.v, system->n);
    AC_NEW(ctx, system->initial.u, system->tree.freedoms);
    AC_NEW(ctx, system->initial.state, system->node_count);
    ac_status status = find_state(system, &w);
    release(ctx, &w);
    AC_TRY(status);
    ac_system_align_duals(system, system->initial.q, system->initial.v);
    double *g;
    AC_NEW(ctx, g, system->constraints.count);
    ac_constraints_value(system, system->initial.q, 0, g);
    system->initial.assembly.residual = largest(g, system->constraints.count);
    ac_release(ctx, g);
    start_measures(system);
    return ac_assembly_relation_sums(system);
}
