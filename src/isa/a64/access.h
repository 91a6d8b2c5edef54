/* Reads and writes of AArch64 instructions according to the architecture manual (Arm ARM DDI
 * 0487): registers, NZCV, memory, control flow. The source is the mnemonic and the position of the
 * operand, because Capstone 4.0.2 has errors: destinations of ld1, store addresses, ins, movi, the
 * first operand of cmp, some flags. */
#ifndef PORTOLAN_ISA_A64_ACCESS_H
#define PORTOLAN_ISA_A64_ACCESS_H

#include "isa/a64/form.h"

struct a64_access {
    /* access of each operand (enum operand_access); for memory operands load, store or both */
    uint8_t operands[A64_OPERANDS];
    uint32_t traits;                      /* set of enum insn_trait */
    uint32_t flags_read, flags_written;   /* sets of flags, encoded as in struct insn */
    uint16_t memory_bits;                 /* width of the memory access in bits; 0: unknown */
    bool link_written, link_read;         /* whether the instruction implicitly accesses x30 */
};

/* Fills @out with the reads and writes of @text. Any thread. */
void a64_access_of(const struct a64_text *text, struct a64_access *out);

#endif
