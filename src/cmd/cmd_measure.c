/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "isa/cpu.h"
#include "measure/calibrate.h"
#include "work/job.h"

/* Calibration as a job; info: what is known of the CPU besides, also when it cannot be calibrated. */
struct calibrating {
    struct session *session;
    struct job *job;
    int cpu;
    bool info, known;
    struct calibration calibration;
    struct err fault;
};

static bool cancelled(void *state)
{
    return job_cancelled(((struct calibrating *)state)->job);
}

/* Starts a sandbox and calibrates; the machine view shows it from now on. */
static bool calibrate_run(struct job *job, void *state, struct err *err)
{
    struct calibrating *w = state;
    char name[64];

    w->job = job;
    job_progress(job, 0, 0, "clock, noise and quiet");
    struct sandbox *sandbox = sandbox_new(w->cpu, &w->fault);
    w->known = sandbox && calibrate(sandbox, cancelled, w, &w->calibration, &w->fault);
    sandbox_free(sandbox);
    if (w->known)
        record_begin(w->session->record, cpu_name(name, sizeof name), &w->calibration);
    else if (!w->info || job_cancelled(job))
        *err = w->fault;
    return w->known || (w->info && !job_cancelled(job));
}

static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *calibration_json(const struct calibration *c)
{
    json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:f, s:f, s:i, s:s}", "clock_hz", number_or_null(c->clock_hz), "tick_hz", number_or_null(c->tick_hz), "noise",
                     number_or_null(c->noise), "contention", number_or_null(c->contention), "nops_per_cycle", number_or_null(c->probe_rate), "multiply_latency",
                     number_or_null(c->second_ratio), "load_window", (int)c->load_window, "probe_tolerance", c->rules.probe_tolerance, "overhead_ticks", c->rules.overhead, "cpu_number", c->cpu, "method",
                     calibration_method(c));
    if (calibration_remark(c))
        json_object_set_new(object, "remark", json_string(calibration_remark(c)));
    return object;
}

static void calibration_text(struct session *s, const struct calibration *c)
{
    str_addf(&s->output, "clock %.4f GHz, time stamps %.4f GHz, on processor %d\nmethod: %s\n", c->clock_hz / 1e9, c->tick_hz / 1e9, c->cpu, calibration_method(c));
    if (isnan(c->noise))
        str_add(&s->output, "noise floor: not known, too little was quiet\n");
    else
        str_addf(&s->output, "noise floor: 95 %% of repeated measurements within %.3f %%\n", 100 * c->noise);
    str_addf(&s->output, "contention now: %.0f %% of probes slowed; quiet is %.3f nops a cycle, tolerance %.1f %%\n", 100 * c->contention, c->probe_rate,
             100 * c->rules.probe_tolerance);
    str_addf(&s->output, "loads step through %u bytes\n", c->load_window);
    if (isnan(c->second_ratio))
        str_add(&s->output, "second chain: a dependent multiplication takes no whole number of cycles here, not used\n");
    else
        str_addf(&s->output, "second chain: a dependent 64-bit multiplication takes %.0f cycles\n", c->second_ratio);
    if (c->stretch > 1)
        str_addf(&s->output, "runs are %.1f times as long as usual, since time stamps are %.0f ns apart\n", c->stretch, 1e9 / c->tick_hz);
    if (calibration_remark(c))
        str_addf(&s->output, "note: %s\n", calibration_remark(c));
}

static void print_calibration(struct session *s, const struct calibration *c)
{
    if (s->format == FORMAT_JSON)
        session_json(s, calibration_json(c));
    else if (s->format == FORMAT_CSV)
        str_addf(&s->output, "clock_hz,tick_hz,noise,contention,nops_per_cycle,multiply_latency,load_window,cpu_number\n%.0f,%.0f,%.3g,%.3g,%.4f,%.0f,%u,%d\n", c->clock_hz,
                 c->tick_hz, c->noise, c->contention, c->probe_rate, c->second_ratio, c->load_window, c->cpu);
    else
        calibration_text(s, c);
}

static void print_info(struct session *s, const struct calibrating *w)
{
    const struct calibration *c = &w->calibration;
    char name[64], why[2048];
    struct utsname system;

    uname(&system);
    const char *isa = strcmp(system.machine, "x86_64") == 0 ? "x86-64" : system.machine;
    cpu_name(name, sizeof name);
    if (s->format == FORMAT_JSON) {
        json_t *object = json_pack("{s:s, s:s, s:o, s:b, s:b}", "cpu", name, "isa", isa, "clock_hz", w->known ? number_or_null(c->clock_hz) : json_null(), "counters",
                                   w->known && c->counters, "virtual", cpu_virtual());
        json_t *more = w->known ? calibration_json(c) : json_pack("{s:s}", "reason", err_text(&w->fault, why, sizeof why));
        json_object_update(object, more);
        json_decref(more);
        session_json(s, object);
        return;
    }
    str_addf(&s->output, "%s, %s%s\ncycle counters: %s\n", name, isa, cpu_virtual() ? ", virtual" : "", w->known && c->counters ? "yes" : "none for this process");
    if (w->known)
        calibration_text(s, c);
    else
        str_addf(&s->output, "clock: not measured: %s\n", err_text(&w->fault, why, sizeof why));
}

static void calibrate_finish(void *state, const struct job_info *info)
{
    const struct calibrating *w = state;
    if (info->state == JOB_DONE && w->info)
        print_info(w->session, w);
    else if (info->state == JOB_DONE)
        print_calibration(w->session, &w->calibration);
}

static bool start(struct session *s, const char *title, int cpu, bool info, struct err *err)
{
    static const struct job_ops ops = {calibrate_run, calibrate_finish, free};
    struct calibrating *w = mem_zero(1, sizeof *w);
    *w = (struct calibrating){.session = s, .cpu = cpu, .info = info};
    return session_job(s, title, "calibrates", &ops, w, err);
}

bool cmd_machine_calibrate(struct session *s, int argc, char **argv, struct err *err)
{
    const char *number = NULL;
    const struct option options[] = {{"--cpu", OPTION_TEXT, &number}, {NULL, OPTION_FLAG, NULL}};
    size_t words;
    int cpu;

    return options_parse(argc, argv, options, NULL, 0, &words, err) && options_cpu(number, &cpu, err) && start(s, "machine calibrate", cpu, false, err);
}

bool cmd_machine_info(struct session *s, int argc, char **argv, struct err *err)
{
    (void)argc;
    (void)argv;
    return start(s, "machine info", -1, true, err);
}
