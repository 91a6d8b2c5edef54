/* Foreign code in measurements, by instruction set: rejected instructions, copies, and register
 * values. */
#ifndef PORTOLAN_ISA_FOREIGN_H
#define PORTOLAN_ISA_FOREIGN_H

#include "isa/body.h"
#include "isa/insn.h"
#include "isa/memory_loop.h"

/* Operations of one instruction set (struct isa_ops). Pure. They run on any computer, except those
 * that inspect the CPU. Any thread. */
struct isa_foreign {
    /* Returns the reason to reject @in, or NULL if it may be executed. Does not check calls,
     * returns and branch targets (measure/kernel_code.h). */
    const char *(*refused)(const struct insn *in);
    /* Writes branch @in to @out, with the next instruction as target and with the same length. */
    void (*branch_emit)(const struct insn *in, uint8_t *out);
    /* Makes branch @in, which ends at @after, skip @bytes (at most 127) bytes, and fills them with
     * nops. The pointer is NULL if adjacent branches have no penalty. */
    void (*branch_over)(const struct insn *in, uint8_t *after, size_t bytes);
    /* Returns the offset of a 32-bit PC-relative distance in the bytes of @in, or 0 if it has
     * none. The pointer is NULL if such instructions are rejected. */
    unsigned (*relative_at)(const struct insn *in);
    /* Returns whether @again and @in differ at most in a branch target or a relative operand. */
    bool (*bytes_alike)(const struct insn *in, const uint8_t *again);
    /* Returns a general register for the loop counter that @insns do not use. Returns REG_NONE if
     * @insns use all general registers. The counter is then in memory if possible. */
    uint8_t (*register_free)(const struct insn *insns, size_t count);
    bool counts_in_memory;
    /* Sets @vectors and @wide of @like to the vector registers that must be initialised for @insns
     * on this CPU. */
    void (*vectors_used)(const struct insn *insns, size_t count, struct body *like);
    /* Bit sets of registers with restricted values. zero_registers must be 0 when the code starts:
     * they have the upper half of a dividend, which must be small for the quotient to fit.
     * count_registers have the count of a repeated instruction. repeated returns whether @in is a
     * repeated instruction; it is NULL if the set has none. */
    uint32_t zero_registers, count_registers;
    bool (*repeated)(const struct insn *in);
    /* Returns the code of @loop as hex digits. Its vectors have at most @bits bits. */
    const char *(*memory_loop)(enum memory_loop loop, unsigned bits);
};

#endif
