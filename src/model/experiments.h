/* A table of experiments with their measurements. A pending row has no cycles (NaN).
 * experiments_set stores the result of a measurement: cycles, or NaN with the reason for a failure
 * in the state. experiment_state_open determines which rows must be measured. One thread changes
 * the table, and only without other holders. Holders may read it on any thread. */
#ifndef PORTOLAN_MODEL_EXPERIMENTS_H
#define PORTOLAN_MODEL_EXPERIMENTS_H

#include <string.h>

#include "base/names.h"
#include "base/vec.h"
#include "model/experiment.h"
#include "model/mapping.h"

#define EXPERIMENT_PENDING ""      /* state of a row that was never measured */
#define EXPERIMENT_ONCE "once"     /* state of a row with unconfirmed cycles of one pass */
/* State of a row measured on a busy core. The row may have cycles, which are displayed but not used
 * by inference. The row is measured again on an idle core. */
#define EXPERIMENT_CONTENDED "contended"
/* state of a row with valid cycles; any other text is the reason for a failure */
#define EXPERIMENT_OK "ok"

struct experiment_row {
    /* range of terms, sorted by form index, without duplicates */
    uint32_t start, count;
    /* cycles per execution of the experiment in the steady state; NaN: unknown */
    double cycles;
    /* relative spread, (max - min) / min, of the repetitions that determined the cycles; NaN:
     * unknown */
    double spread;
    uint32_t repeats;        /* number of accepted repetitions; 0: unknown */
    uint32_t extras;         /* number of elements of @extra; missing columns are empty */
    char *state;             /* state; not NULL; rows may share the string */
    /* per column of experiments.extra: index of the value in experiments.texts */
    uint32_t *extra;
};

struct experiments {
    struct names forms;                   /* names for flat_term.form */
    VEC(struct flat_term) terms;          /* form index and count of each term; counts are not 0 */
    VEC(struct experiment_row) rows;
    /* names of unknown columns in the file, which are preserved */
    struct names extra;
    struct names texts;                   /* values of the unknown columns, without duplicates */
    /* @measured: number of rows with cycles that inference can use. @failed: number of rows whose
     * measurement failed. */
    size_t measured, failed;
    /* serial number, unique even if the address of a freed table is used again */
    uint64_t serial;
    /* incremented by every change; views compare it */
    uint64_t revision;
    /* number of holders in addition to the thread that changes the table */
    _Atomic unsigned holders;
};

struct experiments *experiments_new(void);
/* Releases a holder. The last release frees the table. Any thread. */
void experiments_free(struct experiments *t);
/* Adds a holder, which must call experiments_free. Any thread. */
struct experiments *experiments_hold(struct experiments *t);
/* Returns whether another holder exists. If so, the table must not change. */
bool experiments_held(const struct experiments *t);
/* Copies each row i for which keep[i] is true (@keep NULL: all rows). Form indices are unchanged.
 * This function and experiments_append stop early if they are cancelled or memory is exhausted
 * (base/shortage.h). */
struct experiments *experiments_copy(const struct experiments *t, const bool *keep);
/* Adds a pending row with @n terms in any order, and returns its index. Sums up repeated forms. May
 * duplicate another row. */
size_t experiments_add(struct experiments *t, const struct flat_term *terms, size_t n);
size_t experiments_add_named(struct experiments *t, const struct experiment *e);
/* experiments_try_add and experiments_try_add_named add a row like the two functions above, for a
 * table whose size depends on the input. If memory is exhausted, they add no row and return
 * SIZE_MAX. */
size_t experiments_try_add(struct experiments *t, const struct flat_term *terms, size_t n);
size_t experiments_try_add_named(struct experiments *t, const struct experiment *e);
/* Appends all rows of @from with their results. Matches forms by name. */
void experiments_append(struct experiments *t, const struct experiments *from);
/* Sets the results of row @index. If @state is NULL, the state becomes EXPERIMENT_OK, or
 * EXPERIMENT_PENDING if @cycles is NaN. */
void experiments_set(struct experiments *t, size_t index, double cycles, double spread,
                     uint32_t repeats, const char *state);
/* Sets the text of column @column in row @index. Adds the column if it is new. */
void experiments_set_extra(struct experiments *t, size_t index, const char *column,
                           const char *text);
/* Returns the text of column @column (an index of experiments.extra) in row @index. Borrowed until
 * the table changes. */
const char *experiments_extra(const struct experiments *t, size_t index, size_t column);
/* Copies row @index of @t to @out, which the caller frees with experiment_done. */
void experiments_get(const struct experiments *t, size_t index, struct experiment *out);
/* Appends row @index as text, such as 2*ADD (R64, R64) + IMUL (R64, R64). */
void experiments_print(const struct experiments *t, size_t index, struct str *out);
static inline const struct flat_term *experiments_terms(const struct experiments *t, size_t index)
{
    return t->terms.items + t->rows.items[index].start;
}
/* Writes the sorted terms of row @index to @out, with the form indices of @to. Forms are matched by
 * name. Returns false if @to lacks a form. @out must have space for all terms. */
bool experiments_translate(const struct experiments *t, size_t index, const struct experiments *to,
                           struct flat_term *out);
/* Returns the number of instructions of row @index: the sum of its counts. */
uint64_t experiments_size(const struct experiments *t, size_t index);
/* Returns whether row @index has cycles that inference can use. */
static inline bool experiments_measured(const struct experiments *t, size_t index)
{
    double cycles = t->rows.items[index].cycles;
    const char *state = t->rows.items[index].state;
    return cycles > 0 && cycles < 1e300 && strcmp(state, EXPERIMENT_ONCE) != 0 &&
           strcmp(state, EXPERIMENT_CONTENDED) != 0;
}
/* Returns whether a row with @state must be measured, because its measurement is missing or
 * unconfirmed, used a busy core, or was killed. All other states are final. */
bool experiment_state_open(const char *state);

#endif
