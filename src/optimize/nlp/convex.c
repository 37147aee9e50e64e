/* The inertia of a sparse symmetric indefinite matrix, by the linear solver that Ipopt brings along.
 *
 * One step of Ipopt on the quadratic programme min b.x + x^T (H + shift I) x / 2, A x = 0 factorises
 * [H + shift I, A^T; A, -delta I] and adds to its upper block until as many eigenvalues are negative as there
 * are equations. What it had to add is reported after the step: nothing means that the form is convex. */
#include "optimize/nlp/convex.h"

#include <string.h>

#ifdef AC_HAVE_IPOPT
#include "math/math.h"
#include "optimize/nlp/ipopt.h"

typedef struct step {
    const ac_form *form;
    double shift, added;
    bool made;
} step;

/* A slope that looks random and is always the same. */
static double slope(int i)
{
    return ac_sin(12.9898 * (i + 1)) * ac_cos(78.233 * (i + 3));
}

static Bool gradient(Index n, Number *x, Bool new_x, Number *g, UserDataPtr user)
{
    const step *s = user;
    const ac_form *f = s->form;
    (void)new_x;
    for (int i = 0; i < n; ++i) g[i] = slope(i) + s->shift * x[i];
    for (int e = 0; e < f->hessian_entries; ++e) {
        int i = f->hessian_row[e], k = f->hessian_column[e];
        g[i] += f->hessian[e] * x[k];
        if (i != k) g[k] += f->hessian[e] * x[i];
    }
    return TRUE;
}

static Bool objective(Index n, Number *x, Bool new_x, Number *value, UserDataPtr user)
{
    const step *s = user;
    const ac_form *f = s->form;
    (void)new_x;
    *value = 0.0;
    for (int i = 0; i < n; ++i) *value += (slope(i) + 0.5 * s->shift * x[i]) * x[i];
    for (int e = 0; e < f->hessian_entries; ++e) {
        int i = f->hessian_row[e], k = f->hessian_column[e];
        *value += (i == k ? 0.5 : 1.0) * f->hessian[e] * x[i] * x[k];
    }
    return TRUE;
}

static Bool rows(Index n, Number *x, Bool new_x, Index m, Number *c, UserDataPtr user)
{
    const ac_form *f = ((const step *)user)->form;
    (void)n, (void)new_x;
    memset(c, 0, (size_t)m * sizeof *c);
    for (int e = 0; e < f->jacobian_entries; ++e)
        c[f->jacobian_row[e]] += f->jacobian[e] * x[f->jacobian_column[e]];
    return TRUE;
}

static Bool jacobian(Index n, Number *x, Bool new_x, Index m, Index entries, Index *row, Index *column,
                     Number *values, UserDataPtr user)
{
    const ac_form *f = ((const step *)user)->form;
    (void)n, (void)x, (void)new_x, (void)m;
    for (int e = 0; e < entries; ++e) {
        if (values) {
            values[e] = f->jacobian[e];
        } else {
            row[e] = f->jacobian_row[e];
            column[e] = f->jacobian_column[e];
        }
    }
    return TRUE;
}

/* The entries of H, then the shift on the diagonal. */
static Bool hessian(Index n, Number *x, Bool new_x, Number sigma, Index m, Number *mu, Bool new_mu,
                    Index entries, Index *row, Index *column, Number *values, UserDataPtr user)
{
    const step *s = user;
    const ac_form *f = s->form;
    (void)n, (void)x, (void)new_x, (void)m, (void)mu, (void)new_mu;
    for (int e = 0; e < entries; ++e) {
        bool own = e < f->hessian_entries;
        if (values) {
            values[e] = sigma * (own ? f->hessian[e] : s->shift);
        } else {
            row[e] = own ? f->hessian_row[e] : e - f->hessian_entries;
            column[e] = own ? f->hessian_column[e] : e - f->hessian_entries;
        }
    }
    return TRUE;
}

static Bool after_step(Index mode, Index iteration, Number f, Number violation, Number optimality,
                       Number barrier, Number length, Number added, Number dual, Number primal, Index trials,
                       UserDataPtr user)
{
    step *s = user;
    (void)mode, (void)f, (void)violation, (void)optimality, (void)barrier, (void)length, (void)dual;
    (void)primal, (void)trials;
    if (iteration == 0) return TRUE;
    s->added = added;
    s->made = true;
    return FALSE;
}

static bool set_options(IpoptProblem p)
{
    return ac_ipopt_text(p, "linear_solver", "mumps") && ac_ipopt_text(p, "sb", "yes") &&
           ac_ipopt_text(p, "option_file_name", "") && ac_ipopt_text(p, "nlp_scaling_method", "none") &&
           ac_ipopt_text(p, "perturb_always_cd", "yes") &&
           ac_ipopt_text(p, "accept_every_trial_step", "yes") &&
           ac_ipopt_number(p, "constr_mult_init_max", 0.0) && ac_ipopt_number(p, "mumps_pivtol", 1e-3) &&
           ac_ipopt_number(p, "mu_init", 1e-10) && ac_ipopt_count(p, "mumps_mem_percent", 200) &&
           ac_ipopt_count(p, "max_iter", 2) && ac_ipopt_count(p, "print_level", 0);
}

static ac_status one_step(ac_context *ctx, step *s, double *block)
{
    const ac_form *f = s->form;
    size_t n = (size_t)f->variables, m = (size_t)f->equations;
    double *lower = block, *upper = block + n, *zero = block + 2 * n, *x = zero + m, value;
    for (size_t i = 0; i < n; ++i) {
        lower[i] = -2e19;
        upper[i] = 2e19;
    }
    IpoptProblem problem = CreateIpoptProblem(f->variables, lower, upper, f->equations, zero, zero,
                                              f->jacobian_entries, f->hessian_entries + f->variables, 0,
                                              objective, rows, gradient, jacobian, hessian);
    if (!problem) return ac_out_of_memory(ctx);
    SetIntermediateCallback(problem, after_step);
    if (set_options(problem)) IpoptSolve(problem, x, NULL, &value, NULL, NULL, NULL, s);
    FreeIpoptProblem(problem);
    return AC_OK;
}

ac_status ac_form_is_convex(ac_context *ctx, const ac_form *form, double shift, ac_convexity *result)
{
    step s = {.form = form, .shift = shift};
    *result = AC_CONVEX;
    if (form->variables <= form->equations) return AC_OK; /* no freedom is left */
    double *block = ac_allocate(ctx, 3 * (size_t)form->variables + (size_t)form->equations + 1,
                                sizeof *block);
    if (!block) return ac_out_of_memory(ctx);
    ac_ipopt_lock();
    ac_status status = one_step(ctx, &s, block);
    ac_ipopt_unlock();
    ac_release(ctx, block);
    *result = !s.made ? AC_CONVEXITY_UNKNOWN : s.added > 0.0 ? AC_NOT_CONVEX : AC_CONVEX;
    return status;
}

#else

ac_status ac_form_is_convex(ac_context *ctx, const ac_form *form, double shift, ac_convexity *result)
{
    (void)ctx, (void)form, (void)shift;
    *result = AC_CONVEXITY_UNKNOWN;
    return AC_OK;
}

#endif
