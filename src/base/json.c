/* A small JSON writer: appends to a growing text and puts the commas where they belong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "actio/json.h"
#include "base/base.h"
#include "base/number.h"

enum { FIRST_SIZE = 256, NUMBER_SIZE = AC_NUMBER_SIZE };

struct ac_json {
    ac_context *ctx;
    char *text;
    size_t length, capacity;
    bool needs_comma; /* a value stands before the next one in the same object or array */
    bool failed;      /* out of memory */
};

ac_status ac_json_new(ac_context *ctx, ac_json **json)
{
    AC_NEW(ctx, *json, 1);
    (*json)->ctx = ctx;
    return AC_OK;
}

void ac_json_free(ac_json *json)
{
    if (!json) return;
    ac_release(json->ctx, json->text);
    ac_release(json->ctx, json);
}

/* Room for `more` bytes and the closing zero. */
static bool reserve(ac_json *json, size_t more)
{
    if (json->failed) return false;
    size_t needed = json->length + more + 1;
    if (needed <= json->capacity) return true;
    size_t capacity = json->capacity ? json->capacity : FIRST_SIZE;
    while (capacity < needed) capacity *= 2;
    char *larger = ac_allocate(json->ctx, capacity, 1);
    if (!larger) {
        json->failed = true;
        return false;
    }
    if (json->text) memcpy(larger, json->text, json->length);
    ac_release(json->ctx, json->text);
    json->text = larger;
    json->capacity = capacity;
    return true;
}

static void put(ac_json *json, const char *bytes, size_t count)
{
    if (!reserve(json, count)) return;
    memcpy(json->text + json->length, bytes, count);
    json->length += count;
    json->text[json->length] = '\0';
}

static void put_word(ac_json *json, const char *word)
{
    put(json, word, strlen(word));
}

/* Length of the UTF-8 sequence at `s`, 0 when it is not one (overlong forms and surrogates are refused). */
static size_t sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    if (s[0] >= 0xC2 && s[0] <= 0xDF) return (s[1] & 0xC0) == 0x80 ? 2 : 0;
    if (s[0] >= 0xE0 && s[0] <= 0xEF) {
        if ((s[1] & 0xC0) != 0x80 || (s[2] & 0xC0) != 0x80) return 0;
        if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
        if (s[0] == 0xED && s[1] > 0x9F) return 0;
        return 3;
    }
    if (s[0] >= 0xF0 && s[0] <= 0xF4) {
        if ((s[1] & 0xC0) != 0x80 || (s[2] & 0xC0) != 0x80 || (s[3] & 0xC0) != 0x80) return 0;
        if (s[0] == 0xF0 && s[1] < 0x90) return 0;
        if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
        return 4;
    }
    return 0;
}

static void put_control(ac_json *json, unsigned char c)
{
    static const char names[] = "\bb\tt\nn\ff\rr";
    for (size_t i = 0; i + 1 < sizeof names; i += 2) {
        if ((unsigned char)names[i] == c) {
            char escape[2] = {'\\', names[i + 1]};
            put(json, escape, 2);
            return;
        }
    }
    char escape[8];
    int count = snprintf(escape, sizeof escape, "\\u%04x", c);
    put(json, escape, (size_t)count);
}

static void put_text(ac_json *json, const char *text)
{
    put(json, "\"", 1);
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t length = sequence_length(s);
        if (length == 0) {
            put_word(json, "\\ufffd");
            ++s;
            continue;
        }
        if (*s == '"' || *s == '\\') put(json, "\\", 1);
        if (*s < 0x20 || *s == 0x7F)
            put_control(json, *s);
        else
            put(json, (const char *)s, length);
        s += length;
    }
    put(json, "\"", 1);
}

/* What stands in front of every value: a comma if it is not the first, and its key. */
static void start_value(ac_json *json, const char *key)
{
    if (json->needs_comma) put_word(json, ", ");
    if (key) {
        put_text(json, key);
        put_word(json, ": ");
    }
    json->needs_comma = true;
}

static void open_bracket(ac_json *json, const char *key, const char *bracket)
{
    start_value(json, key);
    put_word(json, bracket);
    json->needs_comma = false;
}

static void close_bracket(ac_json *json, const char *bracket)
{
    put_word(json, bracket);
    json->needs_comma = true;
}

void ac_json_open_object(ac_json *json, const char *key)
{
    open_bracket(json, key, "{");
}

void ac_json_close_object(ac_json *json)
{
    close_bracket(json, "}");
}

void ac_json_open_array(ac_json *json, const char *key)
{
    open_bracket(json, key, "[");
}

void ac_json_close_array(ac_json *json)
{
    close_bracket(json, "]");
}

void ac_json_number(ac_json *json, const char *key, double value)
{
    char digits[NUMBER_SIZE];
    if (isfinite(value))
        ac_write_decimal(digits, value);
    else
        strcpy(digits, "null");
    start_value(json, key);
    put_word(json, digits);
}

void ac_json_integer(ac_json *json, const char *key, long value)
{
    char digits[NUMBER_SIZE];
    snprintf(digits, sizeof digits, "%ld", value);
    start_value(json, key);
    put_word(json, digits);
}

void ac_json_bool(ac_json *json, const char *key, bool value)
{
    start_value(json, key);
    put_word(json, value ? "true" : "false");
}

void ac_json_text(ac_json *json, const char *key, const char *text)
{
    start_value(json, key);
    if (text)
        put_text(json, text);
    else
        put_word(json, "null");
}

void ac_json_null(ac_json *json, const char *key)
{
    ac_json_text(json, key, NULL);
}

ac_status ac_json_finish(ac_json *json, const char **text)
{
    reserve(json, 0);
    if (json->failed) return ac_out_of_memory(json->ctx);
    *text = json->text;
    return AC_OK;
}
