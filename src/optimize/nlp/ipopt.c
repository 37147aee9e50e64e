/* The solver Ipopt. Only this file and convex.c know it. What its words promise: docs/verdicts.md.
 *
 * The iterate with the smallest violation and, among those that satisfy the constraints, the smallest
 * objective is kept, so that an interrupted or failed solve hands back the best point it has seen. The
 * linear solver it is built on keeps global data: one solve at a time in a process, behind a lock. */
#include "optimize/nlp/nlp.h"

#include <math.h>
#include <string.h>
#include <time.h>

#ifdef AC_HAVE_IPOPT
#include <pthread.h>

#include "optimize/nlp/ipopt.h"

static pthread_mutex_t the_lock;
static pthread_once_t lock_made = PTHREAD_ONCE_INIT;

static void make_lock(void)
{
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&the_lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

void ac_ipopt_lock(void)
{
    pthread_once(&lock_made, make_lock);
    pthread_mutex_lock(&the_lock);
}

void ac_ipopt_unlock(void)
{
    pthread_mutex_unlock(&the_lock);
}

typedef struct solve {
    const ac_nlp *nlp;
    double *now, *best, *start; /* newest point with values; the best so far; the first */
    double best_violation, best_objective;
    double tolerance, seconds;
    bool any, stopped;
    int iterations, before; /* before: of an earlier attempt */
} solve;

static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers beyond this overflow in the products of a factorisation, which then reads and writes anywhere. */
static const double LARGEST = 1e100;

static Bool all_usable(const double *x, int count)
{
    for (int i = 0; i < count; ++i)
        if (!(fabs(x[i]) <= LARGEST)) return FALSE;
    return TRUE;
}

static Bool eval_f(Index n, Number *x, Bool new_x, Number *f, UserDataPtr user)
{
    solve *s = user;
    (void)n, (void)new_x;
    double start = clock_now();
    bool good = s->nlp->objective(s->nlp->user, x, f) && all_usable(f, 1);
    s->seconds += clock_now() - start;
    return good ? TRUE : FALSE;
}

static Bool eval_grad_f(Index n, Number *x, Bool new_x, Number *g, UserDataPtr user)
{
    solve *s = user;
    (void)new_x;
    double start = clock_now();
    bool good = s->nlp->gradient(s->nlp->user, x, g) && all_usable(g, n);
    memcpy(s->now, x, (size_t)n * sizeof *x); /* gradients are taken at accepted points only */
    s->seconds += clock_now() - start;
    return good ? TRUE : FALSE;
}

static Bool eval_g(Index n, Number *x, Bool new_x, Index m, Number *c, UserDataPtr user)
{
    solve *s = user;
    (void)n, (void)new_x;
    double start = clock_now();
    bool good = s->nlp->values(s->nlp->user, x, c) && all_usable(c, m);
    s->seconds += clock_now() - start;
    return good ? TRUE : FALSE;
}

static void copy_places(int count, const int *from_row, const int *from_column, Index *row, Index *column)
{
    for (int k = 0; k < count; ++k) {
        row[k] = from_row[k];
        column[k] = from_column[k];
    }
}

static Bool eval_jac_g(Index n, Number *x, Bool new_x, Index m, Index entries, Index *row, Index *column,
                       Number *values, UserDataPtr user)
{
    solve *s = user;
    (void)n, (void)m, (void)new_x;
    if (!values) {
        copy_places(entries, s->nlp->jacobian_row, s->nlp->jacobian_column, row, column);
        return TRUE;
    }
    double start = clock_now();
    bool good = s->nlp->jacobian(s->nlp->user, x, values) && all_usable(values, entries);
    s->seconds += clock_now() - start;
    return good ? TRUE : FALSE;
}

static Bool eval_h(Index n, Number *x, Bool new_x, Number sigma, Index m, Number *mu, Bool new_mu,
                   Index entries, Index *row, Index *column, Number *values, UserDataPtr user)
{
    solve *s = user;
    (void)n, (void)m, (void)new_x, (void)new_mu;
    if (!values) {
        copy_places(entries, s->nlp->hessian_row, s->nlp->hessian_column, row, column);
        return TRUE;
    }
    double start = clock_now();
    bool good = s->nlp->hessian(s->nlp->user, x, sigma, mu, values) && all_usable(values, entries);
    s->seconds += clock_now() - start;
    return good ? TRUE : FALSE;
}

/* Prefers satisfied constraints, then a small objective. */
static bool better(const solve *s, double objective, double violation)
{
    if (!s->any) return true;
    if (violation <= s->tolerance && s->best_violation <= s->tolerance) return objective < s->best_objective;
    return violation < s->best_violation;
}

static Bool each_iteration(Index mode, Index iteration, Number f, Number violation, Number optimality,
                           Number barrier, Number step, Number regularisation, Number dual, Number primal,
                           Index trials, UserDataPtr user)
{
    solve *s = user;
    (void)barrier, (void)step, (void)regularisation, (void)dual, (void)primal, (void)trials;
    iteration += s->before;
    s->iterations = iteration;
    if (mode == 0 &&
        better(s, f, violation)) { /* objective and violation of the restoration phase mean something else */
        s->any = true;
        s->best_objective = f;
        s->best_violation = violation;
        memcpy(s->best, s->now, (size_t)s->nlp->variables * sizeof *s->best);
    }
    if (!s->nlp->iterate) return TRUE;
    s->stopped = !s->nlp->iterate(s->nlp->user, iteration, f, violation, optimality);
    return s->stopped ? FALSE : TRUE;
}

typedef struct outcome_row {
    int code;
    ac_nlp_outcome outcome;
    const char *words;
} outcome_row;

static const outcome_row OUTCOMES[] = {
    {Solve_Succeeded, AC_NLP_SOLVED, "solved: a local optimum to the tolerance"},
    {Solved_To_Acceptable_Level, AC_NLP_ACCEPTABLE,
     "solved to an acceptable level only; no further progress was possible"},
    {Infeasible_Problem_Detected, AC_NLP_INFEASIBLE,
     "no feasible point was found from this guess; the conditions may contradict each other"},
    {Search_Direction_Becomes_Too_Small, AC_NLP_ACCEPTABLE,
     "the steps became too small for further progress"},
    {Diverging_Iterates, AC_NLP_DIVERGED, "the unknowns grew without bound"},
    {User_Requested_Stop, AC_NLP_STOPPED, "interrupted"},
    {Feasible_Point_Found, AC_NLP_SOLVED, "solved: a point that satisfies all conditions"},
    {Maximum_Iterations_Exceeded, AC_NLP_LIMIT, "the limit of iterations was reached"},
    {Restoration_Failed, AC_NLP_INFEASIBLE, "no point nearby satisfies the conditions better"},
    {Error_In_Step_Computation, AC_NLP_FAILED,
     "no step could be computed: the conditions may depend on each other"},
    {Maximum_CpuTime_Exceeded, AC_NLP_LIMIT, "the limit of time was reached"},
    {Not_Enough_Degrees_Of_Freedom, AC_NLP_FAILED, "there are more conditions than unknowns"},
    {Invalid_Number_Detected, AC_NLP_FAILED, "a function could not be evaluated"},
};

static void report(int code, ac_nlp_result *result)
{
    result->outcome = AC_NLP_FAILED;
    result->words = "the solver failed";
    for (size_t k = 0; k < sizeof OUTCOMES / sizeof *OUTCOMES; ++k) {
        if (OUTCOMES[k].code != code) continue;
        result->outcome = OUTCOMES[k].outcome;
        result->words = OUTCOMES[k].words;
    }
}

bool ac_ipopt_text(IpoptProblem problem, const char *name, const char *value)
{
    char option[48], text[48]; /* the interface takes no constant strings */
    memset(option, 0, sizeof option);
    memset(text, 0, sizeof text);
    strncpy(option, name, sizeof option - 1);
    strncpy(text, value, sizeof text - 1);
    return AddIpoptStrOption(problem, option, text);
}

bool ac_ipopt_number(IpoptProblem problem, const char *name, double value)
{
    char option[48];
    memset(option, 0, sizeof option);
    strncpy(option, name, sizeof option - 1);
    return AddIpoptNumOption(problem, option, value);
}

bool ac_ipopt_count(IpoptProblem problem, const char *name, int value)
{
    char option[48];
    memset(option, 0, sizeof option);
    strncpy(option, name, sizeof option - 1);
    return AddIpoptIntOption(problem, option, value);
}

/* With next to nothing to choose the Hessian is next to zero. The analysis of the linear solver then pairs every unknown with an
 * equation, but these pairs are no good pivots where equations follow one another in time: they are put off from front to front,
 * and the fronts grow until the time goes with the fourth power of the number of intervals. */
static bool is_square(const ac_nlp *nlp)
{
    static const int MOST = 200; /* equations for each freedom that is left */
    int unknowns = 0, equations = 0;
    for (int i = 0; i < nlp->variables; ++i) unknowns += nlp->lower[i] < nlp->upper[i];
    for (int r = 0; r < nlp->constraints; ++r) equations += nlp->low[r] == nlp->high[r];
    return MOST * (unknowns - equations) < equations;
}

static bool set_options(IpoptProblem problem, const ac_nlp *nlp, const ac_nlp_options *o)
{
    bool good = ac_ipopt_text(problem, "linear_solver", "mumps") && ac_ipopt_text(problem, "sb", "yes") &&
                ac_ipopt_text(problem, "option_file_name", "") && /* no ipopt.opt of the current folder */
                ac_ipopt_number(problem, "tol", o->tolerance) &&
                ac_ipopt_number(problem, "constr_viol_tol", o->tolerance) &&
                ac_ipopt_number(problem, "dual_inf_tol", 1e3 * o->tolerance) &&
                ac_ipopt_number(problem, "acceptable_tol", 1e2 * o->tolerance) &&
                ac_ipopt_number(problem, "acceptable_constr_viol_tol", 1e2 * o->tolerance) &&
                ac_ipopt_count(problem, "max_iter", o->max_iterations) &&
                ac_ipopt_count(problem, "print_level", o->print);
    good = ac_ipopt_count(problem, "mumps_mem_percent", 200) &&
           ac_ipopt_number(problem, "bound_relax_factor", 0.0) && good;
    good = ac_ipopt_text(problem, "mu_strategy", o->small_barrier ? "monotone" : "adaptive") && good;
    if (is_square(nlp)) good = ac_ipopt_count(problem, "mumps_permuting_scaling", 0) && good;
    if (o->limited_memory) good = ac_ipopt_text(problem, "hessian_approximation", "limited-memory") && good;
    if (o->near_solution)
        good = ac_ipopt_number(problem, "bound_push", 1e-6) && ac_ipopt_number(problem, "bound_frac", 1e-6) &&
               ac_ipopt_number(problem, "slack_bound_push", 1e-6) &&
               ac_ipopt_number(problem, "slack_bound_frac", 1e-6) &&
               ac_ipopt_number(problem, "bound_mult_init_val", 1e-4) && good;
    if (o->small_barrier)
        good = ac_ipopt_text(problem, "bound_mult_init_method", "mu-based") &&
               ac_ipopt_number(problem, "mu_init", 1e-6) && good;
    return good;
}

/* Conditions that depend on each other make the linear systems singular; the scaling of the linear solver
 * takes that for granted then, and no regularisation helps. */
static bool use_plain_scaling(IpoptProblem problem)
{
    return ac_ipopt_count(problem, "mumps_permuting_scaling", 0) &&
           ac_ipopt_count(problem, "mumps_scaling", 0);
}

/* With the adaptive barrier a search may creep along limits that were met too early: the barrier is next to zero,
 * and their slacks keep every step short. The monotone barrier starts large enough to leave them. */
static bool use_patient_barrier(IpoptProblem problem)
{
    return ac_ipopt_text(problem, "mu_strategy", "monotone") && ac_ipopt_number(problem, "mu_init", 0.1) &&
           ac_ipopt_text(problem, "bound_mult_init_method", "mu-based");
}

static int solve_from(solve *s, IpoptProblem problem, const double *from, double *x, double *mu,
                      double *at_lower, double *at_upper, double *objective)
{
    s->before = s->iterations;
    memcpy(x, from, (size_t)s->nlp->variables * sizeof *x);
    return IpoptSolve(problem, x, NULL, objective, mu, at_lower, at_upper, s);
}

/* Solves. When no step can be computed: once more without the scaling of the linear solver. When the search stalls at
 * a feasible point: once more from there with the monotone barrier. */
static int solve_robustly(solve *s, IpoptProblem problem, double *x, double *mu, double *at_lower,
                          double *at_upper, double *objective)
{
    int code = IpoptSolve(problem, x, NULL, objective, mu, at_lower, at_upper, s);
    bool no_step = code == Restoration_Failed || code == Error_In_Step_Computation;
    bool stalled = no_step || code == Search_Direction_Becomes_Too_Small ||
                   code == Solved_To_Acceptable_Level;
    if (stalled && s->any && s->best_violation <= s->tolerance && use_patient_barrier(problem))
        return solve_from(s, problem, s->best, x, mu, at_lower, at_upper, objective);
    if (no_step && use_plain_scaling(problem))
        return solve_from(s, problem, s->start, x, mu, at_lower, at_upper, objective);
    return code;
}

static void run(solve *s, IpoptProblem problem, double *x, double *mu, double *at_lower, double *at_upper,
                ac_nlp_result *result)
{
    double objective = 0.0;
    SetIntermediateCallback(problem, each_iteration);
    int code = solve_robustly(s, problem, x, mu, at_lower, at_upper, &objective);
    report(code, result);
    result->objective = objective;
    result->iterations = s->iterations;
    result->functions_time = s->seconds;
    bool done = result->outcome == AC_NLP_SOLVED || result->outcome == AC_NLP_ACCEPTABLE;
    if (done || !s->any) return;
    if (code == Restoration_Failed &&
        s->best_violation <= s->tolerance) /* nothing to restore: it stands still */
        report(Search_Direction_Becomes_Too_Small, result);
    memcpy(x, s->best, (size_t)s->nlp->variables * sizeof *x);
    result->objective = s->best_objective;
}

ac_status ac_nlp_solve(ac_context *ctx, const ac_nlp *nlp, const ac_nlp_options *options, double *x,
                       double *mu, double *at_lower, double *at_upper, ac_nlp_result *result)
{
    solve s = {.nlp = nlp, .tolerance = options->tolerance};
    size_t n = (size_t)nlp->variables, m = (size_t)nlp->constraints;
    double *block = ac_allocate(ctx, 5 * n + 2 * m + 1, sizeof *block);
    if (!block) return ac_out_of_memory(ctx);
    double *lower = block, *upper = block + n, *low = block + 2 * n, *high = low + m;
    s.now = high + m;
    s.best = s.now + n;
    s.start = s.best + n;
    for (size_t i = 0; i < n; ++i) {
        lower[i] = isfinite(nlp->lower[i]) ? nlp->lower[i] : -2e19;
        upper[i] = isfinite(nlp->upper[i]) ? nlp->upper[i] : 2e19;
    }
    for (size_t i = 0; i < m; ++i) {
        low[i] = isfinite(nlp->low[i]) ? nlp->low[i] : -2e19;
        high[i] = isfinite(nlp->high[i]) ? nlp->high[i] : 2e19;
    }
    memcpy(s.now, x, n * sizeof *x);
    memcpy(s.start, x, n * sizeof *x);
    ac_status status = AC_OK;
    ac_ipopt_lock();
    IpoptProblem problem = CreateIpoptProblem(nlp->variables, lower, upper, nlp->constraints, low, high,
                                              nlp->jacobian_entries, nlp->hessian_entries, 0, eval_f, eval_g,
                                              eval_grad_f, eval_jac_g, eval_h);
    if (!problem) {
        status = ac_fail(ctx, AC_BAD_INPUT, "the solver refused the problem: %d unknowns, %d conditions",
                         nlp->variables, nlp->constraints);
    } else if (!set_options(problem, nlp, options)) {
        status = ac_fail(ctx, AC_BAD_INPUT, "the solver refused an option");
    } else {
        run(&s, problem, x, mu, at_lower, at_upper, result);
    }
    if (problem) FreeIpoptProblem(problem);
    ac_ipopt_unlock();
    ac_release(ctx, block);
    return status;
}

#else

ac_status ac_nlp_solve(ac_context *ctx, const ac_nlp *nlp, const ac_nlp_options *options, double *x,
                       double *mu, double *at_lower, double *at_upper, ac_nlp_result *result)
{
    (void)nlp, (void)options, (void)x, (void)mu, (void)at_lower, (void)at_upper, (void)result;
    return ac_fail(ctx, AC_BAD_INPUT, "this build has no solver for optimal control (Ipopt was not found)");
}

#endif
