/* Phases of the task optimize, what joins them, and the cycle that they may form. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "optimize/problem/prepare.h"
#include "problem/build/guess.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"
#include "problem/keys/schema_optimize.h"
#include "model/system.h"

enum { IMPACTS_MOST = 16, MAP_SIZE = 12 };

/* ---- one phase ---- */

static ac_status phase_settings(ac_builder *b, const ac_phase_input *input, ac_optimization_settings *s)
{
    if (input->intervals.at) s->intervals = (int)input->intervals.value;
    if (input->free_duration.at) s->free_duration = input->free_duration.on;
    if (input->duration.at) {
        s->duration = input->duration.value;
        s->least_duration = s->most_duration = 0.0;
    }
    const ac_value *bound = input->least_duration.at ? input->least_duration.at : input->most_duration.at;
    if (bound && !s->free_duration)
        return ac_fail_at(b->ctx, bound->key_place, "bounds on the duration go with free_duration: true");
    if (input->least_duration.at) s->least_duration = input->least_duration.value;
    if (input->most_duration.at) s->most_duration = input->most_duration.value;
    return AC_OK;
}

/* Whether a list of words has this one; its place is noted as used. */
static bool listed(const ac_value *list, const char *word)
{
    for (const ac_value *value = list ? list->first : NULL; value; value = value->next)
        if (value->kind == AC_SCALAR && strcmp(value->text, word) == 0) return true;
    return false;
}

static ac_status check_words(ac_builder *b, const ac_value *list, const char *what, const char *of)
{
    if (!list) return AC_OK;
    if (list->kind != AC_LIST) return ac_fail_at(b->ctx, list->place, "%s must be a list of %s", what, of);
    for (const ac_value *value = list->first; value; value = value->next)
        if (value->kind != AC_SCALAR)
            return ac_fail_at(b->ctx, value->place, "%s must be a list of %s", what, of);
    return AC_OK;
}

static ac_status read_controls(ac_builder *b, ac_optimization *phase, const ac_value *controls,
                               const ac_value *without)
{
    AC_TRY(check_words(b, without, "without", "controls"));
    for (const ac_value *entry = controls->first; entry; entry = entry->next) {
        int first = ac_optimization_controls(phase);
        AC_TRY(ac_read_control(b, phase, entry));
        const ac_value *name = ac_value_find(entry, "name");
        for (int k = first; name && listed(without, name->text) && k < ac_optimization_controls(phase); ++k)
            AC_TRY(ac_optimization_switch_off(phase, k));
    }
    for (const ac_value *value = without ? without->first : NULL; value; value = value->next) {
        bool known = false;
        for (const ac_value *entry = controls->first; entry; entry = entry->next) {
            const ac_value *name = ac_value_find(entry, "name");
            known = known || (name && name->kind == AC_SCALAR && strcmp(name->text, value->text) == 0);
        }
        if (!known) return ac_fail_at(b->ctx, value->place, "there is no control '%.60s'", value->text);
    }
    return AC_OK;
}

static ac_status read_list(ac_condition_reader *reader, const ac_value *conditions)
{
    for (const ac_value *entry = conditions ? conditions->first : NULL; entry; entry = entry->next)
        AC_TRY(ac_read_condition(reader, entry));
    return AC_OK;
}

/* Forces of what is held: no pull, friction. */
static ac_status read_contact(ac_builder *b, ac_optimization *phase, const ac_phase_input *own)
{
    AC_TRY(check_words(b, own->push, "push", "quantities"));
    for (const ac_value *value = own->push ? own->push->first : NULL; value; value = value->next)
        AC_TRY(ac_build_failed(b, ac_optimization_push(phase, value->text), value->place));
    for (const ac_value *entry = own->friction ? own->friction->first : NULL; entry; entry = entry->next) {
        ac_friction_input input;
        const char *along[3];
        int count = 0;
        AC_TRY(ac_section_read(&b->reader, &ac_section_friction, entry, &input, sizeof input));
        AC_TRY(check_words(b, input.along, "along", "quantities"));
        for (const ac_value *value = input.along->first; value && count < 3; value = value->next)
            along[count++] = value->text;
        AC_TRY(ac_build_failed(
            b, ac_optimization_friction(phase, input.normal.text, along, count, input.coefficient.value),
            entry->place));
    }
    return AC_OK;
}

static ac_status describe_phase(ac_builder *b, ac_optimization *phase, const ac_optimize_input *all,
                                const ac_phase_input *own)
{
    ac_optimization_plan unused = {0};
    AC_TRY(read_controls(b, phase, all->controls, own->without));
    for (const ac_value *entry = all->quantities ? all->quantities->first : NULL; entry; entry = entry->next)
        AC_TRY(ac_read_quantity(b, phase, entry));
    AC_TRY(check_words(b, own->hold, "hold", "quantities"));
    for (const ac_value *value = own->hold ? own->hold->first : NULL; value; value = value->next)
        AC_TRY(ac_build_failed(b, ac_optimization_hold(phase, value->text), value->place));
    AC_TRY(read_contact(b, phase, own));
    ac_condition_reader reader = {b, phase, &unused, 0};
    AC_TRY(read_list(&reader, all->conditions));
    AC_TRY(read_list(&reader, own->conditions));
    const ac_value *objective = own->objective ? own->objective : all->objective;
    for (const ac_value *entry = objective->first; entry; entry = entry->next)
        AC_TRY(ac_read_objective(b, phase, entry));
    ac_optimization_guesses_follow(phase);
    const ac_value *guess = own->guess ? own->guess : all->guess;
    if (!guess) return AC_OK;
    AC_TRY(ac_read_guess(b, phase, guess, &unused));
    const ac_value *file = ac_value_find(guess, "file");
    if (unused.simulated_guess || file)
        return ac_fail_at(b->ctx, file ? file->key_place : guess->key_place,
                          "the guess of a phase takes joints, turns and positions");
    return AC_OK;
}

/* ---- junctions ---- */

typedef struct impacts {
    int count;
    ac_bounce list[IMPACTS_MOST];
} impacts;

static ac_status read_restitution(ac_builder *b, const ac_value *value, double *e)
{
    AC_TRY(ac_read_number(&b->reader, value, "restitution", AC_DIM_NUMBER, e));
    if (*e >= 0.0 && *e <= 1.0) return AC_OK;
    if (*e < 0.0)
        return ac_fail_at(b->ctx, value->place,
                          "a restitution is between 0 (stopped) and 1 (elastic), not %g. What goes on along "
                          "the surface stands with the quantity that bounces: "
                          "{y: {restitution: 0.8, tangential: 0.1, along: [x]}} loses a tenth",
                          *e);
    return ac_fail_at(b->ctx, value->place,
                      "a restitution is between 0 (stopped) and 1 (elastic), not %g: an impact does not add "
                      "energy",
                      *e);
}

/* The quantities along the surface, and the part of their velocity that is lost. */
static ac_status read_tangential(ac_builder *b, const ac_impact_input *input, ac_bounce *bounce)
{
    const ac_value *along = input->along;
    if (!along && !input->tangential.at) return AC_OK;
    if (!along)
        return ac_fail_at(b->ctx, input->tangential.at->key_place,
                          "'along' is missing: the quantities whose velocity is lost");
    if (!input->tangential.at)
        return ac_fail_at(b->ctx, along->key_place,
                          "'tangential' is missing: the part of the velocity that is lost, 0 to 1");
    if (!(input->tangential.value <= 1.0))
        return ac_fail_at(b->ctx, input->tangential.at->place, "tangential must be between 0 and 1, not %g",
                          input->tangential.value);
    bounce->tangential = input->tangential.value;
    AC_TRY(check_words(b, along, "along", "quantities"));
    for (const ac_value *value = along->first; value; value = value->next) {
        if (bounce->along_count == AC_BOUNCE_ALONG)
            return ac_fail_at(b->ctx, value->place, "along takes one or two quantities");
        bounce->along[bounce->along_count++] = value->text;
    }
    return bounce->along_count > 0
               ? AC_OK
               : ac_fail_at(b->ctx, along->place, "along takes one or two quantities, not none");
}

/* What one quantity does: a restitution, or a map. */
static ac_status read_bounce(ac_builder *b, const ac_value *value, ac_bounce *bounce)
{
    ac_impact_input input;
    *bounce = (ac_bounce){.quantity = value->key, .loss = -1.0};
    if (value->kind != AC_MAP) return read_restitution(b, value, &bounce->restitution);
    AC_TRY(ac_section_read(&b->reader, &ac_section_impact, value, &input, sizeof input));
    if (input.restitution && input.loss.at)
        return ac_fail_at(b->ctx, input.loss.at->key_place, "give either restitution or loss, not both");
    if (!input.restitution && !input.loss.at)
        return ac_fail_at(b->ctx, value->key_place, "how does '%.60s' bounce? Give restitution or loss",
                          value->key);
    if (input.restitution) AC_TRY(read_restitution(b, input.restitution, &bounce->restitution));
    if (input.loss.at) bounce->loss = input.loss.value;
    return read_tangential(b, &input, bounce);
}

static ac_status read_impact(ac_builder *b, const ac_value *map, impacts *list)
{
    list->count = 0;
    if (!map) return AC_OK;
    if (map->kind != AC_MAP)
        return ac_fail_at(b->ctx, map->place,
                          "impact must be a map of quantities to coefficients of restitution or losses");
    for (const ac_value *value = map->first; value; value = value->next) {
        if (list->count == IMPACTS_MOST)
            return ac_fail_at(b->ctx, value->key_place, "impact takes at most %d quantities", IMPACTS_MOST);
        AC_TRY(read_bounce(b, value, &list->list[list->count++]));
    }
    return AC_OK;
}

static ac_status join(ac_builder *b, ac_optimization *whole, const ac_value *impact, ac_junction *junction,
                      ac_place place)
{
    impacts list;
    AC_TRY(read_impact(b, impact, &list));
    junction->bounce_count = list.count;
    junction->bounces = list.list;
    return ac_build_failed(b, ac_optimization_join(whole, junction), impact ? impact->key_place : place);
}

/* ---- cycle ---- */

/* partner[i]: the body whose place body i takes */
static ac_status read_swap(ac_builder *b, const ac_value *swap, int *partner)
{
    for (int i = 0; i < b->node_count; ++i) partner[i] = i;
    if (!swap) return AC_OK;
    if (swap->kind != AC_LIST)
        return ac_fail_at(b->ctx, swap->place, "swap must be a list of pairs of bodies");
    for (const ac_value *pair = swap->first; pair; pair = pair->next) {
        int nodes[2];
        AC_TRY(ac_read_pair(b, pair, "swap", nodes));
        for (int k = 0; k < 2; ++k)
            if (nodes[k] == AC_GROUND || partner[nodes[k]] != nodes[k])
                return ac_fail_at(b->ctx, pair->place,
                                  "each pair of swap has two bodies, and a body is in one pair");
        const ac_node *first = &b->system->nodes[nodes[0]], *second = &b->system->nodes[nodes[1]];
        if (first->size != second->size || first->dimension != second->dimension)
            return ac_fail_at(b->ctx, pair->place,
                              "'%s' and '%s' are different: they cannot take the place of one another",
                              first->name, second->name);
        partner[nodes[0]] = nodes[1];
        partner[nodes[1]] = nodes[0];
    }
    return AC_OK;
}

static void add(ac_junction *junction, ac_map_entry *map, int to, int from, double factor)
{
    if (fabs(factor) > 1e-12) map[junction->map_count++] = (ac_map_entry){to, from, factor};
}

/* A planar body has the cosine and the sine of its angle, which a mirror turns round. */
static ac_status map_angle(ac_builder *b, const ac_node *own, const ac_node *other, const double sign[3],
                           ac_junction *junction, ac_map_entry *map)
{
    if (sign[2] < 0.0)
        return ac_fail(b->ctx, AC_BAD_INPUT, "'%s' moves in the plane: a mirror along z does not change it",
                       own->name);
    add(junction, map, own->q + 2, other->q + 2, 1.0);
    add(junction, map, own->q + 3, other->q + 3, sign[0] * sign[1]);
    return AC_OK;
}

/* What has no directors, such as the scalar parts of a dual quaternion, keeps its numbers. */
static ac_status map_others(ac_builder *b, const ac_node *own, const ac_node *other, const double sign[3],
                            ac_junction *junction, ac_map_entry *map)
{
    if (own->size > own->dimension && sign[0] * sign[1] * sign[2] < 0.0)
        return ac_fail(b->ctx, AC_BAD_INPUT, "'%s' cannot be mirrored", own->name);
    for (int k = own->dimension; k < own->size; ++k) add(junction, map, own->q + k, other->q + k, 1.0);
    return AC_OK;
}

/* The centre of mass, then directors: d_I = sum_J K_JI M d_J, K = axes_J . mirror axes_I in the body frame. */
static ac_status map_node(ac_builder *b, int i, int from, const double sign[3], ac_junction *junction,
                          ac_map_entry *map)
{
    const ac_node *own = &b->system->nodes[i], *other = &b->system->nodes[from];
    const ac_built_node *a = ac_built(b, i), *p = ac_built(b, from);
    for (int k = 0; k < own->dimension && k < 3; ++k) {
        add(junction, map, own->q + k, other->q + k, sign[k]);
        if (fabs(a->centre[k] - sign[k] * p->centre[k]) > 1e-9 * ac_max(1.0, b->system->length_scale))
            return ac_fail(b->ctx, AC_BAD_INPUT,
                           "a cycle cannot join different mechanisms: the centre of mass of '%s' is not "
                           "where that of '%s' is",
                           own->name, other->name);
    }
    int more = own->size - own->dimension;
    if (own->dimension == 2 && more == 2) return map_angle(b, own, other, sign, junction, map);
    if (more != 9) return map_others(b, own, other, sign, junction, map);
    for (int I = 0; I < 3; ++I)
        for (int J = 0; J < 3; ++J) {
            double K = 0.0;
            for (int k = 0; k < 3; ++k) K += p->axes[3 * k + J] * sign[k] * a->axes[3 * k + I];
            for (int k = 0; k < 3; ++k)
                add(junction, map, own->q + 3 + 3 * I + k, other->q + 3 + 3 * J + k, K * sign[k]);
        }
    return AC_OK;
}

static ac_status build_map(ac_builder *b, const ac_cycle_input *input, ac_junction *junction)
{
    double sign[3] = {1.0, 1.0, 1.0};
    int nodes = b->node_count;
    if (!input->swap && !input->mirror.at) return AC_OK;
    int *partner = ac_arena_take(&b->reader.arena, (size_t)nodes, sizeof *partner);
    ac_map_entry *map = ac_arena_take(&b->reader.arena, (size_t)nodes * 3 * MAP_SIZE, sizeof *map);
    if (!partner || !map) return AC_NO_MEMORY;
    AC_TRY(read_swap(b, input->swap, partner));
    if (input->mirror.at) sign[input->mirror.choice] = -1.0;
    ac_place place = input->swap ? input->swap->key_place : input->mirror.at->key_place;
    for (int i = 0; i < nodes; ++i)
        AC_TRY(ac_build_failed(b, map_node(b, i, partner[i], sign, junction, map), place));
    junction->map = map;
    return AC_OK;
}

static ac_status read_length(ac_builder *b, const ac_value *section, const ac_cycle_input *input,
                             ac_junction *junction)
{
    const ac_value *any = input->length ? input->length : input->from ? input->from : input->to;
    if (!input->along) {
        if (any) return ac_fail_at(b->ctx, any->key_place, "'along' is missing: the direction of the length");
        return AC_OK;
    }
    AC_TRY(ac_read_along(b, input->along, "along", junction->direction));
    if (!any) return ac_fail_at(b->ctx, section->place, "how far? give length, or from and to");
    junction->low = -INFINITY;
    junction->high = INFINITY;
    if (input->length)
        AC_TRY(ac_read_number(&b->reader, input->length, "length", AC_DIM_LENGTH, &junction->guess));
    if (input->from) AC_TRY(ac_read_number(&b->reader, input->from, "from", AC_DIM_LENGTH, &junction->low));
    if (input->to) AC_TRY(ac_read_number(&b->reader, input->to, "to", AC_DIM_LENGTH, &junction->high));
    if (!input->from && !input->to) junction->low = junction->high = junction->guess;
    if (!input->length)
        junction->guess = !input->to     ? junction->low
                          : !input->from ? junction->high
                                         : 0.5 * (junction->low + junction->high);
    if (junction->low > junction->high)
        return ac_fail_at(b->ctx, input->from->place, "from must not be above to");
    if (input->per_length.on && !(junction->low > 0.0))
        return ac_fail_at(b->ctx, input->per_length.at->place,
                          "per_length needs a length above zero: give from");
    return AC_OK;
}

static ac_status read_cycle(ac_builder *b, ac_optimization *whole, const ac_value *section)
{
    ac_cycle_input input;
    ac_junction junction = {.from = ac_optimization_phases(whole) - 1, .to = 0};
    AC_TRY(ac_section_read(&b->reader, &ac_section_cycle, section, &input, sizeof input));
    AC_TRY(build_map(b, &input, &junction));
    AC_TRY(read_length(b, section, &input, &junction));
    junction.per_length = input.per_length.on;
    return join(b, whole, input.impact, &junction, section->key_place);
}

/* ---- the whole ---- */

static ac_status check_input(ac_builder *b, const ac_optimize_input *input)
{
    if (input->method.at && input->method.choice == 1)
        return ac_fail_at(b->ctx, input->method.at->place, "phases need the transcription");
    if (input->periodic.on)
        return ac_fail_at(b->ctx, input->periodic.at->key_place,
                          "with phases a periodic motion is a cycle: {}");
    if (!input->objective->first)
        return ac_fail_at(b->ctx, input->objective->place,
                          "objective is empty; there is nothing to minimise");
    return input->phases->first ? AC_OK : ac_fail_at(b->ctx, input->phases->place, "phases is empty");
}

/* Sums among the conditions of `optimize` are over all phases. These conditions come first in every phase, so their sums have the
 * same numbers; an energy balance is a sum of its phase. */
static ac_status share_totals(ac_builder *b, ac_optimization *whole, const ac_value *conditions)
{
    int phases = ac_optimization_phases(whole), number = 0;
    int *totals = ac_arena_take(&b->reader.arena, (size_t)phases, sizeof *totals);
    if (!totals) return AC_NO_MEMORY;
    for (const ac_value *entry = conditions ? conditions->first : NULL; entry; entry = entry->next) {
        bool sum = ac_value_find(entry, "total") != NULL;
        if (!sum && !ac_value_find(entry, "energy_balance")) continue;
        for (int k = 0; k < phases; ++k) totals[k] = number;
        if (sum) AC_TRY(ac_build_failed(b, ac_optimization_share_total(whole, totals), entry->place));
        ++number;
    }
    return AC_OK;
}

ac_status ac_build_phases(ac_builder *b, ac_optimization *whole, const ac_optimization_settings *settings,
                          const ac_optimize_input *input)
{
    int count = 0;
    AC_TRY(check_input(b, input));
    for (const ac_value *entry = input->phases->first; entry; entry = entry->next, ++count) {
        ac_phase_input own;
        ac_optimization *phase = NULL;
        ac_optimization_settings s = *settings;
        AC_TRY(ac_section_read(&b->reader, &ac_section_phase, entry, &own, sizeof own));
        AC_TRY(phase_settings(b, &own, &s));
        s.end_rest = s.end_rest && !entry->next;
        AC_TRY(ac_build_failed(b, ac_optimization_add_phase(whole, own.name.text, &s, &phase), entry->place));
        AC_TRY(ac_add_free_parameters(b, phase));
        AC_TRY(describe_phase(b, phase, input, &own));
        if (ac_optimization_guessed_near(phase)) ac_optimization_guess_near(whole, true);
        ac_junction junction = {.from = count - 1, .to = count};
        if (count > 0) AC_TRY(join(b, whole, own.impact, &junction, entry->place));
        if (count == 0 && own.impact)
            return ac_fail_at(b->ctx, own.impact->key_place,
                              "nothing comes before the first phase; the impact of a cycle stands in cycle");
    }
    AC_TRY(share_totals(b, whole, input->conditions));
    return input->cycle ? read_cycle(b, whole, input->cycle) : AC_OK;
}
