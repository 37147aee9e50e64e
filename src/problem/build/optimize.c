/* The task optimize of a problem file: its settings, the plan of its solves, and the order in which its parts
 * are read. */
#include <stdio.h>
#include <string.h>

#include "actio/adjoint.h"
#include "actio/simulate.h"
#include "base/base.h"
#include "optimize/problem/prepare.h"
#include "problem/build/guess.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"
#include "problem/keys/schema_optimize.h"

enum { SHOOTING = 1 }; /* number of the method in the schema */

static ac_status read_settings(ac_builder *b, const ac_optimize_input *input, ac_optimization_settings *s)
{
    ac_optimization_defaults(s);
    s->intervals = (int)input->intervals.value;
    s->duration = input->duration.value;
    s->free_duration = input->free_duration.on;
    if (!s->free_duration && (input->least_duration.at || input->most_duration.at))
        return ac_fail_at(
            b->ctx,
            (input->least_duration.at ? input->least_duration.at : input->most_duration.at)->key_place,
            "bounds on the duration go with free_duration: true");
    if (input->least_duration.at) s->least_duration = input->least_duration.value;
    if (input->most_duration.at) s->most_duration = input->most_duration.value;
    if (input->least_duration.at && input->most_duration.at && s->least_duration >= s->most_duration)
        return ac_fail_at(b->ctx, input->least_duration.at->place,
                          "least_duration, %g s, must be below most_duration, %g s", s->least_duration,
                          s->most_duration);
    if ((input->least_duration.at && s->duration < s->least_duration) ||
        (input->most_duration.at && s->duration > s->most_duration))
        return ac_fail_at(b->ctx, input->duration.at->place,
                          "duration, %g s, is where the search begins and must be between least_duration and "
                          "most_duration",
                          s->duration);
    if (input->formulation.at) s->formulation = ac_optimization_formulations()[input->formulation.choice];
    if (input->hessian.at) s->hessian = ac_optimization_hessians()[input->hessian.choice];
    if (input->stresses.at) s->stresses = ac_optimization_stresses()[input->stresses.choice];
    if (strcmp(ac_scheme_for(b->system, "auto"), "trapezoidal") == 0)
        s->scheme = "trapezoidal"; /* no other */
    if (input->scheme.at) s->scheme = ac_scheme_names()[input->scheme.choice];
    if (strcmp(s->scheme, "energy-momentum") == 0 && input->method.choice != SHOOTING)
        return ac_fail_at(
            b->ctx, input->scheme.at->place,
            "the energy-momentum scheme has no discrete action whose conditions could be transcribed; add "
            "method: shooting, or choose midpoint or trapezoidal");
    if (strcmp(s->scheme, "midpoint") != 0 && input->formulation.choice >= 2)
        return ac_fail_at(b->ctx, (input->scheme.at ? input->scheme.at : input->formulation.at)->place,
                          "the formulation '%s' has the midpoint scheme only", s->formulation);
    s->start_fixed = input->start.choice == 0;
    s->start_velocity = input->start_velocity.choice == 0;
    s->end_rest = input->end_velocity.choice == 1;
    s->periodic = input->periodic.on;
    if (s->periodic) s->start_velocity = false;
    if (s->periodic && !input->start.at) s->start_fixed = false;
    if (input->tolerance.at) s->tolerance = input->tolerance.value;
    if (input->turn_limit.at) s->turn_limit = input->turn_limit.value;
    if (s->turn_limit >= 3.14159)
        return ac_fail_at(b->ctx, input->turn_limit.at->place, "turn_limit must be below pi; 0 means none");
    if (input->max_iterations.at) s->max_iterations = (int)input->max_iterations.value;
    if (input->rounds.at) s->most_rounds = (int)input->rounds.value;
    if (input->print.at) s->print = (int)input->print.value;
    return AC_OK;
}

static ac_status tell_places(ac_optimization *o, const ac_optimize_input *input)
{
    char formulation[AC_WHERE_SIZE], end_velocity[AC_WHERE_SIZE];
    return ac_optimization_settings_from(o, ac_where(input->formulation.at, formulation),
                                         ac_where(input->end_velocity.at, end_velocity));
}

static ac_status read_continuation(ac_builder *b, const ac_value *section, ac_optimization_plan *plan)
{
    ac_continuation_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_continuation, section, &input, sizeof input));
    const ac_value *parameters = b->root.parameters;
    if (!parameters || !ac_value_find(parameters, input.parameter.text))
        return ac_fail_at(b->ctx, input.parameter.at->place, "there is no parameter '%.60s' in parameters",
                          input.parameter.text);
    snprintf(plan->parameter, sizeof plan->parameter, "%s", input.parameter.text);
    return ac_read_numbers(&b->reader, input.values, "values", AC_DIM_ANY, 1, AC_REFINE_MAX, plan->values,
                           &plan->value_count);
}

static ac_status read_approach(ac_builder *b, ac_optimization *o, const ac_value *section)
{
    ac_approach_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_approach, section, &input, sizeof input));
    const ac_shooting_approach approach = {.quantity = input.quantity.text,
                                           .target = input.target.value,
                                           .weight = input.weight.value,
                                           .part = input.part.at ? input.part.value : 0.5,
                                           .tolerance = input.tolerance.value};
    return ac_build_failed(b, ac_optimization_approach(o, &approach, ac_look_up, b), section->place);
}

/* Keys of one method that the other would ignore. */
static ac_status refuse_strays(ac_builder *b, const ac_optimize_input *input, bool shooting)
{
    const ac_value *of_shooting[] = {input->update.at, input->first_step.at, input->segments.at,
                                     input->approach},
                   *of_transcription[] = {input->refine, input->continuation, input->starts.at};
    for (size_t k = 0; !shooting && k < sizeof of_shooting / sizeof *of_shooting; ++k)
        if (of_shooting[k])
            return ac_fail_at(b->ctx, of_shooting[k]->key_place, "%s goes with method: shooting",
                              of_shooting[k]->key);
    for (size_t k = 0; shooting && k < sizeof of_transcription / sizeof *of_transcription; ++k)
        if (of_transcription[k])
            return ac_fail_at(
                b->ctx, of_transcription[k]->key_place,
                "%s goes with method: transcription; shooting begins with the guessed controls once",
                of_transcription[k]->key);
    const bool whole = shooting && !(input->segments.at && input->segments.value > 1.0);
    for (const ac_value *key = whole && input->guess ? input->guess->first : NULL; key; key = key->next)
        if (strcmp(key->key, "file") != 0)
            return ac_fail_at(b->ctx, key->key_place,
                              "guess: %s is of the motion, which shooting simulates unless it has segments; "
                              "it begins with the "
                              "controls of a file, or with the guess of each control",
                              key->key);
    if (input->recorded.unroll.at && !input->phases)
        return ac_fail_at(b->ctx, input->recorded.unroll.at->key_place,
                          "unroll goes with phases; a motion without them is re-simulated once");
    return AC_OK;
}

static ac_status read_options(ac_builder *b, const ac_optimize_input *input, ac_optimize_options *options)
{
    options->forces = !input->recorded.forces.at || input->recorded.forces.on;
    options->reactions = input->recorded.reactions.on;
    options->energies = input->recorded.energies.on;
    options->resimulated = !input->recorded.resimulated.at || input->recorded.resimulated.on;
    options->adjoint = input->recorded.adjoint.on;
    options->unroll = input->recorded.unroll.at ? (int)input->recorded.unroll.value : 4;
    options->shooting = input->method.choice == SHOOTING;
    options->update = input->update.at ? input->update.choice : 0;
    options->first_step = input->first_step.at ? input->first_step.value : 1.0;
    options->segments = input->segments.at ? (int)input->segments.value : 1;
    return refuse_strays(b, input, options->shooting);
}

static ac_status read_plan(ac_builder *b, const ac_optimize_input *input, ac_optimization_plan *plan)
{
    ac_optimization_plan_defaults(plan);
    if (input->starts.at) plan->starts = (int)input->starts.value;
    if (input->seed.at) plan->seed = (unsigned long)input->seed.value;
    if (input->disturbance.at) plan->disturbance = input->disturbance.value;
    if (input->continuation) AC_TRY(read_continuation(b, input->continuation, plan));
    if (!input->refine) return AC_OK;
    if (input->refine->kind != AC_LIST)
        return ac_fail_at(b->ctx, input->refine->place, "refine must be a list of numbers of intervals");
    for (const ac_value *value = input->refine->first; value; value = value->next) {
        long count;
        if (plan->refine_count == AC_REFINE_MAX)
            return ac_fail_at(b->ctx, value->place, "refine takes at most %d meshes", AC_REFINE_MAX);
        AC_TRY(ac_read_integer(&b->reader, value, "refine", 1, 10000000, &count));
        plan->refine[plan->refine_count++] = (int)count;
    }
    return AC_OK;
}

ac_status ac_build_optimization(ac_builder *b, const ac_value *section, ac_optimization **optimization,
                                ac_optimization_plan *plan, ac_optimize_options *options)
{
    ac_optimize_input input;
    ac_optimization_settings settings;
    AC_TRY(ac_section_read(&b->reader, &ac_section_optimize, section, &input, sizeof input));
    AC_TRY(read_settings(b, &input, &settings));
    AC_TRY(read_options(b, &input, options));
    AC_TRY(read_plan(b, &input, plan));
    AC_TRY(ac_build_failed(b, ac_optimization_new(b->ctx, b->system, &settings, optimization),
                           section->key_place));
    ac_optimization *o = *optimization;
    AC_TRY(tell_places(o, &input));
    if (input.cycle && !input.phases)
        return ac_fail_at(b->ctx, input.cycle->key_place,
                          "cycle goes with phases; without them there is periodic: true");
    if (input.phases) return ac_build_phases(b, o, &settings, &input);
    AC_TRY(ac_add_free_parameters(b, o));
    for (const ac_value *entry = input.controls->first; entry; entry = entry->next)
        AC_TRY(ac_read_control(b, o, entry));
    for (const ac_value *entry = input.quantities ? input.quantities->first : NULL; entry;
         entry = entry->next)
        AC_TRY(ac_read_quantity(b, o, entry));
    ac_condition_reader reader = {b, o, plan, 0};
    for (const ac_value *entry = input.conditions ? input.conditions->first : NULL; entry;
         entry = entry->next)
        AC_TRY(ac_read_condition(&reader, entry));
    if (!input.objective->first)
        return ac_fail_at(b->ctx, input.objective->place, "objective is empty; there is nothing to minimise");
    for (const ac_value *entry = input.objective->first; entry; entry = entry->next)
        AC_TRY(ac_read_objective(b, o, entry));
    if (input.approach) AC_TRY(read_approach(b, o, input.approach));
    ac_optimization_guesses_follow(o);
    return input.guess ? ac_read_guess(b, o, input.guess, plan) : AC_OK;
}

ac_status ac_build_objective(ac_builder *b, const ac_value *section, ac_optimization **optimization)
{
    ac_optimize_input input;
    ac_optimization_settings settings;
    AC_TRY(ac_section_read(&b->reader, &ac_section_optimize, section, &input, sizeof input));
    AC_TRY(read_settings(b, &input, &settings));
    AC_TRY(ac_optimization_new(b->ctx, b->system, &settings, optimization));
    AC_TRY(ac_add_free_parameters(b, *optimization));
    for (const ac_value *entry = input.controls->first; entry; entry = entry->next)
        AC_TRY(ac_read_control(b, *optimization, entry));
    for (const ac_value *entry = input.quantities ? input.quantities->first : NULL; entry;
         entry = entry->next)
        AC_TRY(ac_read_quantity(b, *optimization, entry));
    for (const ac_value *entry = input.objective->first; entry; entry = entry->next)
        AC_TRY(ac_read_objective(b, *optimization, entry));
    return AC_OK;
}
