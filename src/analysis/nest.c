/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/nest.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/loop_code.h"

#define NAMED 3   /* maximum number of calls and loops that a note names */

bool nest_is_within(const struct kernel *k, size_t inner, size_t outer)
{
    const struct kernel_loop *a = &k->loops[inner], *b = &k->loops[outer];

    return inner != outer && a->depth && b->depth && !a->marked && a->first >= b->first &&
           a->first + a->count <= b->first + b->count && a->count < b->count;
}

void nest_within(const struct kernel *k, size_t loop, nest_loops *out)
{
    for (size_t i = 0; i < k->loop_count; i++) {
        if (!nest_is_within(k, i, loop))
            continue;
        vec_push(out, i);
        /* Searches from the end. Loops are sorted by position, and the outermost of loops with the
         * same head is the longest one. */
        for (size_t at = out->count - 1; at > 0; at--) {
            const struct kernel_loop *here = &k->loops[out->items[at]],
                                     *before = &k->loops[out->items[at - 1]];
            if (before->first < here->first ||
                (before->first == here->first && before->count > here->count))
                break;
            size_t swapped = out->items[at];
            out->items[at] = out->items[at - 1];
            out->items[at - 1] = swapped;
        }
    }
}

/* Returns the loop in @within whose first instruction is @at; SIZE_MAX: none. */
static size_t begins_at(const struct kernel *k, const nest_loops *within, size_t at)
{
    for (size_t i = 0; i < within->count; i++)
        if (k->loops[within->items[i]].first == at)
            return within->items[i];
    return SIZE_MAX;
}

bool nest_expand(const struct kernel *k, size_t loop, struct insn *const *executed,
                 const size_t *copies, size_t most, nest_insns *out)
{
    const struct kernel_loop *l = &k->loops[loop];
    const struct insn *insns = executed[loop] ? executed[loop] : k->insns + l->first;
    nest_loops within = {0};
    bool room = true;

    nest_within(k, loop, &within);
    for (size_t at = l->first; room && at < l->first + l->count;) {
        const size_t inner = begins_at(k, &within, at);
        if (inner == SIZE_MAX) {
            const struct insn *insn = &insns[at - l->first];
            const bool skipped = insn->traits & INSN_SKIPPED;
            room = skipped || out->count < most;
            if (room && !skipped)
                vec_push(out, *insn);
            at++;
            continue;
        }
        for (size_t copy = 0; room && copy < copies[inner]; copy++)
            room = nest_expand(k, inner, executed, copies, most, out);
        at += k->loops[inner].count;
    }
    vec_done(&within);
    return room;
}

static void name_loop(const struct kernel_loop *l, struct str *out)
{
    if (*l->label)
        str_addf(out, "%s", l->label);
    else
        str_addf(out, "of %zu instructions", l->count);
    if (l->first_line && l->last_line > l->first_line)
        str_addf(out, ", lines %u to %u", l->first_line, l->last_line);
}

static void note_loops(const struct kernel *k, size_t loop, struct str *out)
{
    nest_loops within = {0};

    nest_within(k, loop, &within);
    if (within.count) {
        str_addf(out, " %s (",
                 within.count == 1 ? "An inner loop runs here" : "Inner loops run here");
        for (size_t i = 0; i < within.count && i < NAMED; i++) {
            str_add(out, i ? "; " : "");
            name_loop(&k->loops[within.items[i]], out);
        }
        str_addf(out,
                 "%s): one iteration%s is assumed, because the trip count%s unknown. To assume 64 "
                 "inner iterations, use kernel analyze --trip 64.",
                 within.count > NAMED ? "; and more" : "", within.count == 1 ? "" : " of each",
                 within.count == 1 ? " is" : "s are");
    }
    vec_done(&within);
}

static void note_calls(const struct kernel *k, size_t loop, struct str *out)
{
    const struct kernel_loop *l = &k->loops[loop];
    size_t calls = 0;

    for (size_t i = l->first; i < l->first + l->count; i++) {
        if (!(k->insns[i].traits & INSN_CALL))
            continue;
        if (calls < NAMED)
            str_addf(out, "%s%s", calls ? "; " : " Called functions are not included (",
                     k->insns[i].text);
        calls++;
    }
    if (calls)
        str_addf(out, "%s).", calls > NAMED ? "; and more" : "");
}

static void note_outside(const struct kernel *k, size_t loop, struct str *out)
{
    const size_t first = k->loops[loop].first, end = first + k->loops[loop].count;
    bool *members = loop_code_members(k, loop);
    size_t count = 0, begin = 0;

    for (size_t i = 0; members && i < k->insn_count; i++)
        if (members[i] && (i < first || i >= end)) {
            begin = count++ ? begin : i;
        }
    free(members);
    if (!count)
        return;
    str_addf(out, " An iteration may also execute %zu instruction%s outside of these %s, which "
             "the prediction does not include (", count, plural(count),
             k->insns[begin].line ? "lines" : "addresses");
    if (k->insns[begin].line)
        str_addf(out, "line %u).", k->insns[begin].line);
    else
        str_addf(out, "0x%" PRIx64 ").", k->insns[begin].offset);
}

void nest_note(const struct kernel *k, size_t loop, struct str *out)
{
    note_loops(k, loop, out);
    note_outside(k, loop, out);
    note_calls(k, loop, out);
}
