/* Rows of a uops.info table, from CSV or from the XML of all architectures. */
#ifndef PORTOLAN_IO_UOPS_TABLE_H
#define PORTOLAN_IO_UOPS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct uops_row {
    char *name;          /* name of the form, such as "ADD_01 (R64, R64)" */
    char *ports;         /* text of the ports column, such as "1*p0156+1*p23" */
    double latency;      /* largest latency between two operands; NaN: none */
    bool upper_bound;    /* whether the latency is an upper bound */
    unsigned micro_ops;  /* number of µops without fusion; 0: unknown */
    unsigned divider;    /* cycles on the divider; 0: the form does not use the divider */
    double cycles;       /* measured cycles per copy in isolation; NaN: none */
    size_t line;
};

struct uops_table {
    struct uops_row *rows;
    size_t count, capacity;
};

void uops_table_done(struct uops_table *t);
/* Adds a copy of @row with its strings. Adds nothing if memory is exhausted. */
void uops_table_add(struct uops_table *t, const struct uops_row *row);
/* Parses "[≤5;8]", "4" or "≤19". Returns the largest number; NaN: none. Sets *@upper_bound to
 * whether it follows ≤. */
double uops_latency(const char *text, bool *upper_bound);
/* Adds the rows of CSV text to @t. @name: name of the file in messages. Returns false with err if a
 * column is missing, or if the text cannot be parsed. */
bool uops_table_csv(struct uops_table *t, const char *name, const char *text, size_t length,
                    struct err *err);

struct uops_xml;   /* A streaming parser of uops.info's XML */
/* Creates a parser of XML. If @architecture is NULL, parses the only architecture in the file.
 * Adds rows to @t during parsing. */
struct uops_xml *uops_xml_new(struct uops_table *t, const char *name, const char *architecture);
/* Parses a piece of the text. @last is true for the last piece. Returns false on an error. The
 * parser then stops. */
bool uops_xml_feed(struct uops_xml *x, const char *bytes, size_t length, bool last,
                   struct err *err);
void uops_xml_free(struct uops_xml *x);

#endif
