/* The instruction sets and their differences, except for decoding. */
#ifndef PORTOLAN_ISA_ISA_H
#define PORTOLAN_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instruction sets: enumerator, operations table, name. The name occurs in data/isa/<name>.csv, in
 * the fact isa of machine.csv, and in --isa. */
#define ISA_SETS(SET) SET(ISA_X86_64, x86_ops, "x86-64") SET(ISA_AARCH64, a64_ops, "aarch64")
#define ISA_VALUE(value, ops, name) value,
#define ISA_CHOICE(value, ops, name) "|" name
enum isa { ISA_SETS(ISA_VALUE) ISA_COUNT };
/* names of the sets as "x86-64|aarch64", for parameters */
#define ISA_CHOICES (&(ISA_SETS(ISA_CHOICE))[1])
/* default instruction set, for hexadecimal code without --isa and for measured blocks */
#define ISA_UNSAID ISA_X86_64
#define ISA_UNSAID_NAME "x86-64"

#define MARKER_BYTES 8

/* Properties of a form that follow from its name */
enum form_trait {
    FORM_MEMORY = 1,    /* has a memory operand */
    /* has a lock prefix or an equivalent; executions of locked forms never overlap */
    FORM_LOCKED = 2,
};

/* Kind of the execution unit for a form's operation, from its name. Forms with a memory operand are
 * loads or stores. */
enum form_kind {
    FORM_ALU, FORM_BRANCH, FORM_MULTIPLY, FORM_DIVIDE, FORM_FP_ADD, FORM_FP_MULTIPLY, FORM_VECTOR,
    FORM_LOAD, FORM_STORE, FORM_KINDS
};

struct assembled;
struct body;
struct body_shape;
struct chain;
struct err;
struct form_registers;
struct form_row;
struct insn;
struct isa_alternative;
struct isa_assembler;
struct isa_foreign;
struct isa_osaca;
struct isa_rewrite;
struct isa_vary;
struct spelling;
struct str;

/* A type of relocation */
struct isa_relocation {
    unsigned type;               /* number in ELF files */
    /* assembler notation with @ for the name, such as ":lo12:@"; NULL ends a list */
    const char *spelling;
    bool relative;               /* whether the value is relative to the address of the
                                  * reference */
    /* size in bytes of a reference without notation, if they differ from isa_ops.reference_bytes;
     * otherwise 0 */
    uint8_t bytes;
};

/* Data and operations of an instruction set. Each set has one const table in its own folder. */
struct isa_ops {
    const char *title;            /* name in sentences, such as "AArch64" */
    const char *tool_prefix;      /* prefix of binutils' programs, such as "x86_64-linux-gnu" */
    const char *word_option;      /* option of gcc and clang for the word size; NULL: none */
    const char *target_option;    /* compiler option whose argument is a processor's name */
    /* Processors for compilers that do not support the machine's processor. Uses the first entry
     * whose extension the machine has; an entry with the extension NULL fits any machine. */
    struct { const char *extension, *name; } generic_targets[4];
    /* Whether tools without a prefix are preferred on a processor of this set. Otherwise they are
     * used only if the prefixed tool is missing. */
    bool plain_tools;
    /* additional options of `as`; NULL-terminated */
    const char *assembler_options[16];
    /* start of a comment; lines at the start of generated text */
    const char *comment, *text_head;
    const char *default_machines[3];      /* machines selected initially in a session */
    /* machines that represent the instruction set in coverage tests */
    const char *common_machines[2];
    const char *forms_file;       /* file of the user's forms in a session */
    const char *template_example; /* example of a template for messages */
    /* text that names the instructions which a scan of forms counts separately */
    const char *set_aside;
    /* Options of llvm-mca, and an instruction that marks the end of a row: its text, opcode and
     * form. */
    const char *llvm_triple, *llvm_syntax;
    /* option of llvm-mc that enables all extensions; NULL: not needed */
    const char *llvm_features;
    struct { const char *text, *opcode, *form; } llvm_marker;
    uint16_t elf_machine;         /* e_machine in little-endian ELF files of this instruction
                                   * set */
    /* first character of mapping symbols, which are skipped; 0: none */
    char mapping_symbol;
    const struct isa_relocation *relocations;   /* types of relocations for which the assembler has
                                                 * a notation */
    /* size in bytes of a reference without notation, which is written as data; 0: a bit field */
    uint8_t reference_bytes;
    bool references_from_end;   /* whether relative references count from the instruction's end */
    /* @immediate_sign: text before a name that is an immediate. @displacement_sign: text before a
     * name that follows a register. */
    const char *immediate_sign, *displacement_sign;
    /* Returns the start of the displacement in the disassembled address between @inside and @end;
     * @end if there is none. */
    const char *(*displacement)(const char *inside, const char *end);
    /* prefix that makes the assembler use the longest distance; NULL: all distances have one
     * length */
    const char *long_branch;
    /* relocation types for addresses of functions */
    unsigned relocation_jump_slot, relocation_global;
    /* Returns whether byte @at of @code (at address @address) is the jump of a PLT stub. Stores in
     * *@slot the address of the pointer through which the stub jumps, and in *@begin the start of
     * the stub in @code. */
    bool (*linkage_stub)(const uint8_t *code, size_t length, size_t at, uint64_t address,
                         uint64_t *slot, uint64_t *begin);
    /* alignment of instructions in bytes */
    uint8_t step;
    /* Numbers of general registers are below @generals, including the stack pointer. */
    uint8_t generals, stack_pointer, frame_pointer;
    uint8_t vectors;              /* number of the first of 32 vector registers */
    /* registers in which a function returns values (System V ABI, AAPCS64), as a bit set by
     * number */
    uint64_t call_results;
    /* whether instructions that load or store compute only addresses */
    bool load_store;
    /* directive that writes an instruction as a four-byte word; NULL: not needed */
    const char *word_directive;
    /* Forms whose port usage represents a part of other instructions; NULL: not needed */
    const char *load_form, *store_form;   /* simple load and store of a general register */
    /* forms that add 512- and 256-bit vectors; NULL: the set has no vectors of this width */
    const char *add_512_form, *add_256_form;
    /* Returns the form of the division with half the width. Returns NULL if @in is no division or
     * has no such form. The pointer is NULL if the set has no such forms. */
    const char *(*narrower_division)(const struct insn *in);
    const char *address_form;     /* form of the addition that computes an updated address */
    /* form of the µop that adds the stack engine's offset to the stack pointer */
    const char *stack_sync_form;
    /* addition of registers that rename may eliminate; NULL: no known CPU eliminates it */
    const char *sum_form;
    const char *compare_form;     /* comparison that fuses with a branch */
    /* Implement insn_decode, insn_form and insn_learn. @learn is NULL if the decoder supports all
     * instructions. */
    bool (*decode)(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                   struct err *err);
    size_t (*form)(const uint8_t *code, size_t length, char *form, uint32_t *traits);
    bool (*learn)(const uint8_t *code, size_t length, struct err *err);
    /* Writes the register or number for a placeholder of a template (form_instance). */
    void (*placeholder)(struct form_registers *in, const char *type, struct str *out);
    /* Prepares a form for bodies and chains (body.h). Returns NULL with err if no CPU can measure
     * the form. */
    const void *(*code_make)(const struct form_row *row, struct err *err);
    void (*code_free)(const void *code);   /* NULL: there is nothing to free */
    /* Returns whether code_make would succeed, without verifying the encoding. NULL: unknown before
     * code_make. */
    bool (*code_allowed)(const struct form_row *row, struct err *err);
    /* Returns the required extension, borrowed, or "". @code may be NULL if code_allowed exists. */
    const char *(*code_extension)(const struct form_row *row, const void *code);
    /* Derives encodings for code_make with an assembler. NULL: not needed. */
    bool (*codes_learn)(const struct form_row *const *rows, size_t count,
                        const struct isa_assembler *assembler, struct err *err);
    bool (*body_make)(const void *const *codes, const uint32_t *counts, size_t n,
                      const struct body_shape *shape, struct body *out, struct err *err);
    /* Sets of general registers. own_registers: registers of the loop and of bodies, which users'
     * templates must not name. kept_registers: registers that no body writes. base_registers: the
     * only registers that point to memory. */
    uint32_t own_registers, kept_registers, base_registers;
    const char *own_names;   /* names of own_registers, as text */
    bool bases_step;         /* whether instructions of bodies may update base_registers */
    size_t (*chain_list)(const void *code, struct chain *out);
    bool (*chain_make)(const void *code, const struct chain *chain, unsigned links,
                       struct body *out);
    /* Whether the set has AT&T and Intel syntax. The generic reader then handles comments and
     * addresses. Otherwise the next four functions are needed (listing.h in the set's folder). */
    bool dialects;
    const char *(*word_end)(const char *p, const char *end, bool disassembly);
    void (*comments_cut)(const char *p, const char *end, bool *in_comment, struct str *out);
    bool (*directive_kept)(const char *word, size_t length);
    void (*target_clean)(const char *p, const char *end, unsigned section, struct str *out);
    /* Returns whether the text has evidence of this set. NULL for the set that is assumed if no
     * other set matches (ISA_UNSAID). */
    bool (*looks_like)(const char *text, size_t length);
    /* Returns whether the word is a register's name. */
    bool (*is_register)(const char *word, size_t length);
    /* Returns whether the word is a mnemonic in Intel syntax, in upper or lower case. Exists if
     * @dialects is true. */
    bool (*is_mnemonic)(const char *word, size_t length);
    /* Decodes the instruction at @code approximately and quickly. Returns its length, or 0 if
     * invalid. Sets *@branch to the distance from the instruction's start to a jump's target, or to
     * 0 without a known target. Sets *@vector if the instruction uses vectors or floating point. */
    size_t (*glance)(const uint8_t *code, size_t length, int64_t *branch, bool *vector);
    /* Returns whether the @length bytes at @code in a listing are one instruction that can be
     * written as data. Stores in *@held the number of bytes of the distance at its end, or 0.
     * Stores in *@far the distance from the start of the instruction to the target, or 0. */
    bool (*listed)(const uint8_t *code, size_t length, size_t *held, int64_t *far);
    /* Appends a branch or call at @code without its target. Sets *@far to the distance of the
     * target from the start. Returns false if the instruction is not a branch, or if the target is
     * not linked. The pointer is NULL if `listed` returns the targets. */
    bool (*branch_written)(const uint8_t *code, int64_t *far, struct str *out);
    /* Returns the target of the relative branch with form @form and @n bytes at offset @at. */
    int64_t (*branch_place)(const char *form, const uint8_t *code, size_t n, size_t at);
    /* Returns whether the MARKER_BYTES bytes at @code mark the beginning of a loop, or its end if
     * @begin is false. */
    bool (*is_marker)(const uint8_t *code, bool begin);
    const char *markers;          /* name of the markers, such as "IACA markers" */
    /* markers of IACA as assembler text, before and after a loop; NULL: none */
    const char *iaca_markers[2];
    /* Returns the class of @move in the fact `eliminate`. The pointer is NULL if CPUs never
     * eliminate moves of this set. */
    const char *(*move_class)(const struct insn *move);
    /* Returns the traits of a form (set of enum form_trait) from its name. The pointer is NULL if
     * forms have none. */
    unsigned (*form_traits)(const char *form);
    /* Implements isa_form_kind. */
    enum form_kind (*form_kind)(const char *form);
    /* Spells @form as assembler text (spelling.h). Returns false if this is impossible. */
    bool (*spell)(const char *form, struct spelling *out);
    const struct isa_osaca *osaca;        /* notation of OSACA's files (spelling.h); NULL: none */
    /* Implement isa_alike, isa_with_register and isa_alternative. The pointers are NULL if the set
     * has no related forms. */
    bool (*alike)(const char *form, size_t *at, char *out);
    bool (*with_register)(const char *form, unsigned bits, size_t *at, char *out);
    bool (*alternative)(const struct insn *insn, size_t *at, struct isa_alternative *out);
    const struct isa_foreign *foreign;    /* functions for foreign code in measurements */
    const struct isa_vary *vary;          /* functions for variants of instructions */
    const struct isa_rewrite *rewrite;    /* functions for equivalent instructions; NULL: none */
};

const struct isa_ops *isa_ops(enum isa isa);
/* Returns the relocation type with number @type in ELF; NULL if it has no assembler notation. */
const struct isa_relocation *isa_relocation(enum isa isa, unsigned type);

/* Returns "x86-64" or "aarch64", as in data/isa/<name>.csv, in the fact isa of machine.csv, and in
 * --isa. */
const char *isa_name(enum isa isa);
/* Parses the name of an instruction set. Returns false for an unknown name. */
bool isa_parse(const char *name, enum isa *out);
/* Appends "x86-64 or aarch64", or the titles if @titles is true. @last is the word before the last
 * name. */
void isa_list(bool titles, const char *last, struct str *out);
/* Returns the instruction set of the processor for which this program was compiled (cpu.c). */
enum isa isa_host(void);
/* Returns the instruction set that has AT&T and Intel syntax. */
const struct isa_ops *isa_of_dialects(void);
/* Returns whether @form has @trait, according to its name. */
bool isa_form_has(enum isa isa, const char *form, enum form_trait trait);
/* Returns the kind of @form, according to its name. Any thread. */
enum form_kind isa_form_kind(enum isa isa, const char *form);
/* Returns the alignment of instructions in bytes: 1 or 4. */
size_t isa_step(enum isa isa);

/* Writes the name of binutils' program @name ("as", "objdump") for @isa to @buffer, and returns it.
 * Programs for this processor have no prefix (on AArch64 only if the prefixed program is missing).
 * Programs for other processors have the target's prefix. */
const char *isa_tool(enum isa isa, const char *name, char *buffer, size_t size);

#endif
