/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/journal_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/csv.h"
#include "io/experiments_file.h"
#include "measure/baseline.h"

#define ROWS_HEADER "experiment,cycles,spread,repeats,state,baseline,slowed,date,code\n"
/* header of the oldest format, without checksums */
#define PLAIN_HEADER "experiment,cycles,spread,repeats,state\n"
/* header of the format with checksums, but without conditions */
#define CHECKED_HEADER "experiment,cycles,spread,repeats,state,check\n"
/* header of the format with conditions, but without code sums */
#define DATED_HEADER "experiment,cycles,spread,repeats,state,baseline,slowed,date,check\n"
#define NO_CONDITIONS ",,,"
#define NO_CODE ","
#define CHECK_DIGITS 8

/* Appends the checksum of the record that begins at offset @start. */
static void seal(struct str *out, size_t start)
{
    str_addf(out, "%0*x\n", CHECK_DIGITS, checksum_of(out->data + start, out->length - start));
}

void journal_text_add(struct str *out, const struct experiment *e, const char *code,
                      const struct measured *m, const char *state)
{
    struct str text = {0}, number = {0};
    size_t start = out->length;
    char day[KEPT_DAY];

    experiment_print(e, &text);
    csv_add_field(out, str_text(&text), false);
    if (m->cycles > 0)
        str_addf(&number, "%.17g", m->cycles);
    csv_add_field(out, str_text(&number), false);
    str_clear(&number);
    if (m->cycles > 0 && m->spread >= 0)
        str_addf(&number, "%.6g", m->spread);
    csv_add_field(out, str_text(&number), false);
    str_clear(&number);
    if (m->repeats)
        str_addf(&number, "%u", m->repeats);
    csv_add_field(out, str_text(&number), false);
    /* A record is one line, so control characters are replaced. */
    str_clear(&text);
    for (; *state; state++)
        str_add_char(&text, iscntrl((unsigned char)*state) ? ' ' : *state);
    csv_add_field(out, str_text(&text), false);
    if (m->baseline > 0)
        str_addf(out, "%.4f,%.3f,", m->baseline, m->slowed);
    else
        str_add(out, ",,");
    kept_today(day);
    csv_add_field(out, day, false);
    csv_add_field(out, code, false);
    seal(out, start);
    str_done(&number);
    str_done(&text);
}

/* Returns the length of the record without the checksum and its comma; 0: the checksum is missing
 * or wrong. */
static size_t checked_length(const char *line, size_t length)
{
    char *end, digits[CHECK_DIGITS + 1];

    if (length < CHECK_DIGITS + 2 || line[length - CHECK_DIGITS - 1] != ',')
        return 0;
    memcpy(digits, line + length - CHECK_DIGITS, CHECK_DIGITS);
    digits[CHECK_DIGITS] = '\0';
    unsigned long check = strtoul(digits, &end, 16);
    return *end == '\0' && check == checksum_of(line, length - CHECK_DIGITS)
               ? length - CHECK_DIGITS - 1
               : 0;
}

/* Returns whether @line is a record in the oldest format. */
static bool readable(const char *line, size_t length)
{
    struct str table = {0};

    str_add(&table, PLAIN_HEADER);
    str_add_bytes(&table, line, length);
    str_add_char(&table, '\n');
    struct experiments *rows = experiments_parse("", table.data, table.length, NULL);
    bool is = rows && rows->rows.count == 1;
    experiments_free(rows);
    str_done(&table);
    return is;
}

/* Adds a line to the valid or to the invalid lines. @plain: whether the format has no checksums. */
static void take_line(struct journal_parts *out, bool plain, const char *line, size_t length)
{
    size_t record = checked_length(line, length);

    if (!record && plain && readable(line, length))
        record = length;
    struct str *part = record ? &out->rows : &out->rest;
    str_add_bytes(part, line, record ? record : length);
    if (record && out->old)
        str_add(part, out->old);
    str_add_char(part, '\n');
    out->good += record > 0;
    out->bad += record == 0;
}

static bool begins(const char *text, size_t length, const char *header)
{
    return length >= strlen(header) && memcmp(text, header, strlen(header)) == 0;
}

bool journal_parts_read(const char *text, size_t length, struct journal_parts *out)
{
    bool plain = begins(text, length, PLAIN_HEADER);
    const bool checked = plain || begins(text, length, CHECKED_HEADER);
    *out = (struct journal_parts){.old = checked ? NO_CONDITIONS NO_CODE
                                         : begins(text, length, DATED_HEADER) ? NO_CODE
                                                                              : NULL};
    bool known = out->old || begins(text, length, JOURNAL_HEADER);
    size_t at = known ? (size_t)((const char *)memchr(text, '\n', length) - text) + 1 : 0;
    const char *newline;

    str_add(&out->rows, ROWS_HEADER);
    for (; at < length && (newline = memchr(text + at, '\n', length - at));
         at = (size_t)(newline - text) + 1)
        if (newline > text + at)
            take_line(out, plain, text + at, (size_t)(newline - text) - at);
    out->torn = length - at;
    /* After a power loss, a file may contain NULs. Its last line is then invalid, not
     * incomplete. */
    if (out->torn && memchr(text + at, 0, out->torn)) {
        take_line(out, plain, text + at, out->torn);
        out->torn = 0;
    }
    return known || out->good;
}

void journal_parts_done(struct journal_parts *parts)
{
    str_done(&parts->rows);
    str_done(&parts->rest);
}

void journal_parts_print(const struct journal_parts *parts, struct str *out)
{
    const char *line = strchr(str_text(&parts->rows), '\n') + 1;

    str_add(out, JOURNAL_HEADER);
    for (const char *newline; (newline = strchr(line, '\n')); line = newline + 1) {
        size_t start = out->length;
        str_add_bytes(out, line, (size_t)(newline - line));
        str_add_char(out, ',');
        seal(out, start);
    }
}
