/* Small loops that a chart measures in one batch, and functions that record the facts inferred from
 * the times. One thread. */
#ifndef PORTOLAN_CHART_PROBES_H
#define PORTOLAN_CHART_PROBES_H

#include "chart/lab.h"

/* largest distance of a time from its nearest alternative, as a share of the difference of the
 * alternatives */
#define PROBE_CERTAIN 0.25
#define PROBE_WITHIN 0.04    /* relative tolerance of a single alternative */

/* A loop and its measured time */
struct probe {
    char *text;
    enum kernel_copies copies;
    double cycles;           /* cycles per iteration; NaN: not measured */
};

struct probes {
    struct lab *lab;
    struct chart *chart;
    double width;            /* issue slots per cycle */
    VEC(struct probe) list;
    size_t ran;              /* number of loops that have been measured */
    /* whether rename is slow for short instructions; loops that count slots then need long ones */
    bool dense_is_slow;
    /* Instruction that takes only a slot. It has at most two bytes unless dense_is_slow is true.
     * NULL: unknown. */
    const char *filler;
};

/* Adds a loop whose lines @format prints. Returns the index for probe_time, which is valid after
 * probes_run. */
size_t probe_add(struct probes *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds a loop like probe_add, but one that the decoders deliver instead of the µop cache. The loop
 * has short instructions, no branch, and more bytes than any µop cache can hold. */
size_t probe_add_decoded(struct probes *p, const char *text);
/* Measures the loops added since the last call. The time of a loop that the assembler rejects is
 * NaN. Returns false with err. */
bool probes_run(struct probes *p, struct err *err);
/* Measures candidates and sets p->filler to an instruction that only takes a slot; NULL: no
 * candidate does. Returns false with err. */
bool probes_find_filler(struct probes *p, struct err *err);
/* Appends @count copies of @line to @out. */
void probe_repeat(const char *line, unsigned count, struct str *out);
/* Returns the filler, or a nop if the filler is unknown. Loops with such nops prove nothing. */
const char *probe_filler(const struct probes *p);
static inline double probe_time(const struct probes *p, size_t at)
{
    return p->list.items[at].cycles;
}
/* Sets *@out to the instructions of loop @at, which remain valid until the process ends. Returns
 * their number; 0 on failure. Any thread. */
size_t probe_decode(const struct probes *p, size_t at, const struct insn **out);
void probes_done(struct probes *p);

/* Sets fact @key in c->facts and in the machine. @value NULL: only records in c->facts that the
 * fact is unknown, with the reason @why. */
void probe_tell(struct probes *p, const char *key, const char *value, const char *unit,
                const char *why);

#endif
