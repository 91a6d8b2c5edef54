/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asymmetric decoders: only the first decoder decodes instructions of several µops. */
#include "simulate/front.h"

void decode_start(struct front *f, const struct core *c)
{
    f->decoders = whole(c->decoders);
    f->complex_uops = (int32_t)c->decode_complex_uops;
    f->alone_uops = (uint32_t)whole(c->decode_alone_uops);
    f->microcode_width = core_microcode_width(c);
    f->fusible_last = c->fusible_in_last_decoder;
    f->room = f->complex_uops < f->uop_queue ? f->complex_uops : f->uop_queue;
}

void decode_cycle(struct front *f)
{
    int64_t visible = f->visible - f->decoded;
    uint32_t used = 0, decoders = (uint32_t)f->decoders, most = (uint32_t)f->complex_uops;

    if (f->decode_stall > 0) {
        f->decode_stall--;
        return;
    }
    while (used < decoders && f->queued + f->room <= f->uop_queue) {
        const struct plan_item *item = &f->plan->items.items[f->delivered.index];
        visible -= item->members;
        if (visible < 0 || (item->complex && used))
            break;
        if (used + 1 == decoders && item->fusible && !f->fusible_last)
            break;
        front_deliver(f, item);
        used += item->decode > 1 ? item->decode : !item->joins;
        if (item->decode > most)   /* The microcode ROM delivers an instruction of more µops than
                                    * the decoders can produce. */
            f->decode_stall = (int32_t)((item->decode - 1) / f->microcode_width);
        if (item->branch || item->decode >= f->alone_uops)
            break;
    }
}
