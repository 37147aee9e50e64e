/* Loads over time.
 *
 *   force at place rho    f_phi = F, f_I = rho_I F              (F in world axes, or F = sum F_J d_J if it follows the body)
 *   torque                torque.h
 *   torque on a vertex    of the edge model, between two edges: half of it on the frame of each, so that it acts where
 *                         the vertex is and not in the middle of an edge
 *   joint coordinate y    f = tau grad y
 */
#include "action/load.h"

#include <string.h>

#include "action/torque.h"
#include "base/vector.h"

void ac_load_values(const ac_load_data *load, double t, double h, double tau[3])
{
    for (int i = 0; i < 3; ++i) tau[i] = load->value[i] ? ac_signal_mean(load->value[i], t, h) : 0.0;
}

/* Components that follow the body, in world axes: sum tau_J d_J. */
static void to_world(const ac_node *node, const double *q, const double tau[3], double out[3])
{
    double position[3], rotation[9];
    ac_node_get_pose(node, q, position, rotation);
    apply3(rotation, tau, out);
}

void ac_load_on_node(const ac_load_data *load, const ac_node *node, const double *q, const double tau[3],
                     double *f)
{
    double F[3];
    memset(f, 0, AC_NODE_MAX * sizeof *f);
    if (load->type == AC_LOAD_TORQUE) {
        copy3(tau, F);
        if (load->follows && ac_node_turns(node) == 3) to_world(node, q, tau, F);
        ac_torque_add(node, q, F, 1.0, f);
        return;
    }
    copy3(tau, F);
    if (load->follows && ac_node_turns(node) > 0) to_world(node, q, tau, F);
    for (int i = 0; i < node->dimension; ++i) f[i] = F[i];
    if (ac_node_turns(node) == 3)
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) f[3 + 3 * I + i] = load->place[I] * F[i];
    if (ac_node_turns(node) == 1) { /* x = phi + rho_1 d + rho_2 perpendicular(d) */
        f[2] = load->place[0] * F[0] + load->place[1] * F[1];
        f[3] = load->place[0] * F[1] - load->place[1] * F[0];
    }
}

int ac_load_nodes(const ac_load_data *load, int nodes[2])
{
    nodes[0] = load->node;
    nodes[1] = load->before;
    return load->before == AC_GROUND ? 1 : 2;
}

void ac_load_add(const ac_system *system, int k, double t, double h, const double *q, const double *winding,
                 double factor, double *out)
{
    const ac_load_data *load = &system->loads[k];
    double tau[3], f[AC_ELEMENT_MAX], x[AC_ELEMENT_MAX];
    ac_load_values(load, t, h, tau);
    if (load->measure < 0) {
        int nodes[2], count = ac_load_nodes(load, nodes);
        for (int e = 0; e < count; ++e) {
            const ac_node *node = &system->nodes[nodes[e]];
            ac_load_on_node(load, node, q + node->q, tau, f);
            for (int i = 0; i < node->size; ++i) out[node->q + i] += factor / count * f[i];
        }
        return;
    }
    const ac_measure *m = &system->measures[load->measure];
    ac_measure_gather(system, m, q, x);
    ac_measure_evaluate(system, m, x, winding[load->measure], f, NULL);
    int place = 0;
    for (int e = 0; e < m->node_count; ++e) {
        const ac_node *node = &system->nodes[m->nodes[e]];
        for (int i = 0; i < node->size; ++i) out[node->q + i] += factor * tau[0] * f[place + i];
        place += node->size;
    }
}

void ac_loads_add(const ac_system *system, double t, double h, const double *q, const double *winding,
                  double factor, double *out)
{
    for (int k = 0; k < system->load_count; ++k) ac_load_add(system, k, t, h, q, winding, factor, out);
}

/* With T constant, or T = sum tau_J d_J. */
static void torque_slope(const ac_load_data *load, const ac_node *node, const double *q, const double tau[3],
                         double *slope)
{
    double T[3], by_T[AC_NODE_MAX * 3] = {0.0}, own[AC_NODE_MAX * AC_NODE_MAX];
    bool turns = load->follows && ac_node_turns(node) == 3;
    int n = node->size;
    copy3(tau, T);
    if (turns) to_world(node, q, tau, T);
    ac_torque_slopes(node, q, T, n > AC_BODY_SIZE ? own : slope, by_T);
    if (n > AC_BODY_SIZE) { /* it acts on place and directors */
        memset(slope, 0, (size_t)(n * n) * sizeof *slope);
        for (int i = 0; i < AC_BODY_SIZE; ++i)
            memcpy(slope + i * n, own + i * AC_BODY_SIZE, AC_BODY_SIZE * sizeof *slope);
    }
    for (int i = 0; turns && i < n; ++i)
        for (int J = 0; J < 3; ++J)
            for (int c = 0; c < 3; ++c) slope[i * n + 3 + 3 * J + c] += tau[J] * by_T[3 * i + c];
}

/* d ac_load_on_node / dq. Forces that follow the body are linear in q, so a column is a difference of
 * forces. */
static void node_slope(const ac_load_data *load, const ac_node *node, const double *q, const double tau[3],
                       double *slope)
{
    int n = node->size;
    double plus[AC_NODE_MAX], minus[AC_NODE_MAX], x[AC_NODE_MAX];
    if (load->type == AC_LOAD_TORQUE) {
        torque_slope(load, node, q, tau, slope);
        return;
    }
    memcpy(x, q, (size_t)n * sizeof *x);
    for (int j = 0; j < n; ++j) {
        /* exact for linear functions: (f(q + e_j) - f(q - e_j)) / 2 */
        x[j] = q[j] + 1.0;
        ac_load_on_node(load, node, x, tau, plus);
        x[j] = q[j] - 1.0;
        ac_load_on_node(load, node, x, tau, minus);
        x[j] = q[j];
        for (int i = 0; i < n; ++i) slope[i * n + j] = 0.5 * (plus[i] - minus[i]);
    }
}

/* Half of the slope of each frame in its own block. */
static void shared_slope(const ac_system *system, const ac_load_data *load, const double *q,
                         const double tau[3], double *slope)
{
    enum { ONE = AC_BODY_SIZE, BOTH = 2 * ONE };
    const int nodes[2] = {load->node, load->before};
    double own[ONE * ONE];
    memset(slope, 0, BOTH * BOTH * sizeof *slope);
    for (int e = 0; e < 2; ++e) {
        const ac_node *node = &system->nodes[nodes[e]];
        node_slope(load, node, q + node->q, tau, own);
        for (int i = 0; i < ONE; ++i)
            for (int j = 0; j < ONE; ++j) slope[(ONE * e + i) * BOTH + ONE * e + j] = 0.5 * own[i * ONE + j];
    }
}

int ac_load_slope(const ac_system *system, int k, double t, double h, const double *q, const double *winding,
                  int nodes[2], double *slope)
{
    const ac_load_data *load = &system->loads[k];
    double tau[3], x[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX];
    ac_load_values(load, t, h, tau);
    if (load->measure < 0) {
        const ac_node *node = &system->nodes[load->node];
        int count = ac_load_nodes(load, nodes);
        if (load->type == AC_LOAD_FORCE && !load->follows) return 0;
        if (count > 1)
            shared_slope(system, load, q, tau, slope);
        else
            node_slope(load, node, q + node->q, tau, slope);
        return count;
    }
    const ac_measure *m = &system->measures[load->measure];
    ac_measure_gather(system, m, q, x);
    ac_measure_evaluate(system, m, x, winding[load->measure], gradient, slope);
    int n = ac_measure_size(system, m);
    for (int i = 0; i < n * n; ++i) slope[i] *= tau[0];
    for (int e = 0; e < m->node_count; ++e) nodes[e] = m->nodes[e];
    return m->node_count;
}
