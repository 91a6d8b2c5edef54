/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/probes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/assemble.h"

size_t probe_add(struct probes *p, const char *format, ...)
{
    va_list args;
    char text[4096];

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    vec_push(&p->list, ((struct probe){mem_strdup(text), NAN}));
    return p->list.count - 1;
}

/* The instructions of @text; 0 when there is no such code. */
static size_t decode(enum isa isa, const char *text, struct insn out[PROBE_INSNS])
{
    struct assembled code = {0};
    struct err err = {0};
    size_t n = 0, at = 0;

    bool ok = assemble(isa, "probe", text, strlen(text), SYNTAX_INTEL, false, &code, &err);
    for (; ok && at < code.length; n++) {
        ok = n < PROBE_INSNS && insn_decode(isa, code.code + at, code.length - at, at, false, &out[n], &err);
        at += ok ? out[n].length : 0;
    }
    assembled_done(&code);
    return ok ? n : 0;
}

size_t probe_decode(const struct probes *p, size_t at, struct insn out[PROBE_INSNS])
{
    return decode(p->chart->forms[0].row->isa, p->list.items[at].text, out);
}

bool probes_run(struct probes *p, struct err *err)
{
    size_t n = p->list.count - p->ran;
    struct insn (*insns)[PROBE_INSNS] = mem_zero(n + 1, sizeof *insns);
    struct chart_block *blocks = mem_zero(n + 1, sizeof *blocks);
    size_t *of = mem_alloc((n + 1) * sizeof *of), count = 0;
    double *cycles = mem_alloc((n + 1) * sizeof *cycles);
    const struct chart_hooks *hooks = p->lab->hooks;

    hooks->progress(hooks->state, CHART_FACTS, 0, (double)n, "small loops");
    for (size_t i = 0; i < n; i++) {
        blocks[count] = (struct chart_block){insns[i], probe_decode(p, p->ran + i, insns[i])};
        of[count] = p->ran + i;
        count += blocks[count].count > 0;
    }
    bool ok = p->lab->cpu->times(p->lab->cpu->state, blocks, count, cycles, err);
    for (size_t i = 0; ok && i < count; i++)
        p->list.items[of[i]].cycles = cycles[i];
    p->ran = p->list.count;
    free(insns);
    free(blocks);
    free(of);
    free(cycles);
    return ok && lab_goes_on(p->lab, err);
}

/* Nops join their neighbours where rename fuses them; moves are executed where it does not eliminate them. */
static const char *const fillers[] = {"nop", "mov ecx, edx"};
#define FILLERS (sizeof fillers / sizeof *fillers)
#define FILLED 4             /* cycles of a loop of them, which a jump closes: one that takes whole cycles is as long from any front end */

void probe_repeat(const char *line, unsigned count, struct str *out)
{
    for (unsigned i = 0; i < count; i++)
        str_addf(out, "%s\n", line);
}

bool probes_find_filler(struct probes *p, struct err *err)
{
    const size_t first = p->list.count;
    for (size_t i = 0; i < FILLERS; i++) {
        struct str lines = {0};
        probe_repeat(fillers[i], (unsigned)(FILLED * p->width) - 1, &lines);
        probe_add(p, "1:\n%sjz 1b\n", str_text(&lines));
        str_done(&lines);
    }
    if (!probes_run(p, err))
        return false;
    for (size_t i = 0; !p->filler && i < FILLERS; i++)
        if (fabs(probe_time(p, first + i) - FILLED) <= PROBE_WITHIN * FILLED)
            p->filler = fillers[i];
    return true;
}

void probe_fill(const struct probes *p, unsigned count, struct str *out)
{
    probe_repeat(p->filler ? p->filler : fillers[0], count, out);
}

void probe_tell(struct probes *p, const char *key, const char *value, const char *unit, const char *why)
{
    vec_push(&p->chart->facts, ((struct chart_fact){mem_strdup(key), value ? mem_strdup(value) : NULL, mem_strdup(why)}));
    if (value) {
        char source[160];
        snprintf(source, sizeof source, "charted: %s", why);
        machine_set_fact(p->chart->machine, key, value, unit, source);
    }
}

void probe_tell_cycles(struct probes *p, const char *key, double cycles, const char *why)
{
    char value[32];

    snprintf(value, sizeof value, "%g", fabs(cycles - rint(cycles)) < 0.1 ? rint(cycles) : rint(cycles * 10) / 10);
    probe_tell(p, key, value, "cycles", why);
}

double probe_whole_rate(double count, double cycles)
{
    double rate = count / cycles;
    return rint(rate) >= 1 && fabs(rate - rint(rate)) <= PROBE_WITHIN * rate ? rint(rate) : NAN;
}

void probe_tell_rate(struct probes *p, const char *key, double rate, double cycles, const char *unit, const char *why)
{
    char value[32];

    snprintf(value, sizeof value, "%g", rate);
    probe_tell(p, key, isnan(rate) ? NULL : value, unit, !isnan(rate) ? why : isnan(cycles) ? "no stable time" : "no whole number a cycle");
}

void probes_done(struct probes *p)
{
    for (size_t i = 0; i < p->list.count; i++)
        free(p->list.items[i].text);
    vec_done(&p->list);
}
