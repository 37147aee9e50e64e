/* Writing JSON: one value, built call by call, into memory.
 *
 * Numbers are written with 17 digits, so that they are read back to the same bits; a number that is not
 * finite becomes null. Text is escaped; bytes that are not UTF-8 become U+FFFD. Running out of memory is
 * remembered and reported once, by ac_json_finish.
 *
 * `key` is the name of the member inside an object, and NULL inside an array and for the outermost value.
 */
#ifndef ACTIO_JSON_H
#define ACTIO_JSON_H

#include <stdbool.h>

#include "actio/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_json ac_json;

AC_API ac_status ac_json_new(ac_context *ctx, ac_json **json);
AC_API void ac_json_free(ac_json *json);

AC_API void ac_json_open_object(ac_json *json, const char *key);
AC_API void ac_json_close_object(ac_json *json);
AC_API void ac_json_open_array(ac_json *json, const char *key);
AC_API void ac_json_close_array(ac_json *json);
AC_API void ac_json_number(ac_json *json, const char *key, double value);
AC_API void ac_json_integer(ac_json *json, const char *key, long value);
AC_API void ac_json_bool(ac_json *json, const char *key, bool value);
/* NULL is written as null. */
AC_API void ac_json_text(ac_json *json, const char *key, const char *text);
AC_API void ac_json_null(ac_json *json, const char *key);

/* The finished text, owned by `json`. */
AC_API ac_status ac_json_finish(ac_json *json, const char **text);

#ifdef __cplusplus
}
#endif
#endif
