/* Energies of beams that are given as functions (model/beam/energy.c): of the strains of an element, or of the place of a
 * node. One part each, whose outer function is the expression itself. */
#include "action/beam/beam_describe.h"
#include "action/element.h"

static int function_count(const ac_system *system)
{
    return system->mesh.function_count;
}

static int first_node(const ac_system *system, const ac_function_data *f)
{
    if (f->node >= 0) return f->node;
    return system->beams[f->beam].order > 1 ? system->mesh.high[f->element].node
                                            : system->mesh.elements[f->element].node;
}

static int function_nodes(const ac_system *system, int k, int nodes[AC_ELEMENT_NODES])
{
    const ac_function_data *f = &system->mesh.functions[k];
    int count = f->node >= 0 ? 1 : system->beams[f->beam].order + 1, first = first_node(system, f);
    for (int i = 0; i < count; ++i) nodes[i] = first + i;
    return count;
}

static ac_status describe_place(const ac_system *system, int node, ac_describing *to)
{
    for (int c = 0; c < 3; ++c) {
        AC_TRY(ac_forms_begin(to->ctx, to->forms, 0.0));
        AC_TRY(ac_forms_add_linear(to->ctx, to->forms, system->nodes[node].q + c, 1.0));
    }
    return AC_OK;
}

static ac_status function_describe(const ac_system *system, int k, ac_describing *to)
{
    const ac_function_data *f = &system->mesh.functions[k];
    int first = to->forms->count;
    if (f->node >= 0)
        AC_TRY(describe_place(system, f->node, to));
    else if (system->beams[f->beam].order > 1)
        AC_TRY(ac_high_beam_describe_strains(system, f->element, f->point, to));
    else
        AC_TRY(ac_beam_describe_strains(system, f->element, to));
    const ac_part part = {.measure = -1,
                          .outer = {.kind = AC_OUTER_FUNCTION, .function = &f->function},
                          .beam = -1,
                          .element = -1};
    return to->part(to, &part, first);
}

static void function_numbers(const ac_system *system, int k, int part, ac_law_numbers *numbers)
{
    (void)part;
    *numbers = (ac_law_numbers){
        .law = &ac_law_linear, .data = {system->mesh.functions[k].weight}, .elastic = true};
}

extern const ac_element_kind ac_element_function;
const ac_element_kind ac_element_function = {
    .name = "function",
    .count = function_count,
    .nodes = function_nodes,
    .describe = function_describe,
    .numbers = function_numbers,
};
