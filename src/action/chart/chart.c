/* The chart of the tree as a product of elementary motions. */
#include "action/chart/chart.h"

#include <string.h>

#include "base/dual_quaternion.h"
#include "base/rotation.h"
#include "base/vector.h"

/* --- what the freedoms are --- */

static ac_status number_freedoms(ac_chart *c)
{
    const ac_system *system = c->system;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int k = 0; k < node->freedoms; ++k) {
            ac_motion_kind kind = ac_walk_at(node, k)->kind;
            c->motion[node->u + k] = kind == AC_MOTION_BALL ? AC_MOTION_TURN : kind;
            c->holder[node->u + k] = i;
        }
    }
    return AC_OK;
}

static int path_length(const ac_chart *c, int node)
{
    int length = 0;
    for (int i = node; i != AC_GROUND; i = c->parent[i]) length += c->system->nodes[i].freedoms;
    return length;
}

static ac_status build_paths(ac_chart *c)
{
    const ac_system *system = c->system;
    AC_NEW(c->ctx, c->path_start, system->node_count + 1);
    for (int i = 0; i < system->node_count; ++i) c->path_start[i + 1] = c->path_start[i] + path_length(c, i);
    AC_NEW(c->ctx, c->path, c->path_start[system->node_count]);
    for (int i = 0; i < system->node_count; ++i) {
        int end = c->path_start[i + 1];
        for (int k = i; k != AC_GROUND; k = c->parent[k])
            for (int f = system->nodes[k].freedoms - 1; f >= 0; --f) c->path[--end] = system->nodes[k].u + f;
    }
    return AC_OK;
}

/* A point has the axes of the world: what hangs on it is shifted with it, and not turned by the freedoms before it. */
static ac_status find_points(ac_chart *c)
{
    const ac_system *system = c->system;
    AC_NEW(c->ctx, c->behind, system->node_count + 1);
    for (int i = 0; i < system->node_count; ++i) {
        int k = c->parent[i];
        while (k != AC_GROUND && ac_node_turns(&system->nodes[k]) > 0) k = c->parent[k];
        c->behind[i] = k == AC_GROUND ? -1 : k;
    }
    return AC_OK;
}

ac_status ac_chart_create(ac_context *ctx, const ac_system *system, ac_chart *c)
{
    memset(c, 0, sizeof *c);
    c->ctx = ctx;
    c->system = system;
    c->n = system->n;
    c->freedoms = c->span = system->tree.freedoms;
    AC_NEW(ctx, c->motion, c->freedoms);
    AC_NEW(ctx, c->holder, c->freedoms);
    AC_NEW(ctx, c->axis, 3 * c->freedoms);
    AC_NEW(ctx, c->origin, 3 * c->freedoms);
    AC_NEW(ctx, c->moments, 9 * c->freedoms);
    AC_NEW(ctx, c->turning, c->freedoms + 1);
    AC_TRY(ac_chart_begin_dual(c));
    AC_TRY(number_freedoms(c));
    AC_TRY(ac_chart_link(c));
    AC_TRY(find_points(c));
    return build_paths(c);
}

void ac_chart_destroy(ac_chart *c)
{
    if (!c->ctx) return;
    ac_release(c->ctx, c->motion);
    ac_release(c->ctx, c->holder);
    ac_release(c->ctx, c->axis);
    ac_release(c->ctx, c->origin);
    ac_release(c->ctx, c->moments);
    ac_release(c->ctx, c->turning);
    ac_chart_end_dual(c);
    ac_release(c->ctx, c->parent);
    ac_release(c->ctx, c->order);
    ac_release(c->ctx, c->behind);
    ac_release(c->ctx, c->start);
    ac_release(c->ctx, c->path_start);
    ac_release(c->ctx, c->path);
    memset(c, 0, sizeof *c);
}

ac_status ac_chart_follow(ac_chart *c, int span, const ac_variation *vary)
{
    c->span = span;
    c->vary = vary;
    ac_chart_restart(c);
    return ac_chart_follow_dual(c);
}

/* --- moving --- */

void ac_chart_move(const ac_chart *c, const double *xi, ac_joint_state *state)
{
    for (int i = 0; i < c->system->node_count; ++i) {
        const ac_node *node = &c->system->nodes[i];
        double axis[18];
        if (node->freedoms > 0) ac_joint_move_in_turns(node, xi + node->u, &state[i], axis);
    }
}

/* --- evaluating --- */

/* World place and axes of the parent's joint frame. */
static void carrier_frame(const ac_chart *c, const ac_node *node, const double *q, double x[3],
                          double axes[9])
{
    const ac_system *system = c->system;
    int number = (int)(node - system->nodes);
    identity3(axes);
    x[0] = x[1] = x[2] = 0.0;
    if (ac_chart_chained(c, number)) {
        const ac_node *neighbour = &system->nodes[c->parent[number]];
        ac_node_get_pose(neighbour, q + neighbour->q, x, axes);
        return;
    }
    if (node->joint >= 0) ac_side_frame(system, ac_parent_side(&system->joints[node->joint]), q, x, axes);
}

/* Axes and origins of a node's freedoms in the world; for swings the origin holds the gap. */
static void place_freedoms(const ac_chart *c, const ac_node *node, const ac_joint_state *state,
                           const double *local, const double *q)
{
    double x[3], axes[9], shift[3], gap[3], point[3];
    carrier_frame(c, node, q, x, axes);
    ac_chart_lengthening(c, (int)(node - c->system->nodes), shift);
    add3(state->shift, shift, shift);
    apply3(axes, shift, gap);
    add3(x, gap, point);
    for (int k = 0; k < node->freedoms; ++k) {
        int f = node->u + k;
        apply3(axes, local + 3 * k, c->axis + 3 * f);
        copy3(c->motion[f] == AC_MOTION_SWING ? gap : node->walk.backward ? x : point, c->origin + 3 * f);
    }
}

/* Number of 3- (or 2-) blocks in the coordinates of a node and their width. */
static int blocks_of(const ac_node *node, int *width)
{
    *width = node->dimension;
    return 1 + ac_node_type_of(node)->directors;
}

/* The node with which freedom f moves a node: itself, or the first point on the way from the freedom. */
static const ac_node *moved_by(const ac_chart *c, const ac_node *node, int f)
{
    int number = (int)(node - c->system->nodes);
    while (c->behind[number] != c->behind[c->holder[f]]) number = c->behind[number];
    return &c->system->nodes[number];
}

/* Derivative of block s of a node by freedom f. */
static void first_derivative(const ac_chart *c, const ac_node *node, const double *q, int f, int s, int width,
                             double out[3])
{
    const ac_node *moved = moved_by(c, node, f);
    const double *w = c->axis + 3 * f, *x = q + moved->q + width * s;
    double arm[3] = {0.0, 0.0, 0.0};
    if (s > 0 && (c->motion[f] != AC_MOTION_TURN || moved != node)) {
        out[0] = out[1] = out[2] = 0.0;
    } else if (c->motion[f] == AC_MOTION_TURN) {
        for (int i = 0; i < width; ++i) arm[i] = x[i] - (s == 0 ? c->origin[3 * f + i] : 0.0);
        cross3(w, arm, out);
    } else if (c->motion[f] == AC_MOTION_SHIFT) {
        copy3(w, out);
    } else {
        cross3(w, c->origin + 3 * f, out);
    }
}

/* The eight numbers of a dual quaternion by the freedoms of its path. */
static void dual_derivatives(const ac_chart *c, const ac_node *node, const double *q, const int *path,
                             int count, double *D)
{
    const double *x = q + node->q;
    for (int k = 0; node->kind == AC_NODE_DUAL && k < count; ++k) {
        double twist[6] = {0.0}, d[8];
        first_derivative(c, node, q, path[k], 0, 3, twist);
        if (c->motion[path[k]] == AC_MOTION_TURN) copy3(c->axis + 3 * path[k], twist + 3);
        ac_dual_move(x + AC_DUAL_AT, x, twist, d);
        for (int e = 0; e < 8; ++e) D[(node->q + AC_DUAL_AT + e) * c->span + path[k]] = d[e];
    }
}

/* A distance joint has the length of its system. */
static void stretch(const ac_system *system, const ac_node *node, ac_joint_state *state)
{
    if (node->joint < 0 || !ac_row_has(system->joints[node->joint].row, AC_MOTION_SWING)) return;
    double scale = system->joints[node->joint].length / norm3(state->shift);
    for (int i = 0; i < 3; ++i) state->shift[i] *= scale;
}

void ac_chart_evaluate(const ac_chart *c, const ac_joint_state *reference, const double *xi,
                       ac_joint_state *state, ac_chart_point *p)
{
    const ac_system *system = c->system;
    int T = c->freedoms, W = c->span;
    for (int k = 0; k < system->node_count; ++k) {
        int i = c->order[k];
        const ac_node *node = &system->nodes[i];
        double local[18];
        state[i] = reference[i];
        if (c->vary) stretch(system, node, &state[i]);
        if (node->freedoms > 0) ac_joint_move_in_turns(node, xi + node->u, &state[i], local);
        ac_chart_node_forward(c, i, &state[i], p->q);
        if (node->freedoms > 0) place_freedoms(c, node, &state[i], local, p->q);
    }
    memset(p->D, 0, (size_t)c->n * (size_t)W * sizeof *p->D);
    if (c->vary) ac_chart_vary_first(c, p->q, p->D);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int width, blocks = blocks_of(node, &width), count;
        const int *path = ac_chart_path(c, i, &count);
        for (int s = 0; s < blocks; ++s) {
            for (int k = 0; k < count; ++k) {
                double d[3];
                first_derivative(c, node, p->q, path[k], s, width, d);
                for (int e = 0; e < width; ++e) p->D[(node->q + width * s + e) * W + path[k]] = d[e];
            }
        }
        dual_derivatives(c, node, p->q, path, count, p->D);
    }
    for (int f = 0; f < T; ++f)
        for (int i = 0; i < 3; ++i)
            p->axis[3 * f + i] = c->motion[f] == AC_MOTION_SHIFT ? 0.0 : c->axis[3 * f + i];
}

/* --- higher derivatives --- */

bool ac_chart_turns(const ac_chart *chart, int b, int c)
{
    if (chart->motion[b] == AC_MOTION_TURN)
        return chart->behind[chart->holder[b]] == chart->behind[chart->holder[c]];
    return chart->motion[b] == AC_MOTION_SWING && chart->motion[c] == AC_MOTION_SWING &&
           chart->holder[b] == chart->holder[c];
}

void ac_chart_moments(const ac_chart *c, const ac_chart_point *p, const double *f, double *moments)
{
    const ac_system *system = c->system;
    int T = c->freedoms, W = c->span;
    memset(moments, 0, 9 * (size_t)T * sizeof *moments);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int width, blocks = blocks_of(node, &width), count;
        const int *path = ac_chart_path(c, i, &count);
        for (int s = 0; s < blocks; ++s) {
            const double *force = f + node->q + width * s, *D = p->D + (node->q + width * s) * W;
            for (int k = 0; k < count; ++k) {
                double *m = moments + 9 * path[k];
                for (int a = 0; a < width; ++a) {
                    double d = D[a * W + path[k]];
                    for (int b = 0; b < width; ++b) m[3 * a + b] += d * force[b];
                }
            }
        }
    }
}

void ac_chart_second(const ac_chart *c, const ac_chart_point *p, const double *f, double *H)
{
    int T = c->freedoms, W = c->span;
    if (c->vary) ac_chart_vary_second(c, p, f, H);
    if (c->screws) ac_chart_dual_second(c, p, f, H);
    ac_chart_moments(c, p, f, c->moments);
    for (int last = 0; last < T; ++last) {
        const double *m = c->moments + 9 * last;
        const double t[3] = {m[5] - m[7], m[6] - m[2], m[1] - m[3]}; /* sum D x f */
        int count;
        const int *path = ac_chart_path(c, c->holder[last], &count);
        for (int k = 0; k < count; ++k) {
            int a = path[k];
            if (ac_chart_turns(c, a, last)) {
                double value = dot3(p->axis + 3 * a, t);
                H[a * W + last] += value;
                if (a != last) H[last * W + a] += value;
            }
            if (a == last) break;
        }
    }
}

void ac_chart_along(const ac_chart *c, const ac_chart_point *p, const double *mu, double *V)
{
    const ac_system *system = c->system;
    int W = c->span;
    memset(V, 0, (size_t)c->n * (size_t)W * sizeof *V);
    if (c->vary) ac_chart_vary_along(c, p, mu, V);
    if (c->screws) ac_chart_dual_along(c, p, mu, V);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int width, blocks = blocks_of(node, &width), count;
        const int *path = ac_chart_path(c, i, &count);
        for (int s = 0; s < blocks; ++s) {
            const double *D = p->D + (node->q + width * s) * W;
            double *out = V + (node->q + width * s) * W;
            for (int k = 0; k < count; ++k) {
                int last = path[k];
                double d[3] = {0.0, 0.0, 0.0}, bracket[3];
                for (int e = 0; e < width; ++e) d[e] = D[e * W + last];
                for (int l = 0; l <= k; ++l) {
                    int a = path[l];
                    if (!ac_chart_turns(c, a, last)) continue;
                    cross3(p->axis + 3 * a, d, bracket);
                    for (int e = 0; e < width; ++e) {
                        out[e * W + a] += mu[last] * bracket[e];
                        if (a != last) out[e * W + last] += mu[a] * bracket[e];
                    }
                }
            }
        }
    }
}

static void add_pair(double *H, int T, int k, int l, double value)
{
    H[k * T + l] += value;
    if (k != l) H[l * T + k] += value;
}

void ac_chart_third(const ac_chart *c, const ac_chart_point *p, const double *f, const double *mu, double *H)
{
    int T = c->freedoms, W = c->span;
    if (c->vary) ac_chart_vary_third(c, p, f, mu, H);
    if (c->screws) ac_chart_dual_third(c, p, f, mu, H);
    ac_chart_moments(c, p, f, c->moments);
    for (int last = 0; last < T; ++last) {
        const double *m = c->moments + 9 * last;
        double trace = m[0] + m[4] + m[8];
        int count;
        const int *path = ac_chart_path(c, c->holder[last], &count);
        for (int kb = 0; kb < count; ++kb) {
            int b = path[kb];
            if (ac_chart_turns(c, b, last)) {
                const double *wb = p->axis + 3 * b;
                double mw[3];
                apply3(m, wb, mw);
                for (int ka = 0; ka <= kb; ++ka) {
                    int a = path[ka];
                    if (!ac_chart_turns(c, a, last)) continue;
                    const double *wa = p->axis + 3 * a;
                    double value = dot3(wa, mw) - trace * dot3(wa, wb);
                    add_pair(H, W, b, last, mu[a] * value);
                    if (b != a) add_pair(H, W, a, last, mu[b] * value);
                    if (last != b) add_pair(H, W, a, b, mu[last] * value);
                }
            }
            if (b == last) break;
        }
    }
}
