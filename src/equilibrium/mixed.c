/* Newton's method with the stresses of beams as unknowns of their own.
 *
 * A correction that bends a beam also stretches it, by the square of the turn, and a beam resists stretch much more than bending: at the
 * new place the tangent would have the stiffness of a false tension, as large as the loads are small. With the stress s a further
 * unknown, s = C (strain(q) - reference), the correction is that of the same forces, but the tangent is taken with the stress that is
 * carried along: after a whole correction that of the linear strain, as in a linear beam. Eliminated, the system of both is
 *
 *   K(q, s) d = -r(q),    s <- s + C (grad strain . d + c),    c = strain(q) - reference - s / C
 *
 * The tangent sees s through references that are moved by c. Where Newton's method converges, c goes to zero with the square of the
 * correction, and K becomes the tangent of the potential. The next correction that the line search estimates with the old matrix is
 * that of both equations: P^T (forces with s) + P_before^T A_before C c.
 */
#include <math.h>
#include <string.h>

#include "action/element.h"
#include "equilibrium/solver.h"
#include "model/beam/strain.h"

enum { STRAINS = 6 };
static const double PART = 1e-3; /* of a correction, for the slope of strains along it */

struct ac_mixed {
    ac_system system; /* with elements of its own, whose references are moved */
    ac_beam_element *elements;
    ac_high_element *high;
    size_t count; /* of all strains */
    bool idle;    /* where motions cost nothing, tension and weight decide: the stress is that of the place */
    double *apart, *next; /* c of each strain, at the present state and at the next one */
    double *slope;        /* grad strain . d */
    double *strain;       /* where the correction begins */
    double *columns, *way, *force, *q;
};

/* --- making --- */

static bool is_worth(const ac_equilibrium *e)
{
    const ac_system *system = e->system;
    for (int b = 0; b < system->beam_count; ++b)
        if (system->beams[b].energy || system->beams[b].potential) return false;
    return !e->redundant && system->beam_count > 0;
}

ac_status ac_mixed_create(ac_equilibrium *e)
{
    ac_mixed *m;
    const ac_beam_mesh *mesh = &e->system->mesh;
    e->elastic = e->system;
    if (!is_worth(e)) return AC_OK;
    AC_NEW(e->ctx, e->mixed, 1);
    m = e->mixed;
    m->count = STRAINS * (size_t)mesh->element_count;
    for (int k = 0; k < mesh->high_count; ++k) m->count += STRAINS * (size_t)mesh->high[k].order;
    size_t n = (size_t)e->system->n;
    AC_NEW(e->ctx, m->elements, mesh->element_count + 1);
    AC_NEW(e->ctx, m->high, mesh->high_count + 1);
    double **vectors[] = {&m->apart, &m->next, &m->slope, &m->strain};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; ++k) AC_NEW(e->ctx, *vectors[k], m->count);
    AC_NEW(e->ctx, m->columns, 6 * (size_t)e->freedoms);
    AC_NEW(e->ctx, m->way, n);
    AC_NEW(e->ctx, m->force, n);
    AC_NEW(e->ctx, m->q, n);
    m->system = *e->system;
    m->system.mesh.elements = m->elements;
    m->system.mesh.high = m->high;
    return AC_OK;
}

void ac_mixed_destroy(ac_equilibrium *e)
{
    ac_mixed *m = e->mixed;
    if (!m) return;
    void *blocks[] = {m->elements, m->high, m->apart, m->next, m->slope, m->strain,
                      m->columns,  m->way,  m->force, m->q,    m};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(e->ctx, blocks[k]);
    e->mixed = NULL;
}

/* --- strains and references --- */

static void strains_at(const ac_equilibrium *e, const double *q, double *strain)
{
    const ac_system *system = e->system;
    const ac_beam_mesh *mesh = &system->mesh;
    for (int k = 0; k < mesh->element_count; ++k, strain += STRAINS)
        ac_beam_strains(system, k, q + system->nodes[mesh->elements[k].node].q, strain);
    for (int k = 0; k < mesh->high_count; ++k) {
        const ac_high_element *high = &mesh->high[k];
        for (int p = 0; p < high->order; ++p, strain += STRAINS) {
            double fields[AC_BEAM_FIELDS];
            ac_beam_fields(&high->points[p], high->order, q + system->nodes[high->node].q, fields);
            ac_beam_field_strains(fields, strain);
        }
    }
}

/* The stress becomes C (strain - reference - c). */
static void move_references(ac_mixed *m, const ac_system *system, const double *c)
{
    const ac_beam_mesh *mesh = &system->mesh;
    if (mesh->element_count > 0)
        memcpy(m->elements, mesh->elements, (size_t)mesh->element_count * sizeof *m->elements);
    if (mesh->high_count > 0) memcpy(m->high, mesh->high, (size_t)mesh->high_count * sizeof *m->high);
    for (int k = 0; k < mesh->element_count; ++k)
        for (int i = 0; i < STRAINS; ++i) m->elements[k].reference[i] += *c++;
    for (int k = 0; k < mesh->high_count; ++k)
        for (int p = 0; p < m->high[k].order; ++p)
            for (int i = 0; i < STRAINS; ++i) m->high[k].points[p].reference[i] += *c++;
}

static void forget(ac_mixed *m)
{
    memset(m->apart, 0, m->count * sizeof *m->apart);
}

void ac_mixed_begin(ac_equilibrium *e)
{
    if (!e->mixed) return;
    e->mixed->idle = false;
    forget(e->mixed);
}

ac_status ac_mixed_factor(ac_equilibrium *e)
{
    ac_mixed *m = e->mixed;
    if (!m || m->idle) return ac_equilibrium_factor_freely(e);
    move_references(m, e->system, m->apart);
    e->elastic = &m->system;
    ac_equilibrium_balance(e);
    ac_status status = ac_equilibrium_factor_freely(e);
    e->elastic = e->system;
    ac_equilibrium_balance(e);
    m->idle = status == AC_SINGULAR || e->neutral.count > 0;
    if (!m->idle) return status;
    forget(m);
    return ac_equilibrium_factor_freely(e);
}

/* --- a correction --- */

void ac_mixed_leave(ac_equilibrium *e, const double *delta)
{
    ac_mixed *m = e->mixed;
    const ac_system *system = e->system;
    if (!m || m->idle) return;
    memcpy(m->columns, e->columns, 6 * (size_t)e->freedoms * sizeof *m->columns);
    strains_at(e, e->now.q, m->strain);
    ac_tree_twists(system, e->columns, e->now.q, delta, e->wrenches);
    ac_tree_velocity(system, e->now.q, e->wrenches, m->way);
    for (int side = 0; side < 2; ++side) {
        double part = side == 0 ? PART : -PART;
        for (int i = 0; i < system->n; ++i) m->q[i] = e->now.q[i] + part * m->way[i];
        strains_at(e, m->q, m->next);
        for (size_t i = 0; i < m->count; ++i)
            m->slope[i] = side == 0 ? m->next[i] : 0.5 / PART * (m->slope[i] - m->next[i]);
    }
}

/* P^T A C c where the correction began: what the forces lose by references that are moved by c. */
static void find_apart(ac_equilibrium *e, double *out)
{
    ac_mixed *m = e->mixed;
    memset(m->force, 0, (size_t)e->system->n * sizeof *m->force);
    ac_potential_add_gradient(e->system, e->before.q, e->winding, 1.0, m->force);
    ac_potential_add_gradient(&m->system, e->before.q, e->winding, -1.0, m->force);
    ac_tree_project(e->system, m->columns, e->before.q, m->force, e->wrenches, out);
}

void ac_mixed_arrive(ac_equilibrium *e, double factor)
{
    ac_mixed *m = e->mixed;
    const ac_constraints *c = &e->system->constraints;
    if (!m || m->idle) return;
    strains_at(e, e->now.q, m->next);
    for (size_t i = 0; i < m->count; ++i)
        m->next[i] -= m->strain[i] - m->apart[i] + factor * (m->slope[i] + m->apart[i]);
    move_references(m, e->system, m->next);
    find_apart(e, e->newton.travelled);
    e->elastic = &m->system;
    ac_equilibrium_balance(e);
    e->elastic = e->system;
    memcpy(e->scratch, e->balance.total, (size_t)e->system->n * sizeof *e->scratch);
    if (e->closures > 0)
        ac_constraints_add_force(e->system, e->now.q, e->balance.mu, c->closure, c->count, 1.0, e->scratch);
    ac_tree_project(e->system, e->columns, e->now.q, e->scratch, e->wrenches, e->newton.move);
    for (int j = 0; j < e->freedoms; ++j) e->newton.move[j] += e->newton.travelled[j];
    ac_equilibrium_balance(e);
}

void ac_mixed_accept(ac_equilibrium *e)
{
    ac_mixed *m = e->mixed;
    if (m && !m->idle) memcpy(m->apart, m->next, m->count * sizeof *m->apart);
}

bool ac_mixed_is_on(const ac_equilibrium *e)
{
    return e->mixed && !e->mixed->idle;
}
