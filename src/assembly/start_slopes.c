/* Derivative of the assembled start by a parameter.
 *
 * In a tree a node follows its parent; where joint places a, b or lengths vary and the state of the joint is held,
 *   xi_c = carried xi_p + (R_p a' - R_c b', 0),
 * with a further turn where frames of the joint do (turn_frames), and given coordinates move it by S c'. A body that is placed moves its joint as its initial place says.
 *
 * Loops stay closed, G q' + g_p = 0, by the implicit function theorem: given freedoms are held and the others take the shortest
 * motion J delta = -(G q' + g_p), as in the corrections of assemble.c. That is the derivative of the start as it is read
 * where freedoms are determined, or where the initial state closes its loops.
 *
 * Beams begin unbent: the twin, in which each is one body, is differentiated first; see unbent.c.
 */
#include "assembly/start_slopes.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9;
static const double OPEN = 1e-8; /* of the largest change of a row: a loop that cannot follow */
static const double HELD =
    1e-7; /* rad, of the typical length: how far a joint may be from its given coordinates */

/* --- twists --- */

void ac_start_carry(const ac_start_pass *p, const ac_node *node, const double *twists, double carried[6])
{
    double here[3], there[3], arm[3];
    memset(carried, 0, 6 * sizeof *carried);
    if (node->parent == AC_GROUND) return;
    const double *carrier = twists + 6 * node->parent;
    ac_reference(node, p->system->initial.q, here);
    ac_reference(&p->system->nodes[node->parent], p->system->initial.q, there);
    sub3(here, there, arm);
    memcpy(carried, carrier, 6 * sizeof *carried);
    add_cross3(carrier + 3, arm, carried);
}

void ac_start_frame(const ac_start_pass *p, const ac_side *side, const double turn[3], const double xi[6],
                    double by[3])
{
    copy3(turn, by);
    if (side->node == AC_GROUND) return;
    const ac_node *node = &p->system->nodes[side->node];
    double position[3], R[9];
    ac_node_get_pose(node, p->system->initial.q + node->q, position, R);
    apply3(R, turn, by);
    add3(by, xi + 3, by);
}

void ac_start_side(const ac_start_pass *p, const ac_side *side, const double place[3], const double xi[6],
                   double by[3])
{
    copy3(place, by);
    if (side->node == AC_GROUND) return;
    const ac_node *node = &p->system->nodes[side->node];
    double position[3], R[9], arm[3];
    ac_node_get_pose(node, p->system->initial.q + node->q, position, R);
    apply3(R, place, by);
    add3(by, xi, by);
    apply3(R, side->place, arm);
    add_cross3(xi + 3, arm, by);
}

/* --- freedoms of a joint that is read off the initial state --- */

/* d atan2(y, x) */
static double turn_rate(double y, double x, double by_y, double by_x)
{
    return (x * by_y - y * by_x) / (x * x + y * y);
}

/* Rates of the angles when the initial relative rotation R turns by w in the parent's frame; see read_turns in
 * joint_motion.c. */
static void read_turns(const ac_walk *walk, const double R[9], const double w[3], double *out)
{
    const ac_walk_step *turn[2] = {NULL, NULL};
    double by[9];
    for (int k = 0, count = 0; k < walk->count; ++k)
        if (walk->step[k].kind == AC_MOTION_TURN) turn[count++] = &walk->step[k];
    for (int c = 0; c < 3; ++c) {
        const double column[3] = {R[c], R[3 + c], R[6 + c]};
        double moved[3];
        cross3(w, column, moved);
        for (int i = 0; i < 3; ++i) by[3 * i + c] = moved[i];
    }
    if (!turn[0]) return;
    int k = turn[0]->axis, i = (k + 1) % 3, j = (k + 2) % 3;
    if (!turn[1]) {
        out[turn[0]->freedom] = turn_rate(R[3 * j + i] - R[3 * i + j], R[3 * i + i] + R[3 * j + j],
                                          by[3 * j + i] - by[3 * i + j], by[3 * i + i] + by[3 * j + j]);
        return;
    }
    int l = turn[1]->axis, e = 3 - k - l;
    double hand = (k + 1) % 3 == l ? 1.0 : -1.0;
    out[turn[0]->freedom] = turn_rate(hand * R[3 * e + l], R[3 * l + l], hand * by[3 * e + l], by[3 * l + l]);
    out[turn[1]->freedom] = turn_rate(hand * R[3 * k + e], R[3 * k + k], hand * by[3 * k + e], by[3 * k + k]);
}

/* The turn of the child in the parent's frame that increments of its freedoms are. */
static void turn_of(const ac_node *node, const ac_joint_state *state, const double *u, double w[3])
{
    memset(w, 0, 3 * sizeof *w);
    for (int k = 0; k < node->walk.count; ++k) {
        const ac_walk_step *step = &node->walk.step[k];
        const double *own = u + step->freedom;
        if (step->kind == AC_MOTION_BALL)
            for (int c = 0; c < step->freedoms; ++c) w[step->freedoms == 1 ? 2 : c] += own[c];
        if (step->kind != AC_MOTION_TURN) continue;
        for (int i = 0; i < 3; ++i)
            w[i] += own[0] * (step->in_child ? state->turn[3 * i + step->axis] : i == step->axis ? 1.0 : 0.0);
    }
}

/* A swing follows the change of its shift across it. */
static void read_swing(const ac_walk_step *step, const ac_joint_state *state, double hand,
                       const double shift[3], const double by[3], double *out)
{
    double across[3], square = dot3(shift, shift);
    if (!(square > 0.0)) return; /* nothing was given */
    cross3(shift, by, across);
    if (step->freedoms == 1) {
        out[step->freedom] = hand * across[2] / square;
        return;
    }
    for (int k = 0; k < 2; ++k) out[step->freedom + k] = dot3(state->basis + 3 * k, across) / square;
}

/* How the initial pose of a child stands in the parent's joint frame, and how that changes: the initial pose moves by (place',
 * turn'), the parent by its twist. */
typedef struct initial_motion {
    double shift[3], turn[9], by_shift[3], w[3];
    double hand; /* of a swing in the plane */
} initial_motion;

static void look_at_initial(const ac_start_pass *p, int number, initial_motion *d)
{
    static const double still[6] = {0};
    const ac_system *system = p->system;
    const ac_node *node = &system->nodes[number];
    const ac_joint_data *joint = &system->joints[node->joint];
    const ac_joint_slope *by = &p->slope->joints[node->joint];
    const ac_node_slope *initial = &p->slope->nodes[number];
    const ac_side *child = ac_child_side(joint);
    const double *parent = node->parent == AC_GROUND ? still : p->xi + 6 * node->parent,
                 *R = node->pose.rotation;
    double x_a[3], axes[9], by_a[3], gap[3], by_gap[3], own[3], arm[3], carried[3], turn[3], axes_b[9],
        frame[3];
    ac_side_frame(system, ac_parent_side(joint), system->initial.q, x_a, axes);
    ac_start_frame(p, ac_parent_side(joint), by->turn[joint->reversed], parent, frame);
    ac_start_side(p, ac_parent_side(joint), by->place[joint->reversed], parent, by_a);
    apply3(R, child->place, arm);
    apply3(R, by->place[!joint->reversed], own);
    for (int i = 0; i < 3; ++i) {
        gap[i] = node->pose.position[i] + arm[i] - x_a[i];
        by_gap[i] = initial->place[i] + own[i] - by_a[i];
    }
    add_cross3(initial->turn, arm, by_gap);
    cross3(frame, gap, carried);
    sub3(by_gap, carried, by_gap);
    apply3(R, by->turn[!joint->reversed], turn);
    add3(turn, initial->turn, turn);
    sub3(turn, frame, turn);
    multiply3(R, child->axes, axes_b);
    apply_transposed3(axes, gap, d->shift);
    apply_transposed3(axes, by_gap, d->by_shift);
    apply_transposed3(axes, turn, d->w);
    transposed_multiply3(axes, axes_b, d->turn);
    d->hand = axes[8];
}

/* What of the given motion the joint leaves free moves the joint. */
static void read_initial(const ac_start_pass *p, int number, double *out)
{
    const ac_node *node = &p->system->nodes[number];
    const ac_joint_state *state = &p->system->initial.state[number];
    const ac_walk *walk = &node->walk;
    initial_motion d;
    look_at_initial(p, number, &d);
    read_turns(walk, d.turn, d.w, out);
    for (int k = 0; k < walk->count; ++k) {
        const ac_walk_step *step = &walk->step[k];
        if (step->kind == AC_MOTION_BALL)
            for (int c = 0; c < step->freedoms; ++c)
                out[step->freedom + c] = d.w[step->freedoms == 1 ? 2 : c];
        if (step->kind == AC_MOTION_SWING) read_swing(step, state, d.hand, d.shift, d.by_shift, out);
    }
    double *shift = d.by_shift;
    if (walk->backward) { /* slides along axes of the child: (T^T s)' = T^T (s' - w x s) */
        double settled[3], back[3];
        turn_of(node, state, out, settled);
        cross3(settled, d.shift, back);
        sub3(shift, back, back);
        apply_transposed3(state->turn, back, shift);
    }
    for (int k = 0; k < walk->count; ++k)
        if (walk->step[k].kind == AC_MOTION_SHIFT) out[walk->step[k].freedom] = shift[walk->step[k].axis];
}

/* --- configuration --- */

/* Increments of the freedoms of a node: of given coordinates, of the initial state, or none. */
static void increments(const ac_start_pass *p, int number, double *out)
{
    const ac_system *system = p->system;
    const ac_node *node = &system->nodes[number];
    const ac_joint_data *joint = &system->joints[node->joint];
    const double *by = p->slope->joints[node->joint].coordinates;
    double rates[3], T[9];
    memset(out, 0, (size_t)node->freedoms * sizeof *out);
    if (!joint->has_coordinates) {
        if (node->placed) read_initial(p, number, out);
        return;
    }
    copy3(by, rates);
    if (ac_row_is_ball(joint->row)) { /* exp(c) turns by T c' */
        ac_rotation_tangent(joint->coordinates, T);
        apply3(T, by, rates);
    }
    ac_joint_from_rates(system, node, rates, &system->initial.state[number], out);
}

/* Frames of a held joint turn by f and g beyond what carries them: the child by f - g about the joint, the gap with f. */
static void turn_frames(const ac_start_pass *p, const ac_joint_data *joint, const ac_joint_slope *by,
                        const double gap[3], double xi[6])
{
    static const double still[6] = {0};
    const ac_side *child = ac_child_side(joint);
    double f[3], g[3], turn[3], x[3], axes[9], here[3], arm[3];
    ac_start_frame(p, ac_parent_side(joint), by->turn[joint->reversed], still, f);
    ac_start_frame(p, child, by->turn[!joint->reversed], still, g);
    sub3(f, g, turn);
    ac_side_frame(p->system, child, p->system->initial.q, x, axes);
    ac_reference(&p->system->nodes[child->node], p->system->initial.q, here);
    sub3(here, x, arm);
    add_cross3(f, gap, xi);
    add_cross3(turn, arm, xi);
    add3(xi + 3, turn, xi + 3);
}

/* The twist of a node whose joint is held: places, frames and lengths vary. */
static void move_places(const ac_start_pass *p, int number, double xi[6])
{
    const ac_system *system = p->system;
    const ac_node *node = &system->nodes[number];
    const ac_joint_data *joint = &system->joints[node->joint];
    const ac_joint_slope *by = &p->slope->joints[node->joint];
    const ac_side *sides[2] = {ac_parent_side(joint), ac_child_side(joint)};
    double x[2][3], axes[9];
    ac_start_carry(p, node, p->xi, xi);
    for (int e = 0; e < 2; ++e) {
        double R[9], position[3], moved[3];
        copy3(by->place[e == 0 ? joint->reversed : !joint->reversed], moved);
        ac_side_frame(system, sides[e], system->initial.q, x[e], axes);
        if (sides[e]->node != AC_GROUND) {
            double local[3];
            const ac_node *own = &system->nodes[sides[e]->node];
            copy3(moved, local);
            ac_node_get_pose(own, system->initial.q + own->q, position, R);
            apply3(R, local, moved);
        }
        for (int i = 0; i < 3; ++i) xi[i] += e == 0 ? moved[i] : -moved[i];
    }
    if (ac_frames_turn(p->slope, node->joint)) {
        double gap[3];
        sub3(x[1], x[0], gap);
        turn_frames(p, joint, by, gap, xi);
    }
    if (ac_row_has(joint->row, AC_MOTION_SWING))
        for (int i = 0; i < 3; ++i) xi[i] += (x[1][i] - x[0][i]) * by->length / joint->length;
}

static void add_freedoms(const ac_node *node, const double *columns, const double *u, double twist[6])
{
    for (int j = node->u; j < node->u + node->freedoms; ++j)
        for (int c = 0; c < 6; ++c) twist[c] += columns[6 * j + c] * u[j];
}

/* Twists of all nodes; `read`: increments are found as well. */
static void move_nodes(ac_start_pass *p, bool read)
{
    for (int k = 0; k < p->system->node_count; ++k) {
        int i = p->system->tree.order[k];
        const ac_node *node = &p->system->nodes[i];
        double *xi = p->xi + 6 * i;
        if (node->joint < 0) {
            const double initial[6] = {p->slope->nodes[i].place[0], p->slope->nodes[i].place[1],
                                       p->slope->nodes[i].place[2], p->slope->nodes[i].turn[0],
                                       p->slope->nodes[i].turn[1],  p->slope->nodes[i].turn[2]};
            double *w = p->w + node->u;
            int turns = ac_node_turns(node);
            for (int c = 0; read && c < node->dimension; ++c) w[c] = initial[c];
            for (int c = 0; read && c < turns; ++c) w[node->dimension + c] = initial[turns == 1 ? 5 : 3 + c];
            memset(xi, 0, 6 * sizeof *xi);
        } else {
            if (read) increments(p, i, p->w + node->u);
            move_places(p, i, xi);
        }
        add_freedoms(node, p->columns, p->w, xi);
    }
}

static void spread_twists(const ac_start_pass *p, const double *twists, double *out)
{
    for (int i = 0; i < p->system->node_count; ++i) {
        const ac_node *node = &p->system->nodes[i];
        ac_node_tangent(node, p->system->initial.q + node->q, twists + 6 * i, out + node->q);
    }
}

/* --- closure rows --- */

static ac_status list_rows(ac_start_pass *p)
{
    const ac_constraints *c = &p->system->constraints;
    for (int k = 0; k < p->m; ++k) p->row[k] = -1;
    for (int j = 0; j < p->system->joint_count; ++j) {
        const ac_joint_data *joint = &p->system->joints[j];
        int first = p->rows.count;
        if (joint->in_tree || !ac_joint_varies(p->slope, j)) continue;
        AC_TRY(ac_joint_row_slopes(p->slope, j, p->ctx, &p->rows));
        for (int k = 0; k < joint->rows; ++k) p->row[joint->first_row + k - c->closure] = first + k;
    }
    return AC_OK;
}

void ac_start_rows(const ac_start_pass *p, const double *q_slope, double *out)
{
    const ac_constraints *c = &p->system->constraints;
    for (int k = 0; k < p->m; ++k) {
        int row = c->closure + k;
        double gradient[2 * AC_ELEMENT_MAX];
        ac_constraint_gradient(p->system, row, p->system->initial.q, gradient);
        out[k] = p->row[k] < 0 ? 0.0 : ac_form_value(&p->rows, p->row[k], p->system->initial.q);
        for (int s = c->start[row]; s < c->start[row + 1]; ++s)
            out[k] += gradient[s - c->start[row]] * q_slope[c->coordinate[s]];
    }
}

/* Derivative of a map along v. */
static double along(const ac_forms *f, int map, const double *q, const double *v)
{
    double sum = 0.0;
    for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e)
        sum += f->linears[e].b * v[f->linears[e].i];
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        sum += p->a * (q[p->i] * v[p->j] + v[p->i] * q[p->j]);
    }
    return sum;
}

void ac_start_row_rates(const ac_start_pass *p, const double *v, const double *v_slope, double *out)
{
    const ac_constraints *c = &p->system->constraints;
    for (int k = 0; k < p->m; ++k) {
        int row = c->closure + k;
        const int *at = c->coordinate + c->start[row];
        double gradient[2 * AC_ELEMENT_MAX];
        ac_constraint_gradient(p->system, row, p->system->initial.q, gradient);
        out[k] = p->row[k] < 0 ? 0.0 : along(&p->rows, p->row[k], p->system->initial.q, v);
        for (int s = 0; s < c->start[row + 1] - c->start[row]; ++s) out[k] += gradient[s] * v_slope[at[s]];
        for (int e = c->forms.product_start[row]; e < c->forms.product_start[row + 1]; ++e) {
            const ac_product *a = &c->forms.products[e];
            const double *q = p->slope->q;
            out[k] += a->a * (q[at[a->i]] * v[at[a->j]] + v[at[a->i]] * q[at[a->j]]);
        }
    }
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = ac_max(most, fabs(x[i]));
    return most;
}

/* J delta = -g by the shortest motion of the freedoms that are not given, w += delta. */
static ac_status close_loops(ac_start_pass *p, double *J, double *block, int *ints, double *delta)
{
    ac_row_space space;
    double before = largest(p->g, p->m);
    if (before == 0.0) return AC_OK;
    ac_closure_jacobian(p->system, p->columns, p->system->initial.q, J);
    for (int r = 0; r < p->m; ++r)
        for (int j = 0; j < p->n; ++j) J[r * p->n + j] *= p->fixed[j] ? 0.0 : p->scale[j];
    for (int r = 0; r < p->m; ++r) p->g[r] = -p->g[r];
    ac_row_space_place(&space, p->m, p->n, block, ints);
    ac_row_space_factor(&space, J, RANK_TOLERANCE, p->m);
    ac_row_space_solve(&space, p->g, delta);
    for (int r = 0; r < p->m; ++r)
        for (int j = 0; j < p->n; ++j) p->g[r] -= J[r * p->n + j] * delta[j];
    if (largest(p->g, p->m) > OPEN * before)
        return ac_fail(
            p->ctx, AC_BAD_INPUT,
            "the loops cannot stay closed at given coordinates, or the rank of the constraints changes");
    for (int j = 0; j < p->n; ++j)
        if (!p->fixed[j]) p->w[j] += p->scale[j] * delta[j];
    return AC_OK;
}

static ac_status follow_loops(ac_start_pass *p)
{
    double *J, *block, *delta;
    size_t m = (size_t)p->m, n = (size_t)p->n, doubles = ac_row_space_doubles(p->m, p->n);
    AC_NEW(p->ctx, J, m * n + doubles + n);
    block = J + m * n;
    delta = block + doubles;
    int *ints = ac_allocate(p->ctx, ac_row_space_ints(p->m, p->n), sizeof *ints);
    ac_status status = ints ? AC_OK : ac_out_of_memory(p->ctx);
    ac_start_rows(p, p->slope->q, p->g);
    ac_system_mark_given(p->system, false, p->fixed);
    if (status == AC_OK) status = ac_assembly_scales(p->ctx, p->system, p->columns, p->scale);
    if (status == AC_OK) status = close_loops(p, J, block, ints, delta);
    ac_release(p->ctx, J);
    ac_release(p->ctx, ints);
    AC_TRY(status);
    move_nodes(p, false);
    spread_twists(p, p->xi, p->slope->q);
    return AC_OK;
}

/* --- springs whose rest length is that of the start --- */

static ac_status rest_lengths(ac_start_pass *p)
{
    const ac_system *system = p->system;
    for (int k = 0; k < system->spring_count; ++k) {
        const ac_measure *m = &system->measures[system->springs[k].measure];
        double x[AC_ELEMENT_MAX], by[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX], sum = 0.0;
        int first = p->rows.count;
        bool varies;
        if (!system->springs[k].rest_initial) continue;
        ac_measure_gather(system, m, system->initial.q, x);
        ac_measure_gather(system, m, p->slope->q, by);
        double y = ac_measure_evaluate(system, m, x, 0.0, gradient, NULL);
        for (int i = 0; i < ac_measure_size(system, m); ++i) sum += gradient[i] * by[i];
        AC_TRY(ac_measure_slope(p->slope, system->springs[k].measure, p->ctx, &p->rows, &varies));
        if (varies && y > 0.0) sum += 0.5 / y * ac_form_value(&p->rows, first, x);
        p->slope->springs[k].rest = sum;
    }
    return AC_OK;
}

/* --- all --- */

static ac_status allocate(ac_start_pass *p)
{
    const ac_system *system = p->system;
    size_t n = (size_t)p->n, nodes = (size_t)system->node_count;
    double **vectors[] = {&p->columns, &p->bent,  &p->xi, &p->eta,     &p->eta_slope, &p->w,
                          &p->by_u,    &p->scale, &p->v,  &p->v_slope, &p->g};
    const size_t sizes[] = {6 * n, 6 * n, 6 * nodes,         6 * nodes,         6 * nodes,   n,
                            n,     n,     (size_t)system->n, (size_t)system->n, (size_t)p->m};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) AC_NEW(p->ctx, *vectors[k], sizes[k] + 1);
    AC_NEW(p->ctx, p->row, p->m + 1);
    AC_NEW(p->ctx, p->fixed, n + 1);
    return AC_OK;
}

/* Where assembly had to change given coordinates, the start does not follow them. */
static ac_status check_given(const ac_start_pass *p)
{
    const ac_system *system = p->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        const ac_joint_data *joint = node->joint < 0 ? NULL : &system->joints[node->joint];
        const ac_joint_state *state = &system->initial.state[i];
        ac_joint_state given;
        if (!joint || !joint->has_coordinates || joint->hint) continue;
        ac_joint_from_coordinates(system, node, joint->coordinates, &given);
        double off = 0.0;
        for (int k = 0; k < 9; ++k) off = ac_max(off, fabs(state->turn[k] - given.turn[k]));
        for (int k = 0; k < 3; ++k)
            off = ac_max(off, fabs(state->shift[k] - given.shift[k]) / system->length_scale);
        if (off > HELD)
            return ac_fail(
                p->ctx, AC_BAD_INPUT,
                "the start does not have the coordinates that are given to joint '%s'; give it some "
                "that the loops permit, or say that they are a hint",
                joint->name);
    }
    return AC_OK;
}

static bool is_zero(const double *x, int n)
{
    return largest(x, n) == 0.0;
}

/* Does the parameter change what the start is assembled from? Masses, stiffness and loads do not. */
static bool start_varies(const ac_system_slope *s)
{
    bool varies = false;
    for (int j = 0; j < s->system->joint_count && !varies; ++j) {
        const ac_joint_slope *joint = &s->joints[j];
        varies = !is_zero(joint->place[0], 3) || !is_zero(joint->place[1], 3) ||
                 !is_zero(joint->turn[0], 3) || !is_zero(joint->turn[1], 3) || joint->length != 0.0 ||
                 !is_zero(joint->coordinates, 3) || !is_zero(joint->rates, 3);
    }
    for (int i = 0; i < s->system->node_count && !varies; ++i) {
        const ac_node_slope *node = &s->nodes[i];
        varies = !is_zero(node->centre, 3) || !is_zero(node->place, 3) || !is_zero(node->turn, 3) ||
                 !is_zero(node->velocity, 3) || !is_zero(node->spin, 3) || !is_zero(node->within_place, 3) ||
                 !is_zero(node->within_turn, 3);
    }
    return varies;
}

static ac_status find_slopes(ac_start_pass *p)
{
    if (!start_varies(p->slope)) return rest_lengths(p); /* q' = 0, v' = 0 */
    if (p->m > 0) AC_TRY(check_given(p));
    const ac_system *system = p->system;
    AC_TRY(allocate(p));
    ac_tree_columns(system, system->initial.state, system->initial.q, p->columns);
    AC_TRY(list_rows(p));
    move_nodes(p, true);
    spread_twists(p, p->xi, p->slope->q);
    if (p->m > 0) AC_TRY(follow_loops(p));
    AC_TRY(ac_start_velocity_slopes(p));
    return rest_lengths(p);
}

ac_status ac_start_slopes(ac_system_slope *slope)
{
    const ac_system *system = slope->system;
    if (system->initial.unbent) AC_TRY(ac_unbent_slopes(slope));
    ac_start_pass p = {.ctx = slope->ctx,
                       .system = system,
                       .slope = slope,
                       .m = system->constraints.count - system->constraints.closure,
                       .n = system->tree.freedoms};
    ac_status status = find_slopes(&p);
    void *blocks[] = {p.columns, p.xi,      p.w, p.bent, p.eta,   p.eta_slope, p.by_u,
                      p.v,       p.v_slope, p.g, p.row,  p.fixed, p.scale};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(p.ctx, blocks[k]);
    ac_forms_free(p.ctx, &p.rows);
    return status;
}
