/* Coordinates of joints whose frames turn with a parameter.
 *
 * An angle, swing or twist y depends on the frames R_a A and R_b B alone, and only on how they stand to each other. Frames that turn
 * by t_a and t_b in the axes of their nodes change y as its configuration would, if the directors of one node turned by
 *   w = R_b t_b - R_a t_a:    y_p = grad y . delta(q, w),
 * and its rate by the derivative of that along the velocity. A slide u . gap along the axis u = R_a a of the first side changes by
 * R_a (t_a x a) . gap.
 */
#include "adjoint/objective.h"

#include <string.h>

#include "action/describe/actor.h"
#include "base/vector.h"
#include "optimize/problem/quantity_slope.h"

static const ac_node *node_of(const ac_system *system, int node)
{
    return node == AC_GROUND ? NULL : &system->nodes[node];
}

/* An affine vector at q, or its linear part along q. */
static void value_of(const ac_affine3 *x, const double *q, bool linear, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = linear ? 0.0 : x->part[i].constant;
        for (int e = 0; e < x->part[i].count; ++e)
            out[i] += x->part[i].coefficient[e] * q[x->part[i].index[e]];
    }
}

static ac_affine3 turn_of(const ac_system *system, const ac_side *side, const double turn[3])
{
    const ac_node *node = node_of(system, side->node);
    return ac_node_direction(node, node ? node->q : 0, turn);
}

static double slide(const ac_system_slope *slope, const ac_scalar *scalar, const double *q, const double *v,
                    double *rate)
{
    const ac_system *system = slope->system;
    const ac_joint_data *joint = &system->joints[scalar->joint];
    const ac_node *a = node_of(system, joint->a.node), *b = node_of(system, joint->b.node);
    int k = joint->row->motion[scalar->coordinate].axis;
    const double axis[3] = {joint->a.axes[k], joint->a.axes[3 + k], joint->a.axes[6 + k]};
    double by[3], u[3], du[3], x[3], dx[3];
    cross3(slope->joints[scalar->joint].turn[0], axis, by);
    ac_affine3 direction = ac_node_direction(a, a ? a->q : 0, by),
               x_a = ac_node_point(a, a ? a->q : 0, joint->a.place),
               x_b = ac_node_point(b, b ? b->q : 0, joint->b.place), gap = ac_affine_difference(&x_b, &x_a);
    value_of(&direction, q, false, u);
    value_of(&gap, q, false, x);
    if (!v) return dot3(u, x);
    value_of(&direction, v, true, du);
    value_of(&gap, v, true, dx);
    *rate = dot3(du, x) + dot3(u, dx);
    return dot3(u, x);
}

/* delta(q, w) on the coordinates of a node, and its derivative along v and w'; A(q) is at most quadratic, so that half the
 * difference of its values at q + v and q - v is the derivative. */
static void turn_node(const ac_node *node, const double *q, const double *v, const double w[3],
                      const double by_w[3], double *delta, double *rate)
{
    const double twist[6] = {0.0, 0.0, 0.0, w[0], w[1], w[2]},
                 by_twist[6] = {0.0, 0.0, 0.0, by_w[0], by_w[1], by_w[2]};
    double ends[2][AC_NODE_MAX], x[AC_NODE_MAX];
    ac_node_tangent(node, q + node->q, twist, delta);
    if (!v) return;
    ac_node_tangent(node, q + node->q, by_twist, rate);
    for (int e = 0; e < 2; ++e) {
        for (int c = 0; c < node->size; ++c)
            x[c] = q[node->q + c] + (e == 0 ? v[node->q + c] : -v[node->q + c]);
        ac_node_tangent(node, x, twist, ends[e]);
    }
    for (int c = 0; c < node->size; ++c) rate[c] += 0.5 * (ends[0][c] - ends[1][c]);
}

static double turn(const ac_scalars *set, const ac_system_slope *slope, int number, const double *q,
                   const double *v, double winding, double *rate)
{
    const ac_system *system = slope->system;
    const ac_scalar *scalar = &set->list[number];
    const ac_joint_data *joint = &system->joints[scalar->joint];
    const double(*t)[3] = (const double(*)[3])slope->joints[scalar->joint].turn;
    ac_affine3 f_a = turn_of(system, &joint->a, t[0]), f_b = turn_of(system, &joint->b, t[1]),
               relative = ac_affine_difference(&f_b, &f_a);
    const ac_node *node = node_of(system, joint->b.node == AC_GROUND ? joint->a.node : joint->b.node);
    double w[3], by_w[3] = {0.0, 0.0, 0.0}, delta[AC_NODE_MAX], by_delta[AC_NODE_MAX], sum = 0.0,
                 g[AC_SCALAR_MAX], H[AC_SCALAR_MAX * AC_SCALAR_MAX],
                 sign = joint->b.node == AC_GROUND ? -1.0 : 1.0;
    const int *at = ac_scalar_coordinates(set, number), n = scalar->count;
    value_of(&relative, q, false, w);
    if (v) value_of(&relative, v, true, by_w);
    for (int i = 0; i < 3; ++i) {
        w[i] *= sign;
        by_w[i] *= sign;
    }
    turn_node(node, q, v, w, by_w, delta, by_delta);
    ac_scalar_evaluate(set, number, q, winding, g, v ? H : NULL);
    if (v) *rate = 0.0;
    for (int i = 0; i < n; ++i) {
        int c = at[i] - node->q;
        if (c < 0 || c >= node->size) continue;
        sum += g[i] * delta[c];
        if (v) *rate += g[i] * by_delta[c];
        for (int j = 0; v && j < n; ++j) *rate += H[i * n + j] * delta[c] * v[at[j]];
    }
    return sum;
}

static double scalar_slope(const ac_marked_objective *m, int number, const double *q, const double *v,
                           double winding, double *rate)
{
    const ac_scalars *set = &m->o->description.scalars;
    const ac_scalar *scalar = &set->list[number];
    const ac_joint_row *row = m->slope->system->joints[scalar->joint].row;
    if (!ac_row_is_ball(row) && row->motion[scalar->coordinate].kind == AC_MOTION_SHIFT)
        return slide(m->slope, scalar, q, v, rate);
    return turn(set, m->slope, number, q, v, winding, rate);
}

bool ac_leaf_turns(const ac_marked_objective *m, const ac_leaf *leaf)
{
    if (!m->slope) return false;
    if (leaf->kind != AC_LEAF_VALUE && leaf->kind != AC_LEAF_RATE) return false;
    int joint = m->o->description.scalars.list[leaf->index].joint;
    return joint >= 0 && ac_frames_turn(m->slope, joint);
}

double ac_leaf_turned(const ac_marked_objective *m, const ac_term *term, const ac_leaf *leaf,
                      const ac_term_point *p)
{
    bool rates = leaf->kind == AC_LEAF_RATE, at_node = !term->interval;
    double rate = 0.0;
    if (!ac_leaf_turns(m, leaf)) return 0.0;
    double a = scalar_slope(m, leaf->index, p->a, rates && at_node ? p->velocity : NULL,
                            p->winding_a[leaf->index], &rate);
    double b = at_node ? 0.0 : scalar_slope(m, leaf->index, p->b, NULL, p->winding_b[leaf->index], &rate);
    return at_node ? (rates ? rate : a) : rates ? (b - a) / p->h : 0.5 * (a + b);
}

/* --- second derivatives --- */

typedef struct turning {
    const ac_system_slope *slope;
    bool any;
} turning;

/* Does it act along a coordinate of a joint whose axes turn? */
static void note_turning(void *user, const ac_actor *actor)
{
    turning *t = user;
    const ac_system *system = t->slope->system;
    for (int j = 0; j < system->joint_count && actor->kind && actor->measure >= 0; ++j) {
        int c = actor->measure - system->joints[j].first_measure;
        t->any = t->any || (system->joints[j].first_measure >= 0 && c >= 0 &&
                            c < ac_row_coordinates(system->joints[j].row) && ac_frames_turn(t->slope, j));
    }
}

static bool element_turns(const ac_marked_objective *m)
{
    turning t = {m->slope, false};
    ac_each_actor(m->slope->system, note_turning, &t);
    return t.any;
}

const char *ac_leaf_lacks_second(const ac_marked_objective *m, const ac_leaf *leaf)
{
    if (ac_quantity_slope_of(m->o, m->own, leaf))
        return "it stands in a direction, a shape or a signal of a quantity";
    if (!m->slope) return NULL;
    if (ac_leaf_turns(m, leaf)) return "it turns axes of a joint whose coordinate is in the functional";
    if (leaf->kind == AC_LEAF_MOTION && element_turns(m))
        return "it turns axes of a joint with a spring whose energy is in the functional";
    if (leaf->kind != AC_LEAF_SPEED) return NULL;
    const ac_control *c = &m->o->description.controls[leaf->index].given;
    if (c->type == AC_LOAD_JOINT && ac_frames_turn(m->slope, c->joint))
        return "it turns axes of a joint whose speed is in the functional";
    return c->type == AC_LOAD_FORCE && c->follows ? "the speed of a force in body axes is in the functional"
                                                  : NULL;
}
