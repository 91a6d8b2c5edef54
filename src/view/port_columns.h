/* Port columns of the loop's pane: one per group of ports with equal load. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_PORT_COLUMNS_H
#define PORTOLAN_VIEW_PORT_COLUMNS_H

#include "analysis/port_groups.h"
#include "view/grid.h"

struct port_columns {
    struct port_groups groups;
    unsigned first, count;           /* range of shown groups */
    unsigned widths[PORTS_MAX];      /* of the groups' columns */
    unsigned width;                  /* of all shown groups */
    bool headed;                     /* one has a purpose, which needs a row */
};

/* Fills @out with the columns of @groups of @a from the *@left-th on that fit in @room columns;
 * clamps *@left. */
void port_columns_lay(const struct analysis *a, const struct port_groups *groups, unsigned *left,
                      unsigned room, struct port_columns *out);
/* Draws the purposes of the groups, if any, and below them their names at (@x, @y); underlines
 * those that @current uses. */
void port_columns_head(const struct port_columns *c, const struct analysis *a,
                       const struct analysis_row *current, struct grid *g, int x, int y);
/* Draws the load of row @row in cycles per iteration, "?" if its ports are unknown. */
void port_columns_load(const struct port_columns *c, const struct analysis *a, size_t row,
                       bool cursor, struct grid *g, int x, int y);
/* Draws the share of the loop's cycles that each group is busy. */
void port_columns_busy(const struct port_columns *c, const struct analysis *a, struct grid *g,
                       int x, int y);
/* Draws the number of hidden groups with the keys to reach them, or of idle ports. */
void port_columns_hidden(const struct port_columns *c, struct grid *g, int x, int y);

#endif
