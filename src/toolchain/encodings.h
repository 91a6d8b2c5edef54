/* Encodings that an instruction set has to ask an assembler for, before bodies are made of its forms. */
#ifndef PORTOLAN_TOOLCHAIN_ENCODINGS_H
#define PORTOLAN_TOOLCHAIN_ENCODINGS_H

#include "isa/body.h"

/* Has what form_code_new will need of many forms of this processor's set found out at once. False with err when that is impossible; what is wrong with a single form
 * form_code_new tells. Any thread. */
bool encodings_learn(const struct form_row *const *rows, size_t count, struct err *err);
/* form_code_new for a form that may not have been learnt. Any thread. */
struct form_code *encodings_code(const struct form_row *row, struct err *err);

#endif
