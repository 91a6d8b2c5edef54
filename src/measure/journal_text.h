/* The text of a journal: a record a line, each with the conditions it was taken under (nops per
 * cycle of the idle core it was judged by, share of windows that others slowed, day), the sum of
 * the code that was measured (form_codes_sums) and a checksum over the rest of it. Older journals
 * have no sums, those before no conditions, the oldest no checksums either. */
#ifndef PORTOLAN_MEASURE_JOURNAL_TEXT_H
#define PORTOLAN_MEASURE_JOURNAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "measure/source.h"

#define JOURNAL_HEADER "experiment,cycles,spread,repeats,state,baseline,slowed,date,code,check\n"

/* Appends the record of @m for @e, whose code has the sum @code; "": it is none. */
void journal_text_add(struct str *out, const struct experiment *e, const char *code,
                      const struct measured *m, const char *state);

/* Content of a journal's text. */
struct journal_parts {
    /* an experiments table of the good records: header, then a line each, without checksums */
    struct str rows;
    struct str rest;      /* the lines that are none */
    size_t good, bad;     /* lines of each */
    /* bytes of an unfinished last line, in neither: what the death of a program leaves */
    size_t torn;
    /* fields that its records lack at their end, else NULL: sums of code, conditions, or
     * checksums */
    const char *old;
};
/* False when it is no journal at all: another header and no record. journal_parts_done in both
 * cases. */
bool journal_parts_read(const char *text, size_t length, struct journal_parts *out);
void journal_parts_done(struct journal_parts *parts);
/* The journal's text, as it is written today, for the good records. */
void journal_parts_print(const struct journal_parts *parts, struct str *out);

#endif
