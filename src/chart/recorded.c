/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/cpu.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

struct recorded_source {
    struct source base;
    struct form_codes *codes;
};

static bool recorded_measure(struct source *s, const struct experiment *e, size_t n,
                             struct measured *out, bool (*cancelled)(void *state), void *state,
                             struct err *err)
{
    (void)s;
    (void)e;
    if (cancelled && cancelled(state))
        return err_set(err, ERR_INTERRUPTED, NULL, "cancelled");
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct measured){.cycles = NAN,
                                   .spread = NAN,
                                   .clock_hz = NAN,
                                   .short_cycles = NAN,
                                   .contended_cycles = NAN,
                                   .busy = true};
        snprintf(out[i].state, sizeof out[i].state, "no result in the journal");
    }
    return true;
}

static void recorded_sums(struct source *s, const struct experiment *e, size_t n,
                          char (*out)[FORM_CODES_SUM])
{
    form_codes_sums(((struct recorded_source *)s)->codes, e, n, out);
}

static void recorded_free(struct source *s)
{
    form_codes_free(((struct recorded_source *)s)->codes);
    free(s);
}

struct source *source_recorded(const struct forms *forms)
{
    struct recorded_source *s = mem_zero(1, sizeof *s);

    s->base = (struct source){.instructions = SOURCE_BODY,
                              .orders = 1,
                              .one_pass = true,
                              .measure = recorded_measure,
                              .sums = recorded_sums,
                              .free = recorded_free};
    s->codes = form_codes_new(forms);
    return &s->base;
}

size_t recorded_latencies(void *state, const struct form_code *code, struct latency out[CHAINS_MAX],
                          struct err *err)
{
    struct chain chains[CHAINS_MAX];
    size_t n = chain_list(code, chains);

    (void)state;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        out[i] = (struct latency){.chain = chains[i], .cycles = NAN, .spread = NAN};
        snprintf(out[i].state, sizeof out[i].state, "contended: not measured yet");
    }
    return n;
}

bool recorded_times(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                    struct err *err)
{
    (void)state;
    (void)blocks;
    (void)err;
    for (size_t i = 0; i < n; i++)
        cycles[i] = NAN;
    return true;
}
