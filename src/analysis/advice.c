/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"

#include <math.h>
#include <string.h>

#include "analysis/alternatives.h"
#include "analysis/memory_note.h"
#include "analysis/nest.h"
#include "analysis/port_groups.h"
#include "base/str.h"

/* relative, by which a bound of slots exceeds them if all are filled */
#define SLOTS_FULL 0.005
#define NAMED 6              /* links of a chain */
#define REGISTERS_MOST 16    /* accumulators */
#define EQUAL 1e-9
#define NAMED_ESTIMATES 3      /* mnemonics that the sentence names */
#define ROWS_NAMED 3           /* of a port */
#define PORTS_LISTED 4         /* more are named as a range */
#define LONG_LOOP 16           /* slots: what closes a longer loop takes little of it */
#define NARROWER 0.75          /* of the latency of a division: less is worth a word */

/* Input of a sentence. */
struct advice {
    const struct analysis *a;
    const struct limit *l;
    struct str *out;
};

static void name_ports(const struct analysis *a, portset set, struct str *out)
{
    str_add(out, portset_size(set) == 1 ? "port " : "ports ");
    if (portset_size(set) > PORTS_LISTED)
        port_group_name(set, &a->ports, out);
    else
        portset_list(set, &a->ports, ", ", " and ", out);
}

static void name_insn(const struct insn *insn, struct str *out)
{
    str_addf(out, "%s%s", insn->traits & INSN_LOCK ? "lock " : "", insn->mnemonic);
}

static void name_row(const struct analysis *a, size_t row, struct str *out)
{
    name_insn(a->rows[row].insn, out);
    insn_place_note(a->rows[row].insn, out);
}

/* Cycles of row @row on the ports of @set. */
static double load_on(const struct analysis *a, size_t row, portset set)
{
    double sum = 0;

    for (unsigned j = 0; j < PORTS_MAX && set >> j; j++)
        sum += set >> j & 1 ? a->rows[row].pressure[j] : 0;
    return sum;
}

/* The rows that put the most on the ports of @set, at most @most, as "vdivsd 4.00 (line 7)". */
static void name_rows(const struct analysis *a, portset set, int most, struct str *out)
{
    bool taken[ROWS_NAMED] = {false};
    size_t chosen[ROWS_NAMED] = {0};

    for (int rank = 0; rank < most; rank++) {
        double largest = 0;
        for (size_t i = 0; i < a->count; i++) {
            bool used = false;
            for (int k = 0; k < rank; k++)
                used |= taken[k] && chosen[k] == i;
            const double sum = load_on(a, i, set);
            if (!used && sum > largest + EQUAL) {
                largest = sum;
                chosen[rank] = i;
                taken[rank] = true;
            }
        }
        if (!taken[rank])
            return;
        str_add(out, rank ? ", " : "");
        name_insn(a->rows[chosen[rank]].insn, out);
        str_addf(out, " %.2f", largest);
        insn_place_note(a->rows[chosen[rank]].insn, out);
    }
}

/* The ports that bind, by what competes for them: sets of which no instruction uses two. Returns
 * their count, at least one. */
static unsigned bottlenecks(const struct analysis *a, portset parts[PORTS_MAX])
{
    unsigned count = 0;

    for (size_t i = 0; i < a->count; i++)
        for (unsigned k = 0; k < a->rows[i].usage.count; k++) {
            portset set = a->rows[i].usage.uops[k].ports;
            unsigned kept = 0;
            if (set & ~a->bottleneck_ports || !set)
                continue;
            for (unsigned p = 0; p < count; p++)
                if (parts[p] & set)
                    set |= parts[p];
                else
                    parts[kept++] = parts[p];
            parts[kept++] = set;
            count = kept;
        }
    if (!count)
        parts[count++] = a->bottleneck_ports;
    return count;
}

/* "ports 2 and 3 (vmovsd 1.00 (line 3), ...) and port 4 (...)"; @last is before the last one. */
static void name_bottlenecks(const struct analysis *a, const char *last, struct str *out)
{
    portset parts[PORTS_MAX];
    const unsigned count = bottlenecks(a, parts);

    for (unsigned p = 0; p < count; p++) {
        str_add(out, !p ? "" : p + 1 == count ? last : ", ");
        name_ports(a, parts[p], out);
        str_add(out, " (");
        name_rows(a, parts[p], count > 1 ? ROWS_NAMED - 1 : ROWS_NAMED, out);
        str_add_char(out, ')');
    }
}

static portset full_pipes(const struct analysis *a)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    portset full = 0;

    for (unsigned j = 0; j < ports->count; j++)
        if (ports->pipes >> j & 1 && a->totals[j] >= a->bounds[BOUND_PIPES] - EQUAL)
            full |= (portset)1 << j;
    return full;
}

/* The links of @chain that take time, the first NAMED, with their cycles. */
static void name_chain(const struct advice *s, const struct limit_chain *chain, bool cycles)
{
    size_t named = 0, links = 0;

    for (size_t i = 0; i < chain->count; i++)
        links += chain->links[i].cycles > 0;
    for (size_t i = 0; i < chain->count; i++) {
        const struct limit_link *link = &chain->links[i];
        if (links && !(link->cycles > 0))
            continue;
        if (named == NAMED) {
            str_addf(s->out, " and %zu more", links - NAMED);
            return;
        }
        str_add(s->out, named++ ? ", " : "");
        name_insn(s->a->rows[link->row].insn, s->out);
        if (cycles)
            str_addf(s->out, " %g", link->cycles);
        insn_place_note(s->a->rows[link->row].insn, s->out);
    }
}

static void name_links(const struct advice *s, bool cycles)
{
    name_chain(s, &s->l->chain, cycles);
}

static bool is_predecode(const struct frontend *f)
{
    return f->predecode >= f->decode || isnan(f->decode);
}

static const char *frontend_part(const struct frontend *f)
{
    return f->source == SOURCE_UOP_CACHE     ? "\302\265op cache"
           : f->source == SOURCE_LOOP_BUFFER ? "loop buffer"
           : is_predecode(f)                 ? "predecoding"
                                             : "decoders";
}

/* "ports 2 and 3": what would limit then. */
static void name_limit(const struct advice *s, enum limit_kind kind)
{
    portset parts[PORTS_MAX];

    switch (kind) {
    case LIMIT_PORTS:
        for (unsigned p = 0, count = bottlenecks(s->a, parts); p < count; p++) {
            str_add(s->out, !p ? "" : p + 1 == count ? " and " : ", ");
            name_ports(s->a, parts[p], s->out);
        }
        break;
    case LIMIT_FRONTEND:
        str_addf(s->out, "the front end (%s%s)", frontend_part(&s->a->frontend),
                 s->a->frontend.jcc_erratum ? "; a jump touches a 32-byte boundary" : "");
        break;
    case LIMIT_MEMORY: str_add(s->out, "a chain through memory"); break;
    case LIMIT_INDUCTION:
    case LIMIT_REDUCTION:
    case LIMIT_SCAN:
    case LIMIT_RECURRENCE:
    case LIMIT_POINTER_CHASE:
    case LIMIT_SELECT:
    case LIMIT_FALSE:
    case LIMIT_DIVIDER:
    case LIMIT_BRANCH: str_addf(s->out, "the %s", limit_name(kind)); break;
    default: str_add(s->out, limit_name(kind)); break;
    }
}

/* Whether what the loop does could be done in wider vectors than it is: it goes through data, on
 * which no branch and no address depends, and the machine has wider ones. */
static bool could_widen(const struct analysis *a)
{
    const struct mapping *m = a->machine->mapping;
    const unsigned widest = mapping_find(m, "VPADDD (ZMM, ZMM, ZMM)")   ? 512
                            : mapping_find(m, "VPADDD (YMM, YMM, YMM)") ? 256
                                                                        : 128;
    unsigned bits = 0;

    if (!a->limit.streams || a->not_modelled[UNMODELLED_BRANCHES] ||
        a->not_modelled[UNMODELLED_MISSES])
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct insn *insn = a->rows[i].insn;
        for (unsigned k = 0; k < insn->operand_count; k++)
            if (insn->operands[k].kind == OPERAND_MEMORY &&
                insn->traits & (INSN_LOAD | INSN_STORE) && insn->operands[k].bits > bits)
                bits = insn->operands[k].bits;
    }
    return bits && bits < widest;
}

/* "Next limit: ..." where something would gain. */
static void add_next(const struct advice *s)
{
    if (!(s->l->next_cycles > 0))
        return;
    str_add(s->out, " Next limit: ");
    name_limit(s, s->l->next);
    str_addf(s->out, ", %.2f cycles.", s->l->next_cycles);
}

static void say_induction(const struct advice *s)
{
    str_add(s->out, "Induction variable: ");
    name_links(s, false);
    str_addf(s->out,
             " step%s it once per iteration, %.2f cycles. It is no accumulator: unrolling steps it "
             "less often, nothing else helps.",
             s->l->chain.count == 1 ? "s" : "", s->l->chain.cycles);
}

/* How many accumulators, or independent data, hide the waiting of the chain. */
static double wanted(const struct advice *s)
{
    const double many =
        s->l->left_cycles > 0 ? ceil(s->l->chain.cycles / s->l->left_cycles - EQUAL)
                              : REGISTERS_MOST;

    return fmin(fmax(many, 2), REGISTERS_MOST);
}

static void say_reduction(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    const double times = wanted(s);

    str_addf(s->out, "Reduction of %.2f cycles per iteration: ", chain->cycles);
    name_links(s, chain->count > 1);
    str_addf(s->out, " wait%s for the accumulator of the iteration before. Split the accumulator: ",
             chain->count == 1 ? "s" : "");
    if (chain->alike > 1)
        str_addf(s->out, "%g instead of each of the %u", times, chain->alike);
    else
        str_addf(s->out, "%g of them", times);
    str_addf(s->out, "%s would take %.2f cycles or less",
             times > (double)chain->count ? " in an unrolled loop" : "",
             fmax(chain->cycles / times, s->l->left_cycles));
    if (s->l->left_cycles > 0 && chain->cycles / times <= s->l->left_cycles + EQUAL) {
        str_add(s->out, ", then limited by ");
        name_limit(s, s->l->left);
    }
    str_add_char(s->out, '.');
    if (chain->user != LIMIT_NO_ROW) {
        str_add_char(s->out, ' ');
        name_row(s->a, chain->user, s->out);
        str_add(s->out, " stores it to the same place each time: store it once after the loop (a "
                        "local variable, restrict).");
    }
    if (chain->floating)
        str_add(s->out, " Floating-point sums in another order round differently: -ffast-math and "
                        "kernel tune --reassociate allow it.");
}

static void say_scan(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;

    str_addf(s->out, "Prefix scan of %.2f cycles per iteration: ", chain->cycles);
    name_links(s, chain->count > 1);
    str_addf(s->out, " wait%s for the result of the iteration before, and ",
             chain->count == 1 ? "s" : "");
    name_row(s->a, chain->user, s->out);
    str_add(s->out, " uses each partial result, so separate accumulators do not replace it. "
                    "Combine a few elements first, then add the result so far to each: one step "
                    "of the chain for all of them.");
    if (chain->floating)
        str_add(s->out, " Floating-point results round differently then.");
    add_next(s);
}

/* Whether all links of the chain that compute are @operation. */
static bool all_are(const struct advice *s, uint16_t operation)
{
    const struct limit_chain *chain = &s->l->chain;
    bool all = true;

    for (size_t i = 0; i < chain->count; i++)
        all &= chain->links[i].moves || s->a->rows[chain->links[i].row].insn->operation == operation;
    return all;
}

/* What a division of 32 bits would take, where one of 64 limits and takes much longer. */
static void add_narrower(const struct advice *s)
{
    for (size_t i = 0; i < s->a->count; i++) {
        const struct analysis_row *row = &s->a->rows[i];
        if (row->insn->operation != OPERATION_DIVIDE || row->insn->isa != ISA_X86_64 ||
            row->insn->operands[0].bits != 64)
            continue;
        const struct mapping_entry *narrow = mapping_find(
            s->a->machine->mapping,
            strcmp(row->insn->mnemonic, "div") == 0 ? "DIV (R32)" : "IDIV (R32)");
        if (!narrow || !(narrow->latency < NARROWER * row->latency))
            continue;
        str_addf(s->out, " A 32-bit %s takes %g cycles instead of %g: use it where the values fit.",
                 row->insn->mnemonic, narrow->latency, row->latency);
        return;
    }
}

static void say_recurrence(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    const bool crc = all_are(s, OPERATION_CRC32);

    str_addf(s->out, "Recurrence of %.2f cycles per iteration: ", chain->cycles);
    name_links(s, true);
    str_add(s->out,
            chain->carry ? ". Each needs the carry of the one before, so it cannot be split."
            : crc ? ". Each step needs the CRC of the step before. Parts of the data can have CRCs "
                    "of their own, which a carry-less multiplication combines (crc32_combine)."
            : chain->affine ? ". Each step multiplies by a constant and adds: two steps at once "
                              "are x * a * a + (b * a + b'), half the chain"
                            : ". Each step transforms the whole value of the step before, so it "
                              "cannot be split into partial results.");
    if (chain->affine && !chain->carry && !crc)
        str_add(s->out, chain->floating ? ", rounded differently." : ".");
    add_narrower(s);
    if (s->l->left_cycles > 0 && chain->cycles >= 2 * s->l->left_cycles)
        str_addf(s->out, " %s independent data (%.0f streams in one loop fill the waiting).",
                 chain->affine ? "Or interleave" : "Interleave", wanted(s));
    else
        add_next(s);
}

static void say_chase(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    bool plain = true;

    for (size_t i = 0; i < chain->count; i++)
        plain &= chain->links[i].address || chain->links[i].moves;
    str_addf(s->out, "Pointer chase of %.2f cycles per iteration: ", chain->cycles);
    name_links(s, true);
    str_add(s->out, plain ? ". The address of each load is what the load before found."
                          : ". The address of the load depends on what the load before found.");
    if (s->l->chain.compared)
        str_add(s->out, " A branch that is predicted well, instead of the comparison in the "
                        "address, would let the loads run ahead.");
    str_add(s->out, " Unrolling does not help. Arrays instead of links, or several independent "
                    "chains in one loop, would; every cache miss adds its whole latency.");
}

static void say_select(const struct advice *s)
{
    bool address = false;

    for (size_t i = 0; i < s->l->chain.count; i++)
        address |= s->l->chain.links[i].address;
    str_addf(s->out, "Select chain of %.2f cycles per iteration: ", s->l->chain.cycles);
    name_links(s, true);
    str_addf(s->out, ". Each selection waits for the one before%s.",
             s->l->chain.compared ? " and the comparison with it" : "");
    str_add(s->out, address
                        ? " Run several searches in one loop; a branch that is predicted well "
                          "would let the loads run ahead."
                        : " A minimum or maximum can be kept over several parts of the data and "
                          "joined at the end; a branch that is predicted well would not wait.");
    add_next(s);
}

/* Returns whether the machine's cycles from a store to the load of @row are an estimate. */
static bool forward_is_estimate(const struct analysis *a, size_t row)
{
    const bool vector = a->rows[row].insn->operands[0].file == FILE_VECTOR;
    return machine_fact_estimate(a->machine, vector ? "store_forward_vector" : "store_forward") !=
           NULL;
}

/* A load of bytes of which no single store has all waits until they are in the cache. */
static void say_blocked(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    size_t load = 0, store = SIZE_MAX;

    for (size_t i = 0; i < chain->count; i++)
        load = chain->links[i].memory ? i : load;
    for (size_t i = 1; i < chain->count && store == SIZE_MAX; i++) {
        const size_t before = (load + chain->count - i) % chain->count;
        if (s->a->rows[chain->links[before].row].flags & ROW_STORE)
            store = before;
    }
    str_add(s->out, "Store forwarding fails: ");
    name_row(s->a, chain->links[load].row, s->out);
    str_add(s->out, " loads bytes of which ");
    if (store == SIZE_MAX)
        str_add(s->out, "a store");
    else
        name_row(s->a, chain->links[store].row, s->out);
    str_addf(s->out,
             " stored only a part before, so it waits until they are in the cache, %.2f cycles per "
             "iteration. Load what was stored in one piece, or keep it in a register.",
             chain->cycles);
    add_next(s);
}

static void say_memory(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    double through = 0;
    bool guessed = false;

    if (chain->blocked) {
        say_blocked(s);
        return;
    }
    str_add(s->out, "The value goes through memory: ");
    for (size_t i = 0, told = 0; i < chain->count; i++) {
        const size_t before = chain->links[(i + chain->count - 1) % chain->count].row;
        if (!chain->links[i].memory)
            continue;
        through += chain->links[i].forwarded;
        guessed |= forward_is_estimate(s->a, chain->links[i].row);
        if (told++)
            continue;
        name_row(s->a, chain->links[i].row, s->out);
        str_add(s->out, " loads what ");
        if (before == chain->links[i].row)
            str_add(s->out, "it");
        else
            name_row(s->a, before, s->out);
        str_add(s->out, " stored before");
    }
    str_addf(s->out,
             ", %.2f cycles per iteration in all, %.2f of them from store to load%s. Keep it in a "
             "register (a local variable, restrict): ",
             chain->cycles, through / (chain->distance ? chain->distance : 1),
             guessed ? " (an estimate)" : "");
    const double left =
        fmax(chain->cycles - through / (chain->distance ? chain->distance : 1), s->l->next_cycles);
    str_addf(s->out, "about %.2f cycles would be left.", left);
}

static void say_false(const struct advice *s)
{
    str_addf(s->out, "False dependency of %.2f cycles per iteration: ", s->l->chain.cycles);
    name_links(s, true);
    str_add(
        s->out,
        ". It waits for the old value of its destination, which it does not need, or keeps a part "
        "of. Where that part does not count, zero the register before (xor) or write all of it.");
    add_next(s);
}

static void say_serial(const struct advice *s)
{
    str_addf(s->out, "Serialisation: ");
    name_links(s, true);
    bool locked = true;
    for (size_t i = 0; i < s->l->chain.count; i++)
        locked &= (s->a->rows[s->l->chain.links[i].row].insn->traits & INSN_LOCK) != 0;
    str_addf(s->out, ", %.2f cycles per iteration. %s", s->l->chain.cycles,
             locked ? "Locked accesses run one after the other, and wait for the stores before "
                      "them: collect in a register, and access once after the loop."
                    : "Fencing and serialising instructions wait for all before them, and all "
                      "after waits for them: fewer of them would help.");
}

/* A division by something that the loop does not change. */
static size_t constant_divisor(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct insn *insn = a->rows[i].insn;
        const struct operand *divisor = insn_operand(
            insn, insn->inputs[1] == INSN_NO_OPERAND ? insn->inputs[0] : insn->inputs[1]);
        bool written = (insn->operation != OPERATION_FP_DIVIDE &&
                        insn->operation != OPERATION_DIVIDE) ||
                       !divisor || divisor->kind != OPERAND_REGISTER;
        for (size_t k = 0; k < a->count && !written; k++)
            for (unsigned o = 0; o < a->rows[k].insn->operand_count; o++)
                written |= a->rows[k].insn->operands[o].kind == OPERAND_REGISTER &&
                           a->rows[k].insn->operands[o].access & ACCESS_WRITE &&
                           a->rows[k].insn->operands[o].reg == divisor->reg;
        if (!written)
            return i;
    }
    return a->count;
}

static void add_constant_divisor(const struct advice *s)
{
    const size_t constant = constant_divisor(s->a);

    if (constant == s->a->count)
        return;
    str_add(s->out, " The divisor of ");
    name_row(s->a, constant, s->out);
    str_add(s->out, " stays the same in the loop: ");
    str_add(s->out, s->a->rows[constant].insn->operation == OPERATION_DIVIDE
                        ? "multiply by its reciprocal (a constant, or libdivide)."
                        : "multiply by its reciprocal, which rounds differently (-ffast-math).");
}

static void say_divider(const struct advice *s)
{
    str_addf(s->out,
             "The divider is busy for %.2f cycles per iteration: ", s->a->bounds[BOUND_PIPES]);
    name_rows(s->a, full_pipes(s->a), ROWS_NAMED, s->out);
    str_add(s->out, ".");
    add_constant_divisor(s);
    add_narrower(s);
    add_next(s);
}

static void say_accesses(const struct advice *s)
{
    const struct analysis *a = s->a;
    const double cycles = a->bounds[BOUND_MEMORY];
    size_t loads = 0, stores = 0;

    for (size_t i = 0; i < a->count; i++) {
        loads += (a->rows[i].insn->traits & INSN_LOAD) != 0;
        stores += (a->rows[i].insn->traits & INSN_STORE) != 0;
    }
    switch (a->accesses) {
    case ACCESSES_LOADS:
        str_addf(s->out, "Loads take %.2f cycles per iteration: %zu, %g per cycle.", cycles, loads,
                 machine_number(a->machine, "loads_per_cycle"));
        break;
    case ACCESSES_STORES:
        str_addf(s->out, "Stores take %.2f cycles per iteration: %zu, %g per cycle.", cycles,
                 stores, machine_number(a->machine, "stores_per_cycle"));
        break;
    case ACCESSES_LINES:
        str_addf(s->out,
                 "Stores take %.2f cycles per iteration: %zu that go to other lines of the "
                 "first-level cache than the store before, %g line%s per cycle.",
                 cycles, stores, machine_number(a->machine, "store_lines_per_cycle"),
                 machine_number(a->machine, "store_lines_per_cycle") > 1 ? "s" : "");
        break;
    case ACCESSES_PLACES:
        str_addf(s->out,
                 "Loads and stores take %.2f cycles per iteration by where they lie: %zu load%s "
                 "and %zu store%s that share banks of the first-level cache or cross its lines.",
                 cycles, loads, loads == 1 ? "" : "s", stores, stores == 1 ? "" : "s");
        break;
    case ACCESSES_AGAIN:
        str_addf(s->out,
                 "Loads and stores take %.2f cycles per iteration: %zu load%s and %zu store%s, of "
                 "which some are tried again. That is a fitted mean (facts load_replays, "
                 "forward_replays).",
                 cycles, loads, loads == 1 ? "" : "s", stores, stores == 1 ? "" : "s");
        break;
    }
    str_add(s->out, could_widen(a) ? " Fewer or wider accesses would help."
                                   : " Fewer accesses would help.");
    add_next(s);
}

static bool several_micro_ops(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].issue > 1 && !(a->rows[i].flags & (ROW_SPLIT | ROW_SYNC)))
            return true;
    return false;
}

/* The first instruction with a length-changing prefix; the count of instructions: none. */
static size_t long_prefix(const struct analysis *a)
{
    size_t i = 0;
    while (i < a->count && !(a->rows[i].insn->traits & INSN_LCP))
        i++;
    return i;
}

static double fact(const struct advice *s, const char *name)
{
    return machine_number(s->a->machine, name);
}

/* ": 16 bytes and 5 instructions per cycle", as far as the machine knows. */
static void add_predecode(const struct advice *s)
{
    const double bytes = fact(s, "predecode_bytes"), insns = fact(s, "predecode_width");

    str_add(s->out, ": ");
    if (bytes > 0)
        str_addf(s->out, "%g bytes%s", bytes, insns > 0 ? " and " : "");
    if (insns > 0)
        str_addf(s->out, "%g instructions", insns);
    str_add(s->out, bytes > 0 || insns > 0 ? " per cycle. Shorter encodings would help."
                                           : "shorter encodings would help.");
}

static void add_decode(const struct advice *s)
{
    const double decoders = fact(s, "decoders"), width = fact(s, "decode_width");

    if (several_micro_ops(s->a))
        str_add(s->out, ": only the first decoder takes instructions of several \302\265ops. "
                        "Simpler instructions would help.");
    else if (decoders > 0 || width > 0)
        str_addf(s->out, ": %g instructions per cycle. Fewer would help.",
                 width > 0 ? width : decoders);
    else
        str_add(s->out, ": fewer instructions would help.");
}

static void say_frontend(const struct advice *s)
{
    const struct analysis *a = s->a;
    const struct frontend *f = &a->frontend;
    const size_t prefix = long_prefix(a);

    str_addf(s->out, "Front end, %s: %.2f cycles per iteration", frontend_part(f),
             a->bounds[BOUND_FRONTEND]);
    if (f->at != FRONTEND_NOWHERE && f->at < a->count) {
        const struct insn *insn = a->rows[f->at].insn;
        str_add(s->out, f->jcc_erratum ? " because of " : ", fullest from ");
        name_row(a, f->at, s->out);
        if (insn->line)
            str_addf(s->out, " at 0x%llx",
                     (unsigned long long)(insn->placed ? insn->address : insn->offset));
        str_add(s->out, f->jcc_erratum ? "" : " on");
    }
    if (f->jcc_erratum)
        str_add(s->out, ": a jump that crosses or ends at a 32-byte boundary keeps its code out of "
                        "the \302\265op cache. Align it "
                        "(-Wa,-mbranches-within-32B-boundaries).");
    else if (f->crowded)
        str_add(s->out, ": that block of code has more \302\265ops than the \302\265op cache "
                        "takes. Longer encodings would help.");
    else if (f->large)
        str_addf(s->out,
                 ": the loop has more than the %g \302\265ops that the \302\265op cache holds. "
                 "Unroll it less.",
                 fact(s, "uop_cache_size"));
    else if (f->source == SOURCE_LOOP_BUFFER)
        str_add(s->out,
                ": a group of \302\265ops ends with the iteration. Unrolling would fill them.");
    else if (f->source == SOURCE_UOP_CACHE && f->by_windows)
        str_add(s->out, ": instructions lie too close together, or across too many windows of "
                        "code. Another alignment, longer encodings or unrolling would help.");
    else if (f->source == SOURCE_UOP_CACHE)
        str_addf(s->out,
                 ": it delivers %g \302\265ops per cycle, and no part of a cycle is left for the "
                 "next iteration. Fewer \302\265ops or unrolling would help.",
                 fact(s, "uop_cache_width"));
    else if (is_predecode(f)) {
        add_predecode(s);
        if (prefix < a->count) {
            str_add(s->out, " Length-changing prefixes stall it, the first in ");
            name_row(a, prefix, s->out);
            str_add(s->out, ".");
        }
    } else
        add_decode(s);
    add_next(s);
}

static void say_branch(const struct advice *s)
{
    str_addf(s->out,
             "The taken branch takes %.2f cycles per iteration. Unrolling would spread them.",
             s->a->bounds[BOUND_FRONTEND]);
    add_next(s);
}

static void say_microcode(const struct advice *s)
{
    const struct analysis *a = s->a;

    str_addf(s->out,
             "Microcode or waiting takes %.2f cycles per iteration, the least that each "
             "instruction takes alone:",
             a->bounds[BOUND_ISSUE]);
    for (size_t i = 0, named = 0; i < a->count && named < 3; i++)
        if (a->rows[i].alone) {
            str_addf(s->out, "%s %s %.2f", named++ ? "," : "", a->rows[i].insn->mnemonic,
                     a->rows[i].alone->cycles);
            insn_place_note(a->rows[i].insn, s->out);
        }
    str_add_char(s->out, '.');
    add_next(s);
}

/* Instructions whose parts take slots of their own because of an indexed address. */
static void name_split(const struct advice *s)
{
    size_t named = 0;

    for (size_t i = 0; i < s->a->count; i++)
        if (s->a->rows[i].flags & ROW_SPLIT) {
            str_add(s->out, named++ ? ", "
                                    : " Indexed addresses cost a slot each (a pointer that is "
                                      "stepped does not): ");
            if (named > 3) {
                str_add(s->out, "and more");
                break;
            }
            name_row(s->a, i, s->out);
        }
    str_add(s->out, named ? "." : "");
}

/* What would take fewer slots: as far as the loop leaves room for it. */
static void add_fewer(const struct advice *s)
{
    const struct analysis *a = s->a;
    bool loads = false;

    for (size_t i = 0; i < a->count; i++)
        loads |= a->rows[i].insn->isa == ISA_X86_64 && a->rows[i].insn->traits & INSN_LOAD &&
                 (a->rows[i].insn->operation == OPERATION_MOVE ||
                  a->rows[i].insn->operation == OPERATION_VECTOR_MOVE);
    const char *const ways[] = {could_widen(a) ? "wider vectors" : NULL,
                                loads ? "folded loads" : NULL,
                                a->shape == SHAPE_LOOP && a->issue.count <= LONG_LOOP ? "unrolling"
                                                                                      : NULL};
    bool any = false;

    str_add(s->out, " Fewer instructions");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!ways[i])
            continue;
        str_addf(s->out, "%s%s", any ? ", " : " (", ways[i]);
        any = true;
    }
    str_addf(s->out, "%s would help.", any ? ")" : "");
}

static const struct { const char *things, *fact; } issue_kinds[] = {
    [ISSUE_SLOTS] = {"\302\265ops", "issue_width"},
    [ISSUE_DISPATCH] = {"\302\265ops for ", "dispatch_limits"},
    [ISSUE_MOVES] = {"eliminated moves", "eliminate_per_cycle"},
    [ISSUE_ZEROES] = {"eliminated moves of zero", "eliminate_zero_per_cycle"},
    [ISSUE_VECTORS] = {"\302\265ops of vector instructions", "rename_vectors"},
};

/* "13 µops for ports S0 and S1, 4 per cycle"; @each follows the count. */
static void name_issue(const struct advice *s, const char *each)
{
    const struct analysis *a = s->a;
    bool dispatch = a->issue.kind == ISSUE_DISPATCH;

    str_addf(s->out, "%.0f %s", a->issue.count, issue_kinds[a->issue.kind].things);
    if (dispatch)
        name_ports(a, a->issue.limit.ports, s->out);
    str_addf(s->out, "%s%s, %g per cycle", dispatch && a->issue.limit.within ? " alone" : "", each,
             dispatch ? a->issue.limit.most
                      : machine_number(a->machine, issue_kinds[a->issue.kind].fact));
}

static void say_issue(const struct advice *s)
{
    const struct analysis *a = s->a;
    const double width = machine_number(a->machine, "issue_width");

    str_add(s->out, a->issue.kind == ISSUE_SLOTS      ? "Issue"
                    : a->issue.kind == ISSUE_DISPATCH ? "Dispatch"
                                                      : "Rename");
    str_add(s->out, " is saturated: ");
    name_issue(s, " per iteration");
    str_add(s->out, ".");
    if (a->issue.kind == ISSUE_SLOTS &&
        a->issue.count / width < a->bounds[BOUND_ISSUE] * (1 - SLOTS_FULL))
        str_addf(s->out,
                 " Some groups of %g end early, before an instruction that does not fit into what "
                 "is left of them.",
                 width);
    str_addf(s->out, " That takes %.2f cycles.", a->bounds[BOUND_ISSUE]);
    name_split(s);
    if (a->issue.kind == ISSUE_SLOTS)
        add_fewer(s);
    else
        str_add(s->out, " Fewer of these would help.");
    add_next(s);
}

static void say_retire(const struct advice *s)
{
    str_addf(s->out,
             "Retirement: %.2f cycles per iteration at %g \302\265ops per cycle. Fewer \302\265ops "
             "would help.",
             s->a->bounds[BOUND_RETIRE], machine_number(s->a->machine, "retire_width"));
    add_next(s);
}

/* What is on the ports of @set, for the advice that fits it. */
enum port_work { WORK_JUMP, WORK_LOADS, WORK_STORES, WORK_ACCESSES, WORK_SHUFFLES, WORK_OTHER };

/* The ports that form @form uses on the machine of @a. */
static portset ports_of(const struct analysis *a, const char *form)
{
    const struct mapping_entry *entry =
        form ? mapping_find(a->machine->mapping, form) : NULL;
    portset set = 0;

    for (unsigned i = 0; entry && i < entry->usage.count; i++)
        set |= entry->usage.uops[i].ports;
    return set;
}

static enum port_work work_on(const struct analysis *a, portset set)
{
    const struct isa_ops *isa = isa_ops((enum isa)a->rows[0].insn->isa);
    bool jumps = true, stores = true, shuffles = true, stored = false,
         loads = set & (ports_of(a, isa->load_form) | ports_of(a, isa->store_form));

    for (size_t i = 0; i < a->count; i++) {
        const struct analysis_row *row = &a->rows[i];
        if (!(load_on(a, i, set) > EQUAL))
            continue;
        jumps &= (row->insn->traits & INSN_BRANCH) != 0 || (row->flags & ROW_FUSED) != 0;
        loads &= (row->flags & (ROW_LOAD | ROW_STORE)) != 0;
        stores &= (row->flags & ROW_STORE) != 0;
        stored |= (row->flags & ROW_STORE) != 0;
        shuffles &= row->insn->operation == OPERATION_VECTOR_SHUFFLE;
    }
    return jumps      ? WORK_JUMP
           : stores   ? WORK_STORES
           : loads    ? stored ? WORK_ACCESSES : WORK_LOADS
           : shuffles ? WORK_SHUFFLES
                      : WORK_OTHER;
}

/* "fewer loads and fewer such operations": of the ports that bind. */
static void name_fewer(const struct analysis *a, struct str *out)
{
    static const char *const things[] = {
        [WORK_JUMP] = "jumps",
        [WORK_LOADS] = "loads",
        [WORK_STORES] = "stores",
        [WORK_ACCESSES] = "loads and stores",
        [WORK_SHUFFLES] = "shuffles (loads can broadcast and insert)",
        [WORK_OTHER] = "such operations",
    };
    const unsigned accesses = 1U << WORK_LOADS | 1U << WORK_STORES | 1U << WORK_ACCESSES;
    portset parts[PORTS_MAX];
    unsigned works = 0;
    bool told = false;

    for (unsigned p = 0, count = bottlenecks(a, parts); p < count; p++)
        works |= 1U << work_on(a, parts[p]);
    if ((works & accesses) & ((works & accesses) - 1U))   /* more than one of these */
        works = (works & ~accesses) | 1U << WORK_ACCESSES;
    for (unsigned work = 0; work < sizeof things / sizeof *things; work++)
        if (works >> work & 1) {
            str_addf(out, "%s%s", told ? " and fewer " : "fewer ", things[work]);
            told = true;
        }
}

/* What relieves @kind, as "several accumulators": one of several that must all be done. */
static void name_remedy(const struct advice *s, enum limit_kind kind)
{
    static const char *const remedies[LIMIT_COUNT] = {
        [LIMIT_REDUCTION] = "several accumulators",
        [LIMIT_SCAN] = "elements that are combined before each step of the chain",
        [LIMIT_RECURRENCE] = "independent data side by side",
        [LIMIT_POINTER_CHASE] = "several independent chains",
        [LIMIT_SELECT] = "several selections side by side",
        [LIMIT_MEMORY] = "a register for the value that goes through memory",
        [LIMIT_FALSE] = "a destination that is zeroed first",
        [LIMIT_SERIAL] = "fewer locks or fences",
        [LIMIT_DIVIDER] = "fewer divisions",
        [LIMIT_ACCESSES] = "fewer loads or stores",
        [LIMIT_ISSUE] = "fewer instructions",
        [LIMIT_RETIRE] = "fewer \302\265ops",
        [LIMIT_MICROCODE] = "fewer microcoded instructions",
    };
    const struct frontend *f = &s->a->frontend;

    if (kind == LIMIT_PORTS)
        name_fewer(s->a, s->out);
    else if (kind == LIMIT_FRONTEND)
        str_add(s->out, f->jcc_erratum ? "an aligned jump (-Wa,-mbranches-within-32B-boundaries)"
                        : f->large     ? "less unrolling"
                        : f->crowded || f->by_windows ? "another alignment or longer encodings"
                                                      : "shorter code");
    else if (kind == LIMIT_RECURRENCE && s->l->chain.affine)
        str_add(s->out, "two steps at once, x * a * a + (b * a + b')");
    else if (remedies[kind])
        str_add(s->out, remedies[kind]);
}

/* Whether @kind counts operations, of which wider vectors need fewer. */
static bool is_count(const struct advice *s, enum limit_kind kind)
{
    return (kind == LIMIT_PORTS && work_on(s->a, s->a->bottleneck_ports) != WORK_JUMP) ||
           kind == LIMIT_ISSUE || kind == LIMIT_RETIRE ||
           kind == LIMIT_ACCESSES ||
           (kind == LIMIT_FRONTEND && !s->a->frontend.jcc_erratum);
}

/* A limit of several, with what it rests on. */
static void name_tied(const struct advice *s, enum limit_kind kind)
{
    const struct analysis *a = s->a;

    if (kind == LIMIT_PORTS) {
        name_bottlenecks(a, ", ", s->out);
        return;
    }
    name_limit(s, kind);
    if (kind <= LIMIT_SERIAL) {
        const struct limit_chain *chain =
            s->l->other.kind == kind ? &s->l->other : &s->l->chain;
        str_add(s->out, " (");
        name_chain(s, chain, chain->count > 1);
        str_add_char(s->out, ')');
    } else if (kind == LIMIT_DIVIDER) {
        str_add(s->out, " (");
        name_rows(a, full_pipes(a), ROWS_NAMED, s->out);
        str_add_char(s->out, ')');
    } else if (kind == LIMIT_ISSUE) {
        str_add(s->out, " (");
        name_issue(s, "");
        str_add_char(s->out, ')');
    }
}

static void add_fitted_ports(const struct advice *s)
{
    if (s->a->fitted & 1U << BOUND_PORTS)
        str_add(s->out, " That is a fitted mean: some operations are tried before their input is "
                        "there (fact alu_replays).");
}

static void say_ports(const struct advice *s)
{
    const struct analysis *a = s->a;
    const size_t start = s->out->length;
    portset parts[PORTS_MAX];
    const unsigned count = bottlenecks(a, parts);

    if (count > 1)
        name_bottlenecks(a, " and ", s->out);
    else
        name_ports(a, a->bottleneck_ports, s->out);
    s->out->data[start] = 'P';
    str_addf(s->out, " %s saturated for %.2f cycles per iteration",
             portset_size(a->bottleneck_ports) == 1 ? "is" : "are", a->bounds[BOUND_PORTS]);
    if (count == 1) {
        str_add(s->out, ", mostly by ");
        name_rows(a, a->bottleneck_ports, ROWS_NAMED, s->out);
    }
    str_add(s->out, ".");
    add_fitted_ports(s);
    add_constant_divisor(s);
    alternatives_add(a, s->out);
    const size_t fewer = s->out->length + 1;
    str_add_char(s->out, ' ');
    name_fewer(a, s->out);
    s->out->data[fewer] = 'F';
    str_addf(s->out, " would help%s.",
             could_widen(a) && is_count(s, LIMIT_PORTS) ? ", and so would wider vectors" : "");
    add_next(s);
}

static void say_none(const struct advice *s)
{
    str_add(s->out, "No instruction in this loop uses a port.");
}

typedef void say_kind(const struct advice *s);
static say_kind *const say[LIMIT_COUNT] = {
    [LIMIT_INDUCTION] = say_induction,
    [LIMIT_REDUCTION] = say_reduction,
    [LIMIT_SCAN] = say_scan,
    [LIMIT_RECURRENCE] = say_recurrence,
    [LIMIT_POINTER_CHASE] = say_chase,
    [LIMIT_SELECT] = say_select,
    [LIMIT_MEMORY] = say_memory,
    [LIMIT_FALSE] = say_false,
    [LIMIT_SERIAL] = say_serial,
    [LIMIT_PORTS] = say_ports,
    [LIMIT_DIVIDER] = say_divider,
    [LIMIT_ACCESSES] = say_accesses,
    [LIMIT_FRONTEND] = say_frontend,
    [LIMIT_BRANCH] = say_branch,
    [LIMIT_ISSUE] = say_issue,
    [LIMIT_RETIRE] = say_retire,
    [LIMIT_MICROCODE] = say_microcode,
    [LIMIT_NONE] = say_none,
};

/* The kinds of the tie that unrolling relieves, or those that it does not; returns their count. */
static unsigned tied_kinds(const struct advice *s, bool unrolls, enum limit_kind out[LIMIT_COUNT])
{
    unsigned count = 0;

    for (unsigned i = 0; i < s->l->count; i++)
        if (limit_unrolls(s->a, s->l->kinds[i]) == unrolls)
            out[count++] = s->l->kinds[i];
    return count;
}

/* Several limits of the same cycles, and what relieves all of them. */
static void say_tie(const struct advice *s)
{
    enum limit_kind unrolled[LIMIT_COUNT], firm[LIMIT_COUNT];
    const unsigned relieved = tied_kinds(s, true, unrolled), left = tied_kinds(s, false, firm);

    str_addf(s->out, "A tie at %.2f cycles per iteration: ", s->a->cycles);
    for (unsigned i = 0; i < s->l->count; i++) {
        str_add(s->out, !i ? "" : i + 1 == s->l->count ? " and " : ", ");
        name_tied(s, s->l->kinds[i]);
    }
    str_add_char(s->out, '.');
    if (s->a->bounds[BOUND_PORTS] >= s->a->cycles * (1 - LIMIT_TIE)) {
        add_fitted_ports(s);
        alternatives_add(s->a, s->out);
    }
    if (left) {
        bool widens = could_widen(s->a);
        str_add(s->out, " Relieving one alone gains nothing; it takes ");
        for (unsigned i = 0; i < left; i++) {
            str_add(s->out, !i ? "" : i + 1 == left ? " and " : ", ");
            name_remedy(s, firm[i]);
            widens &= is_count(s, firm[i]);
        }
        str_addf(s->out, "%s%s.", relieved ? " in an unrolled loop" : "",
                 widens ? ", or wider vectors" : "");
    } else {
        str_addf(s->out, " Unrolling relieves %s.", relieved > 2 ? "all" : "both");
    }
    add_next(s);
}

/* Assumptions of the bounds, and what in the loop could violate them. */
static void add_assumed(const struct analysis *a, const struct kernel *k, size_t loop,
                        struct str *out)
{
    bool memory = false, branches = false, told = false;
    struct str levels = {0}, size = {0};

    for (size_t i = 0; i < a->count; i++) {
        memory |= a->rows[i].insn->traits & (INSN_LOAD | INSN_STORE);
        branches |= a->rows[i].insn->traits & INSN_BRANCH && !(a->rows[i].insn->traits & INSN_CALL);
    }
    if (memory)
        memory_note(a, k, loop, &levels, &size);
    if (memory || branches)
        str_addf(out, " Assumed: %s%s%s%s%s%s.%s", memory ? "data in the first level" : "",
                 levels.length ? " (" : "", str_text(&levels), levels.length ? " cycles)" : "",
                 memory && branches ? ", " : "", branches ? "branches predicted" : "",
                 str_text(&size));
    str_done(&levels);
    str_done(&size);
    for (int kind = 0; kind < UNMODELLED_COUNT; kind++)
        if (a->not_modelled[kind]) {
            str_addf(out, "%s%s", told ? "; " : " Not modelled: ", a->not_modelled[kind]);
            told = true;
        }
    str_add(out, told ? "." : "");
}

void advice_repeated(const struct insn *repeated, struct str *out)
{
    str_addf(out,
             "What a repeated %s takes depends on its count and is not modelled: one repetition is "
             "counted, so this is a lower bound.",
             repeated->mnemonic);
}

/* Whether the chain that binds goes through the instruction that is repeated. */
static bool limited_by_repeated(const struct analysis *a)
{
    bool found = false;

    for (size_t i = 0; a->repeated && a->limit.kind <= LIMIT_SERIAL && i < a->limit.chain.count;
         i++)
        found |= a->rows[a->limit.chain.links[i].row].insn == a->repeated;
    return found;
}

/* Which instructions' figures are estimates, each form once. */
static void estimate_sentence(const struct analysis *a, struct str *out)
{
    size_t named = 0;

    str_add(out, " An estimate, as are the machine's figures of");
    for (size_t i = 0; i < a->count && named <= NAMED_ESTIMATES; i++) {
        bool again = !a->rows[i].estimate;
        for (size_t k = 0; k < i && !again; k++)
            again =
                a->rows[k].estimate && strcmp(a->rows[k].insn->form, a->rows[i].insn->form) == 0;
        if (again)
            continue;
        str_addf(out, "%s %s", named ? "," : "",
                 named == NAMED_ESTIMATES ? "..." : a->rows[i].insn->mnemonic);
        named++;
    }
    str_add_char(out, '.');
}

/* Names the limiting width, if it is an estimate. */
static void estimated_width(const struct analysis *a, struct str *out)
{
    const char *fact = a->limit.kind == LIMIT_RETIRE  ? "retire_width"
                       : a->limit.kind == LIMIT_ISSUE ? issue_kinds[a->issue.kind].fact
                                                      : NULL;

    if (fact && machine_fact_estimate(a->machine, fact))
        str_addf(out, " The machine's %s of %g is an estimate.", fact,
                 machine_number(a->machine, fact));
}

char *advice_of(const struct analysis *a, const struct kernel *k, size_t loop)
{
    struct str s = {0};
    const struct advice advice = {a, &a->limit, &s};

    if (limited_by_repeated(a))
        ;   /* one repetition tells nothing of the loop */
    else if (a->limit.count > 1)
        say_tie(&advice);
    else
        say[a->limit.kind](&advice);
    if (a->repeated) {
        str_add(&s, s.length ? " " : "");
        advice_repeated(a->repeated, &s);
    } else if (a->unknown)
        str_add(&s, " Some forms are unknown to this machine, so this is a lower bound.");
    else if (a->lower_bound)
        str_addf(&s, " This machine %s, so dependency chains may take longer.",
                 isnan(a->bounds[BOUND_DEPENDENCIES]) ? "has no latencies"
                                                      : "lacks the fact load_latency");
    if (a->estimate)
        estimate_sentence(a, &s);
    estimated_width(a, &s);
    add_assumed(a, k, loop, &s);
    nest_note(k, loop, &s);
    return str_take(&s);
}
