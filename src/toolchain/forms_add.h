/* Adds the user's forms after checking them with the assembler. */
#ifndef PORTOLAN_TOOLCHAIN_FORMS_ADD_H
#define PORTOLAN_TOOLCHAIN_FORMS_ADD_H

#include "isa/forms.h"

/* Extends @base by the rows of another CSV with the same columns (extension is optional); they
 * replace rows of the same name. The result holds @base. Every template is assembled and must
 * decode to its form; if not, NULL with err that names file, line and the actual form; NULL also
 * when cancelled. @added gets the number of rows. */
struct forms *forms_add(const struct forms *base, const char *path, size_t *added, struct err *err);

#endif
