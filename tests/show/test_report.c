/* Pages, plots and thinning: no text of a result becomes markup, no peak is lost, no memory failure leaks. */
#include "actio/report.h"

#include "actio/problem.h"

#include <stdlib.h>
#include <unistd.h>

#include "problem/scene/scene.h"
#include "show/scene/motion.h"
#include "show/report/page.h"
#include "show/scene/sampling.h"
#include "test.h"

static const char result_path[] = "test_report.h5", page_path[] = "test_report.html";
static const char hostile[] = "</script><script>x</script><!-- <img onerror=\"y\">";

enum { ROWS = 100001, SPIKE = 54321 };

/* A result whose every text tries to become markup, with one spike in a long row of zeros. */
static void write_result(void)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result_writer *w = NULL;
    char name[128];
    snprintf(name, sizeof name, "body/%s/position", "<img src=x>");
    const ac_channel channels[] = {
        {"time", "s", "", 1},
        {"spike", hostile, "", 1},
        {name, "<b>m</b>", "<i> y z", 3},
        {"body/<img src=x>/rotation", "1", "xx xy xz yx yy yz zx zy zz", 9},
        {"beam/bar/position", "m", "", 12},
        {"beam/bar/force", "N", "", 6},
        {"beam/bar/moment", "N m", "", 6},
        {"beam/bar/node_force", "N", "", 12},
        {"beam/bar/node_moment", "N m", "", 12},
        {"load/<b>/place", "m", "x y z", 3},
        {"load/<b>/force", "N", "x y z", 3},
    };
    enum { CHANNELS = sizeof channels / sizeof *channels, WIDTH = 14 + 54 };
    int table = 0;
    CHECK(ac_result_create(ctx, result_path, &w) == AC_OK);
    CHECK(ac_result_put_text(w, "title", hostile) == AC_OK);
    CHECK(ac_result_put_text(w, "problem", hostile) == AC_OK);
    ac_scene_world world = {.name = hostile};
    ac_scene_node node = {.name = "</script><b>"};
    ac_scene_beam beam = {.name = "bar", .first = 1, .elements = 3, .station_count = 1};
    ac_scene_station tube = {.name = "bar",
                             .section = {.shape = AC_BEAM_TUBE, .radius = 0.2, .inner_radius = 0.1}};
    const ac_scene scene = {.world = &world,
                            .world_count = 1,
                            .nodes = &node,
                            .node_count = 1,
                            .beams = &beam,
                            .beam_count = 1,
                            .stations = &tube,
                            .station_count = 1};
    CHECK(ac_scene_store(ctx, w, &scene) == AC_OK);
    CHECK(ac_result_put_number(w, "<u>number</u>", 1, "<s>") == AC_OK);
    CHECK(ac_result_put_table(w, "nodes", channels, CHANNELS, &table) == AC_OK);
    for (long i = 0; i < ROWS; ++i) {
        double t = 1e-3 * (double)i;
        double row[WIDTH] = {
            t, i == SPIKE ? 7 : 0, cos(t), sin(t), 0, cos(t), -sin(t), 0, sin(t), cos(t), 0, 0, 0, 1};
        for (int k = 0; k < 4; ++k)
            row[14 + 3 * k] = k < 2 ? k : k - 1; /* with a corner: no length between 2 and 3 */
        for (int k = 26; k < WIDTH; ++k) row[k] = k;
        CHECK(ac_result_append(w, table, row) == AC_OK);
    }
    CHECK(ac_result_commit(w) == AC_OK);
    ac_context_free(ctx);
}

static ac_result *open_result(ac_context *ctx)
{
    ac_result *result = NULL;
    CHECK(ac_result_open(ctx, result_path, &result) == AC_OK);
    return result;
}

static long count_in(const unsigned char *bytes, size_t length, int wanted)
{
    long count = 0;
    for (size_t i = 0; i < length; ++i) count += bytes[i] == wanted;
    return count;
}

/* The page has as many "<" as its template, less two marks, plus two data blocks: none is the result's. */
TEST(texts_do_not_become_markup)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_report_source source = {open_result(ctx), hostile};
    ac_report_window window = ac_report_everything();
    CHECK(ac_report_write(ctx, &source, 1, &window, NULL, page_path) == AC_OK);
    FILE *file = fopen(page_path, "rb");
    CHECK(file != NULL);
    unsigned char *page = malloc(64 << 20);
    size_t length = page && file ? fread(page, 1, 64 << 20, file) : 0;
    CHECK(length > ac_report_page_size);
    CHECK(count_in(page, length, '<') == count_in(ac_report_page, ac_report_page_size, '<') - 2 + 4);
    free(page);
    if (file) fclose(file);
    ac_result_close(source.result);
    ac_context_free(ctx);
    unlink(page_path);
}

TEST(chosen_rows_have_both_ends)
{
    for (long count = 1; count < 60; ++count) {
        for (long limit = 2; limit < 70; ++limit) {
            ac_row_choice c = ac_choose_rows(5, count, limit);
            CHECK(c.count <= limit || c.count <= 2);
            CHECK(c.first == 5 && c.last == 5 + count - 1);
            if (c.count > 1) CHECK(c.first + (c.count - 2) * c.stride < c.last);
            if (c.count > 1) CHECK(c.first + (c.count - 1) * c.stride >= c.last);
        }
    }
}

TEST(peaks_survive_thinning)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = open_result(ctx);
    ac_bucketing buckets = ac_make_buckets(0, ROWS, 1000);
    CHECK(buckets.size > 1 && buckets.points <= 1002);
    double *values = calloc((size_t)buckets.points, sizeof *values),
           *times = calloc((size_t)buckets.points, sizeof *times);
    CHECK(ac_read_buckets(ctx, result, 0, 1, &buckets, false, values) == AC_OK);
    CHECK(ac_read_buckets(ctx, result, 0, 0, &buckets, true, times) == AC_OK);
    double most = 0, at = 0;
    for (long i = 0; i < buckets.points; ++i) {
        if (i > 0) CHECK(times[i] >= times[i - 1]);
        if (values[i] > most) {
            most = values[i];
            at = times[i];
        }
    }
    CHECK(most == 7);
    CHECK_NEAR(at, 1e-3 * SPIKE, 1e-3 * (double)buckets.size);
    free(values);
    free(times);
    ac_result_close(result);
    ac_context_free(ctx);
}

TEST(window_finds_its_rows)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_result *result = open_result(ctx);
    long first = 0, count = 0;
    CHECK(ac_rows_between(result, 0, 0.0995, 0.2005, &first, &count) == AC_OK);
    CHECK(first == 100 && count == 101);
    CHECK(ac_rows_between(result, 0, 200, 300, &first, &count) == AC_OK);
    CHECK(count == 0);
    CHECK(ac_rows_between(result, 0, -INFINITY, INFINITY, &first, &count) == AC_OK);
    CHECK(first == 0 && count == ROWS);
    ac_result_close(result);
    ac_context_free(ctx);
}

/* q and -q are the same turn; all four branches of the formula are met. */
TEST(quaternions_give_the_rotation_back)
{
    const double axes[][4] = {{0, 0, 0, 1},          {1, 0, 0, 0},           {0, 1, 0, 0},
                              {0, 0, 1, 0},          {0.5, 0.5, 0.5, 0.5},   {0.1, -0.7, 0.1, 0.7},
                              {0.9, 0.1, -0.2, 0.1}, {-0.1, 0.2, 0.97, 0.05}};
    for (size_t i = 0; i < sizeof axes / sizeof *axes; ++i) {
        double q[4], size = 0, back[4], dot = 0;
        for (int k = 0; k < 4; ++k) size += axes[i][k] * axes[i][k];
        for (int k = 0; k < 4; ++k) q[k] = axes[i][k] / sqrt(size);
        const double x = q[0], y = q[1], z = q[2], w = q[3];
        const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                             2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                             2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
        ac_quaternion_of(R, back);
        for (int k = 0; k < 4; ++k) dot += back[k] * q[k];
        CHECK_NEAR(fabs(dot), 1, 1e-14);
    }
}

/* Pieces of a beam find their stations: the one without length takes the next; without corners shares are
 * taken. */
TEST(stations_skip_corners)
{
    const ac_mover corner = {.places = 5, .stations = 3}, coarse = {.places = 5, .stations = 2};
    double poses[5 * AC_POSE_SIZE] = {0};
    int station[4];
    for (int k = 0; k < 5; ++k) poses[AC_POSE_SIZE * k] = k < 2 ? k : k - 1; /* places 2 and 3 are one */
    ac_mover_stations(&corner, poses, station);
    CHECK(station[0] == 0 && station[1] == 1 && station[2] == 1 && station[3] == 2);
    for (int k = 0; k < 5; ++k) poses[AC_POSE_SIZE * k] = k;
    ac_mover_stations(&coarse, poses, station);
    CHECK(station[0] == 0 && station[1] == 0 && station[2] == 1 && station[3] == 1);
}

/* ---- failing memory ---- */

typedef struct failing {
    long left, held;
} failing;

static void *failing_allocate(void *user, size_t size)
{
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    ++f->held;
    return malloc(size);
}

static void failing_release(void *user, void *block)
{
    failing *f = user;
    if (block) --f->held;
    free(block);
}

typedef ac_status (*job)(ac_context *ctx, const ac_report_source *source);

static ac_status page_job(ac_context *ctx, const ac_report_source *source)
{
    ac_report_window window = ac_report_everything();
    window.frames = 20;
    return ac_report_write(ctx, source, 1, &window, NULL, page_path);
}

static ac_status plot_job(ac_context *ctx, const ac_report_source *source)
{
    const char *quantities[] = {"spike", "body/*/position"};
    ac_plot_settings settings = ac_plot_defaults();
    ac_plot *plot = NULL;
    ac_status status = ac_plot_new(ctx, source, 1, quantities, 2, &settings, &plot);
    if (status == AC_OK) status = ac_plot_write_png(plot, page_path);
    if (status == AC_OK) status = ac_plot_write_svg(plot, page_path);
    ac_plot_free(plot);
    return status;
}

static ac_status gltf_job(ac_context *ctx, const ac_report_source *source)
{
    ac_report_window window = ac_report_everything();
    window.frames = 20;
    return ac_export_gltf(ctx, source->result, &window, true, page_path);
}

static ac_status text_job(ac_context *ctx, const ac_report_source *source)
{
    const char *quantities[] = {"spike", "body/*/position"};
    ac_plot_settings settings = ac_plot_defaults();
    ac_plot *plot = NULL;
    char *text = NULL;
    ac_status status = ac_plot_new(ctx, source, 1, quantities, 2, &settings, &plot);
    if (status == AC_OK) status = ac_plot_text(plot, &text);
    if (status == AC_OK) ac_text_free(ctx, text);
    ac_plot_free(plot);
    return status;
}

static ac_status vtk_job(ac_context *ctx, const ac_report_source *source)
{
    ac_report_window window = ac_report_everything();
    window.frames = 2;
    ac_status status = ac_export_vtk(ctx, source->result, &window, "frames.pvd");
    (void)unlink("frames.pvd");
    (void)unlink("frames/000000.vtp");
    (void)unlink("frames/000001.vtp");
    (void)rmdir("frames");
    return status;
}

static ac_status compare_job(ac_context *ctx, const ac_report_source *source)
{
    const char *patterns[] = {"spike"};
    ac_comparison *comparison = NULL;
    ac_status status = ac_compare(ctx, source->result, source->result, patterns, 1, &comparison);
    if (status == AC_OK)
        CHECK(ac_comparison_count(comparison) == 1 && ac_comparison_entry(comparison, 0)->largest == 0);
    ac_comparison_free(comparison);
    return status;
}

/* Every allocation fails once: the answer is "out of memory" and nothing is kept. */
TEST(failing_memory_is_reported)
{
    const job jobs[] = {page_job, plot_job, text_job, gltf_job, vtk_job, compare_job};
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; ++j) {
        ac_status status = AC_NO_MEMORY;
        for (long allowed = 0; status == AC_NO_MEMORY && allowed < 2000; ++allowed) {
            failing f = {.left = 1L << 30};
            ac_allocator allocator = {failing_allocate, failing_release, &f};
            ac_context *ctx = ac_context_new(&allocator);
            ac_report_source source = {open_result(ctx), "x"};
            long before = f.held;
            f.left = allowed;
            status = jobs[j](ctx, &source);
            CHECK(status == AC_OK || status == AC_NO_MEMORY);
            CHECK(f.held == before);
            f.left = 1L << 30;
            ac_result_close(source.result);
            ac_context_free(ctx);
        }
        CHECK(status == AC_OK);
    }
    unlink(page_path);
}

/* Everything happens in a folder of its own. */
static char folder[64] = "/tmp/actio-report-XXXXXX";

TEST(prepare)
{
    CHECK(mkdtemp(folder) && chdir(folder) == 0);
    write_result();
}

TEST(clean_up)
{
    CHECK(unlink(result_path) == 0);
    CHECK(chdir("/") == 0 && rmdir(folder) == 0);
}

RUN_TESTS(CASE(prepare), CASE(texts_do_not_become_markup), CASE(chosen_rows_have_both_ends),
          CASE(peaks_survive_thinning), CASE(window_finds_its_rows), CASE(quaternions_give_the_rotation_back),
          CASE(stations_skip_corners), CASE(failing_memory_is_reported), CASE(clean_up))
