/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis.h"

#include <math.h>
#include <string.h>

#include "analysis/alternatives.h"
#include "analysis/memory_note.h"
#include "analysis/nest.h"
#include "base/str.h"

/* relative, by which a bound of slots exceeds them if all are filled */
#define SLOTS_FULL 0.005
#define NAMED 6              /* links of a chain */
#define REGISTERS_MOST 16    /* accumulators */
#define EQUAL 1e-9
#define NAMED_ESTIMATES 3      /* mnemonics that the sentence names */

/* Input of a sentence. */
struct advice {
    const struct analysis *a;
    const struct limit *l;
    struct str *out;
};

static void name_ports(const struct analysis *a, portset set, struct str *out)
{
    str_add(out, portset_size(set) == 1 ? "port " : "ports ");
    portset_list(set, &a->ports, ", ", " and ", out);
}

static void name_row(const struct analysis *a, size_t row, struct str *out)
{
    str_add(out, a->rows[row].insn->mnemonic);
    insn_place_note(a->rows[row].insn, out);
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
            if (!used && sum > most + EQUAL) {
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

static portset full_pipes(const struct analysis *a)
{
    const struct ports *ports = mapping_ports(a->machine->mapping);
    portset full = 0;

    for (unsigned j = 0; j < ports->count; j++)
        if (ports->pipes >> j & 1 && a->totals[j] >= a->bounds[BOUND_PIPES] - EQUAL)
            full |= (portset)1 << j;
    return full;
}

/* The links that take time, with their cycles; the first of @most. */
static void name_links(const struct advice *s, bool cycles)
{
    const struct limit_chain *chain = &s->l->chain;
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
        str_add(s->out, s->a->rows[link->row].insn->mnemonic);
        if (cycles)
            str_addf(s->out, " %g", link->cycles);
        insn_place_note(s->a->rows[link->row].insn, s->out);
    }
}

/* "ports 2 and 3": what would limit then. */
static void name_limit(const struct advice *s, enum limit_kind kind)
{
    switch (kind) {
    case LIMIT_PORTS: name_ports(s->a, s->a->bottleneck_ports, s->out); break;
    case LIMIT_FRONTEND:
    case LIMIT_DIVIDER:
    case LIMIT_BRANCH: str_addf(s->out, "the %s", limit_name(kind)); break;
    case LIMIT_MEMORY: str_add(s->out, "a chain through memory"); break;
    case LIMIT_INDUCTION:
    case LIMIT_REDUCTION:
    case LIMIT_RECURRENCE:
    case LIMIT_POINTER_CHASE:
    case LIMIT_SELECT:
    case LIMIT_FALSE: str_addf(s->out, "the %s", limit_name(kind)); break;
    default: str_add(s->out, limit_name(kind)); break;
    }
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
             " need%s own result of the iteration before, %.2f cycles per iteration. It is no "
             "accumulator: only fewer iterations, by unrolling, would take less.",
             s->l->chain.count == 1 ? "s its" : " their", s->l->chain.cycles);
}

static void say_reduction(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    const double wanted = s->l->next_cycles > 0 ? ceil(chain->cycles / s->l->next_cycles - EQUAL)
                                                : REGISTERS_MOST,
                 times = fmin(fmax(wanted, 2), REGISTERS_MOST);

    str_addf(s->out, "Reduction of %.2f cycles per iteration: ", chain->cycles);
    name_links(s, chain->count > 1);
    str_addf(s->out, " wait%s for the accumulator of the iteration before. Split the accumulator: ",
             chain->count == 1 ? "s" : "");
    if (chain->alike > 1)
        str_addf(s->out, "%g instead of each of the %u", times, chain->alike);
    else
        str_addf(s->out, "%g of them", times);
    str_addf(s->out, " would take %.2f cycles", fmax(chain->cycles / times, s->l->next_cycles));
    if (s->l->next_cycles > 0 && chain->cycles / times <= s->l->next_cycles + EQUAL) {
        str_add(s->out, ", then limited by ");
        name_limit(s, s->l->next);
    }
    str_add_char(s->out, '.');
    if (chain->floating)
        str_add(s->out,
                " The result is rounded otherwise then (-ffast-math, kernel tune --reassociate).");
}

static void say_recurrence(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;

    str_addf(s->out, "Recurrence of %.2f cycles per iteration: ", chain->cycles);
    name_links(s, true);
    str_add(s->out, chain->carry
                        ? ". Each needs the carry of the one before, so it cannot be split."
                        : ". Each step transforms the whole value of the step before, so it cannot "
                          "be split into partial results.");
    if (chain->affine)
        str_add(s->out, " It multiplies by a constant and adds: two steps at once are x * a * a + "
                        "(b * a + b'), half the chain.");
    if (s->l->next_cycles > 0 && chain->cycles >= 2 * s->l->next_cycles)
        str_addf(s->out, " %s independent data (%.0f streams in one loop fill the waiting).",
                 chain->affine ? "Or interleave" : "Interleave",
                 fmin(ceil(chain->cycles / s->l->next_cycles), REGISTERS_MOST));
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

static void say_memory(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    double through = 0;
    bool guessed = false;

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
        ". The old value of the destination is waited for, though the result needs no part of it "
        "or only parts that nobody reads. Zero that register before (xor), or write all of it.");
    add_next(s);
}

static void say_serial(const struct advice *s)
{
    str_addf(s->out, "Serialisation: ");
    name_links(s, true);
    str_addf(s->out,
             ", %.2f cycles per iteration. Locked, fencing and blocked accesses run one after the "
             "other, whatever else is free: fewer of them would help.",
             s->l->chain.cycles);
}

/* A division by something that the loop does not change. */
static size_t constant_divisor(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct insn *insn = a->rows[i].insn;
        const struct operand *divisor = insn_operand(insn, insn->inputs[1]);
        bool written =
            insn->operation != OPERATION_FP_DIVIDE || !divisor || divisor->kind != OPERAND_REGISTER;
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

static void say_divider(const struct advice *s)
{
    const size_t constant = constant_divisor(s->a);

    str_addf(s->out,
             "The divider is busy for %.2f cycles per iteration: ", s->a->bounds[BOUND_PIPES]);
    name_rows(s->a, full_pipes(s->a), s->out);
    str_add(s->out, ".");
    if (constant < s->a->count) {
        str_add(s->out, " The divisor of ");
        name_row(s->a, constant, s->out);
        str_add(s->out, " stays the same in the loop: multiply by its reciprocal, which rounds "
                        "differently (-ffast-math).");
    }
    add_next(s);
}

static void say_accesses(const struct advice *s)
{
    size_t loads = 0, stores = 0;

    for (size_t i = 0; i < s->a->count; i++) {
        loads += (s->a->rows[i].flags & ROW_LOAD) != 0;
        stores += (s->a->rows[i].flags & ROW_STORE) != 0;
    }
    str_addf(s->out, "Loads and stores take %.2f cycles per iteration: %zu load%s and %zu store%s.",
             s->a->bounds[BOUND_MEMORY], loads, loads == 1 ? "" : "s", stores,
             stores == 1 ? "" : "s");
    if (s->a->fitted & 1U << BOUND_MEMORY)
        str_add(s->out, " That is a fitted mean: some loads are tried again (facts load_replays, "
                        "forward_replays).");
    str_add(s->out, " Fewer or wider accesses would help.");
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

static void say_frontend(const struct advice *s)
{
    const struct analysis *a = s->a;
    const struct frontend *f = &a->frontend;
    const size_t prefix = long_prefix(a);

    str_addf(s->out, "Front end, %s: %.2f cycles per iteration", frontend_part(f),
             a->bounds[BOUND_FRONTEND]);
    if (f->at != FRONTEND_NOWHERE && f->at < a->count) {
        str_add(s->out, f->jcc_erratum ? " because of " : ", fullest from ");
        name_row(a, f->at, s->out);
        str_add(s->out, f->jcc_erratum ? "" : " on");
    }
    if (f->jcc_erratum)
        str_add(s->out, ": a jump that crosses or ends at a 32-byte boundary keeps its code out of "
                        "the \302\265op cache. Align it.");
    else if (f->crowded)
        str_add(s->out, ": that block of code has more \302\265ops than the \302\265op cache "
                        "takes. Longer encodings would help.");
    else if (f->large)
        str_add(s->out,
                ": the loop has more \302\265ops than the \302\265op cache holds. Unroll it less.");
    else if (f->source == SOURCE_LOOP_BUFFER)
        str_add(s->out,
                ": a group of \302\265ops ends with the iteration. Unrolling would fill them.");
    else if (f->source == SOURCE_UOP_CACHE)
        str_add(s->out,
                f->by_windows
                    ? ": instructions lie too close together, or across too many windows of code. "
                      "Another alignment, longer encodings or unrolling would help."
                    : ": it delivers no more \302\265ops in a cycle. Fewer \302\265ops or "
                      "unrolling would help.");
    else if (is_predecode(f)) {
        str_add(s->out, ": so many bytes and instructions a cycle. Shorter encodings would help.");
        if (prefix < a->count) {
            str_add(s->out, " A length-changing prefix stalls it: ");
            name_row(a, prefix, s->out);
            str_add(s->out, ".");
        }
    } else
        str_add(s->out, several_micro_ops(a)
                            ? ": only the first decoder takes instructions of several \302\265ops. "
                              "Simpler instructions would help."
                            : ": so many instructions. Fewer would help.");
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
            str_add(s->out, named++ ? ", " : " Indexed addresses cost a slot each: ");
            if (named > 3) {
                str_add(s->out, "and more");
                break;
            }
            name_row(s->a, i, s->out);
        }
    str_add(s->out, named ? "." : "");
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
    str_add(s->out, a->issue.kind == ISSUE_SLOTS
                        ? " Fewer instructions (wider vectors, folded loads, unrolling) would help."
                        : " Fewer of these would help.");
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

/* A limit of several, with what it rests on. */
static void name_tied(const struct advice *s, enum limit_kind kind)
{
    const struct analysis *a = s->a;

    name_limit(s, kind);
    if (kind <= LIMIT_SERIAL || kind == LIMIT_PORTS || kind == LIMIT_DIVIDER) {
        str_add(s->out, " (");
        if (kind <= LIMIT_SERIAL)
            name_links(s, s->l->chain.count > 1);
        else
            name_rows(a, kind == LIMIT_PORTS ? a->bottleneck_ports : full_pipes(a), s->out);
        str_add(s->out, ")");
    } else if (kind == LIMIT_ISSUE) {
        str_add(s->out, " (");
        name_issue(s, "");
        str_add(s->out, ")");
    } else if (kind == LIMIT_FRONTEND) {
        str_addf(s->out, " (%s%s)", frontend_part(&a->frontend),
                 a->frontend.jcc_erratum ? "; a jump touches a 32-byte boundary" : "");
    }
}

/* Whether the ports that bind are full of the jump that closes the loop. */
static bool only_jump(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++)
        for (unsigned j = 0; j < PORTS_MAX && a->bottleneck_ports >> j; j++)
            if (a->bottleneck_ports >> j & 1 && a->rows[i].pressure[j] > EQUAL &&
                i + 1 != a->count && !(a->rows[i].flags & ROW_FUSED && i + 2 == a->count))
                return false;
    return true;
}

/* Whether all that ties is paid once an iteration, however much that does. */
static bool unrolling_helps(const struct advice *s)
{
    for (unsigned i = 0; i < s->l->count; i++) {
        const enum limit_kind kind = s->l->kinds[i];
        const bool frontend =
            kind == LIMIT_FRONTEND &&
            (s->a->frontend.source == SOURCE_LOOP_BUFFER || s->a->bounds[BOUND_FRONTEND] <= 1);
        if (kind != LIMIT_INDUCTION && kind != LIMIT_BRANCH && !frontend &&
            !(kind == LIMIT_PORTS && only_jump(s->a)))
            return false;
    }
    return true;
}

/* The limits that tie with the first one. */
static void add_tied(const struct advice *s)
{
    for (unsigned i = 1; i < s->l->count; i++) {
        str_add(s->out, i == 1 ? "; tied with " : i + 1 == s->l->count ? " and " : ", ");
        name_tied(s, s->l->kinds[i]);
    }
    if (s->l->count > 1 && unrolling_helps(s))
        str_add(s->out, "; unrolling relieves both");
}

static void say_ports(const struct advice *s)
{
    const struct analysis *a = s->a;
    const size_t start = s->out->length;

    name_ports(a, a->bottleneck_ports, s->out);
    s->out->data[start] = 'P';
    str_addf(s->out, " %s saturated for %.2f cycles per iteration, mostly by ",
             portset_size(a->bottleneck_ports) == 1 ? "is" : "are", a->bounds[BOUND_PORTS]);
    name_rows(a, a->bottleneck_ports, s->out);
    add_tied(s);
    str_add(s->out, ".");
    if (a->fitted & 1U << BOUND_PORTS)
        str_add(s->out, " That is a fitted mean: some operations are tried before their input is "
                        "there (fact alu_replays).");
    alternatives_add(a, s->out);
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

/* Several limits of the same cycles. */
static void say_tie(const struct advice *s)
{
    str_addf(s->out, "A tie at %.2f cycles per iteration: ", s->a->cycles);
    for (unsigned i = 0; i < s->l->count; i++) {
        str_add(s->out, !i ? "" : i + 1 == s->l->count ? " and " : ", ");
        name_tied(s, s->l->kinds[i]);
    }
    str_add(s->out, unrolling_helps(s) ? ". Unrolling relieves both."
                                       : ". Relieving one alone gains nothing.");
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

    if (a->limit.count > 1 && a->limit.kind != LIMIT_PORTS)
        say_tie(&advice);
    else
        say[a->limit.kind](&advice);
    if (a->repeated) {
        str_add_char(&s, ' ');
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
