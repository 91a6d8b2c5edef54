/* Parses messages of assemblers about lines of a text, and collects rejected lines. */
#ifndef PORTOLAN_TOOLCHAIN_MESSAGES_H
#define PORTOLAN_TOOLCHAIN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "isa/assembled.h"

#define NASM_TEXT "in.asm"   /* name of NASM's input file */

/* Start of each line of a text */
struct line_starts {
    VEC(size_t) starts;
    size_t length;
};

void line_starts_index(struct line_starts *out, const char *text, size_t length);
/* Finds start and size of line @line, from 1, without its line end. A line past the last is empty.
 * Stores the results in *@start and *@size. */
void line_starts_find(const struct line_starts *l, size_t line, size_t *start, size_t *size);

struct refused_list {
    VEC(struct diagnostic) list;
    VEC(bool) seen;   /* per line: whether it was added */
    struct line_starts lines;
};

/* Adds line @line of @text with @reason. Does nothing if the line was already added or does not
 * exist. */
void refused_add(struct refused_list *out, const char *text, size_t length, size_t line,
                 const char *reason, size_t reason_length);
/* Parses `{standard input}:LINE: Error: reason` (or `Fatal error:`) of `as` and returns the number
 * of lines added. Sets *@foreign if a message concerns another file. */
size_t messages_of_as(const char *printed, const char *text, size_t length,
                      struct refused_list *out, bool *foreign);
/* Parses NASM's messages `in.asm:LINE: error: reason` (or `fatal:`). Adds the rejected lines to
 * @out and returns their number. */
size_t messages_of_nasm(const char *printed, const char *text, size_t length,
                        struct refused_list *out);

/* Finds @text in the line before @end. Returns NULL if the line lacks it. */
const char *find_in_line(const char *line, const char *end, const char *text);

#endif
