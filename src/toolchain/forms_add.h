/* Forms of the user's own, tried by the assembler before they are taken. */
#ifndef PORTOLAN_TOOLCHAIN_FORMS_ADD_H
#define PORTOLAN_TOOLCHAIN_FORMS_ADD_H

#include "isa/forms.h"

/* @base with the rows of another CSV of the same columns (extension may be missing), which replace
 * those of the same name; it holds @base. Every template is assembled and must decode to its form:
 * NULL with err otherwise, with file, line and the template's actual form, and when it was
 * cancelled. @added gets the number of rows. Any thread. */
struct forms *forms_add(const struct forms *base, const char *path, size_t *added, struct err *err);

#endif
