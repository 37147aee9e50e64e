/* Smooth lines in a picture of pixels.
 *
 * A pixel is covered by a line as far as its centre lies inside the line's width, with a ramp one pixel wide
 * at the edge. The cover of all pieces of a line is gathered before it is painted, so that joints do not
 * show.
 */
#include "show/plot/picture.h"

#include <math.h>
#include <string.h>

#include "base/base.h"

ac_status ac_picture_new(ac_context *ctx, int width, int height, ac_picture *picture)
{
    size_t count = (size_t)width * (size_t)height;
    *picture = (ac_picture){.ctx = ctx, .width = width, .height = height, .right = width, .bottom = height};
    picture->pixels = ac_allocate(ctx, 3 * count, 1);
    picture->cover = ac_allocate(ctx, count, 1);
    picture->seen_left = width;
    picture->seen_top = height;
    if (!picture->pixels || !picture->cover) {
        ac_picture_free(picture);
        return ac_out_of_memory(ctx);
    }
    memset(picture->pixels, 255, 3 * count);
    return AC_OK;
}

void ac_picture_free(ac_picture *picture)
{
    ac_release(picture->ctx, picture->pixels);
    ac_release(picture->ctx, picture->cover);
    picture->pixels = picture->cover = NULL;
}

static int clamped(double x, int low, int high)
{
    return x < low ? low : x > high ? high : (int)x;
}

/* Cuts the line to the rectangle widened by `margin`; false when nothing is left (Liang and Barsky). */
static bool cut(const ac_picture *p, double margin, double *x0, double *y0, double *x1, double *y1)
{
    double dx = *x1 - *x0, dy = *y1 - *y0, from = 0, to = 1;
    double step[4] = {-dx, dx, -dy, dy};
    double room[4] = {*x0 - p->left + margin, p->right + margin - *x0, *y0 - p->top + margin,
                      p->bottom + margin - *y0};
    for (int k = 0; k < 4; ++k) {
        if (step[k] == 0 && room[k] < 0) return false;
        if (step[k] < 0) from = fmax(from, room[k] / step[k]);
        if (step[k] > 0) to = fmin(to, room[k] / step[k]);
    }
    if (from > to) return false;
    *x1 = *x0 + to * dx;
    *y1 = *y0 + to * dy;
    *x0 += from * dx;
    *y0 += from * dy;
    return true;
}

static double distance_to(double px, double py, double dx, double dy, double length_square)
{
    double share = length_square > 0 ? (px * dx + py * dy) / length_square : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return hypot(px - share * dx, py - share * dy);
}

void ac_picture_line(ac_picture *p, double x0, double y0, double x1, double y1, double width)
{
    double reach = 0.5 * width + 1, strength = width < 1 ? width : 1;
    if (!cut(p, reach, &x0, &y0, &x1, &y1)) return;
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    int top = clamped(fmin(y0, y1) - reach, p->top, p->bottom);
    int bottom = clamped(fmax(y0, y1) + reach + 1, p->top, p->bottom);
    int left = clamped(fmin(x0, x1) - reach, p->left, p->right);
    int right = clamped(fmax(x0, x1) + reach + 1, p->left, p->right);
    for (int y = top; y < bottom; ++y) {
        int first = left, last = right;
        /* of a long line only the columns near it in this row */
        if (fabs(dy) > 4 * reach) {
            double at = x0 + (y + 0.5 - y0) / dy * dx, wide = reach * (1 + fabs(dx / dy)) + 1;
            first = clamped(at - wide, left, right);
            last = clamped(at + wide + 1, left, right);
        }
        for (int x = first; x < last; ++x) {
            double d = distance_to(x + 0.5 - x0, y + 0.5 - y0, dx, dy, square);
            double cover = fmin(1, fmax(0.5 * width, 0.5) + 0.5 - d) * strength;
            unsigned char *kept = &p->cover[(size_t)y * (size_t)p->width + (size_t)x];
            if (cover > 0 && 255 * cover > *kept) *kept = (unsigned char)(255 * cover);
        }
    }
    if (left < p->seen_left) p->seen_left = left;
    if (right > p->seen_right) p->seen_right = right;
    if (top < p->seen_top) p->seen_top = top;
    if (bottom > p->seen_bottom) p->seen_bottom = bottom;
}

void ac_picture_paint(ac_picture *p, unsigned colour)
{
    for (int y = p->seen_top; y < p->seen_bottom; ++y) {
        for (int x = p->seen_left; x < p->seen_right; ++x) {
            size_t at = (size_t)y * (size_t)p->width + (size_t)x;
            unsigned cover = p->cover[at];
            if (cover == 0) continue;
            p->cover[at] = 0;
            for (int k = 0; k < 3; ++k) {
                unsigned wanted = colour >> (16 - 8 * k) & 255u, old = p->pixels[3 * at + (size_t)k];
                p->pixels[3 * at + (size_t)k] = (unsigned char)((wanted * cover + old * (255 - cover) + 127) /
                                                                255);
            }
        }
    }
    p->seen_left = p->width;
    p->seen_top = p->height;
    p->seen_right = p->seen_bottom = 0;
}
