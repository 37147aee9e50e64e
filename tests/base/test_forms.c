/* Quadratic maps: gradients and second derivatives against differences (exact for quadratics), and building.
 */
#include "base/forms.h"

#include "support/numeric.h"
#include "test.h"

enum { N = 7 };

typedef struct one_form {
    const ac_forms *forms;
    int k;
} one_form;

static void value(void *user, const double *x, double *y)
{
    const one_form *f = user;
    y[0] = ac_form_value(f->forms, f->k, x);
}

static void gradient(void *user, const double *x, double *y)
{
    const one_form *f = user;
    memset(y, 0, N * sizeof *y);
    ac_form_add_gradient(f->forms, f->k, x, 1.0, y);
}

TEST(derivatives)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_forms forms = {0};
    dice d = {1};
    for (int k = 0; k < 5; ++k) {
        CHECK(ac_forms_begin(ctx, &forms, dice_between(&d, -1, 1)) == AC_OK);
        for (int e = 0; e < 12; ++e) {
            int i = (int)dice_between(&d, 0, N), j = (int)dice_between(&d, 0, N);
            CHECK(ac_forms_add_product(ctx, &forms, i, j, dice_between(&d, -2, 2)) == AC_OK);
            CHECK(ac_forms_add_linear(ctx, &forms, i, dice_between(&d, -2, 2)) == AC_OK);
        }
    }
    for (int k = 0; k < 5; ++k) {
        one_form f = {&forms, k};
        double x[N], g[N], H[N * N] = {0}, twice[N];
        dice_vector(&d, N, 1.5, x);
        gradient(&f, x, g);
        ac_form_add_hessian(&forms, k, 1.0, N, H);
        CHECK_NEAR(jacobian_error(value, &f, N, 1, x, g), 0.0, 1e-12);
        CHECK_NEAR(jacobian_error(gradient, &f, N, N, x, H), 0.0, 1e-12);
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j) CHECK(H[i * N + j] == H[j * N + i]);
        memcpy(twice, g, sizeof g);
        ac_form_add_gradient(&forms, k, x, -1.0, twice); /* it adds, with its factor */
        CHECK_NEAR(largest_entry(N, twice), 0.0, 1e-14);
    }
    ac_forms_free(ctx, &forms);
    ac_context_free(ctx);
}

/* Products of affine functions with constants: (1 + 2 x0)(3 x1 - 4) and a scalar product, evaluated by hand.
 */
TEST(products_of_affine_functions)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_forms forms = {0};
    ac_affine r = {.constant = 1.0}, s = {.constant = -4.0};
    ac_affine_add(&r, 0, 2.0);
    ac_affine_add(&s, 1, 3.0);
    CHECK(ac_forms_begin(ctx, &forms, 0.5) == AC_OK);
    CHECK(ac_forms_add_affine_product(ctx, &forms, &r, &s, 2.0) == AC_OK);
    const double x[4] = {0.7, -1.1, 0.3, 2.0};
    CHECK_NEAR(ac_form_value(&forms, 0, x), 0.5 + 2.0 * (1.0 + 2.0 * 0.7) * (3.0 * -1.1 - 4.0), 1e-14);

    ac_affine3 u = {0}, v = {0};
    for (int i = 0; i < 3; ++i) {
        u.part[i].constant = i + 1.0;
        ac_affine_add(&u.part[i], i, 1.0);
        ac_affine_add(&v.part[i], 3, 0.5);
        ac_affine_add(&v.part[i], i, -1.0);
    }
    ac_affine3 w = ac_affine_difference(&u, &v);
    CHECK(ac_forms_begin(ctx, &forms, 0.0) == AC_OK);
    CHECK(ac_forms_add_dot(ctx, &forms, &w, &w, 0.5) == AC_OK);
    double expected = 0.0;
    for (int i = 0; i < 3; ++i) {
        double part = (i + 1.0 + x[i]) - (0.5 * x[3] - x[i]);
        expected += 0.5 * part * part;
    }
    CHECK_NEAR(ac_form_value(&forms, 1, x), expected, 1e-14);
    CHECK_NEAR(ac_form_value(&forms, 0, x), 0.5 + 2.0 * 2.4 * -7.3, 1e-13); /* the first one is untouched */
    ac_forms_free(ctx, &forms);
    ac_context_free(ctx);
}

/* Equal terms are kept once: (x0 + x1)^2 has three products. */
TEST(equal_terms_are_joined)
{
    ac_context *ctx = ac_context_new(NULL);
    ac_forms forms = {0};
    ac_affine s = {0};
    ac_affine_add(&s, 0, 1.0);
    ac_affine_add(&s, 1, 0.25);
    ac_affine_add(&s, 1, 0.75);
    CHECK(s.count == 2);
    CHECK(ac_forms_begin(ctx, &forms, 0.0) == AC_OK);
    CHECK(ac_forms_add_affine_product(ctx, &forms, &s, &s, 1.0) == AC_OK);
    CHECK(forms.product_start[1] == 3);
    const double x[2] = {0.3, 0.4};
    CHECK_NEAR(ac_form_value(&forms, 0, x), 0.49, 1e-16);
    ac_forms_free(ctx, &forms);
    ac_context_free(ctx);
}

RUN_TESTS(CASE(derivatives), CASE(products_of_affine_functions), CASE(equal_terms_are_joined))
