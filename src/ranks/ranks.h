/* Processes of one run on one or more machines, started by an MPI launcher (mpirun, srun), and
 * messages of bytes between them. Rank 0 is the ordinary program: it has the script, session, files
 * and output. The others (cmd/rank_worker.h) only serve rank 0. Without MPI (ranks_alone.c) or a
 * launcher a process is rank 0 of 1. All ranks run the same program on the same kind of processor:
 * messages hold values in memory layout (base/pack.h). When a rank dies the launcher ends the
 * others; checkpoints stay. */
#ifndef PORTOLAN_RANKS_RANKS_H
#define PORTOLAN_RANKS_RANKS_H

#include "base/err.h"
#include "base/str.h"

/* Kind of a message; the first ones are for a waiting rank. */
enum rank_kind {
    RANK_QUIT = 1,
    RANK_EVOLVE,       /* work/islands.h */
    RANK_EVALUATE,     /* series of work items (work/farm.h): blocks of kernel evaluate */
    RANK_SCAN,         /* files of forms scan */
    RANK_SWEEP,        /* values of program sweep */
    RANK_MIGRANT,      /* individual between islands */
    RANK_PORTS,
    RANK_CONTROL,
    RANK_FINISHED,
    RANK_PIECE,        /* a work item of a farm */
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

/* Connects to the other ranks if a launcher started this process. Main thread, before anything
 * else, once. False with err when MPI fails. */
bool ranks_begin(int *argc, char ***argv, struct err *err);
/* Waits until all messages are sent and all other ranks end. Main thread, last. */
void ranks_end(void);
/* Returns whether a launcher started this process. Its standard output may then be the launcher's
 * pseudo-terminal. */
bool ranks_launched(void);

/* Any thread. */
unsigned ranks_count(void);
unsigned ranks_index(void);
/* Processors for this rank, of @processors allowed to the process, if several ranks share a machine
 * without binding; at least 1. */
unsigned ranks_share(unsigned processors);

/* Sends a copy; returns at once. Any thread. */
void ranks_send(unsigned to, enum rank_kind kind, const struct str *bytes);
/* Number of messages to @to that are not sent yet. */
size_t ranks_unsent(unsigned to);
/* Receives the next message, of any kind and rank; waits at most @seconds. Replaces the content of
 * @out, which the caller frees by rank_message_done. False when none came, with @out unchanged. Any
 * thread, one per conversation. */
bool ranks_receive(double seconds, struct rank_message *out);
void rank_message_done(struct rank_message *m);

/* Called by rank 0 for an exclusive conversation with all others. True when they are free;
 * ranks_release ends it. */
bool ranks_claim(void);
void ranks_release(void);

#endif
