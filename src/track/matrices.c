/* The velocity-level equations at one state: masses, joint rows, forces and damping, from the same nodes, rows,
 * springs and loads as every other task. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "action/element.h"
#include "action/inertia.h"
#include "action/load.h"
#include "base/vector.h"
#include "track/track.h"
#include "tree/kinematics.h"

/* Components of the twist that a node has. */
static bool has_component(const ac_node *node, int i)
{
    return i < 3 ? i < node->dimension : i >= 6 - ac_node_turns(node);
}

void ac_track_inertia(const ac_track *t, int i, const double *q, double block[36])
{
    const ac_node *node = &t->system->nodes[i];
    memset(block, 0, 36 * sizeof *block);
    ac_node_inertia(node, q + node->q, q + node->q, 1.0, block);
    for (int k = 6 - ac_node_turns(node); k < 6; ++k) block[7 * k] += t->turning.lacking[i];
}

static void mass_block(const ac_track *t, int i, const double *q, ac_track_link *link)
{
    const ac_node *node = &t->system->nodes[i];
    memset(link->D, 0, sizeof link->D);
    if (t->present[i]) ac_track_inertia(t, i, q, link->D);
    link->mass = link->D[0];
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) link->inertia[3 * a + b] = link->D[6 * (3 + a) + 3 + b];
    for (int k = 0; k < 6; ++k)
        if (!t->present[i] || !has_component(node, k)) link->D[7 * k] = 1.0;
}

/* The force g on one coordinate of a body: that on a director d is the torque d x g e_c. */
static inline void add_coordinate(const double *q, unsigned place, double g, double wrench[6])
{
    static const unsigned char director[12] = {0, 0, 0, 3, 3, 3,
                                               6, 6, 6, 9, 9, 9}; /* the coordinates it begins with */
    static const unsigned char next[12] = {0, 0, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0},
                               last[12] = {0, 0, 0, 2, 0, 1, 2, 0, 1, 2, 0, 1};
    if (place < 3) {
        wrench[place] += g;
        return;
    }
    const double *d = q + director[place];
    wrench[3 + next[place]] += g * d[last[place]];
    wrench[3 + last[place]] -= g * d[next[place]];
}

void ac_track_joint_row(const ac_track *t, const double *q, int row, const int ends[2], double *const by[2])
{
    const ac_constraints *c = &t->system->constraints;
    const int *at = c->coordinate + c->start[row], count = c->start[row + 1] - c->start[row];
    int first[2] = {INT_MIN, INT_MIN}; /* where the coordinates of bodies begin */
    double *gradient = t->gradients + c->start[row];
    if (c->forms.product_start[row] < c->forms.product_start[row + 1])
        ac_constraint_gradient(t->system, row, q, gradient);
    for (int e = 0; e < 2; ++e) {
        const ac_node *node = ends[e] == AC_GROUND ? NULL : &t->system->nodes[ends[e]];
        for (int k = 0; k < 6; ++k) by[e][k] = 0.0;
        if (node && node->kind == AC_NODE_BODY)
            first[e] = node->q;
        else if (node)
            ac_constraint_wrench(t->system, row, gradient, ends[e], q, by[e]);
    }
    for (int s = 0; s < count; ++s)
        for (int e = 0; e < 2; ++e) {
            unsigned place = (unsigned)at[s] - (unsigned)first[e];
            if (place < 12) add_coordinate(q + first[e], place, gradient[s], by[e]);
        }
}

bool ac_track_holds(const ac_track *t, int joint)
{
    const ac_joint_data *j = &t->system->joints[joint];
    return t->closed[joint] && (j->a.node == AC_GROUND || t->present[j->a.node]) &&
           (j->b.node == AC_GROUND || t->present[j->b.node]);
}

static void joint_rows(ac_track *t, int i, const double *q)
{
    const ac_node *node = &t->system->nodes[i];
    ac_track_link *link = &t->links[i];
    link->rows = 0;
    link->coupled = false;
    if (node->joint < 0 || !ac_track_holds(t, node->joint)) return;
    const ac_joint_data *joint = &t->system->joints[node->joint];
    link->first_row = joint->first_row - t->system->constraints.internal;
    link->rows = joint->rows;
    for (int k = 0; k < joint->rows; ++k) {
        double *const by[2] = {link->G + 6 * k, link->H + 6 * k};
        ac_track_joint_row(t, q, joint->first_row + k, (const int[2]){i, link->parent}, by);
    }
}

void ac_track_add_row(ac_track_row *rows, int *count, const ac_track_row *row)
{
    rows[(*count)++] = *row;
}

double ac_track_row_rate(const ac_track_row *row, const double *twists)
{
    double rate = 0.0;
    for (int e = 0; e < 2; ++e)
        if (row->node[e] != AC_GROUND) rate += dot6(row->by[e], twists + 6 * row->node[e]);
    return rate;
}

/* Rows of the joints that close loops; their values are what is missing to the stabilised velocity. */
static void closure_rows(ac_track *t, const double *q, double h)
{
    const ac_constraints *c = &t->system->constraints;
    double alpha = t->settings.joint_stabilisation / h;
    for (int row = c->closure; row < c->count; ++row) {
        const ac_joint_data *joint = &t->system->joints[c->owner[row]];
        if (!ac_track_holds(t, c->owner[row])) continue;
        ac_track_row out = {.node = {joint->a.node, joint->b.node}};
        ac_track_joint_row(t, q, row, out.node, (double *const[2]){out.by[0], out.by[1]});
        out.value = -ac_track_row_rate(&out, t->twists) - alpha * t->phi[row - c->internal];
        ac_track_add_row(t->border.rows, &t->border.count, &out);
    }
}

/* The direction a of a damper, y' = a . v, on the nodes of its measure; returns its coefficient. */
static double damper_direction(const ac_track *t, const double *q, int spring, ac_track_row *row, int *count)
{
    const ac_measure *m = &t->system->measures[t->system->springs[spring].measure];
    double x[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX];
    ac_measure_gather(t->system, m, q, x);
    double c = ac_spring_damper(t->system, spring, x, t->winding, gradient);
    *row = (ac_track_row){.node = {AC_GROUND, AC_GROUND}};
    for (int e = 0, place = 0; e < m->node_count; ++e) {
        const ac_node *node = &t->system->nodes[m->nodes[e]];
        row->node[e] = m->nodes[e];
        ac_node_wrench(node, q + node->q, gradient + place, row->by[e]);
        place += node->size;
    }
    *count = m->node_count;
    return c;
}

static void add_product(double c, const double a[6], const double b[6], double block[36])
{
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) block[6 * i + j] += c * a[i] * b[j];
}

/* Damping forces -c y' a into the forces, h c a a^T into D, its coupling or the border. */
static void add_dampers(ac_track *t, const double *q, double h)
{
    for (int k = 0; k < t->damper_count; ++k) {
        ac_track_row row;
        int count;
        double c = damper_direction(t, q, t->dampers[k].spring, &row, &count);
        bool usable = true;
        for (int e = 0; e < count; ++e)
            for (int i = 0; i < 6; ++i) usable &= isfinite(row.by[e][i]) && t->present[row.node[e]];
        if (!usable) continue; /* ends that meet have no direction */
        double pull = -c * ac_track_row_rate(&row, t->twists);
        for (int e = 0; e < count; ++e)
            for (int i = 0; i < 6; ++i) t->forces.all[6 * row.node[e] + i] += pull * row.by[e][i];
        if (t->dampers[k].how == AC_DAMPER_ACROSS) {
            row.soft = 1.0 / (h * c);
            ac_track_add_row(t->border.rows, &t->border.count, &row);
            continue;
        }
        for (int e = 0; e < count; ++e) add_product(h * c, row.by[e], row.by[e], t->links[row.node[e]].D);
        if (t->dampers[k].how == AC_DAMPER_NODE) continue;
        int child = t->links[row.node[0]].parent == row.node[1] ? 0 : 1;
        ac_track_link *link = &t->links[row.node[child]];
        if (!link->coupled) memset(link->C, 0, sizeof link->C);
        link->coupled = true;
        add_product(h * c, row.by[child], row.by[1 - child], link->C);
    }
}

static void to_wrenches(const ac_track *t, const double *q, const double *f, double *wrenches)
{
    for (int i = 0; i < t->nodes; ++i) {
        const ac_node *node = &t->system->nodes[i];
        if (t->present[i])
            ac_node_wrench(node, q + node->q, f + node->q, wrenches + 6 * i);
        else
            memset(wrenches + 6 * i, 0, 6 * sizeof(double));
    }
}

static void collect_forces(ac_track *t, const double *q, double time)
{
    const ac_system *system = t->system;
    double *f = t->coordinates;
    memset(f, 0, (size_t)system->n * sizeof *f);
    ac_gravity_add(system, 1.0, f);
    ac_loads_add(system, time, 0.0, q, t->winding, 1.0, f);
    to_wrenches(t, q, f, t->forces.known);
    ac_potential_add_gradient(system, q, t->winding, -1.0, f);
    to_wrenches(t, q, f, t->forces.all);
    for (int i = 0; i < 6 * t->nodes; ++i) {
        t->forces.all[i] += t->forces.next[i];
        if (!isfinite(t->forces.all[i])) t->forces.all[i] = 0.0;
        if (!isfinite(t->forces.known[i])) t->forces.known[i] = 0.0;
    }
}

void ac_track_assemble(ac_track *t, const double *q, double time, double h)
{
    const ac_constraints *c = &t->system->constraints;
    t->border.count = 0;
    for (int i = 0; i < t->nodes; ++i) {
        mass_block(t, i, q, &t->links[i]);
        joint_rows(t, i, q);
    }
    if (!t->phi_known || q != t->q) ac_constraints_value(t->system, q, c->internal, t->phi);
    t->phi_known = false;
    collect_forces(t, q, time);
    closure_rows(t, q, h);
    add_dampers(t, q, h);
}

double ac_track_row_acceleration(const ac_track *t, const double *q, int row)
{
    /* rows are quadratic: q'.H q' = (grad at q + q' minus grad at q) . q'; and q'' = omega x (omega x d) */
    const ac_constraints *c = &t->system->constraints;
    const ac_joint_data *joint = &t->system->joints[c->owner[row]];
    const int ends[2] = {joint->a.node, joint->b.node};
    double here[AC_ELEMENT_MAX], there[AC_ELEMENT_MAX], sum = 0.0;
    double *moved = t->q_new; /* not in use while accelerations are found */
    memcpy(moved, q, (size_t)t->system->n * sizeof *moved);
    double first[2][AC_NODE_MAX], second[2][AC_NODE_MAX];
    for (int e = 0; e < 2; ++e) {
        if (ends[e] == AC_GROUND) continue;
        const ac_node *node = &t->system->nodes[ends[e]];
        const double *twist = t->twists + 6 * ends[e];
        double turn[6] = {0.0, 0.0, 0.0, twist[3], twist[4], twist[5]}, still[AC_NODE_MAX];
        ac_node_tangent(node, q + node->q, twist, first[e]);
        ac_node_tangent(node, q + node->q, turn, still);
        ac_node_tangent(node, still, turn, second[e]);
        for (int k = 0; k < node->size; ++k) moved[node->q + k] += first[e][k];
    }
    ac_constraint_gradient(t->system, row, q, here);
    ac_constraint_gradient(t->system, row, moved, there);
    for (int s = c->start[row]; s < c->start[row + 1]; ++s) {
        int at = s - c->start[row], place = c->coordinate[s];
        for (int e = 0; e < 2; ++e) {
            if (ends[e] == AC_GROUND) continue;
            const ac_node *node = &t->system->nodes[ends[e]];
            int k = place - node->q;
            if (k >= 0 && k < node->size)
                sum += (there[at] - here[at]) * first[e][k] + here[at] * second[e][k];
        }
    }
    return sum;
}
