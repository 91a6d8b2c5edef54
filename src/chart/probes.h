/* Small loops that are timed together, and the conclusions of a chart from them. One thread. */
#ifndef PORTOLAN_CHART_PROBES_H
#define PORTOLAN_CHART_PROBES_H

#include "chart/lab.h"

/* of the difference between two answers, that a time may be off from one of them */
#define PROBE_CERTAIN 0.25
#define PROBE_WITHIN 0.04    /* relative, of a time that is one answer */

/* A loop and its time. */
struct probe {
    char *text;
    enum kernel_copies copies;
    double cycles;           /* per iteration; NaN: none */
};

struct probes {
    struct lab *lab;
    struct chart *chart;
    double width;            /* issue slots per cycle */
    VEC(struct probe) list;
    size_t ran;              /* of the list: those that were timed */
    /* short instructions come slower than rename takes them: loops that count slots are of long
     * ones */
    bool dense_is_slow;
    /* an instruction that takes a slot and nothing else, of two bytes at most unless dense_is_slow;
     * NULL: none is known */
    const char *filler;
};

/* Adds a loop of the lines in @format. Returns its number for probe_time after probes_run. */
size_t probe_add(struct probes *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of code that the decoders deliver: without a branch, and of short instructions if it is
 * to outgrow any µop cache. */
size_t probe_add_decoded(struct probes *p, const char *text);
/* Times those that were added since the last time. A loop that the assembler refuses stays without
 * a time. False with err. */
bool probes_run(struct probes *p, struct err *err);
/* Times loops of candidates that may take a slot alone, and sets p->filler to one that does. False
 * with err. */
bool probes_find_filler(struct probes *p, struct err *err);
/* @count times @line at the end of @out. */
void probe_repeat(const char *line, unsigned count, struct str *out);
/* The same of the filler; nops where none is known, of which nothing can be concluded. */
void probe_fill(const struct probes *p, unsigned count, struct str *out);
static inline double probe_time(const struct probes *p, size_t at)
{
    return p->list.items[at].cycles;
}
/* Writes the instructions of a loop to *@out, which the caller frees. Returns how many, 0 if there
 * is no such code. */
size_t probe_decode(const struct probes *p, size_t at, struct insn **out);
void probes_done(struct probes *p);

/* By two loops, the second with a slot more: 1: @t is that of the first, 0: of the second; -1:
 * neither, or unknown. */
int probe_slots(const struct probes *p, double t, size_t one, size_t two);

/* Sets a fact in c->facts and the machine. @value NULL: it is unknown, because of @why, and not in
 * the machine. */
void probe_tell(struct probes *p, const char *key, const char *value, const char *unit,
                const char *why);
/* The same of a number of cycles, rounded to a whole one or to tenths. */
void probe_tell_cycles(struct probes *p, const char *key, double cycles, const char *why);
/* Number per cycle; NaN if that is no whole number. */
double probe_whole_rate(double count, double cycles);
/* The same for such a rate of a loop of @cycles. */
void probe_tell_rate(struct probes *p, const char *key, double rate, double cycles,
                     const char *unit, const char *why);

#endif
