/* Equivalent instructions: the same result by other code, sums, an addition done several times at
 * once. For loops that are made faster with the same results. Results are decoded again. Any
 * thread. */
#ifndef PORTOLAN_ISA_REWRITE_H
#define PORTOLAN_ISA_REWRITE_H

#include "base/str.h"
#include "isa/insn.h"

#define REWRITTEN_MOST 2

/* One or two instructions in the place of one. */
struct isa_rewritten {
    uint8_t bytes[REWRITTEN_MOST][16];
    size_t lengths[REWRITTEN_MOST];
    unsigned count;
    uint32_t loses;        /* flags (FLAG_...) that may be left otherwise: nobody may read them */
    const char *what;      /* "shl by 1 as add" */
};

/* An instruction that adds to a register, in any order: @reg = @reg + something. */
struct isa_sum {
    uint8_t reg;
    uint8_t operands;      /* bits: which of its operands are that register as itself */
    /* bits of a floating-point lane, whose sums round by their order; 0: integers */
    unsigned lanes;
};

/* Of one set (struct isa_ops); a NULL member: it knows none. Lengths 0: there is no such
 * encoding. */
struct isa_rewrite {
    /* The next way to write @in; *@at is 0 at first and stays the function's own. False: no
     * more. */
    bool (*next)(const struct insn *in, size_t *at, struct isa_rewritten *out);
    /* @in, which adds a constant to a register, as @times of it at once. */
    size_t (*steps)(const struct insn *in, int64_t times, uint8_t *out);
    bool (*sum)(const struct insn *in, struct isa_sum *out);
    /* For the sum @in: @reg holds nothing, and the sum's register takes up what is in @reg. */
    size_t (*sum_begin)(const struct insn *in, uint8_t reg, uint8_t *out);
    size_t (*sum_end)(const struct insn *in, uint8_t reg, uint8_t *out);
    /* @in, which leaves the sum of register *@from and something in another register, with the
     * result in *@from instead; NULL: the set knows none. */
    size_t (*sum_stay)(const struct insn *in, uint8_t *from, uint8_t *out);
    /* Code that clears the lanes of @reg that come from the factors of the sum @in; 0: none do. */
    size_t (*sum_low)(const struct insn *in, uint8_t reg, uint8_t *out);
    /* Code that stores the flags @mask below the stack pointer, which it decrements, to compare
     * them. At most 32 bytes. */
    size_t (*flags_store)(uint32_t mask, uint8_t *out);
    /* The text of @in, with AT&T operands or as the set's makers write it. */
    void (*print)(const struct insn *in, bool att, struct str *out);
};

/* The next alternative of @in in @out, of which *@count are filled; each keeps its line.
 * Alternatives that lose flags list them. False: no more. */
bool rewrite_next(const struct insn *in, size_t *at, struct insn out[REWRITTEN_MOST],
                  unsigned *count, uint32_t *loses, const char **what);
bool rewrite_steps(const struct insn *in, int64_t times, struct insn *out);
bool rewrite_sum(const struct insn *in, struct isa_sum *out);
bool rewrite_sum_begin(const struct insn *in, uint8_t reg, struct insn *out);
bool rewrite_sum_end(const struct insn *in, uint8_t reg, struct insn *out);
bool rewrite_sum_stay(const struct insn *in, uint8_t *from, struct insn *out);
bool rewrite_sum_low(const struct insn *in, uint8_t reg, struct insn *out);
void rewrite_print(const struct insn *in, bool att, struct str *out);

#endif
