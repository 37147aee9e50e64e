/* What a phase holds twice: a quantity whose gradient is a combination of those of the constraints and of what is held before it.
 * The forces of such holds are not unique, and no equations with all of them can be solved. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "optimize/judge/doubts.h"
#include "optimize/phases/phases.h"
#include "optimize/problem/prepare.h"
#include "tree/kinematics.h"

static const double DEPENDENT = 1e-7; /* part of a gradient that the others leave */
static const double ENTRIES_MOST = 4e6;

/* Orthonormal rows: of the constraints, then of what is held. */
typedef struct held_rows {
    const ac_optimization *o;
    int n, constraints, count;
    double *rows, *trial;
} held_rows;

static double norm(const held_rows *s, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < s->n; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Takes the row on trial if the others leave something of it; twice, so that rounding leaves nothing. */
static bool take(held_rows *s)
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
    if (!(left > DEPENDENT * size)) return false;
    for (size_t i = 0; i < n; ++i) s->rows[(size_t)s->count * n + i] = s->trial[i] / left;
    ++s->count;
    return true;
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

static bool take_hold(held_rows *s, int hold, int node)
{
    const ac_scalars *scalars = &s->o->description.scalars;
    int scalar = s->o->description.phase.holds[hold];
    double own[AC_SCALAR_MAX],
        winding = s->o->point.scalar_windings[(size_t)node * (size_t)scalars->count + (size_t)scalar];
    ac_scalar_evaluate(scalars, scalar, ac_q(s->o, node), winding, own, NULL);
    memset(s->trial, 0, (size_t)s->n * sizeof *s->trial);
    for (int i = 0; i < scalars->list[scalar].plain; ++i)
        s->trial[ac_scalar_coordinates(scalars, scalar)[i]] += own[i];
    return take(s);
}

/* The first that depends on those before it at this node, where `skip` (-1: none) is not held; -1: none does. */
static int first_dependent(held_rows *s, int node, int skip, int until)
{
    s->count = s->constraints;
    for (int k = 0; k < until; ++k)
        if (k != skip && !take_hold(s, k, node)) return k;
    return -1;
}

/* Of which others: those without which it is independent. */
static void name_others(held_rows *s, int node, int dependent, char *text, size_t size)
{
    int named = 0;
    for (int k = 0; k < dependent; ++k) {
        if (first_dependent(s, node, k, dependent + 1) >= 0) continue;
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s'%.60s'", named++ > 0 ? ", " : "",
                 ac_optimization_hold_name(s->o, k));
    }
    if (named == 0) snprintf(text, size, "the joints");
}

/* The same quantity depends on others at the start, in the middle and at the end. */
static void name_of_motion(held_rows *s, const char *phase, char *text, size_t size)
{
    int N = s->o->layout.N, holds = s->o->description.phase.hold_count, found = -1;
    const int nodes[3] = {0, N / 2, N};
    for (int k = 0; k < 3; ++k) {
        take_constraints(s, ac_q(s->o, nodes[k]));
        int now = first_dependent(s, nodes[k], -1, holds);
        if (now < 0 || (k > 0 && now != found)) return;
        found = now;
    }
    char others[320] = "";
    name_others(s, N, found, others, sizeof others);
    snprintf(text, size, "phase '%.60s' holds '%.60s', which follows from %s; leave it out", phase,
             ac_optimization_hold_name(s->o, found), others);
}

ac_status ac_name_dependent_holds(const ac_optimization *o, char *text, size_t size)
{
    int n = o->system->n;
    text[0] = '\0';
    for (int k = 0; k < ac_optimization_phases(o) && !text[0]; ++k) {
        const ac_optimization *phase = o->description.phases->list[k];
        int holds = phase->description.phase.hold_count, rows = o->system->constraints.count + holds;
        held_rows s = {.o = phase, .n = n};
        if (holds == 0 || (double)rows * n > ENTRIES_MOST) continue;
        double *block = ac_allocate(o->ctx, (size_t)(rows + 1) * (size_t)n, sizeof *block);
        if (!block) return ac_out_of_memory(o->ctx);
        s.rows = block;
        s.trial = block + (size_t)rows * (size_t)n;
        name_of_motion(&s, ac_optimization_phase_name(o, k), text, size);
        ac_release(o->ctx, block);
    }
    return AC_OK;
}
