/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/latency.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define LINKS 48
#define TIMES 3   /* number of runs of each chain; the fastest run is used */

size_t latency_measure(struct sandbox *s, const struct calibration *c, const struct form_code *code,
                       struct latency out[CHAINS_MAX], struct err *err)
{
    struct chain chains[CHAINS_MAX];
    struct body *body = mem_alloc(sizeof *body);
    size_t n = chain_list(code, chains);
    unsigned items = 0;
    size_t of_item[CHAINS_MAX * TIMES];

    sandbox_clear(s);
    for (size_t i = 0; i < n; i++) {
        struct err fault = {0};
        uint32_t offset;
        out[i] = (struct latency){.chain = chains[i], .cycles = NAN, .spread = NAN};
        if (!chain_make(code, &chains[i], LINKS, body, &fault) ||
            !sandbox_add(s, body->code, body->length, 1, COUNTER_BODY, &offset)) {
            snprintf(out[i].state, sizeof out[i].state, "%.90s",
                     fault.what[0] ? fault.what : "the code is too long");
            continue;
        }
        for (unsigned k = 0; k < TIMES; k++) {
            of_item[items] = i;
            sandbox_items(s)[items++] = (struct sandbox_item){.code = PULSE_ITEM,
                                                              .offset = offset,
                                                              .foreign = code->row->added,
                                                              .vectors = sandbox_setup(body)};
        }
    }
    free(body);
    if (items && !sandbox_run(s, items, &c->rules, NULL, NULL, err))
        return SIZE_MAX;
    for (unsigned i = 0; i < items; i++) {
        const struct sandbox_item *item = &sandbox_items(s)[i];
        struct latency *l = &out[of_item[i]];
        double cycles =
            (item->counter_cycles > 0 ? item->counter_cycles : item->result.cycles) / LINKS -
            l->chain.helper;
        if (item->fault)
            snprintf(l->state, sizeof l->state, "%s", sandbox_fault_text(item->fault));
        else if (item->result.state != WINDOW_SETTLED || !(item->result.cycles > 0))
            snprintf(l->state, sizeof l->state, "core is contended");
        else if (!(l->cycles <= cycles)) {
            l->cycles = cycles;
            l->spread = item->result.spread;
        }
        if (l->cycles > -1)
            snprintf(l->state, sizeof l->state, "ok");
    }
    return n;
}
