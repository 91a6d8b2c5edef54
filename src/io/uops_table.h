/* Rows of a uops.info table, from CSV or from the XML of all architectures. */
#ifndef PORTOLAN_IO_UOPS_TABLE_H
#define PORTOLAN_IO_UOPS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct uops_row {
    char *name;          /* "ADD_01 (R64, R64)" */
    char *ports;         /* "1*p0156+1*p23" */
    double latency;      /* largest between two operands; NaN: none */
    bool upper_bound;    /* that latency is an upper bound */
    unsigned micro_ops;  /* without fusion; 0: none */
    unsigned divider;    /* cycles on the divider; 0: none */
    double cycles;       /* measured cycles per copy alone; NaN: none */
    size_t line;
};

struct uops_table {
    struct uops_row *rows;
    size_t count, capacity;
};

void uops_table_done(struct uops_table *t);
/* Copies the texts of @row. */
void uops_table_add(struct uops_table *t, const struct uops_row *row);
/* "[≤5;8]", "4", "≤19": the largest number; NaN if none. */
double uops_latency(const char *text, bool *upper_bound);
bool uops_table_csv(struct uops_table *t, const char *name, const char *text, size_t length,
                    struct err *err);

struct uops_xml;   /* Streaming parser. */
/* @architecture NULL: the only one in the file. Rows are added to @t during parsing. */
struct uops_xml *uops_xml_new(struct uops_table *t, const char *name, const char *architecture);
/* Parses a piece, @last with the end of the text. False on an error, after which the parser
 * stops. */
bool uops_xml_feed(struct uops_xml *x, const char *bytes, size_t length, bool last,
                   struct err *err);
void uops_xml_free(struct uops_xml *x);

#endif
