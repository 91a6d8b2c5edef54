/* How assembly text, the language of OSACA's machine files, spells an instruction form: mnemonics
 * and operands as they are written. Derived from the canonical name alone, by each instruction set
 * in its own way (x86/att_name.h, a64/spell.h). */
#ifndef PORTOLAN_ISA_SPELLING_H
#define PORTOLAN_ISA_SPELLING_H

#include <stdbool.h>

enum spelled_class {
    SPELLED_REGISTER, SPELLED_MEMORY, SPELLED_IMMEDIATE, SPELLED_LABEL, SPELLED_CONDITION,
    SPELLED_PREFETCH
};

struct spelled_operand {
    enum spelled_class class;
    /* register: "gpr", "xmm", "k"; AArch64: "x", "d", "v"; memory: register class of the index, if
     * it distinguishes forms, else "" */
    char name[8];
    char shape[4];       /* AArch64: of the elements, "d" of v0.2d, "" of none */
    unsigned bits;       /* of a general register or memory; 0: the name does not say */
    bool mask;           /* written under an AVX-512 mask */
    /* parts of the address, if they distinguish forms; elsewhere a base alone is any address */
    bool base, index, scale, offset;
    char base_name[8];   /* AArch64, memory: register class of the base */
    bool pre, post;      /* AArch64: the base steps, before or after the access */
};

/* A register class of OSACA's load_latency, and the plain load that fills one. Of classes with the
 * same fact the first is used. */
struct osaca_load { const char *class, *fact, *form; };

struct spelling;

/* How OSACA's machine files are written for an instruction set. */
struct isa_osaca {
    const char *name;                 /* of the set: "x86" */
    const char *register_key;         /* of an operand: where its register class stands */
    /* registers may have a shape of elements, and addresses step their base; the mnemonic
     * determines the access */
    bool shaped;
    const struct osaca_load *loads;   /* general registers first; ends with a NULL class */
    /* the other way in which text may write @f; false when there is none. NULL: never */
    bool (*respell)(const struct spelling *f, struct spelling *out);
};

#define SPELLING_NAMES 18
#define SPELLING_OPERANDS 6

struct spelling {
    /* lower case, in the order in which to look for them: "addq", "add"; branches: "jne", "jnz" */
    char names[SPELLING_NAMES][24];
    unsigned name_count;
    /* names to look for behind these, which last; ends with a NULL. NULL: none */
    const char *const *more;
    struct spelled_operand operands[SPELLING_OPERANDS];
    unsigned count;
    bool address;                /* the parts of the address distinguish forms */
    bool plain;                  /* no prefix, rounding or EVEX mark that this spelling hides */
    bool suffixed;               /* names[0] ends in a size suffix that names[1] lacks */
};

#endif
