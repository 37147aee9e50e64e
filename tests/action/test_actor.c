/* Who acts: forces between two nodes and more have no sum and no moment, elastic ones and dampers, for each element of every
 * kind and for loads in joints; those on one node alone come from outside. So sums over nodes are conserved where no actor
 * is outside. */
#include <stdlib.h>

#include "actio/problem.h"
#include "action/describe/actor.h"
#include "action/load.h"
#include "problem/build/build.h"
#include "support/rig.h"
#include "test.h"
#include "tree/kinematics.h"

static const char BEFORE[] =
    "simulate: {step: 1e-6, steps: 1}\nbeams:\n"
    "  rod: {straight: {from: [0, 0, 0], to: [1, 0, 0]}, d1: [0, 1, 0], elements: 3, "
    "inertia: {mass: 1, rotary: [1e-3, 1e-3]},\n    ",
                  ELASTIC[] = "stiffness: {shear: [200, 200], axial: 300, bending: [1, 2], torsion: 1.5}, ";

/* Springs between points, on the ground, in joints; loads of every kind. */
static const char SPRINGS[] =
    "simulate: {step: 1e-6, steps: 1}\nbodies:\n"
    "  a: {solid: {box: {size: [1, 0.6, 0.1], mass: 2}}, position: [0.3, 0, 0.5], velocity: [1, 2, 3]}\n"
    "  b: {solid: {box: {size: [1, 0.6, 0.1], mass: 2}}, position: [1.3, 0, 0.5]}\n"
    "points: {c: {mass: 1, position: [0, 0, 2]}}\n"
    "joints:\n"
    "  - {revolute: [a, b], at: [0.8, 0, 0.5], axis: [0.2, 1, 0.3], name: hinge}\n"
    "springs:\n"
    "  - {between: [a, c], stiffness: 3, length: 0.2, damping: 2}\n"
    "  - {between: [ground, b], at: {ground: [3, 1, 2]}, stiffness: 3, damping: 1}\n"
    "  - {joint: hinge, stiffness: 3, damping: 0.5, rest: 0.7}\n"
    "loads:\n"
    "  - {joint: hinge, value: 3}\n"
    "  - {force: [1, 2, 3], on: c}\n";

typedef struct judge {
    const ac_system *system;
    const double *q, *next, *v, *winding;
    int *seen; /* per kind, and of loads: 1: between nodes, 2: from outside */
    int load;
} judge;

static int kind_number(const ac_element_kind *kind)
{
    int t = 0;
    while (ac_element_kinds[t] && ac_element_kinds[t] != kind) ++t;
    return t;
}

/* The sum of forces on all nodes and of their moments about the origin, and the size of what is added. */
static double total(const judge *j, const double *f, double sum[6])
{
    double size = 0.0;
    for (int k = 0; k < 6; ++k) sum[k] = 0.0;
    for (int i = 0; i < j->system->node_count; ++i) {
        const ac_node *node = &j->system->nodes[i];
        double w[6], here[3];
        ac_node_wrench(node, j->q + node->q, f + node->q, w);
        ac_reference(node, j->q, here);
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            double moment = here[l] * w[m] - here[m] * w[l];
            sum[k] += w[k];
            sum[3 + k] += w[3 + k] + moment;
            size += fabs(w[k]) + fabs(w[3 + k]) + fabs(moment);
        }
    }
    return size;
}

/* Which nodes feel the forces f. */
static void check_forces(const judge *j, const ac_actor *actor, const double *f, bool some)
{
    double sum[6];
    double size = total(j, f, sum);
    if (some) CHECK(size > 1e-3);
    if (!actor->outside) CHECK_NEAR(largest_entry(6, sum), 0.0, 1e-13 * size);
    if (actor->outside && some) CHECK(largest_entry(6, sum) > 1e-3);
}

static void check_element(judge *j, const ac_actor *actor)
{
    int k = actor->number;
    double x[AC_ELEMENT_MAX], v[AC_ELEMENT_MAX], local[AC_ELEMENT_MAX], *f = numbers(j->system->n);
    ac_element_place place = ac_element_where(j->system, actor->kind, k);
    CHECK(place.node_count == actor->count);
    for (int i = 0; i < actor->count; ++i) CHECK(place.nodes[i] == actor->nodes[i]);
    ac_element_gather(j->system, &place, j->q, x);
    ac_element_gather(j->system, &place, j->v, v);
    ac_element_gradient(actor->kind, j->system, k, x, j->winding, local);
    ac_element_scatter(j->system, &place, local, 1.0, f);
    check_forces(j, actor, f, true);
    if (ac_element_dissipative(actor->kind, j->system, k)) {
        memset(f, 0, (size_t)j->system->n * sizeof *f);
        if (actor->kind->add_secant_forces) {
            actor->kind->add_secant_forces(j->system, j->q, j->next, j->q, 1.0, f);
        } else {
            ac_element_force(actor->kind, j->system, k, x, v, j->winding, local, NULL, NULL);
            ac_element_scatter(j->system, &place, local, 1.0, f);
        }
        check_forces(j, actor, f, false);
    }
    free(f);
}

static void look(void *user, const ac_actor *actor)
{
    judge *j = user;
    CHECK(actor->count >= 1);
    j->seen[actor->kind ? kind_number(actor->kind) : kind_number(NULL)] |= actor->outside ? 2 : 1;
    if (actor->kind) {
        check_element(j, actor);
        return;
    }
    double *f = numbers(j->system->n);
    CHECK(actor->number == j->load);
    ac_load_add(j->system, j->load++, 0.0, 0.0, j->q, j->winding, 1.0, f);
    check_forces(j, actor, f, true);
    free(f);
}

/* At a random place and velocity that the joints of the tree allow. */
static void look_at(const char *text, int *seen)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_problem *problem = NULL;
    CHECK(ac_problem_parse(ctx, "f.yaml", text, strlen(text), NULL, 0, &problem) == AC_OK);
    if (problem) {
        const ac_system *system = ac_problem_system(problem);
        dice d = {17};
        double *q = numbers(system->n), *next = numbers(system->n), *v = numbers(system->n),
               *winding = numbers(system->measure_count);
        double twist[6];
        rig_moved(&d, system, q);
        rig_moved(&d, system, next);
        for (int i = 0; i < system->node_count; ++i) {
            dice_vector(&d, 6, 1.0, twist);
            ac_node_tangent(&system->nodes[i], q + system->nodes[i].q, twist, v + system->nodes[i].q);
        }
        judge j = {system, q, next, v, winding, seen, 0};
        ac_each_actor(system, look, &j);
        CHECK(j.load == system->load_count);
        free(q);
        free(next);
        free(v);
        free(winding);
    } else {
        printf("%s\n", ac_context_message(ctx));
    }
    ac_problem_free(problem);
    ac_context_free(ctx);
}

TEST(forces_between_nodes_have_no_sum_and_no_moment)
{
    static const char *const models[] = {"model: director, damping: 0.01", "model: vertex, damping: 0.01",
                                         "model: edge, damping: 0.01", "model: director, order: 2",
                                         "model: dual_quaternion, damping: 0.01"};
    int seen[16] = {0}, kinds = ac_element_kind_count();
    char text[1000];
    look_at(SPRINGS, seen);
    for (size_t m = 0; m < sizeof models / sizeof *models; ++m) {
        snprintf(text, sizeof text, "%s%s%s}\n", BEFORE, ELASTIC, models[m]);
        look_at(text, seen);
    }
    snprintf(text, sizeof text,
             "%senergy: 'cosh(u1)+u2^2+u3^2/2+50*(v1^2+v2^2)+40*v3^2', potential: 'z+x*y'}\n", BEFORE);
    look_at(text, seen);
    for (int t = 0; t < kinds; ++t) CHECK(seen[t] & 1);
    CHECK(seen[kind_number(&ac_element_kinds[0][0])] == 3);
    CHECK(seen[kinds - 1] == 3); /* functions: potentials come from outside */
    CHECK(seen[kinds] == 3);
}

RUN_TESTS(CASE(forces_between_nodes_have_no_sum_and_no_moment))
