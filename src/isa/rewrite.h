/* Instructions that can replace others without changing results: other encodings, sums, combined
 * additions. A replacement may make a loop faster. Each replacement is decoded for verification. */
#ifndef PORTOLAN_ISA_REWRITE_H
#define PORTOLAN_ISA_REWRITE_H

#include "base/str.h"
#include "isa/insn.h"

#define REWRITTEN_MOST 2

/* One or two instructions that replace an instruction */
struct isa_rewritten {
    uint8_t bytes[REWRITTEN_MOST][16];
    size_t lengths[REWRITTEN_MOST];
    unsigned count;
    /* set of FLAG_... that may differ after the replacement, so later instructions must not read
     * them */
    uint32_t loses;
    const char *what;      /* description such as "shl by 1 as add" */
};

/* An accumulation in a register: @reg = @reg + other inputs, in either order; also OR and XOR */
struct isa_sum {
    uint8_t reg;
    uint8_t operands;      /* bit set of the operands that are @reg */
    /* width in bits of a floating-point lane, whose rounding depends on the order of additions; 0:
     * integers */
    unsigned lanes;
};

/* Operations of one instruction set (struct isa_ops). A member is NULL if the operation is not
 * supported. Functions that return a length return 0 if there is no encoding. */
struct isa_rewrite {
    /* Iterates over the replacements of @in. The caller initialises *@at to 0. Returns false after
     * the last replacement. */
    bool (*next)(const struct insn *in, size_t *at, struct isa_rewritten *out);
    /* Writes @in, which adds a constant to a register, with the constant multiplied by @times. */
    size_t (*steps)(const struct insn *in, int64_t times, uint8_t *out);
    bool (*sum)(const struct insn *in, struct isa_sum *out);
    /* If instruction @in is a sum, sum_begin writes code that zeroes @reg. sum_end writes code that
     * adds @reg to the register of the sum. */
    size_t (*sum_begin)(const struct insn *in, uint8_t reg, uint8_t *out);
    size_t (*sum_end)(const struct insn *in, uint8_t reg, uint8_t *out);
    /* Writes @in, which adds register *@from and another input, such that the result is in *@from.
     * The pointer is NULL if the set does not support this. */
    size_t (*sum_stay)(const struct insn *in, uint8_t *from, uint8_t *out);
    /* Writes code that zeroes the lanes of @reg above the lowest, if @in is a scalar fused
     * multiply-add. Returns 0 otherwise. */
    size_t (*sum_low)(const struct insn *in, uint8_t reg, uint8_t *out);
    /* Writes at most 32 bytes of code that moves the stack pointer below the red zone and pushes
     * the flags in @mask, for comparison. */
    size_t (*flags_store)(uint32_t mask, uint8_t *out);
    /* Writes @in with its memory operand at @base + @index + @displacement. @index REG_NONE: no
     * index. The pointer is NULL if the set does not support this. */
    size_t (*at_address)(const struct insn *in, uint8_t base, uint8_t index, int32_t displacement,
                         uint8_t *out);
    /* Appends the text of @in, with AT&T operands if @att is true, otherwise in the vendor's
     * syntax. */
    void (*print)(const struct insn *in, bool att, struct str *out);
};

/* Iterates over the replacements of @in. Stores the next replacement in @out: *@count instructions
 * with the source line of @in. Stores the flags that may differ in *@loses, and a description in
 * *@what. Returns false after the last replacement. */
bool rewrite_next(const struct insn *in, size_t *at, struct insn out[REWRITTEN_MOST],
                  unsigned *count, uint32_t *loses, const char **what);
bool rewrite_steps(const struct insn *in, int64_t times, struct insn *out);
bool rewrite_sum(const struct insn *in, struct isa_sum *out);
bool rewrite_sum_begin(const struct insn *in, uint8_t reg, struct insn *out);
bool rewrite_sum_end(const struct insn *in, uint8_t reg, struct insn *out);
bool rewrite_sum_stay(const struct insn *in, uint8_t *from, struct insn *out);
bool rewrite_sum_low(const struct insn *in, uint8_t reg, struct insn *out);
/* Writes @in with its memory operand at register @base + @index + @displacement (@index REG_NONE:
 * no index). Returns the length; 0 if there is no such instruction. */
size_t rewrite_at_address(const struct insn *in, uint8_t base, uint8_t index, int32_t displacement,
                          uint8_t out[16]);
void rewrite_print(const struct insn *in, bool att, struct str *out);

#endif
