/* Text of a journal: one line per record with its conditions (nops per cycle of the idle core,
 * share of contended windows, date), code sum (form_codes_sums) and checksum. Older formats lack
 * code sums, conditions or checksums. */
#ifndef PORTOLAN_MEASURE_JOURNAL_TEXT_H
#define PORTOLAN_MEASURE_JOURNAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "measure/source.h"

#define JOURNAL_HEADER "experiment,cycles,spread,repeats,state,baseline,slowed,date,code,check\n"

/* Appends the record of @m for @e. @code: sum of its code; "": none. */
void journal_text_add(struct str *out, const struct experiment *e, const char *code,
                      const struct measured *m, const char *state);

/* Parsed contents of a journal's text. */
struct journal_parts {
    /* table of the valid records: header and lines without checksums */
    struct str rows;
    struct str rest;      /* invalid lines, unchanged */
    size_t good, bad;     /* number of valid and of invalid lines */
    /* bytes of an incomplete last line, which a killed program wrote; neither valid nor invalid */
    size_t torn;
    /* columns that older records lack at the end: code sums, conditions, or checksums; NULL:
     * none */
    const char *old;
};
/* Splits the text. False if it is not a journal: unknown header and no valid record. Call
 * journal_parts_done in both cases. */
bool journal_parts_read(const char *text, size_t length, struct journal_parts *out);
void journal_parts_done(struct journal_parts *parts);
/* Writes a journal of the valid records in the current format. */
void journal_parts_print(const struct journal_parts *parts, struct str *out);

#endif
