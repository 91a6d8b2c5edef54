/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "report/evaluate.h"
#include "base/clock.h"
#include "base/index.h"
#include "cmd/command.h"
#include "cmd/rank_worker.h"
#include "cmd/task.h"
#include "io/machine_file.h"
#include "base/csv_reader.h"
#include "work/job.h"
#include "work/pool.h"

#define FORMS_SHOWN 40
#define BATCH 256   /* number of blocks per work item */
#define BHIVE_ITERATIONS 100.0
/* median relative error above which the cycles probably belong to other blocks */
#define NONSENSE 0.9
#define CLOSE 0.005     /* difference of the median errors below which the mean errors decide */

struct batch {
    struct str text;                /* code as hex digits, NUL-terminated */
    size_t starts[BATCH];
    double cycles[BATCH];
    size_t count;
};

struct kernel_evaluating {
    const char *file, *rows_path; /* NULL: not given */
    char *arch;
    struct machine *machine;        /* the job's copy, because the session's machine may change */
    enum evaluate_model model;
    enum evaluate_half { HALF_BOTH, HALF_EVEN, HALF_ODD } half;
    /* requested protocol; MEASURED_BY_COLUMNS: chosen by the columns or the data */
    enum { MEASURED_BY_COLUMNS, MEASURED_BY_BHIVE, MEASURED_BY_PORTOLAN } measured_by;
    /* protocol in use; the reason for the choice is in @because */
    enum evaluate_protocol protocol;
    struct str because;
    unsigned workers;
    struct evaluation_result result;
    double seconds;
    double per;                     /* number of iterations of a block that the file's cycles
                                     * include */
    double cycles_median;           /* median cycles of the first blocks, if @per is not 1 */
    unsigned ranks;                 /* number of ranks that took part; 0: this process only */
};

struct evaluation_run {
    double per;
    bool sampling;                  /* whether to evaluate only the first blocks, without a job */
    size_t blocks;                  /* number of blocks assigned to workers so far */
    struct csv_reader *reader;
    int hex, cycles, arch;          /* column indices; -1: none */
    /* number of columns of the file that only kernel measure writes, 0 to 2 */
    int own;
    FILE *rows;                     /* file of option --blocks; NULL: none */
    const char *architecture;       /* requested value of the arch column; NULL: any */
    enum evaluate_half half;        /* half of the rows to evaluate, by a hash of a row's code */
    size_t passed;                  /* number of rows skipped because they are for other machines */
    struct evaluation **evaluations;
    struct batch *batches;
    /* other ranks, to which one worker sends batches; NULL: none */
    struct farm *farm;
    unsigned workers;
    struct err *err;
    bool failed;
};

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return isnan(x) ? !isnan(y) : isnan(y) ? -1 : (x > y) - (x < y);
}

static double number_of(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return *text && !*end ? value : NAN;
}

/* Returns the half to which a block belongs. Equal blocks are in the same half, in all files and in
 * upper and lower case. */
static enum evaluate_half half_of(const char *hex)
{
    char *lower = mem_strdup(hex);

    for (char *c = lower; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    bool odd = hash_text(lower) & 1;
    free(lower);
    return odd ? HALF_ODD : HALF_EVEN;
}

static void take_row(struct evaluation_run *run, struct batch *b, char **fields)
{
    if (run->arch >= 0 && run->architecture && strcmp(fields[run->arch], run->architecture) != 0) {
        run->passed++;
        return;
    }
    if (run->half != HALF_BOTH && half_of(fields[run->hex]) != run->half)
        return;
    b->starts[b->count] = b->text.length;
    str_add_bytes(&b->text, fields[run->hex], strlen(fields[run->hex]) + 1);
    b->cycles[b->count++] = number_of(fields[run->cycles]) / run->per;
}

static void tell_progress(const struct evaluation_run *run)
{
    double bytes, total;
    csv_reader_progress(run->reader, &bytes, &total);
    job_progress(bytes, total, "%zu block%s", run->blocks, plural(run->blocks));
}

static bool next_batch(void *state, unsigned worker)
{
    struct evaluation_run *run = state;
    struct batch *b = &run->batches[worker];
    char **fields;
    size_t count, need = (size_t)(run->hex > run->cycles ? run->hex : run->cycles) + 1;

    str_clear(&b->text);
    b->count = 0;
    if (run->arch >= (int)need)
        need = (size_t)run->arch + 1;
    while (!run->failed && b->count < BATCH &&
           csv_reader_next(run->reader, &fields, &count, run->err)) {
        if (count < need) {
            err_set(run->err, ERR_DATA, "add the missing fields to the row",
                    "%zu field%s instead of at least %zu", count, plural(count), need);
            err_at(run->err, NULL, csv_reader_row(run->reader), 0);
            run->failed = true;
            break;
        }
        take_row(run, b, fields);
    }
    run->failed |= run->err->code != ERR_NONE;
    run->blocks += b->count;
    if (!run->sampling)
        tell_progress(run);
    if (!run->failed && !run->sampling && job_cancelled(NULL))
        run->failed = !err_set(run->err, ERR_INTERRUPTED, NULL, "the evaluation was cancelled");
    return b->count > 0 && !run->failed;
}

/* Waits until another rank accepts the batch, and sends it. Drops the batch if the job is
 * cancelled. */
static void pass_on(struct evaluation_run *run, const struct batch *b)
{
    struct str piece = {0};

    while (!farm_room(run->farm, 0.05))
        if (job_cancelled(NULL))
            return;   /* next_batch sets run->failed. */
    pack_count(&piece, b->count);
    pack_array(&piece, b->cycles, b->count, sizeof *b->cycles);
    for (size_t i = 0; i < b->count; i++)
        pack_text(&piece, b->text.data + b->starts[i]);
    farm_give(run->farm, &piece);
    str_done(&piece);
}

static void work_batch(void *state, unsigned worker)
{
    struct evaluation_run *run = state;
    struct batch *b = &run->batches[worker];

    if (worker == run->workers) {
        pass_on(run, b);
        return;
    }
    for (size_t i = 0; i < b->count; i++)
        evaluation_add(run->evaluations[worker],
                       &(struct measured_block){b->text.data + b->starts[i], b->cycles[i]});
}

/* Finds the columns from the header. If there is no header, they are hex,cycles. Returns false with
 * err if the first line is neither a header nor such a row. */
static bool read_header(struct evaluation_run *run, struct err *err)
{
    char **fields;
    size_t count;

    if (!csv_reader_next(run->reader, &fields, &count, err))
        return err->code != ERR_NONE ? false
                                     : err_set(err, ERR_DATA,
                                               "the file needs rows with the "
                                               "columns hex and cycles",
                                               "the file is empty");
    run->hex = run->cycles = run->arch = -1;
    for (size_t i = 0; i < count; i++) {
        run->own += strcmp(fields[i], "spread") == 0 || strcmp(fields[i], "state") == 0;
        *(strcmp(fields[i], "hex") == 0      ? &run->hex
          : strcmp(fields[i], "cycles") == 0 ? &run->cycles
          : strcmp(fields[i], "arch") == 0   ? &run->arch
                                             : &(int){0}) = (int)i;
    }
    if (run->hex >= 0 && run->cycles >= 0)
        return true;
    if (count != 2 || !(number_of(fields[1]) > 0 || (!*fields[1] && text_is_hex(fields[0]))))
        return err_set(err, ERR_DATA,
                       "the first line names the columns; BHive's rows need no header",
                       "the column %s is missing", run->hex < 0 ? "hex" : "cycles");
    run->hex = 0;
    run->cycles = 1;
    take_row(run, &run->batches[0], fields); /* The row is data, so it is added to the first
                                                * batch. */
    return true;
}

static void add_worst(struct result *result, const struct evaluation_result *r)
{
    static const struct result_column columns[] = {
        {.key = "measured", .kind = CELL_NUMBER, .decimals = 2, .width = 8},
        {.key = "predicted", .kind = CELL_NUMBER, .decimals = 2, .width = 8},
        {.key = "bottleneck", .title = "bound by", .kind = CELL_TEXT, .width = 13},
        {.key = "hex", .kind = CELL_TEXT},
    };

    result_line(result, "\nworst blocks");
    struct result_table *t = RESULT_TABLE(result, "worst", columns);
    t->hide = NOT_CSV | NOT_JSON;
    t->indent = "  ";
    for (size_t i = 0; i < r->worst_count; i++) {
        cell_number(t, r->worst[i].measured);
        cell_number(t, r->worst[i].predicted);
        cell_text(t, bound_name(r->worst[i].bottleneck));
        cell_text(t, r->worst[i].hex);
    }
}

static void add_forms(struct result *result, const struct evaluation_result *r)
{
    static const struct result_column columns[] = {
        {.key = "excess", .kind = CELL_NUMBER, .decimals = 2, .width = 6},
        {.key = "blocks", .kind = CELL_COUNT, .width = 6},
        {.key = "mean", .title = "mean error", .unit = "%", .kind = CELL_NUMBER, .decimals = 1},
        {.key = "signed", .title = "mean signed error", .unit = "%", .kind = CELL_NUMBER,
         .decimals = 1},
        {.key = "form", .kind = CELL_TEXT},
    };

    result_line(
        result,
        "\n"
        "forms in blocks with large errors; excess: sum of the errors above the mean block error");
    struct result_table *t = RESULT_TABLE(result, "forms", columns);
    t->hide = NOT_CSV | NOT_JSON;
    t->indent = "  ";
    for (size_t i = 0; i < r->form_count && i < FORMS_SHOWN && r->forms[i].excess > 0; i++) {
        cell_number(t, r->forms[i].excess);
        cell_count(t, (int64_t)r->forms[i].blocks);
        cell_number(t, 100 * r->forms[i].sum / (double)r->forms[i].blocks);
        cell_number(t, 100 * r->forms[i].signed_sum / (double)r->forms[i].blocks);
        cell_text(t, r->forms[i].form);
    }
}

static void add_result(struct result *result, const struct machine *m, const char *model,
                       const struct evaluation_result *r, double seconds)
{
    double rate = seconds > 0 ? (double)r->n / seconds : 0;
    struct str kendall = {0};

    if (isfinite(r->kendall))
        str_addf(&kendall, "Kendall %.4f", r->kendall);
    else
        str_add(&kendall, "no rank correlation: all blocks have the same cycles");
    result_line(result,
                "%s, model %s: %zu block%s, coverage %.2f %%, mean error %.2f %%, median %.2f %%, "
                "%s%s (%.0f blocks/s)",
                m->title, model, r->n, plural(r->n), 100 * r->coverage, 100 * r->mape,
                100 * r->median, str_text(&kendall), r->sampled ? " (of a sample)" : "", rate);
    if (r->untimed)
        result_line(result,
                    r->untimed == 1 ? "%zu row without cycles ignored"
                                    : "%zu rows without cycles ignored",
                    r->untimed);
    if (r->refused)
        result_line(result,
                    r->refused == 1
                        ? "%zu row with cycles is not valid code, and counts as not covered"
                        : "%zu rows with cycles are not valid code, and count as not covered",
                    r->refused);
    result_text(result, "machine", m->id);
    result_text(result, "model", model);
    result_count(result, "n", (int64_t)r->n);
    result_number(result, "coverage", r->coverage);
    result_number(result, "mape", r->mape);
    result_number(result, "median", r->median);
    result_number(result, "kendall", r->kendall);
    result_count(result, "untimed", (int64_t)r->untimed);
    result_count(result, "refused", (int64_t)r->refused);
    result_number(result, "blocks_per_second", rate);
    add_worst(result, r);
    add_forms(result, r);
    str_done(&kendall);
}

static void run_done(struct evaluation_run *run, unsigned workers)
{
    for (unsigned i = 0; i < workers; i++) {
        evaluation_free(run->evaluations[i]);
        str_done(&run->batches[i].text);
    }
    if (run->farm)
        str_done(&run->batches[workers].text);
    free(run->evaluations);
    free(run->batches);
    csv_reader_close(run->reader);
}

/* Errors and cycles of the first blocks of a file */
struct glance_result {
    double median, mean;   /* relative errors; NaN: no blocks */
    double cycles;         /* median of the file's cycles; NaN: no blocks */
    size_t count;
};

/* Evaluates the model on the first blocks of @w's file. Assumes that their cycles are for @per
 * iterations and were measured by @protocol. */
static struct glance_result glance(struct kernel_evaluating *w, double per,
                                   enum evaluate_protocol protocol)
{
    struct glance_result seen = {NAN, NAN, NAN, 0};
    struct batch *batch = mem_zero(1, sizeof *batch);
    struct err none = {0};
    struct evaluation_run run = {.per = per,
                                 .workers = 1,
                                 .architecture = w->arch,
                                 .half = w->half,
                                 .err = &none,
                                 .batches = batch,
                                 .evaluations = mem_zero(1, sizeof *run.evaluations),
                                 .sampling = true};
    struct evaluation_result r = {0};
    size_t n = 0;

    run.evaluations[0] = evaluation_new(w->machine, MODEL_BOUNDS);
    evaluation_measured_by(run.evaluations[0], protocol);
    run.reader = csv_reader_open(w->file, &none);
    if (run.reader && read_header(&run, &none) && !run.own) {
        work_batch(&run, 0);
        next_batch(&run, 0);
        work_batch(&run, 0);
        qsort(batch->cycles, batch->count, sizeof *batch->cycles, by_number);
        /* Rows without cycles (NaN) are sorted last and not counted. */
        while (n < batch->count && !isnan(batch->cycles[n]))
            n++;
        seen.cycles = n ? batch->cycles[n / 2] * per : NAN;
    }
    evaluation_finish(run.evaluations[0], &r);
    if (n && r.n)
        seen = (struct glance_result){r.median, r.mape, seen.cycles, r.n};
    evaluation_result_done(&r);
    if (run.reader)
        run_done(&run, 1);
    else {
        evaluation_free(run.evaluations[0]);
        free(run.evaluations);
        free(batch);
    }
    return seen;
}

static bool is_rereadable(const struct kernel_evaluating *w)
{
    struct stat status;
    return stat(w->file, &status) == 0 && S_ISREG(status.st_mode);
}

/* Returns the iterations of a block that the file's cycles include: 100 as in BHive, or 1. Decides
 * by the median errors of the first blocks under both assumptions. Returns 1 if the file cannot be
 * read twice. If the result is 100, sets w->cycles_median. */
static double iterations_of(struct kernel_evaluating *w)
{
    if (!is_rereadable(w))
        return 1;
    const struct glance_result one = glance(w, 1, PROTOCOL_BHIVE),
                               many = glance(w, BHIVE_ITERATIONS, PROTOCOL_BHIVE);
    if (!(one.median > 0.9) || !(many.median < 0.6))
        return 1;
    w->cycles_median = many.cycles;
    return BHIVE_ITERATIONS;
}

/* Chooses the requested protocol, or kernel measure's if the file has all columns of kernel measure
 * (@own). Otherwise chooses the protocol with the smaller error on the first blocks. Chooses
 * BHive's protocol if the file cannot be read twice, or if both errors are large or equal. */
static void protocol_choose(struct kernel_evaluating *w, bool own)
{
    str_clear(&w->because);
    w->protocol =
        w->measured_by == MEASURED_BY_PORTOLAN || (w->measured_by == MEASURED_BY_COLUMNS && own)
            ? PROTOCOL_PORTOLAN
            : PROTOCOL_BHIVE;
    if (w->measured_by != MEASURED_BY_COLUMNS) {
        str_add(&w->because, "set by --measured-by");
    } else if (own) {
        str_add(&w->because, "the file has the columns spread and state of kernel measure");
    } else if (!is_rereadable(w)) {
        str_add(&w->because,
                "assumed: the file is a pipe and cannot be read twice; set --measured-by");
    } else {
        const struct glance_result copies = glance(w, w->per, PROTOCOL_BHIVE),
                                   loops = glance(w, w->per, PROTOCOL_PORTOLAN);
        /* If most blocks have equal times under both protocols, the mean error decides. */
        const bool close = fabs(copies.median - loops.median) < CLOSE;
        const double copies_error = close ? copies.mean : copies.median,
                     loops_error = close ? loops.mean : loops.median;
        w->protocol = loops_error < copies_error && loops_error < NONSENSE ? PROTOCOL_PORTOLAN
                                                                           : PROTOCOL_BHIVE;
        if (!(fmin(loops_error, copies_error) < NONSENSE))
            str_add(&w->because, "assumed: neither method explains the cycles; set --measured-by");
        else if (loops_error < copies_error || loops_error > copies_error)
            str_addf(&w->because,
                     "detected: the %s error of the first %zu blocks is %.2f %%; the error with "
                     "the other method is %.2f %%",
                     close ? "mean" : "median", copies.count, 100 * fmin(loops_error, copies_error),
                     100 * fmax(loops_error, copies_error));
        else
            str_addf(
                &w->because,
                "assumed: both methods explain the first %zu block%s%s equally; set --measured-by",
                copies.count, plural(copies.count), copies.count == 1 ? "s" : "");
    }
}

static void take_rows(void *state, struct unpacking *from)
{
    const struct evaluation_run *run = state;
    fwrite(from->at, 1, from->left, run->rows);
}

static bool take_evaluation(void *state, struct unpacking *from, struct err *err)
{
    const struct evaluation_run *run = state;
    return evaluation_take(run->evaluations[0], from) ||
           err_set(err, ERR_DATA, "start the same version of Portolan on every host",
                   "the results of another rank are damaged");
}

/* Starts other ranks for @run. Returns NULL if there are none, or if they are busy. */
static struct farm *hire(const struct kernel_evaluating *w, struct evaluation_run *run)
{
    const struct farm_taking taking = {run->rows ? take_rows : NULL, take_evaluation, job_cancelled,
                                       run};
    struct str setup = {0};

    if (ranks_count() == 1)
        return NULL;
    pack_count(&setup, w->model);
    pack_count(&setup, w->protocol == PROTOCOL_PORTOLAN);
    pack_count(&setup, run->rows != NULL);
    machine_pack(w->machine, &setup);
    struct farm *farm = farm_new(RANK_EVALUATE, w->workers, &setup, &taking);
    str_done(&setup);
    return farm;
}

/* Evaluates the whole file. Each worker has its own evaluation. At the end, all evaluations are
 * added to the first evaluation. Returns false with err on failure. */
static bool evaluate_file(struct kernel_evaluating *w, FILE *rows, struct err *err)
{
    static const struct pool_ops ops = {next_batch, work_batch};
    struct evaluation_run run = {
        .architecture = w->arch, .half = w->half, .rows = rows, .workers = w->workers, .err = err};

    run.per = w->per = iterations_of(w);
    run.reader = csv_reader_open(w->file, err);
    if (!run.reader)
        return false;
    run.evaluations = mem_zero(w->workers, sizeof *run.evaluations);
    run.batches = mem_zero(w->workers + 1, sizeof *run.batches);
    if (rows)
        evaluation_write_header(rows);
    for (unsigned i = 0; i < w->workers; i++) {
        run.evaluations[i] = evaluation_new(w->machine, w->model);
        evaluation_write_blocks(run.evaluations[i], rows);
    }
    bool ok = read_header(&run, err);
    if (ok)
        protocol_choose(w, run.own == 2);
    for (unsigned i = 0; ok && i < w->workers; i++)
        evaluation_measured_by(run.evaluations[i], w->protocol);
    if (ok)
        work_batch(&run, 0);
    if (ok && (run.farm = hire(w, &run)))
        w->ranks = ranks_count();
    if (ok)
        pool_run(w->workers + (run.farm != NULL), &ops, &run);
    if (run.farm)
        ok = farm_end(run.farm, err) && ok;
    ok = ok && !run.failed;
    if (ok) {
        for (unsigned i = 1; i < w->workers; i++)
            evaluation_merge(run.evaluations[0], run.evaluations[i]);
        evaluation_finish(run.evaluations[0], &w->result);
        ok = w->result.n > 0 || err_set(err, ERR_DATA,
                                        w->arch ? "choose another --arch"
                                                : "the file needs rows with the columns hex "
                                                  "and cycles",
                                        "no row has a block and its cycles%s%s",
                                        run.passed ? " of arch " : "", run.passed ? w->arch : "");
    }
    run_done(&run, w->workers);
    return ok || err_at(err, w->file, err->line, err->column);
}

static bool evaluate_run(void *state, struct result *result, struct err *err)
{
    struct kernel_evaluating *w = state;
    double start = clock_seconds();
    FILE *rows = w->rows_path ? fopen(w->rows_path, "w") : NULL;

    if (w->rows_path && !rows)
        return file_fault(err, w->rows_path, "write", "choose another file");
    bool ok = evaluate_file(w, rows, err);
    bool whole = !rows || !ferror(rows);   /* fclose reports only errors of the last buffer, so
                                            * earlier errors need ferror. */
    if (rows && (fclose(rows) != 0 || !whole) && ok)
        ok = err_set(err, ERR_IO, "delete files, or write to another disk", "%s is incomplete",
                     w->rows_path);
    w->seconds = clock_seconds() - start;
    return ok;
}

static bool evaluate_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct kernel_evaluating *w = state;

    if (w->per > 1) {
        result_line(result,
                    "the file's cycles are totals of %g iterations, as in BHive's data (median of "
                    "the first blocks: %g), and were divided by %g",
                    w->per, w->cycles_median, w->per);
        result_number(result, "divided_by", w->per);
    }
    result_line(result, "measurement method: %s (%s)",
                w->protocol == PROTOCOL_PORTOLAN ? "kernel measure's loops"
                                                 : "BHive's unrolled copies",
                str_text(&w->because));
    result_text(result, "measured_by", w->protocol == PROTOCOL_PORTOLAN ? "portolan" : "bhive");
    if (w->ranks) {
        result_line(result, "evaluated by %u ranks", w->ranks);
        result_count(result, "ranks", w->ranks);
    }
    add_result(result, w->machine, w->model == MODEL_BOUNDS ? "bounds" : "simulate", &w->result,
               w->seconds);
    return true;
}

static void evaluating_free(void *state)
{
    struct kernel_evaluating *w = state;
    free(w->arch);
    str_done(&w->because);
    machine_free(w->machine);
    evaluation_result_done(&w->result);
    free(w);
}

struct kernel_evaluate_values {
    const char *file, *machine, *model, *measured_by, *arch, *half, *blocks;
    size_t threads;
};

static bool prepare_evaluate(struct session *s, const void *values, struct task *task,
                             struct err *err)
{
    static const struct task_ops ops = {"evaluates", evaluate_run, evaluate_finish, evaluating_free,
                                        .listed = TASK_LISTED, .counts = true};
    const struct kernel_evaluate_values *v = values;
    const struct machine *m =
        v->machine ? session_machine(s, v->machine, err) : session_current(s, err);

    if (!m)
        return false;
    if (strcmp(m->isa, isa_name(ISA_UNSAID)) != 0)
        return err_set(err, ERR_USAGE, "select an x86-64 machine with --machine",
                       "the blocks are x86-64 code, but %s is a machine for %s", m->id, m->isa);
    struct kernel_evaluating *w = mem_zero(1, sizeof *w);
    w->file = v->file;
    w->arch = mem_strdup(v->arch ? v->arch : machine_fact(m, "arch"));
    w->rows_path = v->blocks;
    w->machine = machine_copy(m);
    w->model = v->model[0] == 'b' ? MODEL_BOUNDS : MODEL_SIMULATE;
    w->measured_by = !v->measured_by            ? MEASURED_BY_COLUMNS
                     : v->measured_by[0] == 'b' ? MEASURED_BY_BHIVE
                                                : MEASURED_BY_PORTOLAN;
    w->half = !v->half ? HALF_BOTH : v->half[0] == 'e' ? HALF_EVEN : HALF_ODD;
    w->workers = v->threads == NOT_GIVEN ? session_threads(s) : (unsigned)v->threads;
    return task_give(task, &ops, w);
}

const struct command command_kernel_evaluate = {
    .name = "kernel evaluate",
    .help = "evaluate a machine's model on measured blocks",
    .description = "Each row is a block of x86-64 machine code in hex and its cycles per "
                   "iteration. The result is the mean and median relative error and Kendall's rank "
                   "correlation. The worst blocks follow, and the forms common in blocks with "
                   "large errors. Coverage is the share of the rows with cycles whose instructions "
                   "are all known. Rows without cycles are ignored and counted.",
    .arguments = PARAMETERS(
        {PARAMETER(TEXT, "FILE", struct kernel_evaluate_values, file), .required = true,
         .complete = COMPLETE_FILE,
         .help = "CSV with the columns hex and cycles, or BHive's CSV without a header; kernel "
                 "measure --file --out writes such a CSV"}),
    .options = PARAMETERS(
        MACHINE_OPTION(kernel_evaluate_values, "the current machine",
                       "machine whose model predicts the blocks"),
        {PARAMETER(CHOICE, "--model", struct kernel_evaluate_values, model),
         .choices = "bounds|simulate", .initial = "bounds",
         .help = "model: the highest bound, or the simulator"},
        {PARAMETER(CHOICE, "--measured-by", struct kernel_evaluate_values, measured_by),
         .choices = "bhive|portolan", .fallback = "detected from the columns or the data",
         .help = "measurement method: BHive's, or kernel measure"},
        {PARAMETER(TEXT, "--arch", struct kernel_evaluate_values, arch), .value = "NAME",
         .fallback = "the machine fact arch",
         .help = "evaluate only rows with this value in the column arch"},
        {PARAMETER(CHOICE, "--half", struct kernel_evaluate_values, half), .choices = "even|odd",
         .fallback = "both",
         .help = "evaluate only this half of the rows, selected by a hash of the code, for example "
                 "to fit constants on one half and report the error of the other half"},
        {PARAMETER(COUNT, "--threads", struct kernel_evaluate_values, threads), .value = "N",
         .least = 1, .most = THREADS_MAX, .fallback = "the setting threads",
         .help = "worker threads"},
        {PARAMETER(TEXT, "--blocks", struct kernel_evaluate_values, blocks), .value = "FILE",
         .fallback = "none", .complete = COMPLETE_FILE,
         .help = "CSV to write with each block's cycles, prediction and bounds"}),
    .examples = EXAMPLES("kernel evaluate blocks.csv --machine skylake",
                         "kernel evaluate mine.csv --model simulate --blocks predictions.csv"),
    .values_size = sizeof(struct kernel_evaluate_values),
    .flags = COMMAND_JOB,
    .prepare = prepare_evaluate,
};

/* State of a rank other than rank 0, with an evaluation for each of its threads. */
struct evaluate_hand {
    struct machine *machine;
    unsigned workers;
    struct evaluation **evaluations;
    bool rows;              /* whether rank 0 needs a row per block */
};

static void *open_hand(struct farmhand *farmhand, struct unpacking *setup, unsigned workers,
                       struct err *err)
{
    struct evaluate_hand *hand = mem_zero(1, sizeof *hand);
    enum evaluate_model model = unpack_count(setup) ? MODEL_SIMULATE : MODEL_BOUNDS;
    enum evaluate_protocol protocol = unpack_count(setup) ? PROTOCOL_PORTOLAN : PROTOCOL_BHIVE;

    (void)farmhand;   /* Work items are short, so they are never cancelled. */
    hand->rows = unpack_count(setup) != 0;
    hand->machine = machine_unpack(setup, err);
    if (!hand->machine) {
        free(hand);
        return NULL;
    }
    hand->workers = workers;
    hand->evaluations = mem_zero(workers, sizeof *hand->evaluations);
    for (unsigned i = 0; i < workers; i++) {
        hand->evaluations[i] = evaluation_new(hand->machine, model);
        evaluation_measured_by(hand->evaluations[i], protocol);
    }
    return hand;
}

static bool evaluate_piece(void *state, unsigned worker, struct unpacking *piece,
                           struct str *answer, struct err *err)
{
    struct evaluate_hand *hand = state;
    size_t count = unpack_count(piece), size = 0;
    double cycles[BATCH];
    char *text = NULL;
    FILE *rows = hand->rows ? open_memstream(&text, &size) : NULL;

    piece->broken |= count > BATCH;
    unpack_array(piece, cycles, piece->broken ? 0 : count, sizeof *cycles);
    evaluation_write_blocks(hand->evaluations[worker], rows);
    for (size_t i = 0; !piece->broken && i < count; i++)
        evaluation_add(hand->evaluations[worker],
                       &(struct measured_block){unpack_text(piece), cycles[i]});
    evaluation_write_blocks(hand->evaluations[worker], NULL);
    bool whole = !hand->rows || (rows && fclose(rows) == 0);
    if (whole && size)
        pack_array(answer, text, size, 1);
    free(text);
    if (piece->broken)
        return err_set(err, ERR_DATA, "start the same version of Portolan on every host",
                       "blocks from rank 0 are damaged");
    return whole || err_memory_for(err, "the rows of blocks", size);
}

static bool close_hand(void *state, struct str *result, struct err *err)
{
    struct evaluate_hand *hand = state;

    for (unsigned i = 1; i < hand->workers; i++)
        evaluation_merge(hand->evaluations[0], hand->evaluations[i]);
    evaluation_pack(hand->evaluations[0], result);
    return true;
}

static void free_hand(void *state)
{
    struct evaluate_hand *hand = state;

    for (unsigned i = 0; i < hand->workers; i++)
        evaluation_free(hand->evaluations[i]);
    free(hand->evaluations);
    machine_free(hand->machine);
    free(hand);
}

const struct farm_work kernel_evaluate_farm = {open_hand, evaluate_piece, close_hand, free_hand};
