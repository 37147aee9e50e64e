/* The page without its data, built from viewer/ and carried inside the library. */
#ifndef ACTIO_SHOW_REPORT_PAGE_H
#define ACTIO_SHOW_REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char ac_report_page[];
extern const size_t ac_report_page_size;

#endif
