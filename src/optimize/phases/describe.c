/* Describing phases and their junctions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "action/inertia.h"
#include "optimize/phases/phases.h"

enum { HOLDS_MOST = 24 };

static ac_status begin(ac_optimization *whole)
{
    if (whole->description.phases) return AC_OK;
    AC_NEW(whole->ctx, whole->description.phases, 1);
    whole->description.phases->per_length = -1;
    return AC_OK;
}

static ac_status grow(ac_optimization *whole)
{
    ac_phases *p = whole->description.phases;
    int capacity[2] = {p->capacity, p->capacity};
    AC_TRY(ac_grow(whole->ctx, (void **)&p->list, &capacity[0], p->count + 1, sizeof *p->list));
    AC_TRY(ac_grow(whole->ctx, (void **)&p->names, &capacity[1], p->count + 1, sizeof *p->names));
    p->capacity = capacity[0];
    return AC_OK;
}

ac_status ac_optimization_add_phase(ac_optimization *whole, const char *name,
                                    const ac_optimization_settings *settings, ac_optimization **phase)
{
    *phase = NULL;
    if (strncmp(settings->formulation, "collocation", strlen("collocation")) == 0)
        return ac_fail(whole->ctx, AC_BAD_INPUT,
                       "phases need the formulation reduced, multipliers or minimal, not %s",
                       settings->formulation);
    if (settings->periodic)
        return ac_fail(whole->ctx, AC_BAD_INPUT,
                       "a phase cannot be periodic by itself; let the phases be a cycle");
    for (int k = 0; k < ac_optimization_phases(whole); ++k)
        if (strcmp(ac_optimization_phase_name(whole, k), name) == 0)
            return ac_fail(whole->ctx, AC_BAD_INPUT, "there are two phases '%s'", name);
    AC_TRY(begin(whole));
    AC_TRY(grow(whole));
    ac_phases *p = whole->description.phases;
    AC_TRY(ac_optimization_new(whole->ctx, whole->system, settings, &p->list[p->count]));
    snprintf(p->names[p->count], sizeof *p->names, "%.*s", (int)sizeof *p->names - 1, name);
    *phase = p->list[p->count++];
    (*phase)->description.phase.part = true;
    return AC_OK;
}

int ac_optimization_phases(const ac_optimization *whole)
{
    return whole->description.phases ? whole->description.phases->count : 0;
}

ac_optimization *ac_optimization_phase(const ac_optimization *whole, int phase)
{
    return whole->description.phases->list[phase];
}

const char *ac_optimization_phase_name(const ac_optimization *whole, int phase)
{
    return whole->description.phases->names[phase];
}

/* A quantity of a configuration, by name. */
static ac_status find_scalar(const ac_optimization *phase, const char *name, int *scalar)
{
    for (int k = 0; k < phase->description.quantities.count; ++k) {
        if (strcmp(phase->description.quantities.names[k], name) != 0) continue;
        *scalar = phase->description.quantities.scalar[k];
        if (*scalar < 0 || phase->description.scalars.list[*scalar].motion)
            return ac_fail(phase->ctx, AC_BAD_INPUT,
                           "'%s' is no quantity of a configuration, so nothing can hold it or bounce on it",
                           name);
        return AC_OK;
    }
    return ac_fail(phase->ctx, AC_BAD_INPUT, "there is no quantity '%s'", name);
}

ac_status ac_optimization_hold(ac_optimization *phase, const char *quantity)
{
    int scalar;
    AC_TRY(find_scalar(phase, quantity, &scalar));
    for (int k = 0; k < phase->description.phase.hold_count; ++k)
        if (phase->description.phase.holds[k] == scalar)
            return ac_fail(phase->ctx, AC_BAD_INPUT, "'%s' is held twice", quantity);
    if (phase->description.phase.hold_count == HOLDS_MOST)
        return ac_fail(phase->ctx, AC_BAD_INPUT, "a phase holds at most %d quantities", HOLDS_MOST);
    AC_TRY(ac_grow(phase->ctx, (void **)&phase->description.phase.holds,
                   &phase->description.phase.hold_capacity, phase->description.phase.hold_count + 1,
                   sizeof *phase->description.phase.holds));
    phase->description.phase.holds[phase->description.phase.hold_count++] = scalar;
    return AC_OK;
}

/* Number of a quantity among those that the phase holds. */
static ac_status find_hold(const ac_optimization *phase, const char *quantity, int *hold)
{
    int scalar;
    AC_TRY(find_scalar(phase, quantity, &scalar));
    for (*hold = 0; *hold < phase->description.phase.hold_count; ++*hold)
        if (phase->description.phase.holds[*hold] == scalar) return AC_OK;
    return ac_fail(phase->ctx, AC_BAD_INPUT, "'%s' has no force: the phase does not hold it", quantity);
}

ac_status ac_optimization_push(ac_optimization *phase, const char *quantity)
{
    int hold;
    AC_TRY(find_hold(phase, quantity, &hold));
    if (!phase->description.phase.pushes) AC_NEW(phase->ctx, phase->description.phase.pushes, HOLDS_MOST);
    phase->description.phase.pushes[hold] = true;
    return AC_OK;
}

/* The weight, or one newton without gravity. */
static double typical_force(const ac_system *system)
{
    double weight = ac_total_mass(system) * norm3(system->gravity);
    return weight > 0.0 ? weight : 1.0;
}

ac_status ac_optimization_friction(ac_optimization *phase, const char *normal, const char *const *tangential,
                                   int count, double coefficient)
{
    double force = typical_force(phase->system);
    ac_friction_cone cone = {.count = count, .coefficient = coefficient, .scale = 1.0 / (force * force)};
    if (count < 1 || count > 2)
        return ac_fail(phase->ctx, AC_BAD_INPUT, "friction acts along one or two quantities, not %d", count);
    if (!(coefficient >= 0.0))
        return ac_fail(phase->ctx, AC_BAD_INPUT, "a coefficient of friction is not negative");
    AC_TRY(find_hold(phase, normal, &cone.normal));
    for (int k = 0; k < count; ++k) AC_TRY(find_hold(phase, tangential[k], &cone.tangential[k]));
    AC_TRY(ac_optimization_push(phase, normal));
    AC_TRY(ac_grow(phase->ctx, (void **)&phase->description.phase.cones,
                   &phase->description.phase.cone_capacity, phase->description.phase.cone_count + 1,
                   sizeof *phase->description.phase.cones));
    phase->description.phase.cones[phase->description.phase.cone_count++] = cone;
    return AC_OK;
}

ac_status ac_optimization_switch_off(ac_optimization *phase, int control)
{
    if (control < 0 || control >= phase->description.control_count)
        return ac_fail(phase->ctx, AC_BAD_INPUT, "there is no control %d", control);
    phase->description.controls[control].given.low = phase->description.controls[control].given.high = 0.0;
    phase->description.controls[control].given.guess = 0.0;
    return AC_OK;
}

/* --- junctions --- */

static ac_status copy_map(const ac_optimization *whole, const ac_junction *given, ac_junction_data *j)
{
    int n = whole->system->n;
    j->map_count = given->map_count > 0 ? given->map_count : n;
    AC_NEW(whole->ctx, j->map, j->map_count);
    for (int e = 0; e < j->map_count; ++e)
        j->map[e] = given->map_count > 0 ? given->map[e] : (ac_map_entry){e, e, 1.0};
    return AC_OK;
}

static ac_status copy_shift(const ac_optimization *whole, const ac_junction *given, ac_junction_data *j)
{
    const ac_system *system = whole->system;
    if (norm3(given->direction) == 0.0) return AC_OK;
    AC_NEW(whole->ctx, j->shift, system->n);
    for (int i = 0; i < system->node_count; ++i)
        for (int k = 0; k < system->nodes[i].dimension; ++k)
            j->shift[system->nodes[i].q + k] = given->direction[k];
    j->low = given->low;
    j->high = given->high;
    j->guess = given->guess;
    return AC_OK;
}

/* A quantity that takes an impulse without being held. */
static ac_status find_struck(const ac_optimization *whole, const ac_junction *given, const char *name,
                             const ac_junction_data *j, int *scalar)
{
    const ac_phases *p = whole->description.phases;
    const ac_optimization *next = p->list[given->to];
    AC_TRY(find_scalar(next, name, scalar));
    for (int h = 0; h < next->description.phase.hold_count; ++h)
        if (next->description.phase.holds[h] == *scalar)
            return ac_fail(whole->ctx, AC_BAD_INPUT,
                           "'%s' cannot bounce where phase '%s' begins, which holds it: what is held sticks",
                           name, p->names[given->to]);
    for (int k = 0; k < j->bounce_count + j->along_count; ++k)
        if (j->bounce[k].scalar == *scalar)
            return ac_fail(whole->ctx, AC_BAD_INPUT, "'%s' is in the impact twice", name);
    return AC_OK;
}

static ac_status check_bounce(const ac_optimization *whole, const ac_bounce *b)
{
    if (!isfinite(b->loss))
        return ac_fail(whole->ctx, AC_BAD_INPUT, "the loss where '%s' bounces is not a number", b->quantity);
    if (b->loss < 0.0 && !(b->restitution >= 0.0 && b->restitution <= 1.0))
        return ac_fail(whole->ctx, AC_BAD_INPUT,
                       "the restitution of '%s' must be between 0 (stopped) and 1 (elastic), not %g: an "
                       "impact does not add energy",
                       b->quantity, b->restitution);
    if (!(b->tangential >= 0.0 && b->tangential <= 1.0))
        return ac_fail(whole->ctx, AC_BAD_INPUT,
                       "the tangential loss where '%s' bounces must be between 0 and 1, not %g", b->quantity,
                       b->tangential);
    if (b->along_count < 0 || b->along_count > AC_BOUNCE_ALONG)
        return ac_fail(whole->ctx, AC_BAD_INPUT,
                       "tangential velocity is lost along one or two quantities, not %d", b->along_count);
    return AC_OK;
}

/* What bounces, then what is along the surfaces. */
static ac_status copy_bounces(const ac_optimization *whole, const ac_junction *given, ac_junction_data *j)
{
    AC_NEW(whole->ctx, j->bounce, (1 + AC_BOUNCE_ALONG) * given->bounce_count + 1);
    for (int k = 0; k < given->bounce_count; ++k) {
        const ac_bounce *b = &given->bounces[k];
        ac_bounce_data *own = &j->bounce[k];
        AC_TRY(check_bounce(whole, b));
        *own = (ac_bounce_data){.loss = b->loss, .tangential = b->tangential, .lossy = -1, .normal = -1};
        AC_TRY(find_struck(whole, given, b->quantity, j, &own->scalar));
        own->restitution = b->loss == 0.0 ? 1.0 : b->restitution; /* known without a row */
        if (b->loss > 0.0) own->lossy = j->lossy_count++;
        ++j->bounce_count;
    }
    for (int k = 0; k < given->bounce_count; ++k)
        for (int l = 0; l < given->bounces[k].along_count; ++l) {
            ac_bounce_data *own = &j->bounce[j->bounce_count + j->along_count];
            *own = (ac_bounce_data){.loss = -1.0, .lossy = -1, .normal = k};
            AC_TRY(find_struck(whole, given, given->bounces[k].along[l], j, &own->scalar));
            ++j->along_count;
        }
    return AC_OK;
}

/* Is there a condition at this end of a phase, an equation if it must be one? */
static bool has_condition(const ac_optimization *phase, ac_condition_place place, bool equation)
{
    for (int k = 0; k < phase->description.condition_count; ++k) {
        const ac_condition_data *c = &phase->description.conditions[k];
        if (c->place == place && (!equation || c->low == c->high)) return true;
    }
    return false;
}

/* Something strikes: the next phase holds what the one before does not, or something bounces. Where that happens must be
 * said: by an equation where it bounces, while a brake may stop it within bounds. */
static ac_status check_end(const ac_optimization *whole, const ac_junction *given)
{
    const ac_phases *p = whole->description.phases;
    const ac_optimization *a = p->list[given->from], *b = p->list[given->to];
    const char *struck = given->bounce_count > 0 ? given->bounces[0].quantity : NULL;
    for (int k = 0; k < b->description.phase.hold_count && !struck; ++k) {
        bool kept = false;
        for (int l = 0; l < a->description.phase.hold_count; ++l)
            kept = kept || a->description.phase.holds[l] == b->description.phase.holds[k];
        if (!kept) struck = ac_optimization_hold_name(b, k);
    }
    bool equation = given->bounce_count > 0;
    if (!struck || has_condition(a, AC_AT_END, equation) || has_condition(b, AC_AT_START, equation))
        return AC_OK;
    return ac_fail(whole->ctx, AC_BAD_INPUT,
                   "phase '%s' has no end condition: '%s' is stopped or bounces there, so a condition with "
                   "%sat: end must say where",
                   p->names[given->from], struck, equation ? "equals, " : "");
}

ac_status ac_optimization_join(ac_optimization *whole, const ac_junction *given)
{
    ac_phases *p = whole->description.phases;
    if (!p || given->from < 0 || given->to < 0 || given->from >= p->count || given->to >= p->count)
        return ac_fail(whole->ctx, AC_BAD_INPUT, "a junction needs two phases");
    ac_optimization *a = p->list[given->from], *b = p->list[given->to];
    if (a->description.phase.meets[1] || b->description.phase.meets[0])
        return ac_fail(whole->ctx, AC_BAD_INPUT, "a phase has one end and one start");
    AC_TRY(check_end(whole, given));
    AC_TRY(ac_grow(whole->ctx, (void **)&p->junctions, &p->junction_capacity, p->junction_count + 1,
                   sizeof *p->junctions));
    ac_junction_data *j = &p->junctions[p->junction_count++];
    *j = (ac_junction_data){.from = given->from, .to = given->to, .length = -1};
    AC_TRY(copy_map(whole, given, j));
    AC_TRY(copy_shift(whole, given, j));
    if (given->map_count > 0 || j->shift) AC_TRY(ac_junction_check_alike(whole, j));
    AC_TRY(copy_bounces(whole, given, j));
    if (given->per_length && !j->shift)
        return ac_fail(whole->ctx, AC_BAD_INPUT,
                       "an objective per length needs a junction that shifts the motion");
    if (given->per_length) p->per_length = p->junction_count - 1;
    a->description.phase.meets[1] = b->description.phase.meets[0] = true;
    a->settings.end_rest = false;
    b->settings.start_fixed = b->settings.start_velocity = false;
    return AC_OK;
}

void ac_phases_free(ac_optimization *o)
{
    ac_phases *p = o->description.phases;
    if (!p) return;
    for (int k = 0; k < p->count; ++k) ac_optimization_free(p->list[k]);
    for (int k = 0; k < p->junction_count; ++k) {
        ac_junction_data *j = &p->junctions[k];
        ac_release(o->ctx, j->map);
        ac_release(o->ctx, j->shift);
        ac_release(o->ctx, j->bounce);
    }
    ac_shared_free(o);
    ac_release(o->ctx, p->list);
    ac_release(o->ctx, p->names);
    ac_release(o->ctx, p->junctions);
    ac_release(o->ctx, p);
    o->description.phases = NULL;
}

/* --- what was found --- */

int ac_optimization_junctions(const ac_optimization *whole)
{
    return whole->description.phases ? whole->description.phases->junction_count : 0;
}

ac_status ac_optimization_junction(ac_optimization *whole, int junction, ac_junction_outcome *out)
{
    const ac_phases *p = whole->description.phases;
    const ac_junction_data *j = &p->junctions[junction];
    double *momentum = ac_allocate(whole->ctx, (size_t)whole->system->n, sizeof *momentum);
    if (!momentum) return ac_out_of_memory(whole->ctx);
    *out = (ac_junction_outcome){.from = j->from,
                                 .to = j->to,
                                 .length = j->length >= 0 ? whole->point.x[j->length] : 0.0,
                                 .energy_before = ac_kinetic_energy(
                                     p->list[j->from]->system, p->list[j->from]->point.velocity[1], momentum),
                                 .energy_after = ac_kinetic_energy(
                                     p->list[j->to]->system, p->list[j->to]->point.velocity[0], momentum),
                                 .impulses = j->impulse_count};
    ac_release(whole->ctx, momentum);
    return AC_OK;
}

double ac_optimization_impulse(const ac_optimization *whole, int junction, int impulse)
{
    return whole->point.x[whole->description.phases->junctions[junction].impulses + impulse];
}

static const char *scalar_name(const ac_optimization *phase, int scalar)
{
    for (int k = 0; k < phase->description.quantities.count; ++k)
        if (phase->description.quantities.scalar[k] == scalar) return phase->description.quantities.names[k];
    return "";
}

const char *ac_optimization_impulse_name(const ac_optimization *whole, int junction, int impulse)
{
    const ac_junction_data *j = &whole->description.phases->junctions[junction];
    const ac_optimization *next = whole->description.phases->list[j->to];
    return scalar_name(next, impulse < next->description.phase.hold_count
                                 ? next->description.phase.holds[impulse]
                                 : j->bounce[impulse - next->description.phase.hold_count].scalar);
}

int ac_optimization_holds(const ac_optimization *phase)
{
    return phase->description.phase.hold_count;
}

const char *ac_optimization_hold_name(const ac_optimization *phase, int hold)
{
    return scalar_name(phase, phase->description.phase.holds[hold]);
}

/* R - c h lambda grad s = 0: the force on the quantity is -lambda. */
double ac_optimization_hold_force(const ac_optimization *phase, int hold, int node)
{
    return -phase->point.x[ac_hold_variable(phase, node) + hold];
}
