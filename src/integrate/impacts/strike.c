/* What contacts do at an instant: impacts, closing, opening.
 *
 * w are the rates before, w_n those with the normal motion ended, w_s those with the tangential motion ended, too: projections on
 * the rows of the contacts that strike, beside those of loops and closed contacts (jump.c). Then
 *
 *   w+ = w_n + e (w_n - w) + f (w_s - w_n)        elastic and lossy impacts
 *   w+ = w_n  or  w_s                             sliding, sticking
 *
 * The differences are orthogonal in the metric of the masses. Therefore gaps open at -e times the rate at which they close, and
 * the loss is (1 - e^2) T(w - w_n) + (2 f - f^2) T(w_n - w_s) >= 0, T the kinetic energy.
 *
 * Contacts that close at one instant with the same speed, by the same law, strike together if an impulse on one reaches the
 * other: a crate that falls flat does not tip. Others are taken one after the other, the fastest first.
 */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "action/load.h"
#include "integrate/impacts/impacts.h"
#include "action/momentum.h"
#include "math/math.h"

/* Impulses below this part of the largest do not pull. */
static const double PULL = 1e-9;
/* Gaps that close more slowly than this part of the typical length in a step do not count as impacts. */
static const double SLOW = 1e-11;
/* Energies of the intervals are balanced only after impacts that are faster than so many times the change of the
 * gap's rate in a step: below, the two intervals differ in their mean potential by more than the bounce has. */
static const double FASTER = 4.0;
/* Gaps that are more negative than so many times what counts as closed are penetration, not rounding. */
static const double DEEP = 1e3;
/* Tangential directions with less than this part of the normal mobility cannot move. */
static const double IMMOBILE = 1e-9;
/* Inverse masses between contacts below this part of the largest that they could have are zero. */
static const double COUPLED = 1e-12;
/* Speeds that differ by less than this part are the same. */
static const double SAME_SPEED = 1e-9;

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

static double steepness(const ac_impacts *im, int contact)
{
    const ac_stepper *s = im->stepper;
    return ac_gap_steepness(s->system, &s->system->contacts[contact], s->qa);
}

/* --- which contacts strike --- */

/* Rates of the gaps of all contacts at q_a. */
static void find_rates(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    ac_jump_speeds(im, s->qa, im->rates, im->speeds);
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

/* Is a contact closed at q_a, and closing? */
static bool strikes(const ac_impacts *im, int contact)
{
    const ac_touch *touch = &im->touches[contact];
    if (touch->closed || !touch->armed || touch->rate >= -slowest(im) || !closed_now(im, touch)) return false;
    return ac_resolve_watched(im, contact, im->stepper->t);
}

/* The contact that closes fastest at q_a, AC_NOT_MOVING if none does. */
static int closing(const ac_impacts *im)
{
    int found = AC_NOT_MOVING;
    for (int c = 0; c < im->stepper->system->contact_count; ++c)
        if (strikes(im, c) && (found == AC_NOT_MOVING || im->touches[c].rate < im->touches[found].rate))
            found = c;
    return found;
}

static bool same_law(const ac_contact *a, const ac_contact *b)
{
    bool alone = a->behaviour == AC_TRANSFER || a->behaviour == AC_LATCH;
    return !alone && a->behaviour == b->behaviour && a->restitution == b->restitution &&
           a->tangential == b->tangential && a->loss == b->loss;
}

static bool rubs(const ac_contact *c)
{
    return c->behaviour != AC_ELASTIC && c->behaviour != AC_SLIDING &&
           (c->behaviour != AC_LOSSY || c->tangential > 0.0);
}

/* Does an impulse on one contact change the velocity at the other? Two balls on one floor do not. */
static bool are_coupled(ac_impacts *im, int a, int b)
{
    const int n = im->jump.freedoms;
    const double *q = im->stepper->qa;
    double *A = im->rows, *J = A + (size_t)AC_TOUCH_ROWS * (size_t)n;
    const ac_contact *law = &im->stepper->system->contacts[a];
    int rows_a = ac_touch_rates(im, a, q, rubs(law), A), rows_b = ac_touch_rates(im, b, q, rubs(law), J);
    for (int k = 0; k < rows_a; ++k) {
        double *x = A + (size_t)(k * n);
        ac_jump_solve(&im->jump, x, x);
        for (int l = 0; l < rows_b; ++l) {
            const double *y = J + (size_t)(l * n);
            if (fabs(dot(n, x, y)) > COUPLED * sqrt(dot(n, x, x) * dot(n, y, y))) return true;
        }
    }
    return false;
}

/* Does a contact strike with those that are marked? */
static bool joins(ac_impacts *im, int contact, int c)
{
    const ac_contact *list = im->stepper->system->contacts;
    double slow = im->touches[contact].rate * (1.0 - SAME_SPEED);
    if (im->striking[c] || im->touches[c].rate > slow || !same_law(&list[contact], &list[c]) ||
        !strikes(im, c))
        return false;
    for (int d = 0; d < im->stepper->system->contact_count; ++d)
        if (im->striking[d] && are_coupled(im, d, c)) return true;
    return false;
}

/* Marks the contacts that strike with this one; returns how many there are with it. */
static int mark_striking(ac_impacts *im, int contact)
{
    const int contacts = im->stepper->system->contact_count;
    int count = 1, before = 0;
    for (int c = 0; c < contacts; ++c) im->striking[c] = c == contact;
    while (count > before) {
        before = count;
        for (int c = 0; c < contacts; ++c) {
            if (!joins(im, contact, c)) continue;
            im->striking[c] = true;
            ++count;
        }
    }
    return count;
}

/* Closes all that strike, as contacts that stick or slide. */
static ac_status hold_striking(ac_impacts *im, bool sticks)
{
    for (int c = 0; c < im->stepper->system->contact_count; ++c)
        if (im->striking[c]) ac_touch_close(im, c, im->stepper->qa, sticks);
    return ac_jump_activate(im, im->stepper->qa);
}

static ac_status release_striking(ac_impacts *im)
{
    for (int c = 0; c < im->stepper->system->contact_count; ++c)
        if (im->striking[c]) ac_touch_open(im, c);
    return ac_jump_activate(im, im->stepper->qa);
}

/* --- impulses --- */

/* Impulses of the active rows for the change of the rates, J^T Lambda = M_r (w+ - w) - other, other = NULL or tree forces. */
static void find_impulses(ac_impacts *im, const double *other)
{
    int n = im->jump.freedoms;
    for (int i = 0; i < n; ++i) {
        im->work[i] = other ? -other[i] : 0.0;
        for (int l = 0; l < n; ++l) im->work[i] += im->jump.mass[i * n + l] * (im->rates[l] - im->before[l]);
    }
    if (im->jump.rows == 0) return;
    ac_row_space_solve_transposed(&im->jump.space, im->work, im->lambda);
    ac_spread_impulses(im, 1.0, im->lambda);
}

/* Keeps the impulses of what strikes, which is closed. */
static void keep_impulses(ac_impacts *im)
{
    for (int c = 0; c < im->stepper->system->contact_count; ++c) {
        ac_touch *touch = &im->touches[c];
        if (!im->striking[c]) continue;
        touch->struck_rows = touch->rows > 0 ? touch->rows : 1;
        memcpy(touch->struck, im->lambda + ac_touch_first_row(im, c),
               (size_t)touch->struck_rows * sizeof *touch->struck);
        touch->struck[0] *= steepness(im, c);
    }
}

/* The contact that these impulses pull most; AC_NOT_MOVING if they pull none. What strikes alone does not count. */
static int pulled(ac_impacts *im, int striking)
{
    const ac_system *system = im->stepper->system;
    double most = 0.0, least = 0.0;
    int found = AC_NOT_MOVING;
    for (int k = 0; k < im->jump.rows; ++k) most = ac_max(most, fabs(im->lambda[k]));
    for (int c = 0; c < system->contact_count; ++c) {
        const ac_touch *touch = &im->touches[c];
        if (!touch->closed || system->contacts[c].keep || (im->striking[c] && striking == 1)) continue;
        if (!im->striking[c] && touch->released >= AC_MOST_RELEASES) continue;
        double own = im->lambda[ac_touch_first_row(im, c)];
        if (own < least && own < -PULL * most) {
            least = own;
            found = c;
        }
    }
    return found;
}

/* Opens what is pulled; false: nothing is. */
static bool lift(ac_impacts *im, int *striking)
{
    int lifted = pulled(im, *striking);
    if (lifted == AC_NOT_MOVING) return false;
    if (im->striking[lifted]) {
        im->striking[lifted] = false;
        --*striking;
    } else {
        ++im->touches[lifted].released;
    }
    ac_touch_open(im, lifted);
    return true;
}

/* Restitution of a contact; `there` is the energy of the normal motion. */
static double restitution_of(const ac_contact *c, double there)
{
    if (c->behaviour == AC_ELASTIC) return 1.0;
    if (c->loss < 0.0) return c->restitution;
    return c->loss >= there ? 0.0 : sqrt(1.0 - c->loss / there);
}

/* w_n, and w_s where there is friction. */
static ac_status project(ac_impacts *im, bool loses, double *ended, double *stuck)
{
    const double *q = im->stepper->qa, *p = im->stepper->p;
    AC_TRY(hold_striking(im, false));
    ac_jump_rates(im, q, p, ended);
    if (!loses) return AC_OK;
    AC_TRY(hold_striking(im, true));
    ac_jump_rates(im, q, p, stuck);
    return AC_OK;
}

/* x = S^+ b for a symmetric positive semidefinite 2 x 2 matrix: directions without mobility, below a part of the
 * largest mobility, take nothing. */
static void solve_mobile(const double S[4], const double b[2], double least, double x[2])
{
    double mean = 0.5 * (S[0] + S[3]), half = 0.5 * (S[0] - S[3]), root = ac_hypot(half, S[1]);
    double c, s;
    ac_sincos(0.5 * ac_atan2(S[1], half), &s, &c);
    const double axis[2][2] = {{c, s}, {-s, c}};
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

static ac_status refuse_held(const ac_impacts *im, const ac_contact *c)
{
    return ac_fail(im->stepper->ctx, AC_NOT_CONVERGED,
                   "t = %.9g s: contact '%s' closes, but what holds the system lets it not open",
                   im->stepper->t, c->name);
}

/* Adds the change of rates by the normal impulse, with what it causes at closed contacts and loops, to the direction in which
 * the energy equation scales it: these must not pull then. */
static void add_push(ac_impacts *im, const double *change)
{
    ac_jump_momentum(im, im->stepper->qa, change, im->gradient);
    for (int i = 0; i < im->stepper->system->n; ++i) im->push[i] += im->gradient[i];
}

/* An elastic or lossy impact of one contact, by the impulses on its rows; other contacts that would be pulled open first. */
static ac_status bounce_alone(ac_impacts *im, int contact, double *restitution)
{
    ac_stepper *s = im->stepper;
    const ac_contact *c = &s->system->contacts[contact];
    const int n = im->jump.freedoms;
    const size_t block = (size_t)AC_TOUCH_ROWS * (size_t)n;
    ac_touch *touch = &im->touches[contact];
    double *J = im->rows, *A = J + block, *sum = A + block;
    int striking = 1;
    do {
        int rows = ac_touch_rates(im, contact, s->qa, c->behaviour == AC_LOSSY && c->tangential > 0.0, J);
        double W[9] = {0.0}, v[3] = {0.0};
        for (int k = 0; k < rows; ++k) ac_jump_solve(&im->jump, J + (size_t)(k * n), A + (size_t)(k * n));
        for (int k = 0; k < rows; ++k)
            for (int l = 0; l < rows; ++l) W[k * rows + l] = dot(n, J + (size_t)(k * n), A + (size_t)(l * n));
        for (int k = 0; k < rows; ++k) v[k] = dot(n, J + (size_t)(k * n), im->before);
        if (!(W[0] > 0.0)) return refuse_held(im, c);
        *restitution = restitution_of(c, 0.5 * v[0] * v[0] / W[0]);
        impact_impulses(rows, W, v, *restitution, c->tangential, touch->struck);
        touch->struck_rows = rows;
        for (int i = 0; i < n; ++i) {
            sum[i] = 0.0;
            im->rates[i] = im->before[i];
            for (int k = 0; k < rows; ++k) {
                im->rates[i] += A[(size_t)(k * n) + (size_t)i] * touch->struck[k];
                sum[i] += J[(size_t)(k * n) + (size_t)i] * touch->struck[k];
            }
        }
        find_impulses(im, sum);
        if (!lift(im, &striking)) break;
        AC_TRY(ac_jump_activate(im, s->qa));
    } while (true);
    ac_jump_solve(&im->jump, J, sum);
    for (int i = 0; i < n; ++i) sum[i] *= touch->struck[0];
    add_push(im, sum);
    return AC_OK;
}

/* The same of several contacts that strike together, by projections. What strikes is left closed. */
static ac_status bounce_together(ac_impacts *im, const ac_contact *c, int striking, double *restitution)
{
    const int n = im->jump.freedoms;
    const bool loses = rubs(c);
    const double *w = im->before;
    double *ended = im->rows, *stuck = ended + n, *normal = stuck + n;
    do {
        AC_TRY(project(im, loses, ended, stuck));
        for (int i = 0; i < n; ++i) normal[i] = ended[i] - w[i];
        double energy = ac_jump_kinetic(&im->jump, normal);
        if (!(energy > 0.0)) return refuse_held(im, c);
        double e = *restitution = restitution_of(c, energy / striking);
        for (int i = 0; i < n; ++i) {
            im->rates[i] = ended[i] + e * normal[i];
            if (loses) im->rates[i] += c->tangential * (stuck[i] - ended[i]);
        }
        find_impulses(im, NULL);
    } while (lift(im, &striking));
    keep_impulses(im);
    for (int i = 0; i < n; ++i) normal[i] *= 1.0 + *restitution;
    add_push(im, normal);
    return AC_OK;
}

/* Rates that the active rows allow, and their impulses. */
static ac_status end_motion(ac_impacts *im)
{
    AC_TRY(ac_jump_activate(im, im->stepper->qa));
    ac_jump_rates(im, im->stepper->qa, im->stepper->p, im->rates);
    find_impulses(im, NULL);
    keep_impulses(im);
    return AC_OK;
}

/* Feet that a transfer has released and that would go into the ground stay. */
static ac_status keep_feet(ac_impacts *im, const ac_contact *c, const bool *was)
{
    const ac_stepper *s = im->stepper;
    bool again = false;
    for (int k = 0; k < c->release_count; ++k) {
        int released = c->release[k];
        if (!was[k]) continue;
        ac_touch_rates(im, released, s->qa, false, im->rows);
        double rate = dot(im->jump.freedoms, im->rows, im->rates);
        if (rate >= -slowest(im)) continue;
        ac_impacts_flag(im, AC_VIOLATION_RETURNS, released, s->t, -rate);
        ac_touch_close(im, released, s->qa, true);
        again = true;
    }
    return again ? end_motion(im) : AC_OK;
}

/* Sticking, sliding, transfer, latch: the momentum is projected on the new rows. `lifts`: other contacts that would be
 * pulled open. */
static ac_status close_striking(ac_impacts *im, const ac_contact *c, int striking, bool sticks, bool lifts)
{
    bool was[AC_CONTACT_RELEASES] = {false};
    for (int k = 0; k < c->release_count; ++k) {
        was[k] = im->touches[c->release[k]].closed;
        if (!was[k]) continue;
        ac_touch_open(im, c->release[k]);
        im->touches[c->release[k]].handed_over = true;
    }
    for (int k = 0; k < im->stepper->system->contact_count; ++k)
        if (im->striking[k]) ac_touch_close(im, k, im->stepper->qa, sticks);
    do AC_TRY(end_motion(im));
    while (lifts && lift(im, &striking));
    return keep_feet(im, c, was);
}

/* --- one impact --- */

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

static double mix(double before, double after, double part)
{
    return part >= 1.0 ? after : before + part * (after - before);
}

/* Velocities of the start that a contact which closes at once removes. */
static void check_start(ac_impacts *im, int contact)
{
    const int n = im->jump.freedoms;
    double square = 0.0, fastest = 0.0;
    int rows = ac_touch_rates(im, contact, im->stepper->qa, true, im->rows);
    for (int k = 0; k < rows; ++k) {
        double change = 0.0;
        for (int i = 0; i < n; ++i)
            change += im->rows[(size_t)k * (size_t)n + (size_t)i] * (im->rates[i] - im->before[i]);
        square += change * change;
    }
    for (int i = 0; i < im->stepper->system->n; ++i)
        fastest = ac_max(fastest, fabs(im->stepper->system->initial.v[i]));
    if (sqrt(square) > AC_SLOW_START * fastest)
        ac_impacts_flag(im, AC_VIOLATION_START, contact, im->stepper->t, sqrt(square));
}

/* Events of all that strikes. They share the change of energy and momentum in proportion to their normal impulses. */
static ac_status note_strikes(ac_impacts *im, const ac_contact_event *whole)
{
    const ac_stepper *s = im->stepper;
    const int contacts = s->system->contact_count;
    double total = 0.0, from = 0.0;
    int left = 0;
    for (int c = 0; c < contacts; ++c) {
        if (!im->striking[c]) continue;
        total += im->touches[c].struck[0];
        ++left;
    }
    for (int c = 0; c < contacts; ++c) {
        if (!im->striking[c]) continue;
        const ac_touch *touch = &im->touches[c];
        double part = total > 0.0 ? touch->struck[0] / total : 1.0 / left,
               to = --left == 0 ? 1.0 : from + part;
        ac_contact_event *e;
        AC_TRY(add_event(im, whole->kind, c, &e));
        e->approach = whole->approach;
        e->separation = touch->rate / steepness(im, c);
        e->normal_impulse = touch->struck[0];
        ac_touch_impulse(im, c, s->qa, touch->struck, touch->struck_rows, e->impulse);
        ac_impacts_check_impulse(im, c);
        if (s->step == 0 && whole->kind != AC_EVENT_IMPACT) check_start(im, c);
        e->energy_before = mix(whole->energy_before, whole->energy_after, from);
        e->energy_after = mix(whole->energy_before, whole->energy_after, to);
        for (int i = 0; i < 3; ++i) {
            e->momentum_before[i] = mix(whole->momentum_before[i], whole->momentum_after[i], from);
            e->momentum_after[i] = mix(whole->momentum_before[i], whole->momentum_after[i], to);
            e->angular_before[i] = mix(whole->angular_before[i], whole->angular_after[i], from);
            e->angular_after[i] = mix(whole->angular_before[i], whole->angular_after[i], to);
        }
        from = to;
    }
    return AC_OK;
}

static void begin_event(ac_impacts *im, int contact, ac_contact_event *event)
{
    remember_closed(im);
    event->approach = im->touches[contact].rate / steepness(im, contact);
    balance_of(im, &event->energy_before, event->momentum_before, event->angular_before);
    memcpy(im->before, im->rates, (size_t)im->jump.freedoms * sizeof *im->before);
}

static ac_status end_event(ac_impacts *im, ac_contact_event *event)
{
    balance_of(im, &event->energy_after, event->momentum_after, event->angular_after);
    find_rates(im);
    return note_strikes(im, event);
}

static bool will_stick(const ac_contact *c)
{
    return c->behaviour == AC_STICKING || c->behaviour == AC_TRANSFER || c->behaviour == AC_LATCH;
}

/* One impact of all that strikes with a contact; sets whether it leaves an energy equation. */
static ac_status impact(ac_impacts *im, int contact, bool *bounces)
{
    const ac_contact *c = &im->stepper->system->contacts[contact];
    ac_contact_event event = {.kind = c->behaviour == AC_TRANSFER ? AC_EVENT_TRANSFER : AC_EVENT_CLOSES};
    double restitution = 0.0;
    int striking = mark_striking(im, contact);
    const bool by_impulse = c->behaviour == AC_ELASTIC || c->behaviour == AC_LOSSY;
    begin_event(im, contact, &event);
    if (!by_impulse)
        AC_TRY(close_striking(im, c, striking, will_stick(c), true));
    else if (striking == 1)
        AC_TRY(bounce_alone(im, contact, &restitution));
    else
        AC_TRY(bounce_together(im, c, striking, &restitution));
    *bounces = restitution > 0.0;
    if (*bounces) event.kind = AC_EVENT_IMPACT;
    AC_TRY(end_event(im, &event));
    if (by_impulse && !*bounces) AC_TRY(hold_striking(im, false));
    if (*bounces && striking > 1) AC_TRY(release_striking(im));
    return note_openings(im);
}

/* Loads, inputs and dampers change the energy between the middles of two intervals: only the nodes can be balanced. */
static bool conserves_energy(const ac_stepper *s)
{
    return !ac_is_loaded(s->system) && s->interval.undamped && !s->interval.controls;
}

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
        for (int c = 0; c < s->system->contact_count; ++c) {
            ac_touch *touch = &im->touches[c];
            if (!im->striking[c]) continue;
            energy = energy && bounces && touch->rate > FASTER * fabs(touch->acceleration) * im->mesh_h;
            nodal = nodal || s->system->contacts[c].nodal;
            touch->bounces += bounces;
            touch->released = 0;
        }
        any = true;
    }
    if (!any) return AC_OK;
    loss = before - nodal_energy(im, im->rates);
    im->balance = energy && !nodal && im->energy_known && conserves_energy(s) &&
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

ac_status ac_strike_all(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    int events = im->event_count;
    im->balance = false;
    ac_touch_roll(im, s->qa);
    AC_TRY(ac_jump_look(im));
    for (int c = 0; c < s->system->contact_count; ++c) {
        ac_touch *touch = &im->touches[c];
        touch->acceleration = touch->rate;
        touch->gap = ac_gap_value(s->system, &s->system->contacts[c], s->qa, s->winding, NULL);
        touch->released = 0;
        touch->handed_over = false;
        touch->passes = touch->gap <= im->touch && !ac_resolve_watched(im, c, s->t);
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
    ac_jump_restart(im);
    return AC_OK;
}

ac_status ac_strike_rest(ac_impacts *im, int contact)
{
    ac_contact c = im->stepper->system->contacts[contact];
    ac_contact_event event = {.kind = AC_EVENT_RESTS};
    if (im->touches[contact].handed_over) { /* released by a transfer, but pressed: both stay */
        c.release_count = 0;
        ac_impacts_flag(im, AC_VIOLATION_RETURNS, contact, im->stepper->t,
                        ac_max(0.0, -im->touches[contact].rate));
    }
    if (!im->jump.open) AC_TRY(ac_jump_open(im, im->stepper->qa));
    for (int k = 0; k < im->stepper->system->contact_count; ++k) im->striking[k] = k == contact;
    begin_event(im, contact, &event);
    /* what was released because it pulled, and is pressed without its friction, slides. Its neighbours stay: what is
     * left of the bounce would lift one after the other in turn. */
    AC_TRY(close_striking(im, &c, 1, will_stick(&c) && im->touches[contact].released == 0, false));
    AC_TRY(end_event(im, &event));
    im->balance = false;
    AC_TRY(note_openings(im));
    ac_jump_restart(im);
    return AC_OK;
}

ac_status ac_strike_open(ac_impacts *im, int contact)
{
    ac_stepper *s = im->stepper;
    ac_contact_event *event;
    memcpy(s->p, im->p, (size_t)s->system->n * sizeof *s->p);
    AC_TRY(ac_jump_open(im, s->qa)); /* with it: what it carried of the momentum goes */
    ac_jump_node_rates(im);
    AC_TRY(add_event(im, AC_EVENT_OPENS, contact, &event));
    balance_of(im, &event->energy_before, event->momentum_before, event->angular_before);
    ac_touch_open(im, contact);
    ++im->touches[contact].released;
    AC_TRY(ac_jump_activate(im, s->qa));
    event->energy_after = event->energy_before;
    copy3(event->momentum_before, event->momentum_after);
    copy3(event->angular_before, event->angular_after);
    find_rates(im);
    ac_jump_restart(im);
    return AC_OK;
}
