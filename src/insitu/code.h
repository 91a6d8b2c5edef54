/* Generates x86-64 code. Except code_step, the added instructions do not change the flags. */
#ifndef PORTOLAN_INSITU_CODE_H
#define PORTOLAN_INSITU_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* Encodings of general registers. */
enum code_register {
    CODE_RAX, CODE_RCX, CODE_RDX, CODE_RBX, CODE_RSP, CODE_RBP, CODE_RSI, CODE_RDI
};

#define CODE_UNPLACED UINT32_MAX

struct code_fixup {
    uint32_t at;               /* offset of a 32-bit distance */
    uint32_t next;             /* offset from which it counts */
    uint32_t label;            /* target; CODE_UNPLACED: target is the absolute address */
    uint64_t target;
};

struct code {
    VEC(uint8_t) bytes;
    VEC(uint32_t) labels;      /* offset of each; CODE_UNPLACED: not yet */
    VEC(struct code_fixup) fixups;
};

void code_done(struct code *c);
/* Returns the current offset from the start. */
uint32_t code_place(const struct code *c);
/* Creates a label without a place. */
uint32_t code_label(struct code *c);
/* Places @label here. */
void code_label_here(struct code *c, uint32_t label);
void code_bytes(struct code *c, const void *bytes, size_t count);
/* Adds the given bytes. */
#define BYTES(c, ...)                                                                              \
    code_bytes((c), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
/* Adds @length bytes of an instruction whose 32-bit distance at byte @at leads to absolute address
 * @target. */
void code_relocated(struct code *c, const uint8_t *bytes, size_t length, size_t at,
                    uint64_t target);
/* Adds a jump to a label or an address; the same on condition @cc (low four bits of the opcode). */
void code_jump(struct code *c, uint32_t label);
void code_jump_address(struct code *c, uint64_t address);
void code_branch(struct code *c, unsigned cc, uint32_t label);
void code_branch_address(struct code *c, unsigned cc, uint64_t address);
/* Adds a jump to @label if rcx is 0, at any distance. */
void code_branch_zero(struct code *c, uint32_t label);
/* Adds a jump through the word at gs:@slot. */
void code_jump_slot(struct code *c, uint32_t slot);
/* Adds a move of all 64 bits between a register and gs:@slot. */
void code_store(struct code *c, enum code_register reg, uint32_t slot);
void code_load(struct code *c, enum code_register reg, uint32_t slot);
/* As code_store for 32 bits. */
void code_store_narrow(struct code *c, enum code_register reg, uint32_t slot);
void code_load_narrow(struct code *c, enum code_register reg, uint32_t slot);
/* Adds @value to a register by lea. */
void code_add(struct code *c, enum code_register reg, int32_t value);
void code_set(struct code *c, enum code_register reg, uint64_t value);
/* Adds @value to the word at gs:@slot; uses @reg, which is kept at gs:@spare meanwhile. */
void code_count(struct code *c, enum code_register reg, uint32_t slot, int32_t value,
                uint32_t spare);
/* Adds 1 or, with @down, -1 to the word at gs:@slot. Changes the flags. */
void code_step(struct code *c, uint32_t slot, bool down);
/* Resolves all distances for code at @base. False with err when a target is out of reach. */
bool code_resolve(struct code *c, uint64_t base, struct err *err);

#endif
