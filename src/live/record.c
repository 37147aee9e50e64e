/* A session as a problem file: the text of the problem with the events of the session and the number of steps put
 * into its task. */
#include <errno.h>
#include <string.h>

#include "live/session.h"
#include "problem/tasks.h"

/* ---- a simulation ---- */

void ac_session_add_act(ac_session *s, ac_act_kind kind, int slider, const double *x)
{
    const ac_live_slider *list;
    bool named;
    int numbers;
    ac_act act = {.step = ac_simulation_steps_taken(ac_live_integrator(s->simulation)), .kind = kind};
    ac_act_word((int)kind, &named, &numbers);
    ac_live_sliders(s->simulation, kind == AC_ACT_INPUT, &list);
    if (named) snprintf(act.name, sizeof act.name, "%s", list[slider].name);
    for (int k = 0; k < numbers; ++k) act.x[k] = x[k];
    ac_act *last = s->event_count > 0 ? &s->acts[s->event_count - 1] : NULL;
    bool again = last && last->step == act.step && last->kind == kind && strcmp(last->name, act.name) == 0;
    if (again && (kind == AC_ACT_MOVE || kind == AC_ACT_INPUT))
        *last = act; /* only the last one counts */
    else if (s->event_count < AC_LIVE_EVENTS)
        s->acts[s->event_count++] = act;
    else
        s->limited = true;
}

void ac_session_begin_acts(ac_session *s)
{
    s->event_count = 0;
    s->limited = false;
    for (int input = 0; input < 2; ++input) {
        const ac_live_slider *list;
        int count = ac_live_sliders(s->simulation, input, &list);
        for (int k = 0; k < count; ++k)
            if (list[k].value != list[k].first)
                ac_session_add_act(s, input ? AC_ACT_INPUT : AC_ACT_SET, k, &list[k].value);
    }
    if (s->grip.held) ac_session_add_act(s, AC_ACT_GRAB, -1, s->grip.numbers);
}

/* ---- the file ---- */

static long steps_of(const ac_session *s)
{
    return s->simulation ? ac_simulation_steps_taken(ac_live_integrator(s->simulation))
                         : ac_track_steps(s->track);
}

/* A name in quotes. */
static void put_name(FILE *file, const char *name)
{
    fputs(", \"", file);
    for (; *name; ++name) fprintf(file, *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
    fputc('"', file);
}

static void put_event(const ac_session *s, FILE *file, int k)
{
    int numbers = 0;
    if (s->simulation) {
        const ac_act *act = &s->acts[k];
        bool named = false;
        fprintf(file, "[%ld, %s", act->step, ac_act_word((int)act->kind, &named, &numbers));
        if (named) put_name(file, act->name);
        for (int i = 0; i < numbers; ++i) fprintf(file, ", %.17g", act->x[i]);
    } else {
        const ac_track_event *e = &s->events[k];
        fprintf(file, "[%ld, %s, %d", e->step, ac_event_name((int)e->kind, &numbers), e->index);
        for (int i = 0; i < numbers; ++i) fprintf(file, ", %.17g", e->x[i]);
    }
    fputc(']', file);
}

static void put_events(const ac_session *s, FILE *file, const char *indent)
{
    fprintf(file, "%sreplay_steps: %ld\n%sevents:%s\n", indent, steps_of(s), indent,
            s->event_count == 0 ? " []" : "");
    for (int k = 0; k < s->event_count; ++k) {
        fprintf(file, "%s  - ", indent);
        put_event(s, file, k);
        fputc('\n', file);
    }
}

/* The line on which a key of the file begins; NULL: none. */
static const char *find_key(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, key, length) == 0 && line[length] == ':') return line;
    return NULL;
}

/* Where a value ends that begins here: at one of `stops` outside of quotes, brackets and comments. */
static const char *end_of_value(const char *c, const char *stops)
{
    int depth = 0;
    char quote = '\0';
    for (char before = ' '; *c; before = *c++) {
        if (quote) {
            if (quote == '"' && *c == '\\' && c[1]) ++c;
            if (*c == quote) quote = '\0';
        } else if (depth == 0 && strchr(stops, *c)) {
            return c;
        } else if (*c == '#' && strchr(" \n", before)) {
            while (c[1] && c[1] != '\n') ++c;
        } else if ((*c == '"' || *c == '\'') && strchr(" \n,:[{", before)) {
            quote = *c;
        } else if (strchr("[{", *c)) {
            ++depth;
        } else if (strchr("]}", *c)) {
            --depth;
        }
    }
    return c;
}

static bool is_events(const char *key)
{
    return strncmp(key, "events", 6) == 0 && key[6 + strspn(key + 6, " ")] == ':';
}

/* The events that a section {...} has itself, behind its brace: from *begin to *end; false: none. */
static bool find_events_in_braces(const char *c, const char **begin, const char **end)
{
    for (;; ++c) {
        while (*c == '#' || strchr(" \n", *c)) { /* to the next key */
            if (!*c) return false;
            c = *c == '#' ? c + strcspn(c, "\n") : c + 1;
        }
        *begin = c;
        c = end_of_value(c, ",}");
        *end = *c == ',' ? c + 1 : c;
        if (is_events(*begin)) return true;
        if (*c != ',') return false;
    }
}

/* The same of a section of lines, which are indented by `width`. */
static bool find_events_in_lines(const char *line, size_t width, const char **begin, const char **end)
{
    for (bool inside = false; *line;) {
        size_t indent = strspn(line, " ");
        const char *text = line + indent;
        bool empty = *text == '\n' || *text == '#' || !*text, item = text[0] == '-' && indent == width;
        if (!empty && indent < width) return inside;
        if (!empty && indent == width && inside && !item) return true;
        if (indent == width && is_events(text)) {
            inside = true;
            *begin = line;
        }
        line = inside ? end_of_value(text, "\n") : text + strcspn(text, "\n");
        if (*line) ++line;
        if (inside) *end = line;
        if (!*line) return inside;
    }
    return false;
}

/* What stands there, without the events: those that came are written by us. */
static void put_rest(FILE *file, const char *text, bool found, const char *begin, const char *end)
{
    if (found) fprintf(file, "%.*s", (int)(begin - text), text);
    fputs(found ? end : text, file);
}

static const char *task_of(const ac_session *s)
{
    return s->simulation ? "simulate" : "track";
}

/* The section of the task: as a block of lines or as {...}. */
static void put_task(const ac_session *s, FILE *file, const char *line)
{
    const char *brace = strchr(line, '{'), *end = strchr(line, '\n'), *old[2] = {NULL};
    if (brace && (!end || brace < end)) {
        fprintf(file, "%.*s\n", (int)(brace - line) + 1, line);
        fprintf(file, "  replay_steps: %ld,\n  events: [", steps_of(s));
        for (int k = 0; k < s->event_count; ++k) {
            fputs(k ? ",\n    " : "", file);
            put_event(s, file, k);
        }
        fputs("],\n  ", file);
        bool found = find_events_in_braces(brace + 1, &old[0], &old[1]);
        put_rest(file, brace + 1, found, old[0], old[1]);
        return;
    }
    char indent[32] = "  ";
    const char *first = end ? end + 1 : line;
    size_t width = strspn(first, " ");
    if (width > 0 && width < sizeof indent) snprintf(indent, sizeof indent, "%.*s", (int)width, first);
    fprintf(file, "%s:\n", task_of(s));
    put_events(s, file, indent);
    bool found = width > 0 && find_events_in_lines(first, width, &old[0], &old[1]);
    put_rest(file, first, found, old[0], old[1]);
}

int ac_session_record(const ac_session *s, const char *name, char reply[AC_LIVE_REPLY])
{
    char path[1024];
    const char *text = ac_problem_text(s->problem);
    const char *line = find_key(text, task_of(s));
    const ac_simulate_data *simulate = ac_problem_data(s->problem, &ac_task_simulate);
    const char *reason = !line        ? "the problem file is not written line by line"
                         : s->limited ? "the session is too long to be recorded"
                                      : NULL;
    if ((simulate && simulate->recorded.given) || (s->file && s->file->recorded))
        reason = "the problem file is a recorded session itself";
    if (reason) {
        snprintf(reply, AC_LIVE_REPLY, "%s", reason);
        return 500;
    }
    snprintf(path, sizeof path, "%s/%s.yaml", s->folder, name);
    FILE *file = fopen(path, "wx");
    if (!file) {
        snprintf(reply, AC_LIVE_REPLY, "%s.yaml: %s", name, strerror(errno));
        return errno == EEXIST ? 409 : 500;
    }
    fprintf(
        file, "# Recorded by actio live: %ld steps, final state %016llx.\n", steps_of(s),
        (unsigned long long)(s->simulation ? ac_live_checksum(s->simulation) : ac_track_checksum(s->track)));
    fprintf(file, "%.*s", (int)(line - text), text);
    put_task(s, file, line);
    bool bad = ferror(file) != 0;
    if ((fclose(file) != 0 || bad) && remove(path) == 0) {
        snprintf(reply, AC_LIVE_REPLY, "%s.yaml could not be written", name);
        return 500;
    }
    snprintf(reply, AC_LIVE_REPLY, "recorded %s.yaml", name);
    return 200;
}
