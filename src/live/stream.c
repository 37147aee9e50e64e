/* Samples from outside: a thread reads lines of a file, a pipe or standard input while the model runs. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "live/stream.h"

enum { LINE_MAX_BYTES = 1024 };

struct ac_stream_reader {
    ac_context *ctx;
    ac_session *session;
    int source;
    bool opened; /* here: close it */
    bool begun;
    pthread_t thread;
};

static bool has_ended(ac_session *s)
{
    pthread_mutex_lock(&s->lock);
    bool ended = s->ended;
    pthread_mutex_unlock(&s->lock);
    return ended;
}

static void *read_lines(void *user)
{
    ac_stream_reader *r = user;
    char line[LINE_MAX_BYTES], bytes[LINE_MAX_BYTES];
    size_t length = 0;
    bool skipping = false; /* the rest of a line that is too long */
    while (!has_ended(r->session)) {
        struct pollfd wait = {.fd = r->source, .events = POLLIN};
        if (poll(&wait, 1, 100) <= 0) continue;
        ssize_t got = read(r->source, bytes, sizeof bytes);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) break; /* its end */
        for (ssize_t k = 0; k < got; ++k) {
            if (bytes[k] == '\n') {
                line[length] = '\0';
                if (!skipping) ac_live_sample_line(r->session, line);
                skipping = false;
                length = 0;
            } else if (length + 1 < sizeof line) {
                line[length++] = bytes[k];
            } else {
                skipping = true;
            }
        }
    }
    return NULL;
}

ac_status ac_stream_reader_start(ac_context *ctx, ac_session *session, const char *path,
                                 ac_stream_reader **out)
{
    *out = NULL;
    if (!path) return AC_OK;
    ac_stream_reader *r;
    AC_NEW(ctx, r, 1);
    *out = r;
    r->ctx = ctx;
    r->session = session;
    r->opened = strcmp(path, "-") != 0;
    /* a pipe without a writer must not block the start */
    r->source = r->opened ? open(path, O_RDWR | O_NONBLOCK) : STDIN_FILENO;
    if (r->source < 0) r->source = open(path, O_RDONLY | O_NONBLOCK);
    if (r->source < 0) return ac_fail(ctx, AC_IO_FAILED, "%s: %s", path, strerror(errno));
    if (pthread_create(&r->thread, NULL, read_lines, r) != 0)
        return ac_fail(ctx, AC_IO_FAILED, "there is no thread for the samples");
    r->begun = true;
    return AC_OK;
}

void ac_stream_reader_stop(ac_stream_reader *r)
{
    if (!r) return;
    if (r->begun) pthread_join(r->thread, NULL);
    if (r->opened && r->source >= 0) close(r->source);
    ac_release(r->ctx, r);
}
