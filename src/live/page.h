/* The live page, built from viewer/ and carried inside the library. */
#ifndef ACTIO_LIVE_PAGE_H
#define ACTIO_LIVE_PAGE_H

#include <stddef.h>

extern const unsigned char ac_live_page[];
extern const size_t ac_live_page_size;

#endif
