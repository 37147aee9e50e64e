/* The objective of the task optimize, a sum of weighted terms. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "actio/simulate.h"
#include "base/base.h"
#include "base/number/graph.h"
#include "optimize/problem/prepare.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"
#include "problem/keys/schema_optimize.h"

/* Into the sum that is minimised (total -1), or into one that has bounds. */
static ac_status add_entry(ac_builder *b, ac_optimization *o, int total, const ac_value *entry,
                           const ac_objective *objective, ac_constant_lookup lookup)
{
    ac_status status = total < 0 ? ac_optimization_add_objective(o, objective, lookup, b)
                                 : ac_optimization_add_to_total(o, total, objective, lookup, b);
    return ac_build_failed(b, status, entry->place);
}

/* The work of the controls: the sum of control times its speed. */
static ac_status work_objective(ac_builder *b, ac_optimization *o, int total, const ac_value *entry,
                                const ac_objective *kind)
{
    for (int k = 0; k < ac_optimization_controls(o); ++k) {
        char text[2 * AC_NAME_SIZE];
        const char *name = ac_optimization_control_name(o, k);
        snprintf(text, sizeof text, "%.80s*%.80s_speed", name, name);
        ac_objective objective = *kind;
        objective.expression = text;
        AC_TRY(add_entry(b, o, total, entry, &objective, NULL));
    }
    return AC_OK;
}

/* Half the sum of work and its size. */
static ac_status positive_work(ac_builder *b, ac_optimization *o, int total, const ac_value *entry,
                               ac_objective objective)
{
    objective.weight *= 0.5;
    objective.type = AC_OBJECTIVE_ABSOLUTE;
    AC_TRY(work_objective(b, o, total, entry, &objective));
    objective.type = AC_OBJECTIVE_RUNNING;
    return work_objective(b, o, total, entry, &objective);
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

/* --- weights that depend on parameters --- */

enum { TEXT_SIZE = 4096 };

/* text += what is written; false: it does not fit */
static bool append(char text[TEXT_SIZE], const char *format, const char *a, const char *b)
{
    size_t used = strlen(text);
    int more = snprintf(text + used, TEXT_SIZE - used, format, a, b);
    return more >= 0 && (size_t)more < TEXT_SIZE - used;
}

/* The integrand of an objective that is given by a weight alone, as an expression; false: it has none. */
static bool write_plain(ac_builder *b, ac_optimization *o, const char *key, char text[TEXT_SIZE])
{
    bool effort = strcmp(key, "effort") == 0, good = true;
    text[0] = '\0';
    if (strcmp(key, "duration") == 0) return append(text, "1", "", "");
    if (strcmp(key, "energy") == 0) {
        ac_quantity energy = {
            .name = "_energy", .type = AC_QUANTITY_ENERGY, .point = {.node = AC_WHOLE_SYSTEM}};
        char name[AC_NAME_SIZE];
        snprintf(name, sizeof name, "_energy_%d", ++b->made);
        energy.name = name;
        return ac_optimization_add_quantity(o, &energy) == AC_OK && append(text, "%s%s", name, "");
    }
    if (!effort) return false;
    good = append(text, "0.5*(0", "", "");
    for (int k = 0; good && k < ac_optimization_controls(o); ++k) {
        const char *name = ac_optimization_control_name(o, k);
        good = append(text, "+%s*%s", name, name);
    }
    return good && append(text, ")", "", "");
}

static ac_status add_product(ac_builder *b, ac_optimization *o, int total, const ac_value *entry,
                             const char *weight, const char *expression, ac_objective objective)
{
    size_t size = strlen(weight) + strlen(expression) + 6;
    char *text = ac_arena_take(&b->reader.arena, size, 1);
    if (!text) return AC_NO_MEMORY;
    snprintf(text, size, "(%s)*(%s)", weight, expression);
    objective.weight = 1.0;
    objective.expression = text;
    return add_entry(b, o, total, entry, &objective, ac_look_up);
}

/* A weight that depends goes over into the expression, so that the derivative by it is one of the expression; work is a sum of as many
 * terms as without. */
static ac_status add_weighted(ac_builder *b, ac_optimization *o, int total, const ac_value *entry,
                              const ac_given_number *number, const char *weight, ac_objective objective)
{
    char plain[TEXT_SIZE];
    bool work = number && strcmp(number->at->key, "work") == 0;
    if (number) objective.type = AC_OBJECTIVE_RUNNING;
    for (int k = 0; work && k < ac_optimization_controls(o); ++k) {
        const char *name = ac_optimization_control_name(o, k);
        snprintf(plain, sizeof plain, "%.80s*%.80s_speed", name, name);
        AC_TRY(add_product(b, o, total, entry, weight, plain, objective));
    }
    if (work) return AC_OK;
    if (number && !write_plain(b, o, number->at->key, plain))
        return ac_fail_at(b->ctx, number->at->place, "the weight of %s cannot depend on a parameter here",
                          number->at->key);
    return add_product(b, o, total, entry, weight, number ? plain : objective.expression, objective);
}

/* The name of the weight of an entry where derivatives by parameters are wanted; NULL: a number. */
static ac_status weight_text(ac_builder *b, const ac_objective_input *input, const ac_given_number *number,
                             const char **text)
{
    ac_graph *g = b->reader.graph;
    ac_num weight = ac_num_of(input->weight.value), factor = ac_num_of(number ? number->value : 1.0);
    *text = NULL;
    if (!ac_sets_values(b)) return AC_OK;
    AC_TRY(ac_follow(&b->reader, input->weight.at, &weight.node));
    if (number) AC_TRY(ac_follow(&b->reader, number->at, &factor.node));
    return ac_number_name(b, ac_num_multiply(g, weight, factor).node, text);
}

ac_status ac_read_sum(ac_builder *b, ac_optimization *o, int total, const ac_value *entry)
{
    ac_objective_input input;
    AC_TRY(ac_section_read(&b->reader, &ac_section_objective, entry, &input, sizeof input));
    const ac_given_number *numbers[] = {&input.effort, &input.duration,      &input.energy,
                                        &input.work,   &input.absolute_work, &input.positive_work};
    static const ac_objective_type plain[] = {AC_OBJECTIVE_EFFORT, AC_OBJECTIVE_DURATION,
                                              AC_OBJECTIVE_ENERGY};
    enum { NUMBERS = 6, WORDS = 4, PLAIN = 3 };
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
                          "absolute, work, absolute_work and positive_work");
    ac_objective objective = {.weight = input.weight.value, .maximise = input.maximise.on};
    if (number >= 0 && total < 0) AC_TRY(check_weight(b, numbers[number], &input));
    const char *weight;
    AC_TRY(weight_text(b, &input, number >= 0 ? numbers[number] : NULL, &weight));
    if (weight && word >= 0) {
        objective.type = types[word];
        objective.expression = ac_expression_text(words[word]);
    }
    if (weight)
        return add_weighted(b, o, total, entry, number >= 0 ? numbers[number] : NULL, weight, objective);
    if (number >= PLAIN) {
        objective.weight *= numbers[number]->value;
        objective.type = number == PLAIN ? AC_OBJECTIVE_RUNNING : AC_OBJECTIVE_ABSOLUTE;
        return number == NUMBERS - 1 ? positive_work(b, o, total, entry, objective)
                                     : work_objective(b, o, total, entry, &objective);
    }
    if (number >= 0) {
        objective.type = plain[number];
        objective.weight *= numbers[number]->value;
    } else {
        objective.type = types[word];
        objective.expression = ac_expression_text(words[word]);
    }
    return add_entry(b, o, total, entry, &objective, ac_look_up);
}

ac_status ac_read_objective(ac_builder *b, ac_optimization *o, const ac_value *entry)
{
    char text[AC_WHERE_SIZE];
    AC_TRY(ac_read_sum(b, o, -1, entry));
    return ac_optimization_terms_from(o, ac_where(entry, text));
}

/* ---- functionals of simulated motions ---- */

/* What a motion without controls has no use for. */
static ac_status check_functional(ac_builder *b, const ac_value *entry)
{
    static const char *const stray[] = {"effort",        "absolute",      "work",
                                        "absolute_work", "positive_work", "maximise"};
    for (size_t k = 0; k < sizeof stray / sizeof *stray; ++k) {
        const ac_value *found = entry->kind == AC_MAP ? ac_value_find(entry, stray[k]) : NULL;
        if (found)
            return ac_fail_at(
                b->ctx, found->key_place,
                "the functional of a simulation takes start, end, running, energy and duration, "
                "not of %s",
                stray[k]);
    }
    return AC_OK;
}

ac_status ac_build_functional(ac_builder *b, const ac_value *section, const ac_simulation_settings *given,
                              ac_optimization **functional)
{
    ac_simulate_input input;
    ac_optimization_settings settings;
    AC_TRY(ac_section_read(&b->reader, &ac_section_simulate, section, &input, sizeof input));
    if (!input.functional && !input.quantities) return AC_OK;
    if (!input.functional || !input.functional->first)
        return ac_fail_at(b->ctx, (input.functional ? input.functional : input.quantities)->key_place,
                          "quantities of simulate are names for functional, which is missing");
    if (given->steps > INT_MAX)
        return ac_fail_at(b->ctx, input.functional->key_place,
                          "a functional is possible for at most %d steps", INT_MAX);
    ac_optimization_defaults(&settings);
    settings.intervals = (int)given->steps;
    settings.duration = (double)given->steps * given->step;
    const char *scheme = ac_scheme_for(b->system, given->scheme);
    if (strcmp(scheme, "trapezoidal") == 0) settings.scheme = scheme;
    AC_TRY(ac_build_failed(b, ac_optimization_new(b->ctx, b->system, &settings, functional),
                           input.functional->key_place));
    AC_TRY(ac_add_free_parameters(b, *functional));
    for (const ac_value *entry = input.quantities ? input.quantities->first : NULL; entry;
         entry = entry->next)
        AC_TRY(ac_read_quantity(b, *functional, entry));
    for (const ac_value *entry = input.functional->first; entry; entry = entry->next) {
        AC_TRY(check_functional(b, entry));
        AC_TRY(ac_read_objective(b, *functional, entry));
    }
    return AC_OK;
}
