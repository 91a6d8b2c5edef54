/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latencies of a shipped machine beside a table of others, form by form in the order of how often programs use them.
 * Usage: audit-latencies MACHINE TABLE FREQUENCIES [N]. TABLE is uops.info's (columns instruction,latency) or what `latency measure` wrote (form,from,to,cycles,state).
 * For each of the first N forms (500) that both know, the chains that `latency measure` would run are analysed: what the dependencies say for each pair of operands.
 * Prints a row for each that differs by half a cycle or more (form,count,from,to,predicted,theirs), then how many forms and pairs were compared. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "base/csv.h"
#include "base/mem.h"
#include "io/machine_file.h"
#include "isa/chain.h"

#define LINKS 8
#define NEAR 0.5

/* What uops.info says: the least and the most over all pairs of operands, either perhaps only an upper limit. */
struct range {
    double low, high;
    bool low_limit, high_limit;
};

struct audit {
    const struct machine *machine;
    struct block_work *work;
    const struct csv_table *table;
    struct forms *forms;
    size_t compared, pairs, wrong;
};

static double number_of(const char *text, bool *limit)
{
    *limit = strncmp(text, "≤", strlen("≤")) == 0 || strncmp(text, "<=", 2) == 0;
    while (*text && !strchr("0123456789", *text))
        text++;
    return *text ? strtod(text, NULL) : NAN;
}

/* "3", "[1;≤7]"; false where nothing is said. */
static bool range_parse(const char *text, struct range *out)
{
    const char *second = strchr(text, ';');

    out->low = number_of(text, &out->low_limit);
    if (text[0] == '[')
        out->low = number_of(text + 1, &out->low_limit);
    out->high = out->low;
    out->high_limit = out->low_limit;
    if (second)
        out->high = number_of(second + 1, &out->high_limit);
    return !isnan(out->low) && !isnan(out->high);
}

/* Cycles per link of @chain as the machine has it, less what the helper takes: what runs, or by its dependences alone. NaN when it has no such chain. */
static double predict(struct audit *a, const struct form_code *code, const struct chain *chain, bool runs)
{
    static struct body body;
    static struct insn insns[BODY_LIMIT / 2];
    static const struct block_options options = {.shape = SHAPE_CACHED, .start = START_DIFFERENT};
    size_t count = 0;
    struct bounds bounds;

    if (!chain_make(code, chain, LINKS, &body, NULL))
        return NAN;
    for (size_t at = 0; at < body.length; at += insns[count++].length)
        if (!insn_decode(ISA_X86_64, body.code + at, body.length - at, at, false, &insns[count], NULL))
            return NAN;
    bounds_of(a->work, insns, count, &options, false, &bounds);
    return bounds.unknown ? NAN : (runs ? bounds.total : bounds.cycles[BOUND_DEPENDENCIES]) / LINKS - chain->helper;
}

static void report(struct audit *a, const char *form, const char *count, const char *from, const char *to, double predicted, const char *theirs)
{
    a->wrong++;
    printf("\"%s\",%s,%s,%s,%.2f,%s\n", form, count, from, to, predicted, theirs);
}

/* Beside what was measured for each pair of operands. */
static bool compare_measured(struct audit *a, const struct form_code *code, const char *form, const char *count)
{
    int columns[5];
    static const char *const names[] = {"form", "from", "to", "cycles", "state"};
    struct chain chains[CHAINS_MAX];
    size_t n = chain_list(code, chains);
    bool any = false;

    for (int i = 0; i < 5; i++)
        columns[i] = csv_table_column(a->table, names[i]);
    for (size_t i = 0; i < a->table->count; i++) {
        char **row = a->table->rows[i];
        if (strcmp(row[columns[0]], form) != 0 || strcmp(row[columns[4]], "ok") != 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(chains[k].from_name, row[columns[1]]) != 0 || strcmp(chains[k].to_name, row[columns[2]]) != 0)
                continue;
            double predicted = predict(a, code, &chains[k], true), measured = strtod(row[columns[3]], NULL);
            a->pairs += !isnan(predicted);
            any |= !isnan(predicted);
            if (fabs(predicted - measured) >= NEAR)
                report(a, form, count, row[columns[1]], row[columns[2]], predicted, row[columns[3]]);
            break;
        }
    }
    return any;
}

/* What the machine itself takes longer for than the cycle that the chain's helper is counted as: the flags of its TEST, its CMOVZ. */
static double helper_extra(const struct audit *a, const char *form, const struct chain *chain)
{
    const struct mapping_entry *select = mapping_find(a->machine->mapping, "CMOVZ (R64, R64)");
    char mnemonic[FORM_MAX];

    snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)strcspn(form, " "), form);
    for (char *c = mnemonic; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if ((chain->kind == CHAIN_FROM_FLAGS && machine_has(a->machine, "slow_flags", "test")) || (chain->kind == CHAIN_TO_FLAGS && machine_has(a->machine, "slow_flags", mnemonic)))
        return machine_number(a->machine, "slow_flags_latency") - 1;
    return chain->kind == CHAIN_TO_FLAGS && select && select->latency > 1 ? select->latency - 1 : 0;
}

/* The pairs that a range speaks of: not through memory, and not there and back. */
static bool is_plain(const struct form_code *code, const struct chain *chain)
{
    if (chain->kind == CHAIN_TO_FLAGS && strstr(code->row->form, " (M"))
        return false;   /* the next one reads the same memory, which takes longer */
    return chain->kind == CHAIN_REGISTER || chain->kind == CHAIN_OWN || chain->kind == CHAIN_FLAGS || chain->kind == CHAIN_FROM_FLAGS || chain->kind == CHAIN_TO_FLAGS ||
           chain->kind == CHAIN_ADDRESS;
}

static bool compare_range(struct audit *a, const struct form_code *code, const char *form, const char *count)
{
    int name = csv_table_column(a->table, "instruction"), latency = csv_table_column(a->table, "latency");
    struct chain chains[CHAINS_MAX];
    struct range range;
    double low = INFINITY, high = -INFINITY;
    const char *theirs = NULL;
    size_t least = 0, most = 0;

    for (size_t i = 0; !theirs && i < a->table->count; i++)
        theirs = strcmp(a->table->rows[i][name], form) == 0 ? a->table->rows[i][latency] : NULL;
    if (!theirs || !range_parse(theirs, &range))
        return false;
    size_t n = chain_list(code, chains);
    for (size_t k = 0; k < n; k++) {
        double predicted = is_plain(code, &chains[k]) ? predict(a, code, &chains[k], false) - helper_extra(a, form, &chains[k]) : NAN;
        if (isnan(predicted))
            continue;
        a->pairs++;
        if (predicted < low) {
            low = predicted;
            least = k;
        }
        if (predicted > high) {
            high = predicted;
            most = k;
        }
    }
    if (isinf(low))
        return false;
    bool single = !(range.high > range.low);
    if (high >= range.high + NEAR || (high <= range.high - NEAR && !range.high_limit && (single || chains[most].kind == CHAIN_ADDRESS)))
        report(a, form, count, chains[most].from_name, chains[most].to_name, high, theirs);
    else if ((low <= range.low - NEAR && !range.low_limit) || (low >= range.low + NEAR && single))
        report(a, form, count, chains[least].from_name, chains[least].to_name, low, theirs);
    return true;
}

static bool run(struct audit *a, const struct csv_table *frequencies, size_t most)
{
    bool measured = csv_table_column(a->table, "from") >= 0;
    int name = csv_table_column(frequencies, "form"), count = csv_table_column(frequencies, "count");

    for (size_t i = 0; i < frequencies->count && a->compared < most; i++) {
        const char *form = frequencies->rows[i][name], *often = frequencies->rows[i][count];
        const struct form_row *row = forms_find(a->forms, form);
        struct form_code *code = row ? form_code_new(row, NULL) : NULL;
        if (code)
            a->compared += measured ? compare_measured(a, code, form, often) : compare_range(a, code, form, often);
        form_code_free(code);
    }
    return a->compared > 0;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    char text[2048];
    struct audit a = {0};

    if (argc < 4) {
        fputs("usage: audit-latencies MACHINE TABLE FREQUENCIES [N]\n", stderr);
        return 2;
    }
    struct machine *machine = machine_load(argv[1], &err);
    struct csv_table *table = machine ? csv_table_read(argv[2], &err) : NULL, *frequencies = table ? csv_table_read(argv[3], &err) : NULL;
    a.forms = frequencies ? forms_load(ISA_X86_64, NULL, &err) : NULL;
    bool ok = a.forms != NULL;
    if (ok) {
        a.machine = machine;
        a.table = table;
        a.work = block_work_new(machine);
        run(&a, frequencies, argc > 4 ? strtoul(argv[4], NULL, 10) : 500);
        printf("%s: %zu forms, %zu pairs of operands, %zu differ\n", argv[1], a.compared, a.pairs, a.wrong);
        block_work_free(a.work);
    } else {
        fprintf(stderr, "audit-latencies: %s\n", err_text(&err, text, sizeof text));
    }
    forms_free(a.forms);
    csv_table_free(frequencies);
    csv_table_free(table);
    machine_free(machine);
    return !ok;
}
