/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/functions.h"
#include "analysis/kernel_object.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/watch.h"
#include "toolchain/object.h"
#include "toolchain/perf_tool.h"

#define OUTPUT_MOST ((size_t)32 << 20)

/* Parses a line of perf report, such as " 61.55% [.] daxpy - -". Returns the symbol, which the
 * caller frees; NULL if the line has no symbol of the program. */
static char *reported_symbol(const char *line, size_t length)
{
    char *end, *text = mem_strndup(line, length), *symbol = NULL;
    double percent = strtod(text, &end);
    const char *mark = end > text && *end == '%' && percent > 0 ? strstr(end, "[.] ") : NULL;

    if (mark) {   /* Searches for two blanks, which separate columns; C++ names contain single
                   * blanks. */
        const char *name = mark + 4, *stop = strstr(name, "  ");
        size_t span = stop ? (size_t)(stop - name) : strlen(name);
        while (span && (name[span - 1] == ' ' || name[span - 1] == '\r'))
            span--;
        symbol = span ? mem_strndup(name, span) : NULL;
    }
    free(text);
    return symbol;
}

/* Returns the first symbol of the report that is not an address, because perf cannot annotate
 * addresses. NULL: none. The caller frees the result. */
static char *hottest_symbol(const char *report)
{
    for (const char *line = report, *next; *line; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] == '\n');
        char *symbol = reported_symbol(line, length);
        if (symbol && !str_has_prefix(symbol, "0x"))
            return symbol;
        free(symbol);
    }
    return NULL;
}

struct sampled_loop {
    struct kernel_loop loop;
    double percent;
    size_t place;
};

static int heavier_first(const void *a, const void *b)
{
    const struct sampled_loop *x = a, *y = b;

    if (x->percent != y->percent)
        return x->percent < y->percent ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Returns whether an inner loop of @loop contains instruction @at. */
static bool is_inner(const struct kernel *k, const struct kernel_loop *loop, size_t at)
{
    for (size_t i = 0; i < k->loop_count; i++) {
        const struct kernel_loop *other = &k->loops[i];
        if (other->depth > loop->depth && other->first >= loop->first &&
            other->first + other->count <= loop->first + loop->count && at >= other->first &&
            at < other->first + other->count)
            return true;
    }
    return false;
}

static void rank(struct kernel *k)
{
    struct sampled_loop *loops = mem_zero(k->loop_count + 1, sizeof *loops);

    for (size_t i = 0; i < k->loop_count; i++) {
        const struct kernel_loop *loop = &k->loops[i];
        loops[i] = (struct sampled_loop){*loop, 0, i};
        for (size_t at = loop->first; loop->depth && at < loop->first + loop->count; at++) {
            const double percent = kernel_percent(k, &k->insns[at]);
            loops[i].percent += isnan(percent) || is_inner(k, loop, at) ? 0 : percent;
        }
    }
    qsort(loops, k->loop_count, sizeof *loops, heavier_first);
    for (size_t i = 0; i < k->loop_count; i++)
        k->loops[i] = loops[i].loop;
    free(loops);
}

/* Runs perf annotate for function @symbol. Returns a kernel of the printed text, with its
 * percentages. Returns NULL with err on failure. */
static struct kernel *annotated(const char *path, const char *profile, const char *symbol,
                                const struct kernel_options *options, struct err *err)
{
    char *recorded = path_argument(profile);
    const char *const argv[] = {"perf", "annotate", "--stdio", "--stdio-color=never",
                                "-i",   recorded,   "-d",      path_base(path),
                                "-s",   symbol,     NULL};
    struct kernel_options rest = *options;
    struct str listing = {0};
    struct kernel *k = NULL;
    bool ok = perf_tool_ask(argv, OUTPUT_MOST, &listing, err);

    rest.symbol = NULL;
    /* perf prints no error for an unknown symbol, only a short output. */
    if (ok && listing.length < 40)
        ok = err_set(err, ERR_DATA, "perf report shows the functions with samples",
                     "no samples of %s in this profile", symbol);
    if (ok)
        k = kernel_from_text(path, str_text(&listing), listing.length, &rest, err);
    else
        perf_tool_failed(err, profile);
    str_done(&listing);
    free(recorded);
    return k;
}

/* Returns the address of the function with the most @samples, in the form that --symbol accepts.
 * The caller frees it. Returns NULL with err on failure. */
static char *hottest_address(const char *path, const struct perf_samples *samples, struct err *err)
{
    struct str address = {0};
    struct object o;
    size_t most = 0;

    const bool ok = object_read(path, OBJECT_FUNCTIONS, &o, err);
    for (size_t i = 0; ok && i < o.symbols.count && !watch_steps(20); i++) {
        const struct object_symbol *s = &o.symbols.items[i];
        const size_t count =
            s->function ? perf_samples_within(samples, object_file_offset(&o, s->offset), s->size)
                        : 0;
        if (count <= most)
            continue;
        most = count;
        str_clear(&address);
        str_addf(&address, "0x%llx", (unsigned long long)object_address(&o, s->offset));
    }
    if (ok && !most)
        err_set(err, ERR_DATA,
                "give a function with --symbol; kernel functions FILE lists the functions",
                "no function of this program has samples");
    object_done(&o);
    return most ? str_take(&address) : NULL;
}

/* Sets the share of samples of each instruction of @k, whose code is in the file @path. Returns
 * false with err. */
static bool add_percents(struct kernel *k, const char *path, const struct perf_samples *samples,
                         struct err *err)
{
    float *percents = mem_try_alloc((k->insn_count + 1) * sizeof *percents);
    struct object o;
    bool ok = percents ? object_read(path, 0, &o, err)
                       : err_memory_for(err, "number of samples per instruction",
                                        k->insn_count * sizeof *percents);

    for (size_t i = 0; ok && i < k->insn_count && !watch_steps(20); i++)
        percents[i] =
            (float)(100. *
                    (double)perf_samples_within(
                        samples,
                        object_file_offset(&o, object_position_place(&o, k->insns[i].offset)),
                        k->insns[i].length) /
                    (double)samples->places.count);
    if (percents)
        object_done(&o);
    if (ok)
        kernel_set_percents(k, percents);
    else
        free(percents);
    return ok;
}

/* Makes a kernel of a function without a name, which perf cannot annotate. Decodes the code and
 * assigns the samples to instructions. @symbol: the function's address; NULL: the function with the
 * most samples. */
static struct kernel *by_address(const char *path, const char *profile, const char *symbol,
                                 const struct kernel_options *options, struct err *err)
{
    struct kernel_options rest = *options;
    struct perf_samples samples = {0};
    struct kernel *k = NULL;
    char *address = NULL;

    if (perf_samples_read(profile, path, &samples, err)) {
        address = symbol ? mem_strdup(symbol) : hottest_address(path, &samples, err);
        rest.symbol = address;
        k = address ? kernel_from_object(path, &rest, err) : NULL;
    }
    if (k && !add_percents(k, path, &samples, err)) {
        kernel_free(k);
        k = NULL;
    }
    perf_samples_done(&samples);
    free(address);
    return k;
}

struct kernel *kernel_from_profile(const char *path, const char *profile,
                                   const struct kernel_options *options, struct err *err)
{
    char *recorded = path_argument(profile);
    const char *const argv[] = {"perf",   "report", "--stdio",       "--stdio-color=never", "-i",
                                recorded, "-d",     path_base(path), "--sort=symbol",       NULL};
    const bool placed = options->symbol && str_has_prefix(options->symbol, "0x");
    struct str report = {0};
    struct kernel *k = NULL;
    char *symbol = options->symbol ? mem_strdup(options->symbol) : NULL;

    if (symbol || perf_tool_ask(argv, OUTPUT_MOST, &report, err)) {
        symbol = symbol ? symbol : hottest_symbol(str_text(&report));
        k = symbol && !placed ? annotated(path, profile, symbol, options, err)
                              : by_address(path, profile, symbol, options, err);
    } else {
        perf_tool_failed(err, profile);
    }
    if (k && !placed)
        rank(k);
    if (!watch_goes_on(err)) {
        kernel_free(k);
        k = NULL;
    }
    free(symbol);
    free(recorded);
    str_done(&report);
    return k;
}
