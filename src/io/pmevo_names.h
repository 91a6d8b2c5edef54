/* The PMEvo authors' form names, templates with '_' for blanks, and ours:
 * `ADD_((REG:RW:G:64)),_((IMM:32))` is `ADD (R64, I32)`;
 * `_add_((REG:W:G:64)),_((REG:R:G:64)),_((REG:R:G:32)),_sxth_3`, AArch64, is `ADD (X, X, W, SXTH
 * I)`. */
#ifndef PORTOLAN_IO_PMEVO_NAMES_H
#define PORTOLAN_IO_PMEVO_NAMES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"
#include "model/experiments.h"

/* Column of experiments with the original names of a row's forms, a JSON array, if export would not
 * restore them. */
#define PMEVO_NAMES "pmevo"
/* Prefix of the source of a mapping's form with original names, followed by a JSON array, if export
 * would not restore them. */
#define PMEVO_SOURCE "pmevo "

/* Appends our name for one of theirs (blanks or '_'; lower-case mnemonics are AArch64's); false,
 * with @out unchanged, when an operand is not plain. */
bool pmevo_form_name(const char *theirs, struct str *out);

/* Parses the JSON array of names in a column or source; NULL if invalid. The caller releases it. */
json_t *pmevo_names_read(const char *text);
/* Original names of row @index, if kept; NULL: export restores them. The caller releases it. */
json_t *pmevo_names_of_row(const struct experiments *e, size_t index);

#endif
