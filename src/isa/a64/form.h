/* Parses mnemonics and operands in the text of AArch64 disassemblers. Produces operands, form name
 * and template. */
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
    /* root register (insn.h); of a list, its first register; REG_NONE for xzr */
    uint8_t reg;
    uint8_t count;           /* number of registers in a list */
    bool element;            /* whether the operand is a single lane, such as v0.d[1]; other lanes
                              * are unchanged */
    bool merging;            /* whether lanes that the predicate disables are unchanged, as in
                              * p0/m */
    bool updated;            /* whether the instruction updates the register, which contains a
                              * count, as in x0! */
    bool general, predicate; /* general: whether this is an x or w register; predicate: whether it
                              * is a p register */
    uint16_t bits;           /* width in bits of the register, or of each register in a list */
    int64_t value;           /* immediate, shift amount, or branch target */
    uint8_t base, index, scale;   /* registers and scale of an address; index or base may be a
                                   * vector of addresses */
    int64_t displacement;
    bool pre;                /* whether the address is pre-indexed, as in [x0, #8]! */
    const char *text;        /* text of the operand, borrowed */
    size_t length;
    char type[40];           /* type of the operand in the form name */
};

struct a64_text {
    char mnemonic[32];       /* mnemonic in lower case, as Portolan spells it */
    struct a64_operand operands[A64_OPERANDS];
    unsigned count;
    bool post;               /* whether an operand after the memory operand updates the base */
    char line[160];          /* storage for the text of the operands */
};

/* Parses a mnemonic ("add") and its operands ("x0, x1, w2, sxtw #2"). Returns false if they are not
 * AArch64 text. */
bool a64_text_parse(const char *mnemonic, const char *operands, struct a64_text *out);
/* Appends the form name, such as `ADD (X, X, W, SXTW I)`. It has C for a condition, PRFOP for a
 * prefetch operation, PATTERN for SVE's vl4 and all, and Rel for a branch target. Left shifts of a
 * register by 1 to 4 have a separate name, because newer cores execute them without an additional
 * cycle. If an access may have an offset, [x0] becomes [X, I]. */
void a64_text_form(const struct a64_text *text, char form[FORM_MAX]);
/* Appends the template, such as `add {W:X}, {R:X}, {R:W}, sxtw #2`. Registers become typed
 * placeholders with @access (enum operand_access). {=} represents the register of the first
 * placeholder, {=w} its 32-bit half, {Rel} a branch target. All other text is unchanged. */
void a64_text_template(const struct a64_text *text, const uint8_t access[A64_OPERANDS],
                       struct str *out);

/* Returns the kind of the form with name @form. */
enum form_kind a64_form_kind(const char *form);

/* Returns whether the word is a condition in lower case, such as `ne`. */
bool a64_is_condition(const char *text, size_t length);

/* Appends a register or number to an instance, for a placeholder of type @type. */
void a64_placeholder(struct form_registers *in, const char *type, struct str *out);

#endif
