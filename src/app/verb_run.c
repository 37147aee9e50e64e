/* actio run: solves the problem in a file and keeps everything in a result file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/workers.h"

static const app_option options[] = {
    {"output", 'o', "OUT", "the result file (default: the name of FILE with .h5, in the current folder)"},
    {"set", 's', "KEY=VALUE", "replaces a value of the file, such as simulate.step=0.01; may be repeated"},
    {"no-output", 0, NULL, "solves without writing a result file"},
    {"jobs", 'j', "N", "certify, design: number of workers (default: all cores; 1 under mpirun)"},
    {"shard", 0, "K/N", "certify: only the K-th of N shards, see 'actio help merge'"},
    {"resume", 0, NULL, "goes on from the last checkpoint of a run that was killed or interrupted"},
    {"json", 0, NULL, "prints one JSON object instead of the table"},
    {"quiet", 'q', NULL, "prints nothing unless something is wrong"},
    {0},
};

/* The base name of `file` with its ending replaced by .h5; the caller frees it. */
char *app_default_output(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    size_t size = length + sizeof ".h5";
    char *output = malloc(size);
    if (output) snprintf(output, size, "%.*s.h5", (int)length, base);
    return output;
}

static void put_notes(ac_json *json, const ac_summary *summary)
{
    ac_json_open_array(json, "notes");
    for (int k = 0; k < summary->note_count; ++k) {
        ac_json_open_object(json, NULL);
        ac_json_text(json, "kind", ac_note_kind_name(summary->note[k].kind));
        ac_json_text(json, "text", summary->note[k].text);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

static bool print_json(ac_context *ctx, const ac_problem *problem, ac_status status, const char *output,
                       const char *message, const ac_summary *summary)
{
    ac_json *json = NULL;
    if (ac_json_new(ctx, &json) != AC_OK) return false;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", problem ? ac_problem_task(problem) : NULL);
    ac_json_text(json, "status", summary ? summary->status : "not_solved");
    ac_json_text(json, "output", output);
    ac_json_open_object(json, "results");
    for (int i = 0; summary && i < summary->count; ++i)
        ac_json_number(json, summary->entry[i].name, summary->entry[i].value);
    ac_json_close_object(json);
    if (problem) app_put_assembly(json, problem);
    if (problem) app_put_warnings(json, ac_problem_system(problem));
    if (summary) put_notes(json, summary);
    if (summary && summary->remark[0]) ac_json_text(json, "remark", summary->remark);
    if (status != AC_OK) ac_json_text(json, "message", message);
    ac_json_close_object(json);
    bool done = app_print_json(json);
    ac_json_free(json);
    return done;
}

static const char *summary_entry(const void *list, int index, double *value, const char **unit)
{
    const ac_summary_entry *entry = &((const ac_summary *)list)->entry[index];
    *value = entry->value;
    *unit = entry->unit;
    return entry->name;
}

/* The notes of a kind, unless the message says them anyway, or a remark says what was a warning. */
static void print_notes(const ac_summary *summary, ac_note_kind kind, const char *before, const char *message)
{
    for (int k = 0; k < summary->note_count; ++k) {
        const ac_note *note = &summary->note[k];
        if (note->kind != kind || strstr(message, note->text)) continue;
        if (kind == AC_NOTE_WARNING && strstr(summary->remark, note->text)) continue;
        printf("%s%s\n", before, note->text);
    }
}

static void print_table(const ac_problem *problem, const char *output, const ac_summary *summary,
                        const char *message)
{
    const char *title = ac_problem_title(problem);
    app_print_text(title);
    printf("%s", *title ? ": " : "");
    for (const char *c = summary->status; *c; ++c) putchar(*c == '_' ? ' ' : *c);
    putchar('\n');
    print_notes(summary, AC_NOTE_ASSEMBLY, "  ", message);
    print_notes(summary, AC_NOTE_CHOICE, "  ", message);
    print_notes(summary, AC_NOTE_WARNING, "warning: ", message);
    app_print_numbers(summary->count, summary_entry, summary);
    print_notes(summary, AC_NOTE_VERDICT, "", message);
    print_notes(summary, AC_NOTE_REMARK, "", message);
    if (output) printf("results in %s\n", output);
}

/* Whether the run came far enough to leave a result file. */
static bool left_results(ac_status status, const ac_summary *summary)
{
    if (status != AC_OK && summary->count == 0) return false; /* refused before it began */
    return status == AC_OK || status == AC_NOT_CONVERGED || status == AC_INTERRUPTED || status == AC_SINGULAR;
}

/* The first verdict says what does not hold. */
static void complain_verdict(const ac_summary *summary)
{
    for (int k = 0; k < summary->note_count; ++k) {
        if (summary->note[k].kind != AC_NOTE_VERDICT) continue;
        app_complain("%s", summary->note[k].text);
        return;
    }
}

int app_solve(ac_context *ctx, const app_arguments *arguments, const ac_problem *problem, const char *output,
              app_workers *workers)
{
    ac_summary *summary = calloc(1, sizeof *summary);
    if (!summary) {
        app_complain("out of memory");
        return EXIT_NOT_SOLVED;
    }
    app_progress progress;
    app_progress_begin(&progress, "");
    bool resume = app_given(arguments, "resume");
    ac_status status = (resume ? ac_run_resume : ac_run)(ctx, problem, output, app_progress_report, &progress,
                                                         summary);
    app_progress_end(&progress);
    const char *message = ac_context_message(ctx);
    const char *kept = summary->path[0] ? summary->path : NULL;
    bool json = app_given(arguments, "json") && !workers->silent, printed = true;
    if (!json && !workers->silent && !app_given(arguments, "quiet") && left_results(status, summary))
        print_table(problem, kept, summary, status == AC_OK ? "" : message);
    if (status != AC_OK) {
        fflush(stdout);
        app_complain("not solved: %s", message);
        if (kept) app_complain("what was reached is in %s", kept);
    } else if (summary->denied && !workers->silent) {
        fflush(stdout);
        complain_verdict(summary);
    }
    if (json) printed = print_json(ctx, problem, status, kept, message, summary);
    workers->complete = status == AC_OK && printed;
    bool shown = workers->complete && !summary->denied;
    free(summary);
    if (status == AC_BAD_INPUT) return EXIT_BAD_INPUT;
    return shown ? EXIT_SOLVED : EXIT_NOT_SOLVED;
}

static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Where the result goes: NULL for nowhere. `*owned` must be freed. */
static bool choose_output(const app_arguments *arguments, const char **output, char **owned)
{
    const char *file = arguments->words[0];
    *output = app_value(arguments, "output");
    *owned = NULL;
    if (app_given(arguments, "no-output"))
        *output = NULL;
    else if (!*output)
        *output = *owned = app_default_output(file);
    if (!*output && !app_given(arguments, "no-output")) {
        app_refuse(arguments, "out of memory");
        return false;
    }
    if (app_to_standard_output(arguments)) {
        app_refuse(arguments,
                   "run: a result file cannot go to standard output; name it with -o, or use --no-output");
        return false;
    }
    if (!*output || !same_file(*output, file)) return true;
    app_refuse(arguments, "%s is the problem file; the result needs another name (-o OUT)", *output);
    return false;
}

static int run(ac_context *ctx, const app_arguments *arguments)
{
    const char *output;
    char *owned;
    ac_problem *problem = NULL;
    int exit_status = EXIT_BAD_INPUT;
    bool chosen = choose_output(arguments, &output, &owned);
    ac_status status = chosen ? app_read_problem(ctx, arguments, &problem) : AC_OK;
    if (chosen && status == AC_OK) {
        app_workers workers;
        if (app_workers_begin(arguments, problem, &output, &workers)) {
            exit_status = app_solve(ctx, arguments, problem, output, &workers);
            app_workers_end(&workers);
        }
    } else if (chosen) {
        const char *message = ac_context_message(ctx);
        fprintf(stderr, "%s\n", *message ? message : ac_status_text(status));
        if (app_given(arguments, "json")) print_json(ctx, NULL, status, NULL, message, NULL);
        exit_status = app_input_exit(status);
    }
    free(owned);
    ac_problem_free(problem);
    return exit_status;
}

const app_verb app_verb_run = {
    .name = "run",
    .words = "FILE",
    .min_words = 1,
    .max_words = 1,
    .summary = "solves the problem in FILE",
    .details =
        "The result file holds everything: all recorded steps, the numbers of the table, the problem file.\n"
        "It is written beside its name and renamed when it is complete. A run that fails or is stopped with\n"
        "ctrl-C keeps what was reached and ends with exit status 1; a result that is solved is not replaced "
        "by\n"
        "one that is not. A run that was stopped or killed leaves OUT.checkpoint and OUT.rows beside the "
        "result,\n"
        "and the same command with --resume goes on from there.\n\n"
        "Exit status: 0 solved or certified, 1 not solved or not certified, 2 bad input.\n\n"
        "A certification that is stopped or killed goes on where it was, from OUT.journal, when it is called "
        "again;\n"
        "'mpirun -n N actio run FILE' divides it between N processes.",
    .options = options,
    .run = run,
};
