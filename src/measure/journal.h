/* Measurements on disk as they are made: an append-only experiments.csv, so that a killed program
 * loses nothing. */
#ifndef PORTOLAN_MEASURE_JOURNAL_H
#define PORTOLAN_MEASURE_JOURNAL_H

#include "measure/source.h"
#include "model/experiments.h"

#define JOURNAL_ONCE EXPERIMENT_ONCE   /* state of a value that needs confirmation */
#define JOURNAL_SHORT "short" /* state of a value from a short body */

struct journal;
/* Opens or creates @path with its directories. Cuts off an incomplete last line; moves damaged ones
 * to @path.damaged and logs that. NULL with err. One thread. */
struct journal *journal_open(const char *path, struct err *err);
void journal_close(struct journal *j);
/* Appends one line, in memory until journal_flush. @code: the sum of its code (form_codes_sums), ""
 * if none. */
void journal_add(struct journal *j, const struct experiment *e, const char *code,
                 const struct measured *m, const char *state);
/* Writes added lines. False with err on failure: the file then ends with its last complete record,
 * and the rest can be flushed later. */
bool journal_flush(struct journal *j, struct err *err);

/* Records of an experiment when the file was opened. */
struct journal_entry {
    double cycles, spread;      /* final, NaN unless state is EXPERIMENT_OK */
    uint32_t repeats;
    char *state;                /* final state; JOURNAL_ONCE: only values of single passes */
    double values[8];           /* of single passes */
    unsigned value_count;
    double shorts[4];           /* from short bodies */
    unsigned short_count;
    /* conditions of the final value, or the least baseline of single passes; NaN: unknown */
    double baseline, slowed;
    char day[KEPT_DAY];     /* its date, "" if unknown */
};
/* Returns the entry of @e with this @code, or NULL. Values without code sums match as well, except
 * for the user's forms ('u'). */
const struct journal_entry *journal_find(const struct journal *j, const struct experiment *e,
                                         const char *code);
/* $XDG_STATE_HOME or ~/.local/state, portolan/<cpu name>.csv. The caller frees; NULL without a
 * home. */
char *journal_default_path(void);

#endif
