/* Generates x86-64 code. Only code_step adds instructions that change the flags. */
#ifndef PORTOLAN_INSITU_CODE_H
#define PORTOLAN_INSITU_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* Encoding of general registers. */
enum code_register {
    CODE_RAX, CODE_RCX, CODE_RDX, CODE_RBX, CODE_RSP, CODE_RBP, CODE_RSI, CODE_RDI
};

#define CODE_UNPLACED UINT32_MAX

struct code_fixup {
    uint32_t at;               /* offset of the 32-bit distance */
    uint32_t next;             /* offset of the next instruction, from which the distance counts */
    uint32_t label;            /* target; CODE_UNPLACED: the target is an absolute address */
    uint64_t target;
};

struct code {
    VEC(uint8_t) bytes;
    VEC(uint32_t) labels;      /* offset of each label; CODE_UNPLACED: not defined yet */
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
/* Appends bytes. */
#define BYTES(c, ...)                                                                              \
    code_bytes((c), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
/* Appends @length bytes of an instruction. Its 32-bit distance at byte @at is set for absolute
 * address @target. */
void code_relocated(struct code *c, const uint8_t *bytes, size_t length, size_t at,
                    uint64_t target);
/* Append a jump to a label or an address, unconditional or on condition @cc (low four bits of the
 * opcode). */
void code_jump(struct code *c, uint32_t label);
void code_jump_address(struct code *c, uint64_t address);
void code_branch(struct code *c, unsigned cc, uint32_t label);
void code_branch_address(struct code *c, unsigned cc, uint64_t address);
/* Appends a jump to @label if rcx is 0, at any distance. */
void code_branch_zero(struct code *c, uint32_t label);
/* Appends a jump to the address at gs:@slot. */
void code_jump_slot(struct code *c, uint32_t slot);
/* Append a 64-bit move between a register and gs:@slot. */
void code_store(struct code *c, enum code_register reg, uint32_t slot);
void code_load(struct code *c, enum code_register reg, uint32_t slot);
/* Append a 32-bit move between a register and gs:@slot. */
void code_store_narrow(struct code *c, enum code_register reg, uint32_t slot);
void code_load_narrow(struct code *c, enum code_register reg, uint32_t slot);
/* Appends an lea that adds @value to a register. */
void code_add(struct code *c, enum code_register reg, int32_t value);
void code_set(struct code *c, enum code_register reg, uint64_t value);
/* Appends an addition of @value to the word at gs:@slot. Uses @reg, and saves it at gs:@spare
 * meanwhile. */
void code_count(struct code *c, enum code_register reg, uint32_t slot, int32_t value,
                uint32_t spare);
/* Appends an addition of 1, or with @down of -1, to the word at gs:@slot. Changes the flags. */
void code_step(struct code *c, uint32_t slot, bool down);
/* Computes all distances for code at @base. False with err if a target is too far. */
bool code_resolve(struct code *c, uint64_t base, struct err *err);

#endif
