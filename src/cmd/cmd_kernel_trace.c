/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8_text.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "report/report.h"

#define ITERATIONS_SHOWN 32
#define ITERATIONS_MOST 1000

struct trace_values {
    const char *file, *machine;
    size_t iterations;
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    const struct trace_values *v = values;
    const struct kernel *k = s->document.kernel;
    const char *ending = strrchr(v->file, '.');
    struct simulate_options how = {.timeline = (unsigned)v->iterations, .iterations = 0};
    struct simulation sim;
    struct str raw = {0}, text = {0};
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    if (!ending || strcmp(ending, ".html") != 0)
        return err_set(err, ERR_USAGE, "use kernel trace FILE.html",
                       "the file name must end in .html");
    const struct machine *m = session_kernel_machine(s, v->machine, err);
    if (!m)
        return false;
    const struct insn *insns = kernel_insns(k, s->document.loop, &count);
    simulate_kernel(k, s->document.loop, m, &how, &sim, NULL);
    bool ok = watch_goes_on(err) &&
              (!isnan(sim.cycles) ||
               err_set(err, ERR_DATA, "check the machine's facts, such as load_latency",
                       "this loop cannot be simulated on %s", m->id));
    if (ok) {
        report_trace(k->name, m, &sim, insns, count, &raw);
        utf8_printable(str_text(&raw), raw.length, &text);
        ok = watch_goes_on(err) && command_write(v->file, &text, result, err);
    }
    simulation_done(&sim);
    str_done(&raw);
    str_done(&text);
    return ok;
}

const struct command command_kernel_trace = {
    .name = "kernel trace",
    .help = "write the simulated loop as a zoomable page",
    .description = "The self-contained HTML file has a row per instruction and iteration, with "
                   "cycles from left to right. Colours show the cause of each wait. The timeline "
                   "view shows the same cycles in the terminal.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct trace_values, file), .required = true,
         .complete = COMPLETE_FILE, .help = "file to write: .html"}),
    .options = PARAMETERS(
        MACHINE_OPTION(trace_values, "the current machine", "machine to simulate"),
        {PARAMETER(COUNT, "--iterations", struct trace_values, iterations), .value = "N",
         .least = 1, .most = ITERATIONS_MOST, .initial = INITIAL(ITERATIONS_SHOWN),
         .help = "number of iterations to show"}),
    .examples = EXAMPLES("kernel trace loop.html",
                         "kernel trace loop.html --machine skylake --iterations 100"),
    .values_size = sizeof(struct trace_values),
    .doing = "simulates",
    .read = run,
};
