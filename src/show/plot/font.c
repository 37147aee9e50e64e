/* A font of strokes: letters are six lines high above the base line and two below it. */
#include "show/plot/font.h"

#include <string.h>

enum { FIRST = ' ', LAST = '~', GAP = 2 };

/* Width, then the strokes. */
static const char *const glyphs[LAST - FIRST + 1] = {
    "3", "10i0e 0c0c", "20i0g 2i2g", "41c1i 3c3i 0e4e 0g4g", "44h3h1h0g1f3f4e3d1d0d 2i2c",
    "40c4i 1i0h1g2h1i 3e2d3c4d3e", "44c0g0h1i2h2g0e0d1c2c4e", "10i0g", "22i0g0d2b", "20i2g2d0b",
    "42h2d 0g4e 0e4g", "42h2d 0f4f", "11d1c0b", "30f3f", "10c0c", "30b3i",
    /* 0 to 9 */
    "41c0d0h1i3i4h4d3c1c", "41h2i2c 1c3c", "40h1i3i4h4g0c4c", "40h1i3i4h4g3f2f 3f4e4d3c1c0d", "43c3i0e4e",
    "44i1i0f1g3g4f4d3c1c0d", "44h3i1i0h0d1c3c4d4e3f1f0e", "40i4i1c", "41f0g0h1i3i4h4g3f1f0e0d1c3c4d4e3f",
    "44g3f1f0g0h1i3i4h4d3c1c0d",
    /* : to @ */
    "10f0f 0c0c", "11f1f 1d1c0b", "33h0f3d", "40g4g 0e4e", "30h3f0d", "40h1i3i4h4g2f2e 2c2c",
    "54e3d2e2f3g4f4d5e5g3i1h0f1d3c4c",
    /* A to Z */
    "40c2i4c 1e3e", "40c0i3i4h4g3f0f 3f4e4d3c0c", "44h3i1i0h0d1c3c4d", "40c0i2i4g4e2c0c", "44i0i0c4c 0f3f",
    "44i0i0c 0f3f", "44h3i1i0h0d1c3c4d4f2f", "40c0i 4c4i 0f4f", "20i2i 1i1c 0c2c", "44i4d3c1c0d",
    "40c0i 4i0f4c", "40i0c4c", "60c0i3e6i6c", "40c0i4c4i", "51c0d0h1i4i5h5d4c1c", "40c0i3i4h4g3f0f",
    "51c0d0h1i4i5h5d4c1c 3e5c", "40c0i3i4h4g3f0f 2f4c", "44h3i1i0h0g1f3f4e4d3c1c0d", "40i4i 2i2c",
    "40i0d1c3c4d4i", "40i2c4i", "60i1c3g5c6i", "40c4i 0i4c", "40i2f4i 2f2c", "40i4i0c4c",
    /* [ to ` */
    "22i0i0b2b", "30i3b", "20i2i2b0b", "40g2i4g", "40b4b", "20i2g",
    /* a to z */
    "40f1g3g4f4c 4e1e0d1c3c4d", "40i0c 0d1c3c4d4f3g1g0f", "44f3g1g0f0d1c3c4d", "44i4c 4d3c1c0d0f1g3g4f",
    "40e4e4f3g1g0f0d1c3c4d", "33i2i1h1c 0g3g", "44g4b3a1a0b 4d3c1c0d0f1g3g4f", "40i0c 0f1g3g4f4c",
    "10g0c 0i0i", "21g1b0a 1i1i", "40i0c 3g0e4c", "10i0c", "60g0c 0f1g2g3f3c 3f4g5g6f6c", "40g0c 0f1g3g4f4c",
    "41c0d0f1g3g4f4d3c1c", "40g0a 0d1c3c4d4f3g1g0f", "44g4a 4d3c1c0d0f1g3g4f", "30g0c 0f1g3g",
    "44f3g1g0f1e3e4d3c1c0d", "31i1d2c3c 0g3g", "40g0d1c3c4d 4g4c", "40g2c4g", "60g1c3f5c6g", "40c4g 0g4c",
    "40g2c 4g1a0a", "40g4g0c4c",
    /* { to ~ */
    "33i2i1h1g0f1e1c2b3b", "10i0b", "30i1i2h2g3f2e2c1b0b", "40f1g3e4f"};

static const char unknown[] = "40c0i4i4c0c";

/* The code of the next character; a byte that is not UTF-8 counts as one character. */
static unsigned long next_code(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int more = s[0] >= 0xF0 ? 3 : s[0] >= 0xE0 ? 2 : s[0] >= 0xC0 ? 1 : 0;
    unsigned long code = more ? s[0] & (0x3Fu >> more) : s[0];
    *text += 1;
    for (int i = 0; i < more && ((unsigned char)**text & 0xC0) == 0x80; ++i) {
        code = code << 6 | ((unsigned char)**text & 0x3F);
        *text += 1;
    }
    return code;
}

static int raised_digit(unsigned long code)
{
    if (code == 0xB2 || code == 0xB3) return (int)(code - 0xB0);
    if (code == 0xB9) return 1;
    return code >= 0x2070 && code <= 0x2079 ? (int)(code - 0x2070) : -1;
}

ac_glyph ac_font_next(const char **text)
{
    unsigned long code = next_code(text);
    int digit = raised_digit(code);
    const char *strokes = unknown;
    ac_glyph glyph = {.scale = 1};
    if (code == 0x2212) code = '-';
    if (code == 0xB7) code = '.';
    if (code == 0xB5 || code == 0x3BC) code = 'u';
    if (digit >= 0) {
        glyph.scale = 0.62;
        glyph.raised = 3;
        code = '0' + (unsigned long)digit;
    }
    if (code >= FIRST && code <= LAST) strokes = glyphs[code - FIRST];
    glyph.width = (strokes[0] - '0' + GAP) * glyph.scale;
    glyph.strokes = strokes + 1;
    return glyph;
}

double ac_font_width(const char *text, double size)
{
    double columns = 0;
    while (*text) columns += ac_font_next(&text).width;
    return columns * size * AC_FONT_COLUMN;
}
