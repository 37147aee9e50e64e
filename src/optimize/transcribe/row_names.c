/* What a row of the programme is called in messages. */
#include <stdio.h>

#include "optimize/phases/phases.h"
#include "optimize/problem/optimization.h"

static const char *holder_name(const ac_system *system, int node, char words[AC_NODE_WORDS])
{
    if (system->nodes[node].joint < 0) return ac_node_words(system, node, words);
    snprintf(words, AC_NODE_WORDS, "joint '%.200s'", system->joints[system->nodes[node].joint].name);
    return words;
}

static void constraint_name(const ac_optimization *o, int k, const char *at, int place, char *text,
                            size_t size)
{
    const ac_constraints *c = &o->system->constraints;
    int row = o->layout.constraint_rows[k], owner = c->owner[row];
    if (owner < 0) {
        char words[AC_NODE_WORDS];
        snprintf(text, size, "%s of %s, node %d", at, ac_node_words(o->system, -1 - owner, words), place);
    } else {
        snprintf(text, size, "%s of %s '%s', node %d", at, row >= c->closure ? "loop" : "joint",
                 o->system->joints[owner].name, place);
    }
}

/* The quantity that is held. */
static const char *hold_name(const ac_optimization *o, int hold)
{
    for (int k = 0; k < o->description.quantities.count; ++k)
        if (o->description.quantities.scalar[k] == o->description.phase.holds[hold])
            return o->description.quantities.names[k];
    return "";
}

/* Row i of the momentum balance at a time node. */
static void balance_name(const ac_optimization *o, int i, int place, char *text, size_t size)
{
    char words[AC_NODE_WORDS];
    int f = place == o->layout.N ? o->layout.end.rows[i] : i % o->layout.width;
    int node = o->layout.charted ? o->description.chart.holder[f] : o->layout.owner[f];
    const char *name = holder_name(o->system, node, words);
    if (place == 0) {
        snprintf(text, size, "momentum at the start at %s", name);
    } else if (place == o->layout.N) {
        snprintf(text, size, "momentum at the end at %s", name);
    } else {
        snprintf(text, size, "dynamics at %s, step %d", name, place);
    }
}

static void condition_name(const ac_optimization *o, int condition, int place, char *text, size_t size)
{
    const ac_condition_data *c = &o->description.conditions[condition];
    if (c->place <= AC_AT_END) {
        snprintf(text, size, "condition '%s' at the %s", c->name, place == 0 ? "start" : "end");
    } else {
        snprintf(text, size, "condition '%s', step %d", c->name, place);
    }
}

/* The beam whose stress is unknown `stress`. */
static const char *stressed_beam(const ac_optimization *o, int stress)
{
    int k = 0;
    while (o->description.discrete.springs[k].stress != stress) ++k;
    return o->system->beams[o->description.discrete.springs[k].beam].name;
}

void ac_row_name(const ac_optimization *o, int row, char *text, size_t size)
{
    if (o->description.phases) {
        ac_phases_row_name(o, row, text, size);
        return;
    }
    const ac_row_block *block = o->layout.blocks;
    while (block < o->layout.blocks + o->layout.block_count - 1 && row >= block->first + block->count)
        ++block;
    int i = row - block->first, place = block->place;
    char words[AC_NODE_WORDS];
    switch (block->kind) {
    case AC_ROW_START:
        snprintf(text, size, "%s at the start", block->item ? "velocity" : "configuration");
        return;
    case AC_ROW_PERIODIC:
        snprintf(text, size, "periodicity of the %s", block->item ? "velocity" : "configuration");
        return;
    case AC_ROW_CONSTRAINT: constraint_name(o, block->item + i, "closure", place, text, size); return;
    case AC_ROW_VELOCITY:
        if (o->transcription >= AC_COLLOCATION_QP) {
            snprintf(text, size, "velocity at node %d", place);
        } else {
            constraint_name(o, block->item + i, "velocity", place, text, size);
        }
        return;
    case AC_ROW_DYNAMICS:
    case AC_ROW_MOMENTUM: balance_name(o, i, place, text, size); return;
    case AC_ROW_CONDITION: condition_name(o, block->item, place, text, size); return;
    case AC_ROW_TURN:
        snprintf(text, size, "turn of %s, step %d", ac_node_words(o->system, block->item, words), place + 1);
        return;
    case AC_ROW_STEP:
        snprintf(text, size, "turn in %s, step %d",
                 o->system->nodes[o->description.chart.holder[block->item]].name, place + 1);
        return;
    case AC_ROW_STRESS:
        snprintf(text, size, "stress in beam '%s', step %d", stressed_beam(o, i), place + 1);
        return;
    case AC_ROW_HOLD: snprintf(text, size, "what is held, '%s', step %d", hold_name(o, i), place + 1); return;
    case AC_ROW_FRICTION:
        snprintf(text, size, "friction of '%s', step %d", hold_name(o, o->description.phase.cones[i].normal),
                 place);
        return;
    case AC_ROW_HOLD_RATE:
        snprintf(text, size, "rate of what is held, '%s', at the %s", hold_name(o, i),
                 place == 0 ? "start" : "end");
        return;
    case AC_ROW_RATE:
        snprintf(text, size, "rate of control '%s', step %d", o->description.controls[block->item].name,
                 place + 1);
        return;
    case AC_ROW_TOTAL:
        snprintf(text, size, "condition '%s', the sum over the motion",
                 o->description.totals[block->item].name);
        return;
    case AC_ROW_ABSOLUTE:
        snprintf(text, size, "absolute value in objective %d, step %d", block->item + 1, place + 1);
        return;
    }
}
