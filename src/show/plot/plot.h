/* A plot: its curves, its axes, and how it is drawn on something that knows lines and letters. */
#ifndef ACTIO_SHOW_PLOT_PLOT_H
#define ACTIO_SHOW_PLOT_PLOT_H

#include "actio/report.h"

/* A place on a curve with a word: a limit point of a load path, a bifurcation. */
typedef struct ac_plot_mark {
    double x, y;
    const char *word;
} ac_plot_mark;

typedef struct ac_plot_curve {
    char *name;
    double *x, *y;
    long count;
    int colour; /* number in the palette */
    int panel;  /* where it is drawn */
    bool dashed;
    bool *unstable; /* of each point: so is the stretch from it to the next one; NULL: none is */
    ac_plot_mark *marks;
    int mark_count;
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
    bool equal; /* both axes are lengths of one plane: the same scale */
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

typedef enum ac_line_style { AC_LINE_SOLID, AC_LINE_DASHED, AC_LINE_DOTTED } ac_line_style;

/* Something to draw on; x to the right, y down. */
typedef struct ac_canvas {
    void *user;
    void (*lines)(void *user, const double *xy, long count, double width, unsigned colour,
                  ac_line_style style);
    /* (x, y) is on the base line; `upwards`: written from below to above. */
    void (*text)(void *user, double x, double y, double size, ac_text_anchor anchor, bool upwards,
                 unsigned colour, const char *text);
    /* What follows is cut to this rectangle; a width of 0 ends that. */
    void (*clip)(void *user, double x, double y, double width, double height);
} ac_canvas;

/* The area of the curves of a panel, and where a point of a curve is in it. */
typedef struct ac_plot_area {
    const ac_plot *plot;
    int panel;
    double left, top, width, height;
} ac_plot_area;
void ac_plot_place(const ac_plot_area *area, double x, double y, double place[2]);
/* How wide a text is about. */
double ac_plot_text_width(const char *text, double size);
/* marks.c: marks on all curves of a panel, words beside those of the first one, where they hide
 * least. */
void ac_plot_draw_marks(const ac_plot_area *area, const ac_canvas *canvas);

/* path.c: what the rows of a load path say besides. */
typedef struct ac_path_rows {
    bool *unstable; /* of each row: so is the stretch from it to the next one; NULL: none is */
    long *events;   /* rows with an event, from the first one of the range on */
    const char **words;
    int event_count;
} ac_path_rows;
ac_status ac_path_read(ac_context *ctx, ac_result *result, int table, long first, long count,
                       ac_path_rows *path);
void ac_path_free(ac_context *ctx, ac_path_rows *path);

/* The height of a picture of this width when none is asked for. */
double ac_plot_height(const ac_plot *plot, double width);
/* Draws on a canvas of this size. */
ac_status ac_plot_draw(const ac_plot *plot, const ac_canvas *canvas, double width, double height);

/* The width that plots are drawn for; others are scaled. */
#define AC_PLOT_WIDTH 960.0
enum { AC_PLOT_PIXELS = 1440, AC_PLOT_PIXELS_HIGH = 810 };

#endif
