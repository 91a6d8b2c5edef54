/* The PMEvo authors' names of instruction forms, which are templates with blanks turned into '_', and the names used here:
 * `ADD_((REG:RW:G:64)),_((IMM:32))` is `ADD (R64, I32)`; `_add_((REG:W:G:64)),_((REG:R:G:64)),_((REG:R:G:32)),_sxth_3`, AArch64, is `ADD (X, X, W, SXTH I)`. */
#ifndef PORTOLAN_IO_PMEVO_NAMES_H
#define PORTOLAN_IO_PMEVO_NAMES_H

#include <stdbool.h>

#include "base/str.h"

/* The column of experiments with the names of a row's forms as the file had them, a JSON array: where an export would write others. */
#define PMEVO_NAMES "pmevo"

/* Appends the name used here for one of theirs (blanks or '_'; lower-case mnemonics are AArch64's); false when an operand is not plain (@out unchanged).
 * Any thread. */
bool pmevo_form_name(const char *theirs, struct str *out);

#endif
