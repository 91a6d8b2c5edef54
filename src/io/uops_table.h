/* Rows of a uops.info table as the file has them, from CSV or from the XML of all architectures. */
#ifndef PORTOLAN_IO_UOPS_TABLE_H
#define PORTOLAN_IO_UOPS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct uops_row {
    char *name;          /* "ADD_01 (R64, R64)" */
    char *ports;         /* "1*p0156+1*p23" */
    double latency;      /* largest between two operands; NaN none given */
    bool upper_bound;    /* that latency is one */
    unsigned micro_ops;  /* without fusion; 0 none given */
    unsigned divider;    /* cycles that the divider is held; 0 none */
    double cycles;       /* of each copy alone, as measured; NaN: not given */
    size_t line;
};

struct uops_table {
    struct uops_row *rows;
    size_t count, capacity;
};

void uops_table_done(struct uops_table *t);
/* Copies the texts of @row. */
void uops_table_add(struct uops_table *t, const struct uops_row *row);
/* "[≤5;8]", "4", "≤19": the largest number; NaN when there is none. */
double uops_latency(const char *text, bool *upper_bound);
bool uops_table_csv(struct uops_table *t, const char *name, const char *text, size_t length,
                    struct err *err);

struct uops_xml;   /* a parser that is fed a stream */
/* @architecture NULL: the only one in the file. @t is filled as the text goes by. */
struct uops_xml *uops_xml_new(struct uops_table *t, const char *name, const char *architecture);
/* @last with the end of the text. False on a fault; then the parser takes no more. */
bool uops_xml_feed(struct uops_xml *x, const char *bytes, size_t length, bool last,
                   struct err *err);
void uops_xml_free(struct uops_xml *x);

#endif
