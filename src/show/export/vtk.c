/* A result for ParaView: a .pvd file that lists one .vtp file (triangles in the world) per moment.
 *
 * Cells carry the number of their part, so that parts can be coloured and selected, and those of beams the
 * stress resultants and strains of their place (force, moment, strain, curvature in the frame of the
 * directors). Numbers are binary, in base64.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/number.h"
#include "result/output_file.h"
#include "show/markup.h"
#include "show/report/numbers.h"
#include "show/scene/animation.h"

enum { FRAMES = 200, PATH_SIZE = 4096 };

/* An array on its way into a file: the number of its bytes, then they. */
typedef struct array {
    unsigned char *bytes;
    size_t length;
} array;

typedef struct vtk {
    ac_context *ctx;
    const ac_animation *animation;
    char folder[PATH_SIZE], name[PATH_SIZE]; /* of the .vtp files; the folder's name alone */
    long points, triangles;
    array work;
    bool made; /* the folder is ours */
} vtk;

static void begin_array(array *a)
{
    a->length = 8;
}

static void put_bytes(array *a, uint64_t bits, int size)
{
    for (int k = 0; k < size; ++k) a->bytes[a->length++] = (unsigned char)(bits >> (8 * k));
}

static void put_float(array *a, double value)
{
    float number = (float)value;
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_bytes(a, bits, 4);
}

static void end_array(array *a, FILE *out)
{
    size_t length = a->length;
    a->length = 0;
    put_bytes(a, length - 8, 8);
    ac_write_base64(out, a->bytes, length);
    fputs("</DataArray>\n", out);
}

static void put_points(vtk *v, FILE *out, long frame, bool normals)
{
    begin_array(&v->work);
    for (int i = 0; i < v->animation->count; ++i) {
        const ac_animation_part *part = &v->animation->parts[i];
        for (int k = 0; k < part->mesh.point_count; ++k) {
            double x[3];
            ac_animation_point(part, frame, k, !normals, x);
            for (int c = 0; c < 3; ++c) put_float(&v->work, x[c]);
        }
    }
    end_array(&v->work, out);
}

static bool has_stress(const ac_animation *animation, int kind)
{
    for (int i = 0; i < animation->count; ++i)
        if (animation->parts[i].stress[kind]) return true;
    return false;
}

/* One stress resultant or strain of all beams, in the frame of the directors; zero on the other parts. */
static void put_stress(vtk *v, FILE *out, long frame, int kind)
{
    begin_array(&v->work);
    for (int i = 0; i < v->animation->count; ++i) {
        const ac_animation_part *part = &v->animation->parts[i];
        for (int k = 0; k < part->mesh.corner_count / 3; ++k) {
            const double *row = part->stress[kind];
            if (row) row += 3 * (frame * part->stations + part->station[part->cell[k]]);
            for (int c = 0; c < 3; ++c) put_float(&v->work, row ? row[c] : 0);
        }
    }
    end_array(&v->work, out);
}

static void put_cells(vtk *v, FILE *out, long frame)
{
    int64_t first = 0;
    fputs("<Polys>\n<DataArray type=\"Int64\" Name=\"connectivity\" format=\"binary\">", out);
    begin_array(&v->work);
    for (int i = 0; i < v->animation->count; ++i) {
        const ac_mesh *mesh = &v->animation->parts[i].mesh;
        for (int k = 0; k < mesh->corner_count; ++k)
            put_bytes(&v->work, (uint64_t)(first + mesh->corners[k]), 8);
        first += mesh->point_count;
    }
    end_array(&v->work, out);
    fputs("<DataArray type=\"Int64\" Name=\"offsets\" format=\"binary\">", out);
    begin_array(&v->work);
    for (long k = 0; k < v->triangles; ++k) put_bytes(&v->work, (uint64_t)(3 * (k + 1)), 8);
    end_array(&v->work, out);
    fputs("</Polys>\n<CellData Scalars=\"part\">\n<DataArray type=\"Int32\" Name=\"part\" format=\"binary\">",
          out);
    begin_array(&v->work);
    for (int i = 0; i < v->animation->count; ++i) {
        int triangles = v->animation->parts[i].mesh.corner_count / 3;
        for (int k = 0; k < triangles; ++k) put_bytes(&v->work, (uint64_t)i, 4);
    }
    end_array(&v->work, out);
    for (int kind = 0; kind < AC_STRESSES; ++kind) {
        if (!has_stress(v->animation, kind)) continue;
        fprintf(out, "<DataArray type=\"Float32\" Name=\"%s\" NumberOfComponents=\"3\" format=\"binary\">",
                ac_stress_names[kind]);
        put_stress(v, out, frame, kind);
    }
    fputs("</CellData>\n", out);
}

static ac_status write_frame(vtk *v, long frame)
{
    char path[PATH_SIZE + 32];
    snprintf(path, sizeof path, "%s/%06ld.vtp", v->folder, frame);
    ac_output_file file;
    AC_TRY(ac_output_open(v->ctx, path, &file));
    FILE *out = file.stream;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"%ld\" NumberOfPolys=\"%ld\" "
            "NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\">\n",
            v->points, v->triangles);
    fputs("<Points>\n<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">", out);
    put_points(v, out, frame, false);
    fputs("</Points>\n<PointData Normals=\"normals\">\n<DataArray type=\"Float32\" Name=\"normals\" "
          "NumberOfComponents=\"3\" format=\"binary\">",
          out);
    put_points(v, out, frame, true);
    fputs("</PointData>\n", out);
    put_cells(v, out, frame);
    fputs("</Piece>\n</PolyData>\n</VTKFile>\n", out);
    return ac_output_close(&file, AC_OK);
}

static ac_status write_list(const vtk *v, const char *path)
{
    ac_output_file file;
    AC_TRY(ac_output_open(v->ctx, path, &file));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n",
          file.stream);
    for (long f = 0; f < v->animation->choice.count; ++f) {
        char number[AC_NUMBER_SIZE];
        fprintf(file.stream, "<DataSet timestep=\"%s\" file=\"",
                ac_write_decimal(number, v->animation->times[f]));
        ac_put_markup(file.stream, v->name);
        fprintf(file.stream, "/%06ld.vtp\"/>\n", f);
    }
    fputs("</Collection>\n</VTKFile>\n", file.stream);
    return ac_output_close(&file, AC_OK);
}

/* The folder for the frames: the path without its ending. */
static ac_status make_folder(vtk *v, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t length = dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path);
    if (length + 8 >= sizeof v->folder)
        return ac_fail(v->ctx, AC_IO_FAILED, "%s: could not be written: the name is too long", path);
    snprintf(v->folder, sizeof v->folder, "%.*s%s", (int)length, path,
             dot && length < strlen(path) ? "" : ".frames");
    slash = strrchr(v->folder, '/');
    snprintf(v->name, sizeof v->name, "%s", slash ? slash + 1 : v->folder);
    v->made = mkdir(v->folder, 0777) == 0;
    if (!v->made && errno != EEXIST)
        return ac_fail(v->ctx, AC_IO_FAILED, "%s: could not be made: %s", v->folder, strerror(errno));
    return AC_OK;
}

/* Takes away what a failed export has written of a folder that it made. */
static void remove_folder(const vtk *v, long frames)
{
    char name[sizeof v->folder + 32];
    if (!v->made) return;
    for (long f = 0; f < frames; ++f) {
        snprintf(name, sizeof name, "%s/%06ld.vtp", v->folder, f);
        unlink(name);
    }
    rmdir(v->folder);
}

static ac_status write_all(vtk *v, const char *path)
{
    for (int i = 0; i < v->animation->count; ++i) {
        v->points += v->animation->parts[i].mesh.point_count;
        v->triangles += v->animation->parts[i].mesh.corner_count / 3;
    }
    AC_NEW(v->ctx, v->work.bytes, 64 + 24 * (v->points + v->triangles));
    AC_TRY(make_folder(v, path));
    ac_status status = AC_OK;
    long frames = 0;
    for (; frames < v->animation->choice.count && status == AC_OK; ++frames) status = write_frame(v, frames);
    if (status == AC_OK) status = write_list(v, path);
    if (status != AC_OK) remove_folder(v, frames);
    return status;
}

ac_status ac_export_vtk(ac_context *ctx, ac_result *result, const ac_report_window *window, const char *path)
{
    ac_animation animation;
    AC_TRY(ac_animation_make(ctx, result, window, FRAMES, &animation));
    vtk v = {.ctx = ctx, .animation = &animation};
    ac_status status = write_all(&v, path);
    ac_release(ctx, v.work.bytes);
    ac_animation_free(&animation);
    return status;
}
