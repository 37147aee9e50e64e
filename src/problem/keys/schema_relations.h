/* Keys of prescribed motion and couplings. */
#ifndef ACTIO_PROBLEM_KEYS_SCHEMA_RELATIONS_H
#define ACTIO_PROBLEM_KEYS_SCHEMA_RELATIONS_H

#include "problem/keys/schema.h"

typedef struct ac_prescribed_input {
    const ac_value *coordinate[AC_COORDINATE_WORDS], *rate[AC_COORDINATE_WORDS]; /* as ac_coordinate_words */
} ac_prescribed_input;

typedef struct ac_coupling_input {
    const ac_value *sum, *equals;
    ac_given_word name;
    ac_given_count repeat;
} ac_coupling_input;

extern const ac_section ac_section_prescribed, ac_section_coupling;

#endif
