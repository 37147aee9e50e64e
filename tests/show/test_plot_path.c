/* Plots of load paths: unstable stretches are dashed, limit points and bifurcations have a mark and a
 * word. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "actio/report.h"
#include "show/plot/plot.h"
#include "support/memory.h"
#include "support/scratch.h"
#include "test.h"

static char result_path[SCRATCH_SIZE], svg_path[SCRATCH_SIZE];

enum { LIMIT = 30, BRANCH = 60, LEVEL = 80, UNJUDGED = 90 };

/* A path of `rows` rows that turns at share 0.3 and branches at 0.6; in between it is unstable. The
 * eigenvalue that is zero there has the sign that misleads. `judged`: has the channels that say so. */
static void write_path(long rows, bool judged)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result_writer *w = NULL;
    const ac_channel channels[] = {{"time", "1", "", 1},
                                   {"load/factor", "1", "", 1},
                                   {"point/p/position", "m", "x y", 2},
                                   {"stability/negative", "1", "", 1},
                                   {"event", "1", "", 1}};
    int table = 0;
    long scale = rows / 100;
    scratch_path(result_path, "path.h5");
    scratch_path(svg_path, "path.svg");
    CHECK(ac_result_create(ctx, result_path, &w) == AC_OK);
    CHECK(ac_result_put_text(w, "title", "path") == AC_OK);
    CHECK(ac_result_put_table(w, "nodes", channels, judged ? 5 : 3, &table) == AC_OK);
    for (long i = 0; i < rows; ++i) {
        double s = (double)i / (double)scale, turned = s - LIMIT;
        bool limit = i == LIMIT * scale, branch = i == BRANCH * scale;
        double negative = i > LIMIT * scale && i < BRANCH * scale ? 1
                          : branch                                ? 1
                          : i > UNJUDGED * scale                  ? -1
                                                                  : 0;
        double row[6] = {0.1 * s,  900 - turned * turned,
                         s,        -s,
                         negative, limit ? 1 : branch ? 2 : i == LEVEL * scale ? 3 : 0};
        CHECK(ac_result_append(w, table, row) == AC_OK);
    }
    CHECK(ac_result_commit(w) == AC_OK);
    ac_context_free(ctx);
}

static ac_plot *draw(ac_context *ctx, ac_result **result, const char *quantity,
                     const ac_plot_settings *settings)
{
    ac_plot *plot = NULL;
    CHECK(ac_result_open(ctx, result_path, result) == AC_OK);
    ac_report_source source = {*result, "path"};
    CHECK(ac_plot_new(ctx, &source, 1, &quantity, 1, settings, &plot) == AC_OK);
    return plot;
}

static int occurrences(const char *path, const char *text)
{
    static char all[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(all, 1, sizeof all - 1, file) : 0;
    int count = 0;
    all[length] = '\0';
    for (const char *at = strstr(all, text); at; at = strstr(at + 1, text)) ++count;
    if (file) fclose(file);
    return count;
}

/* A canvas that remembers what is drawn on it: letters are outlines in the files. */
enum { TEXTS_MAX = 64, TEXT_SIZE = 64 };
typedef struct drawing {
    char texts[TEXTS_MAX][TEXT_SIZE];
    int text_count;
    int lines[3]; /* of each style */
} drawing;

static void record_lines(void *user, const double *xy, long count, double width, unsigned colour,
                         ac_line_style style)
{
    drawing *d = user;
    (void)xy, (void)count, (void)width, (void)colour;
    ++d->lines[style];
}

static void record_text(void *user, double x, double y, double size, ac_text_anchor anchor, bool upwards,
                        unsigned colour, const char *text)
{
    drawing *d = user;
    (void)x, (void)y, (void)size, (void)anchor, (void)upwards, (void)colour;
    CHECK(d->text_count < TEXTS_MAX && strlen(text) < TEXT_SIZE);
    if (d->text_count < TEXTS_MAX) (void)snprintf(d->texts[d->text_count++], TEXT_SIZE, "%s", text);
}

static void record_clip(void *user, double x, double y, double width, double height)
{
    (void)user, (void)x, (void)y, (void)width, (void)height;
}

static drawing record(const ac_plot *plot)
{
    drawing d = {0};
    ac_canvas canvas = {.user = &d, .lines = record_lines, .text = record_text, .clip = record_clip};
    CHECK(ac_plot_draw(plot, &canvas, AC_PLOT_WIDTH, ac_plot_height(plot, AC_PLOT_WIDTH)) == AC_OK);
    return d;
}

static int times_drawn(const drawing *d, const char *text)
{
    int count = 0;
    for (int i = 0; i < d->text_count; ++i) count += strcmp(d->texts[i], text) == 0;
    return count;
}

/* Lines of an SVG file with dashes of this length and these gaps, as a property of a style or as an attribute. */
static int dashed_lines(int dash, int gap)
{
    char style[64], attribute[64];
    (void)snprintf(style, sizeof style, "stroke-dasharray:%d,%d;", dash, gap);
    (void)snprintf(attribute, sizeof attribute, "stroke-dasharray=\"%d %d\"", dash, gap);
    return occurrences(svg_path, style) + occurrences(svg_path, attribute);
}

/* Draws the plot as SVG: the lines that are not solid are those of the drawing. */
static drawing write_svg(const ac_plot *plot)
{
    drawing d = record(plot);
    CHECK(ac_plot_write_svg(plot, svg_path) == AC_OK);
    CHECK(dashed_lines(7, 4) == d.lines[AC_LINE_DASHED] && dashed_lines(2, 4) == d.lines[AC_LINE_DOTTED]);
    CHECK(occurrences(svg_path, "dasharray") == d.lines[AC_LINE_DASHED] + d.lines[AC_LINE_DOTTED]);
    return d;
}

TEST(stretches_and_events_of_a_path)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = NULL;
    write_path(100, true);
    for (int against = 0; against < 2; ++against) {
        ac_plot_settings settings = ac_plot_defaults();
        settings.against = against ? "point/p/position.y" : NULL;
        ac_plot *plot = draw(ctx, &result, "load/factor", &settings);
        const ac_plot_curve *curve = &plot->curves[0];
        CHECK(curve->count == 100 && curve->unstable);
        for (int i = 0; i < 99; ++i) CHECK(curve->unstable[i] == (i >= LIMIT && i < BRANCH));
        CHECK(curve->mark_count == 2);
        CHECK_TEXT(curve->marks[0].word, "limit");
        CHECK_TEXT(curve->marks[1].word, "bifurcation");
        CHECK_NEAR(curve->marks[0].x, against ? -30 : 3, 1e-12);
        CHECK_NEAR(curve->marks[0].y, 900, 1e-12);
        CHECK_NEAR(curve->marks[1].x, against ? -60 : 6, 1e-12);
        CHECK_NEAR(curve->marks[1].y, 0, 1e-12);
        drawing d = write_svg(plot);
        CHECK(times_drawn(&d, "limit") == 1 && times_drawn(&d, "bifurcation") == 1);
        CHECK(times_drawn(&d, "unstable") == 1);
        CHECK(d.lines[AC_LINE_DASHED] == 2 && d.lines[AC_LINE_DOTTED] == 0); /* the stretch and its name */
        CHECK(occurrences(svg_path, "<title>path</title>") == 1);
        ac_plot_free(plot);
        ac_result_close(result);
    }
    ac_context_free(ctx);
}

/* What is done to the values is done to the marks. */
TEST(marks_follow_changes_and_logarithms)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = NULL;
    ac_plot_settings settings = ac_plot_defaults();
    settings.change = settings.logarithmic = true;
    write_path(100, true);
    ac_plot *plot = draw(ctx, &result, "point/p/position.y", &settings);
    CHECK(plot->curves[0].mark_count == 2);
    CHECK_NEAR(plot->curves[0].marks[1].y, 60, 1e-12);
    ac_plot_free(plot);
    ac_result_close(result);
    settings = ac_plot_defaults();
    settings.from = 4; /* behind the limit point */
    plot = draw(ctx, &result, "load/factor", &settings);
    CHECK(plot->curves[0].mark_count == 1 && plot->curves[0].unstable[0]);
    CHECK_TEXT(plot->curves[0].marks[0].word, "bifurcation");
    CHECK_NEAR(plot->curves[0].marks[0].x, 6, 1e-12);
    ac_plot_free(plot);
    ac_result_close(result);
    ac_context_free(ctx);
}

/* Long paths are thinned; the marks stay where they are, the stretches as well but for a point. */
TEST(long_paths)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = NULL;
    write_path(60000, true);
    for (int against = 0; against < 2; ++against) {
        ac_plot_settings settings = ac_plot_defaults();
        settings.against = against ? "point/p/position.x" : NULL;
        ac_plot *plot = draw(ctx, &result, "load/factor", &settings);
        const ac_plot_curve *curve = &plot->curves[0];
        double scale = against ? 1.0 : 10.0;
        CHECK(curve->count < 50000 && curve->unstable);
        for (long i = 0; i < curve->count; ++i) {
            double s = scale * curve->x[i];
            if (fabs(s - LIMIT) < 0.1 || fabs(s - BRANCH) < 0.1) continue;
            CHECK(curve->unstable[i] == (s > LIMIT && s < BRANCH));
        }
        CHECK(curve->mark_count == 2);
        CHECK_NEAR(scale * curve->marks[0].x, LIMIT, 1e-9);
        CHECK_NEAR(curve->marks[0].y, 900, 1e-9);
        ac_plot_free(plot);
        ac_result_close(result);
    }
    ac_context_free(ctx);
}

TEST(other_tables_have_neither)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = NULL;
    ac_plot_settings settings = ac_plot_defaults();
    write_path(100, false);
    ac_plot *plot = draw(ctx, &result, "load/factor", &settings);
    CHECK(!plot->curves[0].unstable && plot->curves[0].mark_count == 0);
    drawing d = write_svg(plot);
    CHECK(d.lines[AC_LINE_DASHED] == 0 && d.lines[AC_LINE_DOTTED] == 0);
    CHECK(times_drawn(&d, "unstable") == 0 && times_drawn(&d, "load/factor") > 0);
    ac_plot_free(plot);
    ac_result_close(result);
    ac_context_free(ctx);
}

/* The same path of two results: the second is dashed, and its unstable stretch dotted. */
TEST(two_results)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = NULL;
    ac_plot *plot = NULL;
    const char *quantity = "load/factor";
    ac_plot_settings settings = ac_plot_defaults();
    write_path(100, true);
    CHECK(ac_result_open(ctx, result_path, &result) == AC_OK);
    ac_report_source sources[2] = {{result, "a"}, {result, "b"}};
    CHECK(ac_plot_new(ctx, sources, 2, &quantity, 1, &settings, &plot) == AC_OK);
    drawing d = write_svg(plot);
    CHECK(d.lines[AC_LINE_DOTTED] == 1);
    CHECK(times_drawn(&d, "limit") == 1); /* words on the first curve */
    CHECK(ac_plot_write_png(plot, svg_path) == AC_OK);
    ac_plot_free(plot);
    ac_result_close(result);
    ac_context_free(ctx);
}

static int corners(long rows, const char *quantity)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = NULL;
    ac_plot_settings settings = ac_plot_defaults();
    write_path(rows, false);
    ac_plot *plot = draw(ctx, &result, quantity, &settings);
    CHECK(ac_plot_write_svg(plot, svg_path) == AC_OK);
    ac_plot_free(plot);
    ac_result_close(result);
    ac_context_free(ctx);
    return occurrences(svg_path, " L ");
}

/* A file holds as many points as one sees: two of a straight line, of a parabola as many as its bend asks for. */
TEST(points_that_lie_on_a_line_are_left_out)
{
    CHECK(corners(1000, "point/p/position.x") == corners(100, "point/p/position.x"));
    int coarse = corners(100, "load/factor"), fine = corners(1000, "load/factor");
    CHECK(fine <= coarse && fine > coarse - 80);
}

TEST(memory_that_fails)
{
    write_path(100, true);
    long most = 1;
    for (long fail = 0; fail <= most; ++fail) {
        memory m = {0};
        ac_context *ctx = memory_context(&m);
        ac_result *result = NULL;
        ac_plot *plot = NULL;
        const char *quantity = "load/factor";
        ac_plot_settings settings = ac_plot_defaults();
        CHECK(ac_result_open(ctx, result_path, &result) == AC_OK);
        ac_report_source source = {result, "path"};
        long before = m.calls;
        m.fail_at = fail > 0 ? before + fail : 0;
        ac_status status = ac_plot_new(ctx, &source, 1, &quantity, 1, &settings, &plot);
        if (status == AC_OK) status = ac_plot_write_svg(plot, svg_path);
        CHECK(status == (fail > 0 ? AC_NO_MEMORY : AC_OK));
        if (fail == 0) most = m.calls - before;
        ac_plot_free(plot);
        ac_result_close(result);
        ac_context_free(ctx);
        CHECK(m.held == 0);
    }
    CHECK(most > 8);
    (void)unlink(result_path);
    (void)unlink(svg_path);
}

RUN_TESTS(CASE(stretches_and_events_of_a_path), CASE(marks_follow_changes_and_logarithms), CASE(long_paths),
          CASE(other_tables_have_neither), CASE(two_results), CASE(points_that_lie_on_a_line_are_left_out),
          CASE(memory_that_fails))
