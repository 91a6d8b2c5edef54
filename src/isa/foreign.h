/* Code of others in measurements: refused instructions, copies, needs. What differs between
 * instruction sets. */
#ifndef PORTOLAN_ISA_FOREIGN_H
#define PORTOLAN_ISA_FOREIGN_H

#include "isa/body.h"
#include "isa/insn.h"
#include "isa/memory_loop.h"

/* Of one set (struct isa_ops). Pure, on any computer and thread, except for functions that inspect
 * the CPU. */
struct isa_foreign {
    /* Why @in is not run, NULL when it may be; calls, returns and what branches do are looked at
     * elsewhere. */
    const char *(*refused)(const struct insn *in);
    /* Writes the branch @in at @out, its distance so that it leads to the next instruction; the
     * rest and the length stay. */
    void (*branch_emit)(const struct insn *in, uint8_t *out);
    /* Makes branch @in, which ends at @after, lead over @bytes (up to 127) of nops, and writes
     * these. NULL: such branches are as fast side by side as apart. */
    void (*branch_over)(const struct insn *in, uint8_t *after, size_t bytes);
    /* Where in the bytes of @in the 32-bit distance of an operand relative to the instruction
     * stands; 0: it has none. NULL: such instructions are refused. */
    unsigned (*relative_at)(const struct insn *in);
    /* Whether @again is @in, of the same length, except for the target of its branch or relative
     * operand. */
    bool (*bytes_alike)(const struct insn *in, const uint8_t *again);
    /* A general register that none of @insns names, for a loop to count in; REG_NONE when there is
     * none: then loops count in memory where that can be addressed. */
    uint8_t (*register_free)(const struct insn *insns, size_t count);
    bool counts_in_memory;
    /* Which vector registers have to be set for @insns on this CPU: vectors and wide of @like. */
    void (*vectors_used)(const struct insn *insns, size_t count, struct body *like);
    /* Registers that do not take any value: the upper half of a dividend, which is 0 with small
     * values, and the count of a repeated instruction. Bits by register; repeated NULL: nothing
     * is. */
    uint32_t zero_registers, count_registers;
    bool (*repeated)(const struct insn *in);
    /* Returns the code of @loop as hex digits, with vectors of at most @bits. */
    const char *(*memory_loop)(enum memory_loop loop, unsigned bits);
};

#endif
