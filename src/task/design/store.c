/* Evaluations of a study in the checkpoint of its run: one that is resumed does not evaluate them again.
 *
 * The samples that are proposed depend on the costs only; so the study is repeated from the beginning, and what was
 * evaluated is taken from here, as long as it is the same sample. */
#include <string.h>

#include "base/base.h"
#include "task/checkpoint.h"
#include "task/design/design.h"

static const char MARK[8] = "design";

typedef struct store_head {
    char mark[8];
    int variables, starts, items;
} store_head;

typedef struct item_head {
    int item, from, count;
} item_head;

static size_t size_of(const ac_design_task *t)
{
    size_t size = sizeof(store_head);
    for (int k = 0; k < t->known; ++k)
        if (t->items[k].numbers) size += sizeof(item_head) + (size_t)t->items[k].count * sizeof(double);
    return size;
}

void ac_design_keep(const ac_design_task *t)
{
    ac_checkpoint *c = t->job->checkpoint;
    store_head h;
    if (!c) return;
    size_t size = size_of(t);
    unsigned char *bytes = ac_allocate(t->job->ctx, size, 1), *at = bytes;
    if (!bytes) return; /* no checkpoint then */
    memset(&h, 0, sizeof h);
    memcpy(h.mark, MARK, sizeof MARK);
    h.variables = t->data->count;
    h.starts = t->starts;
    for (int k = 0; k < t->known; ++k) h.items += t->items[k].numbers != NULL;
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    for (int k = 0; k < t->known; ++k) {
        const ac_design_item *item = &t->items[k];
        const item_head head = {k, item->from, item->count};
        if (!item->numbers) continue;
        memcpy(at, &head, sizeof head);
        memcpy(at + sizeof head, item->numbers, (size_t)item->count * sizeof(double));
        at += sizeof head + (size_t)item->count * sizeof(double);
    }
    ac_checkpoint_write(c, ac_checkpoint_position(c), bytes, size);
    ac_release(t->job->ctx, bytes);
}

static ac_status damaged(const ac_design_task *t)
{
    return ac_fail(t->job->ctx, AC_BAD_INPUT, "%s: the checkpoint is of another task",
                   t->job->checkpoint->path);
}

static ac_status recall_item(ac_design_task *t, const unsigned char **at, size_t *left)
{
    item_head head;
    int most = t->data->settings.evaluations * t->starts;
    if (*left < sizeof head) return damaged(t);
    memcpy(&head, *at, sizeof head);
    size_t size = (size_t)head.count * sizeof(double);
    if (head.count < AC_EVALUATION_HEAD || head.item < 0 || head.item >= most || *left - sizeof head < size)
        return damaged(t);
    ac_design_item *item = &t->items[head.item];
    AC_NEW(t->job->ctx, item->numbers, head.count);
    memcpy(item->numbers, *at + sizeof head, size);
    item->count = head.count;
    item->from = head.from;
    if (head.item >= t->known) t->known = head.item + 1;
    *at += sizeof head + size;
    *left -= sizeof head + size;
    return AC_OK;
}

ac_status ac_design_recall(ac_design_task *t)
{
    const ac_checkpoint *c = t->job->checkpoint;
    store_head h;
    if (!c || !c->found) return AC_OK;
    if (c->found_size < sizeof h) return damaged(t);
    memcpy(&h, c->found, sizeof h);
    if (memcmp(h.mark, MARK, sizeof MARK) != 0 || h.variables != t->data->count || h.starts != t->starts)
        return damaged(t);
    const unsigned char *at = c->found + sizeof h;
    size_t left = c->found_size - sizeof h;
    for (int k = 0; k < h.items; ++k) AC_TRY(recall_item(t, &at, &left));
    ac_summary_note(t->job->summary, AC_NOTE_CHOICE, "the study goes on: %d evaluations are known", h.items);
    return AC_OK;
}
