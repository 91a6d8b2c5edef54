/* What was measured, on disk as it comes: an experiments.csv that only grows, so that a killed
 * program loses nothing that it wrote. */
#ifndef PORTOLAN_MEASURE_JOURNAL_H
#define PORTOLAN_MEASURE_JOURNAL_H

#include "measure/source.h"
#include "model/experiments.h"

#define JOURNAL_ONCE EXPERIMENT_ONCE   /* state of a value that waits for its confirmation */
#define JOURNAL_SHORT "short" /* of a value from a short body */

struct journal;
/* Opens or makes @path with its directories. A torn last line is cut off; damaged ones are set
 * aside in @path.damaged, which the log names. NULL with err. One thread. */
struct journal *journal_open(const char *path, struct err *err);
void journal_close(struct journal *j);
/* Appends one line; in memory until journal_flush. @code: the sum of its code (form_codes_sums), ""
 * when it is none. */
void journal_add(struct journal *j, const struct experiment *e, const char *code,
                 const struct measured *m, const char *state);
/* Writes what was added. False with err when the disk refuses: then the file ends with its last
 * whole record, and the rest can be flushed later. */
bool journal_flush(struct journal *j, struct err *err);

/* Contents of the file when it was opened. */
struct journal_entry {
    double cycles, spread;      /* final, NaN unless state is EXPERIMENT_OK */
    uint32_t repeats;
    char *state;                /* last word on it; JOURNAL_ONCE: only values */
    double values[8];           /* of single passes */
    unsigned value_count;
    double shorts[4];           /* from short bodies */
    unsigned short_count;
    /* conditions of the final value, or the least baseline of single passes; NaN: not known */
    double baseline, slowed;
    char day[KEPT_DAY];     /* of it, "" when not known */
};
/* NULL when it has nothing of @e with this @code. Values from before code sums match as well,
 * except for forms of the user's ('u'). */
const struct journal_entry *journal_find(const struct journal *j, const struct experiment *e,
                                         const char *code);
/* Default place: $XDG_STATE_HOME or ~/.local/state, portolan/<cpu name>.csv. The caller frees; NULL
 * without a home. */
char *journal_default_path(void);

#endif
