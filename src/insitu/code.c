/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/code.h"

#include <string.h>

void code_done(struct code *c)
{
    vec_done(&c->bytes);
    vec_done(&c->labels);
    vec_done(&c->fixups);
}

uint32_t code_place(const struct code *c)
{
    return (uint32_t)c->bytes.count;
}

uint32_t code_label(struct code *c)
{
    vec_push(&c->labels, CODE_UNPLACED);
    return (uint32_t)c->labels.count - 1;
}

void code_label_here(struct code *c, uint32_t label)
{
    c->labels.items[label] = code_place(c);
}

void code_bytes(struct code *c, const void *bytes, size_t count)
{
    vec_reserve(&c->bytes, c->bytes.count + count);
    memcpy(c->bytes.items + c->bytes.count, bytes, count);
    c->bytes.count += count;
}

static void word(struct code *c, uint32_t value)
{
    code_bytes(c, &value, sizeof value);
}

static void distance(struct code *c, uint32_t label, uint64_t target)
{
    uint32_t at = code_place(c);

    word(c, 0);
    vec_push(&c->fixups, ((struct code_fixup){at, at + 4, label, target, 0}));
}

void code_relocated(struct code *c, const uint8_t *bytes, size_t length, size_t at, uint64_t target)
{
    uint32_t begin = code_place(c);

    code_bytes(c, bytes, length);
    vec_push(&c->fixups, ((struct code_fixup){begin + (uint32_t)at, begin + (uint32_t)length,
                                              CODE_UNPLACED, target, 0}));
}

void code_jump(struct code *c, uint32_t label)
{
    BYTES(c, 0xe9);
    distance(c, label, 0);
}

void code_jump_address(struct code *c, uint64_t address)
{
    BYTES(c, 0xe9);
    distance(c, CODE_UNPLACED, address);
}

void code_branch(struct code *c, unsigned cc, uint32_t label)
{
    BYTES(c, 0x0f, (uint8_t)(0x80 | cc));
    distance(c, label, 0);
}

void code_branch_address(struct code *c, unsigned cc, uint64_t address)
{
    BYTES(c, 0x0f, (uint8_t)(0x80 | cc));
    distance(c, CODE_UNPLACED, address);
}

void code_branch_near(struct code *c, uint8_t opcode, uint32_t label, uint32_t number)
{
    const uint32_t at = code_place(c) + 1;

    BYTES(c, opcode, 0);
    vec_push(&c->fixups, ((struct code_fixup){at, at + 1, label, 0, number}));
}

void code_branch_zero(struct code *c, uint32_t label)
{
    /* jrcxz has only a short range, so it jumps to the long jump. If rcx is not 0, a short jump
     * skips that jump. */
    BYTES(c, 0xe3, 2, 0xeb, 5);
    code_jump(c, label);
}

/* Adds an instruction with memory operand gs:@slot, with @field in the register field of ModRM.
 * @wide: with REX.W, and an extension of @field. */
static void on_slot(struct code *c, bool wide, uint8_t opcode, unsigned field, uint32_t slot)
{
    BYTES(c, 0x65);
    if (wide)
        BYTES(c, (uint8_t)(0x48 | (field >> 3) << 2));
    BYTES(c, opcode, (uint8_t)((field & 7) << 3 | 4), 0x25);
    word(c, slot);
}

void code_jump_slot(struct code *c, uint32_t slot)
{
    on_slot(c, false, 0xff, 4, slot);
}

void code_store(struct code *c, enum code_register reg, uint32_t slot)
{
    on_slot(c, true, 0x89, reg, slot);
}

void code_load(struct code *c, enum code_register reg, uint32_t slot)
{
    on_slot(c, true, 0x8b, reg, slot);
}

void code_store_narrow(struct code *c, enum code_register reg, uint32_t slot)
{
    on_slot(c, false, 0x89, reg, slot);
}

void code_load_narrow(struct code *c, enum code_register reg, uint32_t slot)
{
    on_slot(c, false, 0x8b, reg, slot);
}

void code_add(struct code *c, enum code_register reg, int32_t value)
{
    BYTES(c, 0x48, 0x8d, (uint8_t)(0x80 | reg << 3 | reg));
    word(c, (uint32_t)value);
}

void code_set(struct code *c, enum code_register reg, uint64_t value)
{
    BYTES(c, 0x48, (uint8_t)(0xb8 | reg));
    code_bytes(c, &value, sizeof value);
}

void code_count(struct code *c, enum code_register reg, uint32_t slot, int32_t value,
                uint32_t saved)
{
    code_store(c, reg, saved);
    code_load(c, reg, slot);
    code_add(c, reg, value);
    code_store(c, reg, slot);
    code_load(c, reg, saved);
}

void code_plus(struct code *c, uint32_t slot, int32_t value)
{
    on_slot(c, true, 0x81, 0, slot);
    word(c, (uint32_t)value);
}

void code_step(struct code *c, uint32_t slot, bool down)
{
    on_slot(c, true, 0xff, down, slot);
}

bool code_resolve(struct code *c, uint64_t base, struct err *err)
{
    for (size_t i = 0; i < c->fixups.count; i++) {
        const struct code_fixup *f = &c->fixups.items[i];
        uint64_t target = f->label == CODE_UNPLACED ? f->target : base + c->labels.items[f->label];
        int64_t far = (int64_t)(target - (base + f->next));
        if (far != (f->near ? (int8_t)far : (int32_t)far))
            return err_set(err, ERR_LIMIT, NULL, "a jump at 0x%llx cannot reach 0x%llx",
                           (unsigned long long)base, (unsigned long long)target);
        int32_t near = (int32_t)far;
        memcpy(c->bytes.items + f->at, &near, f->near ? 1 : sizeof near);
    }
    return true;
}
