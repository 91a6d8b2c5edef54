/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "api/portolan.h"

#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/bounds.h"
#include "base/mem.h"
#include "chart/charting.h"
#include "infer/evolve.h"
#include "io/cpus.h"
#include "io/experiments_file.h"
#include "io/machine_file.h"
#include "isa/cpu.h"
#include "isa/isa.h"
#include "measure/block_times.h"
#include "model/metrics.h"
#include "simulate/simulate.h"
#include "throughput/predict.h"
#include "work/pool.h"

#define THREADS_MOST 1024   /* upper limit of the program's option --threads */
#define API __attribute__((visibility("default")))

static_assert((int)PORTOLAN_BOUNDS == (int)BOUND_COUNT &&
                  (int)PORTOLAN_BOUND_RETIRE == (int)BOUND_RETIRE &&
                  (int)PORTOLAN_BOUND_DIVIDERS == (int)BOUND_PIPES,
              "the constants of the bounds match the interface");
static_assert((int)PORTOLAN_USAGE == (int)ERR_USAGE && (int)PORTOLAN_MEMORY == (int)ERR_MEMORY,
              "the constants of the errors match the interface");

struct portolan_machine { struct machine *m; };

/* Copies @err to the caller's error. Returns 0. */
static int refuse(const struct err *err, portolan_error *out)
{
    char text[2200];
    if (out) {
        out->code = err->code == ERR_NONE ? PORTOLAN_DATA : (int)err->code;
        snprintf(out->text, sizeof out->text, "%.511s", err_text(err, text, sizeof text));
    }
    return 0;
}

static int refuse_argument(portolan_error *out, const char *what)
{
    struct err err = {0};
    err_set(&err, ERR_USAGE, "portolan.h lists the arguments", "%s", what);
    return refuse(&err, out);
}

/* Copies those members after the first that the caller's structure contains. The first member is
 * the structure's size. */
static void hand_over(void *to, const void *from, size_t theirs, size_t ours)
{
    memcpy((char *)to + sizeof(size_t), (const char *)from + sizeof(size_t),
           (theirs < ours ? theirs : ours) - sizeof(size_t));
}

API const char *portolan_version(void)
{
    return PACKAGE_VERSION;
}

static portolan_machine *machine_handle(struct machine *m)
{
    portolan_machine *handle = mem_alloc(sizeof *handle);
    handle->m = m;
    return handle;
}

/* Reports an unknown form with the commands' message. Returns 0. */
static int refuse_form(const portolan_machine *machine, const char *form, portolan_error *out)
{
    struct err err = {0};

    machine_refuse_form(machine->m, form, "portolan_machine_form lists the forms", &err);
    err.code = ERR_MISSING;
    return refuse(&err, out);
}

API portolan_machine *portolan_machine_load(const char *id_or_directory, portolan_error *error)
{
    struct err err = {0};
    struct machine *m = id_or_directory ? machine_load(id_or_directory, &err) : NULL;

    if (!m) {
        if (id_or_directory)
            refuse(&err, error);
        else
            refuse_argument(error, "the machine is NULL or empty");
        return NULL;
    }
    return machine_handle(m);
}

API void portolan_machine_free(portolan_machine *machine)
{
    if (machine)
        machine_free(machine->m);
    free(machine);
}

API const char *portolan_machine_title(const portolan_machine *machine)
{
    return machine->m->title ? machine->m->title : machine->m->id;
}

API size_t portolan_machine_forms(const portolan_machine *machine)
{
    return mapping_count(machine->m->mapping);
}

API const char *portolan_machine_form(const portolan_machine *machine, size_t index)
{
    return index < mapping_count(machine->m->mapping) ? mapping_at(machine->m->mapping, index)->form
                                                      : NULL;
}

API int portolan_machine_usage(const portolan_machine *machine, const char *form, char *buffer,
                               size_t size, portolan_error *error)
{
    const struct mapping_entry *entry = form ? mapping_find(machine->m->mapping, form) : NULL;
    struct str text = {0};

    if (!entry)
        return form ? refuse_form(machine, form, error)
                    : refuse_argument(error, "the form is NULL or empty");
    usage_print(&entry->usage, mapping_ports(machine->m->mapping), &text);
    bool fits = text.length < size;
    if (fits)
        memcpy(buffer, str_text(&text), text.length + 1);
    str_done(&text);
    return fits || refuse_argument(error, "the buffer is too small for the usage");
}

API int portolan_throughput(const portolan_machine *machine, const char *experiment, double *cycles,
                            portolan_error *error)
{
    struct experiment e = {0};
    struct err err = {0};

    if (!experiment || !experiment_parse(experiment, &e, &err))
        return experiment ? refuse(&err, error)
                          : refuse_argument(error, "the experiment is NULL or empty");
    struct experiments *table = experiments_new();
    experiments_add_named(table, &e);
    machine_predict(machine->m, table, cycles);
    unsigned unknown = 0;
    while (unknown < e.count && mapping_find(machine->m->mapping, e.terms[unknown].form))
        unknown++;
    int ok =
        !isnan(*cycles) || (unknown < e.count ? refuse_form(machine, e.terms[unknown].form, error)
                                              : refuse(&err, error));
    experiments_free(table);
    experiment_done(&e);
    return ok;
}

API const char *portolan_bound_name(int bound)
{
    return bound >= 0 && bound < PORTOLAN_BOUNDS ? bound_name((enum bound_kind)bound) : NULL;
}

static void fill_analysis(const struct kernel *k, const struct machine *m, portolan_analysis *out)
{
    struct analysis *a = analysis_new(k, 0, m);
    struct simulation sim;

    simulate_kernel(k, 0, m, &(struct simulate_options){0}, &sim, NULL);
    *out = (portolan_analysis){.cycles = a->cycles,
                               .bottleneck = (int)a->bottleneck,
                               .lower_bound = a->lower_bound,
                               .estimate = a->estimate,
                               .instructions = a->count,
                               .simulated = sim.cycles};
    memcpy(out->bounds, a->bounds, sizeof out->bounds);
    for (size_t i = 0; i < a->count; i++)
        out->unknown += (a->rows[i].flags & ROW_UNKNOWN) != 0;
    snprintf(out->sentence, sizeof out->sentence, "%.511s", a->sentence ? a->sentence : "");
    simulation_done(&sim);
    analysis_free(a);
}

static struct kernel *kernel_of(enum isa isa, const void *code, size_t length, struct err *err)
{
    struct str hex = {0};

    for (size_t i = 0; i < length; i++)
        str_addf(&hex, "%02x", ((const unsigned char *)code)[i]);
    struct kernel *k = kernel_from_hex(isa, str_text(&hex), err);
    str_done(&hex);
    return k;
}

API int portolan_analyze(const portolan_machine *machine, const void *code, size_t length,
                         portolan_analysis *analysis, portolan_error *error)
{
    struct err err = {0};
    enum isa isa;

    if (!code || !length || analysis->size < sizeof(size_t))
        return refuse_argument(error, "the code is NULL, or the structure's size is not set");
    if (!isa_parse(machine->m->isa, &isa))
        return refuse_argument(error, "the machine has an unknown instruction set");
    struct kernel *k = kernel_of(isa, code, length, &err);
    if (!k)
        return refuse(&err, error);
    portolan_analysis own;
    fill_analysis(k, machine->m, &own);
    hand_over(analysis, &own, analysis->size, sizeof own);
    kernel_free(k);
    return 1;
}

API int portolan_evaluate(const portolan_machine *machine, const char *file,
                          portolan_accuracy *accuracy, portolan_error *error)
{
    struct err err = {0};

    if (!file || accuracy->size < sizeof(size_t))
        return refuse_argument(error, "the file is NULL, or the structure's size is not set");
    struct experiments *table = experiments_load(file, &err);
    if (!table)
        return refuse(&err, error);
    size_t bytes = (table->rows.count + 1) * sizeof(double);
    double *predicted = mem_try_alloc(bytes);
    if (predicted) {
        machine_predict(machine->m, table, predicted);
        struct accuracy a = metrics_accuracy(table, predicted);
        portolan_accuracy own = {.experiments = a.n,
                                 .unknown = a.unknown,
                                 .error = a.mape,
                                 .pearson = a.pearson,
                                 .spearman = a.spearman};
        hand_over(accuracy, &own, accuracy->size, sizeof own);
    } else {
        err_memory_for(&err, "the predictions", bytes);
    }
    free(predicted);
    experiments_free(table);
    return !err.code || refuse(&err, error);
}

struct watched {
    struct evolve *evolve;
    portolan_watcher watcher;
    void *state;
};

static void tell(void *state)
{
    struct watched *w = state;
    struct evolve_status status;

    evolve_get_status(w->evolve, &status);
    portolan_progress progress = {.seconds = status.seconds,
                                  .generation = status.generation,
                                  .error = status.d_avg,
                                  .distinct = status.distinct};
    if (w->watcher && w->watcher(w->state, &progress))
        evolve_stop(w->evolve);
}

static void improve(void *state, unsigned worker)
{
    evolve_worker(((struct watched *)state)->evolve, worker, tell, state);
}

/* Returns the best mapping of @e as a machine; NULL with err if there is none. */
static struct machine *best_machine(struct evolve *e, const struct problem *p, struct err *err)
{
    struct genome *best = evolve_best(e, NULL);
    struct ports ports;

    if (!best) {
        err_set(err, ERR_LIMIT, "let the run continue until progress.error is a number",
                "the run ended before it had a mapping");
        return NULL;
    }
    ports_number(&ports, best->ports);
    struct machine *m = machine_new("inferred", &ports);
    mapping_free(m->mapping);
    m->mapping = genome_mapping(best, p, &ports);
    genome_free(best);
    return m;
}

API portolan_machine *portolan_infer(const char *file, const portolan_inference *inference,
                                     portolan_watcher watcher, void *state, portolan_error *error)
{
    portolan_inference own = {0};
    struct evolve_options o;
    struct err err = {0};
    struct machine *m = NULL;

    if (inference && inference->size >= sizeof(size_t))
        hand_over(&own, inference, inference->size, sizeof own);
    if (!file || !(own.seconds > 0 || own.generations)) {
        refuse_argument(
            error,
            "the file is NULL, or the run has neither a time limit nor a number of generations");
        return NULL;
    }
    if (own.threads > THREADS_MOST) {
        refuse_argument(error, "the number of threads exceeds 1024");
        return NULL;
    }
    evolve_defaults(&o);
    o.ports = own.ports;
    o.threads = own.threads ? own.threads : 1;
    o.generations = own.generations;
    o.seconds = own.seconds > 0 ? own.seconds : 0;
    o.seed = own.seed ? own.seed : 1;
    struct experiments *table = experiments_load(file, &err);
    struct problem *p = table ? problem_new(table, NULL, &err) : NULL;
    struct watched w = {
        .evolve = p ? evolve_new(p, &o, NULL, 0, &err) : NULL, .watcher = watcher, .state = state};
    if (w.evolve && team_run(o.threads, improve, &w, &err))
        m = best_machine(w.evolve, p, &err);
    evolve_free(w.evolve);
    problem_free(p);
    experiments_free(table);
    if (!m)
        refuse(&err, error);
    return m ? machine_handle(m) : NULL;
}

/* Marks a time as unconfirmed if it is below a bound of this CPU's shipped machine. */
static void check_bounds(const struct insn *insns, size_t count, struct block_time *time)
{
    struct cpu_native native;
    struct err ignored = {0};
    struct str reason = {0};

    if (time->unconfirmed[0] || !cpu_native_find(&native, &ignored))
        return;
    struct machine *m = machine_load_shipped(native.machine, &ignored);
    struct block_work *w = m ? block_work_new(m) : NULL;
    if (w && bounds_refute(w, insns, count, time->measured.cycles, &reason))
        snprintf(time->unconfirmed, sizeof time->unconfirmed, "%s", str_text(&reason));
    str_done(&reason);
    block_work_free(w);
    machine_free(m);
    cpu_native_done(&native);
}

API int portolan_measure(const void *code, size_t length, double patience,
                         portolan_measurement *measurement, portolan_error *error)
{
    struct err err = {0};
    struct block_time time;
    size_t count;

    if (!code || !length || measurement->size < sizeof(size_t) || !(patience >= 0))
        return refuse_argument(
            error, "the code is NULL, the structure's size is not set, or patience is negative");
    struct kernel *k = kernel_of(isa_host(), code, length, &err);
    if (!k)
        return refuse(&err, error);
    const struct insn *insns = kernel_insns(k, 0, &count);
    bool ok =
        block_time(insns, count, patience > 0 ? patience : BLOCK_PATIENCE, NULL, NULL, &time, &err);
    if (ok)
        check_bounds(insns, count, &time);
    kernel_free(k);
    if (!ok)
        return refuse(&err, error);
    const struct kernel_measured *m = &time.measured;
    portolan_measurement own = {.cycles = m->cycles,
                                .spread = m->spread,
                                .clock_hz = m->clock_hz,
                                .confirmed = !time.unconfirmed[0]};
    snprintf(own.reason, sizeof own.reason, "%s", time.unconfirmed);
    hand_over(measurement, &own, measurement->size, sizeof own);
    return 1;
}

struct charted {
    portolan_chart_watcher watcher;
    void *state;
    bool stopped;
};

static bool chart_stopped(void *state)
{
    return ((struct charted *)state)->stopped;
}

static void chart_progress(void *state, enum chart_stage stage, double done, double total,
                           const char *what)
{
    struct charted *c = state;
    const portolan_stage now = {(int)stage, CHART_STAGES, chart_stage_names[stage], done, total};

    c->stopped = c->stopped || (c->watcher && c->watcher(c->state, &now));
}

static void chart_stage_done(void *state, enum chart_stage stage, const struct chart *so_far)
{
    chart_progress(state, stage, 1, 1, "");
}

API portolan_machine *portolan_chart(const char *const *patterns, size_t count,
                                     const portolan_charting *charting,
                                     portolan_chart_watcher watcher, void *state,
                                     portolan_error *error)
{
    portolan_charting own = {0};
    struct charted c = {watcher, state, false};
    const struct charting_hooks hooks = {.cancelled = chart_stopped,
                                         .progress = chart_progress,
                                         .stage_done = chart_stage_done,
                                         .threads = 1,
                                         .state = &c};
    struct err err = {0};
    enum isa isa = isa_host();
    struct machine *m = NULL;

    if (charting && charting->size >= sizeof(size_t))
        hand_over(&own, charting, charting->size, sizeof own);
    if (count && !patterns) {
        refuse_argument(error, "the patterns are NULL or empty");
        return NULL;
    }
    if (own.simulated)
        isa_parse(own.simulated->m->isa, &isa);
    struct forms *forms = forms_load(isa, NULL, &err);
    const struct charting_request request = {.forms = forms,
                                             .patterns = patterns,
                                             .pattern_count = count,
                                             .top = SIZE_MAX,
                                             .simulated = own.simulated ? own.simulated->m : NULL,
                                             .patience = own.patience > 0 ? own.patience : 20,
                                             .seed = own.seed ? own.seed : 1,
                                             .cpu = -1};
    struct chart_job *w = forms ? charting_new(&request, &err) : NULL;
    struct chart *chart = w ? charting_run(w, &hooks, &err) : NULL;
    if (chart && chart->machine) {
        m = machine_copy(chart->machine);
        free(m->title);
        m->title = mem_strdup("charted");
    }
    if (chart)
        chart_free(chart);
    charting_free(w);
    forms_free(forms);
    if (!m && c.stopped)
        err_set(&err, ERR_INTERRUPTED, NULL, "the caller's callback cancelled the call");
    if (!m)
        refuse(&err, error);
    return m ? machine_handle(m) : NULL;
}
