/* The instruction sets and their differences, except decoding. */
#ifndef PORTOLAN_ISA_ISA_H
#define PORTOLAN_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instruction sets: enumerator, operations table, name. The name is used in data/isa/<name>.csv,
 * machine.csv's fact isa and --isa. */
#define ISA_SETS(SET) SET(ISA_X86_64, x86_ops, "x86-64") SET(ISA_AARCH64, a64_ops, "aarch64")
#define ISA_VALUE(value, ops, name) value,
#define ISA_CHOICE(value, ops, name) "|" name
enum isa { ISA_SETS(ISA_VALUE) ISA_COUNT };
/* "x86-64|aarch64", for parameters. */
#define ISA_CHOICES (&(ISA_SETS(ISA_CHOICE))[1])
/* Default instruction set: for hex without --isa, and for measured blocks. */
#define ISA_UNSAID ISA_X86_64
#define ISA_UNSAID_NAME "x86-64"

#define MARKER_BYTES 8

/* Properties of a form that follow from its name. */
enum form_trait {
    FORM_MEMORY = 1,    /* has a memory operand */
    FORM_LOCKED = 2,    /* locked: such instructions do not overlap */
};

/* Execution unit of a form's operation, from its name. Forms with a memory operand are loads or
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
    unsigned type;               /* number in ELF */
    /* assembler notation, with @ for the name: ":lo12:@"; NULL ends a list */
    const char *spelling;
    bool relative;               /* relative to the address of the reference */
    /* size in bytes of a name without notation, if not isa_ops.reference_bytes; else 0 */
    uint8_t bytes;
};

/* Data and operations of an instruction set. One const table per set, in its own folder. */
struct isa_ops {
    const char *title;            /* name in sentences: "AArch64" */
    const char *tool_prefix;      /* prefix of binutils' programs: "x86_64-linux-gnu" */
    const char *word_option;      /* option of gcc and clang for the word size; NULL: none */
    const char *target_option;    /* compiler option before a processor's name */
    /* processors for a compiler that lacks the machine's: the first whose extension the machine
     * has; extension NULL: any */
    struct { const char *extension, *name; } generic_targets[4];
    /* use tools without prefix on this processor; otherwise only if the prefixed tool is missing */
    bool plain_tools;
    /* options of `as`, in addition to the common ones; NULL-terminated */
    const char *assembler_options[16];
    /* start of a comment; first lines of generated text */
    const char *comment, *text_head;
    const char *default_machines[3];      /* machines initially selected in a session */
    const char *common_machines[2];       /* machines that represent the set for coverage */
    const char *forms_file;       /* file of the user's forms in a session */
    const char *template_example; /* example of a template, for messages */
    const char *set_aside;        /* instructions that a scan counts separately */
    /* llvm-mca: options; and an instruction that marks the end of a row, as text, opcode and
     * form */
    const char *llvm_triple, *llvm_syntax;
    /* llvm-mc's option for all extensions; NULL: none needed */
    const char *llvm_features;
    struct { const char *text, *opcode, *form; } llvm_marker;
    uint16_t elf_machine;         /* e_machine of its ELF files, little-endian */
    /* first character of mapping symbols, which are ignored; 0: none */
    char mapping_symbol;
    const struct isa_relocation *relocations;   /* relocation types with assembler notation */
    /* Notation of references. reference_bytes: size of a name without notation, as data; 0: it is a
     * bit field. references_from_end: relative ones count from the end of the instruction.
     * immediate_sign and displacement_sign precede a name as an immediate, and after a register.
     * displacement: returns the start of the displacement in a disassembled address from @inside to
     * @end; @end if none. */
    uint8_t reference_bytes;
    bool references_from_end;
    const char *immediate_sign, *displacement_sign;
    const char *(*displacement)(const char *inside, const char *end);
    /* prefix that makes the assembler use the longest distance; NULL: there is only one length */
    const char *long_branch;
    /* relocation types of function addresses */
    unsigned relocation_jump_slot, relocation_global;
    /* Returns whether a PLT stub jumps at byte @at of @code, which is at @address. *@slot gets the
     * address of the pointer that it jumps through, *@begin its start in @code. */
    bool (*linkage_stub)(const uint8_t *code, size_t length, size_t at, uint64_t address,
                         uint64_t *slot, uint64_t *begin);
    /* alignment of instructions in bytes */
    uint8_t step;
    /* General registers have the numbers from 0, including the stack pointer. */
    uint8_t generals, stack_pointer, frame_pointer;
    uint8_t vectors;              /* number of the first of 32 vector registers */
    /* registers that a called function may change (System V ABI, AAPCS64), one bit per number */
    uint64_t call_clobbers;
    /* load-store architecture: loads and stores compute only addresses */
    bool load_store;
    /* assembler directive for an instruction as a word of four bytes; NULL: none */
    const char *word_directive;
    /* Forms in the table whose ports represent parts of other instructions. NULL if not needed. */
    const char *load_form, *store_form;   /* plain load and store of a general register */
    /* 512- and 256-bit vector additions; NULL: no fixed widths */
    const char *add_512_form, *add_256_form;
    /* Returns the form of the division with half the width; NULL if @in is no such division. NULL
     * member: the set has none. */
    const char *(*narrower_division)(const struct insn *in);
    const char *address_form;     /* addition that updates an address */
    /* µop that writes back the stack engine's offset */
    const char *stack_sync_form;
    /* register addition that rename may eliminate; NULL: no known processor does */
    const char *sum_form;
    const char *compare_form;     /* comparison that macro-fuses with a branch */
    /* Implement insn_decode, insn_form and insn_learn. learn NULL: not needed. */
    bool (*decode)(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                   struct err *err);
    size_t (*form)(const uint8_t *code, size_t length, char *form, uint32_t *traits);
    bool (*learn)(const uint8_t *code, size_t length, struct err *err);
    /* Fills a placeholder of a template in form_instance. */
    void (*placeholder)(struct form_registers *in, const char *type, struct str *out);
    /* Bodies and chains of forms (body.h). code_make: prepares a form; NULL with err if no
     * processor can measure it. code_free NULL: nothing to free. code_allowed: tests whether
     * code_make would succeed, without verifying the encoding; NULL: only code_make can.
     * code_extension: returns the required extension, borrowed; "" for none; @code is NULL if
     * code_allowed exists. codes_learn: derives encodings for code_make with an assembler; NULL:
     * not needed. */
    const void *(*code_make)(const struct form_row *row, struct err *err);
    void (*code_free)(const void *code);
    bool (*code_allowed)(const struct form_row *row, struct err *err);
    const char *(*code_extension)(const struct form_row *row, const void *code);
    bool (*codes_learn)(const struct form_row *const *rows, size_t count,
                        const struct isa_assembler *assembler, struct err *err);
    bool (*body_make)(const void *const *codes, const uint32_t *counts, size_t n,
                      const struct body_shape *shape, struct body *out, struct err *err);
    /* Bit sets of general registers of bodies. own_registers: used by loop and body; user templates
     * must not name them (own_names: as text). kept_registers: never written by a body.
     * base_registers: the only ones that point to memory; bodies update them if bases_step. */
    uint32_t own_registers, kept_registers, base_registers;
    const char *own_names;
    bool bases_step;
    size_t (*chain_list)(const void *code, struct chain *out);
    bool (*chain_make)(const void *code, const struct chain *chain, unsigned links,
                       struct body *out);
    /* Assembler text (details in listing.h of its folder). dialects: the set has AT&T and Intel
     * syntax, and the generic reader handles comments and addresses. Otherwise all functions below
     * are needed. looks_like may exist in either case; NULL: the default set. */
    bool dialects;
    const char *(*word_end)(const char *p, const char *end, bool disassembly);
    void (*comments_cut)(const char *p, const char *end, bool *in_comment, struct str *out);
    bool (*directive_kept)(const char *word, size_t length);
    void (*target_clean)(const char *p, const char *end, unsigned section, struct str *out);
    bool (*looks_like)(const char *text, size_t length);
    bool (*is_register)(const char *word, size_t length);   /* a register name, in any case */
    /* a mnemonic in Intel syntax, in any case; exists with dialects */
    bool (*is_mnemonic)(const char *word, size_t length);
    /* Decodes quickly at @code, for ranking much code. Returns the length, 0 if invalid. *@branch
     * gets the distance from the start of a jump that is no call (0: none or unknown), *@vector
     * whether it uses vectors or floating point. */
    size_t (*glance)(const uint8_t *code, size_t length, int64_t *branch, bool *vector);
    /* Returns whether @length bytes at @code, from a listing, are one instruction that can be
     * written as data. *@held: number of final bytes that contain a distance from the instruction's
     * end. *@far: the target of that distance from its start; 0: none. */
    bool (*listed)(const uint8_t *code, size_t length, size_t *held, int64_t *far);
    /* Appends a branch or call at @code up to its target; *@far gets the target's distance from the
     * start. Returns false for no branch, or an unlinked target. NULL if listed returns targets. */
    bool (*branch_written)(const uint8_t *code, int64_t *far, struct str *out);
    /* Returns the target of the relative branch @form of @n bytes at @at. */
    int64_t (*branch_place)(const char *form, const uint8_t *code, size_t n, size_t at);
    /* Returns whether the MARKER_BYTES bytes at @code are a marker of the begin (@begin) or the end
     * of a loop. */
    bool (*is_marker)(const uint8_t *code, bool begin);
    const char *markers;          /* name of the markers: "IACA markers" */
    /* IACA markers as assembler text, before and after a loop; NULL: the set has none */
    const char *iaca_markers[2];
    /* Returns the class of fact eliminate for @move; NULL: never eliminated. */
    const char *(*move_class)(const struct insn *move);
    /* Returns the traits of a form from its name, bits of enum form_trait; NULL: none. */
    unsigned (*form_traits)(const char *form);
    /* Implements isa_form_kind. */
    enum form_kind (*form_kind)(const char *form);
    /* Spells @form as assembly text (spelling.h). Returns false if impossible. */
    bool (*spell)(const char *form, struct spelling *out);
    const struct isa_osaca *osaca;        /* spelling.h; exists together with spell */
    /* Implement isa_alike and isa_with_register; NULL: none. */
    bool (*alike)(const char *form, size_t *at, char *out);
    bool (*with_register)(const char *form, unsigned bits, size_t *at, char *out);
    bool (*alternative)(const struct insn *insn, size_t *at, struct isa_alternative *out);
    const struct isa_foreign *foreign;    /* foreign code in measurements */
    const struct isa_vary *vary;          /* variants of instructions */
    const struct isa_rewrite *rewrite;    /* equivalent instructions; NULL: none */
};

const struct isa_ops *isa_ops(enum isa isa);
/* Returns the relocation type with ELF number @type; NULL: it has no assembler notation. */
const struct isa_relocation *isa_relocation(enum isa isa, unsigned type);

/* Returns "x86-64" or "aarch64", as in data/isa/<name>.csv, machine.csv's fact isa and --isa. */
const char *isa_name(enum isa isa);
/* Parses the name of an instruction set. Returns false for an unknown name. */
bool isa_parse(const char *name, enum isa *out);
/* Appends "x86-64 or aarch64", or with @titles the titles. @last precedes the last one. */
void isa_list(bool titles, const char *last, struct str *out);
/* Returns the instruction set of the processor for which this program was compiled (cpu.c). */
enum isa isa_host(void);
/* Returns the instruction set with AT&T and Intel syntax. */
const struct isa_ops *isa_of_dialects(void);
/* Returns whether @form has @trait, from its name. */
bool isa_form_has(enum isa isa, const char *form, enum form_trait trait);
/* Returns the kind of @form from its name. Any thread. */
enum form_kind isa_form_kind(enum isa isa, const char *form);
/* Returns the alignment of instructions in bytes: 1 or 4. */
size_t isa_step(enum isa isa);

/* Returns the name of binutils' program @name ("as", "objdump") for @isa, in @buffer. For this
 * processor it is the name without prefix (AArch64: only if the prefixed program is missing), else
 * with the target prefix. */
const char *isa_tool(enum isa isa, const char *name, char *buffer, size_t size);

#endif
