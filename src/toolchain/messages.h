/* Parses messages of assemblers about lines of a text, and collects rejected lines. */
#ifndef PORTOLAN_TOOLCHAIN_MESSAGES_H
#define PORTOLAN_TOOLCHAIN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "isa/assembled.h"

#define NASM_TEXT "in.asm"   /* input file of NASM */

/* Start of each line of a text; beyond the last one empty. */
struct line_starts {
    VEC(size_t) starts;
    size_t length;
};

void line_starts_index(struct line_starts *out, const char *text, size_t length);
/* Returns line @line, from 1, without its end; one past the last is empty. */
void line_starts_find(const struct line_starts *l, size_t line, size_t *start, size_t *size);

struct refused_list {
    VEC(struct diagnostic) list;
    VEC(bool) seen;   /* by line number */
    struct line_starts lines;
};

/* Adds line @line of @text with @reason, unless present or out of range. */
void refused_add(struct refused_list *out, const char *text, size_t length, size_t line,
                 const char *reason, size_t reason_length);
/* Parses `{standard input}:LINE: Error: reason` of `as`; returns the number of new lines. *@foreign
 * is set for another file. */
size_t messages_of_as(const char *printed, const char *text, size_t length,
                      struct refused_list *out, bool *foreign);
/* The same for NASM's `in.asm:LINE: error: reason`. */
size_t messages_of_nasm(const char *printed, const char *text, size_t length,
                        struct refused_list *out);

/* Finds @text before @end in the line, or NULL. */
const char *find_in_line(const char *line, const char *end, const char *text);

#endif
