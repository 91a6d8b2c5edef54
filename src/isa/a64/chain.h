/* Dependency chains of AArch64 forms, as chain.h has them for x86-64. Internal to isa/. */
#ifndef PORTOLAN_ISA_A64_CHAIN_H
#define PORTOLAN_ISA_A64_CHAIN_H

#include "isa/a64/body.h"
#include "isa/body.h"

/* As chain_list and chain_make; from and to are slots of @code. Any thread. */
size_t a64_chain_list(const struct a64_code *code, struct chain out[CHAINS_MAX]);
bool a64_chain_make(const struct a64_code *code, const struct chain *chain, unsigned links, struct body *out);

#endif
