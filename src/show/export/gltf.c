/* A result as a glTF 2.0 scene with an animation: .gltf (JSON, everything inside) or .glb (binary).
 *
 * One node per part; its place, orientation and, for bars, length are animated. The surface of a beam is a
 * skin on one node per place of the beam, drawn as it is at the first moment. A root node turns the scene so
 * that "up", which is y in glTF, is against gravity.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "actio/json.h"
#include "base/base.h"
#include "base/vector.h"
#include "math/math.h"
#include "result/output_file.h"
#include "show/report/numbers.h"
#include "show/scene/animation.h"

enum {
    FRAMES = 2000,
    FLOAT = 5126,
    UNSIGNED = 5125,
    UNSIGNED_SHORT = 5123,
    MATRIX = 16,
    ARRAY_BUFFER = 34962,
    ELEMENT_ARRAY_BUFFER = 34963,
    BOUNDED = 1,
    BOUNDED_ARRAY = 2,
    MAGIC = 0x46546C67,
    CHUNK_JSON = 0x4E4F534A,
    CHUNK_BINARY = 0x004E4942
};

/* An array in the buffer. */
typedef struct accessor {
    size_t place, bytes;
    long count;
    int components, type;
    bool bounded; /* the range has to be stated */
    int target;   /* what the graphics card uses it for; 0: nothing */
    double low[3], high[3];
} accessor;

typedef struct gltf {
    ac_context *ctx;
    const ac_animation *animation;
    ac_numbers numbers;
    accessor *accessors;
    int count, capacity;
    int joints; /* nodes of beams, behind those of the parts */
    ac_json *json;
} gltf;

/* ---- the buffer ---- */

static void find_range(accessor *a, const double *values)
{
    for (int k = 0; k < a->components && k < 3; ++k) {
        a->low[k] = INFINITY;
        a->high[k] = -INFINITY;
        for (long i = 0; i < a->count; ++i) {
            /* the range must hold the numbers as they are stored */
            double value = (double)(float)values[i * a->components + k];
            a->low[k] = ac_min(a->low[k], value);
            a->high[k] = ac_max(a->high[k], value);
        }
    }
}

static ac_status add_accessor(gltf *g, const accessor *made, int *number)
{
    AC_TRY(ac_grow(g->ctx, (void **)&g->accessors, &g->capacity, g->count + 1, sizeof *g->accessors));
    g->accessors[g->count] = *made;
    *number = g->count++;
    return AC_OK;
}

/* `use`: ARRAY_BUFFER, BOUNDED (the range has to be stated), both (BOUNDED_ARRAY) or 0. */
static ac_status add_floats(gltf *g, const double *values, long count, int components, int use, int *number)
{
    bool bounded = use == BOUNDED || use == BOUNDED_ARRAY;
    accessor a = {.count = count, .components = components, .type = FLOAT, .bounded = bounded};
    a.target = use == ARRAY_BUFFER || use == BOUNDED_ARRAY ? ARRAY_BUFFER : 0;
    a.bytes = 4 * (size_t)count * (size_t)components;
    AC_TRY(ac_numbers_floats(&g->numbers, values, (size_t)count * (size_t)components, &a.place));
    if (bounded) find_range(&a, values);
    return add_accessor(g, &a, number);
}

/* Room in the buffer for 4 `words` bytes. */
static ac_status take_room(gltf *g, size_t words, size_t *place)
{
    double *block;
    AC_NEW(g->ctx, block, words);
    ac_status status = ac_numbers_floats(&g->numbers, block, words, place);
    ac_release(g->ctx, block);
    return status;
}

static ac_status add_indices(gltf *g, const int *corners, int count, int *number)
{
    accessor a = {.count = count,
                  .components = 1,
                  .type = UNSIGNED,
                  .bytes = 4 * (size_t)count,
                  .target = ELEMENT_ARRAY_BUFFER};
    AC_TRY(take_room(g, (size_t)count, &a.place));
    for (int i = 0; i < count; ++i) {
        uint32_t index = (uint32_t)corners[i];
        for (int k = 0; k < 4; ++k)
            g->numbers.bytes[a.place + 4 * (size_t)i + (size_t)k] = (unsigned char)(index >> (8 * k));
    }
    return add_accessor(g, &a, number);
}

/* The place of the beam that a point of the mesh hangs on; one of four that glTF allows. */
static ac_status add_rings(gltf *g, const int *ring, int count, int *number)
{
    accessor a = {.count = count,
                  .components = 4,
                  .type = UNSIGNED_SHORT,
                  .bytes = 8 * (size_t)count,
                  .target = ARRAY_BUFFER};
    AC_TRY(take_room(g, 2 * (size_t)count, &a.place)); /* all zero */
    for (int i = 0; i < count; ++i) {
        unsigned char *at = g->numbers.bytes + a.place + 8 * (size_t)i;
        at[0] = (unsigned char)(ring[i] & 255);
        at[1] = (unsigned char)(ring[i] >> 8 & 255);
    }
    return add_accessor(g, &a, number);
}

/* Columns first to last of poses as an array of their own; `stride`: numbers from one frame to the next. */
static ac_status add_columns(gltf *g, const double *poses, long stride, int first, int components,
                             int *number)
{
    long frames = g->animation->choice.count;
    double *block;
    AC_NEW(g->ctx, block, frames * components);
    for (long f = 0; f < frames; ++f) {
        for (int k = 0; k < components; ++k) block[f * components + k] = poses[stride * f + first + k];
    }
    ac_status status = add_floats(g, block, frames, components, 0, number);
    ac_release(g->ctx, block);
    return status;
}

static ac_status add_lengths(gltf *g, const ac_animation_part *part, int *number)
{
    long frames = g->animation->choice.count;
    double *block;
    AC_NEW(g->ctx, block, 3 * frames);
    for (long f = 0; f < frames; ++f) {
        block[3 * f] = block[3 * f + 1] = 1;
        block[3 * f + 2] = ac_max(part->lengths[f], 1e-9 * g->animation->size);
    }
    ac_status status = add_floats(g, block, frames, 3, 0, number);
    ac_release(g->ctx, block);
    return status;
}

/* ---- the description ---- */

/* The numbers of a part's arrays. */
typedef struct part_arrays {
    int points, normals, corners, places, turns, lengths;
    /* beams: rings, weights and inverse matrices of the skin; places and turns are those of its first joint,
     * two further arrays for each of the others follow them */
    int rings, weights, matrices, first_joint, skin;
} part_arrays;

/* What takes a place of a beam at the first moment back to the origin, column by column. */
static void inverse_matrix(const double pose[AC_POSE_SIZE], double matrix[MATRIX])
{
    const double back[AC_POSE_SIZE] = {0, 0, 0, -pose[3], -pose[4], -pose[5], pose[6]};
    double moved[3];
    memset(matrix, 0, MATRIX * sizeof *matrix);
    for (int k = 0; k < 3; ++k) {
        double unit[3] = {0, 0, 0};
        unit[k] = 1;
        ac_pose_apply(back, unit, false, matrix + 4 * k);
    }
    ac_pose_apply(back, pose, false, moved);
    for (int k = 0; k < 3; ++k) matrix[12 + k] = -moved[k];
    matrix[15] = 1;
}

static ac_status add_matrices(gltf *g, const ac_animation_part *part, part_arrays *a)
{
    double *block;
    AC_NEW(g->ctx, block, MATRIX * part->rings);
    for (int k = 0; k < part->rings; ++k)
        inverse_matrix(part->ring_poses + AC_POSE_SIZE * k, block + MATRIX * k);
    ac_status status = add_floats(g, block, part->rings, MATRIX, 0, &a->matrices);
    ac_release(g->ctx, block);
    return status;
}

static ac_status add_weights(gltf *g, const ac_animation_part *part, part_arrays *a)
{
    double *block;
    AC_NEW(g->ctx, block, 4 * part->mesh.point_count);
    for (int k = 0; k < part->mesh.point_count; ++k) block[4 * k] = 1;
    ac_status status = add_floats(g, block, part->mesh.point_count, 4, ARRAY_BUFFER, &a->weights);
    ac_release(g->ctx, block);
    return status;
}

/* The surface as it is at the first moment. */
static ac_status add_first_surface(gltf *g, const ac_animation_part *part, part_arrays *a)
{
    int count = part->mesh.point_count;
    double *block;
    AC_NEW(g->ctx, block, 3 * count);
    ac_status status = AC_OK;
    for (int normals = 0; normals < 2 && status == AC_OK; ++normals) {
        for (int k = 0; k < count; ++k) ac_animation_point(part, 0, k, normals == 0, block + 3 * k);
        status = add_floats(g, block, count, 3, normals ? ARRAY_BUFFER : BOUNDED_ARRAY,
                            normals ? &a->normals : &a->points);
    }
    ac_release(g->ctx, block);
    return status;
}

static ac_status add_beam(gltf *g, const ac_animation_part *part, part_arrays *a)
{
    long stride = AC_POSE_SIZE * (long)part->rings;
    AC_TRY(add_first_surface(g, part, a));
    AC_TRY(add_indices(g, part->mesh.corners, part->mesh.corner_count, &a->corners));
    AC_TRY(add_rings(g, part->ring, part->mesh.point_count, &a->rings));
    AC_TRY(add_weights(g, part, a));
    AC_TRY(add_matrices(g, part, a));
    for (int k = 0; k < part->rings; ++k) {
        int place = 0, turn = 0;
        AC_TRY(add_columns(g, part->ring_poses + AC_POSE_SIZE * k, stride, 0, 3, &place));
        AC_TRY(add_columns(g, part->ring_poses + AC_POSE_SIZE * k, stride, 3, 4, &turn));
        if (k > 0) continue;
        a->places = place;
        a->turns = turn;
    }
    a->first_joint = 1 + g->animation->count + g->joints;
    g->joints += part->rings;
    return AC_OK;
}

static ac_status add_part(gltf *g, const ac_animation_part *part, part_arrays *a)
{
    if (part->rings > 0) return add_beam(g, part, a);
    AC_TRY(add_floats(g, part->mesh.points, part->mesh.point_count, 3, BOUNDED_ARRAY, &a->points));
    AC_TRY(add_floats(g, part->mesh.normals, part->mesh.point_count, 3, ARRAY_BUFFER, &a->normals));
    AC_TRY(add_indices(g, part->mesh.corners, part->mesh.corner_count, &a->corners));
    AC_TRY(add_columns(g, part->poses, AC_POSE_SIZE, 0, 3, &a->places));
    AC_TRY(add_columns(g, part->poses, AC_POSE_SIZE, 3, 4, &a->turns));
    return part->stretched ? add_lengths(g, part, &a->lengths) : AC_OK;
}

static void put_vector(ac_json *json, const char *key, const double *x, int count)
{
    ac_json_open_array(json, key);
    for (int k = 0; k < count; ++k) ac_json_number(json, NULL, x[k]);
    ac_json_close_array(json);
}

static void put_material(ac_json *json, unsigned colour)
{
    double linear[4] = {0, 0, 0, 1};
    for (int k = 0; k < 3; ++k) linear[k] = ac_pow((colour >> (16 - 8 * k) & 255u) / 255.0, 2.2);
    ac_json_open_object(json, NULL);
    ac_json_open_object(json, "pbrMetallicRoughness");
    put_vector(json, "baseColorFactor", linear, 4);
    ac_json_number(json, "metallicFactor", 0.1);
    ac_json_number(json, "roughnessFactor", 0.55);
    ac_json_close_object(json);
    ac_json_close_object(json);
}

static void put_mesh(ac_json *json, const ac_animation_part *part, const part_arrays *a)
{
    ac_json_open_object(json, NULL);
    ac_json_open_array(json, "primitives");
    ac_json_open_object(json, NULL);
    ac_json_open_object(json, "attributes");
    ac_json_integer(json, "POSITION", a->points);
    ac_json_integer(json, "NORMAL", a->normals);
    if (part->rings > 0) {
        ac_json_integer(json, "JOINTS_0", a->rings);
        ac_json_integer(json, "WEIGHTS_0", a->weights);
    }
    ac_json_close_object(json);
    ac_json_integer(json, "indices", a->corners);
    ac_json_integer(json, "material", part->colour < 0 ? AC_ANIMATION_COLOURS : part->colour);
    ac_json_close_object(json);
    ac_json_close_array(json);
    ac_json_close_object(json);
}

static void put_root(const gltf *g)
{
    double root[4] = {0, 0, 0, 1};
    /* from `up` to y, half-way */
    const double *up = g->animation->up;
    double q[4] = {-up[2], 0, up[0], 1 + up[1]}, size = sqrt(q[0] * q[0] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) root[k] = size > 1e-9 ? q[k] / size : k == 0;
    ac_json *json = g->json;
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", "actio");
    put_vector(json, "rotation", root, 4);
    ac_json_open_array(json, "children");
    for (int i = 0; i < g->animation->count; ++i)
        if (g->animation->parts[i].rings == 0) ac_json_integer(json, NULL, i + 1);
    for (int k = 0; k < g->joints; ++k) ac_json_integer(json, NULL, 1 + g->animation->count + k);
    ac_json_close_array(json);
    ac_json_close_object(json);
}

static void put_pose(ac_json *json, const double pose[AC_POSE_SIZE])
{
    put_vector(json, "translation", pose, 3);
    put_vector(json, "rotation", pose + 3, 4);
}

/* A part; the node of a skin has no pose, its joints have. */
static void put_part(ac_json *json, const ac_animation *animation, int i, const part_arrays *a)
{
    const ac_animation_part *part = &animation->parts[i];
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", part->name);
    ac_json_integer(json, "mesh", i);
    if (part->rings > 0)
        ac_json_integer(json, "skin", a->skin);
    else
        put_pose(json, part->poses);
    if (part->stretched) {
        const double scale[3] = {1, 1, ac_max(part->lengths[0], 1e-9 * animation->size)};
        put_vector(json, "scale", scale, 3);
    }
    ac_json_close_object(json);
}

static void put_nodes(const gltf *g, const part_arrays *arrays)
{
    const ac_animation *animation = g->animation;
    ac_json *json = g->json;
    ac_json_open_array(json, "nodes");
    put_root(g);
    for (int i = 0; i < animation->count; ++i) put_part(json, animation, i, &arrays[i]);
    for (int i = 0; i < animation->count; ++i) {
        for (int k = 0; k < animation->parts[i].rings; ++k) {
            ac_json_open_object(json, NULL);
            put_pose(json, animation->parts[i].ring_poses + AC_POSE_SIZE * k);
            ac_json_close_object(json);
        }
    }
    ac_json_close_array(json);
}

static void put_skins(const gltf *g, const part_arrays *arrays)
{
    ac_json *json = g->json;
    if (g->joints == 0) return;
    ac_json_open_array(json, "skins");
    for (int i = 0; i < g->animation->count; ++i) {
        int rings = g->animation->parts[i].rings;
        if (rings == 0) continue;
        ac_json_open_object(json, NULL);
        ac_json_integer(json, "inverseBindMatrices", arrays[i].matrices);
        ac_json_open_array(json, "joints");
        for (int k = 0; k < rings; ++k) ac_json_integer(json, NULL, arrays[i].first_joint + k);
        ac_json_close_array(json);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

static void put_channel(ac_json *json, int sampler, int node, const char *path)
{
    ac_json_open_object(json, NULL);
    ac_json_integer(json, "sampler", sampler);
    ac_json_open_object(json, "target");
    ac_json_integer(json, "node", node);
    ac_json_text(json, "path", path);
    ac_json_close_object(json);
    ac_json_close_object(json);
}

static void put_sampler(ac_json *json, int time, int output)
{
    ac_json_open_object(json, NULL);
    ac_json_integer(json, "input", time);
    ac_json_integer(json, "output", output);
    ac_json_close_object(json);
}

/* Samplers and channels come in the same order: place, turn, length of every part or joint. */
static void put_samplers(ac_json *json, const ac_animation *animation, const part_arrays *arrays, int time)
{
    ac_json_open_array(json, "samplers");
    for (int i = 0; i < animation->count; ++i) {
        int joints = animation->parts[i].rings > 0 ? animation->parts[i].rings : 1;
        for (int k = 0; k < joints; ++k) {
            put_sampler(json, time, arrays[i].places + 2 * k);
            put_sampler(json, time, arrays[i].turns + 2 * k);
        }
        if (animation->parts[i].stretched) put_sampler(json, time, arrays[i].lengths);
    }
    ac_json_close_array(json);
}

static void put_animation(ac_json *json, const ac_animation *animation, const part_arrays *arrays, int time)
{
    ac_json_open_array(json, "animations");
    ac_json_open_object(json, NULL);
    ac_json_text(json, "name", "motion");
    put_samplers(json, animation, arrays, time);
    ac_json_open_array(json, "channels");
    for (int i = 0, sampler = 0; i < animation->count; ++i) {
        const ac_animation_part *part = &animation->parts[i];
        int joints = part->rings > 0 ? part->rings : 1,
            first = part->rings > 0 ? arrays[i].first_joint : i + 1;
        for (int k = 0; k < joints; ++k) {
            put_channel(json, sampler++, first + k, "translation");
            put_channel(json, sampler++, first + k, "rotation");
        }
        if (part->stretched) put_channel(json, sampler++, i + 1, "scale");
    }
    ac_json_close_array(json);
    ac_json_close_object(json);
    ac_json_close_array(json);
}

static void put_arrays(const gltf *g)
{
    static const char *const types[MATRIX + 1] = {
        [1] = "SCALAR", [2] = "VEC2", [3] = "VEC3", [4] = "VEC4", [MATRIX] = "MAT4"};
    ac_json *json = g->json;
    ac_json_open_array(json, "bufferViews");
    for (int i = 0; i < g->count; ++i) {
        ac_json_open_object(json, NULL);
        ac_json_integer(json, "buffer", 0);
        ac_json_integer(json, "byteOffset", (long)g->accessors[i].place);
        ac_json_integer(json, "byteLength", (long)g->accessors[i].bytes);
        if (g->accessors[i].target) ac_json_integer(json, "target", g->accessors[i].target);
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
    ac_json_open_array(json, "accessors");
    for (int i = 0; i < g->count; ++i) {
        const accessor *a = &g->accessors[i];
        ac_json_open_object(json, NULL);
        ac_json_integer(json, "bufferView", i);
        ac_json_integer(json, "componentType", a->type);
        ac_json_integer(json, "count", a->count);
        ac_json_text(json, "type", types[a->components]);
        if (a->bounded) {
            put_vector(json, "min", a->low, a->components);
            put_vector(json, "max", a->high, a->components);
        }
        ac_json_close_object(json);
    }
    ac_json_close_array(json);
}

static void describe(gltf *g, part_arrays *arrays, int time)
{
    ac_json *json = g->json;
    const ac_animation *animation = g->animation;
    const char *title = ac_result_text(animation->motion.result, "title");
    ac_json_open_object(json, NULL);
    ac_json_open_object(json, "asset");
    ac_json_text(json, "version", "2.0");
    ac_json_text(json, "generator", "actio");
    ac_json_close_object(json);
    ac_json_integer(json, "scene", 0);
    ac_json_open_array(json, "scenes");
    ac_json_open_object(json, NULL);
    if (title && *title) ac_json_text(json, "name", title);
    ac_json_open_array(json, "nodes");
    ac_json_integer(json, NULL, 0);
    for (int i = 0; i < animation->count; ++i) /* skins hang on nothing but their joints */
        if (animation->parts[i].rings > 0) ac_json_integer(json, NULL, i + 1);
    ac_json_close_array(json);
    ac_json_close_object(json);
    ac_json_close_array(json);
    for (int i = 0, skins = 0; i < animation->count; ++i)
        if (animation->parts[i].rings > 0) arrays[i].skin = skins++;
    put_nodes(g, arrays);
    put_skins(g, arrays);
    ac_json_open_array(json, "meshes");
    for (int i = 0; i < animation->count; ++i) put_mesh(json, &animation->parts[i], &arrays[i]);
    ac_json_close_array(json);
    ac_json_open_array(json, "materials");
    for (int i = 0; i < AC_ANIMATION_COLOURS; ++i) put_material(json, ac_animation_palette[i]);
    put_material(json, ac_animation_link_colour);
    ac_json_close_array(json);
    if (animation->choice.count > 1) put_animation(json, animation, arrays, time);
    put_arrays(g);
}

/* ---- the file ---- */

static void put_word(FILE *out, uint32_t word)
{
    for (int k = 0; k < 4; ++k) fputc((int)(word >> (8 * k) & 255u), out);
}

static void put_padding(FILE *out, size_t length, int byte)
{
    for (size_t k = length; k % 4 != 0; ++k) fputc(byte, out);
}

static ac_status write_binary(const gltf *g, FILE *out)
{
    const char *text = NULL;
    ac_json_open_array(g->json, "buffers");
    ac_json_open_object(g->json, NULL);
    ac_json_integer(g->json, "byteLength", (long)g->numbers.length);
    ac_json_close_object(g->json);
    ac_json_close_array(g->json);
    ac_json_close_object(g->json);
    AC_TRY(ac_json_finish(g->json, &text));
    size_t length = strlen(text), padded = (length + 3) / 4 * 4, block = (g->numbers.length + 3) / 4 * 4;
    if (28 + padded + block > UINT32_MAX)
        return ac_fail(g->ctx, AC_BAD_INPUT, "the file would be too large; choose fewer frames");
    put_word(out, MAGIC);
    put_word(out, 2);
    put_word(out, (uint32_t)(28 + padded + block));
    put_word(out, (uint32_t)padded);
    put_word(out, CHUNK_JSON);
    fputs(text, out);
    put_padding(out, length, ' ');
    put_word(out, (uint32_t)block);
    put_word(out, CHUNK_BINARY);
    fwrite(g->numbers.bytes, 1, g->numbers.length, out);
    put_padding(out, g->numbers.length, 0);
    return AC_OK;
}

/* The buffer is the last member; its text is written past the JSON in memory. */
static ac_status write_text(const gltf *g, FILE *out)
{
    const char *text = NULL;
    AC_TRY(ac_json_finish(g->json, &text));
    fprintf(out, "%s, \"buffers\": [{\"byteLength\": %zu, \"uri\": \"data:application/octet-stream;base64,",
            text, g->numbers.length);
    ac_write_base64(out, g->numbers.bytes, g->numbers.length);
    fputs("\"}]}\n", out);
    return AC_OK;
}

static ac_status build(gltf *g, part_arrays *arrays, bool binary, const char *path)
{
    const ac_animation *animation = g->animation;
    int time = 0;
    AC_TRY(add_floats(g, animation->times, animation->choice.count, 1, BOUNDED, &time));
    for (int i = 0; i < animation->count; ++i) AC_TRY(add_part(g, &animation->parts[i], &arrays[i]));
    describe(g, arrays, time);
    ac_output_file file;
    AC_TRY(ac_output_open(g->ctx, path, &file));
    return ac_output_close(&file, binary ? write_binary(g, file.stream) : write_text(g, file.stream));
}

ac_status ac_export_gltf(ac_context *ctx, ac_result *result, const ac_report_window *window, bool binary,
                         const char *path)
{
    ac_animation animation;
    AC_TRY(ac_animation_make(ctx, result, window, FRAMES, &animation));
    gltf g = {.ctx = ctx, .animation = &animation, .numbers = {.ctx = ctx}};
    part_arrays *arrays = ac_allocate(ctx, (size_t)animation.count, sizeof *arrays);
    ac_status status = arrays ? ac_json_new(ctx, &g.json) : ac_out_of_memory(ctx);
    if (status == AC_OK) status = build(&g, arrays, binary, path);
    ac_json_free(g.json);
    ac_numbers_free(&g.numbers);
    ac_release(ctx, g.accessors);
    ac_release(ctx, arrays);
    ac_animation_free(&animation);
    return status;
}
