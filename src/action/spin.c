/* Forces of inertia in turning axes. M has blocks of multiples of the identity between places and directors, so that S M = M S
 * block by block: S^T M S is a sum of m (|w|^2 I - w w^T). */
#include "action/spin.h"

#include <math.h>
#include <string.h>

#include "action/inertia.h"
#include "base/vector.h"

static const double ALIGNED = 1e-12; /* sine of the angle between an axis and that of the rotation */

ac_status ac_spin_check(const ac_system *system, const double w[3])
{
    double across[3], size = norm3(w), weight = norm3(system->gravity);
    cross3(system->gravity, w, across);
    if (!isfinite(size))
        return ac_fail(system->ctx, AC_BAD_INPUT, "the rate of the rotation is not a finite number");
    if (norm3(across) > ALIGNED * size * weight)
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "a steady rotation needs gravity along its axis, or none: else the weight turns in "
                       "the axes of the system");
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        if (ac_node_type_of(node)->relative)
            return ac_fail(
                system->ctx, AC_BAD_INPUT,
                "dual quaternion beams cannot turn steadily; use another model for the beam of node '%s'",
                node->name);
        if (node->dimension < 2 || (node->dimension == 2 && (w[0] != 0.0 || w[1] != 0.0)))
            return ac_fail(system->ctx, AC_BAD_INPUT,
                           "'%s' cannot leave its %s, so it cannot turn about this axis", node->name,
                           node->dimension == 2 ? "plane" : "line");
    }
    return AC_OK;
}

/* y = w x x for a block of two or three numbers. */
static void turn(const double w[3], int dimension, const double *x, double y[3])
{
    double full[3] = {x[0], x[1], dimension == 3 ? x[2] : 0.0};
    cross3(w, full, y);
}

/* One product of blocks, f += factor m w x (w x x) or m w x x */
static void add_product(const ac_system *system, const double w[3], int times, const double *x, double factor,
                        double *f)
{
    for (int k = 0; k < system->inertia.count; ++k) {
        const ac_mass_entry *m = &system->inertia.entries[k];
        double once[3], twice[3];
        turn(w, m->dimension, x + m->column, once);
        turn(w, m->dimension, once, twice);
        for (int i = 0; i < m->dimension; ++i)
            f[m->row + i] += factor * m->coefficient * (times == 2 ? twice[i] : once[i]);
    }
}

double ac_spin_add_centrifugal(const ac_system *system, const double w[3], const double *q, double factor,
                               double *f)
{
    double potential = 0.0;
    if (!ac_spins(w)) return 0.0;
    add_product(system, w, 2, q, -factor, f);
    for (int k = 0; k < system->inertia.count; ++k) {
        const ac_mass_entry *m = &system->inertia.entries[k];
        double a[3], b[3];
        turn(w, m->dimension, q + m->row, a);
        turn(w, m->dimension, q + m->column, b);
        potential -= 0.5 * m->coefficient * dot3(a, b);
    }
    return potential;
}

void ac_spin_add_gyroscopic(const ac_system *system, const double w[3], const double *v, double *f)
{
    if (ac_spins(w)) add_product(system, w, 1, v, 2.0, f);
}

/* What visits the blocks of the mass matrix. */
typedef struct visit {
    const ac_system *system;
    const double *w;
    ac_spin_sink sink;
    void *user;
} visit;

static ac_status put_block(void *user, const ac_mass_block *m)
{
    const visit *to = user;
    const ac_system *system = to->system;
    const double *w = to->w;
    double block[AC_ELEMENT_MAX * AC_ELEMENT_MAX] = {0.0}, square = dot3(w, w);
    int nodes[2], count = 1, size = 0, first[2] = {0, 0};
    double mass;
    if (m->node >= 0) {
        const ac_node *node = &system->nodes[m->node];
        nodes[0] = m->node;
        mass = m->part == 0 ? node->mass : node->euler[m->part - 1];
    } else {
        const ac_mass_pair *pair = &system->mesh.mass_pairs[m->pair];
        nodes[0] = pair->a;
        nodes[1] = pair->b;
        count = 2;
        mass = ac_shared_mass(pair, m->part);
    }
    if (mass == 0.0) return AC_OK;
    for (int k = 0; k < count; ++k) {
        first[k] = size;
        size += system->nodes[nodes[k]].size;
    }
    int place[2], at[2] = {m->row, m->column};
    for (int k = 0; k < 2; ++k) {
        int owner = count == 2 && at[k] >= system->nodes[nodes[1]].q &&
                            at[k] < system->nodes[nodes[1]].q + system->nodes[nodes[1]].size
                        ? 1
                        : 0;
        place[k] = first[owner] + at[k] - system->nodes[nodes[owner]].q;
    }
    for (int i = 0; i < m->dimension; ++i)
        for (int j = 0; j < m->dimension; ++j)
            block[(place[0] + i) * size + place[1] + j] = -mass * ((i == j ? square : 0.0) - w[i] * w[j]);
    to->sink(to->user, nodes, count, block, size);
    return AC_OK;
}

void ac_spin_blocks(const ac_system *system, const double w[3], ac_spin_sink sink, void *user)
{
    visit to = {system, w, sink, user};
    if (ac_spins(w)) ac_inertia_blocks(system, put_block, &to);
}
