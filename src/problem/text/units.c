/* Units as products of powers of kilogram, metre, second and radian. */
#include "problem/text/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "math/math.h"
#include "problem/text/names.h"

enum { WORD_SIZE = 16, POWER_MAX = 9 };

#define PI 3.14159265358979323846

typedef struct powers {
    int kg, m, s, rad;
} powers;

typedef struct unit_word {
    const char *word;
    double scale;
    powers p;
    const char *si;
} unit_word;

static const unit_word unit_words[] = {
    {"s", 1, {0, 0, 1, 0}, "s"},
    {"ms", 1e-3, {0, 0, 1, 0}, "s"},
    {"us", 1e-6, {0, 0, 1, 0}, "s"},
    {"min", 60, {0, 0, 1, 0}, "s"},
    {"h", 3600, {0, 0, 1, 0}, "s"},
    {"m", 1, {0, 1, 0, 0}, "m"},
    {"mm", 1e-3, {0, 1, 0, 0}, "m"},
    {"cm", 1e-2, {0, 1, 0, 0}, "m"},
    {"km", 1e3, {0, 1, 0, 0}, "m"},
    {"um", 1e-6, {0, 1, 0, 0}, "m"},
    {"in", 0.0254, {0, 1, 0, 0}, "m"},
    {"ft", 0.3048, {0, 1, 0, 0}, "m"},
    {"kg", 1, {1, 0, 0, 0}, "kg"},
    {"g", 1e-3, {1, 0, 0, 0}, "kg"},
    {"mg", 1e-6, {1, 0, 0, 0}, "kg"},
    {"t", 1e3, {1, 0, 0, 0}, "kg"},
    {"rad", 1, {0, 0, 0, 1}, "rad"},
    {"deg", PI / 180, {0, 0, 0, 1}, "rad"},
    {"rev", 2 * PI, {0, 0, 0, 1}, "rad"},
    {"Hz", 2 * PI, {0, 0, -1, 1}, "rad/s"},
    {"rpm", 2 * PI / 60, {0, 0, -1, 1}, "rad/s"},
    {"N", 1, {1, 1, -2, 0}, "N"},
    {"mN", 1e-3, {1, 1, -2, 0}, "N"},
    {"kN", 1e3, {1, 1, -2, 0}, "N"},
    {"MN", 1e6, {1, 1, -2, 0}, "N"},
    {"J", 1, {1, 2, -2, 0}, "J"},
    {"mJ", 1e-3, {1, 2, -2, 0}, "J"},
    {"kJ", 1e3, {1, 2, -2, 0}, "J"},
    {"W", 1, {1, 2, -3, 0}, "W"},
    {"kW", 1e3, {1, 2, -3, 0}, "W"},
    {"Pa", 1, {1, -1, -2, 0}, "Pa"},
    {"kPa", 1e3, {1, -1, -2, 0}, "Pa"},
    {"MPa", 1e6, {1, -1, -2, 0}, "Pa"},
    {"GPa", 1e9, {1, -1, -2, 0}, "Pa"},
};

typedef struct dimension_entry {
    const char *name, *unit, *choices;
    powers p;
} dimension_entry;

static const dimension_entry dimensions[AC_DIM_COUNT] = {
    [AC_DIM_NUMBER] = {"number without a unit", "", "none", {0, 0, 0, 0}},
    [AC_DIM_ANY] = {"number", "", "any", {0, 0, 0, 0}},
    [AC_DIM_TIME] = {"time", "s", "s, ms, us, min, h", {0, 0, 1, 0}},
    [AC_DIM_LENGTH] = {"length", "m", "m, mm, cm, km, um, in, ft", {0, 1, 0, 0}},
    [AC_DIM_MASS] = {"mass", "kg", "kg, g, mg, t", {1, 0, 0, 0}},
    [AC_DIM_ANGLE] = {"angle", "rad", "rad, deg, rev", {0, 0, 0, 1}},
    [AC_DIM_VELOCITY] = {"velocity", "m/s", "m/s, mm/s, km/h", {0, 1, -1, 0}},
    [AC_DIM_ANGULAR_VELOCITY] = {"angular velocity", "rad/s", "rad/s, deg/s, rpm, Hz", {0, 0, -1, 1}},
    [AC_DIM_ACCELERATION] = {"acceleration", "m/s^2", "m/s^2, mm/s^2", {0, 1, -2, 0}},
    [AC_DIM_FORCE] = {"force", "N", "N, mN, kN, MN", {1, 1, -2, 0}},
    [AC_DIM_TORQUE] = {"torque", "N m", "N m, mN m, kN m", {1, 2, -2, 0}},
    [AC_DIM_STIFFNESS] = {"stiffness", "N/m", "N/m, N/mm, kN/m", {1, 0, -2, 0}},
    [AC_DIM_DAMPING] = {"damping", "N s/m", "N s/m, kN s/m", {1, 0, -1, 0}},
    [AC_DIM_ANGULAR_STIFFNESS] = {"angular stiffness",
                                  "N m/rad",
                                  "N m/rad, N m/deg, kN m/rad",
                                  {1, 2, -2, -1}},
    [AC_DIM_ANGULAR_DAMPING] = {"angular damping", "N m s/rad", "N m s/rad, N m s/deg", {1, 2, -1, -1}},
    [AC_DIM_INERTIA] = {"moment of inertia", "kg m^2", "kg m^2, g cm^2, kg mm^2", {1, 2, 0, 0}},
    [AC_DIM_DENSITY] = {"density", "kg/m^3", "kg/m^3, g/cm^3", {1, -3, 0, 0}},
    [AC_DIM_PRESSURE] = {"pressure", "Pa", "Pa, kPa, MPa, GPa", {1, -1, -2, 0}},
    [AC_DIM_BENDING_STIFFNESS] = {"bending stiffness", "N m^2", "N m^2, kN m^2", {1, 3, -2, 0}},
    [AC_DIM_LINE_MASS] = {"mass per length", "kg/m", "kg/m, g/m", {1, -1, 0, 0}},
    [AC_DIM_LINE_INERTIA] = {"inertia per length", "kg m", "kg m", {1, 1, 0, 0}},
    [AC_DIM_CURVATURE] = {"curvature", "rad/m", "rad/m, deg/m", {0, -1, 0, 1}},
    [AC_DIM_VISCOSITY] = {"viscosity", "Pa s", "Pa s, kPa s, MPa s", {1, -1, -1, 0}},
};

const char *ac_dimension_name(ac_dimension dimension)
{
    return dimensions[dimension].name;
}

const char *ac_dimension_unit(ac_dimension dimension)
{
    return dimensions[dimension].unit;
}

const char *ac_dimension_choices(ac_dimension dimension)
{
    return dimensions[dimension].choices;
}

const char *ac_unit_word(int index, double *scale, const char **si)
{
    if (index < 0 || (size_t)index >= sizeof unit_words / sizeof *unit_words) return NULL;
    *scale = unit_words[index].scale;
    *si = unit_words[index].si;
    return unit_words[index].word;
}

static const unit_word *find_word(const char *word)
{
    for (size_t k = 0; k < sizeof unit_words / sizeof *unit_words; ++k)
        if (strcmp(word, unit_words[k].word) == 0) return &unit_words[k];
    return NULL;
}

static void skip_spaces(const char **at)
{
    while (**at == ' ' || **at == '\t') ++*at;
}

/* "m", "m^2" at `*at`; multiplies the unit by it, or by its inverse */
static bool read_factor(const char **at, bool inverse, double *scale, powers *p)
{
    char word[WORD_SIZE];
    size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (length == 0 || length >= WORD_SIZE) return false;
    memcpy(word, *at, length);
    word[length] = '\0';
    const unit_word *unit = find_word(word);
    if (!unit) return false;
    *at += length;

    int power = 1;
    if (**at == '^') {
        power = (*at)[1] - '0';
        if (power < 1 || power > POWER_MAX) return false;
        *at += 2;
    }
    if (inverse) power = -power;
    *scale *= ac_pow(unit->scale, power);
    p->kg += power * unit->p.kg;
    p->m += power * unit->p.m;
    p->s += power * unit->p.s;
    p->rad += power * unit->p.rad;
    return true;
}

/* factors side by side or with "*"; "/" turns the next factor only: N m/rad, N s/m, kg/m^3, 1/s */
static bool read_unit(const char *text, double *scale, powers *p)
{
    *scale = 1;
    *p = (powers){0, 0, 0, 0};
    bool inverse = false;
    if (text[0] == '1' && text[1] == '/')
        ++text;
    else if (!read_factor(&text, false, scale, p))
        return false;
    for (;;) {
        skip_spaces(&text);
        if (*text == '\0') return true;
        inverse = *text == '/';
        if (*text == '/' || *text == '*') ++text;
        skip_spaces(&text);
        if (!read_factor(&text, inverse, scale, p)) return false;
    }
}

/* The radian is a pure number: it may be left out. */
static bool fits(powers given, powers wanted)
{
    return given.kg == wanted.kg && given.m == wanted.m && given.s == wanted.s &&
           (given.rad == wanted.rad || given.rad == 0);
}

static bool check_unit(const char *unit, ac_dimension dimension, double *scale, char *reason)
{
    char shown[AC_SHOWN_SIZE];
    powers p;
    const dimension_entry *wanted = &dimensions[dimension];
    if (!read_unit(unit, scale, &p)) {
        snprintf(reason, AC_REASON_SIZE, "has the unknown unit '%s'; use one of: %s", ac_show(shown, unit),
                 wanted->choices);
        return false;
    }
    if (dimension == AC_DIM_ANY) return true;
    if (dimension == AC_DIM_NUMBER) {
        snprintf(reason, AC_REASON_SIZE, "has the unit '%s' but must be a number without a unit",
                 ac_show(shown, unit));
        return false;
    }
    if (!fits(p, wanted->p)) {
        snprintf(reason, AC_REASON_SIZE, "has the unit '%s' but is %s %s; use one of: %s",
                 ac_show(shown, unit), wanted->name[0] == 'a' ? "an" : "a", wanted->name, wanted->choices);
        return false;
    }
    return true;
}

static bool may_follow_number(char c)
{
    return c == '\0' || c == ' ' || c == '\t' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool ac_quantity_read(const char *text, ac_dimension dimension, double *value, char *reason)
{
    char shown[AC_SHOWN_SIZE];
    const char *start = text, *end;
    double number, scale = 1;
    bool negative = *start == '-';
    if (*start == '-' || *start == '+') ++start;
    if (!ac_read_decimal(start, &number, &end) || !may_follow_number(*end)) {
        bool comma = end > start && *end == ',' && end[1] >= '0' && end[1] <= '9';
        snprintf(reason, AC_REASON_SIZE, "must be a number%s, not '%s'",
                 comma ? " with a decimal point" : " or an expression that starts with '='",
                 ac_show(shown, text));
        return false;
    }
    skip_spaces(&end);
    if (*end && !check_unit(end, dimension, &scale, reason)) return false;
    number = (negative ? -number : number) * scale;
    if (!isfinite(number)) {
        snprintf(reason, AC_REASON_SIZE, "must be finite; '%s' is too large", ac_show(shown, text));
        return false;
    }
    *value = number;
    return true;
}
