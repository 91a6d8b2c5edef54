/* What AArch64 instructions read and write, from the architecture (Arm ARM DDI 0487): registers,
 * NZCV, memory, flow. By mnemonic and operand place, not by the decoder's word: Capstone 4.0.2 has
 * the destinations of ld1 as read and written, a store's address as written, ins and movi as
 * read-modify-write, cmp's first operand and sometimes flags wrong. */
#ifndef PORTOLAN_ISA_A64_ACCESS_H
#define PORTOLAN_ISA_A64_ACCESS_H

#include "isa/a64/form.h"

struct a64_access {
    /* enum operand_access per operand of the text; of memory: load, store or both */
    uint8_t operands[A64_OPERANDS];
    uint32_t traits;                      /* enum insn_trait */
    uint32_t flags_read, flags_written;   /* as in struct insn */
    uint16_t memory_bits;                 /* width of the access, 0: not known */
    bool link_written, link_read;         /* x30, without being in the text */
};

/* Any thread. */
void a64_access_of(const struct a64_text *text, struct a64_access *out);

#endif
