/* Another way to write a loop: the same computation in another order, in other instructions, or
 * several iterations at once. One thread. */
#ifndef PORTOLAN_TUNE_VERSION_H
#define PORTOLAN_TUNE_VERSION_H

#include "base/str.h"
#include "base/vec.h"
#include "isa/insn.h"

struct version {
    /* texts are borrowed from the loop, NULL for a new instruction */
    struct insn *insns;
    uint32_t *origin;        /* of each: the instruction of the loop that it derives from */
    size_t count;
    unsigned times;          /* iterations of the loop in one of it */
    VEC(struct insn) before, after;   /* once, around the loop: sums that begin and come together */
    /* registers that it writes and the loop does not name: bits by number */
    uint64_t fresh[2];
    /* sums of floating-point lanes of this many bits in another order; 0: none */
    unsigned lanes;
    uint64_t begin;          /* address of the loop, 0 if it has none */
    uint32_t flags;          /* FLAG_... that are left as the loop leaves them */
    struct str what;         /* "2 iterations at once, shl by 1 as add, reordered" */
};

#define FLAGS_ALL (FLAG_CARRY | FLAG_PARITY | FLAG_ZERO | FLAG_SIGN | FLAG_OVERFLOW)

/* The loop itself. */
struct version *version_new(const struct insn *insns, size_t count);
struct version *version_copy(const struct version *c);
void version_free(struct version *c);
/* Adds @what to what was done, once. */
void version_note(struct version *c, const char *what);
/* Puts @count instructions in the place of @at. */
void version_replace(struct version *c, size_t at, const struct insn *with, unsigned count);
/* Its instructions in the order @order. */
void version_reorder(struct version *c, const uint32_t *order);
/* Places its instructions in the code, in sequence from the start of @loop, which it rewrites;
 * relative operands keep their meaning. */
void version_place(struct version *c, const struct insn *loop);
bool version_fresh(const struct version *c, uint8_t reg);

/* @times (2, 4) iterations at once, 1: only the sums of an iteration in separate registers: copies
 * of the loop, of which only the last branches. Steps of pointers and counters are combined if all
 * their readers can be moved, comparisons of the others are left out, and sums, also several into
 * one register, continue in registers of their own, those of floating point only with @reassociate.
 * The loop's trip count must be a multiple of @times. NULL when the loop is not of that kind. */
struct version *version_unroll(const struct insn *insns, size_t count, unsigned times,
                               bool reassociate);

/* The loop with each sum that goes from register to register (vfmadd132sd m, xmm0, xmm1) in the one
 * that it begins in; what held a part of it is fresh then. NULL: there is no such sum. */
struct version *version_gather(const struct insn *insns, size_t count);

/* Its whole code as assembler text: what was done and what it needs as comments, what comes before,
 * the loop, what comes after. Places relative to the code are those of a loop that begins where the
 * old one did. After version_place. */
void version_print(const struct version *c, const char *name, bool att, struct str *out);

#endif
