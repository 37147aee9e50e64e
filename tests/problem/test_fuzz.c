/* Problem files with damaged bytes: always a problem or a message, never a crash. The same each time. */
#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "problem/build/build.h"
#include "test.h"

enum { SEEDS_MAX = 400, TEXT_SIZE = 1 << 16, INPUTS = 300000 };

static const double TIME_LIMIT = 5; /* s */

typedef struct seed_file {
    char *text;
    size_t length;
} seed_file;

static seed_file seeds[SEEDS_MAX];
static int seed_count;

static void add_seed(const char *text, size_t length)
{
    if (seed_count == SEEDS_MAX) return;
    seeds[seed_count].text = malloc(length + 1);
    seeds[seed_count].length = length;
    if (!seeds[seed_count].text) return;
    memcpy(seeds[seed_count].text, text, length);
    ++seed_count;
}

static void add_file(const char *path)
{
    static char text[TEXT_SIZE];
    FILE *stream = fopen(path, "rb");
    if (!stream) return;
    size_t length = fread(text, 1, sizeof text, stream);
    fclose(stream);
    if (length < sizeof text) add_seed(text, length);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_folder(const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    for (int k = 0; k < count; ++k) {
        const char *ending = strrchr(entries[k]->d_name, '.');
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
        if (ending && strcmp(ending, ".yaml") == 0) add_file(path);
        free(entries[k]);
    }
    if (count >= 0) free(entries);
}

/* The examples of the reference page touch every section. */
static void add_reference(void)
{
    static const char fence[] = "```yaml\n";
    ac_context *ctx = ac_context_new(NULL);
    char *page;
    if (ac_problem_reference(ctx, &page) == AC_OK) {
        for (const char *start = strstr(page, fence); start; start = strstr(start, fence)) {
            start += sizeof fence - 1;
            add_seed(start, (size_t)(strstr(start, "```") - start));
        }
        ac_text_free(ctx, page);
    }
    ac_context_free(ctx);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 2685821657736338717u >> 11;
}

/* Changes a few bytes: replace, delete, insert, copy a piece, or cut the end off. */
static size_t damage(uint64_t *random, char *text, size_t length)
{
    static const char telling[] = "{}[]:,-=()'\"#&*!|>%@`\n \t.e+0919ix^/\\\xc3\xa9\xff";
    int changes = 1 + (int)(next_random(random) % 4);
    for (int k = 0; k < changes && length > 0; ++k) {
        size_t at = next_random(random) % length, room = TEXT_SIZE - 1 - length;
        char byte = telling[next_random(random) % (sizeof telling - 1)];
        size_t piece = 1 + next_random(random) % 24;
        switch (next_random(random) % 5) {
        case 0: text[at] = byte; break;
        case 1: memmove(text + at, text + at + 1, --length - at); break;
        case 2:
            if (room < 1) break;
            memmove(text + at + 1, text + at, length++ - at);
            text[at] = byte;
            break;
        case 3:
            if (piece > length - at) piece = length - at;
            if (piece > room) break;
            memmove(text + at + piece, text + at, length - at);
            length += piece;
            break;
        default:
            if (next_random(random) % 8 == 0)
                length = at;
            else
                text[at] = (char)next_random(random);
            break;
        }
    }
    text[length] = '\0';
    return length;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

TEST(damaged_files_never_crash)
{
    static char text[TEXT_SIZE];
    ac_context *ctx = ac_context_new(NULL);
    uint64_t random = 88172645463325252u;
    double start = seconds();
    int tried = 0, built = 0;
    for (; tried < INPUTS && seconds() - start < TIME_LIMIT; ++tried) {
        const seed_file *seed = &seeds[tried % seed_count];
        ac_problem *problem;
        memcpy(text, seed->text, seed->length);
        size_t length = damage(&random, text, seed->length);
        ac_status status = ac_problem_parse(ctx, "damaged.yaml", text, length, NULL, 0, &problem);
        CHECK((status == AC_OK) == (problem != NULL));
        CHECK(status == AC_OK || ac_context_message(ctx)[0] != '\0');
        built += status == AC_OK;
        ac_problem_free(problem);
    }
    printf("%d damaged files, %d of them still good\n", tried, built);
    CHECK(built > 0 && built < tried);
    ac_context_free(ctx);
}

TEST(gather_files)
{
    add_reference();
    add_folder("examples/pendulum");
    add_folder("examples/linkages");
    add_folder("tests/problem/broken");
    CHECK(seed_count > 60);
}

TEST(release_files)
{
    for (int k = 0; k < seed_count; ++k) free(seeds[k].text);
}

RUN_TESTS(CASE(gather_files), CASE(damaged_files_never_crash), CASE(release_files))
