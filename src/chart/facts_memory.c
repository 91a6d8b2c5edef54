/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "chart/facts_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ACCESSES 12
#define LINE 64
#define LOCKED_LEAST 3.0     /* minimum cycles of a locked addition that count as its latency */
#define PUSHES 4
#define LOCKED 4
#define SLOTS_BIND 1.1

#define WORDS 8              /* maximum number of lines that a loop writes in rotation */

static const unsigned bank_steps[] = {1, 2, 4, 8, 16, 32};
#define BANK_STEPS (sizeof bank_steps / sizeof *bank_steps)

/* Names of the parts of r8, by width in bytes. */
static const struct {
    const char *bytes, *part;
} widths[] = {{"1", "r8b"}, {"2", "r8w"}, {"4", "r8d"}, {"8", "r8"}};
#define WIDTHS (sizeof widths / sizeof *widths)

/* Indices of the loops. */
struct memory_probes {
    size_t loads, stores;
    /* loads from one address; from two addresses a line apart; from two addresses bank_steps[i]
     * bytes apart */
    size_t one_place, next_line, bank_step[BANK_STEPS];
    /* stores: three to one line and one to another; to two lines in alternation; to both halves of
     * a line in alternation */
    size_t run, alternate, half_lines;
    size_t locked;
    size_t stack, stack_read, stack_unread, stack_added;
    /* @parts: stores of a byte to 1 .. WORDS lines in rotation. @width: stores of each width to two
     * lines. */
    size_t parts[WORDS], width[WIDTHS];
};

static size_t ask_accesses(struct probes *p, const char *before, const char *after, unsigned step,
                           unsigned turn)
{
    struct str lines = {0};

    for (unsigned k = 0; k < ACCESSES; k++)
        str_addf(&lines, "%s[rdi + %u]%s\n", before, step * (k % turn), after);
    size_t at = probe_add(p, "%s", str_text(&lines));
    str_done(&lines);
    return at;
}

static void ask_stack(struct probes *p, struct memory_probes *m)
{
    struct str lines = {0}, slots = {0};

    for (unsigned i = 0; i < PUSHES; i++)
        str_add(&lines, "push r8\npop r9\n");
    m->stack = probe_add(p, "%s", str_text(&lines));
    probe_fill(p, (unsigned)(2 * p->width), &slots);
    m->stack_read = probe_add(p, "push r8\nmov rcx, rsp\npop r9\n%s", str_text(&slots));
    m->stack_unread = probe_add(p, "push r8\nmov rcx, r10\npop r9\n%s", str_text(&slots));
    m->stack_added = probe_add(p, "push r8\nadd rsp, 8\nmov rcx, r10\n%s", str_text(&slots));
    str_done(&lines);
    str_done(&slots);
}

static size_t ask_lines(struct probes *p, const char *part, unsigned count)
{
    struct str lines = {0};

    for (unsigned k = 0; k < count; k++)
        str_addf(&lines, "mov [rdi + %u], %s\n", k * LINE, part);
    size_t at = probe_add(p, "%s", str_text(&lines));
    str_done(&lines);
    return at;
}

struct memory_probes *memory_probes_ask(struct probes *p)
{
    struct memory_probes *m = mem_zero(1, sizeof *m);

    m->loads = ask_accesses(p, "mov r8, ", "", 8, 6);
    m->stores = ask_accesses(p, "mov ", ", r8", 8, 6);
    m->one_place = ask_accesses(p, "mov r8, ", "", 0, 1);
    m->next_line = ask_accesses(p, "mov r8, ", "", LINE, 2);
    for (size_t i = 0; i < BANK_STEPS; i++)
        m->bank_step[i] = ask_accesses(p, "movzx r8d, byte ptr ", "", bank_steps[i], 2);
    m->alternate = ask_accesses(p, "mov ", ", r8", LINE, 2);
    m->half_lines = ask_accesses(p, "mov ", ", r8", LINE / 2, 2);
    m->run = probe_add(
        p, "mov [rdi], r8\nmov [rdi + 8], r8\nmov [rdi + 16], r8\nmov [rdi + 128], r8\nmov [rdi], "
           "r8\nmov [rdi + 8], r8\nmov [rdi + 16], r8\nmov [rdi + 128], r8\n");
    m->locked =
        probe_add(p, "lock add qword ptr [rdi], r11\nlock add qword ptr [rdi + 64], r11\nlock add "
                     "qword ptr [rdi + 128], r11\nlock add qword ptr [rdi + 192], r11\n");
    ask_stack(p, m);
    for (unsigned n = 1; n <= WORDS; n++)
        m->parts[n - 1] = ask_lines(p, widths[0].part, n);
    for (size_t i = 0; i < WIDTHS; i++)
        m->width[i] = ask_lines(p, widths[i].part, 2);
    return m;
}

/* Determines the cache's banks from the probes: the loads per bank and cycle, and the smallest
 * distance between two banks. */
static void conclude_banks(struct probes *p, const struct memory_probes *m, double rate)
{
    double one = probe_whole_rate(ACCESSES, probe_time(p, m->one_place)),
           next = probe_whole_rate(ACCESSES, probe_time(p, m->next_line));
    unsigned bytes = 0;
    bool certain = one < rate && next == one;   /* also false for NaN */

    for (size_t i = BANK_STEPS; certain && i-- > 0;) {
        double apart = probe_whole_rate(ACCESSES, probe_time(p, m->bank_step[i]));
        certain =
            apart == one || (apart == rate && (i + 1 == BANK_STEPS || bytes == bank_steps[i + 1]));
        if (apart == rate)
            bytes = bank_steps[i];
    }
    if (certain && bytes >= 2) {
        char text[32];
        snprintf(text, sizeof text, "%u", bytes);
        probe_tell(p, "load_bank_bytes", text, "bytes", "loads of two bytes at growing distances");
        probe_tell_rate(p, "loads_per_bank", one, NAN, "loads/cycle",
                        "a loop of loads from one address");
    } else if (isnan(one) || one < rate || isnan(rate)) {
        probe_tell(p, "load_bank_bytes", NULL, "",
                   "loads from one address and from different addresses do not distinguish banks");
    }
}

static void conclude_lines(struct probes *p, const struct memory_probes *m, double rate)
{
    double apart = probe_whole_rate(ACCESSES, probe_time(p, m->alternate)),
           half = probe_whole_rate(ACCESSES, probe_time(p, m->half_lines)),
           run = probe_time(p, m->run);

    if (!(apart < rate)) {   /* also true if @apart is NaN */
        if (!(rate <= 1) && !(apart == rate))
            probe_tell(p, "store_lines_per_cycle", NULL, "", "not a whole number of stores per "
                                                             "cycle");
        return;
    }
    if (isnan(half) || (half != apart && half != rate)) {
        probe_tell(p, "store_lines_per_cycle", NULL, "",
                   "stores half a line apart take neither the time of one line nor that of two");
        return;
    }
    probe_tell_rate(p, "store_lines_per_cycle", apart, NAN, "lines/cycle",
                    "a loop of alternating stores to two lines");
    probe_tell(p, "store_line_bytes", half == rate ? "64" : "32", "bytes",
               "a loop of alternating stores to two addresses, 32 bytes apart");
    /* The loop has three stores to one line and one to another, twice. Its stores to a line form
     * four runs, or six if a run has at most two stores. */
    double pairs = 6 / apart, lines = fmax(4 / apart, 8 / rate);
    if (apart == 1 && half == rate && fabs(run - pairs) < PROBE_CERTAIN * (pairs - lines))
        probe_tell(p, "store_run", "2", "stores",
                   "a loop of three stores to one line and one to another");
    else if (!(fabs(run - lines) < PROBE_CERTAIN * (pairs - lines)))
        probe_tell(p, "store_run", NULL, "",
                   "three stores to one line and one to another match neither the count of lines "
                   "nor that of pairs");
}

/* Concludes whether a store of part of a word waits if the word was written recently. It does not
 * wait if enough other lines were written in between. */
static void conclude_words(struct probes *p, const struct memory_probes *m, double lines)
{
    const double whole = probe_time(p, m->width[WIDTHS - 1]),
                 wait = probe_time(p, m->parts[1]) - whole;
    unsigned busy = 2;
    char value[32];

    if (lines != 1 || !(fabs(whole - 2) <= PROBE_CERTAIN) || wait <= PROBE_CERTAIN)
        return;   /* stores of parts do not take longer, or lines do not limit the loop */
    size_t word = 1;
    while (word < WIDTHS && fabs(probe_time(p, m->width[word]) - whole - wait) <= PROBE_CERTAIN)
        word++;
    while (busy < WORDS && fabs(probe_time(p, m->parts[busy - 1]) - busy - wait) <= PROBE_CERTAIN)
        busy++;
    if (isnan(wait) || word == WIDTHS ||
        fabs(probe_time(p, m->width[word]) - whole) > PROBE_CERTAIN ||
        fabs(probe_time(p, m->parts[busy - 1]) - busy) > PROBE_CERTAIN) {
        probe_tell(p, "store_word_bytes", NULL, "",
                   isnan(wait) ? "no stable time"
                               : "stores of parts of a word to alternating lines have neither the "
                                 "time of full words nor a fixed additional time");
        return;
    }
    probe_tell(p, "store_word_bytes", widths[word].bytes, "bytes",
               "loops of alternating stores of each width to two lines");
    probe_tell_cycles(p, "store_word_wait", wait,
                      "loops of alternating stores of a byte, and of full words, to two lines");
    snprintf(value, sizeof value, "%u", busy);
    probe_tell(p, "store_word_busy", value, "cycles",
               "loops of stores of a byte to a growing number of lines");
}

/* Concludes the stack engine. Without it, each push and pop computes the stack pointer, and this
 * dependency chain limits the loop. */
static void conclude_stack(struct probes *p, const struct memory_probes *m)
{
    double chain = 2.0 * PUSHES, t = probe_time(p, m->stack),
           step = probe_time(p, m->stack_read) - probe_time(p, m->stack_unread),
           slot = 1 / p->width;
    bool engine = t <= chain * 0.75;

    probe_tell(p, "stack_engine", engine ? "yes" : NULL, "",
               engine     ? "a push and a pop take less than one cycle each"
               : isnan(t) ? "no stable time"
                          : "a push and a pop take one cycle each, or another limit applies");
    if (!engine)
        return;
    double added = probe_time(p, m->stack_added) - probe_time(p, m->stack_unread);
    /* slots of three instructions and the fillers; only if slots limit the loop is another one
     * visible */
    const double slots = (3 + (unsigned)(2 * p->width)) * slot;
    bool counted = p->filler && probe_time(p, m->stack_unread) <= SLOTS_BIND * slots;
    bool all = counted && fabs(step - slot) <= PROBE_CERTAIN * slot,
         read_free = counted && fabs(step) <= PROBE_CERTAIN * slot;
    bool changed = read_free && added <= PROBE_CERTAIN * slot,
         computed = read_free && fabs(added - slot) <= PROBE_CERTAIN * slot;
    const char *sync = all ? "all" : changed ? "changed" : computed ? "computed" : NULL;
    probe_tell(p, "stack_pointer_sync", sync, "",
               sync
                   ? "loops that copy the stack pointer or add to it after a push, counted in slots"
                   : "no stable time of a copy of the stack pointer, or of an addition to it");
}

void memory_probes_conclude(struct probes *p, const struct memory_probes *m)
{
    double rate = probe_whole_rate(ACCESSES, probe_time(p, m->loads)),
           stores = probe_whole_rate(ACCESSES, probe_time(p, m->stores));

    probe_tell_rate(p, "loads_per_cycle", rate, probe_time(p, m->loads), "loads/cycle",
                    "a loop of loads");
    probe_tell_rate(p, "stores_per_cycle", stores, probe_time(p, m->stores), "stores/cycle",
                    "a loop of stores to one line");
    conclude_banks(p, m, rate);
    conclude_lines(p, m, stores);
    conclude_words(p, m, machine_number(p->chart->machine, "store_lines_per_cycle"));
    conclude_stack(p, m);
    if (isnan(probe_time(p, m->locked)))
        probe_tell(p, "lock_latency", NULL, "", "no stable time");
    else if (probe_time(p, m->locked) >= LOCKED * LOCKED_LEAST)
        probe_tell_cycles(p, "lock_latency", probe_time(p, m->locked) / LOCKED,
                          "a loop of locked additions to four addresses");
}

void memory_probes_free(struct memory_probes *m)
{
    free(m);
}
