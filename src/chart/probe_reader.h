/* Reads tables of probes: words, variables and expressions (chart/probe_expression.c). After the
 * first error, the functions read nothing, and their results must not be evaluated. */
#ifndef PORTOLAN_CHART_PROBE_READER_H
#define PORTOLAN_CHART_PROBE_READER_H

#include "chart/probe_parts.h"

#define NAME_MOST 64         /* maximum number of bytes of a name, including the final NUL */
#define DEPTH_MOST 64        /* maximum number of nested expressions and gaps */
#define CHAIN_MOST 2000      /* maximum depth of an expression with its definitions */

/* A table while it is read. A line that ends with a backslash continues on the next line. */
struct table_reader {
    struct probe_table *t;
    const char *text, *at, *path;
    const char *locals[PROBE_LOCALS];
    unsigned local_count, depth;
    bool in_items;                   /* whether the items of the last group are being read */
    const struct table_loop *loop;   /* loop whose text is being read; NULL: none */
    bool ok;
    struct err *err;
};

/* Sets @out to the index of the element of @list named @sought, or to the number of elements if
 * there is none. */
#define READER_FIND(list, sought, out)                                                            \
    do {                                                                                          \
        (out) = 0;                                                                                \
        while ((out) < (list).count && strcmp((list).items[out].name, sought) != 0)               \
            (out)++;                                                                              \
    } while (0)

/* Returns @block, which the table now owns and frees. */
void *reader_own(struct table_reader *r, void *block);
/* Sets the error at the current position, unless there is one already. */
void reader_fail(struct table_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the length of the line continuation at @at; 0: there is none. */
size_t reader_continuation(const char *at);
/* Skips spaces and continuations. */
void reader_skip(struct table_reader *r);
/* Skips spaces and continuations. Returns whether the reader is at the end of the line. */
bool reader_at_end(struct table_reader *r);
/* Skips @sign and returns true if it is next. If @sign consists of letters, it must be a whole
 * word. */
bool reader_take(struct table_reader *r, const char *sign);
/* Skips @sign. Sets the error if something else comes next. */
void reader_expect(struct table_reader *r, const char *sign);
/* Reads a name. Returns false without reading if there is none. */
bool reader_name(struct table_reader *r, char name[NAME_MOST]);
/* Returns the index of group @name, or the number of groups if there is none. Does not find a
 * group whose items are being read, because a group must not contain itself. */
unsigned reader_group(const struct table_reader *r, const char *name);
/* Returns whether @name is reserved in all tables. */
bool reader_reserved(const char *name);
/* Adds a variable and returns its index. The caller restores r->local_count. With PROBE_LOCALS
 * variables, sets the error and returns 0. */
unsigned reader_local(struct table_reader *r, const char *name);
/* Reads "NAME in GROUP" or "NAME in FROM..TO". Declares the variable, and stores the range in
 * args[0] and args[1] of @n. Returns the group, or NO_GROUP. */
unsigned reader_range(struct table_reader *r, struct probe_node *n);
/* Reads "(ITEMS, EXPRESSION)". Returns a node of @kind for the item of ITEMS with the number
 * EXPRESSION. */
struct probe_node *reader_of_item(struct table_reader *r, enum probe_node_kind kind);
/* Reads an expression and returns it. The table owns it. */
struct probe_node *reader_expression(struct table_reader *r);

#endif
