/* data/isa/<isa>.csv: the instruction forms with templates. Template: Intel syntax with typed
 * operands in braces, `add {RW:R64}, {R:M64}`, `vaddpd {W:YMM}, {R:YMM}, {R:YMM}`, `shl {RW:R64},
 * {I8}`, `jz {Rel8}`; {B} {I} {D8} {D32} are the parts of an address, {K} a mask register; doubled
 * braces are literal; a fixed register stands as itself. AArch64: `ldr {W:X}, [{R:X}, #8]`, `fmla
 * {RW:V}.2d, {R:V}.2d, {R:V}.2d`; registers X W B H S D Q V Z P, {=} the register of the first
 * placeholder again ({=w} by that letter), {Rel}; immediates stand as they are. */
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
    bool added;   /* by a file or a session of the user's: its code is run like that of others */
};

/* Registers that an instance has used up, in order per class, so that operands differ. */
struct form_registers {
    unsigned general, high, vector, mask;
    char first[8];   /* the first register handed out */
};

/* A table that never changes: holders read it on any thread, and an addition makes another one. */
struct forms;
/* @path NULL: the forms shipped for @isa. */
struct forms *forms_load(enum isa isa, const char *path, struct err *err);
/* @base with rows of the user's, which replace those of the same name, the later one of two. That
 * each assembles to its form is seen to before (toolchain/forms_add.h).
 * Holds @base. NULL with err when it was cancelled. */
struct forms *forms_with(const struct forms *base, const struct form_row *rows, size_t count,
                         struct err *err);
enum isa forms_isa(const struct forms *f);
/* The rows that were added, in order; borrowed. */
const struct form_row *forms_added(const struct forms *f, size_t *count);
struct forms *forms_hold(const struct forms *f);
/* The last holder's call frees it. Any thread. */
void forms_free(struct forms *f);
size_t forms_count(const struct forms *f);
const struct form_row *forms_at(const struct forms *f, size_t index);
const struct form_row *forms_find(const struct forms *f, const char *form);
/* The form whose name is closest to @form, NULL: none is close. */
const char *forms_meant(const struct forms *f, const char *form);
/* One assembler line (x86-64: Intel syntax, noprefix) for @row with fixed registers, distinct where
 * the template allows. */
void form_instance(const struct form_row *row, struct str *out);

#endif
