/* Spelling of instruction forms in assembly text as in OSACA's machine files: mnemonics and
 * operands. Each instruction set derives it from the canonical name (x86/parts.h, a64/parts.h). */
#ifndef PORTOLAN_ISA_SPELLING_H
#define PORTOLAN_ISA_SPELLING_H

#include <stdbool.h>

enum spelled_class {
    SPELLED_REGISTER, SPELLED_MEMORY, SPELLED_IMMEDIATE, SPELLED_LABEL, SPELLED_CONDITION,
    SPELLED_PREFETCH
};

struct spelled_operand {
    enum spelled_class class;
    /* register: "gpr", "xmm", "k"; AArch64: "x", "d", "v". Memory: class of the index register if
     * it distinguishes forms, else "" */
    char name[8];
    char shape[4];       /* AArch64 element: "d" of v0.2d; "": none */
    unsigned bits;       /* width of a general register or memory; 0: not in the name */
    bool mask;           /* has an AVX-512 mask */
    /* parts of the address, if they distinguish forms; otherwise a base represents any address */
    bool base, index, scale, offset;
    char base_name[8];   /* AArch64 memory: class of the base register */
    bool pre, post;      /* AArch64: write-back before or after the access */
};

/* A register class of OSACA's load_latency, and the plain load for it. Among classes with the same
 * fact the first applies. */
struct osaca_load { const char *class, *fact, *form; };

struct spelling;

/* Notation of OSACA's machine files for an instruction set. */
struct isa_osaca {
    const char *name;                 /* name of the set: "x86" */
    const char *register_key;         /* key of an operand's register class */
    /* registers may have element shapes, addresses may have write-back, and the mnemonic determines
     * the access */
    bool shaped;
    const struct osaca_load *loads;   /* general registers first; a NULL class ends the list */
    /* Returns an alternative spelling of @f, or false. NULL member: there is never one. */
    bool (*respell)(const struct spelling *f, struct spelling *out);
};

#define SPELLING_NAMES 18
#define SPELLING_OPERANDS 6

struct spelling {
    /* lower case, in search order: "addq", "add"; branches: "jne", "jnz" */
    char names[SPELLING_NAMES][24];
    unsigned name_count;
    /* further static names, searched after @names; NULL-terminated. NULL: none */
    const char *const *more;
    struct spelled_operand operands[SPELLING_OPERANDS];
    unsigned count;
    bool address;                /* the parts of the address distinguish forms */
    bool plain;                  /* the spelling does not omit a prefix, rounding or EVEX mark */
    bool suffixed;               /* names[0] has a size suffix that names[1] lacks */
};

#endif
