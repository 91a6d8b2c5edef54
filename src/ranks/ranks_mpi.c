/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Implementation with MPI. Any thread may call MPI functions, but only under one lock
 * (MPI_THREAD_SERIALIZED). */
#include "ranks/ranks.h"

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/mem.h"

/* minimum nanoseconds between polls; MPI's blocking wait would occupy a processor completely */
#define NAP_LEAST 50000L
#define NAP_MOST 2000000L

/* Environment variables that launchers set: Open MPI, PMIx (srun --mpi=pmix), PMI (MPICH, srun
 * --mpi=pmi2). */
static const char *const launchers[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};

struct sending {
    MPI_Request request;
    char *bytes;
    unsigned to;
    struct sending *next;
};

static struct {
    bool begun;
    /* number of ranks, index of this rank, and number of ranks on this machine */
    unsigned count, index, here;
    MPI_Comm world;
    pthread_mutex_t lock;
    struct sending *unsent;          /* messages that may not have been sent completely; protected
                                      * by @lock */
    atomic_bool claimed;
} ranks = {.count = 1, .here = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

bool ranks_launched(void)
{
    for (size_t i = 0; launchers[i]; i++)
        if (getenv(launchers[i]))
            return true;
    return false;
}

bool ranks_begin(int *argc, char ***argv, struct err *err)
{
    int provided, count, index, here;
    MPI_Comm local;

    if (!ranks_launched())
        return true;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED)
        return err_set(err, ERR_LIMIT, "use an MPI library with thread support",
                       "the MPI library does not support several threads");
    MPI_Comm_dup(MPI_COMM_WORLD, &ranks.world);
    MPI_Comm_size(ranks.world, &count);
    MPI_Comm_rank(ranks.world, &index);
    MPI_Comm_split_type(ranks.world, MPI_COMM_TYPE_SHARED, index, MPI_INFO_NULL, &local);
    MPI_Comm_size(local, &here);
    MPI_Comm_free(&local);
    ranks.count = (unsigned)count;
    ranks.index = (unsigned)index;
    ranks.here = (unsigned)here;
    ranks.begun = true;
    return true;
}

/* Frees the messages that have been sent. The caller has locked the lock. */
static void forget_sent(void)
{
    for (struct sending **at = &ranks.unsent; *at;) {
        struct sending *s = *at;
        int sent = 0;
        MPI_Test(&s->request, &sent, MPI_STATUS_IGNORE);
        if (!sent) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        free(s->bytes);
        free(s);
    }
}

void ranks_end(void)
{
    if (!ranks.begun)
        return;
    lock_take(&ranks.lock);
    for (struct sending *s = ranks.unsent; s; s = s->next)
        MPI_Wait(&s->request, MPI_STATUS_IGNORE);
    while (ranks.unsent) {
        struct sending *s = ranks.unsent;
        ranks.unsent = s->next;
        free(s->bytes);
        free(s);
    }
    MPI_Comm_free(&ranks.world);
    MPI_Finalize();
    ranks.begun = false;
    ranks.count = 1;
    lock_give(&ranks.lock);
}

unsigned ranks_count(void)
{
    return ranks.count;
}

unsigned ranks_index(void)
{
    return ranks.index;
}

unsigned ranks_share(unsigned processors)
{
    long all = sysconf(_SC_NPROCESSORS_ONLN);

    /* Uses all processors to which the launcher bound this rank. */
    if (all > 0 && processors < (unsigned)all)
        return processors;
    return processors > ranks.here ? processors / ranks.here : 1;
}

void ranks_send(unsigned to, enum rank_kind kind, const struct str *bytes)
{
    struct sending *s = mem_zero(1, sizeof *s);

    if (bytes->length > INT_MAX)
        die("a message of %zu bytes to rank %u is too long", bytes->length, to);
    s->to = to;
    s->bytes = mem_alloc(bytes->length + 1);
    if (bytes->length)
        memcpy(s->bytes, bytes->data, bytes->length);
    lock_take(&ranks.lock);
    forget_sent();
    MPI_Isend(s->bytes, (int)bytes->length, MPI_BYTE, (int)to, (int)kind, ranks.world, &s->request);
    s->next = ranks.unsent;
    ranks.unsent = s;
    lock_give(&ranks.lock);
}

size_t ranks_unsent(unsigned to)
{
    size_t n = 0;

    lock_take(&ranks.lock);
    forget_sent();
    for (const struct sending *s = ranks.unsent; s; s = s->next)
        n += s->to == to;
    lock_give(&ranks.lock);
    return n;
}

/* Receives a message if one has arrived. Returns false if there is none. */
static bool take(struct rank_message *out)
{
    int there = 0, length = 0;
    MPI_Message message;
    MPI_Status status;

    lock_take(&ranks.lock);
    forget_sent();
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, ranks.world, &there, &message, &status);
    if (there) {
        MPI_Get_count(&status, MPI_BYTE, &length);
        out->from = (unsigned)status.MPI_SOURCE;
        out->kind = (enum rank_kind)status.MPI_TAG;
        str_done(&out->bytes);
        out->bytes =
            (struct str){mem_alloc((size_t)length + 1), (size_t)length, (size_t)length + 1};
        MPI_Mrecv(out->bytes.data, length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        out->bytes.data[length] = 0;
    }
    lock_give(&ranks.lock);
    return there;
}

bool ranks_receive(double seconds, struct rank_message *out)
{
    double begun = clock_wall();
    long nap = NAP_LEAST;

    while (!take(out)) {
        if (clock_wall() - begun >= seconds)
            return false;
        nanosleep(&(struct timespec){0, nap}, NULL);
        nap = nap * 2 < NAP_MOST ? nap * 2 : NAP_MOST;
    }
    return true;
}

void rank_message_done(struct rank_message *m)
{
    str_done(&m->bytes);
}

bool ranks_claim(void)
{
    return ranks.begun && ranks.count > 1 && ranks.index == 0 &&
           !atomic_exchange(&ranks.claimed, true);
}

void ranks_release(void)
{
    atomic_store(&ranks.claimed, false);
}
