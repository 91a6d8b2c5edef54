/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/windows.h"

#include <math.h>
#include <stdlib.h>

#include "base/divisor.h"

/* maximum number of states, one per step of copies, in the search for repeated contents of lines */
#define PERIOD_MOST 64

bool windows_known(const struct core *c)
{
    return !isnan(c->uop_cache_window) && !isnan(c->uop_cache_line_insns) &&
           !isnan(c->uop_cache_window_lines) && !isnan(c->uop_cache_window_again);
}

struct window_walk {
    int64_t bytes, line_insns, line_constants, window_lines, again;   /* facts uop_cache_window,
                                                                       * _line_insns,
                                                                       * _line_constants,
                                                                       * _window_lines,
                                                                       * _window_again */
    struct window_groups *out;
    int64_t at;
    /* number of instructions in the current line; 0: the next instruction starts a line */
    int64_t used;
    int64_t constants;      /* number of constants in the current line */
    int64_t window;         /* index of the window in which the last line begins */
    int64_t lines;          /* number of lines in the last group */
    size_t first;           /* index in out->list of the first group since the last jump */
    /* @begun: number of lines since the last jump that begin in the first window. @before: number
     * of lines that begin in the last window. */
    int64_t begun, before;
    int64_t first_window;
    int64_t waits;          /* cycles added before the next group */
};

static void begin_line(struct window_walk *w)
{
    const int64_t window = w->at / w->bytes;
    const bool jumped = w->first == w->out->list.count, same = !jumped && window == w->window;

    if (jumped) {
        w->first_window = window;
        w->begun = 0;
    }
    w->before = same ? w->before + 1 : 1;
    w->begun += window == w->first_window;
    if (same && w->lines < w->window_lines) {
        w->lines++;
    } else {
        const int64_t cycles = jumped ? 1 : same ? w->again : window - w->window;
        vec_push(&w->out->list, ((struct window_group){.cycles = (uint16_t)(cycles + w->waits)}));
        w->waits = 0;
        w->lines = 1;
    }
    w->window = window;
}

/* Returns the number of nonzero displacements, of immediates and of branch distances of an
 * instruction; a 64-bit immediate counts as two. */
static unsigned constants_of(const struct insn *insn)
{
    unsigned count = 0;

    for (unsigned i = 0; i < insn->operand_count; i++) {
        const struct operand *op = &insn->operands[i];
        bool wide = op->kind == OPERAND_IMMEDIATE &&
                    (op->immediate > INT32_MAX || op->immediate < INT32_MIN) && insn->length > 8;
        if (!op->implicit && (op->kind == OPERAND_IMMEDIATE || op->kind == OPERAND_RELATIVE ||
                              (op->kind == OPERAND_MEMORY && op->displacement)))
            count += wide ? 2 : 1;
    }
    return count;
}

/* Adds an instruction to the current line. Returns whether it starts a new line. */
static bool fill_line(struct window_walk *w, unsigned constants)
{
    const bool full = w->used == w->line_insns || (w->used && w->line_constants &&
                                                   w->constants + constants > w->line_constants),
               begins = full || !w->used;

    w->used = begins ? 1 : w->used + 1;
    w->constants = begins ? constants : w->constants + constants;
    return begins;
}

static void take(struct window_walk *w, unsigned length, unsigned constants)
{
    if (fill_line(w, constants))
        begin_line(w);
    w->out->list.items[w->out->list.count - 1].insns++;
    w->at += length;
}

/* Simulates a taken jump. If the last window contains only the end of a line, it takes a cycle. If
 * the code continues beyond its first window, the group of the first window is delivered together
 * with the next group. This saves a cycle, unless the group is full, the last window takes such a
 * cycle, and no second group begins in it. */
static void jump(struct window_walk *w)
{
    const size_t groups = w->out->list.count - w->first;
    const int64_t tail = (w->at - 1) / w->bytes - w->window;
    const bool on = tail || w->window != w->first_window;

    w->waits = tail;
    if (on && w->begun <= w->window_lines &&
        (w->begun < w->window_lines || !tail || w->before > w->window_lines)) {
        if (groups > 1)
            w->out->list.items[w->first + 1].cycles--;
        else
            w->waits--;
    }
    w->first = w->out->list.count;
    w->used = 0;
}

static bool is_part(const struct cost *row, const struct cost *next)
{
    return next->flags & ROW_PART || row->flags & ROW_JOINS;
}

/* An instruction in a line, with its number of rows, bytes and constants */
struct line_insn {
    size_t rows;
    unsigned length, constants;
};

static struct line_insn line_insn_at(const struct insn *insns, const struct costs *costs, size_t at)
{
    struct line_insn one = {1, insns[at].length, constants_of(&insns[at])};

    for (; at + one.rows < costs->count &&
           is_part(&costs->rows[at + one.rows - 1], &costs->rows[at + one.rows]);
         one.rows++) {
        one.length += insns[at + one.rows].length;
        one.constants += constants_of(&insns[at + one.rows]);
    }
    return one;
}

/* Returns the number of copies after which the contents of lines repeat if constants limit the
 * lines. The number is a multiple of @step. Returns @step if no repetition is found. */
static size_t copies_by_constants(const struct window_walk *w, const struct insn *insns,
                                  const struct costs *costs, size_t step)
{
    struct { int64_t used, constants; } seen[PERIOD_MOST];
    struct window_walk line = *w;
    size_t n = 0, same;

    for (; n < PERIOD_MOST; n++) {
        for (same = 0;
             same < n && (seen[same].used != line.used || seen[same].constants != line.constants);
             same++)
            ;
        if (same < n)
            break;
        seen[n].used = line.used;
        seen[n].constants = line.constants;
        for (size_t copy = 0; copy < step; copy++)
            for (size_t i = 0; i < costs->count;) {
                const struct line_insn one = line_insn_at(insns, costs, i);
                fill_line(&line, one.constants);
                i += one.rows;
            }
    }
    const size_t period = n < PERIOD_MOST ? n - same : 1, before = n < PERIOD_MOST ? same : 0;
    return step * period * (before ? (before + period - 1) / period : 1);
}

static size_t copies_of(const struct window_walk *w, size_t length, size_t insns, bool jumps)
{
    const size_t by_bytes = (size_t)w->bytes / greatest_divisor(length, (size_t)w->bytes),
                 by_lines = (size_t)w->line_insns / greatest_divisor(insns, (size_t)w->line_insns);

    return jumps ? by_bytes : by_bytes / greatest_divisor(by_bytes, by_lines) * by_lines;
}

/* Simulates one period of all copies from state *@w. @jumps: whether each copy ends with a jump.
 * @returns: whether each copy begins at @align. */
static void walk(struct window_walk *w, const struct insn *insns, const struct costs *costs,
                 bool jumps, unsigned align, bool returns)
{
    for (size_t copy = 0; copy < w->out->copies; copy++) {
        if (returns)
            w->at = align;
        for (size_t i = 0; i < costs->count;) {
            const struct line_insn one = line_insn_at(insns, costs, i);
            take(w, one.length, one.constants);
            i += one.rows;
        }
        if (jumps)
            jump(w);
    }
}

void windows_form(const struct core *c, const struct insn *insns, const struct costs *costs,
                  enum shape shape, unsigned align, struct window_groups *g)
{
    struct window_walk w = {.bytes = (int64_t)c->uop_cache_window,
                            .line_insns = (int64_t)c->uop_cache_line_insns,
                            .line_constants = isnan(c->uop_cache_line_constants)
                                                  ? 0
                                                  : (int64_t)c->uop_cache_line_constants,
                            .window_lines = (int64_t)c->uop_cache_window_lines,
                            .again = (int64_t)c->uop_cache_window_again,
                            .out = g,
                            .at = align};
    const bool loop = shape == SHAPE_LOOP,
               jumps = loop || shape_of(insns, costs->count) == SHAPE_LOOP;
    size_t length = 0, count = 0;
    double cycles = 0;

    g->list.count = 0;
    g->cycles = 0;
    g->copies = 1;
    g->before = 0;
    for (size_t i = 0; i < costs->count; i++) {
        length += insns[i].length;
        count += !i || !is_part(&costs->rows[i - 1], &costs->rows[i]);
    }
    if (!count)
        return;
    g->copies = loop ? 1
                : w.line_constants && !jumps
                    ? copies_by_constants(&w, insns, costs, copies_of(&w, length, count, true))
                    : copies_of(&w, length, count, jumps);
    walk(&w, insns, costs, jumps, align, loop);
    /* The second period shows whether its first group continues the last group of the first
     * period. */
    const size_t once = g->list.count, insns_of_last = g->list.items[once - 1].insns;
    walk(&w, insns, costs, jumps, align, loop);
    const size_t joins = g->list.items[once - 1].insns > insns_of_last,
                 period = g->list.count - once;
    for (size_t i = 0; i < period; i++) {
        g->list.items[i] = g->list.items[once - joins + i];
        cycles += g->list.items[i].cycles;
    }
    g->list.count = period;
    g->before = joins ? (unsigned)insns_of_last : 0;
    g->cycles = cycles / (double)g->copies;
}

void windows_done(struct window_groups *g)
{
    vec_done(&g->list);
}
