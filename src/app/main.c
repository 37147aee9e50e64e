/* The command `actio`: finds the verb and lets it work. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/app.h"

static const app_verb *const verbs[] = {
    &app_verb_run,       &app_verb_check,    &app_verb_info, &app_verb_export,  &app_verb_examples,
    &app_verb_reproduce, &app_verb_report,   &app_verb_plot, &app_verb_compare, &app_verb_merge,
    &app_verb_live,      &app_verb_gradient, NULL,
};

static const app_verb *find_verb(const char *name)
{
    for (int i = 0; verbs[i]; ++i) {
        if (strcmp(verbs[i]->name, name) == 0) return verbs[i];
    }
    return NULL;
}

static void print_overview(void)
{
    printf("actio %s: structure-preserving simulation of mechanical systems\n\n", ac_version());
    for (int i = 0; verbs[i]; ++i) {
        char call[64];
        snprintf(call, sizeof call, "actio %s %s", verbs[i]->name, verbs[i]->words);
        printf("  %-28s %s\n", call, verbs[i]->summary);
    }
    printf("  %-28s %s\n", "actio help VERB", "explains a verb and its options");
    printf("  %-28s %s\n", "actio version", "prints the version");
    printf("\nExit status: 0 solved, 1 not solved (what was reached is kept), 2 bad input.\n");
}

static void print_option(const app_option *option)
{
    char letter[8] = "", name[64];
    if (option->letter) snprintf(letter, sizeof letter, "-%c,", option->letter);
    snprintf(name, sizeof name, "--%s%s%s", option->name, option->value ? " " : "",
             option->value ? option->value : "");
    printf("  %3s %-22s %s\n", letter, name, option->help);
}

static void print_help(const app_verb *verb)
{
    printf("actio %s %s%s\n    %s\n", verb->name, verb->words, verb->options[0].name ? " [OPTION]..." : "",
           verb->summary);
    if (verb->details) printf("\n%s\n", verb->details);
    if (!verb->options[0].name) return;
    printf("\n");
    for (const app_option *option = verb->options; option->name; ++option) print_option(option);
}

static int unknown_verb(const char *name, int argc, char **argv)
{
    const app_arguments arguments = {.json = app_asks_for_json(argc, argv)};
    return app_refuse(&arguments, "there is no verb \"%s\"; 'actio help' lists them", name);
}

static int help(int argc, char **argv)
{
    if (argc == 0) {
        print_overview();
        return EXIT_SOLVED;
    }
    const app_verb *verb = find_verb(argv[0]);
    if (!verb) return unknown_verb(argv[0], argc, argv);
    print_help(verb);
    return EXIT_SOLVED;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc; ++i) {
        if (strcmp(argv[i], "--") == 0) return false;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    }
    return false;
}

static int run_verb(const app_verb *verb, int argc, char **argv)
{
    app_arguments arguments;
    if (!app_parse(verb, argc, argv, &arguments)) return EXIT_BAD_INPUT;
    int status = EXIT_NOT_SOLVED;
    ac_context *ctx = ac_context_new(NULL);
    if (ctx)
        status = verb->run(ctx, &arguments);
    else
        app_complain("out of memory");
    ac_context_free(ctx);
    app_arguments_free(&arguments);
    return status;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_overview();
        return EXIT_BAD_INPUT;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 2, argv + 2);
    if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0) {
        printf("actio %s\n", ac_version());
        return EXIT_SOLVED;
    }
    const app_verb *verb = find_verb(name);
    if (!verb) return unknown_verb(name, argc, argv);
    if (asks_for_help(argc - 2, argv + 2)) return help(1, argv + 1);
    return run_verb(verb, argc - 2, argv + 2);
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow any more is a failed write, with its reason */
    int status = dispatch(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        app_complain("standard output could not be written");
        if (status == EXIT_SOLVED) status = EXIT_NOT_SOLVED;
    }
    return status;
}
