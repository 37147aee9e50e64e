/* The laws of springs and of strains. */
#include "action/law.h"

enum { STIFFNESS, REST };

/* The derivatives of a secant that is linear in the numbers alone do not change. */
static void no_bend(const double data[AC_LAW_DATA], double by_a, double by_b,
                    const double by_data[AC_LAW_DATA], ac_law_secant *s)
{
    (void)data, (void)by_a, (void)by_b, (void)by_data;
    *s = (ac_law_secant){0};
}

static void quadratic_value(const double data[AC_LAW_DATA], double y, double w[4])
{
    double k = data[STIFFNESS], u = y - data[REST];
    w[0] = 0.5 * k * u * u;
    w[1] = k * u;
    w[2] = k;
    w[3] = 0.0;
}

static void quadratic_by_data(const double data[AC_LAW_DATA], double y, ac_law_slopes *s)
{
    double k = data[STIFFNESS], u = y - data[REST];
    s->one[STIFFNESS][0] = 0.5 * u * u;
    s->one[STIFFNESS][1] = u;
    s->one[STIFFNESS][2] = 1.0;
    s->one[REST][0] = -k * u;
    s->one[REST][1] = -k;
    s->two[STIFFNESS][REST][0] = s->two[REST][STIFFNESS][0] = -u;
    s->two[STIFFNESS][REST][1] = s->two[REST][STIFFNESS][1] = -1.0;
    s->two[REST][REST][0] = k;
}

static double quadratic_secant(const double data[AC_LAW_DATA], double ya, double yb, ac_law_secant *s)
{
    double u = 0.5 * (ya + yb) - data[REST];
    *s = (ac_law_secant){0.5 * data[STIFFNESS], 0.5 * data[STIFFNESS], {u, -data[STIFFNESS]}};
    return data[STIFFNESS] * u;
}

static void quadratic_bend(const double data[AC_LAW_DATA], double by_a, double by_b,
                           const double by_data[AC_LAW_DATA], ac_law_secant *s)
{
    double half = 0.5 * by_data[STIFFNESS];
    (void)data;
    *s = (ac_law_secant){half, half, {0.5 * (by_a + by_b) - by_data[REST], -by_data[STIFFNESS]}};
}

const ac_law ac_law_quadratic = {.name = "quadratic",
                                 .value = quadratic_value,
                                 .by_data = quadratic_by_data,
                                 .secant = quadratic_secant,
                                 .bend_secant = quadratic_bend};

static void square_value(const double data[AC_LAW_DATA], double y, double w[4])
{
    w[0] = 0.5 * data[STIFFNESS] * y;
    w[1] = 0.5 * data[STIFFNESS];
    w[2] = w[3] = 0.0;
}

static void square_by_data(const double data[AC_LAW_DATA], double y, ac_law_slopes *s)
{
    (void)data;
    s->one[STIFFNESS][0] = 0.5 * y;
    s->one[STIFFNESS][1] = 0.5;
}

static double square_secant(const double data[AC_LAW_DATA], double ya, double yb, ac_law_secant *s)
{
    (void)ya;
    (void)yb;
    *s = (ac_law_secant){0.0, 0.0, {0.5}};
    return 0.5 * data[STIFFNESS];
}

const ac_law ac_law_square = {.name = "square",
                              .of_square = true,
                              .value = square_value,
                              .by_data = square_by_data,
                              .secant = square_secant,
                              .bend_secant = no_bend};

static void linear_value(const double data[AC_LAW_DATA], double y, double w[4])
{
    w[0] = data[STIFFNESS] * y;
    w[1] = data[STIFFNESS];
    w[2] = w[3] = 0.0;
}

static void linear_by_data(const double data[AC_LAW_DATA], double y, ac_law_slopes *s)
{
    (void)data;
    s->one[STIFFNESS][0] = y;
    s->one[STIFFNESS][1] = 1.0;
}

static double linear_secant(const double data[AC_LAW_DATA], double ya, double yb, ac_law_secant *s)
{
    (void)ya;
    (void)yb;
    *s = (ac_law_secant){0.0, 0.0, {1.0}};
    return data[STIFFNESS];
}

const ac_law ac_law_linear = {.name = "linear",
                              .value = linear_value,
                              .by_data = linear_by_data,
                              .secant = linear_secant,
                              .bend_secant = no_bend};
