/* Strips the surroundings of pasted code: quote marks, fences, line numbers, percentages, addresses
 * and bytes. */
#ifndef PORTOLAN_TOOLCHAIN_MARGINS_H
#define PORTOLAN_TOOLCHAIN_MARGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define MARGIN_BYTES 16     /* of machine code: more than any instruction */

struct margin {
    size_t start, end;      /* range of the code in the text; equal: none */
    uint64_t address;       /* valid if addressed */
    unsigned section;       /* number, by a disassembly's headings */
    bool addressed;
    bool symbol;            /* the range is a name from a disassembly heading */
    /* machine code, if the text has such a column */
    uint8_t bytes[MARGIN_BYTES];
    uint8_t byte_count;     /* 0: none; MARGIN_BYTES: at least that many */
    bool joined;            /* they are adjacent, as one number */
    float percent;          /* of a profile's samples; NaN: none */
    /* why the line is skipped; NULL: used, empty, or a heading without code */
    const char *left_out;
};

struct margins {
    VEC(struct margin) lines;
    bool disassembly;       /* branches name addresses */
    bool plan9;             /* Plan 9 assembler language, as of Go */
    bool expanded;          /* an assembler listing with macro expansions */
    bool percents;          /* a line has a percentage */
};

/* Fills @out with a margin per line of @text, in linear time; margins_done frees. */
void margins_find(const char *text, size_t length, struct margins *out);
void margins_done(struct margins *m);

#endif
