/* What is doubtful about contacts: forces that pull or slip, penetration, contacts that return, steps that are too
 * long for small bodies. Each is counted, with the time of the first. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/impacts/impacts.h"
#include "math/math.h"

/* Inverse masses below this part of the free one are rounding; ratios that differ by less are alike. */
static const double HELD = 1e-9, ALIKE = 1e-9;

void ac_impacts_flag(ac_impacts *im, ac_contact_violation_kind kind, int contact, double t, double size)
{
    ac_violation_sum *v = &im->violations[kind];
    ac_doubt *doubt = &im->touches[contact].doubts[kind];
    if (v->count++ == 0) {
        v->time = t;
        v->contact = contact;
    }
    v->worst = ac_max(v->worst, size);
    im->touches[contact].seen[kind] = true;
    if (doubt->nodes++ == 0) doubt->from = t;
    doubt->until = t;
    doubt->worst = ac_max(doubt->worst, size);
    doubt->step = im->stepper->step;
}

static ac_contact_violation violation_of(int contact, int kind, const ac_doubt *doubt)
{
    return (ac_contact_violation){.kind = (ac_contact_violation_kind)kind,
                                  .contact = contact,
                                  .from = doubt->from,
                                  .until = doubt->until,
                                  .worst = doubt->worst,
                                  .nodes = doubt->nodes};
}

/* Violations that were not seen again in this interval have ended. */
static ac_status end_doubts(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    for (int c = 0; c < s->system->contact_count; ++c)
        for (int k = 0; k < AC_VIOLATION_COUNT; ++k) {
            ac_doubt *doubt = &im->touches[c].doubts[k];
            if (doubt->nodes == 0 || doubt->step >= s->step) continue;
            AC_TRY(ac_grow(s->ctx, (void **)&im->ended, &im->ended_capacity, im->ended_count + 1,
                           sizeof *im->ended));
            im->ended[im->ended_count++] = violation_of(c, k, doubt);
            *doubt = (ac_doubt){0};
        }
    return AC_OK;
}

bool ac_impacts_doubt(const ac_impacts *im, int number, ac_contact_violation *violation)
{
    for (int c = 0; c < im->stepper->system->contact_count; ++c)
        for (int k = 0; k < AC_VIOLATION_COUNT; ++k) {
            const ac_doubt *doubt = &im->touches[c].doubts[k];
            if (doubt->nodes == 0 || number-- > 0) continue;
            *violation = violation_of(c, k, doubt);
            return true;
        }
    return false;
}

const char *ac_contact_violation_name(ac_contact_violation_kind kind)
{
    static const char *const names[] = {"pulls",   "slips", "painleve", "penetrates",
                                        "returns", "fast",  "energy",   "start"};
    _Static_assert(sizeof names / sizeof *names == AC_VIOLATION_COUNT, "every kind has a name");
    return (int)kind >= 0 && (size_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}

/* Force of a closed contact at q_a from the impulses of its rows, over the time that the node stands for. */
static void find_force(ac_impacts *im, int contact, const double *lambda)
{
    const ac_stepper *s = im->stepper;
    ac_touch *touch = &im->touches[contact];
    double time = ac_stepper_multiplier_factor(s) * s->h, own[AC_TOUCH_ROWS];
    int rows = touch->rows > 0 ? touch->rows : 1;
    for (int k = 0; k < rows; ++k) own[k] = -lambda[ac_touch_first_row(im, contact) + k] / time;
    own[0] *= ac_gap_steepness(s->system, &s->system->contacts[contact], s->qa);
    touch->impulse = own[0] * time;
    touch->normal_force = own[0];
    if (touch->rows == 0) {
        ac_touch_impulse(im, contact, s->qa, own, 1, touch->force);
        return;
    }
    for (int i = 0; i < 3; ++i) touch->force[i] = 0.0;
    for (int k = 0; k < rows; ++k) {
        double e[3];
        ac_direction_value(s->system, &touch->direction[k], s->qa, e);
        for (int i = 0; i < 3; ++i) touch->force[i] += own[k] * e[i];
    }
}

/* Is W_nn of a contact, whose normal row stands in im->rows, nothing but rounding, because others hold its normal motion? Without
 * any contacts and loops it is at least (J . J)^2 / (J . M J). */
static bool held_by_others(const ac_impacts *im, double along)
{
    const int n = im->jump.freedoms;
    double square = 0.0, weight = 0.0;
    for (int i = 0; i < n; ++i) {
        square += im->rows[i] * im->rows[i];
        for (int l = 0; l < n; ++l) weight += im->rows[i] * im->jump.mass[i * n + l] * im->rows[l];
    }
    return along * weight <= HELD * square * square;
}

/* W_nn of a contact, and the size of W_nt, when neither it nor another contact of the same two bodies holds anything: corners that
 * stand side by side slide together, and each of them may be the last to carry. 0 if something else holds it as well. */
static double compliance(ac_impacts *im, int contact, double *across)
{
    const ac_stepper *s = im->stepper;
    const ac_contact *list = s->system->contacts, *own = &list[contact];
    const int contacts = s->system->contact_count, n = im->jump.freedoms;
    memcpy(im->ahead.kept, im->touches, (size_t)contacts * sizeof *im->touches);
    for (int c = 0; c < contacts; ++c)
        if (list[c].point.node == own->point.node && list[c].other.node == own->other.node)
            ac_touch_open(im, c);
    ac_status opened = ac_jump_open(im, s->qa);
    int rows = ac_touch_rates(im, contact, s->qa, true, im->rows);
    double *solved = im->rows + (size_t)AC_TOUCH_ROWS * (size_t)n, along = 0.0;
    if (opened == AC_OK) ac_jump_solve(&im->jump, im->rows, solved);
    for (int k = 0; opened == AC_OK && k < rows; ++k) {
        double w = 0.0;
        for (int i = 0; i < n; ++i) w += im->rows[(size_t)k * (size_t)n + (size_t)i] * solved[i];
        if (k == 0) along = w;
        if (k > 0) *across = ac_hypot(*across, w);
    }
    if (held_by_others(im, along)) along = 0.0;
    memcpy(im->touches, im->ahead.kept, (size_t)contacts * sizeof *im->touches);
    ac_touch_count(im);
    return along;
}

/* The tangential impulse of an impact, on orthonormal rows with the normal first, against the coefficient. */
void ac_impacts_check_impulse(ac_impacts *im, int contact)
{
    const ac_touch *touch = &im->touches[contact];
    double mu = im->stepper->system->contacts[contact].friction, slip = 0.0, push = touch->struck[0];
    for (int k = 1; k < touch->struck_rows; ++k) slip = ac_hypot(slip, touch->struck[k]);
    if (mu >= 0.0 && push > 0.0 && slip > mu * push * (1.0 + ALIKE))
        ac_impacts_flag(im, AC_VIOLATION_SLIPS, contact, im->stepper->t, slip / push);
}

/* Friction ratio and Painleve's condition: with the inverse masses W of the contact's rows, sliding with the coefficient mu has a
 * unique force only if W_nn > mu |W_nt|. */
static void check_friction(ac_impacts *im, int contact)
{
    const ac_stepper *s = im->stepper;
    const ac_contact *c = &s->system->contacts[contact];
    const ac_touch *touch = &im->touches[contact];
    double x[3], normal[3];
    if (c->friction < 0.0 || c->surface == AC_SURFACE_LIMIT) return;
    ac_gap_place(s->system, c, s->qa, x, normal);
    double push = dot3(touch->force, normal), square = dot3(touch->force, touch->force) - push * push;
    double slip = sqrt(ac_max(square, 0.0));
    if (push > 0.0 && slip > c->friction * push * (1.0 + ALIKE))
        ac_impacts_flag(im, AC_VIOLATION_SLIPS, contact, s->t, slip / push);
    double across = 0.0, along = compliance(im, contact, &across);
    if (along > 0.0 && along < c->friction * across)
        ac_impacts_flag(im, AC_VIOLATION_PAINLEVE, contact, s->t, c->friction * across / along);
}

/* Motion in the interval against the size of what may be struck. */
static void check_speed(ac_impacts *im, int contact, double gap)
{
    const ac_stepper *s = im->stepper;
    const ac_contact *c = &s->system->contacts[contact];
    if (c->surface != AC_SURFACE_SPHERE || c->inside) return;
    double way = fabs(im->touches[contact].rate) * s->h, size = c->radius + c->other_radius;
    if (way > size && ac_min(gap, im->touches[contact].gap) < way)
        ac_impacts_flag(im, AC_VIOLATION_FAST, contact, s->t, way / size);
}

ac_status ac_impacts_check(ac_impacts *im)
{
    ac_stepper *s = im->stepper;
    if (s->more.count > 0) {
        s->formulation->impulses(s, im->lambda);
        ac_spread_impulses(im, -1.0, im->lambda);
    }
    for (int c = 0; c < s->system->contact_count; ++c) {
        ac_touch *touch = &im->touches[c];
        const ac_contact *contact = &s->system->contacts[c];
        memset(touch->force, 0, sizeof touch->force);
        touch->normal_force = 0.0;
        if (touch->closed) {
            find_force(im, c, im->lambda);
            if (contact->keep && touch->impulse < 0.0 && contact->behaviour != AC_LATCH)
                ac_impacts_flag(im, AC_VIOLATION_PULLS, c, s->t, -touch->normal_force);
            check_friction(im, c);
            continue;
        }
        double gap = ac_gap_value(s->system, contact, s->qb, s->winding, NULL);
        if (gap < -10.0 * im->touch) ac_impacts_flag(im, AC_VIOLATION_PENETRATION, c, s->end, -gap);
        check_speed(im, c, gap);
    }
    return end_doubts(im);
}

static const struct {
    const char *words; /* contact, count, first time, worst */
} sentences[AC_VIOLATION_COUNT] = {
    [AC_VIOLATION_PULLS] =
        {"contact '%s' is kept closed although it pulls (at %ld nodes, first at t = %.6g s, by up to "
         "%.3g N)"},
    [AC_VIOLATION_SLIPS] =
        {"contact '%s' needs more friction than its coefficient (at %ld nodes, first at t = %.6g s, "
         "ratio up to %.3g)"},
    [AC_VIOLATION_PAINLEVE] =
        {"contact '%s': with this friction the contact force is not unique, Painleve's paradox "
         "(at %ld nodes, first at t = %.6g s, mu W_nt / W_nn up to %.3g)"},
    [AC_VIOLATION_PENETRATION] =
        {"contact '%s' is ignored while its gap is negative (at %ld nodes, first at t = %.6g s, "
         "by up to %.3g)"},
    [AC_VIOLATION_RETURNS] =
        {"contact '%s' was to be released but does not move away, so it stays closed (%ld times, "
         "first at t = %.6g s, approach up to %.3g m/s)"},
    [AC_VIOLATION_FAST] =
        {"contact '%s': motion within a step is larger than the bodies, so a contact off the straight line "
         "may be missed "
         "(%ld steps, first at t = %.6g s, by up to the factor %.3g): divide the step by more than that"},
    [AC_VIOLATION_ENERGY] =
        {"contact '%s': the energies of the intervals beside an impact cannot be balanced; those of "
         "the node are (%ld times, first at t = %.6g s, by up to %.3g J)"},
    [AC_VIOLATION_START] = {"contact '%s' starts closed, but the velocities of the start move it, which it "
                            "stops (contacts: %ld, "
                            "at t = %.6g s, by up to %.3g m/s)"},
};

/* The sentence names the contact that was first; counts and the worst value are those of all. */
static void add_others(const ac_impacts *im, int kind, char *text, size_t size)
{
    int others = -1;
    size_t used = strlen(text);
    for (int c = 0; c < im->stepper->system->contact_count; ++c) others += im->touches[c].seen[kind];
    if (others > 0)
        snprintf(text + used, size - used, "; with %d other contact%s", others, others > 1 ? "s" : "");
}

/* Contacts whose coefficient of friction is compared with nothing, because they never stick. */
static bool remark_friction(const ac_impacts *im, char *text, size_t size)
{
    const ac_system *system = im->stepper->system;
    int first = AC_NOT_MOVING, others = -1;
    for (int c = 0; c < system->contact_count; ++c) {
        const ac_contact *contact = &system->contacts[c];
        bool slides = contact->behaviour == AC_SLIDING || contact->behaviour == AC_ELASTIC ||
                      (contact->behaviour == AC_LOSSY && !(contact->tangential > 0.0));
        if (contact->friction < 0.0 || !(slides || contact->surface == AC_SURFACE_LIMIT)) continue;
        if (others++ < 0) first = c;
    }
    if (first == AC_NOT_MOVING) return false;
    int used = snprintf(text, size,
                        "contact '%s': its friction has no effect; there is no friction force, and the "
                        "coefficient is compared only where a contact sticks",
                        system->contacts[first].name);
    if (others > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " (with %d other contact%s)", others,
                 others > 1 ? "s" : "");
    return true;
}

bool ac_impacts_remark(const ac_impacts *im, int k, char *text, size_t size)
{
    for (int f = 0; f < AC_VIOLATION_COUNT; ++f) {
        const ac_violation_sum *v = &im->violations[f];
        if (v->count == 0 || k-- > 0) continue;
        snprintf(text, size, sentences[f].words, im->stepper->system->contacts[v->contact].name, v->count,
                 v->time, v->worst);
        add_others(im, f, text, size);
        return true;
    }
    return k == 0 && remark_friction(im, text, size);
}
