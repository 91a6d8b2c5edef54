/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "work/farm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "work/pool.h"

#define AHEAD 2        /* number of queued work items per rank, besides those in progress */
#define WAIT 0.05      /* seconds between polls for messages */

struct farm {
    struct farm_taking taking;
    unsigned *room;        /* per rank, the number of work items that it still accepts */
    unsigned results;      /* number of ranks that have ended */
    bool failed, dropped;
    struct err err;        /* first failure: of a rank, of a result, or cancellation */
};

static void send_count(unsigned to, enum rank_kind kind, uint64_t value)
{
    struct str bytes = {0};
    pack_count(&bytes, value);
    ranks_send(to, kind, &bytes);
    str_done(&bytes);
}

struct farm *farm_new(enum rank_kind kind, unsigned workers, const struct str *setup,
                      const struct farm_taking *taking)
{
    struct str bytes = {0};

    if (!ranks_claim())
        return NULL;
    pack_count(&bytes, workers);
    pack_array(&bytes, setup->data, setup->length, 1);
    struct farm *f = mem_zero(1, sizeof *f);
    f->taking = *taking;
    f->room = mem_zero(ranks_count(), sizeof *f->room);
    for (unsigned rank = 1; rank < ranks_count(); rank++)
        ranks_send(rank, kind, &bytes);
    str_done(&bytes);
    return f;
}

static void fail(struct farm *f, const struct err *err)
{
    if (!f->failed)
        f->err = *err;
    f->failed = true;
}

/* Parses an answer or a result. An answer begins with the number of further work items that the
 * rank accepts. A result begins with 1, or with 0 and the error. */
static void take(struct farm *f, const struct rank_message *m)
{
    struct unpacking from = {m->bytes.data, m->bytes.length, false};
    struct err err = {0};

    if (m->kind == RANK_ANSWER) {
        f->room[m->from] += (unsigned)unpack_count(&from);
        if (!f->dropped && f->taking.answer && from.left)
            f->taking.answer(f->taking.state, &from);
    } else if (m->kind == RANK_RESULT) {
        f->results++;
        f->room[m->from] = 0;
        if (!unpack_count(&from) && !f->dropped) {
            const char *what = unpack_text(&from);
            err_set(&err, ERR_DATA, unpack_text(&from), "rank %u: %s", m->from, what);
            err_at(&err, unpack_text(&from), 0, 0);
            fail(f, &err);
        } else if (!f->dropped && f->taking.result &&
                   !f->taking.result(f->taking.state, &from, &err)) {
            fail(f, &err);
        }
    }
}

static unsigned most_room(const struct farm *f)
{
    unsigned best = 0;
    for (unsigned rank = 1; rank < ranks_count(); rank++)
        best = f->room[rank] > f->room[best] ? rank : best;
    return best;
}

bool farm_room(struct farm *f, double seconds)
{
    struct rank_message m = {0};

    for (; ranks_receive(most_room(f) ? 0 : seconds, &m); seconds = 0)
        take(f, &m);
    rank_message_done(&m);
    return most_room(f) != 0;
}

void farm_give(struct farm *f, const struct str *piece)
{
    unsigned to = most_room(f);

    f->room[to]--;
    ranks_send(to, RANK_PIECE, piece);
}

static void tell_all(enum rank_kind kind)
{
    struct str nothing = {0};
    for (unsigned rank = 1; rank < ranks_count(); rank++)
        ranks_send(rank, kind, &nothing);
}

/* Discards results if they are no longer needed. Still receives the results, because the next farm
 * could mistake late results for its own. */
static void drop_unwanted(struct farm *f)
{
    if (f->dropped || !f->taking.cancelled || !f->taking.cancelled(f->taking.state))
        return;
    tell_all(RANK_DROP);
    fail(f, &(struct err){.code = ERR_INTERRUPTED, .what = "cancelled"});
    f->dropped = true;
}

bool farm_end(struct farm *f, struct err *err)
{
    struct rank_message m = {0};

    tell_all(RANK_NO_MORE);
    while (f->results + 1 < ranks_count()) {
        drop_unwanted(f);
        if (ranks_receive(WAIT, &m))
            take(f, &m);
    }
    rank_message_done(&m);
    ranks_release();
    bool ok = !f->failed;
    if (!ok && err->code == ERR_NONE)
        *err = f->err;
    free(f->room);
    free(f);
    return ok;
}

/* State of a rank other than rank 0 */
struct farmhand {
    const struct farm_work *work;
    void *state;
    struct rank_message *pieces;     /* current work item of each worker */
    pthread_mutex_t lock;
    struct err err;                  /* error of open or of a failed work item; protected by
                                      * @lock */
    pthread_mutex_t ear;             /* lock of the thread that receives messages */
    VEC(struct rank_message) waiting;   /* received work items in order, protected by ear */
    bool last;                       /* whether no further work items follow; protected by @ear */
    _Atomic bool cancelled;
};

/* Waits up to @seconds for a message, and receives all that have arrived. The caller holds @ear. */
static void listen(struct farmhand *hand, double seconds)
{
    struct rank_message m = {0};

    for (; ranks_receive(seconds, &m); seconds = 0) {
        hand->last |= m.kind == RANK_NO_MORE;
        if (m.kind == RANK_DROP)
            atomic_store(&hand->cancelled, true);
        if (m.kind != RANK_PIECE)
            continue;
        vec_push(&hand->waiting, m);
        m = (struct rank_message){0};
    }
    rank_message_done(&m);
}

bool farm_cancelled(struct farmhand *hand)
{
    /* If another thread holds the lock, that thread receives the messages. */
    if (lock_try(&hand->ear)) {
        listen(hand, 0);
        lock_give(&hand->ear);
    }
    return atomic_load(&hand->cancelled);
}

static bool next_piece(void *state, unsigned worker)
{
    struct farmhand *hand = state;
    struct rank_message *m = &hand->pieces[worker];

    rank_message_done(m);
    *m = (struct rank_message){0};
    lock_take(&hand->ear);
    while (!hand->waiting.count && !hand->last && !atomic_load(&hand->cancelled))
        listen(hand, WAIT);
    bool some = hand->waiting.count && !atomic_load(&hand->cancelled);
    if (some) {
        *m = hand->waiting.items[0];
        memmove(hand->waiting.items, hand->waiting.items + 1,
                --hand->waiting.count * sizeof *hand->waiting.items);
    }
    lock_give(&hand->ear);
    return some;
}

static void work_piece(void *state, unsigned worker)
{
    struct farmhand *hand = state;
    struct unpacking piece = {hand->pieces[worker].bytes.data, hand->pieces[worker].bytes.length,
                              false};
    struct str answer = {0};
    struct err err = {0};

    pack_count(&answer, 1);
    lock_take(&hand->lock);
    bool on = hand->state && hand->err.code == ERR_NONE;
    lock_give(&hand->lock);
    if (on && !hand->work->work(hand->state, worker, &piece, &answer, &err)) {
        lock_take(&hand->lock);
        hand->err = hand->err.code == ERR_NONE ? err : hand->err;
        lock_give(&hand->lock);
    }
    ranks_send(0, RANK_ANSWER, &answer);
    str_done(&answer);
}

void farm_serve(const struct rank_message *setup, const struct farm_work *work)
{
    static const struct pool_ops ops = {next_piece, work_piece};
    struct unpacking from = {setup->bytes.data, setup->bytes.length, false};
    unsigned workers = (unsigned)unpack_count(&from);
    struct farmhand hand = {.work = work};
    struct str result = {0}, found = {0};

    workers = workers ? workers : 1;
    hand.pieces = mem_zero(workers, sizeof *hand.pieces);

    pthread_mutex_init(&hand.lock, NULL);
    pthread_mutex_init(&hand.ear, NULL);
    hand.state = work->open(&hand, &from, workers, &hand.err);
    send_count(0, RANK_ANSWER, workers + AHEAD);
    pool_run(workers, &ops, &hand);
    bool ok = hand.err.code == ERR_NONE && !atomic_load(&hand.cancelled) &&
              work->close(hand.state, &found, &hand.err);
    pack_count(&result, ok);
    if (ok) {
        pack_array(&result, found.data, found.length, 1);
    } else {
        pack_text(&result, hand.err.what);
        pack_text(&result, hand.err.todo);
        pack_text(&result, hand.err.file);
    }
    ranks_send(0, RANK_RESULT, &result);
    str_done(&result);
    str_done(&found);
    if (hand.state)
        work->free(hand.state);
    for (unsigned i = 0; i < workers; i++)
        rank_message_done(&hand.pieces[i]);
    for (size_t i = 0; i < hand.waiting.count; i++)   /* Discards received work items. */
        rank_message_done(&hand.waiting.items[i]);
    vec_done(&hand.waiting);
    free(hand.pieces);
    pthread_mutex_destroy(&hand.lock);
    pthread_mutex_destroy(&hand.ear);
}
