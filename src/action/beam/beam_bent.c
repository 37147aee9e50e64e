/* Products of derivatives of a director beam element with a vector, for sweeps backwards: with s_i = x^T A_i x / 2,
 *
 *   V'' w = l sum [D_i (ds_i along w) A_i x + N_i A_i w],   N_i = D_i (s_i - s_i^ref),
 *
 * and of the discrete derivative l sum (N_i(a) + N_i(b))/2 A_i (a + b)/2 by one end x: half of the same sum, with ds_i at the
 * mean and the mean of N_i. A sum of A_i x is one of forces and moments of resultants (beam_force.h).
 */
#include "action/beam/beam_bent.h"

#include "action/beam/beam_force.h"
#include "model/beam/strain.h"

enum { STRAINS = 6 };

/* Strains and their derivatives along w; false: they are not quadratic, or there are no six of them. */
static bool strains_along(const ac_system *system, int k, const double *q, const double *w,
                          double strain[STRAINS], double along[STRAINS])
{
    const ac_beam_element *e = &system->mesh.elements[k];
    const int at = system->nodes[e->node].q;
    if (system->beams[e->beam].model != AC_BEAM_DIRECTOR || e->length == 0.0) return false;
    const ac_beam_shares shares = ac_beam_shares_of(system, k);
    ac_director_strains(e, q + at, strain);
    ac_strain_rates(&shares, q + at, w + at, along);
    return true;
}

/* Parts are stretch and bending in turn (beam_describe.c). */
bool ac_beam_along(const ac_system *system, int k, const double *q, const double *w,
                   double y[AC_ELEMENT_PARTS], double slope[AC_ELEMENT_PARTS])
{
    double strain[STRAINS], along[STRAINS];
    if (!strains_along(system, k, q, w, strain, along)) return false;
    for (int i = 0; i < STRAINS; ++i) {
        int from = i % 2 == 0 ? i / 2 : 3 + i / 2;
        y[i] = strain[from];
        slope[i] = along[from];
    }
    return true;
}

/* out += factor l sum [D_i along_i A_i x + N_i A_i w] with N_i of the strains s_i */
static void add(const ac_beam_element *e, const double *x, const double *w, const double along[STRAINS],
                const double strain[STRAINS], double factor, double *out)
{
    double turned[STRAINS], stressed[STRAINS];
    for (int i = 0; i < STRAINS; ++i) { /* l / 2l */
        double half = 0.5 * factor * e->stiffness[i];
        turned[i] = half * along[i];
        stressed[i] = half * (strain[i] - e->reference[i]);
    }
    ac_add_director_forces(x, turned, out);
    ac_add_director_forces(w, stressed, out);
}

bool ac_beam_add_bent(const ac_system *system, int k, const double *q, const double *w, double factor,
                      double *out)
{
    const ac_beam_element *e = &system->mesh.elements[k];
    const int at = system->nodes[e->node].q;
    double strain[STRAINS], along[STRAINS];
    if (!strains_along(system, k, q, w, strain, along)) return false;
    add(e, q + at, w + at, along, strain, factor, out + at);
    return true;
}

bool ac_beam_add_bent_discrete(const ac_system *system, int k, const double *qa, const double *qb,
                               const double *w, double factor, double *out_a, double *out_b)
{
    const ac_beam_element *e = &system->mesh.elements[k];
    const int at = system->nodes[e->node].q;
    double strain[STRAINS], along[STRAINS], end[STRAINS], late[STRAINS];
    if (!strains_along(system, k, qa, w, strain, along)) return false;
    strains_along(system, k, qb, w, end, late);
    for (int i = 0; i < STRAINS; ++i) { /* both are linear in each node */
        strain[i] = 0.5 * (strain[i] + end[i]);
        along[i] = 0.5 * (along[i] + late[i]);
    }
    if (out_a) add(e, qa + at, w + at, along, strain, 0.5 * factor, out_a + at);
    if (out_b) add(e, qb + at, w + at, along, strain, 0.5 * factor, out_b + at);
    return true;
}
