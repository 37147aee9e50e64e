/* The task design of a problem file: parameters, inner problem, how the study goes. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem/build/optimize.h"
#include "problem/design/design.h"
#include "problem/keys/schema_design.h"

void ac_design_data_clear(ac_design_data *data)
{
    if (!data->ctx) return;
    ac_release(data->ctx, data->names);
    ac_release(data->ctx, data->first);
    ac_expression_free(data->cost_of_optimum);
}

/* The values of one parameter in the first samples. */
static ac_status read_first(ac_builder *b, const ac_value *entry, const ac_value *list, int k,
                            ac_design_data *d)
{
    double numbers[AC_DESIGN_BATCH_MAX];
    int count = 0;
    if (list)
        AC_TRY(
            ac_read_numbers(&b->reader, list, "first", AC_DIM_ANY, 1, AC_DESIGN_BATCH_MAX, numbers, &count));
    if (k == 0) {
        d->first_count = count;
        AC_NEW(d->ctx, d->first, count * d->count + 1);
    }
    if (count != d->first_count)
        return ac_fail_at(
            b->ctx, list ? list->place : entry->place,
            "'first' has %d numbers here and %d for the first parameter: each sample needs one of "
            "each",
            count, d->first_count);
    for (int i = 0; i < count; ++i) {
        if (numbers[i] < d->low[k] || numbers[i] > d->high[k])
            return ac_fail_at(b->ctx, list->place, "%.10g lies outside the bounds %.10g and %.10g",
                              numbers[i], d->low[k], d->high[k]);
        d->first[i * d->count + k] = numbers[i];
    }
    return AC_OK;
}

static ac_status read_parameter(ac_builder *b, const ac_value *entry, int k, ac_design_data *d)
{
    ac_design_parameter_input in;
    double own;
    AC_TRY(ac_section_read(&b->reader, &ac_section_design_parameter, entry, &in, sizeof in));
    AC_TRY(ac_check_word(b, entry->key, entry->key_place));
    if (!ac_parameter_number(&b->reader, entry->key, &own))
        return ac_fail_at(b->ctx, entry->key_place, "there is no parameter '%s' in parameters", entry->key);
    if (!(in.from.value < in.to.value))
        return ac_fail_at(b->ctx, in.to.at->place, "the bounds are empty: %.10g is not above %.10g",
                          in.to.value, in.from.value);
    snprintf(d->names[k], AC_NAME_SIZE, "%s", entry->key);
    d->low[k] = in.from.value;
    d->high[k] = in.to.value;
    return read_first(b, entry, in.first, k, d);
}

static ac_status read_parameters(ac_builder *b, const ac_value *map, ac_design_data *d)
{
    int k = 0;
    if (map->count < 1 || map->count > AC_DESIGN_VARIABLES_MAX)
        return ac_fail_at(b->ctx, map->place, "design takes 1 to %d parameters, not %d",
                          AC_DESIGN_VARIABLES_MAX, map->count);
    d->count = map->count;
    AC_NEW(d->ctx, d->names, map->count);
    for (const ac_value *entry = map->first; entry; entry = entry->next)
        AC_TRY(read_parameter(b, entry, k++, d));
    return AC_OK;
}

static ac_status read_settings(ac_builder *b, const ac_design_input *in, ac_design_data *d)
{
    ac_design_settings *s = &d->settings;
    ac_design_defaults(d->count, s);
    if (in->surrogate.at) s->surrogate = (ac_surrogate_type)in->surrogate.choice;
    if (s->surrogate == AC_SURROGATE_SPLINE && d->count > 1)
        return ac_fail_at(b->ctx, in->surrogate.at->place,
                          "a spline is a surrogate of one parameter; for %d take gaussian-process", d->count);
    if (in->ends.at && s->surrogate != AC_SURROGATE_SPLINE)
        return ac_fail_at(b->ctx, in->ends.at->key_place, "ends belong to the spline");
    if (in->ends.at) s->ends = (ac_spline_ends)in->ends.choice;
    if (in->samples.at) s->samples = (int)in->samples.value;
    if (in->evaluations.at) s->evaluations = (int)in->evaluations.value;
    s->in_turn = in->in_turn.on;
    if (in->batch.at) s->batch = (int)in->batch.value;
    if (in->tolerance.at) s->tolerance = in->tolerance.value;
    if (in->poll.at) s->poll = in->poll.on;
    if (in->mesh.at) s->mesh = in->mesh.value;
    if (in->least_mesh.at) s->least_mesh = in->least_mesh.value;
    if (in->seed.at) s->seed = (unsigned long)in->seed.value;
    d->seed = s->seed;
    d->starts = d->inner != AC_INNER_OPTIMIZE ? 1 : in->starts.at ? (int)in->starts.value : 2;
    d->warm_start = !in->warm_start.at || in->warm_start.on;
    d->disturbance = in->disturbance.at ? in->disturbance.value : 1.0;
    d->maximise = in->maximise.on;
    return AC_OK;
}

/* What belongs to which inner problem. */
static ac_status read_inner(ac_builder *b, const ac_value *section, const ac_design_input *in,
                            ac_design_data *d)
{
    const ac_value *stray = NULL;
    if (in->optimize && in->simulate)
        return ac_fail_at(b->ctx, in->simulate->key_place,
                          "design has one inner problem, not both optimize and simulate");
    d->inner = in->optimize ? AC_INNER_OPTIMIZE : in->simulate ? AC_INNER_SIMULATE : AC_INNER_NONE;
    if (d->inner == AC_INNER_OPTIMIZE)
        stray = in->cost.at ? NULL : in->maximise.at;
    else
        stray = in->starts.at ? in->starts.at : in->warm_start.at ? in->warm_start.at : in->disturbance.at;
    if (stray && d->inner == AC_INNER_OPTIMIZE)
        return ac_fail_at(b->ctx, stray->key_place, "the objective of optimize says it; '%s' goes with cost",
                          stray->key);
    if (stray) return ac_fail_at(b->ctx, stray->key_place, "'%s' belongs to optimize", stray->key);
    if (d->inner != AC_INNER_SIMULATE)
        stray = in->quantities ? in->quantities : in->channels ? in->channels : in->take.at;
    if (stray) return ac_fail_at(b->ctx, stray->key_place, "'%s' belongs to simulate", stray->key);
    if (d->inner != AC_INNER_OPTIMIZE && !in->cost.at)
        return ac_fail_at(
            b->ctx, section->key_place,
            "'cost' is missing: what is minimised; or give optimize, whose objective is the cost");
    return AC_OK;
}

static ac_status parse_cost(ac_builder *b, const ac_value *value, const char *const *names, int count,
                            ac_constant_lookup lookup, ac_expression **expression)
{
    int column = 1, sign = value->text[0] == '=';
    ac_status status = ac_expression_parse(b->ctx, value->text + sign, names, count, lookup, b, &column,
                                           expression);
    ac_place place = value->place;
    if (value->one_line && place.line > 0) place.column += column - 1 + sign;
    return ac_build_failed(b, status, place);
}

/* A cost of parameters alone. */
static ac_status read_cost(ac_builder *b, const ac_value *value, double *cost)
{
    ac_expression *expression = NULL;
    AC_TRY(parse_cost(b, value, NULL, 0, ac_look_up, &expression));
    *cost = ac_expression_value(expression, NULL);
    ac_expression_free(expression);
    return AC_OK;
}

const char *const ac_optimum_names[AC_OPTIMUM_NAMES + 1] = {"objective",
                                                            "duration",
                                                            "length",
                                                            "work",
                                                            "absolute_work",
                                                            "positive_work",
                                                            "transport_absolute",
                                                            "transport_positive",
                                                            "transport_net",
                                                            "impact_loss",
                                                            NULL};

/* A cost of what an optimisation has found, and of the parameters that are varied. */
static ac_status read_cost_of_optimum(ac_builder *b, const ac_value *value, ac_design_data *d)
{
    const char *names[AC_OPTIMUM_NAMES + AC_DESIGN_VARIABLES_MAX];
    for (int k = 0; k < AC_OPTIMUM_NAMES; ++k) names[k] = ac_optimum_names[k];
    for (int k = 0; k < d->count; ++k) names[AC_OPTIMUM_NAMES + k] = d->names[k];
    return parse_cost(b, value, names, AC_OPTIMUM_NAMES + d->count, NULL, &d->cost_of_optimum);
}

ac_status ac_read_design(ac_builder *b, const ac_value *section, ac_design_data *d)
{
    ac_design_input in;
    AC_TRY(ac_section_read(&b->reader, &ac_section_design, section, &in, sizeof in));
    AC_TRY(read_inner(b, section, &in, d));
    AC_TRY(read_parameters(b, in.parameters, d));
    AC_TRY(read_settings(b, &in, d));
    if (d->inner == AC_INNER_OPTIMIZE && in.cost.at) return read_cost_of_optimum(b, in.cost.at, d);
    return d->inner == AC_INNER_NONE ? read_cost(b, in.cost.at, &d->cost) : AC_OK;
}
