/* The PMEvo authors' names of instruction forms, which are templates with blanks turned into '_',
 * and the names used here: `ADD_((REG:RW:G:64)),_((IMM:32))` is `ADD (R64, I32)`;
 * `_add_((REG:W:G:64)),_((REG:R:G:64)),_((REG:R:G:32)),_sxth_3`, AArch64, is `ADD (X, X, W, SXTH
 * I)`. */
#ifndef PORTOLAN_IO_PMEVO_NAMES_H
#define PORTOLAN_IO_PMEVO_NAMES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"
#include "model/experiments.h"

/* The column of experiments with the names of a row's forms as the file had them, a JSON array:
 * where an export would write others. */
#define PMEVO_NAMES "pmevo"
/* Begins the source of a mapping's form that the file had under other names than an export would
 * write, or under several: these names follow, a JSON array. */
#define PMEVO_SOURCE "pmevo "

/* Appends the name used here for one of theirs (blanks or '_'; lower-case mnemonics are AArch64's);
 * false when an operand is not plain (@out unchanged). Any thread. */
bool pmevo_form_name(const char *theirs, struct str *out);

/* The names in @text, a JSON array of texts as the column and the source keep it; NULL for anything
 * else. The caller releases it. */
json_t *pmevo_names_read(const char *text);
/* The original names of row @index, if kept; NULL: they are those of its forms. The caller releases
 * it. */
json_t *pmevo_names_of_row(const struct experiments *e, size_t index);

#endif
