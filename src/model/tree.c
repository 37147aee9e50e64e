/* The tree of joints.
 *
 * Joints are taken into the tree in this order: those whose coordinates or rates are given, then those that
 * leave the fewest freedoms; a joint that would close a loop stays outside and becomes a closure. So loops
 * are cut at their loosest joint and what the user prescribes belongs to the tree. The tree then grows from
 * the ground; bodies that no joint connects with the ground start a tree of their own and move freely.
 */
#include "model/system.h"

enum { MOST_FREEDOMS = 6 };

/* --- choosing the joints ------------------------------------------------------------------------------------------- */

/* The representative of a set of connected nodes; paths are halved on the way. */
static int find_set(int *set, int i)
{
    while (set[i] != i) {
        set[i] = set[set[i]];
        i = set[i];
    }
    return i;
}

/* Are coordinates or rates given that must hold? Hints need not. */
static bool is_given(const ac_joint_data *joint)
{
    return (joint->has_coordinates && !joint->hint) || joint->has_rates;
}

/* Rank of a joint: 0 if coordinates or rates are given, else one more than the freedoms it leaves. */
static int rank_of(const ac_system *system, const ac_joint_data *joint)
{
    if (joint->has_coordinates || joint->has_rates) return 0;
    int node = joint->b.node != AC_GROUND ? joint->b.node : joint->a.node;
    return 1 + ac_joint_freedoms(joint->row, &system->nodes[node]);
}

/* Marks the joints of a spanning forest; `set` has room for all nodes and the ground. */
static void choose_joints(const ac_system *system, int *set, bool *chosen)
{
    int ground = system->node_count;
    for (int i = 0; i <= ground; ++i) set[i] = i;
    for (int rank = -1; rank <= MOST_FREEDOMS + 1; ++rank) {
        for (int j = 0; j < system->joint_count; ++j) {
            const ac_joint_data *joint = &system->joints[j];
            if (rank < 0 ? !is_given(joint) : rank_of(system, joint) != rank)
                continue; /* hints come second */
            int a = find_set(set, joint->a.node == AC_GROUND ? ground : joint->a.node);
            int b = find_set(set, joint->b.node == AC_GROUND ? ground : joint->b.node);
            if (a == b) continue;
            set[a] = b;
            chosen[j] = true;
        }
    }
}

/* --- loops ---------------------------------------------------------------------------------------------- */

/* Joints between what is connected already; a beam holds its nodes together, although the tree does not go
 * along it. */
static int count_loops(const ac_system *system, int *set)
{
    int ground = system->node_count, loops = 0;
    for (int i = 0; i <= ground; ++i) set[i] = i;
    for (int k = 0; k < system->beam_count; ++k) {
        const ac_beam_data *beam = &system->beams[k];
        for (int i = 1; i < beam->nodes; ++i) set[beam->first_node + i] = beam->first_node;
    }
    for (int j = 0; j < system->user_joints; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        int a = find_set(set, joint->a.node == AC_GROUND ? ground : joint->a.node);
        int b = find_set(set, joint->b.node == AC_GROUND ? ground : joint->b.node);
        loops += a == b;
        set[a] = b;
    }
    return loops;
}

/* --- growing the tree ---------------------------------------------------------------------------------------------- */

/* Joints of each node, as compressed lists; the ground is the last list. */
typedef struct neighbours {
    int *start, *joint;
} neighbours;

/* Queues of joints that could carry the next node, one for each number of freedoms. */
typedef struct frontier {
    int *item;
    int head[MOST_FREEDOMS + 1], tail[MOST_FREEDOMS + 1];
    int stride;
} frontier;

static ac_status list_neighbours(ac_system *system, neighbours *list)
{
    int nodes = system->node_count;
    AC_NEW(system->ctx, list->start, nodes + 2);
    AC_NEW(system->ctx, list->joint, 2 * system->joint_count);
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < system->joint_count; ++j) {
            const int ends[2] = {system->joints[j].a.node, system->joints[j].b.node};
            for (int e = 0; e < 2; ++e) {
                int i = ends[e] == AC_GROUND ? nodes : ends[e];
                if (pass == 0) {
                    ++list->start[i + 1];
                } else {
                    list->joint[list->start[i]++] = j;
                }
            }
        }
        if (pass == 0) {
            for (int i = 0; i < nodes + 1; ++i) list->start[i + 1] += list->start[i];
        } else {
            for (int i = nodes + 1; i > 0; --i) list->start[i] = list->start[i - 1];
            list->start[0] = 0;
        }
    }
    return AC_OK;
}

/* May `joint` carry `child` from `parent`? A point has no orientation and cannot guide a body. */
static bool can_carry(const ac_system *system, const ac_joint_data *joint, int parent, int child)
{
    if (parent == AC_GROUND || ac_node_turns(&system->nodes[parent]) > 0) return true;
    return ac_node_turns(&system->nodes[child]) == 0 || ac_row_has(joint->row, AC_MOTION_BALL);
}

/* Offers every joint of node i (the ground: node_count) to the frontier. */
static void offer(const ac_system *system, const neighbours *list, const bool *chosen, const bool *reached,
                  int i, frontier *open)
{
    int parent = i == system->node_count ? AC_GROUND : i;
    for (int k = list->start[i]; k < list->start[i + 1]; ++k) {
        int j = list->joint[k];
        if (!chosen[j]) continue;
        const ac_joint_data *joint = &system->joints[j];
        int child = joint->a.node == parent ? joint->b.node : joint->a.node;
        if (child == AC_GROUND || reached[child] || !can_carry(system, joint, parent, child)) continue;
        int freedoms = ac_joint_freedoms(joint->row, &system->nodes[child]);
        open->item[freedoms * open->stride + open->tail[freedoms]++] = j;
    }
}

/* The next joint that leads to a new node, or -1. */
static int next_joint(const ac_system *system, const bool *reached, frontier *open)
{
    for (int f = 0; f <= MOST_FREEDOMS; ++f) {
        while (open->head[f] < open->tail[f]) {
            int j = open->item[f * open->stride + open->head[f]++];
            const ac_joint_data *joint = &system->joints[j];
            bool a = joint->a.node == AC_GROUND || reached[joint->a.node];
            bool b = joint->b.node == AC_GROUND || reached[joint->b.node];
            if (a != b) return j;
        }
    }
    return -1;
}

static void hang(ac_system *system, int child, int parent, int joint, int *count)
{
    ac_node *node = &system->nodes[child];
    node->parent = parent;
    node->joint = joint;
    node->freedoms = ac_joint_freedoms(joint < 0 ? &ac_joint_free : system->joints[joint].row, node);
    ac_joint_walk(system, node);
    node->u = system->tree.freedoms;
    system->tree.freedoms += node->freedoms;
    system->tree.order[(*count)++] = child;
}

/* A node to start a free tree with: the first body with an initial place that is not reached yet, else the first
 * body, else the first point. `next` is where the search goes on, through the nodes once for each kind. */
static int free_root(const ac_system *system, const bool *reached, int *next)
{
    int nodes = system->node_count;
    for (;; ++*next) {
        int i = *next % nodes, pass = *next / nodes;
        const ac_node *node = &system->nodes[i];
        bool point = ac_node_turns(node) == 0;
        if (!reached[i] && (pass == 0 ? node->placed && !point : point == (pass == 2))) return i;
    }
}

static void grow_tree(ac_system *system, const neighbours *list, const bool *chosen, bool *reached,
                      frontier *open)
{
    int count = 0, next = 0;
    offer(system, list, chosen, reached, system->node_count, open);
    while (count < system->node_count) {
        int j = next_joint(system, reached, open), child;
        if (j >= 0) {
            ac_joint_data *joint = &system->joints[j];
            bool a_is_parent = joint->a.node == AC_GROUND || reached[joint->a.node];
            child = a_is_parent ? joint->b.node : joint->a.node;
            joint->in_tree = true;
            joint->reversed = !a_is_parent;
            hang(system, child, a_is_parent ? joint->a.node : joint->b.node, j, &count);
        } else {
            child = free_root(system, reached, &next);
            hang(system, child, AC_GROUND, -1, &count);
        }
        reached[child] = true;
        offer(system, list, chosen, reached, child, open);
    }
}

/* Coordinates or rates can be given in all joints of a loop but one. */
static ac_status refuse_given_closures(ac_system *system)
{
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        if (joint->in_tree || !is_given(joint)) continue;
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "joint '%s' closes a loop in which all other joints are given, too; leave the "
                       "coordinates or rates of one of them open",
                       joint->name);
    }
    return AC_OK;
}

ac_status ac_system_build_tree(ac_system *system)
{
    ac_context *ctx = system->ctx;
    neighbours list = {NULL, NULL};
    frontier open = {.stride = 2 * system->joint_count + 1};
    bool *reached = ac_allocate(ctx, (size_t)system->node_count, sizeof *reached);
    bool *chosen = ac_allocate(ctx, (size_t)system->joint_count, sizeof *chosen);
    int *set = ac_allocate(ctx, (size_t)system->node_count + 1, sizeof *set);
    open.item = ac_allocate(ctx, (size_t)open.stride * (MOST_FREEDOMS + 1), sizeof *open.item);
    system->tree.order = ac_allocate(ctx, (size_t)system->node_count, sizeof *system->tree.order);
    ac_status status = list_neighbours(system, &list);
    if (!reached || !chosen || !set || !open.item || !system->tree.order) status = ac_out_of_memory(ctx);
    if (status == AC_OK) {
        system->tree.graph_loops = count_loops(system, set);
        choose_joints(system, set, chosen);
        grow_tree(system, &list, chosen, reached, &open);
        status = refuse_given_closures(system);
    }
    ac_release(ctx, reached);
    ac_release(ctx, chosen);
    ac_release(ctx, set);
    ac_release(ctx, open.item);
    ac_release(ctx, list.start);
    ac_release(ctx, list.joint);
    return status;
}

void ac_system_mark_given(const ac_system *system, bool rates, bool *given)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        bool is = false;
        if (node->joint >= 0) {
            const ac_joint_data *joint = &system->joints[node->joint];
            is = rates ? joint->has_rates : joint->has_coordinates && !joint->hint;
        }
        if (rates) is |= node->moving;
        for (int j = 0; j < node->freedoms; ++j) {
            bool turns = j >= node->dimension;
            bool follows = rates && node->joint < 0 && (turns ? node->spin_follows : node->velocity_follows);
            given[node->u + j] = is && !follows;
        }
    }
}
