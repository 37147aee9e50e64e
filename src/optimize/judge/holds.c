/* What a phase holds twice: a quantity whose gradient is a combination of those of the constraints and of what is held before it.
 * The forces of such holds are not unique, and no equations with all of them can be solved. Where nothing depends on how the forces are
 * shared, it is let go: its rows become limits with some room, and it takes no force. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vector.h"
#include "math/math.h"
#include "optimize/judge/doubts.h"
#include "optimize/judge/reduce.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/prepare.h"
#include "tree/kinematics.h"

static const double DEPENDENT = 1e-7; /* part of a gradient that the others leave */
static const double CLEARLY = 1.5;    /* a choice is better by so much, or not at all */
static const double ENTRIES_MOST = 4e6;

/* Orthonormal rows: of the constraints, then of what is held. */
typedef struct held_rows {
    const ac_optimization *o;
    int n, constraints, count;
    double *rows, *trial;
    double *beside; /* a configuration with bodies turned */
    bool *gone;     /* per hold: it is left out already */
} held_rows;

static double norm(const held_rows *s, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Takes the row on trial if the others leave something of it: which part; 0: nothing. Twice, so that rounding leaves nothing. */
static double take(held_rows *s)
{
    size_t n = (size_t)s->n;
    double size = norm(s, s->trial);
    for (int pass = 0; pass < 2; ++pass)
        for (int r = 0; r < s->count; ++r) {
            const double *row = s->rows + (size_t)r * n;
            double along = 0.0;
            for (size_t i = 0; i < n; ++i) along += row[i] * s->trial[i];
            for (size_t i = 0; i < n; ++i) s->trial[i] -= along * row[i];
        }
    double left = norm(s, s->trial);
    if (!(left > DEPENDENT * size)) return 0.0;
    for (size_t i = 0; i < n; ++i) s->rows[(size_t)s->count * n + i] = s->trial[i] / left;
    ++s->count;
    return left / size;
}

static void take_constraints(held_rows *s, const double *q)
{
    const ac_system *system = s->o->system;
    const ac_constraints *c = &system->constraints;
    double own[AC_SCALAR_MAX];
    s->count = 0;
    for (int k = 0; k < c->count; ++k) {
        memset(s->trial, 0, (size_t)s->n * sizeof *s->trial);
        ac_constraint_gradient(system, k, q, own);
        for (int e = c->start[k]; e < c->start[k + 1]; ++e)
            s->trial[c->coordinate[e]] += own[e - c->start[k]];
        take(s);
    }
    s->constraints = s->count;
}

static double take_hold(held_rows *s, int hold, int node, const double *q)
{
    const ac_scalars *scalars = &s->o->description.scalars;
    int scalar = s->o->description.phase.holds[hold];
    double own[AC_SCALAR_MAX],
        winding = s->o->point.scalar_windings[(size_t)node * (size_t)scalars->count + (size_t)scalar];
    ac_scalar_evaluate(scalars, scalar, q, winding, own, NULL);
    memset(s->trial, 0, (size_t)s->n * sizeof *s->trial);
    for (int i = 0; i < scalars->list[scalar].plain; ++i)
        s->trial[ac_scalar_coordinates(scalars, scalar)[i]] += own[i];
    return take(s);
}

/* The configurations that are looked at: the start, the middle, the end, and one beside the start. A foot that lies flat may be
 * held as if it could not turn. */
enum { PLACES = 4 };

static const double *place(const held_rows *s, int i, int *node)
{
    int N = s->o->layout.N;
    *node = i == 1 ? N / 2 : i == 2 ? N : 0;
    return i == PLACES - 1 ? s->beside : ac_q(s->o, *node);
}

/* The least part that is left of another quantity when `hold` (and `skip`, if there is one) is left out; 0: it does not follow from
 * them. */
static double left_without(held_rows *s, int i, int hold, int skip)
{
    int node;
    const double *q = place(s, i, &node);
    double least = 1.0;
    take_constraints(s, q);
    for (int k = 0; k < s->o->description.phase.hold_count; ++k) {
        if (k == hold || k == skip || s->gone[k]) continue;
        double part = take_hold(s, k, node, q);
        if (part > 0.0) least = ac_min(least, part);
    }
    return take_hold(s, hold, node, q) > 0.0 ? 0.0 : least;
}

/* The quantity that follows from the others everywhere, and without which these are as independent as they can be; the later one
 * of two. -1: there is none. */
static int find_dependent(held_rows *s)
{
    int found = -1;
    double best = 0.0;
    for (int k = s->o->description.phase.hold_count - 1; k >= 0; --k) {
        double least = s->gone[k] ? 0.0 : 1.0;
        for (int i = 0; i < PLACES && least > 0.0; ++i) least = ac_min(least, left_without(s, i, k, -1));
        if (least <= CLEARLY * best) continue;
        best = least;
        found = k;
    }
    return found;
}

/* Of which others: those without which it is independent. */
static void name_others(held_rows *s, int dependent, char *text, size_t size)
{
    int named = 0;
    for (int k = 0; k < s->o->description.phase.hold_count; ++k) {
        if (k == dependent || left_without(s, PLACES - 1, dependent, k) > 0.0) continue;
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s'%.60s'", named++ > 0 ? ", " : "",
                 ac_optimization_hold_name(s->o, k));
    }
    if (named == 0) snprintf(text, size, "the joints");
}

/* Every body turned by an angle of its own; directors stay orthonormal. */
static void turn_bodies(const ac_optimization *o, double *q)
{
    static const double axis[3] = {0.36, 0.48, 0.8};
    memcpy(q, ac_q(o, 0), (size_t)o->layout.n * sizeof *q);
    for (int i = 0; i < o->system->node_count; ++i) {
        const ac_node *node = &o->system->nodes[i];
        double angle = 0.3 + 0.4 * ac_sin(12.9898 * (i + 1)), c = ac_cos(angle), s = ac_sin(angle);
        int first, count = ac_node_turns(node) == 0 ? 0 : ac_director_numbers(node, &first);
        for (int k = 0; k < count; k += count == 2 ? 2 : 3) {
            double *d = q + first + k, x = d[0], y = d[1];
            if (count == 2) {
                d[0] = c * x - s * y;
                d[1] = s * x + c * y;
                continue;
            }
            double across[3], along = (1.0 - c) * dot3(axis, d);
            cross3(axis, d, across);
            for (int j = 0; j < 3; ++j) d[j] = c * d[j] + s * across[j] + along * axis[j];
        }
    }
}

/* Rows for the holds of a phase; `rows` stays NULL: it holds nothing, or too much to look at. */
static ac_status create(const ac_optimization *phase, held_rows *s)
{
    int n = phase->system->n, holds = phase->description.phase.hold_count,
        rows = phase->system->constraints.count + holds;
    *s = (held_rows){.o = phase, .n = n};
    if (holds == 0 || (double)rows * n > ENTRIES_MOST || phase->system->mesh.dual_nodes > 0) return AC_OK;
    AC_NEW(phase->ctx, s->gone, holds);
    AC_NEW(phase->ctx, s->rows, (size_t)(rows + 2) * (size_t)n);
    s->trial = s->rows + (size_t)rows * (size_t)n;
    s->beside = s->trial + n;
    turn_bodies(phase, s->beside);
    return AC_OK;
}

static void destroy(const ac_optimization *phase, held_rows *s)
{
    ac_release(phase->ctx, s->gone);
    ac_release(phase->ctx, s->rows);
}

ac_status ac_name_dependent_holds(const ac_optimization *o, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < ac_optimization_phases(o) && !text[0]; ++k) {
        const ac_optimization *phase = o->description.phases->list[k];
        held_rows s;
        ac_status status = create(phase, &s);
        int found = status == AC_OK && s.rows ? find_dependent(&s) : -1;
        if (found >= 0) {
            char others[320] = "";
            name_others(&s, found, others, sizeof others);
            snprintf(text, size, "phase '%.60s' holds '%.60s', which follows from %s; leave it out",
                     ac_optimization_phase_name(o, k), ac_optimization_hold_name(phase, found), others);
        }
        destroy(phase, &s);
        AC_TRY(status);
    }
    return AC_OK;
}

/* ---- before a solve ---- */

/* The forces of the whole that belong to a hold: at the nodes, and the impulses at junctions before the phase. */
static void bound_forces(ac_optimization *o, int phase, int hold, bool gone)
{
    const ac_phases *p = o->description.phases;
    const ac_optimization *own = p->list[phase];
    for (int n = 0; n <= own->layout.N; ++n) {
        int i = ac_hold_variable(own, n) + hold, at = ac_phases_unknown(o, phase, i);
        o->layout.bounds.lower[at] = gone ? 0.0 : own->layout.bounds.lower[i];
        o->layout.bounds.upper[at] = gone ? 0.0 : own->layout.bounds.upper[i];
        if (gone) o->point.x[at] = 0.0;
    }
    for (int k = 0; k < p->junction_count; ++k) {
        int at = p->junctions[k].impulses + hold;
        if (p->junctions[k].to != phase) continue;
        o->layout.bounds.lower[at] = gone ? 0.0 : -INFINITY;
        o->layout.bounds.upper[at] = gone ? 0.0 : INFINITY;
        if (gone) o->point.x[at] = 0.0;
    }
}

void ac_hold_all_again(ac_optimization *o)
{
    const ac_phases *p = o->description.phases;
    for (int k = 0; p && k < p->count; ++k)
        for (int h = 0; h < p->list[k]->description.phase.hold_count; ++h) bound_forces(o, k, h, false);
}

/* How forces are shared matters where they may not pull, or slip; what happens within an impact is not looked at. */
static bool may_let_go(const ac_optimization *o, int phase)
{
    const ac_phases *p = o->description.phases;
    const ac_phase_rules *rules = &p->list[phase]->description.phase;
    bool free = rules->cone_count == 0;
    for (int h = 0; rules->pushes && h < rules->hold_count; ++h) free = free && !rules->pushes[h];
    for (int k = 0; k < p->junction_count; ++k)
        free = free && !(p->junctions[k].to == phase && ac_has_compression(&p->junctions[k]));
    return free;
}

static ac_status let_go(ac_optimization *o, int phase, int hold)
{
    const ac_optimization *own = o->description.phases->list[phase];
    if (!o->layout.left_out) AC_NEW(o->ctx, o->layout.left_out, o->layout.rows + 1);
    for (int b = 0; b < own->layout.block_count; ++b) {
        const ac_row_block *block = &own->layout.blocks[b];
        if (block->kind == AC_ROW_HOLD || block->kind == AC_ROW_HOLD_RATE)
            o->layout.left_out[o->description.phases->first_row[phase] + block->first + hold] = AC_LET_GO;
    }
    bound_forces(o, phase, hold, true);
    return AC_OK;
}

ac_status ac_let_holds_go(ac_optimization *o)
{
    const ac_phases *p = o->description.phases;
    ac_hold_all_again(o);
    for (int k = 0; p && k < p->count; ++k) {
        held_rows s;
        ac_status status = create(p->list[k], &s);
        bool looked = status == AC_OK && s.rows && may_let_go(o, k);
        for (int found = 0; looked && found >= 0 && status == AC_OK;) {
            found = find_dependent(&s);
            if (found < 0) break;
            s.gone[found] = true;
            status = let_go(o, k, found);
        }
        destroy(p->list[k], &s);
        AC_TRY(status);
    }
    if (o->layout.left_out) ac_evaluate_at(o, o->point.x);
    return AC_OK;
}
