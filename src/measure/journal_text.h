/* Text of a journal. A line has a record, its conditions, its code sum (form_codes_sums) and its
 * checksum. The conditions are the nops per cycle of the idle core, the share of contended windows,
 * and the date. Older formats lack code sums, conditions or checksums. */
#ifndef PORTOLAN_MEASURE_JOURNAL_TEXT_H
#define PORTOLAN_MEASURE_JOURNAL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "measure/source.h"

#define JOURNAL_HEADER "experiment,cycles,spread,repeats,state,baseline,slowed,date,code,check\n"

/* Appends the record of @m for @e. @code: the code sum of the experiment, or empty. */
void journal_text_add(struct str *out, const struct experiment *e, const char *code,
                      const struct measured *m, const char *state);

/* Parsed text of a journal */
struct journal_parts {
    /* table of the valid records with a header, without checksums */
    struct str rows;
    struct str rest;      /* invalid lines, unchanged */
    size_t good, bad;     /* number of valid and of invalid lines */
    /* number of bytes of an incomplete last line, left by a killed program; neither valid nor
     * invalid */
    size_t torn;
    /* empty fields for the columns that an older format lacks; NULL for the current format */
    const char *old;
};
/* Splits the text into lines. Returns false if the text is no journal: its header is unknown, and
 * no record is valid. The caller always calls journal_parts_done. */
bool journal_parts_read(const char *text, size_t length, struct journal_parts *out);
void journal_parts_done(struct journal_parts *parts);
/* Writes the valid records as a journal in the current format. */
void journal_parts_print(const struct journal_parts *parts, struct str *out);

#endif
