/* The chart of the tree by free parameters. Places of joints and lengths of distance joints shift
 * everything further out by vectors that the freedoms before them turn:
 *
 *   d_p x = e,      d_b d_p x = w_b x e,      d_a d_b d_p x = w_a x (w_b x e)
 *
 * with e the change of the place, fixed in the body that carries it. Directors do not depend on
 * parameters; dual quaternions follow from places (chart_dual_vary.c). */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "action/chart/chart.h"

enum { PIECES = 7 };

/* A vector along which parameters move something, in the world: `along` times a jet, and the freedoms that turn it. */
typedef struct piece {
    double along[3];
    const ac_jet *jet;
    const int *path; /* freedoms of the carrier */
    int count;
    int swing, swings; /* freedoms of the joint itself that turn it */
} piece;

static piece *start_piece(const ac_chart *c, int node, const ac_jet *jet, piece *out)
{
    *out = (piece){.jet = jet};
    if (node == AC_GROUND || ac_node_turns(&c->system->nodes[node]) == 0) return out;
    out->path = ac_chart_path(c, node, &out->count);
    while (out->count > 0 && c->behind[c->holder[out->path[0]]] != c->behind[node]) {
        ++out->path; /* a point between them does not turn */
        --out->count;
    }
    return out;
}

/* The components of a vector in the axes of a node; returns how many of them vary. */
static int vector_pieces(const ac_chart *c, int node, const ac_jet vector[3], const double axes[9],
                         double sign, piece *out)
{
    int count = 0;
    for (int e = 0; e < 3; ++e) {
        if (vector[e].count == 0) continue;
        piece *p = start_piece(c, node, &vector[e], &out[count++]);
        for (int i = 0; i < 3; ++i) p->along[i] = sign * axes[3 * i + e];
    }
    return count;
}

/* Place and axes of a node, the ground's at the origin. */
static void pose_of(const ac_chart *c, int node, const double *q, double position[3], double rotation[9])
{
    identity3(rotation);
    position[0] = position[1] = position[2] = 0.0;
    if (node != AC_GROUND)
        ac_node_get_pose(&c->system->nodes[node], q + c->system->nodes[node].q, position, rotation);
}

/* A node of a beam whose length varies: the way to it from its neighbour. */
static int beam_piece(const ac_chart *c, int i, const double *q, piece *out)
{
    int beam = c->system->nodes[i].beam;
    double x[3], R[9];
    const double *way = ac_variation_starts(c->vary)[i].shift;
    pose_of(c, c->parent[i], q, x, R);
    start_piece(c, c->parent[i], &c->vary->length_ratio[beam], out);
    apply3(R, way, out->along);
    return 1;
}

/* The vectors that shift node i and what it carries against its parent. */
static int pieces_of(const ac_chart *c, int i, const double *q, piece *out)
{
    const ac_variation *v = c->vary;
    int joint = c->system->nodes[i].joint, count = 0;
    if (!ac_chart_chained(c, i) && v->node_shifts[i]) {
        double identity[9];
        identity3(identity);
        return vector_pieces(c, AC_GROUND, v->node_shift + 3 * i, identity, 1.0, out);
    }
    if (ac_chart_chained(c, i))
        return ac_beam_length_varies(v, c->system->nodes[i].beam) ? beam_piece(c, i, q, out) : 0;
    if (joint < 0 || !v->joint_moves[joint]) return 0;
    const ac_joint_data *data = &c->system->joints[joint];
    const int ends[2] = {data->a.node, data->b.node};
    double x[3], R[9], arm[3], end[2][3];
    for (int s = 0; s < 2; ++s) { /* the parent's side first */
        int side = data->reversed ? 1 - s : s;
        const ac_jet *place = v->joint_place + 6 * joint + 3 * side;
        pose_of(c, ends[side], q, x, R);
        for (int e = 0; e < 3; ++e) arm[e] = place[e].v;
        apply3(R, arm, end[s]);
        add3(x, end[s], end[s]);
        count += vector_pieces(c, ends[side], place, R, s == 0 ? 1.0 : -1.0, &out[count]);
    }
    int length = v->of.joint[7 * joint + 6];
    if (length < 0) return count;
    double gap[3]; /* the length of a distance joint acts along the gap, which its swings turn */
    sub3(end[1], end[0], gap);
    piece *p = start_piece(c, ends[data->reversed ? 1 : 0], &v->dependents[length].jet, &out[count]);
    for (int e = 0; e < 3; ++e) p->along[e] = gap[e] / norm3(gap);
    p->swing = c->system->nodes[i].u;
    p->swings = c->system->nodes[i].dimension - 1;
    return count + 1;
}

static bool carries(const ac_chart *c, int i, int node)
{
    while (node != AC_GROUND && node != i) node = c->parent[node];
    return node == i;
}

/* Adds a vector, times the derivatives of a jet, to the places of node i and of all that it carries. */
static void spread(const ac_chart *c, int i, const ac_jet *jet, const double vector[3], double *rows)
{
    const ac_system *system = c->system;
    for (int k = 0; k < system->node_count; ++k) {
        if (!carries(c, i, k)) continue;
        for (int e = 0; e < system->nodes[k].dimension; ++e) {
            double *row = rows + (size_t)(system->nodes[k].q + e) * (size_t)c->span + (size_t)c->freedoms;
            for (int a = 0; a < jet->count; ++a) row[jet->by[a]] += vector[e] * jet->d[a];
        }
    }
}

/* Sum of the forces on the places of node i and of all that it carries. */
static void carried_force(const ac_chart *c, int i, const double *f, double sum[3])
{
    const ac_system *system = c->system;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int k = 0; k < system->node_count; ++k)
        for (int e = 0; e < system->nodes[k].dimension && carries(c, i, k); ++e)
            sum[e] += f[system->nodes[k].q + e];
}

/* The freedoms that turn a piece, root first. */
static int turning(const ac_chart *c, const piece *p, int *list)
{
    int count = 0;
    for (int k = 0; k < p->count; ++k)
        if (c->motion[p->path[k]] == AC_MOTION_TURN) list[count++] = p->path[k];
    for (int k = 0; k < p->swings; ++k) list[count++] = p->swing + k;
    return count;
}

void ac_chart_vary_first(const ac_chart *c, const double *q, double *D)
{
    piece pieces[PIECES];
    for (int i = 0; i < c->system->node_count; ++i) {
        int count = pieces_of(c, i, q, pieces);
        for (int k = 0; k < count; ++k) spread(c, i, pieces[k].jet, pieces[k].along, D);
    }
    if (c->columns) ac_chart_dual_columns(c, D, q, D);
}

/* w = sum of mu_f axis_f over the freedoms that turn a piece */
static void turn_along(const double *axis, const int *list, int count, const double *mu, double w[3])
{
    w[0] = w[1] = w[2] = 0.0;
    for (int k = 0; k < count; ++k)
        for (int e = 0; e < 3; ++e) w[e] += mu[list[k]] * axis[3 * list[k] + e];
}

/* H += value times the first derivatives of a jet, by freedom f and the parameters */
static void put_first(const ac_chart *c, const ac_jet *jet, int f, double value, double *H)
{
    int W = c->span, T = c->freedoms;
    for (int a = 0; a < jet->count; ++a) {
        H[f * W + T + jet->by[a]] += value * jet->d[a];
        H[(T + jet->by[a]) * W + f] += value * jet->d[a];
    }
}

/* H += value times its second ones */
static void put_second(const ac_chart *c, const ac_jet *jet, double value, double *H)
{
    int W = c->span, T = c->freedoms, n = jet->count;
    for (int a = 0; jet->dd && a < n; ++a)
        for (int b = 0; b < n; ++b) H[(T + jet->by[a]) * W + T + jet->by[b]] += value * jet->dd[a * n + b];
}

/* Of the places. */
static void add_second(const ac_chart *c, const ac_chart_point *p, const double *f, double *H)
{
    piece pieces[PIECES];
    for (int i = 0; i < c->system->node_count; ++i) {
        int count = pieces_of(c, i, p->q, pieces);
        double F[3], bracket[3];
        if (count > 0) carried_force(c, i, f, F);
        for (int k = 0; k < count; ++k) {
            int turns = turning(c, &pieces[k], c->turning);
            for (int l = 0; l < turns; ++l) {
                cross3(p->axis + 3 * c->turning[l], pieces[k].along, bracket);
                put_first(c, pieces[k].jet, c->turning[l], dot3(bracket, F), H);
            }
            put_second(c, pieces[k].jet, dot3(pieces[k].along, F), H);
        }
    }
}

void ac_chart_vary_second(const ac_chart *c, const ac_chart_point *p, const double *f, double *H)
{
    add_second(c, p, f, H);
    if (!c->columns) return;
    ac_chart_dual_forces(c, p->q, f, c->forces);
    add_second(c, p, c->forces, H);
    if (p->D) ac_chart_dual_turns(c, p->D, p->D, f, H); /* else by parameters alone */
}

static void add_along(const ac_chart *c, const ac_chart_point *p, const double *mu, double *V)
{
    piece pieces[PIECES];
    for (int i = 0; i < c->system->node_count; ++i) {
        int count = pieces_of(c, i, p->q, pieces);
        for (int k = 0; k < count; ++k) {
            double w[3], vector[3];
            turn_along(p->axis, c->turning, turning(c, &pieces[k], c->turning), mu, w);
            cross3(w, pieces[k].along, vector);
            spread(c, i, pieces[k].jet, vector, V);
        }
    }
}

void ac_chart_vary_along(const ac_chart *c, const ac_chart_point *p, const double *mu, double *V)
{
    add_along(c, p, mu, V);
    if (!c->columns) return;
    ac_chart_dual_columns(c, V, p->q, V);
    ac_chart_dual_real(c, p, mu, c->forces);
    ac_chart_dual_columns(c, p->D, c->forces, V);
}

/* sum over a of mu_a d_a d_b e, brackets in the order of the tree */
static void bend(const double *axis, const int *list, int count, int at, const double *mu, const double e[3],
                 double sum[3])
{
    const double *wb = axis + 3 * list[at];
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int k = 0; k < count; ++k) {
        const double *wa = axis + 3 * list[k], *first = k <= at ? wa : wb, *second = k <= at ? wb : wa;
        double inner[3], outer[3];
        cross3(second, e, inner);
        cross3(first, inner, outer);
        for (int i = 0; i < 3; ++i) sum[i] += mu[list[k]] * outer[i];
    }
}

static void add_third(const ac_chart *c, const ac_chart_point *p, const double *f, const double *mu,
                      double *H)
{
    piece pieces[PIECES];
    for (int i = 0; i < c->system->node_count; ++i) {
        int count = pieces_of(c, i, p->q, pieces);
        double F[3], w[3], vector[3];
        if (count > 0) carried_force(c, i, f, F);
        for (int k = 0; k < count; ++k) {
            int turns = turning(c, &pieces[k], c->turning);
            turn_along(p->axis, c->turning, turns, mu, w);
            for (int l = 0; l < turns; ++l) {
                bend(p->axis, c->turning, turns, l, mu, pieces[k].along, vector);
                put_first(c, pieces[k].jet, c->turning[l], dot3(vector, F), H);
            }
            cross3(w, pieces[k].along, vector);
            put_second(c, pieces[k].jet, dot3(vector, F), H);
        }
    }
}

/* With x times r of a dual quaternion, along mu: x_bp r, x_bp r_mu, x_pmu r_b and x_p r_bmu. */
void ac_chart_vary_third(const ac_chart *c, const ac_chart_point *p, const double *f, const double *mu,
                         double *H)
{
    add_third(c, p, f, mu, H);
    if (!c->columns) return;
    ac_chart_dual_forces(c, p->q, f, c->forces);
    add_third(c, p, c->forces, mu, H);
    memset(c->columns, 0, (size_t)c->n * (size_t)c->span * sizeof *c->columns);
    ac_chart_dual_real(c, p, mu, c->columns);
    ac_chart_dual_forces(c, c->columns, f, c->forces);
    add_second(c, p, c->forces, H);
    memset(c->columns, 0, (size_t)c->n * sizeof *c->columns);
    add_along(c, p, mu, c->columns);
    ac_chart_dual_along(c, p, mu, c->columns);
    ac_chart_dual_turns(c, c->columns, p->D, f, H);
    ac_chart_dual_turns(c, p->D, c->columns, f, H);
}
