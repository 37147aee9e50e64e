/* What a phase holds: quantities s(q) that do not change while it lasts, such as the place of a foot or the angle of a joint
 * that is locked.
 *
 *   force at a time node    R_n -= c h lambda_n grad s(q_n)
 *   rows                    s(q_n+1) - s(q_n) = 0 on intervals, grad s . v = 0 at the ends
 *
 * Dry friction bounds the forces: (coefficient lambda_normal)^2 - sum lambda_tangential^2 >= 0, in parts of a typical force.
 * Where something is held is not given: that follows from how the phase begins. */
#include <math.h>
#include <string.h>

#include "optimize/transcribe/curvature.h"
#include "optimize/transcribe/jacobian.h"

/* One held quantity at a node. Behind the coordinates of a configuration stand the moving data that it depends on: they have no
 * velocity and take no force. */
typedef struct held {
    int count, plain; /* plain: coordinates alone */
    const int *at;
    double value, gradient[AC_SCALAR_MAX], hessian[AC_SCALAR_MAX * AC_SCALAR_MAX];
} held;

static void evaluate(const ac_optimization *o, int hold, int node, held *h)
{
    int scalar = o->description.phase.holds[hold];
    double winding =
        o->point.scalar_windings[(size_t)node * (size_t)o->description.scalars.count + (size_t)scalar];
    h->count = o->description.scalars.list[scalar].count;
    h->plain = o->description.scalars.list[scalar].plain;
    h->at = ac_scalar_coordinates(&o->description.scalars, scalar);
    h->value = ac_scalar_evaluate(&o->description.scalars, scalar, ac_q(o, node), winding, h->gradient,
                                  h->hessian);
}

static double force_factor(const ac_optimization *o, int node)
{
    return -ac_multiplier_factor(o, node);
}

void ac_hold_residuals(ac_optimization *o)
{
    held h;
    for (int n = 0; n <= o->layout.N; ++n)
        for (int k = 0; k < o->description.phase.hold_count && ac_has_dynamics(o, n); ++k) {
            evaluate(o, k, n, &h);
            double force = force_factor(o, n) * o->point.h * o->point.x[ac_hold_variable(o, n) + k];
            for (int i = 0; i < h.plain; ++i) ac_residual(o, n)[h.at[i]] += force * h.gradient[i];
        }
}

/* A cone as a sum of factor_i lambda_i^2: the normal one and the tangential ones. */
static int cone_parts(const ac_optimization *o, int cone, int node, int variable[3], double factor[3])
{
    const ac_friction_cone *f = &o->description.phase.cones[cone];
    variable[0] = ac_hold_variable(o, node) + f->normal;
    factor[0] = f->scale * f->coefficient * f->coefficient;
    for (int i = 0; i < f->count; ++i) {
        variable[1 + i] = ac_hold_variable(o, node) + f->tangential[i];
        factor[1 + i] = -f->scale;
    }
    return 1 + f->count;
}

void ac_hold_rows(const ac_optimization *o, const ac_row_block *block, double *c)
{
    held h;
    int variable[3];
    double factor[3];
    for (int k = 0; k < block->count && block->kind == AC_ROW_FRICTION; ++k) {
        c[k] = 0.0;
        for (int i = cone_parts(o, k, block->place, variable, factor) - 1; i >= 0; --i)
            c[k] += factor[i] * o->point.x[variable[i]] * o->point.x[variable[i]];
    }
    if (block->kind == AC_ROW_FRICTION) return;
    for (int k = 0; k < block->count; ++k) {
        evaluate(o, k, block->place, &h);
        if (block->kind == AC_ROW_HOLD) {
            double before = h.value;
            evaluate(o, k, block->place + 1, &h);
            c[k] = h.value - before;
            continue;
        }
        const double *v = o->point.velocity[block->place == 0 ? 0 : 1];
        c[k] = 0.0;
        for (int i = 0; i < h.plain; ++i) c[k] += h.gradient[i] * v[h.at[i]];
    }
}

/* --- first derivatives --- */

/* By the multiplier and the duration; `along`: what a row has of the gradient. */
static void put_force(const ac_jacobian_pass *s, int row, int node, int k, double along)
{
    const ac_optimization *o = s->o;
    int lambda = ac_hold_variable(o, node) + k;
    double factor = force_factor(o, node);
    ac_jacobian_put(s, row, lambda, factor * o->point.h * along);
    if (o->layout.by_time)
        ac_jacobian_put(s, row, o->layout.first.time, factor * o->point.x[lambda] * along / o->layout.N);
}

/* Rows of the coordinates themselves. */
static void force_jacobian_redundant(const ac_jacobian_pass *s, int node, int k)
{
    const ac_optimization *o = s->o;
    held h;
    double size = force_factor(o, node) * o->point.h * o->point.x[ac_hold_variable(o, node) + k];
    evaluate(o, k, node, &h);
    for (int i = 0; i < h.plain; ++i) {
        int row = o->layout.dynamics_row[node] + h.at[i];
        put_force(s, row, node, k, h.gradient[i]);
        for (int j = 0; j < h.count; ++j)
            ac_jacobian_put_q(s, row, node, h.at[j], size * h.hessian[i * h.count + j]);
    }
}

/* Rows D_f . force. */
static void force_jacobian(const ac_jacobian_pass *s, int node, int k)
{
    const ac_optimization *o = s->o;
    held h;
    int W = o->layout.span;
    const double *D = ac_point_of(o, node).D;
    double size = force_factor(o, node) * o->point.h * o->point.x[ac_hold_variable(o, node) + k];
    evaluate(o, k, node, &h);
    for (int r = 0; r < (node == o->layout.N ? o->layout.end.row_count : o->layout.width); ++r) {
        int row = o->layout.dynamics_row[node] + r, f = node == o->layout.N ? o->layout.end.rows[r] : r;
        double along = 0.0;
        for (int i = 0; i < h.plain; ++i) along += D[h.at[i] * W + f] * h.gradient[i];
        put_force(s, row, node, k, along);
        for (int j = 0; j < h.count; ++j) {
            double bend = 0.0;
            for (int i = 0; i < h.plain; ++i) bend += D[h.at[i] * W + f] * h.hessian[i * h.count + j];
            ac_jacobian_put_local(s, row, node, D + h.at[j] * W, size * bend);
        }
    }
}

void ac_hold_jacobian(const ac_jacobian_pass *s)
{
    const ac_optimization *o = s->o;
    for (int n = 0; n <= o->layout.N; ++n)
        for (int k = 0; k < o->description.phase.hold_count && ac_has_dynamics(o, n); ++k) {
            if (o->layout.charted) {
                force_jacobian(s, n, k);
            } else {
                force_jacobian_redundant(s, n, k);
            }
        }
}

/* How v = D w changes with the local coordinates, where there are any. */
static void prepare_rates(ac_optimization *o, int node)
{
    ac_chart_point p = ac_point_of(o, node);
    if (o->layout.charted)
        ac_chart_along(&o->description.chart, &p, o->point.x + o->layout.first.velocity[node == 0 ? 0 : 1],
                       o->point.Vn);
}

/* Derivative of a row by coordinate i of the velocity at an end. */
static void put_velocity(const ac_jacobian_pass *s, int row, int node, int i, double value)
{
    const ac_optimization *o = s->o;
    int first = o->layout.first.velocity[node == 0 ? 0 : 1], W = o->layout.span;
    if (!o->layout.charted) {
        ac_jacobian_put(s, row, first + i, value);
        return;
    }
    ac_jacobian_put_run(s, row, first, o->layout.freedoms, ac_point_of(o, node).D + i * W, value);
    ac_jacobian_put_local(s, row, node, o->point.Vn + i * W, value);
}

/* grad s . v */
static void rate_jacobian(const ac_jacobian_pass *s, const ac_row_block *block)
{
    ac_optimization *o = s->o;
    held h;
    const double *v = o->point.velocity[block->place == 0 ? 0 : 1];
    prepare_rates(o, block->place);
    for (int k = 0; k < block->count; ++k) {
        evaluate(o, k, block->place, &h);
        for (int i = 0; i < h.count; ++i) {
            double bend = 0.0;
            for (int j = 0; j < h.plain; ++j) bend += h.hessian[i * h.count + j] * v[h.at[j]];
            if (i < h.plain) put_velocity(s, block->first + k, block->place, h.at[i], h.gradient[i]);
            ac_jacobian_put_q(s, block->first + k, block->place, h.at[i], bend);
        }
    }
}

static void friction_jacobian(const ac_jacobian_pass *s, const ac_row_block *block)
{
    int variable[3];
    double factor[3];
    for (int k = 0; k < block->count; ++k)
        for (int i = cone_parts(s->o, k, block->place, variable, factor) - 1; i >= 0; --i)
            ac_jacobian_put(s, block->first + k, variable[i], 2.0 * factor[i] * s->o->point.x[variable[i]]);
}

void ac_hold_rows_jacobian(const ac_jacobian_pass *s, const ac_row_block *block)
{
    held h;
    if (block->kind == AC_ROW_FRICTION) {
        friction_jacobian(s, block);
        return;
    }
    if (block->kind == AC_ROW_HOLD_RATE) {
        rate_jacobian(s, block);
        return;
    }
    for (int k = 0; k < block->count; ++k)
        for (int side = 0; side < 2; ++side) {
            evaluate(s->o, k, block->place + side, &h);
            for (int i = 0; i < h.count; ++i)
                ac_jacobian_put_q(s, block->first + k, block->place + side, h.at[i],
                                  side == 0 ? -h.gradient[i] : h.gradient[i]);
        }
}

/* --- second derivatives --- */

/* Second derivatives by the configuration of one node, on the coordinates of a scalar. */
static void put_block(const ac_hessian_pass *s, int node, const held *h, const double *block, double factor)
{
    for (int i = 0; i < h->count; ++i)
        for (int j = 0; j <= i; ++j)
            ac_hessian_put_qq(s, node, h->at[i], node, h->at[j], factor * block[i * h->count + j]);
}

static void times_vector(const held *h, const double *vector, double *out)
{
    for (int i = 0; i < h->count; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < h->plain; ++j) out[i] += h->hessian[i * h->count + j] * vector[h->at[j]];
    }
}

/* phi = -c h lambda v . grad s(q): what v = D mu adds when it changes by V */
static void force_chart(const ac_hessian_pass *s, int node, int k, const held *h)
{
    const ac_optimization *o = s->o;
    int W = o->layout.span, variable = ac_hold_variable(o, node) + k;
    const double *V = ac_hessian_along(o, node), *D = ac_point_of(o, node).D;
    double factor = force_factor(o, node), lambda = o->point.x[variable],
           *block = ac_hessian_diagonal(o, node);
    for (int i = 0; i < h->plain; ++i) {
        const double *Vi = V + h->at[i] * W;
        ac_hessian_put_local(s, variable, node, Vi, factor * o->point.h * h->gradient[i]);
        if (o->layout.by_time)
            ac_hessian_put_local(s, o->layout.first.time, node, Vi,
                                 factor * lambda * h->gradient[i] / o->layout.N);
        for (int j = 0; s->values && j < h->count; ++j) {
            double a = factor * o->point.h * lambda * h->hessian[i * h->count + j];
            const double *Dj = D + h->at[j] * W;
            for (int f = 0; a != 0.0 && f < W; ++f)
                for (int g = 0; g < W; ++g) block[f * W + g] += a * (Vi[f] * Dj[g] + Dj[f] * Vi[g]);
        }
    }
}

/* The same with v fixed, and the chart. */
static void force_curvature(const ac_hessian_pass *s, int node, int k)
{
    const ac_optimization *o = s->o;
    held h;
    int variable = ac_hold_variable(o, node) + k;
    const double *v = ac_hessian_weights(o, node);
    double factor = force_factor(o, node), lambda = o->point.x[variable], sum = 0.0, Hv[AC_SCALAR_MAX],
           third[AC_SCALAR_MAX * AC_SCALAR_MAX];
    evaluate(o, k, node, &h);
    times_vector(&h, v, Hv);
    for (int i = 0; i < h.count; ++i) {
        if (i < h.plain) sum += v[h.at[i]] * h.gradient[i];
        ac_hessian_put_qv(s, node, h.at[i], variable, factor * o->point.h * Hv[i]);
        ac_hessian_gradient(o, node, h.at[i], factor * o->point.h * lambda * Hv[i]);
        if (o->layout.by_time)
            ac_hessian_put_qv(s, node, h.at[i], o->layout.first.time, factor * lambda * Hv[i] / o->layout.N);
    }
    if (o->layout.by_time) ac_hessian_put(s, variable, o->layout.first.time, factor * sum / o->layout.N);
    if (o->layout.charted) force_chart(s, node, k, &h);
    ac_scalar_third(&o->description.scalars, o->description.phase.holds[k], ac_q(o, node), v, third);
    put_block(s, node, &h, third, factor * o->point.h * lambda);
}

void ac_hold_curvature(const ac_hessian_pass *s)
{
    const ac_optimization *o = s->o;
    for (int n = 0; n <= o->layout.N; ++n)
        for (int k = 0; k < o->description.phase.hold_count && ac_has_dynamics(o, n); ++k)
            force_curvature(s, n, k);
}

/* mu grad s(q) . v: bilinear but for the gradient */
static void rate_curvature(const ac_hessian_pass *s, const ac_row_block *block, int k, double mu)
{
    ac_optimization *o = s->o;
    held h;
    int e = block->place == 0 ? 0 : 1;
    double Hv[AC_SCALAR_MAX], third[AC_SCALAR_MAX * AC_SCALAR_MAX];
    const double *v = o->point.velocity[e];
    evaluate(o, k, block->place, &h);
    times_vector(&h, v, Hv);
    for (int i = 0; i < h.count; ++i) {
        ac_hessian_gradient(o, block->place, h.at[i], mu * Hv[i]);
        if (i >= h.plain) continue;
        o->point.Gw[(size_t)e * (size_t)o->layout.n + (size_t)h.at[i]] += mu * h.gradient[i];
        for (int j = 0; j < h.count; ++j)
            ac_hessian_put_pair(s, block->place, &(ac_ref){AC_REF_VELOCITY, h.at[i]},
                                &(ac_ref){AC_REF_A, h.at[j]}, mu * h.hessian[i * h.count + j]);
    }
    ac_scalar_third(&o->description.scalars, o->description.phase.holds[k], ac_q(o, block->place), v, third);
    put_block(s, block->place, &h, third, mu);
}

static void friction_curvature(const ac_hessian_pass *s, const ac_row_block *block, const double *mu)
{
    int variable[3];
    double factor[3];
    for (int k = 0; k < block->count; ++k)
        for (int i = cone_parts(s->o, k, block->place, variable, factor) - 1; i >= 0; --i)
            ac_hessian_put(s, variable[i], variable[i], 2.0 * mu[k] * factor[i]);
}

void ac_hold_rows_curvature(const ac_hessian_pass *s, const ac_row_block *block, const double *mu)
{
    ac_optimization *o = s->o;
    held h;
    if (block->kind == AC_ROW_FRICTION) {
        friction_curvature(s, block, mu);
        return;
    }
    if (block->kind == AC_ROW_HOLD_RATE) prepare_rates(o, block->place);
    for (int k = 0; k < block->count; ++k) {
        if (block->kind == AC_ROW_HOLD_RATE) {
            rate_curvature(s, block, k, mu[k]);
            continue;
        }
        for (int side = 0; side < 2; ++side) {
            double weight = side == 0 ? -mu[k] : mu[k];
            evaluate(o, k, block->place + side, &h);
            put_block(s, block->place + side, &h, h.hessian, weight);
            for (int i = 0; i < h.count; ++i)
                ac_hessian_gradient(o, block->place + side, h.at[i], weight * h.gradient[i]);
        }
    }
}
