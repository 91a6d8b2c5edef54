/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/limit_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "isa/rewrite.h"
#include "isa/vary.h"

#define SPLIT_MOST 8         /* maximum number of accumulators in the displayed code */
#define MOVED_MOST INT32_MAX /* largest absolute stride, in bytes per iteration, of an address that
                              * sum_into moves */

/* Returns a register that neither the loop nor @more uses, in the register file of @insn's first
 * operand; REG_NONE: none. */
static uint8_t free_register(const struct analysis *a, const struct insn *insn,
                             const struct insn *more, size_t count)
{
    struct insn *all = mem_alloc((a->count + count + 1) * sizeof *all);

    for (size_t i = 0; i < a->count; i++)
        all[i] = *a->rows[i].insn;
    memcpy(all + a->count, more, count * sizeof *all);
    const uint8_t reg =
        vary_free(all, a->count + count, (enum register_file)insn->operands[0].file, REG_NONE);
    free(all);
    return reg;
}

/* Sets @out to the instruction of row @row with @reg as the accumulator. Moves the addresses of its
 * loads with a known stride forward by @copy iterations. Returns false if the instruction cannot be
 * rewritten. */
static bool sum_into(const struct analysis *a, const struct deps *d, uint32_t row,
                     const struct isa_sum *sum, uint8_t reg, unsigned copy, struct insn *out)
{
    struct insn next;

    *out = *a->rows[row].insn;
    for (unsigned k = 0; k < out->operand_count; k++) {
        if (sum->operands >> k & 1 && reg != sum->reg) {
            if (!vary_register(out, k, sum->reg, reg, &next))
                return false;
            *out = next;
        }
    }
    for (size_t i = 0; copy && i < d->addresses.accesses.count; i++) {
        const struct access *access = &d->addresses.accesses.items[i];
        if (access->insn != row || access->store || !access->stepped || !access->step)
            continue;
        for (unsigned k = 0; k < out->operand_count; k++) {
            if (out->operands[k].kind != OPERAND_MEMORY)
                continue;
            if (access->step < -MOVED_MOST || access->step > MOVED_MOST ||
                !vary_moved(out, k, access->step * copy, &next))
                return false;
            *out = next;
        }
    }
    return true;
}

static bool is_att(const struct analysis *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->rows[i].insn->text && strchr(a->rows[i].insn->text, '%'))
            return true;
    return false;
}

static void print_line(const struct insn *insn, bool att, struct str *out)
{
    str_add(out, "    ");
    rewrite_print(insn, att, out);
    str_add_char(out, '\n');
}

char *accumulators_split(const struct analysis *a, const struct deps *d,
                         const struct limit_chain *chain, unsigned requested)
{
    struct insn begin[SPLIT_MOST], body[SPLIT_MOST], end[SPLIT_MOST];
    struct isa_sum sum = {0};
    unsigned count = 0, starts = 0;
    struct str text = {0};

    for (size_t i = 0; i < chain->count; i++) {
        const struct insn *insn = a->rows[chain->links[i].row].insn;
        struct isa_sum other;
        if (!rewrite_sum(insn, &other) || (i && other.reg != sum.reg))
            return NULL;
        sum = other;
    }
    const uint32_t first = chain->links[0].row;
    const unsigned most = requested < SPLIT_MOST ? requested : SPLIT_MOST;
    for (unsigned i = 0; i < most; i++) {
        const uint32_t row = chain->count > 1 ? chain->links[i % chain->count].row : first;
        const struct insn *insn = a->rows[row].insn;
        const uint8_t reg = i ? free_register(a, insn, begin, starts) : sum.reg;
        struct isa_sum own;
        if (reg == REG_NONE || !rewrite_sum(insn, &own) ||
            !sum_into(a, d, row, &own, reg, (unsigned)(i / chain->count), &body[i]))
            break;
        if (i && (!rewrite_sum_begin(insn, reg, &begin[starts]) ||
                  !rewrite_sum_end(insn, reg, &end[starts])))
            break;
        starts += i > 0;
        count++;
    }
    if (count < 2)
        return NULL;
    str_add(&text, "  before the loop:\n");
    for (unsigned i = 0; i < starts; i++)
        print_line(&begin[i], is_att(a), &text);
    const unsigned copies = (unsigned)((count + chain->count - 1) / chain->count);
    if (copies > 1)
        str_addf(&text,
                 "  one of these instructions in each of %u copies of the loop; adapt the other "
                 "addresses in the copies, and advance the counter once, by %u steps:\n",
                 copies, copies);
    else
        str_add(&text, "  in the loop:\n");
    for (unsigned i = 0; i < count; i++)
        print_line(&body[i], is_att(a), &text);
    str_add(&text, "  after the loop:\n");
    for (unsigned i = 0; i < starts; i++)
        print_line(&end[i], is_att(a), &text);
    return str_take(&text);
}
