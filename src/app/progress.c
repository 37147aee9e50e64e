/* A progress line on a terminal, and ctrl-C that stops the work instead of the program. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "app/app.h"

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void app_progress_begin(app_progress *progress, const char *what)
{
    struct sigaction action = {.sa_handler = ask_to_stop,
                               .sa_flags = (int)SA_RESETHAND}; /* a second one ends it */
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    *progress = (app_progress){.start = now(), .terminal = isatty(STDERR_FILENO) != 0, .what = what};
}

static void print_time_left(double left)
{
    if (left < 90)
        fprintf(stderr, ", %.0f s left", left);
    else if (left < 5400)
        fprintf(stderr, ", %.0f min left", left / 60);
    else
        fprintf(stderr, ", %.1f h left", left / 3600);
}

int app_progress_report(void *user, double done, const char *words)
{
    app_progress *progress = user;
    double elapsed = now() - progress->start;
    if (progress->terminal && elapsed > 1) {
        fprintf(stderr, "\r\033[K%s%3.0f %%  %s", progress->what, 100 * done, words);
        if (done > 0) print_time_left(elapsed * (1 - done) / done);
        fflush(stderr);
        progress->shown = true;
    }
    return stop_asked != 0;
}

void app_progress_end(app_progress *progress)
{
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}
