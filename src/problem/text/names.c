/* Names: open addressing with FNV-1a, and edit distance for "did you mean". */
#include "problem/text/names.h"

#include <stdint.h>
#include <string.h>

#include "base/checksum.h"
#include "base/base.h"

enum { FIRST_CAPACITY = 64, WORD_MAX = 40 };

typedef struct ac_name_slot {
    const char *name; /* NULL: free */
    int number;
} ac_name_slot;

void ac_names_begin(ac_names *names, ac_context *ctx)
{
    *names = (ac_names){.ctx = ctx};
}

void ac_names_end(ac_names *names)
{
    ac_release(names->ctx, names->slots);
    names->slots = NULL;
    names->capacity = names->count = 0;
}

/* The slot that holds the name, or the free one where it belongs. */
static ac_name_slot *slot_of(ac_name_slot *slots, int capacity, const char *name)
{
    uint64_t hash = ac_checksum(AC_CHECKSUM_START, name, strlen(name));
    hash ^= hash >> 29;
    size_t mask = (size_t)capacity - 1, at = (size_t)hash & mask;
    while (slots[at].name && strcmp(slots[at].name, name) != 0) at = (at + 1) & mask;
    return &slots[at];
}

static ac_status enlarge(ac_names *names)
{
    if (names->capacity > INT32_MAX / 4) return ac_out_of_memory(names->ctx);
    int capacity = names->capacity ? 2 * names->capacity : FIRST_CAPACITY;
    ac_name_slot *slots;
    AC_NEW(names->ctx, slots, capacity);
    for (int k = 0; k < names->capacity; ++k)
        if (names->slots[k].name) *slot_of(slots, capacity, names->slots[k].name) = names->slots[k];
    ac_release(names->ctx, names->slots);
    names->slots = slots;
    names->capacity = capacity;
    return AC_OK;
}

ac_status ac_names_add(ac_names *names, const char *name, int number, bool *fresh)
{
    if (2 * names->count >= names->capacity) AC_TRY(enlarge(names));
    ac_name_slot *slot = slot_of(names->slots, names->capacity, name);
    *fresh = slot->name == NULL;
    if (*fresh) {
        *slot = (ac_name_slot){name, number};
        ++names->count;
    }
    return AC_OK;
}

int ac_names_find(const ac_names *names, const char *name)
{
    if (names->capacity == 0) return -1;
    const ac_name_slot *slot = slot_of(names->slots, names->capacity, name);
    return slot->name ? slot->number : -1;
}

const char *ac_names_nearest(const ac_names *names, const char *wanted)
{
    const char *nearest = NULL;
    int best = ac_edit_limit(wanted) + 1, best_number = INT32_MAX;
    for (int k = 0; k < names->capacity; ++k) {
        const ac_name_slot *slot = &names->slots[k];
        if (!slot->name) continue;
        int distance = ac_edit_distance(slot->name, wanted, best);
        if (distance < best || (distance == best && nearest && slot->number < best_number)) {
            best = distance;
            best_number = slot->number;
            nearest = slot->name;
        }
    }
    return nearest;
}

int ac_edit_limit(const char *word)
{
    size_t length = strlen(word);
    return length <= 2 ? 1 : length <= 8 ? 2 : 3;
}

static int smallest(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

int ac_edit_distance(const char *a, const char *b, int limit)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > WORD_MAX || m > WORD_MAX) return limit;
    int rows[3][WORD_MAX + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; ++j) last[j] = (int)j;
    for (size_t i = 1; i <= n; ++i) {
        row[0] = (int)i;
        for (size_t j = 1; j <= m; ++j) {
            row[j] = smallest(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        int *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    /* a word that shares nothing with the other is no misspelling of it */
    int distance = last[m];
    if (distance >= (int)(n > m ? n : m)) return limit;
    return distance < limit ? distance : limit;
}

const char *ac_show(char *shown, const char *text)
{
    size_t k = 0;
    for (; text[k] && k < AC_SHOWN_SIZE - 4; ++k) {
        unsigned char c = (unsigned char)text[k];
        shown[k] = c < 0x20 || c == 0x7f ? ' ' : (char)c;
    }
    if (text[k]) {
        while (k > 0 && ((unsigned char)text[k] & 0xc0) == 0x80) --k; /* not in the middle of a character */
        memcpy(shown + k, "...", 3);
        k += 3;
    }
    shown[k] = '\0';
    return shown;
}
