/* Parts of the AArch64 instruction set's table of operations (ops.c) */
#ifndef PORTOLAN_ISA_A64_PARTS_H
#define PORTOLAN_ISA_A64_PARTS_H

#include "isa/a64/body.h"
#include "isa/body.h"
#include "isa/foreign.h"
#include "isa/spelling.h"
#include "isa/vary.h"

/* chain.c: dependency chains of AArch64 forms */

/* Implement chain_list and chain_make. The operand numbers @from and @to of a chain are indices of
 * @code's slots. Any thread. */
size_t a64_chain_list(const struct a64_code *code, struct chain out[CHAINS_MAX]);
bool a64_chain_make(const struct a64_code *code, const struct chain *chain, unsigned links,
                    struct body *out);

/* foreign.c: foreign AArch64 code in measurements */

extern const struct isa_foreign a64_foreign;


/* Spells a form for OSACA's machine files. A shift or extension is part of the operand before it.
 * Each register of a list is an operand. Write-back is a mark of the address. Returns false if
 * @form is not an AArch64 form or has too many operands. */
bool a64_spell(const char *form, struct spelling *out);

/* notation of OSACA's machine files for AArch64 */
extern const struct isa_osaca a64_osaca;

/* vary.c: variants of AArch64 instructions (isa/vary.h) */

extern const struct isa_vary a64_vary;

/* ops.c: AArch64's table of operations */

extern const struct isa_ops a64_ops;

#endif
