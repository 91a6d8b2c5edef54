/* Instruction forms with templates, from data/isa/<isa>.csv. Templates of x86-64 are in Intel
 * syntax, with typed operands in braces: `add {RW:R64}, {R:M64}`, `vaddpd {W:YMM}, {R:YMM},
 * {R:YMM}`, `shl {RW:R64}, {I8}`, `jz {Rel8}`. {B} {I} {D8} {D32} are parts of an address, {K} is
 * a mask register. Doubled braces and fixed registers are literal. Templates of AArch64 are `ldr
 * {W:X}, [{R:X}, #8]` or `fmla {RW:V}.2d, {R:V}.2d, {R:V}.2d`, with registers X W B H S D Q V Z P.
 * {=} is the register of the first placeholder ({=w}: with letter w), {Rel} a branch target.
 * Immediates are literal. */
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
    /* whether a user's file or session added the form; its code is then checked like foreign
     * code */
    bool added;
};

/* Registers that an instance has used, by class. Registers are assigned in order, so no two
 * operands have the same register. */
struct form_registers {
    unsigned general, high, vector, mask;
    char first[8];   /* first register that was assigned */
};

/* An immutable table. Any thread that holds a reference may read it. To add forms, create a new
 * table. */
struct forms;
/* Loads forms from @path, or the forms shipped for @isa if @path is NULL. Returns NULL with err. */
struct forms *forms_load(enum isa isa, const char *path, struct err *err);
/* Returns a new table with @base and the user's @rows. The table holds a reference to @base. A row
 * replaces earlier rows with its name. The caller must verify that each row assembles to its form,
 * as forms_add (toolchain/assemble.h) does. Returns NULL with err if cancelled or out of memory. */
struct forms *forms_with(const struct forms *base, const struct form_row *rows, size_t count,
                         struct err *err);
enum isa forms_isa(const struct forms *f);
/* Returns the added rows in order, borrowed. Sets *@count to the number of rows. */
const struct form_row *forms_added(const struct forms *f, size_t *count);
struct forms *forms_hold(const struct forms *f);
/* Releases a reference. The last release frees the table. Any thread. */
void forms_free(struct forms *f);
size_t forms_count(const struct forms *f);
const struct form_row *forms_at(const struct forms *f, size_t index);
const struct form_row *forms_find(const struct forms *f, const char *form);
/* Returns the name of the form that is most similar to @form; NULL if none is similar. */
const char *forms_meant(const struct forms *f, const char *form);
/* Appends an assembler line for @row (on x86-64 in Intel syntax, noprefix) with fixed registers,
 * which are distinct where the template permits. */
void form_instance(const struct form_row *row, struct str *out);

#endif
