/* Experiment files: from the YAML tree to runs, measures and checks; every mistake is reported with its place. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "experiment/parts.h"

static const char *const take_words[] = {"max",
                                         "min",
                                         "mean",
                                         "first",
                                         "last",
                                         "range",
                                         "maxabs",
                                         "at",
                                         "slope",
                                         "max_difference",
                                         "failed",
                                         "mirror_sum",
                                         "mirror_difference",
                                         "time_of_max",
                                         "time_of_min",
                                         "mesh_difference",
                                         NULL};

/* ---- pieces ---- */

/* Every key of a map must be in the list, which ends with NULL; `what` names the map in messages. */
static ac_status check_keys(ac_context *ctx, const ac_value *map, const char *what, const char *const *keys)
{
    if (map->kind != AC_MAP) return ac_fail_at(ctx, map->place, "%s must be a map of keys and values", what);
    for (const ac_value *entry = map->first; entry; entry = entry->next) {
        const char *nearest = NULL;
        int best = ac_edit_limit(entry->key) + 1;
        bool known = false;
        for (int i = 0; keys[i] && !known; ++i) {
            int distance = ac_edit_distance(entry->key, keys[i], best);
            known = distance == 0;
            if (distance >= best) continue;
            best = distance;
            nearest = keys[i];
        }
        char shown[AC_SHOWN_SIZE];
        if (known) continue;
        if (nearest)
            return ac_fail_at(ctx, entry->key_place, "%s has no key \"%s\"; did you mean \"%s\"?", what,
                              ac_show(shown, entry->key), nearest);
        return ac_fail_at(ctx, entry->key_place, "%s has no key \"%s\"", what, ac_show(shown, entry->key));
    }
    return AC_OK;
}

static ac_status read_text(ac_context *ctx, const ac_value *map, const char *key, bool required,
                           const char **text)
{
    const ac_value *value = ac_value_find(map, key);
    *text = required ? "" : NULL;
    if (!value && !required) return AC_OK;
    if (!value) return ac_fail_at(ctx, map->place, "the key \"%s\" is missing", key);
    if (value->kind != AC_SCALAR) return ac_fail_at(ctx, value->place, "%s must be a text", key);
    *text = value->text;
    return AC_OK;
}

static bool is_null(const ac_value *value)
{
    return value->kind == AC_SCALAR && !value->quoted &&
           (!*value->text || strcmp(value->text, "null") == 0 || strcmp(value->text, "~") == 0);
}

/* A number, or `absent` when the key is not there or null. */
static ac_status read_number(ac_experiment *e, const ac_value *map, const char *key, double absent,
                             double *number)
{
    const ac_value *value = ac_value_find(map, key);
    *number = absent;
    if (!value || is_null(value)) return AC_OK;
    return ac_read_number(&e->reader, value, key, AC_DIM_ANY, number);
}

static ac_status read_bool(ac_context *ctx, const ac_value *map, const char *key, bool *flag)
{
    const ac_value *value = ac_value_find(map, key);
    *flag = false;
    if (!value) return AC_OK;
    bool yes = value->kind == AC_SCALAR && strcmp(value->text, "true") == 0;
    bool no = value->kind == AC_SCALAR && strcmp(value->text, "false") == 0;
    if (!yes && !no) return ac_fail_at(ctx, value->place, "%s must be true or false", key);
    *flag = yes;
    return AC_OK;
}

/* Compiles an expression with or without '=' in front. */
static ac_status read_expression(ac_context *ctx, const ac_value *value, const char *const *variables,
                                 int count, ac_expression **expression)
{
    if (value->kind != AC_SCALAR)
        return ac_fail_at(ctx, value->place, "this must be an expression such as =a/b");
    const char *text = value->text + (value->text[0] == '=');
    ac_status status = ac_expression_parse(ctx, text, variables, count, NULL, NULL, NULL, expression);
    if (status != AC_BAD_INPUT) return status;
    char reason[256];
    snprintf(reason, sizeof reason, "%s", ac_context_message(ctx));
    return ac_fail_at(ctx, value->place, "%s", reason);
}

/* ---- runs ---- */

static int find_trial(const ac_experiment *e, const char *name)
{
    for (int i = 0; i < e->trial_count; ++i) {
        if (strcmp(e->trials[i].name, name) == 0) return i;
    }
    return -1;
}

static ac_status read_run_name(ac_experiment *e, const ac_value *map, const char *key, int absent, int *run)
{
    const ac_value *value = ac_value_find(map, key);
    *run = absent;
    if (!value) return AC_OK;
    if (value->kind != AC_SCALAR)
        return ac_fail_at(e->ctx, value->place, "%s must be the name of a run", key);
    char shown[AC_SHOWN_SIZE];
    *run = find_trial(e, value->text);
    return *run >= 0
               ? AC_OK
               : ac_fail_at(e->ctx, value->place, "there is no run \"%s\"", ac_show(shown, value->text));
}

static ac_status join(ac_experiment *e, const char *a, const char *between, const char *b,
                      const char **joined)
{
    size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char *text = ac_arena_take(&e->reader.arena, size, 1);
    if (!text) return AC_NO_MEMORY;
    snprintf(text, size, "%s%s%s", a, between, b);
    *joined = text;
    return AC_OK;
}

static ac_status read_settings(ac_experiment *e, const ac_value *map, ac_trial *trial)
{
    if (!map) return AC_OK;
    if (map->kind != AC_MAP)
        return ac_fail_at(e->ctx, map->place, "set must be a map such as {simulate.step: 0.1}");
    trial->settings = ac_arena_take(&e->reader.arena, (size_t)map->count, sizeof *trial->settings);
    if (!trial->settings) return AC_NO_MEMORY;
    for (const ac_value *entry = map->first; entry; entry = entry->next) {
        if (entry->kind != AC_SCALAR)
            return ac_fail_at(e->ctx, entry->place, "a value to set must be a number or a text");
        AC_TRY(join(e, entry->key, "=", entry->text, &trial->settings[trial->setting_count++]));
    }
    return AC_OK;
}

static ac_status read_trial(ac_experiment *e, const ac_value *map, ac_trial *trial)
{
    static const char *const keys[] = {"problem", "set", NULL};
    const char *problem;
    AC_TRY(check_keys(e->ctx, map, "a run", keys));
    AC_TRY(read_text(e->ctx, map, "problem", true, &problem));
    trial->name = map->key;
    trial->store.ctx = e->ctx;
    if (problem[0] == '/')
        trial->problem = problem;
    else
        AC_TRY(join(e, e->folder, "/", problem, &trial->problem));
    return read_settings(e, ac_value_find(map, "set"), trial);
}

static ac_status read_trials(ac_experiment *e, const ac_value *root)
{
    const ac_value *runs = ac_value_find(root, "runs");
    if (!runs || runs->kind != AC_MAP || runs->count == 0)
        return ac_fail_at(e->ctx, runs ? runs->place : root->place,
                          "an experiment needs runs: {NAME: {problem: FILE}}");
    AC_NEW(e->ctx, e->trials, runs->count);
    for (const ac_value *entry = runs->first; entry; entry = entry->next)
        AC_TRY(read_trial(e, entry, &e->trials[e->trial_count++]));
    return AC_OK;
}

/* ---- measures ---- */

static ac_status read_column(ac_experiment *e, const ac_value *value, int run, ac_column *column)
{
    static const char *const keys[] = {"channel", "run", "rate", NULL};
    column->name = value->key;
    column->run = run;
    if (value->kind == AC_SCALAR) {
        column->channel = value->text;
        return AC_OK;
    }
    AC_TRY(check_keys(e->ctx, value, "a column", keys));
    AC_TRY(read_text(e->ctx, value, "channel", true, &column->channel));
    AC_TRY(read_run_name(e, value, "run", run, &column->run));
    return read_bool(e->ctx, value, "rate", &column->rate);
}

static ac_status read_formula(ac_experiment *e, const ac_value *map, ac_reading *m)
{
    const ac_value *columns = ac_value_find(map, "columns"), *formula = ac_value_find(map, "formula");
    if (!columns || !formula || columns->kind != AC_MAP || columns->count == 0)
        return ac_fail_at(e->ctx, map->place,
                          "a formula needs columns: {NAME: CHANNEL} and formula: EXPRESSION");
    m->columns = ac_arena_take(&e->reader.arena, (size_t)columns->count, sizeof *m->columns);
    const char **names = ac_arena_take(&e->reader.arena, (size_t)columns->count + 1, sizeof *names);
    if (!m->columns || !names) return AC_NO_MEMORY;
    for (const ac_value *entry = columns->first; entry; entry = entry->next) {
        names[m->column_count] = entry->key;
        AC_TRY(read_column(e, entry, m->run, &m->columns[m->column_count++]));
    }
    names[m->column_count] = "t";
    return read_expression(e->ctx, formula, names, m->column_count + 1, &m->formula);
}

static ac_status read_take(ac_experiment *e, const ac_value *map, ac_reading *m)
{
    const ac_value *value = ac_value_find(map, "take");
    if (!value) return m->summary ? AC_OK : ac_fail_at(e->ctx, map->place, "the key \"take\" is missing");
    for (int i = 0; value->kind == AC_SCALAR && take_words[i]; ++i) {
        if (strcmp(take_words[i], value->text) != 0) continue;
        m->take = (ac_take)i;
        return AC_OK;
    }
    return ac_fail_at(e->ctx, value->place,
                      "take must be max, min, mean, first, last, range, maxabs, at, slope, max_difference, "
                      "failed, mirror_sum, mirror_difference, time_of_max, time_of_min or mesh_difference");
}

static ac_status read_what(ac_experiment *e, const ac_value *map, ac_reading *m)
{
    const char *component;
    AC_TRY(read_text(e->ctx, map, "summary", false, &m->summary));
    AC_TRY(read_text(e->ctx, map, "channel", false, &m->channel));
    AC_TRY(read_text(e->ctx, map, "component", false, &component));
    AC_TRY(read_text(e->ctx, map, "table", false, &m->table));
    AC_TRY(read_take(e, map, m));
    if (m->channel && component) AC_TRY(join(e, m->channel, ".", component, &m->channel));
    if (ac_value_find(map, "formula") || ac_value_find(map, "columns")) AC_TRY(read_formula(e, map, m));
    int ways = (m->summary != NULL) + (m->channel != NULL) + (m->formula != NULL);
    if (ways != (m->take != AC_TAKE_FAILED))
        return ac_fail_at(e->ctx, map->place,
                          "a measure is taken from a channel, a formula or the summary: one of them");
    return AC_OK;
}

static ac_status fill_reading(ac_experiment *e, const ac_value *map, ac_reading *m)
{
    static const char *const keys[] = {
        "run",  "other_run", "summary", "channel", "component", "table",    "columns",      "formula",
        "take", "time",      "after",   "before",  "reason",    "unsolved", "interpolated", NULL};
    AC_TRY(check_keys(e->ctx, map, "a measure", keys));
    m->place = map->place;
    AC_TRY(read_run_name(e, map, "run", -1, &m->run));
    AC_TRY(read_run_name(e, map, "other_run", -1, &m->other_run));
    if (m->run < 0 && e->trial_count == 1) m->run = 0;
    if (m->run < 0) return ac_fail_at(e->ctx, map->place, "the key \"run\" is missing");
    AC_TRY(read_what(e, map, m));
    AC_TRY(read_text(e->ctx, map, "reason", false, &m->reason));
    AC_TRY(read_bool(e->ctx, map, "unsolved", &m->unsolved));
    AC_TRY(read_bool(e->ctx, map, "interpolated", &m->interpolated));
    if (m->reason && m->take != AC_TAKE_FAILED)
        return ac_fail_at(e->ctx, map->place, "reason belongs to take: failed");
    AC_TRY(read_number(e, map, "time", NAN, &m->time));
    AC_TRY(read_number(e, map, "after", -INFINITY, &m->after));
    AC_TRY(read_number(e, map, "before", INFINITY, &m->before));
    if (m->take == AC_TAKE_AT && isnan(m->time))
        return ac_fail_at(e->ctx, map->place, "take: at needs time: T");
    bool two = m->take == AC_TAKE_MAX_DIFFERENCE || m->take == AC_TAKE_MESH_DIFFERENCE;
    if (two != (m->other_run >= 0))
        return ac_fail_at(e->ctx, map->place,
                          "take: max_difference or mesh_difference and other_run: NAME belong together");
    return AC_OK;
}

/* Adds a measure; it belongs to the experiment from the start. */
static ac_status read_reading(ac_experiment *e, const ac_value *map, const char *name)
{
    AC_TRY(ac_grow(e->ctx, (void **)&e->readings, &e->reading_capacity, e->reading_count + 1,
                   sizeof *e->readings));
    ac_reading *m = &e->readings[e->reading_count++];
    *m = (ac_reading){.name = name, .other_run = -1};
    return fill_reading(e, map, m);
}

/* A map of measures by their names, NULL for none. */
static ac_status read_readings(ac_experiment *e, const ac_value *map)
{
    if (!map) return AC_OK;
    if (map->kind != AC_MAP)
        return ac_fail_at(e->ctx, map->place, "measures must be a map {NAME: {run: ..., take: ...}}");
    for (const ac_value *entry = map->first; entry; entry = entry->next)
        AC_TRY(read_reading(e, entry, entry->key));
    return AC_OK;
}

/* ---- checks ---- */

/* Whether a name stands in an expression. */
static bool mentions(const char *text, const char *name)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = strlen(name);
    while (*text) {
        size_t span = strspn(text, word);
        if (span == length && strncmp(text, name, length) == 0) return true;
        text += span ? span : 1;
    }
    return false;
}

/* A check of one measure of its own needs no value; any other has a value over the measures that it names. */
static ac_status read_check_value(ac_experiment *e, const ac_value *map, int first, int last, int shared,
                                  ac_judged_check *c)
{
    const ac_value *value = ac_value_find(map, "value");
    int own = last - first;
    if (!value && own != 1)
        return ac_fail_at(e->ctx, map->place, "a check needs one measure, or value: EXPRESSION of several");
    c->readings = ac_arena_take(&e->reader.arena, (size_t)shared + (size_t)own, sizeof *c->readings);
    const char **names = ac_arena_take(&e->reader.arena, (size_t)shared + (size_t)own, sizeof *names);
    if (!c->readings || !names) return AC_NO_MEMORY;
    for (int i = 0; i < last; ++i) {
        if (i >= shared && i < first) continue; /* of another check */
        bool used = value ? value->kind == AC_SCALAR && mentions(value->text, e->readings[i].name)
                          : i >= first;
        if (!used) continue;
        names[c->reading_count] = e->readings[i].name;
        c->readings[c->reading_count++] = i;
    }
    return value ? read_expression(e->ctx, value, names, c->reading_count, &c->value) : AC_OK;
}

static ac_status read_check_readings(ac_experiment *e, const ac_value *map, int shared, ac_judged_check *c)
{
    const ac_value *one = ac_value_find(map, "measure"), *several = ac_value_find(map, "measures");
    int first = e->reading_count;
    if (one) AC_TRY(read_reading(e, one, "it"));
    AC_TRY(read_readings(e, several));
    return read_check_value(e, map, first, e->reading_count, shared, c);
}

static ac_status read_between(ac_experiment *e, const ac_value *value, ac_check *check)
{
    double ends[2];
    int count;
    AC_TRY(ac_read_numbers(&e->reader, value, "between", AC_DIM_ANY, 2, 2, ends, &count));
    check->low = ends[0];
    check->high = ends[1];
    return AC_OK;
}

/* How the number is judged: exactly one way. */
static ac_status read_judgement(ac_experiment *e, const ac_value *map, ac_check *check)
{
    const ac_value *between = ac_value_find(map, "between");
    bool report = false;
    AC_TRY(read_number(e, map, "reported", NAN, &check->reported));
    AC_TRY(read_number(e, map, "verified", NAN, &check->verified));
    AC_TRY(read_number(e, map, "tolerance", NAN, &check->tolerance));
    AC_TRY(read_number(e, map, "at_most", INFINITY, &check->high));
    AC_TRY(read_number(e, map, "at_least", -INFINITY, &check->low));
    AC_TRY(read_bool(e->ctx, map, "relative", &check->relative));
    AC_TRY(read_bool(e->ctx, map, "report_only", &report));
    bool value = !isnan(check->tolerance), most = isfinite(check->high), least = isfinite(check->low);
    if (value + most + least + report + (between != NULL) != 1)
        return ac_fail_at(e->ctx, map->place,
                          "a check has one of tolerance, at_most, at_least, between and report_only: true");
    if (value && isnan(check->verified) && isnan(check->reported))
        return ac_fail_at(e->ctx, map->place,
                          "a check with a tolerance needs a reported or a verified value");
    check->kind = value    ? AC_CHECK_VALUE
                  : most   ? AC_CHECK_AT_MOST
                  : least  ? AC_CHECK_AT_LEAST
                  : report ? AC_CHECK_REPORT
                           : AC_CHECK_BETWEEN;
    return between ? read_between(e, between, check) : AC_OK;
}

static ac_status read_check(ac_experiment *e, const ac_value *map, int shared, ac_judged_check *c)
{
    static const char *const keys[] = {"name",     "measure",     "measures",       "value",   "reported",
                                       "verified", "tolerance",   "relative",       "at_most", "at_least",
                                       "between",  "report_only", "not_reproduced", "fitted",  NULL};
    AC_TRY(check_keys(e->ctx, map, "a check", keys));
    AC_TRY(read_text(e->ctx, map, "name", true, &c->check.name));
    AC_TRY(read_text(e->ctx, map, "not_reproduced", false, &c->check.not_reproduced));
    AC_TRY(read_bool(e->ctx, map, "fitted", &c->check.fitted));
    if (!c->check.not_reproduced) c->check.not_reproduced = "";
    c->check.message = "";
    c->check.obtained = NAN;
    AC_TRY(read_judgement(e, map, &c->check));
    if (c->check.not_reproduced[0] && c->check.kind != AC_CHECK_REPORT && isnan(c->check.verified))
        return ac_fail_at(
            e->ctx, map->place,
            "a number that is not reproduced is compared with a verified one, or with none: add "
            "verified, or report_only: true");
    if (isnan(c->check.reported) && c->check.fitted)
        return ac_fail_at(e->ctx, map->place, "fitted needs a reported value");
    return read_check_readings(e, map, shared, c);
}

static ac_status read_checks(ac_experiment *e, const ac_value *root)
{
    const ac_value *checks = ac_value_find(root, "checks");
    AC_TRY(read_readings(e, ac_value_find(root, "measures")));
    int shared = e->reading_count;
    if (!checks || checks->kind != AC_LIST || checks->count == 0)
        return ac_fail_at(e->ctx, checks ? checks->place : root->place,
                          "an experiment needs a list of checks");
    AC_NEW(e->ctx, e->checks, checks->count);
    for (const ac_value *entry = checks->first; entry; entry = entry->next)
        AC_TRY(read_check(e, entry, shared, &e->checks[e->check_count++]));
    return AC_OK;
}

/* ---- the file ---- */

/* The name of the experiment and its folder, from the path of its file. */
static ac_status name_experiment(ac_experiment *e, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    e->id = ac_arena_text(&e->reader.arena, base, dot ? (size_t)(dot - base) : strlen(base));
    e->folder = ac_arena_text(&e->reader.arena, slash ? path : ".", slash ? (size_t)(slash - path) : 1);
    return e->id && e->folder ? AC_OK : AC_NO_MEMORY;
}

/* A verified value is worth as much as the computation behind it, so that must be named. */
static ac_status check_verified_by(ac_experiment *e, const ac_value *root)
{
    if (e->verified_by) return AC_OK;
    for (int i = 0; i < e->check_count; ++i) {
        if (!isnan(e->checks[i].check.verified))
            return ac_fail_at(e->ctx, root->place,
                              "an experiment with verified values needs verified_by: what computed them");
    }
    return AC_OK;
}

ac_status ac_experiment_load(ac_experiment *e, const char *path)
{
    static const char *const keys[] = {"title", "source", "verified_by", "runs", "measures", "checks", NULL};
    char *text;
    size_t length;
    ac_value *root;
    AC_TRY(name_experiment(e, path));
    AC_TRY(ac_document_load(&e->reader.arena, path, &text, &length));
    AC_TRY(ac_document_parse(&e->reader.arena, path, text, length, &root));
    AC_TRY(check_keys(e->ctx, root, "an experiment", keys));
    AC_TRY(read_text(e->ctx, root, "title", true, &e->title));
    AC_TRY(read_text(e->ctx, root, "source", false, &e->source));
    AC_TRY(read_text(e->ctx, root, "verified_by", false, &e->verified_by));
    AC_TRY(read_trials(e, root));
    AC_TRY(read_checks(e, root));
    return check_verified_by(e, root);
}
