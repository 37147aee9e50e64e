/* The pieces of which beams are built: quadrature, shape functions, values along the beam, masses. */
#ifndef ACTIO_MODEL_BEAM_BEAM_H
#define ACTIO_MODEL_BEAM_BEAM_H

#include "actio/beam.h"
#include "model/system.h"

enum { AC_GAUSS_MAX = AC_BEAM_ORDER_MAX + 1 };

/* Gauss-Legendre quadrature on [-1, 1] with 1 to 3 points. */
typedef struct ac_gauss {
    int count;
    double at[AC_GAUSS_MAX], weight[AC_GAUSS_MAX];
} ac_gauss;

const ac_gauss *ac_gauss_rule(int points);
/* Lagrange polynomials through order + 1 equally spaced nodes on [-1, 1], and their derivatives. */
void ac_beam_shapes(int order, double xi, double N[AC_ELEMENT_NODES], double dN[AC_ELEMENT_NODES]);

const char *ac_beam_name(const ac_beam *beam);
/* Stiffness and inertia at the share s of the length, all positive. */
ac_status ac_beam_values_at(ac_system *system, const ac_beam *beam, double s, ac_beam_values *values);

/* One element while the beam is built. */
typedef struct ac_beam_span {
    int number;      /* in the beam */
    int node, order; /* its nodes are node, ..., node + order */
    double length;
    double stretch[AC_GAUSS_MAX]; /* length per unit of xi at the points of the mass quadrature */
    double from, to;              /* shares of the beam's length */
} ac_beam_span;

/* The share of the beam's length at xi, from -1 to 1 along the element. */
double ac_beam_share(const ac_beam_span *span, double xi);
/* Length of an element of order 2: of the given curve, or its share of the rest length. */
ac_status ac_high_element_measure(ac_system *system, const ac_beam *beam, int k, ac_beam_span *span);
/* Its strain points: weights, shape functions, stiffness, reference strains. */
ac_status ac_high_element_fill(ac_system *system, const ac_beam *beam, const ac_beam_span *span,
                               ac_high_element *element);
/* mass.c: consistent mass of an element by quadrature, for values that change along it or order > 1. */
ac_status ac_beam_add_masses(ac_system *system, const ac_beam *beam, const ac_beam_span *span, double *mass);
/* Masses of an element of order 1; `values` are those of its middle. */
ac_status ac_beam_add_element_masses(ac_system *system, const ac_beam *beam, const ac_beam_span *span,
                                     const ac_beam_element *element, const ac_beam_values *values,
                                     double *mass);

enum { AC_BEAM_STRAINS = 6 };

/* energy.c: an energy with parameters: names behind its own variables. Is a word one of those? */
ac_status ac_beam_energy_parse_named(ac_context *ctx, ac_beam_energy kind, const char *text,
                                     const char *const *names, int count, int *column,
                                     ac_expression **expression);
bool ac_beam_energy_variable(ac_beam_energy kind, const char *word);
/* As ac_beam_energy_stiffness, and its derivative along changes of the parameters. */
ac_status ac_named_energy_stiffness(ac_context *ctx, const ac_expression *energy, int names,
                                    const double *values, double s, double stiffness[6]);
void ac_beam_energy_stiffness_slope(const ac_expression *energy, int names, const double *values, double s,
                                    const double *by_names, double slope[6]);
/* As ac_system_add_beam_energy. */
ac_status ac_system_add_named_energy(ac_system *system, int beam, ac_beam_energy kind,
                                     const ac_expression *whole, int names, const double *values);

#endif
