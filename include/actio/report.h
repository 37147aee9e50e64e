/* Looking at results: pages, plots, comparisons, and files for other programs.
 *
 * Every function reads result files that are open (actio/result.h) and writes one file beside its name,
 * renamed when it is complete. AC_BAD_INPUT: something in the results or in the request is wrong;
 * AC_IO_FAILED: the file could not be written. Memory does not grow with the number of rows of a result
 * where rows are thinned, which the page and the files for animation do.
 */
#ifndef ACTIO_REPORT_H
#define ACTIO_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "actio/json.h"
#include "actio/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A result and its name in legends, such as its file's name. */
typedef struct ac_report_source {
    ac_result *result;
    const char *label;
} ac_report_source;

/* Which rows are shown. */
typedef struct ac_report_window {
    double from, to; /* s; -INFINITY and INFINITY for everything */
    long frames;     /* at most this many moments are animated; 0: the built-in limit */
} ac_report_window;

AC_API ac_report_window ac_report_everything(void);
/* The rows of a table with from <= time <= to; all where it has no time. `*count` may become 0. */
AC_API ac_status ac_rows_between(ac_result *result, int table, double from, double to, long *first,
                                 long *count);

/* ---- differences of two results ---- */

/* How one component of a quantity differs: second minus first, at the times of the first. */
typedef struct ac_difference {
    const char *name;  /* of the channel */
    const char *label; /* of the component, "" for a single number */
    const char *unit;
    double largest;     /* greatest absolute difference */
    double at;          /* when, s (number of the row where a table has no time) */
    double mean_square; /* root of the mean square */
    double size;        /* greatest absolute value of the first */
    bool interpolated;  /* the second was interpolated linearly, its times are others */
} ac_difference;

typedef struct ac_comparison ac_comparison;

/* Compares the channels that both results have; only those that match one of the patterns (with * and ?)
 * when there are any. AC_BAD_INPUT when a pattern matches nothing. */
AC_API ac_status ac_compare(ac_context *ctx, ac_result *first, ac_result *second, const char *const *patterns,
                            int pattern_count, ac_comparison **comparison);
AC_API void ac_comparison_free(ac_comparison *comparison);
AC_API int ac_comparison_count(const ac_comparison *comparison);
AC_API const ac_difference *ac_comparison_entry(const ac_comparison *comparison, int index);
/* Number of channels that only one of the results has. */
AC_API int ac_comparison_unmatched(const ac_comparison *comparison);
/* Adds the array "differences" to an object: name, component, unit, largest, at, root_mean_square, size,
 * interpolated. */
AC_API void ac_comparison_put(const ac_comparison *comparison, ac_json *json);

/* ---- the page ---- */

/* Writes one self-contained page: animation, plots, tables. One result, or two laid over each other;
 * `comparison` (NULL: none) becomes a table of the page. */
AC_API ac_status ac_report_write(ac_context *ctx, const ac_report_source *sources, int count,
                                 const ac_report_window *window, const ac_comparison *comparison,
                                 const char *path);

/* ---- plots ---- */

typedef struct ac_plot_settings {
    const char *title;   /* NULL: the title of the result */
    const char *against; /* quantity on the horizontal axis; NULL: time */
    double from, to;     /* range of times */
    bool logarithmic;    /* absolute values on a logarithmic axis */
    bool change;         /* the change since the start */
    bool dots;           /* points alone, without the lines between them */
    int width, height;   /* pixels, or characters of a text; 0: as usual */
    bool colour;         /* of a text */
} ac_plot_settings;

AC_API ac_plot_settings ac_plot_defaults(void);

typedef struct ac_plot ac_plot;

/* Gathers the quantities. Each is a channel ("energy/hamiltonian"), one component of it
 * ("momentum/linear.z"), or a pattern ("joint/?/angle"). */
AC_API ac_status ac_plot_new(ac_context *ctx, const ac_report_source *sources, int source_count,
                             const char *const *quantities, int quantity_count,
                             const ac_plot_settings *settings, ac_plot **plot);
AC_API void ac_plot_free(ac_plot *plot);
AC_API ac_status ac_plot_write_svg(const ac_plot *plot, const char *path);
AC_API ac_status ac_plot_write_png(const ac_plot *plot, const char *path);
AC_API ac_status ac_plot_write_pdf(const ac_plot *plot, const char *path);
/* Lines of text that end with a line end each, in UTF-8; the caller frees them with ac_text_free. */
AC_API ac_status ac_plot_text(const ac_plot *plot, char **text);

/* ---- files for other programs ---- */

/* A glTF 2.0 scene with its animation; binary (.glb) or JSON with everything inside (.gltf). */
AC_API ac_status ac_export_gltf(ac_context *ctx, ac_result *result, const ac_report_window *window,
                                bool binary, const char *path);

/* For ParaView: `path` (.pvd) lists one .vtp file per moment, in a folder beside it that has the name of
 * `path` without its ending. */
AC_API ac_status ac_export_vtk(ac_context *ctx, ac_result *result, const ac_report_window *window,
                               const char *path);

#ifdef __cplusplus
}
#endif
#endif
