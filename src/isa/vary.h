/* Makes variants of instructions that differ in one property. Callers run and predict variants of a
 * loop, and compare the results. Each variant is decoded for verification, and checked before it is
 * executed like any other code. */
#ifndef PORTOLAN_ISA_VARY_H
#define PORTOLAN_ISA_VARY_H

#include "base/str.h"
#include "isa/insn.h"

/* Operations of one instruction set (struct isa_ops). Each operation writes an instruction of at
 * most 15 bytes to @out and returns its length, or 0 if there is no encoding. */
struct isa_vary {
    size_t (*nop)(unsigned length, uint8_t *out);
    /* Writes a move from register @from to @to: of the whole general register, or of at least the
     * width of vector register @like. If @legacy is true, uses no VEX encoding, because the
     * surrounding code has none. */
    size_t (*copy)(const struct operand *like, bool legacy, uint8_t to, uint8_t from, uint8_t *out);
    /* Writes @in with register @to instead of @from in operand @operand, which may be a register or
     * an address. @attempt counts alternatives from 0. Returns SIZE_MAX after the last
     * alternative. */
    size_t (*reg)(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                  unsigned attempt, uint8_t *out);
    /* Writes @in with the address of operand @operand changed by about @by bytes. */
    size_t (*moved)(const struct insn *in, unsigned operand, int64_t by, unsigned attempt,
                    uint8_t *out);
    /* Writes @in with index @index, scale @scale and displacement @displacement in the address of
     * operand @operand. The pointer is NULL if instructions with an index have other forms. */
    size_t (*indexed)(const struct insn *in, unsigned operand, uint8_t index, uint8_t scale,
                      int64_t displacement, uint8_t *out);
    /* Appends the name of a general or vector register. */
    void (*name)(uint8_t reg, struct str *out);
};

/* Writes a nop with the length of @in to @out. Returns false if there is none. This function and
 * those below leave the text of an instruction empty. */
bool vary_nop(const struct insn *in, struct insn *out);
bool vary_copy(enum isa isa, const struct operand *like, bool legacy, uint8_t to, uint8_t from,
               struct insn *out);
bool vary_register(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                   struct insn *out);
/* Writes @in with an address that is @by to four times @by bytes greater. Returns false if there is
 * none. */
bool vary_moved(const struct insn *in, unsigned operand, int64_t by, struct insn *out);
/* Writes @in to @out with all parts of the address replaced, except the base. Returns false if such
 * an address belongs to another form. */
bool vary_indexed(const struct insn *in, unsigned operand, uint8_t index, uint8_t scale,
                  int64_t displacement, struct insn *out);
/* Appends the name of a whole general or vector register. */
void vary_register_name(enum isa isa, uint8_t reg, struct str *out);
/* Returns a general register or one of the first 16 vector registers, other than @besides and the
 * stack pointer, that no instruction of @insns uses; REG_NONE: none. */
uint8_t vary_free(const struct insn *insns, size_t count, enum register_file file, uint8_t besides);

#endif
