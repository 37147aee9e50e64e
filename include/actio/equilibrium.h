/* Equilibria: stationary points of the potential, with their stability, and paths of them under a
 * growing load. */
#ifndef ACTIO_EQUILIBRIUM_H
#define ACTIO_EQUILIBRIUM_H

#include "actio/channel.h"
#include "actio/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AC_LEVELS_MAX = 16 };
enum { AC_NOT_JUDGED = -1 };

typedef struct ac_equilibrium_settings {
    double time;           /* at which the loads are taken, s */
    int steps;             /* loads and gravity grow in so many equal steps from nothing to their full size */
    bool constant_gravity; /* gravity, like loads that are marked constant, acts in full from the beginning */
    double tolerance;      /* on the last correction: rad, or m over the typical length */
    int max_iterations;    /* of Newton's method */
    bool follow;           /* follow the load path by its length instead, through limit points */
    /* Along the path: root mean square of the displacements of all nodes, m; turns count with the typical
     * length. A load that moves nothing grows by as much as would move the softest motion by the step.
     * Negative: the load starts the other way. */
    double arc_step;
    int points;      /* of the path, events not counted */
    int branch;      /* leave the path at the bifurcation with this number; 0: never. Must be reached. */
    bool other_side; /* leave it to the other side */
    int level_count; /* load factors at which the path gets a point, each time it passes */
    double levels[AC_LEVELS_MAX];
    /* solve for all coordinates and the multipliers of all constraints, not for the freedoms; no path */
    bool multipliers;
    bool forces; /* record loads and springs as forces and torques at their places */
    /* The ground and all that stands on it turn steadily about an axis through the origin, rad/s: places, loads and springs
     * are those in the turning axes; gravity is along the axis. */
    double spin[3];
} ac_equilibrium_settings;

AC_API void ac_equilibrium_defaults(ac_equilibrium_settings *settings);

typedef struct ac_equilibrium ac_equilibrium;

typedef enum ac_equilibrium_event {
    AC_EVENT_NONE,
    AC_EVENT_LIMIT,
    AC_EVENT_BIFURCATION,
    AC_EVENT_LEVEL
} ac_equilibrium_event;

/* The current point. */
typedef struct ac_equilibrium_point {
    double path;     /* load step, or length of the path */
    double factor;   /* of loads and gravity, where they are not constant */
    double energy;   /* potential of elements and gravity, without the loads, J */
    double residual; /* N; turns count with the typical length */
    int iterations;  /* corrections of Newton's method, fruitless ones of the load step included */
    /* Eigenvalues of the reduced Hessian below zero, and zero: stable when both are none. Both are
     * AC_NOT_JUDGED where the loads have no potential. */
    int negative, neutral;
    ac_equilibrium_event event;
    double within; /* an event: its load factor is known to so much, where points are missing; else 0 */
    int descent;   /* steps downhill, where no equilibrium was near */
} ac_equilibrium_point;

/* The system must be finished; its assembled configuration is where the search starts. */
AC_API ac_status ac_equilibrium_new(ac_context *ctx, const ac_system *system,
                                    const ac_equilibrium_settings *settings, ac_equilibrium **equilibrium);
AC_API void ac_equilibrium_free(ac_equilibrium *equilibrium);

/* Goes to the next point; `*done` when there is none. AC_NOT_CONVERGED when it cannot be found. */
AC_API ac_status ac_equilibrium_next(ac_equilibrium *equilibrium, bool *done);
AC_API const ac_equilibrium_point *ac_equilibrium_at(const ac_equilibrium *equilibrium);
AC_API const double *ac_equilibrium_configuration(const ac_equilibrium *equilibrium);
/* The residual that rounding of the coordinates in their last digit leaves at the last point, N: stiff systems with long lever
 * arms cannot have a smaller one. */
AC_API double ac_equilibrium_rounding(ac_equilibrium *equilibrium);
/* How large all loads and the weight are at the last point, N. */
AC_API double ac_equilibrium_loads(ac_equilibrium *equilibrium);
/* Whether the tension of a beam at the present point is more than its elements bear without a kink, so that
 * its eigenvalues are those of the mesh, or more than half of that where beams are bent, which is too easy
 * then; the text says which beam and what helps. */
AC_API bool ac_equilibrium_kink(const ac_equilibrium *equilibrium, char *text, size_t size);
/* The largest angle between neighbouring nodes of a beam at the points so far, rad; beyond an eighth turn an
 * element of the director model and order 1 resists less than the material. */
AC_API double ac_equilibrium_largest_bend(const ac_equilibrium *equilibrium);
AC_API int ac_equilibrium_unknowns(const ac_equilibrium *equilibrium);

/* A small motion about the present point, x exp(s t). */
typedef struct ac_mode {
    double frequency; /* |Im s| / 2 pi, Hz; 0: it does not oscillate */
    double growth;    /* Re s, 1/s */
    double
        damping; /* -Re s / |s|: 0 without damping, 1 where it does not oscillate, negative where it grows */
    bool free;   /* nothing resists it */
} ac_mode;

/* The `count` modes nearest to a frequency, Hz, slowest first; `found` may be less. At the present point, which need
 * not be at rest in the sense of its loads if `modes` of the initial configuration are wanted. */
AC_API ac_status ac_equilibrium_modes(ac_equilibrium *equilibrium, int count, double near, ac_mode *modes,
                                      int *found);
/* The row of the system displaced along mode `mode` (from 0) of the last call: the largest displacement of a node is
 * `amplitude` typical lengths, or its largest turn as many radians; phase 0 to 2 pi is one period. */
AC_API void ac_equilibrium_mode_row(ac_equilibrium *equilibrium, int mode, double amplitude, double phase,
                                    double *row);

/* The point as a row of named channels. */
AC_API const ac_channel *ac_equilibrium_channels(const ac_equilibrium *equilibrium, int *count);
AC_API void ac_equilibrium_row(ac_equilibrium *equilibrium, double *row);

#ifdef __cplusplus
}
#endif
#endif
