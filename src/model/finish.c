/* Finishing a description: coordinates, tree of joints, constraints, mass matrix.
 *
 * The tree grows from the ground and always takes the joint that leaves the fewest freedoms next, so that loops are cut at
 * their loosest joint. Bodies that no joint leads to from the ground start a tree of their own and move freely.
 */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "model/system.h"

enum { MOST_FREEDOMS = 6 };

static void number_coordinates(ac_system *system)
{
    system->n = 0;
    system->flat = system->node_count > 0;
    for (int i = 0; i < system->node_count; ++i) {
        ac_node *node = &system->nodes[i];
        node->q = system->n;
        node->parent = AC_GROUND;
        node->joint = -1;
        system->n += node->size;
        if (node->dimension == 3) system->flat = false;
    }
}

/* --- tree ---------------------------------------------------------------------------------------------------------- */

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
    if (parent == AC_GROUND || system->nodes[parent].kind != AC_NODE_POINT) return true;
    return system->nodes[child].kind == AC_NODE_POINT || joint->type == AC_SPHERICAL || joint->type == AC_DISTANCE;
}

/* Offers every joint of node i (the ground: node_count) to the frontier. */
static void offer(const ac_system *system, const neighbours *list, const bool *reached, int i, frontier *open)
{
    int parent = i == system->node_count ? AC_GROUND : i;
    for (int k = list->start[i]; k < list->start[i + 1]; ++k) {
        int j = list->joint[k];
        const ac_joint_data *joint = &system->joints[j];
        int child = joint->a.node == parent ? joint->b.node : joint->a.node;
        if (child == AC_GROUND || reached[child] || !can_carry(system, joint, parent, child)) continue;
        int freedoms = ac_joint_freedoms(joint->family, &system->nodes[child]);
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
    const ac_joint_family *family = joint < 0 ? &ac_joint_free : system->joints[joint].family;
    node->freedoms = ac_joint_freedoms(family, node);
    node->u = system->tree_freedoms;
    system->tree_freedoms += node->freedoms;
    system->order[(*count)++] = child;
}

/* A node to start a free tree with: the first body not reached yet, or the first point if there is no body. */
static int free_root(const ac_system *system, const bool *reached)
{
    int point = -1;
    for (int i = 0; i < system->node_count; ++i) {
        if (reached[i]) continue;
        if (system->nodes[i].kind != AC_NODE_POINT) return i;
        if (point < 0) point = i;
    }
    return point;
}

static void grow_tree(ac_system *system, const neighbours *list, bool *reached, frontier *open)
{
    int count = 0;
    offer(system, list, reached, system->node_count, open);
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
            child = free_root(system, reached);
            hang(system, child, AC_GROUND, -1, &count);
        }
        reached[child] = true;
        offer(system, list, reached, child, open);
    }
}

ac_status ac_system_build_tree(ac_system *system)
{
    ac_context *ctx = system->ctx;
    neighbours list = {NULL, NULL};
    frontier open = {.stride = 2 * system->joint_count + 1};
    bool *reached = ac_allocate(ctx, (size_t)system->node_count, sizeof *reached);
    open.item = ac_allocate(ctx, (size_t)(open.stride * (MOST_FREEDOMS + 1)), sizeof *open.item);
    system->order = ac_allocate(ctx, (size_t)system->node_count, sizeof *system->order);
    ac_status status = list_neighbours(system, &list);
    if (!reached || !open.item || !system->order) status = ac_out_of_memory(ctx);
    if (status == AC_OK) grow_tree(system, &list, reached, &open);
    ac_release(ctx, reached);
    ac_release(ctx, open.item);
    ac_release(ctx, list.start);
    ac_release(ctx, list.joint);
    return status;
}

/* --- constraints --------------------------------------------------------------------------------------------------- */

/* Orthonormality of the directors: |d_I|^2 = 1 (halved), d1.d2, d2.d3, d3.d1. */
static ac_status internal_rows(ac_system *system, const ac_node *node)
{
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    ac_forms *forms = &system->constraints.forms;
    int directors = node->kind == AC_NODE_BODY ? 3 : node->kind == AC_NODE_PLANAR ? 1 : 0;
    for (int I = 0; I < directors; ++I) {
        ac_affine3 d = ac_node_direction(node, node->q, axes[I]);
        AC_TRY(ac_forms_begin(system->ctx, forms, -0.5));
        AC_TRY(ac_forms_add_dot(system->ctx, forms, &d, &d, 0.5));
    }
    for (int k = 0; k < (directors == 3 ? 3 : 0); ++k) {
        ac_affine3 a = ac_node_direction(node, node->q, axes[pairs[k][0]]);
        ac_affine3 b = ac_node_direction(node, node->q, axes[pairs[k][1]]);
        AC_TRY(ac_forms_begin(system->ctx, forms, 0.0));
        AC_TRY(ac_forms_add_dot(system->ctx, forms, &a, &b, 1.0));
    }
    return AC_OK;
}

/* Replaces the coordinates in row k by slots and lists the coordinates; answers how many. */
static int slot_of(const int *coordinates, int count, int coordinate)
{
    for (int s = 0; s < count; ++s)
        if (coordinates[s] == coordinate) return s;
    return -1;
}

static ac_status index_row(ac_system *system, int row, int *capacity)
{
    ac_constraints *c = &system->constraints;
    ac_forms *f = &c->forms;
    int list[2 * AC_ELEMENT_MAX], count = 0;
    for (int e = f->linear_start[row]; e < f->linear_start[row + 1]; ++e) {
        int s = slot_of(list, count, f->linears[e].i);
        if (s < 0) list[s = count++] = f->linears[e].i;
        f->linears[e].i = s;
    }
    for (int e = f->product_start[row]; e < f->product_start[row + 1]; ++e) {
        int *index[2] = {&f->products[e].i, &f->products[e].j};
        for (int k = 0; k < 2; ++k) {
            int s = slot_of(list, count, *index[k]);
            if (s < 0) list[s = count++] = *index[k];
            *index[k] = s;
        }
    }
    int start = c->start[row];
    AC_TRY(ac_grow(system->ctx, (void **)&c->coordinate, capacity, start + count + 1, sizeof(int)));
    memcpy(c->coordinate + start, list, (size_t)count * sizeof *list);
    c->start[row + 1] = start + count;
    if (count > c->widest) c->widest = count;
    return AC_OK;
}

ac_status ac_system_build_constraints(ac_system *system)
{
    ac_constraints *c = &system->constraints;
    int owners = 0;
    for (int i = 0; i < system->node_count; ++i) AC_TRY(internal_rows(system, &system->nodes[i]));
    c->internal = c->forms.count;
    for (int tree = 1; tree >= 0; --tree) {
        c->closure = c->forms.count;
        for (int j = 0; j < system->joint_count; ++j) {
            if (system->joints[j].in_tree == (tree == 1)) AC_TRY(ac_joint_constraints(system, j));
        }
    }
    c->count = c->forms.count;
    AC_NEW(system->ctx, c->start, c->count + 1);
    AC_NEW(system->ctx, c->owner, c->count + 1);
    for (int i = 0; i < system->node_count; ++i) {
        int rows = system->nodes[i].kind == AC_NODE_BODY ? 6 : system->nodes[i].kind == AC_NODE_PLANAR ? 1 : 0;
        for (int k = 0; k < rows; ++k) c->owner[owners++] = -1 - i;
    }
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        system->loops += !joint->in_tree;
        for (int k = 0; k < joint->rows; ++k) c->owner[joint->first_row + k] = j;
    }
    int capacity = 0;
    for (int row = 0; row < c->count; ++row) AC_TRY(index_row(system, row, &capacity));
    return AC_OK;
}

/* --- mass ---------------------------------------------------------------------------------------------------------- */

static ac_status add_mass(ac_system *system, int row, int column, int dimension, double coefficient)
{
    if (coefficient == 0.0) return AC_OK;
    AC_TRY(ac_grow(system->ctx, (void **)&system->mass, &system->mass_capacity, system->mass_count + 1,
                   sizeof(ac_mass_entry)));
    system->mass[system->mass_count++] = (ac_mass_entry){row, column, dimension, coefficient};
    return AC_OK;
}

ac_status ac_system_build_mass(ac_system *system)
{
    AC_NEW(system->ctx, system->gravity_force, system->n);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int q = node->q;
        AC_TRY(add_mass(system, q, q, node->dimension, node->mass));
        if (node->kind == AC_NODE_PLANAR) AC_TRY(add_mass(system, q + 2, q + 2, 2, node->euler[0]));
        if (node->kind == AC_NODE_BODY) {
            for (int k = 0; k < 9; ++k) {
                AC_TRY(add_mass(system, q + 3 + 3 * (k / 3), q + 3 + 3 * (k % 3), 3, node->euler[k]));
            }
        }
        for (int k = 0; k < node->dimension; ++k) system->gravity_force[q + k] = node->mass * system->gravity[k];
    }
    return AC_OK;
}

/* --- all together -------------------------------------------------------------------------------------------------- */

/* Distance joints without a length keep the drawn distance. */
static ac_status measure_lengths(ac_system *system)
{
    for (int j = 0; j < system->joint_count; ++j) {
        ac_joint_data *joint = &system->joints[j];
        if (!joint->family->distance || joint->length > 0.0) continue;
        double x[2][3];
        const ac_side *side[2] = {&joint->a, &joint->b};
        for (int e = 0; e < 2; ++e) {
            copy3(side[e]->place, x[e]);
            if (side[e]->node == AC_GROUND) continue;
            const ac_node *node = &system->nodes[side[e]->node];
            apply3(node->pose.rotation, side[e]->place, x[e]);
            add3(node->pose.position, x[e], x[e]);
        }
        double gap[3];
        sub3(x[1], x[0], gap);
        joint->length = norm3(gap);
        if (!(joint->length > 0.0)) {
            return ac_fail(system->ctx, AC_BAD_INPUT, "joint '%s': the distance is zero; give a positive length", joint->name);
        }
    }
    return AC_OK;
}

/* Does an element on these nodes couple more than a node and its parent? */
static bool couples_in_tree(const ac_system *system, const ac_measure *m)
{
    if (m->node_count < 2) return true;
    return system->nodes[m->nodes[0]].parent == m->nodes[1] || system->nodes[m->nodes[1]].parent == m->nodes[0];
}

static double typical_length(const ac_system *system)
{
    double sum = 0.0;
    for (int j = 0; j < system->joint_count; ++j) {
        double a = system->joints[j].a.node == AC_GROUND ? 0.0 : norm3(system->joints[j].a.place);
        double b = system->joints[j].b.node == AC_GROUND ? 0.0 : norm3(system->joints[j].b.place);
        sum = fmax(sum, fmax(a, fmax(b, system->joints[j].length)));
    }
    if (!(sum > 0.0)) {
        for (int i = 0; i < system->node_count; ++i) sum = fmax(sum, norm3(system->nodes[i].pose.position));
    }
    return sum > 0.0 ? sum : 1.0;
}

ac_status ac_system_finish(ac_system *system, ac_assembly *assembly)
{
    if (system->finished) return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished already");
    if (system->node_count == 0) return ac_fail(system->ctx, AC_BAD_INPUT, "the system has no bodies and no points");
    number_coordinates(system);
    AC_TRY(measure_lengths(system));
    AC_TRY(ac_system_build_tree(system));
    AC_TRY(ac_system_build_constraints(system));
    AC_TRY(ac_system_build_mass(system));
    for (int j = 0; j < system->joint_count; ++j) {
        if (system->joints[j].first_measure < 0) AC_TRY(ac_joint_measures(system, j));
    }
    system->tree_coupled = true;
    for (int s = 0; s < system->spring_count; ++s)
        system->tree_coupled &= couples_in_tree(system, &system->measures[system->springs[s].measure]);
    for (int s = 0; s < system->load_count; ++s)
        if (system->loads[s].measure >= 0)
            system->tree_coupled &= couples_in_tree(system, &system->measures[system->loads[s].measure]);
    system->length_scale = typical_length(system);
    AC_TRY(ac_system_assemble(system));
    system->finished = true;
    if (assembly) *assembly = system->assembly;
    return AC_OK;
}

ac_system_size ac_system_sizes(const ac_system *system)
{
    int closure = system->constraints.count - system->constraints.closure;
    int independent = system->constraints.count - closure + system->closure_rank;
    return (ac_system_size){
        .nodes = system->node_count,
        .joints = system->joint_count,
        .loops = system->loops,
        .coordinates = system->n,
        .constraints = system->constraints.count,
        .independent = independent,
        .freedoms = system->n - independent,
        .tree_freedoms = system->tree_freedoms,
    };
}

const char *ac_system_node_name(const ac_system *system, int node)
{
    return node == AC_GROUND ? "ground" : system->nodes[node].name;
}

const char *ac_system_joint_name(const ac_system *system, int joint)
{
    return system->joints[joint].name;
}

int ac_system_joint_coordinates(const ac_system *system, int joint)
{
    return system->joints[joint].family->coordinates;
}
