/* Contacts: a gap that must not become negative, and what happens when it closes.
 *
 * A gap is the distance of a point of a node (with a radius: of a sphere about it) from a surface on the ground
 * or on another node, or the distance of a joint coordinate from a limit. When it closes at the speed
 * v < 0, the momentum jumps:
 *   elastic    the gap opens at -v, the energy stays
 *   lossy      the gap opens at -restitution v; `tangential` is the fraction of the tangential velocity
 *              that is lost; or the energy `loss` is taken from the motion normal to the surface
 *   sticking   the point stays at the place of impact
 *   sliding    the gap stays closed, the point moves along the surface
 *   transfer   the point sticks, and other contacts are released at the same instant
 *   latch      a joint coordinate stays at its limit for ever
 */
#ifndef ACTIO_CONTACT_H
#define ACTIO_CONTACT_H

#include "actio/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ac_surface {
    AC_SURFACE_PLANE,     /* through `other`, with `normal` towards the admissible side */
    AC_SURFACE_SPHERE,    /* about `other` */
    AC_SURFACE_ELLIPSOID, /* about `other`, semi-axes along the axes of its node */
    AC_SURFACE_LIMIT      /* of a joint coordinate */
} ac_surface;

typedef enum ac_behaviour {
    AC_ELASTIC,
    AC_LOSSY,
    AC_STICKING,
    AC_SLIDING,
    AC_TRANSFER,
    AC_LATCH
} ac_behaviour;

enum { AC_CONTACT_RELEASES = 8, AC_CONTACT_WINDOWS = 8 };

typedef struct ac_contact {
    const char *name;
    ac_surface surface;
    ac_point point; /* that strikes */
    double radius;  /* of a sphere about it */
    ac_point other; /* a point of the surface, or its centre */
    double normal[3];
    double other_radius;
    double axes[3]; /* semi-axes of an ellipsoid */
    bool inside;    /* sphere, ellipsoid: the point is within */
    int joint, coordinate;
    double limit;
    bool upper; /* the coordinate must not exceed the limit; otherwise not fall below */

    ac_behaviour behaviour;
    double restitution; /* lossy: 0 to 1 */
    double tangential;  /* lossy: 0 to 1 */
    double loss;        /* lossy: J, instead of `restitution`; negative: none */
    double friction;    /* coefficient that contact forces are compared with; negative: none */
    bool keep;          /* stays closed also when it pulls */
    bool closed;        /* is closed at the start: sticks (latch: is locked), or slides if it is sliding */
    bool until_open;    /* is ignored until its gap has been open */
    bool nodal;         /* elastic, lossy: balances energies of nodes instead of intervals */
    int release_count;  /* transfer: numbers of the contacts that open */
    int release[AC_CONTACT_RELEASES];
    int window_count; /* from ... to, s, in which it is ignored */
    double windows[AC_CONTACT_WINDOWS][2];
} ac_contact;

/* All fields zero but `loss` and `friction`, which are negative, and `restitution`, which is 1. */
AC_API ac_contact ac_contact_default(void);
/* Adds a copy and returns its number. Contacts it releases may be added later. */
AC_API ac_status ac_system_add_contact(ac_system *system, const ac_contact *contact, int *number);
AC_API int ac_system_contacts(const ac_system *system);
AC_API const char *ac_system_contact_name(const ac_system *system, int contact);

#ifdef __cplusplus
}
#endif
#endif
