/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/chain_cycles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "base/mem.h"

#define CHAIN_INSNS 64   /* maximum number of instructions of a link, including auxiliary
                          * instructions */

double chain_cycles(const struct machine *m, const struct form_code *code,
                    const struct chain *chain)
{
    struct body *body = mem_zero(1, sizeof *body);
    struct insn *insns = mem_zero(CHAIN_INSNS, sizeof *insns);
    struct err err = {0};
    size_t count = 0, at = 0;
    double cycles = NAN;

    bool ok = chain_make(code, chain, CHAIN_LINKS, body, &err);
    for (; ok && at < body->length; count++) {
        ok = count < CHAIN_INSNS && insn_decode(code->row->isa, body->code + at, body->length - at,
                                                at, false, &insns[count], &err);
        at += ok ? insns[count].length : 0;
    }
    if (ok && count) {
        struct block_work *work = block_work_new(m);
        struct bounds bounds;
        bounds_of(work, insns, count, &(struct block_options){.shape = SHAPE_CACHED}, false,
                  &bounds);
        cycles = bounds.unknown || bounds.open ? NAN : bounds.total / CHAIN_LINKS - chain->helper;
        block_work_free(work);
    }
    free(insns);
    free(body);
    return cycles;
}

/* Parses "op2", "flags" or "address", an end of a latency rule. Returns false for another word.
 * Stores the end in *@end. */
static bool end_of(const char *name, int *end)
{
    if (strncmp(name, "op", 2) == 0) {
        *end = atoi(name + 2) - 1;
        return *end >= 0 && *end < 9;
    }
    return latency_end_parse(name, end) && *end != LATENCY_ANY;
}

bool chain_ends(const struct chain *chain, int *from, int *to)
{
    bool plain = chain->kind == CHAIN_REGISTER || chain->kind == CHAIN_FIXED ||
                 chain->kind == CHAIN_FLAGS || chain->kind == CHAIN_FROM_FLAGS ||
                 chain->kind == CHAIN_TO_FLAGS || chain->kind == CHAIN_ADDRESS;

    return plain && end_of(chain->from_name, from) && end_of(chain->to_name, to);
}
