/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/port_columns.h"

#include <string.h>

#define CELL 5           /* minimum number of columns per group */

static void group_name(const struct analysis *a, const struct port_group *group, struct str *out)
{
    port_group_name(group->ports, &a->ports, out);
}

void port_columns_lay(const struct analysis *a, const struct port_groups *groups, unsigned *left,
                      unsigned room, struct port_columns *out)
{
    *out = (struct port_columns){.groups = *groups};
    *left = *left < groups->count ? *left : groups->count ? groups->count - 1 : 0;
    out->first = *left;
    for (unsigned i = out->first; i < groups->count; i++) {
        struct str name = {0};
        group_name(a, &groups->items[i], &name);
        const unsigned heading = (unsigned)strlen(groups->items[i].purpose),
                       longest = (unsigned)name.length > heading ? (unsigned)name.length : heading;
        out->widths[i] = longest + 1 > CELL ? longest + 1 : CELL;
        str_done(&name);
        if (out->width + out->widths[i] > room)
            break;
        out->width += out->widths[i];
        out->headed |= heading > 0;
        out->count++;
    }
}

/* Draws the cycles of a group of @ports ports. The heat level is the ratio of one port's cycles to
 * the loop's cycles, @full. */
static void draw_value(struct grid *g, int x, int y, unsigned width, double value, unsigned ports,
                       double full, bool cursor)
{
    const unsigned attr = cursor ? ATTR_BOLD : 0;

    if (value < PORT_LOAD_LEAST)
        grid_printf(g, x, y, width, cursor ? ROLE_CURSOR : ROLE_DIM, attr, "%*s ", (int)width - 1,
                    ".");
    else
        grid_printf(g, x, y, width, heat_role(full > 0 ? value / ports / full : 0), attr, "%*.*f ",
                    (int)width - 1,
                    value < 9.995   ? 2
                    : value < 99.95 ? 1
                                    : 0,
                    value);
}

void port_columns_load(const struct port_columns *c, const struct analysis *a, size_t row,
                       bool cursor, struct grid *g, int x, int y)
{
    const bool unplaced = analysis_unplaced(a, row);

    for (unsigned i = c->first; i < c->first + c->count; x += (int)c->widths[i++]) {
        const portset set = c->groups.items[i].ports;
        if (unplaced)
            grid_printf(g, x, y, c->widths[i], cursor ? ROLE_CURSOR : ROLE_DIM, 0, "%*s ",
                        (int)c->widths[i] - 1, i == c->first ? "?" : "");
        else
            draw_value(g, x, y, c->widths[i], port_group_sum(a->rows[row].pressure, set),
                       portset_size(set), a->cycles, cursor);
    }
}

void port_columns_busy(const struct port_columns *c, const struct analysis *a, struct grid *g,
                       int x, int y)
{
    for (unsigned i = c->first; i < c->first + c->count; x += (int)c->widths[i++]) {
        const portset set = c->groups.items[i].ports;
        const double share =
            a->cycles > 0 ? port_group_sum(a->totals, set) / portset_size(set) / a->cycles : 0;
        grid_printf(g, x, y, c->widths[i], heat_role(share), 0, "%*.0f%% ", (int)c->widths[i] - 2,
                    100 * share);
    }
}

void port_columns_head(const struct port_columns *c, const struct analysis *a,
                       const struct analysis_row *current, struct grid *g, int x, int y)
{
    for (unsigned i = c->first; i < c->first + c->count; x += (int)c->widths[i++]) {
        const struct port_group *group = &c->groups.items[i];
        const bool used = port_group_sum(current->pressure, group->ports) > 0;
        struct str name = {0};
        group_name(a, group, &name);
        if (c->headed)
            grid_printf(g, x, y, c->widths[i], ROLE_HEADER, 0, "%*s", (int)c->widths[i] - 1,
                        group->purpose);
        grid_printf(g, x + (int)(c->widths[i] - 1 - name.length), y + c->headed,
                    (unsigned)name.length, used ? ROLE_ACCENT : ROLE_HEADER,
                    used ? ATTR_BOLD | ATTR_UNDERLINE : 0, "%s", str_text(&name));
        str_done(&name);
    }
}

void port_columns_hidden(const struct port_columns *c, struct grid *g, int x, int y)
{
    const unsigned beyond = c->groups.count - c->count, idle = portset_size(c->groups.idle);
    struct str text = {0};

    if (beyond)
        str_addf(&text, "< > +%u", beyond);
    else if (idle)
        str_addf(&text, "%u idle", idle);
    grid_put(g, x, y, 0, ROLE_HEADER, 0, str_text(&text));
    str_done(&text);
}

