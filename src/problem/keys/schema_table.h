/* Short forms for the tables of the schema. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_TABLE_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_TABLE_H

#include "problem/keys/schema.h"

#define COUNT(fields) ((int)(sizeof(fields) / sizeof *(fields)))
#define FIELDS(list) .fields = (list), .count = COUNT(list)
#define IN(type, member) .offset = offsetof(type, member)

/* The default of a number or count: the reference states it, and the reader fills it in where the key is absent. */
#define BY_DEFAULT(number)                                  \
    .standard = #number, .standard_value = (const double[]) \
    {                                                       \
        number                                              \
    }

/* Defaults that a structure of settings holds: how it is filled, then one function for each number of it. */
#define DEFAULTS(type, ...)    \
    static type defaults(void) \
    {                          \
        type settings;         \
        __VA_ARGS__;           \
        return settings;       \
    }
#define DEFAULT_OF(name, member)          \
    static double default_##name(void)    \
    {                                     \
        return (double)defaults().member; \
    }

#define FORM_ROTATION "rotation vector, {axis, angle}, or 3 rows"

#define REPEAT(type)                                                                \
    {                                                                               \
        "repeat", AC_FIELD_COUNT, IN(type, repeat),                                 \
            .least = 1, .most = AC_REPEAT_MAX, .standard = "one entry",             \
            .about = "make this many copies, with `i` = 1, 2, ... (see Repetition)" \
    }

#endif
