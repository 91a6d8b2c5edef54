/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "insitu/stamps.h"

#include "insitu/slots.h"

/* Appends code that stores the time at gs:@slot. Saves rax and rdx in SLOT_FREE0 and SLOT_FREE1,
 * and overwrites both. */
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

/* Appends code that adds the difference of the words at gs:@to and gs:@from to the word at gs:@sum.
 * Overwrites rax and rdx. */
static void add_difference(struct code *c, uint32_t to, uint32_t from, uint32_t sum)
{
    code_load(c, CODE_RAX, to);
    code_load(c, CODE_RDX, from);
    BYTES(c, 0x48, 0xf7, 0xd2);                 /* not rdx */
    BYTES(c, 0x48, 0x8d, 0x44, 0x10, 0x01);     /* lea 1(rax,rdx), rax: the difference */
    code_load(c, CODE_RDX, sum);
    BYTES(c, 0x48, 0x8d, 0x04, 0x10);           /* lea (rax,rdx), rax */
    code_store(c, CODE_RAX, sum);
}

void stamps_enter(struct code *c)
{
    const uint32_t unpaired = code_label(c);

    code_store(c, CODE_RCX, SLOT_FREE2);
    code_load(c, CODE_RCX, SLOT_LEFT_AT);
    code_branch_zero(c, unpaired);
    note_time(c, SLOT_CAME_AT);
    add_difference(c, SLOT_CAME_AT, SLOT_LEFT_AT, SLOT_AWAY);
    code_set(c, CODE_RAX, 0);
    code_store(c, CODE_RAX, SLOT_LEFT_AT);
    code_load(c, CODE_RAX, SLOT_FREE0);
    code_load(c, CODE_RDX, SLOT_FREE1);
    code_label_here(c, unpaired);
    code_load(c, CODE_RCX, SLOT_FREE2);
}

void stamps_begin_steps(struct code *c, unsigned reg)
{
    code_store(c, (enum code_register)reg, SLOT_STEPS_FROM);
}

void stamps_end_steps(struct code *c, unsigned reg)
{
    code_store(c, (enum code_register)reg, SLOT_STEPS_TO);
    code_store(c, CODE_RAX, SLOT_FREE0);
    code_store(c, CODE_RDX, SLOT_FREE1);
    add_difference(c, SLOT_STEPS_TO, SLOT_STEPS_FROM, SLOT_STEPS);
    code_load(c, CODE_RAX, SLOT_FREE0);
    code_load(c, CODE_RDX, SLOT_FREE1);
}

/* Appends code that times STAMP_CYCLES dependent instructions. Stores the low 32 bits of the time
 * before the instructions at 8(rcx), and the time after the instructions at 16(rcx). Overwrites rax
 * and rdx. */
static void time_chain(struct code *c)
{
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31);     /* lfence; rdtsc */
    BYTES(c, 0x89, 0x41, 0x08);                 /* mov eax, 8(rcx) */
    for (unsigned i = 0; i < STAMP_CYCLES; i++)
        BYTES(c, 0x48, 0xf7, 0xd0);             /* not rax */
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31);
    BYTES(c, 0x89, 0x41, 0x10, 0x89, 0x51, 0x14); /* mov eax, 16(rcx); mov edx, 20(rcx) */
}

uint32_t stamps_clock(struct code *c)
{
    uint32_t label = code_label(c), again = code_label(c);
    const uint32_t chains = CLOCK_CHAINS;

    code_label_here(c, label);
    /* lfence; rdtsc; shl 32, rdx; or rdx, rax; mov rax, r8; mov 4000, ecx */
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x49, 0x89,
          0xc0, 0xb9, 0xa0, 0x0f, 0x00, 0x00);
    /* imul r9, r9, four times; dec ecx; jne */
    BYTES(c, 0x4d, 0x0f, 0xaf, 0xc9, 0x4d, 0x0f, 0xaf, 0xc9, 0x4d, 0x0f, 0xaf, 0xc9, 0x4d, 0x0f,
          0xaf, 0xc9, 0xff, 0xc9, 0x75, 0xec);
    /* lfence; rdtsc; shl 32, rdx; or rdx, rax; sub r8, rax; mov rax, r8 */
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0, 0x4c, 0x29,
          0xc0, 0x49, 0x89, 0xc0);
    BYTES(c, 0x45, 0x31, 0xc9, 0xbb);           /* xor r9d, r9d; mov chains, ebx */
    code_bytes(c, &chains, 4);
    code_load(c, CODE_RCX, SLOT_STAMP_AT);
    code_label_here(c, again);
    time_chain(c);
    /* sub 8(rcx), eax; add rax, r9; dec ebx; jne */
    BYTES(c, 0x2b, 0x41, 0x08, 0x49, 0x01, 0xc1, 0xff, 0xcb);
    code_branch(c, 5, again);
    BYTES(c, 0xcc);
    return label;
}

uint32_t stamps_visits(struct code *c, bool counted)
{
    /* lfence; rdtsc; shl 32, rdx; or rdx, rax */
    static const uint8_t stamp[] = {0x0f, 0xae, 0xe8, 0x0f, 0x31, 0x48,
                                    0xc1, 0xe2, 0x20, 0x48, 0x09, 0xd0};
    uint32_t label = code_label(c), none = code_label(c);

    code_label_here(c, label);
    if (counted) {
        code_set(c, CODE_RCX, 2 * VISITS);
        code_store(c, CODE_RCX, SLOT_COUNTDOWN);
    }
    code_bytes(c, stamp, sizeof stamp);
    BYTES(c, 0x49, 0x89, 0xc0); /* mov rax, r8 */
    /* The first exit is stamped after the first stamp. Otherwise SLOT_AWAY could include an
     * interruption before the first stamp, and the overhead would be too small. */
    stamps_leave(c);
    for (unsigned i = 0; i < VISITS; i++) {
        stamps_enter(c);
        if (counted) {
            code_count(c, CODE_RCX, SLOT_UNFINISHED, 0, SLOT_FREE2);
            stamps_count_down(c, SLOT_COUNTDOWN, none, false);
            stamps_begin_steps(c, CODE_RBX);
        }
        stamps_leave(c);
        if (counted)
            stamps_end_steps(c, CODE_RBX);
    }
    code_label_here(c, none);
    code_bytes(c, stamp, sizeof stamp);
    BYTES(c, 0x4c, 0x29, 0xc0, 0x49, 0x89, 0xc0, 0xcc); /* sub r8, rax; mov rax, r8; int3 */
    return label;
}

void stamps_count_down(struct code *c, uint32_t slot, uint32_t zero, bool before)
{
    code_store(c, CODE_RCX, SLOT_FREE2);
    code_load(c, CODE_RCX, slot);
    if (before)
        code_branch_zero(c, zero);
    code_add(c, CODE_RCX, -1);
    code_store(c, CODE_RCX, slot);
    if (!before)
        code_branch_zero(c, zero);
    code_load(c, CODE_RCX, SLOT_FREE2);
}

void stamps_step_down(struct code *c, const struct stamp *s)
{
    if (s->flags_free) {
        code_step(c, SLOT_COUNTDOWN, true);
        code_branch(c, 4, s->here); /* je */
    } else
        stamps_count_down(c, SLOT_COUNTDOWN, s->here, false);
    code_label_here(c, s->go);
}

/* Appends code that reads the list at SLOT_TOUCH, and sets the number of passes until the next
 * stamp. Loads the lines into the cache, with stores to the lines that the list has for stores. */
static void touch(struct code *c)
{
    code_load(c, CODE_RDX, SLOT_TOUCH);
    BYTES(c, 0x48, 0x8b, 0x02, 0x48, 0x8d, 0x52, 0x08);    /* mov (rdx), rax; lea 8(rdx), rdx */
    code_store(c, CODE_RAX, SLOT_PERIOD);
    BYTES(c, 0x48, 0x8b, 0x0a, 0x48, 0x8d, 0x52, 0x08);    /* mov (rdx), rcx; lea 8(rdx), rdx */
    /* jrcxz out; mov (rcx), al; mov al, (rcx); jmp back */
    BYTES(c, 0xe3, 0x06, 0x8a, 0x01, 0x88, 0x01, 0xeb, 0xf1);
    BYTES(c, 0x48, 0x8b, 0x0a, 0x48, 0x8d, 0x52, 0x08);
    BYTES(c, 0xe3, 0x04, 0x8a, 0x01, 0xeb, 0xf3);          /* jrcxz out; mov (rcx), al; jmp back */
    code_store(c, CODE_RDX, SLOT_TOUCH);
}

void stamps_make(struct code *c, const struct stamp *s)
{
    uint32_t full = code_label(c);

    code_label_here(c, s->here);
    if (s->flags_free)
        code_store(c, CODE_RCX, SLOT_FREE2);
    code_store(c, CODE_RAX, SLOT_FREE0);
    code_store(c, CODE_RDX, SLOT_FREE1);
    /* lfence; rdtsc: operations in flight at the end of a block must complete first. */
    BYTES(c, 0x0f, 0xae, 0xe8, 0x0f, 0x31);
    code_load(c, CODE_RCX, SLOT_STAMPS_LEFT);
    code_branch_zero(c, full);
    code_add(c, CODE_RCX, -1);
    code_store(c, CODE_RCX, SLOT_STAMPS_LEFT);
    code_load(c, CODE_RCX, SLOT_STAMP_AT);
    BYTES(c, 0x89, 0x01, 0x89, 0x51, 0x04);     /* mov eax, (rcx); mov edx, 4(rcx) */
    time_chain(c);
    code_load(c, CODE_RAX, s->kind == STAMP_ANCHORED ? SLOT_PASSES : SLOT_LEAVES);
    BYTES(c, 0x48, 0x89, 0x41, 0x18); /* mov rax, 24(rcx) */
    code_load(c, CODE_RAX, SLOT_AWAY);
    BYTES(c, 0x48, 0x89, 0x41, 0x20);           /* mov rax, 32(rcx) */
    code_load(c, CODE_RAX, s->kind == STAMP_VISITS ? SLOT_STEPS : SLOT_UNFINISHED);
    BYTES(c, 0x48, 0x89, 0x41, 0x28);           /* mov rax, 40(rcx) */
    code_add(c, CODE_RCX, STAMP_BYTES);
    code_store(c, CODE_RCX, SLOT_STAMP_AT);
    if (s->kind == STAMP_REPLAYED)
        touch(c);
    else if (s->kind != STAMP_ANCHORED)
        code_label_here(c, full);
    code_load(c, CODE_RAX, SLOT_PERIOD);
    code_store(c, CODE_RAX, SLOT_COUNTDOWN);
    code_load(c, CODE_RAX, SLOT_BLOCKS);
    code_add(c, CODE_RAX, 1);
    code_store(c, CODE_RAX, SLOT_BLOCKS);
    code_load(c, CODE_RAX, SLOT_FREE0);
    code_load(c, CODE_RDX, SLOT_FREE1);
    code_load(c, CODE_RCX, SLOT_FREE2);
    code_jump(c, s->go);
    if (s->kind == STAMP_REPLAYED) {
        code_label_here(c, full);
        code_jump_slot(c, SLOT_AT_END);
    } else if (s->kind == STAMP_ANCHORED) {
        code_label_here(c, full);
        BYTES(c, 0xcc);
    }
}

void stamps_repeat(struct code *c, uint32_t begin, uint32_t end, uint32_t entry)
{
    code_label_here(c, begin);
    code_load(c, CODE_RCX, SLOT_REPEATS);
    code_branch_zero(c, end);
    code_add(c, CODE_RCX, -1);
    code_store(c, CODE_RCX, SLOT_REPEATS);
    code_load(c, CODE_RDX, SLOT_RESTORE);
    BYTES(c, 0x48, 0x8b, 0x0a);                 /* mov (rdx), rcx */
    BYTES(c, 0xe3, 0x0d);                       /* jrcxz out */
    BYTES(c, 0x48, 0x8b, 0x42, 0x08);           /* mov 8(rdx), rax */
    BYTES(c, 0x48, 0x89, 0x01);                 /* mov rax, (rcx) */
    BYTES(c, 0x48, 0x8d, 0x52, 0x10);           /* lea 16(rdx), rdx */
    BYTES(c, 0xeb, 0xee);                       /* jmp back */
    code_load(c, CODE_RCX, SLOT_STATE_AT);
    /* mov -1, eax; mov -1, edx */
    BYTES(c, 0xb8, 0xff, 0xff, 0xff, 0xff, 0xba, 0xff, 0xff, 0xff, 0xff);
    BYTES(c, 0x48, 0x0f, 0xae, 0x29);           /* xrstor64 (rcx) */
    code_load(c, CODE_RAX, SLOT_STAMPS_EACH);
    code_store(c, CODE_RAX, SLOT_STAMPS_LEFT);
    code_load(c, CODE_RAX, SLOT_TOUCH_BEGIN);
    code_store(c, CODE_RAX, SLOT_TOUCH);
    touch(c);
    code_load(c, CODE_RAX, SLOT_PERIOD);
    code_add(c, CODE_RAX, 1);                   /* Adds a pass, because the pivot is executed before
                                                 * the first pass. */
    code_store(c, CODE_RAX, SLOT_COUNTDOWN);
    BYTES(c, 0x65, 0x48, 0x8b, 0x24, 0x25);     /* mov gs:flags_at, rsp */
    code_bytes(c, &(uint32_t){SLOT_FLAGS_AT}, 4);
    BYTES(c, 0x9d);                             /* popfq */
    for (unsigned i = 0; i < 16; i++) {
        uint32_t slot = SLOT_REGISTERS + 8 * i;
        BYTES(c, 0x65, (uint8_t)(0x48 | (i >> 3) << 2), 0x8b, (uint8_t)((i & 7) << 3 | 4), 0x25);
        code_bytes(c, &slot, 4);
    }
    code_jump(c, entry);
    code_label_here(c, end);
    BYTES(c, 0xcc);
}
