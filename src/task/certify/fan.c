/* The fan of trajectories: what the first samples do, as curves over time, and as paths of points in space beside the motion
 * with the medians of all inputs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "certify/certify.h"
#include "certify/random.h"
#include "model/system.h"
#include "observe/quantity.h"
#include "task/certify/certify.h"
#include "task/certify/runner_data.h"

enum { PATHS_MAX = 8, PATH_COLUMNS = 3 };

/* A point whose path is shown: that of a quantity of the measure, or the reference point of a node. */
typedef struct path {
    int quantity; /* -1: none */
    bool second;  /* its second point */
    int node;
} path;

typedef struct fan {
    ac_certify_task *task;
    ac_runner *runner;
    path paths[PATHS_MAX];
    int path_count;
    long sample;
    bool failed;
    ac_stream motion; /* with the medians */
    ac_status status;
} fan;

/* ---- which points ---- */

static void place_of(const fan *f, const path *p, double place[3])
{
    const ac_runner *r = f->runner;
    const ac_quantity *quantity = p->quantity < 0 ? NULL : &r->own->quantities[p->quantity];
    const ac_point centre = {.node = p->node};
    const ac_point *point = !quantity ? &centre : p->second ? &quantity->second_point : &quantity->point;
    ac_quantity_place(r->system, point, !quantity, r->looked, place);
}

static bool same_point(const ac_point *a, const ac_point *b)
{
    return a->node == b->node && a->place[0] == b->place[0] && a->place[1] == b->place[1] &&
           a->place[2] == b->place[2];
}

static const ac_point *point_of(const ac_certification *c, const path *p)
{
    return p->second ? &c->quantities[p->quantity].second_point : &c->quantities[p->quantity].point;
}

static void add_point(fan *f, int quantity, bool second)
{
    const ac_certification *c = f->task->c;
    path p = {.quantity = quantity, .second = second};
    const ac_point *point = point_of(c, &p);
    p.node = point->node;
    if (point->node == AC_GROUND || f->path_count == PATHS_MAX) return;
    for (int k = 0; k < f->path_count; ++k)
        if (same_point(point, point_of(c, &f->paths[k]))) return;
    f->paths[f->path_count++] = p;
}

/* Points of the measure; without any, nodes that carry no others. */
static void choose_points(fan *f)
{
    const ac_certification *c = f->task->c;
    const ac_system *system = f->runner->system;
    for (int k = 0; k < c->quantity_count; ++k) {
        ac_quantity_type type = c->quantities[k].type;
        if (type == AC_QUANTITY_POINT || type == AC_QUANTITY_DISTANCE) add_point(f, k, false);
        if (type == AC_QUANTITY_DISTANCE) add_point(f, k, true);
    }
    if (f->path_count > 0) return;
    for (int i = 0; i < system->node_count && f->path_count < PATHS_MAX; ++i) {
        bool carries = system->nodes[i].beam >= 0;
        for (int j = 0; j < system->node_count; ++j) carries = carries || system->nodes[j].parent == i;
        if (!carries) f->paths[f->path_count++] = (path){.quantity = -1, .node = i};
    }
}

/* ---- tables ---- */

static ac_status open_fan(ac_certify_task *t)
{
    const ac_certification *c = t->c;
    int count = 3 + c->quantity_count + c->channel_count;
    const char **names = ac_allocate(t->job->ctx, (size_t)count, sizeof *names);
    if (!names) return ac_out_of_memory(t->job->ctx);
    names[0] = "time";
    names[1] = "fan/sample";
    names[2] = "fan/measure";
    for (int k = 0; k < c->quantity_count; ++k) names[3 + k] = c->quantities[k].name;
    for (int k = 0; k < c->channel_count; ++k) names[3 + c->quantity_count + k] = c->channels[k].name;
    ac_status status = ac_certify_table(t, &t->fan, "fan", names, count);
    ac_release(t->job->ctx, names);
    return status;
}

static ac_status open_paths(fan *f)
{
    ac_certify_task *t = f->task;
    const char *names[PATH_COLUMNS + 3 * PATHS_MAX] = {"time", "paths/sample", "paths/failure"};
    if (f->path_count == 0) return AC_OK;
    char(*texts)[AC_CERTIFY_NAME] = ac_certify_texts(t, 3 * PATHS_MAX);
    if (!texts) return ac_out_of_memory(t->job->ctx);
    for (int k = 0; k < 3 * f->path_count; ++k) {
        const char *node = f->runner->system->nodes[f->paths[k / 3].node].name;
        snprintf(texts[k], AC_CERTIFY_NAME, "paths/%d %s/%c", k / 3 + 1, node ? node : "node", "xyz"[k % 3]);
        names[PATH_COLUMNS + k] = texts[k];
    }
    return ac_certify_table(t, &t->paths, "paths", names, PATH_COLUMNS + 3 * f->path_count);
}

/* ---- runs ---- */

static void put_node(void *user, const double *variables, double measure)
{
    fan *f = user;
    ac_certify_task *t = f->task;
    int count = t->c->quantity_count + t->c->channel_count;
    if (f->status != AC_OK) return;
    double *row = t->fan.row, time = variables[f->runner->variables.count - 1];
    row[0] = time;
    row[1] = (double)f->sample;
    row[2] = measure;
    memcpy(row + 3, variables, (size_t)count * sizeof *row);
    f->status = ac_stream_put(&t->fan);
    if (f->path_count == 0 || f->status != AC_OK) return;
    row = t->paths.row;
    row[0] = time;
    row[1] = (double)f->sample;
    row[2] = f->failed;
    for (int k = 0; k < f->path_count; ++k) place_of(f, &f->paths[k], row + PATH_COLUMNS + 3 * k);
    f->status = ac_stream_put(&t->paths);
}

static void put_motion(void *user, const double *variables, double measure)
{
    fan *f = user;
    (void)variables, (void)measure;
    if (f->status == AC_OK)
        f->status = ac_simulation_node_row(f->runner->simulation, f->runner->looked_last, f->motion.row);
    if (f->status == AC_OK) f->status = ac_stream_put(&f->motion);
}

static ac_status put_samples(fan *f, double *x)
{
    ac_certify_task *t = f->task;
    const ac_certification *c = t->c;
    long count = c->trajectories < t->settings.samples ? c->trajectories : t->settings.samples;
    for (long k = 0; k < count && f->status == AC_OK; ++k) {
        double measure;
        f->sample = k;
        f->failed = k < AC_CERTIFY_DOTS && t->beyond[k];
        ac_draw_inputs(c->inputs, c->input_count, t->settings.seed, AC_STREAM_SAMPLES, k, x);
        if (ac_runner_run(f->runner, x, &measure, NULL, put_node, f) < 0)
            return ac_out_of_memory(t->job->ctx);
    }
    return f->status;
}

/* With the medians of all inputs; a run that fails leaves the motion as far as it goes. */
static ac_status put_medians(fan *f, double *x)
{
    const ac_certification *c = f->task->c;
    int count;
    double measure;
    for (int k = 0; k < c->input_count; ++k) x[k] = ac_uncertain_quantile(&c->inputs[k], 0.5);
    if (ac_runner_set(f->runner, x) != AC_OK) return AC_OK;
    const ac_channel *channels = ac_simulation_node_channels(f->runner->simulation, &count);
    AC_TRY(ac_stream_open(&f->motion, f->task->job, "medians", channels, count));
    if (ac_runner_run(f->runner, x, &measure, NULL, put_motion, f) < 0)
        return ac_out_of_memory(f->task->job->ctx);
    return f->status;
}

ac_status ac_certify_fan(ac_certify_task *t)
{
    fan f = {.task = t};
    if (t->c->trajectories == 0) return AC_OK;
    double *x = ac_allocate(t->job->ctx, (size_t)t->c->input_count, sizeof *x);
    if (!x) return ac_out_of_memory(t->job->ctx);
    ac_status status = ac_runner_new(t->job->ctx, t->job->problem, &f.runner);
    if (status == AC_OK) {
        ac_runner_set_controls(f.runner, t->controls);
        choose_points(&f);
        status = open_fan(t);
    }
    if (status == AC_OK) status = open_paths(&f);
    if (status == AC_OK) status = put_samples(&f, x);
    if (status == AC_OK) status = put_medians(&f, x);
    if (f.motion.row) ac_stream_close(&f.motion);
    ac_runner_free(f.runner);
    ac_release(t->job->ctx, x);
    return status;
}
