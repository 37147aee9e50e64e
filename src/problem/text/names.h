/* Names: a hash table from name to number, and the nearest name to a misspelt one. */
#ifndef ACTIO_PROBLEM_TEXT_NAMES_H
#define ACTIO_PROBLEM_TEXT_NAMES_H

#include <stdbool.h>

#include "actio/context.h"

typedef struct ac_names {
    ac_context *ctx;
    struct ac_name_slot *slots;
    int capacity, count;
} ac_names;

void ac_names_begin(ac_names *names, ac_context *ctx);
void ac_names_end(ac_names *names);

/* Adds a name (not copied) with a number of 0 or more; `*fresh` is false when it was there before. */
ac_status ac_names_add(ac_names *names, const char *name, int number, bool *fresh);
/* The number of a name, -1 when there is none. */
int ac_names_find(const ac_names *names, const char *name);
/* The name that looks most like `wanted`, NULL when none is near. */
const char *ac_names_nearest(const ac_names *names, const char *wanted);

/* Single changes (insert, delete, replace, swap of neighbours) from one word to another; at most `limit`. */
int ac_edit_distance(const char *a, const char *b, int limit);
/* The largest distance at which a word of this length still looks like a misspelling. */
int ac_edit_limit(const char *word);

enum { AC_SHOWN_SIZE = 64 };

/* A printable, shortened copy of foreign text for a message; returns `shown` (AC_SHOWN_SIZE bytes). */
const char *ac_show(char *shown, const char *text);

#endif
