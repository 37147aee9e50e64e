/* Scalars of a problem file: parameters, numbers, expressions, signals, names with an index. */
#include "problem/text/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/number.h"
#include "problem/text/reader_parameters.h"

enum { EXPRESSION_MAX = 4096, PARAMETERS_MAX = 100000, NAME_MAX_LENGTH = 63, CYCLE_SHOWN = 300 };

void ac_reader_begin(ac_reader *reader, ac_context *ctx)
{
    *reader = (ac_reader){.ctx = ctx};
    ac_arena_begin(&reader->arena, ctx);
    ac_names_begin(&reader->parameter_names, ctx);
}

void ac_reader_end(ac_reader *reader)
{
    ac_names_end(&reader->parameter_names);
    ac_graph_free(reader->graph);
    ac_arena_end(&reader->arena);
}

/* ---- expressions ---- */

/* What the lookup of a name found out, beyond yes and no. */
typedef struct lookup_state {
    ac_reader *reader;
    int pending; /* a parameter that is not computed yet, -1 */
    char missing[AC_NAME_SIZE];
} lookup_state;

static int look_up(void *user, const char *name, double *value)
{
    lookup_state *state = user;
    ac_reader *reader = state->reader;
    if (reader->index > 0 && strcmp(name, "i") == 0) {
        *value = reader->index;
        return 1;
    }
    int number = ac_names_find(&reader->parameter_names, name);
    if (number < 0) {
        snprintf(state->missing, sizeof state->missing, "%s", name);
        return 0;
    }
    if (reader->parameters[number].state != PARAMETER_DONE) {
        state->pending = number;
        return 0;
    }
    *value = reader->parameters[number].number;
    return 1;
}

static ac_status unknown_name(ac_reader *reader, ac_place place, const char *name)
{
    if (strcmp(name, "i") == 0)
        return ac_fail_at(reader->ctx, place,
                          "unknown name 'i'; the index i exists only in an entry with 'repeat'");
    if (strcmp(name, "t") == 0)
        return ac_fail_at(reader->ctx, place, "unknown name 't'; the time t can be used in loads only");
    const char *nearest = ac_names_nearest(&reader->parameter_names, name);
    if (nearest)
        return ac_fail_at(reader->ctx, place, "unknown name '%s'; did you mean the parameter '%s'?", name,
                          nearest);
    return ac_fail_at(reader->ctx, place, "unknown name '%s'; it is not among the parameters", name);
}

/* Where column `column` (from 1) of the text after "=" stands. */
static ac_place inner_place(const ac_value *value, int column)
{
    ac_place place = value->place;
    if (place.line > 0 && value->one_line) place.column += column + (value->quoted ? 1 : 0);
    return place;
}

/* Compiles the text after "=". When it needs a parameter that is not computed yet, it fails and `*pending`
 * says which. */
static ac_status compile(ac_reader *reader, const ac_value *value, bool of_time, int *pending,
                         ac_expression **expression)
{
    static const char *const variables[] = {"t"};
    lookup_state state = {.reader = reader, .pending = -1};
    int column;
    if (strlen(value->text) > EXPRESSION_MAX)
        return ac_fail_at(reader->ctx, value->place, "an expression may have at most %d characters",
                          EXPRESSION_MAX);
    ac_status status = ac_expression_parse(reader->ctx, value->text + 1, variables, of_time ? 1 : 0, look_up,
                                           &state, &column, expression);
    if (pending) *pending = state.pending;
    if (status != AC_BAD_INPUT || (pending && state.pending >= 0)) return status;
    ac_place place = inner_place(value, column);
    if (state.missing[0]) return unknown_name(reader, place, state.missing);
    char message[512];
    snprintf(message, sizeof message, "%s", ac_context_message(reader->ctx));
    return ac_fail_at(reader->ctx, place, "%s", message);
}

static ac_status evaluate(ac_reader *reader, const ac_value *value, const char *what, int *pending,
                          double *number)
{
    ac_expression *expression = NULL;
    char shown[AC_SHOWN_SIZE];
    AC_TRY(compile(reader, value, false, pending, &expression));
    *number = ac_expression_value(expression, NULL);
    ac_expression_free(expression);
    if (!isfinite(*number))
        return ac_fail_at(reader->ctx, value->place, "%s must be finite; '%s' is not", what,
                          ac_show(shown, value->text));
    return AC_OK;
}

static ac_status check_scalar(ac_reader *reader, const ac_value *value, const char *what,
                              ac_dimension dimension)
{
    const char *unit = ac_dimension_unit(dimension);
    char wanted[64] = "";
    if (*unit) snprintf(wanted, sizeof wanted, " (%s)", unit);
    if (value->kind != AC_SCALAR)
        return ac_fail_at(reader->ctx, value->place, "%s must be a single number%s, not a %s", what, wanted,
                          value->kind == AC_MAP ? "map" : "list");
    if (value->text[0] == '\0')
        return ac_fail_at(reader->ctx, value->place, "%s is empty; a number%s is expected", what, wanted);
    return AC_OK;
}

/* A scalar without "=": a number with an optional unit. Quotes are for numbers with a unit only (JSON). */
static ac_status read_plain(ac_reader *reader, const ac_value *value, const char *what,
                            ac_dimension dimension, double *number)
{
    char reason[AC_REASON_SIZE], shown[AC_SHOWN_SIZE];
    if (!ac_quantity_read(value->text, dimension, number, reason))
        return ac_fail_at(reader->ctx, value->place, "%s %s", what, reason);
    size_t length = strlen(value->text);
    char last = value->text[length - 1];
    if (value->quoted && ((last >= '0' && last <= '9') || last == '.') && !strchr(value->text, '^'))
        return ac_fail_at(reader->ctx, value->place,
                          "%s must be a number, not a text; write %s without quotes", what,
                          ac_show(shown, value->text));
    return AC_OK;
}

ac_status ac_read_number(ac_reader *reader, const ac_value *value, const char *what, ac_dimension dimension,
                         double *number)
{
    AC_TRY(check_scalar(reader, value, what, dimension));
    if (value->text[0] == '=') {
        if (reader->free_count > 0) AC_TRY(ac_note_use(reader, value));
        return evaluate(reader, value, what, NULL, number);
    }
    return read_plain(reader, value, what, dimension, number);
}

ac_status ac_read_numbers(ac_reader *reader, const ac_value *value, const char *what, ac_dimension dimension,
                          int least, int most, double *numbers, int *count)
{
    char wanted[48];
    if (least == most)
        snprintf(wanted, sizeof wanted, "%d", least);
    else
        snprintf(wanted, sizeof wanted, "%d to %d", least, most);
    const char *plural = most == 1 ? "number" : "numbers";
    if (value->kind != AC_LIST)
        return ac_fail_at(reader->ctx, value->place, "%s must be a list of %s %s, not a %s", what, wanted,
                          plural, value->kind == AC_MAP ? "map" : "single value");
    if (value->count < least || value->count > most)
        return ac_fail_at(reader->ctx, value->place, "%s must have %s %s, not %d", what, wanted, plural,
                          value->count);
    int k = 0;
    for (const ac_value *child = value->first; child; child = child->next, ++k) {
        char component[96];
        snprintf(component, sizeof component, "component %d of %s", k + 1, what);
        AC_TRY(ac_read_number(reader, child, component, dimension, &numbers[k]));
    }
    *count = k;
    return AC_OK;
}

ac_status ac_read_integer(ac_reader *reader, const ac_value *value, const char *what, long least, long most,
                          long *number)
{
    double given;
    char shown[AC_NUMBER_SIZE];
    AC_TRY(ac_read_number(reader, value, what, AC_DIM_NUMBER, &given));
    if (given != floor(given))
        return ac_fail_at(reader->ctx, value->place, "%s must be a whole number, not %s", what,
                          ac_write_short(shown, given));
    if (given < (double)least || given > (double)most)
        return ac_fail_at(reader->ctx, value->place, "%s must be between %ld and %ld, not %s", what, least,
                          most, ac_write_short(shown, given));
    *number = (long)given;
    return AC_OK;
}

/* ---- signals ---- */

/* The points of {table: ...} or {steps: ...}. */
static ac_status read_table(ac_reader *reader, const ac_value *table, const char *what,
                            ac_dimension dimension, ac_signal **signal)
{
    if (table->kind != AC_LIST || table->count == 0)
        return ac_fail_at(reader->ctx, table->place, "%s must be a list of points [time, value]", table->key);
    double *time;
    AC_NEW(reader->ctx, time, 2 * (size_t)table->count);
    double *number = time + table->count;
    ac_status status = AC_OK;
    int k = 0;
    for (const ac_value *point = table->first; point && status == AC_OK; point = point->next, ++k) {
        double both[2];
        if (point->kind != AC_LIST || point->count != 2) {
            status = ac_fail_at(reader->ctx, point->place, "a point of a table must be [time, value]");
            break;
        }
        status = ac_read_number(reader, point->first, "time in a table", AC_DIM_TIME, &both[0]);
        if (status == AC_OK) status = ac_read_number(reader, point->last, what, dimension, &both[1]);
        if (status != AC_OK) break;
        time[k] = both[0];
        number[k] = both[1];
        if (k > 0 && time[k] <= time[k - 1]) {
            char now[AC_NUMBER_SIZE], before[AC_NUMBER_SIZE];
            status = ac_fail_at(reader->ctx, point->first->place,
                                "times of a table must increase; %s s follows %s s",
                                ac_write_short(now, time[k]), ac_write_short(before, time[k - 1]));
        }
    }
    bool held = strcmp(table->key, "steps") == 0;
    if (status == AC_OK)
        status = (held ? ac_signal_steps : ac_signal_table)(reader->ctx, table->count, time, number, signal);
    ac_release(reader->ctx, time);
    return status;
}

static ac_status read_time_expression(ac_reader *reader, const ac_value *value, const char *what,
                                      ac_signal **signal)
{
    ac_expression *expression = NULL;
    char shown[AC_SHOWN_SIZE];
    double start = 0;
    AC_TRY(compile(reader, value, true, NULL, &expression));
    if (reader->free_count > 0 && ac_note_use(reader, value) != AC_OK) {
        ac_expression_free(expression);
        return AC_NO_MEMORY;
    }
    if (!isfinite(ac_expression_value(expression, &start))) {
        ac_expression_free(expression);
        return ac_fail_at(reader->ctx, value->place, "%s must be finite; '%s' is not at t = 0", what,
                          ac_show(shown, value->text));
    }
    return ac_signal_from_expression(reader->ctx, expression, signal);
}

ac_status ac_read_signal(ac_reader *reader, const ac_value *value, const char *what, ac_dimension dimension,
                         ac_signal **signal)
{
    *signal = NULL;
    if (value->kind == AC_MAP) {
        const ac_value *table = ac_value_find(value, "table"), *steps = ac_value_find(value, "steps");
        if ((!table && !steps) || value->count != 1)
            return ac_fail_at(
                reader->ctx, value->place,
                "%s must be a number, an expression of t, {table: [[t, value], ...]} or {steps: "
                "[[t, value], ...]}",
                what);
        return read_table(reader, table ? table : steps, what, dimension, signal);
    }
    if (value->kind == AC_SCALAR && value->text[0] == '=')
        return read_time_expression(reader, value, what, signal);
    double constant;
    AC_TRY(ac_read_number(reader, value, what, dimension, &constant));
    return ac_signal_constant(reader->ctx, constant, signal);
}

/* ---- parameters ---- */

static bool is_identifier(const char *name)
{
    size_t letters = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return letters > 0 && name[length] == '\0' && length <= NAME_MAX_LENGTH;
}

static ac_status check_parameter_name(ac_reader *reader, const ac_value *value)
{
    char shown[AC_SHOWN_SIZE];
    if (!is_identifier(value->key))
        return ac_fail_at(reader->ctx, value->key_place,
                          "'%s' cannot be the name of a parameter; use letters, digits and _, a letter first",
                          ac_show(shown, value->key));
    if (strcmp(value->key, "pi") == 0 || strcmp(value->key, "t") == 0 || strcmp(value->key, "i") == 0)
        return ac_fail_at(
            reader->ctx, value->key_place,
            "'%s' cannot be the name of a parameter; pi, t (time) and i (index) have a meaning already",
            value->key);
    return AC_OK;
}

/* first -> ... -> first, along `waits_for` */
static ac_status cycle_failure(ac_reader *reader, int first)
{
    char words[CYCLE_SHOWN];
    const ac_value *value = reader->parameters[first].value;
    int used = snprintf(words, sizeof words, "%s", value->key), at = first;
    do {
        at = reader->parameters[at].waits_for;
        const char *key = reader->parameters[at].value->key;
        if ((size_t)used + strlen(key) + 16 > sizeof words) {
            snprintf(words + used, sizeof words - (size_t)used, " -> ...");
            break;
        }
        used += snprintf(words + used, sizeof words - (size_t)used, " -> %s", key);
    } while (at != first);
    return ac_fail_at(reader->ctx, value->place, "parameters depend on each other in a circle: %s", words);
}

/* Computes one parameter or finds the one that must come first. */
static ac_status try_parameter(ac_reader *reader, ac_named_number *p, int *pending)
{
    char what[AC_NAME_SIZE + 16];
    *pending = -1;
    snprintf(what, sizeof what, "parameter %s", p->value->key);
    AC_TRY(check_scalar(reader, p->value, what, AC_DIM_ANY));
    if (p->value->text[0] == '=') return evaluate(reader, p->value, what, pending, &p->number);
    return read_plain(reader, p->value, what, AC_DIM_ANY, &p->number);
}

/* Depth first along the dependencies, with a stack of our own. */
static ac_status compute_parameter(ac_reader *reader, int start, int *stack)
{
    int depth = 0;
    stack[depth++] = start;
    while (depth > 0) {
        ac_named_number *p = &reader->parameters[stack[depth - 1]];
        int pending = -1;
        if (p->state == PARAMETER_DONE) {
            --depth;
            continue;
        }
        p->state = PARAMETER_OPEN;
        ac_status status = try_parameter(reader, p, &pending);
        if (status == AC_OK) {
            p->state = PARAMETER_DONE;
            --depth;
            continue;
        }
        if (status != AC_BAD_INPUT || pending < 0) return status;
        p->waits_for = pending;
        if (reader->parameters[pending].state == PARAMETER_OPEN) return cycle_failure(reader, pending);
        stack[depth++] = pending;
    }
    return AC_OK;
}

ac_status ac_reader_parameters(ac_reader *reader, const ac_value *map)
{
    if (map->kind != AC_MAP)
        return ac_fail_at(reader->ctx, map->place, "parameters must be a map of names and numbers");
    if (map->count > PARAMETERS_MAX)
        return ac_fail_at(reader->ctx, map->place, "at most %d parameters are possible", PARAMETERS_MAX);
    reader->parameters = ac_arena_take(&reader->arena, (size_t)map->count, sizeof *reader->parameters);
    int *stack = ac_arena_take(&reader->arena, (size_t)map->count + 1, sizeof *stack);
    if (!reader->parameters || !stack) return AC_NO_MEMORY;

    int number = 0;
    for (const ac_value *value = map->first; value; value = value->next, ++number) {
        bool fresh;
        AC_TRY(check_parameter_name(reader, value));
        reader->parameters[number].value = value;
        AC_TRY(ac_names_add(&reader->parameter_names, value->key, number, &fresh));
    }
    for (int k = 0; k < number; ++k) AC_TRY(compute_parameter(reader, k, stack));
    return AC_OK;
}

/* ---- names ---- */

ac_status ac_check_name(ac_reader *reader, const char *name, ac_place place, const char *what)
{
    char shown[AC_SHOWN_SIZE];
    size_t length = strlen(name);
    bool good = length > 0 && length <= NAME_MAX_LENGTH && name[0] != ' ' && name[length - 1] != ' ';
    for (size_t k = 0; k < length && good; ++k) {
        unsigned char c = (unsigned char)name[k];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
        bool later = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == ' ';
        good = letter || (k > 0 && later);
    }
    if (good) return AC_OK;
    return ac_fail_at(
        reader->ctx, place,
        "'%s' cannot be the name of a %s; use letters, digits, _, - and spaces, a letter first, at most %d",
        ac_show(shown, name), what, NAME_MAX_LENGTH);
}

ac_status ac_copy_name(ac_reader *reader, const char *name, const char **copy)
{
    *copy = name;
    if (reader->index == 0) return AC_OK;
    char text[AC_NAME_SIZE];
    int length = snprintf(text, sizeof text, "%.63s(%d)", name, reader->index);
    *copy = ac_arena_text(&reader->arena, text, (size_t)length);
    return *copy ? AC_OK : AC_NO_MEMORY;
}

ac_status ac_read_reference(ac_reader *reader, const char *text, ac_place place, char name[AC_NAME_SIZE])
{
    char shown[AC_SHOWN_SIZE];
    size_t length = strlen(text);
    const char *open = strchr(text, '(');
    if (length >= AC_NAME_SIZE - 16)
        return ac_fail_at(reader->ctx, place, "the name '%s' is too long", ac_show(shown, text));
    if (!open || text[length - 1] != ')') {
        snprintf(name, AC_NAME_SIZE, "%s", text);
        return AC_OK;
    }
    char inner[AC_NAME_SIZE];
    size_t inner_length = length - (size_t)(open - text) - 2;
    inner[0] = '=';
    memcpy(inner + 1, open + 1, inner_length);
    inner[inner_length + 1] = '\0';
    const ac_value index_value = {.kind = AC_SCALAR, .text = inner, .place = place};
    double index;
    if (ac_depends(reader, &index_value))
        return ac_fail_at(reader->ctx, place, "the index of '%s' must not depend on a free parameter",
                          ac_show(shown, text));
    AC_TRY(evaluate(reader, &index_value, "the index", NULL, &index));
    if (index != floor(index) || fabs(index) > AC_REPEAT_MAX)
        return ac_fail_at(reader->ctx, place, "the index of '%s' must be a whole number",
                          ac_show(shown, text));
    snprintf(name, AC_NAME_SIZE, "%.*s(%d)", (int)(open - text), text, (int)index);
    return AC_OK;
}
