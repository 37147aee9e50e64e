/* The way of HDF5 to the disk while a result is written.
 *
 * HDF5 cannot close a file whose last blocks fail to be written: it keeps the file half open and crashes
 * when the program ends. So its view of the disk is a driver that never fails: the first error of the
 * operating system is kept in the ac_result_disk, everything after it is dropped, and the writer looks
 * there before it goes on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/disk.h"

#define ADDRESS_LIMIT ((haddr_t)1 << 62)

typedef struct driver_info {
    ac_result_disk *disk;
} driver_info;

typedef struct disk_file {
    H5FD_t base; /* HDF5's own part comes first */
    ac_result_disk *disk;
    haddr_t end_allocated, end_written;
} disk_file;

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t limit)
{
    (void)name, (void)flags, (void)limit;
    const driver_info *info = H5Pget_driver_info(access);
    disk_file *file = info ? calloc(1, sizeof *file) : NULL;
    if (!file) return NULL;
    file->disk = info->disk;
    return &file->base;
}

static herr_t disk_close(H5FD_t *base)
{
    free(base);
    return 0;
}

static herr_t disk_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t disk_get_allocated(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const disk_file *)base)->end_allocated;
}

static herr_t disk_set_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((disk_file *)base)->end_allocated = address;
    return 0;
}

static haddr_t disk_get_written(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const disk_file *)base)->end_written;
}

/* What was never written, or lies behind a failure, reads as zero. */
static herr_t disk_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                        void *buffer)
{
    (void)type, (void)transfer;
    const disk_file *file = (const disk_file *)base;
    char *target = buffer;
    while (size > 0) {
        ssize_t count = pread(file->disk->descriptor, target, size, (off_t)address);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && !file->disk->error) file->disk->error = errno;
        if (count <= 0) break;
        target += count;
        size -= (size_t)count;
        address += (haddr_t)count;
    }
    memset(target, 0, size);
    return 0;
}

static herr_t disk_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                         const void *buffer)
{
    (void)type, (void)transfer;
    disk_file *file = (disk_file *)base;
    const char *source = buffer;
    if (address + size > file->end_written) file->end_written = address + size;
    while (size > 0 && !file->disk->error) {
        ssize_t count = pwrite(file->disk->descriptor, source, size, (off_t)address);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            file->disk->error = count < 0 ? errno : ENOSPC;
            break;
        }
        source += count;
        size -= (size_t)count;
        address += (haddr_t)count;
    }
    return 0;
}

static herr_t disk_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    disk_file *file = (disk_file *)base;
    if (file->end_allocated == file->end_written || file->disk->error) return 0;
    if (ftruncate(file->disk->descriptor, (off_t)file->end_allocated) != 0) file->disk->error = errno;
    file->end_written = file->end_allocated;
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)300,
#endif
    .name = "actio",
    .maxaddr = ADDRESS_LIMIT,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_info),
    .open = disk_open,
    .close = disk_close,
    .query = disk_query,
    .get_eoa = disk_get_allocated,
    .set_eoa = disk_set_allocated,
    .get_eof = disk_get_written,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t ac_result_disk_create(ac_result_disk *disk, const char *name)
{
    driver_info info = {disk};
    hid_t registered = H5FDregister(&driver);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;
    if (registered >= 0 && access >= 0 && H5Pset_driver(access, registered, &info) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0)
        file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (access >= 0) H5Pclose(access);
    if (registered >= 0 && file < 0) H5FDunregister(registered);
    if (file >= 0) disk->driver = registered;
    return file;
}

/* HDF5 calls the driver once more after it gave its own hold on it up, so it must be registered until
 * then. */
herr_t ac_result_disk_close(ac_result_disk *disk, hid_t file)
{
    herr_t closed = H5Fclose(file);
    if (disk->driver > 0) H5FDunregister(disk->driver);
    disk->driver = 0;
    return closed;
}
