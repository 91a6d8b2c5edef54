/* The instruction sets, and what differs between them that is not decoding. */
#ifndef PORTOLAN_ISA_ISA_H
#define PORTOLAN_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sets: value, table of operations, name as in data/isa/<name>.csv, machine.csv's fact isa and
 * --isa. */
#define ISA_SETS(SET) SET(ISA_X86_64, x86_ops, "x86-64") SET(ISA_AARCH64, a64_ops, "aarch64")
#define ISA_VALUE(value, ops, name) value,
#define ISA_CHOICE(value, ops, name) "|" name
enum isa { ISA_SETS(ISA_VALUE) ISA_COUNT };
/* "x86-64|aarch64": of parameters. */
#define ISA_CHOICES (&(ISA_SETS(ISA_CHOICE))[1])
/* Of code that does not say: hex without --isa, measured blocks. */
#define ISA_UNSAID ISA_X86_64
#define ISA_UNSAID_NAME "x86-64"

#define MARKER_BYTES 8

/* Properties of a form by its name alone, without an encoding. */
enum form_trait {
    FORM_MEMORY = 1,    /* it has a memory operand */
    FORM_LOCKED = 2,    /* locked: such instructions execute one after another */
};

/* The execution unit that the operation of a form needs, by its name alone; forms with a memory
 * operand are loads or stores. */
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

/* A kind of reference that a linker fills in. */
struct isa_relocation {
    unsigned type;               /* as ELF numbers it */
    /* how assembler text says it, @ for the name: ":lo12:@"; NULL ends a list */
    const char *spelling;
    bool relative;               /* to the place of the reference itself */
    /* for the name alone without the usual ones (isa_ops.reference_bytes); else 0 */
    uint8_t bytes;
};

/* An instruction set: its data and operations. One const table per set, in a folder of its own. */
struct isa_ops {
    const char *title;            /* as prose has it: "AArch64" */
    const char *tool_prefix;      /* of binutils' programs: "x86_64-linux-gnu" */
    const char *word_option;      /* of gcc and clang: the word size; NULL: they need none */
    const char *target_option;    /* of compilers, before a processor's name */
    /* for processors a compiler does not know: the first whose extension the machine has; NULL:
     * any */
    struct { const char *extension, *name; } generic_targets[4];
    /* on such a processor their plain names identify them; else only if the full one is missing */
    bool plain_tools;
    /* of `as`, besides those that every set takes; NULL ends them */
    const char *assembler_options[16];
    /* what begins a comment; what a text that the program writes begins with */
    const char *comment, *text_head;
    const char *default_machines[3];      /* that a session shows at first */
    const char *common_machines[2];       /* that represent the set for coverage */
    const char *forms_file;       /* of a saved session: the user's own forms */
    const char *template_example; /* how a form's template is written, for advice */
    const char *set_aside;        /* which of its instructions a scan counts apart */
    /* llvm-mca: how it is called, and an instruction that marks the end of a row, as text, opcode
     * and form. */
    const char *llvm_triple, *llvm_syntax;
    /* llvm-mc's option for all instructions that it has; NULL: it takes them all without */
    const char *llvm_features;
    struct { const char *text, *opcode, *form; } llvm_marker;
    uint16_t elf_machine;         /* e_machine of its ELF files, little-endian */
    /* first character of symbols that are the assembler's own, 0: none */
    char mapping_symbol;
    const struct isa_relocation *relocations;   /* that its assembler text can say */
    /* How its text says them. reference_bytes: of one that is the name alone, which can stand as
     * data; 0: they are bits among others. references_from_end: a relative one counts from the end
     * of the instruction, not from its own place. immediate_sign and displacement_sign: what stands
     * before a name in the place of an immediate, and behind a register. displacement: where the
     * displacement begins in a disassembled address from @inside its brackets to @end; @end when it
     * has none. */
    uint8_t reference_bytes;
    bool references_from_end;
    const char *immediate_sign, *displacement_sign;
    const char *(*displacement)(const char *inside, const char *end);
    /* before a branch: the assembler is to take the longest distance; NULL: there is only one
     * length */
    const char *long_branch;
    /* types that fill in the address of a function */
    unsigned relocation_jump_slot, relocation_global;
    /* Whether a stub of the procedure linkage table jumps at byte @at of @code, which lies at
     * @address: *@slot is the address that it jumps through, *@begin where in @code it begins. */
    bool (*linkage_stub)(const uint8_t *code, size_t length, size_t at, uint64_t address,
                         uint64_t *slot, uint64_t *begin);
    /* bytes from one place where an instruction may begin to the next */
    uint8_t step;
    /* General registers are numbered from 0, the stack pointer among them. */
    uint8_t generals, stack_pointer, frame_pointer;
    uint8_t vectors;              /* the first of 32 vector registers */
    /* operations work on registers only: what loads or stores computes nothing else but
     * addresses */
    bool load_store;
    /* assembler directive for an instruction given as a word of four bytes; NULL: none */
    const char *word_directive;
    /* Forms whose ports a machine's table has for the pieces of instructions; NULL if the set does
     * not use one. */
    const char *load_form, *store_form;   /* of a plain load and store of a general register */
    /* the addition of vectors of 512 and of 256 bits; NULL: the set fixes no such width */
    const char *add_512_form, *add_256_form;
    /* the form of the division of half as many bits; NULL: @in is no such division. A NULL member:
     * the set has none that matters. */
    const char *(*narrower_division)(const struct insn *in);
    const char *address_form;     /* the addition that steps an address next to an access */
    /* what writes back the stack pointer that was followed in front of the machine */
    const char *stack_sync_form;
    /* the addition of registers that rename may do; NULL: no known processor of the set does */
    const char *sum_form;
    const char *compare_form;     /* of a comparison that fuses with a branch */
    /* What insn_decode, insn_form and insn_learn do; learn NULL: its decoder knows all that it ever
     * will. */
    bool (*decode)(const uint8_t *code, size_t length, uint64_t offset, bool text, struct insn *out,
                   struct err *err);
    size_t (*form)(const uint8_t *code, size_t length, char *form, uint32_t *traits);
    bool (*learn)(const uint8_t *code, size_t length, struct err *err);
    /* Expansion of a template's placeholder in form_instance. */
    void (*placeholder)(struct form_registers *in, const char *type, struct str *out);
    /* Bodies and chains of forms (body.h, chain.h). code_make: prepares a form for the others, NULL
     * with err when no processor can measure it; code_free NULL: nothing to free. code_allowed:
     * whether that is possible, without checking its encoding; NULL: only code_make reports it.
     * code_extension: the extension that a processor needs to run it, borrowed; "" for none; @code
     * NULL if code_allowed exists. codes_learn: asks an assembler for the encodings that code_make
     * will need; NULL: it needs none. */
    const void *(*code_make)(const struct form_row *row, struct err *err);
    void (*code_free)(const void *code);
    bool (*code_allowed)(const struct form_row *row, struct err *err);
    const char *(*code_extension)(const struct form_row *row, const void *code);
    bool (*codes_learn)(const struct form_row *const *rows, size_t count,
                        const struct isa_assembler *assembler, struct err *err);
    bool (*body_make)(const void *const *codes, const uint32_t *counts, size_t n,
                      const struct body_shape *shape, struct body *out, struct err *err);
    /* General registers of bodies, a bit each: own_registers are the loop's and the body's, which
     * no template of the user's may name (own_names: the same as text); kept_registers no
     * instruction of a body writes; base_registers lead to memory, which is reached through no
     * other, and with bases_step bodies step them. */
    uint32_t own_registers, kept_registers, base_registers;
    const char *own_names;
    bool bases_step;
    size_t (*chain_list)(const void *code, struct chain *out);
    bool (*chain_make)(const void *code, const struct chain *chain, unsigned links,
                       struct body *out);
    /* Assembler text (listing.h of its folder says more). dialects: it has an AT&T and an Intel
     * syntax, and comments and addresses as the generic reader takes them; else the functions below
     * do, all of them. looks_like may be there alone; NULL: what no other set claims. */
    bool dialects;
    const char *(*word_end)(const char *p, const char *end, bool disassembly);
    void (*comments_cut)(const char *p, const char *end, bool *in_comment, struct str *out);
    bool (*directive_kept)(const char *word, size_t length);
    void (*target_clean)(const char *p, const char *end, unsigned section, struct str *out);
    bool (*looks_like)(const char *text, size_t length);
    bool (*is_register)(const char *word, size_t length);   /* a register's name, in any case */
    /* a mnemonic in Intel syntax, in any case; there where dialects is */
    bool (*is_mnemonic)(const char *word, size_t length);
    /* The instruction at @code by a light look, for ranking much code: its length, 0 when it is
     * none; *@branch: how far from its start a jump in it leads that is no call (0: there is none,
     * or it leads nowhere); *@vector: whether it works on vectors, or numbers in their
     * registers. */
    size_t (*glance)(const uint8_t *code, size_t length, int64_t *branch, bool *vector);
    /* Whether the @length bytes at @code, of a listing's column, are one instruction that can be
     * data in the text. *@held: how many of its last bytes hold the distance from its end to its
     * target, *@far that place from its start; 0: none do. */
    bool (*listed)(const uint8_t *code, size_t length, size_t *held, int64_t *far);
    /* Appends the branch or call at @code as text, up to its target, *@far from its start. False:
     * it is none, or its target is itself, as before linking. NULL if listed gives the places. */
    bool (*branch_written)(const uint8_t *code, int64_t *far, struct str *out);
    /* Where the relative branch @form of @n bytes at @at goes, by its encoding. */
    int64_t (*branch_place)(const char *form, const uint8_t *code, size_t n, size_t at);
    /* Markers around a loop in machine code: true when one begins (@begin) or ends at @code, where
     * MARKER_BYTES are. */
    bool (*is_marker)(const uint8_t *code, bool begin);
    const char *markers;          /* whose they are: "IACA markers" */
    /* IACA's as assembler text, before and behind a loop; NULL: it has none for the set */
    const char *iaca_markers[2];
    /* The class of fact eliminate that @move belongs to; NULL: a renamer does not see it as a
     * move. */
    const char *(*move_class)(const struct insn *move);
    /* Traits of a form by its name, bits of enum form_trait; NULL: none. */
    unsigned (*form_traits)(const char *form);
    /* Returns the kind of a form, for isa_form_kind. */
    enum form_kind (*form_kind)(const char *form);
    /* How assembly text spells @form (spelling.h); false when it does not. */
    bool (*spell)(const char *form, struct spelling *out);
    const struct isa_osaca *osaca;        /* spelling.h; there where spell is */
    /* Forms by their relation to another (related.h); NULL: there are no such. */
    bool (*alike)(const char *form, size_t *at, char *out);
    bool (*with_register)(const char *form, unsigned bits, size_t *at, char *out);
    bool (*alternative)(const struct insn *insn, size_t *at, struct isa_alternative *out);
    const struct isa_foreign *foreign;    /* code of others, as it is measured */
    const struct isa_vary *vary;          /* instructions changed in one thing */
    const struct isa_rewrite *rewrite;    /* and written otherwise; NULL: no way is known */
};

const struct isa_ops *isa_ops(enum isa isa);
/* The kind of relocation that ELF numbers @type; NULL: one that assembler text does not say. */
const struct isa_relocation *isa_relocation(enum isa isa, unsigned type);

/* "x86-64", "aarch64": as in data/isa/<name>.csv, machine.csv's fact isa and --isa. */
const char *isa_name(enum isa isa);
/* False when no set has this name. */
bool isa_parse(const char *name, enum isa *out);
/* "x86-64 or aarch64": appends all names, or with @titles what prose calls them, @last before the
 * last. */
void isa_list(bool titles, const char *last, struct str *out);
/* The set of the processor that this program was compiled for (cpu.c). */
enum isa isa_host(void);
/* The set whose assembler text has an AT&T and an Intel syntax. */
const struct isa_ops *isa_of_dialects(void);
/* Whether @form has @trait by its name. Any thread. */
bool isa_form_has(enum isa isa, const char *form, enum form_trait trait);
/* Returns the kind of @form. Any thread. */
enum form_kind isa_form_kind(enum isa isa, const char *form);
/* Bytes from one place where an instruction may begin to the next: 1 or 4. */
size_t isa_step(enum isa isa);

/* What binutils' program @name ("as", "objdump") for @isa is called here: by its plain name for the
 * processor that this is (AArch64: if the one with its full name is not installed), else with the
 * name of the target before it. Into @buffer; returns @buffer. Any thread. */
const char *isa_tool(enum isa isa, const char *name, char *buffer, size_t size);

#endif
