/* Strips the surroundings of pasted code: quotation marks, fences, line numbers, percentages,
 * addresses and bytes. */
#ifndef PORTOLAN_TOOLCHAIN_MARGINS_H
#define PORTOLAN_TOOLCHAIN_MARGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define MARGIN_BYTES 16     /* of machine code; no instruction has more than 15 */

struct margin {
    size_t start, end;      /* the code, in the text; equal: the line has none */
    uint64_t address;       /* when addressed */
    unsigned section;       /* of a disassembly, by its headings */
    bool addressed;
    bool symbol;            /* start and end are of a name that a disassembler gives as a heading */
    /* the instruction's machine code, if the text has a column of it */
    uint8_t bytes[MARGIN_BYTES];
    uint8_t byte_count;     /* 0: it has none; MARGIN_BYTES: that many or more */
    bool joined;            /* they stand next to each other, as one number */
    float percent;          /* of the samples of a profile; NaN: none */
    /* why the line is skipped; NULL: it is read, empty, or a heading without code */
    const char *left_out;
};

struct margins {
    VEC(struct margin) lines;
    bool disassembly;       /* branches name addresses */
    bool plan9;             /* it is in the assembler language of Plan 9, which Go has */
    bool expanded;          /* a listing of an assembler with expansions of macros */
    bool percents;          /* some line has one */
};

/* Fills @out, a margin for each line of @text, in time linear in @length; margins_done frees. Any
 * thread. */
void margins_find(const char *text, size_t length, struct margins *out);
void margins_done(struct margins *m);

#endif
