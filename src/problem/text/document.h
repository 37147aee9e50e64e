/* A problem file as a tree of values that know where they stand.
 *
 * YAML (and JSON, its subset) gives maps, lists and scalars; what a scalar means is decided by the schema,
 * not here. Anchors, aliases and tags are refused; depth, size and number of values are limited. */
#ifndef ACTIO_PROBLEM_TEXT_DOCUMENT_H
#define ACTIO_PROBLEM_TEXT_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/text/arena.h"

enum { AC_DOCUMENT_DEPTH = 64, AC_DOCUMENT_VALUES = 10000000, AC_DOCUMENT_BYTES = 64 << 20 };

typedef enum ac_value_kind { AC_SCALAR, AC_LIST, AC_MAP } ac_value_kind;

/* Where something stands: in the file, or in an override. */
typedef struct ac_place {
    const char *source; /* the file's name, or the text of the override */
    int line, column;   /* from 1; line 0 in an override */
} ac_place;

typedef struct ac_value ac_value;
struct ac_value {
    ac_value_kind kind;
    bool quoted;   /* scalar in quotes */
    bool one_line; /* scalar whose text stands in the file as it is, from `place` on */
    ac_place place;
    const char *text; /* scalar */
    const char *key;  /* in a map */
    ac_place key_place;
    int count; /* of the children */
    ac_value *first, *last;
    ac_value *next; /* the next child of the same parent */
};

/* Parses `length` bytes (terminated by a zero byte that is not counted). Values live in the arena. */
ac_status ac_document_parse(ac_arena *arena, const char *name, const char *text, size_t length,
                            ac_value **root);

/* Reads a file whole; `*text` belongs to the arena and is terminated. */
ac_status ac_document_load(ac_arena *arena, const char *path, char **text, size_t *length);

/* Applies an override such as "simulate.step=1 ms" to the tree. */
ac_status ac_document_set(ac_arena *arena, ac_value *root, const char *setting);

/* A copy of a tree with its texts, in another arena. */
ac_status ac_document_copy(ac_arena *arena, const ac_value *from, ac_value **root);

/* The value under a key of a map, NULL when there is none. */
ac_value *ac_value_find(const ac_value *map, const char *key);
/* Puts a child at the end of its map or list; takes one out of it. */
void ac_value_append(ac_value *parent, ac_value *child);
void ac_value_take_out(ac_value *parent, const ac_value *child);

/* Fails with "file:line:column: ..." at a place. */
ac_status ac_fail_at(ac_context *ctx, ac_place place, const char *format, ...) AC_PRINTF(3, 4);

#endif
