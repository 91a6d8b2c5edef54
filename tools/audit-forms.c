/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares latencies, micro-ops and ports of a shipped machine with another table, by form in order
 * of frequency in programs.
 *
 *     audit-forms MACHINE TABLE FREQUENCIES EXCEPTIONS [N]
 *
 * TABLE is uops.info's (columns instruction,latency,uops,ports) or the output of `latency measure`
 * (form,from,to,cycles,state). For the first N forms (500) that are in both, the chains of `latency
 * measure` are analysed: the latency that the dependences imply for each pair of operands.
 * EXCEPTIONS (machine,field,form,theirs,why) lists numbers of the table that are known to be wrong;
 * machine and form are patterns, an empty theirs matches all. Prints a row for each latency that
 * differs by half a cycle or more (form,count,from,to,predicted,theirs), a row for each micro-op
 * count and port usage that differs (form,count,uops or ports,ours,theirs), and the number of
 * comparisons. Ports are compared if the table has them with the machine's names (Intel). Fails if
 * a latency differs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bounds.h"
#include "base/choices.h"
#include "base/csv.h"
#include "base/mem.h"
#include "io/machine_file.h"
#include "isa/body.h"
#include "isa/x86/encode.h"

#define LINKS 8
#define NEAR 0.5
/* largest difference in cycles for divisions, whose time depends on the quotient */
#define NEAR_DIVIDED 1.5

/* uops.info's range: minimum and maximum over all pairs of operands. Either may be only an upper
 * limit. */
struct range {
    double low, high;
    bool low_limit, high_limit;
};

struct audit {
    const struct machine *machine;
    struct block_work *work;
    const struct csv_table *table;
    const struct csv_table *exceptions;
    struct forms *forms;
    size_t compared, pairs, wrong, excepted;
    size_t counts, count_wrong, ports, ports_wrong;
};

/* Query for a row of the exceptions. */
struct exception {
    const char *form;
    bool matches;
};

static bool match_exception(const char *pattern, void *data, struct err *err)
{
    struct exception *e = data;

    (void)err;
    e->matches |= str_match(pattern, e->form);
    return true;
}

/* Returns whether @theirs is known to be wrong for the @field (latency, uops, ports) of @form. */
static bool is_exception(struct audit *a, const char *field, const char *form, const char *theirs)
{
    static const char *const names[] = {"machine", "field", "form", "theirs"};
    int columns[4];

    for (int i = 0; i < 4; i++)
        columns[i] = csv_table_column(a->exceptions, names[i]);
    for (size_t i = 0; i < a->exceptions->count; i++) {
        char **row = a->exceptions->rows[i];
        struct exception e = {.form = form};
        if (!str_match(row[columns[0]], a->machine->id) || strcmp(row[columns[1]], field) != 0 ||
            (*row[columns[3]] && strcmp(row[columns[3]], theirs) != 0))
            continue;
        if (choices_each(row[columns[2]], match_exception, &e, NULL) && e.matches)
            return true;
    }
    return false;
}

static double number_of(const char *text, bool *limit)
{
    *limit = strncmp(text, "≤", strlen("≤")) == 0 || strncmp(text, "<=", 2) == 0;
    while (*text && !strchr("0123456789", *text))
        text++;
    return *text ? strtod(text, NULL) : NAN;
}

/* Parses "3" or "[1;≤7]". Returns false for an empty text. */
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

/* Returns the cycles per link of @chain on the machine minus those of its helper instruction. They
 * are the highest bound if @runs, otherwise the bound of dependences. Returns NaN if the machine
 * has no such chain. */
static double predict(struct audit *a, const struct form_code *code, const struct chain *chain,
                      bool runs)
{
    static struct body body;
    static struct insn insns[BODY_LIMIT / 2];
    static const struct block_options options = {.shape = SHAPE_CACHED, .start = START_DIFFERENT};
    size_t count = 0;
    struct bounds bounds;

    if (!chain_make(code, chain, LINKS, &body, NULL))
        return NAN;
    for (size_t at = 0; at < body.length; at += insns[count++].length)
        if (!insn_decode(ISA_X86_64, body.code + at, body.length - at, at, false, &insns[count],
                         NULL))
            return NAN;
    bounds_of(a->work, insns, count, &options, false, &bounds);
    return bounds.unknown
               ? NAN
               : (runs ? bounds.total : bounds.cycles[BOUND_DEPENDENCIES]) / LINKS - chain->helper;
}

static void report(struct audit *a, const char *form, const char *count, const char *from,
                   const char *to, double predicted, const char *theirs)
{
    if (is_exception(a, "latency", form, theirs)) {
        a->excepted++;
        return;
    }
    a->wrong++;
    printf("\"%s\",%s,%s,%s,%.2f,%s\n", form, count, from, to, predicted, theirs);
}

static const struct insn *insn_of(const struct form_code *code)
{
    return &((const struct x86_code *)code->own)->insn;
}

/* Returns the cycles by which the chain's helper, TEST or CMOVZ, exceeds its assumed cycle on this
 * machine. For uops.info, slow flags of the form itself are also part of its latency. */
static double helper_extra(const struct audit *a, const struct chain *chain)
{
    const struct mapping_entry *select = mapping_find(a->machine->mapping, "CMOVZ (R64, R64)");

    if (chain->kind == CHAIN_FROM_FLAGS && machine_has(a->machine, "slow_flags", "test"))
        return machine_number(a->machine, "slow_flags_latency") - 1;
    return chain->kind == CHAIN_TO_FLAGS && select && select->latency > 1 ? select->latency - 1 : 0;
}

/* Returns the cycles that uops.info's chain has in addition to ours: a shuffle between two
 * additions (fact bypass_delay_addition). */
static double chain_extra(const struct audit *a, const struct form_code *code,
                          const struct chain *chain)
{
    double extra = machine_number(a->machine, "bypass_delay_addition");

    return insn_of(code)->operation == OPERATION_FP_ADD && chain->kind == CHAIN_REGISTER &&
                   !isnan(extra) && !strstr(code->row->form, "ZMM")
               ? extra
               : 0;
}

/* Returns whether rename executes the operation only for some registers or constants, such as a
 * move to another register, or the addition of a small constant. */
static bool may_be_renamed(const struct audit *a, const struct form_code *code,
                           const struct chain *chain)
{
    const struct operand *address = insn_memory(insn_of(code));

    if (chain->kind != CHAIN_REGISTER)
        return false;
    if (core_op(a->work->core, insn_of(code))->traits & OP_ELIMINATED)
        return true;
    return insn_of(code)->operation == OPERATION_ADDRESS && address && address->index == REG_NONE &&
           !isnan(machine_number(a->machine, "immediate_folding"));
}

/* Returns whether the form divides, so that its cycles depend on the operands. uops.info has a
 * range for such forms. A measurement covers only some operands. */
static bool divides(const char *form)
{
    return strstr(form, "DIV") != NULL || strstr(form, "SQRT") != NULL;
}

/* Returns whether the next link reads the same memory, which takes longer. */
static bool is_through_memory(const struct form_code *code, const struct chain *chain)
{
    return (chain->kind == CHAIN_TO_FLAGS || chain->kind == CHAIN_FLAGS) &&
           strstr(code->row->form, " (M");
}

/* Returns whether a range covers the pair, which is neither through memory nor a round trip. */
static bool is_plain(const struct form_code *code, const struct chain *chain)
{
    if (is_through_memory(code, chain))
        return false;
    return chain->kind == CHAIN_REGISTER || chain->kind == CHAIN_OWN ||
           chain->kind == CHAIN_FLAGS || chain->kind == CHAIN_FROM_FLAGS ||
           chain->kind == CHAIN_TO_FLAGS || chain->kind == CHAIN_ADDRESS;
}

/* Compares the measured latency of each pair of operands. */
static bool compare_measured(struct audit *a, const struct form_code *code, const char *form,
                             const char *count)
{
    int columns[5];
    static const char *const names[] = {"form", "from", "to", "cycles", "state"};
    struct chain chains[CHAINS_MAX];
    size_t n = chain_list(code, chains);
    bool any = false;

    if (divides(form))
        return false;
    for (int i = 0; i < 5; i++)
        columns[i] = csv_table_column(a->table, names[i]);
    for (size_t i = 0; i < a->table->count; i++) {
        char **row = a->table->rows[i];
        if (strcmp(row[columns[0]], form) != 0 || strcmp(row[columns[4]], "ok") != 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            if (strcmp(chains[k].from_name, row[columns[1]]) != 0 ||
                strcmp(chains[k].to_name, row[columns[2]]) != 0 ||
                is_through_memory(code, &chains[k]))
                continue;
            double predicted = predict(a, code, &chains[k], true),
                   measured = strtod(row[columns[3]], NULL);
            a->pairs += !isnan(predicted);
            any |= !isnan(predicted);
            if (fabs(predicted - measured) >= NEAR)
                report(a, form, count, row[columns[1]], row[columns[2]], predicted,
                       row[columns[3]]);
            break;
        }
    }
    return any;
}

static bool compare_range(struct audit *a, const struct form_code *code, const char *form,
                          const char *count)
{
    int name = csv_table_column(a->table, "instruction"),
        latency = csv_table_column(a->table, "latency");
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
        double predicted = is_plain(code, &chains[k])
                               ? predict(a, code, &chains[k], false) - helper_extra(a, &chains[k]) +
                                     chain_extra(a, code, &chains[k])
                               : NAN;
        if (isnan(predicted))
            continue;
        if (range.low == 0 && may_be_renamed(a, code, &chains[k]))
            predicted = 0;
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
    double near = divides(form) ? NEAR_DIVIDED : NEAR;
    if (high >= range.high + near || (high <= range.high - near && !range.high_limit &&
                                      (single || chains[most].kind == CHAIN_ADDRESS)))
        report(a, form, count, chains[most].from_name, chains[most].to_name, high, theirs);
    else if ((low <= range.low - near && !range.low_limit) || (low >= range.low + near && single))
        report(a, form, count, chains[least].from_name, chains[least].to_name, low, theirs);
    return true;
}

/* Returns the number after the slash of "1 / 2", or the only number: µops before fusion. Returns
 * NaN if there is none. */
static double last_number(const char *text)
{
    const char *slash = strrchr(text, '/'), *at = slash ? slash + 1 : text;
    char *end;
    double value = strtod(at, &end);

    return end == at ? NAN : value;
}

static unsigned plain_uops(const struct usage *usage, portset pipes, struct usage *out)
{
    unsigned count = 0;

    for (unsigned i = 0; i < usage->count; i++) {
        if (usage->uops[i].ports & pipes)
            continue;
        count += usage->uops[i].count;
        usage_add(out, usage->uops[i].ports, usage->uops[i].count);
    }
    return count;
}

/* Compares port sets, without dividers. Work that only one table assigns to rename is a separate
 * fact (eliminate, immediate_folding). */
static void compare_ports(struct audit *a, const char *form, const char *count,
                          const struct usage *ours, const char *theirs)
{
    const struct ports *names = mapping_ports(a->machine->mapping);
    struct usage usage = {0};
    struct str text = {0};

    if (*theirs && ours->count && usage_parse(theirs, names, &usage, NULL)) {
        a->ports++;
        if (!usage_equal(ours, &usage)) {
            if (is_exception(a, "ports", form, theirs)) {
                a->excepted++;
            } else {
                a->ports_wrong++;
                usage_print(ours, names, &text);
                printf("\"%s\",%s,ports,%s,%s\n", form, count, str_text(&text), theirs);
            }
        }
    }
    usage_done(&usage);
    str_done(&text);
}

/* Compares µops and ports with a row of uops.info. For microcode, the table's number is the
 * measured time in slots and not a count. */
static void compare_uops(struct audit *a, const char *form, const char *count)
{
    int name = csv_table_column(a->table, "instruction"), uops = csv_table_column(a->table, "uops"),
        ports = csv_table_column(a->table, "ports");
    const struct mapping_entry *entry = mapping_find(a->machine->mapping, form);
    const struct core *core = a->work->core;
    struct usage plain = {0};
    char **row = NULL;

    for (size_t i = 0; !row && i < a->table->count; i++)
        row = strcmp(a->table->rows[i][name], form) == 0 ? a->table->rows[i] : NULL;
    if (!entry || !row || uops < 0 || ports < 0)
        return;
    unsigned ported = plain_uops(&entry->usage, core->pipes, &plain),
             ours = entry->micro_ops ? entry->micro_ops : ported;
    double theirs = last_number(row[uops]);
    bool slots = strstr(entry->source, "microcode") != NULL;
    if (!isnan(theirs) && theirs > 0 && !slots && !(core->fused_domain && !ported)) {
        a->counts++;
        if ((double)ours != theirs && is_exception(a, "uops", form, row[uops])) {
            a->excepted++;
        } else if ((double)ours != theirs) {
            a->count_wrong++;
            printf("\"%s\",%s,uops,%u,%s\n", form, count, ours, row[uops]);
        }
    }
    if (core->fused_domain && !slots)
        compare_ports(a, form, count, &plain, row[ports]);
    usage_done(&plain);
}

static bool run(struct audit *a, const struct csv_table *frequencies, size_t most)
{
    bool measured = csv_table_column(a->table, "from") >= 0;
    int name = csv_table_column(frequencies, "form"),
        count = csv_table_column(frequencies, "count");

    for (size_t i = 0; i < frequencies->count && a->compared < most; i++) {
        const char *form = frequencies->rows[i][name], *often = frequencies->rows[i][count];
        const struct form_row *row = forms_find(a->forms, form);
        struct form_code *code = row ? form_code_new(row, NULL) : NULL;
        bool known = code && (measured ? compare_measured(a, code, form, often)
                                       : compare_range(a, code, form, often));
        a->compared += known;
        if (known && !measured)
            compare_uops(a, form, often);
        form_code_free(code);
    }
    return a->compared > 0;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    char text[2048];
    struct audit a = {0};

    if (argc < 5) {
        fputs("usage: audit-forms MACHINE TABLE FREQUENCIES EXCEPTIONS [N]\n", stderr);
        return 2;
    }
    struct machine *machine = machine_load(argv[1], &err);
    struct csv_table *table = machine ? csv_table_read(argv[2], &err) : NULL,
                     *frequencies = table ? csv_table_read(argv[3], &err) : NULL;
    struct csv_table *exceptions = frequencies ? csv_table_read(argv[4], &err) : NULL;
    a.forms = exceptions ? forms_load(ISA_X86_64, NULL, &err) : NULL;
    bool ok = a.forms != NULL;
    if (ok) {
        a.machine = machine;
        a.table = table;
        a.exceptions = exceptions;
        a.work = block_work_new(machine);
        run(&a, frequencies, argc > 5 ? strtoul(argv[5], NULL, 10) : 500);
        printf("%s: %zu forms; latencies: %zu pairs of operands, %zu differ; micro-ops: %zu, %zu "
               "differ; ports: %zu, %zu differ; known faults of the other table: %zu\n",
               argv[1], a.compared, a.pairs, a.wrong, a.counts, a.count_wrong, a.ports,
               a.ports_wrong, a.excepted);
        block_work_free(a.work);
    } else {
        fprintf(stderr, "audit-forms: %s\n", err_text(&err, text, sizeof text));
    }
    forms_free(a.forms);
    csv_table_free(exceptions);
    csv_table_free(frequencies);
    csv_table_free(table);
    machine_free(machine);
    return !ok || a.wrong;
}
