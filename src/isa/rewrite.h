/* Equivalent instructions with the same result: other encodings, sums, combined additions. They
 * make loops faster with equal results. Each result is decoded again. */
#ifndef PORTOLAN_ISA_REWRITE_H
#define PORTOLAN_ISA_REWRITE_H

#include "base/str.h"
#include "isa/insn.h"

#define REWRITTEN_MOST 2

/* One or two instructions that replace an instruction. */
struct isa_rewritten {
    uint8_t bytes[REWRITTEN_MOST][16];
    size_t lengths[REWRITTEN_MOST];
    unsigned count;
    uint32_t loses;        /* flags (FLAG_...) that may differ; no instruction may read them */
    const char *what;      /* description: "shl by 1 as add" */
};

/* An instruction that adds to a register, @reg = @reg + another input, in any order. */
struct isa_sum {
    uint8_t reg;
    uint8_t operands;      /* bit set of the operands that are @reg */
    /* bits of a floating-point lane, whose rounding depends on the order; 0: integers */
    unsigned lanes;
};

/* Operations of one instruction set (struct isa_ops). NULL member: unsupported. Functions that
 * return a length return 0 if there is no encoding. */
struct isa_rewrite {
    /* Iterates over the alternatives of @in. *@at is 0 at first. Returns false after the last. */
    bool (*next)(const struct insn *in, size_t *at, struct isa_rewritten *out);
    /* Writes @in, an addition of a constant to a register, with the constant multiplied by
     * @times. */
    size_t (*steps)(const struct insn *in, int64_t times, uint8_t *out);
    bool (*sum)(const struct insn *in, struct isa_sum *out);
    /* For the sum @in: write code that zeroes @reg, and code that adds @reg to the sum's
     * register. */
    size_t (*sum_begin)(const struct insn *in, uint8_t reg, uint8_t *out);
    size_t (*sum_end)(const struct insn *in, uint8_t reg, uint8_t *out);
    /* Writes @in, which sets a register to register *@from plus another input, with *@from as
     * destination. NULL: unsupported. */
    size_t (*sum_stay)(const struct insn *in, uint8_t *from, uint8_t *out);
    /* Writes code that zeroes the lanes of @reg that the factors of the sum @in change; 0: none. */
    size_t (*sum_low)(const struct insn *in, uint8_t reg, uint8_t *out);
    /* Writes code that pushes the flags @mask below the decremented stack pointer, for comparison.
     * At most 32 bytes. */
    size_t (*flags_store)(uint32_t mask, uint8_t *out);
    /* Appends the text of @in, with AT&T operands or in the vendor's syntax. */
    void (*print)(const struct insn *in, bool att, struct str *out);
};

/* Iterates over the alternatives of @in: @out gets *@count instructions with its line, *@loses the
 * flags that differ. Returns false after the last. */
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
