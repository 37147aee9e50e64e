/* Does tension kink a beam?
 *
 * An element measures its stretch along the mean of the directors at its ends. Where these turn against each
 * other by the angles +a and -a the mean is shorter, cos(a), so that a tension N does work on a zigzag of
 * the frames in which the nodes do not move at all. Per element of length l and stretch s, with the bending
 * stiffness EI of the plane,
 *   order 1, director and vertex model    2 EI a^2 / l - N s l a^2 / 2         < 0 if  N s l^2 > 4 EI
 *   order 2, angles 2a, -a, 2a            24 EI a^2 / l - N s l a^2            < 0 if  N s l^2 > 24 EI
 * The second is the one with no turn at both Gauss points; of all waves along a beam these two come first,
 * and where ends are held a little more tension is needed. It is the mesh and not the material: pulled
 * beams are stiffer against bending. Edges of the edge model are measured along one frame and do not kink.
 *
 * Elements of dual quaternions keep their length when frames bend, 2 w' / l along half of the turn, but a relative twist by +a
 * and -a shortens it to cos(a): with the torsional stiffness GJ and alpha_4, whose strain is then s sin(a),
 *   dual quaternions                      2 GJ a^2 / l - (N s - alpha_4 s^2) l a^2 / 2   < 0 if  (N s - alpha_4 s^2) l^2 > 4 GJ
 */
#include "action/beam/beam_kink.h"

#include <math.h>
#include <stdio.h>

#include "base/dual_quaternion.h"
#include "math/math.h"

/* Tensions that are predicted are known roughly, those of a motion may grow by more than twice: so many
 * times the elements. */
static const double PREDICTED = 1.1, MOVING = 1.5;

/* From this ratio on an equilibrium shows what tension takes from the bending stiffness of a zigzag. */
static const double FELT = 0.5;

/* Turns of an element below this are not yet a kink, rad. */
static const double WORTH_TELLING = 1e-3;

typedef struct pull { /* at a strain point */
    double length;    /* of its element */
    double tension, ratio;
} pull;

static pull pull_of(double tension, double stretch, double length, const double stiffness[6], double limit)
{
    pull p = {length, tension, 0.0};
    if (tension > 0.0) /* the weaker plane kinks first */
        p.ratio = tension * stretch * length * length / (limit * ac_min(stiffness[3], stiffness[4]));
    return p;
}

static pull pull_of_dual(const ac_system *system, const ac_beam_element *e, const double *q)
{
    const double *a = q + system->nodes[e->node].q + AC_DUAL_AT,
                 *b = q + system->nodes[e->node + 1].q + AC_DUAL_AT;
    double Xi[8];
    ac_dual_relative(a, b, Xi);
    double stretch = 2.0 * Xi[7] / e->length, tension = e->stiffness[2] * (stretch - e->reference[2]),
           held = system->beams[e->beam].ambient[1] * stretch;
    pull p = {e->length, tension, 0.0};
    if (tension > held)
        p.ratio = (tension - held) * stretch * e->length * e->length / (4.0 * e->stiffness[5]);
    return p;
}

/* Only the stretch, not all strains: this is asked for in every step. */
static pull pull_of_element(const ac_system *system, const ac_beam_element *e, const double *q)
{
    if (system->beams[e->beam].model == AC_BEAM_DUAL_QUATERNION) return pull_of_dual(system, e, q);
    const double *a = q + system->nodes[e->node].q, *b = q + system->nodes[e->node + 1].q;
    double stretch = 0.0;
    for (int c = 0; c < 3; ++c) stretch += (a[9 + c] + b[9 + c]) * (b[c] - a[c]);
    stretch *= 0.5 / e->length;
    return pull_of(e->stiffness[2] * (stretch - e->reference[2]), stretch, e->length, e->stiffness, 4.0);
}

static pull pull_of_point(const ac_system *system, const ac_high_element *e, const ac_beam_point *point,
                          const double *q)
{
    const double *x = q + system->nodes[e->node].q;
    double stretch = 0.0;
    for (int c = 0; c < 3; ++c) {
        double slope = 0.0, director = 0.0;
        for (int a = 0; a <= e->order; ++a) {
            slope += point->dN[a] * (x[12 * a + c] - x[c]);
            director += point->N[a] * x[12 * a + 9 + c];
        }
        stretch += slope * director;
    }
    return pull_of(point->stiffness[2] * (stretch - point->reference[2]), stretch, 2.0 * point->weight,
                   point->stiffness, 24.0);
}

static pull pull_at(const ac_system *system, const ac_beam_data *beam, int k, const double *q)
{
    if (beam->order == 1) return pull_of_element(system, &system->mesh.elements[beam->first_element + k], q);
    const ac_high_element *e = &system->mesh.high[beam->first_element + k / beam->order];
    return pull_of_point(system, e, &e->points[k % beam->order], q);
}

/* Does the curvature (of dual quaternions: the twist) beyond the reference change its sign on both sides of point k? At an
 * end one side is enough. */
static bool zigzags(const ac_system *system, const ac_beam_data *beam, int k, const double *q, double length)
{
    const bool dual = beam->model == AC_BEAM_DUAL_QUATERNION;
    const int points = beam->elements * beam->order, first = dual ? 5 : 3, last = dual ? 5 : 4;
    double here[6], next[6], stress[6];
    bool turns[6] = {false};
    for (int i = first; i <= last; ++i) turns[i] = points > 1;
    ac_beam_at_point(system, beam, k, q, here, stress, NULL);
    for (int side = -1; side <= 1; side += 2) {
        if (k + side < 0 || k + side >= points) continue;
        ac_beam_at_point(system, beam, k + side, q, next, stress, NULL);
        for (int i = first; i <= last; ++i) turns[i] = turns[i] && next[i] * here[i] < 0.0;
    }
    for (int i = first; i <= last; ++i)
        if (turns[i] && fabs(here[i]) * length > WORTH_TELLING) return true;
    return false;
}

ac_kink ac_beam_kink(const ac_system *system, const double *q, bool seen)
{
    ac_kink worst = {.beam = -1};
    for (int b = 0; b < system->beam_count; ++b) {
        const ac_beam_data *beam = &system->beams[b];
        if (beam->model == AC_BEAM_EDGE) continue;
        for (int k = 0; k < beam->elements * beam->order; ++k) {
            pull here = pull_at(system, beam, k, q);
            if (!(here.ratio > worst.ratio) || !isfinite(here.ratio)) continue;
            if (seen && !(here.ratio > 1.0 && zigzags(system, beam, k, q, here.length))) continue;
            worst = (ac_kink){.beam = b, .tension = here.tension, .ratio = here.ratio};
        }
    }
    return worst;
}

/* Upwards, to two digits. */
static double round_up(double count)
{
    double unit = 1.0;
    while (count > 100.0 * unit) unit *= 10.0;
    return unit * ceil(count / unit);
}

int ac_kink_elements(const ac_system *system, const ac_kink *kink)
{
    double ratio = kink->ratio * ac_max(1.0, kink->full);
    double wanted = ceil(system->beams[kink->beam].elements * sqrt(ratio));
    if (kink->moves)
        wanted = round_up(MOVING * wanted);
    else if (kink->full > 1.0)
        wanted = round_up(PREDICTED * wanted);
    return wanted < 1e9 ? (int)wanted : 1000000000;
}

/* The edge model has no corners and is of order 1. */
static void put_remedy(const ac_beam_data *beam, char *text, size_t size)
{
    if (beam->model == AC_BEAM_DUAL_QUATERNION)
        snprintf(text, size, ", or ambient_stiffness: [0, %.4g]", beam->start.stiffness[2]);
    else if (beam->nodes > beam->elements * beam->order + 1)
        snprintf(text, size, "%s", "");
    else
        snprintf(text, size, "%s", beam->order > 1 ? ", or model: edge with order: 1" : ", or model: edge");
}

bool ac_kink_text(const ac_system *system, const ac_kink *kink, char *text, size_t size)
{
    *text = '\0';
    if (kink->beam < 0 || !(kink->ratio * ac_max(1.0, kink->full) > 1.0)) return false;
    const ac_beam_data *beam = &system->beams[kink->beam];
    char later[64] = "", remedy[64];
    put_remedy(beam, remedy, sizeof remedy);
    if (kink->full > 1.0)
        snprintf(later, sizeof later, ", under the full load with about %.3g N", kink->full * kink->tension);
    snprintf(text, size,
             "beam '%.100s' is pulled with %.4g N%s: its elements are too long and kink, which the material "
             "would not; take at least %d elements%s",
             beam->name, kink->tension, later, ac_kink_elements(system, kink), remedy);
    return true;
}

bool ac_near_kink_text(const ac_system *system, const ac_kink *kink, char *text, size_t size)
{
    *text = '\0';
    if (kink->beam < 0 || !(kink->ratio > FELT)) return false;
    const ac_beam_data *beam = &system->beams[kink->beam];
    char remedy[64];
    put_remedy(beam, remedy, sizeof remedy);
    snprintf(text, size,
             "beam '%.100s' is pulled with %.4g N, %.0f %% of what kinks its elements: it %s too easily; "
             "take at least %.0f elements%s",
             beam->name, kink->tension, 100.0 * kink->ratio,
             beam->model == AC_BEAM_DUAL_QUATERNION ? "twists" : "bends",
             ceil(beam->elements * sqrt(kink->ratio / (0.5 * FELT))), remedy);
    return true;
}
