/* The code around a hot loop to copy: instructions, control flow, and places where the original can
 * be patched. */
#ifndef PORTOLAN_INSITU_REGION_H
#define PORTOLAN_INSITU_REGION_H

#include "analysis/kernel.h"
#include "base/vec.h"

#define REGION_NONE UINT32_MAX
#define PATCH_BYTES 5u

struct region_insn {
    const struct insn *insn;   /* borrowed from the kernel */
    /* target of a direct jump, in the list; REGION_NONE: none, or outside */
    uint32_t target;
    uint64_t target_address;   /* target of a direct jump, in the file */
    bool direct;               /* a jump with a target in the instruction */
    bool in_loop;
    bool in_place;             /* executed in the original code: calls, system calls */
    bool indirect;             /* a jump by a register or memory */
};

struct region {
    const struct kernel *kernel;          /* borrowed */
    size_t loop;                          /* of the kernel's loops */
    VEC(struct region_insn) list;         /* sorted by address */
    /* an instruction executed once per iteration, patched first */
    uint32_t pivot;
    bool flags_free;                      /* flags are dead at the pivot */
    /* further patched places: after instructions executed in place */
    VEC(uint32_t) resumed;
    /* such places without room for a patch: the following code is not recorded */
    uint32_t unresumed;
    /* for a loop with an indirect jump: targets with room for a patch */
    VEC(uint32_t) anchors;
    uint32_t calls;       /* number of the loop's instructions executed in place */
    bool calls_always;    /* every iteration has one */
    bool jumps_indirect;  /* the loop has an indirect jump */
    /* one of both: each iteration executes code of the original */
    bool each_away;
    VEC(uint64_t) tabled; /* jump table targets, addresses in the file */
};

/* Reads memory of the program that the code belongs to. */
struct region_memory {
    /* at an address of the file */
    bool (*read)(void *state, uint64_t address, void *out, size_t bytes);
    void *state;
    uint64_t bias;                        /* from addresses of the file to those of the program */
};

/* Finds the code to copy for loop @loop of @k; reads jump tables from @memory (NULL: none). False
 * with err when the loop is unsuitable; region_done frees @out in both cases. */
bool region_find(const struct kernel *k, size_t loop, const struct region_memory *memory,
                 struct region *out, struct err *err);
void region_done(struct region *r);
/* Returns the instruction at @address of the file, or REGION_NONE. */
uint32_t region_at(const struct region *r, uint64_t address);
/* Number of instructions from @at on that a patch overwrites. */
uint32_t region_covered(const struct region *r, uint32_t at);
/* Returns whether arithmetic flags are dead before @at. */
bool region_flags_free(const struct region *r, uint32_t at);
/* Returns whether control can fall through from @at. */
bool region_falls(const struct region_insn *i);

#endif
