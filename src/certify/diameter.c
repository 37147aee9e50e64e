/* Diameters: measures at parts of the ranges, and the choice of the method. */
#include "certify/diameter.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "math/math.h"

enum { SCAN_MAX = 100000 };
static const double DIFFERENCE = 1e-4; /* of the range, where the runner has no gradient */

static double value_at(const ac_uncertain *input, double part)
{
    if (part <= 0.0) return input->low;
    if (part >= 1.0) return input->high;
    return input->low + part * (input->high - input->low);
}

static void put_point(ac_search *s, const double *others, double at)
{
    for (int k = 0; k < s->count; ++k) s->point[k] = value_at(&s->inputs[k], k == s->input ? at : others[k]);
}

/* A run that gives no number counts as failed, too. */
static ac_status judge(ac_search *s, int outcome, double *measure)
{
    ++s->runs;
    if (outcome < 0) return AC_NOT_CONVERGED;
    if (outcome == 0 && isfinite(*measure)) return AC_OK;
    *measure = s->settings->failed_measure;
    if (!s->settings->has_failed_measure) s->failed = true;
    return AC_OK;
}

ac_status ac_search_measure(ac_search *s, const double *others, double at, double *measure)
{
    put_point(s, others, at);
    return judge(s, s->run->run(s->run->user, s->point, measure), measure);
}

static void note_slopes(ac_search *s, const double *gradient)
{
    s->slope = ac_max(s->slope, fabs(gradient[s->input]));
}

static ac_status differences(ac_search *s, const double *others, double at, double measure, double *gradient)
{
    memset(gradient, 0, (size_t)s->count * sizeof *gradient);
    put_point(s, others, at);
    for (int k = 0; k < s->count && !s->failed; ++k) {
        double part = k == s->input ? at : others[k], moved;
        double step = part > 0.5 ? -DIFFERENCE : DIFFERENCE, kept = s->point[k];
        s->point[k] = value_at(&s->inputs[k], part + step);
        AC_TRY(judge(s, s->run->run(s->run->user, s->point, &moved), &moved));
        s->point[k] = kept;
        gradient[k] = (moved - measure) / step;
    }
    if (!s->failed) note_slopes(s, gradient);
    return AC_OK;
}

ac_status ac_search_gradient(ac_search *s, const double *others, double at, double measure, double *gradient)
{
    if (!s->run->gradient) return differences(s, others, at, measure, gradient);
    double again;
    put_point(s, others, at);
    AC_TRY(judge(s, s->run->gradient(s->run->user, s->point, &again, gradient), &again));
    if (s->run->gradient_runs > 1) s->runs += s->run->gradient_runs - 1;
    for (int k = 0; k < s->count; ++k) gradient[k] *= s->inputs[k].high - s->inputs[k].low;
    note_slopes(s, gradient);
    return AC_OK;
}

int ac_scan_points(const ac_certify_settings *settings, int count)
{
    static const int by_count[] = {65, 17, 9};
    if (settings->line_points > 0) return settings->line_points;
    return count <= 3 ? by_count[count - 1] : 7;
}

bool ac_scan_is_grid(const ac_certify_settings *settings, int count)
{
    long points = ac_grid_points(ac_scan_points(settings, count), count);
    return count <= 3 && points > 0 && points <= SCAN_MAX;
}

typedef ac_status (*method)(ac_search *search, ac_pair *best);

static const method methods[] = {
    [AC_SEARCH_STARTS] = ac_search_joint,
    [AC_SEARCH_ANNEALING] = ac_search_annealing,
};

static void put_numbers(const ac_search *s, const ac_pair *best, double *numbers)
{
    const ac_uncertain *input = &s->inputs[s->input];
    numbers[0] = best->found;
    numbers[1] = value_at(input, best->a);
    numbers[2] = value_at(input, best->b);
    numbers[3] = (double)s->runs;
    numbers[4] = s->failed;
    numbers[5] = s->slope;
    for (int k = 0; k < s->count; ++k)
        numbers[AC_DIAMETER_NUMBERS + k] = value_at(&s->inputs[k], k == s->input ? best->a : best->others[k]);
    if (s->failed) memcpy(numbers + AC_DIAMETER_NUMBERS, s->point, (size_t)s->count * sizeof *numbers);
}

ac_status ac_diameter_search_once(ac_context *ctx, const ac_uncertain *inputs, int count,
                                  const ac_certify_settings *settings, const ac_sample_run *run,
                                  const double *scan, int input, long start, double *numbers)
{
    double *space = ac_allocate(ctx, 4 * (size_t)count, sizeof *space);
    if (!space) return ac_out_of_memory(ctx);
    ac_search s = {.ctx = ctx,
                   .inputs = inputs,
                   .count = count,
                   .settings = settings,
                   .run = run,
                   .scan = scan,
                   .input = input,
                   .start = start,
                   .point = space,
                   .gradient = {space + count, space + 2 * count}};
    ac_pair best = {.others = space + 3 * count};
    ac_status status = methods[settings->search](&s, &best);
    if (status == AC_OK) put_numbers(&s, &best, numbers);
    ac_release(ctx, space);
    return status;
}

/* ---- grid ---- */

enum { GRID_MAX = 4000000 };

long ac_grid_points(int grid, int count)
{
    long points = 1;
    for (int k = 0; k < count; ++k) {
        if (points > GRID_MAX / grid) return -1;
        points *= grid;
    }
    return points;
}

void ac_grid_values(const ac_uncertain *inputs, int count, int grid, long point, double *x)
{
    for (int k = 0; k < count; ++k, point /= grid)
        x[k] = value_at(&inputs[k], (double)(point % grid) / (grid - 1));
}

double ac_grid_extremes(int count, int grid, const double *measures, int input, long *high, long *low)
{
    long points = ac_grid_points(grid, count), stride = ac_grid_points(grid, input);
    double most = 0.0;
    *high = *low = 0;
    for (long base = 0; base < points; ++base) {
        if (base / stride % grid != 0) continue;
        long top = base, bottom = base;
        for (int i = 1; i < grid; ++i) {
            long point = base + i * stride;
            if (measures[point] > measures[top]) top = point;
            if (measures[point] < measures[bottom]) bottom = point;
        }
        if (!(measures[top] - measures[bottom] > most)) continue;
        most = measures[top] - measures[bottom];
        *high = top;
        *low = bottom;
    }
    return most;
}

void ac_grid_diameter(const ac_uncertain *inputs, int count, int grid, const double *measures, int input,
                      ac_sub_diameter *sub, double *where)
{
    long stride = ac_grid_points(grid, input), high, low;
    double found = ac_grid_extremes(count, grid, measures, input, &high, &low);
    *sub = (ac_sub_diameter){.found = found,
                             .a = value_at(&inputs[input], (double)(high / stride % grid) / (grid - 1)),
                             .b = value_at(&inputs[input], (double)(low / stride % grid) / (grid - 1))};
    ac_grid_values(inputs, count, grid, high, where);
}
