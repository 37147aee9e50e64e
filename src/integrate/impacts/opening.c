/* The time at which a sticking contact opens.
 *
 * Its normal force vanishes there, its friction force does not: opened at a node of the mesh, that force would act for a part of a
 * step too long, and the motion would be of first order. The normal force f(t) of a closed contact has the mean over an interval
 * of length x
 *
 *   m(x) = (A + B)/x = f(t_a + x/2) + O(x^2)
 *
 * with its impulses A at q_a and B at q_b: the discrete momenta there, without constraint forces, minus those of the velocities that
 * the closed contacts allow. The line through m(h/2) at h/4 and m(h) at h/2 vanishes where the contact opens, up to O(h^2).
 */
#include <math.h>

#include "integrate/impacts/impacts.h"
#include "math/math.h"

/* Forces below this part of the largest do not pull. */
static const double PULL = 1e-9;
/* m is computed where the force would vanish within so many steps if it continued to fall as from the interval before. */
static const double AHEAD = 2.0;

/* Can a contact open within a step? */
static bool may_open(const ac_impacts *im, int contact)
{
    const ac_touch *touch = &im->touches[contact];
    return touch->closed && touch->rows > 1 && !im->stepper->system->contacts[contact].keep &&
           touch->released < AC_MOST_RELEASES;
}

/* im->ahead.leaving = -A of all active rows, of the solved interval. */
static void find_leaving(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    for (int i = 0; i < s->system->n; ++i) im->gradient[i] = -s->left[i];
    ac_jump_carried(im, s->qa, im->gradient, im->rates, im->ahead.leaving);
    for (int k = 0; k < im->jump.rows; ++k) im->ahead.leaving[k] = -im->ahead.leaving[k];
}

/* Normal forces of all contacts from impulses im->ahead.leaving of all active rows over a time; returns the largest of a row. */
static double find_forces(ac_impacts *im, double time, double *forces)
{
    double most = 0.0;
    ac_spread_impulses(im, -1.0, im->ahead.leaving);
    for (int k = 0; k < im->jump.rows; ++k) most = ac_max(most, fabs(im->ahead.leaving[k]) / time);
    for (int c = 0; c < im->stepper->system->contact_count; ++c)
        forces[c] = im->touches[c].closed ? -im->ahead.leaving[ac_touch_first_row(im, c)] / time : 0.0;
    return most;
}

/* Does a sticking contact seem to open soon? */
static bool suspicious(ac_impacts *im)
{
    const ac_stepper *s = im->stepper;
    bool any = false, found = !(s->h_before > 0.0);
    for (int c = 0; c < s->system->contact_count; ++c) any = any || may_open(im, c);
    if (!any) return false;
    find_leaving(im);
    find_forces(im, 0.5 * s->h, im->ahead.forces[0]);
    for (int c = 0; c < s->system->contact_count; ++c) {
        ac_touch *touch = &im->touches[c];
        touch->leaving = im->ahead.forces[0][c];
        found = found || (may_open(im, c) && touch->leaving < AHEAD * (touch->left - touch->leaving));
    }
    return found;
}

/* m of all contacts, for the solved interval; `most`: the largest force of a row. */
static ac_status mean_forces(ac_impacts *im, double *forces, double *most)
{
    AC_TRY(ac_jump_ahead(im));
    find_leaving(im);
    for (int k = 0; k < im->jump.rows; ++k) im->ahead.leaving[k] += im->ahead.arriving[k];
    *most = find_forces(im, im->stepper->h, forces);
    return AC_OK;
}

/* Where the line through m(h/2) = half and m(h) = whole vanishes; 0: before the interval, infinite: after it. */
static double root(double half, double whole, double most, double h, double shortest)
{
    double start = 2.0 * half - whole, end = 3.0 * whole - 2.0 * half;
    if (end >= -PULL * most) return INFINITY;
    double length = start > 0.0 ? h * start / (start - end) : 0.0;
    return length < shortest ? 0.0 : length > h - shortest ? INFINITY : length;
}

ac_status ac_opening_find(ac_impacts *im, double h)
{
    const int contacts = im->stepper->system->contact_count;
    double most, *half = im->ahead.forces[0], *whole = im->ahead.forces[1];
    for (int c = 0; c < contacts; ++c) im->touches[c].opening = INFINITY;
    if (!suspicious(im)) return AC_OK;
    AC_TRY(mean_forces(im, whole, &most));
    AC_TRY(ac_resolve_interval(im, 0.5 * h));
    AC_TRY(mean_forces(im, half, &most));
    for (int c = 0; c < contacts; ++c)
        if (may_open(im, c))
            im->touches[c].opening = root(half[c], whole[c], most, h, AC_SHORT_INTERVAL * im->mesh_h);
    return ac_resolve_interval(im, h);
}
