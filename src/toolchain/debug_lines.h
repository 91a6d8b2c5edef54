/* Source lines of machine code from DWARF (-g). libdw reads them in a child process because the
 * data may be damaged or hostile. */
#ifndef PORTOLAN_TOOLCHAIN_DEBUG_LINES_H
#define PORTOLAN_TOOLCHAIN_DEBUG_LINES_H

#include "base/err.h"
#include "base/vec.h"
#include "toolchain/object.h"

/* A source line of the code from @place to the next row's place. */
struct debug_line {
    uint64_t place;     /* position of the code as defined by object_position */
    /* line in the function's file; 0: none. For code inlined from another file, this is the line of
     * the call. */
    uint32_t line;
    /* 1 + index in debug_lines.inlined of the innermost inlined function; 0: the code is not
     * inlined */
    uint32_t inlined;
};

struct debug_lines {
    /* source file of the function; NULL: the code has no debug information */
    char *file;
    VEC(struct debug_line) rows;    /* rows sorted by place */
    VEC(char *) inlined;            /* demangled names of inlined functions */
};

/* Reads the lines of @o's code from byte @start to @end, in the section and unit that contain byte
 * @at. Resolves inlined functions in the function that contains @at. Reads the file again. Missing
 * debug information or a missing libdw is not an error. Returns false with err if the data are
 * damaged, exceed a limit of time or memory, or if watch_over ends the work. The caller frees @out
 * with debug_lines_done in all cases. */
bool debug_lines_read(const struct object *o, uint64_t start, uint64_t end, uint64_t at,
                      struct debug_lines *out, struct err *err);
/* Parses @length bytes of output of dwarf_print (toolchain/dwarf.h). Places are relative to @base,
 * and are validated. Ignores unknown lines. Polls watch_steps. The caller frees @out with
 * debug_lines_done. */
void debug_lines_parse(const char *text, size_t length, uint64_t base, struct debug_lines *out);
void debug_lines_done(struct debug_lines *d);
/* Returns the row that covers @place, or NULL. Borrowed from @d. */
const struct debug_line *debug_line_at(const struct debug_lines *d, uint64_t place);

/* A source line of the code from @place to the next row's place. */
struct unit_line {
    uint64_t place;     /* position of the code as defined by object_position */
    uint32_t line;      /* source line; 0: none */
    uint32_t file;      /* index of the source file in unit_lines.files */
};

/* Line tables of all units of an object. Inlined code has the lines of its own source. */
struct unit_lines {
    VEC(struct unit_line) rows;     /* rows sorted by place */
    VEC(char *) files;              /* names of source files, without duplicates */
};

/* Reads the line tables of @o. Errors, limits and thread rules are as in debug_lines_read. The
 * caller frees @out with unit_lines_done in all cases. */
bool unit_lines_read(const struct object *o, struct unit_lines *out, struct err *err);
/* Parses the output of dwarf_print for all units, like debug_lines_parse. Ignores rows of sections
 * that @o does not have. */
void unit_lines_parse(const char *text, size_t length, const struct object *o,
                      struct unit_lines *out);
void unit_lines_done(struct unit_lines *d);
/* Returns the index of the first row at or after @place, or the number of rows if there is none. */
size_t unit_lines_from(const struct unit_lines *d, uint64_t place);

#endif
