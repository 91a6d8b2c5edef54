/* Foreign code in measurements: refused instructions, copies, requirements of each instruction
 * set. */
#ifndef PORTOLAN_ISA_FOREIGN_H
#define PORTOLAN_ISA_FOREIGN_H

#include "isa/body.h"
#include "isa/insn.h"
#include "isa/memory_loop.h"

/* Operations of one set (struct isa_ops). Pure, on any computer and thread, except for those that
 * inspect the CPU. */
struct isa_foreign {
    /* Returns why @in is refused, NULL when it may run; calls, returns and branch targets are
     * checked elsewhere. */
    const char *(*refused)(const struct insn *in);
    /* Writes branch @in at @out with its target changed to the next instruction and the same
     * length. */
    void (*branch_emit)(const struct insn *in, uint8_t *out);
    /* Makes branch @in, which ends at @after, skip @bytes (up to 127) of nops, which are written.
     * NULL: adjacent branches have no penalty. */
    void (*branch_over)(const struct insn *in, uint8_t *after, size_t bytes);
    /* Offset in the bytes of @in of a 32-bit PC-relative distance; 0: none. NULL: such instructions
     * are refused. */
    unsigned (*relative_at)(const struct insn *in);
    /* Returns whether @again equals @in, with the same length, except for its branch target or
     * relative operand. */
    bool (*bytes_alike)(const struct insn *in, const uint8_t *again);
    /* Returns a general register that none of @insns names, as loop counter; REG_NONE when there is
     * none: then loops count in memory if possible. */
    uint8_t (*register_free)(const struct insn *insns, size_t count);
    bool counts_in_memory;
    /* Vector registers to initialise for @insns on this CPU: vectors and wide of @like. */
    void (*vectors_used)(const struct insn *insns, size_t count, struct body *like);
    /* Bit sets of registers with restricted values: the upper half of a dividend, which is 0 for
     * small values, and the count of a repeated instruction; repeated NULL: none. */
    uint32_t zero_registers, count_registers;
    bool (*repeated)(const struct insn *in);
    /* Returns the code of @loop as hex digits, with vectors of at most @bits. */
    const char *(*memory_loop)(enum memory_loop loop, unsigned bits);
};

#endif
