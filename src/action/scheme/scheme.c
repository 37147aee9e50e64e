/* The table of schemes, and what they share. */
#include "action/scheme/scheme.h"

#include <string.h>

#include "action/inertia.h"
#include "actio/simulate.h"
#include "action/load.h"
#include "action/interval.h"
#include "action/relative.h"

/* A scheme is one line here: its symbol ac_scheme_... and its name. */
#define AC_SCHEMES(SCHEME)             \
    SCHEME(midpoint, "midpoint")       \
    SCHEME(trapezoidal, "trapezoidal") \
    SCHEME(energy_momentum, "energy-momentum")

#define DECLARED(symbol, text) extern const ac_scheme ac_scheme_##symbol;
#define LISTED(symbol, text) &ac_scheme_##symbol,
#define NAMED(symbol, text) text,

AC_SCHEMES(DECLARED)
static const ac_scheme *const SCHEMES[] = {AC_SCHEMES(LISTED)};

const char *const *ac_scheme_names(void)
{
    static const char *const names[] = {AC_SCHEMES(NAMED) NULL};
    return names;
}

const char *const *ac_scheme_choices(void)
{
    static const char *const choices[] = {"auto", AC_SCHEMES(NAMED) NULL};
    return choices;
}

const char *ac_scheme_for(const ac_system *system, const char *choice)
{
    if (strcmp(choice, "auto") != 0) return choice;
    if (system->mesh.dual_nodes > 0) return ac_scheme_trapezoidal.name;
    return system->beam_count > 0 ? ac_scheme_energy_momentum.name : ac_scheme_midpoint.name;
}

const char *ac_scheme_reason(const ac_system *system, const char *choice)
{
    if (strcmp(choice, "auto") != 0) return "as asked";
    if (system->mesh.dual_nodes > 0) return "there are beams of dual quaternions";
    return system->beam_count > 0 ? "there are beams" : "there are no beams";
}

ac_status ac_scheme_check(ac_context *ctx, const ac_system *system, const char *scheme)
{
    if (system->mesh.dual_nodes == 0 || strcmp(scheme, ac_scheme_trapezoidal.name) == 0) return AC_OK;
    return ac_fail(
        ctx, AC_BAD_INPUT,
        "beams of dual quaternions are known to the trapezoidal scheme only, not to '%s': at the mean of two "
        "configurations a dual quaternion is no pose",
        scheme);
}

const ac_scheme *ac_scheme_find(const char *name)
{
    for (size_t k = 0; k < sizeof SCHEMES / sizeof SCHEMES[0]; ++k)
        if (strcmp(SCHEMES[k]->name, name) == 0) return SCHEMES[k];
    return NULL;
}

void ac_interval_update(ac_interval *iv)
{
    const int n = iv->system->n;
    const double rate = 1.0 / iv->h, *restrict qa = iv->qa, *restrict qb = iv->qb;
    double *restrict mean = iv->mean, *restrict velocity = iv->velocity;
    for (int i = 0; i < n; ++i) {
        mean[i] = 0.5 * (qa[i] + qb[i]);
        velocity[i] = (qb[i] - qa[i]) * rate;
    }
    ac_mass_apply(iv->system, iv->velocity, iv->momentum);
    ac_relative_clear(iv->system, iv->momentum);
}

double ac_interval_kinetic(const ac_interval *iv)
{
    double sum = 0.0;
    for (int i = 0; i < iv->system->n; ++i) sum += 0.5 * iv->velocity[i] * iv->momentum[i];
    return sum + ac_relative_energy(iv->system, iv->qa, iv->qb, iv->h, NULL);
}

bool ac_system_is_undamped(const ac_system *system)
{
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(system); ++k)
            if (ac_element_dissipative(kind, system, k)) return false;
    }
    return true;
}

void ac_interval_add_inputs(const ac_interval *iv, ac_input_place place, const double *q, double factor,
                            double *out)
{
    ac_loads_add(iv->system, iv->t, iv->h, q, iv->winding, factor, out);
    if (iv->controls) ac_discrete_add_controls(iv->controls, place, q, iv->tau, factor, out);
}

void ac_interval_add_damping(const ac_interval *iv, const double *q, double factor, double *out)
{
    double x[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], f[AC_ELEMENT_MAX];
    if (iv->undamped) return;
    for (int t = 0; t < ac_element_kind_count(); ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        int count = kind->count(iv->system);
        if (kind->add_secant_forces) {
            kind->add_secant_forces(iv->system, iv->qa, iv->qb, q, factor / iv->h, out);
            continue;
        }
        if (kind->add_forces) {
            kind->add_forces(iv->system, q, iv->velocity, factor, out);
            continue;
        }
        for (int k = 0; k < count; ++k) {
            if (!ac_element_dissipative(kind, iv->system, k)) continue;
            ac_element_place place = ac_element_where(iv->system, kind, k);
            ac_element_gather(iv->system, &place, q, x);
            ac_element_gather(iv->system, &place, iv->velocity, v);
            ac_element_force(kind, iv->system, k, x, v, iv->winding, f, NULL, NULL);
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
    if (!ac_element_dissipative(kind, iv->system, k)) return;
    ac_element_gather(iv->system, place, q, x);
    ac_element_gather(iv->system, place, iv->velocity, v);
    ac_element_force(kind, iv->system, k, x, v, iv->winding, f, by_x, by_v);
    for (int i = 0; i < place->size * place->size; ++i) block[i] += weight_x * by_x[i] + weight_v * by_v[i];
}

bool ac_interval_slope_at_mean(const ac_interval *iv, const ac_element_kind *kind, int k,
                               const ac_element_place *place, ac_energy_slope energy, double *block)
{
    if (ac_element_conservative(kind, iv->system, k)) {
        energy(iv, kind, k, place, block);
    } else {
        memset(block, 0, (size_t)(place->size * place->size) * sizeof *block);
    }
    ac_interval_damping_slope(iv, kind, k, place, iv->mean, -0.25 * iv->h, -0.5, block);
    return true;
}
