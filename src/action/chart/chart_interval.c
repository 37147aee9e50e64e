/* An interval of the trapezoidal rule for the coordinates of the chart. */
#include "action/chart/chart_interval.h"

#include <string.h>

#include "base/rotation.h"

static ac_status create_end(ac_chart_interval *on, const ac_discrete *discrete, ac_chart_end *e)
{
    size_t T = (size_t)on->T;
    double **const rows[] = {&e->theta, &e->p, &e->f},
                   **const squares[] = {&e->p_t, &e->p_v, &e->f_t, &e->f_v};
    AC_TRY(ac_minimal_create(on->ctx, &on->chart, on->chart.system->initial.state, &e->at));
    e->at.discrete = discrete;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) AC_NEW(on->ctx, *rows[k], T + 1);
    for (size_t k = 0; k < sizeof squares / sizeof *squares; ++k) AC_NEW(on->ctx, *squares[k], T * T + 1);
    return AC_OK;
}

ac_status ac_chart_interval_create(ac_context *ctx, const ac_system *system, const ac_discrete *discrete,
                                   ac_chart_interval *on)
{
    memset(on, 0, sizeof *on);
    on->ctx = ctx;
    on->T = system->tree.freedoms;
    AC_TRY(ac_chart_create(ctx, system, &on->chart));
    for (int e = 0; e < 2; ++e) AC_TRY(create_end(on, discrete, &on->end[e]));
    AC_NEW(ctx, on->v, (size_t)on->T + 1);
    AC_NEW(ctx, on->left, (size_t)on->T + 1);
    AC_NEW(ctx, on->right, (size_t)on->T + 1);
    ac_chart_interval_restart(on);
    return AC_OK;
}

void ac_chart_interval_destroy(ac_chart_interval *on)
{
    if (!on->ctx) return;
    for (int k = 0; k < 2; ++k) {
        ac_chart_end *e = &on->end[k];
        void *blocks[] = {e->theta, e->p, e->f, e->p_t, e->p_v, e->f_t, e->f_v};
        ac_minimal_destroy(&e->at);
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; ++b) ac_release(on->ctx, blocks[b]);
    }
    ac_chart_destroy(&on->chart);
    ac_release(on->ctx, on->v);
    ac_release(on->ctx, on->left);
    ac_release(on->ctx, on->right);
    memset(on, 0, sizeof *on);
}

/* The directions of swings are those of the distance alone, however the start was reached. */
void ac_chart_interval_restart(ac_chart_interval *on)
{
    const ac_system *system = on->chart.system;
    for (int e = 0; e < 2; ++e)
        for (int i = 0; i < system->node_count; ++i) {
            const ac_node *node = &system->nodes[i];
            ac_joint_state *state = &on->end[e].at.reference[i];
            *state = system->initial.state[i];
            if (node->joint >= 0 && ac_row_has(system->joints[node->joint].row, AC_MOTION_SWING))
                ac_perpendicular(state->shift, state->basis, state->basis + 3);
        }
}

void ac_chart_interval_evaluate(ac_chart_interval *on, double h)
{
    ac_chart_end *a = &on->end[0], *b = &on->end[1];
    for (int f = 0; f < on->T; ++f) on->v[f] = (b->theta[f] - a->theta[f]) / h;
    for (int k = 0; k < 2; ++k) {
        ac_chart_end *e = &on->end[k];
        ac_minimal_momentum(&e->at, on->v, e->p, e->p_t, e->p_v);
        ac_minimal_force(&e->at, on->v, e->f, e->f_t, e->f_v);
    }
    for (int f = 0; f < on->T; ++f) {
        double mean = 0.5 * (a->p[f] + b->p[f]);
        on->left[f] = 0.5 * h * a->f[f] - mean;
        on->right[f] = 0.5 * h * b->f[f] + mean;
    }
}

void ac_chart_interval_slopes(const ac_chart_interval *on, double h, double *left_a, double *left_b,
                              double *right_a, double *right_b)
{
    const ac_chart_end *a = &on->end[0], *b = &on->end[1];
    for (int k = 0; k < on->T * on->T; ++k) {
        double mass = (a->p_v[k] + b->p_v[k]) / h;
        if (left_a) left_a[k] = 0.5 * (h * a->f_t[k] - a->f_v[k] - a->p_t[k] + mass);
        if (left_b) left_b[k] = 0.5 * (a->f_v[k] - b->p_t[k] - mass);
        if (right_a) right_a[k] = 0.5 * (a->p_t[k] - b->f_v[k] - mass);
        if (right_b) right_b[k] = 0.5 * (h * b->f_t[k] + b->f_v[k] + b->p_t[k] + mass);
    }
}
