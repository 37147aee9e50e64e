/* Loops that cannot be closed: why, in words that name the cause.
 *
 * Given coordinates that are not hints must hold. If the loops close as soon as one of them is left open, the values
 * contradict each other, and the message has each given value beside the one that the others leave to it. A
 * coordinate that the lengths do not allow at all, whatever the others are, takes the nearest value that they do, which
 * is reported. If nothing helps, the lengths do not fit; and if the gap is small once nearly dependent equations are left
 * out, the axes or lengths of a loop with redundant equations fit only to a few digits.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assembly/assemble.h"
#include "math/math.h"

static const double SAME_RATE = 1e-7; /* of the largest rate and 1 */
static const double COARSE =
    1e-5; /* rank tolerance, and a gap, in typical lengths, that a few digits leave */

/* The joint's coordinates as they are: names and values. */
static void put_values(const ac_system *system, const ac_joint_data *joint, bool given, char *text,
                       size_t size)
{
    double x[AC_ELEMENT_MAX];
    size_t used = 0;
    *text = '\0';
    for (int c = 0; c < ac_row_coordinates(joint->row) && used < size; ++c) {
        double value = joint->coordinates[c];
        if (!given && joint->first_measure >= 0) {
            const ac_measure *m = &system->measures[joint->first_measure + c];
            ac_measure_gather(system, m, system->initial.q, x);
            value = ac_measure_evaluate(system, m, x, value, NULL, NULL);
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s %.9g", c > 0 ? ", " : "",
                                 ac_row_is_ball(joint->row) ? "rotation" : joint->row->motion[c].name, value);
    }
}

static bool is_exact(const ac_joint_data *joint)
{
    return joint->has_coordinates && !joint->hint && joint->in_tree;
}

/* Lets the freedoms of one joint go, or holds them again. */
static void release_joint(const ac_system *system, ac_assembling *w, int joint, bool held)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        for (int j = node->u; node->joint == joint && j < node->u + node->freedoms; ++j) w->given[j] = held;
    }
}

typedef struct listing {
    char text[2048];
    size_t used;
    int count, joint; /* the last one */
} listing;

static void put_joint(const ac_system *system, const ac_joint_data *joint, const char *link, listing *list)
{
    enum { MOST = 4 };
    char given[160], fits[160];
    size_t left = sizeof list->text - list->used;
    if (list->count++ >= MOST || list->used >= sizeof list->text) return;
    put_values(system, joint, true, given, sizeof given);
    put_values(system, joint, false, fits, sizeof fits);
    list->used += (size_t)snprintf(list->text + list->used, left, "%sjoint '%.60s' is given %s, %s %s",
                                   list->count > 1 ? "; " : "", joint->name, given, link, fits);
}

/* The given joints whose release lets the loops close, each beside the values that the others leave to it. */
static void list_releases(ac_system *system, ac_assembling *w, listing *list)
{
    for (int j = 0; j < system->joint_count; ++j) {
        if (!is_exact(&system->joints[j])) continue;
        release_joint(system, w, j, false);
        ac_assembly_guess(system);
        double gap = ac_assembly_close(system, w, true);
        release_joint(system, w, j, true);
        if (gap > ac_assembly_limit(system)) continue;
        put_joint(system, &system->joints[j], "with the others it is", list);
        list->joint = j;
    }
}

/* Do the loops close with the coordinates of this joint, when those of all others may change? */
static bool closes_with(ac_system *system, ac_assembling *w, int joint)
{
    for (int j = 0; j < system->joint_count; ++j)
        if (j != joint && is_exact(&system->joints[j])) release_joint(system, w, j, false);
    ac_assembly_guess(system);
    bool closed = ac_assembly_close(system, w, true) <= ac_assembly_limit(system);
    for (int j = 0; j < system->joint_count; ++j)
        if (is_exact(&system->joints[j])) release_joint(system, w, j, true);
    return closed;
}

/* The nearest coordinates of a joint that the lengths allow, with those of the others. */
static void close_without(ac_system *system, ac_assembling *w, int joint)
{
    release_joint(system, w, joint, false);
    ac_assembly_guess(system);
    ac_assembly_close(system, w, true);
    release_joint(system, w, joint, true);
}

/* If no single joint helps, but the loops close when all given coordinates may change, `list` gets the values. */
static void list_free_values(ac_system *system, ac_assembling *w, listing *list)
{
    if (list->count > 0) return;
    ac_assembly_guess(system);
    if (ac_assembly_close(system, w, false) > ac_assembly_limit(system)) return;
    for (int j = 0; j < system->joint_count; ++j)
        if (is_exact(&system->joints[j]))
            put_joint(system, &system->joints[j], "near it the loops close at", list);
}

/* Is the gap small when equations that are nearly dependent are not asked for? */
static bool nearly_closed(ac_system *system, ac_assembling *w, double *gap)
{
    double usual = w->rank_tolerance;
    w->rank_tolerance = COARSE;
    ac_assembly_guess(system);
    *gap = ac_assembly_close(system, w, true);
    w->rank_tolerance = usual;
    return *gap <= COARSE * system->length_scale;
}

static const ac_joint_data *worst_joint(const ac_system *system, const ac_assembling *w)
{
    int worst = 0;
    for (int r = 1; r < w->m; ++r)
        if (fabs(w->g[r]) > fabs(w->g[worst])) worst = r;
    return &system->joints[system->constraints.owner[system->constraints.closure + worst]];
}

ac_status ac_assembly_conflict(ac_system *system, ac_assembling *w, double gap)
{
    ac_context *ctx = system->ctx;
    listing list = {.used = 0};
    double small = 0.0;
    const ac_joint_data *joint = worst_joint(system, w);
    list_releases(system, w, &list);
    if (list.count == 1 && !closes_with(system, w, list.joint)) { /* a coordinate that cannot be reached */
        close_without(system, w, list.joint);
        return AC_OK;
    }
    list_free_values(system, w, &list);
    if (list.count > 0)
        return ac_fail(
            ctx, AC_BAD_INPUT,
            "the given coordinates contradict each other: %s; give one of them less, or say hint: true at "
            "the one that only chooses the branch",
            list.text);
    if (nearly_closed(system, w, &small)) {
        joint = worst_joint(system, w);
        return ac_fail(
            ctx, AC_BAD_INPUT,
            "joint '%s' between '%s' and '%s' cannot be closed exactly: its equations depend on those of the "
            "other joints but for the last digits, and %.2g is left of them; axes or lengths that must "
            "agree differ by that much: give them with more digits, or use a joint with more freedoms",
            joint->name, ac_system_node_name(system, joint->a.node),
            ac_system_node_name(system, joint->b.node), small);
    }
    return ac_fail(ctx, AC_BAD_INPUT,
                   "joint '%s' between '%s' and '%s' cannot be closed: a gap of %.3g remains; check the "
                   "lengths, or place the bodies closer to where they belong",
                   joint->name, ac_system_node_name(system, joint->a.node),
                   ac_system_node_name(system, joint->b.node), gap);
}

/* --- rates ----------------------------------------------------------------------------------------------------------- */

/* The rates that a joint is given, as velocities of its freedoms. */
static void rates_of(const ac_system *system, int node, double u[6])
{
    const ac_joint_data *joint = &system->joints[system->nodes[node].joint];
    memset(u, 0, 6 * sizeof *u);
    ac_joint_from_rates(system, &system->nodes[node], joint->rates, &system->initial.state[node], u);
}

static bool has_exact_rates(const ac_system *system, int node)
{
    int joint = system->nodes[node].joint;
    return joint >= 0 && system->joints[joint].has_rates && !system->joints[joint].hint;
}

ac_status ac_assembly_check_rates(const ac_system *system)
{
    listing list = {.used = 0};
    double u[6], most = 0.0;
    int given = 0;
    for (int i = 0; i < system->node_count; ++i) {
        if (!has_exact_rates(system, i)) continue;
        rates_of(system, i, u);
        for (int j = 0; j < system->nodes[i].freedoms; ++j) most = ac_max(most, fabs(u[j]));
        ++given;
    }
    if (given < 2)
        return AC_OK; /* one alone that cannot be reached takes the nearest value, which is reported */
    for (int i = 0; i < system->node_count; ++i) {
        if (!has_exact_rates(system, i)) continue;
        rates_of(system, i, u);
        for (int j = 0; j < system->nodes[i].freedoms; ++j) {
            double now = system->initial.u[system->nodes[i].u + j];
            size_t left = sizeof list.text - list.used;
            if (!(fabs(now - u[j]) > SAME_RATE * (1.0 + most)) || list.count++ >= 4) continue;
            list.used += (size_t)snprintf(
                list.text + list.used, left,
                "%sjoint '%.60s' is given the rate %.9g, beside the others it is %.9g",
                list.count > 1 ? "; " : "", system->joints[system->nodes[i].joint].name, u[j], now);
        }
    }
    if (list.count == 0) return AC_OK;
    return ac_fail(system->ctx, AC_BAD_INPUT,
                   "the given rates contradict each other: %s; give one of them less", list.text);
}
