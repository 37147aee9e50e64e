/* A font of strokes, for pictures made of pixels. */
#ifndef ACTIO_SHOW_PLOT_FONT_H
#define ACTIO_SHOW_PLOT_FONT_H

#include <stdbool.h>

/* The next letter of a UTF-8 text: moves `*text` behind it. */
typedef struct ac_glyph {
    const char *strokes;  /* pairs of column '0'.. and height 'a'..; a space lifts the pen */
    double width;         /* to the next letter, in columns */
    double scale, raised; /* small and raised for powers */
} ac_glyph;

ac_glyph ac_font_next(const char **text);
/* Width of a text whose letters have this size. */
double ac_font_width(const char *text, double size);

/* A column and a line of the font, as shares of the size of the letters. */
#define AC_FONT_COLUMN 0.088
#define AC_FONT_LINE 0.12
/* The height 'c' is the base line. */
enum { AC_FONT_BASE = 'c' };

#endif
