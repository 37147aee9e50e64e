/* Units: values in SI, fitting dimensions, refusals. */
#include "problem/text/units.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

static void check_value(const char *text, ac_dimension dimension, double expected)
{
    char reason[AC_REASON_SIZE] = "";
    double value = NAN;
    bool good = ac_quantity_read(text, dimension, &value, reason);
    if (!good) printf("%s: %s\n", text, reason);
    CHECK(good);
    CHECK_NEAR(value, expected, 1e-14 * fabs(expected));
}

static void check_refused(const char *text, ac_dimension dimension, const char *expected)
{
    char reason[AC_REASON_SIZE] = "";
    double value;
    CHECK(!ac_quantity_read(text, dimension, &value, reason));
    CHECK_TEXT(reason, expected);
}

TEST(units_become_si)
{
    check_value("3.5", AC_DIM_LENGTH, 3.5);
    check_value("-2", AC_DIM_LENGTH, -2);
    check_value("+2", AC_DIM_LENGTH, 2);
    check_value("1 ms", AC_DIM_TIME, 1e-3);
    check_value("1ms", AC_DIM_TIME, 1e-3);
    check_value("2 min", AC_DIM_TIME, 120);
    check_value("1 h", AC_DIM_TIME, 3600);
    check_value("2 cm", AC_DIM_LENGTH, 0.02);
    check_value("1 in", AC_DIM_LENGTH, 0.0254);
    check_value("3 g", AC_DIM_MASS, 0.003);
    check_value("2 t", AC_DIM_MASS, 2000);
    check_value("30 deg", AC_DIM_ANGLE, PI / 6);
    check_value("1 rev", AC_DIM_ANGLE, 2 * PI);
    check_value("60 rpm", AC_DIM_ANGULAR_VELOCITY, 2 * PI);
    check_value("1 Hz", AC_DIM_ANGULAR_VELOCITY, 2 * PI);
    check_value("180 deg/s", AC_DIM_ANGULAR_VELOCITY, PI);
    check_value("2 1/s", AC_DIM_ANGULAR_VELOCITY, 2);
    check_value("36 km/h", AC_DIM_VELOCITY, 10);
    check_value("9.81 m/s^2", AC_DIM_ACCELERATION, 9.81);
    check_value("2 kN", AC_DIM_FORCE, 2000);
    check_value("2 kN m", AC_DIM_TORQUE, 2000);
    check_value("2 mN*m", AC_DIM_TORQUE, 2e-3);
    check_value("5 N/mm", AC_DIM_STIFFNESS, 5000);
    check_value("5 N s/m", AC_DIM_DAMPING, 5);
    check_value("5 N m/rad", AC_DIM_ANGULAR_STIFFNESS, 5);
    check_value("1 N m/deg", AC_DIM_ANGULAR_STIFFNESS, 180 / PI);
    check_value("5 N m", AC_DIM_ANGULAR_STIFFNESS, 5);
    check_value("5 N m s/rad", AC_DIM_ANGULAR_DAMPING, 5);
    check_value("2 g cm^2", AC_DIM_INERTIA, 2e-7);
    check_value("1 g/cm^3", AC_DIM_DENSITY, 1000);
    check_value("200 GPa", AC_DIM_ANY, 2e11);
    check_value("1e3", AC_DIM_NUMBER, 1000);
    check_value("012", AC_DIM_NUMBER, 12);
    check_value(".5", AC_DIM_NUMBER, 0.5);
}

TEST(what_does_not_fit_is_refused)
{
    check_refused("1 kg", AC_DIM_LENGTH,
                  "has the unit 'kg' but is a length; use one of: m, mm, cm, km, um, in, ft");
    check_refused("1 N m/rad", AC_DIM_TORQUE,
                  "has the unit 'N m/rad' but is a torque; use one of: N m, mN m, kN m");
    check_refused("1 m", AC_DIM_NUMBER, "has the unit 'm' but must be a number without a unit");
    check_refused("1 furlong", AC_DIM_LENGTH,
                  "has the unknown unit 'furlong'; use one of: m, mm, cm, km, um, in, ft");
    check_refused("1 m^", AC_DIM_LENGTH, "has the unknown unit 'm^'; use one of: m, mm, cm, km, um, in, ft");
    check_refused("1 m/", AC_DIM_LENGTH, "has the unknown unit 'm/'; use one of: m, mm, cm, km, um, in, ft");
    check_refused("ten", AC_DIM_LENGTH, "must be a number or an expression that starts with '=', not 'ten'");
    check_refused("", AC_DIM_LENGTH, "must be a number or an expression that starts with '=', not ''");
    check_refused("inf", AC_DIM_LENGTH, "must be a number or an expression that starts with '=', not 'inf'");
    check_refused("1e308 km", AC_DIM_LENGTH, "must be finite; '1e308 km' is too large");
}

RUN_TESTS(CASE(units_become_si), CASE(what_does_not_fit_is_refused))
