/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The predecoder finds the instructions in aligned blocks of bytes. */
#include "simulate/front.h"

void predecode_start(struct front *f, const struct core *c)
{
    f->block_bytes = whole(isnan(c->predecode_bytes) ? c->fetch_bytes : c->predecode_bytes);
    f->predecode_width = whole(c->predecode_width);
    f->instruction_queue = (int32_t)c->instruction_queue;
    f->lcp_penalty = (int32_t)c->lcp_penalty;
    f->at = f->align;
    f->block = f->align - f->align % f->block_bytes;
}

static void next_block(struct front *f)
{
    f->block += f->block_bytes;
    f->crossing_paid = false;
    f->moved = true;
}

/* Simulates one cycle of the predecoder: one block, and a limited number of instructions. If an
 * instruction's opcode is in the first block and its end in the next block, the instruction counts
 * in both (uiCA). */
static void predecode(struct front *f, int64_t room)
{
    const struct plan_insn *insns = f->plan->insns.items;
    int32_t width = f->predecode_width;
    int64_t end = f->block + f->block_bytes;

    while (width > 0 && room > 0) {
        const struct plan_insn *insn = &insns[f->predecoded.index];
        if (f->at + insn->length > end) {
            int64_t opcode = f->at + insn->opcode;
            if (opcode >= f->block && opcode < end && !f->crossing_paid) {
                f->crossing_paid = true;
                width--;
                continue;
            }
            next_block(f);
            return;
        }
        if (insn->lcp && !f->lcp_paid && f->lcp_penalty > 0) {
            f->lcp_paid = true;
            f->stall = f->lcp_penalty - 1;
            return;
        }
        f->lcp_paid = false;
        f->at += insn->length;
        place_next(&f->predecoded, f->plan->insns.count);
        width--;
        room--;
        if (f->shape == SHAPE_LOOP && f->predecoded.index == 0) {
            f->at = f->align;
            f->block = f->align - f->align % f->block_bytes;
            return;
        }
    }
    /* The block is complete when it contains no further instruction. */
    const struct plan_insn *next = &insns[f->predecoded.index];
    if (width == 0 && f->at + next->length > end &&
        (f->at + next->opcode >= end || f->crossing_paid))
        next_block(f);
}

void predecode_cycle(struct front *f)
{
    if (f->stall > 0) {
        f->stall--;
        return;
    }
    int64_t room = f->instruction_queue - (f->predecoded.number - f->decoded);
    if (room <= 0)
        return;
    f->moved = true;
    predecode(f, room);
}
