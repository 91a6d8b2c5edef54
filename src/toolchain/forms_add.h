/* Adds the user's forms after checking them with the assembler. */
#ifndef PORTOLAN_TOOLCHAIN_FORMS_ADD_H
#define PORTOLAN_TOOLCHAIN_FORMS_ADD_H

#include "isa/forms.h"

/* Extends @base by the rows of another CSV with the same columns (extension is optional); a row
 * replaces the form of the same name. The result holds a reference to @base. Assembles every
 * template, which must decode to its form. If not, returns NULL with err that names file, line and
 * the actual form. Also returns NULL when cancelled. *@added is the number of rows. */
struct forms *forms_add(const struct forms *base, const char *path, size_t *added, struct err *err);

#endif
