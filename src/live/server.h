/* The server of a session: HTTP on the loopback interface. server.c is the only file that meets libmicrohttpd. */
#ifndef ACTIO_LIVE_SERVER_H
#define ACTIO_LIVE_SERVER_H

#include "live/session.h"

enum { AC_TOKEN_SIZE = 33 };

typedef struct ac_server ac_server;

/* Starts; `*port` gets the port that it found. */
ac_status ac_server_start(ac_context *ctx, ac_session *session, const char token[AC_TOKEN_SIZE], int *port,
                          ac_server **server);
/* Ends connections whose request does not come; called now and then. */
void ac_server_tidy(ac_server *server);
void ac_server_stop(ac_server *server);

#endif
