/* PNG files (ISO/IEC 15948), without a library.
 *
 * Each row is stored as its difference from the row above (filter "up"), which makes plots almost all zeros,
 * and the bytes are compressed as runs: deflate (RFC 1951) with its fixed code and repetitions of the last
 * byte only.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "result/output_file.h"
#include "show/plot/picture.h"

enum { RUN_MOST = 258, RUN_LEAST = 4, FILTER_UP = 2 };

typedef struct packer {
    unsigned char *bytes;
    size_t length;
    uint32_t bits; /* not yet written, the lowest first */
    int count;
} packer;

static void put_bits(packer *p, uint32_t bits, int count)
{
    p->bits |= bits << p->count;
    p->count += count;
    while (p->count >= 8) {
        p->bytes[p->length++] = (unsigned char)p->bits;
        p->bits >>= 8;
        p->count -= 8;
    }
}

/* Codes are written with their highest bit first. */
static void put_code(packer *p, uint32_t code, int count)
{
    for (int k = count - 1; k >= 0; --k) put_bits(p, code >> k & 1, 1);
}

static void put_symbol(packer *p, unsigned symbol)
{
    if (symbol < 144)
        put_code(p, 0x30 + symbol, 8);
    else if (symbol < 256)
        put_code(p, 0x190 + symbol - 144, 9);
    else if (symbol < 280)
        put_code(p, symbol - 256, 7);
    else
        put_code(p, 0xC0 + symbol - 280, 8);
}

/* A repetition of the last byte: length code with its extra bits, distance 1. */
static void put_run(packer *p, unsigned length)
{
    static const unsigned short base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                          31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    int code = 28;
    while (base[code] > length) --code;
    int extra = code < 8 || code == 28 ? 0 : (code - 4) / 4;
    put_symbol(p, 257 + (unsigned)code);
    put_bits(p, length - base[code], extra);
    put_code(p, 0, 5);
}

static uint32_t adler(const unsigned char *bytes, size_t length)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < length; ++i) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void put_word(unsigned char *to, uint32_t word)
{
    for (int k = 0; k < 4; ++k) to[k] = (unsigned char)(word >> (24 - 8 * k));
}

/* A zlib stream; `out` has room for a little more than `length` * 9/8. */
static size_t compress(const unsigned char *bytes, size_t length, unsigned char *out)
{
    packer p = {.bytes = out};
    put_bits(&p, 0x0178, 16);
    put_bits(&p, 3, 3); /* the last block, fixed code */
    for (size_t i = 0; i < length;) {
        put_symbol(&p, bytes[i]);
        size_t run = 0;
        while (run < RUN_MOST && i + 1 + run < length && bytes[i + 1 + run] == bytes[i]) ++run;
        if (run >= RUN_LEAST)
            put_run(&p, (unsigned)run);
        else
            run = 0;
        i += 1 + run;
    }
    put_symbol(&p, 256);
    put_bits(&p, 0, 7); /* up to the next byte */
    put_word(out + p.length, adler(bytes, length));
    return p.length + 4;
}

static uint32_t crc(uint32_t sum, const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        sum ^= bytes[i];
        for (int k = 0; k < 8; ++k) sum = sum & 1 ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
    }
    return sum;
}

static void put_chunk(FILE *out, const char *type, const unsigned char *bytes, size_t length)
{
    unsigned char word[4];
    put_word(word, (uint32_t)length);
    fwrite(word, 1, 4, out);
    fwrite(type, 1, 4, out);
    fwrite(bytes, 1, length, out);
    put_word(word, ~crc(crc(~0u, (const unsigned char *)type, 4), bytes, length));
    fwrite(word, 1, 4, out);
}

static void filter_rows(const ac_picture *p, unsigned char *out)
{
    size_t width = 3 * (size_t)p->width;
    for (int y = 0; y < p->height; ++y) {
        const unsigned char *row = p->pixels + (size_t)y * width;
        *out++ = FILTER_UP;
        for (size_t x = 0; x < width; ++x) *out++ = (unsigned char)(row[x] - (y > 0 ? row[x - width] : 0));
    }
}

ac_status ac_picture_write_png(const ac_picture *p, const char *path)
{
    size_t raw = (3 * (size_t)p->width + 1) * (size_t)p->height;
    unsigned char *rows, *packed, header[13] = {0};
    AC_NEW(p->ctx, rows, raw);
    packed = ac_allocate(p->ctx, raw + raw / 4 + 64, 1);
    ac_output_file file;
    ac_status status = packed ? ac_output_open(p->ctx, path, &file) : ac_out_of_memory(p->ctx);
    if (status == AC_OK) {
        put_word(header, (uint32_t)p->width);
        put_word(header + 4, (uint32_t)p->height);
        header[8] = 8;
        header[9] = 2; /* red, green, blue */
        filter_rows(p, rows);
        fwrite("\x89PNG\r\n\x1a\n", 1, 8, file.stream);
        put_chunk(file.stream, "IHDR", header, sizeof header);
        put_chunk(file.stream, "IDAT", packed, compress(rows, raw, packed));
        put_chunk(file.stream, "IEND", header, 0);
        status = ac_output_close(&file, AC_OK);
    }
    ac_release(p->ctx, rows);
    ac_release(p->ctx, packed);
    return status;
}
