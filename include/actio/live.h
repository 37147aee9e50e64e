/* The live model: a problem in the browser, in real time.
 *
 * A page on the loopback interface shows the mechanism while it moves; a user drags bodies, changes methods and weights
 * or parameters and forces, opens joints, and records a session as a problem file that `actio run` replays to the same bits. Nobody else is
 * served: the address has a random token, Host and Origin are checked, and one client at a time has the controls.
 */
#ifndef ACTIO_LIVE_H
#define ACTIO_LIVE_H

#include "actio/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ac_live_settings {
    int port;           /* 0: any that is free */
    const char *folder; /* where sessions are recorded; NULL: the working folder */
    double seconds;     /* ends after so long; 0: when `stop` says so */
    bool paused;        /* waits for the user to start */
    /* File or pipe with samples for targets with the course live, "-": standard input; NULL: none. Lines
     * NAME X Y Z or NAME X Y Z RX RY RZ. */
    const char *samples;
} ac_live_settings;

/* Serves the problem (its task is track or simulate). `ready` gets the address; `stop` is asked a few times a
 * second and returns nonzero to end. */
AC_API ac_status ac_live_serve(ac_context *ctx, const ac_problem *problem, const ac_live_settings *settings,
                               void (*ready)(void *user, const char *address), int (*stop)(void *user),
                               void *user);

#ifdef __cplusplus
}
#endif
#endif
