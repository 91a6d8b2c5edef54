/* Assembled text, and an interface through which lower layers use the assembler. */
#ifndef PORTOLAN_ISA_ASSEMBLED_H
#define PORTOLAN_ISA_ASSEMBLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "isa/isa.h"

enum syntax { SYNTAX_AUTO, SYNTAX_ATT, SYNTAX_INTEL };

struct diagnostic {
    size_t line;      /* number of the line in the user's text, from 1 */
    char *text;       /* text of the line */
    char *reason;
};

/* a part of the user's text */
struct source_span { size_t start, length; };

/* Bytes of the code into which a linker inserts an address */
struct code_reference {
    uint64_t place;       /* offset of the first byte in the code */
    char *name;
    int64_t addend;
    const struct isa_relocation *kind;   /* type of relocation; NULL if the assembler lacks a
                                          * notation for it */
};

/* Result of assembling a text: the bytes of one code section, and the line of each instruction */
struct assembled {
    enum isa isa;
    uint8_t *code;
    size_t length;
    /* offset and source line of each instruction, sorted by offset */
    struct code_line { uint64_t offset; uint32_t line; } *lines;
    size_t line_count;
    struct label {
        char *name;
        uint64_t offset, size;    /* size in bytes; 0 if the label extends to the next label */
        uint32_t line;
        bool function;
    } *labels;                    /* labels, sorted by offset */
    size_t label_count;
    struct code_reference *references;   /* references, sorted by place */
    size_t reference_count;
    /* rejected lines, which are not in @code; also set if assembling failed because of them */
    struct diagnostic *refused;
    size_t refused_count;
    /* lines that are not assembler text, such as sentences, source code, or text outside of code
     * blocks */
    struct diagnostic *left_out;
    size_t left_out_count;
    enum syntax syntax;           /* syntax of the text */
    uint64_t address;             /* address of the first instruction if the text is a disassembly;
                                   * otherwise 0 */
    /* the statements of each line, without addresses, bytes, labels and comments */
    struct source_span *spans;
    size_t span_count;
    /* per line, its share of a profile's samples in percent, or NaN; NULL: the text is not a
     * profile */
    float *percents;
    size_t percent_count;
};

/* Prefix of the labels for addresses. The section number and the address follow, such as 0_4f0. */
#define LISTING_ADDRESS_LABEL ".Lportolan_at_"

/* Assembler for an instruction set whose encodings are derived (isa_ops.codes_learn) */
struct isa_assembler {
    /* Has the arguments and result of assemble (toolchain/assemble.h). The caller must call @done,
     * even after an error. */
    bool (*assemble)(enum isa isa, const char *name, const char *text, size_t length,
                     enum syntax syntax, bool skip_bad, struct assembled *out, struct err *err);
    void (*done)(struct assembled *a);
};

#endif
