/* Words and options of a verb, checked against the verb's table. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

void app_arguments_free(app_arguments *arguments)
{
    free(arguments->words);
    free(arguments->given);
}

/* The option that "--name", "--name=value" or "-n" means; `*inner` points behind the '=' if there is one. */
static const app_option *find_option(const app_verb *verb, const char *word, const char **inner)
{
    *inner = NULL;
    for (const app_option *option = verb->options; option->name; ++option) {
        if (word[1] != '-') {
            if (option->letter && word[1] == option->letter && !word[2]) return option;
            continue;
        }
        size_t length = strlen(option->name);
        if (strncmp(word + 2, option->name, length) != 0) continue;
        if (word[2 + length] == '=') *inner = word + 3 + length;
        if (!word[2 + length] || *inner) return option;
    }
    return NULL;
}

/* Takes the option at argv[*i], and its value, which may be the next word. */
static bool take_option(const app_verb *verb, int argc, char **argv, int *i, app_arguments *arguments)
{
    const char *word = argv[*i], *value = NULL;
    const app_option *option = find_option(verb, word, &value);
    if (!option) {
        app_refuse(arguments, "%s: there is no option %s; see 'actio help %s'", verb->name, word, verb->name);
        return false;
    }
    if (!option->value && value) {
        app_refuse(arguments, "%s: the option --%s takes no value", verb->name, option->name);
        return false;
    }
    if (option->value && !value) {
        if (*i + 1 == argc) {
            app_refuse(arguments, "%s: the option --%s needs its %s", verb->name, option->name,
                       option->value);
            return false;
        }
        value = argv[++*i];
    }
    arguments->given[arguments->given_count++] = (app_given_option){option, value};
    return true;
}

static bool take_all(const app_verb *verb, int argc, char **argv, app_arguments *arguments)
{
    bool options = true;
    for (int i = 0; i < argc; ++i) {
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (!options || argv[i][0] != '-' || !argv[i][1])
            arguments->words[arguments->word_count++] = argv[i];
        else if (!take_option(verb, argc, argv, &i, arguments))
            return false;
    }
    int count = arguments->word_count;
    if (count >= verb->min_words && (verb->max_words < 0 || count <= verb->max_words)) return true;
    app_refuse(arguments, "the call is 'actio %s %s'; see 'actio help %s'", verb->name, verb->words,
               verb->name);
    return false;
}

bool app_asks_for_json(int argc, char **argv)
{
    for (int i = 0; i < argc; ++i) {
        if (strcmp(argv[i], "--") == 0) return false;
        if (strcmp(argv[i], "--json") == 0) return true;
    }
    return false;
}

bool app_parse(const app_verb *verb, int argc, char **argv, app_arguments *arguments)
{
    size_t count = (size_t)argc + 1;
    *arguments = (app_arguments){.words = calloc(count, sizeof *arguments->words),
                                 .given = calloc(count, sizeof *arguments->given),
                                 .json = app_asks_for_json(argc, argv)};
    bool memory = arguments->words && arguments->given;
    if (!memory) app_complain("out of memory");
    if (memory && take_all(verb, argc, argv, arguments)) return true;
    app_arguments_free(arguments);
    return false;
}

bool app_given(const app_arguments *arguments, const char *name)
{
    for (int i = 0; i < arguments->given_count; ++i) {
        if (strcmp(arguments->given[i].option->name, name) == 0) return true;
    }
    return false;
}

const char *app_value(const app_arguments *arguments, const char *name)
{
    for (int i = arguments->given_count - 1; i >= 0; --i) {
        if (strcmp(arguments->given[i].option->name, name) == 0) return arguments->given[i].value;
    }
    return NULL;
}
