/* Quadratic maps: building and evaluating. */
#include "base/forms.h"

#include <string.h>

void ac_affine_add(ac_affine *sum, int index, double coefficient)
{
    if (coefficient == 0.0) return;
    for (int k = 0; k < sum->count; ++k) {
        if (sum->index[k] == index) {
            sum->coefficient[k] += coefficient;
            return;
        }
    }
    sum->index[sum->count] = index;
    sum->coefficient[sum->count++] = coefficient;
}

ac_affine3 ac_affine_difference(const ac_affine3 *a, const ac_affine3 *b)
{
    ac_affine3 out = *a;
    for (int i = 0; i < 3; ++i) {
        const ac_affine *minus = &b->part[i];
        out.part[i].constant -= minus->constant;
        for (int k = 0; k < minus->count; ++k)
            ac_affine_add(&out.part[i], minus->index[k], -minus->coefficient[k]);
    }
    return out;
}

void ac_forms_free(ac_context *ctx, ac_forms *forms)
{
    ac_release(ctx, forms->product_start);
    ac_release(ctx, forms->linear_start);
    ac_release(ctx, forms->constant);
    ac_release(ctx, forms->products);
    ac_release(ctx, forms->linears);
    memset(forms, 0, sizeof *forms);
}

ac_status ac_forms_begin(ac_context *ctx, ac_forms *forms, double constant)
{
    int k = forms->count;
    AC_TRY(ac_grow(ctx, (void **)&forms->product_start, &forms->start_capacity[0], k + 2, sizeof(int)));
    AC_TRY(ac_grow(ctx, (void **)&forms->linear_start, &forms->start_capacity[1], k + 2, sizeof(int)));
    AC_TRY(ac_grow(ctx, (void **)&forms->constant, &forms->capacity, k + 1, sizeof(double)));
    forms->constant[k] = constant;
    forms->product_start[k + 1] = forms->product_start[k];
    forms->linear_start[k + 1] = forms->linear_start[k];
    forms->count = k + 1;
    return AC_OK;
}

ac_status ac_forms_add_product(ac_context *ctx, ac_forms *forms, int i, int j, double a)
{
    if (a == 0.0) return AC_OK;
    int k = forms->count - 1;
    for (int e = forms->product_start[k]; e < forms->product_start[k + 1]; ++e) {
        ac_product *p = &forms->products[e];
        if ((p->i == i && p->j == j) || (p->i == j && p->j == i)) {
            p->a += a;
            return AC_OK;
        }
    }
    int end = forms->product_start[k + 1];
    AC_TRY(ac_grow(ctx, (void **)&forms->products, &forms->product_capacity, end + 1, sizeof(ac_product)));
    forms->products[end] = (ac_product){i, j, a};
    forms->product_start[k + 1] = end + 1;
    return AC_OK;
}

ac_status ac_forms_add_linear(ac_context *ctx, ac_forms *forms, int i, double b)
{
    if (b == 0.0) return AC_OK;
    int k = forms->count - 1;
    for (int e = forms->linear_start[k]; e < forms->linear_start[k + 1]; ++e) {
        if (forms->linears[e].i == i) {
            forms->linears[e].b += b;
            return AC_OK;
        }
    }
    int end = forms->linear_start[k + 1];
    AC_TRY(ac_grow(ctx, (void **)&forms->linears, &forms->linear_capacity, end + 1, sizeof(ac_linear)));
    forms->linears[end] = (ac_linear){i, b};
    forms->linear_start[k + 1] = end + 1;
    return AC_OK;
}

ac_status ac_forms_add_affine(ac_context *ctx, ac_forms *forms, const ac_affine *s, double factor)
{
    forms->constant[forms->count - 1] += factor * s->constant;
    for (int k = 0; k < s->count; ++k) {
        AC_TRY(ac_forms_add_linear(ctx, forms, s->index[k], factor * s->coefficient[k]));
    }
    return AC_OK;
}

ac_status ac_forms_add_affine_product(ac_context *ctx, ac_forms *forms, const ac_affine *r,
                                      const ac_affine *s, double factor)
{
    ac_affine linear_part = *s;
    linear_part.constant = 0.0;
    AC_TRY(ac_forms_add_affine(ctx, forms, &linear_part, factor * r->constant));
    AC_TRY(ac_forms_add_affine(ctx, forms, r, factor * s->constant));
    for (int a = 0; a < r->count; ++a) {
        for (int b = 0; b < s->count; ++b) {
            double product = factor * r->coefficient[a] * s->coefficient[b];
            AC_TRY(ac_forms_add_product(ctx, forms, r->index[a], s->index[b], product));
        }
    }
    return AC_OK;
}

ac_status ac_forms_add_dot(ac_context *ctx, ac_forms *forms, const ac_affine3 *u, const ac_affine3 *v,
                           double factor)
{
    for (int i = 0; i < 3; ++i) {
        AC_TRY(ac_forms_add_affine_product(ctx, forms, &u->part[i], &v->part[i], factor));
    }
    return AC_OK;
}

double ac_form_value(const ac_forms *forms, int k, const double *x)
{
    double value = forms->constant[k];
    for (int e = forms->linear_start[k]; e < forms->linear_start[k + 1]; ++e) {
        value += forms->linears[e].b * x[forms->linears[e].i];
    }
    for (int e = forms->product_start[k]; e < forms->product_start[k + 1]; ++e) {
        const ac_product *p = &forms->products[e];
        value += p->a * x[p->i] * x[p->j];
    }
    return value;
}

void ac_form_add_gradient(const ac_forms *forms, int k, const double *x, double factor, double *gradient)
{
    for (int e = forms->linear_start[k]; e < forms->linear_start[k + 1]; ++e) {
        gradient[forms->linears[e].i] += factor * forms->linears[e].b;
    }
    for (int e = forms->product_start[k]; e < forms->product_start[k + 1]; ++e) {
        const ac_product *p = &forms->products[e];
        double a = factor * p->a;
        gradient[p->i] += a * x[p->j];
        gradient[p->j] += a * x[p->i];
    }
}

void ac_form_add_hessian(const ac_forms *forms, int k, double factor, int n, double *matrix)
{
    for (int e = forms->product_start[k]; e < forms->product_start[k + 1]; ++e) {
        const ac_product *p = &forms->products[e];
        matrix[p->i * n + p->j] += factor * p->a;
        matrix[p->j * n + p->i] += factor * p->a;
    }
}
