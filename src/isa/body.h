/* Makes machine code without dependences between its instructions from a multiset of instruction
 * forms. Registers: rsp is the stack, r15 the counter, r14 points to read-only memory, r13 to
 * written memory, r11 is zeroed to break chains. Some of the others are only read (two if a form
 * reads its destination, which then has all free ones); the rest are written in turn. So no
 * instruction waits for another, and read values never change. Registers that a form implies (cl,
 * rax, xmm0) are excluded from both. Stores step through 2 KiB, loads through the shape's window.
 * Chain breakers precede each form that reads its destination without a choice of register:
 * - flags read and written (adc, sbb, rcl, adcx), and shifts by cl, which keep the flags for count
 * 0: xor r11d, r11d
 * - rax or rdx read and written (mul, cdqe, cmpxchg): xor of that register
 * - div and idiv, for a new dividend: mov eax, a constant; xor edx, edx
 * Zeroing costs an issue slot and no port on every machine with the idiom. This is x86-64;
 * a64/body.h has AArch64. */
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

/* A form prepared for code. */
struct form_code {
    const struct form_row *row;   /* borrowed */
    const void *own;              /* data of its instruction set (isa_ops.code_make) */
};
/* Prepares @row, which is borrowed; NULL with err (the reason) when it cannot be measured on this
 * CPU. AArch64: its encoding must have been learnt (toolchain/assemble.h). Any thread. */
struct form_code *form_code_new(const struct form_row *row, struct err *err);
/* The same for any processor: simulated, of this or another instruction set. */
struct form_code *form_code_any(const struct form_row *row, struct err *err);
void form_code_free(struct form_code *code);
/* Returns whether the form can be coded for this or another CPU, without checking its encoding. */
bool form_has_code(const struct form_row *row);
/* Returns NULL when the form can be measured on this CPU, else the reason, in @buffer. */
const char *form_measurable(const struct form_row *row, char *buffer, size_t size);

enum body_vectors { BODY_NO_VECTOR, BODY_SSE, BODY_VEX, BODY_EVEX, BODY_NEON, BODY_SVE };

struct body {
    uint8_t code[BODY_LIMIT];
    size_t length;
    unsigned executions;      /* of the experiment in the body */
    unsigned instructions;    /* of the experiment, over all executions */
    unsigned breakers;        /* number of instructions that break chains */
    enum body_vectors vectors;
    bool wide;                /* uses registers wider than 256 bits or above 15 */
    /* requested by the shape and effective: some instructions were short, or some executions are
     * BODY_PAIRED */
    bool padded;
};

/* Order of an experiment's executions. A processor that assigns ports at dispatch, or merges
 * neighbouring stores, may be slower for a regular order: the least of several orders counts. */
enum body_order {
    BODY_SPREAD,      /* all executions equal, the terms spread evenly */
    BODY_MIRRORED,    /* every second execution reversed */
    /* three executions together: three of the first instruction, three of the second */
    BODY_CLUMPED,
    BODY_SHUFFLED,    /* each execution in its own fixed pseudo-random order */
    BODY_ORDERS,      /* orders measured of everything */
    /* two executions together. Forms that access memory, or move vectors to a general register or
     * the flags, are next to one of the others; the rest come in pairs. For a rename stage that
     * restricts the last slot of a group, or does not split two-slot instructions. AArch64: as
     * BODY_SPREAD */
    BODY_PAIRED = BODY_ORDERS
};

/* Length of a body, window of its loads, and order. */
struct body_shape {
    unsigned instructions;   /* number of whole executions that come closest above it, at least
                              * one */
    /* bytes that loads step through, 64 to BODY_WINDOW: calibration finds a size without bank
     * conflicts; 0: BODY_WINDOW */
    unsigned load_window;
    enum body_order order;
    /* x86-64: short instructions get redundant prefixes, up to BODY_PADDED bytes, for a µop cache
     * that delivers less of dense code */
    bool padded;
};
#define BODY_PADDED 6

/* Makes a body with @counts[i] times @forms[i] per execution. False with err when impossible: SSE
 * with VEX code, no free registers, too long. */
bool body_make(struct form_code *const *forms, const uint32_t *counts, size_t n,
               const struct body_shape *shape, struct body *out, struct err *err);
/* Returns whether code of bodies or chains may run: every instruction decodes and is on the list
 * for foreign code, does not use the loop's registers, and accesses only the bodies' memory. False
 * with err, which names the first violation. body_make and chain_make check added forms. */
bool body_check(enum isa isa, const uint8_t *code, size_t length, struct err *err);
/* Disassembles code of @isa (Intel syntax on x86-64), one instruction per line, at most @lines (0:
 * all). */
void code_print(enum isa isa, const uint8_t *code, size_t length, size_t lines, struct str *out);

/* Register roles, for the set-up code. */
enum { BODY_COUNTER = 15, BODY_LOADS = 14, BODY_STORES = 13, BODY_ZERO = 11 };
/* Bytes around the pointers that bodies access. */
#define BODY_WINDOW 2048

/* Dependency chains of a form: each instruction waits for the previous one by one pair of
 * operands. */

enum chain_kind {
    CHAIN_REGISTER,   /* an operand read and one written are the same register */
    CHAIN_OWN,        /* an implicit register: rax of mul; an updated base */
    /* an implicit input register that is also the written operand: rdx of mulx, cl of shl */
    CHAIN_FIXED,
    CHAIN_FLAGS,      /* flags read and written: adc */
    CHAIN_FROM_FLAGS, /* test (tst) computes flags from the result: cmov, setcc, csel */
    CHAIN_TO_FLAGS,   /* cmovz (csel, fcsel) computes a register from the flags: cmp, bt */
    CHAIN_ADDRESS,    /* a loaded register is combined by and into the index of the address */
    CHAIN_FORWARD,    /* the stored value is loaded again */
    CHAIN_MEMORY,     /* memory read and written at one place */
    CHAIN_DOMAINS,    /* between general and vector registers, movq (fmov) back */
};

/* Register kinds that pass values in a cycle; crossing domains takes longer. */
enum domain { DOMAIN_GENERAL, DOMAIN_VECTOR, DOMAIN_MASK };

struct chain {
    enum chain_kind kind;
    /* operands of the template, if any; CHAIN_FIXED: from is the register */
    uint8_t from, to;
    char from_name[16], to_name[16];
    /* cycles of the chain's helper instructions, subtracted: 1 for and, test, cmov; 0 if unknown */
    double helper;
    const char *note;         /* "", or what the number includes */
};

#define CHAINS_MAX 24
/* Lists the possible chains of @code; returns their number. */
size_t chain_list(const struct form_code *code, struct chain out[CHAINS_MAX]);
/* Makes @links repetitions of the chain as a body. False with err when it cannot be encoded. */
bool chain_make(const struct form_code *code, const struct chain *chain, unsigned links,
                struct body *out, struct err *err);

/* body_order.c: order of an experiment's forms in a body. */

/* Writes to @order the indices of @executions executions of the multiset with @counts[i] times i
 * below @n. @apart: per term, whether it cannot take the last slot of a group (BODY_PAIRED; NULL
 * otherwise). */
void body_order(const uint32_t *counts, const bool *apart, size_t n, uint64_t executions,
                enum body_order kind, uint32_t *order);

#endif
