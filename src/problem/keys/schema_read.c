/* Reading a map by its section of the schema: keys, kinds, bounds, choices. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "problem/keys/schema.h"

enum { LIST_SIZE = 700 };

const ac_field *ac_section_field(const ac_section *section, const char *key)
{
    for (int k = 0; k < section->count; ++k)
        if (strcmp(section->fields[k].key, key) == 0) return &section->fields[k];
    return NULL;
}

/* "a, b, c" */
static void append_word(char *list, const char *word)
{
    size_t used = strlen(list);
    if (used + strlen(word) + 3 < LIST_SIZE)
        snprintf(list + used, LIST_SIZE - used, "%s%s", used ? ", " : "", word);
}

/* The parameter of this name in a map that has parameters, or one with nearly that name. */
static const char *parameter_like(const ac_value *map, const char *key)
{
    const ac_value *parameters = ac_value_find(map, "parameters");
    const char *nearest = NULL;
    int best = ac_edit_limit(key) + 1;
    if (!parameters || parameters->kind != AC_MAP) return NULL;
    for (const ac_value *child = parameters->first; child; child = child->next) {
        int distance = ac_edit_distance(child->key, key, best);
        if (distance < best) {
            best = distance;
            nearest = child->key;
        }
    }
    return nearest;
}

static ac_status unknown_key(ac_reader *reader, const ac_section *section, const ac_value *map,
                             const ac_value *value)
{
    char known[LIST_SIZE] = "", shown[AC_SHOWN_SIZE], near[AC_SHOWN_SIZE];
    const char *parameter = section == &ac_section_root ? parameter_like(map, value->key) : NULL;
    const char *nearest = NULL;
    int best = ac_edit_limit(value->key) + 1;
    for (int k = 0; k < section->count; ++k) {
        const char *key = section->fields[k].key;
        append_word(known, key);
        int distance = ac_edit_distance(key, value->key, best);
        if (distance < best) {
            best = distance;
            nearest = key;
        }
    }
    ac_show(shown, value->key);
    if (strchr(value->key, ')'))
        return ac_fail_at(reader->ctx, value->key_place,
                          "'%s' is no key: inside { } a comma ends a value; put an expression with commas "
                          "into quotes",
                          shown);
    if (parameter && (!nearest || strcmp(parameter, value->key) == 0))
        return ac_fail_at(reader->ctx, value->key_place,
                          "unknown key '%s'; did you mean 'parameters.%s'? known keys here: %s", shown,
                          ac_show(near, parameter), known);
    if (nearest)
        return ac_fail_at(reader->ctx, value->key_place,
                          "unknown key '%s'; did you mean '%s'? known keys here: %s", shown, nearest, known);
    return ac_fail_at(reader->ctx, value->key_place, "unknown key '%s'; known keys here: %s", shown, known);
}

static ac_status check_bound(ac_reader *reader, const ac_field *field, const ac_value *value, double number)
{
    char shown[AC_NUMBER_SIZE];
    if (field->bound == AC_BOUND_POSITIVE && !(number > 0))
        return ac_fail_at(reader->ctx, value->place, "%s must be positive, not %s", field->key,
                          ac_write_short(shown, number));
    if (field->bound == AC_BOUND_NOT_NEGATIVE && !(number >= 0))
        return ac_fail_at(reader->ctx, value->place, "%s must not be negative, but is %s", field->key,
                          ac_write_short(shown, number));
    if (field->bound == AC_BOUND_NONE) return AC_OK;
    return ac_note_limit(reader, value, field->key, field->bound == AC_BOUND_NOT_NEGATIVE);
}

/* A large angle without a unit was meant in degrees, as a rule. */
static ac_status check_angle(ac_reader *reader, const ac_field *field, const ac_value *value, double angle)
{
    static const double TURN = 6.28318530717958647692, MOST = 2.0;                   /* turns */
    bool formula = value->text[0] == '=', unit = strpbrk(value->text, "rd") != NULL; /* rad, deg, rev */
    if (field->dimension != AC_DIM_ANGLE || formula || unit || !(fabs(angle) > MOST * TURN)) return AC_OK;
    return ac_fail_at(
        reader->ctx, value->place,
        "%s: %s without a unit is in radians, %.3g turns: write '%s deg', or '%s rad' if that is meant",
        field->key, value->text, fabs(angle) / TURN, value->text, value->text);
}

static ac_status read_number(ac_reader *reader, const ac_field *field, const ac_value *value,
                             ac_given_number *given)
{
    given->at = value;
    AC_TRY(ac_read_number(reader, value, field->key, field->dimension, &given->value));
    AC_TRY(check_angle(reader, field, value, given->value));
    return check_bound(reader, field, value, given->value);
}

static ac_status read_vector(ac_reader *reader, const ac_field *field, const ac_value *value,
                             ac_given_vector *given)
{
    given->at = value;
    AC_TRY(ac_read_numbers(reader, value, field->key, field->dimension, field->least, field->most, given->x,
                           &given->count));
    const ac_value *component = value->first;
    for (int k = 0; k < given->count; ++k, component = component->next)
        AC_TRY(check_bound(reader, field, component, given->x[k]));
    return AC_OK;
}

static ac_status read_flag(ac_reader *reader, const ac_field *field, const ac_value *value,
                           ac_given_flag *given)
{
    char shown[AC_SHOWN_SIZE];
    given->at = value;
    bool scalar = value->kind == AC_SCALAR && !value->quoted;
    if (scalar && strcmp(value->text, "true") == 0)
        given->on = true;
    else if (scalar && strcmp(value->text, "false") == 0)
        given->on = false;
    else
        return ac_fail_at(reader->ctx, value->place, "%s must be true or false, not '%s'", field->key,
                          ac_show(shown, value->kind == AC_SCALAR ? value->text
                                         : value->kind == AC_MAP  ? "a map"
                                                                  : "a list"));
    return AC_OK;
}

static ac_status read_text(ac_reader *reader, const ac_field *field, const ac_value *value,
                           ac_given_word *given)
{
    if (value->kind != AC_SCALAR)
        return ac_fail_at(reader->ctx, value->place, "%s must be a text, not a %s", field->key,
                          value->kind == AC_MAP ? "map" : "list");
    given->at = value;
    given->text = value->text;
    return AC_OK;
}

static ac_status read_choice(ac_reader *reader, const ac_field *field, const ac_value *value,
                             ac_given_word *given)
{
    char list[LIST_SIZE] = "", shown[AC_SHOWN_SIZE];
    AC_TRY(read_text(reader, field, value, given));
    const char *const *choices = field->choices();
    for (int k = 0; choices[k]; ++k) {
        if (strcmp(choices[k], value->text) == 0) {
            given->text = choices[k];
            given->choice = k;
            return AC_OK;
        }
        append_word(list, choices[k]);
    }
    return ac_fail_at(reader->ctx, value->place, "%s cannot be '%s'; it is one of: %s", field->key,
                      ac_show(shown, value->text), list);
}

static ac_status read_collection(ac_reader *reader, const ac_field *field, const ac_value *value,
                                 const ac_value **given)
{
    ac_value_kind wanted = field->type == AC_FIELD_ENTRIES ? AC_LIST : AC_MAP;
    if (value->kind != wanted)
        return ac_fail_at(reader->ctx, value->place, "%s must be a %s", field->key,
                          field->type == AC_FIELD_ENTRIES ? "list of entries that start with '-'"
                          : field->type == AC_FIELD_NAMED ? "map of names"
                                                          : "map of keys and values");
    *given = value;
    return AC_OK;
}

static ac_status read_field(ac_reader *reader, const ac_field *field, const ac_value *value, void *input)
{
    void *member = (char *)input + field->offset;
    switch (field->type) {
    case AC_FIELD_NUMBER: return read_number(reader, field, value, member);
    case AC_FIELD_COUNT: {
        ac_given_count *given = member;
        given->at = value;
        return ac_read_integer(reader, value, field->key, field->least, field->most, &given->value);
    }
    case AC_FIELD_VECTOR: return read_vector(reader, field, value, member);
    case AC_FIELD_FLAG: return read_flag(reader, field, value, member);
    case AC_FIELD_TEXT: return read_text(reader, field, value, member);
    case AC_FIELD_CHOICE: return read_choice(reader, field, value, member);
    case AC_FIELD_VALUE: *(const ac_value **)member = value; return AC_OK;
    default: return read_collection(reader, field, value, member);
    }
}

static ac_status missing_key(ac_reader *reader, const ac_section *section, const ac_value *map,
                             const char *key)
{
    char shown[AC_SHOWN_SIZE];
    if (map->key)
        return ac_fail_at(reader->ctx, map->place, "'%s' is missing in '%s'", key, ac_show(shown, map->key));
    return ac_fail_at(reader->ctx, map->place, "'%s' is missing in this entry of %s", key, section->title);
}

/* Numbers and counts that are absent have their defaults, and no place. */
static void fill_defaults(const ac_section *section, void *input)
{
    for (int k = 0; k < section->count; ++k) {
        const ac_field *field = &section->fields[k];
        void *into = (char *)input + field->offset;
        if (!field->standard_value && !field->standard_number) continue;
        double value = field->standard_value ? *field->standard_value : field->standard_number();
        if (field->type == AC_FIELD_NUMBER) ((ac_given_number *)into)->value = value;
        if (field->type == AC_FIELD_COUNT) ((ac_given_count *)into)->value = (long)value;
    }
}

ac_status ac_section_read(ac_reader *reader, const ac_section *section, const ac_value *map, void *input,
                          size_t size)
{
    memset(input, 0, size);
    if (map->kind != AC_MAP)
        return ac_fail_at(reader->ctx, map->place, "an entry of %s must be a map of keys and values",
                          section->title);
    fill_defaults(section, input);
    for (const ac_value *value = map->first; value; value = value->next) {
        const ac_field *field = ac_section_field(section, value->key);
        if (!field) return unknown_key(reader, section, map, value);
        AC_TRY(read_field(reader, field, value, input));
    }
    for (int k = 0; k < section->count; ++k)
        if (section->fields[k].required && !ac_value_find(map, section->fields[k].key))
            return missing_key(reader, section, map, section->fields[k].key);
    return AC_OK;
}
