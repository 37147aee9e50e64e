/* Springs in minimal coordinates: V = W(y) with y(q(theta)), added to the tensors of the
 * potential.
 *
 *   y_j = g . q_j,   y_jl = q_j H q_l + g . q_jl,
 *   y_jlm = T[q_m](q_j, q_l) + q_jm H q_l + q_j H q_lm + q_jl H q_m + g . q_jlm
 * with g, H, T the derivatives of y by q and q_j, q_jl, q_jlm those of q by theta. */
#include <string.h>

#include "action/chart/minimal.h"

enum { MAX = AC_SCALAR_MAX, SIZE = AC_MINIMAL_MAX };

typedef struct spring {
    const ac_minimal *m;
    const int *at;
    int n, T;
    double g[MAX], H[MAX * MAX], third[SIZE][MAX * MAX];
    double y1[SIZE], y2[SIZE][SIZE];
} spring;

/* The derivative of q with the multi-index number k among those of its order, on the coordinates of the
 * spring. */
static double dot(const spring *s, const double *q)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; ++i) sum += s->g[i] * q[s->at[i]];
    return sum;
}

static double bilinear(const spring *s, const double *A, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j) sum += a[s->at[i]] * A[i * s->n + j] * b[s->at[j]];
    return sum;
}

static double third_of(const spring *s, int j, int l, int k)
{
    const ac_minimal *m = s->m;
    int T = s->T, n = m->chart->n;
    const double *qj = m->q1 + j * n, *ql = m->q1 + l * n, *qk = m->q1 + k * n;
    return bilinear(s, s->third[k], qj, ql) + bilinear(s, s->H, m->q2 + (j * T + k) * n, ql) +
           bilinear(s, s->H, qj, m->q2 + (l * T + k) * n) + bilinear(s, s->H, m->q2 + (j * T + l) * n, qk) +
           dot(s, m->q3 + ((j * T + l) * T + k) * n);
}

static void add_spring(ac_minimal *m, const ac_discrete_spring *given, double winding, int order)
{
    spring s = {.m = m, .T = m->T};
    const ac_scalars *scalars = &m->discrete->scalars;
    int T = m->T, n = m->chart->n;
    s.at = ac_scalar_coordinates(scalars, given->scalar);
    s.n = scalars->list[given->scalar].count;
    double w[4], y = ac_scalar_evaluate(scalars, given->scalar, m->point.q, winding, s.g, s.H);
    given->law->value(given->data, y, w);
    for (int j = 0; j < T; ++j) {
        s.y1[j] = dot(&s, m->q1 + j * n);
        if (order > 2) ac_scalar_third(scalars, given->scalar, m->point.q, m->q1 + j * n, s.third[j]);
    }
    for (int j = 0; j < T; ++j) {
        m->V1[j] += w[1] * s.y1[j];
        for (int l = 0; l < T; ++l) {
            s.y2[j][l] = bilinear(&s, s.H, m->q1 + j * n, m->q1 + l * n) + dot(&s, m->q2 + (j * T + l) * n);
            m->V2[j * T + l] += w[2] * s.y1[j] * s.y1[l] + w[1] * s.y2[j][l];
        }
    }
    for (int j = 0; j < T && order > 2; ++j)
        for (int l = 0; l < T; ++l)
            for (int i = 0; i < T; ++i)
                m->V3[(j * T + l) * T + i] += w[3] * s.y1[j] * s.y1[l] * s.y1[i] +
                                              w[2] * (s.y2[j][l] * s.y1[i] + s.y2[j][i] * s.y1[l] +
                                                      s.y2[l][i] * s.y1[j]) +
                                              w[1] * third_of(&s, j, l, i);
}

/* Angles of joints are known with their full turns from the states. */
static double near_of(const ac_minimal *m, int measure)
{
    const ac_system *system = m->chart->system;
    for (int i = 0; measure >= 0 && i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (node->joint < 0 || system->joints[node->joint].first_measure < 0) continue;
        const ac_joint_data *joint = &system->joints[node->joint];
        int c = measure - joint->first_measure;
        if (c < 0 || c >= ac_row_coordinates(joint->row) ||
            system->measures[measure].kind != AC_MEASURE_ANGLE)
            continue;
        double sign = joint->reversed ? -1.0 : 1.0;
        return system->measures[measure].initial +
               sign * (m->state[i].coordinate[c] - m->reference[i].coordinate[c]);
    }
    return 0.0;
}

void ac_minimal_add_springs(ac_minimal *m, int order)
{
    if (!m->discrete) return;
    for (int k = 0; k < m->discrete->spring_count; ++k) {
        const ac_discrete_spring *given = &m->discrete->springs[k];
        add_spring(m, given, near_of(m, given->measure), order);
    }
}
