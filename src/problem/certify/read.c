/* The task certify of a problem file: inputs, quantities, measure, search. */
#include "problem/certify/certify.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/number/formula.h"
#include "model/system.h"
#include "problem/build/optimize.h"
#include "problem/build/parameters.h"
#include "problem/keys/schema_certify.h"

enum { INPUTS_MAX = 100000, LIST_MAX = 1000000, DEPTH_MAX = 64 };

typedef struct certify_reader {
    ac_builder *b;
    ac_certification *c;
    const ac_value *parameters; /* of the file; may be NULL */
    const ac_value *own_names;  /* quantities, whose names hide parameters; may be NULL */
    long steps;
} certify_reader;

/* ---- independence ---- */

static bool name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does an expression use a name? */
static bool uses(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        bool begins = at == text || !name_char(at[-1]), ends = !name_char(at[length]);
        if (begins && ends) return true;
    }
    return false;
}

/* Does parameter `value` follow from `name`, directly or by others? */
static bool follows_from(const certify_reader *r, const ac_value *value, const char *name, int depth)
{
    if (!value || value->kind != AC_SCALAR || depth > DEPTH_MAX) return false;
    if (value->text[0] != '=') return false;
    if (uses(value->text, name)) return true;
    for (const ac_value *other = r->parameters->first; other; other = other->next)
        if (other != value && uses(value->text, other->key) && follows_from(r, other, name, depth + 1))
            return true;
    return false;
}

static ac_status check_independent(const certify_reader *r, const ac_value *inputs)
{
    for (const ac_value *a = inputs->first; a; a = a->next) {
        const ac_value *value = r->parameters ? ac_value_find(r->parameters, a->key) : NULL;
        for (const ac_value *b = inputs->first; b && value; b = b->next)
            if (b != a && follows_from(r, value, b->key, 0))
                return ac_fail_at(
                    r->b->ctx, a->key_place,
                    "the inputs are correlated: the parameter '%s' follows from '%s'; inputs must be "
                    "independent, so give only the numbers that both come from",
                    a->key, b->key);
    }
    return AC_OK;
}

/* ---- inputs ---- */

static ac_status add_input(certify_reader *r, const ac_uncertain *input, const char *name,
                           const ac_input_target *target)
{
    ac_certification *c = r->c;
    int capacity = c->input_capacity;
    AC_TRY(ac_grow(c->ctx, (void **)&c->inputs, &capacity, c->input_count + 1, sizeof *c->inputs));
    capacity = c->input_capacity;
    AC_TRY(ac_grow(c->ctx, (void **)&c->targets, &capacity, c->input_count + 1, sizeof *c->targets));
    c->input_capacity = capacity;
    ac_uncertain *own = &c->inputs[c->input_count];
    *own = *input;
    own->name = ac_copy_text(c->ctx, name);
    own->samples = NULL;
    c->targets[c->input_count++] = *target;
    if (!own->name) return ac_out_of_memory(c->ctx);
    if (input->sample_count == 0) return AC_OK;
    double *samples;
    AC_NEW(c->ctx, samples, input->sample_count);
    memcpy(samples, input->samples, (size_t)input->sample_count * sizeof *samples);
    own->samples = samples;
    return AC_OK;
}

static ac_status read_list(certify_reader *r, const ac_value *list, double **samples, int *count)
{
    AC_NEW(r->b->ctx, *samples, list->count > 0 ? list->count : 1);
    return ac_read_numbers(&r->b->reader, list, "samples", AC_DIM_ANY, 1, LIST_MAX, *samples, count);
}

/* The range: both ends, or a middle and half of it. */
static ac_status read_range(certify_reader *r, const ac_value *entry, const ac_uncertain_input *in,
                            const double *own, ac_uncertain *u)
{
    ac_context *ctx = r->b->ctx;
    if (in->samples) {
        const ac_value *extra = in->from.at ? in->from.at : in->to.at ? in->to.at : in->within.at;
        if (extra) return ac_fail_at(ctx, extra->key_place, "samples have their own range; leave this out");
        return AC_OK;
    }
    if (in->from.at && in->to.at) {
        const ac_value *extra = in->within.at ? in->within.at : in->relative.at;
        if (extra)
            return ac_fail_at(ctx, extra->key_place, "give from and to, or half of the range, not both");
        u->low = in->from.value;
        u->high = in->to.value;
        return AC_OK;
    }
    if (in->from.at || in->to.at)
        return ac_fail_at(ctx, entry->place, "'%s' is missing: the other end of the range",
                          in->from.at ? "to" : "from");
    if (!in->within.at && !in->relative.at)
        return ac_fail_at(ctx, entry->place,
                          "the range is missing: give from and to, within, relative, or samples");
    if (in->within.at && in->relative.at)
        return ac_fail_at(ctx, in->relative.at->key_place, "give either within or relative, not both");
    if (!in->around.at && !own)
        return ac_fail_at(ctx, entry->place, "'around' is missing: the middle of the range");
    double middle = in->around.at ? in->around.value : *own;
    double half = in->within.at ? in->within.value : fabs(middle) * in->relative.value;
    u->low = middle - half;
    u->high = middle + half;
    return AC_OK;
}

static ac_status read_distribution(certify_reader *r, const ac_uncertain_input *in, ac_uncertain *u)
{
    const ac_value *wrong = NULL;
    u->distribution = (ac_distribution)in->distribution.choice;
    if (in->samples && in->distribution.at && u->distribution != AC_GIVEN_SAMPLES)
        return ac_fail_at(r->b->ctx, in->samples->key_place, "samples are a distribution of their own");
    if (in->samples) u->distribution = AC_GIVEN_SAMPLES;
    if (u->distribution == AC_GIVEN_SAMPLES && !in->samples)
        return ac_fail_at(r->b->ctx, in->distribution.at->place, "'samples' is missing: the list of numbers");
    if (u->distribution != AC_TRUNCATED_NORMAL) wrong = in->mean.at ? in->mean.at : in->deviation.at;
    if (u->distribution != AC_TRIANGULAR && in->mode.at) wrong = in->mode.at;
    if (wrong)
        return ac_fail_at(r->b->ctx, wrong->key_place, "'%s' does not belong to a %s distribution",
                          wrong->key, ac_distribution_words()[u->distribution]);
    u->mean = in->mean.at ? in->mean.value : 0.5 * (u->low + u->high);
    u->mode = in->mode.at ? in->mode.value : 0.5 * (u->low + u->high);
    u->deviation = in->deviation.value;
    u->slope_limit = in->slope.value;
    return AC_OK;
}

static int component_count(const ac_system *system, const ac_load_data *load, int *first)
{
    const ac_node *node = load->type == AC_LOAD_JOINT ? NULL : &system->nodes[load->node];
    *first = 0;
    if (!node) return 1;
    if (load->type == AC_LOAD_FORCE) return node->dimension;
    if (ac_node_turns(node) != 1) return 3;
    *first = 2;
    return 1;
}

static ac_status find_load(certify_reader *r, const ac_given_word *word, int *number)
{
    const ac_system *system = r->b->system;
    for (int k = 0; k < system->load_count; ++k) {
        if (!system->loads[k].name || strcmp(system->loads[k].name, word->text) != 0) continue;
        *number = k;
        return AC_OK;
    }
    return ac_fail_at(r->b->ctx, word->at->place, "there is no load called '%s'; give the load a name",
                      word->text);
}

/* One input for each component and, if wanted, each interval. */
static ac_status add_load_inputs(certify_reader *r, const ac_value *entry, const ac_uncertain_input *in,
                                 const ac_uncertain *u)
{
    static const char *const axes[] = {"x", "y", "z"};
    int load = 0, first = 0;
    AC_TRY(find_load(r, &in->load, &load));
    int count = component_count(r->b->system, &r->b->system->loads[load], &first);
    if (in->along.at && (in->along.choice < first || in->along.choice >= first + count))
        return ac_fail_at(r->b->ctx, in->along.at->place, "the load '%s' has no component %s", in->load.text,
                          in->along.text);
    if (in->along.at) {
        first = in->along.choice;
        count = 1;
    }
    long intervals = in->each_interval.on ? r->steps : 1;
    if (intervals * count > INPUTS_MAX)
        return ac_fail_at(r->b->ctx, entry->key_place, "more than %d inputs", INPUTS_MAX);
    for (long n = 0; n < intervals; ++n)
        for (int i = 0; i < count; ++i) {
            char name[AC_NAME_SIZE + 40], where[24] = "";
            if (in->each_interval.on) snprintf(where, sizeof where, "[%ld]", n);
            snprintf(name, sizeof name, "%s%s%s%s", entry->key, count > 1 ? "." : "",
                     count > 1 ? axes[first + i] : "", where);
            const ac_input_target target = {
                .load = load, .component = first + i, .interval = in->each_interval.on ? n : -1};
            AC_TRY(add_input(r, u, name, &target));
        }
    return AC_OK;
}

static ac_status describe_input(certify_reader *r, const ac_value *entry, const ac_uncertain_input *in,
                                ac_uncertain *u)
{
    double own;
    bool parameter = !in->load.at && ac_parameter_number(&r->b->reader, entry->key, &own);
    const double zero = 0.0;
    if (!in->load.at && !parameter)
        return ac_fail_at(r->b->ctx, entry->key_place,
                          "there is no parameter '%s'; an input is a parameter of the file, or has 'load'",
                          entry->key);
    if (!in->load.at && (in->along.at || in->each_interval.at))
        return ac_fail_at(r->b->ctx, (in->along.at ? in->along.at : in->each_interval.at)->key_place,
                          "'%s' belongs to inputs with 'load'", in->along.at ? "along" : "each_interval");
    AC_TRY(read_range(r, entry, in, parameter ? &own : &zero, u));
    AC_TRY(read_distribution(r, in, u));
    return ac_build_failed(r->b, ac_uncertain_check(r->b->ctx, u), entry->place);
}

static ac_status read_input(certify_reader *r, const ac_value *entry)
{
    ac_uncertain_input in;
    double *samples = NULL;
    ac_uncertain u = {.name = entry->key};
    AC_TRY(ac_section_read(&r->b->reader, &ac_section_uncertain, entry, &in, sizeof in));
    AC_TRY(ac_check_word(r->b, entry->key, entry->key_place));
    ac_status status = in.samples ? read_list(r, in.samples, &samples, &u.sample_count) : AC_OK;
    u.samples = samples;
    if (status == AC_OK) status = describe_input(r, entry, &in, &u);
    ac_input_target target = {.interval = -1};
    snprintf(target.parameter, sizeof target.parameter, "%s", entry->key);
    if (status == AC_OK)
        status = in.load.at ? add_load_inputs(r, entry, &in, &u) : add_input(r, &u, entry->key, &target);
    ac_release(r->b->ctx, samples);
    return status;
}

/* ---- quantities and channels ---- */

static ac_status read_quantity(certify_reader *r, const ac_value *entry, ac_quantity *q)
{
    ac_status status = ac_describe_quantity(r->b, entry, q);
    ac_signal_free(q->signal);
    q->signal = NULL;
    q->name = NULL; /* that of the text, which is not kept */
    AC_TRY(status);
    q->name = ac_copy_text(r->c->ctx, entry->key);
    if (!q->name) return ac_out_of_memory(r->c->ctx);
    bool ball = q->type == AC_QUANTITY_JOINT && ac_joint_is_ball(r->b->joints[q->joint].type);
    if (!ball && (q->type == AC_QUANTITY_JOINT || q->type == AC_QUANTITY_POINT ||
                  q->type == AC_QUANTITY_DISTANCE || q->type == AC_QUANTITY_DIRECTION))
        return AC_OK;
    return ac_fail_at(
        r->b->ctx, entry->place,
        "certify knows joint (not spherical), point, distance and axis as quantities; for others "
        "use channels");
}

static ac_status read_quantities(certify_reader *r, const ac_value *map)
{
    if (!map) return AC_OK;
    AC_NEW(r->c->ctx, r->c->quantities, map->count);
    for (const ac_value *entry = map->first; entry; entry = entry->next) {
        ac_quantity *q = &r->c->quantities[r->c->quantity_count++];
        AC_TRY(read_quantity(r, entry, q));
    }
    return AC_OK;
}

static ac_status read_channels(certify_reader *r, const ac_value *map)
{
    if (!map) return AC_OK;
    AC_NEW(r->c->ctx, r->c->channels, map->count);
    for (const ac_value *entry = map->first; entry; entry = entry->next) {
        ac_seen_channel_input in;
        ac_seen_channel *seen = &r->c->channels[r->c->channel_count++];
        AC_TRY(ac_section_read(&r->b->reader, &ac_section_seen_channel, entry, &in, sizeof in));
        AC_TRY(ac_check_word(r->b, entry->key, entry->key_place));
        snprintf(seen->name, sizeof seen->name, "%s", entry->key);
        snprintf(seen->channel, sizeof seen->channel, "%s", in.channel.text);
        snprintf(seen->component, sizeof seen->component, "%s", in.component.at ? in.component.text : "1");
        seen->place = entry->place;
    }
    return AC_OK;
}

/* What a parameter is called in expressions that are written out: where values are set, by an alias. */
static const char *written_name(const ac_builder *b, const char *parameter)
{
    for (int k = 0; k < b->wanted_count && b->aliases; ++k)
        if (strcmp(b->wanted[k], parameter) == 0) return b->aliases[k];
    return parameter;
}

static ac_status list_variables(const certify_reader *r, const char ***names, int *count)
{
    const ac_certification *c = r->c;
    int n = 0;
    AC_NEW(c->ctx, *names, c->quantity_count + c->channel_count + c->input_count + 1);
    for (int k = 0; k < c->quantity_count; ++k) (*names)[n++] = c->quantities[k].name;
    for (int k = 0; k < c->channel_count; ++k) (*names)[n++] = c->channels[k].name;
    for (int k = 0; k < c->input_count; ++k)
        if (c->targets[k].parameter[0]) (*names)[n++] = written_name(r->b, c->inputs[k].name);
    (*names)[n++] = "t";
    *count = n;
    return AC_OK;
}

static bool is_quantity(const void *quantities, const char *word)
{
    return quantities && ac_value_find(quantities, word);
}

/* Parameters of the file that follow from those whose values are set stand for expressions of these. */
static ac_status define(certify_reader *r, const char *text, const char *const *names, int count,
                        ac_definition **list, int *defined)
{
    ac_builder *b = r->b;
    const ac_own_words own = {is_quantity, r->own_names};
    const char **words;
    int *variable, found, inputs = b->wanted ? b->reader.graph->inputs : 0;
    *defined = 0;
    AC_TRY(ac_text_parameters(&b->reader, text, &own, &words, &found));
    *list = ac_arena_take(&b->reader.arena, (size_t)found + 1, sizeof **list);
    variable = ac_arena_take(&b->reader.arena, (size_t)(inputs + count) + 1, sizeof *variable);
    if (!*list || !variable) return AC_NO_MEMORY;
    for (int k = 0; k < inputs; ++k) {
        variable[k] = -1;
        for (int i = 0; i < count && k < b->wanted_count; ++i)
            if (strcmp(names[i], b->aliases[k]) == 0) variable[k] = i;
    }
    for (int i = 0; i < count; ++i) variable[inputs + i] = i;
    for (int k = 0; k < found && inputs > 0; ++k) {
        ac_expression *expression;
        AC_TRY(ac_named_expression(b, words[k], variable, count, &expression));
        if (expression) (*list)[(*defined)++] = (ac_definition){words[k], expression, variable + inputs};
    }
    return AC_OK;
}

static ac_status compile(certify_reader *r, const ac_value *value, ac_expression **expression)
{
    const char **names;
    int count, column = 1, sign = value->text[0] == '=', defined = 0;
    ac_definition *list = NULL;
    AC_TRY(list_variables(r, &names, &count));
    ac_status status = define(r, value->text + sign, names, count, &list, &defined);
    if (status == AC_OK)
        status = ac_expression_parse_defined(r->b->ctx, value->text + sign, names, count, list, defined,
                                             ac_look_up, r->b, &column, expression);
    for (int k = 0; k < defined; ++k) ac_expression_free((ac_expression *)list[k].expression);
    ac_release(r->c->ctx, names);
    ac_place place = value->place;
    if (value->one_line && place.line > 0) place.column += column - 1 + sign;
    return ac_build_failed(r->b, status, place);
}

static ac_status read_measure(certify_reader *r, const ac_certify_input *in)
{
    ac_certify_settings *s = &r->c->settings;
    if (!in->at_most.at == !in->at_least.at)
        return ac_fail_at(r->b->ctx, in->measure.at->key_place,
                          "give the threshold of the measure: either at_most or at_least");
    s->at_least = in->at_least.at != NULL;
    s->threshold = s->at_least ? in->at_least.value : in->at_most.value;
    r->c->take = (ac_take)in->take.choice;
    r->c->measure = ac_copy_text(r->c->ctx, in->measure.text + (in->measure.text[0] == '='));
    if (!r->c->measure) return ac_out_of_memory(r->c->ctx);
    return compile(r, in->measure.at, &r->c->expression);
}

/* ---- numbers ---- */

static ac_status read_search(certify_reader *r, const ac_value *section)
{
    ac_certify_settings *s = &r->c->settings;
    ac_search_input in;
    if (!section) return AC_OK;
    AC_TRY(ac_section_read(&r->b->reader, &ac_section_search, section, &in, sizeof in));
    if (in.method.at) s->search = (ac_diameter_search)in.method.choice;
    if (s->search == AC_SEARCH_ANNEALING) s->starts = 1;
    if (in.starts.at) s->starts = (int)in.starts.value;
    if (in.grid.at) s->grid = (int)in.grid.value;
    if (in.line_points.at) s->line_points = (int)in.line_points.value;
    if (in.evaluations.at) s->annealing.evaluations = in.evaluations.value;
    if (in.width.at) s->annealing.width = in.width.value;
    if (in.boltzmann.at) s->annealing.boltzmann = in.boltzmann.value;
    return AC_OK;
}

static ac_status read_numbers(certify_reader *r, const ac_certify_input *in)
{
    ac_certify_settings *s = &r->c->settings;
    const ac_given_number *shares[] = {&in->tolerance, &in->confidence};
    for (int k = 0; k < 2; ++k)
        if (shares[k]->at && !(shares[k]->value < 1.0))
            return ac_fail_at(r->b->ctx, shares[k]->at->place, "%s is a probability, below 1",
                              shares[k]->at->key);
    if (in->tolerance.at) s->tolerance = in->tolerance.value;
    if (in->confidence.at) s->confidence = in->confidence.value;
    s->bound = (ac_certify_bound)in->bound.choice;
    if (in->samples.at) s->samples = in->samples.value;
    if (in->mean_samples.at) s->mean_samples = in->mean_samples.value;
    if (in->seed.at) s->seed = (uint64_t)in->seed.value;
    s->sharp_margin = in->sharp_margin.on;
    s->has_failed_measure = in->failed_measure.at != NULL;
    s->failed_measure = in->failed_measure.value;
    r->c->trajectories = in->trajectories.at ? in->trajectories.value : 20;
    return read_search(r, in->search);
}

/* ---- robust controls ---- */

static ac_status read_control(certify_reader *r, const ac_value *entry, ac_robust_control *control)
{
    ac_robust_control_input in;
    int first;
    AC_TRY(ac_section_read(&r->b->reader, &ac_section_robust_control, entry, &in, sizeof in));
    AC_TRY(find_load(r, &in.load, &control->load));
    int count = component_count(r->b->system, &r->b->system->loads[control->load], &first);
    if (!in.along.at && count > 1)
        return ac_fail_at(r->b->ctx, entry->place, "the load '%s' has %d components; say which with 'along'",
                          in.load.text, count);
    control->component = in.along.at ? in.along.choice : first;
    if (control->component < first || control->component >= first + count)
        return ac_fail_at(r->b->ctx, in.along.at->place, "the load '%s' has no component %s", in.load.text,
                          in.along.text);
    control->limit = in.limit.value;
    return AC_OK;
}

static ac_status read_robust(certify_reader *r, const ac_value *section)
{
    ac_robust_settings *s = &r->c->robust;
    ac_robust_input in;
    if (!section) return AC_OK;
    AC_TRY(ac_section_read(&r->b->reader, &ac_section_robust, section, &in, sizeof in));
    s->wanted = true;
    s->annealed = in.method.choice == 1; /* all other words name the same search */
    s->iterations = in.iterations.at ? in.iterations.value : s->annealed ? 2000 : 400;
    s->samples = in.samples.value;
    s->report_samples = in.report_samples.value;
    s->grid = in.grid.at ? (int)in.grid.value : r->c->input_count <= 2 ? 7 : 5;
    s->near = in.near.value;
    s->width = in.width.value;
    s->boltzmann = in.boltzmann.value;
    if (in.efforts)
        AC_TRY(ac_read_numbers(&r->b->reader, in.efforts, "efforts", AC_DIM_ANY, 1, AC_EFFORTS_MAX,
                               s->efforts, &s->effort_count));
    AC_NEW(r->c->ctx, s->controls, in.controls->count > 0 ? in.controls->count : 1);
    for (const ac_value *entry = in.controls->first; entry; entry = entry->next)
        AC_TRY(read_control(r, entry, &s->controls[s->control_count++]));
    if (s->control_count > 0) return AC_OK;
    return ac_fail_at(r->b->ctx, in.controls->place, "there is no control");
}

/* ---- the whole ---- */

static ac_status read_all(certify_reader *r, const ac_value *section)
{
    ac_certify_input in;
    AC_TRY(ac_section_read(&r->b->reader, &ac_section_certify, section, &in, sizeof in));
    if (in.correlation)
        return ac_fail_at(
            r->b->ctx, in.correlation->key_place,
            "inputs must be independent: McDiarmid's inequality does not hold for correlated ones; "
            "write them as parameters that follow from independent inputs");
    long record_every;
    const ac_value *functional = ac_value_find(in.simulate, "functional");
    if (functional)
        return ac_fail_at(r->b->ctx, functional->key_place,
                          "certify names its quantities and its measure itself, beside simulate");
    AC_TRY(ac_read_simulate(r->b, in.simulate, &r->c->simulation, &record_every, NULL));
    r->steps = r->c->simulation.steps;
    ac_certify_defaults(&r->c->settings);
    if (in.inputs->count == 0) return ac_fail_at(r->b->ctx, in.inputs->place, "there is no uncertain input");
    AC_TRY(check_independent(r, in.inputs));
    for (const ac_value *entry = in.inputs->first; entry; entry = entry->next) AC_TRY(read_input(r, entry));
    r->own_names = in.quantities;
    AC_TRY(read_quantities(r, in.quantities));
    AC_TRY(read_channels(r, in.channels));
    AC_TRY(read_numbers(r, &in));
    AC_TRY(read_robust(r, in.robust));
    return read_measure(r, &in);
}

ac_status ac_read_certify(ac_builder *b, const ac_value *section, ac_certification *certification)
{
    certification->ctx = b->ctx;
    certify_reader r = {.b = b, .c = certification, .parameters = b->root.parameters};
    return read_all(&r, section);
}

void ac_certification_clear(ac_certification *c)
{
    if (!c->ctx) return;
    for (int k = 0; k < c->input_count; ++k) {
        ac_release(c->ctx, (void *)c->inputs[k].name);
        ac_release(c->ctx, (void *)c->inputs[k].samples);
    }
    for (int k = 0; k < c->quantity_count; ++k) ac_release(c->ctx, (void *)c->quantities[k].name);
    ac_release(c->ctx, c->inputs);
    ac_release(c->ctx, c->targets);
    ac_release(c->ctx, c->quantities);
    ac_release(c->ctx, c->channels);
    ac_release(c->ctx, c->measure);
    ac_expression_free(c->expression);
    ac_release(c->ctx, c->robust.controls);
}
