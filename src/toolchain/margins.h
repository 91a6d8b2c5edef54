/* Removes the text around pasted code: quote marks, fences, line numbers, percentages, addresses
 * and bytes. */
#ifndef PORTOLAN_TOOLCHAIN_MARGINS_H
#define PORTOLAN_TOOLCHAIN_MARGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* maximum number of bytes of machine code per line: more than the longest instruction */
#define MARGIN_BYTES 16
#define MARGIN_OMITTED "omitted instructions"                /* reason to skip a line of dots */
#define MARGIN_GAP "used, but instructions before it are omitted"

struct margin {
    size_t start, end;      /* range of the code in the text, in bytes; empty if start equals end */
    uint64_t address;       /* address of the code; valid if addressed is true */
    unsigned section;       /* index of the section, counted by the headings of the disassembly */
    bool addressed;
    bool symbol;            /* whether the range is a name from a disassembly heading */
    /* machine code, if the text has a column of bytes */
    uint8_t bytes[MARGIN_BYTES];
    uint8_t byte_count;     /* number of bytes; MARGIN_BYTES if there are more */
    bool joined;            /* whether the bytes are written as one number */
    float percent;          /* share of a profile's samples in percent; NaN: none */
    /* reason to skip the line, or MARGIN_GAP; NULL: the line is used, is empty, or is a heading
     * without code */
    const char *left_out;
};

struct margins {
    VEC(struct margin) lines;
    bool disassembly;       /* whether branches name addresses */
    bool plan9;             /* whether the text is in Plan 9's assembler language, as from Go's
                             * tools */
    bool expanded;          /* whether the text is an assembler listing with macro expansions */
    bool percents;          /* whether at least one line has a percentage */
};

/* Fills @out with one margin per line of @text, in linear time. @step: length of each instruction
 * in bytes; 1 if lengths differ. The caller frees @out with margins_done. */
void margins_find(const char *text, size_t length, size_t step, struct margins *out);
void margins_done(struct margins *m);

#endif
