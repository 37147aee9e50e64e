/* The named parameters of a problem file, as the reader keeps them. */
#ifndef ACTIO_PROBLEM_TEXT_READER_PARAMETERS_H
#define ACTIO_PROBLEM_TEXT_READER_PARAMETERS_H

#include "problem/text/reader.h"

typedef enum parameter_state { PARAMETER_NEW, PARAMETER_OPEN, PARAMETER_DONE } parameter_state;

typedef struct ac_named_number {
    const ac_value *value;
    double number;
    parameter_state state;
    bool is_free, depends; /* depends: on a free one, or is free itself */
    int node;              /* once it was asked for; 0: not yet, or it does not depend */
    bool wanted;           /* a free one whose values are set */
    int waits_for;         /* while open: the parameter it needs first */
} ac_named_number;

#endif
