/* How near the turns of a step come to their limit, where a run fails.
 *
 * A search that follows derivatives does not see a failure before it is there. So turns beyond a share of the limit count:
 * the sum of the squares of what the cosine of a turn is below that of this share, over bodies and steps. */
#include <math.h>

#include "ensemble/lanes.h"
#include "model/system.h"
#include "task/certify/runner_data.h"
#include "math/math.h"

double ac_runner_tight_step(const ac_runner *r, const double *qa, const double *qb, double *by_a,
                            double *by_b)
{
    double least = ac_lanes_near_limit(r->settings.turn_limit), sum = 0.0;
    for (int i = 0; i < r->system->node_count; ++i) {
        const ac_node *node = &r->system->nodes[i];
        int turns = ac_node_turns(node), first = node->q + node->dimension;
        if (turns == 0) continue;
        int count = turns == 1 ? 2 : 9;
        double cosine = turns == 1 ? 0.0 : -0.5, share = turns == 1 ? 1.0 : 0.5;
        for (int k = first; k < first + count; ++k) cosine += share * qa[k] * qb[k];
        double below = ac_max(0.0, least - cosine);
        sum += below * below;
        for (int k = first; k < first + count && below > 0.0 && by_a; ++k) {
            by_a[k] -= 2.0 * below * share * qb[k];
            by_b[k] -= 2.0 * below * share * qa[k];
        }
    }
    return sum;
}
