/* Laws: the potential W(y) of a part of an element as a function of its one number y (a length, an angle, a strain), with
 * the derivatives that schemes and tasks need. A law is written once and used by simulation, equilibrium and optimal
 * control.
 */
#ifndef ACTIO_ACTION_LAW_H
#define ACTIO_ACTION_LAW_H

#include <stdbool.h>

enum { AC_LAW_DATA = 3 }; /* most numbers of a law: stiffness, value without stress, one more */

/* Derivatives by the numbers a, b of the law: of W, W' and W'' by one, of W and W' by two. */
typedef struct ac_law_slopes {
    double one[AC_LAW_DATA][3], two[AC_LAW_DATA][AC_LAW_DATA][2];
} ac_law_slopes;

/* Derivatives of a secant by its ends and by the numbers of the law. */
typedef struct ac_law_secant {
    double by_a, by_b, by_data[AC_LAW_DATA];
} ac_law_secant;

typedef struct ac_law {
    const char *name;
    bool of_square; /* of lengths: y is the square of the length, which is smooth where the length vanishes */
    /* W, W', W'', W''' */
    void (*value)(const double data[AC_LAW_DATA], double y, double w[4]);
    /* the slopes are zero before */
    void (*by_data)(const double data[AC_LAW_DATA], double y, ac_law_slopes *slopes);
    /* s with s (yb - ya) = W(yb) - W(ya), symmetric in both, and its derivatives; NULL: the law has none, and the
     * energy-momentum scheme refuses it */
    double (*secant)(const double data[AC_LAW_DATA], double ya, double yb, ac_law_secant *slopes);
    /* How these derivatives change where the ends and the numbers do; NULL: not known, and second derivatives with the energy-momentum
     * scheme are refused. */
    void (*bend_secant)(const double data[AC_LAW_DATA], double by_a, double by_b,
                        const double by_data[AC_LAW_DATA], ac_law_secant *change);
} ac_law;

/* k/2 (y - rest)^2 with the numbers k, rest. */
extern const ac_law ac_law_quadratic;
/* k/2 y of the square y of a length: a spring of length zero. */
extern const ac_law ac_law_square;
/* k y, of a function that is an energy itself. */
extern const ac_law ac_law_linear;

/* A law with its numbers, and the damping force -c y' grad y beside it. */
typedef struct ac_law_numbers {
    const ac_law *law;
    double data[AC_LAW_DATA];
    double damping;
    bool elastic; /* does the potential act? */
    bool secant;  /* the rate y' is (y(q_b) - y(q_a)) / h instead of grad y . v */
} ac_law_numbers;

#endif
