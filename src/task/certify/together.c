/* Several runs together, in the lanes of an ensemble.
 *
 * Every lane is a runner of its own with its own system. Runs that lanes cannot finish are simulated by the runner of
 * their lane, so the outcome of a run does not depend on what runs beside it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "ensemble/lanes.h"
#include "model/system.h"
#include "task/certify/runner_data.h"

struct ac_runner_group {
    ac_runner *member[AC_LANES]; /* the first one is the runner itself */
    ac_lanes *lanes;
    double *q; /* configuration of one lane */
    double *winding[AC_LANES];
    bool winds; /* the measure has angles of joints */
};

int ac_runner_together(const ac_runner *r)
{
    bool stays = r->values || r->parameters == 0; /* the system is set, not made again */
    return stays && r->c->channel_count == 0 && ac_lanes_take(r->system, &r->settings) ? AC_LANES : 1;
}

static bool needs_winding(const ac_certification *c)
{
    for (int k = 0; k < c->quantity_count; ++k) {
        ac_quantity_type type = c->quantities[k].type;
        if (type != AC_QUANTITY_POINT && type != AC_QUANTITY_DISTANCE && type != AC_QUANTITY_DIRECTION)
            return true;
    }
    return false;
}

ac_status ac_runner_open_group(ac_runner *r)
{
    if (r->group) return AC_OK;
    struct ac_runner_group *g;
    AC_NEW(r->ctx, g, 1);
    r->group = g;
    g->winds = needs_winding(r->c);
    g->member[0] = r;
    for (int l = 1; l < AC_LANES; ++l) AC_TRY(ac_runner_new(r->ctx, r->base, &g->member[l]));
    AC_NEW(r->ctx, g->q, r->system->n);
    for (int l = 0; l < AC_LANES; ++l) AC_NEW(r->ctx, g->winding[l], r->system->measure_count + 1);
    return ac_lanes_new(r->ctx, r->system, &r->settings, &g->lanes);
}

void ac_runner_close_group(ac_runner *r)
{
    struct ac_runner_group *g = r->group;
    if (!g) return;
    for (int l = 0; l < AC_LANES; ++l) {
        if (l > 0) ac_runner_free(g->member[l]);
        ac_release(r->ctx, g->winding[l]);
    }
    ac_lanes_free(g->lanes);
    ac_release(r->ctx, g->q);
    ac_release(r->ctx, g);
    r->group = NULL;
}

/* Inputs into the systems of the lanes; lanes without a run repeat the first. */
static int set_lanes(struct ac_runner_group *g, int count, const double *const *x,
                     const double *const *controls, int *outcomes)
{
    const ac_system *systems[AC_LANES];
    for (int l = 0; l < AC_LANES; ++l) {
        ac_runner *m = g->member[l < count ? l : 0];
        if (l < count) {
            ac_runner_set_controls(m, controls ? controls[l] : g->member[0]->controls);
            ac_status status = ac_runner_set(m, x[l]);
            if (status == AC_NO_MEMORY) return -1;
            outcomes[l] = status == AC_OK ? 0 : 1;
            if (status != AC_OK) snprintf(m->reason, sizeof m->reason, "%s", ac_context_message(m->ctx));
        }
        systems[l] = m->system;
        for (int k = 0; k < m->system->measure_count; ++k) g->winding[l][k] = m->system->measures[k].initial;
    }
    ac_lanes_start(g->lanes, systems);
    return 0;
}

/* The measure of all runs at the newest time node. */
static void look(struct ac_runner_group *g, int count, double t, ac_course *courses)
{
    for (int l = 0; l < count; ++l) {
        ac_runner *m = g->member[l];
        if (ac_lanes_failed(g->lanes, l)) continue;
        ac_lanes_configuration(g->lanes, l, g->q);
        ac_runner_look(m, g->winding[l], g->q, t, &courses[l]);
        if (g->winds) ac_measures_wind(m->system, g->q, g->winding[l]);
    }
}

static void go(struct ac_runner_group *g, int count, ac_course *courses)
{
    const ac_runner *r = g->member[0];
    bool all = r->c->take != AC_TAKE_LAST || g->winds, alive = true;
    for (long n = 0; n < r->steps && alive; ++n) {
        if (all) look(g, count, (double)n * r->settings.step, courses);
        alive = ac_lanes_step(g->lanes);
    }
    if (alive) look(g, count, (double)r->steps * r->settings.step, courses);
}

int ac_runner_run_together(ac_runner *r, int count, const double *const *x, const double *const *controls,
                           double *measures, double *tight, int *outcomes)
{
    ac_course courses[AC_LANES];
    for (int l = 0; l < AC_LANES; ++l) courses[l] = (ac_course){.low = INFINITY, .high = -INFINITY};
    if (ac_runner_open_group(r) != AC_OK || set_lanes(r->group, count, x, controls, outcomes) < 0) return -1;
    go(r->group, count, courses);
    for (int l = 0; l < count; ++l) {
        ac_runner *m = r->group->member[l];
        double *own = tight ? &tight[l] : NULL;
        if (own) *own = ac_lanes_tight(r->group->lanes, l);
        if (outcomes[l] == 0)
            outcomes[l] = ac_lanes_failed(r->group->lanes, l)
                              ? ac_runner_run(m, x[l], &measures[l], own, NULL, NULL)
                              : ac_runner_conclude(m, &courses[l], &measures[l]);
        if (outcomes[l] < 0) return -1;
    }
    return 0;
}
