/* Inertia and gravity: the mass matrix as a list of blocks, the constant force of gravity, and the product with a vector as a
 * loop over nodes and beams. */
#include "action/inertia.h"

#include <stdlib.h>
#include <string.h>

#include "base/triple.h"
#include "base/vector.h"
#include "math/math.h"

/* --- description --- */

static ac_status add_mass(ac_system *system, int row, int column, int dimension, double coefficient,
                          bool relative)
{
    if (coefficient == 0.0) return AC_OK;
    AC_TRY(ac_grow(system->ctx, (void **)&system->inertia.entries, &system->inertia.capacity,
                   system->inertia.count + 1, sizeof(ac_mass_entry)));
    system->inertia.entries[system->inertia.count++] = (ac_mass_entry){row, column, dimension, coefficient,
                                                                       relative};
    return AC_OK;
}

/* By rows, so that the product with a vector walks through memory once. */
static int compare_mass(const void *left, const void *right)
{
    const ac_mass_entry *a = left, *b = right;
    return a->row != b->row ? a->row - b->row : a->column - b->column;
}

ac_status ac_inertia_blocks(const ac_system *system, ac_mass_block_taker take, void *user)
{
    for (int i = 0; i < system->node_count; ++i) {
        const ac_node *node = &system->nodes[i];
        int q = node->q, d = node->dimension, directors = ac_node_type_of(node)->directors;
        ac_mass_block block = {q,         q,          d,        .relative = ac_node_type_of(node)->relative,
                               .node = i, .pair = -1, .part = 0};
        AC_TRY(take(user, &block));
        for (int I = 0; I < directors; ++I)
            for (int J = 0; J < directors; ++J) {
                block.row = q + d + d * I;
                block.column = q + d + d * J;
                block.part = 1 + 3 * I + J;
                AC_TRY(take(user, &block));
            }
    }
    for (int p = 0; p < system->mesh.mass_pair_count; ++p) {
        const ac_mass_pair *pair = &system->mesh.mass_pairs[p];
        int a = system->nodes[pair->a].q, b = system->nodes[pair->b].q;
        for (int k = 0; k < 4; ++k) {
            const ac_mass_block block = {a + 3 * k, b + 3 * k, 3, .node = -1, .pair = p, .part = k},
                                mirrored = {b + 3 * k, a + 3 * k, 3, .node = -1, .pair = p, .part = k};
            AC_TRY(take(user, &block));
            AC_TRY(take(user, &mirrored));
        }
    }
    return AC_OK;
}

/* A block with its number; mass is pulled by gravity. */
static ac_status describe_block(void *user, const ac_mass_block *block)
{
    ac_system *system = user;
    double coefficient;
    if (block->node >= 0) {
        const ac_node *node = &system->nodes[block->node];
        coefficient = block->part == 0 ? node->mass : node->euler[block->part - 1];
    } else {
        coefficient = ac_shared_mass(&system->mesh.mass_pairs[block->pair], block->part);
    }
    for (int k = 0; block->part == 0 && k < block->dimension; ++k)
        system->gravity_force[block->row + k] += coefficient * system->gravity[k];
    return add_mass(system, block->row, block->column, block->dimension, coefficient, block->relative);
}

ac_status ac_inertia_describe(ac_system *system)
{
    AC_NEW(system->ctx, system->gravity_force, system->n);
    AC_TRY(ac_inertia_blocks(system, describe_block, system));
    ac_sort(system->inertia.entries, (size_t)system->inertia.count, sizeof *system->inertia.entries,
            compare_mass);
    return AC_OK;
}

void ac_mass_apply_rows(const ac_system *system, int width, const double *x, double *y)
{
    memset(y, 0, (size_t)system->n * (size_t)width * sizeof *y);
    for (int k = 0; k < system->inertia.count; ++k) {
        const ac_mass_entry *m = &system->inertia.entries[k];
        for (int i = 0; i < m->dimension; ++i)
            for (int f = 0; f < width; ++f)
                y[(m->row + i) * width + f] += m->coefficient * x[(m->column + i) * width + f];
    }
}

int ac_mass_each(const ac_system *system, ac_mass_sink sink, void *user)
{
    int count = 0;
    for (int k = 0; k < system->inertia.count; ++k) {
        const ac_mass_entry *e = &system->inertia.entries[k];
        for (int i = 0; sink && i < e->dimension; ++i) sink(user, e->row + i, e->column + i, e->coefficient);
        count += e->dimension;
    }
    return count;
}

ac_status ac_mass_mark(const ac_system *system, ac_sparse *matrix)
{
    for (int k = 0; k < system->inertia.count; ++k) {
        const ac_mass_entry *e = &system->inertia.entries[k];
        for (int i = 0; i < e->dimension; ++i) AC_TRY(ac_sparse_mark(matrix, e->row + i, e->column + i));
    }
    return AC_OK;
}

static void put_mass(void *matrix, int row, int column, double value)
{
    ac_sparse_add(matrix, row, column, value);
}

void ac_mass_fill(const ac_system *system, ac_sparse *matrix)
{
    ac_mass_each(system, put_mass, matrix);
}

double ac_mass_diagonal(const ac_system *system, double *out)
{
    double sum = 0.0;
    int count = 0;
    memset(out, 0, (size_t)system->n * sizeof *out);
    for (int k = 0; k < system->inertia.count; ++k) {
        const ac_mass_entry *e = &system->inertia.entries[k];
        if (e->row != e->column) continue;
        for (int i = 0; i < e->dimension; ++i) out[e->row + i] = e->coefficient;
        sum += e->coefficient;
        ++count;
    }
    return sum / count;
}

double ac_total_mass(const ac_system *system)
{
    double sum = 0.0;
    for (int i = 0; i < system->node_count; ++i) sum += system->nodes[i].mass;
    for (int k = 0; k < system->mesh.mass_pair_count; ++k) sum += 2.0 * system->mesh.mass_pairs[k].mass;
    return sum;
}

double ac_gravity_energy(const ac_system *system, const double *q)
{
    double sum = 0.0;
    for (int i = 0; i < system->n; ++i) sum -= system->gravity_force[i] * q[i];
    return sum;
}

void ac_gravity_add(const ac_system *system, double factor, double *out)
{
    for (int i = 0; i < system->n; ++i) out[i] += factor * system->gravity_force[i];
}

/* --- one body --- */

void ac_node_own_inertia(const ac_node *node, double J[9])
{
    const double *E = node->euler;
    for (int k = 0; k < 9; ++k) J[k] = (k % 4 == 0 ? E[0] + E[4] + E[8] : 0.0) - E[k];
}

double ac_node_lacking_inertia(const ac_node *node, double length)
{
    static const double SHARE = 1e-6;
    double J[9], across[3], lacking = SHARE * node->mass * length * length;
    if (ac_node_turns(node) == 1) return node->euler[0] > 0.0 ? 0.0 : lacking;
    if (ac_node_turns(node) < 3) return 0.0;
    ac_node_own_inertia(node, J);
    double whole = J[0] + J[4] + J[8];
    if (!(whole > 0.0)) return lacking;
    /* the smallest principal moment: the determinant over the square of half the trace, which the others make */
    cross3(J + 3, J + 6, across);
    double smallest = 4.0 * dot3(J, across) / (whole * whole);
    return smallest < 0.25 * SHARE * whole ? SHARE * whole : 0.0;
}

/* --- loop --- */

static inline void own_mass(const ac_node *node, const double *restrict x, double *restrict y)
{
    const double *E = node->euler;
    if (ac_node_turns(node) < 3) {
        for (int i = 0; i < node->size; ++i) y[i] = (i < node->dimension ? node->mass : E[0]) * x[i];
        return;
    }
    const ac_triple d1 = ac_triple_of(x + 3), d2 = ac_triple_of(x + 6), d3 = ac_triple_of(x + 9);
    for (int i = AC_BODY_SIZE; i < node->size; ++i) y[i] = 0.0;
    ac_triple_put(ac_triple_scaled(node->mass, ac_triple_of(x)), y);
    if (E[1] == 0.0 && E[2] == 0.0 && E[5] == 0.0) {
        ac_triple_put(ac_triple_scaled(E[0], d1), y + 3);
        ac_triple_put(ac_triple_scaled(E[4], d2), y + 6);
        ac_triple_put(ac_triple_scaled(E[8], d3), y + 9);
        return;
    }
    for (int I = 0; I < 3; ++I)
        ac_triple_put(ac_triple_mix3(E[3 * I], d1, E[3 * I + 1], d2, E[3 * I + 2], d3), y + 3 + 3 * I);
}

void ac_node_mass_apply(const ac_node *node, const double *x, double *y)
{
    own_mass(node, x, y);
}

static void add_pair_mass(const ac_system *system, const ac_mass_pair *pair, const double *restrict x,
                          double *restrict y)
{
    int a = system->nodes[pair->a].q, b = system->nodes[pair->b].q;
    for (int k = 0; k < 4; ++k, a += 3, b += 3) {
        double m = ac_shared_mass(pair, k);
        ac_triple_add(ac_triple_scaled(m, ac_triple_of(x + b)), y + a);
        ac_triple_add(ac_triple_scaled(m, ac_triple_of(x + a)), y + b);
    }
}

/* Along a beam of order 1 every inner node shares its mass with the two beside it: y in one pass. */
static void row_of_masses(const ac_node *nodes, const ac_mass_pair *pairs, int count,
                          const double *restrict x, double *restrict y)
{
    static const ac_mass_pair none = {0};
    for (int k = 0; k <= count; ++k, x += 12, y += 12) {
        own_mass(&nodes[k], x, y);
        const ac_mass_pair *before = k > 0 ? &pairs[k - 1] : &none, *after = k < count ? &pairs[k] : &none;
        const double *left = k > 0 ? x - 12 : x, *right = k < count ? x + 12 : x;
        for (int f = 0; f < 4; ++f) {
            double l = ac_shared_mass(before, f), r = ac_shared_mass(after, f);
            if (l == 0.0 && r == 0.0) continue;
            ac_triple_add(ac_triple_mix(l, ac_triple_of(left + 3 * f), r, ac_triple_of(right + 3 * f)),
                          y + 3 * f);
        }
    }
}

static void own_masses(const ac_system *system, int first, int last, const double *restrict x,
                       double *restrict y)
{
    for (int i = first; i < last; ++i)
        own_mass(&system->nodes[i], x + system->nodes[i].q, y + system->nodes[i].q);
}

void ac_mass_apply(const ac_system *system, const double *restrict x, double *restrict y)
{
    int done = 0; /* beams come in the order of their nodes */
    for (int b = 0; b < system->beam_count; ++b) {
        const ac_beam_data *beam = &system->beams[b];
        const ac_mass_pair *pairs = system->mesh.mass_pairs + beam->first_pair;
        const ac_node *first = &system->nodes[beam->first_node];
        own_masses(system, done, beam->first_node, x, y);
        done = beam->first_node + beam->nodes;
        if (beam->order == 1 && beam->pairs == beam->nodes - 1) {
            row_of_masses(first, pairs, beam->pairs, x + first->q, y + first->q);
            continue;
        }
        own_masses(system, beam->first_node, done, x, y);
        for (int p = 0; p < beam->pairs; ++p) add_pair_mass(system, &pairs[p], x, y);
    }
    own_masses(system, done, system->node_count, x, y);
}

double ac_kinetic_energy(const ac_system *system, const double *v, double *p)
{
    double sum = 0.0;
    ac_mass_apply(system, v, p);
    for (int i = 0; i < system->n; ++i) sum += 0.5 * v[i] * p[i];
    return sum;
}
