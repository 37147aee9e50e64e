/* Holds that pull down. A foot on a floor is pushed only: where `push` does not say so, the optimum may hang on to the floor. A held
 * quantity is a height if it grows by as much as everything is lifted against gravity. */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "action/inertia.h"
#include "base/vector.h"
#include "actio/optimize.h"
#include "optimize/judge/doubts.h"
#include "optimize/problem/prepare.h"

static const double ROUNDING = 1e-6; /* of a height; of the weight */

typedef struct pull {
    const char *name;
    double force, time;
} pull;

/* 1: a height, -1: a depth, 0: neither; `lifted`: configuration in which everything is higher by the typical length. */
static double height(const ac_optimization *phase, int hold, const double *lifted)
{
    const ac_scalars *scalars = &phase->description.scalars;
    int scalar = phase->description.phase.holds[hold];
    double near = phase->point.scalar_windings[scalar], low, high;
    low = ac_scalar_evaluate(scalars, scalar, phase->system->initial.q, near, NULL, NULL);
    high = ac_scalar_evaluate(scalars, scalar, lifted, near, NULL, NULL);
    double gain = (high - low) / phase->system->length_scale;
    return fabs(fabs(gain) - 1.0) < ROUNDING ? gain : 0.0;
}

static void lift(const ac_system *system, double *q)
{
    double weight = norm3(system->gravity);
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        double place[3], rotation[9];
        ac_node_get_pose(node, system->initial.q + node->q, place, rotation);
        for (int c = 0; c < 3; ++c) place[c] -= system->length_scale / weight * system->gravity[c];
        ac_node_set_pose(node, place, rotation, q + node->q);
    }
}

static void look_at(const ac_optimization *phase, double begin, const double *lifted, pull *most)
{
    const bool *pushes = phase->description.phase.pushes;
    int N = ac_optimization_intervals(phase);
    for (int k = 0; k < ac_optimization_holds(phase); ++k) {
        double up = pushes && pushes[k] ? 0.0 : height(phase, k, lifted);
        for (int node = 0; node <= N && up != 0.0; ++node) {
            double force = -up * ac_optimization_hold_force(phase, k, node);
            if (!(force > most->force)) continue;
            *most = (pull){ac_optimization_hold_name(phase, k), force,
                           begin + node * ac_optimization_duration(phase) / N};
        }
    }
}

ac_status ac_name_pulling_hold(const ac_optimization *o, char *text, size_t size)
{
    const ac_system *system = o->system;
    double *lifted, begin = 0.0;
    *text = '\0';
    if (norm3(system->gravity) == 0.0 || ac_optimization_phases(o) == 0) return AC_OK;
    pull most = {.force = ROUNDING * ac_total_mass(system) * norm3(system->gravity)};
    AC_NEW(o->ctx, lifted, system->n);
    lift(system, lifted);
    for (int p = 0; p < ac_optimization_phases(o); ++p) {
        const ac_optimization *phase = ac_optimization_phase((ac_optimization *)o, p);
        look_at(phase, begin, lifted, &most);
        begin += ac_optimization_duration(phase);
    }
    ac_release(o->ctx, lifted);
    if (most.name)
        snprintf(text, size,
                 "what is held pulls '%.80s' down with up to %.4g N (t = %.4g s): a floor cannot; with push: "
                 "[%.80s] the "
                 "force is not negative",
                 most.name, most.force, most.time, most.name);
    return AC_OK;
}
