/* Arithmetic of jets, and the memory that they live in. */
#include "action/parameters/jet.h"

#include <math.h>
#include <string.h>

enum { PIECE = 16384, ALIGNMENT = 16 };

/* --- memory --- */

void ac_jets_reset(ac_jets *pool, ac_context *ctx)
{
    pool->ctx = ctx;
    pool->at = 0;
    pool->failed = false;
    for (int k = 0; k < pool->count; ++k) pool->pieces[k].used = 0;
}

void ac_jets_free(ac_jets *pool)
{
    for (int k = 0; k < pool->count; ++k) ac_release(pool->ctx, pool->pieces[k].memory);
    if (pool->ctx) ac_release(pool->ctx, pool->pieces);
    memset(pool, 0, sizeof *pool);
}

ac_status ac_jets_check(const ac_jets *pool)
{
    return pool->failed ? ac_out_of_memory(pool->ctx) : AC_OK;
}

static bool add_piece(ac_jets *pool, size_t size)
{
    if (ac_grow(pool->ctx, (void **)&pool->pieces, &pool->capacity, pool->count + 1, sizeof *pool->pieces) !=
        AC_OK)
        return false;
    struct ac_jet_piece *piece = &pool->pieces[pool->count];
    *piece = (struct ac_jet_piece){.size = size > PIECE ? size : PIECE};
    piece->memory = ac_allocate(pool->ctx, piece->size, 1);
    if (!piece->memory) return false;
    ++pool->count;
    return true;
}

/* NULL: out of memory */
static void *take(ac_jets *pool, size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (pool->at < pool->count && pool->pieces[pool->at].size - pool->pieces[pool->at].used < size)
        ++pool->at;
    if (pool->at == pool->count && !add_piece(pool, size)) {
        pool->failed = true;
        return NULL;
    }
    struct ac_jet_piece *piece = &pool->pieces[pool->at];
    void *found = piece->memory + piece->used;
    piece->used += size;
    return found;
}

/* --- making --- */

/* A jet whose list is in the pool, with room for `most` parameters. */
static ac_jet make(ac_jets *pool, double v, int most, bool bends)
{
    ac_jet jet = {.v = v};
    size_t n = (size_t)most, numbers = bends ? n + n * n : n;
    if (most == 0) return jet;
    double *memory = take(pool, numbers * sizeof(double) + n * sizeof(int));
    if (!memory) return jet;
    memset(memory, 0, numbers * sizeof *memory);
    jet.d = memory;
    jet.dd = bends ? memory + n : NULL;
    jet.by = (int *)(memory + numbers);
    jet.count = most;
    return jet;
}

ac_jet ac_jet_of(ac_jets *pool, double v, const int *by, int count, bool bends)
{
    ac_jet jet = make(pool, v, count, bends);
    if (jet.count > 0) memcpy((int *)jet.by, by, (size_t)count * sizeof *by);
    return jet;
}

int ac_jet_place(const int *by, int count, int parameter)
{
    for (int k = 0; k < count && by[k] <= parameter; ++k)
        if (by[k] == parameter) return k;
    return -1;
}

static int united(const ac_jet *a, const ac_jet *b, int *by)
{
    int i = 0, j = 0, count = 0;
    while (i < a->count || j < b->count) {
        bool left = j == b->count || (i < a->count && a->by[i] <= b->by[j]),
             right = i == a->count || (j < b->count && b->by[j] <= a->by[i]);
        if (by) by[count] = left ? a->by[i] : b->by[j];
        ++count;
        i += left;
        j += right;
    }
    return count;
}

/* A jet that depends on all that a or b depends on. */
static ac_jet unite(ac_jets *pool, const ac_jet *a, const ac_jet *b, double v, bool bends)
{
    ac_jet jet = make(pool, v, united(a, b, NULL), bends);
    if (jet.count > 0) united(a, b, (int *)jet.by);
    return jet;
}

static void add_first(const ac_jet *to, const ac_jet *from, double factor)
{
    for (int a = 0, k = 0; a < from->count && to->count > 0; ++a) {
        while (to->by[k] != from->by[a]) ++k;
        to->d[k] += factor * from->d[a];
    }
}

static void add_second(const ac_jet *to, const ac_jet *from, double factor)
{
    for (int a = 0, k = 0; from->dd && a < from->count && to->count > 0; ++a) {
        while (to->by[k] != from->by[a]) ++k;
        for (int b = 0, l = 0; b < from->count; ++b) {
            while (to->by[l] != from->by[b]) ++l;
            to->dd[k * to->count + l] += factor * from->dd[a * from->count + b];
        }
    }
}

/* to_jk += factor (a_j b_k + a_k b_j) */
static void add_pairs(const ac_jet *to, const ac_jet *a, const ac_jet *b, double factor)
{
    for (int i = 0, k = 0; i < a->count && to->count > 0; ++i) {
        while (to->by[k] != a->by[i]) ++k;
        for (int j = 0, l = 0; j < b->count; ++j) {
            while (to->by[l] != b->by[j]) ++l;
            to->dd[k * to->count + l] += factor * a->d[i] * b->d[j];
            to->dd[l * to->count + k] += factor * a->d[i] * b->d[j];
        }
    }
}

/* --- arithmetic --- */

ac_jet ac_jet_sum(ac_jets *pool, const ac_jet *a, double factor_a, const ac_jet *b, double factor_b)
{
    ac_jet jet = unite(pool, a, b, factor_a * a->v + factor_b * b->v, a->dd || b->dd);
    add_first(&jet, a, factor_a);
    add_first(&jet, b, factor_b);
    add_second(&jet, a, factor_a);
    add_second(&jet, b, factor_b);
    return jet;
}

ac_jet ac_jet_scaled(ac_jets *pool, const ac_jet *a, double factor)
{
    const ac_jet none = {0};
    return ac_jet_sum(pool, a, factor, &none, 0.0);
}

ac_jet ac_jet_product(ac_jets *pool, const ac_jet *a, const ac_jet *b)
{
    bool bends = a->dd || b->dd || (a->count > 0 && b->count > 0);
    ac_jet jet = unite(pool, a, b, a->v * b->v, bends);
    add_first(&jet, a, b->v);
    add_first(&jet, b, a->v);
    add_second(&jet, a, b->v);
    add_second(&jet, b, a->v);
    if (bends) add_pairs(&jet, a, b, 1.0);
    return jet;
}

/* With r = sqrt(a): r_j = a_j / 2 r,  r_jk = a_jk / 2 r - a_j a_k / 4 r^3 */
ac_jet ac_jet_root(ac_jets *pool, const ac_jet *a)
{
    double r = sqrt(a->v);
    ac_jet jet = ac_jet_of(pool, r, a->by, a->count, true);
    add_first(&jet, a, 0.5 / r);
    add_second(&jet, a, 0.5 / r);
    if (jet.dd) add_pairs(&jet, a, a, -0.125 / (r * r * r));
    return jet;
}

/* (1/a)_j = -a_j / a^2,  (1/a)_jk = (2 a_j a_k / a - a_jk) / a^2 */
ac_jet ac_jet_inverse(ac_jets *pool, const ac_jet *a)
{
    double r = 1.0 / a->v;
    ac_jet jet = ac_jet_of(pool, r, a->by, a->count, true);
    add_first(&jet, a, -r * r);
    add_second(&jet, a, -r * r);
    if (jet.dd) add_pairs(&jet, a, a, r * r * r);
    return jet;
}
