/* Small loops that a chart measures together, and the facts that it concludes. One thread. */
#ifndef PORTOLAN_CHART_PROBES_H
#define PORTOLAN_CHART_PROBES_H

#include "chart/lab.h"

/* tolerance as a share of the difference between two alternatives */
#define PROBE_CERTAIN 0.25
#define PROBE_WITHIN 0.04    /* relative tolerance of a time for one alternative */

/* A loop and its measured time. */
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
    size_t ran;              /* number of loops measured so far */
    /* rename is slow with short instructions, so loops that count slots use long ones */
    bool dense_is_slow;
    /* an instruction that only takes a slot, at most two bytes long unless dense_is_slow; NULL:
     * unknown */
    const char *filler;
};

/* Adds a loop of the lines in @format. Returns its index for probe_time, which is valid after
 * probes_run. */
size_t probe_add(struct probes *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Like probe_add, for code that the decoders deliver: without a branch, of short instructions, and
 * larger than any µop cache. */
size_t probe_add_decoded(struct probes *p, const char *text);
/* Measures the loops added since the last call. A loop that the assembler rejects has no time.
 * False with err. */
bool probes_run(struct probes *p, struct err *err);
/* Measures candidates and sets p->filler to an instruction that only takes a slot. False with
 * err. */
bool probes_find_filler(struct probes *p, struct err *err);
/* Appends @line @count times to @out. */
void probe_repeat(const char *line, unsigned count, struct str *out);
/* Appends fillers. Without a known filler it appends nops, and their loops allow no conclusion. */
void probe_fill(const struct probes *p, unsigned count, struct str *out);
static inline double probe_time(const struct probes *p, size_t at)
{
    return p->list.items[at].cycles;
}
/* Decodes a loop into *@out, which the caller frees. Returns the number of instructions; 0 on
 * failure. */
size_t probe_decode(const struct probes *p, size_t at, struct insn **out);
void probes_done(struct probes *p);

/* Compares time @t with two loops, of which @two has one slot more. Returns 1 if @t equals @one, 0
 * if @two, -1 if neither or unknown. */
int probe_slots(const struct probes *p, double t, size_t one, size_t two);

/* Sets a fact in c->facts and the machine. @value NULL: marks it as unknown because of @why and
 * omits it from the machine. */
void probe_tell(struct probes *p, const char *key, const char *value, const char *unit,
                const char *why);
/* Sets a fact in cycles, rounded to an integer or to tenths. */
void probe_tell_cycles(struct probes *p, const char *key, double cycles, const char *why);
/* Returns @count / @cycles; NaN if not an integer. */
double probe_whole_rate(double count, double cycles);
/* Sets a fact to the rate from probe_whole_rate, of a loop of @cycles. */
void probe_tell_rate(struct probes *p, const char *key, double rate, double cycles,
                     const char *unit, const char *why);

#endif
