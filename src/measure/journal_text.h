/* Text of a journal: a line per record with its conditions (nops per cycle of the idle core, share
 * of contended windows, date), code sum (form_codes_sums) and checksum. Older formats lack code
 * sums, conditions or checksums. */
#ifndef PORTOLAN_MEASURE_JOURNAL_TEXT_H
#define PORTOLAN_MEASURE_JOURNAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "measure/source.h"

#define JOURNAL_HEADER "experiment,cycles,spread,repeats,state,baseline,slowed,date,code,check\n"

/* Appends the record of @m for @e, whose code has the sum @code; "": none. */
void journal_text_add(struct str *out, const struct experiment *e, const char *code,
                      const struct measured *m, const char *state);

/* Content of a journal's text. */
struct journal_parts {
    /* experiments table of the valid records: header and lines without checksums */
    struct str rows;
    struct str rest;      /* the invalid lines */
    size_t good, bad;     /* number of lines of each */
    /* bytes of an incomplete last line, in neither: left by a killed program */
    size_t torn;
    /* columns that its records lack at the end, else NULL: code sums, conditions, or checksums */
    const char *old;
};
/* False when it is no journal: unknown header and no valid record. journal_parts_done in both
 * cases. */
bool journal_parts_read(const char *text, size_t length, struct journal_parts *out);
void journal_parts_done(struct journal_parts *parts);
/* Writes the journal's text in the current format, with the valid records. */
void journal_parts_print(const struct journal_parts *parts, struct str *out);

#endif
