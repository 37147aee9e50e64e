/* Formulation in joint coordinates: the trapezoidal rule for the coordinates themselves, of open trees of rigid bodies.
 *
 *   L_d = h/2 [L(a, v) + L(b, v)],  v = (b - a) / h,   L(theta, v) = 1/2 v^T m(theta) v - V(theta)
 *   p_a + D1 L_d = J(a)^T lambda,   g(b) = 0           g: rows of closed contacts
 *
 * The other formulations apply the rule to places and directors: the same order, other configurations. Its Lagrangian is that of
 * action/chart/minimal.h. Momenta of the stepper are those of places and directors, corrected along the motions of the tree so
 * that D^T p is the momentum of the joint coordinates: what observes or changes them need not know the difference. */
#include <math.h>
#include <string.h>

#include "action/chart/chart_interval.h"
#include "action/load.h"
#include "action/interval.h"
#include "integrate/stepper.h"
#include "linalg/dense.h"
#include "math/math.h"

static const double RANK_TOLERANCE = 1e-9;
/* Turns of a step beyond which a ball is lost near the singular place of its three turns, rad; cosine of the second one that is
 * near. */
static const double WIDE_TURN = 0.5, NEAR_SINGULAR = 0.5;

typedef struct minimal {
    int T, rows, most, kept; /* kept: freedoms of the motion, T less the rank of the rows */
    ac_discrete discrete;    /* springs */
    ac_chart_interval on;
    double *before, *older; /* coordinates before theta_a */
    double *momentum;       /* handed to q_a */
    double *J, *N, *Jb, *g;
    double *r, *K, *delta, *base, *work;
    int *pivot;
    ac_joint_state *state;
    ac_row_space space;
    double *block;
    int *ints;
} minimal;

/* --- making and freeing --- */

static ac_status check(const ac_stepper *s)
{
    const ac_system *system = s->system;
    bool loops = system->constraints.count > system->constraints.closure;
    if (s->scheme->at_mean || strcmp(s->scheme->name, "trapezoidal") != 0)
        return ac_fail(s->ctx, AC_BAD_INPUT,
                       "the minimal formulation simulates with the trapezoidal scheme, not with '%s'",
                       s->scheme->name);
    if (loops || system->beam_count > 0 || ac_is_loaded(system) || s->interval.controls || s->extended ||
        !s->interval.undamped)
        return ac_fail(
            s->ctx, AC_BAD_INPUT,
            "the minimal formulation is for comparison: open trees of rigid bodies with gravity, springs "
            "without damping and contacts, and steps of equal length; use reduced");
    return AC_OK;
}

/* In the initial state all coordinates of the chart are zero. */
static ac_status restart(ac_stepper *s)
{
    minimal *d = s->data;
    AC_TRY(ac_discrete_restart(&d->discrete));
    ac_chart_interval_restart(&d->on);
    double *const rows[] = {d->on.end[0].theta, d->on.end[1].theta, d->before, d->older};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k)
        memset(rows[k], 0, (size_t)d->T * sizeof *rows[k]);
    return AC_OK;
}

static ac_status create(ac_stepper *s)
{
    AC_TRY(check(s));
    minimal *d;
    AC_NEW(s->ctx, d, 1);
    s->data = d;
    d->T = s->system->tree.freedoms;
    d->most = s->more.most;
    size_t T = (size_t)d->T, most = (size_t)d->most;
    AC_TRY(ac_interval_open(s->ctx, s->system, s->scheme->name, NULL, NULL, &d->discrete));
    AC_TRY(ac_chart_interval_create(s->ctx, s->system, &d->discrete, &d->on));
    const struct {
        double **vector;
        size_t size;
    } vectors[] = {{&d->before, T}, {&d->older, T},     {&d->momentum, T}, {&d->J, most * T},
                   {&d->N, T * T},  {&d->Jb, most * T}, {&d->g, most},     {&d->r, T},
                   {&d->K, T * T},  {&d->delta, T},     {&d->base, T},     {&d->work, T * T}};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k)
        AC_NEW(s->ctx, *vectors[k].vector, vectors[k].size + 1);
    AC_NEW(s->ctx, d->pivot, T + 1);
    AC_NEW(s->ctx, d->state, s->system->node_count);
    AC_NEW(s->ctx, d->block, ac_row_space_doubles(d->most, d->T) + 1);
    AC_NEW(s->ctx, d->ints, ac_row_space_ints(d->most, d->T) + 1);
    return restart(s);
}

static void destroy(ac_stepper *s)
{
    minimal *d = s->data;
    void *blocks[] = {d->before, d->older, d->momentum, d->J,    d->N,     d->Jb,    d->g,     d->r,
                      d->K,      d->delta, d->base,     d->work, d->pivot, d->state, d->block, d->ints};
    ac_chart_interval_destroy(&d->on);
    ac_discrete_destroy(&d->discrete);
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(s->ctx, blocks[k]);
    ac_release(s->ctx, d);
    s->data = NULL;
}

static int unknowns(const ac_stepper *s)
{
    const minimal *d = s->data;
    return d->T;
}

/* Coordinates of q_a: full turns are those that the stepper counts. */
static void enter(ac_stepper *s)
{
    minimal *d = s->data;
    const ac_system *system = s->system;
    const ac_joint_state *start = d->on.end[0].at.reference;
    for (int i = 0; i < system->node_count; ++i)
        ac_joint_read_state(system, &system->nodes[i], s->qa, &d->state[i]);
    ac_chart_between(&d->on.chart, start, d->state, d->on.end[0].theta);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        const ac_joint_data *joint = node->joint < 0 ? NULL : &system->joints[node->joint];
        for (int c = 0; joint && joint->first_measure >= 0 && c < ac_row_coordinates(joint->row); ++c) {
            const ac_measure *measure = &system->measures[joint->first_measure + c];
            const ac_walk_step *step = ac_walk_coordinate(node, c);
            if (measure->kind != AC_MEASURE_ANGLE || !step) continue;
            d->on.end[0].theta[node->u + step->freedom] =
                (joint->reversed ? -1.0 : 1.0) * (s->winding[joint->first_measure + c] - measure->initial);
        }
    }
    memcpy(d->before, d->on.end[0].theta, (size_t)d->T * sizeof *d->before);
    memcpy(d->older, d->before, (size_t)d->T * sizeof *d->older);
}

/* --- one step --- */

/* J = G D: rows of closed contacts at an end of the interval, by the coordinates of the chart. They are not those of the tree where
 * a body turns about several axes. */
static void find_rows(ac_stepper *s, minimal *d, const ac_chart_end *e, double *J)
{
    int T = d->T, n = s->system->n;
    double *gradient = s->scratch[0];
    for (int k = 0; k < d->rows; ++k) {
        s->more.gradient(s->more.user, k, e->at.point.q, gradient);
        for (int f = 0; f < T; ++f) J[k * T + f] = 0.0;
        for (int i = 0; i < n; ++i)
            for (int f = 0; f < T; ++f) J[k * T + f] += gradient[i] * e->at.point.D[i * T + f];
    }
}

static void prepare(ac_stepper *s)
{
    minimal *d = s->data;
    ac_chart_end *a = &d->on.end[0];
    int T = d->T;
    d->rows = s->more.count;
    ac_minimal_at(&a->at, a->theta);
    for (int f = 0; f < T; ++f) {
        d->momentum[f] = 0.0;
        for (int i = 0; i < s->system->n; ++i) d->momentum[f] += a->at.point.D[i * T + f] * s->p[i];
    }
    find_rows(s, d, a, d->J);
    ac_row_space_place(&d->space, d->rows, T, d->block, d->ints);
    d->space.rank = 0;
    if (d->rows > 0) ac_row_space_factor(&d->space, d->J, RANK_TOLERANCE, d->rows);
    d->kept = T - d->space.rank;
    memset(d->N, 0, (size_t)(T * T) * sizeof *d->N);
    for (int f = 0; f < T && d->rows == 0; ++f) d->N[f * T + f] = 1.0;
    if (d->rows > 0) ac_row_space_null(&d->space, d->N);
}

static void guess(ac_stepper *s, ac_guess kind)
{
    minimal *d = s->data;
    const double *a = d->on.end[0].theta, *rates = s->rates       ? s->rates
                                                   : s->step == 0 ? s->system->initial.u
                                                                  : NULL;
    double *b = d->on.end[1].theta;
    for (int f = 0; f < d->T; ++f) {
        double last = a[f] - d->before[f];
        b[f] = a[f];
        if (kind == AC_GUESS_RESTING) continue;
        if (s->past == 0)
            b[f] += rates ? s->h * rates[f] : 0.0;
        else
            b[f] += kind == AC_GUESS_REPEATED || s->past == 1 ? last
                                                              : 2.0 * last - (d->before[f] - d->older[f]);
    }
}

/* Momenta of the discrete Lagrangian at the present theta_b. */
static void evaluate(ac_stepper *s, minimal *d)
{
    ac_chart_end *b = &d->on.end[1];
    ac_minimal_at(&b->at, b->theta);
    memcpy(s->qb, b->at.point.q, (size_t)s->system->n * sizeof *s->qb);
    ac_chart_interval_evaluate(&d->on, s->interval.h);
    ac_stepper_evaluate(s);
}

/* The inertia of a column of the null space at q_a. */
static double inertia_of(const minimal *d, int c)
{
    double sum = 0.0;
    for (int f = 0; f < d->T; ++f)
        for (int g = 0; g < d->T; ++g)
            sum += d->N[f * d->kept + c] * d->on.end[0].p_v[f * d->T + g] * d->N[g * d->kept + c];
    return sum;
}

static double residual(ac_stepper *s)
{
    minimal *d = s->data;
    double most = 0.0;
    evaluate(s, d);
    s->last.worst_is_constraint = false;
    s->last.gap = 0.0;
    for (int c = 0; c < d->kept; ++c) {
        d->r[c] = 0.0;
        for (int f = 0; f < d->T; ++f) d->r[c] += d->N[f * d->kept + c] * (d->momentum[f] + d->on.left[f]);
        double size = fabs(d->r[c]) * s->interval.h / inertia_of(d, c);
        if (!(size > most) && !isnan(size)) continue;
        most = size;
        s->last.worst_row = d->rows == 0 ? c : 0;
    }
    if (d->rows > 0) s->more.values(s->more.user, s->qb, d->g);
    for (int k = 0; k < d->rows; ++k) {
        double size = fabs(d->g[k]) / s->system->length_scale;
        s->last.gap = ac_max(s->last.gap, size);
        if (!(size > most) && !isnan(size)) continue;
        most = size;
        s->last.worst_row = -1;
        s->last.worst_is_constraint = true;
    }
    return most;
}

/* K = [ -N^T d left / d theta_b ; J(b) on independent rows ] */
static void build_matrix(ac_stepper *s, minimal *d)
{
    const ac_chart_end *b = &d->on.end[1];
    int T = d->T;
    double *slope = d->work;
    ac_chart_interval_slopes(&d->on, s->interval.h, NULL, slope, NULL, NULL);
    for (int c = 0; c < d->kept; ++c)
        for (int g = 0; g < T; ++g) {
            d->K[c * T + g] = 0.0;
            for (int f = 0; f < T; ++f) d->K[c * T + g] -= d->N[f * d->kept + c] * slope[f * T + g];
        }
    find_rows(s, d, b, d->Jb);
    for (int k = 0; k < d->space.rank; ++k)
        memcpy(d->K + (d->kept + k) * T, d->Jb + d->space.order[k] * T, (size_t)T * sizeof *d->K);
}

/* Where the second of three turns is 90 degrees, the other two are not unique: a body that passes by turns far about both in a
 * step, and the rule for the coordinates follows them no longer. */
static ac_status check_turns(const ac_stepper *s, const minimal *d)
{
    const ac_system *system = s->system;
    for (int i = 0; i < system->node_count; ++i)
        for (int k = 0; k < system->nodes[i].walk.count; ++k) {
            const ac_walk_step *step = &system->nodes[i].walk.step[k];
            if (step->kind != AC_MOTION_BALL || step->freedoms != 3) continue;
            const double *a = d->before + system->nodes[i].u + step->freedom,
                         *b = d->on.end[0].theta + system->nodes[i].u + step->freedom;
            double turn = ac_max(fabs(b[0] - a[0]), fabs(b[2] - a[2]));
            char words[AC_NODE_WORDS];
            if (turn <= WIDE_TURN || fabs(ac_cos(b[1])) > NEAR_SINGULAR) continue;
            return ac_fail(
                s->ctx, AC_SINGULAR,
                "%s turned by %.3g rad about one of its three axes within a step, near the place where these "
                "turns are not unique, so its joint coordinates do not follow the motion; use formulation: "
                "reduced, a smaller step or another rotation at the start",
                ac_node_words(system, i, words), turn);
        }
    return AC_OK;
}

static ac_status correct(ac_stepper *s, double *size)
{
    minimal *d = s->data;
    AC_TRY(check_turns(s, d));
    build_matrix(s, d);
    for (int c = 0; c < d->kept; ++c) d->delta[c] = d->r[c];
    for (int k = 0; k < d->space.rank; ++k) d->delta[d->kept + k] = -d->g[d->space.order[k]];
    if (!ac_lu_factor(d->T, d->K, d->pivot))
        return ac_fail(s->ctx, AC_SINGULAR, "the iteration matrix is singular");
    ac_lu_solve(d->T, d->K, d->pivot, d->delta);
    memcpy(d->base, d->on.end[1].theta, (size_t)d->T * sizeof *d->base);
    *size = 0.0;
    for (int f = 0; f < d->T; ++f) {
        double unit = d->on.chart.motion[f] == AC_MOTION_SHIFT ? s->system->length_scale : 1.0;
        *size = ac_max(*size, fabs(d->delta[f]) / unit);
    }
    return AC_OK;
}

static void apply(ac_stepper *s, double factor)
{
    minimal *d = s->data;
    for (int f = 0; f < d->T; ++f) d->on.end[1].theta[f] = d->base[f] + factor * d->delta[f];
}

/* x (n) += M D w with D^T of the sum = wanted */
static void correct_momentum(minimal *d, const ac_chart_end *e, const double *wanted, double *x)
{
    int T = d->T, n = e->at.chart->n;
    double *w = d->delta;
    memcpy(w, wanted, (size_t)T * sizeof *w);
    for (int i = 0; i < n; ++i)
        for (int f = 0; f < T; ++f) w[f] -= e->at.point.D[i * T + f] * x[i];
    memcpy(d->K, e->p_v, (size_t)(T * T) * sizeof *d->K);
    if (!ac_lu_factor(T, d->K, d->pivot)) return;
    ac_lu_solve(T, d->K, d->pivot, w);
    for (int i = 0; i < n; ++i)
        for (int f = 0; f < T; ++f) x[i] += e->at.MD[i * T + f] * w[f];
}

/* Nothing that rounding leaves: left and right become the momenta of this formulation. */
static void carry(ac_stepper *s)
{
    minimal *d = s->data;
    correct_momentum(d, &d->on.end[0], d->on.left, s->left);
    correct_momentum(d, &d->on.end[1], d->on.right, s->right);
}

static double *carried(ac_stepper *s)
{
    (void)s;
    return NULL;
}

static void impulses(ac_stepper *s, double *lambda)
{
    minimal *d = s->data;
    if (d->rows == 0) return;
    for (int f = 0; f < d->T; ++f) d->delta[f] = d->momentum[f] + d->on.left[f];
    ac_row_space_solve_transposed(&d->space, d->delta, lambda);
}

static double kinetic(const ac_stepper *s)
{
    const minimal *d = s->data;
    double sum = 0.0;
    for (int f = 0; f < d->T; ++f) sum += 0.25 * d->on.v[f] * (d->on.end[0].p[f] + d->on.end[1].p[f]);
    return sum;
}

static void accept(ac_stepper *s)
{
    minimal *d = s->data;
    size_t bytes = (size_t)d->T * sizeof(double);
    memcpy(d->older, d->before, bytes);
    memcpy(d->before, d->on.end[0].theta, bytes);
    memcpy(d->on.end[0].theta, d->on.end[1].theta, bytes);
}

/* --- the past --- */

static size_t history(const ac_stepper *s)
{
    const minimal *d = s->data;
    return 3 * (size_t)d->T;
}

static void save(ac_stepper *s, bool solved, double *numbers)
{
    const minimal *d = s->data;
    const double *const now[] = {d->on.end[0].theta, d->before, d->older}, *const next[] = {
                                                                               d->on.end[1].theta,
                                                                               d->on.end[0].theta, d->before};
    for (int k = 0; k < 3; ++k)
        memcpy(numbers + k * d->T, solved ? next[k] : now[k], (size_t)d->T * sizeof *numbers);
}

static void load(ac_stepper *s, const double *numbers)
{
    minimal *d = s->data;
    double *const to[] = {d->on.end[0].theta, d->before, d->older};
    for (int k = 0; k < 3; ++k) memcpy(to[k], numbers + k * d->T, (size_t)d->T * sizeof *numbers);
}

static ac_status matrix(ac_stepper *s, double **out, int *size)
{
    minimal *d = s->data;
    double *copy;
    build_matrix(s, d);
    AC_NEW(s->ctx, copy, (size_t)d->T * (size_t)d->T);
    memcpy(copy, d->K, (size_t)d->T * (size_t)d->T * sizeof *copy);
    *out = copy;
    *size = d->T;
    return AC_OK;
}

static const double *coordinates(const ac_stepper *s)
{
    const minimal *d = s->data;
    return d->on.end[0].theta;
}

extern const ac_formulation ac_formulation_minimal;
const ac_formulation ac_formulation_minimal = {
    .name = "minimal",
    AC_FORMULATION_FUNCTIONS,
    .kinetic = kinetic,
    .coordinates = coordinates,
    .matrix = matrix,
};
