/* Journal of measurements: a file in the format of experiments.csv, to which every result is
 * appended while measuring. No result is lost if the program is killed. */
#ifndef PORTOLAN_MEASURE_JOURNAL_H
#define PORTOLAN_MEASURE_JOURNAL_H

#include "measure/source.h"
#include "model/experiments.h"

#define JOURNAL_ONCE EXPERIMENT_ONCE   /* state of a value that another pass must confirm */
#define JOURNAL_SHORT "short" /* state of a value measured with a short body */

struct journal;
/* Opens or creates @path and its directories. Removes an incomplete last line. Moves damaged lines
 * to @path.damaged and logs this. Returns NULL with err. One thread. */
struct journal *journal_open(const char *path, struct err *err);
void journal_close(struct journal *j);
/* Adds a line, which the next journal_flush writes. @code: the code sum of the experiment
 * (form_codes_sums), or empty. */
void journal_add(struct journal *j, const struct experiment *e, const char *code,
                 const struct measured *m, const char *state);
/* Writes the added lines. Returns false with err on failure. Removes a failed write if possible. A
 * later flush writes lines that are still missing. */
bool journal_flush(struct journal *j, struct err *err);

/* Values that the file had for an experiment when it was opened */
struct journal_entry {
    /* final value and relative spread; NaN unless @state is EXPERIMENT_OK */
    double cycles, spread;
    uint32_t repeats;
    /* final state; JOURNAL_ONCE: there are only values of single passes */
    char *state;
    double values[8];           /* cycles of each single pass */
    unsigned value_count;
    double shorts[4];           /* cycles of each pass with a short body */
    unsigned short_count;
    /* conditions of the final value; without a final value, @baseline is the least baseline of the
     * single passes; NaN: unknown */
    double baseline, slowed;
    char day[KEPT_DAY];     /* date of the final value; empty if unknown */
};
/* Returns the entry of @e with code sum @code; NULL: none. An entry without a code sum matches any
 * @code, except one that begins with 'u' (of a user's form). */
const struct journal_entry *journal_find(const struct journal *j, const struct experiment *e,
                                         const char *code);
/* Returns the path portolan/<CPU name>-<signature>-<version>.csv in $XDG_STATE_HOME or
 * ~/.local/state; NULL if there is no home directory. The caller frees it. */
char *journal_default_path(void);

#endif
