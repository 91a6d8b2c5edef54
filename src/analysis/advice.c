/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/advice.h"

#include <math.h>
#include <string.h>

#include "analysis/memory_note.h"
#include "analysis/nest.h"
#include "toolchain/margins.h"

/* largest share of unused slots at which the slots of a group count as full */
#define SLOTS_FULL 0.005
#define HEAVY 4           /* minimum number of slots of an instruction that the sentence names */
/* Maximum number of slots of a loop for which unrolling is advised. In a longer loop, the counter
 * and the branch take little of the time. */
#define LONG_LOOP 16

static void count_accesses(const struct analysis *a, size_t *loads, size_t *stores)
{
    *loads = *stores = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->rows[i].flags & ROW_SKIPPED)
            continue;
        *loads += (a->rows[i].insn->traits & INSN_LOAD) != 0;
        *stores += (a->rows[i].insn->traits & INSN_STORE) != 0;
    }
}

/* Appends the accesses that limit a loop, such as "2 cache-line writes, 1 per cycle". */
static void name_accesses(const struct advice *s)
{
    size_t loads, stores;

    count_accesses(s->a, &loads, &stores);
    switch (s->a->accesses) {
    case ACCESSES_LOADS:
        str_addf(s->out, "%zu load%s, %g per cycle", loads, plural(loads),
                 machine_number(s->a->machine, "loads_per_cycle"));
        break;
    case ACCESSES_STORES:
        str_addf(s->out, "%zu store%s, %g per cycle", stores, plural(stores),
                 machine_number(s->a->machine, "stores_per_cycle"));
        break;
    case ACCESSES_LINES:
        str_addf(s->out, "%.4g cache-line write%s, %g per cycle", s->a->line_writes,
                 plural((uint64_t)ceil(s->a->line_writes)),
                 machine_number(s->a->machine, "store_lines_per_cycle"));
        break;
    case ACCESSES_PLACES:
        str_add(s->out, "accesses that are wide stores, share cache banks or cross cache lines");
        break;
    case ACCESSES_AGAIN:
        str_add(s->out, "accesses (a fitted mean, because some are replayed)");
        break;
    }
}

static void say_accesses(const struct advice *s)
{
    const struct analysis *a = s->a;
    const double cycles = a->bounds[BOUND_MEMORY];
    size_t loads, stores;

    count_accesses(a, &loads, &stores);
    switch (a->accesses) {
    case ACCESSES_LOADS:
        str_addf(s->out,
                 "Loads take %.2f cycles per iteration: %zu at %g per cycle.", cycles, loads,
                 machine_number(a->machine, "loads_per_cycle"));
        break;
    case ACCESSES_STORES:
        str_addf(s->out, "Stores take %.2f cycles per iteration: %zu at %g per cycle.", cycles,
                 stores, machine_number(a->machine, "stores_per_cycle"));
        break;
    case ACCESSES_LINES:
        str_addf(s->out,
                 "Stores take %.2f cycles per iteration: %.4g cache-line write%s at %g per cycle. "
                 "Consecutive stores to one cache line can share a write.",
                 cycles, a->line_writes, plural((uint64_t)ceil(a->line_writes)),
                 machine_number(a->machine, "store_lines_per_cycle"));
        break;
    case ACCESSES_PLACES:
        str_addf(
            s->out,
            "Loads and stores take %.2f cycles per iteration: %zu load%s and %zu store%s. Some "
            "accesses are wide stores, share banks of the first-level cache or cross cache lines.",
            cycles, loads, plural(loads), stores, plural(stores));
        break;
    case ACCESSES_AGAIN:
        str_addf(s->out,
                 "Loads and stores take %.2f cycles per iteration: %zu load%s and %zu store%s, "
                 "some of them replayed. Replays are counted as a fitted mean (facts load_replays, "
                 "forward_replays).",
                 cycles, loads, plural(loads), stores, plural(stores));
        break;
    }
    str_add(s->out, advice_could_widen(a) ? " Fewer or wider accesses would help."
                                          : " Fewer accesses would help.");
    advice_next(s);
}

static bool several_micro_ops(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].issue > 1 && !(a->rows[i].flags & (ROW_SPLIT | ROW_SYNC)))
            return true;
    return false;
}

/* Returns the index of the first instruction with a length-changing prefix; the instruction count:
 * none. */
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

/* Appends ": 16 bytes and 5 instructions per cycle", if the machine has these facts, and the
 * remedy. */
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

/* Returns the number of instructions at the decoders. A macro-fused pair counts as one, as does a
 * move with the instruction that it joins (ROW_JOINS). */
static double decoded(const struct analysis *a)
{
    double count = 0;

    for (size_t i = 0; i < a->count; i++)
        count += !(a->rows[i].flags & (ROW_PART | ROW_JOINS));
    return count;
}

static void add_decode(const struct advice *s)
{
    const double decoders = fact(s, "decoders"), width = fact(s, "decode_width");

    if (decoders > 0 && several_micro_ops(s->a) &&
        s->a->frontend.decode > decoded(s->a) / decoders + ADVICE_EQUAL)
        str_add(s->out, ": only the first decoder decodes instructions of several \302\265ops. "
                        "Simpler instructions would help.");
    else if (decoders > 0 || width > 0)
        str_addf(s->out, ": %g instructions per cycle. Fewer instructions would help.",
                 width > 0 ? width : decoders);
    else
        str_add(s->out, ": fewer instructions would help.");
}

static void say_frontend(const struct advice *s)
{
    const struct analysis *a = s->a;
    const struct frontend *f = &a->frontend;
    const size_t prefix = long_prefix(a);

    str_addf(s->out, "Front end, %s: %.2f cycles per iteration", advice_frontend_part(f),
             a->bounds[BOUND_FRONTEND]);
    if (f->at != FRONTEND_NOWHERE && f->at < a->count) {
        const struct insn *insn = a->rows[f->at].insn;
        str_add(s->out, f->jcc_erratum ? " because of " : ", fullest block from ");
        advice_row(a, f->at, s->out);
        if (insn->line)
            str_addf(s->out, " at 0x%llx",
                     (unsigned long long)(insn->placed ? insn->address : insn->offset));
        str_add(s->out, f->jcc_erratum ? "" : " on");
    }
    if (f->jcc_erratum)
        str_addf(s->out,
                 ": a jump that crosses or ends at a 32-byte boundary cannot be stored in the "
                 "\302\265op cache. Align the jump (%s).",
                 advice_aligning_option(a));
    else if (f->crowded)
        str_add(s->out, ": the \302\265op cache cannot store all \302\265ops of this block. Longer "
                        "encodings would help.");
    else if (f->large)
        str_addf(s->out,
                 ": the loop has more than the %g \302\265ops that fit in the \302\265op cache. "
                 "Unroll the loop less.",
                 fact(s, "uop_cache_size"));
    else if (f->source == SOURCE_LOOP_BUFFER)
        str_add(s->out, ": the last group of \302\265ops of an iteration is incomplete. Unrolling "
                        "would fill the groups.");
    else if (f->source == SOURCE_UOP_CACHE && f->by_windows)
        str_add(s->out, ": the loop needs many lines of one \302\265op cache window, or spans many "
                        "windows. Another alignment, longer encodings or unrolling would help.");
    else if (f->source == SOURCE_UOP_CACHE)
        str_addf(s->out,
                 ": the \302\265op cache delivers %g \302\265ops per cycle, and each iteration "
                 "begins in a new cycle. Fewer \302\265ops or unrolling would help.",
                 fact(s, "uop_cache_width"));
    else if (advice_is_predecode(f)) {
        add_predecode(s);
        if (prefix < a->count) {
            str_add(s->out,
                    " Length-changing prefixes stall the predecoder; the first prefix is in ");
            advice_row(a, prefix, s->out);
            str_add(s->out, ".");
        }
    } else
        add_decode(s);
    advice_next(s);
}

static void say_branch(const struct advice *s)
{
    str_addf(s->out,
             "The taken branch takes %.2f cycles per iteration. Unrolling would reduce the number "
             "of taken branches.",
             s->a->bounds[BOUND_FRONTEND]);
    advice_next(s);
}

/* Names instructions whose micro-fused µops take separate slots because of an indexed address. */
static void name_split(const struct advice *s)
{
    size_t named = 0;

    for (size_t i = 0; i < s->a->count; i++)
        if (s->a->rows[i].flags & ROW_SPLIT) {
            str_add(s->out, named++ ? ", "
                                    : " Incremented pointers would save the issue slot that each "
                                      "indexed address costs: ");
            if (named > 3) {
                str_add(s->out, "and more");
                break;
            }
            advice_row(s->a, i, s->out);
        }
    str_add(s->out, named ? "." : "");
}

static void add_fewer(const struct advice *s)
{
    const struct analysis *a = s->a;
    bool loads = false;

    for (uint32_t i = 0; i < a->count; i++)
        loads |= advice_folds(a, i);
    const char *const ways[] = {
        advice_could_widen(a) ? "wider vectors" : NULL, loads ? "folded loads" : NULL,
        a->shape == SHAPE_LOOP && a->issue.count <= LONG_LOOP ? "unrolling" : NULL};
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

static const struct {
    const char *things, *fact;
} issue_kinds[] = {
    [ISSUE_SLOTS] = {"\302\265ops", "issue_width"},
    [ISSUE_DISPATCH] = {"\302\265ops for ", "dispatch_limits"},
    [ISSUE_MOVES] = {"eliminated moves", "eliminate_per_cycle"},
    [ISSUE_ZEROES] = {"eliminated moves of zero", "eliminate_zero_per_cycle"},
    [ISSUE_VECTORS] = {"\302\265ops of vector instructions", "rename_vectors"},
};

/* Appends " (228 of them for vgatherdps)" if the instructions of one form take at least half of the
 * slots. Each of these instructions must take at least HEAVY. */
static void add_heavy(const struct advice *s)
{
    const struct analysis *a = s->a;
    double most = 0;
    size_t row = 0;

    /* Other kinds of issue limits do not count slots. */
    if (a->issue.kind != ISSUE_SLOTS && a->issue.kind != ISSUE_VECTORS)
        return;
    for (size_t i = 0; i < a->count; i++) {
        double sum = 0;
        if (a->issue.kind == ISSUE_VECTORS && !(a->rows[i].insn->traits & INSN_VECTOR))
            continue;
        for (size_t k = 0; a->rows[i].issue >= HEAVY && k < a->count; k++)
            sum += strcmp(a->rows[k].insn->form, a->rows[i].insn->form) == 0
                       ? a->rows[k].issue
                       : 0;
        row = sum > most ? i : row;
        most = fmax(most, sum);
    }
    if (most >= a->issue.count / 2)
        str_addf(s->out, " (%.0f of them for %s)", most, a->rows[row].insn->mnemonic);
}

/* Appends "13 µops for ports S0 and S1, 4 per cycle". If @whole is true, also names the iteration,
 * and the form that takes most of the slots. */
static void name_issue(const struct advice *s, bool whole)
{
    const struct analysis *a = s->a;
    bool dispatch = a->issue.kind == ISSUE_DISPATCH;

    str_addf(s->out, "%.0f %s", a->issue.count, issue_kinds[a->issue.kind].things);
    if (dispatch)
        advice_ports(a, a->issue.limit.ports, s->out);
    if (dispatch && a->issue.limit.within)
        str_add(s->out, " alone");
    if (whole) {
        str_add(s->out, " per iteration");
        add_heavy(s);
    }
    str_addf(s->out, ", %g per cycle",
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
    name_issue(s, true);
    str_add(s->out, ".");
    if (a->issue.kind == ISSUE_SLOTS &&
        a->issue.count / width < a->bounds[BOUND_ISSUE] * (1 - SLOTS_FULL))
        str_addf(s->out,
                 " Some groups of %g \302\265ops are incomplete, because the next instruction does "
                 "not fit.",
                 width);
    str_addf(s->out, " The bound is %.2f cycles.", a->bounds[BOUND_ISSUE]);
    name_split(s);
    if (a->issue.kind == ISSUE_SLOTS)
        add_fewer(s);
    else
        str_addf(s->out, " Fewer of these \302\265ops or moves would help%s.",
                 a->issue.kind == ISSUE_VECTORS && advice_could_widen(a)
                     ? ", and so would wider vectors"
                     : "");
    advice_next(s);
}

static void say_retire(const struct advice *s)
{
    str_addf(s->out,
             "Retirement: %.2f cycles per iteration at %g \302\265ops per cycle. Fewer \302\265ops "
             "would help.",
             s->a->bounds[BOUND_RETIRE], machine_number(s->a->machine, "retire_width"));
    advice_next(s);
}

enum port_work { WORK_JUMP, WORK_LOADS, WORK_STORES, WORK_ACCESSES, WORK_SHUFFLES, WORK_OTHER };

/* Returns the ports that @form uses on the machine of @a; 0 if @form is NULL or unknown. */
static portset ports_of(const struct analysis *a, const char *form)
{
    const struct mapping_entry *entry = form ? mapping_find(a->machine->mapping, form) : NULL;
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
        if (!(advice_load(a, i, set) > ADVICE_EQUAL))
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

static void name_fewer(const struct analysis *a, struct str *out)
{
    static const char *const things[] = {
        [WORK_JUMP] = "jumps",
        [WORK_LOADS] = "loads",
        [WORK_STORES] = "stores",
        [WORK_ACCESSES] = "loads and stores",
        [WORK_SHUFFLES] = "shuffles (loads can broadcast and insert)",
        [WORK_OTHER] = "operations on these ports",
    };
    const unsigned accesses = 1U << WORK_LOADS | 1U << WORK_STORES | 1U << WORK_ACCESSES;
    portset parts[PORTS_MAX];
    unsigned works = 0;
    bool listed = false;

    for (unsigned p = 0, count = advice_bottlenecks(a, parts); p < count; p++)
        works |= 1U << work_on(a, parts[p]);
    /* Replaces several kinds of accesses with their common name. */
    if ((works & accesses) & ((works & accesses) - 1U))
        works = (works & ~accesses) | 1U << WORK_ACCESSES;
    for (unsigned work = 0; work < sizeof things / sizeof *things; work++)
        if (works >> work & 1) {
            str_addf(out, "%s%s", listed ? " and fewer " : "fewer ", things[work]);
            listed = true;
        }
}

static void name_remedy(const struct advice *s, enum limit_kind kind)
{
    static const char *const remedies[LIMIT_COUNT] = {
        [LIMIT_REDUCTION] = "several accumulators",
        [LIMIT_SCAN] = "partial results combined before each step of the chain",
        [LIMIT_RECURRENCE] = "interleaved independent data",
        [LIMIT_POINTER_CHASE] = "several independent chains",
        [LIMIT_SELECT] = "interleaved selections",
        [LIMIT_MEMORY] = "a register instead of memory for the value",
        [LIMIT_PARTIAL] = "a register that is zeroed first or written in full",
        [LIMIT_FALSE] = "a destination that is zeroed first",
        [LIMIT_SERIAL] = "fewer locks or fences",
        [LIMIT_DIVIDER] = "fewer divisions or square roots",
        [LIMIT_ACCESSES] = "fewer loads or stores",
        [LIMIT_ISSUE] = "fewer instructions",
        [LIMIT_RETIRE] = "fewer \302\265ops",
        [LIMIT_MICROCODE] = "fewer microcoded instructions",
    };
    const struct frontend *f = &s->a->frontend;

    if (kind == LIMIT_PORTS)
        name_fewer(s->a, s->out);
    else if (kind == LIMIT_FRONTEND && f->jcc_erratum)
        str_addf(s->out, "an aligned jump (%s)", advice_aligning_option(s->a));
    else if (kind == LIMIT_FRONTEND)
        str_add(s->out, f->large                      ? "less unrolling"
                        : f->crowded || f->by_windows ? "another alignment or longer encodings"
                                                      : "shorter code");
    else if (kind == LIMIT_RECURRENCE && s->l->chain.affine)
        str_add(s->out, s->l->chain.logic ? "two steps combined"
                                          : "two steps combined, x * a * a + (b * a + b')");
    else if (kind == LIMIT_DIVIDER && !advice_divides(s->a))
        str_add(s->out, "fewer operations on these ports");
    else if (kind == LIMIT_MEMORY && !(advice_forwarded(&s->l->chain) > ADVICE_EQUAL))
        str_add(s->out, remedies[LIMIT_RECURRENCE]);
    else if (kind == LIMIT_SELECT && s->l->chain.addend)
        str_add(s->out, "a selected addend instead of a selected sum");
    else if (remedies[kind])
        str_add(s->out, remedies[kind]);
}

/* Returns whether the limit @kind is a number of operations, which wider vectors reduce. */
static bool is_count(const struct advice *s, enum limit_kind kind)
{
    return (kind == LIMIT_PORTS && work_on(s->a, s->a->bottleneck_ports) != WORK_JUMP) ||
           kind == LIMIT_ISSUE || kind == LIMIT_RETIRE || kind == LIMIT_ACCESSES ||
           (kind == LIMIT_FRONTEND && !s->a->frontend.jcc_erratum);
}

static void name_tied(const struct advice *s, enum limit_kind kind)
{
    const struct analysis *a = s->a;

    if (kind == LIMIT_PORTS) {
        advice_name_bottlenecks(a, ", ", s->out);
        return;
    }
    advice_limit(s, kind);
    if (kind <= LIMIT_SERIAL) {
        const struct limit_chain *chain = s->l->other.kind == kind ? &s->l->other : &s->l->chain;
        str_add(s->out, " (");
        advice_chain(s, chain, advice_chain_names_several(chain));
        str_add_char(s->out, ')');
    } else if (kind == LIMIT_DIVIDER) {
        str_add(s->out, " (");
        advice_rows(a, advice_full_pipes(a), ADVICE_ROWS, s->out);
        str_add_char(s->out, ')');
    } else if (kind == LIMIT_ISSUE) {
        str_add(s->out, " (");
        name_issue(s, false);
        str_add_char(s->out, ')');
    } else if (kind == LIMIT_ACCESSES) {
        str_add(s->out, " (");
        name_accesses(s);
        str_add_char(s->out, ')');
    }
}

static void add_fitted_ports(const struct advice *s)
{
    if (s->a->fitted & 1U << BOUND_PORTS)
        str_add(s->out, " The cycles contain a fitted mean: some operations take more port slots "
                       "(fact alu_replays or port_conflicts).");
}

static void say_ports(const struct advice *s)
{
    const struct analysis *a = s->a;
    const size_t start = s->out->length;
    portset parts[PORTS_MAX];
    const unsigned count = advice_bottlenecks(a, parts);

    if (count > 1)
        advice_name_bottlenecks(a, " and ", s->out);
    else
        advice_ports(a, a->bottleneck_ports, s->out);
    s->out->data[start] = 'P';
    str_addf(s->out, " %s saturated for %.2f cycles per iteration",
             portset_size(a->bottleneck_ports) == 1 ? "is" : "are", a->bounds[BOUND_PORTS]);
    if (count == 1) {
        str_add(s->out, ", mostly by ");
        advice_rows(a, a->bottleneck_ports, ADVICE_ROWS, s->out);
    }
    str_add(s->out, ".");
    add_fitted_ports(s);
    advice_constant_divisor(s);
    alternatives_add(a, s->out);
    const size_t fewer = s->out->length + 1;
    str_add_char(s->out, ' ');
    name_fewer(a, s->out);
    s->out->data[fewer] = 'F';
    str_addf(s->out, " would help%s.",
             advice_could_widen(a) && is_count(s, LIMIT_PORTS) ? ", and so would wider vectors"
                                                               : "");
    advice_next(s);
}

static void say_none(const struct advice *s)
{
    str_add(s->out, "No instruction in this loop uses a port.");
}

typedef void say_kind(const struct advice *s);
static say_kind *const say[LIMIT_COUNT] = {
    [LIMIT_INDUCTION] = advice_say_induction,
    [LIMIT_REDUCTION] = advice_say_reduction,
    [LIMIT_SCAN] = advice_say_scan,
    [LIMIT_RECURRENCE] = advice_say_recurrence,
    [LIMIT_POINTER_CHASE] = advice_say_chase,
    [LIMIT_SELECT] = advice_say_select,
    [LIMIT_MEMORY] = advice_say_memory,
    [LIMIT_PARTIAL] = advice_say_partial,
    [LIMIT_FALSE] = advice_say_false,
    [LIMIT_SERIAL] = advice_say_serial,
    [LIMIT_PORTS] = say_ports,
    [LIMIT_DIVIDER] = advice_say_divider,
    [LIMIT_ACCESSES] = say_accesses,
    [LIMIT_FRONTEND] = say_frontend,
    [LIMIT_BRANCH] = say_branch,
    [LIMIT_ISSUE] = say_issue,
    [LIMIT_RETIRE] = say_retire,
    [LIMIT_MICROCODE] = advice_say_microcode,
    [LIMIT_NONE] = say_none,
};

/* Stores the tied limits (within LIMIT_TIE) in @out: those that unrolling relieves if @unrolls is
 * true, otherwise those that it does not relieve. Returns their number. */
static unsigned tied_kinds(const struct advice *s, bool unrolls, enum limit_kind out[LIMIT_COUNT])
{
    unsigned count = 0;

    for (unsigned i = 0; i < s->l->count; i++)
        if (limit_unrolls(s->a, s->l->kinds[i]) == unrolls)
            out[count++] = s->l->kinds[i];
    return count;
}

/* Appends the remedies for the @count limits in @kinds, without repetition. */
static void name_remedies(const struct advice *s, const enum limit_kind *kinds, unsigned count)
{
    struct str texts[LIMIT_COUNT] = {{0}};
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct advice one = {s->a, s->l, &texts[n]};
        bool fresh = true;
        str_clear(&texts[n]);
        name_remedy(&one, kinds[i]);
        for (unsigned k = 0; k < n; k++)
            fresh &= strcmp(str_text(&texts[k]), str_text(&texts[n])) != 0;
        n += fresh;
    }
    for (unsigned i = 0; i < n; i++)
        str_addf(s->out, "%s%s", !i ? "" : i + 1 == n ? " and " : ", ", str_text(&texts[i]));
    for (unsigned i = 0; i < count; i++)
        str_done(&texts[i]);
}

static void say_tie(const struct advice *s)
{
    enum limit_kind unrolled[LIMIT_COUNT], firm[LIMIT_COUNT];
    const unsigned relieved = tied_kinds(s, true, unrolled), left = tied_kinds(s, false, firm);

    str_addf(s->out, "Tied limits, %.2f cycles per iteration: ", s->a->cycles);
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
        bool widens = advice_could_widen(s->a);
        str_add(s->out, " Relieving only one limit gains nothing; use ");
        for (unsigned i = 0; i < left; i++)
            widens &= is_count(s, firm[i]);
        name_remedies(s, firm, left);
        str_addf(s->out, "%s%s.", relieved ? " in an unrolled loop" : "",
                 widens ? ", or wider vectors" : "");
    } else {
        str_addf(s->out, " Unrolling relieves %s.", relieved > 2 ? "all" : "both");
    }
    advice_next(s);
}

/* Appends the assumptions that the loop may violate, the effects that are not modelled, and the
 * omitted instructions. */
static void add_assumed(const struct analysis *a, const struct kernel *k, size_t loop,
                        struct str *out)
{
    bool memory = false, branches = false, listed = false;
    struct str levels = {0}, size = {0};
    size_t skipped = 0;

    for (size_t i = 0; i < a->count; i++) {
        if (a->rows[i].flags & ROW_SKIPPED) {
            skipped++;
            continue;
        }
        memory |= a->rows[i].insn->traits & (INSN_LOAD | INSN_STORE);
        branches |= a->rows[i].insn->traits & INSN_BRANCH && !(a->rows[i].insn->traits & INSN_CALL);
    }
    if (memory)
        memory_note(a, k, loop, &levels, &size);
    if (memory || branches)
        str_addf(out, " Assumed: %s%s%s%s%s%s.%s", memory ? "data in the first-level cache" : "",
                 levels.length ? " (" : "", str_text(&levels), levels.length ? " cycles)" : "",
                 memory && branches ? ", " : "", branches ? "branches predicted correctly" : "",
                 str_text(&size));
    str_done(&levels);
    str_done(&size);
    if (k->loops[loop].head != k->loops[loop].first && skipped)
        str_addf(
            out,
            " Several paths lead through the loop. Assumed: each iteration takes the longest path, "
            "%zu of %zu instructions. Only other paths execute the instructions marked x.",
            a->count - skipped, a->count);
    for (int kind = 0; kind < UNMODELLED_COUNT; kind++)
        if (a->not_modelled[kind]) {
            str_addf(out, "%s%s", listed ? "; " : " Not modelled: ", a->not_modelled[kind]);
            listed = true;
        }
    size_t gaps = 0, first = 0;
    for (size_t i = 0; i < k->left_out_count; i++) {
        const struct diagnostic *d = &k->left_out[i];
        if ((strcmp(d->reason, MARGIN_OMITTED) == 0 || strcmp(d->reason, MARGIN_GAP) == 0) &&
            d->line > k->loops[loop].first_line && d->line <= k->loops[loop].last_line)
            first = gaps++ ? first : d->line;
    }
    if (gaps)
        str_addf(out, "%s" MARGIN_OMITTED " (", listed ? "; " : " Not modelled: ");
    if (gaps > 1)
        str_addf(out, "in %zu places, first ", gaps);
    if (gaps)
        str_addf(out, "line %zu)", first);
    str_add(out, listed || gaps ? "." : "");
}

void advice_repeated(const struct insn *repeated, struct str *out)
{
    str_addf(out,
             "The time of a repeated %s depends on its count. One repetition is counted, so the "
             "time is a lower bound.",
             repeated->mnemonic);
}

/* Returns whether the limiting chain contains the repeated instruction. */
static bool limited_by_repeated(const struct analysis *a)
{
    bool found = false;

    for (size_t i = 0; a->repeated && a->limit.kind <= LIMIT_SERIAL && i < a->limit.chain.count;
         i++)
        found |= a->rows[a->limit.chain.links[i].row].insn == a->repeated;
    return found;
}

/* Returns the fact of the limiting width; NULL: no width is the limit. */
static const char *limiting_width(const struct analysis *a)
{
    return a->limit.kind == LIMIT_RETIRE  ? "retire_width"
           : a->limit.kind == LIMIT_ISSUE ? issue_kinds[a->issue.kind].fact
                                          : NULL;
}

static bool has_call(const struct analysis *a)
{
    bool found = false;

    for (size_t i = 0; i < a->count; i++)
        found |= (a->rows[i].insn->traits & INSN_CALL) != 0;
    return found;
}

char *advice_of(const struct analysis *a, const struct kernel *k, size_t loop)
{
    struct str s = {0};
    const struct advice advice = {a, &a->limit, &s};

    if (has_call(a))
        str_add(&s, "Without the called functions: ");
    if (limited_by_repeated(a))
        /* A sentence about the limit would describe only one repetition of the instruction. */
        ;
    else if (a->limit.count > 1)
        say_tie(&advice);
    else
        say[a->limit.kind](&advice);
    if (a->repeated) {
        str_add(&s, s.length ? " " : "");
        advice_repeated(a->repeated, &s);
    } else if (a->unknown)
        str_add(&s, " Some forms are unknown to this machine, so the time is a lower bound.");
    else if (a->latency_guessed)
        advice_guessed(a, &s);
    else if (a->lower_bound)
        str_addf(&s, " This machine %s, so dependency chains may take longer.",
                 isnan(a->bounds[BOUND_DEPENDENCIES]) ? "has no latencies"
                                                      : "lacks the fact load_latency");
    if (a->unhurried < a->cycles)
        str_addf(&s, " At least %.2f cycles: two-cycle operations of the chain may take one cycle "
                 "(fact unhurried_ports).", a->unhurried);
    advice_estimates(a, limiting_width(a), &s);
    add_assumed(a, k, loop, &s);
    nest_note(k, loop, &s);
    return str_take(&s);
}
