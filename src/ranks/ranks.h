/* Processes of one run on one or more machines, started by an MPI launcher (mpirun, srun), and
 * messages of bytes between them. Rank 0 is the ordinary program, with script, session, files and
 * output. The other ranks (cmd/rank_worker.h) work for rank 0. If there is no MPI (ranks_alone.c)
 * or no launcher, the process is rank 0 of 1. All ranks must run the same program on the same kind
 * of processor, because messages have values in memory layout (base/pack.h). If a rank crashes,
 * the launcher ends the others. Checkpoints remain. */
#ifndef PORTOLAN_RANKS_RANKS_H
#define PORTOLAN_RANKS_RANKS_H

#include "base/err.h"
#include "base/str.h"

/* Kinds of messages. RANK_QUIT to RANK_SWEEP are for a rank that waits for work. */
enum rank_kind {
    RANK_QUIT = 1,
    RANK_EVOLVE,       /* a run over islands (work/islands.h) */
    RANK_EVALUATE,     /* blocks of kernel evaluate; this and the next kinds start series of work
                        * items (work/farm.h) */
    RANK_SCAN,         /* files of forms scan */
    RANK_SWEEP,        /* values of program sweep */
    RANK_MIGRANT,      /* a mapping that moves between islands */
    RANK_PORTS,
    RANK_CONTROL,
    RANK_FINISHED,
    RANK_PIECE,        /* a work item of a farm */
    RANK_ANSWER,
    RANK_NO_MORE,
    RANK_DROP,         /* request to discard the remaining work items */
    RANK_RESULT,
};

struct rank_message {
    unsigned from;
    enum rank_kind kind;
    struct str bytes;
};

/* Connects to the other ranks if a launcher started this process. Call it once, first, on the main
 * thread. Returns false with err if MPI fails. */
bool ranks_begin(int *argc, char ***argv, struct err *err);
/* Waits until all messages are sent and all other ranks end. Call it last, on the main thread. */
void ranks_end(void);
/* Returns whether a launcher started this process; without MPI, always false. If true, standard
 * output may be the launcher's pseudo-terminal. */
bool ranks_launched(void);

/* ranks_count returns the number of ranks, and ranks_index returns this process's rank. Any
 * thread. */
unsigned ranks_count(void);
unsigned ranks_index(void);
/* Returns how many of this process's @processors are for this rank, at least 1. The result is less
 * than @processors if several ranks share a machine and are not bound to processors. */
unsigned ranks_share(unsigned processors);

/* Sends a copy of @bytes and returns at once. Any thread. */
void ranks_send(unsigned to, enum rank_kind kind, const struct str *bytes);
/* Returns the number of messages to rank @to that are not sent yet. */
size_t ranks_unsent(unsigned to);
/* Receives the next message of any kind from any rank. Waits at most @seconds. Replaces the content
 * of @out, which the caller frees with rank_message_done. Returns false, with @out unchanged, if
 * there is no message. Any thread, but only one per conversation. */
bool ranks_receive(double seconds, struct rank_message *out);
void rank_message_done(struct rank_message *m);

/* Reserves all other ranks for a conversation with rank 0. Only rank 0 calls this function. Returns
 * false if they are busy or there are none. ranks_release ends the conversation. */
bool ranks_claim(void);
void ranks_release(void);

#endif
