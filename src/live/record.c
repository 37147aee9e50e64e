/* A session as a problem file: the text of the problem with the events of the session and the number of steps put
 * into its task. */
#include <errno.h>
#include <string.h>

#include "live/session.h"

static void put_events(const ac_session *s, FILE *file, const char *indent)
{
    fprintf(file, "%sreplay_steps: %ld\n%sevents:%s\n", indent, ac_track_steps(s->track), indent,
            s->event_count == 0 ? " []" : "");
    for (int k = 0; k < s->event_count; ++k) {
        const ac_track_event *e = &s->events[k];
        int numbers = 0;
        const char *name = ac_event_name(e->kind, &numbers);
        fprintf(file, "%s  - [%ld, %s, %d", indent, e->step, name, e->index);
        for (int i = 0; i < numbers; ++i) fprintf(file, ", %.17g", e->x[i]);
        fprintf(file, "]\n");
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

/* track: as a block of lines or as {...}. */
static void put_track(const ac_session *s, FILE *file, const char *line)
{
    const char *brace = strchr(line, '{'), *end = strchr(line, '\n');
    if (brace && (!end || brace < end)) {
        fprintf(file, "%.*s\n", (int)(brace - line) + 1, line);
        fprintf(file, "  replay_steps: %ld,\n  events: [", ac_track_steps(s->track));
        for (int k = 0; k < s->event_count; ++k) {
            const ac_track_event *e = &s->events[k];
            int numbers = 0;
            const char *name = ac_event_name(e->kind, &numbers);
            fprintf(file, "%s[%ld, %s, %d", k ? ",\n    " : "", e->step, name, e->index);
            for (int i = 0; i < numbers; ++i) fprintf(file, ", %.17g", e->x[i]);
            fprintf(file, "]");
        }
        fprintf(file, "],\n  %s", brace + 1);
        return;
    }
    char indent[32] = "  ";
    const char *first = end ? end + 1 : line;
    size_t width = strspn(first, " ");
    if (width > 0 && width < sizeof indent) snprintf(indent, sizeof indent, "%.*s", (int)width, first);
    fprintf(file, "track:\n");
    put_events(s, file, indent);
    fputs(first, file);
}

int ac_session_record(const ac_session *s, const char *name, char reply[AC_LIVE_REPLY])
{
    char path[1024];
    const char *text = ac_problem_text(s->problem);
    const char *line = find_key(text, "track");
    if (!line || s->limited) {
        snprintf(reply, AC_LIVE_REPLY,
                 line ? "the session is too long to be recorded"
                      : "the problem file is not written line by line");
        return 500;
    }
    snprintf(path, sizeof path, "%s/%s.yaml", s->folder, name);
    FILE *file = fopen(path, "wx");
    if (!file) {
        snprintf(reply, AC_LIVE_REPLY, "%s.yaml: %s", name, strerror(errno));
        return errno == EEXIST ? 409 : 500;
    }
    fprintf(file, "# Recorded by actio live: %ld steps, final state %016llx.\n", ac_track_steps(s->track),
            (unsigned long long)ac_track_checksum(s->track));
    fprintf(file, "%.*s", (int)(line - text), text);
    put_track(s, file, line);
    bool bad = ferror(file) != 0;
    if ((fclose(file) != 0 || bad) && remove(path) == 0) {
        snprintf(reply, AC_LIVE_REPLY, "%s.yaml could not be written", name);
        return 500;
    }
    snprintf(reply, AC_LIVE_REPLY, "recorded %s.yaml", name);
    return 200;
}
