/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8_text.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "report/report.h"

#define ITERATIONS_SHOWN 32
#define ITERATIONS_MOST 1000

struct trace_values {
    const char *file, *machine;
    size_t iterations;
};

struct tracing {
    const struct kernel *kernel;   /* counted reference */
    size_t loop, iterations;
    struct machine *machine;       /* counted reference */
    char *file;
};

static void tracing_free(void *state)
{
    struct tracing *w = state;
    kernel_free(w->kernel);
    machine_free(w->machine);
    free(w->file);
    free(w);
}

static bool trace_work(void *state, struct result *result, struct err *err)
{
    const struct tracing *w = state;
    struct simulate_options how = {.timeline = (unsigned)w->iterations, .iterations = 0};
    struct simulation sim;
    struct str raw = {0}, text = {0};
    size_t count;
    const struct insn *insns = kernel_insns(w->kernel, w->loop, &count);

    simulate_kernel(w->kernel, w->loop, w->machine, &how, &sim, NULL);
    bool ok =
        watch_goes_on(err) &&
        (!isnan(sim.cycles) || err_set(err, ERR_DATA,
                                       "check the machine's facts, such as load_latency",
                                       "this loop cannot be simulated on %s", w->machine->id));
    if (ok) {
        report_trace(w->kernel->name, w->machine, &sim, insns, count, &raw);
        utf8_printable(str_text(&raw), raw.length, &text);
        ok = watch_goes_on(err) && command_write(w->file, &text, result, err);
    }
    simulation_done(&sim);
    str_done(&raw);
    str_done(&text);
    return ok;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    static const struct task_ops ops = {"simulates", trace_work, NULL, tracing_free,
                                        .listed = TASK_LISTED_IF_LONG};
    const struct trace_values *v = values;
    const char *ending = strrchr(v->file, '.');

    if (!session_has_kernel(s, err))
        return false;
    if (!ending || strcmp(ending, ".html") != 0)
        return err_set(err, ERR_USAGE, "use kernel trace FILE.html",
                       "the file name must end in .html");
    struct machine *m = session_kernel_machine(s, v->machine, err);
    if (!m)
        return false;
    struct tracing *w = mem_alloc(sizeof *w);
    *w = (struct tracing){kernel_hold(s->document.kernel), s->document.loop, v->iterations,
                          machine_hold(m), mem_strdup(v->file)};
    return task_give(task, &ops, w);
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
    .flags = COMMAND_JOB,
    .prepare = prepare,
};
