/* The processes of one run of the program on one or more machines, started together by an MPI
 * launcher (mpirun, srun), and messages of bytes between them.
 *
 * Rank 0 is the ordinary program: it reads the script, has the session, writes files and prints.
 * The others (cmd/rank_worker.h) wait for work from rank 0, and do nothing else. Without MPI
 * (ranks_alone.c), or without a launcher, a process is alone: rank 0 of 1.
 *
 * All ranks are the same program on the same kind of processor: messages hold values in their
 * memory layout (base/pack.h). When a rank dies the launcher ends the others; checkpoints stay. */
#ifndef PORTOLAN_RANKS_RANKS_H
#define PORTOLAN_RANKS_RANKS_H

#include "base/err.h"
#include "base/str.h"

/* Kind of a message; the first are for a rank that waits for work. */
enum rank_kind {
    RANK_QUIT = 1,
    RANK_EVOLVE,       /* work/islands.h */
    RANK_EVALUATE,     /* a piece after a piece (work/farm.h): blocks of kernel evaluate */
    RANK_SCAN,         /* files of forms scan */
    RANK_SWEEP,        /* values of program sweep */
    RANK_MIGRANT,      /* of islands */
    RANK_PORTS,
    RANK_CONTROL,
    RANK_FINISHED,
    RANK_PIECE,        /* of a farm */
    RANK_ANSWER,
    RANK_NO_MORE,
    RANK_DROP,         /* discard the remaining work */
    RANK_RESULT,
};

struct rank_message {
    unsigned from;
    enum rank_kind kind;
    struct str bytes;
};

/* Main thread, first of all and once: joins the others where a launcher started this process. False
 * with err when MPI refuses. */
bool ranks_begin(int *argc, char ***argv, struct err *err);
/* Main thread, last: waits until all messages are sent and all other ranks end. */
void ranks_end(void);
/* Whether a launcher started this process. Its standard output may then be a hidden terminal of the
 * launcher's. */
bool ranks_launched(void);

/* Any thread. */
unsigned ranks_count(void);
unsigned ranks_index(void);
/* Of @processors that this process may use those that are its own where several ranks share a
 * machine and none is bound to a part of it; at least 1. */
unsigned ranks_share(unsigned processors);

/* Sends a copy; returns at once. Any thread. */
void ranks_send(unsigned to, enum rank_kind kind, const struct str *bytes);
/* Messages to @to that are not on their way yet. */
size_t ranks_unsent(unsigned to);
/* The next message, of any kind and rank; waits at most @seconds for one. Frees the previous
 * content of @out; the caller frees the new one by rank_message_done. False when none came, and
 * @out is unchanged. Any thread, one of a conversation at a time. */
bool ranks_receive(double seconds, struct rank_message *out);
void rank_message_done(struct rank_message *m);

/* Rank 0: a conversation with all the others at a time. True when they are there and free;
 * ranks_release gives them back. Any thread. */
bool ranks_claim(void);
void ranks_release(void);

#endif
