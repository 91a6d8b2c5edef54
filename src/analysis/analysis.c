/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/fusion.h"
#include "base/vec.h"
#include "model/schedule.h"

const char *bound_name(enum bound_kind kind)
{
    static const char *const names[BOUND_COUNT] = {"ports", "dividers", "issue", "frontend", "dependencies"};
    return names[kind];
}

const char *row_flag_name(uint32_t one_flag)
{
    static const char *const names[] = {"unknown", "zero-idiom", "ones-idiom", "eliminated", "fused", "fused-into", "load", "store", "divider"};
    unsigned bit = (unsigned)__builtin_ctz(one_flag | 1u << 31);
    return bit < sizeof names / sizeof *names ? names[bit] : "";
}

/* Port 7 of Skylake takes no index: the store's address goes where indexed ones may (fact indexed_store_ports). */
static void restrict_indexed_store(const struct machine *m, struct usage *usage)
{
    const char *text = machine_fact(m, "indexed_store_ports");
    struct usage restricted = {0};
    portset only;

    if (!text || !portset_parse(&text, mapping_ports(m->mapping), &only, NULL))
        return;
    for (unsigned i = 0; i < usage->count; i++) {
        portset set = usage->uops[i].ports;
        bool is_address = !(only & ~set) && portset_size(set) == portset_size(only) + 1;
        usage_add(&restricted, is_address ? only : set, usage->uops[i].count);
    }
    usage_done(usage);
    *usage = restricted;
}

static uint32_t micro_ops(const struct usage *usage, portset pipes)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < usage->count; i++)
        sum += usage->uops[i].ports & pipes ? 0 : usage->uops[i].count;
    return sum;
}

/* Slots at rename. On Intel (issue_domain fused) a load and its operation are one, a store's address and data are one;
 * elsewhere what the table counts. */
static double issue_slots(const struct machine *m, const struct insn *insn, const struct mapping_entry *entry, const struct usage *usage)
{
    if (!machine_has(m, "issue_domain", "fused"))
        return entry->micro_ops ? entry->micro_ops : 1;
    uint32_t slots = micro_ops(usage, mapping_ports(m->mapping)->pipes);
    if (insn->traits & INSN_LOAD && slots > 1)
        slots--;
    if (insn->traits & INSN_STORE && slots > 1)
        slots--;
    return slots ? slots : 1;
}

static void fill_row(const struct machine *m, const struct insn *insn, struct analysis_row *row)
{
    row->insn = insn;
    row->latency = NAN;
    row->issue = 1;
    row->flags |= (insn->traits & INSN_LOAD ? ROW_LOAD : 0) | (insn->traits & INSN_STORE ? ROW_STORE : 0);
    const struct mapping_entry *entry = fusion_resolve(m, insn);
    if (insn->traits & INSN_ZERO_IDIOM) {
        row->flags |= ROW_ZERO;
        row->latency = 0;
        return;
    }
    if (fusion_eliminates(m, insn)) {
        row->flags |= ROW_ELIMINATED;
        row->latency = 0;
        return;
    }
    if (insn->traits & INSN_NOP)
        return;
    if (!entry) {
        row->flags |= ROW_UNKNOWN;
        return;
    }
    if (insn->traits & INSN_ONES_IDIOM)
        row->flags |= ROW_ONES;
    usage_copy(&row->usage, &entry->usage);
    if ((insn->traits & INSN_STORE) && (insn->traits & INSN_INDEXED))
        restrict_indexed_store(m, &row->usage);
    row->latency = entry->latency;
    row->issue = issue_slots(m, insn, entry, &row->usage);
    for (unsigned i = 0; i < row->usage.count; i++)
        if (row->usage.uops[i].ports & mapping_ports(m->mapping)->pipes)
            row->flags |= ROW_PIPE;
}

/* The pair executes as the branch, plus the load if the first reads memory: its own operation is taken out. */
static void fuse(const struct machine *m, struct analysis_row *first, struct analysis_row *branch)
{
    struct usage fused = {0};

    for (unsigned i = 0; i < branch->usage.count; i++)
        usage_add(&fused, branch->usage.uops[i].ports, branch->usage.uops[i].count);
    if (first->flags & ROW_LOAD) {
        struct insn plain = *first->insn;
        strcpy(plain.form, "CMP (R64, R64)");
        const struct mapping_entry *operation = fusion_resolve(m, &plain);
        for (unsigned i = 0; i < first->usage.count; i++) {
            uint32_t count = first->usage.uops[i].count;
            if (operation && operation->usage.count && operation->usage.uops[0].ports == first->usage.uops[i].ports)
                count -= operation->usage.uops[0].count;
            if (count)
                usage_add(&fused, first->usage.uops[i].ports, count);
        }
    }
    usage_done(&first->usage);
    usage_done(&branch->usage);
    first->usage = fused;
    first->flags |= ROW_FUSED;
    first->issue = 1;
    branch->flags |= ROW_FUSED_INTO;
    branch->issue = 0;
}

/* µops of all rows in order; with @pipes false those on blocking pipes are left out. */
static struct mass *masses_of(const struct analysis *a, portset skip, size_t *n)
{
    VEC(struct mass) masses = {0};
    for (size_t i = 0; i < a->count; i++)
        for (unsigned k = 0; k < a->rows[i].usage.count; k++)
            if (!(a->rows[i].usage.uops[k].ports & skip))
                vec_push(&masses, ((struct mass){a->rows[i].usage.uops[k].ports, a->rows[i].usage.uops[k].count}));
    *n = masses.count;
    return masses.items ? masses.items : mem_alloc(1);
}

static void schedule(struct analysis *a)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    size_t n, plain;
    struct mass *masses = masses_of(a, 0, &n), *no_pipes = masses_of(a, ports->pipes, &plain);
    double *pressure = mem_zero(n * ports->count + 1, sizeof *pressure);

    schedule_balance(masses, n, ports->count, pressure, a->totals, NULL);
    size_t at = 0;
    for (size_t i = 0; i < a->count; i++)
        for (unsigned k = 0; k < a->rows[i].usage.count; k++, at++)
            for (unsigned j = 0; j < ports->count; j++)
                a->rows[i].pressure[j] += pressure[at * ports->count + j];
    struct throughput *t = throughput_new(ports->count);
    a->bounds[BOUND_PORTS] = throughput_bottleneck(t, no_pipes, plain, &a->bottleneck_ports);
    throughput_free(t);
    a->bounds[BOUND_PIPES] = ports->pipes ? 0 : NAN;
    for (unsigned j = 0; j < ports->count; j++)
        if (ports->pipes >> j & 1)
            a->bounds[BOUND_PIPES] = fmax(a->bounds[BOUND_PIPES], a->totals[j]);
    free(masses);
    free(no_pipes);
    free(pressure);
}

static void name_ports(const struct analysis *a, portset set, struct str *out)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    unsigned left = portset_size(set);
    str_add(out, left == 1 ? "port " : "ports ");
    for (unsigned j = 0; j < ports->count; j++)
        if (set >> j & 1) {
            str_addf(out, "%s%s", ports->names[j], left > 2 ? ", " : left == 2 ? " and " : "");
            left--;
        }
}

/* The rows that put the most on the ports of @set, at most three, as "vdivsd 4.00 (line 7)". */
static void name_rows(const struct analysis *a, portset set, struct str *out)
{
    bool taken[3] = {false};
    size_t chosen[3] = {0};

    for (int rank = 0; rank < 3; rank++) {
        double most = 0;
        for (size_t i = 0; i < a->count; i++) {
            bool used = false;
            for (int k = 0; k < rank; k++)
                used |= taken[k] && chosen[k] == i;
            double sum = 0;
            for (unsigned j = 0; j < PORTS_MAX && set >> j; j++)
                sum += set >> j & 1 ? a->rows[i].pressure[j] : 0;
            if (!used && sum > most + 1e-9) {
                most = sum;
                chosen[rank] = i;
                taken[rank] = true;
            }
        }
        if (!taken[rank])
            return;
        str_addf(out, "%s%s %.2f", rank ? ", " : "", a->rows[chosen[rank]].insn->mnemonic, most);
        if (a->rows[chosen[rank]].insn->line)
            str_addf(out, " (line %u)", a->rows[chosen[rank]].insn->line);
    }
}

static char *sentence_of(const struct analysis *a)
{
    struct str s = {0};
    const struct ports *ports = mapping_ports(a->machine->mapping);

    if (a->cycles <= 0) {
        str_add(&s, "Nothing in this loop occupies a port.");
    } else if (a->bottleneck == BOUND_PORTS) {
        size_t start = s.length;
        name_ports(a, a->bottleneck_ports, &s);
        s.data[start] = 'P';
        str_addf(&s, " %s full for %.2f cycles an iteration: most of it from ", portset_size(a->bottleneck_ports) == 1 ? "is" : "are", a->cycles);
        name_rows(a, a->bottleneck_ports, &s);
        str_add(&s, ".");
    } else if (a->bottleneck == BOUND_PIPES) {
        portset full = 0;
        for (unsigned j = 0; j < ports->count; j++)
            if (ports->pipes >> j & 1 && a->totals[j] >= a->cycles - 1e-9)
                full |= (portset)1 << j;
        str_addf(&s, "The divider is held for %.2f cycles an iteration: ", a->cycles);
        name_rows(a, full, &s);
        str_add(&s, ".");
    } else {
        double slots = 0;
        for (size_t i = 0; i < a->count; i++)
            slots += a->rows[i].issue;
        str_addf(&s, "Issue is full: %.0f µops an iteration, %g a cycle.", slots, machine_number(a->machine, "issue_width"));
    }
    if (a->lower_bound)
        str_add(&s, " Some forms are not known to this machine, so this is a lower bound.");
    return str_take(&s);
}

struct analysis *analysis_new(const struct kernel *k, const struct machine *m)
{
    struct analysis *a = mem_zero(1, sizeof *a);
    unsigned ports = mapping_ports(m->mapping)->count;
    const struct insn *insns = kernel_insns(k, &a->count);
    double slots = 0;

    a->machine = m;
    a->rows = mem_zero(a->count, sizeof *a->rows);
    a->totals = mem_zero(ports, sizeof *a->totals);
    for (size_t i = 0; i < a->count; i++) {
        a->rows[i].pressure = mem_zero(ports, sizeof(double));
        fill_row(m, &insns[i], &a->rows[i]);
        a->lower_bound |= (a->rows[i].flags & ROW_UNKNOWN) != 0;
    }
    for (size_t i = 0; i + 1 < a->count; i++)
        if (!((a->rows[i].flags | a->rows[i + 1].flags) & ROW_UNKNOWN) && fusion_pairs(m, &insns[i], &insns[i + 1]))
            fuse(m, &a->rows[i], &a->rows[i + 1]);
    schedule(a);
    for (size_t i = 0; i < a->count; i++)
        slots += a->rows[i].issue;
    a->bounds[BOUND_ISSUE] = slots / machine_number(m, "issue_width");
    a->bounds[BOUND_FRONTEND] = a->bounds[BOUND_DEPENDENCIES] = NAN;
    for (int kind = 0; kind < BOUND_COUNT; kind++)
        if (!isnan(a->bounds[kind]) && a->bounds[kind] > a->cycles) {
            a->cycles = a->bounds[kind];
            a->bottleneck = (enum bound_kind)kind;
        }
    a->sentence = sentence_of(a);
    return a;
}

void analysis_free(struct analysis *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->count; i++) {
        usage_done(&a->rows[i].usage);
        free(a->rows[i].pressure);
    }
    free(a->rows);
    free(a->totals);
    free(a->sentence);
    free(a);
}
