/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/evaluate.h"
#include "base/clock.h"
#include "base/vec.h"
#include "cmd/command.h"
#include "io/csv_reader.h"
#include "work/pool.h"

#define BATCH 256   /* blocks a worker takes at a time */

struct batch {
    struct str text;                /* the hex digits, each ended by NUL */
    size_t starts[BATCH];
    double cycles[BATCH];
    size_t count;
};

struct run {
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
    if (s->format == FORMAT_JSON)
        session_json(s, json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:I, s:f}", "machine", m->id, "model", model, "n", (json_int_t)r->n, "coverage",
                                  isnan(r->coverage) ? json_null() : json_real(r->coverage), "mape", isnan(r->mape) ? json_null() : json_real(r->mape), "median",
                                  isnan(r->median) ? json_null() : json_real(r->median), "kendall", isnan(r->kendall) ? json_null() : json_real(r->kendall), "refused",
                                  (json_int_t)r->refused, "blocks_per_second", seconds > 0 ? (double)r->n / seconds : 0));
    else if (s->format == FORMAT_CSV)
        str_addf(&s->output, "machine,model,n,coverage,mape,median,kendall\n%s,%s,%zu,%.17g,%.17g,%.17g,%.17g\n", m->id, model, r->n, r->coverage, r->mape,
                 r->median, r->kendall);
    else
        print_text(m, model, r, seconds, &s->output);
}

/* All of @file through @workers evaluations, merged into the first. */
static bool evaluate_file(const char *file, const struct machine *m, enum evaluate_model model, const char *measured_by, unsigned workers, const char *arch,
                          FILE *rows, struct evaluation_result *result, struct err *err)
{
    static const struct pool_ops ops = {next_batch, work_batch};
    struct run run = {.wanted = arch, .err = err};
    bool ok = false;

    run.reader = csv_reader_open(file, err);
    if (!run.reader)
        return false;
    run.evaluations = mem_zero(workers, sizeof *run.evaluations);
    run.batches = mem_zero(workers, sizeof *run.batches);
    if (rows)
        evaluation_write_header(rows);
    for (unsigned i = 0; i < workers; i++) {
        run.evaluations[i] = evaluation_new(m, model);
        evaluation_write_blocks(run.evaluations[i], rows);
    }
    if (!read_header(&run, err))
        goto out;
    if (measured_by ? strcmp(measured_by, "portolan") == 0 : run.own == 2)
        for (unsigned i = 0; i < workers; i++)
            evaluation_measured_by(run.evaluations[i], PROTOCOL_PORTOLAN);
    pool_run(workers, &ops, &run);
    if (run.failed)
        goto out;
    for (unsigned i = 1; i < workers; i++)
        evaluation_merge(run.evaluations[0], run.evaluations[i]);
    evaluation_finish(run.evaluations[0], result);
    ok = result->n > 0 || err_set(err, ERR_DATA, arch ? "choose another --arch" : "give rows of hex,cycles", "no row has a block and its cycles%s%s",
                                  run.passed ? " of arch " : "", run.passed ? arch : "");
    if (!ok)
        evaluation_result_done(result);
out:
    if (!ok)
        err_at(err, file, err->line, err->column);
    for (unsigned i = 0; i < workers; i++) {
        evaluation_free(run.evaluations[i]);
        str_done(&run.batches[i].text);
    }
    free(run.evaluations);
    free(run.batches);
    csv_reader_close(run.reader);
    return ok;
}

bool cmd_kernel_evaluate(struct session *s, int argc, char **argv, struct err *err)
{
    const char *file = NULL, *model = "bounds", *arch = NULL, *blocks = NULL, *measured_by = NULL;
    struct machine *m = NULL;
    unsigned workers = session_threads(s);
    struct evaluation_result result;

    for (int i = 1; i < argc; i++) {
        bool option = argv[i][0] == '-' && argv[i][1] == '-';
        if (option && i + 1 == argc)
            return err_set(err, ERR_USAGE, "give it a value", "%s stands alone", argv[i]);
        if (strcmp(argv[i], "--machine") == 0) {
            if (!(m = session_machine(s, argv[++i], err)))
                return false;
        } else if (strcmp(argv[i], "--model") == 0) {
            model = argv[++i];
        } else if (strcmp(argv[i], "--arch") == 0) {
            arch = argv[++i];
        } else if (strcmp(argv[i], "--measured-by") == 0) {
            measured_by = argv[++i];
        } else if (strcmp(argv[i], "--blocks") == 0) {
            blocks = argv[++i];
        } else if (strcmp(argv[i], "--threads") == 0) {
            workers = (unsigned)strtoul(argv[++i], NULL, 10);
            if (!workers || workers > THREADS_MAX)
                return err_set(err, ERR_USAGE, "give a number from 1 to 1024", "\"%s\" is no number of threads", argv[i]);
        } else if (option || file) {
            return err_set(err, ERR_USAGE, "see help kernel evaluate", "\"%s\" is not expected here", argv[i]);
        } else {
            file = argv[i];
        }
    }
    if (!file)
        return err_set(err, ERR_USAGE, "kernel evaluate FILE --machine ID", "a file of hex,cycles was expected");
    if (strcmp(model, "bounds") != 0 && strcmp(model, "simulate") != 0)
        return err_set(err, ERR_USAGE, "use bounds or simulate", "there is no model \"%s\"", model);
    if (measured_by && strcmp(measured_by, "bhive") != 0 && strcmp(measured_by, "portolan") != 0)
        return err_set(err, ERR_USAGE, "use bhive or portolan", "there is no protocol \"%s\"", measured_by);
    if (!m && !(m = session_current(s, err)))
        return false;
    if (strcmp(m->isa, isa_name(ISA_X86_64)) != 0)
        return err_set(err, ERR_USAGE, "name an x86-64 machine", "the blocks are x86-64 code and %s runs %s", m->id, m->isa);
    double start = clock_seconds();
    err_clear(err);
    FILE *rows = blocks ? fopen(blocks, "w") : NULL;
    if (blocks && !rows)
        return err_set(err, ERR_IO, "choose another file", "%s cannot be written", blocks);
    bool ok = evaluate_file(file, m, model[0] == 'b' ? MODEL_BOUNDS : MODEL_SIMULATE, measured_by, workers, arch ? arch : machine_fact(m, "arch"), rows, &result, err);
    if (rows && fclose(rows) != 0 && ok) {
        evaluation_result_done(&result);
        ok = err_set(err, ERR_IO, "free some space", "%s could not be written whole", blocks);
    }
    if (!ok)
        return false;
    print_result(s, m, model, &result, clock_seconds() - start);
    evaluation_result_done(&result);
    return true;
}
