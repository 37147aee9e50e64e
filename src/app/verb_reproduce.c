/* actio reproduce: published experiments run again, reported value beside obtained value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"

enum { PATH_SIZE = 4096, CELL_SIZE = 40 };

static const app_option options[] = {
    {"all", 'a', NULL, "all experiments"},
    {"json", 0, NULL, "prints one JSON object"},
    {"verbose", 'v', NULL, "prints every check, not only the failed ones and the count"},
    {0},
};

typedef struct session {
    ac_context *ctx;
    const app_arguments *arguments;
    char folder[PATH_SIZE];
    ac_json *json; /* NULL: tables */
    app_progress progress;
    int found, failed_checks, checks;
    int exit_status;
    char message[PATH_SIZE]; /* of bad input, "" for none */
} session;

static void full_path(const session *s, const char *path, char *full, size_t size)
{
    snprintf(full, size, "%s/%s", s->folder, path);
}

/* ---- JSON ---- */

static void put_judgement(ac_json *json, const ac_check *check)
{
    switch (check->kind) {
    case AC_CHECK_VALUE: ac_json_number(json, "tolerance", check->tolerance); break;
    case AC_CHECK_AT_LEAST: ac_json_number(json, "tolerance", check->low); break;
    case AC_CHECK_REPORT: ac_json_null(json, "tolerance"); break;
    default: ac_json_number(json, "tolerance", check->high); break;
    }
    ac_json_bool(json, "pass", check->pass);
    ac_json_text(json, "kind", ac_check_kind_name(check->kind));
    if (check->relative) ac_json_bool(json, "relative", true);
    if (check->kind == AC_CHECK_BETWEEN) {
        ac_json_open_array(json, "between");
        ac_json_number(json, NULL, check->low);
        ac_json_number(json, NULL, check->high);
        ac_json_close_array(json);
    }
    if (*check->not_reproduced) ac_json_text(json, "not_reproduced", check->not_reproduced);
    if (check->fitted) ac_json_bool(json, "fitted", true);
    if (*check->message) ac_json_text(json, "message", check->message);
}

static void put_experiment(ac_json *json, const ac_experiment *experiment)
{
    ac_json_open_object(json, NULL);
    ac_json_text(json, "id", ac_experiment_id(experiment));
    ac_json_text(json, "title", ac_experiment_title(experiment));
    ac_json_text(json, "source", ac_experiment_source(experiment));
    ac_json_text(json, "verified_by", ac_experiment_verified_by(experiment));
    ac_json_open_array(json, "checks");
    for (int i = 0; i < ac_experiment_check_count(experiment); ++i) {
        const ac_check *check = ac_experiment_check(experiment, i);
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", check->name);
        ac_json_number(json, "reported", check->reported);
        ac_json_number(json, "verified", check->verified);
        ac_json_number(json, "obtained", check->obtained);
        put_judgement(json, check);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
    ac_json_close_object(json);
}

/* ---- tables ---- */

static const char *cell(char *text, double value)
{
    if (isnan(value)) return "-";
    snprintf(text, CELL_SIZE, "%.12g", value);
    return text;
}

static void print_rule(const ac_check *check)
{
    switch (check->kind) {
    case AC_CHECK_VALUE: printf("within %.2g%s", check->tolerance, check->relative ? " relative" : ""); break;
    case AC_CHECK_AT_MOST: printf("at most %.4g", check->high); break;
    case AC_CHECK_AT_LEAST: printf("at least %.4g", check->low); break;
    case AC_CHECK_BETWEEN: printf("%.4g to %.4g", check->low, check->high); break;
    default: printf("for information"); break;
    }
}

static void print_check(const ac_check *check, int widest)
{
    char reported[CELL_SIZE], verified[CELL_SIZE], obtained[CELL_SIZE];
    printf("  %s  %-*s %19s %19s %19s  ", check->pass ? "ok  " : "FAIL", widest, check->name,
           cell(reported, check->reported), cell(verified, check->verified), cell(obtained, check->obtained));
    print_rule(check);
    printf("%s\n", check->fitted ? ", fitted" : "");
    if (*check->not_reproduced)
        printf("        %s not reproduced%s: %s\n",
               isnan(check->reported) ? "printed statement" : "printed number",
               isnan(check->verified) ? "" : ", verified number reproduced", check->not_reproduced);
    if (*check->message) printf("        %s\n", check->message);
}

static void print_experiment(const session *s, const ac_experiment *experiment)
{
    int widest = 5, failed = 0, count = ac_experiment_check_count(experiment);
    for (int i = 0; i < count; ++i) {
        const ac_check *check = ac_experiment_check(experiment, i);
        int length = (int)strlen(check->name);
        if (length > widest) widest = length;
        failed += !check->pass;
    }
    bool all = app_given(s->arguments, "verbose") || !app_given(s->arguments, "all");
    printf("%s: %s\n", ac_experiment_id(experiment), ac_experiment_title(experiment));
    if (all && *ac_experiment_source(experiment)) printf("  %s\n", ac_experiment_source(experiment));
    if (all && *ac_experiment_verified_by(experiment))
        printf("  verified by: %s\n", ac_experiment_verified_by(experiment));
    if (all || failed)
        printf("        %-*s %19s %19s %19s  %s\n", widest, "check", "reported", "verified", "obtained",
               "judged");
    for (int i = 0; i < count; ++i) {
        const ac_check *check = ac_experiment_check(experiment, i);
        if (all || !check->pass) print_check(check, widest);
    }
    printf("  %d of %d checks passed\n", count - failed, count);
}

/* ---- running ---- */

static void count_checks(session *s, const ac_experiment *experiment)
{
    for (int i = 0; i < ac_experiment_check_count(experiment); ++i) {
        ++s->checks;
        s->failed_checks += !ac_experiment_check(experiment, i)->pass;
    }
}

/* Runs one experiment; returns nonzero when the session cannot go on. */
static int reproduce_file(session *s, const char *path)
{
    char full[2 * PATH_SIZE];
    ac_experiment *experiment = NULL;
    full_path(s, path, full, sizeof full);
    ++s->found;
    ac_status status = ac_experiment_read(s->ctx, full, &experiment);
    if (status == AC_OK) {
        app_progress_begin(&s->progress, "");
        status = ac_experiment_run(experiment, app_progress_report, &s->progress);
        app_progress_end(&s->progress);
    }
    if (status == AC_OK) {
        count_checks(s, experiment);
        if (s->json)
            put_experiment(s->json, experiment);
        else
            print_experiment(s, experiment);
    } else {
        app_complain("%s", ac_context_message(s->ctx));
        s->exit_status = status == AC_BAD_INPUT || status == AC_IO_FAILED ? EXIT_BAD_INPUT : EXIT_NOT_SOLVED;
    }
    ac_experiment_free(experiment);
    return status != AC_OK;
}

static int visit_experiment(void *user, const char *path)
{
    return reproduce_file(user, path);
}

static int list_experiment(void *user, const char *path)
{
    session *s = user;
    char full[2 * PATH_SIZE];
    ac_experiment *experiment = NULL;
    full_path(s, path, full, sizeof full);
    ++s->found;
    if (ac_experiment_read(s->ctx, full, &experiment) != AC_OK) {
        app_complain("%s", ac_context_message(s->ctx));
        s->exit_status = EXIT_BAD_INPUT;
        return 0;
    }
    if (s->json) {
        ac_json_open_object(s->json, NULL);
        ac_json_text(s->json, "id", ac_experiment_id(experiment));
        ac_json_text(s->json, "title", ac_experiment_title(experiment));
        ac_json_close_object(s->json);
    } else {
        printf("  %-28s %s\n", ac_experiment_id(experiment), ac_experiment_title(experiment));
    }
    ac_experiment_free(experiment);
    return 0;
}

static bool is_known(const session *s, const char *id)
{
    char full[2 * PATH_SIZE];
    snprintf(full, sizeof full, "%s/%s.yaml", s->folder, id);
    FILE *file = strchr(id, '/') ? NULL : fopen(full, "r");
    if (file) fclose(file);
    return file != NULL;
}

/* Complains; the object of --json says it, too. */
static void refuse(session *s, const char *format, const char *what)
{
    snprintf(s->message, sizeof s->message, format, what);
    app_complain("%s", s->message);
    s->exit_status = EXIT_BAD_INPUT;
}

static void reproduce_named(session *s)
{
    for (int i = 0; i < s->arguments->word_count; ++i) {
        if (is_known(s, s->arguments->words[i])) continue;
        refuse(s, "there is no experiment \"%s\"; 'actio reproduce' lists them", s->arguments->words[i]);
        return;
    }
    for (int i = 0; i < s->arguments->word_count; ++i) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s.yaml", s->arguments->words[i]);
        if (reproduce_file(s, path)) return;
    }
}

static void work(session *s)
{
    if (app_given(s->arguments, "all"))
        app_walk(s->folder, ".yaml", visit_experiment, s);
    else if (s->arguments->word_count > 0)
        reproduce_named(s);
    else
        app_walk(s->folder, ".yaml", list_experiment, s);
    if (s->found == 0 && s->exit_status == EXIT_SOLVED) {
        refuse(s, "there are no experiments in %.2000s; ACTIO_DATA may name another folder", s->folder);
    }
}

static void finish(session *s)
{
    if (s->json) {
        ac_json_close_array(s->json);
        if (*s->message) {
            ac_json_text(s->json, "status", "bad_input");
            ac_json_text(s->json, "message", s->message);
        }
        ac_json_close_object(s->json);
        if (!app_print_json(s->json)) s->exit_status = EXIT_NOT_SOLVED;
        ac_json_free(s->json);
    } else if (s->checks > 0 && s->failed_checks == 0) {
        printf("all %d checks passed\n", s->checks);
    } else if (s->checks > 0) {
        printf("%d of %d checks FAILED\n", s->failed_checks, s->checks);
    }
    if (s->exit_status == EXIT_SOLVED && s->failed_checks > 0) s->exit_status = EXIT_NOT_SOLVED;
}

static int reproduce(ac_context *ctx, const app_arguments *arguments)
{
    session s = {.ctx = ctx, .arguments = arguments};
    if (!app_data_path(s.folder, sizeof s.folder, "examples/reproduce")) {
        app_complain("the path of the examples is too long");
        return EXIT_BAD_INPUT;
    }
    if (app_given(arguments, "json")) {
        if (ac_json_new(ctx, &s.json) != AC_OK) return EXIT_NOT_SOLVED;
        ac_json_open_object(s.json, NULL);
        ac_json_open_array(s.json, "experiments");
    }
    work(&s);
    finish(&s);
    return s.exit_status;
}

const app_verb app_verb_reproduce = {
    .name = "reproduce",
    .words = "[ID]...",
    .min_words = 0,
    .max_words = -1,
    .summary = "runs published experiments again; without ID lists them",
    .details = "Prints the reported value, the value verified independently, and the value obtained, for "
               "every check.\n"
               "Exit status 1 when a check fails.",
    .options = options,
    .run = reproduce,
};
