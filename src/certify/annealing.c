/* Simulated annealing. */
#include "certify/annealing.h"

#include <string.h>

#include "math/math.h"

/* A neighbour, projected into the box. */
static void propose(ac_anneal *a)
{
    for (int k = 0; k < a->count; ++k) {
        double part = a->parts[k] + a->schedule->width * (2.0 * ac_roll(&a->dice) - 1.0);
        a->trial[k] = ac_min(1.0, ac_max(0.0, part));
    }
}

ac_status ac_anneal_run(ac_anneal *a)
{
    const ac_annealing *schedule = a->schedule;
    double temperature = 1.0, value, lowest, trial;
    int trials = 0, successes = 0, rejections = 0;
    ac_status status = a->value(a->user, a->parts, &value);
    a->evaluations = 1;
    lowest = value;
    if (status == AC_OK && a->best) status = a->best(a->user, a->parts, value, 1);
    while (status == AC_OK && temperature > schedule->lowest && a->evaluations < schedule->evaluations &&
           rejections <= schedule->rejected) {
        propose(a);
        status = a->value(a->user, a->trial, &trial);
        ++a->evaluations;
        ++trials;
        if (status != AC_OK) break;
        bool accepted = trial < value ||
                        ac_roll(&a->dice) < ac_exp(-(trial - value) / (schedule->boltzmann * temperature));
        if (accepted) {
            memcpy(a->parts, a->trial, (size_t)a->count * sizeof *a->parts);
            value = trial;
        }
        successes = accepted ? successes + 1 : 0;
        rejections = accepted ? 0 : rejections + 1;
        if (trial < lowest) {
            lowest = trial;
            if (a->best) status = a->best(a->user, a->trial, trial, a->evaluations);
        }
        if (trials <= schedule->per_temperature && successes <= schedule->accepted) continue;
        temperature *= schedule->factor;
        trials = successes = 0;
    }
    return status;
}
