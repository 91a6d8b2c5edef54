/* Assembled text, and the assembler interface for lower layers. */
#ifndef PORTOLAN_ISA_ASSEMBLED_H
#define PORTOLAN_ISA_ASSEMBLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "isa/isa.h"

enum syntax { SYNTAX_AUTO, SYNTAX_ATT, SYNTAX_INTEL };

struct diagnostic {
    size_t line;      /* 1-based, in the user's text */
    char *text;       /* text of that line */
    char *reason;
};

/* Part of the user's text. */
struct source_span { size_t start, length; };

/* A place in code that a linker fills in. */
struct code_reference {
    uint64_t place;       /* first byte to fill in, as an offset in the code */
    char *name;
    int64_t addend;
    const struct isa_relocation *kind;   /* NULL: no assembler notation */
};

/* Result of a text: one code section's bytes and the line of each instruction. */
struct assembled {
    enum isa isa;
    uint8_t *code;
    size_t length;
    /* sorted by offset, one per instruction start */
    struct code_line { uint64_t offset; uint32_t line; } *lines;
    size_t line_count;
    struct label {
        char *name;
        uint64_t offset, size;    /* size 0: to the next one */
        uint32_t line;
        bool function;
    } *labels;                    /* sorted by offset */
    size_t label_count;
    struct code_reference *references;   /* sorted by place */
    size_t reference_count;
    /* lines that the assembler rejected (left out with skip_bad) */
    struct diagnostic *refused;
    size_t refused_count;
    /* lines that are not assembler text: sentences, source, text outside code blocks */
    struct diagnostic *left_out;
    size_t left_out_count;
    enum syntax syntax;           /* the syntax used */
    uint64_t address;             /* address of the first instruction in a disassembly; else 0 */
    /* per line: statements without addresses, bytes, labels and comments */
    struct source_span *spans;
    size_t span_count;
    /* per line: share of a profile's samples, NaN if none; NULL: no profile */
    float *percents;
    size_t percent_count;
};

/* Prefix of labels for addresses, followed by section_address. */
#define LISTING_ADDRESS_LABEL ".Lportolan_at_"

/* Assembler passed to an instruction set that needs one (isa_ops.codes_learn). */
struct isa_assembler {
    /* As in toolchain/assemble.h; done frees the result in both cases. */
    bool (*assemble)(enum isa isa, const char *name, const char *text, size_t length,
                     enum syntax syntax, bool skip_bad, struct assembled *out, struct err *err);
    void (*done)(struct assembled *a);
};

#endif
