/* Port columns of the kernel view, one per group of ports with equal load. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_PORT_COLUMNS_H
#define PORTOLAN_VIEW_PORT_COLUMNS_H

#include "analysis/port_groups.h"
#include "view/grid.h"

struct port_columns {
    struct port_groups groups;
    unsigned first, count;           /* range of visible groups */
    unsigned widths[PORTS_MAX];      /* number of columns of each group */
    unsigned width;                  /* number of columns of all visible groups */
    bool headed;                     /* whether any group has a heading for its purpose; the
                                      * headings need a row */
};

/* Fills @out with the groups of @a, from group *@left, that fit in @room columns. Limits *@left to
 * the valid range. */
void port_columns_lay(const struct analysis *a, const struct port_groups *groups, unsigned *left,
                      unsigned room, struct port_columns *out);
/* Draws the headings of the groups, if there are any, and below them the groups' names at (@x, @y).
 * Underlines the groups that @current uses. */
void port_columns_head(const struct port_columns *c, const struct analysis *a,
                       const struct analysis_row *current, struct grid *g, int x, int y);
/* Draws the cycles per iteration of row @row on each group; "?" if its ports are unknown. */
void port_columns_load(const struct port_columns *c, const struct analysis *a, size_t row,
                       bool cursor, struct grid *g, int x, int y);
/* Draws for each group the fraction of the loop's cycles in which it is busy. */
void port_columns_busy(const struct port_columns *c, const struct analysis *a, struct grid *g,
                       int x, int y);
/* Draws the number of hidden groups with the keys that scroll to them, or the number of idle
 * ports. */
void port_columns_hidden(const struct port_columns *c, struct grid *g, int x, int y);

#endif
