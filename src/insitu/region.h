/* The code around a hot loop that will be copied: its instructions, its control flow, and the
 * places of the original that will be patched */
#ifndef PORTOLAN_INSITU_REGION_H
#define PORTOLAN_INSITU_REGION_H

#include "analysis/kernel.h"
#include "base/vec.h"
#include "insitu/code.h"

#define REGION_NONE UINT32_MAX
#define PATCH_BYTES 5u

struct region_insn {
    const struct insn *insn;   /* instruction, borrowed from the kernel */
    /* index of the target of a direct jump; REGION_NONE: the target is not in the list */
    uint32_t target;
    uint64_t target_address;   /* address of a direct jump's target in the file */
    bool direct;               /* whether the instruction is a jump that contains its target */
    bool in_loop;
    /* whether the instruction is executed in the original, like calls and system calls */
    bool in_place;
    bool indirect;             /* whether the instruction is a jump to an address in a register or
                                * memory */
};

struct region {
    const struct kernel *kernel;          /* kernel with the loop; borrowed */
    size_t loop;                          /* index of the loop in the kernel */
    VEC(struct region_insn) list;         /* instructions, sorted by address */
    /* index of the instruction that is patched first, and that each iteration executes once */
    uint32_t pivot;
    bool flags_free;                      /* whether the flags are dead at the pivot */
    /* further patched places, each after an instruction that is executed in the original */
    VEC(uint32_t) resumed;
    /* number of places for @resumed that are too small for a patch; the code after them is not
     * recorded */
    uint32_t unresumed;
    /* jump targets that are large enough for a patch, in a loop with an indirect jump */
    VEC(uint32_t) anchors;
    uint32_t calls;       /* number of instructions of the loop that are executed in the original */
    bool calls_always;    /* whether every iteration executes an instruction in the original */
    bool jumps_indirect;  /* whether the loop has an indirect jump */
    bool indirect;        /* whether the loop or the code around it has an indirect jump */
    /* whether each iteration executes code of the original: calls_always, jumps_indirect or
     * dispatch */
    bool each_away;
    /* Whether the loop consists of computed gotos. An iteration is one execution of a part, which
     * is the code of one operation. @pivot, @resumed and @anchors are the first instructions of
     * the parts. @unresumed is the number of parts that are too small for a patch. Only patched
     * code is copied. */
    bool dispatch;
    /* number of table entries that lead to code outside of the kernel, whose parts are unknown */
    unsigned outside;
    /* @tabled: targets of jump tables. @entries: targets of jumps from outside of the unit. Both
     * are in the unit, and are addresses of the file. */
    VEC(uint64_t) tabled, entries;
};

/* Access to the memory of the program that contains the code */
struct region_memory {
    /* reads @bytes bytes at an address of the file */
    bool (*read)(void *state, uint64_t address, void *out, size_t bytes);
    void *state;
    /* addresses of the program minus addresses of the file */
    uint64_t bias;
    /* start and end of the executable mapping with the loop, as addresses of the file */
    uint64_t begin, end;
};

/* Finds the code to copy for loop @loop of @k. Reads jump tables from @memory (may be NULL).
 * Returns false with err if the loop is unsuitable. The caller always frees @out with
 * region_done. */
bool region_find(const struct kernel *k, size_t loop, const struct region_memory *memory,
                 struct region *out, struct err *err);
void region_done(struct region *r);
/* Returns the index of the instruction at @address of the file; REGION_NONE: none. */
uint32_t region_at(const struct region *r, uint64_t address);
/* Returns the index of the instruction at patched place @i, from 0 to resumed.count. */
uint32_t region_site(const struct region *r, size_t i);
/* Returns the number of instructions from @at that a patch overwrites. */
uint32_t region_covered(const struct region *r, uint32_t at);
/* Returns whether the arithmetic flags are dead before instruction @at. */
bool region_flags_free(const struct region *r, uint32_t at);
/* Returns whether the loop has a branch both of whose sides continue in the loop. */
bool region_has_arms(const struct region *r);
/* Returns one of rdi, rsi, rdx, rcx, rbx, rbp that no instruction of the loop accesses, otherwise
 * rax. */
enum code_register region_free_register(const struct region *r);
/* Returns whether the loop with head @head can iterate without executing @avoided. */
bool region_avoidable(const struct region *r, uint32_t head, uint32_t avoided);
/* Returns whether control can continue after instruction @i. */
bool region_falls(const struct region_insn *i);

#endif
