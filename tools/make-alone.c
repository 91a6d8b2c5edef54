/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the rows from alone to alone of data/machines/<id>/latencies.csv from tables of
 * uops.info: forms that take longer among copies of themselves than the machine's ports, slots and
 * dependences predict. Manual rows remain and override generated ones.
 *
 *     make-alone DIRECTORY TABLES [ID...] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/mem.h"
#include "io/import.h"
#include "io/machine_file.h"
#include "toolchain/assemble.h"

#define LONGER 1.1      /* minimum ratio of measured to predicted cycles */
/* minimum difference in cycles, because smaller ones come from ports and not from microcode */
#define CYCLES 0.9
#define COPIES 32       /* copies of a form in a body */
#define INSNS_MOST 256  /* most instructions in a body */
#define UNKNOWN_LEAST 8 /* minimum cycles that indicate microcode, for a form without ports */
#define MARK "uops.info, alone: "   /* first words of the source of generated rows */

/* @table is the file name in TABLES without .csv, @core the measured core. @as is a shipped machine
 * with that core, if @id has another one that was not measured. */
static const struct measured {
    const char *id, *table, *core, *as;
} machines[] = {
    {"sandybridge", "haswell", "Haswell", "haswell"},
    {"ivybridge", "haswell", "Haswell", "haswell"},
    {"haswell", "haswell", "Haswell", NULL},
    {"broadwell", "broadwell", "Broadwell", NULL},
    {"skylake", "skylake", "Skylake", NULL},
    {"skylake-avx512", "skylakex", "Skylake-X", NULL},
    {"icelake-server", "icelake", "Ice Lake client", "icelake-client"},
    {"alderlake-p", "alderlakep", "Alder Lake P", NULL},
    {"sapphirerapids", "alderlakep", "Alder Lake P", "alderlake-p"},
    {"lunarlake-p", "alderlakep", "Alder Lake P", "alderlake-p"},
    {"znver1", "zen", "Zen+", NULL},
    {"znver2", "zen2", "Zen 2", NULL},
    {"znver3", "zen3", "Zen 3", NULL},
    {"znver4", "zen4", "Zen 4", NULL},
};

/* Assembles one instruction of each form. Its length is 0 if rejected. */
static struct insn *instances(const struct forms *forms, struct err *err)
{
    struct insn *list = mem_zero(forms_count(forms), sizeof *list);
    struct str text = {0};
    struct assembled code;

    for (size_t i = 0; i < forms_count(forms); i++) {
        form_instance(forms_at(forms, i), &text);
        str_add_char(&text, '\n');
    }
    bool ok =
        assemble(ISA_X86_64, "forms", str_text(&text), text.length, SYNTAX_INTEL, true, &code, err);
    for (size_t i = 0; ok && i < code.line_count; i++) {
        struct insn *insn = &list[code.lines[i].line - 1];
        uint64_t at = code.lines[i].offset;
        struct err ignored = {0};
        if (!insn->length &&
            !insn_decode(ISA_X86_64, code.code + at, code.length - at, at, false, insn, &ignored))
            insn->length = 0;
    }
    assembled_done(&code);
    str_done(&text);
    if (!ok)
        free(list);
    return ok ? list : NULL;
}

/* Returns the cycles of a block of the @count instructions by its bounds, divided by @executions.
 * Returns NaN if the machine lacks a form. */
static double block_cycles(struct block_work *work, const struct insn *insns, size_t count,
                           unsigned executions)
{
    struct bounds bounds;

    bounds_of(work, insns, count, &(struct block_options){.shape = SHAPE_CACHED}, false, &bounds);
    return bounds.unknown ? NAN : bounds.total / executions;
}

/* Returns the cycles that the machine predicts for one of several copies of the form, without the
 * rules made here. They include dependences, unless the time without dependences is longer. Returns
 * NaN if the machine lacks the form. */
static double model_cycles(const struct form_row *row, const struct insn *instance,
                           struct block_work *work)
{
    struct err err = {0};
    struct form_code *code = form_code_any(row, &err);
    struct body *body = mem_zero(1, sizeof *body);
    struct insn *insns = mem_zero(INSNS_MOST, sizeof *insns);
    uint32_t one = 1;
    size_t count = 0, at = 0;
    double cycles = block_cycles(work, instance, 1, 1);

    bool ok =
        code && body_make(&code, &one, 1, &(struct body_shape){.instructions = COPIES}, body, &err);
    for (; ok && at < body->length && count < INSNS_MOST; at += insns[count++].length)
        ok = insn_decode(row->isa, body->code + at, body->length - at, at, false, &insns[count],
                         &err);
    if (ok && count)
        cycles = fmax(cycles, block_cycles(work, insns, count, body->executions));
    form_code_free(code);
    free(insns);
    free(body);
    return cycles;
}

/* Returns whether the measurement is of the form alone. Excludes repetition by a count, the
 * predecoder, adjacent branches, devices, and memory beyond the caches. */
static bool is_plain(const struct insn *insn)
{
    static const char *const others[] = {"in", "out", "ins?", "outs?", "*movnt*"};
    bool loop = str_has_prefix(insn->mnemonic, "loop");

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (str_match(others[i], insn->mnemonic))
            return false;
    return insn->length && !(insn->traits & INSN_LCP) && (loop || !(insn->traits & INSN_BRANCH)) &&
           !analysis_repeated(insn, 1);
}

/* Returns whether copies take longer than the machine predicts. @model is NaN if it lacks the
 * form. */
static bool takes_longer(double cycles, double model)
{
    return isnan(model) ? cycles >= UNKNOWN_LEAST
                        : cycles > model * LONGER && cycles > model + CYCLES;
}

/* Returns whether a manual rule has the form's time alone. */
static bool by_hand(const struct machine *m, const char *form)
{
    for (size_t i = 0; i < m->latency_count; i++)
        if (m->latencies[i].from == LATENCY_ALONE && !strstr(m->latencies[i].source, MARK) &&
            str_match(m->latencies[i].form, form))
            return true;
    return false;
}

/* Appends the lines of @path except generated ones, unchanged. */
static bool keep_lines(const char *path, struct str *out, struct err *err)
{
    struct str text = {0};
    bool there = access(path, F_OK) == 0, ok = !there || file_read(path, 1 << 24, &text, err);

    if (!there)
        str_add(out, "form,from,to,cycles,source\n");

    for (const char *line = str_text(&text); ok && *line;) {
        size_t length = strcspn(line, "\n") + 1;
        char *copy = mem_strndup(line, length);
        if (!strstr(copy, ",alone,alone,") || !strstr(copy, MARK))
            str_add(out, copy);
        free(copy);
        line += line[length - 1] ? length : length - 1;
    }
    str_done(&text);
    return ok;
}

static void add_line(const struct measured *which, const char *form, double cycles, struct str *out)
{
    struct str source = {0};

    str_addf(&source, "%s" MARK "%s", which->as ? "estimate after " : "", which->core);
    csv_add_field(out, form, false);
    str_addf(out, "alone,alone,%g,", cycles);
    csv_add_field(out, str_text(&source), true);
    str_done(&source);
}

/* Removes the alone-to-alone rules from @m. */
static void drop_alone(struct machine *m)
{
    size_t kept = 0;

    for (size_t i = 0; i < m->latency_count; i++)
        if (m->latencies[i].from != LATENCY_ALONE)
            m->latencies[kept++] = m->latencies[i];
    m->latency_count = kept;
}

/* Creates a model of the machine at @directory without generated rules. Stores the machine, to
 * which the model refers, in *@m. Returns NULL with err on failure. */
static struct block_work *open_model(const char *directory, const char *id, struct machine **m,
                                     struct err *err)
{
    struct str path = {0};

    str_addf(&path, "%s/%s", directory, id);
    *m = machine_load(str_text(&path), err);
    str_done(&path);
    if (!*m)
        return NULL;
    struct machine *plain = machine_copy(*m);
    drop_alone(plain);
    return block_work_new(plain);
}

/* Replaces the generated rows of one machine. */
static bool make(const char *directory, const char *tables, const struct measured *which,
                 const struct forms *forms, const struct insn *insns, struct err *err)
{
    struct str path = {0}, text = {0};
    struct machine *m = NULL, *other = NULL;
    size_t written = 0;

    str_addf(&path, "%s/%s.csv", tables, which->table);
    struct mapping *alone = import_uops_alone(str_text(&path), forms, err);
    struct block_work *work = alone ? open_model(directory, which->id, &m, err) : NULL,
                      *core =
                          work && which->as ? open_model(directory, which->as, &other, err) : work;
    str_clear(&path);
    str_addf(&path, "%s/%s/latencies.csv", directory, which->id);
    bool ok = core && keep_lines(str_text(&path), &text, err);
    for (size_t i = 0; ok && i < forms_count(forms); i++) {
        const struct form_row *row = forms_at(forms, i);
        const struct mapping_entry *entry = mapping_find(alone, row->form);
        if (!entry || !(entry->latency > CYCLES) || !is_plain(&insns[i]) ||
            machine_lacks(m, row->extension) || by_hand(m, row->form))
            continue;
        if (!takes_longer(entry->latency, model_cycles(row, &insns[i], core)) ||
            (core != work && !takes_longer(entry->latency, model_cycles(row, &insns[i], work))))
            continue;
        add_line(which, row->form, entry->latency, &text);
        written++;
    }
    ok = ok && file_write(str_text(&path), text.data, text.length, err);
    printf("%s: %zu forms take longer alone than their ports say\n", which->id, written);
    mapping_free(alone);
    str_done(&path);
    str_done(&text);
    return ok;   /* Models are not freed, because the program ends soon. */
}

int main(int argc, char **argv)
{
    struct err err = {0};
    char text[2048];

    if (argc < 3) {
        fputs("usage: make-alone DIRECTORY TABLES [ID...]\n", stderr);
        return 2;
    }
    struct forms *forms = forms_load(ISA_X86_64, NULL, &err);
    struct insn *insns = forms ? instances(forms, &err) : NULL;
    bool ok = insns != NULL;
    for (size_t i = 0; ok && i < sizeof machines / sizeof *machines; i++) {
        bool chosen = argc == 3;
        for (int k = 3; k < argc; k++)
            chosen |= strcmp(argv[k], machines[i].id) == 0;
        ok = !chosen || make(argv[1], argv[2], &machines[i], forms, insns, &err);
    }
    if (!ok)
        fprintf(stderr, "%s\n", err_text(&err, text, sizeof text));
    free(insns);
    forms_free(forms);
    return !ok;
}
