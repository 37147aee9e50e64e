/* Loads over time.
 *
 *   force at place rho    f_phi = F, f_I = rho_I F              (F in world axes, or F = sum F_J d_J if it follows the body)
 *   torque                f_I = 1/2 T x d_I                     (so that sum d_I x f_I = T for orthonormal directors)
 *   planar torque         f_d = T perpendicular(d)
 *   joint coordinate y    f = tau grad y
 */
#include "mechanics/load.h"

#include <string.h>

#include "base/vector.h"

static void values(const ac_load_data *load, double t, double tau[3])
{
    for (int i = 0; i < 3; ++i) tau[i] = load->value[i] ? ac_signal_value(load->value[i], t) : 0.0;
}

/* Components that follow the body, in world axes: sum tau_J d_J. */
static void to_world(const ac_node *node, const double *q, const double tau[3], double out[3])
{
    double position[3], rotation[9];
    ac_node_get_pose(node, q, position, rotation);
    apply3(rotation, tau, out);
}

static void body_torque(const double *q, const double T[3], double *f)
{
    for (int I = 1; I < 4; ++I) {
        cross3(T, q + 3 * I, f + 3 * I);
        for (int i = 0; i < 3; ++i) f[3 * I + i] *= 0.5;
    }
}

/* The force on the coordinates of the load's node. */
static void node_force(const ac_load_data *load, const ac_node *node, const double *q, const double tau[3], double *f)
{
    double F[3];
    memset(f, 0, AC_NODE_MAX * sizeof *f);
    if (load->type == AC_LOAD_TORQUE) {
        if (node->kind == AC_NODE_PLANAR) {
            f[2] = -tau[2] * q[3];
            f[3] = tau[2] * q[2];
            return;
        }
        copy3(tau, F);
        if (load->follows) to_world(node, q, tau, F);
        body_torque(q, F, f);
        return;
    }
    copy3(tau, F);
    if (load->follows && node->kind != AC_NODE_POINT) to_world(node, q, tau, F);
    for (int i = 0; i < node->dimension; ++i) f[i] = F[i];
    if (node->kind == AC_NODE_BODY)
        for (int I = 0; I < 3; ++I)
            for (int i = 0; i < 3; ++i) f[3 + 3 * I + i] = load->place[I] * F[i];
    if (node->kind == AC_NODE_PLANAR) { /* x = phi + rho_1 d + rho_2 perpendicular(d) */
        f[2] = load->place[0] * F[0] + load->place[1] * F[1];
        f[3] = load->place[0] * F[1] - load->place[1] * F[0];
    }
}

void ac_loads_add(const ac_system *system, double t, const double *q, const double *memory, double factor, double *out)
{
    for (int k = 0; k < system->load_count; ++k) {
        const ac_load_data *load = &system->loads[k];
        double tau[3], f[AC_ELEMENT_MAX], x[AC_ELEMENT_MAX];
        values(load, t, tau);
        if (load->measure < 0) {
            const ac_node *node = &system->nodes[load->node];
            node_force(load, node, q + node->q, tau, f);
            for (int i = 0; i < node->size; ++i) out[node->q + i] += factor * f[i];
            continue;
        }
        const ac_measure *m = &system->measures[load->measure];
        ac_measure_gather(system, m, q, x);
        ac_measure_evaluate(system, m, x, memory[load->measure], f, NULL);
        int place = 0;
        for (int e = 0; e < m->node_count; ++e) {
            const ac_node *node = &system->nodes[m->nodes[e]];
            for (int i = 0; i < node->size; ++i) out[node->q + i] += factor * tau[0] * f[place + i];
            place += node->size;
        }
    }
}

/* d node_force / dq; forces are polynomials of degree one or two in q, so a column is a polarisation of the force. */
static void node_slope(const ac_load_data *load, const ac_node *node, const double *q, const double tau[3], double *slope)
{
    int n = node->size;
    double plus[AC_NODE_MAX], minus[AC_NODE_MAX], x[AC_NODE_MAX];
    memcpy(x, q, (size_t)n * sizeof *x);
    for (int j = 0; j < n; ++j) {
        /* exact for quadratic functions: (f(q + e_j) - f(q - e_j)) / 2 */
        x[j] = q[j] + 1.0;
        node_force(load, node, x, tau, plus);
        x[j] = q[j] - 1.0;
        node_force(load, node, x, tau, minus);
        x[j] = q[j];
        for (int i = 0; i < n; ++i) slope[i * n + j] = 0.5 * (plus[i] - minus[i]);
    }
}

int ac_load_slope(const ac_system *system, int k, double t, const double *q, const double *memory, int nodes[2],
                  double *slope)
{
    const ac_load_data *load = &system->loads[k];
    double tau[3], x[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX];
    values(load, t, tau);
    if (load->measure < 0) {
        const ac_node *node = &system->nodes[load->node];
        nodes[0] = load->node;
        if (load->type == AC_LOAD_FORCE && !load->follows) return 0;
        node_slope(load, node, q + node->q, tau, slope);
        return 1;
    }
    const ac_measure *m = &system->measures[load->measure];
    ac_measure_gather(system, m, q, x);
    ac_measure_evaluate(system, m, x, memory[load->measure], gradient, slope);
    int n = ac_measure_size(system, m);
    for (int i = 0; i < n * n; ++i) slope[i] *= tau[0];
    for (int e = 0; e < m->node_count; ++e) nodes[e] = m->nodes[e];
    return m->node_count;
}
