/* Adds the user's forms after checking them with the assembler. */
#ifndef PORTOLAN_TOOLCHAIN_FORMS_ADD_H
#define PORTOLAN_TOOLCHAIN_FORMS_ADD_H

#include "isa/forms.h"

/* Extends @base by the rows of another CSV with the same columns (extension is optional). A row
 * replaces the form of the same name. The result holds a reference to @base. Assembles every
 * template and checks that it decodes to its form. If a template does not, returns NULL with err,
 * which has the file, the line and the actual form. Also returns NULL when cancelled. Stores the
 * number of rows in *@added. */
struct forms *forms_add(const struct forms *base, const char *path, size_t *added, struct err *err);

#endif
