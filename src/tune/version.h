/* A version of a loop: the same computation in another order, with other instructions, or with
 * several iterations combined. One thread. */
#ifndef PORTOLAN_TUNE_VERSION_H
#define PORTOLAN_TUNE_VERSION_H

#include "base/str.h"
#include "base/vec.h"
#include "isa/insn.h"

struct version {
    /* texts borrowed from the loop, NULL for a new instruction */
    struct insn *insns;
    uint32_t *origin;        /* instruction of the loop that each derives from */
    size_t count;
    unsigned times;          /* iterations of the loop per iteration */
    VEC(struct insn) before, after;   /* executed once around the loop: initialise and join sums */
    /* bit set of written registers that the loop does not name */
    uint64_t fresh[2];
    /* reorders sums of floating-point lanes of this many bits; 0: none */
    unsigned lanes;
    uint64_t begin;          /* address of the loop, 0 if none */
    uint32_t flags;          /* FLAG_... that have the loop's final values */
    struct str what;         /* "2 iterations at once, shl by 1 as add, reordered" */
};

#define FLAGS_ALL (FLAG_CARRY | FLAG_PARITY | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW)

/* The loop itself. */
struct version *version_new(const struct insn *insns, size_t count);
struct version *version_copy(const struct version *c);
void version_free(struct version *c);
/* Adds @what to the description, once. */
void version_note(struct version *c, const char *what);
/* Replaces @at by @count instructions. */
void version_replace(struct version *c, size_t at, const struct insn *with, unsigned count);
/* Applies the order @order. */
void version_reorder(struct version *c, const uint32_t *order);
/* Assigns code offsets from the start of @loop, which it replaces; adjusts relative operands. */
void version_place(struct version *c, const struct insn *loop);
bool version_fresh(const struct version *c, uint8_t reg);

/* Combines @times (2, 4) iterations, 1: only splits the sums of an iteration over registers. Copies
 * of the loop, of which only the last branches. Steps of pointers and counters are combined if all
 * readers can be adjusted, other copies' comparisons are removed, and sums are split over
 * registers, floating-point ones only with @reassociate. The trip count must be a multiple of
 * @times. NULL when the loop is unsuitable. */
struct version *version_unroll(const struct insn *insns, size_t count, unsigned times,
                               bool reassociate);

/* Makes each sum that rotates through registers (vfmadd132sd m, xmm0, xmm1) stay in the one where
 * it begins, which frees the others. NULL: no such sum. */
struct version *version_gather(const struct insn *insns, size_t count);

/* Appends its code as assembler text: comments with changes and requirements, code before, loop,
 * code after. Relative places assume the old loop's start. After version_place. */
void version_print(const struct version *c, const char *name, bool att, struct str *out);

#endif
