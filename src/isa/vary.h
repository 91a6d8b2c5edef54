/* Makes variants of instructions with one change, for loops that are run and predicted for
 * comparison. Each is decoded again and verified, so that it is checked before it is run like any
 * other code. Any thread. */
#ifndef PORTOLAN_ISA_VARY_H
#define PORTOLAN_ISA_VARY_H

#include "base/str.h"
#include "isa/insn.h"

/* Of one set (struct isa_ops): bytes of an instruction into @out, at most 15; 0: there is no such
 * encoding. */
struct isa_vary {
    size_t (*nop)(unsigned length, uint8_t *out);
    /* Code that moves a whole register like @like, from register @from to @to. @legacy: without
     * VEX, as the code around it. */
    size_t (*copy)(const struct operand *like, bool legacy, uint8_t to, uint8_t from, uint8_t *out);
    /* @in with register @to in the place of @from in operand @operand: the register itself, or base
     * and index of an address. @attempt counts from 0 where there
     * are several ways; SIZE_MAX: no more. */
    size_t (*reg)(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                  unsigned attempt, uint8_t *out);
    /* @in with the address of operand @operand moved by about @by bytes. */
    size_t (*moved)(const struct insn *in, unsigned operand, int64_t by, unsigned attempt,
                    uint8_t *out);
    /* @in with index register @index times @scale and displacement @displacement in the address of
     * operand @operand; NULL: an address with an index makes another form. */
    size_t (*indexed)(const struct insn *in, unsigned operand, uint8_t index, uint8_t scale,
                      int64_t displacement, uint8_t *out);
    void (*name)(uint8_t reg, struct str *out);   /* of a general or vector register */
};

/* A no-operation as long as @in. False when there is none. None of these makes text. */
bool vary_nop(const struct insn *in, struct insn *out);
bool vary_copy(enum isa isa, const struct operand *like, bool legacy, uint8_t to, uint8_t from,
               struct insn *out);
bool vary_register(const struct insn *in, unsigned operand, uint8_t from, uint8_t to,
                   struct insn *out);
/* The new address is at least @by bytes further, and not more than four times as much. */
bool vary_moved(const struct insn *in, unsigned operand, int64_t by, struct insn *out);
/* Replaces the address but keeps its base. False for a set whose forms distinguish such addresses,
 * and for an instruction of any set whose form does. */
bool vary_indexed(const struct insn *in, unsigned operand, uint8_t index, uint8_t scale,
                  int64_t displacement, struct insn *out);
/* Appends the name of a general or vector register, the whole of it. */
void vary_register_name(enum isa isa, uint8_t reg, struct str *out);
/* A register of @file that none of @insns names and that is not @besides; REG_NONE: there is
 * none. */
uint8_t vary_free(const struct insn *insns, size_t count, enum register_file file, uint8_t besides);

#endif
