/* The code around a hot loop that is copied: its instructions, where control can go from each, and
 * where the original can be patched. */
#ifndef PORTOLAN_INSITU_REGION_H
#define PORTOLAN_INSITU_REGION_H

#include "analysis/kernel.h"
#include "base/vec.h"

#define REGION_NONE UINT32_MAX
#define PATCH_BYTES 5u

struct region_insn {
    const struct insn *insn;   /* borrowed from the kernel */
    /* of a direct jump, in the list; REGION_NONE: no jump, or one that leaves */
    uint32_t target;
    uint64_t target_address;   /* of a direct jump, in the file */
    bool direct;               /* a jump to a place that the instruction names */
    bool in_loop;
    bool in_place;             /* executed in the original code: calls, system calls */
    bool indirect;             /* a jump through a register or memory */
};

struct region {
    const struct kernel *kernel;          /* borrowed */
    size_t loop;                          /* of the kernel's loops */
    VEC(struct region_insn) list;         /* by address */
    /* the instruction that every iteration executes once, at which the original is patched first */
    uint32_t pivot;
    bool flags_free;                      /* at the pivot no flag is needed */
    /* further patched places: after instructions executed in place */
    VEC(uint32_t) resumed;
    /* places after such instructions that have no room for a patch: what follows is not recorded */
    uint32_t unresumed;
    /* of a loop with an indirect jump: targets of it that have room for a patch */
    VEC(uint32_t) anchors;
    uint32_t calls;       /* instructions of the loop that are executed in place */
    bool calls_always;    /* every iteration has one of these */
    bool jumps_indirect;  /* the loop has an indirect jump */
    /* one of both: each iteration executes code of the original */
    bool each_away;
    VEC(uint64_t) tabled; /* addresses in the file that jump tables lead to */
};

/* Memory of the program that the code is part of. */
struct region_memory {
    /* at an address of the file */
    bool (*read)(void *state, uint64_t address, void *out, size_t bytes);
    void *state;
    uint64_t bias;                        /* from addresses of the file to those of the program */
};

/* Finds what to copy of loop @loop of @k; jump tables are read from @memory (NULL: there are none).
 * False with err when the loop cannot be treated; region_done frees
 * @out in both cases. */
bool region_find(const struct kernel *k, size_t loop, const struct region_memory *memory,
                 struct region *out, struct err *err);
void region_done(struct region *r);
/* The instruction at @address of the file; REGION_NONE: none of the list begins there. */
uint32_t region_at(const struct region *r, uint64_t address);
/* Instructions from @at on that a patch covers. */
uint32_t region_covered(const struct region *r, uint32_t at);
/* Whether no instruction after @at reads an arithmetic flag that was set before @at. */
bool region_flags_free(const struct region *r, uint32_t at);
/* Whether control can pass from @at to the next instruction. */
bool region_falls(const struct region_insn *i);

#endif
