/* A grid of character cells with colour roles, on which views draw. No curses. Golden files of
 * tests contain its text. */
#ifndef PORTOLAN_VIEW_GRID_H
#define PORTOLAN_VIEW_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum role {
    ROLE_TEXT,
    ROLE_DIM,
    ROLE_TITLE,
    ROLE_HEADER,
    ROLE_CURSOR,
    ROLE_KEY,
    ROLE_STATUS,
    ROLE_ERROR,
    ROLE_WARN,
    ROLE_GOOD,
    ROLE_ACCENT,
    ROLE_MATCH,
    ROLE_HEAT_0, /* first of the 12 levels of the heat map */
    ROLE_HEAT_LAST = ROLE_HEAT_0 + 11,
    ROLE_COUNT
};
enum { ATTR_BOLD = 1, ATTR_REVERSE = 2, ATTR_UNDERLINE = 4 };

struct cell {
    char glyph[8];      /* one UTF-8 character; "": right half of a wide character */
    uint8_t role, attr;
    uint8_t lower;      /* for the half block "▀", the heat role of the lower half; 0: the cell
                         * has another character */
};

struct grid {
    unsigned width, height;
    struct cell *cells;
    bool ascii;         /* whether only ASCII characters may be drawn */
    /* whether there are no colours: characters then show heat levels, and grid_attributes
     * distinguishes roles */
    bool mono;
};

void grid_init(struct grid *g, unsigned width, unsigned height, bool ascii);
/* Initialises a grid with the colour and character properties of @of. */
void grid_init_part(struct grid *g, const struct grid *of, unsigned width, unsigned height);
void grid_done(struct grid *g);
void grid_clear(struct grid *g);
/* Draws @utf8, clipped to the grid and to @max columns (0: to the right edge). Control characters
 * become '?'. Returns the number of columns used. */
unsigned grid_put(struct grid *g, int x, int y, unsigned max, enum role role, unsigned attr,
                  const char *utf8);
unsigned grid_printf(struct grid *g, int x, int y, unsigned max, enum role role, unsigned attr,
                     const char *format, ...) __attribute__((format(printf, 7, 8)));
/* Draws @utf8 in at most @most columns. If the text is longer, two dots replace its middle, or if
 * @most is below 8, its end is omitted. Returns the number of columns used. */
unsigned grid_put_ends(struct grid *g, int x, int y, unsigned most, enum role role, unsigned attr,
                       const char *utf8);
/* Returns the width of @utf8 in columns. */
unsigned grid_columns(const struct grid *g, const char *utf8);
/* Draws @utf8, wrapped at blanks, on at most @rows rows of @width columns. A truncated text ends
 * with an ellipsis. Returns the number of rows used. */
unsigned grid_wrap(struct grid *g, int x, int y, unsigned width, unsigned rows, enum role role,
                   unsigned attr, const char *utf8);
void grid_fill(struct grid *g, int x, int y, unsigned width, unsigned height, enum role role,
               unsigned attr, char c);
/* Draws two heat levels in [0, 1] in one cell, one above the other. A level below 0 leaves its half
 * empty. Without half blocks or colours, draws only the higher level. Draws nothing outside of the
 * grid. */
void grid_heat_pair(struct grid *g, int x, int y, double upper, double lower);
/* Draws one cell of a legend for heat level @fraction in [0, 1]. */
void grid_heat_legend(struct grid *g, int x, int y, double fraction);
/* Returns the ATTR_ bits of @cell. Without colours they include the bits of its role. */
unsigned grid_attributes(const struct grid *g, const struct cell *cell);
/* Returns the role of a heat value in [0, 1]. */
enum role heat_role(double fraction);
/* Appends the text of the grid to @out; rows are trimmed at the right and end with line feeds. If
 * @roles is true, also appends a line for each row that is not plain: "3: 1-12 title bold, 20-24
 * key"; without colours "3: 1-12 bold, 20-24 reverse". */
void grid_text(const struct grid *g, bool roles, struct str *out);

#endif
