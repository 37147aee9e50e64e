/* The table of terms of the action; nothing else is in this file, so that a program may bring a longer one. The kinds of elements
 * are in kinds.c. */
#include "action/term.h"

extern const ac_term ac_term_inertia, ac_term_gravity, ac_term_elements, ac_term_inputs;

const ac_term *const ac_terms[] = {
    &ac_term_inertia, &ac_term_gravity, &ac_term_elements, &ac_term_inputs, NULL,
};
