/* The task of a problem file: what is done with the system. */
#include <stdio.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "problem/build/build.h"
#include "problem/recorded/recorded.h"
#include "model/system.h"

static const double MULTIPLE_TOLERANCE =
    1e-9; /* relative, of a duration that should be a multiple of the step */

ac_status ac_check_tolerance(ac_builder *b, const ac_given_number *tolerance)
{
    static const double LARGEST = 1e-3;
    char shown[AC_NUMBER_SIZE];
    if (!tolerance->at || tolerance->value <= LARGEST) return AC_OK;
    return ac_fail_at(b->ctx, tolerance->at->place,
                      "tolerance must be at most %g, not %s: what it leaves would not be a solution", LARGEST,
                      ac_write_short(shown, tolerance->value));
}

ac_status ac_count_steps(ac_builder *b, const ac_value *section, const ac_simulate_input *input, long *steps)
{
    char shown[AC_NUMBER_SIZE], step[AC_NUMBER_SIZE];
    if (input->duration.at && input->steps.at)
        return ac_fail_at(b->ctx, input->steps.at->key_place, "give either duration or steps, not both");
    if (input->steps.at) {
        *steps = input->steps.value;
        return AC_OK;
    }
    if (!input->duration.at)
        return ac_fail_at(b->ctx, section->place, "how long? give duration (a time) or steps (a number)");
    double ratio = input->duration.value / input->step.value, whole = round(ratio);
    if (!(ratio <= AC_LONGEST_RUN))
        return ac_fail_at(b->ctx, input->duration.at->place, "duration is more than %d steps",
                          AC_LONGEST_RUN);
    if (whole < 1 || fabs(ratio - whole) > MULTIPLE_TOLERANCE * ratio)
        return ac_fail_at(b->ctx, input->duration.at->place,
                          "duration must be a multiple of the step; %s s is %.6g steps of %s s",
                          ac_write_short(shown, input->duration.value), ratio,
                          ac_write_short(step, input->step.value));
    *steps = (long)whole;
    return AC_OK;
}

static ac_status read_momentum_points(ac_builder *b, const ac_value *map, ac_simulation_settings *settings)
{
    if (map->kind != AC_MAP)
        return ac_fail_at(b->ctx, map->place, "momentum_points must be a map of names to places");
    for (const ac_value *value = map->first; value; value = value->next) {
        if (settings->momentum_point_count == AC_MOMENTUM_POINTS)
            return ac_fail_at(b->ctx, value->key_place, "momentum_points has more than %d points",
                              (int)AC_MOMENTUM_POINTS);
        ac_momentum_point *point = &settings->momentum_points[settings->momentum_point_count++];
        int count;
        AC_TRY(ac_check_name(&b->reader, value->key, value->key_place, "point"));
        snprintf(point->name, sizeof point->name, "%s", value->key);
        AC_TRY(ac_read_numbers(&b->reader, value, "point", AC_DIM_LENGTH, 2, 3, point->place, &count));
    }
    return AC_OK;
}

/* Steps and events of a recorded session. */
static ac_status read_recorded(ac_builder *b, const ac_simulate_input *input, long *steps,
                               ac_recorded *recorded)
{
    const ac_value *at = input->events ? input->events : input->replay_steps.at;
    if (!at) return AC_OK;
    if (!recorded)
        return ac_fail_at(b->ctx, at->key_place, "%s belongs to the task simulate, as it is recorded",
                          at->key);
    if (!input->events || !input->replay_steps.at)
        return ac_fail_at(b->ctx, at->key_place, "a recorded session has both replay_steps and events");
    *steps = input->replay_steps.value;
    return ac_read_acts(b, input->events, recorded);
}

ac_status ac_read_simulate(ac_builder *b, const ac_value *section, ac_simulation_settings *settings,
                           long *record_every, ac_recorded *recorded)
{
    ac_simulate_input input;
    ac_simulation_defaults(settings);
    AC_TRY(ac_section_read(&b->reader, &ac_section_simulate, section, &input, sizeof input));
    AC_TRY(ac_count_steps(b, section, &input, &settings->steps));
    AC_TRY(read_recorded(b, &input, &settings->steps, recorded));
    settings->step = input.step.value;
    if (input.scheme.at) settings->scheme = input.scheme.text;
    if (input.formulation.at) settings->formulation = input.formulation.text;
    bool chosen = input.scheme.at && strcmp(settings->scheme, "auto") != 0;
    if (!chosen && strcmp(settings->formulation, "minimal") == 0)
        settings->scheme = "trapezoidal"; /* no other */
    if (input.tolerance.at) settings->tolerance = input.tolerance.value;
    AC_TRY(ac_check_tolerance(b, &input.tolerance));
    if (input.max_iterations.at) settings->max_iterations = (int)input.max_iterations.value;
    if (input.condition.at) settings->condition = input.condition.on;
    if (input.multipliers.at) settings->multipliers = input.multipliers.on;
    if (input.momenta.at) settings->momenta = input.momenta.on;
    if (input.energies.at) settings->energies = input.energies.on;
    if (input.forces.at) settings->forces = input.forces.on;
    if (input.reactions.at) settings->reactions = input.reactions.on;
    if (input.unscaled.at) settings->unscaled = input.unscaled.on;
    if (input.decoupled.at) settings->decoupled = input.decoupled.on;
    if (settings->decoupled && input.formulation.at && strcmp(settings->formulation, "auto") != 0 &&
        strcmp(settings->formulation, "reduced") != 0)
        return ac_fail_at(
            b->ctx, input.decoupled.at->key_place,
            "decoupled joint motions are unknowns of the reduced formulation; leave out formulation: %s",
            settings->formulation);
    if (input.momentum_about.at)
        memcpy(settings->momentum_about, input.momentum_about.x, sizeof settings->momentum_about);
    if (input.momentum_points) AC_TRY(read_momentum_points(b, input.momentum_points, settings));
    if (input.turn_limit.at) settings->turn_limit = input.turn_limit.value;
    settings->free_step = input.free_step.on;
    if (settings->free_step && b->system->contact_count > 0)
        return ac_fail_at(b->ctx, input.free_step.at->key_place,
                          "a free step cannot be combined with contacts");
    *record_every = input.record_every.value;
    return AC_OK;
}
