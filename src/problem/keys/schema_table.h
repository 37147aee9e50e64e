/* Short forms for the tables of the schema; for schema.c and schema_solids.c only. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_TABLE_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_TABLE_H

#include "problem/keys/schema.h"

#define COUNT(fields) ((int)(sizeof(fields) / sizeof *(fields)))
#define IN(type, member) .offset = offsetof(type, member)

#define FORM_ROTATION "rotation vector, {axis, angle}, or 3 rows"

#endif
