/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulate/simulate_kernel.h"
#include "base/mem.h"
#include "base/str.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "work/job.h"

#define SWEEP_MAX 1000   /* values of one sweep */
#define CHANGES_MAX 64   /* of one command */

/* What one machine makes of the kernel. */
struct outcome {
    double bounds, simulated;
    enum bound_kind bottleneck;
};

static struct outcome outcome_of(const struct kernel *k, const struct machine *m)
{
    struct bounds bounds;
    struct simulation sim;

    simulate_kernel(k, m, &(struct simulate_options){0}, &sim, &bounds);
    simulation_done(&sim);
    return (struct outcome){bounds.total, sim.cycles, bounds.bottleneck};
}

/* usage:FORM=USAGE, latency:FORM=CYCLES: changes the form on @m. */
static bool change_form(struct machine *m, const char *form, const char *value, bool latency, struct err *err)
{
    const struct mapping_entry *old = mapping_find(m->mapping, form);
    struct mapping_entry fresh = {.form = (char *)form, .latency = old ? old->latency : NAN, .source = (char *)"what if"};
    bool ok = true;

    if (latency) {
        char *end;
        fresh.latency = strtod(value, &end);
        if (*end || end == value || !(fresh.latency >= 0) || !isfinite(fresh.latency))
            return err_set(err, ERR_USAGE, "give cycles from 0 up", "\"%s\" is no latency", value);
        if (!old)
            return err_set(err, ERR_USAGE, "give its usage as well, before", "%s does not know the form %s", m->id, form);
        usage_copy(&fresh.usage, &old->usage);
        fresh.micro_ops = old->micro_ops;
    } else {
        ok = usage_parse(strcmp(value, "none") == 0 ? "" : value, mapping_ports(m->mapping), &fresh.usage, err);
    }
    if (ok)
        mapping_set(m->mapping, &fresh);
    usage_done(&fresh.usage);
    return ok;
}

static bool change(struct machine *m, const char *name, const char *value, struct err *err)
{
    char *end;

    if (str_has_prefix(name, "usage:"))
        return change_form(m, name + 6, value, false, err);
    if (str_has_prefix(name, "latency:"))
        return change_form(m, name + 8, value, true, err);
    if (!machine_fact(m, name))
        return err_set(err, ERR_USAGE, "machine show lists the facts", "%s has no fact \"%s\"", m->id, name);
    if (!isnan(machine_number(m, name)) && (strtod(value, &end) < 0 || *end || end == value))
        return err_set(err, ERR_USAGE, "give a number from 0 up", "\"%s\" is no value of %s", value, name);
    if (strcmp(name, "issue_width") == 0 && !(strtod(value, NULL) >= 1))
        return err_set(err, ERR_USAGE, "give a number from 1 up", "nothing can issue at a width of %s", value);
    machine_set_fact(m, name, value, "", "what if");
    return true;
}

/* NAME=VALUE apart at the last '='; the caller frees *@name. */
static bool split(const char *word, char **name, const char **value, struct err *err)
{
    const char *equals = strrchr(word, '=');
    if (!equals || equals == word || !equals[1])
        return err_set(err, ERR_USAGE, "write issue_width=6, scheduler=32..128, 'usage:ADD (R64, R64)=1*p01' or 'latency:ADD (R64, R64)=2'", "\"%s\" changes nothing", word);
    *name = mem_strndup(word, (size_t)(equals - word));
    *value = equals + 1;
    return true;
}

/* "32..128"; false for anything else. */
static bool parse_range(const char *text, long *from, long *to)
{
    char *end;
    *from = strtol(text, &end, 10);
    if (end == text || strncmp(end, "..", 2) != 0)
        return false;
    const char *second = end + 2;
    *to = strtol(second, &end, 10);
    return end != second && !*end && *from >= 0 && *to >= *from && *to - *from < SWEEP_MAX;
}

static json_t *outcome_json(const struct outcome *o)
{
    return json_pack("{s:f, s:s, s:o}", "cycles", o->bounds, "bottleneck", bound_name(o->bottleneck), "simulated", isnan(o->simulated) ? json_null() : json_real(o->simulated));
}

static void print_outcome(struct session *s, const char *label, const struct outcome *o)
{
    if (s->settings.format == FORMAT_CSV)
        str_addf(&s->output, "%s,%.17g,%s,%.17g\n", label, o->bounds, bound_name(o->bottleneck), o->simulated);
    else
        str_addf(&s->output, isnan(o->simulated) ? "  %-12s %8.2f  %-13s         -\n" : "  %-12s %8.2f  %-13s %9.2f\n", label, o->bounds, bound_name(o->bottleneck),
                 o->simulated);
}

static void print_header(struct session *s, const struct machine *m, const char *first)
{
    if (s->settings.format == FORMAT_CSV)
        str_addf(&s->output, "%s,cycles,bottleneck,simulated\n", first);
    else if (s->settings.format == FORMAT_TEXT)
        str_addf(&s->output, "%s\n  %-12s %8s  %-13s %9s\n", m->title, first, "bounds", "bound by", "simulated");
}

/* The job: a machine with one parameter after the other. */
struct sweeping {
    struct session *session;
    struct kernel *held, shown;   /* shown: as it was, with the loop in use then */
    struct machine *machine;
    char *name;
    long from, to;
    struct outcome *outcomes;
};

static bool sweep_run(struct job *job, void *state, struct err *err)
{
    struct sweeping *w = state;

    for (long value = w->from; value <= w->to; value++) {
        char text[24];
        snprintf(text, sizeof text, "%ld", value);
        struct machine *changed = machine_copy(w->machine);
        bool ok = change(changed, w->name, text, err);
        if (ok)
            w->outcomes[value - w->from] = outcome_of(&w->shown, changed);
        machine_free(changed);
        if (!ok)
            return false;
        job_progress(job, (double)(value - w->from + 1), (double)(w->to - w->from + 1), "%s = %ld", w->name, value);
        if (job_cancelled(job))
            return err_set(err, ERR_INTERRUPTED, NULL, "the sweep was ended");
    }
    return true;
}

/* For the what-if view's plot. */
static void keep_sweep(struct sweep *sweep, const struct sweeping *w)
{
    size_t count = (size_t)(w->to - w->from) + 1;

    sweep_done(sweep);
    snprintf(sweep->name, sizeof sweep->name, "%s", w->name);
    snprintf(sweep->machine, sizeof sweep->machine, "%s", w->machine->id);
    sweep->values = mem_alloc(count * sizeof(double));
    sweep->bounds = mem_alloc(count * sizeof(double));
    sweep->simulated = mem_alloc(count * sizeof(double));
    sweep->count = count;
    for (size_t i = 0; i < count; i++) {
        sweep->values[i] = (double)w->from + (double)i;
        sweep->bounds[i] = w->outcomes[i].bounds;
        sweep->simulated[i] = w->outcomes[i].simulated;
    }
}

static void sweep_finish(void *state, const struct job_info *info)
{
    const struct sweeping *w = state;
    struct session *s = w->session;
    json_t *rows = s->settings.format == FORMAT_JSON ? json_array() : NULL;

    if (info->state == JOB_DONE) {
        keep_sweep(&s->document.sweep, w);
        print_header(s, w->machine, w->name);
    }
    for (long value = w->from; info->state == JOB_DONE && value <= w->to; value++) {
        const struct outcome *o = &w->outcomes[value - w->from];
        char text[24];
        snprintf(text, sizeof text, "%ld", value);
        if (rows)
            json_array_append_new(rows, json_pack("{s:i, s:o}", "value", (int)value, "outcome", outcome_json(o)));
        else
            print_outcome(s, text, o);
    }
    if (rows && info->state == JOB_DONE)
        session_json(s, json_pack("{s:s, s:s, s:O}", "machine", w->machine->id, "parameter", w->name, "sweep", rows));
    json_decref(rows);
}

static void sweeping_free(void *state)
{
    struct sweeping *w = state;
    kernel_free(w->held);
    machine_free(w->machine);
    free(w->name);
    free(w->outcomes);
    free(w);
}

static bool sweep(struct session *s, const struct machine *m, const char *name, long from, long to, struct err *err)
{
    static const struct job_ops ops = {sweep_run, sweep_finish, sweeping_free};
    struct sweeping *w = mem_zero(1, sizeof *w);

    w->session = s;
    w->held = kernel_hold(s->document.kernel);
    w->shown = *s->document.kernel;
    w->machine = machine_copy(m);
    w->name = mem_strdup(name);
    w->from = from;
    w->to = to;
    w->outcomes = mem_alloc((size_t)(to - from + 1) * sizeof *w->outcomes);
    return session_job(s, "kernel whatif", "sweeps", &ops, w, err);
}

static void compare(struct session *s, const struct machine *m, const struct machine *changed)
{
    struct outcome before = outcome_of(s->document.kernel, m), after = outcome_of(s->document.kernel, changed);

    if (s->settings.format == FORMAT_JSON) {
        session_json(s, json_pack("{s:s, s:o, s:o}", "machine", m->id, "before", outcome_json(&before), "after", outcome_json(&after)));
        return;
    }
    print_header(s, m, "state");
    print_outcome(s, "as it is", &before);
    print_outcome(s, "changed", &after);
}

bool cmd_kernel_whatif(struct session *s, int argc, char **argv, struct err *err)
{
    struct machine *m = NULL, *changed = NULL;
    char *swept = NULL;
    long from = 0, to = 0;
    const char *id = NULL, *words[CHANGES_MAX];
    const struct legacy_option options[] = {{"--machine", OPTION_TEXT, &id}, {NULL, OPTION_FLAG, NULL}};
    size_t count;
    bool ok = false;

    if (!s->document.kernel)
        return err_set(err, ERR_USAGE, "kernel load FILE, or kernel paste", "no kernel is loaded");
    if (!options_parse(argc, argv, options, words, CHANGES_MAX, &count, err) || !(m = id ? session_machine(s, id, err) : session_current(s, err)))
        return false;
    changed = machine_copy(m);
    for (size_t i = 0; i < count; i++) {
        char *name = NULL;
        const char *value = NULL;
        if (!split(words[i], &name, &value, err))
            goto out;
        bool range = parse_range(value, &from, &to);
        bool taken = range ? !swept || err_set(err, ERR_USAGE, "sweep one parameter at a time", "two ranges") : change(changed, name, value, err);
        if (range && taken)
            swept = name;
        else
            free(name);
        if (!taken)
            goto out;
    }
    if (!count) {
        err_set(err, ERR_USAGE, "kernel whatif issue_width=6", "nothing to change");
        goto out;
    }
    ok = true;
    if (swept)
        ok = sweep(s, changed, swept, from, to, err);
    else
        compare(s, m, changed);
out:
    free(swept);
    machine_free(changed);
    return ok;
}
