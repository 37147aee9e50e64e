/* Gradients of the measure by the inputs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/expression.h"
#include "model/system.h"
#include "observe/quantity.h"
#include "task/certify/runner_data.h"

/* By loads the adjoint gives the gradient of a measure at the end of the run. */
int ac_runner_gradient_runs(const ac_runner *r)
{
    bool constant = r->values || r->parameters == 0; /* the system stays where it is */
    int loads = r->c->input_count - r->parameters;
    if (!constant || r->c->take != AC_TAKE_LAST || r->c->channel_count > 0 || loads < 3) return 0;
    if (ac_problem_system(r->base)->contact_count > 0 || r->settings.free_step) return 0;
    return 3 + r->parameters; /* forward, forward again with what is stored, backwards */
}

/* The measure as a function of the last configuration, by its slopes there. */
static double at_the_end(void *user, long node, double t, const double *q, const double *p, double *by_q,
                         double *by_p)
{
    const ac_runner *r = user;
    (void)t, (void)p, (void)by_p;
    if (node != r->steps || !by_q) return 0.0;
    for (int k = 0; k < r->own->quantity_count; ++k)
        ac_quantity_add_slope(r->system, r->simulation->stepper.winding, &r->own->quantities[k], q,
                              r->slopes[k], by_q);
    return 0.0;
}

static ac_status open_adjoint(ac_runner *r)
{
    if (r->adjoint) return AC_OK;
    AC_NEW(r->ctx, r->slopes, r->variable_count + r->c->input_count);
    r->other = r->slopes + r->variable_count;
    return ac_adjoint_new(r->ctx, r->system, &r->settings, 0, &r->adjoint);
}

static double by_load(const ac_runner *r, const ac_input_target *target)
{
    double sum = 0.0;
    for (int i = 0; i < ac_adjoint_inputs(r->adjoint); ++i) {
        int load, component;
        ac_adjoint_input(r->adjoint, i, &load, &component);
        if (load != target->load || component != target->component) continue;
        for (long n = 0; n < r->steps; ++n)
            if (target->interval < 0 || target->interval == n) sum += ac_adjoint_by_input(r->adjoint, n)[i];
    }
    return sum;
}

static int by_parameter(ac_runner *r, const double *x, int k, double measure, double *slope)
{
    const ac_uncertain *input = &r->c->inputs[k];
    double step = 1e-4 * (input->high - input->low), moved = NAN;
    if (x[k] > 0.5 * (input->low + input->high)) step = -step;
    memcpy(r->other, x, (size_t)r->c->input_count * sizeof *r->other);
    r->other[k] += step;
    int outcome = ac_runner_run(r, r->other, &moved, NULL, NULL, NULL);
    *slope = (moved - measure) / step;
    return outcome;
}

int ac_runner_gradient(ac_runner *r, const double *x, double *measure, double *gradient)
{
    const ac_functional functional = {.user = r, .node = at_the_end};
    double ignored;
    int outcome = ac_runner_run(r, x, measure, NULL, NULL, NULL);
    if (outcome != 0) return outcome;
    ac_status status = open_adjoint(r);
    if (status == AC_OK) {
        ac_expression_derivatives(r->own->expression, r->variables, r->slopes, NULL);
        status = ac_adjoint_run(r->adjoint, &functional, &ignored);
    }
    if (status == AC_NO_MEMORY) return -1;
    if (status != AC_OK) {
        snprintf(r->reason, sizeof r->reason, "%s", ac_context_message(r->ctx));
        return 1;
    }
    for (int k = 0; k < r->c->input_count; ++k)
        if (!r->c->targets[k].parameter[0]) gradient[k] = by_load(r, &r->c->targets[k]);
    for (int k = 0; k < r->c->input_count && outcome == 0; ++k)
        if (r->c->targets[k].parameter[0]) outcome = by_parameter(r, x, k, *measure, &gradient[k]);
    return outcome;
}
