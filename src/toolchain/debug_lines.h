/* Source lines of machine code from DWARF (-g), read by libdw in a child process, since such data
 * may be damaged or hostile. */
#ifndef PORTOLAN_TOOLCHAIN_DEBUG_LINES_H
#define PORTOLAN_TOOLCHAIN_DEBUG_LINES_H

#include "base/err.h"
#include "base/vec.h"
#include "toolchain/object.h"

/* Code from @place to the next row's has source line @line. */
struct debug_line {
    uint64_t place;     /* a position (object_position) */
    /* in the function's file: for code inlined from another file that of the call; 0: none */
    uint32_t line;
    /* 1 + index in inlined of the innermost inlined function; 0: not inlined */
    uint32_t inlined;
};

struct debug_lines {
    /* source file of the function; NULL: no debug information for this code */
    char *file;
    VEC(struct debug_line) rows;    /* by place */
    VEC(char *) inlined;            /* demangled */
};

/* Reads the lines of bytes @start to @end of @o's code, in the section and unit of byte @at;
 * inlined functions are resolved in the function at @at. Reads the file again. Missing debug
 * information or libdw is not an error. False with err when it is damaged, exceeds its time (also
 * wall-clock) or memory, or watch_over ends it. debug_lines_done frees @out in all cases. */
bool debug_lines_read(const struct object *o, uint64_t start, uint64_t end, uint64_t at,
                      struct debug_lines *out, struct err *err);
/* Parses the output of dwarf_print (toolchain/dwarf.h), @length bytes, with places relative to
 * @base: ignores unknown lines, and validates places. Polls watch_steps; debug_lines_done frees
 * @out. */
void debug_lines_parse(const char *text, size_t length, uint64_t base, struct debug_lines *out);
void debug_lines_done(struct debug_lines *d);
/* Returns the row of @place, or NULL. Borrowed. */
const struct debug_line *debug_line_at(const struct debug_lines *d, uint64_t place);

/* Code from @place to the next row's has line @line of a file. */
struct unit_line {
    uint64_t place;     /* a position (object_position) */
    uint32_t line;      /* 0: none */
    uint32_t file;      /* index into files */
};

/* Line tables of all units of an object; inlined code has the lines of its source. */
struct unit_lines {
    VEC(struct unit_line) rows;     /* by place */
    VEC(char *) files;              /* without duplicates */
};

/* Reads those of @o; errors, limits and threads as of debug_lines_read. unit_lines_done frees @out
 * in all cases. */
bool unit_lines_read(const struct object *o, struct unit_lines *out, struct err *err);
/* Parses the output of dwarf_print for all units, like debug_lines_parse; ignores rows of sections
 * that @o lacks. */
void unit_lines_parse(const char *text, size_t length, const struct object *o,
                      struct unit_lines *out);
void unit_lines_done(struct unit_lines *d);
/* Index of the first row at or after @place, or the count. */
size_t unit_lines_from(const struct unit_lines *d, uint64_t place);

#endif
