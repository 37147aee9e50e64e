/* The gradient of a tracking functional by the forces and torques on the first target: over the whole interval, by the adjoint with
 * joints. Its derivative in a direction is compared with differences. */
#include "task/track/gradient.h"

#include <math.h>

#include "base/base.h"
#include "model/system.h"

static const double SHARE = 1e-4; /* of the direction, for differences */

typedef struct trial {
    const ac_track_data *data;
    const ac_tracked *target;
    double share; /* of the direction in the control */
} trial;

/* Component c of the position, then of the orientation. */
static bool follows(const trial *r, int c)
{
    const ac_track_target *target = &r->target->target;
    return (c < 3 ? target->position : target->rotation)[c % 3];
}

static void control(void *user, double t, double *mu)
{
    const trial *r = user;
    for (int c = 0, k = 0; c < 6; ++c) {
        if (!follows(r, c)) continue;
        const ac_signal *force = r->data->gradient.force[k], *direction = r->data->gradient.direction[k];
        *mu++ = (force ? ac_signal_value(force, t) : 0.0) +
                (direction && r->share != 0.0 ? r->share * ac_signal_value(direction, t) : 0.0);
        ++k;
    }
}

/* A formula at the time itself, samples as the tracker holds them. */
static void target_at(const trial *r, double t, ac_track_place *at)
{
    double step = r->data->settings.step;
    bool smooth = r->target->course.kind == AC_COURSE_SMOOTH;
    ac_course_at(&r->target->course, smooth ? 1 : (long)floor(t / step + 1e-9), smooth ? t : step, at);
}

static void place(void *user, double t, double *p)
{
    const trial *r = user;
    ac_track_place at;
    target_at(r, t, &at);
    for (int c = 0; c < 3; ++c)
        if (follows(r, c)) *p++ = at.position[c];
}

static void rotation(void *user, double t, double R[9])
{
    ac_track_place at;
    target_at(user, t, &at);
    for (int k = 0; k < 9; ++k) R[k] = at.rotation[k];
}

/* The integral of gradient times direction, by Simpson's rule (an even number of intervals), else by trapezia. */
static double along(const ac_track_data *data, const double *gradient, int width, long nodes, double h)
{
    double sum = 0.0;
    bool simpson = (nodes - 1) % 2 == 0;
    for (long n = 0; n < nodes; ++n) {
        bool end = n == 0 || n == nodes - 1;
        double weight = simpson ? (end ? 1.0 : n % 2 ? 4.0 : 2.0) / 3.0 : end ? 0.5 : 1.0;
        for (int k = 0; k < width; ++k) {
            const ac_signal *direction = data->gradient.direction[k];
            if (direction)
                sum += h * weight * gradient[n * width + k] * ac_signal_value(direction, h * (double)n);
        }
    }
    return sum;
}

static ac_status write_rows(const ac_run_job *job, const double *gradient, int moved, int width, long nodes,
                            double h)
{
    static const char *const labels[] = {"", "", "1 2", "1 2 3"};
    ac_channel channels[3] = {{"time", "s", "", 1}};
    int count = 1, turned = width - moved;
    if (moved > 0) channels[count++] = (ac_channel){"gradient/force", "1/(N s)", labels[moved], moved};
    if (turned > 0) channels[count++] = (ac_channel){"gradient/torque", "1/(N m s)", labels[turned], turned};
    ac_stream stream = {0};
    ac_status status = ac_stream_open(&stream, job, "gradient", channels, count);
    for (long n = 0; n < nodes && status == AC_OK; ++n) {
        stream.row[0] = h * (double)n;
        for (int k = 0; k < width; ++k) stream.row[1 + k] = gradient[n * width + k];
        status = ac_stream_put(&stream);
    }
    ac_stream_close(&stream);
    return status;
}

/* J for other controls; the gradient of the first is kept. */
static ac_status difference(const ac_run_job *job, const ac_system *system, ac_gradient_problem *problem,
                            trial *r, double *spare, double *slope)
{
    double J[2], hidden;
    for (int k = 0; k < 2; ++k) {
        r->share = k == 0 ? SHARE : -SHARE;
        AC_TRY(ac_track_gradient(job->ctx, system, problem, &J[k], spare, &hidden));
    }
    *slope = (J[0] - J[1]) / (2.0 * SHARE);
    return AC_OK;
}

static ac_status evaluate(const ac_run_job *job, const ac_track_data *data, const ac_system *system,
                          ac_gradient_problem *problem, trial *r, int width, double *gradient)
{
    long nodes = problem->steps / 2 + 1;
    double J, hidden, slope, h = 2.0 * problem->duration / (double)problem->steps;
    AC_TRY(ac_track_gradient(job->ctx, system, problem, &J, gradient, &hidden));
    int moved = 0;
    for (int c = 0; c < 3; ++c) moved += follows(r, c);
    AC_TRY(write_rows(job, gradient, moved, width, nodes, h));
    ac_summary_add(job->summary, "gradient_functional", J, "1");
    ac_summary_add(job->summary, "gradient_hidden_constraint", hidden, "1");
    if (!data->gradient.directed) return AC_OK;
    ac_summary_add(job->summary, "gradient_along_direction", along(data, gradient, width, nodes, h), "1");
    AC_TRY(difference(job, system, problem, r, gradient, &slope));
    ac_summary_add(job->summary, "gradient_by_differences", slope, "1");
    return AC_OK;
}

ac_status ac_track_gradient_write(const ac_run_job *job, const ac_track_data *data, const ac_system *system)
{
    trial r = {.data = data, .target = &data->targets[0]};
    ac_gradient_problem problem = {.target = r.target->target,
                                   .duration = (double)data->course_steps * data->settings.step,
                                   .steps = data->gradient.steps,
                                   .rho0 = data->settings.weights.rho0,
                                   .user = &r,
                                   .control = control,
                                   .place = place,
                                   .rotation = rotation};
    const ac_node *node = &system->nodes[r.target->target.node];
    int width = 0;
    for (int c = 0; c < 6; ++c) {
        if (follows(&r, c) && (c < 3 ? c >= node->dimension : c < 6 - ac_node_turns(node)))
            return ac_fail(job->ctx, AC_BAD_INPUT,
                           "the gradient takes a target of which its body has all components; %s has no %s",
                           node->name, (const char *const[]){"x", "y", "z", "rx", "ry", "rz"}[c]);
        width += follows(&r, c);
    }
    double *gradient = ac_allocate(job->ctx, (size_t)(problem.steps / 2 + 1) * (size_t)width,
                                   sizeof *gradient);
    if (!gradient) return ac_out_of_memory(job->ctx);
    ac_status status = evaluate(job, data, system, &problem, &r, width, gradient);
    ac_release(job->ctx, gradient);
    return status;
}
