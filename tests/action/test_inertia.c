/* Inertia and gravity: the list of masses is the description; the product with a vector, and the blocks between twists that the
 * tree uses, are loops that must give the same numbers to 1e-13 of the largest entry. Outside of both stand the kinetic energy
 * of a translation, m v^2 / 2, and the weight. */
#include "action/inertia.h"

#include <stdlib.h>

#include "base/vector.h"
#include "support/beams.h"
#include "support/mechanisms.h"
#include "support/rig.h"
#include "test.h"

static const struct {
    ac_beam_model model;
    int order;
} beams[] = {{AC_BEAM_DIRECTOR, 1},
             {AC_BEAM_DIRECTOR, 2},
             {AC_BEAM_VERTEX, 1},
             {AC_BEAM_EDGE, 1},
             {AC_BEAM_DUAL_QUATERNION, 1}};
enum { BEAMS = sizeof beams / sizeof *beams };

static const beam_data data = {.elements = 3,
                               .length = 0.7,
                               .shear = 40.0,
                               .axial = 70.0,
                               .bending = {3.0, 2.0},
                               .torsion = 1.5,
                               .mass = 0.8,
                               .inertia = 0.02};

/* Mechanisms first, then beams of every model. */
static int systems(void)
{
    return mechanism_count + BEAMS;
}

static void draw(int k, rig *r)
{
    rig_open(r, NULL);
    if (k < mechanism_count) {
        mechanisms[k].draw(r);
    } else {
        beam_data own = data;
        own.model = beams[k - mechanism_count].model;
        own.order = beams[k - mechanism_count].order;
        rig_gravity(r, 0.5, -1.0, -9.81);
        add_straight(r->system, "beam", &own, NULL);
    }
    CHECK(rig_finish(r) == AC_OK);
}

TEST(the_product_is_the_list)
{
    dice d = {17};
    for (int k = 0; k < systems(); ++k) {
        rig r;
        draw(k, &r);
        int n = r.system->n;
        double *x = numbers(n), *loop = numbers(n), *list = numbers(n);
        dice_vector(&d, n, 1.0, x);
        ac_mass_apply(r.system, x, loop);
        ac_mass_apply_rows(r.system, 1, x, list);
        CHECK(largest_entry(n, list) > 0.0);
        CHECK_NEAR(largest_difference(n, loop, list) / largest_entry(n, list), 0.0, 1e-13);
        free(x);
        free(loop);
        free(list);
        rig_close(&r);
    }
}

typedef struct dense {
    int n;
    double *M;
} dense;

static void put_mass(void *user, int row, int column, double value)
{
    const dense *to = user;
    to->M[row * to->n + column] += value;
}

/* Entries one by one are those of the product; the diagonal is theirs, and gravity pulls along its potential. */
TEST(entries_are_those_of_the_product)
{
    dice d = {23};
    for (int k = 0; k < systems(); ++k) {
        rig r;
        draw(k, &r);
        int n = r.system->n;
        double *x = numbers(n), *y = numbers(n), *sum = numbers(n), *diagonal = numbers(n), *f = numbers(n);
        dense M = {n, numbers(n * n)};
        CHECK(ac_mass_each(r.system, put_mass, &M) == ac_mass_each(r.system, NULL, NULL));
        dice_vector(&d, n, 1.0, x);
        ac_mass_apply(r.system, x, y);
        double mean = ac_mass_diagonal(r.system, diagonal), energy = ac_gravity_energy(r.system, x);
        ac_gravity_add(r.system, 2.0, f);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) sum[i] += M.M[i * n + j] * x[j];
            CHECK(diagonal[i] == M.M[i * n + i]);
            energy += 0.5 * f[i] * x[i];
        }
        CHECK(mean > 0.0 && mean <= largest_entry(n, diagonal));
        CHECK_NEAR(largest_difference(n, sum, y) / largest_entry(n, y), 0.0, 1e-13);
        CHECK_NEAR(energy / fmax(largest_entry(n, f), 1.0), 0.0, 1e-12);
        double *const all[] = {x, y, sum, diagonal, f, M.M};
        for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
        rig_close(&r);
    }
}

/* A_a^T M A_b with the tangents A of two nodes, by the list. */
static void twist_block(const ac_system *system, int a, int b, const double *qa, const double *qb,
                        double block[36])
{
    const ac_node *left = &system->nodes[a], *right = &system->nodes[b];
    double *v = numbers(system->n), *p = numbers(system->n);
    for (int j = 0; j < 6; ++j) {
        double unit[6] = {0}, wrench[6];
        unit[j] = 1.0;
        memset(v, 0, (size_t)system->n * sizeof *v);
        ac_node_tangent(right, qb + right->q, unit, v + right->q);
        ac_mass_apply_rows(system, 1, v, p);
        ac_node_wrench(left, qa + left->q, p + left->q, wrench);
        for (int i = 0; i < 6; ++i) block[6 * i + j] = wrench[i];
    }
    free(v);
    free(p);
}

static void same_block(const double x[36], const double y[36])
{
    CHECK_NEAR(largest_difference(36, x, y) / fmax(largest_entry(36, y), 1e-30), 0.0, 1e-13);
}

/* Twist blocks of nodes whose kinetic energy is a quadratic form of the velocity, and of neighbours along beams. */
TEST(twist_blocks_are_the_list)
{
    dice d = {19};
    int nodes = 0, pairs = 0;
    for (int k = 0; k < systems(); ++k) {
        rig r;
        draw(k, &r);
        const ac_system *system = r.system;
        double *a = numbers(system->n), *b = numbers(system->n), loop[36], list[36];
        dice_vector(&d, system->n, 1.0, a);
        dice_vector(&d, system->n, 1.0, b);
        for (int i = 0; i < system->node_count; ++i) {
            const ac_node *node = &system->nodes[i];
            if (ac_node_type_of(node)->relative) continue;
            memset(loop, 0, sizeof loop);
            ac_node_inertia(node, a + node->q, b + node->q, 1.0, loop);
            twist_block(system, i, i, a, b, list);
            same_block(loop, list);
            ++nodes;
        }
        for (int p = 0; p < system->mesh.mass_pair_count; ++p) {
            const ac_mass_pair *pair = &system->mesh.mass_pairs[p];
            const double *left = a + system->nodes[pair->a].q, *right = b + system->nodes[pair->b].q;
            memset(loop, 0, sizeof loop);
            ac_pair_inertia(pair, left, right, 1.0, loop);
            twist_block(system, pair->a, pair->b, a, b, list);
            same_block(loop, list);
            ++pairs;
        }
        free(a);
        free(b);
        rig_close(&r);
    }
    CHECK(nodes > 20 && pairs > 10);
}

/* At one configuration the block of a body is m I for the place and R J R^T for the turn, J the inertia tensor. */
TEST(twist_blocks_are_mass_and_inertia_tensor)
{
    int bodies = 0;
    for (int k = 0; k < systems(); ++k) {
        rig r;
        draw(k, &r);
        for (int i = 0; i < r.system->node_count; ++i) {
            const ac_node *node = &r.system->nodes[i];
            const double *q = r.system->initial.q + node->q, *E = node->euler;
            double block[36] = {0}, known[36] = {0}, x[3], R[9], J[9], RJ[9], world[9];
            if (ac_node_turns(node) < 3) continue;
            ac_node_inertia(node, q, q, 1.0, block);
            ac_node_get_pose(node, q, x, R);
            for (int c = 0; c < 9; ++c) J[c] = (c % 4 == 0 ? E[0] + E[4] + E[8] : 0.0) - E[c];
            multiply3(R, J, RJ);
            multiply_transposed3(RJ, R, world);
            for (int a = 0; a < 3; ++a) {
                known[7 * a] = node->mass;
                for (int b = 0; b < 3; ++b) known[6 * (3 + a) + 3 + b] = world[3 * a + b];
            }
            same_block(block, known);
            ++bodies;
        }
        rig_close(&r);
    }
    CHECK(bodies > 20);
}

/* Every place moves by v: the energy is that of the whole mass, and gravity does the work m g . v. */
TEST(a_beam_has_the_mass_that_was_given)
{
    const double v[3] = {0.3, -0.7, 1.1}, g[3] = {0.5, -1.0, -9.81}, mass = data.mass * data.length;
    for (int k = 0; k < BEAMS; ++k) {
        rig r;
        draw(mechanism_count + k, &r);
        const ac_system *system = r.system;
        double *x = numbers(system->n), *p = numbers(system->n), energy = 0.0, power = 0.0, square = 0.0,
               work = 0.0;
        for (int i = 0; i < system->node_count; ++i)
            for (int c = 0; c < 3; ++c) x[system->nodes[i].q + c] = v[c];
        ac_mass_apply(system, x, p);
        for (int i = 0; i < system->n; ++i) {
            energy += 0.5 * x[i] * p[i];
        }
        power = -ac_gravity_energy(system, x);
        CHECK_NEAR(ac_total_mass(system), mass, 1e-15);
        for (int c = 0; c < 3; ++c) {
            square += v[c] * v[c];
            work += v[c] * g[c];
        }
        CHECK_NEAR(energy, 0.5 * mass * square, 1e-14);
        CHECK_NEAR(power, mass * work, 1e-13);
        free(x);
        free(p);
        rig_close(&r);
    }
}

RUN_TESTS(CASE(the_product_is_the_list), CASE(entries_are_those_of_the_product),
          CASE(twist_blocks_are_the_list), CASE(twist_blocks_are_mass_and_inertia_tensor),
          CASE(a_beam_has_the_mass_that_was_given))
