/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/advice.h"

#include <math.h>

#include "analysis/alternatives.h"
#include "base/str.h"

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
        if (a->rows[chosen[rank]].insn->line)
            str_addf(out, " (line %u)", a->rows[chosen[rank]].insn->line);
    }
}

/* The rows of the cycle, at most six by name. */
static void chain_sentence(const struct analysis *a, struct str *out)
{
    size_t links = 0, named = 0;
    bool memory = false;

    for (size_t i = 0; i < a->count; i++)
        links += (a->rows[i].flags & ROW_CHAIN) != 0;
    str_addf(out, "Each iteration waits %.2f cycles for the one before, through ", a->cycles);
    for (size_t i = 0; i < a->count; i++) {
        if (!(a->rows[i].flags & ROW_CHAIN))
            continue;
        memory |= (a->rows[i].flags & ROW_STORE) != 0;
        if (named++ == 6) {
            str_addf(out, " and %zu more", links - 6);
            break;
        }
        str_addf(out, "%s%s", named > 1 ? ", " : "", a->rows[i].insn->mnemonic);
        if (a->rows[i].insn->line)
            str_addf(out, " (line %u)", a->rows[i].insn->line);
    }
    str_add(out, memory ? ": the value goes through memory, where a register would save the store and the load." :
            links > 0 ? ": more accumulators or a shorter chain would help, more ports would not." : ".");
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
    return f->jcc_erratum ? "; a jump that touches a 32-byte boundary keeps the loop out of the µop cache"
           : f->crowded   ? "; so many instructions in so few bytes do not fit the µop cache: longer encodings would help"
                          : "";
}

static void frontend_sentence(const struct analysis *a, struct str *out)
{
    const struct frontend *f = &a->frontend;

    if (f->source == SOURCE_UOP_CACHE)
        str_addf(out, "The µop cache delivers the loop in %.2f cycles.", a->cycles);
    else if (f->source == SOURCE_LOOP_BUFFER)
        str_addf(out, "The loop buffer replays the loop in %.2f cycles: groups of µops do not span its end; unrolling would fill them.", a->cycles);
    else if (f->crowded)
        str_addf(out, "Predecoding and decoding take %.2f cycles%s.", a->cycles, not_cached(f));
    else if (f->predecode >= f->decode || isnan(f->decode))
        str_addf(out, "Finding the instructions in the bytes takes %.2f cycles: shorter encodings would help%s.", a->cycles,
                 f->jcc_erratum ? ", and a jump that does not touch a 32-byte boundary" : "");
    else
        str_addf(out, "The decoders take %.2f cycles: %s%s.", a->cycles,
                 several_micro_ops(a) ? "instructions of several µops share one of them" : "that many instructions come one by one", not_cached(f));
}

char *advice_of(const struct analysis *a)
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
        alternatives_add(a, &s);
    } else if (a->bottleneck == BOUND_PIPES) {
        portset full = 0;
        for (unsigned j = 0; j < ports->count; j++)
            if (ports->pipes >> j & 1 && a->totals[j] >= a->cycles - 1e-9)
                full |= (portset)1 << j;
        str_addf(&s, "The divider is held for %.2f cycles an iteration: ", a->cycles);
        name_rows(a, full, &s);
        str_add(&s, ".");
    } else if (a->bottleneck == BOUND_DEPENDENCIES) {
        chain_sentence(a, &s);
    } else if (a->bottleneck == BOUND_FRONTEND) {
        frontend_sentence(a, &s);
    } else if (a->bottleneck == BOUND_MEMORY) {
        str_addf(&s, "Loads and stores need %.2f cycles an iteration.", a->cycles);
    } else if (a->bottleneck == BOUND_RETIRE) {
        str_addf(&s, "Retirement is full: %g µops a cycle.", machine_number(a->machine, "retire_width"));
    } else {
        double slots = 0;
        for (size_t i = 0; i < a->count; i++)
            slots += a->rows[i].issue;
        str_addf(&s, "Issue is full: %.0f µops an iteration, %g a cycle.", slots, machine_number(a->machine, "issue_width"));
    }
    if (a->unknown)
        str_add(&s, " Some forms are not known to this machine, so this is a lower bound.");
    else if (a->lower_bound)
        str_add(&s, " This machine has no latencies, so chains of instructions can make it longer.");
    return str_take(&s);
}
