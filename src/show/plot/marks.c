/* Marks with words on the curves of a plot. A word stands on the side of its mark where it hides least: the
 * curves, other words, the edge of the area. */
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "show/plot/plot.h"

static const unsigned INK = 0x1b2430;
static const double SIZE = 12.0, OUTSIDE = 1e3, ON_WORD = 1e2;

enum { WORDS_MAX = 64, SIDES = 8 };

typedef struct box {
    double left, top, right, bottom;
} box;

typedef struct words {
    const ac_plot_area *area;
    box taken[WORDS_MAX];
    int count;
} words;

static bool overlap(const box *a, const box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* Does the line from p to q touch the box? */
static bool touches(const double p[2], const double q[2], const box *b)
{
    if (ac_max(p[0], q[0]) < b->left || ac_min(p[0], q[0]) > b->right || ac_max(p[1], q[1]) < b->top ||
        ac_min(p[1], q[1]) > b->bottom)
        return false;
    double low = 0.0, high = 1.0;
    const double from[4] = {p[0] - b->left, b->right - p[0], p[1] - b->top, b->bottom - p[1]};
    const double by[4] = {q[0] - p[0], p[0] - q[0], q[1] - p[1], p[1] - q[1]};
    for (int k = 0; k < 4; ++k) { /* inside where from + t by >= 0 */
        if (by[k] > 0.0) low = ac_max(low, -from[k] / by[k]);
        if (by[k] < 0.0) high = ac_min(high, from[k] / -by[k]);
        if (by[k] == 0.0 && from[k] < 0.0) return false;
    }
    return low <= high;
}

static double cost(const words *w, const box *b)
{
    const ac_plot_area *a = w->area;
    double sum = b->left < a->left || b->right > a->left + a->width || b->top < a->top ||
                         b->bottom > a->top + a->height
                     ? OUTSIDE
                     : 0.0;
    for (int k = 0; k < w->count; ++k) sum += overlap(b, &w->taken[k]) ? ON_WORD : 0.0;
    for (int c = 0; c < a->plot->curve_count; ++c) {
        const ac_plot_curve *curve = &a->plot->curves[c];
        if (curve->panel != a->panel) continue;
        for (long i = 0; i + 1 < curve->count; ++i) {
            double p[2], q[2];
            ac_plot_place(a, curve->x[i], curve->y[i], p);
            ac_plot_place(a, curve->x[i + 1], curve->y[i + 1], q);
            if (touches(p, q, b)) return sum + 1.0;
        }
    }
    return sum;
}

/* The box of a word on one side of its mark: above, below, right, left, then the corners. */
static box beside(const double at[2], double width, int side)
{
    static const double across[SIDES] = {0, 0, 1, -1, 1, 1, -1, -1}, up[SIDES] = {-1, 1, 0, 0, -1, 1, -1, 1};
    const double gap = 9.0, middle_x = at[0] + across[side] * (gap + 0.5 * width),
                 middle_y = at[1] + up[side] * (gap + 0.5 * SIZE);
    return (box){middle_x - 0.5 * width, middle_y - 0.5 * SIZE, middle_x + 0.5 * width,
                 middle_y + 0.5 * SIZE};
}

static void put_word(words *w, const ac_canvas *canvas, const double at[2], const char *word)
{
    double width = ac_plot_text_width(word, SIZE), least = INFINITY;
    box best = {0};
    for (int side = 0; side < SIDES; ++side) {
        box b = beside(at, width, side);
        double c = cost(w, &b);
        if (c >= least) continue;
        least = c;
        best = b;
    }
    if (!(least < ON_WORD) || w->count == WORDS_MAX) return; /* the mark says it, too */
    w->taken[w->count++] = best;
    canvas->text(canvas->user, 0.5 * (best.left + best.right), best.bottom - 2, SIZE, AC_ANCHOR_MIDDLE, false,
                 INK, word);
}

/* A small square on its corner, filled. */
static void put_mark(const ac_canvas *canvas, const double at[2])
{
    for (double r = 4.5; r > 0.5; r -= 1.5) {
        const double x = at[0], y = at[1];
        const double xy[] = {x, y - r, x + r, y, x, y + r, x - r, y, x, y - r, x + r, y};
        canvas->lines(canvas->user, xy, 6, 1.6, INK, AC_LINE_SOLID);
    }
}

void ac_plot_draw_marks(const ac_plot_area *area, const ac_canvas *canvas)
{
    words w = {.area = area};
    bool first = true;
    for (int c = 0; c < area->plot->curve_count; ++c) {
        const ac_plot_curve *curve = &area->plot->curves[c];
        if (curve->panel != area->panel) continue;
        for (int k = 0; k < curve->mark_count; ++k) {
            double at[2];
            if (!isfinite(curve->marks[k].x) || !isfinite(curve->marks[k].y)) continue;
            ac_plot_place(area, curve->marks[k].x, curve->marks[k].y, at);
            put_mark(canvas, at);
            box mark = {at[0] - 6, at[1] - 6, at[0] + 6, at[1] + 6};
            if (w.count < WORDS_MAX) w.taken[w.count++] = mark;
        }
        for (int k = 0; k < curve->mark_count && first; ++k) {
            double at[2];
            if (!isfinite(curve->marks[k].x) || !isfinite(curve->marks[k].y)) continue;
            ac_plot_place(area, curve->marks[k].x, curve->marks[k].y, at);
            put_word(&w, canvas, at, curve->marks[k].word);
        }
        first = first && curve->mark_count == 0;
    }
}
