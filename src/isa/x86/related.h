/* Forms of x86-64 by their relation to another. */
#ifndef PORTOLAN_ISA_X86_RELATED_H
#define PORTOLAN_ISA_X86_RELATED_H

#include "isa/insn.h"

/* Bits of enum form_trait. */
unsigned x86_form_traits(const char *form);
enum form_kind x86_form_kind(const char *form);
bool x86_alike(const char *form, size_t *at, char out[FORM_MAX]);
bool x86_with_register(const char *form, unsigned bits, size_t *at, char out[FORM_MAX]);
bool x86_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out);

#endif
