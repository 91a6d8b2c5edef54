/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/evaluate.h"
#include "base/clock.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "cmd/options.h"
#include "base/csv_reader.h"
#include "work/job.h"
#include "work/pool.h"

#define BATCH 256   /* blocks a worker takes at a time */

struct batch {
    struct str text;                /* the hex digits, each ended by NUL */
    size_t starts[BATCH];
    double cycles[BATCH];
    size_t count;
};

/* What was asked for and what came out: the job's. */
struct evaluating {
    struct session *session;
    char *file, *arch, *rows_path;  /* arch, rows_path NULL: not given */
    struct machine *machine;        /* a copy: the session's may change meanwhile */
    enum evaluate_model model;
    enum { MEASURED_BY_COLUMNS, MEASURED_BY_BHIVE, MEASURED_BY_PORTOLAN } measured_by;
    unsigned workers;
    struct evaluation_result result;
    double seconds;
};

struct run {
    struct job *job;
    size_t blocks;                  /* given to workers */
    struct csv_reader *reader;
    int hex, cycles, arch;          /* columns; -1: none */
    int own;                        /* columns that only `kernel measure` writes, and has written all of: 2 */
    FILE *rows;                     /* --blocks; NULL: not wanted */
    const char *wanted;             /* value of the arch column; NULL: any */
    char **pending;                 /* a first row that is data, not header */
    size_t passed;                  /* rows of other machines */
    struct evaluation **evaluations;
    struct batch *batches;
    struct err *err;
    bool failed;
};

static double number_of(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return *text && !*end ? value : NAN;
}

static void take_row(struct run *run, struct batch *b, char **fields)
{
    if (run->arch >= 0 && run->wanted && strcmp(fields[run->arch], run->wanted) != 0) {
        run->passed++;
        return;
    }
    b->starts[b->count] = b->text.length;
    str_add_bytes(&b->text, fields[run->hex], strlen(fields[run->hex]) + 1);
    b->cycles[b->count++] = number_of(fields[run->cycles]);
}

static void tell_progress(const struct run *run)
{
    double bytes, total;
    csv_reader_progress(run->reader, &bytes, &total);
    job_progress(run->job, bytes, total, "%zu blocks", run->blocks);
}

static bool next_batch(void *state, unsigned worker)
{
    struct run *run = state;
    struct batch *b = &run->batches[worker];
    char **fields;
    size_t count, need = (size_t)(run->hex > run->cycles ? run->hex : run->cycles) + 1;

    str_clear(&b->text);
    b->count = 0;
    if (run->arch >= (int)need)
        need = (size_t)run->arch + 1;
    while (!run->failed && b->count < BATCH && csv_reader_next(run->reader, &fields, &count, run->err)) {
        if (count < need) {
            err_set(run->err, ERR_DATA, "give hex,cycles in every row", "%zu fields where %zu were expected", count, need);
            err_at(run->err, NULL, csv_reader_row(run->reader), 0);
            run->failed = true;
            break;
        }
        take_row(run, b, fields);
    }
    run->failed |= run->err->code != ERR_NONE;
    run->blocks += b->count;
    tell_progress(run);
    if (!run->failed && job_cancelled(run->job))
        run->failed = !err_set(run->err, ERR_INTERRUPTED, NULL, "the evaluation was ended");
    return b->count > 0 && !run->failed;
}

static void work_batch(void *state, unsigned worker)
{
    struct run *run = state;
    struct batch *b = &run->batches[worker];

    for (size_t i = 0; i < b->count; i++)
        evaluation_add(run->evaluations[worker], &(struct measured_block){b->text.data + b->starts[i], b->cycles[i]});
}

/* Columns by the header, or hex,cycles when the first row is data. */
static bool read_header(struct run *run, struct err *err)
{
    char **fields;
    size_t count;

    if (!csv_reader_next(run->reader, &fields, &count, err))
        return err->code != ERR_NONE ? false : err_set(err, ERR_DATA, "give rows of hex,cycles", "the file is empty");
    run->hex = run->cycles = run->arch = -1;
    for (size_t i = 0; i < count; i++) {
        run->own += strcmp(fields[i], "spread") == 0 || strcmp(fields[i], "state") == 0;
        *(strcmp(fields[i], "hex") == 0 ? &run->hex : strcmp(fields[i], "cycles") == 0 ? &run->cycles : strcmp(fields[i], "arch") == 0 ? &run->arch : &(int){0}) = (int)i;
    }
    if (run->hex >= 0 && run->cycles >= 0)
        return true;
    if (count != 2 || !(number_of(fields[1]) > 0))
        return err_set(err, ERR_DATA, "begin with hex,cycles", "the header lacks a column");
    run->hex = 0;
    run->cycles = 1;
    take_row(run, &run->batches[0], fields);
    work_batch(run, 0);
    return true;
}

static void print_text(const struct machine *m, const char *model, const struct evaluation_result *r, double seconds, struct str *out)
{
    str_addf(out, "%s, model %s: %zu blocks, coverage %.2f %%, MAPE %.2f %%, median %.2f %%, Kendall %.4f%s (%.0f blocks/s)\n", m->title, model, r->n,
             100 * r->coverage, 100 * r->mape, 100 * r->median, r->kendall, r->sampled ? " (of a sample)" : "", seconds > 0 ? (double)r->n / seconds : 0);
    if (r->refused)
        str_addf(out, "%zu rows hold no code or no cycles\n", r->refused);
    str_add(out, "\nworst blocks\n  measured predicted  bound by       hex\n");
    for (size_t i = 0; i < r->worst_count; i++)
        str_addf(out, "  %8.2f %9.2f  %-13s  %s\n", r->worst[i].measured, r->worst[i].predicted, bound_name(r->worst[i].bottleneck), r->worst[i].hex);
    str_add(out, "\nforms in blocks of large error: excess is the sum of the errors less what average blocks would have\n"
                 "  excess  blocks  mean error  mean signed  form\n");
    for (size_t i = 0; i < r->form_count && i < 40 && r->forms[i].excess > 0; i++)
        str_addf(out, "  %6.2f  %6zu  %8.1f %%  %+9.1f %%  %s\n", r->forms[i].excess, r->forms[i].blocks, 100 * r->forms[i].sum / (double)r->forms[i].blocks,
                 100 * r->forms[i].signed_sum / (double)r->forms[i].blocks, r->forms[i].form);
}

static void print_result(struct session *s, const struct machine *m, const char *model, const struct evaluation_result *r, double seconds)
{
    if (s->settings.format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:I, s:f}", "machine", m->id, "model", model, "n", (json_int_t)r->n, "coverage",
                                  isnan(r->coverage) ? json_null() : json_real(r->coverage), "mape", isnan(r->mape) ? json_null() : json_real(r->mape), "median",
                                  isnan(r->median) ? json_null() : json_real(r->median), "kendall", isnan(r->kendall) ? json_null() : json_real(r->kendall), "refused",
                                  (json_int_t)r->refused, "blocks_per_second", seconds > 0 ? (double)r->n / seconds : 0));
    else if (s->settings.format == FORMAT_CSV)
        str_addf(&s->output, "machine,model,n,coverage,mape,median,kendall\n%s,%s,%zu,%.17g,%.17g,%.17g,%.17g\n", m->id, model, r->n, r->coverage, r->mape,
                 r->median, r->kendall);
    else
        print_text(m, model, r, seconds, &s->output);
}

static void run_done(struct run *run, unsigned workers)
{
    for (unsigned i = 0; i < workers; i++) {
        evaluation_free(run->evaluations[i]);
        str_done(&run->batches[i].text);
    }
    free(run->evaluations);
    free(run->batches);
    csv_reader_close(run->reader);
}

/* All of the file through as many evaluations as there are workers, merged into the first. */
static bool evaluate_file(struct job *job, struct evaluating *w, FILE *rows, struct err *err)
{
    static const struct pool_ops ops = {next_batch, work_batch};
    struct run run = {.job = job, .wanted = w->arch, .rows = rows, .err = err};

    run.reader = csv_reader_open(w->file, err);
    if (!run.reader)
        return false;
    run.evaluations = mem_zero(w->workers, sizeof *run.evaluations);
    run.batches = mem_zero(w->workers, sizeof *run.batches);
    if (rows)
        evaluation_write_header(rows);
    for (unsigned i = 0; i < w->workers; i++) {
        run.evaluations[i] = evaluation_new(w->machine, w->model);
        evaluation_write_blocks(run.evaluations[i], rows);
    }
    bool ok = read_header(&run, err);
    if (ok && (w->measured_by == MEASURED_BY_PORTOLAN || (w->measured_by == MEASURED_BY_COLUMNS && run.own == 2)))
        for (unsigned i = 0; i < w->workers; i++)
            evaluation_measured_by(run.evaluations[i], PROTOCOL_PORTOLAN);
    if (ok)
        pool_run(w->workers, &ops, &run);
    ok = ok && !run.failed;
    if (ok) {
        for (unsigned i = 1; i < w->workers; i++)
            evaluation_merge(run.evaluations[0], run.evaluations[i]);
        evaluation_finish(run.evaluations[0], &w->result);
        ok = w->result.n > 0 || err_set(err, ERR_DATA, w->arch ? "choose another --arch" : "give rows of hex,cycles", "no row has a block and its cycles%s%s",
                                        run.passed ? " of arch " : "", run.passed ? w->arch : "");
    }
    run_done(&run, w->workers);
    return ok || err_at(err, w->file, err->line, err->column);
}

static bool evaluate_run(struct job *job, void *state, struct err *err)
{
    struct evaluating *w = state;
    double start = clock_seconds();
    FILE *rows = w->rows_path ? fopen(w->rows_path, "w") : NULL;

    if (w->rows_path && !rows)
        return err_set(err, ERR_IO, "choose another file", "%s cannot be written", w->rows_path);
    bool ok = evaluate_file(job, w, rows, err);
    if (rows && fclose(rows) != 0 && ok)
        ok = err_set(err, ERR_IO, "free some space", "%s could not be written whole", w->rows_path);
    w->seconds = clock_seconds() - start;
    return ok;
}

static void evaluate_finish(void *state, const struct job_info *info)
{
    struct evaluating *w = state;
    if (info->state == JOB_DONE)
        print_result(w->session, w->machine, w->model == MODEL_BOUNDS ? "bounds" : "simulate", &w->result, w->seconds);
}

static void evaluating_free(void *state)
{
    struct evaluating *w = state;
    free(w->file);
    free(w->arch);
    free(w->rows_path);
    machine_free(w->machine);
    evaluation_result_done(&w->result);
    free(w);
}

static char *copy_of(const char *text)
{
    return text ? mem_strdup(text) : NULL;
}

bool cmd_kernel_evaluate(struct session *s, int argc, char **argv, struct err *err)
{
    static const struct job_ops ops = {evaluate_run, evaluate_finish, evaluating_free};
    const char *file = NULL, *id = NULL, *model = "bounds", *arch = NULL, *blocks = NULL, *measured_by = NULL;
    size_t threads = session_threads(s), words;
    const struct legacy_option options[] = {
        {"--machine", OPTION_TEXT, &id},        {"--model=bounds|simulate", OPTION_CHOICE, &model}, {"--measured-by=bhive|portolan", OPTION_CHOICE, &measured_by},
        {"--arch", OPTION_TEXT, &arch},         {"--threads", OPTION_COUNT, &threads},              {"--blocks", OPTION_TEXT, &blocks},
        {NULL, OPTION_FLAG, NULL},
    };

    if (!options_parse(argc, argv, options, &file, 1, &words, err))
        return false;
    if (!file)
        return err_set(err, ERR_USAGE, "kernel evaluate FILE --machine ID", "a file of hex,cycles was expected");
    if (!threads || threads > THREADS_MAX)
        return err_set(err, ERR_USAGE, "give a number from 1 to 1024", "%zu threads cannot be had", threads);
    const struct machine *m = id ? session_machine(s, id, err) : session_current(s, err);
    if (!m)
        return false;
    if (strcmp(m->isa, isa_name(ISA_X86_64)) != 0)
        return err_set(err, ERR_USAGE, "name an x86-64 machine", "the blocks are x86-64 code and %s runs %s", m->id, m->isa);
    struct evaluating *w = mem_zero(1, sizeof *w);
    w->session = s;
    w->file = mem_strdup(file);
    w->arch = copy_of(arch ? arch : machine_fact(m, "arch"));
    w->rows_path = copy_of(blocks);
    w->machine = machine_copy(m);
    w->model = model[0] == 'b' ? MODEL_BOUNDS : MODEL_SIMULATE;
    w->measured_by = !measured_by ? MEASURED_BY_COLUMNS : measured_by[0] == 'b' ? MEASURED_BY_BHIVE : MEASURED_BY_PORTOLAN;
    w->workers = (unsigned)threads;
    return session_job(s, "kernel evaluate", "evaluates", &ops, w, err);
}
