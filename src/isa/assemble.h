/* Assembler text to code, with the source line of each instruction, by binutils `as` in a private temporary directory,
 * without a shell, under limits; directives that read files are refused. */
#ifndef PORTOLAN_ISA_ASSEMBLE_H
#define PORTOLAN_ISA_ASSEMBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"

/* What an AArch64 text may use: everything the assembler of binutils 2.40 knows that a user program can run. */
#define ASSEMBLE_A64_ARCH "armv8.7-a+sve2+sve2-bitperm+sve2-aes+sve2-sha3+sve2-sm4+crypto+sha3+sm4+fp16+fp16fml+dotprod+bf16+i8mm+f32mm+f64mm+rng+memtag+ls64"

enum syntax { SYNTAX_AUTO, SYNTAX_ATT, SYNTAX_INTEL };

struct diagnostic {
    size_t line;      /* 1-based, in the user's text */
    char *text;       /* that line */
    char *reason;
};

/* Part of the user's text. */
struct source_span { size_t start, length; };

/* What a text became: one code section's bytes and the line that each instruction came from. */
struct assembled {
    enum isa isa;
    uint8_t *code;
    size_t length;
    struct code_line { uint64_t offset; uint32_t line; } *lines;   /* sorted by offset, one per instruction start */
    size_t line_count;
    struct label { char *name; uint64_t offset; uint32_t line; bool function; } *labels;   /* sorted by offset */
    size_t label_count;
    struct diagnostic *refused;   /* lines the assembler would not take (with skip_bad they are left out) */
    size_t refused_count;
    enum syntax syntax;           /* the one used */
    struct source_span *spans;    /* per line: its statements without addresses, bytes, labels and comments */
    size_t span_count;
};

/* @text: compiler output, a listing (objdump, Compiler Explorer: addresses and bytes stripped) or plain instructions.
 * False when nothing could be assembled, or when lines were refused and not @skip_bad; @out->refused lists them either way
 * and @err names the first. assembled_done frees @out in both cases. */
bool assemble(const char *name, const char *text, size_t length, enum syntax syntax, bool skip_bad, struct assembled *out, struct err *err);
/* As assemble(), which takes x86-64, for any instruction set. AArch64: aarch64-linux-gnu-as; @syntax means nothing there. */
bool assemble_isa(enum isa isa, const char *name, const char *text, size_t length, enum syntax syntax, bool skip_bad, struct assembled *out,
                  struct err *err);
void assembled_done(struct assembled *a);
enum syntax syntax_detect(const char *text, size_t length);

#endif
