/* What a page shows of a result, as JSON that names arrays in a block of numbers.
 *
 *   {"texts": {...}, "scene": "JSON", "summary": [{name, value, unit}], "left_out": n,
 *    "tables": [{"name", "rows", "first_row", "shown_rows", "bucket", "points", "time": place or null,
 *                "channels": [{"name", "unit", "labels", "width", "place", "first": [...]}]}],
 *    "motions": [{"table", "frames", "stride", "shown_rows", "time": place,
 *                 "movers": [{"name", "kind", "places", "turned", "torque", "place",
 *                              "force": place, "moment": place (of beams)}]}]}
 *
 * Channels are arrays of 64-bit numbers, points x width; poses are 32-bit numbers, frames x places x 7.
 */
#ifndef ACTIO_SHOW_REPORT_DATA_H
#define ACTIO_SHOW_REPORT_DATA_H

#include "actio/json.h"
#include "show/report/numbers.h"
#include "show/scene/sampling.h"

ac_status ac_report_put_result(ac_context *ctx, ac_json *json, ac_numbers *numbers,
                               const ac_report_source *source, const ac_report_window *window);

#endif
