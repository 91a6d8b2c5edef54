/* A decoded instruction of any instruction set: the data that analysis needs, independent of
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
    ACCESS_CONDITIONAL = 4,   /* the access may not happen */
    /* base updated by AArch64 pre- and post-index or x86 string instructions: from its own old
     * value, in one cycle, independent of the data; immediate holds the step, or index the register
     * with it */
    ACCESS_WRITEBACK = 8,
};

/* Register file of a number. */
enum register_file {
    FILE_NONE,        /* no register: memory, immediates, AArch64's zero register */
    FILE_GENERAL,     /* numbered from 0, including the stack pointer (struct isa_ops) */
    FILE_VECTOR,
    FILE_MASK,        /* AVX-512's k0-k7 */
    FILE_X87,         /* x87 stack and mmx */
    FILE_PREDICATE,   /* SVE */
    FILE_PC,
    FILE_FLAGS,
    FILE_OTHER,
};

/* Register number, the architectural root. x86-64: rax..r15 0-15, vector 16-47, mask 48-55, x87/mmx
 * 56-63. AArch64: x0-x30 0-30, sp 31, v0-v31 and z0-z31 32-63, p0-p15 72-87, ffr 88; xzr is
 * REG_NONE without access. Both: program counter 64, flags 65, others 66. */
#define REG_NONE 255
#define REG_PC 64
#define REG_FLAGS 65
#define REG_OTHER 66
#define A64_LINK 30
#define A64_SP 31
#define A64_V0 32
#define A64_P0 72
#define A64_FFR 88
#define INSN_REGISTERS 96   /* register numbers of all sets are below */
/* x86-64: these registers have a named second byte, offset_bits 8 */
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
    uint8_t access;     /* enum operand_access bits */
    bool implicit;      /* not in the text */
    uint8_t reg;        /* root register, or REG_NONE */
    uint8_t file;       /* enum register_file of @reg */
    uint16_t bits;      /* width in bits; SVE: 128, the granule of its vectors */
    uint8_t offset_bits; /* 8 for ah bh ch dh */
    /* memory: root registers or REG_NONE; scale 0 without index; registers: factor of an AArch64
     * left shift, 1 without, 0 for another shift or extension */
    uint8_t base, index, scale, segment;
    /* memory; for OPERAND_RELATIVE the target's offset in the code */
    int64_t displacement;
    int64_t immediate;
};

enum insn_trait {
    INSN_BRANCH = 1 << 0,        /* any flow change */
    INSN_CONDITIONAL = 1 << 1,   /* conditional branch */
    INSN_CALL = 1 << 2,
    INSN_RETURN = 1 << 3,
    /* zeroing idiom of equal registers on some machine: xor r,r; vpxor x,y,y; sub, pcmpgt... */
    INSN_ZERO_IDIOM = 1 << 4,
    INSN_ONES_IDIOM = 1 << 5,    /* pcmpeq same register */
    INSN_MOVE = 1 << 6,          /* register-to-register move that a machine may eliminate */
    INSN_LOAD = 1 << 7,
    INSN_STORE = 1 << 8,
    INSN_LOCK = 1 << 9,
    INSN_NOP = 1 << 10,
    INSN_X87_MMX = 1 << 11,
    INSN_SYSTEM = 1 << 12,       /* privileged, serialising, system */
    INSN_LEGACY_SSE = 1 << 13,
    INSN_VEX = 1 << 14,          /* VEX or EVEX encoded */
    INSN_LCP = 1 << 15,          /* length-changing prefix: 66 with a 16-bit immediate */
    INSN_RIP_RELATIVE = 1 << 16,
    INSN_INDEXED = 1 << 17,      /* memory operand with an index register */
    INSN_WRITEBACK = 1 << 18,    /* one operand is ACCESS_WRITEBACK */
    /* bytes that no decoder has */
    INSN_UNDECODED = 1 << 19,
    /* uses vector registers; AArch64: of at least 64 bits, or SVE ones */
    INSN_VECTOR = 1 << 20,
    /* on the list of instructions that foreign code may contain (isa/x86/allow.c,
     * isa/a64/allow.c) */
    INSN_RUNNABLE = 1 << 21,
    /* push, pop, call, return: an implicit memory operand at the stack pointer, which changes by
     * its size */
    INSN_STACK = 1 << 22,
    /* the first operand is written but keeps a part (sqrtsd, legacy movlps), or everything under a
     * condition (bsf) */
    INSN_KEEPS_OLD = 1 << 23,
    INSN_NARROW_ADDRESS = 1 << 24,   /* addresses wrap at 32 bits (x86-64: prefix 67) */
    /* starts when everything before it is done, and nothing after it starts earlier: lfence, cpuid,
     * isb */
    INSN_BARRIER = 1 << 26,
    /* faults on a memory operand that is not aligned to its width: movaps, legacy packed
     * operations */
    INSN_ALIGNED = 1 << 27,
    /* contains an unresolved relocation; its memory operand has a place for the symbol */
    INSN_REFERS = 1 << 28,
    /* x86-64: missing in the decoder; its data come from another disassembler's text */
    INSN_FOREIGN = 1 << 25,
    /* a branch in a list of executed instructions: the next one follows, whatever its condition */
    INSN_FOLLOWED = 1 << 29,
    /* in a copy of a loop: no iteration executes it (analysis/loop_code.h) */
    INSN_SKIPPED = 1 << 30,
};

struct insn {
    uint8_t isa;                  /* enum isa */
    uint8_t bytes[16];
    uint8_t length;
    uint64_t offset;              /* in the code that it was decoded from */
    /* address in its file, for display; in relocatable files the offset in its section */
    uint64_t address;
    bool placed;                  /* has an address */
    uint32_t line;                /* 1-based line of the text; 0: none */
    /* 1-based line of the C file; 0: unknown */
    uint32_t origin;
    char *text;                   /* the user's text, or a disassembly; owned */
    char form[FORM_MAX];          /* canonical form name */
    char mnemonic[32];            /* lower case, without prefixes */
    uint32_t traits;
    uint32_t flags_read, flags_written;   /* FLAG_... bits */
    uint8_t operation;            /* enum operation */
    uint8_t condition;            /* enum condition */
    uint8_t x87;                  /* enum x87_kind */
    /* x87 registers pushed minus popped; for X87_TURN the top moves by that only */
    int8_t x87_step;
    uint8_t opcode_at;            /* bytes of prefixes */
    /* Roles, as indices into operands; INSN_NO_OPERAND: none. Listed operands, and the memory of
     * push and pop. */
    /* the first output: a register, or a store's memory */
    uint8_t result;
    /* in order: minuend and subtrahend; a store's data; a load's memory; a result that is also read
     * comes first */
    uint8_t inputs[2];
    struct operand operands[INSN_OPERANDS];
    uint8_t operand_count;        /* explicit ones first, in Intel or Arm order */
};

void insn_done(struct insn *insn);
/* Fills @out for @n bytes, at most 16, of an unknown instruction: form `UNDECODED (0x...)`. @line:
 * its text if available; NULL: its bytes. */
void insn_undecoded(enum isa isa, const uint8_t *code, size_t n, uint64_t offset, const char *line,
                    bool text, struct insn *out);
/* For decoders: fills result and inputs from the operands' accesses. */
void insn_fill_roles(struct insn *insn);
/* Returns the operand at index @place (result or one of inputs); NULL for INSN_NO_OPERAND. */
const struct operand *insn_operand(const struct insn *insn, uint8_t place);
/* Returns the first immediate or memory operand, or NULL. */
const struct operand *insn_immediate(const struct insn *insn);
/* Number of floating-point operations: one per lane, two if fused. */
unsigned insn_flops(const struct insn *insn);
/* Returns whether it is a non-temporal store: movnt, stnp. */
bool insn_streams(const struct insn *insn);
/* Returns whether a general register or the flags depend on vectors or masks. */
bool insn_leaves_vectors(const struct insn *insn);
const struct operand *insn_memory(const struct insn *insn);
/* Returns whether the last two listed operands are the same register of at least 32 bits, without a
 * mask. */
bool insn_same_sources(const struct insn *insn);
/* Returns whether it is a shift or rotation by a register: by cl on x86-64. */
bool insn_count_in_register(const struct insn *insn);
#define PLACE_TEXT 20
/* Writes the place of @insn to @out and returns it: its line, or for code from a file its address
 * in hexadecimal digits; empty if unknown. */
const char *insn_place_text(const struct insn *insn, char out[PLACE_TEXT]);
/* Writes "0x1258" to @out and returns it; NULL if unknown. */
const char *insn_address_text(const struct insn *insn, char out[PLACE_TEXT + 2]);
/* Heading of such a column, "line" or "address"; and its width for @count instructions, at least
 * 4. */
const char *insn_place_title(const struct insn *insn);
unsigned insn_place_width(const struct insn *insns, size_t count);
/* Appends " (line 7)" or " (0x1258)", or nothing. */
void insn_place_note(const struct insn *insn, struct str *out);
/* The original text without leading blanks, or the mnemonic. */
const char *insn_shown(const struct insn *insn);
/* Decodes one instruction of @isa at @code; fills everything except line (text: the disassembly if
 * @text). False with err when the bytes are no instruction. */
bool insn_decode(enum isa isa, const uint8_t *code, size_t length, uint64_t offset, bool text,
                 struct insn *out, struct err *err);
/* Decodes only length and form name: the fast path of `forms scan`. Returns 0 when undecodable. */
size_t insn_form(enum isa isa, const uint8_t *code, size_t length, char form[FORM_MAX],
                 uint32_t *traits);
/* Prepares decoding of much code: unknown words are looked up together. Remaining ones decode as
 * unknown. False with err only when the look-up could not run. */
bool insn_learn(enum isa isa, const uint8_t *code, size_t length, struct err *err);
/* Offset of the 32-bit displacement of a rip-relative operand in the bytes; 0 if none. */
unsigned insn_rip_displacement(const struct insn *insn);
/* Offset of the distance of a relative branch in the bytes, after any prefixes, and its size in
 * *@size; 0 if none. x86-64. */
unsigned insn_branch_distance(const struct insn *insn, unsigned *size);

/* Related forms: equal cost, the same operation on a register, or the same result. Each call
 * returns one: *@at is 0 at first and private; false when there are no more. */

/* An equivalent instruction. */
struct isa_alternative {
    char form[FORM_MAX];
    char name[64];        /* assembler name */
    bool loses_flags;     /* it changes flags differently */
    const char *note;     /* source of the equivalence, NULL: none */
};

/* Returns names of forms of equal cost, for tables that lack @form: another immediate width or
 * encoding. */
bool isa_alike(enum isa isa, const char *form, size_t *at, char out[FORM_MAX]);
/* Returns forms of @form's operation without its load or store, with a register for the memory
 * operand of @bits; most likely first. */
bool isa_with_register(enum isa isa, const char *form, unsigned bits, size_t *at,
                       char out[FORM_MAX]);
/* Returns equivalent instructions of @insn, considering its immediate. */
bool isa_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out);

#endif
