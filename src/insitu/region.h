/* The code around a hot loop that is copied: instructions, control flow, and places of the original
 * to patch. */
#ifndef PORTOLAN_INSITU_REGION_H
#define PORTOLAN_INSITU_REGION_H

#include "analysis/kernel.h"
#include "base/vec.h"

#define REGION_NONE UINT32_MAX
#define PATCH_BYTES 5u

struct region_insn {
    const struct insn *insn;   /* borrowed from the kernel */
    /* index of the target of a direct jump; REGION_NONE: none, or outside the list */
    uint32_t target;
    uint64_t target_address;   /* target address of a direct jump, in the file */
    bool direct;               /* a jump whose target is in the instruction */
    bool in_loop;
    bool in_place;             /* executed in the original code: calls, system calls */
    bool indirect;             /* a jump to a target in a register or memory */
};

struct region {
    const struct kernel *kernel;          /* borrowed */
    size_t loop;                          /* index of the kernel's loop */
    VEC(struct region_insn) list;         /* sorted by address */
    /* an instruction that each iteration executes once; patched first */
    uint32_t pivot;
    bool flags_free;                      /* the flags are dead at the pivot */
    /* further patched places: after instructions executed in the original */
    VEC(uint32_t) resumed;
    /* number of such places that are too small for a patch; the code after them is not recorded */
    uint32_t unresumed;
    /* for a loop with an indirect jump: jump targets that are large enough for a patch */
    VEC(uint32_t) anchors;
    uint32_t calls;       /* number of the loop's instructions that are executed in the original */
    bool calls_always;    /* every iteration has such an instruction */
    bool jumps_indirect;  /* the loop has an indirect jump */
    /* calls_always or jumps_indirect: each iteration executes code of the original */
    bool each_away;
    VEC(uint64_t) tabled; /* targets in jump tables, as addresses of the file */
};

/* Reads memory of the program with the code. */
struct region_memory {
    /* reads at an address of the file */
    bool (*read)(void *state, uint64_t address, void *out, size_t bytes);
    void *state;
    /* difference between addresses of the program and of the file */
    uint64_t bias;
};

/* Finds the code to copy for loop @loop of @k. Reads jump tables from @memory (NULL: none). False
 * with err if the loop is unsuitable. region_done frees @out in both cases. */
bool region_find(const struct kernel *k, size_t loop, const struct region_memory *memory,
                 struct region *out, struct err *err);
void region_done(struct region *r);
/* Returns the index of the instruction at @address of the file, or REGION_NONE. */
uint32_t region_at(const struct region *r, uint64_t address);
/* Returns the number of instructions from @at that a patch overwrites. */
uint32_t region_covered(const struct region *r, uint32_t at);
/* Returns whether arithmetic flags are dead before @at. */
bool region_flags_free(const struct region *r, uint32_t at);
/* Returns whether control can fall through from @i. */
bool region_falls(const struct region_insn *i);

#endif
