/* How a result file is laid out in HDF5, for its writer and its reader; nobody else has heard of HDF5.
 *
 *   /                attributes format ("actio result"), format_version (1), program ("actio 0.1.0")
 *   /text/NAME       one text each: problem, title, task, status, message
 *   /summary/        names, units, values: the numbers of the summary, in order
 *   /list/NAME/      names, words, values (rows x width, attribute labels): things of one kind, such as the solids of
 *                    the scene in /list/scene/solids
 *   /TABLE/CHANNEL   one dataset per channel, rows x width, attributes unit and labels; a slash in the
 *                    name of a channel makes a group, as in /nodes/body/crank/position
 *   /index/TABLE/    attributes number and rows; names, units, labels, widths, datasets: the channels in
 *                    order, with the place of each (not its name where HDF5 cannot hold that)
 *
 * Texts of more than 60000 bytes are lists of one. Checksums cover all of this: those of HDF5 headers, which hold
 * the small datasets, and those of chunks.
 *
 * Texts are UTF-8. Numbers are 64-bit IEEE, not compressed: the digits of a trajectory hardly shrink.
 */
#ifndef ACTIO_RESULT_LAYOUT_H
#define ACTIO_RESULT_LAYOUT_H

#include <hdf5.h>
#include <stdbool.h>

#define AC_RESULT_FORMAT "actio result"
#define AC_RESULT_LISTS "list/"
enum { AC_RESULT_FORMAT_VERSION = 1 };

/* The handler that prints HDF5's errors, set aside while a call of ours runs and put back at its end. */
typedef struct ac_hdf5_silence {
    H5E_auto2_t handler;
    void *data;
    unsigned modern; /* the program uses the current error interface; otherwise it is left alone */
} ac_hdf5_silence;

/* HDF5 keeps something open of a damaged file that it refused, and complains about it on standard error when
 * the program ends. So it is not to tidy up then, unless the program has begun with HDF5 before us: what we
 * open we close. */
static inline ac_hdf5_silence ac_hdf5_silence_begin(void)
{
    ac_hdf5_silence silence = {NULL, NULL, 0};
    (void)H5dont_atexit();
    if (H5Eauto_is_v2(H5E_DEFAULT, &silence.modern) < 0 || !silence.modern) return silence;
    H5Eget_auto2(H5E_DEFAULT, &silence.handler, &silence.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return silence;
}

static inline void ac_hdf5_silence_end(const ac_hdf5_silence *silence)
{
    H5Eclear2(H5E_DEFAULT);
    if (silence->modern) H5Eset_auto2(H5E_DEFAULT, silence->handler, silence->data);
}

/* A string type for texts of up to `length` bytes; negative on failure. */
hid_t ac_hdf5_text_type(size_t length);
/* Each returns whether it was done. */
bool ac_hdf5_put_text_attribute(hid_t object, const char *name, const char *text);
bool ac_hdf5_put_integer_attribute(hid_t object, const char *name, long long value);
/* A dataset with `count` values in one dimension (a scalar when count is negative). */
bool ac_hdf5_put_dataset(hid_t place, const char *name, hid_t link_properties, hid_t file_type,
                         hid_t memory_type, long count, const void *values);

#endif
