/* Springs in joint coordinates: V = W(y) with y(q(theta)).
 *
 *   y_j = g . q_j,   y_jl = q_j H q_l + g . q_jl,
 *   y_jl[w] = T[q[w]](q_j, q_l) + q_j[w] H q_l + q_j H q_l[w] + H q[w] . q_jl + g . q_jl[w]
 * with g, H, T the derivatives of y by q and q_j, q_jl those of q by theta. */
#include <string.h>

#include "action/chart/minimal.h"

enum { MAX = AC_SCALAR_MAX };

typedef struct spring {
    ac_minimal *m;
    const int *at;
    int n, T;
    double g[MAX], H[MAX * MAX];
    double law[4];
    double *y1, *y2; /* of the workspace: T, T squared */
} spring;

/* A vector on the coordinates of the spring among all, times a factor. */
static const double *spread(const spring *s, double factor, const double *x, double *out)
{
    memset(out, 0, (size_t)s->m->chart->n * sizeof *out);
    for (int i = 0; i < s->n; ++i) out[s->at[i]] += factor * x[i];
    return out;
}

/* out (T x T) += factor X^T A Y over the coordinates of the spring */
static void bilinear(const spring *s, double factor, const double *A, const double *X, const double *Y,
                     double *out)
{
    int T = s->T;
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j) {
            double a = factor * A[i * s->n + j];
            const double *x = X + s->at[i] * T, *y = Y + s->at[j] * T;
            for (int f = 0; a != 0.0 && f < T; ++f)
                for (int g = 0; g < T; ++g) out[f * T + g] += a * x[f] * y[g];
        }
}

static void look_at(ac_minimal *m, const ac_discrete_spring *given, double winding, spring *s)
{
    const ac_scalars *scalars = &m->discrete->scalars;
    int T = m->T;
    *s = (spring){.m = m, .T = T, .y1 = m->row, .y2 = m->square[0]};
    s->at = ac_scalar_coordinates(scalars, given->scalar);
    s->n = scalars->list[given->scalar].count;
    double y = ac_scalar_evaluate(scalars, given->scalar, m->point.q, winding, s->g, s->H);
    given->law->value(given->data, y, s->law);
    memset(s->y1, 0, (size_t)T * sizeof *s->y1);
    memset(s->y2, 0, (size_t)(T * T) * sizeof *s->y2);
    for (int i = 0; i < s->n; ++i)
        for (int f = 0; f < T; ++f) s->y1[f] += s->g[i] * m->point.D[s->at[i] * T + f];
    bilinear(s, 1.0, s->H, m->point.D, m->point.D, s->y2);
    ac_chart_second(m->chart, &m->point, spread(s, 1.0, s->g, m->vector[0]), s->y2);
}

/* tt += factor y_jl[w] */
static void add_third(const spring *s, int scalar, const double *w, double factor, double *tt)
{
    ac_minimal *m = s->m;
    double *qw = m->vector[3], *force = m->vector[0], *E = m->matrix[0], third[MAX * MAX], Hq[MAX] = {0.0};
    int T = s->T, n = s->n;
    ac_chart_along(m->chart, &m->point, w, E);
    for (int i = 0; i < m->chart->n; ++i) {
        qw[i] = 0.0;
        for (int f = 0; f < T; ++f) qw[i] += m->point.D[i * T + f] * w[f];
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) Hq[i] += s->H[i * n + j] * qw[s->at[j]];
    ac_scalar_third(&m->discrete->scalars, scalar, m->point.q, qw, third);
    bilinear(s, factor, third, m->point.D, m->point.D, tt);
    bilinear(s, factor, s->H, E, m->point.D, tt);
    bilinear(s, factor, s->H, m->point.D, E, tt);
    ac_chart_second(m->chart, &m->point, spread(s, factor, Hq, force), tt);
    ac_chart_third(m->chart, &m->point, spread(s, factor, s->g, force), w, tt);
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

void ac_minimal_add_springs(ac_minimal *m, double factor, double *first, double *second)
{
    int T = m->T;
    spring s;
    for (int k = 0; m->discrete && k < m->discrete->spring_count; ++k) {
        const ac_discrete_spring *given = &m->discrete->springs[k];
        look_at(m, given, near_of(m, given->measure), &s);
        for (int j = 0; j < T; ++j) {
            first[j] += factor * s.law[1] * s.y1[j];
            for (int l = 0; second && l < T; ++l)
                second[j * T + l] += factor * (s.law[2] * s.y1[j] * s.y1[l] + s.law[1] * s.y2[j * T + l]);
        }
    }
}

void ac_minimal_add_springs_third(ac_minimal *m, const double *w, double factor, double *tt)
{
    int T = m->T;
    spring s;
    for (int k = 0; m->discrete && k < m->discrete->spring_count; ++k) {
        const ac_discrete_spring *given = &m->discrete->springs[k];
        look_at(m, given, near_of(m, given->measure), &s);
        double yw = 0.0;
        for (int j = 0; j < T; ++j) yw += s.y1[j] * w[j];
        for (int j = 0; j < T; ++j) {
            double yjw = 0.0;
            for (int l = 0; l < T; ++l) yjw += s.y2[j * T + l] * w[l];
            for (int l = 0; l < T; ++l) {
                double both = factor * s.law[2] * yjw * s.y1[l];
                tt[j * T + l] += both + factor * (s.law[3] * s.y1[j] * s.y1[l] * yw +
                                                  s.law[2] * s.y2[j * T + l] * yw);
                tt[l * T + j] += both;
            }
        }
        add_third(&s, given->scalar, w, factor * s.law[1], tt);
    }
}
