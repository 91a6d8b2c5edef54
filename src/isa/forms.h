/* Instruction forms with templates, from data/isa/<isa>.csv. x86-64: Intel syntax with typed
 * operands in braces, `add {RW:R64}, {R:M64}`, `vaddpd {W:YMM}, {R:YMM}, {R:YMM}`, `shl {RW:R64},
 * {I8}`, `jz {Rel8}`. {B} {I} {D8} {D32} are address parts, {K} a mask register. Doubled braces and
 * fixed registers are literal. AArch64: `ldr {W:X}, [{R:X}, #8]`, `fmla {RW:V}.2d, {R:V}.2d,
 * {R:V}.2d` with registers X W B H S D Q V Z P. {=} is the first placeholder's register again ({=w}
 * with that letter), {Rel} a target; immediates are literal. */
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
    bool added;   /* added by a user's file or session; its code is checked like foreign code */
};

/* Registers used by an instance, assigned in order per class. Operands get different registers. */
struct form_registers {
    unsigned general, high, vector, mask;
    char first[8];   /* first register assigned */
};

/* An immutable table. Holders read it on any thread. Additions create a new table. */
struct forms;
/* Loads forms from @path; NULL: the forms shipped for @isa. NULL with err. */
struct forms *forms_load(enum isa isa, const char *path, struct err *err);
/* Returns @base with the user's rows, as a new table with a reference to @base. A row replaces rows
 * of equal name, in @base or earlier. The caller verifies by toolchain/forms_add.h that each row
 * assembles to its form. NULL with err if cancelled. */
struct forms *forms_with(const struct forms *base, const struct form_row *rows, size_t count,
                         struct err *err);
enum isa forms_isa(const struct forms *f);
/* Returns the added rows, in order; borrowed. */
const struct form_row *forms_added(const struct forms *f, size_t *count);
struct forms *forms_hold(const struct forms *f);
/* Releases one holder; the last one frees the table. Any thread. */
void forms_free(struct forms *f);
size_t forms_count(const struct forms *f);
const struct form_row *forms_at(const struct forms *f, size_t index);
const struct form_row *forms_find(const struct forms *f, const char *form);
/* Returns the form whose name is most similar to @form, or NULL. */
const char *forms_meant(const struct forms *f, const char *form);
/* Appends one assembler line (x86-64: Intel syntax, noprefix) for @row with fixed registers. They
 * are distinct if the template permits. */
void form_instance(const struct form_row *row, struct str *out);

#endif
