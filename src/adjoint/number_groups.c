/* Numbers that change in proportion to each other. */
#include "adjoint/number_groups.h"

#include <float.h>
#include <math.h>

#include "base/base.h"

/* Groups among which a number is looked for: the latest ones. */
enum { SEARCHED = 64 };

/* Are slopes [b, b + count) those of [a, a + count) times a ratio, to rounding? */
static bool proportional(const ac_number_slope *a, const ac_number_slope *b, int count, double *ratio)
{
    int most = 0;
    for (int k = 0; k < count; ++k) {
        if (a[k].parameter != b[k].parameter) return false;
        if (fabs(a[k].slope) > fabs(a[most].slope)) most = k;
    }
    if (a[most].slope == 0.0) return false;
    *ratio = b[most].slope / a[most].slope;
    for (int k = 0; k < count; ++k)
        if (!(fabs(b[k].slope - *ratio * a[k].slope) <= 4.0 * DBL_EPSILON * fabs(b[k].slope))) return false;
    return true;
}

/* The group of a number whose slopes are [first, end); a new one if it is like none. */
static int group_of(ac_number_groups *g, const ac_number_slope *slopes, int first, int end, double *ratio)
{
    for (int k = g->count - 1; k >= 0 && k >= g->count - SEARCHED; --k)
        if (g->last[k] - g->first[k] == end - first &&
            proportional(slopes + g->first[k], slopes + first, end - first, ratio))
            return k;
    g->first[g->count] = first;
    g->last[g->count] = end;
    *ratio = 1.0;
    return g->count++;
}

/* Members of each group one after another. */
static void list_members(ac_number_groups *g, int numbers)
{
    for (int n = 0; n < numbers; ++n) ++g->start[g->group[n] + 1];
    for (int k = 0; k < g->count; ++k) g->start[k + 1] += g->start[k];
    for (int n = numbers - 1; n >= 0; --n) { /* start[k + 1] comes down to the start of group k */
        int at = --g->start[g->group[n] + 1];
        g->members[at] = n;
        g->ratio[at] = g->own[n];
    }
    for (int k = 0; k < g->count; ++k) g->start[k] = g->start[k + 1];
    g->start[g->count] = numbers;
}

static ac_status create(ac_context *ctx, const ac_number_slope *slopes, int slope_count, int numbers,
                        ac_number_groups *g)
{
    AC_NEW(ctx, g->group, numbers + 1);
    AC_NEW(ctx, g->own, numbers + 1);
    AC_NEW(ctx, g->start, numbers + 1);
    AC_NEW(ctx, g->members, numbers + 1);
    AC_NEW(ctx, g->ratio, numbers + 1);
    AC_NEW(ctx, g->first, numbers + 1);
    AC_NEW(ctx, g->last, numbers + 1);
    for (int first = 0, end; first < slope_count; first = end) {
        int number = slopes[first].number;
        for (end = first; end < slope_count && slopes[end].number == number;) ++end;
        g->group[number] = group_of(g, slopes, first, end, &g->own[number]);
    }
    list_members(g, numbers);
    return AC_OK;
}

ac_status ac_number_groups_create(ac_context *ctx, const ac_number_slope *slopes, int slope_count,
                                  int numbers, ac_number_groups *g)
{
    *g = (ac_number_groups){0};
    ac_status status = create(ctx, slopes, slope_count, numbers, g);
    if (status != AC_OK) ac_number_groups_destroy(ctx, g);
    return status;
}

void ac_number_groups_destroy(ac_context *ctx, ac_number_groups *g)
{
    void *blocks[] = {g->group, g->own, g->start, g->members, g->ratio, g->first, g->last};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; ++k) ac_release(ctx, blocks[k]);
    *g = (ac_number_groups){0};
}

bool ac_number_groups_proportional(void *groups, int a, int b, double ratio)
{
    const ac_number_groups *g = groups;
    return g->group[a] == g->group[b] &&
           fabs(g->own[b] / g->own[a] - ratio) <= 8.0 * DBL_EPSILON * fabs(ratio);
}

void ac_number_groups_add(const ac_number_groups *g, const ac_number_slope *slopes, const double *by,
                          double *to)
{
    for (int k = 0; k < g->count; ++k) {
        double sum = 0.0;
        for (int e = g->start[k]; e < g->start[k + 1]; ++e) sum += g->ratio[e] * by[g->members[e]];
        for (int s = g->first[k]; s < g->last[k]; ++s) to[slopes[s].parameter] += slopes[s].slope * sum;
    }
}
