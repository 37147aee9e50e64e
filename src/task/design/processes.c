/* Work shared by processes: each item is done by a child of its own, whose numbers come back through a pipe.
 *
 * Processes, not threads: the solver of optimisations is not re-entrant, and a child that crashes takes nothing along. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "task/design/design.h"

enum { MESSAGE_SIZE = 512, JOBS_MAX = 256, PULSE = 100 /* ms */ };

typedef struct child {
    pid_t pid; /* 0: free */
    int from;  /* end of its pipe */
    int item;
    char *bytes;
    int size, room;
} child;

/* What comes through the pipe before the numbers. */
typedef struct parcel {
    ac_status status;
    int count;
    char message[MESSAGE_SIZE];
} parcel;

static bool write_all(int to, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t written = write(to, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        size -= (size_t)written;
    }
    return true;
}

/* The child: works, sends, ends. */
static void work_and_leave(const ac_processes *pool, int item, int to)
{
    parcel p;
    double *numbers = NULL;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    memset(&p, 0, sizeof p);
    p.status = pool->work(pool->user, item, &numbers, &p.count);
    strncpy(p.message, ac_context_message(pool->ctx), sizeof p.message - 1);
    if (!numbers) p.count = 0;
    bool sent = write_all(to, &p, sizeof p) &&
                (p.count == 0 || write_all(to, numbers, (size_t)p.count * sizeof *numbers));
    _exit(sent ? 0 : 1);
}

static ac_status start(const ac_processes *pool, int item, child *c)
{
    int ends[2];
    if (pipe(ends) != 0) return ac_fail(pool->ctx, AC_IO_FAILED, "no pipe to a process: %s", strerror(errno));
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        work_and_leave(pool, item, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return ac_fail(pool->ctx, AC_IO_FAILED, "no further process: %s", strerror(errno));
    }
    *c = (child){.pid = pid, .from = ends[0], .item = item};
    return AC_OK;
}

static void end_child(const ac_processes *pool, child *c, bool stop)
{
    if (stop) kill(c->pid, SIGKILL);
    close(c->from);
    while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR) {}
    ac_release(pool->ctx, c->bytes);
    *c = (child){0};
}

/* The numbers of a child that has ended. */
static ac_status unpack(const ac_processes *pool, const child *c)
{
    parcel p;
    double *numbers = NULL;
    bool whole = (size_t)c->size >= sizeof p;
    if (whole) memcpy(&p, c->bytes, sizeof p);
    if (!whole || (size_t)c->size != sizeof p + (size_t)p.count * sizeof *numbers)
        return ac_fail(pool->ctx, AC_IO_FAILED, "the process of an evaluation ended without a result");
    if (p.status != AC_OK) return ac_fail(pool->ctx, p.status, "%s", p.message);
    AC_NEW(pool->ctx, numbers, p.count);
    memcpy(numbers, c->bytes + sizeof p, (size_t)p.count * sizeof *numbers);
    return pool->take(pool->user, c->item, numbers, p.count, p.message);
}

/* Reads what is there; *ended: the child has closed its pipe. */
static ac_status receive(const ac_processes *pool, child *c, bool *ended)
{
    enum { PIECE = 65536 };
    AC_TRY(ac_grow(pool->ctx, (void **)&c->bytes, &c->room, c->size + PIECE, 1));
    ssize_t count = read(c->from, c->bytes + c->size, PIECE);
    if (count < 0 && errno == EINTR) return AC_OK;
    *ended = count <= 0;
    if (count > 0) c->size += (int)count;
    return AC_OK;
}

static ac_status collect(const ac_processes *pool, child *children, int jobs, int *running)
{
    struct pollfd wait_for[JOBS_MAX];
    for (int k = 0; k < jobs; ++k)
        wait_for[k] = (struct pollfd){.fd = children[k].pid ? children[k].from : -1, .events = POLLIN};
    if (poll(wait_for, (nfds_t)jobs, PULSE) <= 0) return AC_OK;
    for (int k = 0; k < jobs; ++k) {
        bool ended = false;
        if (!children[k].pid || !(wait_for[k].revents & (POLLIN | POLLHUP | POLLERR))) continue;
        AC_TRY(receive(pool, &children[k], &ended));
        if (!ended) continue;
        ac_status status = unpack(pool, &children[k]);
        end_child(pool, &children[k], false);
        --*running;
        AC_TRY(status);
    }
    return AC_OK;
}

static ac_status run_children(const ac_processes *pool, const int *items, int count, child *children,
                              int jobs)
{
    int next = 0, running = 0;
    while (next < count || running > 0) {
        for (int k = 0; k < jobs && next < count; ++k) {
            if (children[k].pid) continue;
            AC_TRY(start(pool, items[next], &children[k]));
            ++next;
            ++running;
        }
        AC_TRY(collect(pool, children, jobs, &running));
        if (pool->pulse(pool->user)) return ac_fail(pool->ctx, AC_INTERRUPTED, "interrupted");
    }
    return AC_OK;
}

static ac_status run_here(const ac_processes *pool, const int *items, int count)
{
    for (int k = 0; k < count; ++k) {
        double *numbers = NULL;
        int size = 0;
        if (pool->pulse(pool->user)) return ac_fail(pool->ctx, AC_INTERRUPTED, "interrupted");
        AC_TRY(pool->work(pool->user, items[k], &numbers, &size));
        AC_TRY(pool->take(pool->user, items[k], numbers, size, ac_context_message(pool->ctx)));
    }
    return AC_OK;
}

ac_status ac_processes_run(const ac_processes *pool, const int *items, int count)
{
    int jobs = pool->jobs < count ? pool->jobs : count;
    if (jobs > JOBS_MAX) jobs = JOBS_MAX;
    if (jobs <= 1) return run_here(pool, items, count);
    child children[JOBS_MAX] = {{0}};
    ac_status status = run_children(pool, items, count, children, jobs);
    for (int k = 0; k < jobs; ++k)
        if (children[k].pid) end_child(pool, &children[k], true);
    return status;
}
