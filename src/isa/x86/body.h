/* Bodies of x86-64 code: as body.h has them for any set. */
#ifndef PORTOLAN_ISA_X86_BODY_H
#define PORTOLAN_ISA_X86_BODY_H

#include "isa/body.h"

/* struct x86_code of @row, as isa_ops.code_make; x86_code_free frees it. */
const void *x86_code_make(const struct form_row *row, struct err *err);
void x86_code_free(const void *code);
/* As isa_ops.code_extension. */
const char *x86_code_extension(const struct form_row *row, const void *code);
/* As body_make; @codes are struct x86_code. */
bool x86_body_make(const void *const *codes, const uint32_t *counts, size_t n, const struct body_shape *shape, struct body *out, struct err *err);

#endif
