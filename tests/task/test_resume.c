/* Runs that were interrupted go on from their checkpoint: the tables have the same bytes as those of a run that was not.
 * A solution is not replaced by less, checkpoints of other problems and damaged ones are refused. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "actio/actio.h"
#include "test.h"

static char folder[] = "/tmp/actio-resume-XXXXXX";

static const char *in_folder(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *name)
{
    char path[128];
    return access(in_folder(name, path), F_OK) == 0;
}

/* Stops a run when it has done a share of its way. */
static int stop_at(void *user, double done, const char *words)
{
    (void)words;
    return done >= *(const double *)user;
}

static ac_status run(ac_context *ctx, const ac_problem *problem, const char *name, double share, bool resume,
                     ac_summary *summary)
{
    char path[128];
    in_folder(name, path);
    return resume ? ac_run_resume(ctx, problem, path, stop_at, &share, summary)
                  : ac_run(ctx, problem, path, stop_at, &share, summary);
}

static bool has_note(const ac_summary *summary, const char *text)
{
    for (int k = 0; k < summary->note_count; ++k)
        if (strstr(summary->note[k].text, text)) return true;
    return false;
}

static void compare_tables(ac_context *ctx, const char *a, const char *b)
{
    char path[2][128];
    ac_result *r[2] = {NULL, NULL};
    in_folder(a, path[0]);
    in_folder(b, path[1]);
    for (int k = 0; k < 2; ++k) CHECK(ac_result_open(ctx, path[k], &r[k]) == AC_OK);
    for (int t = 0; r[0] && r[1] && t < ac_result_table_count(r[0]); ++t) {
        int count;
        const ac_channel *channels = ac_result_channels(r[0], t, &count);
        long rows = ac_result_rows(r[0], t);
        CHECK(rows > 5 && rows == ac_result_rows(r[1], t));
        for (int c = 0; c < count && rows == ac_result_rows(r[1], t); ++c) {
            size_t size = (size_t)rows * (size_t)channels[c].width * sizeof(double);
            double *x = malloc(size), *y = malloc(size);
            CHECK(ac_result_read(r[0], t, c, 0, 1, rows, x) == AC_OK);
            CHECK(ac_result_read(r[1], t, c, 0, 1, rows, y) == AC_OK);
            CHECK(memcmp(x, y, size) == 0);
            free(x);
            free(y);
        }
    }
    for (int k = 0; k < 2; ++k) ac_result_close(r[k]);
}

/* NaN: there is none. */
static double functional_of(const ac_summary *summary)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, "functional") == 0) return summary->entry[k].value;
    return NAN;
}

static void check_example(const char *file, const char *const *settings, int count)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_summary *summary = calloc(1, sizeof *summary);
    CHECK(ac_problem_read(ctx, file, settings, count, &problem) == AC_OK);
    if (problem) {
        int failed = test_failures;
        CHECK(run(ctx, problem, "whole.h5", 2.0, false, summary) == AC_OK);
        const double functional = functional_of(summary);
        CHECK(!exists("whole.h5.checkpoint") && !exists("whole.h5.rows"));
        CHECK(run(ctx, problem, "parts.h5", 0.2, false, summary) == AC_INTERRUPTED);
        CHECK(exists("parts.h5.checkpoint") && exists("parts.h5.rows"));
        CHECK(run(ctx, problem, "parts.h5", 0.6, true, summary) == AC_INTERRUPTED);
        CHECK(has_note(summary, "resumed after step"));
        CHECK(run(ctx, problem, "parts.h5", 2.0, true, summary) == AC_OK);
        CHECK(has_note(summary, "resumed after step"));
        CHECK(!exists("parts.h5.checkpoint") && !exists("parts.h5.rows"));
        compare_tables(ctx, "whole.h5", "parts.h5");
        CHECK(isnan(functional) == (strstr(file, "sensitivity") == NULL));
        CHECK(isnan(functional) || functional_of(summary) == functional);
        if (test_failures > failed) printf("  %s: %s\n", file, ac_context_message(ctx));
    }
    free(summary);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(trees_loops_and_beams)
{
    static const char *const chain[] = {"simulate.duration=2"};
    static const char *const bar[] = {"simulate.duration=40", "simulate.record_every=7"};
    static const char *const null_space[] = {"simulate.duration=20", "simulate.formulation=null-space"};
    static const char *const multipliers[] = {"simulate.duration=10", "simulate.formulation=multipliers"};
    static const char *const swing[] = {"simulate.duration=8"};
    check_example("examples/pendulum/chain.yaml", chain, 1);
    check_example("examples/linkages/four-bar.yaml", bar, 2);
    check_example("examples/linkages/four-bar.yaml", null_space, 2);
    check_example("examples/linkages/four-bar.yaml", multipliers, 2);
    check_example("examples/flexible/three-bar-swing.yaml", swing, 1);
    static const char *const rocker[] = {"simulate.duration=10"}; /* with a functional: the same value */
    check_example("examples/linkages/rocker-sensitivity.yaml", rocker, 1);
}

/* The solution stays, what an interrupted run reached goes beside it. */
TEST(a_solution_is_not_replaced_by_less)
{
    static const char *const settings[] = {"simulate.duration=40"};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_summary *summary = calloc(1, sizeof *summary);
    char path[128], other[128];
    CHECK(ac_problem_read(ctx, "examples/linkages/four-bar.yaml", settings, 1, &problem) == AC_OK);
    CHECK(run(ctx, problem, "kept.h5", 2.0, false, summary) == AC_OK);
    CHECK_TEXT(summary->path, in_folder("kept.h5", path));
    CHECK(run(ctx, problem, "kept.h5", 0.3, false, summary) == AC_INTERRUPTED);
    CHECK_TEXT(summary->path, in_folder("kept.unsolved.h5", other));
    CHECK(has_note(summary, "holds an earlier solution"));
    ac_result *result = NULL;
    CHECK(ac_result_open(ctx, path, &result) == AC_OK);
    if (result) CHECK_TEXT(ac_result_text(result, "status"), "solved");
    ac_result_close(result);
    CHECK(ac_result_open(ctx, other, &result) == AC_OK);
    if (result) CHECK_TEXT(ac_result_text(result, "status"), "not_solved");
    ac_result_close(result);
    free(summary);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static void flip_byte(const char *path, long offset, int origin, int bits)
{
    FILE *file = fopen(path, "rb+");
    if (!file) return;
    fseek(file, offset, origin);
    int byte = fgetc(file);
    fseek(file, offset, origin);
    fputc(byte ^ bits, file);
    fclose(file);
}

static void flip_last_byte(const char *path, long before_end)
{
    flip_byte(path, -before_end, SEEK_END, 1);
}

/* Any bit that changed in the rows of a checkpoint is noticed before a row is used. */
static void check_damaged_rows(ac_context *ctx, const ac_problem *problem, const char *name)
{
    char path[128], file[64];
    ac_summary *summary = calloc(1, sizeof *summary);
    snprintf(file, sizeof file, "%s.rows", name);
    in_folder(file, path);
    FILE *rows = fopen(path, "rb");
    CHECK(rows && fseek(rows, 0, SEEK_END) == 0);
    long size = rows ? ftell(rows) : 0;
    if (rows) fclose(rows);
    CHECK(size > 1000);
    for (int k = 0; k < 24 && size > 1000; ++k) {
        long at = k == 0 ? 0 : rand() % (size / 2);
        int bits = 1 << rand() % 8;
        flip_byte(path, at, SEEK_SET, bits);
        CHECK(run(ctx, problem, name, 2.0, true, summary) == AC_BAD_INPUT);
        CHECK(strstr(ac_context_message(ctx), "rows of the checkpoint are damaged"));
        flip_byte(path, at, SEEK_SET, bits);
    }
    free(summary);
}

TEST(wrong_checkpoints_are_refused)
{
    static const char *const settings[] = {"simulate.duration=40"}, *const others[] = {
                                                                        "simulate.duration=41"};
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL, *other = NULL;
    ac_summary *summary = calloc(1, sizeof *summary);
    char path[128];
    CHECK(ac_problem_read(ctx, "examples/linkages/four-bar.yaml", settings, 1, &problem) == AC_OK);
    CHECK(ac_problem_read(ctx, "examples/linkages/four-bar.yaml", others, 1, &other) == AC_OK);
    CHECK(run(ctx, problem, "none.h5", 2.0, true, summary) == AC_OK);
    CHECK(has_note(summary, "there is no checkpoint"));
    CHECK(run(ctx, problem, "cut.h5", 0.3, false, summary) == AC_INTERRUPTED);
    CHECK(run(ctx, other, "cut.h5", 2.0, true, summary) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "another problem file"));
    CHECK(exists("cut.h5.checkpoint"));
    check_damaged_rows(ctx, problem, "cut.h5");
    flip_last_byte(in_folder("cut.h5.checkpoint", path), 20);
    CHECK(run(ctx, problem, "cut.h5", 2.0, true, summary) == AC_BAD_INPUT);
    CHECK(strstr(ac_context_message(ctx), "damaged"));
    CHECK(run(ctx, problem, "cut.h5", 2.0, false, summary) == AC_OK);
    CHECK(!exists("cut.h5.checkpoint"));

    /* rows that changed on the disk are found by their check sums */
    ac_result *result = NULL;
    long size = 0;
    FILE *file = fopen(in_folder("cut.h5", path), "rb");
    CHECK(file && fseek(file, 0, SEEK_END) == 0);
    if (file) size = ftell(file);
    if (file) fclose(file);
    int bad = 0;
    for (int k = 1; k < 8; ++k) flip_last_byte(path, size / 2 + 8 * k);
    if (ac_result_open(ctx, path, &result) == AC_OK) {
        for (int t = 0; t < ac_result_table_count(result); ++t) {
            int count;
            const ac_channel *channels = ac_result_channels(result, t, &count);
            long rows = ac_result_rows(result, t);
            for (int c = 0; c < count; ++c) {
                double *x = malloc((size_t)rows * (size_t)channels[c].width * sizeof *x);
                if (ac_result_read(result, t, c, 0, 1, rows, x) != AC_OK) {
                    ++bad;
                    CHECK(strstr(ac_context_message(ctx), "damaged"));
                }
                free(x);
            }
        }
        ac_result_close(result);
        CHECK(bad > 0);
    }
    free(summary);
    ac_problem_free(problem);
    ac_problem_free(other);
    ac_context_free(ctx);
}

/* Stops after a few iterations. */
static int stop_soon(void *user, double done, const char *words)
{
    (void)done, (void)words;
    return ++*(int *)user >= 1;
}

/* An optimisation begins again with the best point and finds the same optimum, in fewer iterations than it took. */
TEST(optimisations_begin_with_the_best_point)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_summary *summary = calloc(1, sizeof *summary);
    static const char *const settings[] = {"parameters.N=500"};
    int calls = 0;
    char path[128];
    double objective = NAN, again = NAN;
    CHECK(ac_problem_read(ctx, "examples/control/two-link-pendulum.yaml", settings, 1, &problem) == AC_OK);
    CHECK(run(ctx, problem, "optimum.h5", 2.0, false, summary) == AC_OK);
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, "objective") == 0) objective = summary->entry[k].value;
    in_folder("search.h5", path);
    ac_status status = ac_run(ctx, problem, path, stop_soon, &calls, summary);
    CHECK(status == AC_INTERRUPTED);
    CHECK(exists("search.h5.checkpoint"));
    CHECK(ac_run_resume(ctx, problem, path, NULL, NULL, summary) == AC_OK);
    CHECK(has_note(summary, "begins with the motion of the checkpoint"));
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, "objective") == 0) again = summary->entry[k].value;
    CHECK_NEAR(again, objective, 1e-6 * fabs(objective));
    CHECK(!exists("search.h5.checkpoint") && !exists("search.h5.rows"));
    ac_result *result = NULL; /* says so, too */
    CHECK(ac_result_open(ctx, path, &result) == AC_OK);
    CHECK(result && strstr(ac_result_text(result, "notes"), "resumed: the search begins"));
    ac_result_close(result);
    free(summary);
    ac_problem_free(problem);
    ac_context_free(ctx);
}

static double entry_of(const ac_summary *summary, const char *name)
{
    for (int k = 0; k < summary->count; ++k)
        if (strcmp(summary->entry[k].name, name) == 0) return summary->entry[k].value;
    return NAN;
}

/* Objective and iterations of a run of a fresh problem: to the end, stopped after some calls, or resumed. */
static ac_status shoot(const char *file, const char *setting, const char *name, int *calls, bool resume,
                       double found[2])
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    ac_summary *summary = calloc(1, sizeof *summary);
    char path[128];
    in_folder(name, path);
    CHECK(ac_problem_read(ctx, file, &setting, setting ? 1 : 0, &problem) == AC_OK);
    ac_status status = resume ? ac_run_resume(ctx, problem, path, NULL, NULL, summary)
                              : ac_run(ctx, problem, path, calls ? stop_soon : NULL, calls, summary);
    CHECK(!resume || has_note(summary, "begins with the controls of the checkpoint"));
    found[0] = entry_of(summary, "objective");
    found[1] = entry_of(summary, "iterations");
    free(summary);
    ac_problem_free(problem);
    ac_context_free(ctx);
    return status;
}

/* Shooting goes on where it stopped, with the same steps: same optimum after the same iterations. With segments and an approach,
 * too; tests/adjoint/test_shoot.c stops in all of its parts. */
TEST(shooting_goes_on_with_its_controls)
{
    static const struct {
        const char *file, *setting;
        double objective; /* NAN: not known */
    } cases[] = {{"examples/control/adjoint-upswing.yaml", NULL, 3.2680023e-4},
                 {"examples/control/approached-upswing.yaml", "parameters.N=20", NAN}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double whole[2], stopped[2], parts[2];
        int calls = 0;
        CHECK(shoot(cases[c].file, cases[c].setting, "whole.h5", NULL, false, whole) == AC_OK);
        CHECK(shoot(cases[c].file, cases[c].setting, "shot.h5", &calls, false, stopped) == AC_INTERRUPTED);
        CHECK(exists("shot.h5.checkpoint"));
        CHECK(shoot(cases[c].file, cases[c].setting, "shot.h5", NULL, true, parts) == AC_OK);
        CHECK(parts[0] == whole[0] && parts[1] == whole[1]);
        if (isfinite(cases[c].objective)) CHECK_NEAR(whole[0], cases[c].objective, 2e-10);
        CHECK(!exists("shot.h5.checkpoint") && !exists("shot.h5.rows"));
    }
}

TEST(tidy_up)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0);
}

TEST(make_folder)
{
    CHECK(mkdtemp(folder) != NULL);
}

RUN_TESTS(CASE(make_folder), CASE(trees_loops_and_beams), CASE(a_solution_is_not_replaced_by_less),
          CASE(wrong_checkpoints_are_refused), CASE(optimisations_begin_with_the_best_point),
          CASE(shooting_goes_on_with_its_controls), CASE(tidy_up))
