/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/probes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/names.h"
#include "toolchain/assemble.h"

/* maximum number of bytes of text per run of the assembler */
#define TOGETHER_MOST ((size_t)1 << 20)

size_t probe_add(struct probes *p, const char *format, ...)
{
    va_list args;
    struct str text = {0};

    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    vec_push(&p->list, ((struct probe){.text = mem_strdup(str_text(&text)), .cycles = NAN}));
    str_done(&text);
    return p->list.count - 1;
}

size_t probe_add_decoded(struct probes *p, const char *text)
{
    vec_push(&p->list, ((struct probe){mem_strdup(text), KERNEL_DECODED, NAN}));
    return p->list.count - 1;
}

/* Cache of assembled probes by their text, for the whole process. All CPUs need the same loops, so
 * the cache saves runs of the assembler. */
static struct {
    struct names texts;
    VEC(struct probe_code { struct insn *insns; size_t count; }) codes;
    pthread_mutex_t lock;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Decodes the instructions of @code. If that fails, returns no instructions. */
static struct probe_code decode_probe(enum isa isa, const uint8_t *code, size_t length)
{
    struct err err = {0};
    VEC(struct insn) insns = {0};
    size_t place = 0;
    bool ok = true;

    while (ok && place < length) {
        struct insn insn;
        ok = insn_decode(isa, code + place, length - place, place, false, &insn, &err);
        if (ok)
            vec_push(&insns, insn);
        place += ok ? insn.length : 0;
    }
    return (struct probe_code){insns.items, ok ? insns.count : 0};
}

static struct probe_code assemble_probe(enum isa isa, const char *text)
{
    struct assembled code = {0};
    struct err err = {0};
    const bool ok = assemble(isa, "probe", text, strlen(text), SYNTAX_INTEL, false, &code, &err);
    const struct probe_code out = decode_probe(isa, code.code, ok ? code.length : 0);

    assembled_done(&code);
    return out;
}

/* Returns the entry of @text in the cache, which is empty until the text is assembled. The caller
 * must hold the lock. */
static struct probe_code *known_code(enum isa isa, const char *text)
{
    struct str key = {0};

    str_addf(&key, "%d %s", (int)isa, text);
    const uint32_t of = names_add(&known.texts, str_text(&key));
    str_done(&key);
    if (of == known.codes.count)
        vec_push(&known.codes, ((struct probe_code){NULL, 0}));
    return &known.codes.items[of];
}

/* label that precedes the lines of each probe */
#define LABEL "portolan_probe_"

/* Returns the index of the first probe label at or after index @i. */
static size_t next_label(const struct assembled *all, size_t i)
{
    while (i < all->label_count && strncmp(all->labels[i].name, LABEL, sizeof LABEL - 1) != 0)
        i++;
    return i;
}

/* Stores the code of each probe in the cache. Labels separate the probes. A probe with the same
 * address as the previous one is ambiguous and not stored. The caller must hold the lock. */
static void take_codes(const struct probes *p, enum isa isa, const struct assembled *all)
{
    uint64_t before = UINT64_MAX;

    for (size_t i = next_label(all, 0), next; i < all->label_count; i = next) {
        const uint64_t from = all->labels[i].offset;
        next = next_label(all, i + 1);
        const uint64_t end = next < all->label_count ? all->labels[next].offset : all->length;
        if (from != before && from != end) {
            struct probe_code *code = known_code(
                isa, p->list.items[strtoul(all->labels[i].name + sizeof LABEL - 1, NULL, 10)].text);
            free(code->insns);
            *code = decode_probe(isa, all->code + from, end - from);
        }
        before = from;
    }
}

/* Assembles all probes from index @first that are not in the cache. Uses one run of the assembler,
 * to start it only once. If that fails, probe_decode assembles each probe separately. */
static void assemble_all(const struct probes *p, size_t first)
{
    const enum isa isa = p->chart->forms[0].row->isa;
    struct names asked = {0};
    struct str text = {0};
    struct assembled all = {0};
    struct err err = {0};

    lock_take(&known.lock);
    for (size_t i = first; i < p->list.count; i++) {
        const char *lines = p->list.items[i].text;
        /* A probe that contains such a label is assembled separately. */
        if (known_code(isa, lines)->count || names_find(&asked, lines) != UINT32_MAX ||
            strstr(lines, LABEL) || text.length + strlen(lines) > TOGETHER_MOST)
            continue;
        names_add(&asked, lines);
        str_addf(&text, LABEL "%zu:\n%s\n", i, lines);
    }
    if (asked.count > 1 &&
        assemble(isa, "probes", str_text(&text), text.length, SYNTAX_INTEL, false, &all, &err))
        take_codes(p, isa, &all);
    lock_give(&known.lock);
    assembled_done(&all);
    str_done(&text);
    names_done(&asked);
}

size_t probe_decode(const struct probes *p, size_t at, const struct insn **out)
{
    const enum isa isa = p->chart->forms[0].row->isa;
    const char *text = p->list.items[at].text;

    lock_take(&known.lock);
    struct probe_code *code = known_code(isa, text);
    /* The probe is not assembled yet, or was rejected. A second attempt may succeed, for example if
     * the disk was full. */
    if (!code->count) {
        free(code->insns);
        *code = assemble_probe(isa, text);
    }
    const size_t count = code->count;
    *out = count ? code->insns : NULL;
    lock_give(&known.lock);
    return count;
}

bool probes_run(struct probes *p, struct err *err)
{
    size_t n = p->list.count - p->ran;
    struct chart_block *blocks = mem_zero(n + 1, sizeof *blocks);
    size_t *of = mem_alloc((n + 1) * sizeof *of), count = 0;
    double *cycles = mem_alloc((n + 1) * sizeof *cycles);
    const struct chart_hooks *hooks = p->lab->hooks;

    hooks->progress(hooks->state, CHART_FACTS, 0, (double)n, "small loops");
    assemble_all(p, p->ran);
    for (size_t i = 0; i < n; i++) {
        struct chart_block *block = &blocks[count];
        block->count = probe_decode(p, p->ran + i, &block->insns);
        block->copies = p->list.items[p->ran + i].copies;
        of[count] = p->ran + i;
        count += block->count > 0;
    }
    bool ok = p->lab->cpu->times(p->lab->cpu->state, blocks, count, cycles, err);
    for (size_t i = 0; ok && i < count; i++)
        p->list.items[of[i]].cycles = cycles[i];
    p->ran = p->list.count;
    free(blocks);
    free(of);
    free(cycles);
    return ok && lab_goes_on(p->lab, err);
}

/* Instructions that may take only an issue slot. Several are tried, because nops may fuse with
 * their neighbours at rename, and a CPU may execute moves instead of eliminating them. The last one
 * has six bytes, because short instructions are slow on some CPUs. */
static const char *const fillers[] = {"nop", "mov ecx, edx", ".byte 0x66, 0x0f, 0x1f, 0x44, 0, 0"};
#define SHORT_FILLERS 2
#define FILLERS (sizeof fillers / sizeof *fillers)
/* cycles of a loop with a jump; an integer for any front end */
#define FILLED 4

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
    for (size_t i = p->dense_is_slow ? SHORT_FILLERS : 0;
         !p->filler && i < (p->dense_is_slow ? FILLERS : SHORT_FILLERS); i++)
        if (fabs(probe_time(p, first + i) - FILLED) <= PROBE_WITHIN * FILLED)
            p->filler = fillers[i];
    return true;
}

const char *probe_filler(const struct probes *p)
{
    return p->filler ? p->filler : fillers[0];
}

void probe_tell(struct probes *p, const char *key, const char *value, const char *unit,
                const char *why)
{
    vec_push(
        &p->chart->facts,
        ((struct chart_fact){mem_strdup(key), value ? mem_strdup(value) : NULL, mem_strdup(why)}));
    if (value) {
        char source[160];
        snprintf(source, sizeof source, "charted: %s", why);
        machine_set_fact(p->chart->machine, key, value, unit, source);
    }
}

void probes_done(struct probes *p)
{
    for (size_t i = 0; i < p->list.count; i++)
        free(p->list.items[i].text);
    vec_done(&p->list);
}
