/* Hints choose the branch on which loops are closed: also those of joints that the tree does not go through, whose
 * coordinates follow from the loops. Where the loops close far from the hints, they are closed again from other initial
 * states, and the one nearest to all hints stays. */
#include <math.h>
#include <string.h>

#include "assembly/assemble.h"
#include "math/math.h"

static const double NEAR = 0.1;   /* of a hint, rad or m over the typical length: the branch it means */
static const double CLOSER = 0.5; /* beside the first one: another branch */
enum { MOST_ATTEMPTS = 24 };

/* How far the joints are from their hints, rad and m over the typical length. */
static double distance(const ac_system *system)
{
    double x[AC_ELEMENT_MAX], sum = 0.0;
    for (int j = 0; j < system->joint_count; ++j) {
        const ac_joint_data *joint = &system->joints[j];
        if (!joint->hint || joint->first_measure < 0) continue;
        for (int c = 0; c < ac_row_coordinates(joint->row); ++c) {
            const ac_measure *m = &system->measures[joint->first_measure + c];
            ac_measure_gather(system, m, system->initial.q, x);
            double off = ac_measure_evaluate(system, m, x, joint->coordinates[c], NULL, NULL) -
                         joint->coordinates[c];
            sum += m->kind == AC_MEASURE_ANGLE ? off * off : ac_pow(off / system->length_scale, 2.0);
        }
    }
    return sqrt(sum);
}

typedef struct branch {
    ac_joint_state *state;
    double *q, far;
} branch;

static void keep(const ac_system *system, double far, branch *b)
{
    memcpy(b->state, system->initial.state, (size_t)system->node_count * sizeof *b->state);
    memcpy(b->q, system->initial.q, (size_t)system->n * sizeof *b->q);
    b->far = far;
}

static void look_around(ac_system *system, ac_assembling *w, branch *best)
{
    keep(system, distance(system), best);
    for (int attempt = 1; attempt <= MOST_ATTEMPTS && best->far > NEAR; ++attempt) {
        ac_assembly_guess(system);
        ac_assembly_disturb(system, w, attempt);
        if (ac_assembly_close(system, w, true) > ac_assembly_limit(system)) continue;
        double far = distance(system);
        if (far < CLOSER * best->far) keep(system, far, best);
    }
    memcpy(system->initial.state, best->state, (size_t)system->node_count * sizeof *best->state);
    memcpy(system->initial.q, best->q, (size_t)system->n * sizeof *best->q);
}

ac_status ac_assembly_follow_hints(ac_system *system, ac_assembling *w)
{
    branch best = {0};
    if (w->large || !(distance(system) > NEAR)) return AC_OK;
    best.state = ac_allocate(system->ctx, (size_t)system->node_count, sizeof *best.state);
    best.q = ac_allocate(system->ctx, (size_t)system->n, sizeof *best.q);
    bool made = best.state && best.q;
    if (made) look_around(system, w, &best);
    ac_release(system->ctx, best.state);
    ac_release(system->ctx, best.q);
    return made ? w->status : ac_out_of_memory(system->ctx);
}
