/* A reader of samples beside the session. */
#ifndef ACTIO_LIVE_STREAM_H
#define ACTIO_LIVE_STREAM_H

#include "live/session.h"

typedef struct ac_stream_reader ac_stream_reader;

/* path: see ac_live_settings; NULL: no reader. A reader that failed is stopped, too. */
ac_status ac_stream_reader_start(ac_context *ctx, ac_session *session, const char *path,
                                 ac_stream_reader **reader);
/* After ac_session_end. */
void ac_stream_reader_stop(ac_stream_reader *reader);

#endif
