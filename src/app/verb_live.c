/* actio live: the model in the browser, in real time. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "actio/live.h"
#include "app/app.h"

static const app_option options[] = {
    {"port", 'p', "N", "port of the loopback interface (any that is free)"},
    {"folder", 0, "DIR", "where sessions are recorded (the working folder)"},
    {"seconds", 0, "T", "ends after T seconds (when interrupted)"},
    {"samples", 0, "FILE", "file or pipe with samples of live targets, -: standard input"},
    {"paused", 0, NULL, "waits until the page starts it"},
    {"json", 0, NULL, "prints the address as one JSON object"},
    {0},
};

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static int is_interrupted(void *user)
{
    (void)user;
    return interrupted;
}

static void say_ready(void *user, const char *address)
{
    const bool *json = user;
    if (*json)
        printf("{\"address\": \"%s\"}\n", address);
    else
        printf("%s\nopen this address in a browser; Ctrl-C ends\n", address);
    fflush(stdout);
}

static int live(ac_context *ctx, const app_arguments *arguments)
{
    const char *port = app_value(arguments, "port"), *seconds = app_value(arguments, "seconds");
    ac_live_settings settings = {.folder = app_value(arguments, "folder"),
                                 .samples = app_value(arguments, "samples"),
                                 .paused = app_given(arguments, "paused")};
    bool json = arguments->json;
    char *end = NULL;
    if (port) {
        long number = strtol(port, &end, 10);
        if (*end || number < 1024 || number > 65535)
            return app_refuse(arguments, "--port must be a number from 1024 to 65535, not %s", port);
        settings.port = (int)number;
    }
    if (seconds) {
        settings.seconds = strtod(seconds, &end);
        if (*end || !(settings.seconds > 0) || settings.seconds > 1e9)
            return app_refuse(arguments, "--seconds must be a positive number, not %s", seconds);
    }
    ac_problem *problem;
    ac_status status = ac_problem_read(ctx, arguments->words[0], NULL, 0, &problem);
    if (status == AC_OK) {
        signal(SIGINT, note_interrupt);
        signal(SIGTERM, note_interrupt);
        status = ac_live_serve(ctx, problem, &settings, say_ready, is_interrupted, &json);
        ac_problem_free(problem);
    }
    if (status == AC_OK) return EXIT_SOLVED;
    app_complain("%s", ac_context_message(ctx));
    return app_input_exit(status);
}

const app_verb app_verb_live = {
    .name = "live",
    .words = "FILE",
    .min_words = 1,
    .max_words = 1,
    .summary = "shows the problem FILE in a browser, in real time: drag its bodies",
    .details =
        "Prints the address of a page on this machine; nobody else can open it. The page shows the "
        "mechanism\n"
        "while it moves and lets bodies be dragged. FILE has the task track or simulate. Track: methods and\n"
        "weights can be changed, joints opened. Simulate: parameters and forces in joints are on sliders. A\n"
        "session is recorded as a problem file that `actio run` replays to the same bits. Lines of --samples "
        "are\n"
        "NAME X Y Z or NAME X Y Z RX RY RZ: the place of the target NAME, whose course is live.",
    .options = options,
    .run = live,
};
