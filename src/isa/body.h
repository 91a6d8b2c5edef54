/* Makes machine code without dependences between its instructions from a multiset of instruction
 * forms. On x86-64 (a64/body.h describes AArch64) rsp is the stack, r15 the counter, r14 points to
 * memory that is read, r13 to memory that is written, and r11 is zeroed to break chains. Some of
 * the other registers are only read, and the remaining registers are written in rotation. If a form
 * reads its destination, only two registers are never written, and the destinations rotate over all
 * free registers. Therefore no instruction waits for another. Values that are read never change.
 * Registers that a form implies (cl, rax, xmm0) are in neither group. Stores step through 2 KiB,
 * loads through the shape's window. If a form reads a destination that is a fixed register, these
 * instructions break its chain:
 * - xor r11d, r11d if the flags are read and written (adc, sbb, rcl, adcx), and for shifts by cl,
 *   which do not change the flags if the count is 0
 * - xor of rax or rdx if the register is read and written (mul, cdqe, cmpxchg)
 * - mov eax, a constant, and xor edx, edx for the dividend of div and idiv
 * Zeroing takes an issue slot and no port on every machine with the idiom. */
#ifndef PORTOLAN_ISA_BODY_H
#define PORTOLAN_ISA_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/forms.h"
#include "model/experiment.h"

#define BODY_LIMIT 16384   /* maximum number of bytes of code */

/* A form prepared for encoding */
struct form_code {
    const struct form_row *row;   /* row of the table of forms, borrowed */
    const void *own;              /* data of the instruction set, from isa_ops.code_make */
};
/* Prepares @row (borrowed). Returns NULL with err if the form cannot be measured on this CPU. On
 * AArch64 the encoding must have been derived before (toolchain/assemble.h). Any thread. */
struct form_code *form_code_new(const struct form_row *row, struct err *err);
/* Prepares @row like form_code_new, but for simulation instead of measurement: on any CPU, even one
 * with another instruction set. */
struct form_code *form_code_any(const struct form_row *row, struct err *err);
void form_code_free(struct form_code *code);
/* Returns whether a CPU exists that can execute code of the form. Does not verify the encoding. */
bool form_has_code(const struct form_row *row);
/* Returns NULL if the form can be measured on this CPU. Otherwise writes the reason to @buffer and
 * returns it. */
const char *form_measurable(const struct form_row *row, char *buffer, size_t size);

enum body_vectors { BODY_NO_VECTOR, BODY_SSE, BODY_VEX, BODY_EVEX, BODY_NEON, BODY_SVE };

struct body {
    uint8_t code[BODY_LIMIT];
    size_t length;
    unsigned executions;      /* executions of the experiment in the body */
    unsigned instructions;    /* number of instructions in all executions */
    unsigned breakers;        /* number of instructions that were added to break chains */
    enum body_vectors vectors;
    bool wide;                /* whether the body uses registers wider than 256 bits or with
                               * numbers above 15 */
    /* whether padding was requested, and it added prefixes or BODY_PAIRED paired executions */
    bool padded;
};

/* Order of the instructions in a body. CPUs that assign ports at dispatch, or that merge adjacent
 * stores, may be slower with a regular order. The measured time is the smallest of several
 * orders. */
enum body_order {
    BODY_SPREAD,      /* one order for all executions, with evenly distributed terms */
    BODY_MIRRORED,    /* like BODY_SPREAD, but with every second execution reversed */
    /* groups of three executions: the first instruction three times, then the second three times,
     * and so on */
    BODY_CLUMPED,
    BODY_SHUFFLED,    /* a separate order for each execution, pseudo-random but fixed */
    BODY_ORDERS,      /* number of orders that are measured for each experiment */
    /* Groups of two executions. A form that accesses memory, or moves a vector to a general
     * register or to the flags, is next to another kind of form. All other forms are in pairs. This
     * order is for rename stages that restrict the last slot of a group, or do not split two-slot
     * instructions. On AArch64 this order equals BODY_SPREAD. */
    BODY_PAIRED = BODY_ORDERS
};

/* Length of a body, window of its loads, and order and padding of its instructions */
struct body_shape {
    /* minimum number of instructions; the body consists of at least one whole execution */
    unsigned instructions;
    /* Bytes through which loads step, 64 to BODY_WINDOW. 0: BODY_WINDOW. Calibration chooses a size
     * without bank conflicts. */
    unsigned load_window;
    enum body_order order;
    /* x86-64: whether to add redundant prefixes to short instructions, up to BODY_PADDED bytes,
     * because a µop cache may deliver dense code more slowly */
    bool padded;
};
#define BODY_PADDED 6

/* Makes a body whose executions have @counts[i] instructions of @forms[i]. Returns false with err
 * if no body is possible. Reasons are, for example, a mixture of legacy SSE and VEX, too few
 * registers, or too long code. */
bool body_make(struct form_code *const *forms, const uint32_t *counts, size_t n,
               const struct body_shape *shape, struct body *out, struct err *err);
/* Returns whether code of bodies or chains may be executed. Every instruction must decode, be
 * permitted in foreign code, use no register of the loop, and access only the memory of bodies.
 * Returns false with err, which names the first violation. body_make and chain_make check the code
 * of added forms. */
bool body_check(enum isa isa, const uint8_t *code, size_t length, struct err *err);
/* Appends a disassembly of at most @lines instructions of @code, one per line. @lines 0 prints all.
 * x86-64 is printed in Intel syntax. */
void code_print(enum isa isa, const uint8_t *code, size_t length, size_t lines, struct str *out);

/* numbers of registers with a fixed role on x86-64, for the code that initialises them */
enum { BODY_COUNTER = 15, BODY_LOADS = 14, BODY_STORES = 13, BODY_ZERO = 11 };
/* number of bytes around the load pointer and around the store pointer that bodies access */
#define BODY_WINDOW 2048

/* Kind of a dependency chain: the way in which an instruction passes its result to the next
 * instruction */

enum chain_kind {
    CHAIN_REGISTER,   /* the written operand has the register of a read operand */
    CHAIN_OWN,        /* the result is an implicit register, such as rax of mul, or an updated
                       * base */
    /* the written operand is an implicit input, such as rdx of mulx or cl of shl */
    CHAIN_FIXED,
    CHAIN_FLAGS,      /* the instruction reads and writes the flags, such as adc */
    CHAIN_FROM_FLAGS, /* for cmov, setcc, csel: the added test (AArch64: tst) sets flags from the
                       * result */
    /* for cmp and bt: the added cmovz (csel, fcsel) computes a register from the flags that the
     * form sets */
    CHAIN_TO_FLAGS,
    CHAIN_ADDRESS,    /* the next address depends on the loaded register; on AArch64 by an
                       * additional add */
    CHAIN_FORWARD,    /* the stored value is loaded again */
    CHAIN_MEMORY,     /* the instruction reads and writes the same address in memory */
    /* for moves between general and vector registers: the added movq (fmov) moves the value
     * back */
    CHAIN_DOMAINS,
};

/* register file that a chain uses; moves between register files take longer */
enum domain { DOMAIN_GENERAL, DOMAIN_VECTOR, DOMAIN_MASK };

struct chain {
    enum chain_kind kind;
    /* numbers of operands in the template; with CHAIN_FIXED, @from is the register */
    uint8_t from, to;
    char from_name[16], to_name[16];
    /* cycles of the helper instructions of a link (1 for and, test, cmov), which are subtracted; 0:
     * none, or unknown */
    double helper;
    const char *note;         /* names of other costs that are part of the result; may be empty */
};

#define CHAINS_MAX 24
/* Lists the chains of @code. Returns their number. */
size_t chain_list(const struct form_code *code, struct chain out[CHAINS_MAX]);
/* Makes a body with @links links of @chain. Returns false with err if the chain cannot be
 * encoded. */
bool chain_make(const struct form_code *code, const struct chain *chain, unsigned links,
                struct body *out, struct err *err);

/* body_order.c: order of the instructions in a body */

/* Writes the order of @executions executions to @order. Each has @counts[i] instructions of form i,
 * for i below @n. BODY_PAIRED needs @apart, which marks the forms that cannot be in the last slot
 * of a group. Other orders ignore @apart. */
void body_order(const uint32_t *counts, const bool *apart, size_t n, uint64_t executions,
                enum body_order kind, uint32_t *order);

#endif
