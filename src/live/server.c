/* HTTP for a session, by libmicrohttpd; one thread for each connection, so that a slow reader only delays itself.
 *
 *   GET  /TOKEN/         the page
 *   GET  /TOKEN/scene    what is drawn, once
 *   GET  /TOKEN/controls the task, and what of a simulation can be set, once
 *   GET  /TOKEN/stream   snapshots as server-sent events; a reader that is slow gets the newest only
 *   POST /TOKEN/do       commands
 *
 * Everything else is 404. A Host that is not the loopback address, or an Origin that is another page, is 403: a page of
 * another site can then neither read nor write, not even by a name that it lets point here. */
#include "live/server.h"

#include "base/base.h"

#ifdef AC_HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "live/page.h"

enum { BODY_MAX = 4096, STREAMS_MAX = 120, CONNECTIONS_MAX = 200, STACK = 256 * 1024 };

struct ac_server {
    ac_context *ctx;
    ac_session *session;
    struct MHD_Daemon *daemon;
    char token[AC_TOKEN_SIZE];
    char hosts[2][48];   /* "127.0.0.1:PORT", "localhost:PORT" */
    char origins[2][64]; /* "http://" and these */
};

/* A message on its way in. */
typedef struct body {
    size_t length;
    bool too_long;
    char text[BODY_MAX + 1];
} body;

/* A client of the stream. */
typedef struct stream {
    ac_session *session;
    long number;
    size_t length, sent;
    char *text;
    size_t size;
} stream;

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type,
                              const void *text, size_t length, enum MHD_ResponseMemoryMode mode)
{
    const union {
        const void *in;
        void *out;
    } bytes = {.in = text}; /* the library does not write there */
    struct MHD_Response *response = MHD_create_response_from_buffer(length, bytes.out, mode);
    if (!response) return MHD_NO;
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result answer_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
    return answer(connection, status, "text/plain; charset=utf-8", text, strlen(text), MHD_RESPMEM_MUST_COPY);
}

/* --- who may speak --- */

static bool one_of(const char *value, const char *first, const char *second)
{
    return strcmp(value, first) == 0 || strcmp(value, second) == 0;
}

static bool is_trusted(const ac_server *server, struct MHD_Connection *connection)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
    if (!host || !one_of(host, server->hosts[0], server->hosts[1])) return false;
    return !origin || one_of(origin, server->origins[0], server->origins[1]);
}

/* What stands behind the token; NULL: it is another one. All of it is compared, whatever differs. */
static const char *path_of(const ac_server *server, const char *url)
{
    unsigned differs = 0;
    if (url[0] != '/' || strlen(url) < AC_TOKEN_SIZE) return NULL;
    for (int k = 0; k < AC_TOKEN_SIZE - 1; ++k) differs |= (unsigned)(url[1 + k] ^ server->token[k]);
    return differs == 0 && url[AC_TOKEN_SIZE] == '/' ? url + AC_TOKEN_SIZE + 1 : NULL;
}

/* --- the stream --- */

static ssize_t next_bytes(void *user, uint64_t position, char *buffer, size_t size)
{
    static const double patience = 5.0; /* s, then a sign of life */
    stream *s = user;
    (void)position;
    if (s->sent == s->length) {
        long length = ac_session_wait(s->session, &s->number, patience, s->text + 6, s->size - 8);
        if (length < 0) return MHD_CONTENT_READER_END_OF_STREAM;
        s->sent = 0;
        if (length == 0) {
            memcpy(s->text, ": alive\n\n", 9);
            s->length = 9;
        } else {
            memcpy(s->text, "data: ", 6);
            memcpy(s->text + 6 + length, "\n\n", 2);
            s->length = (size_t)length + 8;
        }
    }
    size_t count = s->length - s->sent < size ? s->length - s->sent : size;
    memcpy(buffer, s->text + s->sent, count);
    s->sent += count;
    return (ssize_t)count;
}

static void end_stream(void *user)
{
    stream *s = user;
    pthread_mutex_lock(&s->session->lock);
    --s->session->clients;
    pthread_mutex_unlock(&s->session->lock);
    free(s->text);
    free(s);
}

static bool begin_client(ac_session *session)
{
    pthread_mutex_lock(&session->lock);
    bool room = session->clients < STREAMS_MAX;
    if (room) ++session->clients;
    pthread_mutex_unlock(&session->lock);
    return room;
}

static enum MHD_Result answer_stream(ac_server *server, struct MHD_Connection *connection)
{
    if (!begin_client(server->session)) return answer_text(connection, 503, "too many clients");
    stream *s = calloc(1, sizeof *s); /* the context belongs to another thread */
    if (s) {
        s->session = server->session;
        s->size = server->session->snapshot.size + 16;
        s->text = malloc(s->size);
    }
    struct MHD_Response *response = s && s->text ? MHD_create_response_from_callback(
                                                       MHD_SIZE_UNKNOWN, 8192, next_bytes, s, end_stream)
                                                 : NULL;
    if (!response) {
        pthread_mutex_lock(&server->session->lock);
        --server->session->clients;
        pthread_mutex_unlock(&server->session->lock);
        if (s) free(s->text);
        free(s);
        return answer_text(connection, 503, "out of memory");
    }
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

/* --- requests --- */

static void refuse(ac_server *server)
{
    pthread_mutex_lock(&server->session->lock);
    ++server->session->refused;
    pthread_mutex_unlock(&server->session->lock);
}

static enum MHD_Result get(ac_server *server, struct MHD_Connection *connection, const char *path)
{
    if (path[0] == '\0')
        return answer(connection, 200, "text/html; charset=utf-8", ac_live_page, ac_live_page_size,
                      MHD_RESPMEM_PERSISTENT);
    if (strcmp(path, "scene") == 0) {
        const char *scene = ac_problem_scene(server->session->problem);
        return answer(connection, 200, "application/json", scene, strlen(scene), MHD_RESPMEM_PERSISTENT);
    }
    if (strcmp(path, "controls") == 0) {
        const char *controls = server->session->controls;
        return answer(connection, 200, "application/json", controls, strlen(controls),
                      MHD_RESPMEM_PERSISTENT);
    }
    if (strcmp(path, "stream") == 0) return answer_stream(server, connection);
    return answer_text(connection, 404, "not found");
}

static enum MHD_Result post(ac_server *server, struct MHD_Connection *connection, body *message,
                            size_t *upload_size, const char *upload)
{
    char reply[AC_LIVE_REPLY];
    if (*upload_size > 0) {
        if (message->length + *upload_size > BODY_MAX) {
            message->too_long = true;
        } else {
            memcpy(message->text + message->length, upload, *upload_size);
            message->length += *upload_size;
        }
        *upload_size = 0;
        return MHD_YES;
    }
    message->text[message->length] = '\0';
    if (message->too_long || strlen(message->text) != message->length) {
        refuse(server);
        return answer_text(connection, message->too_long ? 413 : 400,
                           "the message is too long or not a text");
    }
    int status = ac_session_command(server->session, message->text, reply);
    return answer_text(connection, (unsigned)status, reply);
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    ac_server *server = user;
    bool posts = strcmp(method, "POST") == 0;
    (void)version;
    if (!*state) { /* the headers have come */
        *state = calloc(1, sizeof(body));
        return *state ? MHD_YES : MHD_NO;
    }
    const char *path = path_of(server, url);
    bool wanted = path && posts && strcmp(path, "do") == 0 && is_trusted(server, connection);
    if (*upload_size > 0 && !wanted) { /* read to its end, then refused */
        *upload_size = 0;
        return MHD_YES;
    }
    if (!is_trusted(server, connection) || !path) {
        refuse(server);
        return path ? answer_text(connection, 403, "this host or origin is not served")
                    : answer_text(connection, 404, "not found");
    }
    if (wanted) return post(server, connection, *state, upload_size, upload);
    if (strcmp(method, "GET") == 0) return get(server, connection, path);
    return answer_text(connection, 405, "not allowed");
}

static void completed(void *user, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code)
{
    (void)user, (void)connection, (void)code;
    free(*state);
    *state = NULL;
}

static struct MHD_Daemon *start_daemon(ac_server *server, int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0,
                            NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR, &address,
                            MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
                            MHD_OPTION_CONNECTION_TIMEOUT, 15U, MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK,
                            MHD_OPTION_NOTIFY_COMPLETED, completed, NULL, MHD_OPTION_END);
}

ac_status ac_server_start(ac_context *ctx, ac_session *session, const char token[AC_TOKEN_SIZE], int *port,
                          ac_server **out)
{
    ac_server *server;
    AC_NEW(ctx, server, 1);
    server->ctx = ctx;
    server->session = session;
    memcpy(server->token, token, AC_TOKEN_SIZE);
    server->daemon = start_daemon(server, *port);
    if (!server->daemon) {
        ac_release(ctx, server);
        return ac_fail(ctx, AC_IO_FAILED, "port %d of the loopback interface cannot be opened", *port);
    }
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);
    if (info) *port = info->port;
    static const char *const names[2] = {"127.0.0.1", "localhost"};
    for (int k = 0; k < 2; ++k) {
        snprintf(server->hosts[k], sizeof server->hosts[k], "%s:%d", names[k], *port);
        snprintf(server->origins[k], sizeof server->origins[k], "http://%s:%d", names[k], *port);
    }
    *out = server;
    return AC_OK;
}

void ac_server_stop(ac_server *server)
{
    if (!server) return;
    MHD_stop_daemon(server->daemon);
    ac_release(server->ctx, server);
}

#else

ac_status ac_server_start(ac_context *ctx, ac_session *session, const char token[AC_TOKEN_SIZE], int *port,
                          ac_server **out)
{
    (void)session, (void)token, (void)port;
    *out = NULL;
    return ac_fail(ctx, AC_BAD_INPUT, "actio was built without libmicrohttpd: there is no live page");
}

void ac_server_stop(ac_server *server)
{
    (void)server;
}

#endif
