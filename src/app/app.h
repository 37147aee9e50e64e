/* The command: what its verbs share. A verb is one file with one table entry (main.c lists them). */
#ifndef ACTIO_APP_APP_H
#define ACTIO_APP_APP_H

#include <stdbool.h>
#include <stddef.h>

#include "actio/actio.h"

enum { EXIT_SOLVED = 0, EXIT_NOT_SOLVED = 1, EXIT_BAD_INPUT = 2 };

/* An option of a verb. The list of a verb ends with an entry without a name. */
typedef struct app_option {
    const char *name;  /* "output" for --output */
    char letter;       /* 'o' for -o, 0 for none */
    const char *value; /* what its value is called, NULL for a switch */
    const char *help;
} app_option;

/* An option as it was given, with its value (NULL for a switch). */
typedef struct app_given_option {
    const app_option *option;
    const char *value;
} app_given_option;

/* What was given on the command line. */
typedef struct app_arguments {
    const char **words; /* what is not an option */
    int word_count;
    app_given_option *given; /* the options in their order */
    int given_count;
    bool json; /* --json is there: what is printed is one JSON object, refusals too */
} app_arguments;

typedef struct app_verb {
    const char *name;
    const char *words;        /* "FILE", for the usage line */
    int min_words, max_words; /* max_words -1: any number */
    const char *summary;      /* one line */
    const char *details;      /* paragraphs for `actio help VERB` */
    const app_option *options;
    int (*run)(ac_context *ctx, const app_arguments *arguments);
} app_verb;

/* One entry per verb; a new verb is one file and one line in main.c. */
extern const app_verb app_verb_run, app_verb_check, app_verb_info, app_verb_export, app_verb_examples,
    app_verb_reproduce, app_verb_report, app_verb_plot, app_verb_compare, app_verb_merge, app_verb_live,
    app_verb_gradient;

/* arguments.c */
bool app_asks_for_json(int argc, char **argv);
bool app_parse(const app_verb *verb, int argc, char **argv, app_arguments *arguments);
void app_arguments_free(app_arguments *arguments);
bool app_given(const app_arguments *arguments, const char *name);
/* The value of the last option of that name, NULL when it was not given. */
const char *app_value(const app_arguments *arguments, const char *name);

/* output.c */
/* Prints "actio: " and the message on standard error. */
void app_complain(const char *format, ...) AC_PRINTF(1, 2);
/* Prints a text that others wrote, with ? for control characters. */
void app_print_text(const char *text);
/* Complains; with --json prints {"status": "bad_input", "message": ...}, too. Returns the exit status. */
int app_refuse(const app_arguments *arguments, const char *format, ...) AC_PRINTF(2, 3);
/* Prints "WHAT in PATH"; with --json {"status": "done", "output": PATH}. */
int app_print_done(const app_arguments *arguments, const char *what, const char *path);
/* Prints the finished JSON with a line end; returns false when that failed. */
bool app_print_json(ac_json *json);
/* A number as people read it: whole numbers whole, very small and large ones with few digits. */
const char *app_number(char *text, size_t size, double value);
/* Prints a table of names, numbers and units, aligned; underscores become spaces. */
void app_print_numbers(int count,
                       const char *(*entry)(const void *list, int index, double *value, const char **unit),
                       const void *list);
/* A list `warnings` of what is doubtful about the start of a system; nothing where there is none. */
/* "assembly": what it changed of the given start. */
void app_put_assembly(ac_json *json, const ac_problem *problem);
/* The same, and the warnings, as lines of a table. */
void app_print_start(const ac_problem *problem);
/* An object that says why there is no result: the message of the context. The problem may be NULL. */
bool app_print_failure(ac_context *ctx, const ac_problem *problem);
void app_put_warnings(ac_json *json, const ac_system *system);
/* Exit status for a failure on input that the user named. */
int app_input_exit(ac_status status);

/* gradient.c: the gradient by parameters; returns the exit status. */
int app_gradient_by_parameters(ac_context *ctx, const app_arguments *arguments, const ac_problem *problem);

/* The table `adjoint` of a gradient that was asked to keep it. */
ac_status app_put_adjoint(ac_result_writer *writer, const ac_gradient *gradient);

/* problem.c */
/* Reads the problem in the first word with the overrides given by --set. */
ac_status app_read_problem(ac_context *ctx, const app_arguments *arguments, ac_problem **problem);

/* view.c: for the verbs that look at results. */
/* The name without the folders in front of it. */
const char *app_file_name(const char *path);
/* Reads --from, --to and --frames; complains and returns false when one is wrong. */
bool app_window(const app_arguments *arguments, ac_report_window *window);
/* An option that is a whole number from 1 on; `*value` stays when it was not given. */
bool app_count_option(const app_arguments *arguments, const char *name, long *value);
/* Where a file goes: the value of --output, else `input` with another ending. With "-" it is written to a
 * folder of its own first and then copied to standard output. */
enum { APP_PATH_SIZE = 4096 };
typedef struct app_output {
    char path[APP_PATH_SIZE];
    char folder[APP_PATH_SIZE]; /* "": it does not go to standard output */
} app_output;

/* Complains and returns false when the output is one of the files that are read: the first `count` words and
 * what --with names. */
bool app_spares_inputs(const app_arguments *arguments, const char *path, int count);
/* Does the path end so? The case of the letters does not matter. */
bool app_has_ending(const char *path, const char *ending);
/* Complains and returns false when --output is given and is no name for a page. */
bool app_page_name(const app_arguments *arguments, const char *verb);
bool app_output_begin(const app_arguments *arguments, const char *input, const char *ending,
                      app_output *output);
/* After `status` says how the writing went: copies and tidies up; returns the exit status. */
int app_output_end(ac_context *ctx, const app_arguments *arguments, app_output *output, ac_status status,
                   const char *what);
/* Is --output standard output? */
bool app_to_standard_output(const app_arguments *arguments);
/* Complains about a failure; returns the exit status. `opened`: the input could be opened. */
int app_view_failed(ac_context *ctx, const app_arguments *arguments, ac_status status, const char *input,
                    bool opened);

/* progress.c: a line on a terminal when work takes longer than a second, and ctrl-C. */
typedef struct app_progress {
    double start; /* s */
    bool shown;
    bool terminal;
    const char *what; /* in front of the line, may be "" */
} app_progress;

void app_progress_begin(app_progress *progress, const char *what);
int app_progress_report(void *progress, double done, const char *words); /* an ac_progress */
void app_progress_end(app_progress *progress);

/* data.c: the folder with the examples. */
/* Writes the path of `name` below the data folder; returns false when it is too long. */
bool app_data_path(char *path, size_t size, const char *name);

/* Calls visit(user, path) for every file below `folder` whose name ends with `ending`, in alphabetical order;
 * a nonzero return value stops. `path` is relative to `folder`. */
int app_walk(const char *folder, const char *ending, int (*visit)(void *user, const char *path), void *user);

#endif
