/* AArch64 assembler text (mnemonic and operands as disassemblers print them) taken apart: operands,
 * form name, template. */
#ifndef PORTOLAN_ISA_A64_FORM_H
#define PORTOLAN_ISA_A64_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "isa/forms.h"
#include "isa/insn.h"

#define A64_OPERANDS 10

enum a64_kind { A64_REGISTER, A64_LIST, A64_MEMORY, A64_IMMEDIATE, A64_SHIFT, A64_LABEL, A64_WORD };

struct a64_operand {
    uint8_t kind;            /* enum a64_kind */
    uint8_t reg;             /* root (insn.h), REG_NONE for xzr; of a list its first */
    uint8_t count;           /* registers of a list */
    bool element;            /* v0.d[1]: the other lanes stay */
    bool merging;            /* p0/m */
    bool updated;            /* x0!: a count that the instruction steps */
    bool general, predicate; /* x and w registers; p registers */
    uint16_t bits;           /* of the register, or of one register of the list */
    int64_t value;           /* immediate, shift amount, branch target */
    uint8_t base, index, scale;   /* memory; a vector of addresses is the index (or the base) */
    int64_t displacement;
    bool pre;                /* [x0, #8]! */
    const char *text;        /* as written, borrowed */
    size_t length;
    char type[40];           /* its part of the form */
};

struct a64_text {
    char mnemonic[32];       /* lower case, of one spelling where there are several */
    struct a64_operand operands[A64_OPERANDS];
    unsigned count;
    bool post;               /* an operand after the memory operand steps the base */
    char line[160];          /* what the operands' texts point into */
};

/* "add", "x0, x1, w2, sxtw #2" taken apart; false when it is not in the shape of AArch64 text. Any
 * thread. */
bool a64_text_parse(const char *mnemonic, const char *operands, struct a64_text *out);
/* `ADD (X, X, W, SXTW I)`. Conditions are C, prefetch operations PRFOP, SVE's vl4 and all PATTERN,
 * branch targets Rel, left shifts of 1 to 4 of a register operand are named as such because newer
 * cores do them without a second cycle; [x0] of an access that could have an offset is [X, I]. */
void a64_text_form(const struct a64_text *text, char form[FORM_MAX]);
/* `add {W:X}, {R:X}, {R:W}, sxtw #2`: registers become typed placeholders, with @access (enum
 * operand_access) per operand; {=} is the register of the first placeholder again ({=w} its 32-bit
 * half), {Rel} a branch target; everything else stands as it is. */
void a64_text_template(const struct a64_text *text, const uint8_t access[A64_OPERANDS],
                       struct str *out);

/* Returns the kind of a form, by its name. */
enum form_kind a64_form_kind(const char *form);

/* Whether the word is a condition (`ne`), in lower case. */
bool a64_is_condition(const char *text, size_t length);

/* Expansion of a placeholder of that type in an instance. */
void a64_placeholder(struct form_registers *in, const char *type, struct str *out);

#endif
