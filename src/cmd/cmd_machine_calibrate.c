/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "chart/memory_lines.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "io/machine_file.h"
#include "isa/cpu.h"
#include "measure/calibrate.h"
#include "measure/kernel_arrays.h"
#include "program/native_kept.h"
#include "work/job.h"

#define CPUS_MAX 65536

/* State of the calibration job. If the calibration fails, machine info still reports other data of
 * the CPU. */
struct calibrating {
    struct session *session;
    int cpu;
    bool info, known;
    struct calibration calibration;
    struct err fault;
};

/* Starts a sandbox and calibrates it. The machine view shows the same calibration. With `info` set,
 * only a cancellation is an error; otherwise each failure is. */
static bool calibrate_run(void *state, struct result *result, struct err *err)
{
    struct calibrating *w = state;
    char name[64];

    job_progress(0, 0, "clock, noise and idle baseline");
    struct sandbox *sandbox = sandbox_new(w->cpu, &w->fault);
    w->known = sandbox && calibrate(sandbox, job_cancelled, NULL, &w->calibration, &w->fault);
    sandbox_free(sandbox);
    if (w->known)
        record_begin(w->session->document.record, cpu_name(name, sizeof name), &w->calibration);
    else if (!w->info || job_cancelled(NULL))
        *err = w->fault;
    return w->known || (w->info && !job_cancelled(NULL));
}

static void calibration_lines(const struct calibration *c, struct result *result)
{
    result_line(result, "clock %.4f GHz, time stamps %.4f GHz, on CPU %d\nmethod: %s",
                c->clock_hz / 1e9, c->tick_hz / 1e9, c->cpu, calibration_method(c));
    if (isnan(c->noise))
        result_line(result, "noise floor: unknown, too few quiet windows");
    else
        result_line(result, "noise floor: 95 %% of repeated measurements within %.3f %%",
                    100 * c->noise);
    result_line(result,
                "contention now: %.0f %% of probes were slowed; idle baseline %.3f nops per cycle, "
                "tolerance %.1f %%",
                100 * c->contention, c->probe_rate, 100 * c->rules.probe_tolerance);
    if (c->doubtful)
        result_line(result, "this CPU has not been idle yet: the baseline is uncertain, and values "
                            "measured now will be measured again on an idle CPU");
    else if (c->busy)
        result_line(result, "this host is busy: %.2f of %.2f nops per cycle (best value on %s)",
                    c->seen_rate, c->probe_rate, c->day);
    result_line(result, "loads of experiments access a window of %u bytes", c->load_window);
    if (isnan(c->second_ratio))
        result_line(result, "clock check by a chain of multiplications: not used, because a "
                            "multiplication does not take a whole number of cycles on this CPU");
    else
        result_line(result, "clock check by a chain of 64-bit multiplications of %.0f cycles each",
                    c->second_ratio);
    if (c->stretch > 1)
        result_line(result,
                    "measurements run %.1f times longer than usual, because the time stamp counter "
                    "has a resolution of %.0f ns",
                    c->stretch, 1e9 / c->tick_hz);
    if (calibration_remark(c))
        result_line(result, "note: %s", calibration_remark(c));
}

static void calibration_fields(const struct calibration *c, struct result *result)
{
    result_number(result, "tick_hz", c->tick_hz);
    result_number(result, "noise", c->noise);
    result_number(result, "contention", c->contention);
    result_number(result, "nops_per_cycle", c->probe_rate);
    result_number(result, "nops_per_cycle_now", c->seen_rate);
    result_switch(result, "busy", c->busy);
    result_switch(result, "baseline_doubtful", c->doubtful);
    result_text(result, "baseline_date", c->day);
    result_number(result, "multiply_latency", c->second_ratio);
    result_count(result, "load_window", c->load_window);
    result_number(result, "probe_tolerance", c->rules.probe_tolerance);
    result_number(result, "overhead_ticks", (double)c->rules.overhead);
    result_count(result, "cpu_number", c->cpu);
    result_text(result, "method", calibration_method(c));
    if (calibration_remark(c))
        result_text(result, "remark", calibration_remark(c));
}

static void show_calibration(const struct calibration *c, struct result *result)
{
    result_number(result, "clock_hz", c->clock_hz);
    calibration_fields(c, result);
    calibration_lines(c, result);
}

static void show_here(const struct here *here, struct result *result)
{
    char why[2048];

    result_text(result, HERE_NAME, here->id);
    if (here->id)
        result_line(result, MACHINE_HERE "%s; --machine " HERE_NAME " is %s", here->title,
                    here->id);
    else
        result_line(result, "%s", err_text(&here->fault, why, sizeof why));
}

static void show_info(const struct session *s, const struct calibrating *w, struct result *result)
{
    const struct calibration *c = &w->calibration;
    char name[64], why[2048];

    const char *isa = isa_name(isa_host());
    cpu_name(name, sizeof name);
    result_text(result, "cpu", name);
    result_text(result, "isa", isa);
    show_here(&s->document.here, result);
    result_number(result, "clock_hz", w->known ? c->clock_hz : NAN);
    result_switch(result, "counters", w->known && c->counters);
    result_switch(result, "virtual", cpu_virtual());
    result_line(result, "%s, %s%s\ncycle counters: %s", name, isa, cpu_virtual() ? ", virtual" : "",
                w->known && c->counters ? "yes" : "not available to this process");
    if (w->known) {
        calibration_fields(c, result);
        calibration_lines(c, result);
    } else {
        result_text(result, "reason", err_text(&w->fault, why, sizeof why));
        result_line(result, "clock: not measured: %s", why);
    }
}

static bool calibrate_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    const struct calibrating *w = state;

    if (w->info)
        show_info(s, w, result);
    else
        show_calibration(&w->calibration, result);
    return true;
}

static bool start(struct session *s, int cpu, bool info, struct task *task)
{
    static const struct task_ops ops = {"calibrates", calibrate_run, calibrate_finish, free,
                                        .listed = TASK_LISTED, .measures = true};
    struct calibrating *w = mem_zero(1, sizeof *w);
    *w = (struct calibrating){.session = s, .cpu = cpu, .info = info};
    return task_give(task, &ops, w);
}

struct calibrating_memory {
    bool huge;
    char *base;              /* machine whose tables this CPU uses; NULL: none */
    struct memory_costs costs;
    struct err refused;      /* reason why facts for programs were not measured; code 0: none */
};

static void memory_free(void *state)
{
    free(((struct calibrating_memory *)state)->base);
    free(state);
}

#define MEMORY_SECONDS 1.5   /* seconds after which disturbed times are accepted */

static bool memory_run(void *state, struct result *result, struct err *err)
{
    struct calibrating_memory *w = state;

    job_progress(0, 0, "cycles per line of each cache level");
    uint64_t available = memory_available();
    if (available && available < MEMORY_LINES_ARENA + MEMORY_LINES_ARENA / 4)
        return err_set(
            err, ERR_LIMIT, "end other programs, or use the machine's facts without calibration",
            "measuring memory needs %llu MiB, but %llu MiB are free",
            (unsigned long long)(MEMORY_LINES_ARENA >> 20), (unsigned long long)(available >> 20));
    if (!memory_lines_measure(MEMORY_SECONDS, w->huge, job_cancelled, NULL, &w->costs, err))
        return false;
    struct err unknown = {0};
    struct machine *here = w->base ? machine_load_shipped(w->base, &unknown) : NULL;
    if (here)
        native_renew(here, &w->refused);
    machine_free(here);
    return true;
}

static void memory_rows(const struct memory_costs *m, struct result *result)
{
    static const char *const titles[MEMORY_COSTS] = {
        "load",      "one array",      "store",        "update",
        "next to a store", "non-temporal", "non-temporal copy", "random order",
        "random stores", "every 2nd", "every 3rd", "every 4th",
        "every 16th", "every 64th", "store to every 8th", "store to every 64th",
        "page",      "hop",            "among 250 uops", "among 70"};
    struct result_column columns[MEMORY_COSTS + 1] = {
        {.key = "kib", .title = "KiB", .kind = CELL_COUNT}};

    for (size_t i = 0; i < MEMORY_COSTS; i++)
        columns[i + 1] = (struct result_column){.key = memory_cost_name((enum memory_cost)i),
                                                .title = titles[i], .kind = CELL_NUMBER,
                                                .decimals = 2};
    struct result_table *t = result_table(result, "lines", columns, MEMORY_COSTS + 1);
    for (size_t k = 0; k < m->count; k++) {
        cell_count(t, (int64_t)(m->bytes[k] / 1024));
        for (size_t i = 0; i < MEMORY_COSTS; i++)
            cell_number(t, m->cycles[i][k]);
    }
}

static bool memory_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct calibrating_memory *w = state;
    struct memory_costs *m = &w->costs;
    struct str spreads = {0};
    char why[512];

    memory_lines_remember(m);
    result_line(result,
                "cycles per line by array size, at %.2f GHz (hop: per load that depends on the "
                "previous load)",
                m->clock_hz / 1e9);
    memory_rows(m, result);
    if (m->third > 0)
        result_line(
            result,
            "caches: first level %.0f KiB, second level %.0f KiB, available part of the third "
            "level about %.0f MiB",
            m->first / 1024, m->second / 1024, m->third / 1048576);
    else
        result_line(result,
                    "caches: first level %.0f KiB, second level %.0f KiB, size of the third level "
                    "not determined up to %.0f MiB",
                    m->first / 1024, m->second / 1024, m->bytes[m->count - 1] / 1048576);
    str_addf(&spreads, "spread:");
    for (enum memory_cost cost = 0; cost < MEMORY_COSTS; cost++)
        str_addf(&spreads, "%s %s %.0f %%", cost ? "," : "", memory_cost_name(cost),
                 100 * m->spread[cost]);
    result_line(result, "%s", str_text(&spreads));
    str_done(&spreads);
    if (w->huge && m->huge < 0.9)
        result_line(result, "only %.0f %% of the memory was on pages of 2 MiB", 100 * m->huge);
    if (w->refused.code)
        result_line(result, "facts for `program predict` were not measured: %s",
                    err_text(&w->refused, why, sizeof why));
    result_line(result, "saved with today's date (%s) for `kernel memory`%s", m->day,
                w->refused.code ? "" : " and `program predict`");
    result_number(result, "clock_hz", m->clock_hz);
    result_number(result, "l1_bytes", m->first);
    result_number(result, "l2_bytes", m->second);
    result_number(result, "l3_bytes", m->third > 0 ? m->third : NAN);
    result_number(result, "large_pages", m->huge);
    result_text(result, "date", m->day);
    return true;
}

static bool start_memory(struct session *s, struct task *task)
{
    static const struct task_ops ops = {"measures memory", memory_run, memory_finish, memory_free,
                                        .title = "machine calibrate --memory",
                                        .listed = TASK_LISTED, .measures = true};
    struct calibrating_memory *w = mem_zero(1, sizeof *w);

    w->huge = true;
    w->base = mem_strdup(s->document.here.base);
    return task_give(task, &ops, w);
}

struct calibrate_values {
    size_t cpu;
    bool memory;
};

bool command_cpu(size_t number, int *out, struct err *err)
{
    *out = -1;
    if (number == NOT_GIVEN)
        return true;
    size_t size = CPU_ALLOC_SIZE(CPUS_MAX);
    cpu_set_t *set = mem_zero(1, size);
    bool ok =
        sched_getaffinity(0, size, set) == 0 && number < CPUS_MAX && CPU_ISSET_S(number, size, set);
    free(set);
    *out = (int)number;
    return ok || err_set(err, ERR_USAGE, "omit --cpu, or use a CPU on which this process may run",
                         "CPU %zu is not available", number);
}

static bool prepare_calibrate(struct session *s, const void *values, struct task *task,
                              struct err *err)
{
    const struct calibrate_values *v = values;
    int cpu;

    if (v->memory && v->cpu != NOT_GIVEN)
        return err_set(err, ERR_USAGE, "use machine calibrate --memory",
                       "--cpu does not apply to --memory");
    if (v->memory)
        return start_memory(s, task);
    return command_cpu(v->cpu, &cpu, err) && start(s, cpu, false, task);
}

const struct command command_machine_calibrate = {
    .name = "machine calibrate",
    .help = "measure the clock, noise and idle baseline of this CPU",
    .options = PARAMETERS(
        {PARAMETER(COUNT, "--cpu", struct calibrate_values, cpu), .value = "N",
         .fallback = "an idle CPU", .help = "CPU to measure on; numbers start at 0"},
        {PARAMETER(FLAG, "--memory", struct calibrate_values, memory),
         .help = "measure only the costs of cache lines from each cache and from memory, and save "
                 "them"}),
    .examples = EXAMPLES("machine calibrate", "machine calibrate --cpu 2",
                         "machine calibrate --memory"),
    .values_size = sizeof(struct calibrate_values),
    .flags = COMMAND_CHANGES | COMMAND_JOB,
    .prepare = prepare_calibrate,
};

static bool prepare_info(struct session *s, const void *values, struct task *task, struct err *err)
{
    return start(s, -1, true, task);
}

const struct command command_machine_info = {
    .name = "machine info",
    .help = "show this CPU and its methods of measurement",
    .examples = EXAMPLES("machine info"),
    .flags = COMMAND_JOB,
    .prepare = prepare_info,
};
