/* A table of experiments with their measurements. Forms are interned; terms are stored compactly.
 * Contract between measuring and inference: a row without cycles (NaN) waits for measurement; the
 * runner fills it by experiments_set. A failed row keeps NaN cycles, with the reason in its state.
 * One thread changes the table, and only without other holders; holders read it on any thread. */
#ifndef PORTOLAN_MODEL_EXPERIMENTS_H
#define PORTOLAN_MODEL_EXPERIMENTS_H

#include <string.h>

#include "base/names.h"
#include "base/vec.h"
#include "model/experiment.h"
#include "model/mapping.h"

#define EXPERIMENT_PENDING ""      /* state of a row that was never measured */
#define EXPERIMENT_ONCE "once"     /* has unconfirmed cycles of one pass */
/* may have cycles of a busy core: shown but not used by inference; the row waits for an idle
 * core */
#define EXPERIMENT_CONTENDED "contended"
/* state of a row with valid cycles; other texts are reasons of a failure */
#define EXPERIMENT_OK "ok"

struct experiment_row {
    /* terms[start .. start + count), sorted by form index, without duplicates */
    uint32_t start, count;
    /* per execution of the whole experiment in steady state; NaN: unknown */
    double cycles;
    /* relative: (max - min) / min over the accepted repetitions; NaN: unknown */
    double spread;
    uint32_t repeats;        /* accepted repetitions; 0: unknown */
    uint32_t extras;         /* number of texts in extra; further columns are empty */
    char *state;             /* never NULL; may be shared by all rows */
    uint32_t *extra;         /* index in experiments.texts, by name in experiments.extra */
};

struct experiments {
    struct names forms;                   /* flat_term.form indexes these */
    VEC(struct flat_term) terms;          /* form index and count, never 0 */
    VEC(struct experiment_row) rows;
    /* unknown columns of a file, which are kept */
    struct names extra;
    struct names texts;                   /* their texts, each once */
    /* rows with cycles that can be learned from; rows that a measurement has given up */
    size_t measured, failed;
    /* no other table has it, also none that comes to lie where this one lay */
    uint64_t serial;
    /* incremented by every change, so that views detect it */
    uint64_t revision;
    _Atomic unsigned holders;             /* besides the thread that changes it */
};

struct experiments *experiments_new(void);
/* Frees the table when its last holder calls it. */
void experiments_free(struct experiments *t);
/* Adds a holder, on any thread, which calls experiments_free. */
struct experiments *experiments_hold(struct experiments *t);
/* Returns whether another holder reads it, so that it must not change. */
bool experiments_held(const struct experiments *t);
/* Copies the rows for which @keep (NULL: all) is true; form indices stay. This and
 * experiments_append end early when cancelled, or out of memory (base/shortage.h). */
struct experiments *experiments_copy(const struct experiments *t, const bool *keep);
/* Adds a pending row from @n terms in any order (repeated forms are summed); returns its index.
 * Duplicates of other rows are allowed. */
size_t experiments_add(struct experiments *t, const struct flat_term *terms, size_t n);
size_t experiments_add_named(struct experiments *t, const struct experiment *e);
/* The same for tables that grow with the input: SIZE_MAX when memory runs out; no row is added
 * then. */
size_t experiments_try_add(struct experiments *t, const struct flat_term *terms, size_t n);
size_t experiments_try_add_named(struct experiments *t, const struct experiment *e);
/* Appends all rows of @from with their results; forms are matched by name. */
void experiments_append(struct experiments *t, const struct experiments *from);
/* Fills row @index. @state NULL: EXPERIMENT_OK when @cycles is a number. */
void experiments_set(struct experiments *t, size_t index, double cycles, double spread,
                     uint32_t repeats, const char *state);
/* Text of an extra column, added when new. */
void experiments_set_extra(struct experiments *t, size_t index, const char *column,
                           const char *text);
/* Returns extra column @column (an index of experiments.extra) of row @index; borrowed until the
 * table changes. */
const char *experiments_extra(const struct experiments *t, size_t index, size_t column);
/* Copies row @index of @t as an experiment; the caller calls experiment_done. */
void experiments_get(const struct experiments *t, size_t index, struct experiment *out);
/* Appends the text of row @index: 2*ADD (R64, R64) + IMUL (R64, R64). */
void experiments_print(const struct experiments *t, size_t index, struct str *out);
static inline const struct flat_term *experiments_terms(const struct experiments *t, size_t index)
{
    return t->terms.items + t->rows.items[index].start;
}
/* Translates the terms of row @index to the forms of @to by name, sorted, into @out, which has room
 * for them; false when @to lacks a form. */
bool experiments_translate(const struct experiments *t, size_t index, const struct experiments *to,
                           struct flat_term *out);
/* Forms with multiplicity in row @index. */
uint64_t experiments_size(const struct experiments *t, size_t index);
/* Returns whether row @index has cycles that inference can use. */
static inline bool experiments_measured(const struct experiments *t, size_t index)
{
    double cycles = t->rows.items[index].cycles;
    const char *state = t->rows.items[index].state;
    return cycles > 0 && cycles < 1e300 && strcmp(state, EXPERIMENT_ONCE) != 0 &&
           strcmp(state, EXPERIMENT_CONTENDED) != 0;
}
/* Returns whether @state leaves a row to measure: not measured, unconfirmed, or the machine was
 * busy. All others are final. */
bool experiment_state_open(const char *state);

#endif
