/* A decoded instruction of any instruction set, with the data that the analysis needs and without
 * types of the decoder. */
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
    ACCESS_CONDITIONAL = 4,   /* a condition determines whether the access happens */
    /* The base is updated, by AArch64 pre- or post-indexing or by an x86 string instruction. The
     * update takes one cycle and does not depend on the data. The step is @immediate or the
     * register @index. */
    ACCESS_WRITEBACK = 8,
};

/* register file of a register */
enum register_file {
    FILE_NONE,        /* no register: memory, immediate, or AArch64's zero register */
    FILE_GENERAL,     /* numbers from 0, including the stack pointer (struct isa_ops) */
    FILE_VECTOR,
    FILE_MASK,        /* k0 to k7 of AVX-512 */
    FILE_X87,         /* x87 stack and MMX */
    FILE_PREDICATE,   /* p0 to p15 and ffr of SVE */
    FILE_PC,
    FILE_FLAGS,
    FILE_OTHER,
};

/* Root registers are numbered. x86-64: rax to r15 are 0-15, vectors 16-47, masks 48-55, x87 and mmx
 * 56-63. AArch64: x0-x30 are 0-30, sp is 31, v0-v31 and z0-z31 are 32-63, p0-p15 are 72-87, ffr is
 * 88; xzr is REG_NONE and has no access. Both: the program counter is 64, flags are 65, others
 * 66. */
#define REG_NONE 255
#define REG_PC 64
#define REG_FLAGS 65
#define REG_OTHER 66
#define A64_LINK 30
#define A64_SP 31
#define A64_V0 32
#define A64_P0 72
#define A64_FFR 88
#define INSN_REGISTERS 96   /* greater than all register numbers */
/* number of x86-64 registers, from 0, that have a high byte (offset_bits 8) */
#define REG_HIGH_BYTES 4
#define INSN_NO_OPERAND 255

/* Effect of an x87 instruction on the register stack */
enum x87_kind {
    X87_NONE, X87_LOAD, X87_STORE, X87_EXCHANGE, X87_SIGN, X87_EXAMINE, X87_MOVE, X87_COMPARE,
    X87_ADD, X87_MULTIPLY, X87_FREE, X87_CLEAR, X87_TURN
};

/* bits of flags_read and flags_written; AArch64 has only carry, zero, sign and overflow */
#define FLAG_CARRY 1u
#define FLAG_PARITY 2u
#define FLAG_ADJUST 4u
#define FLAG_ZERO 8u
#define FLAG_SIGN 16u
#define FLAG_OVERFLOW 32u
#define FLAG_DIRECTION 64u

struct operand {
    uint8_t kind;       /* enum operand_kind */
    uint8_t access;     /* set of enum operand_access */
    bool implicit;      /* whether the operand is absent from the instruction's text */
    uint8_t reg;        /* root register, or REG_NONE */
    uint8_t file;       /* register file of @reg (enum register_file) */
    uint16_t bits;      /* width in bits; for SVE vectors 128, the unit of their lengths */
    uint8_t offset_bits; /* 8 for ah, bh, ch and dh; 0 for all other registers */
    /* Address: root registers or REG_NONE; scale 0 if there is no index. Register: scale is the
     * factor of an AArch64 left shift, 1 if there is no shift, 0 for another shift or extension. */
    uint8_t base, index, scale, segment;
    /* displacement of an address; for OPERAND_RELATIVE, offset of the target in the code */
    int64_t displacement;
    int64_t immediate;
};

enum insn_trait {
    INSN_BRANCH = 1 << 0,        /* changes control flow */
    INSN_CONDITIONAL = 1 << 1,   /* conditional branch */
    INSN_CALL = 1 << 2,
    INSN_RETURN = 1 << 3,
    /* zeroing idiom of some CPU if the registers are equal: xor r,r; vpxor x,y,y; sub, pcmpgt... */
    INSN_ZERO_IDIOM = 1 << 4,
    INSN_ONES_IDIOM = 1 << 5,    /* pcmpeq with equal registers, which sets all bits */
    INSN_MOVE = 1 << 6,          /* move between registers, which some CPUs eliminate */
    INSN_LOAD = 1 << 7,
    INSN_STORE = 1 << 8,
    INSN_LOCK = 1 << 9,
    INSN_NOP = 1 << 10,
    INSN_X87_MMX = 1 << 11,
    INSN_SYSTEM = 1 << 12,       /* privileged, serialising, or other system instruction */
    INSN_LEGACY_SSE = 1 << 13,
    INSN_VEX = 1 << 14,          /* encoded with VEX or EVEX */
    INSN_LCP = 1 << 15,          /* has a length-changing prefix: 66 with a 16-bit immediate */
    INSN_RIP_RELATIVE = 1 << 16,
    INSN_INDEXED = 1 << 17,      /* the memory operand has an index register */
    INSN_WRITEBACK = 1 << 18,    /* an operand has ACCESS_WRITEBACK */
    /* no decoder supports the bytes */
    INSN_UNDECODED = 1 << 19,
    /* uses vector registers; on AArch64, at least 64 bits of a vector register, or SVE */
    INSN_VECTOR = 1 << 20,
    /* is permitted in foreign code (isa/x86/allow.c, isa/a64/allow.c) */
    INSN_RUNNABLE = 1 << 21,
    /* push, pop, call, return: has an implicit memory operand at the stack pointer; the stack
     * pointer changes by the size of the operand */
    INSN_STACK = 1 << 22,
    /* writes its first operand, but preserves a part of it (sqrtsd, legacy movlps), or all of it
     * under a condition (bsf) */
    INSN_KEEPS_OLD = 1 << 23,
    INSN_NARROW_ADDRESS = 1 << 24,   /* the address wraps at 32 bits (prefix 67 on x86-64) */
    /* starts when all earlier instructions have completed, and completes before any later
     * instruction starts: lfence, cpuid, isb */
    INSN_BARRIER = 1 << 26,
    /* faults if the memory operand is not aligned to its width: movaps, legacy packed operations */
    INSN_ALIGNED = 1 << 27,
    /* contains an unresolved relocation; the memory operand has an address that represents the
     * symbol */
    INSN_REFERS = 1 << 28,
    /* x86-64: unknown to the decoder; decoded from another disassembler's text */
    INSN_FOREIGN = 1 << 25,
    /* a branch in a trace; the next instruction of the trace was executed after it */
    INSN_FOLLOWED = 1 << 29,
    /* in a copy of a loop: an instruction that no iteration executes (analysis/loop_code.h) */
    INSN_SKIPPED = 1 << 30,
};

struct insn {
    uint8_t isa;                  /* instruction set (enum isa) */
    uint8_t bytes[16];
    uint8_t length;
    uint64_t offset;              /* offset of the instruction in the decoded code */
    /* address in the file, for display; in a relocatable file, offset in the section */
    uint64_t address;
    bool placed;                  /* whether @address is set */
    uint32_t line;                /* line of the assembler text, from 1; 0: none */
    /* line of the C file, from 1; 0: unknown */
    uint32_t origin;
    char *text;                   /* text from the user or from a disassembler; owned */
    char form[FORM_MAX];          /* name of the form */
    char mnemonic[32];            /* mnemonic in lower case, without prefixes */
    uint32_t traits;
    uint32_t flags_read, flags_written;   /* sets of FLAG_... bits */
    uint8_t operation;            /* enum operation */
    uint8_t condition;            /* enum condition */
    uint8_t x87;                  /* effect on the x87 stack (enum x87_kind) */
    /* number of x87 registers pushed minus number popped; X87_TURN: number by which the top
     * moves */
    int8_t x87_step;
    uint8_t opcode_at;            /* offset of the opcode, which is the number of prefix bytes */
    /* Roles of operands, as indices; INSN_NO_OPERAND if there is none. The roles include only
     * listed operands, and the memory of push and pop. */
    /* first output: a register, or the memory operand of a store */
    uint8_t result;
    /* Inputs in order: minuend and subtrahend; the data of a store; the memory operand of a load. A
     * result that is also read comes first. */
    uint8_t inputs[2];
    struct operand operands[INSN_OPERANDS];
    uint8_t operand_count;        /* number of operands; explicit operands come first, in Intel's or
                                   * Arm's order */
};

void insn_done(struct insn *insn);
/* Fills @out for an unknown instruction of @n bytes (at most 16). Its form is `UNDECODED (0x...)`.
 * If @text is true, its text is @line, or made from the bytes if @line is NULL. */
void insn_undecoded(enum isa isa, const uint8_t *code, size_t n, uint64_t offset, const char *line,
                    bool text, struct insn *out);
/* Derives @result and @inputs from the accesses of the operands. Used by decoders. */
void insn_fill_roles(struct insn *insn);
/* Returns operand @place, a value of @result or @inputs. Returns NULL for INSN_NO_OPERAND. */
const struct operand *insn_operand(const struct insn *insn, uint8_t place);
/* Returns the first immediate operand; NULL if there is none. */
const struct operand *insn_immediate(const struct insn *insn);
/* Returns the number of floating-point operations: one per lane of an addition, multiplication,
 * division or square root, two per lane of a fused multiply-add. Returns 0 for other
 * instructions. */
unsigned insn_flops(const struct insn *insn);
/* Returns whether the instruction is a non-temporal store (movnt, maskmovdqu, stnp). */
bool insn_streams(const struct insn *insn);
/* Returns whether the instruction loads a control word (fldcw, ldmxcsr). */
bool insn_sets_mode(const struct insn *insn);
/* Returns whether the instruction clears the upper halves of all vector registers (vzeroupper,
 * vzeroall). */
bool insn_clears_uppers(const struct insn *insn);
/* Returns whether the instruction adds a multiple of the vector length to a general register (SVE:
 * incb, addvl). */
bool insn_adds_length(const struct insn *insn);
/* Returns whether the instruction stores those elements of a vector that a mask selects
 * (x86-64: vmaskmovps, mask registers of AVX-512). */
bool insn_stores_masked(const struct insn *insn);
/* Returns whether the instruction computes a general register or the flags from vectors or
 * masks. */
bool insn_leaves_vectors(const struct insn *insn);
/* Returns the first memory operand; NULL if there is none. */
const struct operand *insn_memory(const struct insn *insn);
/* Returns whether all listed operands are registers other than masks, and the last two are the same
 * register of at least 32 bits. */
bool insn_same_sources(const struct insn *insn);
/* Returns whether the instruction is a shift or rotation by the value of a register (cl on
 * x86-64). */
bool insn_count_in_register(const struct insn *insn);
#define PLACE_TEXT 20
/* Writes the line of @insn to @out, or for code from a file its address in hexadecimal digits.
 * Writes "" if neither is known. Returns @out. */
const char *insn_place_text(const struct insn *insn, char out[PLACE_TEXT]);
/* Writes the address, such as "0x1258", to @out and returns @out. Returns NULL if the address is
 * unknown. */
const char *insn_address_text(const struct insn *insn, char out[PLACE_TEXT + 2]);
/* insn_place_title returns the heading of a column with lines or addresses: "line" or "address".
 * insn_place_width returns the width of this column for @count instructions, at least 4. */
const char *insn_place_title(const struct insn *insn);
unsigned insn_place_width(const struct insn *insns, size_t count);
/* Appends " (line 7)" or " (0x1258)", or nothing if neither is known. */
void insn_place_note(const struct insn *insn, struct str *out);
/* Returns the original text without leading blanks, or the mnemonic if there is no text. */
const char *insn_shown(const struct insn *insn);
/* Decodes the instruction of @isa at @code. Fills all members except @line; fills @text only if the
 * argument @text is true. Returns false with err if the bytes are not an instruction. */
bool insn_decode(enum isa isa, const uint8_t *code, size_t length, uint64_t offset, bool text,
                 struct insn *out, struct err *err);
/* Decodes only length, form and traits, for `forms scan`. Returns the length, or 0 if the bytes
 * cannot be decoded. */
size_t insn_form(enum isa isa, const uint8_t *code, size_t length, char form[FORM_MAX],
                 uint32_t *traits);
/* Looks up all words of @code that the decoder does not support in one run of another disassembler.
 * A word that neither supports decodes as an unknown instruction. Returns false with err only if
 * the disassembler could not run. */
bool insn_learn(enum isa isa, const uint8_t *code, size_t length, struct err *err);
/* Returns the offset of the 32-bit displacement of a rip-relative operand in the instruction's
 * bytes; 0 if there is none. */
unsigned insn_rip_displacement(const struct insn *insn);
/* Returns the offset of a relative branch's distance in the instruction's bytes, and stores the
 * size of the distance in *@size. Returns 0 if there is none. x86-64 only. */
unsigned insn_branch_distance(const struct insn *insn, unsigned *size);
#define INSN_NO_CONDITION UINT32_MAX
/* Returns the low four bits of the opcode of a branch on flags; INSN_NO_CONDITION for other
 * instructions. x86-64 only. */
unsigned insn_branch_condition(const struct insn *insn);

/* Iterators over related forms. Each call returns one form and advances *@at, which the caller
 * initialises to 0. The call returns false if no form is left. */

/* an equivalent instruction */
struct isa_alternative {
    char form[FORM_MAX];
    char name[64];        /* assembler mnemonic */
    bool loses_flags;     /* whether the instruction changes the flags in another way */
    const char *note;     /* reason why the instruction is equivalent; NULL: none */
};

/* Iterates over forms with the cost of @form, for tables that lack @form. These forms differ in the
 * width of immediates or in the encoding. Stores the next form from index *@at, and advances *@at,
 * which is 0 at first. Returns false if there is no further form. */
bool isa_alike(enum isa isa, const char *form, size_t *at, char out[FORM_MAX]);
/* Iterates in the same way over forms with the operation of @form but without its load or store. A
 * register takes the place of the memory operand of @bits bits. The most likely forms are first. */
bool isa_with_register(enum isa isa, const char *form, unsigned bits, size_t *at,
                       char out[FORM_MAX]);
/* Iterates in the same way over instructions that are equivalent to @insn with its immediate. */
bool isa_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out);

#endif
