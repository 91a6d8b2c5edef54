/* Schema of machine facts: meaning, values and default of each key of machine.csv and facts.csv,
 * read by the loader, analysis, what-if, help, completion and the manual page. */
#ifndef PORTOLAN_MODEL_FACTS_H
#define PORTOLAN_MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/machine.h"

enum fact_type {
    FACT_TEXT,
    FACT_NUMBER,
    FACT_WHOLE,    /* a whole number */
    FACT_SWITCH,   /* yes or no */
    FACT_CHOICE,   /* one of words */
    FACT_WORDS,    /* several of words, or any mnemonics and extensions if words is NULL */
    FACT_PORTS,    /* names of ports: p23 */
    FACT_LIMITS,   /* dispatch limits (model/dispatch_limits.h): 4 of p01; 2 within p23 */
};

enum fact_kind {
    FACT_USUAL = false,
    FACT_FIXED = true,   /* read on loading: what-if cannot change it */
    /* a mean fitted to times, without a mechanism; the machine's source names the times */
    FACT_FITTED,
};

struct fact {
    const char *key;
    enum fact_type type;
    const char *unit;        /* "" for none */
    double least, most;      /* range of numbers */
    /* default: a value, or another fact's key; NULL: not modelled */
    const char *otherwise;
    const char *words;       /* separated by blanks; NULL: any */
    const char *meaning;     /* a sentence without full stop */
    const char *reader;      /* parts that use it: "simulation", "front end", ... */
    int kind;                /* enum fact_kind */
};

/* The table, sorted by key within its groups; ends with a NULL key. */
extern const struct fact fact_schema[];

/* Finds a fact by its key or a former key; NULL if unknown. */
const struct fact *fact_find(const char *key);
/* Returns the key most similar to @key, or NULL. */
const char *fact_meant(const char *key);
/* Returns whether @value has the fact's type and range; if not, @err has the problem and the valid
 * values. Checks ports in @ports unless NULL. */
bool fact_check(const struct fact *f, const char *value, const struct ports *ports,
                struct err *err);

/* Value of @key on the machine by the schema; NaN if it has no valid one and there is no default.
 * Values above the range are clamped (an endless queue), those below count as missing. A key that
 * is no number is a bug. */
double fact_number(const struct machine *m, const char *key);
/* The same for a yes or no fact. */
bool fact_switch(const struct machine *m, const char *key);

/* Writes "number of µops/cycle, 1 to 65536" to @out: type, unit and range for people. */
void fact_values(const struct fact *f, struct str *out);
/* Writes "as store_forward", "64", "not modelled" to @out. */
void fact_fallback(const struct fact *f, struct str *out);

#endif
