/* The axes of a plot: range, marks at round numbers, their texts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "math/math.h"
#include "show/plot/plot.h"

/* Differences of values up to this size, and quotients by them, are finite numbers. */
static const double HUGE_VALUE = 1e300;

/* 1, 2 or 5 times a power of ten, not below `about`. */
static double round_step(double about)
{
    double power = ac_pow(10, floor(ac_log10(about))), share = about / power;
    return power * (share <= 1 + 1e-9 ? 1 : share <= 2 + 1e-9 ? 2 : share <= 5 + 1e-9 ? 5 : 10);
}

/* 1.20e-05 -> 1.2e-5 */
static void shorten_exponent(char *text)
{
    char *mark = strchr(text, 'e');
    if (!mark) return;
    snprintf(mark, 8, "e%ld", strtol(mark + 1, NULL, 10));
}

static void write_ticks(ac_plot_axis *axis, double step)
{
    double largest = ac_max(fabs(axis->low), fabs(axis->high));
    bool scientific = largest < 1e-3 || largest >= 1e6;
    int digits = (int)floor(ac_log10(step) + 1e-9), front = largest > 0 ? (int)floor(ac_log10(largest)) : 0;
    int decimals = scientific ? front - digits : -digits;
    if (decimals < 0) decimals = 0;
    if (decimals > 15) decimals = 15;
    for (int i = 0; i < axis->tick_count; ++i) {
        double value = axis->tick[i];
        if (fabs(value) < 1e-6 * step) value = 0;
        if (value == 0 && scientific)
            snprintf(axis->text[i], AC_TICK_TEXT, "0");
        else
            snprintf(axis->text[i], AC_TICK_TEXT, scientific ? "%.*e" : "%.*f", decimals, value);
        if (scientific) shorten_exponent(axis->text[i]);
    }
}

static void set_linear(ac_plot_axis *axis, int wanted)
{
    double step = round_step((axis->high - axis->low) / wanted);
    double first = ceil(axis->low / step - 1e-9);
    for (; axis->tick_count < AC_TICKS_MAX; ++axis->tick_count) {
        double value = (first + axis->tick_count) * step;
        if (value > axis->high + 1e-9 * step) break;
        axis->tick[axis->tick_count] = value;
    }
    write_ticks(axis, step);
}

static void set_decades(ac_plot_axis *axis, int wanted)
{
    int low = (int)floor(ac_log10(axis->low) + 1e-9), high = (int)ceil(ac_log10(axis->high) - 1e-9);
    if (high <= low) high = low + 1;
    axis->low = ac_pow(10, low);
    axis->high = ac_pow(10, high);
    int step = (high - low + wanted - 1) / wanted;
    for (int k = low; k <= high && axis->tick_count < AC_TICKS_MAX; k += step, ++axis->tick_count) {
        axis->tick[axis->tick_count] = ac_pow(10, k);
        snprintf(axis->text[axis->tick_count], AC_TICK_TEXT, "1e%d", k);
    }
}

void ac_plot_set_axis(ac_plot_axis *axis, double low, double high, int wanted)
{
    axis->tick_count = 0;
    low = ac_max(-HUGE_VALUE, ac_min(low, HUGE_VALUE));
    high = ac_max(-HUGE_VALUE, ac_min(high, HUGE_VALUE));
    if (axis->logarithmic) low = ac_max(low, 1.0 / HUGE_VALUE);
    axis->low = low;
    axis->high = high;
    if (axis->logarithmic) {
        set_decades(axis, wanted);
        return;
    }
    /* a range too small for rounding to leave anything of it is widened */
    double size = ac_max(fabs(low), fabs(high));
    if (size < 1.0 / HUGE_VALUE) size = 0;
    double least = size > 0 ? 1e-13 * size : 1;
    if (high - low < least) {
        double middle = 0.5 * (low + high), half = high > low ? 0.5 * least : size > 0 ? 0.1 * size : 1;
        axis->low = middle - half;
        axis->high = middle + half;
    }
    set_linear(axis, wanted);
}

void ac_plot_fit_ticks(ac_plot_axis *axis, int wanted, int most)
{
    double low = axis->low, high = axis->high;
    ac_plot_set_axis(axis, low, high, wanted < 1 ? 1 : wanted);
    /* round steps may leave one mark or none: finer ones, as long as there is room */
    for (int k = wanted + 1; axis->tick_count < 2 && k <= most; ++k) ac_plot_set_axis(axis, low, high, k);
}

double ac_plot_share(const ac_plot_axis *axis, double value)
{
    if (!axis->logarithmic) return (value - axis->low) / (axis->high - axis->low);
    return ac_log(value / axis->low) / ac_log(axis->high / axis->low);
}
