/* Recorded iterations of a loop: directions of branches and addresses of accesses. Pure. */
#ifndef PORTOLAN_MEASURE_RECORDING_H
#define PORTOLAN_MEASURE_RECORDING_H

#include "base/vec.h"
#include "isa/insn.h"

#define RECORDED_OUT UINT32_MAX

struct recorded_insn {
    const struct insn *insn; /* instruction, borrowed */
    /* index of the next instruction, and of a direct branch's target; RECORDED_OUT: outside the
     * loop */
    uint32_t next, target;
    /* whether the branch is a jump to an address in a register or memory */
    bool indirect;
    /* Number of lines of the program's data for each recorded line, at least 1. Runs move the
     * accesses by up to this number of lines. Otherwise, the lines of the previous run would be in
     * a cache. */
    uint32_t places;
    /* Whether this is a load of at most 8 bytes whose new lines have constant strides, so that a
     * prefetcher loads them. Such a load reads the recorded values of the iteration instead of its
     * own memory. */
    bool sequential;
};

/* An event. For a branch: whether it was taken. For an indirect jump: the index of its target, or
 * RECORDED_OUT. For a memory access: its address. */
struct recorded_event {
    uint32_t at; /* index of the instruction */
    uint64_t value;
};

struct recording {
    VEC(struct recorded_insn) insns; /* instructions of the loop */
    uint32_t first;                  /* index of the first instruction of an iteration */
    VEC(struct recorded_event) events;
    VEC(size_t) iterations; /* index of the first event of each iteration */
};

void recording_done(struct recording *r);
/* Copies @from to @to, which the caller frees with recording_done. */
void recording_copy(const struct recording *from, struct recording *to);
/* Returns whether the instruction accesses memory at a recorded address. */
bool recorded_access(const struct recorded_insn *in);
/* Returns whether the instruction is a branch with a recorded direction or target. */
bool recorded_branch(const struct recorded_insn *in);

#endif
