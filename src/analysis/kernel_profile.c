/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/kernel_profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/watch.h"

#define SECONDS 120
#define OUTPUT_MOST ((size_t)32 << 20)

/* Runs perf; *@out gets what it printed. */
static bool ask_perf(const char *const *argv, struct str *out, struct err *err)
{
    static const struct child_limits limits = {.cpu_seconds = SECONDS, .memory = (size_t)8 << 30, .file_size = 1 << 20, .wall_seconds = SECONDS, .output = OUTPUT_MOST};
    struct child_result result = {0};
    struct err fault = {0};
    bool ok = child_run(argv, ".", NULL, 0, &limits, &result, &fault);
    const char *said = str_text(&result.output) + strspn(str_text(&result.output), " \t\r\n");

    if (!ok && fault.code == ERR_MISSING)
        err_set(err, ERR_MISSING, "install perf (Debian: linux-perf), or paste what perf annotate printed", "perf is not installed, and --profile asks it");
    else if (!ok && err)
        *err = fault;
    else if (ok && (result.timed_out || result.cut))
        ok = err_set(err, ERR_LIMIT, "name a function with --symbol", result.cut ? "perf %s printed more than %zu MB" : "perf %s took longer than its time", argv[1], OUTPUT_MOST >> 20);
    else if (ok && !(WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0))
        ok = err_set(err, ERR_DATA, NULL, "perf %s failed: %.*s", argv[1], (int)strcspn(said, "\r\n"), said);
    if (ok)
        str_add(out, str_text(&result.output));
    child_result_done(&result);
    return ok;
}

/* A line of perf report: "    61.55%  [.] daxpy   -      -". Its symbol, to be freed; NULL: it is none of the program's own. */
static char *reported_symbol(const char *line, size_t length)
{
    char *end, *text = mem_strndup(line, length), *symbol = NULL;
    double percent = strtod(text, &end);
    const char *mark = end > text && *end == '%' && percent > 0 ? strstr(end, "[.] ") : NULL;

    if (mark) {   /* C++ names hold blanks: they end before columns, which stand apart */
        const char *name = mark + 4, *stop = strstr(name, "  ");
        size_t span = stop ? (size_t)(stop - name) : strlen(name);
        while (span && (name[span - 1] == ' ' || name[span - 1] == '\r'))
            span--;
        symbol = span ? mem_strndup(name, span) : NULL;
    }
    free(text);
    return symbol;
}

/* The first that is not an address alone: perf annotates functions by name. */
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

/* Loops with most samples first. One around others counts as what is its own: theirs would make it the first always. */
static void rank(struct kernel *k)
{
    struct sampled_loop *loops = mem_zero(k->loop_count + 1, sizeof *loops);

    for (size_t i = 0; i < k->loop_count; i++) {
        const struct kernel_loop *loop = &k->loops[i];
        bool around = false;
        loops[i] = (struct sampled_loop){*loop, 0, i};
        for (size_t other = 0; other < k->loop_count && !around; other++)
            around = other != i && k->loops[other].depth > loop->depth && k->loops[other].first >= loop->first && k->loops[other].first + k->loops[other].count <= loop->first + loop->count;
        for (size_t at = loop->first; !around && loop->depth && at < loop->first + loop->count; at++) {
            double percent = kernel_percent(k, &k->insns[at]);
            loops[i].percent += isnan(percent) ? 0 : percent;
        }
    }
    qsort(loops, k->loop_count, sizeof *loops, heavier_first);
    for (size_t i = 0; i < k->loop_count; i++)
        k->loops[i] = loops[i].loop;
    free(loops);
}

struct kernel *kernel_from_profile(const char *path, const char *profile, const struct kernel_options *options, struct err *err)
{
    const char *program = path_base(path);
    struct kernel_options rest = *options;
    struct str report = {0}, listing = {0};
    struct kernel *k = NULL;
    char *symbol = options->symbol ? mem_strdup(options->symbol) : NULL;
    bool ok = true;

    if (!symbol) {
        const char *const argv[] = {"perf", "report", "--stdio", "--stdio-color=never", "-i", profile, "-d", program, "--sort=symbol", NULL};
        ok = ask_perf(argv, &report, err);
        if (ok && !(symbol = hottest_symbol(str_text(&report))))
            ok = err_set(err, ERR_DATA, "record it while this program runs; perf report shows what it recorded", "no samples in functions of %s in this profile", program);
    }
    if (ok) {
        const char *const argv[] = {"perf", "annotate", "--stdio", "--stdio-color=never", "-i", profile, "-d", program, "-s", symbol, NULL};
        ok = ask_perf(argv, &listing, err);
    }
    if (ok && listing.length < 40)   /* it says nothing about what it does not know */
        ok = err_set(err, ERR_DATA, "perf report shows the functions that have some", "no samples of %s in this profile", symbol);
    rest.symbol = NULL;
    if (ok)
        k = kernel_from_text(path, str_text(&listing), listing.length, &rest, err);
    else
        err_at(err, profile, 0, 0);
    if (k)
        rank(k);
    if (!watch_goes_on(err)) {
        kernel_free(k);
        k = NULL;
    }
    free(symbol);
    str_done(&report);
    str_done(&listing);
    return k;
}
