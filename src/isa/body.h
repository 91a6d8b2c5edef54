/* Makes machine code without dependences between its instructions from a multiset of instruction
 * forms.
 *
 * Registers: rsp is the stack, r15 counts, r14 points to read-only memory, r13 to written memory,
 * r11 is cleared to break chains. Of the others some are only ever read (two if a form reads its
 * destination, which then has all free ones, those above included), the rest are written in turn:
 * no instruction waits for another's value, and values that are read never change. A register that
 * a form names itself (cl, rax, xmm0) is excluded from both. Stores step through 2 KiB, loads
 * through as much as the shape defines.
 *
 * Chain breakers, put before each form that reads its destination without a choice of register:
 * - flags read and written (adc, sbb, rcl, adcx), shifts by cl, which keep the flags when the count
 *   is 0: xor r11d, r11d
 * - rax or rdx read and written (mul, cdqe, cmpxchg): xor of that register
 * - div and idiv, for a new dividend: mov eax, a constant; xor edx, edx
 *
 * Zeroing costs an issue slot and no port on every machine that knows the idiom.
 *
 * This is x86-64; a64_body.h makes bodies of AArch64. */
#ifndef PORTOLAN_ISA_BODY_H
#define PORTOLAN_ISA_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/forms.h"
#include "model/experiment.h"

#define BODY_LIMIT 16384   /* bytes of code */

/* A form ready for use in code. */
struct form_code {
    const struct form_row *row;   /* borrowed */
    const void *own;              /* what its instruction set made of it (isa_ops.code_make) */
};
/* NULL with err (the reason) when it cannot be measured on this CPU. AArch64: its encoding must
 * have been found out before (toolchain/assemble.h). Any thread; borrows @row. */
struct form_code *form_code_new(const struct form_row *row, struct err *err);
/* The same whatever processor is to run it: a simulated one, of this one's instruction set or
 * another. */
struct form_code *form_code_any(const struct form_row *row, struct err *err);
void form_code_free(struct form_code *code);
/* Whether code can be made of the form, for this CPU or another, without checking its encoding. */
bool form_has_code(const struct form_row *row);
/* NULL when the form can be measured on this CPU, else why not, in @buffer. */
const char *form_measurable(const struct form_row *row, char *buffer, size_t size);

enum body_vectors { BODY_NO_VECTOR, BODY_SSE, BODY_VEX, BODY_EVEX, BODY_NEON, BODY_SVE };

struct body {
    uint8_t code[BODY_LIMIT];
    size_t length;
    unsigned executions;      /* of the experiment in it */
    unsigned instructions;    /* of the experiment, all executions */
    unsigned breakers;        /* instructions added to break chains */
    enum body_vectors vectors;
    bool wide;                /* uses registers wider than 256 bits or past 15 */
    /* the shape asked for it, and it is none of those without: some instructions were short, or
     * some executions are BODY_PAIRED */
    bool padded;
};

/* Order of an experiment's executions. A processor that chooses ports at dispatch, or joins
 * neighbouring stores, is slower for an order in step with it: the least of several orders is the
 * forms' own time. */
enum body_order {
    BODY_SPREAD,      /* all executions alike, the terms of the multiset spread evenly */
    BODY_MIRRORED,    /* every second execution backwards */
    /* three executions at a time: three of the first instruction, three of the second */
    BODY_CLUMPED,
    BODY_SHUFFLED,    /* each execution in an order of its own, always the same one */
    BODY_ORDERS,      /* orders measured of everything */
    /* two executions at a time, of forms that access memory, or move vectors to a general register
     * or the flags, next to one of the others, the rest of which come in pairs: for a rename that
     * restricts the last slot of a group, or does not split instructions of two slots. AArch64: as
     * BODY_SPREAD */
    BODY_PAIRED = BODY_ORDERS
};

/* How long a body is, where its loads go and what follows what. */
struct body_shape {
    unsigned instructions;   /* as many whole executions as come closest above it, at least one */
    /* bytes that loads step through, 64 to BODY_WINDOW: calibration finds a size without bank
     * conflicts; 0: BODY_WINDOW */
    unsigned load_window;
    enum body_order order;
    /* x86-64: short instructions get prefixes that say nothing, up to BODY_PADDED bytes: a µop
     * cache that delivers less where code is dense delivers them all */
    bool padded;
};
#define BODY_PADDED 6

/* @counts[i] times @forms[i] in each execution. False with err when the experiment cannot be one
 * body: SSE with VEX code, no registers left, too long. Any thread. */
bool body_make(struct form_code *const *forms, const uint32_t *counts, size_t n,
               const struct body_shape *shape, struct body *out, struct err *err);
/* Whether code of bodies or chains may be run: every instruction decodes and is on the list for
 * code of others, does not touch the registers of the loop around it, and reaches memory only where
 * bodies do. False with err, which names the first that violates this. body_make and chain_make
 * check added forms. Any thread. */
bool body_check(enum isa isa, const uint8_t *code, size_t length, struct err *err);
/* Text of machine code of @isa (Intel syntax on x86-64), one instruction a line, at most @lines of
 * them (0: all). */
void code_print(enum isa isa, const uint8_t *code, size_t length, size_t lines, struct str *out);

/* The registers' roles above, for what sets them up. */
enum { BODY_COUNTER = 15, BODY_LOADS = 14, BODY_STORES = 13, BODY_ZERO = 11 };
/* Bytes around the pointers that bodies touch. */
#define BODY_WINDOW 2048

/* Dependency chains of an instruction form: code in which each instruction waits for the one
 * before, by one pair of operands. */

enum chain_kind {
    CHAIN_REGISTER,   /* an operand read and one written are the same register */
    CHAIN_OWN,        /* a register that the form names itself: rax of mul; a base that it steps */
    /* a register that the form reads by itself, or has to have, and an operand written that is this
     * register: rdx of mulx, cl of shl */
    CHAIN_FIXED,
    CHAIN_FLAGS,      /* flags read and written: adc */
    CHAIN_FROM_FLAGS, /* test (tst) makes flags from the result: cmov, setcc, csel */
    CHAIN_TO_FLAGS,   /* cmovz (csel, fcsel) makes a register from the flags: cmp, bt */
    CHAIN_ADDRESS,    /* a loaded register is and-ed into the index of the address */
    CHAIN_FORWARD,    /* the stored value is loaded again */
    CHAIN_MEMORY,     /* memory read and written at one place */
    CHAIN_DOMAINS,    /* between general and vector registers, movq (fmov) back */
};

/* Registers that pass values among themselves in a cycle; from one domain to another takes
 * longer. */
enum domain { DOMAIN_GENERAL, DOMAIN_VECTOR, DOMAIN_MASK };

struct chain {
    enum chain_kind kind;
    /* operands of the template if the kind has them; CHAIN_FIXED: from is the register */
    uint8_t from, to;
    char from_name[16], to_name[16];
    /* cycles of the chain's added instructions, subtracted: 1 for and, test, cmov; 0 if the
     * helper's time is unknown */
    double helper;
    const char *note;         /* "" or what the number includes */
};

#define CHAINS_MAX 24
/* The chains that can be made of @code; returns how many. Any thread. */
size_t chain_list(const struct form_code *code, struct chain out[CHAINS_MAX]);
/* @links repetitions of the chain as a body. False with err when it cannot be encoded. */
bool chain_make(const struct form_code *code, const struct chain *chain, unsigned links,
                struct body *out, struct err *err);

/* body_order.c: the order of an experiment's forms in a body. */

/* The terms of @executions executions of the multiset, @counts[i] times i for each i below @n, into
 * @order: as many indices as they have instructions. @apart says of each term whether it takes no
 * last slot of a group (BODY_PAIRED; NULL for others). */
void body_order(const uint32_t *counts, const bool *apart, size_t n, uint64_t executions,
                enum body_order kind, uint32_t *order);

#endif
