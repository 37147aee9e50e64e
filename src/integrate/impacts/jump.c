/* Jumps of the momentum at a configuration.
 *
 * With the tree's P, the active rows J = G P (loops and closed contacts), N their null space and M_r = P^T M P:
 *
 *   projection   p+ = M P w,  w = A P^T p,  A = N (N^T M_r N)^-1 N^T           (p+ = Q p)
 *   impulse      w+ = w- + A J_c^T Lambda,  Lambda = (J_c A J_c^T)^-1 (v+ - v-)  at contact rows J_c
 *
 * The same projection removes what the old constraints carry of the right momentum of the last interval before the
 * constraints change: without it a transfer is not of second order.
 */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "action/inertia.h"
#include "integrate/impacts/impacts.h"
#include "action/momentum.h"

static const double RANK_TOLERANCE = 1e-9;
/* Impulses below this part of the largest do not pull. */
static const double PULL = 1e-9;
/* Gaps that close more slowly than this part of the typical length in a step do not count as impacts. */
static const double SLOW = 1e-11;
/* Energies of the intervals are balanced only after impacts that are faster than so many times the change of the
 * gap's rate in a step: below, the two intervals differ in their mean potential by more than the bounce has. */
static const double FASTER = 4.0;
/* Tangential directions with less than this part of the normal mobility cannot move. */
static const double IMMOBILE = 1e-9;
/* Gaps that are more negative than so many times what counts as closed are penetration, not rounding. */
static const double DEEP = 1e3;

ac_status ac_jump_create(ac_stepper *s, int most, ac_jump *j)
{
    const ac_system *system = s->system;
    size_t n = (size_t)system->tree.freedoms, nodes = (size_t)system->node_count;
    j->freedoms = system->tree.freedoms;
    j->most_rows = system->constraints.count - system->constraints.closure + most;
    AC_NEW(s->ctx, j->state, nodes);
    AC_NEW(s->ctx, j->columns, 6 * n);
    AC_NEW(s->ctx, j->inertia, 36 * nodes);
    AC_NEW(s->ctx, j->twists, 6 * nodes);
    AC_NEW(s->ctx, j->full, system->n);
    AC_NEW(s->ctx, j->mass, n * n);
    AC_NEW(s->ctx, j->J, (size_t)j->most_rows * n);
    AC_NEW(s->ctx, j->N, n * n);
    AC_NEW(s->ctx, j->MN, n * n);
    AC_NEW(s->ctx, j->K, n * n);
    AC_NEW(s->ctx, j->z, n);
    AC_NEW(s->ctx, j->pivot, n);
    AC_NEW(s->ctx, j->space_block, ac_row_space_doubles(j->most_rows, j->freedoms));
    AC_NEW(s->ctx, j->space_ints, ac_row_space_ints(j->most_rows, j->freedoms));
    AC_NEW(s->ctx, j->wrenches, 6 * nodes);
    AC_NEW(s->ctx, j->weight, n);
    j->recursive = system->constraints.count == system->constraints.closure && system->beam_count == 0;
    return ac_tree_solver_create(s->ctx, system, false, &j->solver);
}

void ac_jump_destroy(ac_context *ctx, ac_jump *j)
{
    void *blocks[] = {j->state,      j->columns, j->inertia,  j->twists, j->full, j->mass,
                      j->J,          j->N,       j->MN,       j->K,      j->z,    j->space_block,
                      j->space_ints, j->pivot,   j->wrenches, j->weight};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    ac_tree_solver_destroy(ctx, &j->solver);
}

/* --- projected masses and active rows --- */

static void find_columns(ac_impacts *im, const double *q)
{
    ac_jump *j = &im->jump;
    const ac_system *system = im->stepper->system;
    for (int i = 0; i < system->node_count; ++i)
        ac_joint_read_state(system, &system->nodes[i], q, &j->state[i]);
    ac_tree_columns(system, j->state, q, j->columns);
    j->pair = (ac_tree_pair){system, q, q, j->columns, j->columns};
}

static void find_masses(ac_impacts *im, const double *q)
{
    ac_jump *j = &im->jump;
    find_columns(im, q);
    memset(j->mass, 0, (size_t)j->freedoms * (size_t)j->freedoms * sizeof *j->mass);
    ac_inertia_nodes(&j->pair, 1.0, j->inertia);
    ac_tree_matrix(&j->pair, j->inertia, j->mass);
    ac_inertia_dense_pairs(&j->pair, 1.0, j->mass);
}

/* N and the factors of N^T M_r N for the rows that are active now. */
static ac_status activate(ac_impacts *im, const double *q)
{
    ac_jump *j = &im->jump;
    const ac_system *system = im->stepper->system;
    int n = j->freedoms, loops = system->constraints.count - system->constraints.closure;
    j->rows = loops + im->stepper->more.count;
    ac_closure_jacobian(system, j->columns, q, j->J);
    ac_touch_jacobian(im, j->columns, q, j->J + (size_t)loops * (size_t)n);
    ac_row_space_place(&j->space, j->rows, n, j->space_block, j->space_ints);
    ac_row_space_factor(&j->space, j->J, RANK_TOLERANCE, j->rows);
    ac_row_space_null(&j->space, j->N);
    int k = j->kept = n - j->space.rank;
    for (int i = 0; i < n; ++i)
        for (int c = 0; c < k; ++c) {
            double sum = 0.0;
            for (int l = 0; l < n; ++l) sum += j->mass[i * n + l] * j->N[l * k + c];
            j->MN[i * k + c] = sum;
        }
    for (int a = 0; a < k; ++a)
        for (int c = 0; c < k; ++c) {
            double sum = 0.0;
            for (int i = 0; i < n; ++i) sum += j->N[i * k + a] * j->MN[i * k + c];
            j->K[a * k + c] = sum;
        }
    if (ac_lu_factor(k, j->K, j->pivot)) return AC_OK;
    return ac_fail(im->stepper->ctx, AC_NOT_CONVERGED,
                   "t = %.9g s: a motion of the system has no inertia, so impacts have no unique outcome",
                   im->stepper->t);
}

ac_status ac_jump_open(ac_impacts *im, const double *q)
{
    find_masses(im, q);
    im->jump.open = q == im->stepper->qa;
    return activate(im, q);
}

void ac_jump_solve(const ac_jump *j, const double *r, double *x)
{
    int n = j->freedoms, k = j->kept;
    for (int c = 0; c < k; ++c) {
        j->z[c] = 0.0;
        for (int i = 0; i < n; ++i) j->z[c] += j->N[i * k + c] * r[i];
    }
    ac_lu_solve(k, j->K, j->pivot, j->z);
    for (int i = 0; i < n; ++i) {
        x[i] = 0.0;
        for (int c = 0; c < k; ++c) x[i] += j->N[i * k + c] * j->z[c];
    }
}

void ac_jump_rates(ac_impacts *im, const double *q, const double *p, double *rates)
{
    ac_tree_project(im->stepper->system, im->jump.columns, q, p, im->jump.twists, im->work);
    ac_jump_solve(&im->jump, im->work, rates);
}

void ac_jump_momentum(ac_impacts *im, const double *q, const double *rates, double *p)
{
    const ac_system *system = im->stepper->system;
    ac_tree_twists(system, im->jump.columns, q, rates, im->jump.twists);
    ac_tree_velocity(system, q, im->jump.twists, im->jump.full);
    ac_mass_apply(system, im->jump.full, p);
}

/* The rates at q_a, with what rounding left of the last step equation. */
static void find_node_rates(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    ac_tree_project(s->system, im->jump.columns, s->qa, s->p, im->jump.twists, im->work);
    for (int i = 0; i < im->jump.freedoms; ++i) im->work[i] += im->carried[i];
    ac_jump_solve(&im->jump, im->work, im->rates);
}

/* The same by recursion along the tree, without matrices: nothing is closed. False: some motion has no inertia. */
static bool find_tree_rates(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    ac_jump *j = &im->jump;
    find_columns(im, s->qa);
    for (int i = 0; i < s->system->node_count; ++i) {
        const ac_node *node = &s->system->nodes[i];
        ac_node_wrench(node, s->qa + node->q, s->p + node->q, j->wrenches + 6 * i);
    }
    ac_inertia_nodes(&j->pair, 1.0, j->solver.inertia);
    return ac_tree_solve(&j->pair, &j->solver, j->wrenches, im->carried, false, im->rates, j->weight) ==
           AC_GROUND;
}

/* Rates at q_a before impulses; masses and rows only where they are needed for it. */
static ac_status look_at_node(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    im->jump.open = false;
    if (!im->jump.recursive || s->more.count > 0 || !find_tree_rates(im)) {
        AC_TRY(ac_jump_open(im, s->qa));
        find_node_rates(im);
    }
    memcpy(im->p_before, s->p, (size_t)s->system->n * sizeof *s->p);
    memcpy(im->rates_before, im->rates, (size_t)im->jump.freedoms * sizeof *im->rates);
    return AC_OK;
}

double ac_jump_kinetic(const ac_jump *j, const double *w)
{
    double sum = 0.0;
    for (int a = 0; a < j->freedoms; ++a)
        for (int b = 0; b < j->freedoms; ++b) sum += w[a] * j->mass[a * j->freedoms + b] * w[b];
    return 0.5 * sum;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/* --- events --- */

static ac_status add_event(ac_impacts *im, ac_contact_event_kind kind, int contact, ac_contact_event **event)
{
    const ac_stepper *s = im->stepper;
    AC_TRY(
        ac_grow(s->ctx, (void **)&im->events, &im->event_capacity, im->event_count + 1, sizeof *im->events));
    ac_contact_event *e = *event = &im->events[im->event_count++];
    *e = (ac_contact_event){.kind = kind, .contact = contact, .time = s->t, .interval_energy = im->energy};
    ac_gap_place(s->system, &s->system->contacts[contact], s->qa, e->place, e->normal);
    return AC_OK;
}

static double nodal_energy(const ac_impacts *im, const double *rates)
{
    const ac_stepper *s = im->stepper;
    return ac_jump_kinetic(&im->jump, rates) + ac_potential_energy(s->system, s->qa, s->winding);
}

/* Energy and momenta of the present rates. */
static void balance_of(ac_impacts *im, double *energy, double linear[3], double angular[3])
{
    const double origin[3] = {0.0, 0.0, 0.0};
    ac_stepper *s = im->stepper;
    *energy = nodal_energy(im, im->rates);
    ac_jump_momentum(im, s->qa, im->rates, s->p);
    ac_momentum_maps(s->system, s->qa, s->p, origin, linear, angular);
}

/* --- what contacts do --- */

/* Rates of the gaps of all contacts at q_a. */
static void find_rates(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    ac_tree_twists(s->system, im->jump.columns, s->qa, im->rates, im->jump.twists);
    ac_tree_velocity(s->system, s->qa, im->jump.twists, im->speeds);
    for (int c = 0; c < s->system->contact_count; ++c) {
        ac_gap_value(s->system, &s->system->contacts[c], s->qa, s->winding, im->gradient);
        im->touches[c].rate = dot(s->system->n, im->gradient, im->speeds);
    }
}

static double slowest(const ac_impacts *im)
{
    return SLOW * im->stepper->system->length_scale / im->mesh_h;
}

/* Is the gap closed at q_a, or does it close in less than the shortest interval? A shorter one would have no velocity but
 * rounding. */
static bool closed_now(const ac_impacts *im, const ac_touch *touch)
{
    return touch->gap <= im->touch || touch->gap <= -touch->rate * AC_SHORT_INTERVAL * im->mesh_h;
}

/* The contact that closes fastest at q_a, AC_NOT_MOVING if none does. */
static int closing(const ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    int found = AC_NOT_MOVING;
    double fastest = -slowest(im);
    for (int c = 0; c < s->system->contact_count; ++c) {
        const ac_touch *touch = &im->touches[c];
        if (touch->closed || !touch->armed || !closed_now(im, touch) || touch->rate >= fastest) continue;
        if (!ac_resolve_watched(im, c, s->t)) continue;
        fastest = touch->rate;
        found = c;
    }
    return found;
}

/* x = S^+ b for a symmetric positive semidefinite 2 x 2 matrix: directions without mobility, below a part of the
 * largest mobility, take nothing. */
static void solve_mobile(const double S[4], const double b[2], double least, double x[2])
{
    double mean = 0.5 * (S[0] + S[3]), half = 0.5 * (S[0] - S[3]), root = hypot(half, S[1]);
    double angle = 0.5 * atan2(S[1], half),
           axis[2][2] = {{cos(angle), sin(angle)}, {-sin(angle), cos(angle)}};
    const double value[2] = {mean + root, mean - root};
    x[0] = x[1] = 0.0;
    for (int k = 0; k < 2; ++k) {
        if (!(value[k] > least)) continue;
        double part = (axis[k][0] * b[0] + axis[k][1] * b[1]) / value[k];
        for (int i = 0; i < 2; ++i) x[i] += part * axis[k][i];
    }
}

/* Impulses of an impact on the rows of a contact: W their inverse masses, v their velocities, normal first.
 *
 *   Lambda = (1 + e) Lambda_n + f Lambda_t
 *
 * Lambda_n = (-v_n / W_nn, 0) ends the normal motion. Lambda_t, orthogonal to it in the metric of W, ends what is then left
 * of the tangential motion: S Lambda_t = -v_t', S = W_tt - W_tn W_nt / W_nn, v_t' = v_t - W_tn v_n / W_nn. Therefore the
 * normal velocity becomes -e v_n exactly, and the loss is (1 - e^2)/2 v_n^2 / W_nn + (f - f^2/2) v_t' S^-1 v_t' >= 0. */
static void impact_impulses(int rows, const double *W, const double *v, double e, double f, double *lambda)
{
    double S[4] = {0.0}, left[2] = {0.0}, along[2], across = 0.0;
    lambda[0] = -(1.0 + e) * v[0] / W[0];
    for (int i = 1; i < rows; ++i) {
        left[i - 1] = -f * (v[i] - W[i * rows] * v[0] / W[0]);
        for (int j = 1; j < rows; ++j) S[2 * (i - 1) + j - 1] = W[i * rows + j] - W[i * rows] * W[j] / W[0];
    }
    if (rows == 1) return;
    solve_mobile(S, left, IMMOBILE * W[0], along);
    for (int i = 1; i < rows; ++i) {
        lambda[i] = along[i - 1];
        across += W[i] * along[i - 1];
    }
    lambda[0] -= across / W[0];
}

/* The contact that is pulled most by the impulses that hold the active rows, r = J^T Lambda; AC_NOT_MOVING if none
 * is. `but` does not count. */
static int pulled(ac_impacts *im, const double *r, int but)
{
    const ac_system *system = im->stepper->system;
    double *lambda = im->lambda, most = 0.0, least = 0.0;
    int found = AC_NOT_MOVING;
    if (im->jump.rows == 0) return found;
    ac_row_space_solve_transposed(&im->jump.space, r, lambda);
    ac_spread_impulses(im, 1.0, lambda);
    for (int k = 0; k < im->jump.rows; ++k) most = fmax(most, fabs(lambda[k]));
    for (int c = 0; c < system->contact_count; ++c) {
        if (!im->touches[c].closed || c == but || system->contacts[c].keep) continue;
        if (im->touches[c].released >= AC_MOST_RELEASES) continue;
        double own = lambda[ac_touch_first_row(im, c)];
        if (own < least && own < -PULL * most) {
            least = own;
            found = c;
        }
    }
    return found;
}

/* Restitution of a contact that closes at the speed v, the inverse mass along its normal being w. */
static double restitution_of(const ac_contact *c, double v, double w)
{
    if (c->behaviour == AC_ELASTIC) return 1.0;
    if (c->loss < 0.0) return c->restitution;
    double there = 0.5 * v * v / w;
    return c->loss >= there ? 0.0 : sqrt(1.0 - c->loss / there);
}

/* Elastic and lossy impacts: rates change by impulses on the contact's rows; other contacts that would be pulled
 * open first. */
static ac_status bounce(ac_impacts *im, int contact, ac_contact_event *event, double *restitution)
{
    ac_stepper *s = im->stepper;
    const ac_contact *c = &s->system->contacts[contact];
    int n = im->jump.freedoms;
    double *A = im->rows + (size_t)AC_TOUCH_ROWS * (size_t)n, *sum = A + (size_t)AC_TOUCH_ROWS * (size_t)n;
    for (int tries = 0; tries <= s->system->contact_count; ++tries) {
        int rows = ac_touch_rates(im, contact, s->qa, c->behaviour == AC_LOSSY && c->tangential > 0.0,
                                  im->rows);
        double W[9] = {0.0}, change[3] = {0.0}, v[3] = {0.0};
        for (int k = 0; k < rows; ++k)
            ac_jump_solve(&im->jump, im->rows + (size_t)(k * n), A + (size_t)(k * n));
        for (int k = 0; k < rows; ++k)
            for (int l = 0; l < rows; ++l)
                W[k * rows + l] = dot(n, im->rows + (size_t)(k * n), A + (size_t)(l * n));
        for (int k = 0; k < rows; ++k) v[k] = dot(n, im->rows + (size_t)(k * n), im->rates);
        if (!(W[0] > 0.0))
            return ac_fail(s->ctx, AC_NOT_CONVERGED,
                           "t = %.9g s: contact '%s' closes, but what holds the system lets it not open",
                           s->t, c->name);
        *restitution = restitution_of(c, v[0], W[0]);
        impact_impulses(rows, W, v, *restitution, c->tangential, change);
        for (int i = 0; i < n; ++i) {
            sum[i] = 0.0;
            im->work[i] = im->rates[i];
            for (int k = 0; k < rows; ++k) {
                im->work[i] += A[(size_t)(k * n) + (size_t)i] * change[k];
                sum[i] += im->rows[(size_t)(k * n) + (size_t)i] * change[k];
            }
        }
        /* what the other active rows had to give: J^T Lambda = M_r (w+ - w-) - J_c^T change */
        for (int i = 0; i < n; ++i) {
            double r = -sum[i];
            for (int l = 0; l < n; ++l) r += im->jump.mass[i * n + l] * (im->work[l] - im->rates[l]);
            sum[i] = r;
        }
        ac_touch_impulse(im, contact, s->qa, change, rows, event->impulse);
        event->normal_impulse = change[0];
        memcpy(A, im->work, (size_t)n * sizeof *A);
        int lifted = pulled(im, sum, contact);
        if (lifted == AC_NOT_MOVING) break;
        ++im->touches[lifted].released;
        ac_touch_open(im, lifted);
        AC_TRY(activate(im, s->qa));
    }
    memcpy(im->rates, A, (size_t)n * sizeof *A);
    /* the normal impulse with what it causes at closed contacts and loops: these must not pull when it is scaled */
    ac_jump_solve(&im->jump, im->rows, sum);
    for (int i = 0; i < n; ++i) sum[i] *= event->normal_impulse;
    ac_jump_momentum(im, s->qa, sum, im->gradient);
    for (int i = 0; i < s->system->n; ++i) im->push[i] += im->gradient[i];
    return AC_OK;
}

/* The impulse on a contact that has closed, from the change of the rates: J^T Lambda = M_r (w+ - w-). */
static void closing_impulse(ac_impacts *im, int contact, const double *before, ac_contact_event *event)
{
    int n = im->jump.freedoms;
    for (int i = 0; i < n; ++i) {
        im->work[i] = 0.0;
        for (int l = 0; l < n; ++l) im->work[i] += im->jump.mass[i * n + l] * (im->rates[l] - before[l]);
    }
    double *lambda = im->lambda;
    ac_row_space_solve_transposed(&im->jump.space, im->work, lambda);
    const ac_touch *touch = &im->touches[contact];
    int first = ac_touch_first_row(im, contact);
    event->normal_impulse = lambda[first];
    ac_touch_impulse(im, contact, im->stepper->qa, lambda + first, touch->rows > 0 ? touch->rows : 1,
                     event->impulse);
}

/* Sticking, sliding, transfer, latch: the momentum is projected on the new rows. `lifts`: other contacts that would be
 * pulled open. */
static ac_status close_contact(ac_impacts *im, int contact, bool sticks, bool lifts, ac_contact_event *event)
{
    ac_stepper *s = im->stepper;
    const ac_contact *c = &s->system->contacts[contact];
    int n = im->jump.freedoms;
    double *before = im->before;
    memcpy(before, im->rates, (size_t)n * sizeof *before);
    bool was[AC_CONTACT_RELEASES] = {false};
    for (int k = 0; k < c->release_count; ++k) {
        was[k] = im->touches[c->release[k]].closed;
        if (was[k]) ac_touch_open(im, c->release[k]);
    }
    ac_touch_close(im, contact, s->qa, sticks);
    ac_jump_momentum(im, s->qa, before, s->p);
    for (int tries = 0; tries <= s->system->contact_count; ++tries) {
        AC_TRY(activate(im, s->qa));
        ac_jump_rates(im, s->qa, s->p, im->rates);
        closing_impulse(im, contact, before, event);
        int lifted = lifts ? pulled(im, im->work, contact) : AC_NOT_MOVING;
        if (lifted == AC_NOT_MOVING) break;
        ++im->touches[lifted].released;
        ac_touch_open(im, lifted);
    }
    /* a foot that would go into the ground stays */
    bool again = false;
    for (int k = 0; k < c->release_count; ++k) {
        int released = c->release[k];
        if (!was[k]) continue;
        ac_touch_rates(im, released, s->qa, false, im->rows);
        double rate = dot(n, im->rows, im->rates);
        if (rate >= -slowest(im)) continue;
        ac_impacts_flag(im, AC_VIOLATION_RETURNS, released, s->t, -rate);
        ac_touch_close(im, released, s->qa, true);
        again = true;
    }
    if (!again) return AC_OK;
    AC_TRY(activate(im, s->qa));
    ac_jump_rates(im, s->qa, s->p, im->rates);
    closing_impulse(im, contact, before, event);
    return AC_OK;
}

static void remember_closed(ac_impacts *im)
{
    for (int c = 0; c < im->stepper->system->contact_count; ++c) im->were_closed[c] = im->touches[c].closed;
}

static ac_status note_openings(ac_impacts *im)
{
    for (int c = 0; c < im->stepper->system->contact_count; ++c) {
        if (!im->were_closed[c] || im->touches[c].closed) continue;
        ac_contact_event *event;
        AC_TRY(add_event(im, AC_EVENT_OPENS, c, &event));
        balance_of(im, &event->energy_before, event->momentum_before, event->angular_before);
        balance_of(im, &event->energy_after, event->momentum_after, event->angular_after);
        ac_touch_rates(im, c, im->stepper->qa, false, im->rows);
        event->separation = dot(im->jump.freedoms, im->rows, im->rates);
    }
    return AC_OK;
}

/* One impact; sets whether it leaves an energy equation. */
static ac_status impact(ac_impacts *im, int contact, bool *bounces)
{
    ac_stepper *s = im->stepper;
    const ac_contact *c = &s->system->contacts[contact];
    ac_contact_event event = {0}, *kept;
    ac_contact_event_kind kind = c->behaviour == AC_TRANSFER ? AC_EVENT_TRANSFER : AC_EVENT_CLOSES;
    double restitution = 0.0;
    remember_closed(im);
    event.approach = im->touches[contact].rate;
    balance_of(im, &event.energy_before, event.momentum_before, event.angular_before);
    *bounces = c->behaviour == AC_ELASTIC || c->behaviour == AC_LOSSY;
    if (*bounces) {
        AC_TRY(bounce(im, contact, &event, &restitution));
        *bounces = restitution > 0.0;
        kind = *bounces ? AC_EVENT_IMPACT : AC_EVENT_CLOSES;
        ++im->touches[contact].bounces;
    }
    if (!*bounces) {
        bool sticks = c->behaviour == AC_STICKING || c->behaviour == AC_TRANSFER || c->behaviour == AC_LATCH;
        AC_TRY(close_contact(im, contact, sticks, true, &event));
    }
    balance_of(im, &event.energy_after, event.momentum_after, event.angular_after);
    find_rates(im);
    event.separation = im->touches[contact].rate;
    AC_TRY(add_event(im, kind, contact, &kept));
    event.kind = kept->kind;
    event.contact = contact;
    event.time = kept->time;
    event.interval_energy = kept->interval_energy;
    copy3(kept->place, event.place);
    copy3(kept->normal, event.normal);
    *kept = event;
    return note_openings(im);
}

/* Several contacts at one instant are taken one after the other, the fastest first. */
static ac_status all_impacts(ac_impacts *im)
{
    enum { MOST = 100 };
    ac_stepper *s = im->stepper;
    double before = nodal_energy(im, im->rates), loss = 0.0;
    bool energy = true, any = false, nodal = false;
    memset(im->push, 0, (size_t)s->system->n * sizeof *im->push);
    for (int number = 0; number < MOST * s->system->contact_count; ++number) {
        int contact = closing(im);
        bool bounces = false;
        if (contact == AC_NOT_MOVING) break;
        AC_TRY(impact(im, contact, &bounces));
        const ac_touch *touch = &im->touches[contact];
        energy = energy && bounces && touch->rate > FASTER * fabs(touch->acceleration) * im->mesh_h;
        nodal = nodal || s->system->contacts[contact].nodal;
        any = true;
        im->touches[contact].released = 0;
    }
    if (!any) return AC_OK;
    loss = before - nodal_energy(im, im->rates);
    im->balance = energy && !nodal && s->step > 0 &&
                  !s->scheme->at_mean; /* where the nodes have the energy */
    im->target = im->energy - loss;
    im->slope = 0.0;
    if (im->balance) { /* dE/ds = push . v */
        ac_jump_momentum(im, s->qa, im->rates, s->p);
        im->slope = dot(s->system->n, im->push, im->jump.full);
        im->balance = im->slope > 0.0;
    }
    return AC_OK;
}

/* The momentum at q_a from the rates, which also start the next increment. In schemes at the mean the momentum of a node
 * has a part that constraints do not allow, with an energy of its own: there the impulses alone are added. */
static void restart(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    size_t bytes = (size_t)s->system->n * sizeof *s->p;
    ac_jump_momentum(im, s->qa, im->rates, s->p);
    memcpy(im->speeds, im->jump.full, bytes);
    if (s->scheme->at_mean) {
        for (int i = 0; i < im->jump.freedoms; ++i) im->work[i] = im->rates[i] - im->rates_before[i];
        ac_jump_momentum(im, s->qa, im->work, s->p);
        for (int i = 0; i < s->system->n; ++i) s->p[i] += im->p_before[i];
    }
    memcpy(im->p, s->p, bytes);
    memset(im->carried, 0, (size_t)im->jump.freedoms * sizeof *im->carried);
    s->past = 0;
    s->h_before = 0.0; /* constraint forces of the interval before are not in the momentum any more */
}

ac_status ac_jump_all(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    int events = im->event_count;
    im->balance = false;
    ac_touch_roll(im, s->qa);
    AC_TRY(look_at_node(im));
    for (int c = 0; c < s->system->contact_count; ++c) {
        ac_touch *touch = &im->touches[c];
        touch->acceleration = touch->rate;
        touch->gap = ac_gap_value(s->system, &s->system->contacts[c], s->qa, s->winding, NULL);
        touch->released = 0;
        if (touch->gap > im->touch) touch->armed = true;
        if (touch->gap < -DEEP * im->touch) touch->armed = false; /* was ignored: until it has been open */
    }
    find_rates(im);
    for (int c = 0; c < s->system->contact_count; ++c) {
        ac_touch *touch = &im->touches[c];
        touch->acceleration = s->h_before > 0.0 ? (touch->rate - touch->acceleration) / s->h_before : 0.0;
    }
    if (closing(im) == AC_NOT_MOVING) {
        memcpy(im->p, s->p, (size_t)s->system->n * sizeof *s->p);
        return AC_OK;
    }
    if (!im->jump.open) AC_TRY(ac_jump_open(im, s->qa));
    AC_TRY(all_impacts(im));
    im->at_this_step += im->event_count - events;
    restart(im);
    return AC_OK;
}

ac_status ac_jump_rest(ac_impacts *im, int contact)
{
    const ac_contact *c = &im->stepper->system->contacts[contact];
    ac_contact_event *kept, event;
    if (!im->jump.open) AC_TRY(ac_jump_open(im, im->stepper->qa));
    AC_TRY(add_event(im, AC_EVENT_RESTS, contact, &kept));
    event = *kept;
    event.approach = im->touches[contact].rate;
    remember_closed(im);
    balance_of(im, &event.energy_before, event.momentum_before, event.angular_before);
    /* what was released because it pulled, and is pressed without its friction, slides. Its neighbours stay: what is
     * left of the bounce would lift one after the other in turn. */
    bool sticks = c->behaviour == AC_STICKING || c->behaviour == AC_TRANSFER || c->behaviour == AC_LATCH;
    AC_TRY(close_contact(im, contact, sticks && im->touches[contact].released == 0, false, &event));
    balance_of(im, &event.energy_after, event.momentum_after, event.angular_after);
    im->events[im->event_count - 1] = event;
    im->balance = false;
    find_rates(im);
    AC_TRY(note_openings(im));
    restart(im);
    return AC_OK;
}

ac_status ac_jump_open_contact(ac_impacts *im, int contact)
{
    ac_stepper *s = im->stepper;
    ac_contact_event *event;
    memcpy(s->p, im->p, (size_t)s->system->n * sizeof *s->p);
    AC_TRY(ac_jump_open(im, s->qa)); /* with it: what it carried of the momentum goes */
    find_node_rates(im);
    AC_TRY(add_event(im, AC_EVENT_OPENS, contact, &event));
    balance_of(im, &event->energy_before, event->momentum_before, event->angular_before);
    ac_touch_open(im, contact);
    ++im->touches[contact].released;
    AC_TRY(activate(im, s->qa));
    event->energy_after = event->energy_before;
    copy3(event->momentum_before, event->momentum_after);
    copy3(event->angular_before, event->angular_after);
    find_rates(im);
    restart(im);
    return AC_OK;
}
