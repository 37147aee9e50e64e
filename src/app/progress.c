/* A progress line on a terminal, and ctrl-C that stops the work instead of the program.
 *
 * The work asks after each step or iteration. One that takes longer than a moment, as in very large systems, is not waited
 * for: the program ends, and what the last checkpoint holds is continued by --resume.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "app/app.h"

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t stop_asked;

static const struct itimerval PATIENCE = {.it_value = {.tv_usec = 800000}}, NEVER;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
    setitimer(ITIMER_REAL, &PATIENCE, NULL);
}

/* Nobody has asked since: a handler can do no more than write and end. */
static void give_up(int signal_number)
{
    static const char text[] =
        "\nactio: interrupted inside a long step; nothing is written, 'actio run --resume' goes on "
        "from the last checkpoint if there is one\n";
    (void)signal_number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(written < 0 ? EXIT_BAD_INPUT : EXIT_NOT_SOLVED);
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
    action.sa_handler = give_up;
    sigaction(SIGALRM, &action, NULL);
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
    if (stop_asked) setitimer(ITIMER_REAL, &NEVER, NULL); /* the work stops by itself */
    return stop_asked != 0;
}

void app_progress_end(app_progress *progress)
{
    setitimer(ITIMER_REAL, &NEVER, NULL);
    if (progress->shown) fputs("\r\033[K", stderr);
    progress->shown = false;
}
