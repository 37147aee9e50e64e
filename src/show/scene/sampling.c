/* Which rows of a table are shown, and the reading of them. */
#include "show/scene/sampling.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

enum { BLOCK_NUMBERS = 1 << 17 };

ac_report_window ac_report_everything(void)
{
    return (ac_report_window){.from = -INFINITY, .to = INFINITY};
}

int ac_table_channel(const ac_result *result, int table, const char *name)
{
    int count = 0;
    const ac_channel *channels = ac_result_channels(result, table, &count);
    for (int c = 0; c < count; ++c) {
        if (strcmp(channels[c].name, name) == 0) return c;
    }
    return -1;
}

/* The first row whose time is not before `limit` (or lies behind it, when `beyond`): times increase. */
static ac_status find_row(ac_result *result, int table, int channel, double limit, bool beyond, long *row)
{
    long low = 0, high = ac_result_rows(result, table);
    while (low < high) {
        long middle = low + (high - low) / 2;
        double time = 0;
        AC_TRY(ac_result_read(result, table, channel, middle, 1, 1, &time));
        if (time < limit || (beyond && time <= limit))
            low = middle + 1;
        else
            high = middle;
    }
    *row = low;
    return AC_OK;
}

ac_status ac_rows_between(ac_result *result, int table, double from, double to, long *first, long *count)
{
    long begin = 0, end = ac_result_rows(result, table);
    int channel = ac_table_channel(result, table, "time"), channels = 0;
    const ac_channel *list = ac_result_channels(result, table, &channels);
    if (channel >= 0 && list[channel].width == 1) {
        if (from > -INFINITY) AC_TRY(find_row(result, table, channel, from, false, &begin));
        if (to < INFINITY) AC_TRY(find_row(result, table, channel, to, true, &end));
    }
    *first = begin;
    *count = end > begin ? end - begin : 0;
    return AC_OK;
}

ac_row_choice ac_choose_rows(long first, long count, long limit)
{
    ac_row_choice choice = {.first = first, .stride = 1, .last = first + count - 1, .count = count};
    if (limit < 2) limit = 2;
    if (count <= limit) return choice;
    choice.stride = (count - 2) / (limit - 1) + 1;
    choice.count = (count - 2) / choice.stride + 2;
    return choice;
}

ac_status ac_read_chosen(ac_result *result, int table, int channel, const ac_row_choice *choice,
                         double *values)
{
    int channels = 0;
    int width = ac_result_channels(result, table, &channels)[channel].width;
    if (choice->count < 1) return AC_OK;
    AC_TRY(ac_result_read(result, table, channel, choice->first, choice->stride, choice->count - 1, values));
    return ac_result_read(result, table, channel, choice->last, 1, 1, values + (choice->count - 1) * width);
}

ac_bucketing ac_make_buckets(long first, long count, long limit)
{
    ac_bucketing buckets = {.first = first, .count = count, .size = 1, .points = count};
    if (count <= limit) return buckets;
    long pairs = limit / 2;
    buckets.size = (count + pairs - 1) / pairs;
    buckets.points = 2 * ((count + buckets.size - 1) / buckets.size);
    return buckets;
}

/* The smallest and the largest of `count` values, the earlier one first. */
static void extremes(const double *values, long count, int width, double *pair)
{
    long low = 0, high = 0;
    for (long i = 1; i < count; ++i) {
        if (values[i * width] < values[low * width]) low = i;
        if (values[i * width] > values[high * width]) high = i;
    }
    pair[0] = values[(low < high ? low : high) * width];
    pair[width] = values[(low < high ? high : low) * width];
}

static void fill_bucket(const double *rows, long count, int width, bool time, double *pair)
{
    for (int k = 0; k < width; ++k) {
        if (!time) {
            extremes(rows + k, count, width, pair + k);
            continue;
        }
        pair[k] = rows[k];
        pair[width + k] = rows[(count / 2) * width + k];
    }
}

ac_status ac_read_buckets(ac_context *ctx, ac_result *result, int table, int channel,
                          const ac_bucketing *buckets, bool time, double *values)
{
    if (buckets->size == 1)
        return ac_result_read(result, table, channel, buckets->first, 1, buckets->count, values);
    int channels = 0;
    int width = ac_result_channels(result, table, &channels)[channel].width;
    long per_block = BLOCK_NUMBERS / width / buckets->size;
    if (per_block < 1) per_block = 1;
    double *block;
    AC_NEW(ctx, block, per_block * buckets->size * width);
    ac_status status = AC_OK;
    for (long done = 0; status == AC_OK && done < buckets->count; done += per_block * buckets->size) {
        long left = buckets->count - done, rows = per_block * buckets->size;
        if (rows > left) rows = left;
        status = ac_result_read(result, table, channel, buckets->first + done, 1, rows, block);
        for (long row = 0; status == AC_OK && row < rows; row += buckets->size) {
            long size = rows - row < buckets->size ? rows - row : buckets->size;
            fill_bucket(block + row * width, size, width, time, values);
            values += 2 * width;
        }
    }
    ac_release(ctx, block);
    return status;
}
