/* Speed of an idle core of this CPU, stored between runs. baseline.csv in the state directory has
 * the best values measured for a CPU model and microcode, with their date. Measurements on a busy
 * host do not lower these values. */
#ifndef PORTOLAN_MEASURE_BASELINE_H
#define PORTOLAN_MEASURE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/kept.h"

struct baseline {
    /* instructions per cycle of the three probes on an idle core; 0: unknown */
    double nops, ports, room;
    unsigned load_window;      /* load window of bodies in bytes, from calibration; 0: unknown */
    bool doubtful;             /* whether the core was not certainly idle in any measurement */
    char day[KEPT_DAY];    /* date of the measurement */
};

/* Summary of the rounds of one probe */
struct baseline_look {
    /* instructions per cycle of the fastest rounds that agree; 0 if no rounds agree */
    double rate;
    double share;     /* share of the rounds at about this rate */
};
struct baseline_look baseline_look(double *cycles, size_t n);

enum baseline_verdict {
    /* the core is as fast as the known baseline, or this is the first trustworthy measurement */
    BASELINE_QUIET,
    BASELINE_BUSY,       /* slower than the known baseline, which remains */
    BASELINE_DOUBTFUL,   /* no baseline is known, and the core may be busy */
};
/* Compares a measurement with the known baseline. @expected: nops per cycle of an idle core
 * according to the facts of its machine, or NaN. If neither baseline nor facts are known, a
 * majority of rounds must agree. Pure. */
enum baseline_verdict baseline_judge(const struct baseline *known, const struct baseline_look *nops,
                                     const struct baseline_look *ports, double expected);
/* Returns whether the measurement @seen replaces the baseline @known. Pure. */
bool baseline_better(const struct baseline *known, const struct baseline *seen);

/* Returns the issue slots per cycle according to the facts of this CPU's machine; NaN: unknown. */
double baseline_width(void);
/* Returns the nops per cycle according to the facts of this CPU's machine: its issue width,
 * doubled if nops fuse; NaN: unknown. */
double baseline_expected(void);
/* Reads the baseline of this CPU from baseline.csv. Sets all members to 0 if there is none. */
void baseline_recall(struct baseline *out);
/* Writes @b to baseline.csv with today's date, and stores the date in @b. Logs a failed write. */
void baseline_remember(struct baseline *b);

#endif
