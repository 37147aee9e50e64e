/* Beam elements of order 2: potential sum_g w_g/2 sum_i D_i (s_i - s_i^ref)^2 over the strain points of an
 * element, with damping of Kelvin-Voigt type.
 *
 * At a point the strains are quadratic in y = (r', d_1, d_2, d_3, d_1', d_2', d_3'), s_i = y^T A_i y / 2,
 * and y is linear in the coordinates of the nodes. So everything is summed as a vector or matrix by y
 * first,
 *   grad V = sum w N_i A_i y,    V'' = sum w [D_i (A_i y)(A_i y)^T + N_i A_i],    N_i = D_i (s_i - s_i^ref),
 * and then spread to the nodes. The discrete derivative between ya and yb is sum w (N_i(ya) + N_i(yb))/2
 * A_i (ya + yb)/2.
 */
#include <string.h>

#include "base/triple.h"
#include "action/beam/beam_forms.h"
#include "action/beam/beam_describe.h"
#include "action/element.h"
#include "model/beam/strain.h"

enum { FIELDS = AC_BEAM_FIELDS, STRAINS = 6, END = 12, DIRECTOR = 3, SLOPE = 12 };

static const ac_high_element *element_of(const ac_system *system, int k)
{
    return &system->mesh.high[k];
}

static int high_count(const ac_system *system)
{
    return system->mesh.high_count;
}

static int high_nodes(const ac_system *system, int k, int nodes[AC_ELEMENT_NODES])
{
    const ac_high_element *e = element_of(system, k);
    for (int a = 0; a <= e->order; ++a) nodes[a] = e->node + a;
    return e->order + 1;
}

static bool high_conservative(const ac_system *system, int k)
{
    (void)system;
    (void)k;
    return true;
}

static bool high_dissipative(const ac_system *system, int k)
{
    return ac_beam_damped(&system->beams[element_of(system, k)->beam]);
}

/* --- one strain at one point ---------------------------------------------------------------------------- */

/* The triples of y that strain i joins, and with which factor: s_i = sum factor y[left] . y[right]. */
typedef struct form {
    int terms;
    int left[2], right[2];
    double factor[2];
} form;

static form form_of(int i)
{
    if (i < 3) return (form){1, {DIRECTOR + 3 * i}, {0}, {1.0}};
    int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3);
    return (form){2, {DIRECTOR + k, DIRECTOR + j}, {SLOPE + j, SLOPE + k}, {0.5, -0.5}};
}

/* out += factor A_i y */
static void add_gradient(int i, double factor, const double y[FIELDS], double out[FIELDS])
{
    form f = form_of(i);
    for (int t = 0; t < f.terms; ++t)
        for (int c = 0; c < 3; ++c) {
            out[f.left[t] + c] += factor * f.factor[t] * y[f.right[t] + c];
            out[f.right[t] + c] += factor * f.factor[t] * y[f.left[t] + c];
        }
}

/* matrix += factor A_i */
static void add_hessian(int i, double factor, double matrix[FIELDS * FIELDS])
{
    form f = form_of(i);
    for (int t = 0; t < f.terms; ++t)
        for (int c = 0; c < 3; ++c) {
            matrix[(f.left[t] + c) * FIELDS + f.right[t] + c] += factor * f.factor[t];
            matrix[(f.right[t] + c) * FIELDS + f.left[t] + c] += factor * f.factor[t];
        }
}

/* matrix += factor (A_i u)(A_i v)^T */
static void add_outer(int i, double factor, const double u[FIELDS], const double v[FIELDS],
                      double matrix[FIELDS * FIELDS])
{
    form f = form_of(i);
    double gu[FIELDS] = {0}, gv[FIELDS] = {0};
    int at[4];
    add_gradient(i, 1.0, u, gu);
    add_gradient(i, 1.0, v, gv);
    for (int t = 0; t < f.terms; ++t) {
        at[2 * t] = f.left[t];
        at[2 * t + 1] = f.right[t];
    }
    ac_add_outer_of_triples(at, 2 * f.terms, factor, gu, gv, FIELDS, matrix);
}

/* --- all strains at one point, written out: steps spend their time here --------------------------------- */

/* The same numbers as of ac_beam_fields. */
static inline void fields_at(const ac_beam_point *point, int order, const double *restrict x,
                             double *restrict y)
{
    const double N0 = point->N[0], dN0 = point->dN[0];
    for (int c = 0; c < 3; ++c) y[c] = 0.0;
    for (int c = 0; c < 9; ++c) {
        y[DIRECTOR + c] = N0 * x[3 + c];
        y[SLOPE + c] = dN0 * x[3 + c];
    }
    for (int a = 1; a <= order; ++a) {
        const double *restrict own = x + END * a, N = point->N[a], dN = point->dN[a];
        for (int c = 0; c < 3; ++c) y[c] += dN * (own[c] - x[c]);
        for (int c = 0; c < 9; ++c) {
            y[DIRECTOR + c] += N * own[3 + c];
            y[SLOPE + c] += dN * own[3 + c];
        }
    }
}

static inline void stresses(const ac_beam_point *point, const double y[FIELDS], double stress[STRAINS])
{
    ac_beam_field_strains(y, stress);
    for (int i = 0; i < STRAINS; ++i) stress[i] = point->stiffness[i] * (stress[i] - point->reference[i]);
}

/* rate_i = (A_i y) . w */
static inline void rates_at(const double *restrict y, const double *restrict w, double rate[STRAINS])
{
    const ac_triple r = ac_triple_of(y), dr = ac_triple_of(w);
    ac_triple d[3], s[3], wd[3], ws[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = ac_triple_of(y + DIRECTOR + 3 * i);
        s[i] = ac_triple_of(y + SLOPE + 3 * i);
        wd[i] = ac_triple_of(w + DIRECTOR + 3 * i);
        ws[i] = ac_triple_of(w + SLOPE + 3 * i);
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const ac_triple up = ac_triple_sum(ac_triple_product(wd[k], s[j]), ac_triple_product(d[k], ws[j]));
        const ac_triple down = ac_triple_sum(ac_triple_product(wd[j], s[k]), ac_triple_product(d[j], ws[k]));
        rate[i] = ac_triple_total(ac_triple_sum(ac_triple_product(d[i], dr), ac_triple_product(wd[i], r)));
        rate[3 + i] = 0.5 * ac_triple_total(ac_triple_difference(up, down));
    }
}

/* out = sum weight_i A_i y */
static inline void sum_gradients(const double weight[STRAINS], const double *restrict y, double *restrict out)
{
    const double M[3] = {0.5 * weight[3], 0.5 * weight[4], 0.5 * weight[5]};
    const ac_triple r = ac_triple_of(y);
    ac_triple d[3], s[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = ac_triple_of(y + DIRECTOR + 3 * i);
        s[i] = ac_triple_of(y + SLOPE + 3 * i);
    }
    ac_triple_put(ac_triple_mix3(weight[0], d[0], weight[1], d[1], weight[2], d[2]), out);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        ac_triple_put(ac_triple_mix3(weight[i], r, M[j], s[k], -M[k], s[j]), out + DIRECTOR + 3 * i);
        ac_triple_put(ac_triple_mix(M[k], d[j], -M[j], d[k]), out + SLOPE + 3 * i);
    }
}

/* --- from points to nodes ------------------------------------------------------------------------------- */

/* out += B^T g, where y = B x */
static inline void spread_vector(const ac_beam_point *point, int order, const double *restrict g,
                                 double *restrict out)
{
    for (int a = 0; a <= order; ++a, out += END) {
        double N = point->N[a], dN = point->dN[a];
        for (int c = 0; c < 3; ++c) out[c] += dN * g[c];
        for (int c = 0; c < 9; ++c) out[3 + c] += N * g[DIRECTOR + c] + dN * g[SLOPE + c];
    }
}

/* out += B^T M B */
static void spread_matrix(const ac_beam_point *point, int order, const double M[FIELDS * FIELDS], double *out)
{
    int size = END * (order + 1);
    for (int b = 0; b <= order; ++b) { /* columns */
        double half[FIELDS * END], N = point->N[b], dN = point->dN[b];
        for (int r = 0; r < FIELDS; ++r) {
            const double *row = M + r * FIELDS;
            for (int c = 0; c < 3; ++c) half[r * END + c] = dN * row[c];
            for (int c = 0; c < 9; ++c) half[r * END + 3 + c] = N * row[DIRECTOR + c] + dN * row[SLOPE + c];
        }
        for (int a = 0; a <= order; ++a) {
            double *block = out + END * a * size + END * b, Na = point->N[a], dNa = point->dN[a];
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < END; ++c) block[r * size + c] += dNa * half[r * END + c];
            for (int r = 0; r < 9; ++r)
                for (int c = 0; c < END; ++c)
                    block[(3 + r) * size + c] += Na * half[(DIRECTOR + r) * END + c] +
                                                 dNa * half[(SLOPE + r) * END + c];
        }
    }
}

static void clear(int order, double *vector, double *matrix)
{
    size_t size = END * ((size_t)order + 1);
    if (vector) memset(vector, 0, size * sizeof *vector);
    if (matrix) memset(matrix, 0, size * size * sizeof *matrix);
}

/* --- the element ---------------------------------------------------------------------------------------- */

static double high_energy(const ac_system *system, int k, const double *x, const double *winding)
{
    const ac_high_element *e = element_of(system, k);
    double sum = 0.0;
    (void)winding;
    for (int p = 0; p < e->order; ++p) {
        const ac_beam_point *point = &e->points[p];
        double y[FIELDS], stress[STRAINS];
        fields_at(point, e->order, x, y);
        stresses(point, y, stress);
        for (int i = 0; i < STRAINS; ++i) sum += point->weight * stress[i] * stress[i] / point->stiffness[i];
    }
    return 0.5 * sum;
}

/* gradient += factor dV/dx */
static void add_energy_gradient(const ac_high_element *e, const double *x, double factor, double *gradient)
{
    for (int p = 0; p < e->order; ++p) {
        const ac_beam_point *point = &e->points[p];
        double y[FIELDS], stress[STRAINS], g[FIELDS];
        fields_at(point, e->order, x, y);
        stresses(point, y, stress);
        for (int i = 0; i < STRAINS; ++i) stress[i] *= factor * point->weight;
        sum_gradients(stress, y, g);
        spread_vector(point, e->order, g, gradient);
    }
}

static void high_gradient(const ac_system *system, int k, const double *x, const double *winding,
                          double *gradient)
{
    const ac_high_element *e = element_of(system, k);
    (void)winding;
    clear(e->order, gradient, NULL);
    add_energy_gradient(e, x, 1.0, gradient);
}

/* The coordinates of the nodes of an element lie side by side. */
static void high_add_gradients(const ac_system *system, const double *q, double factor, double *out)
{
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *e = element_of(system, k);
        const int at = system->nodes[e->node].q;
        add_energy_gradient(e, q + at, factor, out + at);
    }
}

static void high_hessian(const ac_system *system, int k, const double *x, const double *winding,
                         double *hessian)
{
    const ac_high_element *e = element_of(system, k);
    (void)winding;
    clear(e->order, NULL, hessian);
    for (int p = 0; p < e->order; ++p) {
        const ac_beam_point *point = &e->points[p];
        double y[FIELDS], stress[STRAINS], M[FIELDS * FIELDS] = {0};
        fields_at(point, e->order, x, y);
        stresses(point, y, stress);
        for (int i = 0; i < STRAINS; ++i) {
            add_outer(i, point->weight * point->stiffness[i], y, y, M);
            add_hessian(i, point->weight * stress[i], M);
        }
        spread_matrix(point, e->order, M, hessian);
    }
}

/* gradient += factor times the discrete derivative of a point; slope += its derivative by xb, may be NULL */
static inline void discrete_at(const ac_beam_point *point, int order, const double *xa, const double *xb,
                               double factor, double *gradient, double *slope)
{
    double ya[FIELDS], yb[FIELDS], mean[FIELDS], Na[STRAINS], Nb[STRAINS], pull[STRAINS], g[FIELDS];
    fields_at(point, order, xa, ya);
    fields_at(point, order, xb, yb);
    for (int c = 0; c < FIELDS; ++c) mean[c] = 0.5 * (ya[c] + yb[c]);
    stresses(point, ya, Na);
    stresses(point, yb, Nb);
    for (int i = 0; i < STRAINS; ++i) pull[i] = 0.5 * factor * point->weight * (Na[i] + Nb[i]);
    sum_gradients(pull, mean, g);
    spread_vector(point, order, g, gradient);
    if (!slope) return;
    double M[FIELDS * FIELDS] = {0};
    for (int i = 0; i < STRAINS; ++i) {
        add_outer(i, 0.5 * factor * point->weight * point->stiffness[i], mean, yb, M);
        add_hessian(i, 0.5 * pull[i], M);
    }
    spread_matrix(point, order, M, slope);
}

static void high_discrete(const ac_system *system, int k, const double *xa, const double *xb,
                          const double *winding, double *gradient, double *slope)
{
    const ac_high_element *e = element_of(system, k);
    (void)winding;
    clear(e->order, gradient, slope);
    for (int p = 0; p < e->order; ++p) discrete_at(&e->points[p], e->order, xa, xb, 1.0, gradient, slope);
}

static void high_add_discretes(const ac_system *system, const double *qa, const double *stress_a,
                               const double *qb, const double *mean, double factor, double *out)
{
    (void)stress_a;
    (void)mean;
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *e = element_of(system, k);
        const int at = system->nodes[e->node].q;
        for (int p = 0; p < e->order; ++p)
            discrete_at(&e->points[p], e->order, qa + at, qb + at, factor, out + at, NULL);
    }
}

/* f += factor times the force of a point; its slopes by_x and by_v may both be NULL */
static inline void force_at(const ac_beam_point *point, int order, const ac_beam_data *beam, const double *x,
                            const double *v, double factor, double *f, double *by_x, double *by_v)
{
    double y[FIELDS], w[FIELDS], g[FIELDS], viscous[STRAINS], pull[STRAINS];
    fields_at(point, order, x, y);
    fields_at(point, order, v, w);
    rates_at(y, w, pull);
    for (int i = 0; i < STRAINS; ++i) {
        viscous[i] = -factor * point->weight * ac_beam_relaxation(beam, i) * point->stiffness[i];
        pull[i] *= viscous[i];
    }
    sum_gradients(pull, y, g);
    spread_vector(point, order, g, f);
    if (!by_x) return;
    double X[FIELDS * FIELDS] = {0}, V[FIELDS * FIELDS] = {0};
    for (int i = 0; i < STRAINS; ++i) {
        add_outer(i, viscous[i], y, w, X);
        add_hessian(i, pull[i], X);
        add_outer(i, viscous[i], y, y, V);
    }
    spread_matrix(point, order, X, by_x);
    spread_matrix(point, order, V, by_v);
}

static void high_add_forces(const ac_system *system, const double *q, const double *v, double factor,
                            double *out)
{
    for (int k = 0; k < system->mesh.high_count; ++k) {
        const ac_high_element *e = element_of(system, k);
        const ac_beam_data *beam = &system->beams[e->beam];
        const int at = system->nodes[e->node].q;
        for (int p = 0; p < e->order && ac_beam_damped(beam); ++p)
            force_at(&e->points[p], e->order, beam, q + at, v + at, factor, out + at, NULL, NULL);
    }
}

static void high_force(const ac_system *system, int k, const double *x, const double *v,
                       const double *winding, double *f, double *by_x, double *by_v)
{
    const ac_high_element *e = element_of(system, k);
    const ac_beam_data *beam = &system->beams[e->beam];
    (void)winding;
    clear(e->order, f, by_x);
    clear(e->order, NULL, by_v);
    for (int p = 0; p < e->order; ++p) force_at(&e->points[p], e->order, beam, x, v, 1.0, f, by_x, by_v);
}

extern const ac_element_kind ac_element_high_beam;
const ac_element_kind ac_element_high_beam = {
    .name = "beam of higher order",
    .count = high_count,
    .nodes = high_nodes,
    .describe = ac_high_beam_describe,
    .numbers = ac_high_beam_numbers,
    .conservative = high_conservative,
    .dissipative = high_dissipative,
    .energy = high_energy,
    .gradient = high_gradient,
    .add_gradients = high_add_gradients,
    .hessian = high_hessian,
    .discrete = high_discrete,
    .add_discretes = high_add_discretes,
    .force = high_force,
    .add_forces = high_add_forces,
};
