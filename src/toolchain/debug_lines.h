/* Source lines of machine code, from the DWARF that compilers leave with -g: libdw reads it, in a
 * process of its own, since such data may be damaged or made to do harm. */
#ifndef PORTOLAN_TOOLCHAIN_DEBUG_LINES_H
#define PORTOLAN_TOOLCHAIN_DEBUG_LINES_H

#include "base/err.h"
#include "base/vec.h"
#include "toolchain/object.h"

/* The code from @place to the next row's is of @line. */
struct debug_line {
    uint64_t place;     /* a position (object_position) */
    /* of the function's own file: of code inlined from elsewhere the call's; 0: none */
    uint32_t line;
    /* 1 + the name, among inlined, of the innermost inlined function; 0: not inlined */
    uint32_t inlined;
};

struct debug_lines {
    /* the source of the function; NULL: there is no debug information, or none of this code */
    char *file;
    VEC(struct debug_line) rows;    /* by place */
    VEC(char *) inlined;            /* as programmers write them */
};

/* The lines of bytes @start to @end of @o's code, in the section and the unit that byte @at is in;
 * inlined functions are known in the function around @at. The file is read again. Without debug
 * information, or without libdw, there are none, and that is no fault. False with err when it is
 * damaged, takes more than its share of time (on the clock, too) or memory, or watch_over ends it.
 * debug_lines_done frees @out in all cases. Any thread. */
bool debug_lines_read(const struct object *o, uint64_t start, uint64_t end, uint64_t at,
                      struct debug_lines *out, struct err *err);
/* What dwarf_print wrote (toolchain/dwarf.h), @length bytes of it, with places counted from @base:
 * lines of any other kind are left out, and the place of no row is trusted. Asks watch_steps;
 * debug_lines_done frees @out. Any thread. */
void debug_lines_parse(const char *text, size_t length, uint64_t base, struct debug_lines *out);
void debug_lines_done(struct debug_lines *d);
/* The row of @place; NULL: none. Borrowed. */
const struct debug_line *debug_line_at(const struct debug_lines *d, uint64_t place);

/* The code from @place to the next row's is of @line of a file. */
struct unit_line {
    uint64_t place;     /* a position (object_position) */
    uint32_t line;      /* 0: none */
    uint32_t file;      /* index into files */
};

/* The line tables of all units of an object, as compilers wrote them; inlined code has the lines of
 * its source. */
struct unit_lines {
    VEC(struct unit_line) rows;     /* by place */
    VEC(char *) files;              /* each once */
};

/* Those of @o; failures, limits and thread as of debug_lines_read. unit_lines_done frees @out in
 * all cases. */
bool unit_lines_read(const struct object *o, struct unit_lines *out, struct err *err);
/* What dwarf_print wrote of all units, as debug_lines_parse reads the other: rows of sections that
 * @o has not are left out. */
void unit_lines_parse(const char *text, size_t length, const struct object *o,
                      struct unit_lines *out);
void unit_lines_done(struct unit_lines *d);
/* The index of the first row at or after @place; the count when there is none. */
size_t unit_lines_from(const struct unit_lines *d, uint64_t place);

#endif
