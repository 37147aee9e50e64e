/* The page: the built viewer with the data of one or two results inside.
 *
 * Nothing from a result reaches the page as markup. Texts are JSON strings in a data block, in which every
 * "<" is written as an escape, so that no text can end the block; the viewer puts them into the document as
 * text. The title alone stands in the page itself, with its special characters escaped.
 */
#include <string.h>

#include "actio/json.h"
#include "actio/report.h"
#include "base/base.h"
#include "result/output_file.h"
#include "show/markup.h"
#include "show/report/data.h"
#include "show/report/page.h"
#include "show/scene/sampling.h"

static const char title_mark[] = "<!--actio:title-->", data_mark[] = "<!--actio:data-->";

static ac_status gather(ac_context *ctx, ac_json *json, ac_numbers *numbers, const ac_report_source *sources,
                        int count, const ac_report_window *window, const ac_comparison *comparison)
{
    ac_json_open_object(json, NULL);
    ac_json_text(json, "program", ac_version());
    ac_json_open_array(json, "results");
    for (int i = 0; i < count; ++i) AC_TRY(ac_report_put_result(ctx, json, numbers, &sources[i], window));
    ac_json_close_array(json);
    if (comparison) ac_comparison_put(comparison, json);
    ac_json_close_object(json);
    return AC_OK;
}

/* ---- writing ---- */

static void put_json(FILE *out, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "<");
        fwrite(text, 1, plain, out);
        text += plain;
        if (*text) {
            fputs("\\u003c", out);
            ++text;
        }
    }
}

/* Where the mark stands in the page, from `start` on; the length of the page when it is not there. */
static size_t find_mark(const char *mark, size_t start)
{
    size_t length = strlen(mark);
    for (size_t i = start; i + length <= ac_report_page_size; ++i) {
        if (memcmp(ac_report_page + i, mark, length) == 0) return i;
    }
    return ac_report_page_size;
}

static size_t put_page_until(FILE *out, const char *mark, size_t start)
{
    size_t end = find_mark(mark, start);
    fwrite(ac_report_page + start, 1, end - start, out);
    return end + strlen(mark) < ac_report_page_size ? end + strlen(mark) : ac_report_page_size;
}

static void put_page(FILE *out, const char *title, const char *json, const ac_numbers *numbers)
{
    size_t done = put_page_until(out, title_mark, 0);
    ac_put_markup(out, title);
    done = put_page_until(out, data_mark, done);
    fputs("<script type=\"application/json\" id=\"actio-data\">", out);
    put_json(out, json);
    fputs("</script>\n<script type=\"application/octet-stream\" id=\"actio-numbers\">", out);
    ac_write_base64(out, numbers->bytes, numbers->length);
    fputs("</script>\n", out);
    fwrite(ac_report_page + done, 1, ac_report_page_size - done, out);
}

static ac_status write_page(ac_context *ctx, const ac_report_source *source, ac_json *json,
                            const ac_numbers *numbers, const char *path)
{
    const char *text = NULL, *title = ac_result_text(source->result, "title");
    ac_output_file file;
    AC_TRY(ac_json_finish(json, &text));
    AC_TRY(ac_output_open(ctx, path, &file));
    put_page(file.stream, title && *title ? title : source->label, text, numbers);
    return ac_output_close(&file, AC_OK);
}

/* A window with no row of any table inside is a slip; a result without rows still has its summary. */
static ac_status check_window(ac_context *ctx, const ac_report_source *sources, int count,
                              const ac_report_window *window)
{
    long rows = 0, first = 0, inside = 0, shown = 0;
    for (int i = 0; i < count; ++i) {
        for (int t = 0; t < ac_result_table_count(sources[i].result); ++t) {
            AC_TRY(ac_rows_between(sources[i].result, t, window->from, window->to, &first, &inside));
            if (ac_table_channel(sources[i].result, t, "time") < 0) continue;
            rows += ac_result_rows(sources[i].result, t);
            shown += inside;
        }
    }
    return rows == 0 || shown > 0 ? AC_OK
                                  : ac_fail(ctx, AC_BAD_INPUT, "there are no rows in this range of time");
}

ac_status ac_report_write(ac_context *ctx, const ac_report_source *sources, int count,
                          const ac_report_window *window, const ac_comparison *comparison, const char *path)
{
    ac_json *json;
    ac_numbers numbers = {.ctx = ctx};
    if (count < 1) return ac_fail(ctx, AC_BAD_INPUT, "a report needs a result");
    AC_TRY(check_window(ctx, sources, count, window));
    AC_TRY(ac_json_new(ctx, &json));
    ac_status status = gather(ctx, json, &numbers, sources, count, window, comparison);
    if (status == AC_OK) status = write_page(ctx, &sources[0], json, &numbers, path);
    ac_numbers_free(&numbers);
    ac_json_free(json);
    return status;
}
