/* The files of the set AArch64 that its operations (ops.c) are put together from. */
#ifndef PORTOLAN_ISA_A64_PARTS_H
#define PORTOLAN_ISA_A64_PARTS_H

#include "isa/a64/body.h"
#include "isa/body.h"
#include "isa/foreign.h"
#include "isa/spelling.h"
#include "isa/vary.h"

/* chain.c: dependency chains of AArch64 forms, as chain.h has them for x86-64. Internal to isa/. */

/* As chain_list and chain_make; from and to are slots of @code. Any thread. */
size_t a64_chain_list(const struct a64_code *code, struct chain out[CHAINS_MAX]);
bool a64_chain_make(const struct a64_code *code, const struct chain *chain, unsigned links,
                    struct body *out);

/* foreign.c: AArch64 code of others. */

extern const struct isa_foreign a64_foreign;

/* spell.c: how AArch64 assembly spells an instruction form, as OSACA's machine files describe it:
 * registers by prefix and shape, the address by its parts. */

/* Shifts and extensions are parts of the operand before them, registers of a list operands of their
 * own, what steps a base is a mark on the address. False when
 * @form is not in the shape of an AArch64 form, or has more operands than a spelling holds. Any
 * thread. */
bool a64_spell(const char *form, struct spelling *out);

/* How OSACA's machine files are written for the set. */
extern const struct isa_osaca a64_osaca;

/* vary.c: changed instructions of AArch64 (isa/vary.h). */

extern const struct isa_vary a64_vary;

/* ops.c: AArch64 as an instruction set. */

extern const struct isa_ops a64_ops;

#endif
