/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/port_names.h"
#include "simulate/simulate.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/watch.h"
#include "cmd/command.h"
#include "cmd/task.h"
#include "model/change.h"
#include "model/facts.h"
#include "work/job.h"

#define SWEEP_MAX 1000   /* maximum number of values of a sweep */
/* name of the parameter: offset of the loop in bytes from the start of a 64-byte line */
#define ALIGNMENT "alignment"
#define LINE 64

struct whatif_outcome {
    double bounds, simulated;
    enum bound_kind bottleneck;
    double ports[PORTS_MAX];   /* cycles per iteration of each port, after balancing */
};

/* Computes the outcome for code that is moved by @moved bytes. */
static struct whatif_outcome outcome_of(const struct kernel *k, size_t loop,
                                        const struct machine *m, unsigned moved)
{
    struct bounds bounds;
    struct simulation sim;

    simulate_kernel(k, loop, m, &(struct simulate_options){.moved = moved}, &sim, &bounds);
    simulation_done(&sim);
    struct whatif_outcome out = {
        .bounds = bounds.total, .simulated = sim.cycles, .bottleneck = bounds.bottleneck};
    struct analysis *a = analysis_new(k, loop, m);
    memcpy(out.ports, a->totals, mapping_ports(m->mapping)->count * sizeof *out.ports);
    analysis_free(a);
    return out;
}

/* Splits NAME=VALUE at the last '='. The caller frees *@name. */
static bool split(const char *word, char **name, const char **value, struct err *err)
{
    const char *equals = strrchr(word, '=');
    if (!equals || equals == word || !equals[1])
        return err_set(err, ERR_USAGE,
                       "use issue_width=6, scheduler=32..128, 'usage:ADD (R64, R64)=1*p01' or "
                       "'latency:ADD (R64, R64)=2'",
                       "invalid change \"%s\"", word);
    *name = mem_strndup(word, (size_t)(equals - word));
    *value = equals + 1;
    return true;
}

static json_t *outcome_json(const struct whatif_outcome *o, const struct machine *m)
{
    const struct ports *ports = mapping_ports(m->mapping);
    json_t *pressure = json_object();

    for (unsigned j = 0; j < ports->count; j++)
        json_object_set_new(pressure, ports->names[j], json_number(o->ports[j]));
    return json_pack("{s:o, s:s, s:o, s:o}", "cycles", json_number(o->bounds), "bottleneck",
                     bound_name(o->bottleneck), "simulated", json_number(o->simulated), "pressure",
                     pressure);
}

/* Adds the cycles of busy ports before and after a change. */
static void add_pressure(struct result *result, const struct machine *m,
                         const struct whatif_outcome *before, const struct whatif_outcome *after)
{
    static const struct result_column columns[] = {
        {.key = "port", .kind = CELL_TEXT, .width = 12},
        {.key = "before", .title = "unchanged", .kind = CELL_NUMBER, .decimals = 2, .width = 9},
        {.key = "after", .title = "changed", .kind = CELL_NUMBER, .decimals = 2},
    };
    struct ports ports;

    ports_shown(m, &ports);
    result_line(result, "\n");
    struct result_table *t = RESULT_TABLE(result, "pressures", columns);
    t->hide = NOT_JSON | NOT_CSV;
    t->indent = "  ";
    for (unsigned j = 0; j < ports.count; j++) {
        if (!(before->ports[j] > 0) && !(after->ports[j] > 0))
            continue;
        cell_text(t, ports.names[j]);
        cell_number(t, before->ports[j]);
        cell_number(t, after->ports[j]);
    }
}

/* Adds an empty table of the machine's predictions. Column @first, titled @title, identifies the
 * rows. */
static struct result_table *add_outcomes(struct result *result, const struct machine *m,
                                         const char *first, const char *title, enum cell_kind kind)
{
    const struct result_column columns[] = {
        {.key = first, .title = title, .kind = kind, .width = 12},
        {.key = "cycles", .title = "bounds", .kind = CELL_NUMBER, .decimals = 2, .width = 7},
        {.key = "bottleneck", .title = "bound by", .kind = CELL_TEXT, .width = 13},
        {.key = "simulated", .kind = CELL_NUMBER, .decimals = 2},
    };

    result_line(result, "%s", m->title);
    struct result_table *t = RESULT_TABLE(result, "outcomes", columns);
    t->hide = NOT_JSON;
    t->indent = "  ";
    return t;
}

static void add_outcome(struct result_table *t, const struct whatif_outcome *o)
{
    cell_number(t, o->bounds);
    cell_text(t, bound_name(o->bottleneck));
    cell_number(t, o->simulated);
}

struct sweeping {
    const struct kernel *kernel;   /* counted reference */
    size_t loop;
    struct machine *machine;
    char *name;
    long from, to;
    struct whatif_outcome *outcomes;
};

/* Predicts the loop with the parameter set to @value. Returns false with err. */
static bool sweep_one(struct sweeping *w, long value, struct err *err)
{
    struct whatif_outcome *out = &w->outcomes[value - w->from];
    char text[24];

    if (strcmp(w->name, ALIGNMENT) == 0) {
        size_t count;
        const struct insn *insns = kernel_insns(w->kernel, w->loop, &count);
        *out = outcome_of(
            w->kernel, w->loop, w->machine,
            ((unsigned)value + LINE - (unsigned)((count ? insns[0].offset : 0) % LINE)) % LINE);
        return true;
    }
    snprintf(text, sizeof text, "%ld", value);
    struct machine *changed = machine_copy(w->machine);
    bool ok = machine_change(changed, w->name, text, err);
    if (ok)
        *out = outcome_of(w->kernel, w->loop, changed, 0);
    machine_free(changed);
    return ok;
}

static bool sweep_run(void *state, struct result *result, struct err *err)
{
    struct sweeping *w = state;

    for (long value = w->from; value <= w->to; value++) {
        if (!sweep_one(w, value, err))
            return false;
        job_progress((double)(value - w->from + 1), (double)(w->to - w->from + 1), "%s = %ld",
                     w->name, value);
        if (job_cancelled(NULL))
            return err_set(err, ERR_INTERRUPTED, NULL, "the sweep was cancelled");
    }
    return true;
}

/* Stores the sweep for the plot of the what-if view. */
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

static bool sweep_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    const struct sweeping *w = state;

    const struct document *d = &s->document;
    if (d->kernel == w->kernel && d->loop == w->loop) {
        keep_sweep(&s->document.sweep, w);
        s->document.pair = (struct whatif_pair){0};
        s->in_view = s->views ? "whatif" : NULL;
    }
    struct result_table *t = add_outcomes(result, w->machine, "value", w->name, CELL_COUNT);
    json_t *rows = json_array();
    for (long value = w->from; value <= w->to; value++) {
        const struct whatif_outcome *o = &w->outcomes[value - w->from];
        cell_count(t, value);
        add_outcome(t, o);
        json_array_append_new(rows, json_pack("{s:I, s:o}", "value", (json_int_t)value, "outcome",
                                              outcome_json(o, w->machine)));
    }
    result_text(result, "machine", w->machine->id);
    result_text(result, "parameter", w->name);
    result_nested(result, "sweep", rows);
    return true;
}

static void sweeping_free(void *state)
{
    struct sweeping *w = state;
    kernel_free(w->kernel);
    machine_free(w->machine);
    free(w->name);
    free(w->outcomes);
    free(w);
}

static bool sweep(struct session *s, const struct machine *m, const char *name, long from, long to,
                  struct task *task)
{
    static const struct task_ops ops = {"sweeps", sweep_run, sweep_finish, sweeping_free,
                                        .listed = TASK_LISTED};
    struct sweeping *w = mem_zero(1, sizeof *w);

    w->kernel = kernel_hold(s->document.kernel);
    w->loop = s->document.loop;
    w->machine = machine_copy(m);
    w->name = mem_strdup(name);
    w->from = from;
    w->to = to;
    w->outcomes = mem_alloc((size_t)(to - from + 1) * sizeof *w->outcomes);
    return task_give(task, &ops, w);
}

struct comparing {
    const struct kernel *kernel;   /* counted reference */
    size_t loop;
    struct machine *machine, *changed;
    char *changes;                 /* the changes in the user's notation */
    struct whatif_outcome before, after;
};

static bool compare_work(void *state, struct result *result, struct err *err)
{
    struct comparing *w = state;

    w->before = outcome_of(w->kernel, w->loop, w->machine, 0);
    w->after = outcome_of(w->kernel, w->loop, w->changed, 0);
    if (!watch_goes_on(err))
        return false;
    struct result_table *t = add_outcomes(result, w->machine, "state", "state", CELL_TEXT);
    cell_text(t, "unchanged");
    add_outcome(t, &w->before);
    cell_text(t, "changed");
    add_outcome(t, &w->after);
    add_pressure(result, w->machine, &w->before, &w->after);
    result_text(result, "machine", w->machine->id);
    result_nested(result, "before", outcome_json(&w->before, w->machine));
    result_nested(result, "after", outcome_json(&w->after, w->machine));
    return true;
}

/* Stores the result for the what-if view, unless another loop was selected in the meantime. */
static bool compare_publish(struct session *s, void *state, struct result *result, struct err *err)
{
    const struct comparing *w = state;
    struct whatif_pair *kept = &s->document.pair;

    if (s->document.kernel != w->kernel || s->document.loop != w->loop)
        return true;
    snprintf(kept->name, sizeof kept->name, "%s", w->changes);
    snprintf(kept->machine, sizeof kept->machine, "%s", w->machine->id);
    ports_shown(w->machine, &kept->ports);
    for (int side = 0; side < 2; side++) {
        const struct whatif_outcome *o = side ? &w->after : &w->before;
        kept->sides[side].bounds = o->bounds;
        kept->sides[side].simulated = o->simulated;
        kept->sides[side].bottleneck = bound_name(o->bottleneck);
        memcpy(kept->sides[side].pressure, o->ports, sizeof o->ports);
    }
    s->in_view = s->views ? "whatif" : NULL;
    return true;
}

static void comparing_free(void *state)
{
    struct comparing *w = state;
    free(w->changes);
    kernel_free(w->kernel);
    machine_free(w->machine);
    machine_free(w->changed);
    free(w);
}

static bool compare(struct session *s, struct machine *m, const struct machine *changed,
                    const struct word_list *changes, struct task *task)
{
    static const struct task_ops ops = {"predicts", compare_work, compare_publish, comparing_free,
                                        .listed = TASK_LISTED_IF_LONG};
    struct comparing *w = mem_alloc(sizeof *w);

    struct str words = {0};
    for (size_t i = 0; i < changes->count; i++)
        str_addf(&words, "%s%s", i ? ", " : "", changes->items[i]);
    *w = (struct comparing){.kernel = kernel_hold(s->document.kernel),
                            .loop = s->document.loop,
                            .machine = machine_hold(m),
                            .changed = machine_copy(changed),
                            .changes = str_take(&words)};
    return task_give(task, &ops, w);
}

struct whatif_values {
    struct word_list changes;
    const char *machine;
};

/* Parses the range "0..63" or a single offset. Stores the range in *@from and *@to. Returns false
 * with err. */
static bool alignment_range(const char *value, long *from, long *to, struct err *err)
{
    char *end;

    *from = *to = strtol(value, &end, 10);
    bool ok = end != value;
    if (ok && strncmp(end, "..", 2) == 0) {
        const char *second = end + 2;
        *to = strtol(second, &end, 10);
        ok = end != second;
    }
    return (ok && !*end && *from >= 0 && *to >= *from && *to < LINE) ||
           err_set(err, ERR_USAGE, "use alignment=N or alignment=A..B with 0 <= A <= B <= 63",
                   "invalid alignment \"%s\"", value);
}

/* Appends @value of change @name to @out. Replaces the displayed port names, which users write,
 * with the machine's internal names, which machine_change needs. Returns false with err for an
 * invalid usage. */
static bool name_ports(const struct machine *m, const char *name, const char *value,
                       struct str *out, struct err *err)
{
    const struct ports *own = mapping_ports(m->mapping);
    const struct fact *fact = fact_find(name);
    struct ports shown;
    portset set;
    const char *at = value;

    if (str_has_prefix(name, CHANGE_USAGE) && strcmp(value, "none") != 0) {
        struct usage usage = {0};
        bool ok = ports_shown_parse(m, value, &usage, err);
        usage_print(&usage, own, out);
        usage_done(&usage);
        return ok;
    }
    const bool ports = fact && fact->type == FACT_PORTS && !portset_parse(&at, own, &set, NULL);
    if (ports)
        ports_shown(m, &shown);
    at = value;
    if (ports && portset_parse(&at, &shown, &set, NULL) && !*at)
        portset_print(set, own, out);
    else
        str_add(out, value);
    return true;
}

static bool change(struct machine *m, const char *name, const char *value, struct err *err)
{
    struct str own = {0};
    const bool ok = name_ports(m, name, value, &own, err) &&
                    machine_change(m, name, str_text(&own), err);

    str_done(&own);
    return ok;
}

/* Applies @word to @changed. If it is a range, sets *@swept to the parameter's name, and *@from and
 * *@to to the range. Returns false with err if @word is invalid, or is a second
 * range. */
static bool apply(struct machine *changed, const char *word, char **swept, long *from, long *to,
                  struct err *err)
{
    char *name = NULL;
    const char *value = NULL;
    long first, last;

    if (!split(word, &name, &value, err))
        return false;
    bool range = strcmp(name, ALIGNMENT) == 0
                     ? alignment_range(value, &first, &last, err)
                     : change_range(name, value, SWEEP_MAX, &first, &last, err);
    if (!range && err->code) {
        free(name);
        return false;
    }
    bool ok = range ? !*swept || err_set(err, ERR_USAGE, "sweep one parameter at a time",
                                         "only one parameter can have a range")
                    : !err->code && change(changed, name, value, err);
    if (range && ok) {
        *swept = name;
        *from = first;
        *to = last;
        return true;
    }
    free(name);
    return ok;
}

static bool prepare(struct session *s, const void *values, struct task *task, struct err *err)
{
    const struct whatif_values *v = values;
    char *swept = NULL;
    long from = 0, to = 0;

    if (!session_has_kernel(s, err))
        return false;
    struct machine *m = session_kernel_machine(s, v->machine, err);
    if (!m)
        return false;
    struct machine *changed = machine_copy(m);
    bool ok = true;
    for (size_t i = 0; ok && i < v->changes.count; i++)
        ok = apply(changed, v->changes.items[i], &swept, &from, &to, err);
    if (ok && swept)
        ok = sweep(s, changed, swept, from, to, task);
    else if (ok)
        ok = compare(s, m, changed, &v->changes, task);
    free(swept);
    machine_free(changed);
    return ok;
}

const struct command command_kernel_whatif = {
    .name = "kernel whatif",
    .help = "predict the loop on a machine with a changed fact, usage or latency, or over a range "
            "of a fact or latency",
    .description = "Shows bounds and simulation before and after the change, or for each value of "
                   "a range. The machine itself is not changed.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "CHANGE", struct whatif_values, changes), .required = true,
         .complete = COMPLETE_CHANGE,
         .help = "FACT=VALUE, usage:FORM=USAGE or latency:FORM=CYCLES; ports have the names that "
                 "the loop's view shows; NAME=A..B sweeps a fact or latency over whole numbers; "
                 "alignment=A..B moves the loop, in bytes from the start of a 64-byte line"}),
    .options =
        PARAMETERS(MACHINE_OPTION(whatif_values, "the current machine", "machine to change")),
    .examples = EXAMPLES("kernel whatif issue_width=6",
                         "kernel whatif reorder_buffer=64..512 --machine skylake",
                         "kernel whatif 'latency:ADD (R64, R64)=2'",
                         "kernel whatif alignment=0..63 --machine skylake"),
    .values_size = sizeof(struct whatif_values),
    .flags = COMMAND_JOB,
    .prepare = prepare,
};
