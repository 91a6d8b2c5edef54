/* The schema of machine facts: meaning, values and default of each key of machine.csv and
 * facts.csv. The loader, the analysis, what-if, help, completion and the manual page read this one
 * table. */
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
    FACT_WORDS,    /* several of words, or, without, any: mnemonics, extensions */
    FACT_PORTS,    /* names of ports: p23 */
    FACT_LIMITS,   /* model/dispatch_limits.h: 4 of p01; 2 within p23 */
};

enum fact_kind {
    FACT_USUAL = false,
    FACT_FIXED = true,   /* read when the machine is loaded: what-if cannot change it */
    /* a mean, fitted to times, no mechanism; the machine's source names the times */
    FACT_FITTED,
};

struct fact {
    const char *key;
    enum fact_type type;
    const char *unit;        /* "" for none */
    double least, most;      /* of numbers */
    /* default: a value, or the key of another fact; NULL: the limit is not modelled */
    const char *otherwise;
    const char *words;       /* separated by blanks; NULL: any */
    const char *meaning;     /* a sentence without its full stop */
    const char *reader;      /* its readers: "simulation", "front end", ... */
    int kind;                /* enum fact_kind */
};

/* The table, sorted by key within its groups; ends with a NULL key. */
extern const struct fact fact_schema[];

/* Finds a fact by its key or by the key that it had before; NULL for any other. */
const struct fact *fact_find(const char *key);
/* The key that @key was most probably meant to be; NULL when none is near. */
const char *fact_meant(const char *key);
/* Whether @value is of the fact's type and in its range; else @err names the fault and the valid
 * values. Ports are looked up in @ports when not NULL. Any thread. */
bool fact_check(const struct fact *f, const char *value, const struct ports *ports,
                struct err *err);

/* The machine's value of @key, by the schema: NaN if it has none of the type and there is no
 * default. Values above the range count as its end (an endless queue), those below as missing. A
 * key that is no number in the schema is a bug. */
double fact_number(const struct machine *m, const char *key);
/* The same for yes and no. */
bool fact_switch(const struct machine *m, const char *key);

/* "number of µops/cycle, 1 to 65536" into @out: type, unit and range as people read them. */
void fact_values(const struct fact *f, struct str *out);
/* "as store_forward", "64", "not modelled" into @out. */
void fact_fallback(const struct fact *f, struct str *out);

#endif
