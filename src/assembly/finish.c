/* Finishing a description: coordinates, constraints, mass matrix; then tree and assembly (tree.c,
 * assemble.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/element.h"
#include "action/inertia.h"
#include "base/vector.h"
#include "math/math.h"
#include "model/system.h"

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

/* --- constraints --------------------------------------------------------------------------------------------------- */

/* Replaces the coordinates in row k by slots and lists the coordinates; returns how many. */
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

/* A joint between two nodes depends on the difference of their places. Measured from the place of the
 * first, the squares in a row do not cancel far from the origin. */
static int origin_of(const ac_system *system, const ac_joint_data *joint, int coordinate)
{
    if (joint->a.node == AC_GROUND || joint->b.node == AC_GROUND) return -1;
    const ac_node *nodes[2] = {&system->nodes[joint->a.node], &system->nodes[joint->b.node]};
    for (int e = 0; e < 2; ++e) {
        int place = coordinate - nodes[e]->q;
        if (place >= 0 && place < nodes[e]->dimension) return nodes[0]->q + place;
    }
    return -1;
}

static ac_status find_origins(ac_system *system)
{
    ac_constraints *c = &system->constraints;
    AC_NEW(system->ctx, c->origin, c->start[c->count]);
    for (int row = 0; row < c->count; ++row)
        for (int e = c->start[row]; e < c->start[row + 1]; ++e)
            c->origin[e] = c->owner[row] < 0
                               ? -1
                               : origin_of(system, &system->joints[c->owner[row]], c->coordinate[e]);
    return AC_OK;
}

/* How large the gradients of rows are: that of a gap is a length for a radian, that of a length's square a square. */
static void find_sizes(ac_system *system)
{
    for (int row = 0; row < system->constraints.count; ++row) system->constraints.size[row] = 1.0;
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        ac_equation_list list;
        ac_joint_list_rows(system, joint, &list);
        for (int k = 0; k < list.count; ++k) {
            double *size = &system->constraints.size[joint->first_row + k];
            ac_equation_kind kind = list.row[k].kind;
            if (kind == AC_EQUATION_COMPONENT || kind == AC_EQUATION_ALONG) *size = system->length_scale;
            if (kind == AC_EQUATION_LENGTH) *size = joint->length * system->length_scale;
        }
    }
}

ac_status ac_system_build_constraints(ac_system *system)
{
    ac_constraints *c = &system->constraints;
    int owners = 0;
    for (int i = 0; i < system->node_count; ++i) AC_TRY(ac_node_constraints(system, &system->nodes[i]));
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
    AC_NEW(system->ctx, c->size, c->count + 1);
    for (int i = 0; i < system->node_count; ++i) {
        int rows = ac_node_type_of(&system->nodes[i])->rows;
        for (int k = 0; k < rows; ++k) c->owner[owners++] = -1 - i;
    }
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        system->tree.loops += !joint->in_tree;
        for (int k = 0; k < joint->rows; ++k) c->owner[joint->first_row + k] = j;
    }
    find_sizes(system);
    int capacity = 0;
    for (int row = 0; row < c->count; ++row) AC_TRY(index_row(system, row, &capacity));
    return find_origins(system);
}

/* --- all together -------------------------------------------------------------------------------------------------- */

/* Distance joints without a length keep the initial distance. */
static ac_status measure_lengths(ac_system *system)
{
    for (int j = 0; j < system->joint_count; ++j) {
        ac_joint_data *joint = &system->joints[j];
        if (!ac_row_has(joint->row, AC_MOTION_SWING) || joint->length > 0.0) continue;
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
            return ac_fail(system->ctx, AC_BAD_INPUT,
                           "joint '%s': the distance is zero; give a positive length", joint->name);
        }
    }
    return AC_OK;
}

/* Does something on these nodes couple more than a node and its parent? */
static bool couples_in_tree(const ac_system *system, int a, int b)
{
    return system->nodes[a].parent == b || system->nodes[b].parent == a;
}

static bool is_tree_coupled(const ac_system *system)
{
    bool coupled = system->mesh.element_count + system->mesh.high_count == 0;
    for (int k = 0; k < system->coupling.count; ++k)
        coupled &= couples_in_tree(system, system->coupling.pairs[k][0], system->coupling.pairs[k][1]);
    for (int k = 0; k < system->load_count; ++k) {
        const ac_measure *m = system->loads[k].measure < 0 ? NULL
                                                           : &system->measures[system->loads[k].measure];
        if (m && m->node_count > 1) coupled &= couples_in_tree(system, m->nodes[0], m->nodes[1]);
    }
    return coupled;
}

static double typical_length(const ac_system *system)
{
    double sum = 0.0;
    for (int j = 0; j < system->joint_count; ++j) {
        double a = system->joints[j].a.node == AC_GROUND ? 0.0 : norm3(system->joints[j].a.place);
        double b = system->joints[j].b.node == AC_GROUND ? 0.0 : norm3(system->joints[j].b.place);
        sum = ac_max(sum, ac_max(a, ac_max(b, system->joints[j].length)));
    }
    for (int i = 0; i < system->beam_count; ++i) sum = ac_max(sum, system->beams[i].length);
    if (!(sum > 0.0)) {
        for (int i = 0; i < system->node_count; ++i) sum = ac_max(sum, norm3(system->nodes[i].pose.position));
    }
    return sum > 0.0 ? sum : 1.0;
}

ac_status ac_system_finish(ac_system *system, ac_assembly *assembly)
{
    if (system->finished) return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished already");
    if (system->node_count == 0)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system has no bodies, no points and no beams");
    AC_TRY(ac_system_join_beams(system));
    number_coordinates(system);
    AC_TRY(measure_lengths(system));
    system->length_scale = typical_length(system);
    ac_system_hold_spins(system);
    AC_TRY(ac_system_build_tree(system));
    AC_TRY(ac_system_build_constraints(system));
    AC_TRY(ac_inertia_describe(system));
    for (int j = 0; j < system->joint_count; ++j) {
        if (system->joints[j].first_measure < 0) AC_TRY(ac_joint_measures(system, j));
    }
    AC_TRY(ac_system_describe(system));
    system->coupling.along_tree = is_tree_coupled(system);
    AC_TRY(ac_system_unbend(system));
    AC_TRY(ac_system_assemble(system));
    system->finished = true;
    if (assembly) *assembly = system->initial.assembly;
    return AC_OK;
}

ac_system_size ac_system_sizes(const ac_system *system)
{
    int closure = system->constraints.count - system->constraints.closure;
    int independent = system->constraints.count - closure + system->initial.closure_rank;
    return (ac_system_size){
        .nodes = system->node_count,
        .joints = system->joint_count,
        .loops = system->tree.graph_loops,
        .coordinates = system->n,
        .constraints = system->constraints.count,
        .independent = independent,
        .freedoms = system->n - independent - system->initial.relation_rank,
        .tree_freedoms = system->tree.freedoms,
    };
}

const char *ac_system_node_name(const ac_system *system, int node)
{
    return node == AC_GROUND ? "ground" : system->nodes[node].name;
}

const char *ac_node_words(const ac_system *system, int number, char text[AC_NODE_WORDS])
{
    if (number == AC_GROUND) return "ground";
    const ac_node *node = &system->nodes[number];
    if (node->beam >= 0)
        snprintf(text, AC_NODE_WORDS, "node '%.110s' of beam '%.100s'", node->name,
                 system->beams[node->beam].name);
    else
        snprintf(text, AC_NODE_WORDS, "%s '%.200s'", ac_node_type_of(node)->word, node->name);
    return text;
}

const char *ac_system_joint_name(const ac_system *system, int joint)
{
    return system->joints[joint].name;
}

int ac_system_joint_coordinates(const ac_system *system, int joint)
{
    return ac_row_coordinates(system->joints[joint].row);
}
