/* A motion as a list of numbers, from which a search can begin again: of a checkpoint.
 *
 *   parts: phases, or the problem itself; junctions, parameters
 *   per part   intervals, duration, configurations, controls; of phases the velocities at both ends
 *   lengths of junctions, parameters
 */
#include <math.h>
#include <string.h>

#include "optimize/phases/phases.h"
#include "optimize/problem/prepare.h"

enum { HEAD = 3, PART_HEAD = 2, INTERVALS_MOST = 10000000 };

static int parts_of(const ac_optimization *o)
{
    return o->description.phases ? o->description.phases->count : 1;
}

static ac_optimization *part_of(ac_optimization *o, int k)
{
    return o->description.phases ? o->description.phases->list[k] : o;
}

static size_t part_size(const ac_optimization *o, const ac_optimization *part, size_t intervals)
{
    size_t n = (size_t)o->system->n;
    return PART_HEAD + (intervals + 1) * n + intervals * (size_t)part->description.control_count +
           (o->description.phases ? 2 * n : 0);
}

static size_t tail_size(const ac_optimization *o)
{
    return (size_t)ac_optimization_junctions(o) + (size_t)ac_optimization_parameters(o);
}

size_t ac_optimization_motion_size(ac_optimization *o)
{
    size_t size = HEAD + tail_size(o);
    for (int k = 0; k < parts_of(o); ++k)
        size += part_size(o, part_of(o, k), (size_t)ac_optimization_intervals(part_of(o, k)));
    return size;
}

static double *put(double *at, const double *from, size_t count)
{
    if (count > 0) memcpy(at, from, count * sizeof *at);
    return at + count;
}

static double *put_part(const ac_optimization *o, const ac_optimization *part, double *at)
{
    size_t n = (size_t)o->system->n, controls = (size_t)part->description.control_count;
    int N = ac_optimization_intervals(part);
    *at++ = N;
    *at++ = ac_optimization_duration(part);
    for (int k = 0; k <= N; ++k) at = put(at, ac_optimization_configuration(part, k), n);
    for (int k = 0; k < N; ++k) at = put(at, ac_optimization_control_values(part, k), controls);
    for (int e = 0; e < 2 && o->description.phases; ++e) at = put(at, part->point.velocity[e], n);
    return at;
}

void ac_optimization_motion(ac_optimization *o, double *at)
{
    *at++ = parts_of(o);
    *at++ = ac_optimization_junctions(o);
    *at++ = ac_optimization_parameters(o);
    for (int k = 0; k < parts_of(o); ++k) at = put_part(o, part_of(o, k), at);
    for (int k = 0; k < ac_optimization_junctions(o); ++k) {
        int length = o->description.phases->junctions[k].length;
        *at++ = length >= 0 ? o->point.x[length] : 0.0;
    }
    for (int k = 0; k < ac_optimization_parameters(o); ++k) *at++ = ac_optimization_parameter_value(o, k);
}

/* Whether a list is a motion of this problem, on any mesh. */
static bool fits(ac_optimization *o, const double *numbers, size_t count)
{
    const double head[HEAD] = {parts_of(o), ac_optimization_junctions(o), ac_optimization_parameters(o)};
    size_t used = HEAD;
    if (count < HEAD) return false;
    for (int k = 0; k < HEAD; ++k)
        if (numbers[k] != head[k]) return false;
    for (int k = 0; k < parts_of(o); ++k) {
        if (used + PART_HEAD > count) return false;
        double N = numbers[used];
        if (!(N >= 1.0 && N <= INTERVALS_MOST && numbers[used + 1] > 0.0)) return false;
        used += part_size(o, part_of(o, k), (size_t)N);
    }
    if (used + tail_size(o) != count) return false;
    for (size_t i = 0; i < count; ++i)
        if (!isfinite(numbers[i])) return false;
    return true;
}

static ac_status guess_part(const ac_optimization *o, ac_optimization *part, const double *at)
{
    size_t n = (size_t)o->system->n, N = (size_t)at[0];
    const double *q = at + PART_HEAD, *u = q + (N + 1) * n,
                 *ends = u + N * (size_t)part->description.control_count;
    AC_TRY(ac_optimization_guess_motion(part, (int)N + 1, q, u, at[1]));
    if (!o->description.phases) return AC_OK;
    ac_release(o->ctx, part->description.guess.motion_velocities);
    part->description.guess.motion_velocities = NULL;
    AC_NEW(o->ctx, part->description.guess.motion_velocities, 2 * n);
    put(part->description.guess.motion_velocities, ends, 2 * n);
    return AC_OK;
}

ac_status ac_optimization_guess_numbers(ac_optimization *o, const double *numbers, size_t count)
{
    if (!fits(o, numbers, count))
        return ac_fail(o->ctx, AC_BAD_INPUT, "the motion is one of another problem");
    const double *at = numbers + HEAD;
    for (int k = 0; k < parts_of(o); ++k) {
        AC_TRY(guess_part(o, part_of(o, k), at));
        at += part_size(o, part_of(o, k), (size_t)at[0]);
    }
    for (int k = 0; k < ac_optimization_junctions(o); ++k, ++at)
        if (o->description.phases->junctions[k].shift) o->description.phases->junctions[k].guess = *at;
    for (int k = 0; k < ac_optimization_parameters(o); ++k)
        AC_TRY(ac_optimization_guess_parameter(o, k, *at++));
    return AC_OK;
}
