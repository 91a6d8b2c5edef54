/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/charting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "chart/chart.h"
#include "chart/cpu.h"
#include "hunt/uses.h"
#include "io/machine_file.h"
#include "io/machine_save.h"
#include "isa/cpu.h"
#include "measure/cpu_source.h"
#include "measure/journal.h"
#include "measure/kernel_set.h"
#include "toolchain/assemble.h"

#define CANDIDATES 600       /* maximum number of candidates for the core */
/* share of all forms that become candidates, limited to the range CANDIDATES_FEW to CANDIDATES */
#define CANDIDATES_SHARE 0.3
#define CANDIDATES_FEW 150
/* Seconds to wait for an idle core if the times are recorded. Waiting cannot change recorded
 * times. */
#define RECORDED_PATIENCE 1e-6
#define USES 1000            /* maximum number of forms in the review's blocks */
#define BLOCKS 1024
#define SIMULATED_BLOCKS 2048

struct chart_job {
    /* name of the machine, and paths of its files; NULL: results are not saved */
    char *name, *directory, *journal_path, *latencies_path, *core_path, *ambiguities_path;
    struct machine *core;            /* core from an earlier run; NULL: none */
    struct machine *simulated;       /* copy of the simulated CPU's machine; NULL: this CPU is
                                      * charted */
    bool recorded;
    /* whether the core is given; a chart of some forms from journals uses the core of the chart of
     * all forms */
    bool core_fixed;
    struct forms *forms;             /* forms of the instruction set; the job owns a reference */
    VEC(const struct form_row *) rows;
    VEC(const struct form_row *) others;
    struct block_forms uses;         /* forms that the review's blocks contain */
    struct chart_options options;
    int cpu;
    const struct charting_hooks *hooks;
    struct source *source;                /* source of measurements on this CPU while the chart
                                           * runs */
};

/* Returns the path of @file in the state directory; NULL: there is no state directory. Slashes in
 * the name become dashes. Frees @file. */
static char *state_file(struct str *file)
{
    for (size_t i = 0; i < file->length; i++)
        file->data[i] = file->data[i] == '/' ? '-' : file->data[i];
    char *path = path_state(str_text(file));
    str_done(file);
    return path;
}

char *chart_journal_path(const char *name, const char *simulated, struct err *err)
{
    struct str file = {0};

    if (simulated)
        str_addf(&file, "chart-%s-%s.csv", name, simulated);
    char *path = simulated ? state_file(&file) : journal_default_path();
    if (!path)
        err_set(err, ERR_IO, "set HOME or XDG_STATE_HOME", "no state directory for the journal");
    return path;
}

char *chart_ambiguities_path(const char *name)
{
    struct str file = {0};

    str_addf(&file, "chart-%s.doubts.csv", name);
    return state_file(&file);
}

const char *charting_title(const struct chart_job *c, char name[64])
{
    return c->simulated ? c->simulated->id : cpu_name(name, 64);
}

const char *charting_directory(const struct chart_job *c)
{
    return c->directory;
}

const char *charting_journal(const struct chart_job *c)
{
    return c->journal_path;
}

bool charting_measures(const struct chart_job *c)
{
    return !c->simulated && !c->recorded;
}

static bool cancelled(void *state)
{
    const struct charting_hooks *h = ((struct chart_job *)state)->hooks;
    return h->cancelled(h->state);
}

static void progress(void *state, enum chart_stage stage, double done, double total,
                     const char *what)
{
    const struct charting_hooks *h = ((struct chart_job *)state)->hooks;
    h->progress(h->state, stage, done, total, what);
}

static void mapping(void *state, const struct mapping *so_far, const struct experiments *table)
{
    const struct charting_hooks *h = ((struct chart_job *)state)->hooks;
    h->mapping(h->state, so_far, table);
}

static bool team(void *state, void (*work)(void *work_state, unsigned worker), void *work_state)
{
    const struct charting_hooks *h = ((struct chart_job *)state)->hooks;
    return h->team(h->state, work, work_state);
}

/* Saves the ambiguities to a file that `experiments settle` reads. */
static bool save_ambiguities(const struct chart_job *w, const struct chart *c, struct err *err)
{
    struct ambiguities ambiguities;

    ambiguities_of_chart(c, w->simulated ? w->simulated->id : "", true, &ambiguities);
    bool ok = ambiguities_save(&ambiguities, mapping_ports(c->machine->mapping),
                               w->ambiguities_path, err);
    ambiguities_done(&ambiguities);
    return ok;
}

/* Sets the host and CPU of the measurements in @m. Sets neither for a chart from journals, because
 * journals lack them. */
static void set_origin(const struct chart_job *w, struct machine *m)
{
    struct str cpu = {0}, signature = {0}, microcode = {0};
    char host[256] = "";

    if (w->recorded)
        return;
    gethostname(host, sizeof host - 1);
    machine_set_fact(m, "measured_host", *host ? host : "?", "", "");
    if (w->simulated) {
        str_addf(&cpu, "simulated %s", w->simulated->id);
    } else {
        kept_identity(&cpu, &signature, &microcode);
        machine_set_fact(m, "measured_microcode", str_text(&microcode), "", "");
    }
    machine_set_fact(m, "measured_cpu", str_text(&cpu), "", "");
    str_done(&cpu);
    str_done(&signature);
    str_done(&microcode);
}

static bool save(struct chart_job *w, enum chart_stage stage, const struct chart *so_far,
                 struct err *err)
{
    struct str title = {0};
    char name[64];

    if (!so_far->machine || !w->name)
        return true;
    str_addf(&title, "%s, charted%s%s", w->name, w->simulated ? " from the simulated " : " on ",
             charting_title(w, name));
    machine_set_fact(so_far->machine, "title", str_text(&title), "", "");
    machine_set_fact(so_far->machine, "source", "Portolan's own measurements (machine chart)", "",
                     "");
    set_origin(w, so_far->machine);
    str_done(&title);
    if (stage == CHART_PORTS && !machine_save(so_far->machine, w->core_path, err))
        return false;
    if (stage == CHART_PLACES && !save_ambiguities(w, so_far, err))
        return false;
    return path_make_parents(w->directory, 0777, err) &&
           machine_save(so_far->machine, w->directory, err);
}

static bool stage_done(void *state, enum chart_stage stage, const struct chart *so_far,
                       struct err *err)
{
    struct chart_job *w = state;

    w->hooks->stage_done(w->hooks->state, stage, so_far);
    return save(w, stage, so_far, err);
}

static size_t latencies_of_cpu(void *state, const struct form_code *code,
                               struct latency out[CHAINS_MAX], struct err *err)
{
    struct source *source = ((struct chart_job *)state)->source;
    return latency_measure(source_cpu_sandbox(source), source_cpu_calibration(source), code, out,
                           err);
}

static const struct insn *code_of(const void *blocks, size_t i, size_t *count,
                                  enum kernel_copies *kind)
{
    const struct chart_block *b = (const struct chart_block *)blocks + i;

    *count = b->count;
    *kind = b->copies;
    return b->insns;
}

static bool times_of_cpu(void *state, const struct chart_block *blocks, size_t n, double *cycles,
                         struct err *err)
{
    struct chart_job *w = state;
    return kernel_set_times(source_cpu_sandbox(w->source), source_cpu_calibration(w->source),
                            code_of, blocks, n, w->options.patience, cycles, err);
}

struct chart *charting_run(struct chart_job *w, const struct charting_hooks *own, struct err *err)
{
    const struct chart_hooks hooks = {.cancelled = cancelled,
                                      .progress = progress,
                                      .mapping = own->mapping ? mapping : NULL,
                                      .stage_done = stage_done,
                                      .team = own->team ? team : NULL,
                                      .threads = own->threads,
                                      .state = w};
    struct imitation *imitation =
        w->simulated ? imitation_new(w->simulated, CHART_SIMULATED_NOISE, w->options.seed) : NULL;
    struct chart_cpu cpu = {NULL, w->recorded ? recorded_latencies : latencies_of_cpu,
                            w->recorded ? recorded_times : times_of_cpu, w};
    struct chart *chart = NULL;

    w->hooks = own;
    w->options.core = w->core ? w->core->mapping : NULL;
    w->options.core_fixed = w->core_fixed;
    bool ok = w->simulated || encodings_learn(w->rows.items, w->rows.count, err);
    ok = ok &&
         (!w->journal_path || (w->options.journal = journal_open(w->journal_path, err)) != NULL);
    if (ok)
        cpu.source = w->source =
            imitation     ? NULL
            : w->recorded ? source_recorded(w->forms)
                          : source_cpu(w->forms, w->cpu, 0, own->measurers, cancelled, w, err);
    if (w->source && !w->recorded) {
        sandbox_cancel_by(source_cpu_sandbox(w->source), cancelled, w);
        if (own->record)
            source_cpu_record(w->source, own->record);
    }
    if (ok && (imitation || cpu.source))
        chart = chart_run(imitation ? imitation_cpu(imitation) : &cpu, w->rows.items, w->rows.count,
                          &w->options, &hooks, err);
    source_free(w->source);
    imitation_free(imitation);
    journal_close(w->options.journal);
    w->source = NULL;
    w->options.journal = NULL;
    w->options.core = NULL;
    return chart;
}

void charting_free(struct chart_job *w)
{
    if (!w)
        return;
    free(w->name);
    free(w->directory);
    free(w->journal_path);
    free(w->latencies_path);
    free(w->core_path);
    free(w->ambiguities_path);
    machine_free(w->core);
    machine_free(w->simulated);
    vec_done(&w->rows);
    vec_done(&w->others);
    vec_done(&w->uses);
    forms_free(w->forms);
    free(w);
}

/* Returns the path of @journal with @what in place of ".csv". The caller frees the result. */
static char *path_like(const char *journal, const char *what)
{
    struct str path = {0};
    size_t length = strlen(journal);

    str_addf(&path, "%.*s%s", (int)(length > 4 ? length - 4 : length), journal, what);
    return str_take(&path);
}

static bool matches(const struct charting_request *r, const struct form_row *row)
{
    bool found = r->pattern_count == 0;

    for (size_t i = 0; i < r->pattern_count && !found; i++)
        found = str_match(r->patterns[i], row->form);
    return found;
}

/* Returns whether form @row matches the request. Unless the CPU is simulated, the form must also be
 * measurable. */
static bool is_selected(const void *state, const struct form_row *row)
{
    const struct charting_request *r = state;
    char why[96];

    return matches(r, row) && (r->simulated || !form_measurable(row, why, sizeof why));
}

/* Adds @row (may be NULL) unless the chart already has it. */
static void add_row(struct chart_job *w, const struct form_row *row)
{
    for (size_t i = 0; i < w->rows.count && row; i++)
        row = w->rows.items[i] == row ? NULL : row;
    if (row)
        vec_push(&w->rows, row);
}

/* Chooses the measurable forms that match the request: all, or the r->top forms that programs use
 * most. Also adds the forms of a fixed core. If all are chosen, lists the other matching forms in
 * @others. Returns false with err on failure. */
static bool choose_rows(struct chart_job *w, const struct charting_request *r, struct err *err)
{
    struct block_forms most = {0};

    if (r->top != SIZE_MAX && !block_forms_choose(w->forms, r->top, is_selected, r, &most, err))
        return false;
    for (size_t i = 0; i < most.count; i++)
        vec_push(&w->rows, most.items[i].row);
    vec_done(&most);
    for (size_t i = 0; r->top == SIZE_MAX && i < forms_count(w->forms); i++) {
        const struct form_row *row = forms_at(w->forms, i);
        if (is_selected(r, row))
            vec_push(&w->rows, row);
        else if (matches(r, row))
            vec_push(&w->others, row);
    }
    for (size_t i = 0; w->core_fixed && i < mapping_count(w->core->mapping); i++)
        add_row(w, forms_find(w->forms, mapping_at(w->core->mapping, i)->form));
    return w->rows.count ||
           err_set(err, ERR_USAGE,
                   "forms list shows the measurable forms, and why other forms cannot be measured",
                   "no measurable form matches the pattern");
}

/* Returns whether blocks may contain form @row: the request selects it, and if a machine is
 * simulated, this machine has it. */
static bool is_selected_in_blocks(const void *state, const struct form_row *row)
{
    const struct charting_request *r = state;
    return is_selected(r, row) && (!r->simulated || mapping_find(r->simulated->mapping, row->form));
}

/* Chooses the forms of review blocks: the charted forms that programs use most. Without usage
 * counts there is no review. */
static void choose_uses(struct chart_job *w, const struct charting_request *r)
{
    struct err err = {0};

    if (!block_forms_choose(w->forms, r->top < USES ? r->top : USES, is_selected_in_blocks, r,
                            &w->uses, &err))
        log_add(LOG_WARN, "held-out blocks could not be generated: %s", err.what);
    w->options.uses = w->uses.items;
    w->options.uses_count = w->uses.count;
    w->options.review_blocks = w->simulated ? SIMULATED_BLOCKS : BLOCKS;
}

static bool choose_paths(struct chart_job *w, const char *name, struct err *err)
{
    if (!name)
        return true;
    w->name = mem_strdup(name);
    w->directory = machine_user_directory(name);
    w->journal_path = chart_journal_path(name, w->simulated ? w->simulated->id : NULL, err);
    w->latencies_path = w->journal_path ? path_like(w->journal_path, ".latencies.csv") : NULL;
    w->core_path = w->journal_path ? path_like(w->journal_path, ".core") : NULL;
    w->ambiguities_path = chart_ambiguities_path(name);
    return w->journal_path && w->ambiguities_path &&
           (w->directory ||
            err_set(err, ERR_USAGE, "use a plain name", "invalid machine name \"%s\"", name));
}

struct chart_job *charting_new(const struct charting_request *r, struct err *err)
{
    struct chart_job *w = mem_zero(1, sizeof *w);

    w->simulated = r->simulated ? machine_copy(r->simulated) : NULL;
    w->recorded = r->recorded && !r->simulated;
    w->forms = forms_hold(r->forms);
    w->cpu = r->cpu;
    const bool ok = choose_paths(w, r->name, err);
    w->core = ok && w->core_path ? machine_load(w->core_path, NULL) : NULL;
    w->core_fixed = w->recorded && w->core && (r->top != SIZE_MAX || r->pattern_count);
    if (!ok || !choose_rows(w, r, err)) {
        charting_free(w);
        return NULL;
    }
    w->options = (struct chart_options){
        .name = w->name ? w->name : "chart",
        .patience = r->recorded ? RECORDED_PATIENCE : r->patience,
        .leave_ambiguities = r->leave_ambiguities,
        .latencies = w->latencies_path,
        .others = w->others.items,
        .others_count = w->others.count,
        .seed = r->seed,
        .core_most = (size_t)fmin(CANDIDATES,
                                  fmax(CANDIDATES_FEW, CANDIDATES_SHARE * (double)w->rows.count))};
    choose_uses(w, r);
    return w;
}
