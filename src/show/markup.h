/* Text inside HTML and XML. */
#ifndef ACTIO_SHOW_MARKUP_H
#define ACTIO_SHOW_MARKUP_H

#include <stdio.h>

/* Writes the text with its marks escaped, as content or between double quotes. */
static inline void ac_put_markup(FILE *out, const char *text)
{
    for (; *text; ++text) {
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*text, out);
        }
    }
}

#endif
