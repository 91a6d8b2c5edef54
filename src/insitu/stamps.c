/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/stamps.h"

#include "insitu/slots.h"

/* Notes the time at gs:@slot. rax and rdx are kept at SLOT_FREE0 and SLOT_FREE1, and lost. */
static void note_time(struct code *c, uint32_t slot)
{
    code_store(c, CODE_RAX, SLOT_FREE0);
    code_store(c, CODE_RDX, SLOT_FREE1);
    BYTES(c, 0x0f, 0x31);                       /* rdtsc */
    code_store_narrow(c, CODE_RAX, slot);
    code_store_narrow(c, CODE_RDX, slot + 4);
}

void stamps_leave(struct code *c)
{
    note_time(c, SLOT_LEFT_AT);
    code_load(c, CODE_RAX, SLOT_LEAVES);
    code_add(c, CODE_RAX, 1);
    code_store(c, CODE_RAX, SLOT_LEAVES);
    code_load(c, CODE_RAX, SLOT_FREE0);
    code_load(c, CODE_RDX, SLOT_FREE1);
}

void stamps_enter(struct code *c)
{
    note_time(c, SLOT_CAME_AT);
    code_load(c, CODE_RAX, SLOT_CAME_AT);
    code_load(c, CODE_RDX, SLOT_LEFT_AT);
    BYTES(c, 0x48, 0xf7, 0xd2);                 /* not rdx */
    BYTES(c, 0x48, 0x8d, 0x44, 0x10, 0x01);     /* lea 1(rax,rdx), rax: the difference */
    code_load(c, CODE_RDX, SLOT_AWAY);
    BYTES(c, 0x48, 0x8d, 0x04, 0x10);           /* lea (rax,rdx), rax */
    code_store(c, CODE_RAX, SLOT_AWAY);
    code_load(c, CODE_RAX, SLOT_FREE0);
    code_load(c, CODE_RDX, SLOT_FREE1);
}

uint32_t stamps_clock(struct code *c)
{
    uint32_t label = code_label(c);

    code_label_here(c, label);
    /* rdtsc; mov rax, r8; mov 4000, ecx */
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x49, 0x89,
          0xc0, 0xb9, 0xa0, 0x0f, 0x00, 0x00);
    /* imul r9, r9, four times; dec ecx; jne */
    BYTES(c, 0x4d, 0x0f, 0xaf, 0xc9, 0x4d, 0x0f, 0xaf, 0xc9, 0x4d, 0x0f, 0xaf, 0xc9, 0x4d, 0x0f,
          0xaf, 0xc9, 0xff, 0xc9, 0x75, 0xec);
    /* rdtsc; sub r8, rax; int3 */
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x4c, 0x29,
          0xc0, 0xcc);
    return label;
}

uint32_t stamps_visits(struct code *c)
{
    /* lfence; rdtsc; shl 32, rdx; or rdx, rax */
    static const uint8_t stamp[] = {0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x48,
                                    0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0};
    uint32_t label = code_label(c);

    code_label_here(c, label);
    code_bytes(c, stamp, sizeof stamp);
    BYTES(c, 0x49, 0x89, 0xc0); /* mov rax, r8 */
    /* within the stamps: what interrupts it makes the rest no less */
    stamps_leave(c);
    for (unsigned i = 0; i < VISITS; i++) {
        stamps_enter(c);
        stamps_leave(c);
    }
    code_bytes(c, stamp, sizeof stamp);
    BYTES(c, 0x4c, 0x29, 0xc0, 0x49, 0x89, 0xc0, 0xcc); /* sub r8, rax; mov rax, r8; int3 */
    return label;
}
