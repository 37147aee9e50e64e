/* The table of kinds of elements; nothing else is in this file, so that a program may bring a longer one. */
#include "action/element.h"

extern const ac_element_kind ac_element_spring, ac_element_beam, ac_element_high_beam, ac_element_dual_beam,
    ac_element_function;

const ac_element_kind *const ac_element_kinds[] = {
    &ac_element_spring,    &ac_element_beam,     &ac_element_high_beam,
    &ac_element_dual_beam, &ac_element_function, NULL,
};
