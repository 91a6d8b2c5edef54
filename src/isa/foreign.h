/* Foreign code in measurements: refused instructions, copies, and requirements of each instruction
 * set. */
#ifndef PORTOLAN_ISA_FOREIGN_H
#define PORTOLAN_ISA_FOREIGN_H

#include "isa/body.h"
#include "isa/insn.h"
#include "isa/memory_loop.h"

/* Operations of one instruction set (struct isa_ops). Pure and valid on any computer, except those
 * that inspect the CPU. Any thread. */
struct isa_foreign {
    /* Returns the reason why @in is refused, NULL if it may be executed. Calls, returns and branch
     * targets are checked elsewhere. */
    const char *(*refused)(const struct insn *in);
    /* Writes branch @in to @out with the next instruction as target, and the same length. */
    void (*branch_emit)(const struct insn *in, uint8_t *out);
    /* Makes branch @in, which ends at @after, skip @bytes (up to 127) bytes of nops, which it
     * writes. NULL: adjacent branches have no penalty. */
    void (*branch_over)(const struct insn *in, uint8_t *after, size_t bytes);
    /* Returns the offset in the bytes of @in of a 32-bit PC-relative distance; 0: none. NULL: such
     * instructions are refused. */
    unsigned (*relative_at)(const struct insn *in);
    /* Returns whether @again equals @in, with the same length, except for its branch target or
     * relative operand. */
    bool (*bytes_alike)(const struct insn *in, const uint8_t *again);
    /* Returns a general register that none of @insns uses, for the loop counter. REG_NONE: none is
     * free, and loops count in memory if possible. */
    uint8_t (*register_free)(const struct insn *insns, size_t count);
    bool counts_in_memory;
    /* Sets the vector registers to initialise for @insns on this CPU: members vectors and wide of
     * @like. */
    void (*vectors_used)(const struct insn *insns, size_t count, struct body *like);
    /* Bit sets of registers whose values are restricted: the upper half of a dividend, which is 0
     * for small values, and the count of a repeated instruction. repeated NULL: no such
     * instructions. */
    uint32_t zero_registers, count_registers;
    bool (*repeated)(const struct insn *in);
    /* Returns the code of @loop as hex digits. Its vectors have at most @bits. */
    const char *(*memory_loop)(enum memory_loop loop, unsigned bits);
};

#endif
