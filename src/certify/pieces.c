/* Threads, ranks, shards and journals at work on the items of a series. */
#include "certify/pieces.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "certify/journal.h"
#include "math/math.h"

enum { ROUND_ITEMS = 4096, WORKERS_MAX = 1024 };
static const double PROGRESS_INTERVAL = 0.2; /* s */

typedef struct worker {
    ac_pieces *pieces;
    ac_context *ctx;
    bool own_context, opened, started;
    ac_sample_run run;
    double *scratch; /* of the series */
    ac_status status;
    pthread_t thread;
} worker;

struct ac_pieces {
    ac_context *ctx;
    const ac_sample_source *source;
    const ac_certify_work *work;
    ac_journal *journal;
    long kept; /* blocks that the journal knew from a run before */
    worker *workers;
    int count;

    /* the items at hand */
    const ac_series *series;
    long first, end;
    double *numbers;
    atomic_long next, done;
    atomic_bool stop;
    double start, reported; /* s */
    long done_before;       /* items of the series that cost no time: from a journal */
    bool interrupted;
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- workers ---- */

static ac_status open_worker(ac_pieces *p, worker *w, int number)
{
    w->pieces = p;
    w->ctx = p->ctx;
    if (number > 0) {
        w->ctx = ac_context_new(NULL);
        if (!w->ctx) return ac_out_of_memory(p->ctx);
        w->own_context = true;
    }
    ac_status status = p->source->open(p->source->user, w->ctx, &w->run);
    if (status != AC_OK && w->own_context) ac_fail(p->ctx, status, "%s", ac_context_message(w->ctx));
    w->opened = status == AC_OK;
    return status;
}

static ac_status same_journal_everywhere(ac_pieces *p)
{
    const ac_certify_work *work = p->work;
    double mine = (double)ac_journal_blocks(p->journal);
    double *all = ac_allocate(p->ctx, (size_t)work->ranks, sizeof *all);
    if (!all) return ac_out_of_memory(p->ctx);
    ac_status status = AC_OK;
    if (work->gather(work->gather_user, &mine, 1, all) != 0)
        status = ac_fail(p->ctx, AC_IO_FAILED, "the exchange between the processes failed");
    for (int k = 0; k < work->ranks && status == AC_OK; ++k)
        if (all[k] != mine)
            status = ac_fail(
                p->ctx, AC_IO_FAILED,
                "the processes do not see the same journal; put it on a file system that all share");
    ac_release(p->ctx, all);
    return status;
}

static ac_status open_all(ac_pieces *p)
{
    const ac_certify_work *work = p->work;
    int count = work->workers > 0 ? work->workers : 1;
    if (count > WORKERS_MAX) count = WORKERS_MAX;
    AC_TRY(ac_journal_open(p->ctx, work->journal, work->fingerprint, work->parts, work->part_count,
                           work->ranks < 2 || work->rank == 0, &p->journal));
    if (work->part_count == 0) p->kept = ac_journal_blocks(p->journal);
    if (work->ranks > 1) AC_TRY(same_journal_everywhere(p));
    AC_NEW(p->ctx, p->workers, count);
    for (int k = 0; k < count; ++k) {
        p->count = k + 1;
        AC_TRY(open_worker(p, &p->workers[k], k));
    }
    return AC_OK;
}

ac_status ac_pieces_open(ac_context *ctx, const ac_sample_source *source, const ac_certify_work *work,
                         ac_pieces **pieces)
{
    ac_pieces *p;
    *pieces = NULL;
    AC_NEW(ctx, p, 1);
    p->ctx = ctx;
    p->source = source;
    p->work = work;
    ac_status status = open_all(p);
    if (status != AC_OK) {
        ac_pieces_close(p);
        return status;
    }
    *pieces = p;
    return AC_OK;
}

void ac_pieces_close(ac_pieces *p)
{
    if (!p) return;
    for (int k = 0; k < p->count && p->workers; ++k) {
        worker *w = &p->workers[k];
        if (w->opened) p->source->close(p->source->user, &w->run);
        if (w->own_context) ac_context_free(w->ctx);
    }
    ac_release(p->ctx, p->workers);
    ac_journal_close(p->journal);
    ac_release(p->ctx, p);
}

void ac_pieces_forget(const ac_pieces *p)
{
    const ac_certify_work *work = p ? p->work : NULL;
    if (work && work->journal && work->shards == 0 && work->rank == 0) unlink(work->journal);
}

long ac_pieces_kept(const ac_pieces *p)
{
    return p->kept;
}

const ac_sample_run *ac_pieces_runner(const ac_pieces *p)
{
    return &p->workers[0].run;
}

/* ---- progress ---- */

/* By the first worker only, which is the thread of the caller. */
static void tell_progress(ac_pieces *p)
{
    const ac_certify_work *work = p->work;
    double now = seconds();
    if (!work->progress || now - p->reported < PROGRESS_INTERVAL) return;
    p->reported = now;
    long done = atomic_load(&p->done);
    double items = (double)p->series->items, passed = now - p->start;
    double rate = passed > 0 ? (double)(done - p->done_before) / passed : 0;
    char words[128];
    int used = snprintf(words, sizeof words, "%s %ld of %ld", p->series->name, done, p->series->items);
    if (rate > 0) snprintf(words + used, sizeof words - (size_t)used, ", %.3g/s", rate);
    double share = p->series->before + p->series->share * ac_min(1.0, (double)done / items);
    if (work->progress(work->progress_user, share, words) == 0) return;
    p->interrupted = true;
    atomic_store(&p->stop, true);
}

/* ---- items ---- */

/* How many items a worker takes at once. */
static int group_of(const worker *w, const ac_series *series)
{
    return series->together && w->run.run_together && w->run.together > 1 ? w->run.together : 1;
}

static void *work_on(void *argument)
{
    worker *w = argument;
    ac_pieces *p = w->pieces;
    const ac_series *series = p->series;
    int group = group_of(w, series);
    while (!atomic_load(&p->stop)) {
        long item = atomic_fetch_add(&p->next, group);
        if (item >= p->end) break;
        int count = p->end - item < group ? (int)(p->end - item) : group;
        double *numbers = p->numbers + (item - p->first) * series->width;
        w->status = series->work(series->user, w->ctx, &w->run, item, count, w->scratch, numbers);
        if (w->status != AC_OK) {
            atomic_store(&p->stop, true);
            break;
        }
        atomic_fetch_add(&p->done, count);
        if (!w->own_context) tell_progress(p);
    }
    return NULL;
}

static ac_status joined(ac_pieces *p)
{
    for (int k = 0; k < p->count; ++k) {
        worker *w = &p->workers[k];
        if (w->status == AC_OK) continue;
        if (w->own_context) ac_fail(p->ctx, w->status, "%s", ac_context_message(w->ctx));
        return w->status;
    }
    if (p->interrupted) return ac_fail(p->ctx, AC_INTERRUPTED, "interrupted: %s", p->series->name);
    return AC_OK;
}

static ac_status compute(ac_pieces *p, long first, long end, double *numbers)
{
    p->first = first;
    p->end = end;
    p->numbers = numbers;
    atomic_store(&p->next, first);
    atomic_store(&p->stop, false);
    for (int k = 0; k < p->count; ++k) {
        worker *w = &p->workers[k];
        w->status = AC_OK;
        w->started = k > 0 && k < end - first && pthread_create(&w->thread, NULL, work_on, w) == 0;
    }
    work_on(&p->workers[0]);
    for (int k = 1; k < p->count; ++k)
        if (p->workers[k].started) pthread_join(p->workers[k].thread, NULL);
    return joined(p);
}

/* ---- blocks ---- */

typedef struct turn {
    long blocks;       /* of the series */
    long first;        /* block of this round */
    int mine;          /* blocks for each rank */
    double *own, *all; /* numbers of my blocks, and of everybody's */
    bool *known;       /* by the journal, for each of all */
} turn;

static long block_count(const ac_series *series, long block)
{
    long left = series->items - block * series->block;
    return left < series->block ? left : series->block;
}

/* In the journal, which several parts of the work may share. */
static unsigned number_of(const ac_pieces *p)
{
    return p->work->part * AC_SERIES_MAX + p->series->number;
}

static bool is_my_shard(const ac_certify_work *work, long block)
{
    return work->shards < 2 || block % work->shards == work->shard - 1;
}

/* Finds or computes the blocks from..to of this process; those of other shards stay unknown. */
static ac_status do_blocks(ac_pieces *p, turn *r, long from, long to, double *numbers)
{
    const ac_series *series = p->series;
    bool together = !p->work->journal && p->work->part_count == 0 && p->work->shards < 2;
    if (together) {
        long end = to * series->block < series->items ? to * series->block : series->items;
        for (long b = from; b < to; ++b) r->known[b - r->first] = true;
        return compute(p, from * series->block, end, numbers);
    }
    for (long b = from; b < to; ++b) {
        long count = block_count(series, b);
        bool *known = &r->known[b - r->first];
        double *at = numbers + (b - from) * series->block * series->width;
        AC_TRY(ac_journal_find(p->journal, number_of(p), b, count, series->width, at, known));
        if (*known) {
            atomic_fetch_add(&p->done, count);
            p->done_before += count;
            continue;
        }
        if (!series->everywhere && !is_my_shard(p->work, b)) continue;
        AC_TRY(compute(p, b * series->block, b * series->block + count, at));
        if (p->work->ranks < 2)
            AC_TRY(ac_journal_keep(p->journal, number_of(p), b, count, series->width, at));
        *known = true;
    }
    return AC_OK;
}

/* Afterwards everybody has the blocks of everybody. A rank that failed says so in the first number. */
static ac_status exchange(ac_pieces *p, turn *r, ac_status mine)
{
    const ac_certify_work *work = p->work;
    long size = (long)r->mine * p->series->block * p->series->width + 1;
    r->own[0] = (double)mine;
    if (work->gather(work->gather_user, r->own, size, r->all) != 0)
        return ac_fail(p->ctx, AC_IO_FAILED, "the exchange between the processes failed");
    if (mine != AC_OK) return mine;
    for (int k = 0; k < work->ranks; ++k) {
        ac_status other = (ac_status)r->all[k * size];
        if (other != AC_OK) return ac_fail(p->ctx, other, "process %d failed: %s", k, ac_status_text(other));
    }
    return AC_OK;
}

static ac_status take_block(ac_pieces *p, const turn *r, long block, bool *complete)
{
    const ac_series *series = p->series;
    long size = (long)series->block * series->width, count = block_count(series, block);
    long rank = (block - r->first) / r->mine, place = (block - r->first) % r->mine;
    bool many = p->work->ranks > 1;
    const double *numbers = (many ? r->all + rank * (r->mine * size + 1) : r->own) + 1 + place * size;
    if (!many && !r->known[block - r->first]) {
        *complete = false;
        return AC_OK;
    }
    if (many && !ac_journal_knows(p->journal, number_of(p), block))
        AC_TRY(ac_journal_keep(p->journal, number_of(p), block, count, series->width, numbers));
    return *complete ? series->take(series->user, block * series->block, count, numbers) : AC_OK;
}

static ac_status do_round(ac_pieces *p, turn *r, bool *complete)
{
    int ranks = p->work->ranks > 1 ? p->work->ranks : 1, rank = ranks > 1 ? p->work->rank : 0;
    long end = r->first + (long)r->mine * ranks;
    if (end > r->blocks) end = r->blocks;
    long from = r->first + (long)rank * r->mine, to = from + r->mine;
    if (from > end) from = end;
    if (to > end) to = end;
    for (long b = r->first; b < end; ++b) r->known[b - r->first] = false;
    ac_status status = from < to ? do_blocks(p, r, from, to, r->own + 1) : AC_OK;
    if (ranks > 1) status = exchange(p, r, status);
    AC_TRY(status);
    for (long b = r->first; b < end; ++b) AC_TRY(take_block(p, r, b, complete));
    return AC_OK;
}

static ac_status do_rounds(ac_pieces *p, turn *r, bool *complete)
{
    for (; r->first < r->blocks; r->first += (long)r->mine * (p->work->ranks > 1 ? p->work->ranks : 1)) {
        AC_TRY(do_round(p, r, complete));
        tell_progress(p);
        if (p->interrupted) return ac_fail(p->ctx, AC_INTERRUPTED, "interrupted: %s", p->series->name);
    }
    return AC_OK;
}

static void close_scratch(ac_pieces *p)
{
    for (int k = 0; k < p->count; ++k) {
        ac_release(p->ctx, p->workers[k].scratch);
        p->workers[k].scratch = NULL;
    }
}

static ac_status open_scratch(ac_pieces *p, const ac_series *series)
{
    for (int k = 0; k < p->count; ++k) {
        worker *w = &p->workers[k];
        w->scratch = ac_allocate(p->ctx, (size_t)group_of(w, series) * (size_t)series->scratch + 1,
                                 sizeof *w->scratch);
        if (!w->scratch) return ac_out_of_memory(p->ctx);
    }
    return AC_OK;
}

ac_status ac_pieces_run(ac_pieces *p, const ac_series *series, bool *complete)
{
    int ranks = p->work->ranks > 1 ? p->work->ranks : 1;
    turn r = {.blocks = (series->items + series->block - 1) / series->block,
              .mine = ROUND_ITEMS / series->block};
    if (r.mine > (r.blocks + ranks - 1) / ranks) r.mine = (int)((r.blocks + ranks - 1) / ranks);
    if (r.mine < 1) r.mine = 1;
    size_t size = (size_t)r.mine * (size_t)series->block * (size_t)series->width + 1;
    p->series = series;
    p->start = seconds();
    p->done_before = 0;
    atomic_store(&p->done, 0);
    r.own = ac_allocate(p->ctx, size, sizeof *r.own);
    r.all = ac_allocate(p->ctx, ranks > 1 ? size * (size_t)ranks : 1, sizeof *r.all);
    r.known = ac_allocate(p->ctx, (size_t)r.mine * (size_t)ranks, sizeof *r.known);
    *complete = true;
    ac_status status = r.own && r.all && r.known ? open_scratch(p, series) : ac_out_of_memory(p->ctx);
    if (status == AC_OK) status = do_rounds(p, &r, complete);
    close_scratch(p);
    ac_release(p->ctx, r.own);
    ac_release(p->ctx, r.all);
    ac_release(p->ctx, r.known);
    return status;
}
