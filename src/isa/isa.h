/* The instruction sets, and their differences apart from decoding. */
#ifndef PORTOLAN_ISA_ISA_H
#define PORTOLAN_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sets: enumerator, operations table, name as in data/isa/<name>.csv, machine.csv's fact isa
 * and --isa. */
#define ISA_SETS(SET) SET(ISA_X86_64, x86_ops, "x86-64") SET(ISA_AARCH64, a64_ops, "aarch64")
#define ISA_VALUE(value, ops, name) value,
#define ISA_CHOICE(value, ops, name) "|" name
enum isa { ISA_SETS(ISA_VALUE) ISA_COUNT };
/* "x86-64|aarch64", for parameters. */
#define ISA_CHOICES (&(ISA_SETS(ISA_CHOICE))[1])
/* Default for code without a set: hex without --isa, measured blocks. */
#define ISA_UNSAID ISA_X86_64
#define ISA_UNSAID_NAME "x86-64"

#define MARKER_BYTES 8

/* Properties of a form that follow from its name. */
enum form_trait {
    FORM_MEMORY = 1,    /* it has a memory operand */
    FORM_LOCKED = 2,    /* locked: such instructions execute one after the other */
};

/* Execution unit of a form's operation, from its name; forms with a memory operand are loads or
 * stores. */
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

/* A relocation type. */
struct isa_relocation {
    unsigned type;               /* ELF number */
    /* assembler notation, @ for the name: ":lo12:@"; NULL ends a list */
    const char *spelling;
    bool relative;               /* relative to the place of the reference */
    /* bytes of a bare name that differ from isa_ops.reference_bytes; else 0 */
    uint8_t bytes;
};

/* An instruction set: data and operations. One const table per set, in its own folder. */
struct isa_ops {
    const char *title;            /* for sentences: "AArch64" */
    const char *tool_prefix;      /* of binutils: "x86_64-linux-gnu" */
    const char *word_option;      /* of gcc and clang for the word size; NULL: none */
    const char *target_option;    /* of compilers, precedes a processor's name */
    /* for processors that a compiler lacks: the first whose extension the machine has; NULL: any */
    struct { const char *extension, *name; } generic_targets[4];
    /* on this processor use tools by their plain names; if not set, only if the prefixed one is
     * missing */
    bool plain_tools;
    /* of `as`, besides the common ones; NULL-terminated */
    const char *assembler_options[16];
    /* start of a comment; start of generated text */
    const char *comment, *text_head;
    const char *default_machines[3];      /* initial selection of a session */
    const char *common_machines[2];       /* represent the set for coverage */
    const char *forms_file;       /* file of the user's forms in a session */
    const char *template_example; /* example of a template, for advice */
    const char *set_aside;        /* instructions that a scan counts separately */
    /* llvm-mca: its options, and an instruction that marks the end of a row, as text, opcode and
     * form. */
    const char *llvm_triple, *llvm_syntax;
    /* llvm-mc's option for all extensions; NULL: not needed */
    const char *llvm_features;
    struct { const char *text, *opcode, *form; } llvm_marker;
    uint16_t elf_machine;         /* e_machine of its ELF files, little-endian */
    /* first character of assembler-local symbols, 0: none */
    char mapping_symbol;
    const struct isa_relocation *relocations;   /* with assembler notation */
    /* Notation of references. reference_bytes: size of a bare name as data; 0: it is a bit field.
     * references_from_end: relative ones count from the end of the instruction. immediate_sign and
     * displacement_sign precede a name as an immediate, and after a register. displacement: start
     * of the displacement in a disassembled address from @inside to @end; @end if none. */
    uint8_t reference_bytes;
    bool references_from_end;
    const char *immediate_sign, *displacement_sign;
    const char *(*displacement)(const char *inside, const char *end);
    /* prefix that makes the assembler use the longest distance; NULL: there is one length */
    const char *long_branch;
    /* types for addresses of functions */
    unsigned relocation_jump_slot, relocation_global;
    /* Returns whether a PLT stub jumps at byte @at of @code, which is at @address: *@slot is the
     * address that it jumps through, *@begin its start in @code. */
    bool (*linkage_stub)(const uint8_t *code, size_t length, size_t at, uint64_t address,
                         uint64_t *slot, uint64_t *begin);
    /* alignment of instructions, bytes */
    uint8_t step;
    /* General registers are numbered from 0, the stack pointer among them. */
    uint8_t generals, stack_pointer, frame_pointer;
    uint8_t vectors;              /* the first of 32 vector registers */
    /* load-store architecture: loads and stores compute nothing but addresses */
    bool load_store;
    /* assembler directive for an instruction given as a word of four bytes; NULL: none */
    const char *word_directive;
    /* Forms whose ports the table gives for parts of instructions; NULL if not needed. */
    const char *load_form, *store_form;   /* plain load and store of a general register */
    /* 512- and 256-bit vector additions; NULL: no fixed widths */
    const char *add_512_form, *add_256_form;
    /* Returns the form of the division of half the width; NULL: @in is no such division. A NULL
     * member: not relevant for the set. */
    const char *(*narrower_division)(const struct insn *in);
    const char *address_form;     /* addition that updates an address */
    /* writes back the stack engine's offset */
    const char *stack_sync_form;
    /* register addition that rename may eliminate; NULL: on no known processor */
    const char *sum_form;
    const char *compare_form;     /* comparison that macro-fuses with a branch */
    /* Implement insn_decode, insn_form and insn_learn; learn NULL: not needed. */
    bool (*decode)(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                   struct err *err);
    size_t (*form)(const uint8_t *code, size_t length, char *form, uint32_t *traits);
    bool (*learn)(const uint8_t *code, size_t length, struct err *err);
    /* Fills a template's placeholder in form_instance. */
    void (*placeholder)(struct form_registers *in, const char *type, struct str *out);
    /* Bodies and chains of forms (body.h, chain.h). code_make: prepares a form, NULL with err when
     * no processor can measure it; code_free NULL: nothing to free. code_allowed: tests that
     * without checking its encoding; NULL: only code_make can. code_extension: the required
     * extension, borrowed; "" for none; @code NULL if code_allowed exists. codes_learn: gets
     * encodings for code_make from an assembler; NULL: not needed. */
    const void *(*code_make)(const struct form_row *row, struct err *err);
    void (*code_free)(const void *code);
    bool (*code_allowed)(const struct form_row *row, struct err *err);
    const char *(*code_extension)(const struct form_row *row, const void *code);
    bool (*codes_learn)(const struct form_row *const *rows, size_t count,
                        const struct isa_assembler *assembler, struct err *err);
    bool (*body_make)(const void *const *codes, const uint32_t *counts, size_t n,
                      const struct body_shape *shape, struct body *out, struct err *err);
    /* Bit sets of general registers of bodies. own_registers: of loop and body, which no user
     * template may name (own_names: as text); kept_registers: not written by a body;
     * base_registers: the only ones that point to memory, updated by bodies if bases_step. */
    uint32_t own_registers, kept_registers, base_registers;
    const char *own_names;
    bool bases_step;
    size_t (*chain_list)(const void *code, struct chain *out);
    bool (*chain_make)(const void *code, const struct chain *chain, unsigned links,
                       struct body *out);
    /* Assembler text (details in listing.h of its folder). dialects: it has AT&T and Intel syntax,
     * and the generic reader handles comments and addresses; if not, all functions below are
     * needed. looks_like may be present alone; NULL: the default set. */
    bool dialects;
    const char *(*word_end)(const char *p, const char *end, bool disassembly);
    void (*comments_cut)(const char *p, const char *end, bool *in_comment, struct str *out);
    bool (*directive_kept)(const char *word, size_t length);
    void (*target_clean)(const char *p, const char *end, unsigned section, struct str *out);
    bool (*looks_like)(const char *text, size_t length);
    bool (*is_register)(const char *word, size_t length);   /* a register name, in any case */
    /* a mnemonic in Intel syntax, in any case; present with dialects */
    bool (*is_mnemonic)(const char *word, size_t length);
    /* Quick decode at @code, for ranking much code: returns the length, 0 if invalid. *@branch:
     * distance from its start of a jump that is no call (0: none or unknown); *@vector: it uses
     * vectors or floating point. */
    size_t (*glance)(const uint8_t *code, size_t length, int64_t *branch, bool *vector);
    /* Returns whether @length bytes at @code, from a listing, are one instruction that can be
     * written as data. *@held: number of final bytes with a distance from its end, *@far: that
     * target from its start; 0: none. */
    bool (*listed)(const uint8_t *code, size_t length, size_t *held, int64_t *far);
    /* Appends a branch or call at @code up to its target, *@far from its start. False: no branch,
     * or an unlinked target. NULL if listed gives targets. */
    bool (*branch_written)(const uint8_t *code, int64_t *far, struct str *out);
    /* Returns the target of the relative branch @form of @n bytes at @at. */
    int64_t (*branch_place)(const char *form, const uint8_t *code, size_t n, size_t at);
    /* Detects markers in machine code: true when one begins (@begin) or ends at @code, of
     * MARKER_BYTES. */
    bool (*is_marker)(const uint8_t *code, bool begin);
    const char *markers;          /* "IACA markers" */
    /* IACA markers as assembler text, before and after a loop; NULL: none for the set */
    const char *iaca_markers[2];
    /* Class of fact eliminate for @move; NULL: not eliminable. */
    const char *(*move_class)(const struct insn *move);
    /* Traits of a form by its name, bits of enum form_trait; NULL: none. */
    unsigned (*form_traits)(const char *form);
    /* Returns the kind of a form, for isa_form_kind. */
    enum form_kind (*form_kind)(const char *form);
    /* Spells @form as assembly text (spelling.h); false when impossible. */
    bool (*spell)(const char *form, struct spelling *out);
    const struct isa_osaca *osaca;        /* spelling.h; present with spell */
    /* Related forms (related.h); NULL: none. */
    bool (*alike)(const char *form, size_t *at, char *out);
    bool (*with_register)(const char *form, unsigned bits, size_t *at, char *out);
    bool (*alternative)(const struct insn *insn, size_t *at, struct isa_alternative *out);
    const struct isa_foreign *foreign;    /* foreign code in measurements */
    const struct isa_vary *vary;          /* variants of instructions */
    const struct isa_rewrite *rewrite;    /* equivalent encodings; NULL: none */
};

const struct isa_ops *isa_ops(enum isa isa);
/* Returns the relocation type with ELF number @type; NULL: no assembler notation. */
const struct isa_relocation *isa_relocation(enum isa isa, unsigned type);

/* "x86-64", "aarch64": as in data/isa/<name>.csv, machine.csv's fact isa and --isa. */
const char *isa_name(enum isa isa);
/* Returns false for an unknown name. */
bool isa_parse(const char *name, enum isa *out);
/* Appends "x86-64 or aarch64", or the titles with @titles; @last precedes the last one. */
void isa_list(bool titles, const char *last, struct str *out);
/* Set of the processor that this program was compiled for (cpu.c). */
enum isa isa_host(void);
/* The set with AT&T and Intel syntax. */
const struct isa_ops *isa_of_dialects(void);
/* Returns whether @form has @trait, by its name. */
bool isa_form_has(enum isa isa, const char *form, enum form_trait trait);
/* Returns the kind of @form. Any thread. */
enum form_kind isa_form_kind(enum isa isa, const char *form);
/* Alignment of instructions in bytes: 1 or 4. */
size_t isa_step(enum isa isa);

/* Name of binutils' program @name ("as", "objdump") for @isa: the plain name for this processor
 * (AArch64: if the prefixed one is missing), else with the target prefix. Written to @buffer, which
 * is returned. */
const char *isa_tool(enum isa isa, const char *name, char *buffer, size_t size);

#endif
