/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/grid.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"
#include "base/utf8.h"

/* minimum heat level; smaller values are drawn with this level, so they do not look like missing
 * values */
#define HEAT_SEEN 0.12
/* first heat level drawn in reverse on terminals without colours */
#define HEAT_REVERSED (ROLE_HEAT_0 + 8)
/* In fewer columns a long text is truncated at its end, otherwise in its middle. */
#define MIDDLE_LEAST 8

void grid_init(struct grid *g, unsigned width, unsigned height, bool ascii)
{
    *g = (struct grid){width, height, mem_zero((size_t)width * height, sizeof(struct cell)), ascii,
                       false};
    grid_clear(g);
}

void grid_init_part(struct grid *g, const struct grid *of, unsigned width, unsigned height)
{
    grid_init(g, width, height, of->ascii);
    g->mono = of->mono;
}

void grid_done(struct grid *g)
{
    free(g->cells);
    *g = (struct grid){0};
}

void grid_clear(struct grid *g)
{
    grid_fill(g, 0, 0, g->width, g->height, ROLE_TEXT, 0, ' ');
}

/* ASCII replacements of characters; others become '?' */
static const struct { const char *glyph, *instead;
} plain[] = {
    {"µ", "u"}, {"…", "."}, {"█", "#"}, {"▀", "^"}, {"—", "-"}, {"×", "x"},
    {"→", ">"}, {"←", "<"}, {"│", "|"}, {"─", "-"}, {"┬", "+"}, {"┴", "+"},
    {"┼", "+"}, {"▸", ">"}, {"✓", "*"}, {"▶", ">"}, {"└", "`"}, {"┌", "."},
    {"·", "."}, {"├", "|"}, {"↔", "="}, {"≥", ">"}, {"≤", "<"}, {"±", "~"},
    {"↺", "@"}, {"┃", "|"}, {"┊", ":"}, {"╎", ":"}, {"▄", "_"}, {"▏", "|"},
    {"■", "#"}, {"▒", "%"},
};

/* Reads the next UTF-8 character. Returns its length in bytes, and sets *@columns to its width. An
 * unprintable character becomes '?'. If @ascii is true, a character beyond ASCII becomes its
 * replacement or '?'. Stores the character in @glyph. */
static size_t next_glyph(const char *at, bool ascii, char glyph[8], int *columns)
{
    uint32_t code = 0;
    size_t length = utf8_next(at, strnlen(at, 4), &code);

    *columns = length && !utf8_steers(code) ? utf8_columns(code) : -1;
    if (ascii && length > 1)
        for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
            if (strncmp(at, plain[i].glyph, length) == 0) {
                strcpy(glyph, plain[i].instead);
                *columns = 1;
                return length;
            }
    if (*columns < 1 || (ascii && length > 1)) {
        strcpy(glyph, "?");
        *columns = 1;
        return length ? length : 1;
    }
    memcpy(glyph, at, length);
    glyph[length] = '\0';
    return length;
}

unsigned grid_put(struct grid *g, int x, int y, unsigned max, enum role role, unsigned attr,
                  const char *utf8)
{
    unsigned used = 0;

    if (y < 0 || (unsigned)y >= g->height)
        return 0;
    while (*utf8 && (!max || used < max)) {
        struct cell cell = {.role = (uint8_t)role, .attr = (uint8_t)attr};
        int columns;
        utf8 += next_glyph(utf8, g->ascii, cell.glyph, &columns);
        if (max && used + (unsigned)columns > max)
            break;
        int at = x + (int)used;
        used += (unsigned)columns;
        if (at < 0)
            continue;
        if ((unsigned)at + (unsigned)columns > g->width)
            break;
        struct cell *to = &g->cells[(size_t)y * g->width + (unsigned)at];
        *to = cell;
        if (columns == 2)
            to[1] = (struct cell){.role = (uint8_t)role, .attr = (uint8_t)attr};
    }
    return used;
}

unsigned grid_columns(const struct grid *g, const char *utf8)
{
    unsigned all = 0;

    while (*utf8) {
        char glyph[8];
        int columns;
        utf8 += next_glyph(utf8, g->ascii, glyph, &columns);
        all += (unsigned)columns;
    }
    return all;
}

unsigned grid_put_ends(struct grid *g, int x, int y, unsigned most, enum role role, unsigned attr,
                       const char *utf8)
{
    const unsigned all = grid_columns(g, utf8);

    if (most < MIDDLE_LEAST || all <= most)
        return grid_put(g, x, y, most, role, attr, utf8);
    unsigned used = grid_put(g, x, y, (most - 2) / 2, role, attr, utf8);
    used += grid_put(g, x + (int)used, y, 2, role, attr, "..");
    for (unsigned left = all; left > most - used;) {
        char glyph[8];
        int columns;
        utf8 += next_glyph(utf8, g->ascii, glyph, &columns);
        left -= (unsigned)columns;
    }
    return used + grid_put(g, x + (int)used, y, most - used, role, attr, utf8);
}

unsigned grid_printf(struct grid *g, int x, int y, unsigned max, enum role role, unsigned attr,
                     const char *format, ...)
{
    struct str text = {0};
    va_list args;

    va_start(args, format);
    str_addv(&text, format, args);
    va_end(args);
    unsigned used = grid_put(g, x, y, max, role, attr, str_text(&text));
    str_done(&text);
    return used;
}

unsigned grid_wrap(struct grid *g, int x, int y, unsigned width, unsigned rows, enum role role,
                   unsigned attr, const char *utf8)
{
    unsigned row = 0;

    for (; *utf8 && row < rows; row++) {
        size_t fits = 0, blank = 0;
        unsigned columns = 0;
        while (utf8[fits] && columns < width) {
            char glyph[8];
            int wide;
            if (utf8[fits] == ' ')
                blank = fits;
            fits += next_glyph(utf8 + fits, g->ascii, glyph, &wide);
            columns += (unsigned)wide;
        }
        const bool cut = utf8[fits] && row + 1 == rows;
        if (utf8[fits] && blank && (utf8[fits] != ' ' || (cut && columns == width)))
            fits = blank;   /* Replaces the last word that fits with the ellipsis. */
        char *line = mem_strndup(utf8, fits);
        columns = grid_put(g, x, y + (int)row, width, role, attr, line);
        free(line);
        if (cut && width)
            grid_put(g, x + (int)(columns < width ? columns : width - 1), y + (int)row, 1, role,
                     attr, "…");
        utf8 += fits;
        utf8 += *utf8 == ' ';
    }
    return row;
}

void grid_fill(struct grid *g, int x, int y, unsigned width, unsigned height, enum role role,
               unsigned attr, char c)
{
    for (int row = y < 0 ? 0 : y; row < y + (int)height && row < (int)g->height; row++)
        for (int column = x < 0 ? 0 : x; column < x + (int)width && column < (int)g->width;
             column++)
            g->cells[(size_t)row * g->width + (size_t)column] =
                (struct cell){.glyph = {c}, .role = (uint8_t)role, .attr = (uint8_t)attr};
}

enum role heat_role(double fraction)
{
    int level = fraction <= 0 ? 0 : (int)(fraction * 11.999);
    return (enum role)(ROLE_HEAT_0 + (level > 11 ? 11 : level));
}

/* Returns the character for a heat level on terminals without colours. */
static char heat_char(double fraction)
{
    static const char ramp[] = " .:-=+*#%@";
    int level = fraction <= 0 ? 0 : (int)(fraction * 9.999);
    return ramp[level > 9 ? 9 : level];
}

void grid_heat_pair(struct grid *g, int x, int y, double upper, double lower)
{
    if (x < 0 || y < 0 || (unsigned)x >= g->width || (unsigned)y >= g->height)
        return;
    struct cell *cell = &g->cells[(size_t)y * g->width + (unsigned)x];
    double hotter = upper > lower ? upper : lower;
    if (g->ascii || g->mono) {
        *cell =
            (struct cell){.glyph = {hotter < 0 ? ' ' : heat_char(fmax(hotter, HEAT_SEEN))},
                          .role = (uint8_t)(hotter < 0 || g->mono ? ROLE_TEXT : heat_role(hotter))};
        return;
    }
    *cell = (struct cell){
        .glyph = "▀", .role = (uint8_t)heat_role(upper), .lower = (uint8_t)heat_role(lower)};
    if (hotter < 0)
        *cell = (struct cell){.glyph = " "};
}

void grid_heat_legend(struct grid *g, int x, int y, double fraction)
{
    const bool written = g->ascii || g->mono;

    grid_put(g, x, y, 1, g->mono ? ROLE_TEXT : heat_role(fraction), 0,
             (char[]){written ? heat_char(fraction) : ' ', '\0'});
}

unsigned grid_attributes(const struct grid *g, const struct cell *cell)
{
    if (!g->mono)
        return cell->attr;
    switch (cell->role) {
    case ROLE_CURSOR: case ROLE_KEY: return cell->attr | ATTR_REVERSE;
    case ROLE_ERROR: case ROLE_MATCH: return cell->attr | ATTR_BOLD;
    case ROLE_HEADER: return cell->attr | ATTR_UNDERLINE;
    default: return cell->attr | (cell->role >= HEAT_REVERSED ? ATTR_REVERSE : 0);
    }
}

static bool same_colours(const struct grid *g, const struct cell *a, const struct cell *b)
{
    return g->mono ? grid_attributes(g, a) == grid_attributes(g, b)
                   : a->role == b->role && a->attr == b->attr && a->lower == b->lower;
}

static void add_attributes(unsigned attr, const char *before, struct str *out)
{
    static const char *const names[] = {"bold", "reverse", "underline"};

    for (int i = 0; i < 3; i++)
        if (attr >> i & 1) {
            str_addf(out, "%s%s", before, names[i]);
            before = " ";
        }
}

/* Appends a description of the cell's colours: "header bold" or "heat 3/7". */
static void add_colours(const struct grid *g, const struct cell *cell, struct str *out)
{
    static const char *const names[ROLE_HEAT_0] = {"text",    "dim",  "title",  "header",
                                                   "cursor",  "key",  "status", "error",
                                                   "warning", "good", "accent", "match"};

    if (g->mono) {
        add_attributes(grid_attributes(g, cell), "", out);
        return;
    }
    if (cell->role < ROLE_HEAT_0)
        str_add(out, names[cell->role]);
    else
        str_addf(out, "heat %d", cell->role - ROLE_HEAT_0);
    if (cell->lower)
        str_addf(out, "/%d", cell->lower - ROLE_HEAT_0);
    add_attributes(cell->attr, " ", out);
}

/* If row @y is not plain, appends a line with its ranges that are not plain text, each with first
 * and last column. */
static void add_row_colours(const struct grid *g, unsigned y, struct str *out)
{
    const struct cell *row = &g->cells[(size_t)y * g->width], text = {.role = ROLE_TEXT};
    const char *before = ":";

    for (unsigned x = 0, end; x < g->width; x = end) {
        for (end = x + 1; end < g->width && same_colours(g, &row[x], &row[end]); end++)
            ;
        if (same_colours(g, &row[x], &text))
            continue;
        if (*before == ':')
            str_addf(out, "%u", y + 1);
        str_addf(out, "%s %u-%u ", before, x + 1, end);
        add_colours(g, &row[x], out);
        before = ",";
    }
    if (*before == ',')
        str_add_char(out, '\n');
}

void grid_text(const struct grid *g, bool roles, struct str *out)
{
    for (unsigned y = 0; y < g->height; y++) {
        size_t kept = out->length;
        for (unsigned x = 0; x < g->width; x++) {
            const char *glyph = g->cells[(size_t)y * g->width + x].glyph;
            str_add(out, glyph);
            if (strcmp(glyph, " ") != 0)
                kept = out->length;
        }
        out->length = kept;
        str_add_char(out, '\n');
    }
    if (!roles)
        return;
    str_addf(out, "---- %s\n",
             g->mono ? "attributes: row: columns" : "colours: row: columns and role");
    for (unsigned y = 0; y < g->height; y++)
        add_row_colours(g, y, out);
}
