/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Code of the loops: an iteration has instructions that fill a buffer, and a chain of square roots
 * that is independent of the previous chain. The instructions cannot retire while the chain
 * executes. If the buffer has space for all of them, the next chain overlaps with this one. */
#define ROOT "sqrtss xmm0, xmm0"
#define CHAIN 24
/* In the first round, the loop with the fewest instructions must let chains overlap: its time per
 * iteration is at most this ratio of the time of one chain. The divider of a Haswell is busy for
 * two thirds of a root's latency. */
#define OVERLAPPED 0.7
/* In all rounds, chains overlap if the time per iteration is at most this ratio of the time of one
 * chain. */
#define BETWEEN 0.84
#define LEAST 24
#define MOST 720
/* ratio of successive numbers of instructions in the first round */
#define GRID 1.2
/* number of parts into which a round divides the interval */
#define STEPS 8
/* Maximum number of rounds of division. Three rounds are enough for the largest step of the grid,
 * which is below STEPS^3. Further rounds repeat failed measurements. */
#define ROUNDS 5
#define POINTS 24
#define ROOT_LEAST 0.4               /* smallest delay that counts as one root, as a share of the
                                      * root's time */
/* Number of instructions by which a further loop exceeds the capacity. Each of these instructions
 * should delay the next chain by one root. */
#define BEYOND 4
/* Smallest ratio of the time per iteration to the time of one chain at which chains do not
 * overlap. */
#define SERIAL 0.93
/* Largest share of the reorder buffer's entries that a tested buffer may have. With a larger share,
 * the reorder buffer may fill first. */
#define FILLS 0.95

/* Kinds of instructions between the chains */
enum buffer_filling {
    FILL_MIXED, FILL_SLOTS, FILL_WAITING, FILL_LOADS, FILL_COMPARED, FILL_STORES, FILLINGS
};

/* operations that allocate in different register files: vector, flags, general */
static const char *const mixed[] = {"paddd xmm2, xmm3", "cmp r9, r10", "mov edx, 1"};
#define MIXED (sizeof mixed / sizeof *mixed)

static const char *const lines[FILLINGS] = {[FILL_WAITING] = "cmp r8, r9",
                                            [FILL_LOADS] = "mov r10, [rdi]",
                                            [FILL_COMPARED] = "cmp r9, [rdi]",
                                            [FILL_STORES] = "mov [rdi], r10"};

/* Each fact is measured with two kinds of instructions. If the results differ, the capacity is
 * unknown, because one kind of instructions fills another buffer first, or because buffers share
 * entries. */
static const struct {
    const char *key, *unit;
    enum buffer_filling by, also;
    const char *why;
} buffers[] = {
    {"reorder_buffer", "µops", FILL_MIXED, FILL_SLOTS,
     "chains of square roots, with a growing number of operations between them"},
    {"scheduler", "µops", FILL_WAITING, FILL_WAITING,
     "chains of square roots, with a growing number of comparisons of a root between them"},
    {"load_buffer", "loads", FILL_LOADS, FILL_COMPARED,
     "chains of square roots, with a growing number of loads between them"},
    {"store_buffer", "stores", FILL_STORES, FILL_STORES,
     "chains of square roots, with a growing number of stores between them"},
};
#define BUFFERS (sizeof buffers / sizeof *buffers)

struct buffer_search {
    double chain;                    /* cycles of one chain */
    const char *unknown;             /* reason why the capacity is unknown; NULL: none so far */
    /* @fits: largest number of instructions with which chains overlap. @over: smallest number with
     * which they do not overlap. 0: not yet found. */
    unsigned fits, over;
    /* cycles per iteration with @fits instructions, and with @over instructions */
    double at_fit, at_over;
    double at_beyond;                /* cycles per iteration with BEYOND more instructions than
                                      * @over */
    /* numbers of instructions in the loops of this round; @first: index of the first loop */
    unsigned points[POINTS];
    unsigned count;
    size_t first;
};

static size_t ask(struct probes *p, enum buffer_filling filling, unsigned count)
{
    struct str text = {0};

    str_add(&text, "movaps xmm0, xmm1\n");
    probe_repeat(ROOT, CHAIN, &text);
    if (filling == FILL_WAITING)
        str_add(&text, "movq r8, xmm0\n");
    if (lines[filling])
        probe_repeat(lines[filling], count, &text);
    for (unsigned i = 0; filling == FILL_MIXED && i < count; i++)
        probe_repeat(mixed[i % MIXED], 1, &text);
    if (filling == FILL_SLOTS)
        probe_repeat(probe_filler(p), count, &text);
    const size_t at = probe_add(p, "%s", str_text(&text));
    str_done(&text);
    return at;
}

static void add_point(struct probes *p, struct buffer_search *s, enum buffer_filling filling,
                      unsigned count)
{
    const size_t at = ask(p, filling, count);
    s->first = s->count ? s->first : at;
    s->points[s->count++] = count;
}

static void ask_grid(struct probes *p, struct buffer_search *s, enum buffer_filling filling)
{
    for (double n = LEAST; n <= MOST && s->count < POINTS; n *= GRID)
        add_point(p, s, filling, (unsigned)n);
}

/* Adds loops with numbers of instructions between s->fits and s->over, or no loop if these are
 * adjacent. */
static void ask_between(struct probes *p, struct buffer_search *s, enum buffer_filling filling)
{
    const unsigned step = (s->over - s->fits + STEPS - 1) / STEPS;

    s->count = 0;
    for (unsigned n = s->fits + step; !s->unknown && n < s->over; n += step)
        add_point(p, s, filling, n);
}

static bool interpolated(enum buffer_filling filling)
{
    return filling == FILL_MIXED || filling == FILL_SLOTS || filling == FILL_WAITING;
}

/* Adds a loop with BEYOND more instructions than the smallest number without overlap. If the CPU
 * frees entries in groups, the time increases in larger steps. */
static void ask_beyond(struct probes *p, struct buffer_search *s, enum buffer_filling filling)
{
    s->count = 0;
    if (!s->unknown && interpolated(filling))
        add_point(p, s, filling, s->over + BEYOND);
}

/* Narrows the interval from s->fits to s->over according to the measured loops. Returns false if
 * the loops contradict each other. Loops without a time are repeated in the next round. */
static bool narrow(const struct probes *p, struct buffer_search *s)
{
    bool over = false;

    for (unsigned i = 0; i < s->count; i++) {
        const double t = probe_time(p, s->first + i);
        const bool apart = t > BETWEEN * s->chain;
        if (isnan(t))
            continue;
        if (over && !apart)
            return false;
        if (!apart) {
            s->fits = s->points[i];
            s->at_fit = t;
        }
        if (apart && !over) {
            s->over = s->points[i];
            s->at_over = t;
        }
        over |= apart;
    }
    return true;
}

/* Evaluates the first round: the loop with the fewest instructions shows whether chains overlap.
 * @chain: cycles of one chain. Returns NULL, or the reason why the capacity is unknown. */
static const char *begin(const struct probes *p, struct buffer_search *s, double chain)
{
    s->chain = chain;
    if (isnan(chain) || !narrow(p, s))
        return "no stable time";
    if (!s->fits || probe_time(p, s->first) > OVERLAPPED * chain)
        return "chains of square roots do not overlap";
    return s->over ? NULL : "chains overlap with any number of operations between them";
}

/* Returns the number of entries in use when the second chain starts. They contain the instructions
 * between the starts of both chains. @others of these instructions do not use the buffer. The
 * finished roots of the first chain are subtracted. */
static double held(const struct buffer_search *s, double others)
{
    return s->over + others - s->at_over / s->chain * CHAIN;
}

static double size_of(const struct buffer_search *s, enum buffer_filling filling)
{
    return interpolated(filling) ? held(s, CHAIN + (filling == FILL_WAITING ? 3 : 2)) : s->fits;
}

/* Returns whether @cycles is at least ROOT_LEAST times the time of @roots roots. */
static bool rises(const struct buffer_search *s, double cycles, unsigned roots)
{
    return cycles * CHAIN >= ROOT_LEAST * roots * s->chain;
}

static const char *why_unknown(const struct buffer_search *all, size_t b)
{
    const enum buffer_filling by = buffers[b].by, also = buffers[b].also;
    const struct buffer_search *s = &all[by], *other = &all[also];

    if (s->unknown || other->unknown)
        return s->unknown ? s->unknown : other->unknown;
    if (s->over != s->fits + 1 || other->over != other->fits + 1)
        return "no stable time";
    /* Each further entry should delay the next chain by one root. If a root occupies several
     * scheduler entries, a further entry delays the chain by the time of a whole chain. */
    if (interpolated(by) &&
        (!rises(s, s->at_over - s->at_fit, 1) ||
         (s->at_over < SERIAL * s->chain && !rises(s, s->at_beyond - s->at_over, BEYOND))))
        return "a square root seems to use several scheduler entries";
    /* The reorder buffer fills first, because the tested buffer is at least as large. */
    if (by != FILL_MIXED && all[FILL_MIXED].unknown)
        return "the size of the reorder buffer is unknown";
    if (by != FILL_MIXED && s->fits + CHAIN > FILLS * size_of(&all[FILL_MIXED], FILL_MIXED))
        return "the reorder buffer fills first";
    return fabs(size_of(s, by) - size_of(other, also)) > PROBE_WITHIN * size_of(s, by)
               ? "the number of entries depends on the type of the instructions"
               : NULL;
}

static void conclude(struct probes *p, const struct buffer_search *all, size_t b)
{
    const char *unknown = why_unknown(all, b);
    char value[32];

    snprintf(value, sizeof value, "%.0f",
             unknown ? 0 : size_of(&all[buffers[b].by], buffers[b].by));
    probe_tell(p, buffers[b].key, unknown ? NULL : value, buffers[b].unit,
               unknown ? unknown : buffers[b].why);
}

bool buffer_probes(struct probes *p, struct err *err)
{
    struct buffer_search all[FILLINGS] = {{0}};
    struct str text = {0};

    probe_repeat(ROOT, CHAIN, &text);
    const size_t chain = probe_add(p, "%s", str_text(&text));
    str_done(&text);
    for (enum buffer_filling f = 0; f < FILLINGS; f++)
        ask_grid(p, &all[f], f);
    bool ok = probes_run(p, err);
    for (enum buffer_filling f = 0; ok && f < FILLINGS; f++)
        all[f].unknown = begin(p, &all[f], probe_time(p, chain));
    for (unsigned round = 0; ok && round < ROUNDS; round++) {
        for (enum buffer_filling f = 0; f < FILLINGS; f++)
            ask_between(p, &all[f], f);
        ok = probes_run(p, err);
        for (enum buffer_filling f = 0; ok && f < FILLINGS; f++)
            if (!all[f].unknown && !narrow(p, &all[f]))
                all[f].unknown = "no stable time";
    }
    for (enum buffer_filling f = 0; ok && f < FILLINGS; f++)
        ask_beyond(p, &all[f], f);
    ok = ok && probes_run(p, err);
    for (enum buffer_filling f = 0; ok && f < FILLINGS; f++)
        all[f].at_beyond = all[f].count ? probe_time(p, all[f].first) : NAN;
    for (size_t b = 0; ok && b < BUFFERS; b++)
        conclude(p, all, b);
    return ok;
}
