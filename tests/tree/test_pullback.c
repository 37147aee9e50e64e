/* The change of the tree's tangent: (P(q) lambda) . b by the motion of the tree, against differences, for all
 * mechanisms with joints of every kind. */
#include "tree/pullback.h"

#include <stdlib.h>

#include "base/vector.h"
#include "support/mechanisms.h"
#include "test.h"

typedef struct scalar {
    const ac_system *system;
    ac_joint_state *moved;
    double *q, *columns, *twists, *v;
    const double *lambda, *b;
} scalar;

/* (P(F(u)) lambda) . b */
static void value(void *user, const double *u, double *y)
{
    scalar *s = user;
    const ac_system *system = s->system;
    memcpy(s->q, system->initial.q, (size_t)system->n * sizeof *s->q);
    ac_tree_move(system, u, system->initial.state, s->moved, s->q);
    ac_tree_columns(system, s->moved, s->q, s->columns);
    ac_tree_twists(system, s->columns, s->q, s->lambda, s->twists);
    ac_tree_velocity(system, s->q, s->twists, s->v);
    *y = 0.0;
    for (int i = 0; i < system->n; ++i) *y += s->v[i] * s->b[i];
}

static void check(const mechanism *m, uint64_t seed)
{
    dice d = {seed};
    rig r;
    rig_open(&r, NULL);
    m->draw(&r);
    CHECK(rig_finish(&r) == AC_OK);
    const ac_system *system = r.system;
    int n = system->n, T = system->tree.freedoms;
    size_t nodes = (size_t)system->node_count;
    double *block = calloc((size_t)(3 * n + 9 * T) + 6 * nodes + ac_tree_pullback_doubles(system),
                           sizeof *block);
    double *at = block, *lambda, *b, *pulled, *u;
    scalar s = {.system = system, .moved = calloc(nodes, sizeof *s.moved)};
    lambda = at, at += T;
    pulled = at, at += T;
    u = at, at += T;
    b = at, at += n;
    s.q = at, at += n;
    s.v = at, at += n;
    s.columns = at, at += 6 * T;
    s.twists = at, at += 6 * nodes;
    s.lambda = lambda;
    s.b = b;
    dice_vector(&d, T, 1.0, lambda);
    dice_vector(&d, n, 1.0, b);
    double columns[6 * 64];
    ac_tree_columns(system, system->initial.state, system->initial.q, columns);
    ac_tree_pullback(system, system->initial.state, system->initial.q, columns, lambda, b, 1.0, at, pulled);
    double off = jacobian_error(value, &s, T, 1, u, pulled);
    if (!(off < 1e-9)) printf("  %s\n", m->name);
    CHECK_NEAR(off, 0.0, 1e-9);
    CHECK(largest_entry(T, pulled) > 1e-3);
    ac_tree_pullback(system, system->initial.state, system->initial.q, columns, lambda, b, -1.0, at, pulled);
    CHECK_NEAR(largest_entry(T, pulled), 0.0, 1e-13);
    free(s.moved);
    free(block);
    rig_close(&r);
}

TEST(pullback_agrees_with_differences)
{
    for (int k = 0; k < mechanism_count; ++k)
        for (uint64_t seed = 1; seed < 4; ++seed) check(&mechanisms[k], seed);
}

RUN_TESTS(CASE(pullback_agrees_with_differences))
