/* The events of a recorded simulation, from its problem file. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem/recorded/recorded.h"

const char *ac_act_word(int kind, bool *named, int *numbers)
{
    static const struct {
        const char *word;
        bool named;
        int numbers;
    } kinds[AC_ACT_KINDS] = {
        {"set", true, 1}, {"input", true, 1}, {"grab", false, 7}, {"move", false, 3}, {"release", false, 0}};
    if (kind < 0 || kind >= AC_ACT_KINDS) return NULL;
    *named = kinds[kind].named;
    *numbers = kinds[kind].numbers;
    return kinds[kind].word;
}

static ac_status find_kind(ac_builder *b, const ac_value *what, ac_act *act, bool *named, int *numbers)
{
    for (int k = 0; k < AC_ACT_KINDS && what->kind == AC_SCALAR; ++k) {
        if (strcmp(ac_act_word(k, named, numbers), what->text) != 0) continue;
        act->kind = (ac_act_kind)k;
        return AC_OK;
    }
    return ac_fail_at(b->ctx, what->place, "an event is one of set, input, grab, move, release");
}

static ac_status read_name(ac_builder *b, const ac_value *value, const ac_value *entry, ac_act *act)
{
    if (!value || value->kind != AC_SCALAR || strlen(value->text) >= sizeof act->name)
        return ac_fail_at(b->ctx, value ? value->place : entry->place,
                          "the name of a parameter or of an input is missing");
    snprintf(act->name, sizeof act->name, "%s", value->text);
    return AC_OK;
}

static ac_status read_act(ac_builder *b, const ac_value *entry, ac_recorded *recorded)
{
    if (entry->kind != AC_LIST || entry->count < 2)
        return ac_fail_at(b->ctx, entry->place, "an event is a list: [step, what, numbers...]");
    AC_TRY(ac_grow(b->ctx, (void **)&recorded->acts, &recorded->capacity, recorded->count + 1,
                   sizeof *recorded->acts));
    ac_act *act = &recorded->acts[recorded->count];
    *act = (ac_act){0};
    const ac_value *step = entry->first, *value = step->next;
    bool named = false;
    int wanted = 0, given = 0;
    AC_TRY(ac_read_integer(&b->reader, step, "step", 0, AC_LONGEST_RUN, &act->step));
    AC_TRY(find_kind(b, value, act, &named, &wanted));
    if (recorded->count > 0 && act->step < recorded->acts[recorded->count - 1].step)
        return ac_fail_at(b->ctx, step->place, "events must be in the order of their steps");
    value = value->next;
    if (named) {
        AC_TRY(read_name(b, value, entry, act));
        value = value->next;
    }
    for (; value; value = value->next, ++given)
        if (given < wanted) AC_TRY(ac_read_number(&b->reader, value, "event", AC_DIM_NUMBER, &act->x[given]));
    if (given != wanted)
        return ac_fail_at(b->ctx, entry->place, "the event %s has %d numbers, not %d",
                          ac_act_word((int)act->kind, &named, &wanted), wanted, given);
    ++recorded->count;
    return AC_OK;
}

ac_status ac_read_acts(ac_builder *b, const ac_value *list, ac_recorded *recorded)
{
    recorded->ctx = b->ctx;
    recorded->given = true;
    if (list->kind != AC_LIST) return ac_fail_at(b->ctx, list->place, "events is a list of events");
    for (const ac_value *entry = list->first; entry; entry = entry->next)
        AC_TRY(read_act(b, entry, recorded));
    return AC_OK;
}

void ac_recorded_clear(ac_recorded *recorded)
{
    ac_release(recorded->ctx, recorded->acts);
}
