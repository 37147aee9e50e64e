/* A channel is a named quantity of a result: what a column of a table means. */
#ifndef ACTIO_CHANNEL_H
#define ACTIO_CHANNEL_H

#include "actio/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Names are paths: "energy/hamiltonian", "body/crank/position", "joint/hinge/angle". */
typedef struct ac_channel {
    const char *name;
    const char *unit;   /* "m", "J", "N m s", "1" */
    const char *labels; /* of the components, separated by spaces ("x y z"); "" for a single number */
    int width;          /* number of components; a multiple of the labels where they hold at several places */
} ac_channel;

enum { AC_LABEL_SIZE = 64 };

/* The name of a component, written into `label`: its word among the labels; with several places the number
 * of the place, from 0 on, in front of it ("20.z"); without labels its own number, from 1 on. */
AC_API const char *ac_component_label(const ac_channel *channel, int component, char label[AC_LABEL_SIZE]);
/* The component that is called so, or that has this number, from 1 on; -1 when there is none. */
AC_API int ac_component_find(const ac_channel *channel, const char *label);

#ifdef __cplusplus
}
#endif
#endif
