/* Generates x86-64 code. Of the added instructions, only those of code_step and code_plus change the
 * flags. */
#ifndef PORTOLAN_INSITU_CODE_H
#define PORTOLAN_INSITU_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

enum code_register {
    CODE_RAX, CODE_RCX, CODE_RDX, CODE_RBX, CODE_RSP, CODE_RBP, CODE_RSI, CODE_RDI
};

#define CODE_UNPLACED UINT32_MAX

struct code_fixup {
    uint32_t at;               /* offset of the distance in the code */
    uint32_t next;             /* offset of the next instruction, to which the distance is
                                * relative */
    /* label of the target; CODE_UNPLACED: the target is the address @target */
    uint32_t label;
    uint64_t target;
    /* number, from 1, of a branch with an 8-bit distance; 0: the distance has 32 bits */
    uint32_t near;
};

struct code {
    VEC(uint8_t) bytes;
    VEC(uint32_t) labels;      /* per label: offset; CODE_UNPLACED: not set yet */
    VEC(struct code_fixup) fixups;
};

void code_done(struct code *c);
/* Returns the offset of the next byte. */
uint32_t code_place(const struct code *c);
/* Creates a label without an offset. */
uint32_t code_label(struct code *c);
/* Sets the offset of @label to that of the next byte. */
void code_label_here(struct code *c, uint32_t label);
void code_bytes(struct code *c, const void *bytes, size_t count);
/* Appends the listed bytes. */
#define BYTES(c, ...)                                                                              \
    code_bytes((c), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
/* Appends the @length bytes of an instruction, whose 32-bit distance at byte @at will be computed
 * for the absolute address @target. */
void code_relocated(struct code *c, const uint8_t *bytes, size_t length, size_t at,
                    uint64_t target);
/* Append a jump or a branch, to a label or to an address. @cc: condition of the branch (low four
 * bits of the opcode). */
void code_jump(struct code *c, uint32_t label);
void code_jump_address(struct code *c, uint64_t address);
void code_branch(struct code *c, unsigned cc, uint32_t label);
void code_branch_address(struct code *c, unsigned cc, uint64_t address);
/* Appends a branch of two bytes with @opcode to @label. @number: number of the branch, from 1 */
void code_branch_near(struct code *c, uint8_t opcode, uint32_t label, uint32_t number);
/* Appends a jump to @label that is taken if rcx is 0. The label may be at any distance. */
void code_branch_zero(struct code *c, uint32_t label);
/* Appends a jump to the address that is stored at gs:@slot. */
void code_jump_slot(struct code *c, uint32_t slot);
/* Append a 64-bit store to gs:@slot, or a load from gs:@slot. */
void code_store(struct code *c, enum code_register reg, uint32_t slot);
void code_load(struct code *c, enum code_register reg, uint32_t slot);
/* Append a 32-bit store to gs:@slot, or a load from gs:@slot. */
void code_store_narrow(struct code *c, enum code_register reg, uint32_t slot);
void code_load_narrow(struct code *c, enum code_register reg, uint32_t slot);
/* code_add appends a lea that adds @value to a register. code_set appends a move of @value to a
 * register. */
void code_add(struct code *c, enum code_register reg, int32_t value);
void code_set(struct code *c, enum code_register reg, uint64_t value);
/* Appends code that adds @value to the word at gs:@slot. The code overwrites @reg, whose value it
 * saves at gs:@saved and restores. */
void code_count(struct code *c, enum code_register reg, uint32_t slot, int32_t value,
                uint32_t saved);
/* Appends an instruction that adds 1 to the word at gs:@slot, or subtracts 1 if @down. It changes
 * the flags. */
void code_step(struct code *c, uint32_t slot, bool down);
/* Appends an instruction that adds @value to the word at gs:@slot. It changes the flags. */
void code_plus(struct code *c, uint32_t slot, int32_t value);
/* Computes all distances for code at address @base. Returns false with err if a target is too
 * far. */
bool code_resolve(struct code *c, uint64_t base, struct err *err);

#endif
