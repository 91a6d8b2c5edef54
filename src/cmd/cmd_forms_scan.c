/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/rank_worker.h"
#include "toolchain/scan.h"
#include "work/job.h"

#define MISSING_SHOWN 30

/* Returns whether the machine's tables have the instruction. Returns true for a hint that decodes
 * as nop, because it needs no entry. */
static bool knows(const struct machine *m, const struct scan_form *form)
{
    struct insn insn = {.traits = form->traits};
    memcpy(insn.form, form->form, sizeof insn.form);
    return (form->traits & INSN_NOP) || fusion_resolve(m, &insn);
}

/* Returns whether both the machine's CPU and its tables lack the instruction. */
static bool cannot_run(const struct machine *m, const struct scan_form *form,
                       const struct forms *forms)
{
    const struct form_row *row = forms_find(forms, form->form);
    return row && machine_lacks(m, row->extension) && !knows(m, form);
}

/* Returns the share of instructions that the machine's tables have. Excludes instructions that both
 * the tables and the CPU lack, and sets *@lacking to their number. Each run of undecoded bytes
 * counts as one unknown instruction. Returns 0 if no instruction remains. */
static double coverage(const struct machine *m, const struct scan *scan, const struct forms *forms,
                       uint64_t *lacking)
{
    uint64_t known = 0, all = 0;

    *lacking = 0;
    for (size_t i = 0; i < scan->forms.count; i++) {
        const struct scan_form *form = &scan->forms.items[i];
        bool knew = knows(m, form);
        all += form->count;
        known += knew ? form->count : 0;
        *lacking += !knew && cannot_run(m, form, forms) ? form->count : 0;
    }
    all += scan->undecoded;
    all -= *lacking;
    return all ? (double)known / (double)all : 0;
}

/* Selects the machines to compare: two chosen by the instruction set, then the other selected
 * machines of that instruction set. Returns their number, at most 32; 0 with err if one cannot be
 * loaded. */
static size_t machines_of(struct session *s, enum isa isa, struct machine *out[32], struct err *err)
{
    const char *const *always = isa_ops(isa)->common_machines;
    size_t n = 0;
    for (size_t i = 0; i < 2 + s->document.kept[isa].count && n < 32; i++) {
        struct machine *m =
            session_machine(s, i < 2 ? always[i] : s->document.kept[isa].ids[i - 2], err);
        if (!m)
            return 0;
        bool there = false;
        for (size_t k = 0; k < n; k++)
            there |= out[k] == m;
        if (!there)
            out[n++] = m;
    }
    return n;
}

/* Adds the forms that a machine's tables lack, unless its CPU lacks them too. Begins with the most
 * frequent form. */
static void add_missing(const struct scan *scan, const struct forms *forms,
                        struct machine *const *machines, size_t n, struct result *result)
{
    static const struct result_column columns[] = {
        {.key = "form", .kind = CELL_TEXT},
        {.key = "count", .kind = CELL_COUNT},
        {.key = "machines", .kind = CELL_TEXT},
        {.key = "place", .kind = CELL_TEXT},
    };
    struct result_table *t = RESULT_TABLE(result, "missing", columns);
    size_t shown = 0;

    t->hide = NOT_TEXT;   /* Text omits this table, so the default output fits a screen. */
    for (size_t i = 0; i < scan->forms.count; i++) {
        const struct scan_form *form = &scan->forms.items[i];
        struct str lacking = {0};
        for (size_t k = 0; k < n; k++)
            if (!knows(machines[k], form) && !cannot_run(machines[k], form, forms))
                str_addf(&lacking, "%s%s", lacking.length ? ", " : "", machines[k]->id);
        if (lacking.length) {
            cell_text(t, form->form);
            cell_count(t, (int64_t)form->count);
            cell_text(t, str_text(&lacking));
            cell_text(t, form->place);
            if (shown++ < MISSING_SHOWN)
                result_line(result, "missing %10llu  %-40s %s, for example at %s",
                            (unsigned long long)form->count, form->form, str_text(&lacking),
                            form->place);
        }
        str_done(&lacking);
    }
    if (shown > MISSING_SHOWN)
        result_line(result, "and %zu rarer form%s", shown - MISSING_SHOWN,
                    plural(shown - MISSING_SHOWN));
}

static void show(const struct scan *scan, const struct forms *forms,
                 struct machine *const *machines, size_t n, struct result *result)
{
    json_t *fractions = json_object();

    result_line(
        result,
        "%llu instruction%s, %zu form%s; instructions omitted as %s: %llu; bytes not decoded: %llu",
        (unsigned long long)scan->instructions, plural((unsigned long long)scan->instructions),
        scan->forms.count, plural(scan->forms.count), isa_ops(scan->isa)->set_aside,
        (unsigned long long)scan->set_aside, (unsigned long long)scan->skipped_bytes);
    if (scan->undecoded)
        result_line(result,
                    "decoding failed at %llu place%s (data or unknown instructions); each place "
                    "counts as one unknown instruction",
                    (unsigned long long)scan->undecoded, plural(scan->undecoded));
    result_count(result, "instructions", (int64_t)scan->instructions);
    result_count(result, "forms", (int64_t)scan->forms.count);
    for (size_t i = 0; i < n; i++) {
        uint64_t without;
        double fraction = coverage(machines[i], scan, forms, &without);
        json_object_set_new(fractions, machines[i]->id, json_number(fraction));
        result_line(result, "%-18s covers %8.4f %% of instructions", machines[i]->id,
                    fraction < 1 ? fmin(100 * fraction, 99.9999) : 100);
        if (without)
            result_line(
                result,
                "%-18s excludes %llu instruction%s of instruction sets that the machine's CPU "
                "lacks",
                "", (unsigned long long)without, plural(without));
    }
    result_nested(result, "coverage", fractions);
    add_missing(scan, forms, machines, n, result);
    result_count(result, "set_aside", (int64_t)scan->set_aside);
    result_count(result, "undecoded", (int64_t)scan->undecoded);
}

/* State of the job of forms scan. The worker reads files; the UI thread queries the machines at the
 * end. */
struct scanning {
    struct scan scan;
    char **paths;
    size_t count, at;    /* number of files, and number of files assigned to workers */
    unsigned threads;
    struct farm *farm;   /* other ranks; NULL: none */
    char *out;           /* file for the counts of all forms; NULL: none */
    struct forms *forms; /* form table of the scanned instruction set; the worker loads it */
};

/* Sends paths of files to other ranks while any of them accepts work. */
static void feed(struct scanning *j)
{
    struct str path = {0};

    while (j->farm && j->at < j->count && farm_room(j->farm, 0)) {
        str_clear(&path);
        pack_text(&path, j->paths[j->at++]);
        farm_give(j->farm, &path);
    }
    str_done(&path);
}

static bool take_counts(void *state, struct unpacking *from, struct err *err)
{
    return scan_take(&((struct scanning *)state)->scan, from, err);
}

static bool scan_progress(void *context, const struct scan *scan, double fraction)
{
    struct scanning *j = context;
    feed(j);
    job_progress((double)j->at - 1 + fraction, (double)j->count, "%.1f M instructions",
                 (double)scan->instructions / 1e6);
    return !job_cancelled(NULL);
}

/* Writes the counts of all forms, most frequent first. */
static bool write_counts(const struct scan *scan, const char *path, struct err *err)
{
    struct str text = {0};

    str_add(&text, "form,count\n");
    for (size_t i = 0; i < scan->forms.count; i++) {
        csv_add_field(&text, scan->forms.items[i].form, false);
        str_addf(&text, "%llu\n", (unsigned long long)scan->forms.items[i].count);
    }
    bool ok = file_write(path, str_text(&text), text.length, err);
    str_done(&text);
    return ok;
}

static bool scan_run(void *state, struct result *result, struct err *err)
{
    struct scanning *j = state;
    struct str nothing = {0};
    bool ok = true;

    j->scan.progress = scan_progress;
    j->scan.context = j;
    if (j->count > 1)
        j->farm = farm_new(
            RANK_SCAN, j->threads, &nothing,
            &(struct farm_taking){.result = take_counts, .cancelled = job_cancelled, .state = j});
    for (feed(j); ok && j->at < j->count; feed(j))
        ok = scan_file(&j->scan, j->paths[j->at++], err);
    if (j->farm)
        ok = farm_end(j->farm, err) && ok;
    if (!ok)
        return false;
    scan_sort(&j->scan);
    if (j->out && !write_counts(&j->scan, j->out, err))
        return false;
    job_progress((double)j->count, (double)j->count, "%.1f M instructions",
                 (double)j->scan.instructions / 1e6);
    j->forms = forms_load(j->scan.isa, NULL, err);
    return j->forms != NULL;
}

static bool scan_finish(struct session *s, void *state, struct result *result, struct err *err)
{
    struct scanning *j = state;
    struct machine *machines[32];
    const size_t n = machines_of(s, j->scan.isa, machines, err);

    if (!s->document.forms[j->scan.isa])
        session_set_forms(s, forms_hold(j->forms));
    if (n)
        show(&j->scan, s->document.forms[j->scan.isa], machines, n, result);
    return n > 0;
}

static void scan_free(void *state)
{
    struct scanning *j = state;
    mem_free_texts(j->paths, j->count);
    free(j->out);
    forms_free(j->forms);
    scan_done(&j->scan);
    free(j);
}

struct scan_values {
    struct word_list files;
    const char *out;
};

static bool run(struct session *s, const void *values, struct result *result, struct err *err)
{
    static const struct task_ops ops = {NULL, scan_run, scan_finish, scan_free, .counts = true};
    const struct scan_values *v = values;
    struct scanning *j = mem_zero(1, sizeof *j);
    char title[80];

    j->threads = session_threads(s);
    j->paths = mem_alloc(v->files.count * sizeof *j->paths);
    for (size_t i = 0; i < v->files.count; i++)
        j->paths[j->count++] = mem_strdup(v->files.items[i]);
    j->out = mem_strdup(v->out);
    snprintf(title, sizeof title, "forms scan %s%s", v->files.items[0],
             v->files.count > 1 ? " ..." : "");
    unsigned number = task_begin(s, title, &(struct task){&ops, .state = j}, err);
    if (!number || !s->interactive)
        return number && queue_wait(s, number, err);
    result_confirm(result, "job %u scans the files; the table appears when the job ends", number);
    result_count(result, "job", number);
    return true;
}

const struct command command_forms_scan = {
    .name = "forms scan",
    .help = "count the forms in ELF files, and show the forms that a machine lacks",
    .description = "Static counts: every instruction in the code counts once.",
    .arguments = PARAMETERS(
        {PARAMETER(WORDS, "BINARY", struct scan_values, files), .required = true,
         .complete = COMPLETE_FILE,
         .help = "ELF programs and libraries, whose code is decoded completely"}),
    .options = PARAMETERS(
        {PARAMETER(TEXT, "--out", struct scan_values, out), .value = "CSV",
         .complete = COMPLETE_FILE, .fallback = "no file is written",
         .help = "CSV to write with all forms and their counts, the most frequent first"}),
    .examples = EXAMPLES("forms scan /bin/ls", "forms scan /bin/bash --out counts.csv"),
    .values_size = sizeof(struct scan_values),
    .flags = COMMAND_JOB,
    .run = run,
};

/* State of a rank other than rank 0. Each of its threads counts the forms of files. */
struct scan_hand {
    struct farmhand *hand;
    unsigned workers;
    struct scan *scans;
};

static bool scan_continues(void *context, const struct scan *scan, double fraction)
{
    return !farm_cancelled(((struct scan_hand *)context)->hand);
}

static void *open_hand(struct farmhand *farmhand, struct unpacking *setup, unsigned workers,
                       struct err *err)
{
    struct scan_hand *hand = mem_zero(1, sizeof *hand);

    hand->hand = farmhand;
    hand->workers = workers;
    hand->scans = mem_zero(workers, sizeof *hand->scans);
    for (unsigned i = 0; i < workers; i++) {
        hand->scans[i].progress = scan_continues;
        hand->scans[i].context = hand;
    }
    return hand;
}

static bool scan_piece(void *state, unsigned worker, struct unpacking *piece, struct str *answer,
                       struct err *err)
{
    struct scan_hand *hand = state;

    return scan_file(&hand->scans[worker], unpack_text(piece), err);
}

/* Adds the counts of all threads and packs the sum for rank 0. */
static bool close_hand(void *state, struct str *result, struct err *err)
{
    struct scan_hand *hand = state;
    struct scan all = {0};
    bool ok = true;

    for (unsigned i = 0; ok && i < hand->workers; i++) {
        struct str bytes = {0};
        scan_pack(&hand->scans[i], &bytes);
        ok = scan_take(&all, &(struct unpacking){bytes.data, bytes.length, false}, err);
        str_done(&bytes);
    }
    scan_pack(&all, result);
    scan_done(&all);
    return ok;
}

static void free_hand(void *state)
{
    struct scan_hand *hand = state;

    for (unsigned i = 0; i < hand->workers; i++)
        scan_done(&hand->scans[i]);
    free(hand->scans);
    free(hand);
}

const struct farm_work forms_scan_farm = {open_hand, scan_piece, close_hand, free_hand};
