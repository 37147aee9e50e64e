/* Outer functions: a scalar of a configuration is y = psi(kappa), a small function psi of a few quadratic
 * maps kappa(q). This file knows psi and its derivatives to the third; scalar.c does the chain rule.
 *
 *   value      kappa                          length    sqrt(kappa)
 *   angle      factor atan2(sine, cosine), near a given value
 *   log        s g(c): component of a rotation vector from the axial part s and the cosine c of a rotation
 *   arc        the angle whose cosine is kappa
 *   segments   distance of two points or segments: the least over both of their places
 *   least      the least of several values
 *   box        distance of a box from a point, a segment or a box, negative when they overlap (outer_box.c)
 *   cayley     4 kappa / t: curvature of a rod, t = 1 + trace of the relative rotation
 *   signed     kappa_0 - 2 |kappa_1 + kappa_2| with the sign of kappa_1: distance of unit dual quaternions, of which both
 *              signs are one pose
 *   function   an expression of the user, of values or of strains (outer_function.c)
 *
 * Segments, least and box have kinks where another pair of closest features takes over; there the
 * derivatives are those of one side.
 */
#ifndef ACTIO_BASE_OUTER_H
#define ACTIO_BASE_OUTER_H

#include <stdbool.h>

enum { AC_OUTER_MAX = 12 };

typedef enum ac_outer_kind {
    AC_OUTER_VALUE,
    AC_OUTER_LENGTH,
    AC_OUTER_ANGLE,
    AC_OUTER_LOG,
    AC_OUTER_ARC,
    AC_OUTER_SEGMENTS,
    AC_OUTER_LEAST,
    AC_OUTER_BOX,
    AC_OUTER_CAYLEY,
    AC_OUTER_SIGNED,
    AC_OUTER_FUNCTION
} ac_outer_kind;

enum { AC_FUNCTION_MAX = 6 };

/* What a function of the user needs; see outer_function.c. */
typedef struct ac_outer_function {
    const struct ac_expression *expression; /* of the variables, then of the place s */
    int variables;
    bool cayley; /* variables 3 to 5 are curvatures of a rod; one more map */
    double at;   /* s */
    double reference[AC_FUNCTION_MAX], base[AC_FUNCTION_MAX], stiffness[AC_FUNCTION_MAX];
    /* the expression with further variables, behind s, that are given numbers: parameters; NULL: there are none */
    const struct ac_expression *whole;
    int names;
    const double *values;
} ac_outer_function;

/* Its numbers: the place s, references, stiffnesses, and the parameters of the expression. */
enum {
    AC_FUNCTION_PLACE,
    AC_FUNCTION_REFERENCE,
    AC_FUNCTION_STIFFNESS = AC_FUNCTION_REFERENCE + AC_FUNCTION_MAX,
    AC_FUNCTION_NAME = AC_FUNCTION_STIFFNESS + AC_FUNCTION_MAX,
    AC_FUNCTION_NAMES = 16 /* most parameters */
};

typedef struct ac_outer {
    ac_outer_kind kind;
    int maps;
    double factor, offset;             /* y = factor psi + offset */
    bool segment[2];                   /* segments: which of both is one, else it is a point */
    double half[3];                    /* box: half of its sizes */
    int sides;                         /* box: of the other shape: 0, 1 or 3 */
    bool endless;                      /* box: the third side of the other shape has no end */
    const ac_outer_function *function; /* outlives it */
} ac_outer;

typedef struct ac_outer_value {
    double y, d[AC_OUTER_MAX], dd[AC_OUTER_MAX][AC_OUTER_MAX];
} ac_outer_value;

void ac_outer_evaluate(const ac_outer *outer, const double *kappa, double winding, ac_outer_value *value);
/* The same without y. */
void ac_outer_slopes(const ac_outer *outer, const double *kappa, ac_outer_value *value);
/* cube_bc = sum_a psi_abc s_a */
void ac_outer_third(const ac_outer *outer, const double *kappa, const double *s,
                    double cube[AC_OUTER_MAX][AC_OUTER_MAX]);

/* Secant of psi: numbers D with D . (kappa_b - kappa_a) = y_b - y_a exactly (angles: where sine and cosine are those of
 * an angle), and their derivatives by both ends. It is symmetric in them. */
typedef struct ac_outer_secant {
    double ya, yb, D[AC_OUTER_MAX];
    double by_a[AC_OUTER_MAX][AC_OUTER_MAX], by_b[AC_OUTER_MAX][AC_OUTER_MAX];
} ac_outer_secant;

/* Has psi a secant? */
bool ac_outer_has_secant(const ac_outer *outer);
void ac_outer_secant_between(const ac_outer *outer, const double *a, const double *b, double winding,
                             ac_outer_secant *secant);
/* How the secant changes where both ends do: ya, yb, D and its derivatives along the changes of a and b. */
void ac_outer_bend_secant(const ac_outer *outer, const double *a, const double *b, double winding,
                          const double *along_a, const double *along_b, ac_outer_secant *change);

/* outer_function.c: value and derivatives of a function without the factor, also by its variables alone. */
void ac_function_evaluate(const ac_outer *outer, const double *kappa, ac_outer_value *value);
void ac_function_third(const ac_outer *outer, const double *kappa, const double *s,
                       double cube[AC_OUTER_MAX][AC_OUTER_MAX]);
void ac_function_secant(const ac_outer *outer, const double *a, const double *b, ac_outer_secant *secant);
void ac_function_bend_secant(const ac_outer *outer, const double *a, const double *b, const double *along_a,
                             const double *along_b, ac_outer_secant *change);
double ac_function_value(const ac_outer_function *function, const double *x, double *first);
/* Derivative of the function, and of its derivatives by the maps, by one of its numbers. */
double ac_function_by_number(const ac_outer_function *function, const double *kappa, int number,
                             double d[AC_OUTER_MAX]);
/* The same of the secant between two ends: of D. */
void ac_function_secant_by_number(const ac_outer *outer, const double *a, const double *b, int number,
                                  double D[AC_OUTER_MAX]);

/* outer_box.c: the distance of a box from a point, a segment or another box, as a function of quadratic maps.
 *
 * In the axes of the box, whose half sizes are h, the other shape is c + s_1 r_1 + .. + s_m r_m with every s between -1 and 1:
 * a point (m = 0), a segment (m = 1) or a box (m = 3). The maps are c, r_1, .. r_m, three numbers each. Apart, the distance is
 * that of the closest features; overlapping, minus the least way that parts them, which is along the normal of a face of one or
 * across an edge of each. */
void ac_box_evaluate(const ac_outer *outer, const double *kappa, ac_outer_value *value);
void ac_box_third(const ac_outer *outer, const double *kappa, const double *w,
                  double cube[AC_OUTER_MAX][AC_OUTER_MAX]);

#endif
