/* HTTP for a session, by libmicrohttpd; one thread for each connection, so that a slow reader only delays itself.
 *
 *   GET  /TOKEN/         the page
 *   GET  /TOKEN/scene    what is drawn, again when a parameter changed it
 *   GET  /TOKEN/controls the task, and what of a simulation can be set, once
 *   GET  /TOKEN/stream   snapshots as server-sent events; a reader that is slow gets the newest only
 *   POST /TOKEN/do       commands
 *
 * A request must have come whole within seconds, and of many that have not the oldest go, so that connections which send
 * nothing, or a byte now and then, keep nobody out.
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
#include <unistd.h>

#include "live/page.h"

enum { BODY_MAX = 4096, STREAMS_MAX = 120, WAITING_MAX = 60, CONNECTIONS_MAX = 200, STACK = 256 * 1024 };

static const double PATIENCE = 15.0; /* s, from the start of a request to its end, and between requests */

/* A connection. */
typedef struct caller {
    bool used, waits; /* waits: its request has not come whole */
    int socket;
    double since;
} caller;

struct ac_server {
    ac_context *ctx;
    ac_session *session;
    struct MHD_Daemon *daemon;
    char token[AC_TOKEN_SIZE];
    char hosts[2][48];   /* "127.0.0.1:PORT", "localhost:PORT" */
    char origins[2][64]; /* "http://" and these */
    pthread_mutex_t lock;
    caller callers[CONNECTIONS_MAX];
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

/* --- who waits --- */

static void cut(caller *c)
{
    shutdown(c->socket, SHUT_RDWR); /* its thread sees the end and leaves */
    c->waits = false;
}

/* Ends what waits for too long, and the oldest of too many. */
static void cut_waiting(ac_server *server)
{
    double now = ac_live_clock();
    caller *oldest = NULL;
    int waiting = 0;
    for (caller *c = server->callers; c < server->callers + CONNECTIONS_MAX; ++c) {
        if (!c->used || !c->waits) continue;
        if (now - c->since > PATIENCE) {
            cut(c);
            continue;
        }
        ++waiting;
        if (!oldest || c->since < oldest->since) oldest = c;
    }
    if (waiting > WAITING_MAX) cut(oldest);
}

static void note_connection(void *user, struct MHD_Connection *connection, void **own,
                            enum MHD_ConnectionNotificationCode code)
{
    ac_server *server = user;
    pthread_mutex_lock(&server->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection,
                                                                       MHD_CONNECTION_INFO_CONNECTION_FD);
        caller *c = server->callers;
        while (c < server->callers + CONNECTIONS_MAX && c->used) ++c;
        bool room = info && c < server->callers + CONNECTIONS_MAX;
        if (room) *c = (caller){true, true, info->connect_fd, ac_live_clock()};
        *own = room ? c : NULL;
        cut_waiting(server);
    } else if (*own) {
        ((caller *)*own)->used = false;
    }
    pthread_mutex_unlock(&server->lock);
}

/* A request has come whole, or the next one is waited for. */
static void note_waiting(ac_server *server, struct MHD_Connection *connection, bool waits)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection,
                                                                   MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    caller *c = info ? info->socket_context : NULL;
    if (!c) return;
    pthread_mutex_lock(&server->lock);
    c->waits = waits;
    c->since = ac_live_clock();
    pthread_mutex_unlock(&server->lock);
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
        pthread_mutex_lock(&server->session->lock);
        const char *scene = ac_session_scene(server->session);
        enum MHD_Result result = answer(connection, 200, "application/json", scene, strlen(scene),
                                        MHD_RESPMEM_MUST_COPY);
        pthread_mutex_unlock(&server->session->lock);
        return result;
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
    if (*upload_size == 0) note_waiting(server, connection, false);
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
    (void)code;
    note_waiting(user, connection, true);
    free(*state);
    *state = NULL;
}

/* A socket at the port of the loopback interface, 0: at one that is free, which *port gets. Negative: there is none. */
static int open_port(int *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
    socklen_t size = sizeof address;
    int yes = 1, found = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (found < 0) return found;
    setsockopt(found, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(found, (struct sockaddr *)&address, size) != 0 || listen(found, SOMAXCONN) != 0 ||
        getsockname(found, (struct sockaddr *)&address, &size) != 0) {
        close(found);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return found;
}

/* The daemon owns the socket; without it the socket is closed here. */
static struct MHD_Daemon *start_daemon(ac_server *server, int listening)
{
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, handle,
        server, MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)PATIENCE, MHD_OPTION_THREAD_STACK_SIZE, (size_t)STACK,
        MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_NOTIFY_CONNECTION, note_connection, server,
        MHD_OPTION_END);
    if (!daemon && listening >= 0) close(listening);
    return daemon;
}

/* Who is served, before anybody is. */
static void name_hosts(ac_server *server, int port)
{
    static const char *const names[2] = {"127.0.0.1", "localhost"};
    for (int k = 0; k < 2; ++k) {
        snprintf(server->hosts[k], sizeof server->hosts[k], "%s:%d", names[k], port);
        snprintf(server->origins[k], sizeof server->origins[k], "http://%s:%d", names[k], port);
    }
}

ac_status ac_server_start(ac_context *ctx, ac_session *session, const char token[AC_TOKEN_SIZE], int *port,
                          ac_server **out)
{
    ac_server *server;
    AC_NEW(ctx, server, 1);
    server->ctx = ctx;
    server->session = session;
    memcpy(server->token, token, AC_TOKEN_SIZE);
    pthread_mutex_init(&server->lock, NULL);
    int listening = open_port(port);
    name_hosts(server, *port);
    server->daemon = listening < 0 ? NULL : start_daemon(server, listening);
    if (!server->daemon) {
        ac_release(ctx, server);
        return ac_fail(ctx, AC_IO_FAILED, "port %d of the loopback interface cannot be opened", *port);
    }
    *out = server;
    return AC_OK;
}

void ac_server_tidy(ac_server *server)
{
    pthread_mutex_lock(&server->lock);
    cut_waiting(server);
    pthread_mutex_unlock(&server->lock);
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

void ac_server_tidy(ac_server *server)
{
    (void)server;
}

void ac_server_stop(ac_server *server)
{
    (void)server;
}

#endif
