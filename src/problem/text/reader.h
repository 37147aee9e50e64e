/* The reader: what scalars of a problem file mean.
 *
 * It knows the named parameters and, inside a repeated entry, the index `i`; numbers, expressions, signals
 * and names with an index are read through it. Every failure carries the place of the value. */
#ifndef ACTIO_PROBLEM_TEXT_READER_H
#define ACTIO_PROBLEM_TEXT_READER_H

#include "actio/signal.h"
#include "base/number/graph.h"
#include "problem/text/document.h"
#include "problem/text/names.h"
#include "problem/text/units.h"

enum { AC_NAME_SIZE = 96, AC_REPEAT_MAX = 1000000 };

typedef struct ac_reader {
    ac_context *ctx;
    ac_arena arena;
    ac_names parameter_names;
    struct ac_named_number *parameters;
    int index; /* `i` of a repeated entry, 0 outside */
    int free_count;
    ac_graph *graph; /* how numbers follow from free parameters and t; NULL: none is free */
    ac_num time;
    struct ac_use *uses; /* values that depend on free parameters */
    struct ac_limit *limits;
} ac_reader;

/* Where a number was read that depends on a free parameter. */
typedef struct ac_use {
    const ac_value *value;
    int index;     /* of the copy */
    bool followed; /* somebody takes care of its derivatives */
    struct ac_use *next;
} ac_use;

/* What the reader asks of a number that depends on free parameters: an expression of them must be positive, or not
 * negative, at all values. */
typedef struct ac_limit {
    const ac_value *value; /* what the message is about */
    int index;             /* of the copy */
    int node;
    bool may_be_zero;
    const char *words; /* the whole message, if `whole`; else the key of the number */
    bool whole;
    struct ac_limit *next;
} ac_limit;

/* --- free parameters (reader_free.c) --- */

/* Makes a parameter free: from now on, values that depend on it are kept as uses. */
ac_status ac_reader_free_parameter(ac_reader *reader, const char *name, ac_place place);
/* Whether a number, an expression or any part of a list or map depends on a free parameter. */
bool ac_depends(ac_reader *reader, const ac_value *value);
/* A use; called by the readers. */
ac_status ac_note_use(ac_reader *reader, const ac_value *value);
/* The same for a name that stands for something that depends. */
ac_status ac_add_use(ac_reader *reader, const ac_value *value);
/* Takes care of a value in the present copy: its node in the graph of free parameters (and t), 0 when it depends on none. */
ac_status ac_follow(ac_reader *reader, const ac_value *value, int *node);
/* Takes care of all parts of a value that is only drawn. */
void ac_follow_drawing(ac_reader *reader, const ac_value *value);
/* Words that mean something else than a parameter of the same name. */
typedef struct ac_own_words {
    bool (*has)(const void *user, const char *word);
    const void *user;
} ac_own_words;

/* Does an expression depend on a free parameter, apart from words of its own? */
bool ac_text_depends(const ac_reader *reader, const char *text, const ac_own_words *own);
/* The parameters of the file that stand in an expression, each once, apart from words of its own; in the arena. */
ac_status ac_text_parameters(ac_reader *reader, const char *text, const ac_own_words *own,
                             const char ***names, int *count);
/* The node of a parameter, 0: it does not depend, or there is none of that name. */
ac_status ac_parameter_node(ac_reader *reader, const char *name, int *node);
/* Parameters whose values are set say so in messages. */
void ac_reader_set_wanted(ac_reader *reader, const char *name);
/* Keeps a limit of a number that was read; nothing happens when it does not depend. */
ac_status ac_note_limit(ac_reader *reader, const ac_value *value, const char *key, bool may_be_zero);
/* The same for larger - factor smaller; values that are NULL are the numbers. `words`: the message. */
ac_status ac_note_order(ac_reader *reader, const ac_value *larger, double large, const ac_value *smaller,
                        double small, double factor, bool may_be_zero, const char *words);
/* Fails at the first use that nobody takes care of. */
ac_status ac_check_followed(ac_reader *reader);
/* The value of a parameter by name; returns false when there is none. */
bool ac_parameter_number(const ac_reader *reader, const char *name, double *number);
/* Is a parameter of the file a number, or a formula without other parameters? */
bool ac_parameter_is_given(const ac_reader *reader, const ac_value *value);

void ac_reader_begin(ac_reader *reader, ac_context *ctx);
void ac_reader_end(ac_reader *reader);

/* Reads the map of parameters and computes all of them; they may depend on each other in any order. */
ac_status ac_reader_parameters(ac_reader *reader, const ac_value *map);

/* A number in SI units: plain, with a unit, or an expression. `what` names it in messages. */
ac_status ac_read_number(ac_reader *reader, const ac_value *value, const char *what, ac_dimension dimension,
                         double *number);
/* The numbers of a list, `least` to `most` of them. */
ac_status ac_read_numbers(ac_reader *reader, const ac_value *value, const char *what, ac_dimension dimension,
                          int least, int most, double *numbers, int *count);
/* A whole number between two limits. */
ac_status ac_read_integer(ac_reader *reader, const ac_value *value, const char *what, long least, long most,
                          long *number);
/* A number, an expression of t, a table {table: [[t, value], ...]}, or values that hold {steps: [[t, value], ...]}. */
ac_status ac_read_signal(ac_reader *reader, const ac_value *value, const char *what, ac_dimension dimension,
                         ac_signal **signal);

/* A reference such as "crank" or "link(i+1)" as the full name of one thing ("link(4)"). */
ac_status ac_read_reference(ac_reader *reader, const char *text, ac_place place, char name[AC_NAME_SIZE]);
/* Checks a new name: letters, digits, _ - and spaces inside. */
ac_status ac_check_name(ac_reader *reader, const char *name, ac_place place, const char *what);
/* The name of copy i of a repeated entry, "link(4)"; the name itself outside a repetition. In the arena. */
ac_status ac_copy_name(ac_reader *reader, const char *name, const char **copy);

#endif
