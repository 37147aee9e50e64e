/* Short forms for the tables of the schema; for schema.c and schema_solids.c only. */
#ifndef ACTIO_IO_SCHEMA_TABLE_H
#define ACTIO_IO_SCHEMA_TABLE_H

#include "io/schema.h"

#define COUNT(fields) ((int)(sizeof(fields) / sizeof *(fields)))
#define IN(type, member) .offset = offsetof(type, member)

#define FORM_ROTATION "rotation vector, {axis, angle}, or 3 rows"

#endif
