/* A decoded instruction of any instruction set. Contains the data that the analysis needs, without
 * decoder types. */
#ifndef PORTOLAN_ISA_INSN_H
#define PORTOLAN_ISA_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"
#include "isa/operation.h"

#define FORM_MAX 192
#define INSN_OPERANDS 12

enum operand_kind { OPERAND_REGISTER, OPERAND_MEMORY, OPERAND_IMMEDIATE, OPERAND_RELATIVE };
enum operand_access {
    ACCESS_READ = 1,
    ACCESS_WRITE = 2,
    ACCESS_CONDITIONAL = 4,   /* the access depends on a condition */
    /* base updated by AArch64 pre- and post-index or x86 string instructions. It is computed from
     * its old value in one cycle, independent of the data. @immediate is the step, or @index the
     * register with the step */
    ACCESS_WRITEBACK = 8,
};

/* Register file of a register number. */
enum register_file {
    FILE_NONE,        /* no register: memory, immediates, AArch64's zero register */
    FILE_GENERAL,     /* numbers from 0, including the stack pointer (struct isa_ops) */
    FILE_VECTOR,
    FILE_MASK,        /* k0-k7 of AVX-512 */
    FILE_X87,         /* x87 stack and MMX */
    FILE_PREDICATE,   /* p0-p15 and ffr of SVE */
    FILE_PC,
    FILE_FLAGS,
    FILE_OTHER,
};

/* Register number of an architectural root register. x86-64: rax..r15 0-15, vector 16-47, mask
 * 48-55, x87/mmx 56-63. AArch64: x0-x30 0-30, sp 31, v0-v31 and z0-z31 32-63, p0-p15 72-87, ffr 88;
 * xzr is REG_NONE without access. Both: program counter 64, flags 65, others 66. */
#define REG_NONE 255
#define REG_PC 64
#define REG_FLAGS 65
#define REG_OTHER 66
#define A64_LINK 30
#define A64_SP 31
#define A64_V0 32
#define A64_P0 72
#define A64_FFR 88
#define INSN_REGISTERS 96   /* larger than all register numbers */
/* x86-64: registers below this number have a high-byte register, offset_bits 8 */
#define REG_HIGH_BYTES 4
#define INSN_NO_OPERAND 255

/* Effect of an x87 instruction on the register stack. */
enum x87_kind {
    X87_NONE, X87_LOAD, X87_STORE, X87_EXCHANGE, X87_SIGN, X87_EXAMINE, X87_MOVE, X87_COMPARE,
    X87_ADD, X87_MULTIPLY, X87_FREE, X87_CLEAR, X87_TURN
};

/* Bits of flags_read and flags_written. AArch64 has carry, zero, sign and overflow. */
#define FLAG_CARRY 1u
#define FLAG_PARITY 2u
#define FLAG_ADJUST 4u
#define FLAG_ZERO 8u
#define FLAG_SIGN 16u
#define FLAG_OVERFLOW 32u
#define FLAG_DIRECTION 64u

struct operand {
    uint8_t kind;       /* enum operand_kind */
    uint8_t access;     /* bits of enum operand_access */
    bool implicit;      /* not in the text */
    uint8_t reg;        /* root register, or REG_NONE */
    uint8_t file;       /* enum register_file of @reg */
    uint16_t bits;      /* width in bits; SVE: 128, the granule of its vectors */
    uint8_t offset_bits; /* 8 for ah, bh, ch, dh */
    /* Memory: root registers or REG_NONE; scale 0 without an index. Registers: scale is the factor
     * of an AArch64 left shift, 1 without one, 0 for another shift or extension. */
    uint8_t base, index, scale, segment;
    /* displacement of an address; for OPERAND_RELATIVE the target's offset in the code */
    int64_t displacement;
    int64_t immediate;
};

enum insn_trait {
    INSN_BRANCH = 1 << 0,        /* any change of control flow */
    INSN_CONDITIONAL = 1 << 1,   /* conditional branch */
    INSN_CALL = 1 << 2,
    INSN_RETURN = 1 << 3,
    /* zeroing idiom of equal registers on some machine: xor r,r; vpxor x,y,y; sub, pcmpgt... */
    INSN_ZERO_IDIOM = 1 << 4,
    INSN_ONES_IDIOM = 1 << 5,    /* pcmpeq of equal registers */
    INSN_MOVE = 1 << 6,          /* move between registers that a machine may eliminate */
    INSN_LOAD = 1 << 7,
    INSN_STORE = 1 << 8,
    INSN_LOCK = 1 << 9,
    INSN_NOP = 1 << 10,
    INSN_X87_MMX = 1 << 11,
    INSN_SYSTEM = 1 << 12,       /* privileged, serialising or system instruction */
    INSN_LEGACY_SSE = 1 << 13,
    INSN_VEX = 1 << 14,          /* encoded with VEX or EVEX */
    INSN_LCP = 1 << 15,          /* length-changing prefix: 66 with a 16-bit immediate */
    INSN_RIP_RELATIVE = 1 << 16,
    INSN_INDEXED = 1 << 17,      /* its memory operand has an index register */
    INSN_WRITEBACK = 1 << 18,    /* one operand has ACCESS_WRITEBACK */
    /* no decoder supports the bytes */
    INSN_UNDECODED = 1 << 19,
    /* uses vector registers; AArch64: of at least 64 bits, or of SVE */
    INSN_VECTOR = 1 << 20,
    /* permitted in foreign code (isa/x86/allow.c, isa/a64/allow.c) */
    INSN_RUNNABLE = 1 << 21,
    /* push, pop, call, return: has an implicit memory operand at the stack pointer, which changes
     * by the operand's size */
    INSN_STACK = 1 << 22,
    /* writes the first operand but keeps a part of it (sqrtsd, legacy movlps), or all of it under a
     * condition (bsf) */
    INSN_KEEPS_OLD = 1 << 23,
    INSN_NARROW_ADDRESS = 1 << 24,   /* addresses wrap at 32 bits (x86-64: prefix 67) */
    /* starts after all earlier instructions have completed, and before any later one starts:
     * lfence, cpuid, isb */
    INSN_BARRIER = 1 << 26,
    /* faults if its memory operand is not aligned to its width: movaps, legacy packed operations */
    INSN_ALIGNED = 1 << 27,
    /* contains an unresolved relocation; its memory operand has an address for the symbol */
    INSN_REFERS = 1 << 28,
    /* x86-64: unknown to the decoder; its data come from another disassembler's text */
    INSN_FOREIGN = 1 << 25,
    /* a branch in a list of executed instructions; the next one in the list follows it, whatever
     * its condition */
    INSN_FOLLOWED = 1 << 29,
    /* in a copy of a loop: no iteration executes it (analysis/loop_code.h) */
    INSN_SKIPPED = 1 << 30,
};

struct insn {
    uint8_t isa;                  /* enum isa */
    uint8_t bytes[16];
    uint8_t length;
    uint64_t offset;              /* offset in the decoded code */
    /* address in its file, for display; in relocatable files the offset in its section */
    uint64_t address;
    bool placed;                  /* @address is set */
    uint32_t line;                /* line of the text, from 1; 0: none */
    /* line of the C file, from 1; 0: unknown */
    uint32_t origin;
    char *text;                   /* the user's text, or a disassembly; owned */
    char form[FORM_MAX];          /* canonical form name */
    char mnemonic[32];            /* lower case, without prefixes */
    uint32_t traits;
    uint32_t flags_read, flags_written;   /* FLAG_... bits */
    uint8_t operation;            /* enum operation */
    uint8_t condition;            /* enum condition */
    uint8_t x87;                  /* enum x87_kind */
    /* x87 registers pushed minus popped; for X87_TURN only the top moves by this number */
    int8_t x87_step;
    uint8_t opcode_at;            /* number of prefix bytes */
    /* Roles, as indices of operands; INSN_NO_OPERAND: none. Only listed operands, and the memory of
     * push and pop. */
    /* first output: a register, or a store's memory */
    uint8_t result;
    /* inputs in order: minuend and subtrahend; a store's data; a load's memory. A result that is
     * also read is first */
    uint8_t inputs[2];
    struct operand operands[INSN_OPERANDS];
    uint8_t operand_count;        /* explicit operands are first, in Intel's or Arm's order */
};

void insn_done(struct insn *insn);
/* Fills @out for @n bytes, at most 16, of an unknown instruction. Its form is `UNDECODED (0x...)`.
 * @line: its text if available; NULL: its bytes. */
void insn_undecoded(enum isa isa, const uint8_t *code, size_t n, uint64_t offset, const char *line,
                    bool text, struct insn *out);
/* For decoders: derives result and inputs from the operands' accesses. */
void insn_fill_roles(struct insn *insn);
/* Returns the operand with index @place (a result or input); NULL for INSN_NO_OPERAND. */
const struct operand *insn_operand(const struct insn *insn, uint8_t place);
/* Return the first immediate or memory operand, or NULL. */
const struct operand *insn_immediate(const struct insn *insn);
/* Returns the number of floating-point operations: one per lane, two if fused. */
unsigned insn_flops(const struct insn *insn);
/* Returns whether the instruction is a non-temporal store (movnt, stnp). */
bool insn_streams(const struct insn *insn);
/* Returns whether the instruction computes a general register or the flags from vectors or
 * masks. */
bool insn_leaves_vectors(const struct insn *insn);
const struct operand *insn_memory(const struct insn *insn);
/* Returns whether the last two listed operands are the same register of at least 32 bits, without a
 * mask. */
bool insn_same_sources(const struct insn *insn);
/* Returns whether the instruction is a shift or rotation by a register, on x86-64 by cl. */
bool insn_count_in_register(const struct insn *insn);
#define PLACE_TEXT 20
/* Writes the line of @insn to @out, or the address in hexadecimal digits for code from a file, or
 * "" if unknown. Returns @out. */
const char *insn_place_text(const struct insn *insn, char out[PLACE_TEXT]);
/* Writes the address, "0x1258", to @out. Returns @out; NULL if unknown. */
const char *insn_address_text(const struct insn *insn, char out[PLACE_TEXT + 2]);
/* Return the heading of a column of lines or addresses, "line" or "address", and its width for
 * @count instructions, at least 4. */
const char *insn_place_title(const struct insn *insn);
unsigned insn_place_width(const struct insn *insns, size_t count);
/* Appends " (line 7)" or " (0x1258)"; nothing if unknown. */
void insn_place_note(const struct insn *insn, struct str *out);
/* Returns the original text without leading blanks, or the mnemonic. */
const char *insn_shown(const struct insn *insn);
/* Decodes one instruction of @isa at @code. Fills all members except line; the text only if @text.
 * False with err if the bytes are no instruction. */
bool insn_decode(enum isa isa, const uint8_t *code, size_t length, uint64_t offset, bool text,
                 struct insn *out, struct err *err);
/* Decodes only length and form name, for `forms scan`. Returns 0 if the bytes are undecodable. */
size_t insn_form(enum isa isa, const uint8_t *code, size_t length, char form[FORM_MAX],
                 uint32_t *traits);
/* Prepares decoding of @code: looks up all unknown words together. Words that stay unknown decode
 * as unknown. False with err only if the look-up could not run. */
bool insn_learn(enum isa isa, const uint8_t *code, size_t length, struct err *err);
/* Returns the offset in the bytes of the 32-bit displacement of a rip-relative operand; 0 if
 * none. */
unsigned insn_rip_displacement(const struct insn *insn);
/* Returns the offset in the bytes of the distance of a relative branch, after any prefixes; 0 if
 * none. *@size gets its size. x86-64. */
unsigned insn_branch_distance(const struct insn *insn, unsigned *size);

/* Iterators over related forms. Each call returns one form and advances *@at, which is 0 at first.
 * False: no more forms. */

/* An equivalent instruction. */
struct isa_alternative {
    char form[FORM_MAX];
    char name[64];        /* assembler mnemonic */
    bool loses_flags;     /* changes flags differently */
    const char *note;     /* source of the equivalence; NULL: none */
};

/* Iterates over names of forms with equal cost, for tables that lack @form: other immediate widths
 * or encodings. */
bool isa_alike(enum isa isa, const char *form, size_t *at, char out[FORM_MAX]);
/* Iterates over forms of @form's operation without its load or store: a register replaces the
 * memory operand of @bits. Most likely forms are first. */
bool isa_with_register(enum isa isa, const char *form, unsigned bits, size_t *at,
                       char out[FORM_MAX]);
/* Iterates over instructions equivalent to @insn, for the value of its immediate. */
bool isa_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out);

#endif
