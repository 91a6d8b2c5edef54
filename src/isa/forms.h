/* data/isa/<isa>.csv: instruction forms with templates. x86-64: Intel syntax with typed operands in
 * braces, `add {RW:R64}, {R:M64}`, `vaddpd {W:YMM}, {R:YMM}, {R:YMM}`, `shl {RW:R64}, {I8}`, `jz
 * {Rel8}`; {B} {I} {D8} {D32} are address parts, {K} a mask register; doubled braces are literal;
 * fixed registers are literal. AArch64: `ldr {W:X}, [{R:X}, #8]`, `fmla {RW:V}.2d, {R:V}.2d,
 * {R:V}.2d`; registers X W B H S D Q V Z P, {=} the first placeholder's register again ({=w} by
 * that letter), {Rel}; immediates are literal. */
#ifndef PORTOLAN_ISA_FORMS_H
#define PORTOLAN_ISA_FORMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "isa/isa.h"

struct form_row {
    char *form, *template, *extension;
    enum isa isa;
    bool added;   /* from a user's file or session: its code runs as foreign code */
};

/* Registers used by an instance, in order per class, so that operands differ. */
struct form_registers {
    unsigned general, high, vector, mask;
    char first[8];   /* the first register assigned */
};

/* An immutable table: holders read it on any thread, and additions create a new one. */
struct forms;
/* Loads forms; @path NULL: those shipped for @isa. */
struct forms *forms_load(enum isa isa, const char *path, struct err *err);
/* Adds the user's rows to @base; they replace rows of the same name, and later rows earlier ones.
 * toolchain/forms_add.h verifies that each assembles to its form. Holds @base. NULL with err when
 * cancelled. */
struct forms *forms_with(const struct forms *base, const struct form_row *rows, size_t count,
                         struct err *err);
enum isa forms_isa(const struct forms *f);
/* The added rows, in order; borrowed. */
const struct form_row *forms_added(const struct forms *f, size_t *count);
struct forms *forms_hold(const struct forms *f);
/* Frees the table when its last holder calls it. */
void forms_free(struct forms *f);
size_t forms_count(const struct forms *f);
const struct form_row *forms_at(const struct forms *f, size_t index);
const struct form_row *forms_find(const struct forms *f, const char *form);
/* Returns the form with the name most similar to @form, or NULL. */
const char *forms_meant(const struct forms *f, const char *form);
/* Writes one assembler line (x86-64: Intel syntax, noprefix) for @row with fixed registers,
 * distinct where the template permits. */
void form_instance(const struct form_row *row, struct str *out);

#endif
