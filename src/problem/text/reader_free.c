/* Free parameters of a problem file: which values depend on them, and how.
 *
 * A value that depends is recorded in the graph of the reader, whose inputs are the free parameters and t: other names are numbers,
 * and parameters that depend on free ones are nodes. Every use must be taken care of by somebody who knows its derivatives. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "base/number/formula.h"
#include "problem/text/reader_parameters.h"

enum { DEPTH_MAX = 10000 }; /* of parameters that follow from each other */

static ac_named_number *find(const ac_reader *reader, const char *name)
{
    int number = ac_names_find(&reader->parameter_names, name);
    return number < 0 ? NULL : &reader->parameters[number];
}

/* The next name in a text; its end, or NULL when there is none. Numbers are skipped with their exponents. */
static const char *next_name(const char *text, const char **start)
{
    while (*text) {
        if (isdigit((unsigned char)*text) || *text == '.') {
            while (isdigit((unsigned char)*text) || *text == '.') ++text;
            if ((*text == 'e' || *text == 'E') &&
                (isdigit((unsigned char)text[1]) ||
                 ((text[1] == '+' || text[1] == '-') && isdigit((unsigned char)text[2]))))
                text += 2;
        } else if (isalpha((unsigned char)*text) || *text == '_') {
            *start = text;
            while (isalnum((unsigned char)*text) || *text == '_') ++text;
            return text;
        } else {
            ++text;
        }
    }
    return NULL;
}

static bool copy_name(const char *start, const char *end, char name[AC_NAME_SIZE])
{
    if ((size_t)(end - start) >= AC_NAME_SIZE) return false;
    snprintf(name, AC_NAME_SIZE, "%.*s", (int)(end - start), start);
    return true;
}

static bool text_depends(const ac_reader *reader, const char *text)
{
    const char *start;
    char name[AC_NAME_SIZE];
    for (const char *end = next_name(text, &start); end; end = next_name(end, &start)) {
        const ac_named_number *p = copy_name(start, end, name) ? find(reader, name) : NULL;
        if (p && p->depends) return true;
    }
    return false;
}

ac_status ac_reader_free_parameter(ac_reader *reader, const char *name, ac_place place)
{
    ac_named_number *p = find(reader, name);
    if (!p) {
        const char *nearest = ac_names_nearest(&reader->parameter_names, name);
        if (nearest)
            return ac_fail_at(reader->ctx, place,
                              "there is no parameter '%.60s' in parameters; did you mean '%s'?", name,
                              nearest);
        return ac_fail_at(reader->ctx, place, "there is no parameter '%.60s' in parameters", name);
    }
    if (p->value->text[0] == '=' && text_depends(reader, p->value->text))
        return ac_fail_at(reader->ctx, place,
                          "'%s' follows from another free parameter, so it cannot be free itself", name);
    if (!reader->graph) AC_TRY(ac_graph_new(reader->ctx, &reader->graph));
    p->is_free = p->depends = true;
    p->node = ac_num_input(reader->graph, p->number).node;
    if (reader->graph->failed) return AC_NO_MEMORY;
    ++reader->free_count;
    /* what depends on it, through any number of steps */
    for (bool again = true; again;) {
        again = false;
        for (int k = 0; k < reader->parameter_names.count; ++k) {
            ac_named_number *other = &reader->parameters[k];
            if (other->depends || other->value->text[0] != '=' || !text_depends(reader, other->value->text))
                continue;
            if (other->is_free) continue;
            other->depends = again = true;
        }
    }
    return AC_OK;
}

void ac_reader_set_wanted(ac_reader *reader, const char *name)
{
    ac_named_number *p = find(reader, name);
    if (p) p->wanted = true;
}

bool ac_parameter_number(const ac_reader *reader, const char *name, double *number)
{
    const ac_named_number *p = find(reader, name);
    if (p) *number = p->number;
    return p != NULL;
}

bool ac_parameter_is_given(const ac_reader *reader, const ac_value *value)
{
    const char *start;
    char name[AC_NAME_SIZE];
    if (value->kind != AC_SCALAR) return false;
    if (value->text[0] != '=') return true;
    for (const char *end = next_name(value->text, &start); end; end = next_name(end, &start))
        if (copy_name(start, end, name) && find(reader, name)) return false;
    return true;
}

bool ac_depends(ac_reader *reader, const ac_value *value)
{
    if (reader->free_count == 0 || !value) return false;
    if (value->kind == AC_SCALAR) return value->text[0] == '=' && text_depends(reader, value->text);
    for (const ac_value *child = value->first; child; child = child->next)
        if (ac_depends(reader, child)) return true;
    return false;
}

/* --- uses --- */

static ac_use *find_use(const ac_reader *reader, const ac_value *value)
{
    for (ac_use *use = reader->uses; use; use = use->next)
        if (use->value == value && use->index == reader->index) return use;
    return NULL;
}

ac_status ac_note_use(ac_reader *reader, const ac_value *value)
{
    return ac_depends(reader, value) ? ac_add_use(reader, value) : AC_OK;
}

ac_status ac_add_use(ac_reader *reader, const ac_value *value)
{
    if (find_use(reader, value)) return AC_OK;
    ac_use *use = ac_arena_take(&reader->arena, 1, sizeof *use);
    if (!use) return AC_NO_MEMORY;
    *use = (ac_use){value, reader->index, false, reader->uses};
    reader->uses = use;
    return AC_OK;
}

void ac_follow_drawing(ac_reader *reader, const ac_value *value)
{
    if (!value) return;
    ac_use *use = find_use(reader, value);
    if (use) use->followed = true;
    for (const ac_value *child = value->kind == AC_SCALAR ? NULL : value->first; child; child = child->next)
        ac_follow_drawing(reader, child);
}

bool ac_text_depends(const ac_reader *reader, const char *text, const ac_own_words *own)
{
    const char *start;
    char name[AC_NAME_SIZE];
    for (const char *end = next_name(text, &start); end; end = next_name(end, &start)) {
        if (!copy_name(start, end, name) || own->has(own->user, name)) continue;
        const ac_named_number *p = find(reader, name);
        if (p && p->depends) return true;
    }
    return false;
}

static const ac_named_number *first_free(const ac_reader *reader, const char *text)
{
    const char *start;
    char name[AC_NAME_SIZE];
    for (const char *end = next_name(text, &start); end; end = next_name(end, &start)) {
        const ac_named_number *p = copy_name(start, end, name) ? find(reader, name) : NULL;
        if (p && p->depends) return p;
    }
    return NULL;
}

ac_status ac_check_followed(ac_reader *reader)
{
    const ac_use *first = NULL;
    if (ac_graph_failed(reader->graph)) return AC_NO_MEMORY;
    for (const ac_use *use = reader->uses; use; use = use->next)
        if (!use->followed) first = use; /* the list runs backwards */
    if (!first) return AC_OK;
    const ac_named_number *p = first->value->text[0] == '=' ? first_free(reader, first->value->text) : NULL;
    char shown[AC_SHOWN_SIZE];
    if (p && p->wanted)
        return ac_fail_at(reader->ctx, first->value->place,
                          "the parameter '%s' stands here, and what it changes has no derivative and cannot "
                          "be set; write a number here",
                          p->value->key);
    return ac_fail_at(
        reader->ctx, first->value->place,
        "%s '%s' %s, and what that changes cannot be followed here; free parameters may stand in masses, "
        "inertias, centres, initial positions and points of bodies, points of the ground, places of joints, "
        "their coordinates and rates at the start, solids (not their rotations), lengths of distance joints, "
        "springs and dampers, loads, gravity, "
        "beams (sections, material, stiffness and inertia, also at stations; damping, point masses, the end "
        "of a straight one), points of quantities, expressions of objectives, and conditions",
        p ? "the parameter" : "the point", p ? p->value->key : ac_show(shown, first->value->text),
        p && p->is_free ? "is free" : "depends on a free parameter");
}

/* --- recording --- */

/* What the lookup of constants knows. */
static int look_up(void *user, const char *name, double *value)
{
    const ac_reader *reader = user;
    const ac_named_number *p = find(reader, name);
    bool index = !p && reader->index > 0 && strcmp(name, "i") == 0;
    if (index) *value = reader->index;
    if (p) *value = p->number;
    return p || index;
}

static ac_status record(ac_reader *reader, const char *text, int depth, int *node);

static ac_status node_of(ac_reader *reader, ac_named_number *p, int depth, int *node)
{
    if (p->depends && p->node == 0) {
        if (depth > DEPTH_MAX)
            return ac_fail_at(reader->ctx, p->value->place, "parameters follow from each other too deeply");
        int index = reader->index; /* parameters have none */
        reader->index = 0;
        ac_status status = record(reader, p->value->text + 1, depth + 1, &p->node);
        reader->index = index;
        AC_TRY(status);
    }
    *node = p->depends ? p->node : 0;
    return AC_OK;
}

/* The names of a text that stand for nodes, and their numbers; t is the last one. */
static ac_status list_nodes(ac_reader *reader, const char *text, int depth, char (*words)[AC_NAME_SIZE],
                            ac_num *numbers, int *count)
{
    const char *start;
    *count = 0;
    for (const char *end = next_name(text, &start); end; end = next_name(end, &start)) {
        char *name = words[*count];
        ac_named_number *p = copy_name(start, end, name) ? find(reader, name) : NULL;
        bool known = !p || !p->depends;
        for (int k = 0; k < *count && !known; ++k) known = strcmp(words[k], name) == 0;
        if (known) continue;
        AC_TRY(node_of(reader, p, depth, &numbers[*count].node));
        numbers[(*count)++].v = p->number;
    }
    snprintf(words[*count], AC_NAME_SIZE, "t");
    numbers[(*count)++] = reader->time;
    return AC_OK;
}

static int count_names(const char *text)
{
    const char *start;
    int count = 0;
    for (const char *end = next_name(text, &start); end; end = next_name(end, &start)) ++count;
    return count;
}

/* The node of a text; what does not depend after all gets one, too. */
static ac_status record(ac_reader *reader, const char *text, int depth, int *node)
{
    ac_context *ctx = reader->ctx;
    ac_expression *expression = NULL;
    size_t room = (size_t)count_names(text) + 2;
    int count = 0;
    char(*words)[AC_NAME_SIZE] = ac_allocate(ctx, room, sizeof *words);
    const char **names = ac_allocate(ctx, room, sizeof *names);
    ac_num *numbers = ac_allocate(ctx, room, sizeof *numbers);
    ac_status status = words && names && numbers ? AC_OK : ac_out_of_memory(ctx);
    if (status == AC_OK) status = list_nodes(reader, text, depth, words, numbers, &count);
    for (int k = 0; k < count; ++k) names[k] = words[k];
    if (status == AC_OK)
        status = ac_expression_parse(ctx, text, names, count, look_up, reader, NULL, &expression);
    if (status == AC_OK) {
        ac_num whole = ac_graph_record(reader->graph, expression, numbers);
        *node = ac_num_node(reader->graph, whole);
        if (reader->graph->failed) status = AC_NO_MEMORY;
    }
    ac_expression_free(expression);
    ac_release(ctx, words);
    ac_release(ctx, names);
    ac_release(ctx, numbers);
    return status;
}

ac_status ac_parameter_node(ac_reader *reader, const char *name, int *node)
{
    ac_named_number *p = find(reader, name);
    *node = 0;
    return p ? node_of(reader, p, 0, node) : AC_OK;
}

ac_status ac_follow(ac_reader *reader, const ac_value *value, int *node)
{
    *node = 0;
    if (!value || value->kind != AC_SCALAR || !ac_depends(reader, value)) return AC_OK;
    ac_use *use = find_use(reader, value);
    if (use) use->followed = true;
    return record(reader, value->text + 1, 0, node);
}

ac_status ac_text_parameters(ac_reader *reader, const char *text, const ac_own_words *own,
                             const char ***names, int *count)
{
    const char *start;
    char name[AC_NAME_SIZE];
    int room = 0;
    for (const char *end = next_name(text, &start); end; end = next_name(end, &start)) ++room;
    *names = ac_arena_take(&reader->arena, (size_t)room + 1, sizeof **names);
    if (!*names) return AC_NO_MEMORY;
    *count = 0;
    for (const char *end = next_name(text, &start); end; end = next_name(end, &start)) {
        bool known = !copy_name(start, end, name) || own->has(own->user, name) || !find(reader, name);
        for (int k = 0; k < *count && !known; ++k) known = strcmp((*names)[k], name) == 0;
        if (known) continue;
        (*names)[*count] = ac_arena_text(&reader->arena, name, strlen(name));
        if (!(*names)[(*count)++]) return AC_NO_MEMORY;
    }
    return AC_OK;
}

/* --- limits --- */

static ac_status keep_limit(ac_reader *reader, const ac_limit *limit)
{
    for (const ac_limit *l = reader->limits; l; l = l->next) /* sections are read more than once */
        if (l->value == limit->value && l->index == limit->index && l->may_be_zero == limit->may_be_zero &&
            strcmp(l->words, limit->words) == 0)
            return AC_OK;
    ac_limit *kept = ac_arena_take(&reader->arena, 1, sizeof *kept);
    if (!kept) return AC_NO_MEMORY;
    *kept = *limit;
    kept->next = reader->limits;
    reader->limits = kept;
    return AC_OK;
}

ac_status ac_note_limit(ac_reader *reader, const ac_value *value, const char *key, bool may_be_zero)
{
    ac_limit limit = {.value = value, .index = reader->index, .may_be_zero = may_be_zero, .words = key};
    if (value->kind != AC_SCALAR || !ac_depends(reader, value)) return AC_OK;
    AC_TRY(record(reader, value->text + 1, 0, &limit.node));
    return keep_limit(reader, &limit);
}

static ac_status number_of(ac_reader *reader, const ac_value *value, double number, ac_num *num)
{
    *num = ac_num_of(number);
    return value && ac_depends(reader, value) ? record(reader, value->text + 1, 0, &num->node) : AC_OK;
}

ac_status ac_note_order(ac_reader *reader, const ac_value *larger, double large, const ac_value *smaller,
                        double small, double factor, bool may_be_zero, const char *words)
{
    ac_num above, below;
    bool depends = ac_depends(reader, smaller);
    ac_limit limit = {.value = depends ? smaller : larger,
                      .index = reader->index,
                      .may_be_zero = may_be_zero,
                      .words = words,
                      .whole = true};
    if (!depends && !ac_depends(reader, larger)) return AC_OK;
    AC_TRY(number_of(reader, larger, large, &above));
    AC_TRY(number_of(reader, smaller, small, &below));
    ac_num part = ac_num_multiply(reader->graph, ac_num_of(factor), below);
    limit.node = ac_num_node(reader->graph, ac_num_subtract(reader->graph, above, part));
    return keep_limit(reader, &limit);
}
