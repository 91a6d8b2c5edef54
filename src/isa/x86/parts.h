/* Parts of the x86-64 instruction set's table of operations (ops.c) */
#ifndef PORTOLAN_ISA_X86_PARTS_H
#define PORTOLAN_ISA_X86_PARTS_H

#include "isa/body.h"
#include "isa/foreign.h"
#include "isa/insn.h"
#include "isa/rewrite.h"
#include "isa/spelling.h"
#include "isa/vary.h"

/* body.c: bodies of x86-64 code */

/* Implements isa_ops.code_make: returns a struct x86_code of @row. The caller frees it with
 * x86_code_free. Returns NULL with err. */
const void *x86_code_make(const struct form_row *row, struct err *err);
void x86_code_free(const void *code);
/* Implements isa_ops.code_extension. */
const char *x86_code_extension(const struct form_row *row, const void *code);
/* Implements body_make. The elements of @codes are struct x86_code. */
bool x86_body_make(const void *const *codes, const uint32_t *counts, size_t n,
                   const struct body_shape *shape, struct body *out, struct err *err);

/* chain.c: chains of x86-64 code */

/* Implement chain_list and chain_make. @code is a struct x86_code, and @from and @to of a chain are
 * indices of its operands. Any thread. */
size_t x86_chain_list(const void *code, struct chain out[CHAINS_MAX]);
bool x86_chain_make(const void *code, const struct chain *chain, unsigned links, struct body *out);

/* foreign.c: foreign x86-64 code in measurements */

extern const struct isa_foreign x86_foreign;

/* related.c: related forms of x86-64 (isa/insn.h) */

/* Returns the traits of a form (set of enum form_trait). */
unsigned x86_form_traits(const char *form);
enum form_kind x86_form_kind(const char *form);
bool x86_alike(const char *form, size_t *at, char out[FORM_MAX]);
bool x86_with_register(const char *form, unsigned bits, size_t *at, char out[FORM_MAX]);
bool x86_alternative(const struct insn *insn, size_t *at, struct isa_alternative *out);

/* rewrite.c: rewritten instructions of x86-64 (isa/rewrite.h) */

extern const struct isa_rewrite x86_rewrite;

/* vary.c: variants of x86-64 instructions (isa/vary.h) */

extern const struct isa_vary x86_vary;

/* ops.c: x86-64's table of operations */

extern const struct isa_ops x86_ops;


/* Spells @form in AT&T syntax: mnemonic with size suffix, and operand classes with sources first.
 * Returns false if an operand has no AT&T text (far pointers, unknown types), or if the form has a
 * lock or rep prefix. */
bool att_form(const char *form, struct spelling *out);

/* notation of OSACA's machine files for x86-64 */
extern const struct isa_osaca att_osaca;

#endif
