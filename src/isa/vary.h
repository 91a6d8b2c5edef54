/* Makes variants of instructions with one change, to compare loops by running and predicting them.
 * Each variant is decoded again and verified. It is checked like any other code before it is
 * executed. */
#ifndef PORTOLAN_ISA_VARY_H
#define PORTOLAN_ISA_VARY_H

#include "base/str.h"
#include "isa/insn.h"

/* Operations of one instruction set (struct isa_ops). They write an instruction of at most 15 bytes
 * to @out and return its length; 0: no such encoding. */
struct isa_vary {
    size_t (*nop)(unsigned length, uint8_t *out);
    /* Writes a move of a whole register like @like from register @from to @to. @legacy: without
     * VEX, like the surrounding code. */
    size_t (*copy)(const struct operand *like, bool legacy, uint8_t to, uint8_t from, uint8_t *out);
    /* Writes @in with register @to instead of @from in operand @operand: as a register, or as base
     * and index. @attempt counts alternatives from 0. Returns SIZE_MAX after the last. */
    size_t (*reg)(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                  unsigned attempt, uint8_t *out);
    /* Writes @in with the address of operand @operand moved by about @by bytes. */
    size_t (*moved)(const struct insn *in, unsigned operand, int64_t by, unsigned attempt,
                    uint8_t *out);
    /* Writes @in with index register @index times @scale and displacement @displacement in operand
     * @operand. NULL: an indexed address is another form. */
    size_t (*indexed)(const struct insn *in, unsigned operand, uint8_t index, uint8_t scale,
                      int64_t displacement, uint8_t *out);
    void (*name)(uint8_t reg, struct str *out);   /* name of a general or vector register */
};

/* Writes a nop of @in's length to @out. Returns false if there is none. The functions below do not
 * set an instruction's text. */
bool vary_nop(const struct insn *in, struct insn *out);
bool vary_copy(enum isa isa, const struct operand *like, bool legacy, uint8_t to, uint8_t from,
               struct insn *out);
bool vary_register(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                   struct insn *out);
/* Writes @in with an address between @by and four times @by bytes further. */
bool vary_moved(const struct insn *in, unsigned operand, int64_t by, struct insn *out);
/* Replaces the address except its base. Returns false if forms distinguish such addresses. */
bool vary_indexed(const struct insn *in, unsigned operand, uint8_t index, uint8_t scale,
                  int64_t displacement, struct insn *out);
/* Appends the name of a whole general or vector register. */
void vary_register_name(enum isa isa, uint8_t reg, struct str *out);
/* Returns a register of @file other than @besides that none of @insns uses; REG_NONE: none. */
uint8_t vary_free(const struct insn *insns, size_t count, enum register_file file, uint8_t besides);

#endif
