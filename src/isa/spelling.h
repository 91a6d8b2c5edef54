/* Spelling of instruction forms as assembler text in OSACA's machine files: mnemonics and operands.
 * Each instruction set derives the spelling from the name of the form (x86/parts.h,
 * a64/parts.h). */
#ifndef PORTOLAN_ISA_SPELLING_H
#define PORTOLAN_ISA_SPELLING_H

#include <stdbool.h>

enum spelled_class {
    SPELLED_REGISTER, SPELLED_MEMORY, SPELLED_IMMEDIATE, SPELLED_LABEL, SPELLED_CONDITION,
    SPELLED_PREFETCH
};

struct spelled_operand {
    enum spelled_class class;
    /* Register class, such as "gpr", "xmm", "k", or on AArch64 "x", "d", "v". For memory, the
     * class of the index register if it distinguishes forms; otherwise empty. */
    char name[8];
    char shape[4];       /* AArch64: element of a register, such as "d" of v0.2d; may be empty */
    unsigned bits;       /* width of a general register or of memory; 0: the name lacks it */
    bool mask;           /* whether the operand has an AVX-512 mask */
    /* whether the address has these parts, if they distinguish forms; otherwise only @base, which
     * stands for any address */
    bool base, index, scale, offset;
    char base_name[8];   /* AArch64 memory: class of the base register */
    bool pre, post;      /* AArch64: whether write-back is before or after the access */
};

/* A register class in OSACA's load_latency, and the simple load for it. If several classes have the
 * same fact, the first class applies. */
struct osaca_load { const char *class, *fact, *form; };

struct spelling;

/* Notation of OSACA's machine files for an instruction set */
struct isa_osaca {
    const char *name;                 /* name of the instruction set, such as "x86" */
    const char *register_key;         /* key for the register class of an operand */
    /* whether registers may have shapes, and addresses may have write-back; the mnemonic then
     * determines the accesses */
    bool shaped;
    const struct osaca_load *loads;   /* register classes, the general registers first; a NULL
                                       * class ends the list */
    /* Writes another spelling of @f. Returns false if there is none. The pointer is NULL if no
     * form has another spelling. */
    bool (*respell)(const struct spelling *f, struct spelling *out);
};

#define SPELLING_NAMES 18
#define SPELLING_OPERANDS 6

struct spelling {
    /* names in lower case, in the order of look-up: "addq", "add"; branches: "jne", "jnz" */
    char names[SPELLING_NAMES][24];
    unsigned name_count;
    /* more names, looked up after @names; NULL-terminated, static; NULL: none */
    const char *const *more;
    struct spelled_operand operands[SPELLING_OPERANDS];
    unsigned count;
    bool address;                /* whether parts of the address distinguish forms */
    bool plain;                  /* whether the spelling shows every prefix, rounding mode and EVEX
                                  * mark of the form */
    bool suffixed;               /* whether names[0] has a size suffix; names[1] is then names[0]
                                  * without it */
};

#endif
