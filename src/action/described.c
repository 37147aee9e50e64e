/* Elements as they are described: sums over their parts, each a law of a function of quadratic maps. */
#include <string.h>

#include "action/element.h"

#include "action/load.h"

enum { SIZE = AC_ELEMENT_MAX };

/* The function of one part; `square`: its square instead of the length. */
static ac_chain chain_of(const ac_system *system, const ac_described *set, const ac_described_part *part,
                         bool square)
{
    ac_chain chain = {part->measure >= 0 ? &system->measure_forms : &set->forms, part->first_form, part->size,
                      part->outer};
    if (square && chain.outer.kind == AC_OUTER_LENGTH) chain.outer.kind = AC_OUTER_VALUE;
    return chain;
}

static double winding_of(const ac_described_part *part, const double *winding)
{
    return part->measure >= 0 ? winding[part->measure] : 0.0;
}

double ac_parts_energy(const ac_element_kind *kind, const ac_system *system, int k, const ac_described *set,
                       int first, const double *x, const double *winding, double *gradient, double *hessian)
{
    const int end = set->start[first + 1], n = set->parts[set->start[first]].size;
    double sum = 0.0, g[SIZE], H[SIZE * SIZE], w[4];
    if (gradient) memset(gradient, 0, (size_t)n * sizeof *gradient);
    if (hessian) memset(hessian, 0, (size_t)(n * n) * sizeof *hessian);
    for (int p = set->start[first]; p < end; ++p) {
        ac_law_numbers numbers;
        kind->numbers(system, k, p - set->start[first], &numbers);
        if (!numbers.elastic) continue;
        const ac_chain chain = chain_of(system, set, &set->parts[p], numbers.law->of_square);
        double y = ac_chain_evaluate(&chain, x, winding_of(&set->parts[p], winding),
                                     gradient || hessian ? g : NULL, hessian ? H : NULL);
        numbers.law->value(numbers.data, y, w);
        sum += w[0];
        for (int i = 0; gradient && i < n; ++i) gradient[i] += w[1] * g[i];
        for (int i = 0; hessian && i < n; ++i)
            for (int j = 0; j < n; ++j) hessian[i * n + j] += w[1] * H[i * n + j] + w[2] * g[i] * g[j];
    }
    return sum;
}

/* slope += pull dD + by D (grad y at the end)^T */
static void add_secant_slope(const ac_chain *chain, const double *end, double pull, double by,
                             const double *D, const double *dD, double *slope)
{
    double g[SIZE];
    int n = chain->n;
    ac_chain_slopes(chain, end, g, NULL);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) slope[i * n + j] += pull * dD[i * n + j] + by * D[i] * g[j];
}

void ac_parts_discrete(const ac_element_kind *kind, const ac_system *system, int k, const ac_described *set,
                       int first, const double *xa, const double *xb, const double *winding, double *gradient,
                       double *by_a, double *by_b)
{
    const int end = set->start[first + 1], n = set->parts[set->start[first]].size;
    double D[SIZE], A[SIZE * SIZE], B[SIZE * SIZE], ends[2];
    ac_law_secant by;
    memset(gradient, 0, (size_t)n * sizeof *gradient);
    if (by_a) memset(by_a, 0, (size_t)(n * n) * sizeof *by_a);
    if (by_b) memset(by_b, 0, (size_t)(n * n) * sizeof *by_b);
    for (int p = set->start[first]; p < end; ++p) {
        ac_law_numbers numbers;
        kind->numbers(system, k, p - set->start[first], &numbers);
        if (!numbers.elastic) continue;
        const ac_chain chain = chain_of(system, set, &set->parts[p], numbers.law->of_square);
        double branch = winding_of(&set->parts[p], winding);
        ac_chain_secant(&chain, xa, xb, branch, ends, D, by_a ? A : NULL, by_b ? B : NULL);
        double pull = numbers.law->secant(numbers.data, ends[0], ends[1], &by);
        for (int i = 0; i < n; ++i) gradient[i] += pull * D[i];
        if (by_a) add_secant_slope(&chain, xa, pull, by.by_a, D, A, by_a);
        if (by_b) add_secant_slope(&chain, xb, pull, by.by_b, D, B, by_b);
    }
}

void ac_parts_force(const ac_element_kind *kind, const ac_system *system, int k, const ac_described *set,
                    int first, const double *x, const double *v, double *f, double *by_x, double *by_v)
{
    const int end = set->start[first + 1], n = set->parts[set->start[first]].size;
    double g[SIZE], H[SIZE * SIZE];
    memset(f, 0, (size_t)n * sizeof *f);
    if (by_x) memset(by_x, 0, (size_t)(n * n) * sizeof *by_x);
    if (by_x) memset(by_v, 0, (size_t)(n * n) * sizeof *by_v);
    for (int p = set->start[first]; p < end; ++p) {
        ac_law_numbers numbers;
        double rate = 0.0;
        kind->numbers(system, k, p - set->start[first], &numbers);
        if (numbers.damping == 0.0) continue;
        const ac_chain chain = chain_of(system, set, &set->parts[p], false);
        ac_chain_slopes(&chain, x, g, by_x ? H : NULL);
        for (int i = 0; i < n; ++i) rate += g[i] * v[i];
        for (int i = 0; i < n; ++i) f[i] -= numbers.damping * rate * g[i];
        for (int j = 0; by_x && j < n; ++j) {
            double Hv = 0.0;
            for (int i = 0; i < n; ++i) Hv += H[j * n + i] * v[i];
            for (int i = 0; i < n; ++i) {
                by_x[i * n + j] -= numbers.damping * (Hv * g[i] + rate * H[i * n + j]);
                by_v[i * n + j] -= numbers.damping * g[i] * g[j];
            }
        }
    }
}

/* --- describing --- */

/* What the parts of one element are added to. */
typedef struct compiling {
    const ac_system *system;
    ac_described *set;
    int nodes[AC_ELEMENT_NODES], node_count, size;
} compiling;

/* Place of a coordinate of q among those of the element's nodes; -1: it is not one of them. */
static int local_place(const compiling *c, int coordinate)
{
    int place = 0;
    for (int e = 0; e < c->node_count; ++e) {
        const ac_node *node = &c->system->nodes[c->nodes[e]];
        if (coordinate >= node->q && coordinate < node->q + node->size) return place + coordinate - node->q;
        place += node->size;
    }
    return -1;
}

static ac_status localise(ac_describing *to, const compiling *c, int first)
{
    ac_forms *forms = &c->set->forms;
    bool known = true;
    for (int e = forms->product_start[first]; e < forms->product_start[forms->count]; ++e) {
        ac_product *p = &forms->products[e];
        p->i = local_place(c, p->i);
        p->j = local_place(c, p->j);
        known = known && p->i >= 0 && p->j >= 0;
    }
    for (int e = forms->linear_start[first]; e < forms->linear_start[forms->count]; ++e) {
        forms->linears[e].i = local_place(c, forms->linears[e].i);
        known = known && forms->linears[e].i >= 0;
    }
    return known ? AC_OK
                 : ac_fail(to->ctx, AC_BAD_INPUT, "an element is described by coordinates of other nodes");
}

static ac_status take_part(ac_describing *to, const ac_part *part, int first_form)
{
    const compiling *c = to->user;
    ac_described *set = c->set;
    AC_TRY(ac_grow(to->ctx, (void **)&set->parts, &set->capacity, set->count + 1, sizeof *set->parts));
    ac_described_part *own = &set->parts[set->count++];
    *own = (ac_described_part){.measure = part->measure, .size = c->size};
    if (part->measure >= 0) {
        const ac_measure *m = &c->system->measures[part->measure];
        own->first_form = m->first_form;
        own->outer = ac_measure_outer(m->kind);
        return AC_OK;
    }
    own->first_form = first_form;
    own->outer = part->outer;
    own->outer.maps = set->forms.count - first_form;
    if (own->outer.factor == 0.0) own->outer.factor = 1.0;
    return localise(to, c, first_form);
}

ac_status ac_describe_element(ac_context *ctx, const ac_system *system, const ac_element_kind *kind, int k,
                              ac_described *set)
{
    compiling c = {.system = system, .set = set};
    ac_describing to = {ctx, &set->forms, take_part, &c};
    c.node_count = kind->nodes(system, k, c.nodes);
    for (int i = 0; i < c.node_count; ++i) c.size += system->nodes[c.nodes[i]].size;
    AC_TRY(ac_grow(ctx, (void **)&set->start, &set->element_capacity, set->elements + 2, sizeof *set->start));
    set->start[set->elements++] = set->count;
    set->start[set->elements] = set->count;
    AC_TRY(kind->describe(system, k, &to));
    set->start[set->elements] = set->count;
    return AC_OK;
}

void ac_described_free(ac_context *ctx, ac_described *set)
{
    ac_release(ctx, set->start);
    ac_release(ctx, set->parts);
    ac_forms_free(ctx, &set->forms);
    memset(set, 0, sizeof *set);
}

static ac_status couple(ac_system *system, const ac_element_place *place)
{
    for (int a = 0; a < place->node_count; ++a)
        for (int b = a + 1; b < place->node_count; ++b) {
            AC_TRY(ac_grow(system->ctx, (void **)&system->coupling.pairs, &system->coupling.capacity,
                           system->coupling.count + 1, sizeof *system->coupling.pairs));
            system->coupling.pairs[system->coupling.count][0] = place->nodes[a];
            system->coupling.pairs[system->coupling.count++][1] = place->nodes[b];
        }
    return AC_OK;
}

ac_status ac_system_describe(ac_system *system)
{
    ac_described *set = &system->described;
    set->elements = set->count = set->forms.count = system->coupling.count = 0;
    for (int t = 0; ac_element_kinds[t]; ++t) {
        const ac_element_kind *kind = ac_element_kinds[t];
        for (int k = 0; k < kind->count(system); ++k) {
            const ac_element_place place = ac_element_where(system, kind, k);
            AC_TRY(couple(system, &place));
            if (!kind->gradient) AC_TRY(ac_describe_element(system->ctx, system, kind, k, set));
        }
    }
    return ac_loads_describe(system);
}
