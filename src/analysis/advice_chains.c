/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/advice.h"

#include <math.h>
#include <string.h>

#define REGISTERS_MOST 16 /* maximum number of accumulators that a sentence suggests */
/* largest ratio of latencies (narrower to present division) at which the narrower division is
 * suggested */
#define NARROWER 0.75

void advice_say_induction(const struct advice *s)
{
    str_add(s->out, "Induction variable: ");
    advice_links(s, false);
    str_addf(
        s->out, " step%s the variable once per iteration, %.2f cycles. It is not an accumulator.%s",
        advice_chain_names_several(&s->l->chain) ? "" : "s", s->l->chain.cycles,
        s->a->shape == SHAPE_LOOP ? " Only unrolling helps, because it reduces the number of steps."
                                  : "");
}

/* Returns the number of accumulators, or of independent data items, that hide the chain's latency,
 * from 2 to REGISTERS_MOST. */
static double hiding_count(const struct advice *s)
{
    const double many = s->l->left_cycles > 0
                            ? ceil(s->l->chain.cycles / s->l->left_cycles - ADVICE_EQUAL)
                            : REGISTERS_MOST;

    return fmin(fmax(many, 2), REGISTERS_MOST);
}

void advice_say_reduction(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    const double times = hiding_count(s);

    str_addf(s->out, "Reduction of %.2f cycles per iteration: ", chain->cycles);
    const bool several = advice_chain_names_several(chain);
    advice_links(s, several);
    str_addf(s->out, " wait%s for the accumulator of the previous iteration. Split the "
                     "accumulator: ",
             several ? "" : "s");
    if (chain->alike > 1)
        str_addf(s->out, "%g accumulators instead of each of the %u accumulators", times,
                 chain->alike);
    else
        str_addf(s->out, "%g accumulators", times);
    str_addf(s->out, "%s would take %.2f cycles or less",
             times > (double)chain->count ? " in an unrolled loop" : "",
             fmax(chain->cycles / times, s->l->left_cycles));
    if (s->l->left_cycles > 0 && chain->cycles / times <= s->l->left_cycles + ADVICE_EQUAL) {
        str_add(s->out, ", then limited by ");
        advice_limit(s, s->l->left);
    }
    str_add_char(s->out, '.');
    if (chain->user != LIMIT_NO_ROW) {
        str_add_char(s->out, ' ');
        advice_row(s->a, chain->user, s->out);
        str_add(s->out, " stores the accumulator to one address in every iteration: store it once "
                        "after the loop (a local variable, restrict).");
    }
    if (chain->floating)
        str_add(s->out, " Floating-point sums in another order round differently: -ffast-math and "
                        "kernel tune --reassociate allow that order.");
}

void advice_say_scan(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;

    str_addf(s->out, "Prefix scan of %.2f cycles per iteration: ", chain->cycles);
    const bool several = advice_chain_names_several(chain);
    advice_links(s, several);
    str_addf(s->out, " wait%s for the result of the previous iteration, and ",
             several ? "" : "s");
    advice_row(s->a, chain->user, s->out);
    const uint8_t used = s->a->rows[chain->user].insn->operation;
    if (chain->extremum && (used == OPERATION_COMPARE || used == OPERATION_FP_COMPARE ||
                            used == OPERATION_VECTOR_COMPARE))
        str_add(s->out,
                " compares with each partial result. For each of several parts of the data, keep a "
                "minimum or maximum with its position. Compare the parts' results at the end.");
    else
        str_addf(
            s->out,
            " uses each partial result, so separate accumulators cannot replace the scan. Combine "
            "a few elements first, then %s. The chain then has one step for these elements.",
            chain->extremum ? "each with the previous result" : "add the previous result to each");
    if (chain->floating)
        str_add(s->out, " Floating-point results then round differently.");
    advice_next(s);
}

/* Returns whether every operation of the chain except moves is @operation. Sets *@count to the
 * number of these operations. */
static bool all_are(const struct advice *s, uint16_t operation, size_t *count)
{
    const struct limit_chain *chain = &s->l->chain;
    bool all = true;

    *count = 0;
    for (size_t i = 0; i < chain->count; i++) {
        const bool moves = chain->links[i].moves;
        all &= moves || s->a->rows[chain->links[i].row].insn->operation == operation;
        *count += !moves;
    }
    return all;
}

void advice_narrower(const struct advice *s)
{
    for (size_t i = 0; i < s->a->count; i++) {
        const struct analysis_row *row = &s->a->rows[i];
        const struct isa_ops *isa = isa_ops((enum isa)row->insn->isa);
        const char *form = isa->narrower_division ? isa->narrower_division(row->insn) : NULL;
        const struct mapping_entry *narrow =
            form ? mapping_find(s->a->machine->mapping, form) : NULL;
        if (!narrow || !(narrow->latency < NARROWER * row->latency))
            continue;
        str_addf(s->out, " A 32-bit %s takes %g cycles instead of %g: use it if the values fit.",
                 row->insn->mnemonic, narrow->latency, row->latency);
        return;
    }
}

/* Appends advice for a chain of carries if some of them pass through a register. */
static void add_carry(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    bool leaves = false;

    for (size_t i = 0; i < chain->count; i++) {
        const uint8_t operation = s->a->rows[chain->links[i].row].insn->operation;
        leaves |= chain->links[i].cycles > 0 && operation != OPERATION_ADD_CARRY &&
                  operation != OPERATION_SUBTRACT_CARRY;
    }
    if (leaves)
        str_add(s->out, " Unroll the loop and keep the carry in the carry flag between additions. "
                        "The chain then takes one addition per word.");
}

void advice_say_recurrence(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    size_t computing;
    const bool crc = all_are(s, OPERATION_CRC32, &computing) && computing;

    str_addf(s->out, "Recurrence of %.2f cycles per iteration: ", chain->cycles);
    advice_links(s, true);
    str_add(s->out,
            chain->carry
                ? ". Each step needs the carry of the previous step, so the chain cannot be split."
            : !computing ? ". The chain only moves values between registers. Unroll the loop, and "
                           "exchange the registers in the copies instead."
            : crc ? ". Each step needs the CRC of the previous step. A carry-less multiplication "
                    "can combine separate CRCs of parts of the data (crc32_combine)."
            : chain->logic  ? ". Each step shifts by a constant and inserts. Combine two steps, (x "
                              "<< 2n) | (b << n | b'), which halves the chain"
            : chain->affine ? ". Each step multiplies by a constant and adds. Combine two steps, x "
                              "* a * a + (b * a + b'), which halves the chain"
                            : ". Each step transforms the whole value of the previous step, so the "
                              "chain cannot be split into partial results.");
    if (chain->affine && !chain->carry && !crc)
        str_add(s->out, chain->floating ? ", rounded differently." : ".");
    if (chain->carry)
        add_carry(s);
    advice_narrower(s);
    if (s->l->left_cycles > 0 && chain->cycles >= 2 * s->l->left_cycles)
        str_addf(s->out, " %s independent data (%.0f streams in one loop hide the latency).",
                 chain->affine ? "Or interleave" : "Interleave", hiding_count(s));
    else
        advice_next(s);
}

void advice_say_chase(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    const bool table = chain->table && !chain->based;
    bool plain = true;

    for (size_t i = 0; i < chain->count; i++)
        plain &= chain->links[i].address || chain->links[i].moves;
    str_addf(s->out, "%s of %.2f cycles per iteration: ",
             table && !plain ? "Chain of table look-ups" : "Pointer chase", chain->cycles);
    advice_links(s, true);
    str_addf(s->out, ". The %s of %s %s of the previous %s.", table ? "index" : "address",
             plain   ? "each load"
             : table ? "each look-up"
                     : "each load",
             plain ? "is the result" : "depends on the result", table && !plain ? "one" : "load");
    if (chain->compared)
        str_add(s->out, " A well-predicted branch, instead of the comparison in the address, would "
                        "let the loads execute earlier.");
    str_add(s->out, " Unrolling does not help. ");
    str_add(s->out, plain && !table   ? "Arrays instead of links, or several independent chains in "
                                        "one loop, would help."
                    : table && !plain ? "Several independent inputs in one loop, or a larger table "
                                        "that processes more of the input per look-up, would help."
                                      : "Several independent chains in one loop would help.");
    str_add(s->out, " Every cache miss adds its full latency.");
}

void advice_say_select(const struct advice *s)
{
    bool address = false;

    for (size_t i = 0; i < s->l->chain.count; i++)
        address |= s->l->chain.links[i].address;
    str_addf(s->out, "Select chain of %.2f cycles per iteration: ", s->l->chain.cycles);
    advice_links(s, true);
    str_addf(s->out, ". Each selection waits for the previous selection%s.",
             s->l->chain.compared ? " and for its own comparison" : "");
    str_add(s->out,
            address ? " Run several searches in one loop, or use a well-predicted branch, which "
                      "would let the loads execute earlier."
            : s->l->chain.addend
                ? " Select the addend instead of the sum (x += c ? y : 0). The chain is then one "
                  "addition, and the accumulator can be split."
            : s->l->chain.extremum
                ? " Keep the minimum or maximum of several parts of the data, and combine the "
                  "results at the end. Or use a well-predicted branch, which would not wait."
                : " Interleave independent data, or use a well-predicted branch, which would not "
                  "wait.");
    advice_next(s);
}

/* Returns whether the latency from a store to the load of @row is an estimate. */
static bool forward_is_estimate(const struct analysis *a, size_t row)
{
    const bool vector = a->rows[row].insn->operands[0].file == FILE_VECTOR;
    return machine_fact_estimate(a->machine, vector ? "store_forward_vector" : "store_forward") !=
           NULL;
}

/* Appends the sentence for a load of bytes of which a store wrote only a part. The load waits until
 * all these bytes are in the cache. */
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
    advice_row(s->a, chain->links[load].row, s->out);
    str_add(s->out, " loads bytes of which ");
    if (store == SIZE_MAX)
        str_add(s->out, "a store");
    else
        advice_row(s->a, chain->links[store].row, s->out);
    str_addf(s->out,
             " stored only a part. The load waits until the stores have reached the cache, %.2f "
             "cycles per iteration. Load the stored value in one piece, or keep it in a register.",
             chain->cycles);
    advice_next(s);
}

double advice_forwarded(const struct limit_chain *chain)
{
    double through = 0;

    for (size_t i = 0; i < chain->count; i++)
        through += chain->links[i].memory ? chain->links[i].forwarded : 0;
    return through / (chain->distance ? chain->distance : 1);
}

void advice_say_memory(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    const double through = advice_forwarded(chain);
    bool guessed = false;

    if (chain->blocked) {
        say_blocked(s);
        return;
    }
    str_add(s->out, "The value goes through memory: ");
    for (size_t i = 0, listed = 0; i < chain->count; i++) {
        const size_t before = chain->links[(i + chain->count - 1) % chain->count].row;
        if (!chain->links[i].memory)
            continue;
        guessed |= forward_is_estimate(s->a, chain->links[i].row);
        if (listed++)
            continue;
        advice_row(s->a, chain->links[i].row, s->out);
        str_add(s->out, " loads the value that ");
        if (before == chain->links[i].row)
            str_add(s->out, "it");
        else
            advice_row(s->a, before, s->out);
        str_add(s->out, " stored");
    }
    str_addf(s->out, ", %.2f cycles per iteration in all", chain->cycles);
    if (through < ADVICE_EQUAL) {
        str_add(s->out, ". This processor renames such memory: forwarding takes no cycle, so a "
                        "register instead of memory would not shorten the chain.");
        advice_next(s);
        return;
    }
    str_addf(s->out,
             ", %.2f of them from store to load%s. Keep the value in a register (a local variable, "
             "restrict): about %.2f cycles would remain.",
             through, guessed ? " (an estimate)" : "",
             fmax(chain->cycles - through, s->l->next_cycles));
}

void advice_say_partial(const struct advice *s)
{
    const struct limit_chain *chain = &s->l->chain;
    const struct insn *insn = s->a->rows[chain->user].insn;
    const struct operand *to = insn_operand(insn, insn->result);

    str_addf(s->out, "Partial register, %.2f cycles per iteration: ", chain->cycles);
    advice_links(s, true);
    str_add(s->out, ". ");
    advice_row(s->a, chain->user, s->out);
    str_addf(s->out,
             " writes only %u bits of its register and merges them with the other bits, so the "
             "instruction waits for the old value. If the other bits are not used, ",
             to ? to->bits : 8U);
    str_add(s->out, insn->operation == OPERATION_MOVE && insn->traits & INSN_LOAD
                        ? "movzx instead, or zeroing the register (xor) first, avoids this wait."
                        : "zeroing the register (xor) first avoids this wait.");
    advice_next(s);
}

void advice_say_false(const struct advice *s)
{
    str_addf(s->out, "False dependency of %.2f cycles per iteration: ", s->l->chain.cycles);
    advice_links(s, true);
    str_add(s->out, ". ");
    advice_row(s->a, s->l->chain.user, s->out);
    str_add(s->out,
            " waits for the old value of its destination, although its result does not depend on "
            "it. Zero the register first (xor), or use a register that is ready.");
    advice_next(s);
}

void advice_say_serial(const struct advice *s)
{
    str_addf(s->out, "Serialisation: ");
    advice_links(s, true);
    bool locked = true;
    for (size_t i = 0; i < s->l->chain.count; i++)
        locked &= (s->a->rows[s->l->chain.links[i].row].insn->traits & INSN_LOCK) != 0;
    str_addf(s->out, ", %.2f cycles per iteration. %s", s->l->chain.cycles,
             locked ? "Locked accesses execute in sequence, after all earlier stores. Accumulate "
                      "in a register, and access memory once after the loop."
                    : "Fences and serialising instructions wait for all earlier instructions and "
                      "delay all later instructions. Fewer fences and serialising instructions "
                      "would help.");
}
