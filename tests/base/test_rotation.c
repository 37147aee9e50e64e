/* Rotations: exponential map, its logarithm and tangent, over all angles, with the small and the large ones.
 */
#include "base/rotation.h"

#include "base/vector.h"
#include "support/numeric.h"
#include "test.h"

static const double PI = 3.14159265358979323846;
static const double ANGLES[] = {0.0, 1e-12, 1e-9, 1e-7, 1e-5, 0.99e-4, 1.01e-4, 1e-3,
                                0.1, 1.0,   2.0,  2.69, 2.7,  3.0,     3.14};
enum { ANGLE_COUNT = sizeof ANGLES / sizeof *ANGLES };

static void random_axis(dice *d, double n[3])
{
    do dice_vector(d, 3, 1.0, n);
    while (norm3(n) < 0.1);
    double length = norm3(n);
    for (int i = 0; i < 3; ++i) n[i] /= length;
}

/* The exponential as a power series of the skew matrix: an independent way, exact for angles up to pi with 40
 * terms. */
static void series(const double theta[3], double R[9])
{
    const double W[9] = {0, -theta[2], theta[1], theta[2], 0, -theta[0], -theta[1], theta[0], 0};
    double term[9], next[9];
    identity3(R);
    identity3(term);
    for (int k = 1; k <= 40; ++k) {
        multiply3(term, W, next);
        for (int i = 0; i < 9; ++i) {
            term[i] = next[i] / k;
            R[i] += term[i];
        }
    }
}

TEST(exponential_is_the_power_series)
{
    dice d = {2};
    for (int k = 0; k < ANGLE_COUNT; ++k) {
        double n[3], theta[3], R[9], S[9];
        random_axis(&d, n);
        for (int i = 0; i < 3; ++i) theta[i] = ANGLES[k] * n[i];
        ac_rotation_exp(theta, R);
        series(theta, S);
        CHECK_NEAR(largest_difference(9, R, S), 0.0, 4e-15);
        CHECK(ac_rotation_check(R, 4e-15));
    }
}

TEST(logarithm_undoes_the_exponential)
{
    dice d = {3};
    for (int trial = 0; trial < 20; ++trial)
        for (int k = 0; k < ANGLE_COUNT; ++k) {
            double n[3], theta[3], R[9], back[3];
            random_axis(&d, n);
            for (int i = 0; i < 3; ++i) theta[i] = ANGLES[k] * n[i];
            ac_rotation_exp(theta, R);
            ac_rotation_log(R, back);
            CHECK_NEAR(largest_difference(3, back, theta), 0.0, 4e-15);
        }
}

/* At pi the sign of the axis is open: the rotation is the same. */
TEST(logarithm_at_pi)
{
    dice d = {4};
    for (int trial = 0; trial < 50; ++trial) {
        double n[3], theta[3], R[9], S[9], back[3];
        random_axis(&d, n);
        if (trial < 3)
            for (int i = 0; i < 3; ++i) n[i] = i == trial ? 1.0 : 0.0;
        for (int i = 0; i < 3; ++i) theta[i] = PI * n[i];
        ac_rotation_exp(theta, R);
        ac_rotation_log(R, back);
        ac_rotation_exp(back, S);
        CHECK_NEAR(norm3(back), PI, 1e-15);
        CHECK_NEAR(largest_difference(9, R, S), 0.0, 4e-15);
    }
}

static void turned(void *user, const double *theta, double *y)
{
    double R[9];
    ac_rotation_exp(theta, R);
    apply3(R, user, y);
}

/* d(exp(theta) a) = hat(T dtheta) exp(theta) a */
TEST(tangent_is_the_derivative)
{
    dice d = {5};
    for (int k = 0; k < ANGLE_COUNT; ++k) {
        double n[3], theta[3], a[3], b[3], T[9], J[9];
        random_axis(&d, n);
        dice_vector(&d, 3, 1.0, a);
        for (int i = 0; i < 3; ++i) theta[i] = ANGLES[k] * n[i];
        ac_rotation_tangent(theta, T);
        turned(a, theta, b);
        for (int j = 0; j < 3; ++j) {
            const double column[3] = {T[j], T[3 + j], T[6 + j]};
            double change[3];
            cross3(column, b, change);
            for (int i = 0; i < 3; ++i) J[3 * i + j] = change[i];
        }
        CHECK_NEAR(jacobian_error(turned, a, 3, 3, theta, J), 0.0, 1e-11);
    }
}

/* The branches for small angles meet: values on both sides of the switch differ by no more than their slope
 * allows. */
TEST(series_meet_the_closed_forms)
{
    const double below[3] = {0.99999999e-4, 0, 0}, above[3] = {1.00000001e-4, 0, 0};
    double A[9], B[9];
    ac_rotation_exp(below, A);
    ac_rotation_exp(above, B);
    CHECK_NEAR(largest_difference(9, A, B), 2e-12,
               1e-15); /* the sine moves by the difference of the angles */
    ac_rotation_tangent(below, A);
    ac_rotation_tangent(above, B);
    CHECK_NEAR(largest_difference(9, A, B), 1e-12, 1e-15); /* half of it, by (1 - cos t) / t */
}

TEST(rotation_about_z)
{
    double R[9], S[9];
    const double theta[3] = {0, 0, 0.7};
    ac_rotation_z(0.7, R);
    ac_rotation_exp(theta, S);
    CHECK_NEAR(largest_difference(9, R, S), 0.0, 2.3e-16);
}

/* One polar step squares the error: 1e-4 becomes less than 1e-7, and 1e-7 round-off. */
TEST(polish_squares_the_error)
{
    dice d = {6};
    double R[9], off[9], S[9];
    dice_rotation(&d, R);
    for (int i = 0; i < 9; ++i) R[i] += dice_between(&d, -1e-4, 1e-4);
    for (int pass = 0; pass < 2; ++pass) {
        ac_rotation_polish(R);
        transposed_multiply3(R, R, S);
        identity3(off);
        CHECK_NEAR(largest_difference(9, S, off), 0.0, pass == 0 ? 1e-7 : 1e-14);
    }
    CHECK(ac_rotation_check(R, 1e-14));
    R[0] = -R[0];
    CHECK(!ac_rotation_check(R, 1e-3));
    const double mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, nan_entry[9] = {NAN, 0, 0, 0, 1, 0, 0, 0, 1};
    CHECK(!ac_rotation_check(mirror, 1e-3));
    CHECK(!ac_rotation_check(nan_entry, 1e-3));
}

TEST(perpendicular_directions)
{
    dice d = {7};
    for (int trial = 0; trial < 30; ++trial) {
        double n[3], e1[3], e2[3];
        random_axis(&d, n);
        if (trial < 3)
            for (int i = 0; i < 3; ++i) n[i] = i == trial ? 5.0 : 0.0;
        ac_perpendicular(n, e1, e2);
        CHECK_NEAR(norm3(e1), 1.0, 4e-16);
        CHECK_NEAR(norm3(e2), 1.0, 4e-16);
        CHECK_NEAR(dot3(e1, e2), 0.0, 4e-16);
        CHECK_NEAR(dot3(e1, n) / norm3(n), 0.0, 4e-16);
        CHECK_NEAR(dot3(e2, n) / norm3(n), 0.0, 4e-16);
    }
}

/* Turning in place is the product with the exponential, and keeps small turns to the last digit. */
TEST(turning_is_the_product)
{
    dice d = {7};
    for (int k = 0; k < ANGLE_COUNT; ++k) {
        double n[3], theta[3], R[9], start[9], E[9], product[9];
        random_axis(&d, n);
        for (int i = 0; i < 3; ++i) theta[i] = 2.0 * n[i];
        ac_rotation_exp(theta, start);
        random_axis(&d, n);
        for (int i = 0; i < 3; ++i) theta[i] = ANGLES[k] * n[i];
        memcpy(R, start, sizeof R);
        ac_rotation_turn(theta, R);
        series(theta, E);
        multiply3(E, start, product);
        for (int i = 0; i < 9; ++i) CHECK_NEAR(R[i], product[i], 1e-15);
        CHECK(ac_rotation_check(R, 2e-15));
    }
}

RUN_TESTS(CASE(turning_is_the_product), CASE(exponential_is_the_power_series),
          CASE(logarithm_undoes_the_exponential), CASE(logarithm_at_pi), CASE(tangent_is_the_derivative),
          CASE(series_meet_the_closed_forms), CASE(rotation_about_z), CASE(polish_squares_the_error),
          CASE(perpendicular_directions))
