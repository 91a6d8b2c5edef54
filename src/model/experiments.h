/* A table of experiments with their measurements. Forms are interned; the counts of an experiment
 * are kept compactly.
 *
 * The contract between measuring and inference: a row without cycles (NaN) waits to be measured;
 * the runner fills it with experiments_set. A row that failed keeps NaN cycles and has the reason
 * in its state. Nobody reads cycles of a row whose value is NaN. One thread changes it, and only
 * while no one else holds it; holders read it, on any thread. */
#ifndef PORTOLAN_MODEL_EXPERIMENTS_H
#define PORTOLAN_MODEL_EXPERIMENTS_H

#include <string.h>

#include "base/names.h"
#include "base/vec.h"
#include "model/experiment.h"
#include "model/mapping.h"

#define EXPERIMENT_PENDING ""      /* state of a row that was never measured */
#define EXPERIMENT_ONCE "once"     /* has cycles, of one pass: they wait for their confirmation */
/* may have cycles, of a busy core: to be shown, not to be learned from; the row waits for a quiet
 * moment */
#define EXPERIMENT_CONTENDED "contended"
/* state of a row with valid cycles; any other text is the reason of a failure */
#define EXPERIMENT_OK "ok"

struct experiment_row {
    /* terms[start .. start + count), sorted by form index, each form once */
    uint32_t start, count;
    /* per execution of the whole experiment in steady state; NaN: not known */
    double cycles;
    /* relative: (max - min) / min over the accepted repetitions; NaN: not known */
    double spread;
    uint32_t repeats;        /* accepted repetitions; 0: not known */
    uint32_t extras;         /* texts in extra; those of further columns are empty */
    char *state;             /* never NULL; may be one that all rows share */
    uint32_t *extra;         /* index in experiments.texts, by name in experiments.extra */
};

struct experiments {
    struct names forms;                   /* flat_term.form indexes these */
    VEC(struct flat_term) terms;          /* form index and count, never 0 */
    VEC(struct experiment_row) rows;
    /* columns of a file that mean nothing here but are kept */
    struct names extra;
    struct names texts;                   /* their texts, each once */
    /* no other table has it, also none that comes to lie where this one lay */
    uint64_t serial;
    /* bumped by every change: a view redraws when it differs */
    uint64_t revision;
    _Atomic unsigned holders;             /* besides the one that changes it */
};

struct experiments *experiments_new(void);
/* The last holder's call frees it. Any thread. */
void experiments_free(struct experiments *t);
/* One more may read it, on any thread, and is to experiments_free it. */
struct experiments *experiments_hold(struct experiments *t);
/* Whether another holder reads it: it must not change now. */
bool experiments_held(const struct experiments *t);
/* A copy of the rows for which @keep (NULL: all) is true; forms keep their indices. It and
 * experiments_append end early when the thread's watch is over, or memory runs out
 * (base/shortage.h). */
struct experiments *experiments_copy(const struct experiments *t, const bool *keep);
/* Adds a pending row from @n terms in any order (repeated forms are summed); returns its index.
 * Duplicates of other rows are allowed. */
size_t experiments_add(struct experiments *t, const struct flat_term *terms, size_t n);
size_t experiments_add_named(struct experiments *t, const struct experiment *e);
/* Both for tables as large as the input: SIZE_MAX when memory runs out, and no row was added. */
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
/* Text of extra column @column (an index of experiments.extra) of row @index; borrowed until the
 * table changes. */
const char *experiments_extra(const struct experiments *t, size_t index, size_t column);
/* The same multiset as row @index of @t, in the form the rest of the model uses; the caller calls
 * experiment_done. */
void experiments_get(const struct experiments *t, size_t index, struct experiment *out);
/* Appends the text of row @index: 2*ADD (R64, R64) + IMUL (R64, R64). */
void experiments_print(const struct experiments *t, size_t index, struct str *out);
static inline const struct flat_term *experiments_terms(const struct experiments *t, size_t index)
{
    return t->terms.items + t->rows.items[index].start;
}
/* The terms of row @index by the forms of @to that have the same names, sorted as there, into @out,
 * which has room for them; false when @to lacks a form. */
bool experiments_translate(const struct experiments *t, size_t index, const struct experiments *to,
                           struct flat_term *out);
/* Forms with multiplicity in row @index. */
uint64_t experiments_size(const struct experiments *t, size_t index);
/* Whether row @index has cycles that can be learned from. */
static inline bool experiments_measured(const struct experiments *t, size_t index)
{
    double cycles = t->rows.items[index].cycles;
    const char *state = t->rows.items[index].state;
    return cycles > 0 && cycles < 1e300 && strcmp(state, EXPERIMENT_ONCE) != 0 &&
           strcmp(state, EXPERIMENT_CONTENDED) != 0;
}
/* Whether @state leaves a row to be measured: never measured, not confirmed yet, or the machine was
 * not quiet enough. Any other one is a last word. */
bool experiment_state_open(const char *state);

#endif
