/* Where the examples are: the folder named by ACTIO_DATA, else where they were installed, else the
 * source tree. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/app.h"

enum { PATH_SIZE = 4096, DEPTH_MAX = 8 };

static bool is_folder(const char *path)
{
    struct stat state;
    return stat(path, &state) == 0 && S_ISDIR(state.st_mode);
}

bool app_data_path(char *path, size_t size, const char *name)
{
    const char *folder = getenv("ACTIO_DATA");
    if (!folder || !*folder) folder = is_folder(ACTIO_DATA_DIR) ? ACTIO_DATA_DIR : ACTIO_SOURCE_DIR;
    int length = snprintf(path, size, "%s/%s", folder, name);
    return length > 0 && (size_t)length < size;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

typedef struct walk {
    const char *folder, *ending;
    int (*visit)(void *user, const char *path);
    void *user;
} walk;

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int walk_below(const walk *w, const char *below, int depth);

static int walk_entry(const walk *w, const char *below, const char *name, int depth)
{
    char relative[PATH_SIZE], full[2 * PATH_SIZE];
    int length = snprintf(relative, sizeof relative, "%s%s%s", below, *below ? "/" : "", name);
    if (length < 0 || (size_t)length >= sizeof relative) return 0;
    length = snprintf(full, sizeof full, "%s/%s", w->folder, relative);
    if (length < 0 || (size_t)length >= sizeof full) return 0;
    if (is_folder(full)) return depth < DEPTH_MAX ? walk_below(w, relative, depth + 1) : 0;
    return ends_with(name, w->ending) ? w->visit(w->user, relative) : 0;
}

static int walk_below(const walk *w, const char *below, int depth)
{
    char full[2 * PATH_SIZE];
    struct dirent **entries = NULL;
    int length = snprintf(full, sizeof full, "%s/%s", w->folder, below);
    int count = length > 0 && (size_t)length < sizeof full ? scandir(full, &entries, visible, alphasort) : -1;
    int stopped = 0;
    for (int i = 0; i < count; ++i) {
        if (!stopped) stopped = walk_entry(w, below, entries[i]->d_name, depth);
        free(entries[i]);
    }
    free(entries);
    return stopped;
}

int app_walk(const char *folder, const char *ending, int (*visit)(void *user, const char *path), void *user)
{
    walk w = {folder, ending, visit, user};
    return walk_below(&w, "", 0);
}
