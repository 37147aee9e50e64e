/* The objective of the task optimize, a sum of weighted terms. */
#include <stdio.h>

#include "base/base.h"
#include "problem/build/optimize.h"
#include "problem/keys/schema_optimize.h"

/* The work of the controls: the sum of control times its speed. */
static ac_status work_objective(ac_builder *b, ac_optimization *o, const ac_value *entry,
                                const ac_objective *kind)
{
    for (int k = 0; k < ac_optimization_controls(o); ++k) {
        char text[2 * AC_NAME_SIZE];
        const char *name = ac_optimization_control_name(o, k);
        snprintf(text, sizeof text, "%.80s*%.80s_speed", name, name);
        ac_objective objective = *kind;
        objective.expression = text;
        AC_TRY(ac_build_failed(b, ac_optimization_add_objective(o, &objective, NULL, NULL), entry->place));
    }
    return AC_OK;
}

/* What is measured by a size: a negative weight is a sign that was meant otherwise. */
static ac_status check_weight(ac_builder *b, const ac_given_number *number, const ac_objective_input *input)
{
    const ac_value *wrong = number->value < 0.0                             ? number->at
                            : input->weight.at && input->weight.value < 0.0 ? input->weight.at
                                                                            : NULL;
    if (!wrong) return AC_OK;
    return ac_fail_at(b->ctx, wrong->place,
                      "the weight of %s must not be negative; if it must be large, add maximise: true",
                      number->at->key);
}

ac_status ac_read_objective(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    ac_objective_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_objective, entry, &input, sizeof input));
    const ac_given_number *numbers[] = {&input.effort, &input.duration, &input.energy, &input.work,
                                        &input.absolute_work};
    static const ac_objective_type plain[] = {AC_OBJECTIVE_EFFORT, AC_OBJECTIVE_DURATION,
                                              AC_OBJECTIVE_ENERGY};
    enum { NUMBERS = 5, WORDS = 4, PLAIN = 3 };
    const ac_given_word *words[] = {&input.start, &input.end, &input.running, &input.absolute};
    static const ac_objective_type types[] = {AC_OBJECTIVE_START, AC_OBJECTIVE_END, AC_OBJECTIVE_RUNNING,
                                              AC_OBJECTIVE_ABSOLUTE};
    int kinds = 0, number = -1, word = -1;
    for (int k = 0; k < NUMBERS; ++k) {
        kinds += numbers[k]->at != NULL;
        if (numbers[k]->at) number = k;
    }
    for (int k = 0; k < WORDS; ++k) {
        kinds += words[k]->at != NULL;
        if (words[k]->at) word = k;
    }
    if (kinds != 1)
        return ac_fail_at(b->ctx, entry->place,
                          "an objective needs exactly one of effort, duration, energy, start, end, running, "
                          "absolute, work and absolute_work");
    ac_objective objective = {.weight = input.weight.at ? input.weight.value : 1.0,
                              .maximise = input.maximise.on};
    if (number >= 0) AC_TRY(check_weight(b, numbers[number], &input));
    if (number >= PLAIN) {
        objective.weight *= numbers[number]->value;
        objective.type = number == PLAIN ? AC_OBJECTIVE_RUNNING : AC_OBJECTIVE_ABSOLUTE;
        return work_objective(b, o, entry, &objective);
    }
    if (number >= 0) {
        objective.type = plain[number];
        objective.weight *= numbers[number]->value;
    } else {
        objective.type = types[word];
        AC_TRY(ac_expression_text(b, words[word], &objective.expression));
    }
    return ac_build_failed(b, ac_optimization_add_objective(o, &objective, ac_look_up, b), entry->place);
}
