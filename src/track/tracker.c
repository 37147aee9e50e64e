/* Making a tracker, and what can be asked of it and changed between steps. */
#include <math.h>
#include <string.h>

#include "action/element.h"
#include "action/inertia.h"
#include "base/checksum.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "math/math.h"
#include "track/track.h"
#include "tree/kinematics.h"

const char *const *ac_track_methods(void)
{
    static const char *const names[] = {"discrete", "exact", "servo", "l2", "h1-neumann", "h1-mixed", NULL};
    return names;
}

const char *const *ac_track_yukawas(void)
{
    static const char *const names[] = {"splines", "full-splines", "green", NULL};
    return names;
}

const char *const *ac_track_cancels(void)
{
    static const char *const names[] = {"projected", "own", "perturbed", "none", NULL};
    return names;
}

const char *const *ac_track_charts(void)
{
    static const char *const names[] = {"rotation", "kardan", NULL};
    return names;
}

void ac_track_defaults(ac_track_settings *settings)
{
    *settings = (ac_track_settings){
        .step = 1e-3,
        .weights = {.rho0 = 1e-7, .rho1 = 1e-13, .running = 1.0},
        .joint_stabilisation = 0.2,
        .servo_stabilisation = 0.2,
        .joint_tolerance = 1e-4,
        .target_capacity = 4,
        .turn_limit = 0.5,
    };
}

static bool share_of_one(double x)
{
    return x >= 0.0 && x <= 1.0;
}

static bool is_usable(const ac_track_settings *s, ac_yukawa_gain *gain)
{
    return s->step > 0.0 && isfinite(s->step) && ac_track_gains(s, gain) && s->weights.running >= 0.0 &&
           isfinite(s->weights.running) && s->weights.velocity >= 0.0 && isfinite(s->weights.velocity) &&
           share_of_one(s->joint_stabilisation) && share_of_one(s->servo_stabilisation) &&
           s->joint_tolerance > 0.0 && s->joint_tolerance <= 1.0 && isfinite(s->acceleration_level) &&
           s->turn_limit > 0.0 && s->move_limit >= 0.0;
}

/* --- memory: one block --- */

/* Takes `count` things of `size` bytes from a block; with a NULL block it only counts. */
typedef struct supply {
    char *block;
    size_t used;
} supply;

static void *take(supply *s, size_t count, size_t size)
{
    void *at = s->block ? s->block + s->used : NULL;
    s->used += (count * size + 63) / 64 * 64;
    return at;
}

#define TAKE(s, pointer, count) ((pointer) = take((s), (size_t)(count), sizeof *(pointer)))

static void take_state(ac_track *t, supply *s)
{
    int n = t->system->n;
    TAKE(s, t->q, n);
    TAKE(s, t->q_new, n);
    TAKE(s, t->stage_q, n);
    TAKE(s, t->coordinates, n);
    TAKE(s, t->turning.momentum, 3 * t->nodes);
    TAKE(s, t->kardan, 3 * t->nodes);
    TAKE(s, t->turning.lacking, t->nodes);
    TAKE(s, t->turning.freely, t->nodes);
    TAKE(s, t->winding, t->system->measure_count);
    TAKE(s, t->wound, t->system->measure_count);
    TAKE(s, t->gradients, t->system->constraints.start[t->system->constraints.count]);
    TAKE(s, t->present, t->nodes);
    TAKE(s, t->closed, t->system->joint_count);
    TAKE(s, t->links, t->nodes);
    double **twists[] = {&t->twists,     &t->trial.base,   &t->trial.free,  &t->trial.new,  &t->trial.change,
                         &t->forces.all, &t->forces.known, &t->forces.next, &t->sides.load, &t->sides.right};
    for (size_t k = 0; k < sizeof twists / sizeof *twists; ++k) TAKE(s, *twists[k], 6 * t->nodes);
    double **rows[] = {&t->phi, &t->reaction, &t->sides.rows, &t->sides.sigma};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) TAKE(s, *rows[k], t->rows);
}

static void take_border(ac_track *t, supply *s)
{
    int b = t->border.capacity, c = t->control.capacity;
    size_t width = 6 * (size_t)t->nodes;
    TAKE(s, t->dampers, t->system->spring_count);
    TAKE(s, t->border.rows, b);
    TAKE(s, t->control.rows, c);
    TAKE(s, t->border.columns, (size_t)b * width);
    TAKE(s, t->control.columns, (size_t)c * width);
    TAKE(s, t->border.multipliers, (size_t)b * (size_t)t->rows);
    TAKE(s, t->control.multipliers, (size_t)c * (size_t)t->rows);
    TAKE(s, t->sides.lane_twists, width);
    TAKE(s, t->sides.lane_rows, t->rows);
    TAKE(s, t->border.matrix, (size_t)b * (size_t)b);
    TAKE(s, t->border.order, b);
    TAKE(s, t->border.work, 2 * b);
    TAKE(s, t->border.forces, b);
    TAKE(s, t->control.W, (size_t)c * (size_t)c);
    TAKE(s, t->control.factor, 2 * (size_t)c * (size_t)c);
    TAKE(s, t->control.weight, (size_t)c * (size_t)c);
    TAKE(s, t->control.order, c);
    TAKE(s, t->control.r, 3 * c);
    TAKE(s, t->control.u, c);
    TAKE(s, t->control.rate, c);
    TAKE(s, t->control.work, c);
    TAKE(s, t->control.known, c);
    TAKE(s, t->goals, t->goal_count);
    TAKE(s, t->given_up, t->goal_count);
}

static void take_all(ac_track *t, supply *s)
{
    take_state(t, s);
    take_border(t, s);
}

/* --- making --- */

/* Only angles with a spring or a load are continued. */
static void find_wound(ac_track *t)
{
    for (int k = 0; k < t->system->measure_count; ++k) t->wound[k] = false;
    for (int k = 0; k < t->system->spring_count; ++k) t->wound[t->system->springs[k].measure] = true;
    for (int k = 0; k < t->system->load_count; ++k)
        if (t->system->loads[k].measure >= 0) t->wound[t->system->loads[k].measure] = true;
}

static void find_dampers(ac_track *t)
{
    for (int k = 0; k < t->system->spring_count; ++k) {
        if (!(t->system->springs[k].damping > 0.0)) continue;
        const ac_measure *m = &t->system->measures[t->system->springs[k].measure];
        ac_track_damper *d = &t->dampers[t->damper_count++];
        d->spring = k;
        d->how = AC_DAMPER_NODE;
        if (m->node_count < 2) continue;
        bool tree = t->links[m->nodes[0]].parent == m->nodes[1] ||
                    t->links[m->nodes[1]].parent == m->nodes[0];
        d->how = tree ? AC_DAMPER_TREE : AC_DAMPER_ACROSS;
    }
}

static ac_status refuse(ac_context *ctx, const ac_system *system, const ac_track_settings *settings)
{
    ac_yukawa_gain gain;
    if (!system->finished) return ac_fail(ctx, AC_BAD_INPUT, "the system is not finished");
    if (system->beam_count > 0)
        return ac_fail(ctx, AC_BAD_INPUT,
                       "tracking takes rigid bodies and points; beam '%s' needs the task simulate",
                       system->beams[0].name);
    if (settings->target_capacity < 0 || settings->target_capacity > 64)
        return ac_fail(ctx, AC_BAD_INPUT, "a tracker takes 0 to 64 targets at a time");
    if (!is_usable(settings, &gain))
        return ac_fail(ctx, AC_BAD_INPUT,
                       "settings of the tracker: step, weights and limits must be positive, stabilisation "
                       "and joint tolerance between 0 and 1, and h^2 rho0/rho1 between 1e-12 and 1e12");
    return AC_OK;
}

static ac_status place_initial_twists(ac_context *ctx, ac_track *t)
{
    double *columns = ac_allocate(ctx, 6 * (size_t)t->system->tree.freedoms + 6, sizeof *columns);
    if (!columns) return ac_out_of_memory(ctx);
    ac_tree_columns(t->system, t->system->initial.state, t->system->initial.q, columns);
    ac_tree_twists(t->system, columns, t->system->initial.q, t->system->initial.u, t->start_twists);
    ac_release(ctx, columns);
    return AC_OK;
}

ac_status ac_track_new(ac_context *ctx, const ac_system *system, const ac_track_settings *settings,
                       ac_track **track)
{
    *track = NULL;
    AC_TRY(ac_refuse_relations(ctx, system, "tracking"));
    AC_TRY(refuse(ctx, system, settings));
    ac_track *t;
    AC_NEW(ctx, t, 1);
    t->ctx = ctx;
    t->system = system;
    t->settings = *settings;
    t->nodes = system->node_count;
    t->rows = system->constraints.count - system->constraints.internal;
    t->goal_count = settings->target_capacity;
    t->control.capacity = 6 * t->goal_count;
    t->border.capacity = system->constraints.count - system->constraints.closure + t->control.capacity +
                         system->spring_count;
    if (t->settings.move_limit == 0.0) t->settings.move_limit = system->length_scale;
    ac_track_gains(&t->settings, &t->gain);
    supply s = {0};
    take_all(t, &s);
    t->block = ac_allocate(ctx, s.used + 64, 1);
    t->start_twists = ac_allocate(ctx, 6 * (size_t)t->nodes, sizeof(double));
    ac_status status = t->block && t->start_twists ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK) {
        s = (supply){.block = (char *)t->block};
        s.used = (64 - (size_t)t->block % 64) % 64;
        take_all(t, &s);
        for (int i = 0; i < t->nodes; ++i) {
            t->links[i].parent = system->nodes[i].parent;
            t->turning.lacking[i] = ac_node_lacking_inertia(&system->nodes[i], system->length_scale);
        }
        ac_track_find_free_turns(t);
        find_dampers(t);
        find_wound(t);
        for (int row = system->constraints.internal; row < system->constraints.count; ++row)
            ac_constraint_gradient(system, row, system->initial.q,
                                   t->gradients + system->constraints.start[row]);
        status = place_initial_twists(ctx, t);
    }
    if (status != AC_OK) {
        ac_track_free(t);
        return status;
    }
    ac_track_reset(t);
    *track = t;
    return AC_OK;
}

void ac_track_free(ac_track *track)
{
    if (!track) return;
    ac_release(track->ctx, track->block);
    ac_release(track->ctx, track->start_twists);
    ac_release(track->ctx, track);
}

void ac_track_find_momentum(ac_track *t, int i)
{
    double block[36], wrench[6];
    ac_track_inertia(t, i, t->q, block);
    apply6(block, t->twists + 6 * i, wrench);
    copy3(wrench + 3, t->turning.momentum + 3 * i);
}

void ac_track_reset(ac_track *t)
{
    const ac_system *system = t->system;
    t->steps = 0;
    memcpy(t->q, system->initial.q, (size_t)system->n * sizeof *t->q);
    memcpy(t->twists, t->start_twists, 6 * (size_t)t->nodes * sizeof *t->twists);
    memset(t->forces.next, 0, 6 * (size_t)t->nodes * sizeof *t->forces.next);
    memset(t->kardan, 0, 3 * (size_t)t->nodes * sizeof *t->kardan);
    for (int k = 0; k < system->measure_count; ++k) t->winding[k] = system->measures[k].initial;
    for (int i = 0; i < t->nodes; ++i) t->present[i] = true;
    for (int j = 0; j < system->joint_count; ++j) t->closed[j] = true;
    for (int g = 0; g < t->goal_count; ++g) {
        ac_track_goal *goal = &t->goals[g];
        goal->placed = goal->idle = false;
        memset(goal->before, 0, sizeof goal->before);
        memset(goal->winding, 0, sizeof goal->winding);
        memset(goal->control, 0, sizeof goal->control);
    }
    t->counts = (ac_track_counts){0};
    t->largest_reaction = 0.0;
    t->residual = 0.0;
    t->loosest = -1;
    t->altered = t->phi_known = false;
    for (int i = 0; i < t->nodes; ++i) ac_track_find_momentum(t, i);
    ac_track_remember(t);
}

/* --- changes between steps --- */

bool ac_track_change(ac_track *t, const ac_track_settings *settings)
{
    ac_track_settings next = *settings;
    ac_yukawa_gain gain;
    next.step = t->settings.step;
    next.chart = t->settings.chart;
    next.target_capacity = t->settings.target_capacity;
    if (next.move_limit == 0.0) next.move_limit = t->settings.move_limit;
    if (!is_usable(&next, &gain)) return false;
    t->settings = next;
    t->gain = gain;
    return true;
}

const ac_track_settings *ac_track_current(const ac_track *track)
{
    return &track->settings;
}

/* Components that a node can be tracked by. */
static bool can_track(const ac_node *node, int component)
{
    if (component < 3) return component < node->dimension;
    return ac_node_turns(node) == 3 || (ac_node_turns(node) == 1 && component == 5);
}

static bool is_limit(double x)
{
    return x >= 0.0 && isfinite(x);
}

int ac_track_add_target(ac_track *t, const ac_track_target *target)
{
    if (target->node < 0 || target->node >= t->nodes) return -1;
    if (!is_limit(target->max_force) || !is_limit(target->max_torque) || !is_limit(target->max_speed))
        return -1;
    const ac_node *node = &t->system->nodes[target->node];
    int free = -1;
    for (int g = t->goal_count - 1; g >= 0; --g)
        if (!t->goals[g].used) free = g;
    if (free < 0) return -1;
    ac_track_goal *goal = &t->goals[free];
    memset(goal, 0, sizeof *goal);
    goal->target = *target;
    for (int c = 0; c < 6; ++c) {
        bool *wanted = c < 3 ? &goal->target.position[c] : &goal->target.rotation[c - 3];
        if (*wanted && !can_track(node, c)) *wanted = false;
        if (*wanted) goal->component[goal->rows++] = c;
    }
    for (int k = 0; k < 3; ++k) {
        goal->place[k] = ac_node_turns(node) == 0 ? 0.0 : target->place[k] - node->centre[k];
        if (!isfinite(goal->place[k])) return -1;
    }
    if (goal->rows == 0) return -1;
    identity3(goal->at.rotation);
    goal->used = true;
    return free;
}

static bool is_goal(const ac_track *t, int number)
{
    return number >= 0 && number < t->goal_count && t->goals[number].used;
}

void ac_track_remove_target(ac_track *t, int number)
{
    if (is_goal(t, number)) t->goals[number].used = false;
}

bool ac_track_set_followed(ac_track *t, int number, bool followed)
{
    if (!is_goal(t, number)) return false;
    ac_track_goal *goal = &t->goals[number];
    if (goal->idle && followed) goal->fresh = goal->placed;
    goal->idle = !followed;
    memset(goal->control, 0, sizeof goal->control);
    memset(goal->winding, 0, sizeof goal->winding);
    return true;
}

bool ac_track_is_followed(const ac_track *t, int number)
{
    return is_goal(t, number) && !t->goals[number].idle;
}

bool ac_track_get_place(const ac_track *t, int number, ac_track_place *place)
{
    *place = (ac_track_place){0};
    if (!is_goal(t, number) || !t->goals[number].placed) return false;
    *place = t->goals[number].at;
    return true;
}

static bool finite_numbers(const double *x, int count)
{
    for (int k = 0; k < count; ++k)
        if (!isfinite(x[k])) return false;
    return true;
}

bool ac_track_set_place(ac_track *t, int number, const ac_track_place *place)
{
    if (!is_goal(t, number)) return false;
    ac_track_goal *goal = &t->goals[number];
    bool turns = goal->target.rotation[0] || goal->target.rotation[1] || goal->target.rotation[2];
    bool good = finite_numbers(place->position, 3) && finite_numbers(place->velocity, 3) &&
                finite_numbers(place->spin, 3) &&
                (!turns || (finite_numbers(place->rotation, 9) && ac_rotation_check(place->rotation, 1e-6)));
    if (!good) {
        ++t->counts.refused;
        return false;
    }
    goal->at = *place;
    if (!turns) identity3(goal->at.rotation);
    if (!goal->placed) goal->fresh = true;
    goal->placed = true;
    return true;
}

bool ac_track_set_joint(ac_track *t, int joint, bool closed)
{
    if (joint < 0 || joint >= t->system->joint_count) return false;
    t->altered |= closed && !t->closed[joint];
    t->closed[joint] = closed;
    return true;
}

bool ac_track_is_closed(const ac_track *t, int joint)
{
    return joint >= 0 && joint < t->system->joint_count && t->closed[joint];
}

bool ac_track_has_node(const ac_track *t, int node)
{
    return node >= 0 && node < t->nodes && t->present[node];
}

/* Puts a node to its parent in the tree as at the start, moving with it. Planar nodes turn about z alone, and points
 * have no rotation: the pose of such a node is still one of its own. */
static void put_to_parent(ac_track *t, int i)
{
    const ac_node *node = &t->system->nodes[i];
    int p = t->links[i].parent;
    double *q = t->q + node->q, *twist = t->twists + 6 * i;
    memcpy(q, t->system->initial.q + node->q, (size_t)node->size * sizeof *q);
    memset(twist, 0, 6 * sizeof *twist);
    if (p == AC_GROUND || !t->present[p] || node->joint < 0 || !t->closed[node->joint]) return;
    const ac_node *parent = &t->system->nodes[p];
    double x0[3], R0[9], x[3], R[9], start[3], axes[9], between[3], local[3], arm[3], turn[9], turned[9];
    ac_node_get_pose(parent, t->system->initial.q + parent->q, x0, R0);
    ac_node_get_pose(parent, t->q + parent->q, x, R);
    ac_node_get_pose(node, q, start, axes);
    for (int k = 0; k < 3; ++k) between[k] = start[k] - x0[k];
    multiply_transposed3(R, R0, turn); /* what the parent has turned since the start */
    apply3(turn, between, arm);
    multiply3(turn, axes, turned);
    for (int k = 0; k < 3; ++k) local[k] = x[k] + arm[k];
    ac_node_set_pose(node, local, turned, q);
    const double *carrier = t->twists + 6 * p;
    copy3(carrier, twist);
    add_cross3(carrier + 3, arm, twist); /* v + omega x arm */
    if (ac_node_turns(node) > 0) copy3(carrier + 3, twist + 3);
}

bool ac_track_set_node(ac_track *t, int node, bool present)
{
    if (node < 0 || node >= t->nodes) return false;
    if (present && !t->present[node]) {
        put_to_parent(t, node);
        t->present[node] = true;
        ac_track_find_momentum(t, node);
        t->altered = true;
        t->phi_known = false;
    }
    t->present[node] = present;
    if (!present) memset(t->twists + 6 * node, 0, 6 * sizeof(double));
    return true;
}

bool ac_track_push(ac_track *t, int node, const double place[3], const double force[3])
{
    if (node < 0 || node >= t->nodes || !finite_numbers(force, 3) || !finite_numbers(place, 3)) return false;
    const ac_node *n = &t->system->nodes[node];
    double x[3], R[9], local[3], arm[3];
    ac_node_get_pose(n, t->q + n->q, x, R);
    for (int k = 0; k < 3; ++k) local[k] = ac_node_turns(n) == 0 ? 0.0 : place[k] - n->centre[k];
    apply3(R, local, arm);
    double *push = t->forces.next + 6 * node;
    for (int k = 0; k < 3; ++k)
        if (k < n->dimension) push[k] += force[k];
    if (ac_node_turns(n) == 3) add_cross3(arm, force, push + 3);
    if (ac_node_turns(n) == 1) push[5] += arm[0] * force[1] - arm[1] * force[0];
    return true;
}

/* --- what can be asked --- */

long ac_track_steps(const ac_track *t)
{
    return t->steps;
}

double ac_track_time(const ac_track *t)
{
    return (double)t->steps * t->settings.step;
}

void ac_track_pose(const ac_track *t, int node, ac_pose *pose)
{
    const ac_node *n = &t->system->nodes[node];
    double arm[3];
    ac_node_get_pose(n, t->q + n->q, pose->position, pose->rotation);
    if (ac_node_turns(n) == 0) return;
    apply3(pose->rotation, n->centre, arm);
    for (int k = 0; k < 3; ++k) pose->position[k] -= arm[k];
}

void ac_track_twist(const ac_track *t, int node, double velocity[3], double spin[3])
{
    const ac_node *n = &t->system->nodes[node];
    const double *twist = t->twists + 6 * node;
    double x[3], R[9], arm[3];
    ac_node_get_pose(n, t->q + n->q, x, R);
    copy3(twist, velocity);
    copy3(twist + 3, spin);
    if (ac_node_turns(n) == 0) return;
    apply3(R, n->centre, arm);
    add_cross3(arm, twist + 3, velocity); /* v - omega x R c */
}

void ac_track_kardan(const ac_track *t, int node, double angles[3])
{
    const ac_node *n = &t->system->nodes[node];
    double x[3], R[9];
    ac_node_get_pose(n, t->q + n->q, x, R);
    ac_kardan_angles(R, t->kardan + 3 * node, angles);
}

void ac_track_error(const ac_track *t, int number, double error[6])
{
    memset(error, 0, 6 * sizeof *error);
    if (is_goal(t, number) && t->goals[number].placed) ac_track_goal_error(t, &t->goals[number], t->q, error);
}

void ac_track_control(const ac_track *t, int number, double control[6])
{
    memset(control, 0, 6 * sizeof *control);
    if (is_goal(t, number)) memcpy(control, t->goals[number].control, 6 * sizeof *control);
}

double ac_track_residual(const ac_track *t)
{
    return t->residual;
}

int ac_track_loosest(const ac_track *t)
{
    return t->loosest;
}

double ac_track_rate_residual(const ac_track *t)
{
    const ac_constraints *c = &t->system->constraints;
    double most = 0.0, wrenches[2][6];
    for (int row = c->internal; row < c->count; ++row) {
        const ac_joint_data *j = &t->system->joints[c->owner[row]];
        const int ends[2] = {j->a.node, j->b.node};
        bool held = t->closed[c->owner[row]];
        double rate = 0.0;
        ac_track_joint_row(t, t->q, row, ends, (double *const[2]){wrenches[0], wrenches[1]});
        for (int e = 0; e < 2; ++e) {
            if (ends[e] == AC_GROUND) continue;
            held &= t->present[ends[e]];
            rate += dot6(wrenches[e], t->twists + 6 * ends[e]);
        }
        if (held) most = ac_max(most, fabs(rate));
    }
    return most;
}

double ac_track_reaction(const ac_track *t)
{
    return t->largest_reaction;
}

double ac_track_energy(const ac_track *t)
{
    double kinetic = 0.0;
    for (int i = 0; i < t->nodes; ++i) {
        const ac_node *node = &t->system->nodes[i];
        const double *v = t->twists + 6 * i;
        double block[36] = {0}, p[6];
        ac_node_inertia(node, t->q + node->q, t->q + node->q, 1.0, block);
        apply6(block, v, p);
        if (t->present[i]) kinetic += 0.5 * dot6(p, v);
    }
    return kinetic + ac_potential_energy(t->system, t->q, t->winding);
}

ac_track_counts ac_track_counted(const ac_track *t)
{
    return t->counts;
}

uint64_t ac_track_checksum(const ac_track *t)
{
    uint64_t sum = ac_checksum_numbers(UINT64_C(1469598103934665603), t->q, t->system->n);
    return ac_checksum_numbers(sum, t->twists, 6 * t->nodes);
}

bool ac_track_open(const ac_track *t)
{
    return t->system->tree.loops == 0;
}

int ac_track_index(const ac_track *t, int node)
{
    int index = 0;
    while (node >= 0 && t->links[node].parent != AC_GROUND) {
        node = t->links[node].parent;
        ++index;
    }
    return index;
}
