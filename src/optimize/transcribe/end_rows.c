/* Which rows of the dynamics are posed at the last node when the velocity there is given: those of the
 * momentum of a system on which nothing acts from outside follow from the others and are left out. */
#include <math.h>

#include "base/vector.h"
#include "action/describe/actor.h"
#include "action/inertia.h"
#include "math/math.h"
#include "optimize/problem/optimization.h"
#include "action/momentum.h"

static void note_outside(void *any, const ac_actor *actor)
{
    if (actor->outside) *(bool *)any = true;
}

/* The one free body of a system on which nothing acts from outside, AC_GROUND if there is none: its
 * momentum at the end follows from the beginning. */
static int isolated_root(const ac_optimization *o)
{
    const ac_system *system = o->system;
    int root = AC_GROUND;
    bool outside = false;
    if (o->description.phase.hold_count > 0) return AC_GROUND;
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (o->description.chart.parent[i] != AC_GROUND) continue;
        if (root != AC_GROUND || node->joint >= 0) return AC_GROUND;
        root = i;
    }
    for (int i = 0; i < 3; ++i)
        if (system->gravity[i] != 0.0 ||
            (o->layout.parameters > 0 && o->description.variation.of.gravity[i] >= 0))
            return AC_GROUND;
    ac_each_actor(system, note_outside, &outside);
    for (int k = 0; k < system->joint_count; ++k)
        if (system->joints[k].a.node == AC_GROUND || system->joints[k].b.node == AC_GROUND) return AC_GROUND;
    if (outside || !o->settings.start_velocity) return AC_GROUND;
    for (int k = 0; k < o->description.control_count; ++k)
        if (o->description.controls[k].given.type != AC_LOAD_JOINT) return AC_GROUND;
    return root;
}

static ac_status check_isolated(ac_optimization *o, int root)
{
    const ac_system *system = o->system;
    double linear[3], angular[3], size = 0.0, scale = 0.0;
    const double about[3] = {0.0, 0.0, 0.0};
    double *p = ac_allocate(o->ctx, (size_t)o->layout.n, sizeof *p);
    if (!p) return ac_out_of_memory(o->ctx);
    ac_mass_apply(system, system->initial.v, p);
    ac_momentum_maps(system, system->initial.q, p, about, linear, angular);
    for (int i = 0; i < o->layout.n; ++i) scale = ac_max(scale, fabs(p[i]));
    ac_release(o->ctx, p);
    for (int i = 0; i < 3; ++i) size = ac_max(size, ac_max(fabs(linear[i]), fabs(angular[i])));
    if (size <= 1e-9 * ac_max(scale, 1e-300) || size == 0.0) return AC_OK;
    return ac_fail(o->ctx, AC_NOT_CONVERGED,
                   "%s%sthe conditions contradict each other: nothing acts from outside on '%s' and what it "
                   "carries, which starts with momentum and so cannot be at rest at the end (linear %.3g, "
                   "angular %.3g; the velocity at the end is given as rest)",
                   o->end_where ? o->end_where : "", o->end_where ? ": " : "", system->nodes[root].name,
                   norm3(linear), norm3(angular));
}

static bool belongs_to(const ac_optimization *o, int row, int root)
{
    return root != AC_GROUND &&
           (o->layout.charted ? o->description.chart.holder[row] : o->layout.owner[row]) == root;
}

ac_status ac_choose_end_rows(ac_optimization *o)
{
    int rows = o->layout.width, root = o->settings.end_rest ? isolated_root(o) : AC_GROUND;
    AC_NEW(o->ctx, o->layout.end.rows, rows);
    AC_NEW(o->ctx, o->layout.end.multiplier, o->layout.used_constraints);
    if (root != AC_GROUND) AC_TRY(check_isolated(o, root));
    for (int i = 0; i < rows; ++i)
        if (!belongs_to(o, i, root)) o->layout.end.rows[o->layout.end.row_count++] = i;
    for (int k = 0; k < o->layout.used_constraints; ++k) {
        int row = o->layout.constraint_rows[k];
        bool of_root = root != AC_GROUND && !o->layout.charted && row < o->system->constraints.internal &&
                       o->system->constraints.owner[row] == -1 - root;
        o->layout.end.multiplier[k] = !of_root;
    }
    return AC_OK;
}
