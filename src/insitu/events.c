/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/events.h"

#include "insitu/slots.h"

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
