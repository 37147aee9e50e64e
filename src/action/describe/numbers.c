/* The numbers of an interval that vary. */
#include "action/describe/numbers.h"

#include <stdlib.h>
#include <string.h>

int ac_number_compare(const ac_number_key *a, const ac_number_key *b)
{
    if (a->kind != b->kind) return a->kind - b->kind;
    if (a->owner != b->owner) return a->owner - b->owner;
    if (a->row != b->row) return a->row - b->row;
    return a->i != b->i ? a->i - b->i : a->j - b->j;
}

/* --- do two systems correspond? --- */

const char *ac_systems_mismatch(const ac_system *s, const ac_system *t)
{
    bool same = s->n == t->n && s->node_count == t->node_count && s->joint_count == t->joint_count &&
                s->tree.freedoms == t->tree.freedoms && s->constraints.count == t->constraints.count &&
                s->measure_count == t->measure_count && s->load_count == t->load_count;
    for (int i = 0; same && i < s->node_count; ++i)
        same = s->nodes[i].joint == t->nodes[i].joint && s->nodes[i].parent == t->nodes[i].parent;
    if (!same) return "the topology of the system changes";
    return s->initial.closure_rank != t->initial.closure_rank ? "the rank of the constraints changes" : NULL;
}

/* --- those that vary --- */

/* First key of each owner of one kind, and the end. */
static ac_status list_owners(ac_context *ctx, const ac_varying *v, ac_number_kind kind, int owners,
                             int **starts)
{
    AC_NEW(ctx, *starts, owners + 1);
    int at = v->first[kind];
    for (int k = 0; k <= owners; ++k) {
        while (at < v->first[kind + 1] && v->keys[at].owner < k) ++at;
        (*starts)[k] = at;
    }
    return AC_OK;
}

bool ac_varying_part(const ac_discrete *d, const ac_varying *v, int part)
{
    int scalar = d->springs[part].scalar;
    return v->law[part] < v->law[part + 1] || v->damping[part] < v->damping[part + 1] ||
           v->map[scalar] < v->map[scalar + 1] || v->function[scalar] < v->function[scalar + 1];
}

bool ac_varying_is_plain(const ac_discrete *d, const ac_varying *v, int part)
{
    int scalar = d->springs[part].scalar;
    const ac_outer *outer = &d->scalars.list[scalar].outer;
    return v->map[scalar] == v->map[scalar + 1] && outer->kind == AC_OUTER_VALUE && outer->maps == 1 &&
           outer->factor == 1.0 && outer->offset == 0.0;
}

static bool is_scaled(const ac_discrete *d, const ac_varying *v, int part)
{
    return v->scale && v->scale[d->springs[part].scalar] != 0.0;
}

static ac_status list_elements(const ac_discrete *d, ac_varying *v)
{
    if (!v->elements) AC_NEW(d->ctx, v->elements, d->spring_count + 1);
    v->element_count = 0;
    for (int first = 0, end; first < d->spring_count; first = end) {
        end = ac_discrete_element_end(d, first);
        bool varies = false, looped = d->springs[first].kind->along && end - first <= AC_ELEMENT_PARTS;
        for (int k = first; k < end; ++k) {
            varies = varies || ac_varying_part(d, v, k);
            looped = looped && (ac_varying_is_plain(d, v, k) || is_scaled(d, v, k)) &&
                     d->springs[k].law->secant;
        }
        if (varies) v->elements[v->element_count++] = (ac_varying_element){first, end, looped};
    }
    return AC_OK;
}

/* Keys of one node stand together, those of each owner. */
static ac_status list_nodes(const ac_discrete *d, ac_varying *v)
{
    const ac_system *system = d->system;
    int k = v->first[AC_NUMBER_MASS], end = v->first[AC_NUMBER_MASS + 1];
    AC_NEW(d->ctx, v->nodes, end - k + 1);
    while (k < end) {
        const ac_node *node = system->nodes;
        int first = k;
        while (v->keys[k].i >= node->q + node->size) ++node;
        while (k < end && v->keys[k].i >= node->q && v->keys[k].i < node->q + node->size) ++k;
        if (ac_node_type_of(node)->relative)
            v->nodes[v->node_count++] = (ac_varying_node){(int)(node - system->nodes), first, k};
    }
    return AC_OK;
}

static ac_status list_varying(const ac_discrete *d, ac_varying *v)
{
    const struct {
        ac_number_kind kind;
        int owners, **starts;
    } parts[] = {{AC_NUMBER_LAW, d->spring_count, &v->law},
                 {AC_NUMBER_DAMPING, d->spring_count, &v->damping},
                 {AC_NUMBER_MAP, d->scalars.count, &v->map},
                 {AC_NUMBER_FUNCTION, d->scalars.count, &v->function},
                 {AC_NUMBER_INPUT, d->input_count, &v->input},
                 {AC_NUMBER_CONSTRAINT, d->system->constraints.count, &v->constraint}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k)
        AC_TRY(list_owners(d->ctx, v, parts[k].kind, parts[k].owners, parts[k].starts));
    AC_TRY(list_elements(d, v));
    return list_nodes(d, v);
}

ac_status ac_varying_create(const ac_discrete *d, ac_number_key *keys, int count, ac_varying *v)
{
    *v = (ac_varying){.count = count, .keys = keys};
    int at = 0;
    for (int kind = 0; kind <= AC_NUMBER_KINDS; ++kind) {
        while (at < count && keys[at].kind < kind) ++at;
        v->first[kind] = at;
    }
    ac_status status = list_varying(d, v);
    if (status != AC_OK) ac_varying_destroy(d->ctx, v);
    return status;
}

/* --- maps that change as a whole --- */

/* The coefficient of a key in the map of its scalar; 0: there is none. */
static double coefficient_of(const ac_scalars *set, const ac_number_key *key)
{
    const ac_forms *f = &set->forms;
    const int map = set->list[key->owner].first_form, *at = ac_scalar_coordinates(set, key->owner);
    double sum = 0.0;
    for (int e = f->linear_start[map]; key->j < 0 && e < f->linear_start[map + 1]; ++e)
        if (at[f->linears[e].i] == key->i) sum += f->linears[e].b;
    for (int e = f->product_start[map]; key->j >= 0 && e < f->product_start[map + 1]; ++e) {
        const ac_product *p = &f->products[e];
        bool same = (at[p->i] == key->i && at[p->j] == key->j) || (at[p->i] == key->j && at[p->j] == key->i);
        if (same) sum += p->a;
    }
    return sum;
}

/* 1 / (coefficient of the first key of a scalar) if its map changes as a whole; else 0. */
static double scale_of(const ac_discrete *d, const ac_varying *v, int scalar, ac_proportional proportional,
                       void *user)
{
    const ac_forms *f = &d->scalars.forms;
    const ac_outer *outer = &d->scalars.list[scalar].outer;
    const int map = d->scalars.list[scalar].first_form, first = v->map[scalar], end = v->map[scalar + 1];
    int coefficients = f->linear_start[map + 1] - f->linear_start[map] + f->product_start[map + 1] -
                       f->product_start[map];
    bool plain = outer->kind == AC_OUTER_VALUE && outer->maps == 1 && outer->factor == 1.0 &&
                 outer->offset == 0.0;
    if (first == end || !plain || f->constant[map] != 0.0 || end - first != coefficients) return 0.0;
    double one = coefficient_of(&d->scalars, &v->keys[first]);
    for (int k = first; k < end; ++k) {
        double own = coefficient_of(&d->scalars, &v->keys[k]);
        if (one == 0.0 || own == 0.0 || !proportional(user, first, k, own / one)) return 0.0;
    }
    return 1.0 / one;
}

ac_status ac_varying_find_scales(const ac_discrete *d, ac_varying *v, ac_proportional proportional,
                                 void *user)
{
    AC_NEW(d->ctx, v->scale, d->scalars.count + 1);
    for (int k = 0; k < d->scalars.count; ++k) v->scale[k] = scale_of(d, v, k, proportional, user);
    return list_elements(d, v);
}

void ac_varying_destroy(ac_context *ctx, ac_varying *v)
{
    void *blocks[] = {v->keys,  v->law,        v->damping,  v->map,   v->function,
                      v->input, v->constraint, v->elements, v->nodes, v->scale};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    *v = (ac_varying){0};
}
