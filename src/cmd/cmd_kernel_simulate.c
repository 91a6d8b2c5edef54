/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "simulate/simulate_kernel.h"
#include "simulate/simulate_stage.h"
#include "cmd/command.h"
#include "cmd/options.h"

#define TIMELINE_ITERATIONS 3
#define TIMELINE_COLUMNS 100
#define ITERATIONS_MAX 100000

static void print_timeline(const struct simulation *sim, const struct insn *insns, size_t count, struct str *out)
{
    char number[LINE_TEXT];

    str_add(out, "\n  F fetched, . queued, I renamed, - waits for operands or its port, D dispatched, = executes, _ done, R retired\n");
    for (unsigned iteration = 0; iteration < sim->step_iterations; iteration++)
        for (size_t k = 0; k < count; k++) {
            const struct simulated_step *step = &sim->steps[iteration * count + k];
            if (!step->retire)
                continue;
            str_addf(out, "%3u %4s ", iteration, insn_line_text(insns[k].line, number));
            for (int32_t cycle = 0; cycle < TIMELINE_COLUMNS && cycle <= step->retire; cycle++)
                str_add_char(out, stage_glyph(stage_at(step, cycle)));
            str_addf(out, "  %s\n", insns[k].text ? insns[k].text + strspn(insns[k].text, " \t") : insns[k].mnemonic);
        }
}

static void print_text(const struct machine *m, const struct simulation *sim, const struct bounds *bounds, const struct insn *insns, size_t count, struct str *out)
{
    const struct ports *ports = mapping_ports(m->mapping);

    if (isnan(sim->cycles)) {
        str_addf(out, "%s: not simulated: %s\n  bounds say %.2f (%s)\n", m->title,
                 isnan(machine_number(m, "load_latency")) ? "the machine has no fact load_latency" : "an instruction waits for ever, which its facts do not allow for", bounds->total,
                 bound_name(bounds->bottleneck));
        return;
    }
    str_addf(out, "%s: %s%.2f cycles per iteration simulated", m->title, bounds->unknown ? "at least " : "", sim->cycles);
    if (sim->period)
        str_addf(out, ", exactly %lld/%u: the state repeats after %u iteration%s, seen at iteration %u\n", (long long)sim->numerator, sim->period, sim->period,
                 sim->period == 1 ? "" : "s", sim->iterations);
    else
        str_addf(out, ", the mean over the last quarter of %u iterations: the state did not repeat\n", sim->iterations);
    str_addf(out, "  bounds say %.2f (%s)\n  rename waits an iteration: for the front end %.2f, for room to reorder %.2f, for room to schedule %.2f\n  ports", bounds->total,
             bound_name(bounds->bottleneck), sim->stalls_front, sim->stalls_rob, sim->stalls_scheduler);
    for (unsigned j = 0; j < ports->count; j++)
        str_addf(out, "  %s %.2f", ports->names[j], sim->busy[j]);
    str_add_char(out, '\n');
    print_timeline(sim, insns, count, out);
}

static json_t *result_json(const struct machine *m, const struct simulation *sim, const struct bounds *bounds, size_t count)
{
    const struct ports *ports = mapping_ports(m->mapping);
    json_t *steps = json_array(), *busy = json_object();

    for (unsigned j = 0; j < ports->count; j++)
        json_object_set_new(busy, ports->names[j], json_real(sim->busy[j]));
    for (size_t i = 0; i < sim->step_iterations * count; i++)
        if (sim->steps[i].retire)
            json_array_append_new(steps, json_pack("{s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "iteration", (int)(i / count), "instruction", (int)(i % count), "fetch",
                                                   sim->steps[i].fetch, "issue", sim->steps[i].issue, "dispatch", sim->steps[i].dispatch, "done", sim->steps[i].done,
                                                   "retire", sim->steps[i].retire));
    return json_pack("{s:s, s:o, s:o, s:o, s:i, s:b, s:f, s:o, s:{s:f, s:f, s:f}, s:o}", "machine", m->id, "cycles",
                     isnan(sim->cycles) ? json_null() : json_real(sim->cycles), "period",
                     sim->period ? json_integer(sim->period) : json_null(), "numerator", sim->period ? json_integer((json_int_t)sim->numerator) : json_null(), "iterations",
                     (int)sim->iterations, "lower_bound", (int)bounds->unknown, "bound", bounds->total, "ports", busy, "stalls", "frontend", sim->stalls_front, "reorder",
                     sim->stalls_rob, "scheduler", sim->stalls_scheduler, "timeline", steps);
}

static void print_row(const struct machine *m, const struct simulation *sim, struct str *out)
{
    str_addf(out, "%s,", m->id);
    if (!isnan(sim->cycles))
        str_addf(out, "%.17g", sim->cycles);
    str_addf(out, ",%u,%u\n", sim->period, sim->iterations);
}

static void one_machine(struct session *s, const struct machine *m, const struct simulate_options *options)
{
    size_t count;
    const struct insn *insns = kernel_insns(s->document.kernel, &count);
    struct bounds bounds;
    struct simulation sim;

    simulate_kernel(s->document.kernel, m, options, &sim, &bounds);
    if (s->settings.format == FORMAT_JSON)
        session_json(s, result_json(m, &sim, &bounds, count));
    else if (s->settings.format == FORMAT_CSV)
        print_row(m, &sim, &s->output);
    else
        print_text(m, &sim, &bounds, insns, count, &s->output);
    simulation_done(&sim);
}

bool cmd_kernel_simulate(struct session *s, int argc, char **argv, struct err *err)
{
    struct simulate_options how = {.timeline = TIMELINE_ITERATIONS};
    struct option_list machines = {0};
    size_t iterations = 0, words;
    const struct legacy_option options[] = {{"--machine", OPTION_LIST, &machines}, {"--iterations", OPTION_COUNT, &iterations}, {NULL, OPTION_FLAG, NULL}};

    if (!options_parse(argc, argv, options, NULL, 0, &words, err))
        return false;
    if (iterations > ITERATIONS_MAX)
        return err_set(err, ERR_USAGE, "give a number up to 100k", "%zu iterations are too many", iterations);
    if (!s->document.kernel)
        return err_set(err, ERR_USAGE, "kernel load FILE, or kernel paste", "no kernel is loaded");
    how.iterations = (unsigned)iterations;
    size_t count = machines.count ? machines.count : 1;
    if (s->settings.format == FORMAT_CSV)
        str_add(&s->output, "machine,cycles,period,iterations\n");
    for (size_t i = 0; i < count; i++) {
        struct machine *m = machines.count ? session_machine(s, machines.items[i], err) : session_current(s, err);
        if (!m || !session_fits(s, m, err))
            return false;
        one_machine(s, m, &how);
    }
    return true;
}
