/* A cycle begins again with the same mechanism: after the map S of its junction, bodies have the masses, the joints and the forces of
 * those whose place they take.
 *
 *   M S x = S M x                          masses and inertias
 *   g(S q) = 0,  G(S q) S v = 0            joints
 *   f(S q - l d, S v) . S v = f(q, v) . v  gravity, springs, dampers, beams and loads
 *
 * q is a configuration that the joints allow, away from the assembled one, where springs may be at rest and legs beside one another; v is
 * a motion that they allow. A difference shows with almost any of them, so one is enough. Both are always the same. */
#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "action/load.h"
#include "action/scheme/scheme.h"
#include "linalg/dense.h"
#include "math/math.h"
#include "optimize/phases/phases.h"

enum { CLOSINGS = 20 };
static const double CLOSED = 1e-10, RANK_TOLERANCE = 1e-9;
/* Turns and parts of the typical length by which the joints are moved. */
static const double MOVE = 0.1;
/* Powers that differ by less than this part are the same. */
static const double SAME = 1e-6;

typedef struct alike {
    const ac_optimization *whole;
    const ac_system *system;
    const ac_junction_data *j;
    int n, freedoms, loops; /* rows that close loops */
    ac_joint_state *state;
    double *q, *v, *Sq, *Sv;                  /* n each */
    double *u, *z, *columns, *twists, *J, *g; /* of the tree; J: loops x freedoms */
    double *winding, *f, *a, *b;              /* measures; n each */
    double *block;
    int *ints;
    ac_row_space space;
} alike;

static ac_status create(const ac_optimization *whole, const ac_junction_data *j, alike *w)
{
    const ac_system *system = whole->system;
    *w = (alike){.whole = whole, .system = system, .j = j, .n = system->n, .freedoms = system->tree.freedoms};
    w->loops = system->constraints.count - system->constraints.closure;
    size_t n = (size_t)w->n, m = (size_t)w->freedoms, rows = (size_t)system->constraints.count + 1,
           space = ac_row_space_doubles(w->loops, w->freedoms);
    double **lists[] = {&w->q, &w->v, &w->Sq,      &w->Sv,     &w->f, &w->a, &w->b,
                        &w->u, &w->z, &w->columns, &w->twists, &w->J, &w->g, &w->winding};
    size_t sizes[] = {n,
                      n,
                      n,
                      n,
                      n,
                      n,
                      n,
                      m,
                      m,
                      6 * m,
                      6 * (size_t)system->node_count,
                      (size_t)w->loops * m,
                      rows,
                      (size_t)system->measure_count},
           total = space;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) total += sizes[k];
    AC_NEW(whole->ctx, w->state, system->node_count);
    AC_NEW(whole->ctx, w->block, total);
    AC_NEW(whole->ctx, w->ints, ac_row_space_ints(w->loops, w->freedoms));
    double *next = w->block + space;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; next += sizes[k], ++k) *lists[k] = next;
    ac_row_space_place(&w->space, w->loops, w->freedoms, w->block, w->ints);
    return AC_OK;
}

static void destroy(alike *w)
{
    ac_release(w->whole->ctx, w->state);
    ac_release(w->whole->ctx, w->block);
    ac_release(w->whole->ctx, w->ints);
}

static void map_vector(const ac_junction_data *j, int n, const double *x, double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int e = 0; e < j->map_count; ++e) out[j->map[e].to] += j->map[e].factor * x[j->map[e].from];
}

/* --- masses --- */

static ac_status compare_masses(alike *w)
{
    double *x = w->v, *Sx = w->Sv, *MSx = w->a, *SMx = w->b, size = 0.0;
    for (int i = 0; i < w->n; ++i) x[i] = ac_sin(1.0 + 7.0 * i);
    map_vector(w->j, w->n, x, Sx);
    ac_mass_apply(w->system, Sx, MSx);
    ac_mass_apply(w->system, x, Sx);
    map_vector(w->j, w->n, Sx, SMx);
    for (int i = 0; i < w->n; ++i) size = ac_max(size, fabs(MSx[i]));
    for (int i = 0; i < w->n; ++i)
        if (fabs(MSx[i] - SMx[i]) > 1e-9 * size)
            return ac_fail(
                w->whole->ctx, AC_BAD_INPUT,
                "a cycle cannot join different mechanisms: bodies that take the place of one another have "
                "different masses or inertias");
    return AC_OK;
}

/* --- a configuration and a motion that the joints allow --- */

/* The rows that close loops at q, and their slopes by the freedoms. */
static double loop_rows(alike *w)
{
    double size = 0.0;
    ac_tree_columns(w->system, w->state, w->q, w->columns);
    if (w->loops == 0) return 0.0;
    ac_constraints_value(w->system, w->q, w->system->constraints.closure, w->g);
    for (int k = 0; k < w->loops; ++k) size = ac_max(size, fabs(w->g[k]));
    ac_closure_jacobian(w->system, w->columns, w->q, w->J);
    ac_row_space_factor(&w->space, w->J, RANK_TOLERANCE, w->loops);
    return size;
}

/* false: the loops do not close there. */
static bool move(alike *w, double size)
{
    const ac_system *system = w->system;
    for (int k = 0; k < w->freedoms; ++k) w->z[k] = size * ac_sin(1.0 + 3.0 * k);
    ac_tree_move(system, w->z, system->initial.state, w->state, w->q);
    for (int pass = 0; pass < CLOSINGS; ++pass) {
        if (loop_rows(w) < CLOSED * ac_max(1.0, system->length_scale)) return true;
        ac_row_space_solve(&w->space, w->g, w->z);
        for (int k = 0; k < w->freedoms; ++k) w->z[k] = -w->z[k];
        ac_tree_move(system, w->z, w->state, w->state, w->q);
    }
    return false;
}

static void find_motion(alike *w)
{
    for (int k = 0; k < w->freedoms; ++k) w->u[k] = ac_sin(2.0 + 5.0 * k);
    for (int r = 0; r < w->loops; ++r) {
        w->g[r] = 0.0;
        for (int k = 0; k < w->freedoms; ++k) w->g[r] += w->J[r * w->freedoms + k] * w->u[k];
    }
    if (w->loops > 0) ac_row_space_solve(&w->space, w->g, w->z);
    for (int k = 0; k < w->freedoms && w->loops > 0; ++k) w->u[k] -= w->z[k];
    ac_tree_twists(w->system, w->columns, w->q, w->u, w->twists);
    ac_tree_velocity(w->system, w->q, w->twists, w->v);
    map_vector(w->j, w->n, w->q, w->Sq);
    map_vector(w->j, w->n, w->v, w->Sv);
}

/* --- joints --- */

/* What holds the bodies together must fit after the map, and where the cycle ends, too. */
static ac_status compare_joint(const alike *w, int row)
{
    const ac_system *system = w->system;
    const ac_constraints *c = &system->constraints;
    const int *at = c->coordinate + c->start[row];
    double form[AC_ELEMENT_MAX] = {0.0}, gradient[AC_ELEMENT_MAX] = {0.0},
           limit = 1e-7 * ac_max(1.0, system->length_scale), away = 0.0, rate = 0.0;
    int owner = c->owner[row], count = c->start[row + 1] - c->start[row];
    const char *kind = owner >= 0 ? "joint" : "body",
               *name = owner >= 0 ? system->joints[owner].name : system->nodes[-1 - owner].name;
    for (int s = 0; s < count; ++s) form[s] = w->Sq[at[s]];
    ac_constraint_gradient(system, row, w->Sq, gradient);
    for (int s = 0; s < count; ++s) rate += gradient[s] * w->Sv[at[s]];
    if (fabs(ac_form_value(&c->forms, row, form)) > limit || fabs(rate) > limit)
        return ac_fail(w->whole->ctx, AC_BAD_INPUT,
                       "a cycle cannot join different mechanisms: %s '%s' does not fit any more when bodies "
                       "have taken the place of one another",
                       kind, name);
    for (int s = 0; s < count && w->j->shift; ++s) away += gradient[s] * w->j->shift[at[s]];
    if (fabs(away) <= limit) return AC_OK;
    return ac_fail(
        w->whole->ctx, AC_BAD_INPUT,
        "a cycle cannot begin again further on: joint '%s' ties the mechanism to the ground, which "
        "stays where it is",
        name);
}

static ac_status compare_joints(const alike *w)
{
    for (int row = 0; row < w->system->constraints.count; ++row) AC_TRY(compare_joint(w, row));
    return AC_OK;
}

/* --- forces --- */

/* One kind of forces at the configuration q and the velocity v: f += them. */
typedef void (*forces)(const alike *w, double *q, double *v, double *f);

static void add_gravity(const alike *w, double *q, double *v, double *f)
{
    (void)q;
    (void)v;
    ac_gravity_add(w->system, 1.0, f);
}

static void add_potentials(const alike *w, double *q, double *v, double *f)
{
    (void)v;
    ac_potential_add_gradient(w->system, q, w->winding, -1.0, f);
}

static void add_dampers(const alike *w, double *q, double *v, double *f)
{
    const ac_interval instant = {
        .system = w->system, .qa = q, .qb = q, .velocity = v, .winding = w->winding, .h = 1.0};
    ac_interval_add_damping(&instant, q, 1.0, f);
}

static void add_loads(const alike *w, double *q, double *v, double *f)
{
    (void)v;
    ac_loads_add(w->system, 0.0, 0.0, q, w->winding, 1.0, f);
}

static const struct {
    forces add;
    const char *what;
} kinds[] = {{add_gravity, "gravity is"},
             {add_potentials, "forces of springs or beams are"},
             {add_dampers, "forces of dampers are"},
             {add_loads, "loads are"}};

/* Power of forces with a motion, and the largest that it could be. */
static double power(const alike *w, forces add, double *q, double *v, double *size)
{
    double sum = 0.0, squares[2] = {0.0, 0.0};
    for (int k = 0; k < w->system->measure_count; ++k) w->winding[k] = w->system->measures[k].initial;
    ac_measures_wind(w->system, q, w->winding);
    memset(w->f, 0, (size_t)w->n * sizeof *w->f);
    add(w, q, v, w->f);
    for (int i = 0; i < w->n; ++i) {
        sum += w->f[i] * v[i];
        squares[0] += w->f[i] * w->f[i];
        squares[1] += v[i] * v[i];
    }
    *size = sqrt(squares[0] * squares[1]);
    return sum;
}

static ac_status compare_forces(const alike *w)
{
    for (int i = 0; i < w->n && w->j->shift; ++i) w->Sq[i] -= w->j->guess * w->j->shift[i];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        double size[2], before = power(w, kinds[k].add, w->q, w->v, &size[0]),
                        after = power(w, kinds[k].add, w->Sq, w->Sv, &size[1]);
        if (fabs(after - before) > SAME * ac_max(size[0], size[1]))
            return ac_fail(w->whole->ctx, AC_BAD_INPUT,
                           "a cycle cannot join different mechanisms: %s not the same where it begins again, "
                           "with bodies swapped, mirrored or moved on",
                           kinds[k].what);
    }
    return AC_OK;
}

ac_status ac_junction_check_alike(const ac_optimization *whole, const ac_junction_data *j)
{
    alike w;
    ac_status status = create(whole, j, &w);
    if (status == AC_OK) status = compare_masses(&w);
    if (status == AC_OK) {
        if (!move(&w, MOVE)) (void)move(&w, 0.0);
        find_motion(&w);
        status = compare_joints(&w);
    }
    if (status == AC_OK) status = compare_forces(&w);
    destroy(&w);
    return status;
}
