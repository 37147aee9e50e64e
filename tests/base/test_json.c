/* The JSON writer: structure, escapes, numbers, and what happens without memory. */
#include <stdlib.h>

#include "actio/json.h"
#include "test.h"

static const char *finished(ac_json *json)
{
    const char *text = NULL;
    CHECK(ac_json_finish(json, &text) == AC_OK);
    return text;
}

TEST(objects_and_arrays_have_their_commas)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_json *json = NULL;
    CHECK(ac_json_new(ctx, &json) == AC_OK);
    ac_json_open_object(json, NULL);
    ac_json_text(json, "task", "simulate");
    ac_json_open_array(json, "list");
    ac_json_integer(json, NULL, -3);
    ac_json_open_object(json, NULL);
    ac_json_close_object(json);
    ac_json_bool(json, NULL, true);
    ac_json_close_array(json);
    ac_json_null(json, "nothing");
    ac_json_close_object(json);
    CHECK_TEXT(finished(json), "{\"task\": \"simulate\", \"list\": [-3, {}, true], \"nothing\": null}");
    ac_json_free(json);
    ac_context_free(ctx);
}

TEST(text_is_escaped)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_json *json = NULL;
    CHECK(ac_json_new(ctx, &json) == AC_OK);
    ac_json_text(json, NULL, "a\"b\\c\n\t\x01 \xC3\xA9 \xFF \xED\xA0\x80 \x7F");
    CHECK_TEXT(finished(json), "\"a\\\"b\\\\c\\n\\t\\u0001 \xC3\xA9 \\ufffd \\ufffd\\ufffd\\ufffd \\u007f\"");
    ac_json_free(json);
    ac_context_free(ctx);
}

TEST(numbers_keep_their_bits_and_are_never_nan)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_json *json = NULL;
    CHECK(ac_json_new(ctx, &json) == AC_OK);
    ac_json_open_array(json, NULL);
    ac_json_number(json, NULL, 0.1);
    ac_json_number(json, NULL, NAN);
    ac_json_number(json, NULL, INFINITY);
    ac_json_number(json, NULL, -1e300);
    ac_json_close_array(json);
    const char *text = finished(json);
    CHECK_TEXT(text, "[0.10000000000000001, null, null, -1.0000000000000001e+300]");
    CHECK(strtod(text + 1, NULL) == 0.1);
    ac_json_free(json);
    ac_context_free(ctx);
}

/* An allocator that gives `*user` blocks and then no more. */
static void *scarce(void *user, size_t size)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void scarce_release(void *user, void *block)
{
    (void)user;
    free(block);
}

TEST(running_out_of_memory_is_reported_at_the_end)
{
    for (int blocks = 2; blocks < 6; ++blocks) {
        int left = blocks;
        ac_allocator allocator = {scarce, scarce_release, &left};
        ac_context *ctx = ac_context_new(&allocator);
        ac_json *json = NULL;
        CHECK(ac_json_new(ctx, &json) == AC_OK);
        ac_json_open_array(json, NULL);
        for (int i = 0; i < 4000; ++i) ac_json_integer(json, NULL, i);
        ac_json_close_array(json);
        const char *text = NULL;
        CHECK(ac_json_finish(json, &text) == AC_NO_MEMORY);
        ac_json_free(json);
        ac_context_free(ctx);
    }
}

RUN_TESTS(CASE(objects_and_arrays_have_their_commas), CASE(text_is_escaped),
          CASE(numbers_keep_their_bits_and_are_never_nan), CASE(running_out_of_memory_is_reported_at_the_end))
