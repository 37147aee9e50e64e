/* Gradient of a tracking functional over a whole interval, by the adjoint system with joints.
 *
 *     J = 1/2 |r(T)|^2 + 1/2 int |r|^2 dt + rho0/2 int |mu|^2 dt
 *
 * r are errors of a point, P q - p, and components of the rotation vector theta from the target to the body, R = exp(theta) R_p;
 * mu are forces and torques on them. In redundant coordinates q' = v, M v' = f(q, v, t) + G^T rho + P^T mu, G v' = -phi with phi_k = v.H_k v, and all rows are
 * quadratic (H_k constant), those that keep directors orthonormal among them. With K = [M G^T; G 0] the
 * accelerations and the adjoint need the same matrix: for the cotangent a of v,
 *
 *     K (lambda, kappa) = (a, 0)                                   so that G lambda = 0 always
 *     p' = -(f_q^T lambda + sum rho_k H_k lambda - sum kappa_k H_k v') - P^T r,     p(T) = P^T r(T), projected
 *     a' = -p - (f_v^T lambda - 2 sum kappa_k H_k v),                               a(T) = 0
 *     dJ/dmu = rho0 mu + P lambda
 *
 * A torque acts on the directors (P^T mu, action/torque.h) by forces that depend on q, too. Components S of theta change by
 * S T^-1(theta) omega, so that their r is the torque T^-T S theta in place of P^T r.
 *
 * Forward and backward by Runge-Kutta steps of order 4; backward steps are twice as long, since their middle is a
 * stored state. */
#include <math.h>
#include <string.h>

#include "action/element.h"
#include "action/inertia.h"
#include "action/load.h"
#include "action/torque.h"
#include "base/rotation.h"
#include "base/vector.h"
#include "linalg/dense.h"
#include "math/math.h"
#include "track/track.h"
#include "tree/kinematics.h"

typedef struct adjoint {
    ac_context *ctx;
    const ac_system *system;
    const ac_gradient_problem *problem;
    int n, m, size, targets; /* coordinates, rows, n + m, components that follow */
    int moved;               /* those of the position, which come first */
    const ac_node *node;     /* of the target */
    double *mass;            /* n x n */
    double *P;               /* moved x n */
    double *offset;          /* targets: P q + offset is the place */
    double *K;               /* size x size, factorised */
    int *pivot;
    double *x;       /* size */
    double *winding; /* winding of angles at the start */
    double *states;  /* (steps + 1) x 2 n */
    double *work[8];
    double *place, *mu, *r;
    double theta[3]; /* rotation vector from the target to the body */
} adjoint;

static ac_status make(adjoint *d)
{
    ac_context *ctx = d->ctx;
    size_t n = (size_t)d->n, size = (size_t)d->size, targets = (size_t)d->targets;
    AC_NEW(ctx, d->mass, n * n);
    AC_NEW(ctx, d->P, targets * n);
    AC_NEW(ctx, d->offset, targets);
    AC_NEW(ctx, d->K, size * size);
    AC_NEW(ctx, d->pivot, size);
    AC_NEW(ctx, d->x, size);
    AC_NEW(ctx, d->winding, d->system->measure_count);
    AC_NEW(ctx, d->states, ((size_t)d->problem->steps + 1) * 2 * n);
    AC_NEW(ctx, d->place, targets);
    AC_NEW(ctx, d->mu, targets);
    AC_NEW(ctx, d->r, targets);
    for (int k = 0; k < 8; ++k) AC_NEW(ctx, d->work[k], 2 * size);
    return AC_OK;
}

static void release(adjoint *d)
{
    void *blocks[] = {d->mass,    d->P,      d->offset, d->K,  d->pivot, d->x,
                      d->winding, d->states, d->place,  d->mu, d->r};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(d->ctx, blocks[k]);
    for (int k = 0; k < 8; ++k) ac_release(d->ctx, d->work[k]);
}

/* Mass matrix, rows of the targets, winding. */
static void begin(adjoint *d)
{
    const ac_system *system = d->system;
    double *unit = d->work[0], *column = d->work[1];
    for (int j = 0; j < d->n; ++j) {
        memset(unit, 0, (size_t)d->n * sizeof *unit);
        unit[j] = 1.0;
        ac_mass_apply(system, unit, column);
        for (int i = 0; i < d->n; ++i) d->mass[i * d->n + j] = column[i];
    }
    for (int k = 0; k < system->measure_count; ++k) d->winding[k] = system->measures[k].initial;
    const ac_node *node = d->node;
    double local[3];
    for (int k = 0; k < 3; ++k) local[k] = d->problem->target.place[k] - node->centre[k];
    ac_affine3 point = ac_node_point(node, node->q, local);
    for (int c = 0, row = 0; c < 3; ++c) {
        if (!d->problem->target.position[c] || c >= node->dimension) continue;
        const ac_affine *part = &point.part[c];
        for (int i = 0; i < part->count; ++i) d->P[row * d->n + part->index[i]] += part->coefficient[i];
        d->offset[row++] = part->constant;
    }
}

/* Does the orientation follow about axis c? Planar bodies turn about z alone. */
static bool turns_about(const ac_node *node, const ac_track_target *target, int c)
{
    return target->rotation[c] && c >= 3 - ac_node_turns(node);
}

/* A torque on the target's node, as forces on its coordinates. */
static void add_torque(const adjoint *d, const double *q, const double torque[3], double *out)
{
    ac_torque_add(d->node, q + d->node->q, torque, 1.0, out + d->node->q);
}

/* Slopes of lambda . f for these forces f: by the coordinates, added to by_q (or NULL), and by the torque. */
static void pull_torque(const adjoint *d, const double *q, const double torque[3], const double *lambda,
                        double *by_q, double by_torque[3])
{
    double by_x[AC_NODE_MAX * AC_NODE_MAX], by_T[AC_NODE_MAX * 3];
    int size = d->node->size, first = d->node->q;
    ac_torque_slopes(d->node, q + first, torque, by_x, by_T);
    for (int c = 0; c < 3; ++c) by_torque[c] = 0.0;
    for (int i = 0; i < size; ++i) {
        for (int j = 0; by_q && j < size; ++j) by_q[first + j] += lambda[first + i] * by_x[i * size + j];
        for (int c = 0; c < 3; ++c) by_torque[c] += lambda[first + i] * by_T[i * 3 + c];
    }
}

/* From the components that follow to a vector. */
static void turned(const adjoint *d, const double *components, double vector[3])
{
    for (int c = 0, k = d->moved; c < 3; ++c)
        vector[c] = turns_about(d->node, &d->problem->target, c) ? components[k++] : 0.0;
}

/* out += the slope of |r|^2/2 by q, where r is known. */
static void add_pull(const adjoint *d, const double *q, double *out)
{
    for (int c = 0; c < d->moved; ++c)
        for (int i = 0; i < d->n; ++i) out[i] += d->P[c * d->n + i] * d->r[c];
    if (d->targets == d->moved) return;
    double T[9], error[3], pull[3], normal[3];
    turned(d, d->r, error);
    ac_rotation_tangent(d->theta, T);
    for (int k = 0; k < 3; ++k) { /* T^T pull = error, by Cramer's rule; det T > 0 up to half a turn */
        cross3(T + 3 * ((k + 1) % 3), T + 3 * ((k + 2) % 3), normal);
        pull[k] = dot3(error, normal) / dot3(T + 3 * k, normal);
    }
    add_torque(d, q, pull, out);
}

/* out += factor H_k x for row k */
static void add_row_hessian(const adjoint *d, int row, const double *x, double factor, double *out)
{
    const ac_constraints *c = &d->system->constraints;
    int first = c->start[row], width = c->start[row + 1] - first;
    double H[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    memset(H, 0, (size_t)(width * width) * sizeof *H);
    ac_form_add_hessian(&c->forms, row, factor, width, H);
    for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j)
            out[c->coordinate[first + i]] += H[i * width + j] * x[c->coordinate[first + j]];
}

static void factor_K(adjoint *d, const double *q)
{
    const ac_constraints *c = &d->system->constraints;
    double gradient[AC_ELEMENT_MAX];
    int s = d->size;
    memset(d->K, 0, (size_t)s * (size_t)s * sizeof *d->K);
    for (int i = 0; i < d->n; ++i) memcpy(d->K + i * s, d->mass + i * d->n, (size_t)d->n * sizeof *d->K);
    for (int row = 0; row < d->m; ++row) {
        ac_constraint_gradient(d->system, row, q, gradient);
        for (int k = c->start[row]; k < c->start[row + 1]; ++k) {
            int j = c->coordinate[k];
            d->K[(d->n + row) * s + j] = d->K[j * s + d->n + row] = gradient[k - c->start[row]];
        }
    }
}

/* Slopes of loads that turn with their nodes: out += (df/dq)^T lambda. */
static void add_load_slopes(const adjoint *d, const double *q, double t, const double *lambda, double *by_q)
{
    double slope[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    int nodes[2], at[AC_ELEMENT_MAX];
    for (int k = 0; k < d->system->load_count; ++k) {
        int count = ac_load_slope(d->system, k, t, 0.0, q, d->winding, nodes, slope), n = 0;
        if (count == 0) continue;
        for (int e = 0; e < count; ++e) n += d->system->nodes[nodes[e]].size;
        ac_block_coordinates(d->system, nodes, count, at);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) by_q[at[j]] += slope[i * n + j] * lambda[at[i]];
    }
}

/* Slopes of springs and dampers: out += (df/dq)^T lambda, (df/dv)^T lambda. */
static void add_slopes(const adjoint *d, const double *q, const double *v, const double *lambda, double *by_q,
                       double *by_v)
{
    double x[AC_ELEMENT_MAX], xv[AC_ELEMENT_MAX], l[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX],
        sum[2][AC_ELEMENT_MAX];
    double A[AC_ELEMENT_MAX * AC_ELEMENT_MAX], B[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    for (int e = 0; e < ac_element_kind_count(); ++e) {
        const ac_element_kind *kind = ac_element_kinds[e];
        for (int k = 0; k < kind->count(d->system); ++k) {
            ac_element_place where = ac_element_where(d->system, kind, k);
            int n = where.size;
            ac_element_gather(d->system, &where, q, x);
            ac_element_gather(d->system, &where, v, xv);
            ac_element_gather(d->system, &where, lambda, l);
            memset(sum, 0, sizeof sum);
            if (ac_element_conservative(kind, d->system, k)) {
                ac_element_hessian(kind, d->system, k, x, d->winding, A);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j) sum[0][j] -= A[i * n + j] * l[i];
            }
            if (ac_element_dissipative(kind, d->system, k)) {
                ac_element_force(kind, d->system, k, x, xv, d->winding, f, A, B);
                for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j) {
                        sum[0][j] += A[i * n + j] * l[i];
                        sum[1][j] += B[i * n + j] * l[i];
                    }
            }
            ac_element_scatter(d->system, &where, sum[0], 1.0, by_q);
            ac_element_scatter(d->system, &where, sum[1], 1.0, by_v);
        }
    }
}

static void add_forces(const adjoint *d, const double *q, const double *v, double t, double *f)
{
    double x[AC_ELEMENT_MAX], xv[AC_ELEMENT_MAX], own[AC_ELEMENT_MAX];
    ac_gravity_add(d->system, 1.0, f);
    ac_loads_add(d->system, t, 0.0, q, d->winding, 1.0, f);
    ac_potential_add_gradient(d->system, q, d->winding, -1.0, f);
    for (int e = 0; e < ac_element_kind_count(); ++e) {
        const ac_element_kind *kind = ac_element_kinds[e];
        for (int k = 0; k < kind->count(d->system); ++k) {
            if (!ac_element_dissipative(kind, d->system, k)) continue;
            ac_element_place where = ac_element_where(d->system, kind, k);
            ac_element_gather(d->system, &where, q, x);
            ac_element_gather(d->system, &where, v, xv);
            ac_element_force(kind, d->system, k, x, xv, d->winding, own, NULL, NULL);
            ac_element_scatter(d->system, &where, own, 1.0, f);
        }
    }
}

/* Accelerations and multipliers into d->x (rho with the sign of M v' + G^T rho' = f: rho' = -rho); K stays factorised. */
static bool accelerate(adjoint *d, const double *q, const double *v, double t)
{
    d->problem->control(d->problem->user, t, d->mu);
    factor_K(d, q);
    memset(d->x, 0, (size_t)d->size * sizeof *d->x);
    add_forces(d, q, v, t, d->x);
    for (int c = 0; c < d->moved; ++c)
        for (int i = 0; i < d->n; ++i) d->x[i] += d->P[c * d->n + i] * d->mu[c];
    double torque[3];
    turned(d, d->mu, torque);
    add_torque(d, q, torque, d->x);
    for (int row = 0; row < d->m; ++row) {
        double *Hv = d->work[7], sum = 0.0;
        memset(Hv, 0, (size_t)d->n * sizeof *Hv);
        add_row_hessian(d, row, v, 1.0, Hv);
        for (int i = 0; i < d->n; ++i) sum += Hv[i] * v[i];
        d->x[d->n + row] = -sum;
    }
    if (!ac_lu_factor(d->size, d->K, d->pivot)) return false;
    ac_lu_solve(d->size, d->K, d->pivot, d->x);
    return true;
}

static void residual(adjoint *d, const double *q, double t)
{
    if (d->moved > 0) d->problem->place(d->problem->user, t, d->place);
    for (int c = 0; c < d->moved; ++c) {
        d->r[c] = d->offset[c] - d->place[c];
        for (int i = 0; i < d->n; ++i) d->r[c] += d->P[c * d->n + i] * q[i];
    }
    if (d->targets == d->moved) return;
    double x[3], R[9], wanted[9], between[9];
    ac_node_get_pose(d->node, q + d->node->q, x, R);
    d->problem->rotation(d->problem->user, t, wanted);
    multiply_transposed3(R, wanted, between);
    ac_rotation_log(between, d->theta);
    for (int c = 0, k = d->moved; c < 3; ++c)
        if (turns_about(d->node, &d->problem->target, c)) d->r[k++] = d->theta[c];
}

/* y' of the state y = (q, v). */
static bool forward(adjoint *d, const double *y, double t, double *rate)
{
    if (!accelerate(d, y, y + d->n, t)) return false;
    memcpy(rate, y + d->n, (size_t)d->n * sizeof *rate);
    memcpy(rate + d->n, d->x, (size_t)d->n * sizeof *rate);
    return true;
}

/* y' of the adjoint y = (p, a) at node k; lambda is left in work[6]. */
static bool backward(adjoint *d, long k, const double *y, double *rate)
{
    int n = d->n;
    const double *q = d->states + (size_t)k * 2 * (size_t)n, *v = q + n, *p = y, *a = y + n;
    double t = (double)k * d->problem->duration / (double)d->problem->steps, *solved = d->work[6];
    if (!accelerate(d, q, v, t)) return false;
    memcpy(solved, a, (size_t)n * sizeof *solved);
    memset(solved + n, 0, (size_t)d->m * sizeof *solved);
    ac_lu_solve(d->size, d->K, d->pivot, solved);
    residual(d, q, t);
    memset(rate, 0, 2 * (size_t)n * sizeof *rate);
    double *by_q = rate, *by_v = rate + n;
    add_slopes(d, q, v, solved, by_q, by_v);
    add_load_slopes(d, q, t, solved, by_q);
    for (int row = 0; row < d->m; ++row) {
        add_row_hessian(d, row, solved, -d->x[n + row], by_q);
        add_row_hessian(d, row, d->x, -solved[n + row], by_q);
        add_row_hessian(d, row, v, -2.0 * solved[n + row], by_v);
    }
    double torque[3], unused[3];
    turned(d, d->mu, torque);
    pull_torque(d, q, torque, solved, by_q, unused);
    add_pull(d, q, by_q);
    for (int i = 0; i < n; ++i) {
        rate[i] = -by_q[i];
        rate[n + i] = -p[i] - by_v[i];
    }
    return true;
}

static ac_status singular(adjoint *d, long k)
{
    return ac_fail(d->ctx, AC_SINGULAR,
                   "step %ld of the adjoint: redundant joints have no unique multipliers", k);
}

/* J along the motion, by Simpson's rule. */
static ac_status run_forward(adjoint *d, double *J)
{
    long N = d->problem->steps;
    size_t width = 2 * (size_t)d->n;
    double h = d->problem->duration / (double)N, *y = d->states, sum = 0.0;
    double **k = d->work, *at = d->work[4];
    memcpy(y, d->system->initial.q, (size_t)d->n * sizeof *y);
    memcpy(y + d->n, d->system->initial.v, (size_t)d->n * sizeof *y);
    for (long s = 0; s <= N; ++s, y += width) {
        double t = (double)s * h, square = 0.0, weight = s == 0 || s == N ? 1.0 : s % 2 ? 4.0 : 2.0;
        residual(d, y, t);
        d->problem->control(d->problem->user, t, d->mu);
        for (int c = 0; c < d->targets; ++c) {
            square += d->r[c] * d->r[c] + d->problem->rho0 * d->mu[c] * d->mu[c];
            if (s == N) sum += 0.5 * d->r[c] * d->r[c];
        }
        sum += 0.5 * square * weight * h / 3.0;
        if (s == N) break;
        static const double place[4] = {0.0, 0.5, 0.5, 1.0};
        for (int i = 0; i < 4; ++i) {
            for (size_t j = 0; j < width; ++j) at[j] = y[j] + (i ? place[i] * h * k[i - 1][j] : 0.0);
            if (!forward(d, at, t + place[i] * h, k[i])) return singular(d, s);
        }
        for (size_t j = 0; j < width; ++j)
            y[width + j] = y[j] + h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
    }
    *J = sum;
    return AC_OK;
}

/* p(T) = P^T r(T) without its part along the rows of the joints, in the norm of the inverse mass. */
static bool terminal(adjoint *d, double *y)
{
    long N = d->problem->steps;
    const double *q = d->states + (size_t)N * 2 * (size_t)d->n;
    double *solved = d->work[6];
    residual(d, q, d->problem->duration);
    memset(y, 0, 2 * (size_t)d->n * sizeof *y);
    add_pull(d, q, y);
    factor_K(d, q);
    if (!ac_lu_factor(d->size, d->K, d->pivot)) return false;
    memcpy(solved, y, (size_t)d->n * sizeof *solved);
    memset(solved + d->n, 0, (size_t)d->m * sizeof *solved);
    ac_lu_solve(d->size, d->K, d->pivot, solved);
    for (int i = 0; i < d->n; ++i) { /* M lambda = P^T r - G^T kappa */
        y[i] = 0.0;
        for (int j = 0; j < d->n; ++j) y[i] += d->mass[i * d->n + j] * solved[j];
    }
    return true;
}

/* g = rho0 mu + P lambda */
static void add_control_slope(const adjoint *d, const double *q, const double *lambda, double *g)
{
    const double none[3] = {0.0, 0.0, 0.0};
    double by_torque[3];
    for (int c = 0; c < d->targets; ++c) g[c] = d->problem->rho0 * d->mu[c];
    for (int c = 0; c < d->moved; ++c)
        for (int i = 0; i < d->n; ++i) g[c] += d->P[c * d->n + i] * lambda[i];
    if (d->targets == d->moved) return;
    pull_torque(d, q, none, lambda, NULL, by_torque);
    for (int c = 0, k = d->moved; c < 3; ++c)
        if (turns_about(d->node, &d->problem->target, c)) g[k++] += by_torque[c];
}

static ac_status run_backward(adjoint *d, double *gradient, double *hidden)
{
    long N = d->problem->steps;
    size_t width = 2 * (size_t)d->n;
    double h = -2.0 * d->problem->duration / (double)N;
    double **k = d->work, *at = d->work[4], *y = d->work[5], rate[AC_ELEMENT_MAX];
    if (!terminal(d, y)) return singular(d, N);
    *hidden = 0.0;
    for (long s = N;; s -= 2) {
        if (!backward(d, s, y, k[0])) return singular(d, s);
        double *g = gradient + s / 2 * d->targets, *lambda = d->work[6];
        const double *q = d->states + (size_t)s * width;
        add_control_slope(d, q, lambda, g);
        for (int row = 0; row < d->m; ++row) { /* G lambda = 0 */
            const ac_constraints *c = &d->system->constraints;
            double sum = 0.0;
            ac_constraint_gradient(d->system, row, q, rate);
            for (int i = c->start[row]; i < c->start[row + 1]; ++i)
                sum += rate[i - c->start[row]] * lambda[c->coordinate[i]];
            *hidden = ac_max(*hidden, fabs(sum));
        }
        if (s == 0) return AC_OK;
        for (int i = 1; i < 4; ++i) {
            for (size_t j = 0; j < width; ++j) at[j] = y[j] + (i == 3 ? h : 0.5 * h) * k[i - 1][j];
            if (!backward(d, s - (i == 3 ? 2 : 1), at, k[i])) return singular(d, s);
        }
        for (size_t j = 0; j < width; ++j)
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
    }
}

ac_status ac_track_gradient(ac_context *ctx, const ac_system *system, const ac_gradient_problem *problem,
                            double *J, double *gradient, double *hidden)
{
    adjoint d = {
        .ctx = ctx, .system = system, .problem = problem, .n = system->n, .m = system->constraints.count};
    if (!system->finished || system->beam_count > 0)
        return ac_fail(ctx, AC_BAD_INPUT, "the gradient takes a finished system of bodies and points");
    if (problem->steps < 2 || problem->steps % 2 || !(problem->duration > 0.0))
        return ac_fail(ctx, AC_BAD_INPUT, "the gradient takes an even number of steps over a positive time");
    if (problem->target.node < 0 || problem->target.node >= system->node_count)
        return ac_fail(ctx, AC_BAD_INPUT, "the gradient takes a target on a node of the system");
    d.node = &system->nodes[problem->target.node];
    for (int c = 0; c < 3; ++c) d.moved += problem->target.position[c] && c < d.node->dimension;
    d.targets = d.moved;
    for (int c = 0; c < 3; ++c) d.targets += turns_about(d.node, &problem->target, c);
    if (d.targets > d.moved && !problem->rotation)
        return ac_fail(ctx, AC_BAD_INPUT, "the gradient needs the rotation that the target has");
    d.size = d.n + d.m;
    ac_status status = make(&d);
    if (status == AC_OK) {
        begin(&d);
        status = run_forward(&d, J);
    }
    if (status == AC_OK) status = run_backward(&d, gradient, hidden);
    release(&d);
    return status;
}
