/* Speed of a quiet core of this CPU, kept between runs. baseline.csv in the state directory has the
 * best value ever measured of a CPU model (and microcode), with its day; a busy host does not lower
 * it. */
#ifndef PORTOLAN_MEASURE_BASELINE_H
#define PORTOLAN_MEASURE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/kept.h"

struct baseline {
    double nops, ports, room;  /* instructions of the probes per cycle; 0: not known */
    unsigned load_window;      /* bytes that loads step through best; 0: not known */
    bool doubtful;             /* the core was never seen quiet for certain */
    char day[KEPT_DAY];    /* that it was seen */
};

/* Summary of one look at the probes: @cycles (sorted in place) are cycles per instruction of @n
 * rounds. */
struct baseline_look {
    /* instructions per cycle in the fastest rounds that confirm each other; 0: none do */
    double rate;
    double share;     /* of the rounds that are as fast */
};
struct baseline_look baseline_look(double *cycles, size_t n);

enum baseline_verdict {
    BASELINE_QUIET,      /* as fast as what is known, or the first look that can be trusted */
    BASELINE_BUSY,       /* slower: what is known stands */
    BASELINE_DOUBTFUL,   /* nothing is known, and this may be a busy core */
};
/* Pure. @expected: nops per cycle of such a core by its machine's facts, NaN: not known. Nothing
 * known and no facts: rounds most of which agree are trusted. */
enum baseline_verdict baseline_judge(const struct baseline *known, const struct baseline_look *nops,
                                     const struct baseline_look *ports, double expected);
/* Whether @seen, on a quiet core, is to replace @known. Pure. */
bool baseline_better(const struct baseline *known, const struct baseline *seen);

/* Issue slots per cycle by the facts of this CPU's machine; NaN when no machine fits. Any
 * thread. */
double baseline_width(void);
/* Nops per cycle that the facts of this CPU's machine allow (its issue width, twice that where a
 * nop joins its neighbour); NaN when no machine fits. Any thread. */
double baseline_expected(void);
/* Of this CPU; all 0 when nothing is kept. Any thread. */
void baseline_recall(struct baseline *out);
/* Saves @b with today's date, which is filled in. Logs a failed write. */
void baseline_remember(struct baseline *b);

#endif
