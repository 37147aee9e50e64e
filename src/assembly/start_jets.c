/* Products, inverses and exponentials of poses with derivatives by time and by two changes of data; see start_jets.h. */
#include <string.h>

#include "assembly/start_jets.h"
#include "base/dual_quaternion.h"
#include "base/rotation.h"
#include "base/vector.h"

void ac_bend_multiply(const ac_bend_matrix *A, const ac_bend_matrix *B, ac_bend_matrix *out)
{
    memset(out, 0, sizeof *out);
    for (int s = 0; s < AC_BEND_LEVELS; ++s)
        for (int a = 0; a < AC_BEND_LEVELS; ++a) {
            double part[9];
            if ((a & s) != a) continue;
            multiply3(A->at[a], B->at[s ^ a], part);
            for (int i = 0; i < 9; ++i) out->at[s][i] += part[i];
        }
}

void ac_bend_apply(const ac_bend_matrix *A, const ac_bend_vector *x, ac_bend_vector *out)
{
    memset(out, 0, sizeof *out);
    for (int s = 0; s < AC_BEND_LEVELS; ++s)
        for (int a = 0; a < AC_BEND_LEVELS; ++a) {
            double part[3];
            if ((a & s) != a) continue;
            apply3(A->at[a], x->at[s ^ a], part);
            add3(out->at[s], part, out->at[s]);
        }
}

void ac_bend_compose(const ac_bend_pose *a, const ac_bend_pose *b, ac_bend_pose *out)
{
    ac_bend_apply(&a->R, &b->x, &out->x);
    ac_bend_multiply(&a->R, &b->R, &out->R);
    for (int s = 0; s < AC_BEND_LEVELS; ++s) add3(out->x.at[s], a->x.at[s], out->x.at[s]);
}

/* R^T, -R^T x */
void ac_bend_invert(ac_bend_pose *a)
{
    ac_bend_vector back;
    for (int s = 0; s < AC_BEND_LEVELS; ++s)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < i; ++j) {
                double entry = a->R.at[s][3 * i + j];
                a->R.at[s][3 * i + j] = a->R.at[s][3 * j + i];
                a->R.at[s][3 * j + i] = entry;
            }
    ac_bend_apply(&a->R, &a->x, &back);
    for (int s = 0; s < AC_BEND_LEVELS; ++s)
        for (int i = 0; i < 3; ++i) a->x.at[s][i] = -back.at[s][i];
}

static void skew(const double w[3], double out[9])
{
    const double W[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    memcpy(out, W, sizeof W);
}

/* exp of a rotation vector by its series, which ends where the vector has no value of its own; a large value is halved first, and the
 * result squared. */
void ac_bend_exponential(const ac_bend_vector *w, ac_bend_matrix *out)
{
    enum { MOST = 30 };
    ac_bend_matrix W, term, next;
    double share = 1.0;
    bool goes_on = true;
    memset(&term, 0, sizeof term);
    identity3(term.at[0]);
    *out = term;
    while (share * norm3(w->at[0]) > 0.5) share *= 0.5;
    for (int s = 0; s < AC_BEND_LEVELS; ++s) skew(w->at[s], W.at[s]);
    for (int k = 1; k < MOST && goes_on; ++k) {
        ac_bend_multiply(&term, &W, &next);
        goes_on = false;
        for (int s = 0; s < AC_BEND_LEVELS; ++s)
            for (int i = 0; i < 9; ++i) {
                term.at[s][i] = share * next.at[s][i] / k;
                goes_on = goes_on || term.at[s][i] != 0.0;
                out->at[s][i] += term.at[s][i];
            }
    }
    for (; share < 1.0; share *= 2.0) {
        next = *out;
        ac_bend_multiply(&next, &next, out);
    }
}

/* out <- (1 + time [spin]) exp(turn) R */
void ac_bend_turned(const ac_bend_vector *turn, const ac_bend_vector *spin, const double R[9],
                    ac_bend_matrix *out)
{
    ac_bend_matrix E, T, constant = {{{0}}};
    memcpy(constant.at[0], R, 9 * sizeof *R);
    ac_bend_exponential(turn, &E);
    ac_bend_multiply(&E, &constant, &T);
    memset(&E, 0, sizeof E);
    identity3(E.at[0]);
    for (int s = 0; s < AC_BEND_LEVELS; ++s)
        if (s & AC_BEND_TIME) skew(spin->at[s ^ AC_BEND_TIME], E.at[s]);
    ac_bend_multiply(&E, &T, out);
}

double ac_bend_map(const ac_forms *f, int map, const int *at, const double *q, int n, int level)
{
    double sum = level == 0 ? f->constant[map] : 0.0;
    for (int e = f->linear_start[map]; e < f->linear_start[map + 1]; ++e) {
        int i = at ? at[f->linears[e].i] : f->linears[e].i;
        sum += f->linears[e].b * q[level * n + i];
    }
    for (int e = f->product_start[map]; e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        int i = at ? at[p->i] : p->i, j = at ? at[p->j] : p->j;
        for (int part = 0; part <= level; ++part)
            if ((part & level) == part) sum += p->a * q[part * n + i] * q[(level ^ part) * n + j];
    }
    return sum;
}

const ac_system_slope *ac_bend_slope(const ac_system_slope *slope, int level)
{
    level &= AC_BEND_OF | AC_BEND_ALONG;
    return level == 0               ? NULL
           : level == AC_BEND_OF    ? slope->of
           : level == AC_BEND_ALONG ? slope->along
                                    : slope;
}

/* w of R = exp(w) R_0: each set follows from its subsets. */
static void rotation_vector(const ac_bend_matrix *R, ac_bend_vector *w)
{
    memset(w, 0, sizeof *w);
    for (int s = 1; s < AC_BEND_LEVELS; ++s) {
        ac_bend_matrix E;
        double D[9];
        ac_bend_exponential(w, &E);
        multiply_transposed3(R->at[s], R->at[0], D);
        for (int i = 0; i < 9; ++i) D[i] -= E.at[s][i];
        w->at[s][0] = 0.5 * (D[7] - D[5]);
        w->at[s][1] = 0.5 * (D[2] - D[6]);
        w->at[s][2] = 0.5 * (D[3] - D[1]);
    }
}

/* out_s += factor sum of a_t b_(s without t) */
static void add_quaternions(double a[AC_BEND_LEVELS][4], double b[AC_BEND_LEVELS][4], double factor,
                            double out[AC_BEND_LEVELS][4])
{
    for (int s = 0; s < AC_BEND_LEVELS; ++s)
        for (int t = 0; t <= s; ++t) {
            double part[4];
            if ((t & s) != t) continue;
            ac_quaternion_multiply(a[t], b[s ^ t], part);
            for (int i = 0; i < 4; ++i) out[s][i] += factor * part[i];
        }
}

/* The dual quaternion (q_r, x q_r / 2) with q_r = exp(w / 2) times the one of the start; three directions end the series. */
static void dual_levels(const ac_bend_pose *pose, const double start[4], double q_r[AC_BEND_LEVELS][4],
                        double q_e[AC_BEND_LEVELS][4])
{
    enum { DIRECTIONS = 3 };
    ac_bend_vector w;
    double half[AC_BEND_LEVELS][4] = {{0.0}}, x[AC_BEND_LEVELS][4] = {{0.0}},
           term[AC_BEND_LEVELS][4] = {{0.0}};
    rotation_vector(&pose->R, &w);
    for (int s = 0; s < AC_BEND_LEVELS; ++s)
        for (int i = 0; i < 3; ++i) {
            half[s][i + 1] = 0.5 * w.at[s][i];
            x[s][i + 1] = pose->x.at[s][i];
        }
    memset(q_r, 0, AC_BEND_LEVELS * sizeof *q_r);
    memset(q_e, 0, AC_BEND_LEVELS * sizeof *q_e);
    memcpy(term[0], start, sizeof term[0]);
    memcpy(q_r[0], start, sizeof term[0]);
    for (int k = 1; k <= DIRECTIONS; ++k) {
        double next[AC_BEND_LEVELS][4] = {{0.0}};
        add_quaternions(half, term, 1.0 / k, next);
        memcpy(term, next, sizeof term);
        for (int s = 0; s < AC_BEND_LEVELS; ++s)
            for (int i = 0; i < 4; ++i) q_r[s][i] += term[s][i];
    }
    add_quaternions(x, q_r, 0.5, q_e);
}

void ac_bend_coordinates(const ac_system *system, int number, const ac_bend_pose *pose, double *q)
{
    const ac_node *node = &system->nodes[number];
    double q_r[AC_BEND_LEVELS][4], q_e[AC_BEND_LEVELS][4];
    bool dual = node->kind == AC_NODE_DUAL;
    if (dual) dual_levels(pose, system->initial.q + node->q + AC_DUAL_AT, q_r, q_e);
    for (int s = 0; s < AC_BEND_LEVELS; ++s) {
        double *own = q + s * system->n + node->q;
        ac_node_set_pose(node, pose->x.at[s], pose->R.at[s], own);
        if (!dual) continue;
        memcpy(own + AC_DUAL_AT, q_r[s], sizeof q_r[s]);
        memcpy(own + AC_DUAL_AT + 4, q_e[s], sizeof q_e[s]);
    }
}
