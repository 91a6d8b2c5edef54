/* Conversion of the PMEvo authors' form names, which are templates with '_' for blanks, to
 * Portolan's names. `ADD_((REG:RW:G:64)),_((IMM:32))` is `ADD (R64, I32)`. The AArch64 name
 * `_add_((REG:W:G:64)),_((REG:R:G:64)),_((REG:R:G:32)),_sxth_3` is `ADD (X, X, W, SXTH I)`. */
#ifndef PORTOLAN_IO_PMEVO_NAMES_H
#define PORTOLAN_IO_PMEVO_NAMES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"
#include "model/experiments.h"

/* Column of experiments with the original names of a row's forms, a JSON array. The column is empty
 * if an export restores the names. */
#define PMEVO_NAMES "pmevo"
/* Prefix of the source of a mapping's form. A JSON array of the original names that an export would
 * not restore follows the prefix. */
#define PMEVO_SOURCE "pmevo "

/* Appends Portolan's name for @theirs, a name of PMEvo with blanks or '_'. Names of AArch64 begin
 * with a blank or '_', and their mnemonics are lower-case. Returns false, with @out unchanged, if
 * an operand is not simple. */
bool pmevo_form_name(const char *theirs, struct str *out);

/* Parses the JSON array of names in a column or source. Returns NULL if invalid. The caller
 * releases the result. */
json_t *pmevo_names_read(const char *text);
/* Returns the original names of row @index; NULL if an export restores them. The caller releases
 * the result. */
json_t *pmevo_names_of_row(const struct experiments *e, size_t index);

#endif
