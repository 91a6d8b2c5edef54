/* A version of a loop that does the same computation in another order, with other instructions, or
 * with several iterations combined. One thread. */
#ifndef PORTOLAN_TUNE_VERSION_H
#define PORTOLAN_TUNE_VERSION_H

#include "base/str.h"
#include "base/vec.h"
#include "isa/insn.h"

struct version {
    /* instructions, whose strings are borrowed from the loop; the strings of a new instruction are
     * NULL */
    struct insn *insns;
    uint32_t *origin;        /* per instruction: index of its origin in the loop */
    size_t count;
    unsigned times;          /* number of iterations of the loop per iteration of the version */
    VEC(struct insn) before, after;   /* code before and after the loop, executed once, which
                                       * initialises and combines sums */
    /* set of registers that the version writes but the loop does not name */
    uint64_t fresh[2];
    /* width in bits of the floating-point lanes whose sums are reordered; 0: none */
    unsigned lanes;
    uint64_t begin;          /* address of the loop; 0: none */
    uint32_t flags;          /* set of FLAG_... whose final values equal the loop's final values */
    /* description, such as "2 iterations at once, shl by 1 as add, reordered" */
    struct str what;
};

#define FLAGS_ALL (FLAG_CARRY | FLAG_PARITY | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW)

/* Creates a version that is the loop itself. */
struct version *version_new(const struct insn *insns, size_t count);
struct version *version_copy(const struct version *c);
void version_free(struct version *c);
/* Appends @what to the description, unless the description already contains it. */
void version_note(struct version *c, const char *what);
/* Replaces instruction @at with @count instructions. */
void version_replace(struct version *c, size_t at, const struct insn *with, unsigned count);
/* Puts the instructions in order @order. */
void version_reorder(struct version *c, const uint32_t *order);
/* Assigns code offsets, starting at the offset of @loop, and adjusts PC-relative operands. */
void version_place(struct version *c, const struct insn *loop);
bool version_fresh(const struct version *c, uint8_t reg);

/* Combines @times (2, 4) iterations. With @times 1, only splits the sums of an iteration over
 * registers. The version consists of copies of the loop. Only the last copy branches. Steps of
 * pointers and counters are combined if all readers can be adjusted. Comparisons in the other
 * copies are removed. Sums are split over registers, sums of floating-point values only if
 * @reassociate is true. The trip count must be a multiple of @times. Returns NULL if the loop is
 * unsuitable. */
struct version *version_unroll(const struct insn *insns, size_t count, unsigned times,
                               bool reassociate);

/* Confines each sum that rotates through registers (vfmadd132sd m, xmm0, xmm1) to the register in
 * which it begins, which frees the other registers. Returns NULL if there is no such sum, or if a
 * sum cannot be confined. */
struct version *version_gather(const struct insn *insns, size_t count);

/* Appends the code as assembler text: comments with changes and requirements, code before, loop,
 * code after. Relative addresses assume the start of the old loop. Call it after version_place. */
void version_print(const struct version *c, const char *name, bool att, struct str *out);

#endif
