/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes data/machines/a64fx/overrides.csv from the rows of section 16 of Fujitsu's A64FX
 * Microarchitecture Manual. tools/a64fx-rows.csv lists the forms of each row. Manual rows in the
 * output remain, after the generated ones, and override them.
 *
 *     make-a64fx MANUAL ROWS OVERRIDES
 *
 * MANUAL has the columns section, instruction, condition_and_uops, latency ("2+1" for two steps)
 * and pipelines, in the manual's order. ROWS identifies its rows in the same order by the first
 * three columns. Pipelines in ROWS replace the manual's unless empty. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* first words of the source of generated rows */
#define MARK "Fujitsu A64FX Microarchitecture Manual 1.8.1, section 16, "
/* the first-level cache access, which the manual's pipelines do not list */
#define LOAD "1*p[L1A,L1B]"
#define KINDS_MOST 4          /* most sets of pipelines in a row */

static const struct pipeline { const char *name, *ports;
} pipelines[] = {
    {"EX* , EAG*", "p[EAGA,EAGB,EXA,EXB]"},
    {"EX*", "p[EXA,EXB]"},
    {"EXA", "p[EXA]"},
    {"EXB", "p[EXB]"},
    {"EAG*", "p[EAGA,EAGB]"},
    {"EAGA", "p[EAGA]"},
    {"EAGB", "p[EAGB]"},
    {"FL*", "p[FLA,FLB]"},
    {"FLA", "p[FLA]"},
    {"FLB", "p[FLB]"},
    {"PRX", "p[PR]"},
    {"BR", "p[BR]"},
};

enum manual_column { SECTION, INSTRUCTION, CONDITION, LATENCY, PIPELINES, MANUAL_COLUMNS };
static const char *const manual_names[] = {"section", "instruction", "condition_and_uops",
                                           "latency", "pipelines"};
enum rule_column {
    RULE_SECTION, RULE_INSTRUCTION, RULE_CONDITION, RULE_PIPELINES, RULE_ACCESS, RULE_FORMS,
    RULE_COLUMNS
};
static const char *const rule_names[] = {"section",   "instruction", "condition",
                                         "pipelines", "access",      "forms"};

/* A CSV file and the positions of its columns. */
struct source { struct csv_table *table; int at[RULE_COLUMNS]; };

static bool source_open(const char *path, const char *const *names, size_t count,
                        struct source *out, struct err *err)
{
    out->table = csv_table_read(path, err);
    for (size_t i = 0; out->table && i < count; i++) {
        out->at[i] = csv_table_column(out->table, names[i]);
        if (out->at[i] < 0) {
            err_set(err, ERR_DATA, "give a table with it", "%s: no column %s", path, names[i]);
            return false;
        }
    }
    return out->table != NULL;
}

static const char *field(const struct source *s, size_t row, int column)
{
    return s->table->rows[row][s->at[column]];
}

static const struct pipeline *pipeline_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++)
        if (strlen(pipelines[i].name) == length && strncmp(pipelines[i].name, name, length) == 0)
            return &pipelines[i];
    return NULL;
}

/* Adds the numbers of "2+1". */
static unsigned cycles_of(const char *latency)
{
    unsigned sum = 0;

    for (char *end; *latency; latency = end) {
        if (isdigit((unsigned char)*latency))
            sum += (unsigned)strtoul(latency, &end, 10);
        else
            end = (char *)latency + 1;
    }
    return sum;
}

/* Appends the pipelines of "EX* + EAG*" or "FLA, FLA" with their counts. A row marked E occupies
 * its only pipeline for its latency, and pipeline EX for two cycles. */
static bool add_parts(const char *text, bool held, unsigned latency, struct str *out,
                      struct err *err)
{
    struct { const struct pipeline *p; unsigned count; } parts[KINDS_MOST];
    size_t n = 0;

    for (const char *at = text; *at; at += strspn(at, "+, ")) {
        size_t length = strcspn(at, "+, "), k = 0;
        const struct pipeline *p = pipeline_find(at, length);
        bool none = length == strlen("NULL") && strncmp(at, "NULL", length) == 0;
        for (; k < n && parts[k].p != p; k++)
            ;
        if (!none && (!p || k == KINDS_MOST)) {
            err_set(err, ERR_DATA, "name pipelines of the manual", "pipelines \"%s\"", text);
            return false;
        }
        if (!none && k == n)
            parts[n++].count = 0;
        if (!none) {
            parts[k].p = p;
            parts[k].count++;
        }
        at += length;
    }
    if (held && n == 1)
        parts[0].count = strcmp(parts[0].p->name, "EX*") == 0 ? 2 : latency;
    for (size_t k = 0; k < n; k++)
        str_addf(out, "%s%u*%s", k ? "+" : "", parts[k].count, parts[k].p->ports);
    return true;
}

static bool add_usage(const char *text, bool held, unsigned latency, bool load, struct str *out,
                      struct err *err)
{
    const struct pipeline *either = pipeline_find(text, strlen(text));
    bool ok = true;

    if (str_has_prefix(text, "(EXA + EXA)"))   /* Both steps use the same pipeline. */
        str_add(out, "2*p[EXA,EXB]");
    else if (either && strchr(text, ','))
        str_addf(out, "1*%s", either->ports);
    else
        ok = add_parts(text, held, latency, out, err);
    if (load)
        str_addf(out, "%s" LOAD, out->length ? "+" : "");
    return ok;
}

/* Returns whether the word is a µop count or a mark in the manual's columns, which is not part of a
 * name. */
static bool is_mark(const char *word, size_t length)
{
    static const char *const marks[] = {"1", "E", "P", "✓"};

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strlen(marks[i]) == length && strncmp(marks[i], word, length) == 0)
            return true;
    return false;
}

/* Appends the row's name, which is the instruction and the condition, without marks after it. The
 * condition may consist only of marks. */
static void add_name(const char *instruction, const char *condition, struct str *out)
{
    size_t end = strlen(condition);

    for (size_t from = end; end; end = from) {
        while (end && condition[end - 1] == ' ')
            end--;
        for (from = end; from && condition[from - 1] != ' '; from--)
            ;
        if (!is_mark(condition + from, end - from))
            break;
    }
    str_addf(out, MARK "%s%s%.*s", instruction, end ? " " : "", (int)end, condition);
}

/* Appends one row for each form of @forms, "A;B". */
static void add_rows(const char *forms, const char *usage, const char *latency, const char *name,
                     struct str *out)
{
    for (const char *at = forms; *at; at += strspn(at, ";")) {
        size_t length = strcspn(at, ";");
        char *form = mem_strndup(at, length);
        csv_add_field(out, form, false);
        csv_add_field(out, usage, false);
        str_addf(out, "%s,1,", latency);
        csv_add_field(out, name, true);
        free(form);
        at += length;
    }
}

/* Appends the rows of rule @i, from row @k of the manual. */
static bool take_rule(const struct source *rules, size_t i, const struct source *manual, size_t k,
                      struct str *out, struct err *err)
{
    const char *condition = field(rules, i, RULE_CONDITION), *latency = field(manual, k, LATENCY),
               *text = field(rules, i, RULE_PIPELINES);
    struct str usage = {0}, name = {0};
    size_t length = strlen(condition);
    char cycles[16] = "";

    if (strcmp(latency, "NA") != 0)
        snprintf(cycles, sizeof cycles, "%u", cycles_of(latency));
    add_name(field(rules, i, RULE_INSTRUCTION), condition, &name);
    bool held =
        length && condition[length - 1] == 'E' && (length == 1 || condition[length - 2] == ' ');
    bool ok = add_usage(*text ? text : field(manual, k, PIPELINES), held, cycles_of(latency),
                        *field(rules, i, RULE_ACCESS), &usage, err);
    if (ok)
        add_rows(field(rules, i, RULE_FORMS), str_text(&usage), cycles, str_text(&name), out);
    str_done(&usage);
    str_done(&name);
    return ok;
}

static bool take_rules(const struct source *rules, const struct source *manual, struct str *out,
                       struct err *err)
{
    size_t k = 0;

    for (size_t i = 0; i < rules->table->count; i++, k++) {
        for (; k < manual->table->count; k++) {
            bool same = true;
            for (int c = SECTION; c <= CONDITION; c++)
                same &= strcmp(field(manual, k, c), field(rules, i, c)) == 0;
            if (same)
                break;
        }
        if (k == manual->table->count) {
            err_set(err, ERR_DATA, "keep the manual's order",
                    "the manual's table has no row %s, %s behind the one before",
                    field(rules, i, RULE_INSTRUCTION), field(rules, i, RULE_CONDITION));
            return false;
        }
        if (!take_rule(rules, i, manual, k, out, err))
            return false;
    }
    return true;
}

/* Appends the lines of @path after its header that this program did not generate. */
static bool keep_by_hand(const char *path, struct str *out, struct err *err)
{
    struct str text = {0};
    bool ok = file_read(path, 1 << 24, &text, err);

    for (const char *line = str_text(&text) + strcspn(str_text(&text), "\n"); ok && *line;
         line += strcspn(line, "\n")) {
        line++;
        char *copy = mem_strndup(line, strcspn(line, "\n"));
        if (*copy && !strstr(copy, MARK))
            str_addf(out, "%s\n", copy);
        free(copy);
    }
    str_done(&text);
    return ok;
}

int main(int argc, char **argv)
{
    struct source manual = {0}, rules = {0};
    struct str out = {0};
    struct err err = {0};
    char text[2048];

    if (argc != 4) {
        fputs("usage: make-a64fx MANUAL ROWS OVERRIDES\n", stderr);
        return 2;
    }
    str_add(&out, "form,usage,latency,micro_ops,source\n");
    bool ok = source_open(argv[1], manual_names, MANUAL_COLUMNS, &manual, &err) &&
              source_open(argv[2], rule_names, RULE_COLUMNS, &rules, &err) &&
              take_rules(&rules, &manual, &out, &err) && keep_by_hand(argv[3], &out, &err) &&
              file_write(argv[3], out.data, out.length, &err);
    if (!ok)
        fprintf(stderr, "%s\n", err_text(&err, text, sizeof text));
    csv_table_free(manual.table);
    csv_table_free(rules.table);
    str_done(&out);
    return !ok;
}
