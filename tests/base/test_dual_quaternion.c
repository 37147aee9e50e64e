/* Dual quaternions: identities of the algebra, poses, exponential map, null space matrix, wrenches. */
#include "base/dual_quaternion.h"

#include <math.h>
#include <string.h>

#include "base/rotation.h"
#include "base/vector.h"
#include "support/numeric.h"
#include "test.h"

static double dot8(const double a[8], const double b[8])
{
    double sum = 0.0;
    for (int i = 0; i < 8; ++i) sum += a[i] * b[i];
    return sum;
}

static void random_unit(dice *d, double q[8], double place[3], double R[9])
{
    memset(q, 0, 8 * sizeof *q);
    dice_vector(d, 3, 2.0, place);
    dice_rotation(d, R);
    ac_dual_from_pose(place, R, q);
}

TEST(a_unit_is_its_pose_and_keeps_its_sign)
{
    dice d = {1};
    for (int n = 0; n < 50; ++n) {
        double q[8], again[8], x[3], R[9], place[3], rotation[9], real = 0.0, along = 0.0;
        random_unit(&d, q, x, R);
        for (int i = 0; i < 4; ++i) {
            real += q[i] * q[i];
            along += q[i] * q[4 + i];
        }
        CHECK_NEAR(real, 1.0, 1e-15);
        CHECK_NEAR(along, 0.0, 1e-15);
        ac_dual_pose(q, place, rotation);
        CHECK(largest_difference(3, place, x) < 1e-14);
        CHECK(largest_difference(9, rotation, R) < 1e-14);
        for (int i = 0; i < 8; ++i) again[i] = -q[i];
        ac_dual_from_pose(x, R, again); /* the sign of what was there stays */
        for (int i = 0; i < 8; ++i) CHECK_NEAR(again[i], -q[i], 1e-15);
    }
}

TEST(products_are_compositions_of_poses)
{
    dice d = {2};
    for (int n = 0; n < 20; ++n) {
        double a[8], b[8], ab[8], rel[8], one[8], xa[3], xb[3], Ra[9], Rb[9], x[3], R[9], want[3], both[9];
        random_unit(&d, a, xa, Ra);
        random_unit(&d, b, xb, Rb);
        ac_dual_multiply(a, b, ab);
        ac_dual_pose(ab, x, R);
        apply3(Ra, xb, want);
        add3(want, xa, want);
        multiply3(Ra, Rb, both);
        CHECK(largest_difference(3, x, want) < 1e-13);
        CHECK(largest_difference(9, R, both) < 1e-14);
        ac_dual_relative(a, ab, rel);
        CHECK(largest_difference(8, rel, b) < 1e-14);
        ac_dual_relative(a, a, one);
        one[0] -= 1.0;
        CHECK(largest_entry(8, one) < 1e-15);
    }
}

TEST(derivatives_of_the_relative_pose)
{
    dice d = {3};
    double a[8], b[8], s[8], da[8], out[8], pull[8];
    dice_vector(&d, 8, 1.0, a);
    dice_vector(&d, 8, 1.0, b);
    dice_vector(&d, 8, 1.0, s);
    dice_vector(&d, 8, 1.0, da);
    ac_dual_relative(da, b, out); /* bilinear: the derivative along da */
    ac_dual_pull_left(s, b, pull);
    CHECK_NEAR(dot8(s, out), dot8(pull, da), 1e-14);
    ac_dual_relative(a, da, out);
    ac_dual_pull_right(s, a, pull);
    CHECK_NEAR(dot8(s, out), dot8(pull, da), 1e-14);
}

TEST(exponential_and_logarithm)
{
    static const double angles[] = {0.0, 1e-9, 1e-4, 0.0099, 0.0101, 0.5, 2.0, 3.1, 4.5, 6.0};
    dice d = {4};
    for (size_t n = 0; n < sizeof angles / sizeof *angles; ++n) {
        double turn[3], shift[3], q[8], half[8], twice[8], back[6];
        dice_vector(&d, 3, 1.0, turn);
        dice_vector(&d, 3, 1.0, shift);
        double size = norm3(turn);
        for (int i = 0; i < 3; ++i) turn[i] *= angles[n] / size;
        ac_dual_exp(turn, shift, q);
        ac_dual_log(q, back, back + 3);
        CHECK(largest_difference(3, back, turn) < 1e-14);
        CHECK(largest_difference(3, back + 3, shift) < 1e-13);
        for (int i = 0; i < 3; ++i) turn[i] *= 0.5, shift[i] *= 0.5;
        ac_dual_exp(turn, shift, half); /* exp(x/2)^2 = exp(x) */
        ac_dual_multiply(half, half, twice);
        CHECK(largest_difference(8, twice, q) < 1e-15);
    }
}

TEST(null_space_matrix_is_the_derivative_of_the_exponential)
{
    dice d = {5};
    double q[8], x[3], R[9], P[48];
    random_unit(&d, q, x, R);
    ac_dual_null_space(q, P);
    for (int k = 0; k < 6; ++k) {
        double step[6] = {0}, e[8], plus[8], minus[8], length = 0.0, unit = 0.0;
        step[k] = 1e-4;
        ac_dual_exp(step, step + 3, e);
        ac_dual_multiply(q, e, plus);
        step[k] = -1e-4;
        ac_dual_exp(step, step + 3, e);
        ac_dual_multiply(q, e, minus);
        for (int i = 0; i < 8; ++i) CHECK_NEAR((plus[i] - minus[i]) / 2e-4, P[6 * i + k], 1e-8);
        for (int i = 0; i < 4; ++i) { /* G P = 0 */
            length += q[i] * P[6 * i + k];
            unit += q[i] * P[6 * (4 + i) + k] + q[4 + i] * P[6 * i + k];
        }
        CHECK_NEAR(length, 0.0, 1e-15);
        CHECK_NEAR(unit, 0.0, 1e-15);
    }
}

TEST(twists_in_world_axes_and_wrenches)
{
    dice d = {6};
    double q[8], x[3], R[9], P[48], twist[6], out[8], body[6], f[8], wrench[6] = {0};
    random_unit(&d, q, x, R);
    ac_dual_null_space(q, P);
    dice_vector(&d, 6, 1.0, twist);
    dice_vector(&d, 8, 1.0, f);
    apply_transposed3(R, twist + 3, body);
    apply_transposed3(R, twist, body + 3);
    ac_dual_move(q, x, twist, out);
    for (int i = 0; i < 8; ++i) {
        double sum = 0.0;
        for (int k = 0; k < 6; ++k) sum += P[6 * i + k] * body[k];
        CHECK_NEAR(out[i], sum, 1e-14);
    }
    ac_dual_add_wrench(q, x, f, wrench);
    CHECK_NEAR(dot3(wrench, twist) + dot3(wrench + 3, twist + 3), dot8(f, out), 1e-14);
    double velocity[8], both[8]; /* 2 conj(q) q' = Omega + eps V */
    ac_dual_relative(q, out, velocity);
    for (int i = 0; i < 8; ++i) both[i] = 2.0 * velocity[i];
    CHECK_NEAR(both[0], 0.0, 1e-15);
    CHECK_NEAR(both[4], 0.0, 1e-15);
    CHECK(largest_difference(3, both + 1, body) < 1e-14);
    CHECK(largest_difference(3, both + 5, body + 3) < 1e-14);
}

TEST(a_number_near_the_units_becomes_one)
{
    dice d = {7};
    double q[8], x[3], R[9], noise[8], along = 0.0, real = 0.0;
    random_unit(&d, q, x, R);
    dice_vector(&d, 8, 1e-3, noise);
    for (int i = 0; i < 8; ++i) q[i] += noise[i];
    ac_dual_normalise(q);
    for (int i = 0; i < 4; ++i) {
        real += q[i] * q[i];
        along += q[i] * q[4 + i];
    }
    CHECK_NEAR(real, 1.0, 1e-15);
    CHECK_NEAR(along, 0.0, 1e-15);
}

RUN_TESTS(CASE(a_unit_is_its_pose_and_keeps_its_sign), CASE(products_are_compositions_of_poses),
          CASE(derivatives_of_the_relative_pose), CASE(exponential_and_logarithm),
          CASE(null_space_matrix_is_the_derivative_of_the_exponential),
          CASE(twists_in_world_axes_and_wrenches), CASE(a_number_near_the_units_becomes_one))
