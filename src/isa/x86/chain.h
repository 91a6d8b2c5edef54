/* Chains of x86-64 code: as chain.h has them for any set. */
#ifndef PORTOLAN_ISA_X86_CHAIN_H
#define PORTOLAN_ISA_X86_CHAIN_H

#include "isa/body.h"

/* As chain_list and chain_make; @code is a struct x86_code, from and to are its operands. Any thread. */
size_t x86_chain_list(const void *code, struct chain out[CHAINS_MAX]);
bool x86_chain_make(const void *code, const struct chain *chain, unsigned links, struct body *out);

#endif
