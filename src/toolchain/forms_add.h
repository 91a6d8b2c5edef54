/* Forms of the user's own, tried by the assembler before they are taken. */
#ifndef PORTOLAN_TOOLCHAIN_FORMS_ADD_H
#define PORTOLAN_TOOLCHAIN_FORMS_ADD_H

#include "base/csv.h"
#include "isa/forms.h"

/* Adds the rows of another CSV of the same columns (extension may be missing), replacing those of the same name. Every template is
 * assembled and must decode to its form; on failure @f is as before and err names file, line and what the template became. */
bool forms_add(struct forms *f, const char *path, size_t *added, struct err *err);
/* The two halves of it: the rows of @path when all of them are right, on any thread (NULL with err; csv_table_free), and adding them. */
struct csv_table *forms_add_read(enum isa isa, const char *path, struct err *err);
void forms_add_rows(struct forms *f, const struct csv_table *t);

#endif
