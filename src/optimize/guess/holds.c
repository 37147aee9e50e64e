/* The forces of what a phase holds, as a guess: without one a foot begins without load, where dry friction has no
 * tangent, and the search needs hundreds of iterations to find the weight.
 *
 *   min | D^T (r - sum_k lambda_k grad s_k - sum_l lambda_l grad g_l) |     at every time node
 *
 * r is the weight; after a solution, whose motion is the guess, the residual of the dynamics. g are the constraints whose forces
 * are unknowns; D is the identity in redundant coordinates. */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "linalg/dense.h"
#include "math/math.h"
#include "optimize/problem/optimization.h"

static const double RANK_TOLERANCE = 1e-9;
static const double LEAST_PUSH = 0.05; /* of the largest force of the node: no contact begins without load */

typedef struct balance {
    ac_optimization *o;
    int rows, columns; /* of the dynamics; holds, then constraints */
    double *A, *b, *lambda, *load, *work;
    double *residuals; /* minimal coordinates: rows without these forces */
    int *ints;
    ac_row_space space;
} balance;

static ac_status create(ac_optimization *o, balance *s)
{
    s->o = o;
    s->rows = o->layout.width;
    s->columns = o->description.phase.hold_count + o->layout.used_constraints;
    AC_NEW(o->ctx, s->A, (size_t)s->rows * (size_t)s->columns);
    AC_NEW(o->ctx, s->b, s->rows);
    AC_NEW(o->ctx, s->lambda, s->columns);
    AC_NEW(o->ctx, s->load, o->layout.n);
    AC_NEW(o->ctx, s->residuals, o->layout.rows);
    AC_NEW(o->ctx, s->work, ac_row_space_doubles(s->columns, s->rows));
    AC_NEW(o->ctx, s->ints, ac_row_space_ints(s->columns, s->rows));
    ac_row_space_place(&s->space, s->columns, s->rows, s->work, s->ints);
    return AC_OK;
}

static void destroy(balance *s)
{
    void *blocks[] = {s->A, s->b, s->lambda, s->load, s->work, s->ints, s->residuals};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->o->ctx, blocks[k]);
}

/* A force per impulse of a node. */
static double share_of(const ac_optimization *o, int node)
{
    return 1.0 / (ac_multiplier_factor(o, node) * o->point.h);
}

/* What the forces of a node have to balance. */
static void load_of(const balance *s, int node)
{
    const ac_optimization *o = s->o;
    double share = share_of(o, node);
    for (int i = 0; i < o->layout.n; ++i)
        s->load[i] = o->description.guess.motion ? share * ac_residual(o, node)[i] : 0.0;
    if (!o->description.guess.motion) ac_gravity_add(o->system, 1.0, s->load);
}

/* out_f, `stride` numbers apart, = D_f . force, of a force on a few coordinates */
static void project(const balance *s, int node, int count, const int *at, const double *force, double *out,
                    int stride)
{
    const ac_optimization *o = s->o;
    const double *D = ac_point_of(o, node).D;
    for (int f = 0; f < s->rows; ++f) out[f * stride] = 0.0;
    for (int i = 0; i < count && !o->layout.charted; ++i) out[at[i] * stride] += force[i];
    for (int i = 0; i < count && o->layout.charted; ++i)
        for (int f = 0; f < s->rows; ++f) out[f * stride] += D[at[i] * o->layout.span + f] * force[i];
}

static void fill(const balance *s, int node)
{
    const ac_optimization *o = s->o;
    const ac_scalars *scalars = &o->description.scalars;
    const ac_constraints *c = &o->system->constraints;
    double gradient[AC_SCALAR_MAX], hessian[AC_SCALAR_MAX * AC_SCALAR_MAX];
    int holds = o->description.phase.hold_count;
    bool posed = ac_is_minimal(o) && o->description.guess.motion;
    for (int f = 0; f < s->rows; ++f)
        s->b[f] = posed               ? s->residuals[o->layout.dynamics_row[node] + f] * share_of(o, node)
                  : o->layout.charted ? 0.0
                                      : s->load[f];
    for (int i = 0; i < o->layout.n && o->layout.charted; ++i)
        for (int f = 0; f < s->rows; ++f)
            s->b[f] += ac_point_of(o, node).D[i * o->layout.span + f] * s->load[i];
    for (int k = 0; k < holds; ++k) {
        int scalar = o->description.phase.holds[k];
        double winding = o->point.scalar_windings[(size_t)node * (size_t)scalars->count + (size_t)scalar];
        ac_scalar_evaluate(scalars, scalar, ac_q(o, node), winding, gradient, hessian);
        project(s, node, scalars->list[scalar].plain, ac_scalar_coordinates(scalars, scalar), gradient,
                s->A + k, s->columns);
    }
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        int row = o->layout.constraint_rows[k];
        ac_constraint_gradient(o->system, row, ac_q(o, node), gradient);
        project(s, node, c->start[row + 1] - c->start[row], c->coordinate + c->start[row], gradient,
                s->A + holds + k, s->columns);
    }
}

static void put(const balance *s, int node)
{
    const ac_optimization *o = s->o;
    int holds = o->description.phase.hold_count;
    double most = 0.0;
    for (int k = 0; k < o->layout.used_constraints; ++k)
        if (ac_has_multiplier(o, node, k)) o->point.x[ac_multiplier(o, node) + k] = s->lambda[holds + k];
    for (int k = 0; k < holds; ++k) most = ac_max(most, fabs(s->lambda[k]));
    for (int k = 0; k < holds; ++k) {
        int at = ac_hold_variable(o, node) + k;
        double value = s->lambda[k];
        if (o->description.phase.pushes && o->description.phase.pushes[k])
            value = ac_min(value, -LEAST_PUSH * most);
        o->point.x[at] = ac_max(o->layout.bounds.lower[at], ac_min(o->layout.bounds.upper[at], value));
    }
}

ac_status ac_guess_holds(ac_optimization *o)
{
    balance s = {0};
    if (o->description.phase.hold_count == 0) return AC_OK;
    memset(o->point.x + o->layout.first.hold, 0,
           (size_t)(o->layout.N + 1) * (size_t)o->description.phase.hold_count * sizeof *o->point.x);
    memset(o->point.x + o->layout.first.multiplier, 0,
           (size_t)(o->layout.N + 1) * (size_t)o->layout.used_constraints * sizeof *o->point.x);
    o->point.fresh = false;
    ac_evaluate_at(o, o->point.x);
    ac_status status = create(o, &s);
    if (status == AC_OK && ac_is_minimal(o)) ac_evaluate_rows(o, s.residuals);
    for (int n = 0; n <= o->layout.N && status == AC_OK; ++n) {
        if (!ac_has_dynamics(o, n)) continue;
        load_of(&s, n);
        fill(&s, n);
        ac_least_squares(&s.space, s.A, s.b, RANK_TOLERANCE, s.lambda);
        put(&s, n);
    }
    destroy(&s);
    o->point.fresh = false;
    return status;
}
