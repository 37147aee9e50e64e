/* What a functional has that depends on parameters, as nodes: numbers of its quantities (directions, axes, shapes, places that momenta
 * are about, signals) and places of the forces of its controls. They are kept while values.c reads a functional for derivatives, and
 * nothing else follows them. */
#ifndef ACTIO_PROBLEM_BUILD_FUNCTIONAL_H
#define ACTIO_PROBLEM_BUILD_FUNCTIONAL_H

#include <stddef.h>

#include "actio/optimize.h"
#include "problem/build/build.h"
#include "problem/build/parameters.h"

typedef enum ac_functional_part {
    AC_PART_NUMBER, /* of an ac_quantity: at is its place there */
    AC_PART_SIGNAL, /* the whole signal, an expression of t */
    AC_PART_TIME,   /* of point `at` of a signal that is a table */
    AC_PART_POINT,  /* its value */
    AC_PART_CONTROL /* component `at` of the place of a force */
} ac_functional_part;

typedef struct ac_functional_number {
    ac_functional_part part;
    int object; /* quantity or control, by its number */
    size_t at;
    int node;
    struct ac_functional_number *next;
} ac_functional_number;

typedef struct ac_functional_quantity { /* as it was read */
    int number;
    ac_quantity quantity;
    struct ac_functional_quantity *next;
} ac_functional_quantity;

typedef struct ac_functional_numbers {
    ac_functional_number *first;
    ac_functional_quantity *quantities;
} ac_functional_numbers;

/* Keeps a node (0: it does not depend), unless nothing is followed. */
ac_status ac_keep_functional_number(ac_builder *builder, ac_functional_part part, int object, size_t at,
                                    int node);
/* quantity_numbers.c: keeps what depends of a quantity that was read from an entry. */
ac_status ac_follow_quantity(ac_builder *builder, const ac_value *entry, const ac_quantity *quantity,
                             int number);
/* shape/hulls.c: the same of shape k of a clearance. */
ac_status ac_follow_hull(ac_builder *builder, const ac_value *entry, const ac_hull *hull, int number, int k);
/* Components of a list of numbers in a quantity, from `at` on. */
ac_status ac_keep_numbers(ac_builder *builder, int number, size_t at, const ac_num *numbers, int count);

#endif
