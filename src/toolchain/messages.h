/* Messages of assemblers about lines of a text, and the lines that they refuse. */
#ifndef PORTOLAN_TOOLCHAIN_MESSAGES_H
#define PORTOLAN_TOOLCHAIN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "isa/assembled.h"

#define NASM_TEXT "in.asm"   /* the file that NASM reads */

/* Where the lines of a text begin; past its last line nothing. */
struct line_starts {
    VEC(size_t) starts;
    size_t length;
};

void line_starts_index(struct line_starts *out, const char *text, size_t length);
/* Line @line, from 1, without its end; one past the last is empty. */
void line_starts_find(const struct line_starts *l, size_t line, size_t *start, size_t *size);

struct refused_list {
    VEC(struct diagnostic) list;
    VEC(bool) seen;   /* by line number */
    struct line_starts lines;
};

/* Adds line @line of @text with @reason, unless it is there or the text has no such line. */
void refused_add(struct refused_list *out, const char *text, size_t length, size_t line,
                 const char *reason, size_t reason_length);
/* `{standard input}:LINE: Error: reason` in what `as` printed; returns how many lines are new.
 * *@foreign is set when it read another file. */
size_t messages_of_as(const char *printed, const char *text, size_t length,
                      struct refused_list *out, bool *foreign);
/* The same of `in.asm:LINE: error: reason` in what NASM printed. */
size_t messages_of_nasm(const char *printed, const char *text, size_t length,
                        struct refused_list *out);

/* @text in the line that ends at @end, or NULL. */
const char *find_in_line(const char *line, const char *end, const char *text);

#endif
