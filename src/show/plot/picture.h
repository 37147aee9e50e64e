/* A picture of pixels: smooth lines, and the file format PNG. */
#ifndef ACTIO_SHOW_PLOT_PICTURE_H
#define ACTIO_SHOW_PLOT_PICTURE_H

#include <stdbool.h>

#include "actio/context.h"

typedef struct ac_picture {
    ac_context *ctx;
    int width, height;
    unsigned char *pixels;        /* red, green, blue, row by row */
    unsigned char *cover;         /* how much the lines that are being drawn cover each pixel */
    int left, top, right, bottom; /* what may be drawn on */
    int seen_left, seen_top, seen_right, seen_bottom; /* where `cover` is not zero */
} ac_picture;

/* A white picture. */
ac_status ac_picture_new(ac_context *ctx, int width, int height, ac_picture *picture);
void ac_picture_free(ac_picture *picture);

/* Adds a line to what will be painted. */
void ac_picture_line(ac_picture *picture, double x0, double y0, double x1, double y1, double width);
/* Paints the lines added since the last time; where they cross they are painted once. */
void ac_picture_paint(ac_picture *picture, unsigned colour);

ac_status ac_picture_write_png(const ac_picture *picture, const char *path);

#endif
