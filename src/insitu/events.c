/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/events.h"

#include "insitu/slots.h"

bool events_follows(const struct region_insn *i)
{
    const struct operand *m = insn_memory(i->insn);
    uint32_t t = i->insn->traits;

    if (i->in_place || t & (INSN_RETURN | INSN_BRANCH) || !m || !(t & (INSN_LOAD | INSN_STORE)))
        return false;
    if (m->implicit || t & (INSN_NARROW_ADDRESS | INSN_STACK) ||
        i->insn->operation == OPERATION_STRING || m->segment != REG_NONE)
        return false;
    /* A bit offset in a register moves the access away from the operand's address, so the access is
     * not recorded. */
    if ((i->insn->operation == OPERATION_BIT_TEST || i->insn->operation == OPERATION_BIT_CHANGE) &&
        i->insn->operands[1].kind == OPERAND_REGISTER)
        return false;
    return (m->base == REG_NONE || m->base < 16 || m->base == REG_PC) &&
           (m->index == REG_NONE || m->index < 16);
}

bool events_unseen(const struct region_insn *i)
{
    const struct operand *m = insn_memory(i->insn);
    const uint32_t t = i->insn->traits;

    return !i->in_place && m && t & INSN_LOAD &&
           !(t & (INSN_STACK | INSN_BRANCH | INSN_RETURN)) && m->segment == REG_NONE &&
           !events_follows(i);
}

bool events_records(const struct region_insn *i)
{
    uint32_t t = i->insn->traits;

    if (!i->in_loop || i->in_place || t & INSN_RETURN)
        return false;
    return t & INSN_BRANCH ? t & INSN_CONDITIONAL || i->indirect : events_follows(i);
}

void events_add_rax(struct code *c, uint16_t id)
{
    uint32_t ring = SLOT_RING, top = SLOT_RING + 6;

    BYTES(c, 0x65, 0x0f, 0xb7, 0x0c, 0x25);   /* movzwl gs:events, ecx */
    code_bytes(c, &(uint32_t){SLOT_EVENTS}, 4);
    BYTES(c, 0x65, 0x48, 0x89, 0x04, 0xcd);   /* mov rax, gs:ring(,rcx,8) */
    code_bytes(c, &ring, 4);
    BYTES(c, 0x65, 0x66, 0xc7, 0x04, 0xcd);   /* movw id, into the upper bytes of the event */
    code_bytes(c, &top, 4);
    code_bytes(c, &id, 2);
    code_load_narrow(c, CODE_RCX, SLOT_EVENTS);
    code_add(c, CODE_RCX, 1);
    code_store_narrow(c, CODE_RCX, SLOT_EVENTS);
}

void events_save(struct code *c)
{
    code_store(c, CODE_RAX, SLOT_FREE0);
    code_store(c, CODE_RCX, SLOT_FREE1);
}

void events_restore(struct code *c)
{
    code_load(c, CODE_RAX, SLOT_FREE0);
    code_load(c, CODE_RCX, SLOT_FREE1);
}

void events_add(struct code *c, uint16_t id, uint64_t value)
{
    events_save(c);
    code_set(c, CODE_RAX, value);
    events_add_rax(c, id);
    events_restore(c);
}

void events_load_target(struct code *c, const struct insn *in, uint64_t bias)
{
    uint8_t bytes[24], rex = 0x48;
    size_t n = 0, at = 0;

    while (in->bytes[at] != 0xff) {
        if ((in->bytes[at] & 0xf0) == 0x40)
            rex |= in->bytes[at] & 3;
        /* Omits the prefixes notrack and bnd. */
        else if (in->bytes[at] != 0x3e && in->bytes[at] != 0xf2)
            bytes[n++] = in->bytes[at];
        at++;
    }
    bytes[n++] = rex;
    bytes[n++] = 0x8b;
    bytes[n++] = in->bytes[at + 1] & 0xc7;
    memcpy(bytes + n, in->bytes + at + 2, in->length - at - 2);
    n += in->length - at - 2;
    unsigned place = insn_rip_displacement(in);
    if (place)
        code_relocated(c, bytes, n, n - in->length + place,
                       in->offset + in->length + (uint64_t)insn_memory(in)->displacement + bias);
    else
        code_bytes(c, bytes, n);
}

void events_load_address(struct code *c, const struct insn *in, uint64_t bias)
{
    const struct operand *op = insn_memory(in);
    uint32_t displacement = (uint32_t)op->displacement;

    if (op->base == REG_PC) {
        code_set(c, CODE_RAX, in->offset + in->length + (uint64_t)op->displacement + bias);
        return;
    }
    unsigned base = op->base == REG_NONE ? 5 : op->base,
             index = op->index == REG_NONE ? 4 : op->index;
    unsigned scale = op->scale == 8 ? 3 : op->scale == 4 ? 2 : op->scale == 2;
    BYTES(c, (uint8_t)(0x48 | (index >> 3) << 1 | base >> 3), 0x8d,
          op->base == REG_NONE ? 0x04 : 0x84,
          (uint8_t)(scale << 6 | (index & 7) << 3 | (base & 7)));
    code_bytes(c, &displacement, 4);
}
