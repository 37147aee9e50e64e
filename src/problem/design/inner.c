/* The inner problem of a study as a file of its own.
 *
 * The section design goes, its optimize or simulate takes its place. The cost of a simulation is the measure of a
 * certification whose inputs are the parameters: such runs set the parameters without reading the file again. */
#include <string.h>

#include "base/base.h"
#include "problem/design/design.h"

/* A new value under a key, at the place of another one. */
static ac_value *new_value(ac_arena *arena, ac_value_kind kind, const char *key, const char *text,
                           const ac_value *at)
{
    ac_value *value = ac_arena_take(arena, 1, sizeof *value);
    if (!value) return NULL;
    value->kind = kind;
    value->key = key;
    value->text = text;
    value->place = at->place;
    value->key_place = at->key_place;
    return value;
}

/* A copy without its neighbours, under a key. */
static ac_status add_copy(ac_arena *arena, ac_value *map, const ac_value *from, const char *key)
{
    if (!from) return AC_OK;
    ac_value *copy = ac_arena_take(arena, 1, sizeof *copy);
    if (!copy) return AC_NO_MEMORY;
    *copy = *from;
    copy->key = key;
    ac_value_append(map, copy);
    return AC_OK;
}

static ac_status add_bounds(ac_arena *arena, ac_value *certify, const ac_value *parameters)
{
    ac_value *inputs = new_value(arena, AC_MAP, "inputs", NULL, parameters);
    if (!inputs) return AC_NO_MEMORY;
    ac_value_append(certify, inputs);
    for (const ac_value *p = parameters->first; p; p = p->next) {
        ac_value *input = new_value(arena, AC_MAP, p->key, NULL, p);
        if (!input) return AC_NO_MEMORY;
        ac_value_append(inputs, input);
        AC_TRY(add_copy(arena, input, ac_value_find(p, "from"), "from"));
        AC_TRY(add_copy(arena, input, ac_value_find(p, "to"), "to"));
    }
    return AC_OK;
}

static ac_status add_certify(ac_arena *arena, ac_value *root, const ac_value *design)
{
    static const char *const same[] = {"simulate", "quantities", "channels", "take"};
    ac_value *certify = new_value(arena, AC_MAP, "certify", NULL, design),
             *threshold = new_value(arena, AC_SCALAR, "at_most", "0", design);
    if (!certify || !threshold) return AC_NO_MEMORY;
    ac_value_append(root, certify);
    ac_value_append(certify, threshold);
    for (size_t k = 0; k < sizeof same / sizeof *same; ++k)
        AC_TRY(add_copy(arena, certify, ac_value_find(design, same[k]), same[k]));
    AC_TRY(add_copy(arena, certify, ac_value_find(design, "cost"), "measure"));
    return add_bounds(arena, certify, ac_value_find(design, "parameters"));
}

ac_status ac_show_inner(ac_arena *arena, ac_value *root, ac_inner_view view)
{
    const ac_value *design = root->kind == AC_MAP ? ac_value_find(root, "design") : NULL;
    if (view == AC_VIEW_WHOLE || !design) return AC_OK;
    ac_value_take_out(root, design);
    const ac_value *optimize = ac_value_find(design, "optimize");
    if (optimize) return add_copy(arena, root, optimize, "optimize");
    if (view == AC_VIEW_COST) return add_certify(arena, root, design);
    return add_copy(arena, root, ac_value_find(design, "simulate"), "simulate");
}
