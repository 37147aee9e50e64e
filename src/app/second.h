/* Second derivatives by parameters in the verb gradient; see second.c. */
#ifndef ACTIO_APP_SECOND_H
#define ACTIO_APP_SECOND_H

#include "app/app.h"

typedef struct app_second {
    int count; /* parameters; 0: second derivatives are not asked for */
    bool along_gradient, wants_hessian, compared;
    double *direction, *product, *differences; /* per parameter */
    double *hessian;                           /* row by row */
    double slope, curvature, hessian_error;
    double error,
        hessian_off; /* of the curvature, of the Hessian: about how far differences of data may be off */
    double against_differences; /* of the product, beside its size */
    char refusal[200];          /* why the options make no sense; "": they do */
} app_second;

bool app_second_asked(const app_arguments *arguments);
/* Along the gradient, or along the direction given; after the gradient was found. */
ac_status app_second_find(const app_arguments *arguments, ac_gradient *gradient, app_second *second);
void app_second_free(app_second *second);
void app_second_print(const ac_gradient *gradient, const app_second *second);
void app_second_put_json(ac_json *json, const ac_gradient *gradient, const app_second *second);
ac_status app_second_put_result(ac_result_writer *writer, const ac_gradient *gradient,
                                const app_second *second);

#endif
