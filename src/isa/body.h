/* From a multiset of instruction forms to machine code without dependences between its
 * instructions.
 *
 * Registers: rsp is the stack, r15 counts, r14 points to memory that is only read, r13 to memory
 * that is written, r11 is cleared to break chains. Of the others some are only ever read (two where
 * a form reads what it writes, which then has all that are free, those above included), the rest
 * are written in turn: no instruction waits for a value that another one makes, and what is read
 * keeps its value. A register that a form names itself (cl, rax, xmm0) is taken out of both. What
 * is written steps through 2 KiB, loads through as much as the shape says.
 *
 * What breaks the chains of forms that read what they write without a choice of register, put
 * before each of them:
 *   flags read and written (adc, sbb, rcl, adcx), shifts by cl, which keep the flags when the count
 *   is 0   xor r11d, r11d
 *   rax or rdx read and written (mul, cdqe, cmpxchg)
 *          xor of that register
 *   div and idiv: the dividend is made anew
 *          mov eax, a constant; xor edx, edx
 * Zeroing costs an issue slot and no port on every machine that knows the idiom.
 *
 * This is x86-64; how bodies of AArch64 are made stands in a64_body.h. */
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
/* Whether code can be made of the form, for this CPU or another, as far as that is known without
 * its encoding. */
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

/* How the executions of an experiment follow each other. A processor that chooses ports when it
 * dispatches, or joins neighbouring stores, takes longer for an order that is in step with it: the
 * least of several orders is what the forms themselves take. */
enum body_order {
    BODY_SPREAD,      /* all executions alike, the terms of the multiset spread evenly */
    BODY_MIRRORED,    /* every second execution backwards */
    /* three executions at a time: three of the first instruction, three of the second */
    BODY_CLUMPED,
    BODY_SHUFFLED,    /* each execution in an order of its own, always the same one */
    BODY_ORDERS,      /* so many are measured of everything */
    /* two executions at a time, what accesses memory, or leaves vectors for a general register or
     * the flags, beside one of the others, of which the rest comes two in a row: for a rename that
     * does not give the last slot of a group to everything, nor parts what has two. AArch64: as
     * BODY_SPREAD */
    BODY_PAIRED = BODY_ORDERS
};

/* How long a body is, where its loads go and what follows what. */
struct body_shape {
    unsigned instructions;   /* as many whole executions as come closest above it, at least one */
    /* bytes that loads step through, 64 to BODY_WINDOW: calibration knows where this machine's
     * loads do not collide; 0: BODY_WINDOW */
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
/* Whether code of bodies or chains is what measuring may run: every instruction decodes and is on
 * the list that code of others passes, leaves alone what the loop around it uses, and reaches
 * memory only where bodies do. False with err, which names the first that is not. body_make and
 * chain_make check what they make of forms that were added. Any thread. */
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
    CHAIN_FORWARD,    /* what is stored is loaded again */
    CHAIN_MEMORY,     /* memory read and written at one place */
    CHAIN_DOMAINS,    /* between general and vector registers, movq (fmov) back */
};

/* Registers that pass values among themselves in a cycle; from one domain to another takes
 * longer. */
enum domain { DOMAIN_GENERAL, DOMAIN_VECTOR, DOMAIN_MASK };

struct chain {
    enum chain_kind kind;
    /* operands of the template where the kind has them; CHAIN_FIXED: from is the register */
    uint8_t from, to;
    char from_name[16], to_name[16];
    /* cycles of what the chain adds, subtracted: 1 for and, test, cmov; 0 where the helper's time
     * is not known apart */
    double helper;
    const char *note;         /* "" or what the number includes */
};

#define CHAINS_MAX 24
/* The chains that can be made of @code; returns how many. Any thread. */
size_t chain_list(const struct form_code *code, struct chain out[CHAINS_MAX]);
/* @links repetitions of the chain as a body. False with err when it cannot be encoded. */
bool chain_make(const struct form_code *code, const struct chain *chain, unsigned links,
                struct body *out, struct err *err);

#endif
