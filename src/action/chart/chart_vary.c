/* The chart of the tree by free parameters. Places of joints and lengths of distance joints shift
 * everything further out by vectors that the freedoms before them turn:
 *
 *   d_p x = e,      d_b d_p x = w_b x e,      d_a d_b d_p x = w_a x (w_b x e)
 *
 * with e the change of the place, fixed in the body that carries it. Directors do not depend on
 * parameters. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "action/chart/chart.h"

enum { PIECES = 3, MOST = AC_PARAMETERS_MAX };

/* One vector that parameters change, seen in the world, and the freedoms that turn it. */
typedef struct piece {
    double first[MOST][3], second[MOST][MOST][3];
    const int *path; /* freedoms of the carrier */
    int count;
    int swing, swings; /* freedoms of the joint itself that turn it */
} piece;

static void set_piece(const ac_chart *c, const ac_jet place[3], const double axes[9], double sign, piece *p)
{
    for (int j = 0; j < c->vary->count; ++j) {
        double r[3];
        for (int i = 0; i < 3; ++i) r[i] = sign * place[i].d[j];
        apply3(axes, r, p->first[j]);
        for (int k = 0; k < c->vary->count; ++k) {
            for (int i = 0; i < 3; ++i) r[i] = sign * place[i].dd[j][k];
            apply3(axes, r, p->second[j][k]);
        }
    }
}

static void set_path(const ac_chart *c, int node, piece *p)
{
    p->path = NULL;
    p->count = p->swing = p->swings = 0;
    if (node != AC_GROUND) p->path = ac_chart_path(c, node, &p->count);
}

/* Place and axes of a node, the ground's at the origin. */
static void pose_of(const ac_chart *c, int node, const double *q, double position[3], double rotation[9])
{
    identity3(rotation);
    position[0] = position[1] = position[2] = 0.0;
    if (node != AC_GROUND)
        ac_node_get_pose(&c->system->nodes[node], q + c->system->nodes[node].q, position, rotation);
}

/* The length of a distance joint: along the gap, which its swings turn. */
static void set_length(const ac_chart *c, int i, const ac_jet *length, const double gap[3], piece *p)
{
    double size = norm3(gap), unit[3];
    for (int e = 0; e < 3; ++e) unit[e] = gap[e] / size;
    for (int j = 0; j < c->vary->count; ++j)
        for (int e = 0; e < 3; ++e) {
            p->first[j][e] = length->d[j] * unit[e];
            for (int k = 0; k < c->vary->count; ++k) p->second[j][k][e] = length->dd[j][k] * unit[e];
        }
    p->swing = c->system->nodes[i].u;
    p->swings = c->system->nodes[i].dimension - 1;
}

/* A node of a beam whose length varies: the way to it from its neighbour. */
static int beam_piece(const ac_chart *c, int i, const double *q, piece *out)
{
    int beam = c->system->nodes[i].beam;
    double x[3], R[9];
    ac_jet ratio = ac_beam_length_ratio(c->vary, beam), way[3];
    memset(way, 0, sizeof way);
    for (int e = 0; e < 3; ++e) ac_jet_add(&way[e], &ratio, ac_variation_starts(c->vary)[i].shift[e]);
    pose_of(c, c->parent[i], q, x, R);
    set_piece(c, way, R, 1.0, out);
    set_path(c, c->parent[i], out);
    return 1;
}

/* The vectors that shift node i and what it carries against its parent. */
static int pieces_of(const ac_chart *c, int i, const double *q, piece *out)
{
    const ac_variation *v = c->vary;
    int joint = c->system->nodes[i].joint, count = 0;
    ac_jet shift[3];
    if (!ac_chart_chained(c, i) && ac_node_shift(v, i, shift)) {
        double identity[9];
        identity3(identity);
        set_piece(c, shift, identity, 1.0, out);
        set_path(c, AC_GROUND, out);
        return 1;
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
        set_piece(c, place, R, s == 0 ? 1.0 : -1.0, &out[count]);
        set_path(c, ends[side], &out[count++]);
    }
    int length = v->of_joint[7 * joint + 6];
    if (length < 0) return count;
    double gap[3];
    sub3(end[1], end[0], gap);
    set_path(c, ends[data->reversed ? 1 : 0], &out[count]);
    set_length(c, i, &v->dependents[length].jet, gap, &out[count]);
    return count + 1;
}

static bool carries(const ac_chart *c, int i, int node)
{
    while (node != AC_GROUND && node != i) node = c->parent[node];
    return node == i;
}

/* Adds vectors (one per parameter) to the places of node i and of all that it carries. */
static void spread(const ac_chart *c, int i, double vectors[MOST][3], double *rows)
{
    const ac_system *system = c->system;
    for (int k = 0; k < system->node_count; ++k) {
        if (!carries(c, i, k)) continue;
        for (int e = 0; e < system->nodes[k].dimension; ++e)
            for (int j = 0; j < c->vary->count; ++j)
                rows[(size_t)(system->nodes[k].q + e) * (size_t)c->span + (size_t)(c->freedoms + j)] +=
                    vectors[j][e];
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
        for (int k = 0; k < count; ++k) spread(c, i, pieces[k].first, D);
    }
}

/* w = sum of mu_f axis_f over the freedoms that turn a piece */
static void turn_along(const double *axis, const int *list, int count, const double *mu, double w[3])
{
    w[0] = w[1] = w[2] = 0.0;
    for (int k = 0; k < count; ++k)
        for (int e = 0; e < 3; ++e) w[e] += mu[list[k]] * axis[3 * list[k] + e];
}

void ac_chart_vary_second(const ac_chart *c, const ac_chart_point *p, const double *f, double *H)
{
    piece pieces[PIECES];
    int W = c->span, T = c->freedoms;
    for (int i = 0; i < c->system->node_count; ++i) {
        int count = pieces_of(c, i, p->q, pieces);
        double F[3], bracket[3];
        if (count > 0) carried_force(c, i, f, F);
        for (int k = 0; k < count; ++k) {
            int turns = turning(c, &pieces[k], c->turning);
            for (int j = 0; j < c->vary->count; ++j) {
                for (int l = 0; l < turns; ++l) {
                    int a = c->turning[l];
                    cross3(p->axis + 3 * a, pieces[k].first[j], bracket);
                    H[a * W + T + j] += dot3(bracket, F);
                    H[(T + j) * W + a] += dot3(bracket, F);
                }
                for (int l = 0; l < c->vary->count; ++l)
                    H[(T + j) * W + T + l] += dot3(pieces[k].second[j][l], F);
            }
        }
    }
}

void ac_chart_vary_along(const ac_chart *c, const ac_chart_point *p, const double *mu, double *V)
{
    piece pieces[PIECES];
    for (int i = 0; i < c->system->node_count; ++i) {
        int count = pieces_of(c, i, p->q, pieces);
        for (int k = 0; k < count; ++k) {
            double w[3], vectors[MOST][3];
            turn_along(p->axis, c->turning, turning(c, &pieces[k], c->turning), mu, w);
            for (int j = 0; j < c->vary->count; ++j) cross3(w, pieces[k].first[j], vectors[j]);
            spread(c, i, vectors, V);
        }
    }
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

void ac_chart_vary_third(const ac_chart *c, const ac_chart_point *p, const double *f, const double *mu,
                         double *H)
{
    piece pieces[PIECES];
    int W = c->span, T = c->freedoms;
    for (int i = 0; i < c->system->node_count; ++i) {
        int count = pieces_of(c, i, p->q, pieces);
        double F[3], w[3], vector[3];
        if (count > 0) carried_force(c, i, f, F);
        for (int k = 0; k < count; ++k) {
            int turns = turning(c, &pieces[k], c->turning);
            turn_along(p->axis, c->turning, turns, mu, w);
            for (int j = 0; j < c->vary->count; ++j) {
                for (int l = 0; l < turns; ++l) {
                    bend(p->axis, c->turning, turns, l, mu, pieces[k].first[j], vector);
                    H[c->turning[l] * W + T + j] += dot3(vector, F);
                    H[(T + j) * W + c->turning[l]] += dot3(vector, F);
                }
                for (int l = 0; l < c->vary->count; ++l) {
                    cross3(w, pieces[k].second[j][l], vector);
                    H[(T + j) * W + T + l] += dot3(vector, F);
                }
            }
        }
    }
}
