/* Quadratic maps: kappa_k(x) = sum a x_i x_j + sum b x_i + c on the few coordinates that each touches.
 *
 * In redundant coordinates every constraint, strain, length and gap is such a map, so this one kernel gives
 * exact values, gradients and second derivatives to all of them. A pair (i, j) with i != j stands in the list
 * once.
 */
#ifndef ACTIO_BASE_FORMS_H
#define ACTIO_BASE_FORMS_H

#include "base/base.h"

typedef struct ac_product {
    int i, j;
    double a;
} ac_product;

typedef struct ac_linear {
    int i;
    double b;
} ac_linear;

/* A list of maps; map k owns products[product_start[k]..product_start[k + 1]) and linears likewise. */
typedef struct ac_forms {
    int count, capacity;
    int *product_start, *linear_start;
    double *constant;
    int product_capacity, linear_capacity;
    ac_product *products;
    ac_linear *linears;
    int start_capacity[2];
} ac_forms;

/* A scalar that is affine in the coordinates, for building: constant + sum coefficient x_index. */
enum { AC_AFFINE_MAX = 12 };
typedef struct ac_affine {
    int count;
    int index[AC_AFFINE_MAX];
    double coefficient[AC_AFFINE_MAX];
    double constant;
} ac_affine;

/* Three of them: a vector that is affine in the coordinates. */
typedef struct ac_affine3 {
    ac_affine part[3];
} ac_affine3;

void ac_affine_add(ac_affine *sum, int index, double coefficient);
/* out = a - b */
ac_affine3 ac_affine_difference(const ac_affine3 *a, const ac_affine3 *b);

void ac_forms_free(ac_context *ctx, ac_forms *forms);
/* Starts a new map with the given constant; terms are then added to this last map. */
ac_status ac_forms_begin(ac_context *ctx, ac_forms *forms, double constant);
ac_status ac_forms_add_product(ac_context *ctx, ac_forms *forms, int i, int j, double a);
ac_status ac_forms_add_linear(ac_context *ctx, ac_forms *forms, int i, double b);
/* Adds factor * s, factor * r s, factor * u.v to the last map. */
ac_status ac_forms_add_affine(ac_context *ctx, ac_forms *forms, const ac_affine *s, double factor);
ac_status ac_forms_add_affine_product(ac_context *ctx, ac_forms *forms, const ac_affine *r,
                                      const ac_affine *s, double factor);
ac_status ac_forms_add_dot(ac_context *ctx, ac_forms *forms, const ac_affine3 *u, const ac_affine3 *v,
                           double factor);

/* The value of map k at x. */
double ac_form_value(const ac_forms *forms, int k, const double *x);
/* gradient += factor * d kappa_k / dx */
void ac_form_add_gradient(const ac_forms *forms, int k, const double *x, double factor, double *gradient);
/* matrix (size n, row by row) += factor * second derivative of map k */
void ac_form_add_hessian(const ac_forms *forms, int k, double factor, int n, double *matrix);

#endif
