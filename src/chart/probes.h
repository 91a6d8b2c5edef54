/* Small loops measured together, and the conclusions that a chart draws. One thread. */
#ifndef PORTOLAN_CHART_PROBES_H
#define PORTOLAN_CHART_PROBES_H

#include "chart/lab.h"

/* tolerance as a share of the difference between two alternatives */
#define PROBE_CERTAIN 0.25
#define PROBE_WITHIN 0.04    /* relative tolerance of a time for one alternative */

/* A loop and its time. */
struct probe {
    char *text;
    enum kernel_copies copies;
    double cycles;           /* per iteration; NaN: none */
};

struct probes {
    struct lab *lab;
    struct chart *chart;
    double width;            /* per cycle */
    VEC(struct probe) list;
    size_t ran;              /* number of loops measured so far */
    /* rename waits for short instructions: loops that count slots use long ones */
    bool dense_is_slow;
    /* an instruction that only takes a slot, at most two bytes unless dense_is_slow; NULL:
     * unknown */
    const char *filler;
};

/* Adds a loop of the lines in @format. Returns its index for probe_time, valid after probes_run. */
size_t probe_add(struct probes *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* As probe_add for code that the decoders deliver: without a branch, and of short instructions if
 * it exceeds any µop cache. */
size_t probe_add_decoded(struct probes *p, const char *text);
/* Measures loops added since the last call. A loop that the assembler refuses gets no time. False
 * with err. */
bool probes_run(struct probes *p, struct err *err);
/* Measures candidates and sets p->filler to an instruction that only takes a slot. False with
 * err. */
bool probes_find_filler(struct probes *p, struct err *err);
/* Appends @count times @line to @out. */
void probe_repeat(const char *line, unsigned count, struct str *out);
/* Appends fillers; nops if none is known, from which nothing can be concluded. */
void probe_fill(const struct probes *p, unsigned count, struct str *out);
static inline double probe_time(const struct probes *p, size_t at)
{
    return p->list.items[at].cycles;
}
/* Decodes a loop into *@out, which the caller frees. Returns the number of instructions, 0 on
 * failure. */
size_t probe_decode(const struct probes *p, size_t at, struct insn **out);
void probes_done(struct probes *p);

/* Compares two loops, the second with one slot more: 1: @t equals the first, 0: the second, -1:
 * neither or unknown. */
int probe_slots(const struct probes *p, double t, size_t one, size_t two);

/* Sets a fact in c->facts and the machine. @value NULL: it is unknown because of @why, and not in
 * the machine. */
void probe_tell(struct probes *p, const char *key, const char *value, const char *unit,
                const char *why);
/* The same for cycles, rounded to an integer or to tenths. */
void probe_tell_cycles(struct probes *p, const char *key, double cycles, const char *why);
/* Number per cycle; NaN if not an integer. */
double probe_whole_rate(double count, double cycles);
/* Sets a fact from such a rate, of a loop of @cycles. */
void probe_tell_rate(struct probes *p, const char *key, double rate, double cycles,
                     const char *unit, const char *why);

#endif
