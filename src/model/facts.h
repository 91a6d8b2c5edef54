/* Schema of machine facts: meaning, values and default of each key of machine.csv and facts.csv.
 * Loader, analysis, what-if, help, completion and the manual page read it. */
#ifndef PORTOLAN_MODEL_FACTS_H
#define PORTOLAN_MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "model/machine.h"

enum fact_type {
    FACT_TEXT,
    FACT_NUMBER,
    FACT_WHOLE,    /* an integer */
    FACT_SWITCH,   /* yes or no */
    FACT_CHOICE,   /* one of @words */
    FACT_WORDS,    /* several of @words; if @words is NULL, any words, such as mnemonics */
    FACT_PORTS,    /* names of ports, such as p23 */
    FACT_LIMITS,   /* dispatch limits (model/dispatch_limits.h), such as 4 of p01; 2 within p23 */
};

enum fact_kind {
    FACT_USUAL = false,
    FACT_FIXED = true,   /* evaluated when a machine is loaded, so kernel whatif cannot change it */
    /* a mean that was fitted to measured times, without a known mechanism; the source of the
     * machine's fact names the measurements */
    FACT_FITTED,
};

struct fact {
    const char *key;
    enum fact_type type;
    const char *unit;        /* unit; "": none */
    double least, most;      /* range of numbers */
    /* default: a value, or the key of another fact; NULL: the effect is then not modelled */
    const char *fallback;
    const char *words;       /* allowed words, separated by blanks; NULL: any */
    const char *meaning;     /* meaning, in a sentence without full stop */
    const char *reader;      /* parts of the program that use the fact: "simulation", "front end",
                              * ... */
    int kind;                /* kind of the fact (enum fact_kind) */
};

/* Facts, in groups. The last key is NULL. */
extern const struct fact fact_schema[];

/* Finds a fact by its key or an obsolete key. Returns NULL if there is none. */
const struct fact *fact_find(const char *key);
/* Returns the known key that is most similar to @key; NULL: none. */
const char *fact_meant(const char *key);
/* Returns whether @value has the fact's type and is in its range. If not, err has the reason and
 * the valid values. Also verifies port names unless @ports is NULL. */
bool fact_check(const struct fact *f, const char *value, const struct ports *ports,
                struct err *err);

/* Returns the number of fact @key on the machine, or else its default, or else NaN. Values above
 * the range become its maximum. Values below the range, or that are no numbers, count as missing.
 * Calling it with a key whose fact is not a number is a bug. */
double fact_number(const struct machine *m, const char *key);
/* Returns the value of yes-or-no fact @key on the machine. If the value is missing or invalid,
 * returns the default. */
bool fact_switch(const struct machine *m, const char *key);

/* Appends the type, unit and range of a fact, such as "number of µops/cycle, 1 to 65536". */
void fact_values(const struct fact *f, struct str *out);
/* Appends the default, such as "as store_forward", "64", "not modelled", "none". */
void fact_fallback(const struct fact *f, struct str *out);

#endif
