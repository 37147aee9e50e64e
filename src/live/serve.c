/* Serving a problem: the clock that steps it, and the server beside it. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "live/server.h"
#include "live/stream.h"
#include "math/math.h"

static const double FRAME = 1.0 / 50; /* s between snapshots */
static const double BEHIND = 0.1;     /* s: time that is lost beyond this is not made up for */

/* 128 random bits from the system. */
static ac_status make_token(ac_context *ctx, char token[AC_TOKEN_SIZE])
{
    unsigned char bytes[16];
    FILE *source = fopen("/dev/urandom", "rb");
    size_t got = source ? fread(bytes, 1, sizeof bytes, source) : 0;
    if (source) fclose(source);
    if (got != sizeof bytes) return ac_fail(ctx, AC_IO_FAILED, "there are no random numbers for the address");
    for (size_t k = 0; k < sizeof bytes; ++k) snprintf(token + 2 * k, 3, "%02x", bytes[k]);
    return AC_OK;
}

static void sleep_until(double when)
{
    struct timespec t = {(time_t)when, (long)(1e9 * (when - floor(when)))};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) continue;
}

/* Steps when their time has come, publishes now and then, until somebody ends it. */
static void run_clock(ac_session *session, ac_server *server, const ac_live_settings *settings,
                      int (*stop)(void *), void *user)
{
    double step = session->start.step, begun = ac_live_clock(), due = begun + step, shown = begun;
    double end = settings->seconds > 0.0 ? begun + settings->seconds : INFINITY;
    ac_session_publish(session);
    for (double now = begun; now < end; now = ac_live_clock()) {
        if (now - due > BEHIND) due = now; /* too late: the model waits instead of racing */
        if (now >= due) {
            if (ac_session_step(session, now - due))
                due += step;
            else
                due = now + FRAME; /* paused */
        }
        if (now - shown >= FRAME) {
            shown = now;
            ac_session_publish(session);
            ac_server_tidy(server);
            if (stop && stop(user)) return;
        }
        if (ac_live_clock() < due) sleep_until(ac_min(due, shown + FRAME));
    }
}

ac_status ac_live_serve(ac_context *ctx, const ac_problem *problem, const ac_live_settings *settings,
                        void (*ready)(void *user, const char *address), int (*stop)(void *user), void *user)
{
    ac_session *session;
    ac_server *server = NULL;
    ac_stream_reader *reader = NULL;
    char token[AC_TOKEN_SIZE], address[128];
    int port = settings->port;
    AC_NEW(ctx, session, 1);
    ac_status status = make_token(ctx, token);
    if (status == AC_OK) status = ac_session_open(ctx, problem, settings, session);
    if (status == AC_OK) status = ac_server_start(ctx, session, token, &port, &server);
    if (status == AC_OK) status = ac_stream_reader_start(ctx, session, settings->samples, &reader);
    if (status == AC_OK) {
        snprintf(address, sizeof address, "http://127.0.0.1:%d/%s/", port, token);
        ready(user, address);
        run_clock(session, server, settings, stop, user);
    }
    if (server) ac_session_end(session);
    ac_stream_reader_stop(reader);
    ac_server_stop(server);
    ac_session_close(session);
    ac_release(ctx, session);
    return status;
}
