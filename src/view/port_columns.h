/* The columns of the loop's pane that show the load of ports: one for each group of ports that
 * carry the same. No curses. UI thread. */
#ifndef PORTOLAN_VIEW_PORT_COLUMNS_H
#define PORTOLAN_VIEW_PORT_COLUMNS_H

#include "analysis/port_groups.h"
#include "view/grid.h"

struct port_columns {
    struct port_groups groups;
    unsigned first, count;           /* of the groups: those that are shown */
    unsigned widths[PORTS_MAX];      /* of the groups' columns */
    unsigned width;                  /* of all that are shown */
    bool headed;                     /* one of them has a purpose, for which there is a row */
};

/* Fills @out with the columns of @groups of @a from the *@left-th on that fit in @room columns;
 * *@left stays within the groups. */
void port_columns_lay(const struct analysis *a, const struct port_groups *groups, unsigned *left,
                      unsigned room, struct port_columns *out);
/* Draws the purposes of the groups, where there are any, and below them their names at (@x, @y);
 * those that @current uses are underlined. */
void port_columns_head(const struct port_columns *c, const struct analysis *a,
                       const struct analysis_row *current, struct grid *g, int x, int y);
/* Draws the load of row @row in cycles per iteration, "?" if no table has its ports. */
void port_columns_load(const struct port_columns *c, const struct analysis *a, size_t row,
                       bool cursor, struct grid *g, int x, int y);
/* Draws the share of the loop's cycles that the ports of each group are busy. */
void port_columns_busy(const struct port_columns *c, const struct analysis *a, struct grid *g,
                       int x, int y);
/* Draws how many groups have no column, and the keys to come to them, or how many ports are
 * idle. */
void port_columns_hidden(const struct port_columns *c, struct grid *g, int x, int y);

#endif
