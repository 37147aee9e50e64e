#include "optimize/solve/sizes.h"

#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "math/math.h"
#include "optimize/phases/phases.h"

/* Momenta (kg m/s, kg m^2/s) for which SI units will do, and how far units may be from what is measured. */
static const double SMALL = 1e-3, LARGE = 1e5, FAR = 1e3;
static const double FAINT = 0.1, HUGE_SIZE = 1e6; /* of an objective, in its unit, which is then changed */
static const double ROUNDING = 1e3 * 2.2e-16;     /* of coordinates: what moves by less is at rest */

static double power_of_ten(double size)
{
    return ac_pow(10.0, floor(ac_log10(size)));
}

/* The largest momentum of an interval of one motion, and the one that rounding of the coordinates makes. */
static double momentum_of(const ac_optimization *o, double *rounding)
{
    int n = o->layout.n;
    double *step = o->point.work, *p = o->point.Gw, most = 0.0;
    for (int k = 0; k < o->layout.N; ++k) {
        const double *q = o->point.q + (size_t)k * (size_t)n;
        for (int i = 0; i < n; ++i) step[i] = (q[n + i] - q[i]) / o->point.h;
        ac_mass_apply(o->system, step, p);
        for (int i = 0; i < n; ++i) most = ac_max(most, fabs(p[i]));
        ac_mass_apply(o->system, q, p);
        for (int i = 0; i < n; ++i) *rounding = ac_max(*rounding, ROUNDING * fabs(p[i]) / o->point.h);
    }
    return most;
}

static double force_of(const ac_optimization *o)
{
    double most = 0.0;
    for (int i = 0; i < o->layout.N * o->description.control_count; ++i)
        most = ac_max(most, fabs(o->point.x[o->layout.first.control + i]));
    return most;
}

static void put(double *list, int first, int count, double size)
{
    for (int i = 0; i < count; ++i) list[first + i] = size;
}

/* Units of one motion, whose unknowns and rows begin there in those of the whole. */
static void put_units(const ac_optimization *o, double momentum, double force, double *unknown, double *row)
{
    const ac_optimization_layout *l = &o->layout;
    bool by_momenta = o->transcription == AC_COLLOCATION_QP;
    int N = l->N;
    put(unknown, l->first.control, N * o->description.control_count, force);
    put(unknown, l->first.hold, (N + 1) * o->description.phase.hold_count, force);
    if (o->transcription < AC_COLLOCATION_QP)
        put(unknown, l->first.multiplier, (N + 1) * l->used_constraints, force);
    if (by_momenta) put(unknown, l->first.momentum, (N + 1) * l->width, momentum);
    for (int b = 0; b < l->block_count; ++b) {
        const ac_row_block *block = &l->blocks[b];
        if (block->kind == AC_ROW_DYNAMICS) put(row, block->first, block->count, momentum);
        if (block->kind == AC_ROW_MOMENTUM && !by_momenta) /* places, then momenta */
            put(row, block->first + block->count / 2, block->count / 2, momentum);
        if ((block->kind == AC_ROW_MOMENTUM || block->kind == AC_ROW_VELOCITY) && by_momenta)
            put(row, block->first, block->count, momentum);
        if (block->kind == AC_ROW_RATE || block->kind == AC_ROW_FRICTION)
            put(row, block->first, block->count, force);
    }
}

static const ac_optimization *motion_of(const ac_optimization *o, int k, int *variable, int *row)
{
    const ac_phases *p = o->description.phases;
    *variable = p ? p->first_variable[k] : 0;
    *row = p ? p->first_row[k] : 0;
    return p ? p->list[k] : o;
}

void ac_sizes_reset(ac_optimization *o)
{
    put(o->layout.unit.unknown, 0, o->layout.variables, 1.0);
    put(o->layout.unit.row, 0, o->layout.rows, 1.0);
    o->layout.unit.momentum = o->layout.unit.objective = 1.0;
}

bool ac_sizes_take_momenta(ac_optimization *o)
{
    ac_layout_units *unit = &o->layout.unit;
    int count = o->description.phases ? o->description.phases->count : 1, variable, row;
    double momentum = 0.0, force = 0.0, duration = 0.0, rounding = 0.0;
    for (int k = 0; k < count; ++k) {
        const ac_optimization *motion = motion_of(o, k, &variable, &row);
        double T = motion->point.h * motion->layout.N;
        momentum = ac_max(momentum, ac_max(momentum_of(motion, &rounding), T * force_of(motion)));
        duration += T;
    }
    bool ordinary = momentum >= SMALL && momentum <= LARGE;
    double size = ordinary ? 1.0 : power_of_ten(momentum);
    if (!(momentum > rounding) || !isfinite(momentum) || (ordinary && unit->momentum == 1.0) ||
        fabs(ac_log10(momentum / unit->momentum)) < ac_log10(FAR))
        return false;
    force = ordinary ? 1.0 : power_of_ten(momentum / duration);
    for (int k = 0; k < count; ++k) {
        const ac_optimization *motion = motion_of(o, k, &variable, &row);
        put_units(motion, size, force, unit->unknown + variable, unit->row + row);
    }
    unit->momentum = size;
    return true;
}

bool ac_sizes_take_objective(ac_optimization *o, double size)
{
    if (!(size > 0.0) || !isfinite(size) || (size >= FAINT && size <= HUGE_SIZE)) return false;
    o->layout.unit.objective *= power_of_ten(size);
    return true;
}
