/* A plot: its curves, its axes, and how it is drawn on something that knows lines and letters. */
#ifndef ACTIO_IO_PLOT_H
#define ACTIO_IO_PLOT_H

#include "actio/report.h"

typedef struct ac_plot_curve {
    char *name;
    double *x, *y;
    long count;
    int colour; /* number in the palette */
    int panel;  /* where it is drawn */
    bool dashed;
} ac_plot_curve;

enum { AC_TICKS_MAX = 16, AC_TICK_TEXT = 32, AC_PLOT_COLOURS = 8, AC_PANELS_MAX = 8 };

typedef struct ac_plot_axis {
    double low, high; /* of the data with a margin; powers of ten on a logarithmic axis */
    bool logarithmic;
    double tick[AC_TICKS_MAX];
    char text[AC_TICKS_MAX][AC_TICK_TEXT];
    int tick_count;
    char *label;
} ac_plot_axis;

struct ac_plot {
    ac_context *ctx;
    ac_plot_settings settings;
    char *title;
    ac_plot_curve *curves;
    int curve_count, curve_capacity;
    ac_plot_axis x;
    ac_plot_axis y[AC_PANELS_MAX]; /* one above the other; each has the curves of one unit */
    int panel_count;
};

/* 0xRRGGBB */
extern const unsigned ac_plot_palette[AC_PLOT_COLOURS];

/* Sets range, marks and their texts for values from low to high; about `wanted` marks. */
void ac_plot_set_axis(ac_plot_axis *axis, double low, double high, int wanted);
/* Sets the marks anew: about `wanted`, and up to `most` where round steps would leave fewer than two. */
void ac_plot_fit_ticks(ac_plot_axis *axis, int wanted, int most);
/* Where a value is between the ends of the axis, 0 to 1. */
double ac_plot_share(const ac_plot_axis *axis, double value);

typedef enum ac_text_anchor { AC_ANCHOR_START, AC_ANCHOR_MIDDLE, AC_ANCHOR_END } ac_text_anchor;

/* Something to draw on; x to the right, y down. */
typedef struct ac_canvas {
    void *user;
    void (*lines)(void *user, const double *xy, long count, double width, unsigned colour, bool dashed);
    /* (x, y) is on the base line; `upwards`: written from below to above. */
    void (*text)(void *user, double x, double y, double size, ac_text_anchor anchor, bool upwards,
                 unsigned colour, const char *text);
    /* What follows is cut to this rectangle; a width of 0 ends that. */
    void (*clip)(void *user, double x, double y, double width, double height);
} ac_canvas;

/* The height of a picture of this width when none is asked for. */
double ac_plot_height(const ac_plot *plot, double width);
/* Draws on a canvas of this size. */
ac_status ac_plot_draw(const ac_plot *plot, const ac_canvas *canvas, double width, double height);

/* The width that plots are drawn for; others are scaled. */
#define AC_PLOT_WIDTH 960.0
enum { AC_PLOT_PIXELS = 1440, AC_PLOT_PIXELS_HIGH = 810 };

#endif
