/* Momentum and energy by the numbers of an interval: whatever parameters do to masses, weights, laws and maps of elements, energies and
 * momenta follow.
 *
 *   momentum   e . (M' w)            angular   (e X (x - o)) . (M' w)
 *   kinetic    w . M' w / 2          gravity   -f' . x
 *   elements   W_c c' for the numbers c of a law, W'(y) psi_m kappa_m' for those of a map
 */
#include "action/describe/balance.h"
#include "base/vector.h"

typedef struct summing {
    const ac_balance_source *source;
    const ac_discrete *d;
    const ac_balance_point *point;
    const ac_varying *v;
    const double *slopes;
} summing;

/* (e X x)_k with the vector x of the node in which coordinate i is number k; x from the place that it is about. */
static double arm_of(const summing *s, const ac_node *node, int i)
{
    const ac_balance_source *source = s->source;
    int dimension = node->dimension, k = (i - node->q) % dimension, first = i - k;
    bool place = first == node->q;
    double x[3] = {0.0, 0.0, 0.0}, arm[3];
    if (place && source->about_centre) return 0.0;
    for (int c = 0; c < 3; ++c) {
        if (c < dimension) x[c] = s->point->q[first + c];
        if (place) x[c] -= source->about[c];
    }
    cross3(source->along, x, arm);
    return arm[k];
}

/* By an entry of the mass matrix. */
static double by_mass(const summing *s, const ac_node *node, int i, int j)
{
    const double *w = s->point->w;
    switch (s->source->kind) {
    case AC_BALANCE_MOMENTUM:
        return i < node->q + node->dimension ? s->source->along[i - node->q] * w[j] : 0.0;
    case AC_BALANCE_ANGULAR: return arm_of(s, node, i) * w[j];
    case AC_BALANCE_KINETIC:
    case AC_BALANCE_ENERGY: return 0.5 * w[i] * w[j];
    case AC_BALANCE_POTENTIAL: break;
    }
    return 0.0;
}

static double masses(const summing *s)
{
    const ac_system *system = s->d->system;
    const ac_node *node = &system->nodes[s->source->first], *last = &system->nodes[s->source->last];
    const ac_number_key *keys = s->v->keys;
    double sum = 0.0;
    for (int k = s->v->first[AC_NUMBER_MASS]; k < s->v->first[AC_NUMBER_MASS + 1]; ++k) {
        int i = keys[k].i;
        if (keys[k].owner != 0 || i < node->q || i >= last->q + last->size) continue;
        while (i >= node->q + node->size) ++node;
        sum += s->slopes[k] * by_mass(s, node, i, keys[k].j);
    }
    return sum;
}

static double gravity(const summing *s)
{
    const ac_node *nodes = s->d->system->nodes;
    double sum = 0.0;
    for (int k = s->v->first[AC_NUMBER_GRAVITY]; k < s->v->first[AC_NUMBER_GRAVITY + 1]; ++k) {
        int i = s->v->keys[k].i;
        if (i >= nodes[s->source->first].q && i < nodes[s->source->last].q + nodes[s->source->last].size)
            sum -= s->slopes[k] * s->point->q[i];
    }
    return sum;
}

double ac_scalar_by_numbers(const ac_scalars *set, int k, const double *q, double winding,
                            const ac_varying *v, const double *slopes, double *value)
{
    const ac_scalar *scalar = &set->list[k];
    const int *at = ac_scalar_coordinates(set, k);
    double x[AC_SCALAR_MAX] = {0.0}, kappa[AC_OUTER_MAX], sum = 0.0;
    ac_outer_value psi = {0};
    for (int i = 0; i < scalar->count; ++i) x[i] = q[at[i]];
    for (int m = 0; m < scalar->outer.maps; ++m)
        kappa[m] = ac_form_value(&set->forms, scalar->first_form + m, x);
    ac_outer_evaluate(&scalar->outer, kappa, winding, &psi);
    for (int e = v->map[k]; e < v->map[k + 1]; ++e)
        sum += slopes[e] * psi.d[v->keys[e].row] * ac_number_monomial(&v->keys[e], q);
    for (int e = v->function[k]; e < v->function[k + 1]; ++e) {
        double d[AC_OUTER_MAX];
        sum += slopes[e] * ac_function_by_number(scalar->outer.function, kappa, v->keys[e].row, d);
    }
    if (value) *value = psi.y;
    return sum;
}

static double part(const summing *s, int k)
{
    const ac_discrete_spring *spring = &s->d->springs[k];
    ac_law_slopes law = {0};
    double y, w[4],
        by_y = ac_scalar_by_numbers(&s->d->scalars, spring->scalar, s->point->q,
                                    ac_spring_winding(spring, s->point->measure_windings), s->v, s->slopes,
                                    &y),
        sum;
    spring->law->value(spring->data, y, w);
    sum = w[1] * by_y;
    if (s->v->law[k] < s->v->law[k + 1]) spring->law->by_data(spring->data, y, &law);
    for (int e = s->v->law[k]; e < s->v->law[k + 1]; ++e) sum += s->slopes[e] * law.one[s->v->keys[e].row][0];
    return sum;
}

static double elements(const summing *s)
{
    int own = s->source->beam;
    double sum = 0.0;
    for (int e = 0; own != AC_NO_SPRINGS && e < s->v->element_count; ++e)
        for (int k = s->v->elements[e].first; k < s->v->elements[e].end; ++k)
            if ((own == AC_ALL_SPRINGS || own == ac_part_beam(s->d, k)) && ac_varying_part(s->d, s->v, k))
                sum += part(s, k);
    return sum;
}

double ac_balance_by_numbers(const ac_balance_source *source, const ac_discrete *discrete,
                             const ac_balance_point *point, const ac_varying *varying, const double *slopes)
{
    const summing s = {source, discrete, point, varying, slopes};
    double sum = 0.0;
    if (varying->count == 0) return 0.0;
    if (source->kind != AC_BALANCE_POTENTIAL) sum += masses(&s);
    if (source->kind >= AC_BALANCE_POTENTIAL) sum += gravity(&s) + elements(&s);
    return sum;
}
