/* The table of schemes, and what they share. */
#include "integrate/scheme.h"

#include <string.h>

#include "actio/simulate.h"

extern const ac_scheme ac_scheme_midpoint, ac_scheme_trapezoidal, ac_scheme_energy_momentum;

static const ac_scheme *const SCHEMES[] = {
    &ac_scheme_midpoint,
    &ac_scheme_trapezoidal,
    &ac_scheme_energy_momentum,
};

const char *const *ac_scheme_names(void)
{
    static const char *const names[] = {"midpoint", "trapezoidal", "energy-momentum", NULL};
    return names;
}

const ac_scheme *ac_scheme_find(const char *name)
{
    for (size_t k = 0; k < sizeof SCHEMES / sizeof SCHEMES[0]; ++k)
        if (strcmp(SCHEMES[k]->name, name) == 0) return SCHEMES[k];
    return NULL;
}

void ac_interval_update(ac_interval *iv)
{
    int n = iv->system->n;
    for (int i = 0; i < n; ++i) {
        iv->mean[i] = 0.5 * (iv->qa[i] + iv->qb[i]);
        iv->velocity[i] = (iv->qb[i] - iv->qa[i]) / iv->h;
    }
    ac_mass_apply(iv->system, iv->velocity, iv->momentum);
}

void ac_interval_add_damping(const ac_interval *iv, const double *q, double factor, double *out)
{
    double x[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX];
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(iv->system);
        for (int k = 0; k < count; ++k) {
            if (!kind->dissipative(iv->system, k)) continue;
            ac_element_place place = ac_element_where(iv->system, kind, k);
            ac_element_gather(iv->system, &place, q, x);
            ac_element_gather(iv->system, &place, iv->velocity, v);
            kind->force(iv->system, k, x, v, iv->memory, f, NULL, NULL);
            ac_element_scatter(iv->system, &place, f, factor, out);
        }
    }
}

void ac_interval_damping_slope(const ac_interval *iv, const ac_element_kind *kind, int k,
                               const ac_element_place *place, const double *q, double weight_x,
                               double weight_v, double *block)
{
    double x[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX];
    double by_x[AC_ELEMENT_MAX * AC_ELEMENT_MAX], by_v[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    if (!kind->dissipative(iv->system, k)) return;
    ac_element_gather(iv->system, place, q, x);
    ac_element_gather(iv->system, place, iv->velocity, v);
    kind->force(iv->system, k, x, v, iv->memory, f, by_x, by_v);
    for (int i = 0; i < place->size * place->size; ++i) block[i] += weight_x * by_x[i] + weight_v * by_v[i];
}
