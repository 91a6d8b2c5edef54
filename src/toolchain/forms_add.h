/* Forms of the user's own, tried by the assembler before they are taken. */
#ifndef PORTOLAN_TOOLCHAIN_FORMS_ADD_H
#define PORTOLAN_TOOLCHAIN_FORMS_ADD_H

#include "isa/forms.h"

/* Adds the rows of another CSV of the same columns (extension may be missing), replacing those of the same name. Every template is
 * assembled and must decode to its form; on failure @f is as before and err names file, line and what the template became. */
bool forms_add(struct forms *f, const char *path, size_t *added, struct err *err);

#endif
