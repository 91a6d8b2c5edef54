/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/advice.h"

#include <math.h>
#include <string.h>

#include "analysis/alternatives.h"
#include "analysis/nest.h"
#include "base/str.h"

#define SLOTS_FULL 0.005     /* relative, by which a bound of slots passes them where all are filled */
#define NAMED_ESTIMATES 3      /* mnemonics that the sentence names */

static void name_ports(const struct analysis *a, portset set, struct str *out)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    str_add(out, portset_size(set) == 1 ? "port " : "ports ");
    portset_list(set, ports, ", ", " and ", out);
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
        insn_place_note(a->rows[chosen[rank]].insn, out);
    }
}

/* The rows of the cycle, at most six by name. */
static void chain_sentence(const struct analysis *a, struct str *out)
{
    size_t links = 0, named = 0;
    bool memory = false;

    for (size_t i = 0; i < a->count; i++)
        links += (a->rows[i].flags & ROW_CHAIN) != 0;
    str_addf(out, "Loop-carried dependency of %.2f cycles through ", a->cycles);
    for (size_t i = 0; i < a->count; i++) {
        if (!(a->rows[i].flags & ROW_CHAIN))
            continue;
        memory |= (a->rows[i].flags & ROW_STORE) != 0;
        if (named++ == 6) {
            str_addf(out, " and %zu more", links - 6);
            break;
        }
        str_addf(out, "%s%s", named > 1 ? ", " : "", a->rows[i].insn->mnemonic);
        insn_place_note(a->rows[i].insn, out);
    }
    str_add(out, memory ? ": the value goes through memory; keep it in a register to avoid the store and the load." :
            links > 0 ? ": more accumulators or a shorter chain would help; more ports would not." : ".");
}

static bool several_micro_ops(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].issue > 1 && !(a->rows[i].flags & (ROW_SPLIT | ROW_SYNC)))
            return true;
    return false;
}

/* Why the loop is not in the µop cache, as the end of a sentence. */
static const char *not_cached(const struct frontend *f)
{
    return f->large         ? "; the loop has more µops than the µop cache holds: unrolling it less would help"
           : f->jcc_erratum ? "; a jump crossing or ending at a 32-byte boundary keeps the loop out of the µop cache"
           : f->crowded     ? "; too many instructions per 32 bytes for the µop cache: longer encodings would help"
                            : "";
}

static void frontend_sentence(const struct analysis *a, struct str *out)
{
    const struct frontend *f = &a->frontend;

    if (f->by_branch)
        str_addf(out, "The taken branch takes %.2f cycles: unrolling would spread them.", a->cycles);
    else if (f->source == SOURCE_UOP_CACHE)
        str_addf(out, "The µop cache delivers the loop in %.2f cycles%s.", a->cycles,
                 f->by_windows ? ": its instructions lie too close together, or across too many windows of code; longer encodings, another alignment or unrolling would help" : "");
    else if (f->source == SOURCE_LOOP_BUFFER)
        str_addf(out, "The loop buffer delivers the loop in %.2f cycles: issue groups do not span iterations; unrolling would fill them.", a->cycles);
    else if (f->crowded || f->large)
        str_addf(out, "Predecoding and decoding take %.2f cycles%s.", a->cycles, not_cached(f));
    else if (f->predecode >= f->decode || isnan(f->decode))
        str_addf(out, "Predecoding takes %.2f cycles: shorter encodings would help%s.", a->cycles,
                 f->jcc_erratum ? ", and so would aligning the jump off the 32-byte boundary" : "");
    else
        str_addf(out, "The decoders take %.2f cycles: %s%s.", a->cycles,
                 several_micro_ops(a) ? "only one of them takes instructions of several µops" : "limited by the instruction count", not_cached(f));
}

void advice_repeated(const struct insn *repeated, struct str *out)
{
    str_addf(out, "What a repeated %s takes depends on its count and is not modelled: one repetition is counted, so this is a lower bound.", repeated->mnemonic);
}

/* Which instructions' figures are estimates, each mnemonic once. */
static void estimate_sentence(const struct analysis *a, struct str *out)
{
    size_t named = 0;

    str_add(out, " An estimate, as are the machine's figures of");
    for (size_t i = 0; i < a->count && named <= NAMED_ESTIMATES; i++) {
        bool again = !a->rows[i].estimate;
        for (size_t k = 0; k < i && !again; k++)
            again = a->rows[k].estimate && strcmp(a->rows[k].insn->mnemonic, a->rows[i].insn->mnemonic) == 0;
        if (again)
            continue;
        str_addf(out, "%s %s", named ? "," : "", named == NAMED_ESTIMATES ? "..." : a->rows[i].insn->mnemonic);
        named++;
    }
    str_add_char(out, '.');
}

/* Of the instructions that were measured alone, where they take all the time; false where slots do. */
static bool alone_sentence(const struct analysis *a, struct str *out)
{
    double sum = 0;

    for (size_t i = 0; i < a->count; i++)
        sum += a->rows[i].alone ? a->rows[i].alone->cycles : 0;
    if (sum < a->cycles)
        return false;
    str_addf(out, "Microcode or waiting takes %.2f cycles per iteration, the least that each instruction takes alone:", a->cycles);
    for (size_t i = 0, named = 0; i < a->count && named < 3; i++)
        if (a->rows[i].alone) {
            str_addf(out, "%s %s %.2f", named++ ? "," : "", a->rows[i].insn->mnemonic, a->rows[i].alone->cycles);
            if (a->rows[i].insn->line)
                str_addf(out, " (line %u)", a->rows[i].insn->line);
        }
    str_add_char(out, '.');
    return true;
}

char *advice_of(const struct analysis *a, const struct kernel *k, size_t loop)
{
    struct str s = {0};
    const struct ports *ports = mapping_ports(a->machine->mapping);

    if (a->cycles <= 0) {
        str_add(&s, "No instruction in this loop uses a port.");
    } else if (a->bottleneck == BOUND_PORTS) {
        size_t start = s.length;
        name_ports(a, a->bottleneck_ports, &s);
        s.data[start] = 'P';
        str_addf(&s, " %s saturated for %.2f cycles per iteration, mostly by ", portset_size(a->bottleneck_ports) == 1 ? "is" : "are", a->cycles);
        name_rows(a, a->bottleneck_ports, &s);
        str_add(&s, ".");
        alternatives_add(a, &s);
    } else if (a->bottleneck == BOUND_PIPES) {
        portset full = 0;
        for (unsigned j = 0; j < ports->count; j++)
            if (ports->pipes >> j & 1 && a->totals[j] >= a->cycles - 1e-9)
                full |= (portset)1 << j;
        str_addf(&s, "The divider is busy for %.2f cycles per iteration: ", a->cycles);
        name_rows(a, full, &s);
        str_add(&s, ".");
    } else if (a->bottleneck == BOUND_DEPENDENCIES) {
        chain_sentence(a, &s);
    } else if (a->bottleneck == BOUND_FRONTEND) {
        frontend_sentence(a, &s);
    } else if (a->bottleneck == BOUND_MEMORY) {
        str_addf(&s, "Loads and stores take %.2f cycles per iteration.", a->cycles);
        if (a->fitted)
            str_add(&s, " That is a fitted mean: some loads are tried again (facts load_replays, forward_replays).");
    } else if (a->bottleneck == BOUND_RETIRE) {
        str_addf(&s, "Retirement is saturated: %g µops per cycle.", machine_number(a->machine, "retire_width"));
    } else if (alone_sentence(a, &s)) {
        ;
    } else {
        double slots = 0, width = machine_number(a->machine, "issue_width");
        for (size_t i = 0; i < a->count; i++)
            slots += a->rows[i].issue;
        str_addf(&s, "Issue is saturated: %.0f µops per iteration, %g per cycle.", slots, width);
        if (slots / width < a->cycles * (1 - SLOTS_FULL))
            str_addf(&s, " Some groups of %g end early, before an instruction that does not fit into what is left of them.", width);
    }
    if (a->repeated) {
        str_add_char(&s, ' ');
        advice_repeated(a->repeated, &s);
    } else if (a->unknown)
        str_add(&s, " Some forms are unknown to this machine, so this is a lower bound.");
    else if (a->lower_bound)
        str_addf(&s, " This machine %s, so dependency chains may take longer.", isnan(a->bounds[BOUND_DEPENDENCIES]) ? "has no latencies" : "lacks the fact load_latency");
    if (a->estimate)
        estimate_sentence(a, &s);
    for (int kind = 0, told = 0; kind < UNMODELLED_COUNT; kind++)
        if (a->not_modelled[kind])
            str_addf(&s, "%s%s", told++ ? "; " : " Not modelled: ", a->not_modelled[kind]);
    if (a->not_modelled[UNMODELLED_BRANCHES] || a->not_modelled[UNMODELLED_CROSSINGS])
        str_add_char(&s, '.');
    nest_note(k, loop, &s);
    return str_take(&s);
}
