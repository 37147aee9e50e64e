/* Spins that nothing changes: the legs of a platform between two spherical joints turn about their own axes.
 *
 * A motion of the tree that keeps loops closed, moves no centre of mass, and turns bodies about their axes of
 * symmetry only, without work of a control, spring or load, leaves the Lagrangian as it is: its momentum is
 * conserved. At rest at the end it is at rest because it was at the start, so as many rows of the momentum at
 * the end follow from the others as there are such motions. They become limits with some room, as dependent
 * conditions do. */
#include <math.h>
#include <string.h>

#include "action/describe/actor.h"
#include "base/vector.h"
#include "linalg/dense.h"
#include "optimize/judge/reduce.h"

static const double SAME = 1e-9, RANK = 1e-9;
enum { ENTRIES_MOST = 4000000 };

typedef struct spins {
    ac_optimization *o;
    int rows, columns, capacity;
    double *J;
    const double *q, *D; /* the first configuration and its derivatives by the freedoms */
    double *omega;       /* 3 x freedoms per node: angular velocities */
} spins;

static double *next_row(spins *s)
{
    return s->J + (size_t)s->rows++ * (size_t)s->columns;
}

static double derivative(const spins *s, int coordinate, int freedom)
{
    return s->D[(size_t)coordinate * (size_t)s->o->layout.span + (size_t)freedom];
}

/* omega = sum_I d_I x d_I' / 2; planar bodies turn about z. */
static void angular_velocities(spins *s)
{
    const ac_system *system = s->o->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->kind == AC_NODE_POINT) continue;
        for (int f = 0; f < s->columns; ++f) {
            double *omega = s->omega + 3 * ((size_t)i * (size_t)s->columns + (size_t)f);
            if (node->kind != AC_NODE_BODY) { /* any rate stands for the turn */
                omega[2] = derivative(s, node->q + 2, f) + derivative(s, node->q + 3, f);
                continue;
            }
            for (int I = 0; I < 3; ++I) {
                const double *d = s->q + node->q + 3 + 3 * I;
                const double rate[3] = {derivative(s, node->q + 3 + 3 * I, f),
                                        derivative(s, node->q + 4 + 3 * I, f),
                                        derivative(s, node->q + 5 + 3 * I, f)};
                double part[3];
                cross3(d, rate, part);
                for (int k = 0; k < 3; ++k) omega[k] += 0.5 * part[k];
            }
        }
    }
}

/* The node does not turn in these directions of space. */
static void hold(spins *s, int node, const double direction[3])
{
    double *row = next_row(s);
    for (int f = 0; f < s->columns; ++f)
        row[f] = dot3(direction, s->omega + 3 * ((size_t)node * (size_t)s->columns + (size_t)f));
}

static void hold_all(spins *s, int node)
{
    for (int k = 0; k < 3 && node >= 0; ++k) {
        const double axis[3] = {k == 0, k == 1, k == 2};
        hold(s, node, axis);
    }
}

/* Two nodes turn together. */
static void hold_together(spins *s, int a, int b)
{
    if (a < 0 || b < 0) {
        hold_all(s, a < 0 ? b : a);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        double *row = next_row(s);
        for (int f = 0; f < s->columns; ++f)
            row[f] = s->omega[3 * ((size_t)a * (size_t)s->columns + (size_t)f) + (size_t)k] -
                     s->omega[3 * ((size_t)b * (size_t)s->columns + (size_t)f) + (size_t)k];
    }
}

/* The body axis about which the mass is the same all around; 3: every axis, -1: none. */
static int axis_of_symmetry(const ac_node *node)
{
    const double *E = node->euler;
    double size = fabs(E[0]) + fabs(E[4]) + fabs(E[8]);
    if (node->kind != AC_NODE_BODY) return -1;
    if (fabs(E[1]) + fabs(E[2]) + fabs(E[5]) > SAME * size) return -1;
    bool xy = fabs(E[0] - E[4]) <= SAME * size, yz = fabs(E[4] - E[8]) <= SAME * size,
         zx = fabs(E[8] - E[0]) <= SAME * size;
    return xy && yz ? 3 : xy ? 2 : yz ? 0 : zx ? 1 : -1;
}

static void hold_bodies(spins *s)
{
    const ac_system *system = s->o->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int c = 0; c < node->dimension; ++c) {
            double *row = next_row(s);
            for (int f = 0; f < s->columns; ++f) row[f] = derivative(s, node->q + c, f);
        }
        if (node->kind == AC_NODE_POINT) continue;
        int axis = axis_of_symmetry(node);
        if (axis < 0) hold_all(s, i);
        for (int I = 0; I < 3 && axis >= 0 && axis < 3; ++I)
            if (I != axis) hold(s, i, s->q + node->q + 3 + 3 * I);
    }
}

static void hold_loops(spins *s)
{
    const ac_system *system = s->o->system;
    const ac_constraints *c = &system->constraints;
    double gradient[AC_ELEMENT_MAX];
    for (int r = c->closure; r < c->count; ++r) {
        double *row = next_row(s);
        ac_constraint_gradient(system, r, s->q, gradient);
        for (int e = c->start[r]; e < c->start[r + 1]; ++e)
            for (int f = 0; f < s->columns; ++f)
                row[f] += gradient[e - c->start[r]] * derivative(s, c->coordinate[e], f);
    }
}

static void hold_actor(void *user, const ac_actor *actor)
{
    spins *s = user;
    for (int k = 0; k < actor->count; ++k) {
        if (actor->outside)
            hold_all(s, actor->nodes[k]);
        else if (k > 0)
            hold_together(s, actor->nodes[0], actor->nodes[k]);
    }
}

/* What controls, elements and loads act on does not move. */
static void hold_what_is_acted_on(spins *s)
{
    const ac_optimization *o = s->o;
    const ac_system *system = o->system;
    for (int k = 0; k < o->description.control_count; ++k) {
        const ac_control *control = &o->description.controls[k].given;
        if (control->type == AC_LOAD_JOINT)
            hold_together(s, system->joints[control->joint].a.node, system->joints[control->joint].b.node);
        else
            hold_all(s, control->point.node);
    }
    ac_each_actor(system, hold_actor, s);
}

/* From a basis of the spins: freedoms whose momentum at the end follows from that of the others. */
static ac_status choose(spins *s)
{
    ac_optimization *o = s->o;
    int m = s->rows, n = s->columns, most = m > n ? m : n;
    double *block = ac_allocate(o->ctx, ac_row_space_doubles(most, n) + (size_t)n * (size_t)n, sizeof *block);
    int *ints = ac_allocate(o->ctx, ac_row_space_ints(most, n), sizeof *ints);
    ac_status status = block && ints ? AC_OK : ac_out_of_memory(o->ctx);
    if (status == AC_OK) {
        double *N = block + ac_row_space_doubles(most, n);
        ac_row_space space;
        ac_row_space_place(&space, m, n, block, ints);
        ac_row_space_factor(&space, s->J, RANK, m);
        int count = n - space.rank;
        if (count > 0) {
            ac_row_space_null(&space, N);
            ac_row_space_place(&space, n, count, block, ints);
            ac_row_space_factor(&space, N, RANK, count);
            for (int k = 0; k < space.rank; ++k) o->layout.end.spin[space.order[k]] = true;
        }
    }
    ac_release(o->ctx, block);
    ac_release(o->ctx, ints);
    return status;
}

ac_status ac_find_spins(ac_optimization *o)
{
    const ac_system *system = o->system;
    int n = o->layout.freedoms, actors = o->description.control_count +
                                         AC_ELEMENT_NODES * (ac_element_count(system) + system->load_count);
    spins s = {.o = o, .columns = n};
    ac_release(o->ctx, o->layout.end.spin);
    o->layout.end.spin = NULL;
    bool asked = o->layout.charted && !ac_is_minimal(o) && o->settings.end_rest &&
                 o->settings.start_velocity && !o->settings.periodic && system->beam_count == 0 &&
                 o->layout.parameters == 0;
    for (int i = 0; i < system->n; ++i) asked = asked && system->initial.v[i] == 0.0;
    s.capacity = system->constraints.count - system->constraints.closure + 6 * system->node_count +
                 3 * actors;
    if (!asked || n == 0 || (double)s.capacity * n > ENTRIES_MOST) return AC_OK;
    AC_NEW(o->ctx, o->layout.end.spin, n);
    s.J = ac_allocate(o->ctx, ((size_t)s.capacity + 3 * (size_t)system->node_count) * (size_t)n, sizeof *s.J);
    if (!s.J) return ac_out_of_memory(o->ctx);
    s.omega = s.J + (size_t)s.capacity * (size_t)n;
    s.q = ac_q(o, 0);
    s.D = ac_point_of(o, 0).D;
    angular_velocities(&s);
    hold_loops(&s);
    hold_bodies(&s);
    hold_what_is_acted_on(&s);
    ac_status status = choose(&s);
    ac_release(o->ctx, s.J);
    return status;
}
