/* Makes machine code without dependences between its instructions from a multiset of instruction
 * forms. Registers: rsp is the stack, r15 the counter, r14 points to memory that is read, r13 to
 * memory that is written, r11 is zeroed to break chains. Some of the other registers are only read,
 * the remaining ones are written in rotation. If a form reads its destination, only two are read,
 * and its destinations rotate over all free ones. Therefore no instruction waits for another, and
 * values that are read never change. Registers that a form implies (cl, rax, xmm0) are in neither
 * group. Stores step through 2 KiB, loads through the shape's window. Chain breakers precede each
 * form that reads its destination without a choice of register:
 * - flags read and written (adc, sbb, rcl, adcx), and shifts by cl, which keep the flags for count
 *   0: xor r11d, r11d
 * - rax or rdx read and written (mul, cdqe, cmpxchg): xor of that register
 * - div and idiv, for a new dividend: mov eax, a constant; xor edx, edx
 * Zeroing takes an issue slot and no port on every machine with the idiom. This describes x86-64;
 * a64/body.h describes AArch64. */
#ifndef PORTOLAN_ISA_BODY_H
#define PORTOLAN_ISA_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/forms.h"
#include "model/experiment.h"

#define BODY_LIMIT 16384   /* bytes of code, at most */

/* A form prepared for coding. */
struct form_code {
    const struct form_row *row;   /* borrowed */
    const void *own;              /* data of the instruction set (isa_ops.code_make) */
};
/* Prepares @row, which is borrowed. NULL with err, the reason, if it cannot be measured on this
 * CPU. AArch64: its encoding must be known (toolchain/assemble.h). Any thread. */
struct form_code *form_code_new(const struct form_row *row, struct err *err);
/* Prepares @row for any processor, also of another instruction set, for simulation. */
struct form_code *form_code_any(const struct form_row *row, struct err *err);
void form_code_free(struct form_code *code);
/* Returns whether some CPU can execute code of the form. Does not verify its encoding. */
bool form_has_code(const struct form_row *row);
/* Returns NULL if the form can be measured on this CPU, else the reason, which is in @buffer. */
const char *form_measurable(const struct form_row *row, char *buffer, size_t size);

enum body_vectors { BODY_NO_VECTOR, BODY_SSE, BODY_VEX, BODY_EVEX, BODY_NEON, BODY_SVE };

struct body {
    uint8_t code[BODY_LIMIT];
    size_t length;
    unsigned executions;      /* executions of the experiment in the body */
    unsigned instructions;    /* instructions of the experiment, over all executions */
    unsigned breakers;        /* instructions that only break chains */
    enum body_vectors vectors;
    bool wide;                /* uses registers wider than 256 bits or above number 15 */
    /* the shape requests padding and it had an effect: some instructions were short, or some
     * executions are BODY_PAIRED */
    bool padded;
};

/* Order of an experiment's executions. A processor that assigns ports at dispatch, or merges
 * adjacent stores, may be slower for a regular order. The result is the minimum over several
 * orders. */
enum body_order {
    BODY_SPREAD,      /* equal executions, with the terms spread evenly */
    BODY_MIRRORED,    /* every second execution is reversed */
    /* three executions together: three of the first instruction, three of the second, ... */
    BODY_CLUMPED,
    BODY_SHUFFLED,    /* each execution in another, fixed pseudo-random order */
    BODY_ORDERS,      /* number of orders measured of every experiment */
    /* Two executions together. A form that accesses memory, or moves vectors to a general register
     * or the flags, is adjacent to another kind of form; other forms are in pairs. For a rename
     * stage that restricts the last slot of a group, or does not split two-slot instructions.
     * AArch64: equals BODY_SPREAD. */
    BODY_PAIRED = BODY_ORDERS
};

/* Length of a body, window of its loads, and order of its instructions. */
struct body_shape {
    /* least number of instructions; the body has whole executions, at least one */
    unsigned instructions;
    /* bytes that loads step through, 64 to BODY_WINDOW. Calibration finds a size without bank
     * conflicts; 0: BODY_WINDOW */
    unsigned load_window;
    enum body_order order;
    /* x86-64: short instructions get redundant prefixes, up to BODY_PADDED bytes, for a µop cache
     * that delivers dense code more slowly */
    bool padded;
};
#define BODY_PADDED 6

/* Makes a body with @counts[i] of @forms[i] per execution. False with err if impossible: legacy SSE
 * together with VEX, no free registers, too long. */
bool body_make(struct form_code *const *forms, const uint32_t *counts, size_t n,
               const struct body_shape *shape, struct body *out, struct err *err);
/* Returns whether code of bodies or chains may be executed. Every instruction must decode, be
 * permitted in foreign code, not use the loop's registers, and access only the bodies' memory.
 * False with err, which names the first violation. body_make and chain_make check added forms. */
bool body_check(enum isa isa, const uint8_t *code, size_t length, struct err *err);
/* Appends a disassembly of @code (x86-64: Intel syntax), one instruction per line, at most @lines
 * (0: all). */
void code_print(enum isa isa, const uint8_t *code, size_t length, size_t lines, struct str *out);

/* Roles of registers, for the code that initialises them. */
enum { BODY_COUNTER = 15, BODY_LOADS = 14, BODY_STORES = 13, BODY_ZERO = 11 };
/* bytes around the pointers that bodies access */
#define BODY_WINDOW 2048

/* Dependency chains of a form. Each instruction depends on the previous one through one pair of
 * operands. */

enum chain_kind {
    CHAIN_REGISTER,   /* an operand that is read and one that is written are the same register */
    CHAIN_OWN,        /* an implicit register, like rax of mul, or an updated base */
    /* an implicit input register is also the written operand: rdx of mulx, cl of shl */
    CHAIN_FIXED,
    CHAIN_FLAGS,      /* the flags are read and written: adc */
    CHAIN_FROM_FLAGS, /* test (tst) computes flags from the result: for cmov, setcc, csel */
    CHAIN_TO_FLAGS,   /* cmovz (csel, fcsel) computes a register from the flags: for cmp, bt */
    CHAIN_ADDRESS,    /* a loaded register is combined by and into the index of the address */
    CHAIN_FORWARD,    /* the stored value is loaded again */
    CHAIN_MEMORY,     /* one memory location is read and written */
    CHAIN_DOMAINS,    /* between general and vector registers; movq (fmov) moves the value back */
};

/* Register files that a chain passes through. Crossing them takes longer. */
enum domain { DOMAIN_GENERAL, DOMAIN_VECTOR, DOMAIN_MASK };

struct chain {
    enum chain_kind kind;
    /* operand numbers in the template; CHAIN_FIXED: @from is the register */
    uint8_t from, to;
    char from_name[16], to_name[16];
    /* cycles of the chain's helper instructions, to be subtracted: 1 for and, test, cmov; 0 if
     * unknown */
    double helper;
    const char *note;         /* "", or other costs that the result includes */
};

#define CHAINS_MAX 24
/* Lists the chains of @code. Returns their number. */
size_t chain_list(const struct form_code *code, struct chain out[CHAINS_MAX]);
/* Makes a body of @links links of the chain. False with err if it cannot be encoded. */
bool chain_make(const struct form_code *code, const struct chain *chain, unsigned links,
                struct body *out, struct err *err);

/* body_order.c: order of an experiment's forms in a body. */

/* Writes to @order the order of @executions executions of the multiset with @counts[i] of each i
 * below @n. @apart (BODY_PAIRED, else NULL): per term, whether it cannot be in the last slot of a
 * group. */
void body_order(const uint32_t *counts, const bool *apart, size_t n, uint64_t executions,
                enum body_order kind, uint32_t *order);

#endif
