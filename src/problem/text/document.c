/* From YAML events to our tree. libyaml is known in this file only. */
#include "problem/text/document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <yaml.h>

#include "base/base.h"
#include "problem/text/names.h"

enum { MESSAGE_SIZE = 1800, SMALL_MAP = 12, SOURCE_SIZE = 200 };

ac_status ac_fail_at(ac_context *ctx, ac_place place, const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (place.line == 0) return ac_fail(ctx, AC_BAD_INPUT, "%.*s: %s", SOURCE_SIZE, place.source, message);
    return ac_fail(ctx, AC_BAD_INPUT, "%.*s:%d:%d: %s", SOURCE_SIZE, place.source, place.line, place.column,
                   message);
}

ac_value *ac_value_find(const ac_value *map, const char *key)
{
    for (ac_value *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

/* ---- the file ---- */

static ac_status read_stream(ac_arena *arena, const char *path, FILE *stream, char **text, size_t *length)
{
    struct stat info;
    if (fstat(fileno(stream), &info) != 0)
        return ac_fail(arena->ctx, AC_IO_FAILED, "%s: cannot be read: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return ac_fail(arena->ctx, AC_BAD_INPUT, "%s: is a directory; a problem file is expected", path);

    size_t used = 0, capacity = S_ISREG(info.st_mode) && info.st_size < AC_DOCUMENT_BYTES
                                    ? (size_t)info.st_size + 2
                                    : 65536;
    char *buffer = ac_arena_take(arena, capacity + 1, 1);
    if (!buffer) return AC_NO_MEMORY;
    for (;;) {
        size_t got = fread(buffer + used, 1, capacity - used, stream);
        used += got;
        if (used > AC_DOCUMENT_BYTES)
            return ac_fail(arena->ctx, AC_BAD_INPUT, "%s: is larger than %d MiB, the limit for problem files",
                           path, AC_DOCUMENT_BYTES >> 20);
        if (got == 0) break;
        if (used < capacity) continue;
        char *larger = ac_arena_take(arena, 2 * capacity + 1, 1);
        if (!larger) return AC_NO_MEMORY;
        memcpy(larger, buffer, used);
        buffer = larger;
        capacity *= 2;
    }
    if (ferror(stream))
        return ac_fail(arena->ctx, AC_IO_FAILED, "%s: cannot be read: %s", path, strerror(errno));
    buffer[used] = '\0';
    *text = buffer;
    *length = used;
    return AC_OK;
}

ac_status ac_document_load(ac_arena *arena, const char *path, char **text, size_t *length)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) return ac_fail(arena->ctx, AC_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
    ac_status status = read_stream(arena, path, stream, text, length);
    fclose(stream);
    return status;
}

/* ---- bytes ---- */

/* Length of the UTF-8 character at `s`, 0 when it is not valid. */
static size_t character_length(const unsigned char *s, size_t left)
{
    static const unsigned smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = s[0] < 0x80                   ? 1
                    : s[0] >= 0xf0 && s[0] < 0xf8 ? 4
                    : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                    : s[0] >= 0xc0 && s[0] < 0xe0 ? 2
                                                  : 0;
    if (length <= 1) return length;
    if (length > left) return 0;
    unsigned code = s[0] & (0xffu >> (length + 1));
    for (size_t k = 1; k < length; ++k) {
        if ((s[k] & 0xc0) != 0x80) return 0;
        code = code << 6 | (s[k] & 0x3fu);
    }
    bool valid = code >= smallest[length] && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    return valid ? length : 0;
}

static ac_status check_bytes(ac_context *ctx, ac_place place, const char *text, size_t length)
{
    bool lines = place.line > 0;
    const unsigned char *s = (const unsigned char *)text;
    for (size_t k = 0; k < length;) {
        if (s[k] == 0) return ac_fail_at(ctx, place, "a zero byte; a problem file is plain text (UTF-8)");
        size_t width = character_length(s + k, length - k);
        if (width == 0) return ac_fail_at(ctx, place, "byte 0x%02X is not valid UTF-8", s[k]);
        if (lines && s[k] == '\n') {
            ++place.line;
            place.column = 1;
        } else {
            ++place.column;
        }
        k += width;
    }
    return AC_OK;
}

/* ---- events ---- */

typedef struct builder {
    ac_arena *arena;
    ac_context *ctx;
    const char *source;
    bool override; /* an override has no lines */
    const char *text;
    size_t length;
    yaml_parser_t parser;
    ac_value *open[AC_DOCUMENT_DEPTH];  /* the maps and lists we are in */
    const char *key[AC_DOCUMENT_DEPTH]; /* in a map: the key whose value comes next */
    ac_place key_place[AC_DOCUMENT_DEPTH];
    int depth, values;
    ac_value *root;
} builder;

static ac_place place_of(const builder *b, yaml_mark_t mark)
{
    if (b->override) return (ac_place){b->source, 0, 0};
    return (ac_place){b->source, (int)mark.line + 1, (int)mark.column + 1};
}

/* Where a byte of the text stands. */
static ac_place place_of_byte(const builder *b, size_t offset)
{
    yaml_mark_t mark = {0, 0, 0};
    for (size_t k = 0; k < offset && k < b->length; ++k) {
        if (b->text[k] == '\n') {
            ++mark.line;
            mark.column = 0;
        } else if (((unsigned char)b->text[k] & 0xc0) != 0x80) {
            ++mark.column;
        }
    }
    return place_of(b, mark);
}

static ac_status yaml_failure(builder *b)
{
    const yaml_parser_t *p = &b->parser;
    const char *problem = p->problem ? p->problem : "the text makes no sense";
    size_t at = p->problem_mark.index;
    if (p->error == YAML_MEMORY_ERROR) return ac_out_of_memory(b->ctx);
    if (p->error == YAML_READER_ERROR)
        return ac_fail_at(b->ctx, place_of_byte(b, p->problem_offset), "not YAML: %s", problem);
    ac_place place = place_of(b, p->problem_mark);
    if (p->error == YAML_SCANNER_ERROR && at < b->length && b->text[at] == '\t')
        return ac_fail_at(b->ctx, place, "not YAML: a tab where it may not stand; indent with spaces");
    if (p->context && !b->override && p->context_mark.line != p->problem_mark.line)
        return ac_fail_at(b->ctx, place, "not YAML: %s (%s from line %d)", problem, p->context,
                          (int)p->context_mark.line + 1);
    if (p->context && !b->override)
        return ac_fail_at(b->ctx, place, "not YAML: %s (%s)", problem, p->context);
    return ac_fail_at(b->ctx, place, "not YAML: %s", problem);
}

/* Puts a new value where it belongs: as the root, into the open list, or under the open map's key. */
static ac_status attach(builder *b, ac_value *value)
{
    if (++b->values > AC_DOCUMENT_VALUES)
        return ac_fail_at(b->ctx, value->place, "more than %d values; the file is too large",
                          AC_DOCUMENT_VALUES);
    if (b->depth == 0) {
        b->root = value;
        return AC_OK;
    }
    int level = b->depth - 1;
    ac_value *parent = b->open[level];
    if (parent->kind == AC_MAP) {
        value->key = b->key[level];
        value->key_place = b->key_place[level];
        b->key[level] = NULL;
    }
    if (parent->last)
        parent->last->next = value;
    else
        parent->first = value;
    parent->last = value;
    ++parent->count;
    return AC_OK;
}

static bool awaits_key(const builder *b)
{
    return b->depth > 0 && b->open[b->depth - 1]->kind == AC_MAP && !b->key[b->depth - 1];
}

static ac_status refuse_extras(builder *b, const yaml_event_t *event)
{
    ac_place place = place_of(b, event->start_mark);
    const yaml_char_t *anchor = NULL, *tag = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        return ac_fail_at(b->ctx, place,
                          "aliases (*%.40s) are not supported; use a parameter or repeat the value",
                          (const char *)event->data.alias.anchor);
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor)
        return ac_fail_at(b->ctx, place,
                          "anchors (&%.40s) are not supported; use a parameter or repeat the value",
                          (const char *)anchor);
    if (tag)
        return ac_fail_at(b->ctx, place, "tags (%.40s) are not supported; leave it out", (const char *)tag);
    return AC_OK;
}

/* Are there more opening than closing parentheses? */
static bool ends_inside(const char *bytes, size_t length)
{
    int open = 0;
    for (size_t k = 0; k < length; ++k) open += (bytes[k] == '(') - (bytes[k] == ')');
    return open > 0;
}

/* Is the character behind an event a comma? Marks count characters. */
static bool comma_follows(const builder *b, const yaml_event_t *event)
{
    size_t characters = 0, k = 0;
    for (; k < b->length; ++k) {
        bool begins = ((unsigned char)b->text[k] & 0xC0) != 0x80;
        if (begins && characters++ == event->end_mark.index) break;
    }
    return k < b->length && b->text[k] == ',';
}

static ac_status take_scalar(builder *b, const yaml_event_t *event)
{
    ac_place place = place_of(b, event->start_mark);
    const char *bytes = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(bytes, 0, length))
        return ac_fail_at(b->ctx, place, "a zero character (\\0) is not allowed in a text");
    for (size_t k = 0; k < length; ++k) { /* they would steer the terminal that shows the text */
        unsigned char c = (unsigned char)bytes[k];
        if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c == 0x7F)
            return ac_fail_at(b->ctx, place, "a control character (\\x%02X) is not allowed in a text", c);
    }
    bool quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (!quoted && length > 0 && bytes[0] == '=' && ends_inside(bytes, length) && comma_follows(b, event))
        return ac_fail_at(
            b->ctx, place,
            "')' is missing at the end of the expression: inside { } and [ ] a comma ends a value; put "
            "an expression with commas into quotes");
    char *text = ac_arena_text(b->arena, bytes, length);
    if (!text) return AC_NO_MEMORY;
    if (awaits_key(b)) {
        if (length == 0) return ac_fail_at(b->ctx, place, "a key is empty");
        b->key[b->depth - 1] = text;
        b->key_place[b->depth - 1] = place;
        return AC_OK;
    }
    ac_value *value = ac_arena_take(b->arena, 1, sizeof *value);
    if (!value) return AC_NO_MEMORY;
    value->kind = AC_SCALAR;
    value->quoted = quoted;
    value->one_line = event->start_mark.line == event->end_mark.line;
    value->place = place;
    value->text = text;
    return attach(b, value);
}

static ac_status open_collection(builder *b, ac_value_kind kind, const yaml_event_t *event)
{
    ac_place place = place_of(b, event->start_mark);
    if (awaits_key(b)) return ac_fail_at(b->ctx, place, "a key must be a name, not a map or list");
    if (b->depth == AC_DOCUMENT_DEPTH)
        return ac_fail_at(b->ctx, place, "nested more than %d levels deep", AC_DOCUMENT_DEPTH);
    ac_value *value = ac_arena_take(b->arena, 1, sizeof *value);
    if (!value) return AC_NO_MEMORY;
    value->kind = kind;
    value->place = place;
    AC_TRY(attach(b, value));
    b->open[b->depth] = value;
    b->key[b->depth] = NULL;
    ++b->depth;
    return AC_OK;
}

static ac_status duplicate_key(builder *b, const ac_value *again, const ac_value *before)
{
    char shown[AC_SHOWN_SIZE];
    if (b->override)
        return ac_fail_at(b->ctx, again->key_place, "key '%s' is given twice", ac_show(shown, again->key));
    return ac_fail_at(b->ctx, again->key_place, "key '%s' is given twice; the first is in line %d",
                      ac_show(shown, again->key), before->key_place.line);
}

static const ac_value *child_number(const ac_value *map, int number)
{
    const ac_value *child = map->first;
    while (number-- > 0) child = child->next;
    return child;
}

static ac_status check_large_map(builder *b, const ac_value *map)
{
    ac_names keys;
    ac_names_begin(&keys, b->ctx);
    ac_status status = AC_OK;
    int number = 0;
    for (const ac_value *child = map->first; child && status == AC_OK; child = child->next, ++number) {
        bool fresh = true;
        status = ac_names_add(&keys, child->key, number, &fresh);
        if (status == AC_OK && !fresh)
            status = duplicate_key(b, child, child_number(map, ac_names_find(&keys, child->key)));
    }
    ac_names_end(&keys);
    return status;
}

static ac_status check_duplicates(builder *b, const ac_value *map)
{
    if (map->count > SMALL_MAP) return check_large_map(b, map);
    for (const ac_value *child = map->first; child; child = child->next)
        for (const ac_value *before = map->first; before != child; before = before->next)
            if (strcmp(before->key, child->key) == 0) return duplicate_key(b, child, before);
    return AC_OK;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* {length: 0,5}: the number ends at the comma, and its digits behind it are a key without a value. */
static ac_status check_commas(builder *b, const ac_value *map)
{
    for (const ac_value *child = map->first; child && child->next; child = child->next) {
        const ac_value *rest = child->next;
        bool bare = rest->kind == AC_SCALAR && !rest->quoted && rest->text[0] == '\0' &&
                    is_digit(rest->key[0]);
        if (!bare || child->kind != AC_SCALAR || child->quoted || child->text[0] == '\0') continue;
        if (!is_digit(child->text[strlen(child->text) - 1])) continue;
        return ac_fail_at(
            b->ctx, child->place,
            "'%.20s,%.20s': a comma ends a value inside { }; numbers have a decimal point: %.20s.%.20s",
            child->text, rest->key, child->text, rest->key);
    }
    return AC_OK;
}

static ac_status close_collection(builder *b)
{
    ac_value *value = b->open[--b->depth];
    if (value->kind != AC_MAP) return AC_OK;
    AC_TRY(check_commas(b, value));
    return check_duplicates(b, value);
}

static ac_status take_event(builder *b, const yaml_event_t *event)
{
    AC_TRY(refuse_extras(b, event));
    switch (event->type) {
    case YAML_SCALAR_EVENT: return take_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT: return open_collection(b, AC_LIST, event);
    case YAML_MAPPING_START_EVENT: return open_collection(b, AC_MAP, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return close_collection(b);
    case YAML_DOCUMENT_START_EVENT:
        if (b->root)
            return ac_fail_at(b->ctx, place_of(b, event->start_mark),
                              "a second document starts here; a problem file has one");
        return AC_OK;
    default: return AC_OK;
    }
}

static ac_status take_all_events(builder *b)
{
    bool finished = false;
    while (!finished) {
        yaml_event_t event;
        if (!yaml_parser_parse(&b->parser, &event)) return yaml_failure(b);
        ac_status status = take_event(b, &event);
        finished = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        AC_TRY(status);
    }
    return AC_OK;
}

static ac_status parse(ac_arena *arena, const char *source, bool override, const char *text, size_t length,
                       ac_value **root)
{
    builder b = {.arena = arena,
                 .ctx = arena->ctx,
                 .source = source,
                 .override = override,
                 .text = text,
                 .length = length};
    AC_TRY(check_bytes(b.ctx, (ac_place){source, override ? 0 : 1, 1}, text, length));
    if (!yaml_parser_initialize(&b.parser)) return ac_out_of_memory(b.ctx);
    yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, length);
    ac_status status = take_all_events(&b);
    yaml_parser_delete(&b.parser);
    AC_TRY(status);
    *root = b.root;
    return AC_OK;
}

ac_status ac_document_parse(ac_arena *arena, const char *name, const char *text, size_t length,
                            ac_value **root)
{
    *root = NULL;
    AC_TRY(parse(arena, name, false, text, length, root));
    if (!*root)
        return ac_fail_at(arena->ctx, (ac_place){name, 1, 1},
                          "the file is empty; a problem file is expected");
    return AC_OK;
}

/* ---- overrides ---- */

typedef struct override {
    ac_arena *arena;
    ac_place place; /* "--set path=value" */
    char *path;     /* its own copy, cut at the dots while we walk */
    ac_value *value;
} override;

static ac_status override_failed(const override *o, const char *word, const char *reason)
{
    char shown[AC_SHOWN_SIZE];
    return ac_fail_at(o->arena->ctx, o->place, "'%s' %s", ac_show(shown, word), reason);
}

/* The element of a list by its number, from 0, or by its name. */
static ac_value *list_element(const ac_value *list, const char *word)
{
    size_t digits = strspn(word, "0123456789");
    if (digits > 0 && word[digits] == '\0' && digits < 9) {
        int number = 0;
        for (size_t k = 0; k < digits; ++k) number = 10 * number + (word[k] - '0');
        ac_value *element = list->first;
        while (element && number-- > 0) element = element->next;
        return element;
    }
    for (ac_value *element = list->first; element; element = element->next) {
        const ac_value *name = element->kind == AC_MAP ? ac_value_find(element, "name") : NULL;
        if (name && name->kind == AC_SCALAR && strcmp(name->text, word) == 0) return element;
    }
    return NULL;
}

/* The key of a map that the word may be a slip of, NULL: none. */
static const ac_value *nearest_key(const ac_value *map, const char *word)
{
    const ac_value *nearest = NULL;
    int best = ac_edit_limit(word) + 1;
    for (const ac_value *child = map->first; child; child = child->next) {
        int distance = ac_edit_distance(child->key, word, best);
        if (distance >= best) continue;
        best = distance;
        nearest = child;
    }
    return nearest;
}

static ac_status missing_element(const override *o, const ac_value *parent, const char *word)
{
    char shown[AC_SHOWN_SIZE], near[AC_SHOWN_SIZE];
    if (parent->kind == AC_LIST)
        return override_failed(o, word, "is not in the list; elements are numbered from 0 or have names");
    const ac_value *nearest = nearest_key(parent, word);
    if (!nearest) return override_failed(o, word, "is not in the file");
    return ac_fail_at(o->arena->ctx, o->place, "'%s' is not in the file; did you mean '%s'?",
                      ac_show(shown, word), ac_show(near, nearest->key));
}

/* The new value takes the old one's place in the tree. */
static void replace(ac_value *old, const ac_value *value)
{
    ac_value kept = *old;
    *old = *value;
    old->next = kept.next;
    old->key = kept.key;
    old->key_place = kept.key_place;
}

static void append(ac_value *map, ac_value *value, const char *key, ac_place place)
{
    value->key = key;
    value->key_place = place;
    ac_value_append(map, value);
}

void ac_value_append(ac_value *parent, ac_value *child)
{
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    ++parent->count;
}

void ac_value_take_out(ac_value *parent, const ac_value *child)
{
    ac_value *before = NULL;
    for (ac_value *c = parent->first; c && c != child; c = c->next) before = c;
    if (before)
        before->next = child->next;
    else
        parent->first = child->next;
    if (parent->last == child) parent->last = before;
    --parent->count;
}

/* "null" or "~", as YAML writes what is nothing. */
static bool removes(const override *o)
{
    const ac_value *v = o->value;
    return v->kind == AC_SCALAR && !v->quoted && (strcmp(v->text, "null") == 0 || strcmp(v->text, "~") == 0);
}

/* Sections whose keys are names: one that is not there is a slip, not a new body. */
static bool holds_names(const ac_value *root, const ac_value *map)
{
    static const char *const sections[] = {"bodies", "planar_bodies", "points", "beams"};
    for (size_t k = 0; k < sizeof sections / sizeof *sections; ++k)
        if (map == ac_value_find(root, sections[k]) && map->place.line > 0) return true;
    return false;
}

/* A new map under this key, for the rest of a path that is not in the file. */
static ac_status new_map(const override *o, ac_value *parent, const char *word, ac_value **map)
{
    *map = ac_arena_take(o->arena, 1, sizeof **map);
    if (!*map) return AC_NO_MEMORY;
    (*map)->kind = AC_MAP;
    (*map)->place = o->place;
    append(parent, *map, word, o->place);
    return AC_OK;
}

static ac_status apply(override *o, ac_value *root)
{
    ac_value *at = root, *parent = NULL;
    const ac_value *parameters = root->kind == AC_MAP ? ac_value_find(root, "parameters") : NULL;
    for (char *word = o->path; word;) {
        char *dot = strchr(word, '.');
        if (dot) *dot = '\0';
        if (*word == '\0') return override_failed(o, word, "is no name; the form is --set section.key=value");
        if (at->kind == AC_SCALAR)
            return override_failed(o, word, "cannot be found: what stands before it is a single value");
        ac_value *child = at->kind == AC_MAP ? ac_value_find(at, word) : list_element(at, word);
        /* a new parameter has no effect, its name is a slip; other keys are checked when they are read */
        bool fixed = at == parameters || (at == root && strcmp(word, "parameters") == 0) ||
                     at->kind == AC_LIST || (at != root && root->kind == AC_MAP && holds_names(root, at));
        bool slip = !child && (fixed || removes(o) || (dot && nearest_key(at, word)));
        if (slip) return missing_element(o, at, word);
        if (!child && !dot) {
            append(at, o->value, word, o->place);
            return AC_OK;
        }
        if (!child) AC_TRY(new_map(o, at, word, &child));
        parent = at;
        at = child;
        word = dot ? dot + 1 : NULL;
    }
    if (removes(o) && parent) {
        ac_value_take_out(parent, at);
        return AC_OK;
    }
    replace(at, o->value);
    return AC_OK;
}

ac_status ac_document_set(ac_arena *arena, ac_value *root, const char *setting)
{
    static const char prefix[] = "--set ";
    size_t length = strlen(setting);
    char *source = ac_arena_take(arena, length + sizeof prefix, 1);
    if (!source) return AC_NO_MEMORY;
    memcpy(source, prefix, sizeof prefix - 1);
    memcpy(source + sizeof prefix - 1, setting, length + 1);

    override o = {.arena = arena, .place = {source, 0, 0}};
    const char *equals = strchr(setting, '=');
    if (!equals || equals == setting)
        return ac_fail_at(arena->ctx, o.place, "the form is --set section.key=value");
    AC_TRY(parse(arena, source, true, equals + 1, strlen(equals + 1), &o.value));
    if (!o.value)
        return ac_fail_at(arena->ctx, o.place, "the value is missing; the form is --set section.key=value");
    o.path = ac_arena_text(arena, setting, (size_t)(equals - setting));
    if (!o.path) return AC_NO_MEMORY;
    return apply(&o, root);
}

/* ---- copies ---- */

typedef struct copying {
    ac_arena *arena;
    const char *source,
        *copy; /* the name of the file that was copied last: almost all places have the same */
} copying;

static ac_status copy_text(copying *c, const char **text)
{
    if (!*text) return AC_OK;
    *text = ac_arena_text(c->arena, *text, strlen(*text));
    return *text ? AC_OK : AC_NO_MEMORY;
}

static ac_status copy_place(copying *c, ac_place *place)
{
    if (!place->source) return AC_OK;
    if (place->source != c->source) {
        c->source = c->copy = place->source;
        AC_TRY(copy_text(c, &c->copy));
    }
    place->source = c->copy;
    return AC_OK;
}

static ac_status copy_value(copying *c, const ac_value *from, ac_value **to)
{
    ac_value *value = ac_arena_take(c->arena, 1, sizeof *value);
    if (!value) return AC_NO_MEMORY;
    *value = *from;
    value->first = value->last = value->next = NULL;
    AC_TRY(copy_text(c, &value->text));
    AC_TRY(copy_text(c, &value->key));
    AC_TRY(copy_place(c, &value->place));
    AC_TRY(copy_place(c, &value->key_place));
    for (const ac_value *child = from->first; child; child = child->next) {
        ac_value *copy;
        AC_TRY(copy_value(c, child, &copy));
        if (value->last)
            value->last->next = copy;
        else
            value->first = copy;
        value->last = copy;
    }
    *to = value;
    return AC_OK;
}

ac_status ac_document_copy(ac_arena *arena, const ac_value *from, ac_value **root)
{
    copying c = {.arena = arena};
    return copy_value(&c, from, root);
}
