/* Free parameters of a problem file: which values depend on them, and as which expression.
 *
 * A value is written out in terms of free parameters alone: other names become their numbers, parameters
 * that depend on free ones become their expressions in parentheses. Every use must be taken care of by
 * somebody who knows its derivatives. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "problem/text/reader_parameters.h"

enum { WRITTEN_MAX = 16384, DEPTH_MAX = 64 };

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
    p->is_free = p->depends = true;
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

void ac_reader_set_alias(ac_reader *reader, const char *name, const char *alias)
{
    ac_named_number *p = find(reader, name);
    if (p) p->alias = alias;
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
    for (const ac_use *use = reader->uses; use; use = use->next)
        if (!use->followed) first = use; /* the list runs backwards */
    if (!first) return AC_OK;
    const ac_named_number *p = first->value->text[0] == '=' ? first_free(reader, first->value->text) : NULL;
    char shown[AC_SHOWN_SIZE];
    if (p && p->alias)
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

/* --- writing out --- */

typedef struct writing {
    ac_reader *reader;
    const ac_own_words *own;
    bool numbers; /* parameters that do not depend become numbers */
    char text[WRITTEN_MAX];
    size_t used;
    int depth;
    bool too_long;
} writing;

static void append(writing *w, const char *text, size_t length)
{
    if (w->used + length + 1 > sizeof w->text) {
        w->too_long = true;
        return;
    }
    memcpy(w->text + w->used, text, length);
    w->used += length;
    w->text[w->used] = '\0';
}

static void append_number(writing *w, double number)
{
    char text[AC_NUMBER_SIZE + 2];
    int length = snprintf(text, sizeof text, "(%.17g)", number);
    append(w, text, (size_t)length);
}

static void write_text(writing *w, const char *text);

static void write_name(writing *w, const char *start, const char *end)
{
    char name[AC_NAME_SIZE];
    const ac_named_number *p = copy_name(start, end, name) ? find(w->reader, name) : NULL;
    bool index = p == NULL && w->numbers && w->reader->index > 0 && strcmp(name, "i") == 0;
    if (index) {
        append_number(w, w->reader->index);
    } else if (!p || (w->own && w->own->has(w->own->user, name)) || (!p->depends && !w->numbers)) {
        append(w, start, (size_t)(end - start));
    } else if (p->is_free) {
        const char *written = p->alias ? p->alias : name;
        append(w, written, strlen(written));
    } else if (!p->depends) {
        append_number(w, p->number);
    } else {
        append(w, "(", 1);
        write_text(w, p->value->text + 1);
        append(w, ")", 1);
    }
}

static void write_text(writing *w, const char *text)
{
    const char *start, *from = text;
    if (++w->depth > DEPTH_MAX) w->too_long = true;
    for (const char *end = w->too_long ? NULL : next_name(text, &start); end; end = next_name(end, &start)) {
        append(w, from, (size_t)(start - from));
        write_name(w, start, end);
        from = end;
    }
    append(w, from, strlen(from));
    --w->depth;
}

static ac_status write_all(ac_reader *reader, const char *text, const ac_own_words *own, bool numbers,
                           const char **out)
{
    writing *w = ac_allocate(reader->ctx, 1, sizeof *w);
    if (!w) return ac_out_of_memory(reader->ctx);
    w->reader = reader;
    w->own = own;
    w->numbers = numbers;
    write_text(w, text);
    *out = w->too_long ? NULL : ac_arena_text(&reader->arena, w->text, w->used);
    ac_status status = w->too_long ? ac_fail(reader->ctx, AC_BAD_INPUT,
                                             "an expression with its parameters is too long")
                       : *out      ? AC_OK
                                   : AC_NO_MEMORY;
    ac_release(reader->ctx, w);
    return status;
}

ac_status ac_write_out(ac_reader *reader, const char *text, const ac_own_words *own, const char **out)
{
    *out = text;
    if (reader->free_count == 0) return AC_OK;
    return write_all(reader, text, own, false, out);
}

ac_status ac_follow(ac_reader *reader, const ac_value *value, const char **text)
{
    *text = NULL;
    if (!value || value->kind != AC_SCALAR || !ac_depends(reader, value)) return AC_OK;
    ac_use *use = find_use(reader, value);
    if (use) use->followed = true;
    return write_all(reader, value->text + 1, NULL, true, text);
}

ac_status ac_follow_text(ac_reader *reader, const char *text, const char **out)
{
    *out = NULL;
    return reader->free_count > 0 && text_depends(reader, text) ? write_all(reader, text, NULL, true, out)
                                                                : AC_OK;
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
            strcmp(l->text, limit->text) == 0)
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
    AC_TRY(write_all(reader, value->text + 1, NULL, true, &limit.text));
    return keep_limit(reader, &limit);
}

static ac_status text_of(ac_reader *reader, const ac_value *value, double number, const char **text)
{
    char plain[AC_NUMBER_SIZE + 2];
    if (value && ac_depends(reader, value)) return write_all(reader, value->text + 1, NULL, true, text);
    int length = snprintf(plain, sizeof plain, "%.17g", number);
    *text = ac_arena_text(&reader->arena, plain, (size_t)length);
    return *text ? AC_OK : AC_NO_MEMORY;
}

ac_status ac_note_order(ac_reader *reader, const ac_value *larger, double large, const ac_value *smaller,
                        double small, double factor, bool may_be_zero, const char *words)
{
    const char *above, *below;
    bool depends = ac_depends(reader, smaller);
    ac_limit limit = {.value = depends ? smaller : larger,
                      .index = reader->index,
                      .may_be_zero = may_be_zero,
                      .words = words,
                      .whole = true};
    if (!depends && !ac_depends(reader, larger)) return AC_OK;
    AC_TRY(text_of(reader, larger, large, &above));
    AC_TRY(text_of(reader, smaller, small, &below));
    size_t size = strlen(above) + strlen(below) + AC_NUMBER_SIZE + 16;
    char *text = ac_arena_take(&reader->arena, size, 1);
    if (!text) return AC_NO_MEMORY;
    snprintf(text, size, "(%s)-(%.17g)*(%s)", above, factor, below);
    limit.text = text;
    return keep_limit(reader, &limit);
}
