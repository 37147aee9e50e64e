/* The summary of a run: named numbers and notes. What each status promises: docs/verdicts.md. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "task/task.h"

const char *ac_note_kind_name(ac_note_kind kind)
{
    static const char *const names[] = {"assembly", "choice", "warning", "verdict", "remark"};
    return names[kind];
}

void ac_summary_begin(ac_summary *summary)
{
    snprintf(summary->status, sizeof summary->status, "not_solved");
    summary->denied = false;
    summary->count = 0;
    summary->note_count = 0;
    summary->remark[0] = '\0';
    summary->scheme[0] = summary->scheme_reason[0] = '\0';
    summary->path[0] = '\0';
}

void ac_summary_verdict(ac_summary *summary, const char *status, bool denied)
{
    snprintf(summary->status, sizeof summary->status, "%s", status);
    summary->denied = denied;
}

/* A task that gives no verdict of its own has solved its problem. */
void ac_summary_end(ac_summary *summary, ac_status status)
{
    static const char open[] = "not_solved";
    if (status != AC_OK)
        ac_summary_verdict(summary, open, false);
    else if (strcmp(summary->status, open) == 0)
        ac_summary_verdict(summary, "solved", false);
}

void ac_summary_add(ac_summary *summary, const char *name, double value, const char *unit)
{
    if (summary->count == AC_SUMMARY_MAX) return;
    if (!isfinite(value)) {
        ac_summary_note(summary, AC_NOTE_REMARK, "%s is not a finite number, and left out", name);
        return;
    }
    ac_summary_entry *entry = &summary->entry[summary->count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    snprintf(entry->unit, sizeof entry->unit, "%s", unit);
    entry->value = value;
}

void ac_summary_add_energy(ac_summary *summary, const ac_energy_watch *watch)
{
    if (!ac_energy_is_across(watch)) return;
    ac_summary_add(summary, "energy_hamiltonian_projected_min", watch->low, "J");
    ac_summary_add(summary, "energy_hamiltonian_projected_max", watch->high, "J");
}

/* Remarks also stand in one line, as result files keep them. */
static void append_remark(ac_summary *summary, const char *text)
{
    size_t used = strlen(summary->remark);
    snprintf(summary->remark + used, sizeof summary->remark - used, "%s%s", used > 0 ? "; " : "", text);
}

void ac_summary_note(ac_summary *summary, ac_note_kind kind, const char *format, ...)
{
    ac_note note = {.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note.text, sizeof note.text, format, arguments);
    va_end(arguments);
    if (!note.text[0]) return;
    for (int k = 0; k < summary->note_count; ++k)
        if (summary->note[k].kind == kind && strcmp(summary->note[k].text, note.text) == 0) return;
    if (kind == AC_NOTE_REMARK) append_remark(summary, note.text);
    if (summary->note_count < AC_NOTES_MAX) summary->note[summary->note_count++] = note;
}
