/* How two results differ: component by component, at the times of the first. */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "actio/report.h"
#include "base/base.h"
#include "math/math.h"
#include "problem/text/names.h"
#include "show/scene/sampling.h"

struct ac_comparison {
    ac_context *ctx;
    ac_difference *entries;
    char **kept; /* names, labels and units */
    int count, capacity, kept_count, kept_capacity, unmatched;
};

/* One table of the first result and its counterpart. */
typedef struct table_pair {
    ac_comparison *comparison;
    ac_result *first, *second;
    int a, b; /* the tables */
    long rows_a, rows_b;
    double *time_a, *time_b; /* NULL where a table has no time */
    bool same_times;
} table_pair;

void ac_comparison_free(ac_comparison *comparison)
{
    if (!comparison) return;
    ac_context *ctx = comparison->ctx;
    for (int i = 0; i < comparison->kept_count; ++i) ac_release(ctx, comparison->kept[i]);
    ac_release(ctx, comparison->kept);
    ac_release(ctx, comparison->entries);
    ac_release(ctx, comparison);
}

int ac_comparison_count(const ac_comparison *comparison)
{
    return comparison->count;
}

const ac_difference *ac_comparison_entry(const ac_comparison *comparison, int index)
{
    return &comparison->entries[index];
}

int ac_comparison_unmatched(const ac_comparison *comparison)
{
    return comparison->unmatched;
}

static ac_status keep(ac_comparison *c, const char *text, const char **kept)
{
    AC_TRY(ac_grow(c->ctx, (void **)&c->kept, &c->kept_capacity, c->kept_count + 1, sizeof *c->kept));
    char *copy = ac_copy_text(c->ctx, text);
    if (!copy) return ac_out_of_memory(c->ctx);
    c->kept[c->kept_count++] = copy;
    *kept = copy;
    return AC_OK;
}

/* ---- one component ---- */

/* The value of the second at time t, between its rows *at and *at + 1; false outside of its times. */
static bool interpolate(const table_pair *p, const double *values, int width, double t, long *at,
                        double *value)
{
    const double *time = p->time_b;
    if (p->rows_b < 1 || t < time[0] || t > time[p->rows_b - 1]) return false;
    while (*at + 1 < p->rows_b && time[*at + 1] < t) ++*at;
    if (*at + 1 >= p->rows_b) {
        *value = values[*at * width];
        return true;
    }
    double span = time[*at + 1] - time[*at], share = span > 0 ? (t - time[*at]) / span : 0;
    *value = values[*at * width] + share * (values[(*at + 1) * width] - values[*at * width]);
    return true;
}

static void measure(const table_pair *p, const double *a, const double *b, int width, ac_difference *d)
{
    long at = 0, compared = 0;
    double squares = 0;
    for (long i = 0; i < p->rows_a; ++i) {
        double value = 0, own = a[i * width];
        if (p->same_times)
            value = b[i * width];
        else if (!interpolate(p, b, width, p->time_a[i], &at, &value))
            continue;
        double difference = fabs(value - own);
        if (compared == 0 || difference > d->largest) {
            d->largest = difference;
            d->at = p->time_a ? p->time_a[i] : (double)i;
        }
        d->size = ac_max(d->size, fabs(own));
        squares += difference * difference;
        ++compared;
    }
    d->mean_square = compared > 0 ? sqrt(squares / (double)compared) : 0;
    d->interpolated = !p->same_times;
}

static ac_status add_components(const table_pair *p, const ac_channel *channel, const double *a,
                                const double *b)
{
    ac_comparison *c = p->comparison;
    for (int k = 0; k < channel->width; ++k) {
        char label[AC_LABEL_SIZE];
        ac_difference d = {0};
        AC_TRY(ac_grow(c->ctx, (void **)&c->entries, &c->capacity, c->count + 1, sizeof d));
        AC_TRY(keep(c, channel->name, &d.name));
        AC_TRY(keep(c, channel->width > 1 ? ac_component_label(channel, k, label) : "", &d.label));
        AC_TRY(keep(c, channel->unit, &d.unit));
        measure(p, a + k, b + k, channel->width, &d);
        c->entries[c->count++] = d;
    }
    return AC_OK;
}

/* ---- channels and tables ---- */

static ac_status read_whole(ac_context *ctx, ac_result *result, int table, int channel, double **values)
{
    int count = 0;
    long rows = ac_result_rows(result, table);
    AC_NEW(ctx, *values, rows * ac_result_channels(result, table, &count)[channel].width);
    return ac_result_read(result, table, channel, 0, 1, rows, *values);
}

static ac_status compare_channel(const table_pair *p, int channel_a, int channel_b)
{
    ac_context *ctx = p->comparison->ctx;
    int count = 0;
    const ac_channel *channel = &ac_result_channels(p->first, p->a, &count)[channel_a];
    double *a = NULL, *b = NULL;
    ac_status status = read_whole(ctx, p->first, p->a, channel_a, &a);
    if (status == AC_OK) status = read_whole(ctx, p->second, p->b, channel_b, &b);
    if (status == AC_OK) status = add_components(p, channel, a, b);
    ac_release(ctx, a);
    ac_release(ctx, b);
    return status;
}

static bool wanted(const char *name, const char *const *patterns, bool *used, int count)
{
    bool found = count == 0;
    for (int i = 0; i < count; ++i) {
        if (strcmp(patterns[i], name) != 0 && fnmatch(patterns[i], name, 0) != 0) continue;
        found = used[i] = true;
    }
    return found;
}

static ac_status compare_tables(const table_pair *p, const char *const *patterns, bool *used,
                                int pattern_count)
{
    int count_a = 0, count_b = 0, matched = 0;
    const ac_channel *a = ac_result_channels(p->first, p->a, &count_a);
    const ac_channel *b = ac_result_channels(p->second, p->b, &count_b);
    ac_names names;
    ac_names_begin(&names, p->comparison->ctx);
    ac_status status = AC_OK;
    bool fresh;
    for (int c = 0; status == AC_OK && c < count_b; ++c) status = ac_names_add(&names, b[c].name, c, &fresh);
    for (int c = 0; status == AC_OK && c < count_a; ++c) {
        int other = ac_names_find(&names, a[c].name);
        if (other < 0 || a[c].width != b[other].width) continue;
        ++matched;
        if ((strcmp(a[c].name, "time") == 0 && !p->same_times) ||
            !wanted(a[c].name, patterns, used, pattern_count))
            continue;
        status = compare_channel(p, c, other);
    }
    ac_names_end(&names);
    p->comparison->unmatched += count_a + count_b - 2 * matched;
    return status;
}

static ac_status read_times(table_pair *p)
{
    ac_context *ctx = p->comparison->ctx;
    int a = ac_table_channel(p->first, p->a, "time"), b = ac_table_channel(p->second, p->b, "time");
    p->rows_a = ac_result_rows(p->first, p->a);
    p->rows_b = ac_result_rows(p->second, p->b);
    p->same_times = p->rows_a == p->rows_b;
    if (a < 0 || b < 0) {
        if (p->rows_a > p->rows_b) p->rows_a = p->rows_b;
        p->same_times = true;
        return AC_OK;
    }
    AC_TRY(read_whole(ctx, p->first, p->a, a, &p->time_a));
    AC_TRY(read_whole(ctx, p->second, p->b, b, &p->time_b));
    for (long i = 0; p->same_times && i < p->rows_a; ++i) p->same_times = p->time_a[i] == p->time_b[i];
    return AC_OK;
}

static int table_named(const ac_result *result, const char *name)
{
    for (int t = 0; t < ac_result_table_count(result); ++t) {
        if (strcmp(ac_result_table_name(result, t), name) == 0) return t;
    }
    return -1;
}

static ac_status compare_all(ac_comparison *comparison, ac_result *first, ac_result *second,
                             const char *const *patterns, bool *used, int pattern_count)
{
    for (int t = 0; t < ac_result_table_count(first); ++t) {
        table_pair p = {.comparison = comparison, .first = first, .second = second, .a = t};
        p.b = table_named(second, ac_result_table_name(first, t));
        if (p.b < 0) continue;
        ac_status status = read_times(&p);
        if (status == AC_OK) status = compare_tables(&p, patterns, used, pattern_count);
        ac_release(comparison->ctx, p.time_a);
        ac_release(comparison->ctx, p.time_b);
        if (status != AC_OK) return status;
    }
    for (int i = 0; i < pattern_count; ++i) {
        if (!used[i])
            return ac_fail(comparison->ctx, AC_BAD_INPUT,
                           "no quantity that both results have is called \"%s\"", patterns[i]);
    }
    if (comparison->count == 0)
        return ac_fail(comparison->ctx, AC_BAD_INPUT, "the two results have no quantity in common");
    return AC_OK;
}

ac_status ac_compare(ac_context *ctx, ac_result *first, ac_result *second, const char *const *patterns,
                     int pattern_count, ac_comparison **comparison)
{
    *comparison = NULL;
    ac_comparison *c;
    AC_NEW(ctx, c, 1);
    c->ctx = ctx;
    bool *used = ac_allocate(ctx, (size_t)pattern_count, sizeof *used);
    ac_status status = used ? compare_all(c, first, second, patterns, used, pattern_count)
                            : ac_out_of_memory(ctx);
    ac_release(ctx, used);
    if (status == AC_OK)
        *comparison = c;
    else
        ac_comparison_free(c);
    return status;
}

void ac_comparison_put(const ac_comparison *comparison, ac_json *json)
{
    ac_json_open_array(json, "differences");
    for (int i = 0; i < comparison->count; ++i) {
        const ac_difference *d = ac_comparison_entry(comparison, i);
        ac_json_open_object(json, NULL);
        ac_json_text(json, "name", d->name);
        ac_json_text(json, "component", d->label);
        ac_json_text(json, "unit", d->unit);
        ac_json_number(json, "largest", d->largest);
        ac_json_number(json, "at", d->at);
        ac_json_number(json, "root_mean_square", d->mean_square);
        ac_json_number(json, "size", d->size);
        ac_json_bool(json, "interpolated", d->interpolated);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}
