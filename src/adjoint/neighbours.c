/* What a parameter does that no datum of the description says, such as turning a frame: the numbers of the system, its start and its
 * loads come from the system as it is built at neighbouring values, by differences of sixth order. All other parameters
 * have exact derivatives (parameters.c).
 */
#include "adjoint/neighbours.h"

#include "adjoint/adjoint.h"
#include "base/signal.h"

/* Numbers of `other` less those of `here`, times a weight. */
static ac_status add_differences(const ac_number_list *here, const ac_number_list *other, int parameter,
                                 double weight, ac_number_changes *to)
{
    int a = 0, b = 0;
    while (a < here->count || b < other->count) {
        const ac_number *x = a < here->count ? &here->list[a] : NULL,
                        *y = b < other->count ? &other->list[b] : NULL;
        int order = !x ? 1 : !y ? -1 : ac_number_compare(&x->key, &y->key);
        double difference = (order >= 0 ? y->value : 0.0) - (order <= 0 ? x->value : 0.0);
        AC_TRY(ac_number_changes_add(to, order <= 0 ? &x->key : &y->key, parameter, weight * difference));
        a += order <= 0;
        b += order >= 0;
    }
    return AC_OK;
}

static ac_status take_neighbour(ac_adjoint *d, const ac_number_list *here, int parameter, int k,
                                ac_number_changes *to)
{
    const ac_stencil *stencil = d->parameters.actions[parameter].neighbours;
    ac_discrete other;
    ac_number_list numbers = {0};
    AC_TRY(ac_interval_open(d->ctx, stencil->systems[k], d->discrete.scheme_name, stencil->controls,
                            stencil->users[k], &other));
    const char *mismatch = ac_numbers_mismatch(&d->discrete, &other);
    ac_status status = AC_OK;
    if (mismatch)
        status = ac_fail(d->ctx, AC_BAD_INPUT,
                         "there is no gradient by the parameter '%s': %s when it is changed a little",
                         d->parameters.actions[parameter].name, mismatch);
    if (status == AC_OK) status = ac_numbers_list(&other, &numbers);
    if (status == AC_OK) status = add_differences(here, &numbers, parameter, stencil->weights[k], to);
    ac_number_list_free(d->ctx, &numbers);
    ac_discrete_destroy(&other);
    return status;
}

ac_status ac_neighbour_numbers(ac_adjoint *d, int parameter, ac_number_changes *to)
{
    ac_number_list here;
    AC_TRY(ac_numbers_list(&d->discrete, &here));
    ac_status status = AC_OK;
    for (int k = 0; k < AC_STENCIL && status == AC_OK; ++k)
        status = take_neighbour(d, &here, parameter, k, to);
    ac_number_list_free(d->ctx, &here);
    return status;
}

void ac_neighbour_start(const ac_adjoint *d, int parameter, double *q, double *v)
{
    const ac_stencil *stencil = d->parameters.actions[parameter].neighbours;
    for (int k = 0; k < AC_STENCIL; ++k) {
        const ac_system *other = stencil->systems[k];
        double weight = stencil->weights[k];
        for (int i = 0; i < d->system->n; ++i) {
            q[i] += weight * (other->initial.q[i] - d->system->initial.q[i]);
            v[i] += weight * (other->initial.v[i] - d->system->initial.v[i]);
        }
    }
}

bool ac_neighbour_load_varies(const ac_adjoint *d, int parameter, int input)
{
    const ac_adjoint_load *of = &d->loads[input];
    const ac_signal *here = d->system->loads[of->load].value[of->component];
    bool varies = false;
    for (int k = 0; k < AC_STENCIL; ++k) {
        const ac_system *other = d->parameters.actions[parameter].neighbours->systems[k];
        varies |= !ac_signal_same(here, other->loads[of->load].value[of->component]);
    }
    return varies;
}

double ac_neighbour_load(const ac_adjoint *d, int parameter, int input, double t)
{
    const ac_stencil *stencil = d->parameters.actions[parameter].neighbours;
    const ac_adjoint_load *of = &d->loads[input];
    double here[3], there[3], sum = 0.0;
    ac_load_values(&d->system->loads[of->load], t, d->h, here);
    for (int k = 0; k < AC_STENCIL; ++k) {
        ac_load_values(&stencil->systems[k]->loads[of->load], t, d->h, there);
        sum += stencil->weights[k] * (there[of->component] - here[of->component]);
    }
    return sum;
}
