/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/watch.h"
#include "simulate/simulate.h"
#include "cmd/command.h"

#define TIMELINE_ITERATIONS 3
#define TIMELINE_COLUMNS 100
#define ITERATIONS_MAX 100000

static void add_timeline(const struct simulation *sim, const struct insn *insns, size_t count,
                         struct result *result)
{
    struct str out = {0};
    const unsigned width = insn_place_width(insns, count);
    char number[PLACE_TEXT];

    str_add(&out, "\n  F fetched, . queued, I renamed, - waits for operands or its port, D "
                  "dispatched, = executes, _ done, R retired\n");
    for (unsigned iteration = 0; iteration < sim->step_iterations; iteration++)
        for (size_t k = 0; k < count && !watch_steps(1); k++) {
            const struct simulated_step *step = &sim->steps[iteration * count + k];
            if (!step->retire)
                continue;
            str_addf(&out, "%3u %*s ", iteration, (int)width, insn_place_text(&insns[k], number));
            for (int32_t cycle = 0; cycle < TIMELINE_COLUMNS && cycle <= step->retire; cycle++)
                str_add_char(&out, stage_glyph(stage_at(step, cycle)));
            str_addf(&out, "  %s\n", insn_shown(&insns[k]));
        }
    result_block(result, str_text(&out));
    str_done(&out);
}

static void add_ports(const struct machine *m, const struct simulation *sim, struct result *result)
{
    const struct ports *ports = mapping_ports(m->mapping);
    struct str text = {0};

    for (unsigned j = 0; j < ports->count; j++)
        str_addf(&text, "  %s %.2f", ports->names[j], sim->busy[j]);
    result_line(result, "  ports%s", str_text(&text));
    str_done(&text);
}

static void add_repeated(const struct insn *repeated, struct result *result)
{
    struct str text = {0};

    advice_repeated(repeated, &text);
    result_line(result, "  %s", str_text(&text));
    str_done(&text);
}

/* Names the buffers that cause stalls and whose sizes are estimates. */
static void add_estimates(const struct machine *m, const struct simulation *sim,
                          struct result *result)
{
    const struct { const char *fact; double stalls; } sizes[] = {
        {"reorder_buffer", sim->stalls[STALL_REORDER]},
        {"scheduler", sim->stalls[STALL_SCHEDULER]},
        {"load_buffer", sim->stalls[STALL_LOADS]},
        {"store_buffer", sim->stalls[STALL_STORES]},
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const char *source = sizes[i].stalls > 0 ? machine_fact_estimate(m, sizes[i].fact) : NULL;
        if (source)
            result_line(result, "  %s %s: %s", sizes[i].fact, machine_fact(m, sizes[i].fact),
                        source);
    }
}

static void add_text(const struct machine *m, const struct simulation *sim,
                     const struct bounds *bounds, const struct insn *insns, size_t count,
                     struct result *result)
{
    const struct insn *repeated = analysis_repeated(insns, count);
    const char *least =
        cycles_words(bounds->unknown || bounds->guessed || repeated, bounds->estimate);

    if (isnan(sim->cycles)) {
        result_line(result, "%s: not simulated: %s", m->title,
                    isnan(machine_number(m, "load_latency"))
                        ? "the machine has no fact load_latency"
                        : "an instruction never executes; check the machine's facts");
        result_line(result, "  bound %.2f (%s)", bounds->total, bound_name(bounds->bottleneck));
        return;
    }
    if (sim->period)
        result_line(result,
                    "%s: %s%.2f cycles per iteration simulated (repeats exactly every %u "
                    "iteration%s: %lld/%u, found at iteration %u)",
                    m->title, least, sim->cycles, sim->period, plural(sim->period),
                    (long long)sim->numerator, sim->period, sim->iterations);
    else if (sim->bounded)
        result_line(result,
                    "%s: %s%.2f cycles per iteration: the bound (%s), which the simulator models "
                    "only in part",
                    m->title, least, sim->cycles, bound_name(bounds->bottleneck));
    else if (sim->replayed)
        result_line(result,
                    "%s: %s%.2f cycles per iteration: the bound of loads with replays, a fitted "
                    "mean that is not simulated",
                    m->title, least, sim->cycles);
    else if (sim->assisted)
        result_line(result, "%s: %s%.2f cycles per iteration: simulated, plus x87 assists",
                    m->title, least, sim->cycles);
    else
        result_line(result,
                    "%s: %s%.2f cycles per iteration simulated, mean over %s%u iteration%s; the "
                    "state did not repeat",
                    m->title, least, sim->cycles, sim->entire ? "" : "the last quarter of ",
                    sim->iterations, plural(sim->iterations));
    result_line(result, "  bound %.2f (%s)", bounds->total, bound_name(bounds->bottleneck));
    if (repeated)
        add_repeated(repeated, result);
    result_line(result,
                "  rename stalls per iteration: front end %.2f; full: reorder buffer %.2f, "
                "scheduler %.2f, load buffer %.2f, store buffer %.2f",
                sim->stalls[STALL_FRONT], sim->stalls[STALL_REORDER], sim->stalls[STALL_SCHEDULER],
                sim->stalls[STALL_LOADS], sim->stalls[STALL_STORES]);
    add_estimates(m, sim, result);
    add_ports(m, sim, result);
    add_timeline(sim, insns, count, result);
}

static json_t *timeline_json(const struct simulation *sim, size_t count)
{
    json_t *steps = json_array();

    for (size_t i = 0; i < sim->step_iterations * count && !watch_steps(1); i++)
        if (sim->steps[i].retire)
            json_array_append_new(
                steps,
                json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "iteration", (int)(i / count),
                          "instruction", (int)(i % count), "fetch", sim->steps[i].fetch, "issue",
                          sim->steps[i].issue, "dispatch", sim->steps[i].dispatch, "done",
                          sim->steps[i].done, "retire", sim->steps[i].retire));
    return steps;
}

/* Adds the simulated steps as rows, for CSV. */
static void add_steps(struct result_table *t, const struct machine *m, const struct simulation *sim,
                      size_t count)
{
    for (size_t i = 0; i < sim->step_iterations * count && !watch_steps(1); i++) {
        const struct simulated_step *step = &sim->steps[i];
        if (!step->retire)
            continue;
        cell_text(t, m->id);
        cell_count(t, (int64_t)(i / count));
        cell_count(t, (int64_t)(i % count));
        cell_count(t, step->fetch);
        cell_count(t, step->issue);
        cell_count(t, step->dispatch);
        cell_count(t, step->done);
        cell_count(t, step->retire);
    }
}

static json_t *simulation_json(const struct machine *m, const struct simulation *sim,
                               const struct bounds *bounds, bool least, size_t count)
{
    const struct ports *ports = mapping_ports(m->mapping);
    json_t *busy = json_object();

    for (unsigned j = 0; j < ports->count; j++)
        json_object_set_new(busy, ports->names[j], json_number(sim->busy[j]));
    return json_pack("{s:o, s:o, s:o, s:o, s:i, s:b, s:b, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o}, "
                     "s:o}",
                     "machine", json_text(m->id), "cycles", json_number(sim->cycles), "period",
                     sim->period ? json_integer(sim->period) : json_null(), "numerator",
                     sim->period ? json_integer((json_int_t)sim->numerator) : json_null(),
                     "iterations", (int)sim->iterations, "lower_bound", (int)least, "estimate",
                     (int)bounds->estimate, "bound", json_number(bounds->total), "ports", busy,
                     "stalls", "frontend", json_number(sim->stalls[STALL_FRONT]), "reorder",
                     json_number(sim->stalls[STALL_REORDER]), "scheduler",
                     json_number(sim->stalls[STALL_SCHEDULER]), "load_buffer",
                     json_number(sim->stalls[STALL_LOADS]), "store_buffer",
                     json_number(sim->stalls[STALL_STORES]), "timeline",
                     timeline_json(sim, count));
}

static void add_row(struct result_table *t, const struct machine *m, const struct simulation *sim,
                    const struct bounds *bounds, bool least)
{
    cell_text(t, m->id);
    cell_number(t, sim->cycles);
    cell_count_if(t, sim->period, sim->period);
    cell_count(t, sim->iterations);
    cell_count_if(t, sim->period, (int64_t)sim->numerator);
    cell_switch(t, least);
    cell_switch(t, bounds->estimate);
    cell_number(t, bounds->total);
}

struct simulate_values {
    struct word_list machines;
    size_t iterations;
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct result_column columns[] = {
        {.key = "machine", .kind = CELL_TEXT},    {.key = "cycles", .kind = CELL_NUMBER},
        {.key = "period", .kind = CELL_COUNT},    {.key = "iterations", .kind = CELL_COUNT},
        {.key = "numerator", .kind = CELL_COUNT}, {.key = "lower_bound", .kind = CELL_SWITCH},
        {.key = "estimate", .kind = CELL_SWITCH}, {.key = "bound", .kind = CELL_NUMBER}};
    static const struct result_column steps[] = {
        {.key = "machine", .kind = CELL_TEXT},      {.key = "iteration", .kind = CELL_COUNT},
        {.key = "instruction", .kind = CELL_COUNT}, {.key = "fetch", .kind = CELL_COUNT},
        {.key = "issue", .kind = CELL_COUNT},       {.key = "dispatch", .kind = CELL_COUNT},
        {.key = "done", .kind = CELL_COUNT},        {.key = "retire", .kind = CELL_COUNT}};
    const struct simulate_values *v = values;
    struct simulate_options how = {.timeline = TIMELINE_ITERATIONS,
                                   .iterations =
                                       v->iterations == NOT_GIVEN ? 0 : (unsigned)v->iterations};
    size_t count;

    if (!session_has_kernel(s, err))
        return false;
    const struct insn *insns = kernel_insns(s->document.kernel, s->document.loop, &count);
    struct result_table *t = RESULT_TABLE(result, "machines", columns);
    t->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    struct result_table *timeline = RESULT_TABLE(result, "timeline", steps);
    timeline->hide = NOT_TEXT | NOT_JSON | NOT_DOCUMENT;
    for (size_t i = 0; i == 0 || i < v->machines.count; i++) {
        struct machine *m =
            session_kernel_machine(s, v->machines.count ? v->machines.items[i] : NULL, err);
        struct simulation sim;
        struct bounds bounds;
        if (!m)
            return false;
        simulate_kernel(s->document.kernel, s->document.loop, m, &how, &sim, &bounds);
        add_text(m, &sim, &bounds, insns, count, result);
        const bool least =
            bounds.unknown || bounds.guessed || analysis_repeated(insns, count);
        add_row(t, m, &sim, &bounds, least);
        add_steps(timeline, m, &sim, count);
        result_item(result, "machines", simulation_json(m, &sim, &bounds, least, count));
        simulation_done(&sim);
    }
    return true;
}

const struct command command_kernel_simulate = {
    .name = "kernel simulate",
    .meant = "cycles pipeline",
    .help = "simulate the loop cycle by cycle until the core's state repeats, with a timeline",
    .description = "When the state of the core repeats, cycles per iteration are exact. The "
                   "timeline shows the first iterations.",
    .options = PARAMETERS(
        MACHINES_OPTION(simulate_values, "the current machine", "machine to simulate"),
        {PARAMETER(COUNT, "--iterations", struct simulate_values, iterations), .value = "N",
         .least = 1, .most = ITERATIONS_MAX, .fallback = "until the core's state repeats",
         .help = "maximum number of iterations"}),
    .examples = EXAMPLES("kernel simulate", "kernel simulate --machine skylake --iterations 200"),
    .values_size = sizeof(struct simulate_values),
    .read = run,
};
