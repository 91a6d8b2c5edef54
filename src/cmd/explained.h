/* Result of the last `program explain`, for other commands and views. UI thread, except
 * explained_free. */
#ifndef PORTOLAN_CMD_EXPLAINED_H
#define PORTOLAN_CMD_EXPLAINED_H

#include "analysis/kernel.h"
#include "base/str.h"
#include "base/vec.h"
#include "insitu/lines.h"
#include "insitu/placed.h"
#include "measure/recording.h"

/* A path through the loop according to its recorded branch directions */
struct explained_path {
    double share;            /* share of the recorded iterations */
    double predicted, alone; /* simulated cycles, and cycles measured in isolation; NaN: none */
    bool leaves;             /* whether the path ends outside the loop */
    size_t executed;         /* number of executed instructions, including calls */
    /* executed instructions without calls, whose text is borrowed from the kernel; empty if the
     * path is too long */
    VEC(struct insn) insns;
};

struct explained_loop {
    const struct kernel *kernel; /* counted reference */
    size_t loop;
    double cycles, low, high; /* cycles per iteration in the program: typical value and range; NaN:
                               * not measured */
    /* predicted cycles per iteration for the mix of executed paths; NaN: no machine */
    double predicted;
    const char *cause;        /* main cause of the additional time, static; NULL: none */
    size_t iterations;        /* number of recorded iterations */
    /* number of new cache lines that the loads access per iteration; NaN: not recorded */
    double lines;
    /* estimated bytes that the loads access in the whole program; NaN: unknown */
    double bytes;
    bool bytes_at_least;
    VEC(struct explained_path) paths; /* paths, most frequent first */
    struct recording recording;       /* recorded iterations, if unrecorded.code is 0 */
    struct err unrecorded;            /* reason why the sandbox cannot run the recorded
                                       * iterations */
    bool huge;                        /* whether most of the loop's data is on pages of 2 MiB */
};

void explained_free(struct explained_loop *x);
/* Returns whether the explained code is loop @loop of @k. @x may be NULL. */
bool explained_is(const struct explained_loop *x, const struct kernel *k, size_t loop);
/* Returns the most frequent path that remains in the loop. Returns NULL if no such path was
 * recorded, or if it is too long. */
const struct explained_path *explained_main(const struct explained_loop *x);
/* Appends the memory that the loads access in the program, if known. @x may be NULL. */
void explained_print_memory(const struct explained_loop *x, struct str *out);
/* Appends the loop's times in the program, and the times of each path. */
void explained_print(const struct explained_loop *x, struct str *out);

/* Fills @out with the recorded iterations of the loop. Borrows the instructions of the kernel.
 * Returns false with err if the effects of some code were not recorded, or if there is no complete
 * iteration. The caller always frees @out with recording_done. */
bool explained_recording(const struct placed *x, const struct loop_lines *lines,
                         struct recording *out, struct err *err);

#endif
