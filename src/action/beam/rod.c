/* Rods: the strains of a beam element with the curvatures of the Cayley transform,
 *
 *   K_i = 4 kappa_i / t,   t = 1 + tau,
 *
 * kappa_i the quadratic curvature, tau the trace of the relative rotation. All strains are functions of seven
 * quadratic forms s_j = x^T A_j x / 2 (three strains of forces, kappa_i, tau), so that forces are sums of
 * weights times A_j x, found without matrices:
 *
 *   grad K_i = f g_i - f kappa_i / t g_tau,   f = 4 / t,   g_j = A_j x
 *
 * The discrete derivative follows from K_b - K_a = 4 [t_m dkappa - kappa_m dtau] / (t_a t_b) with the means
 * t_m, kappa_m; dkappa and dtau are exact with gradients at the mean configuration.
 */
#include "action/beam/rod.h"

#include "action/beam/beam_force.h"
#include "model/beam/strain.h"

enum { STRAINS = 6, FORMS = AC_BEAM_FORMS, TRACE = AC_BEAM_TRACE, END = 12, SIZE = 24 };

ac_rod ac_rod_of(const ac_system *system, int k)
{
    const ac_beam_element *e = &system->mesh.elements[k];
    return (ac_rod){e, ac_beam_shares_of(system, k), &system->beams[e->beam]};
}

/* The seven quadratic forms at x. */
static inline void forms_at(const ac_rod *rod, const double *restrict x, double form[FORMS])
{
    ac_rod_forms(rod->shares.a, rod->shares.b, rod->shares.half, x, form);
}

/* (A_j x) . v of the seven forms */
static inline void form_rates(const ac_rod *rod, const double *restrict x, const double *restrict v,
                              double rate[FORMS])
{
    double sum = 0.0;
    ac_strain_rates(&rod->shares, x, v, rate);
    for (int c = 3; c < END; ++c) sum += x[c] * v[END + c] + x[END + c] * v[c];
    rate[TRACE] = sum;
}

/* out += sum weight_j A_j x */
static inline void add_forces(const ac_rod *rod, const double *restrict x, const double weight[FORMS],
                              double *restrict out)
{
    const double *N = weight, T = weight[TRACE], sa = rod->shares.a, sb = rod->shares.b;
    const double half = rod->shares.half, M[3] = {half * weight[3], half * weight[4], half * weight[5]};
    const ac_triple a1 = ac_triple_of(x + 3), a2 = ac_triple_of(x + 6), a3 = ac_triple_of(x + 9);
    const ac_triple b1 = ac_triple_of(x + 15), b2 = ac_triple_of(x + 18), b3 = ac_triple_of(x + 21);
    const ac_triple r = ac_triple_difference(ac_triple_of(x + END), ac_triple_of(x));
    const ac_triple ra = ac_triple_scaled(sa, r), rb = ac_triple_scaled(sb, r);
    const ac_triple force = ac_triple_mix3(N[0], ac_triple_mix(sa, a1, sb, b1), N[1],
                                           ac_triple_mix(sa, a2, sb, b2), N[2],
                                           ac_triple_mix(sa, a3, sb, b3));
    ac_triple_put(ac_triple_difference(ac_triple_of(out), force), out);
    ac_triple_add(ac_triple_sum(ac_triple_mix(N[0], ra, T, b1), ac_triple_mix(M[1], b3, -M[2], b2)), out + 3);
    ac_triple_add(ac_triple_sum(ac_triple_mix(N[1], ra, T, b2), ac_triple_mix(M[2], b1, -M[0], b3)), out + 6);
    ac_triple_add(ac_triple_sum(ac_triple_mix(N[2], ra, T, b3), ac_triple_mix(M[0], b2, -M[1], b1)), out + 9);
    out += END;
    ac_triple_add(force, out);
    ac_triple_add(ac_triple_sum(ac_triple_mix(N[0], rb, T, a1), ac_triple_mix(M[2], a2, -M[1], a3)), out + 3);
    ac_triple_add(ac_triple_sum(ac_triple_mix(N[1], rb, T, a2), ac_triple_mix(M[0], a3, -M[2], a1)), out + 6);
    ac_triple_add(ac_triple_sum(ac_triple_mix(N[2], rb, T, a3), ac_triple_mix(M[1], a1, -M[0], a2)), out + 9);
}

/* Stresses that belong to the seven forms; an element without length has no stretch. */
static inline void stresses_of(const ac_beam_element *e, const double form[FORMS], double stress[STRAINS])
{
    for (int i = 0; i < 3; ++i) {
        stress[i] = e->length > 0.0 ? e->stiffness[i] * (form[i] - e->reference[i]) : 0.0;
        stress[3 + i] = e->stiffness[3 + i] *
                        (ac_rod_curvature(form[3 + i], form[TRACE]) - e->reference[3 + i]);
    }
}

void ac_rod_stresses(const ac_rod *rod, const double *x, double stress[6])
{
    double form[FORMS];
    forms_at(rod, x, form);
    stresses_of(rod->e, form, stress);
}

/* out += factor sum extent_i stress_i grad s_i at x */
static inline void add_resultants(const ac_rod *rod, const double *restrict x, const double form[FORMS],
                                  const double stress[STRAINS], double factor, double *restrict out)
{
    const double t = 1.0 + form[TRACE], f = 4.0 / t, along = factor * rod->e->length,
                 bend = factor * rod->e->bend * f;
    double weight[FORMS], trace = 0.0;
    for (int i = 0; i < 3; ++i) {
        weight[i] = along * stress[i];
        weight[3 + i] = bend * stress[3 + i];
        trace -= weight[3 + i] * form[3 + i];
    }
    weight[TRACE] = trace / t;
    add_forces(rod, x, weight, out);
}

void ac_rod_add_gradient(const ac_rod *rod, const double *x, double factor, double *out)
{
    double form[FORMS], stress[STRAINS];
    forms_at(rod, x, form);
    stresses_of(rod->e, form, stress);
    add_resultants(rod, x, form, stress, factor, out);
}

void ac_rod_add_discrete(const ac_rod *rod, const double *xa, const double *stress_a, const double *xb,
                         const double *mean, double factor, double *out)
{
    double a[FORMS], b[FORMS], stress_b[STRAINS], weight[FORMS];
    forms_at(rod, xa, a);
    forms_at(rod, xb, b);
    stresses_of(rod->e, b, stress_b);
    const double ta = 1.0 + a[TRACE], tb = 1.0 + b[TRACE], f = 4.0 / (ta * tb), tm = 0.5 * (ta + tb);
    const double along = 0.5 * factor * rod->e->length, bend = 0.5 * factor * rod->e->bend * f;
    weight[TRACE] = 0.0;
    for (int i = 0; i < 3; ++i) {
        double pull = bend * (stress_a[3 + i] + stress_b[3 + i]);
        weight[i] = along * (stress_a[i] + stress_b[i]);
        weight[3 + i] = pull * tm;
        weight[TRACE] -= pull * 0.5 * (a[3 + i] + b[3 + i]);
    }
    add_forces(rod, mean, weight, out);
}

/* Rates of the strains from those of the forms. */
static inline void strain_rates(const double form[FORMS], const double rate[FORMS], double out[STRAINS])
{
    const double t = 1.0 + form[TRACE], f = 4.0 / t, turn = rate[TRACE] / t;
    for (int i = 0; i < 3; ++i) {
        out[i] = rate[i];
        out[3 + i] = f * (rate[3 + i] - form[3 + i] * turn);
    }
}

void ac_rod_add_force(const ac_rod *rod, const double *x, const double *v, double factor, double *out)
{
    double form[FORMS], rate[FORMS], stress[STRAINS];
    forms_at(rod, x, form);
    form_rates(rod, x, v, rate);
    strain_rates(form, rate, stress);
    for (int i = 0; i < STRAINS; ++i) stress[i] *= rod->e->stiffness[i] * ac_beam_relaxation(rod->beam, i);
    add_resultants(rod, x, form, stress, -factor, out);
}

/* --- slopes between twists ------------------------------------------------------------------------------ */

typedef double by_twists[FORMS][AC_BEAM_TWISTS];

static double extent(const ac_beam_element *e, int i)
{
    return i < 3 ? e->length : e->bend;
}

/* out += factor v */
static inline void add_scaled(double factor, const double v[AC_BEAM_TWISTS], double out[AC_BEAM_TWISTS])
{
    for (int c = 0; c < AC_BEAM_TWISTS; ++c) out[c] += factor * v[c];
}

/* out = grad K_i, projected; g = gradients of the forms */
static inline void curvature_gradient(const double form[FORMS], int i, double g[FORMS][AC_BEAM_TWISTS],
                                      double out[AC_BEAM_TWISTS])
{
    const double t = 1.0 + form[TRACE], f = 4.0 / t, f_tau = -f * form[3 + i] / t;
    for (int c = 0; c < AC_BEAM_TWISTS; ++c) out[c] = f * g[3 + i][c] + f_tau * g[TRACE][c];
}

/* out += factor (d^2 K_i / dx^2) v, projected; g and gv = A_j x and A_j v */
static inline void add_turned_gradient(const double form[FORMS], const double rate[FORMS], int i,
                                       double factor, double g[FORMS][AC_BEAM_TWISTS],
                                       double gv[FORMS][AC_BEAM_TWISTS], double out[AC_BEAM_TWISTS])
{
    const double t = 1.0 + form[TRACE], f = factor * 4.0 / t, kappa = form[3 + i] / t;
    const double by_trace = f / t * (2.0 * kappa * rate[TRACE] - rate[3 + i]), by_own = -f * rate[TRACE] / t;
    for (int c = 0; c < AC_BEAM_TWISTS; ++c)
        out[c] += f * (gv[3 + i][c] - kappa * gv[TRACE][c]) + by_trace * g[TRACE][c] + by_own * g[3 + i][c];
}

/* slope += pull d^2 K_i / dx^2 */
static inline void add_second(const double form[FORMS], int i, double pull, double g[FORMS][AC_BEAM_TWISTS],
                              ac_rod_slope *slope)
{
    const double t = 1.0 + form[TRACE], f = 4.0 / t, kappa = form[3 + i] / t;
    add_scaled(-pull * f / t, g[TRACE], slope->columns[3 + i]);
    add_scaled(-pull * f / t, g[3 + i], slope->columns[TRACE]);
    add_scaled(2.0 * pull * f / t * kappa, g[TRACE], slope->columns[TRACE]);
    slope->curvature[3 + i] += pull * f;
    slope->curvature[TRACE] -= pull * f * kappa;
}

/* Adds factor V'' and the slopes of damping at x, whose rows are there already. */
static void add_at(const ac_rod *rod, const double *x, const double stress[STRAINS], double factor,
                   const ac_damping_slope *damping, ac_rod_slope *slope)
{
    const ac_beam_element *e = rod->e;
    double form[FORMS], rate[FORMS] = {0}, strain_rate[STRAINS] = {0};
    by_twists g, gv = {{0}};
    forms_at(rod, x, form);
    ac_rod_twist_project(&rod->shares, x, slope->right, g);
    if (damping) {
        form_rates(rod, x, damping->v, rate);
        strain_rates(form, rate, strain_rate);
        ac_rod_twist_project(&rod->shares, damping->v, slope->right, gv);
    }
    const double t = 1.0 + form[TRACE], f = 4.0 / t;
    for (int i = 0; i < STRAINS; ++i) {
        const double eta = damping ? ac_beam_relaxation(rod->beam, i) : 0.0,
                     stiff = factor + (damping ? eta * damping->by_v : 0.0),
                     slow = damping ? eta * damping->by_x : 0.0;
        double D = e->stiffness[i], weight = extent(e, i);
        double pull = weight * (factor * stress[i] + slow * D * strain_rate[i]);
        if (i < 3) {
            add_scaled(weight * D * stiff, g[i], slope->columns[i]);
            if (damping) add_scaled(weight * D * slow, gv[i], slope->columns[i]);
            slope->curvature[i] += pull;
            continue;
        }
        double column[AC_BEAM_TWISTS];
        curvature_gradient(form, i - 3, g, column);
        for (int c = 0; c < AC_BEAM_TWISTS; ++c) column[c] *= stiff;
        if (damping) add_turned_gradient(form, rate, i - 3, slow, g, gv, column);
        add_scaled(weight * D * f, column, slope->columns[i]);
        add_scaled(-weight * D * f * form[i] / t, column, slope->columns[TRACE]);
        add_second(form, i - 3, pull, g, slope);
    }
}

void ac_rod_twist_hessian(const ac_rod *rod, const double *x, const double *left, const double *right,
                          double factor, const ac_damping_slope *damping, double *block)
{
    ac_rod_slope slope = {.left = left, .right = right};
    double stress[STRAINS];
    ac_rod_stresses(rod, x, stress);
    ac_rod_twist_project(&rod->shares, x, left, slope.rows);
    add_at(rod, x, stress, factor, damping, &slope);
    ac_rod_twist_slope(&rod->shares, &slope, block);
}

/* Adds factor times the slope of the discrete derivative by xb. */
static void add_discrete_slope(const ac_rod *rod, const double *xa, const double *xb, double factor,
                               ac_rod_slope *slope)
{
    const ac_beam_element *e = rod->e;
    double a[FORMS], b[FORMS], stress_a[STRAINS], stress_b[STRAINS];
    by_twists g;
    forms_at(rod, xa, a);
    forms_at(rod, xb, b);
    stresses_of(e, a, stress_a);
    stresses_of(e, b, stress_b);
    ac_rod_twist_project(&rod->shares, xb, slope->right, g);
    const double ta = 1.0 + a[TRACE], tb = 1.0 + b[TRACE], f = 4.0 / (ta * tb), tm = 0.5 * (ta + tb);
    for (int i = 0; i < STRAINS; ++i) {
        double weight = factor * extent(e, i), stiff = 0.5 * weight * e->stiffness[i];
        double pull = 0.5 * weight * (stress_a[i] + stress_b[i]);
        if (i < 3) {
            add_scaled(stiff, g[i], slope->columns[i]);
            slope->curvature[i] += 0.5 * pull;
            continue;
        }
        double column[AC_BEAM_TWISTS], kappa = 0.5 * (a[i] + b[i]);
        curvature_gradient(b, i - 3, g, column);
        for (int c = 0; c < AC_BEAM_TWISTS; ++c) column[c] = stiff * column[c] - pull / tb * g[TRACE][c];
        add_scaled(f * tm, column, slope->columns[i]);
        add_scaled(0.5 * pull * f, g[TRACE], slope->columns[i]);
        add_scaled(-f * kappa, column, slope->columns[TRACE]);
        add_scaled(-0.5 * pull * f, g[i], slope->columns[TRACE]);
        slope->curvature[i] += 0.5 * pull * f * tm;
        slope->curvature[TRACE] -= 0.5 * pull * f * kappa;
    }
}

void ac_rod_twist_discrete(const ac_rod *rod, const double *xa, const double *xb, const double *left,
                           double factor, const ac_damping_slope *damping, double *block)
{
    static const double none[STRAINS] = {0};
    ac_rod_slope slope = {.left = left, .right = xb};
    double mean[SIZE];
    for (int i = 0; i < SIZE; ++i) mean[i] = 0.5 * (xa[i] + xb[i]);
    ac_rod_twist_project(&rod->shares, mean, left, slope.rows);
    add_discrete_slope(rod, xa, xb, factor, &slope);
    if (damping) add_at(rod, mean, none, 0.0, damping, &slope);
    ac_rod_twist_slope(&rod->shares, &slope, block);
}
