/* Conditions that follow from the rest of the programme: a place asked for twice, a start that is given and asked for, ends of two
 * phases that meet.
 *
 * All of them together have no unique multipliers, and numbers of 1e17 times what rounding leaves of a row balance any gradient.
 * The rows that nobody asked for come first, by elimination along time; then the conditions, one after another. One of which
 * nothing is left at the guess, nor at a point beside it, becomes a limit with some room, as at the ends (reduce.c). Rows and
 * columns are scaled to their largest entries, so that the rank has an absolute scale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/row_choice.h"
#include "math/math.h"
#include "optimize/judge/band.h"
#include "optimize/judge/reduce.h"
#include "optimize/phases/phases.h"

static const double RANK = 1e-9;      /* of a row: so much left of it counts as nothing */
static const double ROUNDING = 1e-14; /* of the largest entry of a row: no entry */
static const double BESIDE = 0.05;    /* rad, m: how far the point beside the guess is away */
enum { SCALINGS = 3, NAMED = 3 };

typedef enum row_class { NO_EQUATION, GIVEN, CLOSING, ASKED } row_class;

typedef struct matrix {
    ac_optimization *o;
    char *kind; /* row_class per row */
    int *start, *column, *order, *weight;
    double *value, *row_size, *column_size, *entries, *time;
    int given, taken; /* rows of the order that nobody asked for; all */
    ac_row_choice choice;
} matrix;

static ac_status create(ac_optimization *o, matrix *m)
{
    int rows = o->layout.rows, columns = o->layout.variables, entries = o->layout.jacobian.entries;
    m->o = o;
    AC_NEW(o->ctx, m->kind, rows + 1);
    AC_NEW(o->ctx, m->start, rows + 1);
    AC_NEW(o->ctx, m->column, entries + 1);
    AC_NEW(o->ctx, m->order, rows + 1);
    AC_NEW(o->ctx, m->weight, columns + 1);
    AC_NEW(o->ctx, m->value, entries + 1);
    AC_NEW(o->ctx, m->entries, entries + 1);
    AC_NEW(o->ctx, m->row_size, rows + 1);
    AC_NEW(o->ctx, m->column_size, columns + 1);
    AC_NEW(o->ctx, m->time, columns + rows + 1);
    return ac_row_choice_create(o->ctx, rows, columns, &m->choice);
}

static void destroy(matrix *m)
{
    void *blocks[] = {m->kind,  m->start,   m->column,   m->order,       m->weight,
                      m->value, m->entries, m->row_size, m->column_size, m->time};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(m->o->ctx, blocks[k]);
    ac_row_choice_destroy(&m->choice);
}

/* ---- which rows ---- */

static row_class class_of(const ac_optimization *o, const ac_row_block *block)
{
    if (block->kind == AC_ROW_PERIODIC) return CLOSING;
    return block->kind == AC_ROW_CONDITION && !o->description.conditions[block->item].hidden ? ASKED : GIVEN;
}

static void classify_blocks(const ac_optimization *o, char *kind)
{
    for (int b = 0; b < o->layout.block_count; ++b) {
        const ac_row_block *block = &o->layout.blocks[b];
        memset(kind + block->first, (char)class_of(o, block), (size_t)block->count);
    }
}

/* Rows of junctions are those of the structure; a phase that goes on with an earlier one closes a cycle. */
static void classify_phases(const ac_optimization *o, char *kind)
{
    const ac_phases *p = o->description.phases;
    for (int k = 0; k < p->count; ++k) classify_blocks(p->list[k], kind + p->first_row[k]);
    for (int r = p->first_row[p->count]; r < o->layout.rows; ++r) kind[r] = GIVEN;
    for (int k = 0; k < p->junction_count; ++k) {
        const ac_junction_data *j = &p->junctions[k];
        int end = k + 1 < p->junction_count ? p->junctions[k + 1].places : o->layout.rows;
        for (int r = j->places; r < end && j->to <= j->from; ++r) kind[r] = CLOSING;
    }
}

/* Of the equations alone; false: nobody asked for any. */
static bool classify(matrix *m)
{
    const ac_optimization *o = m->o;
    bool asked = false;
    if (o->description.phases)
        classify_phases(o, m->kind);
    else
        classify_blocks(o, m->kind);
    for (int r = 0; r < o->layout.rows; ++r) {
        if (o->layout.bounds.low[r] != o->layout.bounds.high[r]) m->kind[r] = NO_EQUATION;
        asked = asked || m->kind[r] == ASKED;
    }
    return asked;
}

/* ---- their entries ---- */

static bool is_free(const ac_optimization *o, int i)
{
    return o->layout.bounds.lower[i] != o->layout.bounds.upper[i];
}

/* Entries of equations in columns that are free, in the units of the programme. */
static void take_entries(matrix *m)
{
    const ac_optimization *o = m->o;
    const ac_pattern *p = &o->layout.jacobian;
    int used = 0;
    for (int r = 0; r < o->layout.rows; ++r) {
        double most = 0.0;
        m->start[r] = used;
        if (m->kind[r] == NO_EQUATION) continue;
        for (int e = p->start[r]; e < p->start[r + 1]; ++e)
            most = ac_max(most, fabs(m->entries[e] * o->layout.unit.unknown[p->column[e]]));
        for (int e = p->start[r]; e < p->start[r + 1]; ++e) {
            double value = m->entries[e] * o->layout.unit.unknown[p->column[e]];
            if (!is_free(o, p->column[e]) || !(fabs(value) > ROUNDING * most)) continue;
            m->column[used] = p->column[e];
            m->value[used++] = value;
        }
    }
    m->start[o->layout.rows] = used;
}

static void scale(matrix *m)
{
    const ac_optimization *o = m->o;
    for (int pass = 0; pass < SCALINGS; ++pass) {
        memset(m->column_size, 0, (size_t)o->layout.variables * sizeof *m->column_size);
        for (int r = 0; r < o->layout.rows; ++r) {
            double most = 0.0;
            for (int e = m->start[r]; e < m->start[r + 1]; ++e) most = ac_max(most, fabs(m->value[e]));
            for (int e = m->start[r]; e < m->start[r + 1]; ++e) {
                m->value[e] /= most;
                m->column_size[m->column[e]] = ac_max(m->column_size[m->column[e]], fabs(m->value[e]));
            }
        }
        for (int e = 0; pass + 1 < SCALINGS && e < m->start[o->layout.rows]; ++e)
            m->value[e] /= m->column_size[m->column[e]];
    }
}

/* ---- their order ---- */

typedef struct key {
    int kind, index;
    double time;
} key;

static int compare(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->kind != y->kind) return x->kind - y->kind;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->index - y->index;
}

static ac_status weigh_columns(matrix *m)
{
    const ac_optimization *o = m->o;
    key *keys;
    AC_NEW(o->ctx, keys, o->layout.variables);
    for (int i = 0; i < o->layout.variables; ++i) {
        m->time[i] = ac_unknown_time(o, i);
        keys[i] = (key){0, i, m->time[i]};
    }
    ac_sort(keys, (size_t)o->layout.variables, sizeof *keys, compare);
    for (int k = 0; k < o->layout.variables; ++k) m->weight[keys[k].index] = k;
    ac_release(o->ctx, keys);
    return AC_OK;
}

/* By the first time that a row has; `mixed`: what was asked for stands among the others. */
static ac_status order_rows(matrix *m, bool mixed)
{
    const ac_optimization *o = m->o;
    key *keys;
    AC_NEW(o->ctx, keys, o->layout.rows + 1);
    m->taken = m->given = 0;
    for (int r = 0; r < o->layout.rows; ++r) {
        double first = INFINITY;
        if (m->kind[r] == NO_EQUATION) continue;
        for (int e = m->start[r]; e < m->start[r + 1]; ++e) first = ac_min(first, m->time[m->column[e]]);
        m->given += m->kind[r] != ASKED;
        keys[m->taken++] = (key){mixed ? 0 : m->kind[r], r, first};
    }
    ac_sort(keys, (size_t)m->taken, sizeof *keys, compare);
    for (int k = 0; k < m->taken; ++k) m->order[k] = keys[k].index;
    ac_release(o->ctx, keys);
    return AC_OK;
}

static ac_status rank_of(matrix *m, int rows, int *dependent)
{
    AC_TRY(ac_row_choice_find_in_order(&m->choice, m->start, m->column, m->value, RANK, m->order, rows,
                                       m->weight));
    *dependent = 0;
    for (int k = 0; k < rows; ++k) *dependent += m->choice.dependent[m->order[k]];
    return AC_OK;
}

/* ---- which follow from the others ---- */

/* At the present point, into choice.dependent; false in `any`: none. Mixed along time the elimination is cheap, and nearly always
 * says that there is nothing to look for. */
static ac_status find(matrix *m, bool *any)
{
    int all, given;
    ac_evaluate_jacobian(m->o, m->entries);
    take_entries(m);
    scale(m);
    AC_TRY(order_rows(m, true));
    AC_TRY(rank_of(m, m->taken, &all));
    *any = all > 0;
    if (!*any) return AC_OK;
    AC_TRY(order_rows(m, false));
    AC_TRY(rank_of(m, m->given, &given));
    *any = all > given;
    return *any ? rank_of(m, m->taken, &all) : AC_OK;
}

static double wobble(int k)
{
    return ac_sin(12.9898 * (k + 1)) * ac_cos(78.233 * (k + 3));
}

static void move_aside(const ac_optimization *o, double *x)
{
    for (int i = 0; i < o->layout.variables; ++i)
        if (is_free(o, i))
            x[i] += BESIDE * wobble(i) *
                    (i >= o->layout.first.parameter ? fabs(x[i]) : o->layout.unit.unknown[i]);
}

/* Those that depend on the others beside the guess, too. */
static ac_status confirm(matrix *m, bool *any)
{
    ac_optimization *o = m->o;
    double *x;
    AC_NEW(o->ctx, x, 2 * (size_t)o->layout.variables);
    double *moved = x + o->layout.variables;
    memcpy(x, o->point.x, (size_t)o->layout.variables * sizeof *x);
    memcpy(moved, x, (size_t)o->layout.variables * sizeof *x);
    move_aside(o, moved);
    ac_evaluate_at(o, moved);
    ac_status status = find(m, any);
    ac_evaluate_at(o, x);
    ac_release(o->ctx, x);
    return status;
}

static bool is_dependent(const matrix *m, int r)
{
    return m->kind[r] == ASKED && m->choice.dependent[r];
}

static ac_status mark(matrix *m)
{
    ac_optimization *o = m->o;
    bool any, *first;
    AC_TRY(weigh_columns(m));
    AC_TRY(find(m, &any));
    if (!any) return AC_OK;
    if (!o->layout.left_out) AC_NEW(o->ctx, o->layout.left_out, o->layout.rows + 1);
    AC_NEW(o->ctx, first, o->layout.rows);
    for (int r = 0; r < o->layout.rows; ++r) first[r] = is_dependent(m, r);
    ac_status status = confirm(m, &any);
    for (int r = 0; r < o->layout.rows && any && status == AC_OK; ++r)
        if (first[r] && is_dependent(m, r)) o->layout.left_out[r] = AC_LEFT_OUT;
    ac_release(o->ctx, first);
    return status;
}

/* Multipliers of the conditions that a motion asks for are not unique where one of them follows from others. */
static void mark_shared(ac_optimization *o)
{
    bool any = false;
    for (int r = 0; r < o->layout.rows; ++r) any = any || o->layout.left_out[r] == AC_LEFT_OUT;
    for (int k = 0; any && k < o->description.condition_count; ++k) {
        ac_condition_data *c = &o->description.conditions[k];
        c->shared = c->shared || c->low == c->high;
    }
}

ac_status ac_leave_out_redundant(ac_optimization *o)
{
    matrix m = {0};
    ac_release(o->ctx, o->layout.left_out);
    o->layout.left_out = NULL;
    if (o->description.phases) AC_TRY(ac_let_holds_go(o));
    ac_pose_exactly(o, false);
    ac_status status = create(o, &m);
    if (status == AC_OK && classify(&m)) status = mark(&m);
    destroy(&m);
    if (status == AC_OK && o->layout.left_out) mark_shared(o);
    if (o->layout.left_out) ac_layout_bound_rows(o);
    return status;
}

/* ---- their names ---- */

/* The first few, and how many more there are. */
static void list_names(const matrix *m, char *text, size_t size)
{
    int named = 0, more = 0;
    size_t used = 0;
    for (int r = 0; r < m->o->layout.rows; ++r) {
        char name[128];
        if (!is_dependent(m, r)) continue;
        if (named == NAMED) {
            ++more;
            continue;
        }
        ac_row_name(m->o, r, name, sizeof name);
        used += (size_t)snprintf(text + used, used < size ? size - used : 0, "%s%s", named++ > 0 ? ", " : "",
                                 name);
    }
    if (more > 0 && used < size) snprintf(text + used, size - used, " and %d more", more);
}

ac_status ac_name_redundant(ac_optimization *o, char *text, size_t size)
{
    matrix m = {0};
    bool any = false;
    text[0] = '\0';
    ac_pose_exactly(o, true);
    ac_status status = create(o, &m);
    if (status == AC_OK && classify(&m)) {
        status = weigh_columns(&m);
        if (status == AC_OK) status = find(&m, &any);
        if (status == AC_OK && any) list_names(&m, text, size);
    }
    destroy(&m);
    ac_pose_exactly(o, false);
    return status;
}

/* At an end, before the solve. */
static bool is_reduced(const ac_optimization *o, const ac_row_block *block)
{
    return block->kind == AC_ROW_CONDITION && o->description.conditions[block->item].dependent &&
           (block->place == 0 || block->place == o->layout.N);
}

int ac_left_out_row(const ac_optimization *o, int number)
{
    for (int b = 0; b < o->layout.block_count; ++b)
        if (is_reduced(o, &o->layout.blocks[b]) && number-- == 0) return o->layout.blocks[b].first;
    for (int r = 0; o->layout.left_out && r < o->layout.rows; ++r)
        if (o->layout.left_out[r] == AC_LEFT_OUT && number-- == 0) return r;
    return -1;
}
