/* Stores measurements on disk as they are made, in an append-only experiments.csv, so that a killed
 * program loses nothing. */
#ifndef PORTOLAN_MEASURE_JOURNAL_H
#define PORTOLAN_MEASURE_JOURNAL_H

#include "measure/source.h"
#include "model/experiments.h"

#define JOURNAL_ONCE EXPERIMENT_ONCE   /* state of a value that needs confirmation */
#define JOURNAL_SHORT "short" /* state of a value measured with a short body */

struct journal;
/* Opens or creates @path and its directories. Removes an incomplete last line. Moves damaged lines
 * to @path.damaged and logs that. NULL with err. One thread. */
struct journal *journal_open(const char *path, struct err *err);
void journal_close(struct journal *j);
/* Adds one line, in memory until journal_flush. @code: sum of the experiment's code
 * (form_codes_sums), "" if none. */
void journal_add(struct journal *j, const struct experiment *e, const char *code,
                 const struct measured *m, const char *state);
/* Writes the added lines. False with err on failure: the file then ends with its last complete
 * record, and a later flush writes the other lines. */
bool journal_flush(struct journal *j, struct err *err);

/* Records of an experiment at the time when the file was opened. */
struct journal_entry {
    double cycles, spread;      /* final value; NaN unless state is EXPERIMENT_OK */
    uint32_t repeats;
    char *state;                /* final state; JOURNAL_ONCE: all values are of single passes */
    double values[8];           /* cycles in each single pass */
    unsigned value_count;
    double shorts[4];           /* cycles in each pass with a short body */
    unsigned short_count;
    /* Conditions of the final value, or the least baseline of single passes; NaN: unknown. */
    double baseline, slowed;
    char day[KEPT_DAY];     /* date of the final value, "" if unknown */
};
/* Returns the entry of @e with this @code, or NULL. Also matches values without code sums, except
 * for the user's forms ('u'). */
const struct journal_entry *journal_find(const struct journal *j, const struct experiment *e,
                                         const char *code);
/* Returns portolan/<cpu name>.csv in $XDG_STATE_HOME or ~/.local/state. The caller frees; NULL
 * without a home directory. */
char *journal_default_path(void);

#endif
