/* Parts of the AArch64 instruction set's operations table (ops.c). */
#ifndef PORTOLAN_ISA_A64_PARTS_H
#define PORTOLAN_ISA_A64_PARTS_H

#include "isa/a64/body.h"
#include "isa/body.h"
#include "isa/foreign.h"
#include "isa/spelling.h"
#include "isa/vary.h"

/* chain.c: dependency chains of AArch64 forms. Internal to isa/. */

/* As chain_list and chain_make; from and to are slots of @code. Any thread. */
size_t a64_chain_list(const struct a64_code *code, struct chain out[CHAINS_MAX]);
bool a64_chain_make(const struct a64_code *code, const struct chain *chain, unsigned links,
                    struct body *out);

/* foreign.c: foreign AArch64 code. */

extern const struct isa_foreign a64_foreign;

/* spell.c: assembler spelling of AArch64 forms as in OSACA's machine files: registers by prefix and
 * shape, the address by its parts. */

/* Spells a form: shifts and extensions belong to the preceding operand, registers of a list are
 * separate operands, writeback is a mark on the address. False when @form is not an AArch64 form or
 * has too many operands. */
bool a64_spell(const char *form, struct spelling *out);

/* Notation of OSACA's machine files for the set. */
extern const struct isa_osaca a64_osaca;

/* vary.c: variants of AArch64 instructions (isa/vary.h). */

extern const struct isa_vary a64_vary;

/* ops.c: the AArch64 instruction set. */

extern const struct isa_ops a64_ops;

#endif
