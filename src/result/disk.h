/* The way of HDF5 to the disk while a result is written: see result_disk.c. */
#ifndef ACTIO_RESULT_DISK_H
#define ACTIO_RESULT_DISK_H

#include <hdf5.h>

typedef struct ac_result_disk {
    int descriptor; /* of the open file; owned by the writer */
    int error;      /* errno of the first failure, 0 when there was none */
    hid_t driver;   /* of HDF5, while the file is open; 0 for none */
} ac_result_disk;

/* A new HDF5 file on the disk's descriptor; negative on failure. `disk` must outlive it. `name` is for
 * messages. */
hid_t ac_result_disk_create(ac_result_disk *disk, const char *name);
/* Closes that file; returns a negative number on failure, as H5Fclose does. */
herr_t ac_result_disk_close(ac_result_disk *disk, hid_t file);

#endif
