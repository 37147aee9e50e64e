/* actio merge: puts the shards of a certification together. */
#include <limits.h>
#include <stdlib.h>

#include "app/workers.h"

static const app_option options[] = {
    {"output", 'o', "OUT", "the result file (default: the name of FILE with .h5, in the current folder)"},
    {"set", 's', "KEY=VALUE", "the same overrides as the shards had; may be repeated"},
    {"json", 0, NULL, "prints one JSON object instead of the table"},
    {"quiet", 'q', NULL, "prints nothing unless something is wrong"},
    {0},
};

static int merge_parts(ac_context *ctx, const app_arguments *arguments, const ac_problem *problem)
{
    ac_certify_work *work = ac_problem_certify_work(problem);
    if (!work) return app_refuse(arguments, "merge: %s has no task certify", arguments->words[0]);
    const char *output = app_value(arguments, "output");
    char *owned = output ? NULL : app_default_output(arguments->words[0]);
    work->parts = arguments->words + 1;
    work->part_count = arguments->word_count - 1;
    work->shard = work->shards = INT_MAX; /* nothing is run that the parts do not have */
    work->workers = 1;
    app_workers workers = {.work = work};
    int status = app_solve(ctx, arguments, problem, output ? output : owned, &workers);
    free(owned);
    return status;
}

static int run(ac_context *ctx, const app_arguments *arguments)
{
    ac_problem *problem = NULL;
    ac_status status = app_read_problem(ctx, arguments, &problem);
    int exit_status = app_input_exit(status);
    if (status == AC_OK)
        exit_status = merge_parts(ctx, arguments, problem);
    else
        app_refuse(arguments, "%s", ac_context_message(ctx));
    ac_problem_free(problem);
    return exit_status;
}

const app_verb app_verb_merge = {
    .name = "merge",
    .words = "FILE PART...",
    .min_words = 2,
    .max_words = -1,
    .summary = "puts the shards of a certification together",
    .details =
        "Each shard of 'actio run FILE --shard K/N' leaves a file NAME.K-of-N.part. With all of them the "
        "result is\n"
        "the same, bit by bit, as that of one run. Parts of another file or other overrides are refused.",
    .options = options,
    .run = run,
};
