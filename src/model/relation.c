/* Relations of joint coordinates: couplings (gears, racks, belts, differentials) and prescribed motion.
 *
 * A relation holds the sum of multiples of joint coordinates, with their full turns, at a number, at a signal, or at the
 * integral of a signal. So a screw, which no quadratic equation can say, is as exact as a gear after any number of turns.
 */
#include <math.h>
#include <string.h>

#include "model/system.h"
#include "math/math.h"

/* Bodies, planar bodies and points, and not too many. */
static ac_status check_nodes(ac_system *system, const char *name, const ac_relation_data *data)
{
    int nodes[2 * AC_RELATION_TERMS], count = 0;
    for (int k = 0; k < data->count; ++k) {
        const ac_measure *m = &system->measures[data->measures[k]];
        for (int e = 0; e < m->node_count; ++e) {
            int i = 0;
            while (i < count && nodes[i] != m->nodes[e]) ++i;
            nodes[i] = m->nodes[e];
            if (i == count) ++count;
            if (system->nodes[m->nodes[e]].size > AC_BODY_SIZE)
                return ac_fail(
                    system->ctx, AC_BAD_INPUT,
                    "relation '%s' holds a node of a beam of dual quaternions; other beams can be held",
                    name);
        }
    }
    if (count <= AC_RELATION_TERMS) return AC_OK;
    return ac_fail(system->ctx, AC_BAD_INPUT, "relation '%s' acts on %d bodies; at most %d are possible",
                   name, count, AC_RELATION_TERMS);
}

static ac_status check_terms(ac_system *system, const char *name, const ac_relation *relation,
                             ac_relation_data *data)
{
    for (int k = 0; k < relation->term_count; ++k) {
        const ac_relation_term *term = &relation->terms[k];
        AC_TRY(ac_joint_measure(system, "relation", name, term->joint, term->coordinate, &data->measures[k]));
        data->joints[k] = term->joint;
        data->factors[k] = term->factor;
        data->unit = ac_max(data->unit, fabs(term->factor));
        if (term->factor == 0.0)
            return ac_fail(system->ctx, AC_BAD_INPUT, "relation '%s': the factor of joint '%s' is zero", name,
                           system->joints[term->joint].name);
        for (int j = 0; j < k; ++j)
            if (data->measures[j] == data->measures[k])
                return ac_fail(system->ctx, AC_BAD_INPUT, "relation '%s' names joint '%s' twice", name,
                               system->joints[term->joint].name);
    }
    AC_TRY(check_nodes(system, name, data));
    if (relation->kind != AC_RELATION_CONSTANT && (data->count != 1 || data->unit != 1.0))
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "relation '%s': one coordinate is prescribed, with the factor 1", name);
    for (int k = 0; k < data->count; ++k) data->factors[k] /= data->unit;
    data->equals /= data->unit;
    return AC_OK;
}

static ac_status check_relation(ac_system *system, const ac_relation *relation, ac_relation_data *data)
{
    const char *name = relation->name ? relation->name : "";
    if (system->finished)
        return ac_fail(system->ctx, AC_BAD_INPUT, "the system is finished; nothing can be added");
    if (relation->term_count < 1 || relation->term_count > AC_RELATION_TERMS)
        return ac_fail(system->ctx, AC_BAD_INPUT, "relation '%s' has %d terms; 1 to %d are possible", name,
                       relation->term_count, AC_RELATION_TERMS);
    if ((relation->kind == AC_RELATION_CONSTANT) != (relation->signal == NULL))
        return ac_fail(system->ctx, AC_BAD_INPUT,
                       "relation '%s': a signal belongs to prescribed motion, and to nothing else", name);
    return check_terms(system, name, relation, data);
}

ac_status ac_system_add_relation(ac_system *system, const ac_relation *relation)
{
    ac_relation_data data = {.kind = relation->kind,
                             .count = relation->term_count,
                             .equals_given = relation->equals_given,
                             .equals = relation->equals,
                             .signal = relation->signal};
    ac_status status = check_relation(system, relation, &data);
    if (status == AC_OK)
        status = ac_grow(system->ctx, (void **)&system->relations.list, &system->relations.capacity,
                         system->relations.count + 1, sizeof *system->relations.list);
    if (status == AC_OK) {
        data.name = ac_copy_text(system->ctx, relation->name ? relation->name : "");
        if (!data.name) status = ac_out_of_memory(system->ctx);
    }
    if (status != AC_OK) {
        ac_signal_free(relation->signal);
        return status;
    }
    system->relations.list[system->relations.count++] = data;
    return AC_OK;
}

ac_status ac_refuse_relations(ac_context *ctx, const ac_system *system, const char *what)
{
    if (system->relations.count == 0) return AC_OK;
    return ac_fail(ctx, AC_BAD_INPUT,
                   "prescribed motion and couplings ('%s') belong to simulations; %s does not know them yet",
                   system->relations.list[0].name, what);
}

double ac_relation_change(const ac_relation_data *relation, double t, double end)
{
    switch (relation->kind) {
    case AC_RELATION_CONSTANT: return 0.0;
    case AC_RELATION_RATE: return (end - t) * ac_signal_mean(relation->signal, t, end - t);
    default: return ac_signal_value(relation->signal, end) - ac_signal_value(relation->signal, t);
    }
}

double ac_relation_rate(const ac_relation_data *relation, double t)
{
    double first = 0.0, second = 0.0;
    if (relation->kind == AC_RELATION_RATE) return ac_signal_value(relation->signal, t);
    if (relation->kind == AC_RELATION_VALUE) ac_signal_derivatives(relation->signal, t, &first, &second);
    return first;
}

void ac_relation_gradient(const ac_system *system, const ac_relation_data *relation, const double *q,
                          const double *winding, double *gradient)
{
    double x[AC_ELEMENT_MAX], own[AC_ELEMENT_MAX];
    memset(gradient, 0, (size_t)system->n * sizeof *gradient);
    for (int k = 0; k < relation->count; ++k) {
        const ac_measure *m = &system->measures[relation->measures[k]];
        ac_measure_gather(system, m, q, x);
        ac_measure_evaluate(system, m, x, winding[relation->measures[k]], own, NULL);
        const double *from = own;
        for (int e = 0; e < m->node_count; ++e) {
            const ac_node *node = &system->nodes[m->nodes[e]];
            for (int i = 0; i < node->size; ++i) gradient[node->q + i] += relation->factors[k] * *from++;
        }
    }
}

/* Puts a node behind the others unless it is there; returns its place, AC_RELATION_TERMS: there is no room. */
static int find_node(int node, int *nodes, int *count)
{
    int i = 0;
    while (i < *count && nodes[i] != node) ++i;
    if (i < *count || i == AC_RELATION_TERMS) return i;
    nodes[(*count)++] = node;
    return i;
}

int ac_relation_nodes(const ac_system *system, const ac_relation_data *relation, int nodes[AC_RELATION_TERMS])
{
    int count = 0;
    for (int k = 0; k < relation->count; ++k) {
        const ac_measure *m = &system->measures[relation->measures[k]];
        for (int e = 0; e < m->node_count; ++e) find_node(m->nodes[e], nodes, &count);
    }
    return count;
}

void ac_relation_curvature(const ac_system *system, const ac_relation_data *relation, const double *q,
                           const double *winding, double *block)
{
    double x[AC_ELEMENT_MAX], gradient[AC_ELEMENT_MAX], hessian[AC_ELEMENT_MAX * AC_ELEMENT_MAX];
    int nodes[AC_RELATION_TERMS], first[AC_RELATION_TERMS + 1] = {0}, place[AC_ELEMENT_MAX];
    int count = ac_relation_nodes(system, relation, nodes);
    for (int i = 0; i < count; ++i) first[i + 1] = first[i] + system->nodes[nodes[i]].size;
    int all = first[count];
    memset(block, 0, (size_t)all * (size_t)all * sizeof *block);
    for (int k = 0; k < relation->count; ++k) {
        const ac_measure *m = &system->measures[relation->measures[k]];
        int size = 0;
        ac_measure_gather(system, m, q, x);
        ac_measure_evaluate(system, m, x, winding[relation->measures[k]], gradient, hessian);
        for (int e = 0; e < m->node_count; ++e)
            for (int i = 0, at = find_node(m->nodes[e], nodes, &count); i < system->nodes[m->nodes[e]].size;
                 ++i)
                place[size++] = first[at] + i;
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < size; ++j)
                block[place[i] * all + place[j]] += relation->factors[k] * hessian[i * size + j];
    }
}
