/* Small pieces of HDF5 that the writer puts together: texts, attributes, lists. */
#include <string.h>

#include "result/layout.h"

/* Bytes that fit into the header of a dataset (of 64 KiB, for all its messages), and into a chunk. */
static const size_t HEADER_ROOM = 60000, CHUNK_LIMIT = (size_t)1 << 31;

hid_t ac_hdf5_text_type(size_t length)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    if (H5Tset_size(type, length + 1) < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0 ||
        H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

static bool put_attribute(hid_t object, const char *name, hid_t file_type, hid_t memory_type,
                          const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;
    if (attribute >= 0) done = H5Aclose(attribute) >= 0 && done;
    if (space >= 0) H5Sclose(space);
    return done;
}

bool ac_hdf5_put_text_attribute(hid_t object, const char *name, const char *text)
{
    hid_t type = ac_hdf5_text_type(strlen(text));
    bool done = type >= 0 && put_attribute(object, name, type, type, text);
    if (type >= 0) H5Tclose(type);
    return done;
}

bool ac_hdf5_put_integer_attribute(hid_t object, const char *name, long long value)
{
    return put_attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_LLONG, &value);
}

/* Where a small dataset is kept so that a checksum covers it: in its header, or, where that has no room, as one chunk with
 * Fletcher's. A chunk needs a dimension, so that large scalars become lists of one. */
static hid_t checked_creation(size_t bytes, hsize_t *size, bool *scalar)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    bool done = creation >= 0;
    if (bytes <= HEADER_ROOM) {
        done = done && H5Pset_layout(creation, H5D_COMPACT) >= 0;
    } else if (bytes < CHUNK_LIMIT) {
        *scalar = false;
        done = done && H5Pset_chunk(creation, 1, size) >= 0 && H5Pset_fletcher32(creation) >= 0;
    }
    if (done) return creation;
    if (creation >= 0) H5Pclose(creation);
    return -1;
}

bool ac_hdf5_put_dataset(hid_t place, const char *name, hid_t link_properties, hid_t file_type,
                         hid_t memory_type, long count, const void *values)
{
    bool scalar = count < 0;
    hsize_t size = scalar ? 1 : (hsize_t)count;
    hid_t creation = checked_creation((size_t)size * H5Tget_size(file_type), &size, &scalar);
    hid_t space = scalar ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
    hid_t dataset = creation < 0 || space < 0
                        ? -1
                        : H5Dcreate2(place, name, file_type, space, link_properties, creation, H5P_DEFAULT);
    bool done = dataset >= 0;
    if (done && count != 0) done = H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (dataset >= 0) done = H5Dclose(dataset) >= 0 && done;
    if (space >= 0) H5Sclose(space);
    if (creation >= 0) H5Pclose(creation);
    return done;
}
