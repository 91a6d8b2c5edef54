/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/kernel_analyze.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "report/report.h"

struct analysis **kernel_analyze(struct session *s, const struct word_list *machines, size_t *count,
                                 struct err *err)
{
    if (!session_has_kernel(s, err) || (!machines->count && !session_shown_fit(s, err)))
        return NULL;
    size_t requested = machines->count ? machines->count : s->document.selected_count;
    struct analysis **analyses = mem_zero(requested, sizeof *analyses);
    for (*count = 0; *count < requested; ++*count) {
        struct machine *m = session_machine(
            s, machines->count ? machines->items[*count] : s->document.selected[*count], err);
        if (!m || !session_fits(s, m, err)) {
            kernel_analyses_free(analyses, *count);
            return NULL;
        }
        analyses[*count] = analysis_new(s->document.kernel, s->document.loop, m);
    }
    if (!watch_goes_on(err)) {
        kernel_analyses_free(analyses, *count);
        return NULL;
    }
    return analyses;
}

void kernel_analyses_free(struct analysis **analyses, size_t count)
{
    for (size_t i = 0; i < count; i++)
        analysis_free(analyses[i]);
    free(analyses);
}

struct analyze_values {
    struct word_list machines;
    bool all;
    size_t trip;
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct analyze_values *v = values;
    size_t count;

    if (v->all && v->trip != NOT_GIVEN)
        return err_set(err, ERR_USAGE,
                       "use kernel load FILE --loop N, then kernel analyze --trip 64",
                       "--trip applies to one outer loop, not to --all");
    if (v->all)
        return kernel_analyze_all(s, &v->machines, result, err);
    struct analysis **analyses = kernel_analyze(s, &v->machines, &count, err);

    if (!analyses)
        return false;
    session_note_analysed(s, v->machines.count == 1 ? analyses[0]->machine->id : NULL);
    report_add(s->document.kernel, s->document.loop, analyses, count, s->settings.ascii, result);
    bool ok = v->trip == NOT_GIVEN || kernel_trip(s->document.kernel, s->document.loop, v->trip,
                                                  analyses, count, result, err);
    kernel_analyses_free(analyses, count);
    return ok;
}

const struct command command_kernel_analyze = {
    .name = "kernel analyze",
    .meant = "explain bottleneck bound bounds ports pressure",
    .help = "show bounds, bottleneck and port pressure, on one or several machines",
    .description = "Cycles are per iteration of the current loop. The highest bound is the "
                   "bottleneck. The pressure table shows the cycles of each instruction on each "
                   "port. --all omits the pressure tables.",
    .options = PARAMETERS(
        MACHINES_OPTION(analyze_values, "the selected machines",
                        "machine whose model is used; several machines are shown in columns; all: "
                        "all machines (only with --all)"),
        {PARAMETER(FLAG, "--all", struct analyze_values, all),
         .help = "every loop and marked region, as a table of cycles per iteration"},
        {PARAMETER(COUNT, "--trip", struct analyze_values, trip), .value = "N", .least = 1,
         .most = 1e12, .fallback = "one iteration",
         .help = "trip count of the inner loops; reports cycles per iteration of the outer loop"}),
    .examples = EXAMPLES("kernel analyze", "kernel analyze --machine skylake --machine znver4",
                         "kernel analyze --all --machine all", "kernel analyze --trip 64"),
    .values_size = sizeof(struct analyze_values),
    .read = run,
};
