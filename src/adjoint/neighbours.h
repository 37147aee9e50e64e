/* Derivatives from systems at neighbouring values of a parameter; see neighbours.c. */
#ifndef ACTIO_ADJOINT_NEIGHBOURS_H
#define ACTIO_ADJOINT_NEIGHBOURS_H

#include "adjoint/parameters.h"

ac_status ac_neighbour_numbers(ac_adjoint *adjoint, int parameter, ac_number_changes *to);
void ac_neighbour_start(const ac_adjoint *adjoint, int parameter, double *q, double *v);
bool ac_neighbour_load_varies(const ac_adjoint *adjoint, int parameter, int input);
double ac_neighbour_load(const ac_adjoint *adjoint, int parameter, int input, double t);

#endif
